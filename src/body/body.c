#include "body/body.h"

#include <math.h>
#include <string.h>

#include "body/body_type.h"

static void group_free(char *name, int32_t *items) {
  mem_free(name);
  mem_free(items);
}

void bodies_free(BodySet *bs) {
  for (int p = 0; p < bs->n_protos; p++) prototype_free(&bs->protos[p]);
  for (int b = 0; bs->name && b < bs->n_bodies; b++) {
    mem_free(bs->name[b]);
    if (bs->support_skin) skin_free(&bs->support_skin[b]);
    for (int k = 0; bs->motion && k < 3; k++) function_free(&bs->motion[b].x[k].f);
    if (bs->motion) function_free(&bs->motion[b].turn);
  }
  for (int g = 0; g < bs->n_groups; g++) group_free(bs->groups[g].name, bs->groups[g].body);
  for (int g = 0; g < bs->n_node_groups; g++) {
    group_free(bs->node_groups[g].name, bs->node_groups[g].node);
    mem_free(bs->node_groups[g].facet);
  }
  for (int k = 0; k < bs->n_finite; k++) {
    form_free(&bs->finite[k].form);
    mem_free(bs->finite[k].fixed);
  }
  for (int k = 0; k < bs->n_tools; k++) shape_free(&bs->tools[k].shape);
  for (int k = 0; k < bs->n_rigid; k++) rigid_free(&bs->rigid[k]);
  void *owned[] = {bs->rigid,        bs->finite,      bs->tools, bs->own,    (void *)bs->type,
                   bs->proto,        bs->node_ptr,    bs->x,     bs->place,  bs->body_of,
                   bs->batches,      bs->protos,      bs->plane, bs->inside, bs->prescribed,
                   bs->support_skin, bs->motion,      bs->name,  bs->src,    bs->groups,
                   bs->node_groups,  (void *)bs->mesh};
  for (size_t k = 0; k < sizeof owned / sizeof owned[0]; k++) mem_free(owned[k]);
  *bs = (BodySet){0};
}

void tool_finish(Tool *tool, int dim) {
  double mass = tool->mass > 0 ? tool->mass : tool->drag;
  for (int i = 0; i < dim; i++)
    for (int j = 0; j < dim; j++) {
      int yields = i == j && tool->free[i];
      tool->block[dim * i + j] = yields ? 1 / mass : 0;
      tool->root[dim * i + j] = yields ? 1 / sqrt(mass) : 0;
    }
}

void body_grip(const GripSource *from, const Site *site, const double axis[3][3], Grip *grip) {
  const BodySet *bs = from->bs;
  grip->body = -1;
  if (!bodies_yields(bs, site->body)) return;
  grip->body = site->body;
  grip->n = site->n;
  for (int i = 0; i < site->n; i++) grip->weight[i] = site->weight[i];
  bs->type[site->body]->grip(from, site, axis, grip);
}

void grip_axes(int dim, const double axis[3][3], Grip *grip) {
  for (int i = 0; i < dim; i++)
    for (int j = 0; j < dim; j++) grip->g[dim * i + j] = axis[j][i];
}

int bodies_lacks(const BodySet *bs, int body, int elem) {
  if (bs->removed && bs->removed[body]) return 1;
  return bs->type[body]->lacks && bs->type[body]->lacks(bs, body, elem);
}

void bodies_show(const BodySet *bs, const BodyState *state, int body, double *u, ShowElement each,
                 void *of) {
  const FormOutput nothing = {0};
  if (bs->removed && bs->removed[body]) return;
  if (bs->type[body]->show) {
    bs->type[body]->show(bs, state, body, u, each, of);
    return;
  }
  for (int e = 0; e < bs->mesh[body]->n_elems; e++) each(of, e, &nothing);
}

int bodies_find(const BodySet *bs, const char *name) {
  for (int b = 0; b < bs->n_bodies; b++)
    if (strcmp(bs->name[b], name) == 0) return b;
  return -1;
}

const BodyGroup *bodies_group(const BodySet *bs, const char *name) {
  for (int g = 0; g < bs->n_groups; g++)
    if (strcmp(bs->groups[g].name, name) == 0) return &bs->groups[g];
  return NULL;
}

const Skin *bodies_skin(const BodySet *bs, int body) {
  return bs->type[body]->skin ? bs->type[body]->skin(bs, body) : &bs->support_skin[body];
}

const Material *bodies_material(const BodySet *bs, int body) {
  return bs->type[body]->material ? bs->type[body]->material(bs, body) : NULL;
}

double bodies_mass(const BodySet *bs, int body) {
  return bs->type[body]->mass ? bs->type[body]->mass(bs, body) : 0;
}

