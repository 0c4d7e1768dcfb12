#define _XOPEN_SOURCE 700
#include "../file/scratch.h"

#include <math.h>

#include "../../support/run_case.h"
#include "file/vtk.h"
#include "output/output.h"

Test(fields_tools, tools_are_surfaces_where_they_were_placed_with_their_displacement) {
  scratch_make();
  CaseRun *run = run_case_open_text(
      "<voussoir><model space='solid'/>"
      "<material name='s' density='7800' young='206e9' poisson='0.3'/><law name='d' friction='0.1'/>"
      "<sheet name='b' material='s' shape='rectangle' width='0.2' size='0.1' thickness='0.001'/>"
      "<tool name='ball' shape='sphere' radius='0.05' at_z='0.06' move_z='-2*t'/>"
      "<tool name='die' shape='profile' axis_y='0' axis_z='1' material='left' "
      "corners='0.2 -0.001 0 0.06 -0.001 0.005 0.06 -0.1 0'/>"
      "<contact candidate='b' antagonist='ball die' law='d'/>"
      "<time end='1' step='1e-3' theta='1'/></voussoir>",
      NULL);
  run->state.bodies.q[3 * run->input.model.bodies.node_ptr[1] + 2] = -0.002;
  Err err = {0};
  const char *path = in_scratch("tools.vtk");
  cr_assert_eq(fields_write_tools(&run->input.model, &run->state, &run->work, path,
                                  &run->input.output, &err),
               OK, "%s", err.text);
  VtkData data = {0};
  cr_assert_eq(vtk_read(&data, path, &err), OK, "%s", err.text);
  const VtkReadArray *body = vtk_array(&data, "body", 1),
                     *moved = vtk_array(&data, "displacement", 0);
  cr_assert(body && moved && moved->n_components == 3);
  int of_ball = 0, of_die = 0;
  double reach = 0;
  for (int64_t c = 0; c < data.n_cells; c++) {
    int ball = body->value[c] == run_case_body(run, "ball");
    of_ball += ball;
    of_die += !ball;
    for (int k = data.cell_ptr[c]; k < data.cell_ptr[c + 1]; k++) {
      const double *x = data.points + 3 * data.cell_point[k],
                   *u = moved->value + 3 * data.cell_point[k];
      cr_assert_float_eq(u[2], ball ? -0.002 : 0, 1e-12);
      if (ball)
        cr_assert_float_eq(sqrt(x[0] * x[0] + x[1] * x[1] + pow(x[2] - 0.06, 2)), 0.05, 1e-12);
      else // not much beyond the sheet and its own corners
        reach = fmax(reach, fmax(hypot(x[0], x[1]), fabs(x[2])));
    }
  }
  cr_assert(of_ball > 500 && of_die > 500);
  cr_assert(reach > 0.19 && reach < 0.21, "%g", reach);
  vtk_free(&data);
  run_case_close(run);
  scratch_remove();
}

static VtkData written_tools(CaseRun *run) {
  Err err = {0};
  const char *path = in_scratch("tools.vtk");
  VtkData data = {0};
  cr_assert_eq(fields_write_tools(&run->input.model, &run->state, &run->work, path,
                                  &run->input.output, &err),
               OK, "%s", err.text);
  cr_assert_eq(vtk_read(&data, path, &err), OK, "%s", err.text);
  return data;
}

// Of a quarter the quarters of its tools, up to its planes.
Test(fields_tools, tools_are_drawn_on_the_models_side_of_its_planes_of_symmetry) {
  scratch_make();
  CaseRun *run = run_case_open_text(
      "<voussoir><model space='solid'/>"
      "<material name='s' density='7800' young='206e9' poisson='0.3'/><law name='d' friction='0.1'/>"
      "<sheet name='b' material='s' shape='rectangle' width='0.2' size='0.05' thickness='0.001' "
      "quarter='yes' x='0.01'/>"
      "<hold on='b.symmetry_x' as='symmetry_x'/><hold on='b.symmetry_y' as='symmetry_y'/>"
      "<tool name='ball' shape='sphere' radius='0.05' at_z='0.06' at_x='0.01'/>"
      "<tool name='table' shape='plane' axis_y='0' axis_z='1' at_z='-0.01'/>"
      "<contact candidate='b' antagonist='ball table' law='d'/>"
      "<time end='1' step='1e-3' theta='1'/></voussoir>",
      NULL);
  cr_assert_eq(run->input.output.n_planes, 2);
  VtkData data = written_tools(run);
  double low[2] = {1, 1}, high[2] = {-1, -1};
  for (int64_t k = 0; k < data.n_points; k++)
    for (int i = 0; i < 2; i++) {
      low[i] = fmin(low[i], data.points[3 * k + i]);
      high[i] = fmax(high[i], data.points[3 * k + i]);
    }
  cr_assert_float_eq(low[0], 0.01, 1e-12);
  cr_assert_float_eq(low[1], 0, 1e-12);
  cr_assert(high[0] > 0.11 && high[1] > 0.1);
  cr_assert_gt(data.n_cells, 100);
  vtk_free(&data);
  run_case_close(run);
  scratch_remove();
}

// A strip of 3 mm in plane strain: tools are as wide, and a margin of a fifth of it on both sides.
Test(fields_tools, tools_of_a_slice_are_as_wide_as_it) {
  scratch_make();
  CaseRun *run = run_case_open_text(
      "<voussoir><model space='solid'/>"
      "<material name='s' density='7800' young='206e9' poisson='0.3'/><law name='d' friction='0.1'/>"
      "<sheet name='b' material='s' shape='rectangle' width='0.2 0.003' size='0.003' "
      "thickness='0.001' y='0.0015'/><hold on='b' as='plane_y'/>"
      "<tool name='die' shape='profile' sweep='extrusion' axis_y='-1' material='left' "
      "corners='0.2 -0.001 0 0.06 -0.001 0.005 0.06 -0.1 0'/>"
      "<contact candidate='b' antagonist='die' law='d'/>"
      "<time end='1' step='1e-3' theta='1'/></voussoir>",
      NULL);
  VtkData data = written_tools(run);
  double low = 1, high = -1;
  for (int64_t k = 0; k < data.n_points; k++) {
    low = fmin(low, data.points[3 * k + 1]);
    high = fmax(high, data.points[3 * k + 1]);
  }
  cr_assert_float_eq(low, -0.0006, 1e-9, "%g", low);
  cr_assert_float_eq(high, 0.0036, 1e-9, "%g", high);
  vtk_free(&data);
  run_case_close(run);
  scratch_remove();
}
