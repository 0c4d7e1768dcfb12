#define _XOPEN_SOURCE 700
#include "../file/scratch.h"

#include <math.h>

#include "../../support/run_case.h"
#include "file/vtk.h"
#include "output/output.h"

static VtkData written(const CaseRun *run) {
  VtkData data = {0};
  Err err = {0};
  const char *path = in_scratch("fields.vtk");
  cr_assert_eq(fields_write_bodies(&run->input.model, &run->state, &run->work, path,
                                   &run->input.output, &err),
               OK, "%s", err.text);
  cr_assert_eq(vtk_read(&data, path, &err), OK, "%s", err.text);
  return data;
}

static const double *array(const VtkData *data, const char *name, int on_cells) {
  const VtkReadArray *found = vtk_array(data, name, on_cells);
  cr_assert_not_null(found, "no array '%s'", name);
  cr_assert_eq(found->n_components, 1, "%s", name);
  return found->value;
}

// A strip of steel pulled along x to 10 % in one step; its lower edge slides in its plane of
// symmetry.
static CaseRun *strip(const char *more) {
  return run_case_text(
      xml_format(
          "<voussoir><model space='solid'/>"
          "<material name='s' law='sheet' density='7800' young='206e9' poisson='0.3' "
          "hardening='swift' strength='565.32e6' offset='0.007117' exponent='0.2589'/>"
          "<sheet name='b' material='s' shape='rectangle' width='0.02 0.01' size='0.005' "
          "quarter='yes' thickness='0.001' layers='5'/>"
          "<hold on='b.symmetry_x' as='symmetry_x'/><hold on='b.symmetry_y' as='symmetry_y'/>"
          "<prescribe on='b' z='0'/><prescribe on='b.right' x='1e-3*t'/>"
          "%s<newton statics='yes' tolerance='1e-9'/>"
          "<time end='1' step='0.05' theta='1'/></voussoir>",
          more),
      NULL);
}

// Its right end does not narrow, so elements differ.
Test(sheet_fields, the_probe_of_elements_has_the_thinnest_and_the_thickest_of_the_field) {
  scratch_make();
  CaseRun *run = strip("<hold on='b.right' as='y'/>"
                       "<probe name='e' quantity='element_thickness' of='b'/>");
  VtkData data = written(run);
  const double *thickness = array(&data, "thickness", 1);
  const char *const names[] = {"e_min", "e_max", "e_x", "e_y", "e_z"};
  double value[5], least = 1, most = 0;
  int thin = 0;
  for (int k = 0; k < 5; k++) value[k] = run_case_last(run, names[k]);
  for (int64_t c = 0; c < data.n_cells; c++) {
    if (thickness[c] < least) thin = (int)c;
    least = fmin(least, thickness[c]);
    most = fmax(most, thickness[c]);
  }
  cr_assert_lt(least, 0.995 * most);
  cr_assert_eq(value[0], least);
  cr_assert_eq(value[1], most);
  const BodySet *bs = &run->input.model.bodies;
  const Mesh *mesh = bs->mesh[0];
  double middle[3] = {0};
  int n = mesh->elem_ptr[thin + 1] - mesh->elem_ptr[thin];
  for (int k = 0; k < n; k++)
    for (int i = 0; i < 3; i++)
      middle[i] += bs->x[3 * mesh->elem_node[mesh->elem_ptr[thin] + k] + i] / n;
  for (int i = 0; i < 3; i++) cr_assert_float_eq(value[2 + i], middle[i], 1e-12);
  vtk_free(&data);
  run_case_close(run);
  scratch_remove();
}

