#include "element/element_table.h"

#include <stddef.h>

const ElementType *const element_types[N_SHAPES] = {
    [SHAPE_T3] = &element_t3,
    [SHAPE_Q4] = &element_q4,
    [SHAPE_T4] = &element_t4,
    [SHAPE_H8] = &element_h8,
};
