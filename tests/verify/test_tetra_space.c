// Bodies of tetrahedra with curved faces: in a heap, rolling over seams, and pressed as Hertz says
// (verification B4).

#define _XOPEN_SOURCE 700
#include "../unit/file/scratch.h"
#include "hertz.h"

#include <math.h>

#include "../support/run_case.h"
#include "base/space.h"
#include "contact/contact.h"
#include "mesh/generate.h"

static const double RADIUS = 0.1; // of the balls [m]

// ---- meshes -------------------------------------------------------------------------------------

typedef void (*MapNode)(const int n[3], double x[3]);

// n x n x n cells of six tetrahedra each, their nodes (numbers of cells from a corner) mapped; the
// nodes of the sides x0, y0, z0 are groups.
static void write_tetrahedra(const char *path, const int n[3], MapNode map) {
  static const int split[6][4] = {{0, 1, 2, 6}, {0, 2, 3, 6}, {0, 3, 7, 6},
                                  {0, 7, 4, 6}, {0, 4, 5, 6}, {0, 5, 1, 6}};
  const double size[3] = {n[0], n[1], n[2]};
  Mesh box;
  Err err = {0};
  cr_assert_eq(mesh_box(&box, size, n, &err), OK);
  FILE *file = fopen(path, "w");
  int points = 0;
  for (int k = 0; k < 3 * box.n_nodes; k++) points += box.x[k] == 0;
  fprintf(file, "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$PhysicalNames\n4\n0 1 \"x0\"\n0 2 \"y0\"\n"
                "0 3 \"z0\"\n3 4 \"all\"\n$EndPhysicalNames\n");
  fprintf(file, "$Nodes\n%d\n", box.n_nodes);
  for (int k = 0; k < box.n_nodes; k++) {
    double x[3] = {box.x[3 * k], box.x[3 * k + 1], box.x[3 * k + 2]};
    map(n, x);
    fprintf(file, "%d %.17g %.17g %.17g\n", k + 1, x[0], x[1], x[2]);
  }
  fprintf(file, "$EndNodes\n$Elements\n%d\n", points + 6 * box.n_elems);
  int elem = 0;
  for (int k = 0; k < 3 * box.n_nodes; k++)
    if (box.x[k] == 0) fprintf(file, "%d 15 2 %d 1 %d\n", ++elem, k % 3 + 1, k / 3 + 1);
  for (int e = 0; e < 6 * box.n_elems; e++) {
    fprintf(file, "%d 4 2 4 1", ++elem);
    for (int k = 0; k < 4; k++)
      fprintf(file, " %d", box.elem_node[8 * (e / 6) + split[e % 6][k]] + 1);
    fprintf(file, "\n");
  }
  fprintf(file, "$EndElements\n");
  fclose(file);
  mesh_free(&box);
}

// Cubes within the cube become spheres: the surface has shallow ridges and valleys.
static void to_ball(const int n[3], double x[3]) {
  double side = 0, length = 0;
  for (int i = 0; i < 3; i++) {
    x[i] = 2 * x[i] / n[i] - 1;
    side = fmax(side, fabs(x[i]));
    length += x[i] * x[i];
  }
  for (int i = 0; i < 3 && length > 0; i++) x[i] *= RADIUS * side / sqrt(length);
}

// ---- heaps --------------------------------------------------------------------------------------

// Three balls on a floor between walls, a fourth in their middle.
static void assert_heap(const char *kinematics, double end, double depth) {
  static const int n[3] = {4, 4, 4};
  const double d = 2.006 * RADIUS, x[4] = {0, d, 0.5 * d, 0.5 * d},
               y[4] = {0, 0, sqrt(0.75) * d, sqrt(1.0 / 12) * d},
               z[4] = {RADIUS, RADIUS, RADIUS, RADIUS + sqrt(2.0 / 3) * d};
  const char *balls = "";
  scratch_make();
  write_tetrahedra(in_scratch("ball.msh"), n, to_ball);
  for (int k = 0; k < 4; k++)
    balls =
        xml_format("%s<body name=\"b%d\" material=\"m\" kinematics=\"%s\" mesh=\"%s\" x=\"%.9g\""
                   " y=\"%.9g\" z=\"%.9g\"/>",
                   balls, k, kinematics, in_scratch("ball.msh"), x[k] + 5e-4 * k, y[k], z[k]);
  CaseRun *run = run_case_text(
      xml_format("<voussoir><model space=\"solid\"/><material name=\"m\" density=\"2000\""
                 " young=\"1e8\" poisson=\"0.2\"/><law name=\"l\" friction=\"0.5\"/>%s"
                 "<support name=\"floor\" shape=\"plane\" normal=\"0 0 1\"/>"
                 "<support name=\"w1\" shape=\"plane\" normal=\"1 0 0\" x=\"-0.102\"/>"
                 "<support name=\"w2\" shape=\"plane\" normal=\"-1 0 0\" x=\"0.31\"/>"
                 "<support name=\"w3\" shape=\"plane\" normal=\"0 1 0\" y=\"-0.102\"/>"
                 "<support name=\"w4\" shape=\"plane\" normal=\"0 -1 0\" y=\"0.28\"/>"
                 "<group name=\"g\" bodies=\"floor w1 w2 w3 w4\"/>"
                 "<contact candidate=\"all\" antagonist=\"all g\" law=\"l\"/>"
                 "<gravity y=\"0\" z=\"-9.81\"/><time end=\"%g\" step=\"1e-3\" theta=\"1\"/>"
                 "<solver tolerance=\"1e-4\"/><output every=\"0\"/>"
                 "<probe name=\"g\" quantity=\"reaction\" of=\"g\"/></voussoir>",
                 balls, end),
      NULL);
  cr_expect_leq(run_case_largest(run, "penetration_nodes"), depth, "%s: %g", kinematics,
                run_case_largest(run, "penetration_nodes"));
  run_case_close(run);
  scratch_remove();
}

