#include <criterion/criterion.h>

#include <stdio.h>
#include <string.h>

#include "../../support/run_case.h"
#include "build/schema.h"

static AppSchema made(void) {
  AppSchema app;
  Err err = {0};
  cr_assert_eq(app_schema_init(&app, &err), OK, "%s", err.text);
  return app;
}

static void expect_variant(const AppSchema *app, const char *element, const char *name,
                           const ParamSpec *params, int n_params) {
  const SchemaElement *found = schema_find(&app->schema, element);
  cr_assert_not_null(found);
  const SchemaVariant *variant = schema_variant(found, name);
  cr_assert_not_null(variant, "<%s> does not know '%s'", element, name);
  cr_assert_eq(variant->n_params, n_params, "%s", name);
  cr_assert(variant->doc && *variant->doc, "%s", name);
  for (int k = 0; k < n_params; k++)
    cr_assert_eq(schema_param(found, variant, params[k].name), &params[k], "%s: %s", name,
                 params[k].name);
}

Test(app_schema, holds_every_row_of_every_table) {
  AppSchema app = made();
  int n[4] = {0};
  for (int k = 0; material_types[k]; k++, n[0]++)
    expect_variant(&app, "material", material_types[k]->name, material_types[k]->params,
                   material_types[k]->n_params);
  for (int k = 0; law_types[k]; k++, n[1]++)
    expect_variant(&app, "law", law_types[k]->name, law_types[k]->params, law_types[k]->n_params);
  for (int k = 0; solver_types[k]; k++, n[2]++)
    expect_variant(&app, "solver", solver_types[k]->name, solver_types[k]->params,
                   solver_types[k]->n_params);
  for (int k = 0; k < n_probe_types; k++, n[3]++)
    expect_variant(&app, "probe", probe_types[k].name, probe_types[k].params,
                   probe_types[k].n_params);
  static const char *const element[4] = {"material", "law", "solver", "probe"};
  for (int k = 0; k < 4; k++) // and nothing that no table knows
    cr_assert_eq(schema_find(&app.schema, element[k])->n_variants, n[k], "%s", element[k]);
  app_schema_free(&app);
  cr_assert_eq(mem_live_blocks(), 0);
}

Test(app_schema, is_consistent_in_itself) {
  AppSchema app = made();
  for (int e = 0; e < app.schema.n_elements; e++) {
    const SchemaElement *element = &app.schema.elements[e];
    cr_assert(element->doc && *element->doc, "<%s>", element->name);
    cr_assert_eq(schema_find(&app.schema, element->name), element, "<%s> twice", element->name);
    int is_child = e == 0;
    for (int k = 0; k < app.schema.n_elements; k++)
      if (app.schema.elements[k].children)
        is_child |= schema_list_holds(app.schema.elements[k].children, element->name);
    cr_assert(is_child, "<%s> may stand nowhere", element->name);
    if (element->selector)
      cr_assert_not_null(schema_param(element, NULL, element->selector), "<%s>", element->name);
    for (int v = -1; v < element->n_variants; v++) {
      const SchemaVariant *variant = v < 0 ? NULL : &element->variants[v];
      int n = variant ? variant->n_params : element->n_params;
      for (int k = 0; k < n; k++) {
        const ParamSpec *spec = variant ? &variant->params[k] : &element->params[k];
        cr_assert(spec->name && spec->unit && spec->doc && *spec->doc, "<%s>, attribute %d",
                  element->name, k);
        // A parameter of a variant must not hide one of the element: it could never be given.
        cr_assert_eq(schema_param(element, variant, spec->name), spec,
                     "<%s %s=...> hides an attribute", element->name, spec->name);
      }
    }
  }
  app_schema_free(&app);
}

Test(app_schema, without_memory_is_a_system_error_and_leaks_nothing) {
  int n;
  for (n = 1;; n++) {
    AppSchema app;
    Err err = {0};
    mem_fail_after(n);
    Status status = app_schema_init(&app, &err);
    mem_fail_after(0);
    app_schema_free(&app);
    cr_assert_eq(mem_live_blocks(), 0);
    if (status == OK) break;
    cr_assert_eq(status, ERR_SYSTEM);
  }
  cr_assert_gt(n, 4);
}

