// solver/groups.h -- bodies that hang together: those that touch one another, in chains too. What
// nothing moves connects nothing.

#ifndef SOLVER_GROUPS_H
#define SOLVER_GROUPS_H

#include "solver/problem.h"

// group [n_bodies]: the body that stands for the group of each, of a problem that knows its bodies;
// p->bodies.group where that is known.
Status groups_find(const Problem *p, const int32_t **group, Arena *arena, Err *err) MUST_CHECK;

// The same of contact i, -1: it moves none.
int groups_of_contact(const int32_t *group, const Problem *p, int i);

#endif
