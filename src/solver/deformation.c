#include "solver/deformation.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "solver/item.h"
#include "solver/measure.h"
#include "solver/operator.h"

enum {
  PARTS = 64, // sums are taken part by part, whatever the number of threads
  STEPS = 10, // of conjugate gradients between two looks at what is left
  SURE_STEPS =
      30, // that they must have been for their fall to be believed where the elasticity is STIFF
  MOST_STEPS = 40,
  ROW = 24,          // points of two bodies in a row for which these numbers are enough
  LONGEST = 10,      // times as many steps are taken for longer ones, at most
  FEW_IN_PLANE = 15, // contacts of a body, over which what is smooth does not hide from steps: of
                     // a cap on 8 short blocks, 16 of them, 0.29 of the truth was claimed
  FEW_IN_SPACE = 50  // the same in space, where it has two directions
};
// Over these, or over the mean of all bodies: walls of equal blocks are a little over them too, and
// hide nothing.
static const double MORE = 1.5;

// Rigid motions over elasticity, see Deformation.softness: there errors hide that are smooth over a
// whole wall.
static const double STIFF = 20;

// Of what springs and strengths let impulses be: impulses that are less count as that much, for all
// that they are is round-off. A wall with mortar that falls has none.
static const double STRENGTH = 1e-10;

// Of no impulses where there should be some: larger than any that is on its way.
static const double ALL_WRONG = 1e9;
// Of a difference of energies, over the larger: nothing below it is known.
static const double ENERGY_ROUND_OFF = 1e-13;
// Share of an energy that round-off may be for it to count.
static const double KNOWN = 1e-2;

// Of the bound of friction: from there on impulses of the last step slip, factors have left them
// there.
static const double ON_CONE_BEFORE = 1 - 1e-7;

// Over x . D x: impulses of less energy do nothing.
static const double NO_ENERGY = 1e-6;
// Of little energy; and where such a step brings more than the one before it may be an error that
// is smooth over a whole wall, or a null space: forces need not be unique, and gaps that do not fit
// one another leave something in it. An error is found in a few more steps, and they bring less and
// less. In a null space they go on for ever, or bring very much. What they say is believed up to
// MOST_OVER times A: that is enough for what is smooth over ROW points between two bodies. In
// longer rows errors hide with the cube of their length (the foot of a wall in one piece with 72,
// 96 and 144 points: truth over A up to 176, 426 and 1240); joints of a few points have LEAST_OVER,
// which is what hides over many of them.
static const double LITTLE_ENERGY = 1e-2;
enum { MORE_STEPS = 10 }; // after such a step
static const double FELL =
    0.1; // energy of the last steps over the largest that tells the one from the other
static const double ROSE = 10; // of later steps over the first, where errors hide
static const double MOST_OVER = 6.5, LEAST_OVER = 4; // over A, what steps may say that do not tell
// Over A in a row that is longer than ROW: an error so well hidden comes out in pieces, and a fall
// within ten steps for each ROW points is not yet believed.
static const double HIDDEN = 10;
// Of the energy of the steps so far: from the first ten more are taken, and the second, thrice the
// error, is added.
static const double GO_ON = 1.5;
// Share of the square that is enough at which the first ten steps settle it.
static const double CLEARLY = 1e-2;
static const double MOST_AHEAD = 9;
// Of D, on W among what stands still where it is factored. Errors of less energy than that over
// their size are seen too small (144 points in a row, whose least energy is 1e-7: 0.7 of what is
// true); in a null space, whose energies are round-off (the softness times 1e-16), what is said
// stays below the residual.
static const double RIDGE = 1e-6;
static const double FIRM_RIDGE = 1e-2; // the same over the least compliance of contacts
// Of what factors say, at most: what other statuses would still change. Where statuses are not yet
// right the error has been up to 5.6 times what is said for those that there are.
static const double UNSETTLED = 1;
// Of the mean of what is asked of other statuses and of impulses, which the square of the error is
// at most: 0.003 to 0.03 of it was found with mortar at 1e7 to 1e9 Pa, the most where errors are
// smallest. So where impulses by D are SELF_STRESS times what they put into bodies, squared; they
// count as MOST_SELF_STRESS times that at most.
static const double ASKED = 0.01, SELF_STRESS = 4, MOST_SELF_STRESS = 16;
// Of what is enough: without friction A below it is not made sharper by factors.
static const double SETTLED = 1e-2;
static const double RIDGE_ROUND_OFF = 10; // over what round-off makes of W by D, at least

static double softness_of(const Problem *p) {
  double whole = 0, elastic = 0;
  size_t dim = (size_t)p->dim;
  for (size_t i = 0; i < (size_t)p->n; i++) {
    whole += p->diag[i * dim * dim];
    elastic += p->elastic[2 * i];
  }
  return whole / elastic;
}

