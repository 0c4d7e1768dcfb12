// Rubble: convex stones of random shape that do not touch yet.

#include <math.h>

#include "base/mem.h"
#include "base/space.h"
#include "base/vec3.h"
#include "mesh/assembly.h"
#include "mesh/hull.h"

// Balls are so many radii apart.
static const double PITCH = 2.02;
// Corners of a stone are so far apart, in radii: none is a needle. Sixteen find room for that.
static const double APART = 0.6;

// Numbers in [0, 1[ that are the same everywhere: splitmix64 (Steele and others 2014).
static double next_number(uint64_t *state) {
  *state += 0x9e3779b97f4a7c15U;
  uint64_t z = *state;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
  return (double)((z ^ (z >> 31)) >> 11) * 0x1p-53;
}

static int has_room(const double *x, int n, const double p[3]) {
  for (int k = 0; k < n; k++) {
    double d[3];
    for (int i = 0; i < 3; i++) d[i] = p[i] - x[3 * k + i];
    if (vec3_dot(d, d) < APART * APART) return 0;
  }
  return 1;
}

static Status make_stone(const RubbleSpec *spec, uint64_t *state, Mesh *mesh, Err *err) {
  double x[3 * RUBBLE_CORNERS];
  int most = spec->corners[1], least = spec->corners[0];
  int wanted = least + (int)(next_number(state) * (most - least + 1));
  for (int n = 0; n < wanted;) {
    double height = 2 * next_number(state) - 1, angle = 2 * PI * next_number(state),
           across = sqrt(1 - height * height);
    const double p[3] = {across * cos(angle), across * sin(angle), height};
    if (!has_room(x, n, p)) continue;
    for (int i = 0; i < 3; i++) x[3 * n + i] = p[i];
    n++;
  }
  for (int k = 0; k < 3 * wanted; k++) x[k] *= spec->radius;
  return mesh_hull(mesh, x, wanted, err);
}

// The places of a layer, rows of a triangular lattice about the middle: returns how many.
static int places_in_layer(const RubbleSpec *spec, double (*place)[2], int room) {
  double pitch = PITCH * spec->radius, reach = 0.5 * spec->width - spec->radius;
  int rows = (int)(reach / pitch * 2) + 1, n = 0;
  for (int row = -rows; row <= rows; row++)
    for (int k = -rows; k <= rows; k++) {
      double x = pitch * (k + 0.5 * row), y = pitch * 0.5 * sqrt(3) * row;
      if (hypot(x, y) > reach * (1 + 1e-12)) continue;
      if (n < room) place[n][0] = x, place[n][1] = y;
      n++;
    }
  return n;
}

enum { MOST_IN_LAYER = 4096 };

static Status lay(AssemblyBuilder *builder, const RubbleSpec *spec, double (*place)[2], Err *err) {
  uint64_t state = spec->seed;
  int n = places_in_layer(spec, place, MOST_IN_LAYER);
  if (n < 1 || n > MOST_IN_LAYER)
    return err_set(err, ERR_INPUT, "%s: a width of %g m for balls of %g m, which take %g m each",
                   n < 1 ? "no stone is left" : "too many stones in a layer", spec->width,
                   spec->radius, 2 * spec->radius);
  for (int k = 0; k < spec->n; k++) {
    Mesh mesh = {0};
    AssemblyBlock block = {.x = place[k % n][0],
                           .y = place[k % n][1],
                           .z = (k / n + 0.5) * PITCH * spec->radius,
                           .course = 1 + k / n};
    Status status = make_stone(spec, &state, &mesh, err);
    if (status != OK) return err_note(err, "stone %d", k + 1);
    TRY(assembly_add_mesh(builder, &mesh, &block.mesh, err));
    TRY(assembly_add_block(builder, block, err));
  }
  return assembly_group_courses(builder->out, err);
}

Status masonry_rubble(Assembly *rubble, const RubbleSpec *spec, Err *err) {
  *rubble = (Assembly){0};
  double(*place)[2];
  if (spec->n < 1) return err_set(err, ERR_INPUT, "no stone is left: a count of %d", spec->n);
  if (spec->corners[0] < 4 || spec->corners[1] > RUBBLE_CORNERS ||
      spec->corners[0] > spec->corners[1])
    return err_set(err, ERR_INPUT, "stones of %d to %d corners: from 4 to %d", spec->corners[0],
                   spec->corners[1], RUBBLE_CORNERS);
  MEM_NEW(place, MOST_IN_LAYER, err);
  AssemblyBuilder builder = {.out = rubble};
  Status status = lay(&builder, spec, place, err);
  assembly_builder_free(&builder);
  mem_free(place);
  if (status != OK) assembly_free(rubble);
  return status;
}
