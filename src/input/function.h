// input/function.h -- functions of time: expressions, tables, accelerograms.
//
// A table is linear between its rows and constant outside; function_span tells its ends, so that
// the run can say so when it leaves them. An accelerogram (CSV of time and acceleration, or PEER
// AT2) is integrated twice by exact integration of the piecewise linear acceleration, from zero
// velocity and displacement at its start. Outside the record the acceleration is zero: before it
// the ground rests, behind it it keeps the last velocity (a record without baseline correction
// drifts, but does not jerk; function_baseline corrects it).

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
// CSV: optional '#' lines and one header line; separated by comma, semicolon or blanks; column 1
// holds the time, `column` (2 = the next) the value, multiplied by `scale`. Times must increase;
// rows of unequal length, text where a number is expected and NaN are errors with file and line.
Status function_table(Function *f, const char *path, int column, double scale, Err *err) MUST_CHECK;
Status function_accelerogram(Function *f, const char *path, int column, double scale,
                             Err *err)
    MUST_CHECK; // .at2 (any case) is PEER (in g, column unused), else CSV [m/s^2]
int function_is_at2(const char *path);
// What a record in g is multiplied with.
#define STANDARD_GRAVITY 9.80665 // [m/s^2]
// Baseline correction of an accelerogram: the polynomial of degree 1 or 2 in time is taken from the
// acceleration that leaves no velocity and no displacement behind, of degree 2 no mean displacement
// either: the least squares fit of the acceleration, but in the space of what is linear between the
// rows, so that these integrals vanish to round-off. ERR_INPUT: fewer rows than the polynomial
// needs.
Status function_baseline(Function *f, int degree, Err *err) MUST_CHECK;
// Of an accelerogram: largest magnitudes at the rows, and what is left at the end.
typedef struct {
  double a, v, x;      // peaks                               [m/s^2], [m/s], [m]
  double v_end, x_end; // residual velocity and displacement  [m/s], [m]
} RecordPeaks;
RecordPeaks function_peaks(const Function *f);
// 1 if the double integral drifts: what velocity is left at the end is no small part of the peak,
// so that the ground goes on without end.
int function_drifts(const RecordPeaks *peaks);
// Its rows are later by `start` [s].
void function_shift(Function *f, double start);
void function_free(Function *f);

// Value at t: the function itself, for an accelerogram the displacement.
Status function_value(const Function *f, double t, double *value, Err *err) MUST_CHECK;
// First derivative: velocity of an accelerogram, slope of a table (zero outside; at a row that of
// the piece behind it), central difference of an expression. Second derivative: acceleration of an
// accelerogram, zero for a table, central difference of an expression.
Status function_rate(const Function *f, double t, double *value, Err *err) MUST_CHECK;
Status function_second_rate(const Function *f, double t, double *value, Err *err) MUST_CHECK;
// First and last time of a table or accelerogram; 0 if the function has no ends.
int function_span(const Function *f, double *first, double *last);
int function_is_constant(const Function *f);

#endif
