#include <float.h>
#include <math.h>
#include <string.h>

#include "step/newton_internal.h"
#include "step/release.h"

// Lengths of an increment that are tried, at most.
enum { MOST_TRIALS = 6 };
// See relative_residual.
static const double SCALE_FLOOR = 1e-4;
// See take_increment.
static const double OVERSHOOT = 0.2, UNDERSHOOT = 0.5;
// A kept matrix is made anew when an iteration reduces the residual by less than this factor.
static const double SLOW = 0.3;
// Where a row of nodes leaves a fillet a sheet snaps over the next edge, and what a matrix says of
// nodes that touch and slide is true as long as edges turn by a degree: see newton_trust.
static const double LEAST_TURN = 1e-3, WORSE = 1.1, BETTER = 0.5; // [rad]; of the residual
// Flops of a solve by dense kernels over those of a factorisation: solves are bound by memory.
static const double SOLVE_COST = 4;
// The primal way is taken beyond this ratio of what W costs: it takes so many times the iterations.
static const double SAVED = 8;

// What an unknown's part of forces and tangent costs, in the same flops: 3 microseconds for plastic
// quadrilaterals; and the share of a tangent and its factors that is worth another way.
static const double TANGENT = 3e4, NOTED = 0.1;

// At theta = 1 the explicit choice knows the place where the step begins, and no rate there.
static Status check_rates(const Model *model, Err *err) {
  const BodySet *bs = &model->bodies;
  if (model->steps.newton.matrix != NEWTON_EXPLICIT || model->steps.theta < 1) return OK;
  for (int k = 0; k < bs->n_finite; k++) {
    const Material *material = bs->finite[k].form.spec.material;
    int body = bs->finite[k].body;
    if (material->type->rates)
      return err_set(err, ERR_INPUT,
                     "matrix=\"explicit\" knows no rates at theta = 1, and law '%s' of body '%s' "
                     "declared at %s:%d needs them: use theta = 0.5",
                     material->type->name, bs->name[body], bs->src[body].file, bs->src[body].line);
  }
  return OK;
}

// The choices without a factor converge for h omega < 1 only (J38, J39), and not without masses.
static Status check_matrix(NewtonWork *work, const Model *model, const State *state, Err *err) {
  const BodySet *bs = &model->bodies;
  const StepSettings *steps = &model->steps;
  Arena arena = {0};
  double omega;
  int body;
  if (newton_uses_factor(steps->newton.matrix)) return OK;
  for (int k = 0; k < bs->n_finite; k++)
    if (bs->finite[k].form.n_extra > 0)
      return err_set(
          err, ERR_INPUT,
          "the sheet '%s' has unknowns without mass: it needs a Newton matrix made of the tangent",
          bs->name[bs->finite[k].body]);
  if (steps->newton.statics)
    return err_set(err, ERR_INPUT, "statics need a Newton matrix made of the tangent");
  TRY(check_rates(model, err));
  FiniteIterate at = {.state = &state->bodies,
                      .size = {.t = state->t, .h = steps->h, .theta = steps->theta},
                      .u = state->bodies.q,
                      .config = state->bodies.config,
                      .internal = work->internal};
  Status status = finite_forces(bs, &work->system, &at, work->system.f1, 1, err);
  if (status == OK) status = finite_frequency(bs, &work->system, &arena, &omega, &body, err);
  arena_free(&arena);
  TRY(status);
  double h = fmax(steps->h, steps->h_max);
  if (h * omega < 1) return OK;
  return err_set(
      err, ERR_INPUT,
      "h omega = %.3g in body '%s' declared at %s:%d: this choice of Newton's matrix converges below 1 "
      "only, h < %.3g s",
      h * omega, bs->name[body], bs->src[body].file, bs->src[body].line, 1 / omega);
}

// Nodes without inertia feel one another at any step.
static Status check_contact(const Model *model, Err *err) {
  const NewtonSettings *settings = &model->steps.newton;
  if (!settings->statics || settings->contact != CONTACT_DIAGONAL) return OK;
  return err_set(
      err, ERR_INPUT,
      "contact=\"diagonal\" converges where the mass rules, at small steps: statics need "
      "delassus or primal");
}

// Without inertia a body that is not held has a singular matrix: contact must hold it, in the
// primal way's matrix or in its own by what contact holds. Bodies of small strains have neither.
static Status find_loose(NewtonWork *work, const Model *model, Err *err) {
  const BodySet *bs = &model->bodies;
  const NewtonSettings *settings = &model->steps.newton;
  for (int k = 0; k < bs->n_finite && settings->statics; k++) {
    int body = bs->finite[k].body, n = finite_loose(bs, k);
    if (n == 0) continue;
    if (bodies_any_linear(bs))
      return err_set(
          err, ERR_INPUT,
          "statics of body '%s' declared at %s:%d: nothing but contact holds it against %d rigid "
          "motions, which needs all bodies at finite strains",
          bs->name[body], bs->src[body].file, bs->src[body].line, n);
    if (!work->loose) MEM_NEW(work->loose, bs->n_finite, err);
    work->loose[k] = 1;
  }
  return OK;
}

// Bodies at finite strains and tools take iterations; in statics of elastic bodies tools that are
// not free are no more than supports. All others are linear in a step.
static int something_iterates(const Model *model) {
  const BodySet *bs = &model->bodies;
  int free = 0;
  for (int t = 0; t < bs->n_tools; t++)
    for (int i = 0; i < bs->dim; i++) free |= bs->tools[t].free[i];
  return bs->n_finite > 0 || free || (bs->n_tools > 0 && !model->steps.newton.statics);
}

