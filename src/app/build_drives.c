// Loads, prescribed motion, initial velocities, time and solver.

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "app/build_internal.h"

// ---- prescribed motion ------------------------------------------------------------------------------

// Directions that a <hold> stops, and what it does to the edges of sheets.
static EdgeCondition held(const InputNode *node, int given[3]) {
  const char *as = input_text(node, "as");
  int all = strcmp(as, "clamped") == 0 || strcmp(as, "fixed") == 0;
  for (int i = 0; i < 3; i++) given[i] = all || as[strlen(as) - 1] == "xyz"[i];
  if (strcmp(as, "clamped") == 0) return EDGE_CLAMPED;
  return all ? EDGE_FREE : EDGE_SYMMETRY;
}

static Status build_hold_flags(Builder *b, const InputNode *node) {
  int32_t *entries, *nodes;
  int n, given[3];
  EdgeCondition condition = held(node, given);
  TRY(builder_nodes(b, node, "on", &entries, &nodes, &n));
  Status status = OK;
  for (int k = 0; k < n && status == OK; k++) {
    Entry *entry = &b->entries[entries[k]];
    size_t n_nodes = (size_t)entry->mesh->n_nodes;
    if (entry->kind != BODY_FINITE) {
      diag_add(b->diag, input_pos(node, "on"),
               "hold is for bodies with kinematics=\"finite\" and sheets");
      break;
    }
    if (!entry->fixed) entry->fixed = mem_new(n_nodes * (size_t)b->dim, 1);
    if (!entry->edge) entry->edge = mem_new(n_nodes, 1);
    if (!entry->fixed || !entry->edge)
      status = err_set(b->err, ERR_SYSTEM, "out of memory: held nodes of '%s'", entry->name);
    for (int i = 0; i < b->dim && status == OK; i++)
      if (given[i]) entry->fixed[b->dim * nodes[k] + i] = 1;
    if (status == OK && condition != EDGE_FREE) entry->edge[nodes[k]] = (uint8_t)condition;
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
    int n;
    TRY(builder_nodes(b, node, "on", &entries, &nodes, &n));
    int given[3] = {0}, dim = b->dim;
    for (int i = 0; i < 3; i++)
      given[i] = input_given(node, axis_attr[i]) || input_given(node, axis_velocity[i]);
    if (!given[0] && !given[1] && !given[2])
      diag_add(b->diag, node->pos, "prescribe needs %s",
               dim == 2 ? "x, y, velocity_x or velocity_y" : "x, y, z or a velocity");
    Status status = OK;
    for (int k = 0; k < n && status == OK; k++) {
      Entry *entry = &b->entries[entries[k]];
      if (entry->material < 0) {
        diag_add(b->diag, input_pos(node, "on"), "'%s' is a %s: it moves by its move_x and move_y",
                 entry->name, entry->kind == BODY_TOOL ? "tool" : "support");
        break;
      }
      if (entry->kind != BODY_FINITE && (entry->kind == BODY_COROTATIONAL || entry->angle != 0)) {
        diag_add(b->diag, input_pos(node, "on"),
                 "'%s' is %s: prescribed nodes need small strains and angle 0", entry->name,
                 entry->kind == BODY_COROTATIONAL ? "co-rotational" : "rotated");
        break;
      }
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

static Status own_motion(Builder *b, const InputNode *node, int component, const Motion **out) {
  Model *model = b->model;
  Motion *motion;
  TRY(mem_grow((void **)&model->motions, &b->motion_capacity, (size_t)model->n_motions + 1,
               sizeof *model->motions, b->err));
  MEM_NEW(motion, 1, b->err);
  model->motions[model->n_motions++] = motion;
  *out = motion;
  return builder_motion(b, node, axis_attr[component], axis_velocity[component], motion);
}

static int compare_prescribed(const void *a, const void *b) {
  const PrescribedDof *x = a, *y = b;
  return x->node != y->node ? (x->node > y->node) - (x->node < y->node)
                            : x->component - y->component;
}

static Status build_prescribed(Builder *b) {
  BodySet *bs = &b->model->bodies;
  size_t capacity = 0;
  for (const InputNode *node = input_child(b->in->root, "prescribe"); node;
       node = input_next(node, "prescribe")) {
    NodeGroup group;
    TRY(builder_node_group(b, node, "on", &group));
    Status status = OK;
    for (int i = 0; i < b->dim && status == OK; i++) {
      const Motion *motion = NULL;
      if (!input_given(node, axis_attr[i]) && !input_given(node, axis_velocity[i])) continue;
      status = own_motion(b, node, i, &motion);
      if (status == OK)
        status = mem_grow((void **)&bs->prescribed, &capacity, (size_t)(bs->n_prescribed + group.n),
                          sizeof *bs->prescribed, b->err);
      for (int k = 0; status == OK && k < group.n; k++)
        bs->prescribed[bs->n_prescribed++] =
            (PrescribedDof){.node = group.node[k], .component = i, .motion = motion};
    }
    mem_free(group.node);
    mem_free(group.facet);
    TRY(status);
  }
  if (bs->n_prescribed > 0)
    qsort(bs->prescribed, (size_t)bs->n_prescribed, sizeof *bs->prescribed, compare_prescribed);
  for (int k = 1; k < bs->n_prescribed; k++)
    if (compare_prescribed(&bs->prescribed[k - 1], &bs->prescribed[k]) == 0) {
      int body = bs->body_of[bs->prescribed[k].node];
      diag_add(b->diag, bs->src[body], "a node of '%s' is prescribed twice in direction %s",
               bs->name[body], axis_attr[bs->prescribed[k].component]);
      break;
    }
  return OK;
}

// ---- loads ------------------------------------------------------------------------------------------

static Status build_gravity(Builder *b, const InputNode *node) {
  BodyGroup group = {0};
  if (input_given(node, "of")) TRY(builder_bodies(b, node, "of", &group.body, &group.n));
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
  TRY(builder_node_group(b, node, "on", &group));
  if (group.n > 0 && group.n_facets == 0)
    diag_add(b->diag, input_pos(node, "on"), "'%s' holds no %s of a boundary",
             input_text(node, "on"), b->dim == 2 ? "edge" : "face");
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

// ---- initial velocities -------------------------------------------------------------------------------

// Translation, and in the plane a rotation about the centre of mass.
static void start_body(Builder *b, const InputNode *node, int body) {
  const BodySet *bs = &b->model->bodies;
  int dim = bs->dim;
  double spin = input_real(node, "spin"), center[2] = {0};
  for (int k = bs->node_ptr[body]; k < bs->node_ptr[body + 1]; k++)
    for (int i = 0; i < 2; i++)
      center[i] += bodies_node_mass(bs, k) * bs->x[(size_t)k * dim + i] / bodies_mass(bs, body);
  for (int k = bs->node_ptr[body]; k < bs->node_ptr[body + 1]; k++) {
    const double *x = bs->x + (size_t)k * dim;
    double *to = b->model->v_start + (size_t)k * dim;
    for (int i = 0; i < dim; i++) to[i] = input_real(node, axis_attr[i]);
    to[0] -= spin * (x[1] - center[1]);
    to[1] += spin * (x[0] - center[0]);
    const uint8_t *fixed = b->entries[body].fixed;
    for (int i = 0; fixed && i < dim; i++)
      if (fixed[(k - bs->node_ptr[body]) * dim + i]) to[i] = 0;
  }
}

static Status build_velocity(Builder *b, const InputNode *node) {
  BodySet *bs = &b->model->bodies;
  int32_t *bodies;
  int n;
  if (!b->model->v_start) MEM_NEW(b->model->v_start, bs->n_nodes * bs->dim, b->err);
  TRY(builder_bodies(b, node, "of", &bodies, &n));
  for (int k = 0; k < n; k++) {
    int body = bodies[k];
    if (b->entries[body].material < 0) {
      diag_add(b->diag, input_pos(node, "of"), "'%s' is a %s: it moves by its move_x and move_y",
               bs->name[body], bs->kind[body] == BODY_TOOL ? "tool" : "support");
      continue;
    }
    start_body(b, node, body);
  }
  mem_free(bodies);
  return OK;
}

// ---- time and solver ----------------------------------------------------------------------------------

// Settings of the solver: defaults of its kind, then what the input gives.
static void build_solver(Builder *b) {
  static const double TOLERANCE = 1e-4; // of a time step, where the input names none
  const InputNode *node = input_child(b->in->root, "solver");
  StepSettings *steps = &b->model->steps;
  steps->solver = node ? solver_find(input_text(node, "type")) : solver_types[0];
  steps->solver_settings = solver_defaults(steps->solver);
  SolverSettings *settings = &steps->solver_settings;
  settings->tolerance = TOLERANCE;
  if (!node) return;
  settings->tolerance = input_real(node, "tolerance");
  settings->relaxation = input_real(node, "relaxation");
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
                           *const modes[] = {"auto", "delassus", "primal"};
  const InputNode *node = input_child(b->in->root, "newton");
  NewtonSettings *newton = &b->model->steps.newton;
  *newton = (NewtonSettings){.tolerance = 1e-6, .max_iterations = 30, .line_search = 1};
  if (!node) return;
  newton->tolerance = input_real(node, "tolerance");
  newton->max_iterations = input_integer(node, "max_iterations");
  newton->line_search = input_bool(node, "line_search");
  newton->update = strcmp(input_text(node, "geometry"), "updated") == 0;
  newton->statics = input_bool(node, "statics");
  for (int k = 0; k < 6; k++)
    if (strcmp(input_text(node, "matrix"), matrices[k]) == 0) newton->matrix = (NewtonMatrix)k;
  for (int k = 0; k < 3; k++)
    if (strcmp(input_text(node, "contact"), modes[k]) == 0) newton->contact = (ContactMode)k;
  if (newton->statics && b->model->steps.theta != 1)
    diag_add(b->diag, node->pos, "statics need theta = 1 in <time>");
}

void build_time(Builder *b) {
  static const char *const misses[] = {"continue", "cut", "stop"};
  const InputNode *time = input_child(b->in->root, "time");
  StepSettings *steps = &b->model->steps;
  *steps = (StepSettings){.start = input_real(time, "start"),
                          .end = input_real(time, "end"),
                          .h = input_real(time, "step"),
                          .theta = input_real(time, "theta"),
                          .max_cuts = input_integer(time, "max_cuts")};
  for (int k = 0; k < 3; k++)
    if (strcmp(input_text(time, "on_miss"), misses[k]) == 0) steps->on_miss = (MissPolicy)k;
  steps->h_min = input_given(time, "step_min") ? input_real(time, "step_min") : 0;
  steps->growth = input_real(time, "growth");
  build_newton(b);
  build_solver(b);
  if (!(steps->end > steps->start)) {
    diag_add(b->diag, input_pos(time, "end"), "end = %g s does not lie after start = %g s",
             steps->end, steps->start);
    return;
  }
  double n = (steps->end - steps->start) / steps->h;
  if (!(n < 1e12)) {
    diag_add(b->diag, input_pos(time, "step"),
             "step = %g s makes %g steps; at most 1e12 are possible", steps->h, n);
    return;
  }
  steps->n_steps = (int64_t)ceil(n - 1e-9); // round-off must not add a sliver of a step
}

Status build_drives(Builder *b) {
  static const struct {
    const char *element;
    Status (*build)(Builder *b, const InputNode *node);
  } makers[] = {{"gravity", build_gravity},
                {"force", build_force},
                {"pressure", build_pressure},
                {"velocity", build_velocity}};
  TRY(build_prescribed(b));
  for (const InputNode *node = input_child(b->in->root, NULL); node; node = input_next(node, NULL))
    for (size_t k = 0; k < sizeof makers / sizeof makers[0]; k++)
      if (strcmp(node->element->name, makers[k].element) == 0) TRY(makers[k].build(b, node));
  TRY(loads_finish(&b->model->loads, &b->model->bodies, b->err));
  return OK;
}
