#define _POSIX_C_SOURCE 200809L // open_memstream, mkdtemp
#include <criterion/criterion.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../../support/scratch_path.h"
#include "base/mem.h"
#include "mesh/generate.h"
#include "mesh/gmsh.h"
#include "msh_flavour.h"

static const Flavour flavours[] = {{0, 0, 0, 8}, {0, 1, 0, 8}, {0, 1, 1, 8}, {1, 0, 0, 8},
                                   {1, 1, 0, 8}, {1, 1, 0, 4}, {1, 1, 1, 8}, {1, 1, 1, 4}};
enum { N_FLAVOURS = sizeof flavours / sizeof *flavours };

static char *text_of(const Mesh *mesh, Flavour flavour, size_t *size) {
  char *text = NULL;
  FILE *file = open_memstream(&text, size);
  msh_write_flavour(file, mesh, flavour);
  fclose(file);
  return text;
}

static void sample(Mesh *mesh, int dim) {
  Err err = {0};
  Status status = dim == 2 ? mesh_rectangle(mesh, 0.1, 0.05, 2, 2, "t3_right", &err)
                           : mesh_box(mesh, (double[3]){1, 2, 3}, (int[3]){2, 1, 1}, &err);
  cr_assert_eq(status, OK, "%s", err.text);
  // an element in two groups
  int32_t first[1] = {0};
  cr_assert_eq(mesh_add_group(mesh, "first", GROUP_ELEMENTS, first, 1, &err), OK);
}

static void assert_same_ints(const int32_t *a, const int32_t *b, int n) {
  for (int k = 0; k < n; k++) cr_assert_eq(a[k], b[k], "entry %d: %d, not %d", k, a[k], b[k]);
}

static void assert_same(const Mesh *a, const Mesh *b) {
  cr_assert_eq(a->n_nodes, b->n_nodes);
  cr_assert_eq(a->n_elems, b->n_elems);
  cr_assert_eq(a->n_facets, b->n_facets);
  cr_assert_eq(a->n_groups, b->n_groups);
  for (int k = 0; k < a->n_nodes * a->dim; k++) cr_assert(a->x[k] == b->x[k]);
  cr_assert_eq(memcmp(a->elem_shape, b->elem_shape, (size_t)a->n_elems), 0);
  cr_assert_eq(memcmp(a->facet_shape, b->facet_shape, (size_t)a->n_facets), 0);
  assert_same_ints(a->elem_ptr, b->elem_ptr, a->n_elems + 1);
  assert_same_ints(a->facet_ptr, b->facet_ptr, a->n_facets + 1);
  assert_same_ints(a->elem_node, b->elem_node, a->elem_ptr[a->n_elems]);
  assert_same_ints(a->facet_node, b->facet_node, a->facet_ptr[a->n_facets]);
  for (int g = 0; g < a->n_groups; g++) {
    const MeshGroup *other = mesh_find_group_of(b, a->groups[g].name, a->groups[g].kind);
    cr_assert_not_null(other, "group '%s' is lost", a->groups[g].name);
    cr_assert_eq(a->groups[g].n, other->n);
    assert_same_ints(a->groups[g].items, other->items, other->n);
  }
}

Test(gmsh_read, gives_back_what_was_written_in_every_flavour_and_both_dimensions) {
  for (int dim = 2; dim <= 3; dim++)
    for (int f = 0; f < N_FLAVOURS; f++) {
      Mesh mesh, back;
      Err err = {0};
      size_t size;
      sample(&mesh, dim);
      char *text = text_of(&mesh, flavours[f], &size);
      cr_assert_eq(gmsh_read_memory(&back, "x.msh", text, size, dim, &err), OK, "flavour %d: %s", f,
                   err.text);
      assert_same(&mesh, &back);
      cr_assert_eq(mesh_check(&back, &err), OK);
      mesh_free(&mesh);
      mesh_free(&back);
      free(text);
    }
  cr_assert_eq(mem_live_blocks(), 0);
}

