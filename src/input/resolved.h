// input/resolved.h -- the input as it is run, attribute by attribute, and what differs between two
// of them.
//
// After parameters, includes, expressions and defaults: two inputs with the same resolved text
// describe the same run, whatever they look like. A file that is named stands there by a hash of
// what it holds. What may change between a checkpoint and a restart is marked in the tables of the
// schema (SchemaElement.may_change), and so is all that belongs to stages which have not begun.

#ifndef INPUT_RESOLVED_H
#define INPUT_RESOLVED_H

#include "input/input.h"

// One line for each element and attribute: stage from which it matters, element, attribute, value,
// separated by tabs. `more`: further such lines. *text is owned by the caller (mem_free).
Status input_resolve(const Input *in, const char *more, char **text, Err *err) MUST_CHECK;

// One sentence a line, such as "material 'stone': density 2000, was 2200"; both texts are owned.
typedef struct {
  int n_model, n_other;
  char *model; // what the state up to now has been computed with
  char *other; // what may change: ends, later stages, outputs, solver
} InputChanges;

// Of a run that stands in stage number `stage`, counted from 0.
Status input_compare(InputChanges *changes, const char *before, const char *after, int stage,
                     Err *err) MUST_CHECK;
void input_changes_free(InputChanges *changes);

#endif
