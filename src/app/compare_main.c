#include <math.h>
#include <stdio.h>
#include <string.h>

#include "app/compare.h"
#include "base/mem.h"
#include "file/json.h"
#include "file/number.h"

static const char usage[] =
    "usage: voussoir compare DIR REFERENCE [--tolerance PATTERN=REL[,ABS]]... [--json]\n"
    "       voussoir compare DIR REFERENCE --bless --reason TEXT\n"
    "\n"
    "Compares the results in DIR with a reference: another run, or a folder made by --bless.\n"
    "A value agrees when |value - expected| <= REL * |expected| + ABS; ABS is REL times the\n"
    "largest value of the quantity unless given; REL is 1e-3 unless a table, the file\n"
    "tolerances.txt of the reference or --tolerance say otherwise (the last match counts).\n"
    "\n"
    "  --tolerance PATTERN=REL[,ABS]  for quantities such as history/time, 'iterations*',\n"
    "                                 summary/energy.kinetic, 'bodies/*'\n"
    "  --json                         one JSON object with all quantities\n"
    "  --bless --reason TEXT          make or renew the reference from DIR, and note why\n"
    "\n"
    "Exit code: 0 equal, 1 different, 2 a folder or file is missing or the call is wrong.\n";

typedef struct {
  CompareSettings settings;
  CompareRule *rules; // [argc] of --tolerance
  const char *reason;
  int json, bless, help;
} Options;

static Status parse_tolerance(CompareRule *rule, const char *text, Err *err) {
  char copy[COMPARE_NAME + 80];
  const char *wanted = "--tolerance wants PATTERN=REL[,ABS] with numbers >= 0";
  if (!text || strlen(text) >= sizeof copy) return err_set(err, ERR_INPUT, "%s", wanted);
  snprintf(copy, sizeof copy, "%s", text);
  char *equal = strrchr(copy, '=');
  if (!equal) return err_set(err, ERR_INPUT, "%s", wanted);
  *equal = 0;
  char *comma = strchr(equal + 1, ',');
  if (comma) *comma = 0;
  if (!compare_set_rule(rule, copy, equal + 1, comma ? comma + 1 : NULL))
    return err_set(err, ERR_INPUT, "%s", wanted);
  snprintf(rule->reason, sizeof rule->reason, "--tolerance");
  return OK;
}

static Status parse_options(Options *options, int argc, char **argv, Err *err) {
  const char *folders[2] = {NULL, NULL};
  int n_folders = 0;
  for (int k = 1; k < argc; k++) {
    const char *next = k + 1 < argc ? argv[k + 1] : NULL;
    if (strcmp(argv[k], "--json") == 0) {
      options->json = 1;
    } else if (strcmp(argv[k], "--bless") == 0) {
      options->bless = 1;
    } else if (strcmp(argv[k], "--help") == 0 || strcmp(argv[k], "-h") == 0) {
      options->help = 1;
    } else if (strcmp(argv[k], "--reason") == 0) {
      if (!next) return err_set(err, ERR_INPUT, "--reason wants a text");
      options->reason = argv[++k];
    } else if (strcmp(argv[k], "--tolerance") == 0) {
      TRY(parse_tolerance(&options->rules[options->settings.n_rules++], next, err));
      k++;
    } else if (argv[k][0] == '-' && argv[k][1]) {
      return err_set(err, ERR_INPUT, "unknown option '%s' of compare", argv[k]);
    } else if (n_folders < 2) {
      folders[n_folders++] = argv[k];
    } else {
      return err_set(err, ERR_INPUT, "one folder too many: '%s'", argv[k]);
    }
  }
  options->settings.folder = folders[0];
  options->settings.reference = folders[1];
  options->settings.rules = options->rules;
  if (options->help) return OK;
  if (n_folders < 2) return err_set(err, ERR_INPUT, "compare wants DIR and REFERENCE");
  if (options->reason && !options->bless)
    return err_set(err, ERR_INPUT, "--reason goes with --bless");
  return OK;
}

static void print_rule(char text[COMPARE_TEXT], const CompareRule *rule) {
  if (rule->absolute < 0)
    snprintf(text, COMPARE_TEXT, "%g of value and of largest%s%.100s", rule->relative,
             rule->reason[0] ? "; " : "", rule->reason);
  else
    snprintf(text, COMPARE_TEXT, "%g of value + %g%s%.90s", rule->relative, rule->absolute,
             rule->reason[0] ? "; " : "", rule->reason);
}

