#include <criterion/criterion.h>

#include <math.h>
#include <string.h>

#include "contact/pieces.h"

enum { MOST = 200, MOST_NODES = 200, MOST_PLACES = 512 }; // of faces and points, of nodes

// A grid of nx x ny cells over a parallelogram: from `at` along u and v; quadrilaterals, or each
// cut into two triangles. Nodes are numbered from `first`.
typedef struct {
  int n;
  FlatFace face[MOST];
  double x[MOST_NODES][2];
  Polygon outline;
} Grid;

static Grid grid_of(int nx, int ny, const double at[2], const double u[2], const double v[2],
                    int triangles) {
  Grid grid = {.outline.n = 4};
  for (int k = 0; k < (nx + 1) * (ny + 1); k++)
    for (int i = 0; i < 2; i++)
      grid.x[k][i] = at[i] + u[i] * (k % (nx + 1)) / nx + v[i] * (k / (nx + 1)) / ny;
  for (int c = 0; c < nx * ny; c++) {
    int a = c / nx * (nx + 1) + c % nx;
    const int32_t node[4] = {a, a + 1, a + nx + 2, a + nx + 1};
    for (int t = 0; t <= triangles; t++) {
      FlatFace *face = &grid.face[grid.n++];
      face->n = triangles ? 3 : 4;
      for (int k = 0; k < face->n; k++) {
        face->node[k] = node[triangles && t && k > 0 ? k + 1 : k];
        for (int i = 0; i < 2; i++) face->p[k][i] = grid.x[face->node[k]][i];
      }
    }
  }
  const int corner[4] = {0, nx, (nx + 1) * (ny + 1) - 1, (nx + 1) * ny};
  for (int k = 0; k < 4; k++)
    for (int i = 0; i < 2; i++) grid.outline.p[k][i] = grid.x[corner[k]][i];
  return grid;
}

static PiecePoints begin(PiecePoint *point) {
  static int32_t place[2 * MOST_PLACES];
  static int turn;
  PiecePoints points = {.most = MOST,
                        .n_places = pieces_places(MOST),
                        .point = point,
                        .place = place + MOST_PLACES * turn};
  turn = 1 - turn;
  cr_assert_leq(points.n_places, MOST_PLACES);
  pieces_begin(&points);
  return points;
}

// Points of the overlap of two grids: their areas add up to `area`; either side holds each at its
// place by weights that add up to one. Returns how many there are.
static int expect_points(const Grid *fine, const Grid *other, double area, const char *what) {
  static PiecePoint point[MOST];
  PiecePoints points = begin(point);
  FlatFace ordered[MOST];
  double sum = 0;
  memcpy(ordered, other->face, sizeof ordered);
  const FlatFaces others = pieces_order(ordered, other->n);
  for (int f = 0; f < fine->n; f++)
    cr_assert(pieces_add(&points, &fine->face[f], &other->outline, &others, 1e-4));
  pieces_finish(&points);
  for (int k = 0; k < points.n; k++) {
    sum += point[k].area;
    for (int side = 0; side < 2; side++) {
      const Grid *own = side == 0 ? fine : other;
      if (point[k].full[side]) pieces_interpolate(&point[k], side, own->n, own->face);
      double weights = 0, place[2] = {0};
      for (int m = 0; m < point[k].n[side]; m++) {
        weights += point[k].weight[side][m];
        for (int i = 0; i < 2; i++)
          place[i] += point[k].weight[side][m] * own->x[point[k].node[side][m]][i];
      }
      cr_expect_float_eq(weights, 1, 1e-12, "%s, point %d, side %d: %g", what, k, side, weights);
      for (int i = 0; i < 2; i++)
        cr_expect_float_eq(place[i], point[k].p[i], 1e-11, "%s, point %d, side %d: off by %g", what,
                           k, side, place[i] - point[k].p[i]);
    }
  }
  cr_expect_float_eq(sum, area, 1e-12, "%s: %.15g", what, sum);
  return points.n;
}

static const double O[2] = {0, 0}, X[2] = {3, 0}, Y[2] = {0, 2};

