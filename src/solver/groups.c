#include "solver/groups.h"

#include "base/sets.h"

int groups_of_body(Groups *groups, int body) {
  return sets_head(groups->set, body);
}

int groups_of_contact(Groups *groups, const Problem *p, int i) {
  const int32_t *moved = p->bodies.moved + 2 * (size_t)i;
  int body = moved[0] >= 0 ? moved[0] : moved[1];
  return body < 0 ? -1 : groups_of_body(groups, body);
}

Status groups_find(Groups *groups, const Problem *p, Arena *arena, Err *err) {
  const BodyRows *rows = &p->bodies;
  ARENA_NEW(groups->set, rows->n_bodies, arena, err);
  sets_begin(groups->set, rows->n_bodies);
  for (int i = 0; i < p->n; i++) {
    const int32_t *moved = rows->moved + 2 * (size_t)i;
    if (moved[0] >= 0 && moved[1] >= 0) sets_join(groups->set, moved[0], moved[1]);
  }
  return OK;
}
