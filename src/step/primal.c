#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "solver/measure.h"
#include "step/newton_internal.h"

// Contact together with the bodies, without W.
//
// Semi-smooth Newton on velocities and impulses together, after Alart and Curnier 1991 and the
// primal-dual active sets of contact problems: each iterate decides from both which contacts are
// closed and which slip, each contact becomes an affine law, and A + H S H^T is factorised once.
// Constraints that hold are penalised by RHO times the stiffness, with the impulse carried along,
// so nothing yields in the end. The coupling of friction to the normal impulse is left to the next
// iterate, which keeps the matrix symmetric.

// Penalty of the augmented Lagrangian over the largest diagonal entry of A at the contact's nodes:
// the multipliers contract by at least this factor an iteration, and the matrix keeps nine digits.
// Where nodes of both sides hold one another, impulses that nearly cancel contract far slower, by
// tenths of a per cent an iteration on a folded body. So where nothing but impulses is left to be
// found and their error does not fall by RHO_SLOW, the penalty grows, at most to RHO_MOST; not
// before RHO_PATIENCE iterations, which most steps end within, nor in sheets, which are soft in
// bending.
enum { RHO_PATIENCE = 6 };
static const double RHO = 1e3, RHO_SLOW = 0.5, RHO_RISE = 10, RHO_MOST = 1e7;

// Weight of velocities in what decides the status, in that stiffness: small, so that a closed
// contact opens by the sign of its impulse, and a sliding one that turns round sticks first.
static const double DECIDE = 1e-2;

// Impulses of all contacts over what drives them, below which they are faint: a blow that comes
// through a block in one step is 1e-11 of it. Weights in steps of 1e-7 s are 1e-8 of what slides.
static const double FAINT = 1e-10;

enum { MAX_SITES = 2 * MAX_SITE_NODES, CAREFUL_ROUNDS = 20 };

// A contact as the system sees it.
typedef struct {
  int n;                   // nodes that yield
  int32_t site[MAX_SITES]; // first unknown of the node
  double weight[MAX_SITES];
  double shift[3], s[3]; // a of u' = u + a + C r, impulse shift
  double compliance[3];
  double mu, radius;
  double touch;                    // approach that is nothing but rounding       [m/s]
  double node;                     // largest diagonal entry of A at its nodes    [kg]
  double rho;                      // penalty                                     [kg]
  double base[3], stiffness[3][3]; // affine law r = base - S u of the increment
  double jump[3];                  // its r at the start less that of the iterate
  uint8_t closed, slips;
  uint8_t loose; // 1: the friction threshold is that of the present prediction
} PrimalContact;

struct Primal {
  Sparse a;
  Factor *factor;
  int32_t **place; // [n_finite] entry of `a` for each entry of the body's matrix
  int n_matrices;
  int64_t *extra; // [n_extra] row << 32 | column beyond the bodies' own, sorted
  size_t n_extra, extra_capacity, fresh_capacity;
  int64_t *fresh;
  int ready;          // 1: pattern and analysis are those of `extra`
  uint64_t signature; // of the couplings that `extra` was made of
  int n, rho_known;
  size_t capacity, u_capacity;
  PrimalContact *contact;
  double *u; // [dim n] relative velocities
};

void primal_free(Primal *primal) {
  if (!primal) return;
  sparse_free(&primal->a);
  factor_free(primal->factor);
  for (int k = 0; primal->place && k < primal->n_matrices; k++) mem_free(primal->place[k]);
  mem_free(primal->place);
  mem_free(primal->extra);
  mem_free(primal->fresh);
  mem_free(primal->contact);
  mem_free(primal->u);
  mem_free(primal);
}

static Status primal_new(Primal **out, const NewtonStep *step, NewtonWork *work, Err *err) {
  (void)step;
  MEM_NEW(*out, 1, err);
  Primal *primal = *out;
  primal->n_matrices = work->system.n_matrices;
  MEM_NEW(primal->place, primal->n_matrices, err);
  for (int k = 0; k < primal->n_matrices; k++) {
    const Sparse *own = &work->system.matrix[k].matrix;
    MEM_NEW(primal->place[k], own->ptr[own->n], err);
  }
  return factor_new(&primal->factor, err);
}

// ---- pattern ------------------------------------------------------------------------------------

static int compare_keys(const void *a, const void *b) {
  int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
  return (x > y) - (x < y);
}

