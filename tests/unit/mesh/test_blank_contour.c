#include <criterion/criterion.h>

#include <math.h>
#include <string.h>

#include "../../support/no_leak.h"
#include "base/mem.h"
#include "mesh/blank.h"

TestSuite(blank_contour, .fini = no_leak);

static const double PI = 3.14159265358979323846;

static int count(const Mesh *mesh, const char *group) {
  const MeshGroup *found = mesh_find_group_of(mesh, group, GROUP_NODES);
  return found ? found->n : 0;
}

// Smallest angle of all elements [degrees].
static double least_angle(const Mesh *mesh) {
  double least = 180;
  for (int e = 0; e < mesh->n_elems; e++) {
    int first = mesh->elem_ptr[e], n = mesh->elem_ptr[e + 1] - first;
    for (int k = 0; k < n; k++) {
      const double *p = mesh->x + 3 * mesh->elem_node[first + k],
                   *a = mesh->x + 3 * mesh->elem_node[first + (k + 1) % n],
                   *b = mesh->x + 3 * mesh->elem_node[first + (k + n - 1) % n];
      double u[2] = {a[0] - p[0], a[1] - p[1]}, v[2] = {b[0] - p[0], b[1] - p[1]};
      double angle = atan2(u[0] * v[1] - u[1] * v[0], u[0] * v[0] + u[1] * v[1]) * 180 / PI;
      cr_assert_gt(angle, 0, "element %d is turned inside out or concave", e);
      least = fmin(least, angle);
    }
  }
  return least;
}

static void longest_and_shortest(const Mesh *mesh, double *longest, double *shortest) {
  *longest = 0;
  *shortest = (double)INFINITY;
  for (int e = 0; e < mesh->n_elems; e++) {
    int first = mesh->elem_ptr[e], n = mesh->elem_ptr[e + 1] - first;
    for (int k = 0; k < n; k++) {
      const double *a = mesh->x + 3 * mesh->elem_node[first + k],
                   *b = mesh->x + 3 * mesh->elem_node[first + (k + 1) % n];
      *longest = fmax(*longest, hypot(a[0] - b[0], a[1] - b[1]));
      *shortest = fmin(*shortest, hypot(a[0] - b[0], a[1] - b[1]));
    }
  }
}

static const double square[] = {0, 0, 0, 0.1, 0, 0, 0.1, 0.1, 0, 0, 0.1, 0},
                    quarter_disk[] = {0, 0, 0, 0.1, 0, 0, 0.1, 0.1, 0.1, 0, 0.1, 0},
                    disk[] = {-0.1, -0.1, 0.1, 0.1, -0.1, 0.1, 0.1, 0.1, 0.1, -0.1, 0.1, 0.1},
                    rounded[] = {0,    0,   0.02, 0.2,  0, 0.005, 0.2, 0.15,
                                 0.03, 0.1, 0.08, 0.02, 0, 0.15,  0.02};

static Mesh made(const ContourBlank *spec) {
  Mesh mesh;
  Err err = {0};
  cr_assert_eq(blank_contour(&mesh, spec, &err), OK, "%s", err.text);
  return mesh;
}

Test(blank_contour, a_square_is_filled_with_good_elements_of_about_the_size) {
  for (int quads = 0; quads < 2; quads++) {
    ContourBlank spec = {.outline = {12, square}, .size = 0.01, .pattern = quads ? "q4" : "t3"};
    Mesh mesh = made(&spec);
    double longest, shortest;
    longest_and_shortest(&mesh, &longest, &shortest);
    cr_assert_float_eq(mesh_measure(&mesh), 0.01, 1e-12);
    cr_assert_gt(least_angle(&mesh), 30);
    cr_assert(longest < 0.015 && shortest > (quads ? 0.003 : 0.006), "%g %g", longest, shortest);
    cr_assert_eq(count(&mesh, "side_2"), 11);
    cr_assert_eq(count(&mesh, "edge"), 40);
    cr_assert_eq(mesh.elem_shape[0], quads ? SHAPE_Q4 : SHAPE_T3);
    mesh_free(&mesh);
  }
}

