// Loads, prescribed motion, initial velocities, time and solver.

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec3.h"
#include "build/build_internal.h"

// ---- prescribed motion --------------------------------------------------------------------------

// Directions that a <hold> stops, and what it does to the edges of sheets.
static EdgeCondition held(const InputNode *node, int given[3]) {
  const char *as = input_text(node, "as");
  int all = strcmp(as, "clamped") == 0 || strcmp(as, "fixed") == 0;
  for (int i = 0; i < 3; i++) given[i] = all || as[strlen(as) - 1] == "xyz"[i];
  if (strcmp(as, "clamped") == 0) return EDGE_CLAMPED;
  if (strlen(as) == 1 || all) return EDGE_FREE;
  return given[0] ? EDGE_ACROSS_X : given[1] ? EDGE_ACROSS_Y : EDGE_ACROSS_Z;
}

// In some stages only: what the form of a sheet is made of is the same in all.
static void check_stage_hold(Builder *b, const InputNode *node) {
  int given[3];
  builder_check_stages(b, node);
  if (held(node, given) != EDGE_FREE)
    diag_add(b->diag, input_pos(node, "as"),
             "as=\"%s\" holds edges, in all stages or none: with `stage` only fixed, x, y and z",
             input_text(node, "as"));
}

static Status build_hold_flags(Builder *b, const InputNode *node) {
  int32_t *entries, *nodes;
  int n, given[3], by_stage = input_given(node, "stage");
  EdgeCondition condition = held(node, given);
  if (by_stage) check_stage_hold(b, node);
  TRY(builder_nodes(b, node, "on", &entries, &nodes, &n));
  Status status = OK;
  for (int k = 0; k < n && status == OK; k++) {
    Entry *entry = &b->entries[entries[k]];
    size_t n_nodes = (size_t)entry->mesh->n_nodes;
    if (!entry->type->iterated) {
      diag_add(b->diag, input_pos(node, "on"),
               "hold is for bodies with kinematics=\"finite\" and sheets");
      break;
    }
    if (by_stage) continue; // build_stage_drives
    if (!entry->fixed) entry->fixed = mem_new(n_nodes * (size_t)b->dim, 1);
    if (!entry->edge) entry->edge = mem_new(n_nodes, 1);
    if (!entry->fixed || !entry->edge)
      status = err_set(b->err, ERR_SYSTEM, "out of memory: held nodes of '%s'", entry->name);
    for (int i = 0; i < b->dim && status == OK; i++)
      if (given[i]) entry->fixed[b->dim * nodes[k] + i] = 1;
    if (status == OK && condition != EDGE_FREE) entry->edge[nodes[k]] |= (uint8_t)condition;
  }
  mem_free(entries);
  mem_free(nodes);
  return status;
}

