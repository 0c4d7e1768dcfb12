// A surface of facets with a smooth normal: the distance is that to the facets (a quadrilateral is
// two triangles), the normal is interpolated between those of the nodes, so that a node that slides
// over the surface does not hop. Cells of a grid list the facets that reach into them; the search
// goes outwards from the cell of the point until nothing nearer can come.

#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "base/space.h"
#include "base/vec3.h"
#include "mesh/skin.h"
#include "shape/facet.h"
#include "shape/shape_table.h"

static const ParamSpec params[] = {
    {"smooth", PARAM_REAL, "rad", "1", "[0,4]", NULL,
     "facets that meet at less than this angle share their normal at the edge"},
    SHAPE_INSIDE_PARAM,
    {"mesh", PARAM_FILE, "", NULL, NULL, NULL,
     "file, Gmsh or by its ending STL (.stl), Abaqus (.inp) or LS-DYNA (.k, .key, .dyn): its named surface, or the skin of its body; normals point out of the material"},
    {"scale", PARAM_REAL, "1", "1", "]0,inf[", NULL,
     "factor on the coordinates of the file, 1e-3 of one in mm"},
    {"at_x", PARAM_REAL, "m", "0", NULL, NULL, "where the origin of the file is placed"},
    {"at_y", PARAM_REAL, "m", "0", NULL, NULL, "the same"},
    {"at_z", PARAM_REAL, "m", "0", NULL, NULL, "the same"},
};
enum { SMOOTH, INSIDE };


// Corners and their normals; of segments in the plane the third corner is the second.
typedef struct {
  double x[3][3], n[3][3];
  int32_t facet;
} Piece;

typedef struct {
  int n;
  Piece *piece;
  double low[3], cell;
  int32_t cells[3];
  int32_t *start, *item; // pieces of each cell
} Surface;

// ---- facets -------------------------------------------------------------------------------------

// Facets of the mesh, wherever they stand: named facets, elements of a surface, or the skin of a
// body.
typedef struct {
  int n, width;
  int32_t *node; // [n * width] -1 fills up
} Facets;

static void copy_list(const int32_t *ptr, const int32_t *node, int n, Facets *facets) {
  for (int f = 0; f < n; f++)
    for (int k = 0; k < facets->width; k++)
      facets->node[f * facets->width + k] = ptr[f] + k < ptr[f + 1] ? node[ptr[f] + k] : -1;
}

static Status collect_facets(const Mesh *mesh, Facets *facets, Err *err) {
  int bulk = mesh->n_elems > 0 && topology_table[mesh->elem_shape[0]].dim == mesh->dim;
  facets->width = mesh->dim == 2 ? 2 : 4;
  Skin skin = {0};
  if (mesh->n_facets == 0 && bulk) TRY(skin_build(&skin, mesh, err));
  facets->n = mesh->n_facets > 0 ? mesh->n_facets : (bulk ? skin.n_facets : mesh->n_elems);
  facets->node = mem_new((size_t)facets->n * (size_t)facets->width, sizeof *facets->node);
  if (!facets->node) {
    skin_free(&skin);
    return err_set(err, ERR_SYSTEM, "out of memory: %d facets of a surface", facets->n);
  }
  if (mesh->n_facets > 0)
    copy_list(mesh->facet_ptr, mesh->facet_node, facets->n, facets);
  else if (bulk)
    memcpy(facets->node, skin.facet_node,
           sizeof *facets->node * (size_t)facets->n * (size_t)facets->width);
  else
    copy_list(mesh->elem_ptr, mesh->elem_node, facets->n, facets);
  skin_free(&skin);
  if (facets->n == 0) return err_set(err, ERR_INPUT, "the mesh has no facets that make a surface");
  return OK;
}

static int facet_corners(const Facets *facets, int f) {
  int n = facets->width;
  while (facets->node[f * facets->width + n - 1] < 0) n--;
  return n;
}

