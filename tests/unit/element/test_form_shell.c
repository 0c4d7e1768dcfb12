// Properties that every formulation of shells has, over all laws of sheets.
#include <criterion/criterion.h>

#include <math.h>
#include <string.h>

#include "../../support/element_sample.h"
#include "../../support/no_leak.h"
#include "../../support/sheet_sample.h"
#include "../../support/shell_static.h"
#include "material/sheet_plasticity.h"

TestSuite(form_shell, .fini = no_leak);

// A way to use a formulation.
typedef struct {
  const char *form;
  GridPattern pattern;
  int edge_unknown;
} Use;

static const Use uses[] = {
    {"ebst", GRID_RIGHT, 0}, {"ebst", GRID_ALTERNATE, 1}, {"mitc4", GRID_QUAD, 0}};
enum { N_USES = sizeof uses / sizeof uses[0] };

static unsigned seed_of_map;

// A slightly curved, irregular patch.
static void irregular(double s, double t, double x[3]) {
  x[0] = s + 0.06 * sample_random(&seed_of_map) + 0.1 * t;
  x[1] = t + 0.06 * sample_random(&seed_of_map);
  x[2] = 0.1 * s * s - 0.08 * s * t + 0.02 * sample_random(&seed_of_map);
}

// A 2 x 2 patch with the given conditions at its sides, moved at random.
static void held_patch(ShellStatic *s, const Use *use, const Material *m, const uint8_t *edge,
                       double amplitude) {
  Mesh mesh;
  FormSpec spec = {.material = m,
                   .thickness = 0.05,
                   .layers = 5,
                   .rolling = {1, 0.3, 0},
                   .edge_unknown = use->edge_unknown,
                   .edge = edge};
  seed_of_map = 11;
  shell_grid(&mesh, 2, 2, use->pattern, irregular);
  shell_static_init(s, &mesh, use->form, &spec);
  for (int i = 0; i < 3 * s->form.n_nodes; i++) s->u[i] = amplitude * sample_random(&seed_of_map);
  for (int i = 0; i < s->form.n_extra; i++) s->step[i] = amplitude * sample_random(&seed_of_map);
  s->form.type->advance(&s->form, s->config, s->step, s->config_new);
  memcpy(s->config, s->config_new, (size_t)s->form.n_config * sizeof(double));
}

// One side symmetric, one clamped, two free.
static void patch(ShellStatic *s, const Use *use, const Material *m, double amplitude) {
  static const uint8_t edge[9] = {
      EDGE_SYMMETRY, EDGE_SYMMETRY, EDGE_SYMMETRY, EDGE_CLAMPED, 0, 0, EDGE_CLAMPED, 0, 0};
  held_patch(s, use, m, edge, amplitude);
}

static void free_patch(ShellStatic *s, const Use *use, const Material *m, double amplitude) {
  held_patch(s, use, m, NULL, amplitude);
}

// Of the tangent; laws that give only its symmetric part leave out what is small beside it.
static double allowed_error(const Material *m) {
  int recalled = m->type->sheet_states && m->type->sheet_states(m) > N_SHEET;
  return recalled ? 2e-2 : 1e-7;
}

Test(form_shell, tangents_are_those_of_differences_and_symmetric) {
  Material m;
  for (int k = 0; k < N_USES; k++)
    for (int law = 0; sheet_sample(law, &m); law++)
      for (int plastic = 0; plastic < 2; plastic++) {
        ShellStatic s;
        patch(&s, &uses[k], &m, plastic ? 0.05 : 0.002);
        double error = shell_tangent_error(&s, plastic ? 1e-6 : 1e-4);
        cr_assert_lt(error, allowed_error(&m), "%s, law %d, %s: %g", uses[k].form, law,
                     plastic ? "plastic" : "elastic", error);
        shell_static_free(&s);
      }
}

// All nodes between tools that leave this room.
static void pinch(FormPinch *at, int n, double room, double stiffness, double strength) {
  for (int i = 0; i < n; i++)
    at[i] = (FormPinch){.room = room, .stiffness = stiffness, .strength = strength};
}