// Which unknowns are prescribed, before matrices are made.
Status build_prescribed_flags(Builder *b) {
  for (const InputNode *node = input_child(b->in->root, "hold"); node;
       node = input_next(node, "hold"))
    TRY(build_hold_flags(b, node));
  for (const InputNode *node = input_child(b->in->root, "prescribe"); node;
       node = input_next(node, "prescribe")) {
    int32_t *entries, *nodes;
    int n, by_stage = input_given(node, "stage");
    if (by_stage) builder_check_stages(b, node);
    TRY(builder_nodes(b, node, "on", &entries, &nodes, &n));
    int given[3] = {0}, dim = b->dim;
    for (int i = 0; i < 3; i++)
      given[i] = input_given(node, axis_attr[i]) || input_given(node, axis_velocity[i]);
    if (!given[0] && !given[1] && !given[2])
      diag_add(b->diag, node->pos, "prescribe needs %s", space_words[dim].motions);
    Status status = OK;
    for (int k = 0; k < n && status == OK; k++) {
      Entry *entry = &b->entries[entries[k]];
      if (entry->material < 0) {
        diag_add(b->diag, input_pos(node, "on"), "'%s' is a %s: it moves by its move_x and move_y",
                 entry->name, entry->type->noun);
        break;
      }
      if (!entry->type->deforms) {
        diag_add(b->diag, input_pos(node, "on"),
                 "'%s' is rigid: its nodes move together, and none can be prescribed", entry->name);
        break;
      }
      if (entry->type->turns && !input_given(entry->node, "kinematics")) entry->type = &body_small;
      if (!entry->type->iterated && (entry->type->turns || entry->angle != 0)) {
        diag_add(b->diag, input_pos(node, "on"),
                 "'%s' is %s: prescribed nodes need small strains and angle 0", entry->name,
                 entry->type->turns ? "co-rotational" : "rotated");
        break;
      }
      if (by_stage && !entry->type->iterated) {
        diag_add(b->diag, input_pos(node, "stage"),
                 "'%s': a stage of its own is for bodies with kinematics=\"finite\" and sheets",
                 entry->name);
        break;
      }
      if (by_stage) continue; // build_stage_drives
      if (!entry->fixed) entry->fixed = mem_new((size_t)entry->mesh->n_nodes * (size_t)dim, 1);
      if (!entry->fixed)
        status =
            err_set(b->err, ERR_SYSTEM, "out of memory: prescribed nodes of '%s'", entry->name);
      for (int i = 0; i < dim && status == OK; i++)
        if (given[i]) entry->fixed[dim * nodes[k] + i] = 1;
    }
    mem_free(entries);
    mem_free(nodes);
    TRY(status);
  }
  return OK;
}

// A motion owned by the model: constant, which is rest.
static Status new_motion(Builder *b, Motion **motion) {
  Model *model = b->model;
  TRY(mem_grow((void **)&model->motions, &b->motion_capacity, (size_t)model->n_motions + 1,
               sizeof *model->motions, b->err));
  MEM_NEW(*motion, 1, b->err);
  model->motions[model->n_motions++] = *motion;
  return OK;
}

static Status own_motion(Builder *b, const InputNode *node, int component, const Motion **out) {
  Motion *motion;
  TRY(new_motion(b, &motion));
  *out = motion;
  return builder_motion(b, node, axis_attr[component], axis_velocity[component], motion);
}

// What is prescribed in one stage.
typedef struct {
  PrescribedDof *item;
  int n;
  size_t capacity;
} PrescribedList;

static Status prescribe_nodes(Builder *b, const NodeGroup *group, int component,
                              const Motion *motion, PrescribedList *list) {
  TRY(mem_grow((void **)&list->item, &list->capacity, (size_t)(list->n + group->n) + 1,
               sizeof *list->item, b->err));
  for (int k = 0; k < group->n; k++)
    list->item[list->n++] =
        (PrescribedDof){.node = group->node[k], .component = component, .motion = motion};
  return OK;
}

static Status add_prescribed(Builder *b, const InputNode *node, PrescribedList *list) {
  NodeGroup group;
  TRY(builder_node_group(b, node, "on", &group));
  Status status = OK;
  for (int i = 0; i < b->dim && status == OK; i++) {
    const Motion *motion = NULL;
    if (!input_given(node, axis_attr[i]) && !input_given(node, axis_velocity[i])) continue;
    status = own_motion(b, node, i, &motion);
    if (status == OK) status = prescribe_nodes(b, &group, i, motion, list);
  }
  mem_free(group.node);
  mem_free(group.facet);
  return status;
}

// Nodes that are held in this stage stand still, from wherever they are.
static Status add_held(Builder *b, const InputNode *node, const Motion *still,
                       PrescribedList *list) {
  NodeGroup group;
  int given[3];
  held(node, given);
  TRY(builder_node_group(b, node, "on", &group));
  Status status = OK;
  for (int i = 0; i < b->dim && status == OK; i++)
    if (given[i]) status = prescribe_nodes(b, &group, i, still, list);
  mem_free(group.node);
  mem_free(group.facet);
  return status;
}

static int compare_prescribed(const void *a, const void *b) {
  const PrescribedDof *x = a, *y = b;
  return x->node != y->node ? (x->node > y->node) - (x->node < y->node)
                            : x->component - y->component;
}

