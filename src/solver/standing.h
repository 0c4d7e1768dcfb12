// solver/standing.h -- impulses that hold rigid bodies at rest, found in the velocities of these.
//
// Forces between rigid bodies that stand are not unique: W is singular, sweeps creep along what
// moves nothing, and Newton's method has nothing to hold on to. Two ways around it, each with one
// factor of the bodies' size (body_system.h):
//
// settle: while no contact changes its status, the impulses of the last step are those of this one
//     but for a small change. Of all changes that let contacts stand still the one is taken that is
//     least in the metric of D / room, room being how far an impulse is inside its cone: what is
//     near its bound hardly moves. Motions that are soft against all contacts are settled to the
//     end with the same factors (sway.h). One that slips gives along its normal, its friction with
//     it. Two or three times in a row it ends at round-off, and then the next steps have nothing to
//     do. Where the last step's impulses were no start, contacts that are open by far lose what
//     iterations have left them.
// step: alternating directions from anywhere (as solver_admm.c), with a small weight, the smaller
//     the higher bodies stand on one another: impulses in balance (r) and in their cones (z) take
//     turns. Few iterations where bodies stand, many where they move. From nothing it finds small
//     impulses, with next to nothing where blocks that stand side by side only touch.

#ifndef SOLVER_STANDING_H
#define SOLVER_STANDING_H

#include "solver/sway.h"

typedef struct {
  const Problem *p;
  const double *scale; // [n] 1/|D_i| of measure_scales, borrowed
  BodySystem system;
  Sway sway;
  double tall;     // bodies over one another, over those that are low; at least 1
  double yield;    // of a settled contact with all its room, over D
  double weight;   // of the cones over D in alternating directions
  double *rhs, *v; // [n_bodies * modes]
  double *load;    // [n_bodies * modes] right-hand side of what is settled
  double *z, *w;   // [n * dim] impulses in their cones; what the last steps lacked
  double *j;       // [n * dim^2]
  int slips;       // 1: a contact slipped in what was settled last
  int clears;      // 1: contacts that are open by far are settled without any impulse
  double far;      // velocity of contacts that are open by far
  uint8_t *open;   // [n] 1: settled without any impulse
} Standing;

// standing->system.lu.made is 0 where the factors would be too large.
Status standing_init(Standing *standing, const Problem *p, const double *scale, SolverKept *kept,
                     Arena *arena, Err *err) MUST_CHECK;

// g = r settled, both [n * dim]; 0 where nothing could be done.
int standing_settle(Standing *standing, const double *r, double *g, SolverReport *report);

// What was settled last left soft motions? Then takes them out of its g.
int standing_settle_sway(Standing *standing, double *g, SolverReport *report);

// 1: bodies are so heavy or stand so high that impulses within the tolerance are far from settled:
// one that is small beside the others leaves its cone on the way.
int standing_is_delicate(const Standing *standing);
// Puts impulses back into their cones, each by itself, with room for friction to either side.
void standing_put_back(const Standing *standing, double *r);

// Alternating directions from r; 0 where the factors are singular. Each step leaves its impulses in
// standing->z.
int standing_start(Standing *standing, const double *r, SolverReport *report);
// Makes their factors once more, after something was settled: the next step goes on where they
// were.
int standing_go_on(Standing *standing, SolverReport *report);
void standing_step(Standing *standing, SolverReport *report);

#endif