// Most contacts of the same two bodies, which follow one another; in space as many as a side has.
static double longest_row(const Problem *p) {
  int longest = 0;
  for (int i = 0, row = 0; p->bodies.moved && i < p->n; i++) {
    const int32_t *now = p->bodies.moved + 2 * (size_t)i;
    row = i > 0 && now[0] == now[-2] && now[1] == now[-1] ? row + 1 : 1;
    if (row > longest) longest = row;
  }
  return p->dim == 2 ? longest : sqrt(longest);
}

// A parallel stiffness takes its share of what the unilateral part feels, d = (1 + D A)^-1 D: of F,
// an error of rho, r has (1 + D A)^-1 F, whose energy by D is F . (d D^-1 d) F.
static Status init_springs(Deformation *def, Arena *arena, Err *err) {
  const Problem *p = def->p;
  size_t size = (size_t)p->n * (size_t)p->dim;
  double *energy;
  ARENA_NEW(energy, 2 * (size_t)p->n, arena, err);
  ARENA_NEW(def->spring, size, arena, err);
  ARENA_NEW(def->sprung, size, arena, err);
  for (int k = 0; k < 2 * p->n; k++) {
    def->d[k] = p->elastic[k] / (1 + p->a[k] * p->elastic[k]);
    energy[k] = def->d[k] * def->d[k] / p->elastic[k];
  }
  def->energy = energy;
  return OK;
}

Status deformation_init(Deformation *def, const Problem *p, Arena *arena, Err *err) {
  size_t dim = (size_t)p->dim, size = (size_t)p->n * dim;
  *def =
      (Deformation){.p = p, .worst = -1, .softness = softness_of(p), .row = longest_row(p) / ROW};
  ARENA_NEW(def->d, 2 * (size_t)p->n, arena, err);
  ARENA_NEW(def->u, size, arena, err);
  ARENA_NEW(def->z, size, arena, err);
  ARENA_NEW(def->parts, p->n, arena, err);
  ARENA_NEW(def->dr, size, arena, err);
  ARENA_NEW(def->rest, size, arena, err);
  ARENA_NEW(def->way, size, arena, err);
  ARENA_NEW(def->image, size, arena, err);
  ARENA_NEW(def->held, size, arena, err);
  ARENA_NEW(def->sum, size, arena, err);
  if (p->bodies.lever)
    ARENA_NEW(def->rigid, p->bodies.n_bodies * p->bodies.n_modes + 1, arena, err);
  ARENA_NEW(def->weight, size, arena, err);
  ARENA_NEW(def->inverse, size, arena, err);
  for (size_t i = 0; i < (size_t)p->n; i++)
    for (size_t k = 0; k < dim; k++) {
      def->weight[i * dim + k] = p->elastic[2 * i + (k > 0)];
      def->inverse[i * dim + k] = 1 / p->elastic[2 * i + (k > 0)];
    }
  if (p->a) return init_springs(def, arena, err);
  memcpy(def->d, p->elastic, 2 * (size_t)p->n * sizeof *def->d);
  def->energy = p->elastic;
  return OK;
}

// Has a body so many contacts that steps do not see what is smooth over it?
static int hides(const Deformation *def) {
  const Problem *p = def->p;
  double *count = def->rigid, most = 0, sum = 0, few = p->dim == 2 ? FEW_IN_PLANE : FEW_IN_SPACE;
  int touched = 0;
  memset(count, 0, (size_t)p->bodies.n_bodies * sizeof *count);
  for (size_t side = 0; side < 2 * (size_t)p->n; side++) {
    if (p->bodies.moved[side] < 0) continue;
    double *own = count + p->bodies.moved[side];
    touched += *own == 0;
    most = fmax(most, ++*own);
    sum++;
  }
  return most > few && (most > MORE * few || most * touched > MORE * sum);
}

// Do most contacts hold together by a strength or a spring of their own?
static int is_bonded(const Problem *p) {
  size_t bonds = 0;
  for (size_t i = 0; p->s && i < (size_t)p->n; i++)
    bonds += p->s[i * (size_t)p->dim] > 0 || (p->a && p->a[2 * i] > 0);
  return 2 * bonds > (size_t)p->n;
}

// Has no contact friction or cohesion? Impulses are then the least of a convex energy.
static int is_convex(const Problem *p) {
  for (int i = 0; i < p->n; i++)
    if (!item_is_box(p, i) && (p->mu[i] > 0 || (p->radius && p->radius[i] > 0))) return 0;
  return 1;
}