Test(blank_contour, nodes_of_fillets_lie_on_their_arcs) {
  for (int quads = 0; quads < 2; quads++) {
    ContourBlank spec = {.outline = {12, disk}, .size = 0.012, .pattern = quads ? "q4" : "t3"};
    Mesh mesh = made(&spec);
    const MeshGroup *edge = mesh_find_group(&mesh, "edge");
    for (int k = 0; k < edge->n; k++) {
      const double *x = mesh.x + 3 * edge->items[k];
      cr_assert_float_eq(hypot(x[0], x[1]), 0.1, 1e-14);
    }
    // the polygon of those nodes: n equal chords on each quarter
    int n = edge->n;
    cr_assert_float_eq(mesh_measure(&mesh), 0.5 * n * 0.01 * sin(2 * PI / n), 1e-12);
    cr_assert_eq(count(&mesh, "arc_3"), n / 4 + 1);
    cr_assert_eq(count(&mesh, "side_1"), 0); // used up by the fillets
    cr_assert_eq(count(&mesh, "centre"), 1);
    mesh_free(&mesh);
  }
}

Test(blank_contour, sides_on_planes_of_symmetry_have_names_and_are_no_edge) {
  ContourBlank spec = {.outline = {12, quarter_disk}, .size = 0.01, .symmetry = 1, .pattern = "t3"};
  for (int turned = 0; turned < 2; turned++) { // clockwise outlines are taken too
    double reverse[12];
    for (int k = 0; k < 12; k++) reverse[k] = quarter_disk[3 * (3 - k / 3) + k % 3];
    if (turned) spec.outline.corner = reverse;
    Mesh mesh = made(&spec);
    const MeshGroup *x0 = mesh_find_group(&mesh, "symmetry_x"),
                    *edge = mesh_find_group(&mesh, "edge");
    cr_assert(x0 && x0->n == 11);
    cr_assert_eq(count(&mesh, "symmetry_y"), 11);
    for (int k = 0; k < x0->n; k++) cr_assert_eq(mesh.x[3 * x0->items[k]], 0);
    for (int k = 0; k < edge->n; k++)
      cr_assert_float_eq(hypot(mesh.x[3 * edge->items[k]], mesh.x[3 * edge->items[k] + 1]), 0.1,
                         1e-14);
    mesh_free(&mesh);
  }
}

Test(blank_contour, zones_are_finer_and_sizes_grow_from_there) {
  const BlankZone zone[2] = {{.size = 0.002, .place = {0.03, 0.03, 0.01}},
                             {.size = 0.004, .box = 1, .place = {0.06, 0.06, 0.2, 0.09}}};
  ContourBlank spec = {.outline = {12, square},
                       .size = 0.01,
                       .grading = 0.3,
                       .n_zones = 2,
                       .zone = zone,
                       .pattern = "t3"};
  Mesh mesh = made(&spec);
  double sum[3] = {0};
  int n[3] = {0};
  cr_assert_gt(least_angle(&mesh), 25);
  for (int e = 0; e < mesh.n_elems; e++) {
    double x[2] = {0}, side = sqrt(mesh_elem_measure(&mesh, e) * 4 / sqrt(3));
    for (int k = 0; k < 3; k++)
      for (int i = 0; i < 2; i++) x[i] += mesh.x[3 * mesh.elem_node[3 * e + k] + i] / 3;
    double d = hypot(x[0] - 0.03, x[1] - 0.03) - 0.01, here = 0.002 + 0.3 * fmax(0, d);
    int in_box = x[0] > 0.06 && x[1] > 0.06 && x[1]<0.09, far = x[0]> 0.07 && x[1] < 0.03;
    cr_assert_lt(side, 1.7 * fmin(0.01, here));
    int which = d < 0 ? 0 : in_box ? 1 : far ? 2 : -1;
    if (which < 0) continue;
    sum[which] += side;
    n[which]++;
  }
  static const double size[3] = {0.002, 0.004, 0.01};
  for (int k = 0; k < 3; k++)
    cr_assert_float_eq(sum[k] / n[k], size[k], 0.15 * size[k], "%d: %g", k, sum[k] / n[k]);
  mesh_free(&mesh);
}

Test(blank_contour, holes_stay_open_and_have_names) {
  const double round[] = {0.03, 0.03, 0.02, 0.03, 0.07, 0.02, 0.07, 0.07, 0.02, 0.07, 0.03, 0.02},
               box[] = {0.12, 0.02, 0, 0.16, 0.02, 0, 0.16, 0.06, 0, 0.12, 0.06, 0};
  const BlankLoop hole[2] = {{12, round}, {12, box}};
  for (int quads = 0; quads < 2; quads++) {
    ContourBlank spec = {.outline = {15, rounded},
                         .n_holes = 2,
                         .hole = hole,
                         .size = 0.008,
                         .pattern = quads ? "q4" : "t3"};
    Mesh mesh = made(&spec);
    cr_assert_gt(least_angle(&mesh), 25);
    const MeshGroup *open = mesh_find_group(&mesh, "hole_1");
    for (int k = 0; k < open->n; k++)
      cr_assert_float_eq(
          hypot(mesh.x[3 * open->items[k]] - 0.05, mesh.x[3 * open->items[k] + 1] - 0.05), 0.02,
          1e-14);
    cr_assert_eq(count(&mesh, "hole_2"), quads ? 24 : 20);
    // Euler: nodes - edges + elements = 1 - holes, where boundary nodes are as many as boundary
    // edges
    int sides = quads ? 4 : 3, boundary = count(&mesh, "edge");
    cr_assert_eq(mesh.n_nodes - (sides * mesh.n_elems + boundary) / 2 + mesh.n_elems, -1);
    mesh_free(&mesh);
  }
}

