// contact/pieces.h -- what two meshed flat faces have in common, in pieces of the finer one, and
// dual weights on it; not for other rooms.
//
// A fine face that lies over the other outline is a piece, one that it cuts is cut to triangles. On
// each piece the dual functions psi_i = sum_j a_ij phi_j of the hats phi of its corners are such
// that int psi_i phi_j = delta_ij int phi_i. A point at corner i takes hold of either side by the
// means int psi_i N_k / int psi_i, which are those of its place; the psi sum to one, so that a
// uniform pressure loads both sides as the integrals of their shape functions.
#ifndef CONTACT_PIECES_H
#define CONTACT_PIECES_H

#include <stdint.h>

#include "body/site.h"
#include "contact/clip.h"

// What a corner of a piece is: a fine node, a corner of the other outline, or where the edge
// between two fine nodes crosses a side of it. A fine face stands for all corners of its pieces
// where it has one point.
typedef enum { FINE_NODE, OTHER_CORNER, CROSSING, FINE_FACE } PieceLabel;
typedef struct {
  PieceLabel label;
  int32_t node[2]; // fine node, or face; ends of the edge, the lower one first
  int side;        // corner or side of the other outline
} PieceCorner;

// A face of three or four corners in the plane of the joint.
typedef struct FlatFace {
  int n;
  int32_t node[4];
  double p[4][2];
  int32_t number; // of the face
} FlatFace;

// A contact point as it grows: its area, and where it takes hold of the finer and the other side.
typedef struct PiecePoint {
  PieceCorner corner;
  double p[2], area;
  int n[2], full[2]; // full: that mean would need more nodes than a site has
  int32_t node[2][MAX_SITE_NODES];
  double weight[2][MAX_SITE_NODES];
} PiecePoint;

// The caller's room for them; `place` finds them by their corners.
typedef struct {
  int n, most, n_places; // n_places: a power of two, more than `most`
  PiecePoint *point;     // [most]
  int32_t *place;        // [n_places] 1 + point, 0: free
} PiecePoints;

// Faces of the other side in the order in which they begin along the first axis.
typedef struct {
  int n;
  const FlatFace *face; // [n]
  double widest;        // along that axis [m]
} FlatFaces;

// No points yet; the least number of places for so many.
void pieces_begin(PiecePoints *points);
int pieces_places(int most);
// Puts faces in order.
FlatFaces pieces_order(FlatFace *face, int n);
// Adds what a fine face has in common with the outline and with the other faces. All run
// counter-clockwise; distances below `same` are none. Weights are sums until pieces_finish makes
// means of them. Returns 0 where there is no room for a point.
int pieces_add(PiecePoints *points, const FlatFace *fine, const Polygon *outline,
               const FlatFaces *other, double same);
// The same with one point for all of them, which takes hold of either side by means over them.
int pieces_add_middle(PiecePoints *points, const FlatFace *fine, const Polygon *outline,
                      const FlatFaces *other, double same);
void pieces_finish(PiecePoints *points);
// All of a convex polygon of n corners, counter-clockwise, as one piece or as fans of triangles:
// its corners are the points, corner.side tells which; both sides are held by means over their
// faces (a side without faces: not at all). The points are finished.
void pieces_span(PiecePoints *points, int n, const double (*p)[2], const FlatFaces side[2]);
// Takes hold of one side by the shape functions at the point's place instead: its face there.
void pieces_interpolate(PiecePoint *point, int side, int n, const FlatFace *face);
// Shape functions of a face at p; 0: p has no place in it.
int pieces_shape(const FlatFace *face, const double p[2], double n[4]);

#endif