// Has every contact a compliance of its own along the normal? *least: that over its elastic part.
static int is_firm(const Problem *p, double *least) {
  *least = 1;
  for (size_t k = 0; p->compliance && k < 2 * (size_t)p->n; k += 2)
    *least = fmin(*least, p->compliance[k] / p->elastic[k]);
  return p->compliance && *least > 0;
}

static Status make_factors(Deformation *def, SolverKept *kept, Arena *arena, Err *err) {
  const Problem *p = def->p;
  size_t block = (size_t)p->dim * (size_t)p->dim;
  TRY(kept_factors(kept, def->borrows ? FACTORS_OF_SOLVER : FACTORS_OF_JUDGE, &def->lu, p, arena,
                   err));
  ARENA_NEW(def->left, (size_t)p->n * block, arena, err);
  ARENA_NEW(def->right, (size_t)p->n * block, arena, err);
  ARENA_NEW(def->factored, (size_t)p->n * (size_t)p->dim, arena, err);
  return OK;
}

Status deformation_factors(Deformation *def, SolverKept *kept, Arena *arena, Err *err) {
  const Problem *p = def->p;
  double least;
  if (!p->bodies.lever || !p->blocks.ptr) return OK;
  int stiff = def->softness > STIFF;
  def->bonded = is_bonded(p);
  def->convex = stiff && is_convex(p);
  def->firm = is_firm(p, &least);
  // A wall whose joints hold is one body: what is smooth over all of it hides. Between stiff
  // springs there is so little energy that steps take it for none.
  def->hides = hides(def) || (def->bonded && stiff) || def->firm;
  def->ridge = def->firm ? fmin(RIDGE, FIRM_RIDGE * least) : RIDGE;
  // Where they are asked for once or twice the solver's will do.
  def->borrows = !def->hides && !def->bonded;
  if (!def->borrows || def->convex) return make_factors(def, kept, arena, err);
  def->arena = arena;
  def->kept = kept;
  return OK;
}

// Factors for what steps do not tell, made when they are first wanted. In space, where four corners
// hold a face, they claim far too much, and steps were found to tell.
static int late_factors(Deformation *def) {
  Arena *arena = def->arena;
  def->arena = NULL;
  if (def->p->dim == 3) return 0;
  if (!def->lu.made && arena && make_factors(def, def->kept, arena, NULL) != OK) return 0;
  return def->lu.made;
}

// z = rho - D^-1 u' of contact i and its projection; returns F . D F, size = r . D r, rho . D rho.
static double contact_part(const Deformation *def, int i, const double *r, const double *u,
                           double size[2]) {
  const Problem *p = def->p;
  int dim = p->dim;
  size_t at = (size_t)i * (size_t)dim;
  const double *d = def->d + 2 * (size_t)i, *energy = def->energy + 2 * (size_t)i;
  const double *elastic = p->elastic + 2 * (size_t)i;
  double *z = def->z + at, rho[3], sum = 0, own = 0, unilateral = 0, t = 0;
  measure_unilateral(p, i, r, u, rho);
  for (int k = 0; k < dim; k++) {
    z[k] = rho[k] - u[k] / d[k > 0];
    own += elastic[k > 0] * r[at + (size_t)k] * r[at + (size_t)k];
    unilateral += energy[k > 0] * rho[k] * rho[k];
    if (k > 0) t += z[k] * z[k];
  }
  size[0] = own;
  size[1] = unilateral;
  if (item_is_box(p, i)) {
    for (int k = 0; k < dim; k++) {
      double off = rho[k] - item_clamp(&p->item[i], k, z[k]);
      sum += energy[k > 0] * off * off;
    }
    return sum;
  }
  double normal = z[0] > 0 ? z[0] : 0; // fmax is a call
  double bound = p->mu[i] * normal + (p->radius ? p->radius[i] : 0);
  double share = t > bound * bound ? bound / sqrt(t) : 1;
  sum = energy[0] * (rho[0] - normal) * (rho[0] - normal);
  for (int k = 1; k < dim; k++)
    sum += energy[1] * (rho[k] - share * z[k]) * (rho[k] - share * z[k]);
  return sum;
}

typedef struct {
  double residual, size[2], scaled[2], part;
  int worst;
} Sums;

static void add_contact(const Deformation *def, int i, const double *r, const double *u,
                        const double *scale, Sums *sums) {
  double size[2], part = contact_part(def, i, r, u, size);
  sums->residual += part;
  def->parts[i] = part;
  for (int k = 0; k < 2; k++) sums->size[k] += size[k];
  if (part > sums->part || !isfinite(part)) {
    sums->part = part;
    sums->worst = i;
  }
  if (scale) measure_add(def->p, i, scale[i], r, u, sums->scaled);
}

