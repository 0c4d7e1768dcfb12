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
      cr_assert(contact->side[0].body == 0 && contact->side[1].body == 0);
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
      for (int i = 0; i < 2; i++) {
        int dof = 2 * contact->side[k / 2].node[k % 2] + i;
        d[i] += contact->side[k / 2].weight[k % 2] * (s.bs.x[dof] + q1[dof]);
      }
    double gap = d[0] * contact->n[0] + d[1] * contact->n[1];
    cr_assert_float_eq(contact->gap + 1e-4 * u[2 * c], gap, 1e-14);
    cr_assert_float_eq(d[0] * contact->t[0] + d[1] * contact->t[1], 0, 1e-14);
  }
  free(q1), free(v1), free(u);
  tool_sample_free(&s);
}

// ---- in space -----------------------------------------------------------------------------------

typedef void (*Bend)(const double along[3], double x[3]);

// n cells over [0, size], each node moved by `shape`, against itself.
static void fold(ToolSample *s, int sheet, const int n[3], const double size[3], double alert,
                 Bend shape) {
  tool_sample_init(s, 3, sheet, n, size);
  s->self = 1;
  s->alert = alert;
  for (int k = 0; shape && k < s->mesh.n_nodes; k++) {
    const double along[3] = {s->mesh.x[3 * k], s->mesh.x[3 * k + 1], s->mesh.x[3 * k + 2]};
    shape(along, s->mesh.x + 3 * k);
  }
  tool_sample_start(s, 0.2, 1e-4, 1);
}

Test(contact_self, the_two_sides_of_a_thin_plate_do_not_touch) {
  // Far thinner than the reach, so that each node has the other side before it; also where it moves
  // fast.
  static const double thick[] = {0.3, 0.05, 1e-3};
  for (int k = 0; k < 3; k++) {
    ToolSample s;
    fold(&s, 0, (int[]){6, 5, 1}, (double[]){6, 5, thick[k]}, 0.2, NULL);
    cr_assert_eq(tool_sample_detect(&s), 0, "%g thick", thick[k]);
    for (int i = 0; i < s.mesh.n_nodes; i++)
      s.bodies.v[3 * i + 2] = i < s.mesh.n_nodes / 2 ? 1e3 : -1e3; // pressed together at 0.2 a step
    cr_assert_eq(tool_sample_detect(&s), 0, "%g thick, pressed", thick[k]);
    tool_sample_free(&s);
  }
}

static void taper(const double along[3], double x[3]) {
  x[2] = along[2] * (1 - 0.9 * along[0] / 4);
}

Test(contact_self, a_convex_corner_and_an_acute_edge_do_not_touch_themselves) {
  ToolSample s;
  fold(&s, 0, (int[]){3, 3, 3}, (double[]){3, 3, 3}, 0.6, NULL);
  cr_assert_eq(tool_sample_detect(&s), 0, "a cube");
  tool_sample_free(&s);
  fold(&s, 0, (int[]){8, 3, 1}, (double[]){4, 3, 2}, 0.3, taper);
  cr_assert_eq(tool_sample_detect(&s), 0, "a wedge");
  tool_sample_free(&s);
}

// A strip along x bent about y to a U: arms 1 long, `opening` apart, the inner side (z = 0.1) one
// smooth face.
static double opening;
static void bend_to_clip(const double along[3], double x[3]) {
  const double pi = 3.14159265358979323846, t = 0.1, arm = 1, radius = 0.5 * opening + t;
  double length = 2 * arm + 0.6, angle = (along[0] - arm) / (length - 2 * arm) * pi;
  angle = fmin(fmax(angle, 0), pi);
  double r = radius - along[2], rest = fmin(along[0], arm) - fmax(along[0] - length + arm, 0);
  x[0] = rest + r * sin(angle);
  x[2] = -r * cos(angle);
}

static void clip(ToolSample *s, double gap, int across) {
  opening = gap;
  fold(s, 0, (int[]){26, across, 1}, (double[]){2.6, 0.4, 0.1}, 5e-3, bend_to_clip);
}

Test(contact_self, a_clip_that_closes_touches_with_the_nodes_of_one_arm) {
  ToolSample s;
  clip(&s, 4e-3, 4);
  int n = tool_sample_detect(&s), side = 0;
  // Both arms have nodes at the same eleven places: each pair once. The last are near along the
  // tiny bend.
  cr_assert_eq(n, 10 * 5, "%d contacts", n);
  for (int c = 0; c < n; c++) {
    const Contact *contact = &contact_list(s.work)[c];
    double place[3];
    contact_place(&s.bs, contact, s.bodies.q, place);
    cr_assert_float_eq(contact->gap, 4e-3, 1e-14, "gap %g at %g %g", contact->gap, place[0],
                       place[1]);
    cr_assert_float_eq(contact->n[2] * place[2], 2e-3, 1e-14, "normal towards the candidate");
    side += place[2] > 0 ? 1 : -1;
  }
  cr_assert_eq(abs(side), n, "one side has the points");
  // As it comes, too, when nodes of both sides are about to be inside.
  for (int i = 0; i < s.mesh.n_nodes; i++)
    if (s.bs.x[3 * i + 2] > 0) s.bodies.v[3 * i + 2] = -100; // 1e-2 a step
  cr_assert_eq(tool_sample_detect(&s), 10 * 5);
  memset(s.bodies.v, 0, sizeof(double) * 3 * (size_t)s.mesh.n_nodes);
  // It opens, and closes: none is left over, none is lost.
  for (int k = 0; k <= 20; k++) {
    double moved = 0.02 * sin(0.05 * 3.14159265358979323846 * k);
    for (int i = 0; i < s.mesh.n_nodes; i++)
      if (s.bs.x[3 * i + 2] > 0) s.bodies.q[3 * i + 2] = moved;
    cr_assert_eq(tool_sample_detect(&s), 4e-3 + moved < 5e-3 ? 50 : 0, "apart by %g", moved);
  }
  tool_sample_free(&s);
}

