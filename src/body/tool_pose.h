// body/tool_pose.h -- where a tool is: it has gone, and where it turns it has turned too.
//
// A tool that does not turn has one node, which goes where it goes. One that turns has four, at the
// point that it turns about and arms of TOOL_ARM along the diagonals below: their mean is that
// point, and a place P from it is the mean of them with the weights (1 + s_k . P / arm) / 4, where
// it is, and how fast. In the plane the same with four corners of a square.
#ifndef BODY_TOOL_POSE_H
#define BODY_TOOL_POSE_H

#include "body/body.h"
#include "body/site.h"

enum { TOOL_NODES = 4 };
#define TOOL_ARM 1.0 // [m]
// s_k, signs along the axes.
extern const double tool_arms[2][TOOL_NODES][3]; // of the plane, of space

typedef struct {
  int turns;
  double about[3], now[3]; // the point as it was placed, and where it is
  double r[9];             // rotation since
} ToolPose;

static inline int tool_turns(const BodySet *bs, int body) {
  return bs->node_ptr[body + 1] - bs->node_ptr[body] == TOOL_NODES;
}

// Of a tool whose nodes are at x, or at bs->x + q + lead v (v NULL: none).
ToolPose tool_pose(const BodySet *bs, int body, const double *x);
ToolPose tool_pose_at(const BodySet *bs, int body, const double *q, const double *v, double lead);
// A place as the tool sees it where it was placed; and a direction that it sees, as it is.
void tool_pose_into(const ToolPose *pose, int dim, const double x[3], double p[3]);
void tool_pose_out(const ToolPose *pose, int dim, const double seen[3], double n[3]);
// Where a place of it takes hold of its nodes; the weights add up to `sum`.
Site tool_site(const BodySet *bs, int body, const double p[3], double sum);

#endif
