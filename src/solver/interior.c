#include "solver/interior.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "solver/measure.h"
#include "solver/operator.h"

static const double TO_BOUNDARY = 0.995;
static const double FARTHEST = 1e6;  // lengths of steps that are told apart
static const double LONG_STEP = 0.5; // below it a step that only centres is tried too
static const double CENTRE = 0.5;    // by this
static const double LEAST = 0.1,
                    MOST = 10;          // of sigma, that products may have without being corrected
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
  size_t n = (size_t)p->n;
  *in = (Interior){.p = p, .lu = lu};
  ARENA_NEW(in->d, 2 * n, arena, err);
  ARENA_NEW(in->r, 2 * n, arena, err);
  ARENA_NEW(in->u, 2 * n, arena, err);
  ARENA_NEW(in->rho, 2 * n, arena, err);
  ARENA_NEW(in->lambda, 3 * n, arena, err);
  ARENA_NEW(in->drho, 2 * n, arena, err);
  ARENA_NEW(in->dlambda, 3 * n, arena, err);
  ARENA_NEW(in->affine, 3 * n, arena, err);
  ARENA_NEW(in->dr, 2 * n, arena, err);
  ARENA_NEW(in->du, 2 * n, arena, err);
  ARENA_NEW(in->rhs, 2 * n, arena, err);
  ARENA_NEW(in->way, 5 * n, arena, err);
  ARENA_NEW(in->tangent, 5 * n, arena, err);
  ARENA_NEW(in->kept, 7 * n, arena, err);
  ARENA_NEW(in->left, 4 * n, arena, err);
  ARENA_NEW(in->right, 4 * n, arena, err);
  for (size_t k = 0; k < 2 * n; k++)
    in->d[k] = p->elastic[k] / (1 + (p->a ? p->a[k] * p->elastic[k] : 0));
  return OK;
}

// Aim of a pair over the mean: another path to the end where the one through the middle has a
// corner.
static double weight_of(const Interior *in, size_t pair) {
  if (!(in->spread > 0)) return 1;
  uint32_t mixed = ((uint32_t)pair + 1) * (2654435761u + 2 * (uint32_t)in->path);
  mixed = (mixed ^ mixed >> 15) * 2246822519u;
  return exp(in->spread * ((double)(mixed >> 8) / (1 << 23) - 1));
}

static int has_disk(const Problem *p, int i) {
  return p->mu[i] > 0 || (p->radius && p->radius[i] > 0);
}

// The three positive parts of an impulse rho; those of the disk are NAN where there is none.
static void parts_of(const Problem *p, int i, const double *rho, double f[3]) {
  double bound = p->mu[i] * rho[0] + (p->radius ? p->radius[i] : 0);
  f[0] = rho[0];
  f[1] = bound + rho[1];
  f[2] = bound - rho[1];
}

// u = W x, with b where `whole`.
static void velocities(const Interior *in, const double *x, int whole, double *u,
                       SolverReport *report) {
  const Problem *p = in->p;
  static const double zero[2] = {0};
  for (int i = 0; i < p->n; i++) {
    size_t at = 2 * (size_t)i;
    row_part2(p, p->blocks.ptr[i], p->blocks.ptr[i + 1], x, whole ? p->b + at : zero, u + at);
    block_add(2, p->diag + 2 * at, x + at, u + at);
  }
  report->blocks += operator_cost(p);
}

// Number of pairs, sum of their products.
static void count_gap(Interior *in) {
  const Problem *p = in->p;
  in->gap = 0;
  in->pairs = 0;
  for (int i = 0; i < p->n; i++) {
    double f[3];
    int n = has_disk(p, i) ? 3 : 1;
    parts_of(p, i, in->rho + 2 * (size_t)i, f);
    for (int k = 0; k < n; k++) in->gap += f[k] * in->lambda[3 * (size_t)i + k];
    in->pairs += n;
  }
}

static void start(Interior *in, SolverReport *report) {
  velocities(in, in->r, 1, in->u, report);
  count_gap(in);
}

