#define _XOPEN_SOURCE 700
#include <criterion/criterion.h>

#include <string.h>

#include "../../support/input_sample.h"

static char text[1 << 15];

Test(schema_reference, describes_each_element_and_variant_in_markdown) {
  FILE *stream = fmemopen(text, sizeof text, "w");
  schema_write_reference(&sample_schema, stream);
  fclose(stream);
  cr_assert(strstr(text, "## `<material>`\n\nWhat blocks are made of.\n\n"
                         "Stands in `<voussoir>`.\n\n"
                         "| attribute | type | unit | allowed | default | meaning |\n"
                         "|---|---|---|---|---|---|\n"
                         "| `name` | name |  |  | required | how blocks refer to it |\n"
                         "| `density` | real | kg/m^3 | ]0,inf[ | required | mass per volume |\n"
                         "| `model` | choice |  | `elastic`, `plastic` | `elastic` | bulk law |\n\n"
                         "### `model=\"elastic\"`\n\nHooke's law\n\n"));
  cr_assert(strstr(text, "| `on` | reference |  | `<block>`, `<group>` | required |"));
  cr_assert(strstr(text, "Stands in `<voussoir>`, at least 1, at most 1.\n"));
  cr_assert(strstr(text, "## `<parameter>`"));
  cr_assert(strstr(text, "## `<include>`"));
}

static const char *list(const char *element) {
  memset(text, 0, sizeof text);
  FILE *stream = fmemopen(text, sizeof text, "w");
  Err err = {0};
  if (schema_write_list(&sample_schema, element, stream, &err) != OK) fputs(err.text, stream);
  fclose(stream);
  return text;
}

Test(schema_reference, lists_for_a_terminal) {
  cr_assert(strstr(list(NULL), "material             What blocks are made of.\n"));
  cr_assert(strstr(list("material"),
                   "    density              mass per volume [kg/m^3], in ]0,inf[ (required)\n"));
  cr_assert(strstr(list("material"), "  model=\"plastic\"  von Mises\n"));
  cr_assert(strstr(list("drive"), "what is prescribed: force | velocity | displacement (default "
                                  "force)\n"));
  cr_assert_str_eq(list("materiel"), "there is no element <materiel>; did you mean <material>?");
  cr_assert(strstr(list("include"), "href"));
}
