#define _XOPEN_SOURCE 700
#include "../file/scratch.h"

#include <math.h>

#include "../../support/run_case.h"
#include "file/csv.h"
#include "output/output.h"

// A flat quarter of a disk, whose nodes are put on a wavy rim by hand.
static CaseRun *disk(void) {
  return run_case_open_text(
      "<voussoir><model space='solid'/>"
      "<material name='s' density='7800' young='206e9' poisson='0.3'/>"
      "<sheet name='b' material='s' shape='disk' radius='0.1' size='0.02' thickness='0.002' "
      "quarter='yes'/>"
      "<rim name='ears' of='b.edge' base='0 0 0' axis='0 0 -2'/><rim name='low' of='b.edge'/>"
      "<probe name='in' quantity='draw_in' of='b.edge' near='0 0.1 0'/>"
      "<probe name='t' quantity='thickness' of='b'/>"
      "<probe name='turn' quantity='angle' of='b' points='0 0 0 0.1 0 0  0.1 0 0 0 0.1 0'/>"
      "<time end='1' step='1e-3' theta='1'/></voussoir>",
      NULL);
}

Test(rim, has_a_row_for_each_node_in_the_order_of_angles) {
  scratch_make();
  CaseRun *run = disk();
  BodySet *bs = &run->input.model.bodies;
  cr_assert_eq(run->input.output.n_rims, 2);
  for (int k = 0; k < bs->n_nodes; k++) {
    const double *x = bs->x + 3 * k;
    double r = hypot(x[0], x[1]), angle = atan2(x[1], x[0]), *q = run->state.bodies.q + 3 * k;
    q[2] = r > 0.099 ? 0.01 * cos(4 * angle) : 0.05; // the middle goes up by 50 mm
    for (int i = 0; i < 2; i++) q[i] = -0.5 * x[i];
  }
  Err err = {0};
  for (int which = 0; which < 2; which++) {
    const char *path = in_scratch("rim.csv");
    CsvTable table;
    cr_assert_eq(
        rim_write(&run->input.output.rims[which], &run->input.model, &run->state, path, &err), OK,
        "%s", err.text);
    cr_assert_eq(csv_read(&table, path, &err), OK, "%s", err.text);
    cr_assert_eq(table.n_rows, run->input.output.rims[0].n);
    cr_assert_eq(table.n_columns, 10);
    double last = -10;
    for (long row = 0; row < table.n_rows; row++) {
      const double *value = table.value + 10 * row;
      double angle = value[csv_column(&table, "angle")], along = 0.01 * cos(4 * angle);
      if (which == 0) angle = -angle; // about -z
      cr_assert_gt(value[csv_column(&table, "angle")], last);
      last = value[csv_column(&table, "angle")];
      cr_assert_float_eq(value[csv_column(&table, "x_start")], 0.1 * cos(angle), 1e-12);
      cr_assert_float_eq(value[csv_column(&table, "radius")], 0.05, 1e-12);
      cr_assert_float_eq(value[csv_column(&table, "height")], which ? along : 0.05 - along, 1e-12);
      cr_assert_float_eq(value[csv_column(&table, "thickness")], 0.002, 1e-12);
    }
    csv_free(&table);
  }
  run_case_close(run);
  scratch_remove();
}

Test(rim, probes_of_sheets_say_draw_in_thickness_and_angles) {
  scratch_make();
  CaseRun *run = disk();
  const BodySet *bs = &run->input.model.bodies;
  const OutputSpec *spec = &run->input.output;
  Observation now = {.model = &run->input.model, .state = &run->state, .work = &run->work};
  double value[PROBE_MAX_COLUMNS];
  probe_observe(&spec->probes[2], &now, value);
  cr_assert_float_eq(value[0], 0.75 * acos(-1), 1e-12); // from +x to the chord of the quarter
  int thin = -1;
  for (int k = 0; k < bs->n_nodes; k++) {
    const double *x = bs->x + 3 * k;
    double *q = run->state.bodies.q + 3 * k, r = hypot(x[0], x[1]);
    q[0] = 0.02 - 0.25 * x[0];
    q[1] = -0.25 * x[1];
    q[2] = 0.03 * r;
    if (r > 0.03 && r < 0.05 && thin < 0) thin = k;
  }
  run->state.bodies.half[thin] = 0.0008;
  probe_observe(&spec->probes[0], &now, value);
  cr_assert_float_eq(value[0], 0.1 - hypot(0.02, 0.075), 1e-12);
  probe_observe(&spec->probes[1], &now, value);
  cr_assert_float_eq(value[0], 0.0016, 1e-15);
  cr_assert_float_eq(value[1], 0.002, 1e-15);
  for (int i = 0; i < 3; i++) cr_assert_eq(value[2 + i], bs->x[3 * thin + i]);
  probe_observe(&spec->probes[2], &now, value);
  // (0.75, 0, 0.03) and (-0.75, 0.75, 0)
  cr_assert_float_eq(value[0], acos(-0.75 / sqrt((0.75 * 0.75 + 0.0009) * 2)), 1e-12);
  run_case_close(run);
  scratch_remove();
}
