#include "tool_sample.h"

static const ShapeParam floor_y[] = {{"axis_y", 1}, {NULL, 0}},
                        floor_z[] = {{"axis_y", 0}, {"axis_z", 1}, {NULL, 0}},
                        ceiling_z[] = {{"axis_y", 0}, {"axis_z", -1}, {"at_z", 0.01}, {NULL, 0}};

// ---- detection ----------------------------------------------------------------------------------

Test(contact_tool, nodes_of_the_skin_touch_a_plane_with_their_share_of_the_area) {
  for (int dim = 2; dim <= 3; dim++) {
    ToolSample s;
    tool_sample_init(&s, dim, 0, (int[]){2, 2, 2}, (double[]){1, 1, 1});
    tool_sample_add(&s, shape_sample("plane", dim, NULL, 0, dim == 2 ? floor_y : floor_z), 1, 0);
    tool_sample_start(&s, 0.3, 1e-3, 1);
    cr_assert_eq(tool_sample_detect(&s), dim == 2 ? 3 : 9);
    cr_assert_eq(s.work->n_slots, dim == 2 ? 8 : 26, "the middle of the body touches nothing");
    const Contact *c = tool_sample_contact(&s, dim == 2 ? 1 : 4, 0);
    cr_assert_float_eq(c->gap, 0, 1e-15);
    cr_assert_float_eq(c->area, dim == 2 ? 0.5 : 0.25, 1e-15);
    cr_assert_eq(c->side[0].n + c->side[1].n, 2);
    cr_assert_eq(c->side[1].node[0], s.mesh.n_nodes);
    cr_assert_float_eq(c->n[dim - 1], 1, 1e-15);
    if (dim == 2) cr_assert(c->t[0] == 1 && c->t[1] == 0, "t is n turned by -90 degrees");
    for (int i = 0; dim == 3 && i < 3; i++)
      for (int j = 0; j < 3; j++)
        cr_assert_float_eq(contact_dot(3, c->axis[i], c->axis[j]), i == j, 1e-15);
    tool_sample_free(&s);
  }
}

Test(contact_tool, gap_follows_the_displacement_of_both) {
  ToolSample s;
  tool_sample_init(&s, 2, 0, (int[]){2, 1, 0}, (double[]){1, 1});
  tool_sample_add(&s, shape_sample("plane", 2, NULL, 0, floor_y), 1, 0);
  tool_sample_start(&s, 0.3, 1e-3, 0.5);
  s.bodies.q[2 * 1 + 1] = 0.01;
  s.bodies.q[2 * s.mesh.n_nodes + 1] = 0.004;
  s.bodies.v[2 * s.mesh.n_nodes + 1] = 2; // q~ = q + h/2 v
  tool_sample_detect(&s);
  cr_assert_float_eq(tool_sample_contact(&s, 1, 0)->gap, 0.005, 1e-15);
  tool_sample_free(&s);
}

Test(contact_tool, axisymmetric_areas_are_rings) {
  ToolSample s;
  tool_sample_init(&s, 2, 0, (int[]){2, 1, 0}, (double[]){1, 1});
  s.bs.axisymmetric = 1;
  tool_sample_add(&s, shape_sample("plane", 2, NULL, 0, floor_y), 1, 0);
  tool_sample_start(&s, 0.3, 1e-3, 1);
  tool_sample_detect(&s);
  double pi = 3.14159265358979323846;
  cr_assert_float_eq(tool_sample_contact(&s, 1, 0)->area, 2 * pi * 0.5 * 0.5, 1e-14);
  double sum = s.cm.node_area[0] + s.cm.node_area[1] + s.cm.node_area[2];
  double sides = 2 * pi * 1 * 0.5; // half of the side at radius 1 belongs to the corner
  cr_assert_float_eq(sum - sides, pi, 1e-14);
  tool_sample_free(&s);
}

Test(contact_tool, a_node_that_flies_in_is_seen_before_it_arrives) {
  // 227 m/s, 1 us steps, elements of 0.4 mm: a step is six alert distances.
  ToolSample s;
  tool_sample_init(&s, 2, 0, (int[]){4, 4, 0}, (double[]){1.6e-3, 1.6e-3});
  const ShapeParam below[] = {{"at_y", -1.0e-3}, {NULL, 0}};
  tool_sample_add(&s, shape_sample("plane", 2, NULL, 0, below), 1, 0);
  tool_sample_start(&s, 0.3, 1e-6, 1);
  for (int k = 0; k < s.mesh.n_nodes; k++) s.bodies.v[2 * k + 1] = -227;
  int first = -1, n_steps = 0;
  for (; first < 0 && n_steps < 20; n_steps++) {
    if (tool_sample_detect(&s) > 0) {
      first = n_steps;
      break;
    }
    for (int k = 0; k < 2 * s.mesh.n_nodes; k++) s.bodies.q[k] += 1e-6 * s.bodies.v[k];
  }
  cr_assert_eq(first, 3, "seen in step %d", first); // the fifth step would go through
  const Contact *c = tool_sample_contact(&s, 0, 0);
  cr_assert_gt(c->gap, 0);
  tool_sample_free(&s);
}

