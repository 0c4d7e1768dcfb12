// app/foresee.h -- what can be known of a run before it: numbers for people, and what is doubtful.
//
// Nothing here decides anything. Numbers are printed by `voussoir check`; what is doubtful is a
// list like that of defects, with file and line, printed by `check` and, what is grave, by `run`
// before its first step.

#ifndef APP_FORESEE_H
#define APP_FORESEE_H

#include "app/load.h"

// Weight and loads, waves, highest frequency, static deflection, contacts at the start, fillets,
// records, expected memory and time.
Status foresee_print(Case *c, FILE *stream, Err *err) MUST_CHECK;

// Bodies that float or touch nothing, tools that are out of scale, records that drift: told by
// `run` too. Where `all`: what is named and never used, meshes too coarse for a fillet.
Status foresee_doubts(const Case *c, int all, Diag *doubts, Err *err) MUST_CHECK;
void foresee_print_doubts(Diag *doubts, FILE *stream); // sorted, "FILE:LINE: warning: TEXT"

// ---- shared by both -----------------------------------------------------------------------------

// 1: some node of the body has a prescribed component, in any stage, or its edge is held.
int foresee_is_held(const Model *model, int body);

// A sheet beside the smallest fillet of a tool that it may touch.
typedef struct {
  int sheet, tool; // bodies
  double radius;   // of the sheet's middle as it lies on the fillet                     [m]
  double edge;     // of elements over the fillet, across it; half of them have no longer one [m]
} SheetFillet;
enum { EDGES_PER_QUARTER = 6 }; // elements that a quarter circle needs: 15 degrees each
double foresee_edges(const SheetFillet *fillet); // elements in a quarter circle
// All pairs with a fillet, for the caller to mem_free.
Status foresee_fillets(const Model *model, SheetFillet **list, int *n, Err *err) MUST_CHECK;

#endif
