#include <criterion/criterion.h>

#include <stdio.h>

#include "../../support/no_leak.h"
#include "deck_judge.h"

TestSuite(deck_dyna, .fini = no_leak);

// Fields of 8 and 16 columns that touch one another, as large numbers do.
#define NODES                                                                                      \
  "*KEYWORD\n$#   nid               x               y               z      tc      rc\n*NODE\n"    \
  "10000001-1.000000000E+00-1.000000000E+00 0.000000000E+00       0       0\n"                     \
  "10000002 1.000000000E+00-1.000000000E+00 0.000000000E+00\n"                                     \
  "10000003,1.,1.,0.\n"                                                                            \
  "10000004            -1.0             1.0\n"

Test(deck_dyna, reads_shells_in_columns_and_between_commas) {
  MeshTold told;
  Mesh mesh = deck_mesh(dyna_read_memory,
                        NODES "*ELEMENT_SHELL\n"
                              "       1       510000001100000021000000310000003\n"
                              "2, 6, 10000001, 10000003, 10000004\n"
                              "*PART\nBlank, of steel\n         5         1         1\n"
                              "*SET_NODE_LIST_TITLE\nleft side\n         7       0.0\n"
                              "  10000001  10000004         0         0\n"
                              "*SET_NODE\n8\n10000002,10000003\n"
                              "*SET_SHELL_LIST\n         3\n         2\n"
                              "*MAT_ELASTIC\n         1\n*SECTION_SHELL\n1\n*MAT_ELASTIC\n2\n"
                              "*END\nrubbish\n",
                        3, &told);
  cr_assert_eq(mesh.n_nodes, 4);
  cr_assert_eq(mesh.n_facets, 2);
  cr_assert(mesh.x[0] == -1 && mesh.x[1] == -1 && mesh.x[9] == -1 && mesh.x[10] == 1);
  cr_assert(mesh.facet_shape[0] == SHAPE_T3 && mesh.facet_shape[1] == SHAPE_T3);
  expect_group(&mesh, "part_5", GROUP_FACETS, "0");
  expect_group(&mesh, "part_6", GROUP_FACETS, "1");
  expect_group(&mesh, "left_side", GROUP_NODES, "0 3");
  expect_group(&mesh, "set_8", GROUP_NODES, "1 2");
  expect_group(&mesh, "set_3", GROUP_FACETS, "1");
  cr_assert_str_eq(told.text, "skipped, as no part of a mesh: *MAT_ELASTIC (2, first in line 24), "
                              "*SECTION_SHELL (line 26)");
  mesh_free(&mesh);
}

Test(deck_dyna, reads_solids_on_one_line_or_two) {
  static const char nodes[] =
      "*NODE\n1,0,0,0\n2,2,0,0\n3,2,2,0\n4,0,2,0\n5,0,0,2\n6,2,0,2\n7,2,2,2\n8,0,2,2\n9,1,1,3\n"
      "*ELEMENT_SOLID\n";
  static const char *const solids[] = {
      "       1       1       1       2       3       4       5       6       7       8\n"
      "       2       1       5       6       7       9       9       9       9       9\n",
      "       1       1\n       1       2       3       4       5       6       7       8\n"
      "       2       1\n       5       6       7       9       0       0\n"};
  for (int k = 0; k < 2; k++) {
    MeshTold told;
    char text[1000];
    snprintf(text, sizeof text, "%s%s", nodes, solids[k]);
    Mesh mesh = deck_mesh(dyna_read_memory, text, 3, &told);
    cr_assert_eq(mesh.n_elems, 2);
    cr_assert(mesh.elem_shape[0] == SHAPE_H8 && mesh.elem_shape[1] == SHAPE_T4);
    cr_assert_float_eq(mesh_measure(&mesh), 8 + 2.0 / 3, 1e-14);
    expect_group(&mesh, "part_1", GROUP_ELEMENTS, "0 1");
    mesh_free(&mesh);
  }
}

Test(deck_dyna, refuses_what_it_cannot_follow_with_its_line) {
  static const struct {
    const char *text, *said;
  } cases[] = {
      {"*KEYWORD LONG=Y\n", "d:1: '*KEYWORD LONG=Y': fields of 8, 10 and 16 columns"},
      {"*KEYWORD\n*INCLUDE\nmesh.k\n", "d:2: *INCLUDE is not read, and the mesh depends on it"},
      {NODES "*ELEMENT_SHELL_THICKNESS\n", "d:8: *ELEMENT_SHELL_THICKNESS is not read"},
      {NODES "*ELEMENT_SHEL\n", "d:8: card '*ELEMENT_SHEL' is not known: is it *ELEMENT_SHELL?"},
      {"*NODE\n       1       &width             0.0\n", "d:2: '&width' stands where a coordinate"},
      {"*NODE\n      a1             0.0\n", "d:2: 'a1' stands where the number of a node"},
      {NODES "*ELEMENT_SHELL\n1,1,10000001,10000002,10000003,10000004,10000002\n",
       "d:9: shell 1 has more than four nodes"},
      {NODES "*ELEMENT_SHELL\n1,1,10000001,10000002,5\n", "d:9: element 1 refers to node 5"},
      {NODES "*ELEMENT_SOLID\n1,1,1,2,3,4,5,5,6,6\n", "d:9: solid 1 is a wedge or a pyramid"},
      {NODES "*ELEMENT_SOLID\n1,1\n", "element 1 has no nodes"},
      {NODES "*SET_NODE\n", "*SET_NODE ends without its set"},
  };
  for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++)
    expect_refused(dyna_read_memory, cases[k].text, cases[k].said);
}
