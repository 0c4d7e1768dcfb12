// The wall of elastic blocks of Jean 1999, section 9.3 (verification B11). The numbers were
// computed with another program (LMGC90 for the layout with half blocks in even courses) and a
// prototype.

#include <criterion/criterion.h>
#include <math.h>

#include "../support/run_case.h"
#include "solver/deformation.h"
#include "solver/operator.h"
#include "solver/solver_table.h"

static const char WALL[] = "inputs/masonry_wall.xml";
static const double BLOCK = 24.525; // weight of a block [N/m]

static void assert_near(double found, double expected, double relative, const char *what) {
  cr_assert_leq(fabs(found / expected - 1), relative, "%s: %.6g, expected %.6g", what, found,
                expected);
}

static void assert_crossings(const CaseRun *run, double weight, const double *expected, int n,
                             double relative) {
  for (int k = 0; k < n; k++)
    assert_near(1e3 * run_case_crossing(run, "base_reaction_y", weight, k + 1), expected[k],
                relative, "crossing [ms]");
}

Test(wall, of_150_blocks_swings_as_published) {
  CaseRun *run = run_case(WALL, "end=0.1");
  const double weight = 144 * BLOCK, crossings[] = {12.445, 37.17, 62.36};
  cr_assert_float_eq(run_case_mass(run) * 9.81, weight, 1e-9 * weight);
  assert_crossings(run, weight, crossings, 3, 0.005);
  assert_near(run_case_largest(run, "base_reaction_y") / weight, 1.817, 0.002, "largest R/W");
  assert_near(run_case_smallest(run, "top_y"), -1.436e-3, 0.003, "lowest top");
  assert_near(run_case_crossing(run, "base_reaction_y", weight, 3) -
                  run_case_crossing(run, "base_reaction_y", weight, 1),
              0.0496, 0.01, "period");
  cr_assert_eq(run_case_largest(run, "contacts"), 564);
  run_case_close(run);
}

// LMGC90 (half blocks in even courses) at two step sizes, and the decay by friction in head joints.
// The fifth maximum of tight runs is 1.464, so that a thousandth in each step would be most of what
// the comparison allows.
Test(wall, with_halves_in_even_courses_agrees_with_lmgc90) {
  const char *set = "layout=even end=0.66 tolerance=1e-4";
  if (run_case_only_begins(run_case_open(WALL, set))) return;
  CaseRun *run = run_case(WALL, set);
  static const double maxima[13] = {1.822, 1.631, 1.528, 1.492, 1.451, 1.406, 1.344,
                                    1.299, 1.281, 1.281, 1.271, 1.245, 1.212};
  static const double crossings[] = {12.41, 37.10, 62.08};
  const double weight = 144 * BLOCK;
  assert_crossings(run, weight, crossings, 3, 0.005);
  assert_near(run_case_smallest(run, "top_y"), -1.429e-3, 0.003, "lowest top");
  for (int k = 0; k < 13; k++) {
    double from = run_case_crossing(run, "base_reaction_y", weight, 2 * k + 1);
    double to = run_case_crossing(run, "base_reaction_y", weight, 2 * k + 2);
    double most = 0;
    for (int64_t row = 0; row < run->n_rows; row++) {
      double t = run_case_at(run, row, "time");
      if (t >= from && t <= to + 1e-3) most = fmax(most, run_case_at(run, row, "base_reaction_y"));
    }
    assert_near(most / weight, maxima[k], 0.012, xml_format("maximum %d of R/W", k + 1));
  }
  run_case_close(run);
}

Test(wall, with_halves_in_even_courses_agrees_with_lmgc90_at_a_quarter_of_the_step) {
  CaseRun *run = run_case(WALL, "layout=even end=0.065 step=2.5e-4");
  static const double crossings[] = {12.03, 36.75, 61.76};
  assert_crossings(run, 144 * BLOCK, crossings, 3, 0.005);
  run_case_close(run);
}

