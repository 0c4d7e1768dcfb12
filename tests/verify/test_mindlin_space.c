// Mindlin in space (verification B5): a rigid ball pressed on an elastic block, or an elastic cap
// on a rigid plane, then pushed sideways below the limit of friction:
// c / a = (1 - Q / (mu P))^(1/3).

#define _XOPEN_SOURCE 700
#include "../unit/file/scratch.h"

#include <math.h>

#include "../support/run_case.h"
#include "contact/contact.h"
#include "mesh/generate.h"

// Nearly incompressible: against a rigid body normal and tangential contact are not coupled then.
static const double E = 1000, NU = 0.49, MU = 0.3, WIDTH = 0.08;

enum { FINE = 6, COARSE = 4, PRESSED = 5, PUSHED = 3 }; // cells, steps

// Half of a block (y > 0), its cells a fifth of WIDTH about the middle of its top, 14 WIDTH long
// and 7 high; its upper face a paraboloid of radius 1 where `curved`. The height.
static double write_half(const char *path, int curved) {
  enum { SIDE = FINE + COARSE };
  static const int n[3] = {2 * SIDE, SIDE, SIDE};
  const double one[3] = {2 * SIDE, SIDE, SIDE};
  double along[SIDE + 1] = {0}, cell = WIDTH / 5;
  Mesh mesh;
  Err err = {0};
  for (int k = 1; k <= SIDE; k++) {
    if (k > FINE) cell *= 2;
    along[k] = along[k - 1] + cell;
  }
  const double high = along[SIDE];
  cr_assert_eq(mesh_box(&mesh, one, n, &err), OK);
  for (int k = 0; k < mesh.n_nodes; k++) {
    double *x = mesh.x + 3 * k;
    const int from_middle = (int)lround(x[0]) - SIDE;
    x[0] = copysign(along[abs(from_middle)], from_middle);
    x[1] = along[(int)lround(x[1])];
    x[2] = high - along[SIDE - (int)lround(x[2])];
    if (curved) x[2] -= 0.5 * fmin(x[0] * x[0] + x[1] * x[1], 0.04) * pow(x[2] / high, 4);
  }
  cr_assert_eq(mesh_write_gmsh(&mesh, path, &err), OK, "%s", err.text);
  mesh_free(&mesh);
  return high;
}

// The circle whose area is that of the points that stick, and the force across the inner half of
// it: a mean, as normal loading leaves tractions that are odd in x.
static void assert_mindlin(const char *what, const CaseRun *run) {
  const double pi = acos(-1), load = 2 * fabs(run_case_last(run, "t_z")),
               share = fabs(run_case_last(run, "t_x")) / fabs(run_case_last(run, "t_z")) / MU;
  const double a = pow(0.75 * load * (1 - NU * NU) / E, 1.0 / 3), c = a * cbrt(1 - share),
               q0 = MU * 1.5 * load / (pi * a * a);
  double stuck = 0, sum = 0, ideal = 0;
  for (int k = 0; k < contact_count(run->work.contact); k++) {
    const Contact *contact = &contact_list(run->work.contact)[k];
    const double *r = run->work.reaction + 3 * k, t = hypot(r[1], r[2]);
    double place[3], side = 0;
    contact_place(&run->input.model.bodies, contact, NULL, place);
    const double radius = hypot(place[0], place[1]);
    if (r[0] > 0 && t < (1 - 1e-3) * MU * r[0]) stuck += 2 * contact->area;
    if (radius > 0.5 * c) continue;
    for (int j = 1; j < 3; j++) side += r[j] * contact->axis[j][0];
    sum += 2 * side / run->work.report.h_last;
    ideal += 2 * contact->area * q0 *
             (sqrt(1 - radius * radius / (a * a)) - sqrt(c * c - radius * radius) / a);
  }
  cr_expect_float_eq(sqrt(stuck / pi) / a, c / a, 0.06, "%s, Q / (mu P) %g: sticks to %g, exact %g",
                     what, share, sqrt(stuck / pi) / a, c / a);
  cr_expect_float_eq(fabs(sum), ideal, 0.1 * ideal, "%s, %g: traction %g, exact %g", what, share,
                     sum, ideal);
}

static void push(const char *what, int curved, const char *tool, double by) {
  scratch_make();
  const double high = write_half(in_scratch("half.msh"), curved);
  CaseRun *run = run_case_open_text(
      xml_format("<voussoir><model space=\"solid\"/><parameter name=\"high\" value=\"%.15g\"/>"
                 "<material name=\"m\" density=\"1\" young=\"%g\" poisson=\"%g\"/>"
                 "<body name=\"b\" material=\"m\" b_bar=\"yes\" mesh=\"%s\"/>%s"
                 "<law name=\"l\" friction=\"%g\"/>"
                 "<contact candidate=\"b\" antagonist=\"t\" law=\"l\" points=\"nodes\"/>"
                 "<prescribe on=\"b.y0\" y=\"0\"/>"
                 "<prescribe on=\"b.z0\" z=\"0.007*min(t/%d, 1)\" x=\"%g*max(t - %d, 0)/%d\"/>"
                 "<time end=\"%d\" step=\"1\" theta=\"1\"/><newton statics=\"yes\"/>"
                 "<solver tolerance=\"1e-4\"/><output every=\"0\"/>"
                 "<probe name=\"t\" quantity=\"reaction\" of=\"t\"/></voussoir>",
                 high, E, NU, in_scratch("half.msh"), tool, MU, PRESSED, by, PRESSED, PUSHED,
                 PRESSED + PUSHED),
      NULL);
  run_case_steps(run, PRESSED);
  for (int k = 0; k < PUSHED; k++) {
    run_case_step(run, 1);
    assert_mindlin(what, run);
  }
  run_case_close(run);
  scratch_remove();
}

Test(mindlin_space, sphere_sticks_inside_the_radius_of_mindlin) { // B5
  push("ball on a block", 0,
       "<tool name=\"t\" shape=\"sphere\" radius=\"1\" at_z=\"1 + ${high}\"/>", 0.0015);
  if (run_case_of_like(2) == 1) return;
  push("cap on a plane", 1,
       "<support name=\"t\" shape=\"box\" x=\"-3\" y=\"-3\" z=\"${high}\" width=\"6\" height=\"6\""
       " depth=\"1\"/>",
       0.0015);
}
