// Fuzzes expressions, constant and of time: a number, or an error that quotes them. Finite if
// accepted.
#include "../support/fuzz_file.h"
#include "base/mem.h"
#include "input/expr.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  char text[513];
  if (size >= sizeof text) return 0;
  if (size > 0) memcpy(text, data, size);
  text[size] = 0;
  Err err = {0};
  Expr *expr = NULL;
  double value, late;
  Status status = expr_constant(text, &value, &err);
  if (status == OK ? !isfinite(value) : status != ERR_INPUT || !err.text[0]) abort();
  Status compiled = expr_compile(text, &expr, &err);
  if (compiled != OK && compiled != ERR_INPUT) abort();
  if (status == OK && compiled != OK) abort(); // what needs no t is an expression of t
  for (int k = 0; compiled == OK && k < 3; k++) {
    Status there = expr_value(expr, k - 1.0, &late, &err);
    if (there == OK ? !isfinite(late) : there != ERR_NUMERIC) abort();
    if (status == OK && (there != OK || late != value)) abort();
  }
  expr_free(expr);
  if (mem_live_blocks() != 0) abort();
  return 0;
}
