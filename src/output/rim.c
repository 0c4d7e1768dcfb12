#include "output/rim.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/vec3.h"
#include "file/atomic.h"
#include "file/number.h"

void rim_free(Rim *rim) {
  mem_free(rim->name);
  mem_free(rim->node);
  *rim = (Rim){0};
}

enum { ANGLE, REFERENCE, PLACE = 4, RADIUS = 7, HEIGHT, THICKNESS, N_COLUMNS };

static int compare_row(const void *a, const void *b) {
  const double *x = a, *y = b;
  return (x[ANGLE] > y[ANGLE]) - (x[ANGLE] < y[ANGLE]);
}

// Two directions across the axis: angles count from the first of the model's axes that is across
// it.
static void across(const double axis[3], double first[3], double second[3]) {
  const double least = 0.1; // sine below which the next axis of the model is taken
  for (int k = 0; k < 3; k++) {
    for (int i = 0; i < 3; i++) first[i] = (i == k) - axis[k] * axis[i];
    double length = vec3_length(first);
    for (int i = 0; i < 3; i++) first[i] /= length;
    if (length > least) break;
  }
  for (int i = 0; i < 3; i++)
    second[i] = axis[(i + 1) % 3] * first[(i + 2) % 3] - axis[(i + 2) % 3] * first[(i + 1) % 3];
}

// Place of a node before (moved 0) or after.
static void node_place(const Model *model, const State *state, int node, int moved, double x[3]) {
  int dim = model->bodies.dim;
  x[2] = 0;
  for (int i = 0; i < dim; i++) {
    size_t at = (size_t)dim * (size_t)node + i;
    x[i] = model->bodies.x[at] + (moved ? state->bodies.q[at] : 0);
  }
}

static void fill_row(const Rim *rim, const Model *model, const State *state, int node,
                     const double base[3], double *row) {
  double first[3], second[3], d[3];
  across(rim->axis, first, second);
  node_place(model, state, node, 0, row + REFERENCE);
  node_place(model, state, node, 1, row + PLACE);
  for (int i = 0; i < 3; i++) d[i] = row[REFERENCE + i] - rim->at[i];
  row[ANGLE] = atan2(vec3_dot(d, second), vec3_dot(d, first));
  for (int i = 0; i < 3; i++) d[i] = row[PLACE + i] - rim->at[i];
  row[RADIUS] = hypot(vec3_dot(d, first), vec3_dot(d, second));
  for (int i = 0; i < 3; i++) d[i] = row[PLACE + i] - base[i];
  row[HEIGHT] = vec3_dot(d, rim->axis);
  row[THICKNESS] = state->bodies.half ? 2 * state->bodies.half[node] : 0;
}

Status rim_write(const Rim *rim, const Model *model, const State *state, const char *path,
                 Err *err) {
  AtomicFile file;
  double *table, base[3] = {rim->at[0], rim->at[1], rim->at[2]};
  char text[NUMBER_TEXT_SIZE];
  int n = 0;
  MEM_NEW(table, N_COLUMNS * rim->n, err);
  if (rim->base >= 0) node_place(model, state, rim->base, 1, base);
  for (int k = 0; k < rim->n; k++)
    if (bodies_node_there(&model->bodies, rim->node[k]))
      fill_row(rim, model, state, rim->node[k], base, table + (size_t)N_COLUMNS * (size_t)n++);
  qsort(table, (size_t)n, N_COLUMNS * sizeof *table, compare_row);
  Status status = atomic_open(&file, path, err);
  if (status == OK) {
    fprintf(file.stream, "# units: rad,m,m,m,m,m,m,m,m,m\n"
                         "angle,x_start,y_start,z_start,x,y,z,radius,height,thickness\n");
    for (int k = 0; k < N_COLUMNS * n; k++) {
      number_format(text, table[k]);
      fprintf(file.stream, "%s%c", text, (k + 1) % N_COLUMNS ? ',' : '\n');
    }
    status = atomic_commit(&file, err);
  }
  mem_free(table);
  return status;
}
