#include "output/sheet_fields.h"

#include <math.h>
#include <string.h>

#include "step/stage.h"

int sheet_fields_wanted(const BodySet *bs) {
  for (int k = 0; k < bs->n_finite; k++)
    if (bs->finite[k].form.type->shell) return 1;
  return 0;
}

static Status take_real(double **array, int n, Arena *arena, Err *err) {
  ARENA_NEW(*array, n, arena, err);
  memset(*array, 0, sizeof **array * (size_t)n);
  return OK;
}

Status sheet_fields_take(SheetFields *f, const BodySet *bs, const OutputSpec *spec, int n_points,
                         int n_cells, Arena *arena, Err *err) {
  *f = (SheetFields){.n_points = n_points, .n_cells = n_cells, .has_limits = spec->n_limits > 0};
  for (int k = 0; k < bs->n_finite && spec->layers; k++)
    if (bs->finite[k].form.type->shell && bs->finite[k].form.spec.layers > f->n_layers)
      f->n_layers = bs->finite[k].form.spec.layers;
  TRY(take_real(&f->thinning, n_cells, arena, err));
  TRY(take_real(&f->index, n_cells, arena, err));
  for (int k = 0; k < N_SHEET_PLACES; k++) {
    TRY(take_real(&f->plastic[k], n_cells, arena, err));
    TRY(take_real(&f->stress[k], n_cells, arena, err));
  }
  for (int k = 0; k < f->n_layers; k++) {
    TRY(take_real(&f->layer_plastic[k], n_cells, arena, err));
    TRY(take_real(&f->layer_stress[k], n_cells, arena, err));
  }
  for (int side = 0; side < 2; side++) {
    TRY(take_real(&f->pressure[side], n_points, arena, err));
    ARENA_NEW(f->status[side], n_points, arena, err);
    memset(f->status[side], 0, sizeof(int32_t) * (size_t)n_points);
  }
  TRY(take_real(&f->springback, 3 * n_points, arena, err));
  TRY(take_real(&f->distance, n_points, arena, err));
  return OK;
}

// Of an even number of layers the middle is the mean of the two beside it.
static double at_middle(const double *layer, int n) {
  return n % 2 ? layer[n / 2] : 0.5 * (layer[n / 2 - 1] + layer[n / 2]);
}

void sheet_fields_cell(SheetFields *f, const BodySet *bs, const OutputSpec *spec, int body,
                       int cell, const FormOutput *out) {
  int n = out->n_layers;
  f->thinning[cell] = 1 - out->thickness / bs->finite[bs->own[body]].form.spec.thickness;
  for (int k = 0; k < spec->n_limits; k++)
    if (spec->limits[k].body == body)
      f->index[cell] = forming_limit_index(&spec->limits[k], out->minor, out->major);
  f->plastic[SHEET_BOTTOM][cell] = out->layer_plastic[0];
  f->plastic[SHEET_MIDDLE][cell] = at_middle(out->layer_plastic, n);
  f->plastic[SHEET_TOP][cell] = out->layer_plastic[n - 1];
  f->stress[SHEET_BOTTOM][cell] = out->layer_stress[0];
  f->stress[SHEET_MIDDLE][cell] = at_middle(out->layer_stress, n);
  f->stress[SHEET_TOP][cell] = out->layer_stress[n - 1];
  for (int k = 0; k < n && k < f->n_layers; k++) {
    f->layer_plastic[k][cell] = out->layer_plastic[k];
    f->layer_stress[k][cell] = out->layer_stress[k];
  }
}

// ---- contact of both faces --------------------------------------------------------------------------

// Vectors to the nodes of sheets: normal times the area that a node has of its elements now.
static void node_normals(const BodySet *bs, const double *q, double *normal) {
  for (int k = 0; k < bs->n_finite; k++) {
    int body = bs->finite[k].body;
    const Mesh *mesh = bs->mesh[body];
    if (!bs->finite[k].form.type->shell) continue;
    for (int e = 0; e < mesh->n_elems; e++) {
      const int32_t *node = mesh->elem_node + mesh->elem_ptr[e];
      int n = mesh->elem_ptr[e + 1] - mesh->elem_ptr[e];
      double x[4][3], a[3], b[3];
      if (bodies_lacks(bs, body, e)) continue;
      for (int i = 0; i < n; i++)
        for (int c = 0; c < 3; c++) {
          size_t at = 3 * (size_t)(bs->node_ptr[body] + node[i]) + c;
          x[i][c] = bs->x[at] + q[at];
        }
      for (int c = 0; c < 3; c++) { // half the product of the diagonals, of two sides of a triangle
        a[c] = x[2][c] - x[0][c];
        b[c] = n == 4 ? x[3][c] - x[1][c] : x[2][c] - x[1][c];
      }
      for (int c = 0; c < 3; c++) {
        double area = 0.5 * (a[(c + 1) % 3] * b[(c + 2) % 3] - a[(c + 2) % 3] * b[(c + 1) % 3]);
        for (int i = 0; i < n; i++)
          normal[3 * (size_t)(bs->node_ptr[body] + node[i]) + c] += area / n;
      }
    }
  }
}

