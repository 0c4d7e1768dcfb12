#include "mesh/mesh.h"
#include "shape_sample.h"

// A sphere of radius 1 as a cube's surface blown up: n x n quadrilaterals a side, or twice as many
// triangles.
static void ball(Mesh *mesh, int n, int triangles) {
  int per_side = (n + 1) * (n + 1), facets = 6 * n * n * (triangles ? 2 : 1),
      width = triangles ? 3 : 4;
  cr_assert_eq(mesh_init(mesh, 3, 6 * per_side, 0, 0, NULL), OK);
  cr_assert_eq(mesh_init_facets(mesh, facets, facets * width, NULL), OK);
  int at = 0, f = 0;
  for (int side = 0; side < 6; side++)
    for (int k = 0; k < per_side; k++) {
      int axis = side / 2;
      double sign = side % 2 ? 1 : -1, p[3], length = 0;
      p[axis] = sign;
      p[(axis + 1) % 3] = sign * tan(0.78539816339744828 * (2.0 * (k % (n + 1)) / n - 1));
      p[(axis + 2) % 3] = tan(0.78539816339744828 * (2.0 * (k / (n + 1)) / n - 1));
      for (int i = 0; i < 3; i++) length += p[i] * p[i];
      for (int i = 0; i < 3; i++) mesh->x[3 * (side * per_side + k) + i] = p[i] / sqrt(length);
    }
  // Nodes on the seams stand twice: facets take the first.
  int *same = malloc(sizeof *same * (size_t)mesh->n_nodes);
  for (int k = 0; k < mesh->n_nodes; k++) {
    same[k] = k;
    for (int j = k - 1; j >= 0; j--) {
      double far = 0;
      for (int i = 0; i < 3; i++) far = fmax(far, fabs(mesh->x[3 * k + i] - mesh->x[3 * j + i]));
      if (far < 1e-12) same[k] = j;
    }
  }
  for (int side = 0; side < 6; side++)
    for (int k = 0; k < n * n; k++) {
      int a = side * per_side + k / n * (n + 1) + k % n;
      const int corner[4] = {a, a + 1, a + n + 2, a + n + 1};
      const int two[2][3] = {{0, 1, 2}, {0, 2, 3}};
      for (int half = 0; half < (triangles ? 2 : 1); half++) {
        for (int c = 0; c < width; c++)
          mesh->facet_node[at++] = same[corner[triangles ? two[half][c] : c]];
        mesh->facet_shape[f] = triangles ? SHAPE_T3 : SHAPE_Q4;
        mesh->facet_ptr[++f] = at;
      }
    }
  free(same);
}

static Shape on_mesh(const Mesh *mesh, double smooth, int inside) {
  Shape shape;
  ShapeSpec spec = {.dim = mesh->dim, .par = {smooth, inside}, .mesh = mesh};
  Err err = {0};
  cr_assert_eq(shape_init(&shape, shape_find("mesh"), &spec, &err), OK, "%s", err.text);
  return shape;
}

Test(shape_mesh, of_a_ball_is_nearly_a_sphere_with_nearly_its_normal) {
  for (int triangles = 0; triangles < 2; triangles++) {
    Mesh mesh = {0};
    ball(&mesh, 16, triangles);
    Shape shape = on_mesh(&mesh, 1, 0), hollow = on_mesh(&mesh, 1, 1);
    unsigned seed = 4;
    for (int k = 0; k < 500; k++) {
      double p[3], r = 0;
      for (int i = 0; i < 3; i++) p[i] = 1.5 * test_random(&seed);
      for (int i = 0; i < 3; i++) r += p[i] * p[i];
      r = sqrt(r);
      if (r < 0.3) continue;
      ShapeHit hit = shape_hit(&shape, p[0], p[1], p[2]),
               other = shape_hit(&hollow, p[0], p[1], p[2]);
      // A facet 0.1 wide hangs 0.1^2 / 8 (along both its sides) below the sphere.
      cr_assert_float_eq(hit.gap, r - 1, 3e-3, "r %g: %g", r, hit.gap);
      cr_assert_float_eq(other.gap, -hit.gap, 1e-15);
      // Far off, the nearest points gather: from outside at nodes, from the middle where facets
      // touch the inner ball. That is half a facet at most.
      double off = 0.06 * fmin(1, 5 * fabs(r - 1)) + 0.02;
      for (int i = 0; i < 3; i++)
        cr_assert_float_eq(hit.n[i], p[i] / r, off, "r %g: %g for %g", r, hit.n[i], p[i] / r);
    }
    expect_picture(&shape, 2, 1e-14);
    shape_free(&shape);
    shape_free(&hollow);
    mesh_free(&mesh);
  }
}

