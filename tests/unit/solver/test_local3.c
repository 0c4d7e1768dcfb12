#include "problems.h"

#include "solver/local3.h"

// Residual of Coulomb's law at rho, for the free velocity and the block.
static double residual(const double d[9], const double free[3], double mu, double radius,
                       const double rho[3]) {
  double u[3];
  for (int k = 0; k < 3; k++)
    u[k] = free[k] + d[3 * k] * rho[0] + d[3 * k + 1] * rho[1] + d[3 * k + 2] * rho[2];
  return sqrt(measure_contact(3, mu, radius, 1 / measure_block_norm(3, d), u, rho));
}

static void random_block(uint64_t *state, double d[9]) {
  double g[9];
  for (int k = 0; k < 9; k++) g[k] = random_real(state);
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      d[3 * i + j] = i == j ? 0.2 : 0;
      for (int k = 0; k < 3; k++) d[3 * i + j] += g[3 * i + k] * g[3 * j + k];
    }
}

Test(local3, satisfies_the_law_to_round_off_on_random_contacts) {
  uint64_t state = 1;
  int met[3] = {0};
  for (int k = 0; k < 20000; k++) {
    double d[9], free[3], rho[3] = {0};
    random_block(&state, d);
    for (int l = 0; l < 3; l++) free[l] = random_real(&state);
    double mu = 0.5 + 0.5 * random_real(&state);
    Local3 local;
    local3_prepare(&local, d, mu, 0);
    int status = local3_solve(&local, free, rho);
    cr_assert(status >= 0 && status <= 2);
    met[status]++;
    double size = fabs(rho[0]) + fabs(rho[1]) + fabs(rho[2]) + 1e-300;
    cr_assert_leq(residual(d, free, mu, 0, rho), 1e-11 * size, "contact %d, status %d", k, status);
  }
  for (int k = 0; k < 3; k++) cr_assert_gt(met[k], 300);
}

Test(local3, satisfies_the_law_with_an_extra_radius) {
  uint64_t state = 2;
  int open_with_friction = 0;
  for (int k = 0; k < 20000; k++) {
    double d[9], free[3], rho[3] = {0};
    random_block(&state, d);
    for (int l = 0; l < 3; l++) free[l] = random_real(&state);
    double mu = 0.2 + 0.2 * random_real(&state), radius = fabs(random_real(&state));
    Local3 local;
    int unique = local3_prepare(&local, d, mu, radius);
    int status = local3_enumerate(&local, d, free, rho);
    if (unique) cr_assert_geq(status, 0);
    open_with_friction += status == 0 && fabs(rho[1]) > 0;
    double size = fabs(rho[0]) + fabs(rho[1]) + fabs(rho[2]) + 1e-300;
    if (status >= 0)
      cr_assert_leq(residual(d, free, mu, radius, rho), 1e-10 * size, "contact %d, status %d: %g",
                    k, status, residual(d, free, mu, radius, rho) / size);
  }
  cr_assert_gt(open_with_friction, 100);
}

Test(local3, starts_from_the_last_slip_without_changing_the_answer) {
  uint64_t state = 3;
  for (int k = 0; k < 1000; k++) {
    double d[9], free[3] = {-1, 2 * random_real(&state), 2 * random_real(&state)};
    double rho[3] = {0}, again[3] = {0};
    random_block(&state, d);
    Local3 local;
    if (!local3_prepare(&local, d, 0.3, 0)) continue;
    local3_solve(&local, free, rho);
    local3_solve(&local, free, again);
    for (int l = 0; l < 3; l++) cr_assert_float_eq(rho[l], again[l], 1e-11 * (1 + fabs(rho[l])));
  }
}

Test(local3, slides_without_friction_along_the_free_velocity) {
  const double d[9] = {2, 0.5, 0, 0.5, 3, 0, 0, 0, 3}, free[3] = {-1, 1, 1};
  double rho[3] = {0};
  Local3 local;
  local3_prepare(&local, d, 0, 0);
  cr_assert_eq(local3_solve(&local, free, rho), 2);
  cr_assert_eq(rho[0], 0.5);
  cr_assert_eq(rho[1], 0);
  cr_assert_eq(rho[2], 0);
}

Test(local3, sticks_where_the_block_is_singular) {
  // Two of three directions are free of mass: any tangential impulse in the second has no effect.
  const double d[9] = {1, 0, 0, 0, 1, 0, 0, 0, 0}, free[3] = {-1, 0.2, 0};
  double rho[3] = {0};
  Local3 local;
  local3_prepare(&local, d, 0.5, 0);
  cr_assert_eq(local3_solve(&local, free, rho), 1);
  cr_assert_leq(residual(d, free, 0.5, 0, rho), 1e-12);
}

Test(local3, inverts_and_says_when_it_cannot) {
  const double d[9] = {2, 1, 0, 0, 3, 1, 1, 0, 4}, flat[9] = {1, 2, 3, 2, 4, 6, 0, 0, 1};
  double inv[9];
  cr_assert_float_eq(local3_invert(d, inv), 25, 1e-13);
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      double sum = 0;
      for (int k = 0; k < 3; k++) sum += d[3 * i + k] * inv[3 * k + j];
      cr_assert_float_eq(sum, i == j, 1e-14);
    }
  cr_assert_eq(local3_invert(flat, inv), 0);
}