void interior_start_cold(Interior *in, SolverReport *report) {
  const Problem *p = in->p;
  double fastest = 0, mean = 0;
  for (int k = 0; k < 2 * p->n; k++) fastest = fmax(fastest, fabs(p->b[k]));
  for (int i = 0; i < p->n; i++) mean += p->diag[4 * (size_t)i] / p->n;
  double far = fastest > 0 && mean > 0 ? fastest / mean : 1;
  for (int i = 0; i < p->n; i++) {
    double *rho = in->rho + 2 * (size_t)i, *lambda = in->lambda + 3 * (size_t)i, f[3];
    rho[0] = far;
    rho[1] = 0;
    parts_of(p, i, rho, f);
    lambda[0] = fmax(p->diag[4 * (size_t)i], in->d[2 * (size_t)i]) * far;
    for (int k = 1; k < 3; k++) lambda[k] = has_disk(p, i) ? far * lambda[0] / f[k] : 0;
    for (size_t k = 0; k < 2; k++)
      in->r[2 * (size_t)i + k] = rho[k] - (p->s ? p->s[2 * (size_t)i + k] : 0);
  }
  start(in, report);
}

void interior_start_warm(Interior *in, const double *r, double far, SolverReport *report) {
  const Problem *p = in->p;
  double square = 0;
  memcpy(in->r, r, sizeof *r * 2 * (size_t)p->n);
  velocities(in, in->r, 1, in->u, report);
  for (int i = 0; i < p->n; i++) {
    measure_unilateral(p, i, r, in->u + 2 * (size_t)i, in->rho + 2 * (size_t)i);
    square += in->rho[2 * (size_t)i] * in->rho[2 * (size_t)i];
  }
  double off = far * sqrt(square / p->n);
  if (!(off > 0)) {
    interior_start_cold(in, report);
    return;
  }
  for (int i = 0; i < p->n; i++) {
    size_t at = 2 * (size_t)i;
    double *rho = in->rho + at, *lambda = in->lambda + 3 * (size_t)i, f[3];
    const double *d = in->d + at;
    double z = rho[0] > 0 ? rho[0] : -in->u[at] / d[0];
    if (!(rho[0] > 0) && z > 0) z = 0;
    // The root that does not cancel.
    double root = sqrt(z * z + 4 * off * off), mu = p->mu[i], radius = p->radius ? p->radius[i] : 0;
    rho[0] = z > 0 ? 0.5 * (z + root) : 2 * off * off / (root - z);
    lambda[0] = off * off / rho[0] * d[0] * weight_of(in, 3 * (size_t)i);
    double disk = mu * rho[0] + radius;
    double inside = disk - fmin(fmax(mu, radius / off) * off, 0.5 * disk);
    rho[1] = fmax(-inside, fmin(inside, rho[1]));
    parts_of(p, i, rho, f);
    for (int k = 1; k < 3; k++)
      lambda[k] =
          has_disk(p, i) ? off * off * d[1] / f[k] * weight_of(in, 3 * (size_t)i + (size_t)k) : 0;
  }
  start(in, report);
}

// Residual of rho = r + s + A u.
static double impulse_residual(const Interior *in, int i, int k) {
  const Problem *p = in->p;
  size_t at = 2 * (size_t)i + (size_t)k;
  double e = in->rho[at] - in->r[at];
  if (p->s) e -= p->s[at];
  if (p->a) e -= p->a[at] * in->u[at];
  return e;
}

// Rows of contact i: left W dr + right dr = P du + Q drho with drho = dr + A du - e.
static void matrix_rows(Interior *in, int i) {
  const Problem *p = in->p;
  size_t at = 2 * (size_t)i;
  const double *lambda = in->lambda + 3 * (size_t)i;
  double f[3], q[4] = {0}, *left = in->left + 2 * at, *right = in->right + 2 * at;
  int disk = has_disk(p, i);
  parts_of(p, i, in->rho + at, f);
  q[0] = lambda[0] / f[0];
  q[3] = 1;
  if (disk) {
    double plus = lambda[1] / f[1], minus = lambda[2] / f[2];
    q[2] = p->mu[i] * (plus - minus);
    q[3] = plus + minus;
  }
  for (int k = 0; k < 4; k++) {
    right[k] = q[k];
    left[k] = (k == 0 || (k == 3 && disk)) + (p->a ? q[k] * p->a[at + (size_t)(k % 2)] : 0);
  }
}

