#include "base/space.h"
#include "solver/interior_cone.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "solver/cone.h"
#include "solver/measure.h"
#include "solver/operator.h"

static const double FARTHEST = 1e6;     // lengths of steps that are told apart
static const double LONG_STEP = 0.5;    // below it a step that only centres is tried too
static const double CENTRE = 0.5;       // by this
static const double LONG_ENOUGH = 0.95; // length of a step that needs no correction
static const double FARTHER = 0.3;      // that a correction aims at, and
static const double WORTH = 0.03;       // must bring
static const double BY_FAR =
    1e-8; // elastic velocity of an impulse over that of an open contact, where it does nothing
enum {
  CENTRE_STEPS = 12, // to the centre that a path starts from
  CENTRE_TRIALS = 5, // of them after which they must be long
  CENTRES = 4,
  FOLLOW_STEPS = 120,
  HALVED = 8 // times that a step along the path is halved
};
static const double WHOLE = 0.999; // length of a step that nothing stopped
static const double CENTRED = 0.1; // square of the logarithmic step to a centre that is near enough
static const double CENTRE_RAISED = 3; // factor on the products of the next centre that is tried
static const double REACH_START = 1;   // of the first step along the path, on a logarithmic scale
static const double STRAYS = 0.09,
                    CLOSE = 0.01; // squares of the way back to the path over such a step's
static const double LONGER = 8;   // factor on such a step at most
static const double LOST = 1,
                    SHORTEST = 1e-4; // of that alone, and of a step, from which it is taken back
static const double FAR_OFF = 2;     // steps to the boundary that one along it must leave
static const double LEAVE = 0.7,
                    LEAVE_UNFOLDED =
                        0.1; // share of the aim where it folded, or began, that is the end

Status interior_init(Interior *in, const Problem *p, BlockLu *lu, Arena *arena, Err *err) {
  const InteriorCone *cone = p->dim == 2 ? &interior_pairs : &interior_disk;
  size_t n = (size_t)p->n, size = n * (size_t)p->dim, n_lambda = n * (size_t)cone->n_lambda;
  *in = (Interior){.p = p, .lu = lu, .cone = cone};
  ARENA_NEW(in->d, 2 * n, arena, err);
  ARENA_NEW(in->r, size, arena, err);
  ARENA_NEW(in->u, size, arena, err);
  ARENA_NEW(in->rho, size, arena, err);
  ARENA_NEW(in->lambda, n_lambda, arena, err);
  ARENA_NEW(in->drho, size, arena, err);
  ARENA_NEW(in->dlambda, n_lambda, arena, err);
  ARENA_NEW(in->affine, n_lambda, arena, err);
  ARENA_NEW(in->dr, size, arena, err);
  ARENA_NEW(in->du, size, arena, err);
  ARENA_NEW(in->other_dr, size, arena, err);
  ARENA_NEW(in->other_drho, size, arena, err);
  ARENA_NEW(in->other_dlambda, n_lambda, arena, err);
  ARENA_NEW(in->rhs, size, arena, err);
  ARENA_NEW(in->way, size + n_lambda, arena, err);
  ARENA_NEW(in->tangent, size + n_lambda, arena, err);
  ARENA_NEW(in->kept, 2 * size + n_lambda, arena, err);
  ARENA_NEW(in->left, size * (size_t)p->dim, arena, err);
  ARENA_NEW(in->right, size * (size_t)p->dim, arena, err);
  for (size_t k = 0; k < 2 * n; k++)
    in->d[k] = p->elastic[k] / (1 + (p->a ? p->a[k] * p->elastic[k] : 0));
  return OK;
}

static size_t size_of(const Interior *in) {
  return (size_t)in->p->n * (size_t)in->p->dim;
}

static size_t lambdas_of(const Interior *in) {
  return (size_t)in->p->n * (size_t)in->cone->n_lambda;
}

// u = W x, with b where `whole`, for the dim of p.
static inline void product(const Problem *p, int dim, const double *x, int whole, double *u) {
  static const double zero[3] = {0};
  for (int i = 0; i < p->n; i++) {
    size_t at = (size_t)dim * (size_t)i;
    const double *base = whole ? p->b + at : zero;
    if (dim == 2)
      row_part2(p, p->blocks.ptr[i], p->blocks.ptr[i + 1], x, base, u + at);
    else
      row_part3(p, p->blocks.ptr[i], p->blocks.ptr[i + 1], x, base, u + at);
    block_add(dim, p->diag + (size_t)dim * at, x + at, u + at);
  }
}