Status newton_work_new(NewtonWork **out, const Model *model, const State *state, Err *err) {
  const BodySet *bs = &model->bodies;
  size_t n_nodes = (size_t)bs->n_nodes * (size_t)bs->dim;
  NewtonWork *work;
  MEM_NEW(*out, 1, err);
  work = *out;
  work->iterates = something_iterates(model);
  TRY(finite_system_init(&work->system, bs, err));
  size_t n = (size_t)work->system.n;
  for (size_t i = 0; i < n; i++) // a stage may damp the motion
    if (!bs->type[work->system.body[i]]->given) work->system.damping[i] += model->steps.damping;
  MEM_NEW(work->g, n, err);
  MEM_NEW(work->dv, n, err);
  MEM_NEW(work->hr, n, err);
  MEM_NEW(work->rate, n, err);
  MEM_NEW(work->b, n, err);
  MEM_NEW(work->column, n, err);
  MEM_NEW(work->u, n_nodes, err);
  MEM_NEW(work->v_try, n_nodes, err);
  MEM_NEW(work->config, bs->n_config, err);
  MEM_NEW(work->config_try, bs->n_config, err);
  MEM_NEW(work->internal, bs->n_internal, err);
  MEM_NEW(work->increment, n, err);
  MEM_NEW(work->compliance, bs->n_finite, err);
  MEM_NEW(work->block, bs->n_finite, err);
  MEM_NEW(work->block_capacity, bs->n_finite, err);
  MEM_NEW(work->node_index, bs->n_nodes, err);
  MEM_NEW(work->pulled, work->system.n - work->system.first_tool + 1, err);
  MEM_NEW(work->tools, bs->n_tools + 1, err);
  for (int k = 0; k < bs->n_finite && !work->pinch; k++) // also where tools that pressed are gone
    if (bs->finite[k].form.type->thickness) MEM_NEW(work->pinch, bs->n_nodes, err);
  if (contact_may_pinch(&model->contact, bs)) {
    MEM_NEW(work->pressed, bs->n_nodes, err);
    MEM_NEW(work->pressed_seen, bs->n_nodes, err);
    MEM_NEW(work->thick, bs->n_nodes, err);
  }
  if (!work->iterates) return OK;
  TRY(check_contact(model, err));
  TRY(find_loose(work, model, err));
  return check_matrix(work, model, state, err);
}

void newton_work_free(NewtonWork *work) {
  if (!work) return;
  for (int k = 0; work->block && k < work->system.n_matrices; k++) mem_free(work->block[k]);
  primal_free(work->primal);
  finite_system_free(&work->system);
  void *owned[] = {work->g,          work->dv,           work->hr,          work->b,
                   work->column,     work->columns_in,   work->columns_out, work->u,
                   work->v_try,      work->config,       work->config_try,  work->internal,
                   work->increment,  work->compliance,   work->block,       work->block_capacity,
                   work->node_index, work->loose,        work->rate,        work->pinch,
                   work->pressed,    work->pressed_seen, work->thick,       work->pulled,
                   work->tools};
  for (size_t k = 0; k < sizeof owned / sizeof owned[0]; k++) mem_free(owned[k]);
  mem_free(work);
}

int newton_iterates(const NewtonWork *work) {
  return work->iterates;
}

int newton_unknown(const BodySet *bs, const FiniteSystem *system, int node, int i) {
  int body = bs->body_of[node], first = system->first_of[body];
  return first < 0 ? -1 : first + (node - bs->node_ptr[body]) * bs->dim + i;
}

// ---- residual -----------------------------------------------------------------------------------

void newton_gather(const FiniteSystem *system, const double *nodes, double *x) {
  for (int i = 0; i < system->n; i++) x[i] = system->dof[i] >= 0 ? nodes[system->dof[i]] : 0;
}

// g(v) from f0, f1 as they stand.
static void residual(const NewtonStep *step, NewtonWork *work, const double *v,
                     NewtonScale *scale) {
  const FiniteSystem *system = &work->system;
  const double *v0 = step->state->bodies.v;
  double h = step->contact.size.h, theta = step->contact.size.theta;
  int statics = step->model->steps.newton.statics;
  *scale = (NewtonScale){0};
  for (int i = 0; i < system->n; i++) {
    int dof = system->dof[i];
    double force = h * (theta * system->f1[i] + (1 - theta) * system->f0[i]), sum = 0;
    if (system->fixed[i]) {
      work->g[i] = 0;
      scale->force += force * force; // the reaction of a support is a measure of forces too
      continue;
    }
    if (dof >= 0) {
      double inertia = 0, load = h * step->p[dof];
      if (!statics && !system->massless[i])
        inertia =
            system->mass[i] *
            (v0[dof] - v[dof] - h * system->damping[i] * (theta * v[dof] + (1 - theta) * v0[dof]));
      scale->inertia += inertia * inertia;
      scale->load += load * load;
      sum = inertia + load;
    } else {
      force = h * theta * system->f1[i]; // extra unknowns: equilibrium at the end
    }
    scale->force += dof >= 0 ? force * force : 0;
    work->g[i] = sum - force;
  }
}

// Impulses below this many units in the last place of the lengths that strains are made of, times
// the stiffness, are round-off.
static const double ROUND_OFF = 2 * DBL_EPSILON;

// The largest of these lengths in finite body k at displacements u: solids take gradients of
// displacements, on an edge of one at least; sheets differences of places.
static double rounded_length(const NewtonStep *step, int k, const double *u) {
  const BodySet *bs = &step->model->bodies;
  int body = bs->finite[k].body, sheet = bs->type[body]->sheet;
  double most = step->model->contact.skin.longest;
  for (int i = bs->node_ptr[body] * bs->dim; i < bs->node_ptr[body + 1] * bs->dim; i++)
    most = fmax(most, fabs((sheet ? bs->x[i] : 0) + u[i]));
  return most;
}

// What rounding makes of the impulses of a body that has no stress at displacements u: none of it
// can be iterated away.
static double round_off(const NewtonStep *step, const NewtonWork *work, const double *u) {
  const FiniteSystem *system = &work->system;
  double sum = 0, edge = step->model->contact.skin.longest;
  for (int k = 0; k < system->n_matrices; k++) {
    const Sparse *stiffness = &system->matrix[k].stiffness;
    double length = rounded_length(step, k, u);
    for (int i = 0; i < stiffness->n; i++) {
      double own = length * stiffness->val[sparse_find(stiffness, i, i)];
      if (system->dof[system->matrix[k].first + i] < 0) own /= edge; // angles and directors
      sum += own * own;
    }
  }
  return ROUND_OFF * step->contact.size.h * step->contact.size.theta * sqrt(sum);
}

