#include <criterion/criterion.h>

#include <math.h>
#include <string.h>

#include "body/prototype.h"
#include "mesh/generate.h"

static Material stone(void) {
  return (Material){.name = "stone",
                    .type = material_find("elastic"),
                    .par = {1e6, 0.25},
                    .density = 2000,
                    .damping_mass = 2,
                    .damping_stiffness = 1e-4};
}

static Mesh block(double width, double height, int nx, int ny, const char *pattern) {
  Mesh mesh = {0};
  Err err = {0};
  cr_assert_eq(mesh_rectangle(&mesh, width, height, nx, ny, pattern, &err), OK, "%s", err.text);
  return mesh;
}

static PrototypeSpec spec_of(const Mesh *mesh, const Material *material) {
  return (PrototypeSpec){
      .mesh = mesh, .material = material, .state = PLANE_STRAIN, .thickness = 0.5};
}

static Prototype made(const PrototypeSpec *spec) {
  Prototype p;
  Err err = {0};
  cr_assert_eq(prototype_init(&p, spec, &err), OK, "%s", err.text);
  return p;
}

static const PrototypeStep *step_of(const Prototype *p, PrototypeFactors *factors, double h,
                                    double theta) {
  const PrototypeStep *step = NULL;
  Err err = {0};
  cr_assert_eq(prototype_step(p, factors, h, theta, &step, &err), OK, "%s", err.text);
  return step;
}

// A square and a triangle beside it: mass, centre, and the energy of any uniform strain.
Test(prototype, of_elements_of_several_shapes_is_a_body) {
  static const double x[5][2] = {{0, 0}, {1, 0}, {1, 1}, {0, 1}, {2, 0}};
  static const int32_t node[7] = {0, 1, 2, 3, 1, 4, 2};
  for (int first = 0; first < 2; first++) { // which shape comes first
    Material material = stone();
    Mesh mesh;
    Err err = {0};
    cr_assert_eq(mesh_init(&mesh, 2, 5, 2, 7, &err), OK);
    memcpy(mesh.x, x, sizeof x);
    for (int e = 0; e < 2; e++) {
      int square = e == first, n = square ? 4 : 3;
      mesh.elem_shape[e] = square ? SHAPE_Q4 : SHAPE_T3;
      for (int k = 0; k < n; k++) mesh.elem_node[mesh.elem_ptr[e] + k] = node[k + (square ? 0 : 4)];
      mesh.elem_ptr[e + 1] = mesh.elem_ptr[e] + n;
    }
    PrototypeSpec spec = spec_of(&mesh, &material);
    Prototype p = made(&spec);
    cr_assert_float_eq(p.total_mass, 2000 * 1.5 * 0.5, 1e-9);
    for (int mode = 0; mode < 3; mode++) { // e11, e22, g12
      double u[10], f[10], energy = 0;
      for (int k = 0; k < 5; k++) {
        u[2 * k] = mode == 0 ? x[k][0] : mode == 2 ? x[k][1] : 0;
        u[2 * k + 1] = mode == 1 ? x[k][1] : 0;
      }
      sparse_multiply(&p.stiffness, 1, u, f);
      for (int i = 0; i < 10; i++) energy += 0.5 * u[i] * f[i];
      double modulus = mode == 2 ? 1e6 / 2.5 : 1e6 * 0.75 / (1.25 * 0.5);
      cr_assert_float_eq(energy, 0.5 * modulus * 1.5 * 0.5, 1e-6, "%d: %g", mode, energy);
    }
    prototype_free(&p);
    mesh_free(&mesh);
  }
}

Test(prototype, mass_and_centre_are_those_of_the_block) {
  static const char *const patterns[2] = {"t3_right", "q4"};
  Material material = stone();
  for (int k = 0; k < 2; k++) {
    Mesh mesh = block(0.6, 0.4, 3, 2, patterns[k]);
    PrototypeSpec spec = spec_of(&mesh, &material);
    Prototype p = made(&spec);
    double sum = 0;
    for (int i = 0; i < mesh.n_nodes; i++) sum += p.mass[i];
    cr_assert_float_eq(p.total_mass, 2000 * 0.6 * 0.4 * 0.5, 1e-10);
    cr_assert_float_eq(sum, p.total_mass, 1e-10);
    cr_assert_float_eq(p.center[0], 0.3, 0.4 * 0.6 / 6); // t3_right lumps unevenly
    cr_assert_float_eq(p.center[1], 0.2, 0.4 * 0.4 / 6);
    if (k == 1) cr_assert(fabs(p.center[0] - 0.3) < 1e-14 && fabs(p.center[1] - 0.2) < 1e-14);
    prototype_free(&p);
    mesh_free(&mesh);
  }
}

