#include "material_sample.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
  const char *law;
  int flow_not_associated;
  struct {
    const char *name;
    double value;
  } par[9]; // the others have their defaults
} Sample;

static const double table[] = {0, 20, 0.05, 30, 0.3, 40};

// clang-format off
static const Sample samples[] = {
    {"elastic", 0, {{"young", 1000}, {"poisson", 0.3}}},
    {"neo_hooke", 0, {{"young", 1000}, {"poisson", 0.3}}},
    {"mooney_rivlin", 0, {{"c10", 100}, {"c01", 40}, {"bulk", 3000}}},
    {"kelvin_voigt", 0, {{"young", 1000}, {"poisson", 0.3}, {"shear_viscosity", 30}, {"bulk_viscosity", 20}}},
    {"j2", 0, {{"young", 1000}, {"poisson", 0.3}, {"yield", 20}, {"modulus", 50}}},
    {"j2", 0, {{"young", 1000}, {"poisson", 0.3}, {"hardening", 1}, {"strength", 50}, {"offset", 0.01}, {"exponent", 0.25}, {"kinematic", 40}}},
    {"j2", 0, {{"young", 1000}, {"poisson", 0.3}, {"hardening", 2}, {"yield", 20}, {"saturation", 40}, {"rate", 12}}},
    {"j2", 0, {{"young", 1000}, {"poisson", 0.3}, {"hardening", 3}, {"yield", 20}, {"saturation", 40}, {"rate", 12}, {"modulus", 20}}},
    {"j2", 0, {{"young", 1000}, {"poisson", 0.3}, {"hardening", 4}, {"strength", 50}, {"exponent", 0.22}}},
    {"j2", 0, {{"young", 1000}, {"poisson", 0.3}, {"hardening", 5}}},
    {"johnson_cook", 0, {{"young", 1000}, {"poisson", 0.3}, {"yield", 15}, {"strength", 30}, {"exponent", 0.3}, {"rate_factor", 0.05}, {"reference_rate", 0.1}}},
    {"drucker_prager", 0, {{"young", 1000}, {"poisson", 0.25}, {"friction", 0.5}, {"cohesion", 8}}},
    {"drucker_prager", 0, {{"young", 1000}, {"poisson", 0.25}, {"friction", 0.5}, {"cohesion", 8}, {"tension", 4}}},
    {"drucker_prager", 1, {{"young", 1000}, {"poisson", 0.25}, {"friction", 0.5}, {"cohesion", 8}, {"dilatancy", 0.1}}},
    {"damage", 0, {{"young", 1000}, {"poisson", 0.2}, {"strength", 10}, {"fracture_energy", 1}}},
};
// clang-format on

int material_place(const MaterialType *type, const char *param) {
  for (int k = 0; k < type->n_params; k++)
    if (strcmp(type->params[k].name, param) == 0) return k;
  abort();
}

int material_sample(int k, Material *material, int *symmetric) {
  if (k >= (int)(sizeof samples / sizeof samples[0])) return 0;
  const Sample *sample = &samples[k];
  *material = (Material){.name = sample->law, .type = material_find(sample->law), .density = 2};
  material->table = table;
  material->n_table = 3;
  const MaterialType *type = material->type;
  for (int p = 0; p < type->n_params; p++) {
    const char *initial = type->params[p].initial;
    if (type->params[p].type == PARAM_CHOICE)
      material->par[p] = 0; // the first is the default
    else
      material->par[p] = initial && initial[0] ? strtod(initial, NULL) : (double)NAN;
  }
  for (int p = 0; p < 9 && sample->par[p].name; p++)
    material->par[material_place(type, sample->par[p].name)] = sample->par[p].value;
  if (symmetric) *symmetric = !sample->flow_not_associated;
  return 1;
}
