// Stones of very different sizes: each presses with its own weight, however little that is.

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>

#include "../support/run_case.h"

static const double DENSITY = 2000, GRAVITY = 9.81;

// A block 2 m by 2 m and 1 m high, and a small cube where `place` says, both of these kinematics,
// under a gravity that acts from the start.
static CaseRun *small_and_large(const char *kinematics, const char *size, const char *place,
                                const char *under) {
  return run_case_open_text(
      xml_format("<voussoir><model space=\"solid\"/><material name=\"m\" density=\"%g\""
                 " young=\"1e10\" poisson=\"0.2\"/>"
                 "<box name=\"large\" material=\"m\" kinematics=\"%s\" size=\"2 1 2\""
                 " cells=\"1 1 1\"/>"
                 "<box name=\"small\" material=\"m\" kinematics=\"%s\" size=\"%s %s %s\" %s"
                 " cells=\"1 1 1\"/>"
                 "<support name=\"floor\" shape=\"plane\" normal=\"0 1 0\"/>"
                 "<law name=\"dry\" type=\"coulomb\" friction=\"0.6\"/>"
                 "<contact candidate=\"large\" antagonist=\"floor\" law=\"dry\"/>"
                 "<contact candidate=\"small\" antagonist=\"%s\" law=\"dry\"/>"
                 "<gravity y=\"-%g\"/><time end=\"1\" step=\"1e-3\" theta=\"1\"/>"
                 "<output every=\"0\"/>"
                 "<probe name=\"moved\" quantity=\"displacement\" of=\"small\"/>"
                 "<probe name=\"force\" quantity=\"reaction\" of=\"small\"/></voussoir>",
                 DENSITY, kinematics, kinematics, size, size, size, place, under, GRAVITY),
      NULL);
}

// At rest it presses with its weight, and it has not moved sideways.
static void expect_rest(CaseRun *run, double size, int64_t steps, double close) {
  double weight = DENSITY * GRAVITY * size * size * size;
  for (int64_t k = 0; k < steps; k++) run_case_step(run, k >= steps - 1);
  cr_expect_float_eq(fabs(run_case_last(run, "force_y")), weight, close * weight, "%g",
                     fabs(run_case_last(run, "force_y")) / weight - 1);
  cr_expect_lt(fabs(run_case_last(run, "moved_x")), 1e-6 * size);
  cr_expect_lt(fabs(run_case_last(run, "moved_z")), 1e-6 * size);
  run_case_close(run);
}

Test(sizes, small_rigid_stone_beside_a_large_one_rests) {
  expect_rest(small_and_large("rigid", "0.005", "x=\"3\"", "floor"), 0.005, 50, 1e-6);
}

Test(sizes, small_rigid_stone_on_a_large_one_rests) {
  expect_rest(small_and_large("rigid", "0.01", "x=\"1\" y=\"1\" z=\"1\"", "large"), 0.01, 50, 1e-6);
}

Test(sizes, small_elastic_stone_beside_a_large_one_rests) {
  expect_rest(small_and_large("small", "0.005", "x=\"3\"", "floor"), 0.005, 50, 1e-2);
}

Test(sizes, small_elastic_stone_on_a_large_one_rests) {
  expect_rest(small_and_large("small", "0.01", "x=\"1\" y=\"1\" z=\"1\"", "large"), 0.01, 100,
              1e-2);
}

