#include <criterion/criterion.h>

#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "input/expr.h"

static double constant(const char *text) {
  double value = (double)NAN;
  Err err = {0};
  cr_assert_eq(expr_constant(text, &value, &err), OK, "%s: %s", text, err.text);
  return value;
}

static const char *refusal(const char *text) {
  static Err err;
  double value;
  err_clear(&err);
  cr_assert_eq(expr_constant(text, &value, &err), ERR_INPUT, "%s", text);
  return err.text;
}

Test(expr, evaluates_numbers_and_expressions) {
  cr_assert_eq(constant("2000"), 2000);
  cr_assert_eq(constant("-1.5e-3"), -1.5e-3);
  cr_assert_eq(constant(" 2 * (3 + 4) "), 14);
  cr_assert_float_eq(constant("cos(pi)"), -1, 1e-15);
  cr_assert_float_eq(constant("ln(e)"), 1, 1e-15);
  cr_assert_eq(constant("2*g"), 19.62);
  cr_assert_eq(constant("1 < 2 ? 5 : 6"), 5);
  cr_assert_eq(constant("1 == 2"), 0);
  cr_assert_eq(constant("min(3, 2, 4)"), 2);
}

Test(expr, refuses_what_muparser_lets_pass) {
  cr_assert_str_eq(refusal("1,2"), "\"1,2\" is a list of 2, one value is wanted");
  cr_assert_str_eq(refusal("1/0"), "\"1/0\" gives infinity");
  cr_assert_str_eq(refusal("0/0"), "\"0/0\" gives no number (NaN)");
  cr_assert_str_eq(refusal("1e999"), "\"1e999\" gives infinity");
  cr_assert_str_eq(refusal("t = 5"), "\"t = 5\" assigns, an expression may only compute");
  cr_assert_str_eq(refusal("1 = 1"), "\"1 = 1\" assigns, an expression may only compute");
  cr_assert_str_eq(refusal(" \n"), "an expression is empty");
}

Test(expr, quotes_what_does_not_parse) {
  cr_assert_str_eq(refusal("2 + x"),
                   "\"2 + x\" is not an expression: Unexpected token \"x\" found at position 4");
  cr_assert_str_eq(refusal("(1"), "\"(1\" is not an expression: Missing parenthesis");
  cr_assert(strstr(refusal("1 2"), "is not an expression"));
  cr_assert(strstr(refusal("t += 2"), "assigns"));
  cr_assert(strstr(refusal("\"a\""), "is not an expression"));
  cr_assert(strstr(refusal("nan"), "is not an expression"));
  cr_assert(strstr(refusal("inf"), "is not an expression"));
  char longer[5000];
  memset(longer, '(', sizeof longer - 1);
  longer[sizeof longer - 1] = 0;
  cr_assert(strstr(refusal(longer), "is longer than 4096 characters"));
}

Test(expr, follows_time_and_leaves_it_unchanged) {
  Expr *expr;
  Err err = {0};
  double value;
  cr_assert_eq(expr_compile("t < 1 ? 2*t : 2", &expr, &err), OK);
  cr_assert_eq(expr_value(expr, 0.25, &value, &err), OK);
  cr_assert_eq(value, 0.5);
  cr_assert_eq(expr_value(expr, 7, &value, &err), OK);
  cr_assert_eq(value, 2);
  expr_free(expr);
  cr_assert_eq(expr_compile("t = 5", &expr, &err), ERR_INPUT);
  cr_assert_null(expr);
}

Test(expr, fails_where_a_function_of_time_is_not_finite_and_recovers) {
  Expr *expr;
  Err err = {0};
  double value;
  cr_assert_eq(expr_compile("1/t", &expr, &err), OK, "undefined at t = 0 only");
  cr_assert_eq(expr_value(expr, 0, &value, &err), ERR_NUMERIC);
  cr_assert_str_eq(err.text, "\"1/t\" gives no finite number at t = 0 s");
  cr_assert_eq(expr_value(expr, 2, &value, &err), OK);
  cr_assert_eq(value, 0.5);
  expr_free(expr);
}

Test(expr, survives_a_shortage_of_memory) {
  int64_t live = mem_live_blocks();
  for (int n = 1; n <= 3; n++) {
    Expr *expr;
    Err err = {0};
    mem_fail_after(n);
    Status status = expr_compile("2*t", &expr, &err);
    mem_fail_after(0);
    cr_assert_eq(status, n <= 2 ? ERR_SYSTEM : OK);
    expr_free(expr);
    cr_assert_eq(mem_live_blocks(), live);
  }
}
