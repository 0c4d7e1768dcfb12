#include "base/err.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static void PRINTF_LIKE(2, 0) append(Err *err, const char *format, va_list args) {
  size_t used = strlen(err->text);
  if (used > 0 && used + 2 < sizeof err->text) {
    err->text[used++] = '\n';
    err->text[used] = 0;
  }
  vsnprintf(err->text + used, sizeof err->text - used, format, args);
}

Status err_set(Err *err, Status status, const char *format, ...) {
  if (!err) return status;
  err->status = status;
  err->text[0] = 0;
  va_list args;
  va_start(args, format);
  append(err, format, args);
  va_end(args);
  return status;
}

Status err_note(Err *err, const char *format, ...) {
  if (!err) return ERR_BUG;
  va_list args;
  va_start(args, format);
  append(err, format, args);
  va_end(args);
  return err->status;
}

void err_clear(Err *err) {
  err->status = OK;
  err->text[0] = 0;
}

int err_exit_code(Status status) {
  static const int code[] = {[OK] = 0,          [ERR_INPUT] = 2, [ERR_SYSTEM] = 3,
                             [ERR_NUMERIC] = 4, [ERR_BUG] = 4,   [ERR_STOPPED] = 130};
  return code[status];
}
