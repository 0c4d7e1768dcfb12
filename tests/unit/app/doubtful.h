// What is doubtful in an input, as text.
#ifndef TESTS_APP_DOUBTFUL_H
#define TESTS_APP_DOUBTFUL_H

#include "app/foresee.h"
#include "case_of_text.h"

// What is doubtful in an input, as "LINE: text", one a line; for the caller to free.
static inline char *doubtful(const char *text, int all) {
  Case input;
  Err err = {0};
  Diag doubts = {0};
  char *out = NULL;
  size_t size;
  load_text(&input, text);
  cr_assert_eq(foresee_doubts(&input, all, &doubts, &err), OK, "%s", err.text);
  diag_sort(&doubts);
  FILE *stream = open_memstream(&out, &size);
  for (size_t k = 0; k < doubts.n; k++)
    fprintf(stream, "%d: %s\n", doubts.entries[k].pos.line, doubts.entries[k].text);
  fclose(stream);
  diag_free(&doubts);
  case_free(&input);
  return out;
}

#endif
