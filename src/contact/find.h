// contact/find.h -- how this room finds what meets: skins, faces, grids, edges in the plane; not
// for other rooms.
#ifndef CONTACT_FIND_H
#define CONTACT_FIND_H

#include "base/space.h"
#include "contact/slot.h"

// contact_skin.c
Status skin_set_init(SkinSet *skin, const BodySet *bs, Err *err) MUST_CHECK;
void skin_set_free(SkinSet *skin);

// contact_surface.c: skins in space, and the areas of nodes in plane and space.
Status face_set_init(FaceSet *faces, SkinSet *skin, const BodySet *bs, Err *err) MUST_CHECK;
void face_set_free(FaceSet *faces);
// contact_outline.c: FaceSet.outline.
Status contact_outlines(FaceSet *faces, const BodySet *bs, Err *err) MUST_CHECK;
// Is a group still flat and its outline straight at positions x, with this normal? Of bodies that
// deform much.
int contact_outline_holds(const FaceSet *faces, const double *x, int group, const double normal[3]);
Status contact_node_areas(ContactModel *cm, const BodySet *bs, Err *err) MUST_CHECK;
// An edge or face at a node belongs to a contact of normal n when it faces the antagonist within 60
// degrees.
#define NODE_FACING (-0.5)
// The share of the skin at the start that stands for a node in a contact of normal n: of facets
// that face the antagonist at positions x (n [dim]), so that the rim of a contact has a half or a
// quarter, not the sides of the body.
double contact_node_share(const ContactModel *cm, const BodySet *bs, const double *x, int body,
                          int node, const double *n);
// May this node (number in its body) touch anything? Those of the skin, of a sheet all.
int contact_node_may_touch(const BodySet *bs, int body, int node);
int contact_is_sheet(const BodySet *bs, int body);
static inline int contact_face_corners(const FaceSet *faces, int face) {
  return faces->node[4 * (size_t)face + 3] < 0 ? 3 : 4;
}
// Corners [n * 3] of a face at positions x; returns n.
static inline int contact_face_places(const FaceSet *faces, const double *x, int face,
                                      double corner[12]) {
  int n = contact_face_corners(faces, face);
  for (int k = 0; k < n; k++)
    for (int i = 0; i < 3; i++)
      corner[3 * k + i] = x[3 * (size_t)faces->node[4 * (size_t)face + k] + i];
  return n;
}
// Normal in the middle of a face.
void contact_face_normal(const FaceSet *faces, const double *x, int face, double normal[3]);
// 1: all parts of the body are convex, and the point is farther than `slack` before a face of each,
// which is not in the group of one of the two in `but` (NULL: any).
int contact_is_outside(const FaceSet *faces, const double *x, int body, const int32_t *but,
                       const double p[3], double slack);
// 1: the parts of faces a and c are convex, and moving them apart along the normal of a face of
// either takes less than `depth`: where they are in one another, it is there.
int contact_faces_part_sooner(const FaceSet *faces, const double *x, int a, int c, double depth);
// The face of the same group beyond the side from node a to node b; -1: the group ends there.
int contact_face_beyond(const FaceSet *faces, int face, int32_t a, int32_t b);
// Depth behind the plane: the thickness, or the ring at radius r.
static inline double contact_depth(const ContactModel *cm, const BodySet *bs, double r) {
  return cm->axial ? 2 * PI * r : bs->thickness;
}

// contact_grid.c: boxes in hashed cells. Set cell size and low, then fill; box [n * 2 * dim] low,
// high.
typedef struct {
  int32_t item, cell[3];
} GridEntry;
typedef struct {
  double cell, low[3];
  uint32_t mask;
  int32_t *start; // [mask + 3]
  GridEntry *entry;
  int n_large;
  int32_t *large; // boxes that cover too many cells, to be met by every point
  // Boxes of one owner do not meet; -1: of none. NULL: all are of none. Owned.
  int32_t *owner;
} ContactGrid;
Status contact_grid_fill(ContactGrid *grid, int dim, int n, const double *box, Err *err) MUST_CHECK;
void contact_grid_free(ContactGrid *grid);
// Entries first .. *last - 1 hold those of the cell of p, among others; returns the first.
int32_t contact_grid_at(const ContactGrid *grid, int dim, const double *p, int32_t cell[3],
                        int32_t *last);
