#include <math.h>

#include "base/mem.h"
#include "mesh/assembly.h"
#include "mesh/masonry_bond.h"

// Round-off of positions, against the size of the wall.
static const double TOLERANCE = 1e-9;
// Larger walls are a slip of the pen.
static const double MAX_BLOCKS = 4e6;

// An opening in courses: what it and its lintel take away from them.
typedef struct {
  double low, high;               // jambs                                             [m]
  double lintel_low, lintel_high; // ends of the lintel                                [m]
  int first, end;                 // courses first .. end-1 (0 = lowest) are open
  int lintel_end;                 // the lintel takes courses end .. lintel_end-1
} Hole;

// A part of a course that is not plain: open, or lintel.
typedef struct {
  double low, high;
  int is_lintel, starts; // starts: the lintel's lowest course
  int height;            // in courses
} Obstacle;

typedef struct {
  const WallSpec *spec;
  AssemblyBuilder builder;
  double length, tolerance;
  double *level; // [n_courses + 1] bed joints                                         [m]
  Hole *holes;   // [n_openings]
  Obstacle *obstacles;
  Bearing *bearings;
  double *jambs; // [2 n_openings]
  Joints joints, below;
  unsigned char *kind; // [n_blocks] PieceKind
  size_t kind_room;
} Layout;

typedef enum { PIECE_FULL, PIECE_HALF, PIECE_HEADER, PIECE_CLOSER, PIECE_LINTEL } PieceKind;

static void layout_free(Layout *layout) {
  assembly_builder_free(&layout->builder);
  mem_free(layout->level);
  mem_free(layout->holes);
  mem_free(layout->obstacles);
  mem_free(layout->bearings);
  mem_free(layout->jambs);
  mem_free(layout->joints.x);
  mem_free(layout->below.x);
  mem_free(layout->kind);
}

static Status check_spec(const WallSpec *spec, Err *err) {
  if (spec->n_courses < 1)
    return err_set(err, ERR_INPUT, "a wall of %d courses: at least 1", spec->n_courses);
  if (!(spec->block_length > 0) || !isfinite(spec->block_length))
    return err_set(err, ERR_INPUT, "the length of a block is %g m, it must be positive",
                   spec->block_length);
  // less than one block is no course, and a set-back course needs something between its ends
  double least = spec->bond == BOND_RUNNING && spec->halves == HALVES_NONE ? 1.5 : 1;
  if (!(spec->blocks_per_course >= least) || spec->blocks_per_course * spec->n_courses > MAX_BLOCKS)
    return err_set(
        err, ERR_INPUT,
        "a wall of %d courses of %g blocks: at least %g blocks, and not more than %g in all",
        spec->n_courses, spec->blocks_per_course, least, MAX_BLOCKS);
  if (spec->n_course_heights < 1)
    return err_set(err, ERR_INPUT, "a wall needs the height of its courses");
  for (int k = 0; k < spec->n_course_heights; k++)
    if (!(spec->course_height[k] > 0) || !isfinite(spec->course_height[k]))
      return err_set(err, ERR_INPUT, "the height of a course is %g m, it must be positive",
                     spec->course_height[k]);
  if (bond_has_headers(spec) &&
      !(spec->header_length > 0 && spec->header_length < spec->block_length))
    return err_set(err, ERR_INPUT,
                   "%s bond: a header of %g m, it must be shorter than a stretcher of %g m",
                   spec->bond == BOND_FLEMISH ? "Flemish" : "English", spec->header_length,
                   spec->block_length);
  if (!isfinite(spec->x) || !isfinite(spec->y))
    return err_set(err, ERR_INPUT, "a wall stands at (%g, %g)", spec->x, spec->y);
  return assembly_check_cells(spec->mesh, err);
}

// Ends of a course.
static void course_ends(const Layout *layout, int course, double end[2]) {
  const WallSpec *spec = layout->spec;
  int set_back =
      spec->bond == BOND_RUNNING && spec->halves == HALVES_NONE && bond_is_shifted(spec, course);
  end[0] = set_back ? 0.5 * spec->block_length : 0;
  end[1] = layout->length - end[0];
}

