#include "solver/split.h"

#include "solver/body_system.h"
#include "solver/groups.h"

// Of W along the normal, from which `elastic` stands for all of it: where nothing deforms
// (problem.h). What is so stiff that levers explain its W has far less.
static const double ALL_OF_W = 0.5;

static int is_rigid(const Problem *p, int i) {
  double normal = p->diag[(size_t)i * (size_t)(p->dim * p->dim)];
  return p->elastic[2 * i] >= ALL_OF_W * normal && contact_is_rigid(p, i);
}

Status split_find(Split *split, const Problem *p, Arena *arena, Err *err) {
  const BodyRows *rows = &p->bodies;
  uint8_t *deforms;
  int n_fixed = 0;
  *split = (Split){0};
  if (!p->elastic || !rows->moved || !rows->lever || p->item) return OK;
  ARENA_NEW(split->rigid, p->n + 1, arena, err);
  ARENA_NEW(deforms, rows->n_bodies, arena, err);
  for (int b = 0; b < rows->n_bodies; b++) deforms[b] = 0;
  TRY(groups_find(p, &split->group, arena, err));
  for (int i = 0; i < p->n; i++) {
    int group = groups_of_contact(split->group, p, i);
    if (group >= 0 && !is_rigid(p, i)) deforms[group] = 1;
  }
  for (int i = 0; i < p->n; i++) {
    int group = groups_of_contact(split->group, p, i);
    n_fixed += group < 0; // what moves nothing carries nothing, with whichever it goes
    split->rigid[i] = group >= 0 && !deforms[group];
    split->n_rigid += split->rigid[i];
  }
  if (split->n_rigid + n_fixed == p->n) split->n_rigid = 0;
  return OK;
}

// NULL where laws add nothing to any of these contacts.
static const double *where_any(const double *x, size_t n) {
  for (size_t k = 0; x && k < n; k++)
    if (x[k] != 0) return x;
  return NULL;
}

Status split_take(const Split *split, int rigid, Part *part, const double *r, Arena *arena,
                  Err *err) {
  const Problem *whole = part->whole;
  Problem *p = &part->p;
  int64_t blocks = 0; // not counted: parts touch nowhere
  for (int i = 0; i < whole->n; i++)
    if (split->rigid[i] == rigid) part->place[i] = 1;
  size_t n = (size_t)part_list(part);
  TRY(part_take(part, r, &blocks, arena, err));
  TRY(part_take_bodies(part, arena, err));
  p->radius = where_any(p->radius, n);
  p->s = where_any(p->s, n * (size_t)p->dim);
  p->a = where_any(p->a, 2 * n);
  if (rigid) p->elastic = NULL;
  p->bodies.group = split->group;
  return OK;
}
