// material/material_table.h -- the rows of the table of bulk laws, one line each.
#ifndef MATERIAL_MATERIAL_TABLE_H
#define MATERIAL_MATERIAL_TABLE_H

#include "material/material.h"

extern const MaterialType material_elastic;

#endif
