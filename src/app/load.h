// app/load.h -- an input file and the model it describes, loaded, checked and freed together.
#ifndef APP_LOAD_H
#define APP_LOAD_H

#include "build/build.h"
#include "build/schema.h"

typedef struct {
  AppSchema schema;
  Input input;
  Diag diag;
  Diag doubts; // of the build; foresee_doubts has them all
  Model model;
  OutputSpec output;
} Case;

// Everything that is wrong is in diag (and the status is ERR_INPUT). case_free in all cases.
Status case_load(Case *c, const char *path, const InputSetting *settings, int n_settings,
                 Err *err) MUST_CHECK;
void case_free(Case *c);

// Prints the defects found, or else the error. Returns the exit code.
int case_fail(Case *c, const Err *err);

#endif