Test(form_shell, tangents_of_pressed_sheets_are_those_of_differences_and_symmetric) {
  Material m;
  FormPinch tools[9];
  for (int k = 0; k < N_USES; k++)
    for (int law = 0; sheet_sample(law, &m); law++)
      for (int plastic = 0; plastic < 2; plastic++) {
        ShellStatic s;
        patch(&s, &uses[k], &m, plastic ? 0.05 : 0.002);
        s.pinch = tools;
        pinch(tools, 9, plastic ? 0.04 : 0.049, 2e4, 0);
        double error = shell_tangent_error(&s, plastic ? 1e-6 : 1e-4);
        cr_assert_lt(error, allowed_error(&m), "%s, law %d, %s: %g", uses[k].form, law,
                     plastic ? "plastic" : "elastic", error);
        FormOutput shown;
        FormPoint at = {.u = s.u, .config = s.config, .internal_old = s.internal};
        s.form.type->output(&s.form, 0, &at, &shown);
        double pressure = -(shown.stress[0] + shown.stress[1] + shown.stress[2]);
        cr_assert_gt(pressure, 1, "%s, law %d: it is not pressed", uses[k].form, law);
        shell_static_free(&s);
      }
}

static double largest(const double *x, int n) {
  double found = 0;
  for (int k = 0; k < n; k++) found = fmax(found, fabs(x[k]));
  return found;
}

static void turn(const double R[9], const double *x, double *y) {
  for (int i = 0; i < 3; i++) y[i] = R[3 * i] * x[0] + R[3 * i + 1] * x[1] + R[3 * i + 2] * x[2];
}

// Normal components of R stress R^T.
static void turned_stress(const double R[9], const double *stress, double normal[3]) {
  for (int i = 0; i < 3; i++) {
    const double *r = R + 3 * i;
    normal[i] = r[0] * r[0] * stress[0] + r[1] * r[1] * stress[1] + r[2] * r[2] * stress[2] +
                2 * (r[0] * r[1] * stress[3] + r[1] * r[2] * stress[4] + r[0] * r[2] * stress[5]);
  }
}

// Free sheets only: held sides are mirrored at planes that stay.
Test(form_shell, forces_turn_with_the_sheet) {
  const double a = 2.1, b = -0.7, c = cos(a), s = sin(a), d = cos(b), e = sin(b);
  const double R[9] = {c, -s, 0, s * d, c * d, -e, s * e, c * e, d};
  for (int k = 0; k < N_USES; k++)
    for (int rigid = 0; rigid < 2; rigid++) {
      Material m;
      ShellStatic body;
      double before[200], at[3];
      cr_assert(sheet_sample(2, &m));
      free_patch(&body, &uses[k], &m, rigid ? 0 : 0.05);
      cr_assert_eq(shell_assemble(&body, 0), OK);
      cr_assert_lt(body.n, 200);
      memcpy(before, body.force, (size_t)body.n * sizeof *before);
      FormOutput shown[2];
      FormPoint now = {.u = body.u, .config = body.config, .internal_old = body.internal};
      body.form.type->output(&body.form, 0, &now, &shown[0]);
      for (int i = 0; i < body.form.n_nodes; i++) {
        double x[3];
        for (int j = 0; j < 3; j++) x[j] = body.mesh.x[3 * i + j] + body.u[3 * i + j];
        turn(R, x, at);
        for (int j = 0; j < 3; j++) body.u[3 * i + j] = at[j] + 0.3 * j - body.mesh.x[3 * i + j];
      }
      // directors turn too: triads are the first of the configuration
      int n_vectors = strcmp(uses[k].form, "mitc4") == 0 ? 3 * body.form.n_nodes : 0;
      for (int i = 0; i < n_vectors; i++) {
        turn(R, body.config + 3 * i, at);
        memcpy(body.config + 3 * i, at, sizeof at);
      }
      cr_assert_eq(shell_assemble(&body, 0), OK);
      double scale = fmax(largest(before, body.n), 1000 * 0.05 * 1e-1);
      body.form.type->output(&body.form, 0, &now, &shown[1]);
      turned_stress(R, shown[0].stress, at);
      for (int j = 0; j < 3; j++) {
        cr_assert_float_eq(shown[1].stress[j], at[j], 1e-9, "%s: %g %g", uses[k].form,
                           shown[1].stress[j], at[j]);
        cr_assert_float_eq(shown[1].logarithmic[j], shown[0].logarithmic[j], 1e-12);
      }
      for (int i = 0; i < body.form.n_nodes; i++) {
        turn(R, before + 3 * i, at);
        for (int j = 0; j < 3; j++)
          cr_assert_float_eq(body.force[3 * i + j], at[j], 1e-12 * scale, "%s: %g, %g",
                             uses[k].form, body.force[3 * i + j], at[j]);
      }
      for (int i = 3 * body.form.n_nodes; i < body.n; i++)
        cr_assert_float_eq(body.force[i], before[i], 1e-12 * scale);
      shell_static_free(&body);
    }
}

