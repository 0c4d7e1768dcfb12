// input/function.h -- functions of time: expressions, tables, accelerograms.
//
// A table is linear between its rows and constant outside (a message says so once when the run
// leaves it). An accelerogram (CSV of time and acceleration, or PEER AT2) is integrated twice by
// exact integration of the piecewise linear acceleration, from zero velocity and displacement at
// its start; `derivative` picks what function_value returns.

#ifndef INPUT_FUNCTION_H
#define INPUT_FUNCTION_H

#include "input/expr.h"

typedef enum {
  FUNCTION_CONSTANT,
  FUNCTION_EXPRESSION,
  FUNCTION_TABLE,
  FUNCTION_ACCELEROGRAM
} FunctionKind;

typedef struct {
  FunctionKind kind;
  double constant; // FUNCTION_CONSTANT
  Expr *expr;      // owned; FUNCTION_EXPRESSION
  int n;           // rows of a table or accelerogram
  double *t, *a;   // [n] times [s] and values
  double *v, *x;   // [n] integrals at the rows (accelerogram), else NULL
} Function;

void function_constant(Function *f, double value);
Status function_expression(Function *f, const char *text,
                           Err *err) MUST_CHECK; // "3" becomes constant
// CSV: optional '#' and header lines; columns by number (1 = first). Times must increase; rows of
// unequal length, text where a number is expected and NaN are errors with file and line.
Status function_table(Function *f, const char *path, int column, double scale, Err *err) MUST_CHECK;
Status function_accelerogram(Function *f, const char *path, int column, double scale,
                             Err *err) MUST_CHECK; // .at2 (any case) is PEER (units of g), else CSV
void function_free(Function *f);

// Value at t: the function itself, for an accelerogram the displacement.
Status function_value(const Function *f, double t, double *value, Err *err) MUST_CHECK;
// First and second derivative for accelerograms (velocity, acceleration); central differences for
// expressions, slopes for tables.
Status function_rate(const Function *f, double t, double *value, Err *err) MUST_CHECK;
int function_is_constant(const Function *f);

#endif
