// Rigid bodies in space against closed forms.

#include <criterion/criterion.h>
#include <math.h>

#include "../support/run_case.h"

static const char HEAD[] =
    "<voussoir><model space=\"solid\"/><material name=\"m\" density=\"1000\" young=\"1e7\""
    " poisson=\"0\"/>";

// ---- free motion --------------------------------------------------------------------------------

// A body of inertias 1, 2 and 3 that tumbles about its middle axis. No box has these but a flat
// one: they are put in place of those of a cube.
static CaseRun *tumbling(const char *step, const char *theta, int64_t steps) {
  static const double inertia[3] = {1, 2, 3};
  CaseRun *run = run_case_open_text(
      xml_format("%s<box name=\"b\" material=\"m\" kinematics=\"rigid\" size=\"1 1 1\" x=\"-0.5\""
                 " y=\"-0.5\" z=\"-0.5\" cells=\"2 1 1\"/><velocity of=\"b\" spin=\"0.01 3 0.02\"/>"
                 "<time end=\"1000\" step=\"%s\" theta=\"%s\"/><output every=\"0\"/>"
                 "<probe name=\"w\" quantity=\"angular_velocity\" of=\"b\"/>"
                 "<probe name=\"o\" quantity=\"orientation\" of=\"b\"/>"
                 "<probe name=\"l\" quantity=\"angular_momentum\" of=\"b\"/></voussoir>",
                 HEAD, step, theta),
      NULL);
  RigidSpace *space = &run->input.model.bodies.rigid->space;
  for (int i = 0; i < 9; i++) space->inertia[i] = space->inverse[i] = 0;
  for (int i = 0; i < 3; i++) {
    space->inertia[4 * i] = inertia[i];
    space->inverse[4 * i] = 1 / inertia[i];
  }
  for (int64_t k = 0; k < steps; k++) run_case_step(run, k >= steps - 1);
  return run;
}

Test(rigid_space, tumbling_body_keeps_its_momentum_and_its_energy) {
  CaseRun *run = tumbling("1e-3", "0.5", 100000);
  const double start[3] = {0.01, 6, 0.06}, energy = 0.5 * (1e-4 + 2 * 9 + 3 * 4e-4);
  cr_assert_float_eq(run->state.energy[ENERGY_KINETIC], energy, 1e-11 * energy, "%.3g",
                     run->state.energy[ENERGY_KINETIC] / energy - 1);
  const char *const name[3] = {"l_x", "l_y", "l_z"};
  for (int i = 0; i < 3; i++)
    cr_assert_float_eq(run_case_last(run, name[i]), start[i], 1e-11 * 6, "%s %.17g", name[i],
                       run_case_last(run, name[i]));
  // Its shape: the diagonal of the mesh is as long as ever, and it lies where the orientation says.
  const BodySet *bs = &run->input.model.bodies;
  double last[3], square = 0, o[4], v[3], turned[3];
  static const char *const part[4] = {"o_w", "o_x", "o_y", "o_z"};
  for (int i = 0; i < 4; i++) o[i] = run_case_last(run, part[i]);
  for (int i = 0; i < 3; i++) {
    int k = 3 * (bs->n_nodes - 1) + i; // at (0.5, 0.5, 0.5)
    last[i] = bs->x[k] + run->state.bodies.q[k];
    double diagonal = last[i] - bs->x[i] - run->state.bodies.q[i];
    square += diagonal * diagonal;
    v[i] = 0.5;
  }
  cr_assert_float_eq(sqrt(square), sqrt(3), 1e-12);
  // v + 2 q x (q x v + w v); round-off of its place adds up, by 1e-16 a step at most
  for (int i = 0; i < 3; i++) {
    int j = (i + 1) % 3, k = (i + 2) % 3;
    double cj = o[1 + k] * v[i] - o[1 + i] * v[k] + o[0] * v[j],
           ck = o[1 + i] * v[j] - o[1 + j] * v[i] + o[0] * v[k];
    turned[i] = v[i] + 2 * (o[1 + j] * ck - o[1 + k] * cj);
    cr_expect_float_eq(turned[i], last[i], 1e-11, "%d: %g", i, turned[i] - last[i]);
  }
  run_case_close(run);
}

// Its spin about the middle axis turns over, as Euler's equations have it: in the axes of the body,
// by Runge-Kutta of fourth order with a thousand steps a second (error below 1e-9).
static void euler(const double inertia[3], double t_end, double w[3]) {
  int n = (int)(1000 * t_end);
  double h = t_end / n;
  for (int step = 0; step < n; step++) {
    double rate[4][3], at[3], share[4] = {0, 0.5, 0.5, 1};
    for (int s = 0; s < 4; s++) {
      for (int i = 0; i < 3; i++) at[i] = w[i] + (s > 0 ? h * share[s] * rate[s - 1][i] : 0);
      for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        rate[s][i] = (inertia[j] - inertia[k]) / inertia[i] * at[j] * at[k];
      }
    }
    for (int i = 0; i < 3; i++)
      w[i] += h / 6 * (rate[0][i] + 2 * rate[1][i] + 2 * rate[2][i] + rate[3][i]);
  }
}

// How far the spin in the axes of the body, by its orientation, is from `exact`.
static double spin_error(CaseRun *run, const double exact[3]) {
  static const char *const part[7] = {"o_w", "o_x", "o_y", "o_z", "w_x", "w_y", "w_z"};
  double o[4], w[3], error = 0;
  for (int i = 0; i < 4; i++) o[i] = run_case_last(run, part[i]);
  for (int i = 0; i < 3; i++) w[i] = run_case_last(run, part[4 + i]);
  for (int i = 0; i < 3; i++) {
    int j = (i + 1) % 3, k = (i + 2) % 3; // by the conjugate
    double cj = -o[1 + k] * w[i] + o[1 + i] * w[k] + o[0] * w[j],
           ck = -o[1 + i] * w[j] + o[1 + j] * w[i] + o[0] * w[k];
    error = fmax(error, fabs(w[i] - 2 * (o[1 + j] * ck - o[1 + k] * cj) - exact[i]));
  }
  return error;
}

static double tumbling_error(const char *step, int64_t steps, double t) {
  double exact[3] = {0.01, 3, 0.02};
  CaseRun *run = tumbling(step, "0.5", steps);
  euler((const double[3]){1, 2, 3}, t, exact);
  double error = spin_error(run, exact);
  run_case_close(run);
  return error;
}

Test(rigid_space, tumbling_body_follows_euler_to_second_order) {
  const double t = 4; // it turns over in about 3 s
  double coarse = tumbling_error("1e-2", 400, t), fine = tumbling_error("5e-3", 800, t);
  cr_expect_lt(coarse, 2e-2, "%g", coarse);
  cr_expect_float_eq(coarse / fine, 4, 0.1, "%g over %g", coarse, fine);
}

// At theta 1 energy is lost, and told as numerical; angular momentum stays.
Test(rigid_space, implicit_steps_lose_what_they_tell) {
  CaseRun *run = tumbling("1e-2", "1", 1000);
  const double energy = 0.5 * (1e-4 + 2 * 9 + 3 * 4e-4);
  double lost = energy - run->state.energy[ENERGY_KINETIC];
  cr_expect_gt(lost, 0.01 * energy);
  cr_expect_float_eq(run->state.energy[ENERGY_NUMERICAL], lost, 1e-11 * energy, "%g %g",
                     run->state.energy[ENERGY_NUMERICAL], lost);
  cr_expect_float_eq(run_case_last(run, "l_y"), 6, 1e-11 * 6);
  run_case_close(run);
}

// A force on a corner: momentum and angular momentum about the centre grow by its impulse and
// moment at the start of a step, to first order.
Test(rigid_space, force_on_a_corner_turns_a_body) {
  CaseRun *run = run_case_text(
      xml_format("%s<box name=\"b\" material=\"m\" kinematics=\"rigid\" size=\"2 1 0.5\" x=\"-1\""
                 " y=\"-0.5\" z=\"-0.25\" cells=\"1 1 1\"/>"
                 "<force on=\"b.all\" near=\"1 0.5 0.25\" x=\"30\" y=\"-20\" z=\"50\"/>"
                 "<time end=\"1e-3\" step=\"1e-3\" theta=\"0.5\"/><output every=\"0\"/>"
                 "<probe name=\"p\" quantity=\"momentum\" of=\"b\"/>"
                 "<probe name=\"l\" quantity=\"angular_momentum\" of=\"b\"/></voussoir>",
                 HEAD),
      NULL);
  const double force[3] = {30, -20, 50}, arm[3] = {1, 0.5, 0.25}, h = 1e-3;
  static const char *const p[3] = {"p_x", "p_y", "p_z"}, *const l[3] = {"l_x", "l_y", "l_z"};
  for (int i = 0; i < 3; i++) {
    int j = (i + 1) % 3, k = (i + 2) % 3;
    cr_expect_float_eq(run_case_last(run, p[i]), h * force[i], 1e-13);
    cr_expect_float_eq(run_case_last(run, l[i]), h * (arm[j] * force[k] - arm[k] * force[j]),
                       1e-13);
  }
  run_case_close(run);
}