// Warped quadrilaterals are twisted from the start: that is their shape, not a strain.
Test(form_shell, a_sheet_of_any_shape_is_without_stress_at_its_start) {
  for (int k = 0; k < N_USES; k++) {
    Material m;
    ShellStatic s;
    cr_assert(sheet_sample(0, &m));
    free_patch(&s, &uses[k], &m, 0);
    cr_assert_eq(shell_assemble(&s, 0), OK);
    cr_assert_lt(largest(s.force, s.n), 1e-14 * 1000 * 0.05, "%s: %g N", uses[k].form,
                 largest(s.force, s.n));
    shell_static_free(&s);
  }
}

static double jitter;
static void flat(double s, double t, double x[3]) {
  int inside = s > 0.01 && s < 0.99 && t > 0.01 && t < 0.99;
  x[0] = s + (inside ? jitter * sample_random(&seed_of_map) : 0);
  x[1] = t + (inside ? jitter * sample_random(&seed_of_map) : 0);
  x[2] = 0;
}

static void flat_patch(ShellStatic *s, const Use *use, const Material *m, double thickness,
                       const double rolling[3], int n) {
  Mesh mesh;
  FormSpec spec = {.material = m,
                   .thickness = thickness,
                   .layers = 5,
                   .rolling = {rolling[0], rolling[1], rolling[2]},
                   .edge_unknown = use->edge_unknown};
  seed_of_map = 5;
  jitter = 0.25 / n; // of the nodes inside
  shell_grid(&mesh, n, n, use->pattern, flat);
  shell_static_init(s, &mesh, use->form, &spec);
}

static int on_boundary(const ShellStatic *s, int node) {
  const double *x = s->mesh.x + 3 * node;
  return x[0] == 0 || x[0] == 1 || x[1] == 0 || x[1] == 1;
}

