#define _XOPEN_SOURCE 700
#include "../file/scratch.h"

#include <math.h>

#include "../../support/run_case.h"
#include "file/vtk.h"
#include "output/output.h"

typedef Status (*WriteFields)(const Model *model, const State *state, const StepWork *work,
                              const char *path, const OutputSpec *spec, Err *err);

static VtkData written(const CaseRun *run, WriteFields write) {
  VtkData data = {0};
  Err err = {0};
  const char *path = in_scratch("fields.vtk");
  cr_assert_eq(write(&run->input.model, &run->state, &run->work, path, &run->input.output, &err),
               OK, "%s", err.text);
  cr_assert_eq(vtk_read(&data, path, &err), OK, "%s", err.text);
  return data;
}

static const double *array(const VtkData *data, const char *name, int on_cells, int n_components) {
  const VtkReadArray *found = vtk_array(data, name, on_cells);
  cr_assert_not_null(found, "no array '%s'", name);
  cr_assert_eq(found->n_components, n_components, "%s", name);
  return found->value;
}

static CaseRun *block(const char *plane, const char *kinematics, double angle, const char *format) {
  return run_case_open_text(
      xml_format("<voussoir title='a block'><model plane='%s'/>"
                 "<material name='s' density='2000' young='3e7' poisson='0.25'/>"
                 "<block name='b' material='s' x='1' y='2' width='0.6' height='0.4' angle='%.17g' "
                 "kinematics='%s' cells_x='3' pattern='q4'/><time end='1' step='1e-3'/>"
                 "<output format='%s'/></voussoir>",
                 plane, angle, kinematics, format),
      NULL);
}

// Uniform strain in global axes: q = e X.
static void strain(CaseRun *run, const double e[3]) {
  const BodySet *bs = &run->input.model.bodies;
  for (int k = 0; k < bs->n_nodes; k++) {
    const double *x = bs->x + 2 * k;
    run->state.bodies.q[2 * k] = e[0] * x[0] + 0.5 * e[2] * x[1];
    run->state.bodies.q[2 * k + 1] = 0.5 * e[2] * x[0] + e[1] * x[1];
  }
}

// Hooke by hand: xx yy zz xy for strains xx, yy and the shear angle.
static void hooke(int plane_stress, const double e[3], double s[4]) {
  double young = 3e7, nu = 0.25;
  if (plane_stress) {
    double by = young / (1 - nu * nu);
    s[0] = by * (e[0] + nu * e[1]);
    s[1] = by * (e[1] + nu * e[0]);
    s[2] = 0;
  } else {
    double by = young / ((1 + nu) * (1 - 2 * nu));
    s[0] = by * ((1 - nu) * e[0] + nu * e[1]);
    s[1] = by * ((1 - nu) * e[1] + nu * e[0]);
    s[2] = nu * (s[0] + s[1]);
  }
  s[3] = young / (2 * (1 + nu)) * e[2];
}

static void expect_stress(const VtkData *data, const double s[4], const char *what) {
  double size = fabs(s[0]) + fabs(s[1]) + fabs(s[3]);
  const double full[6] = {s[0], s[1], s[2], s[3], 0, 0};
  const double *stress = array(data, "stress", 1, 6), *mises = array(data, "von_mises", 1, 1);
  const double *principal[3] = {array(data, "principal_1", 1, 3), array(data, "principal_2", 1, 3),
                                array(data, "principal_3", 1, 3)};
  // Invariants: mean, and the second one of the deviator.
  double mean = (s[0] + s[1] + s[2]) / 3, j2 = s[3] * s[3];
  for (int i = 0; i < 3; i++) j2 += 0.5 * (s[i] - mean) * (s[i] - mean);
  for (int64_t c = 0; c < data->n_cells; c++) {
    for (int i = 0; i < 6; i++)
      cr_assert_float_eq(stress[6 * c + i], full[i], 1e-9 * size, "%s: component %d: %g for %g",
                         what, i, stress[6 * c + i], full[i]);
    cr_assert_float_eq(mises[c], sqrt(3 * j2), 1e-9 * size, "%s", what);
    // Eigenvectors: S v = (v.Sv / v.v) v with |v| = |that value|; values fall from 1 to 3; they sum
    // to the trace.
    double sum = 0, last = HUGE_VAL;
    for (int k = 0; k < 3; k++) {
      const double *v = principal[k] + 3 * c;
      double length2 = v[0] * v[0] + v[1] * v[1] + v[2] * v[2];
      if (length2 <= 1e-18 * size * size) {
        cr_assert_leq(0, last + 1e-9 * size);
        last = 0;
        continue;
      }
      double sv[3] = {s[0] * v[0] + s[3] * v[1], s[3] * v[0] + s[1] * v[1], s[2] * v[2]};
      double value = (sv[0] * v[0] + sv[1] * v[1] + sv[2] * v[2]) / length2;
      for (int i = 0; i < 3; i++)
        cr_assert_float_eq(sv[i], value * v[i], 1e-8 * size * size, "%s: direction %d", what, k);
      cr_assert_float_eq(sqrt(length2), fabs(value), 1e-9 * size, "%s: length %d", what, k);
      cr_assert_leq(value, last + 1e-9 * size, "%s: order", what);
      last = value;
      sum += value;
    }
    cr_assert_float_eq(sum, 3 * mean, 1e-8 * size, "%s: trace", what);
  }
}