Test(wall, of_144_bodies_swings_slower) {
  CaseRun *run = run_case(WALL, "courses=17 blocks=8 layout=even end=0.12");
  const double weight = 136 * BLOCK, crossings[] = {18.01, 55.39, 90.84};
  cr_assert_eq(run->input.model.bodies.n_bodies, 145);
  assert_crossings(run, weight, crossings, 3, 0.005);
  assert_near(run_case_largest(run, "base_reaction_y") / weight, 1.858, 0.003, "largest R/W");
  assert_near(run_case_crossing(run, "base_reaction_y", weight, 3) -
                  run_case_crossing(run, "base_reaction_y", weight, 1),
              0.0725, 0.01, "period");
  cr_assert_eq(run_case_largest(run, "contacts"), 526);
  run_case_close(run);
}

// The reaction is the mean over the step, so this is exact whatever the contact solver left.
Test(wall, base_carries_weight_plus_change_of_momentum_at_every_step) {
  const char *const settings[] = {"end=0.1", "end=0.1 theta=1 friction=0.1",
                                  "end=0.05 step=2.5e-4 tolerance=1e-6"};
  for (int s = 0; s < run_case_of_like(3); s++) {
    CaseRun *run = run_case(WALL, settings[s]);
    const double weight = 144 * BLOCK, h = run->input.model.steps.h;
    for (int64_t k = 1; k < run->n_rows; k++) {
      double change_y = run_case_at(run, k, "momentum_y") - run_case_at(run, k - 1, "momentum_y");
      double change_x = run_case_at(run, k, "momentum_x") - run_case_at(run, k - 1, "momentum_x");
      double rest_y = run_case_at(run, k, "base_reaction_y") - weight - change_y / h;
      double rest_x = run_case_at(run, k, "base_reaction_x") - change_x / h;
      cr_assert_leq(fabs(rest_y), 1e-10 * weight, "step %lld: %g", (long long)k, rest_y / weight);
      cr_assert_leq(fabs(rest_x), 1e-10 * weight, "step %lld: %g", (long long)k, rest_x / weight);
    }
    run_case_close(run);
  }
}

// Thirteen oscillations at theta = 1/2: the ends loosen by friction but stay.
Test(wall, still_stands_after_thirteen_oscillations) {
  if (run_case_only_begins(run_case_open(WALL, NULL))) return;
  CaseRun *run = run_case(WALL, NULL);
  cr_assert_leq(run_case_farthest(run), 0.012, "a node has moved by %g m", run_case_farthest(run));
  cr_assert_float_eq(run_case_last(run, "top_y"), -0.8e-3, 0.3e-3);
  run_case_close(run);
}

Test(wall, comes_to_rest_under_theta_one_and_still_stands) {
  if (run_case_only_begins(run_case_open(WALL, "theta=1"))) return;
  CaseRun *run = run_case_open(WALL, "theta=1 end=3");
  run_case_to_end_unrecorded(run);
  assert_near(run_case_last(run, "base_reaction_y"), 144 * BLOCK, 2e-4, "R/W");
  cr_assert_leq(run_case_farthest(run), 3e-3, "a node has moved by %g m", run_case_farthest(run));
  cr_assert_leq(run_case_last(run, "energy_kinetic"), 1e-6);
  cr_assert_eq(run->state.count[STAT_NOT_CONVERGED], 0);
  run_case_close(run);
}

// Points of overlaps are twice as many, and where corners of three blocks meet they share two
// motions between three contacts: where the sweeps creep there they take twenty times the blocks of
// W. As counted: 2.6 and 1.3 times, of the whole run 2.7 and 1.3; the processor time is less.
Test(wall, with_points_of_overlaps_costs_little_more) {
  static const char *const tolerance[] = {"1e-2", "1e-4"};
  for (int k = 0; k < run_case_of_like(2); k++) {
    int64_t blocks[2];
    for (int overlap = 0; overlap < 2; overlap++) {
      CaseRun *run = run_case(WALL, xml_format("end=0.1 tolerance=%s points=%s", tolerance[k],
                                               overlap ? "overlap" : "midpoints"));
      blocks[overlap] = run->state.count[STAT_BLOCKS];
      cr_assert_eq(run->state.count[STAT_NOT_CONVERGED], 0);
      run_case_close(run);
    }
    cr_assert_leq((double)blocks[1], 4 * (double)blocks[0],
                  "tolerance %s: %lld blocks of W for %lld", tolerance[k], (long long)blocks[1],
                  (long long)blocks[0]);
  }
}

