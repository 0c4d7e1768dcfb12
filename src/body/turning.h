// body/turning.h -- how the nodes of a body have gone since the start, as one motion, and how they
// turn now.
#ifndef BODY_TURNING_H
#define BODY_TURNING_H

#include "body/body.h"

// By the masses of its nodes, of bodies without mass by the nodes alone.
typedef struct {
  double sum[9]; // of masses, places now (rows) and at the start (columns), about their centres
  double start[3], place[3];    // centre at the start and now                     [m]
  double v[3];                  // its velocity                                    [m/s]
  double inertia[9], moment[3]; // about it, now, of the nodes' masses  [kg m^2], [kg m^2/s]
} BodyTurning;

BodyTurning body_turning(const BodySet *bs, const BodyState *state, int body);

// The rotation nearest to how the nodes have gone; in the plane about z. 0: what is flat in space,
// where nothing tells one side from the other; r is then the identity.
int body_rotation(int dim, const BodyTurning *turning, double r[9]);

#endif