// First unknown of the tools, which come last.
static int first_of_tools(const BodySet *bs, const FiniteSystem *system) {
  (void)bs;
  return system->first_tool;
}

// Directions in which a tool is led take no part: what slides along a led tool goes from one to
// another without a change of the pattern.
static int is_led(const FiniteSystem *system, int tools, int i) {
  return i >= tools && system->fixed[i];
}

static Status add_coupling(Primal *primal, const BodySet *bs, const FiniteSystem *system, size_t *n,
                           int i, int j, Err *err) {
  int dim = bs->dim, tools = first_of_tools(bs, system);
  TRY(mem_grow((void **)&primal->fresh, &primal->fresh_capacity, *n + 2 * (size_t)(dim * dim),
               sizeof *primal->fresh, err));
  for (int a = 0; a < dim; a++)
    for (int b = 0; b < dim; b++) {
      if (is_led(system, tools, i + a) || is_led(system, tools, j + b)) continue;
      primal->fresh[(*n)++] = (int64_t)(i + a) << 32 | (j + b);
      primal->fresh[(*n)++] = (int64_t)(j + b) << 32 | (i + a);
    }
  return OK;
}

// A free tool is coupled with all nodes that may ever touch it: so the pattern need not change when
// contacts come and go.
static Status couple_tools(Primal *primal, const NewtonStep *step, const FiniteSystem *system,
                           size_t *n, Err *err) {
  const BodySet *bs = &step->model->bodies;
  const ContactModel *cm = &step->model->contact;
  for (int t = 0; t < bs->n_tools; t++) {
    int tool = bs->tools[t].body, at = newton_unknown(bs, system, bs->node_ptr[tool], 0);
    if (!bodies_yields(bs, tool)) continue;
    TRY(add_coupling(primal, bs, system, n, at, at, err)); // its directions with one another
    for (int k = 0; k < bs->n_finite; k++) {
      int body = bs->finite[k].body, i = cm->class_of[body], j = cm->class_of[tool];
      if (cm->rule_of[i * cm->n_classes + j] < 0 && cm->rule_of[j * cm->n_classes + i] < 0)
        continue;
      const Skin *skin = bodies_skin(bs, body);
      int count = skin->n_nodes > 0 ? skin->n_nodes : bs->finite[k].form.n_nodes;
      for (int m = 0; m < count; m++) {
        int node = bs->node_ptr[body] + (skin->n_nodes > 0 ? skin->node[m] : m);
        TRY(add_coupling(primal, bs, system, n, newton_unknown(bs, system, node, 0), at, err));
      }
    }
  }
  return OK;
}

static Status couple_contacts(Primal *primal, const BodySet *bs, const FiniteSystem *system,
                              size_t *n, Err *err) {
  for (int c = 0; c < primal->n; c++) {
    const PrimalContact *contact = &primal->contact[c];
    for (int i = 0; i < contact->n; i++)
      for (int j = 0; j < i; j++)
        if (contact->site[i] != contact->site[j])
          TRY(add_coupling(primal, bs, system, n, contact->site[i], contact->site[j], err));
  }
  return OK;
}

// Entries of the rows of bodies, then those of `extra`, merged.
static Status build_pattern(Primal *primal, const FiniteSystem *system, Err *err) {
  Sparse *a = &primal->a;
  size_t own = 0;
  for (int k = 0; k < primal->n_matrices; k++)
    own += (size_t)system->matrix[k].matrix.ptr[system->matrix[k].n];
  sparse_free(a);
  a->n = system->n;
  MEM_NEW(a->ptr, system->n + 1, err);
  MEM_NEW(a->col, own + primal->n_extra + (size_t)system->n, err);
  MEM_NEW(a->val, own + primal->n_extra + (size_t)system->n, err);
  size_t extra = 0;
  int64_t at = 0;
  int k = 0;
  for (int row = 0; row < system->n; row++) {
    while (k < primal->n_matrices && row >= system->matrix[k].first + system->matrix[k].n) k++;
    const FiniteMatrix *m = k < primal->n_matrices ? &system->matrix[k] : NULL;
    int64_t from = m ? m->matrix.ptr[row - m->first] : 0,
            to = m ? m->matrix.ptr[row - m->first + 1] : 0;
    int diagonal = m == NULL; // a tool's row has no entries of its own
    for (;;) {
      int32_t body_col = from < to ? m->matrix.col[from] + m->first : INT32_MAX;
      int32_t extra_col = extra < primal->n_extra && primal->extra[extra] >> 32 == row
                              ? (int32_t)(primal->extra[extra] & 0x7fffffff)
                              : INT32_MAX;
      int32_t own_col = diagonal ? row : INT32_MAX;
      int32_t col = body_col < extra_col ? body_col : extra_col;
      if (own_col < col) col = own_col;
      if (col == INT32_MAX) break;
      if (col == body_col) primal->place[k][from++] = (int32_t)at;
      if (col == extra_col) extra++;
      if (col == own_col) diagonal = 0;
      a->col[at++] = col;
    }
    a->ptr[row + 1] = at;
  }
  return OK;
}