static const double strains[5][3] = {
    {1e-4, -3e-5, 0}, {-2e-4, -1e-4, 7e-5}, {0, 0, 1e-4}, {1e-4, 1e-4, 0}, {-5e-5, 3e-4, -2e-4}};

Test(fields, stress_of_a_uniformly_strained_block_is_hookes_in_global_axes) {
  static const char *const planes[2] = {"strain", "stress"}, *const formats[2] = {"binary",
                                                                                  "ascii"};
  scratch_make();
  for (int plane = 0; plane < 2; plane++)
    for (double angle = 0; angle < 2; angle += 0.6)
      for (int k = 0; k < 5; k++) {
        CaseRun *run = block(planes[plane], "small", angle, formats[k % 2]);
        double s[4];
        strain(run, strains[k]);
        hooke(plane, strains[k], s);
        VtkData data = written(run, fields_write_bodies);
        expect_stress(&data, s, planes[plane]);
        vtk_free(&data);
        run_case_close(run);
      }
  scratch_remove();
}

// In space: shear strains whose signs cancel are shear strains.
Test(fields, principal_stresses_in_space_are_eigenvectors) {
  const double e[3][3] = {{1e-5, -3e-5, 1e-5}, {-3e-5, 2e-5, 1e-5}, {1e-5, 1e-5, 3e-5}};
  scratch_make();
  CaseRun *run = run_case_open_text("<voussoir><model space='solid'/>"
                                    "<material name='s' density='2000' young='1e7' poisson='0.2'/>"
                                    "<box name='b' material='s' size='0.6 0.5 0.4' cells='1 1 1'/>"
                                    "<time end='1' step='1e-3'/></voussoir>",
                                    NULL);
  const BodySet *bs = &run->input.model.bodies;
  for (int k = 0; k < bs->n_nodes; k++)
    for (int i = 0; i < 3; i++)
      for (int j = 0; j < 3; j++) run->state.bodies.q[3 * k + i] += e[i][j] * bs->x[3 * k + j];
  VtkData data = written(run, fields_write_bodies);
  double s[3][3], shear = 1e7 / 1.2, trace = 6e-5 * 0.2 / 0.6;
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) s[i][j] = shear * (e[i][j] + (i == j ? trace : 0));
  double sum = 0;
  for (int p = 0; p < 3; p++) {
    char name[16];
    snprintf(name, sizeof name, "principal_%d", p + 1);
    const double *v = array(&data, name, 1, 3);
    double size = sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]), sv[3], value = 0;
    for (int i = 0; i < 3; i++) sv[i] = s[i][0] * v[0] + s[i][1] * v[1] + s[i][2] * v[2];
    for (int i = 0; i < 3; i++) value += sv[i] * v[i] / (size * size);
    for (int i = 0; i < 3; i++)
      cr_assert_float_eq(sv[i], value * v[i], 1e-6 * size * size, "%d", p);
    cr_assert_float_eq(fabs(value), size, 1e-9 * size);
    sum += value;
  }
  cr_assert_float_eq(sum, s[0][0] + s[1][1] + s[2][2], 1e-6);
  vtk_free(&data);
  run_case_close(run);
  scratch_remove();
}

