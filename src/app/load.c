#include "app/load.h"

#include "app/commands.h"

Status case_load(Case *c, const char *path, const InputSetting *settings, int n_settings,
                 Err *err) {
  *c = (Case){0};
  TRY(app_schema_init(&c->schema, err));
  TRY(input_load(path, &c->schema.schema, settings, n_settings, &c->input, &c->diag, err));
  return build_model(&c->input, &c->diag, &c->doubts, &c->model, &c->output, err);
}

void case_free(Case *c) {
  output_spec_free(&c->output);
  model_free(&c->model);
  input_free(&c->input);
  diag_free(&c->diag);
  diag_free(&c->doubts);
  app_schema_free(&c->schema);
}

int case_fail(Case *c, const Err *err) {
  if (c->diag.n == 0) return command_fail(err);
  diag_print(&c->diag, stderr);
  fprintf(stderr, "%zu defect%s in the input; nothing was run\n", c->diag.n,
          c->diag.n == 1 ? "" : "s");
  return 2;
}
