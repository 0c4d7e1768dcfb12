#include "output/sheet_fields.h"

#include <math.h>
#include <string.h>

#include "base/vec3.h"
#include "step/stage.h"

static Status take_real(double **array, int n, Arena *arena, Err *err) {
  ARENA_NEW(*array, n, arena, err);
  memset(*array, 0, sizeof **array * (size_t)n);
  return OK;
}

// Vectors to the nodes of sheets: normal times the area that a node has of its elements now.
static void node_normals(const BodySet *bs, const double *q, double *normal) {
  for (int k = 0; k < bs->n_finite; k++) {
    int body = bs->finite[k].body;
    const Mesh *mesh = bs->mesh[body];
    if (!bs->finite[k].form.type->shell) continue;
    for (int e = 0; e < mesh->n_elems; e++) {
      const int32_t *node = mesh->elem_node + mesh->elem_ptr[e];
      int n = mesh->elem_ptr[e + 1] - mesh->elem_ptr[e];
      double x[4][3], a[3], b[3];
      if (bodies_lacks(bs, body, e)) continue;
      for (int i = 0; i < n; i++)
        for (int c = 0; c < 3; c++) {
          size_t at = 3 * (size_t)(bs->node_ptr[body] + node[i]) + c;
          x[i][c] = bs->x[at] + q[at];
        }
      for (int c = 0; c < 3; c++) { // half the product of the diagonals, of two sides of a triangle
        a[c] = x[2][c] - x[0][c];
        b[c] = n == 4 ? x[3][c] - x[1][c] : x[2][c] - x[1][c];
      }
      for (int c = 0; c < 3; c++) {
        double area = 0.5 * (a[(c + 1) % 3] * b[(c + 2) % 3] - a[(c + 2) % 3] * b[(c + 1) % 3]);
        for (int i = 0; i < n; i++)
          normal[3 * (size_t)(bs->node_ptr[body] + node[i]) + c] += area / n;
      }
    }
  }
}

static Status find_contacts(SheetNodes *f, const Model *model, const State *state,
                            const StepWork *work, Arena *arena, Err *err) {
  const BodySet *bs = &model->bodies;
  double *normal;
  if (!work->reaction) return OK;
  TRY(take_real(&normal, 3 * bs->n_nodes, arena, err));
  node_normals(bs, state->bodies.q, normal);
  for (int c = 0; c < contact_count(work->contact); c++) {
    const Contact *contact = &contact_list(work->contact)[c];
    double force = work->reaction[3 * (size_t)c] / work->report.h_last;
    int32_t status = contact_status(work->contact, c);
    const int n_own = contact->side[0].n;
    for (int k = 0; k < n_own + contact->side[1].n; k++) {
      const Site *site = &contact->side[k >= n_own];
      const int term = k >= n_own ? k - n_own : k, node = site->node[term];
      const double weight = site->weight[term], *n = normal + 3 * (size_t)node;
      double area = vec3_length(n), along = 0;
      if (!(area > 0) || weight == 0) continue;
      for (int i = 0; i < 3; i++) along += weight * contact->n[i] * n[i];
      int side = along < 0; // what pushes along the normal touches the lower face
      f->pressure[side][node] += fabs(weight) * force / area;
      int32_t *most = &f->status[side][node];
      if (status > *most) *most = status;
    }
  }
  return OK;
}

static Status find_springback(SheetNodes *f, const Model *model, const State *state, Arena *arena,
                              Err *err) {
  const BodySet *bs = &model->bodies;
  double *normal;
  if (!stage_has_formed(model, state)) return OK;
  TRY(take_real(&normal, 3 * bs->n_nodes, arena, err));
  node_normals(bs, state->formed, normal);
  for (int k = 0; k < bs->n_nodes; k++) {
    const double *n = normal + 3 * (size_t)k;
    double area = vec3_length(n);
    if (!(area > 0)) continue; // no node of a sheet
    for (int i = 0; i < 3; i++) {
      size_t at = 3 * (size_t)k + i;
      f->springback[at] = state->bodies.q[at] - state->formed[at];
      f->distance[k] += f->springback[at] * n[i] / area;
    }
  }
  return OK;
}

Status sheet_nodes_find(SheetNodes *f, const Model *model, const State *state, const StepWork *work,
                        Arena *arena, Err *err) {
  int n = model->bodies.n_nodes;
  for (int side = 0; side < 2; side++) {
    TRY(take_real(&f->pressure[side], n, arena, err));
    ARENA_NEW(f->status[side], n, arena, err);
    memset(f->status[side], 0, sizeof(int32_t) * (size_t)n);
  }
  TRY(take_real(&f->springback, 3 * n, arena, err));
  TRY(take_real(&f->distance, n, arena, err));
  TRY(find_contacts(f, model, state, work, arena, err));
  return find_springback(f, model, state, arena, err);
}
