#include "output/line.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec3.h"
#include "body/finite.h"
#include "file/atomic.h"
#include "file/number.h"

void line_free(OutputLine *line) {
  mem_free(line->name);
  *line = (OutputLine){0};
}

enum {
  PLACE,
  LENGTH,
  START,
  NOW = START + 3,
  THICKNESS = NOW + 3,
  THINNING,
  MAJOR,
  MINOR,
  PLASTIC,
  N_COLUMNS
};
// What a row needs beside its columns: both ends of the cut of its element now, that nearer to the
// first point first.
enum { ENDS = N_COLUMNS, N_NUMBERS = ENDS + 6 };

// Along the line, and across it in the sheet: unit vectors; the length of the line.
typedef struct {
  double along[3], across[3], length;
} Cut;

// Areas as vectors, summed over the sheet as it was at the start.
static void mean_normal(const BodySet *bs, int body, double normal[3]) {
  const Mesh *mesh = bs->mesh[body];
  memset(normal, 0, 3 * sizeof *normal);
  for (int e = 0; e < mesh->n_elems; e++) {
    const int32_t *node = mesh->elem_node + mesh->elem_ptr[e];
    int n = mesh->elem_ptr[e + 1] - mesh->elem_ptr[e];
    const double *x0 = bs->x + 3 * (size_t)(bs->node_ptr[body] + node[0]);
    for (int k = 1; k + 1 < n; k++) {
      double a[3], b[3], c[3];
      for (int i = 0; i < 3; i++) {
        a[i] = bs->x[3 * (size_t)(bs->node_ptr[body] + node[k]) + i] - x0[i];
        b[i] = bs->x[3 * (size_t)(bs->node_ptr[body] + node[k + 1]) + i] - x0[i];
      }
      vec3_cross(a, b, c);
      for (int i = 0; i < 3; i++) normal[i] += c[i];
    }
  }
}

static Status find_cut(const OutputLine *line, const Model *model, Cut *cut, Err *err) {
  const double least = 1e-6; // of the lengths that are multiplied
  double normal[3];
  for (int i = 0; i < 3; i++) cut->along[i] = line->to[i] - line->from[i];
  cut->length = sqrt(vec3_dot(cut->along, cut->along));
  mean_normal(&model->bodies, line->body, normal);
  vec3_cross(normal, cut->along, cut->across);
  double size = sqrt(vec3_dot(cut->across, cut->across));
  if (!(size > least * cut->length * vec3_length(normal)))
    return err_set(err, ERR_INPUT, "line '%s' has no length in the sheet", line->name);
  for (int i = 0; i < 3; i++) {
    cut->along[i] /= cut->length;
    cut->across[i] /= size;
  }
  return OK;
}

// Where the sides of element `elem` cross the plane, at the start and now: 1 if twice within the
// line. Nodes in the plane count as on the side `sense` of it, so that of the elements on either
// side of an edge in it one is cut.
static int cut_element(const OutputLine *line, const BodySet *bs, const double *q, const Cut *cut,
                       int elem, double sense, double start[2][3], double now[2][3]) {
  const double near = 1e-9 * cut->length;
  const Mesh *mesh = bs->mesh[line->body];
  const int32_t *node = mesh->elem_node + mesh->elem_ptr[elem];
  int n = mesh->elem_ptr[elem + 1] - mesh->elem_ptr[elem], found = 0;
  for (int k = 0; k < n && found < 2; k++) {
    size_t at[2] = {3 * (size_t)(bs->node_ptr[line->body] + node[k]),
                    3 * (size_t)(bs->node_ptr[line->body] + node[(k + 1) % n])};
    double d[2], away[2];
    for (int end = 0; end < 2; end++) {
      double x[3];
      for (int i = 0; i < 3; i++) x[i] = bs->x[at[end] + i] - line->from[i];
      d[end] = vec3_dot(cut->across, x);
      if (fabs(d[end]) <= near) d[end] = 0;
      away[end] = d[end] == 0 ? sense : d[end];
    }
    if (away[0] * away[1] > 0) continue;
    double t = d[0] == d[1] ? 0.5 : d[0] / (d[0] - d[1]);
    for (int i = 0; i < 3; i++) {
      start[found][i] = (1 - t) * bs->x[at[0] + i] + t * bs->x[at[1] + i];
      now[found][i] = start[found][i] + (1 - t) * q[at[0] + i] + t * q[at[1] + i];
    }
    found++;
  }
  double along = 0; // an element that has but a corner in the plane is not cut
  for (int i = 0; i < 3 && found == 2; i++) along += cut->along[i] * (start[1][i] - start[0][i]);
  return fabs(along) > near;
}

static int compare_row(const void *a, const void *b) {
  const double *x = a, *y = b;
  return (x[PLACE] > y[PLACE]) - (x[PLACE] < y[PLACE]);
}