// Held twice is held; two motions contradict each other.
static void drop_doubles(Builder *b, const Motion *still, PrescribedList *list) {
  const BodySet *bs = &b->model->bodies;
  int kept = 0, said = 0;
  if (list->n > 0) qsort(list->item, (size_t)list->n, sizeof *list->item, compare_prescribed);
  for (int k = 0; k < list->n; k++) {
    const PrescribedDof *own = &list->item[k];
    int twice = kept > 0 && compare_prescribed(&list->item[kept - 1], own) == 0;
    int still_twice = twice && own->motion == still && list->item[kept - 1].motion == still;
    if (!still_twice) list->item[kept++] = *own;
    if (!twice || still_twice || said) continue;
    int body = bs->body_of[own->node];
    diag_add(b->diag, bs->src[body], "a node of '%s' is prescribed twice in direction %s",
             bs->name[body], axis_attr[own->component]);
    said = 1;
  }
  list->n = kept;
}

Status build_prescribed(Builder *b, int stage, PrescribedDof **item, int *n) {
  PrescribedList list = {0};
  Motion *still;
  Status status = new_motion(b, &still);
  for (const InputNode *node = input_child(b->in->root, NULL); node && status == OK;
       node = input_next(node, NULL)) {
    const char *name = node->element->name;
    if (strcmp(name, "prescribe") == 0 && builder_in_stage(b, node, stage))
      status = add_prescribed(b, node, &list);
    else if (strcmp(name, "hold") == 0 && input_given(node, "stage") &&
             builder_in_stage(b, node, stage))
      status = add_held(b, node, still, &list);
  }
  drop_doubles(b, still, &list);
  *item = list.item;
  *n = list.n;
  return status;
}

// ---- loads --------------------------------------------------------------------------------------

// Is the component of the node prescribed in all stages? -1: all its components.
static int is_fixed(const Builder *b, int node, int component) {
  const BodySet *bs = &b->model->bodies;
  int body = bs->body_of[node], local = node - bs->node_ptr[body], fixed = 1;
  const uint8_t *flags = b->entries[body].fixed;
  for (int i = 0; i < b->dim && fixed; i++)
    if (component < 0 || i == component) fixed = flags && flags[b->dim * local + i];
  return fixed;
}

// A load on what does not yield to it would do nothing, without a word; component -1: of all
// directions.
static void check_loaded(Builder *b, const InputNode *node, const NodeGroup *group, int component) {
  const BodySet *bs = &b->model->bodies;
  int fixed = group->n > 0;
  for (int k = 0; k < group->n && fixed; k++) fixed = is_fixed(b, group->node[k], component);
  if (fixed)
    diag_add(b->diag, input_pos(node, "on"),
             "all nodes of '%s' are prescribed%s%s: the load would do nothing",
             input_text(node, "on"), component < 0 ? "" : " along ",
             component < 0 ? "" : axis_attr[component]);
  for (int k = 0; k < group->n; k++) {
    int body = bs->body_of[group->node[k]], i = component;
    if (!bs->type[body]->given) continue;
    if (i >= 0 && bs->type[body]->moves(bs, body, i)) continue;
    diag_add(b->diag, input_pos(node, "on"), "'%s' is a %s that is not free to move%s%s: %s",
             bs->name[body], bs->type[body]->noun, i < 0 ? "" : " along ",
             i < 0 ? "" : axis_attr[i], "the load would do nothing");
    return;
  }
}

static Status build_gravity(Builder *b, const InputNode *node) {
  BodyGroup group = {0};
  int heavy = 0;
  if (input_given(node, "of")) TRY(builder_bodies(b, node, "of", &group.body, &group.n));
  for (int k = 0; k < group.n; k++) heavy += b->entries[group.body[k]].material >= 0;
  if (group.n > 0 && !heavy)
    diag_add(b->diag, input_pos(node, "of"), "'%s' has no weight: supports and tools have none",
             input_text(node, "of"));
  Status status = OK;
  for (int i = 0; i < b->dim && status == OK; i++) {
    Function f = {0};
    status = builder_function(b, node, axis_attr[i], &f);
    if (status == OK)
      status = loads_add_gravity(&b->model->loads, &b->model->bodies, group.body ? &group : NULL, i,
                                 &f, b->err);
    function_free(&f);
  }
  mem_free(group.body);
  return status;
}

