#define _POSIX_C_SOURCE 200809L // mkdtemp
#include <criterion/criterion.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../../support/scratch_path.h"
#include "base/mem.h"
#include "mesh/masonry.h"

Test(gmsh_write, what_is_written_is_read_back_with_all_groups) {
  char folder[512], path[600];
  scratch_path(folder, sizeof folder, "write");
  cr_assert_not_null(mkdtemp(folder));
  snprintf(path, sizeof path, "%s/wall.msh", folder);
  Assembly arch;
  Mesh mesh, back;
  Err err = {0};
  ArchSpec spec = {.kind = ARCH_POINTED,
                   .span = 2,
                   .rise = 1.5,
                   .thickness = 0.2,
                   .n_voussoirs = 6,
                   .mesh = {2, 2, "t3_cross"}};
  cr_assert_eq(masonry_arch(&arch, &spec, &err), OK, "%s", err.text);
  cr_assert_eq(assembly_to_mesh(&arch, &mesh, &err), OK);
  cr_assert_eq(mesh_write_gmsh(&mesh, path, &err), OK, "%s", err.text);
  cr_assert_eq(mesh_read_gmsh(&back, path, 2, &err), OK, "%s", err.text);
  cr_assert_eq(back.n_nodes, mesh.n_nodes);
  cr_assert_eq(back.n_elems, mesh.n_elems);
  cr_assert(mesh_measure(&back) > 0);
  for (int k = 0; k < 2 * mesh.n_nodes; k++) cr_assert(back.x[k] == mesh.x[k]);
  cr_assert_eq(back.n_groups, mesh.n_groups);
  for (int g = 0; g < mesh.n_groups; g++) {
    const MeshGroup *own = &mesh.groups[g];
    const MeshGroup *other = mesh_find_group_of(&back, own->name, own->kind);
    cr_assert_not_null(other, "%s", own->name);
    cr_assert_eq(other->n, own->n);
    for (int k = 0; k < own->n && own->kind == GROUP_NODES; k++)
      cr_assert_eq(other->items[k], own->items[k]);
  }
  mesh_free(&back);
  for (int n = 1;; n++) {
    int64_t before = mem_live_blocks();
    mem_fail_after(n);
    Status status = mesh_write_gmsh(&mesh, path, &err);
    mem_fail_after(0);
    cr_assert_eq(mem_live_blocks(), before);
    if (status == OK) break;
    cr_assert_eq(status, ERR_SYSTEM);
  }
  mesh_free(&mesh);
  assembly_free(&arch);
  unlink(path);
  rmdir(folder);
  cr_assert_eq(mem_live_blocks(), 0);
}

Test(gmsh_write, a_folder_that_does_not_exist_is_named) {
  Mesh mesh;
  Err err = {0};
  cr_assert_eq(mesh_rectangle(&mesh, 1, 1, 1, 1, "q4", &err), OK);
  cr_assert_eq(mesh_write_gmsh(&mesh, "absent/x.msh", &err), ERR_SYSTEM);
  cr_assert_not_null(strstr(err.text, "absent/x.msh"));
  mesh_free(&mesh);
}
