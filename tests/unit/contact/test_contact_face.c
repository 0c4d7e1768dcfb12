#include "pair_sample.h"

static const int solid[2] = {0, 0};

// ---- which contacts there are -------------------------------------------------------------------

Test(contact_face, a_block_on_a_block_touches_with_the_nodes_of_the_candidate) {
  PairSample s;
  const int cells[2][3] = {{3, 3, 1}, {2, 2, 1}};
  const double size[2][3] = {{3, 3, 1}, {2, 2, 1}}, shift[3] = {0.4, 0.3, 1.001};
  pair_sample_init(&s, cells, size, solid, shift, 1, NULL);
  s.cm.rules->points = POINTS_NODES;
  int n = pair_sample_detect(&s);
  cr_assert_eq(n, 9);
  double area = 0;
  for (int c = 0; c < n; c++) {
    const Contact *contact = &contact_list(s.work)[c];
    double place[3] = {0};
    cr_assert(contact->side[0].body == 1 && contact->side[1].body == 0);
    cr_assert_float_eq(contact->gap, 1e-3, 1e-14);
    cr_assert_float_eq(contact->n[2], 1, 1e-14);
    cr_assert_eq(contact->side[0].n + contact->side[1].n, 5);
    for (int k = 0; k < 5; k++)
      for (int i = 0; i < 3; i++) {
        const Site *site = &contact->side[k > 0];
        int term = k > 0 ? k - 1 : 0;
        place[i] += site->weight[term] * s.bs.x[3 * site->node[term] + i];
      }
    for (int i = 0; i < 2; i++)
      cr_assert_float_eq(place[i], 0, 1e-13, "the point lies above the node's");
    for (int i = 0; i < 3; i++)
      for (int j = 0; j < 3; j++)
        cr_assert_float_eq(contact_dot(3, contact->axis[i], contact->axis[j]), i == j, 1e-14);
    area += contact->area;
  }
  cr_assert_geq(area, 4 - 1e-12); // of the sides' faces too at the rim
  pair_sample_free(&s);
}

Test(contact_face, where_no_node_of_the_candidate_lies_over_the_others_do) {
  PairSample s;
  const int cells[2][3] = {{2, 2, 1}, {1, 1, 1}};
  const double size[2][3] = {{1, 1, 1}, {4, 4, 1}}, shift[3] = {-1.5, -1.5, 1.001};
  pair_sample_init(&s, cells, size, solid, shift, 1,
                   NULL); // the large coarse block is the candidate
  int n = pair_sample_detect(&s);
  cr_assert_eq(n, 9);
  for (int c = 0; c < n; c++) cr_assert_eq(contact_list(s.work)[c].side[0].body, 0);
  pair_sample_free(&s);
}

Test(contact_face, corners_of_the_other_side_count_once_they_are_ahead) {
  PairSample s;
  const int cells[2][3] = {{2, 2, 1}, {3, 1, 1}};
  const double size[2][3] = {{1, 1, 1}, {3, 1, 1}}, shift[3] = {0.2, 0, 1.001};
  pair_sample_init(&s, cells, size, solid, shift, 1, NULL);
  s.cm.rules->points = POINTS_NODES;
  cr_assert_eq(pair_sample_detect(&s), 2); // the end of the beam lies on the block
  // It turns about that end downwards: the edge of the block at x = 1 holds it.
  for (int k = s.node_ptr[1]; k < s.node_ptr[2]; k++)
    s.bodies.q[3 * k + 2] = -0.08 * (s.bs.x[3 * k] - 0.2);
  int n = pair_sample_detect(&s), corners = 0;
  for (int c = 0; c < n; c++) {
    const Contact *contact = &contact_list(s.work)[c];
    if (contact->side[0].body != 0) continue;
    cr_assert_lt(contact->gap, 0);
    corners += s.bs.x[3 * contact->side[0].node[0]] == 1;
  }
  cr_assert_geq(corners, 2);
  pair_sample_free(&s);
}