Test(contact_tool, a_sheet_touches_two_tools_with_the_same_node) {
  ToolSample s;
  tool_sample_init(&s, 3, 1, (int[]){2, 2, 0}, (double[]){1, 1, 0});
  tool_sample_add(&s, shape_sample("plane", 3, NULL, 0, floor_z), 1, 0);
  tool_sample_add(&s, shape_sample("plane", 3, NULL, 0, ceiling_z), 2, 4);
  tool_sample_start(&s, 0.1, 1e-3, 1);
  for (int k = 0; k < s.mesh.n_nodes; k++) {
    s.bodies.q[3 * k + 2] = 0.004;
    s.bodies.half[k] = 0.003 + 0.0001 * k;
  }
  cr_assert_eq(tool_sample_detect(&s), 18);
  for (int k = 0; k < 9; k++) {
    const Contact *below = tool_sample_contact(&s, k, 0), *above = tool_sample_contact(&s, k, 1);
    cr_assert_float_eq(below->gap, 0.001 - 1e-4 * k, 1e-15);
    cr_assert_float_eq(above->gap, 0.003 - 1e-4 * k, 1e-15);
    cr_assert(below->n[2] == 1 && above->n[2] == -1);
  }
  tool_sample_free(&s);
}

Test(contact_tool, a_rule_may_show_tools_the_thickness_of_the_start) {
  ToolSample s;
  tool_sample_init(&s, 3, 1, (int[]){2, 2, 0}, (double[]){1, 1, 0});
  tool_sample_add(&s, shape_sample("plane", 3, NULL, 0, floor_z), 1, 0);
  tool_sample_start(&s, 0.1, 1e-3, 1);
  for (int k = 0; k < s.mesh.n_nodes; k++) {
    s.bodies.q[3 * k + 2] = 0.004;
    s.bodies.half[k] = 0.003;
  }
  double start = contact_half_at_start(&s.bs, 0);
  s.cm.rules[0].at_start = 1;
  cr_assert_eq(tool_sample_detect(&s), 9);
  cr_assert_float_neq(start, 0.003, 1e-4);
  cr_assert_float_eq(tool_sample_contact(&s, 4, 0)->gap, 0.004 - start, 1e-15);
  tool_sample_free(&s);
}

Test(contact_tool, a_node_behind_a_thin_tool_is_not_in_it) {
  ToolSample s;
  tool_sample_init(&s, 2, 0, (int[]){1, 1, 0}, (double[]){1, 1});
  const ShapeParam far[] = {{"at_y", 5}, {NULL, 0}};
  tool_sample_add(&s, shape_sample("plane", 2, NULL, 0, far), 1, 0);
  tool_sample_start(&s, 0.1, 1e-3, 1);
  cr_assert_eq(tool_sample_detect(&s), 0);
  tool_sample_free(&s);
}

Test(contact_tool, an_iterate_that_leaps_into_a_tool_unseen_is_told) {
  ToolSample s;
  tool_sample_init(&s, 2, 0, (int[]){2, 1, 0}, (double[]){1, 1});
  const ShapeParam below[] = {{"at_y", -0.2}, {NULL, 0}};
  tool_sample_add(&s, shape_sample("plane", 2, NULL, 0, below), 1, 0);
  tool_sample_start(&s, 0.3, 1e-3, 1);
  double q1[14] = {0}, v1[14] = {0};
  cr_assert_eq(tool_sample_detect(&s), 0);
  cr_assert_eq(contact_missed(&s.step, q1, v1).depth, 0);
  q1[2 * 1 + 1] = -0.23;
  cr_assert_float_eq(contact_missed(&s.step, q1, v1).depth, 0.03, 1e-15);
  s.bodies.q[2 * 1 + 1] = -0.19;
  cr_assert_eq(tool_sample_detect(&s), 1); // now it is foreseen
  cr_assert_eq(contact_missed(&s.step, q1, v1).depth, 0);
  tool_sample_free(&s);
}

// ---- frames -------------------------------------------------------------------------------------

static void pretend_step(ToolSample *s, double impulse) {
  double r[3 * 64], u[3 * 64] = {0}, *start;
  Problem p;
  Arena arena = {0};
  cr_assert_eq(contact_laws(&s->step, s->bodies.v, &p, &start, &arena, NULL), OK);
  for (int c = 0; c < contact_count(s->work); c++)
    for (int i = 0; i < s->bs.dim; i++) r[s->bs.dim * c + i] = impulse * (i == 0 ? 1 : 0.1 * i);
  contact_commit(&s->step, r, u);
  arena_free(&arena);
}

