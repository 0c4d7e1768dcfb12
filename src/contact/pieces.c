#include "contact/pieces.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// A piece has the corners of a face, and one more for each side of the outline that cuts it.
enum { MOST_PIECE = 4 + MOST_CORNERS };
// Rounds of Newton's method in a quadrilateral: a parallelogram needs one.
enum { MOST_ROUNDS = 20 };

// Corners of a piece while it is cut, each with the edge that leaves it: of the fine face (its
// ends) or, side >= 0, of the outline.
typedef struct {
  PieceCorner corner;
  double p[2];
  int32_t edge[2];
  int side;
} CutCorner;

typedef struct {
  int n;
  CutCorner at[MOST_PIECE];
} Cut;

// ---- shape functions ----------------------------------------------------------------------------

static double cross(const double a[2], const double b[2], const double c[2]) {
  return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
}

static void shape_of_square(double s, double t, double n[4]) {
  n[0] = 0.25 * (1 - s) * (1 - t);
  n[1] = 0.25 * (1 + s) * (1 - t);
  n[2] = 0.25 * (1 + s) * (1 + t);
  n[3] = 0.25 * (1 - s) * (1 + t);
}

int pieces_shape(const FlatFace *face, const double p[2], double n[4]) {
  const double enough = 1e-9; // of the square: what a step of this size leaves is round-off
  n[3] = 0;
  if (face->n == 3) {
    double whole = cross(face->p[0], face->p[1], face->p[2]);
    for (int k = 0; k < 3; k++) n[k] = cross(p, face->p[(k + 1) % 3], face->p[(k + 2) % 3]) / whole;
    return 1;
  }
  double s = 0, t = 0;
  for (int round = 0; round < MOST_ROUNDS; round++) {
    double rest[2] = {-p[0], -p[1]}, ds[2], dt[2];
    shape_of_square(s, t, n);
    for (int i = 0; i < 2; i++) {
      for (int k = 0; k < 4; k++) rest[i] += n[k] * face->p[k][i];
      ds[i] = 0.25 * ((1 - t) * (face->p[1][i] - face->p[0][i]) +
                      (1 + t) * (face->p[2][i] - face->p[3][i]));
      dt[i] = 0.25 * ((1 - s) * (face->p[3][i] - face->p[0][i]) +
                      (1 + s) * (face->p[2][i] - face->p[1][i]));
    }
    double det = ds[0] * dt[1] - ds[1] * dt[0];
    double by_s = (rest[0] * dt[1] - rest[1] * dt[0]) / det,
           by_t = (ds[0] * rest[1] - ds[1] * rest[0]) / det;
    s -= by_s;
    t -= by_t;
    if (!(fabs(by_s) + fabs(by_t) > enough)) {
      shape_of_square(s, t, n);
      return 1;
    }
  }
  return 0;
}

// ---- integrals ----------------------------------------------------------------------------------

// Seven points of a triangle, exact to the fifth order (Radon 1948): shares of its corners, weight.
static void triangle_point(int g, double share[3], double *weight) {
  const double r = sqrt(15), a = (6 - r) / 21, b = (6 + r) / 21;
  const double place = g < 4 ? a : b, w = g < 4 ? (155 - r) / 1200 : (155 + r) / 1200;
  for (int k = 0; k < 3; k++) share[k] = g == 0 ? 1.0 / 3 : place;
  *weight = g == 0 ? 9.0 / 40 : w;
  if (g > 0) share[(g - 1) % 3] = 1 - 2 * place;
}

// Is told of each point of a convex polygon with its share of the area.
typedef void (*SeePoint)(void *of, const double p[2], double area);

static void integrate(int n, const double (*p)[2], SeePoint see, void *of) {
  for (int k = 1; k + 1 < n; k++) {
    double area = 0.5 * cross(p[0], p[k], p[k + 1]);
    for (int g = 0; g < 7; g++) {
      double share[3], weight, at[2];
      triangle_point(g, share, &weight);
      for (int i = 0; i < 2; i++)
        at[i] = share[0] * p[0][i] + share[1] * p[k][i] + share[2] * p[k + 1][i];
      see(of, at, weight * area);
    }
  }
}

