// Sheets between two tools: rigid ones that leave less room than the sheet is thick, which nothing
// a solver does can mend, and those whose law yields, which press it.

#include <math.h>
#include <string.h>

#include "contact/pair_type.h"

// Less than this share of the thickness is too little: all but round-off.
static const double LEAST_ROOM = 1 - 1e-6;
// Two tools hold a sheet between them where their normals are opposed within 45 degrees; a tool
// yields that may move by itself within 45 degrees of its normal.
static const double OPPOSED = 0.7;
enum { MOST_TOOLS = 8 }; // near one node

// The pressure that a law bears, by depth at this gap; 0: it bears none, infinity: it is rigid.
static double stiffness_at(const Law *law, double gap) {
  double state[LAW_MAX_STATE] = {0};
  LawShift shift;
  law->type->prepare(law->par, state, &(ContactGeometry){.area = 1, .h = 1, .gap = gap}, &shift);
  return shift.open ? 0 : 1 / shift.c_n;
}

// Does the law between a sheet and a tool bear no negative gap? Then the tool is rigid for it.
static int is_rigid(const ContactModel *cm, int sheet, int tool) {
  int rank, rule = contact_rule_between(cm, sheet, tool, &rank);
  return rule >= 0 && isinf(stiffness_at(cm->rules[rule].law, 0));
}

static int yields_along(const Tool *tool, const double n[3]) {
  for (int i = 0; i < 3; i++)
    if (tool->free[i] && fabs(n[i]) > 1 - OPPOSED) return 1;
  return 0;
}

// The nearest point of a tool to x; 0: it is far, or it yields.
static int holds(const BodySet *bs, const Tool *tool, const double *moved, const double x[3],
                 double reach, ShapeHit *hit) {
  double p[3];
  size_t own = 3 * (size_t)bs->node_ptr[tool->body];
  for (int i = 0; i < 3; i++) p[i] = x[i] - (moved ? moved[own + i] : 0);
  if (!tool->shape.type->nearest(&tool->shape, p, reach, hit)) return 0;
  return !yields_along(tool, hit->n);
}

// The two tools that leave the least room at one node; at->room is what is left elsewhere.
static void squeeze_at(const ContactModel *cm, const BodySet *bs, const double *moved,
                       const double x[3], SheetSqueeze *at) {
  ShapeHit hit[MOST_TOOLS];
  int n = 0, body[MOST_TOOLS];
  for (int t = 0; t < bs->n_tools && n < MOST_TOOLS; t++) {
    body[n] = bs->tools[t].body;
    if (is_rigid(cm, at->sheet, body[n]))
      n += holds(bs, &bs->tools[t], moved, x, at->thickness, &hit[n]);
  }
  for (int i = 0; i < n; i++)
    for (int j = i + 1; j < n; j++) {
      double room = hit[i].gap + hit[j].gap;
      if (room >= at->room || contact_dot(3, hit[i].n, hit[j].n) > -OPPOSED) continue;
      at->room = room;
      at->tool[0] = body[i];
      at->tool[1] = body[j];
    }
}

SheetSqueeze contact_squeezed(const ContactModel *cm, const BodySet *bs, const BodyState *bodies,
                              const double *moved) {
  SheetSqueeze worst = {.node = -1, .room = LEAST_ROOM, .thickness = 1}; // room by thickness
  for (int b = 0; b < bs->n_bodies && bs->n_tools > 1; b++) {
    if (!contact_is_sheet(bs, b)) continue;
    for (int k = bs->node_ptr[b]; k < bs->node_ptr[b + 1]; k++) {
      double x[3], half = bodies ? bodies->half[k] : contact_half_at_start(bs, b);
      for (int i = 0; i < 3; i++) {
        size_t at = 3 * (size_t)k + (size_t)i;
        x[i] = bs->x[at] + (bodies ? bodies->q[at] : 0);
      }
      double least = worst.room / worst.thickness * 2 * half;
      SheetSqueeze own = {b, k - bs->node_ptr[b], {0, 0}, least, 2 * half};
      squeeze_at(cm, bs, moved, x, &own);
      if (own.room < least) worst = own;
    }
  }
  return worst;
}

// Two contacts of a node with tools on its two sides.
typedef struct {
  Contact *side[2];
  double room, softness, strength, ahead; // softness of both; see FormPinch
} PinchedNode;

