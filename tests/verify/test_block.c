// One stiff block: sliding, static and kinetic friction, moving supports, springs with friction,
// impacts (verification A1, A2, A10). The blocks are one Q4 so stiff (h^2 K >> M) that elasticity
// is far below the numbers compared; theta = 1 makes the elastic state follow at once.

#define _XOPEN_SOURCE 700
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>

#include "../support/run_case.h"

static const double G = 9.81;

// A flat block of mass 1 on a support, both turned by `angle`; what else there is in `more`.
static const char *block_on_plane(double angle, const char *law, const char *support,
                                  const char *more) {
  return xml_format(
      "<voussoir><material name=\"m\" density=\"10\" young=\"1e7\" poisson=\"0\""
      " damping_stiffness=\"1e-3\"/>" // takes only the ringing
      "<law name=\"l\" %s/>"
      "<block name=\"b\" material=\"m\" width=\"1\" height=\"0.1\" angle=\"%.17g\" cells_x=\"1\""
      " cells_y=\"1\" pattern=\"q4\"/>"
      "<support name=\"p\" shape=\"plane\" angle=\"%.17g\" length=\"100\" %s/>"
      "<contact candidate=\"b\" antagonist=\"p\" law=\"l\" points=\"nodes\"/>"
      "<probe name=\"u\" quantity=\"displacement\" of=\"b\"/>"
      "<probe name=\"v\" quantity=\"velocity\" of=\"b\"/>"
      "<probe name=\"r\" quantity=\"reaction\" of=\"b\"/>"
      "<probe name=\"status\" quantity=\"status\"/>"
      "<probe name=\"energy\" quantity=\"energy\"/>"
      "<solver tolerance=\"1e-12\"/>%s</voussoir>",
      law, angle, angle, support, more);
}

static const char *steps(double end, double h, double theta, const char *more) {
  return xml_format("<time end=\"%.17g\" step=\"%.17g\" theta=\"%g\"/>%s", end, h, theta, more);
}

// Along the slope, positive downhill.
static double downhill(const CaseRun *run, int64_t row, const char *what, double angle) {
  return -run_case_at(run, row, xml_format("%s_x", what)) * cos(angle) -
         run_case_at(run, row, xml_format("%s_y", what)) * sin(angle);
}

// ---- supports that turn -------------------------------------------------------------------------

// Intermediate configurations are exact: q + h (1 - theta) v is where the rotation puts a node.
Test(turning_support, is_where_its_rotation_puts_it) {
  static const double theta[3] = {0.5, 0.7, 1};
  for (int k = 0; k < 3; k++) {
    const double h = 0.01, w = 3;
    CaseRun *run = run_case_open_text(
        xml_format(
            "<voussoir><material name='m' density='10' young='1e7'/>"
            "<law name='l' friction='0'/><block name='b' material='m' x='50' width='1' height='1'/>"
            "<support name='p' shape='box' x='1' y='2' width='3' height='1' turn='%g*t'"
            " about_x='-1' about_y='0.5' move_x='0.3*t'/>"
            "<contact candidate='b' antagonist='p' law='l'/>"
            "<time end='1' step='%g' theta='%g'/></voussoir>",
            w, h, theta[k]),
        NULL);
    const BodySet *bs = &run->input.model.bodies;
    int p = run_case_body(run, "p");
    for (int step = 1; step <= 100; step++) {
      run_case_step(run, 0);
      double lead = h * (1 - theta[k]), t = step * h + lead, c = cos(w * t), s = sin(w * t);
      for (int node = bs->node_ptr[p]; node < bs->node_ptr[p + 1]; node++) {
        const double *x = bs->x + 2 * node, *q = run->state.bodies.q + 2 * node,
                     *v = run->state.bodies.v + 2 * node;
        double dx = x[0] + 1, dy = x[1] - 0.5;
        cr_assert_float_eq(x[0] + q[0] + lead * v[0], -1 + 0.3 * t + c * dx - s * dy, 1e-12);
        cr_assert_float_eq(x[1] + q[1] + lead * v[1], 0.5 + s * dx + c * dy, 1e-12);
      }
    }
    run_case_close(run);
  }
}

