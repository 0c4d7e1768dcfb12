#include "tool_sample.h"

// A strip of n x 1 cells, thickness 0.1, bent to a U whose arms, 1 long, are `gap` apart.
static void bend(ToolSample *s, double gap, PointRule points) {
  const int n = 30;
  const double pi = 3.14159265358979323846, t = 0.1, radius = 0.5 * gap + t, arm = 1;
  double length = 2 * arm + pi * radius;
  tool_sample_init(s, 2, 0, (int[]){n, 1, 0}, (double[]){length, t});
  s->self = 1;
  s->points = points;
  s->alert = 5e-3; // the inner edges of the bend are tiny
  for (int k = 0; k < s->mesh.n_nodes; k++) {
    double *x = s->mesh.x + 2 * k, along = x[0], up = x[1]; // up = t is the inner side
    double r = radius - up, angle = fmin(fmax((along - arm) / radius, 0), pi);
    double rest = along < arm ? along : fmax(along - arm - pi * radius, 0);
    x[0] = along < arm ? rest : arm + r * sin(angle) - (angle >= pi ? rest : 0);
    x[1] = along < arm ? -r : -r * cos(angle);
  }
  tool_sample_start(s, 0.2, 1e-4, 1);
}

Test(contact_self, arms_of_a_bent_strip_touch_each_other_and_not_themselves) {
  static const PointRule rules[] = {POINTS_NODES, POINTS_MID, POINTS_GAUSS};
  for (int k = 0; k < 3; k++) {
    ToolSample s;
    bend(&s, 1e-3, rules[k]);
    int n = tool_sample_detect(&s);
    cr_assert_geq(n, 8, "rule %d: %d contacts", k, n);
    for (int c = 0; c < n; c++) {
      const Contact *contact = &contact_list(s.work)[c];
      double place[3];
      contact_place(&s.bs, contact, s.bodies.q, place);
      cr_assert(contact->body[0] == 0 && contact->body[1] == 0);
      cr_assert_float_eq(fabs(place[1]), 0.5e-3, 1e-5, "contact at (%g %g)", place[0], place[1]);
      cr_assert_float_eq(contact->gap, 1e-3, 1e-5);
      cr_assert_float_eq(contact->n[1] * place[1], 0.5e-3, 1e-5, "normal towards the candidate");
      cr_assert_lt(place[0], 1 + 0.11);
    }
    tool_sample_free(&s);
  }
}

Test(contact_self, arms_apart_do_not_touch) {
  ToolSample s;
  bend(&s, 0.1, POINTS_MID);
  cr_assert_eq(tool_sample_detect(&s), 0);
  tool_sample_free(&s);
}

Test(contact_self, a_body_without_the_rule_does_not_see_itself) {
  ToolSample s;
  bend(&s, 1e-3, POINTS_MID);
  s.cm.self_of[0] = -1;
  cr_assert_eq(tool_sample_detect(&s), 0);
  tool_sample_free(&s);
}

Test(contact_self, a_fold_with_a_sharp_angle_is_no_contact_at_its_tip) {
  // A square cell whose two neighbours on one side close like scissors: near the tip all is near.
  ToolSample s;
  tool_sample_init(&s, 2, 0, (int[]){8, 1, 0}, (double[]){8, 1});
  for (int k = 0; k < s.mesh.n_nodes; k++) {
    double *x = s.mesh.x + 2 * k, along = x[0] - 4, up = x[1];
    double slope = 0.01 * fabs(along); // the upper sides meet at the middle
    x[0] = -fabs(along);
    x[1] = along < 0 ? -slope - 3 * (1 - up) : slope + 3 * (1 - up);
  }
  s.self = 1;
  s.points = POINTS_MID;
  s.alert = 0.1;
  tool_sample_start(&s, 0.2, 1e-4, 1);
  int n = tool_sample_detect(&s);
  cr_assert_eq(n, 3); // one side has the points
  for (int c = 0; c < n; c++) {
    double place[3];
    contact_place(&s.bs, &contact_list(s.work)[c], s.bodies.q, place);
    cr_assert_lt(place[0], -1.2, "a contact at the tip: (%g %g)", place[0], place[1]);
  }
  tool_sample_free(&s);
}