static void pinch_between(const ContactStep *step, const double *v1, Contact *a, Contact *b,
                          PinchedNode *node) {
  const ContactModel *cm = step->cm;
  PinchedNode own = {.side = {a, b}, .strength = (double)INFINITY};
  if (contact_dot(3, a->n, b->n) > -OPPOSED) return;
  for (int k = 0; k < 2; k++) {
    const Contact *contact = own.side[k];
    const Law *law = cm->rules[contact->rule].law;
    double half = contact_half_seen(cm, step->bs, step->bodies->half, contact->side[0].body,
                                    contact->side[0].node[0], contact->rule);
    double u[3];
    contact_relative_velocity(3, contact, v1, u);
    own.room += contact->gap + step->size.h * step->size.theta * u[0] + half; // as it will be
    own.ahead += step->size.h * (1 - step->size.theta) * u[0];
    own.softness += 1 / stiffness_at(law, 0);
    own.strength = fmin(own.strength, stiffness_at(law, -1)); // 1 m is beyond every strength
  }
  if (own.softness > 0 && (node->softness == 0 || own.room < node->room)) *node = own;
}

int contact_give_way(const ContactStep *step, const FormPinch *pinch, const double *pressure) {
  int changed = 0;
  for (int c = 0; c < step->work->n; c++) {
    Contact *contact = &step->work->contact[c];
    size_t node = (size_t)contact->side[0].node[0];
    const FormPinch *own = &pinch[node];
    if (!contact->pinched) continue;
    double half = contact_half_seen(step->cm, step->bs, step->bodies->half, contact->side[0].body,
                                    contact->side[0].node[0], contact->rule);
    double less = half - 0.5 * (own->room + own->ahead + pressure[node] / own->stiffness);
    if (!(pressure[node] > 0)) less = fmax(less, 0);
    changed |= less != contact->less;
    contact->gap += less - contact->less;
    contact->less = less;
  }
  return changed;
}

static int presses(const ContactModel *cm, const BodySet *bs, const Contact *contact) {
  return bs->type[contact->side[1].body]->by_shape && contact_is_sheet(bs, contact->side[0].body) &&
         !cm->rules[contact->rule].at_start &&
         !yields_along(&bs->tools[bs->own[contact->side[1].body]], contact->n);
}

// What tools pressed a node with at the end of the last step, but for what two of them do that
// leave it a room: half of what all bore, or of what was left for one of them.
static double borne_besides(const ContactStep *step, const Contact *list, int n, int pinched) {
  double sum[3] = {0}, all = 0, h = step->state->search[1];
  for (int c = 0; c < n && h > 0; c++) {
    const Contact *contact = &list[c];
    if (!step->bs->type[contact->side[1].body]->by_shape) continue; // a tool
    if (!step->cm->rules[contact->rule].presses) continue;
    double own = fmax(0, step->state->impulse[3 * (size_t)contact->slot]) / (h * contact->area);
    for (int i = 0; i < 3; i++) sum[i] += own * contact->n[i];
    all += own;
  }
  if (!pinched) return 0.5 * all;
  double pressed = step->bodies->pressed[list->side[0].node[0]];
  return fmax(0, 0.5 * sqrt(contact_dot(3, sum, sum)) - pressed);
}

void contact_pinch(const ContactStep *step, const double *v1, FormPinch *pinch) {
  const BodySet *bs = step->bs;
  Contact *list = step->work->contact;
  int n = step->work->n, last;
  memset(pinch, 0, sizeof *pinch * (size_t)bs->n_nodes);
  for (int first = 0; first < n; first = last) { // those of one node follow one another
    PinchedNode node = {.softness = 0};
    for (last = first + 1; last < n && list[last].side[0].node[0] == list[first].side[0].node[0];
         last++)
      continue;
    for (int c = first; c < last && last - first > 1; c++)
      for (int d = c + 1; d < last; d++)
        if (presses(step->cm, bs, &list[c]) && presses(step->cm, bs, &list[d]))
          pinch_between(step, v1, &list[c], &list[d], &node);
    if (!contact_is_sheet(bs, list[first].side[0].body)) continue;
    FormPinch *own = &pinch[list[first].side[0].node[0]];
    own->borne = borne_besides(step, list + first, last - first, node.softness > 0);
    if (node.softness == 0) continue;
    own->room = node.room;
    own->stiffness = 1 / node.softness;
    own->strength = node.strength;
    own->ahead = node.ahead;
    node.side[0]->pinched = node.side[1]->pinched = 1;
  }
  contact_give_way(step, pinch, step->bodies->pressed);
}

int contact_law_yields(const Law *law) {
  return isfinite(stiffness_at(law, 0));
}

int contact_may_pinch(const ContactModel *cm, const BodySet *bs) {
  int n = 0, presses = 0;
  for (int b = 0; b < bs->n_bodies; b++)
    for (int t = 0; t < bs->n_tools && contact_is_sheet(bs, b); t++) {
      int rank, rule = contact_rule_between(cm, b, bs->tools[t].body, &rank);
      if (rule < 0) continue;
      n += isfinite(stiffness_at(cm->rules[rule].law, 0));
      presses |= cm->rules[rule].presses;
    }
  return n > 1 || presses;
}
