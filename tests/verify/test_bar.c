// Elastic bars and columns against wave theory and statics (verification B1, B8, B9, B10, B12).

#include <criterion/criterion.h>
#include <math.h>

#include "../support/run_case.h"

// ---- B1: a bar hits a rigid wall ----------------------------------------------------------------

typedef struct {
  double length, young, density, speed;
  int n; // elements along the bar
  const char *pattern;
} Bar;

static CaseRun *throw_bar(const Bar *bar, double h, double end) {
  double gap = 0.5 * h * bar->speed; // closed at the first intermediate configuration q + h v/2
  return run_case_text(
      xml_format(
          "<voussoir><material name=\"m\" density=\"%g\" young=\"%g\" poisson=\"0\"/>"
          "<law name=\"dry\" friction=\"0\"/>"
          "<block name=\"bar\" material=\"m\" y=\"%.17g\" width=\"1\" height=\"%g\" cells_x=\"1\""
          " cells_y=\"%d\" pattern=\"%s\"/>"
          "<support name=\"wall\" shape=\"box\" x=\"-1\" y=\"-1\" width=\"3\" height=\"1\"/>"
          "<contact candidate=\"bar\" antagonist=\"wall\" law=\"dry\" points=\"nodes\"/>"
          "<velocity of=\"bar\" y=\"%g\"/>"
          "<time end=\"%.17g\" step=\"%.17g\"/><solver tolerance=\"1e-12\"/>"
          "<probe name=\"force\" quantity=\"reaction\" of=\"bar\"/>"
          "<probe name=\"momentum\" quantity=\"momentum\" of=\"bar\"/>"
          "<probe name=\"energy\" quantity=\"energy\"/></voussoir>",
          bar->density, bar->young, gap, bar->length, bar->n, bar->pattern, -bar->speed, end, h),
      NULL);
}

static void assert_bar_bounces(const Bar *bar) {
  double c = sqrt(bar->young / bar->density), duration = 2 * bar->length / c;
  double force = bar->density * c * bar->speed, momentum = bar->density * bar->length * bar->speed;
  double h = 0.1 * bar->length / bar->n / c;
  CaseRun *run = throw_bar(bar, h, 1.3 * duration);
  // The discrete force rings about the plateau; its impulse over most of the contact does not.
  double impulse = 0, last = 0;
  for (int64_t k = 0; k < run->n_rows; k++) {
    double f = -run_case_at(run, k, "force_y"), t = run_case_at(run, k, "time");
    if (t <= 0.9 * duration) impulse += h * f;
    if (f > 0) last = t;
  }
  cr_assert_float_eq(impulse / (0.9 * duration), force, 0.01 * force, "mean force %g, expected %g",
                     impulse / (0.9 * duration), force);
  cr_assert_float_eq(last, duration, 0.05 * duration, "contact ends at %g, expected %g", last,
                     duration);
  double leaves = run_case_last(run, "momentum_y");
  cr_assert_float_eq(leaves, momentum, 0.02 * momentum, "leaves with %g, expected %g", leaves,
                     momentum);
  run_case_close(run);
}

Test(bar, hits_a_wall_with_rho_c_v_and_leaves_with_its_speed) {
  assert_bar_bounces(&(Bar){10, 900, 1, 10, 100, "q4"}); // B1: 300 during 0.6667
  assert_bar_bounces(&(Bar){10, 900, 1, 10, 100, "t3_right"});
  assert_bar_bounces(&(Bar){2, 3e4, 7.5, 0.5, 60, "t3_cross"}); // other numbers
}

Test(bar, loses_the_energy_of_its_first_half_element) {
  for (int n = 5; n <= 40; n *= 2) {
    Bar bar = {10, 900, 1, 10, n, "q4"};
    double kinetic = 0.5 * bar.density * bar.length * bar.speed * bar.speed;
    double h = 1e-3 * bar.length / n / 30; // the other nodes have hardly moved
    CaseRun *run = throw_bar(&bar, h, h);
    double lost = -run_case_last(run, "energy_contact_normal");
    cr_assert_float_eq(lost / kinetic, 1 / (2.0 * n), 1e-5 / n, "%g", lost / kinetic * 2 * n);
    run_case_close(run);
  }
}

// ---- columns under their weight ----------------------------------------------------------------

// A column of `drums` blocks with `cells` elements along each. T3 are one cell wide: then the mean
// of the two top nodes is the mean over the edge, which is exact whatever the diagonals (Betti).
static const char *column(double density, double length, double young, int drums, int cells,
                          const char *pattern, const char *points, const char *time) {
  return xml_format(
      "<voussoir><material name=\"m\" density=\"%g\" young=\"%g\" poisson=\"0\"/>"
      "<law name=\"dry\" friction=\"0.5\"/>"
      "<column name=\"c\" material=\"m\" kinematics=\"small\" width=\"1\" height=\"%.17g\" drums=\"%d\" cells_x=\"%d\""
      " cells_y=\"%d\" pattern=\"%s\"/>"
      "<support name=\"base\" shape=\"box\" x=\"-2\" y=\"-1\" width=\"4\" height=\"1\"/>"
      "<contact candidate=\"c\" antagonist=\"c base\" law=\"dry\" points=\"%s\"/>"
      "<gravity/>%s"
      "<probe name=\"top\" quantity=\"displacement\" of=\"c.top\"/>"
      "<probe name=\"base\" quantity=\"reaction\" of=\"base\"/></voussoir>",
      density, young, length / drums, drums, pattern[0] == 'q' ? 2 : 1, cells, pattern, points,
      time);
}

