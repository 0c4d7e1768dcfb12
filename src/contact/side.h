// contact/side.h -- a face or an edge of a body as a rigid tool sees it, and where it comes nearest
// to the tool; not for other rooms.
#ifndef CONTACT_SIDE_H
#define CONTACT_SIDE_H

#include "body/tool_pose.h"
#include "contact/pair_type.h"

// SlotInfo.place: what edge_c numbers. feature_a is the corner that is begun from.
enum { SIDE_EDGE, SIDE_FACE };

// A mesh is fine where the tool rises between the nodes of a side by less than this share of the
// size.
static const double SIDE_FINE = 0.03;

// In the frame of the tool, where it was placed.
typedef struct {
  int n;
  int32_t node[4];
  double x[12];
  double middle[3], size; // size: of the ball around the middle [m]
} Side;

typedef struct {
  double p[3], weight[4];
  ShapeHit hit;
} SidePlace;

// Sheets are met at their nodes, and supports do not meet tools.
int side_has(const BodySet *bs, int body);

// Of bodies that deform much nodes are held alone; a side that comes into a tool while they all
// miss it is told, and how far one sinks in between them.
int side_is_held(const BodySet *bs, int body);

int side_corners(const ContactModel *cm, const SlotInfo *slot);

// The side of a slot at positions x of all nodes.
void side_at(const ContactModel *cm, const BodySet *bs, const SlotInfo *slot, const ToolPose *pose,
             const double *x, Side *side);

// p: mean of values [n * 3] at the corners.
void side_mean(const Side *side, const double *values, const double weight[4], double p[3]);

// Where a side faces: not of unit length of an edge in space.
void side_faced_by(const ContactModel *cm, int dim, const double *x, const SlotInfo *slot,
                   double own[3]);

// The normal of the contact from that of the tool, n: of a face its own, of an edge across it. At
// the nearest point n is the same but for round-off and the facets of a mesh, and where the tool
// has an edge itself, where n is any between its sides. 0: the tool is behind the side.
int side_normal(const ContactStep *step, const SlotInfo *slot, double n[3]);

// The nearest point that is found from a corner. 0: the tool is out of reach.
int side_nearest(const Shape *shape, const Side *side, int corner, double reach, SidePlace *place);

// Of bodies that deform nodes are first where they are near and the mesh is fine enough: points
// that come and go between them would leave statics no rest. Fine is where the tool rises between
// the nodes by little beside the size of the side. What is not held has its nodes alone.
int side_is_left_to_nodes(const BodySet *bs, int body, const Shape *shape, const Side *side,
                          double near);

// Does the tool rise over the corners of a side by little at a place of it? A ring does, elsewhere
// than over the middle.
int side_rises_little(const Shape *shape, const Side *side, const SidePlace *place);

#endif