// A table is tilted: what lies on it goes with it up to the angle of friction, then slides. In the
// frame of the table, x to the left and `up` above it, with s = x' beside Coriolis and centrifugal
// terms: x'' = g sin + w^2 x - mu N, N = g cos - 2 w s - w^2 up; here in steps so small that they
// are exact.
static double slid(double mu, double w, double up, double time) {
  const double dt = 1e-6;
  double x = 0, speed = 0;
  for (double t = 0; t < time; t += dt) {
    double angle = atan(mu) + w * t;
    double normal = G * cos(angle) - 2 * w * speed - w * w * up;
    speed += dt * fmax(G * sin(angle) + w * w * x - mu * normal, 0);
    x += dt * speed;
  }
  return x;
}

// A frame of contact is kept until it has turned by 1e-3, which is 0.3 % of the angle that follows.
static void assert_tilts(const char *kinematics) {
  const double mu = 0.3, w = 0.5, h = 1e-3, up = 0.05, slip = atan(mu);
  const int64_t n = 1166; // to twice the angle of friction
  double before = 0, after = (double)n * h - slip / w, along = 0;
  CaseRun *run = run_case_text(
      xml_format("<voussoir><material name='m' density='10' young='1e7' poisson='0'/>"
                 "<law name='l' friction='%g'/>"
                 "<block name='b' material='m' kinematics='%s' width='1' height='0.1' cells_x='1'"
                 " cells_y='1' pattern='q4' x='-0.5'/>"
                 "<support name='p' shape='box' x='-10' y='-1' width='20' height='1' turn='%g*t'"
                 " about_x='0' about_y='0'/><gravity y='-9.81'/>"
                 "<contact candidate='b' antagonist='p' law='l' points='nodes'/>"
                 "<probe name='u' quantity='displacement' of='b'/>"
                 "<time end='%g' step='%g' theta='1'/><solver tolerance='1e-10'/></voussoir>",
                 mu, kinematics, w, (double)n * h, h),
      NULL);
  cr_assert_eq(run->n_rows, n);
  for (int64_t k = 0; k < n; k++) {
    double angle = w * h * (double)(k + 1);
    along = -(run_case_at(run, k, "u_x") + up * sin(angle)) * cos(angle) -
            (run_case_at(run, k, "u_y") - up * (cos(angle) - 1)) * sin(angle);
    if (angle < 0.99 * slip) before = fmax(before, fabs(along));
  }
  double expected = slid(mu, w, up, after);
  cr_assert_float_eq(along, expected, 0.015 * expected, "%s: %g, expected %g", kinematics, along,
                     expected);
  cr_assert_lt(before, 2e-3 * expected, "%s went by %g before it may", kinematics, before);
  run_case_close(run);
}

Test(turning_support, a_block_on_a_tilting_table_slides_from_the_angle_of_friction_on) {
  assert_tilts("rigid");
  assert_tilts("corotational");
  assert_tilts("finite");
}

// A table that is raised on one side to a stop: the block comes to rest on it, its weight carried,
// and the work of the table is what the block has gained, with what the scheme and friction took.
Test(turning_support, that_stops_leaves_a_block_at_rest_with_its_energy_in_balance) {
  static const char *const kinematics[] = {"rigid", "corotational", "finite"};
  for (int k = 0; k < 3; k++) {
    CaseRun *run = run_case_text(
        xml_format("<voussoir><material name='m' density='10' young='1e6' poisson='0'/>"
                   "<law name='l' friction='0.5'/>"
                   "<block name='b' material='m' kinematics='%s' x='1' width='1' height='0.1'"
                   " cells_x='2' cells_y='1' pattern='q4'/>"
                   "<support name='p' shape='box' y='-1' width='4' height='1' about_x='0'"
                   " about_y='0' turn='0.05*(1-cos(3.14159265358979*min(1,t)))'/>"
                   "<gravity y='-9.81'/><contact candidate='b' antagonist='p' law='l'/>"
                   "<probe name='r' quantity='reaction' of='p'/>"
                   "<probe name='u' quantity='displacement' of='b'/>"
                   "<time step='2e-3' theta='1'/><stage name='s' duration='20' until='rest'/>"
                   "</voussoir>",
                   kinematics[k]),
        NULL);
    const double angle = 0.1, weight = 10 * 0.1 * G;
    cr_expect_geq(run->state.t, 1, "%s: rest at %g s, the table still turns", kinematics[k],
                  run->state.t);
    cr_expect_float_eq(run_case_last(run, "r_y"), weight, 1e-3 * weight, "%s: %g", kinematics[k],
                       run_case_last(run, "r_y"));
    cr_expect_float_eq(run_case_last(run, "u_y"), 1.5 * sin(angle) + 0.05 * (cos(angle) - 1), 2e-4,
                       "%s: %g", kinematics[k], run_case_last(run, "u_y"));
    double lifted = weight * run_case_last(run, "u_y");
    const double *energy = run->state.energy;
    cr_expect_float_eq(energy[ENERGY_EXTERNAL] + energy[ENERGY_CONTACT_NORMAL] +
                           energy[ENERGY_FRICTION],
                       energy[ENERGY_KINETIC] + energy[ENERGY_ELASTIC], 0.02 * lifted,
                       "%s: of %g J lifted", kinematics[k], lifted);
    run_case_close(run);
  }
}