// Couples at four corners turn a box from rest by M t^2 / (2 J), of steps with theta by
// (theta - 1/2) M h t / J more.
Test(rigid_space, couple_turns_a_box_as_its_inertia_says) {
  static const char *const theta[2] = {"0.5", "1"};
  for (int k = 0; k < 2; k++) {
    CaseRun *run = run_case_text(
        xml_format("%s<box name=\"b\" material=\"m\" kinematics=\"rigid\" size=\"2 1 0.5\" x=\"-1\""
                   " y=\"-0.5\" z=\"-0.25\" cells=\"1 1 1\"/>"
                   "<force on=\"b.all\" near=\"1 0.5 0.25\" y=\"1\"/>"
                   "<force on=\"b.all\" near=\"1 0.5 -0.25\" y=\"1\"/>"
                   "<force on=\"b.all\" near=\"-1 -0.5 0.25\" y=\"-1\"/>"
                   "<force on=\"b.all\" near=\"-1 -0.5 -0.25\" y=\"-1\"/>"
                   "<time end=\"0.1\" step=\"1e-2\" theta=\"%s\"/><output every=\"0\"/>"
                   "<probe name=\"o\" quantity=\"orientation\" of=\"b\"/></voussoir>",
                   HEAD, theta[k]),
        NULL);
    const double rate = 4 / (1000.0 / 12 * 5), t = 0.1;
    double expected = 0.5 * rate * t * t + (k == 0 ? 0 : 0.5 * rate * 1e-2 * t);
    // forces keep their direction: 5e-5 rad on
    cr_expect_float_eq(2 * asin(run_case_last(run, "o_z")), expected, 1e-4 * expected, "%g for %g",
                       2 * asin(run_case_last(run, "o_z")), expected);
    cr_expect_lt(run->state.worst[WORST_BALANCE], 1e-10, "%g", run->state.worst[WORST_BALANCE]);
    run_case_close(run);
  }
}

// ---- one body on the ground ---------------------------------------------------------------------

// Names of an axis and the two after it; numbers in that order as a list "x y z".
static const char *list_of(int axis, const double v[3], char text[100]) {
  double out[3];
  for (int i = 0; i < 3; i++) out[(axis + i) % 3] = v[i];
  snprintf(text, 100, "%.17g %.17g %.17g", out[0], out[1], out[2]);
  return text;
}

// A block 0.5 x 0.7 x 1 that stands on its whole base turns about an edge of it when the other edge
// lands: Housner's ratio in one step, for a ground to each side of the model. (At theta 1/2 a step
// sees the block where it is half a step later, tilted, and the ratio is 3e-4 larger.)
Test(rigid_space, block_that_lands_on_its_base_loses_three_tenths_of_its_spin) {
  static const char *const rate[3] = {"w_x", "w_y", "w_z"};
  for (int up = 0; up < 3; up++) {
    int along = (up + 1) % 3, across = (up + 2) % 3; // turns about `across`
    char size[100], spin[100], normal[100];
    double v[3] = {0};
    v[up] = -0.25;
    v[along] = 0.5; // of the centre, about the edge at the origin
    CaseRun *run = run_case_open_text(
        xml_format(
            "%s<box name=\"b\" material=\"m\" kinematics=\"rigid\" size=\"%s\" cells=\"1 1 1\"/>"
            "<velocity of=\"b\" x=\"%g\" y=\"%g\" z=\"%g\" spin=\"%s\"/>"
            "<support name=\"g\" shape=\"plane\" length=\"10\" normal=\"%s\"/>"
            "<law name=\"l\" type=\"velocity_signorini\" friction=\"0.7\"/>"
            "<contact candidate=\"b\" antagonist=\"g\" law=\"l\"/><solver tolerance=\"1e-12\"/>"
            "<time end=\"1e-3\" step=\"1e-3\" theta=\"1\"/><output every=\"0\"/>"
            "<probe name=\"w\" quantity=\"angular_velocity\" of=\"b\"/></voussoir>",
            HEAD, list_of(up, (const double[3]){1, 0.5, 0.7}, size), v[0], v[1], v[2],
            list_of(up, (const double[3]){0, 0, 1}, spin),
            list_of(up, (const double[3]){1, 0, 0}, normal)),
        NULL);
    run_case_step(run, 1);
    cr_expect_float_eq(run_case_last(run, rate[across]), 0.7, 1e-9, "up %d: %.12g", up,
                       run_case_last(run, rate[across]));
    cr_expect_float_eq(run_case_last(run, rate[along]), 0, 1e-9);
    cr_expect_float_eq(run_case_last(run, rate[up]), 0, 1e-9);
    run_case_close(run);
  }
}

// Housner's peaks as in the plane: the ground is tilted and gravity with it, so that the block
// begins tilted by half its critical angle.
static void rock(const char *step) {
  const double critical = atan(0.5), start = 0.5 * critical,
               peak[] = {0.206301, 0.095534, 0.045695};
  // The block leans over the edge at x = 0: the ground falls away below it towards +x.
  CaseRun *run = run_case_text(
      xml_format("%s<box name=\"b\" material=\"m\" kinematics=\"rigid\" size=\"0.5 0.4 1\""
                 " cells=\"1 1 1\"/><support name=\"g\" shape=\"plane\" length=\"10\""
                 " normal=\"sin(%.17g) 0 cos(%.17g)\"/>"
                 "<gravity x=\"-9.81*sin(%.17g)\" y=\"0\" z=\"-9.81*cos(%.17g)\"/>"
                 "<law name=\"l\" type=\"velocity_signorini\" friction=\"0.7\"/>"
                 "<contact candidate=\"b\" antagonist=\"g\" law=\"l\"/>"
                 "<time end=\"1.4\" step=\"%s\" theta=\"0.5\"/><output every=\"0\"/>"
                 "<probe name=\"w\" quantity=\"angular_velocity\" of=\"b\"/>"
                 "<probe name=\"o\" quantity=\"orientation\" of=\"b\"/></voussoir>",
                 HEAD, start, start, start, start, step),
      NULL);
  int peaks = 0;
  double before = 0, last = start, crossed = 0;
  for (int64_t k = 0; k < run->n_rows; k++) {
    double angle = 2 * asin(run_case_at(run, k, "o_y")), now = start - angle,
           rate = run_case_at(run, k, "w_y");
    if (k > 0 && before * rate < 0 && fabs(last) > 1e-3 && peaks < 3) {
      cr_expect_float_eq(fabs(now) / critical, peak[peaks], 0.01 * peak[peaks], "peak %d: %g",
                         peaks, fabs(now) / critical);
      peaks++;
    }
    if (crossed == 0 && last * now <= 0) crossed = run_case_at(run, k, "time");
    before = rate;
    last = now;
  }
  cr_expect_eq(peaks, 3);
  cr_expect_float_eq(crossed, 0.36531268, 3e-4, "%g", crossed);
  cr_expect_lt(run->state.worst[WORST_BALANCE], 1e-9, "%g", run->state.worst[WORST_BALANCE]);
  run_case_close(run);
}

Test(rigid_space, block_rocks_as_housner_says) {
  rock("1e-4");
}

// Pushed along x by a share of its weight: what it has moved and turned after 0.4 s.
static void pushed(double share, double friction, double *moved, double *turned) {
  CaseRun *run = run_case_text(
      xml_format(
          "%s<box name=\"b\" material=\"m\" kinematics=\"rigid\" size=\"0.5 0.6 1\""
          " cells=\"1 1 1\"/><support name=\"g\" shape=\"plane\" length=\"10\"/>"
          "<gravity x=\"9.81*%.17g\" y=\"0\" z=\"-9.81\"/><law name=\"l\" friction=\"%g\"/>"
          "<contact candidate=\"b\" antagonist=\"g\" law=\"l\"/><solver tolerance=\"1e-10\"/>"
          "<time end=\"0.4\" step=\"1e-3\" theta=\"1\"/><output every=\"0\"/>"
          "<probe name=\"b\" quantity=\"displacement\" of=\"b.z0\"/>"
          "<probe name=\"o\" quantity=\"orientation\" of=\"b\"/></voussoir>",
          HEAD, share, friction),
      NULL);
  *moved = run_case_last(run, "b_x");
  *turned = 2 * asin(run_case_last(run, "o_y"));
  run_case_close(run);
}

Test(rigid_space, pushed_block_slides_or_overturns) {
  double moved, turned;
  pushed(0.499, 0.6, &moved, &turned); // less than b / h and less than friction
  cr_expect_lt(fabs(moved), 1e-9, "moved by %g m", moved);
  cr_expect_lt(fabs(turned), 1e-9, "turned by %g rad", turned);
  pushed(0.501, 0.6, &moved, &turned); // b / h = 0.5
  cr_expect_gt(turned, 1e-4, "turned by %g rad", turned);
  pushed(0.41, 0.4, &moved, &turned);
  cr_expect_float_eq(moved, 0.01 * 9.81 * 0.4 * 0.401 / 2, 1e-6, "moved by %g m", moved);
  cr_expect_lt(fabs(turned), 1e-9, "turned by %g rad", turned);
}