static void print_table(const CompareReport *report, const CompareSettings *settings) {
  for (int k = 0; k < report->n_rows; k++)
    if (report->row[k].n_different == 0 && report->row[k].n_entries == 0)
      printf("%-30s %s\n", report->row[k].name, report->row[k].where);
  if (report->n_different == 0) {
    printf("equal: %d quantities of %s agree with %s\n", report->n_rows, settings->folder,
           settings->reference);
    return;
  }
  printf("%-30s %11s %11s %15s  %s\n", "quantity", "difference", "tolerance", "entries",
         "worst entry: found, expected; rule");
  for (int k = 0; k < report->n_rows; k++) {
    const CompareRow *row = &report->row[k];
    char rule[COMPARE_TEXT], share[48];
    if (row->n_different == 0) continue;
    if (isnan(row->difference)) { // missing, or not a number
      printf("%-30s %11s %11s %15s  %s\n", row->name, "-", "-", "-", row->where);
      continue;
    }
    print_rule(rule, &row->rule);
    snprintf(share, sizeof share, "%ld of %ld", row->n_different, row->n_entries);
    printf("%-30s %11.3g %11.3g %15s  %s%s%.9g, %.9g; %s\n", row->name, row->difference,
           row->tolerance, share, row->where, row->where[0] ? ": " : "", row->value, row->expected,
           rule);
  }
  printf("different: %d of %d quantities of %s against %s\n", report->n_different, report->n_rows,
         settings->folder, settings->reference);
}

static void print_json(const CompareReport *report, const CompareSettings *settings) {
  JsonWriter json = {.stream = stdout};
  json_begin(&json, NULL, '{');
  json_put_text(&json, "folder", settings->folder);
  json_put_text(&json, "reference", settings->reference);
  json_put_bool(&json, "equal", report->n_different == 0);
  json_put_integer(&json, "different", report->n_different);
  json_begin(&json, "quantities", '[');
  for (int k = 0; k < report->n_rows; k++) {
    const CompareRow *row = &report->row[k];
    json_begin(&json, NULL, '{');
    json_put_text(&json, "name", row->name);
    json_put_bool(&json, "equal", row->n_different == 0);
    json_put_integer(&json, "entries", row->n_entries);
    json_put_integer(&json, "different", row->n_different);
    json_put_number(&json, "difference", row->difference);
    json_put_number(&json, "tolerance", row->tolerance);
    json_put_number(&json, "value", row->value);
    json_put_number(&json, "expected", row->expected);
    json_put_text(&json, "where", row->where);
    json_put_number(&json, "relative", row->rule.relative);
    json_put_number(&json, "absolute", row->rule.absolute < 0 ? NUMBER_NAN : row->rule.absolute);
    json_put_text(&json, "reason", row->rule.reason);
    json_end(&json, '}');
  }
  json_end(&json, ']');
  json_end(&json, '}');
}

static Status run_compare(const Options *options, int *code, Err *err) {
  const CompareSettings *settings = &options->settings;
  if (options->bless)
    return compare_bless(settings->folder, settings->reference, options->reason, err);
  CompareReport report;
  TRY(compare_folders(&report, settings, err));
  *code = report.n_different > 0;
  if (options->json)
    print_json(&report, settings);
  else
    print_table(&report, settings);
  compare_free(&report);
  if (fflush(stdout) != 0) return err_set(err, ERR_SYSTEM, "standard output cannot be written");
  return OK;
}

int compare_main(int argc, char **argv) {
  Err err = {0};
  Options options = {0};
  int code = 0;
  options.rules = mem_new((size_t)argc, sizeof *options.rules);
  Status status = options.rules ? parse_options(&options, argc, argv, &err)
                                : err_set(&err, ERR_SYSTEM, "out of memory");
  if (status == OK && options.help)
    fputs(usage, stdout);
  else if (status == OK)
    status = run_compare(&options, &code, &err);
  mem_free(options.rules);
  if (status == OK) return code;
  fprintf(stderr, "error: %s\n", err.text);
  return err_exit_code(status);
}