static void velocities(const Interior *in, const double *x, int whole, double *u,
                       SolverReport *report) {
  const Problem *p = in->p;
  SPACE_BY_DIM(p->dim, product(p, 2, x, whole, u), product(p, 3, x, whole, u));
  report->blocks += operator_cost(p);
}

// Number of pairs (a cone counts as two, which it is in the plane), sum of their products.
static void count_gap(Interior *in) {
  in->gap = 0;
  in->pairs = 0;
  for (int i = 0; i < in->p->n; i++) {
    in->cone->add_gap(in, i, &in->gap);
    in->pairs += interior_has_disk(in->p, i) ? 3 : 1;
  }
}

static void start(Interior *in, SolverReport *report) {
  velocities(in, in->r, 1, in->u, report);
  count_gap(in);
}

void interior_start_cold(Interior *in, SolverReport *report) {
  const Problem *p = in->p;
  size_t dim = (size_t)p->dim;
  double fastest = 0, mean = 0;
  for (int k = 0; k < p->dim * p->n; k++) fastest = fmax(fastest, fabs(p->b[k]));
  for (size_t i = 0; i < (size_t)p->n; i++) mean += p->diag[dim * dim * i] / p->n;
  double far = fastest > 0 && mean > 0 ? fastest / mean : 1;
  for (int i = 0; i < p->n; i++) {
    size_t at = dim * (size_t)i;
    double *rho = in->rho + at, *lambda = in->lambda + (size_t)in->cone->n_lambda * (size_t)i;
    memset(rho, 0, dim * sizeof *rho);
    rho[0] = far;
    lambda[0] = fmax(p->diag[dim * at], in->d[2 * (size_t)i]) * far;
    in->cone->centre(in, i, far * lambda[0], 0);
    for (size_t k = 0; k < dim; k++) in->r[at + k] = rho[k] - (p->s ? p->s[at + k] : 0);
  }
  start(in, report);
}

// Impulse, velocity and friction of contact i off their boundaries.
static void move_off(Interior *in, int i, double off) {
  const Problem *p = in->p;
  size_t at = (size_t)p->dim * (size_t)i, pair = (size_t)in->cone->n_lambda * (size_t)i;
  double *rho = in->rho + at;
  const double *d = in->d + 2 * (size_t)i;
  double z = rho[0] > 0 ? rho[0] : -in->u[at] / d[0];
  if (!(rho[0] > 0) && z > 0) z = 0;
  // The root that does not cancel.
  double root = sqrt(z * z + 4 * off * off), mu = p->mu[i], radius = p->radius ? p->radius[i] : 0;
  rho[0] = z > 0 ? 0.5 * (z + root) : 2 * off * off / (root - z);
  in->lambda[pair] = off * off / rho[0] * d[0] * interior_weight(in, pair);
  double disk = mu * rho[0] + radius;
  in->cone->draw_in(in, i, disk - fmin(fmax(mu, radius / off) * off, 0.5 * disk));
  in->cone->centre(in, i, off * off * d[1], 1);
}

void interior_start_warm(Interior *in, const double *r, double far, SolverReport *report) {
  const Problem *p = in->p;
  double square = 0;
  memcpy(in->r, r, sizeof *r * size_of(in));
  velocities(in, in->r, 1, in->u, report);
  for (int i = 0; i < p->n; i++) {
    size_t at = (size_t)p->dim * (size_t)i;
    measure_unilateral(p, i, r, in->u + at, in->rho + at);
    square += in->rho[at] * in->rho[at];
  }
  double off = far * sqrt(square / p->n);
  if (!(off > 0)) {
    interior_start_cold(in, report);
    return;
  }
  for (int i = 0; i < p->n; i++) move_off(in, i, off);
  start(in, report);
}