double bodies_node_mass(const BodySet *bs, int node) {
  int body = bs->body_of[node];
  const BodyType *type = bs->type[body];
  return type->node_mass ? type->node_mass(bs, body, node - bs->node_ptr[body]) : 0;
}

int64_t bodies_n_unknowns(const BodySet *bs, int body) {
  const BodyType *type = bs->type[body];
  if (type->n_unknowns) return type->n_unknowns(bs, body);
  return (int64_t)(bs->node_ptr[body + 1] - bs->node_ptr[body]) * bs->dim;
}

int bodies_yields(const BodySet *bs, int body) {
  int any = 0;
  for (int i = 0; i < bs->dim; i++) any |= bs->type[body]->moves(bs, body, i);
  return any;
}

Status body_state_init(BodyState *state, const BodySet *bs, Err *err) {
  *state = (BodyState){0};
  size_t n = (size_t)bs->n_nodes * bs->dim, frames = (size_t)bs->n_bodies * bs->dim * bs->dim;
  MEM_NEW(state->q, n, err);
  MEM_NEW(state->v, n, err);
  MEM_NEW(state->frame, frames, err);
  MEM_NEW(state->config, bs->n_config, err);
  MEM_NEW(state->internal, bs->n_internal, err);
  MEM_NEW(state->extra, bs->n_extra, err);
  MEM_NEW(state->half, bs->n_nodes, err);
  MEM_NEW(state->pressed, bs->n_nodes, err);
  MEM_NEW(state->kept, bs->n_kept, err);
  memcpy(state->frame, bs->place, frames * sizeof *state->frame);
  for (int k = 0; k < bs->n_finite; k++) {
    const FiniteBody *body = &bs->finite[k];
    const Form *form = &body->form;
    double *config = state->config + body->config, *internal = state->internal + body->internal;
    if (form->n_config > 0)
      memcpy(config, form->config_start, sizeof *config * (size_t)form->n_config);
    if (form->internal_start)
      memcpy(internal, form->internal_start, sizeof *internal * (size_t)form->n_internal);
    body_state_thickness(state, bs, k, NULL);
  }
  return OK;
}

void body_state_thickness(BodyState *state, const BodySet *bs, int k, const FormPinch *pinch) {
  const FiniteBody *body = &bs->finite[k];
  const Form *form = &body->form;
  double *half = state->half + bs->node_ptr[body->body];
  if (!form->type->thickness) return;
  form->type->thickness(form, state->config + body->config, state->internal + body->internal,
                        pinch ? pinch + bs->node_ptr[body->body] : NULL, half,
                        state->pressed + bs->node_ptr[body->body]);
  for (int i = 0; i < form->n_nodes; i++) half[i] *= 0.5;
}

void body_state_free(BodyState *state) {
  mem_free(state->q);
  mem_free(state->v);
  mem_free(state->frame);
  mem_free(state->config);
  mem_free(state->internal);
  mem_free(state->extra);
  mem_free(state->half);
  mem_free(state->pressed);
  mem_free(state->kept);
  *state = (BodyState){0};
}

void body_state_fields(BodyState *state, const BodySet *bs, FieldList *fields) {
  int64_t n = (int64_t)bs->n_nodes * bs->dim, frames = (int64_t)bs->n_bodies * bs->dim * bs->dim;
  field_add(fields,
            (Field){.name = "body/displacement", .type = FIELD_F64, .count = n, .data = state->q});
  field_add(fields,
            (Field){.name = "body/velocity", .type = FIELD_F64, .count = n, .data = state->v});
  field_add(
      fields,
      (Field){.name = "body/frame", .type = FIELD_F64, .count = frames, .data = state->frame});
  field_add(fields, (Field){.name = "body/config",
                            .type = FIELD_F64,
                            .count = bs->n_config,
                            .data = state->config});
  field_add(fields, (Field){.name = "body/internal",
                            .type = FIELD_F64,
                            .count = bs->n_internal,
                            .data = state->internal});
  field_add(fields, (Field){.name = "body/half_thickness",
                            .type = FIELD_F64,
                            .count = bs->n_nodes,
                            .data = state->half});
  if (bs->n_finite == 0) return; // bodies without these know nothing of them
  field_add(fields, (Field){.name = "body/pressed",
                            .type = FIELD_F64,
                            .count = bs->n_nodes,
                            .data = state->pressed});
  if (bs->n_extra > 0)
    field_add(fields, (Field){.name = "body/extra",
                              .type = FIELD_F64,
                              .count = bs->n_extra,
                              .data = state->extra});
  if (bs->n_kept > 0)
    field_add(
        fields,
        (Field){.name = "body/kept", .type = FIELD_F64, .count = bs->n_kept, .data = state->kept});
}

int bodies_node_there(const BodySet *bs, int node) {
  return !bs->type[bs->body_of[node]]->iterated || bodies_node_mass(bs, node) > 0;
}
