// file/vtk.h -- legacy VTK, binary (big endian) or ASCII, and the .vtk.series index.
//
// An unstructured grid: points, cells, then point and cell arrays. 2D data is padded to three
// components by the caller's `dim`. Symmetric tensors have six components in the order XX YY ZZ XY
// YZ XZ, which is how ParaView labels them. Names follow design section 8.

#ifndef FILE_VTK_H
#define FILE_VTK_H

#include <stdint.h>

#include "base/err.h"

typedef struct {
  const char *name;
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
  int64_t n_cells;
  const int32_t *cell_ptr;   // [n_cells + 1]
  const int32_t *cell_point; // [cell_ptr[n_cells]]
  const uint8_t *cell_type;  // [n_cells] VTK codes
  int n_point_arrays, n_cell_arrays;
  const VtkArray *point_arrays, *cell_arrays;
} VtkGrid;

Status vtk_write(const VtkGrid *grid, const char *path, int ascii, Err *err) MUST_CHECK;

// Writes "<folder>/<stem>.vtk.series" (JSON) for the files "<stem>_NNNNNN.vtk" with their times.
Status vtk_write_series(const char *folder, const char *stem, const int64_t *step,
                        const double *time, int n, Err *err) MUST_CHECK;

// Reads what vtk_write wrote (both encodings; other legacy files of that subset too). Used by
// compare and by tests. Owned arrays, freed by vtk_free.
typedef struct {
  double time;
  int64_t n_points, n_cells;
  double *points;
  int n_arrays;
  struct VtkReadArray {
    char name[64];
    int n_components, on_cells;
    int64_t n;
    double *value; // integers are converted
  } * arrays;
} VtkData;

Status vtk_read(VtkData *data, const char *path, Err *err) MUST_CHECK;
void vtk_free(VtkData *data);

#endif
