// voussoir check: validates an input and says what would be run; voussoir list: what there is.

#include <stdio.h>
#include <string.h>

#include "app/commands.h"
#include "app/foresee.h"
#include "app/options.h"

static const OptionSpec options_check[] = {
    {"--names", NULL, "only the names that attributes may use: bodies, groups, nodes"},
    {"--set", "NAME=VALUE", "value of a named parameter; may be repeated"},
    {"--help", NULL, "this page"},
};
enum { N_OPTIONS_CHECK = sizeof options_check / sizeof options_check[0] };

static void describe_time(const Model *model) {
  for (int k = 0; k < model->n_stages; k++) {
    const Stage *stage = &model->stages[k];
    const StepSettings *steps = &stage->steps;
    int grows = steps->h_max > steps->h;
    if (stage->name)
      printf("  stage       %s: %s %g s, ", stage->name,
             stage->until_rest ? "to rest within" : "for", stage->duration);
    else
      printf("  time        %g to %g s, ", steps->start, steps->end);
    if (grows)
      printf("steps of %g to %g s, theta %g\n", steps->h, steps->h_max, steps->theta);
    else
      printf("%lld steps of %g s, theta %g\n", (long long)steps->n_steps, steps->h, steps->theta);
  }
}

static void describe(const Case *c) {
  const Model *model = &c->model;
  const BodySet *bs = &model->bodies;
  int n_supports = 0, n_nodes = 0, n_elems = 0; // nodes and elements of bodies, as in a summary
  for (int b = 0; b < bs->n_bodies; b++) {
    int support = bs->type[b]->support;
    n_supports += support;
    n_nodes += support ? 0 : bs->mesh[b]->n_nodes;
    n_elems += support ? 0 : bs->mesh[b]->n_elems;
  }
  printf("%s\n", c->output.title[0] ? c->output.title : "(no title)");
  printf("  bodies      %d (%d prototypes), supports %d, nodes %d, elements %d\n",
         bs->n_bodies - n_supports, bs->n_protos, n_supports, n_nodes, n_elems);
  double mass = 0;
  for (int b = 0; b < bs->n_bodies; b++) mass += bodies_mass(bs, b);
  printf("  mass        %.6g kg\n", mass);
  for (int r = 0; r < model->contact.n_rules; r++) {
    const ContactRule *rule = &model->contact.rules[r];
    int candidates = 0, antagonists = 0;
    for (int b = 0; b < bs->n_bodies; b++) {
      candidates += rule->candidate[b];
      antagonists += rule->antagonist[b];
    }
    printf("  contact     %d candidates, %d antagonists, law %s (%s)\n", candidates, antagonists,
           rule->law->name, rule->law->type->name);
  }
  describe_time(model);
  printf("  solver      %s, tolerance %g, at most %d iterations\n", model->steps.solver->name,
         model->steps.solver_settings.tolerance, model->steps.solver_settings.max_iterations);
  for (int k = 0; k < c->input.n_parameters; k++)
    printf("  parameter   %s = %s\n", c->input.parameters[k].name, c->input.parameters[k].value);
}

// Bodies are made without the rest, which may hold the very name that is looked for.
static int print_names(const Options *options) {
  Case c = {0};
  Err err = {0};
  Status status = app_schema_init(&c.schema, &err);
  if (status == OK)
    status = input_load(options->operand[0], &c.schema.schema, options->setting,
                        options->n_settings, &c.input, &c.diag, &err);
  if (status == OK) status = build_print_names(&c.input, &c.diag, stdout, &err);
  int code = status == OK ? 0 : case_fail(&c, &err);
  case_free(&c);
  return code;
}

int check_main(int argc, char **argv) {
  Options options;
  Err err = {0};
  Status status = options_parse(&options, options_check, N_OPTIONS_CHECK, argc, argv, &err);
  if (status == OK && options_value(&options, "--help")) {
    printf(
        "voussoir check INPUT.xml [options]\n\nValidates everything, says what would be run and what to expect of it, runs nothing.\n\n");
    options_print(options_check, N_OPTIONS_CHECK, stdout);
    return 0;
  }
  if (status == OK && options.n_operands != 1)
    status = err_set(&err, ERR_INPUT, "expected one input file, found %d", options.n_operands);
  if (status != OK) {
    options_free(&options);
    return command_misused("check", &err);
  }
  if (options_value(&options, "--names")) {
    int code = print_names(&options);
    options_free(&options);
    return code;
  }
  Case c;
  status = case_load(&c, options.operand[0], options.setting, options.n_settings, &err);
  int code = 0;
  Diag doubts = {0};
  if (status == OK) describe(&c);
  if (status == OK) status = foresee_print(&c, stdout, &err);
  if (status == OK) status = foresee_doubts(&c, 1, &doubts, &err);
  fflush(stdout);
  if (status == OK)
    foresee_print_doubts(&doubts, stderr);
  else
    code = case_fail(&c, &err);
  diag_free(&doubts);
  case_free(&c);
  options_free(&options);
  return code;
}

static const OptionSpec options_list[] = {
    {"--xsd", NULL, "the XML schema, for editors"},
    {"--markdown", NULL, "the reference page"},
    {"--help", NULL, "this page"},
};

// voussoir list elements: the finite elements of the table.
static void list_elements(void) {
  for (int k = 0; k < N_SHAPES; k++)
    if (element_types[k]) printf("%-4s %s\n", element_types[k]->name, element_types[k]->doc);
}

// "laws" is as good as "law".
static const char *singular(const Schema *schema, const char *name, char *buffer, size_t size) {
  size_t n = strlen(name);
  if (schema_find(schema, name) || n < 2 || n >= size || name[n - 1] != 's') return name;
  memcpy(buffer, name, n - 1);
  buffer[n - 1] = 0;
  return buffer;
}

int list_main(int argc, char **argv) {
  Options options;
  AppSchema schema;
  Err err = {0};
  Status status = options_parse(&options, options_list, 3, argc, argv, &err);
  if (status == OK && options_value(&options, "--help")) {
    printf(
        "voussoir list [KIND]\n\nWhat an input may hold, with parameters: all, or one kind in full (material, law,\nsolver, probe, wall, ...); elements: the finite elements.\n\n");
    options_print(options_list, 3, stdout);
    return 0;
  }
  if (status == OK && options.n_operands > 1)
    status = err_set(&err, ERR_INPUT, "expected at most one element, found %d", options.n_operands);
  if (status != OK) return command_misused("list", &err);
  if (app_schema_init(&schema, &err) != OK) return command_fail(&err);
  char buffer[64];
  const char *element = options.n_operands
                            ? singular(&schema.schema, options.operand[0], buffer, sizeof buffer)
                            : NULL;
  int code = 0;
  if (options.n_operands && strcmp(options.operand[0], "elements") == 0) {
    list_elements();
  } else if (options_value(&options, "--xsd")) {
    schema_write_xsd(&schema.schema, stdout);
  } else if (options_value(&options, "--markdown")) {
    schema_write_reference(&schema.schema, stdout);
  } else {
    if (schema_write_list(&schema.schema, element, stdout, &err) != OK)
      code = command_misused("list", &err);
  }
  app_schema_free(&schema);
  return code;
}
