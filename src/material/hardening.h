// material/hardening.h -- yield stress as a function of the equivalent plastic strain.
//
// One table of curves serves solids and sheets: what a curve needs is read from the parameters of
// the material, in the order of HARDENING_PARAMS, which every law with isotropic hardening lists.

#ifndef MATERIAL_HARDENING_H
#define MATERIAL_HARDENING_H

#include "material/material.h"

// Rows of a ParamSpec table: `hardening` (choice), then what the curves need. par[k] of the law's
// table from HARDENING_FIRST on are these; a law lists them as its first parameters after its
// elastic ones.
enum {
  HARDENING_KIND,     // index of the choice
  HARDENING_YIELD,    // initial yield stress                                        [Pa]
  HARDENING_MODULUS,  // linear: slope H; combined: linear part added to Voce        [Pa]
  HARDENING_STRENGTH, // Swift, power: K                                             [Pa]
  HARDENING_OFFSET,   // Swift: strain offset e0
  HARDENING_EXPONENT, // Swift, power: n
  HARDENING_SATURATE, // Voce: stress that is approached                             [Pa]
  HARDENING_RATE,     // Voce: exponent c
  HARDENING_POWER,    // Hockett-Sherby: power m of the plastic strain
  HARDENING_MIX,      // share of Swift in a mix
  HARDENING_LIST,     // no numbers: these two are material->table
  HARDENING_FILE,
  N_HARDENING
};
extern const char hardening_choices[]; // "linear|swift|voce|..."
int hardening_choice_is(const double *par, const char *name);
// clang-format off
#define HARDENING_PARAMS \
    {"hardening", PARAM_CHOICE, "", "linear", NULL, hardening_choices, "curve: yield + modulus a; strength (offset + a)^exponent; saturation - (saturation - yield) exp(-rate a); the same + modulus a; total strain power law strength e^exponent; points of table or table_file; mix of swift and (1 - mix) of voce; saturation - (saturation - yield) exp(-rate a^power); mix of swift and (1 - mix) of that"}, \
    {"yield", PARAM_REAL, "Pa", "0", "[0,inf[", NULL, "initial yield stress (linear, power, and all with a saturation)"}, \
    {"modulus", PARAM_REAL, "Pa", "0", NULL, NULL, "slope of linear and combined hardening"}, \
    {"strength", PARAM_REAL, "Pa", "0", "[0,inf[", NULL, "strength of swift, its mixes and power"}, \
    {"offset", PARAM_REAL, "1", "0", "[0,inf[", NULL, "strain offset of swift and its mixes"}, \
    {"exponent", PARAM_REAL, "1", "0", "[0,1]", NULL, "exponent of swift, its mixes and power"}, \
    {"saturation", PARAM_REAL, "Pa", "0", "[0,inf[", NULL, "stress that voce and hockett_sherby approach"}, \
    {"rate", PARAM_REAL, "1", "0", "[0,inf[", NULL, "exponent of voce and hockett_sherby"}, \
    {"power", PARAM_REAL, "1", "1", "]0,1]", NULL, "power of the plastic strain in hockett_sherby; 1: voce"}, \
    {"mix", PARAM_REAL, "1", "0.5", "[0,1]", NULL, "share of swift in swift_voce and swift_hockett_sherby"}, \
    {"table", PARAM_LIST, "", "", NULL, NULL, "table: pairs of plastic strain, from 0 on, and stress [Pa]; linear between, constant beyond the last"}, \
    {"table_file", PARAM_FILE, "", "", NULL, NULL, "the same as the first two columns of a CSV file"}
// clang-format on

// Yield stress [Pa] at equivalent plastic strain a >= 0 and its slope. `par` points at the first of
// the N_HARDENING parameters. "power" is the total-strain law K e^n met with the elastic line of
// modulus `young` (a yield stress above that point is a plateau); "table" is material->table (pairs
// of plastic strain from 0 on and stress), linear between and constant beyond its last point. What
// softens ends at a thousandth of the initial yield stress.
double hardening_stress(const Material *material, const double *par, double young, double a,
                        double *slope);

// What is wrong with the parameters (a curve that decreases, missing numbers), or NULL; `softens`
// is set when the curve falls somewhere.
const char *hardening_defect(const Material *material, const double *par, double young,
                             int *softens);
// What is doubtful in parameters without defect, or NULL.
const char *hardening_doubt(const Material *material, const double *par, double young, int softens);

#endif