Status sheet_fields_contacts(SheetFields *f, const Model *model, const State *state,
                             const StepWork *work, Arena *arena, Err *err) {
  const BodySet *bs = &model->bodies;
  double *normal;
  if (!work->reaction) return OK;
  TRY(take_real(&normal, 3 * bs->n_nodes, arena, err));
  node_normals(bs, state->bodies.q, normal);
  for (int c = 0; c < contact_count(work->contact); c++) {
    const Contact *contact = &contact_list(work->contact)[c];
    double force = work->reaction[3 * (size_t)c] / work->report.h_last;
    int32_t status = contact_status(work->contact, c);
    const int n_own = contact->side[0].n;
    for (int k = 0; k < n_own + contact->side[1].n; k++) {
      const Site *site = &contact->side[k >= n_own];
      const int term = k >= n_own ? k - n_own : k, node = site->node[term];
      const double weight = site->weight[term], *n = normal + 3 * (size_t)node;
      double area = sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]), along = 0;
      if (!(area > 0) || weight == 0) continue;
      for (int i = 0; i < 3; i++) along += weight * contact->n[i] * n[i];
      int side = along < 0; // what pushes along the normal touches the lower face
      f->pressure[side][node] += fabs(weight) * force / area;
      int32_t *most = &f->status[side][node];
      if (status > *most) *most = status;
    }
  }
  return OK;
}

Status sheet_fields_springback(SheetFields *f, const Model *model, const State *state, Arena *arena,
                               Err *err) {
  const BodySet *bs = &model->bodies;
  double *normal;
  if (!stage_has_formed(model, state)) return OK;
  TRY(take_real(&normal, 3 * bs->n_nodes, arena, err));
  node_normals(bs, state->formed, normal);
  for (int k = 0; k < bs->n_nodes; k++) {
    const double *n = normal + 3 * (size_t)k;
    double area = sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
    if (!(area > 0)) continue; // no node of a sheet
    for (int i = 0; i < 3; i++) {
      size_t at = 3 * (size_t)k + i;
      f->springback[at] = state->bodies.q[at] - state->formed[at];
      f->distance[k] += f->springback[at] * n[i] / area;
    }
  }
  return OK;
}

// ---- arrays -----------------------------------------------------------------------------------------

int sheet_fields_cell_arrays(const SheetFields *f, VtkArray *array) {
  static const char *const plastic[] = {"plastic_strain_bottom", "plastic_strain_middle",
                                        "plastic_strain_top"},
                           *const stress[] = {"equivalent_stress_bottom",
                                              "equivalent_stress_middle", "equivalent_stress_top"};
  static const char *const names[2][FORM_MAX_LAYERS] = {
      {"plastic_strain_layer_01", "plastic_strain_layer_02", "plastic_strain_layer_03",
       "plastic_strain_layer_04", "plastic_strain_layer_05", "plastic_strain_layer_06",
       "plastic_strain_layer_07", "plastic_strain_layer_08", "plastic_strain_layer_09",
       "plastic_strain_layer_10", "plastic_strain_layer_11", "plastic_strain_layer_12",
       "plastic_strain_layer_13", "plastic_strain_layer_14", "plastic_strain_layer_15"},
      {"equivalent_stress_layer_01", "equivalent_stress_layer_02", "equivalent_stress_layer_03",
       "equivalent_stress_layer_04", "equivalent_stress_layer_05", "equivalent_stress_layer_06",
       "equivalent_stress_layer_07", "equivalent_stress_layer_08", "equivalent_stress_layer_09",
       "equivalent_stress_layer_10", "equivalent_stress_layer_11", "equivalent_stress_layer_12",
       "equivalent_stress_layer_13", "equivalent_stress_layer_14", "equivalent_stress_layer_15"}};
  int n = 0;
  array[n++] = (VtkArray){"thinning", 1, f->thinning, NULL};
  if (f->has_limits) array[n++] = (VtkArray){"forming_limit_index", 1, f->index, NULL};
  for (int k = 0; k < N_SHEET_PLACES; k++) {
    array[n++] = (VtkArray){plastic[k], 1, f->plastic[k], NULL};
    array[n++] = (VtkArray){stress[k], 1, f->stress[k], NULL};
  }
  for (int k = 0; k < f->n_layers; k++) {
    array[n++] = (VtkArray){names[0][k], 1, f->layer_plastic[k], NULL};
    array[n++] = (VtkArray){names[1][k], 1, f->layer_stress[k], NULL};
  }
  return n;
}

int sheet_fields_point_arrays(const SheetFields *f, VtkArray *array) {
  array[0] = (VtkArray){"contact_pressure_bottom", 1, f->pressure[0], NULL};
  array[1] = (VtkArray){"contact_pressure_top", 1, f->pressure[1], NULL};
  array[2] = (VtkArray){"contact_status_bottom", 1, NULL, f->status[0]};
  array[3] = (VtkArray){"contact_status_top", 1, NULL, f->status[1]};
  array[4] = (VtkArray){"springback", 3, f->springback, NULL};
  array[5] = (VtkArray){"springback_normal", 1, f->distance, NULL};
  return N_SHEET_POINT_ARRAYS;
}