// Right-hand side for the aim sigma, less the products of the affine step where `second`.
static void right_side(Interior *in, double sigma, int second) {
  const Problem *p = in->p;
  for (int i = 0; i < p->n; i++) {
    size_t at = 2 * (size_t)i;
    double f[3], aim[3], *rhs = in->rhs + at;
    const double *q = in->right + 2 * at, *u = in->u + at;
    parts_of(p, i, in->rho + at, f);
    for (size_t k = 0; k < 3; k++) {
      size_t pair = 3 * (size_t)i + k;
      aim[k] = sigma * weight_of(in, pair) - (second ? in->affine[pair] : 0);
    }
    double e[2] = {impulse_residual(in, i, 0), impulse_residual(in, i, 1)};
    rhs[0] = aim[0] / f[0] - u[0] + q[0] * e[0];
    if (has_disk(p, i))
      rhs[1] = aim[1] / f[1] - aim[2] / f[2] - u[1] + q[2] * e[0] + q[3] * e[1];
    else
      rhs[1] = e[1] - in->rho[at + 1];
  }
}

// Steps of all pairs from dr, for the same aim; returns the longest length that keeps them
// positive.
static double pair_steps(Interior *in, double sigma, int second, SolverReport *report) {
  const Problem *p = in->p;
  double longest = FARTHEST;
  block_lu_solve(in->lu, in->rhs, in->dr);
  report->blocks += 2 * in->lu->l_ptr[p->n];
  velocities(in, in->dr, 0, in->du, report);
  for (int i = 0; i < p->n; i++) {
    size_t at = 2 * (size_t)i;
    double f[3], df[3], *drho = in->drho + at, *dlambda = in->dlambda + 3 * (size_t)i;
    const double *lambda = in->lambda + 3 * (size_t)i;
    for (size_t k = 0; k < 2; k++) {
      drho[k] = in->dr[at + k] - impulse_residual(in, i, (int)k);
      if (p->a) drho[k] += p->a[at + k] * in->du[at + k];
    }
    parts_of(p, i, in->rho + at, f);
    df[0] = drho[0];
    df[1] = p->mu[i] * drho[0] + drho[1];
    df[2] = p->mu[i] * drho[0] - drho[1];
    dlambda[1] = dlambda[2] = 0;
    for (int k = 0; k < (has_disk(p, i) ? 3 : 1); k++) {
      size_t pair = 3 * (size_t)i + (size_t)k;
      double aim = sigma * weight_of(in, pair) - (second ? in->affine[pair] : 0);
      dlambda[k] = (aim - lambda[k] * (f[k] + df[k])) / f[k];
      if (df[k] * longest < -f[k]) longest = -f[k] / df[k];
      if (dlambda[k] * longest < -lambda[k]) longest = -lambda[k] / dlambda[k];
    }
  }
  in->longest = longest;
  return fmin(1, TO_BOUNDARY * longest);
}

// The gap after a step of this length, and the products of the steps.
static double affine_gap(Interior *in, double length) {
  const Problem *p = in->p;
  double sum = 0;
  for (int i = 0; i < p->n; i++) {
    size_t at = 2 * (size_t)i;
    const double *drho = in->drho + at;
    double f[3], df[3] = {drho[0], p->mu[i] * drho[0] + drho[1], p->mu[i] * drho[0] - drho[1]};
    parts_of(p, i, in->rho + at, f);
    for (int k = 0; k < 3; k++) {
      size_t pair = 3 * (size_t)i + (size_t)k;
      in->affine[pair] = df[k] * in->dlambda[pair];
      if (k > 0 && !has_disk(p, i)) continue;
      sum += (f[k] + length * df[k]) * (in->lambda[pair] + length * in->dlambda[pair]);
    }
  }
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
  size_t n = (size_t)in->p->n;
  for (size_t k = 0; k < 2 * n; k++) {
    in->r[k] += length * in->dr[k];
    in->rho[k] += length * in->drho[k];
  }
  for (size_t k = 0; k < 3 * n; k++) in->lambda[k] += length * in->dlambda[k];
  start(in, report);
}

// Takes off the aims what the products of the last step, made longer, leave between LEAST and MOST
// of sigma (Gondzio 1996): for a step that goes farther. What was taken off before goes to
// `before`.
static void correct_products(Interior *in, double sigma, double length, double *before) {
  const Problem *p = in->p;
  memcpy(before, in->affine, 3 * (size_t)p->n * sizeof *before);
  for (int i = 0; i < p->n; i++) {
    const double *drho = in->drho + 2 * (size_t)i;
    double f[3], df[3] = {drho[0], p->mu[i] * drho[0] + drho[1], p->mu[i] * drho[0] - drho[1]};
    parts_of(p, i, in->rho + 2 * (size_t)i, f);
    for (int k = 0; k < (has_disk(p, i) ? 3 : 1); k++) {
      size_t pair = 3 * (size_t)i + (size_t)k;
      double v = (f[k] + length * df[k]) * (in->lambda[pair] + length * in->dlambda[pair]);
      double aim = sigma * weight_of(in, pair), change = 0;
      if (v < LEAST * aim) change = LEAST * aim - v;
      if (v > MOST * aim) change = fmax(MOST * aim - v, -MOST * aim);
      in->affine[pair] -= change;
    }
  }
}