// On a slope of 30 degrees with friction tan 30, started across it: its speed and its speed down
// the slope add up to what they were, and it ends half as fast, straight down.
Test(rigid_space, block_slides_across_a_slope_until_it_slides_down) {
  CaseRun *run = run_case_text(
      xml_format(
          "%s<box name=\"b\" material=\"m\" kinematics=\"rigid\" size=\"1 1 0.1\""
          " cells=\"1 1 1\"/><velocity of=\"b\" y=\"2\"/>"
          "<support name=\"g\" shape=\"plane\" length=\"100\"/>"
          "<gravity x=\"9.81*sin(pi/6)\" y=\"0\" z=\"-9.81*cos(pi/6)\"/>"
          "<law name=\"l\" friction=\"tan(pi/6)\"/>"
          "<contact candidate=\"b\" antagonist=\"g\" law=\"l\"/><solver tolerance=\"1e-10\"/>"
          "<time end=\"3\" step=\"1e-3\" theta=\"1\"/><output every=\"0\"/>"
          "<probe name=\"p\" quantity=\"momentum\" of=\"b\"/>"
          "<probe name=\"w\" quantity=\"angular_velocity\" of=\"b\"/></voussoir>",
          HEAD),
      NULL);
  const double mass = 100;
  double worst = 0;
  for (int64_t k = 0; k < run->n_rows; k++) {
    double down = run_case_at(run, k, "p_x") / mass, side = run_case_at(run, k, "p_y") / mass;
    worst = fmax(worst, fabs(hypot(down, side) + down - 2));
  }
  cr_expect_lt(worst, 3e-3, "%g", worst); // of first order: a step changes the speed by 5e-3
  cr_expect_float_eq(run_case_last(run, "p_x") / mass, 1, 3e-3, "%g", run_case_last(run, "p_x"));
  cr_expect_float_eq(run_case_last(run, "p_y") / mass, 0, 1e-3, "%g", run_case_last(run, "p_y"));
  cr_expect_lt(fabs(run_case_last(run, "w_z")), 1e-6, "%g", run_case_last(run, "w_z"));
  run_case_close(run);
}

// ---- several ------------------------------------------------------------------------------------

// Six boxes of different sizes on each other: the ground bears their weight, each the weight above
// it.
Test(rigid_space, column_of_boxes_rests_on_its_weight) {
  char boxes[2000] = "";
  size_t at = 0;
  double weight = 0;
  for (int k = 0; k < 6; k++) {
    double size[3] = {1 - 0.1 * k, 1 - 0.07 * k, 0.3};
    at += (size_t)snprintf(
        boxes + at, sizeof boxes - at,
        "<box name=\"b%d\" material=\"m\" kinematics=\"rigid\" size=\"%g %g %g\" x=\"%g\" y=\"%g\""
        " z=\"%g\" cells=\"1 1 1\"/>",
        k, size[0], size[1], size[2], 0.07 * k, 0.01 * k, 0.3 * k);
    weight += 9810 * size[0] * size[1] * size[2];
  }
  CaseRun *run = run_case_text(
      xml_format("%s%s<group name=\"all_of\" bodies=\"b0 b1 b2 b3 b4 b5\"/>"
                 "<support name=\"g\" shape=\"plane\" length=\"10\"/>"
                 "<gravity y=\"0\" z=\"-9.81\"/><law name=\"l\" friction=\"0.5\"/>"
                 "<contact candidate=\"all_of\" antagonist=\"all_of g\" law=\"l\"/>"
                 "<solver tolerance=\"1e-12\"/><time end=\"0.1\" step=\"1e-3\" theta=\"1\"/>"
                 "<output every=\"0\"/><probe name=\"r\" quantity=\"reaction\" of=\"g\"/>"
                 "<probe name=\"t\" quantity=\"displacement\" of=\"b5\"/></voussoir>",
                 HEAD, boxes),
      NULL);
  for (int64_t k = 0; k < run->n_rows; k++) {
    cr_expect_float_eq(run_case_at(run, k, "r_z"), weight, 1e-8 * weight);
    cr_expect_float_eq(run_case_at(run, k, "r_x"), 0, 1e-8 * weight);
    cr_expect_float_eq(run_case_at(run, k, "r_y"), 0, 1e-8 * weight);
  }
  cr_expect_lt(run_case_farthest(run), 1e-10, "%g", run_case_farthest(run));
  run_case_close(run);
}

Test(rigid_space, column_comes_to_rest) {
  CaseRun *run = run_case_text(
      xml_format(
          "%s<box name=\"a\" material=\"m\" kinematics=\"rigid\" size=\"1 1 0.5\" cells=\"1 1 1\"/>"
          "<box name=\"b\" material=\"m\" kinematics=\"rigid\" size=\"0.8 1 0.5\" z=\"0.5\""
          " cells=\"1 1 1\"/><support name=\"g\" shape=\"plane\"/><gravity y=\"0\" z=\"-9.81\"/>"
          "<law name=\"l\" friction=\"0.5\"/><contact candidate=\"a b\" antagonist=\"a b g\""
          " law=\"l\"/><time step=\"1e-2\" theta=\"1\"/>"
          "<stage name=\"s\" until=\"rest\" duration=\"1\"/><output every=\"0\"/></voussoir>",
          HEAD),
      NULL);
  cr_expect_leq(run->state.step, 25, "%d steps", (int)run->state.step);
  run_case_close(run);
}

// Free in space: what one box gives the other it loses, also of angular momentum.
Test(rigid_space, boxes_that_collide_keep_their_momenta) {
  CaseRun *run = run_case_text(
      xml_format(
          "%s<box name=\"a\" material=\"m\" kinematics=\"rigid\" size=\"1 0.5 0.7\" cells=\"1 1 1\"/>"
          "<box name=\"b\" material=\"m\" kinematics=\"rigid\" size=\"0.6 1 0.4\" x=\"1.1\" y=\"0.2\""
          " z=\"0.3\" cells=\"1 1 1\"/><velocity of=\"a\" x=\"2\" spin=\"1 0.5 -2\"/>"
          "<velocity of=\"b\" spin=\"-0.5 1 1\"/><law name=\"l\" friction=\"0.3\"/>"
          "<contact candidate=\"a b\" antagonist=\"a b\" law=\"l\"/>"
          "<time end=\"0.3\" step=\"1e-3\" theta=\"0.5\"/><output every=\"0\"/>"
          "<probe name=\"p\" quantity=\"momentum\" of=\"a b\"/>"
          "<probe name=\"q\" quantity=\"momentum\" of=\"b\"/>"
          "<probe name=\"l\" quantity=\"angular_momentum\" of=\"a b\"/></voussoir>",
          HEAD),
      NULL);
  static const char *const name[6] = {"p_x", "p_y", "p_z", "l_x", "l_y", "l_z"};
  cr_expect_gt(run_case_last(run, "q_x"), 100, "they have met");
  // Linear momentum to round-off. An impulse acts on either body at its own point, which are as far
  // apart as the gap: what angular momentum this makes is of the order of the step.
  for (int i = 0; i < 6; i++)
    for (int64_t k = 1; k < run->n_rows; k++)
      cr_assert_float_eq(run_case_at(run, k, name[i]), run_case_at(run, 0, name[i]),
                         i < 3 ? 1e-9 : 1, "%s, row %d: %g", name[i], (int)k,
                         run_case_at(run, k, name[i]) - run_case_at(run, 0, name[i]));
  run_case_close(run);
}

// A rigid box on an elastic column of two elements and that on the ground: the column shortens by
// what weighs on it, W L / (E A), and by half of its own weight.
Test(rigid_space, elastic_column_bears_a_rigid_box) {
  CaseRun *run = run_case_text(
      xml_format(
          "%s<box name=\"c\" material=\"m\" kinematics=\"small\" size=\"1 1 2\" cells=\"2 2 4\"/>"
          "<box name=\"b\" material=\"m\" kinematics=\"rigid\" size=\"1 1 1\" z=\"2\" cells=\"1 1 1\"/>"
          "<support name=\"g\" shape=\"plane\" length=\"10\"/><gravity y=\"0\" z=\"-9.81\"/>"
          "<law name=\"l\" friction=\"0.5\"/><contact candidate=\"c\" antagonist=\"b g\" law=\"l\"/>"
          "<solver tolerance=\"1e-10\"/><time end=\"50\" step=\"0.5\" theta=\"1\"/>"
          "<output every=\"0\"/><probe name=\"r\" quantity=\"reaction\" of=\"g\"/>"
          "<probe name=\"t\" quantity=\"displacement\" of=\"b\"/></voussoir>",
          HEAD),
      NULL);
  const double weight = 9810, shortening = (weight * 2 + weight * 2 * 2 / 2) / 1e7;
  cr_expect_float_eq(run_case_last(run, "r_z"), 3 * weight, 1e-7 * weight, "%g",
                     run_case_last(run, "r_z"));
  cr_expect_float_eq(run_case_last(run, "t_z"), -shortening, 1e-6 * shortening, "%.9g for %.9g",
                     run_case_last(run, "t_z"), -shortening);
  run_case_close(run);
}