Test(contact_tool, sliding_round_a_fillet_the_normal_is_that_of_mid_step_so_it_does_no_work) {
  static const double die[] = {0.5, -1, 0, 0.5, 0, 0.2, 2, 0, 0}; // its fillet about (0.7, -0.2)
  const ShapeParam right[] = {{"material", 1}, {NULL, 0}};
  const double thetas[] = {0.5, 0.6, 1}, h = 1e-3, from = 0.7, to = 0.75;
  for (int k = 0; k < 3; k++) {
    ToolSample s;
    tool_sample_init(&s, 2, 0, (int[]){1, 1, 0}, (double[]){1, 1, 0});
    tool_sample_add(&s, shape_sample("profile", 2, die, 9, right), 1, 0);
    tool_sample_start(&s, 0.1, h, thetas[k]);
    double way[2] = {0.2 * (sin(from) - sin(to)), 0.2 * (cos(to) - cos(from))};
    s.bodies.q[0] = 0.7 - 0.2 * sin(from);
    s.bodies.q[1] = -0.2 + 0.2 * cos(from);
    for (int i = 0; i < 2; i++) s.bodies.v[i] = way[i] / h;
    tool_sample_detect(&s);
    const Contact *c = tool_sample_contact(&s, 0, 0);
    cr_assert_not_null(c);
    cr_assert_float_eq(contact_dot(2, c->n, way), 0, 1e-15);
    // the plane is a sagitta from the chord, wherever on the way theta puts the contact
    cr_assert_float_eq(c->gap, -0.2 * (1 - cos(0.5 * (to - from))), 1e-15);
    tool_sample_free(&s);
  }
}

Test(contact_tool, a_node_that_slides_along_a_fillet_keeps_its_slot_and_its_frame_turns_smoothly) {
  static const double die[] = {0.5, -1, 0, 0.5, 0, 0.2, 2, 0, 0};
  const ShapeParam right[] = {{"material", 1}, {NULL, 0}};
  for (int dim = 2; dim <= 3; dim++) {
    ToolSample s;
    tool_sample_init(&s, dim, dim == 3, (int[]){1, 1, 0}, (double[]){1, 1, 0});
    tool_sample_add(&s, shape_sample("profile", dim, die, 9, right), 1, 0);
    tool_sample_start(&s, 0.1, 1e-3, 1);
    Contact before = {.slot = -1};
    double spin = 0;
    for (int k = 0; k <= 200; k++) {
      // Node 0 moves over the shoulder, in space on a spiral, 1 mm above the tool.
      double angle = 1.5707963267948966 * k / 200, turn = dim == 3 ? angle : 0, d = 0.201;
      double radius = 0.7 - d * sin(angle), height = -0.2 + d * cos(angle);
      s.bodies.q[0] = radius * cos(turn);
      s.bodies.q[1] = height;
      if (dim == 3) s.bodies.q[2] = radius * sin(turn);
      tool_sample_detect(&s);
      const Contact *c = tool_sample_contact(&s, 0, 0);
      cr_assert_not_null(c, "lost at %d", k);
      cr_assert_float_eq(c->gap, 1e-3, 1e-14);
      if (before.slot >= 0) {
        cr_assert_eq(c->slot, before.slot);
        for (int i = 0; i < dim; i++)
          for (int j = 0; j < 3; j++)
            cr_assert_leq(fabs(c->axis[i][j] - before.axis[i][j]), 0.012, "step %d axis %d", k, i);
        spin += contact_dot(3, c->t, before.s) - contact_dot(3, c->s, before.t);
      }
      before = *c;
      pretend_step(&s, 1);
    }
    // No spin about the normal: half the antisymmetric part of the relative rotation, added up.
    if (dim == 3) cr_assert_leq(fabs(spin), 1e-3, "spin %g", spin);
    tool_sample_free(&s);
  }
}

Test(contact_tool, the_warm_start_turns_with_the_frame) {
  const ShapeParam ball[] = {{"radius", 1}, {NULL, 0}};
  ToolSample s;
  tool_sample_init(&s, 3, 1, (int[]){1, 1, 0}, (double[]){5, 5, 0});
  tool_sample_add(&s, shape_sample("sphere", 3, NULL, 0, ball), 1, 0);
  tool_sample_start(&s, 0.1, 1e-3, 1);
  s.bodies.q[2] = 1;
  cr_assert_eq(tool_sample_detect(&s), 1);
  pretend_step(&s, 3);
  double before[3], after[3];
  contact_to_global(contact_list(s.work), 3, s.state.impulse, before);
  s.bodies.q[0] = sin(0.3);
  s.bodies.q[2] = cos(0.3);
  cr_assert_eq(tool_sample_detect(&s), 1);
  contact_to_global(contact_list(s.work), 3, s.state.impulse, after);
  // A rotation about y by 0.3.
  cr_assert_float_eq(after[0], cos(0.3) * before[0] + sin(0.3) * before[2], 1e-14);
  cr_assert_float_eq(after[1], before[1], 1e-14);
  cr_assert_float_eq(after[2], cos(0.3) * before[2] - sin(0.3) * before[0], 1e-14);
  tool_sample_free(&s);
}

