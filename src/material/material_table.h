// material/material_table.h -- the rows of the table of bulk laws, one line each.
#ifndef MATERIAL_MATERIAL_TABLE_H
#define MATERIAL_MATERIAL_TABLE_H

#include "material/material.h"

extern const MaterialType material_elastic, material_neo_hooke, material_mooney_rivlin,
    material_kelvin_voigt, material_j2, material_johnson_cook, material_drucker_prager,
    material_damage, material_sheet;

#endif