Test(fields, stress_of_a_corotational_block_turns_with_it) {
  // x = R (I + e) X in the axes of the turned body: its stress there is Hooke's, in global axes R s
  // R^T.
  scratch_make();
  for (double angle = -2; angle <= 2; angle += 0.5)
    for (int k = 0; k < 5; k++) {
      CaseRun *run = block("strain", "corotational", 0.3, "binary");
      const BodySet *bs = &run->input.model.bodies;
      double c = cos(angle), d = sin(angle), s[4], turned[4];
      strain(run, strains[k]);
      for (int i = 0; i < bs->n_nodes; i++) {
        double *q = run->state.bodies.q + 2 * i, x = bs->x[2 * i] + q[0],
               y = bs->x[2 * i + 1] + q[1];
        q[0] = c * x - d * y - bs->x[2 * i] + 5;
        q[1] = d * x + c * y - bs->x[2 * i + 1];
      }
      uint8_t flag;
      dynamics_update_frames(bs, (StepSize){.h = 1e-3, .theta = 0.5}, &run->state.bodies, &flag);
      hooke(0, strains[k], s);
      turned[0] = c * c * s[0] + d * d * s[1] - 2 * c * d * s[3];
      turned[1] = d * d * s[0] + c * c * s[1] + 2 * c * d * s[3];
      turned[2] = s[2];
      turned[3] = c * d * (s[0] - s[1]) + (c * c - d * d) * s[3];
      VtkData data = written(run, fields_write_bodies);
      // The mean rotation of a sheared rectangle differs from R by a share of the strain, which
      // stays in the stress as a product of strains: below 1e-3 of it here.
      const double *stress = array(&data, "stress", 1, 6);
      double size = fabs(s[0]) + fabs(s[1]) + fabs(s[3]);
      const double full[6] = {turned[0], turned[1], turned[2], turned[3], 0, 0};
      for (int64_t cell = 0; cell < data.n_cells; cell++)
        for (int i = 0; i < 6; i++)
          cr_assert_float_eq(stress[6 * cell + i], full[i], 1e-3 * size,
                             "%g rad, strain %d: %g, %g", angle, k, stress[6 * cell + i], full[i]);
      vtk_free(&data);
      run_case_close(run);
    }
  scratch_remove();
}

// The same in space, turned about an axis along no edge, by more than half a turn too.
Test(fields, stress_of_a_corotational_box_turns_with_it) {
  const double e[3][3] = {{1e-5, -3e-5, 1e-5}, {-3e-5, 2e-5, 1e-5}, {1e-5, 1e-5, 3e-5}};
  const double axis[3] = {2.0 / 7, 3.0 / 7, 6.0 / 7}, shear = 1e7 / 2.4, trace = 6e-5 * 0.2 / 0.6;
  static const int at[3][3] = {{0, 3, 5}, {3, 1, 4}, {5, 4, 2}};
  scratch_make();
  for (double angle = -2.5; angle <= 3.5; angle += 1.5) {
    CaseRun *run = run_case_open_text(
        "<voussoir><model space='solid'/>"
        "<material name='s' density='2000' young='1e7' poisson='0.2'/>"
        "<box name='b' material='s' size='0.6 0.5 0.4' cells='2 1 1' kinematics='corotational'/>"
        "<time end='1' step='1e-3'/></voussoir>",
        NULL);
    const BodySet *bs = &run->input.model.bodies;
    double r[3][3], expected[6] = {0};
    for (int i = 0; i < 3; i++) {
      int j = (i + 1) % 3, k = (i + 2) % 3; // Rodrigues
      for (int l = 0; l < 3; l++)
        r[i][l] = (1 - cos(angle)) * axis[i] * axis[l] + (i == l ? cos(angle) : 0);
      r[i][j] -= sin(angle) * axis[k];
      r[i][k] += sin(angle) * axis[j];
    }
    for (int node = 0; node < bs->n_nodes; node++) {
      const double *x = bs->x + 3 * node;
      double strained[3];
      for (int i = 0; i < 3; i++)
        strained[i] = x[i] + e[i][0] * x[0] + e[i][1] * x[1] + e[i][2] * x[2];
      for (int i = 0; i < 3; i++)
        run->state.bodies.q[3 * node + i] =
            r[i][0] * strained[0] + r[i][1] * strained[1] + r[i][2] * strained[2] - x[i] + 5;
    }
    uint8_t flag = 0;
    dynamics_update_frames(bs, (StepSize){.h = 1e-3, .theta = 0.5}, &run->state.bodies, &flag);
    cr_assert_eq(flag, 1);
    for (int i = 0; i < 3; i++)
      for (int j = i; j < 3; j++)
        for (int k = 0; k < 3; k++)
          for (int l = 0; l < 3; l++)
            expected[at[i][j]] += r[i][k] * 2 * shear * (e[k][l] + (k == l ? trace : 0)) * r[j][l];
    VtkData data = written(run, fields_write_bodies);
    const double *stress = array(&data, "stress", 1, 6);
    for (int64_t cell = 0; cell < data.n_cells; cell++)
      for (int i = 0; i < 6; i++) // up to products of strains, as above
        cr_assert_float_eq(stress[6 * cell + i], expected[i], 1e-3 * 2 * shear * 6e-5,
                           "%g rad: %g, %g", angle, stress[6 * cell + i], expected[i]);
    vtk_free(&data);
    run_case_close(run);
  }
  scratch_remove();
}

