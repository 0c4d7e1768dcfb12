#include <criterion/criterion.h>

#include <stdio.h>

#include "../../support/no_leak.h"
#include "deck_judge.h"

TestSuite(deck_abaqus, .fini = no_leak);

// Two quadrilaterals and two triangles beside them; node 70 is a reference point, of no element.
#define NODES                                                                                      \
  "*NODE\n1, 0., 0.\n2, 1., 0., 0.\n3, 2.0E0, 0., 0.\n11, 0., 1D0, 0.\n12, 1., 1., 0.\n13, 2., "   \
  "1., 0.\n70, 9., 9., 9.\n"
#define SHELLS "*Element, TYPE=S4R, ELSET=quads\n5, 1, 2, 12, 11\n"
#define MESH   NODES SHELLS

Test(deck_abaqus, reads_shells_with_sets_of_every_form) {
  MeshTold told;
  Mesh mesh =
      deck_mesh(abaqus_read_memory,
                "*Heading\n one, two\n** comment\r\n" NODES
                "*Element, TYPE=S4R,\n ELSET=quads\n5, 1, 2,\n 12, 11\n\n"
                "*ELEMENT, type = s3 , elset=\"tri angles\"\r\n7, 2, 3, 13\n8, 2, 13, 12\n"
                "*NSET, NSET=low, GENERATE\n1, 3\n*nset, nset=some, unsorted\n13, 2,\n 2\n"
                "*NSET, NSET=both\nLOW, 70\n some,\n*Nset, nset=point\n70\n"
                "*ELSET, ELSET=all\nquads, tri_angles\n*ELSET, ELSET=ends, GENERATE\n5, 8, 3\n",
                3, &told);
  cr_assert_eq(mesh.n_nodes, 6);
  cr_assert_eq(mesh.n_elems, 0);
  cr_assert_eq(mesh.n_facets, 3);
  cr_assert(mesh.x[3 * 2] == 2 && mesh.x[3 * 3 + 1] == 1);
  cr_assert(mesh.facet_shape[0] == SHAPE_Q4 && mesh.facet_shape[2] == SHAPE_T3);
  expect_group(&mesh, "quads", GROUP_FACETS, "0");
  expect_group(&mesh, "tri_angles", GROUP_FACETS, "1 2");
  expect_group(&mesh, "all", GROUP_FACETS, "0 1 2");
  expect_group(&mesh, "ends", GROUP_FACETS, "0 2");
  expect_group(&mesh, "low", GROUP_NODES, "0 1 2");
  expect_group(&mesh, "some", GROUP_NODES, "1 5");
  expect_group(&mesh, "both", GROUP_NODES, "0 1 2 5"); // without the point, which no element uses
  cr_assert_null(mesh_find_group(&mesh, "point"));
  cr_assert_str_eq(told.text, "");
  mesh_free(&mesh);
}

Test(deck_abaqus, reads_bodies_of_the_plane_and_of_space) {
  MeshTold told;
  Mesh mesh =
      deck_mesh(abaqus_read_memory, NODES "*ELEMENT, TYPE=CPE4R\n1, 1, 2, 12, 11\n", 2, &told);
  cr_assert_eq(mesh.n_elems, 1);
  cr_assert_float_eq(mesh_measure(&mesh), 1, 1e-15);
  mesh_free(&mesh);
  mesh = deck_mesh(abaqus_read_memory,
                   "*NODE\n1,0,0,0\n2,2,0,0\n3,2,2,0\n4,0,2,0\n5,0,0,2\n6,2,0,2\n7,2,2,2\n8,0,2,2\n"
                   "9,1,1,3\n*ELEMENT, TYPE=C3D8R, ELSET=brick\n1, 1,2,3,4,\n5,6,7,8\n"
                   "*ELEMENT, TYPE=C3D4\n2, 5,6,7,9\n*ELEMENT,TYPE=S3,ELSET=skin\n3, 1,3,2\n",
                   3, &told);
  cr_assert_eq(mesh.n_elems, 2);
  cr_assert_float_eq(mesh_measure(&mesh), 8 + 2.0 / 3, 1e-14);
  expect_group(&mesh, "brick", GROUP_ELEMENTS, "0");
  expect_group(&mesh, "skin", GROUP_FACETS, "0");
  mesh_free(&mesh);
}

Test(deck_abaqus, says_once_what_it_skips_and_ends_at_the_first_step) {
  MeshTold told;
  Mesh mesh = deck_mesh(abaqus_read_memory,
                        "*PART, NAME=p\n" NODES SHELLS
                        "*ELEMENT, TYPE=MASS, ELSET=m\n99, 70\n*END PART\n*ASSEMBLY\n"
                        "*INSTANCE, NAME=i, PART=p\n0., 0., 0.\n1, 0, 0, 1, 0, 1, 0.\n"
                        "*END INSTANCE\n"
                        "*NODE\n1, 7., 7., 7.\n*NSET, NSET=ref\n1\n"
                        "*NSET, NSET=left, INSTANCE=i\n1, 11\n*ELSET, ELSET=e, INSTANCE=i\n5, 99\n"
                        "*END ASSEMBLY\n*MATERIAL, NAME=a\n*ELASTIC\n1., 0.\n"
                        "*MATERIAL, NAME=b\n*ELASTIC\n2., 0.\n*STEP\nrubbish\n*NODES\n",
                        3, &told);
  cr_assert_str_eq(told.text,
                   "skipped, as no part of a mesh: elements MASS (line 12), *NODE (line 20), *NSET "
                   "(line 22), *MATERIAL (2, first in line 29), *ELASTIC (2, first in line 30), "
                   "*STEP and all behind it (line 35)");
  expect_group(&mesh, "left", GROUP_NODES, "0 2");
  expect_group(&mesh, "e", GROUP_FACETS, "0");
  cr_assert(mesh.x[0] == 0);
  mesh_free(&mesh);
}

