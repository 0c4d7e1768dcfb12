// The shipped inputs show what their heads promise (verification B11, C6, C11 and mechanics of
// their own).

#include <criterion/criterion.h>
#include <math.h>

#include "../support/run_case.h"

static const double G = 9.81;

// Mean of a column over the last `share` of the run.
static double late_mean(const CaseRun *run, const char *name, double share) {
  int64_t from = (int64_t)((double)run->n_rows * (1 - share));
  double sum = 0;
  for (int64_t k = from; k < run->n_rows; k++) sum += run_case_at(run, k, name);
  return sum / (double)(run->n_rows - from);
}

// Weight of the bodies whose centre has moved by less than `most` [m].
static double weight_that_stays(const CaseRun *run, double most, int *n) {
  const BodySet *bs = &run->input.model.bodies;
  double mass = 0;
  *n = 0;
  for (int b = 0; b < bs->n_bodies; b++) {
    double u[2];
    if (bs->proto[b] < 0) continue;
    run_case_body_displacement(run, b, u);
    if (hypot(u[0], u[1]) >= most) continue;
    mass += bodies_mass(bs, b);
    ++*n;
  }
  return mass * G;
}

Test(inputs,
     settlement_leaves_the_fixed_part_the_weight_that_stays_and_the_sunken_part_nothing) { // C11
  if (run_case_only_begins(run_case_open("inputs/wall_settlement.xml", NULL))) return;
  CaseRun *run = run_case("inputs/wall_settlement.xml", NULL);
  int n;
  double stays = weight_that_stays(run, 0.1, &n), total = run_case_mass(run) * G;
  cr_assert(n > 30 && n < 50, "%d of 72 bodies stay", n);
  double carried = late_mean(run, "base_reaction_y", 0.05);
  cr_assert_float_eq(carried, stays, 5e-3 * stays, "carries %g, %d bodies weigh %g", carried, n,
                     stays);
  for (int64_t k = 220; k < run->n_rows; k++) {
    cr_assert_eq(run_case_at(run, k, "sunken_reaction_x"), 0);
    cr_assert_eq(run_case_at(run, k, "sunken_reaction_y"), 0);
  }
  double both =
      run_case_at(run, 190, "base_reaction_y") + run_case_at(run, 190, "sunken_reaction_y");
  cr_assert_float_eq(both, total, 2e-3 * total, "before: %g of %g", both, total);
  cr_assert_leq(run->state.worst[WORST_PENETRATION_NODES], 1e-4, "penetration %g",
                run->state.worst[WORST_PENETRATION_NODES]);
  run_case_close(run);
}

Test(inputs, arch_stands_with_equal_springings_and_falls_when_thinner) {
  CaseRun *run = run_case("inputs/arch.xml", NULL);
  double weight = run_case_mass(run) * G;
  cr_assert_float_eq(run_case_last(run, "left_reaction_y"), weight / 2, 1e-3 * weight);
  cr_assert_float_eq(run_case_last(run, "right_reaction_y"), weight / 2, 1e-3 * weight);
  cr_assert_float_eq(run_case_last(run, "left_reaction_x"), -run_case_last(run, "right_reaction_x"),
                     1e-3 * weight);
  cr_assert_leq(run_case_farthest(run), 2e-3);
  run_case_close(run);
  run = run_case("inputs/arch.xml", "thickness=0.21");
  cr_assert_geq(run_case_farthest(run), 0.1);
  run_case_close(run);
}

Test(inputs, wall_with_openings_stands_on_its_foundation) {
  if (run_case_only_begins(run_case_open("inputs/wall_with_openings.xml", NULL))) return;
  CaseRun *run = run_case("inputs/wall_with_openings.xml", NULL);
  double weight = run_case_mass(run) * G, area = 6 * 3 - 1 * 2 - 1.25 * 1;
  cr_assert_float_eq(weight, 2000 * G * area, 1e-9 * weight, "openings cut out %g m^2",
                     18 - weight / 2000 / G);
  cr_assert_float_eq(run_case_last(run, "base_reaction_y"), weight, 1e-3 * weight);
  cr_assert_leq(run_case_farthest(run), 0.01, "moved by %g m", run_case_farthest(run));
  run_case_close(run);
}

