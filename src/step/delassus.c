// Contact by W in Newton's loop: W = H^T w H from the nodes in contact.

#include <math.h>
#include <string.h>

#include "body/rigid_modes.h"
#include "step/newton_internal.h"

// Right-hand sides solved together.
enum { COLUMNS = 32 };

// ---- w and the compliance of nodes in contact ---------------------------------------------------

// w b of one body.
static Status apply_body(const NewtonStep *step, NewtonWork *work, int k, const double *b,
                         double *x, Err *err) {
  const NewtonSettings *settings = &step->model->steps.newton;
  FiniteMatrix *m = &work->system.matrix[k];
  const double *mass = work->system.mass + m->first;
  if (newton_uses_factor(settings->matrix)) return factor_solve(m->factor, 1, b, x, err);
  for (int i = 0; i < m->n; i++) x[i] = b[i] / mass[i];
  if (settings->matrix != NEWTON_CORRECTED) return OK;
  // w = M^-1 - h^2 theta^2 M^-1 K M^-1 (J39)
  double scale = step->contact.size.h * step->contact.size.theta, *kx = work->column;
  scale *= scale;
  for (int i = 0; i < m->n; i++)
    if (work->system.fixed[m->first + i]) x[i] = 0;
  sparse_multiply(&m->stiffness, 1, x, kx);
  for (int i = 0; i < m->n; i++) x[i] -= scale * kx[i] / mass[i];
  return OK;
}

Status newton_apply(const NewtonStep *step, NewtonWork *work, const double *b, double *x,
                    Err *err) {
  FiniteSystem *system = &work->system;
  for (int k = 0; k < system->n_matrices; k++)
    TRY(apply_body(step, work, k, b + system->matrix[k].first, x + system->matrix[k].first, err));
  int first_tool = system->first_tool;
  for (int i = first_tool; i < system->n; i++)
    x[i] = system->mass[i] > 0 ? b[i] / system->mass[i] : 0;
  for (int i = 0; i < system->n; i++)
    if (system->fixed[i]) x[i] = 0;
  return OK;
}

void delassus_number_nodes(const NewtonStep *step, NewtonWork *work) {
  const BodySet *bs = &step->model->bodies;
  const Contact *contact = contact_list(step->work->contact);
  memset(work->node_index, 0xff, sizeof *work->node_index * (size_t)bs->n_nodes);
  for (int k = 0; k < bs->n_finite; k++) work->compliance[k].n = 0;
  for (int c = 0; c < 2 * contact_count(step->work->contact); c++) {
    const Site *site = &contact[c / 2].side[c % 2];
    for (int j = 0; j < site->n && bs->type[site->body]->iterated; j++) {
      int32_t *index = &work->node_index[site->node[j]];
      if (*index < 0) *index = work->compliance[bs->own[site->body]].n++;
    }
  }
}

// Rigid motions R of a finite body where it is now, and A R, with R^T A R = 1.
typedef struct {
  int n;
  double *modes, *a_modes;
} RigidPart;

