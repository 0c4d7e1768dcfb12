// Two finite-strain bodies of hexahedra (or sheets) in space, the second moved by `shift`, with one
// rule.
#ifndef TESTS_UNIT_CONTACT_PAIR_SAMPLE_H
#define TESTS_UNIT_CONTACT_PAIR_SAMPLE_H

#include "tool_sample.h"

typedef struct {
  BodySet bs;
  BodyState bodies;
  ContactModel cm;
  ContactState state;
  ContactWork *work;
  Mesh mesh[2];
  Skin skin[2];
  FiniteBody finite[2];
  FormType form_type[2];
  const BodyType *type[2];
  int32_t proto[2], own[2], node_ptr[3];
  Law law;
  ContactStep step;
} PairSample;

// cells[b], size[b] and sheet[b] of both bodies; `candidate` is the first body of the rule. `bend`
// moves the nodes before the second body is shifted; NULL: it does not.
static inline void pair_sample_init(PairSample *s, const int cells[2][3], const double size[2][3],
                                    const int sheet[2], const double shift[3], int candidate,
                                    void (*bend)(int body, double x[3])) {
  Err err = {0};
  memset(s, 0, sizeof *s);
  for (int b = 0; b < 2; b++) {
    sample_mesh(&s->mesh[b], 3, sheet[b], cells[b], size[b]);
    for (int k = 0; bend && k < s->mesh[b].n_nodes; k++) bend(b, s->mesh[b].x + 3 * k);
    if (!sheet[b]) cr_assert_eq(skin_build(&s->skin[b], &s->mesh[b], NULL), OK);
    s->form_type[b].shell = sheet[b];
    s->finite[b].form.type = &s->form_type[b];
    s->finite[b].form.spec.thickness = sheet[b] ? 0.02 : 0;
    s->finite[b].body = s->own[b] = b;
    s->type[b] = sheet[b] ? &body_sheet : &body_finite;
    s->proto[b] = -1;
    s->node_ptr[b + 1] = s->node_ptr[b] + s->mesh[b].n_nodes;
  }
  int n = s->node_ptr[2];
  s->bs = (BodySet){.dim = 3,
                    .thickness = 1,
                    .n_bodies = 2,
                    .n_nodes = n,
                    .type = s->type,
                    .proto = s->proto,
                    .own = s->own,
                    .node_ptr = s->node_ptr,
                    .n_finite = 2,
                    .finite = s->finite,
                    .support_skin = s->skin};
  s->bs.x = mem_new((size_t)n * 3, sizeof(double));
  s->bs.mesh = mem_new(2, sizeof *s->bs.mesh);
  for (int b = 0; b < 2; b++) {
    s->bs.mesh[b] = &s->mesh[b];
    for (int k = 0; k < s->mesh[b].n_nodes; k++)
      for (int i = 0; i < 3; i++)
        s->bs.x[3 * (s->node_ptr[b] + k) + i] = s->mesh[b].x[3 * k + i] + (b ? shift[i] : 0);
  }
  s->bodies.q = mem_new((size_t)n * 3, sizeof(double));
  s->bodies.v = mem_new((size_t)n * 3, sizeof(double));
  s->bodies.half = mem_new((size_t)n, sizeof(double));
  for (int k = 0; k < n; k++) s->bodies.half[k] = sheet[k >= s->node_ptr[1]] ? 0.01 : 0;
  s->law = (Law){.name = "dry", .type = law_find("coulomb"), .par = {0.3, (double)NAN}};
  s->cm.n_rules = 1;
  s->cm.rules = mem_new(1, sizeof *s->cm.rules);
  ContactRule *rule = s->cm.rules;
  rule->law = &s->law;
  rule->candidate = mem_new(2, 1);
  rule->antagonist = mem_new(2, 1);
  rule->candidate[candidate] = rule->antagonist[1 - candidate] = 1;
  cr_assert_eq(contact_model_finish(&s->cm, &s->bs, 0, &err), OK, "%s", err.text);
  cr_assert_eq(contact_state_init(&s->state, &s->cm, &s->bs, &err), OK);
  cr_assert_eq(contact_work_new(&s->work, &s->cm, &s->bs, &err), OK);
  s->step = (ContactStep){.cm = &s->cm,
                          .bs = &s->bs,
                          .bodies = &s->bodies,
                          .state = &s->state,
                          .work = s->work,
                          .size = {.h = 1e-3, .theta = 1}};
}

static inline void pair_sample_free(PairSample *s) {
  contact_work_free(s->work);
  contact_state_free(&s->state);
  contact_model_free(&s->cm);
  mem_free(s->bs.x);
  mem_free((void *)s->bs.mesh);
  mem_free(s->bodies.q);
  mem_free(s->bodies.v);
  mem_free(s->bodies.half);
  for (int b = 0; b < 2; b++) {
    skin_free(&s->skin[b]);
    mesh_free(&s->mesh[b]);
  }
}

static inline int pair_sample_detect(PairSample *s) {
  Err err = {0};
  cr_assert_eq(contact_detect(&s->step, &err), OK, "%s", err.text);
  return contact_count(s->work);
}

// Moves body b as a whole to displacement d.
static inline void pair_sample_move(PairSample *s, int b, double x, double y, double z) {
  const double d[3] = {x, y, z};
  for (int k = s->node_ptr[b]; k < s->node_ptr[b + 1]; k++)
    for (int i = 0; i < 3; i++) s->bodies.q[3 * k + i] = d[i];
}

#endif
