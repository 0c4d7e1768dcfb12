// material/material.h -- bulk laws: from strain to stress.
//
// Strains and stresses as (xx, yy, zz, xy, yz, xz) with engineering shear strains; the plane uses
// the first four. To add a law: one const MaterialType in material_<name>.c, one line in
// material_table.c, one test. No other file knows law names.

#ifndef MATERIAL_MATERIAL_H
#define MATERIAL_MATERIAL_H

#include "base/param.h"

typedef enum { STRESS_3D, PLANE_STRAIN, PLANE_STRESS } StressState;

enum { MATERIAL_MAX_PARAMS = 32, MAX_STRAINS = 6 };

typedef struct {
  const char *name; // value of law="..." of <material>
  const char *doc;
  const ParamSpec *params;
  int n_params;
  // Elastic matrix d[n * n], n = 4 in the plane, 6 in space. Plane stress: row and column zz zero.
  void (*stiffness)(const double *par, StressState state, double *d);
} MaterialType;

extern const MaterialType *const material_types[]; // NULL-terminated, append only

const MaterialType *material_find(const char *name); // NULL if no such law
int material_n_strains(StressState state);           // 4 or 6

// A law with its parameters and what every law needs.
typedef struct {
  const char *name; // borrowed
  const MaterialType *type;
  double par[MATERIAL_MAX_PARAMS];
  double density;                         // [kg/m^3]
  double damping_mass, damping_stiffness; // Rayleigh: V = a M + b K          [1/s], [s]
} Material;

#endif
