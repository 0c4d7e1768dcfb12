#include <criterion/criterion.h>

#include <string.h>

#include "../../support/form_sample.h"
#include "../../support/material_sample.h"
#include "../../support/no_leak.h"
#include "element/form.h"

TestSuite(form_table, .fini = no_leak);

Test(form_table, names_are_unique) {
  for (int i = 0; form_types[i]; i++)
    for (int k = 0; k < i; k++) cr_assert_str_neq(form_types[i]->name, form_types[k]->name);
}

Test(form_table, first_that_takes_the_mesh_is_found_and_what_is_refused_is_said) {
  Material m;
  Mesh mesh, empty = {.dim = 2};
  Form form;
  Err err = {0};
  cr_assert(material_sample(0, &m, NULL));
  sample_mesh_element(&mesh, SHAPE_Q4, 0);
  FormSpec spec = {.mesh = &mesh, .material = &m, .state = PLANE_STRAIN, .thickness = 1};
  cr_assert_eq(form_init(&form, NULL, &spec, NULL), OK);
  cr_assert_str_eq(form.type->name, "solid");
  cr_assert_eq(form.n_nodes, 4);
  cr_assert_eq(form.max_dofs, 8);
  form_free(&form);
  form_free(&form); // zeroed: may be freed again

  cr_assert_eq(form_init(&form, "cheese", &spec, &err), ERR_INPUT);
  cr_assert_not_null(strstr(err.text, "cheese"));
  spec.state = STRESS_3D;
  cr_assert_eq(form_init(&form, "solid", &spec, &err), ERR_INPUT);
  spec.state = PLANE_STRAIN;
  MaterialType small = *m.type; // a law for small strains only
  small.finite = NULL;
  m.type = &small;
  cr_assert_eq(form_init(&form, "solid", &spec, &err), ERR_INPUT);
  cr_assert_not_null(strstr(err.text, "small strains only"), "%s", err.text);
  m.type = material_find("elastic");
  mesh.elem_shape[0] = SHAPE_LINE2;
  cr_assert_eq(form_init(&form, "solid", &spec, &err), ERR_INPUT);
  cr_assert_not_null(strstr(err.text, "does not take"), "%s", err.text);
  cr_assert_eq(form_init(&form, NULL, &spec, &err), ERR_INPUT);
  mesh_free(&mesh);
  spec.mesh = &empty;
  cr_assert_eq(form_init(&form, NULL, &spec, &err), ERR_INPUT);
}