static void fill_row(const OutputLine *line, const Model *model, const State *state, const Cut *cut,
                     int elem, double start[2][3], double now[2][3], double *row) {
  const BodySet *bs = &model->bodies;
  const FiniteBody *sheet = &bs->finite[bs->own[line->body]];
  FiniteIterate at = {.state = &state->bodies,
                      .u = state->bodies.q,
                      .config = state->bodies.config,
                      .internal = state->bodies.internal};
  FormPoint point = finite_point(bs, bs->own[line->body], &at);
  FormOutput out;
  double d[3];
  sheet->form.type->output(&sheet->form, elem, &point, &out);
  for (int i = 0; i < 3; i++) {
    row[START + i] = 0.5 * (start[0][i] + start[1][i]);
    row[NOW + i] = 0.5 * (now[0][i] + now[1][i]);
    d[i] = start[1][i] - start[0][i];
  }
  int turned = vec3_dot(d, cut->along) < 0;
  memcpy(row + ENDS, now[turned], 3 * sizeof *row);
  memcpy(row + ENDS + 3, now[!turned], 3 * sizeof *row);
  for (int i = 0; i < 3; i++) d[i] = row[START + i] - line->from[i];
  row[PLACE] = vec3_dot(d, cut->along);
  row[THICKNESS] = out.thickness;
  row[THINNING] = 1 - out.thickness / sheet->form.spec.thickness;
  row[MAJOR] = out.major;
  row[MINOR] = out.minor;
  row[PLASTIC] = out.plastic;
}

// Rows of the elements cut, without those that were cut off; *table is for the caller to free.
static Status find_rows(const OutputLine *line, const Model *model, const State *state,
                        double **table, int *n_rows, Err *err) {
  const BodySet *bs = &model->bodies;
  const Mesh *mesh = bs->mesh[line->body];
  Cut cut;
  *n_rows = 0;
  MEM_NEW(*table, N_NUMBERS * mesh->n_elems, err);
  TRY(find_cut(line, model, &cut, err));
  for (int sense = -1; sense <= 1 && *n_rows == 0; sense += 2)
    for (int e = 0; e < mesh->n_elems; e++) {
      double start[2][3], now[2][3], *row = *table + (size_t)N_NUMBERS * (size_t)*n_rows;
      if (bodies_lacks(bs, line->body, e)) continue;
      if (!cut_element(line, bs, state->bodies.q, &cut, e, sense, start, now)) continue;
      fill_row(line, model, state, &cut, e, start, now, row);
      *n_rows += row[PLACE] >= 0 && row[PLACE] <= cut.length;
    }
  qsort(*table, (size_t)*n_rows, N_NUMBERS * sizeof **table, compare_row);
  double length = 0;
  for (int k = 0; k < *n_rows; k++) {
    double *row = *table + (size_t)N_NUMBERS * (size_t)k, own = 0;
    for (int i = 0; i < 3; i++) own += pow(row[ENDS + 3 + i] - row[ENDS + i], 2);
    row[LENGTH] = length + 0.5 * sqrt(own);
    length += sqrt(own);
  }
  return OK;
}

Status line_check(const OutputLine *line, const Model *model, double *aside, Err *err) {
  const BodySet *bs = &model->bodies;
  const Mesh *mesh = bs->mesh[line->body];
  double start[2][3], now[2][3];
  Cut cut;
  *aside = (double)INFINITY;
  TRY(find_cut(line, model, &cut, err));
  for (int sense = -1; sense <= 1; sense += 2)
    for (int e = 0; e < mesh->n_elems; e++) {
      if (!cut_element(line, bs, bs->x, &cut, e, sense, start, now)) continue;
      double d[3];
      for (int i = 0; i < 3; i++) d[i] = 0.5 * (start[0][i] + start[1][i]) - line->from[i];
      double place = vec3_dot(cut.along, d);
      if (!(place >= 0 && place <= cut.length)) continue;
      for (int i = 0; i < 3; i++) d[i] -= place * cut.along[i];
      *aside = fmin(*aside, vec3_length(d));
    }
  if (isfinite(*aside)) return OK;
  return err_set(err, ERR_INPUT, "line '%s' cuts no element of '%s'", line->name,
                 bs->name[line->body]);
}

Status line_write(const OutputLine *line, const Model *model, const State *state, const char *path,
                  Err *err) {
  AtomicFile file;
  double *table = NULL;
  char text[NUMBER_TEXT_SIZE];
  int n;
  Status status = find_rows(line, model, state, &table, &n, err);
  if (status == OK) status = atomic_open(&file, path, err);
  if (status == OK) {
    fprintf(file.stream, "# units: m,m,m,m,m,m,m,m,m,1,1,1,1\n"
                         "place,length,x_start,y_start,z_start,x,y,z,thickness,thinning,"
                         "major_strain,minor_strain,plastic_strain\n");
    for (int row = 0; row < n; row++)
      for (int k = 0; k < N_COLUMNS; k++) {
        number_format(text, table[(size_t)N_NUMBERS * (size_t)row + k]);
        fprintf(file.stream, "%s%c", text, k + 1 < N_COLUMNS ? ',' : '\n');
      }
    status = atomic_commit(&file, err);
  }
  mem_free(table);
  return status;
}
