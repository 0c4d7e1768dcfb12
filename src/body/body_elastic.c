// Bodies of small strains that share prototypes, in frames that stay or turn.

#include <string.h>

#include "base/vec3.h"
#include "body/body_type.h"
#include "body/turning.h"

static const Prototype *prototype_of(const BodySet *bs, int body) {
  return &bs->protos[bs->proto[body]];
}

static const Material *material(const BodySet *bs, int body) {
  return prototype_of(bs, body)->material;
}

static double mass(const BodySet *bs, int body) {
  return prototype_of(bs, body)->total_mass;
}

static double node_mass(const BodySet *bs, int body, int local) {
  return prototype_of(bs, body)->mass[local];
}

static const Skin *skin(const BodySet *bs, int body) {
  return &prototype_of(bs, body)->skin;
}

static int held(const BodySet *bs, int body) {
  const Prototype *p = prototype_of(bs, body);
  for (int k = 0; p->fixed && k < p->n_dofs; k++)
    if (p->fixed[k]) return 1;
  return 0;
}

static int moves(const BodySet *bs, int body, int component) {
  (void)bs, (void)body, (void)component;
  return 1;
}

// Stress of the body's frame in the global frame: Q S Q^T. In the plane zz stays.
static void rotate_stress(int dim, const double *q, double s[6]) {
  static const int at[3][3] = {{0, 3, 5}, {3, 1, 4}, {5, 4, 2}};
  double turned[6] = {0};
  for (int i = 0; i < dim; i++)
    for (int j = i; j < dim; j++)
      for (int k = 0; k < dim; k++)
        for (int l = 0; l < dim; l++)
          turned[at[i][j]] += q[dim * i + k] * q[dim * j + l] * s[at[k][l]];
  if (dim == 2) turned[2] = s[2];
  memcpy(s, turned, sizeof turned);
}

void dynamics_stress(const BodySet *bs, const double *frame, int body, int elem, const double *u,
                     double s[6]) {
  const Prototype *p = prototype_of(bs, body);
  ElementSpec spec = prototype_element(p, elem);
  double x[MAX_ELEM_DOFS], own[MAX_ELEM_DOFS];
  const int32_t *node = p->mesh->elem_node + p->mesh->elem_ptr[elem];
  int n = p->mesh->elem_ptr[elem + 1] - p->mesh->elem_ptr[elem], dim = bs->dim;
  for (int k = 0; k < n; k++)
    for (int i = 0; i < dim; i++) {
      x[k * dim + i] = p->mesh->x[(size_t)node[k] * dim + i];
      own[k * dim + i] = u[(size_t)node[k] * dim + i];
    }
  element_stress(&spec, x, own, s);
  rotate_stress(dim, frame + (size_t)(dim * dim) * (size_t)body, s);
}

static void show(const BodySet *bs, const BodyState *state, int body, double *u, ShowElement each,
                 void *of) {
  FormOutput shown = {0};
  dynamics_local_displacement(bs, state->frame, state->q, body, u);
  for (int e = 0; e < bs->mesh[body]->n_elems; e++) {
    dynamics_stress(bs, state->frame, body, e, u, shown.stress);
    each(of, e, &shown);
  }
}

static void grip(const GripSource *from, const Site *site, const double axis[3][3], Grip *grip) {
  const BodySet *bs = from->bs;
  const int dim = bs->dim, p = bs->proto[site->body], first = bs->node_ptr[site->body];
  const PrototypeStep *step = from->m->step[p];
  const double *q = from->frame + (size_t)(dim * dim) * (size_t)site->body;
  for (int i = 0; i < site->n; i++)
    grip->row[i] = bs->protos[p].skin.skin_of[site->node[i] - first];
  for (int i = 0; i < dim; i++)
    for (int j = 0; j < dim; j++) {
      double sum = q[i] * axis[j][0] + q[dim + i] * axis[j][1];
      grip->g[dim * i + j] = dim == 3 ? sum + q[6 + i] * axis[j][2] : sum;
    }
  grip->compliance = step->compliance;
  grip->elastic = step->elastic;
  grip->rigid = step->rigid;
  grip->n_rigid = step->n_rigid;
  grip->n_row = bs->protos[p].skin.n_nodes;
}

// M v of a consistent mass, the same along all axes, so in any frame; NULL-safe for lumped ones by
// the caller.
static void impulse_of(const Prototype *p, const double *v, int node, double impulse[3]) {
  const int dim = p->mesh->dim;
  for (int i = 0; i < dim; i++) {
    const Sparse *m = &p->consistent_mass;
    const int row = dim * node + i;
    impulse[i] = 0;
    for (int64_t k = m->ptr[row]; k < m->ptr[row + 1]; k++)
      if (m->col[k] % dim == i) impulse[i] += m->val[k] * v[m->col[k]];
  }
}

static double beyond_nodes(const BodySet *bs, int body, const double *v) {
  const Prototype *p = prototype_of(bs, body);
  const int dim = bs->dim;
  const double *own = v + (size_t)dim * (size_t)bs->node_ptr[body];
  double sum = 0;
  for (int k = 0; k < p->mesh->n_nodes && p->consistent; k++) {
    double impulse[3];
    impulse_of(p, own, k, impulse);
    for (int i = 0; i < dim; i++)
      sum += 0.5 * own[dim * k + i] * (impulse[i] - p->mass[k] * own[dim * k + i]);
  }
  return sum;
}

static void angular_momentum(const BodySet *bs, const BodyState *state, int body, double l[3]) {
  const Prototype *p = prototype_of(bs, body);
  const BodyTurning turning = body_turning(bs, state, body);
  const int dim = bs->dim;
  const size_t first = (size_t)dim * (size_t)bs->node_ptr[body];
  memcpy(l, turning.moment, sizeof turning.moment);
  if (!p->consistent) return;
  l[0] = l[1] = l[2] = 0;
  for (int k = 0; k < p->mesh->n_nodes; k++) {
    double impulse[3] = {0}, arm[3] = {0}, cross[3];
    impulse_of(p, state->v + first, k, impulse);
    for (int i = 0; i < dim; i++) {
      const size_t at = first + (size_t)(dim * k + i);
      arm[i] = bs->x[at] + state->q[at] - turning.place[i];
      impulse[i] -= p->mass[k] * turning.v[i];
    }
    vec3_cross(arm, impulse, cross);
    for (int i = 0; i < 3; i++) l[i] += cross[i];
  }
}

// What the rows of this file have in common.
#define ELASTIC                                                                                    \
  .material = material, .mass = mass, .node_mass = node_mass, .skin = skin, .held = held,          \
  .moves = moves, .show = show, .grip = grip, .beyond_nodes = beyond_nodes,                        \
  .angular_momentum = angular_momentum

const BodyType body_small = {.noun = "body", .deforms = 1, ELASTIC};

const BodyType body_corotational = {.noun = "body", .deforms = 1, .turns = 1, ELASTIC};
