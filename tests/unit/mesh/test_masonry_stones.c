// Stones of a table: where they stand, which share a mesh, and what rows are refused.
#include <criterion/criterion.h>

#include <math.h>

#include "base/mem.h"
#include "mesh/masonry.h"
#include "mesh/mesh.h"

static void expect_no_leak(void) {
  cr_assert_eq(mem_live_blocks(), 0);
}
TestSuite(masonry_stones, .fini = expect_no_leak);

// Two below, a lintel of another size over them.
static const Stone three[] = {
    {{0, 0, 0}, {0.4, 0.5, 0.3}}, {{1, 0, 0}, {0.4, 0.5, 0.3}}, {{0, 0.5, 0.1}, {1.4, 0.2, 0.2}}};

static StonesSpec spec_of(int dim, const Stone *stone, int n) {
  return (StonesSpec){.dim = dim,
                      .n = n,
                      .stone = stone,
                      .mesh = {.nx = 2, .ny = 1, .pattern = "q4"},
                      .cells_z = 3};
}

static void expect_error(const StonesSpec *spec, const char *text) {
  Assembly stones;
  Err err = {0};
  cr_assert_eq(masonry_stones(&stones, spec, &err), ERR_INPUT, "%s", text);
  cr_assert(strstr(err.text, text), "'%s' does not say '%s'", err.text, text);
  err_clear(&err);
}

Test(masonry_stones, stand_where_the_table_says) {
  for (int dim = 2; dim <= 3; dim++) {
    Assembly stones;
    Err err = {0};
    const StonesSpec spec = spec_of(dim, three, 3);
    cr_assert_eq(masonry_stones(&stones, &spec, &err), OK, "%s", err.text);
    cr_assert_eq(stones.n_blocks, 3);
    cr_assert_eq(stones.n_meshes, 2);
    for (int k = 0; k < 3; k++) {
      const AssemblyBlock *block = &stones.blocks[k];
      const Mesh *mesh = &stones.meshes[block->mesh];
      double low[3], high[3], at[3] = {block->x, block->y, block->z}, volume = 1;
      mesh_bounds(mesh, low, high);
      cr_assert_eq(mesh->dim, dim);
      for (int i = 0; i < dim; i++) {
        cr_assert_float_eq(at[i] + low[i], three[k].corner[i], 1e-15);
        cr_assert_float_eq(at[i] + high[i], three[k].corner[i] + three[k].size[i], 1e-15);
        volume *= three[k].size[i];
      }
      cr_assert_float_eq(mesh_measure(mesh), volume, 1e-15);
    }
    int layers = dim == 3 ? 4 : 1;
    cr_assert_eq(assembly_find_group(&stones, "bottom")->n, 2 * 3 * layers);
    cr_assert_eq(assembly_find_group(&stones, "top")->n, 3 * layers);
    cr_assert_eq(assembly_find_group(&stones, "left")->n, 2 * 2 * layers);
    cr_assert_eq(assembly_find_group(&stones, "front") != NULL, dim == 3);
    if (dim == 3) cr_assert_eq(assembly_find_group(&stones, "front")->n, 3 * 6);
    if (dim == 3) cr_assert_eq(assembly_find_group(&stones, "back")->n, 2 * 6);
    assembly_free(&stones);
  }
}

Test(masonry_stones, inside_one_another_are_named_with_the_depth) {
  const Stone in[] = {{{0, 0, 0}, {1, 1, 1}},
                      {{3, 0, 0}, {1, 1, 1}},
                      {{0.98, 0, 0.5}, {1, 1, 1}},
                      {{0, 0, 1.4}, {1, 1, 1}}};
  StonesSpec spec = spec_of(3, in, 4);
  Assembly stones;
  Err err = {0};
  expect_error(&spec, " are inside one another by 0.02 m: 2 such pairs, this is the deepest");
  spec.tolerated = 0.019;
  expect_error(&spec, "by 0.02 m, more than is tolerated");
  spec.tolerated = 0.021;
  cr_assert_eq(masonry_stones(&stones, &spec, &err), OK, "%s", err.text);
  assembly_free(&stones);
}

Test(masonry_stones, that_float_are_named) {
  const Stone high[] = {{{0, 0, 0}, {1, 1, 1}},
                        {{0, 1, 0}, {1, 1, 1}},
                        {{2, 1, 0}, {1, 1, 1}},
                        {{1, 1, 0}, {1, 1, 1}}};
  StonesSpec spec = spec_of(3, high, 4);
  Assembly stones;
  Err err = {0};
  expect_error(&spec, "row 3 floats: no stone is under it at 1 m, as under others above");
  spec.n = 2;
  cr_assert_eq(masonry_stones(&stones, &spec, &err), OK, "%s", err.text);
  assembly_free(&stones);
  spec.n = 4;
  spec.may_float = 1;
  cr_assert_eq(masonry_stones(&stones, &spec, &err), OK, "%s", err.text);
  assembly_free(&stones);
}

Test(masonry_stones, without_a_size_or_a_place_are_named) {
  static const struct {
    Stone stone;
    const char *text;
  } bad[] = {{{{0, 0, 0}, {0, 1, 1}}, "row 2: a length of 0 m"},
             {{{0, 0, 0}, {1, -1, 1}}, "row 2: a height of -1 m"},
             {{{0, 0, 0}, {1, 1, (double)INFINITY}}, "row 2: a depth of inf m"},
             {{{0, 0, (double)NAN}, {1, 1, 1}}, "row 2: z is missing"},
             {{{0, 0, 0}, {1, (double)NAN, 1}}, "row 2: a height of"}};
  for (size_t k = 0; k < sizeof bad / sizeof bad[0]; k++) {
    const Stone two[] = {{{5, 0, 0}, {1, 1, 1}}, bad[k].stone};
    const StonesSpec spec = spec_of(3, two, 2);
    expect_error(&spec, bad[k].text);
  }
  const StonesSpec none = spec_of(2, three, 0);
  expect_error(&none, "without stones");
}
