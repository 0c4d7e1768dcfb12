// Restitution by Newton's law with friction: exact where it gives no energy, bounded where it
// would.

#include <criterion/criterion.h>
#include <math.h>

#include "../support/run_case.h"

// A rod 0.1 x 1 that moves without turning and meets a plane of 0.5 rad with its right foot: it
// arrives at 1 m/s along the normal and v along the tangent. In its frame, for a mass of one,
// W = [a b; b c] and with friction that holds the foot the energy changes by
// (c (e^2 - 1) - 2 b v - a v^2) / (2 det W): nothing at e^2 = 1 + (2 b v + a v^2) / c.
static const double WIDTH = 0.1, SLOPE = 0.5;

typedef struct {
  double n[2], t[2], a, b, c;
} Foot;

static Foot foot(void) {
  Foot f = {.n = {-sin(SLOPE), cos(SLOPE)}, .t = {cos(SLOPE), sin(SLOPE)}};
  double p[2] = {0.5 * WIDTH, -0.5}, inertia = (WIDTH * WIDTH + 1) / 12;
  double by_n = p[0] * f.n[1] - p[1] * f.n[0], by_t = p[0] * f.t[1] - p[1] * f.t[0];
  f.a = 1 + by_n * by_n / inertia;
  f.b = by_n * by_t / inertia;
  f.c = 1 + by_t * by_t / inertia;
  return f;
}

// Normal velocity of the foot after the impact, and the energy gained over that before it.
static double leaves_at(double e, double v, double theta, double *gain, double *reduced_by) {
  Foot f = foot();
  CaseRun *run = run_case_text(
      xml_format(
          "<voussoir><material name='m' density='10' young='1e9' poisson='0.2'/>"
          "<law name='l' type='restitution' friction='0.5' restitution='%.17g'/>"
          "<block name='b' kinematics='rigid' material='m' x='%.17g' width='%g' height='1'/>"
          "<support name='p' shape='plane' length='5' angle='%.17g'/>"
          "<contact candidate='b' antagonist='p' law='l'/><velocity of='b' x='%.17g' y='%.17g'/>"
          "<time end='1e-3' step='1e-3' theta='%g'/><solver tolerance='1e-12'/>"
          "<output every='0'/><probe name='v' quantity='velocity' of='b'/></voussoir>",
          e, -WIDTH, WIDTH, SLOPE, -f.n[0] + v * f.t[0], -f.n[1] + v * f.t[1], theta),
      NULL);
  double x = run_case_last(run, "v_x") + f.n[0] - v * f.t[0];
  double y = run_case_last(run, "v_y") + f.n[1] - v * f.t[1];
  double r_n = x * f.n[0] + y * f.n[1], r_t = x * f.t[0] + y * f.t[1];
  *gain = run->state.energy[ENERGY_KINETIC] / (0.5 * (1 + v * v)) - 1;
  *reduced_by = run_case_worst(run, VERDICT_BOUNCE);
  run_case_close(run);
  return -1 + f.a * r_n + f.b * r_t;
}

Test(bounce, of_one_foot_is_as_given_or_keeps_the_energy) {
  Foot f = foot();
  double gain, reduced_by;
  for (int k = 0; k < 2; k++)
    for (double v = 0.2; v < 1.3; v += 0.3) {
      double theta = k ? 1 : 0.5, most = sqrt(1 + (2 * f.b * v + f.a * v * v) / f.c);
      double u = leaves_at(1, v, theta, &gain, &reduced_by);
      cr_expect_float_eq(u, most, 1e-4, "v %g: %g of %g", v, u, most);
      cr_expect_float_eq(gain, 0, 1e-4, "v %g: gains %g", v, gain);
      cr_expect_float_eq(reduced_by, 1 - most, 1e-4);
      u = leaves_at(0.95 * most, v, theta, &gain, &reduced_by);
      cr_expect_float_eq(u, 0.95 * most, 1e-9, "v %g: %g", v, u);
      cr_expect_eq(reduced_by, 0);
    }
}