// The attributes that a row asks for, all with a value inside their bounds.
static const char *required(const ParamSpec *params, int n) {
  static char text[1000];
  text[0] = 0;
  for (int k = 0; k < n; k++) {
    size_t used = strlen(text);
    const char *value = params[k].type == PARAM_REAL ? "0.3" : "2";
    if (params[k].initial) continue;
    snprintf(text + used, sizeof text - used, " %s='%s'", params[k].name, value);
  }
  return text;
}

// A block on a support with the given material, law, solver and probe.
static CaseRun *run_block(const char *kinematics, const char *material, const char *law,
                          const char *solver, const char *probe) {
  return run_case_open_text(
      xml_format("<voussoir><material name='s' density='1000' %s/><law name='j' %s/>"
                 "<block name='b' material='s' width='0.4' height='0.2' kinematics='%s'/>"
                 "<support name='base' shape='box' x='-1' y='-1' width='3' height='1'/>"
                 "<contact candidate='b' antagonist='base' law='j'/><gravity/>"
                 "<time end='1' step='1e-4'/><solver %s/>%s</voussoir>",
                 material, law, kinematics, solver, probe),
      NULL);
}

static CaseRun *run_with(const char *material, const char *law, const char *solver,
                         const char *probe) {
  return run_block("small", material, law, solver, probe);
}

static const char *const stone = "young='1e6' poisson='0.2'", *const dry = "friction='0.4'";

Test(app_schema, every_material_can_be_chosen) {
  for (int k = 0; material_types[k]; k++) {
    char text[1200];
    const MaterialType *type = material_types[k];
    int plastic = 0; // its curve has no default
    for (int i = 0; i < type->n_params; i++)
      plastic |= type->params[i].initial && strcmp(type->params[i].name, "yield") == 0;
    if (!type->finite && type->n_sheet_state > 0) continue; // for sheets only
    snprintf(text, sizeof text, "law='%s'%s%s", type->name, required(type->params, type->n_params),
             plastic ? " yield='1e5'" : "");
    CaseRun *run = run_block(type->n_state > 0 ? "finite" : "small", text, dry, "", "");
    cr_assert_eq(run->input.model.materials[0].type, material_types[k]);
    run_case_steps(run, 2);
    run_case_close(run);
  }
}

Test(app_schema, every_law_can_be_chosen) {
  for (int k = 0; law_types[k]; k++) {
    char text[1200];
    snprintf(text, sizeof text, "type='%s'%s", law_types[k]->name,
             required(law_types[k]->params, law_types[k]->n_params));
    CaseRun *run = run_with(stone, text, "", "");
    cr_assert_eq(run->input.model.laws[0].type, law_types[k]);
    run_case_steps(run, 2);
    run_case_close(run);
  }
}

Test(app_schema, every_solver_can_be_chosen) {
  for (int k = 0; solver_types[k]; k++) {
    char text[1200];
    snprintf(text, sizeof text, "type='%s'%s", solver_types[k]->name,
             required(solver_types[k]->params, solver_types[k]->n_params));
    CaseRun *run = run_with(stone, dry, text, "");
    cr_assert_eq(run->input.model.steps.solver, solver_types[k]);
    run_case_steps(run, 2);
    run_case_close(run);
  }
}

Test(app_schema, every_probe_can_be_chosen) {
  for (int k = 0; k < n_probe_types; k++) {
    const ProbeType *type = &probe_types[k];
    // of sheets: tests/unit/output/test_rim.c, test_sheet_fields.c
    if (strstr(type->name, "thickness")) continue;
    // in space: tests/verify/test_rigid_space.c
    if (!strcmp(type->name, "angular_velocity") || !strcmp(type->name, "orientation")) continue;
    CaseRun *run =
        run_with(stone, dry, "",
                 xml_format("<probe name='p' quantity='%s' %s %s/>", type->name,
                            type->scope == PROBE_OF_ALL ? "" : "of='b'",
                            strcmp(type->name, "angle") ? "" : "points='0 0 9 0 0 0 0 9'"));
    cr_assert_eq(run->input.output.n_probes, 1);
    cr_assert_eq(run->input.output.probes[0].type, type);
    cr_assert_eq(run->n_columns,
                 N_STANDARD_COLUMNS + probe_n_columns(&run->input.output.probes[0], 2));
    run_case_steps(run, 1);
    run_case_close(run);
  }
}
