// Solids at finite strains against closed forms: F6 of the list of exact answers, plasticity in
// tension, incompressible bending, the energy of a crack.
#include <criterion/criterion.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../support/element_sample.h"
#include "../support/form_sample.h"
#include "../support/material_sample.h"

// A block [0, size]^dim, or a full cylinder, stretched along `axis` with faces that slide.
typedef struct {
  Mesh mesh;
  Body body;
  char *fixed;
  int axis;
} Block;

static const double SIZE[3] = {1, 1, 1};

typedef struct {
  ShapeCode shape;
  StressState state;
} Kind;

static const Kind kinds[] = {{SHAPE_T4, STRESS_3D},    {SHAPE_H8, STRESS_3D},
                             {SHAPE_T3, PLANE_STRESS}, {SHAPE_Q4, PLANE_STRESS},
                             {SHAPE_T3, AXISYMMETRIC}, {SHAPE_Q4, AXISYMMETRIC},
                             {SHAPE_T3, PLANE_STRAIN}, {SHAPE_Q4, PLANE_STRAIN}};
enum { N_KINDS = sizeof kinds / sizeof kinds[0], N_FREE_KINDS = 6 };

static void block_make(Block *b, Kind kind, const Material *m, int locking_free, int n,
                       double distortion) {
  sample_mesh_patch(&b->mesh, kind.shape, n, n, SIZE, distortion, 0);
  cr_assert_eq(body_make(&b->body, &b->mesh, m, kind.state, locking_free), OK);
  b->fixed = calloc((size_t)(b->mesh.n_nodes * b->mesh.dim), 1);
  b->axis = kind.state == AXISYMMETRIC ? 1 : 0;
  cr_assert_not_null(b->fixed);
}

static void block_free(Block *b) {
  free(b->fixed);
  body_free(&b->body);
  mesh_free(&b->mesh);
}

// Ends at 0 and stretch - 1 along the axis; the lower lateral faces slide, the upper are free or
// not.
static void block_stretch(Block *b, double stretch, int confined) {
  int dim = b->mesh.dim, n = b->mesh.n_nodes * dim;
  for (int i = 0; i < n; i++) {
    double x = b->mesh.x[i];
    int along = i % dim == b->axis, low = fabs(x) < 1e-9, high = fabs(x - 1) < 1e-9;
    b->fixed[i] = low || (high && (along || confined));
    if (along && high) b->body.u[i] = stretch - 1;
  }
}

// Force on the upper end over its area at the start.
static double nominal_stress(Block *b) {
  int dim = b->mesh.dim, n = b->mesh.n_nodes * dim;
  double *f = calloc((size_t)n, sizeof *f), sum = 0;
  cr_assert_not_null(f);
  cr_assert_eq(body_assemble(&b->body, f, NULL), OK);
  for (int i = 0; i < n; i++)
    if (i % dim == b->axis && fabs(b->mesh.x[i] - 1) < 1e-9) sum += f[i];
  free(f);
  StressState state = b->body.form.spec.state;
  return sum / (state == AXISYMMETRIC ? acos(-1) : dim == 2 ? b->body.form.spec.thickness : 1);
}

static Material elastic_law(const char *name) {
  return (Material){.type = material_find(name), .par = {1000, 0.3}, .density = 1};
}

static void stretch_test(const char *law, int confined, double expected, double lateral) {
  for (int k = 0; k < (confined ? N_KINDS : N_FREE_KINDS); k++)
    for (int locking_free = 0; locking_free < 2; locking_free++) {
      if (confined && kinds[k].state == PLANE_STRESS) continue;
      Material m = elastic_law(law);
      Block b;
      block_make(&b, kinds[k], &m, locking_free, 3, 0.2);
      for (int part = 1; part <= 5; part++) { // in steps of a tenth, for Newton's method
        block_stretch(&b, 1 + 0.1 * part, confined);
        cr_assert_geq(body_solve(&b.body, b.fixed, NULL, 1e-13), 0, "%s, kind %d", law, k);
      }
      double p = nominal_stress(&b);
      cr_assert_float_eq(p, expected, 1e-10 * expected, "%s, kind %d, locking free %d: %.12g", law,
                         k, locking_free, p);
      for (int a = 0; a < b.mesh.n_nodes && !confined; a++) {
        double x = b.mesh.x[a * b.mesh.dim + !b.axis];
        cr_assert_float_eq(x + b.body.u[a * b.mesh.dim + !b.axis], lateral * x, 1e-10);
      }
      block_free(&b);
    }
}

