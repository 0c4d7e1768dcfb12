#include "mesh/outline.h"

#include <math.h>

const double OUTLINE_FULL = 1e-9, OUTLINE_STRAIGHT = 1e-9;

Status outline_sides(const double *corner, int n, int n_sides, const char *what, OutlineSide *side,
                     Err *err) {
  for (int k = 0; k < n_sides; k++) {
    const double *a = corner + 3 * k, *b = corner + 3 * ((k + 1) % n);
    side[k] = (OutlineSide){.t = {b[0] - a[0], b[1] - a[1]}};
    side[k].length = hypot(side[k].t[0], side[k].t[1]);
    if (!(side[k].length > 0))
      return err_set(err, ERR_INPUT, "corners %d and %d of the %s are the same point", k + 1,
                     (k + 1) % n + 1, what);
    side[k].t[0] /= side[k].length;
    side[k].t[1] /= side[k].length;
  }
  return OK;
}

Status outline_corner(const double *corner, int k, const char *what, OutlineSide *before,
                      OutlineSide *after, OutlineCorner *out, Err *err) {
  double turn = before->t[0] * after->t[1] - before->t[1] * after->t[0], radius = corner[2];
  double along = before->t[0] * after->t[0] + before->t[1] * after->t[1];
  *out = (OutlineCorner){0};
  if (radius < 0) return err_set(err, ERR_INPUT, "corner %d has a negative radius", k + 1);
  if (fabs(turn) <= OUTLINE_STRAIGHT) {
    if (along > 0) return OK;
    return err_set(err, ERR_INPUT, "the %s turns back at corner %d", what, k + 1);
  }
  out->angle = atan2(turn, along);
  double cut = radius * tan(0.5 * fabs(out->angle)), left = turn > 0 ? radius : -radius;
  before->cut[1] = after->cut[0] = cut;
  out->centre[0] = corner[0] - cut * before->t[0] - left * before->t[1];
  out->centre[1] = corner[1] - cut * before->t[1] + left * before->t[0];
  return OK;
}

Status outline_check(const OutlineSide *side, int n, int n_sides, const char *what, Err *err) {
  for (int k = 0; k < n_sides; k++) {
    double taken = side[k].cut[0] + side[k].cut[1];
    if (taken > side[k].length * (1 + OUTLINE_FULL))
      return err_set(err, ERR_INPUT,
                     "the fillets at corner %d and corner %d of the %s leave nothing of the side "
                     "between: they take %g of %g m",
                     k + 1, (k + 1) % n + 1, what, taken, side[k].length);
  }
  return OK;
}