// A strip of 10 mm is pulled to the logarithmic strain of 0.2: the force of the closed form and,
// with Hill's criterion, strains in the ratio of the r-value.
Test(form_shell, a_strip_pulls_with_the_force_of_its_curve) {
  for (int k = 0; k < N_USES; k++)
    for (int hill = 0; hill < 2; hill++) {
      Material m;
      ShellStatic s;
      sheet_steel(&m);
      if (hill) {
        sheet_set(&m, "criterion", 1);
        sheet_set(&m, "r0", 1.79);
        sheet_set(&m, "r45", 1.51);
        sheet_set(&m, "r90", 2.27);
      }
      flat_patch(&s, &uses[k], &m, 0.78e-3, (double[]){1, 0, 0}, 3);
      // flat: the sheet stays in its plane
      for (int i = 0; i < s.form.n_nodes; i++) shell_fix(&s, i, 2, 0);
      for (int i = 3 * s.form.n_nodes; i < s.n; i++) s.fixed[i] = 1;
      for (int step = 1; step <= 10; step++) {
        for (int i = 0; i < s.form.n_nodes; i++) {
          double x = s.mesh.x[3 * i];
          if (x == 0 || x == 1) shell_fix(&s, i, 0, x * (exp(0.02 * step) - 1));
          if (s.mesh.x[3 * i + 1] == 0) shell_fix(&s, i, 1, 0);
        }
        cr_assert_geq(shell_solve(&s, 1e-11), 0, "%s %d", uses[k].form, step);
        shell_static_commit(&s);
      }
      double force = 0;
      for (int i = 0; i < s.form.n_nodes; i++)
        if (s.mesh.x[3 * i] == 1) force += s.force[3 * i];
      // reference width 1 m
      cr_assert_float_eq(force * 0.01, 2396.101, 2e-3, "%s: %.4f", uses[k].form, force * 0.01);
      FormOutput out;
      FormPoint at = {.u = s.u, .config = s.config, .internal_old = s.internal_old};
      for (int e = 0; e < s.form.n_elems; e++) {
        s.form.type->output(&s.form, e, &at, &out);
        // elastic parts taken off
        double elastic = out.stress[0] *
                         exp(out.logarithmic[0] + out.logarithmic[1] + out.logarithmic[2]) / 206e9;
        double width = out.logarithmic[1] + 0.3 * elastic,
               thick = out.logarithmic[2] + 0.3 * elastic;
        cr_assert_float_eq(out.logarithmic[0], 0.2, 1e-9);
        cr_assert_float_eq(out.major, 0.2, 1e-9);
        cr_assert_float_eq(width / thick, hill ? 1.79 : 1, 1e-6, "%g", width / thick);
        cr_assert_float_eq(out.thickness, 0.78e-3 * exp(out.logarithmic[2]), 1e-15);
        cr_assert_float_eq(out.plastic, 0.2 - elastic, 1e-9);
      }
      double t[16], pressure[16];
      s.form.type->thickness(&s.form, s.config, s.internal, NULL, t, pressure);
      for (int i = 0; i < s.form.n_nodes; i++) cr_assert_float_eq(t[i], out.thickness, 1e-12);
      shell_static_free(&s);
    }
}

// Pressed between tools to nine tenths of its thickness, free in its plane, the sheet yields like a
// bar in compression: the pressure is the yield stress at its plastic strain; held across it, by
// 2/sqrt(3) more (the plastic strain too). Its volume stays but for the elastic part.
Test(form_shell, a_sheet_between_tools_yields_under_their_pressure) {
  const double t0 = 0.78e-3, stiffness = 206e9 / t0, poisson = 0.3, young = 206e9;
  for (int k = 0; k < N_USES; k++)
    for (int held = 0; held < 2; held++) {
      Material m;
      ShellStatic s;
      FormPinch tools[16];
      sheet_steel(&m);
      flat_patch(&s, &uses[k], &m, t0, (double[]){1, 0, 0}, 3);
      s.pinch = tools;
      for (int i = 0; i < s.form.n_nodes; i++) {
        shell_fix(&s, i, 2, 0);
        if (s.mesh.x[3 * i] == 0) shell_fix(&s, i, 0, 0);
        if (s.mesh.x[3 * i + 1] == 0 || held) shell_fix(&s, i, 1, 0);
      }
      for (int i = 3 * s.form.n_nodes; i < s.n; i++) s.fixed[i] = 1;
      s.load[0] = 300e6 * t0; // on a support: no more than the scale of forces, which are all zero
      for (int step = 1; step <= 20; step++) {
        pinch(tools, s.form.n_nodes, t0 * (1 - 0.005 * step), stiffness, 0);
        cr_assert_geq(shell_solve(&s, 1e-10), 0, "%s %d", uses[k].form, step);
        shell_static_commit(&s);
      }
      FormOutput out;
      FormPoint at = {.u = s.u, .config = s.config, .internal_old = s.internal_old};
      for (int e = 0; e < s.form.n_elems; e++) {
        s.form.type->output(&s.form, e, &at, &out);
        double volume = exp(out.logarithmic[0] + out.logarithmic[1] + out.logarithmic[2]);
        double p = -out.stress[2] * volume, side = out.stress[1] * volume;
        double curve = 565.32e6 * pow(0.007117 + out.plastic, 0.2589);
        double deviator = sqrt(p * p + p * side + side * side); // von Mises
        cr_assert_float_eq(deviator, curve, 1e-6 * curve, "%s: %g %g", uses[k].form, deviator,
                           curve);
        cr_assert_float_eq(out.stress[0], 0, 1e-6 * curve);
        cr_assert_float_eq(out.thickness, 0.9 * t0 + p * t0 / out.thickness / stiffness, 1e-9 * t0);
        cr_assert_float_eq(log(volume), (1 - 2 * poisson) / young * (side - p), 1e-9);
        double elastic = (-p - poisson * side) / young;
        cr_assert_float_eq(out.plastic, (held ? 2 / sqrt(3) : 1) * (elastic - out.logarithmic[2]),
                           held ? 2e-3 * out.plastic : 1e-9, "%s: %g", uses[k].form, out.plastic);
        if (held) cr_assert_float_eq(p, 2 / sqrt(3) * curve, 1e-3 * p);
      }
      // a pressure that has its limit leaves the sheet as it is
      pinch(tools, s.form.n_nodes, 0.8 * t0, stiffness, 100e6);
      cr_assert_geq(shell_solve(&s, 1e-10), 0);
      shell_static_commit(&s);
      s.form.type->output(&s.form, 0, &at, &out);
      cr_assert_float_eq(out.stress[2], -90e6, 1e6); // 0.9 of the area at the start
      cr_assert_float_eq(out.thickness, 0.9 * t0, 5e-3 * t0);
      shell_static_free(&s);
    }
}