Test(prototype, stiffness_is_symmetric_and_feels_no_rigid_motion) {
  Material material = stone();
  Mesh mesh = block(0.6, 0.4, 3, 2, "q4");
  PrototypeSpec spec = spec_of(&mesh, &material);
  Prototype p = made(&spec);
  const Sparse *k = &p.stiffness;
  double largest = 0;
  for (int64_t e = 0; e < k->ptr[k->n]; e++) largest = fmax(largest, fabs(k->val[e]));
  for (int i = 0; i < k->n; i++)
    for (int64_t e = k->ptr[i]; e < k->ptr[i + 1]; e++)
      cr_assert_float_eq(k->val[e], k->val[sparse_find(k, k->col[e], i)], 1e-12 * largest);
  for (int mode = 0; mode < 3; mode++) {
    double u[100], f[100];
    cr_assert_leq(p.n_dofs, 100);
    for (int i = 0; i < mesh.n_nodes; i++) {
      u[2 * i] = mode == 0 ? 1 : mode == 1 ? 0 : -mesh.x[2 * i + 1];
      u[2 * i + 1] = mode == 0 ? 0 : mode == 1 ? 1 : mesh.x[2 * i];
    }
    sparse_multiply(k, 1, u, f);
    for (int i = 0; i < p.n_dofs; i++)
      cr_assert_float_eq(f[i], 0, 1e-11 * largest, "mode %d, row %d: %g", mode, i, f[i]);
  }
  prototype_free(&p);
  mesh_free(&mesh);
}

Test(prototype, matches_what_is_equal_and_nothing_else) {
  Material material = stone(), other = stone();
  Mesh mesh = block(0.6, 0.4, 2, 2, "q4"), same = block(0.6, 0.4, 2, 2, "q4"),
       close = block(0.6, 0.4, 2, 2, "q4"), longer = block(0.6 * (1 + 1e-9), 0.4, 2, 2, "q4"),
       finer = block(0.6, 0.4, 3, 2, "q4"), cut = block(0.6, 0.4, 2, 2, "t3_right");
  close.x[0] += 1e-14; // round-off of a generator
  PrototypeSpec spec = spec_of(&mesh, &material), with = spec;
  Prototype p = made(&spec);
  cr_assert(prototype_matches(&p, &spec));
  const Mesh *const alike[2] = {&same, &close}, *const unlike[3] = {&longer, &finer, &cut};
  for (int k = 0; k < 2; k++) {
    with.mesh = alike[k];
    cr_assert(prototype_matches(&p, &with), "mesh %d", k);
  }
  for (int k = 0; k < 3; k++) {
    with.mesh = unlike[k];
    cr_assert_not(prototype_matches(&p, &with), "mesh %d", k);
  }
  with = spec;
  with.material = &other; // equal numbers, another material: the user may mean to change one
  cr_assert_not(prototype_matches(&p, &with));
  with = spec;
  with.state = PLANE_STRESS;
  cr_assert_not(prototype_matches(&p, &with));
  with = spec;
  with.thickness = 1;
  cr_assert_not(prototype_matches(&p, &with));
  with = spec;
  with.b_bar = 1;
  cr_assert_not(prototype_matches(&p, &with));
  prototype_free(&p);
  Mesh *const all[6] = {&mesh, &same, &close, &longer, &finer, &cut};
  for (int k = 0; k < 6; k++) mesh_free(all[k]);
}

Test(prototype, matches_only_with_the_same_prescribed_unknowns) {
  Material material = stone();
  Mesh mesh = block(0.6, 0.4, 1, 1, "q4");
  uint8_t fixed[8] = {1, 1, 0, 0, 0, 0, 0, 0}, others[8] = {0, 0, 1, 1, 0, 0, 0, 0};
  PrototypeSpec none = spec_of(&mesh, &material), one = none, two = none;
  one.fixed = fixed;
  two.fixed = others;
  Prototype free_one = made(&none), held = made(&one);
  cr_assert_not(prototype_matches(&free_one, &one));
  cr_assert_not(prototype_matches(&held, &none));
  cr_assert_not(prototype_matches(&held, &two));
  cr_assert(prototype_matches(&held, &one));
  fixed[2] = 1; // the prototype has its own copy
  cr_assert_not(prototype_matches(&held, &one));
  prototype_free(&free_one);
  prototype_free(&held);
  mesh_free(&mesh);
}

// Compliance block entry between skin nodes i, j.
static double entry(const Prototype *p, const PrototypeStep *step, int i, int k, int j, int l) {
  return step->compliance[((size_t)i * p->skin.n_nodes + j) * 4 + 2 * k + l];
}

