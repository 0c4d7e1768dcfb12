#include "build/build_internal.h"
#include "file/csv.h"
#include "input/resolved.h"
#include "output/program.h"

#include <math.h>
#include <string.h>

// Place of a word in a '|' separated list.
static int choice_index(const char *choices, const char *word) {
  size_t length = strlen(word);
  for (int k = 0;; k++) {
    size_t own = strcspn(choices, "|");
    if (own == length && strncmp(choices, word, own) == 0) return k;
    if (!choices[own]) return -1;
    choices += own + 1;
  }
}

void builder_params(const InputNode *node, const ParamSpec *params, int n, double *par) {
  for (int k = 0; k < n; k++) {
    const char *name = params[k].name;
    if (params[k].type == PARAM_CHOICE)
      par[k] = choice_index(params[k].choices, input_text(node, name));
    else if (params[k].type == PARAM_BOOL)
      par[k] = input_bool(node, name);
    else if (params[k].type == PARAM_INTEGER && input_given(node, name))
      par[k] = input_integer(node, name);
    else
      par[k] = params[k].type == PARAM_REAL ? input_real(node, name) : (double)NAN;
  }
}

// The one list among the parameters of a row; *n is 0 where it is not given.
const double *builder_list(const InputNode *node, const ParamSpec *params, int n_params, int *n) {
  *n = 0;
  for (int k = 0; k < n_params; k++)
    if (params[k].type == PARAM_LIST && input_given(node, params[k].name))
      return input_list(node, params[k].name, n);
  return NULL;
}

// Where the plastic strains of a curve repeat or fall back; what its law says besides comes after.
static int check_curve(Builder *b, const InputNode *node, const Material *material) {
  for (int k = 1; k < material->n_table; k++) {
    const double *point = material->table + 2 * (size_t)k;
    if (point[0] > point[-2]) continue;
    const char *attr = input_given(node, "table") ? "table" : "table_file";
    diag_add(b->diag, input_pos(node, attr),
             "material '%s': plastic strains of its table must increase: point %d has %g after %g",
             material->name, k + 1, point[0], point[-2]);
    return 0;
  }
  return 1;
}

// Parameters taken together: what is wrong is a defect, what is doubtful a warning of the run.
static void check_material(Builder *b, const InputNode *node, const Material *material) {
  const char *warning = NULL;
  const char *defect = material->type->defect ? material->type->defect(material, &warning) : NULL;
  if (defect) diag_add(b->diag, node->pos, "material '%s': %s", material->name, defect);
  if (warning) diag_add(b->doubts, node->pos, "material '%s': %s", material->name, warning);
}

Status builder_new_mesh(Builder *b, Mesh **mesh) {
  Model *model = b->model;
  TRY(mem_grow((void **)&model->meshes, &b->mesh_capacity, (size_t)model->n_meshes + 1,
               sizeof *model->meshes, b->err));
  MEM_NEW(*mesh, 1, b->err);
  model->meshes[model->n_meshes++] = *mesh;
  return OK;
}

static int count(const InputNode *root, const char *name) {
  int n = 0;
  for (const InputNode *k = input_child(root, name); k; k = input_next(k, name)) n++;
  return n;
}

// The table of a material whose law lists `table_file`, from that file where it is given.
static Status read_curve(Builder *b, const InputNode *node, Material *material, double **curve) {
  const char *attr = "table_file";
  char path[1024];
  CsvTable csv;
  if (!schema_param(node->element, node->variant, attr) || !input_given(node, attr)) return OK;
  if (material->n_table > 0) {
    diag_add(b->diag, input_pos(node, attr), "material '%s': table and table_file are given",
             material->name);
    return OK;
  }
  input_path(node, attr, path, sizeof path);
  Status status = csv_read(&csv, path, b->err);
  if (status == ERR_INPUT) {
    diag_add(b->diag, input_pos(node, attr), "material '%s': %s", material->name, b->err->text);
    err_clear(b->err);
    return OK;
  }
  TRY(status);
  int found = csv.n_columns >= 2 && csv.n_rows >= 1;
  if (found) *curve = mem_new(2 * (size_t)csv.n_rows, sizeof **curve);
  for (long k = 0; *curve && k < 2 * csv.n_rows; k++)
    (*curve)[k] = csv.value[k / 2 * csv.n_columns + k % 2];
  for (long k = 0; *curve && k < 2 * csv.n_rows; k++)
    if (!isfinite((*curve)[k])) {
      diag_add(b->diag, input_pos(node, attr), "material '%s': '%s', row %ld: %g is no number",
               material->name, path, k / 2 + 1, (*curve)[k]);
      break;
    }
  if (*curve) material->n_table = (int)csv.n_rows;
  material->table = *curve;
  csv_free(&csv);
  if (found && !*curve) return err_set(b->err, ERR_SYSTEM, "out of memory: table '%s'", path);
  if (!found)
    diag_add(b->diag, input_pos(node, attr),
             "material '%s': '%s' has no two columns, plastic strain and stress", material->name,
             path);
  return OK;
}

static Status build_materials(Builder *b) {
  const InputNode *root = b->in->root;
  Model *model = b->model;
  MEM_NEW(model->materials, count(root, "material"), b->err);
  MEM_NEW(model->curves, count(root, "material"), b->err);
  for (const InputNode *node = input_child(root, "material"); node;
       node = input_next(node, "material")) {
    Material *material = &model->materials[model->n_materials++];
    size_t n_defects = b->diag->n;
    *material = (Material){.name = input_text(node, "name"),
                           .type = material_find(input_text(node, "law")),
                           .density = input_real(node, "density"),
                           .damping_mass = input_real(node, "damping_mass"),
                           .damping_stiffness = input_real(node, "damping_stiffness")};
    builder_params(node, material->type->params, material->type->n_params, material->par);
    material->table =
        builder_list(node, material->type->params, material->type->n_params, &material->n_table);
    if (material->n_table % 2)
      diag_add(b->diag, node->pos, "material '%s': its table needs pairs of strain and stress",
               material->name);
    material->n_table /= 2;
    TRY(read_curve(b, node, material, &model->curves[model->n_materials - 1]));
    if (b->diag->n == n_defects && check_curve(b, node, material))
      check_material(b, node, material);
  }
  return OK;
}

