// One rigid body of several convex parts: its mass, and what its parts meet.

#define _XOPEN_SOURCE 700
#include "../unit/file/scratch.h"

#include <math.h>

#include "../support/run_case.h"
#include "mesh/generate.h"

// Corners of a box from `low` to `high`.
static const char *corners(double x0, double y0, double z0, double x1, double y1, double z1) {
  return xml_format("<part corners=\"%g %g %g %g %g %g %g %g %g %g %g %g %g %g %g %g %g %g %g %g %g"
                    " %g %g %g\"/>",
                    x0, y0, z0, x1, y0, z0, x1, y1, z0, x0, y1, z0, x0, y0, z1, x1, y0, z1, x1, y1,
                    z1, x0, y1, z1);
}

#define HEAD                                                                                       \
  "<voussoir><model space=\"solid\"/><material name=\"m\" density=\"1000\" young=\"1e9\""          \
  " poisson=\"0\"/><law name=\"l\" friction=\"%g\"/>"
#define TAIL                                                                                         \
  "<contact candidate=\"all\" antagonist=\"all g\" law=\"l\"/><gravity x=\"%g\" y=\"0\" z=\"-10\"/>" \
  "<solver tolerance=\"1e-10\"/><output every=\"0\"/>"

// An L of 3 x 1 x 1 and, on its end, 1 x 1 x 2: of parts, of a table of corners, of groups of a
// mesh.
static void write_l(const char *path) {
  static const int boxes[4][3] = {{0, 0, 0}, {1, 0, 0}, {2, 0, 0}, {0, 0, 1}};
  Mesh mesh;
  Err err = {0};
  cr_assert_eq(mesh_init(&mesh, 3, 20, 4, 32, &err), OK);
  for (int k = 0; k < 20; k++) { // four by two by two, and four more on top of the first two
    const int i = k < 16 ? k % 4 : (k - 16) % 2, j = k < 16 ? k / 4 % 2 : (k - 16) / 2;
    mesh.x[3 * k] = i;
    mesh.x[3 * k + 1] = j;
    mesh.x[3 * k + 2] = k < 8 ? 0 : k < 16 ? 1 : 3;
  }
  for (int e = 0; e < 4; e++) {
    mesh.elem_shape[e] = SHAPE_H8;
    mesh.elem_ptr[e + 1] = 8 * (e + 1);
    for (int k = 0; k < 8; k++) {
      const int i = boxes[e][0] + (k % 4 == 1 || k % 4 == 2), j = k % 4 / 2,
                z = boxes[e][2] + k / 4;
      mesh.elem_node[8 * e + k] = z < 2 ? 8 * z + 4 * j + i : 16 + 2 * j + i;
    }
  }
  cr_assert_eq(mesh_add_group(&mesh, "foot", GROUP_ELEMENTS, (const int32_t[]){0, 1, 2}, 3, &err),
               OK);
  cr_assert_eq(mesh_add_group(&mesh, "post", GROUP_ELEMENTS, (const int32_t[]){3}, 1, &err), OK);
  cr_assert_eq(mesh_write_gmsh(&mesh, path, &err), OK, "%s", err.text);
  mesh_free(&mesh);
}

Test(union_of_parts, has_the_mass_and_inertia_of_all) {
  scratch_make();
  write_l(in_scratch("l.msh"));
  write_text(in_scratch("post.csv"),
             "x,y,z\n0,0,1\n1,0,1\n1,1,1\n0,1,1\n0,0,3\n1,0,3\n1,1,3\n0,1,3\n");
  const char *foot = corners(0, 0, 0, 3, 1, 1);
  const char *made[3] = {
      xml_format("<polyhedron name=\"b\" material=\"m\">%s%s</polyhedron>", foot,
                 corners(0, 0, 1, 1, 1, 3)),
      xml_format("<polyhedron name=\"b\" material=\"m\">%s<part file=\"%s\"/></polyhedron>", foot,
                 in_scratch("post.csv")),
      xml_format("<body name=\"b\" material=\"m\" kinematics=\"rigid\" parts=\"groups\""
                 " mesh=\"%s\"/>",
                 in_scratch("l.msh"))};
  // 3 at (1.5, .5, .5), 2 at (.5, .5, 2)
  const double center[3] = {1.1, 0.5, 1.1};
  const double xx = 3 * (2.0 / 12 + 0.36) + 2 * (5.0 / 12 + 0.81),
               xz = -3 * (0.4 * -0.6) - 2 * (-0.6 * 0.9);
  for (int k = 0; k < 3; k++) {
    CaseRun *run = run_case_open_text(
        xml_format(HEAD "%s<time end=\"1\" step=\"1e-3\"/><output every=\"0\"/></voussoir>", 0.0,
                   made[k]),
        NULL);
    const RigidBody *rigid = run->input.model.bodies.rigid;
    cr_expect_float_eq(rigid->mass, 5000, 1e-9);
    for (int i = 0; i < 3; i++) cr_expect_float_eq(rigid->center[i], center[i], 1e-12);
    cr_expect_float_eq(rigid->space.inertia[0], 1000 * xx, 1e-8);
    cr_expect_float_eq(rigid->space.inertia[2], 1000 * xz, 1e-8);
    run_case_close(run);
  }
  scratch_remove();
}

