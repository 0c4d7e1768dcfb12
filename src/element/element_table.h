// element/element_table.h -- the rows of the table of elements, one line each.
#ifndef ELEMENT_ELEMENT_TABLE_H
#define ELEMENT_ELEMENT_TABLE_H

#include "element/element.h"

extern const ElementType element_t3, element_q4, element_t4, element_h8;

#endif