// |g + H r| over its largest term, or a share of the largest that the step (a stage that comes to
// rest) has *seen: in a state without stress all terms are round-off.
double newton_relative_residual(const NewtonWork *work, const NewtonScale *scale, double least,
                                double *seen) {
  const FiniteSystem *system = &work->system;
  double sum = 0, contact = 0;
  for (int i = 0; i < system->n; i++) {
    contact += work->hr[i] * work->hr[i];
    if (system->fixed[i]) continue;
    double res = work->g[i] + work->hr[i];
    sum += res * res;
  }
  double largest = fmax(fmax(scale->force, scale->load), fmax(scale->inertia, contact));
  *seen = fmax(*seen, largest);
  largest = fmax(fmax(largest, SCALE_FLOOR * SCALE_FLOOR * *seen), least * least);
  if (!isfinite(sum)) return (double)INFINITY;
  return sum > 0 ? sqrt(sum / largest) : 0;
}

// ---- the loop -----------------------------------------------------------------------------------

// Displacements u at velocities v.
static void displacements(const NewtonStep *step, const double *v, double *u) {
  dynamics_advance(&step->model->bodies, &step->state->bodies, step->contact.size, v, u);
}

// Force and stiffness of what holds unknown i while tools let go. [N], [N/m]
static double spring(const NewtonStep *step, const NewtonWork *work, int i, const double *u,
                     double *stiffness) {
  int dof = work->system.dof[i];
  *stiffness = 0;
  if (!work->springs || dof < 0 || work->system.fixed[i]) return 0;
  *stiffness = work->springs[dof / step->model->bodies.dim];
  return *stiffness * (u[dof] - step->state->formed[dof]);
}

static void add_springs(const NewtonStep *step, NewtonWork *work, double *f, int tangent) {
  const FiniteSystem *system = &work->system;
  for (int k = 0; k < system->n_matrices && work->springs; k++) {
    const FiniteMatrix *m = &system->matrix[k];
    for (int i = 0; i < m->n; i++) {
      double stiffness;
      f[m->first + i] += spring(step, work, m->first + i, work->u, &stiffness);
      if (tangent) m->stiffness.val[sparse_find(&m->stiffness, i, i)] += stiffness;
    }
  }
}

static Status forces_at(NewtonStep *step, NewtonWork *work, const double *v, double *config,
                        double *f, int tangent, Err *err) {
  displacements(step, v, work->u);
  FiniteIterate at = {.state = &step->state->bodies,
                      .size = step->contact.size,
                      .u = work->u,
                      .config = config,
                      .internal = work->internal,
                      .pinch = work->pinch};
  TRY(finite_forces(&step->model->bodies, &work->system, &at, f, tangent, err));
  add_springs(step, work, f, tangent);
  return OK;
}

// Forces at the start of the step, for theta < 1; sheets are pressed as they were.
static Status forces_at_start(NewtonStep *step, NewtonWork *work, Err *err) {
  const BodyState *state = &step->state->bodies;
  FiniteIterate at = {.state = state,
                      .size = step->contact.size,
                      .u = state->q,
                      .config = state->config,
                      .internal = work->internal};
  return finite_forces(&step->model->bodies, &work->system, &at, work->system.f0, 0, err);
}

static Status keep_row(StepWork *work, NewtonRow row, Err *err) {
  TRY(mem_grow((void **)&work->newton_row, &work->newton_row_capacity,
               (size_t)work->n_newton_rows + 1, sizeof row, err));
  work->newton_row[work->n_newton_rows++] = row;
  return OK;
}

// What contacts join: a body and a tool that yields, two bodies, a body with itself.
enum { JOINS_NONE, JOINS_TOOLS, JOINS_BODIES, JOINS_ITSELF };

static int joins(const NewtonStep *step) {
  const BodySet *bs = &step->model->bodies;
  const Contact *contact = contact_list(step->work->contact);
  int most = JOINS_NONE;
  for (int c = 0; c < contact_count(step->work->contact); c++) {
    const int32_t body[2] = {contact[c].side[0].body, contact[c].side[1].body};
    if (body[0] == body[1]) return JOINS_ITSELF;
    if (bs->type[body[0]]->iterated && bs->type[body[1]]->iterated)
      most = JOINS_BODIES;
    else if (most == JOINS_NONE && bodies_yields(bs, body[0]) && bodies_yields(bs, body[1]))
      most = JOINS_TOOLS;
  }
  return most;
}

// Solves with w for W, against the factors of what the primal way has in one matrix: all bodies
// that touch one another. W takes fewer iterations, and where many small blocks lie on one another,
// with more contacts than motions, only W gets through. Of the counts that are known before:
// contacts, unknowns, those without mass. A body that touches itself has contacts from both sides,
// which take the solver many sweeps. A body in motion that meets what does not yield takes as many
// iterations by either: there W's columns are too much already as a share of the tangent's work.
static int wants_primal(const NewtonStep *step, NewtonWork *work) {
  const BodySet *bs = &step->model->bodies;
  const NewtonSettings *settings = &step->model->steps.newton;
  int join = joins(step), joined = join >= JOINS_BODIES;
  double solves = 0, makes = 0, all = 0;
  // What contact alone holds in statics has no W of its own: against a tool that yields too, both
  // go away together.
  if ((work->loose && join != JOINS_NONE) || join == JOINS_ITSELF) return 1;
  delassus_number_nodes(step, work);
  for (int k = 0; k < bs->n_finite; k++) {
    double n = work->system.matrix[k].n;
    if (bs->finite[k].form.n_extra > 0) return 1; // sheets: contact all over, soft in bending
    solves += SOLVE_COST * work->compliance[k].n * bs->dim * n * sqrt(n);
    makes += n * n;
    all += n;
  }
  if (join == JOINS_NONE && !settings->statics && settings->matrix == NEWTON_FULL &&
      solves > NOTED * (makes + TANGENT * all))
    return 1;
  return solves > SAVED * (joined ? all * all : makes);
}

