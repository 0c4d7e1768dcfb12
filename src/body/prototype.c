#include "body/prototype.h"

#include <math.h>
#include <string.h>

// Meshes whose nodes differ by less than this share of their size are the same block.
static const double SAME_SHAPE = 1e-12;

ElementSpec prototype_element(const Prototype *p, int elem) {
  return (ElementSpec){.type = element_types[p->mesh->elem_shape[elem]],
                       .state = p->state,
                       .thickness = p->thickness,
                       .b_bar = p->b_bar,
                       .d = p->d};
}

static int gather_nodes(const Mesh *mesh, int elem, double *x) {
  int n = mesh->elem_ptr[elem + 1] - mesh->elem_ptr[elem];
  const int32_t *node = mesh->elem_node + mesh->elem_ptr[elem];
  for (int k = 0; k < n; k++)
    memcpy(x + k * mesh->dim, mesh->x + (size_t)node[k] * mesh->dim,
           sizeof(double) * (size_t)mesh->dim);
  return n;
}

// K and the lumped mass, element by element.
static Status assemble(Prototype *p, Err *err) {
  const Mesh *mesh = p->mesh;
  int dim = mesh->dim;
  TRY(sparse_from_groups(&p->stiffness, mesh->n_nodes, dim, mesh->n_elems, mesh->elem_ptr,
                         mesh->elem_node, err));
  for (int e = 0; e < mesh->n_elems; e++) {
    double x[MAX_ELEM_DOFS], ke[MAX_ELEM_DOFS * MAX_ELEM_DOFS], share[MAX_ELEM_NODES];
    ElementSpec spec = prototype_element(p, e);
    if (!spec.type)
      return err_set(err, ERR_INPUT, "element %d is a %s, which carries no bulk behaviour", e + 1,
                     topology_table[mesh->elem_shape[e]].name);
    int n = gather_nodes(mesh, e, x);
    if (element_stiffness(&spec, x, ke, err) != OK) return err_note(err, "element %d", e + 1);
    const int32_t *node = mesh->elem_node + mesh->elem_ptr[e];
    for (int i = 0; i < n * dim; i++)
      for (int j = 0; j < n * dim; j++)
        p->stiffness.val[sparse_find(&p->stiffness, node[i / dim] * dim + i % dim,
                                     node[j / dim] * dim + j % dim)] += ke[i * n * dim + j];
    element_lumped_volume(&spec, x, share);
    for (int k = 0; k < n; k++) p->mass[node[k]] += p->material->density * share[k];
  }
  return OK;
}

static void add_up_mass(Prototype *p) {
  int dim = p->mesh->dim;
  for (int k = 0; k < p->mesh->n_nodes; k++) {
    p->total_mass += p->mass[k];
    for (int i = 0; i < dim; i++) p->center[i] += p->mass[k] * p->mesh->x[(size_t)k * dim + i];
  }
  for (int i = 0; i < dim; i++) p->center[i] /= p->total_mass;
}

Status prototype_init(Prototype *p, const PrototypeSpec *spec, Err *err) {
  int n_dofs = spec->mesh->n_nodes * spec->mesh->dim, m = material_n_strains(spec->state);
  *p = (Prototype){.mesh = spec->mesh,
                   .material = spec->material,
                   .state = spec->state,
                   .thickness = spec->thickness,
                   .b_bar = spec->b_bar,
                   .n_dofs = n_dofs};
  MEM_NEW(p->mass, spec->mesh->n_nodes, err);
  MEM_NEW(p->d, m * m, err);
  if (spec->fixed) {
    MEM_NEW(p->fixed, n_dofs, err);
    memcpy(p->fixed, spec->fixed, (size_t)n_dofs);
  }
  spec->material->type->stiffness(spec->material->par, spec->state, p->d);
  TRY(skin_build(&p->skin, spec->mesh, err));
  TRY(assemble(p, err));
  add_up_mass(p);
  return OK;
}

static void step_free(PrototypeStep *step) {
  spd_free(step->w);
  mem_free(step->compliance);
  *step = (PrototypeStep){0};
}

void prototype_free(Prototype *p) {
  for (int k = 0; k < p->n_steps; k++) step_free(&p->step[k]);
  skin_free(&p->skin);
  sparse_free(&p->stiffness);
  mem_free(p->mass);
  mem_free(p->d);
  mem_free(p->fixed);
  *p = (Prototype){0};
}