static void node_place(const Mesh *mesh, int node, double x[3]) {
  for (int i = 0; i < 3; i++) x[i] = i < mesh->dim ? mesh->x[(size_t)node * mesh->dim + i] : 0;
}

// Normal of a facet times its size.
static void sized_normal(const Mesh *mesh, const Facets *facets, int f, double n[3]) {
  const int32_t *node = facets->node + (size_t)f * facets->width;
  double a[3], b[3], c[3], d[3];
  node_place(mesh, node[0], a);
  node_place(mesh, node[1], b);
  if (mesh->dim == 2) {
    n[0] = b[1] - a[1];
    n[1] = a[0] - b[0];
    n[2] = 0;
    return;
  }
  int corners = facet_corners(facets, f);
  node_place(mesh, node[2], c);
  node_place(mesh, node[corners - 1], d);
  for (int i = 0; i < 3; i++) { // the diagonals; of a triangle two sides
    c[i] -= a[i];
    d[i] -= corners == 4 ? b[i] : a[i];
  }
  if (corners == 3)
    for (int i = 0; i < 3; i++) {
      d[i] = c[i];
      c[i] = b[i] - a[i];
    }
  for (int i = 0; i < 3; i++)
    n[i] = 0.5 * (c[(i + 1) % 3] * d[(i + 2) % 3] - c[(i + 2) % 3] * d[(i + 1) % 3]);
}

// Normals at the corners of all facets [n * width * 3]: the mean over the facets at the node that
// hardly turn from this one, weighted with their size.
static Status smooth_normals(const Mesh *mesh, const Facets *facets, double angle, double *flat,
                             double *normal, Err *err) {
  int32_t *ptr, *list;
  int64_t n_corners = (int64_t)facets->n * facets->width;
  MEM_NEW(ptr, mesh->n_nodes + 2, err);
  list = mem_new((size_t)n_corners, sizeof *list);
  if (!list) {
    mem_free(ptr);
    return err_set(err, ERR_SYSTEM, "out of memory: %d facets of a surface", facets->n);
  }
  for (int64_t k = 0; k < n_corners; k++)
    if (facets->node[k] >= 0) ptr[facets->node[k] + 2]++;
  for (int k = 0; k < mesh->n_nodes; k++) ptr[k + 2] += ptr[k + 1];
  for (int64_t k = 0; k < n_corners; k++)
    if (facets->node[k] >= 0) list[ptr[facets->node[k] + 1]++] = (int32_t)(k / facets->width);
  for (int64_t k = 0; k < n_corners; k++) {
    int node = facets->node[k];
    const double *own = flat + 3 * (k / facets->width);
    double *sum = normal + 3 * k, size = vec3_length(own);
    for (int j = node < 0 ? 0 : ptr[node]; node >= 0 && j < ptr[node + 1]; j++) {
      const double *other = flat + 3 * (size_t)list[j];
      if (vec3_dot(own, other) < cos(angle) * size * vec3_length(other)) continue;
      for (int i = 0; i < 3; i++) sum[i] += other[i];
    }
    double length = vec3_length(sum);
    for (int i = 0; i < 3 && length > 0; i++) sum[i] /= length;
  }
  mem_free(ptr);
  mem_free(list);
  return OK;
}

static void make_pieces(const Mesh *mesh, const Facets *facets, const double *normal,
                        Surface *surface) {
  for (int f = 0; f < facets->n; f++) {
    int corners = facet_corners(facets, f);
    for (int half = 0; half < (corners == 4 ? 2 : 1); half++) {
      Piece *piece = &surface->piece[surface->n++];
      piece->facet = f;
      for (int k = 0; k < 3; k++) {
        int at = k == 0 ? 0 : (corners == 2 ? 1 : k + half);
        size_t corner = (size_t)f * facets->width + at;
        node_place(mesh, facets->node[corner], piece->x[k]);
        memcpy(piece->n[k], normal + 3 * corner, sizeof piece->n[k]);
      }
    }
  }
}

