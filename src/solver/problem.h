// solver/problem.h -- the discrete friction problem of one step (docs/theory/nscd.md, section 4:
// the one shape of all laws).
//
// Unknown: impulses r [N s] of n contacts in their local frames, component 0 normal (> 0 in
// compression), then tangents. u = W r + b [m/s]. With rho = r + s + A u the impulse of the
// unilateral element (A parallel stiffness, s shift; both usually zero):
//
//     0 <= u'_N  _|_  rho_N >= 0,   |rho_T| <= mu rho_N + radius,   -u'_T in the normal cone at
//     rho_T
//
// where u' = u + a + C r. Series compliance C is part of `diag`, the shift a part of `b`.

#ifndef SOLVER_PROBLEM_H
#define SOLVER_PROBLEM_H

#include <stdint.h>

#include "base/arena.h"
#include "base/param.h"

// Off-diagonal blocks of W by rows, [dim * dim] each, row-major. The pattern is symmetric: j stands
// in row i when i stands in row j.
typedef struct {
  const int64_t *ptr; // [n + 1], NULL: W is not held so
  const int32_t *col; // [ptr[n]]
  const double *w;    // [ptr[n] * dim * dim]                                          [1/kg]
} BlockRows;

// What of W belongs to rigid motions: L L^T. Row k of contact i has for each of its two sides the
// numbers lever[((2 i + side) dim + k) n_modes ..] in the columns of body moved[2 i + side] (-1:
// none).
typedef struct {
  int n_bodies, n_modes; // n_modes: 3 in the plane, 6 in space
  const int32_t *moved;  // [n * 2], NULL: not known
  const double *lever;   // [n * 2 * dim * n_modes]                                 [1/sqrt(kg)]
  // Where this is all of W (no blocks): its diagonal blocks, and room for L^T r of the last product
  // or sweep (operator.h).
  const double *own; // [n * dim * dim]                                                [1/kg]
  double *motion;    // [n_bodies * n_modes]                                    [sqrt(kg) m/s]
  // The body that stands for those it hangs together with (groups.h). NULL: not known yet.
  const int32_t *group; // [n_bodies]
} BodyRows;

// What an item asks of its rows (item.h). Equalities have 1 to dim of them, the others one; places
// of W beyond them hold zeros, but for the diagonal, which repeats that of the first row.
typedef enum {
  ITEM_CONE,      // the law above, dim rows
  ITEM_EQUALITY,  // u = 0
  ITEM_ONE_SIDED, // 0 <= u  _|_  r >= 0
  ITEM_TWO_SIDED  // lower <= r <= upper; u >= 0 at the lower bound, <= 0 at the upper, 0 between
} ItemKind;
typedef struct {
  int32_t kind, rows;
  double lower, upper; // of a two-sided one, lower <= upper [N s]
} Item;

// The operator is held in one of two ways (operator.h): by blocks, and then `bodies` may say which
// part of W is rigid, or by bodies alone (blocks.ptr NULL), W = L L^T + C.
typedef struct {
  int dim, n;
  BlockRows blocks;
  BodyRows bodies;
  const double *diag;   // [n * dim * dim] W_aa + C                                     [1/kg]
  const double *b;      // [n * dim] free velocity + a                                  [m/s]
  const double *mu;     // [n] 0 where an item is no cone, as are radius, s and a
  const Item *item;     // [n] NULL: all are cones
  const double *radius; // [n] extra radius of the disk [N s], NULL: all zero
  const double *s;      // [n * dim] impulse shift [N s], NULL: all zero
  const double *a;      // [n * 2] parallel stiffness, normal and tangential [kg], NULL: all zero
  // Elastic part of the diagonal block along the normal and (mean) along the tangents, all > 0:
  // what impulses that move no body rigidly feel. C is part of it. NULL: not known, or nothing
  // deforms. [1/kg]
  const double *elastic; // [n * 2]
  // What of `elastic` is a compliance C of the contact itself. NULL: none, or not known. [1/kg]
  const double *compliance; // [n * 2]
} Problem;

typedef enum {
  ORDER_NATURAL,
  ORDER_REVERSE,
  ORDER_SYMMETRIC,
  ORDER_SHUFFLED,
  ORDER_COLOURED
} SweepOrder;

// Normal compliance over the largest of a contact below which no impulse moves it: it is
// prescribed.
static const double PRESCRIBED = 1e-13;

// What the tolerance is held against: measure.h, or deformation.h where the problem says what
// deforms.
typedef enum { MEASURE_SCALED, MEASURE_DEFORMATION } MeasureKind;

typedef struct SolverKept SolverKept; // kept.h

