#define _POSIX_C_SOURCE 200809L
#include <criterion/criterion.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "../../support/no_leak.h"
#include "../../support/scratch_path.h"
#include "mesh/blank.h"

TestSuite(blank, .fini = no_leak);

static const char *const patterns[] = {"t3", "t3_right", "t3_left", "t3_alternate", "q4"};
enum { N_PATTERNS = sizeof patterns / sizeof patterns[0] };

static int count(const Mesh *mesh, const char *group) {
  const MeshGroup *found = mesh_find_group_of(mesh, group, GROUP_NODES);
  return found ? found->n : 0;
}

// Largest over smallest angle-like quality: least sine of the corners.
static double least_sine(const Mesh *mesh) {
  double least = 1;
  for (int e = 0; e < mesh->n_elems; e++) {
    int first = mesh->elem_ptr[e], n = mesh->elem_ptr[e + 1] - first;
    for (int k = 0; k < n; k++) {
      const double *p = mesh->x + 3 * mesh->elem_node[first + k],
                   *a = mesh->x + 3 * mesh->elem_node[first + (k + 1) % n],
                   *b = mesh->x + 3 * mesh->elem_node[first + (k + n - 1) % n];
      double u[2] = {a[0] - p[0], a[1] - p[1]}, v[2] = {b[0] - p[0], b[1] - p[1]};
      double sine = (u[0] * v[1] - u[1] * v[0]) / (hypot(u[0], u[1]) * hypot(v[0], v[1]));
      least = fmin(least, sine); // negative: turned inside out, or concave
    }
  }
  return least;
}

Test(blank, disks_of_all_patterns_are_valid_and_fill_the_polygon) {
  const double pi = 3.14159265358979323846;
  for (int k = 0; k < N_PATTERNS; k++)
    for (int quarter = 0; quarter < 2; quarter++) {
      DiskBlank spec = {.radius = 0.1,
                        .size = 0.01,
                        .fine = 0.006,
                        .from = 0.04,
                        .quarter = quarter,
                        .pattern = patterns[k]};
      Mesh mesh;
      Err err;
      cr_assert_eq(blank_disk(&mesh, &spec, &err), OK, "%s", err.text);
      cr_assert_eq(mesh.dim, 3);
      // 16 elements along the quarter of the rim
      int n = quarter ? 16 : 64;
      double polygon = 0.5 * n * 0.01 * sin((quarter ? 0.5 : 2) * pi / n);
      cr_assert_float_eq(mesh_measure(&mesh), polygon, 1e-12, "%s", patterns[k]);
      cr_assert_eq(count(&mesh, "edge"), quarter ? 17 : 64);
      cr_assert_eq(count(&mesh, "centre"), 1);
      cr_assert_eq(count(&mesh, "symmetry_x"), quarter ? count(&mesh, "axis_y") : 0);
      cr_assert_eq(count(&mesh, "symmetry_y"), quarter ? count(&mesh, "axis_x") : 0);
      cr_assert_gt(count(&mesh, "axis_x"), 10);
      cr_assert_gt(least_sine(&mesh), patterns[k][0] == 'q' ? 0.4 : 0.2, "%s: %g", patterns[k],
                   least_sine(&mesh));
      mesh_free(&mesh);
    }
}

// Quarter of the blank of a cup: 100 mm, radially at most 1.6 mm between 45 and 100 mm.
Test(blank, the_blank_of_the_cup_has_about_1800_elements) {
  DiskBlank spec = {.radius = 0.1,
                    .size = 0.005,
                    .fine = 0.0016,
                    .around = 0.0072,
                    .from = 0.045,
                    .quarter = 1,
                    .pattern = "t3"};
  Mesh mesh;
  cr_assert_eq(blank_disk(&mesh, &spec, NULL), OK);
  cr_assert(mesh.n_elems > 1700 && mesh.n_elems < 1900, "%d", mesh.n_elems);
  double next[400], worst = 0; // radii on the axis, increasing along a ring count
  const MeshGroup *axis = mesh_find_group(&mesh, "axis_x");
  for (int k = 0; k < axis->n; k++) next[k] = mesh.x[3 * axis->items[k]];
  for (int k = 1; k < axis->n; k++) {
    cr_assert_gt(next[k], next[k - 1]);
    if (next[k - 1] > 0.0449) worst = fmax(worst, next[k] - next[k - 1]);
  }
  cr_assert_leq(worst, 0.0016);
  mesh_free(&mesh);
}