static Status rigid_part(const NewtonStep *step, const NewtonWork *work, int k, RigidPart *rigid,
                         Err *err) {
  const BodySet *bs = &step->model->bodies;
  const FiniteMatrix *m = &work->system.matrix[k];
  const FiniteBody *body = &bs->finite[k];
  Arena *arena = &step->work->arena;
  size_t n = (size_t)m->n, first = (size_t)bs->node_ptr[body->body] * (size_t)bs->dim;
  int n_moves = body->form.n_nodes * bs->dim;
  double *x;
  ARENA_NEW(x, n_moves, arena, err);
  ARENA_NEW(rigid->modes, n * MAX_RIGID_MODES, arena, err);
  ARENA_NEW(rigid->a_modes, n * MAX_RIGID_MODES, arena, err);
  for (int i = 0; i < n_moves; i++)
    x[i] = bs->x[first + (size_t)i] + step->state->bodies.q[first + (size_t)i];
  RigidCloud cloud = {.dim = bs->dim,
                      .n_nodes = body->form.n_nodes,
                      .n_dofs = m->n,
                      .x = x,
                      .fixed = work->system.fixed + m->first,
                      .only_along = bs->axisymmetric ? 1 : -1};
  int n_modes = rigid_modes(&cloud, rigid->modes);
  for (int r = 0; r < n_modes; r++) {
    const double *mode = rigid->modes + (size_t)r * n;
    double *image = rigid->a_modes + (size_t)r * n;
    if (newton_uses_factor(step->model->steps.newton.matrix))
      sparse_multiply(&m->matrix, 1, mode, image);
    else
      for (size_t i = 0; i < n; i++) image[i] = work->system.mass[(size_t)m->first + i] * mode[i];
  }
  rigid->n = rigid_orthonormal(m->n, n_modes, rigid->modes, rigid->a_modes);
  return OK;
}

// x -= R (A R)^T x: what is left is elastic.
static void remove_rigid(const RigidPart *rigid, size_t n, double *x) {
  for (int r = 0; r < rigid->n; r++) {
    const double *mode = rigid->modes + (size_t)r * n, *image = rigid->a_modes + (size_t)r * n;
    double part = 0;
    for (size_t i = 0; i < n; i++) part += image[i] * x[i];
    for (size_t i = 0; i < n; i++) x[i] -= part * mode[i];
  }
}

// Block entries [column, column + n) of w, or of its elastic part, from columns of unknowns.
static void take_columns(const NewtonStep *step, const NewtonWork *work, int k, const int32_t *row,
                         int from, int n, double *block) {
  const FiniteMatrix *m = &work->system.matrix[k];
  int dim = step->model->bodies.dim, n_nodes = work->compliance[k].n;
  for (int j = 0; j < n; j++)
    for (int i = 0; i < n_nodes * dim; i++) {
      int fixed = work->system.fixed[m->first + row[i]];
      double value = fixed ? 0 : work->columns_out[(size_t)j * m->n + row[i]];
      size_t at = ((size_t)(i / dim) * n_nodes + (from + j) / dim) * dim * dim;
      block[at + (size_t)(i % dim) * dim + (from + j) % dim] = value;
    }
}

static void take_rigid(const NewtonStep *step, const NewtonWork *work, int k, const int32_t *row,
                       const RigidPart *rigid, double *to) {
  int n_rows = work->compliance[k].n * step->model->bodies.dim;
  size_t n = (size_t)work->system.matrix[k].n;
  for (int i = 0; i < n_rows; i++)
    for (int m = 0; m < rigid->n; m++)
      to[i * rigid->n + m] = rigid->modes[(size_t)m * n + (size_t)row[i]];
}

