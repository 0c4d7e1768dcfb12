// body/body_type.h -- what the program asks of a kind of body: one row for each; no other room
// names a kind.
//
// To add a kind: a file with its functions and its row, a line in body.h where rows are declared,
// and whoever builds it.

#ifndef BODY_BODY_TYPE_H
#define BODY_BODY_TYPE_H

#include "body/dynamics.h"
#include "body/site.h"

// A site as its body answers it: rows of a compliance between nodes (in the body's frame), with the
// weights of the site, turned into the axes of a contact.
typedef struct {
  int32_t body;  // -1: nothing yields
  int32_t n;     // nodes
  int32_t n_row; // of the compliance
  int32_t row[MAX_SITE_NODES];
  double weight[MAX_SITE_NODES];
  const double *compliance; // blocks between rows
  const double *elastic;    // the same of its elastic part; NULL: a rigid body
  int32_t n_rigid;          // rigid motions of the body, and these [n_row * dim * n_rigid]
  const double *rigid;
  double g[9]; // Q^T [n t s], row-major, dim * dim
} Grip;

// The bodies of a step as grips are made of them.
typedef struct {
  const BodySet *bs;
  const DynamicsMatrices *m;
  const double *frame; // BodyState.frame
} GripSource;

// What a step asks of all bodies of some rows at once; any of it may be NULL.
typedef struct {
  const BodySet *bs;
  const StepResult *result;
  const double *v_theta;
  double *support;
} EnergyStep;

typedef struct {
  Status (*start)(const BodySet *bs, StepSize size, double *v, Err *err); // what is prescribed
  Status (*prepare)(const BodySet *bs, StepSize size, DynamicsFactors *factors, DynamicsMatrices *m,
                    Arena *arena, Err *err);
  void (*update_frames)(const BodySet *bs, StepSize size, BodyState *state, uint8_t *turned);
  // Velocities of the nodes at the start of the step as they are in the frames of the step.
  void (*align)(const BodySet *bs, const BodyState *state, double *v);
  Status (*free_velocity)(const LinearStep *step, double *v_free, Arena *arena, Err *err);
  Status (*correct)(const LinearStep *step, const double *impulse, double *v, Arena *arena,
                    Err *err);
  Status (*energy)(const EnergyStep *step, StepEnergy *sum, Arena *arena, Err *err); // adds to it
  // The nodes' displacements at the end of the step, where they are not q0 + h v_theta.
  void (*advance)(const BodySet *bs, const BodyState *state, StepSize size, const double *v1,
                  double *q1);
  void (*settle)(const BodySet *bs, BodyState *state); // the step has become the state
} BodyFamily;
enum { N_BODY_FAMILIES = 2 };
extern const BodyFamily family_elastic, family_rigid;
// body_given.c: of family_rigid, what is given: velocities of nodes such that intermediate
// configurations are exact, at the start of a run and in a step.
Status given_start(const BodySet *bs, StepSize size, double *v, Err *err) MUST_CHECK;
Status given_velocity(const BodySet *bs, StepSize size, double *v, Err *err) MUST_CHECK;
extern const BodyFamily *const body_families[N_BODY_FAMILIES];

// Is told what an element shows, of each that is not cut off.
typedef void (*ShowElement)(void *of, int elem, const FormOutput *shown);

// Functions that are NULL in a row answer nothing: no material, mass, element cut off or prescribed
// node; the skin is that which the body was built with.
struct BodyType {
  const char *noun; // what messages call it
  int given;        // 1: rigid, its motion given, but for axes along which loads move it
  int deforms;      // 1: its elements have stresses
  int turns;        // 1: it deforms little, in a frame that turns with it
  // 1: its forces depend on its motion: Newton's iterations, and geometry of contacts in each
  int iterated;
  int sheet; // 1: a surface with a thickness, met from both sides
  // 1: stands for the surroundings: counted apart, two of them do not meet, and it is the side that
  // others' points look for, with none of its own but where it has corners
  int support;
  int round;    // 1: rolls: how it has turned says nothing of where it leans
  int by_shape; // 1: met through the distance to its Shape, of others by their skin

  const Material *(*material)(const BodySet *bs, int body); // NULL: rigid
  double (*mass)(const BodySet *bs, int body);              // [kg]
  double (*node_mass)(const BodySet *bs, int body, int local);
  double (*start_energy)(const BodySet *bs, int body,
                         const double *v); // kinetic; NULL: of the nodes  [J]
  // The kinetic energy that its mass matrix has beyond that of the nodes' masses; NULL: 0    [J]
  double (*beyond_nodes)(const BodySet *bs, int body, const double *v);
  // About its centre of mass, in the axes of the model; NULL: of the masses of its nodes [kg m^2/s]
  void (*angular_momentum)(const BodySet *bs, const BodyState *state, int body, double l[3]);
  int64_t (*n_unknowns)(const BodySet *bs, int body); // NULL: those of the nodes
  double (*size)(const BodySet *bs,
                 int body); // what stands for the length of its edges; NULL: these  [m]
  const Skin *(*skin)(const BodySet *bs, int body);
  int (*held)(const BodySet *bs, int body);                 // 1: something is prescribed on it
  int (*lacks)(const BodySet *bs, int body, int elem);      // 1: the element is cut off
  int (*moves)(const BodySet *bs, int body, int component); // 1: what acts along it moves it
  // Tells what its elements show; `u` is room for its nodes. NULL: that they are there, with zeros.
  void (*show)(const BodySet *bs, const BodyState *state, int body, double *u, ShowElement each,
               void *of);
  // Fills rows, weights, compliance and g of a grip whose body yields.
  void (*grip)(const GripSource *from, const Site *site, const double axis[3][3], Grip *grip);
};

void bodies_show(const BodySet *bs, const BodyState *state, int body, double *u, ShowElement each,
                 void *of);

// The grip of a site in a contact with these axes.
void body_grip(const GripSource *from, const Site *site, const double axis[3][3], Grip *grip);
// g of a body whose compliance stands in the axes of the model.
void grip_axes(int dim, const double axis[3][3], Grip *grip);

#endif