static int same_mesh(const Mesh *a, const Mesh *b) {
  if (a == b) return 1;
  if (a->dim != b->dim || a->n_nodes != b->n_nodes || a->n_elems != b->n_elems) return 0;
  if (memcmp(a->elem_shape, b->elem_shape, (size_t)a->n_elems)) return 0;
  if (memcmp(a->elem_ptr, b->elem_ptr, sizeof(int32_t) * ((size_t)a->n_elems + 1))) return 0;
  if (memcmp(a->elem_node, b->elem_node, sizeof(int32_t) * (size_t)a->elem_ptr[a->n_elems]))
    return 0;
  double size = 0;
  for (int k = 0; k < a->n_nodes * a->dim; k++) size = fmax(size, fabs(a->x[k]));
  for (int k = 0; k < a->n_nodes * a->dim; k++)
    if (fabs(a->x[k] - b->x[k]) > SAME_SHAPE * size) return 0;
  return 1;
}

int prototype_matches(const Prototype *p, const PrototypeSpec *spec) {
  if (p->material != spec->material || p->state != spec->state || p->b_bar != spec->b_bar) return 0;
  if (p->thickness != spec->thickness || (p->fixed == NULL) != (spec->fixed == NULL)) return 0;
  if (!same_mesh(p->mesh, spec->mesh)) return 0;
  return !p->fixed || memcmp(p->fixed, spec->fixed, (size_t)p->n_dofs) == 0;
}

// M + h theta V + h^2 theta^2 K with V = a M + b K; rows and columns of fixed unknowns become those
// of the identity.
static Status iteration_matrix(const Prototype *p, double h, double theta, Sparse *a, Err *err) {
  int dim = p->mesh->dim;
  double with_k = h * theta * (p->material->damping_stiffness + h * theta);
  double with_m = 1 + h * theta * p->material->damping_mass;
  TRY(sparse_copy(a, &p->stiffness, err));
  for (int i = 0; i < a->n; i++)
    for (int64_t k = a->ptr[i]; k < a->ptr[i + 1]; k++) {
      int j = a->col[k];
      a->val[k] *= with_k;
      if (i == j) a->val[k] += with_m * p->mass[i / dim];
      if (p->fixed && (p->fixed[i] || p->fixed[j])) a->val[k] = i == j;
    }
  return OK;
}

// Skin columns of w, eight at a time.
static Status fill_compliance(const Prototype *p, PrototypeStep *step, Err *err) {
  int dim = p->mesh->dim, n_skin = p->skin.n_nodes, n = p->n_dofs, n_cols = n_skin * dim;
  double *b = mem_new((size_t)n * 8, sizeof *b), *x = mem_new((size_t)n * 8, sizeof *x);
  step->compliance = mem_new((size_t)n_cols * (size_t)n_cols, sizeof *step->compliance);
  Status status = OK;
  if (!b || !x || !step->compliance)
    status = err_set(err, ERR_SYSTEM, "out of memory: compliance of %d skin nodes", n_skin);
  for (int first = 0; status == OK && first < n_cols; first += 8) {
    int lanes = n_cols - first < 8 ? n_cols - first : 8;
    memset(b, 0, sizeof *b * (size_t)n * 8);
    for (int l = 0; l < lanes; l++) {
      int dof = p->skin.node[(first + l) / dim] * dim + (first + l) % dim;
      if (!p->fixed || !p->fixed[dof]) b[(size_t)dof * 8 + l] = 1;
    }
    status = spd_apply(step->w, 8, b, x, err);
    for (int l = 0; l < lanes && status == OK; l++)
      for (int row = 0; row < n_cols; row++) {
        int i = row / dim, j = (first + l) / dim, col = (first + l) % dim;
        int dof = p->skin.node[i] * dim + row % dim;
        double value = p->fixed && p->fixed[dof] ? 0 : x[(size_t)dof * 8 + l];
        step->compliance[((size_t)i * n_skin + j) * dim * dim + (row % dim) * dim + col] = value;
      }
  }
  mem_free(b);
  mem_free(x);
  return status;
}

Status prototype_step(Prototype *p, double h, double theta, const PrototypeStep **out, Err *err) {
  for (int k = 0; k < p->n_steps; k++)
    if (p->step[k].h == h && p->step[k].theta == theta) {
      *out = &p->step[k];
      return OK;
    }
  if (p->n_steps == MAX_PROTOTYPE_STEPS) {
    step_free(&p->step[0]);
    memmove(p->step, p->step + 1, sizeof p->step[0] * (MAX_PROTOTYPE_STEPS - 1));
    p->n_steps--;
    p->step[p->n_steps] = (PrototypeStep){0};
  }
  PrototypeStep *step = &p->step[p->n_steps];
  Sparse a = {0};
  Status status;
  TRY_GOTO(status, iteration_matrix(p, h, theta, &a, err), done);
  TRY_GOTO(status, spd_make(&step->w, &a, err), done);
  TRY_GOTO(status, fill_compliance(p, step, err), done);
  step->h = h;
  step->theta = theta;
  p->n_steps++;
  *out = step;
done:
  sparse_free(&a);
  if (status != OK) {
    step_free(step);
    err_note(err, "matrix M + h theta V + h^2 theta^2 K at h = %g, theta = %g", h, theta);
  }
  return status;
}
