// Rectangular stones from a table: each stands where it says.

#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "mesh/assembly.h"

// Stones that meet are this share of the wall apart or inside one another, by round-off.
static const double TOLERANCE = 1e-9;

typedef struct {
  double low; // left end [m]
  int stone;
} Place;

typedef struct {
  const StonesSpec *spec;
  AssemblyBuilder builder;
  Place *place; // [n] from left to right
  double low[3], high[3], tolerance;
} Pile;

static double low_of(const Stone *stone, int axis) {
  return stone->corner[axis];
}
static double high_of(const Stone *stone, int axis) {
  return stone->corner[axis] + stone->size[axis];
}

Status masonry_check_stone(const Stone *stone, int dim, Err *err) {
  static const char *const names[] = {"length", "height", "depth"}, *const axes[] = {"x", "y", "z"};
  for (int axis = 0; axis < dim; axis++) {
    if (!isfinite(stone->corner[axis]))
      return err_set(err, ERR_INPUT, "%s is missing or no number", axes[axis]);
    if (!(stone->size[axis] > 0) || !isfinite(stone->size[axis]))
      return err_set(err, ERR_INPUT, "a %s of %g m, it must be positive", names[axis],
                     stone->size[axis]);
  }
  return OK;
}

static Status check_sizes(Pile *pile, Err *err) {
  const StonesSpec *spec = pile->spec;
  double size = 0;
  if (spec->n < 1) return err_set(err, ERR_INPUT, "a table without stones");
  if (spec->cells_z < 1 && spec->dim == 3)
    return err_set(err, ERR_INPUT, "%d cells along the depth: at least 1", spec->cells_z);
  for (int k = 0; k < spec->n; k++) {
    Err why = {0};
    if (masonry_check_stone(&spec->stone[k], spec->dim, &why) != OK)
      return err_set(err, ERR_INPUT, "row %d: %s", k + 1, why.text);
  }
  for (int axis = 0; axis < spec->dim; axis++) {
    pile->low[axis] = (double)INFINITY;
    pile->high[axis] = -(double)INFINITY;
    for (int k = 0; k < spec->n; k++) {
      const Stone *stone = &spec->stone[k];
      pile->low[axis] = fmin(pile->low[axis], low_of(stone, axis));
      pile->high[axis] = fmax(pile->high[axis], high_of(stone, axis));
    }
    size = fmax(size, pile->high[axis] - pile->low[axis]);
  }
  pile->tolerance = TOLERANCE * size;
  return assembly_check_cells(spec->mesh, err);
}

// How deep two stones are inside one another along each axis; returns the least.
static double common(const StonesSpec *spec, int i, int j, double over[3]) {
  double least = (double)INFINITY;
  for (int axis = 0; axis < spec->dim; axis++) {
    const Stone *a = &spec->stone[i], *b = &spec->stone[j];
    over[axis] = fmin(high_of(a, axis), high_of(b, axis)) - fmax(low_of(a, axis), low_of(b, axis));
    least = fmin(least, over[axis]);
  }
  return least;
}

static int by_low(const void *a, const void *b) {
  const Place *i = a, *j = b;
  return i->low < j->low ? -1 : i->low > j->low ? 1 : i->stone - j->stone;
}

// What a walk from left to right over stones that are side by side finds.
typedef struct {
  int pairs, first[2]; // of stones inside one another by more than is tolerated
  double deepest;
  uint8_t *stands; // [n] 1: on another stone, or as low as the lowest
} Findings;

static void look_at_pair(const Pile *pile, int i, int j, Findings *found) {
  const StonesSpec *spec = pile->spec;
  double over[3], least = common(spec, i, j, over), touching = pile->tolerance + spec->tolerated;
  if (least > touching) {
    found->pairs++;
    if (least > found->deepest) {
      found->deepest = least;
      found->first[0] = i < j ? i : j;
      found->first[1] = i < j ? j : i;
    }
  }
  for (int axis = 0; axis < spec->dim; axis++)
    if (axis != 1 && over[axis] <= pile->tolerance) return;
  if (fabs(low_of(&spec->stone[i], 1) - high_of(&spec->stone[j], 1)) <= touching)
    found->stands[i] = 1;
  if (fabs(low_of(&spec->stone[j], 1) - high_of(&spec->stone[i], 1)) <= touching)
    found->stands[j] = 1;
}