Test(blank, rectangles_lie_around_the_origin_and_name_their_parts) {
  for (int k = 0; k < N_PATTERNS; k++)
    for (int quarter = 0; quarter < 2; quarter++) {
      RectangleBlank spec = {
          .width = {0.4, 0.2}, .size = {0.05, 0.05}, .quarter = quarter, .pattern = patterns[k]};
      double low[3], high[3];
      Mesh mesh;
      cr_assert_eq(blank_rectangle(&mesh, &spec, NULL), OK);
      mesh_bounds(&mesh, low, high);
      cr_assert_float_eq(low[0], quarter ? 0 : -0.2, 1e-15);
      cr_assert_float_eq(high[1], 0.1, 1e-15);
      cr_assert_float_eq(mesh_measure(&mesh), quarter ? 0.02 : 0.08, 1e-15);
      cr_assert_eq(mesh.n_elems, (quarter ? 8 : 32) * (patterns[k][0] == 'q' ? 1 : 2));
      cr_assert_eq(count(&mesh, "edge"), quarter ? 7 : 24);
      cr_assert_eq(count(&mesh, "corners"), quarter ? 1 : 4);
      cr_assert_eq(count(&mesh, "right"), quarter ? 3 : 5);
      cr_assert_eq(count(&mesh, "left"), quarter ? 0 : 5);
      cr_assert_eq(count(&mesh, "top"), quarter ? 5 : 9);
      cr_assert_eq(count(&mesh, "bottom"), quarter ? 0 : 9);
      cr_assert_eq(count(&mesh, "symmetry_x"), quarter ? 3 : 0);
      cr_assert_eq(count(&mesh, "axis_x"), quarter ? 5 : 9);
      mesh_free(&mesh);
    }
}

// On each ring between the fading ends the radii of n + 1 nodes are n parts of a width, and the
// last node of a ring lies where the first of the next does: nodes pass a circle one by one.
Test(blank, staggered_rings_pass_a_circle_one_node_after_another) {
  for (int k = 0; k < N_PATTERNS; k++) {
    DiskBlank spec = {.radius = 0.1,
                      .size = 0.01,
                      .fine = 0.005,
                      .from = 0.04,
                      .around = 0.01,
                      .stagger = 1,
                      .quarter = 1,
                      .pattern = patterns[k]};
    Mesh mesh, plain;
    cr_assert_eq(blank_disk(&mesh, &spec, NULL), OK);
    spec.stagger = 0;
    cr_assert_eq(blank_disk(&plain, &spec, NULL), OK);
    cr_assert_eq(mesh.n_nodes, plain.n_nodes);
    cr_assert_float_eq(mesh_measure(&mesh), mesh_measure(&plain), 1e-15); // the rim is the same
    cr_assert_eq(count(&mesh, "edge"), 17);
    cr_assert_eq(count(&mesh, "axis_x"), count(&plain, "axis_x"));
    cr_assert_gt(least_sine(&mesh), 0.8 * least_sine(&plain), "%s: %g, %g", patterns[k],
                 least_sine(&mesh), least_sine(&plain));
    int n = 16, ring = mesh.n_nodes - 6 * (n + 1); // the sixth from the rim: they come last
    for (int j = 0; j <= n; j++) {
      const double *x = mesh.x + 3 * (ring + j);
      cr_assert_float_eq(hypot(x[0], x[1]), 0.075 + 0.005 * ((double)j / n - 0.5), 1e-15);
    }
    mesh_free(&mesh);
    mesh_free(&plain);
  }
}

Test(blank, nonsense_is_refused) {
  Mesh mesh;
  DiskBlank disk = {.radius = 0.1, .size = 0.01, .pattern = "t3"};
  enum { N_WRONG = 9 };
  DiskBlank wrong[N_WRONG] = {disk, disk, disk, disk, disk, disk, disk, disk, disk};
  wrong[0].radius = -1;
  wrong[1].size = 0;
  wrong[2].from = 0.2;
  wrong[3].pattern = "t4";
  wrong[4].size = 1e-9;
  wrong[5].radius = (double)NAN;
  wrong[6].stagger = 4; // there are seven rings
  wrong[7].stagger = -1;
  wrong[8].stagger = (double)NAN;
  for (int k = 0; k < N_WRONG; k++)
    cr_assert_eq(blank_disk(&mesh, &wrong[k], NULL), ERR_INPUT, "%d", k);
  RectangleBlank rectangle = {.width = {0.1, 0}, .size = {0.01, 0.01}, .pattern = "q4"};
  cr_assert_eq(blank_rectangle(&mesh, &rectangle, NULL), ERR_INPUT);
}

