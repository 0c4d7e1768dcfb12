// Fuzzes the readers of STL, Abaqus and LS-DYNA files, in 2D and 3D; whatever they accept must pass
// mesh_check up to unused nodes, and become a sheet or a reason why not. Build and run as
// fuzz_gmsh.c.
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "mesh/blank.h"
#include "mesh/readers.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void use(Mesh *mesh) {
  Err err = {0};
  if (mesh->n_elems > 0 && mesh_check(mesh, &err) != OK && !strstr(err.text, "belongs to no"))
    abort();
  if (blank_from_facets(mesh, &err) != OK && err.status != ERR_INPUT) abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static MeshReader *const readers[] = {stl_read_memory, abaqus_read_memory, dyna_read_memory};
  char *text = malloc(size + 1);
  if (!text) return 0;
  if (size > 0) memcpy(text, data, size);
  text[size] = 0;
  for (int k = 0; k < 6; k++) {
    Mesh mesh;
    MeshTold told = {0};
    Err err = {0};
    Status status = readers[k / 2](&mesh, "fuzz.mesh", text, size, 2 + k % 2, &told, &err);
    if (status == OK)
      use(&mesh);
    else if (status != ERR_INPUT || !strstr(err.text, "fuzz.mesh"))
      abort();
    mesh_free(&mesh);
    if (mem_live_blocks() != 0) abort();
  }
  free(text);
  return 0;
}
