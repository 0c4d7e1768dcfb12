// material/isotropic.h -- what isotropic laws share: Hooke's matrix, energies of invariants,
// logarithmic strains.
//
// Tensors as (xx, yy, zz, xy, yz, xz); strains among them with tensor components unless said.

#ifndef MATERIAL_ISOTROPIC_H
#define MATERIAL_ISOTROPIC_H

#include "material/material.h"

// First parameters of most laws.
// clang-format off
#define ELASTIC_PARAMS \
    {"young", PARAM_REAL, "Pa", NULL, "]0,inf[", NULL, "Young's modulus"}, \
    {"poisson", PARAM_REAL, "1", "0", "]-1,0.5[", NULL, "Poisson's ratio"}
// clang-format on
enum { ELASTIC_YOUNG, ELASTIC_POISSON, N_ELASTIC };

typedef struct {
  double lambda, shear, bulk; // Lame's constants and lambda + 2/3 shear                  [Pa]
} Lame;

Lame lame_constants(double young, double poisson);
// Hooke's matrix as material.h wants it of `stiffness`; isotropic_stiffness reads ELASTIC_PARAMS.
void hooke_matrix(Lame lame, StressState state, double *d);
void isotropic_stiffness(const double *par, StressState state, double *d);

// St Venant-Kirchhoff: S and dS/dE of the Green-Lagrange strain (c - 1) / 2, and its energy.
void hooke_stress(Lame lame, const double c[6], FiniteStress *out);

// An energy of I1 = tr C, I2 = (I1^2 - C : C) / 2 and J with its derivatives by (I1, I2, J).
typedef struct {
  double w, dw[3], ddw[3][3];
} InvariantEnergy;

typedef InvariantEnergy (*EnergyFunction)(const double *par, double i1, double i2, double j);

// S = dW/dE and its derivative. ERR_NUMERIC if det C is not positive.
Status energy_stress(EnergyFunction energy, const double *par, const double c[6], FiniteStress *out,
                     Err *err) MUST_CHECK;

// The logarithmic strain 1/2 ln C in the axes of C, where it is diagonal (Miehe-Apel-Lambrecht
// 2002). Laws are evaluated there: `log_enter` takes a tensor of the reference axes to those axes,
// `log_leave` back.
typedef struct {
  double axis[3][3];      // [a] principal direction a, in reference axes
  double e[3];            // principal logarithmic strains
  double first[6];        // divided differences ln[a, b], order of tensors
  double second[3][3][3]; // ln[a, b, c]
} LogStrain;

// ERR_NUMERIC if C is not positive definite.
Status log_strain(const double c[6], LogStrain *log, Err *err) MUST_CHECK;
void log_enter(const LogStrain *log, const double tensor[6], double inside[6]);
void log_leave(const LogStrain *log, const double inside[6], double tensor[6]);
// From the stress conjugate to the logarithmic strain and its derivative by it (engineering
// shears), both in the axes of C, to S and dS/dE.
void log_stress(const LogStrain *log, const double t[6], const double d[36], FiniteStress *out);

// Yield stress after a plastic increment da of a radial return and its slope.
typedef double (*YieldFunction)(const void *context, double da, double *slope);

// The increment da >= 0 with q - stiffness da = yield(da); q is above yield(0). Newton inside a
// bracket. Returns da; `*slope` and `*yield` at da. Negative: it did not converge.
double radial_return(YieldFunction yield, const void *context, double q, double stiffness,
                     double *stress, double *slope);

#endif
