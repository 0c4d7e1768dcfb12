#include <criterion/criterion.h>
#include <criterion/logging.h>

#include <math.h>
#include <string.h>

#include "../../support/no_leak.h"
#include "../../support/sheet_sample.h"
#include "../../support/shell_static.h"
#include "element/shell_section.h"

TestSuite(shell_section, .fini = no_leak);

static ShellSection section_of(const Material *m, int layers, double thickness) {
  FormSpec spec = {.material = m, .layers = layers, .thickness = thickness};
  ShellSection section;
  Err err;
  cr_assert_eq(shell_section_init(&section, &spec, &err), OK, "%s", err.text);
  return section;
}

Test(shell_section, layers_are_gauss_points) {
  Material m;
  sheet_steel(&m);
  for (int n = SHELL_MIN_LAYERS; n <= SHELL_MAX_LAYERS; n++) {
    ShellSection section = section_of(&m, n, 2); // zeta in [-1, 1]
    for (int power = 0; power < 2 * n; power++) {
      double sum = 0;
      for (int q = 0; q < n; q++) sum += section.weight[q] * pow(section.zeta[q], power);
      cr_assert_float_eq(sum, power % 2 ? 0 : 2.0 / (power + 1), 1e-14, "%d %d", n, power);
    }
    shell_section_free(&section);
  }
}

Test(shell_section, what_is_shown_is_a_mean_in_each_layer_and_in_no_other) {
  Material m;
  sheet_steel(&m);
  for (int n = SHELL_MIN_LAYERS; n <= SHELL_MAX_LAYERS; n++) {
    ShellSection section = section_of(&m, n, 1e-3);
    FormOutput out = {.stress = {8, 8, 8, 8, 8, 8}, .force = {8, 8, 8}, .major = 8};
    for (int q = 0; q < FORM_MAX_LAYERS; q++) out.layer_plastic[q] = out.layer_stress[q] = 8;
    shell_show_end(&section, 4, 0.5, &out);
    for (int q = 0; q < FORM_MAX_LAYERS; q++)
      cr_assert(out.layer_plastic[q] == (q < n ? 2 : 8) && out.layer_stress[q] == (q < n ? 2 : 8),
                "%d of %d", q, n);
    cr_assert(out.stress[5] == 2 && out.force[2] == 2 && out.major == 2);
    cr_assert_eq(out.thickness, 0.5e-3);
    shell_section_free(&section);
  }
}

Test(shell_section, an_elastic_plate_has_its_stiffness) {
  Material m;
  cr_assert(sheet_sample(0, &m));
  ShellSection section = section_of(&m, 2, 0.1);
  ShellStrain strain = {.lam = 1};
  ShellResult res;
  cr_assert_eq(shell_layers(&section, &strain, NULL, NULL, 1, &res, NULL), OK);
  double c = 1000 / (1 - 0.09);
  cr_assert_float_eq(res.d0[0], c * 0.1, 1e-12);
  cr_assert_float_eq(res.d2[0], c * 1e-3 / 12, 1e-14);
  cr_assert_float_eq(res.d2[1], 0.3 * c * 1e-3 / 12, 1e-14);
  cr_assert_float_eq(res.d2[8], 0.35 * c * 1e-3 / 12, 1e-14);
  cr_assert_float_eq(res.d1[0], 0, 1e-14);
  shell_section_free(&section);
}

// Curvature 1 / radius in plane strain, membrane force zero: moment, and the curvature that is left
// when it is taken away over that at the start. Integration over 60 points gives M = 41.627 N,
// ratio 0.95383 for steel of 0.78 mm at R = 10 mm.
static void bend(int layers, double radius, double *moment, double *ratio) {
  Material m;
  sheet_steel(&m);
  ShellSection section = section_of(&m, layers, 0.78e-3);
  double old[SHELL_MAX_LAYERS * 8] = {0}, state[SHELL_MAX_LAYERS * 8];
  ShellStrain strain = {.lam = 1};
  ShellResult res;
  const int n_steps = 20;
  for (int step = 1; step <= n_steps + 1; step++) {
    int release = step > n_steps;
    if (!release) strain.chi[0] = step / (n_steps * radius);
    for (int it = 0;; it++) {
      cr_assert_lt(it, 30);
      cr_assert_eq(shell_layers(&section, &strain, old, state, 1, &res, NULL), OK);
      double wanted_m = release ? 0 : res.m[0];
      if (fabs(res.n[0]) < 1e-4 && fabs(res.m[0] - wanted_m) < 1e-8) break;
      if (!release) {
        strain.em[0] -= res.n[0] / res.d0[0];
        continue;
      }
      double det = res.d0[0] * res.d2[0] - res.d1[0] * res.d1[0];
      strain.em[0] -= (res.d2[0] * res.n[0] - res.d1[0] * res.m[0]) / det;
      strain.chi[0] -= (res.d0[0] * res.m[0] - res.d1[0] * res.n[0]) / det;
    }
    memcpy(old, state, sizeof old);
    if (step == n_steps) *moment = res.m[0];
  }
  *ratio = strain.chi[0] * radius;
  shell_section_free(&section);
}

