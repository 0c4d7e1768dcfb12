#include "body/prototype.h"

#include <math.h>
#include <string.h>

#include "body/rigid_modes.h"

ElementSpec prototype_element(const Prototype *p, int elem) {
  return (ElementSpec){.type = element_types[p->mesh->elem_shape[elem]],
                       .state = p->state,
                       .thickness = p->thickness,
                       .b_bar = p->b_bar,
                       .bending_modes = p->bending_modes,
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

// The consistent mass of an element, the same along all axes.
static void add_consistent(Prototype *p, const ElementSpec *spec, const double *x,
                           const int32_t *node) {
  double m[MAX_ELEM_NODES * MAX_ELEM_NODES];
  const int n = spec->type->n_nodes, dim = p->mesh->dim;
  Sparse *to = &p->consistent_mass;
  element_consistent_volume(spec, x, m);
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      for (int a = 0; a < dim; a++)
        to->val[sparse_find(to, node[i] * dim + a, node[j] * dim + a)] +=
            p->material->density * m[n * i + j];
}

// K and the mass, element by element.
static Status assemble(Prototype *p, Err *err) {
  const Mesh *mesh = p->mesh;
  int dim = mesh->dim;
  TRY(sparse_from_groups(&p->stiffness, mesh->n_nodes, dim, mesh->n_elems, mesh->elem_ptr,
                         mesh->elem_node, err));
  if (p->consistent) {
    p->consistent_mass = p->stiffness; // its pattern, borrowed
    p->consistent_mass.val = NULL;
    MEM_NEW(p->consistent_mass.val, p->stiffness.ptr[p->stiffness.n], err);
  }
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
    if (p->consistent) add_consistent(p, &spec, x, node);
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
                   .bending_modes = spec->bending_modes,
                   .consistent = spec->consistent,
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
  mem_free(step->elastic);
  mem_free(step->rigid);
  *step = (PrototypeStep){0};
}

void prototype_factors_free(PrototypeFactors *factors) {
  for (int k = 0; k < factors->n_steps; k++) step_free(&factors->step[k]);
  *factors = (PrototypeFactors){0};
}

void prototype_free(Prototype *p) {
  skin_free(&p->skin);
  sparse_free(&p->stiffness);
  mem_free(p->consistent_mass.val);
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
    if (fabs(a->x[k] - b->x[k]) > PROTOTYPE_SAME_SHAPE * size) return 0;
  return 1;
}

int prototype_matches(const Prototype *p, const PrototypeSpec *spec) {
  if (p->material != spec->material || p->state != spec->state || p->b_bar != spec->b_bar) return 0;
  if (p->bending_modes != spec->bending_modes || p->consistent != spec->consistent) return 0;
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
      if (p->consistent)
        a->val[k] += with_m * p->consistent_mass.val[k];
      else if (i == j)
        a->val[k] += with_m * p->mass[i / dim];
      if (p->fixed && (p->fixed[i] || p->fixed[j])) a->val[k] = i == j;
    }
  return OK;
}

// Rigid motions R of a prototype, R^T A R = 1.
typedef struct {
  int n;
  double *modes, *a_modes; // [n * n_dofs] R, A R
} RigidPart;

static void rigid_part_free(RigidPart *rigid) {
  mem_free(rigid->modes);
  mem_free(rigid->a_modes);
}

static Status rigid_part_make(RigidPart *rigid, const Prototype *p, const Sparse *a, Err *err) {
  RigidCloud cloud = {.dim = p->mesh->dim,
                      .n_nodes = p->mesh->n_nodes,
                      .n_dofs = p->n_dofs,
                      .x = p->mesh->x,
                      .fixed = p->fixed,
                      .only_along = p->state == AXISYMMETRIC ? 1 : -1};
  MEM_NEW(rigid->modes, (size_t)p->n_dofs * MAX_RIGID_MODES, err);
  MEM_NEW(rigid->a_modes, (size_t)p->n_dofs * MAX_RIGID_MODES, err);
  int n = rigid_modes(&cloud, rigid->modes);
  for (int m = 0; m < n; m++)
    sparse_multiply(a, 1, rigid->modes + (size_t)m * (size_t)p->n_dofs,
                    rigid->a_modes + (size_t)m * (size_t)p->n_dofs);
  rigid->n = rigid_orthonormal(p->n_dofs, n, rigid->modes, rigid->a_modes);
  return OK;
}

// Eight lanes of b, or of x, less what belongs to rigid motions: b - A R R^T b, x - R (A R)^T x.
static void remove_rigid(const RigidPart *rigid, size_t n, const double *along, const double *by,
                         double *x) {
  for (int m = 0; m < rigid->n; m++) {
    const double *to = along + (size_t)m * n, *with = by + (size_t)m * n;
    double part[8] = {0};
    for (size_t i = 0; i < n; i++)
      for (int l = 0; l < 8; l++) part[l] += with[i] * x[8 * i + l];
    for (size_t i = 0; i < n; i++)
      for (int l = 0; l < 8; l++) x[8 * i + l] -= to[i] * part[l];
  }
}

// Skin columns of w, eight at a time: the elastic part from loads that are in balance, and the
// rigid part, which is known, added to it.
static Status fill_columns(const Prototype *p, const RigidPart *rigid, PrototypeStep *step,
                           double *b, double *x, Err *err) {
  int dim = p->mesh->dim, n_skin = p->skin.n_nodes, n_cols = n_skin * dim;
  size_t n = (size_t)p->n_dofs;
  for (int first = 0; first < n_cols; first += 8) {
    int lanes = n_cols - first < 8 ? n_cols - first : 8;
    memset(b, 0, sizeof *b * n * 8);
    for (int l = 0; l < lanes; l++) {
      int dof = p->skin.node[(first + l) / dim] * dim + (first + l) % dim;
      if (!p->fixed || !p->fixed[dof]) b[(size_t)dof * 8 + l] = 1;
    }
    remove_rigid(rigid, n, rigid->a_modes, rigid->modes, b);
    TRY(spd_apply(step->w, 8, b, x, err));
    remove_rigid(rigid, n, rigid->modes, rigid->a_modes, x);
    for (int l = 0; l < lanes; l++)
      for (int row = 0; row < n_cols; row++) {
        int i = row / dim, j = (first + l) / dim, col = (first + l) % dim;
        int dof = p->skin.node[i] * dim + row % dim, dof_b = p->skin.node[j] * dim + col;
        double value = p->fixed && p->fixed[dof] ? 0 : x[(size_t)dof * 8 + l];
        size_t at = ((size_t)i * n_skin + j) * dim * dim + (row % dim) * dim + col;
        step->elastic[at] = value;
        for (int m = 0; m < rigid->n; m++)
          value += rigid->modes[(size_t)m * n + dof] * rigid->modes[(size_t)m * n + dof_b];
        step->compliance[at] = value;
      }
  }
  return OK;
}

static Status keep_rigid(const Prototype *p, const RigidPart *rigid, PrototypeStep *step,
                         Err *err) {
  int dim = p->mesh->dim, n_rows = p->skin.n_nodes * dim;
  step->n_rigid = rigid->n;
  MEM_NEW(step->rigid, n_rows * rigid->n + 1, err);
  for (int row = 0; row < n_rows; row++)
    for (int m = 0; m < rigid->n; m++) {
      int dof = p->skin.node[row / dim] * dim + row % dim;
      step->rigid[row * rigid->n + m] = rigid->modes[(size_t)m * (size_t)p->n_dofs + (size_t)dof];
    }
  return OK;
}

static Status fill_compliance(const Prototype *p, const Sparse *a, PrototypeStep *step, Err *err) {
  size_t n = (size_t)p->n_dofs, n_cols = (size_t)p->skin.n_nodes * p->mesh->dim;
  RigidPart rigid = {0};
  double *b = mem_new(n * 8, sizeof *b), *x = mem_new(n * 8, sizeof *x);
  step->compliance = mem_new(n_cols * n_cols, sizeof *step->compliance);
  step->elastic = mem_new(n_cols * n_cols, sizeof *step->elastic);
  Status status = OK;
  if (!b || !x || !step->compliance || !step->elastic)
    status =
        err_set(err, ERR_SYSTEM, "out of memory: compliance of %d skin nodes", p->skin.n_nodes);
  if (status == OK) status = rigid_part_make(&rigid, p, a, err);
  if (status == OK) status = fill_columns(p, &rigid, step, b, x, err);
  if (status == OK) status = keep_rigid(p, &rigid, step, err);
  rigid_part_free(&rigid);
  mem_free(b);
  mem_free(x);
  return status;
}

Status prototype_step(const Prototype *p, PrototypeFactors *factors, double h, double theta,
                      const PrototypeStep **out, Err *err) {
  PrototypeStep *list = factors->step;
  for (int k = 0; k < factors->n_steps; k++)
    if (list[k].h == h && list[k].theta == theta) {
      *out = &list[k];
      return OK;
    }
  if (factors->n_steps == MAX_PROTOTYPE_STEPS) {
    step_free(&list[0]);
    memmove(list, list + 1, sizeof list[0] * (MAX_PROTOTYPE_STEPS - 1));
    factors->n_steps--;
    list[factors->n_steps] = (PrototypeStep){0};
  }
  PrototypeStep *step = &list[factors->n_steps];
  Sparse a = {0};
  Status status;
  TRY_GOTO(status, iteration_matrix(p, h, theta, &a, err), done);
  TRY_GOTO(status, spd_make(&step->w, &a, err), done);
  TRY_GOTO(status, fill_compliance(p, &a, step, err), done);
  step->h = h;
  step->theta = theta;
  factors->n_steps++;
  *out = step;
done:
  sparse_free(&a);
  if (status != OK) {
    step_free(step);
    err_note(err, "matrix M + h theta V + h^2 theta^2 K at h = %g, theta = %g", h, theta);
  }
  return status;
}