Test(fields, points_are_reference_positions_with_displacement_and_velocity) {
  scratch_make();
  CaseRun *run = run_case_open("inputs/masonry_wall.xml", "courses=3 blocks=3 output_every=0");
  run_case_steps(run, 5);
  const BodySet *bs = &run->input.model.bodies;
  VtkData data = written(run, fields_write_bodies);
  cr_assert_eq(data.n_points, bs->n_nodes);
  cr_assert_eq(data.n_cells, bs->n_elems);
  cr_assert_eq(data.step, 5);
  cr_assert_eq(data.time, run->state.t);
  const double *u = array(&data, "displacement", 0, 3), *v = array(&data, "velocity", 0, 3);
  const double *body = array(&data, "body", 1, 1), *support = array(&data, "support", 1, 1);
  for (int k = 0; k < bs->n_nodes; k++)
    for (int i = 0; i < 3; i++) {
      cr_assert_eq(data.points[3 * k + i], i < 2 ? bs->x[2 * k + i] : 0);
      cr_assert_eq(u[3 * k + i], i < 2 ? run->state.bodies.q[2 * k + i] : 0);
      cr_assert_eq(v[3 * k + i], i < 2 ? run->state.bodies.v[2 * k + i] : 0);
    }
  for (int64_t c = 0; c < data.n_cells; c++) {
    cr_assert_eq(body[c], bs->body_of[data.cell_point[data.cell_ptr[c]]]);
    cr_assert_eq(support[c], bs->type[(int)body[c]] == &body_support);
  }
  vtk_free(&data);
  run_case_close(run);
  scratch_remove();
}

// The block `mid` under a pressure that another hands on to it.
static void expect_moment(const char *model, const char *bodies, const char *kinematics,
                          const double expected[6]) {
  double pressure = 2e4;
  char text[2000];
  snprintf(text, sizeof text,
           "<voussoir><parameter name='k' value='%s'/><model %s/>"
           "<material name='s' density='2000' young='1e8' poisson='0.25'/>"
           "<law name='d' friction='0'/>%s<pressure on='%s' value='2e4'/>"
           "<time end='1' step='2e-3' theta='1'/>"
           "<solver type='nsgs' tolerance='1e-9' max_iterations='50000'/></voussoir>",
           kinematics, model, bodies, strstr(model, "solid") ? "top.z1" : "top.top");
  CaseRun *run = run_case_open_text(text, NULL);
  for (int k = 0; k < 150; k++) run_case_step(run, 0);
  VtkData data = written(run, fields_write_bodies);
  const double *moment = array(&data, "moment_stress", 1, 6), *body = array(&data, "body", 1, 1);
  int mid = run_case_body(run, "mid"), n = 0;
  for (int64_t c = 0; c < data.n_cells; c++) {
    if ((int)body[c] != mid) continue;
    n++;
    for (int i = 0; i < 6; i++) // the block is 2e-4 shorter than it was
      cr_expect_float_eq(moment[6 * c + i], expected[i] * pressure, 1e-3 * pressure,
                         "%s %s, component %d: %g", model, kinematics, i, moment[6 * c + i]);
  }
  cr_assert_gt(n, 0);
  vtk_free(&data);
  run_case_close(run);
}

Test(fields, moment_stress_of_a_block_under_uniaxial_pressure_is_minus_the_pressure) {
  static const char PLANE[] =
      "<block name='mid' material='s' width='0.6' height='0.4' kinematics='${k}'/>"
      "<block name='top' material='s' y='0.4' width='0.6' height='0.2' kinematics='${k}'/>"
      "<support name='base' shape='box' x='-1' y='-1' width='3' height='1'/>"
      "<contact candidate='all' antagonist='all base' law='d'/>";
  // a disk in a smooth mould: sigma_r = -nu / (1 - nu) p, the same along x and z
  static const char RINGS[] =
      "<block name='mid' material='s' width='0.6' height='0.4' kinematics='${k}'/>"
      "<block name='top' material='s' y='0.4' width='0.6' height='0.2' kinematics='${k}'/>"
      "<support name='base' shape='box' x='-1' y='-1' width='3' height='1'/>"
      "<support name='mould' shape='box' x='0.6' y='-0.5' width='1' height='2'/>"
      "<contact candidate='all' antagonist='all base mould' law='d' points='nodes'/>";
  static const char SPACE[] =
      "<box name='mid' material='s' size='0.6 0.5 0.4' cells='2 2 2' kinematics='${k}'/>"
      "<box name='top' material='s' z='0.4' size='0.6 0.5 0.2' cells='2 2 1' kinematics='${k}'/>"
      "<tool name='base' shape='plane' axis_y='0' axis_z='1'/>"
      "<contact candidate='all' antagonist='all base' law='d'/>";
  static const double along_y[6] = {0, -1, 0, 0, 0, 0}, along_z[6] = {0, 0, -1, 0, 0, 0},
                      mould[6] = {-1.0 / 3, -1, -1.0 / 3, 0, 0, 0};
  const char *const kinematics[] = {"small", "finite"};
  scratch_make();
  for (int k = 0; k < 2; k++) {
    expect_moment("thickness='0.3'", PLANE, kinematics[k], along_y);
    expect_moment("space='axisymmetric'", RINGS, kinematics[k], mould);
    expect_moment("space='solid'", SPACE, kinematics[k], along_z);
  }
  scratch_remove();
}