Test(contact_tool, updated_geometry_predicts_the_gap_of_the_iterate) {
  const ShapeParam ball[] = {{"radius", 1}, {NULL, 0}};
  for (int dim = 2; dim <= 3; dim++)
    for (double theta = 0.5; theta <= 1; theta += 0.5) {
      ToolSample s;
      double q1[3 * 5] = {0}, v1[3 * 5] = {0}, h = 0.1;
      tool_sample_init(&s, dim, dim == 3, (int[]){1, 1, 0}, (double[]){5, 5, 0});
      tool_sample_add(&s, shape_sample("sphere", dim, NULL, 0, ball), 1, 0);
      tool_sample_start(&s, 0.1, h, theta);
      s.bodies.q[dim - 1] = 1.02;
      cr_assert_eq(tool_sample_detect(&s), 1);
      for (int i = 0; i < dim; i++) {
        v1[i] = 0.4 - 0.3 * i;
        v1[4 * dim + i] = 0.1 * i;
        q1[i] = s.bodies.q[i] + h * theta * v1[i];
        q1[4 * dim + i] = h * theta * v1[4 * dim + i];
      }
      contact_update(&s.step, q1, v1);
      const Contact *c = contact_list(s.work);
      double distance = 0, u[3], d[3] = {0};
      for (int i = 0; i < dim; i++) {
        d[i] = q1[i] - q1[4 * dim + i] + h * (1 - theta) * (v1[i] - v1[4 * dim + i]);
        distance += d[i] * d[i];
      }
      distance = sqrt(distance);
      contact_velocities(s.work, v1, u);
      cr_assert_float_eq(c->gap + h * u[0], distance - 1, 1e-14);
      for (int i = 0; i < dim; i++) cr_assert_float_eq(c->n[i], d[i] / distance, 1e-14);
      tool_sample_free(&s);
    }
}

// ---- problem ------------------------------------------------------------------------------------

// A random symmetric positive compliance of the nodes that touch, and W = H^T w H by dense
// products.
Test(contact_tool, w_equals_the_dense_operator_on_compliances_and_free_tools) {
  for (int dim = 2; dim <= 3; dim++) {
    ToolSample s;
    tool_sample_init(&s, dim, 0, (int[]){2, 2, 2}, (double[]){1, 1, 1});
    const ShapeParam ball[] = {
        {"radius", 1}, {"at_x", 0.5}, {dim == 2 ? "at_y" : "at_z", -1}, {NULL, 0}};
    tool_sample_add(&s, shape_sample("plane", dim, NULL, 0, dim == 2 ? floor_y : floor_z), 4, 2);
    tool_sample_add(&s, shape_sample("sphere", dim, NULL, 0, ball), 5, 7);
    tool_sample_add(&s, shape_sample("plane", dim, NULL, 0, dim == 2 ? floor_y : floor_z), 6, 0);
    tool_sample_start(&s, 0.3, 1e-3, 1);
    int n = tool_sample_detect(&s), nodes = s.mesh.n_nodes, m = nodes * dim, size = n * dim;
    cr_assert_gt(n, dim == 2 ? 6 : 18);
    double *w = calloc((size_t)(m * m), 8), *a = calloc((size_t)(m * m), 8);
    unsigned seed = 3;
    for (int k = 0; k < m * m; k++) a[k] = test_random(&seed);
    for (int i = 0; i < m; i++)
      for (int j = 0; j < m; j++)
        for (int k = 0; k < m; k++) w[i * m + j] += a[i * m + k] * a[j * m + k];
    // Blocks of every second node backwards; node 1 has no row: it is held.
    int32_t *index = calloc((size_t)nodes, 4);
    double *block = calloc((size_t)(m * m), 8);
    int rows = 0;
    for (int k = 0; k < nodes; k++) index[k] = k == 1 ? -1 : nodes - 2 - rows++;
    for (int k = 0; k < nodes; k++)
      for (int l = 0; l < nodes; l++)
        for (int i = 0; i < dim * dim; i++)
          if (index[k] >= 0 && index[l] >= 0)
            block[dim * dim * (index[k] * rows + index[l]) + i] =
                w[(k * dim + i / dim) * m + l * dim + i % dim];
    Compliance compliance = {.block = block, .n = rows, .index = index};
    DynamicsMatrices matrices = {.finite = &compliance};
    uint8_t turned[4] = {0};
    for (int again = 0; again < 2;
         again++) { // rows of finite bodies are made anew whatever is kept
      cr_assert_eq(contact_assemble(&s.step, &matrices, turned, NULL), OK);
      for (int k = 0; k < m * m; k++) block[k] *= again == 0 ? 2 : 1;
    }
    double *found = calloc((size_t)(size * size), 8), *expected = calloc((size_t)(size * size), 8);
    for (int c = 0; c < n; c++)
      for (int64_t e = s.work->ptr[c] - 1; e < s.work->ptr[c + 1]; e++) {
        int other = e < s.work->ptr[c] ? c : s.work->col[e];
        const double *from =
            e < s.work->ptr[c] ? s.work->diag + dim * dim * c : s.work->w + dim * dim * e;
        for (int k = 0; k < dim * dim; k++)
          found[(c * dim + k / dim) * size + other * dim + k % dim] += from[k];
      }
    for (int c = 0; c < size; c++)
      for (int d = 0; d < size; d++) {
        const Contact *p = &contact_list(s.work)[c / dim], *q = &contact_list(s.work)[d / dim];
        for (int i = 0; i < dim; i++) {
          for (int j = 0; j < dim && p->side[0].node[0] != 1 && q->side[0].node[0] != 1; j++)
            expected[c * size + d] +=
                2 * p->axis[c % dim][i] * q->axis[d % dim][j] *
                w[(p->side[0].node[0] * dim + i) * m + q->side[0].node[0] * dim + j];
          const Tool *tool = &s.tool[p->side[1].body - 1];
          if (p->side[1].body == q->side[1].body && tool->free[i])
            expected[c * size + d] += p->axis[c % dim][i] * q->axis[d % dim][i] / tool->mass;
        }
      }
    for (int k = 0; k < size * size; k++)
      cr_assert_float_eq(found[k], expected[k], 1e-12, "dim %d: W(%d, %d) = %g, expected %g", dim,
                         k / size, k % size, found[k], expected[k]);
    free(w), free(a), free(index), free(block), free(found), free(expected);
    tool_sample_free(&s);
  }
}

