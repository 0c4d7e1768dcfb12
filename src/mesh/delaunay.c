// Incremental insertion (Bowyer 1981, Watson 1981): the triangles whose circles hold the new point
// make way for a star around it.

#include "mesh/delaunay.h"

#include <math.h>
#include <string.h>

#include "base/mem.h"

// With coordinates of 30 bits (of the corners far outside) the test of the circle needs 124 bits.
__extension__ typedef __int128 Wide;
static const int64_t GRID = 1 << 24, FAR = 20;

typedef struct {
  int64_t (*p)[2];    // [n + 3] the last three are far outside
  int32_t (*node)[3]; // triangles; node[0] = -1: not in use
  int32_t (*next)[3]; // neighbour across from that node
  int32_t *stack;     // of the cavity
  int32_t *mark;      // [triangles] last point that they were found for
  int32_t *from;      // [n + 3] triangle of the star that begins at a node
  int32_t *unused;    // triangles that are free again
  int n_triangles, n_unused, last;
} Work;

static void work_free(Work *w) {
  mem_free(w->p);
  mem_free(w->node);
  mem_free(w->next);
  mem_free(w->stack);
  mem_free(w->mark);
  mem_free(w->from);
  mem_free(w->unused);
}

static Status work_take(Work *w, int n, Err *err) {
  // triangles: twice the points, and as many again while a star stands beside the cavity it
  // replaces
  size_t most = 4 * (size_t)n + 16;
  *w = (Work){0};
  w->p = mem_new((size_t)n + 3, sizeof *w->p);
  w->node = mem_new(most, sizeof *w->node);
  w->next = mem_new(most, sizeof *w->next);
  w->stack = mem_new(most, sizeof *w->stack);
  w->mark = mem_new(most, sizeof *w->mark);
  w->from = mem_new((size_t)n + 3, sizeof *w->from);
  w->unused = mem_new(most, sizeof *w->unused);
  if (w->p && w->node && w->next && w->stack && w->mark && w->from && w->unused) return OK;
  return err_set(err, ERR_SYSTEM, "out of memory: triangulation of %d points", n);
}

// > 0: c lies to the left of the line from a to b.
static int64_t side(const int64_t a[2], const int64_t b[2], const int64_t c[2]) {
  return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
}

// 1: d lies inside the circle through a, b, c (counter-clockwise), not on it.
static int in_circle(const Work *w, const int32_t t[3], const int64_t d[2]) {
  Wide sum = 0;
  int64_t x[3][2], square[3];
  for (int k = 0; k < 3; k++) {
    for (int i = 0; i < 2; i++) x[k][i] = w->p[t[k]][i] - d[i];
    square[k] = x[k][0] * x[k][0] + x[k][1] * x[k][1];
  }
  for (int k = 0; k < 3; k++) {
    const int64_t *a = x[(k + 1) % 3], *b = x[(k + 2) % 3];
    sum += (Wide)square[k] * (a[0] * b[1] - a[1] * b[0]);
  }
  return sum > 0;
}

static Status to_grid(Work *w, const double *x, int n, Err *err) {
  double low[2] = {x[0], x[1]}, high[2] = {x[0], x[1]};
  for (int k = 0; k < n; k++)
    for (int i = 0; i < 2; i++) {
      low[i] = fmin(low[i], x[2 * k + i]);
      high[i] = fmax(high[i], x[2 * k + i]);
    }
  double size = fmax(high[0] - low[0], high[1] - low[1]);
  if (!(size > 0) || !isfinite(size))
    return err_set(err, ERR_INPUT, "the points to be triangulated have the extent %g", size);
  for (int k = 0; k < n; k++)
    for (int i = 0; i < 2; i++)
      w->p[k][i] = (int64_t)llround((x[2 * k + i] - low[i]) / size * (double)GRID);
  const int64_t far = FAR * GRID, corner[3][2] = {{-far, -far}, {2 * far, -far}, {-far, 2 * far}};
  memcpy(w->p[n], corner, sizeof corner);
  return OK;
}

// The triangle that holds a point, in it or on a side, walking from the last one.
static int locate(const Work *w, const int64_t p[2]) {
  int t = w->last, came = -1;
  for (;;) {
    int go = -1;
    for (int k = 0; k < 3 && go < 0; k++) {
      const int32_t *node = w->node[t];
      if (w->next[t][k] < 0 || w->next[t][k] == came) continue;
      if (side(w->p[node[(k + 1) % 3]], w->p[node[(k + 2) % 3]], p) < 0) go = w->next[t][k];
    }
    if (go < 0) return t;
    came = t;
    t = go;
  }
}

