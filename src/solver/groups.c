#include "solver/groups.h"

#include "base/sets.h"

Status groups_find(const Problem *p, const int32_t **group, Arena *arena, Err *err) {
  const BodyRows *rows = &p->bodies;
  int32_t *set;
  *group = rows->group;
  if (*group) return OK;
  ARENA_NEW(set, rows->n_bodies, arena, err);
  sets_begin(set, rows->n_bodies);
  for (int i = 0; i < p->n; i++) {
    const int32_t *moved = rows->moved + 2 * (size_t)i;
    if (moved[0] >= 0 && moved[1] >= 0) sets_join(set, moved[0], moved[1]);
  }
  for (int b = 0; b < rows->n_bodies; b++) set[b] = sets_head(set, b);
  *group = set;
  return OK;
}

int groups_of_contact(const int32_t *group, const Problem *p, int i) {
  const int32_t *moved = p->bodies.moved + 2 * (size_t)i;
  int body = moved[0] >= 0 ? moved[0] : moved[1];
  return body < 0 ? -1 : group[body];
}