// A U on the ground, of parts that share faces or overlap, and a box that falls into it and is
// pushed against its right leg: it rests on the floor of the U at this leg, and the ground carries
// both.
Test(union_of_parts, holds_what_lies_in_its_notch) {
  for (int overlap = 0; overlap < 2; overlap++) {
    const double from = overlap ? 0 : 0.2;
    CaseRun *run = run_case_text(
        xml_format(HEAD "<polyhedron name=\"u\" material=\"m\">%s%s%s</polyhedron>"
                        "<box name=\"b\" material=\"m\" kinematics=\"rigid\" size=\"0.5 0.5 0.5\""
                        " cells=\"1 1 1\" x=\"0.25\" y=\"0.1\" z=\"0.22\"/>"
                        "<support name=\"g\" shape=\"plane\"/>" TAIL
                        "<law name=\"smooth\" friction=\"0\"/>"
                        "<contact candidate=\"b\" antagonist=\"u\" law=\"smooth\"/>"
                        "<time end=\"0.6\" step=\"2e-3\" theta=\"1\"/>"
                        "<probe name=\"b\" quantity=\"displacement\" of=\"b\"/>"
                        "<probe name=\"u\" quantity=\"displacement\" of=\"u\"/>"
                        "<probe name=\"f\" quantity=\"reaction\" of=\"g\"/></voussoir>",
                   0.5, corners(0, 0, 0, 1, 0.7, 0.2), corners(0, 0, from, 0.2, 0.7, 1),
                   corners(0.8, 0, from, 1, 0.7, 1), 4.0),
        NULL);
    const double weight = 10 * (run_case_mass(run));
    const double apart = run_case_last(run, "b_x") - run_case_last(run, "u_x");
    cr_expect_float_eq(apart, 0.05, 1e-6, "%g", apart);
    cr_expect_float_eq(run_case_last(run, "b_z"), -0.02, 1e-6, "%g", run_case_last(run, "b_z"));
    cr_expect_float_eq(fabs(run_case_last(run, "f_z")), weight, 1e-5 * weight);
    run_case_close(run);
  }
}

// A low box slides without friction over a floor of two parts, flush; the seam is nothing to it.
Test(union_of_parts, seams_between_flush_parts_are_not_felt) {
  CaseRun *run = run_case_text(
      xml_format(HEAD "<polyhedron name=\"u\" material=\"m\">%s%s</polyhedron>"
                      "<box name=\"b\" material=\"m\" kinematics=\"rigid\" size=\"0.3 0.3 0.1\""
                      " cells=\"1 1 1\" x=\"0.1\" y=\"0.1\" z=\"0.2\"/>"
                      "<support name=\"g\" shape=\"plane\"/><velocity of=\"b\" x=\"1\"/>" TAIL
                      "<time end=\"1\" step=\"1e-3\"/>"
                      "<probe name=\"b\" quantity=\"velocity\" of=\"b\"/></voussoir>",
                 0.0, corners(0, 0, 0, 1, 0.7, 0.2), corners(1, 0, 0, 3, 0.7, 0.2), 0.0),
      NULL);
  double worst = 0;
  for (int64_t k = 0; k < run->n_rows; k++)
    worst = fmax(worst, fabs(run_case_at(run, k, "b_x") - 1));
  cr_expect_lt(worst, 1e-9, "%g", worst);
  run_case_close(run);
}

