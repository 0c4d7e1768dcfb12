#include "material/hardening.h"

#include <math.h>
#include <string.h>

enum {
  LINEAR,
  SWIFT,
  VOCE,
  COMBINED,
  POWER,
  TABLE,
  SWIFT_VOCE,
  HOCKETT_SHERBY,
  SWIFT_HOCKETT_SHERBY
}; // order of hardening_choices

const char hardening_choices[] = "linear|swift|voce|combined|power|table|swift_voce|hockett_sherby|"
                                 "swift_hockett_sherby";

int hardening_choice_is(const double *par, const char *name) {
  const char *choice = hardening_choices;
  for (int k = (int)par[HARDENING_KIND]; k > 0; k--) choice = strchr(choice, '|') + 1;
  size_t n = strlen(name);
  return strncmp(choice, name, n) == 0 && (choice[n] == '|' || choice[n] == 0);
}

// What softening leaves of the initial yield stress: a return to the yield surface needs a radius.
static const double RESIDUAL = 1e-3;

// (1 + x)^n for |x| <= NEAR_ONE, to all digits.
static const double NEAR_ONE = 0.02;
static double power_near_one(double x, double n) {
  static const double over[] = {1, 1. / 2, 1. / 3, 1. / 4, 1. / 5, 1. / 6, 1. / 7, 1. / 8, 1. / 9};
  double sum = 1;
  for (int k = fabs(x) < 1e-5 ? 2 : 8; k >= 0; k--) sum = 1 + (n - k) * over[k] * x * sum;
  return sum;
}

// Total strain e of K e^n = E (e - a), the power law met with the elastic line, and *elastic =
// ratio e^n: Halley's method on a convex function; where a step is small it is cubed. Beyond the
// strains where the two lines meet a itself is a good beginning, and the power is taken once: it
// follows by its series.
static double power_strain(double ratio, double n, double a, double *elastic) {
  const double small = 1e-5, plain = 1e-3;
  const int is_metal = ratio < 1e-2 && n <= 0.5; // then the function of e rises from e = a on
  double first = a > plain && is_metal ? 0 : pow(ratio, 1 / (1 - n)), e = first + a;
  double power = ratio * pow(e, n);
  for (int it = 0; it < 60; it++) {
    double inverse = 1 / e, rise = n * power * inverse, slope = 1 - rise, miss = e - power - a;
    double bend = (1 - n) * rise * inverse;
    double next = e - miss * slope / (slope * slope - 0.5 * miss * bend);
    if (next < first) next = first;
    double x = (next - e) * inverse;
    power = fabs(x) <= NEAR_ONE ? power * power_near_one(x, n) : ratio * pow(next, n);
    e = next;
    if (fabs(x) <= small) break;
  }
  *elastic = power;
  return e;
}

static double table_stress(const Material *material, double a, double *slope) {
  const double *point = material->table;
  int n = material->n_table, k = 0;
  *slope = 0;
  if (n == 0) return 0;
  if (a >= point[2 * (n - 1)]) return point[2 * n - 1];
  while (k + 1 < n && point[2 * (k + 1)] <= a) k++;
  const double *p = point + 2 * k;
  if (a <= p[0] && k == 0) a = p[0]; // before the first point: constant, but with the slope to come
  *slope = (p[3] - p[1]) / (p[2] - p[0]);
  return p[1] + *slope * (a - p[0]);
}

static double swift_stress(const double *par, double a, double *slope) {
  // the slope is infinite at a = 0 without offset: a strain far below any of interest keeps it
  // finite
  const double least = 1e-12;
  double e = fmax(par[HARDENING_OFFSET] + a, least);
  double stress = par[HARDENING_STRENGTH] * pow(e, par[HARDENING_EXPONENT]);
  *slope = par[HARDENING_EXPONENT] * stress / e;
  return stress;
}

// Voce, and with a power below 1 Hockett and Sherby 1975, whose slope is infinite at a = 0: up to a
// strain far below any of interest a^power is its chord.
static double saturating_stress(const double *par, double power, double a, double *slope) {
  const double chord = 1e-7;
  double x = a, rise = 1;
  if (power != 1) {
    double e = fmax(a, chord), raised = pow(e, power);
    x = a < chord ? raised / chord * a : raised;
    rise = (a < chord ? 1 : power) * raised / e;
  }
  double gap = (par[HARDENING_SATURATE] - par[HARDENING_YIELD]) * exp(-par[HARDENING_RATE] * x);
  *slope = par[HARDENING_RATE] * rise * gap;
  return par[HARDENING_SATURATE] - gap;
}