static Status build_force(Builder *b, const InputNode *node) {
  NodeGroup group;
  TRY(builder_node_group(b, node, "on", &group));
  Status status = OK;
  for (int i = 0; i < b->dim && status == OK && group.n > 0; i++) {
    Function f = {0};
    if (strcmp(input_text(node, axis_attr[i]), "0") != 0) check_loaded(b, node, &group, i);
    status = builder_function(b, node, axis_attr[i], &f);
    if (status == OK)
      status = loads_add_force(&b->model->loads, &b->model->bodies, &group, i,
                               input_bool(node, "each"), &f, b->err);
    function_free(&f);
  }
  mem_free(group.node);
  mem_free(group.facet);
  return status;
}

static Status build_pressure(Builder *b, const InputNode *node) {
  static const char *const attr[4] = {"value", "x", "y", "z"};
  NodeGroup group;
  int any = 0;
  for (int i = 0; i <= b->dim; i++) any |= input_given(node, attr[i]);
  if (!any)
    diag_add(b->diag, node->pos, "pressure needs a value, or a traction %s",
             space_words[b->dim].traction);
  TRY(builder_node_group(b, node, "on", &group));
  if (group.n > 0 && group.n_facets == 0)
    diag_add(b->diag, input_pos(node, "on"), "'%s' holds no %s of a boundary",
             input_text(node, "on"), space_words[b->dim].facet);
  check_loaded(b, node, &group, -1);
  Status status = OK;
  for (int i = 0; i <= b->dim && status == OK && group.n_facets > 0; i++) {
    Function f = {0};
    if (!input_given(node, attr[i])) continue;
    status = builder_function(b, node, attr[i], &f);
    if (status == OK)
      status = loads_add_edge(&b->model->loads, &b->model->bodies, &group, i - 1, &f, b->err);
    function_free(&f);
  }
  mem_free(group.node);
  mem_free(group.facet);
  return status;
}

// ---- initial velocities -------------------------------------------------------------------------

// Angular velocity: about z in the plane.
static void read_spin(Builder *b, const InputNode *node, double spin[3]) {
  int n, wanted = b->dim == 2 ? 1 : 3;
  const double *list = input_list(node, "spin", &n);
  for (int i = 0; i < 3; i++) spin[i] = 0;
  if (n == wanted)
    memcpy(spin + 3 - n, list, sizeof *list * (size_t)n);
  else if (n != 1 || list[0] != 0) // 0 says nothing
    diag_add(b->diag, input_pos(node, "spin"), "spin needs %d number%s here, not %d", wanted,
             wanted == 1 ? "" : "s", n);
}

// Translation, and a rotation about the centre of mass.
static void start_body(Builder *b, const InputNode *node, const double spin[3], int body) {
  const BodySet *bs = &b->model->bodies;
  int dim = bs->dim;
  double center[3] = {0};
  for (int k = bs->node_ptr[body]; k < bs->node_ptr[body + 1]; k++)
    for (int i = 0; i < dim; i++)
      center[i] += bodies_node_mass(bs, k) * bs->x[(size_t)k * dim + i] / bodies_mass(bs, body);
  for (int k = bs->node_ptr[body]; k < bs->node_ptr[body + 1]; k++) {
    const double *x = bs->x + (size_t)k * dim;
    double *to = b->model->v_start + (size_t)k * dim, arm[3] = {0}, by[3];
    for (int i = 0; i < dim; i++) arm[i] = x[i] - center[i];
    vec3_cross(spin, arm, by);
    for (int i = 0; i < dim; i++) to[i] = input_real(node, axis_attr[i]) + by[i];
    const uint8_t *fixed = b->entries[body].fixed;
    for (int i = 0; fixed && i < dim; i++)
      if (fixed[(k - bs->node_ptr[body]) * dim + i]) to[i] = 0;
  }
}

