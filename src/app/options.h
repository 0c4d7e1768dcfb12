// app/options.h -- the command line: long options with and without value, then file names.
#ifndef APP_OPTIONS_H
#define APP_OPTIONS_H

#include "input/input.h"

typedef struct {
  const char *name;  // "--threads" or "-o"
  const char *value; // what its value is called in the help, NULL: a flag
  const char *doc;   // NULL: for tests only, no help tells of it
} OptionSpec;

enum { MAX_OPTIONS = 24, MAX_SETTINGS = 64, MAX_OPERANDS = 32 };

typedef struct {
  const OptionSpec *specs;
  int n_specs;
  const char *value[MAX_OPTIONS]; // by index in specs; "" for a flag that is given, NULL: absent
  int n_settings;
  InputSetting setting[MAX_SETTINGS]; // --set NAME=VALUE
  char *setting_text[MAX_SETTINGS];   // owned copies behind them
  int n_operands;
  const char *operand[MAX_OPERANDS];
} Options;

// ERR_INPUT for an unknown option (the nearest is proposed), a missing value, a --set without '='.
Status options_parse(Options *options, const OptionSpec *specs, int n_specs, int argc, char **argv,
                     Err *err) MUST_CHECK;
void options_free(Options *options);
const char *options_value(const Options *options, const char *name); // NULL: absent
void options_print(const OptionSpec *specs, int n_specs, FILE *stream);

#endif