Test(tetra_space, balls_in_a_heap_are_not_in_one_another) {
  assert_heap("rigid", 0.3, 1e-4);
  assert_heap("corotational", 0.3, 1e-4);
}

// ---- rolling ------------------------------------------------------------------------------------

// Over the seams of four boxes: of the height no more changes than the sag of a facet, and the mean
// of the reactions is the weight.
static void assert_rolls(const char *ball, const char *boxes) {
  static const int n[3] = {6, 6, 6};
  const char *blocks = "";
  scratch_make();
  write_tetrahedra(in_scratch("ball.msh"), n, to_ball);
  for (int k = 0; k < 4; k++)
    blocks = xml_format("%s<box name=\"k%d\" material=\"m\" kinematics=\"%s\" x=\"%g\" y=\"%g\""
                        " z=\"-0.2\" size=\"0.4 0.4 0.2\" cells=\"4 4 2\"/>",
                        blocks, k, boxes, -0.4 + 0.4 * (k % 2), -0.4 + 0.4 * (k / 2));
  CaseRun *run = run_case_text(
      xml_format("<voussoir><model space=\"solid\"/><material name=\"m\" density=\"2000\""
                 " young=\"1e8\" poisson=\"0.2\"/><law name=\"l\" friction=\"0.5\"/>%s"
                 "<support name=\"base\" shape=\"plane\" normal=\"0 0 1\" z=\"-0.2\"/>"
                 "<group name=\"g\" bodies=\"k0 k1 k2 k3\"/>"
                 "<body name=\"b\" material=\"m\" kinematics=\"%s\" mesh=\"%s\" x=\"-0.03\""
                 " y=\"-0.02\" z=\"0.1\"/><velocity of=\"b\" x=\"0.3\"/>"
                 "<contact candidate=\"g\" antagonist=\"g base\" law=\"l\"/>"
                 "<contact candidate=\"b\" antagonist=\"g\" law=\"l\"/>"
                 "<gravity y=\"0\" z=\"-9.81\"/><time end=\"0.5\" step=\"1e-3\" theta=\"1\"/>"
                 "<solver tolerance=\"1e-4\"/><output every=\"0\"/>"
                 "<probe name=\"b\" quantity=\"reaction\" of=\"b\"/>"
                 "<probe name=\"d\" quantity=\"displacement\" of=\"b\"/>"
                 "<probe name=\"v\" quantity=\"momentum\" of=\"b\"/></voussoir>",
                 blocks, ball, in_scratch("ball.msh")),
      NULL);
  // of the ball: what the boxes have is taken off
  const double weight = 9.81 * (run_case_mass(run) - 2000 * 0.8 * 0.8 * 0.2), end = 0.5;
  const double sag = RADIUS * (1 - cos(PI / 12)), most = 1e-8;
  double sum = 0;
  for (int64_t k = 0; k < run->n_rows; k++) sum -= run_case_at(run, k, "b_z") / (double)run->n_rows;
  cr_expect_float_eq(sum, weight + run_case_last(run, "v_z") / end, 1e-6 * weight,
                     "%s on %s: %g of %g", ball, boxes, sum, weight);
  cr_expect_gt(run_case_last(run, "d_x"), RADIUS);
  cr_expect_geq(run_case_smallest(run, "d_z"), -sag, "%s on %s: down by %g", ball, boxes,
                -run_case_smallest(run, "d_z"));
  cr_expect_leq(run_case_largest(run, "d_z"), 1e-5);
  cr_expect_leq(run_case_largest(run, "penetration_nodes"), most);
  run_case_close(run);
  scratch_remove();
}

Test(tetra_space, ball_rolls_over_seams) {
  assert_rolls("rigid", "rigid");
  if (run_case_of_like(3) == 1) return;
  assert_rolls("corotational", "small");
  assert_rolls("rigid", "small");
}