// ---- cells --------------------------------------------------------------------------------------

static void piece_box(const Piece *piece, double low[3], double high[3]) {
  for (int i = 0; i < 3; i++) {
    low[i] = fmin(piece->x[0][i], fmin(piece->x[1][i], piece->x[2][i]));
    high[i] = fmax(piece->x[0][i], fmax(piece->x[1][i], piece->x[2][i]));
  }
}

static int32_t cell_at(const Surface *surface, int i, double x) {
  double k = floor((x - surface->low[i]) / surface->cell);
  return k < 0 ? 0 : (k >= surface->cells[i] ? surface->cells[i] - 1 : (int32_t)k);
}

// Cells about as large as the facets, but no more than a few for each.
static void size_cells(Surface *surface) {
  static const double CELLS_PER_PIECE = 8;
  double high[3], sum = 0;
  for (int i = 0; i < 3; i++) {
    surface->low[i] = (double)INFINITY;
    high[i] = -(double)INFINITY;
  }
  for (int k = 0; k < surface->n; k++) {
    double from[3], to[3], widest = 0;
    piece_box(&surface->piece[k], from, to);
    for (int i = 0; i < 3; i++) {
      surface->low[i] = fmin(surface->low[i], from[i]);
      high[i] = fmax(high[i], to[i]);
      widest = fmax(widest, to[i] - from[i]);
    }
    sum += widest;
  }
  surface->cell = sum / surface->n;
  for (double total = (double)INFINITY; total > CELLS_PER_PIECE * surface->n + 64;) {
    total = 1;
    for (int i = 0; i < 3; i++) total *= floor((high[i] - surface->low[i]) / surface->cell) + 1;
    if (total > CELLS_PER_PIECE * surface->n + 64) surface->cell *= 1.25;
  }
  for (int i = 0; i < 3; i++)
    surface->cells[i] = (int32_t)floor((high[i] - surface->low[i]) / surface->cell) + 1;
}

static Status fill_cells(Surface *surface, Err *err) {
  int64_t n = (int64_t)surface->cells[0] * surface->cells[1] * surface->cells[2];
  MEM_NEW(surface->start, n + 2, err);
  for (int pass = 0; pass < 2; pass++) { // count, then fill
    for (int k = 0; k < surface->n; k++) {
      double low[3], high[3];
      int32_t from[3], to[3], c[3];
      piece_box(&surface->piece[k], low, high);
      for (int i = 0; i < 3; i++) {
        from[i] = cell_at(surface, i, low[i]);
        to[i] = cell_at(surface, i, high[i]);
      }
      for (c[2] = from[2]; c[2] <= to[2]; c[2]++)
        for (c[1] = from[1]; c[1] <= to[1]; c[1]++)
          for (c[0] = from[0]; c[0] <= to[0]; c[0]++) {
            int64_t at = ((int64_t)c[2] * surface->cells[1] + c[1]) * surface->cells[0] + c[0];
            if (pass == 0)
              surface->start[at + 2]++;
            else
              surface->item[surface->start[at + 1]++] = k;
          }
    }
    if (pass == 1) break;
    for (int64_t k = 1; k <= n; k++) surface->start[k + 1] += surface->start[k];
    MEM_NEW(surface->item, surface->start[n + 1], err);
  }
  return OK;
}

static Status build(Surface *surface, const Mesh *mesh, double angle, Facets *facets,
                    double **buffer, Err *err) {
  TRY(collect_facets(mesh, facets, err));
  MEM_NEW(*buffer, 3 * (int64_t)facets->n * (1 + facets->width), err);
  double *flat = *buffer, *normal = *buffer + 3 * (size_t)facets->n;
  for (int f = 0; f < facets->n; f++) {
    sized_normal(mesh, facets, f, flat + 3 * (size_t)f);
    if (!(vec3_dot(flat + 3 * (size_t)f, flat + 3 * (size_t)f) > 0))
      return err_set(err, ERR_INPUT, "facet %d of the surface has no area", f + 1);
  }
  TRY(smooth_normals(mesh, facets, angle, flat, normal, err));
  MEM_NEW(surface->piece, 2 * facets->n, err);
  make_pieces(mesh, facets, normal, surface);
  size_cells(surface);
  return fill_cells(surface, err);
}

