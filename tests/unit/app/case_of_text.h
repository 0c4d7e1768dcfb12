// A case from an input as text.
#ifndef TESTS_APP_CASE_OF_TEXT_H
#define TESTS_APP_CASE_OF_TEXT_H

#include "../file/scratch.h"
#include "app/load.h"

// Through input.xml of the scratch folder; errors fail the test.
static inline void load_text(Case *input, const char *text) {
  Err err = {0};
  const char *path = in_scratch("input.xml");
  write_text(path, text);
  cr_assert_eq(case_load(input, path, NULL, 0, &err), OK, "%s\n%s", text,
               input->diag.n ? input->diag.entries[0].text : err.text);
}

#endif
