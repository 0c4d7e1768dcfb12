#include "input/expr.h"

#include <math.h>
#include <muParserDLL.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/space.h"
#include "input/diag.h"

enum { LONGEST_EXPRESSION = 4096 }; // [characters]; muParser's own limit is 20000

static const double EULER = 2.71828182845904523536;
static const double GRAVITY = 9.81; // [m/s^2]

struct Expr {
  muParserHandle_t parser;
  double t;   // [s] the variable muParser reads
  char *text; // owned, for messages
};

// muParser would let "t = 5" overwrite the variable, so every '=' must belong to a comparison.
static int assigns(const char *text) {
  for (const char *c = text; *c; c++) {
    if (*c != '=') continue;
    if (c[1] == '=') {
      c++;
      continue;
    }
    if (c == text || !strchr("<>!", c[-1])) return 1;
  }
  return 0;
}

static Status refuse_text(const char *text, Err *err) {
  char buffer[DIAG_SHORT];
  if (strspn(text, " \t\r\n") == strlen(text))
    return err_set(err, ERR_INPUT, "an expression is empty");
  if (strlen(text) > LONGEST_EXPRESSION)
    return err_set(err, ERR_INPUT, "\"%s\" is longer than %d characters", diag_short(text, buffer),
                   LONGEST_EXPRESSION);
  if (assigns(text))
    return err_set(err, ERR_INPUT, "\"%s\" assigns, an expression may only compute",
                   diag_short(text, buffer));
  return OK;
}

static muParserHandle_t parser_new(const char *text, double *t) {
  muParserHandle_t parser = mupCreate(muBASETYPE_FLOAT);
  if (!parser) return NULL;
  mupDefineConst(parser, "pi", PI);
  mupDefineConst(parser, "e", EULER);
  mupDefineConst(parser, "g", GRAVITY);
  if (t) mupDefineVar(parser, "t", t);
  mupSetExpr(parser, text);
  return parser;
}

// Evaluates and looks at everything muParser may have to say: its error flag stays set until it is
// reset, and its code may be 0 for an error.
static Status evaluate(muParserHandle_t parser, const char *text, double *value, Err *err) {
  char buffer[DIAG_SHORT];
  int n_results = 0;
  const double *results = mupEvalMulti(parser, &n_results);
  if (mupError(parser) || !results) {
    char reason[200];
    snprintf(reason, sizeof reason, "%s", mupGetErrorMsg(parser));
    size_t n = strlen(reason);
    if (n > 0 && reason[n - 1] == '.') reason[n - 1] = 0;
    mupErrorReset(parser);
    return err_set(err, ERR_INPUT, "\"%s\" is not an expression: %s", diag_short(text, buffer),
                   reason);
  }
  if (n_results != 1)
    return err_set(err, ERR_INPUT, "\"%s\" is a list of %d, one value is wanted",
                   diag_short(text, buffer), n_results);
  *value = results[0];
  return OK;
}

// Most values are plain numbers; they need no parser.
static int plain_number(const char *text, double *value) {
  if (!*text || strspn(text, "0123456789+-.eE") != strlen(text)) return 0;
  char *end;
  *value = strtod(text, &end);
  return end > text && *end == 0;
}

static Status parse_constant(const char *text, double *value, Err *err) {
  TRY(refuse_text(text, err));
  muParserHandle_t parser = parser_new(text, NULL);
  if (!parser) return err_set(err, ERR_SYSTEM, "out of memory: an expression");
  Status status = evaluate(parser, text, value, err);
  mupRelease(parser);
  return status;
}

Status expr_constant(const char *text, double *value, Err *err) {
  char buffer[DIAG_SHORT];
  if (!plain_number(text, value)) TRY(parse_constant(text, value, err));
  if (isfinite(*value)) return OK;
  return err_set(err, ERR_INPUT, "\"%s\" gives %s", diag_short(text, buffer),
                 isnan(*value) ? "no number (NaN)" : "infinity");
}

Status expr_compile(const char *text, Expr **expr, Err *err) {
  *expr = NULL;
  TRY(refuse_text(text, err));
  Expr *fresh;
  MEM_NEW(fresh, 1, err);
  fresh->text = mem_copy_text(text);
  if (fresh->text) fresh->parser = parser_new(text, &fresh->t);
  if (!fresh->parser) {
    expr_free(fresh);
    return err_set(err, ERR_SYSTEM, "out of memory: an expression");
  }
  // One evaluation makes muParser parse; its value may be undefined at t = 0 and is not judged.
  double value;
  Status status = evaluate(fresh->parser, text, &value, err);
  if (status != OK) {
    expr_free(fresh);
    return status;
  }
  *expr = fresh;
  return OK;
}

Status expr_value(Expr *expr, double t, double *value, Err *err) {
  char buffer[DIAG_SHORT];
  expr->t = t;
  if (evaluate(expr->parser, expr->text, value, err) == OK && isfinite(*value)) return OK;
  return err_set(err, ERR_NUMERIC, "\"%s\" gives no finite number at t = %g s",
                 diag_short(expr->text, buffer), t);
}

void expr_free(Expr *expr) {
  if (!expr) return;
  if (expr->parser) mupRelease(expr->parser);
  mem_free(expr->text);
  mem_free(expr);
}
