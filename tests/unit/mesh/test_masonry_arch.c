#include <criterion/criterion.h>

#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "mesh/masonry.h"

static const double PI = 3.14159265358979323846;

static void build(Assembly *arch, const ArchSpec *spec) {
  Err err = {0};
  cr_assert_eq(masonry_arch(arch, spec, &err), OK, "%s", err.text);
  cr_assert_eq(arch->n_blocks, spec->n_voussoirs);
  for (int b = 0; b < arch->n_blocks; b++) cr_assert_eq(arch->blocks[b].course, b + 1);
}

static void side_node(const Assembly *arch, int block, const char *side, int k, double x[2]) {
  const Mesh *mesh = &arch->meshes[arch->blocks[block].mesh];
  assembly_node_position(arch, block, mesh_find_group_of(mesh, side, GROUP_NODES)->items[k], x);
}

// The right side of each voussoir lies node by node on the left side of the next.
static void assert_touching(const Assembly *arch, double size) {
  for (int b = 0; b + 1 < arch->n_blocks; b++) {
    const Mesh *mesh = &arch->meshes[arch->blocks[b].mesh];
    for (int k = 0; k < mesh_find_group_of(mesh, "right", GROUP_NODES)->n; k++) {
      double here[2], there[2];
      side_node(arch, b, "right", k, here);
      side_node(arch, b + 1, "left", k, there);
      cr_assert_leq(hypot(here[0] - there[0], here[1] - there[1]), 1e-14 * size,
                    "joint %d, node %d: %g %g against %g %g", b, k, here[0], here[1], there[0],
                    there[1]);
    }
  }
}

Test(masonry_arch, semicircular_voussoirs_share_one_mesh_and_touch_exactly) {
  Assembly arch;
  ArchSpec spec = {.kind = ARCH_SEMICIRCULAR,
                   .span = 2,
                   .thickness = 0.15,
                   .n_voussoirs = 31,
                   .x = 5,
                   .y = 1,
                   .mesh = {2, 3, "t3_right"}};
  build(&arch, &spec);
  cr_assert_eq(arch.n_meshes, 1);
  assert_touching(&arch, 2);
  double x[2];
  side_node(&arch, 0, "left", 0, x); // intrados of the left springing
  cr_assert_float_eq(x[0], 4, 1e-14);
  cr_assert_float_eq(x[1], 1, 1e-14);
  side_node(&arch, 30, "right", 3, x);
  cr_assert_float_eq(x[0], 6.15, 1e-14);
  cr_assert_eq(assembly_find_group(&arch, "keystone")->block[0], 15);
  cr_assert_eq(assembly_find_group(&arch, "right_springer")->block[0], 30);
  const AssemblyGroup *intrados = assembly_find_group(&arch, "intrados");
  cr_assert_eq(intrados->n, 31 * 3);
  for (int k = 0; k < intrados->n; k++) {
    assembly_node_position(&arch, intrados->block[k], intrados->node[k], x);
    cr_assert_float_eq(hypot(x[0] - 5, x[1] - 1), 1, 1e-14);
  }
  // chords of half a voussoir in place of the arc
  double step = PI / 62, area = 31 * 2 * 0.5 * (1.15 * 1.15 - 1) * sin(step);
  cr_assert_float_eq(31 * mesh_measure(&arch.meshes[0]), area, 1e-13);
  assembly_free(&arch);
  cr_assert_eq(mem_live_blocks(), 0);
}

Test(masonry_arch, segmental_arch_has_its_span_and_rise) {
  Assembly arch;
  ArchSpec spec = {.kind = ARCH_SEGMENTAL,
                   .span = 4,
                   .rise = 0.8,
                   .thickness = 0.3,
                   .n_voussoirs = 8,
                   .straight = 1,
                   .mesh = {2, 2, "q4"}};
  build(&arch, &spec);
  assert_touching(&arch, 4);
  double x[2];
  side_node(&arch, 0, "left", 0, x);
  cr_assert_float_eq(x[0], -2, 1e-14);
  cr_assert_float_eq(x[1], 0, 1e-14);
  side_node(&arch, 3, "right", 0, x); // the crown joint
  cr_assert_float_eq(x[0], 0, 1e-14);
  cr_assert_float_eq(x[1], 0.8, 1e-14);
  cr_assert_null(assembly_find_group(&arch, "keystone"));
  assembly_free(&arch);
}

Test(masonry_arch, pointed_arch_closes_at_the_crown_in_a_vertical_joint) {
  Assembly arch;
  for (int straight = 0; straight < 2; straight++)
    for (int n = 2; n <= 20; n += 6) {
      ArchSpec spec = {.kind = ARCH_POINTED,
                       .span = 2,
                       .rise = 1.6,
                       .thickness = 0.2,
                       .n_voussoirs = n,
                       .straight = straight,
                       .mesh = {8, 2, "q4"}};
      build(&arch, &spec);
      cr_assert_eq(arch.n_meshes, n > 2 ? 3 : 2);
      assert_touching(&arch, 2);
      double x[2];
      for (int k = 0; k < 3; k++) {
        side_node(&arch, n / 2, "left", k, x);
        cr_assert_float_eq(x[0], 0, 1e-14);
      }
      side_node(&arch, n / 2, "left", 0, x);
      cr_assert_float_eq(x[1], 1.6, 1e-14);
      assembly_free(&arch);
    }
}

Test(masonry_arch, specifications_without_sense_are_refused) {
  const ArchSpec good = {.kind = ARCH_POINTED,
                         .span = 2,
                         .rise = 1.6,
                         .thickness = 0.2,
                         .n_voussoirs = 6,
                         .mesh = {1, 1, "q4"}};
  ArchSpec bad[6];
  Assembly arch;
  Err err = {0};
  for (int k = 0; k < 6; k++) bad[k] = good;
  bad[0].n_voussoirs = 7;
  bad[1].rise = 0.9;
  bad[2].span = 0;
  bad[3].thickness = (double)NAN;
  bad[4].kind = ARCH_SEGMENTAL;
  bad[5].mesh.ny = 0;
  for (int k = 0; k < 6; k++)
    cr_assert_eq(masonry_arch(&arch, &bad[k], &err), ERR_INPUT, "case %d", k);
  cr_assert_eq(mem_live_blocks(), 0);
}

Test(masonry_arch, lack_of_memory_leaks_nothing) {
  const ArchSpec spec = {.kind = ARCH_POINTED,
                         .span = 2,
                         .rise = 1.6,
                         .thickness = 0.2,
                         .n_voussoirs = 12,
                         .mesh = {1, 1, "q4"}};
  for (int n = 1;; n++) {
    Assembly arch;
    Err err = {0};
    mem_fail_after(n);
    Status status = masonry_arch(&arch, &spec, &err);
    mem_fail_after(0);
    if (status == OK) {
      assembly_free(&arch);
      break;
    }
    cr_assert_eq(status, ERR_SYSTEM);
    cr_assert_eq(mem_live_blocks(), 0);
  }
}
