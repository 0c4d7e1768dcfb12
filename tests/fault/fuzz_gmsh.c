// Fuzzes the reader of Gmsh files, in 2D and 3D; whatever it accepts must pass mesh_check up to
// unused nodes, and have a skin or a reason why not. Build and run (a few minutes are enough to see
// new paths):
//   clang -g -O1 -Isrc -fsanitize=fuzzer,address,undefined tests/fault/fuzz_gmsh.c src/mesh/*.c
//     src/base/err.c src/base/mem.c -lm -o build/fuzz_gmsh
//   build/fuzz_gmsh -max_total_time=180 -max_len=4096 build/fuzz_corpus meshes
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "mesh/gmsh.h"
#include "mesh/skin.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void use(const Mesh *mesh) {
  Err err = {0};
  Skin skin;
  Mesh part;
  if (mesh->n_elems > 0 && mesh_check(mesh, &err) != OK && !strstr(err.text, "belongs to no"))
    abort();
  if (skin_build(&skin, mesh, &err) == OK) skin_free(&skin);
  for (int g = 0; g < mesh->n_groups; g++)
    if (mesh->groups[g].kind == GROUP_ELEMENTS &&
        mesh_extract(&part, mesh, &mesh->groups[g], &err) == OK)
      mesh_free(&part);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  char *text = malloc(size + 1);
  if (!text) return 0;
  if (size > 0) memcpy(text, data, size);
  text[size] = 0;
  for (int dim = 2; dim <= 3; dim++) {
    Mesh mesh;
    Err err = {0};
    Status status = gmsh_read_memory(&mesh, "fuzz.msh", text, size, dim, &err);
    if (status == OK)
      use(&mesh);
    else if (status != ERR_INPUT || !strstr(err.text, "fuzz.msh"))
      abort();
    mesh_free(&mesh);
    if (mem_live_blocks() != 0) abort();
  }
  free(text);
  return 0;
}