// The power of the plastic strain in the part of a curve that saturates.
static double power_of(const double *par) {
  int kind = (int)par[HARDENING_KIND];
  return kind == HOCKETT_SHERBY || kind == SWIFT_HOCKETT_SHERBY ? par[HARDENING_POWER] : 1;
}

double hardening_stress(const Material *material, const double *par, double young, double a,
                        double *slope) {
  double yield = par[HARDENING_YIELD], modulus = par[HARDENING_MODULUS],
         n = par[HARDENING_EXPONENT];
  double stress = yield, first = yield, unused;
  *slope = 0;
  switch ((int)par[HARDENING_KIND]) {
  case LINEAR:
    stress = yield + modulus * a;
    *slope = modulus;
    break;
  case SWIFT:
    stress = swift_stress(par, a, slope);
    first = swift_stress(par, 0, &unused);
    break;
  case VOCE:
  case HOCKETT_SHERBY:
    stress = saturating_stress(par, power_of(par), a, slope);
    break;
  case COMBINED:
    stress = saturating_stress(par, 1, a, slope) + modulus * a;
    *slope += modulus;
    break;
  case SWIFT_VOCE:
  case SWIFT_HOCKETT_SHERBY: {
    double w = par[HARDENING_MIX], rise;
    stress =
        w * swift_stress(par, a, slope) + (1 - w) * saturating_stress(par, power_of(par), a, &rise);
    *slope = w * *slope + (1 - w) * rise;
    first = w * swift_stress(par, 0, &unused) + (1 - w) * yield;
    break;
  }
  case POWER: {
    double elastic, e = power_strain(par[HARDENING_STRENGTH] / young, n, a, &elastic);
    stress = young * elastic;
    double tangent = n * stress / e; // in the total strain; e = a + stress / young
    *slope = tangent / (1 - tangent / young);
    if (stress < yield) { // a yield point above the meeting of line and curve is a plateau
      stress = yield;
      *slope = 0;
    }
    break;
  }
  default: // TABLE
    stress = table_stress(material, a, slope);
    first = material->n_table ? material->table[1] : 0;
  }
  if (stress < RESIDUAL * first) {
    stress = RESIDUAL * first;
    *slope = 0;
  }
  return stress;
}

static const char *table_defect(const Material *material, int *softens) {
  const double *point = material->table;
  if (material->n_table < 1)
    return "hardening=\"table\" needs plastic strains and stresses, in table or table_file";
  if (point[0] != 0) return "the first plastic strain of the hardening table must be 0";
  for (int k = 0; k < material->n_table; k++) {
    if (!(point[2 * k + 1] > 0)) return "stresses of the hardening table must be positive";
    if (k == 0) continue;
    if (!(point[2 * k] > point[2 * k - 2]))
      return "plastic strains of the hardening table must increase";
    if (point[2 * k + 1] < point[2 * k - 1]) *softens = 1;
  }
  return NULL;
}

// A sum of curves needs what each of them needs.
static const char *swift_defect(const double *par) {
  if (!(par[HARDENING_STRENGTH] > 0))
    return "hardening=\"swift\", its mixes and \"power\" need a strength above 0";
  if (!(par[HARDENING_EXPONENT] > 0))
    return "hardening=\"swift\" and its mixes need an exponent above 0: without it nothing hardens, and "
           "that is hardening=\"linear\" with a yield stress alone";
  if (par[HARDENING_OFFSET] == 0)
    return "hardening=\"swift\" and its mixes need an offset above 0: without it there is no elastic "
           "range";
  return NULL;
}

static const char *power_defect(const double *par, double young) {
  if (!(par[HARDENING_STRENGTH] > 0))
    return "hardening=\"swift\", its mixes and \"power\" need a strength above 0";
  if (!(par[HARDENING_EXPONENT] < 1))
    return "hardening=\"power\" needs an exponent below 1: the curve must meet the elastic line";
  if (par[HARDENING_EXPONENT] == 0 && !(par[HARDENING_STRENGTH] < young))
    return "hardening=\"power\" needs a strength below Young's modulus";
  return NULL;
}

