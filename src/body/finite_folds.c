// Sheets whose elements turn against one another. See finite.h.
#include <math.h>
#include <string.h>

#include "base/vec3.h"
#include "body/finite.h"

// An element is folded where it is turned from the mean of those at its node by more than half a
// right angle, of cosine 1/sqrt(2): two neighbours that share it evenly are then at a right angle.
static const double FOLDED = 0.70710678118654752440;

// Normal of the corner k of an element, of the size of the area there.
static void corner_normal(const Mesh *mesh, const double *x, const double *u, int e, int k,
                          double n[3]) {
  int first = mesh->elem_ptr[e], size = mesh->elem_ptr[e + 1] - first;
  int32_t at[3] = {mesh->elem_node[first + k], mesh->elem_node[first + (k + 1) % size],
                   mesh->elem_node[first + (k + size - 1) % size]};
  double a[3], b[3];
  for (int c = 0; c < 3; c++) {
    double corner = x[3 * at[0] + c] + (u ? u[3 * at[0] + c] : 0);
    a[c] = x[3 * at[1] + c] + (u ? u[3 * at[1] + c] : 0) - corner;
    b[c] = x[3 * at[2] + c] + (u ? u[3 * at[2] + c] : 0) - corner;
  }
  vec3_cross(a, b, n);
}

static double cosine(const double a[3], const double b[3]) {
  double size = sqrt(vec3_dot(a, a) * vec3_dot(b, b));
  return size > 0 ? vec3_dot(a, b) / size : 1;
}

static void sum_normals(const Form *form, const double *x, const double *u, double *sum) {
  const Mesh *mesh = form->spec.mesh;
  memset(sum, 0, 3 * sizeof(double) * (size_t)mesh->n_nodes);
  for (int e = 0; e < form->n_elems; e++)
    for (int k = mesh->elem_ptr[e]; k < mesh->elem_ptr[e + 1] && !form_is_cut(form, e); k++) {
      double n[3], *to = sum + 3 * (size_t)mesh->elem_node[k];
      corner_normal(mesh, x, u, e, k - mesh->elem_ptr[e], n);
      for (int c = 0; c < 3; c++) to[c] += n[c];
    }
}

// Least cosine between a corner of the element and the mean of its node.
static double least_cosine(const Form *form, const double *x, const double *u, const double *sum,
                           int e) {
  const Mesh *mesh = form->spec.mesh;
  double least = 1;
  for (int k = mesh->elem_ptr[e]; k < mesh->elem_ptr[e + 1]; k++) {
    double n[3];
    corner_normal(mesh, x, u, e, k - mesh->elem_ptr[e], n);
    least = fmin(least, cosine(n, sum + 3 * (size_t)mesh->elem_node[k]));
  }
  return least;
}

Status finite_folds(const BodySet *bs, const double *u, Arena *arena, int *n, FiniteWorst *where,
                    Err *err) {
  *n = 0;
  *where = (FiniteWorst){.body = -1};
  for (int b = 0; b < bs->n_finite; b++) {
    const FiniteBody *body = &bs->finite[b];
    const Form *form = &body->form;
    size_t first = 3 * (size_t)bs->node_ptr[body->body];
    const double *x = bs->x + first, *own = u + first;
    double *now, *start = NULL;
    if (!form->type->shell) continue;
    ARENA_NEW(now, 3 * form->n_nodes, arena, err);
    sum_normals(form, x, own, now);
    for (int e = 0; e < form->n_elems; e++) {
      double cos_now = form_is_cut(form, e) ? 1 : least_cosine(form, x, own, now, e);
      if (cos_now >= FOLDED) continue;
      if (!start) {
        ARENA_NEW(start, 3 * form->n_nodes, arena, err);
        sum_normals(form, x, NULL, start);
      }
      if (least_cosine(form, x, NULL, start, e) < FOLDED) continue;
      double angle = 2 * acos(fmax(cos_now, -1));
      *n += 1;
      if (angle > where->value)
        *where = (FiniteWorst){.value = angle, .body = body->body, .elem = e};
    }
  }
  return OK;
}

void finite_middle(const BodySet *bs, const double *u, int body, int elem, double x[3]) {
  const Mesh *mesh = bs->mesh[body];
  int n = mesh->elem_ptr[elem + 1] - mesh->elem_ptr[elem];
  for (int i = 0; i < 3; i++) x[i] = 0;
  for (int k = mesh->elem_ptr[elem]; k < mesh->elem_ptr[elem + 1]; k++)
    for (int i = 0; i < bs->dim; i++) {
      size_t at = (size_t)(bs->node_ptr[body] + mesh->elem_node[k]) * (size_t)bs->dim + (size_t)i;
      x[i] += (bs->x[at] + u[at]) / n;
    }
}

// Change of an edge from node a to b by the motion `moved`, over its length.
static double edge_turn(const double *x, const double *moved, int a, int b) {
  double edge[3], change[3];
  for (int i = 0; i < 3; i++) {
    edge[i] = x[3 * b + i] - x[3 * a + i];
    change[i] = moved[3 * b + i] - moved[3 * a + i];
  }
  return vec3_length(change) / vec3_length(edge);
}

double finite_turn(const BodySet *bs, const FiniteSystem *system, StepSize size, const double *dv) {
  double most = 0;
  for (int k = 0; k < bs->n_finite; k++) {
    const Form *form = &bs->finite[k].form;
    const Mesh *mesh = form->spec.mesh;
    const double *own = dv + system->matrix[k].first, *extra = own + 3 * form->n_nodes;
    const double *x = bs->x + 3 * (size_t)bs->node_ptr[bs->finite[k].body];
    if (!form->type->shell) continue;
    for (int i = 0; i < form->n_extra; i++) most = fmax(most, fabs(extra[i]));
    for (int e = 0; e < form->n_elems; e++) {
      const int32_t *node = mesh->elem_node + mesh->elem_ptr[e];
      int n = form_is_cut(form, e) ? 0 : mesh->elem_ptr[e + 1] - mesh->elem_ptr[e];
      for (int j = 0; j < n; j++) most = fmax(most, edge_turn(x, own, node[j], node[(j + 1) % n]));
    }
  }
  return size.h * size.theta * most;
}