// Small deflections w = (k11 x^2 + k22 y^2 + 2 k12 x y) / 2 given at all nodes: with angles the
// moments are those of constant curvature on any mesh, once the edges of the rim bear them.
Test(form_shell, triangles_with_angles_bend_exactly_on_irregular_meshes) {
  const double k11 = 1e-5, k22 = -2e-5, k12 = 1.5e-5, h = 0.01;
  for (int pattern = GRID_RIGHT; pattern <= GRID_ALTERNATE; pattern++) {
    Use use = {"ebst", (GridPattern)pattern, 1};
    Material m;
    ShellStatic s;
    cr_assert(sheet_sample(0, &m));
    flat_patch(&s, &use, &m, h, (double[]){0.8, 0.6, 0}, 6);
    double rigidity = 1000 * h * h * h / 12 / (1 - 0.09);
    // kappa = -w,ab; moments in global axes
    double m11 = -rigidity * (k11 + 0.3 * k22), m22 = -rigidity * (k22 + 0.3 * k11),
           m12 = -rigidity * 0.7 * k12;
    for (int i = 0; i < s.form.n_nodes; i++) {
      double x = s.mesh.x[3 * i], y = s.mesh.x[3 * i + 1];
      shell_fix(&s, i, 0, 0);
      shell_fix(&s, i, 1, 0);
      shell_fix(&s, i, 2, 0.5 * (k11 * x * x + k22 * y * y) + k12 * x * y);
    }
    // every triangle works on the angle of a side by -moment * length; interior sides cancel
    int first = 3 * s.form.n_nodes;
    int angles = 0, at_rim[49] = {0}; // nodes of triangles with a side on the rim bear its moment
    ShellStatic *b = &s;
    for (int e = 0; e < b->form.n_elems; e++) {
      const int32_t *node = b->mesh.elem_node + 3 * e;
      const int32_t *dof = b->form.dof + b->form.dof_ptr[e + 1] - 3;
      for (int i = 0; i < 3; i++) {
        const double *p = b->mesh.x + 3 * node[(i + 1) % 3], *q = b->mesh.x + 3 * node[(i + 2) % 3];
        if (!((p[0] == q[0] && (p[0] == 0 || p[0] == 1)) ||
              (p[1] == q[1] && (p[1] == 0 || p[1] == 1))))
          continue;
        double length = hypot(q[0] - p[0], q[1] - p[1]);
        double n1 = (q[1] - p[1]) / length, n2 = -(q[0] - p[0]) / length;
        double moment = n1 * n1 * m11 + n2 * n2 * m22 + 2 * n1 * n2 * m12;
        b->load[dof[i]] -= moment * length;
        for (int j = 0; j < 3; j++) at_rim[node[j]] = 1;
        angles++;
      }
    }
    cr_assert_eq(angles, 24);
    cr_assert_geq(shell_solve(&s, 1e-6), 0);
    double scale = rigidity * 2e-5;
    for (int i = 0; i < s.form.n_nodes; i++)
      if (!at_rim[i])
        cr_assert_float_eq(s.force[3 * i + 2], 0, 1e-6 * scale / 0.17, "%g", s.force[3 * i + 2]);
    for (int i = first; i < s.n; i++) cr_assert_float_eq(s.force[i], s.load[i], 1e-8 * scale);
    // the energy is that of the curvature everywhere
    double stored = 0;
    FormOutput out;
    shell_static_commit(&s);
    FormPoint at = {.u = s.u, .config = s.config, .internal_old = s.internal_old};
    for (int e = 0; e < s.form.n_elems; e++) {
      s.form.type->output(&s.form, e, &at, &out);
      stored += out.stored;
    }
    double exact = -0.5 * (m11 * k11 + m22 * k22 + 2 * m12 * k12);
    cr_assert_float_eq(stored, exact, 1e-4 * exact, "%g %g", stored, exact);
    shell_static_free(&s);
  }
}