// A wall under its weight and a quarter of it sideways: what friction holds does not creep, at the
// default tolerance and whatever the stiffness. The soft wall is at rest a second after the load;
// from there its top, which has moved by 3 to 6 mm, moves by less than 0.03 mm in another second.
Test(wall, that_is_sheared_does_not_creep) {
  static const char *const young[] = {"1e6", "1e8", "5e10"};
  for (int k = 0; k < 3; k++) {
    char xml[2000];
    snprintf(
        xml, sizeof xml,
        "<voussoir><model plane='strain'/>"
        "<material name='m' density='500' young='%s' poisson='0.3'/><law name='d' friction='0.5'/>"
        "<wall name='w' material='m' kinematics='small' bond='running' courses='12' blocks='12' "
        "length='0.10' height='0.05' halves='odd' cells_x='2' cells_y='2' pattern='t3_right'/>"
        "<support name='base' shape='box' x='-0.2' y='-0.1' width='1.6' height='0.1'/>"
        "<contact candidate='w' antagonist='w base' law='d' points='midpoints'/>"
        "<gravity x='0.25*9.81*min(1, t/0.2)' y='-9.81*min(1, t/0.1)'/>"
        "<time end='2.2' step='2e-3' theta='1'/>"
        "<probe name='top' quantity='displacement' of='w.top' component='x'/></voussoir>",
        young[k]);
    if (run_case_only_begins(run_case_open_text(xml, NULL))) continue;
    CaseRun *run = run_case_text(xml, NULL);
    double loaded = run_case_at(run, 599, "top"), end = run_case_last(run, "top");
    cr_assert_leq(fabs(end - loaded), 0.03e-3, "E %s creeps by %g m", young[k], end - loaded);
    cr_assert_geq(end, 1e-3);
    run_case_close(run);
  }
}

// x . W^e x: what impulses x put into the elasticity, from W and the rigid motions that the problem
// knows.
static double elastic_energy(const Problem *p, const double *x) {
  int dim = p->dim, modes = p->bodies.n_modes;
  double sum = 0, *rigid = calloc((size_t)(p->bodies.n_bodies * modes) + 1, sizeof *rigid);
  for (int i = 0; i < p->n; i++) {
    double u[3];
    operator_others(p, i, x, u);
    for (int k = 0; k < dim; k++) {
      u[k] -= p->b[dim * i + k];
      for (int l = 0; l < dim; l++) u[k] += p->diag[dim * (dim * i + k) + l] * x[dim * i + l];
      sum += x[dim * i + k] * u[k];
    }
    for (int side = 2 * i; side < 2 * i + 2; side++)
      for (int k = 0; k < dim * modes && p->bodies.moved[side] >= 0; k++)
        rigid[modes * p->bodies.moved[side] + k % modes] +=
            p->bodies.lever[dim * modes * side + k] * x[dim * i + k / modes];
  }
  for (int k = 0; k < p->bodies.n_bodies * modes; k++) sum -= rigid[k] * rigid[k];
  free(rigid);
  return sum;
}

// What a claim is worth: impulses of a solver after so many iterations, or at a scaled error,
// against a solution at 1e-12.
static void assert_claim(const Problem *p, const double *exact, const char *solver, int iterations,
                         double tolerance) {
  const SolverType *type = solver_find(solver);
  SolverSettings settings = solver_defaults(type);
  SolverReport report;
  Deformation def;
  Arena arena = {0};
  Err err = {0};
  int64_t blocks = 0;
  size_t size = 2 * (size_t)p->n;
  double *r = calloc(size, sizeof *r);
  settings.tolerance = tolerance;
  settings.max_iterations = iterations;
  cr_assert_eq(type->solve(p, &settings, r, &arena, &report, &err), OK);
  cr_assert_eq(deformation_init(&def, p, &arena, &err), OK);
  cr_assert_eq(deformation_factors(&def, NULL, &arena, &err), OK);
  double claim = deformation_error(&def, r, (double)INFINITY, &blocks);
  for (size_t k = 0; k < size; k++) r[k] -= exact[k];
  double truth = sqrt(elastic_energy(p, r) / elastic_energy(p, exact));
  // The reference is off by its scaled error times the softness of rigid motions.
  double known = fmax(1e-9, 1e-11 * def.softness);
  cr_assert(claim >= 0.3 || truth < known || claim >= truth / 3, "%s, %d, %g: claim %g, true %g",
            solver, iterations, tolerance, claim, truth);
  arena_free(&arena);
  free(r);
}