// Velocities of range [first, last) from r unless they are known.
static Sums range_sums(const Deformation *def, const double *r, const double *known,
                       const double *scale, int first, int last) {
  const Problem *p = def->p;
  size_t dim = (size_t)p->dim;
  Sums sums = {.worst = -1};
  for (int i = first; i < last; i++) {
    size_t at = (size_t)i * dim;
    double *u = def->u + at;
    if (known) {
      memcpy(u, known + at, dim * sizeof *u);
    } else {
      operator_row(p, i, r, u);
    }
    add_contact(def, i, r, u, scale, &sums);
  }
  return sums;
}

static void add_sums(Sums *all, const Sums *part) {
  all->residual += part->residual;
  for (int k = 0; k < 2; k++) {
    all->size[k] += part->size[k];
    all->scaled[k] += part->scaled[k];
  }
  if (!(part->part > all->part)) return;
  all->part = part->part;
  all->worst = part->worst;
}

// Sums of all contacts; the same for any number of threads.
static Sums all_sums(const Deformation *def, const double *r, const double *known,
                     const double *scale) {
  const Problem *p = def->p;
  if (!known) operator_set(p, r);
  if (!problem_for_threads(p)) return range_sums(def, r, known, scale, 0, p->n);
  Sums sum[PARTS] = {{0}}, all = {.worst = -1};
  int size = (p->n + PARTS - 1) / PARTS;
#pragma omp parallel for schedule(static)
  for (int part = 0; part < PARTS; part++) {
    int64_t first = (int64_t)part * size, last = first + size;
    if (first < p->n)
      sum[part] = range_sums(def, r, known, scale, (int)first, (int)(last < p->n ? last : p->n));
  }
  for (int part = 0; part < PARTS; part++) add_sums(&all, &sum[part]);
  return all;
}

static double residual(Deformation *def, const double *r, const double *known, const double *scale,
                       double *scaled) {
  Sums all = all_sums(def, r, known, scale);
  def->size = fmax(all.size[0], STRENGTH * STRENGTH * all.size[1]);
  def->part = all.part;
  def->worst = all.worst;
  if (scale) *scaled = measure_ratio(all.scaled[0], all.scaled[1]);
  def->residual =
      def->size > 0 || !(all.residual > 0) ? measure_ratio(all.residual, def->size) : ALL_WRONG;
  return def->residual;
}

double deformation_residual(Deformation *def, const double *r, const double *scale, double *scaled,
                            int64_t *blocks) {
  *blocks += operator_cost(def->p);
  return residual(def, r, NULL, scale, scaled);
}

double deformation_residual_known(Deformation *def, const double *r, const double *u) {
  return residual(def, r, u, NULL, NULL);
}

void deformation_times(const Deformation *def, const double *x, double *y, int64_t *blocks) {
  *blocks += operator_cost(def->p);
  operator_times(def->p, NULL, x, y);
}

// Statuses that `told` tells of contact i whose impulse is rho: dr [dim] of components that are
// given, held = 1 for those that stand still. `share` of the bound from which it slips.
static void status_of(const Deformation *def, int i, const double *told, const double *rho,
                      double share) {
  const Problem *p = def->p;
  int dim = p->dim;
  size_t at = (size_t)i * (size_t)dim;
  double *dr = def->dr + at, *held = def->held + at, t = 0;
  for (int k = 0; k < dim && item_is_box(p, i); k++) {
    held[k] = item_holds(&p->item[i], k, told[k]);
    dr[k] = held[k] > 0 ? 0 : item_clamp(&p->item[i], k, told[k]) - rho[k];
  }
  if (item_is_box(p, i)) return;
  for (int k = 1; k < dim; k++) t += told[k] * told[k];
  int closed = told[0] > 0;
  double bound = p->mu[i] * fmax(told[0], 0) + (p->radius ? p->radius[i] : 0);
  int slips = t >= share * share * bound * bound;
  for (int k = 0; k < dim; k++) {
    int stands = k == 0 ? closed : !slips;
    double goal = 0;
    if (k > 0 && slips && t > 0) goal = told[k] * bound / sqrt(t);
    held[k] = stands;
    dr[k] = stands ? 0 : goal - rho[k];
  }
}

// What tells statuses: the residual; the same with steps of the whole diagonal of W, as the scaled
// error takes them; or the impulses of the step before: there what springs have taken since is in
// the shift, and velocities say nothing.
typedef enum { OF_RESIDUAL, OF_MOTION, OF_BEFORE } StatusOf;