static Status build_velocity(Builder *b, const InputNode *node) {
  BodySet *bs = &b->model->bodies;
  const InputNode *said = NULL; // whose bodies were found to have two: once
  int32_t *bodies;
  int n;
  double spin[3];
  if (!b->model->v_start) MEM_NEW(b->model->v_start, bs->n_nodes * bs->dim, b->err);
  read_spin(b, node, spin);
  TRY(builder_bodies(b, node, "of", &bodies, &n));
  for (int k = 0; k < n; k++) {
    int body = bodies[k];
    if (b->entries[body].material < 0) {
      diag_add(b->diag, input_pos(node, "of"), "'%s' is a %s: it moves by its move_x and move_y",
               bs->name[body], bs->type[body]->noun);
      continue;
    }
    const InputNode *other = b->entries[body].velocity;
    if (other && said != other)
      diag_add(b->diag, node->pos, "'%s' has a velocity already, given in line %d: name it in one",
               bs->name[body], other->pos.line);
    said = other;
    b->entries[body].velocity = node;
    start_body(b, node, spin, body);
  }
  mem_free(bodies);
  return OK;
}

// ---- time and solver ----------------------------------------------------------------------------

// Settings of the solver: defaults of its kind, then what the input gives.
static void build_solver(Builder *b) {
  // Of a time step, where the input names none; of the scaled error where nothing deforms, which is
  // all there is.
  static const double TOLERANCE = 1e-3, RIGID_TOLERANCE = 1e-6;
  int deforms = 0;
  const InputNode *node = input_child(b->in->root, "solver");
  StepSettings *steps = &b->model->steps;
  steps->solver = node ? solver_find(input_text(node, "type")) : solver_types[0];
  steps->solver_settings = solver_defaults(steps->solver);
  SolverSettings *settings = &steps->solver_settings;
  for (int k = 0; k < b->n_entries; k++) deforms |= b->entries[k].type->deforms;
  settings->measure = deforms ? MEASURE_DEFORMATION : MEASURE_SCALED;
  settings->tolerance = deforms ? TOLERANCE : RIGID_TOLERANCE;
  if (deforms && !(node && input_given(node, "tolerance")))
    settings->rigid_share = RIGID_TOLERANCE / TOLERANCE;
  settings->each = 1;
  if (!node) return;
  if (deforms || input_given(node, "tolerance"))
    settings->tolerance = input_real(node, "tolerance");
  settings->relaxation = input_real(node, "relaxation");
  if (deforms || input_given(node, "measure")) {
    settings->each = strcmp(input_text(node, "measure"), "scaled") != 0;
    settings->measure = settings->each ? MEASURE_DEFORMATION : MEASURE_SCALED;
  }
  if (input_given(node, "max_iterations"))
    settings->max_iterations = input_integer(node, "max_iterations");
  for (int k = 0; k < steps->solver->n_params; k++) {
    const char *name = steps->solver->params[k].name;
    if (!input_given(node, name)) continue;
    if (solver_set(steps->solver, settings, name, input_text(node, name), b->err) == OK) continue;
    diag_add(b->diag, input_pos(node, name), "%s", b->err->text);
    err_clear(b->err);
  }
}