Test(contact_self, an_arm_that_slides_keeps_a_contact_at_each_of_its_nodes) {
  ToolSample s;
  clip(&s, 4e-3, 4);
  for (int k = 0; k <= 30; k++) { // the upper arm slides out by one and a half elements
    for (int i = 0; i < s.mesh.n_nodes; i++)
      if (s.bs.x[3 * i + 2] > 0) s.bodies.q[3 * i] = 0.005 * k;
    int n = tool_sample_detect(&s), seen = 0;
    for (int c = 0; c < n; c++) {
      const Contact *contact = &contact_list(s.work)[c];
      double place[3];
      contact_place(&s.bs, contact, s.bodies.q, place);
      if (place[0] < 0.95) // beyond is the bend
        cr_assert_float_eq(contact->gap, 4e-3, 1e-12, "step %d: gap %g at %g", k, contact->gap,
                           place[0]);
      for (int d = 0; d < c; d++)
        cr_assert_neq(contact->side[0].node[0], contact_list(s.work)[d].side[0].node[0],
                      "a node twice");
      seen++;
    }
    // Those at the end may lie beyond the other arm.
    cr_assert(seen >= 9 * 5 && seen <= 10 * 5, "step %d: %d contacts", k, seen);
  }
  tool_sample_free(&s);
}

Test(contact_self, a_node_that_comes_through_between_the_points_is_foreseen) {
  ToolSample s;
  clip(&s, 4e-3, 4);
  int n = tool_sample_detect(&s);
  // A node in the middle of the side without points flies at the other arm, off its nodes.
  double below = contact_list(s.work)[0].n[2] > 0 ? -1 : 1;
  int node = -1;
  for (int i = 0; i < s.mesh.n_nodes; i++)
    if (fabs(s.bs.x[3 * i] - 0.5) < 1e-9 && fabs(s.bs.x[3 * i + 1] - 0.2) < 1e-9 &&
        fabs(s.bs.x[3 * i + 2] + below * -2e-3) < 1e-9)
      node = i;
  cr_assert_geq(node, 0);
  s.bodies.q[3 * node] = 0.03;
  s.bodies.v[3 * node + 2] = -below * 100; // 1e-2 a step
  cr_assert_eq(tool_sample_detect(&s), n + 1);
  tool_sample_free(&s);
}

// The strip as a sheet 0.02 thick, its middle bent to a U: surfaces are apart by less than the
// middles.
static void bend_sheet(const double along[3], double x[3]) {
  const double pi = 3.14159265358979323846, radius = 0.5 * opening;
  double angle = fmin(fmax((along[0] - 1) / 0.6 * pi, 0), pi);
  x[0] = fmin(along[0], 1) - fmax(along[0] - 1.6, 0) + radius * sin(angle);
  x[2] = -radius * cos(angle);
}

Test(contact_self, a_folded_sheet_touches_itself_with_its_surfaces) {
  ToolSample s;
  opening = 0.023;
  tool_sample_init(&s, 3, 1, (int[]){26, 4, 0}, (double[]){2.6, 0.4, 0});
  s.self = 1;
  s.alert = 5e-3;
  s.finite.form.spec.thickness = 0.02;
  for (int k = 0; k < s.mesh.n_nodes; k++) {
    const double along[3] = {s.mesh.x[3 * k], s.mesh.x[3 * k + 1], 0};
    bend_sheet(along, s.mesh.x + 3 * k);
  }
  tool_sample_start(&s, 0.2, 1e-4, 1);
  for (int k = 0; k < s.mesh.n_nodes; k++) s.bodies.half[k] = 0.01;
  int n = tool_sample_detect(&s);
  cr_assert_eq(n, 10 * 5, "%d contacts", n);
  for (int c = 0; c < n; c++) cr_assert_float_eq(contact_list(s.work)[c].gap, 3e-3, 1e-14);
  tool_sample_free(&s);
  // A flat one whose elements are smaller than it is thick does not touch itself.
  tool_sample_init(&s, 3, 1, (int[]){20, 20, 0}, (double[]){0.2, 0.2, 0});
  s.self = 1;
  s.finite.form.spec.thickness = 0.02;
  tool_sample_start(&s, 0.2, 1e-4, 1);
  for (int k = 0; k < s.mesh.n_nodes; k++) s.bodies.half[k] = 0.01;
  cr_assert_eq(tool_sample_detect(&s), 0);
  tool_sample_free(&s);
}
