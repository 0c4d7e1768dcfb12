#include "app/foresee.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "app/foresee_idle.h"
#include "base/space.h"
#include "build/build_internal.h"

int foresee_is_held(const Model *model, int body) {
  const BodySet *bs = &model->bodies;
  for (int k = 0; k < bs->n_prescribed; k++)
    if (bs->body_of[bs->prescribed[k].node] == body) return 1;
  for (int s = 1; s < model->n_stages; s++)
    for (int k = 0; k < model->stages[s].n_prescribed; k++)
      if (bs->body_of[model->stages[s].prescribed[k].node] == body) return 1;
  return bs->type[body]->held && bs->type[body]->held(bs, body);
}

// ---- what nothing refers to ---------------------------------------------------------------------

static int refers_to(const InputNode *node, const InputNode *target) {
  for (const InputNode *k = node; k; k = k->next) {
    for (int a = 0; a < k->n_attrs; a++)
      if (k->attrs[a].target == target) return 1;
    if (k->first && refers_to(k->first, target)) return 1;
  }
  return 0;
}

static void find_unused(const Input *in, Diag *doubts) {
  static const char *const elements[] = {"material", "law", "function"};
  for (size_t e = 0; e < sizeof elements / sizeof elements[0]; e++)
    for (const InputNode *k = input_child(in->root, elements[e]); k; k = input_next(k, elements[e]))
      if (!refers_to(in->root, k))
        diag_add(doubts, k->pos, "%s '%s' is not used", elements[e], input_text(k, "name"));
}

// ---- bodies that nothing can meet ---------------------------------------------------------------

static void find_floating(const Model *model, Diag *doubts) {
  const BodySet *bs = &model->bodies;
  NamedBodies loose = {0}, rigid = {0};
  for (int b = 0; b < bs->n_bodies; b++) {
    if (contact_may_touch(&model->contact, b)) continue;
    int is_rigid = bs->type[b]->given;
    if (is_rigid) builder_name_body(&rigid, bs, b);
    if (!is_rigid && !foresee_is_held(model, b)) builder_name_body(&loose, bs, b);
  }
  if (loose.n == 1)
    diag_add(doubts, bs->src[loose.first],
             "body '%s' floats: no <contact> joins it to another body and nothing holds it",
             loose.names);
  if (loose.n > 1)
    diag_add(doubts, bs->src[loose.first],
             "%d bodies float: no <contact> joins them to others and nothing holds them (%s)",
             loose.n, loose.names);
  if (rigid.n > 0)
    diag_add(doubts, bs->src[rigid.first], "no <contact> lets anything touch %s %s",
             rigid.n == 1 ? "the tool or support" : "tools and supports", rigid.names);
}

// ---- tools out of scale -------------------------------------------------------------------------

// A tool so many times larger than all bodies together, or so many times smaller, is in other
// units: a mesh in millimetres is a thousand times too large.
static const double TOO_LARGE = 100, TOO_SMALL = 1.0 / 500;

static double largest_side(const double low[3], const double high[3]) {
  return fmax(high[0] - low[0], fmax(high[1] - low[1], high[2] - low[2]));
}

// Box of all that is deformable; 0 if nothing is.
static double bodies_box(const BodySet *bs, double low[3], double high[3]) {
  for (int i = 0; i < 3; i++) {
    low[i] = i < bs->dim ? (double)INFINITY : 0;
    high[i] = i < bs->dim ? -(double)INFINITY : 0;
  }
  for (int k = 0; k < bs->n_nodes; k++)
    for (int i = 0; i < bs->dim; i++) {
      double x = bs->x[(size_t)bs->dim * (size_t)k + (size_t)i];
      if (bs->type[bs->body_of[k]]->given) continue;
      low[i] = fmin(low[i], x);
      high[i] = fmax(high[i], x);
    }
  return largest_side(low, high);
}

// A sheet so many times wider than thick: panels of cars are 3000 times.
static const double TOO_WIDE = 2e4;

// 1: some sheet is in other units than its thickness, so nothing is known of the tools.
static int find_wide_sheets(const BodySet *bs, Diag *doubts) {
  int found = 0;
  for (int k = 0; k < bs->n_finite; k++) {
    const FiniteBody *body = &bs->finite[k];
    double low[3], high[3], thickness = body->form.spec.thickness;
    if (!body->form.type->shell) continue;
    mesh_bounds(bs->mesh[body->body], low, high);
    double size = largest_side(low, high);
    if (size <= TOO_WIDE * thickness) continue;
    found = 1;
    diag_add(doubts, bs->src[body->body],
             "sheet '%s' is %.3g m large and %.3g m thick: lengths are in metres; is its file in "
             "millimetres? scale=\"1e-3\" says so",
             bs->name[body->body], size, thickness);
  }
  return found;
}