Test(pieces, of_equal_faces_are_the_fine_ones_and_points_its_nodes) {
  for (int triangles = 0; triangles < 2; triangles++) {
    const Grid fine = grid_of(5, 4, O, X, Y, triangles), other = grid_of(3, 2, O, X, Y, 0);
    static PiecePoint point[MOST];
    PiecePoints points = begin(point);
    FlatFace ordered[MOST];
    memcpy(ordered, other.face, sizeof ordered);
    const FlatFaces others = pieces_order(ordered, other.n);
    cr_expect_eq(expect_points(&fine, &other, 6, "equal"), 30);
    for (int f = 0; f < fine.n; f++)
      cr_assert(pieces_add(&points, &fine.face[f], &other.outline, &others, 1e-4));
    pieces_finish(&points);
    for (int k = 0; k < points.n; k++) {
      cr_expect_eq(point[k].corner.label, FINE_NODE);
      cr_expect_eq(point[k].n[0], 1, "its own side is the node alone");
      cr_expect_eq(point[k].node[0][0], point[k].corner.node[0]);
    }
  }
}

// Shifted, they share 2 x 1.25: nodes within, four corners of which one is that of the other and
// one a node, and crossings of edges with two sides.
Test(pieces, of_faces_that_overlap_in_part_end_where_that_ends) {
  const double at[2] = {1, 0.75};
  for (int triangles = 0; triangles < 2; triangles++) {
    const Grid fine = grid_of(5, 4, O, X, Y, triangles), other = grid_of(3, 2, at, X, Y, triangles);
    // nodes at 1.2 .. 3 by 1 .. 2, crossings on x = 1 and y = 0.75, and the corner there; triangles
    // have a diagonal more in each cell
    int n = expect_points(&fine, &other, 2.5, "shifted");
    if (!triangles) cr_expect_eq(n, 4 * 3 + 3 + 4 + 1, "%d", n);
  }
}

// Turned by 17 degrees over a larger face: all of it.
Test(pieces, of_a_turned_face_hold_all_of_it) {
  const double c = cos(0.2967), s = sin(0.2967), at[2] = {1, 0.5}, u[2] = {c, s}, v[2] = {-s, c};
  const Grid fine = grid_of(4, 4, at, u, v, 1), other = grid_of(3, 2, O, X, Y, 1);
  cr_expect_eq(expect_points(&fine, &other, 1, "turned"), 25);
}

// Over an edge: a triangle is left, half of a square that is turned by 45 degrees.
Test(pieces, of_a_face_over_an_edge_are_its_half) {
  const double r = sqrt(0.5), at[2] = {3, 1 - r}, u[2] = {r, r}, v[2] = {-r, r};
  for (int cells = 1; cells <= 2; cells++) {
    const Grid fine = grid_of(cells, cells, at, u, v, 0), other = grid_of(3, 2, O, X, Y, 0);
    cr_expect_eq(expect_points(&fine, &other, 0.5, "edge"), cells == 1 ? 3 : 6);
  }
}

// A fine face with long cells across those of the other: means over more nodes than there is room
// for become shape functions at the place of the point.
Test(pieces, of_cells_that_cross_many_others_keep_their_places) {
  const Grid fine = grid_of(1, 40, O, X, Y, 0), other = grid_of(60, 1, O, X, Y, 0);
  static PiecePoint point[MOST];
  PiecePoints points = begin(point);
  cr_expect_eq(expect_points(&fine, &other, 6, "across"), 82);
  const FlatFaces others = {.n = other.n, .face = other.face, .widest = 0.05}; // as they were made
  cr_assert(pieces_add(&points, &fine.face[0], &other.outline, &others, 1e-4));
  cr_expect(point[0].full[1]);
}

Test(pieces, shape_functions_find_their_place_in_a_skew_face) {
  const FlatFace face = {4, {0, 1, 2, 3}, {{0, 0}, {2, 0.3}, {2.5, 1.8}, {-0.2, 1}}, 0};
  const double s = 0.3, t = -0.6,
               expected[4] = {0.25 * (1 - s) * (1 - t), 0.25 * (1 + s) * (1 - t),
                              0.25 * (1 + s) * (1 + t), 0.25 * (1 - s) * (1 + t)};
  double p[2] = {0, 0}, n[4];
  for (int k = 0; k < 4; k++)
    for (int i = 0; i < 2; i++) p[i] += expected[k] * face.p[k][i];
  cr_assert(pieces_shape(&face, p, n));
  for (int k = 0; k < 4; k++) cr_expect_float_eq(n[k], expected[k], 1e-13);
}