// Two elastic cubes, one on the other, that slide at 0.8 m/s to a stop after
// v^2 / (2 mu g) - v h / 2 (implicit steps), upright, whatever slides 2 m away.
static void expect_same_slide(double low, double top, double large_speed) {
  static const char *const cube =
      "<box name=\"%s\" material=\"m\" kinematics=\"corotational\" size=\"%g %g %g\""
      " x=\"%g\" y=\"%g\" z=\"%g\" cells=\"1 1 1\"/><velocity of=\"%s\" x=\"%g\"/>";
  const double speed = 0.8, mu = 0.3, step = 1e-3, at = 0.5 * (low - top);
  const char *bodies = xml_format(cube, "low", low, low, low, 0.0, 0.0, 0.0, "low", speed);
  const char *above = xml_format(cube, "top", top, top, top, at, low, at, "top", speed);
  const char *large = xml_format(cube, "large", 1.0, 1.0, 1.0, 2.0, 0.0, 0.0, "large", large_speed);
  CaseRun *run = run_case_text(
      xml_format("<voussoir><model space=\"solid\"/><material name=\"m\" density=\"%g\""
                 " young=\"1e9\" poisson=\"0.2\"/><law name=\"dry\" type=\"coulomb\""
                 " friction=\"%g\"/>%s%s%s"
                 "<support name=\"floor\" shape=\"plane\" normal=\"0 1 0\"/>"
                 "<contact candidate=\"all\" antagonist=\"all floor\" law=\"dry\"/>"
                 "<gravity y=\"-%g\"/><time end=\"0.3\" step=\"%g\" theta=\"1\"/>"
                 "<output every=\"0\"/>"
                 "<probe name=\"low\" quantity=\"displacement\" of=\"low\"/>"
                 "<probe name=\"top\" quantity=\"displacement\" of=\"top\"/></voussoir>",
                 DENSITY, mu, bodies, above, large, GRAVITY, step),
      NULL);
  double way = speed * speed / (2 * mu * GRAVITY) - speed * step / 2, off = 0;
  for (int64_t row = 0; row < run->n_rows; row++) {
    off = fmax(off, fabs(run_case_at(run, row, "low_y")));
    off = fmax(off, fabs(run_case_at(run, row, "top_y")));
  }
  cr_expect_lt(off, 1e-3 * top, "%g", off);
  cr_expect_float_eq(run_case_last(run, "low_x"), way, 2e-3 * way, "%g", way);
  cr_expect_float_eq(run_case_last(run, "top_x"), way, 2e-3 * way, "%g", way);
  run_case_close(run);
}

Test(sizes, small_elastic_stones_beside_a_fast_large_one_slide_as_alone) {
  expect_same_slide(0.01, 0.01, 60);
}

// Errors of a few tolerances in each step add up.
Test(sizes, elastic_stones_beside_a_fast_large_one_slide_as_alone) {
  expect_same_slide(0.02, 0.02, 60);
}

// What drives the block far away says nothing of the stone on the slow one.
Test(sizes, small_elastic_stone_on_a_slow_one_slides_with_it_beside_a_fast_one) {
  expect_same_slide(0.3, 0.01, 300);
}

// A stone of 2 cm slides on an elastic block of 10 m, on which it gains 1 m/s while both slide at
// 60: by friction of 0.1 on the one and 0.3 on the other, it gets ahead of it by
// t - (0.1 - 0.3) g t^2 / 2, and neither hops nor tilts. Speed that friction cannot stop in a step
// is no measure for what it does in one.
Test(sizes, small_stone_on_a_fast_elastic_one_slides_as_friction_lets_it) {
  const double end = 0.3, ahead = end + 0.1 * GRAVITY * end * end;
  CaseRun *run = run_case_text(
      xml_format("<voussoir><material name='m' density='2000' young='1e9' poisson='0.2'/>"
                 "<law name='d' friction='.3'/><law name='e' friction='.1'/>"
                 "<support name='s' shape='box' x='-50' y='-1' width='600' height='1'/>"
                 "<block name='B' material='m' kinematics='corotational' width='10' height='5'/>"
                 "<block name='t' material='m' kinematics='rigid' x='5' y='5' width='0.02'"
                 " height='0.01'/><contact candidate='B' antagonist='s' law='d'/>"
                 "<contact candidate='t' antagonist='B' law='e'/><velocity of='B' x='60'/>"
                 "<velocity of='t' x='61'/><gravity/><detection alert='0.0005'/>"
                 "<time end='%g' step='1e-3' theta='1'/><output every='0'/>"
                 "<probe name='B' quantity='displacement' of='B'/>"
                 "<probe name='t' quantity='displacement' of='t'/>"
                 "<probe name='r' quantity='spin' of='t'/></voussoir>",
                 end),
      NULL);
  double way = run_case_last(run, "t_x") - run_case_last(run, "B_x");
  cr_expect_float_eq(way, ahead, 2e-3 * ahead, "%g, not %g", way, ahead);
  cr_expect_lt(fabs(run_case_last(run, "r_angle")), 1e-3);
  cr_expect_lt(run_case_largest(run, "t_y"), 5e-4);
  run_case_close(run);
}