Test(contact_self, w_couples_both_sides_of_a_contact_of_one_body) {
  ToolSample s;
  bend(&s, 1e-3, POINTS_MID);
  int n = tool_sample_detect(&s), nodes = s.mesh.n_nodes, m = 2 * nodes;
  cr_assert_gt(n, 8);
  double *a = calloc((size_t)(m * m), 8), *w = calloc((size_t)(m * m), 8);
  int32_t *index = calloc((size_t)nodes, 4);
  unsigned seed = 11;
  for (int k = 0; k < m * m; k++) a[k] = test_random(&seed);
  for (int k = 0; k < nodes; k++) index[k] = k;
  for (int i = 0; i < m; i++)
    for (int j = 0; j < m; j++)
      for (int k = 0; k < m; k++)
        w[4 * (i / 2 * nodes + j / 2) + i % 2 * 2 + j % 2] += a[i * m + k] * a[j * m + k];
  Compliance compliance = {.block = w, .n = nodes, .index = index};
  DynamicsMatrices matrices = {.finite = &compliance};
  uint8_t turned[1] = {0};
  cr_assert_eq(contact_assemble(&s.step, &matrices, turned, NULL), OK);
  // u = H^T w H r for random r, by the blocks and through the nodes.
  double *r = calloc((size_t)n, 16), *u = calloc((size_t)n, 16), *f = calloc((size_t)m, 8),
         *v = calloc((size_t)m, 8);
  for (int k = 0; k < 2 * n; k++) r[k] = test_random(&seed);
  contact_add_impulses(s.work, r, f);
  for (int i = 0; i < m; i++)
    for (int j = 0; j < m; j++) v[i] += w[4 * (i / 2 * nodes + j / 2) + i % 2 * 2 + j % 2] * f[j];
  contact_velocities(s.work, v, u);
  for (int c = 0; c < n; c++)
    for (int i = 0; i < 2; i++) {
      double sum = 0;
      for (int j = 0; j < 2; j++) sum += s.work->diag[4 * c + 2 * i + j] * r[2 * c + j];
      for (int64_t e = s.work->ptr[c]; e < s.work->ptr[c + 1]; e++)
        for (int j = 0; j < 2; j++) sum += s.work->w[4 * e + 2 * i + j] * r[2 * s.work->col[e] + j];
      cr_assert_float_eq(sum, u[2 * c + i], 1e-11, "contact %d: %g for %g", c, sum, u[2 * c + i]);
    }
  free(a), free(w), free(index), free(r), free(u), free(f), free(v);
  tool_sample_free(&s);
}

Test(contact_self, updated_geometry_predicts_the_gap_of_the_iterate) {
  ToolSample s;
  bend(&s, 1e-3, POINTS_MID);
  int n = tool_sample_detect(&s), m = 2 * s.mesh.n_nodes;
  cr_assert_gt(n, 8);
  double *q1 = calloc((size_t)m, 8), *v1 = calloc((size_t)m, 8), *u = calloc((size_t)n, 16);
  unsigned seed = 2;
  for (int k = 0; k < m; k++) {
    v1[k] = test_random(&seed);
    q1[k] = 1e-4 * v1[k];
  }
  contact_update(&s.step, q1, v1);
  contact_velocities(s.work, v1, u);
  for (int c = 0; c < n; c++) {
    const Contact *contact = &contact_list(s.work)[c];
    double d[2] = {0};
    for (int k = 0; k < 4; k++)
      for (int i = 0; i < 2; i++)
        d[i] +=
            contact->weight[k] * (s.bs.x[2 * contact->node[k] + i] + q1[2 * contact->node[k] + i]);
    double gap = d[0] * contact->n[0] + d[1] * contact->n[1];
    cr_assert_float_eq(contact->gap + 1e-4 * u[2 * c], gap, 1e-14);
    cr_assert_float_eq(d[0] * contact->t[0] + d[1] * contact->t[1], 0, 1e-14);
  }
  free(q1), free(v1), free(u);
  tool_sample_free(&s);
}