// ---- A1: the incline ----------------------------------------------------------------------------

static void assert_slides(double degrees, double mu, double h) {
  double angle = degrees * acos(-1) / 180, a = G * (sin(angle) - mu * cos(angle));
  CaseRun *run = run_case_text(
      block_on_plane(angle, xml_format("friction=\"%.17g\"", mu), "", steps(2, h, 1, "<gravity/>")),
      NULL);
  // The first steps make the elastic state of a sliding block; from there on the law is exact.
  enum { START = 40 };
  double v0 = downhill(run, START, "v", angle), x0 = downhill(run, START, "u", angle);
  cr_assert_float_eq(v0, a * (START + 1) * h, 1e-3 * a * h);
  for (int64_t k = START; k < run->n_rows; k++) {
    double t = (double)(k - START) * h, v = downhill(run, k, "v", angle);
    cr_assert_float_eq(v - v0, a * t, 1e-8 * (1 + a * t),
                       "step %lld: v - v0 = %.15g, expected %.15g", (long long)k + 1, v - v0,
                       a * t);
    double x = downhill(run, k, "u", angle), expected = v0 * t + a * t * t / 2 + 0.5 * a * h * t;
    cr_assert_float_eq(x - x0, expected, 1e-8 * (1 + expected), "x - x0 = %.15g, expected %.15g",
                       x - x0, expected);
  }
  run_case_close(run);
}

Test(incline, block_slides_with_the_discrete_law_of_uniform_acceleration) {
  assert_slides(30, 0.3, 1e-2); // a = 2.35628723666
  assert_slides(30, 0, 1e-2);
  assert_slides(45, 0.5, 2e-3);
}

Test(incline, block_sticks_above_the_angle_of_friction_and_slides_below) {
  double angle = acos(-1) / 6, h = 1e-2;
  for (int side = -1; side <= 1; side += 2) {
    double mu = tan(angle) + 1e-3 * side;
    CaseRun *run = run_case_text(block_on_plane(angle, xml_format("friction=\"%.17g\"", mu), "",
                                                steps(1e4 * h, h, 1, "<gravity/>")),
                                 NULL);
    double creep = downhill(run, run->n_rows - 1, "u", angle) - downhill(run, 10, "u", angle);
    if (side > 0) cr_assert_leq(fabs(creep), 1e-10, "creeps by %g m in 1e4 steps", creep);
    if (side < 0) cr_assert_geq(creep, 1, "mu below tan(alpha), yet it moves only %g m", creep);
    run_case_close(run);
  }
}

