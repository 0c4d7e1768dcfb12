// body/body.h -- the bodies of a run and their state.
//
// BodySet is the model, built once and const during the run. Nodes of all bodies stand in one
// array, body after body; node k owns components k*dim .. k*dim+dim-1 of q, v and loads, in the
// global frame.
//
// Kinematics. u = Q^T (q - q_c) + (Q^T Q_0 - I)(X - X_c) is the displacement in the body's frame Q,
// with Q_0 its placement. Small strains: Q = Q_0 for ever (then u = Q_0^T q). Co-rotational: Q is
// the mean rotation, taken at q + h (1 - theta) v when it has turned by more than FRAME_TOLERANCE,
// frozen over the step (docs/theory/nscd.md, section 1).

#ifndef BODY_BODY_H
#define BODY_BODY_H

#include "base/field.h"
#include "body/prototype.h"
#include "element/form.h"
#include "input/function.h"
#include "shape/shape.h"

// Small and co-rotational bodies share prototypes; finite ones and sheets have a Form and a matrix
// of their own; supports are rigid outlines of nodes that move together; a tool is a rigid shape
// with one node. What is asked of them: body_type.h.
typedef struct BodyType BodyType;
extern const BodyType body_small, body_corotational, body_finite, body_sheet, body_support,
    body_tool, body_rigid, body_disk;

enum { BATCH_LANES = 8 };

// Up to eight bodies of one prototype, advanced together.
typedef struct {
  int32_t proto;
  int n;
  int32_t body[BATCH_LANES];
} Batch;

// A prescribed component: displacement x(t) [m], or velocity v(t) [m/s] (of the end of a step).
typedef struct {
  Function f;
  int is_velocity;
} Motion;

// Of a support: goes by x(t), turns by turn(t) [rad] about a point that goes too, and an axis (z in
// the plane).
typedef struct {
  Motion x[3];
  Function turn;
  double about[3], axis[3]; // as it was placed [m], of length 1
} SupportMotion;

// A rigid tool: a shape that moves without turning. Each component of its motion is prescribed, or
// free under loads on its node with the mass of the tool.
typedef struct {
  int32_t body;
  Shape shape;     // owned
  double mass;     // of the free components; 0: in equilibrium along them at every step [kg]
  double drag;     // of a tool without mass, in Newton's matrix alone: keeps it regular   [kg]
  uint8_t free[3]; // 1: moves under loads and contact; 0: as its SupportMotion says
  double block[9], root[9]; // w of its node, and its square root, by tool_finish        [1/kg]
} Tool;

// A body at finite strains: its equations and where its slices of the state begin.
typedef struct {
  int32_t body;
  Form form;                       // owned
  uint8_t *fixed;                  // [n_nodes * dim] 1: prescribed; owned, NULL: none
  int64_t config, internal, extra; // first item in BodyState.config, .internal, .extra
} FiniteBody;

// Of a rigid body in space, in the frame of its mesh: the tensor of inertia about its centre, its
// inverse, and what finds its motion from the nodes: the inverses of the tensor of their masses and
// of their second moments.
typedef struct {
  double inertia[9], inverse[9], nodes_inverse[9], spread_inverse[9]; // [kg m^2], [1/(kg m^2)]
} RigidSpace;

// A rigid body: its mass, and w between points of it, three in the plane and four in space.
typedef struct {
  int32_t body;
  const Material *material; // borrowed
  double mass, inertia, spread,
      center[3];               // [kg], [kg m^2], that of the nodes' masses; in the mesh's frame
  RigidSpace space;            // in space; inertia is then a third of its trace
  double radius;               // of a disk, 0: any mesh                                [m]
  double *node_mass;           // [nodes] owned, of exact first moment                  [kg]
  double length;               // of the points from the centre                         [m]
  double block[144], root[72]; // w between them, and its root                          [1/kg]
} RigidBody;

typedef struct {
  char *name;
  int n;
  int32_t *body; // [n] increasing
} BodyGroup;

// Nodes of bodies by name, for loads, prescribed motion and probes.
typedef struct {
  char *name;
  int n;
  int32_t *node; // [n] global node numbers
  int n_facets;
  int32_t *facet; // [2 n_facets] global node pairs, outward normal on the right (2D); [4 n_facets]
                  // of faces and sheets, outward by the right hand, -1 behind a triangle (3D)
} NodeGroup;

// Prescribed motion of a component of a node.
typedef struct {
  int32_t node;
  int component;
  const Motion *motion; // borrowed
} PrescribedDof;

