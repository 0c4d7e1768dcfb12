#include <criterion/criterion.h>

#include <math.h>
#include <string.h>

#include "../../support/run_case.h"

static CaseRun *scene(void) {
  return run_case_open_text(
      "<voussoir><model thickness='0.5'/>"
      "<material name='s' density='2000' young='1e7' poisson='0.2'/>"
      "<law name='d' friction='0.3'/>"
      "<wall name='wall' material='s' courses='2' blocks='2' length='0.4' height='0.2'/>"
      "<block name='b' material='s' x='3' width='0.4' height='0.3' angle='0.5'/>"
      "<support name='base' shape='box' x='-1' y='-1' width='9' height='1'/>"
      "<group name='some' bodies='b wall.1'/>"
      "<contact candidate='all' antagonist='all base' law='d'/>"
      "<time end='1' step='1e-3'/></voussoir>",
      NULL);
}

Test(body, sets_know_bodies_and_groups_by_name) {
  CaseRun *run = scene();
  const BodySet *bs = &run->input.model.bodies;
  cr_assert_eq(bs->n_bodies, 7); // 2 + 3 blocks, b, base
  for (int k = 0; k < bs->n_bodies; k++) cr_assert_eq(bodies_find(bs, bs->name[k]), k);
  cr_assert_eq(bodies_find(bs, "nobody"), -1);
  const BodyGroup *some = bodies_group(bs, "some"), *wall = bodies_group(bs, "wall");
  cr_assert(some && some->n == 2 && some->body[0] < some->body[1]);
  cr_assert_eq(some->body[0], bodies_find(bs, "wall.1"));
  cr_assert(wall && wall->n == 5);
  cr_assert_null(bodies_group(bs, "others"));
  const NodeGroup *top = NULL;
  for (int g = 0; g < bs->n_node_groups; g++)
    if (strcmp(bs->node_groups[g].name, "wall.top") == 0) top = &bs->node_groups[g];
  cr_assert_not_null(top);
  for (int k = 0; k < top->n; k++) cr_assert_float_eq(bs->x[2 * top->node[k] + 1], 0.4, 1e-12);
  run_case_close(run);
}

Test(body, mass_is_density_times_volume_and_supports_have_none) {
  CaseRun *run = scene();
  const BodySet *bs = &run->input.model.bodies;
  cr_assert_float_eq(bodies_mass(bs, bodies_find(bs, "b")), 2000 * 0.4 * 0.3 * 0.5, 1e-9);
  cr_assert_eq(bodies_mass(bs, bodies_find(bs, "base")), 0);
  double wall = 0;
  for (int k = 0; k < 5; k++) wall += bodies_mass(bs, bodies_group(bs, "wall")->body[k]);
  cr_assert_float_eq(wall, 2000 * 0.8 * 0.4 * 0.5, 1e-9);
  run_case_close(run);
}

Test(body, nodes_of_a_placed_body_are_its_mesh_turned_and_moved) {
  CaseRun *run = scene();
  const BodySet *bs = &run->input.model.bodies;
  int b = bodies_find(bs, "b");
  double c = cos(0.5), s = sin(0.5), area = 0;
  for (int k = bs->node_ptr[b]; k < bs->node_ptr[b + 1]; k++) {
    const double *x = bs->mesh[b]->x + 2 * (k - bs->node_ptr[b]);
    cr_assert_eq(bs->body_of[k], b);
    cr_assert_float_eq(bs->x[2 * k], 3 + c * x[0] - s * x[1], 1e-12);
    cr_assert_float_eq(bs->x[2 * k + 1], s * x[0] + c * x[1], 1e-12);
  }
  // The skin is walked with the outside on the right: its area is positive.
  const Skin *skin = bodies_skin(bs, b);
  for (int e = 0; e < skin->n_facets; e++) {
    const double *p = bs->x + 2 * (bs->node_ptr[b] + skin->facet_node[2 * e]),
                 *q = bs->x + 2 * (bs->node_ptr[b] + skin->facet_node[2 * e + 1]);
    area += 0.5 * (p[0] * q[1] - p[1] * q[0]);
  }
  cr_assert_float_eq(area, 0.4 * 0.3, 1e-12);
  run_case_close(run);
}

Test(body, batches_hold_every_deformable_body_once_with_its_own_kind) {
  CaseRun *run = run_case_open("inputs/masonry_wall.xml", "courses=6 blocks=5 output_every=0");
  const BodySet *bs = &run->input.model.bodies;
  int seen[100] = {0};
  cr_assert_leq(bs->n_bodies, 100);
  for (int k = 0; k < bs->n_batches; k++) {
    const Batch *batch = &bs->batches[k];
    cr_assert(batch->n >= 1 && batch->n <= BATCH_LANES);
    for (int l = 0; l < batch->n; l++) {
      cr_assert_eq(bs->proto[batch->body[l]], batch->proto);
      cr_assert_eq(bs->type[batch->body[l]], bs->type[batch->body[0]]);
      seen[batch->body[l]]++;
    }
  }
  for (int b = 0; b < bs->n_bodies; b++) cr_assert_eq(seen[b], bs->type[b] != &body_support);
  run_case_close(run);
}

Test(body, state_that_was_freed_is_zero_again) {
  const BodyState nothing = {0};
  BodyState state = {.q = mem_new(1, sizeof(double)), .half = mem_new(1, sizeof(double))};
  body_state_free(&state);
  cr_assert_eq(memcmp(&state, &nothing, sizeof state), 0);
  body_state_free(&state);
}
