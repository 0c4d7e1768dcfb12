#include "output/forming_limit.h"

#include <math.h>

#include "base/mem.h"

// A major strain beyond this, the length of the sheet four times and more, is given in percent.
static const double MOST_MAJOR = 3;

// Of point k, from its two numbers as they were given.
static Status check_point(const double *value, int k, int engineering, Err *err) {
  if (value[1] > MOST_MAJOR || (engineering && value[0] <= -1))
    return err_set(err, ERR_INPUT,
                   "point %d of the forming-limit curve has the %s strain %g: strains are no "
                   "percents, 30 %% is 0.3",
                   k + 1, value[1] > MOST_MAJOR ? "major" : "minor",
                   value[1] > MOST_MAJOR ? value[1] : value[0]);
  if (!isfinite(value[0]) || !(value[1] > 0))
    return err_set(err, ERR_INPUT,
                   "point %d of the forming-limit curve has the minor strain %g and the major "
                   "strain %g: the one must be a number, the other positive",
                   k + 1, value[0], value[1]);
  return OK;
}

Status forming_limit_init(FormingLimit *limit, int body, const double *value, int n_values,
                          int engineering, Err *err) {
  *limit = (FormingLimit){.body = body};
  if (n_values < 2 || n_values % 2)
    return err_set(err, ERR_INPUT,
                   "a forming-limit curve needs pairs of minor and major strain, found %d numbers",
                   n_values);
  MEM_NEW(limit->point, n_values, err);
  limit->n = n_values / 2;
  for (int k = 0; k < limit->n; k++) TRY(check_point(value + 2 * k, k, engineering, err));
  for (int k = 0; k < n_values; k++) limit->point[k] = engineering ? log1p(value[k]) : value[k];
  for (int k = 1; k < limit->n; k++)
    if (!(value[2 * k] > value[2 * k - 2]))
      return err_set(err, ERR_INPUT,
                     "minor strains of the forming-limit curve must increase: point %d has %g "
                     "after %g",
                     k + 1, value[2 * k], value[2 * k - 2]);
  return OK;
}

static const double THICKEST = 3, HARDEST = 0.21; // [mm]; beyond them Keeler did not fit

int forming_limit_beyond_keeler(double exponent, double thickness) {
  return exponent > HARDEST || 1e3 * thickness > THICKEST;
}

Status forming_limit_keeler(FormingLimit *limit, int body, double exponent, double thickness,
                            Err *err) {
  enum { RIGHT = 9 };             // points from no minor strain on
  const double most_left = 0.4;   // logarithmic minor strain where it ends
  const double right_step = 0.05; // engineering minor strain between points
  double mm = fmin(1e3 * thickness, THICKEST), percent = 0.01;
  double middle = percent * (23.3 + 14.13 * mm) * fmin(exponent, HARDEST) / HARDEST;
  double value[2 * (RIGHT + 1)] = {-most_left, log1p(middle) + most_left};
  for (int k = 0; k < RIGHT; k++) {
    double minor = k * right_step;
    value[2 * k + 2] = log1p(minor);
    value[2 * k + 3] = log1p(middle + minor * (0.785 - 0.86 * minor));
  }
  return forming_limit_init(limit, body, value, 2 * (RIGHT + 1), 0, err);
}

void forming_limit_free(FormingLimit *limit) {
  mem_free(limit->point);
  *limit = (FormingLimit){0};
}

double forming_limit_at(const FormingLimit *limit, double minor) {
  const double *p = limit->point;
  int n = limit->n, k = 0;
  if (minor <= p[0]) return p[1];
  if (minor >= p[2 * (n - 1)]) return p[2 * n - 1];
  while (p[2 * (k + 1)] <= minor) k++;
  p += 2 * k;
  return p[1] + (p[3] - p[1]) * (minor - p[0]) / (p[2] - p[0]);
}

double forming_limit_index(const FormingLimit *limit, double minor, double major) {
  return fmax(0, major) / forming_limit_at(limit, minor);
}