// Columns of w for the nodes in contact, a few at a time.
static Status fill_compliance(const NewtonStep *step, NewtonWork *work, int k, Err *err) {
  const BodySet *bs = &step->model->bodies;
  const FiniteMatrix *m = &work->system.matrix[k];
  const FiniteBody *body = &bs->finite[k];
  Compliance *c = &work->compliance[k];
  int dim = bs->dim, first = bs->node_ptr[body->body], n_columns = c->n * dim;
  size_t room = (size_t)n_columns * (size_t)n_columns;
  int32_t *row; // unknown of the body for every column
  TRY(mem_grow((void **)&work->block[k], &work->block_capacity[k],
               2 * room + MAX_RIGID_MODES * (size_t)n_columns + 1, sizeof(double), err));
  for (int i = 0; i < 2; i++)
    TRY(mem_grow((void **)(i ? &work->columns_out : &work->columns_in), &work->columns_capacity[i],
                 (size_t)m->n * COLUMNS, sizeof(double), err));
  ARENA_NEW(row, n_columns, &step->work->arena, err);
  for (int node = 0; node < body->form.n_nodes; node++)
    for (int i = 0; i < dim; i++)
      if (work->node_index[first + node] >= 0)
        row[work->node_index[first + node] * dim + i] = node * dim + i;
  double *block = work->block[k];
  RigidPart rigid = {0};
  if (n_columns > 0) TRY(rigid_part(step, work, k, &rigid, err));
  for (int from = 0; from < n_columns; from += COLUMNS) {
    int n = n_columns - from < COLUMNS ? n_columns - from : COLUMNS;
    memset(work->columns_in, 0, sizeof(double) * (size_t)m->n * (size_t)n);
    for (int j = 0; j < n; j++)
      if (!work->system.fixed[m->first + row[from + j]])
        work->columns_in[(size_t)j * m->n + row[from + j]] = 1;
    if (newton_uses_factor(step->model->steps.newton.matrix))
      TRY(factor_solve(m->factor, n, work->columns_in, work->columns_out, err));
    else
      for (int j = 0; j < n; j++)
        TRY(apply_body(step, work, k, work->columns_in + (size_t)j * m->n,
                       work->columns_out + (size_t)j * m->n, err));
    take_columns(step, work, k, row, from, n, block);
    for (int j = 0; j < n; j++)
      remove_rigid(&rigid, (size_t)m->n, work->columns_out + (size_t)j * m->n);
    take_columns(step, work, k, row, from, n, block + room);
  }
  c->block = block;
  c->elastic = block + room;
  c->rigid = block + 2 * room;
  c->n_rigid = rigid.n;
  take_rigid(step, work, k, row, &rigid, block + 2 * room);
  c->index = work->node_index + first;
  return OK;
}

// ---- what contact holds -------------------------------------------------------------------------
//
// In w of a body alone nothing holds its nodes in contact, and the forces of contact are dead
// loads: one that is pressed between rough planes may turn about their normal without resistance,
// and the friction that points inwards drives it on. A is then indefinite, W with it, and no solver
// of friction problems finds anything. So A gets the stiffness of what contact holds by the last
// impulses: closed contacts along the normal, sticking ones along the tangents, slipping ones
// across their direction. It multiplies dv, and what it pushed is taken back: where the contact
// keeps its status it changes nothing, elsewhere the next iteration makes up for it.

// Impulses this near to the limit, over it, count as slipping.
static const double NEAR_LIMIT = 1e-2;
// Stiffness of a contact with something that does not yield over that of its node, if A is made
// anew at each iterate. It spares the solver of contacts the soft rigid motions, so it is always
// there.
static const double HOLD = 0.3;
// The same between two bodies without inertia: little, because it holds back what they do together.
// With inertia both such contacts and those that slip have the impulse over an edge's length, where
// A needs it.
static const double HOLD_LOOSE = 3e-3;

// What contact c may have along what it holds [kg]: strongly, and where A is indefinite without it.
typedef struct {
  double strong, weak, floor;
} Hold;

// A joint that is a spring holds by a share of its own stiffness: held as strongly as its node is,
// it would give way by a thousandth of what it must each iterate.
static double as_spring(const Problem *problem, int c, int i, double hold) {
  double compliance = problem->compliance ? problem->compliance[2 * c + (i > 0)] : 0;
  return compliance > 0 ? fmin(hold, HOLD / compliance) : hold;
}