static void statuses(const Deformation *def, const double *r, StatusOf of) {
  const Problem *p = def->p;
  size_t dim = (size_t)p->dim;
  for (int i = 0; i < p->n; i++) {
    size_t at = (size_t)i * dim;
    const double *z = def->z + at, *u = def->u + at, *d = def->d + 2 * (size_t)i;
    double rho[3], told[3];
    for (size_t k = 0; k < dim; k++) {
      rho[k] = z[k] + u[k] / d[k > 0];
      told[k] = z[k];
      if (of == OF_MOTION) told[k] = rho[k] - u[k] / p->diag[(at + k) * dim + k];
      if (of == OF_BEFORE) told[k] = r[at + k] + (p->s ? p->s[at + k] : 0);
    }
    status_of(def, i, told, rho, of == OF_BEFORE ? ON_CONE_BEFORE : 1);
  }
}

// Where a parallel stiffness A goes on when rho is given, dr + A W dr = g is to be had of such a
// component: (W + 1/A) dr = g / A. dr held the g of those that are given.
static void hang_on_springs(Deformation *def) {
  const Problem *p = def->p;
  size_t dim = (size_t)p->dim;
  for (size_t at = 0; at < (size_t)p->n * dim; at++) {
    size_t pair = 2 * (at / dim) + (at % dim > 0);
    double a = p->a[pair];
    int hangs = !(def->held[at] > 0) && a > 0;
    def->spring[at] = hangs ? 1 / a : 0;
    def->sprung[at] = 1 / (def->weight[at] + def->spring[at]);
    if (!hangs) continue;
    def->held[at] = 1;
    def->dr[at] *= def->d[pair] * def->inverse[at];
  }
}

// x . W x less what moves bodies rigidly, |L^T x|^2; wx = W x. *noise: what round-off leaves of it.
static double elastic_energy(const Deformation *def, const double *x, const double *wx,
                             double *noise) {
  const Problem *p = def->p;
  size_t dim = (size_t)p->dim, modes = (size_t)p->bodies.n_modes;
  double sum = 0, rigid = 0;
  for (size_t k = 0; k < (size_t)p->n * dim; k++) sum += x[k] * wx[k];
  memset(def->rigid, 0, sizeof *def->rigid * (size_t)p->bodies.n_bodies * modes);
  for (size_t side = 0; side < 2 * (size_t)p->n; side++) {
    if (p->bodies.moved[side] < 0) continue;
    double *to = def->rigid + (size_t)p->bodies.moved[side] * modes;
    const double *lever = p->bodies.lever + side * dim * modes, *own = x + side / 2 * dim;
    for (size_t k = 0; k < dim; k++)
      for (size_t m = 0; m < modes; m++) to[m] += lever[k * modes + m] * own[k];
  }
  for (size_t k = 0; k < (size_t)p->bodies.n_bodies * modes; k++)
    rigid += def->rigid[k] * def->rigid[k];
  *noise = ENERGY_ROUND_OFF * rigid;
  return sum - rigid;
}

// What further steps would add to the energies of these n, as one goes by the fall of the last half
// of them, over that of all: 1 to MOST_AHEAD.
static double ahead(const double *energy, int n) {
  double sum = 0, early = energy[n / 2 - 1] + energy[n / 2 - 2],
         late = energy[n - 1] + energy[n - 2];
  for (int s = 0; s < n; s++) sum += energy[s];
  if (!(late > 0)) return 1;
  if (!(late < early)) return MOST_AHEAD;
  double fall = pow(late / early, 2.0 / n), rest = energy[n - 1] * fall / (1 - fall);
  return fmin(MOST_AHEAD, 1 + rest / sum);
}

// Energies of dr and r: |dr|_E / |r|_E squared; by D where the problem does not know its rigid
// motions, or these are so soft that nothing can be told. `own`: x . W^e x of r, not positive:
// unknown.
static double correction_square(const Deformation *def, double own) {
  const Problem *p = def->p;
  size_t dim = (size_t)p->dim;
  double sum = 0, noise;
  if (own > 0) {
    double energy = elastic_energy(def, def->dr, def->sum, &noise);
    return fmax(energy, noise) / own;
  }
  for (size_t k = 0; k < (size_t)p->n * dim; k++) sum += def->weight[k] * def->dr[k] * def->dr[k];
  return def->size > 0 ? sum / def->size : sum > 0;
}

// x . W^e x of the impulses r of the last residual; 0 where it is not known.
static double own_energy(Deformation *def, const double *r) {
  const Problem *p = def->p;
  double noise;
  if (!p->bodies.lever) return 0;
  for (size_t k = 0; k < (size_t)p->n * (size_t)p->dim; k++) def->image[k] = def->u[k] - p->b[k];
  double own = elastic_energy(def, r, def->image, &noise);
  return own > noise / KNOWN ? own : 0;
}

// A step of conjugate gradients: its length from the products of its way with W and D.
typedef struct {
  double product; // rest . D^-1 rest
  double length, brought;
  int leaps; // with little energy of its own it brings more than the one before
} Step;