// The bed joint at height y, or -1 with the nearest ones in the message.
static Status find_level(const Layout *layout, double y, int opening, const char *what, int *level,
                         Err *err) {
  int n = layout->spec->n_courses, above = 0;
  for (*level = 0; *level <= n; ++*level)
    if (fabs(layout->level[*level] - y) <= layout->tolerance) return OK;
  while (above <= n && layout->level[above] < y) above++;
  if (above == 0 || above > n)
    return err_set(err, ERR_INPUT, "opening %d: %s at %g m leaves the wall of %g m height",
                   opening + 1, what, y, layout->level[n]);
  return err_set(err, ERR_INPUT,
                 "opening %d: %s at %g m is not at a joint between courses; the nearest are at "
                 "%g m and %g m",
                 opening + 1, what, y, layout->level[above - 1], layout->level[above]);
}

static Status place_lintel(const Layout *layout, int k, Hole *hole, Err *err) {
  const WallOpening *opening = &layout->spec->openings[k];
  double reach = opening->lintel_bearing, top = layout->level[hole->end];
  if (reach == 0) return OK;
  if (hole->end == layout->spec->n_courses)
    return err_set(err, ERR_INPUT, "opening %d: no course is left above it for its lintel", k + 1);
  hole->lintel_end = hole->end + 1;
  if (opening->lintel_height > 0)
    TRY(find_level(layout, top + opening->lintel_height, k, "the top of the lintel",
                   &hole->lintel_end, err));
  hole->lintel_low = hole->low - reach;
  hole->lintel_high = hole->high + reach;
  // the lintel, and the course it bears on, must reach that far
  double least = 0.25 * layout->spec->block_length - layout->tolerance;
  for (int course = hole->end - 1; course < hole->lintel_end; course++) {
    double end[2];
    course_ends(layout, course, end);
    if (hole->lintel_low < end[0] - layout->tolerance ||
        hole->lintel_high > end[1] + layout->tolerance)
      return err_set(
          err, ERR_INPUT,
          "opening %d: its lintel from %g m to %g m leaves the wall, which goes from %g m "
          "to %g m there",
          k + 1, hole->lintel_low, hole->lintel_high, end[0], end[1]);
  }
  for (int course = hole->end; course < hole->lintel_end; course++) {
    double end[2];
    course_ends(layout, course, end);
    if (hole->lintel_low - end[0] < least) hole->lintel_low = end[0];
    if (end[1] - hole->lintel_high < least) hole->lintel_high = end[1];
  }
  return OK;
}

static Status place_hole(const Layout *layout, int k, Hole *hole, Err *err) {
  const WallOpening *o = &layout->spec->openings[k];
  if (!(o->width > 0) || !(o->height > 0) || !(o->lintel_bearing >= 0) ||
      !(o->lintel_height >= 0) || !isfinite(o->left) || !isfinite(o->bottom) ||
      !isfinite(o->width + o->height + o->lintel_bearing + o->lintel_height))
    return err_set(
        err, ERR_INPUT,
        "opening %d: width %g m and height %g m must be positive, lintel bearing %g m and "
        "height %g m not negative",
        k + 1, o->width, o->height, o->lintel_bearing, o->lintel_height);
  *hole = (Hole){.low = o->left, .high = o->left + o->width};
  if (hole->low < -layout->tolerance || hole->high > layout->length + layout->tolerance)
    return err_set(err, ERR_INPUT,
                   "opening %d: from %g m to %g m it leaves the wall of %g m length", k + 1,
                   hole->low, hole->high, layout->length);
  TRY(find_level(layout, o->bottom, k, "its bottom", &hole->first, err));
  TRY(find_level(layout, o->bottom + o->height, k, "its top", &hole->end, err));
  if (hole->end <= hole->first) // a height lost in the tolerance
    return err_set(err, ERR_INPUT, "opening %d: its height of %g m is no course", k + 1, o->height);
  hole->lintel_end = hole->end;
  return place_lintel(layout, k, hole, err);
}

// Whether two openings with their lintels share courses and lengths there.
static int overlap(const Layout *layout, const Hole *a, const Hole *b) {
  double t = layout->tolerance;
  for (int part = 0; part < 4; part++) {
    int a_lintel = part & 1, b_lintel = part >> 1;
    int a_first = a_lintel ? a->end : a->first, a_end = a_lintel ? a->lintel_end : a->end;
    int b_first = b_lintel ? b->end : b->first, b_end = b_lintel ? b->lintel_end : b->end;
    double a_low = a_lintel ? a->lintel_low : a->low, a_high = a_lintel ? a->lintel_high : a->high;
    double b_low = b_lintel ? b->lintel_low : b->low, b_high = b_lintel ? b->lintel_high : b->high;
    if (a_first < b_end && b_first < a_end && a_low < b_high - t && b_low < a_high - t) return 1;
  }
  return 0;
}