static const char *saturating_defect(const double *par, int *softens) {
  if (!(par[HARDENING_YIELD] > 0)) return "hardening needs a yield stress above 0";
  if (!(par[HARDENING_SATURATE] > 0))
    return "hardening=\"voce\", \"combined\", \"hockett_sherby\" and mixes need a saturation above 0";
  if (!(par[HARDENING_RATE] > 0) && par[HARDENING_SATURATE] != par[HARDENING_YIELD])
    return "hardening=\"voce\", \"combined\", \"hockett_sherby\" and mixes need a rate above 0: without it "
           "the stress stays at yield, and saturation has no effect";
  *softens |= par[HARDENING_SATURATE] < par[HARDENING_YIELD];
  return NULL;
}

const char *hardening_defect(const Material *material, const double *par, double young,
                             int *softens) {
  int kind = (int)par[HARDENING_KIND];
  *softens = 0;
  if (kind == TABLE) return table_defect(material, softens);
  if (material->n_table > 0) return "table and table_file need hardening=\"table\"";
  if (kind == SWIFT) return swift_defect(par);
  if (kind == POWER) return power_defect(par, young);
  if (kind == SWIFT_VOCE || kind == SWIFT_HOCKETT_SHERBY) {
    const char *defect = swift_defect(par);
    return defect ? defect : saturating_defect(par, softens);
  }
  if (kind == LINEAR || kind == COMBINED) *softens |= par[HARDENING_MODULUS] < 0;
  if (kind != LINEAR) return saturating_defect(par, softens);
  if (!(par[HARDENING_YIELD] > 0)) return "hardening needs a yield stress above 0";
  if (par[HARDENING_MODULUS] <= -young) return "the modulus must be above minus Young's modulus";
  return NULL;
}

// Metals yield at 1e-4 to 1e-2 of Young's modulus, the softest at 1e-5; stresses in MPa beside a
// modulus in Pa are at 1e-9.
static const double SOFTEST = 1e-6;

// Numbers that each curve takes, a bit each in the order of the parameters.
enum {
  TAKES_LINE = 1 << HARDENING_YIELD | 1 << HARDENING_MODULUS,
  TAKES_POWER = 1 << HARDENING_STRENGTH | 1 << HARDENING_EXPONENT,
  TAKES_SWIFT = TAKES_POWER | 1 << HARDENING_OFFSET,
  TAKES_VOCE = 1 << HARDENING_YIELD | 1 << HARDENING_SATURATE | 1 << HARDENING_RATE,
};
static const int takes[] = {
    [LINEAR] = TAKES_LINE,
    [SWIFT] = TAKES_SWIFT,
    [VOCE] = TAKES_VOCE,
    [COMBINED] = TAKES_VOCE | TAKES_LINE,
    [POWER] = TAKES_POWER | 1 << HARDENING_YIELD,
    [TABLE] = 0,
    [SWIFT_VOCE] = TAKES_SWIFT | TAKES_VOCE,
    [HOCKETT_SHERBY] = TAKES_VOCE,
    [SWIFT_HOCKETT_SHERBY] = TAKES_SWIFT | TAKES_VOCE,
};

// A number that the curve does not take. Those of power and mix are not zero where they are not
// given.
static int has_idle_number(const double *par) {
  for (int k = HARDENING_YIELD; k <= HARDENING_RATE; k++)
    if (par[k] != 0 && !(takes[(int)par[HARDENING_KIND]] >> k & 1)) return 1;
  return 0;
}

// Strength is lost where this share of the first yield stress is left, twice the residual, at a
// plastic strain of 1, which softening reaches.
static const double LOST = 2e-3;

const char *hardening_doubt(const Material *material, const double *par, double young,
                            int softens) {
  double slope, first = hardening_stress(material, par, young, 0, &slope);
  if (first < SOFTEST * young)
    return "it yields below a millionth of Young's modulus: stresses are in Pa, and so is the modulus";
  if (hardening_stress(material, par, young, 1, &slope) < LOST * first)
    return "the yield stress falls with plastic strain and is gone before a strain of 1: check the sign "
           "and size of the modulus; without a length the result depends on the mesh";
  if (softens)
    return "the yield stress falls with plastic strain: without a length the result depends on the "
           "mesh";
  if (has_idle_number(par))
    return "a number is given that its curve does not take, and has no effect: see `hardening`";
  return NULL;
}