Test(shell_section, a_bent_strip_of_steel_springs_back_as_integration_over_its_thickness_says) {
  double moment, ratio, error = 1;
  for (int layers = 3; layers <= SHELL_MAX_LAYERS; layers += 2) {
    bend(layers, 10e-3, &moment, &ratio);
    cr_log_info("%d layers: M = %.3f N, ratio %.5f", layers, moment, ratio);
    double now = fabs(moment / 41.627 - 1);
    cr_assert_lt(now, error); // each pair of layers comes closer
    error = now;
    if (layers == 5) cr_assert_float_eq(ratio, 0.95558, 3e-4, "%g", ratio);
    if (layers == 7) cr_assert_float_eq(ratio, 0.95475, 3e-4, "%g", ratio);
  }
  cr_assert_lt(error, 0.01);
  cr_assert_float_eq(ratio, 0.95383, 4e-4, "%g", ratio);
}

Test(shell_section, unusable_sheets_are_refused) {
  Material m, hill;
  ShellSection section;
  Err err;
  sheet_steel(&m);
  cr_assert(sheet_sample(4, &hill));
  Material solid = {.name = "stone", .type = material_find("neo_hooke")};
  FormSpec wrong[4] = {{.material = &m, .layers = 1, .thickness = 1},
                       {.material = &m, .layers = 5, .thickness = 0},
                       {.material = &solid, .layers = 5, .thickness = 1},
                       {.material = &hill, .layers = 5, .thickness = 1}};
  for (int k = 0; k < 4; k++)
    cr_assert_eq(shell_section_init(&section, &wrong[k], &err), ERR_INPUT, "%d", k);
  cr_assert_not_null(strstr(err.text, "rolling direction"));
  wrong[3].rolling[1] = 1;
  cr_assert_eq(shell_section_init(&section, &wrong[3], &err), OK);
  shell_section_free(&section);
}

static void plane(double s, double t, double x[3]) {
  x[0] = s;
  x[1] = t;
  x[2] = 0;
}

Test(shell_section, edges_know_their_elements_and_refuse_what_is_no_sheet) {
  Mesh mesh;
  ShellEdges edges;
  shell_grid(&mesh, 2, 2, GRID_RIGHT, plane);
  cr_assert_eq(shell_edges_init(&edges, &mesh, NULL), OK);
  cr_assert_eq(edges.n, 16);
  int boundary = 0;
  for (int k = 0; k < edges.n; k++) boundary += edges.side[k][1] < 0;
  cr_assert_eq(boundary, 8);
  shell_edges_free(&edges);
  int32_t *node = mesh.elem_node, kept = node[0];
  node[0] = node[1];
  node[1] = kept; // turned over
  Err err;
  cr_assert_eq(shell_edges_init(&edges, &mesh, &err), ERR_INPUT);
  cr_assert_not_null(strstr(err.text, "turned"));
  for (int k = 3; k < 9; k++) node[k] = node[k % 3]; // three on the same nodes
  cr_assert_eq(shell_edges_init(&edges, &mesh, &err), ERR_INPUT);
  mesh_free(&mesh);
}

Test(shell_section, frames_follow_the_rolling_direction_and_find_one_without) {
  double a1[3], a2[3], none[3] = {0};
  shell_frame((double[]){0, 2, 5}, (double[]){0, 0, 1}, a1, a2);
  cr_assert(a1[1] == 1 && a2[0] == -1);
  shell_frame(none, (double[]){0, 0, 1}, a1, a2);
  cr_assert(a1[0] == 1 && a2[1] == 1);
  shell_frame(none, (double[]){1, 0, 0}, a1, a2);
  cr_assert(a1[1] == 1 && a2[2] == 1);
}