Test(prototype, compliance_is_symmetric_and_inverts_the_matrix_of_the_step) {
  Material material = stone();
  static const int cells[2] = {2, 7}; // dense inverse, sparse factor
  for (int size = 0; size < 2; size++) {
    Mesh mesh = block(0.6, 0.4, cells[size], cells[size], "t3_right");
    PrototypeSpec spec = spec_of(&mesh, &material);
    Prototype p = made(&spec);
    PrototypeFactors factors = {0};
    double h = 2e-3, theta = 0.7, largest = 0;
    const PrototypeStep *step = step_of(&p, &factors, h, theta);
    int n = p.skin.n_nodes;
    for (int i = 0; i < n; i++) largest = fmax(largest, entry(&p, step, i, 0, i, 0));
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++)
        for (int k = 0; k < 4; k++)
          cr_assert_float_eq(entry(&p, step, i, k / 2, j, k % 2),
                             entry(&p, step, j, k % 2, i, k / 2), 1e-12 * largest);
    // w f is the solution: multiply it back, row by row from the definition (J36).
    double f[256] = {0}, x[256], back[256];
    cr_assert_leq(p.n_dofs, 256);
    int first = p.skin.node[0];
    f[2 * first] = 3;
    f[2 * first + 1] = -1;
    Err err = {0};
    cr_assert_eq(spd_apply(step->w, 1, f, x, &err), OK);
    sparse_multiply(&p.stiffness, 1, x, back);
    for (int i = 0; i < p.n_dofs; i++) {
      double m = p.mass[i / 2], a = material.damping_mass, b = material.damping_stiffness;
      double left =
          (1 + h * theta * a) * m * x[i] + (h * theta * b + h * h * theta * theta) * back[i];
      cr_assert_float_eq(left, f[i], 1e-10, "%d cells, row %d: %g", cells[size], i, left);
    }
    for (int j = 0; j < n; j++)
      for (int k = 0; k < 2; k++)
        cr_assert_float_eq(3 * entry(&p, step, j, k, 0, 0) - entry(&p, step, j, k, 0, 1),
                           x[2 * p.skin.node[j] + k], 1e-11 * largest);
    prototype_factors_free(&factors);
    prototype_free(&p);
    mesh_free(&mesh);
  }
}

Test(prototype, an_impulse_moves_the_centre_of_mass_as_if_the_block_were_rigid) {
  // Sum of M w f = f / (1 + h theta a): damping_mass brakes, the stiffness sums to nothing.
  Material material = stone();
  Mesh mesh = block(0.6, 0.4, 2, 2, "q4");
  PrototypeSpec spec = spec_of(&mesh, &material);
  Prototype p = made(&spec);
  PrototypeFactors factors = {0};
  double h = 1e-2, theta = 1;
  const PrototypeStep *step = step_of(&p, &factors, h, theta);
  double f[18] = {0}, v[18], momentum[2] = {0};
  f[0] = 5;
  f[17] = -2;
  Err err = {0};
  cr_assert_eq(spd_apply(step->w, 1, f, v, &err), OK);
  for (int k = 0; k < 18; k++) momentum[k % 2] += p.mass[k / 2] * v[k];
  cr_assert_float_eq(momentum[0], 5 / (1 + h * theta * 2), 1e-10);
  cr_assert_float_eq(momentum[1], -2 / (1 + h * theta * 2), 1e-10);
  prototype_factors_free(&factors);
  prototype_free(&p);
  mesh_free(&mesh);
}

Test(prototype, fixed_unknowns_have_no_compliance_and_free_ones_are_stiffer_for_it) {
  Material material = stone();
  Mesh mesh = block(0.6, 0.4, 2, 2, "q4");
  uint8_t fixed[18] = {0};
  for (int k = 0; k < mesh.n_nodes; k++)
    if (mesh.x[2 * k + 1] == 0) fixed[2 * k] = fixed[2 * k + 1] = 1;
  PrototypeSpec spec = spec_of(&mesh, &material), held_spec = spec;
  held_spec.fixed = fixed;
  Prototype p = made(&spec), held = made(&held_spec);
  PrototypeFactors factors = {0}, held_factors = {0};
  const PrototypeStep *step = step_of(&p, &factors, 1e-2, 0.5),
                      *held_step = step_of(&held, &held_factors, 1e-2, 0.5);
  int n = p.skin.n_nodes, n_fixed = 0;
  for (int i = 0; i < n; i++)
    for (int k = 0; k < 2; k++) {
      int is_fixed = fixed[2 * p.skin.node[i] + k];
      n_fixed += is_fixed;
      for (int j = 0; j < n && is_fixed; j++)
        for (int l = 0; l < 2; l++) {
          cr_assert_eq(entry(&held, held_step, i, k, j, l), 0);
          cr_assert_eq(entry(&held, held_step, j, l, i, k), 0);
        }
      if (!is_fixed) cr_assert_lt(entry(&held, held_step, i, k, i, k), entry(&p, step, i, k, i, k));
    }
  cr_assert_eq(n_fixed, 6);
  prototype_factors_free(&factors);
  prototype_factors_free(&held_factors);
  prototype_free(&p);
  prototype_free(&held);
  mesh_free(&mesh);
}