// Stars of random corners with random fillets.
Test(blank_contour, whatever_the_outline_angles_stay_above_25_degrees) {
  unsigned seed = 11;
  int n_made = 0;
  for (int trial = 0; trial < 40; trial++) {
    double corner[3 * 9], least_corner = 180;
    int n = 3 + trial % 7;
    for (int k = 0; k < 3 * n; k++) {
      seed = seed * 1664525u + 1013904223u;
      corner[k] = (seed >> 8) / 16777216.0;
    }
    for (int k = 0; k < n; k++) {
      double angle = 2 * PI * (k + 0.3 * corner[3 * k]) / n, r = 0.1 + 0.08 * corner[3 * k + 1];
      corner[3 * k] = r * cos(angle);
      corner[3 * k + 1] = r * sin(angle);
      corner[3 * k + 2] = trial % 3 ? 0.002 + 0.028 * corner[3 * k + 2] : 0;
    }
    for (int k = 0; k < n; k++) {
      const double *a = corner + 3 * ((k + n - 1) % n), *b = corner + 3 * k,
                   *c = corner + 3 * ((k + 1) % n);
      double u[2] = {c[0] - b[0], c[1] - b[1]}, v[2] = {a[0] - b[0], a[1] - b[1]};
      least_corner = fmin(
          least_corner,
          acos((u[0] * v[0] + u[1] * v[1]) / (hypot(u[0], u[1]) * hypot(v[0], v[1]))) * 180 / PI);
    }
    const BlankZone zone = {.size = 0.003, .place = {0.02, 0.03, 0.01 + 0.0005 * trial}};
    ContourBlank spec = {.outline = {3 * n, corner},
                         .size = 0.009 + 0.0004 * trial,
                         .n_zones = trial % 2,
                         .zone = &zone,
                         .pattern = trial % 5 ? "t3" : "q4"};
    Mesh mesh;
    Err err = {0};
    Status status = blank_contour(&mesh, &spec, &err);
    if (status != OK) { // a star may come too near itself, or have a side that is too short
      cr_assert_eq(status, ERR_INPUT, "trial %d: %s", trial, err.text);
      continue;
    }
    double least = least_angle(&mesh);
    if (least_corner > 50) cr_assert_gt(least, 25, "trial %d: %g", trial, least);
    n_made++;
    mesh_free(&mesh);
  }
  cr_assert_geq(n_made, 36);
}

static void refused(const double *corner, int n, double size, const char *why) {
  ContourBlank spec = {.outline = {n, corner}, .size = size, .pattern = "t3"};
  Mesh mesh;
  Err err = {0};
  cr_expect_eq(blank_contour(&mesh, &spec, &err), ERR_INPUT, "%s", why);
  cr_expect(strstr(err.text, why), "%s", err.text);
}

Test(blank_contour, bad_outlines_are_refused_by_name) {
  const double bow[] = {0, 0, 0, 0.1, 0, 0, 0, 0.1, 0, 0.1, 0.1, 0},
               too_round[] = {0, 0, 0.06, 0.1, 0, 0.06, 0.1, 0.1, 0, 0, 0.1, 0},
               same[] = {0, 0, 0, 0, 0, 0, 0.1, 0.1, 0},
               back[] = {0, 0, 0, 0.2, 0, 0, 0.1, 0, 0, 0.1, 0.1, 0},
               negative[] = {0, 0, -0.01, 0.1, 0, 0, 0.1, 0.1, 0},
               tiny[] = {0, 0, 1e-6, 0.1, 0, 0, 0.1, 0.1, 0},
               lost[] = {0, 0, 0, 0.1, 0, (double)NAN, 0.1, 0.1, 0},
               endless[] = {0, 0, 0, 1e9, 0, 0, 1e9, 1e9, 0},
               needle[] = {0, 0, 0, 0.1, 0, 0, 0.1, 0.002, 0, 0, 0.0004, 0};
  refused(bow, 12, 0.01, "the side after corner 2 meets the side after corner 4");
  refused(too_round, 12, 0.01, "the fillets at corner 1 and corner 2");
  refused(same, 9, 0.01, "corners 1 and 2");
  refused(back, 12, 0.01, "turns back at corner 2");
  refused(negative, 9, 0.01, "corner 1 has a negative radius");
  refused(tiny, 9, 0.01, "the fillet at corner 1 is");
  refused(lost, 9, 0.01, "corner 2 of the outline is 0.1 0, radius nan");
  refused(endless, 9, 0.01, "more than");
  refused(needle, 12, 0.01, "larger than the blank");
  refused(square, 11, 0.01, "triples");
  refused(square, 6, 0.01, "triples");
  refused(square, 12, 0.2, "larger than the blank of 0.1 x 0.1 m");
  refused(square, 12, -1, "must be positive");
  refused(square, 12, 1e-4, "too small");
  refused(square, 12, 1e-7, "more than");
}

