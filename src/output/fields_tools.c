// Tools for ParaView: the picture of each shape where it was placed, moved by its displacement.

#include <math.h>
#include <string.h>

#include "body/tool_pose.h"
#include "output/clip.h"
#include "output/field_table.h"

// How far beyond the other bodies endless surfaces are drawn, of their largest extent: at least,
// and, half their own extent taken off, across what is flat now and will be drawn.
static const double MARGIN = 0.2, MARGIN_FLAT = 0.7;

// 1: all that is deformable is held along an axis at all of its nodes, in the first stage: a slice,
// as in plane strain.
static int is_slice(const BodySet *bs, int axis) {
  for (int b = 0; b < bs->n_bodies; b++)
    if (!bs->type[b]->given && !bs->type[b]->iterated) return 0;
  for (int k = 0; k < bs->n_finite; k++) {
    const FiniteBody *body = &bs->finite[k];
    int n = bs->node_ptr[body->body + 1] - bs->node_ptr[body->body];
    for (int i = 0; i < n; i++)
      if (!body->fixed || !body->fixed[bs->dim * i + axis]) return 0;
  }
  return bs->n_finite > 0;
}

// Box of all nodes that are not tools at the start, with a margin; of the tools' places without
// others. Slices have tools as wide as they are.
static void picture_box(const BodySet *bs, double low[3], double high[3]) {
  double most = 0;
  int any = bs->n_tools < bs->n_bodies;
  for (int i = 0; i < 3; i++) {
    low[i] = any ? (double)INFINITY : -1;
    high[i] = -low[i];
  }
  for (int k = 0; k < bs->n_nodes; k++)
    for (int i = 0; i < 3 && !bs->type[bs->body_of[k]]->by_shape; i++) {
      double x = i < bs->dim ? bs->x[(size_t)bs->dim * (size_t)k + i] : 0;
      low[i] = fmin(low[i], x);
      high[i] = fmax(high[i], x);
    }
  for (int i = 0; i < 3; i++) most = fmax(most, high[i] - low[i]);
  for (int i = 0; i < bs->dim; i++) {
    double own = high[i] - low[i];
    double margin = own > 0 && is_slice(bs, i)
                        ? MARGIN * own
                        : fmax(MARGIN * most, MARGIN_FLAT * most - 0.5 * own);
    low[i] -= margin;
    high[i] += margin;
  }
}

typedef struct {
  int n_points, n_cells, n_cell_points;
  double *points, *displacement, *velocity; // [3 n_points]
  int32_t *cell_ptr, *cell_point, *body;
  uint8_t *cell_type;
} ToolFields;

static Status tool_fields_take(ToolFields *f, const Mesh *mesh, int n, Arena *arena, Err *err) {
  for (int k = 0; k < n; k++) {
    f->n_points += mesh[k].n_nodes;
    f->n_cells += mesh[k].n_facets;
    if (mesh[k].n_facets > 0) f->n_cell_points += mesh[k].facet_ptr[mesh[k].n_facets];
  }
  ARENA_NEW(f->points, 3 * f->n_points, arena, err);
  ARENA_NEW(f->displacement, 3 * f->n_points, arena, err);
  ARENA_NEW(f->velocity, 3 * f->n_points, arena, err);
  ARENA_NEW(f->cell_ptr, f->n_cells + 1, arena, err);
  ARENA_NEW(f->cell_point, f->n_cell_points, arena, err);
  ARENA_NEW(f->body, f->n_cells, arena, err);
  ARENA_NEW(f->cell_type, f->n_cells, arena, err);
  memset(f->points, 0, sizeof(double) * 3 * (size_t)f->n_points);
  memset(f->displacement, 0, sizeof(double) * 3 * (size_t)f->n_points);
  memset(f->velocity, 0, sizeof(double) * 3 * (size_t)f->n_points);
  return OK;
}

// The last n points, of a tool that turns: where it has them, and how fast.
static void turn_picture(const BodySet *bs, const BodyState *state, int body, const ToolPose *pose,
                         int n, int end, ToolFields *f) {
  for (int k = 3 * (end - n); k < 3 * end; k += 3) {
    const Site site = tool_site(bs, body, f->points + k, 1);
    double arm[3], turned[3], v[3] = {0};
    for (int i = 0; i < 3; i++) arm[i] = f->points[k + i] - pose->about[i];
    tool_pose_out(pose, bs->dim, arm, turned);
    site_velocity(bs->dim, &site, state->v, v);
    for (int i = 0; i < 3; i++) {
      f->displacement[k + i] = pose->now[i] + turned[i] - f->points[k + i];
      f->velocity[k + i] = v[i];
    }
  }
}

