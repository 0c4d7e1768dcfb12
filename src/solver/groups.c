#include "solver/groups.h"

int groups_of_body(Groups *groups, int body) {
  int32_t *parent = groups->parent;
  while (parent[body] != body) body = parent[body] = parent[parent[body]]; // the way made short
  return body;
}

int groups_of_contact(Groups *groups, const Problem *p, int i) {
  const int32_t *moved = p->bodies.moved + 2 * (size_t)i;
  int body = moved[0] >= 0 ? moved[0] : moved[1];
  return body < 0 ? -1 : groups_of_body(groups, body);
}

Status groups_find(Groups *groups, const Problem *p, Arena *arena, Err *err) {
  const BodyRows *rows = &p->bodies;
  ARENA_NEW(groups->parent, rows->n_bodies, arena, err);
  for (int b = 0; b < rows->n_bodies; b++) groups->parent[b] = b;
  for (int i = 0; i < p->n; i++) {
    const int32_t *moved = rows->moved + 2 * (size_t)i;
    if (moved[0] < 0 || moved[1] < 0) continue;
    int a = groups_of_body(groups, moved[0]), b = groups_of_body(groups, moved[1]);
    groups->parent[a > b ? a : b] = a > b ? b : a;
  }
  return OK;
}