// A number that tells the unknowns coupled by contacts and led by tools from others (FNV-1a).
static uint64_t couplings(const Primal *primal, const BodySet *bs, const FiniteSystem *system) {
  const uint64_t prime = 1099511628211u;
  uint64_t hash = 14695981039346656037u;
  for (int i = first_of_tools(bs, system); i < system->n; i++)
    hash = (hash ^ (uint64_t)system->fixed[i]) * prime;
  for (int c = 0; c < primal->n; c++) {
    const PrimalContact *contact = &primal->contact[c];
    for (int i = 0; i < contact->n && contact->n > 1; i++)
      hash = (hash ^ (uint64_t)contact->site[i]) * prime;
    hash = (hash ^ (uint64_t)(contact->n > 1)) * prime;
  }
  return hash;
}

static Status make_pattern(Primal *primal, const NewtonStep *step, const FiniteSystem *system,
                           Err *err) {
  size_t n = 0, unique = 0;
  uint64_t signature = couplings(primal, &step->model->bodies, system);
  if (primal->ready && signature == primal->signature) return OK;
  primal->signature = signature;
  TRY(couple_tools(primal, step, system, &n, err));
  TRY(couple_contacts(primal, &step->model->bodies, system, &n, err));
  if (n > 0) qsort(primal->fresh, n, sizeof *primal->fresh, compare_keys);
  for (size_t k = 0; k < n; k++)
    if (unique == 0 || primal->fresh[unique - 1] != primal->fresh[k])
      primal->fresh[unique++] = primal->fresh[k];
  int same =
      primal->ready && unique == primal->n_extra &&
      (unique == 0 || memcmp(primal->fresh, primal->extra, unique * sizeof *primal->extra) == 0);
  if (same) return OK;
  TRY(mem_grow((void **)&primal->extra, &primal->extra_capacity, unique + 1, sizeof *primal->extra,
               err));
  if (unique > 0) memcpy(primal->extra, primal->fresh, unique * sizeof *primal->extra);
  primal->n_extra = unique;
  primal->ready = 0;
  return build_pattern(primal, system, err);
}

// ---- contacts -----------------------------------------------------------------------------------

static void take_contact(const NewtonStep *step, const FiniteSystem *system, const Problem *problem,
                         const Contact *from, int c, const double *u, PrimalContact *to) {
  int dim = problem->dim;
  PrimalContact fresh = {.mu = problem->mu[c],
                         .radius = problem->radius ? problem->radius[c] : 0,
                         .touch = TOUCH * step->model->contact.alert / step->contact.size.h,
                         .loose = step->work->newton->loose != NULL};
  for (const Site *side = from->side; side < from->side + 2; side++)
    for (int j = 0; j < side->n; j++) {
      int at = newton_unknown(&step->model->bodies, system, side->node[j], 0);
      if (at < 0 || side->weight[j] == 0) continue;
      fresh.site[fresh.n] = at;
      fresh.weight[fresh.n++] = side->weight[j];
    }
  for (int i = 0; i < dim; i++) {
    fresh.shift[i] = problem->b[dim * c + i] - u[i];
    fresh.s[i] = problem->s ? problem->s[dim * c + i] : 0;
    fresh.compliance[i] = problem->diag[(size_t)dim * dim * c + (dim + 1) * i];
  }
  *to = fresh;
}

