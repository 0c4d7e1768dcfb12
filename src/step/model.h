// step/model.h -- everything that is const during a run.
#ifndef STEP_MODEL_H
#define STEP_MODEL_H

#include "body/finite.h"
#include "body/load.h"
#include "contact/contact.h"
#include "step/verdict.h"

// How contacts of bodies at finite strains are solved in Newton's loop.
typedef enum { CONTACT_AUTO, CONTACT_DELASSUS, CONTACT_DIAGONAL, CONTACT_PRIMAL } ContactMode;

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
  double start, end, h, theta; // [s]; in a step `h` is that step's
  double h_max; // steps that were easy grow up to this; h: they stay as they are  [s]
  int64_t
      n_steps;    // of size h from start to end; the last may be shorter. Of growing steps: at most
  double damping; // V = damping M, beside that of the materials, of bodies at finite strains  [1/s]
  const SolverType *solver;
  SolverSettings solver_settings;
  MissPolicy on_miss;
  int max_cuts;  // a step may be halved this often
  double h_min;  // adaptive sub-steps: not below, 0: a step is only cut                [s]
  double growth; // factor on a sub-step that converged easily
  // statics of elastic bodies: in balance where a solution moves less than this share of the strain
  // energy
  double rest_work;
  NewtonSettings newton;
} StepSettings;

// Elements of a sheet whose middle lies inside (outside) the shape are cut off.
typedef struct {
  int finite;             // index of the sheet
  int outside, reference; // 1: those outside it; middles where the sheet was at the start
  Shape shape;            // owned
  SrcPos src;
} Trim;

// A part of the run with settings of its own. Without <stage> in the input there is one, without a
// name.
typedef struct {
  const char *name; // borrowed; NULL: the input has no stages
  SrcPos src;
  StepSettings steps; // start and end are those of the run, not of the stage
  double duration;    // [s]
  int until_rest;     // 1: ends as soon as all is at rest; the duration is the longest it may take
  int may_miss;       // 1: without rest in that time it ends all the same, with a warning
  double rest_energy; // at rest: kinetic energy over that to be lost (stage.h) is at most this,
  double rest_velocity; // and no node of a body is faster                              [m/s]
  int from_rest;        // 1: velocities are set to zero at its start
  double release;       // time in which tools that go at its start let go, 0: at once  [s]
  uint8_t *removed;     // [n_bodies] 1: a tool or support that is not there any more; owned
  // What is prescribed in this stage. Of the first one it stands in `bodies`, here only of the
  // others.
  int n_prescribed;
  PrescribedDof *prescribed; // owned
  uint8_t **fixed;           // [n_finite] FiniteBody.fixed, owned with what they point at
  int n_trims;
  Trim *trims; // [n_trims] at its start; owned
} Stage;

typedef struct {
  BodySet bodies;
  LoadSet loads;
  ContactModel contact;
  StepSettings steps; // of the first stage; in the model that a step sees, of its own
  VerdictLimits limits;
  int n_stages;
  Stage *stages; // [n_stages] owned, in their order; at least one
  int64_t n_cut; // elements of all finite bodies where there are trims, else 0
  // components of all nodes where there are finite bodies, which tools may let go slowly
  int n_release;
  int n_rests;
  RestEvent *rests; // owned
  double *v_start;  // [n_nodes * dim] owned; NULL: at rest
  char *resolved;   // what it was made of (input/resolved.h); owned

  // owned by the model because bodies and contacts borrow from them
  int n_materials, n_laws, n_meshes, n_motions;
  Material *materials;
  double **curves; // [n_materials] table of a material that was read from a file, or NULL
  Law *laws;
  Mesh **meshes;
  Motion **motions;
} Model;

void model_free(Model *model);

#endif