// The same of the second and the twentieth step of a run, after 1 to 1000 sweeps and at all scaled
// errors.
static void assert_claims(CaseRun *run) {
  for (int at = 0; at < 2; at++) {
    run_case_steps(run, at == 0 ? 2 : 18);
    const Problem *p = &run->work.problem;
    double *exact = calloc(2 * (size_t)p->n, sizeof *exact);
    const SolverType *type = solver_find("auto");
    SolverSettings settings = solver_defaults(type);
    SolverReport report;
    Arena arena = {0};
    Err err = {0};
    settings.tolerance = 1e-12;
    cr_assert_eq(type->solve(p, &settings, exact, &arena, &report, &err), OK);
    cr_assert_eq(report.converged, 1);
    for (int sweeps = 1; sweeps < 1000; sweeps += 1 + sweeps / 4)
      assert_claim(p, exact, "nsgs", sweeps, 1e-15);
    for (double tolerance = 1e-2; tolerance > 1e-10; tolerance *= 0.1)
      assert_claim(p, exact, "auto", 10000, tolerance);
    free(exact);
    arena_free(&arena);
  }
}

// Solvers whose steps have a measure of their own do not take it for that of the deformation, in
// which errors of stone are a thousand times larger: they stopped, or stood still.
Test(wall, of_stone_is_solved_by_solvers_with_a_measure_of_their_own) {
  static const char *const solvers[] = {"proximal", "lemke", "qp"};
  CaseRun *run = run_case_open("inputs/arch.xml", "young=5e10");
  run_case_steps(run, 20);
  const Problem *p = &run->work.problem;
  for (int k = 0; k < 3; k++) {
    const SolverType *type = solver_find(solvers[k]);
    SolverSettings settings = solver_defaults(type);
    SolverReport report;
    Arena arena = {0};
    Err err = {0};
    double *r = calloc(2 * (size_t)p->n, sizeof *r);
    settings.tolerance = 1e-3;
    settings.measure = MEASURE_DEFORMATION;
    cr_assert_eq(solver_run(type, p, &settings, r, &arena, &report, &err), OK);
    cr_expect(report.converged, "%s: %g after %d", solvers[k], report.error, report.iterations);
    free(r);
    arena_free(&arena);
  }
  run_case_close(run);
}

// Errors that are smooth over the foot of a wall in one piece leave small velocities: the claim may
// not take them for less than a third.
Test(wall, in_one_piece_is_not_claimed_to_be_right_where_it_is_not) {
  static const char *const cases[] = {"young=1e6", "young=1e8", "young=1e8 blocks=24",
                                      "young=5e10 blocks=24", "young=1e6 blocks=48 theta=1"};
  for (int e = 0; e < 5; e++) {
    CaseRun *run = run_case_open("inputs/solid_wall.xml", cases[e]);
    assert_claims(run);
    run_case_close(run);
  }
}