static void hold_along(const NewtonStep *step, int c, const double *r, Hold hold,
                       double local[N_HELD][3][3]) {
  const Problem *problem = &step->work->problem;
  int dim = problem->dim;
  double size = 0, q[3] = {0};
  memset(local, 0, sizeof(double) * N_HELD * 9);
  for (int i = 0; i < dim; i++) {
    q[i] = r[i] + (problem->s ? problem->s[dim * c + i] : 0);
    if (i > 0) size += q[i] * q[i];
  }
  size = sqrt(size);
  double limit = problem->mu[c] * fmax(0, q[0]) + (problem->radius ? problem->radius[c] : 0);
  int begins = step->work->newton->begins &&
               contact_list(step->work->contact)[c].gap <= TOUCH * step->model->contact.alert;
  int slips = !begins && size >= (1 - NEAR_LIMIT) * limit;
  if (q[0] > 0 || begins) {
    local[HELD_ALWAYS][0][0] = as_spring(problem, c, 0, hold.strong);
    local[HELD_IF_NEEDED][0][0] = hold.weak;
  }
  if (!(limit > 0) && !begins) return;
  for (int i = 1; i < dim; i++)
    for (int j = 1; j < dim; j++) {
      double along = slips ? (i == j) - q[i] * q[j] / (size * size) : i == j;
      double strong = as_spring(problem, c, i, hold.strong);
      local[HELD_ALWAYS][i][j] = slips ? hold.floor * (i == j) : strong * along;
      local[HELD_IF_NEEDED][i][j] = hold.weak * along;
    }
}

// Largest diagonal entry of A at a node of body k, inertia left out.
static double node_stiffness(const FiniteMatrix *m, int at, int dim, double scale) {
  double most = 0;
  for (int i = at; i < at + dim; i++)
    most = fmax(most, scale * m->stiffness.val[sparse_find(&m->stiffness, i, i)]);
  return most;
}

static void add_held(const Contact *contact, int dim, double weight, double local[3][3],
                     double *block) {
  for (int p = 0; p < dim; p++)
    for (int q = 0; q < dim; q++)
      for (int a = 0; a < dim; a++)
        for (int b = 0; b < dim; b++)
          block[dim * p + q] += weight * contact->axis[a][p] * local[a][b] * contact->axis[b][q];
}

// Where several nodes or two bodies share a contact each gets what is at least its part, so that
// bodies stay apart.
static void hold_contact(const NewtonStep *step, NewtonWork *work, int c, const double *r) {
  const BodySet *bs = &step->model->bodies;
  const Contact *contact = &contact_list(step->work->contact)[c];
  int dim = bs->dim, rigid = contact->side[0].n == 1 && !bodies_yields(bs, contact->side[1].body);
  double scale = step->contact.size.h * step->contact.size.theta, sum = 0, norm = 0;
  double local[N_HELD][3][3], share = 0;
  scale *= scale;
  for (int i = 0; i < dim; i++) norm += r[i] * r[i];
  for (int k = 0; k < 2; k++)
    for (int j = 0; j < contact->side[k].n; j++) sum += fabs(contact->side[k].weight[j]);
  if (rigid) sum = 1;
  if (work->loose) share = rigid ? HOLD : HOLD_LOOSE;
  if (rigid && step->model->steps.newton.matrix == NEWTON_FULL) share = HOLD;
  for (int j = 0; j < contact->side[0].n + contact->side[1].n; j++) {
    const Site *site = &contact->side[j >= contact->side[0].n];
    int term = site == contact->side ? j : j - contact->side[0].n, body = site->body;
    if (!bs->type[body]->iterated) continue;
    const FiniteMatrix *m = &work->system.matrix[bs->own[body]];
    int at = (site->node[term] - bs->node_ptr[body]) * dim;
    Hold hold = {.strong = share * node_stiffness(m, at, dim, scale),
                 .weak = scale * sqrt(norm) /
                         (step->contact.size.h * step->model->contact.skin.longest)};
    if (work->loose) hold.floor = SLIP_FLOOR * hold.strong;
    hold_along(step, c, r, hold, local);
    if (rigid) memcpy(work->held + 9 * (size_t)c, local[HELD_ALWAYS], sizeof local[HELD_ALWAYS]);
    for (int k = 0; k < N_HELD; k++)
      add_held(contact, dim, fabs(site->weight[term]) * sum, local[k],
               work->system.held[k] + (size_t)dim * (size_t)(m->first + at));
  }
}