Test(contact_tool, laws_alone_give_a_problem_without_blocks) {
  ToolSample s;
  tool_sample_init(&s, 3, 1, (int[]){1, 1, 0}, (double[]){1, 1, 0});
  tool_sample_add(&s, shape_sample("plane", 3, NULL, 0, floor_z), 1, 0);
  tool_sample_start(&s, 0.3, 1e-2, 1);
  for (int k = 0; k < 4; k++) s.bodies.q[3 * k + 2] = 1e-3 * k;
  int n = tool_sample_detect(&s);
  cr_assert_eq(n, 4);
  Problem p;
  double *r, v[15] = {0};
  Arena arena = {0};
  for (int k = 0; k < 4; k++) v[3 * k + 2] = -1;
  cr_assert_eq(contact_laws(&s.step, v, &p, &r, &arena, NULL), OK);
  cr_assert(p.dim == 3 && p.n == 4 && !p.blocks.ptr && !p.blocks.col && !p.blocks.w);
  for (int c = 0; c < 4; c++) {
    cr_assert_float_eq(p.b[3 * c], -1 + 1e-3 * c / 1e-2, 1e-14);
    cr_assert_float_eq(p.mu[c], 0.3, 0);
    for (int i = 0; i < 3; i++) cr_assert_eq(r[3 * c + i], 0);
  }
  arena_free(&arena);
  tool_sample_free(&s);
}

Test(contact_tool, impulses_and_velocities_are_adjoint_in_space) {
  const ShapeParam ball[] = {{"radius", 1}, {"at_z", -1}, {"at_x", 0.2}, {NULL, 0}};
  ToolSample s;
  tool_sample_init(&s, 3, 1, (int[]){4, 4, 0}, (double[]){1, 1, 0});
  tool_sample_add(&s, shape_sample("sphere", 3, NULL, 0, ball), 1, 7);
  tool_sample_start(&s, 0.3, 1e-2, 1);
  int n = tool_sample_detect(&s), m = s.bs.n_nodes * 3;
  cr_assert_gt(n, 1);
  double *v = calloc((size_t)m, 8), *impulse = calloc((size_t)m, 8), *r = calloc((size_t)n, 24),
         *u = calloc((size_t)n, 24), left = 0, right = 0;
  unsigned seed = 4;
  for (int k = 0; k < m; k++) v[k] = test_random(&seed);
  for (int k = 0; k < 3 * n; k++) r[k] = test_random(&seed);
  contact_velocities(s.work, v, u);
  contact_add_impulses(s.work, r, impulse);
  for (int k = 0; k < m; k++) right += v[k] * impulse[k];
  for (int k = 0; k < 3 * n; k++) left += r[k] * u[k];
  cr_assert_float_eq(left, right, 1e-13);
  free(v), free(impulse), free(r), free(u);
  tool_sample_free(&s);
}