Test(incline, block_thrown_downhill_stops_where_and_when_it_must_and_stays) {
  double angle = acos(-1) / 9, h = 1e-3, error[2];
  for (int k = 0; k < 2; k++, h /= 2) {
    CaseRun *run = run_case_text(
        block_on_plane(angle, "friction=\"0.6\"", "",
                       steps(2, h, 1,
                             xml_format("<gravity/><velocity of=\"b\" x=\"%.17g\" y=\"%.17g\"/>",
                                        -3 * cos(angle), -3 * sin(angle)))),
        NULL);
    double stops = 0;
    for (int64_t row = 0; row < run->n_rows; row++)
      if (downhill(run, row, "v", angle) > 1e-6) stops = run_case_at(run, row, "time");
    cr_assert_float_eq(stops, 1.37879485944, 2 * h, "stops at %g", stops);
    error[k] = fabs(downhill(run, run->n_rows - 1, "u", angle) - 2.06819228916);
    cr_assert_leq(error[k], 3 * h, "stops off by %g m", error[k]);
    double v = downhill(run, run->n_rows - 1, "v", angle);
    cr_assert_leq(fabs(v), 1e-10, "still moves with %g", v);
    run_case_close(run);
  }
  cr_assert_float_eq(error[0] / error[1], 2, 0.1, "order: %g / %g", error[0], error[1]);
}

// ---- static and kinetic friction ----------------------------------------------------------------

Test(friction, of_a_sliding_block_is_kinetic) {
  double h = 1e-3, mu = 0.25;
  CaseRun *run =
      run_case_text(block_on_plane(0, "friction=\"0.6\" kinetic=\"0.25\"", "",
                                   steps(0.5, h, 1, "<gravity/><velocity of=\"b\" x=\"2\"/>")),
                    NULL);
  for (int64_t k = 40; k < run->n_rows; k++) {
    double change = run_case_at(run, k, "v_x") - run_case_at(run, k - 1, "v_x");
    cr_assert_float_eq(change, -mu * G * h, 1e-10, "step %lld: %g", (long long)k, change / (G * h));
  }
  run_case_close(run);
}

// The force F = 10 t at the base (no moment, so that all points reach their limit together): sticks
// until mu_s W, then moves with F/m - mu_k g.
Test(friction, static_holds_until_its_limit_then_kinetic_acts) {
  double h = 1e-3, mu_s = 0.6, mu_k = 0.25, start = mu_s * G / 10;
  CaseRun *run =
      run_case_text(block_on_plane(0, "friction=\"0.6\" kinetic=\"0.25\"", "",
                                   steps(1, h, 1, "<gravity/><force on=\"b.bottom\" x=\"10*t\"/>")),
                    NULL);
  for (int64_t k = 0; k < run->n_rows; k++) {
    double t = run_case_at(run, k, "time"), v = run_case_at(run, k, "v_x");
    if (t < start - 2 * h) cr_assert_leq(fabs(v), 1e-6, "slips at t = %g with %g", t, v);
    double free = 5 * (t * t - start * start) - mu_k * G * (t - start);
    if (t > start + 5 * h)
      cr_assert_float_eq(v, free, 10 * h, "t = %g: %g, expected %g", t, v, free);
  }
  run_case_close(run);
}

// A base that moves with acceleration a takes the block along iff a < mu g.
Test(friction, block_on_an_accelerating_support_slips_iff_a_exceeds_mu_g) {
  double mu = 0.3, h = 1e-3;
  for (int slips = 0; slips < 2; slips++) {
    double a = mu * G * (slips ? 1.02 : 0.98), pull = fmin(a, mu * G);
    CaseRun *run = run_case_text(block_on_plane(0, "friction=\"0.3\"",
                                                xml_format("move_x=\"0.5*%.17g*t*t\"", a),
                                                steps(1, h, 1, "<gravity/>")),
                                 NULL);
    int64_t last = run->n_rows - 1;
    // mean acceleration between steps: the first ones make the elastic state
    double accelerates =
        (run_case_at(run, last, "v_x") - run_case_at(run, 20, "v_x")) / ((double)(last - 20) * h);
    cr_assert_float_eq(accelerates, pull, 1e-6 * pull, "a = %g: block %.9g, expected %.9g", a,
                       accelerates, pull);
    run_case_close(run);
  }
}

Test(friction, support_that_moves_sideways_under_a_sliding_block_drags_with_mu_n) {
  double h = 1e-3;
  CaseRun *run = run_case_text(
      block_on_plane(0, "friction=\"0.2\"", "move_x=\"-3*t\"", steps(0.3, h, 1, "<gravity/>")),
      NULL);
  for (int64_t k = 40; k < run->n_rows; k++)
    cr_assert_float_eq(run_case_at(run, k, "r_x"), 0.2 * G, 1e-9, "drags with %g",
                       run_case_at(run, k, "r_x"));
  run_case_close(run);
}