// The way of contact that this step takes.
static const ContactWay *choose_way(const NewtonStep *step, NewtonWork *work) {
  const NewtonSettings *settings = &step->model->steps.newton;
  ContactMode mode = settings->contact;
  if (!work->iterates || bodies_any_linear(&step->model->bodies)) return &way_delassus;
  if (mode == CONTACT_DIAGONAL) return &way_diagonal;
  if (!newton_uses_factor(settings->matrix)) return &way_delassus;
  int primal = mode == CONTACT_PRIMAL || (mode == CONTACT_AUTO && wants_primal(step, work));
  return primal ? &way_primal : &way_delassus;
}

// The iterate moves by `length` times dv: velocities and configurations.
static void move(NewtonStep *step, NewtonWork *work, double length, const double *v) {
  const BodySet *bs = &step->model->bodies;
  const FiniteSystem *system = &work->system;
  memcpy(work->v_try, v, sizeof *v * (size_t)bs->n_nodes * (size_t)bs->dim);
  for (int i = 0; i < system->n; i++)
    if (system->dof[i] >= 0) work->v_try[system->dof[i]] += length * work->dv[i];
  finite_advance(bs, system, step->contact.size, length, work->dv, work->config, work->config_try,
                 work->increment);
}

// Impulses on the nodes of the system from r.
void newton_spread(NewtonStep *step, NewtonWork *work, const double *r) {
  const BodySet *bs = &step->model->bodies;
  memset(step->impulse, 0, sizeof(double) * (size_t)bs->n_nodes * (size_t)bs->dim);
  contact_add_impulses(step->work->contact, r, step->impulse);
  newton_gather(&work->system, step->impulse, work->hr);
}

double newton_slope(const NewtonWork *work) {
  const FiniteSystem *system = &work->system;
  double sum = 0;
  for (int i = 0; i < system->n; i++)
    if (!system->fixed[i]) sum += work->dv[i] * (work->g[i] + work->hr[i]);
  return sum;
}

// Residual, impulses and contact error at `length` times the increment.
static Status try_length(NewtonStep *step, NewtonWork *work, NewtonLoop *loop, double length,
                         int tangent, Err *err) {
  move(step, work, length, step->v1);
  TRY(forces_at(step, work, work->v_try, work->config_try, work->system.f1, tangent, err));
  residual(step, work, work->v_try, &loop->scale);
  loop->way->tried(step, work, loop);
  newton_spread(step, work, loop->r_try);
  loop->relative = newton_relative_residual(work, &loop->scale, loop->least, &loop->seen);
  return OK;
}

// The part of the increment that turns sheets no farther than they may.
static double first_length(const NewtonStep *step, const NewtonWork *work, NewtonLoop *loop) {
  if (contact_count(step->work->contact) == 0 && !work->springs) return 1;
  double turn = finite_turn(&step->model->bodies, &work->system, step->contact.size, work->dv);
  loop->turned = fmin(turn, loop->turn);
  return turn > loop->turn ? loop->turn / turn : 1;
}

// Takes the increment as far as sheets may turn, elements stand it and the residual does not push
// back along it by more than OVERSHOOT of what it pushed at the start; a shorter one until the push
// is down to UNDERSHOOT (Matthies and Strang 1979).
static Status take_increment(NewtonStep *step, NewtonWork *work, NewtonLoop *loop, int tangent,
                             double *length, Err *err) {
  const BodySet *bs = &step->model->bodies;
  const NewtonSettings *settings = &step->model->steps.newton;
  const double whole = first_length(step, work, loop);
  double start = loop->slope, low = 0, high = whole, at_low = start, at_high = 0; // and slopes
  *length = whole;
  for (int k = 0;; k++) {
    Status status = try_length(step, work, loop, *length, tangent, err);
    if (status != OK && (status != ERR_NUMERIC || k == MOST_TRIALS || !settings->line_search))
      return status;
    double end = status == OK ? newton_slope(work) : (double)NAN;
    if (status != OK) err_clear(err);
    if (status == OK && (!settings->line_search || k == MOST_TRIALS || !(start > 0))) break;
    if (isfinite(end) && end >= -OVERSHOOT * start &&
        (*length == whole || end <= UNDERSHOOT * start))
      break;
    if (isfinite(end) && end > 0) {
      low = *length;
      at_low = end;
    } else {
      high = *length;
      at_high = end;
    }
    double share = isfinite(at_high) && at_high < 0 ? at_low / (at_low - at_high) : 0.5;
    *length = low + (high - low) * fmin(0.9, fmax(0.1, share));
  }
  if (loop->way->taken) loop->way->taken(step, work, loop, *length);
  memcpy(step->v1, work->v_try, sizeof(double) * (size_t)bs->n_nodes * (size_t)bs->dim);
  memcpy(work->config, work->config_try, sizeof(double) * (size_t)bs->n_config);
  for (int i = 0; i < work->system.n; i++) work->rate[i] += *length * work->dv[i];
  return OK;
}

// Tools without mass are in equilibrium within this share of their load, whatever the forces of the
// sheet are, and where a second increment finds them: by the first alone gaps are left that their
// force, the largest of all, closes later, with work of it.
static const double TOOL_BALANCE = 5e-3;
enum { LEAST_WITH_TOOLS = 2 };

