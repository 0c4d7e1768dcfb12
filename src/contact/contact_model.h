// contact/contact_model.h -- what may touch what: rules, skins, faces, beads, and what is known of
// them before a step.
#ifndef CONTACT_CONTACT_MODEL_H
#define CONTACT_CONTACT_MODEL_H

#include "body/body_type.h"
#include "contact/law.h"

// Where a joint has points. Of flat faces in space: all of the overlap, one for each face of the
// finer mesh, its corners, or three or four of these.
typedef enum {
  POINTS_OVERLAP,
  POINTS_MID,
  POINTS_NODES,
  POINTS_GAUSS,
  POINTS_CORNERS,
  POINTS_REDUCED,
  N_POINT_RULES
} PointRule;
// point_rule_names[N_POINT_RULES]: as the input has them.
extern const char *const point_rule_names[];
// Of the overlap of two flat faces in space?
static inline int points_of_overlap(PointRule points) {
  return points != POINTS_NODES && points != POINTS_GAUSS;
}

// Which bodies may touch which, how and where. Later rules win where several apply to a pair.
typedef struct {
  uint8_t *candidate, *antagonist; // [n_bodies] 1: member; owned
  const Law *law;                  // borrowed
  PointRule points;
  // 1: the input itself names points between nodes, so what nodes do is told, not judged
  int between;
  int at_start; // 1: tools see a sheet with the thickness of its start
  int presses;  // 1: what tools bear presses the sheet across it
  int self;     // 1: also each body that is candidate and antagonist against itself
  SrcPos src;
} ContactRule;

// Skin of all bodies in flat arrays.
typedef struct {
  int n_edges;
  int32_t *first_edge;  // [n_bodies] of each body
  int32_t *node;        // [2 n_edges] global nodes, outward normal on the right
  int32_t *body;        // [n_edges]
  int32_t *prev, *next; // [n_edges] along the skin
  int32_t *face;        // [n_edges]
  int n_faces;
  int32_t *face_end;  // [2 n_faces] first and last edge of the face, -1: a closed one
  double *cell;       // [n_faces] mean length of its edges; infinity: rigid and flat [m]
  uint8_t *flat;      // [n_faces] 1: straight, and bounded by corners
  uint8_t *corner;    // [n_edges] 1: the skin turns sharply at the end of this edge
  double *arc;        // [n_edges] length of the skin from the first edge of its loop      [m]
  double *length;     // [n_edges] of the edges at the start of the run                     [m]
  double *loop;       // [n_edges] length of the loop; < 0: open                          [m]
  int32_t *first;     // [n_edges] first edge of the loop
  int32_t *edge_in;   // [bodies' n_nodes] edge that ends at the node, -1: none
  int n_nodes;        // skin nodes
  int32_t *skin_node; // [n_nodes] global node
  // [n_bodies + 1] Where those of a body begin; in the plane NULL.
  int32_t *first_node;
  double shortest, longest; // edge lengths of deformable bodies [m]
} SkinSet;

// In space: outward faces of solids, the elements of sheets.
typedef struct {
  int n_faces;
  int32_t *node; // [4 n_faces] global nodes, outward by the right hand; -1: triangle
  int32_t *body; // [n_faces]
  int32_t *first_face, *first_group, *first_edge; // [n_bodies + 1] of each body
  // Pieces of a body that does not deform, each a part; other bodies are one part.
  int32_t *first_part;           // [n_bodies + 1]
  int32_t *part;                 // [n_faces]
  int32_t *part_ptr, *part_face; // [n_parts + 1] faces of each, increasing
  uint8_t *convex; // [n_parts] 1: a solid of few faces that lies behind all of them at the start
  int32_t *node_ptr, *node_face; // [n_nodes + 1] faces at each node
  int32_t *group;                // [n_faces] faces of one body that meet without a sharp edge
  int n_groups;
  int32_t *member_ptr, *member; // [n_groups + 1] faces of each group, increasing
  // Corners of groups that are flat and convex at the start, of solids, by the right hand about the
  // outward normal; none of others.
  int32_t *outline_ptr, *outline; // [n_groups + 1], global nodes
  int n_edges;                    // sharp and convex ones of solids
  int32_t *edge_node;             // [2 n_edges]
  int32_t *edge_face;             // [2 n_edges] the faces beside it
  int32_t *near_ptr,
      *near_face; // [n_nodes + 1] faces near a node along the skin; NULL: none is against itself
} FaceSet;