// Shifts of the laws from a problem made at velocities v (contact_laws).
static Status primal_begin(Primal *primal, const NewtonStep *step, const Problem *problem,
                           const double *v, Err *err) {
  const FiniteSystem *system = &step->work->newton->system;
  const Contact *list = contact_list(step->work->contact);
  int dim = problem->dim, same = primal->n == problem->n && primal->rho_known;
  TRY(mem_grow((void **)&primal->contact, &primal->capacity, (size_t)problem->n + 1,
               sizeof *primal->contact, err));
  TRY(mem_grow((void **)&primal->u, &primal->u_capacity, (size_t)(dim * problem->n) + 1,
               sizeof *primal->u, err));
  primal->n = problem->n;
  contact_velocities(step->work->contact, v, primal->u);
  for (int c = 0; c < problem->n; c++) {
    double rho = primal->contact[c].rho, node = primal->contact[c].node;
    uint8_t slips = primal->contact[c].slips, closed = primal->contact[c].closed;
    take_contact(step, system, problem, &list[c], c, primal->u + (size_t)dim * c,
                 &primal->contact[c]);
    primal->contact[c].rho = same ? rho : 0;
    primal->contact[c].node = same ? node : 0;
    primal->contact[c].slips = same ? slips : 0;
    primal->contact[c].closed = same ? closed : 0;
  }
  return OK;
}

// A new step: penalties are chosen anew at its first increment.
static void primal_restart(Primal *primal) {
  primal->rho_known = 0;
}

// Largest diagonal entry of A at a node. What stands there for a tool without mass only slows its
// iterates down, and has nothing to do with the contact: with a tenth of the sheet's stiffness a
// node that the tool meets while it slides would stick first, and the iteration run in circles.
static double stiffest(const FiniteSystem *system, const Sparse *a, int site, int dim) {
  double most = 0;
  for (int i = 0; i < dim; i++)
    if (!system->fixed[site + i] && !system->massless[site + i])
      most = fmax(most, a->val[sparse_find(a, site + i, site + i)]);
  return most;
}

// rho from A as it stands without contacts: of the softer side.
static void choose_rho(Primal *primal, const NewtonStep *step, const FiniteSystem *system) {
  int dim = step->model->bodies.dim;
  double largest = 0;
  for (int i = 0; i < system->n; i++) {
    int64_t at = sparse_find(&primal->a, i, i);
    if (!system->fixed[i]) largest = fmax(largest, primal->a.val[at]);
  }
  for (int c = 0; c < primal->n; c++) {
    PrimalContact *contact = &primal->contact[c];
    double side[2] = {0, 0};
    for (int j = 0; j < contact->n; j++) {
      double *own = &side[contact->weight[j] < 0];
      *own = fmax(*own, stiffest(system, &primal->a, contact->site[j], dim));
    }
    double softer = side[0] > 0 && side[1] > 0 ? fmin(side[0], side[1]) : fmax(side[0], side[1]);
    contact->node = softer > 0 ? softer : largest;
    contact->rho = RHO * contact->node;
  }
  primal->rho_known = 1;
}

// Normal impulse that friction has its threshold from. A body that only friction holds would run
// away before it has one: there it is the prediction, of the weight that the status is decided
// with. With that of the penalty a node that comes in would stick whatever it slides, and the
// iteration run in circles.
static double threshold_of(const PrimalContact *contact, const double *u, const double *r) {
  double normal = r[0], weight = DECIDE * contact->node;
  if (contact->loose)
    normal = (normal - weight * (u[0] + contact->shift[0])) / (1 + weight * contact->compliance[0]);
  return fmax(0, normal + contact->s[0]);
}