static void builder_free(Builder *b) {
  for (int k = 0; k < b->n_entries; k++) {
    mem_free(b->entries[k].name);
    mem_free(b->entries[k].fixed);
    mem_free(b->entries[k].edge);
  }
  for (int k = 0; k < b->n_sets; k++) {
    mem_free(b->sets[k].name);
    mem_free(b->sets[k].entry);
    mem_free(b->sets[k].node);
  }
  for (int k = 0; k < N_NAME_KINDS; k++) mem_free(b->names[k].place);
  mem_free(b->entries);
  mem_free(b->sets);
}

// All names in attributes are looked up before anything is made of them, so that wrong ones are
// said together with wrong geometry.
static Status check_names(Builder *b) {
  static const struct {
    const char *element, *attr;
    int nodes;
  } uses[] = {{"contact", "candidate", 0}, {"contact", "antagonist", 0},
              {"gravity", "of", 0},        {"velocity", "of", 0},
              {"force", "on", 1},          {"pressure", "on", 1},
              {"hold", "on", 1},           {"stage", "remove", 0},
              {"forming_limit", "of", 0},  {"rim", "of", 1},
              {"line", "of", 0},           {"trim", "of", 0},
              {"bead", "sheet", 0},        {"bead", "tool", 0}};
  const InputNode *root = b->in->root;
  for (const InputNode *node = input_child(root, NULL); node; node = input_next(node, NULL)) {
    for (size_t k = 0; k < sizeof uses / sizeof uses[0]; k++)
      if (strcmp(node->element->name, uses[k].element) == 0 && input_given(node, uses[k].attr))
        TRY(builder_check(b, node, uses[k].attr, uses[k].nodes));
    const ProbeType *probe =
        strcmp(node->element->name, "probe") ? NULL : probe_find(input_text(node, "quantity"));
    if (probe && probe->scope != PROBE_OF_ALL)
      TRY(builder_check(b, node, "of", probe->scope == PROBE_OF_NODES));
  }
  return OK;
}

const SpaceWords space_words[4] = {
    [2] = {"plane", "x and y", "x, y, velocity_x or velocity_y", "x, y", "edge"},
    [3] = {"solid", "x, y and z", "x, y, z or a velocity", "x, y or z", "face"}};

// Dimension of the model, and what its solids are.
static void read_space(Builder *b) {
  const InputNode *node = input_child(b->in->root, "model");
  static const struct {
    const char *name;
    int dim;
    StressState state;
  } spaces[] = {
      {"plane", 2, PLANE_STRAIN}, {"solid", 3, STRESS_3D}, {"axisymmetric", 2, AXISYMMETRIC}};
  const char *space = node ? input_text(node, "space") : spaces[0].name;
  for (size_t k = 0; k < sizeof spaces / sizeof spaces[0]; k++) {
    if (strcmp(space, spaces[k].name) != 0) continue;
    b->dim = spaces[k].dim;
    b->state = spaces[k].state;
  }
  if (b->state == PLANE_STRAIN && node && strcmp(input_text(node, "plane"), "stress") == 0)
    b->state = PLANE_STRESS;
}

static Status build_all(Builder *b) {
  read_space(b);
  builder_check_space(b);
  TRY(build_materials(b));
  TRY(build_laws(b));
  TRY(build_entries(b));
  TRY(builder_place_rings(b));
  int n_bodies = 0;
  for (int k = 0; k < b->n_entries; k++) n_bodies += b->entries[k].material >= 0;
  if (n_bodies == 0 && b->diag->n == 0)
    diag_add(
        b->diag, b->in->root->pos,
        "the input declares no bodies: add a wall, arch, column, block, box, polyhedron or body");
  TRY(build_prescribed_flags(b));
  TRY(check_names(b));
  build_time(b);
  TRY(diag_status(b->diag, b->err)); // geometry must be right before matrices are made
  TRY(build_body_set(b));
  TRY(build_groups(b));
  if (b->model->steps.newton.matrix == NEWTON_KEPT && b->diag->n == 0)
    TRY(finite_count_kept(&b->model->bodies, &b->model->bodies.n_kept, b->err));
  TRY(build_drives(b));
  TRY(build_contact(b));
  TRY(build_output(b));
  return diag_status(b->diag, b->err);
}

Status build_model(const Input *in, Diag *diag, Diag *doubts, Model *model, OutputSpec *output,
                   Err *err) {
  *model = (Model){0};
  *output = (OutputSpec){0};
  Builder builder = {
      .in = in, .diag = diag, .doubts = doubts, .model = model, .output = output, .err = err};
  Status status = build_all(&builder);
  char program[PROGRAM_LINES_SIZE];
  program_lines(program);
  if (status == OK) status = input_resolve(in, program, &model->resolved, err);
  builder_free(&builder);
  return status;
}

Status build_print_names(const Input *in, Diag *diag, FILE *stream, Err *err) {
  Model model = {0};
  Builder builder = {.in = in, .diag = diag, .model = &model, .err = err};
  read_space(&builder);
  Status status = build_materials(&builder);
  if (status == OK) status = build_entries(&builder);
  if (status == OK) builder_print_names(&builder, stream);
  builder_free(&builder);
  model_free(&model);
  return status == OK ? diag_status(diag, err) : status;
}
