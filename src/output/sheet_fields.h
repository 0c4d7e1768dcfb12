// output/sheet_fields.h -- what nodes of sheets show beside those of other bodies, whose values are
// zero: contact of both faces (the upper one is that which the normal of the elements points out
// of), springback.

#ifndef OUTPUT_SHEET_FIELDS_H
#define OUTPUT_SHEET_FIELDS_H

#include "output/output.h"

typedef struct {
  double *pressure
      [2]; // [n_nodes] lower, upper face: contacts of the last step on the area of now   [Pa]
  int32_t *status[2];
  double *springback; // [3 n_nodes] way since tools began to go                          [m]
  double *distance;   // [n_nodes] its part along the normal that the sheet had then
} SheetNodes;

Status sheet_nodes_find(SheetNodes *nodes, const Model *model, const State *state,
                        const StepWork *work, Arena *arena, Err *err) MUST_CHECK;

#endif