// A million kilograms on four stones of two each.
Test(sizes, heavy_rigid_block_on_small_stones_is_borne) {
  static const char *const at[4] = {"x=\"0.5\" z=\"0.5\"", "x=\"9.4\" z=\"0.5\"",
                                    "x=\"0.5\" z=\"9.4\"", "x=\"9.4\" z=\"9.4\""};
  const double weight = DENSITY * GRAVITY * (10 * 5 * 10 + 4 * 0.1 * 0.1 * 0.1);
  const char *xml = xml_format(
      "<voussoir><model space=\"solid\"/><material name=\"m\" density=\"%g\" young=\"1e10\"/>"
      "<box name=\"cap\" material=\"m\" kinematics=\"rigid\" size=\"10 5 10\" y=\"0.1\""
      " cells=\"1 1 1\"/>",
      DENSITY);
  for (int k = 0; k < 4; k++)
    xml = xml_format("%s<box name=\"s%d\" material=\"m\" kinematics=\"rigid\""
                     " size=\"0.1 0.1 0.1\" %s cells=\"1 1 1\"/>",
                     xml, k, at[k]);
  CaseRun *run = run_case_text(
      xml_format("%s<support name=\"floor\" shape=\"plane\" normal=\"0 1 0\"/>"
                 "<law name=\"dry\" type=\"coulomb\" friction=\"0.6\"/>"
                 "<contact candidate=\"s0 s1 s2 s3\" antagonist=\"floor\" law=\"dry\"/>"
                 "<contact candidate=\"cap\" antagonist=\"s0 s1 s2 s3\" law=\"dry\"/>"
                 "<gravity y=\"-%g\"/><time end=\"0.05\" step=\"1e-3\" theta=\"0.5\"/>"
                 "<output every=\"0\"/>"
                 "<probe name=\"floor\" quantity=\"reaction\" of=\"floor\"/></voussoir>",
                 xml, GRAVITY),
      NULL);
  double most = 0;
  for (int64_t row = 0; row < run->n_rows; row++)
    most = fmax(most, fabs(run_case_at(run, row, "floor_y") - weight));
  cr_assert_leq(most, 1e-6 * weight, "%g", most / weight);
  run_case_close(run);
}