static CaseRun *stack(const char *more) {
  return run_case_open_text(
      xml_format("<voussoir><material name='s' density='2000' young='1e7' poisson='0.2'/>"
                 "<law name='rough' friction='0.5'/><law name='d' friction='0.2'/>"
                 "<block name='low' material='s' width='0.6' height='0.4'/>"
                 "<block name='top' material='s' x='0.1' y='0.4' width='0.4' height='0.2'/>"
                 "<support name='base' shape='box' x='-1' y='-1' width='3' height='1'/>"
                 "<contact candidate='all' antagonist='base' law='rough'/>"
                 "<contact candidate='all' antagonist='all' law='d'/><gravity/>"
                 "<velocity of='top' x='0.3'/><time end='1' step='1e-3' theta='1' %s/>"
                 "<solver type='nsgs' tolerance='1e-9' max_iterations='20000'/></voussoir>",
                 more),
      NULL);
}

Test(fields, contacts_tell_forces_gaps_and_who_touches_whom) {
  scratch_make();
  CaseRun *run = stack("");
  run_case_steps(run, 20);
  VtkData data = written(run, fields_write_contacts);
  int n = contact_count(run->work.contact);
  cr_assert_eq(data.n_points, n);
  cr_assert_eq(n, 6); // two joints of two cells
  const double *r = array(&data, "reaction", 0, 3), *normal = array(&data, "normal", 0, 3),
               *r_n = array(&data, "reaction_n", 0, 1), *r_t = array(&data, "reaction_t", 0, 1),
               *gap = array(&data, "gap", 0, 1), *law = array(&data, "law", 0, 1),
               *candidate = array(&data, "candidate", 0, 1),
               *antagonist = array(&data, "antagonist", 0, 1),
               *status = array(&data, "status", 0, 1),
               *predicted = array(&data, "gap_predicted", 0, 1);
  array(&data, "velocity", 0, 3);
  int base = run_case_body(run, "base");
  double on_base = 0;
  for (int c = 0; c < n; c++) {
    const double *m = normal + 3 * c, *f = r + 3 * c;
    // The tangent is the normal turned by -90 degrees: (n_y, -n_x).
    cr_assert_float_eq(m[0] * f[0] + m[1] * f[1], r_n[c], 1e-9);
    cr_assert_float_eq(m[1] * f[0] - m[0] * f[1], r_t[c], 1e-9);
    cr_assert(f[2] == 0 && m[2] == 0);
    int other = candidate[c] == base ? (int)antagonist[c] : (int)candidate[c];
    int with_base = candidate[c] == base || antagonist[c] == base;
    cr_assert(other != base);
    cr_assert_eq(law[c], with_base ? 0 : 1);
    double mu = with_base ? 0.5 : 0.2;
    cr_assert_leq(fabs(r_t[c]), mu * r_n[c] * (1 + 1e-6) + 1e-9);
    cr_assert_eq(status[c], r_n[c] <= 0 ? 0 : fabs(r_t[c]) >= (1 - 1e-9) * mu * r_n[c] ? 2 : 1);
    // Contacts that carry are closed at the end of the step, up to second order in the motion.
    if (r_n[c] > 0) {
      cr_assert_float_eq(predicted[c], 0, 1e-9);
      cr_assert_float_eq(gap[c], 0, 1e-6);
    }
    if (with_base) on_base += candidate[c] == base ? -f[1] : f[1];
  }
  // All that the base carries hangs on its contacts: the sum over nodes of what the step applied.
  double sum = 0;
  const BodySet *bs = &run->input.model.bodies;
  for (int k = bs->node_ptr[base]; k < bs->node_ptr[base + 1]; k++)
    sum -= run->work.impulse[2 * k + 1] / 1e-3;
  cr_assert_float_eq(on_base, sum, 1e-8);
  vtk_free(&data);
  run_case_close(run);
  scratch_remove();
}