// The status of a contact at (u, r): by q - rho_d (u + a + C r), q the impulse with its shift,
// against the cone whose threshold is that of r. It sets the affine law r = base - S u that the
// next increment solves with: closed and sticking contacts hold u + a + C r = 0 up to RHO, slipping
// ones q = limit d - kappa P u with the direction d of q - rho_d u and P across it: the
// linearisation of the cone at the end of the increment.
static void linearise(PrimalContact *contact, int dim, const double *u, const double *r) {
  double hat[3] = {0}, size = 0, decide = DECIDE * contact->node;
  double limit = contact->radius + contact->mu * threshold_of(contact, u, r), old = 1;
  if (contact->slips) old = hypot(r[1] + contact->s[1], dim == 3 ? r[2] + contact->s[2] : 0);
  double grown =
      contact->slips && old > 0 ? limit / old : 1; // impulse of a sliding contact with the limit
  memset(contact->stiffness, 0, sizeof contact->stiffness);
  for (int i = 0; i < dim; i++) {
    double w = u[i] + contact->shift[i], soft = 1 / (1 + contact->rho * contact->compliance[i]);
    hat[i] = (i > 0 ? grown : 1) * (r[i] + contact->s[i]);
    hat[i] -= decide * (w + contact->compliance[i] * r[i]);
    contact->base[i] = soft * (r[i] - contact->rho * contact->shift[i]);
    contact->stiffness[i][i] = soft * contact->rho;
    if (i > 0) size += hat[i] * hat[i];
  }
  size = sqrt(size);
  int closed = contact->closed;
  contact->closed = hat[0] >= -decide * contact->touch; // touching without force: closed
  // What touches and pulls by more has opened, and would pull again each time it is closed.
  if (closed && !contact->closed && hat[0] < 0 && !contact->loose) contact->touch = 0;
  if (!contact->closed) {
    contact->base[0] = -contact->s[0];
    contact->stiffness[0][0] = 0;
  }
  if (!contact->closed) limit = contact->radius;
  contact->slips = size >= limit;
  if (!contact->slips) return;
  double share = size > 0 ? limit / size : 0, kappa = decide * share;
  kappa = fmin(kappa / fmax(1 - share, 1 / RHO), contact->stiffness[1][1]);
  size = fmax(size, DBL_MIN);
  for (int i = 1; i < dim; i++) {
    contact->base[i] = limit * hat[i] / size - contact->s[i];
    for (int j = 1; j < dim; j++) {
      double across = (i == j) - (hat[i] / size) * (hat[j] / size);
      contact->stiffness[i][j] = kappa * across;
      contact->base[i] -= kappa * across * contact->shift[j];
    }
  }
}

// r of the affine law.
static void affine(const PrimalContact *contact, int dim, const double *u, double *r) {
  for (int i = 0; i < dim; i++) {
    r[i] = contact->base[i];
    for (int j = 0; j < dim; j++) r[i] -= contact->stiffness[i][j] * u[j];
  }
}

// Distance of q to its projection on the cone from (u, r), squared.
static double defect(const PrimalContact *contact, int dim, const double *u, const double *r) {
  double q[3] = {0}, hat[3] = {0}, size = 0, sum, decide = contact->node;
  for (int i = 0; i < dim; i++) {
    q[i] = r[i] + contact->s[i];
    hat[i] = q[i] - decide * (u[i] + contact->shift[i] + contact->compliance[i] * r[i]);
    if (i > 0) size += hat[i] * hat[i];
  }
  size = sqrt(size);
  double limit = contact->mu * fmax(0, q[0]) + contact->radius;
  double share = size > limit ? limit / size : 1, normal = fmax(0, hat[0]) - q[0];
  sum = normal * normal;
  for (int i = 1; i < dim; i++) sum += (share * hat[i] - q[i]) * (share * hat[i] - q[i]);
  return sum;
}

// Impulses at v by the affine laws of the last increment, less a share `back` of how these jumped
// at its start.
static void primal_impulses(Primal *primal, const NewtonStep *step, const double *v, double back,
                            double *r) {
  int dim = step->model->bodies.dim;
  contact_velocities(step->work->contact, v, primal->u);
  for (int c = 0; c < primal->n; c++) {
    affine(&primal->contact[c], dim, primal->u + (size_t)dim * c, r + (size_t)dim * c);
    for (int i = 0; i < dim; i++) r[dim * c + i] -= back * primal->contact[c].jump[i];
  }
}

// Errors of impulses r at the velocities of the last primal_impulses, of impulses below `least` as
// if they were that large. Its steps are those of the nodes' stiffness, which knows no rigid
// motion: the scaled error is the plain norm, that in the energy of deformation is weighted with
// the nodes' compliance, or the plain one if that is larger.
typedef struct {
  double scaled, deformation;
  int worst; // contact with the largest part of the second, -1: none
} PrimalError;
static PrimalError primal_error(const Primal *primal, const NewtonStep *step, const double *r,
                                double least) {
  int dim = step->model->bodies.dim;
  double square = 0, norm = 0, energy = 0, size = 0, soft = 0, largest = 0;
  PrimalError error = {.worst = -1};
  for (int c = 0; c < primal->n; c++) {
    const double *own = r + (size_t)dim * c;
    const PrimalContact *contact = &primal->contact[c];
    double part = defect(contact, dim, primal->u + (size_t)dim * c, own), d = 1 / contact->node;
    square += part;
    energy += d * part;
    soft += d / primal->n;
    for (int i = 0; i < dim; i++) {
      norm += own[i] * own[i];
      size += d * own[i] * own[i];
    }
    if (d * part <= largest) continue;
    largest = d * part;
    error.worst = c;
  }
  error.scaled = measure_ratio(square, fmax(norm, least * least));
  error.deformation = fmax(error.scaled, measure_ratio(energy, fmax(size, soft * least * least)));
  return error;
}