static Status find_out_of_scale(const BodySet *bs, Diag *doubts, Err *err) {
  if (find_wide_sheets(bs, doubts)) return OK;
  double low[3], high[3], size = bodies_box(bs, low, high);
  for (int t = 0; t < bs->n_tools && size > 0; t++) {
    const Shape *shape = &bs->tools[t].shape;
    const char *name = bs->name[bs->tools[t].body];
    Mesh mesh = {0};
    double from[3], to[3];
    Status status =
        shape->type->picture(shape, low, high, &mesh, err); // endless: to the bodies' box
    int any = status == OK && mesh.n_nodes > 0;
    if (any) mesh_bounds(&mesh, from, to);
    mesh_free(&mesh);
    TRY(status);
    double ratio = any ? largest_side(from, to) / size : 1;
    if (ratio > TOO_LARGE || ratio < TOO_SMALL)
      diag_add(doubts, bs->src[bs->tools[t].body],
               "tool '%s' is %.3g m large, %.3g times all bodies together (%.3g m): lengths are in "
               "metres%s",
               name, ratio * size, ratio, size,
               shape->spec.mesh && ratio > TOO_LARGE
                   ? "; is its file in millimetres? scale=\"1e-3\" says so"
                   : "");
  }
  return OK;
}

// ---- fillets ------------------------------------------------------------------------------------

// Tools that forces press on a sheet hold it, and do not bend it.
static int is_holder(const BodySet *bs, int tool) {
  const uint8_t *free = bs->tools[bs->own[tool]].free;
  return free[0] || free[1] || free[2];
}

static Status find_coarse(const Model *model, Diag *doubts, Err *err) {
  const BodySet *bs = &model->bodies;
  SheetFillet *list = NULL;
  int n;
  Status status = foresee_fillets(model, &list, &n, err);
  for (int k = 0; status == OK && k < n; k++) {
    if (foresee_edges(&list[k]) >= EDGES_PER_QUARTER || is_holder(bs, list[k].tool)) continue;
    diag_add(doubts, bs->src[list[k].sheet],
             "sheet '%s' is too coarse for the fillet of tool '%s': its fine elements, %.3g m, are "
             "%.1f in a quarter circle of %.3g m; %d are needed, %.3g m",
             bs->name[list[k].sheet], bs->name[list[k].tool], list[k].edge, foresee_edges(&list[k]),
             list[k].radius, EDGES_PER_QUARTER,
             list[k].edge * foresee_edges(&list[k]) / EDGES_PER_QUARTER);
  }
  mem_free(list);
  return status;
}

// Of solids at finite strains nodes alone touch tools: a rounding that is narrower than their edges
// sinks in between them. Sheets have stricter rules.
static void find_narrow(const Model *model, Diag *doubts) {
  const BodySet *bs = &model->bodies;
  const ContactModel *cm = &model->contact;
  for (int t = 0; t < bs->n_tools; t++) {
    const Tool *tool = &bs->tools[t];
    double radius = tool->shape.type->fillet ? tool->shape.type->fillet(&tool->shape) : 0;
    NamedBodies coarse = {0};
    double edge = (double)INFINITY;
    for (int b = 0; b < bs->n_bodies && radius > 0; b++) {
      int rule = cm->rule_of[cm->class_of[b] * cm->n_classes + cm->class_of[tool->body]];
      int back = cm->rule_of[cm->class_of[tool->body] * cm->n_classes + cm->class_of[b]];
      int by_nodes = bs->type[b]->iterated && !bs->type[b]->sheet;
      if ((rule < 0 && back < 0) || !by_nodes) continue;
      if (!isfinite(cm->shortest[b]) || 2 * radius >= cm->shortest[b]) continue;
      edge = fmin(edge, cm->shortest[b]);
      builder_name_body(&coarse, bs, b);
    }
    if (coarse.n > 0)
      diag_add(doubts, bs->src[tool->body],
               "the rounding of tool '%s', %.3g m, sinks between nodes of %s: with "
               "kinematics=\"finite\" they alone touch tools, and edges are %.3g m long and more",
               bs->name[tool->body], radius, coarse.names, edge);
  }
}

// ---- tools that wait for a force ----------------------------------------------------------------

// A holder that nothing presses holds nothing; tools have no weight. One that has a velocity is a
// hammer.
static void find_without_force(const Model *model, Diag *doubts) {
  const BodySet *bs = &model->bodies;
  int sheets = 0;
  for (int b = 0; b < bs->n_bodies; b++) sheets |= bs->type[b]->sheet;
  for (int t = 0; t < bs->n_tools && sheets; t++)
    for (int i = 0; i < bs->dim; i++) {
      int body = bs->tools[t].body, dof = bs->dim * bs->node_ptr[body] + i;
      if (!bs->tools[t].free[i] || loads_act_on(&model->loads, dof)) continue;
      if (model->v_start && model->v_start[dof] != 0) continue;
      diag_add(
          doubts, bs->src[body],
          "tool '%s' is free along %c and no <force> pushes it: what touches it moves it away, "
          "and it holds nothing",
          bs->name[body], "xyz"[i]);
    }
}

