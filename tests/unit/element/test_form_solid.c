// Properties of solids at finite strains, over all shapes, states of stress and laws.
#include <criterion/criterion.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../support/element_sample.h"
#include "../../support/form_sample.h"
#include "../../support/material_sample.h"
#include "../../support/no_leak.h"
#include "base/mem.h"

TestSuite(form_solid, .fini = no_leak);

typedef struct {
  ShapeCode shape;
  StressState state;
  int locking_free;
} Use;

static const char *const state_name[] = {"in space", "plane strain", "plane stress",
                                         "axisymmetric"};

// The k-th way to use a solid; 0: no more.
static int use_number(int k, Use *use) {
  static const Use uses[] = {{SHAPE_T3, PLANE_STRAIN, 0}, {SHAPE_Q4, PLANE_STRAIN, 0},
                             {SHAPE_T3, PLANE_STRESS, 0}, {SHAPE_Q4, PLANE_STRESS, 0},
                             {SHAPE_T3, AXISYMMETRIC, 0}, {SHAPE_Q4, AXISYMMETRIC, 0},
                             {SHAPE_T4, STRESS_3D, 0},    {SHAPE_H8, STRESS_3D, 0}};
  int n = sizeof uses / sizeof uses[0];
  if (k >= 2 * n) return 0;
  *use = uses[k % n];
  use->locking_free = k / n;
  return 1;
}

static double largest(int n, const double *x) {
  double found = 0;
  for (int k = 0; k < n; k++) found = fmax(found, fabs(x[k]));
  return found;
}

static void shake(const Body *b, double amplitude, unsigned *seed) {
  for (int i = 0; i < b->form.n_nodes * b->form.dim; i++)
    b->u[i] += amplitude * sample_random(seed);
}

// Error of the tangent against differences of the fourth order, relative to the largest entry.
static double tangent_error(Body *b, const char *what) {
  const double step = 2e-5;
  static const double place[4] = {1, -1, 2, -2}, weight[4] = {8, -8, -1, 1};
  int n = b->form.dof_ptr[1];
  double f[MAX_ELEM_DOFS], k[MAX_ELEM_DOFS * MAX_ELEM_DOFS], worst = 0;
  cr_assert_eq(body_assemble(b, f, k), OK, "%s", what);
  for (int c = 0; c < n; c++) {
    double slope[MAX_ELEM_DOFS] = {0}, kept = b->u[c];
    for (int s = 0; s < 4; s++) {
      b->u[c] = kept + place[s] * step;
      cr_assert_eq(body_assemble(b, f, NULL), OK);
      for (int i = 0; i < n; i++) slope[i] += weight[s] * f[i] / (12 * step);
    }
    b->u[c] = kept;
    for (int i = 0; i < n; i++) {
      worst = fmax(worst, fabs(slope[i] - k[i * n + c]));
      cr_assert_eq(k[i * n + c], k[c * n + i], "%s", what);
    }
  }
  cr_assert_eq(body_assemble(b, f, k), OK);
  return worst / largest(n * n, k);
}

Test(form_solid, tangent_is_symmetric_and_that_of_finite_differences_for_every_law) {
  Use use;
  Material m;
  int symmetric;
  double worst = 0;
  for (int s = 0; material_sample(s, &m, &symmetric); s++) {
    for (int k = 0; use_number(k, &use) && symmetric; k++) {
      char what[120];
      snprintf(what, sizeof what, "sample %d, %s, %s %s, locking free %d", s, m.name,
               topology_table[use.shape].name, state_name[use.state], use.locking_free);
      Mesh mesh;
      Body b;
      unsigned seed = 19;
      sample_mesh_element(&mesh, use.shape, 0.15);
      cr_assert_eq(body_make(&b, &mesh, &m, use.state, use.locking_free), OK, "%s", what);
      b.at.h = 0.02;
      for (int step = 0; step < 2; step++) { // the second starts from plastic strains
        shake(&b, 0.08, &seed);
        double error = tangent_error(&b, what);
        cr_expect_lt(error, 1e-7, "%s, step %d: %g", what, step, error);
        worst = fmax(worst, error);
        body_accept(&b);
      }
      body_free(&b);
      mesh_free(&mesh);
    }
  }
  cr_log_info("worst error of a tangent: %g", worst);
}

