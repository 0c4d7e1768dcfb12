#include <criterion/criterion.h>

#include <string.h>

#include "base/err.h"

Test(err, climbs_with_one_line_for_each_level) {
  Err err = {0};
  cr_assert_eq(err_set(&err, ERR_NUMERIC, "det F = %g", -0.5), ERR_NUMERIC);
  cr_assert_eq(err_note(&err, "step %d", 3), ERR_NUMERIC);
  cr_assert_str_eq(err.text, "det F = -0.5\nstep 3");
}

Test(err, never_writes_past_its_buffer) {
  Err err = {0};
  char longer[300];
  memset(longer, 'x', sizeof longer - 1);
  longer[sizeof longer - 1] = 0;
  err_set(&err, ERR_INPUT, "%s", longer);
  for (int k = 0; k < 50; k++) err_note(&err, "%s", longer);
  cr_assert_lt(strlen(err.text), sizeof err.text);
  cr_assert_eq(err.status, ERR_INPUT);
}
