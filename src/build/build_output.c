// Probes, output settings and rest events.

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/vec3.h"
#include "build/build_internal.h"
#include "output/schedule.h"

// component="y" keeps the column with that suffix.
static Status choose_component(Builder *b, const InputNode *node, Probe *probe) {
  const char *wanted = input_text(node, "component");
  if (!wanted[0]) return OK;
  int n = probe->type->n_columns > 0 ? probe->type->n_columns : b->dim;
  for (int k = 0; k < n; k++)
    if (probe->type->suffix[k][0] && strcmp(probe->type->suffix[k] + 1, wanted) == 0)
      probe->component = k;
  if (probe->component < 0)
    diag_add(b->diag, input_pos(node, "component"), "component=\"%s\": '%s' has no such column",
             wanted, probe->type->name);
  return OK;
}

// Up to three numbers, of a list that may be absent; zero where it is.
static int read_vector(Builder *b, const InputNode *node, const char *attr, double v[3]) {
  int n = 0;
  memset(v, 0, 3 * sizeof *v);
  if (!input_given(node, attr)) return 0;
  const double *list = input_list(node, attr, &n);
  if (n != b->dim) {
    diag_add(b->diag, input_pos(node, attr), "%s needs %d numbers, found %d", attr, b->dim, n);
    return 0;
  }
  memcpy(v, list, sizeof *v * (size_t)n);
  return 1;
}

// A point and a unit direction of attributes `about` and `axis`; by default z, in the plane y,
// through the origin.
static void read_axis(Builder *b, const InputNode *node, double at[3], double axis[3]) {
  read_vector(b, node, "about", at);
  if (!read_vector(b, node, "axis", axis)) axis[b->dim - 1] = 1;
  double length = vec3_length(axis);
  if (!(length > 0)) diag_add(b->diag, input_pos(node, "axis"), "the axis has no direction");
  for (int i = 0; i < 3; i++) axis[i] /= length;
}

// Of the nodes [n] the one nearest to a point at the start; -1: there are none.
static int32_t nearest_node(Builder *b, const InputNode *element, const char *attr,
                            const int32_t *node, int n, const double *point) {
  const BodySet *bs = &b->model->bodies;
  int32_t best = -1;
  double least = (double)INFINITY;
  for (int k = 0; k < n; k++) {
    double square = 0;
    for (int i = 0; i < b->dim; i++) {
      double d = bs->x[(size_t)b->dim * (size_t)node[k] + i] - point[i];
      square += d * d;
    }
    if (square >= least) continue;
    least = square;
    best = node[k];
  }
  if (best >= 0) builder_check_near(b, element, attr, bs->mesh[bs->body_of[best]], sqrt(least));
  return best;
}

// The four points of an angle become nodes.
static Status choose_points(Builder *b, const InputNode *node, Probe *probe) {
  int n;
  const double *point = input_list(node, "points", &n);
  int32_t *item, n_nodes = probe->n_items;
  if (n != 4 * b->dim) {
    diag_add(b->diag, input_pos(node, "points"),
             "points needs %d numbers, %d of each of four points", 4 * b->dim, b->dim);
    return OK;
  }
  MEM_NEW(item, 4, b->err);
  for (int k = 0; k < 4; k++)
    item[k] = nearest_node(b, node, "points", probe->item, n_nodes, point + b->dim * k);
  mem_free(probe->item);
  probe->item = item;
  probe->n_items = 4;
  for (int k = 0; k < 4; k += 2)
    if (item[k] == item[k + 1] && n_nodes > 0)
      diag_add(b->diag, input_pos(node, "points"),
               "points: the same node is nearest to point %d and to point %d", k + 1, k + 2);
  return OK;
}

static int check_sheet(Builder *b, const InputNode *node, int body) {
  const BodySet *bs = &b->model->bodies;
  if (bs->type[body]->sheet) return 1;
  diag_add(b->diag, input_pos(node, "of"), "'%s' is no sheet and has no thickness", bs->name[body]);
  return 0;
}

// What some kinds of probes have beside their nodes.
static Status read_details(Builder *b, const InputNode *node, Probe *probe) {
  const BodySet *bs = &b->model->bodies;
  if (schema_param(node->element, node->variant, "axis"))
    read_axis(b, node, probe->at, probe->axis);
  if (schema_param(node->element, node->variant, "points")) return choose_points(b, node, probe);
  if (strcmp(probe->type->name, "thickness") != 0) return OK;
  int all = 1;
  for (int k = 0; k < probe->n_items && all; k++)
    all = check_sheet(b, node, bs->body_of[probe->item[k]]);
  return OK;
}