// Replaces neighbour `old` of a triangle.
static void relink(Work *w, int triangle, int old, int now) {
  if (triangle < 0) return;
  for (int k = 0; k < 3; k++)
    if (w->next[triangle][k] == old) w->next[triangle][k] = now;
}

// The triangles whose circles hold point p, connected to the one it lies in; returns how many,
// first in the stack.
static int find_cavity(Work *w, int32_t p) {
  int n = 0, start = locate(w, w->p[p]);
  w->stack[n++] = start;
  w->mark[start] = p + 1;
  for (int at = 0; at < n; at++)
    for (int k = 0; k < 3; k++) {
      int other = w->next[w->stack[at]][k];
      if (other < 0 || w->mark[other] == p + 1 || !in_circle(w, w->node[other], w->p[p])) continue;
      w->mark[other] = p + 1;
      w->stack[n++] = other;
    }
  return n;
}

static int take_triangle(Work *w) {
  return w->n_unused > 0 ? w->unused[--w->n_unused] : w->n_triangles++;
}

static void insert(Work *w, int32_t p) {
  int n = find_cavity(w, p), first = -1;
  int32_t first_node = -1;
  // One triangle of the star for each side of the cavity; `from` finds the one that begins at a
  // node.
  for (int at = 0; at < n; at++) {
    int old = w->stack[at];
    for (int k = 0; k < 3; k++) {
      int outside = w->next[old][k];
      if (outside >= 0 && w->mark[outside] == p + 1) continue;
      int32_t a = w->node[old][(k + 1) % 3], b = w->node[old][(k + 2) % 3];
      int t = take_triangle(w);
      w->mark[t] = 0;
      w->node[t][0] = a;
      w->node[t][1] = b;
      w->node[t][2] = p;
      w->next[t][2] = outside;
      relink(w, outside, old, t);
      w->from[a] = t;
      first = t;
      first_node = a;
    }
  }
  for (int at = 0; at < n; at++) {
    w->node[w->stack[at]][0] = -1;
    w->unused[w->n_unused++] = w->stack[at];
  }
  int t = first;
  do { // round the star: (a, b, p), then (b, c, p)
    int after = w->from[w->node[t][1]];
    w->next[t][0] = after;
    w->next[after][1] = t;
    t = after;
  } while (w->node[t][0] != first_node);
  w->last = first;
}

static Status hand_out(Delaunay *d, const Work *w, int n, Err *err) {
  int32_t *number;
  MEM_NEW(number, w->n_triangles, err);
  for (int t = 0; t < w->n_triangles; t++) {
    const int32_t *node = w->node[t];
    int keep = node[0] >= 0 && node[0] < n && node[1] < n && node[2] < n;
    number[t] = keep ? d->n++ : -1;
  }
  d->node = mem_new(3 * (size_t)d->n, sizeof *d->node);
  d->neighbor = mem_new(3 * (size_t)d->n, sizeof *d->neighbor);
  for (int t = 0; t < w->n_triangles && d->node && d->neighbor; t++)
    for (int k = 0; k < 3 && number[t] >= 0; k++) {
      d->node[3 * number[t] + k] = w->node[t][k];
      d->neighbor[3 * number[t] + k] = w->next[t][k] < 0 ? -1 : number[w->next[t][k]];
    }
  mem_free(number);
  if (d->node && d->neighbor) return OK;
  return err_set(err, ERR_SYSTEM, "out of memory: %d triangles", d->n);
}

Status delaunay_init(Delaunay *d, const double *x, int n, Err *err) {
  Work w;
  *d = (Delaunay){0};
  if (n < 3) return err_set(err, ERR_INPUT, "%d points make no triangle", n);
  Status status = work_take(&w, n, err);
  if (status == OK) status = to_grid(&w, x, n, err);
  if (status == OK) {
    for (int k = 0; k < 3; k++) {
      w.node[0][k] = n + k;
      w.next[0][k] = -1;
    }
    w.n_triangles = 1;
  }
  for (int32_t p = 0; p < n && status == OK; p++) {
    const int32_t *node = w.node[locate(&w, w.p[p])];
    for (int k = 0; k < 3; k++)
      if (memcmp(w.p[node[k]], w.p[p], sizeof w.p[p]) == 0)
        status = err_set(err, ERR_INPUT, "points %d and %d are the same, at (%g, %g)", node[k] + 1,
                         p + 1, x[2 * p], x[2 * p + 1]);
    if (status == OK) insert(&w, p);
  }
  if (status == OK) status = hand_out(d, &w, n, err);
  work_free(&w);
  if (status != OK) delaunay_free(d);
  return status;
}

void delaunay_free(Delaunay *d) {
  mem_free(d->node);
  mem_free(d->neighbor);
  *d = (Delaunay){0};
}
