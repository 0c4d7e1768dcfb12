// Laws and contact rules.

#include <math.h>
#include <string.h>

#include "base/vec3.h"
#include "build/build_internal.h"

Status build_laws(Builder *b) {
  Model *model = b->model;
  int n = 0;
  for (const InputNode *node = input_child(b->in->root, "law"); node;
       node = input_next(node, "law"))
    n++;
  MEM_NEW(model->laws, n, b->err);
  for (const InputNode *node = input_child(b->in->root, "law"); node;
       node = input_next(node, "law")) {
    Law *law = &model->laws[model->n_laws++];
    law->name = input_text(node, "name");
    law->type = law_find(input_text(node, "type"));
    builder_params(node, law->type->params, law->type->n_params, law->par);
    int given;
    const double *direction = builder_list(node, law->type->params, law->type->n_params, &given);
    if (given > 0 && given != 3)
      diag_add(b->diag, input_pos(node, "direction"), "direction needs 3 numbers, found %d", given);
    for (int i = 0; i < 3 && given == 3; i++) law->direction[i] = direction[i];
    const char *defect = given > 0 && given != 3 ? NULL : law_defect(law);
    if (defect) diag_add(b->diag, node->pos, "law '%s': %s", law->name, defect);
  }
  return OK;
}

static Status mark(Builder *b, const InputNode *node, const char *attr, uint8_t **marks) {
  int32_t *bodies;
  int n;
  MEM_NEW(*marks, b->n_entries, b->err);
  TRY(builder_bodies(b, node, attr, &bodies, &n));
  for (int k = 0; k < n; k++) (*marks)[bodies[k]] = 1;
  mem_free(bodies);
  return OK;
}

// Of the rims of disks no tool knows.
static void check_disks(Builder *b, const InputNode *node, const ContactRule *rule) {
  const uint8_t *side[2] = {rule->candidate, rule->antagonist};
  int disk[2] = {-1, -1}, tool[2] = {-1, -1};
  for (int k = 0; k < b->n_entries; k++)
    for (int s = 0; s < 2; s++) {
      if (side[s][k] && b->entries[k].type == &body_disk) disk[s] = k;
      if (side[s][k] && b->entries[k].type->by_shape) tool[s] = k;
    }
  for (int s = 0; s < 2; s++)
    if (disk[s] >= 0 && tool[1 - s] >= 0)
      diag_add(b->diag, node->pos, "the disk '%s' does not meet tools: use a <support> for '%s'",
               b->entries[disk[s]].name, b->entries[tool[1 - s]].name);
}

static Status build_rule(Builder *b, const InputNode *node, ContactRule *rule) {
  rule->law = &b->model->laws[input_ref(b->in, node, "law")->place];
  rule->src = node->pos;
  rule->self = input_bool(node, "self");
  rule->at_start = strcmp(input_text(node, "thickness"), "start") == 0;
  rule->presses = strcmp(input_text(node, "thickness"), "pressed") == 0;
  for (int k = 0; k < N_POINT_RULES; k++)
    if (strcmp(input_text(node, "points"), point_rule_names[k]) == 0) rule->points = (PointRule)k;
  rule->between = rule->points == POINTS_MID || rule->points == POINTS_GAUSS;
  TRY(mark(b, node, "candidate", &rule->candidate));
  TRY(mark(b, node, "antagonist", &rule->antagonist));
  check_disks(b, node, rule);
  if (rule->presses && !contact_law_yields(rule->law))
    diag_add(b->diag, input_pos(node, "thickness"),
             "thickness=\"pressed\" wants a law with a stiffness: a rigid one says nothing of how "
             "far it gives way");
  return OK;
}

static int is_named(const ContactModel *cm, int body) {
  for (int r = 0; r < cm->n_rules; r++)
    if (cm->rules[r].candidate[body] || cm->rules[r].antagonist[body]) return 1;
  for (int r = 0; r < cm->n_beads; r++)
    if (cm->beads[r].tool == body || cm->beads[r].sheet == body) return 1;
  return 0;
}

// Deformable bodies under gravity that no contact rule names would fall through everything: say so.
static Status check_reach(Builder *b) {
  const BodySet *bs = &b->model->bodies;
  const InputNode *root = b->in->root;
  uint8_t *falls;
  NamedBodies lost = {0};
  char such[DIAG_LIST];
  MEM_NEW(falls, bs->n_bodies, b->err);
  Status status = OK;
  for (const InputNode *g = input_child(root, "gravity"); g && status == OK;
       g = input_next(g, "gravity")) {
    int32_t *of = NULL;
    int n = 0;
    if (!input_given(g, "of")) memset(falls, 1, (size_t)bs->n_bodies);
    if (input_given(g, "of")) status = builder_bodies(b, g, "of", &of, &n);
    for (int k = 0; k < n; k++) falls[of[k]] = 1;
    mem_free(of);
  }
  for (int k = 0; k < bs->n_bodies && status == OK; k++)
    if (falls[k] && b->entries[k].material >= 0 && !b->entries[k].fixed &&
        !is_named(&b->model->contact, k))
      builder_name_body(&lost, bs, k);
  mem_free(falls);
  if (lost.n > 0)
    diag_add(
        b->diag, bs->src[lost.first],
        "gravity acts on '%s', but no contact names it and none of its nodes is prescribed: it would fall for ever%s",
        bs->name[lost.first], builder_such(&lost, such));
  return status;
}

