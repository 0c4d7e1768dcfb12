#include <math.h>
#include <string.h>

#include "material/hardening.h"
#include "material/material_table.h"
#include "material/sheet_plasticity.h"
#include "material/sheet_yld2000.h"

static const ParamSpec params[] = {
    ELASTIC_PARAMS,
    HARDENING_PARAMS,
    {"kinematic", PARAM_REAL, "Pa", "0", "[0,inf[", NULL,
     "kinematic hardening: slope of the uniaxial curve by the back stress at its start"},
    {"recall", PARAM_REAL, "1", "0", "[0,1e6]", NULL,
     "how fast the back stress is recalled (Chaboche): it ends at kinematic / recall; 0: linear"},
    {"kinematic_2", PARAM_REAL, "Pa", "0", "[0,inf[", NULL,
     "a second back stress, added to the first"},
    {"recall_2", PARAM_REAL, "1", "0", "[0,1e6]", NULL, "the same of the second"},
    {"kinematic_3", PARAM_REAL, "Pa", "0", "[0,inf[", NULL, "a third back stress"},
    {"recall_3", PARAM_REAL, "1", "0", "[0,1e6]", NULL, "the same of the third"},
    {"criterion", PARAM_CHOICE, "", "mises", NULL, "mises|hill48|yld2000",
     "yield surface; the hardening curve is that of tension in rolling direction"},
    {"r0", PARAM_REAL, "1", "0", "[0,inf[", NULL,
     "hill48, yld2000: width over thickness strain of a strip in rolling direction"},
    {"r45", PARAM_REAL, "1", "0", "[0,inf[", NULL, "the same at 45 degrees; 0: as r0"},
    {"r90", PARAM_REAL, "1", "0", "[0,inf[", NULL, "the same at 90 degrees; 0: as r0"},
    {"rb", PARAM_REAL, "1", "1", "]0,inf[", NULL,
     "yld2000: strain at 90 over that at 0 degrees under equibiaxial stress"},
    {"s0", PARAM_REAL, "1", "1", "]0,inf[", NULL,
     "yld2000: yield stress in rolling direction, in any unit"},
    {"s45", PARAM_REAL, "1", "0", "[0,inf[", NULL, "the same at 45 degrees, in the unit of s0"},
    {"s90", PARAM_REAL, "1", "0", "[0,inf[", NULL, "the same at 90 degrees"},
    {"sb", PARAM_REAL, "1", "0", "[0,inf[", NULL, "the same under equibiaxial stress"},
    {"alpha1", PARAM_REAL, "1", "0", NULL, NULL,
     "yld2000: coefficients, in place of yield stresses and r-values"},
    {"alpha2", PARAM_REAL, "1", "0", NULL, NULL, "see alpha1"},
    {"alpha3", PARAM_REAL, "1", "0", NULL, NULL, "see alpha1"},
    {"alpha4", PARAM_REAL, "1", "0", NULL, NULL, "see alpha1"},
    {"alpha5", PARAM_REAL, "1", "0", NULL, NULL, "see alpha1"},
    {"alpha6", PARAM_REAL, "1", "0", NULL, NULL, "see alpha1"},
    {"alpha7", PARAM_REAL, "1", "0", NULL, NULL, "see alpha1"},
    {"alpha8", PARAM_REAL, "1", "0", NULL, NULL, "see alpha1"},
    {"yield_exponent", PARAM_REAL, "1", "8", "[2,100]", NULL,
     "yld2000: 8 for face-centred (aluminium), 6 for body-centred crystals (steel)"},
};
enum {
  CRITERION = SHEET_KINEMATIC + 2 * MAX_BACK,
  R_VALUES,                 // 0, 45, 90 degrees, equibiaxial
  STRESSES = CRITERION + 5, // the same
  ALPHAS = STRESSES + 4,
  EXPONENT = ALPHAS + 8
};
enum { MISES, HILL48, YLD2000 }; // order of the choices

// Of Young's modulus: no metal hardens so far.
static const double LARGEST_BACK = 0.1;

static double r_value(const double *par, int k) {
  return par[R_VALUES + k] > 0 ? par[R_VALUES + k] : par[R_VALUES];
}

// Number of coefficients that are not zero: eight, or the tests are used.
static int n_alphas(const double *par) {
  int n = 0;
  for (int k = 0; k < 8; k++) n += par[ALPHAS + k] != 0;
  return n;
}

// derived: the quadratic form of mises and hill48, the maps of yld2000.
static Status prepare(Material *material, Err *err) {
  const double *par = material->par;
  SheetMatrix p = sheet_mises_matrix();
  if ((int)par[CRITERION] == YLD2000) {
    double alpha[8];
    SheetTests tests;
    for (int k = 0; k < 4; k++) {
      tests.s[k] = par[STRESSES + k];
      tests.r[k] = k < 3 ? r_value(par, k) : par[R_VALUES + 3];
    }
    if (n_alphas(par))
      memcpy(alpha, par + ALPHAS, sizeof alpha);
    else
      TRY(yld2000_identify(&tests, par[EXPONENT], alpha, err));
    yld2000_maps(alpha, par[EXPONENT], material->derived);
    return OK;
  }
  if ((int)par[CRITERION] == HILL48)
    p = sheet_hill_matrix(r_value(par, 0), r_value(par, 1), r_value(par, 2));
  memcpy(material->derived, &p, sizeof p);
  return OK;
}