// A ball (a disk) that bounces with tangents of its own: where friction holds them, the velocity at
// the contact turns round by restitution_tangent, and the impulse is (1 + e_t) m v_t / 3, less the
// square of the angle of a step.
Test(bounce, of_a_ball_with_spin_turns_it_round_and_is_not_doubted) {
  static const struct {
    double e, e_t, theta;
  } of[] = {{1, 1, 0.5}, {1, 0.5, 0.5}, {0.8, 0.5, 1}, {1, 0, 0.5}};
  const double spin = 20, radius = 0.1, slip = 1 + spin * radius;
  for (int k = 0; k < 4; k++) {
    double push = -(1 + of[k].e_t) * slip / 3;
    CaseRun *run = run_case_text(
        xml_format("<voussoir><material name='m' density='2000' young='1e9' poisson='0.2'/>"
                   "<law name='l' type='restitution' friction='10' restitution='%g'"
                   " restitution_tangent='%g'/>"
                   "<disk name='d' material='m' radius='%g' x='0' y='%g'/>"
                   "<support name='s' shape='plane' length='100'/>"
                   "<contact candidate='d' antagonist='s' law='l'/>"
                   "<velocity of='d' x='1' y='-2' spin='%g'/>"
                   "<solver tolerance='1e-12'/>"
                   "<time end='0.01' step='5e-5' theta='%g'/><output every='0'/>"
                   "<probe name='v' quantity='velocity' of='d.center'/>"
                   "<probe name='s' quantity='spin' of='d'/></voussoir>",
                   of[k].e, of[k].e_t, radius, 1.1 * radius, spin, of[k].theta),
        NULL);
    cr_expect_float_eq(run_case_last(run, "v_x"), 1 + push, 1e-6);
    cr_expect_float_eq(run_case_last(run, "v_y"), 2 * of[k].e, 1e-6);
    cr_expect_float_eq(run_case_last(run, "s_rate"), spin + 2 * push / radius, 1e-5, "e_t %g",
                       of[k].e_t);
    cr_expect_eq(run_case_doubts(run, VERDICT_ENERGY_GIVEN), 0, "e_t %g", of[k].e_t);
    cr_expect_eq(run_case_doubts(run, VERDICT_GIVEN_TOTAL), 0, "e_t %g", of[k].e_t);
    run_case_close(run);
  }
}

// A tetrahedron of grams between 640 kg and a wall: it jams, and friction of any size does work.
Test(bounce, of_a_stone_that_jams_gives_no_energy) {
  for (int k = 0; k < 2; k++) {
    CaseRun *run = run_case_text(
        xml_format(
            "<voussoir><model space='solid'/>"
            "<material name='s' density='2000' young='1e10' poisson='0.2'/>"
            "<law name='d' type='restitution' friction='0.5' restitution='1'/>"
            "<block name='a' material='s' kinematics='rigid' x='-0.525' y='-0.4' z='-0.4'"
            " width='0.5' height='0.8' depth='0.8' cells_x='1' cells_y='1'/>"
            "<velocity of='a' x='20'/><polyhedron name='b' material='s' corners='-0.02 0.0022 0"
            "  0 0.0122 0.002  0 -0.00446666667 0.01  0 -0.00446666667 -0.01'/>"
            "<support name='c' shape='box' x='0.01' y='-1' z='-1' width='0.03' height='2'"
            " depth='2'/><contact candidate='a b' antagonist='a b c' law='d'/>"
            "<time end='0.02' step='%g' theta='0.5'/><output every='0'/>"
            "<probe name='e' quantity='energy'/></voussoir>",
            k ? 1e-5 : 2e-4),
        NULL);
    double start = run->state.energy[ENERGY_INITIAL], most = run_case_largest(run, "e_kinetic");
    cr_expect_leq(most, start * (1 + 1e-4), "%g times what it was", most / start);
    cr_expect_gt(run_case_worst(run, VERDICT_BOUNCE), 0);
    run_case_close(run);
  }
}
