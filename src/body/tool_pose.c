#include "body/tool_pose.h"

#include <math.h>
#include <string.h>

#include "base/vec3.h"

const double tool_arms[2][TOOL_NODES][3] = {{{1, 1, 0}, {-1, 1, 0}, {-1, -1, 0}, {1, -1, 0}},
                                            {{1, 1, 1}, {1, -1, -1}, {-1, 1, -1}, {-1, -1, 1}}};

// The pose of nodes at `place` [TOOL_NODES]. Columns of the rotation are sums over the arms; at the
// ends of steps, whose nodes are on chords, these are not quite of length 1 and across one another.
static void pose_of_nodes(const BodySet *bs, int body, const double place[TOOL_NODES][3],
                          ToolPose *pose) {
  const int dim = bs->dim;
  double column[3][3] = {{0}};
  for (int k = 0; k < TOOL_NODES; k++)
    for (int i = 0; i < dim; i++) {
      pose->now[i] += place[k][i] / TOOL_NODES;
      pose->about[i] += bs->x[(size_t)(dim * (bs->node_ptr[body] + k) + i)] / TOOL_NODES;
      for (int j = 0; j < dim; j++)
        column[j][i] += tool_arms[dim - 2][k][j] * place[k][i] / (TOOL_NODES * TOOL_ARM);
    }
  if (dim == 2) column[0][2] = 0;
  vec3_normalise(column[0]);
  if (dim == 2) {
    column[1][0] = -column[0][1];
    column[1][1] = column[0][0];
  }
  double along = vec3_dot(column[0], column[1]);
  for (int i = 0; i < 3; i++) column[1][i] -= along * column[0][i];
  vec3_normalise(column[1]);
  vec3_cross(column[0], column[1], column[2]);
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) pose->r[3 * i + j] = column[j][i];
}

ToolPose tool_pose(const BodySet *bs, int body, const double *x) {
  const int dim = bs->dim;
  const size_t own = (size_t)dim * (size_t)bs->node_ptr[body];
  ToolPose pose = {.turns = tool_turns(bs, body)};
  double place[TOOL_NODES][3] = {{0}};
  if (!pose.turns) {
    memcpy(pose.about, bs->x + own, sizeof *x * (size_t)dim);
    memcpy(pose.now, x + own, sizeof *x * (size_t)dim);
    return pose;
  }
  for (int k = 0; k < TOOL_NODES; k++)
    memcpy(place[k], x + own + (size_t)(dim * k), sizeof *x * (size_t)dim);
  pose_of_nodes(bs, body, (const double(*)[3])place, &pose);
  return pose;
}

ToolPose tool_pose_at(const BodySet *bs, int body, const double *q, const double *v, double lead) {
  const int dim = bs->dim;
  const size_t own = (size_t)dim * (size_t)bs->node_ptr[body];
  ToolPose pose = {.turns = tool_turns(bs, body)};
  double place[TOOL_NODES][3] = {{0}};
  for (int k = 0; k < (pose.turns ? TOOL_NODES : 1); k++)
    for (int i = 0; i < dim; i++) {
      const size_t at = own + (size_t)(dim * k + i);
      place[k][i] = bs->x[at] + q[at] + (v ? lead * v[at] : 0);
    }
  if (pose.turns) {
    pose_of_nodes(bs, body, (const double(*)[3])place, &pose);
    return pose;
  }
  memcpy(pose.about, bs->x + own, sizeof *q * (size_t)dim);
  memcpy(pose.now, place[0], sizeof *q * (size_t)dim);
  return pose;
}

void tool_pose_into(const ToolPose *pose, int dim, const double x[3], double p[3]) {
  double d[3] = {0};
  for (int i = 0; i < dim; i++) d[i] = x[i] - pose->now[i];
  for (int i = 0; i < 3; i++) {
    p[i] = pose->about[i] + (pose->turns ? 0 : d[i]);
    for (int j = 0; j < 3 && pose->turns; j++) p[i] += pose->r[3 * j + i] * d[j];
  }
  for (int i = dim; i < 3; i++) p[i] = 0;
}

void tool_pose_out(const ToolPose *pose, int dim, const double seen[3], double n[3]) {
  double out[3] = {seen[0], seen[1], seen[2]};
  for (int i = 0; i < dim && pose->turns; i++) out[i] = vec3_dot(pose->r + 3 * i, seen);
  memcpy(n, out, sizeof out);
}

Site tool_site(const BodySet *bs, int body, const double p[3], double sum) {
  const int dim = bs->dim, first = bs->node_ptr[body];
  Site site = {.body = body, .n = 1, .node = {first}, .weight = {sum}};
  double about[3] = {0};
  if (!tool_turns(bs, body)) return site;
  site.n = TOOL_NODES;
  for (int k = 0; k < TOOL_NODES; k++)
    for (int i = 0; i < dim; i++) about[i] += bs->x[(size_t)(dim * (first + k) + i)] / TOOL_NODES;
  for (int k = 0; k < TOOL_NODES; k++) {
    double along = 0;
    for (int i = 0; i < dim; i++) along += tool_arms[dim - 2][k][i] * (p[i] - about[i]) / TOOL_ARM;
    site.node[k] = first + k;
    site.weight[k] = sum * (1 + along) / TOOL_NODES;
  }
  return site;
}
