// Sheets beside the fillets of tools: how long are the elements that lie over a fillet, in the
// direction in which it bends them?

#include <math.h>
#include <stdlib.h>

#include "app/foresee.h"
#include "base/space.h"
#include "base/vec3.h"

double foresee_edges(const SheetFillet *fillet) {
  const double quarter = 0.5 * PI;
  return quarter * fillet->radius / fillet->edge;
}

typedef struct {
  double size, weight; // [m], [m^2]
} Sized;

static int compare_sized(const void *a, const void *b) {
  double x = ((const Sized *)a)->size, y = ((const Sized *)b)->size;
  return (x > y) - (x < y);
}

// Half of the weight has no larger size.
static double median(Sized *sized, int n) {
  double sum = 0, below = 0;
  int k = 0;
  qsort(sized, (size_t)n, sizeof *sized, compare_sized);
  for (int i = 0; i < n; i++) sum += sized[i].weight;
  while (k < n - 1 && (below += sized[k].weight) < 0.5 * sum) k++;
  return sized[k].size;
}

static const double *elem_node(const Mesh *mesh, int elem, int k) {
  int first = mesh->elem_ptr[elem], n = mesh->elem_ptr[elem + 1] - first;
  return mesh->x + 3 * (size_t)mesh->elem_node[first + k % n];
}

static void between(const double a[3], const double b[3], double d[3]) {
  for (int i = 0; i < 3; i++) d[i] = a[i] - b[i];
}

// Length of an element along a unit vector: the mean of its edges as a quadratic form. That of a
// rectangle along a side is the side; that of a square its edge, along any direction. A triangle is
// half of the parallelogram on its shorter edges. NULL: the root of the mean square of all
// directions.
static double elem_length(const Mesh *mesh, int elem, const double *along) {
  int n = mesh->elem_ptr[elem + 1] - mesh->elem_ptr[elem];
  double sum = 0, longest = 0, of_longest = 0;
  for (int k = 0; k < n; k++) {
    double edge[3];
    between(elem_node(mesh, elem, k + 1), elem_node(mesh, elem, k), edge);
    double square = vec3_dot(edge, edge), part = along ? vec3_dot(edge, along) : 0;
    double own = along ? part * part : 0.5 * square;
    sum += own;
    if (square <= longest) continue;
    longest = square;
    of_longest = own;
  }
  return sqrt(n == 3 ? sum - of_longest : 0.5 * sum);
}

// Area vector of a polygon about its first corner, and its middle.
static void polygon(const Mesh *mesh, const int32_t *node, int n, double area[3],
                    double middle[3]) {
  const double *origin = mesh->x + 3 * (size_t)node[0];
  for (int i = 0; i < 3; i++) area[i] = middle[i] = 0;
  for (int k = 0; k < n; k++) {
    const double *x = mesh->x + 3 * (size_t)node[k], *y = mesh->x + 3 * (size_t)node[(k + 1) % n];
    double p[3], q[3], cross[3];
    between(x, origin, p);
    between(y, origin, q);
    vec3_cross(p, q, cross);
    for (int i = 0; i < 3; i++) {
      area[i] += 0.5 * cross[i];
      middle[i] += x[i] / n;
    }
  }
}

// A sheet as it lies: its middle plane, and the middles of its elements.
typedef struct {
  const Mesh *mesh;
  double normal[3];
  double *middle; // [3 n_elems]
} Blank;

static void blank_measure(Blank *blank) {
  const Mesh *mesh = blank->mesh;
  for (int i = 0; i < 3; i++) blank->normal[i] = 0;
  for (int e = 0; e < mesh->n_elems; e++) {
    int first = mesh->elem_ptr[e];
    double area[3];
    polygon(mesh, mesh->elem_node + first, mesh->elem_ptr[e + 1] - first, area,
            blank->middle + 3 * (size_t)e);
    for (int i = 0; i < 3; i++) blank->normal[i] += area[i];
  }
  if (vec3_length(blank->normal) > 0) vec3_normalise(blank->normal); // else it is closed
}

// The element over a point of a tool, seen across the sheet; -1: none.
static int elem_over(const Blank *blank, const double x[3]) {
  double least = (double)INFINITY;
  int found = -1;
  for (int e = 0; e < blank->mesh->n_elems; e++) {
    double d[3];
    between(blank->middle + 3 * (size_t)e, x, d);
    double across = vec3_dot(d, blank->normal), square = vec3_dot(d, d) - across * across;
    if (square >= least) continue;
    least = square;
    found = e;
  }
  return found >= 0 && sqrt(least) <= elem_length(blank->mesh, found, NULL) ? found : -1;
}