static Status hold_all(const NewtonStep *step, NewtonWork *work, Err *err) {
  int dim = step->model->bodies.dim, n = contact_count(step->work->contact);
  ARENA_NEW(work->held, 9 * n + 1, &step->work->arena, err);
  memset(work->held, 0, sizeof(double) * 9 * (size_t)n);
  size_t room = (size_t)dim * (size_t)work->system.n;
  for (int k = 0; k < N_HELD; k++) {
    if (!work->system.held[k]) MEM_NEW(work->system.held[k], room, err);
    memset(work->system.held[k], 0, sizeof(double) * room);
  }
  work->begins = work->loose != NULL;
  for (int i = 0; i < n * dim; i++) work->begins &= step->r[i] == 0;
  for (int c = 0; c < n; c++) hold_contact(step, work, c, step->r + (size_t)dim * (size_t)c);
  return OK;
}

Status delassus_factorise(NewtonStep *step, NewtonWork *work, Err *err) {
  const NewtonSettings *settings = &step->model->steps.newton;
  const BodySet *bs = &step->model->bodies;
  if (!newton_uses_factor(settings->matrix)) return OK;
  TRY(hold_all(step, work, err));
  for (int k = 0; k < bs->n_finite; k++)
    TRY(finite_factorise(bs, &work->system, k, step->contact.size, settings->statics, err));
  return OK;
}

// ---- contacts by W ------------------------------------------------------------------------------

// Tools without mass yield in W as they do in the matrix of the iterate.
static void take_tools(NewtonStep *step, NewtonWork *work) {
  const BodySet *bs = &step->model->bodies;
  for (int t = 0; t < bs->n_tools; t++) {
    Tool *tool = &work->tools[t];
    *tool = bs->tools[t];
    int free = -1;
    for (int i = 0; i < bs->dim; i++)
      if (tool->free[i]) free = i;
    if (free < 0 || tool->mass > 0) continue;
    int at = newton_unknown(bs, &work->system, bs->node_ptr[tool->body], free);
    tool->drag = work->system.mass[at];
    tool_finish(tool, bs->dim);
    step->turned[tool->body] = 1;
  }
  step->matrices->tools = work->tools;
}

// v_free -> v1, r: the friction problem of this iterate, warm-started with r.
static Status solve_contacts(NewtonStep *step, NewtonWork *work, double *dv, Err *err) {
  const BodySet *bs = &step->model->bodies;
  const StepSettings *steps = &step->model->steps;
  StepWork *sw = step->work;
  int n = contact_count(sw->contact), before = sw->report.solver.iterations;
  double *r;
  if (work->iterates) delassus_number_nodes(step, work);
  for (int k = 0; k < bs->n_finite; k++) {
    TRY(fill_compliance(step, work, k, err));
    step->turned[bs->finite[k].body] = 1; // its rows of W are new
  }
  step->matrices->finite = work->compliance;
  take_tools(step, work);
  TRY(contact_assemble(&step->contact, step->matrices, step->turned, err));
  TRY(contact_problem(&step->contact, step->v_free, &sw->problem, &r, &sw->arena, err));
  if (step->r) memcpy(r, step->r, sizeof *r * (size_t)n * (size_t)bs->dim);
  step_phase(sw, PHASE_ASSEMBLE);
  TRY(solver_run(steps->solver, &sw->problem, &steps->solver_settings, r, &sw->arena,
                 &sw->report.solver, err));
  step_phase(sw, PHASE_SOLVE);
  sw->report.solver.iterations += before;
  step->r = r;
  newton_spread(step, work, r);
  return newton_apply(step, work, work->hr, dv, err);
}