// ---- A10: mass on a spring with friction --------------------------------------------------------

// The shear stiffness of a cohesive zone that never fails acts in parallel with friction: a spring
// of k = 100 N/m between block and base. The speed is what brings it to x = 0.1. The law takes its
// slip at the end of the step, so turning points err by O(h).
Test(spring, with_friction_turns_where_the_energy_lost_says_and_stops_off_centre) {
  static const double turns[] = {0.1, -0.08038, 0.06076, -0.04114, 0.02152, -0.0019};
  double speed = sqrt(1 + 2 * 0.1 * G * 0.1), h = 2.5e-5;
  CaseRun *run = run_case_text(
      block_on_plane(
          0,
          "type=\"cohesive_zone\" friction=\"0.1\" normal_stiffness=\"100\""
          " tangent_stiffness=\"100\" tension=\"1e9\" energy=\"1e18\"",
          "", steps(2.2, h, 0.5, xml_format("<gravity/><velocity of=\"b\" x=\"%.17g\"/>", speed))),
      NULL);
  int turn = 0;
  double first = 0, last = 0;
  for (int64_t k = 1; k < run->n_rows && turn < 6; k++) {
    double before = run_case_at(run, k - 1, "v_x"), now = run_case_at(run, k, "v_x");
    double sense = turn % 2 ? -1 : 1;
    if (sense * before > 1e-6 && sense * now <= 1e-6) {
      double x = run_case_at(run, k, "u_x");
      cr_assert_float_eq(x, turns[turn], 2 * (turn + 1) * h, "turn %d at %g, expected %g", turn, x,
                         turns[turn]);
      if (turn == 0) first = run_case_at(run, k, "time");
      last = run_case_at(run, k, "time");
      turn++;
    }
  }
  cr_assert_eq(turn, 6, "%d turns", turn);
  cr_assert_float_eq(last - first, 1.570796327, 1e-3, "stops after %g s", last - first);
  cr_assert_float_eq(run_case_last(run, "u_x"), -0.0019, 12 * h, "stays at %g",
                     run_case_last(run, "u_x"));
  run_case_close(run);
}

// ---- impacts ------------------------------------------------------------------------------------

// Two blocks so stiff that one step takes them through the impact as rigid ones: momentum and
// Newton's law give both velocities.
static void assert_collide(const char *type, double e, double speed, double ratio) {
  CaseRun *run = run_case_text(
      xml_format("<voussoir><material name=\"m\" density=\"1\" young=\"1e12\" poisson=\"0\"/>"
                 "<law name=\"l\" type=\"%s\" friction=\"0\" %s/>"
                 "<block name=\"a\" material=\"m\" width=\"1\" height=\"1\" cells_x=\"1\""
                 " cells_y=\"1\" pattern=\"q4\"/>"
                 "<block name=\"b\" material=\"m\" x=\"1.0005\" width=\"%g\" height=\"1\""
                 " cells_x=\"1\" cells_y=\"1\" pattern=\"q4\"/>"
                 "<contact candidate=\"a\" antagonist=\"b\" law=\"l\" points=\"nodes\"/>"
                 "<velocity of=\"a\" x=\"%g\"/>"
                 "<time end=\"0.01\" step=\"1e-3\" theta=\"1\"/><solver tolerance=\"1e-13\"/>"
                 "<probe name=\"a\" quantity=\"momentum\" of=\"a\"/>"
                 "<probe name=\"b\" quantity=\"momentum\" of=\"b\"/></voussoir>",
                 type, e > 0 ? xml_format("restitution=\"%g\"", e) : "", ratio, speed),
      NULL);
  double a = run_case_last(run, "a_x"), b = run_case_last(run, "b_x") / ratio;
  cr_assert_float_eq(a + ratio * b, speed, 1e-7 * speed, "momentum %.15g", a + ratio * b);
  double slow = (1 - e * ratio) / (1 + ratio) * speed, fast = (1 + e) / (1 + ratio) * speed;
  cr_assert_float_eq(a, slow, 1e-4 * speed, "%s: a leaves with %g, expected %g", type, a, slow);
  cr_assert_float_eq(b, fast, 1e-4 * speed, "%s: b leaves with %g, expected %g", type, b, fast);
  run_case_close(run);
}