// Cosines to the sheet of what a fillet turns by 70 and by 20 degrees: neither flat nor wall.
static const double STEEP = 0.34, FLAT = 0.94;
// So many pairs of facets and elements are looked at, a fraction of a second; of more some facets.
static const double MOST_PAIRS = 5e7;

// What lies over the slopes of a picture.
static int sized_over(const Blank *blank, const Mesh *picture, Sized *sized) {
  int n = 0, stride = 1 + (int)((double)picture->n_facets * blank->mesh->n_elems / MOST_PAIRS);
  for (int f = 0; f < picture->n_facets; f += stride) {
    int first = picture->facet_ptr[f];
    double along[3], middle[3];
    polygon(picture, picture->facet_node + first, picture->facet_ptr[f + 1] - first, along, middle);
    double weight = vec3_length(along);
    vec3_normalise(along);
    double across = vec3_dot(along, blank->normal);
    if (!(weight > 0) || fabs(across) < STEEP || fabs(across) > FLAT) continue;
    int over = elem_over(blank, middle);
    if (over < 0) continue;
    for (int i = 0; i < 3; i++) along[i] -= across * blank->normal[i];
    vec3_normalise(along);
    sized[n++] = (Sized){elem_length(blank->mesh, over, along), weight};
  }
  return n;
}

// Of the elements over the slopes of a shape; where it has none over the sheet, of all.
static Status edge_over(const Blank *blank, const Shape *shape, double *edge, Err *err) {
  const Mesh *mesh = blank->mesh;
  Mesh picture = {0};
  Sized *sized = NULL;
  double low[3], high[3], unused[3];
  int n = 0;
  mesh_bounds(mesh, low, high);
  Status status = shape->type->picture(shape, low, high, &picture, err);
  if (status == OK) {
    sized = mem_new((size_t)(picture.n_facets + mesh->n_elems), sizeof *sized);
    if (!sized) status = err_set(err, ERR_SYSTEM, "out of memory: elements over a fillet");
  }
  if (status == OK) n = sized_over(blank, &picture, sized);
  for (int e = 0; status == OK && n == 0 && e < mesh->n_elems; e++) {
    int first = mesh->elem_ptr[e];
    double area[3];
    polygon(mesh, mesh->elem_node + first, mesh->elem_ptr[e + 1] - first, area, unused);
    sized[e] = (Sized){elem_length(mesh, e, NULL), vec3_length(area)};
  }
  if (status == OK) *edge = median(sized, n > 0 ? n : mesh->n_elems);
  mem_free(sized);
  mesh_free(&picture);
  return status;
}

static Status fillets_of(const Model *model, const FiniteBody *finite, SheetFillet *list, int *n,
                         Err *err) {
  const BodySet *bs = &model->bodies;
  const ContactModel *cm = &model->contact;
  Blank blank = {.mesh = bs->mesh[finite->body]};
  Status status = OK;
  MEM_NEW(blank.middle, 3 * blank.mesh->n_elems, err);
  blank_measure(&blank);
  for (int t = 0; t < bs->n_tools && status == OK; t++) {
    const Tool *tool = &bs->tools[t];
    int rule = cm->rule_of[cm->class_of[finite->body] * cm->n_classes + cm->class_of[tool->body]];
    double radius = tool->shape.type->fillet ? tool->shape.type->fillet(&tool->shape) : 0, edge = 0;
    if (rule < 0 || !(radius > 0) || !isfinite(radius)) continue;
    status = edge_over(&blank, &tool->shape, &edge, err);
    list[(*n)++] = (SheetFillet){.sheet = finite->body,
                                 .tool = tool->body,
                                 .radius = radius + 0.5 * finite->form.spec.thickness,
                                 .edge = edge};
  }
  mem_free(blank.middle);
  return status;
}

Status foresee_fillets(const Model *model, SheetFillet **list, int *n, Err *err) {
  const BodySet *bs = &model->bodies;
  *n = 0;
  MEM_NEW(*list, bs->n_finite * bs->n_tools, err);
  for (int k = 0; k < bs->n_finite; k++)
    if (bs->finite[k].form.type->shell) TRY(fillets_of(model, &bs->finite[k], *list, n, err));
  return OK;
}
