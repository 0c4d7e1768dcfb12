// Fuzzes the reader of VTK files and of their series: indices of what it accepts are in range.
#include "../support/fuzz_file.h"
#include "base/mem.h"
#include "file/vtk.h"

static void use(const VtkData *data) {
  double sum = 0, x[3];
  for (int64_t c = 0; c < data->n_cells; c++) {
    vtk_place(data, 1, c, x);
    sum += x[0];
  }
  for (int64_t p = 0; p < data->n_points; p++) sum += data->points[3 * p + 2];
  for (int a = 0; a < data->n_arrays; a++) {
    const VtkReadArray *array = &data->arrays[a];
    if (array->n != (array->on_cells ? data->n_cells : data->n_points)) abort();
    for (int64_t k = 0; k < array->n * array->n_components; k++) sum += array->value[k];
    if (!vtk_array(data, array->name, array->on_cells)) abort();
  }
  if (sum == 0.12345) abort(); // so that nothing of it is left out
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  const char *path = fuzz_path("file.vtk");
  Err err = {0};
  VtkData read;
  VtkSeries series;
  fuzz_write(path, data, size);
  Status status = vtk_read(&read, path, &err);
  if (status == OK) use(&read);
  if (status != OK && status != ERR_INPUT) abort();
  vtk_free(&read);
  status = vtk_read_series(&series, path, &err);
  if (status != OK && status != ERR_INPUT) abort();
  vtk_free_series(&series);
  remove(path);
  if (mem_live_blocks() != 0) abort();
  return 0;
}
