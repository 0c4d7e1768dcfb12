#include "mesh/weld.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/sets.h"
#include "base/vec3.h"

// Of the size of the surface: text files are often written with six digits.
static const double WELD_DISTANCE = 1e-6;

// Facets that fold back by more than this lie on one another: cosine of 179.5 degrees between their
// normals.
static const double FOLDED = -0.99996;

void weld_free(Weld *weld) {
  mem_free(weld->x);
  mem_free(weld->node);
  *weld = (Weld){0};
}

// ---- nodes --------------------------------------------------------------------------------------

// Nodes by the cell of a grid that they are in, cells twice the tolerance wide: what is near a
// corner is in at most eight of them.
typedef struct {
  double low[3], cell;
  uint32_t mask;
  int32_t *first; // [mask + 1] node of a slot, -1: none
  int32_t *next;  // [n corners] next node of the same slot
} Grid;

static uint32_t slot_of(const Grid *grid, const int64_t c[3]) {
  uint64_t h = (uint64_t)c[0] * 0x9E3779B97F4A7C15u;
  h = (h ^ (uint64_t)c[1]) * 0xC2B2AE3D27D4EB4Fu;
  h = (h ^ (h >> 29) ^ (uint64_t)c[2]) * 0x165667B19E3779F9u;
  return (uint32_t)(h >> 32) & grid->mask;
}

static void cell_of(const Grid *grid, const double x[3], double shift, int64_t c[3]) {
  for (int i = 0; i < 3; i++) c[i] = (int64_t)floor((x[i] + shift - grid->low[i]) / grid->cell);
}