// ---- a piece and its dual functions -------------------------------------------------------------

typedef struct {
  FlatFace shape; // its hats are the shape functions of this
  PieceCorner corner[4];
  int is_face;     // 1: all of a fine face, corner by corner
  int is_one;      // 1: its corners are one point: its functions are the hats, which sum to one
  double dual[16]; // a_ij
} Piece;

typedef struct {
  const Piece *piece;
  double mass[16], size[4];
} PieceSums;

static void add_mass(void *of, const double p[2], double area) {
  PieceSums *sums = of;
  double hat[4];
  if (!pieces_shape(&sums->piece->shape, p, hat)) return;
  for (int i = 0; i < 4; i++) {
    sums->size[i] += area * hat[i];
    for (int j = 0; j < 4; j++) sums->mass[4 * i + j] += area * hat[i] * hat[j];
  }
}

// D M^-1 by elimination: M is positive.
static void find_dual(Piece *piece, double size[4]) {
  const int n = piece->shape.n;
  PieceSums sums = {.piece = piece};
  double inverse[16] = {0};
  integrate(n, (const double(*)[2])piece->shape.p, add_mass, &sums);
  for (int i = 0; i < n; i++) inverse[5 * i] = 1;
  for (int k = 0; k < n; k++) {
    double pivot = sums.mass[5 * k];
    for (int j = 0; j < n; j++) {
      sums.mass[4 * k + j] /= pivot;
      inverse[4 * k + j] /= pivot;
    }
    for (int i = 0; i < n; i++) {
      double by = sums.mass[4 * i + k];
      for (int j = 0; j < n && i != k; j++) {
        sums.mass[4 * i + j] -= by * sums.mass[4 * k + j];
        inverse[4 * i + j] -= by * inverse[4 * k + j];
      }
    }
  }
  for (int i = 0; i < n; i++) {
    size[i] = sums.size[i];
    for (int j = 0; j < n; j++)
      piece->dual[4 * i + j] = piece->is_one ? i == j : size[i] * inverse[4 * i + j];
  }
}

static int same_corner(const PieceCorner *a, const PieceCorner *b) {
  return a->label == b->label && a->node[0] == b->node[0] && a->node[1] == b->node[1] &&
         a->side == b->side;
}

int pieces_places(int most) {
  int n = 4;
  while (n < 2 * most) n *= 2;
  return n;
}

void pieces_begin(PiecePoints *points) {
  points->n = 0;
  memset(points->place, 0, (size_t)points->n_places * sizeof *points->place);
}

static PiecePoint *point_at(PiecePoints *points, const PieceCorner *corner, const double p[2]) {
  uint32_t hash = (uint32_t)corner->node[0] * 73856093u ^ (uint32_t)corner->node[1] * 19349663u ^
                  (uint32_t)(4 * corner->side + (int)corner->label) * 83492791u;
  const uint32_t mask = (uint32_t)points->n_places - 1;
  for (hash &= mask; points->place[hash] > 0; hash = (hash + 1) & mask) {
    PiecePoint *found = &points->point[points->place[hash] - 1];
    if (same_corner(&found->corner, corner)) return found;
  }
  if (points->n == points->most) return NULL;
  PiecePoint *point = &points->point[points->n++];
  points->place[hash] = points->n;
  *point = (PiecePoint){.corner = *corner, .p = {p[0], p[1]}};
  return point;
}

static void add_weight(PiecePoint *point, int side, int32_t node, double weight) {
  int k = 0;
  while (k < point->n[side] && point->node[side][k] != node) k++;
  if (k == MAX_SITE_NODES) {
    point->full[side] = 1;
    return;
  }
  if (k == point->n[side]) {
    point->node[side][k] = node;
    point->weight[side][k] = 0;
    point->n[side]++;
  }
  point->weight[side][k] += weight;
}

// int psi_i N_k over what a piece and a face have in common.
typedef struct {
  const Piece *piece;
  const FlatFace *face;
  double sum[16];
} DualSums;