Test(impact, of_stiff_blocks_follows_momentum_and_newtons_law) {
  assert_collide("quasi_inelastic", 0, 1, 1); // common velocity
  assert_collide("quasi_inelastic", 0, 1, 2.5);
  assert_collide("velocity_signorini", 0, 1, 0.5);
  for (int k = 1; k <= 5; k++) assert_collide("restitution", 0.2 * k, 0.75, 1.5);
}

// With e = 1 and theta = 1/2 every impulse works with U1 + U0 = 0 (Moreau-Jean, design section 2):
// an elastic block bounces for ever.
Test(impact, with_restitution_one_keeps_the_discrete_energy_of_an_elastic_block) {
  CaseRun *run = run_case_text(
      "<voussoir><material name=\"m\" density=\"100\" young=\"1e6\" poisson=\"0.3\"/>"
      "<law name=\"l\" type=\"restitution\" friction=\"0\" restitution=\"1\"/>"
      "<block name=\"b\" material=\"m\" kinematics=\"small\" y=\"0.05\" width=\"1\" height=\"0.5\" cells_x=\"2\""
      " cells_y=\"2\" pattern=\"t3_right\"/>"
      "<support name=\"p\" shape=\"plane\" length=\"10\"/>"
      "<contact candidate=\"b\" antagonist=\"p\" law=\"l\" points=\"nodes\"/>"
      "<gravity/><time end=\"10\" step=\"1e-3\"/><solver tolerance=\"1e-14\"/>"
      "<probe name=\"e\" quantity=\"energy\"/><probe name=\"r\" quantity=\"reaction\" of=\"b\"/>"
      "</voussoir>",
      NULL);
  double weight = 50 * 9.81, scale = run_case_largest(run, "e_kinetic");
  cr_assert_leq(run_case_smallest(run, "r_y"), -10 * weight, "it never struck");
  double kept = run_case_last(run, "e_kinetic") + run_case_last(run, "e_elastic") -
                run_case_last(run, "e_external");
  cr_assert_leq(fabs(kept), 1e-9 * scale, "energy changed by %g of the largest", kept / scale);
  cr_assert_leq(fabs(run_case_last(run, "e_contact_normal")), 1e-9 * scale);
  run_case_close(run);
}

// A block of stone on a slope of 20 degrees, below its angle of friction, at theta = 1/2. Gaps of
// round-off let it go for a step: it slid by 20 micrometres, with restitution 0 by 4 mm, and
// hopped.
Test(friction, holds_a_block_on_a_slope_by_every_law) {
  static const char *const laws[] = {"coulomb", "quasi_inelastic", "velocity_signorini",
                                     "restitution"};
  static const double slope = 0.349065850398866; // 20 degrees
  for (int k = 0; k < 4; k++) {
    CaseRun *run = run_case_text(
        xml_format(
            "<voussoir><material name=\"s\" density=\"2000\" young=\"1e9\" poisson=\"0.2\"/>"
            "<law name=\"d\" type=\"%s\" friction=\"0.6\"/>"
            "<block name=\"a\" material=\"s\" kinematics=\"small\" width=\"0.4\" height=\"0.2\""
            " cells_x=\"2\" cells_y=\"2\"/>"
            "<support name=\"base\" shape=\"box\" x=\"-5\" y=\"-1\" width=\"10\" height=\"1\"/>"
            "<contact candidate=\"a\" antagonist=\"base\" law=\"d\"/>"
            "<gravity x=\"%.15g\" y=\"%.15g\"/>"
            "<time end=\"0.3\" step=\"1e-3\" theta=\"0.5\"/><solver tolerance=\"1e-8\"/>"
            "<probe name=\"u\" quantity=\"displacement\" of=\"a.bottom\"/></voussoir>",
            laws[k], 9.81 * sin(slope), -9.81 * cos(slope)),
        NULL);
    cr_expect_lt(run_case_last(run, "u_x"), 2e-6, "%s: %g m", laws[k], run_case_last(run, "u_x"));
    cr_expect_gt(run_case_smallest(run, "u_y"), -1e-9, "%s: %g m", laws[k],
                 run_case_smallest(run, "u_y"));
    run_case_close(run);
  }
}