// Looks along the way: image = W way. What the step would bring is 0 where there is nothing to be
// had.
static void look(Deformation *def, Step *step, int64_t *blocks) {
  size_t size = (size_t)def->p->n * (size_t)def->p->dim;
  const double *restrict way = def->way, *restrict image = def->image;
  double curvature = 0, own = 0, before = step->brought;
  deformation_times(def, way, def->image, blocks);
  for (size_t k = 0; k < size; k++) {
    curvature += way[k] * image[k];
    own += def->weight[k] * way[k] * way[k];
  }
  for (size_t k = 0; def->spring && k < size; k++) curvature += def->spring[k] * way[k] * way[k];
  step->brought = 0;
  if (!(curvature > NO_ENERGY * own)) return;
  step->length = step->product / curvature;
  step->brought = step->length * step->product;
  step->leaps = before > 0 && curvature < LITTLE_ENERGY * own && step->brought > before;
}

// Takes it; sum = W dr.
static void take(Deformation *def, Step *step) {
  size_t size = (size_t)def->p->n * (size_t)def->p->dim;
  double *restrict rest = def->rest, *restrict way = def->way, *restrict image = def->image;
  const double *restrict before = def->spring ? def->sprung : def->inverse;
  double next = 0, length = step->length;
  for (size_t k = 0; def->spring && k < size; k++) rest[k] -= length * def->spring[k] * way[k];
  for (size_t k = 0; k < size; k++) {
    def->dr[k] += length * way[k];
    def->sum[k] += length * image[k];
    rest[k] = def->held[k] * (rest[k] - length * image[k]);
    next += rest[k] * rest[k] * before[k];
  }
  double turn = next / step->product;
  for (size_t k = 0; k < size; k++) way[k] = rest[k] * before[k] + turn * way[k];
  step->product = next;
}

// The contact with the largest part of dr, if it is larger than that of the residual.
static void find_worst(Deformation *def) {
  size_t dim = (size_t)def->p->dim;
  for (int i = 0; i < def->p->n; i++) {
    double part = 0;
    for (size_t k = 0; k < dim; k++) {
      double x = def->dr[(size_t)i * dim + k];
      part += def->d[2 * (size_t)i + (k > 0)] * x * x;
    }
    if (part <= def->part) continue;
    def->part = part;
    def->worst = i;
  }
}

// What steps tell of the error: how large it is, nothing, or that there may be a null space.
typedef enum { TELL, TELL_NOTHING, TELL_NULL } Tell;

// Did the energies of n steps fall off?
static int fell(const double *energy, int n) {
  double most = 0, late = 0;
  int tail = n / 4 > 2 ? n / 4 : 2;
  for (int s = 0; s < n; s++) {
    most = fmax(most, energy[s]);
    if (s >= n - tail) late += energy[s] / tail;
  }
  return late < FELL * most;
}

// Statuses made exact and the first step.
static double correction_start(Deformation *def, const double *r, StatusOf of, int64_t *blocks) {
  const Problem *p = def->p;
  size_t size = (size_t)p->n * (size_t)p->dim;
  double product = 0;
  statuses(def, r, of);
  if (def->spring) hang_on_springs(def);
  const double *before = def->spring ? def->sprung : def->inverse;
  deformation_times(def, def->dr, def->sum, blocks);
  for (size_t k = 0; k < size; k++)
    def->rest[k] = def->held[k] > 0 ? -(def->u[k] + def->sum[k]) : 0;
  for (size_t k = 0; def->spring && k < size; k++) // (g - dr) / A = D dr there
    if (def->spring[k] > 0) def->rest[k] = def->weight[k] * def->dr[k] - def->sum[k];
  for (size_t k = 0; k < size; k++) {
    def->way[k] = def->rest[k] * before[k];
    product += def->rest[k] * def->way[k];
  }
  return product;
}

// Did they rise to many times the first? What hides then comes out in pieces.
static int rose(const double *energy, int n) {
  double late = 0;
  for (int s = STEPS / 2; s < n; s++) late = fmax(late, energy[s]);
  return late > ROSE * energy[0];
}

