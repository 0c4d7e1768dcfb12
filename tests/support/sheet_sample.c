#include "sheet_sample.h"

#include <stdlib.h>

#include "material_sample.h"

typedef struct {
  const char *law;
  struct {
    const char *name;
    double value;
  } par[20];
} Sample;

// clang-format off
static const Sample samples[] = {
    {"elastic", {{"young", 1000}, {"poisson", 0.3}}},
    {"j2", {{"young", 1000}, {"poisson", 0.3}, {"hardening", 2}, {"yield", 20}, {"saturation", 40}, {"rate", 12}, {"kinematic", 30}}},
    {"sheet", {{"young", 1000}, {"poisson", 0.3}, {"hardening", 1}, {"strength", 50}, {"offset", 0.01}, {"exponent", 0.25}}},
    {"sheet", {{"young", 1000}, {"poisson", 0.3}, {"yield", 20}, {"modulus", 50}, {"criterion", 1}, {"r0", 1.79}}},
    {"sheet", {{"young", 1000}, {"poisson", 0.3}, {"yield", 20}, {"modulus", 50}, {"criterion", 1}, {"r0", 1.79}, {"r45", 1.51}, {"r90", 2.27}}},
    {"sheet", {{"young", 1000}, {"poisson", 0.3}, {"yield", 20}, {"modulus", 20}, {"kinematic", 60}, {"criterion", 1}, {"r0", 0.7}, {"r45", 0.5}, {"r90", 0.9}}},
    {"sheet", {{"young", 1000}, {"poisson", 0.3}, {"yield", 20}, {"modulus", 50}, {"criterion", 2},
      {"r0", 0.526}, {"r45", 0.253}, {"r90", 0.601}, {"rb", 1}, {"s0", 1}, {"s45", 0.898}, {"s90", 0.983}, {"sb", 1}}},
    {"sheet", {{"young", 1000}, {"poisson", 0.3}, {"yield", 20}, {"modulus", 20}, {"kinematic", 40}, {"criterion", 2}, {"yield_exponent", 6},
      {"alpha1", 0.95}, {"alpha2", 1.02}, {"alpha3", 0.98}, {"alpha4", 1.03}, {"alpha5", 1.01}, {"alpha6", 0.97}, {"alpha7", 0.94}, {"alpha8", 1.12}}},
    {"sheet", {{"young", 1000}, {"poisson", 0.3}, {"yield", 20}, {"modulus", 20}, {"kinematic", 400}, {"recall", 30}, {"kinematic_2", 40},
      {"criterion", 1}, {"r0", 0.7}, {"r45", 0.5}, {"r90", 0.9}}},
    {"sheet", {{"young", 1000}, {"poisson", 0.3}, {"hardening", 7}, {"yield", 20}, {"saturation", 40}, {"rate", 9}, {"power", 0.8}, {"kinematic", 300}, {"recall", 20},
      {"criterion", 2}, {"r0", 0.526}, {"r45", 0.253}, {"r90", 0.601}, {"rb", 1}, {"s0", 1}, {"s45", 0.898}, {"s90", 0.983}, {"sb", 1}}},
};
// clang-format on

void sheet_set(Material *material, const char *param, double value) {
  material->par[material_place(material->type, param)] = value;
}

static void start(Material *material, const char *law) {
  *material = (Material){.name = law, .type = material_find(law), .density = 2};
  const MaterialType *type = material->type;
  for (int p = 0; p < type->n_params; p++) {
    const char *initial = type->params[p].initial;
    int number = type->params[p].type == PARAM_REAL && initial;
    material->par[p] = number ? strtod(initial, NULL) : 0; // choices: the first
  }
}

int sheet_sample(int k, Material *material) {
  if (k >= (int)(sizeof samples / sizeof samples[0])) return 0;
  start(material, samples[k].law);
  for (int p = 0; samples[k].par[p].name; p++)
    sheet_set(material, samples[k].par[p].name, samples[k].par[p].value);
  if (material->type->prepare && material->type->prepare(material, NULL) != OK) abort();
  return 1;
}

void sheet_steel(Material *material) {
  start(material, "sheet");
  sheet_set(material, "young", 206e9);
  sheet_set(material, "poisson", 0.3);
  sheet_set(material, "hardening", 1);
  sheet_set(material, "strength", 565.32e6);
  sheet_set(material, "offset", 0.007117);
  sheet_set(material, "exponent", 0.2589);
  if (material->type->prepare(material, NULL) != OK) abort();
}
