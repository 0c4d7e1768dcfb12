// Bodies at finite strains and sheets: each with equations and a matrix of its own.

#include <assert.h>

#include "body/body_type.h"
#include "body/finite.h"

static const Form *form_of(const BodySet *bs, int body) {
  return &bs->finite[bs->own[body]].form;
}

static const Material *material(const BodySet *bs, int body) {
  return form_of(bs, body)->spec.material;
}

static double mass(const BodySet *bs, int body) {
  const Form *form = form_of(bs, body);
  double sum = 0;
  for (int k = 0; k < form->n_nodes; k++) sum += form->mass[k];
  return sum;
}

static double node_mass(const BodySet *bs, int body, int local) {
  return form_of(bs, body)->mass[local];
}

static int held(const BodySet *bs, int body) {
  const FiniteBody *finite = &bs->finite[bs->own[body]];
  const Form *form = &finite->form;
  for (int k = 0; finite->fixed && k < form->n_nodes * bs->dim; k++)
    if (finite->fixed[k]) return 1;
  for (int k = 0; form->edge && k < form->n_nodes; k++)
    if (form->edge[k]) return 1;
  return 0;
}

static int lacks(const BodySet *bs, int body, int elem) {
  const uint8_t *cut = form_of(bs, body)->spec.cut;
  return cut && cut[elem];
}

static int moves(const BodySet *bs, int body, int component) {
  (void)bs, (void)body, (void)component;
  return 1;
}

static void show(const BodySet *bs, const BodyState *state, int body, double *u, ShowElement each,
                 void *of) {
  const Form *form = form_of(bs, body);
  FiniteIterate at = {
      .state = state, .u = state->q, .config = state->config, .internal = state->internal};
  FormPoint point = finite_point(bs, bs->own[body], &at);
  (void)u;
  for (int e = 0; e < form->n_elems; e++) {
    FormOutput shown;
    if (bodies_lacks(bs, body, e)) continue;
    form->type->output(form, e, &point, &shown);
    each(of, e, &shown);
  }
}

static void grip(const GripSource *from, const Site *site, const double axis[3][3], Grip *grip) {
  const BodySet *bs = from->bs;
  assert(from->m->finite);
  const Compliance *own = &from->m->finite[bs->own[site->body]];
  grip_axes(bs->dim, axis, grip);
  grip->compliance = own->block;
  grip->elastic = own->elastic;
  grip->rigid = own->rigid;
  grip->n_rigid = own->n_rigid;
  grip->n_row = own->n;
  for (int i = 0; i < site->n; i++) {
    grip->row[i] = own->index[site->node[i] - bs->node_ptr[site->body]];
    if (grip->row[i] >= 0) continue;
    grip->row[i] = 0; // nothing moves a node without a row: it is prescribed
    grip->weight[i] = 0;
  }
}

// What the rows of this file have in common.
#define AT_FINITE_STRAINS                                                                          \
  .material = material, .mass = mass, .node_mass = node_mass, .held = held, .lacks = lacks,        \
  .moves = moves, .show = show, .grip = grip

const BodyType body_finite = {.noun = "body", .deforms = 1, .iterated = 1, AT_FINITE_STRAINS};

const BodyType body_sheet = {
    .noun = "sheet", .deforms = 1, .iterated = 1, .sheet = 1, AT_FINITE_STRAINS};