static Status place_holes(Layout *layout, Err *err) {
  int n = layout->spec->n_openings;
  MEM_NEW(layout->holes, n, err);
  MEM_NEW(layout->obstacles, n, err);
  MEM_NEW(layout->bearings, n, err);
  MEM_NEW(layout->jambs, 2 * n, err);
  for (int k = 0; k < n; k++) TRY(place_hole(layout, k, &layout->holes[k], err));
  for (int k = 0; k < n; k++)
    for (int j = k + 1; j < n; j++)
      if (overlap(layout, &layout->holes[k], &layout->holes[j]))
        return err_set(err, ERR_INPUT, "openings %d and %d overlap (with their lintels)", k + 1,
                       j + 1);
  return OK;
}

// Openings and lintels in a course, from left to right.
static int course_obstacles(Layout *layout, int course) {
  int n = 0;
  for (int k = 0; k < layout->spec->n_openings; k++) {
    const Hole *hole = &layout->holes[k];
    Obstacle own = {.low = hole->low, .high = hole->high};
    if (course >= hole->end) {
      own = (Obstacle){.low = hole->lintel_low,
                       .high = hole->lintel_high,
                       .is_lintel = 1,
                       .starts = course == hole->end,
                       .height = hole->lintel_end - hole->end};
    }
    if (course < hole->first || course >= hole->lintel_end) continue;
    int at = n++;
    for (; at > 0 && layout->obstacles[at - 1].low > own.low; at--)
      layout->obstacles[at] = layout->obstacles[at - 1];
    layout->obstacles[at] = own;
  }
  return n;
}

static PieceKind kind_of(const Layout *layout, double length) {
  const WallSpec *spec = layout->spec;
  if (fabs(length - spec->block_length) <= layout->tolerance) return PIECE_FULL;
  if (bond_has_headers(spec) && fabs(length - spec->header_length) <= layout->tolerance)
    return PIECE_HEADER;
  if (fabs(length - 0.5 * spec->block_length) <= layout->tolerance) return PIECE_HALF;
  return PIECE_CLOSER;
}

static Status add_piece(Layout *layout, int course, double low, double high, int height,
                        PieceKind kind, Err *err) {
  const WallSpec *spec = layout->spec;
  double length = high - low;
  double cells = round(spec->mesh.nx * length / spec->block_length - TOLERANCE);
  if (cells > INT32_MAX / 64)
    return err_set(err, ERR_INPUT, "a block of %g m has too many cells", length);
  RectangleKey key = {.w = length,
                      .h = layout->level[course + height] - layout->level[course],
                      .nx = cells < 1 ? 1 : (int)cells,
                      .ny = spec->mesh.ny * height};
  void *kinds = layout->kind;
  size_t n = (size_t)layout->builder.out->n_blocks;
  TRY(mem_grow(&kinds, &layout->kind_room, n + 1, 1, err));
  layout->kind = kinds;
  layout->kind[n] = (unsigned char)kind;
  AssemblyBlock block = {.x = spec->x + low,
                         .y = spec->y + layout->level[course],
                         .course = course + 1,
                         .through = kind == PIECE_HEADER || kind == PIECE_LINTEL};
  TRY(assembly_add_rectangle(&layout->builder, key, spec->mesh.pattern, &block.mesh, err));
  return assembly_add_block(&layout->builder, block, err);
}

static Status lay_segment(Layout *layout, const Bond *bond, int course, double low, double high,
                          Err *err) {
  int first = layout->joints.n;
  if (high - low <= layout->tolerance) return OK;
  TRY(bond_segment(bond, course, low, high, &layout->joints, err));
  for (int k = first; k <= layout->joints.n; k++) {
    double left = k == first ? low : layout->joints.x[k - 1];
    double right = k == layout->joints.n ? high : layout->joints.x[k];
    TRY(add_piece(layout, course, left, right, 1, kind_of(layout, right - left), err));
  }
  return OK;
}