static void fill(const BodySet *bs, const BodyState *state, const Mesh *mesh, ToolFields *f) {
  int point = 0, cell = 0, at = 0;
  f->cell_ptr[0] = 0;
  for (int t = 0; t < bs->n_tools; t++) {
    int body = bs->tools[t].body;
    size_t own = (size_t)bs->dim * (size_t)bs->node_ptr[body];
    const ToolPose pose = tool_pose_at(bs, body, state->q, NULL, 0);
    for (int e = 0; e < mesh[t].n_facets; e++, cell++) {
      for (int k = mesh[t].facet_ptr[e]; k < mesh[t].facet_ptr[e + 1]; k++)
        f->cell_point[at++] = point + mesh[t].facet_node[k];
      f->cell_ptr[cell + 1] = at;
      f->cell_type[cell] = (uint8_t)topology_table[mesh[t].facet_shape[e]].vtk_code;
      f->body[cell] = body;
    }
    for (int k = 0; k < mesh[t].n_nodes; k++, point++)
      for (int i = 0; i < bs->dim; i++) {
        f->points[3 * (size_t)point + i] = mesh[t].x[(size_t)bs->dim * (size_t)k + i];
        f->displacement[3 * (size_t)point + i] = state->q[own + i];
        f->velocity[3 * (size_t)point + i] = state->v[own + i];
      }
    if (pose.turns) turn_picture(bs, state, body, &pose, mesh[t].n_nodes, point, f);
  }
}

static Status write_tools(const Model *model, const State *state, const Mesh *mesh,
                          const char *path, const OutputSpec *spec, Arena *arena, Err *err) {
  const BodySet *bs = &model->bodies;
  ToolFields f = {0};
  TRY(tool_fields_take(&f, mesh, bs->n_tools, arena, err));
  fill(bs, &state->bodies, mesh, &f);
  const VtkArray on_points[] = {{"displacement", 3, f.displacement, NULL},
                                {"velocity", 3, f.velocity, NULL}};
  const VtkArray on_cells[] = {{"body", 1, NULL, f.body}};
  VtkGrid grid = field_grid(state, spec);
  grid.n_points = f.n_points;
  grid.points = f.points;
  grid.n_cells = f.n_cells;
  grid.cell_ptr = f.cell_ptr;
  grid.cell_point = f.cell_point;
  grid.cell_type = f.cell_type;
  grid.n_point_arrays = 2;
  grid.point_arrays = on_points;
  grid.n_cell_arrays = 1;
  grid.cell_arrays = on_cells;
  return vtk_write(&grid, path, spec->ascii, err);
}

Status fields_write_tools(const Model *model, const State *state, const StepWork *work,
                          const char *path, const OutputSpec *spec, Err *err) {
  const BodySet *bs = &model->bodies;
  Arena arena = {0};
  Mesh *mesh;
  double low[3], high[3];
  (void)work;
  MEM_NEW(mesh, bs->n_tools, err);
  picture_box(bs, low, high);
  Status status = OK;
  for (int t = 0; t < bs->n_tools && status == OK; t++) {
    const Shape *shape = &bs->tools[t].shape;
    if (bs->removed && bs->removed[bs->tools[t].body]) continue; // nothing of it is drawn
    status = shape->type->picture(shape, low, high, &mesh[t], err);
    for (int k = 0; k < spec->n_planes && status == OK; k++)
      status =
          clip_picture(&mesh[t], spec->plane[k].axis, spec->plane[k].at, spec->plane[k].sign, err);
    if (status != OK) err_note(err, "picture of tool '%s'", bs->name[bs->tools[t].body]);
  }
  if (status == OK) status = write_tools(model, state, mesh, path, spec, &arena, err);
  for (int t = 0; t < bs->n_tools; t++) mesh_free(&mesh[t]);
  mem_free(mesh);
  arena_free(&arena);
  return status;
}