Test(blank, a_rectangle_takes_a_size_along_each_side) {
  RectangleBlank strip = {.width = {0.4, 0.1}, .size = {0.01, 0.03}, .quarter = 1, .pattern = "q4"};
  Mesh mesh;
  cr_assert_eq(blank_rectangle(&mesh, &strip, NULL), OK);
  cr_assert_eq(mesh.n_elems, 20 * 2);
  cr_assert_eq(count(&mesh, "right"), 3);
  cr_assert_eq(count(&mesh, "top"), 21);
  mesh_free(&mesh);
}

Test(blank, short_memory_is_an_error_and_leaks_nothing) {
  DiskBlank spec = {.radius = 0.1, .size = 0.03, .pattern = "q4"};
  Mesh mesh;
  for (int k = 1; k < 200; k++) {
    mem_fail_after(k);
    Status status = blank_disk(&mesh, &spec, NULL);
    mem_fail_after(0);
    if (status == OK) {
      mesh_free(&mesh);
      return;
    }
    cr_assert_eq(status, ERR_SYSTEM);
  }
  cr_assert_fail("it never succeeds");
}

Test(blank, surfaces_of_a_file_become_a_sheet) {
  char path[256];
  scratch_path(path, sizeof path, "surface");
  FILE *file = fdopen(mkstemp(path), "w");
  fputs("$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$PhysicalNames\n2\n1 1 \"rim\"\n2 2 \"skin\"\n"
        "$EndPhysicalNames\n$Nodes\n5\n1 0 0 0\n2 1 0 0\n3 1 1 0.5\n4 0 1 0\n5 2 0 0\n$EndNodes\n"
        "$Elements\n3\n1 1 2 1 1 1 2\n2 3 2 2 2 1 2 3 4\n3 2 2 2 2 2 5 3\n$EndElements\n",
        file);
  fclose(file);
  Mesh mesh;
  Err err;
  cr_assert_eq(mesh_read_gmsh(&mesh, path, 3, &err), OK, "%s", err.text);
  remove(path);
  cr_assert_eq(blank_from_facets(&mesh, &err), OK, "%s", err.text);
  cr_assert_eq(mesh.n_elems, 2);
  cr_assert_eq(mesh.elem_shape[0] + mesh.elem_shape[1], SHAPE_T3 + SHAPE_Q4);
  int triangle = mesh.elem_shape[0] == SHAPE_T3 ? 0 : 1;
  // half of |(1, 0, 0) x (0, 1, 0.5)|; half of |(1, 1, 0.5) x (-1, 1, 0)|
  cr_assert_float_eq(mesh_elem_measure(&mesh, triangle), 0.5 * hypot(1, 0.5), 1e-15);
  cr_assert_float_eq(mesh_elem_measure(&mesh, 1 - triangle), 0.5 * sqrt(4.5), 1e-15);
  cr_assert_eq(mesh_check(&mesh, &err), OK, "%s", err.text);
  cr_assert_not_null(mesh_find_group_of(&mesh, "skin", GROUP_ELEMENTS));
  cr_assert_not_null(mesh_find_group_of(&mesh, "rim", GROUP_NODES));
  cr_assert_eq(blank_from_facets(&mesh, &err), ERR_INPUT); // it has elements now
  mesh_free(&mesh);
}

Test(blank, goes_into_a_file_as_facets_and_comes_back) {
  RectangleBlank spec = {.width = {0.4, 0.2}, .size = {0.05, 0.05}, .pattern = "q4"};
  char path[512];
  Mesh mesh, back;
  cr_assert_eq(blank_rectangle(&mesh, &spec, NULL), OK);
  int n = mesh.n_elems;
  cr_assert_eq(blank_to_facets(&mesh, NULL), OK);
  cr_assert(mesh.n_elems == 0 && mesh.n_facets == n);
  scratch_path(path, sizeof path, "blank");
  close(mkstemp(path));
  cr_assert_eq(mesh_write_gmsh(&mesh, path, NULL), OK);
  cr_assert_eq(mesh_read_gmsh(&back, path, 3, NULL), OK);
  cr_assert_eq(blank_from_facets(&back, NULL), OK);
  cr_assert_eq(back.n_elems, n);
  cr_assert_float_eq(mesh_measure(&back), 0.08, 1e-15);
  cr_assert_eq(count(&back, "right"), 5);
  cr_assert_not_null(mesh_find_group_of(&back, "all", GROUP_ELEMENTS));
  remove(path);
  mesh_free(&back);
  mesh_free(&mesh);
}
