#define _XOPEN_SOURCE 700
#include "../file/scratch.h"

#include "app/commands.h"
#include "mesh/mesh.h"

static int run_mesh(const char *const *word, int n) {
  char copy[8][256], *argv[8];
  for (int k = 0; k < n; k++) {
    snprintf(copy[k], sizeof copy[k], "%s", word[k]);
    argv[k] = copy[k];
  }
  return mesh_main(n, argv);
}

Test(app_mesh, writes_a_sheet_with_the_names_of_its_rim) {
  scratch_make();
  const char *path = in_scratch("sheet.msh");
  const char *word[] = {"mesh",      "sheet",          "shape=disk", "radius=0.1",
                        "size=0.02", "thickness=1e-3", "-o",         path};
  cr_assert_eq(run_mesh(word, 8), 0);
  Mesh mesh;
  cr_assert_eq(mesh_read_gmsh(&mesh, path, 3, NULL), OK);
  const MeshGroup *edge = mesh_find_group(&mesh, "sheet.edge");
  cr_assert(mesh.n_facets > 100 && mesh.n_elems == 0 && edge);
  for (int k = 0; k < edge->n; k++) {
    const double *x = mesh.x + 3 * edge->items[k];
    cr_assert_float_eq(x[0] * x[0] + x[1] * x[1], 0.01, 1e-12);
    cr_assert_eq(x[2], 0);
  }
  mesh_free(&mesh);
  scratch_remove();
}

Test(app_mesh, says_what_is_missing_with_exit_code_two) {
  scratch_make();
  const char *no_thickness[] = {"mesh",      "sheet", "shape=disk",       "radius=0.1",
                                "size=0.02", "-o",    in_scratch("a.msh")};
  const char *no_file[] = {"mesh", "wall", "courses=2"};
  cr_assert_eq(run_mesh(no_thickness, 7), 2);
  cr_assert_eq(run_mesh(no_file, 3), 2);
  cr_assert_not(file_exists(in_scratch("a.msh")));
  scratch_remove();
}
