// What a reader of decks makes of a text.
#ifndef TESTS_UNIT_MESH_DECK_JUDGE_H
#define TESTS_UNIT_MESH_DECK_JUDGE_H

#include <criterion/criterion.h>

#include <string.h>

#include "mesh/readers.h"

static inline Mesh deck_mesh(MeshReader *read, const char *text, int dim, MeshTold *told) {
  Mesh mesh;
  Err err = {0};
  *told = (MeshTold){0};
  cr_assert_eq(read(&mesh, "d", text, strlen(text), dim, told, &err), OK, "%s\n%s", text, err.text);
  return mesh;
}

static inline void expect_refused(MeshReader *read, const char *text, const char *said) {
  Mesh mesh;
  MeshTold told = {0};
  Err err = {0};
  cr_assert_eq(read(&mesh, "d", text, strlen(text), 3, &told, &err), ERR_INPUT, "%s", text);
  cr_assert_not_null(strstr(err.text, said), "'%s' lacks '%s'", err.text, said);
  cr_assert_null(mesh.x);
}

// Members of a group, as "0 3 5".
static inline void expect_group(const Mesh *mesh, const char *name, GroupKind kind,
                                const char *members) {
  const MeshGroup *group = mesh_find_group_of(mesh, name, kind);
  char text[400] = "";
  size_t n = 0;
  cr_assert_not_null(group, "no group '%s'", name);
  for (int k = 0; k < group->n; k++)
    n += (size_t)snprintf(text + n, sizeof text - n, "%s%d", k ? " " : "", group->items[k]);
  cr_assert_str_eq(text, members, "'%s' is %s", name, text);
}

#endif