// ---- what is given ------------------------------------------------------------------------------

// A box on a table that turns about a line beside it, up to half a turn and then no more: it goes
// round with the table, on any axis of the model.
Test(rigid_space, box_goes_round_with_the_table_it_stands_on) {
  for (int up = 0; up < 3; up++) {
    static const char *const part[3] = {"o_x", "o_y", "o_z"};
    char size[100], normal[100];
    double g[3] = {0}, about[3] = {0};
    g[up] = -9.81;
    about[(up + 1) % 3] = 0.3;
    CaseRun *run = run_case_text(
        xml_format(
            "%s<box name=\"b\" material=\"m\" kinematics=\"rigid\" size=\"%s\" cells=\"1 1 1\"/>"
            "<support name=\"g\" shape=\"plane\" length=\"3\" normal=\"%s\" axis=\"%s\""
            " turn=\"pi/2*(1-cos(pi*min(t,1)))\" about_x=\"%g\" about_y=\"%g\" about_z=\"%g\"/>"
            "<gravity x=\"%g\" y=\"%g\" z=\"%g\"/><law name=\"l\" friction=\"1\"/>"
            "<contact candidate=\"b\" antagonist=\"g\" law=\"l\"/><solver tolerance=\"1e-10\"/>"
            "<time end=\"1.2\" step=\"5e-4\" theta=\"0.5\"/><output every=\"0\"/>"
            "<probe name=\"o\" quantity=\"orientation\" of=\"b\"/>"
            "<probe name=\"d\" quantity=\"displacement\" of=\"b\"/></voussoir>",
            HEAD, list_of(up, (const double[3]){0.2, 0.3, 0.4}, size),
            list_of(up, (const double[3]){1, 0, 0}, normal), normal, about[0], about[1], about[2],
            g[0], g[1], g[2]),
        NULL);
    cr_expect_float_eq(fabs(run_case_last(run, part[up])), 1, 1e-6, "up %d: %.9g", up,
                       run_case_last(run, part[up]));
    static const char *const way[3] = {"d_x", "d_y", "d_z"};
    // From the middle (0.15, 0.2). The table goes along chords, the box from step to step along its
    // velocity: they are apart by h omega^2 r / 2, 6 mm/s at most here, and corners slip by that.
    const double expected[3] = {0, 2 * (0.3 - 0.15), 2 * (0 - 0.2)};
    for (int i = 0; i < 3; i++)
      cr_expect_float_eq(run_case_last(run, way[(up + i) % 3]), expected[i], 1e-3, "up %d, %d: %g",
                         up, i, run_case_last(run, way[(up + i) % 3]));
    run_case_close(run);
  }
}

// ---- flat faces ---------------------------------------------------------------------------------

// Boxes 1 x 0.6 x 0.2, each beyond the one below it by a share of what just stands: half, a
// quarter, a sixth, an eighth of its length from the top on. How far the top one has gone after
// half a second.
static double overhang(int n, double share) {
  char boxes[2000] = "";
  size_t at = 0;
  double x = 0;
  for (int k = 0; k < n; k++) { // from the ground on
    x += share / (2.0 * (n - k));
    at += (size_t)snprintf(
        boxes + at, sizeof boxes - at,
        "<box name=\"b%d\" material=\"m\" kinematics=\"rigid\" size=\"1 0.6 0.2\" x=\"%.17g\""
        " y=\"-0.3\" z=\"%.17g\" cells=\"1 1 1\"/>",
        k, x, 0.2 * k);
  }
  CaseRun *run = run_case_text(
      xml_format("%s%s<support name=\"g\" shape=\"box\" y=\"-1\" z=\"-1\" width=\"1\" height=\"2\""
                 " depth=\"1\"/><gravity y=\"0\" z=\"-9.81\"/><law name=\"l\" friction=\"0.5\"/>"
                 "<contact candidate=\"all\" antagonist=\"all g\" law=\"l\"/>"
                 "<solver tolerance=\"1e-10\"/><time end=\"0.5\" step=\"2e-3\" theta=\"1\"/>"
                 "<output every=\"0\"/></voussoir>",
                 HEAD, boxes),
      NULL);
  double far = run_case_farthest(run);
  run_case_close(run);
  return far;
}

// One box, and the harmonic overhang of four: half a length, 25 / 24 of it.
Test(rigid_space, overhanging_boxes_stand_or_fall_at_their_true_edges) {
  for (int n = 1; n <= 4; n += 3) {
    double stands = overhang(n, 0.999), falls = overhang(n, 1.001);
    cr_expect_lt(stands, 1e-8, "%d boxes, moved by %g m", n, stands);
    cr_expect_gt(falls, 1e-4, "%d boxes, moved by %g m", n, falls);
  }
}

// Beams crosswise, four layers of two: all points are crossings of sides. The ground bears their
// weight, and nothing moves.
Test(rigid_space, crib_of_beams_rests) {
  char boxes[3000] = "";
  size_t at = 0;
  for (int k = 0; k < 8; k++) {
    double side = k % 2 ? 0.6 : -0.8;
    int layer = k / 2, across = layer % 2;
    at += (size_t)snprintf(
        boxes + at, sizeof boxes - at,
        "<box name=\"b%d\" material=\"m\" kinematics=\"rigid\" size=\"%s\" x=\"%g\" y=\"%g\""
        " z=\"%g\" cells=\"1 1 1\"/>",
        k, across ? "0.2 2 0.25" : "2 0.2 0.25", across ? side : -1, across ? -1 : side,
        0.25 * layer);
  }
  CaseRun *run = run_case_text(
      xml_format(
          "%s%s<support name=\"g\" shape=\"plane\" length=\"10\"/>"
          "<gravity y=\"0\" z=\"-9.81\"/><law name=\"l\" friction=\"0.5\"/>"
          "<contact candidate=\"all\" antagonist=\"all g\" law=\"l\"/>"
          "<solver tolerance=\"1e-12\"/><time end=\"0.2\" step=\"2e-3\" theta=\"1\"/>"
          "<output every=\"0\"/><probe name=\"r\" quantity=\"reaction\" of=\"g\"/></voussoir>",
          HEAD, boxes),
      NULL);
  const double weight = 8 * 9810 * 2 * 0.2 * 0.25;
  cr_expect_eq((int)run_case_last(run, "contacts"), 2 * 4 + 3 * 4 * 4);
  cr_expect_float_eq(run_case_last(run, "r_z"), weight, 1e-8 * weight);
  cr_expect_lt(run_case_farthest(run), 1e-9, "%g", run_case_farthest(run));
  run_case_close(run);
}

// An elastic joint under a box: its settlement is weight over stiffness of its area, wherever the
// corners of that are.
Test(rigid_space, elastic_joint_has_the_stiffness_of_its_area) {
  CaseRun *run = run_case_text(
      xml_format(
          "%s<box name=\"b\" material=\"m\" kinematics=\"rigid\" size=\"2 0.5 0.4\" x=\"-1\""
          " y=\"-0.25\" cells=\"1 1 1\"/><support name=\"g\" shape=\"box\" x=\"-0.3\" y=\"-1\""
          " z=\"-1\" width=\"0.6\" height=\"2\" depth=\"1\"/><gravity y=\"0\" z=\"-9.81\"/>"
          "<law name=\"l\" type=\"elastic_joint\" friction=\"0.5\" normal_stiffness=\"1e7\""
          " tangent_stiffness=\"1e7\"/><contact candidate=\"b\" antagonist=\"g\" law=\"l\"/>"
          "<solver tolerance=\"1e-12\"/><time end=\"5\" step=\"0.1\" theta=\"1\"/>"
          "<output every=\"0\"/><probe name=\"d\" quantity=\"displacement\" of=\"b\"/></voussoir>",
          HEAD),
      NULL);
  const double settlement = 9810 * 2 * 0.5 * 0.4 / (1e7 * 0.6 * 0.5);
  cr_expect_float_eq(run_case_last(run, "d_z"), -settlement, 1e-6 * settlement, "%g for %g",
                     run_case_last(run, "d_z"), -settlement);
  run_case_close(run);
}