Test(form_solid, rigid_motion_gives_no_force) {
  const double q[3][3] = {
      {2. / 3, 2. / 3, 1. / 3}, {-2. / 3, 1. / 3, 2. / 3}, {1. / 3, -2. / 3, 2. / 3}};
  const double turn = 1.1;
  Use use;
  Material m;
  for (int s = 0; material_sample(s, &m, NULL); s++)
    for (int k = 0; use_number(k, &use); k++) {
      Mesh mesh;
      Body b;
      sample_mesh_element(&mesh, use.shape, 0.15);
      cr_assert_eq(body_make(&b, &mesh, &m, use.state, use.locking_free), OK);
      int dim = mesh.dim, n = b.form.dof_ptr[1];
      for (int a = 0; a < mesh.n_nodes; a++)
        for (int i = 0; i < dim; i++) {
          double x = 0.1 * (i + 1);
          for (int j = 0; j < dim; j++) {
            double r = dim == 3 ? q[i][j] : i == j ? cos(turn) : (i ? sin(turn) : -sin(turn));
            if (use.state == AXISYMMETRIC) r = i == j; // only along the axis
            x += r * mesh.x[a * dim + j];
          }
          if (use.state == AXISYMMETRIC && i == 0) x -= 0.1;
          b.u[a * dim + i] = x - mesh.x[a * dim + i];
        }
      double f[MAX_ELEM_DOFS], stiff[MAX_ELEM_DOFS * MAX_ELEM_DOFS];
      cr_assert_eq(body_assemble(&b, f, stiff), OK);
      // coordinates are about 10: their round-off makes strains of 1e-15
      cr_assert_lt(largest(n, f), 1e-13 * largest(n * n, stiff), "%s %s %s: %g", m.name,
                   topology_table[use.shape].name, state_name[use.state], largest(n, f));
      body_free(&b);
      mesh_free(&mesh);
    }
}

Test(form_solid, tangent_at_rest_is_the_stiffness_of_small_strains) {
  Use use;
  Material m;
  cr_assert(material_sample(0, &m, NULL));
  for (int k = 0; use_number(k, &use); k++) {
    Mesh mesh;
    Body b;
    sample_mesh_element(&mesh, use.shape, 0.15);
    cr_assert_eq(body_make(&b, &mesh, &m, use.state, use.locking_free), OK);
    int n = b.form.dof_ptr[1];
    double f[MAX_ELEM_DOFS], a[MAX_ELEM_DOFS * MAX_ELEM_DOFS], ke[MAX_ELEM_DOFS * MAX_ELEM_DOFS];
    double d[36];
    m.type->stiffness(m.par, use.state, d);
    ElementSpec spec = {.type = element_types[use.shape],
                        .state = use.state,
                        .thickness = 0.7,
                        .b_bar = use.locking_free,
                        .d = d};
    cr_assert_eq(element_stiffness(&spec, mesh.x, ke, NULL), OK);
    cr_assert_eq(body_assemble(&b, f, a), OK);
    cr_assert_lt(largest(n, f), 1e-10);
    for (int i = 0; i < n * n; i++)
      cr_assert_float_eq(a[i], ke[i], 1e-12 * largest(n * n, ke),
                         "%s %s %d: entry %d, %.15g, %.15g", topology_table[use.shape].name,
                         state_name[use.state], use.locking_free, i, a[i], ke[i]);
    // masses
    double share[MAX_ELEM_NODES];
    element_lumped_volume(&spec, mesh.x, share);
    for (int i = 0; i < mesh.n_nodes; i++)
      cr_assert_float_eq(b.form.mass[i], 2 * share[i], 1e-13 * b.form.mass[i]);
    body_free(&b);
    mesh_free(&mesh);
  }
}