static void add_dual(void *of, const double p[2], double area) {
  DualSums *sums = of;
  double hat[4], shape[4];
  const int n = sums->piece->shape.n;
  if (!pieces_shape(&sums->piece->shape, p, hat) || !pieces_shape(sums->face, p, shape)) return;
  for (int i = 0; i < n; i++) {
    double psi = 0;
    for (int j = 0; j < n; j++) psi += sums->piece->dual[4 * i + j] * hat[j];
    for (int k = 0; k < sums->face->n; k++) sums->sum[4 * i + k] += area * psi * shape[k];
  }
}

// The convex polygon a, cut by a face.
static int cut_by_face(const FlatFace *a, const FlatFace *by, double out[8][2]) {
  double in[8][2];
  int n = a->n;
  memcpy(out, a->p, (size_t)n * sizeof *out);
  for (int side = 0; side < by->n && n > 0; side++) {
    const double *from = by->p[side], *to = by->p[(side + 1) % by->n];
    int m = 0;
    memcpy(in, out, (size_t)n * sizeof *in);
    for (int k = 0; k < n; k++) {
      const double *p = in[k], *q = in[(k + 1) % n];
      double dp = cross(from, to, p), dq = cross(from, to, q);
      if (dp >= 0) memcpy(out[m++], p, sizeof *out);
      if ((dp > 0 && dq < 0) || (dp < 0 && dq > 0)) {
        for (int i = 0; i < 2; i++) out[m][i] = p[i] + dp / (dp - dq) * (q[i] - p[i]);
        m++;
      }
    }
    n = m;
  }
  return n;
}

static void extent(const FlatFace *face, int axis, double *low, double *high) {
  *low = *high = face->p[0][axis];
  for (int k = 1; k < face->n; k++) {
    *low = fmin(*low, face->p[k][axis]);
    *high = fmax(*high, face->p[k][axis]);
  }
}

static int boxes_meet(const FlatFace *a, const FlatFace *b) {
  for (int i = 0; i < 2; i++) {
    double low[2], high[2];
    extent(a, i, &low[0], &high[0]);
    extent(b, i, &low[1], &high[1]);
    if (low[0] > high[1] || low[1] > high[0]) return 0;
  }
  return 1;
}

static int compare_faces(const void *a, const void *b) {
  const FlatFace *x = a, *y = b;
  double low[2], high;
  extent(x, 0, &low[0], &high);
  extent(y, 0, &low[1], &high);
  if (low[0] != low[1]) return low[0] < low[1] ? -1 : 1;
  return (x->node[0] > y->node[0]) - (x->node[0] < y->node[0]);
}

FlatFaces pieces_order(FlatFace *face, int n) {
  FlatFaces faces = {.n = n, .face = face};
  if (n > 0) qsort(face, (size_t)n, sizeof *face, compare_faces);
  for (int k = 0; k < n; k++) {
    double low, high;
    extent(&face[k], 0, &low, &high);
    faces.widest = fmax(faces.widest, high - low);
  }
  return faces;
}

