// output/line.h -- what a sheet is along a line at the end of a run: thickness and strains of the
// elements cut.
//
// Written as line_NAME.csv, one row an element, in the order of their places at the start: the line
// is the cut of the sheet, as it was then, by the plane through two points that holds the mean
// normal of the sheet. The place is counted from the first point, `length` along the sheet as it is
// now.

#ifndef OUTPUT_LINE_H
#define OUTPUT_LINE_H

#include "step/state.h"

typedef struct {
  char *name; // owned
  int body;   // the sheet
  double from[3], to[3];
} OutputLine;

void line_free(OutputLine *line);
// ERR_INPUT: the plane is not known, or it cuts no element. *aside: how far from the line the
// nearest of the cuts is [m].
Status line_check(const OutputLine *line, const Model *model, double *aside, Err *err) MUST_CHECK;
Status line_write(const OutputLine *line, const Model *model, const State *state, const char *path,
                  Err *err) MUST_CHECK;

#endif