// A block that falls flat on a floor it does not reach yet: n steps of theta = 1 take it h^2 g n
// (n + 1) / 2 down, and what the law saw is the gap at the end of the step.
Test(fields, predicted_gap_of_a_falling_block_is_where_the_step_takes_it) {
  enum { STEPS = 5 };
  const double h = 1e-3, high = 1e-3, fallen = 9.81 * h * h * STEPS * (STEPS + 1) / 2;
  scratch_make();
  CaseRun *run = run_case_open_text(
      xml_format("<voussoir><material name='s' density='2000' young='1e7' poisson='0.2'/>"
                 "<law name='d' friction='0.2'/>"
                 "<block name='b' material='s' y='%g' width='0.6' height='0.4'/>"
                 "<support name='base' shape='box' x='-1' y='-1' width='3' height='1'/>"
                 "<contact candidate='b' antagonist='base' law='d'/><gravity/>"
                 "<time end='1' step='%g' theta='1'/></voussoir>",
                 high, h),
      NULL);
  run_case_steps(run, STEPS);
  VtkData data = written(run, fields_write_contacts);
  const double *gap = array(&data, "gap", 0, 1), *predicted = array(&data, "gap_predicted", 0, 1);
  cr_assert_geq(data.n_points, 2);
  for (int c = 0; c < data.n_points; c++) {
    cr_assert_float_eq(predicted[c], high - fallen, 1e-12, "%.12g m", predicted[c]);
    cr_assert_float_eq(gap[c], high - fallen, 1e-12, "%.12g m", gap[c]);
  }
  vtk_free(&data);
  run_case_close(run);
  scratch_remove();
}

Test(fields, contact_forces_of_a_step_that_was_cut_are_forces) {
  // At rest the base carries the weight, in whatever number of sub-steps.
  scratch_make();
  CaseRun *run = stack("on_miss='cut' max_cuts='2'");
  for (int k = 0; k < 400; k++) run_case_step(run, 0);
  double weight = 9.81 * 2000 * (0.6 * 0.4 + 0.4 * 0.2);
  int base = run_case_body(run, "base");
  for (int cut = 0; cut < 2; cut++) {
    if (cut) { // a tolerance that cannot be met: every step is cut as often as allowed
      run->input.model.stages[0].steps.solver_settings.tolerance = 1e-30;
      run->input.model.stages[0].steps.solver_settings.max_iterations = 200;
    }
    run_case_step(run, 0);
    cr_assert_eq(run->work.report.cuts, cut ? 3 : 0);
    VtkData data = written(run, fields_write_contacts), lines = written(run, fields_write_forces);
    const double *r = array(&data, "reaction", 0, 3), *r_n = array(&data, "reaction_n", 0, 1),
                 *antagonist = array(&data, "antagonist", 0, 1),
                 *force = array(&lines, "force", 0, 1);
    double sum[2] = {0}, normal = 0, along = 0;
    for (int64_t c = 0; c < data.n_points; c++) {
      normal += r_n[c];
      if ((int)antagonist[c] != base) continue;
      sum[0] += r[3 * c];
      sum[1] += r[3 * c + 1];
    }
    for (int64_t c = 0; c < lines.n_cells; c++) along += force[2 * c];
    cr_assert_float_eq(sum[1], weight, 0.01 * weight, "%d cuts: %g N of %g N",
                       run->work.report.cuts, sum[1], weight);
    cr_assert_float_eq(normal, weight + 9.81 * 2000 * 0.4 * 0.2, 0.01 * weight);
    cr_assert_gt(along, 0.99 * normal);
    vtk_free(&data);
    vtk_free(&lines);
  }
  run_case_close(run);
  scratch_remove();
}

Test(fields, lines_of_force_pass_through_their_contacts_along_the_force) {
  scratch_make();
  CaseRun *run = stack("");
  run_case_steps(run, 20);
  VtkData lines = written(run, fields_write_forces), contacts = written(run, fields_write_contacts);
  const double *force = array(&lines, "force", 0, 1), *r = array(&contacts, "reaction", 0, 3);
  int64_t line = 0;
  double longest = 0, largest = 0;
  for (int64_t c = 0; c < contacts.n_points; c++) {
    double size = hypot(r[3 * c], r[3 * c + 1]);
    largest = fmax(largest, size);
    if (size == 0) continue;
    cr_assert_lt(line, lines.n_cells);
    cr_assert_eq(lines.cell_type[line], 3);
    const double *a = lines.points + 3 * lines.cell_point[lines.cell_ptr[line]],
                 *b = lines.points + 3 * lines.cell_point[lines.cell_ptr[line] + 1];
    double d[2] = {b[0] - a[0], b[1] - a[1]};
    for (int end = 0; end < 2; end++) cr_assert_float_eq(force[2 * line + end], size, 1e-9 * size);
    for (int i = 0; i < 2; i++)
      cr_assert_float_eq(0.5 * (a[i] + b[i]), contacts.points[3 * c + i], 1e-12);
    cr_assert_float_eq(d[0] * r[3 * c + 1] - d[1] * r[3 * c], 0, 1e-10 * size);
    longest = fmax(longest, hypot(d[0], d[1]));
    line++;
  }
  cr_assert_eq(line, lines.n_cells);
  // The largest is as long as the mean of the two diagonals, the others in proportion.
  cr_assert_float_eq(longest, 0.5 * (hypot(0.6, 0.4) + hypot(0.4, 0.2)), 1e-12);
  for (line = 0; line < lines.n_cells; line++) {
    const double *a = lines.points + 6 * line;
    cr_assert_float_eq(hypot(a[3] - a[0], a[4] - a[1]) / longest, force[2 * line] / largest, 1e-10);
  }
  vtk_free(&lines);
  vtk_free(&contacts);
  run_case_close(run);
  scratch_remove();
}