Test(contact_face, blocks_side_by_side_and_apart_do_not_touch) {
  PairSample s;
  const int cells[2][3] = {{2, 2, 2}, {2, 2, 2}};
  const double size[2][3] = {{1, 1, 1}, {1, 1, 1}}, shift[3] = {1.2, 0, 0.3};
  pair_sample_init(&s, cells, size, solid, shift, 1, NULL);
  cr_assert_eq(pair_sample_detect(&s), 0);
  pair_sample_free(&s);
}

Test(contact_face, a_node_that_flies_in_is_seen_before_it_arrives) {
  PairSample s;
  const int cells[2][3] = {{2, 2, 1}, {2, 2, 1}};
  const double size[2][3] = {{1, 1, 1}, {1, 1, 1}}, shift[3] = {0.1, 0.1, 3};
  pair_sample_init(&s, cells, size, solid, shift, 0, NULL);
  for (int k = s.node_ptr[1]; k < s.node_ptr[2]; k++) s.bodies.v[3 * k + 2] = -300; // 0.3 a step
  int step = 0;
  for (; step < 10 && pair_sample_detect(&s) == 0; step++)
    for (int k = 0; k < 3 * s.bs.n_nodes; k++) s.bodies.q[k] += 1e-3 * s.bodies.v[k];
  double height = 2 + s.bodies.q[3 * s.node_ptr[1] + 2];
  cr_assert(height > 0 && height <= 0.5 + 0.06, "seen at height %g", height);
  pair_sample_free(&s);
}

// ---- identity and frames ------------------------------------------------------------------------

static void pretend_step(PairSample *s) {
  double *r = calloc((size_t)contact_count(s->work) * 3 + 1, 8),
         *u = calloc((size_t)contact_count(s->work) * 3 + 1, 8);
  Problem p;
  double *start;
  Arena arena = {0};
  cr_assert_eq(contact_laws(&s->step, s->bodies.v, &p, &start, &arena, NULL), OK);
  for (int c = 0; c < contact_count(s->work); c++)
    r[3 * c] = 1, r[3 * c + 1] = 0.1, r[3 * c + 2] = 0.2;
  contact_commit(&s->step, r, u);
  arena_free(&arena);
  free(r), free(u);
}

Test(contact_face, a_block_that_slides_keeps_its_contacts_from_face_to_face) {
  PairSample s;
  const int cells[2][3] = {{8, 4, 1}, {1, 1, 1}};
  const double size[2][3] = {{8, 4, 1}, {1, 1, 1}}, shift[3] = {0.3, 1.2, 1};
  pair_sample_init(&s, cells, size, solid, shift, 1, NULL);
  ContactKey key[4];
  for (int k = 0; k <= 300; k++) {
    pair_sample_move(&s, 1, 0.02 * k, 0.005 * k, 0);
    cr_assert_eq(pair_sample_detect(&s), 4, "step %d", k);
    for (int c = 0; c < 4; c++) {
      const Contact *contact = &contact_list(s.work)[c];
      ContactKey own = s.state.key[contact->slot];
      if (k > 0) cr_assert_eq(contact_key_order(&own, &key[c]), 0);
      key[c] = own;
      cr_assert_float_eq(contact->gap, 0, 1e-13);
      if (k > 0) cr_assert_eq(s.state.impulse[3 * contact->slot], 1, "the warm start is there");
    }
    pretend_step(&s);
  }
  cr_assert_gt(contact_searches(s.work), 3);
  pair_sample_free(&s);
}