// A dozen boxes fall into a pit and come to lie in a heap: none is in another one by more than a
// hundredth of its least edge, and the ground bears them in the end.
Test(rigid_space, boxes_that_tumble_into_a_pit_stay_apart) {
  char boxes[6000] = "";
  size_t at = 0;
  double weight = 0;
  for (int k = 0; k < 12; k++) {
    double size[3];
    for (int i = 0; i < 3; i++) size[i] = 0.5 + 0.15 * sin(2.3 * k + 1.7 * i);
    weight += 9810 * size[0] * size[1] * size[2];
    at += (size_t)snprintf(
        boxes + at, sizeof boxes - at,
        "<box name=\"b%d\" material=\"m\" kinematics=\"rigid\" size=\"%.3f %.3f %.3f\" x=\"%.3f\""
        " y=\"%.3f\" z=\"%.3f\" cells=\"1 1 1\"/><velocity of=\"b%d\" spin=\"%.3f %.3f %.3f\"/>",
        k, size[0], size[1], size[2], -0.95 + 1.05 * (k % 2), -0.95 + 1.05 * (k / 2 % 2),
        0.3 + 0.95 * (k / 4), k, 3 * sin(k), 3 * cos(k), 3 * sin(2.0 * k));
  }
  CaseRun *run = run_case_text(
      xml_format(
          "%s%s<support name=\"g\" shape=\"box\" x=\"-1\" y=\"-1\" z=\"-1\" width=\"2\""
          " height=\"2\" depth=\"1\"/>"
          "<support name=\"w1\" shape=\"box\" x=\"-2\" y=\"-1\" width=\"1\" height=\"2\" depth=\"5\"/>"
          "<support name=\"w2\" shape=\"box\" x=\"1\" y=\"-1\" width=\"1\" height=\"2\" depth=\"5\"/>"
          "<support name=\"w3\" shape=\"box\" x=\"-1\" y=\"-2\" width=\"2\" height=\"1\" depth=\"5\"/>"
          "<support name=\"w4\" shape=\"box\" x=\"-1\" y=\"1\" width=\"2\" height=\"1\" depth=\"5\"/>"
          "<gravity y=\"0\" z=\"-9.81\"/><law name=\"l\" friction=\"0.3\"/>"
          "<contact candidate=\"all\" antagonist=\"all g w1 w2 w3 w4\" law=\"l\"/>"
          "<time end=\"4\" step=\"2e-3\" theta=\"1\"/><output every=\"0\"/>"
          "<probe name=\"r\" quantity=\"reaction\" of=\"g\"/>"
          "<probe name=\"p\" quantity=\"momentum\" of=\"all\"/></voussoir>",
          HEAD, boxes),
      NULL);
  cr_expect_lt(run->state.worst[WORST_PENETRATION_NODES], 0.01 * 0.35, "%g",
               run->state.worst[WORST_PENETRATION_NODES]);
  cr_expect_lt(run->state.worst[WORST_PENETRATION_CONTACTS], 0.01 * 0.35, "%g",
               run->state.worst[WORST_PENETRATION_CONTACTS]);
  // Walls bear a part by friction: a mean over the last second of what the ground bears.
  double mean = 0;
  int64_t n = run->n_rows / 4;
  for (int64_t k = run->n_rows - n; k < run->n_rows; k++)
    mean += run_case_at(run, k, "r_z") / (double)n;
  cr_expect_gt(mean, 0.5 * weight, "%g of %g", mean, weight);
  cr_expect_lt(mean, 1.02 * weight, "%g of %g", mean, weight);
  const BodySet *bs = &run->input.model.bodies;
  for (int k = 0; k < bs->n_nodes; k++)
    if (!bs->type[bs->body_of[k]]->support)
      for (int i = 0; i < 3; i++) {
        double x = bs->x[3 * k + i] + run->state.bodies.q[3 * k + i];
        cr_expect(i == 2 ? x > -0.01 : fabs(x) < 1.01, "'%s' is out: %g", bs->name[bs->body_of[k]],
                  x);
      }
  run_case_close(run);
}

// The same of boxes that deform a little, on meshes that do not match: half a length beyond the
// edge of one another they stand, less what they bend, and a hundredth more they fall.
static double elastic_overhang(double share) {
  CaseRun *run = run_case_text(
      xml_format(
          "<voussoir><model space=\"solid\"/><material name=\"s\" density=\"1000\" young=\"1e9\""
          " poisson=\"0.2\" damping_mass=\"2\"/>"
          "<box name=\"a\" material=\"s\" kinematics=\"small\" size=\"1 0.6 0.2\" y=\"-0.3\" cells=\"3 2 1\"/>"
          "<box name=\"b\" material=\"s\" kinematics=\"small\" size=\"1 0.6 0.2\" x=\"%.17g\" y=\"-0.25\""
          " z=\"0.2\" cells=\"4 3 1\"/>"
          "<support name=\"g\" shape=\"plane\" length=\"10\"/><gravity y=\"0\" z=\"-9.81\"/>"
          "<law name=\"l\" friction=\"0.5\"/><contact candidate=\"all\" antagonist=\"all g\" law=\"l\"/>"
          "<time end=\"0.4\" step=\"2e-3\" theta=\"1\"/><output every=\"0\"/>"
          "<verdicts turn=\"1\"/>"
          "<probe name=\"d\" quantity=\"displacement\" of=\"b.x1\"/></voussoir>",
          0.5 * share),
      NULL);
  double down = -run_case_last(run, "d_z");
  run_case_close(run);
  return down;
}

Test(rigid_space, overhanging_elastic_boxes_stand_or_fall_at_their_true_edges) {
  double stands = elastic_overhang(0.98), falls = elastic_overhang(1.02);
  cr_expect_lt(stands, 1e-4, "moved by %g m", stands);
  cr_expect_gt(falls, 5e-3, "moved by %g m", falls);
}

// ---- polyhedra ----------------------------------------------------------------------------------

// An octahedron stands on one of its faces, which a quaternion of length two turns down. The ground
// bears its weight, and it slides where it is pulled by more than friction.
Test(rigid_space, octahedron_rests_on_a_face_and_slides_on_a_slope) {
  // from (1, 1, 1) / sqrt 3 to -z: about (1, -1, 0), by pi - acos(1 / sqrt 3)
  const double turn = 0.5 * (3.14159265358979324 - acos(1 / sqrt(3)));
  const double mass = 1000 * 4.0 / 3, height = 1 / sqrt(3), share[2] = {0.49, 0.51};
  for (int k = 0; k < 2; k++) {
    CaseRun *run = run_case_text(
        xml_format(
            "%s<polyhedron name=\"o\" material=\"m\" corners=\"1 0 0 -1 0 0 0 1 0 0 -1 0 0 0 1 0 0 -1\""
            " z=\"%.17g\" orientation=\"%.17g %.17g %.17g 0\"/>"
            "<support name=\"g\" shape=\"plane\" length=\"10\"/><gravity x=\"9.81*%g\" y=\"0\" z=\"-9.81\"/>"
            "<law name=\"l\" friction=\"0.5\"/><contact candidate=\"o\" antagonist=\"g\" law=\"l\"/>"
            "<solver tolerance=\"1e-12\"/><time end=\"0.5\" step=\"1e-3\" theta=\"1\"/>"
            "<output every=\"0\"/><probe name=\"r\" quantity=\"reaction\" of=\"g\"/>"
            "<probe name=\"p\" quantity=\"momentum\" of=\"o\"/></voussoir>",
            HEAD, height, 2 * cos(turn), 2 * sin(turn) / sqrt(2), -2 * sin(turn) / sqrt(2),
            share[k]),
        NULL);
    cr_expect_eq((int)run_case_at(run, 0, "contacts"), 3);
    cr_expect_float_eq(run_case_last(run, "r_z"), mass * 9.81, 1e-8 * mass * 9.81);
    cr_expect_float_eq(run_case_last(run, "p_x"), k == 0 ? 0 : mass * 9.81 * 0.01 * 0.5,
                       1e-6 * mass, "%g", run_case_last(run, "p_x"));
    run_case_close(run);
  }
}

// A beam across the ridge of a roof that falls by 10 degrees to both sides: no corner of one is
// over a face of the other, and the ridge is shallower than what divides faces of bodies that
// deform.
Test(rigid_space, beam_rests_across_a_shallow_ridge) {
  double fall = tan(10 * 3.14159265358979 / 180);
  CaseRun *run = run_case_text(
      xml_format(
          "%s<polyhedron name=\"roof\" material=\"m\" corners=\"-1 -1 0  1 -1 0  -1 1 0  1 1 0"
          "  -1 0 %.17g  1 0 %.17g\"/>"
          "<box name=\"beam\" material=\"m\" kinematics=\"rigid\" size=\"0.2 1.2 0.2\" x=\"-0.1\""
          " y=\"-0.6\" z=\"%.17g\" cells=\"1 1 1\"/><support name=\"g\" shape=\"plane\"/>"
          "<gravity y=\"0\" z=\"-9.81\"/><law name=\"l\" friction=\"0.5\"/>"
          "<contact candidate=\"all\" antagonist=\"all g\" law=\"l\"/>"
          "<time end=\"0.3\" step=\"5e-3\" theta=\"1\"/><output every=\"0\"/>"
          "<probe name=\"d\" quantity=\"displacement\" of=\"beam\"/></voussoir>",
          HEAD, fall, fall, fall),
      NULL);
  // Crossing edges, one of which lies in a face, are seen once it falls: a step, g h^2.
  cr_expect_lt(fabs(run_case_last(run, "d_z")), 1.01 * 9.81 * 25e-6, "%g",
               run_case_last(run, "d_z"));
  run_case_close(run);
}