// What joints of a course must respect.
static Bond course_bond(Layout *layout, int course) {
  const WallSpec *spec = layout->spec;
  double quarter = 0.25 * spec->block_length;
  Bond bond = {.spec = spec,
               .tolerance = layout->tolerance,
               .least = quarter,
               .offset = bond_has_headers(spec) ? fmin(bond_closer(spec), quarter) : quarter,
               .below = course > 0 ? &layout->below : NULL,
               .bearing = layout->bearings,
               .jamb = layout->jambs};
  for (int k = 0; k < spec->n_openings; k++) {
    const Hole *hole = &layout->holes[k];
    if (hole->lintel_end > hole->end && hole->end == course + 1)
      layout->bearings[bond.n_bearings++] = (Bearing){hole->lintel_low, hole->lintel_high};
    if (hole->first == course + 1) {
      layout->jambs[bond.n_jambs++] = hole->low;
      layout->jambs[bond.n_jambs++] = hole->high;
    }
  }
  return bond;
}

static Status lay_course(Layout *layout, int course, Err *err) {
  Bond bond = course_bond(layout, course);
  double end[2];
  int n = course_obstacles(layout, course);
  course_ends(layout, course, end);
  double at = end[0];
  for (int k = 0; k < n; k++) {
    const Obstacle *obstacle = &layout->obstacles[k];
    TRY(lay_segment(layout, &bond, course, at, fmin(obstacle->low, end[1]), err));
    at = fmax(at, obstacle->high);
    if (!obstacle->is_lintel) continue;
    TRY(joints_add(&layout->joints, obstacle->low, err));
    TRY(joints_add(&layout->joints, obstacle->high, err));
    if (obstacle->starts)
      TRY(add_piece(layout, course, obstacle->low, obstacle->high, obstacle->height, PIECE_LINTEL,
                    err));
  }
  return lay_segment(layout, &bond, course, at, end[1], err);
}

static Status group_kind(const Layout *layout, const char *name, PieceKind kind, Err *err) {
  Assembly *wall = layout->builder.out;
  unsigned char *has;
  MEM_NEW(has, wall->n_blocks, err);
  for (int b = 0; b < wall->n_blocks; b++) has[b] = layout->kind[b] == (unsigned char)kind;
  Status status = assembly_group_blocks(wall, name, has, err);
  mem_free(has);
  return status;
}

static Status add_groups(const Layout *layout, Err *err) {
  const WallSpec *spec = layout->spec;
  Assembly *wall = layout->builder.out;
  double t = layout->tolerance;
  TRY(assembly_group_courses(wall, err));
  TRY(group_kind(layout, "halves", PIECE_HALF, err));
  TRY(group_kind(layout, "headers", PIECE_HEADER, err));
  TRY(group_kind(layout, "closers", PIECE_CLOSER, err));
  TRY(group_kind(layout, "lintels", PIECE_LINTEL, err));
  TRY(assembly_group_plane(wall, "bottom", 1, spec->y, t, err));
  TRY(assembly_group_plane(wall, "right", 0, spec->x + layout->length, t, err));
  TRY(assembly_group_plane(wall, "top", 1, spec->y + layout->level[spec->n_courses], t, err));
  return assembly_group_plane(wall, "left", 0, spec->x, t, err);
}

static Status build(Layout *layout, Err *err) {
  const WallSpec *spec = layout->spec;
  MEM_NEW(layout->level, spec->n_courses + 1, err);
  for (int k = 0; k < spec->n_courses; k++)
    layout->level[k + 1] = layout->level[k] + spec->course_height[k % spec->n_course_heights];
  layout->length = spec->blocks_per_course * spec->block_length;
  layout->tolerance = TOLERANCE * fmax(layout->length, layout->level[spec->n_courses]);
  TRY(place_holes(layout, err));
  for (int course = 0; course < spec->n_courses; course++) {
    Joints old = layout->below;
    layout->below = layout->joints;
    layout->joints = old;
    layout->joints.n = 0;
    TRY(lay_course(layout, course, err));
  }
  return add_groups(layout, err);
}

Status masonry_wall(Assembly *wall, const WallSpec *spec, Err *err) {
  *wall = (Assembly){0};
  TRY(check_spec(spec, err));
  Layout layout = {.spec = spec, .builder = {.out = wall}};
  Status status = build(&layout, err);
  layout_free(&layout);
  if (status == OK && wall->n_blocks == 0)
    status = err_set(err, ERR_INPUT,
                     "no stone is left: openings take all %g m of its length in each course",
                     spec->blocks_per_course * spec->block_length);
  if (status != OK) assembly_free(wall);
  return status;
}