Test(contact_face, a_state_that_was_stored_makes_the_same_slots) {
  PairSample s;
  const int cells[2][3] = {{4, 4, 1}, {2, 2, 1}};
  const double size[2][3] = {{4, 4, 1}, {2, 2, 1}}, shift[3] = {0.4, 0.3, 1};
  pair_sample_init(&s, cells, size, solid, shift, 1, NULL);
  for (int k = 0; k < 4; k++) {
    pair_sample_move(&s, 1, 0.3 * k, 0, 0);
    pair_sample_detect(&s);
    pretend_step(&s);
  }
  ContactWork *work;
  cr_assert_eq(contact_work_new(&work, &s.cm, &s.bs, NULL), OK);
  cr_assert_eq(contact_resume(&s.cm, &s.bs, &s.state, work, NULL), OK);
  cr_assert_eq(work->n_slots, s.work->n_slots);
  for (int64_t k = 0; k < work->n_slots; k++) {
    const ContactKey key = slot_key(&work->slot[k]);
    cr_assert_eq(contact_key_order(&key, &s.state.key[k]), 0);
  }
  contact_work_free(work);
  pair_sample_free(&s);
}

// ---- operators ----------------------------------------------------------------------------------

Test(contact_face, w_equals_the_operator_through_the_nodes) {
  PairSample s;
  const int cells[2][3] = {{2, 2, 1}, {2, 2, 1}};
  const double size[2][3] = {{2, 2, 1}, {2, 2, 1}}, shift[3] = {0.4, 0.3, 1.001};
  pair_sample_init(&s, cells, size, solid, shift, 1, NULL);
  int n = pair_sample_detect(&s), dofs[2];
  cr_assert_gt(n, 3);
  Compliance compliance[2];
  double *w[2], *a;
  int32_t *index[2];
  unsigned seed = 6;
  for (int b = 0; b < 2; b++) {
    int nodes = s.mesh[b].n_nodes, m = dofs[b] = 3 * nodes;
    a = calloc((size_t)(m * m), 8), w[b] = calloc((size_t)(m * m), 8);
    index[b] = calloc((size_t)nodes, 4);
    for (int k = 0; k < nodes; k++) index[b][k] = k;
    for (int k = 0; k < m * m; k++) a[k] = test_random(&seed);
    for (int i = 0; i < m; i++)
      for (int j = 0; j < m; j++)
        for (int k = 0; k < m; k++)
          w[b][9 * (i / 3 * nodes + j / 3) + i % 3 * 3 + j % 3] += a[i * m + k] * a[j * m + k];
    free(a);
    compliance[b] = (Compliance){.block = w[b], .n = nodes, .index = index[b]};
  }
  DynamicsMatrices matrices = {.finite = compliance};
  uint8_t turned[2] = {0};
  cr_assert_eq(contact_assemble(&s.step, &matrices, turned, NULL), OK);
  double *r = calloc((size_t)n, 24), *u = calloc((size_t)n, 24),
         *f = calloc((size_t)s.bs.n_nodes, 24), *v = calloc((size_t)s.bs.n_nodes, 24);
  for (int k = 0; k < 3 * n; k++) r[k] = test_random(&seed);
  contact_add_impulses(s.work, r, f);
  for (int b = 0; b < 2; b++)
    for (int i = 0; i < dofs[b]; i++)
      for (int j = 0; j < dofs[b]; j++)
        v[3 * s.node_ptr[b] + i] +=
            w[b][9 * (i / 3 * s.mesh[b].n_nodes + j / 3) + i % 3 * 3 + j % 3] *
            f[3 * s.node_ptr[b] + j];
  contact_velocities(s.work, v, u);
  for (int c = 0; c < n; c++)
    for (int i = 0; i < 3; i++) {
      double sum = 0;
      for (int j = 0; j < 3; j++) sum += s.work->diag[9 * c + 3 * i + j] * r[3 * c + j];
      for (int64_t e = s.work->ptr[c]; e < s.work->ptr[c + 1]; e++)
        for (int j = 0; j < 3; j++) sum += s.work->w[9 * e + 3 * i + j] * r[3 * s.work->col[e] + j];
      cr_assert_float_eq(sum, u[3 * c + i], 1e-11, "contact %d: %g for %g", c, sum, u[3 * c + i]);
    }
  for (int b = 0; b < 2; b++) free(w[b]), free(index[b]);
  free(r), free(u), free(f), free(v);
  pair_sample_free(&s);
}

