// solver/split.h -- parts of a problem that touch one another nowhere, told apart by what deforms.
//
// Contacts that share a body hang together. Where all bodies of such a part are rigid its impulses
// have no energy of deformation: weighed with those of bodies that deform beside it, by a diagonal
// that stands for no elasticity, its errors say nothing, and what solves walls of stone leaves in
// its joints what nothing determines. So a problem that has both is solved as two, each judged and
// treated as if it were alone.

#ifndef SOLVER_SPLIT_H
#define SOLVER_SPLIT_H

#include "solver/part.h"

typedef struct {
  uint8_t *rigid; // [n] contacts of parts all of whose bodies are rigid
  int n_rigid;
  const int32_t *group; // for Problem.bodies; NULL: not looked for
} Split;

// n_rigid is 0 where the problem is one kind throughout, or does not say what is rigid.
Status split_find(Split *split, const Problem *p, Arena *arena, Err *err) MUST_CHECK;

// The contacts of one kind as a problem with impulses part->r from r; those that are rigid without
// `elastic`. Its bodies hang together as in the whole.
Status split_take(const Split *split, int rigid, Part *part, const double *r, Arena *arena,
                  Err *err) MUST_CHECK;

#endif
