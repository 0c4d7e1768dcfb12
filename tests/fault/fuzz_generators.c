// Fuzzes the generators of meshes, walls, arches and blanks: what they accept is a sound mesh.
#include "../support/fuzz_file.h"
#include "base/mem.h"
#include "mesh/blank.h"
#include "mesh/masonry.h"

static FuzzBytes in;

static void expect_sound(Status status, Mesh *mesh, const Err *why) {
  Err err = {0};
  if (status == OK ? mesh_check(mesh, &err) != OK : status != ERR_INPUT || !why->text[0]) abort();
  if (status == OK) mesh_free(mesh);
}

static const char *pattern(const char *of) { // one of "a|b|c", or none of them
  static char word[32];
  for (int skip = fuzz_integer(&in, 0, 6); skip > 0 && strchr(of, '|'); skip--)
    of = strchr(of, '|') + 1;
  snprintf(word, sizeof word, "%.*s", (int)strcspn(of, "|"), of);
  return word;
}

static Status masonry(Assembly *made, Err *err) {
  double height[3] = {fuzz_real(&in, 0.1), fuzz_real(&in, 0.1), fuzz_real(&in, 0.1)};
  WallOpening opening[2];
  BlockMesh mesh = {fuzz_integer(&in, 0, 3), fuzz_integer(&in, 0, 3), pattern(mesh_patterns)};
  for (int k = 0; k < 2; k++)
    opening[k] = (WallOpening){fuzz_real(&in, 0.2), fuzz_real(&in, 0.1), fuzz_real(&in, 0.2),
                               fuzz_real(&in, 0.1), fuzz_real(&in, 0.1), fuzz_real(&in, 0.1)};
  switch (fuzz_integer(&in, 0, 3)) {
  case 0:
    return masonry_arch(made,
                        &(ArchSpec){fuzz_integer(&in, 0, 2), fuzz_real(&in, 4), fuzz_real(&in, 1),
                                    fuzz_real(&in, 0.4), fuzz_integer(&in, -1, 40),
                                    fuzz_integer(&in, 0, 1), 0, 0, mesh},
                        err);
  case 1:
    return masonry_column(made, fuzz_real(&in, 1), fuzz_real(&in, 1), fuzz_integer(&in, -1, 20), 0,
                          0, mesh, err);
  default:
    return masonry_wall(made,
                        &(WallSpec){fuzz_integer(&in, 0, 2), fuzz_integer(&in, -1, 9), height,
                                    fuzz_integer(&in, 1, 3), fuzz_real(&in, 0.2),
                                    fuzz_real(&in, 0.1), fmin(30, fuzz_real(&in, 4)),
                                    fuzz_integer(&in, 0, 2), 0, 0, opening, fuzz_integer(&in, 0, 2),
                                    mesh},
                        err);
  }
}

static Status flat(Mesh *mesh, Err *err) {
  double size = fmax(0.05, fuzz_real(&in, 0.1)), corner[24];
  int n = fuzz_integer(&in, 0, 8);
  for (int k = 0; k < 3 * n; k++)
    corner[k] = k % 3 == 2 ? fuzz_real(&in, 0.05) - 0.05 : fuzz_real(&in, 0.1);
  switch (fuzz_integer(&in, 0, 3)) {
  case 0:
    return blank_disk(mesh,
                      &(DiskBlank){fmin(1, fuzz_real(&in, 0.5)), size, size, size,
                                   fuzz_real(&in, 0.2), fuzz_real(&in, 4), fuzz_integer(&in, 0, 1),
                                   pattern(blank_patterns)},
                      err);
  case 1:
    return blank_rectangle(
        mesh,
        &(RectangleBlank){{fmin(1, fuzz_real(&in, 1)), fmin(1, fuzz_real(&in, 1))},
                          {size, size},
                          fuzz_integer(&in, 0, 1),
                          pattern(blank_patterns)},
        err);
  case 2:
    return mesh_rectangle(mesh, fuzz_real(&in, 1), fuzz_real(&in, 1), fuzz_integer(&in, -1, 9),
                          fuzz_integer(&in, -1, 9), pattern(mesh_patterns), err);
  default:
    return blank_contour(mesh,
                         &(ContourBlank){.outline = {3 * n, corner},
                                         .size = size,
                                         .grading = fmax(0.2, fuzz_real(&in, 0.25)),
                                         .symmetry = fuzz_integer(&in, 0, 1),
                                         .pattern = pattern(contour_patterns)},
                         err);
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  in = (FuzzBytes){data, size};
  Err err = {0};
  Mesh mesh = {0};
  if (fuzz_integer(&in, 0, 1)) {
    expect_sound(flat(&mesh, &err), &mesh, &err);
  } else {
    Assembly made = {0};
    Status status = masonry(&made, &err);
    if (status == OK) status = assembly_to_mesh(&made, &mesh, &err);
    expect_sound(status, &mesh, &err);
    assembly_free(&made);
  }
  if (mem_live_blocks() != 0) abort();
  return 0;
}