Test(deck_abaqus, refuses_what_it_cannot_follow_with_its_line) {
  static const struct {
    const char *text, *said;
  } cases[] = {
      {"", "d: the file has no nodes"},
      {NODES, "d: the file has no elements"},
      {"*NODE %\n1,0,0,0\n", "d: the file has no nodes; skipped, as not known: *NODE % (line 1)"},
      {"solid\n", "d:1: 'solid' stands where a card should begin"},
      {"*NODES\n1,0,0,0\n", "d:1: card '*NODES' is not known: is it *NODE?"},
      {NODES "*ELEMNT, TYPE=S3\n", "d:9: card '*ELEMNT' is not known: is it *ELEMENT?"},
      {"*NODE\n1, 0.\n", "d:2: a node has a number and"},
      {"*NODE\n1, 0., x, 0.\n", "d:2: 'x' stands where a coordinate should be"},
      {"*NODE\n1, 0., nan, 0.\n", "d:2: 'nan' stands where a coordinate should be"},
      {"*NODE\n1.5, 0., 1, 0.\n", "d:2: '1.5' stands where the number of a node should be"},
      {"*NODE, SYSTEM=C\n", "d:1: *NODE with SYSTEM is not followed"},
      {"*INCLUDE, INPUT=a.inp\n", "d:1: *INCLUDE is not read, and the mesh depends on it"},
      {NODES "*ELEMENT, TYPE=C3D10\n", "d:9: elements of type 'C3D10' are not read"},
      {NODES "*ELEMENT, TYPE=S\n", "d:9: elements of type 'S' are not read"},
      {NODES "*ELEMENT\n", "d:9: *ELEMENT without TYPE"},
      {NODES "*ELEMENT, TYPE=S3\n1, 1, 2,\n", "d:10: element 1 has 2 nodes, not 3"},
      {NODES "*ELEMENT, TYPE=S3\n1, 1, 2, 3, 11\n", "d:10: element 1 has more than 3 nodes"},
      {NODES "*ELEMENT, TYPE=S3\n1, 1, 2, 4\n", "d:10: element 1 refers to node 4, which the file"},
      {MESH "5, 2, 3, 13, 12\n", "d:11: element 5 is defined twice, first in line 10"},
      {MESH "*NODE\n2, 0, 0, 0\n", "node 2 is defined twice"},
      {MESH "*NSET, NSET=a\n1, 4\n", "d:11: set 'a' refers to node 4, which the file"},
      {MESH "*ELSET, ELSET=a\n4\n", "d:11: set 'a' refers to element 4, which the file"},
      {MESH "*NSET, NSET=a\nb\n", "d:12: 'b' is neither a number nor a set that came before"},
      {MESH "*NSET, NSET=a\na\n", "d:12: 'a' is neither a number nor a set that came before"},
      {MESH "*NSET, NSET=a, GENERATE\n3, 1\n", "d:12: GENERATE takes a first number"},
      {MESH "*NSET, NSET=a, GENERATE\n1, 99999999999\n", "d:12: set 'a' has more members than"},
      {MESH "*NSET\n", "d:11: *NSET without NSET"},
      {MESH "*PART, NAME=b\n", "d:11: a second part"},
      {MESH "*INSTANCE, NAME=b\n0., 3., 0.\n", "d:12: the instance is moved or turned"},
      {MESH "*INSTANCE, NAME=b\n0., 0., 0.\n0, 0, 0, 0, 0, 1, 90.\n",
       "d:13: the instance is moved or turned"},
  };
  for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++)
    expect_refused(abaqus_read_memory, cases[k].text, cases[k].said);
}

Test(deck_abaqus, tells_of_every_allocation_that_fails) {
  static const char text[] = MESH "*NSET, NSET=a\n1, 2\n*MATERIAL\n";
  Status status = ERR_SYSTEM;
  for (int n = 1; status != OK; n++) {
    Mesh mesh;
    MeshTold told = {0};
    Err err = {0};
    mem_fail_after(n);
    status = abaqus_read_memory(&mesh, "d", text, sizeof text - 1, 3, &told, &err);
    mem_fail_after(0);
    cr_assert(status == OK || status == ERR_SYSTEM, "allocation %d: %s", n, err.text);
    cr_assert_lt(n, 1000);
    mesh_free(&mesh);
  }
}
