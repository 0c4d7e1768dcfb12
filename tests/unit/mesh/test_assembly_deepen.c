// Masonry drawn out into space: volumes, places, what goes through, and what groups hold.
#include <criterion/criterion.h>

#include <math.h>

#include "base/mem.h"
#include "mesh/masonry.h"
#include "mesh/mesh.h"

static void expect_no_leak(void) {
  cr_assert_eq(mem_live_blocks(), 0);
}
TestSuite(assembly_deepen, .fini = expect_no_leak);

static const double heights[] = {0.1, 0.08};
static const double DEPTH = 0.24;

static WallSpec spec_of(WallBond bond) {
  return (WallSpec){.bond = bond,
                    .n_courses = 5,
                    .course_height = heights,
                    .n_course_heights = 2,
                    .block_length = 0.25,
                    .header_length = 0.125,
                    .blocks_per_course = 4,
                    .x = 3,
                    .y = -1,
                    .mesh = {2, 1, "q4"}};
}

typedef struct {
  double low[3], high[3];
} Box;

// Where a block of a wall stands; it is not turned.
static Box box_of(const Assembly *wall, int b) {
  const AssemblyBlock *block = &wall->blocks[b];
  Box box;
  mesh_bounds(&wall->meshes[block->mesh], box.low, box.high);
  const double at[3] = {block->x, block->y, block->z};
  for (int i = 0; i < 3; i++) {
    box.low[i] += at[i];
    box.high[i] += at[i];
  }
  return box;
}

static int has(const AssemblyGroup *group, int block) {
  for (int k = 0; group && k < group->n; k++)
    if (group->block[k] == block) return 1;
  return 0;
}

static void assert_fills_its_room(const Assembly *wall, double length, double height) {
  double volume = 0;
  for (int b = 0; b < wall->n_blocks; b++) {
    Box box = box_of(wall, b);
    Err err = {0};
    const Mesh *mesh = &wall->meshes[wall->blocks[b].mesh];
    cr_assert_eq(mesh_check(mesh, &err), OK, "%s", err.text);
    volume += mesh_measure(mesh);
    for (int j = 0; j < b; j++) {
      Box other = box_of(wall, j);
      double over = (double)INFINITY;
      for (int i = 0; i < 3; i++)
        over = fmin(over, fmin(box.high[i], other.high[i]) - fmax(box.low[i], other.low[i]));
      cr_assert_lt(over, 1e-9, "blocks %d and %d overlap", b, j);
    }
    cr_assert(box.low[0] > 3 - 1e-9 && box.high[0] < 3 + length + 1e-9 && box.low[2] > -1e-9 &&
              box.high[2] < DEPTH + 1e-9 && box.low[1] > -1 - 1e-9);
  }
  cr_assert_float_eq(volume, length * height * DEPTH, 1e-12);
}

static double coordinate(const Assembly *wall, const AssemblyGroup *group, int k, int axis) {
  const AssemblyBlock *block = &wall->blocks[group->block[k]];
  const double at[3] = {block->x, block->y, block->z};
  return at[axis] + wall->meshes[block->mesh].x[3 * group->node[k] + axis];
}

// Every node of the wall that lies in the plane is in the group, and no other.
static void assert_plane(const Assembly *wall, const char *name, int axis, double value) {
  const AssemblyGroup *group = assembly_find_group(wall, name);
  int n = 0;
  cr_assert_not_null(group, "%s", name);
  for (int b = 0; b < wall->n_blocks; b++) {
    const AssemblyBlock *block = &wall->blocks[b];
    const double at[3] = {block->x, block->y, block->z};
    const Mesh *mesh = &wall->meshes[block->mesh];
    for (int k = 0; k < mesh->n_nodes; k++)
      n += fabs(at[axis] + mesh->x[3 * k + axis] - value) < 1e-9;
  }
  cr_assert_eq(group->n, n, "%s: %d nodes of %d", name, group->n, n);
  for (int k = 0; k < group->n; k++)
    cr_assert_float_eq(coordinate(wall, group, k, axis), value, 1e-9, "%s", name);
}

