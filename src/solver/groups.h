// solver/groups.h -- bodies that hang together: those that touch one another, in chains too. What
// nothing moves connects nothing.

#ifndef SOLVER_GROUPS_H
#define SOLVER_GROUPS_H

#include "solver/problem.h"

typedef struct {
  int32_t *set; // [n_bodies] sets.h
} Groups;

// For a problem that knows its bodies.
Status groups_find(Groups *groups, const Problem *p, Arena *arena, Err *err) MUST_CHECK;

// The body that stands for the group of this one.
int groups_of_body(Groups *groups, int body);

// The same of contact i, -1: it moves none.
int groups_of_contact(Groups *groups, const Problem *p, int i);

#endif