typedef struct {
  int dim;
  double thickness; // [m]
  int axisymmetric; // x is the radius; volumes and loads are those of whole rings
  int n_bodies, n_nodes, n_elems;

  // hot
  const BodyType **type; // [n_bodies] rows of the table
  int32_t *proto;        // [n_bodies] of elastic bodies; -1: others
  int32_t *node_ptr;     // [n_bodies + 1]
  double *x;             // [n_nodes * dim] reference positions                            [m]
  double *place;         // [n_bodies * dim * dim] Q_0
  int32_t *body_of;      // [n_nodes]
  int n_batches;
  Batch *batches;
  int n_protos;
  Prototype *protos;
  int n_finite;
  FiniteBody *finite; // increasing by body
  int n_tools;
  Tool *tools; // increasing by body
  int n_rigid;
  RigidBody *rigid; // increasing by body
  int32_t *own;     // [n_bodies] index among finite, tools or rigid; -1: none of them
  int64_t n_config, n_internal, n_extra; // of all finite bodies
  int64_t n_kept; // entries of all their tangents and one more; 0: no tangent is kept over steps
  int n_prescribed;
  PrescribedDof *prescribed; // increasing by node, component

  // cold
  const Mesh **mesh;     // [n_bodies] borrowed; supports: their outline
  double *inside;        // [n_bodies] two bodies may be inside one another by the smaller of
                         // theirs at the start [m]; NULL: by none
  uint8_t *plane;        // [n_bodies] 1: a support that stands for a half space
  Skin *support_skin;    // [n_bodies] of bodies without prototype; empty for sheets and tools
  SupportMotion *motion; // [n_bodies]
  const uint8_t
      *removed; // [n_bodies] borrowed: 1: a tool or support that is gone by now; NULL: none
  char **name;  // [n_bodies] owned
  SrcPos *src;  // [n_bodies]
  int n_groups;
  BodyGroup *groups;
  int n_node_groups;
  NodeGroup *node_groups;
} BodySet;

// Slice of the state that belongs to bodies.
typedef struct {
  double *q, *v; // [n_nodes * dim] displacement, velocity                        [m], [m/s]
  double *frame; // [n_bodies * dim * dim] Q, row-major
  double *config, *internal; // [n_config], [n_internal] of the finite bodies
  // [n_extra] rates of their unknowns without mass in the last step: where the next begins
  double *extra;
  double *kept;    // [n_kept] tangents that Newton's method keeps over steps, and their step size
  double *half;    // [n_nodes] half thickness of sheets at their nodes, 0: solid        [m]
  double *pressed; // [n_nodes] pressure of tools across sheets, by the area at the start [Pa]
} BodyState;

// half and pressed of finite body k from its config and internal variables.
void body_state_thickness(BodyState *state, const BodySet *bs, int k, const FormPinch *pinch);

void bodies_free(BodySet *bs);
typedef struct {
  int body;
  const Mesh *mesh;
  const Skin *skin;
  const Material *material;
  double thickness,
      radius; // of a disk, whose mesh is drawn and has its centre first; 0: the mesh is the body
} RigidSpec;
Status rigid_init(RigidBody *rigid, const RigidSpec *spec, Err *err) MUST_CHECK;
void rigid_free(RigidBody *rigid);
// 1: bodies whose equation is linear in a step, which follow contact at once.
static inline int bodies_any_linear(const BodySet *bs) {
  return bs->n_protos > 0 || bs->n_rigid > 0;
}
// Makes what follows from mass, drag and freedom.
void tool_finish(Tool *tool, int dim);
// 1: the body is removed, or the element of a sheet cut off: neither is drawn, nor does anything
// touch it.
int bodies_lacks(const BodySet *bs, int body, int elem);
// 0: a node of a sheet whose elements were all cut off, which stands where it was left.
int bodies_node_there(const BodySet *bs, int node);
int bodies_find(const BodySet *bs, const char *name);               // -1 if absent
const BodyGroup *bodies_group(const BodySet *bs, const char *name); // NULL if absent
const Skin *bodies_skin(const BodySet *bs, int body);
const Material *bodies_material(const BodySet *bs, int body); // NULL for supports and tools
double bodies_mass(const BodySet *bs, int body); // 0 for supports                       [kg]
int64_t bodies_n_unknowns(const BodySet *bs, int body);
int bodies_yields(const BodySet *bs, int body); // 1: what acts on it moves it, along some axis
double bodies_node_mass(const BodySet *bs, int node); // lumped; of a tool: its whole mass   [kg]

Status body_state_init(BodyState *state, const BodySet *bs, Err *err) MUST_CHECK;
void body_state_free(BodyState *state);
// Appends the fields of this slice.
void body_state_fields(BodyState *state, const BodySet *bs, FieldList *fields);

#endif
