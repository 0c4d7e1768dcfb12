#include "material/plastic.h"

#include <math.h>
#include <string.h>

static double contract(const double *a, const double *b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + 2 * (a[3] * b[3] + a[4] * b[4] + a[5] * b[5]);
}

// bulk 1 x 1 + 2 shear Id_deviatoric - drop n x n
static void fill_tangent(double bulk, double shear, double drop, const double *n, double *d) {
  for (int i = 0; i < 6; i++)
    for (int k = 0; k < 6; k++) d[i * 6 + k] = -drop * n[i] * n[k];
  for (int i = 0; i < 3; i++) {
    for (int k = 0; k < 3; k++) d[i * 6 + k] += bulk - 2 * shear / 3;
    d[i * 7] += 2 * shear;
    d[(i + 3) * 7] += shear;
  }
}

Status plastic_stress(const PlasticLaw *law, const double c[6], const double *state_old,
                      double *state_new, FiniteStress *out, Err *err) {
  const double shear = law->lame.shear, bulk = law->lame.bulk, kinematic = law->kinematic;
  LogStrain log;
  TRY(log_strain(c, &log, err));
  double ep[6], s[6], xi[6], n[6], trace = log.e[0] + log.e[1] + log.e[2], slope, stress;
  log_enter(&log, state_old + PLASTIC_STRAIN, ep);
  for (int i = 0; i < 6; i++) {
    s[i] = 2 * shear * ((i < 3 ? log.e[i] - trace / 3 : 0) - ep[i]);
    xi[i] = s[i] - 2.0 / 3 * kinematic * ep[i];
  }
  double q = sqrt(1.5 * contract(xi, xi)), da = 0, back_old = contract(ep, ep), work = 0;
  double reduced = shear, drop = 0; // of the tangent
  memcpy(state_new, state_old, N_PLASTIC * sizeof *state_new);
  memset(n, 0, sizeof n);
  if (q > law->yield(law->context, 0, &slope)) {
    da = radial_return(law->yield, law->context, q, 3 * shear + kinematic, &stress, &slope);
    if (da < 0) return err_set(err, ERR_NUMERIC, "no return to the yield surface from %g Pa", q);
    double step[6], added[6];
    for (int i = 0; i < 6; i++) {
      n[i] = sqrt(1.5) * xi[i] / q;
      step[i] = sqrt(1.5) * da * n[i];
      s[i] -= 2 * shear * step[i];
      ep[i] += step[i];
    }
    work = contract(s, step);
    log_leave(&log, step, added);
    for (int i = 0; i < 6; i++) state_new[PLASTIC_STRAIN + i] += added[i];
    state_new[PLASTIC_EQUIVALENT] += da;
    // Simo and Hughes 1998, box 3.2
    reduced = shear * (1 - 3 * shear * da / q);
    drop = 6 * shear * shear * (1 / (3 * shear + kinematic + slope) - da / q);
  }
  double t[6], d[36], back = contract(ep, ep) * kinematic / 3;
  for (int i = 0; i < 6; i++) t[i] = s[i] + (i < 3 ? bulk * trace : 0);
  fill_tangent(bulk, reduced, drop, n, d);
  out->stored = 0.5 * bulk * trace * trace + contract(s, s) / (4 * shear) + back;
  out->lost = da > 0 ? work - (back - back_old * kinematic / 3) : 0;
  log_stress(&log, t, d, out);
  return OK;
}