// Two polyhedra a little apart: a corner of one lies behind a face of the other as far as that face
// reaches, and beside it.
Test(rigid_space, polyhedra_side_by_side_do_not_touch) {
  CaseRun *run = run_case_text(
      xml_format("%s<polyhedron name=\"a\" material=\"m\" corners=\""
                 "  -0.0378 0.0623 -0.0806  -0.0170 0.0059 -0.0542  -0.0504 0.1532 -0.0391"
                 "  0.0885 0.0715 0.0245  -0.0147 0.1027 0.1113  -0.0765 0.1130 0.0813"
                 "  -0.1037 0.0583 0.0454  0.0105 -0.0165 0.0374  0.0761 0.0934 -0.0330"
                 "  0.0622 0.0499 0.0764\"/>"
                 "<polyhedron name=\"b\" material=\"m\" corners=\""
                 "  -0.0569 0.0346 -0.0388  -0.0379 -0.0029 -0.0937"
                 "  -0.0052 -0.1331 -0.0708  0.0640 -0.0858 -0.0067  0.0331 -0.1200 0.0334"
                 "  0.0310 -0.0497 0.0668  -0.0233 -0.1388 0.0479  0.0455 -0.0591 -0.0737\"/>"
                 "<gravity y=\"0\" z=\"-9.81\"/><law name=\"l\" friction=\"0.5\"/>"
                 "<contact candidate=\"all\" antagonist=\"all\" law=\"l\"/>"
                 "<time end=\"3e-3\" step=\"1e-3\" theta=\"1\"/><output every=\"0\"/></voussoir>",
                 HEAD),
      NULL);
  cr_expect_eq(run->state.worst[WORST_PENETRATION_CONTACTS], 0, "%g",
               run->state.worst[WORST_PENETRATION_CONTACTS]);
  cr_expect_eq(run->state.count[STAT_CUTS], 0);
  run_case_close(run);
}

// A smooth block that lies with two of its corners on two others, 10 nm in them: its upright edges
// are 0.1 m behind their sides, and nothing holds it. It slides off as it would down a slope.
Test(rigid_space, corners_that_lie_on_a_block_are_not_behind_its_sides) {
  CaseRun *run = run_case_text(
      xml_format(
          "%s<box name=\"a\" material=\"m\" kinematics=\"rigid\" size=\"1 2 0.5\" x=\"-1.6\""
          " y=\"-1\" cells=\"1 1 1\"/><box name=\"b\" material=\"m\" kinematics=\"rigid\""
          " size=\"1 2 0.5\" x=\"0.6\" y=\"-1\" cells=\"1 1 1\"/>"
          "<polyhedron name=\"u\" material=\"m\" corners=\"-0.7 0 0.49999999  0 -0.7 0.49999999"
          "  0.7 0 0.49999999  0 0.7 0.49999999  -0.7 0 1  0 -0.7 1  0.7 0 1  0 0.7 1\"/>"
          "<support name=\"g\" shape=\"plane\"/><gravity x=\"1\" y=\"0\" z=\"-10\"/>"
          "<law name=\"smooth\" friction=\"0\"/><law name=\"rough\" friction=\"1\"/>"
          "<contact candidate=\"u\" antagonist=\"a b\" law=\"smooth\"/>"
          "<contact candidate=\"a b\" antagonist=\"g\" law=\"rough\"/>"
          "<time end=\"0.05\" step=\"1e-3\" theta=\"1\"/><output every=\"0\"/>"
          "<probe name=\"u\" quantity=\"velocity\" of=\"u\"/></voussoir>",
          HEAD),
      NULL);
  cr_expect_float_eq(run_case_last(run, "u_x"), 0.05, 1e-6, "%g", run_case_last(run, "u_x"));
  cr_expect_lt(fabs(run_case_last(run, "u_z")), 1e-6, "%g", run_case_last(run, "u_z"));
  cr_expect_lt(run->state.worst[WORST_PENETRATION_CONTACTS], 1.1e-8, "%g",
               run->state.worst[WORST_PENETRATION_CONTACTS]);
  run_case_close(run);
}

// A box as a polyhedron is that box: the same mass, and the same motion when it is thrown.
Test(rigid_space, box_of_corners_is_a_box) {
  static const char *const body[2] = {
      "<box name=\"b\" material=\"m\" kinematics=\"rigid\" size=\"1 2 0.5\" cells=\"1 1 1\"/>",
      "<polyhedron name=\"b\" material=\"m\""
      " corners=\"0 0 0 1 0 0 1 2 0 0 2 0 0 0 0.5 1 0 0.5 1 2 0.5 0 2 0.5\"/>"};
  double w[2][3], l[2][3];
  static const char *const rate[3] = {"w_x", "w_y", "w_z"}, *const part[3] = {"l_x", "l_y", "l_z"};
  for (int k = 0; k < 2; k++) {
    CaseRun *run = run_case_text(
        xml_format("%s%s<velocity of=\"b\" x=\"1\" spin=\"1 2 -3\"/><time end=\"1\" step=\"1e-2\""
                   " theta=\"0.5\"/><output every=\"0\"/>"
                   "<probe name=\"w\" quantity=\"angular_velocity\" of=\"b\"/>"
                   "<probe name=\"l\" quantity=\"angular_momentum\" of=\"b\"/></voussoir>",
                   HEAD, body[k]),
        NULL);
    for (int i = 0; i < 3; i++) {
      w[k][i] = run_case_last(run, rate[i]);
      l[k][i] = run_case_last(run, part[i]);
    }
    run_case_close(run);
  }
  for (int i = 0; i < 3; i++) {
    cr_expect_float_eq(w[0][i], w[1][i], 1e-11);
    cr_expect_float_eq(l[0][i], l[1][i], 1e-8);
  }
}

// Three boxes on each other, pushed by a share of their weight: they overturn as one beyond b / (n
// h), where friction would bear more.
Test(rigid_space, pushed_column_overturns_as_one) {
  static const double share[2] = {0.249, 0.252};
  for (int k = 0; k < 2; k++) {
    CaseRun *run = run_case_text(
        xml_format(
            "%s<box name=\"a\" material=\"m\" kinematics=\"rigid\" size=\"0.6 0.6 0.8\" cells=\"1 1 1\"/>"
            "<box name=\"b\" material=\"m\" kinematics=\"rigid\" size=\"0.6 0.6 0.8\" z=\"0.8\" cells=\"1 1 1\"/>"
            "<box name=\"c\" material=\"m\" kinematics=\"rigid\" size=\"0.6 0.6 0.8\" z=\"1.6\" cells=\"1 1 1\"/>"
            "<support name=\"g\" shape=\"plane\" length=\"10\"/>"
            "<gravity x=\"9.81*%g\" y=\"0\" z=\"-9.81\"/><law name=\"l\" friction=\"0.5\"/>"
            "<contact candidate=\"all\" antagonist=\"all g\" law=\"l\"/><solver tolerance=\"1e-10\"/>"
            "<time end=\"0.5\" step=\"2e-3\" theta=\"1\"/><output every=\"0\"/></voussoir>",
            HEAD, share[k]),
        NULL);
    double far = run_case_farthest(run);
    if (k == 0)
      cr_expect_lt(far, 1e-8, "moved by %g m", far);
    else
      cr_expect_gt(far, 1e-4, "moved by %g m", far);
    run_case_close(run);
  }
}

// Boxes that lie in one another by a millimetre at the start: as much is tolerated where the input
// says so, and they stay where they are.
static const char *sunk(double depth, double tolerated) {
  return xml_format(
      "%s<detection tolerated=\"%g\"/><box name=\"a\" material=\"m\" kinematics=\"rigid\" size=\"1 1 1\""
      " cells=\"1 1 1\"/><box name=\"b\" material=\"m\" kinematics=\"rigid\" size=\"0.5 0.5 1\" x=\"0.2\""
      " y=\"0.3\" z=\"%.17g\" cells=\"1 1 1\"/><support name=\"g\" shape=\"plane\"/>"
      "<gravity y=\"0\" z=\"-9.81\"/><law name=\"l\" friction=\"0.5\"/>"
      "<contact candidate=\"all\" antagonist=\"all g\" law=\"l\"/><solver tolerance=\"1e-12\"/>"
      "<time end=\"0.1\" step=\"1e-3\" theta=\"1\"/><output every=\"0\"/>"
      "<probe name=\"r\" quantity=\"reaction\" of=\"g\"/></voussoir>",
      HEAD, tolerated, 1 - depth);
}

// A row of three along x: one of 16 or 2000 kg that moves with `speed`, a cube of 2 kg at rest that
// it meets, and a plate `gap` ahead of that.
static const char FREE[] = "block material=\"m\" kinematics=\"rigid\" cells_x=\"1\" cells_y=\"1\"",
                  FIXED[] = "support shape=\"box\"";

