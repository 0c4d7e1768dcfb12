// output/rim.h -- the profile of a rim at the end of a run: height and radius against angle.
//
// Written as rim_NAME.csv, one row a node, in the order of the angle that the node had at the start
// about the axis through `at`. The height is that along the axis above the node `base` (above `at`
// without one): the ears of a cup are its waves. Nodes that were cut off have no row.

#ifndef OUTPUT_RIM_H
#define OUTPUT_RIM_H

#include "step/state.h"

typedef struct {
  char *name; // owned
  int n;
  int32_t *node;         // [n] global nodes, owned
  double at[3], axis[3]; // a point of the axis, its unit direction
  int32_t base;          // -1: none
} Rim;

void rim_free(Rim *rim);
Status rim_write(const Rim *rim, const Model *model, const State *state, const char *path,
                 Err *err) MUST_CHECK;

#endif