// Contacts as they graze (measure.h), beside forces of bodies whose squares have been `seen`; what
// is less than decides whether one touches is nothing, where `faint`. 0: they hold by more.
static int find_graze(const Primal *primal, const NewtonStep *step, const double *r, double seen,
                      int faint, Graze *graze) {
  int dim = step->model->bodies.dim;
  *graze = (Graze){.driven = seen};
  for (int c = 0; c < primal->n; c++) {
    const PrimalContact *contact = &primal->contact[c];
    const double *own = r + (size_t)dim * c, *u = primal->u + (size_t)dim * c;
    double moves[3] = {0}, b[3] = {0};
    if (contact->radius > 0) return 0;
    for (int i = 0; i < dim; i++) {
      if (contact->s[i] != 0) return 0;
      moves[i] = u[i] + contact->shift[i] + contact->compliance[i] * own[i];
      b[i] = moves[i] - own[i] / contact->node;
    }
    double rest = measure_contact(dim, contact->mu, 0, contact->node, moves, own);
    graze->nothing = faint ? DECIDE * contact->node * contact->touch : 0;
    measure_graze(graze, dim, rest, contact->node, b, own);
  }
  return 1;
}

// Is all that is left of contacts that only graze round-off of the velocities that drive them, each
// as if it brought what its nodes weigh to rest alone? Or are all of their impulses so faint that
// bodies would not move otherwise without them?
static int only_grazes(const Primal *primal, const NewtonStep *step, const double *r, double seen,
                       double *left) {
  Graze graze;
  if (!find_graze(primal, step, r, seen, 0, &graze)) return 0;
  if (measure_only_grazes(&graze, left)) return 1;
  if (graze.norm > FAINT * FAINT * graze.driven) return 0;
  return find_graze(primal, step, r, seen, 1, &graze) && measure_only_grazes(&graze, left);
}

// ---- the increment ------------------------------------------------------------------------------

// A += H S H^T of one contact.
static void add_stiffness(Sparse *a, const FiniteSystem *system, const Contact *geometry,
                          const PrimalContact *contact, int dim) {
  double local[3][3], global[3][3] = {{0}};
  memcpy(local, contact->stiffness, sizeof local);
  for (int i = 1; i < dim && contact->loose && contact->slips; i++)
    local[i][i] += SLIP_FLOOR * RHO * contact->node;
  for (int p = 0; p < dim; p++)
    for (int q = 0; q < dim; q++)
      for (int i = 0; i < dim; i++)
        for (int j = 0; j < dim; j++)
          global[p][q] += geometry->axis[i][p] * local[i][j] * geometry->axis[j][q];
  for (int i = 0; i < contact->n; i++)
    for (int j = 0; j < contact->n; j++)
      for (int p = 0; p < dim; p++)
        for (int q = 0; q < dim; q++) {
          int row = contact->site[i] + p, col = contact->site[j] + q;
          if (system->fixed[row] || system->fixed[col]) continue;
          a->val[sparse_find(a, row, col)] +=
              contact->weight[i] * contact->weight[j] * global[p][q];
        }
}

static void assemble_bodies(Primal *primal, const NewtonStep *step, FiniteSystem *system,
                            double inertia) {
  const BodySet *bs = &step->model->bodies;
  Sparse *a = &primal->a;
  memset(a->val, 0, sizeof *a->val * (size_t)a->ptr[a->n]);
  for (int k = 0; k < primal->n_matrices; k++) {
    const Sparse *own = &system->matrix[k].matrix;
    finite_matrix(system, k, step->contact.size, inertia);
    for (int64_t e = 0; e < own->ptr[own->n]; e++) a->val[primal->place[k][e]] = own->val[e];
  }
  for (int i = first_of_tools(bs, system); i < system->n; i++)
    a->val[sparse_find(a, i, i)] = system->fixed[i] ? 1 : system->mass[i];
}

