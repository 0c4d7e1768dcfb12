// file/chart.h -- a diagram as an SVG file: axes with ticks and units, lines and points, a legend.
//
// Self-contained, no style sheets, no scripts; equal data give equal bytes. Values that are not
// finite break a line and leave a point out. Large and small numbers are shown with a prefix of
// their unit (kN, mm); numbers without unit as they are.

#ifndef FILE_CHART_H
#define FILE_CHART_H

#include "base/err.h"

typedef enum { CHART_LINE, CHART_POINTS } ChartStyle;

typedef struct {
  const char *name; // in the legend
  ChartStyle style;
  long n;
  int stride; // doubles from one value to the next
  const double *x, *y;
} ChartSeries;

typedef struct {
  const char *title;
  const char *label[2]; // x, y
  const char *unit[2];  // "1": none
  int n_series;
  const ChartSeries *series;
} Chart;

enum { CHART_MAX_SERIES = 12 };

// Writes the file (atomic.h). ERR_INPUT: no series, more than CHART_MAX_SERIES, or no finite point.
Status chart_write(const Chart *chart, const char *path, Err *err) MUST_CHECK;

#endif
