// Properties that every bulk element has: the loops run over element_types, so a new row of the
// table is tested as soon as it is there.
#include <criterion/criterion.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../../support/element_sample.h"
#include "material/material_table.h"

static const double young = 3e9, thickness = 0.7;

// One way to use an element: row of the table, state of stress, with or without B-bar.
typedef struct {
  const ElementType *type;
  ElementSpec spec;
  double d[MAX_STRAINS * MAX_STRAINS];
} Use;

enum { VARIANTS = 3 }; // plain, B-bar, modes that bend

// The k-th use of elements of all kinds; 0 when there are no more.
static int use_number(int k, double nu, Use *use) {
  static const StressState states[2][2] = {{PLANE_STRAIN, PLANE_STRESS}, {STRESS_3D, STRESS_3D}};
  for (int s = 0; s < N_SHAPES; s++) {
    const ElementType *type = element_types[s];
    if (!type) continue;
    int n_states = type->dim == 2 ? 2 : 1;
    if (k >= VARIANTS * n_states) {
      k -= VARIANTS * n_states;
      continue;
    }
    use->type = type;
    use->spec = (ElementSpec){.type = type,
                              .state = states[type->dim == 3][k / VARIANTS],
                              .thickness = thickness,
                              .b_bar = k % VARIANTS == 1,
                              .bending_modes = k % VARIANTS == 2,
                              .d = use->d};
    material_elastic.stiffness((double[]){young, nu}, use->spec.state, use->d);
    return 1;
  }
  return 0;
}

static const char *describe(const Use *use) {
  static const char *const text[][VARIANTS] = {
      {"in space", "in space, B-bar", "in space, modes"},
      {"plane strain", "plane strain, B-bar", "plane strain, modes"},
      {"plane stress", "plane stress, B-bar", "plane stress, modes"}};
  return text[use->spec.state][use->spec.b_bar + 2 * use->spec.bending_modes];
}

// Components of a linear displacement u = G x + c at the nodes.
static const double G[3][3] = {
    {1.1e-3, -0.7e-3, 0.4e-3}, {0.2e-3, -0.9e-3, 0.5e-3}, {-0.3e-3, 0.8e-3, 0.6e-3}};

static void linear_field(int dim, int n_nodes, const double *x, double *u) {
  for (int k = 0; k < n_nodes; k++)
    for (int i = 0; i < dim; i++) {
      double sum = 0.01 * (i + 1);
      for (int j = 0; j < dim; j++) sum += G[i][j] * x[k * dim + j];
      u[k * dim + i] = sum;
    }
}

// Stress of that field by the elastic matrix.
static void linear_stress(const Use *use, double stress[6]) {
  int dim = use->type->dim, m = material_n_strains(use->spec.state);
  double strain[6] = {G[0][0],           G[1][1],           dim == 3 ? G[2][2] : 0,
                      G[0][1] + G[1][0], G[1][2] + G[2][1], G[0][2] + G[2][0]};
  for (int i = 0; i < 6; i++) {
    stress[i] = 0;
    for (int j = 0; i < m && j < m; j++) stress[i] += use->d[i * m + j] * strain[j];
  }
}

static double largest(int n, const double *x) {
  double found = 0;
  for (int k = 0; k < n; k++) found = fmax(found, fabs(x[k]));
  return found;
}

Test(element, table_rows_agree_with_the_topology_of_their_shape) {
  int n = 0;
  for (int s = 0; s < N_SHAPES; s++) {
    const ElementType *type = element_types[s];
    if (!type) continue;
    n++;
    cr_assert_eq((int)type->shape, s);
    cr_assert_str_eq(type->name, topology_table[s].name);
    cr_assert_eq(type->dim, topology_table[s].dim);
    cr_assert_eq(type->n_nodes, topology_table[s].n_nodes);
    cr_assert(type->n_gauss >= 1 && type->n_gauss <= MAX_GAUSS);
  }
  cr_assert_gt(n, 0);
}

Test(element, shape_functions_are_one_at_their_node_and_zero_at_the_others) {
  for (int s = 0; s < N_SHAPES; s++) {
    const ElementType *type = element_types[s];
    if (!type) continue;
    double xi[MAX_ELEM_DOFS], n[MAX_ELEM_NODES], dn[MAX_ELEM_DOFS];
    sample_local_nodes(type->shape, xi);
    for (int k = 0; k < type->n_nodes; k++) {
      double at[3] = {0};
      memcpy(at, xi + k * type->dim, (size_t)type->dim * sizeof *at);
      type->interpolate(at, n, dn);
      for (int j = 0; j < type->n_nodes; j++)
        cr_assert_float_eq(n[j], j == k, 1e-15, "%s", type->name);
    }
  }
}

