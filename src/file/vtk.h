// file/vtk.h -- legacy VTK, binary (big endian) or ASCII, and the .vtk.series index.
//
// An unstructured grid, or lines as polydata: points, cells, then point and cell arrays. Points and
// vectors always have three components: 2D callers pad with zeros. Symmetric tensors have six in
// the order XX YY ZZ XY YZ XZ, which is how ParaView labels them. Names follow docs/outputs.md.
//
// The first three-component array is written as VECTORS, so that filters find it; all others stand
// in a FIELD block, because VTK's reader silently drops every further VECTORS unless told not to.

#ifndef FILE_VTK_H
#define FILE_VTK_H

#include <stdint.h>

#include "base/err.h"

typedef struct {
  const char *name;   // no white space, at most 63 characters
  int n_components;   // 1, 3 (vector) or 6 (symmetric tensor)
  const double *real; // [n * n_components], or
  const int32_t *integer;
} VtkArray;

typedef struct {
  const char *title; // one line, at most 255 characters
  double time;       // [s]
  int64_t step;      // stored as field data TIME and CYCLE
  int64_t n_points;
  const double *points; // [n_points * 3]
  // 1: the file has its points where the point array `displacement` has brought them, and says so
  // (field data MOVED)
  int moved;
  int polydata; // 1: all cells are lines, in a file of kind POLYDATA: what ParaView's Tube takes
  int64_t n_cells;
  const int32_t *cell_ptr;   // [n_cells + 1]
  const int32_t *cell_point; // [cell_ptr[n_cells]]
  const uint8_t *cell_type;  // [n_cells] VTK codes; not asked for in polydata
  int n_point_arrays, n_cell_arrays;
  const VtkArray *point_arrays, *cell_arrays;
} VtkGrid;

// A grid without points is a valid file in which every array exists (no contacts yet). ASCII with a
// value that is not finite is ERR_NUMERIC: VTK would lose the whole array; binary holds it.
Status vtk_write(const VtkGrid *grid, const char *path, int ascii, Err *err) MUST_CHECK;

// Writes "<folder>/<stem>.vtk.series" (JSON) for the files "<stem>_NNNNNN.vtk" with their times.
Status vtk_write_series(const char *folder, const char *stem, const int64_t *step,
                        const double *time, int n, Err *err) MUST_CHECK;

enum { VTK_NAME_SIZE = 64 };

typedef struct {
  char name[VTK_NAME_SIZE];
  int n_components, on_cells;
  int64_t n;
  double *value; // [n * n_components] integers are converted
} VtkReadArray;

typedef struct {
  double time;  // NaN where the file does not say
  int64_t step; // -1 where the file does not say
  int64_t n_points, n_cells;
  double *points;      // [n_points * 3]
  int32_t *cell_ptr;   // [n_cells + 1]
  int32_t *cell_point; // [cell_ptr[n_cells]]
  uint8_t *cell_type;  // [n_cells]
  int n_arrays;
  VtkReadArray *arrays;
} VtkData;

// Reads what vtk_write wrote: both encodings, polydata with lines, and other legacy unstructured
// grids (version 2 to 5.1). Points of a file that says MOVED are taken back to where they were
// before their `displacement`. What is damaged is ERR_INPUT; indices are in range in what is handed
// out.
Status vtk_read(VtkData *data, const char *path, Err *err) MUST_CHECK;
const VtkReadArray *vtk_array(const VtkData *data, const char *name, int on_cells); // or NULL
void vtk_free(VtkData *data);

// Coordinates of a point, or of the centre of a cell (mean of its points).
void vtk_place(const VtkData *data, int on_cells, int64_t index, double x[3]);

typedef struct {
  int n;
  char **file;  // [n] relative to the folder of the series
  double *time; // [n] [s]
} VtkSeries;

Status vtk_read_series(VtkSeries *series, const char *path, Err *err) MUST_CHECK;
void vtk_free_series(VtkSeries *series);

// The last file of "<folder>/<series_name>", series_name as in "bodies.vtk.series".
Status vtk_read_last(VtkData *data, const char *folder, const char *series_name,
                     Err *err) MUST_CHECK;

#endif