// Residual of rho = r + s + A u.
static double impulse_residual(const Interior *in, int i, int k) {
  const Problem *p = in->p;
  size_t at = (size_t)p->dim * (size_t)i + (size_t)k;
  double e = in->rho[at] - in->r[at];
  if (p->s) e -= p->s[at];
  if (p->a) e -= p->a[2 * (size_t)i + (k > 0)] * in->u[at];
  return e;
}

// Rows of contact i: left W dr + right dr = P du + Q drho with drho = dr + A du - e.
static void matrix_rows(Interior *in, int i) {
  const Problem *p = in->p;
  size_t dim = (size_t)p->dim, at = dim * (size_t)i;
  double *left = in->left + dim * at, *q = in->right + dim * at;
  memset(q, 0, dim * dim * sizeof *q);
  memset(left, 0, dim * dim * sizeof *left);
  left[0] = 1;
  q[0] = in->lambda[(size_t)in->cone->n_lambda * (size_t)i] / in->rho[at];
  in->cone->matrix(in, i, left, q);
  for (size_t k = 0; p->a && k < dim * dim; k++)
    left[k] += q[k] * p->a[2 * (size_t)i + (k % dim > 0)];
}

// Right-hand side for the aim sigma, less the products of the affine step where `second`.
static void right_side(Interior *in, double sigma, int second) {
  const Problem *p = in->p;
  size_t dim = (size_t)p->dim;
  for (int i = 0; i < p->n; i++) {
    size_t at = dim * (size_t)i;
    double *rhs = in->rhs + at, v[3], e[3];
    const double *q = in->right + dim * at;
    in->cone->aims(in, i, sigma, second, v);
    for (size_t k = 0; k < dim; k++) e[k] = impulse_residual(in, i, (int)k);
    for (size_t k = 0; k < dim; k++) {
      int none = k > 0 && !interior_has_disk(p, i);
      double sum = none ? e[k] - in->rho[at + k] : v[k];
      for (size_t l = 0; l < dim && !none; l++) sum += q[k * dim + l] * e[l];
      rhs[k] = sum;
    }
  }
}

// Steps of all pairs from dr, for the same aim; returns the longest length that keeps them
// positive.
static double pair_steps(Interior *in, double sigma, int second, SolverReport *report) {
  const Problem *p = in->p;
  double longest = FARTHEST;
  block_lu_solve(in->lu, in->rhs, in->dr);
  report->blocks += 2 * in->lu->l_ptr[p->n];
  if (p->a || in->cone->needs_du) velocities(in, in->dr, 0, in->du, report);
  for (int i = 0; i < p->n; i++) {
    size_t at = (size_t)p->dim * (size_t)i;
    double *drho = in->drho + at;
    for (size_t k = 0; k < (size_t)p->dim; k++) {
      drho[k] = in->dr[at + k] - impulse_residual(in, i, (int)k);
      if (p->a) drho[k] += p->a[2 * (size_t)i + (k > 0)] * in->du[at + k];
    }
    in->cone->steps(in, i, sigma, second, &longest);
  }
  in->longest = longest;
  return fmin(1, TO_BOUNDARY * longest);
}

// The gap after a step of this length, and the products of the steps.
static double affine_gap(Interior *in, double length) {
  double sum = 0;
  for (int i = 0; i < in->p->n; i++) in->cone->add_affine(in, i, length, &sum);
  return sum;
}

// 0 also where the solution is given up: a factor of a large wall takes a good part of a second.
static int factor(Interior *in, SolverReport *report) {
  const SolverSettings *settings = in->settings;
  if (settings && settings->must_stop && settings->must_stop(settings->must_stop_of)) return 0;
  for (int i = 0; i < in->p->n; i++) matrix_rows(in, i);
  return block_lu_factor(in->lu, in->p, in->left, in->right, &report->blocks);
}

static void move(Interior *in, double length, SolverReport *report) {
  for (size_t k = 0; k < size_of(in); k++) {
    in->r[k] += length * in->dr[k];
    in->rho[k] += length * in->drho[k];
  }
  for (size_t k = 0; k < lambdas_of(in); k++) in->lambda[k] += length * in->dlambda[k];
  start(in, report);
}