static Status init(Shape *shape, const ShapeSpec *spec, Err *err) {
  Surface *surface;
  Facets facets = {0};
  double *buffer = NULL;
  if (!spec->mesh) return err_set(err, ERR_INPUT, "a mesh shape needs a mesh");
  if (spec->mesh->dim != spec->dim)
    return err_set(err, ERR_INPUT, "the mesh has dimension %d, the model %d", spec->mesh->dim,
                   spec->dim);
  MEM_NEW(surface, 1, err);
  shape->own = surface;
  Status status = build(surface, spec->mesh, spec->par[SMOOTH], &facets, &buffer, err);
  mem_free(facets.node);
  mem_free(buffer);
  return status;
}

static void free_own(Shape *shape) {
  Surface *surface = shape->own;
  mem_free(surface->piece);
  mem_free(surface->start);
  mem_free(surface->item);
}

// ---- nearest ------------------------------------------------------------------------------------

enum { MOST_ALIKE = 32 }; // pieces that meet at a node, with room

typedef struct {
  double distance2, weight[4];
  int32_t piece;
  int n_alike; // pieces as near as the nearest, which is one of them
  int32_t alike[MOST_ALIKE];
} Nearest;

// Of squares of distances, and of distances: round-off is far below.
static const double ALIKE = 1e-9;

static void add_alike(Nearest *best, int32_t piece) {
  for (int k = 0; k < best->n_alike; k++)
    if (best->alike[k] == piece) return; // listed in two cells
  if (best->n_alike < MOST_ALIKE) best->alike[best->n_alike++] = piece;
}

static void search_cell(const Surface *surface, const int32_t c[3], const double p[3],
                        Nearest *best) {
  int64_t at = ((int64_t)c[2] * surface->cells[1] + c[1]) * surface->cells[0] + c[0];
  for (int32_t k = surface->start[at]; k < surface->start[at + 1]; k++) {
    double weight[4];
    int32_t item = surface->item[k];
    double distance2 = facet_nearest(3, surface->piece[item].x[0], p, weight);
    if (distance2 > (1 + ALIKE) * best->distance2) continue;
    if (distance2 < (1 - ALIKE) * best->distance2) best->n_alike = 0;
    add_alike(best, item);
    if (distance2 > best->distance2 || (distance2 == best->distance2 && item >= best->piece))
      continue;
    best->distance2 = distance2;
    best->piece = item;
    memcpy(best->weight, weight, sizeof weight);
  }
}

// Cells at distance `ring` of cell `own`.
static void search_ring(const Surface *surface, const int32_t own[3], int ring, const double p[3],
                        Nearest *best) {
  int32_t from[3], to[3], c[3];
  for (int i = 0; i < 3; i++) {
    from[i] = own[i] - ring < 0 ? 0 : own[i] - ring;
    to[i] = own[i] + ring >= surface->cells[i] ? surface->cells[i] - 1 : own[i] + ring;
  }
  for (c[2] = from[2]; c[2] <= to[2]; c[2]++)
    for (c[1] = from[1]; c[1] <= to[1]; c[1]++) {
      int face = c[2] == own[2] - ring || c[2] == own[2] + ring || c[1] == own[1] - ring ||
                 c[1] == own[1] + ring;
      for (c[0] = from[0]; c[0] <= to[0]; c[0]++)
        if (face || c[0] == own[0] - ring || c[0] == own[0] + ring)
          search_cell(surface, c, p, best);
    }
}