// B by conjugate gradients, from the `product` of its start. *tell: TELL_NOTHING where they do not
// know, TELL_NULL where that may be a null space.
static double correction_by_steps(Deformation *def, double own, double product, double enough,
                                  Tell *tell, int64_t *blocks) {
  double longer = fmin(LONGEST, fmax(1, def->row)), energy[MOST_STEPS * LONGEST] = {0};
  int sure = (int)(longer * (def->softness > STIFF ? SURE_STEPS : STEPS)), n = 0, done = 0;
  int settled = 0;
  int last = (int)(longer * MOST_STEPS), leapt = 0;
  double square = 0, more = 1, sum = 0;
  double over = fmax(LEAST_OVER, MOST_OVER * pow(def->row, 3)), most = pow(over * def->residual, 2);
  Step step = {.product = product};
  while (!done && n < last && step.product > 0 && isfinite(step.product)) {
    look(def, &step, blocks);
    if (!(step.brought > 0)) break;
    if (step.leaps && !leapt && !def->firm) {
      leapt = 1;
      last = (int)fmin(last, n + longer * MORE_STEPS);
    }
    take(def, &step);
    energy[n++] = step.brought;
    sum += step.brought; // the energy in W of all, at least as large as the elastic part
    if (leapt && sum >= most * own && correction_square(def, own) >= most) break;
    if (n % STEPS) continue;
    more = ahead(energy, n);
    square = correction_square(def, own);
    int accepts = square <= CLEARLY * enough * enough,
        refuses = enough > 0 && square > enough * enough && !leapt;
    int hidden = def->row > 1 && square > pow(HIDDEN * def->residual, 2);
    settled = accepts || refuses;
    done = (more < GO_ON && n >= (hidden ? (int)(longer * SURE_STEPS) : sure)) || settled;
  }
  find_worst(def);
  square = more * correction_square(def, own);
  int told = (n <= STEPS || done || fell(energy, n)) && (settled || !rose(energy, n));
  *tell = leapt ? TELL_NULL : told ? TELL : TELL_NOTHING;
  if (*tell != TELL) square = fmin(square, most);
  return measure_ratio(square, 1);
}

static double ridge_of(const Deformation *def) {
  return fmax(def->ridge, RIDGE_ROUND_OFF * DBL_EPSILON * def->softness);
}

// Rows of W + ridge D among what stands still, of the unit matrix elsewhere.
static void factor_rows(Deformation *def) {
  size_t dim = (size_t)def->p->dim, block = dim * dim;
  double ridge = ridge_of(def);
  memset(def->left, 0, (size_t)def->p->n * block * sizeof *def->left);
  memset(def->right, 0, (size_t)def->p->n * block * sizeof *def->right);
  for (size_t i = 0; i < (size_t)def->p->n; i++)
    for (size_t k = 0; k < dim; k++) {
      size_t at = i * block + k * (dim + 1);
      int held = def->held[i * dim + k] > 0;
      def->left[at] = held;
      def->right[at] = held ? ridge * def->weight[i * dim + k] : 1;
      if (def->spring) def->right[at] += def->spring[i * dim + k];
    }
}

// Factors for what is held now; those that there are may do. 0: singular.
static int has_factors(Deformation *def, int64_t *blocks) {
  int same = def->has_factors && !def->borrows;
  for (size_t k = 0; k < (size_t)def->p->n * (size_t)def->p->dim; k++) {
    double status = def->held[k] + (def->spring ? def->spring[k] : 0);
    same &= status == def->factored[k];
    def->factored[k] = status;
  }
  if (same) return 1;
  factor_rows(def);
  def->has_factors = block_lu_factor(&def->lu, def->p, def->left, def->right, blocks);
  return def->has_factors;
}

// dr, started, and W dr as factors of W have them. 0: they were singular.
static int solve_correction(Deformation *def, int64_t *blocks) {
  const Problem *p = def->p;
  size_t size = (size_t)p->n * (size_t)p->dim;
  if (!has_factors(def, blocks)) return 0;
  block_lu_solve(&def->lu, def->rest, def->way);
  *blocks += 2 * def->lu.l_ptr[p->n];
  for (size_t k = 0; k < size; k++)
    if (!isfinite(def->way[k])) return 0;
  deformation_times(def, def->way, def->image, blocks);
  for (size_t k = 0; k < size; k++) {
    def->dr[k] += def->way[k];
    def->sum[k] += def->image[k];
  }
  return 1;
}

// A of r + dr: what other statuses than those of the correction would still change.
static double residual_behind(Deformation *def, const double *r) {
  const Problem *p = def->p;
  size_t dim = (size_t)p->dim, size = (size_t)p->n * dim;
  double *z = def->rest, sum = 0, own[2];
  memcpy(z, def->z, size * sizeof *z);
  for (size_t k = 0; k < size; k++) {
    def->way[k] = r[k] + def->dr[k];
    def->image[k] = def->u[k] + def->sum[k];
  }
  for (int i = 0; i < p->n; i++)
    sum += contact_part(def, i, def->way, def->image + (size_t)i * dim, own);
  memcpy(def->z, z, size * sizeof *z);
  return measure_ratio(sum, def->size);
}

