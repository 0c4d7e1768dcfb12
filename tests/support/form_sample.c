#include "form_sample.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "element_sample.h"

static void must(int fine) {
  if (!fine) abort();
}

static void make(Mesh *mesh, ShapeCode shape, int n_nodes, int n_elems) {
  int m = topology_table[shape].n_nodes;
  must(mesh_init(mesh, topology_table[shape].dim, n_nodes, n_elems, n_elems * m, NULL) == OK);
  for (int e = 0; e < n_elems; e++) {
    mesh->elem_shape[e] = (uint8_t)shape;
    mesh->elem_ptr[e + 1] = (e + 1) * m;
  }
}

void sample_mesh_element(Mesh *mesh, ShapeCode shape, double distortion) {
  const ElementType *type = element_types[shape];
  make(mesh, shape, type->n_nodes, 1);
  for (int k = 0; k < type->n_nodes; k++) mesh->elem_node[k] = k;
  sample_element(type, distortion, mesh->x, NULL);
}

void sample_mesh_patch(Mesh *mesh, ShapeCode shape, int n_x, int n_y, const double *size,
                       double distortion, double shift) {
  Patch patch;
  patch_make(&patch, element_types[shape], n_x, n_y, size, distortion);
  make(mesh, shape, patch.n_nodes, patch.n_elems);
  for (int k = 0; k < patch.n_nodes * patch.dim; k++)
    mesh->x[k] = patch.x[k] + (k % patch.dim == 0 ? shift : 0);
  for (int k = 0; k < patch.n_elems * patch.nodes_of_elem; k++) mesh->elem_node[k] = patch.node[k];
  patch_free(&patch);
}

static double *numbers(int64_t n) {
  double *x = calloc((size_t)n + 1, sizeof *x);
  must(x != NULL);
  return x;
}

Status body_make(Body *b, const Mesh *mesh, const Material *material, StressState state,
                 int locking_free) {
  FormSpec spec = {.mesh = mesh,
                   .material = material,
                   .state = state,
                   .thickness = mesh->dim == 2 ? 0.7 : 1,
                   .locking_free = locking_free};
  *b = (Body){0};
  Status status = form_init(&b->form, "solid", &spec, NULL);
  if (status != OK) return status;
  int n = mesh->n_nodes * mesh->dim;
  b->u = numbers(n), b->u_old = numbers(n);
  b->old = numbers(b->form.n_internal), b->new = numbers(b->form.n_internal);
  memcpy(b->old, b->form.internal_start, (size_t)b->form.n_internal * sizeof *b->old);
  b->at = (FormPoint){.u = b->u, .u_old = b->u_old, .internal_old = b->old, .internal = b->new};
  return OK;
}

void body_free(Body *b) {
  free(b->u), free(b->u_old), free(b->old), free(b->new);
  form_free(&b->form);
  *b = (Body){0};
}

Status body_assemble(Body *b, double *f, double *k) {
  const Form *form = &b->form;
  int n = form->n_nodes * form->dim;
  double fe[MAX_ELEM_DOFS], ke[MAX_ELEM_DOFS * MAX_ELEM_DOFS];
  memset(f, 0, (size_t)n * sizeof *f);
  if (k) memset(k, 0, (size_t)n * (size_t)n * sizeof *k);
  for (int e = 0; e < form->n_elems; e++) {
    Status status = form->type->element(form, e, &b->at, fe, k ? ke : NULL, NULL);
    if (status != OK) return status;
    const int32_t *dof = form->dof + form->dof_ptr[e];
    int m = form->dof_ptr[e + 1] - form->dof_ptr[e];
    for (int i = 0; i < m; i++) {
      f[dof[i]] += fe[i];
      for (int j = 0; k && j < m; j++) k[(size_t)dof[i] * (size_t)n + dof[j]] += ke[i * m + j];
    }
  }
  return OK;
}

void body_accept(Body *b) {
  memcpy(b->old, b->new, (size_t)b->form.n_internal * sizeof *b->old);
  memcpy(b->u_old, b->u, (size_t)(b->form.n_nodes * b->form.dim) * sizeof *b->u);
}

int body_solve(Body *b, const char *fixed, const double *load, double accuracy) {
  int n = b->form.n_nodes * b->form.dim, it = 0, done = 0;
  double *f = numbers(n), *k = numbers((int64_t)n * n), *r = numbers(n), *step = numbers(n);
  for (; it < 60 && !done; it++) {
    if (body_assemble(b, f, k) != OK) break;
    double rest = 0, scale = 0;
    for (int i = 0; i < n; i++) {
      r[i] = fixed[i] ? 0 : (load ? load[i] : 0) - f[i];
      rest = fmax(rest, fabs(r[i]));
      scale = fmax(scale, fmax(fabs(f[i]), load ? fabs(load[i]) : 0));
    }
    done = rest <= accuracy * scale;
    if (done) break;
    memset(step, 0, (size_t)n * sizeof *step);
    patch_solve(n, k, fixed, r, step);
    for (int i = 0; i < n; i++) b->u[i] += fixed[i] ? 0 : step[i];
  }
  free(f), free(k), free(r), free(step);
  return done ? it : -1;
}
