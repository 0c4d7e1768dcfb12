#define _POSIX_C_SOURCE 200809L // mkdtemp
#include "../file/scratch.h"
#include "mesh/mesh.h"

static const char stl[] = "solid\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\n"
                          "vertex 0 1 0\nendloop\nendfacet\nendsolid\n";
static const char inp[] = "*NODE\n1,0,0\n2,1,0\n3,0,1\n*ELEMENT,TYPE=S3\n1,1,2,3\n";
static const char k[] = "*NODE\n1,0,0\n2,1,0\n3,0,1\n*ELEMENT_SHELL\n1,1,1,2,3\n";
static const char msh[] = "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n3\n1 0 0 0\n2 1 0 0\n"
                          "3 0 1 0\n$EndNodes\n$Elements\n1\n1 2 0 1 2 3\n$EndElements\n";

Test(mesh_read, the_ending_says_what_a_file_is_in_either_case) {
  static const struct {
    const char *name, *text;
  } files[] = {{"a.stl", stl}, {"A.STL", stl}, {"a.inp", inp}, {"a.Inp", inp}, {"a.k", k},
               {"a.key", k},   {"a.dyn", k},   {"a.msh", msh}, {"a", msh},     {"a.k.msh", msh}};
  scratch_make();
  for (size_t f = 0; f < sizeof files / sizeof files[0]; f++) {
    Mesh mesh;
    MeshTold told;
    Err err = {0};
    write_text(in_scratch(files[f].name), files[f].text);
    cr_assert_eq(mesh_read(&mesh, in_scratch(files[f].name), 3, &told, &err), OK, "%s: %s",
                 files[f].name, err.text);
    cr_assert(mesh.n_nodes == 3 && mesh.n_facets == 1 && mesh.facet_shape[0] == SHAPE_T3);
    cr_assert(mesh.x[3] == 1 && mesh.x[7] == 1);
    mesh_free(&mesh);
  }
  scratch_remove();
}

Test(mesh_read, what_cannot_be_opened_is_said_whatever_its_ending) {
  static const char *const names[] = {"none.stl", "none.inp", "none.k", "none.msh"};
  scratch_make();
  for (size_t f = 0; f < sizeof names / sizeof names[0]; f++) {
    Mesh mesh;
    MeshTold told;
    Err err = {0};
    cr_assert_eq(mesh_read(&mesh, in_scratch(names[f]), 3, &told, &err), ERR_INPUT);
    cr_assert_not_null(strstr(err.text, names[f]), "%s", err.text);
  }
  scratch_remove();
}
