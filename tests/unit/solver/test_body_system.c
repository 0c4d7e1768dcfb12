// Systems in the velocities of bodies say what those of contacts say; what stands is settled.
#include "problems.h"

#include "solver/operator.h"
#include "solver/row_factors.h"
#include "solver/standing.h"

TestSuite(body_system, .fini = expect_no_leak);

enum { WIDTH = 4, HEIGHT = 3, BODIES = WIDTH * HEIGHT, MOST = 2 * BODIES * 4 };

// Boxes in a grid on a floor, with contacts at the corners of the faces between them, in the plane
// two and in space four a face; masses, arms and gaps by chance, weight along the second axis.
typedef struct {
  Problem p, blocks;
  Arena arena;
} Pile;

static void lever_of(int dim, double arm, const double *place, int along, double sign,
                     double *lever) {
  int modes = dim == 2 ? 3 : 6;
  for (int k = 0; k < dim; k++) { // row 0 is the normal
    int axis = k == 0 ? along : k == 1 ? !along : 2;
    lever[k * modes + axis] = sign;
    if (dim == 2) {
      lever[k * modes + 2] = sign * arm * (axis == 1 ? place[0] : -place[1]);
      continue;
    }
    for (int m = 0; m < 3; m++) { // omega x place, along the axis
      int next = (m + 1) % 3, last = (m + 2) % 3;
      if (axis == last) lever[k * modes + 3 + m] = sign * arm * place[next];
      if (axis == next) lever[k * modes + 3 + m] = -sign * arm * place[last];
    }
  }
}

static void pile_init(Pile *pile, int dim, double push, double friction) {
  int modes = dim == 2 ? 3 : 6, n = 0, points = dim == 2 ? 2 : 4;
  *pile = (Pile){0};
  Arena *arena = &pile->arena;
  double *lever = arena_take(arena, MOST * 36, sizeof *lever), *b, *mu, *own, *motion;
  int32_t *moved = arena_take(arena, 2 * MOST, sizeof *moved);
  memset(lever, 0, MOST * 36 * sizeof *lever);
  b = arena_take(arena, MOST * 3, sizeof *b);
  mu = arena_take(arena, MOST, sizeof *mu);
  own = arena_take(arena, MOST * 9, sizeof *own);
  motion = arena_take(arena, BODIES * 6, sizeof *motion);
  for (int body = 0; body < BODIES; body++)
    for (int along = 0; along < 2; along++) { // with the one beside it, with the one below
      int other = along == 0 ? body - 1 : body - WIDTH;
      if (along == 0 && body % WIDTH == 0) continue;
      for (int point = 0; point < points; point++, n++) {
        double side = point % 2 ? 0.5 : -0.5, depth = point / 2 ? 0.5 : -0.5;
        const double place[3] = {along ? side : -0.5, along ? -0.5 : side, depth},
                     there[3] = {along ? side : 0.5, along ? 0.5 : side, depth};
        moved[2 * n] = body;
        moved[2 * n + 1] = other < 0 ? -1 : other;
        lever_of(dim, 2, place, along, 1, lever + 2 * n * dim * modes);
        if (other >= 0) lever_of(dim, 2, there, along, -1, lever + (2 * n + 1) * dim * modes);
        mu[n] = friction;
      }
    }
  for (int i = 0; i < n; i++)
    for (int k = 0; k < dim; k++) {
      b[i * dim + k] = 0;
      for (int s = 0; s < 2; s++) {
        const double *row = lever + ((2 * i + s) * dim + k) * modes;
        if (moved[2 * i + s] >= 0) b[i * dim + k] += push * row[0] - row[1];
      }
      for (int l = 0; l < dim; l++) {
        double sum = 0;
        for (int s = 0; s < 2; s++)
          for (int m = 0; m < modes; m++)
            sum += lever[((2 * i + s) * dim + k) * modes + m] *
                   lever[((2 * i + s) * dim + l) * modes + m];
        own[(i * dim + k) * dim + l] = sum;
      }
    }
  pile->p = (Problem){.dim = dim,
                      .n = n,
                      .bodies = {BODIES, modes, moved, lever, own, motion, NULL},
                      .diag = own,
                      .b = b,
                      .mu = mu};
  cr_assert_eq(operator_blocks(&pile->p, &pile->blocks, arena, NULL), OK);
}

// Rows of all kinds: full blocks, and contacts that are open (left zero).
static void rows_of_chance(const Problem *p, double *left, double *right) {
  uint64_t state = 7;
  int block = p->dim * p->dim;
  for (int k = 0; k < p->n * block; k++) {
    int diagonal = k % block % (p->dim + 1) == 0;
    left[k] = k / block % 5 == 0 ? 0 : diagonal + 0.2 * random_real(&state);
    right[k] = 0.1 * (diagonal + 0.3 * random_real(&state));
  }
}