Test(gmsh_read, a_file_cut_at_any_byte_is_an_error_with_a_place) {
  for (int f = 0; f < N_FLAVOURS; f++) {
    Mesh mesh, back;
    Err err = {0};
    size_t size;
    sample(&mesh, 2);
    char *text = text_of(&mesh, flavours[f], &size);
    for (size_t cut = 0; cut + 1 < size; cut++) {
      char *part = malloc(cut + 1); // exact size: the sanitizer sees a step too far
      memcpy(part, text, cut);
      part[cut] = 0;
      cr_assert_eq(gmsh_read_memory(&back, "x.msh", part, cut, 2, &err), ERR_INPUT,
                   "flavour %d, %zu bytes", f, cut);
      cr_assert_not_null(strstr(err.text, "x.msh:"));
      free(part);
    }
    mesh_free(&mesh);
    free(text);
  }
  cr_assert_eq(mem_live_blocks(), 0);
}

Test(gmsh_read, lack_of_memory_is_a_system_error_and_leaks_nothing) {
  for (int f = 0; f < N_FLAVOURS; f += 3) {
    Mesh mesh, back;
    Err err = {0};
    size_t size;
    sample(&mesh, 2);
    char *text = text_of(&mesh, flavours[f], &size);
    int64_t before = mem_live_blocks();
    int n = 1;
    for (; n < 1000; n++) {
      mem_fail_after(n);
      Status status = gmsh_read_memory(&back, "x.msh", text, size, 2, &err);
      mem_fail_after(0);
      if (status == OK) break;
      cr_assert_eq(status, ERR_SYSTEM, "allocation %d: %s", n, err.text);
      cr_assert_eq(mem_live_blocks(), before, "allocation %d", n);
    }
    cr_assert_gt(n, 20);
    cr_assert_lt(n, 1000);
    mesh_free(&back);
    mesh_free(&mesh);
    free(text);
  }
}

static void assert_message(const char *text, int dim, const char *wanted) {
  Mesh mesh;
  Err err = {0};
  cr_assert_eq(gmsh_read_memory(&mesh, "x.msh", text, strlen(text), dim, &err), ERR_INPUT,
               "no error where '%s' was expected", wanted);
  cr_assert_not_null(strstr(err.text, wanted), "'%s' is not in: %s", wanted, err.text);
  cr_assert_eq(mem_live_blocks(), 0);
}

#define HEAD    "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n"
#define HEAD_41 "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n"
#define SQUARE  "$Nodes\n4\n1 0 0 0\n2 1 0 0\n3 1 1 0\n4 0 1 0\n$EndNodes\n"

Test(gmsh_read, messages_name_line_and_element) {
  assert_message(HEAD SQUARE "$Elements\n1\n7 2 2 0 1 1 3 2\n$EndElements\n", 2,
                 "x.msh:13: element 7 (T3) has the area -0.5: its nodes run clockwise");
  assert_message(HEAD SQUARE "$Elements\n1\n7 2 2 0 1 1 2 9\n$EndElements\n", 2,
                 "x.msh:13: element 7 refers to node 9");
  assert_message(HEAD SQUARE "$Elements\n1\n7 9 2 0 1 1 2 3 4 1 2\n$EndElements\n", 2,
                 "x.msh:13: element type 9 (6-node triangle)");
  assert_message(HEAD SQUARE "$Elements\n1\n7 3 2 0 1 1 2 4 3\n$EndElements\n", 2,
                 "x.msh:13: element 7 (Q4)");
  assert_message(HEAD SQUARE "$Elements\n1\n7 2 2 0 1 1 2 2\n$EndElements\n", 2,
                 "x.msh:13: element 7 has node 2 twice");
  assert_message(HEAD SQUARE "$Elements\n2\n7 2 0 1 2 3\n8 2 0 2 3 1\n$EndElements\n", 2,
                 "x.msh:14: element 8 repeats element 7");
  assert_message(HEAD SQUARE "$Elements\n1\n7 4 2 0 1 1 2 3 4\n$EndElements\n", 2,
                 "x.msh:13: element 7 (T4) in a mesh of dimension 2");
  assert_message(HEAD SQUARE "$Elements\n1\n7 15 2 0 1 1\n$EndElements\n", 2,
                 "no element of dimension 2 or 1");
  assert_message(HEAD SQUARE, 2, "ends without a section $Elements");
  assert_message(HEAD SQUARE SQUARE, 2, "x.msh:11: a second section $Nodes");
}

