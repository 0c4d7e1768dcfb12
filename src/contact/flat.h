// contact/flat.h -- joints of flat faces in space, laid into their plane; not for other rooms.
#ifndef CONTACT_FLAT_H
#define CONTACT_FLAT_H

#include "contact/clip.h"
#include "contact/pair_type.h"

// Kinds of slots: a node (of rigid faces a corner, number SlotInfo.edge_c) of side joint[0] over
// the other face; two sides that cross, that of the candidate with number edge_c and of the
// antagonist joint[0], of meshed faces an edge between two nodes of the finer one and side joint[0]
// of the polygon of the other; a face of the finer mesh, of side joint[0].
enum { OF_CORNER, OF_SIDES, OF_FACE };

// FlatJoint.few: all points of an overlap, one a face of the finer mesh, its corners, or no more
// than four of them.
enum { FEW_NOT, FEW_MIDDLES, FEW_CORNERS, FEW_REDUCED };

// Sides cross where the sine of their angle is above this: below it one lies along the other.
static const double LEAST_CROSSING = 2e-3;

// Corners of a flat face as they are, and its outward normal.
typedef struct {
  int n;
  const int32_t *node;
  const double *x;
  double normal[3];
} Face;

// Both faces in the plane of the antagonist's, seen from outside it. The candidate's corners run
// the other way round: corner k of the polygon is n - 1 - k of the face.
typedef struct {
  Face face[2]; // of candidate, of antagonist
  Polygon polygon[2];
  double origin[3], axis[2][3];
  double same; // what is nearer is one [m]
} Overlap;

static inline const double *flat_corner(const Face *face, int k) {
  return face->x + 3 * (size_t)face->node[k % face->n];
}

// The outward normal of a face with these corners.
void flat_normal(int n, const double (*corner)[3], double normal[3]);
Face flat_face(const FaceSet *faces, const double *x, int group);
Face flat_outline(const FaceSet *faces, const double *x, int group); // without the normal
Overlap flat_lay(const Face face[2]);
Overlap flat_overlap(const FaceSet *faces, const double *x, const int32_t group[2]);
// A corner of a face in its polygon, and the side of the polygon that is side k of the face, from
// its corner k.
static inline int flat_place_of_corner(const Overlap *over, int s, int k) {
  return s == 0 ? over->face[s].n - 1 - k : k;
}

static inline int flat_place_of_side(const Overlap *over, int s, int k) {
  return s == 0 ? (2 * over->face[s].n - 2 - k) % over->face[s].n : k;
}

// A place in the plane.
void flat_place(const Overlap *over, const double x[3], double p[2]);
// The point of a face nearest to the line through p along its normal, as a mean of three corners
// with weights that add up to -1.
Site flat_site(const Face *face, int body, const double p[3]);

// contact_corners.c: corners of the overlap: those of the candidate first; what coincides with one
// before is not another one.
typedef struct {
  int n;
  int64_t slot[2 * MOST_CORNERS];
  double p[2 * MOST_CORNERS][2];     // in the plane
  double share[2 * MOST_CORNERS][2]; // of sides that cross: along either, in its face
} OverlapCorners;
void flat_corners(const Overlap *over, const ContactWork *work, const FlatJoint *joint,
                  OverlapCorners *corners);
// Those of them that the joint has for points, which shares of the area they stand for, and their
// order around it. Returns the area.
double flat_shares(const FlatJoint *joint, OverlapCorners *corners, double *area, int *order);

// contact_meshed.c: joints one side of which deforms. Their slots; their points in this step.
Status meshed_slots(const PairSearch *search, const FlatJoint *joint, int rule, ContactWork *work,
                    Err *err) MUST_CHECK;
Status meshed_reserve(const PairSearch *search, ContactWork *work, Err *err) MUST_CHECK;
// Finds the points of the joint: what they are in work->flat_point, `live` of its slots. They stay
// while the faces, `over` as they are, do not move against each other.
void meshed_points(const ContactStep *step, FlatJoint *joint, const Overlap *over);
// contact_flat.c: one slot more of the joint that was listed last.
Status flat_add_slot(ContactWork *work, SlotInfo slot, Err *err) MUST_CHECK;
// Which of the faces at a node of side `own` lies on which of the other body: shallow ridges make
// several of one body lie on one face.
int flat_corner_feature(const FaceSet *faces, const FlatJoint *joint, int own, int32_t node);
// Number of a side among those of its body.
int flat_side_number(const FaceSet *faces, int group, int body, int k);

#endif