Test(form_solid, forces_are_the_derivative_of_the_energy_shown) {
  const double step = 1e-5;
  Use use;
  Material m;
  cr_assert(material_sample(1, &m, NULL));
  for (int k = 0; use_number(k, &use); k++) {
    Mesh mesh;
    Body b;
    unsigned seed = 19;
    FormOutput low, high;
    sample_mesh_element(&mesh, use.shape, 0.15);
    cr_assert_eq(body_make(&b, &mesh, &m, use.state, use.locking_free), OK);
    shake(&b, 0.15, &seed);
    int n = b.form.dof_ptr[1];
    double f[MAX_ELEM_DOFS], unused[MAX_ELEM_DOFS];
    cr_assert_eq(body_assemble(&b, f, NULL), OK);
    FormPoint shown = b.at;
    shown.internal_old = b.new;
    for (int i = 0; i < n; i++) {
      double kept = b.u[i];
      b.u[i] = kept - step;
      cr_assert_eq(body_assemble(&b, unused, NULL), OK);
      b.form.type->output(&b.form, 0, &shown, &low);
      b.u[i] = kept + step;
      cr_assert_eq(body_assemble(&b, unused, NULL), OK);
      b.form.type->output(&b.form, 0, &shown, &high);
      b.u[i] = kept;
      cr_assert_float_eq((high.stored - low.stored) / (2 * step), f[i], 1e-6 * largest(n, f),
                         "%s %s", topology_table[use.shape].name, state_name[use.state]);
    }
    body_free(&b);
    mesh_free(&mesh);
  }
}

// A distorted patch whose surface moves as x -> F x takes that motion inside, with one stress.
Test(form_solid, patch_test_is_passed_at_finite_strains) {
  static const double g[3][3] = {{0.25, -0.2, 0.1}, {0.15, -0.1, 0.2}, {-0.1, 0.1, 0.15}};
  const double size[3] = {1.2, 1, 1};
  Use use;
  Material m;
  static const int laws[] = {0, 1, 2, 5};
  for (int l = 0; l < 4; l++)
    for (int k = 0; use_number(k, &use); k++) {
      if (use.state == AXISYMMETRIC)
        continue; // no homogeneous field but u_r = a r, u_z = b z: below
      Mesh mesh;
      Body b;
      cr_assert(material_sample(laws[l], &m, NULL));
      int n_y = use.state == STRESS_3D ? 2 : 3;
      sample_mesh_patch(&mesh, use.shape, 2, n_y, size, 0.2, 0);
      cr_assert_eq(body_make(&b, &mesh, &m, use.state, use.locking_free), OK);
      int dim = mesh.dim, n = mesh.n_nodes * dim;
      double *exact = calloc((size_t)n, sizeof *exact), *f = calloc((size_t)n, sizeof *f);
      char *fixed = calloc((size_t)n, 1);
      Patch patch; // for what is outside
      patch_make(&patch, element_types[use.shape], 2, n_y, size, 0.2);
      for (int i = 0; i < n; i++) {
        for (int j = 0; j < dim; j++)
          exact[i] += (l == 3 ? 0.3 : 1) * g[i % dim][j] * mesh.x[i / dim * dim + j];
        fixed[i] = patch.outside[i / dim];
        b.u[i] = fixed[i] ? exact[i] : 0.9 * exact[i];
      }
      cr_assert_geq(body_solve(&b, fixed, NULL, 1e-14), 0, "%s %s %s %d", m.name,
                    topology_table[use.shape].name, state_name[use.state], use.locking_free);
      for (int i = 0; i < n; i++)
        cr_assert_float_eq(b.u[i], exact[i], 1e-12, "%s %s %s %d: %.17g, %.17g", m.name,
                           topology_table[use.shape].name, state_name[use.state], use.locking_free,
                           b.u[i], exact[i]);
      FormOutput first, other;
      body_assemble(&b, f, NULL);
      body_accept(&b);
      b.form.type->output(&b.form, 0, &b.at, &first);
      for (int e = 1; e < mesh.n_elems; e++) {
        b.form.type->output(&b.form, e, &b.at, &other);
        for (int i = 0; i < 6; i++) cr_assert_float_eq(other.stress[i], first.stress[i], 1e-8);
      }
      free(exact), free(f), free(fixed);
      patch_free(&patch);
      body_free(&b);
      mesh_free(&mesh);
    }
}

Test(form_solid, an_element_inside_out_is_an_error_that_names_the_point) {
  Use use;
  Material m;
  cr_assert(material_sample(1, &m, NULL));
  for (int k = 0; use_number(k, &use); k++) {
    Mesh mesh;
    Body b;
    Err err = {0};
    double f[MAX_ELEM_DOFS];
    sample_mesh_element(&mesh, use.shape, 0);
    cr_assert_eq(body_make(&b, &mesh, &m, use.state, use.locking_free), OK);
    for (int a = 0; a < mesh.n_nodes; a++) // mirrored along y
      b.u[a * mesh.dim + 1] = -2 * mesh.x[a * mesh.dim + 1];
    cr_assert_eq(b.form.type->element(&b.form, 0, &b.at, f, NULL, &err), ERR_NUMERIC);
    cr_assert_not_null(strstr(err.text, "det F = -1 at integration point 1"), "%s", err.text);
    b.u[0] = (double)NAN;
    cr_assert_eq(b.form.type->element(&b.form, 0, &b.at, f, NULL, &err), ERR_NUMERIC);
    body_free(&b);
    mesh_free(&mesh);
  }
}

