#include <criterion/criterion.h>

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "../../support/no_leak.h"
#include "mesh/mesh.h"
#include "mesh/readers.h"
#include "surface_text.h"

TestSuite(stl_read, .fini = no_leak);

// The cube as text, facets [from, to) of it; returns the length.
static size_t cube_text(char *text, size_t room, int from, int to) {
  size_t n = (size_t)snprintf(text, room, "solid a cube of steel\n");
  for (int f = from; f < to; f++) {
    n += (size_t)snprintf(text + n, room - n, " facet normal 0 0 nan\n  outer loop\n");
    for (int k = 0; k < 3; k++) {
      double x[3];
      cube_corner(f, k, 40, x);
      n += (size_t)snprintf(text + n, room - n, "   vertex %.6e %.6e %.6e\n", x[0], x[1], x[2]);
    }
    n += (size_t)snprintf(text + n, room - n, "  endloop\n endfacet\n");
  }
  return n + (size_t)snprintf(text + n, room - n, "endsolid a cube of steel\n");
}

// As binary, least byte first whatever the machine; the header begins as text does, as some
// programs write it.
static size_t cube_bytes(char *data, int from, int to) {
  memset(data, 0, 84);
  strcpy(data, "solid made by some program");
  data[80] = (char)(to - from);
  size_t at = 84;
  for (int f = from; f < to; f++, at += 50) {
    memset(data + at, 0, 50);
    for (int k = 0; k < 9; k++) {
      double x[3];
      uint32_t bits;
      cube_corner(f, k / 3, 40, x);
      float value = (float)x[k % 3];
      memcpy(&bits, &value, sizeof bits);
      for (int b = 0; b < 4; b++) data[at + 12 + 4 * (size_t)k + (size_t)b] = (char)(bits >> 8 * b);
    }
  }
  return at;
}

static void expect_cube(const char *data, size_t size, const char *told_of) {
  Mesh mesh;
  MeshTold told = {0};
  Err err = {0};
  double low[3], high[3];
  cr_assert_eq(stl_read_memory(&mesh, "c.stl", data, size, 3, &told, &err), OK, "%s", err.text);
  cr_assert_eq(mesh.n_nodes, 8);
  cr_assert_eq(mesh.n_elems, 0);
  cr_assert_eq(mesh.n_facets, told_of[0] ? 10 : CUBE_FACETS);
  mesh_bounds(&mesh, low, high);
  for (int i = 0; i < 3; i++) cr_assert(low[i] == 0 && high[i] == 40);
  cr_assert(told_of[0] ? strstr(told.text, told_of) != NULL : !told.text[0], "'%s'", told.text);
  mesh_free(&mesh);
}

Test(stl_read, text_and_binary_give_the_same_eight_nodes) {
  char data[8192];
  expect_cube(data, cube_text(data, sizeof data, 0, CUBE_FACETS), "");
  expect_cube(data, cube_bytes(data, 0, CUBE_FACETS), "");
}

Test(stl_read, an_open_surface_is_told) {
  char data[8192];
  expect_cube(data, cube_text(data, sizeof data, 0, 10), "open along 4 edges in 1 rim,");
  expect_cube(data, cube_bytes(data, 0, 10), "open along 4 edges in 1 rim,");
}

static void expect_error(const char *data, size_t size, const char *said) {
  Mesh mesh;
  MeshTold told = {0};
  Err err = {0};
  cr_assert_eq(stl_read_memory(&mesh, "c.stl", data, size, 3, &told, &err), ERR_INPUT);
  cr_assert_not_null(strstr(err.text, said), "'%s' lacks '%s'", err.text, said);
  cr_assert_null(mesh.x);
}

// `old` in the text of the whole cube becomes `new`, of the same length or shorter.
static void expect_text_error(const char *old, const char *new, const char *said) {
  char data[8192];
  size_t size = cube_text(data, sizeof data, 0, CUBE_FACETS);
  char *at = strstr(data, old);
  cr_assert_not_null(at, "%s", old);
  memset(at, ' ', strlen(old));
  memcpy(at, new, strlen(new));
  expect_error(data, size, said);
}

Test(stl_read, what_is_no_stl_file_is_named_with_its_line) {
  expect_error("", 0, "c.stl:1: the file ends where 'solid' should stand");
  expect_error("$MeshFormat\n", 12, "c.stl:1: '$MeshFormat' stands where 'solid' should be");
  expect_error("solid\nendsolid\n", 15, "c.stl: the file has no facets");
  expect_error("solid\n\nface", 11, "c.stl:3: 'face' stands where 'facet' or 'endsolid' should be");
  expect_text_error("endloop", "endlop", "c.stl:7: 'endlop' stands where 'endloop' should be");
  expect_text_error("4.000000e+01", "4.0000O0e+01", "c.stl:5: '4.0000O0e+01' stands where a coord");
  expect_text_error("endsolid a cube of steel", "", "the file ends where 'endsolid' should stand");
  // the first corner of the second facet goes where its second one is
  expect_text_error("vertex 0.000000e+00 0.000000e+00 0.000000e+00\n   vertex 0.000000e+00 4.0",
                    "vertex 0.000000e+00 4.000000e+01 0.000000e+00\n   vertex 0.000000e+00 4.0",
                    "c.stl:9: facet 2 has no area");
}

Test(stl_read, binary_files_are_named_with_their_byte) {
  char data[8192];
  size_t size = cube_bytes(data, 0, CUBE_FACETS);
  expect_error(data, size - 1, "683 bytes, and a binary file of 12 facets has 684");
  memcpy(data + 84 + 50 * 3 + 12, data + 84 + 50 * 3 + 24, 12);
  expect_error(data, size, "c.stl: byte 234: facet 4 has no area");
  size = cube_bytes(data, 0, CUBE_FACETS);
  memcpy(data + 84 + 50 + 12, "\0\0\x80\x7F", 4);
  expect_error(data, size, "c.stl: byte 134: a coordinate of facet 2 is inf");
}

Test(stl_read, refuses_a_plane_model) {
  Mesh mesh;
  MeshTold told = {0};
  Err err = {0};
  cr_assert_eq(stl_read_memory(&mesh, "c.stl", "", 0, 2, &told, &err), ERR_INPUT);
  cr_assert_not_null(strstr(err.text, "plane"));
}