static CaseRun *row_of_three(const char *law, const char *plate, double side, double speed,
                             double before, double gap, double thick, const char *time) {
  return run_case_text(
      xml_format(
          "<voussoir><model space=\"solid\"/><material name=\"m\" density=\"2000\""
          " young=\"1e10\"/><law name=\"dry\" %s friction=\"0\"/>"
          "<block name=\"a\" material=\"m\" kinematics=\"rigid\" x=\"%g\" y=\"%g\" z=\"%g\""
          " width=\"%g\" height=\"%g\" depth=\"%g\" cells_x=\"1\" cells_y=\"1\"/>"
          "<block name=\"b\" material=\"m\" kinematics=\"rigid\" x=\"-0.1\" y=\"-0.05\""
          " z=\"-0.05\" width=\"0.1\" height=\"0.1\" depth=\"0.1\" cells_x=\"1\" cells_y=\"1\"/>"
          "<%s name=\"c\" x=\"%g\" y=\"-0.25\" z=\"-0.25\""
          " width=\"%g\" height=\"0.5\" depth=\"0.5\"/>"
          "<velocity of=\"a\" x=\"%g\"/><contact candidate=\"all\" antagonist=\"all c\""
          " law=\"dry\"/><gravity y=\"0\"/><time %s theta=\"0.5\"/><output every=\"0\"/>"
          "<probe name=\"va\" quantity=\"velocity\" of=\"a\" component=\"x\"/>"
          "<probe name=\"vb\" quantity=\"velocity\" of=\"b\" component=\"x\"/>"
          "<probe name=\"vc\" quantity=\"velocity\" of=\"c\" component=\"x\"/>"
          "<probe name=\"xb\" quantity=\"displacement\" of=\"b\" component=\"x\"/>"
          "<probe name=\"xc\" quantity=\"displacement\" of=\"c\" component=\"x\"/></voussoir>",
          law, -0.1 - before - side, -side / 2, -side / 2, side, side, side, plate, gap, thick,
          speed, time),
      NULL);
}

// The plate is near enough to be listed, and not met in the first steps: momentum is that of two.
Test(rigid_space, what_is_not_met_yet_takes_no_part_in_an_impact) {
  static const char *const laws[] = {"type=\"velocity_signorini\"",
                                     "type=\"restitution\" restitution=\"0\""};
  for (int k = 0; k < 2; k++) {
    const double side = 0.2;
    CaseRun *run =
        row_of_three(laws[k], FREE, side, 10, 0, 0.005, 0.1, "end=\"2e-4\" step=\"1e-5\"");
    const double expected = 10 * 2000 * pow(side, 3) / (2000 * pow(side, 3) + 2);
    cr_expect_float_eq(run_case_at(run, 5, "va"), expected, 1e-5, "%g", run_case_at(run, 5, "va"));
    cr_expect_float_eq(run_case_at(run, 5, "vb"), expected, 1e-5);
    cr_expect_float_eq(run_case_at(run, 5, "vc"), 0, 1e-9);
    run_case_close(run);
  }
}

// Cubes in a row, each of some hundredth of the mass before it, a few millimetres apart: the third
// and the fourth stand still until they are met. Impulses of the solver's tolerance there, of
// nothing beside that of the first two, moved the last one at 4e-6 of their speed.
Test(rigid_space, what_is_not_met_yet_stands_still_however_light) {
  static const char *const laws[] = {"velocity_signorini", "coulomb", "quasi_inelastic"};
  for (int k = 0; k < 6; k++) {
    CaseRun *run = run_case_text(
        xml_format(
            "<voussoir><model space='solid'/><material name='m' density='2000' young='1e10'/>"
            "<law name='dry' type='%s' friction='%g'/>"
            "<block name='a' material='m' kinematics='rigid' x='0' y='-0.0886' z='-0.0886'"
            " width='0.1772' height='0.1772' depth='0.1772' cells_x='1' cells_y='1'/>"
            "<block name='b' material='m' kinematics='rigid' x='0.1802' y='-0.0658'"
            " z='-0.0658' width='0.1316' height='0.1316' depth='0.1316' cells_x='1'"
            " cells_y='1'/>"
            "<block name='c' material='m' kinematics='rigid' x='0.3148' y='-0.02475'"
            " z='-0.02475' width='0.0495' height='0.0495' depth='0.0495' cells_x='1'"
            " cells_y='1'/>"
            "<block name='d' material='m' kinematics='rigid' x='0.3673' y='-0.0161'"
            " z='-0.0161' width='0.0322' height='0.0322' depth='0.0322' cells_x='1'"
            " cells_y='1'/>"
            "<velocity of='a' x='1'/><contact candidate='all' antagonist='all' law='dry'/>"
            "<gravity y='0'/><time end='6e-3' step='7.5e-5' theta='1'/><output every='0'/>"
            "<probe name='b' quantity='velocity' of='b'/>"
            "<probe name='c' quantity='velocity' of='c'/>"
            "<probe name='d' quantity='velocity' of='d'/></voussoir>",
            laws[k / 2], k % 2 ? 0.3 : 0),
        NULL);
    double together = pow(0.1772, 3) / (pow(0.1772, 3) + pow(0.1316, 3));
    cr_expect_float_eq(run_case_last(run, "b_x"), together, 1e-6);
    cr_expect_leq(fabs(run_case_last(run, "c_x")), 1e-12, "%g", run_case_last(run, "c_x"));
    cr_expect_leq(fabs(run_case_last(run, "d_x")), 1e-12, "%g", run_case_last(run, "d_x"));
    run_case_close(run);
  }
}

// A cube at rest is knocked away at twice the speed of a body a thousand times as heavy: 0.12 m a
// step, and does not come out behind a plate of 1 cm.
Test(rigid_space, a_cube_that_is_knocked_away_meets_what_is_behind_it) {
  for (int k = 0; k < 6; k++) {
    const double gap = 0.02 + 0.01 * k;
    CaseRun *run = row_of_three("type=\"restitution\" restitution=\"1\"", FREE, 1, 60, 0.005, gap,
                                0.01, "end=\"0.01\" step=\"1e-3\"");
    cr_expect_leq(run_case_last(run, "xb"), gap + run_case_last(run, "xc") + 2e-3, "gap %g: %g %g",
                  gap, run_case_last(run, "xb"), run_case_last(run, "xc"));
    run_case_close(run);
  }
}

// Back and forth between the two, it is knocked into the plate by what comes after it while it
// still moves away from there: the step is cut, and it bounces on until the heavy one turns round.
Test(rigid_space, a_cube_between_hammer_and_anvil_stays_there) {
  CaseRun *run = row_of_three("type=\"restitution\" restitution=\"0.8\"", FIXED, 1, 20, 0.005, 0.08,
                              0.03, "end=\"0.01\" step=\"1e-3\"");
  for (int64_t row = 0; row < run->n_rows; row++)
    cr_expect_leq(run_case_at(run, row, "xb"), 0.08 + 2e-3, "row %d: %g", (int)row,
                  run_case_at(run, row, "xb"));
  cr_expect_lt(run_case_last(run, "va"), 0);
  run_case_close(run);
}

// What bounces off a support is behind its far side all the way: farther and farther, but not in
// it. Seen from the ground both move fast.
Test(rigid_space, what_bounces_off_a_support_is_not_in_its_far_side) {
  static const double speeds[] = {0, 30, -150};
  for (int k = 0; k < 3; k++) {
    CaseRun *run = run_case_text(
        xml_format(
            "<voussoir><model space=\"solid\"/><material name=\"m\" density=\"2000\" young=\"1e9\"/>"
            "<law name=\"l\" type=\"restitution\" friction=\"0.3\" restitution=\"0.5\"/>"
            "<block name=\"b\" material=\"m\" kinematics=\"rigid\" y=\"0.02\" width=\"0.2\""
            " height=\"0.2\" depth=\"0.2\" z=\"-0.1\" angle=\"0.1\" cells_x=\"1\" cells_y=\"1\"/>"
            "<support name=\"s\" shape=\"box\" x=\"-1\" y=\"-0.1\" z=\"-1\" width=\"2\" height=\"0.1\""
            " depth=\"2\" velocity_y=\"%g\"/><velocity of=\"b\" y=\"%g\"/>"
            "<contact candidate=\"b\" antagonist=\"s\" law=\"l\"/>"
            "<time end=\"0.1\" step=\"1e-3\" theta=\"0.5\" max_cuts=\"0\"/><output every=\"0\"/>"
            "<probe name=\"v\" quantity=\"velocity\" of=\"b\" component=\"y\"/></voussoir>",
            speeds[k], speeds[k] - 2),
        NULL);
    cr_expect_eq(run_case_doubts(run, VERDICT_PENETRATION), 0, "case %d", k);
    cr_expect_gt(run_case_last(run, "v"), speeds[k], "case %d", k);
    run_case_close(run);
  }
}

// Forces in a wall of rigid boxes are not unique, and what a solver leaves moves it: settled ones
// bear the weight to 1e-8 and leave nothing, at a tolerance of 1e-4.
Test(rigid_space, dry_wall_at_rest_bears_its_weight_and_does_not_move) {
  const double weight = 4 * 4 * 0.2 * 0.1 * 0.1 * 2000 * 9.81;
  for (int push = 0; push <= 3; push += 3) {
    CaseRun *run = run_case("tests/bench/rigid_wall.xml",
                            push ? "courses=4 blocks=4 push=3" : "courses=4 blocks=4");
    double most = 0, iterations = 0;
    for (int64_t row = 0; row < run->n_rows; row++) {
      most = fmax(most, fabs(run_case_at(run, row, "base_reaction_y") - weight));
      iterations += run_case_at(run, row, "iterations");
    }
    cr_assert_leq(most, 1e-8 * weight, "%g", most / weight);
    cr_assert_leq(fmax(fabs(run_case_last(run, "top_x")), fabs(run_case_last(run, "top_y"))),
                  1e-11);
    cr_assert_leq(iterations, 3. * (double)run->n_rows); // 17 where nothing is settled
    run_case_close(run);
  }
}