// A column of 60 drums under a cap of 500 times their mass, up to a hundredth from where it would
// tip: contacts at the far edge bear little, and settled at once they would have to pull.
Test(sizes, tall_column_under_a_heavy_cap_near_its_edge_rests) {
  static const double eccentricity[] = {0.2, 0.24};
  const double weight = GRAVITY * (60 * 0.015 * DENSITY + 0.075 * 100 * DENSITY);
  for (int k = 0; k < 2; k++) {
    CaseRun *run = run_case_text(
        xml_format("<voussoir><model space=\"solid\"/><material name=\"m\" density=\"%g\""
                   " young=\"1e10\"/><material name=\"lead\" density=\"%g\" young=\"1e10\"/>"
                   "<law name=\"dry\" type=\"coulomb\" friction=\"0.6\"/>"
                   "<column name=\"c\" material=\"m\" kinematics=\"rigid\" width=\"0.5\""
                   " depth=\"0.3\" height=\"0.1\" drums=\"60\"/>"
                   "<block name=\"cap\" material=\"lead\" kinematics=\"rigid\" x=\"%g\" y=\"6\""
                   " z=\"0\" width=\"0.5\" height=\"0.5\" depth=\"0.3\" cells_x=\"1\""
                   " cells_y=\"1\"/><support name=\"floor\" shape=\"plane\" normal=\"0 1 0\"/>"
                   "<contact candidate=\"all\" antagonist=\"all floor\" law=\"dry\"/>"
                   "<gravity y=\"-%g\"/><time end=\"5e-3\" step=\"1e-3\" theta=\"1\"/>"
                   "<output every=\"0\"/>"
                   "<probe name=\"floor\" quantity=\"reaction\" of=\"floor\"/></voussoir>",
                   DENSITY, 100 * DENSITY, eccentricity[k], GRAVITY),
        NULL);
    double most = 0;
    for (int64_t row = 1; row < run->n_rows; row++) {
      most = fmax(most, fabs(run_case_at(run, row, "floor_x")));
      most = fmax(most, fabs(run_case_at(run, row, "floor_y") - weight));
      most = fmax(most, fabs(run_case_at(run, row, "floor_z")));
    }
    cr_expect_leq(most, 1e-6 * weight, "%g", most / weight);
    run_case_close(run);
  }
}

// Columns of cubes under caps that are soft to sway though no contact is unlike the others: what a
// step leaves of a sway goes into its gaps, and grew to 3 % of the weight in some eighty steps.
Test(sizes, column_under_a_heavy_cap_does_not_sway) {
  static const struct {
    int drums;
    double ratio, x, step, theta; // x: left edge of the cap, 0.02 m or 0.4 m wide
    const char *width;
  } of[] = {{15, 50, 0.05, 1e-3, 1, "0.4"},
            {15, 50, 0.05, 1e-3, 0.5, "0.4"},
            {30, 50, 0.43, 1e-4, 1, "0.02"}};
  for (size_t k = 0; k < sizeof of / sizeof *of; k++) {
    const double drum = 0.25 * DENSITY, cap = of[k].ratio * drum / (0.25 * atof(of[k].width));
    CaseRun *run = run_case_text(
        xml_format("<voussoir><material name=\"m\" density=\"%g\" young=\"1e9\"/>"
                   "<material name=\"lead\" density=\"%.17g\" young=\"1e9\"/>"
                   "<law name=\"dry\" type=\"coulomb\" friction=\"0.3\"/>"
                   "<column name=\"c\" material=\"m\" kinematics=\"rigid\" drums=\"%d\""
                   " width=\"0.5\" height=\"0.5\" cells_x=\"1\" cells_y=\"1\"/>"
                   "<block name=\"cap\" material=\"lead\" kinematics=\"rigid\" x=\"%g\" y=\"%g\""
                   " width=\"%s\" height=\"0.25\" cells_x=\"1\" cells_y=\"1\"/>"
                   "<support name=\"floor\" shape=\"plane\"/>"
                   "<contact candidate=\"c\" antagonist=\"c floor\" law=\"dry\"/>"
                   "<contact candidate=\"cap\" antagonist=\"c\" law=\"dry\"/><gravity y=\"-%g\"/>"
                   "<time end=\"%g\" step=\"%g\" theta=\"%g\"/><output every=\"0\"/>"
                   "<probe name=\"floor\" quantity=\"reaction\" of=\"floor\"/></voussoir>",
                   DENSITY, cap, of[k].drums, of[k].x, 0.5 * of[k].drums, of[k].width, GRAVITY,
                   80 * of[k].step, of[k].step, of[k].theta),
        NULL);
    const double weight = GRAVITY * drum * (of[k].drums + of[k].ratio);
    double most = 0;
    for (int64_t row = 60; row < run->n_rows; row++) {
      most = fmax(most, fabs(run_case_at(run, row, "floor_x")));
      most = fmax(most, fabs(run_case_at(run, row, "floor_y") - weight));
    }
    cr_expect_leq(most, 2e-7 * weight, "%zu: %g", k, most / weight);
    run_case_close(run);
  }
}

