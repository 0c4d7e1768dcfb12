// base/err.h -- errors that climb: the leaf says what, each caller adds what only it knows.
//
// A function that can fail returns Status and takes Err *. The leaf calls err_set, callers add
// lines with err_note while the error passes through; main prints the lines from first to last.
// On the success path nothing is written. A thread has an Err of its own.
//
// ERR_INPUT   the user can mend it: always with file and line            (exit 2)
// ERR_SYSTEM  disk, memory, libraries                                    (exit 3)
// ERR_NUMERIC the numerics failed; the state is untouched, so the caller may cut the step (exit 4)
// ERR_BUG     an invariant of ours is broken                             (exit 4)
// ERR_STOPPED the user asked to stop; the state is untouched             (exit 130)

#ifndef BASE_ERR_H
#define BASE_ERR_H

#include <stddef.h>

#define MUST_CHECK        __attribute__((warn_unused_result))
#define PRINTF_LIKE(f, a) __attribute__((format(printf, f, a)))

typedef enum { OK = 0, ERR_INPUT, ERR_SYSTEM, ERR_NUMERIC, ERR_BUG, ERR_STOPPED } Status;

enum { ERR_TEXT_SIZE = 2048 };

typedef struct {
  Status status;            // OK when no error is held
  char text[ERR_TEXT_SIZE]; // lines separated by '\n', the leaf first; cut when full
} Err;

// Where the input declares something; file is borrowed and lives as long as the input tree.
typedef struct {
  const char *file; // NULL: not from a file
  int line;
} SrcPos;

// Start an error; an error already held is replaced. Returns `status`, so that a leaf can write
// `return err_set(err, ERR_NUMERIC, "...")`. A NULL err is allowed and only passes the status on.
Status err_set(Err *err, Status status, const char *format, ...) PRINTF_LIKE(3, 4);

// Add one line of context to the error held. Returns the status held.
Status err_note(Err *err, const char *format, ...) PRINTF_LIKE(2, 3);

void err_clear(Err *err);

// Exit code of the program for a status (contract: 0, 2, 3, 4, 130).
int err_exit_code(Status status);

// Pass an error up at once.
#define TRY(call)                                                                                  \
  do {                                                                                             \
    Status try_status_ = (call);                                                                   \
    if (try_status_ != OK) return try_status_;                                                     \
  } while (0)

// Pass an error to the one exit line of a function, where everything is freed.
#define TRY_GOTO(status, call, label)                                                              \
  do {                                                                                             \
    (status) = (call);                                                                             \
    if ((status) != OK) goto label;                                                                \
  } while (0)

#endif
