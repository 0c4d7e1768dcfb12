// mesh/masonry_bond.h -- inside of the wall: where the head joints of a course fall.
//
// x is measured from the wall's lower left corner. A segment is a part of a course between ends of
// the wall, jambs and lintels. Its joints first follow the bond; then those that would come too
// close to a joint of the course below, or stand under a lintel's bearing, or miss a jamb by
// little, are moved or left out.

#ifndef MESH_MASONRY_BOND_H
#define MESH_MASONRY_BOND_H

#include "mesh/masonry.h"

typedef struct {
  double *x; // increasing [m]
  int n;
  size_t room;
} Joints;

typedef struct {
  double low, high; // a lintel on top of this course: no joint may stand under it  [m]
} Bearing;

typedef struct {
  const WallSpec *spec;
  double tolerance;       // lengths below are nothing                                [m]
  double least;           // shortest piece: a quarter block                          [m]
  double offset;          // least distance of joints of two courses                  [m]
  const Joints *below;    // of the course below; NULL for the first one
  const Bearing *bearing; // [n_bearings] lintels that rest on this course
  int n_bearings;
  const double *jamb; // [n_jambs] sides of openings that begin on top of this course    [m]
  int n_jambs;
} Bond;

Status joints_add(Joints *joints, double x, Err *err) MUST_CHECK;

static inline int bond_has_headers(const WallSpec *spec) {
  return spec->bond == BOND_FLEMISH || spec->bond == BOND_ENGLISH;
}
// The stone behind a header at an end that makes up for what is left: its length [m].
double bond_closer(const WallSpec *spec);

// 1 if this course (0 = lowest) begins with a half block, or is set back by one.
int bond_is_shifted(const WallSpec *spec, int course);

// Appends the joints inside the segment ]low, high[ of a course, from left to right.
Status bond_segment(const Bond *bond, int course, double low, double high, Joints *joints,
                    Err *err) MUST_CHECK;

#endif
