// body/rigid_motion.h -- where a rigid body is and how it moves, told from its nodes and given back
// to them; not for other rooms.
//
// The state has no unknowns of its own: positions and velocities of the nodes are those of the
// motion, and the motion is found from them by sums with the nodes' masses, whose first moment is
// exact. In the plane a rotation is told by its angle and a spin is one number. In space velocities
// of the nodes belong to a rotation, that of their place or the frame of a step; what is carried
// from one to the other is the angular momentum.

#ifndef BODY_RIGID_MOTION_H
#define BODY_RIGID_MOTION_H

#include "body/dynamics.h"

typedef struct {
  double x[3], r[9]; // centre of mass, rotation of the mesh [dim * dim]
  double v[3], spin[3];
} RigidMotion;

// Force and moment about the centre, or impulses.
typedef struct {
  double force[3], moment[3];
} Wrench;

// The place from displacements of the nodes.
void rigid_place(const BodySet *bs, const RigidBody *rigid, const double *q, RigidMotion *at);
// The velocity from those of the nodes: they stand to the rotation at->r, in the plane to any one
// not far from it.
void rigid_velocity(const BodySet *bs, const RigidBody *rigid, const double *v, RigidMotion *at);
// Velocities of the nodes at the rotation at->r; rigid_add_velocities: += these.
void rigid_set_velocities(const BodySet *bs, const RigidBody *rigid, const RigidMotion *at,
                          double *v);
void rigid_add_velocities(const BodySet *bs, const RigidBody *rigid, const RigidMotion *at,
                          double *v);
// Displacements of the nodes.
void rigid_displace(const BodySet *bs, const RigidBody *rigid, const RigidMotion *at, double *q);
Wrench rigid_resultant(const BodySet *bs, const RigidBody *rigid, const double *rotation,
                       const double *force);

// Angular momentum about the centre, in the axes of the model.
void rigid_angular_momentum(int dim, const RigidBody *rigid, const RigidMotion *at, double l[3]);
// The spin with the same angular momentum, and a moment more, at another rotation, which becomes
// that of the motion.
void rigid_carry(int dim, const RigidBody *rigid, const double *rotation, const double moment[3],
                 RigidMotion *at);
// Turns by spin times a time.
void rigid_turn(int dim, const double spin[3], double time, double *rotation);
// The spin at which a step goes that begins with `at` and ends with `end`, the one at its own
// rotation, the other at the frame of the step. Of a body that nothing acts on it keeps energy and
// momentum at theta 1/2.
void rigid_mean_spin(int dim, const RigidBody *rigid, StepSize size, const RigidMotion *at,
                     const RigidMotion *end, double spin[3]);
// Kinetic energy at the rotation of the motion.
double rigid_kinetic(int dim, const RigidBody *rigid, const RigidMotion *at);
// Twice the kinetic energy of what one motion has more than the other, in the axes of the body.
double rigid_difference(int dim, const RigidBody *rigid, const RigidMotion *at,
                        const RigidMotion *end);

#endif