static Status check_places(Pile *pile, Findings *found, Err *err) {
  const StonesSpec *spec = pile->spec;
  MEM_NEW(found->stands, spec->n, err);
  MEM_NEW(pile->place, spec->n, err);
  for (int k = 0; k < spec->n; k++) {
    pile->place[k] = (Place){low_of(&spec->stone[k], 0), k};
    found->stands[k] = low_of(&spec->stone[k], 1) <= pile->low[1] + pile->tolerance;
  }
  qsort(pile->place, (size_t)spec->n, sizeof *pile->place, by_low);
  for (int a = 0; a < spec->n; a++) {
    int i = pile->place[a].stone;
    for (int b = a + 1; b < spec->n && pile->place[b].low < high_of(&spec->stone[i], 0); b++)
      look_at_pair(pile, i, pile->place[b].stone, found);
  }
  if (found->pairs > 0)
    return err_set(err, ERR_INPUT,
                   "rows %d and %d are inside one another by %g m%s: %d such pair%s",
                   found->first[0] + 1, found->first[1] + 1, found->deepest,
                   spec->tolerated > 0 ? ", more than is tolerated" : "", found->pairs,
                   found->pairs > 1 ? "s, this is the deepest" : "");
  int floating = 0, lowest = -1;
  for (int k = 0; k < spec->n; k++) {
    if (found->stands[k]) continue;
    floating++;
    if (lowest < 0 || low_of(&spec->stone[k], 1) < low_of(&spec->stone[lowest], 1)) lowest = k;
  }
  if (floating > 0 && !spec->may_float)
    return err_set(err, ERR_INPUT, "row %d floats: no stone is under it at %g m%s", lowest + 1,
                   low_of(&spec->stone[lowest], 1), floating > 1 ? ", as under others above" : "");
  return OK;
}

static Status lay_stones(Pile *pile, Err *err) {
  const StonesSpec *spec = pile->spec;
  for (int k = 0; k < spec->n; k++) {
    const Stone *stone = &spec->stone[k];
    RectangleKey key = {.w = stone->size[0],
                        .h = stone->size[1],
                        .d = spec->dim == 3 ? stone->size[2] : 0,
                        .nx = spec->mesh.nx,
                        .ny = spec->mesh.ny,
                        .nz = spec->cells_z};
    AssemblyBlock block = {
        .x = stone->corner[0], .y = stone->corner[1], .z = spec->dim == 3 ? stone->corner[2] : 0};
    TRY(assembly_add_rectangle(&pile->builder, key, spec->mesh.pattern, &block.mesh, err));
    TRY(assembly_add_block(&pile->builder, block, err));
  }
  static const struct {
    const char *name;
    int axis, high;
  } sides[] = {{"bottom", 1, 0}, {"right", 0, 1}, {"top", 1, 1},
               {"left", 0, 0},   {"back", 2, 0},  {"front", 2, 1}};
  for (int k = 0; k < 2 * spec->dim; k++) {
    int axis = sides[k].axis;
    TRY(assembly_group_plane(pile->builder.out, sides[k].name, axis,
                             sides[k].high ? pile->high[axis] : pile->low[axis], pile->tolerance,
                             err));
  }
  return OK;
}

Status masonry_stones(Assembly *stones, const StonesSpec *spec, Err *err) {
  *stones = (Assembly){0};
  Pile pile = {.spec = spec, .builder = {.out = stones}};
  Findings found = {0};
  Status status = check_sizes(&pile, err);
  if (status == OK) status = check_places(&pile, &found, err);
  if (status == OK) status = lay_stones(&pile, err);
  mem_free(found.stands);
  mem_free(pile.place);
  assembly_builder_free(&pile.builder);
  if (status != OK) assembly_free(stones);
  return status;
}
