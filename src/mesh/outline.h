// mesh/outline.h -- polygons with rounded corners: sides and fillets of tool profiles and of
// blanks.
//
// A corner is a triple: two coordinates and the radius of the fillet there, 0: sharp. A fillet
// touches both of its sides, and may use them up.

#ifndef MESH_OUTLINE_H
#define MESH_OUTLINE_H

#include "base/err.h"

typedef struct {
  double t[2], length; // unit direction; corner to corner                             [m]
  double cut[2];       // what the fillets take at its begin and end                   [m]
} OutlineSide;

typedef struct {
  double angle;     // by which the outline turns, > 0 to the left; 0: it goes straight on
  double centre[2]; // of the fillet, if there is one
} OutlineCorner;

// Fillets may use up a side to within this share of its length.
extern const double OUTLINE_FULL;
// Sides meet without a corner when the sine of the turn is below this.
extern const double OUTLINE_STRAIGHT;

// Sides of n corners [3 n], side k from corner k to the next; n_sides is n where the outline is
// closed, else n - 1. `what` stands for it in messages. ERR_INPUT: two corners are the same point.
Status outline_sides(const double *corner, int n, int n_sides, const char *what, OutlineSide *side,
                     Err *err) MUST_CHECK;
// Corner k between two of them; shortens both. ERR_INPUT: negative radius, the outline turns back.
Status outline_corner(const double *corner, int k, const char *what, OutlineSide *before,
                      OutlineSide *after, OutlineCorner *out, Err *err) MUST_CHECK;
// After all corners: ERR_INPUT where fillets take more than there is of a side.
Status outline_check(const OutlineSide *side, int n, int n_sides, const char *what,
                     Err *err) MUST_CHECK;

#endif
