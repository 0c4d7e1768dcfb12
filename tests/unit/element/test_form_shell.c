// Properties that every formulation of shells has, over all laws of sheets.
#include <criterion/criterion.h>

#include <math.h>
#include <string.h>

#include "../../support/element_sample.h"
#include "../../support/sheet_sample.h"
#include "../../support/shell_static.h"

// A way to use a formulation.
typedef struct {
  const char *form;
  GridPattern pattern;
  int edge_unknown;
} Use;

static const Use uses[] = {
    {"ebst", GRID_RIGHT, 0}, {"ebst", GRID_ALTERNATE, 1}, {"mitc4", GRID_QUAD, 0}};
enum { N_USES = sizeof uses / sizeof uses[0] };

static unsigned seed_of_map;

// A slightly curved, irregular patch.
static void irregular(double s, double t, double x[3]) {
  x[0] = s + 0.06 * sample_random(&seed_of_map) + 0.1 * t;
  x[1] = t + 0.06 * sample_random(&seed_of_map);
  x[2] = 0.1 * s * s - 0.08 * s * t + 0.02 * sample_random(&seed_of_map);
}

// A 2 x 2 patch with one symmetric, one clamped and two free sides, moved at random.
static void patch(ShellStatic *s, const Use *use, const Material *m, double amplitude) {
  uint8_t edge[9] = {
      EDGE_SYMMETRY, EDGE_SYMMETRY, EDGE_SYMMETRY, EDGE_CLAMPED, 0, 0, EDGE_CLAMPED, 0, 0};
  Mesh mesh;
  FormSpec spec = {.material = m,
                   .thickness = 0.05,
                   .layers = 5,
                   .rolling = {1, 0.3, 0},
                   .edge_unknown = use->edge_unknown,
                   .edge = edge};
  seed_of_map = 11;
  shell_grid(&mesh, 2, 2, use->pattern, irregular);
  shell_static_init(s, &mesh, use->form, &spec);
  s->form.spec.edge = NULL; // read at the set-up only
  for (int i = 0; i < 3 * s->form.n_nodes; i++) s->u[i] = amplitude * sample_random(&seed_of_map);
  if (s->form.n_extra > 0) {
    for (int i = 0; i < s->form.n_extra; i++) s->step[i] = amplitude * sample_random(&seed_of_map);
    s->form.type->advance(&s->form, s->config, s->step, s->config_new);
    memcpy(s->config, s->config_new, (size_t)s->form.n_config * sizeof(double));
  }
}

Test(form_shell, tangents_are_those_of_differences_and_symmetric) {
  Material m;
  for (int k = 0; k < N_USES; k++)
    for (int law = 0; sheet_sample(law, &m); law++)
      for (int plastic = 0; plastic < 2; plastic++) {
        ShellStatic s;
        patch(&s, &uses[k], &m, plastic ? 0.05 : 0.002);
        double error = shell_tangent_error(&s, plastic ? 1e-6 : 1e-4);
        cr_assert_lt(error, 1e-7, "%s, law %d, %s: %g", uses[k].form, law,
                     plastic ? "plastic" : "elastic", error);
        shell_static_free(&s);
      }
}