static int tools_balance(const NewtonStep *step, const NewtonWork *work, const NewtonLoop *loop) {
  const FiniteSystem *system = &work->system;
  double h = step->contact.size.h;
  for (int i = system->first_tool; i < system->n; i++)
    if (system->massless[i] && step->p[system->dof[i]] != 0 && // else it rests where it is
        (loop->iterations < LEAST_WITH_TOOLS ||
         fabs(work->g[i] + work->hr[i]) > TOOL_BALANCE * fabs(h * step->p[system->dof[i]])))
      return 0;
  return 1;
}

// Of the tolerance, where friction drops once a contact slips: what sticks by an error of this step
// is held by more in the next. A block that slides (0.6, then 0.18) was held by 2.7 times what it
// should at the tolerance of 1e-3, and is right from 1e-4 on.
static const double DROPS_SHARE = 0.01;

static int converged(const NewtonStep *step, const NewtonWork *work, const NewtonLoop *loop) {
  const StepSettings *steps = &step->model->steps;
  double error = loop->way->error(work, loop);
  double wanted = steps->solver_settings.tolerance;
  if (step->model->contact.drops) wanted *= DROPS_SHARE;
  return loop->relative <= steps->newton.tolerance && error <= wanted &&
         tools_balance(step, work, loop);
}

// Loose bodies under loads must touch something, with laws that can hold them.
static Status check_loose(const NewtonStep *step, const NewtonWork *work, int primal, Err *err) {
  const BodySet *bs = &step->model->bodies;
  const Contact *contact = contact_list(step->work->contact);
  for (int k = 0; k < bs->n_finite && work->loose; k++) {
    int body = bs->finite[k].body, touches = 0, pulled = 0;
    if (!work->loose[k]) continue;
    for (int c = 0; c < contact_count(step->work->contact) && !touches; c++)
      touches = contact[c].side[0].body == body || contact[c].side[1].body == body;
    for (int i = bs->node_ptr[body] * bs->dim; i < bs->node_ptr[body + 1] * bs->dim; i++)
      pulled |= step->p[i] != 0;
    if (primal && (touches || !pulled)) continue;
    return err_set(
        err, step->state->step == 0 ? ERR_INPUT : ERR_NUMERIC,
        "statics of body '%s' declared at %s:%d: %s", bs->name[body], bs->src[body].file,
        bs->src[body].line,
        primal
            ? "loads act on it, but it touches nothing and is not held: it has no place of rest"
            : "nothing but contact holds it, by a law that acts in parallel: this needs inertia");
  }
  return OK;
}

static Status begin(NewtonStep *step, NewtonWork *work, NewtonLoop *loop, Err *err) {
  const BodySet *bs = &step->model->bodies;
  StepWork *sw = step->work;
  size_t n_nodes = (size_t)bs->n_nodes * (size_t)bs->dim;
  int n = contact_count(sw->contact) * bs->dim;
  double theta = step->contact.size.theta;
  memcpy(step->v1, step->v_free, sizeof(double) * n_nodes);
  // Unknowns without mass go on as in the last step, as the nodes do.
  finite_rates_of_state(bs, &work->system, step->state->bodies.extra, work->rate);
  finite_advance(bs, &work->system, step->contact.size, 1, work->rate, step->state->bodies.config,
                 work->config, work->increment);
  sw->report.solver.iterations = 0;
  work->held = work->springs = NULL;
  work->rounding = 0;
  if (release_frees(step->model, step->state, sw))
    TRY(release_springs(step->model, step->state, step->contact.size, &work->springs, &sw->arena,
                        err));
  loop->way = choose_way(step, work);
  ARENA_NEW(loop->r_try, n + 1, &sw->arena, err);
  step->r = NULL;
  if (!work->iterates) return OK; // nothing to begin with but what contacts remember
  TRY(contact_laws(&step->contact, step->v1, &sw->problem, &step->r, &sw->arena, err));
  if (sw->problem.a && !loop->way->factorise) loop->way = &way_delassus; // laws in parallel need W
  TRY(check_loose(step, work, !sw->problem.a, err));
  memcpy(loop->r_try, step->r, sizeof(double) * (size_t)n);
  if (loop->way->begin) TRY(loop->way->begin(step, work, err));
  if (theta < 1 && step->model->steps.newton.matrix != NEWTON_EXPLICIT)
    TRY(forces_at_start(step, work, err));
  return OK;
}

static void accept(NewtonStep *step, const NewtonLoop *loop, int iterations) {
  StepWork *sw = step->work;
  step_phase(sw, PHASE_SOLVE);
  size_t n = (size_t)contact_count(sw->contact) * (size_t)step->model->bodies.dim;
  if (n > 0) memcpy(step->r, loop->r_try, sizeof(double) * n);
  sw->report.residual = fmax(sw->report.residual, loop->relative);
  sw->report.force = fmax(sw->report.force, sqrt(loop->seen) / step->contact.size.h);
  if (!loop->way->factorise) sw->report.solver.iterations = iterations;
  displacements(step, step->v1, step->q1);
}

// The explicit choice: forces where contacts are seen too, at q0 + h (1 - theta) v0, one solve,
// nothing to iterate. Drift, kick, drift: central differences at theta = 1/2. Both forces of the
// system are then that one.
static Status explicit_step(NewtonStep *step, NewtonWork *work, NewtonLoop *loop, Err *err) {
  const BodySet *bs = &step->model->bodies;
  const BodyState *state = &step->state->bodies;
  FiniteSystem *system = &work->system;
  StepSize size = step->contact.size;
  size_t n_nodes = (size_t)bs->n_nodes * (size_t)bs->dim;
  double lead = size.h * (1 - size.theta);
  for (size_t k = 0; k < n_nodes; k++) work->u[k] = state->q[k] + lead * state->v[k];
  FiniteIterate at = {.state = state,
                      .size = {.t = size.t, .h = lead, .theta = size.theta},
                      .u = work->u,
                      .config = work->config,
                      .internal = work->internal,
                      .pinch = work->pinch};
  TRY(finite_forces(bs, system, &at, system->f0, 0, err));
  memcpy(system->f1, system->f0, sizeof(double) * (size_t)system->n);
  residual(step, work, step->v1, &loop->scale);
  TRY(loop->way->increment(step, work, loop, err));
  newton_spread(step, work, loop->r_try);
  newton_relative_residual(work, &loop->scale, 0,
                           &loop->seen); // the largest force; nothing is left over
  move(step, work, 1, step->v1);
  memcpy(step->v1, work->v_try, sizeof(double) * n_nodes);
  memcpy(work->config, work->config_try, sizeof(double) * (size_t)bs->n_config);
  TRY(forces_at(step, work, step->v1, work->config, work->b, 0, err)); // internal variables alone
  step->work->report.newton++;
  accept(step, loop, step->work->report.solver.iterations);
  return OK;
}