Test(shape_mesh, finds_the_facet_that_brute_force_finds) {
  Mesh mesh = {0};
  ball(&mesh, 9, 1);
  Shape shape = on_mesh(&mesh, 1, 0);
  unsigned seed = 8;
  for (int k = 0; k < 300; k++) {
    double p[3], least = (double)INFINITY;
    for (int i = 0; i < 3; i++) p[i] = (k % 3 == 0 ? 8 : 1.4) * test_random(&seed);
    for (int f = 0; f < mesh.n_facets; f++)
      for (int a = 0; a <= 20; a++)
        for (int b = 0; a + b <= 20; b++) {
          const int32_t *node = mesh.facet_node + 3 * f;
          double d = 0;
          for (int i = 0; i < 3; i++) {
            double x = 0.05 * (a * mesh.x[3 * node[0] + i] + b * mesh.x[3 * node[1] + i] +
                               (20 - a - b) * mesh.x[3 * node[2] + i]);
            d += (x - p[i]) * (x - p[i]);
          }
          least = fmin(least, sqrt(d));
        }
    double found = fabs(shape_hit(&shape, p[0], p[1], p[2]).gap);
    cr_assert_leq(found, least + 1e-14);
    cr_assert_geq(found, least - fmin(0.01, 1e-4 / (2 * found)), "%g, brute force %g", found,
                  least);
    ShapeHit hit;
    cr_assert(!shape.type->nearest(&shape, p, 0.999 * found, &hit));
    cr_assert(shape.type->nearest(&shape, p, 1.001 * found, &hit));
  }
  shape_free(&shape);
  mesh_free(&mesh);
}

Test(shape_mesh, turns_its_normal_continuously_from_facet_to_facet) {
  Mesh mesh = {0};
  ball(&mesh, 8, 0);
  Shape shape = on_mesh(&mesh, 1, 0);
  double before[3] = {0};
  for (int k = 0; k < 6000; k++) {
    double a = 6.28318530717958648 * k / 6000,
           p[3] = {1.001 * cos(a), 1.001 * sin(a) * 0.8, 1.001 * sin(a) * 0.6};
    ShapeHit hit = shape_hit(&shape, p[0], p[1], p[2]);
    double turn = 0;
    for (int i = 0; i < 3; i++) turn = fmax(turn, fabs(hit.n[i] - before[i]));
    if (k > 0) cr_assert_leq(turn, 0.004, "at %g: %g", a, turn); // a step is 0.001
    memcpy(before, hit.n, sizeof before);
  }
  shape_free(&shape);
  mesh_free(&mesh);
}

Test(shape_mesh, keeps_edges_sharper_than_its_angle) {
  Mesh mesh = {0};
  ball(&mesh, 1, 0); // a cube with corners on the unit sphere
  Shape sharp = on_mesh(&mesh, 1, 0);
  double half = sqrt(1.0 / 3);
  expect_hit(&sharp, half + 0.1, 0.99 * half, 0, 0.1, 1, 0, 0);
  expect_hit(&sharp, 0, 0, half - 0.1, -0.1, 0, 0, 1);
  shape_free(&sharp);
  mesh_free(&mesh);
}