Test(form_solid, evaluation_allocates_nothing) {
  Material m;
  Mesh mesh;
  Body b;
  unsigned seed = 19;
  double f[MAX_ELEM_DOFS], k[MAX_ELEM_DOFS * MAX_ELEM_DOFS];
  cr_assert(material_sample(5, &m, NULL));
  sample_mesh_element(&mesh, SHAPE_H8, 0.1);
  cr_assert_eq(body_make(&b, &mesh, &m, STRESS_3D, 1), OK);
  shake(&b, 0.05, &seed);
  int64_t calls = mem_total_calls();
  cr_assert_eq(b.form.type->element(&b.form, 0, &b.at, f, k, NULL), OK);
  cr_assert_eq(mem_total_calls(), calls);
  body_free(&b);
  mesh_free(&mesh);
}

Test(form_solid, init_survives_every_failing_allocation) {
  Material m;
  Mesh mesh;
  cr_assert(material_sample(5, &m, NULL));
  sample_mesh_element(&mesh, SHAPE_H8, 0.1);
  FormSpec spec = {.mesh = &mesh, .material = &m, .state = STRESS_3D};
  Status status = ERR_SYSTEM;
  for (int n = 1; status != OK; n++) {
    Form form;
    mem_fail_after(n);
    status = form_init(&form, NULL, &spec, NULL);
    mem_fail_after(0);
    cr_assert(status == OK || status == ERR_SYSTEM);
    form_free(&form);
  }
  mesh_free(&mesh);
}

Test(form_solid, refuses_elements_that_are_too_large_for_their_softening) {
  Material m;
  Mesh mesh;
  Err err = {0};
  Form form;
  for (int s = 0; material_sample(s, &m, NULL) && !m.type->largest_size; s++) continue;
  cr_assert_not_null(m.type->largest_size);
  m.par[material_place(m.type, "fracture_energy")] *= 1e-3;
  sample_mesh_element(&mesh, SHAPE_H8, 0.1);
  FormSpec spec = {.mesh = &mesh, .material = &m, .state = STRESS_3D};
  cr_assert_eq(form_init(&form, NULL, &spec, &err), ERR_INPUT);
  cr_assert_not_null(strstr(err.text, "refine the mesh"), "%s", err.text);
  cr_assert_not_null(strstr(err.text, "element 1"), "%s", err.text);
  mesh_free(&mesh);
}

Test(form_solid, shows_stress_and_strain_of_a_homogeneous_state) {
  // simple stretch 1.5 of St Venant-Kirchhoff, confined: P = 1262.019231 Pa of E = 1000 Pa, nu =
  // 0.3
  Use use;
  Material m;
  FormOutput out;
  cr_assert(material_sample(0, &m, NULL));
  for (int k = 0; use_number(k, &use); k++) {
    if (use.state == PLANE_STRESS) continue;
    Mesh mesh;
    Body b;
    double f[MAX_ELEM_DOFS];
    int axis = use.state == AXISYMMETRIC ? 1 : 0;
    sample_mesh_element(&mesh, use.shape, 0.15);
    cr_assert_eq(body_make(&b, &mesh, &m, use.state, use.locking_free), OK);
    for (int a = 0; a < mesh.n_nodes; a++)
      b.u[a * mesh.dim + axis] = 0.5 * mesh.x[a * mesh.dim + axis];
    cr_assert_eq(body_assemble(&b, f, NULL), OK);
    body_accept(&b);
    b.form.type->output(&b.form, 0, &b.at, &out);
    cr_assert_float_eq(out.stress[axis], 1262.0192307692307, 1e-9); // lateral area unchanged
    cr_assert_float_eq(out.green[axis], 0.625, 1e-14);
    cr_assert_float_eq(out.logarithmic[axis], log(1.5), 1e-14);
    cr_assert_float_eq(out.lost, 0, 1e-14);
    body_free(&b);
    mesh_free(&mesh);
  }
}