// Points of contacts and lines are those of the start, as those of bodies are: any factor on the
// displacement puts a contact on the edges that touch, here that of the base, which stands still.
Test(fields, contacts_and_lines_move_with_the_bodies_by_their_displacement) {
  scratch_make();
  CaseRun *run = stack("");
  run_case_steps(run, 20);
  const BodySet *bs = &run->input.model.bodies;
  for (int k = 0; k < bs->n_nodes; k++) // far: 7 cm to the right, 3 cm up
    for (int i = 0; i < 2; i++) run->state.bodies.q[2 * k + i] += i ? 0.03 : 0.07;
  VtkData lines = written(run, fields_write_forces), contacts = written(run, fields_write_contacts);
  const double *u = array(&contacts, "displacement", 0, 3),
               *v = array(&lines, "displacement", 0, 3), *r = array(&contacts, "reaction", 0, 3);
  int64_t line = 0;
  for (int c = 0; c < contacts.n_points; c++) {
    const Contact *contact = &contact_list(run->work.contact)[c];
    double start[2] = {0}, now[2] = {0};
    for (int k = 0; k < contact->side[0].n; k++)
      for (int i = 0; i < 2; i++) {
        int dof = 2 * contact->side[0].node[k] + i;
        start[i] += contact->side[0].weight[k] * bs->x[dof];
        now[i] += contact->side[0].weight[k] * (bs->x[dof] + run->state.bodies.q[dof]);
      }
    for (int i = 0; i < 2; i++) {
      cr_assert_float_eq(contacts.points[3 * c + i], start[i], 1e-12);
      cr_assert_float_eq(contacts.points[3 * c + i] + u[3 * c + i], now[i], 1e-12);
    }
    cr_assert_gt(u[3 * c], 0.05, "the blocks slid by less than 2 cm");
    if (hypot(r[3 * c], r[3 * c + 1]) == 0) continue;
    for (int end = 0; end < 2; end++)
      for (int i = 0; i < 3; i++)
        cr_assert_float_eq(v[6 * line + 3 * end + i], u[3 * c + i], 1e-15);
    line++;
  }
  cr_assert_gt(line, 0);
  vtk_free(&lines);
  vtk_free(&contacts);
  run_case_close(run);
  scratch_remove();
}

Test(fields, before_the_first_step_hold_bodies_and_no_contacts) {
  scratch_make();
  CaseRun *run = stack("");
  VtkData bodies = written(run, fields_write_bodies),
          contacts = written(run, fields_write_contacts), lines = written(run, fields_write_forces);
  cr_assert_eq(bodies.n_points, run->input.model.bodies.n_nodes);
  cr_assert(contacts.n_points == 0 && lines.n_points == 0);
  array(&contacts, "reaction", 0, 3); // every array exists, so that ParaView's pipelines load
  array(&contacts, "status", 0, 1);
  array(&contacts, "displacement", 0, 3);
  array(&lines, "force", 0, 1);
  array(&lines, "displacement", 0, 3);
  vtk_free(&bodies);
  vtk_free(&contacts);
  vtk_free(&lines);
  run_case_close(run);
  scratch_remove();
}

Test(fields, a_half_space_is_drawn_below_the_bodies_in_its_own_slope) {
  scratch_make();
  double slope = 0.2;
  CaseRun *run = run_case_open_text(
      xml_format("<voussoir><material name='s' density='2000' young='1e7' poisson='0.2'/>"
                 "<law name='d' friction='0.5'/>"
                 "<block name='b' material='s' x='3' y='2' width='0.6' height='0.4'/>"
                 "<support name='f' shape='plane' x='1' y='0.5' angle='%.17g'/>"
                 "<contact candidate='b' antagonist='f' law='d'/><gravity/>"
                 "<time end='1' step='1e-3'/></voussoir>",
                 slope),
      NULL);
  VtkData data = written(run, fields_write_bodies);
  int first = run->input.model.bodies.node_ptr[run_case_body(run, "f")], n_upper = 0;
  double low = HUGE_VAL, high = -HUGE_VAL;
  for (int k = first; k < first + 4; k++) {
    double x = data.points[3 * k] - 1, y = data.points[3 * k + 1] - 0.5;
    double along = cos(slope) * x + sin(slope) * y, up = -sin(slope) * x + cos(slope) * y;
    cr_assert_leq(up, 1e-12); // nothing of it stands above the plane
    n_upper += fabs(up) < 1e-12;
    low = fmin(low, along);
    high = fmax(high, along);
  }
  cr_assert_eq(n_upper, 2);
  // The shadow of the block on the plane lies between its ends.
  for (int k = 0; k < first; k++) {
    double along =
        cos(slope) * (data.points[3 * k] - 1) + sin(slope) * (data.points[3 * k + 1] - 0.5);
    cr_assert(low < along && along < high);
  }
  cr_assert_lt(high - low, 10); // and not a kilometre of it
  vtk_free(&data);
  run_case_close(run);
  scratch_remove();
}