// Bodies that turn, and sheets, where the quantity is theirs.
static void check_bodies(Builder *b, const InputNode *node, const Probe *probe) {
  const BodySet *bs = &b->model->bodies;
  int of_sheets = strcmp(probe->type->name, "element_thickness") == 0;
  static const char *const turning[] = {"spin", "angular_velocity", "orientation",
                                        "angular_momentum"};
  int turns = 0;
  for (size_t k = 0; k < sizeof turning / sizeof turning[0]; k++)
    turns |= strcmp(probe->type->name, turning[k]) == 0;
  if (probe->n_items > 1 && strcmp(probe->type->name, "orientation") == 0)
    diag_add(b->diag, input_pos(node, "of"), "orientation is that of one body, not of %d",
             probe->n_items);
  for (int k = 0; k < probe->n_items && turns; k++) {
    if (bodies_material(bs, probe->item[k])) continue;
    diag_add(b->diag, input_pos(node, "of"), "'%s' never turns: it is a %s",
             bs->name[probe->item[k]], bs->type[probe->item[k]]->noun);
    break;
  }
  for (int k = 0; k < probe->n_items && of_sheets; k++) check_sheet(b, node, probe->item[k]);
}

static Status build_probe(Builder *b, const InputNode *node, Probe *probe) {
  *probe = (Probe){.type = probe_find(input_text(node, "quantity")),
                   .component = -1,
                   .scale = input_real(node, "scale")};
  TRY(choose_component(b, node, probe));
  probe->name = mem_copy_text(input_text(node, "name"));
  if (!probe->name) return err_set(b->err, ERR_SYSTEM, "out of memory: probe");
  if (probe->type->scope == PROBE_OF_BODIES) {
    TRY(builder_bodies(b, node, "of", &probe->item, &probe->n_items));
    check_bodies(b, node, probe);
    return OK;
  }
  if (probe->type->scope == PROBE_OF_ALL) return OK;
  NodeGroup group;
  TRY(builder_node_group(b, node, "of", &group));
  probe->item = group.node; // moved
  probe->n_items = group.n;
  mem_free(group.facet);
  return read_details(b, node, probe);
}

// ---- forming limits, rims -----------------------------------------------------------------------

static Status limit_by_keeler(Builder *b, const InputNode *node, int body, FormingLimit *limit) {
  const BodySet *bs = &b->model->bodies;
  double exponent = input_real(node, "keeler"),
         thickness = bs->finite[bs->own[body]].form.spec.thickness;
  if (forming_limit_beyond_keeler(exponent, thickness))
    diag_add(b->doubts, input_pos(node, "keeler"),
             "the forming limit of '%s', %.3g mm thick with n = %g, is that of the bounds up to "
             "which Keeler's curve was fitted, 3 mm and 0.21",
             bs->name[body], 1e3 * thickness, exponent);
  return forming_limit_keeler(limit, body, exponent, thickness, b->err);
}

static Status add_limit(Builder *b, const InputNode *node, int body) {
  const BodySet *bs = &b->model->bodies;
  OutputSpec *spec = b->output;
  int n;
  const double *points = input_list(node, "points", &n);
  if (!bs->type[body]->sheet) {
    diag_add(b->diag, input_pos(node, "of"), "'%s' is no sheet: it has no forming limit",
             bs->name[body]);
    return OK;
  }
  for (int k = 0; k < spec->n_limits; k++)
    if (spec->limits[k].body == body)
      diag_add(b->diag, node->pos, "'%s' has two forming limits", bs->name[body]);
  FormingLimit *limit = &spec->limits[spec->n_limits++];
  int engineering = strcmp(input_text(node, "strain"), "engineering") == 0;
  if (input_given(node, "keeler") == input_given(node, "points")) {
    diag_add(b->diag, node->pos, "a forming limit needs either points or keeler");
    return OK;
  }
  Status status = input_given(node, "points")
                      ? forming_limit_init(limit, body, points, n, engineering, b->err)
                      : limit_by_keeler(b, node, body, limit);
  if (status != ERR_INPUT) return status;
  diag_add(b->diag, input_pos(node, "points"), "%s", b->err->text);
  err_clear(b->err);
  return OK;
}

static Status build_limits(Builder *b) {
  const InputNode *root = b->in->root;
  int n = 0;
  for (const InputNode *k = input_child(root, "forming_limit"); k;
       k = input_next(k, "forming_limit"))
    n++;
  MEM_NEW(b->output->limits, n * b->n_entries, b->err);
  for (const InputNode *k = input_child(root, "forming_limit"); k;
       k = input_next(k, "forming_limit")) {
    int32_t *body;
    TRY(builder_bodies(b, k, "of", &body, &n));
    Status status = OK;
    for (int i = 0; i < n && status == OK; i++) status = add_limit(b, k, body[i]);
    mem_free(body);
    TRY(status);
  }
  return OK;
}