Test(contact_face, updated_geometry_predicts_the_gap_of_the_iterate) {
  PairSample s;
  const int cells[2][3] = {{2, 2, 1}, {2, 2, 1}};
  const double size[2][3] = {{2, 2, 1}, {2, 2, 1}}, shift[3] = {0.4, 0.3, 1.001};
  pair_sample_init(&s, cells, size, solid, shift, 1, NULL);
  s.cm.rules->points = POINTS_NODES;
  int n = pair_sample_detect(&s), m = 3 * s.bs.n_nodes;
  double *q1 = calloc((size_t)m, 8), *v1 = calloc((size_t)m, 8), *u = calloc((size_t)n, 24);
  unsigned seed = 2;
  for (int k = 0; k < m; k++) {
    v1[k] = 30 * test_random(&seed);
    q1[k] = 1e-3 * v1[k];
  }
  contact_update(&s.step, q1, v1);
  contact_velocities(s.work, v1, u);
  for (int c = 0; c < n; c++) {
    const Contact *contact = &contact_list(s.work)[c];
    double d[3] = {0};
    for (const Site *site = contact->side; site < contact->side + 2; site++)
      for (int k = 0; k < 3 * site->n; k++) {
        int dof = 3 * site->node[k / 3] + k % 3;
        d[k % 3] += site->weight[k / 3] * (s.bs.x[dof] + q1[dof]);
      }
    cr_assert_float_eq(contact->gap + 1e-3 * u[3 * c], contact_dot(3, d, contact->n), 1e-14);
    cr_assert_float_eq(contact_dot(3, d, contact->t), 0, 1e-10, "the point is the nearest one");
  }
  free(q1), free(v1), free(u);
  pair_sample_free(&s);
}

// ---- sheets -------------------------------------------------------------------------------------

Test(contact_face, a_sheet_is_met_on_either_side_at_half_the_thicknesses) {
  for (int side = -1; side <= 1; side += 2) {
    PairSample s;
    const int cells[2][3] = {{4, 4, 0}, {2, 2, 0}}, sheets[2] = {1, 1};
    const double size[2][3] = {{1, 1, 0}, {0.5, 0.5, 0}}, shift[3] = {0.2, 0.2, side * 0.025};
    pair_sample_init(&s, cells, size, sheets, shift, 1, NULL);
    int n = pair_sample_detect(&s);
    cr_assert_eq(n, 9);
    for (int c = 0; c < n; c++) {
      cr_assert_float_eq(contact_list(s.work)[c].gap, 0.005, 1e-14);
      cr_assert_float_eq(contact_list(s.work)[c].n[2], side, 1e-14);
    }
    pretend_step(&s);
    pair_sample_move(&s, 1, 0, 0, -side * 0.03); // through the middle surface: the side is kept
    cr_assert_eq(pair_sample_detect(&s), 9);
    cr_assert_float_eq(contact_list(s.work)[0].n[2], side, 1e-14);
    pair_sample_free(&s);
  }
}

Test(contact_face, penetration_is_measured_at_the_contacts) {
  PairSample s;
  const int cells[2][3] = {{2, 2, 1}, {1, 1, 1}};
  const double size[2][3] = {{2, 2, 1}, {1, 1, 1}}, shift[3] = {0.4, 0.3, 1.001};
  pair_sample_init(&s, cells, size, solid, shift, 1, NULL);
  int n = pair_sample_detect(&s);
  double *gap = calloc((size_t)n, 8);
  cr_assert_eq(n, 4);
  pair_sample_move(&s, 1, 0.1, 0, -0.004);
  Penetration worst;
  contact_penetration(&s.step, &s.bodies, (PenetrationLimits){0}, NULL, gap, &worst);
  for (int c = 0; c < n; c++) cr_assert_float_eq(gap[c], -0.003, 1e-14);
  cr_assert_float_eq(worst.contacts, 0.003, 1e-14);
  free(gap);
  pair_sample_free(&s);
}
