// contact/law.h -- interface laws: what one contact point does with its impulse.
//
// A law sees one contact at a time in its local frame (n, t, s) and reduces to shifts, compliances,
// radius and friction (LawShift, the shape of solver/problem.h), the only thing the solver knows of
// it. r: impulse over the step [N s], n-component > 0 in compression; u: relative velocity [m/s],
// n-component > 0 opening. Laws are pure: no globals, no allocation, no I/O.
//
// To add a law: one const LawType in law_<name>.c, one line in law_table.c, one test. No other file
// knows law names.

#ifndef CONTACT_LAW_H
#define CONTACT_LAW_H

#include "base/param.h"

enum { LAW_MAX_PARAMS = 16, LAW_MAX_STATE = 4 };

typedef struct {
  double gap;       // g~ at q + h (1 - theta) v, > 0 open                            [m]
  double closed;    // what is nearer than this touches                               [m]
  double u_old[3];  // relative velocity at the start of the step                     [m/s]
  double r_old[3];  // impulse of the last step, rescaled to this h                   [N s]
  double area;      // tributary area                                                 [m^2]
  double h;         // step size                                                      [s]
  int was_slipping; // status of the last step
  double yield[2]; // elastic part of the compliance, normal and tangential; 0: not known     [1/kg]
} ContactGeometry;

// See solver/problem.h: 0 <= u_N + a_N + C_N r_N  _|_  rho_N >= 0, rho = r + s + A u, ...
typedef struct {
  double a[3];     // velocity shift                                                 [m/s]
  double c_n, c_t; // series compliance                                              [1/kg]
  double s[3];     // impulse shift                                                  [N s]
  double radius;   // extra radius of the friction disk                              [N s]
  double mu;       // friction
  double a_n, a_t; // parallel stiffness                                             [kg]
  int open;        // 1: the contact cannot act in this step (not forecast)
  int broken;      // 1: reported as status 3 while it carries nothing
} LawShift;

// Of the strength of a joint, in one step; all: there was some before, and none is left.
typedef enum { LOSS_NONE, LOSS_SOME, LOSS_ALL } LawLoss;

typedef struct {
  const char *name; // value of type="..." of <law>
  const char *doc;
  const ParamSpec *params;
  int n_params;
  int orthotropy;  // place of the parameters of friction in two directions; 0: it has none
  int per_area;    // 1: strength or stiffness are given per area
  int beyond_cone; // 1: may use radius, shift or parallel stiffness: solvers for pure cones refuse
  int parallel;    // 1: may have parallel stiffness, which only contact by W takes
  int rebounds;    // 1: restitution, whose normal impulse may give back what it took
  int n_state;     // internal variables per contact
  const char *state_names; // '|' separated, for output

  // Sentence that says what is wrong with the parameters taken together, NULL: nothing. NULL: any
  // will do.
  const char *(*defect)(const double *par);
  // State of a new contact: bonded = 1 for joints that are closed when the run starts, 0 for
  // contacts that are made later (no glue there). NULL: all zero.
  void (*born)(int bonded, double *state);
  // Reduce the law to the shape the solver knows; once per step.
  void (*prepare)(const double *par, const double *state, const ContactGeometry *geo,
                  LawShift *out);
  // Update the state at the end of an accepted step. NULL if n_state == 0. What cannot be undone,
  // strength that is lost, stays as it is where `frozen`: on the way to a static state. Returns
  // what was lost.
  LawLoss (*commit)(const double *par, const ContactGeometry *geo, const LawShift *shift,
                    const double u[3], const double r[3], int frozen, double *state);
} LawType;

extern const LawType *const law_types[]; // NULL-terminated; append only

// That of draw beads: it takes the force per length, and `area` is a length. Not in the table.
extern const LawType law_bead;

const LawType *law_find(const char *name); // NULL if no such law

typedef struct {
  const char *name; // borrowed
  const LawType *type;
  double par[LAW_MAX_PARAMS];
  double direction[3]; // along which `friction` acts, where it differs from that across; of any
                       // length, 0: not given
} Law;

// What is wrong with a law of the table, in a sentence; NULL: nothing.
const char *law_defect(const Law *law);

#endif