// Constant curvature of the quadrilateral: the rim's translations and directors are given, the
// inside finds its place.
Test(form_shell, quadrilaterals_bend_exactly_on_irregular_meshes) {
  const double k11 = 1e-5, k22 = -2e-5, k12 = 1.5e-5;
  Use use = {"mitc4", GRID_QUAD, 0};
  Material m;
  ShellStatic s;
  cr_assert(sheet_sample(0, &m));
  flat_patch(&s, &use, &m, 0.05, (double[]){1, 0, 0}, 5);
  int first = 3 * s.form.n_nodes;
  for (int i = 0; i < s.form.n_nodes; i++) {
    double x = s.mesh.x[3 * i], y = s.mesh.x[3 * i + 1];
    if (!on_boundary(&s, i)) continue;
    shell_fix(&s, i, 0, 0);
    shell_fix(&s, i, 1, 0);
    shell_fix(&s, i, 2, 0.5 * (k11 * x * x + k22 * y * y) + k12 * x * y);
    s.fixed[first + 2 * i] = s.fixed[first + 2 * i + 1] = 1;
    s.step[2 * i] = -(k11 * x + k12 * y);
    s.step[2 * i + 1] = -(k22 * y + k12 * x);
  }
  s.form.type->advance(&s.form, s.config, s.step, s.config_new);
  memcpy(s.config, s.config_new, (size_t)s.form.n_config * sizeof(double));
  cr_assert_geq(shell_solve(&s, 1e-6), 0);
  for (int i = 0; i < s.form.n_nodes; i++) {
    double x = s.mesh.x[3 * i], y = s.mesh.x[3 * i + 1];
    double w = 0.5 * (k11 * x * x + k22 * y * y) + k12 * x * y;
    cr_assert_float_eq(s.u[3 * i + 2], w, 1e-9, "%g %g", s.u[3 * i + 2], w);
    cr_assert_float_eq(s.config[9 * i + 6], -(k11 * x + k12 * y), 1e-8);
  }
  shell_static_free(&s);
}

Test(form_shell, mass_is_lumped_and_sums_up) {
  Material m;
  cr_assert(sheet_sample(0, &m));
  for (int k = 0; k < N_USES; k++) {
    ShellStatic s;
    double sum = 0;
    flat_patch(&s, &uses[k], &m, 0.01, (double[]){0, 0, 0}, 3);
    for (int i = 0; i < s.form.n_nodes; i++) sum += s.form.mass[i];
    cr_assert_float_eq(sum, 2 * 0.01, 1e-15);
    shell_static_free(&s);
  }
}