// Where the statuses of an increment are decided, and where it starts from.
typedef struct {
  const double *u, *r;   // [dim n] relative velocities and impulses that decide
  const double *u0, *r0; // those at its start
  double *impulse;       // [dim n] of the affine laws at its start
} Decide;

// Status of contact c, its impulse and its part of the matrix. Returns whether the status is
// another one.
static int add_contact(Primal *primal, const FiniteSystem *system, const Contact *geometry, int c,
                       int dim, const Decide *by) {
  PrimalContact *contact = &primal->contact[c];
  size_t at = (size_t)dim * (size_t)c;
  uint8_t closed = contact->closed, slips = contact->slips;
  linearise(contact, dim, by->u + at, by->r + at);
  affine(contact, dim, by->u0 + at, by->impulse + at);
  for (int i = 0; i < dim; i++)
    contact->jump[i] = by->impulse[at + (size_t)i] - by->r0[at + (size_t)i];
  if (contact->closed || contact->radius > 0)
    add_stiffness(&primal->a, system, geometry, contact, dim);
  return contact->closed != closed || (closed && contact->slips != slips);
}

// dv from g at velocities v with the affine laws of the statuses that `by` decides.
static Status solve_statuses(Primal *primal, NewtonStep *step, NewtonWork *work, const Decide *by,
                             double *nodal, double *dv, int *changed, Err *err) {
  FiniteSystem *system = &work->system;
  const BodySet *bs = &step->model->bodies;
  const Contact *list = contact_list(step->work->contact);
  int dim = bs->dim, row;
  Status status = OK;
  int statics = step->model->steps.newton.statics;
  const int first = statics ? N_INERTIAS - 1 : 0;
  for (int trial = first; trial < N_INERTIAS; trial++) {
    assemble_bodies(primal, step, system, statics ? 0 : finite_inertias[trial]);
    if (!primal->rho_known) choose_rho(primal, step, system);
    int others = 0;
    for (int c = 0; c < primal->n; c++) others += add_contact(primal, system, &list[c], c, dim, by);
    if (trial == first) *changed = others;
    if (status != OK) err_clear(err);
    status =
        factor_make(primal->factor, &primal->a, !primal->ready, trial < N_INERTIAS - 1, &row, err);
    primal->ready = status != ERR_SYSTEM;
    if (status != ERR_NUMERIC) break;
  }
  if (status != OK && row >= 0)
    err_note(err, "body '%s' declared at %s:%d", bs->name[system->body[row]],
             bs->src[system->body[row]].file, bs->src[system->body[row]].line);
  TRY(status);
  memset(nodal, 0, sizeof *nodal * (size_t)bs->n_nodes * (size_t)dim);
  contact_add_impulses(step->work->contact, by->impulse, nodal);
  for (int i = 0; i < system->n; i++) {
    double force = system->dof[i] >= 0 ? nodal[system->dof[i]] : 0;
    work->b[i] = system->fixed[i] ? 0 : work->g[i] + force;
  }
  TRY(factor_solve(primal->factor, 1, work->b, dv, err));
  for (int i = 0; i < system->n; i++)
    if (system->fixed[i]) dv[i] = 0;
  return OK;
}

// dv from g at velocities v with impulses r (predicted at v). A careful increment decides its
// statuses again by what it comes to, as W's solver does, until they stay.
static Status primal_increment(Primal *primal, NewtonStep *step, NewtonWork *work, const double *v,
                               const double *r, double *dv, int *changed, Err *err) {
  const FiniteSystem *system = &work->system;
  const BodySet *bs = &step->model->bodies;
  Arena *arena = &step->work->arena;
  int dim = bs->dim, others;
  size_t nodes = (size_t)bs->n_nodes * (size_t)dim, size = (size_t)dim * (size_t)primal->n;
  double *impulse, *nodal, *start, *v_next, *r_next;
  ARENA_NEW(impulse, size + 1, arena, err);
  ARENA_NEW(nodal, nodes, arena, err);
  contact_velocities(step->work->contact, v, primal->u);
  TRY(make_pattern(primal, step, system, err));
  Decide by = {.u = primal->u, .r = r, .u0 = primal->u, .r0 = r, .impulse = impulse};
  TRY(solve_statuses(primal, step, work, &by, nodal, dv, changed, err));
  if (!work->careful || *changed == 0) return OK;
  ARENA_NEW(start, size + 1, arena, err);
  ARENA_NEW(v_next, nodes, arena, err);
  ARENA_NEW(r_next, size + 1, arena, err);
  memcpy(start, primal->u, sizeof *start * size);
  by.u0 = start;
  by.r = r_next;
  for (int k = 0; k < CAREFUL_ROUNDS; k++) {
    memcpy(v_next, v, sizeof *v * nodes);
    for (int i = 0; i < system->n; i++)
      if (system->dof[i] >= 0) v_next[system->dof[i]] += dv[i];
    contact_velocities(step->work->contact, v_next, primal->u);
    for (int c = 0; c < primal->n; c++)
      affine(&primal->contact[c], dim, primal->u + (size_t)dim * c, r_next + (size_t)dim * c);
    TRY(solve_statuses(primal, step, work, &by, nodal, dv, &others, err));
    if (others == 0) break;
  }
  return OK;
}