// Nor what is smooth over one long body that stands on many short ones, or carries them, and not
// over any of the rows of points in between: it was claimed up to 1500 times too small.
Test(wall, on_or_under_one_long_body_is_not_claimed_to_be_right_where_it_is_not) {
  static const struct {
    const char *below, *settings; // below: which of both stands on the base
  } cases[] = {{"course", "young=5e10"}, {"course", "young=1e7"}, {"beam", "young=5e10"}};
  for (int k = 0; k < run_case_of_like(3); k++) {
    char xml[2048];
    int on_course = strcmp(cases[k].below, "course") == 0;
    snprintf(xml, sizeof xml,
             "<voussoir><parameter name='young' value='1e6'/><model plane='strain'/>"
             "<material name='m' density='500' young='${young}' poisson='0.3'/>"
             "<law name='d' friction='0.5'/>"
             "<wall name='course' y='%g' material='m' kinematics='small' courses='1' blocks='24' "
             "length='0.10' height='0.05' halves='none' pattern='t3_right'/>"
             "<block name='beam' y='%g' material='m' kinematics='small' width='2.4' height='0.05' "
             "cells_x='48' cells_y='2' pattern='t3_right'/>"
             "<support name='base' shape='box' x='-0.2' y='-0.1' width='2.8' height='0.1'/>"
             "<contact candidate='%s' antagonist='base' law='d' points='midpoints'/>"
             "<contact candidate='course' antagonist='course' law='d' points='midpoints'/>"
             "<contact candidate='%s' antagonist='%s' law='d' points='midpoints'/>"
             "<gravity y='-9.81'/><time end='0.05' step='1e-3' theta='1'/></voussoir>",
             on_course ? 0 : 0.05, on_course ? 0.05 : 0, cases[k].below,
             on_course ? "beam" : "course", cases[k].below);
    CaseRun *run = run_case_open_text(xml, cases[k].settings);
    assert_claims(run);
    run_case_close(run);
  }
}

// Boxes in running bond, 2 x 2 x 2 elements each, pushed along and across the wall.
static void wall_in_space(char *xml, size_t size, const char *law) {
  enum { COURSES = 4, BLOCKS = 3 };
  int at = snprintf(
      xml, size,
      "<voussoir><model space='solid'/><material name='m' density='2000' young='5e10' poisson='0.2'/>"
      "<law name='d' %s/><tool name='floor' shape='plane' axis_y='0' axis_z='1'/>",
      law);
  for (int c = 0; c < COURSES; c++)
    for (int k = 0; k < BLOCKS; k++) {
      at += snprintf(
          xml + at, size - (size_t)at,
          "<box name='b%d%d' material='m' size='0.2 0.1 0.1' x='%g' z='%g' cells='2 2 2'/>", c, k,
          0.2 * k + (c % 2 ? 0.1 : 0), 0.1 * c);
      if (c == 0)
        at += snprintf(xml + at, size - (size_t)at,
                       "<contact candidate='b0%d' antagonist='floor' law='d'/>", k);
      if (k > 0)
        at += snprintf(xml + at, size - (size_t)at,
                       "<contact candidate='b%d%d' antagonist='b%d%d' law='d'/>", c, k, c, k - 1);
      for (int below = k - (c % 2 == 0); c > 0 && below <= k + c % 2; below++)
        if (below >= 0 && below < BLOCKS)
          at += snprintf(xml + at, size - (size_t)at,
                         "<contact candidate='b%d%d' antagonist='b%d%d' law='d'/>", c, k, c - 1,
                         below);
    }
  snprintf(
      xml + at, size - (size_t)at,
      "<gravity x='1' y='0.5' z='-9.81'/><time end='8e-3' step='1e-3' theta='0.5'/></voussoir>");
}