// Takes off the aims what the products of the last step, made longer, leave between LEAST and MOST
// of sigma (Gondzio 1996): for a step that goes farther.
static void correct_products(Interior *in, double sigma, double length) {
  for (int i = 0; i < in->p->n; i++) in->cone->correct(in, i, sigma, length);
}

static void swap(double **a, double **b) {
  double *kept = *a;
  *a = *b;
  *b = kept;
}

// The step that there is gives way to another, or comes back.
static void change_step(Interior *in) {
  swap(&in->dr, &in->other_dr);
  swap(&in->drho, &in->other_drho);
  swap(&in->dlambda, &in->other_dlambda);
}

// The step for this aim, if it is at least so much longer than the one there is; returns the length
// of the one that stays.
static double try_step(Interior *in, double sigma, int second, double length, double more,
                       SolverReport *report) {
  change_step(in);
  right_side(in, sigma, second);
  double longer = pair_steps(in, sigma, second, report);
  if (longer >= length + more) return longer;
  change_step(in);
  return length;
}

double interior_step(Interior *in, SolverReport *report) {
  double mean = in->gap / in->pairs, length;
  if (!factor(in, report)) return 0;
  double share = 0, sigma;
  right_side(in, 0, 0);
  share = affine_gap(in, pair_steps(in, 0, 0, report)) / in->gap;
  sigma = mean * share * share * share;
  right_side(in, sigma, 1);
  length = pair_steps(in, sigma, 1, report);
  if (length < LONG_ENOUGH) {
    correct_products(in, sigma, fmin(1, length + FARTHER));
    length = try_step(in, sigma, 1, length, WORTH, report);
  }
  if (length < LONG_STEP) // the law is far from convex here: towards the middle, without products
    length = try_step(in, CENTRE * mean, 0, length, 0, report);
  if (!isfinite(length)) return 0;
  move(in, length, report);
  return length;
}

void interior_keep(Interior *in) {
  size_t size = size_of(in);
  memcpy(in->kept, in->r, size * sizeof *in->r);
  memcpy(in->kept + size, in->rho, size * sizeof *in->rho);
  memcpy(in->kept + 2 * size, in->lambda, lambdas_of(in) * sizeof *in->lambda);
  in->has_kept = 1;
}

static void go_back(Interior *in, SolverReport *report) {
  size_t size = size_of(in);
  memcpy(in->r, in->kept, size * sizeof *in->r);
  memcpy(in->rho, in->kept + size, size * sizeof *in->rho);
  memcpy(in->lambda, in->kept + 2 * size, lambdas_of(in) * sizeof *in->lambda);
  start(in, report);
}

// Sum of the products of two steps, drho and dlambda behind it, of all pairs on a logarithmic
// scale.
static double log_product(const Interior *in, const double *x, const double *y) {
  const double *x_lambda = x + size_of(in), *y_lambda = y + size_of(in);
  double sum = 0;
  for (int i = 0; i < in->p->n; i++) {
    size_t at = (size_t)in->p->dim * (size_t)i, pair = (size_t)in->cone->n_lambda * (size_t)i;
    in->cone->add_log_product(in, i, x + at, x_lambda + pair, y + at, y_lambda + pair, &sum);
  }
  return sum;
}

// Step towards the centre where the products are `aim`, with the factors that there are, to out:
// drho and dlambda behind it.
static double centre_step(Interior *in, double aim, double *out, SolverReport *report) {
  right_side(in, aim, 0);
  double length = pair_steps(in, aim, 0, report);
  memcpy(out, in->drho, size_of(in) * sizeof *out);
  memcpy(out + size_of(in), in->dlambda, lambdas_of(in) * sizeof *out);
  return length;
}

// On to the centre of `aim`, from near it; returns 0 where it cannot be reached.
static int to_centre(Interior *in, double aim, SolverReport *report) {
  for (int k = 0; k < CENTRE_STEPS; k++) {
    report->iterations++;
    if (!factor(in, report)) return 0;
    double length = centre_step(in, aim, in->way, report);
    double off = log_product(in, in->way, in->way);
    move(in, length, report);
    if (length > WHOLE && off < CENTRED) return 1;
    if (k >= CENTRE_TRIALS && length < WHOLE / 2) return 0;
  }
  return 0;
}

