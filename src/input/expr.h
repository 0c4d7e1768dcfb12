// input/expr.h -- the door to muParser: constant expressions and expressions of time.
//
// Guards: an expression that assigns ("t = 5"), lists ("1,2"), is empty, does not parse or gives
// NaN or infinity is an error that quotes the text (shortened). Known: pi, e, g (9.81), t where
// allowed, the functions of muParser and the operator ?:.

#ifndef INPUT_EXPR_H
#define INPUT_EXPR_H

#include "base/err.h"

typedef struct Expr Expr;

Status expr_constant(const char *text, double *value, Err *err) MUST_CHECK;

// An expression of t. It is parsed here but may still be undefined at some t. expr_value is not
// thread-safe for one Expr.
Status expr_compile(const char *text, Expr **expr, Err *err) MUST_CHECK;
Status expr_value(Expr *expr, double t, double *value, Err *err) MUST_CHECK; // ERR_NUMERIC on NaN
void expr_free(Expr *expr);

#endif
