#include "app/commands.h"

#include <stdio.h>

int command_fail(const Err *err) {
  fprintf(stderr, "error: ");
  for (const char *c = err->text; *c; c++) {
    fputc(*c, stderr);
    if (*c == '\n') fputs("  ", stderr);
  }
  fputc('\n', stderr);
  return err_exit_code(err->status == OK ? ERR_BUG : err->status);
}

int command_misused(const char *command, const Err *err) {
  fprintf(stderr, "error: %s\n  see voussoir %s --help\n", err->text, command);
  return 2;
}