Test(element, shape_functions_sum_to_one_and_their_derivatives_are_those_of_finite_differences) {
  const double step = 1e-6;
  unsigned seed = 1;
  for (int s = 0; s < N_SHAPES; s++) {
    const ElementType *type = element_types[s];
    for (int point = 0; type && point < 20; point++) {
      double xi[3], n[MAX_ELEM_NODES], dn[MAX_ELEM_DOFS], unused[MAX_ELEM_DOFS], sum = 0;
      for (int i = 0; i < 3; i++) xi[i] = sample_random(&seed);
      type->interpolate(xi, n, dn);
      for (int k = 0; k < type->n_nodes; k++) sum += n[k];
      cr_assert_float_eq(sum, 1, 1e-14, "%s", type->name);
      for (int i = 0; i < type->dim; i++) {
        double low[MAX_ELEM_NODES], high[MAX_ELEM_NODES], derivative_sum = 0, kept = xi[i];
        xi[i] = kept - step;
        type->interpolate(xi, low, unused);
        xi[i] = kept + step;
        type->interpolate(xi, high, unused);
        xi[i] = kept;
        for (int k = 0; k < type->n_nodes; k++) {
          // functions are at most linear in each local coordinate: differences are exact
          double slope = (high[k] - low[k]) / (2 * step);
          cr_assert_float_eq(dn[k * type->dim + i], slope, 1e-9, "%s, function %d, derivative %d",
                             type->name, k, i);
          derivative_sum += dn[k * type->dim + i];
        }
        cr_assert_float_eq(derivative_sum, 0, 1e-15, "%s", type->name);
      }
    }
  }
}

Test(element, weights_sum_to_the_volume_of_the_parent_element) {
  for (int s = 0; s < N_SHAPES; s++) {
    if (!element_types[s]) continue;
    double sum = 0;
    for (int g = 0; g < element_types[s]->n_gauss; g++) sum += element_types[s]->gauss[g][3];
    cr_assert_float_eq(sum, sample_parent_volume((ShapeCode)s), 1e-15, "%s",
                       element_types[s]->name);
  }
}

Test(element, lumped_volumes_are_positive_and_sum_to_the_volume) {
  for (int s = 0; s < N_SHAPES; s++) {
    const ElementType *type = element_types[s];
    if (!type) continue;
    ElementSpec spec = {.type = type, .thickness = thickness};
    double x[MAX_ELEM_DOFS], share[MAX_ELEM_NODES], determinant, sum = 0;
    sample_element(type, 0, x, &determinant);
    element_lumped_volume(&spec, x, share);
    for (int k = 0; k < type->n_nodes; k++) {
      cr_assert_gt(share[k], 0);
      sum += share[k];
    }
    double volume =
        determinant * sample_parent_volume(type->shape) * (type->dim == 2 ? thickness : 1);
    cr_assert_float_eq(sum, volume, 1e-14 * volume, "%s: %.17g, %.17g", type->name, sum, volume);
  }
}

Test(element, lumped_volumes_of_distorted_plane_elements_sum_to_the_area_of_the_polygon) {
  for (int s = 0; s < N_SHAPES; s++) {
    const ElementType *type = element_types[s];
    if (!type || type->dim != 2) continue;
    ElementSpec spec = {.type = type, .thickness = thickness};
    double x[MAX_ELEM_DOFS], share[MAX_ELEM_NODES], sum = 0, area = 0;
    sample_element(type, 0.3, x, NULL);
    element_lumped_volume(&spec, x, share);
    for (int k = 0; k < type->n_nodes; k++) {
      const double *a = x + 2 * k, *b = x + 2 * ((k + 1) % type->n_nodes);
      area += 0.5 * ((a[0] - 10) * (b[1] - 11) - (b[0] - 10) * (a[1] - 11));
      sum += share[k];
    }
    cr_assert_float_eq(sum, thickness * area, 1e-13 * area, "%s", type->name);
  }
}

