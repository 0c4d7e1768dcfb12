#include <criterion/criterion.h>

#include <math.h>

#include "base/mat3.h"
#include "body/body.h"
#include "mesh/generate.h"
#include "mesh/skin.h"

static const Material STONE = {.density = 3};

// What rigid_init makes of a mesh whose nodes are turned by Cayley's map of w and moved.
static RigidBody rigid_of(Mesh *mesh, const double w[3]) {
  const double move[3] = {5, -7, 2};
  RigidBody rigid;
  Skin skin;
  Err err = {0};
  double q[9];
  mat3_cayley(w, q);
  for (int k = 0; k < mesh->n_nodes; k++) {
    double x[3] = {mesh->x[3 * k], mesh->x[3 * k + 1], mesh->x[3 * k + 2]};
    mat3_apply(q, x, mesh->x + 3 * (size_t)k);
    for (int i = 0; i < 3; i++) mesh->x[3 * k + i] += move[i];
  }
  cr_assert_eq(skin_build(&skin, mesh, &err), OK, "%s", err.text);
  const RigidSpec spec = {.mesh = mesh, .skin = &skin, .material = &STONE, .thickness = 1};
  cr_assert_eq(rigid_init(&rigid, &spec, &err), OK, "%s", err.text);
  for (int i = 0; i < 3; i++) rigid.center[i] -= move[i];
  skin_free(&skin);
  return rigid;
}

// Q J Q^T
static void turned(const double w[3], const double own[9], double tensor[9]) {
  double q[9], half[9], back[9];
  mat3_cayley(w, q);
  for (int i = 0; i < 9; i++) back[i] = q[3 * (i % 3) + i / 3];
  mat3_multiply(q, own, half);
  mat3_multiply(half, back, tensor);
}

static void expect_tensor(const RigidBody *rigid, const double expected[9], const char *what) {
  double largest = fmax(expected[0], fmax(expected[4], expected[8]));
  for (int i = 0; i < 9; i++)
    cr_expect_float_eq(rigid->space.inertia[i], expected[i], 1e-13 * largest, "%s, %d: %.17g %.17g",
                       what, i, rigid->space.inertia[i], expected[i]);
}

Test(rigid_mass, box_has_its_inertia_on_any_mesh_and_turned) {
  static const int cells[3][3] = {{1, 1, 1}, {3, 1, 2}, {2, 4, 1}};
  static const double size[3] = {3, 1, 0.5}, w[3][3] = {{0, 0, 0}, {1, 0, 0}, {0.3, -1.2, 0.7}};
  const double mass = 3 * 3 * 0.5;
  for (int k = 0; k < 9; k++) {
    Mesh mesh;
    double own[9] = {0}, expected[9], middle[3] = {1.5, 0.5, 0.25}, center[3], q[9];
    cr_assert_eq(mesh_box(&mesh, size, cells[k % 3], NULL), OK);
    RigidBody rigid = rigid_of(&mesh, w[k / 3]);
    for (int i = 0; i < 3; i++)
      own[4 * i] = mass / 12 *
                   (size[(i + 1) % 3] * size[(i + 1) % 3] + size[(i + 2) % 3] * size[(i + 2) % 3]);
    turned(w[k / 3], own, expected);
    mat3_cayley(w[k / 3], q);
    mat3_apply(q, middle, center);
    expect_tensor(&rigid, expected, "box");
    cr_expect_float_eq(rigid.mass, mass, 1e-13 * mass);
    for (int i = 0; i < 3; i++) cr_expect_float_eq(rigid.center[i], center[i], 1e-13 * 7);
    rigid_free(&rigid);
    mesh_free(&mesh);
  }
}

