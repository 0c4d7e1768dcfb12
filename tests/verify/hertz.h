// tests/verify/hertz.h -- the pressure of a ball by Hertz, fitted to nodes.

#ifndef TESTS_VERIFY_HERTZ_H
#define TESTS_VERIFY_HERTZ_H

#include <criterion/criterion.h>
#include <math.h>

#include "../support/run_case.h"
#include "contact/contact.h"

// Radius 1 under `load` on what is rigid: the square of the pressure falls linearly with that of
// the distance from the axis. A line through the nodes within 0.8 of the width is within `bound`.
static inline void expect_hertz(const CaseRun *run, double load, double young, double poisson,
                                double bound, const char *what) {
  const double a = pow(0.75 * load * (1 - poisson * poisson) / young, 1.0 / 3),
               p0 = 1.5 * load / (acos(-1) * a * a);
  double n = 0, x1 = 0, y1 = 0, xx = 0, xy = 0;
  for (int c = 0; c < contact_count(run->work.contact); c++) {
    const Contact *contact = &contact_list(run->work.contact)[c];
    double place[3];
    contact_place(&run->input.model.bodies, contact, NULL, place);
    const double x = place[0] * place[0] + place[1] * place[1];
    const double y = pow(run->work.reaction[3 * c] / run->work.report.h_last / contact->area, 2);
    if (!(x < 0.64 * a * a)) continue;
    n++, x1 += x, y1 += y, xx += x * x, xy += x * y;
  }
  cr_assert_geq(n, 7, "%s: %g points, load %g", what, n, load);
  const double slope = (n * xy - x1 * y1) / (n * xx - x1 * x1), at0 = (y1 - slope * x1) / n;
  cr_expect_float_eq(sqrt(-at0 / slope), a, bound * a, "%s: width %g, Hertz %g", what,
                     sqrt(-at0 / slope), a);
  cr_expect_float_eq(sqrt(at0), p0, bound * p0, "%s: peak %g, Hertz %g", what, sqrt(at0), p0);
}

#endif