Test(body_system, factors_by_bodies_solve_what_those_by_contacts_solve) {
  for (int dim = 2; dim <= 3; dim++) {
    Pile pile;
    RowFactors by_bodies, by_blocks;
    Problem plain;
    int64_t work = 0;
    static double left[MOST * 9], right[MOST * 9], b[MOST * 3], x[MOST * 3], y[MOST * 3];
    uint64_t state = 5;
    pile_init(&pile, dim, 0.1, 0.5);
    plain = pile.blocks;
    plain.bodies = (BodyRows){0};
    rows_of_chance(&pile.p, left, right);
    for (int k = 0; k < pile.p.n * dim; k++) b[k] = random_real(&state);
    cr_assert_eq(row_factors_init(&by_bodies, &pile.p, NULL, &pile.arena, NULL), OK);
    cr_assert_eq(row_factors_init(&by_blocks, &plain, NULL, &pile.arena, NULL), OK);
    cr_assert(by_bodies.by_bodies && !by_blocks.by_bodies);
    cr_assert(row_factors_make(&by_bodies, left, right, &work));
    cr_assert(row_factors_make(&by_blocks, left, right, &work));
    row_factors_solve(&by_bodies, b, x, &work);
    row_factors_solve(&by_blocks, b, y, &work);
    for (int k = 0; k < pile.p.n * dim; k++)
      cr_assert_float_eq(x[k], y[k], 1e-9, "%dD, %d: %g, %g", dim, k, x[k], y[k]);
    arena_free(&pile.arena);
  }
}

Test(body_system, takes_nothing_that_deforms) {
  Pile pile;
  static double soft[MOST * 9];
  pile_init(&pile, 3, 0, 0.5);
  Problem p = pile.p;
  cr_assert(body_system_takes(&p));
  memcpy(soft, p.diag, (size_t)p.n * 9 * sizeof *soft);
  soft[9 * 3] *= 1 + 1e-6; // the law of contact 3 yields
  p.diag = soft;
  cr_assert(!body_system_takes(&p));
  p = pile.p;
  p.a = soft;
  cr_assert(!body_system_takes(&p));
  p = pile.p;
  p.bodies.lever = NULL;
  cr_assert(!body_system_takes(&p));
  arena_free(&pile.arena);
}

static double error_of(const Problem *p, const double *scale, const double *r) {
  return measure_error(p, scale, r);
}

// Alternating directions hold the pile, settling takes them to round-off, and the floor bears the
// weight.
Test(body_system, settles_a_pile_that_stands_to_round_off) {
  for (int dim = 2; dim <= 3; dim++) {
    Pile pile;
    Standing standing;
    SolverReport report = {0};
    static double scale[MOST], r[MOST * 3], g[MOST * 3];
    double borne = 0;
    pile_init(&pile, dim, 0.1, 0.5);
    measure_scales(&pile.p, scale);
    memset(r, 0, sizeof r);
    cr_assert_eq(standing_init(&standing, &pile.p, scale, NULL, &pile.arena, NULL), OK);
    cr_assert(standing_start(&standing, r, &report));
    for (int k = 0; k < 40; k++) standing_step(&standing, &report);
    memcpy(r, standing.z, (size_t)(pile.p.n * dim) * sizeof *r);
    cr_assert_lt(error_of(&pile.p, scale, r), 1e-3, "%dD", dim);
    for (int k = 0; k < 3; k++) {
      cr_assert(standing_settle(&standing, r, g, &report));
      memcpy(r, g, sizeof r);
    }
    cr_assert_lt(error_of(&pile.p, scale, r), 1e-9, "%dD", dim);
    for (int i = 0; i < pile.p.n; i++)
      if (pile.p.bodies.moved[2 * i + 1] < 0) borne += r[i * dim];
    cr_assert_float_eq(borne, BODIES, 1e-8 * BODIES, "%dD: %.12g", dim, borne);
    arena_free(&pile.arena);
  }
}

// One box on a slope of 0.6 with friction 0.5: its impulses slip, and settle there.
Test(body_system, settles_what_slips_on_its_cone) {
  Pile pile;
  Standing standing;
  SolverReport report = {0};
  static double scale[MOST], r[MOST * 3], g[MOST * 3];
  pile_init(&pile, 2, 0.6, 0.5);
  Problem p = pile.p;
  p.n = 2; // the first body on the floor
  measure_scales(&p, scale);
  for (int i = 0; i < 2; i++) { // unlike what they end at, on the cone
    r[2 * i] = 0.5 + (i ? 0.1 : 0.2);
    r[2 * i + 1] = -0.5 * r[2 * i];
  }
  cr_assert_eq(standing_init(&standing, &p, scale, NULL, &pile.arena, NULL), OK);
  for (int k = 0; k < 3; k++) {
    cr_assert(standing_settle(&standing, r, g, &report));
    memcpy(r, g, sizeof r);
  }
  cr_assert_lt(error_of(&p, scale, r), 1e-5);
  cr_assert_float_eq(r[0] + r[2], 1, 1e-5);
  cr_assert_float_eq(r[1] + r[3], -0.5, 1e-5);
  arena_free(&pile.arena);
}