// A centre of products that are no smaller than those of the kept iterate, and not too far above:
// below a fold there is none. Returns its aim, 0 where none is found.
static double find_centre(Interior *in, SolverReport *report) {
  double factor = 1;
  for (int k = 0; k < CENTRES; k++, factor *= CENTRE_RAISED) {
    go_back(in, report);
    double aim = factor * in->gap / in->pairs;
    if (to_centre(in, aim, report)) return aim;
  }
  return 0;
}

int interior_follow(Interior *in, SolverReport *report) {
  if (!in->has_kept) return 0;
  size_t n = size_of(in) + lambdas_of(in);
  double *way = in->way, *tangent = in->tangent;
  double aim = find_centre(in, report), low = aim, reach = REACH_START, kept_aim = aim,
         goal = LEAVE_UNFOLDED * aim;
  int folded = 0, sharp = 0;
  if (!(aim > 0)) return 0;
  for (int k = 0; k < FOLLOW_STEPS; k++) {
    report->iterations++;
    if (!factor(in, report)) return 0;
    int falls = block_lu_sign(in->lu) > 0; // as where the path comes from, far above
    if (falls && aim < (folded ? LEAVE * low : goal)) return 1;
    if (!folded) low = fmin(low, aim);
    folded |= !falls;
    centre_step(in, aim, way, report);
    centre_step(in, 2 * aim, tangent, report);
    for (size_t j = 0; j < n; j++) tangent[j] -= way[j];
    double steep = sqrt(log_product(in, tangent, tangent) + 1), off = log_product(in, way, way);
    if (off > LOST && reach > SHORTEST) { // the path has turned sharply
      go_back(in, report);
      aim = kept_aim;
      reach *= 0.25;
      sharp = 1;
      continue;
    }
    int strays = off > STRAYS * reach * reach;
    if (!strays) {
      interior_keep(in);
      kept_aim = aim;
    }
    double back = -log_product(in, way, tangent) / (steep * steep), length, change;
    if (strays) reach *= 0.5;
    for (int halved = 0;; halved++) {
      change = back + (strays ? 0 : (falls ? -reach : reach) / steep);
      length = centre_step(in, aim * (1 + change), way, report);
      if (in->longest > FAR_OFF || strays || halved == HALVED) break;
      reach *= 0.5;
    }
    if (!isfinite(length)) return 0;
    move(in, length, report);
    aim *= 1 + length * change;
    if (!(aim > 0)) return 0;
    if (!strays && !sharp && off < CLOSE * reach * reach)
      reach *= fmin(LONGER, sqrt(CLOSE * reach * reach / fmax(off, DBL_MIN)));
    sharp = 0;
  }
  return 0;
}

// Statuses as the elastic metric tells them: which of each pair is nearer to zero.
typedef struct {
  int open, slips;
  double t[2]; // direction of rho_T where it slips
} Settled;

static Settled settled_of(const Interior *in, int i) {
  const double *lambda = in->lambda + (size_t)in->cone->n_lambda * (size_t)i;
  Settled now = {.open =
                     in->rho[(size_t)in->p->dim * (size_t)i] * in->d[2 * (size_t)i] < lambda[0]};
  if (interior_has_disk(in->p, i)) now.slips = in->cone->slips(in, i, now.t);
  return now;
}

// Puts row k of contact i to right drho = rhs.
static void fix_row(Interior *in, int i, int k, const double *q, double value) {
  const Problem *p = in->p;
  size_t dim = (size_t)p->dim, at = dim * (size_t)i, row = dim * at + dim * (size_t)k;
  double sum = value;
  for (size_t l = 0; l < dim; l++) {
    in->right[row + l] = q[l];
    in->left[row + l] = p->a ? q[l] * p->a[2 * (size_t)i + (l > 0)] : 0;
    sum += q[l] * impulse_residual(in, i, (int)l);
  }
  in->rhs[at + (size_t)k] = sum;
}

// Row 2 of contact i becomes that across t.
static void turn_rows(Interior *in, int i, const double *t) {
  size_t at = 3 * (size_t)i;
  for (size_t l = 0; l < 3; l++) {
    double *left = in->left + 3 * at + l, *right = in->right + 3 * at + l;
    left[6] = t[0] * left[6] - t[1] * left[3];
    right[6] = t[0] * right[6] - t[1] * right[3];
  }
  in->rhs[at + 2] = t[0] * in->rhs[at + 2] - t[1] * in->rhs[at + 1];
}