// ---- Hertz --------------------------------------------------------------------------------------

static const double E = 1000, NU = 0.3, WIDTH = 0.0880442; // that of P = 1 under a sphere of 1 m
enum { COARSE = 5 };

// Quarter of a block with its top at z = 0: fine cells of WIDTH * 1.5 / fine near the middle of its
// top. 1: so much of the height of a paraboloid of radius 1 is taken from it.
static void to_quarter(const int n[3], double x[3], double curved) {
  double along[32] = {0}, cell = 1.5 * WIDTH / (n[0] - COARSE);
  for (int k = 1; k <= n[0]; k++)
    along[k] = along[k - 1] + (k > n[0] - COARSE ? (cell *= 2) : cell);
  const double high = along[n[0]];
  for (int i = 0; i < 2; i++) x[i] = along[(int)lround(x[i])];
  x[2] = high - along[n[0] - (int)lround(x[2])];
  x[2] -= curved * 0.5 * fmin(x[0] * x[0] + x[1] * x[1], 0.04) * pow(x[2] / high, 4) + high;
}

static void to_block(const int n[3], double x[3]) {
  to_quarter(n, x, 0);
}
static void to_cap(const int n[3], double x[3]) {
  to_quarter(n, x, 1);
}
// Turned over about the line x = y.
static void to_upper_cap(const int n[3], double x[3]) {
  to_quarter(n, x, 1);
  const double other = x[0];
  x[0] = x[1];
  x[1] = other;
  x[2] = -x[2];
}

// The load of a depth of 7e-3 m against a rigid tool, twice that of two elastic caps, which halve
// radius and modulus. The pressure squared is linear in r^2.
static double press(const char *what, MapNode map, int fine, const char *antagonist, double depth,
                    double bound) {
  const int n[3] = {6 + COARSE, 6 + COARSE, 6 + COARSE},
            n_upper[3] = {fine + COARSE, fine + COARSE, fine + COARSE};
  scratch_make();
  write_tetrahedra(in_scratch("quarter.msh"), n, map);
  write_tetrahedra(in_scratch("upper.msh"), n_upper, to_upper_cap);
  CaseRun *run = run_case_text(
      xml_format(
          "<voussoir><model space=\"solid\"/><parameter name=\"upper\" value=\"%s\"/>"
          "<material name=\"m\" density=\"1\" young=\"%g\""
          " poisson=\"%g\"/><body name=\"b\" material=\"m\" kinematics=\"small\" mesh=\"%s\"/>"
          "%s<law name=\"l\" friction=\"0\"/><contact candidate=\"b\" antagonist=\"t\" law=\"l\"/>"
          "<prescribe on=\"b.x0\" x=\"0\"/><prescribe on=\"b.y0\" y=\"0\"/>"
          "<prescribe on=\"b.z0\" z=\"%g*t\"/>"
          "<time end=\"1\" step=\"1\" theta=\"1\"/><newton statics=\"yes\"/>"
          "<solver tolerance=\"1e-4\"/><output every=\"0\"/>"
          "<probe name=\"t\" quantity=\"reaction\" of=\"t\"/></voussoir>",
          in_scratch("upper.msh"), E, NU, in_scratch("quarter.msh"), antagonist, depth),
      NULL);
  const double load = 4 * fabs(run_case_last(run, "t_z"));
  expect_hertz(run, load, E, NU, bound, what);
  run_case_close(run);
  scratch_remove();
  return load;
}

// Nodes against curved faces of a mesh that does not match pass no patch test: the pressure at a
// node is then up to 12 % off, which the fit makes 20 % of the width; the load is not.
Test(tetra_space, presses_as_hertz_says) { // B4
  static const char *const cap =
      "<body name=\"t\" material=\"m\" mesh=\"${upper}\"/><prescribe on=\"t.x0\" y=\"0\"/>"
      "<prescribe on=\"t.y0\" x=\"0\"/><prescribe on=\"t.z0\" z=\"0\"/>";
  press("ball on a block", to_block, 6,
        "<tool name=\"t\" shape=\"sphere\" radius=\"1\" at_z=\"1\"/>", 0.007, 0.05);
  if (run_case_of_like(4) == 1) return;
  const double load = press("cap on a plane", to_cap, 6,
                            "<support name=\"t\" shape=\"plane\" normal=\"0 0 -1\"/>", 0.007, 0.05);
  const double alike = press("cap on a cap", to_cap, 6, cap, 0.014, 0.05),
               finer = press("cap on a finer cap", to_cap, 7, cap, 0.014, 0.25);
  cr_expect_float_eq(alike, load, 1e-3 * load, "%g, on a plane %g", alike, load);
  cr_expect_float_eq(finer, load, 5e-3 * load, "%g, on a plane %g", finer, load);
}