int newton_tangent_next(const NewtonSettings *settings, const NewtonLoop *loop) {
  int soon = loop->relative * loop->relative <= 1e-2 * settings->tolerance;
  int enough = loop->relative <= settings->tolerance; // only contacts are left to finish
  return settings->matrix == NEWTON_FULL && !(soon && (enough || !loop->slow));
}

// Forces at the first iterate; the tangent with them unless one is kept from an earlier step.
static Status first_forces(NewtonStep *step, NewtonWork *work, NewtonLoop *loop, Err *err) {
  NewtonMatrix matrix = step->model->steps.newton.matrix;
  double h = step->contact.size.h;
  int known = matrix == NEWTON_KEPT && work->kept_h == h;
  if (matrix == NEWTON_KEPT && !known)
    known = finite_take_kept(&work->system, h, step->state->bodies.kept);
  if (known && !work->factored) loop->refresh = 1; // its factors are made once more
  // The bound on rounding needs a tangent of this step, whatever the increments go by.
  TRY(forces_at(step, work, step->v1, work->config, work->system.f1, !known, err));
  if (!known && matrix != NEWTON_MASS) loop->refresh = 1;
  return OK;
}

// The tangent at the iterate, and the factors of it where contacts are solved by W.
static Status refresh(NewtonStep *step, NewtonWork *work, NewtonLoop *loop, Err *err) {
  loop->refresh = 0;
  if (step->model->steps.newton.matrix == NEWTON_KEPT) {
    work->kept_h = step->contact.size.h;
    finite_keep(&work->system, work->kept_h, step->state->bodies.kept);
  }
  work->factored = loop->way->factorise != NULL;
  return loop->way->factorise ? loop->way->factorise(step, work, err) : OK;
}

// The body with the largest residual.
static const char *worst_body(const NewtonStep *step, const NewtonWork *work) {
  const FiniteSystem *system = &work->system;
  double most = -1;
  int body = 0;
  for (int i = 0; i < system->n; i++) {
    double res = system->fixed[i] ? 0 : fabs(work->g[i] + work->hr[i]);
    if (!(res > most)) continue;
    most = res;
    body = system->body[i];
  }
  return step->model->bodies.name[body];
}

// What presses sheets at the iterate: the mean over the step of their pressures, so that contact
// takes up the work that these do. Returns how far it is from what contacts have seen, over the
// largest.
static double find_pressure(NewtonStep *step, NewtonWork *work) {
  const BodySet *bs = &step->model->bodies;
  double moved = 0, most = 0;
  for (int k = 0; k < bs->n_finite && work->pressed; k++) {
    const FiniteBody *body = &bs->finite[k];
    const Form *form = &body->form;
    int first = bs->node_ptr[body->body];
    if (!form->type->thickness) continue;
    form->type->thickness(form, work->config + body->config, work->internal + body->internal,
                          work->pinch + first, work->thick + first, work->pressed + first);
    for (int i = first; i < first + form->n_nodes; i++) {
      work->pressed[i] = 0.5 * (work->pressed[i] + step->state->bodies.pressed[i]);
      moved = fmax(moved, fabs(work->pressed[i] - work->pressed_seen[i]));
      most = fmax(most, fabs(work->pressed[i]));
    }
  }
  return moved > 0 ? moved / fmax(moved, most) : 0;
}

// Contacts see it. Returns whether any of them does otherwise than before.
static int press_again(NewtonStep *step, NewtonWork *work) {
  memcpy(work->pressed_seen, work->pressed, sizeof(double) * (size_t)step->model->bodies.n_nodes);
  return contact_give_way(&step->contact, work->pinch, work->pressed);
}

// Geometry of the contacts at the iterate, and what their laws make of it.
static Status update_contacts(NewtonStep *step, NewtonWork *work, NewtonLoop *loop, Err *err) {
  displacements(step, step->v1, work->u);
  if (step->model->steps.newton.update) contact_update(&step->contact, work->u, step->v1);
  int pressed = work->pressed && press_again(step, work);
  int changed = step->model->steps.newton.update || pressed;
  return changed && loop->way->update ? loop->way->update(step, work, err) : OK;
}

// Less of its load than this bears a tool that nothing presses back.
static const double BEARS_NOTHING = 1e-2;

// The unknown of a tool without mass that what it touches, if anything, does not hold against its
// load; -1: none.
static int floating_tool(const NewtonStep *step, const NewtonWork *work) {
  const FiniteSystem *system = &work->system;
  for (int i = system->first_tool; i < system->n; i++) {
    double load = step->contact.size.h * step->p[system->dof[i]];
    if (system->massless[i] && load != 0 && -work->hr[i] / load < BEARS_NOTHING) return i;
  }
  return -1;
}

static Status floats(const NewtonStep *step, int unknown, Err *err) {
  const BodySet *bs = &step->model->bodies;
  int dof = step->work->newton->system.dof[unknown], body = bs->body_of[dof / bs->dim];
  return err_set(err, ERR_NUMERIC,
                 "tool '%s' declared at %s:%d has no mass, a force of %.3g N along %c in the step "
                 "to t = %.6g s, and nothing to press on that way: nothing presses back. Place it "
                 "where it touches, turn the force, or give it a mass",
                 bs->name[body], bs->src[body].file, bs->src[body].line, step->p[dof],
                 "xyz"[dof % bs->dim], step -> contact.size.t + step->contact.size.h);
}