// ---- sheets that are held in displacement alone -------------------------------------------------

// All nodes of a sheet without motion along an axis, and not said to lie in a plane: its directors
// turn as they like.
static void find_half_plane(const Model *model, Diag *doubts) {
  const BodySet *bs = &model->bodies;
  for (int k = 0; k < bs->n_finite; k++) {
    const FiniteBody *body = &bs->finite[k];
    const Form *form = &body->form;
    if (!form->type->shell || !body->fixed) continue;
    for (int axis = 0; axis < 3; axis++) {
      int held = 1, in_plane = form->edge != NULL, flat = 1;
      const double *x = bs->x + 3 * (size_t)bs->node_ptr[body->body];
      for (int i = 0; i < form->n_nodes && held; i++) {
        held = body->fixed[3 * i + axis];
        in_plane = in_plane && form->edge[i] & EDGE_ACROSS_X << axis;
        flat = flat && x[3 * i + axis] == x[axis];
      }
      if (held && !in_plane && !flat)
        diag_add(doubts, bs->src[body->body],
                 "all nodes of sheet '%s' are held along %c, which does not keep it from bending "
                 "across: for plane strain hold it as=\"plane_%c\"",
                 bs->name[body->body], "xyz"[axis], "xyz"[axis]);
    }
  }
}

// ---- meshes that do not match -------------------------------------------------------------------

// Cells that differ by more than this factor in length: the stress of the coarser says nothing of
// where the finer presses.
static const double MOST_RATIO = 50;
// Loads of nodes that are wrong by more than this share are told.
static const double WRONG_LOAD = 0.01;

static Status find_mismatch(const Model *model, int all, Diag *doubts, Err *err) {
  const BodySet *bs = &model->bodies;
  const ContactModel *cm = &model->contact;
  ContactMeshes found;
  TRY(contact_compare_meshes(cm, bs, &found, err));
  if (found.ratio > MOST_RATIO)
    diag_add(doubts, bs->src[found.body[0]],
             "cells of '%s' are %.3g times as long as those of '%s' where they meet: its stresses "
             "are means over what the finer side sees",
             bs->name[found.body[0]], found.ratio, bs->name[found.body[1]]);
  if (all && found.rule >= 0 && found.wrong > WRONG_LOAD)
    diag_add(doubts, cm->rules[found.rule].src,
             "points=\"%s\" where meshes do not match: %s at a node of '%s' by up to %.0f %%; "
             "points=\"overlap\" is right on any meshes",
             point_rule_names[cm->rules[found.rule].points],
             cm->rules[found.rule].points == POINTS_NODES
                 ? "the area that its law counts is wrong"
                 : "the load by a uniform pressure, and with it the stress, is wrong",
             bs->name[found.loaded], 100 * found.wrong);
  return OK;
}

// ---- records ------------------------------------------------------------------------------------

static Status find_drifting(const Input *in, Diag *doubts, Err *err) {
  for (const InputNode *k = input_child(in->root, "function"); k; k = input_next(k, "function")) {
    if (strcmp(input_text(k, "kind"), "accelerogram") != 0 || !refers_to(in->root, k)) continue;
    Function f = {0};
    Status status = build_record(k, &f, err);
    RecordPeaks peaks = status == OK ? function_peaks(&f) : (RecordPeaks){0};
    function_free(&f);
    TRY(status);
    if (function_drifts(&peaks))
      diag_add(doubts, k->pos,
               "record '%s' drifts: its double integral ends with %.3g m/s, %.0f %% of the largest "
               "velocity, %.3g m aside, and the ground goes on; baseline=\"linear\" corrects it",
               input_text(k, "name"), peaks.v_end, 100 * fabs(peaks.v_end) / peaks.v, peaks.x_end);
  }
  return OK;
}

Status foresee_doubts(const Case *c, int all, Diag *doubts, Err *err) {
  for (int k = 0; k < c->input.n_files; k++) diag_file(doubts, c->input.files[k]);
  const Model *model = &c->model;
  if (all) find_unused(&c->input, doubts);
  for (size_t k = 0; k < c->doubts.n; k++)
    diag_add(doubts, c->doubts.entries[k].pos, "%s", c->doubts.entries[k].text);
  TRY(foresee_idle(c, all, doubts, err));
  find_floating(model, doubts);
  find_half_plane(model, doubts);
  find_narrow(model, doubts);
  find_without_force(model, doubts);
  TRY(find_out_of_scale(&model->bodies, doubts, err));
  TRY(find_mismatch(model, all, doubts, err));
  if (all) TRY(find_coarse(model, doubts, err));
  return find_drifting(&c->input, doubts, err);
}

void foresee_print_doubts(Diag *doubts, FILE *stream) {
  diag_sort(doubts);
  for (size_t k = 0; k < doubts->n; k++)
    fprintf(stream, "%s:%d: warning: %s\n", doubts->entries[k].pos.file,
            doubts->entries[k].pos.line, doubts->entries[k].text);
}