// Between two planes that are pushed against it friction holds a block from half its weight over
// the friction on. Four points a side share that in many ways: evenly, not all by one pair, about
// which it would turn.
Test(rigid_space, block_is_held_between_two_planes_that_are_pushed) {
  static const double share[2] = {1.05, 0.95};
  const double weight = 1000 * 9.81 * 0.5 * 0.3 * 0.4, mu = 0.4;
  for (int k = 0; k < 2; k++) {
    const double push = share[k] * weight / (2 * mu);
    CaseRun *run = run_case_text(
        xml_format("%s<law name=\"l\" friction=\"%g\"/><box name=\"b\" material=\"m\""
                   " kinematics=\"rigid\" x=\"-0.25\" size=\"0.5 0.3 0.4\" cells=\"1 1 1\"/>"
                   "<tool name=\"l\" shape=\"plane\" at_x=\"-0.25\" axis_y=\"0\" axis_x=\"1\""
                   " free=\"x\" mass=\"1\"/>"
                   "<tool name=\"r\" shape=\"plane\" at_x=\"0.25\" axis_y=\"0\" axis_x=\"-1\""
                   " free=\"x\" mass=\"1\"/>"
                   "<force on=\"l\" x=\"%.17g\"/><force on=\"r\" x=\"-%.17g\"/>"
                   "<contact candidate=\"b\" antagonist=\"l r\" law=\"l\"/><gravity y=\"-9.81\"/>"
                   "<time end=\"0.1\" step=\"1e-3\" theta=\"1\"/><output every=\"0\"/>"
                   "<probe name=\"d\" quantity=\"displacement\" of=\"b\"/></voussoir>",
                   HEAD, mu, push, push),
        NULL);
    const double fallen = -run_case_last(run, "d_y");
    if (share[k] > 1)
      cr_expect_lt(fabs(fallen), 1e-9, "%g", fallen);
    else
      cr_expect_float_eq(fallen, 0.5 * 0.05 * 9.81 * 0.01, 0.02 * fallen, "%g", fallen);
    run_case_close(run);
  }
}

Test(rigid_space, boxes_inside_one_another_stay_so_as_far_as_tolerated) {
  CaseRun *run = run_case_text(sunk(1e-3, 2e-3), NULL);
  const double weight = 9810 * 1.25;
  cr_expect_lt(run_case_farthest(run), 1e-9, "%g", run_case_farthest(run));
  cr_expect_float_eq(run_case_last(run, "r_z"), weight, 1e-8 * weight);
  cr_expect_lt(run->state.energy[ENERGY_CONTACT_NORMAL], 1e-9);
  run_case_close(run);
}

// ---- frames that follow a body that deforms -----------------------------------------------------

// Inertias 1.5, 2.6, 3.2 of the masses of its nodes, which are what it turns with.
static CaseRun *tumbling_box(const char *young, const char *step, int64_t steps) {
  CaseRun *run = run_case_open_text(
      xml_format(
          "<voussoir><model space=\"solid\"/><material name=\"m\" density=\"1000\" young=\"%s\""
          " poisson=\"0.2\"/><box name=\"b\" material=\"m\" kinematics=\"corotational\""
          " size=\"0.9 0.7 0.4\" cells=\"2 2 2\"/><velocity of=\"b\" spin=\"0.5 3 0.7\"/>"
          "<time end=\"1000\" step=\"%s\" theta=\"0.5\"/><output every=\"0\"/>"
          "<probe name=\"w\" quantity=\"angular_velocity\" of=\"b\"/>"
          "<probe name=\"o\" quantity=\"orientation\" of=\"b\"/>"
          "<probe name=\"l\" quantity=\"angular_momentum\" of=\"b\"/></voussoir>",
          young, step),
      NULL);
  for (int64_t k = 0; k < steps; k++) run_case_step(run, k >= steps - 1);
  return run;
}

// Sums over its nodes as they lie at the start, about the centre.
static void inertia_of_nodes(const CaseRun *run, double inertia[3]) {
  const BodySet *bs = &run->input.model.bodies;
  const double center[3] = {0.45, 0.35, 0.2};
  for (int i = 0; i < 3; i++) inertia[i] = 0;
  for (int k = 0; k < bs->n_nodes; k++)
    for (int i = 0; i < 3; i++) {
      int j = (i + 1) % 3, l = (i + 2) % 3;
      double a = bs->x[3 * k + j] - center[j], b = bs->x[3 * k + l] - center[l];
      inertia[i] += bodies_node_mass(bs, k) * (a * a + b * b);
    }
}

Test(corotational_space, tumbling_box_keeps_its_energy_and_its_momentum) {
  CaseRun *run = tumbling_box("1e8", "1e-3", 10000);
  const double spin[3] = {0.5, 3, 0.7};
  double inertia[3], energy = 0, momentum = 0;
  static const char *const part[3] = {"l_x", "l_y", "l_z"};
  inertia_of_nodes(run, inertia);
  for (int i = 0; i < 3; i++) {
    energy += 0.5 * inertia[i] * spin[i] * spin[i];
    momentum += inertia[i] * inertia[i] * spin[i] * spin[i];
  }
  double found = run->state.energy[ENERGY_KINETIC] + run->state.energy[ENERGY_ELASTIC];
  cr_expect_float_eq(found, energy, 1e-6 * energy, "off by %.3g", found / energy - 1);
  for (int i = 0; i < 3; i++) // its forces turn about where nodes are with their strains: 1e-5
    cr_expect_float_eq(run_case_last(run, part[i]), inertia[i] * spin[i], 1e-5 * sqrt(momentum),
                       "%s off by %.3g", part[i],
                       (run_case_last(run, part[i]) - inertia[i] * spin[i]) / sqrt(momentum));
  run_case_close(run);
}

// Spin in its own axes as a rigid body of that inertia, by Euler's equations, to second order in h.
Test(corotational_space, stiff_box_tumbles_as_a_rigid_one) {
  static const char *const step[2] = {"4e-3", "2e-3"};
  double error[2];
  for (int k = 0; k < 2; k++) {
    CaseRun *run = tumbling_box("1e10", step[k], 500 << k);
    double exact[3] = {0.5, 3, 0.7}, inertia[3];
    inertia_of_nodes(run, inertia);
    euler(inertia, 2, exact);
    error[k] = spin_error(run, exact);
    run_case_close(run);
  }
  cr_expect_lt(error[0], 1e-3, "%g", error[0]);
  cr_expect_gt(error[0] / error[1], 3, "%g over %g", error[0], error[1]);
}

// A tilted block whose lower edge stands a millimetre or half of one inside the rim of what bears
// it rocks as on a wide floor: the rim is behind the plane of its bottom, and beside the block. Its
// corners on the rim's own side stand on the floor, and were never before the side of that.
Test(rigid_space, rims_just_beyond_an_edge_let_a_block_rock) {
  static const struct {
    const char *kinematics, *depth;
    double above;
  } of[] = {{"rigid", "depth='0.4' z='-0.2'", 0},
            {"corotational", "depth='0.6' z='-0.3'", 0},
            {"corotational", "depth='0.6' z='-0.3'", 1e-5}};
  const double beside[] = {1, 1e-3, 5e-4};
  for (int kind = 0; kind < 3; kind++) {
    double first = 0;
    for (int k = 0; k < 3; k++) {
      CaseRun *run = run_case_text(
          xml_format(
              "<voussoir><model space='solid'/><material name='m' density='2000' young='1e9'"
              " poisson='0.2'/><law name='r' type='coulomb' friction='0.7'/>"
              "<block name='b' material='m' kinematics='%s' y='%g' angle='0.341242115827185'"
              " width='0.5' height='1' depth='0.4' z='-0.2' cells_x='1' cells_y='1'/>"
              "<support name='s' shape='box' x='%.17g' y='-0.5' width='%.17g' height='0.5'"
              " %s/><contact candidate='b' antagonist='s' law='r'/>"
              "<gravity y='-9.81'/><time end='0.1' step='2e-4' theta='0.5'/>"
              "<output every='0'/><probe name='u' quantity='displacement' of='b'/></voussoir>",
              of[kind].kinematics, of[kind].above, -beside[k], 0.5 + 2 * beside[k], of[kind].depth),
          NULL);
      double moved = run_case_last(run, "u_x");
      if (k == 0) first = moved;
      cr_expect_gt(fabs(first), 1e-3);
      cr_expect_float_eq(moved, first, 0.02 * fabs(first), "%s, %g m: %g, not %g",
                         of[kind].kinematics, beside[k], moved, first);
      run_case_close(run);
    }
  }
}
