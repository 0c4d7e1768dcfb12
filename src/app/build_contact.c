// Laws and contact rules.

#include <string.h>

#include "app/build_internal.h"

Status build_laws(Builder *b) {
  Model *model = b->model;
  int n = 0;
  for (const InputNode *node = input_child(b->in->root, "law"); node;
       node = input_next(node, "law"))
    n++;
  MEM_NEW(model->laws, n, b->err);
  for (const InputNode *node = input_child(b->in->root, "law"); node;
       node = input_next(node, "law")) {
    Law *law = &model->laws[model->n_laws++];
    law->name = input_text(node, "name");
    law->type = law_find(input_text(node, "type"));
    builder_params(node, law->type->params, law->type->n_params, law->par);
  }
  return OK;
}

static Status mark(Builder *b, const InputNode *node, const char *attr, uint8_t **marks) {
  int32_t *bodies;
  int n;
  MEM_NEW(*marks, b->n_entries, b->err);
  TRY(builder_bodies(b, node, attr, &bodies, &n));
  for (int k = 0; k < n; k++) (*marks)[bodies[k]] = 1;
  mem_free(bodies);
  return OK;
}

static Status build_rule(Builder *b, const InputNode *node, ContactRule *rule) {
  static const char *const points[] = {"midpoints", "nodes", "gauss"};
  rule->law = &b->model->laws[builder_index(input_ref(b->in, node, "law"))];
  rule->src = node->pos;
  rule->self = input_bool(node, "self");
  for (int k = 0; k < 3; k++)
    if (strcmp(input_text(node, "points"), points[k]) == 0) rule->points = (PointRule)k;
  TRY(mark(b, node, "candidate", &rule->candidate));
  return mark(b, node, "antagonist", &rule->antagonist);
}

// Deformable bodies that no contact rule names would fall through everything: say so.
static void check_reach(Builder *b) {
  const ContactModel *cm = &b->model->contact;
  const BodySet *bs = &b->model->bodies;
  if (!input_child(b->in->root, "gravity")) return;
  for (int k = 0; k < bs->n_bodies; k++) {
    int named = b->entries[k].material < 0 || b->entries[k].fixed != NULL;
    for (int r = 0; r < cm->n_rules && !named; r++)
      named = cm->rules[r].candidate[k] || cm->rules[r].antagonist[k];
    if (named) continue;
    diag_add(
        b->diag, bs->src[k],
        "gravity acts on '%s', but no contact names it and none of its nodes is prescribed: it would fall for ever",
        bs->name[k]);
    return;
  }
}

// A support that no contact names holds nothing: bodies would pass through it without a word.
static void check_supports(Builder *b) {
  const ContactModel *cm = &b->model->contact;
  const BodySet *bs = &b->model->bodies;
  for (int k = 0; k < bs->n_bodies; k++) {
    int named = b->entries[k].material >= 0;
    for (int r = 0; r < cm->n_rules && !named; r++)
      named = cm->rules[r].candidate[k] || cm->rules[r].antagonist[k];
    if (!named)
      diag_add(b->diag, bs->src[k],
               "no contact names the %s '%s': everything would fall through it",
               bs->kind[k] == BODY_TOOL ? "tool" : "support", bs->name[k]);
  }
}

// A rule between supports alone joins nothing that can move.
static void check_rule(Builder *b, const ContactRule *rule) {
  const BodySet *bs = &b->model->bodies;
  int movable = 0;
  for (int k = 0; k < bs->n_bodies && !movable; k++)
    movable = bs->kind[k] != BODY_SUPPORT && bs->kind[k] != BODY_TOOL &&
              (rule->candidate[k] || rule->antagonist[k]);
  if (!movable) diag_add(b->diag, rule->src, "this contact joins no body that can move");
}

// Solvers that need pure cones are refused with laws that go beyond.
static void check_solver(Builder *b) {
  const SolverType *solver = b->model->steps.solver;
  const ContactModel *cm = &b->model->contact;
  const InputNode *node = input_child(b->in->root, "solver");
  for (int r = 0; r < cm->n_rules && solver->pure_cone_only; r++)
    if (cm->rules[r].law->type->beyond_cone)
      diag_add(
          b->diag, node ? node->pos : b->in->root->pos,
          "solver '%s' takes pure friction cones only, and law '%s' (%s) is none: use nsgs or auto",
          solver->name, cm->rules[r].law->name, cm->rules[r].law->type->name);
}

// Tools that leave a sheet less room than it is thick, and neither can give way.
static int check_room(Builder *b, SheetSqueeze *squeeze) {
  const BodySet *bs = &b->model->bodies;
  *squeeze = contact_squeezed(&b->model->contact, bs, NULL, NULL);
  if (squeeze->node < 0) return 0;
  diag_add(
      b->diag, bs->src[squeeze->tool[1]],
      "the tools '%s' and '%s' leave %.4g m for the sheet '%s', which is %.4g m thick (node %d), "
      "and neither can give way: free one of them, or give the law of contact a stiffness",
      bs->name[squeeze->tool[0]], bs->name[squeeze->tool[1]], squeeze->room,
      bs->name[squeeze->sheet], squeeze->thickness, squeeze->node + 1);
  return 1;
}

// Bodies that start inside one another would be thrown apart, or pass through each other unseen.
static Status check_overlaps(Builder *b) {
  const BodySet *bs = &b->model->bodies;
  OverlapList list;
  SheetSqueeze squeeze;
  int squeezed = check_room(b, &squeeze);
  Status status = contact_overlaps(&b->model->contact, bs, &list, b->err);
  for (int k = 0; status == OK && k < list.n; k++) {
    const int *body = list.item[k].body;
    int tool = body[bs->kind[body[0]] != BODY_TOOL], other = body[0] + body[1] - tool;
    if (squeezed && other == squeeze.sheet && (tool == squeeze.tool[0] || tool == squeeze.tool[1]))
      continue; // said already
    diag_add(b->diag, bs->src[body[1]], "'%s' and '%s' lie %.3g m inside one another at the start",
             bs->name[body[0]], bs->name[body[1]], list.item[k].depth);
  }
  mem_free(list.item);
  return status;
}

Status build_contact(Builder *b) {
  ContactModel *cm = &b->model->contact;
  int n = 0;
  for (const InputNode *node = input_child(b->in->root, "contact"); node;
       node = input_next(node, "contact"))
    n++;
  MEM_NEW(cm->rules, n, b->err);
  for (const InputNode *node = input_child(b->in->root, "contact"); node;
       node = input_next(node, "contact"))
    TRY(build_rule(b, node, &cm->rules[cm->n_rules++]));
  for (int r = 0; r < cm->n_rules; r++) check_rule(b, &cm->rules[r]);
  check_supports(b);
  check_solver(b);
  check_reach(b);
  const InputNode *detection = input_child(b->in->root, "detection");
  double alert = detection && input_given(detection, "alert") ? input_real(detection, "alert") : 0;
  TRY(contact_model_finish(cm, &b->model->bodies, alert, b->err));
  return check_overlaps(b);
}