// A support that no contact names holds nothing: bodies would pass through it without a word.
static void check_supports(Builder *b) {
  const BodySet *bs = &b->model->bodies;
  NamedBodies idle = {0};
  char such[DIAG_LIST];
  for (int k = 0; k < bs->n_bodies; k++)
    if (b->entries[k].material < 0 && !is_named(&b->model->contact, k))
      builder_name_body(&idle, bs, k);
  if (idle.n > 0)
    diag_add(b->diag, bs->src[idle.first],
             "no contact names the %s '%s': everything would fall through it%s",
             bs->type[idle.first]->noun, bs->name[idle.first], builder_such(&idle, such));
}

// A rule between supports alone joins nothing that can move; one of bodies against themselves needs
// such as are on both of its sides.
static void check_rule(Builder *b, const ContactRule *rule) {
  const BodySet *bs = &b->model->bodies;
  int movable = 0, both = 0;
  for (int k = 0; k < bs->n_bodies; k++) {
    int moves = !bs->type[k]->given;
    movable |= moves && (rule->candidate[k] || rule->antagonist[k]);
    both |= moves && rule->candidate[k] && rule->antagonist[k];
  }
  if (!movable)
    diag_add(b->diag, rule->src, "this contact joins no body that can move");
  else if (rule->self && !both)
    diag_add(b->diag, rule->src,
             "self=\"yes\", but no body is both candidate and antagonist: name it in both");
}

// Solvers that need pure cones are refused with laws that go beyond.
static void check_solver(Builder *b) {
  const SolverType *solver = b->model->steps.solver;
  const ContactModel *cm = &b->model->contact;
  const InputNode *node = input_child(b->in->root, "solver");
  for (int r = 0; r < cm->n_rules && solver->pure_cone_only; r++)
    if (cm->rules[r].law->type->beyond_cone)
      diag_add(
          b->diag, node ? node->pos : b->in->root->pos,
          "solver '%s' takes pure friction cones only, and law '%s' (%s) is none: use nsgs or auto",
          solver->name, cm->rules[r].law->name, cm->rules[r].law->type->name);
}

// Newton's matrix has no place for zones in parallel with contact.
static void check_way(Builder *b) {
  const ContactModel *cm = &b->model->contact;
  const BodySet *bs = &b->model->bodies;
  if (b->model->steps.newton.contact != CONTACT_PRIMAL || bs->n_finite + bs->n_tools == 0) return;
  for (int r = 0; r < cm->n_rules; r++)
    if (cm->rules[r].law->type->parallel)
      diag_add(b->diag, input_pos(input_child(b->in->root, "newton"), "contact"),
               "contact=\"primal\" does not take laws that act in parallel with contact, and law "
               "'%s' (%s) is one: use auto or delassus",
               cm->rules[r].law->name, cm->rules[r].law->type->name);
}

// Tools that leave a sheet less room than it is thick, and neither can give way.
static int check_room(Builder *b, SheetSqueeze *squeeze) {
  const BodySet *bs = &b->model->bodies;
  *squeeze = contact_squeezed(&b->model->contact, bs, NULL, NULL);
  if (squeeze->node < 0) return 0;
  diag_add(
      b->diag, bs->src[squeeze->tool[1]],
      "the tools '%s' and '%s' leave %.4g m for the sheet '%s', which is %.4g m thick (node %d), "
      "and neither can give way: free one of them, or give the law of contact a stiffness",
      bs->name[squeeze->tool[0]], bs->name[squeeze->tool[1]], squeeze->room,
      bs->name[squeeze->sheet], squeeze->thickness, squeeze->node + 1);
  return 1;
}

// Bodies that start inside one another would be thrown apart, or pass through each other unseen.
static Status check_overlaps(Builder *b) {
  const BodySet *bs = &b->model->bodies;
  OverlapList list;
  SheetSqueeze squeeze;
  int squeezed = check_room(b, &squeeze);
  Status status = contact_overlaps(&b->model->contact, bs, &list, b->err);
  for (int k = 0; status == OK && k < list.n; k++) {
    const int *body = list.item[k].body;
    int tool = body[!bs->type[body[0]]->by_shape], other = body[0] + body[1] - tool;
    if (squeezed && other == squeeze.sheet && (tool == squeeze.tool[0] || tool == squeeze.tool[1]))
      continue; // said already
    double tolerated = contact_inside(&b->model->contact, bs, body[0], body[1]);
    char more[60] = "";
    if (tolerated > 0) snprintf(more, sizeof more, ", more than the %.3g m tolerated", tolerated);
    diag_add(b->diag, bs->src[body[1]],
             "'%s' and '%s' lie %.3g m inside one another at the start%s", bs->name[body[0]],
             bs->name[body[1]], list.item[k].depth, more);
  }
  mem_free(list.item);
  return status;
}