Test(element, stiffness_is_symmetric_and_positive_semidefinite) {
  Use use;
  unsigned seed = 5;
  for (int k = 0; use_number(k, 0.3, &use); k++) {
    int n = use.type->n_nodes * use.type->dim;
    double x[MAX_ELEM_DOFS], ke[MAX_ELEM_DOFS * MAX_ELEM_DOFS];
    sample_element(use.type, 0.2, x, NULL);
    cr_assert_eq(element_stiffness(&use.spec, x, ke, NULL), OK);
    double scale = largest(n * n, ke);
    for (int i = 0; i < n; i++)
      for (int j = 0; j < i; j++)
        cr_assert_float_eq(ke[i * n + j], ke[j * n + i], 1e-14 * scale, "%s %s", use.type->name,
                           describe(&use));
    for (int sample = 0; sample < 100; sample++) {
      double u[MAX_ELEM_DOFS], energy = 0;
      for (int i = 0; i < n; i++) u[i] = sample_random(&seed);
      for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) energy += u[i] * ke[i * n + j] * u[j];
      cr_assert_geq(energy, -1e-14 * scale, "%s %s", use.type->name, describe(&use));
    }
  }
}

Test(element, rigid_body_modes_cost_no_force) {
  Use use;
  for (int k = 0; use_number(k, 0.3, &use); k++) {
    int dim = use.type->dim, n = use.type->n_nodes * dim, n_rotations = dim == 2 ? 1 : 3;
    double x[MAX_ELEM_DOFS], ke[MAX_ELEM_DOFS * MAX_ELEM_DOFS];
    sample_element(use.type, 0.2, x, NULL);
    cr_assert_eq(element_stiffness(&use.spec, x, ke, NULL), OK);
    double scale = largest(n * n, ke);
    for (int mode = 0; mode < dim + n_rotations; mode++) {
      double r[MAX_ELEM_DOFS] = {0};
      for (int a = 0; a < use.type->n_nodes; a++) {
        if (mode < dim) {
          r[a * dim + mode] = 1;
          continue;
        }
        // rotation in the plane of components i, j about the first node
        int i = (mode - dim) % dim, j = (i + 1) % dim;
        r[a * dim + i] = -(x[a * dim + j] - x[j]);
        r[a * dim + j] = x[a * dim + i] - x[i];
      }
      for (int i = 0; i < n; i++) {
        double force = 0;
        for (int j = 0; j < n; j++) force += ke[i * n + j] * r[j];
        cr_assert_float_eq(force, 0, 1e-12 * scale, "%s %s, mode %d", use.type->name,
                           describe(&use), mode);
      }
    }
  }
}

// Rank of a semidefinite K by elimination from the largest remaining diagonal entry on; K is lost.
static int rank_of(int n, double *ke) {
  const double scale = largest(n * n, ke);
  char used[MAX_ELEM_DOFS] = {0};
  for (int rank = 0;; rank++) {
    int p = -1;
    for (int i = 0; i < n; i++)
      if (!used[i] && (p < 0 || ke[i * n + i] > ke[p * n + p])) p = i;
    if (p < 0 || ke[p * n + p] < 1e-10 * scale) return rank;
    used[p] = 1;
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n && !used[i]; j++)
        if (!used[j]) ke[i * n + j] -= ke[i * n + p] * ke[p * n + j] / ke[p * n + p];
  }
}

// n minus the rigid modes, so no hourglass.
Test(element, has_no_other_mode_without_energy) {
  Use use;
  for (int k = 0; use_number(k, 0.3, &use); k++) {
    int dim = use.type->dim, n = use.type->n_nodes * dim;
    double x[MAX_ELEM_DOFS], ke[MAX_ELEM_DOFS * MAX_ELEM_DOFS];
    sample_element(use.type, 0.2, x, NULL);
    cr_assert_eq(element_stiffness(&use.spec, x, ke, NULL), OK);
    const int rank = rank_of(n, ke);
    cr_assert_eq(rank, n - (dim == 2 ? 3 : 6), "%s %s: rank %d", use.type->name, describe(&use),
                 rank);
  }
}

