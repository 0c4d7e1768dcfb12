// material/material.h -- bulk laws: from strain to stress.
//
// Strains and stresses as (xx, yy, zz, xy, yz, xz) with engineering shear strains; the plane uses
// the first four. To add a law: one const MaterialType in material_<name>.c, one line in
// material_table.c, one test. No other file knows law names.

#ifndef MATERIAL_MATERIAL_H
#define MATERIAL_MATERIAL_H

#include "base/err.h"
#include "base/param.h"

// Axisymmetric: x is the radius, y the axis, zz the hoop; volumes are those of the whole ring.
typedef enum { STRESS_3D, PLANE_STRAIN, PLANE_STRESS, AXISYMMETRIC } StressState;

enum { MATERIAL_MAX_PARAMS = 48, MATERIAL_MAX_DERIVED = 16, MAX_STRAINS = 6 };

typedef struct Material Material;
struct HardeningCurve;

// A point at finite strains, in the axes of the reference configuration.
typedef struct {
  double c[6];     // right Cauchy-Green tensor F^T F (tensor components) at the iterate
  double c_old[6]; // at the start of the step
  double h;        // step from c_old to c [s]; 0: no rates
  double size;     // length of the element for the regularisation of softening [m]
} FinitePoint;

typedef struct {
  double s[6];   // second Piola-Kirchhoff stress                                    [Pa]
  double d[36];  // dS/dE, E = (C - 1)/2 with engineering shears; symmetric          [Pa]
                 // (laws whose flow is not associated return the symmetric part)
  double stored; // elastic energy per reference volume                           [J/m^3]
  double lost;   // dissipated in this step per reference volume (plastic, viscous, damage)
} FiniteStress;

// A point of a sheet: plane stress in the axes (rolling direction, transverse), logarithmic strain.
typedef struct {
  double t[3];         // stress conjugate to the strain, (11, 22, 12)                     [Pa]
  double d[9];         // dT/de with engineering shear; symmetric                          [Pa]
  double e_thick;      // logarithmic strain across the thickness
  double stored, lost; // as above
} SheetStress;

// Layers at one point of a sheet, states `stride` numbers apart.
typedef struct {
  int n, stride;
  const double *e, *old; // [3 n], [stride n]
  double *new;
  SheetStress *out; // [n]
} SheetLayers;

typedef struct {
  const char *name; // value of law="..." of <material>
  const char *doc;
  const ParamSpec *params; // a PARAM_CHOICE becomes the index of its choice in par
  int n_params;
  // Small strains: elastic matrix d[n * n], n = 4 in the plane, 6 in space; plane stress: row and
  // column zz zero. It is also the tangent of `finite` at C = 1. Never NULL.
  void (*stiffness)(const double *par, StressState state, double *d);
  // Finite strains, NULL: the law is for small strains only. The new internal variables go to
  // state_new [n_state]. ERR_NUMERIC when the local equations do not converge: the step is cut.
  Status (*finite)(const Material *material, const FinitePoint *at, const double *state_old,
                   double *state_new, FiniteStress *out, Err *err);
  // Plane stress of a layer of a sheet, e[3] total logarithmic strain; NULL: not for sheets. Where
  // there is plasticity the equivalent plastic strain is the first of the n_sheet_state.
  Status (*sheet)(const Material *material, const double e[3], const double *state_old,
                  double *state_new, SheetStress *out, Err *err);
  // `sheet` of all layers at once, where that is quicker; NULL: one after the other.
  Status (*sheets)(const Material *material, const SheetLayers *at, Err *err);
  int n_state, n_sheet_state; // internal variables a point, zero at the start
  // Fewer of a sheet where parameters ask for less than n_sheet_state; NULL: always as many.
  int (*sheet_states)(const Material *material);
  int plastic, damage; // place of the equivalent plastic strain, of the damage in the state; -1
  int rates;           // 1: stress depends on how fast the strain changes
  double (*temperature)(const Material *material, const double *state); // [K]; NULL: it has none
  // Sentence that says what is wrong with the parameters taken together, NULL: nothing. Warnings
  // (softening without regularisation) go to *warning.
  const char *(*defect)(const Material *material, const char **warning);
  // Softening with a fracture energy: the largest FinitePoint.size it stands [m]; NULL: any size.
  double (*largest_size)(const double *par);
  // Fills material->derived with what `sheet` needs beside the parameters; ERR_INPUT if they have
  // no solution. NULL: nothing. The forms of sheets call it on a copy of their own.
  Status (*prepare)(Material *material, Err *err);
  // Hardening of a sheet as a table that the caller frees (hardening_curve.h); NULL: it has none.
  Status (*tabulate)(const Material *material, struct HardeningCurve **curve, Err *err);
  // 1: what a sheet does depends on the direction in its plane, so it needs a rolling direction
  // (its forms refuse the material without one). NULL: no.
  int (*directional)(const Material *material);
} MaterialType;

extern const MaterialType *const material_types[]; // NULL-terminated, append only

const MaterialType *material_find(const char *name); // NULL if no such law
int material_n_strains(StressState state);           // 4 or 6

// A law with its parameters and what every law needs.
struct Material {
  const char *name; // borrowed
  const MaterialType *type;
  double par[MATERIAL_MAX_PARAMS];
  double density;                         // [kg/m^3]
  double damping_mass, damping_stiffness; // Rayleigh: V = a M + b K          [1/s], [s]
  int n_table;                            // points of a curve
  const double *table;                    // [2 * n_table] strain, stress; borrowed
  double derived[MATERIAL_MAX_DERIVED];   // see `prepare`
  const struct HardeningCurve *curve;     // tabulated hardening, borrowed; NULL: the formula
};

#endif