Test(gmsh_read, messages_name_line_and_number) {
  assert_message(HEAD "$Nodes\n2\n1 0 0 0\n1 1 0 0\n$EndNodes\n$Elements\n0\n$EndElements\n", 2,
                 "x.msh:7: node 1 is defined twice");
  assert_message(HEAD "$Nodes\n1\n1 0 nan 0\n$EndNodes\n", 2, "x.msh:6: a coordinate is nan");
  assert_message(HEAD "$Nodes\n1\n1 0 0.5x 0\n$EndNodes\n", 2, "'0.5x' stands where a coordinate");
  assert_message(HEAD "$Nodes\n99999999\n1 0 0 0\n$EndNodes\n", 2,
                 "x.msh:5: the number of nodes is 99999999, more than the rest");
  assert_message(HEAD "$Nodes\n-1\n$EndNodes\n", 2, "x.msh:5: the number of nodes is -1");
  assert_message(HEAD_41 "$Nodes\n1 123456789123 1 4\n$EndNodes\n", 2, "more than the rest");
  assert_message(HEAD_41 "$Nodes\n1 2 1 4\n2 1 0 1\n1\n0 0 0\n$EndNodes\n", 2,
                 "x.msh:5: 2 nodes are announced, the blocks hold 1");
  assert_message("$MeshFormat\n4.0 0 8\n$EndMeshFormat\n", 2, "x.msh:2: version '4.0'");
  assert_message("$MeshFormat\n2.2 0 4\n$EndMeshFormat\n", 2, "x.msh:2: the data size is 4, not 8");
  assert_message("$NOD\n1\n", 2, "begins with $MeshFormat");
  assert_message("", 2, "without a section $MeshFormat");
  assert_message("\x01\x02 garbage", 2, "this is no Gmsh file");
  assert_message(HEAD SQUARE "$Comments\nnever ended\n", 2, "$Comments has no end");
  assert_message(HEAD SQUARE, 4, "dimension 2 or 3, not 4");
}

Test(gmsh_read, a_2d_mesh_must_lie_in_a_plane_z_constant) {
  assert_message(HEAD "$Nodes\n3\n1 0 0 0\n2 1 0 0\n3 1 1 0.1\n$EndNodes\n"
                      "$Elements\n1\n1 2 0 1 2 3\n$EndElements\n",
                 2, "x.msh:8: node 3 has z = 0.1 and node 1 has z = 0");
}

Test(gmsh_read, unused_nodes_and_facets_without_a_group_are_dropped) {
  const char *text = HEAD "$Nodes\n4\n9 5 5 0\n1 0 0 0\n2 1 0 0\n3 1 1 0\n$EndNodes\n$Elements\n3\n"
                          "1 1 2 0 1 1 2\n2 1 2 4 1 2 3\n3 2 2 0 1 1 2 3\n$EndElements\n"
                          "$NodeData\n1\n\"u\"\n$EndNodeData\n";
  Mesh mesh;
  Err err = {0};
  cr_assert_eq(gmsh_read_memory(&mesh, "x.msh", text, strlen(text), 2, &err), OK, "%s", err.text);
  cr_assert_eq(mesh.n_nodes, 3);
  cr_assert_eq(mesh.n_facets, 1);
  const MeshGroup *group = mesh_find_group(&mesh, "physical_1_4");
  cr_assert_not_null(group);
  cr_assert_eq(group->kind, GROUP_FACETS);
  mesh_free(&mesh);
  // surfaces in space: all facets stay
  cr_assert_eq(gmsh_read_memory(&mesh, "x.msh", text, strlen(text), 3, &err), OK, "%s", err.text);
  cr_assert_eq(mesh.n_elems, 0);
  cr_assert_eq(mesh.n_facets, 1);
  mesh_free(&mesh);
}