// ---- the way ------------------------------------------------------------------------------------

static Status begin(NewtonStep *step, NewtonWork *work, Err *err) {
  StepWork *sw = step->work;
  if (!work->primal) TRY(primal_new(&work->primal, step, work, err));
  primal_restart(work->primal);
  TRY(primal_begin(work->primal, step, &sw->problem, step->v1, err));
  sw->report.solver = (SolverReport){.converged = 1};
  return OK;
}

static Status update(NewtonStep *step, NewtonWork *work, Err *err) {
  StepWork *sw = step->work;
  double *r; // what the laws make of it is all that is new
  TRY(contact_laws(&step->contact, step->v1, &sw->problem, &r, &sw->arena, err));
  return primal_begin(work->primal, step, &sw->problem, step->v1, err);
}

static Status increment(NewtonStep *step, NewtonWork *work, NewtonLoop *loop, Err *err) {
  TRY(primal_increment(work->primal, step, work, step->v1, step->r, work->dv, &loop->changed, err));
  loop->slope = 0;
  for (int i = 0; i < work->system.n; i++) loop->slope += work->dv[i] * work->b[i];
  return OK;
}

static void tried(NewtonStep *step, NewtonWork *work, NewtonLoop *loop) {
  primal_impulses(work->primal, step, work->v_try, 0, loop->r_try);
}

static void harden(Primal *primal) {
  for (int c = 0; c < primal->n; c++) {
    PrimalContact *contact = &primal->contact[c];
    contact->rho = fmin(RHO_RISE * contact->rho, RHO_MOST * contact->node);
  }
}

// As far on their way as the velocities are.
static void taken(NewtonStep *step, NewtonWork *work, NewtonLoop *loop, double length) {
  size_t n = (size_t)contact_count(step->work->contact) * (size_t)step->model->bodies.dim;
  primal_impulses(work->primal, step, work->v_try, 1 - length, loop->r_try);
  PrimalError found = primal_error(work->primal, step, loop->r_try, loop->least);
  double left, tolerance = step->model->steps.solver_settings.tolerance;
  if (found.deformation > tolerance &&
      only_grazes(work->primal, step, loop->r_try, loop->seen, &left)) {
    found.scaled = fmin(left, tolerance);
    found.deformation = found.scaled;
  }
  SolverReport *report = &step->work->report.solver;
  report->error = found.scaled;
  report->deformation = found.deformation;
  report->deforms = 1;
  report->worst = found.worst;
  double before = loop->error;
  loop->error = solver_judged(&step->model->steps.solver_settings, report);
  const Model *model = step->model;
  if (loop->iterations >= RHO_PATIENCE && model->bodies.n_extra == 0 && !loop->changed &&
      loop->error > RHO_SLOW * before && loop->relative <= model->steps.newton.tolerance)
    harden(work->primal);
  if (n > 0) memcpy(step->r, loop->r_try, sizeof(double) * n);
  if (length == 1) return; // those that it was tried with
  newton_spread(step, work, loop->r_try);
  loop->relative = newton_relative_residual(work, &loop->scale, loop->least, &loop->seen);
}

static double error(const NewtonWork *work, const NewtonLoop *loop) {
  (void)work;
  return loop->error;
}

const ContactWay way_primal = {.name = "primal",
                               .begin = begin,
                               .increment = increment,
                               .update = update,
                               .tried = tried,
                               .taken = taken,
                               .error = error};