// Zero means the default for all but the first three.
typedef struct {
  double tolerance;   // on the judged error
  int max_iterations; // what an iteration is, each solver says
  double relaxation;  // over-relaxation of the sweeps, 1: none
  int order;          // SweepOrder of Gauss-Seidel
  int memory;         // iterates that an acceleration looks back on
  int facets;         // of a faceted cone
  int outside;        // 1: facets around the cone, 0: inside it
  int measure;        // MeasureKind
  // Judged by the energy of deformation: the tolerance on the scaled error of parts that are rigid
  // (split.h), over `tolerance`.
  double rigid_share;
  int each;  // 1: bodies whose errors are lost among others are solved by themselves (lost.h)
  int whole; // 1: facets on the whole problem, 0: per contact in a block splitting
  // Asked whenever an error is judged: shall the solution be given up? NULL: never.
  int (*must_stop)(void *of);
  void *must_stop_of; // borrowed
  SolverKept *kept;   // what the next problem may use again, borrowed; NULL: nothing
} SolverSettings;

typedef struct {
  int converged;
  int iterations;
  double error;       // judged error of the result; after solver_run the scaled one
  double deformation; // after solver_run: error in the energy of deformation, where `deforms`
  int deforms;        // 1: the problem says what deforms
  int n_rigid;        // after solver_run, judged by deformation: contacts of parts that are rigid
  double rigid;       // scaled error of these
  int interior;       // 1: open contacts have small impulses, and those that slip are near the cone
  int worst;          // after solver_run: the contact with the largest part of it, -1: unknown
  int64_t blocks;     // blocks of W multiplied, the measure of work
  int condition_33;   // contacts that violate mu |W_NT / W_NN| < 1 (Jean 1999, eq. (33))
  int no_local_solution; // contacts whose own problem had no solution at the last visit
  double missed;         // after solver_run: velocity left to an equality, where that is much [m/s]
  size_t missed_row;     // its place in r
  const char *reason;    // why it stopped short, constant text; NULL: nothing to say
} SolverReport;

// Does a solver solve the problem itself, or one with other cones?
typedef enum { APPROXIMATE_NOT, APPROXIMATE_INSIDE, APPROXIMATE_OUTSIDE } Approximate;

typedef struct {
  const char *name;
  const char *doc;
  const ParamSpec *params; // beside tolerance, max_iterations and relaxation
  int n_params;
  int max_iterations; // default
  int pure_cone_only; // 1: refuses radius, shift s and parallel stiffness a (solver_accepts)
  int cones_only;     // 1: refuses equalities, limits and drives (solver_accepts)
  int needs_blocks;   // 1: solver_run makes the blocks of W where it is held by bodies
  Approximate approximate;
  // r: in the warm start, out the best iterate. The report is always filled. Fails only for lack
  // of memory; not converging is not an error.
  Status (*solve)(const Problem *p, const SolverSettings *settings, double *r, Arena *arena,
                  SolverReport *report, Err *err);
} SolverType;

extern const SolverType *const solver_types[]; // NULL-terminated, the first is the default
const SolverType *solver_find(const char *name);

SolverSettings solver_defaults(const SolverType *type);
// One parameter from its text; ERR_INPUT when unknown to the solver or out of bounds.
Status solver_set(const SolverType *type, SolverSettings *settings, const char *name,
                  const char *text, Err *err) MUST_CHECK;
// ERR_INPUT with the reason when the solver cannot take the problem.
Status solver_accepts(const SolverType *type, const Problem *p, Err *err) MUST_CHECK;

// Solves, and measures the result in both ways: held against the scaled error only without
// conjugate gradients in `deformation` (deformation.h), to cost no more than a product with W.
// ERR_STOPPED where must_stop says so.
Status solver_run(const SolverType *type, const Problem *problem, const SolverSettings *settings,
                  double *r, Arena *arena, SolverReport *report, Err *err) MUST_CHECK;

// Tolerance of the scaled error of parts that are rigid.
static inline double solver_rigid_tolerance(const SolverSettings *settings) {
  return settings->tolerance * (settings->rigid_share > 0 ? settings->rigid_share : 1);
}

// The error of such a report that the settings judge by: that of parts that are rigid in units of
// their tolerance over the other.
static inline double solver_judged(const SolverSettings *settings, const SolverReport *report) {
  double deformation = report->deforms ? report->deformation : 0;
  double rigid = report->rigid * settings->tolerance / solver_rigid_tolerance(settings);
  if (settings->measure != MEASURE_DEFORMATION) return report->error;
  return deformation > rigid ? deformation : rigid;
}

#endif