// An L on its foot, the long arm up and over to one side: its centre at 0.65 of the foot's 1 x 1.
// It stands until gravity leans by (1 - 0.65) / height, whichever of its parts the edge belongs to.
Test(union_of_parts, stone_that_is_not_convex_tips_about_its_foot) {
  // foot 0..1 x 0..1 x 0..1 (1), arm 0..1.6 over it, 0.5 high (0.8)
  const double m[2] = {1, 0.8}, x = (m[0] * 0.5 + m[1] * 0.8) / 1.8,
               z = (m[0] * 0.5 + m[1] * 1.25) / 1.8;
  for (int side = 0; side < 2; side++) {
    const double lean = 10 * (1 - x) / z * (side ? 1.005 : 0.995);
    CaseRun *run = run_case_text(
        xml_format(HEAD "<polyhedron name=\"b\" material=\"m\">%s%s</polyhedron>"
                        "<support name=\"g\" shape=\"plane\"/>" TAIL
                        "<time end=\"0.4\" step=\"1e-3\" theta=\"1\"/>"
                        "<probe name=\"b\" quantity=\"displacement\" of=\"b\"/></voussoir>",
                   2.0, corners(0, 0, 0, 1, 1, 1), corners(0, 0, 1, 1.6, 1, 1.5), lean),
        NULL);
    const double far = fabs(run_case_last(run, "b_x"));
    if (side)
      cr_expect_gt(far, 1e-3, "%g", far);
    else
      cr_expect_lt(far, 1e-7, "%g", far);
    run_case_close(run);
  }
}

// Twelve stones, every other one an L and a T, that tumble into a pit of 0.9 m: none in another one
// by more than a hundredth of its size of 0.24 m, and the ground and the walls carry them.
Test(union_of_parts, stones_that_tumble_into_a_pit_stay_apart) {
  static const char *const walls[] = {
      "x=\"-0.45\" normal=\"1 0 0\"", "x=\"0.45\" normal=\"-1 0 0\"",
      "y=\"-0.45\" normal=\"0 1 0\"", "y=\"0.45\" normal=\"0 -1 0\"", "normal=\"0 0 1\""};
  static char text[20000];
  size_t n = (size_t)snprintf(text, sizeof text, HEAD, 0.4);
  for (int k = 0; k < 12; k++) {
    const double x = 0.45 * (k % 2) - 0.22, y = 0.45 * (k / 2 % 2) - 0.22, z = 0.4 + 0.45 * (k / 4);
    n += (size_t)snprintf(
        text + n, sizeof text - n,
        "<polyhedron name=\"p%d\" material=\"m\" x=\"%g\" y=\"%g\" z=\"%g\" orientation=\"%g %g %g %g\">"
        "%s%s</polyhedron>",
        k, x, y, z, cos(k), sin(2 * k), cos(3 * k), sin(5 * k + 1),
        corners(-0.12, -0.06, -0.06, 0.12, 0.06, 0),
        k % 2 ? corners(-0.12, -0.06, 0, -0.04, 0.06, 0.14)
              : corners(-0.03, -0.06, 0, 0.03, 0.06, 0.15));
  }
  for (int k = 0; k < 5; k++)
    n += (size_t)snprintf(text + n, sizeof text - n,
                          "<support name=\"s%d\" shape=\"plane\" %s length=\"5\"/>", k, walls[k]);
  snprintf(text + n, sizeof text - n,
           "<contact candidate=\"all\" antagonist=\"all s0 s1 s2 s3 s4\" law=\"l\"/>"
           "<gravity y=\"0\" z=\"-10\"/><solver tolerance=\"1e-4\"/><output every=\"0\"/>"
           "<time end=\"1.2\" step=\"1e-3\" theta=\"1\"/>"
           "<probe name=\"f\" quantity=\"reaction\" of=\"s4\"/></voussoir>");
  CaseRun *run = run_case_text(text, NULL);
  double worst = 0;
  for (int64_t k = 0; k < run->n_rows; k++) worst = fmax(worst, run_case_at(run, k, "penetration"));
  cr_expect_lt(worst, 2.4e-3, "%g", worst);
  const double weight = 10 * run_case_mass(run), floor = fabs(run_case_last(run, "f_z"));
  cr_expect(floor > 0.8 * weight && floor < 1.2 * weight, "%g of %g", floor, weight);
  run_case_close(run);
}