// Back stresses of their own: all up to the last that is recalled; 0: none is.
static int n_recalled(const Material *material) {
  const double *back = material->par + SHEET_KINEMATIC;
  int n = 0, last = 0;
  for (int k = 0; k < MAX_BACK; k++) {
    if (back[2 * k] > 0) last = k + 1;
    if (back[2 * k + 1] > 0) n = 1;
  }
  return n ? last : 0;
}

static int sheet_states(const Material *material) {
  return N_SHEET + 3 * n_recalled(material);
}

static Status sheet(const Material *material, const double e[3], const double *state_old,
                    double *state_new, SheetStress *out, Err *err) {
  SheetLaw law = {.p = sheet_mises_matrix()};
  if ((int)material->par[CRITERION] == YLD2000) {
    law.criterion = yld2000;
    law.criterion_par = material->derived;
  } else {
    memcpy(&law.p, material->derived, sizeof law.p);
  }
  const double *back = material->par + SHEET_KINEMATIC;
  law.n_back = n_recalled(material);
  for (int k = 0; k < MAX_BACK; k++) {
    law.modulus[k] = back[2 * k];
    law.recall[k] = back[2 * k + 1];
    law.kinematic += back[2 * k]; // where none is recalled
  }
  return sheet_hardened(material, &law, e, state_old, state_new, out, err);
}

static Status sheets(const Material *material, const SheetLayers *at, Err *err) {
  const double *par = material->par;
  int isotropic = 1;
  for (int k = 0; k < 2 * MAX_BACK; k++) isotropic = isotropic && par[SHEET_KINEMATIC + k] == 0;
  if (isotropic) {
    SheetMatrix p = {0};
    int quadratic = (int)par[CRITERION] != YLD2000;
    if (quadratic) memcpy(&p, material->derived, sizeof p);
    return sheet_lanes(material, p, quadratic ? NULL : material->derived, at, err);
  }
  for (int q = 0; q < at->n; q++) {
    size_t state = (size_t)q * (size_t)at->stride;
    Status status =
        sheet(material, at->e + 3 * q, at->old + state, at->new + state, at->out + q, err);
    if (status != OK) return err_note(err, "layer %d of the sheet", q + 1);
  }
  return OK;
}

static int directional(const Material *material) {
  const double *par = material->par;
  int kind = (int)par[CRITERION];
  if (kind == YLD2000) return 1;
  return kind == HILL48 && !(r_value(par, 1) == par[R_VALUES] && r_value(par, 2) == par[R_VALUES]);
}

static const char *yld2000_defect(const Material *material) {
  const double *par = material->par;
  int n = n_alphas(par);
  if (n == 8) return NULL;
  if (n > 0) return "criterion=\"yld2000\" needs all of alpha1 to alpha8, or none of them";
  for (int k = 0; k < 4; k++)
    if (!(par[STRESSES + k] > 0))
      return "criterion=\"yld2000\" needs s0 s45 s90 sb and r0 r45 r90 rb, or alpha1 to alpha8";
  if (!(par[R_VALUES] > 0)) return "criterion=\"yld2000\" needs r0 above 0";
  Material copy = *material;
  if (prepare(&copy, NULL) != OK)
    return "no coefficients of yld2000 meet the yield stresses and r-values given";
  return NULL;
}

static const char *recall_defect(const double *par) {
  const double *back = par + SHEET_KINEMATIC;
  double end = 0;
  for (int k = 0; k < MAX_BACK; k++) {
    if (!(back[2 * k + 1] > 0)) continue;
    if (!(back[2 * k] > 0))
      return "recall needs kinematic above 0, recall_2 kinematic_2, recall_3 kinematic_3: without it there is "
             "no back stress to recall";
    end += back[2 * k] / back[2 * k + 1];
  }
  if (end >= LARGEST_BACK * par[ELASTIC_YOUNG])
    return "the back stress ends at the sum of kinematic / recall, which is above a tenth of Young's modulus";
  return NULL;
}

static const char *defect(const Material *material, const char **warning) {
  const double *par = material->par;
  int softens;
  const char *wrong =
      hardening_defect(material, par + SHEET_HARDENING, par[ELASTIC_YOUNG], &softens);
  if (wrong) return wrong;
  *warning = hardening_doubt(material, par + SHEET_HARDENING, par[ELASTIC_YOUNG], softens);
  const char *recall = recall_defect(par);
  if (recall) return recall;
  if ((int)par[CRITERION] == YLD2000) return yld2000_defect(material);
  if ((int)par[CRITERION] != HILL48) return NULL;
  if (!(par[R_VALUES] > 0))
    return "criterion=\"hill48\" needs r0 above 0 (and r45, r90 if they differ)";
  SheetMatrix p = sheet_hill_matrix(r_value(par, 0), r_value(par, 1), r_value(par, 2));
  if (!(p.a11 > 0 && p.a11 * p.a22 > p.a12 * p.a12 && p.a66 > 0))
    return "the r-values of hill48 give no convex yield surface";
  return NULL;
}

const MaterialType material_sheet = {
    .name = "sheet",
    .doc = "Metal sheet: plane-stress plasticity in logarithmic strains, isotropic or anisotropic, "
           "for shells only",
    .params = params,
    .n_params = sizeof params / sizeof params[0],
    .stiffness = isotropic_stiffness,
    .sheet = sheet,
    .sheets = sheets,
    .n_sheet_state = N_SHEET_RECALLED,
    .sheet_states = sheet_states,
    .plastic = SHEET_EQUIVALENT,
    .damage = -1,
    .defect = defect,
    .prepare = prepare,
    .tabulate = sheet_tabulate,
    .directional = directional,
};
