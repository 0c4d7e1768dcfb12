// The contact patch in space: two elastic boxes on each other, on meshes that do not match.

#define _XOPEN_SOURCE 700
#include "../unit/file/scratch.h"

#include <math.h>

#include "../support/run_case.h"
#include "mesh/generate.h"

// Unit cubes on a frictionless base under a pressure so small (1e-2, strain 1e-5) that the geometry
// of contact does not change; at rest. The largest error of u_z over all nodes relative to u_z(top)
// = -2 p / E.
static double patch_error(const char *lower, const char *upper, const char *candidate,
                          const char *antagonist, const char *points, double *force_error) {
  CaseRun *run = run_case_text(
      xml_format("<voussoir><model space=\"solid\"/>"
                 "<material name=\"m\" density=\"1\" young=\"1000\" poisson=\"0.3\"/>"
                 "<law name=\"dry\" friction=\"0\"/>%s%s"
                 "<support name=\"base\" shape=\"box\" x=\"-1\" y=\"-1\" z=\"-1\" width=\"3\""
                 " height=\"3\" depth=\"1\"/>"
                 "<contact candidate=\"lower\" antagonist=\"base\" law=\"dry\" points=\"%s\"/>"
                 "<contact candidate=\"%s\" antagonist=\"%s\" law=\"dry\" points=\"%s\"/>"
                 "<pressure on=\"upper.z1\" value=\"1e-2\"/>%s"
                 "<probe name=\"base\" quantity=\"reaction\" of=\"base\"/>"
                 "<probe name=\"upper\" quantity=\"reaction\" of=\"upper\"/></voussoir>",
                 lower, upper, points, candidate, antagonist, points,
                 run_case_static_time(2, sqrt(1000))),
      NULL);
  const BodySet *bs = &run->input.model.bodies;
  double top = -2e-2 / 1000, worst = 0;
  for (int k = 0; k < bs->node_ptr[2]; k++)
    worst = fmax(worst, fabs(run->state.bodies.q[3 * k + 2] - top / 2 * bs->x[3 * k + 2]));
  *force_error = fmax(fabs(run_case_last(run, "base_z") * 1e2 - 1),
                      fabs(run_case_last(run, "upper_z") * 1e2 + 1));
  run_case_close(run);
  return worst / fabs(top);
}

static const char *cube_of(const char *kinematics, const char *name, int cells, double z) {
  return xml_format("<box name=\"%s\" material=\"m\" kinematics=\"%s\" z=\"%g\" size=\"1 1 1\""
                    " cells=\"%d %d 2\"/>",
                    name, kinematics, z, cells, cells);
}

static const char *cube(const char *name, int cells, double z) {
  return cube_of("small", name, cells, z);
}

Test(patch_space, of_overlapping_faces_is_exact_on_meshes_that_do_not_match) {
  static const int cells[][2] = {{2, 2}, {3, 5}, {5, 3}, {1, 4}, {3, 4}};
  static const char *const points[] = {"overlap", "midpoints"};
  for (size_t k = 0; k < sizeof cells / sizeof cells[0]; k++)
    for (int turn = 0; turn < 4; turn++) {
      const char *own = points[turn / 2], *upper = turn % 2 ? "lower" : "upper",
                 *lower = turn % 2 ? "upper" : "lower";
      double force, error = patch_error(cube("lower", cells[k][0], 0),
                                        cube("upper", cells[k][1], 1), upper, lower, own, &force);
      cr_expect_leq(error, 1e-7, "%d on %d, %s, %s: %g", cells[k][1], cells[k][0], own, upper,
                    error);
      cr_expect_leq(force, 1e-7, "%d on %d, %s, %s: force %g", cells[k][1], cells[k][0], own, upper,
                    force);
    }
}

// Four points hold means over all of both faces: they press evenly too, whatever the meshes.
Test(patch_space, of_four_corners_alone_is_exact_on_meshes_that_do_not_match) {
  static const int cells[][2] = {{2, 2}, {3, 2}, {1, 3}};
  for (size_t k = 0; k < sizeof cells / sizeof cells[0]; k++) {
    double force, error = patch_error(cube("lower", cells[k][0], 0), cube("upper", cells[k][1], 1),
                                      "upper", "lower", k == 1 ? "reduced" : "corners", &force);
    cr_expect_leq(error, 1e-7, "%d on %d: %g", cells[k][1], cells[k][0], error);
    cr_expect_leq(force, 1e-7, "%d on %d: force %g", cells[k][1], cells[k][0], force);
  }
}

// Flat faces at finite strains have the same points: exact but for the strain of 1e-5 itself (nodes
// against faces: 3 %).
Test(patch_space, of_faces_at_finite_strains_is_exact_on_meshes_that_do_not_match) {
  static const int cells[][2] = {{3, 2}, {1, 3}, {2, 2}};
  static const char *const points[] = {"overlap", "midpoints", "corners"};
  for (size_t k = 0; k < sizeof cells / sizeof cells[0]; k++) {
    double force, error = patch_error(cube_of("finite", "lower", cells[k][0], 0),
                                      cube_of("finite", "upper", cells[k][1], 1), "upper", "lower",
                                      points[k], &force);
    cr_expect_leq(error, 3e-5, "%d on %d: %g", cells[k][1], cells[k][0], error);
    cr_expect_leq(force, 1e-6, "%d on %d: force %g", cells[k][1], cells[k][0], force);
  }
}