// What keeps tools without mass regular in Newton's matrix, of the mean stiffness of the nodes of
// sheets and bodies: they move on as contacts close and open, and do not run to and fro between
// them. It is no part of the residual. On a flange that lies hollow it is all that slows a tool
// down (by 0.9 an iteration), so it falls where tools come slowly, by more than half of what they
// lacked; it rises where they run past.
static const double TOOL_DRAG = 1e-1, DRAG_FALLS = 0.3, DRAG_RISES = 3;
static const double COMES_SLOWLY = 0.5, RUNS_PAST = -0.2;

// Share that is left of what tools without mass lacked before the last increment; < 0: they ran
// past.
static double tools_lack(NewtonWork *work) {
  const FiniteSystem *system = &work->system;
  const int first = system->first_tool, n = system->n - first;
  double along = 0, before = 0;
  for (int i = 0; i < n; i++) {
    if (!system->massless[first + i]) continue;
    double now = work->g[first + i] + work->hr[first + i];
    along += now * work->pulled[i];
    before += work->pulled[i] * work->pulled[i];
    work->pulled[i] = now;
  }
  return before > 0 ? along / before : 0;
}

static void drag_tools(const NewtonStep *step, NewtonWork *work, NewtonLoop *loop) {
  FiniteSystem *system = &work->system;
  double sum = 0, h = step->contact.size.h * step->contact.size.theta;
  double lack = tools_lack(work);
  if (loop->iterations == 0)
    loop->drag = TOOL_DRAG;
  else if (lack > COMES_SLOWLY)
    loop->drag *= DRAG_FALLS;
  else if (lack < RUNS_PAST)
    loop->drag = fmin(TOOL_DRAG, DRAG_RISES * loop->drag);
  const int first = system->first_tool;
  int n = 0;
  for (int k = 0; k < system->n_matrices; k++) {
    const FiniteMatrix *m = &system->matrix[k];
    for (int i = 0; i < m->n && system->dof[m->first + i] >= 0; i++, n++)
      sum += m->stiffness.val[sparse_find(&m->stiffness, i, i)];
  }
  for (int i = first; i < system->n && sum > 0; i++)
    if (system->massless[i]) system->mass[i] = loop->drag * h * h * sum / n;
}

// Contacts must have seen the pressure of sheets within this share of the largest: their forces are
// as wrong as it is.
static const double MOST_UNSEEN = 1e-2;

// The residual where the step begins.
static Status first_residual(NewtonStep *step, NewtonWork *work, NewtonLoop *loop, Err *err) {
  NewtonScale scale;
  if (!work->iterates) return OK;
  TRY(first_forces(step, work, loop, err));
  work->rounding = round_off(step, work, work->u);
  loop->least = work->rounding / step->model->steps.newton.tolerance;
  residual(step, work, step->v1, &scale);
  newton_spread(step, work, loop->r_try);
  loop->relative = newton_relative_residual(work, &scale, loop->least, &loop->seen);
  return OK;
}

// Within so many tolerances when its iterations are over, Newton's method gets as many again: half
// a step twice costs more.
static const double NEAR = 100;

static int goes_on(const NewtonSettings *settings, const NewtonLoop *loop) {
  int most = settings->max_iterations;
  if (loop->iterations == most) return loop->relative <= NEAR * settings->tolerance;
  return loop->iterations < 2 * most;
}

void newton_trust(NewtonLoop *loop, double before) {
  if (loop->relative > WORSE * before)
    loop->turn = fmax(LEAST_TURN, 0.5 * loop->turned);
  else if (loop->relative < BETTER * before)
    loop->turn *= 2;
}

static Status iterate(NewtonStep *step, NewtonWork *work, NewtonLoop *loop, Err *err) {
  const NewtonSettings *settings = &step->model->steps.newton;
  StepSize size = step->contact.size;
  TRY(first_residual(step, work, loop, err));
  for (int k = 1; goes_on(settings, loop); k++) {
    double length, before = loop->relative;
    TRY(step_ask(step->work, err));
    drag_tools(step, work, loop);
    if (loop->refresh) TRY(refresh(step, work, loop, err));
    TRY(loop->way->increment(step, work, loop, err));
    if (!work->iterates) { // the increment was exact
      accept(step, loop, k);
      return OK;
    }
    int next = newton_tangent_next(settings, loop);
    TRY(take_increment(step, work, loop, next, &length, err));
    TRY(keep_row(step->work, (NewtonRow){size.t, size.h, k, before, loop->error, length}, err));
    step->work->report.newton++;
    loop->iterations = k;
    loop->slow = loop->relative > SLOW * before;
    newton_trust(loop, before);
    double unseen = find_pressure(step, work);
    if (converged(step, work, loop) && unseen <= MOST_UNSEEN) {
      accept(step, loop, k);
      return OK;
    }
    if (settings->update || work->pressed) TRY(update_contacts(step, work, loop, err));
    int slow = settings->matrix == NEWTON_KEPT && loop->slow;
    // An iterate that was about to converge, and has contacts to finish, keeps the tangent before
    // it where that is most of the cost: in sheets.
    int remake = settings->matrix == NEWTON_FULL && !next && step->model->bodies.n_extra == 0;
    if (remake || slow) TRY(forces_at(step, work, step->v1, work->config, work->system.f1, 1, err));
    loop->refresh = settings->matrix == NEWTON_FULL || slow;
  }
  int unknown = floating_tool(step, work);
  if (unknown >= 0) return floats(step, unknown, err);
  return err_set(err, ERR_NUMERIC,
                 "Newton's method did not converge in %d iterations: residual %.2g of the forces "
                 "(tolerance %.2g), contact error %.2g, worst in body '%s'",
                 loop->iterations, loop->relative, settings->tolerance, loop->error,
                 worst_body(step, work));
}