Test(gmsh_read, partitions_are_in_the_groups_of_the_whole_and_seams_in_none) {
  const char *text = HEAD_41
      "$PhysicalNames\n2\n2 3 \"body\"\n2 4 \"also\"\n$EndPhysicalNames\n"
      "$Entities\n0 0 1 0\n1 0 0 0 1 1 0 2 3 -4 0\n$EndEntities\n"
      "$PartitionedEntities\n2\n1\n9 1\n0 1 2 0\n8 2 1 2 1 2 0 0 0 1 1 0 1 4 0\n2 2 1 1 1 0 0 0 1 1 0 0 0\n"
      "3 2 1 1 2 0 0 0 1 1 0 1 4 0\n$EndPartitionedEntities\n"
      "$Nodes\n1 4 1 4\n2 2 0 4\n1\n2\n3\n4\n0 0 0\n1 0 0\n1 1 0\n0 1 0\n$EndNodes\n"
      "$Elements\n3 3 1 3\n1 8 1 1\n3 1 3\n2 2 2 1\n1 1 2 3\n2 3 2 1\n2 1 3 4\n$EndElements\n";
  Mesh mesh;
  Err err = {0};
  cr_assert_eq(gmsh_read_memory(&mesh, "x.msh", text, strlen(text), 2, &err), OK, "%s", err.text);
  cr_assert_eq(mesh_find_group(&mesh, "body")->n, 1);
  cr_assert_eq(mesh_find_group(&mesh, "also")->n, 2);
  cr_assert_eq(mesh.n_facets, 0);
  mesh_free(&mesh);
}

Test(gmsh_read, a_missing_file_a_folder_and_a_pipe_are_refused) {
  char folder[512], pipe_path[600];
  scratch_path(folder, sizeof folder, "read");
  Mesh mesh;
  Err err = {0};
  cr_assert_not_null(mkdtemp(folder));
  snprintf(pipe_path, sizeof pipe_path, "%s/pipe", folder);
  cr_assert_eq(mkfifo(pipe_path, 0600), 0);
  cr_assert_eq(mesh_read_gmsh(&mesh, "meshes/absent.msh", 2, &err), ERR_INPUT);
  cr_assert_not_null(strstr(err.text, "meshes/absent.msh: No such file"));
  cr_assert_eq(mesh_read_gmsh(&mesh, folder, 2, &err), ERR_INPUT);
  cr_assert_not_null(strstr(err.text, "a folder"));
  cr_assert_eq(mesh_read_gmsh(&mesh, pipe_path, 2, &err), ERR_INPUT);
  unlink(pipe_path);
  rmdir(folder);
}

Test(gmsh_read, the_meshes_of_the_repository_are_what_they_should_be) {
  Mesh mesh;
  Err err = {0};
  cr_assert_eq(mesh_read_gmsh(&mesh, "meshes/cook.msh", 2, &err), OK, "%s", err.text);
  cr_assert_eq(mesh.n_elems, 16);
  cr_assert_float_eq(mesh_measure(&mesh), 1440, 1e-9); // 48 (44 + 16) / 2 for Cook's panel
  cr_assert_eq(mesh_find_group(&mesh, "right")->n, 4);
  mesh_free(&mesh);
  cr_assert_eq(mesh_read_gmsh(&mesh, "meshes/two_blocks.msh", 2, &err), OK, "%s", err.text);
  cr_assert_float_eq(mesh_measure(&mesh), 0.01, 1e-15);
  cr_assert_eq(mesh_find_group_of(&mesh, "lower", GROUP_ELEMENTS)->n, 8);
  cr_assert_eq(mesh_find_group_of(&mesh, "upper", GROUP_ELEMENTS)->n, 8);
  cr_assert_eq(mesh_find_group_of(&mesh, "base", GROUP_FACETS)->n, 2);
  cr_assert_eq(mesh_find_group_of(&mesh, "top", GROUP_FACETS)->n, 2);
  mesh_free(&mesh);
  cr_assert_eq(mesh_read_gmsh(&mesh, "meshes/box.msh", 3, &err), OK, "%s", err.text);
  cr_assert_float_eq(mesh_measure(&mesh), 6, 1e-14);
  cr_assert_eq(mesh_find_group(&mesh, "z1")->n, 6);
  mesh_free(&mesh);
}