// Point masses m under gravity g, each step by the stages of the step room: detect, W, problem,
// solve.
static void point_mass_step(ToolSample *s, double m, const double g[3], const double *prescribed) {
  int dim = s->bs.dim, nodes = s->mesh.n_nodes, n = s->bs.n_nodes * dim;
  double h = s->step.size.h, theta = s->step.size.theta, w = 1 / m;
  double *block = calloc((size_t)(nodes * dim * nodes * dim), 8), *v = calloc((size_t)n, 8),
         *impulse = calloc((size_t)n, 8), *r;
  int32_t *index = calloc((size_t)nodes, 4);
  for (int k = 0; k < nodes; k++) {
    index[k] = k;
    for (int i = 0; i < dim; i++) {
      block[(dim * dim) * (k * nodes + k) + i * dim + i] = w;
      v[k * dim + i] = s->bodies.v[k * dim + i] + h * g[i];
    }
  }
  for (int t = 0; t < s->bs.n_tools; t++)
    for (int i = 0; i < dim; i++) {
      int at = (nodes + t) * dim + i;
      v[at] = s->tool[t].free[i] || !prescribed ? s->bodies.v[at] : prescribed[i];
    }
  Compliance compliance = {.block = block, .n = nodes, .index = index};
  DynamicsMatrices matrices = {.finite = &compliance};
  uint8_t turned[1 + MOST_TOOLS] = {0};
  Problem p;
  Arena arena = {0};
  SolverReport report;
  tool_sample_detect(s);
  cr_assert_eq(contact_assemble(&s->step, &matrices, turned, NULL), OK);
  cr_assert_eq(contact_problem(&s->step, v, &p, &r, &arena, NULL), OK);
  const SolverType *solver = solver_find("nsgs");
  SolverSettings settings = solver_defaults(solver);
  settings.tolerance = 1e-12;
  settings.max_iterations = 10000;
  cr_assert_eq(solver->solve(&p, &settings, r, &arena, &report, NULL), OK);
  cr_assert(report.converged);
  contact_add_impulses(s->work, r, impulse);
  for (int k = 0; k < nodes * dim; k++) v[k] += w * impulse[k];
  for (int t = 0; t < s->bs.n_tools; t++)
    for (int i = 0; i < dim; i++)
      if (s->tool[t].free[i])
        v[(nodes + t) * dim + i] += impulse[(nodes + t) * dim + i] / s->tool[t].mass;
  double *u = calloc((size_t)contact_count(s->work) * 3 + 3, 8);
  contact_velocities(s->work, v, u);
  contact_commit(&s->step, r, u);
  for (int k = 0; k < n; k++) {
    s->bodies.q[k] += h * (theta * v[k] + (1 - theta) * s->bodies.v[k]);
    s->bodies.v[k] = v[k];
  }
  arena_free(&arena);
  free(block), free(v), free(impulse), free(index), free(u);
}

Test(contact_tool, masses_slide_down_a_slope_as_coulomb_says) {
  // Slope 3:4, friction 0.25: a = g (0.6 - 0.25 * 0.8).
  const ShapeParam slope[] = {{"axis_x", 0.6}, {"axis_y", 0}, {"axis_z", 0.8}, {NULL, 0}};
  const double gravity[3] = {0, 0, -10};
  ToolSample s;
  tool_sample_init(&s, 3, 1, (int[]){1, 1, 0}, (double[]){1, 1, 0});
  for (int k = 0; k < 4; k++) s.mesh.x[3 * k + 2] = -0.75 * s.mesh.x[3 * k];
  tool_sample_add(&s, shape_sample("plane", 3, NULL, 0, slope), 1, 0);
  tool_sample_start(&s, 0.25, 1e-2, 1);
  for (int k = 0; k < 100; k++) point_mass_step(&s, 2, gravity, NULL);
  for (int k = 0; k < 4; k++) {
    const double *v = s.bodies.v + 3 * k;
    cr_assert_float_eq(v[0], 4 * 0.8, 1e-9);
    cr_assert_float_eq(v[1], 0, 1e-9);
    cr_assert_float_eq(v[2], -4 * 0.6, 1e-9);
  }
  tool_sample_free(&s);
}

Test(contact_tool, a_free_tool_that_is_hit_takes_its_share_of_the_momentum) {
  const ShapeParam anvil[] = {{"at_y", -0.5}, {NULL, 0}};
  ToolSample s;
  tool_sample_init(&s, 2, 0, (int[]){1, 1, 0}, (double[]){1, 1});
  tool_sample_add(&s, shape_sample("plane", 2, NULL, 0, anvil), 6, 2);
  tool_sample_start(&s, 0, 1e-2, 1);
  for (int k = 0; k < 4; k++) s.bodies.v[2 * k + 1] = -5;
  const double none[3] = {0};
  for (int k = 0; k < 20; k++) point_mass_step(&s, 1.5, none, NULL);
  // The two lower masses of 1.5 kg stick to the tool of 6 kg: 5 * 3 / (3 + 6).
  cr_assert_float_eq(s.bodies.v[1], -5.0 / 3, 1e-9);
  cr_assert_float_eq(s.bodies.v[3], -5.0 / 3, 1e-9);
  cr_assert_float_eq(s.bodies.v[2 * 4 + 1], -5.0 / 3, 1e-9);
  cr_assert_float_eq(s.bodies.v[2 * 4], 0, 0);
  tool_sample_free(&s);
}