static inline int contact_grid_same(const GridEntry *entry, const int32_t cell[3]) {
  return entry->cell[0] == cell[0] && entry->cell[1] == cell[1] && entry->cell[2] == cell[2];
}

// Each pair of boxes i < j that meet or touch, once, in no order: `meet` is called with them.
typedef Status (*MeetBoxes)(void *of, int i, int j, Err *err);
Status contact_grid_pairs(const ContactGrid *grid, int dim, int n, const double *box,
                          MeetBoxes meet, void *of, Err *err) MUST_CHECK;
// All boxes that may touch this one, once each, in no order.
typedef Status (*MeetBox)(void *of, int k, Err *err);
Status contact_grid_near(const ContactGrid *grid, int dim, int n, const double *boxes,
                         const double *own, MeetBox meet, void *of, Err *err) MUST_CHECK;

// contact_self.c: one body against itself in space. Once: FaceSet.near_face of bodies with a rule
// for that.
Status contact_self_patches(ContactModel *cm, const BodySet *bs, Err *err) MUST_CHECK;
// Is the face near the node along the skin? Of a body with a rule against itself only.
int contact_self_near(const FaceSet *faces, int node, int face);
// contact_parting.c: how far two bodies must be moved at the start until they are out of one
// another: the least, or the least along normals of faces, no less; unknown where one is not
// convex, nor of convex parts. Where it is no more than `allowed`: some such number, or less than
// 0.
typedef enum { PARTING_UNKNOWN, PARTING_BY_FACES, PARTING_LEAST } Parting;
Parting contact_parting(const ContactModel *cm, const BodySet *bs, int a, int b, double allowed,
                        double *depth);
// contact_overlap.c
// Half the thickness of a sheet as it is given, 0: no sheet.
double contact_half_at_start(const BodySet *bs, int body);

// Outward unit normal of edge e at positions x; returns its length.
static inline double edge_normal(const SkinSet *skin, const double *x, int e, double n[2]) {
  const double *a = x + 2 * (size_t)skin->node[2 * e], *b = x + 2 * (size_t)skin->node[2 * e + 1];
  double dx = b[0] - a[0], dy = b[1] - a[1], length = __builtin_sqrt(dx * dx + dy * dy);
  n[0] = dy / length;
  n[1] = -dx / length;
  return length;
}

// Does the node where edge_in ends point against an antagonist with outward normal n? Its normal
// cone, widened by asin(slack), must hold -n.
static inline int node_faces(const SkinSet *skin, const double *x, int edge_in, const double n[2],
                             double slack) {
  double a[2], b[2];
  if (skin->next[edge_in] < 0) return 0;
  edge_normal(skin, x, edge_in, a);
  edge_normal(skin, x, skin->next[edge_in], b);
  double before = -a[0] * n[1] + a[1] * n[0], after = -n[0] * b[1] + n[1] * b[0];
  return before >= -slack && after >= -slack && (a[0] + b[0]) * n[0] + (a[1] + b[1]) * n[1] < 0;
}

// contact_geometry.c

// A point beyond the end of a face still counts within this share of the edge's length, so that
// coincident corners are not lost to round-off or small slip.
static inline int contact_over(double along) {
  return along >= -1e-3 && along <= 1.001;
}

// A point deeper than this share of the alert distance is asked whether another face is nearer.
#define CONTACT_DEEP 0.1

// Position of p along an edge (0..1 inside), walking to neighbours of the same face where p lies
// beyond an end; *edge becomes the edge found.
double contact_walk(const SkinSet *skin, const double *x, const double p[2], int *edge);
void contact_point(const SlotInfo *slot, const double *x, double p[2]);
// Does the point's edge, or the cone of its node, face an antagonist with outward normal n?
int contact_faces(const SkinSet *skin, const double *x, const SlotInfo *slot, const double n[2]);
// The face behind a convex end (0, 1) of this edge's face: its outward normal there, and the node
// at the corner; -1 if there is none.
int contact_end_face(const SkinSet *skin, const double *x, int edge, int end, double n[2]);

// Gap of p to the faces behind the convex ends of this edge's face, the larger one; -infinity
// without such. A point inside belongs to the face with the largest gap: that is the shortest way
// out.
double contact_other_gap(const SkinSet *skin, const double *x, int edge, const double p[2]);

#endif