static Status build_rims(Builder *b) {
  const InputNode *root = b->in->root;
  const BodySet *bs = &b->model->bodies;
  int n = 0;
  for (const InputNode *k = input_child(root, "rim"); k; k = input_next(k, "rim")) n++;
  MEM_NEW(b->output->rims, n, b->err);
  for (const InputNode *k = input_child(root, "rim"); k; k = input_next(k, "rim")) {
    Rim *rim = &b->output->rims[b->output->n_rims++];
    NodeGroup group;
    double base[3];
    *rim = (Rim){.base = -1, .name = mem_copy_text(input_text(k, "name"))};
    if (!rim->name) return err_set(b->err, ERR_SYSTEM, "out of memory: rim");
    TRY(builder_node_group(b, k, "of", &group));
    mem_free(group.facet);
    rim->n = group.n;
    rim->node = group.node; // moved
    read_axis(b, k, rim->at, rim->axis);
    if (!read_vector(b, k, "base", base) || rim->n == 0) continue;
    int body = bs->body_of[rim->node[0]]; // of all its nodes the nearest
    int32_t *all;
    int n_all = bs->node_ptr[body + 1] - bs->node_ptr[body];
    MEM_NEW(all, n_all, b->err);
    for (int i = 0; i < n_all; i++) all[i] = bs->node_ptr[body] + i;
    rim->base = nearest_node(b, k, "base", all, n_all, base);
    mem_free(all);
  }
  return OK;
}

static Status build_line(Builder *b, const InputNode *node) {
  OutputLine *line = &b->output->lines[b->output->n_lines++];
  int32_t *body;
  int n;
  *line = (OutputLine){.name = mem_copy_text(input_text(node, "name"))};
  if (!line->name) return err_set(b->err, ERR_SYSTEM, "out of memory: line");
  TRY(builder_bodies(b, node, "of", &body, &n));
  line->body = n > 0 ? body[0] : -1;
  mem_free(body);
  if (n == 0) return OK; // told
  if (n > 1 || !b->model->bodies.type[line->body]->sheet) {
    diag_add(b->diag, input_pos(node, "of"), "a line needs one sheet");
    return OK;
  }
  if (!read_vector(b, node, "from", line->from) || !read_vector(b, node, "to", line->to)) return OK;
  const double far = 0.1; // of its length: a chord of a curved sheet is nearer
  double aside, length = 0;
  for (int i = 0; i < 3; i++) length = hypot(length, line->to[i] - line->from[i]);
  Status status = line_check(line, b->model, &aside, b->err);
  if (status == OK && aside > far * length)
    diag_add(b->doubts, node->pos,
             "line '%s' lies %.3g m off sheet '%s' at the start: it is cut by the plane through "
             "both",
             line->name, aside, b->model->bodies.name[line->body]);
  if (status != ERR_INPUT) return status;
  diag_add(b->diag, node->pos, "%s", b->err->text);
  err_clear(b->err);
  return OK;
}

static Status build_lines(Builder *b) {
  const InputNode *root = b->in->root;
  int n = 0;
  for (const InputNode *k = input_child(root, "line"); k; k = input_next(k, "line")) n++;
  MEM_NEW(b->output->lines, n, b->err);
  for (const InputNode *k = input_child(root, "line"); k; k = input_next(k, "line"))
    TRY(build_line(b, k));
  return OK;
}

// Column of the history by name; -1 if there is none.
static int find_column(const OutputSpec *spec, int dim, const char *name) {
  int column = 0;
  for (; column < N_STANDARD_COLUMNS; column++)
    if (strcmp(standard_columns[column], name) == 0) return column;
  for (int k = 0; k < spec->n_probes; k++)
    for (int c = 0; c < probe_n_columns(&spec->probes[k], dim); c++, column++) {
      char text[256];
      probe_column(&spec->probes[k], c, text, sizeof text, NULL);
      if (strcmp(text, name) == 0) return column;
    }
  return -1;
}

