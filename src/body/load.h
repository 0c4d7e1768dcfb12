// body/load.h -- external forces on nodes as sums of pattern times function of time.
//
// A load is a sparse vector of coefficients [N, kg for gravity] times a Function. Loads whose
// function is constant are summed once; a step then only adds the varying ones. Loads keep their
// direction and application point (dead loads).

#ifndef BODY_LOAD_H
#define BODY_LOAD_H

#include "body/body.h"

typedef struct {
  Function f; // owned
  int n;
  int32_t *dof; // [n] owned; node * dim + component
  double *coef; // [n] owned
} Load;

typedef struct {
  int n_loads;
  size_t capacity;
  Load *loads;
  double *constant; // [n_nodes * dim] sum of the constant ones, made by loads_finish
} LoadSet;

// Gravity component: mass of every node of the bodies in `group` (NULL: all) times f [m/s^2].
Status loads_add_gravity(LoadSet *loads, const BodySet *bs, const BodyGroup *group, int component,
                         Function *f, Err *err) MUST_CHECK;

// Force component on a node group: f [N] in total, shared equally; or f on each node.
Status loads_add_force(LoadSet *loads, const BodySet *bs, const NodeGroup *group, int component,
                       int each, Function *f, Err *err) MUST_CHECK;

// Edge load on the facets of a node group, f [Pa]: component -1 is a pressure against the outward
// normal of the reference geometry, component k a traction.
Status loads_add_edge(LoadSet *loads, const BodySet *bs, const NodeGroup *group, int component,
                      Function *f, Err *err) MUST_CHECK;
// On success the three functions above own what f held and leave it empty.

Status loads_finish(LoadSet *loads, const BodySet *bs, Err *err) MUST_CHECK;
void loads_free(LoadSet *loads);

// 1: one that is not zero at all times acts on this component of a node.
int loads_act_on(const LoadSet *loads, int32_t dof);

// Do the loads stay what they are at t until t_end, as far as samples in between tell? Those on
// removed tools and on what was cut off do not count.
Status loads_are_steady(const LoadSet *loads, const BodySet *bs, double t, double t_end,
                        int *steady, Err *err) MUST_CHECK;
// The same of one function of time.
Status load_is_steady(const Function *f, double t, double t_end, int *steady, Err *err) MUST_CHECK;

// p[n_nodes * dim] = theta P(t1) + (1 - theta) P(t0)                                      [N]
Status loads_at(const LoadSet *loads, const BodySet *bs, double t0, double t1, double theta,
                double *p, Err *err) MUST_CHECK;

#endif