// A unit cube of cells x cells x 2 hexahedra, or of six tetrahedra for each, whose nodes are turned
// about its middle axis: by `angle` there, less towards the sides, which stay.
static void write_turned(const char *path, int cells, int tetrahedra, double angle, double z) {
  static const int split[6][4] = {{0, 1, 2, 6}, {0, 2, 3, 6}, {0, 3, 7, 6},
                                  {0, 7, 4, 6}, {0, 4, 5, 6}, {0, 5, 1, 6}};
  const int n[3] = {cells, cells, 2};
  const double size[3] = {1, 1, 1};
  Mesh box, mesh;
  Err err = {0};
  cr_assert_eq(mesh_box(&box, size, n, &err), OK);
  const int n_elems = (tetrahedra ? 6 : 1) * box.n_elems, corners = tetrahedra ? 4 : 8;
  cr_assert_eq(mesh_init(&mesh, 3, box.n_nodes, n_elems, corners * n_elems, &err), OK);
  for (int k = 0; k < box.n_nodes; k++) {
    double x = 2 * box.x[3 * k] - 1, y = 2 * box.x[3 * k + 1] - 1;
    double by = angle * (1 - x * x) * (1 - y * y), c = cos(by), s = sin(by);
    mesh.x[3 * k] = 0.5 + 0.5 * (c * x - s * y);
    mesh.x[3 * k + 1] = 0.5 + 0.5 * (s * x + c * y);
    mesh.x[3 * k + 2] = z + box.x[3 * k + 2];
  }
  for (int e = 0; e < n_elems; e++) {
    mesh.elem_shape[e] = tetrahedra ? SHAPE_T4 : SHAPE_H8;
    mesh.elem_ptr[e + 1] = corners * (e + 1);
    for (int k = 0; k < corners; k++)
      mesh.elem_node[corners * e + k] =
          tetrahedra ? box.elem_node[8 * (e / 6) + split[e % 6][k]] : box.elem_node[8 * e + k];
  }
  cr_assert_eq(mesh_write_gmsh(&mesh, path, &err), OK, "%s", err.text);
  mesh_free(&mesh);
  mesh_free(&box);
}

// Loaded by a rigid plate, which presses evenly too.
static double turned_error(int tetrahedra, int lower, int upper) {
  const double angle = 17 * 3.14159265358979324 / 180, load = 1e-2;
  scratch_make();
  write_turned(in_scratch("lower.msh"), lower, tetrahedra, 0, 0);
  write_turned(in_scratch("upper.msh"), upper, tetrahedra, angle, 1);
  CaseRun *run = run_case_text(
      xml_format(
          "<voussoir><model space=\"solid\"/>"
          "<material name=\"m\" density=\"1\" young=\"1000\" poisson=\"0.3\"/>"
          "<law name=\"dry\" friction=\"0\"/>"
          "<body name=\"lower\" material=\"m\" mesh=\"%s\"/>"
          "<body name=\"upper\" material=\"m\" mesh=\"%s\"/>"
          "<box name=\"plate\" material=\"m\" kinematics=\"rigid\" size=\"2 2 0.25\" x=\"-0.5\""
          " y=\"-0.5\" z=\"2\" cells=\"1 1 1\"/>"
          "<support name=\"base\" shape=\"box\" x=\"-1\" y=\"-1\" z=\"-1\" width=\"3\""
          " height=\"3\" depth=\"1\"/>"
          "<contact candidate=\"lower\" antagonist=\"base\" law=\"dry\"/>"
          "<contact candidate=\"upper\" antagonist=\"lower plate\" law=\"dry\"/>"
          "<gravity of=\"plate\" y=\"0\" z=\"%g\"/>%s"
          "<probe name=\"base\" quantity=\"reaction\" of=\"base\"/></voussoir>",
          in_scratch("lower.msh"), in_scratch("upper.msh"), -load,
          run_case_static_time(2, sqrt(1000))),
      NULL);
  const BodySet *bs = &run->input.model.bodies;
  double top = -2 * load / 1000, worst = 0;
  for (int k = 0; k < bs->node_ptr[2]; k++)
    worst = fmax(worst, fabs(run->state.bodies.q[3 * k + 2] - top / 2 * bs->x[3 * k + 2]));
  cr_expect_float_eq(run_case_last(run, "base_z") / load, 1, 1e-7);
  run_case_close(run);
  scratch_remove();
  return worst / fabs(top);
}

Test(patch_space, of_triangles_on_triangles_turned_by_17_degrees_is_exact) {
  double error = turned_error(1, 4, 5);
  cr_expect_leq(error, 1e-7, "%g", error);
}

// Skew quadrilaterals: products of their shape functions are no polynomials in the plane; 6e-7.
Test(patch_space, of_skew_quadrilaterals_is_all_but_exact) {
  double finer = turned_error(0, 4, 5), coarser = turned_error(0, 5, 4);
  cr_expect_leq(finer, 1e-5, "%g", finer);
  cr_expect_leq(coarser, 1e-5, "%g", coarser);
}
