#include "app/options.h"

#include <string.h>

#include "base/mem.h"

static int find(const OptionSpec *specs, int n_specs, const char *name) {
  for (int k = 0; k < n_specs; k++)
    if (strcmp(specs[k].name, name) == 0) return k;
  return -1;
}

static Status unknown(const OptionSpec *specs, int n_specs, const char *name, Err *err) {
  char list[1024] = "", buffer[128];
  for (int k = 0; k < n_specs; k++) {
    size_t used = strlen(list);
    if (specs[k].doc)
      snprintf(list + used, sizeof list - used, "%s%s", used ? "|" : "", specs[k].name);
  }
  const char *near = diag_nearest(name, list, buffer, sizeof buffer);
  return err_set(err, ERR_INPUT, "unknown option '%s'%s%s%s", name, near ? "; did you mean '" : "",
                 near ? near : "", near ? "'?" : "");
}

static Status add_setting(Options *options, const char *text, Err *err) {
  const char *equals = strchr(text, '=');
  if (!equals || equals == text)
    return err_set(err, ERR_INPUT, "--set needs NAME=VALUE, found '%s'", text);
  if (options->n_settings == MAX_SETTINGS)
    return err_set(err, ERR_INPUT, "more than %d --set", MAX_SETTINGS);
  char *copy = mem_copy_text(text);
  if (!copy) return err_set(err, ERR_SYSTEM, "out of memory: option '%s'", text);
  copy[equals - text] = 0;
  options->setting_text[options->n_settings] = copy;
  options->setting[options->n_settings++] =
      (InputSetting){.name = copy, .value = copy + (equals - text) + 1};
  return OK;
}

Status options_parse(Options *options, const OptionSpec *specs, int n_specs, int argc, char **argv,
                     Err *err) {
  *options = (Options){.specs = specs, .n_specs = n_specs};
  for (int k = 1; k < argc; k++) {
    if (argv[k][0] != '-' || !argv[k][1]) {
      if (options->n_operands == MAX_OPERANDS)
        return err_set(err, ERR_INPUT, "too many arguments: '%s'", argv[k]);
      options->operand[options->n_operands++] = argv[k];
      continue;
    }
    int option = find(specs, n_specs, argv[k]);
    if (option < 0) return unknown(specs, n_specs, argv[k], err);
    if (!specs[option].value) {
      options->value[option] = "";
      continue;
    }
    if (k + 1 == argc)
      return err_set(err, ERR_INPUT, "option '%s' needs %s", argv[k], specs[option].value);
    const char *value = argv[++k];
    options->value[option] = value;
    if (strcmp(specs[option].name, "--set") == 0) TRY(add_setting(options, value, err));
  }
  return OK;
}

void options_free(Options *options) {
  for (int k = 0; k < options->n_settings; k++) mem_free(options->setting_text[k]);
  options->n_settings = 0;
}

const char *options_value(const Options *options, const char *name) {
  int k = find(options->specs, options->n_specs, name);
  return k < 0 ? NULL : options->value[k];
}

void options_print(const OptionSpec *specs, int n_specs, FILE *stream) {
  for (int k = 0; k < n_specs; k++) {
    char left[64];
    if (!specs[k].doc) continue;
    snprintf(left, sizeof left, "%s %s", specs[k].name, specs[k].value ? specs[k].value : "");
    fprintf(stream, "  %-24s %s\n", left, specs[k].doc);
  }
}
