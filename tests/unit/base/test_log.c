#define _POSIX_C_SOURCE 200809L
#include <criterion/criterion.h>

#include <stdlib.h>
#include <string.h>

#include "base/log.h"

// A log that writes into memory.
typedef struct {
  Log log;
  char *text;
  size_t size;
} Recorder;

static void recorder_open(Recorder *r) {
  *r = (Recorder){0};
  r->log.stream = open_memstream(&r->text, &r->size);
  cr_assert_not_null(r->log.stream);
}

static const char *recorded(Recorder *r) {
  fflush(r->log.stream);
  return r->text;
}

static void recorder_close(Recorder *r) {
  fclose(r->log.stream);
  free(r->text);
}

Test(log, prints_the_first_warning_of_a_kind_and_counts_the_others) {
  Recorder r;
  recorder_open(&r);
  for (int step = 1; step <= 5; step++)
    log_warn(&r.log, "not_converged", "step %d missed the tolerance", step);
  log_warn(&r.log, "penetration", "1 mm at step 9");
  cr_assert_str_eq(recorded(&r), "warning: step 1 missed the tolerance\nwarning: 1 mm at step 9\n");
  cr_assert_eq(log_count(&r.log), 6);
  recorder_close(&r);
}

Test(log, sums_up_only_what_came_more_than_once) {
  Recorder r;
  recorder_open(&r);
  for (int k = 0; k < 3; k++) log_warn(&r.log, "often", "here");
  log_warn(&r.log, "once", "there");
  size_t before = strlen(recorded(&r));
  log_sum_up(&r.log);
  cr_assert_str_eq(recorded(&r) + before, "warning 'often' came 3 times, first: here\n");
  recorder_close(&r);
}

Test(log, ends_the_progress_line_before_it_writes_another_line) {
  Recorder r;
  recorder_open(&r);
  log_progress(&r.log, "step 1");
  log_progress(&r.log, "step 2");
  cr_assert_null(strchr(recorded(&r), '\n'));
  log_line(&r.log, "done in %d s", 3);
  log_line(&r.log, "bye");
  const char *end = strchr(recorded(&r), '\n');
  cr_assert_not_null(end);
  cr_assert_str_eq(end, "\ndone in 3 s\nbye\n");
  recorder_close(&r);
}

Test(log, is_silent_but_counts_when_quiet_or_without_a_stream) {
  Recorder r;
  recorder_open(&r);
  r.log.quiet = 1;
  log_warn(&r.log, "kind", "text");
  log_warn(&r.log, "kind", "text");
  log_line(&r.log, "line");
  log_progress(&r.log, "progress");
  log_sum_up(&r.log);
  cr_assert_str_eq(recorded(&r), "");
  cr_assert_eq(log_count(&r.log), 2);
  recorder_close(&r);

  Log nowhere = {0};
  log_warn(&nowhere, "kind", "text");
  log_line(&nowhere, "line");
  log_progress(&nowhere, "progress");
  log_sum_up(&nowhere);
  cr_assert_eq(log_count(&nowhere), 1);
}

Test(log, loses_no_warning_when_there_are_more_kinds_than_places) {
  static char kind[LOG_MAX_KINDS + 10][16];
  Log log = {0};
  for (int k = 0; k < LOG_MAX_KINDS + 10; k++) {
    snprintf(kind[k], sizeof kind[k], "k%d", k);
    log_warn(&log, kind[k], "text");
  }
  cr_assert_eq(log.n_kinds, LOG_MAX_KINDS);
  cr_assert_eq(log_count(&log), LOG_MAX_KINDS + 10);
}

Test(log, cuts_texts_that_are_too_long) {
  char longer[2 * LOG_FIRST_TEXT];
  memset(longer, 'x', sizeof longer - 1);
  longer[sizeof longer - 1] = 0;
  Log log = {0};
  log_warn(&log, "kind", "%s", longer);
  cr_assert_eq(strlen(log.warning[0].first), LOG_FIRST_TEXT - 1);
}