Test(contact_tool, a_mass_in_a_bowl_stays_on_it_and_comes_to_rest_at_the_bottom) {
  const ShapeParam bowl[] = {{"radius", 1}, {"inside", 1}, {NULL, 0}};
  const double gravity[3] = {0, 0, -10};
  ToolSample s;
  tool_sample_init(&s, 3, 1, (int[]){1, 1, 0}, (double[]){1, 1, 0});
  for (int k = 0; k < 4; k++) { // four masses at the rim, with a swing about the axis
    double a = 1.5707963267948966 * k;
    s.mesh.x[3 * k] = 0.8 * cos(a);
    s.mesh.x[3 * k + 1] = 0.8 * sin(a);
    s.mesh.x[3 * k + 2] = -0.6;
  }
  tool_sample_add(&s, shape_sample("sphere", 3, NULL, 0, bowl), 1, 0);
  tool_sample_start(&s, 0.4, 2e-3, 1);
  for (int k = 0; k < 4; k++) {
    s.bodies.v[3 * k] = -0.5 * s.mesh.x[3 * k + 1];
    s.bodies.v[3 * k + 1] = 0.5 * s.mesh.x[3 * k];
  }
  double worst = 0;
  for (int k = 0; k < 3000; k++) {
    point_mass_step(&s, 1, gravity, NULL);
    Penetration now;
    contact_penetration(&s.step, &s.bodies, (PenetrationLimits){0}, NULL, NULL, &now);
    worst = fmax(worst, now.contacts);
  }
  // A step of h v along a sphere leaves it by (h v)^2 / 2.
  cr_assert_leq(worst, 5e-5, "%g", worst);
  for (int k = 0; k < 4; k++) {
    const double *v = s.bodies.v + 3 * k;
    double x = s.mesh.x[3 * k] + s.bodies.q[3 * k], y = s.mesh.x[3 * k + 1] + s.bodies.q[3 * k + 1],
           z = s.mesh.x[3 * k + 2] + s.bodies.q[3 * k + 2];
    cr_assert_leq(sqrt(contact_dot(3, v, v)), 1e-6);
    cr_assert_leq(hypot(x, y), 0.4 * fabs(z) * 1.01, "rests outside the cone of friction");
  }
  tool_sample_free(&s);
}

// ---- state --------------------------------------------------------------------------------------

Test(contact_tool, a_state_that_was_stored_and_read_back_goes_on_the_same) {
  const ShapeParam ball[] = {{"radius", 1}, {"at_z", -1}, {"at_x", 0.2}, {NULL, 0}};
  ToolSample s;
  tool_sample_init(&s, 3, 1, (int[]){4, 4, 0}, (double[]){1, 1, 0});
  tool_sample_add(&s, shape_sample("sphere", 3, NULL, 0, ball), 1, 7);
  tool_sample_start(&s, 0.3, 1e-2, 1);
  for (int k = 0; k < 3; k++) {
    tool_sample_detect(&s);
    pretend_step(&s, 1 + k);
    for (int i = 0; i < s.mesh.n_nodes; i++) s.bodies.q[3 * i] += 0.01;
  }
  // Into a new state of the same model, as a checkpoint does.
  ContactState fresh, old = s.state;
  ContactWork *work, *old_work = s.work;
  cr_assert_eq(contact_state_init(&fresh, &s.cm, &s.bs, NULL), OK);
  FieldList fields = {0}, fresh_list = {0};
  contact_state_fields(&s.state, &s.cm, &s.bs, &fields);
  contact_state_fields(&fresh, &s.cm, &s.bs, &fresh_list);
  int n = fields.n;
  const Field *field = fields.item, *fresh_field = fresh_list.item;
  cr_assert_eq(fresh_field[0].resize(fresh_field[0].owner, field[0].count, NULL), OK);
  fresh_list.n = 0;
  contact_state_fields(&fresh, &s.cm, &s.bs, &fresh_list);
  cr_assert_eq(fresh_list.n, n);
  for (int k = 0; k < n; k++) {
    cr_assert_eq(field[k].count, fresh_field[k].count, "%s", field[k].name);
    size_t bytes = (size_t)field[k].count * field_item_size(field[k].type);
    if (bytes > 0) memcpy(fresh_field[k].data, field[k].data, bytes);
  }
  field_list_free(&fields);
  field_list_free(&fresh_list);
  cr_assert_eq(contact_work_new(&work, &s.cm, &s.bs, NULL), OK);
  cr_assert_eq(contact_resume(&s.cm, &s.bs, &fresh, work, NULL), OK);
  int count = tool_sample_detect(&s);
  Contact *list = calloc((size_t)count, sizeof *list);
  memcpy(list, contact_list(s.work), sizeof *list * (size_t)count);
  s.state = fresh;
  s.step.work = s.work = work;
  cr_assert_eq(tool_sample_detect(&s), count);
  for (int c = 0; c < count; c++) {
    const Contact *a = &list[c], *b = &contact_list(work)[c];
    cr_assert(a->slot == b->slot && a->gap == b->gap);
    cr_assert_eq(memcmp(a->axis, b->axis, sizeof a->axis), 0, "frames differ after a restart");
  }
  free(list);
  contact_state_free(&old);
  contact_work_free(old_work);
  tool_sample_free(&s);
}