Test(sheet_fields, say_how_a_pulled_strip_has_thinned_and_hardened) {
  scratch_make();
  CaseRun *run =
      strip("<output layers='yes'/><forming_limit of='b' points='-0.1 0.4 0 0.2 0.1 0.3'/>");
  VtkData data = written(run);
  const double *thickness = array(&data, "thickness", 1), *thinning = array(&data, "thinning", 1),
               *major = array(&data, "major_strain", 1), *minor = array(&data, "minor_strain", 1),
               *index = array(&data, "forming_limit_index", 1);
  static const char *const place[] = {"bottom", "middle", "top", "layer_01", "layer_05"};
  double most = 0;
  for (int64_t c = 0; c < data.n_cells; c++) {
    cr_assert_float_eq(thinning[c], 1 - thickness[c] / 0.001, 1e-12);
    double limit = minor[c] < 0 ? 0.2 - 2 * minor[c] : 0.2 + minor[c];
    cr_assert_float_eq(index[c], major[c] / limit, 1e-12);
    most = fmax(most, index[c]);
  }
  cr_assert_gt(most, 0.3);
  for (int k = 0; k < 5; k++) {
    char name[2][64];
    snprintf(name[0], 64, "plastic_strain_%s", place[k]);
    snprintf(name[1], 64, "equivalent_stress_%s", place[k]);
    const double *plastic = array(&data, name[0], 1), *stress = array(&data, name[1], 1);
    for (int64_t c = 0; c < data.n_cells; c++) {
      // Kirchhoff's stress is on the curve; J is that of the elastic part, 1.002 at most
      double yield = 565.32e6 * pow(0.007117 + plastic[c], 0.2589);
      cr_assert_gt(plastic[c], 0.02);
      cr_assert_float_eq(stress[c], yield, 0.003 * yield, "%s", name[1]);
    }
  }
  cr_assert_null(vtk_array(&data, "plastic_strain_layer_06", 1));
  vtk_free(&data);
  run_case_close(run);
  scratch_remove();
}

Test(sheet_fields, layers_and_limits_are_only_there_when_asked_for) {
  scratch_make();
  CaseRun *run = strip("");
  VtkData data = written(run);
  cr_assert_null(vtk_array(&data, "plastic_strain_layer_01", 1));
  cr_assert_null(vtk_array(&data, "forming_limit_index", 1));
  cr_assert_not_null(vtk_array(&data, "equivalent_stress_top", 1));
  vtk_free(&data);
  run_case_close(run);
  scratch_remove();
}

Test(sheet_fields, pressures_on_both_faces_carry_the_force_of_the_tools) {
  // a sheet between two planes: the lower one stays, 100 N push the upper one
  scratch_make();
  CaseRun *run = run_case_text(
      "<voussoir><model space='solid'/>"
      "<material name='s' density='7800' young='206e9' poisson='0.3'/><law name='d' friction='0.1'/>"
      "<sheet name='b' material='s' shape='rectangle' width='0.02 0.02' size='0.005' "
      "thickness='0.001'/>"
      "<tool name='low' shape='plane' at_z='-0.0005' axis_x='0' axis_y='0' axis_z='1'/>"
      "<tool name='up' shape='plane' at_z='0.0005' axis_x='0' axis_y='0' axis_z='-1' free='z' "
      "mass='0.01'/><force on='up' z='-100'/>"
      "<contact candidate='b' antagonist='low up' law='d'/>"
      "<probe name='up_force' quantity='reaction' of='up' component='z' scale='-4'/>"
      "<probe name='low_force' quantity='reaction' of='low' component='z' scale='4'/>"
      "<time end='2e-3' step='1e-4' theta='1'/></voussoir>",
      NULL);
  VtkData data = written(run);
  cr_assert_float_eq(run_case_last(run, "up_force"), 400, 4); // as of a quarter: of the whole tool
  cr_assert_float_eq(run_case_last(run, "low_force"), 400, 4);
  for (int side = 0; side < 2; side++) {
    const double *pressure =
        array(&data, side ? "contact_pressure_top" : "contact_pressure_bottom", 0);
    const double *status = array(&data, side ? "contact_status_top" : "contact_status_bottom", 0);
    const BodySet *bs = &run->input.model.bodies;
    double force = 0, touched = 0;
    for (int k = 0; k < bs->node_ptr[1]; k++) {
      force += pressure[k] * run->input.model.contact.node_area[k];
      touched += status[k] == STATUS_STICK || status[k] == STATUS_SLIP;
    }
    cr_assert_float_eq(force, 100, 1, "side %d: %g N", side, force);
    cr_assert_gt(touched, 3);
    for (int64_t k = bs->node_ptr[1]; k < data.n_points; k++) cr_assert_eq(pressure[k], 0);
  }
  vtk_free(&data);
  run_case_close(run);
  scratch_remove();
}

