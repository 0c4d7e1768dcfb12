// What the user is told: gaps and penetration on the geometry at the end of a step, at contact points and
// at the nodes of the edges that meet there.

#include <math.h>

#include "contact/contact_internal.h"

// An antagonist edge with its geometry, so that the points of a contact share the work.
typedef struct {
  int edge;
  double a[2], d[2], n[2], length2;
} EdgeFrame;

static void edge_frame(const SkinSet *skin, const double *x, int edge, EdgeFrame *frame) {
  const double *a = x + 2 * (size_t)skin->node[2 * edge],
               *b = x + 2 * (size_t)skin->node[2 * edge + 1];
  frame->edge = edge;
  for (int i = 0; i < 2; i++) {
    frame->a[i] = a[i];
    frame->d[i] = b[i] - a[i];
  }
  frame->length2 = frame->d[0] * frame->d[0] + frame->d[1] * frame->d[1];
  double length = sqrt(frame->length2);
  frame->n[0] = frame->d[1] / length;
  frame->n[1] = -frame->d[0] / length;
}

// Gap of p to the face of an edge; *over tells whether p lies over the face.
static double gap_to_face(const SkinSet *skin, const double *x, const EdgeFrame *start,
                          const double p[2], int *over) {
  EdgeFrame other;
  const EdgeFrame *frame = start;
  double along =
      ((p[0] - frame->a[0]) * frame->d[0] + (p[1] - frame->a[1]) * frame->d[1]) / frame->length2;
  if (along < 0 || along > 1) {
    int edge = start->edge;
    along = contact_walk(skin, x, p, &edge);
    if (edge != start->edge) {
      edge_frame(skin, x, edge, &other);
      frame = &other;
    }
  }
  double gap = frame->n[0] * (p[0] - frame->a[0]) + frame->n[1] * (p[1] - frame->a[1]);
  *over = contact_over(along);
  return gap;
}

// Worst depth of the two nodes of an edge over the face of `frame`, where that face is the nearest.
static double depth_of_nodes(const SkinSet *skin, const double *x, const EdgeFrame *frame,
                             const int32_t node[2], double worst) {
  for (int i = 0; i < 2; i++) {
    const double *p = x + 2 * (size_t)node[i];
    int over;
    double inside = gap_to_face(skin, x, frame, p, &over);
    if (over && -inside > worst)
      worst = fmax(worst, -fmax(inside, contact_other_gap(skin, x, frame->edge, p)));
  }
  return worst;
}

// All nodes that may touch tools, in contact or not: a node that came through unseen would show.
static double depth_in_tools(const ContactModel *cm, const BodySet *bs, const double *half,
                             const double *x, const ContactWork *work) {
  double worst = 0, reach = cm->skin.shortest;
  for (int64_t k = work->n_pairs; k < work->n_tooled; k++)
    worst = fmax(worst, -contact_tool_gap(cm, bs, half, &work->slot[k], x, reach));
  return worst;
}

void contact_penetration(const ContactModel *cm, const BodySet *bs, const BodyState *bodies,
                         const ContactState *state, const ContactWork *work, double *gap,
                         Penetration *worst) {
  const double *q = bodies->q, *half = bodies->half;
  const SkinSet *skin = &cm->skin;
  double *x = work->x; // q~ of the step is not needed any more
  size_t n = (size_t)bs->n_nodes * bs->dim;
  for (size_t k = 0; k < n; k++) x[k] = bs->x[k] + q[k];
  *worst = (Penetration){.worst_contact = -1};
  for (int c = 0; c < work->n; c++) {
    const SlotInfo *slot = &work->slot[work->contact[c].slot];
    if (slot->kind == KIND_BEAD) { // it holds along the sheet only
      if (gap) gap[c] = 0;
      continue;
    }
    if (bs->dim == 3 || work->contact[c].slot >= work->n_pairs) {
      double own = slot->kind == KIND_TOOL
                       ? contact_tool_gap(cm, bs, half, slot, x, (double)INFINITY)
                       : contact_face_gap(cm, half, x, state, &work->contact[c]);
      if (gap) gap[c] = own;
      if (slot->kind == KIND_FACE) worst->nodes = fmax(worst->nodes, -own); // its point is a node
      if (-own <= worst->contacts) continue;
      worst->contacts = -own;
      worst->worst_contact = c;
      continue;
    }
    EdgeFrame frame;
    double p[2];
    int over;
    edge_frame(skin, x, state->edge[work->contact[c].slot], &frame);
    contact_point(slot, x, p);
    double own = gap_to_face(skin, x, &frame, p, &over);
    if (gap) gap[c] = own;
    if (over && -own > worst->contacts) {
      worst->contacts = -own;
      worst->worst_contact = c;
    }
    if (slot->node[0] == slot->node[1]) {
      if (over) worst->nodes = fmax(worst->nodes, -own);
      continue;
    }
    // The nodes that a point between them hides, and those of the edge it lies over.
    worst->nodes = depth_of_nodes(skin, x, &frame, slot->node, worst->nodes);
    const int32_t *facing = skin->node + 2 * (size_t)frame.edge;
    edge_frame(skin, x, slot->edge_c, &frame);
    worst->nodes = depth_of_nodes(skin, x, &frame, facing, worst->nodes);
  }
  worst->nodes = fmax(worst->nodes, depth_in_tools(cm, bs, half, x, work));
}
