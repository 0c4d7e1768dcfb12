// build/build.h -- from a checked input tree to a model: the only place that knows both.
//
// Defects go to `diag`, all of them; a model is only usable when none was found. What is doubtful
// and only seen while the model is made goes to `doubts`. The input must outlive model and output
// spec, which borrow names and positions from it.

#ifndef BUILD_BUILD_H
#define BUILD_BUILD_H

#include "input/input.h"
#include "output/output.h"

Status build_model(const Input *in, Diag *diag, Diag *doubts, Model *model, OutputSpec *output,
                   Err *err) MUST_CHECK;

// Prints the names that attributes may use: bodies, groups, nodes. Of an input whose bodies can be
// made, whatever else is wrong with it; defects of these go to `diag`.
Status build_print_names(const Input *in, Diag *diag, FILE *stream, Err *err) MUST_CHECK;

#endif