static void build_newton(Builder *b) {
  static const char *const matrices[] = {"full", "iteration", "kept",
                                         "mass", "corrected", "explicit"},
                           *const modes[] = {"auto", "delassus", "diagonal", "primal"};
  const InputNode *node = input_child(b->in->root, "newton");
  NewtonSettings *newton = &b->model->steps.newton;
  *newton = (NewtonSettings){.tolerance = 1e-6, .max_iterations = 30, .line_search = 1};
  b->model->steps.rest_work = 1e-4;
  if (!node) return;
  newton->tolerance = input_real(node, "tolerance");
  newton->max_iterations = input_integer(node, "max_iterations");
  newton->line_search = input_bool(node, "line_search");
  newton->update = strcmp(input_text(node, "geometry"), "updated") == 0;
  newton->statics = input_bool(node, "statics");
  b->model->steps.rest_work = input_real(node, "rest_work");
  for (int k = 0; k < 6; k++)
    if (strcmp(input_text(node, "matrix"), matrices[k]) == 0) newton->matrix = (NewtonMatrix)k;
  for (size_t k = 0; k < sizeof modes / sizeof modes[0]; k++)
    if (strcmp(input_text(node, "contact"), modes[k]) == 0) newton->contact = (ContactMode)k;
}

static void build_verdicts(Builder *b) {
  const InputNode *node = input_child(b->in->root, "verdicts");
  VerdictLimits *limits = &b->model->limits;
  *limits = verdict_defaults;
  if (!node) return;
  limits->energy = input_real(node, "energy");
  limits->balance = input_real(node, "balance");
  limits->penetration.edge = input_real(node, "penetration");
  limits->penetration.thickness = input_real(node, "sheet_penetration");
  limits->turn = input_real(node, "turn");
  limits->thinning = input_real(node, "thinning");
  limits->neck = input_real(node, "necking");
  limits->folds = input_real(node, "folds");
  limits->reaction = input_real(node, "reaction");
  limits->sinking = input_real(node, "sinking");
  limits->standing = input_real(node, "standing");
}

void build_time(Builder *b) {
  static const char *const misses[] = {"continue", "cut", "stop"};
  const InputNode *time = input_child(b->in->root, "time");
  StepSettings *steps = &b->model->steps;
  *steps = (StepSettings){.start = input_real(time, "start"),
                          .end = input_given(time, "end") ? input_real(time, "end") : 0,
                          .h = input_real(time, "step"),
                          .theta = input_real(time, "theta"),
                          .max_cuts = input_integer(time, "max_cuts")};
  for (int k = 0; k < 3; k++)
    if (strcmp(input_text(time, "on_miss"), misses[k]) == 0) steps->on_miss = (MissPolicy)k;
  steps->h_min = input_given(time, "step_min") ? input_real(time, "step_min") : 0;
  steps->growth = input_real(time, "growth");
  steps->h_max = steps->h;
  build_newton(b);
  build_solver(b);
  build_verdicts(b);
  build_stages(b);
}

// Without mass a tool is in equilibrium in each step: nothing says where one is that nothing
// pushes.
static void check_massless(Builder *b) {
  const BodySet *bs = &b->model->bodies;
  for (int t = 0; t < bs->n_tools; t++)
    for (int i = 0; i < bs->dim; i++) {
      const Tool *tool = &bs->tools[t];
      if (!tool->free[i] || tool->mass > 0) continue;
      if (loads_act_on(&b->model->loads, bs->dim * bs->node_ptr[tool->body] + i)) continue;
      diag_add(b->diag, bs->src[tool->body],
               "tool '%s' is free along %c and has neither a mass nor a <force> there: it has no "
               "place of rest; give it a force, a mass, or a motion in place of free",
               bs->name[tool->body], "xyz"[i]);
    }
}

Status build_drives(Builder *b) {
  static const struct {
    const char *element;
    Status (*build)(Builder *b, const InputNode *node);
  } makers[] = {{"gravity", build_gravity},
                {"force", build_force},
                {"pressure", build_pressure},
                {"velocity", build_velocity}};
  TRY(build_stage_drives(b));
  for (const InputNode *node = input_child(b->in->root, NULL); node; node = input_next(node, NULL))
    for (size_t k = 0; k < sizeof makers / sizeof makers[0]; k++)
      if (strcmp(node->element->name, makers[k].element) == 0) TRY(makers[k].build(b, node));
  TRY(loads_finish(&b->model->loads, &b->model->bodies, b->err));
  check_massless(b);
  return OK;
}