// F6. St Venant-Kirchhoff: P = E l (l^2 - 1) / 2 free, (lambda + 2 mu) l (l^2 - 1) / 2 confined.
Test(finite, st_venant_kirchhoff_stretched_by_a_half) {
  double e = 0.5 * (1.5 * 1.5 - 1);
  stretch_test("elastic", 0, 937.5, sqrt(1 - 2 * 0.3 * e));
  cr_assert_float_eq(sqrt(1 - 2 * 0.3 * e), 0.79056942, 1e-8);
  stretch_test("elastic", 1, (1000 * 0.7 / (1.3 * 0.4)) * 1.5 * e, 1);
  cr_assert_float_eq((1000 * 0.7 / (1.3 * 0.4)) * 1.5 * e, 1262.019231, 1e-6);
}

// F6. neo-Hooke free: mu (b^2 - 1) + lambda ln(l b^2) = 0 gives the lateral stretch b.
Test(finite, neo_hooke_stretched_by_a_half) {
  double mu = 1000 / 2.6, lambda = 300 / (1.3 * 0.4), l = 1.5, low = 0.1, high = 1;
  while (high - low > 1e-15) {
    double b = 0.5 * (low + high);
    if (mu * (b * b - 1) + lambda * log(l * b * b) > 0)
      high = b;
    else
      low = b;
  }
  double b = 0.5 * (low + high);
  double free_stress = (mu * (l * l - 1) + lambda * log(l * b * b)) / l;
  double confined = (mu * (l * l - 1) + lambda * log(l)) / l;
  cr_assert_float_eq(free_stress, 378.280176, 1e-6);
  cr_assert_float_eq(confined, 476.460939, 1e-6);
  stretch_test("neo_hooke", 0, free_stress, b);
  stretch_test("neo_hooke", 1, confined, 1);
}

// Tension of a von Mises bar: Kirchhoff stress = yield(a), ln l = stress / E + a, and the section
// shrinks by exp(-2 nu stress / E - a) (additive logarithmic strains are exact on a straight path).
Test(finite, plastic_tension_follows_the_curve_in_logarithmic_strain) {
  Material m;
  for (int s = 0; material_sample(s, &m, NULL); s++) {
    if (strcmp(m.type->name, "j2") != 0 || m.par[material_place(m.type, "hardening")] != 0)
      continue;
    double young = 1000, yield = 20, slope = 50 + m.par[material_place(m.type, "kinematic")];
    for (int k = 0; k < N_FREE_KINDS; k++) {
      Block b;
      block_make(&b, kinds[k], &m, kinds[k].state != PLANE_STRESS, 2, 0.2);
      for (int part = 1; part <= 8; part++) {
        double l = exp(0.03 * part), strain = log(l);
        block_stretch(&b, l, 0);
        cr_assert_geq(body_solve(&b.body, b.fixed, NULL, 1e-12), 0, "kind %d, step %d", k, part);
        double a = (strain * young - yield) / (young + slope), stress = young * (strain - a);
        double p = nominal_stress(&b); // power: stress d ln l = p dl
        cr_assert_float_eq(p, stress / l, 1e-9 * p, "kind %d: %.12g, %.12g", k, p, stress / l);
        body_accept(&b.body);
      }
      FormOutput out;
      b.body.form.type->output(&b.body.form, 0, &b.body.at, &out);
      double a = (0.24 * young - yield) / (young + slope);
      cr_assert_float_eq(out.plastic, a, 1e-10);
      block_free(&b);
    }
  }
}

// Cook's membrane (Cook 1974) in plane strain, nearly incompressible neo-Hooke: deflection of the
// upper right corner over meshes.
static double cook(int n, double poisson, int locking_free) {
  Material m = {.type = material_find("neo_hooke"), .par = {240, poisson}, .density = 1};
  Mesh mesh;
  Body b;
  sample_mesh_patch(&mesh, SHAPE_Q4, n, n, SIZE, 0, 0);
  for (int a = 0; a < mesh.n_nodes; a++) {
    double x = mesh.x[2 * a], y = mesh.x[2 * a + 1];
    mesh.x[2 * a] = 48 * x;
    mesh.x[2 * a + 1] = 44 * x + y * (44 - 28 * x);
  }
  cr_assert_eq(body_make(&b, &mesh, &m, PLANE_STRAIN, locking_free), OK);
  double *load = calloc((size_t)(2 * mesh.n_nodes), sizeof *load);
  char *fixed = calloc((size_t)(2 * mesh.n_nodes), 1);
  cr_assert(load && fixed);
  for (int part = 1; part <= 5; part++) {
    for (int a = 0; a < mesh.n_nodes; a++) {
      if (fabs(mesh.x[2 * a]) < 1e-9) fixed[2 * a] = fixed[2 * a + 1] = 1;
      if (fabs(mesh.x[2 * a] - 48) > 1e-9) continue;
      double y = mesh.x[2 * a + 1];
      int corner = fabs(y - 44) < 1e-9 || fabs(y - 60) < 1e-9;
      load[2 * a + 1] = 0.2 * part * 100 * 0.7 * (corner ? 0.5 : 1) / n; // 100 per thickness
    }
    cr_assert_geq(body_solve(&b, fixed, load, 1e-10), 0, "n = %d, part %d", n, part);
  }
  double tip = b.u[2 * mesh.n_nodes - 1];
  free(load), free(fixed);
  body_free(&b);
  mesh_free(&mesh);
  return tip;
}

