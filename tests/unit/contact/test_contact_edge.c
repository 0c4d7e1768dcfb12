#include "pair_sample.h"

static const int solid[2] = {0, 0};
static double half_width = 0.1; // of the bars' thickness; their lengths are twenty times that

// Bars along x and along y, both turned by 45 degrees about their axis: their edges cross.
static void turn_bars(int body, double x[3]) {
  double c = sqrt(0.5), across = x[1 - body] - half_width, up = x[2] - half_width;
  x[1 - body] = c * (across - up);
  x[2] = c * (across + up);
}

static void crossed_bars(PairSample *s, double gap, int candidate) {
  const int cells[2][3] = {{5, 1, 1}, {1, 5, 1}};
  const double size[2][3] = {{20 * half_width, 2 * half_width, 2 * half_width},
                             {2 * half_width, 20 * half_width, 2 * half_width}};
  const double shift[3] = {9.3 * half_width, -8.5 * half_width, 2 * half_width * sqrt(2.0) + gap};
  pair_sample_init(s, cells, size, solid, shift, candidate, turn_bars);
}

Test(contact_edge, crossing_edges_touch_where_no_node_does) {
  for (int candidate = 0; candidate < 2; candidate++) {
    PairSample s;
    crossed_bars(&s, 1e-3, candidate);
    cr_assert_eq(pair_sample_detect(&s), 1);
    const Contact *contact = contact_list(s.work);
    double place[3];
    contact_place(&s.bs, contact, s.bodies.q, place);
    cr_assert_eq(contact->side[0].body, candidate);
    cr_assert(contact->side[0].n == 2 && contact->side[1].n == 2);
    cr_assert_float_eq(contact->gap, 1e-3, 1e-14);
    cr_assert_float_eq(contact->n[2], candidate ? 1 : -1, 1e-14, "from the antagonist");
    cr_assert_float_eq(place[0], 0.93, 1e-13);
    cr_assert_float_eq(place[1], 0, 1e-13);
    pair_sample_free(&s);
  }
}

// Angles between edges do not depend on units: bars of 2 mm and of 200 m cross as those of 2 m.
Test(contact_edge, crossing_edges_of_any_size_touch) {
  const double width[2] = {1e-4, 10};
  for (int k = 0; k < 2; k++) {
    PairSample s;
    half_width = width[k];
    crossed_bars(&s, 1e-2 * half_width, 1);
    cr_assert_eq(pair_sample_detect(&s), 1, "%g m", half_width);
    cr_assert_float_eq(contact_list(s.work)->gap, 1e-2 * half_width, 1e-13 * half_width);
    pair_sample_free(&s);
  }
}

Test(contact_edge, bars_that_come_fast_are_seen_before_they_cross) {
  PairSample s;
  crossed_bars(&s, 0.5, 1);
  for (int k = s.node_ptr[1]; k < s.node_ptr[2]; k++) s.bodies.v[3 * k + 2] = -100; // 0.1 a step
  int step = 0;
  for (; step < 10 && pair_sample_detect(&s) == 0; step++)
    for (int k = 0; k < 3 * s.bs.n_nodes; k++) s.bodies.q[k] += 1e-3 * s.bodies.v[k];
  cr_assert_eq(contact_count(s.work), 1);
  cr_assert_gt(contact_list(s.work)[0].gap, 0);
  pair_sample_free(&s);
}

Test(contact_edge, bars_past_each_other_do_not_touch) {
  PairSample s;
  crossed_bars(&s, 1e-3, 1);
  pair_sample_move(&s, 1, 1.2, 0, 0); // beyond the end of the other bar
  cr_assert_eq(pair_sample_detect(&s), 0);
  pair_sample_free(&s);
}

Test(contact_edge, updated_geometry_predicts_the_gap_of_the_iterate) {
  PairSample s;
  crossed_bars(&s, 1e-3, 1);
  cr_assert_eq(pair_sample_detect(&s), 1);
  int m = 3 * s.bs.n_nodes;
  double *q1 = calloc((size_t)m, 8), *v1 = calloc((size_t)m, 8), u[3], d[3] = {0};
  unsigned seed = 2;
  for (int k = 0; k < m; k++) {
    v1[k] = 10 * test_random(&seed);
    q1[k] = 1e-3 * v1[k];
  }
  contact_update(&s.step, q1, v1);
  const Contact *contact = contact_list(s.work);
  contact_velocities(s.work, v1, u);
  for (int k = 0; k < 4; k++)
    for (int i = 0; i < 3; i++) {
      int dof = 3 * contact->side[k / 2].node[k % 2] + i;
      d[i] += contact->side[k / 2].weight[k % 2] * (s.bs.x[dof] + q1[dof]);
    }
  cr_assert_float_eq(contact->gap + 1e-3 * u[0], contact_dot(3, d, contact->n), 1e-14);
  cr_assert_float_eq(contact_dot(3, d, contact->t), 0, 1e-13);
  cr_assert_float_eq(contact_dot(3, d, contact->s), 0, 1e-13);
  free(q1), free(v1);
  pair_sample_free(&s);
}

Test(contact_edge, penetration_of_crossing_edges_is_measured) {
  PairSample s;
  Penetration worst;
  double gap;
  crossed_bars(&s, 1e-3, 1);
  cr_assert_eq(pair_sample_detect(&s), 1);
  pair_sample_move(&s, 1, 0, 0, -0.005);
  contact_penetration(&s.step, &s.bodies, (PenetrationLimits){0}, NULL, &gap, &worst);
  cr_assert_float_eq(gap, -0.004, 1e-14);
  cr_assert_float_eq(worst.contacts, 0.004, 1e-14);
  pair_sample_free(&s);
}

Test(contact_edge, a_block_that_lies_flat_is_held_by_its_nodes_alone) {
  PairSample s;
  const int cells[2][3] = {{3, 3, 1}, {2, 2, 1}};
  const double size[2][3] = {{1, 1, 1}, {1, 1, 1}}, shift[3] = {0.4, 0.3, 1};
  pair_sample_init(&s, cells, size, solid, shift, 1, NULL);
  s.cm.rules->points = POINTS_NODES;
  int n = pair_sample_detect(&s);
  for (int c = 0; c < n; c++) cr_assert_eq(contact_list(s.work)[c].side[0].n, 1);
  pair_sample_free(&s);
}