// Normal where a piece has these weights, and the way from there to p; returns how far p is before
// the piece.
static double see_piece(const Piece *piece, const double weight[4], const double p[3], double n[3],
                        double d[3]) {
  for (int i = 0; i < 3; i++) {
    n[i] = 0;
    d[i] = p[i];
    for (int k = 0; k < 3; k++) {
      n[i] += weight[k] * piece->n[k][i];
      d[i] -= weight[k] * piece->x[k][i];
    }
  }
  vec3_normalise(n);
  return vec3_dot(n, d);
}

// The angle under which a piece is seen from one of its points: a whole turn, half of one on its
// edges, that between two of these at a corner.
static double angle_at(const Piece *piece, const double weight[4], int dim) {
  int on = 0, corner = 0;
  for (int k = 0; k < 3; k++) {
    on += weight[k] > ALIKE;
    if (weight[k] > weight[corner]) corner = k;
  }
  if (dim == 2 || on > 1) return on == 3 ? 2 * PI : PI;
  double a[3], b[3];
  for (int i = 0; i < 3; i++) {
    a[i] = piece->x[(corner + 1) % 3][i] - piece->x[corner][i];
    b[i] = piece->x[(corner + 2) % 3][i] - piece->x[corner][i];
  }
  return acos(fmax(-1, fmin(1, vec3_dot(a, b) / (vec3_length(a) * vec3_length(b)))));
}

// Where pieces meet in the nearest point: is p behind the surface? It is if it is behind the mean
// of their flat normals, weighed by their angles (Baerentzen and Aanaes 2005): at edges sharper
// than a right angle it may be before the surface and behind one of them. n: of the piece that p is
// farthest before, or behind; d: from the nearest point to p.
static int see_alike(const Surface *surface, const Nearest *best, int dim, const double p[3],
                     const double d[3], double n[3]) {
  double mean[3] = {0}, normal[MOST_ALIKE][3];
  int n_here = 0;
  for (int k = 0; k < best->n_alike; k++) {
    const Piece *piece = &surface->piece[best->alike[k]];
    double weight[4], own[3], flat[3], *here = normal[n_here];
    facet_nearest(3, piece->x[0], p, weight);
    see_piece(piece, weight, p, here, own);
    for (int i = 0; i < 3; i++) own[i] -= d[i];
    if (vec3_dot(own, own) > ALIKE * best->distance2) continue; // as near, somewhere else
    const double angle = angle_at(piece, weight, dim);
    facet_normal(dim, piece->x[0], weight, flat);
    for (int i = 0; i < 3; i++) mean[i] += angle * flat[i];
    n_here++;
  }
  const int behind = vec3_dot(mean, d) < 0;
  double most = fabs(vec3_dot(n, d)) * (1 + ALIKE);
  if ((vec3_dot(n, d) < 0) != behind) most = 0;
  for (int k = 0; k < n_here; k++) {
    const double along = (behind ? -1 : 1) * vec3_dot(normal[k], d);
    if (along <= most) continue;
    most = along * (1 + ALIKE);
    memcpy(n, normal[k], sizeof normal[k]);
  }
  return behind;
}