// Walls of stone in space: a dozen factors a step, and impulses as right as they claim to be beside
// those of another method. 2000 sweeps a step went before, which need a hundred times the work.
Test(wall, of_stone_in_space_is_solved_by_factors) {
  static const char zone[] =
      "type='cohesive_zone' friction='0.5' normal_stiffness='1e10' tangent_stiffness='1e10' "
      "tension='1e4' energy='0.5'";
  static const char *const laws[] = {
      "friction='0.5'", "type='mohr_coulomb' friction='0.5' tension='1e2' cohesion='2e2'", zone};
  for (int k = 0; k < run_case_of_like(3); k++) {
    char xml[1 << 13];
    wall_in_space(xml, sizeof xml, laws[k]);
    CaseRun *run = run_case_open_text(xml, NULL);
    for (int step = 1; step <= 8; step++) {
      run_case_steps(run, 1);
      cr_assert_geq(run->work.problem.n, 150);
      cr_assert_leq(run->work.report.solver.iterations, 40, "%s: step %d: %d", laws[k], step,
                    run->work.report.solver.iterations);
    }
    const Problem *p = &run->work.problem;
    size_t size = 3 * (size_t)p->n;
    double *exact = calloc(size, sizeof *exact);
    memcpy(exact, run->work.reaction, size * sizeof *exact);
    const SolverType *type = solver_find("proximal");
    SolverSettings settings = solver_defaults(type);
    SolverReport report;
    Arena arena = {0};
    Err err = {0};
    settings.tolerance = 1e-9; // a hundred-thousandth of the forces, as rigid motions are softer
    cr_assert_eq(type->solve(p, &settings, exact, &arena, &report, &err), OK);
    cr_assert_eq(report.converged, 1, "%s: %g", laws[k], report.error);
    double whole = elastic_energy(p, exact);
    for (size_t i = 0; i < size; i++) exact[i] -= run->work.reaction[i];
    double truth = sqrt(fmax(elastic_energy(p, exact), 0) / whole);
    cr_assert_leq(truth, 3e-3, "%s: %g off", laws[k], truth);
    free(exact);
    arena_free(&arena);
    run_case_close(run);
  }
}

// A wall of 2476 contacts with much friction, whose eleventh step meets a path with a fold: it is
// followed, in 45 iterations. To give bounds of friction first took 131.
Test(wall, of_many_stones_is_followed_through_a_fold) {
  CaseRun *run = run_case_open_text(
      "<voussoir><model plane='strain'/>"
      "<material name='m' density='500' young='5e9' poisson='0.3'/>"
      "<law name='d' type='coulomb' friction='0.7'/>"
      "<wall name='w' material='m' kinematics='small' bond='running' courses='25' blocks='25' "
      "length='0.10' height='0.05' halves='odd' cells_x='2' cells_y='2' pattern='t3_right'/>"
      "<support name='base' shape='box' x='-0.2' y='-0.1' width='2.9' height='0.1'/>"
      "<contact candidate='w' antagonist='base' law='d' points='midpoints'/>"
      "<contact candidate='w' antagonist='w' law='d' points='midpoints'/>"
      "<gravity y='-9.81'/><time end='0.011' step='1e-3' theta='0.5'/></voussoir>",
      NULL);
  for (int step = 1; step <= 11; step++) {
    run_case_steps(run, 1);
    const SolverReport *report = &run->work.report.solver;
    cr_assert(report->converged);
    cr_assert_leq(report->iterations, 80, "step %d: %d", step, report->iterations);
  }
  run_case_close(run);
}

// A wall with cohesive zones in its joints, pushed sideways by half its weight: once it is at rest
// a step is one factor, for the statuses of the last one hold. Some 47 went where a spring's
// impulse was taken for a status.
Test(wall, of_stone_with_springs_in_its_joints_rests_on_one_factor) {
  CaseRun *run = run_case_text(
      "<voussoir><model plane='strain'/>"
      "<material name='m' density='500' young='5e10' poisson='0.3'/>"
      "<law name='d' type='cohesive_zone' friction='0.5' normal_stiffness='1e10' "
      "tangent_stiffness='1e10' tension='1e4' energy='0.5'/>"
      "<wall name='w' material='m' kinematics='small' bond='running' courses='6' blocks='6' "
      "length='0.10' height='0.05' halves='odd' cells_x='2' cells_y='2' pattern='t3_right'/>"
      "<support name='base' shape='box' x='-0.2' y='-0.1' width='1.6' height='0.1'/>"
      "<contact candidate='w' antagonist='w base' law='d' points='midpoints'/>"
      "<gravity x='0.5*9.81*min(1, t/0.05)' y='-9.81'/>"
      "<time end='0.1' step='1e-3' theta='1'/></voussoir>",
      NULL);
  for (int64_t row = run->n_rows - 20; row < run->n_rows; row++)
    cr_assert_leq(run_case_at(run, row, "iterations"), 3);
  cr_assert_eq(run->state.count[STAT_NOT_CONVERGED], 0);
  run_case_close(run);
}