Test(finite, mean_dilatation_does_not_lock_when_nearly_incompressible) {
  double bar[3], plain = cook(8, 0.4999, 0);
  for (int k = 0; k < 3; k++) bar[k] = cook(4 << k, 0.4999, 1);
  cr_log_info("Cook's membrane: %g %g %g, locking %g", bar[0], bar[1], bar[2], plain);
  cr_assert_lt(fabs(bar[2] - bar[1]), 0.6 * fabs(bar[1] - bar[0]));
  cr_assert_lt(fabs(bar[2] - bar[1]), 0.04 * bar[2]);
  cr_assert_lt(plain, 0.7 * bar[2]); // locks
}

// A bar of length 4 m of n cubes or squares is pulled apart; the section at one end is 10 % less,
// so that it breaks there. What is lost by area of section, over the fracture energy.
static double crack_energy(ShapeCode shape, int n) {
  const double length = 4, fracture_energy = 0.01;
  Material m = {.type = material_find("damage"), .par = {1e5, 0.2, 10, fracture_energy}};
  int dim = topology_table[shape].dim;
  double side = length / n, lost = 0, end = 12 * fracture_energy / 10;
  const double size[3] = {length, side, side};
  Mesh mesh;
  Body b;
  sample_mesh_patch(&mesh, shape, n, 1, size, 0, 0);
  for (int i = 0; i < mesh.n_nodes * dim; i++)
    if (i % dim && mesh.x[i - i % dim] == 0) mesh.x[i] *= 0.9;
  cr_assert_eq(body_make(&b, &mesh, &m, dim == 2 ? PLANE_STRESS : STRESS_3D, 0), OK);
  char *fixed = calloc((size_t)(mesh.n_nodes * dim), 1);
  cr_assert_not_null(fixed);
  // steps are halved where Newton's method fails: when the first points crack
  double t = 0, step = 1.0 / 600, longest = step;
  while (t < 1) {
    t = fmin(t + step, 1);
    for (int i = 0; i < mesh.n_nodes * dim; i++) {
      int pulled = i % dim == 0 && fabs(mesh.x[i] - length) < 1e-9;
      fixed[i] = pulled || fabs(mesh.x[i]) < 1e-9;
      if (pulled) b.u[i] = end * t * t;
    }
    if (body_solve(&b, fixed, NULL, 1e-6) >= 0) {
      body_accept(&b);
      step = fmin(2 * step, longest);
      continue;
    }
    memcpy(b.u, b.u_old, sizeof *b.u * (size_t)(mesh.n_nodes * dim));
    t -= step;
    step /= 2;
    cr_assert_gt(step, 1e-9, "%d elements, opening %g", n, end * t * t);
  }
  for (int e = 0; e < mesh.n_elems; e++) {
    FormOutput out;
    b.form.type->output(&b.form, e, &b.at, &out);
    lost += out.lost;
  }
  // mean section of the element that breaks: volume over size
  double measure = mesh_elem_measure(&mesh, 0), area = dim == 2 ? 0.7 * sqrt(measure) : 0;
  if (dim == 3) area = measure / cbrt(measure);
  free(fixed);
  body_free(&b);
  mesh_free(&mesh);
  return lost / (fracture_energy * area);
}

// The crack band (Bazant-Oh 1983): the energy does not depend on the size of the elements.
Test(finite, a_crack_costs_its_fracture_energy_whatever_the_mesh) {
  for (int n = 1; n <= 4; n *= 2) {
    double flat = crack_energy(SHAPE_Q4, n), solid = crack_energy(SHAPE_H8, n);
    cr_log_info("%d elements: %g, %g of the fracture energy", n, flat, solid);
    cr_assert_float_eq(flat, 1, 0.01, "%d elements: %g", n, flat);
    cr_assert_float_eq(solid, 1, 0.01, "%d elements: %g", n, solid);
  }
}