// A further solve that lets the step go farther; returns the length, the old one's where it does
// not.
static double go_farther(Interior *in, double sigma, double length, SolverReport *report) {
  correct_products(in, sigma, fmin(1, length + FARTHER), in->way);
  right_side(in, sigma, 1);
  double longer = pair_steps(in, sigma, 1, report);
  if (longer > length + WORTH) return longer;
  memcpy(in->affine, in->way, 3 * (size_t)in->p->n * sizeof *in->way);
  right_side(in, sigma, 1);
  return pair_steps(in, sigma, 1, report);
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
  if (length < LONG_ENOUGH) length = go_farther(in, sigma, length, report);
  if (length <
      LONG_STEP) { // the law is far from convex here: without the products, and towards the middle
    right_side(in, CENTRE * mean, 0);
    double centred = pair_steps(in, CENTRE * mean, 0, report);
    if (centred < length) { // no better
      right_side(in, sigma, 1);
      length = pair_steps(in, sigma, 1, report);
    } else {
      length = centred;
    }
  }
  if (!isfinite(length)) return 0;
  move(in, length, report);
  return length;
}

void interior_keep(Interior *in) {
  size_t n = (size_t)in->p->n;
  memcpy(in->kept, in->r, 2 * n * sizeof *in->r);
  memcpy(in->kept + 2 * n, in->rho, 2 * n * sizeof *in->rho);
  memcpy(in->kept + 4 * n, in->lambda, 3 * n * sizeof *in->lambda);
  in->has_kept = 1;
}

static void go_back(Interior *in, SolverReport *report) {
  size_t n = (size_t)in->p->n;
  memcpy(in->r, in->kept, 2 * n * sizeof *in->r);
  memcpy(in->rho, in->kept + 2 * n, 2 * n * sizeof *in->rho);
  memcpy(in->lambda, in->kept + 4 * n, 3 * n * sizeof *in->lambda);
  start(in, report);
}

// Sum of the products of two steps, drho [n * 2] and dlambda [n * 3] behind it, of all pairs on a
// logarithmic scale.
static double log_product(const Interior *in, const double *x, const double *y) {
  const Problem *p = in->p;
  const double *x_lambda = x + 2 * (size_t)p->n, *y_lambda = y + 2 * (size_t)p->n;
  double sum = 0;
  for (int i = 0; i < p->n; i++) {
    size_t at = 2 * (size_t)i, pair = 3 * (size_t)i;
    double f[3], mu = p->mu[i];
    parts_of(p, i, in->rho + at, f);
    const double dx[3] = {x[at], mu * x[at] + x[at + 1], mu * x[at] - x[at + 1]};
    const double dy[3] = {y[at], mu * y[at] + y[at + 1], mu * y[at] - y[at + 1]};
    for (size_t k = 0; k < (has_disk(p, i) ? 3 : 1); k++) {
      double l = in->lambda[pair + k];
      sum += dx[k] * dy[k] / (f[k] * f[k]) + x_lambda[pair + k] * y_lambda[pair + k] / (l * l);
    }
  }
  return sum;
}

// Step towards the centre where the products are `aim`, with the factors that there are, to out
// [n * 5].
static double centre_step(Interior *in, double aim, double *out, SolverReport *report) {
  size_t n = (size_t)in->p->n;
  right_side(in, aim, 0);
  double length = pair_steps(in, aim, 0, report);
  memcpy(out, in->drho, 2 * n * sizeof *out);
  memcpy(out + 2 * n, in->dlambda, 3 * n * sizeof *out);
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
  size_t n = 5 * (size_t)in->p->n;
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
  int open;
  int slips; // +1: f+ is zero, -1: f- is, 0: neither
} Settled;