// Statuses that are decided but once an increment may throw a body about where much is to close at
// once. In statics a step that is cut goes another way (of plastic strain), so there it is taken
// again with statuses that fit each increment; in motion shorter steps are the better answer, and
// where geometry follows the iterates, or in sheets, whose contacts close all over, it is cut.
static int may_be_careful(const NewtonStep *step, const NewtonWork *work, const NewtonLoop *loop) {
  const NewtonSettings *settings = &step->model->steps.newton;
  return loop->way == &way_primal && settings->statics && !settings->update && !work->pressed &&
         step->model->bodies.n_extra == 0;
}

Status newton_solve(NewtonStep *step, Err *err) {
  NewtonWork *work = step->work->newton;
  double known = step->contact.size.h * step->state->stage_value[STAGE_FORCE];
  const NewtonLoop fresh = {.seen = known * known,
                            .changed = 1, // who does not tell: as if some had
                            .turn = (double)INFINITY};
  NewtonLoop loop = fresh;
  if (work->pressed) {
    contact_pinch(&step->contact, step->v_free, work->pinch);
    memcpy(work->pressed_seen, step->state->bodies.pressed,
           sizeof(double) * (size_t)step->model->bodies.n_nodes);
  }
  work->careful = 0;
  TRY(begin(step, work, &loop, err));
  if (work->iterates && step->model->steps.newton.matrix == NEWTON_EXPLICIT)
    return explicit_step(step, work, &loop, err);
  Status status = iterate(step, work, &loop, err);
  if (status != ERR_NUMERIC || !may_be_careful(step, work, &loop)) return status;
  err_clear(err);
  work->careful = 1;
  loop = fresh;
  TRY(begin(step, work, &loop, err));
  return iterate(step, work, &loop, err);
}

// ---- the end of the step ------------------------------------------------------------------------

Status newton_end(NewtonStep *step, BodyState *after, StepEnergy *energy, double *totals,
                  double *support, Err *err) {
  const BodySet *bs = &step->model->bodies;
  NewtonWork *work = step->work->newton;
  const FiniteSystem *system = &work->system;
  const BodyState *state = &step->state->bodies;
  double h = step->contact.size.h, theta = step->contact.size.theta;
  int statics = step->model->steps.newton.statics;
  int explicit = step->model->steps.newton.matrix == NEWTON_EXPLICIT;
  double internal_work = 0, square = 0;
  if (!work->iterates) return OK;
  for (int i = 0; i < system->n; i++) {
    int dof = system->dof[i];
    if (dof < 0) continue;
    double v0 = state->v[dof], v1 = step->v1[dof], v_theta = theta * v1 + (1 - theta) * v0;
    double mass = statics || system->massless[i] ? 0 : system->mass[i], dv = v1 - v0;
    square += v_theta * v_theta;
    double damping = h * system->damping[i] * mass * (explicit ? v0 : v_theta);
    energy->kinetic += 0.5 * mass * v1 * v1;
    double stiffness, held = h * spring(step, work, i, step->q1, &stiffness); // of the loads
    energy->external += (h * step->p[dof] - held) * v_theta;
    energy->damping += damping * v_theta;
    energy->numerical += (theta - 0.5) * (mass * dv * dv);
    double force = h * (theta * system->f1[i] + (1 - theta) * system->f0[i]);
    internal_work += (force - held) * v_theta;
    if (!system->fixed[i] || bs->type[system->body[i]]->given) continue;
    support[dof] = mass * dv + damping + force - h * step->p[dof] - step->impulse[dof];
    energy->external += support[dof] * v_theta;
  }
  displacements(step, step->v1, work->u);
  FiniteIterate at = {.state = state,
                      .size = step->contact.size,
                      .u = work->u,
                      .config = work->config,
                      .internal = work->internal,
                      .pinch = work->pinch};
  after->q = work->u;
  after->config = work->config;
  after->internal = work->internal;
  ARENA_NEW(after->half, bs->n_nodes, &step->work->arena, err);
  ARENA_NEW(after->pressed, bs->n_nodes, &step->work->arena, err);
  memcpy(after->half, state->half, sizeof(double) * (size_t)bs->n_nodes);
  memcpy(after->pressed, state->pressed, sizeof(double) * (size_t)bs->n_nodes);
  finite_end(bs, &at, after);
  FiniteEnergy now = finite_energy(bs, after);
  double pressed = now.pressed - totals[ENERGY_PRESSED];
  SheetDoubts *sheets = &step->sheets;
  *sheets = (SheetDoubts){.thinning = now.thinning, .neck = now.neck};
  TRY(finite_folds(bs, work->u, &step->work->arena, &sheets->n_folds, &sheets->fold, err));
  energy->elastic += now.stored;
  totals[ENERGY_CONTACT_NORMAL] += pressed;
  // What the forces took beyond what the bodies hold is the scheme's, as |q1 - q0|_K^2 for linear
  // bodies. At theta = 1/2 the scheme has no dissipation of its own: the remainder is the balance's
  // error. The explicit choice trades with its own energy, that of the step of its forces.
  if (theta > 0.5 || explicit)
    energy->numerical += internal_work + pressed - (now.stored - totals[ENERGY_FINITE]) -
                         (now.lost - totals[ENERGY_PLASTIC]);
  totals[ENERGY_FINITE] = now.stored;
  totals[ENERGY_PLASTIC] = now.lost;
  totals[ENERGY_PRESSED] = now.pressed;
  totals[ENERGY_ROUNDING] += work->rounding * sqrt(square); // at most: Cauchy and Schwarz
  return OK;
}

void newton_commit(const NewtonStep *step, const BodyState *after) {
  const BodySet *bs = &step->model->bodies;
  const NewtonWork *work = step->work->newton;
  BodyState kept = *after;
  if (release_passes(step->model, step->state, step->work, step->contact.size))
    kept.internal = step->state->bodies.internal;
  finite_commit(bs, &kept, &step->state->bodies);
  finite_rates_to_state(bs, &work->system, work->rate, step->state->bodies.extra);
}
