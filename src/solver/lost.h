// solver/lost.h -- bodies whose errors are lost in the sum over all contacts.
//
// Errors are held against the impulses of a whole problem. Beside a block of 20 m the weight of a
// stone of 1 cm is 1e-10 of what is held, and impulses that throw it up count as right. So each
// body's contacts are looked at by themselves: their error against their own impulses, or against
// those that would give them the velocity that drives the problem where that is more. Bodies that
// miss by far make a problem of their own, while all other impulses stand still.
//
// Bodies that deform and touch no others (groups.h) deserve the tolerance on their own impulses.
// What drives others does not count for theirs, and where their errors together are more than a few
// tolerances of their impulses they make such a problem too. It is looked at again: groups come
// apart as far as they have to.
//
// A heavy body on light ones is the other way round: an impulse that is next to nothing beside what
// it carries stops the light ones, and residuals by their W do not see what it lacks itself. As
// velocities, against the one that drives the problem, they do.

#ifndef SOLVER_LOST_H
#define SOLVER_LOST_H

#include "solver/part.h"

typedef struct {
  // [n] squares of the errors of contacts in the energy of Problem.elastic, given; NULL: the scaled
  // error counts
  const double *square;
  double *error, *size; // [n_bodies] squares of errors and impulses of their contacts
  double heavy;         // the tolerance over the one that heavy bodies ask for, at least 1
  int n;                // contacts of bodies that miss
} Lost;

// Of the impulses r of part->whole, whose judged error is known. Contacts of bodies that miss the
// tolerance become marks in part->place (after part_init). Finds nothing where the problem does not
// know its bodies.
Status lost_find(Lost *lost, Part *part, const double *r, double error, double tolerance,
                 Arena *arena, Err *err) MUST_CHECK;

#endif
