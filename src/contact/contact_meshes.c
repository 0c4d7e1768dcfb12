// What meshes that do not match do to the joints of the plane, as they stand at the start.

#include <math.h>

#include "contact/pair_type.h"

// A detection at the start with rules of one's own.
typedef struct {
  ContactModel cm;
  ContactState state;
  ContactWork *work;
  BodyState bodies;
} AtStart;

static void at_start_free(AtStart *at) {
  contact_work_free(at->work);
  contact_state_free(&at->state);
  body_state_free(&at->bodies);
  mem_free(at->cm.rules);
}

// by_overlap: all rules have the points of overlaps.
static Status at_start_init(AtStart *at, const ContactModel *cm, const BodySet *bs, int by_overlap,
                            Err *err) {
  *at = (AtStart){.cm = *cm};
  at->cm.rules = NULL;
  MEM_NEW(at->cm.rules, cm->n_rules, err);
  for (int r = 0; r < cm->n_rules; r++) {
    at->cm.rules[r] = cm->rules[r];
    if (by_overlap) at->cm.rules[r].points = POINTS_OVERLAP;
  }
  TRY(body_state_init(&at->bodies, bs, err));
  TRY(contact_state_init(&at->state, &at->cm, bs, err));
  TRY(contact_work_new(&at->work, &at->cm, bs, err));
  const ContactStep step = {.cm = &at->cm,
                            .bs = bs,
                            .bodies = &at->bodies,
                            .state = &at->state,
                            .work = at->work,
                            .size = {.h = 1, .theta = 1}};
  return contact_detect(&step, err);
}

// The load of each node of either side under a unit pressure in all joints.
static void add_loads(const ContactWork *work, double *load) {
  for (int c = 0; c < work->n; c++) {
    const Contact *contact = &work->contact[c];
    for (int k = 0; k < 2; k++)
      for (int j = 0; j < contact->side[k].n; j++) {
        double weight = contact->side[k].weight[j] * (k == 0 ? 1 : -1);
        load[contact->side[k].node[j]] += contact->area * weight;
      }
  }
}

static void compare_cells(const AtStart *at, const BodySet *bs, ContactMeshes *found) {
  const SkinSet *skin = &at->cm.skin;
  for (int c = 0; c < at->work->n; c++) {
    const SlotInfo *slot = &at->work->slot[at->work->contact[c].slot];
    const int edge[2] = {slot->edge_c, slot->edge_a};
    double length[2], n[2];
    if (slot->pair != PAIR_JOINT) continue;
    int deforms = 1;
    for (int k = 0; k < 2; k++) {
      length[k] = edge_normal(skin, bs->x, edge[k], n);
      deforms = deforms && bs->type[skin->body[edge[k]]]->deforms;
    }
    int coarser = length[1] > length[0];
    double ratio = length[coarser] / length[1 - coarser];
    if (!deforms || ratio <= found->ratio) continue;
    found->ratio = ratio;
    for (int k = 0; k < 2; k++) found->body[k] = skin->body[edge[k == 0 ? coarser : 1 - coarser]];
  }
}

// May points of the rule be wrong? Nodes of both sides are right as places, wrong in their areas,
// which dry contact does not ask for.
static int may_be_wrong(const ContactRule *rule) {
  if (rule->points == POINTS_OVERLAP) return 0;
  return rule->points != POINTS_NODES || rule->law->type->per_area;
}

// Where the points that the input names load a node most wrongly.
static void compare_loads(const AtStart *at, const double *load, const double *right,
                          const BodySet *bs, ContactMeshes *found) {
  for (int c = 0; c < at->work->n; c++) {
    const Contact *contact = &at->work->contact[c];
    if (!may_be_wrong(&at->cm.rules[contact->rule])) continue;
    for (int k = 0; k < 2; k++)
      for (int j = 0; j < contact->side[k].n; j++) {
        int node = contact->side[k].node[j];
        if (!(right[node] > 0) || !bs->type[contact->side[k].body]->deforms) continue;
        double wrong = fabs(load[node] - right[node]) / right[node];
        if (wrong <= found->wrong) continue;
        found->wrong = wrong;
        found->rule = contact->rule;
        found->loaded = contact->side[k].body;
      }
  }
}

static Status compare_points(const ContactModel *cm, const BodySet *bs, const double *right,
                             ContactMeshes *found, Err *err) {
  AtStart at;
  double *load;
  MEM_NEW(load, bs->n_nodes, err);
  Status status = at_start_init(&at, cm, bs, 0, err);
  if (status == OK) add_loads(at.work, load);
  if (status == OK) compare_loads(&at, load, right, bs, found);
  at_start_free(&at);
  mem_free(load);
  return status;
}

Status contact_compare_meshes(const ContactModel *cm, const BodySet *bs, ContactMeshes *found,
                              Err *err) {
  AtStart at;
  double *right;
  int named = 0;
  *found = (ContactMeshes){.rule = -1};
  if (bs->dim != 2 || !cm->has_pairs) return OK;
  MEM_NEW(right, bs->n_nodes, err);
  for (int r = 0; r < cm->n_rules; r++) named |= may_be_wrong(&cm->rules[r]);
  Status status = at_start_init(&at, cm, bs, 1, err);
  if (status == OK) compare_cells(&at, bs, found);
  if (status == OK && named) {
    add_loads(at.work, right);
    status = compare_points(cm, bs, right, found, err);
  }
  at_start_free(&at);
  mem_free(right);
  return status;
}