static void assert_settles(int drums, int cells, const char *pattern, const char *points,
                           double tolerance) {
  static const double cases[][3] = {{1000, 10, 1e7}, {2400, 3, 5e6}};
  for (int k = 0; k < 2; k++) {
    double rho = cases[k][0], length = cases[k][1], young = cases[k][2];
    double expected = -rho * 9.81 * length * length / (2 * young), weight = rho * 9.81 * length;
    CaseRun *run = run_case_text(column(rho, length, young, drums, cells, pattern, points,
                                        run_case_static_time(length, sqrt(young / rho))),
                                 NULL);
    double top = run_case_last(run, "top_y"), base = run_case_last(run, "base_y");
    cr_assert_float_eq(top, expected, -tolerance * expected,
                       "%d drums %s %s: top %.10g, expected %.10g (%g)", drums, pattern, points,
                       top, expected, top / expected - 1);
    cr_assert_float_eq(base, weight, 1e-9 * weight, "base %g, weight %g", base, weight);
    run_case_close(run);
  }
}

Test(column, shortens_under_its_weight_exactly) { // B8: 0.04905 m
  assert_settles(1, 8, "q4", "nodes", 1e-8);
  assert_settles(1, 8, "t3_alternate", "nodes", 1e-8);
  assert_settles(1, 8, "q4", "midpoints", 1e-8);
  assert_settles(1, 8, "q4", "gauss", 1e-8);
}

Test(column, cut_into_blocks_shortens_as_much) { // B12
  const char *const points[] = {"midpoints", "nodes", "gauss", "overlap"};
  for (int p = 0; p < 4; p++)
    for (int drums = 2; drums <= 10; drums += 4) assert_settles(drums, 2, "q4", points[p], 1e-8);
}

// B9: the base force is a triangle 0 .. 2W of period 4L/c.
static void assert_triangle(int drums, int cells, double density, double length, double young) {
  double c = sqrt(young / density), period = 4 * length / c, weight = density * 9.81 * length;
  double h = period / 4000;
  CaseRun *run = run_case_text(
      column(density, length, young, drums, cells, "q4", "nodes",
             xml_format("<time end=\"%.17g\" step=\"%.17g\"/><solver tolerance=\"1e-8\"/>",
                        0.95 * period, h)),
      NULL);
  double worst = 0;
  for (int64_t k = 0; k < run->n_rows; k++) {
    double t = run_case_at(run, k, "time") - h / 2, x = fmod(t / period, 1);
    double triangle = 4 * weight * (x < 0.5 ? x : 1 - x);
    worst = fmax(worst, fabs(run_case_at(run, k, "base_y") - triangle));
  }
  cr_assert_leq(worst, 0.04 * weight, "off by %g W", worst / weight);
  double crossing = run_case_crossing(run, "base_y", weight, 1) - h / 2;
  cr_assert_float_eq(crossing, period / 4, 0.01 * period / 4, "carries W at %g, expected %g",
                     crossing, period / 4);
  run_case_close(run);
}

Test(column, base_force_is_a_triangle_when_gravity_comes_suddenly) {
  assert_triangle(1, 100, 1000, 10, 1e7);
  assert_triangle(1, 80, 2000, 4, 3e7);
  assert_triangle(10, 10, 1000, 10, 1e7); // cut into blocks: the same until the joints open
}

Test(column, confined_without_friction_presses_sideways_with_nu_over_one_minus_nu) { // B10
  static const double poisson[] = {0.1, 0.3, 0.45};
  const char *const points[] = {"midpoints", "nodes", "gauss", "overlap"};
  for (int k = 0; k < 3; k++)
    for (int p = 0; p < 4; p++) {
      CaseRun *run = run_case_text(
          xml_format(
              "<voussoir><material name=\"m\" density=\"1\" young=\"1e4\" poisson=\"%g\"/>"
              "<law name=\"dry\" friction=\"0\"/>"
              "<block name=\"b\" material=\"m\" width=\"1\" height=\"2\" cells_x=\"3\""
              " cells_y=\"4\" pattern=\"t3_right\"/>"
              "<support name=\"base\" shape=\"box\" x=\"-2\" y=\"-1\" width=\"5\" height=\"1\"/>"
              "<support name=\"left\" shape=\"box\" x=\"-1\" y=\"0\" width=\"1\" height=\"3\"/>"
              "<support name=\"right\" shape=\"box\" x=\"1\" y=\"0\" width=\"1\" height=\"3\"/>"
              "<contact candidate=\"b\" antagonist=\"base left right\" law=\"dry\" points=\"%s\"/>"
              "<pressure on=\"b.top\" value=\"2\"/>%s"
              "<probe name=\"left\" quantity=\"reaction\" of=\"left\"/>"
              "<probe name=\"right\" quantity=\"reaction\" of=\"right\"/>"
              "<probe name=\"top\" quantity=\"displacement\" of=\"b.top\"/></voussoir>",
              poisson[k], points[p], run_case_static_time(2, 100)),
          NULL);
      double nu = poisson[k], lateral = 2 * 2 * nu / (1 - nu);
      double top = -2 * 2 * (1 + nu) * (1 - 2 * nu) / (1 - nu) / 1e4;
      cr_assert_float_eq(run_case_last(run, "left_x"), lateral, 1e-8 * lateral, "%s: %.10g, %.10g",
                         points[p], run_case_last(run, "left_x"), lateral);
      cr_assert_float_eq(run_case_last(run, "right_x"), -lateral, 1e-8 * lateral);
      cr_assert_float_eq(run_case_last(run, "top_y"), top, 1e-8 * fabs(top), "%.10g, %.10g",
                         run_case_last(run, "top_y"), top);
      run_case_close(run);
    }
}