static double distance2(const double *a, const double *b) {
  double d[3] = {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
  return vec3_dot(d, d);
}

// The lowest node near x, -1: none.
static int32_t find_near(const Grid *grid, const Weld *weld, const double x[3]) {
  int64_t from[3], to[3], c[3];
  int32_t found = -1;
  double near2 = weld->tolerance * weld->tolerance;
  cell_of(grid, x, -weld->tolerance, from);
  cell_of(grid, x, weld->tolerance, to);
  for (c[0] = from[0]; c[0] <= to[0]; c[0]++)
    for (c[1] = from[1]; c[1] <= to[1]; c[1]++)
      for (c[2] = from[2]; c[2] <= to[2]; c[2]++)
        for (int32_t k = grid->first[slot_of(grid, c)]; k >= 0; k = grid->next[k])
          if (distance2(weld->x + 3 * (size_t)k, x) <= near2 && (found < 0 || k < found)) found = k;
  return found;
}

static void weld_corners(Weld *weld, Grid *grid, const double *x) {
  for (int k = 0; k < 3 * weld->n_facets; k++) {
    const double *corner = x + 3 * (size_t)k;
    int32_t node = find_near(grid, weld, corner);
    if (node < 0) {
      int64_t c[3];
      node = weld->n_nodes++;
      memcpy(weld->x + 3 * (size_t)node, corner, 3 * sizeof *corner);
      cell_of(grid, corner, 0, c);
      int32_t *first = &grid->first[slot_of(grid, c)];
      grid->next[node] = *first;
      *first = node;
    }
    weld->node[k] = node;
  }
}

Status weld_init(Weld *weld, const double *x, int n_facets, Err *err) {
  Grid grid = {.mask = 15};
  double high[3], far = 0, size = 0;
  *weld = (Weld){.n_facets = n_facets};
  for (int i = 0; i < 3; i++) grid.low[i] = high[i] = n_facets > 0 ? x[i] : 0;
  for (int k = 0; k < 9 * n_facets; k++) {
    grid.low[k % 3] = fmin(grid.low[k % 3], x[k]);
    high[k % 3] = fmax(high[k % 3], x[k]);
    far = fmax(far, fabs(x[k]));
  }
  for (int i = 0; i < 3; i++) size = fmax(size, high[i] - grid.low[i]);
  weld->tolerance = fmax(WELD_DISTANCE * size, 2 * (double)FLT_EPSILON * far);
  grid.cell = fmax(2 * weld->tolerance, DBL_MIN);
  while (grid.mask < 4 * (uint32_t)n_facets) grid.mask = 2 * grid.mask + 1;
  MEM_NEW(weld->x, 9 * (int64_t)n_facets, err);
  MEM_NEW(weld->node, 3 * (int64_t)n_facets, err);
  grid.first = mem_new((size_t)grid.mask + 1, sizeof *grid.first);
  grid.next = mem_new(3 * (size_t)n_facets, sizeof *grid.next);
  Status status = OK;
  if (grid.first && grid.next) {
    for (uint32_t k = 0; k <= grid.mask; k++) grid.first[k] = -1;
    weld_corners(weld, &grid, x);
  } else {
    status = err_set(err, ERR_SYSTEM, "out of memory: %d facets to weld", n_facets);
  }
  mem_free(grid.first);
  mem_free(grid.next);
  return status;
}

// ---- judgement ----------------------------------------------------------------------------------

typedef struct {
  int32_t node[2]; // the lower one first
  int32_t facet;
  int8_t turned; // 1: the facet runs from the higher to the lower
} Edge;

static int compare_edges(const void *a, const void *b) {
  const Edge *e = a, *f = b;
  for (int k = 0; k < 2; k++)
    if (e->node[k] != f->node[k]) return e->node[k] < f->node[k] ? -1 : 1;
  return (e->facet > f->facet) - (e->facet < f->facet);
}

// Twice the area along the normal; six times the volume of the cone to the first node is returned.
static double facet_normal(const Weld *weld, int f, double n[3]) {
  const double *x[3], *origin = weld->x;
  double a[3], b[3], volume = 0;
  for (int k = 0; k < 3; k++) x[k] = weld->x + 3 * (size_t)weld->node[3 * f + k];
  for (int i = 0; i < 3; i++) {
    a[i] = x[1][i] - x[0][i];
    b[i] = x[2][i] - x[0][i];
  }
  for (int i = 0; i < 3; i++) {
    n[i] = a[(i + 1) % 3] * b[(i + 2) % 3] - a[(i + 2) % 3] * b[(i + 1) % 3];
    volume += n[i] * (x[0][i] - origin[i]);
  }
  return volume;
}

// Lower than the tolerance over its longest side, a facet has no direction.
static int has_area(const Weld *weld, int f) {
  double n[3], longest2 = 0;
  facet_normal(weld, f, n);
  for (int k = 0; k < 3; k++)
    longest2 = fmax(longest2, distance2(weld->x + 3 * (size_t)weld->node[3 * f + k],
                                        weld->x + 3 * (size_t)weld->node[3 * f + (k + 1) % 3]));
  return vec3_length(n) > weld->tolerance * sqrt(longest2);
}

static int are_folded(const Weld *weld, int f, int g) {
  double m[3], n[3];
  facet_normal(weld, f, m);
  facet_normal(weld, g, n);
  return vec3_dot(m, n) < FOLDED * sqrt(vec3_dot(m, m) * vec3_dot(n, n));
}

// Rims: nodes that open edges join.
typedef struct {
  int32_t *set;     // [n_nodes] sets.h
  uint8_t *is_open; // [n_nodes] 1: on a rim
} Rims;

static void open_edge(const Weld *weld, const Edge *edge, Rims *rims, WeldReport *report) {
  for (int k = 0; k < 2 && report->n_open == 0; k++)
    memcpy(report->open_at[k], weld->x + 3 * (size_t)edge->node[k], sizeof report->open_at[k]);
  report->n_open++;
  for (int k = 0; k < 2; k++) {
    report->n_rims += !rims->is_open[edge->node[k]];
    rims->is_open[edge->node[k]] = 1;
  }
  report->n_rims -= sets_join(rims->set, edge->node[0], edge->node[1]);
}

static void judge_edges(const Weld *weld, const Edge *edge, Rims *rims, WeldReport *report) {
  int n_edges = 3 * weld->n_facets;
  for (int k = 0, next; k < n_edges && report->defect == WELD_SOUND; k = next) {
    for (next = k + 1; next < n_edges && edge[next].node[0] == edge[k].node[0] &&
                       edge[next].node[1] == edge[k].node[1];)
      next++;
    int n = next - k;
    if (n == 1) {
      open_edge(weld, &edge[k], rims, report);
      continue;
    }
    report->facet[0] = edge[k].facet;
    report->facet[1] = edge[k + 1].facet;
    report->n_meet = n;
    if (n > 2)
      report->defect = WELD_BRANCHED;
    else if (edge[k].turned == edge[k + 1].turned)
      report->defect = WELD_TURNED;
    else if (are_folded(weld, edge[k].facet, edge[k + 1].facet))
      report->defect = WELD_FOLDED;
  }
}

Status weld_check(const Weld *weld, WeldReport *report, Err *err) {
  *report = (WeldReport){0};
  for (int f = 0; f < weld->n_facets; f++) {
    double n[3];
    if (!has_area(weld, f)) {
      *report = (WeldReport){.defect = WELD_NO_AREA, .facet = {f, f}};
      return OK;
    }
    report->volume += facet_normal(weld, f, n) / 6;
  }
  Edge *edge;
  MEM_NEW(edge, 3 * (int64_t)weld->n_facets, err);
  Rims rims = {.set = mem_new((size_t)weld->n_nodes, sizeof *rims.set),
               .is_open = mem_new((size_t)weld->n_nodes, sizeof *rims.is_open)};
  Status status =
      rims.set && rims.is_open ? OK : err_set(err, ERR_SYSTEM, "out of memory: rims of a surface");
  for (int k = 0; k < 3 * weld->n_facets; k++) {
    int32_t a = weld->node[k], b = weld->node[k / 3 * 3 + (k + 1) % 3];
    edge[k] = (Edge){.node = {a < b ? a : b, a < b ? b : a}, .facet = k / 3, .turned = a > b};
  }
  qsort(edge, 3 * (size_t)weld->n_facets, sizeof *edge, compare_edges);
  if (status == OK) {
    sets_begin(rims.set, weld->n_nodes);
    judge_edges(weld, edge, &rims, report);
  }
  mem_free(edge);
  mem_free(rims.set);
  mem_free(rims.is_open);
  return status;
}