// A wedge-like tetrahedron, its faces turned outwards: what is before any of their planes is
// outside, however sharp the edge is that is nearest.
Test(shape_mesh, knows_its_outside_beyond_sharp_edges) {
  static const double x[4][3] = {{0, 0, 0}, {1, 0, 0}, {0.4, 0.15, 0}, {0.5, 0.05, 0.8}};
  static const int face[4][3] = {{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {2, 0, 3}};
  Mesh mesh = {0};
  cr_assert_eq(mesh_init(&mesh, 3, 4, 0, 0, NULL), OK);
  cr_assert_eq(mesh_init_facets(&mesh, 4, 12, NULL), OK);
  memcpy(mesh.x, x, sizeof x);
  for (int f = 0; f < 4; f++) {
    for (int k = 0; k < 3; k++) mesh.facet_node[3 * f + k] = face[f][k];
    mesh.facet_shape[f] = SHAPE_T3;
    mesh.facet_ptr[f + 1] = 3 * f + 3;
  }
  Shape shape = on_mesh(&mesh, 0.1, 0);
  unsigned seed = 7;
  int n_in = 0;
  for (int k = 0; k < 4000; k++) {
    double p[3], most = -1;
    for (int i = 0; i < 3; i++) p[i] = 0.4 + 0.7 * test_random(&seed);
    for (int f = 0; f < 4; f++) {
      const double *a = x[face[f][0]], *b = x[face[f][1]], *c = x[face[f][2]];
      double n[3], ahead = 0;
      for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, l = (i + 2) % 3;
        n[i] = (b[j] - a[j]) * (c[l] - a[l]) - (b[l] - a[l]) * (c[j] - a[j]);
      }
      for (int i = 0; i < 3; i++) ahead += n[i] * (p[i] - a[i]);
      most = fmax(most, ahead / sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]));
    }
    n_in += most < 0;
    if (fabs(most) < 1e-9) continue;
    double gap = shape_hit(&shape, p[0], p[1], p[2]).gap;
    cr_expect_eq(gap < 0, most < 0, "(%g, %g, %g): gap %g", p[0], p[1], p[2], gap);
  }
  cr_assert_gt(n_in, 20);
  shape_free(&shape);
  mesh_free(&mesh);
}

Test(shape_mesh, in_the_plane_is_a_chain_of_segments) {
  Mesh mesh = {0};
  cr_assert_eq(mesh_init(&mesh, 2, 40, 0, 0, NULL), OK);
  cr_assert_eq(mesh_init_facets(&mesh, 40, 80, NULL), OK);
  for (int k = 0; k < 40; k++) {
    double a = 6.28318530717958648 * k / 40;
    mesh.x[2 * k] = cos(a);
    mesh.x[2 * k + 1] = sin(a);
    mesh.facet_node[2 * k] = k;
    mesh.facet_node[2 * k + 1] = (k + 1) % 40;
    mesh.facet_shape[k] = SHAPE_LINE2;
    mesh.facet_ptr[k + 1] = 2 * k + 2;
  }
  Shape shape = on_mesh(&mesh, 1, 0);
  cr_assert_float_eq(shape_hit(&shape, 0.9, 1.2, 0).gap, 0.5, 4e-3);
  cr_assert_float_eq(shape_hit(&shape, 0.48, 0.36, 0).gap, -0.4, 4e-3);
  expect_hit(&shape, 2, 0, 0, 1, 1, 0, 0);
  expect_picture(&shape, 2, 1e-14);
  shape_free(&shape);
  mesh_free(&mesh);
}

Test(shape_mesh, without_facets_is_refused) {
  Mesh mesh = {0};
  Shape shape;
  cr_assert_eq(mesh_init(&mesh, 3, 4, 0, 0, NULL), OK);
  ShapeSpec spec = {.dim = 3, .par = {1, 0}, .mesh = &mesh};
  cr_assert_eq(shape_init(&shape, shape_find("mesh"), &spec, NULL), ERR_INPUT);
  spec.mesh = NULL;
  cr_assert_eq(shape_init(&shape, shape_find("mesh"), &spec, NULL), ERR_INPUT);
  mesh_free(&mesh);
}