// F1: a distorted patch whose surface moves linearly takes the linear field and a constant stress.
Test(element, patch_test_is_passed_to_round_off) {
  const double size[3] = {2, 1.5, 1.2};
  Use use;
  for (int k = 0; use_number(k, 0.3, &use); k++) {
    int dim = use.type->dim;
    Patch patch;
    patch_make(&patch, use.type, 3, dim == 2 ? 4 : 2, size, 0.3);
    int n = patch.n_nodes * dim;
    double *stiffness = patch_stiffness(&patch, &use.spec), *f = calloc((size_t)n, sizeof *f),
           *u = calloc((size_t)n, sizeof *u), *exact = calloc((size_t)n, sizeof *exact);
    char *fixed = calloc((size_t)n, 1);
    cr_assert(f && u && exact && fixed);
    linear_field(dim, patch.n_nodes, patch.x, exact);
    for (int i = 0; i < n; i++) {
      fixed[i] = patch.outside[i / dim];
      u[i] = fixed[i] ? exact[i] : 0;
    }
    patch_solve(n, stiffness, fixed, f, u);
    for (int i = 0; i < n; i++)
      cr_assert_float_eq(u[i], exact[i], 1e-14 * 10, "%s %s, unknown %d: %.17g, %.17g",
                         use.type->name, describe(&use), i, u[i], exact[i]);

    double expected[6];
    linear_stress(&use, expected);
    for (int e = 0; e < patch.n_elems; e++) {
      double x[MAX_ELEM_DOFS], ue[MAX_ELEM_DOFS], stress[6];
      for (int a = 0; a < use.type->n_nodes; a++)
        for (int i = 0; i < dim; i++) {
          int node = patch.node[e * use.type->n_nodes + a];
          x[a * dim + i] = patch.x[node * dim + i];
          ue[a * dim + i] = u[node * dim + i];
        }
      element_stress(&use.spec, x, ue, stress);
      for (int i = 0; i < 6; i++)
        cr_assert_float_eq(stress[i], expected[i], 1e-11 * largest(6, expected),
                           "%s %s, element %d: component %d is %.15g, not %.15g", use.type->name,
                           describe(&use), e, i, stress[i], expected[i]);
    }
    free(stiffness), free(f), free(u), free(exact), free(fixed);
    patch_free(&patch);
  }
}

Test(element, nodal_forces_of_a_constant_stress_balance_and_do_its_work) {
  // virtual work: u . K u = V sigma : eps for the linear field, with or without B-bar
  Use use;
  for (int k = 0; use_number(k, 0.3, &use); k++) {
    int dim = use.type->dim, n = use.type->n_nodes * dim;
    double x[MAX_ELEM_DOFS], u[MAX_ELEM_DOFS], ke[MAX_ELEM_DOFS * MAX_ELEM_DOFS], stress[6];
    double share[MAX_ELEM_NODES], volume = 0, energy = 0, force[3] = {0};
    sample_element(use.type, 0.2, x, NULL);
    linear_field(dim, use.type->n_nodes, x, u);
    cr_assert_eq(element_stiffness(&use.spec, x, ke, NULL), OK);
    element_lumped_volume(&use.spec, x, share);
    for (int a = 0; a < use.type->n_nodes; a++) volume += share[a];
    linear_stress(&use, stress);
    double work = stress[0] * G[0][0] + stress[1] * G[1][1] + stress[3] * (G[0][1] + G[1][0]);
    if (dim == 3)
      work +=
          stress[2] * G[2][2] + stress[4] * (G[1][2] + G[2][1]) + stress[5] * (G[0][2] + G[2][0]);
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++) {
        energy += u[i] * ke[i * n + j] * u[j];
        force[i % dim] += ke[i * n + j] * u[j];
      }
    // the field holds a large translation: round-off is relative to K u0
    cr_assert_float_eq(energy, volume * work, 1e-9 * volume * work, "%s %s: %g, %g", use.type->name,
                       describe(&use), energy, volume * work);
    for (int i = 0; i < dim; i++)
      cr_assert_float_eq(force[i], 0, 1e-12 * largest(n * n, ke) * largest(n, u));
  }
}

Test(element, an_element_inside_out_or_flat_is_an_error_that_names_the_point) {
  Use use;
  for (int k = 0; use_number(k, 0.3, &use); k++) {
    int dim = use.type->dim;
    double x[MAX_ELEM_DOFS], ke[MAX_ELEM_DOFS * MAX_ELEM_DOFS];
    Err err = {0};
    sample_element(use.type, 0, x, NULL);
    for (int a = 0; a < use.type->n_nodes; a++) x[a * dim] = -x[a * dim]; // mirrored
    cr_assert_eq(element_stiffness(&use.spec, x, ke, &err), ERR_NUMERIC);
    cr_assert_not_null(strstr(err.text, "integration point 1 of a"), "%s", err.text);
    cr_assert_not_null(strstr(err.text, use.type->name), "%s", err.text);
    for (int a = 0; a < use.type->n_nodes; a++) x[a * dim] = 1; // flat
    cr_assert_eq(element_stiffness(&use.spec, x, ke, &err), ERR_NUMERIC);
    x[0] = (double)NAN;
    cr_assert_eq(element_stiffness(&use.spec, x, ke, &err), ERR_NUMERIC);
  }
}