Test(prototype, keeps_its_steps_and_drops_the_oldest_when_there_are_too_many) {
  Material material = stone();
  Mesh mesh = block(0.6, 0.4, 1, 1, "q4");
  PrototypeSpec spec = spec_of(&mesh, &material);
  Prototype p = made(&spec);
  PrototypeFactors factors = {0};
  int64_t live = 0;
  for (int k = 1; k <= MAX_PROTOTYPE_STEPS; k++) {
    cr_assert_eq(step_of(&p, &factors, 1e-3 * k, 0.5)->h, 1e-3 * k);
    cr_assert_eq(factors.n_steps, k);
  }
  live = mem_live_blocks();
  int64_t calls = mem_total_calls();
  for (int k = 1; k <= MAX_PROTOTYPE_STEPS; k++)
    cr_assert_eq(step_of(&p, &factors, 1e-3 * k, 0.5), &factors.step[k - 1]);
  cr_assert_eq(mem_total_calls(), calls); // nothing is factorised twice
  cr_assert_neq(step_of(&p, &factors, 1e-3, 0.75), &factors.step[0]);
  cr_assert_eq(factors.n_steps, MAX_PROTOTYPE_STEPS);
  cr_assert_eq(mem_live_blocks(), live); // the one dropped was freed
  cr_assert_eq(factors.step[0].h, 2e-3);
  calls = mem_total_calls();
  cr_assert_eq(step_of(&p, &factors, 2e-3, 0.5), &factors.step[0]);
  cr_assert_eq(mem_total_calls(), calls);
  step_of(&p, &factors, 1e-3, 0.5); // gone, made again
  cr_assert_gt(mem_total_calls(), calls);
  cr_assert_eq(factors.step[0].h, 3e-3);
  prototype_factors_free(&factors);
  prototype_free(&p);
  mesh_free(&mesh);
}

Test(prototype, says_out_of_memory_wherever_it_happens_and_stays_usable) {
  Material material = stone();
  Mesh mesh = block(0.6, 0.4, 2, 2, "q4");
  PrototypeSpec spec = spec_of(&mesh, &material);
  int64_t before = mem_live_blocks();
  int n_failed = 0;
  for (int n = 1;; n++) {
    Prototype p;
    Err err = {0};
    mem_fail_after(n);
    Status status = prototype_init(&p, &spec, &err);
    mem_fail_after(0);
    prototype_free(&p);
    cr_assert_eq(mem_live_blocks(), before, "allocation %d of the prototype", n);
    if (status == OK) break;
    cr_assert_eq(status, ERR_SYSTEM, "%s", err.text);
    n_failed++;
  }
  Prototype p = made(&spec);
  PrototypeFactors factors = {0};
  before = mem_live_blocks();
  for (int n = 1;; n++) {
    const PrototypeStep *step;
    Err err = {0};
    mem_fail_after(n);
    Status status = prototype_step(&p, &factors, 1e-3, 0.5, &step, &err);
    mem_fail_after(0);
    if (status == OK) break;
    cr_assert_eq(status, ERR_SYSTEM, "%s", err.text);
    cr_assert_eq(factors.n_steps, 0);
    cr_assert_eq(mem_live_blocks(), before, "allocation %d of the step", n);
    n_failed++;
  }
  cr_assert_gt(n_failed, 15);
  prototype_factors_free(&factors);
  prototype_free(&p);
  mesh_free(&mesh);
}

Test(prototype, of_an_inverted_element_says_which) {
  Material material = stone();
  Mesh mesh = block(0.6, 0.4, 2, 1, "q4");
  mesh.x[2 * 2] = -1; // lower right corner beyond the left side
  PrototypeSpec spec = spec_of(&mesh, &material);
  Prototype p;
  Err err = {0};
  cr_assert_neq(prototype_init(&p, &spec, &err), OK);
  cr_assert(strstr(err.text, "element 2"), "%s", err.text);
  prototype_free(&p);
  mesh_free(&mesh);
}
