// The index finds what a comparison with each prototype would find.
#include <criterion/criterion.h>

#include <math.h>

#include "../../support/staged_step.h"
#include "body/prototype_index.h"
#include "mesh/generate.h"

enum { SHAPES = 300, BODIES = 900 };

static int by_comparing(int n, const Prototype *protos, const PrototypeSpec *spec) {
  for (int same = 1; same >= 0; same--)
    for (int p = 0; p < n; p++)
      if ((protos[p].mesh == spec->mesh) == same && prototype_matches(&protos[p], spec)) return p;
  return -1;
}

// Blocks of widths that repeat: exactly, but for rounding, and nearly, which makes another shape;
// sizes over nine decades, two materials, held or not.
Test(prototype_index, finds_what_comparing_with_all_finds) {
  static Mesh mesh[BODIES];
  static Prototype protos[BODIES];
  static const uint8_t held[8] = {1, 1};
  Material material[2] = {
      {.name = "a", .type = material_find("elastic"), .par = {1e6, 0.25}, .density = 2000}};
  material[1] = material[0];
  unsigned seed = 7;
  int n = 0, shared = 0, near = 0;
  Err err = {0};
  PrototypeIndex index = prototype_index(1e3);
  for (int k = 0; k < BODIES; k++) {
    int shape = (int)(SHAPES * fabs(test_random(&seed))) % SHAPES, kind = k % 3;
    double width = 1e-6 * pow(10, 9.0 * shape / SHAPES);
    if (kind == 1) width *= 1 + 3e-13 * test_random(&seed);
    if (kind == 2) width *= 1 + 1e-11 * test_random(&seed);
    cr_assert_eq(mesh_rectangle(&mesh[k], width, width, 1, 1, "q4", &err), OK);
    PrototypeSpec spec = {.mesh = k % 7 == 6 ? &mesh[k - 1] : &mesh[k],
                          .material = &material[k % 5 == 0],
                          .state = PLANE_STRAIN,
                          .thickness = 1,
                          .fixed = k % 11 == 0 ? held : NULL};
    int expected = by_comparing(n, protos, &spec);
    cr_assert_eq(prototype_index_find(&index, protos, &spec), expected, "body %d, width %.17g", k,
                 width);
    shared += expected >= 0;
    near += expected >= 0 && protos[expected].mesh->x[2] != spec.mesh->x[2];
    if (expected >= 0) continue;
    cr_assert_eq(prototype_index_add(&index, &spec, &err), OK);
    cr_assert_eq(prototype_init(&protos[n++], &spec, &err), OK, "%s", err.text);
  }
  cr_assert(shared > 100 && near > 20 && n > 100, "%d shared, %d but for rounding, %d shapes",
            shared, near, n);
  prototype_index_free(&index);
  for (int p = 0; p < n; p++) prototype_free(&protos[p]);
  for (int k = 0; k < BODIES; k++) mesh_free(&mesh[k]);
}

// Wherever the mean of the coordinates lies: also where rounding takes it from one place to the
// next.
Test(prototype_index, finds_what_differs_by_rounding_across_the_end_of_a_place) {
  Material material = {.name = "a"};
  Mesh mesh[2];
  Err err = {0};
  int apart = 0;
  for (int i = 0; i < 2; i++) cr_assert_eq(mesh_rectangle(&mesh[i], 1, 1, 1, 1, "q4", &err), OK);
  for (int k = 0; k < 40000; k++) {
    PrototypeIndex index = prototype_index(1000);
    double width = 999 + 1e-5 * k;
    for (int i = 0; i < 2; i++)
      for (int c = 0; c < 8; c++)
        if (mesh[i].x[c] != 0) mesh[i].x[c] = width * (1 + 9e-13 * i);
    PrototypeSpec spec = {.mesh = &mesh[0], .material = &material, .state = PLANE_STRAIN};
    Prototype proto = {.mesh = &mesh[0], .material = &material, .state = PLANE_STRAIN};
    cr_assert_eq(prototype_index_add(&index, &spec, &err), OK);
    uint64_t key = index.key[0];
    spec.mesh = &mesh[1];
    cr_assert_eq(prototype_index_find(&index, &proto, &spec), 0, "width %.17g", width);
    cr_assert_eq(prototype_index_add(&index, &spec, &err), OK);
    apart += index.key[1] != key;
    prototype_index_free(&index);
  }
  cr_assert_gt(apart, 3, "only so many lie across an end");
  for (int i = 0; i < 2; i++) mesh_free(&mesh[i]);
}