// One that moves and turns is drawn where it is: points and displacements of its face on the line
// that it is on now, below the body, velocities those of a rotation.
Test(fields, a_half_space_that_turns_is_drawn_where_it_is) {
  scratch_make();
  const double w = 0.8, h = 1e-2;
  CaseRun *run = run_case_open_text(
      xml_format(
          "<voussoir><material name='s' density='2000' young='1e7'/>"
          "<law name='d' friction='0.5'/>"
          "<block name='b' material='s' kinematics='rigid' x='2' y='0.7' width='0.6' height='0.4'/>"
          "<support name='f' shape='plane' x='1' y='0.5' turn='%g*t' move_x='0.3*t'/>"
          "<contact candidate='b' antagonist='f' law='d'/><time end='1' step='%g' theta='1'/>"
          "</voussoir>",
          w, h),
      NULL);
  run_case_steps(run, 50);
  VtkData data = written(run, fields_write_bodies);
  const double *u = array(&data, "displacement", 0, 3), *v = array(&data, "velocity", 0, 3);
  int first = run->input.model.bodies.node_ptr[run_case_body(run, "f")], n_upper = 0;
  double angle = 50 * h * w, c = cos(angle), s = sin(angle), middle[2] = {1 + 0.3 * 50 * h, 0.5};
  for (int k = first; k < first + 4; k++) {
    double x[2];
    for (int i = 0; i < 2; i++) x[i] = data.points[3 * k + i] + u[3 * k + i] - middle[i];
    double up = -s * x[0] + c * x[1];
    cr_expect_leq(up, 1e-9, "corner %d: %g", k - first, up);
    n_upper += fabs(up) < 1e-9;
    cr_expect_lt(fabs(c * x[0] + s * x[1]), 5, "corner %d is far from the block", k - first);
    // v1 of a step at theta 1 is the chord over it
    cr_expect_float_eq(v[3 * k], 0.3 - w * x[1], 0.01, "%g", v[3 * k]);
    cr_expect_float_eq(v[3 * k + 1], w * x[0], 0.01, "%g", v[3 * k + 1]);
  }
  cr_expect_eq(n_upper, 2);
  vtk_free(&data);
  run_case_close(run);
  scratch_remove();
}

Test(fields, plastic_work_heats_what_has_a_temperature) {
  scratch_make();
  CaseRun *run = run_case_open_text(
      "<voussoir><material name='cu' law='johnson_cook' density='8960' young='124e9' poisson='0.34' "
      "yield='90e6' strength='292e6' exponent='0.31' rate_factor='0.025' melting='1356' "
      "heat_capacity='383'/><material name='s' density='1' young='1e9'/>"
      "<block name='b' material='cu' width='0.02' height='0.01' cells_x='2' pattern='q4' "
      "kinematics='finite'/>"
      "<block name='cold' material='s' y='1' width='0.02' height='0.01' pattern='q4' kinematics='finite'/>"
      "<prescribe on='b.left' x='0'/><prescribe on='b.bottom' y='0'/><prescribe on='b.top' y='-10*t'/>"
      "<prescribe on='cold.bottom' x='0' y='0'/>"
      "<time end='2e-4' step='2e-6' theta='1'/><newton statics='yes'/></voussoir>",
      NULL);
  for (int k = 0; k < 100; k++) run_case_step(run, 0);
  VtkData data = written(run, fields_write_bodies);
  const double *t = array(&data, "temperature", 1, 1), *body = array(&data, "body", 1, 1);
  double volume = 0.02 * 0.01, lost = run->state.energy[ENERGY_PLASTIC];
  double expected = 293.15 + 0.9 * lost / (8960 * 383 * volume);
  cr_assert_gt(expected, 305, "%g", expected); // a fifth of the height
  for (int64_t c = 0; c < data.n_cells; c++)
    cr_assert_float_eq(t[c], body[c] > 0 ? 0 : expected, 1e-6, "%g, %g", t[c], expected);
  vtk_free(&data);
  run_case_close(run);
  scratch_remove();
}
