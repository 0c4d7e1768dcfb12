// build/build_internal.h -- what the files that build a model share.
#ifndef BUILD_BUILD_INTERNAL_H
#define BUILD_BUILD_INTERNAL_H

#include "base/space.h"
#include "build/build.h"
#include "mesh/masonry.h"

// A body as the input declares it, before the flat arrays are made.
typedef struct {
  char *name; // owned
  const BodyType *type;
  const Mesh *mesh;   // borrowed from the model
  double x[3], angle; // angle: in the plane
  double inside;      // see BodySet  [m]
  int material;       // index in the model, -1: support, tool
  int b_bar, bending_modes, consistent;
  uint8_t *fixed; // [mesh nodes * dim] owned; NULL: nothing prescribed
  uint8_t *edge;  // [mesh nodes] EdgeCondition of a sheet's nodes, owned; NULL: all free
  const InputNode *node;
  const InputNode *velocity; // the <velocity> that names it; NULL: none
} Entry;

// Bodies and nodes that a name stands for; nodes as pairs entry, node of its mesh.
typedef struct {
  char *name; // owned
  int n;
  int32_t *entry; // [n] owned
  int32_t *node;  // [n] owned; NULL: whole bodies
  int broken;     // 1: the element that declares it has a defect: nothing is known of its bodies
  SrcPos src;
} NameSet;

// Names to places, hashed: of sets of bodies, sets of nodes, entries. The first of equal names
// counts.
enum { NAMES_OF_BODIES, NAMES_OF_NODES, NAMES_OF_ENTRIES, N_NAME_KINDS };
typedef struct {
  int n_known, n_filled;
  size_t n_places; // a power of two, 0: none yet
  int32_t *place;  // [n_places] owned; -1: free
} NameIndex;

typedef struct {
  const Input *in;
  Diag *diag, *doubts;
  Model *model;
  OutputSpec *output;
  Err *err;
  int dim;           // of the model
  StressState state; // of its solids
  Entry *entries;
  int n_entries;
  size_t entry_capacity;
  NameSet *sets;
  int n_sets;
  size_t set_capacity, mesh_capacity, motion_capacity;
  NameIndex names[N_NAME_KINDS];
} Builder;

// What messages call things in models of this dimension.
typedef struct {
  const char *name, *coordinates, *motions, *traction, *facet;
} SpaceWords;
extern const SpaceWords space_words[4]; // by dimension

// build_bodies.c
Status build_entries(Builder *b) MUST_CHECK;  // all bodies as entries, names as sets
Status build_body_set(Builder *b) MUST_CHECK; // entries to BodySet
Status builder_add_set(Builder *b, const char *name, int n, const int32_t *entry,
                       const int32_t *node, SrcPos src) MUST_CHECK;
// One body more, like `model`, of the element model->node.
Status builder_add_entry(Builder *b, const char *name, const Entry *model) MUST_CHECK;
// An error of a generator is a defect of the element that asked for it: its name stays known.
Status builder_generator_error(Builder *b, const InputNode *node, Status status) MUST_CHECK;

// build_support.c: a support as an entry; the motion of body k, which is one.
Status build_support(Builder *b, const InputNode *node) MUST_CHECK;
Status build_support_motion(Builder *b, int k) MUST_CHECK;

// build_split.c: the bodies that a mesh holds, split "no", "groups" or "pieces"; ERR_INPUT where it
// does not hold them.
Status builder_add_split(Builder *b, const Entry *model, const char *split) MUST_CHECK;

// build_index.c: the place of a name among sets or entries in *place, -1: there is none.
Status builder_find(Builder *b, int kind, const char *name, size_t length, int *place) MUST_CHECK;

// build_names.c: what names in attributes stand for. A name that is not known is a defect with the
// nearest one, and *n is 0. Arrays are for the caller to mem_free.
Status builder_bodies(Builder *b, const InputNode *node, const char *attr, int32_t **entry,
                      int *n) MUST_CHECK;
Status builder_nodes(Builder *b, const InputNode *node, const char *attr, int32_t **entry,
                     int32_t **mesh_node, int *n) MUST_CHECK;
// Of many bodies a message names the first three: their number, the first, and "a, b, c, ...".
typedef struct {
  int n, first;
  char names[DIAG_LIST];
} NamedBodies;
void builder_name_body(NamedBodies *named, const BodySet *bs, int body);
const char *builder_such(const NamedBodies *named,
                         char text[DIAG_LIST]); // " (4 such: a, b, c, ...)"; "" of one

// A point that stands for the node nearest to it, at `distance` [m], should lie on the body: a
// defect of loads and holds, a doubt of what only looks on.
void builder_check_near(Builder *b, const InputNode *node, const char *attr, const Mesh *mesh,
                        double distance);

// All there are, for people.
void builder_print_names(const Builder *b, FILE *stream);
// Only whether the names are known.
Status builder_check(Builder *b, const InputNode *node, const char *attr, int nodes) MUST_CHECK;
// The boundary edges among those nodes as a NodeGroup of global nodes (after build_body_set).
Status builder_node_group(Builder *b, const InputNode *node, const char *attr,
                          NodeGroup *group) MUST_CHECK;