static int nearest(const Shape *shape, const double x[3], double reach, ShapeHit *hit) {
  const Surface *surface = shape->own;
  double p[3] = {x[0], x[1], shape->spec.dim == 3 ? x[2] : 0}, beyond2 = 0;
  int32_t own[3], most = 0;
  for (int i = 0; i < 3; i++) {
    double from = surface->low[i], to = from + surface->cells[i] * surface->cell;
    double out = p[i] < from ? from - p[i] : fmax(p[i] - to, 0);
    own[i] = cell_at(surface, i, p[i]);
    beyond2 += out * out;
    if (surface->cells[i] > most) most = surface->cells[i];
  }
  if (beyond2 > reach * reach) return 0;
  Nearest best = {.distance2 = (double)INFINITY, .piece = INT32_MAX};
  for (int ring = 0; ring <= most; ring++) {
    // All within the next ring is farther than this: the box is convex.
    double least = (ring - 1) * surface->cell, bound2 = beyond2 + (ring > 0 ? least * least : 0);
    if (bound2 > best.distance2 || bound2 > reach * reach) break;
    search_ring(surface, own, ring, p, &best);
  }
  if (!(best.distance2 <= reach * reach)) return 0;
  const Piece *piece = &surface->piece[best.piece];
  double n[3], d[3], sign = shape->spec.par[INSIDE] != 0 ? -1 : 1;
  int behind = see_piece(piece, best.weight, p, n, d) < 0;
  if (best.n_alike > 1) behind = see_alike(surface, &best, shape->spec.dim, p, d, n);
  for (int i = 0; i < 3; i++) hit->n[i] = sign * n[i];
  hit->gap = sign * (behind ? -1 : 1) * sqrt(best.distance2);
  hit->feature = piece->facet;
  return 1;
}

static Status picture(const Shape *shape, const double low[3], const double high[3], Mesh *mesh,
                      Err *err) {
  (void)low, (void)high;
  const Surface *surface = shape->own;
  int dim = shape->spec.dim;
  TRY(mesh_init(mesh, dim, dim * surface->n, 0, 0, err));
  TRY(mesh_init_facets(mesh, surface->n, dim * surface->n, err));
  for (int f = 0; f < surface->n; f++) {
    for (int k = 0; k < dim; k++) {
      mesh->facet_node[dim * f + k] = dim * f + k;
      memcpy(mesh->x + (size_t)dim * (size_t)(dim * f + k), surface->piece[f].x[k],
             sizeof(double) * (size_t)dim);
    }
    mesh->facet_shape[f] = dim == 2 ? SHAPE_LINE2 : SHAPE_T3;
    mesh->facet_ptr[f + 1] = dim * (f + 1);
  }
  return OK;
}

// Roundings of a mesh from how its normals turn along the edges of its pieces. Of the edges that
// turn at all a twentieth may be sharper than what is called its fillet: meshes have odd ones.
// Radii are counted in bins, each wider by a twentieth than the one before.
static double fillet(const Shape *shape) {
  enum { N_BINS = 600 };
  static const double LEAST_TURN = 0.02, SMALLEST = 1e-9, GROWTH = 0.05, ODD = 0.05; // [rad], [m]
  const Surface *surface = shape->own;
  int bin[N_BINS] = {0}, total = 0, below = 0;
  for (int p = 0; p < surface->n; p++)
    for (int i = 0; i < 3; i++) {
      const Piece *piece = &surface->piece[p];
      const double *x = piece->x[i], *y = piece->x[(i + 1) % 3];
      double cosine = vec3_dot(piece->n[i], piece->n[(i + 1) % 3]), chord = 0;
      for (int k = 0; k < 3; k++) chord += (x[k] - y[k]) * (x[k] - y[k]);
      double turn = acos(fmax(-1, fmin(1, cosine)));
      if (turn < LEAST_TURN || !(chord > 0)) continue;
      double radius = 0.5 * sqrt(chord) / sin(0.5 * turn);
      int k = (int)(log(radius / SMALLEST) / log(1 + GROWTH));
      bin[k < 0 ? 0 : k >= N_BINS ? N_BINS - 1 : k]++;
      total++;
    }
  for (int k = 0; k < N_BINS; k++) {
    below += bin[k];
    if (below > ODD * total) return SMALLEST * pow(1 + GROWTH, k + 0.5);
  }
  return (double)INFINITY;
}

const ShapeType shape_mesh = {
    .name = "mesh",
    .doc = "Surface of a mesh with smooth normals",
    .params = params,
    .n_params = sizeof params / sizeof params[0],
    .init = init,
    .free = free_own,
    .nearest = nearest,
    .fillet = fillet,
    .picture = picture,
};