Test(form_shell, short_memory_is_an_error_and_leaks_nothing) {
  Material m;
  Mesh mesh;
  Form form;
  cr_assert(sheet_sample(0, &m));
  for (int k = 0; k < N_USES; k++) {
    shell_grid(&mesh, 2, 2, uses[k].pattern, flat);
    FormSpec spec = {.mesh = &mesh,
                     .material = &m,
                     .thickness = 0.1,
                     .layers = 3,
                     .edge_unknown = uses[k].edge_unknown};
    Status status = ERR_SYSTEM;
    for (int n = 1; n < 100 && status != OK; n++) {
      mem_fail_after(n);
      status = form_init(&form, uses[k].form, &spec, NULL);
      mem_fail_after(0);
      if (status == OK) form_free(&form);
      cr_assert(status == OK || status == ERR_SYSTEM);
    }
    cr_assert_eq(status, OK);
    mesh_free(&mesh);
  }
}

// ---- elements that are cut off ------------------------------------------------------------------

static void flat_grid(double s, double t, double x[3]) {
  x[0] = s + 0.02 * sin(9 * t);
  x[1] = t + 0.02 * sin(7 * s);
  x[2] = 0;
}

// Keeps the elements of the left half of a grid of 4 x 3 cells, in their order.
static void left_half(const Mesh *whole, Mesh *part, uint8_t *cut) {
  Err err = {0};
  int32_t kept[64];
  int n = 0;
  for (int e = 0; e < whole->n_elems; e++) {
    double x = 0;
    int size = whole->elem_ptr[e + 1] - whole->elem_ptr[e];
    for (int k = whole->elem_ptr[e]; k < whole->elem_ptr[e + 1]; k++)
      x += whole->x[3 * whole->elem_node[k]] / size;
    cut[e] = x > 0.5;
    if (!cut[e]) kept[n++] = e;
  }
  Mesh named;
  cr_assert_eq(mesh_copy(&named, whole, &err), OK);
  cr_assert_eq(mesh_add_group(&named, "left", GROUP_ELEMENTS, kept, n, &err), OK);
  cr_assert_eq(mesh_extract(part, &named, mesh_find_group(&named, "left"), &err), OK);
  mesh_free(&named);
}

// Place of a node of the part in the whole.
static int same_node(const Mesh *whole, const Mesh *part, int node) {
  for (int k = 0; k < whole->n_nodes; k++)
    if (memcmp(whole->x + 3 * k, part->x + 3 * node, 3 * sizeof(double)) == 0) return k;
  cr_assert_fail("no such node");
  return -1;
}

// A sheet, what is left of it, and a sheet that was never more than that; nodes moved alike.
typedef struct {
  ShellStatic whole, left, part;
  uint8_t cut[64];
} Halves;

static void halves_init(Halves *h, const Use *use, const Material *m) {
  Mesh grid, copy, half;
  Err err = {0};
  FormSpec spec = {.material = m,
                   .thickness = 0.05,
                   .layers = 5,
                   .rolling = {1, 0.3, 0},
                   .edge_unknown = use->edge_unknown};
  shell_grid(&grid, 4, 3, use->pattern, flat_grid);
  left_half(&grid, &half, h->cut);
  cr_assert_eq(mesh_copy(&copy, &grid, &err), OK);
  shell_static_init(&h->whole, &grid, use->form, &spec);
  shell_static_init(&h->part, &half, use->form, &spec);
  spec.cut = h->cut;
  shell_static_init(&h->left, &copy, use->form, &spec);
  unsigned seed = 5;
  for (int i = 0; i < 3 * h->whole.form.n_nodes; i++)
    h->whole.u[i] = h->left.u[i] = 0.02 * sample_random(&seed);
  for (int k = 0; k < h->part.form.n_nodes; k++)
    memcpy(h->part.u + 3 * k, h->left.u + 3 * same_node(&h->left.mesh, &h->part.mesh, k),
           3 * sizeof(double));
}