static Settled settled_of(const Interior *in, int i) {
  const Problem *p = in->p;
  const double *lambda = in->lambda + 3 * (size_t)i, *d = in->d + 2 * (size_t)i;
  double f[3];
  parts_of(p, i, in->rho + 2 * (size_t)i, f);
  Settled now = {.open = f[0] * d[0] < lambda[0]};
  if (!has_disk(p, i)) return now;
  if (f[1] * d[1] < lambda[1]) now.slips = 1;
  if (f[2] * d[1] < lambda[2] && (now.slips == 0 || lambda[2] * f[1] > lambda[1] * f[2]))
    now.slips = -1;
  return now;
}

// Puts row k of contact i to right drho = rhs.
static void fix_row(Interior *in, int i, int k, const double q[2], double value) {
  const Problem *p = in->p;
  size_t at = 2 * (size_t)i;
  double sum = value;
  for (size_t l = 0; l < 2; l++) {
    in->right[2 * at + 2 * (size_t)k + l] = q[l];
    in->left[2 * at + 2 * (size_t)k + l] = p->a ? q[l] * p->a[at + l] : 0;
    sum += q[l] * impulse_residual(in, i, (int)l);
  }
  in->rhs[at + (size_t)k] = sum;
}

static void settle_rows(Interior *in, int i) {
  const Problem *p = in->p;
  const double *rho = in->rho + 2 * (size_t)i, normal[2] = {1, 0}, tangent[2] = {0, 1};
  Settled now = settled_of(in, i);
  double f[3];
  parts_of(p, i, rho, f);
  if (now.open) fix_row(in, i, 0, normal, -rho[0]);
  if (now.open && !(p->radius && p->radius[i] > 0)) {
    fix_row(in, i, 1, tangent, -rho[1]);
  } else if (now.slips != 0) {
    const double q[2] = {p->mu[i], now.slips};
    fix_row(in, i, 1, q, -f[now.slips > 0 ? 1 : 2]);
  }
}

// The last digits of what is known exactly.
static void settle_impulse(const Interior *in, int i, double *r) {
  const Problem *p = in->p;
  double radius = p->radius ? p->radius[i] : 0;
  Settled now = settled_of(in, i);
  if (p->s || p->a) return;
  if (now.open) r[0] = 0;
  if (now.open && !(radius > 0))
    r[1] = 0;
  else if (now.slips != 0)
    r[1] = -now.slips * (p->mu[i] * r[0] + radius);
  else if (!has_disk(p, i))
    r[1] = 0;
}

int interior_settle(Interior *in, double *out, SolverReport *report) {
  const Problem *p = in->p;
  for (int i = 0; i < p->n; i++) matrix_rows(in, i);
  right_side(in, 0, 0);
  for (int i = 0; i < p->n; i++) settle_rows(in, i);
  if (!block_lu_factor(in->lu, p, in->left, in->right, &report->blocks)) return 0;
  block_lu_solve(in->lu, in->rhs, in->dr);
  report->blocks += 2 * in->lu->l_ptr[p->n];
  for (size_t k = 0; k < 2 * (size_t)p->n; k++) out[k] = in->r[k] + in->dr[k];
  for (int i = 0; i < p->n; i++) settle_impulse(in, i, out + 2 * (size_t)i);
  return 1;
}

void interior_impulses(const Interior *in, double *out) {
  const Problem *p = in->p;
  memcpy(out, in->r, 2 * (size_t)p->n * sizeof *out);
  for (size_t i = 0; i < (size_t)p->n; i++) {
    int plain = !p->s && !p->a && !(p->radius && p->radius[i] > 0);
    if (plain && in->rho[2 * i] * in->d[2 * i] < BY_FAR * in->lambda[3 * i])
      out[2 * i] = out[2 * i + 1] = 0;
  }
}

double interior_error(const Interior *in) {
  const Problem *p = in->p;
  double size = 0, rest = 0;
  for (int i = 0; i < p->n; i++) {
    size_t at = 2 * (size_t)i;
    const double *lambda = in->lambda + 3 * (size_t)i, *d = in->d + at;
    double off[2] = {in->u[at] - lambda[0], in->u[at + 1] - lambda[1] + lambda[2]};
    for (size_t k = 0; k < 2; k++) {
      double e = impulse_residual(in, i, (int)k);
      size += d[k] * fmax(in->r[at + k] * in->r[at + k], in->rho[at + k] * in->rho[at + k]);
      rest += d[k] * e * e;
      if (k == 0 || has_disk(p, i)) rest += off[k] * off[k] / d[k];
    }
  }
  return measure_ratio(fmax(in->gap, rest), size);
}