Test(assembly_deepen, walls_fill_their_room_whatever_the_bond) {
  for (int bond = BOND_RUNNING; bond <= BOND_ENGLISH; bond++)
    for (int leaves = 1; leaves <= 3; leaves++) {
      Assembly wall;
      Err err = {0};
      WallSpec spec = spec_of((WallBond)bond);
      const Deepening how = {DEPTH, 2, leaves};
      cr_assert_eq(masonry_wall(&wall, &spec, &err), OK, "%s", err.text);
      cr_assert_eq(assembly_deepen(&wall, &how, &err), OK, "%s", err.text);
      assert_fills_its_room(&wall, 1, 0.46);
      assert_plane(&wall, "bottom", 1, -1);
      assert_plane(&wall, "top", 1, -1 + 0.46);
      assert_plane(&wall, "right", 0, 4);
      assert_plane(&wall, "back", 2, 0);
      assert_plane(&wall, "front", 2, DEPTH);
      const AssemblyGroup *headers = assembly_find_group(&wall, "headers");
      cr_assert_eq(headers != NULL, bond >= BOND_FLEMISH);
      for (int b = 0; b < wall.n_blocks; b++) {
        Box box = box_of(&wall, b);
        double own = has(headers, b) ? DEPTH : DEPTH / leaves;
        cr_assert_float_eq(box.high[2] - box.low[2], own, 1e-12);
      }
      assembly_free(&wall);
    }
}

Test(assembly_deepen, equal_stones_share_a_mesh_and_courses_keep_their_stones) {
  Assembly wall;
  Err err = {0};
  WallSpec spec = spec_of(BOND_ENGLISH);
  spec.n_course_heights = 1;
  const Deepening how = {DEPTH, 1, 2};
  cr_assert_eq(masonry_wall(&wall, &spec, &err), OK);
  int courses[] = {assembly_find_group(&wall, "course_1")->n,
                   assembly_find_group(&wall, "course_2")->n};
  cr_assert_eq(assembly_deepen(&wall, &how, &err), OK, "%s", err.text);
  cr_assert_eq(wall.n_meshes, 3); // stretcher and closer, halves of the depth; header
  cr_assert_eq(assembly_find_group(&wall, "course_1")->n, 2 * courses[0]);
  cr_assert_eq(assembly_find_group(&wall, "course_2")->n, courses[1] + 2);
  for (int b = 1; b < wall.n_blocks; b++)
    cr_assert_geq(wall.blocks[b].course, wall.blocks[b - 1].course);
  assembly_free(&wall);
}

Test(assembly_deepen, voussoirs_keep_their_places) {
  Assembly arch;
  Err err = {0};
  ArchSpec spec = {.span = 2, .thickness = 0.3, .n_voussoirs = 9, .mesh = {3, 2, "q4"}};
  const Deepening how = {DEPTH, 2, 1};
  cr_assert_eq(masonry_arch(&arch, &spec, &err), OK, "%s", err.text);
  double area = mesh_measure(&arch.meshes[0]), angle = arch.blocks[2].angle;
  cr_assert_eq(assembly_deepen(&arch, &how, &err), OK, "%s", err.text);
  cr_assert_eq(arch.n_blocks, 9);
  cr_assert_eq(arch.n_meshes, 1);
  cr_assert_float_eq(mesh_measure(&arch.meshes[0]), area * DEPTH, 1e-13);
  cr_assert_eq(arch.blocks[2].angle, angle);
  cr_assert_eq(assembly_find_group(&arch, "intrados")->n, 9 * 4 * 3);
  assembly_free(&arch);
}

Test(assembly_deepen, refuses_what_makes_no_solid) {
  static const Deepening bad[] = {{0, 1, 1}, {-1, 1, 1}, {1, 0, 1}, {1, 1, 0}, {(double)NAN, 1, 1}};
  WallSpec spec = spec_of(BOND_RUNNING);
  Assembly wall;
  Err err = {0};
  for (size_t k = 0; k < sizeof bad / sizeof bad[0]; k++) {
    cr_assert_eq(masonry_wall(&wall, &spec, &err), OK);
    cr_assert_eq(assembly_deepen(&wall, &bad[k], &err), ERR_INPUT, "%zu", k);
    err_clear(&err);
    assembly_free(&wall);
  }
  spec.mesh.pattern = "t3_right";
  const Deepening good = {1, 1, 1};
  cr_assert_eq(masonry_wall(&wall, &spec, &err), OK);
  cr_assert_eq(assembly_deepen(&wall, &good, &err), ERR_INPUT);
  cr_assert(strstr(err.text, "quadrilaterals"), "%s", err.text);
  assembly_free(&wall);
}