// A draw bead: a line on a tool, as points, over which a sheet slides with a force against it that
// does not depend on pressure. Each point is a contact with the element of the sheet that is under
// it.
typedef struct {
  int sheet, tool, rule; // bodies; place of its rule, which joins no other bodies
  Law law;               // with the force per length
  int n;
  double *place;  // [3 n] on the tool as it was placed; owned                         [m]
  double *length; // [n] of the line that a point stands for; owned                    [m]
  SrcPos src;
} Bead;

typedef struct {
  int n_rules;
  ContactRule *rules;
  int n_beads;
  Bead *beads;       // owned
  int16_t *class_of; // [n_bodies] bodies with equal memberships are one class
  int n_classes;
  int32_t *n_of_class; // [n_classes] bodies of it
  int16_t *rule_of;    // [n_classes * n_classes] rule for (candidate, antagonist) class, -1: none
  int16_t *self_of;    // [n_classes] rule of a body against itself, -1: none
  SkinSet skin;
  FaceSet faces;     // in space; the skin then holds no edges
  double *node_area; // [n_nodes] share of the skin at the start (of sheets: of one side)  [m^2]
  double thickest;   // of all sheets at the start                                      [m]
  double *shortest;  // [n_bodies] shortest edge of the skin, infinity where there is no mesh  [m]
  double *thick;     // [n_bodies] of supports in space how thick they are, else infinity [m]
  double thinnest;   // of these                                                        [m]
  double alert;      // contacts are set up when closer than this                       [m]
  // Bodies may lie in one another by so much at the start, beyond what meshes are inexact, and are
  // not pushed out: gaps count from there                                              [m]
  double tolerated;
  int axial;       // 1: axisymmetric, areas are those of rings
  int drops;       // 1: there is a law whose friction is less once it slips
  int has_pairs;   // 1: there are rules between other bodies than tools
  int n_law_state; // internal variables stored per slot (largest of the laws)
} ContactModel;

Status contact_model_finish(ContactModel *cm, const BodySet *bs, double alert, Err *err) MUST_CHECK;
void contact_model_free(ContactModel *cm);

// 1: a rule or bead lets the body touch another one, or itself.
int contact_may_touch(const ContactModel *cm, int body);

// Pairs of bodies, and of bodies and tools, that may touch and lie in one another at the start, by
// more than meshes are inexact. Of a sheet half of its thickness on either side counts.
typedef struct {
  int body[2]; // the earlier one first
  // The least way that parts them, where they are convex or of convex parts; else of the deepest
  // point [m]
  double depth;
} BodyOverlap;
typedef struct {
  int n;
  size_t capacity;
  BodyOverlap *item; // [n] the caller's, also on failure: mem_free
} OverlapList;
double
contact_overlap_allowed(const ContactModel *cm); // no more than this is exact              [m]
// What two bodies may lie in one another at the start and are not pushed out [m].
double contact_inside(const ContactModel *cm, const BodySet *bs, int a, int b);
Status contact_overlaps(const ContactModel *cm, const BodySet *bs, OverlapList *list,
                        Err *err) MUST_CHECK;

// Joints in the plane at the start (contact_meshes.c): how much longer the cells of one body are
// than those of another one that it meets, at most; and where points that the input names load a
// node most wrongly under a uniform pressure, against the points of overlaps.
typedef struct {
  double ratio;     // 0: nothing meets
  int body[2];      // the coarser, the finer
  double wrong;     // share of the right load
  int rule, loaded; // -1: no points are named, or they are right; the body of the node
} ContactMeshes;
Status contact_compare_meshes(const ContactModel *cm, const BodySet *bs, ContactMeshes *found,
                              Err *err) MUST_CHECK;

// The place of a sheet where two tools that do not yield leave it the least room against its
// thickness, so that no position of the sheet satisfies both. The sheets are at the start, or as
// `bodies` has them; tools displaced by `moved` [n_nodes * dim], NULL: as placed. Laws with a
// stiffness yield.
typedef struct {
  int sheet, node; // body, its node; -1: nowhere
  int tool[2];     // bodies
  double room, thickness;
} SheetSqueeze;
SheetSqueeze contact_squeezed(const ContactModel *cm, const BodySet *bs, const BodyState *bodies,
                              const double *moved);

// May tools that yield ever press a sheet? (a sheet, and more than one tool whose law has a
// stiffness)
int contact_may_pinch(const ContactModel *cm, const BodySet *bs);
int contact_law_yields(const Law *law); // 1: it has a stiffness, 0: it is rigid

#endif
