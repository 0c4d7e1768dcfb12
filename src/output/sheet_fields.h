// output/sheet_fields.h -- what field files say of sheets beside other bodies: layers, thinning, forming
// limits, contact of both faces. Cells and points of other bodies hold zero. The upper face is the one
// that the normal of the elements points out of.

#ifndef OUTPUT_SHEET_FIELDS_H
#define OUTPUT_SHEET_FIELDS_H

#include "file/vtk.h"
#include "output/output.h"

enum { SHEET_BOTTOM, SHEET_MIDDLE, SHEET_TOP, N_SHEET_PLACES };
enum { MAX_SHEET_CELL_ARRAYS = 2 + 2 * N_SHEET_PLACES + 2 * FORM_MAX_LAYERS };
enum { N_SHEET_POINT_ARRAYS = 6 };

typedef struct {
  int n_points, n_cells;
  int n_layers, has_limits;                                 // 0 layers: not wanted one by one
  double *thinning, *index;                                 // [n_cells]
  double *plastic[N_SHEET_PLACES], *stress[N_SHEET_PLACES]; // [n_cells]
  double *layer_plastic[FORM_MAX_LAYERS], *layer_stress[FORM_MAX_LAYERS];
  double *pressure[2]; // [n_points] lower, upper face                                   [Pa]
  int32_t *status[2];
  double *springback; // [3 n_points] way since tools began to go                         [m]
  double *distance;   // [n_points] its part along the normal that the sheet had then
} SheetFields;

int sheet_fields_wanted(const BodySet *bs); // whether there are sheets

// Room for all of it, zeroed.
Status sheet_fields_take(SheetFields *f, const BodySet *bs, const OutputSpec *spec, int n_points,
                         int n_cells, Arena *arena, Err *err) MUST_CHECK;
// One element of sheet `body`.
void sheet_fields_cell(SheetFields *f, const BodySet *bs, const OutputSpec *spec, int body,
                       int cell, const FormOutput *out);
// Contacts of the last step, on the area that the faces have now.
Status sheet_fields_contacts(SheetFields *f, const Model *model, const State *state,
                             const StepWork *work, Arena *arena, Err *err) MUST_CHECK;

// How far sheets have come from what their tools had formed; zero as long as none has gone.
Status sheet_fields_springback(SheetFields *f, const Model *model, const State *state, Arena *arena,
                               Err *err) MUST_CHECK;

// Appends the arrays; return how many.
int sheet_fields_cell_arrays(const SheetFields *f, VtkArray *array);
int sheet_fields_point_arrays(const SheetFields *f, VtkArray *array);

#endif
