#include <criterion/criterion.h>
#include <string.h>

#include "body/finite.h"

// A grid of n x n nodes (x 2 in space) with some components held.
typedef struct {
  BodySet bs;
  FiniteBody body;
  FormType type;
  double x[3 * 32];
  uint8_t fixed[3 * 32], extra[2];
  int32_t node_ptr[2];
} Loose;

static void loose_init(Loose *l, int dim, StressState state) {
  memset(l, 0, sizeof *l);
  int n = dim == 2 ? 16 : 32;
  for (int k = 0; k < n; k++) {
    l->x[dim * k] = k % 4;
    l->x[dim * k + 1] = k / 4 % 4;
    if (dim == 3) l->x[dim * k + 2] = k / 16;
  }
  l->node_ptr[1] = n;
  l->body = (FiniteBody){.form = {.type = &l->type, .n_nodes = n, .n_extra = 2}, .fixed = l->fixed};
  l->body.form.spec.state = state;
  l->bs =
      (BodySet){.dim = dim, .x = l->x, .n_finite = 1, .finite = &l->body, .node_ptr = l->node_ptr};
}

static void hold(Loose *l, int node, int component) {
  l->fixed[l->bs.dim * node + component] = 1;
}

Test(finite_loose, counts_the_rigid_motions_that_prescribed_components_leave) {
  Loose l;
  loose_init(&l, 2, PLANE_STRAIN);
  cr_assert_eq(finite_loose(&l.bs, 0), 3);
  hold(&l, 0, 0);
  hold(&l, 0, 1);
  cr_assert_eq(finite_loose(&l.bs, 0), 1, "it turns about a node");
  hold(&l, 3, 0);
  cr_assert_eq(finite_loose(&l.bs, 0), 1, "along the line to the other node nothing is held");
  hold(&l, 3, 1);
  cr_assert_eq(finite_loose(&l.bs, 0), 0);

  loose_init(&l, 3, STRESS_3D);
  cr_assert_eq(finite_loose(&l.bs, 0), 6);
  for (int k = 0; k < 4; k++)
    for (int i = 0; i < 3; i++) hold(&l, k, i); // a line of nodes
  cr_assert_eq(finite_loose(&l.bs, 0), 1, "it turns about the line");
  hold(&l, 16, 1);
  cr_assert_eq(finite_loose(&l.bs, 0), 0);

  loose_init(&l, 2, AXISYMMETRIC);
  for (int k = 0; k < 4; k++) hold(&l, 4 * k, 0);
  cr_assert_eq(finite_loose(&l.bs, 0), 1, "rings hold one another but along the axis");
  hold(&l, 5, 1);
  cr_assert_eq(finite_loose(&l.bs, 0), 0);
}

Test(finite_loose, a_rim_that_is_clamped_does_not_turn) {
  Loose l;
  loose_init(&l, 3, STRESS_3D);
  l.type.shell = 1;
  l.body.form.fixed_extra = l.extra;
  for (int k = 0; k < 4; k++)
    for (int i = 0; i < 3; i++) hold(&l, k, i);
  cr_assert_eq(finite_loose(&l.bs, 0), 1);
  l.extra[1] = 1;
  cr_assert_eq(finite_loose(&l.bs, 0), 0);
}