static Status build_rests(Builder *b) {
  Model *model = b->model;
  int n = 0;
  for (const InputNode *node = input_child(b->in->root, "rest"); node;
       node = input_next(node, "rest"))
    n++;
  MEM_NEW(model->rests, n, b->err);
  for (const InputNode *node = input_child(b->in->root, "rest"); node;
       node = input_next(node, "rest")) {
    RestEvent *rest = &model->rests[model->n_rests++];
    *rest = (RestEvent){.probe_column = -1,
                        .value = input_real(node, "value"),
                        .rising = strcmp(input_text(node, "direction"), "up") == 0,
                        .count = input_integer(node, "count"),
                        .src = node->pos};
    if (input_given(node, "time") == input_given(node, "probe")) {
      diag_add(b->diag, node->pos, "rest needs either a time or a probe");
    } else if (input_given(node, "time")) {
      rest->time = input_real(node, "time");
    } else {
      rest->probe_column = find_column(b->output, b->dim, input_text(node, "probe"));
      if (rest->probe_column < 0)
        diag_add(b->diag, input_pos(node, "probe"), "probe=\"%s\" names no column of the history",
                 input_text(node, "probe"));
    }
  }
  return OK;
}

// ---- field files --------------------------------------------------------------------------------

// The plane of a <hold as="symmetry_x">: where the held nodes are, the body they belong to on one
// side of it.
static Status add_plane(Builder *b, const InputNode *node, int axis) {
  const BodySet *bs = &b->model->bodies;
  OutputSpec *spec = b->output;
  NodeGroup group;
  TRY(builder_node_group(b, node, "on", &group));
  double at = 0, middle = 0, size = 0;
  int body = group.n > 0 ? bs->body_of[group.node[0]] : -1;
  for (int k = 0; k < group.n; k++)
    at += bs->x[(size_t)b->dim * (size_t)group.node[k] + axis] / group.n;
  mem_free(group.node);
  mem_free(group.facet);
  if (body < 0) return OK;
  int first = bs->node_ptr[body], n = bs->node_ptr[body + 1] - first;
  for (int k = 0; k < n; k++) {
    double d = bs->x[(size_t)b->dim * (size_t)(first + k) + axis] - at;
    middle += d / n;
    size = fmax(size, fabs(d));
  }
  const double same = 1e-6; // of the body's size
  if (!(fabs(middle) > same * size) || spec->n_planes == OUTPUT_MAX_PLANES) return OK;
  for (int k = 0; k < spec->n_planes; k++)
    if (spec->plane[k].axis == axis && fabs(spec->plane[k].at - at) <= same * size) return OK;
  spec->plane[spec->n_planes++] = (SymmetryPlane){axis, at, middle > 0 ? 1 : -1};
  return OK;
}

static Status build_fields(Builder *b, const InputNode *node) {
  static const char *const symmetry[] = {"symmetry_x", "symmetry_y", "symmetry_z"};
  OutputSpec *spec = b->output;
  const BodySet *bs = &b->model->bodies;
  for (int k = 0; k < bs->n_finite; k++) spec->moved |= bs->finite[k].form.type->shell;
  if (node && input_given(node, "positions"))
    spec->moved = strcmp(input_text(node, "positions"), "now") == 0;
  for (const InputNode *k = input_child(b->in->root, "hold"); k; k = input_next(k, "hold"))
    for (int axis = 0; axis < b->dim; axis++)
      if (strcmp(input_text(k, "as"), symmetry[axis]) == 0) TRY(add_plane(b, k, axis));
  return OK;
}

Status build_output(Builder *b) {
  OutputSpec *spec = b->output;
  const InputNode *root = b->in->root, *node = input_child(root, "output");
  *spec = (OutputSpec){.title = input_text(root, "title"),
                       .every = FIELDS_AUTO,
                       .history_every = 1,
                       .checkpoint = 1};
  if (node) {
    if (input_given(node, "every")) spec->every = input_integer(node, "every");
    spec->history_every = input_integer(node, "history_every");
    spec->checkpoint = input_real(node, "checkpoint");
    spec->layers = input_bool(node, "layers");
    spec->ascii = strcmp(input_text(node, "format"), "ascii") == 0;
  }
  TRY(build_fields(b, node));
  int n = 0;
  for (const InputNode *k = input_child(root, "probe"); k; k = input_next(k, "probe")) n++;
  MEM_NEW(spec->probes, n + 1, b->err);
  if (input_child(root, "stage")) {
    Probe *stage = &spec->probes[spec->n_probes++];
    *stage = (Probe){.type = probe_find("stage"), .component = -1, .scale = 1};
    stage->name = mem_copy_text("stage");
    if (!stage->name) return err_set(b->err, ERR_SYSTEM, "out of memory: probe");
  }
  for (const InputNode *k = input_child(root, "probe"); k; k = input_next(k, "probe"))
    TRY(build_probe(b, k, &spec->probes[spec->n_probes++]));
  TRY(build_limits(b));
  TRY(build_rims(b));
  TRY(build_lines(b));
  return build_rests(b);
}