// self="yes" adds a body's own skin to what it may touch, in the plane and in space: two blocks on
// one another.
Test(contact, with_self_means_also_itself) {
  const char *const space[] = {"plane", "solid"};
  const char *const bodies[] = {
      "<block name=\"a\" material=\"m\" width=\"1\" height=\"1\" pattern=\"q4\"/>"
      "<block name=\"b\" material=\"m\" y=\"1\" width=\"1\" height=\"1\" pattern=\"q4\"/>"
      "<tool name=\"g\" shape=\"plane\"/><gravity/>",
      "<box name=\"a\" material=\"m\" size=\"1 1 1\" cells=\"2 2 2\"/>"
      "<box name=\"b\" material=\"m\" z=\"1\" size=\"1 1 1\" cells=\"2 2 2\"/>"
      "<tool name=\"g\" shape=\"plane\" axis_y=\"0\" axis_z=\"1\"/><gravity y=\"0\" z=\"-9.81\"/>"};
  for (int k = 0; k < 2; k++) {
    CaseRun *run = run_case_text(
        xml_format("<voussoir><model space=\"%s\"/>"
                   "<material name=\"m\" density=\"100\" young=\"1e7\" poisson=\"0.3\"/>"
                   "<law name=\"l\" friction=\"0.3\"/>%s"
                   "<contact candidate=\"a b\" antagonist=\"a b g\" law=\"l\" points=\"nodes\""
                   " self=\"yes\"/><time end=\"1\" step=\"2e-2\" theta=\"1\"/>"
                   "<solver tolerance=\"1e-9\"/>"
                   "<probe name=\"g\" quantity=\"reaction\" of=\"g\"/>"
                   "<probe name=\"b\" quantity=\"reaction\" of=\"b\"/></voussoir>",
                   space[k], bodies[k]),
        NULL);
    const char *const g[] = {"g_y", "g_z"}, *const b[] = {"b_y", "b_z"};
    cr_assert_float_eq(run_case_last(run, g[k]), 1962, 1e-3, "%s: the ground carries %g N",
                       space[k], run_case_last(run, g[k]));
    cr_assert_float_eq(run_case_last(run, b[k]), -981, 1e-3);
    run_case_close(run);
  }
}

// Stones of one mesh file are bodies: they stand on one another, and each has its weight.
Test(contact, joins_the_parts_of_a_mesh) {
  const char *const split[] = {"groups", "pieces"};
  char path[512];
  cr_assert_not_null(realpath("meshes/two_blocks.msh", path));
  for (int k = 0; k < 2; k++) {
    CaseRun *run = run_case_text(
        xml_format("<voussoir><material name=\"m\" density=\"500\" young=\"1e6\" poisson=\"0.3\"/>"
                   "<law name=\"dry\" friction=\"0.5\"/>"
                   "<body name=\"w\" material=\"m\" mesh=\"%s\" split=\"%s\"/>"
                   "<support name=\"base\" shape=\"plane\"/>"
                   "<contact candidate=\"w\" antagonist=\"w base\" law=\"dry\"/><gravity/>"
                   "<time end=\"1\" step=\"1e-2\" theta=\"1\"/><solver tolerance=\"1e-9\"/>"
                   "<probe name=\"base\" quantity=\"reaction\" of=\"base\"/>"
                   "<probe name=\"top\" quantity=\"displacement\" of=\"w.top\"/>"
                   "<probe name=\"upper\" quantity=\"reaction\" of=\"w.%s\"/></voussoir>",
                   path, split[k], k == 0 ? "upper" : "2"),
        NULL);
    // 0.1 m square of 500 kg/m^3
    cr_assert_float_eq(run_case_last(run, "base_y"), 5 * 9.81, 1e-4);
    cr_assert_float_eq(run_case_last(run, "upper_y"), -2.5 * 9.81, 1e-4);
    cr_assert_leq(fabs(run_case_last(run, "top_y")), 1e-4);
    run_case_close(run);
  }
}
