// step/model.h -- everything that is const during a run.
#ifndef STEP_MODEL_H
#define STEP_MODEL_H

#include "body/finite.h"
#include "body/load.h"
#include "contact/contact.h"

// How contacts of bodies at finite strains are solved in Newton's loop.
typedef enum { CONTACT_AUTO, CONTACT_DELASSUS, CONTACT_PRIMAL } ContactMode;

typedef struct {
  NewtonMatrix matrix;
  ContactMode contact;
  double tolerance; // on the residual over the largest of its terms
  int max_iterations;
  int line_search; // 1: increments are shortened where the residual grows
  int update;      // 1: geometry of contacts is taken anew at each iterate
  int statics;     // 1: M = V = 0
} NewtonSettings;

typedef enum { MISS_CONTINUE, MISS_CUT, MISS_STOP } MissPolicy;

// "When the quantity first passes the value, set all velocities to zero" (Jean 1999, section 9.3).
typedef struct {
  int probe_column; // in the history; -1: at `time`
  double value, time;
  int rising; // 1: passes upwards, 0: downwards
  int count;  // the count-th passage acts
  SrcPos src;
} RestEvent;

typedef struct {
  double start, end, h, theta; // [s]
  int64_t n_steps;             // of size h from start to end; the last may be shorter
  const SolverType *solver;
  SolverSettings solver_settings;
  MissPolicy on_miss;
  int max_cuts;  // a step may be halved this often
  double h_min;  // adaptive sub-steps: not below, 0: a step is only cut                [s]
  double growth; // factor on a sub-step that converged easily
  NewtonSettings newton;
} StepSettings;

typedef struct {
  BodySet bodies;
  LoadSet loads;
  ContactModel contact;
  StepSettings steps;
  int n_rests;
  RestEvent *rests; // owned
  double *v_start;  // [n_nodes * dim] owned; NULL: at rest
  // Something doubtful that the build found in a material, said when a run starts; NULL: nothing.
  const char *warning, *warning_of;

  // owned by the model because bodies and contacts borrow from them
  int n_materials, n_laws, n_meshes, n_motions;
  Material *materials;
  Law *laws;
  Mesh **meshes;
  Motion **motions;
} Model;

void model_free(Model *model);

#endif