// Without friction there is one solution: r + dr is off by what its own residual says, whatever the
// statuses were, and r by no more than that and dr. Where they do not fit those of motion may.
static double bound_of_motion(Deformation *def, const double *r, double own, int64_t *blocks) {
  correction_start(def, r, OF_MOTION, blocks);
  if (!solve_correction(def, blocks)) return (double)INFINITY;
  return measure_ratio(correction_square(def, own), 1) + residual_behind(def, r);
}

// Velocities that no impulses of these statuses stop ask for others: with strengths among the
// impulses they may go far along what nothing determines before statuses change. Factors have left
// ridge D dr of them.
static double asked_of_others(const Deformation *def, double own) {
  double square = 0, ridge = ridge_of(def), over = fmin(MOST_SELF_STRESS, def->size / own);
  if (!def->bonded || def->spring || over < SELF_STRESS) return 0;
  for (size_t k = 0; k < (size_t)def->p->n * (size_t)def->p->dim; k++)
    square += def->weight[k] * def->way[k] * def->way[k];
  return ASKED * sqrt(ridge * measure_ratio(square, def->size) * over);
}

double deformation_correction(Deformation *def, const double *r, double enough, int64_t *blocks) {
  double own = own_energy(def, r), product = correction_start(def, r, OF_RESIDUAL, blocks),
         claim = 0;
  Tell tell = TELL_NOTHING;
  int factors = def->lu.made && own > 0;
  int at_once = def->hides || (def->convex && def->residual > SETTLED * enough);
  def->bound = (double)INFINITY;
  if (!factors || !at_once) {
    claim = correction_by_steps(def, own, product, enough, &tell, blocks);
    if (!factors && tell == TELL_NOTHING && own > 0) factors = late_factors(def);
    if (!factors || tell == TELL) return claim;
    product = correction_start(def, r, OF_RESIDUAL, blocks);
  }
  if (!solve_correction(def, blocks))
    return correction_by_steps(def, own, product, enough, &tell, blocks);
  find_worst(def);
  double asked = asked_of_others(def, own), solved = measure_ratio(correction_square(def, own), 1);
  double behind = residual_behind(def, r);
  if (def->convex) def->bound = solved + behind;
  if (def->convex && behind > solved && def->bound > enough)
    def->bound = fmin(def->bound, bound_of_motion(def, r, own, blocks));
  return solved + fmin(behind, fmax(asked, UNSETTLED * fmax(def->residual, solved)));
}

double deformation_claim(Deformation *def, const double *r, double enough, int64_t *blocks) {
  double a = def->residual;
  if (enough > 0 && !(a <= enough)) return a;
  double b = deformation_correction(def, r, enough, blocks);
  return fmin(fmax(a, b), def->bound);
}

int deformation_step(Deformation *def, const double *r, int before, int64_t *blocks) {
  correction_start(def, r, before ? OF_BEFORE : OF_RESIDUAL, blocks);
  return def->lu.made && solve_correction(def, blocks);
}

const double *deformation_way(Deformation *def, const double *r, double enough, int64_t *blocks) {
  if (def->has_factors) {
    Tell tell;
    double own = own_energy(def, r), product = correction_start(def, r, OF_RESIDUAL, blocks);
    correction_by_steps(def, own, product, enough, &tell, blocks);
  }
  return def->dr;
}

double deformation_round_off(const Deformation *def, const double *r) {
  const Problem *p = def->p;
  size_t dim = (size_t)p->dim;
  double sum = 0, norm = 0;
  operator_set_sizes(p, r);
  for (size_t at = 0; at < (size_t)p->n * dim; at++) {
    double u = 0.5 * DBL_EPSILON * operator_size(p, at, r);
    sum += u * u * def->inverse[at];
    norm += def->weight[at] * r[at] * r[at];
  }
  return measure_ratio(sum, norm);
}

void deformation_project(const Deformation *def, int i, double *rho) {
  const Problem *p = def->p;
  size_t dim = (size_t)p->dim;
  const double *z = def->z + (size_t)i * dim;
  for (size_t k = 0; k < dim && item_is_box(p, i); k++)
    rho[k] = item_clamp(&p->item[i], (int)k, z[k]);
  if (item_is_box(p, i)) return;
  double t = 0, normal = fmax(z[0], 0);
  for (size_t k = 1; k < dim; k++) t += z[k] * z[k];
  double bound = p->mu[i] * normal + (p->radius ? p->radius[i] : 0);
  double share = t > bound * bound ? bound / sqrt(t) : 1;
  rho[0] = normal;
  for (size_t k = 1; k < dim; k++) rho[k] = share * z[k];
}

double deformation_error(Deformation *def, const double *r, double enough, int64_t *blocks) {
  deformation_residual(def, r, NULL, NULL, blocks);
  return deformation_claim(def, r, enough, blocks);
}