// What a contact that holds pushed back along dv is not an impulse of the law: it is taken out of
// r, so that g + H r - A dv = 0 whatever the solver's error, and counted as error of contact. Not
// where the contact has opened.
static Status take_back(NewtonStep *step, NewtonWork *work, double *taken, Err *err) {
  const BodySet *bs = &step->model->bodies;
  const FiniteSystem *system = &work->system;
  int dim = bs->dim, n = contact_count(step->work->contact);
  double *u, moved = 0, all = 0;
  work->back = 0;
  memcpy(taken, step->r, sizeof *taken * (size_t)(dim * n));
  if (!work->held || step->model->steps.newton.matrix != NEWTON_FULL) return OK;
  ARENA_NEW(u, dim * n + 1, &step->work->arena, err);
  memset(work->v_try, 0, sizeof(double) * (size_t)bs->n_nodes * (size_t)dim);
  for (int i = 0; i < system->n; i++)
    if (system->dof[i] >= 0) work->v_try[system->dof[i]] = work->dv[i];
  contact_velocities(step->work->contact, work->v_try, u);
  for (int c = 0; c < n; c++)
    for (int i = 0; i < dim; i++) {
      const double *own = work->held + 9 * (size_t)c + 3 * (size_t)i;
      double back = 0, r = step->r[dim * c + i];
      for (int j = 0; j < dim; j++) back += own[j] * u[dim * c + j];
      all += r * r;
      moved += back * back;
      if (r != 0) taken[dim * c + i] -= back;
    }
  SolverReport *report = &step->work->report.solver;
  work->back = moved > 0 ? sqrt(moved / fmax(all, moved)) : 0;
  report->error = fmax(report->error, work->back);
  report->deformation = fmax(report->deformation, work->back);
  return OK;
}

// work->dv and step->r from g at step->v1; linear bodies move at once. `taken`: r without what held
// contacts pushed; at these g + H r is what the tangent left out.
static Status delassus_increment(NewtonStep *step, NewtonWork *work, double *taken, Err *err) {
  const FiniteSystem *system = &work->system;
  const BodySet *bs = &step->model->bodies;
  TRY(newton_apply(step, work, work->g, work->dv, err));
  // v_free of linear bodies is there already
  for (int i = 0; i < system->n; i++)
    if (system->dof[i] >= 0) step->v_free[system->dof[i]] = step->v1[system->dof[i]] + work->dv[i];
  TRY(solve_contacts(step, work, work->b, err));
  for (int i = 0; i < system->n; i++) work->dv[i] += work->b[i];
  TRY(take_back(step, work, taken, err));
  if (!bodies_any_linear(bs)) return OK;
  // linear bodies follow at once: their part of the iterate is exact
  memcpy(work->v_try, step->v1, sizeof(double) * (size_t)bs->n_nodes * (size_t)bs->dim);
  const LinearStep linear = {.bs = bs,
                             .m = step->matrices,
                             .state = &step->state->bodies,
                             .size = step->contact.size,
                             .p = step->p};
  TRY(dynamics_correct(&linear, step->v_free, step->impulse, step->v1, &step->work->arena, err));
  for (int i = 0; i < system->n; i++)
    if (system->dof[i] >= 0) step->v1[system->dof[i]] = work->v_try[system->dof[i]];
  return OK;
}

// ---- the ways that a solver of contacts serves --------------------------------------------------

void way_solver_error(NewtonStep *step, NewtonWork *work, NewtonLoop *loop) {
  (void)work;
  loop->error = solver_judged(&step->model->steps.solver_settings, &step->work->report.solver);
}

static Status increment(NewtonStep *step, NewtonWork *work, NewtonLoop *loop, Err *err) {
  TRY(delassus_increment(step, work, loop->r_try, err));
  loop->slope = newton_slope(work);
  return OK;
}

// The solver says itself whether it missed; what counts here is what contacts that hold have
// pushed.
static double error(const NewtonWork *work, const NewtonLoop *loop) {
  (void)loop;
  return work->back;
}

const ContactWay way_delassus = {.name = "delassus",
                                 .increment = increment,
                                 .factorise = delassus_factorise,
                                 .tried = way_solver_error,
                                 .error = error};