static void halves_free(Halves *h) {
  shell_static_free(&h->whole);
  shell_static_free(&h->left);
  shell_static_free(&h->part);
}

// Forces of element e, internal variables written; n unknowns.
static int forces_of(ShellStatic *s, int e, double f[64]) {
  Err err = {0};
  FormPoint at = {.u = s->u,
                  .u_old = s->u,
                  .config = s->config,
                  .config_old = s->config,
                  .internal_old = s->internal_old,
                  .internal = s->internal,
                  .h = 1};
  memset(f, 0, 64 * sizeof *f);
  cr_assert_eq(s->form.type->element(&s->form, e, &at, f, NULL, &err), OK, "%s", err.text);
  return s->form.dof_ptr[e + 1] - s->form.dof_ptr[e];
}

static double stored_by(ShellStatic *s, int e) {
  double f[64];
  FormOutput out;
  forces_of(s, e, f);
  FormPoint at = {.u = s->u, .config = s->config, .internal_old = s->internal};
  s->form.type->output(&s->form, e, &at, &out);
  return out.stored;
}

Test(form_shell, what_is_left_of_a_sheet_is_a_sheet_of_its_own) {
  Material m;
  cr_assert(sheet_sample(0, &m));
  for (int u = 0; u < N_USES; u++) {
    Halves h;
    halves_init(&h, &uses[u], &m);
    for (int e = 0, own = 0; e < h.left.form.n_elems; e++) {
      double f[64], g[64], largest = 0;
      if (h.cut[e]) continue;
      int n = forces_of(&h.left, e, f);
      cr_assert_eq(forces_of(&h.part, own++, g), n);
      for (int i = 0; i < n; i++) largest = fmax(largest, fabs(f[i]));
      for (int i = 0; i < n; i++) {
        // the sense in which an edge counts its angle may be another
        double other = uses[u].edge_unknown && i >= n - 3 ? copysign(g[i], f[i]) : g[i];
        cr_assert_float_eq(f[i], other, 1e-12 * largest, "%s, element %d, %d: %g, %g", uses[u].form,
                           e, i, f[i], other);
      }
    }
    double mass = 0;
    for (int k = 0; k < h.left.form.n_nodes; k++) mass += h.left.form.mass[k];
    for (int k = 0; k < h.part.form.n_nodes; k++) {
      int at = same_node(&h.left.mesh, &h.part.mesh, k);
      cr_assert_float_eq(h.part.form.mass[k], h.left.form.mass[at], 1e-15);
      mass -= h.part.form.mass[k];
    }
    cr_assert_float_eq(mass, 0, 1e-12);
    halves_free(&h);
  }
}

// An element whose neighbour goes has the energy that it had, though it sees less of the strain
// around it.
Test(form_shell, strain_of_what_is_left_does_not_jump_when_the_rest_is_cut_off) {
  Material m;
  cr_assert(sheet_sample(0, &m));
  for (int u = 0; u < N_USES; u++) {
    Halves h;
    halves_init(&h, &uses[u], &m);
    const Form *left = &h.left.form, *whole = &h.whole.form;
    double worst[2] = {0, 0};
    for (int pass = 0; pass < 2; pass++) {
      FormPoint at = {.u = h.whole.u, .config = h.whole.config};
      if (pass == 1 && left->type->rebase) left->type->rebase(left, whole, &at, h.left.config);
      for (int e = 0; e < left->n_elems; e++) {
        if (h.cut[e]) continue;
        double before = stored_by(&h.whole, e), after = stored_by(&h.left, e);
        worst[pass] = fmax(worst[pass], fabs(after - before) / before);
      }
    }
    cr_assert_leq(worst[1], 1e-12, "%s: %g", uses[u].form, worst[1]);
    // without it, only those that do not see their neighbours stay
    cr_assert((worst[0] > 1e-2) == (left->type->rebase != NULL), "%s: %g", uses[u].form, worst[0]);
    halves_free(&h);
  }
}