// As a file says it, without what the reader does with it.
static int says_moved(const char *path) {
  size_t size;
  char *bytes = read_bytes(path, &size);
  int found = 0;
  for (size_t k = 0; k + 5 < size; k++) found |= memcmp(bytes + k, "MOVED", 5) == 0;
  mem_free(bytes);
  return found;
}

Test(sheet_fields, points_are_where_they_are_now_unless_the_start_is_asked_for) {
  scratch_make();
  static const char *const more[2] = {"", "<output positions='start'/>"};
  for (int start = 0; start < 2; start++) {
    CaseRun *run = strip(more[start]);
    VtkData data = written(run);
    const double *moves = vtk_array(&data, "displacement", 0)->value;
    double most = 0;
    cr_assert_eq(run->input.output.moved, !start);
    cr_assert_eq(says_moved(in_scratch("fields.vtk")), !start);
    // read back they are where they were, whatever the file has
    for (int k = 0; k < run->input.model.bodies.n_nodes; k++) {
      for (int i = 0; i < 3; i++)
        cr_assert_float_eq(data.points[3 * k + i], run->input.model.bodies.x[3 * k + i], 1e-15);
      most = fmax(most, moves[3 * k]);
    }
    cr_assert_float_eq(most, 1e-3, 1e-9);
    vtk_free(&data);
    run_case_close(run);
  }
  scratch_remove();
}

// A strip that is bent and let go: the way since its tools were there, and along its normal, which
// turns by 0.1 at most.
Test(sheet_fields, springback_is_the_way_from_what_the_tools_left) {
  scratch_make();
  CaseRun *run = run_case_open("inputs/springback.xml", "size=5e-3 output_every=0 layers=3");
  const int n = run->input.model.bodies.n_nodes;
  double *formed = mem_new(3 * (size_t)n, sizeof *formed), most = 0;
  for (int shown = 0; shown < 2; shown++) {
    if (shown) {
      run_case_to_end(run);
    } else {
      while (run->state.stage[STAGE_INDEX] == 0) {
        memcpy(formed, run->state.bodies.q, 3 * (size_t)n * sizeof *formed);
        run_case_step(run, 1);
      }
    }
    VtkData data = written(run);
    const VtkReadArray *way = vtk_array(&data, "springback", 0),
                       *along = vtk_array(&data, "springback_normal", 0);
    cr_assert(way && along && way->n_components == 3 && along->n_components == 1);
    for (int k = 0; k < n; k++) {
      if (run->input.model.bodies.body_of[k] != 0) continue; // tools
      double size = 0;
      for (int i = 0; i < 3; i++) {
        double wanted = run->state.bodies.q[3 * k + i] - formed[3 * k + i];
        cr_assert_float_eq(way->value[3 * k + i], wanted, 1e-15);
        size += wanted * wanted;
      }
      cr_assert_float_eq(along->value[k], way->value[3 * k + 2], 0.15 * sqrt(size) + 1e-12);
      most = fmax(most, fabs(along->value[k]));
    }
    vtk_free(&data);
  }
  cr_assert(most > 0.5e-3 && most < 1.5e-3, "%g", most);
  mem_free(formed);
  run_case_close(run);
  scratch_remove();
}