static void settle_rows(Interior *in, int i) {
  const Problem *p = in->p;
  int dim = p->dim;
  const double *rho = in->rho + (size_t)dim * (size_t)i;
  static const double axis[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  Settled now = settled_of(in, i);
  if (now.open) fix_row(in, i, 0, axis[0], -rho[0]);
  if (now.open && !(p->radius && p->radius[i] > 0)) {
    for (int k = 1; k < dim; k++) fix_row(in, i, k, axis[k], -rho[k]);
  } else if (now.slips) {
    double q[3] = {p->mu[i]}, rest = p->mu[i] * rho[0] + (p->radius ? p->radius[i] : 0);
    for (int k = 1; k < dim; k++) {
      q[k] = -now.t[k - 1];
      rest -= now.t[k - 1] * rho[k];
    }
    if (dim == 3) turn_rows(in, i, now.t);
    fix_row(in, i, 1, q, -rest);
  }
}

// The last digits of what is known exactly.
static void settle_impulse(const Interior *in, int i, double *r) {
  const Problem *p = in->p;
  int dim = p->dim;
  double radius = p->radius ? p->radius[i] : 0, bound = 0, along = 0, square = 0;
  Settled now = settled_of(in, i);
  if (p->s || p->a) return;
  if (now.open) r[0] = 0;
  int none = (now.open && !(radius > 0)) || !interior_has_disk(p, i);
  if (!none && !now.slips) return;
  for (int k = 1; k < dim; k++) {
    along += now.t[k - 1] * r[k];
    square += r[k] * r[k];
  }
  if (!none) bound = p->mu[i] * r[0] + radius;
  for (int k = 1; k < dim; k++) {
    double way = along > 0 ? r[k] / sqrt(square) : now.t[k - 1];
    r[k] = none ? 0 : way * bound;
  }
}

int interior_settle(Interior *in, double *out, SolverReport *report) {
  const Problem *p = in->p;
  for (int i = 0; i < p->n; i++) matrix_rows(in, i);
  right_side(in, 0, 0);
  for (int i = 0; i < p->n; i++) settle_rows(in, i);
  if (!block_lu_factor(in->lu, p, in->left, in->right, &report->blocks)) return 0;
  block_lu_solve(in->lu, in->rhs, in->dr);
  report->blocks += 2 * in->lu->l_ptr[p->n];
  for (size_t k = 0; k < size_of(in); k++) out[k] = in->r[k] + in->dr[k];
  for (int i = 0; i < p->n; i++) settle_impulse(in, i, out + (size_t)p->dim * (size_t)i);
  return 1;
}

void interior_impulses(const Interior *in, double *out) {
  const Problem *p = in->p;
  size_t dim = (size_t)p->dim;
  memcpy(out, in->r, size_of(in) * sizeof *out);
  for (size_t i = 0; i < (size_t)p->n; i++) {
    int plain = !p->s && !p->a && !(p->radius && p->radius[i] > 0);
    double lambda = in->lambda[(size_t)in->cone->n_lambda * i];
    if (plain && in->rho[dim * i] * in->d[2 * i] < BY_FAR * lambda)
      memset(out + dim * i, 0, dim * sizeof *out);
  }
}

double interior_error(const Interior *in) {
  const Problem *p = in->p;
  double size = 0, rest = 0;
  for (int i = 0; i < p->n; i++) {
    size_t at = (size_t)p->dim * (size_t)i;
    double v[3];
    in->cone->velocity(in, i, v);
    for (size_t k = 0; k < (size_t)p->dim; k++) {
      double d = in->d[2 * (size_t)i + (k > 0)], off = in->u[at + k] - v[k];
      double e = impulse_residual(in, i, (int)k);
      size += d * fmax(in->r[at + k] * in->r[at + k], in->rho[at + k] * in->rho[at + k]);
      rest += d * e * e;
      if (k == 0 || interior_has_disk(p, i)) rest += off * off / d;
    }
  }
  return measure_ratio(fmax(in->gap, rest), size);
}
