// Sheets between rigid tools that leave less room than they are thick: nothing a solver can mend.

#include <math.h>

#include "contact/contact_internal.h"

// Less than this share of the thickness is too little: all but round-off.
static const double LEAST_ROOM = 1 - 1e-6;
// Two tools hold a sheet between them where their normals are opposed within 45 degrees; a tool yields
// that may move by itself within 45 degrees of its normal.
static const double OPPOSED = 0.7;
enum { MOST_TOOLS = 8 }; // near one node

// Does the law between a sheet and a tool bear no negative gap? Then the tool is rigid for it.
static int is_rigid(const ContactModel *cm, int sheet, int tool) {
  int rank, rule = contact_rule_between(cm, sheet, tool, &rank);
  double state[LAW_MAX_STATE] = {0};
  LawShift shift;
  if (rule < 0) return 0;
  const Law *law = cm->rules[rule].law;
  law->type->prepare(law->par, state, &(ContactGeometry){.area = 1, .h = 1}, &shift);
  return !shift.open && shift.c_n == 0;
}

// The nearest point of a tool to x; 0: it is far, or it yields.
static int holds(const BodySet *bs, const Tool *tool, const double *moved, const double x[3],
                 double reach, ShapeHit *hit) {
  double p[3];
  size_t own = 3 * (size_t)bs->node_ptr[tool->body];
  for (int i = 0; i < 3; i++) p[i] = x[i] - (moved ? moved[own + i] : 0);
  if (!tool->shape.type->nearest(&tool->shape, p, reach, hit)) return 0;
  for (int i = 0; i < 3; i++)
    if (tool->free[i] && fabs(hit->n[i]) > 1 - OPPOSED) return 0;
  return 1;
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