// A cube of 1 m on one of 0.1 m: nothing but what the solver leaves moves it.
Test(sizes, cube_on_a_stone_of_a_tenth_comes_to_rest) {
  const double weight = DENSITY * GRAVITY * (1 + 1e-3);
  CaseRun *run = run_case_text(
      xml_format("<voussoir><model space=\"solid\"/><material name=\"m\" density=\"%g\""
                 " young=\"1e10\"/>"
                 "<box name=\"stone\" material=\"m\" kinematics=\"rigid\" size=\"0.1 0.1 0.1\""
                 " x=\"-0.05\" z=\"-0.05\" cells=\"1 1 1\"/>"
                 "<box name=\"cube\" material=\"m\" kinematics=\"rigid\" size=\"1 1 1\" x=\"-0.5\""
                 " y=\"0.1\" z=\"-0.5\" cells=\"1 1 1\"/>"
                 "<support name=\"floor\" shape=\"plane\" normal=\"0 1 0\"/>"
                 "<law name=\"dry\" type=\"coulomb\" friction=\"0.5\"/>"
                 "<contact candidate=\"all\" antagonist=\"all floor\" law=\"dry\"/>"
                 "<gravity y=\"-%g\"/><time end=\"0.2\" step=\"1e-3\" theta=\"1\"/>"
                 "<output every=\"0\"/>"
                 "<probe name=\"floor\" quantity=\"reaction\" of=\"floor\"/>"
                 "<probe name=\"cube\" quantity=\"velocity\" of=\"cube\"/></voussoir>",
                 DENSITY, GRAVITY),
      NULL);
  double most = 0, fastest = 0;
  for (int64_t row = run->n_rows / 2; row < run->n_rows; row++) {
    most = fmax(most, fabs(run_case_at(run, row, "floor_y") / weight - 1));
    fastest = fmax(fastest, fabs(run_case_at(run, row, "cube_y")));
  }
  cr_expect_leq(most, 1e-8, "%g", most);
  cr_expect_leq(fastest, 1e-9, "%g", fastest);
  run_case_close(run);
}

// Eighty courses of two stones and their halves: a tower sways where single contacts hardly give.
Test(sizes, tower_of_eighty_courses_carries_its_weight) {
  const double weight = DENSITY * GRAVITY * 80 * 2 * 0.4 * 0.2 * 0.2;
  CaseRun *run = run_case_text(
      xml_format(
          "<voussoir><model space=\"solid\"/><material name=\"m\" density=\"%g\""
          " young=\"1e10\"/>"
          "<wall name=\"wall\" material=\"m\" kinematics=\"rigid\" courses=\"80\" blocks=\"2\""
          " length=\"0.4\" height=\"0.2\" depth=\"0.2\" cells_x=\"1\" cells_y=\"1\"/>"
          "<support name=\"base\" shape=\"plane\" normal=\"0 1 0\"/>"
          "<law name=\"dry\" type=\"coulomb\" friction=\"0.6\"/>"
          "<contact candidate=\"all\" antagonist=\"all base\" law=\"dry\"/>"
          "<gravity y=\"-%g\"/><time end=\"0.15\" step=\"5e-3\" theta=\"1\"/>"
          "<output every=\"0\"/>"
          "<probe name=\"base\" quantity=\"reaction\" of=\"base\"/></voussoir>",
          DENSITY, GRAVITY),
      NULL);
  double most = 0;
  for (int64_t row = 5; row < run->n_rows; row++)
    most = fmax(most, fabs(run_case_at(run, row, "base_y") / weight - 1));
  cr_expect_leq(most, 1e-8, "%g", most);
  run_case_close(run);
}