// Energy of u_x = x y on the regular parent: its dilatation y has mean zero.
static double bending_energy(const Use *use) {
  int dim = use->type->dim, n = use->type->n_nodes * dim;
  double x[MAX_ELEM_DOFS], u[MAX_ELEM_DOFS] = {0}, ke[MAX_ELEM_DOFS * MAX_ELEM_DOFS], energy = 0;
  sample_local_nodes(use->type->shape, x);
  for (int a = 0; a < use->type->n_nodes; a++) u[a * dim] = x[a * dim] * x[a * dim + 1];
  cr_assert_eq(element_stiffness(&use->spec, x, ke, NULL), OK);
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) energy += u[i] * ke[i * n + j] * u[j];
  return energy;
}

Test(element, b_bar_keeps_bending_soft_when_nearly_incompressible_and_nothing_else_does) {
  Use soft, stiff;
  for (int k = 0; use_number(k, 0.3, &soft); k++) {
    if (soft.spec.state == PLANE_STRESS || soft.type->n_gauss == 1) continue;
    cr_assert(use_number(k, 0.4999999, &stiff));
    double ratio = bending_energy(&stiff) / bending_energy(&soft);
    if (soft.spec.b_bar || soft.spec.bending_modes)
      cr_assert_lt(ratio, 2, "%s %s: %g", soft.type->name, describe(&soft), ratio);
    else
      cr_assert_gt(ratio, 1e5, "%s %s: %g", soft.type->name, describe(&soft), ratio);
  }
}

Test(element, b_bar_changes_nothing_in_plane_stress) {
  Use plain, bar;
  for (int k = 0; use_number(k, 0.3, &plain); k += VARIANTS) {
    if (plain.spec.state != PLANE_STRESS) continue;
    cr_assert(use_number(k + 1, 0.3, &bar));
    double x[MAX_ELEM_DOFS], a[MAX_ELEM_DOFS * MAX_ELEM_DOFS], b[MAX_ELEM_DOFS * MAX_ELEM_DOFS];
    int n = plain.type->n_nodes * plain.type->dim;
    sample_element(plain.type, 0.2, x, NULL);
    cr_assert_eq(element_stiffness(&plain.spec, x, a, NULL), OK);
    cr_assert_eq(element_stiffness(&bar.spec, x, b, NULL), OK);
    cr_assert_arr_eq(a, b, (size_t)(n * n) * sizeof *a);
  }
}

// A rectangle or a box in pure bending takes the energy of the beam, however slender; without the
// modes it is held by shear: (1 + aspect^2 (1 - nu) / 2) / (1 - nu^2) times in plane stress.
Test(element, modes_bend_as_a_beam_does) {
  static const double aspects[] = {1, 4, 30};
  Use use;
  for (int k = 0; use_number(k, 0.3, &use); k++) {
    if (use.spec.state == PLANE_STRAIN || use.type->n_gauss == 1 || use.spec.b_bar) continue;
    for (int a = 0; a < 3; a++) {
      int dim = use.type->dim, n = use.type->n_nodes * dim;
      double half = 0.5 * aspects[a], depth = dim == 3 ? 0.8 : thickness, nu = 0.3, energy = 0;
      double x[MAX_ELEM_DOFS], u[MAX_ELEM_DOFS], ke[MAX_ELEM_DOFS * MAX_ELEM_DOFS];
      static const double corner[4][2] = {{-1, -1}, {1, -1}, {1, 1}, {-1, 1}};
      for (int i = 0; i < use.type->n_nodes; i++) {
        double *at = x + i * dim, *v = u + i * dim, z = (i / 4 - 0.5) * depth;
        at[0] = half * corner[i % 4][0];
        at[1] = 0.5 * corner[i % 4][1];
        v[0] = at[0] * at[1];
        v[1] = -0.5 * (at[0] * at[0] + nu * at[1] * at[1] - (dim == 3 ? nu * z * z : 0));
        if (dim == 3) {
          at[2] = z;
          v[2] = -nu * at[1] * z;
        }
      }
      cr_assert_eq(element_stiffness(&use.spec, x, ke, NULL), OK);
      for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) energy += u[i] * ke[i * n + j] * u[j];
      double beam = young * depth / 12 * 2 * half; // curvature 1, height 1
      if (use.spec.bending_modes)
        cr_assert_float_eq(energy, beam, 1e-9 * beam, "%s %s, aspect %g: %g", use.type->name,
                           describe(&use), aspects[a], energy / beam);
      else
        cr_assert_gt(energy, (1 + 0.3 * aspects[a] * aspects[a]) * beam);
    }
  }
}

