#include <criterion/criterion.h>

#include <string.h>

#include "../../support/input_sample.h"

Test(schema, finds_elements_parameters_and_variants) {
  const SchemaElement *material = schema_find(&sample_schema, "material");
  cr_assert_str_eq(material->name, "material");
  cr_assert_null(schema_find(&sample_schema, "materia"));
  const SchemaVariant *plastic = schema_variant(material, "plastic");
  cr_assert_null(schema_variant(material, "plasti"));
  cr_assert_str_eq(schema_param(material, plastic, "yield")->unit, "Pa");
  cr_assert_null(schema_param(material, NULL, "yield"));
  cr_assert(schema_list_holds("a|bc|d", "bc"));
  cr_assert_not(schema_list_holds("a|bc|d", "b"));
  cr_assert_not(schema_list_holds(NULL, "b"));
}

Test(schema, takes_the_choices_of_a_selector_from_its_variants) {
  const SchemaElement *material = schema_find(&sample_schema, "material");
  const ParamSpec *model = schema_param(material, NULL, "model");
  size_t n;
  cr_assert_str_eq(schema_choice(material, model, 1, &n), "plastic");
  cr_assert_eq(n, 7);
  cr_assert_null(schema_choice(material, model, 2, &n));
}