// ---- draw beads ---------------------------------------------------------------------------------

// More points than this are no bead.
enum { MOST_POINTS = 100000 };

// The one body of a kind that an attribute names; -1: said what is wrong.
static Status one_body(Builder *b, const InputNode *node, const char *attr, const BodyType *type,
                       int *body) {
  int32_t *bodies;
  int n;
  *body = -1;
  TRY(builder_bodies(b, node, attr, &bodies, &n));
  if (n == 1 && b->model->bodies.type[bodies[0]] == type)
    *body = bodies[0];
  else if (n > 0)
    diag_add(b->diag, input_pos(node, attr), "%s=\"%s\" is not one %s", attr,
             input_text(node, attr), type->noun);
  mem_free(bodies);
  return OK;
}

static double segment(const double *from, double d[3]) {
  for (int i = 0; i < 3; i++) d[i] = from[3 + i] - from[i];
  return vec3_length(d);
}

// Points in the middle of equal parts of each segment.
static Status place_points(Builder *b, const InputNode *node, double spacing, Bead *bead) {
  int n, at = 0;
  double d[3], total = 0;
  const double *line = input_list(node, "line", &n);
  if (n < 6 || n % 3 != 0) {
    diag_add(b->diag, input_pos(node, "line"),
             "line needs x y z of two or more points, found %d numbers", n);
    return OK;
  }
  for (int k = 0; k < n / 3 - 1; k++) total += ceil(segment(line + 3 * k, d) / spacing);
  if (!(total <= MOST_POINTS)) {
    diag_add(b->diag, node->pos,
             "spacing = %g m makes %g points of the line, at most %d are possible", spacing, total,
             MOST_POINTS);
    return OK;
  }
  MEM_NEW(bead->place, 3 * total, b->err);
  MEM_NEW(bead->length, total, b->err);
  for (int k = 0; k < n / 3 - 1; k++) {
    double length = segment(line + 3 * k, d);
    int parts = (int)ceil(length / spacing);
    for (int j = 0; j < parts; j++, at++) {
      for (int i = 0; i < 3; i++)
        bead->place[3 * at + i] = line[3 * k + i] + (j + 0.5) / parts * d[i];
      bead->length[at] = length / parts;
    }
  }
  bead->n = at;
  return OK;
}

static Status build_bead(Builder *b, const InputNode *node, Bead *bead) {
  ContactModel *cm = &b->model->contact;
  bead->law = (Law){.name = "bead", .type = &law_bead, .par = {input_real(node, "restraint")}};
  bead->src = node->pos;
  bead->rule = cm->n_rules;
  ContactRule *rule = &cm->rules[cm->n_rules++];
  *rule = (ContactRule){.law = &bead->law, .src = node->pos};
  MEM_NEW(rule->candidate, b->n_entries, b->err);
  MEM_NEW(rule->antagonist, b->n_entries, b->err);
  TRY(one_body(b, node, "sheet", &body_sheet, &bead->sheet));
  TRY(one_body(b, node, "tool", &body_tool, &bead->tool));
  return OK;
}

static Status build_beads(Builder *b) {
  ContactModel *cm = &b->model->contact;
  for (const InputNode *node = input_child(b->in->root, "bead"); node;
       node = input_next(node, "bead"))
    TRY(build_bead(b, node, &cm->beads[cm->n_beads++]));
  return OK;
}

// After the skin is known.
static Status place_beads(Builder *b) {
  ContactModel *cm = &b->model->contact;
  int k = 0;
  for (const InputNode *node = input_child(b->in->root, "bead"); node;
       node = input_next(node, "bead")) {
    double spacing =
        input_given(node, "spacing") ? input_real(node, "spacing") : 0.5 * cm->skin.shortest;
    TRY(place_points(b, node, spacing, &cm->beads[k++]));
  }
  return OK;
}

Status build_contact(Builder *b) {
  ContactModel *cm = &b->model->contact;
  int n = 0, n_beads = 0;
  for (const InputNode *node = input_child(b->in->root, "contact"); node;
       node = input_next(node, "contact"))
    n++;
  for (const InputNode *node = input_child(b->in->root, "bead"); node;
       node = input_next(node, "bead"))
    n_beads++;
  MEM_NEW(cm->rules, n + n_beads, b->err);
  MEM_NEW(cm->beads, n_beads, b->err);
  for (const InputNode *node = input_child(b->in->root, "contact"); node;
       node = input_next(node, "contact"))
    TRY(build_rule(b, node, &cm->rules[cm->n_rules++]));
  for (int r = 0; r < cm->n_rules; r++) check_rule(b, &cm->rules[r]);
  TRY(build_beads(b));
  check_supports(b);
  check_solver(b);
  check_way(b);
  TRY(check_reach(b));
  const InputNode *detection = input_child(b->in->root, "detection");
  double alert = detection && input_given(detection, "alert") ? input_real(detection, "alert") : 0;
  cm->tolerated = detection ? input_real(detection, "tolerated") : 0;
  TRY(contact_model_finish(cm, &b->model->bodies, alert, b->err));
  TRY(place_beads(b));
  return check_overlaps(b);
}