Test(blank_contour, bad_holes_and_zones_are_refused_by_name) {
  const double outside[] = {0.2, 0.2, 0, 0.3, 0.2, 0, 0.3, 0.3, 0},
               across[] = {0.05, 0.05, 0, 0.15, 0.05, 0, 0.05, 0.08, 0};
  const BlankLoop hole[2] = {{9, outside}, {9, across}};
  const BlankZone zone[2] = {{.size = 0, .place = {0, 0, 1}},
                             {.size = 0.01, .box = 1, .place = {0, 0, -1, 1}}};
  const struct {
    int hole, zone;
    const char *why;
  } bad[] = {{0, -1, "hole 1 lies outside"},
             {1, -1, "meets the side after corner 1 of hole 1"},
             {-1, 0, "size of zone 1"},
             {-1, 1, "zone 1 has no extent"}};
  for (int k = 0; k < 4; k++) {
    ContourBlank spec = {.outline = {12, square}, .size = 0.01, .pattern = "t3"};
    if (bad[k].hole >= 0) spec.n_holes = 1, spec.hole = &hole[bad[k].hole];
    if (bad[k].zone >= 0) spec.n_zones = 1, spec.zone = &zone[bad[k].zone];
    Mesh mesh;
    Err err = {0};
    cr_expect_eq(blank_contour(&mesh, &spec, &err), ERR_INPUT);
    cr_expect(strstr(err.text, bad[k].why), "%s", err.text);
  }
  ContourBlank spec = {.outline = {12, square}, .size = 0.01, .pattern = "q9"};
  Mesh mesh;
  cr_expect_eq(blank_contour(&mesh, &spec, NULL), ERR_INPUT);
}

// A corner of 30 degrees has that angle at best, but the mesh is sound.
Test(blank_contour, sharp_corners_and_narrow_necks_are_meshed_finer) {
  const double sharp[] = {0, 0, 0, 0.2, 0, 0, 0.2 * 0.8660254037844386, 0.1, 0},
               neck[] = {0,   0,     0, 0.1, 0,     0, 0.1, 0.048, 0, 0.2, 0.048, 0,
                         0.2, 0,     0, 0.3, 0,     0, 0.3, 0.1,   0, 0.2, 0.1,   0,
                         0.2, 0.052, 0, 0.1, 0.052, 0, 0.1, 0.1,   0, 0,   0.1,   0};
  ContourBlank spec = {.outline = {9, sharp}, .size = 0.01, .pattern = "t3"};
  Mesh mesh = made(&spec);
  cr_assert_gt(least_angle(&mesh), 20);
  mesh_free(&mesh);
  spec.outline = (BlankLoop){36, neck};
  mesh = made(&spec);
  cr_assert_gt(least_angle(&mesh), 20);
  mesh_free(&mesh);
}

Test(blank_contour, running_out_of_memory_is_an_error_without_a_leak) {
  ContourBlank spec = {.outline = {12, quarter_disk}, .size = 0.03, .symmetry = 1, .pattern = "q4"};
  int failed = 0;
  for (int k = 1; k < 1500; k += 1 + k / 20) {
    Mesh mesh;
    mem_fail_after(k);
    Status status = blank_contour(&mesh, &spec, NULL);
    mem_fail_after(0);
    cr_assert(status == OK || status == ERR_SYSTEM);
    failed += status != OK;
    if (status == OK) mesh_free(&mesh);
    cr_assert_eq(mem_live_blocks(), 0, "%d", k);
  }
  cr_assert_gt(failed, 50);
}
