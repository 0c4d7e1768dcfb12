#define _POSIX_C_SOURCE 200809L
#include "scratch.h"

#include <signal.h>
#include <sys/wait.h>

#include "file/guard.h"

TestSuite(guard, .init = scratch_make, .fini = scratch_remove);

typedef struct {
  pid_t parent;
  int calls;
  Status answer;
} Reader;

static Status count_calls(void *context, Err *err) {
  Reader *reader = context;
  reader->calls++;
  return reader->answer == OK ? OK : err_set(err, reader->answer, "as asked");
}

static Status crash(void *context, Err *err) {
  (void)context, (void)err;
  raise(SIGSEGV);
  return OK;
}

static Status leave(void *context, Err *err) {
  (void)context, (void)err;
  _exit(0);
}

// Only where it is read first: another process.
static Status crash_in_child(void *context, Err *err) {
  const Reader *reader = context;
  return getpid() == reader->parent ? OK : crash(context, err);
}

Test(guard, reads_here_what_a_child_could_read) {
  Err err = {0};
  Reader reader = {.answer = OK};
  cr_assert_eq(guard_read("any", count_calls, &reader, &err), OK);
  cr_assert_eq(reader.calls, 1);
  cr_assert_eq(err.status, OK);
}

Test(guard, hands_on_what_the_child_found_wrong) {
  Err err = {0};
  Reader reader = {.answer = ERR_INPUT};
  cr_assert_eq(guard_read("any", count_calls, &reader, &err), ERR_INPUT);
  cr_assert_eq(reader.calls, 0);
  cr_assert_str_eq(err.text, "as asked");
  cr_assert_eq(guard_read("any", count_calls, &reader, NULL), ERR_INPUT);
}

Test(guard, reads_again_where_the_child_lacked_memory) {
  Err err = {0};
  Reader reader = {.answer = ERR_SYSTEM};
  cr_assert_eq(guard_read("any", count_calls, &reader, &err), ERR_SYSTEM);
  cr_assert_eq(reader.calls, 1);
}

Test(guard, survives_a_child_that_crashes_or_ends_without_a_word) {
  Err err = {0};
  Reader reader = {.parent = getpid()};
  cr_assert_eq(guard_read("bad.h5", crash, NULL, &err), ERR_INPUT);
  cr_assert(strstr(err.text, "'bad.h5' is damaged"), "%s", err.text);
  cr_assert_eq(guard_read("bad.h5", leave, NULL, &err), ERR_INPUT);
  cr_assert_eq(guard_read("bad.h5", crash_in_child, &reader, &err), ERR_INPUT);
}

Test(guard, leaves_no_child_behind) {
  Err err = {0};
  Reader reader = {.answer = OK};
  cr_assert_eq(guard_read("any", count_calls, &reader, &err), OK);
  cr_assert_eq(guard_read("any", crash, NULL, &err), ERR_INPUT);
  cr_assert_eq(waitpid(-1, NULL, WNOHANG), -1);
}
