// Bodies of small strains that share prototypes, in frames that stay or turn.

#include "body/body_type.h"

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

// Stress of the body's frame in the global frame, in the plane; in space frames do not turn.
static void rotate_stress(const double *q, double s[6]) {
  double c = q[0], d = q[2], xx = s[0], yy = s[1], xy = s[3]; // q = [c -d; d c]
  s[0] = c * c * xx + d * d * yy - 2 * c * d * xy;
  s[1] = d * d * xx + c * c * yy + 2 * c * d * xy;
  s[3] = c * d * (xx - yy) + (c * c - d * d) * xy;
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
  if (dim == 2) rotate_stress(frame + 4 * (size_t)body, s);
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

// What the rows of this file have in common.
#define ELASTIC                                                                                    \
  .material = material, .mass = mass, .node_mass = node_mass, .skin = skin, .held = held,          \
  .moves = moves, .show = show, .grip = grip

const BodyType body_small = {.noun = "body", .deforms = 1, ELASTIC};

const BodyType body_corotational = {.noun = "body", .deforms = 1, .turns = 1, ELASTIC};