Status build_groups(Builder *b) MUST_CHECK; // sets to groups of the model

// Where a point of an entry's mesh lies in the model.
void builder_place(const Builder *b, const Entry *entry, const double *x, double *placed);

// build_space.c: attributes without meaning in the space of the model are defects; rings are meshed
// where they are (after all entries are there).
void builder_check_space(Builder *b);
Status builder_place_rings(Builder *b) MUST_CHECK;

// build_shapes.c: the shape of a <tool> or <trim>.
// The mesh file that an attribute names; what its reader doubts becomes a doubt there.
Status builder_read_mesh(Builder *b, const InputNode *node, const char *attr, int dim,
                         Mesh *mesh) MUST_CHECK;
// What is wrong with or doubtful in the surface of a mesh shape that a file gives in `attr`.
Status builder_check_surface(Builder *b, const InputNode *node, const char *attr,
                             const Shape *shape) MUST_CHECK;
Status builder_shape(Builder *b, const InputNode *node, Shape *shape) MUST_CHECK;
// Its mass and motion, after the arrays of bodies are there; body is its index.
Status build_tool_motion(Builder *b, const InputNode *node, int body, Tool *tool) MUST_CHECK;

// build_functions.c
Status builder_function(Builder *b, const InputNode *node, const char *attr,
                        Function *f) MUST_CHECK;
// The function that an attribute gives, or names; `f` is to be freed, also on failure.
Status build_function(const Input *in, const InputNode *node, const char *attr, Function *f,
                      Err *err) MUST_CHECK;
// The displacement of a <function kind="accelerogram">. `f` is to be freed, also on failure.
Status build_record(const InputNode *node, Function *f, Err *err) MUST_CHECK;
// Names of the attributes of component 0, 1, 2: displacement, velocity, and of tools' and supports'
// motion.
extern const char *const axis_attr[3], *const axis_velocity[3], *const axis_move[3];
// Component of a motion from its displacement or its velocity attribute (not both).
Status builder_motion(Builder *b, const InputNode *node, const char *displacement,
                      const char *velocity, Motion *motion) MUST_CHECK;

// build_drives.c
Status build_prescribed_flags(Builder *b) MUST_CHECK; // before build_body_set
void build_time(Builder *b);                          // time, stages and solver settings
Status build_drives(Builder *b) MUST_CHECK;           // loads, prescribed motion, velocities
// What the elements of the input prescribe in a stage, increasing; *item is for the caller to
// mem_free, also on failure.
Status build_prescribed(Builder *b, int stage, PrescribedDof **item, int *n) MUST_CHECK;

// build_stages.c
void build_stages(
    Builder *b); // from the settings of the run; at its end these are those of the first
// Does the element hold in stage k? Its attribute `stage` names some; absent: all.
int builder_in_stage(const Builder *b, const InputNode *node, int k);
void builder_check_stages(Builder *b, const InputNode *node); // names in its attribute `stage`
Status build_stage_drives(Builder *b) MUST_CHECK; // what is prescribed in each, in place of bodies'

// build_contact.c, build_output.c
Status build_laws(Builder *b) MUST_CHECK;
Status build_contact(Builder *b) MUST_CHECK;
Status build_output(Builder *b) MUST_CHECK;

// A fresh mesh owned by the model.
Status builder_new_mesh(Builder *b, Mesh **mesh) MUST_CHECK;

// Parameters of a variant in table order; absent ones without default are NaN.
void builder_params(const InputNode *node, const ParamSpec *params, int n, double *par);
// Their one list, NULL where it is not given.
// How a support or tool turns, about `fallback` where no point is given.
Status builder_turn(Builder *b, const InputNode *node, const double fallback[3],
                    SupportMotion *motion) MUST_CHECK;
// A body that has a defect: its name stays known, so that those who use it are not blamed.
Status builder_add_broken(Builder *b, const InputNode *node) MUST_CHECK;
// What the common attributes of a meshed body say.
Entry builder_entry_of(const InputNode *node, const Builder *b);
// How its blocks are meshed; in space cells are drawn up into hexahedra.
BlockMesh builder_cells(const Builder *b, const InputNode *node);
// Blocks become entries "wall.1", "wall.2", ...; groups become sets "wall.course_1", "wall.top".
Status builder_add_blocks(Builder *b, const InputNode *node, Assembly *assembly) MUST_CHECK;
// build_stones.c: the stones of a table.
Status builder_stones(Builder *b, const InputNode *node) MUST_CHECK;
// build_polyhedra.c: a <polyhedron>, convex or of convex parts; a body of a mesh whose groups or
// pieces are the parts of one rigid body.
Status builder_polyhedron(Builder *b, const InputNode *node) MUST_CHECK;
Status builder_add_union(Builder *b, const Entry *model, const char *parts) MUST_CHECK;

const double *builder_list(const InputNode *node, const ParamSpec *params, int n_params, int *n);

#endif