Test(contact_tool, a_step_allocates_nothing_once_it_has_run) {
  ToolSample s;
  tool_sample_init(&s, 3, 1, (int[]){4, 4, 0}, (double[]){1, 1, 0});
  tool_sample_add(&s, shape_sample("plane", 3, NULL, 0, floor_z), 1, 0);
  tool_sample_start(&s, 0.3, 1e-2, 1);
  tool_sample_detect(&s);
  int64_t calls = mem_total_calls();
  for (int k = 0; k < 5; k++) {
    s.bodies.q[2] += 0.1; // one node leaves
    tool_sample_detect(&s);
    contact_update(&s.step, s.bodies.q, s.bodies.v);
  }
  cr_assert_eq(mem_total_calls(), calls);
  tool_sample_free(&s);
}

Test(contact_tool, penetration_is_measured_at_contacts_and_at_nodes_that_were_not_seen) {
  ToolSample s;
  tool_sample_init(&s, 2, 0, (int[]){2, 1, 0}, (double[]){1, 1});
  tool_sample_add(&s, shape_sample("plane", 2, NULL, 0, floor_y), 1, 0);
  tool_sample_start(&s, 0.3, 1e-3, 1);
  s.bodies.q[2 * 2 + 1] = 0.2;
  cr_assert_eq(tool_sample_detect(&s), 2);
  double gap[2];
  s.bodies.q[2 * 1 + 1] = -0.01;
  s.bodies.q[2 * 2 + 1] = -0.03;
  Penetration worst;
  contact_penetration(&s.step, &s.bodies, (PenetrationLimits){0}, NULL, gap, &worst);
  cr_assert_float_eq(gap[0], 0, 1e-15);
  cr_assert_float_eq(gap[1], -0.01, 1e-15);
  cr_assert_float_eq(worst.contacts, 0.01, 1e-15);
  cr_assert_float_eq(worst.nodes, 0.03, 1e-15);
  cr_assert_eq(worst.worst_contact, 1);
  tool_sample_free(&s);
}

// ---- areas --------------------------------------------------------------------------------------

Test(contact_tool, rims_of_a_contact_have_a_half_or_a_quarter) {
  // Sides of the body belong to no contact with the floor: the shares of the foot add up to its
  // area.
  for (int dim = 2; dim <= 3; dim++) {
    ToolSample s;
    double sum = 0, corner = 0;
    tool_sample_init(&s, dim, 0, (int[]){4, 4, 4}, (double[]){1, 1, 1});
    tool_sample_add(&s, shape_sample("plane", dim, NULL, 0, dim == 2 ? floor_y : floor_z), 1, 0);
    tool_sample_start(&s, 0.3, 1e-3, 1);
    int n = tool_sample_detect(&s);
    cr_assert_eq(n, dim == 2 ? 5 : 25);
    for (int c = 0; c < n; c++) sum += contact_list(s.work)[c].area;
    corner = tool_sample_contact(&s, 0, 0)->area;
    cr_assert_float_eq(sum, 1, 1e-14);
    cr_assert_float_eq(corner, dim == 2 ? 0.125 : 0.25 * 0.0625, 1e-15);
    tool_sample_free(&s);
  }
}

Test(contact_tool, a_node_is_missed_only_where_it_came_through_the_surface) {
  ToolSample s;
  tool_sample_init(&s, 2, 0, (int[]){2, 1, 0}, (double[]){1, 1});
  const ShapeParam below[] = {{"at_y", -0.2}, {NULL, 0}};
  tool_sample_add(&s, shape_sample("plane", 2, NULL, 0, below), 1, 0);
  tool_sample_start(&s, 0.3, 1e-3, 1);
  double q1[14] = {0}, v1[14] = {0};
  cr_assert_eq(tool_sample_detect(&s), 0);
  q1[2 * 2 + 1] = -2.3; // far through, at once
  MissedNode missed = contact_missed(&s.step, q1, v1);
  cr_assert_float_eq(missed.depth, 2.1, 1e-14);
  cr_assert(missed.node == 2 && missed.tool == 1);
  for (int k = 0; k < s.mesh.n_nodes; k++) s.bodies.q[2 * k + 1] = -1.8; // was behind it before
  q1[2 * 2 + 1] = -1.9;
  tool_sample_detect(&s);
  cr_assert_eq(contact_missed(&s.step, q1, v1).depth, 0);
  tool_sample_free(&s);
}
