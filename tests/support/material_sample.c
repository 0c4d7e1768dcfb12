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
    {"johnson_cook", 0, {{"young", 1000}, {"poisson", 0.3}, {"yield", 15}, {"strength", 30}, {"exponent", 0.3}, {"rate_factor", 0.05}, {"softening", 1.2}, {"melting", 500}, {"heat_capacity", 2e-2}}},
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
  for (int p = 0; p < 9 && sample->par[p].name; p++)
    if (strcmp(sample->par[p].name, "hardening") == 0 && sample->par[p].value > 4) {
      material->table = table; // hardening="table"
      material->n_table = 3;
    }
  if (symmetric) *symmetric = !sample->flow_not_associated;
  return 1;
}

double uniaxial_stress(const Material *m, double stretch, FinitePoint *at, double *state,
                       FiniteStress *out) {
  double new[16];
  if (m->type->n_state > 16) abort();
  memcpy(at->c_old, at->c, sizeof at->c);
  at->c[0] = stretch * stretch;
  for (int it = 0; it < 100; it++) {
    if (m->type->finite(m, at, state, new, out, NULL) != OK) abort();
    double slope = 0.5 * (out->d[1 * 6 + 1] + out->d[1 * 6 + 2]);
    double change = -out->s[1] / slope;
    if (fabs(change) < 1e-14) {
      if (m->type->n_state > 0) memcpy(state, new, sizeof *state * (size_t)m->type->n_state);
      return out->s[0] * at->c[0];
    }
    at->c[1] = at->c[2] = fmax(at->c[1] + change, 0.5 * at->c[1]);
  }
  abort();
}