// ---- axisymmetric -------------------------------------------------------------------------------

static int ring_number(int k, Use *use) {
  const ElementType *const types[] = {element_types[SHAPE_T3], element_types[SHAPE_Q4]};
  if (k >= 4) return 0;
  use->type = types[k / 2];
  use->spec = (ElementSpec){.type = use->type, .state = AXISYMMETRIC, .b_bar = k % 2, .d = use->d};
  material_elastic.stiffness((double[]){young, 0.3}, AXISYMMETRIC, use->d);
  return 1;
}

Test(element, rings_hold_the_volume_of_pappus) {
  Use use;
  for (int k = 0; ring_number(k, &use); k++) {
    double x[MAX_ELEM_DOFS], share[MAX_ELEM_NODES], sum = 0, moment = 0;
    sample_element(use.type, 0.2, x, NULL);
    element_lumped_volume(&use.spec, x, share);
    for (int a = 0; a < use.type->n_nodes; a++) {
      const double *p = x + 2 * a, *q = x + 2 * ((a + 1) % use.type->n_nodes);
      moment += (p[0] * q[1] - q[0] * p[1]) * (p[0] + q[0]) / 6; // integral of r over the section
      sum += share[a];
      cr_assert_gt(share[a], 0);
    }
    cr_assert_float_eq(sum, 2 * acos(-1) * moment, 1e-12 * sum);
  }
}

Test(element, rings_move_freely_along_the_axis_and_in_no_other_way) {
  Use use;
  for (int k = 0; ring_number(k, &use); k++) {
    int n = use.type->n_nodes * 2;
    double x[MAX_ELEM_DOFS], ke[MAX_ELEM_DOFS * MAX_ELEM_DOFS];
    sample_element(use.type, 0.2, x, NULL);
    cr_assert_eq(element_stiffness(&use.spec, x, ke, NULL), OK);
    double scale = largest(n * n, ke);
    for (int i = 0; i < n; i++) {
      double along = 0;
      for (int j = 1; j < n; j += 2) along += ke[i * n + j];
      cr_assert_float_eq(along, 0, 1e-13 * scale);
    }
    const int rank = rank_of(n, ke);
    cr_assert_eq(rank, n - 1, "%s, B-bar %d: rank %d", use.type->name, use.spec.b_bar, rank);
  }
}

Test(element, rings_show_the_stress_of_a_uniform_expansion) {
  Use use;
  for (int k = 0; ring_number(k, &use); k++) {
    double x[MAX_ELEM_DOFS], u[MAX_ELEM_DOFS], stress[6];
    sample_element(use.type, 0.2, x, NULL);
    for (int i = 0; i < 2 * use.type->n_nodes; i++) u[i] = (i % 2 ? -2e-3 : 1e-3) * x[i];
    element_stress(&use.spec, x, u, stress);
    // strains 1e-3, -2e-3, hoop 1e-3: their sum is 0
    double shear = young / 2.6;
    cr_assert_float_eq(stress[0], 2 * shear * 1e-3, 1e-9 * shear);
    cr_assert_float_eq(stress[1], -2 * shear * 2e-3, 1e-9 * shear);
    cr_assert_float_eq(stress[2], 2 * shear * 1e-3, 1e-9 * shear);
  }
}

Test(element, a_ring_across_the_axis_is_an_error) {
  Use use;
  Err err = {0};
  cr_assert(ring_number(2, &use));
  const double x[8] = {-1, 0, 1, 0, 1, 1, -1, 1};
  double ke[64];
  cr_assert_eq(element_stiffness(&use.spec, x, ke, &err), ERR_NUMERIC);
  cr_assert_not_null(strstr(err.text, "radius not positive"), "%s", err.text);
}
