// material/sheet_plasticity.h -- plane stress of a layer of a sheet: elasticity, plasticity with
// any convex yield function, isotropic and kinematic hardening.
//
// Strains are total logarithmic ones (additive split, Miehe-Apel-Lambrecht 2002), vectors are
// (11, 22, 12) with engineering shear for strains; 1 is the rolling direction.

#ifndef MATERIAL_SHEET_PLASTICITY_H
#define MATERIAL_SHEET_PLASTICITY_H

#include "material/hardening.h"
#include "material/isotropic.h"

// Relative to the yield stress: residual of the return, and the excess that counts as elastic.
static const double ACCURACY = 1e-13, EXCESS = 1e-12;
static const double RETURN_MERIT = 1e-24; // of a return to any criterion: a square

// Internal variables of a layer: equivalent plastic strain, plastic strain; then, where back
// stresses are recalled, three numbers of each.
enum { MAX_BACK = 3 };
enum { SHEET_EQUIVALENT = 0, SHEET_STRAIN = 1, N_SHEET = 4, N_SHEET_RECALLED = 4 + 3 * MAX_BACK };

// A symmetric matrix that does not couple normal components with shear.
typedef struct {
  double a11, a12, a22, a66;
} SheetMatrix;

// The equivalent stress phi of s, homogeneous of degree one and convex: n = dphi/ds and its second
// derivatives hess [9]; both may be NULL together.
typedef double (*SheetCriterion)(const double *par, const double s[3], double n[3], double *hess);

typedef struct {
  double young, poisson;
  double kinematic; // Prager modulus: slope of the uniaxial curve by the back stress [Pa]
  // Instead of it back stresses that are recalled: dX = modulus p^-1 de_p - recall X da (Chaboche
  // 1986).
  int n_back;
  double modulus[MAX_BACK],
      recall[MAX_BACK]; // [Pa], [1]; in uniaxial tension X ends at their ratio
  SheetMatrix p;        // quadratic criterion phi = sqrt(s p s); else the metric of the back stress
  SheetCriterion criterion; // NULL: quadratic
  const double *criterion_par;
  YieldFunction yield; // as function of the increment of this step
  const void *context;
} SheetLaw;

// von Mises, and Hill 1948 from its r-values (phi is the yield stress in rolling direction).
SheetMatrix sheet_mises_matrix(void);
SheetMatrix sheet_hill_matrix(double r0, double r45, double r90);

// Return to the yield surface in the axes of the stress (Simo and Taylor 1986), back stress
// kinematic p^-1 e_p. Stored: elastic energy and that of the back stress. Recalled back stresses
// are integrated exactly where the direction of flow stays; their tangent has no symmetry, its
// symmetric part is returned.
Status sheet_plastic_stress(const SheetLaw *law, const double e[3], const double *state_old,
                            double *state_new, SheetStress *out, Err *err) MUST_CHECK;

// Linear between stress and logarithmic strain; reads ELASTIC_PARAMS.
Status sheet_elastic(const Material *material, const double e[3], const double *state_old,
                     double *state_new, SheetStress *out, Err *err) MUST_CHECK;

// Laws whose first parameters are ELASTIC_PARAMS, HARDENING_PARAMS and the Prager modulus: with the
// yield stress by hardening_stress. `law` comes with its criterion and its kinematic hardening.
enum { SHEET_HARDENING = N_ELASTIC, SHEET_KINEMATIC = SHEET_HARDENING + N_HARDENING };
Status sheet_hardened(const Material *material, SheetLaw *law, const double e[3],
                      const double *state_old, double *state_new, SheetStress *out,
                      Err *err) MUST_CHECK;

// All layers of such a material without kinematic hardening, in vector registers: quadratic
// criterion p, or that of the parameters `yld2000`. Where a return in lanes does not get there
// the layer is left to the law by itself.
Status sheet_lanes(const Material *material, SheetMatrix p, const double *yld2000,
                   const SheetLayers *at, Err *err) MUST_CHECK;

// The same with von Mises' criterion: all of the sheet law of such a material.
// MaterialType.tabulate of laws with such hardening.
struct HardeningCurve;
Status sheet_tabulate(const Material *material, struct HardeningCurve **curve, Err *err) MUST_CHECK;
Status sheet_mises(const Material *material, const double e[3], const double *state_old,
                   double *state_new, SheetStress *out, Err *err) MUST_CHECK;

#endif