// About its centre a tetrahedron has the second moments m / 20 times those of its corners.
Test(rigid_mass, tetrahedron_has_its_inertia) {
  static const double corner[4][3] = {{0, 0, 0}, {2, 0.1, 0}, {0.3, 1, 0.2}, {0.5, 0.4, 3}};
  static const double w[2][3] = {{0, 0, 0}, {-0.4, 0.9, 1.7}};
  for (int k = 0; k < 2; k++) {
    Mesh mesh;
    cr_assert_eq(mesh_init(&mesh, 3, 4, 1, 4, NULL), OK);
    double center[3] = {0}, side[3][3], second[9] = {0}, own[9], expected[9];
    mesh.elem_shape[0] = SHAPE_T4;
    mesh.elem_ptr[1] = 4;
    for (int c = 0; c < 4; c++) {
      mesh.elem_node[c] = c;
      for (int i = 0; i < 3; i++) {
        mesh.x[3 * c + i] = corner[c][i];
        center[i] += corner[c][i] / 4;
        if (c > 0) side[c - 1][i] = corner[c][i] - corner[0][i];
      }
    }
    double mass = 3 * vec3_det(side[0], side[1], side[2]) / 6;
    for (int c = 0; c < 4; c++)
      for (int i = 0; i < 9; i++)
        second[i] +=
            mass / 20 * (corner[c][i / 3] - center[i / 3]) * (corner[c][i % 3] - center[i % 3]);
    for (int i = 0; i < 9; i++)
      own[i] = (i % 4 == 0 ? second[0] + second[4] + second[8] : 0) - second[i];
    RigidBody rigid = rigid_of(&mesh, w[k]);
    turned(w[k], own, expected);
    expect_tensor(&rigid, expected, "tetrahedron");
    cr_expect_float_eq(rigid.mass, mass, 1e-13 * mass);
    rigid_free(&rigid);
    mesh_free(&mesh);
  }
}

// A hexahedron with warped faces: by three Gauss points along each direction, which are exact for
// x x^T det of its map.
Test(rigid_mass, warped_hexahedron_has_its_inertia) {
  static const int one[3] = {1, 1, 1};
  static const double size[3] = {2, 1, 1}, w[3] = {0, 0, 0};
  const double place[3] = {-sqrt(0.6), 0, sqrt(0.6)}, weight[3] = {5.0 / 9, 8.0 / 9, 5.0 / 9};
  Mesh mesh;
  cr_assert_eq(mesh_box(&mesh, size, one, NULL), OK);
  for (int k = 0; k < 24; k++) mesh.x[k] += 0.15 * sin(3.0 * k + 1);
  double volume = 0, first[3] = {0}, second[9] = {0}, own[9];
  for (int g = 0; g < 27; g++) {
    const double xi[3] = {place[g % 3], place[g / 3 % 3], place[g / 9]};
    double x[3] = {0}, map[9] = {0};
    for (int k = 0; k < 8; k++) { // nodes of a box, x fastest
      const double sign[3] = {2.0 * (k & 1) - 1, 2.0 * (k >> 1 & 1) - 1, 2.0 * (k >> 2) - 1};
      double n = 0.125, dn[3];
      for (int i = 0; i < 3; i++) n *= 1 + sign[i] * xi[i];
      for (int i = 0; i < 3; i++) dn[i] = n * sign[i] / (1 + sign[i] * xi[i]);
      for (int i = 0; i < 3; i++) {
        x[i] += n * mesh.x[3 * k + i];
        for (int j = 0; j < 3; j++) map[3 * i + j] += mesh.x[3 * k + i] * dn[j];
      }
    }
    double share =
        3 * weight[g % 3] * weight[g / 3 % 3] * weight[g / 9] * vec3_det(map, map + 3, map + 6);
    volume += share;
    for (int i = 0; i < 3; i++) first[i] += share * x[i];
    for (int i = 0; i < 9; i++) second[i] += share * x[i / 3] * x[i % 3];
  }
  for (int i = 0; i < 9; i++) second[i] -= first[i / 3] * first[i % 3] / volume;
  for (int i = 0; i < 9; i++)
    own[i] = (i % 4 == 0 ? second[0] + second[4] + second[8] : 0) - second[i];
  RigidBody rigid = rigid_of(&mesh, w);
  cr_expect_float_eq(rigid.mass, volume, 1e-13 * volume);
  expect_tensor(&rigid, own, "hexahedron");
  rigid_free(&rigid);
  mesh_free(&mesh);
}

Test(rigid_mass, flat_body_is_refused) {
  static const int one[3] = {1, 1, 1};
  static const double size[3] = {2, 1, 1};
  Mesh mesh;
  Skin skin;
  RigidBody rigid;
  Err err = {0};
  cr_assert_eq(mesh_box(&mesh, size, one, NULL), OK);
  for (int k = 0; k < 8; k++) mesh.x[3 * k + 2] = 0;
  cr_assert_eq(skin_build(&skin, &mesh, &err), OK);
  const RigidSpec spec = {.mesh = &mesh, .skin = &skin, .material = &STONE, .thickness = 1};
  cr_expect_eq(rigid_init(&rigid, &spec, &err), ERR_INPUT);
  cr_expect_not_null(strstr(err.text, "not positive"), "%s", err.text);
  rigid_free(&rigid);
  skin_free(&skin);
  mesh_free(&mesh);
}