// The first face that begins at `from` or later.
static int first_from(const FlatFaces *faces, double from) {
  int low = 0, high = faces->n;
  while (low < high) {
    int middle = (low + high) / 2;
    double begin, end;
    extent(&faces->face[middle], 0, &begin, &end);
    if (begin < from)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

static void hold_face(const Piece *piece, const FlatFace *face, int side, PiecePoint *const at[4]) {
  double common[8][2];
  DualSums sums = {.piece = piece, .face = face};
  if (!boxes_meet(&piece->shape, face)) return;
  int n = cut_by_face(&piece->shape, face, common);
  if (n < 3) return;
  integrate(n, (const double(*)[2])common, add_dual, &sums);
  for (int i = 0; i < piece->shape.n; i++)
    for (int k = 0; k < face->n; k++) add_weight(at[i], side, face->node[k], sums.sum[4 * i + k]);
}

static void hold_faces(const Piece *piece, const FlatFaces *faces, int side,
                       PiecePoint *const at[4]) {
  double low, high, begin, end;
  extent(&piece->shape, 0, &low, &high);
  for (int f = first_from(faces, low - faces->widest); f < faces->n; f++) {
    extent(&faces->face[f], 0, &begin, &end);
    if (begin > high) break;
    hold_face(piece, &faces->face[f], side, at);
  }
}

static int add_piece(PiecePoints *points, Piece *piece, const FlatFace *fine,
                     const FlatFaces *other) {
  double size[4];
  PiecePoint *at[4] = {NULL};
  find_dual(piece, size);
  for (int i = 0; i < piece->shape.n; i++) {
    at[i] = point_at(points, &piece->corner[i], piece->shape.p[i]);
    if (!at[i]) return 0;
    at[i]->area += size[i];
  }
  if (piece->is_face) // its hats are the shape functions of the face
    for (int i = 0; i < piece->shape.n; i++) add_weight(at[i], 0, fine->node[i], size[i]);
  else
    hold_face(piece, fine, 0, at);
  hold_faces(piece, other, 1, at);
  return 1;
}

// ---- cutting a fine face ------------------------------------------------------------------------

static CutCorner crossing_of(const CutCorner *from, const CutCorner *to, double share, int side,
                             int n_sides) {
  CutCorner at = {.edge = {from->edge[0], from->edge[1]}, .side = from->side};
  for (int i = 0; i < 2; i++) at.p[i] = from->p[i] + share * (to->p[i] - from->p[i]);
  if (from->side < 0) {
    int turn = from->edge[0] > from->edge[1];
    at.corner = (PieceCorner){
        .label = CROSSING, .node = {from->edge[turn], from->edge[1 - turn]}, .side = side};
  } else { // corner k of the outline lies between sides k - 1 and k
    int later = (from->side + 1) % n_sides == side ? side : from->side;
    at.corner = (PieceCorner){.label = OTHER_CORNER, .node = {-1, -1}, .side = later};
  }
  return at;
}

// Cuts off what lies beyond a side; corners not farther than `same` from it lie on it. Returns
// whether anything was cut.
static int cut_by_side(Cut *cut, const Polygon *outline, int side, double same) {
  const double *a = outline->p[side], *b = outline->p[(side + 1) % outline->n];
  double length = hypot(b[0] - a[0], b[1] - a[1]), d[MOST_PIECE];
  Cut in = *cut;
  int any = 0;
  for (int k = 0; k < in.n; k++) {
    d[k] = cross(a, b, in.at[k].p) / length;
    if (fabs(d[k]) <= same) d[k] = 0;
    any |= d[k] < 0;
  }
  if (!any) return 0;
  cut->n = 0;
  for (int k = 0; k < in.n; k++) {
    int next = (k + 1) % in.n;
    const CutCorner *from = &in.at[k], *to = &in.at[next];
    if (d[k] >= 0) cut->at[cut->n++] = *from;
    if (d[k] == 0 && d[next] < 0) cut->at[cut->n - 1].side = side; // it leaves along the side
    if (!((d[k] > 0 && d[next] < 0) || (d[k] < 0 && d[next] > 0)) || cut->n == MOST_PIECE) continue;
    CutCorner at = crossing_of(from, to, d[k] / (d[k] - d[next]), side, outline->n);
    if (d[k] > 0) at.side = side;
    cut->at[cut->n++] = at;
  }
  return 1;
}

// What of a fine face lies within the outline. Returns whether anything was cut off.
static int cut_face(Cut *cut, const FlatFace *fine, const Polygon *outline, double same) {
  int any = 0;
  cut->n = fine->n;
  for (int k = 0; k < fine->n; k++)
    cut->at[k] = (CutCorner){.corner = {FINE_NODE, {fine->node[k], -1}, -1},
                             .p = {fine->p[k][0], fine->p[k][1]},
                             .edge = {fine->node[k], fine->node[(k + 1) % fine->n]},
                             .side = -1};
  for (int side = 0; side < outline->n && cut->n > 0; side++)
    any |= cut_by_side(cut, outline, side, same);
  return any;
}

// A fan of triangles, or all of it.
static int add_fan(PiecePoints *points, const Cut *cut, const Piece *like, const FlatFace *fine,
                   const FlatFaces *other, double same) {
  int whole = like->is_face || cut->n == 3;
  for (int k = whole ? cut->n - 2 : 1; k + 1 < cut->n; k++) {
    const int first[4] = {0, k, k + 1, 0}, all[4] = {0, 1, 2, 3}, *pick = whole ? all : first;
    Piece piece = *like;
    piece.shape.n = whole ? cut->n : 3;
    for (int i = 0; i < piece.shape.n; i++) {
      memcpy(piece.shape.p[i], cut->at[pick[i]].p, sizeof piece.shape.p[i]);
      if (!like->is_one) piece.corner[i] = cut->at[pick[i]].corner;
    }
    if (!(cross(piece.shape.p[0], piece.shape.p[1], piece.shape.p[2]) > same * same)) continue;
    if (!add_piece(points, &piece, fine, other)) return 0;
  }
  return 1;
}

int pieces_add(PiecePoints *points, const FlatFace *fine, const Polygon *outline,
               const FlatFaces *other, double same) {
  Cut cut;
  const Piece like = {.is_face = !cut_face(&cut, fine, outline, same)};
  return cut.n < 3 || add_fan(points, &cut, &like, fine, other, same);
}

int pieces_add_middle(PiecePoints *points, const FlatFace *fine, const Polygon *outline,
                      const FlatFaces *other, double same) {
  Cut cut;
  Piece like = {.is_face = !cut_face(&cut, fine, outline, same), .is_one = 1};
  for (int k = 0; k < 4; k++) like.corner[k] = (PieceCorner){FINE_FACE, {fine->number, -1}, -1};
  return cut.n < 3 || add_fan(points, &cut, &like, fine, other, same);
}

void pieces_finish(PiecePoints *points) {
  const double nothing = 1e-12; // beside a weight of one
  for (int k = 0; k < points->n; k++) {
    PiecePoint *point = &points->point[k];
    for (int side = 0; side < 2; side++) {
      int n = 0;
      double sum = 0; // the area, but for what lies beside the other face by round-off
      for (int m = 0; m < point->n[side]; m++) sum += point->weight[side][m];
      for (int m = 0; m < point->n[side]; m++) {
        double weight = point->weight[side][m] / sum;
        if (fabs(weight) <= nothing) continue;
        point->node[side][n] = point->node[side][m];
        point->weight[side][n++] = weight;
      }
      point->n[side] = n;
    }
  }
}

// One piece, its corners those of the polygon with these numbers.
static void span_piece(PiecePoints *points, int n, const int *corner, const double (*p)[2],
                       const FlatFaces side[2]) {
  Piece piece = {.shape.n = n};
  double size[4];
  PiecePoint *at[4];
  for (int k = 0; k < n; k++) memcpy(piece.shape.p[k], p[corner[k]], sizeof piece.shape.p[k]);
  find_dual(&piece, size);
  for (int k = 0; k < n; k++) {
    piece.corner[k] = (PieceCorner){OTHER_CORNER, {-1, -1}, corner[k]};
    at[k] = point_at(points, &piece.corner[k], p[corner[k]]);
    at[k]->area += size[k];
  }
  for (int s = 0; s < 2; s++) hold_faces(&piece, &side[s], s, at);
}

// More than four corners: all fans of triangles, one from each corner, so that none is preferred.
void pieces_span(PiecePoints *points, int n, const double (*p)[2], const FlatFaces side[2]) {
  const int all[4] = {0, 1, 2, 3};
  pieces_begin(points);
  if (n <= 4) span_piece(points, n, all, p, side);
  for (int from = 0; from < n && n > 4; from++)
    for (int k = 1; k + 1 < n; k++)
      span_piece(points, 3, (const int[]){from, (from + k) % n, (from + k + 1) % n}, p, side);
  pieces_finish(points);
}

void pieces_interpolate(PiecePoint *point, int side, int n, const FlatFace *face) {
  double most = -(double)INFINITY; // the least shape function of the face that holds it best
  for (int f = 0; f < n; f++) {
    double shape[4], least;
    if (!pieces_shape(&face[f], point->p, shape)) continue;
    least = fmin(fmin(shape[0], shape[1]), face[f].n == 4 ? fmin(shape[2], shape[3]) : shape[2]);
    if (least <= most) continue;
    most = least;
    point->n[side] = face[f].n;
    for (int k = 0; k < face[f].n; k++) {
      point->node[side][k] = face[f].node[k];
      point->weight[side][k] = shape[k];
    }
  }
}