// Rubble: every block lies on the floor and left of the wall at x = 2.5, and the floor carries
// them.
static void assert_rubble_stays_apart(const char *settings) {
  if (run_case_only_begins(run_case_open("inputs/wall_falling.xml", settings))) return;
  CaseRun *run = run_case("inputs/wall_falling.xml", settings);
  const BodySet *bs = &run->input.model.bodies;
  double weight = run_case_mass(run) * G, lowest = 0, rightmost = 0;
  for (int k = 0; k < bs->n_nodes; k++) {
    if (bs->proto[bs->body_of[k]] < 0) continue;
    lowest = fmin(lowest, bs->x[2 * k + 1] + run->state.bodies.q[2 * k + 1]);
    rightmost = fmax(rightmost, bs->x[2 * k] + run->state.bodies.q[2 * k]);
  }
  cr_assert_geq(lowest, -1e-3, "a node lies %g m below the floor", lowest);
  cr_assert_leq(rightmost, 2.5 + 1e-3, "a node lies at x = %g", rightmost);
  cr_assert_leq(
      run->state.worst[WORST_PENETRATION_NODES], 3.5e-3, "penetration %g",
      run->state
          .worst[WORST_PENETRATION_NODES]); // half of what the fastest block travels in a step
  // Newton's law for all blocks at every step: floor and wall carry the weight and change the
  // momentum.
  double h = run->input.model.steps.h;
  for (int64_t k = 1; k < run->n_rows; k++) {
    double force = run_case_at(run, k, "base_reaction_y") + run_case_at(run, k, "right_reaction_y");
    double change = run_case_at(run, k, "momentum_y") - run_case_at(run, k - 1, "momentum_y");
    cr_assert_float_eq(force, weight + change / h, 1e-8 * weight, "step %lld", (long long)k + 1);
  }
  // How the pile lies depends on the last bit; that it comes to rest does not.
  cr_assert_leq(run_case_last(run, "energy_kinetic"),
                0.01 * run_case_largest(run, "energy_kinetic"));
  run_case_close(run);
}

// Corners meet corners at 7 m/s, in a different way for every friction.
Test(inputs, falling_wall_loses_no_contact) {
  assert_rubble_stays_apart("friction=0.3");
  assert_rubble_stays_apart("friction=0.48");
  assert_rubble_stays_apart("friction=0.50001");
}

Test(inputs, earthquake_returns_the_ground_and_leaves_the_wall_standing) {
  if (run_case_only_begins(run_case_open("inputs/wall_earthquake.xml", NULL))) return;
  CaseRun *run = run_case("inputs/wall_earthquake.xml", NULL);
  double weight = run_case_mass(run) * G;
  cr_assert_float_eq(weight, 4.5 * 2000 * G, 1e-9 * weight);
  cr_assert_float_eq(run_case_last(run, "base_x"), 0, 1e-6);
  cr_assert_geq(run_case_largest(run, "base_x"), 0.05);
  cr_assert_float_eq(late_mean(run, "base_reaction_y", 0.02), weight, 1e-3 * weight);
  cr_assert_leq(run_case_farthest(run), 0.1, "moved by %g m", run_case_farthest(run));
  run_case_close(run);
}

Test(inputs, wall_swings_gently_from_a_rest_at_its_equilibrium) {
  CaseRun *run = run_case("inputs/masonry_wall_oscillations.xml", "end=0.2");
  double weight = run_case_mass(run) * G;
  int64_t k = 0;
  while (run_case_at(run, k, "base_reaction_y") < weight) k++;
  cr_assert_float_eq(run_case_at(run, k, "time"), 0.013, 1e-9);
  double before = run_case_at(run, k, "energy_kinetic"),
         after = run_case_at(run, k + 1, "energy_kinetic");
  cr_assert_leq(after, 1e-2 * before, "velocities are not set to zero: %g J, then %g J", before,
                after);
  for (k += 2; k < run->n_rows; k++) {
    double r = run_case_at(run, k, "base_reaction_y") / weight;
    cr_assert(r > 0.8 && r < 1.2, "R/W = %g at step %lld", r, (long long)k);
  }
  run_case_close(run);
}

// Waves of speed sqrt(E / ((1 - nu^2) rho)): H/c = 12.8 ms, period 4 H/c = 51 ms (verification
// B11).
Test(inputs, solid_wall_swings_as_a_continuum) {
  CaseRun *run = run_case("inputs/solid_wall.xml", "end=0.1");
  double weight = run_case_mass(run) * G, time = 0.6 / sqrt(1e6 / (500 * (1 - 0.09)));
  double first = run_case_crossing(run, "base_reaction_y", weight, 1);
  double third = run_case_crossing(run, "base_reaction_y", weight, 3);
  cr_assert_float_eq(first, time, 0.04 * time, "%g, expected %g", first, time);
  cr_assert_float_eq(third - first, 4 * time, 0.04 * 4 * time, "%g, expected %g", third - first,
                     4 * time);
  run_case_close(run);
}

Test(inputs, four_triangles_a_block_swing_as_eight) {
  CaseRun *run = run_case("inputs/masonry_wall_4t3.xml", "end=0.1");
  double weight = run_case_mass(run) * G;
  cr_assert_float_eq(run_case_crossing(run, "base_reaction_y", weight, 1), 12.445e-3,
                     0.02 * 12.445e-3);
  cr_assert_float_eq(run_case_largest(run, "base_reaction_y") / weight, 1.817, 0.02 * 1.817);
  run_case_close(run);
}

Test(inputs, wall_of_144_bodies_is_that_of_the_paper) {
  CaseRun *run = run_case("inputs/masonry_wall_144.xml", "end=0.1");
  cr_assert_eq(run->input.model.bodies.n_bodies - 1, 144);
  cr_assert_float_eq(run_case_mass(run) * G, 3335.4, 1e-6);
  cr_assert_float_eq(run_case_crossing(run, "base_reaction_y", 3335.4, 1), 18.01e-3,
                     0.01 * 18.01e-3);
  run_case_close(run);
}
