#define _XOPEN_SOURCE 700
#include "../file/scratch.h"

#include <math.h>

#include "../../support/run_case.h"
#include "file/csv.h"
#include "output/output.h"

// A flat quarter of a disk whose nodes are moved by hand: half as large in its plane, and up by a
// slope.
static CaseRun *disk(const char *lines) {
  return run_case_open_text(
      xml_format(
          "<voussoir><model space='solid'/>"
          "<material name='s' density='7800' young='206e9' poisson='0.3'/>"
          "<sheet name='b' material='s' shape='disk' radius='0.1' size='0.02' "
          "thickness='0.002' quarter='yes'/>%s<time end='1' step='1e-3' theta='1'/></voussoir>",
          lines),
      NULL);
}

static CsvTable written(CaseRun *run, int which) {
  const char *path = in_scratch("line.csv");
  CsvTable table;
  Err err = {0};
  cr_assert_eq(
      line_write(&run->input.output.lines[which], &run->input.model, &run->state, path, &err), OK,
      "%s", err.text);
  cr_assert_eq(csv_read(&table, path, &err), OK, "%s", err.text);
  return table;
}

Test(line, has_the_elements_it_cuts_in_their_order_on_an_edge_and_inside) {
  scratch_make();
  CaseRun *run = disk("<line name='edge' of='b' from='0 0 0' to='0.1 0 0'/>"
                      "<line name='other' of='b' from='0 0 0' to='0 0.1 0'/>"
                      "<line name='slanted' of='b' from='0.01 0.02 0' to='0.05 0.06 0'/>");
  const BodySet *bs = &run->input.model.bodies;
  for (int k = 0; k < bs->n_nodes; k++) {
    double *q = run->state.bodies.q + 3 * k;
    for (int i = 0; i < 2; i++) q[i] = -0.5 * bs->x[3 * k + i];
    q[2] = 0.3 * bs->x[3 * k];
  }
  for (int which = 0; which < 3; which++) {
    CsvTable table = written(run, which);
    const double c = which < 2 ? which == 0 : sqrt(0.5), s = which < 2 ? which : sqrt(0.5);
    const double from[2] = {which == 2 ? 0.01 : 0, which == 2 ? 0.02 : 0};
    const double stretch = sqrt(0.25 + 0.09 * c * c); // of the line
    double last = -1;
    cr_assert_geq(table.n_rows, which == 2 ? 3 : 5, "%ld", table.n_rows);
    double first = table.value[csv_column(&table, "place")];
    double begins = table.value[csv_column(&table, "length")] - stretch * first;
    for (long row = 0; row < table.n_rows; row++) {
      const double *value = table.value + table.n_columns * row;
      double place = value[csv_column(&table, "place")];
      cr_assert_gt(place, last);
      last = place;
      cr_assert_float_eq(value[csv_column(&table, "x_start")], from[0] + c * place, 1e-12);
      cr_assert_float_eq(value[csv_column(&table, "y_start")], from[1] + s * place, 1e-12);
      cr_assert_float_eq(value[csv_column(&table, "y")], 0.5 * (from[1] + s * place), 1e-12);
      cr_assert_float_eq(value[csv_column(&table, "z")], 0.3 * (from[0] + c * place), 1e-12);
      cr_assert_float_eq(value[csv_column(&table, "length")], begins + stretch * place, 1e-12);
      cr_assert_float_eq(value[csv_column(&table, "thickness")], 0.002, 1e-12);
    }
    csv_free(&table);
  }
  run_case_close(run);
  scratch_remove();
}
