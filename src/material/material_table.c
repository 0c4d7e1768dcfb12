#include "material/material_table.h"

#include <stddef.h>
#include <string.h>

const MaterialType *const material_types[] = {
    &material_elastic,
    &material_neo_hooke,
    &material_mooney_rivlin,
    &material_kelvin_voigt,
    &material_j2,
    &material_johnson_cook,
    &material_drucker_prager,
    &material_damage,
    &material_sheet,
    NULL,
};

const MaterialType *material_find(const char *name) {
  for (int k = 0; material_types[k]; k++)
    if (strcmp(material_types[k]->name, name) == 0) return material_types[k];
  return NULL;
}

int material_n_strains(StressState state) {
  return state == STRESS_3D ? 6 : 4;
}
