#include <criterion/criterion.h>

#include <math.h>
#include <string.h>

#include "../../support/run_case.h"
#include "contact/contact.h"
#include "contact/slot.h"
#include "pair_sample.h"

// Boxes of these attributes on a box of the ground 1 wide, 2 long and 1 high, whose upper face is z
// = 0.
static CaseRun *with_points(const char *boxes, const char *law, const char *points) {
  return run_case_open_text(
      xml_format(
          "<voussoir><model space=\"solid\"/><material name=\"m\" density=\"1000\" young=\"1e9\""
          " poisson=\"0\"/>%s<support name=\"g\" shape=\"box\" x=\"-0.5\" y=\"-1\" z=\"-1\""
          " width=\"1\" height=\"2\" depth=\"1\"/><law name=\"l\" %s/>"
          "<contact candidate=\"all\" antagonist=\"all g\" law=\"l\" points=\"%s\"/>"
          "<gravity y=\"0\" z=\"-9.81\"/><solver tolerance=\"1e-12\"/>"
          "<time end=\"10\" step=\"1e-2\" theta=\"1\"/><output every=\"0\"/></voussoir>",
          boxes, law, points),
      NULL);
}

static CaseRun *on_ground(const char *boxes, const char *law) {
  return with_points(boxes, law, "overlap");
}

static double area_of(const CaseRun *run) {
  const Contact *contact = contact_list(run->work.contact);
  double sum = 0;
  for (int c = 0; c < contact_count(run->work.contact); c++) sum += contact[c].area;
  return sum;
}

// Places where both sides of a contact are, by their nodes.
static void places(const CaseRun *run, const Contact *contact, double x[2][3]) {
  const BodySet *bs = &run->input.model.bodies;
  for (int s = 0; s < 2; s++)
    for (int i = 0; i < 3; i++) {
      x[s][i] = 0;
      for (int k = 0; k < contact->side[s].n; k++) {
        int at = 3 * contact->side[s].node[k] + i;
        x[s][i] +=
            (s == 0 ? 1 : -1) * contact->side[s].weight[k] * (bs->x[at] + run->state.bodies.q[at]);
      }
    }
}

// A beam across the ground: the corners of what they share, where sides cross, a quarter each.
Test(contact_flat, beams_that_cross_meet_at_the_corners_of_their_overlap) {
  CaseRun *run =
      on_ground("<box name=\"b\" material=\"m\" kinematics=\"rigid\" size=\"4 0.5 0.2\" x=\"-1.8\""
                " y=\"-0.2\" cells=\"3 1 1\"/>",
                "friction=\"0.5\"");
  run_case_step(run, 0);
  const Contact *contact = contact_list(run->work.contact);
  cr_assert_eq(contact_count(run->work.contact), 4);
  int seen = 0;
  for (int c = 0; c < 4; c++) {
    double x[2][3];
    places(run, &contact[c], x);
    for (int i = 0; i < 3; i++) cr_expect_float_eq(x[0][i], x[1][i], 1e-12);
    cr_expect_float_eq(fabs(x[0][0]), 0.5, 1e-12);
    cr_expect_float_eq(fabs(x[0][1] - 0.05), 0.25, 1e-12);
    seen |= 1 << (2 * (x[0][0] > 0) + (x[0][1] > 0.05));
    cr_expect_float_eq(contact[c].area, 0.125, 1e-12);
    cr_expect_float_eq(contact[c].n[2], 1, 1e-12);
  }
  cr_expect_eq(seen, 15);
  run_case_close(run);
}

// A corner over the ground, another one of the ground under the box, and two crossings.
Test(contact_flat, boxes_that_overlap_at_a_corner_meet_in_a_rectangle) {
  CaseRun *run =
      on_ground("<box name=\"b\" material=\"m\" kinematics=\"rigid\" size=\"1 3 0.2\" x=\"0.1\""
                " y=\"0.3\" cells=\"1 1 1\"/>",
                "friction=\"0.5\"");
  run_case_step(run, 0);
  cr_assert_eq(contact_count(run->work.contact), 4);
  cr_expect_float_eq(area_of(run), 0.4 * 0.7, 1e-12);
  run_case_close(run);
}

// Equal faces have their corners once.
Test(contact_flat, equal_faces_meet_at_four_corners) {
  CaseRun *run =
      on_ground("<box name=\"b\" material=\"m\" kinematics=\"rigid\" size=\"1 2 0.2\" x=\"-0.5\""
                " y=\"-1\" cells=\"2 3 1\"/>",
                "friction=\"0.5\"");
  run_case_step(run, 0);
  cr_assert_eq(contact_count(run->work.contact), 4);
  cr_expect_float_eq(area_of(run), 2, 1e-12);
  run_case_close(run);
}

// Two unit squares, one turning about the middle of both: 2 / (1 + sin + cos) in common, eight
// corners between 0 and 90 degrees. What carries it goes on from step to step: the impulses of the
// last step are those of the next, to what a step turns it.
Test(contact_flat, overlap_of_a_box_that_turns_is_known_at_each_angle) {
  CaseRun *run =
      on_ground("<box name=\"b\" material=\"m\" kinematics=\"rigid\" size=\"1 1 0.2\" x=\"-0.5\""
                " y=\"-0.5\" cells=\"1 1 1\"/><box name=\"c\" material=\"m\" kinematics=\"rigid\""
                " size=\"1 1 0.2\" x=\"-0.5\" y=\"-0.5\" z=\"0.2\" cells=\"1 1 1\"/>"
                "<velocity of=\"c\" spin=\"0 0 0.5\"/>",
                "friction=\"0\"");
  for (int k = 0; k < 300; k++) {
    double angle = 2 * atan(0.25e-2) *
                   k; // by the map of Cayley; at theta 1 contact is that of the start of a step
    run_case_step(run, 0);
    double expected = 1 + 2 / (1 + sin(angle) + cos(angle)); // b covers 1 of the ground
    cr_expect_float_eq(area_of(run), expected, 5e-3, "%g rad: %.9g, not %.9g", angle, area_of(run),
                       expected);
    // far from the ends, where corners of one square are sides of the other
    if (sin(2 * angle) < 0.2) continue;
    cr_expect_eq(contact_count(run->work.contact), 12, "%g rad", angle);
    cr_expect_float_eq(area_of(run), expected, 1e-9, "%g rad", angle);
  }
  // of the one body that turns, once in seven steps
  cr_expect_lt(contact_searches(run->work.contact), 60);
  run_case_close(run);
}

// Sides that all but run side by side, of faces a little off parallel (0.02 and 0.1 rad): their
// common normal lies in the plane, that of contact does not.
Test(contact_flat, sides_that_cross_press_along_the_normal_of_a_face) {
  CaseRun *run =
      on_ground("<polyhedron name=\"b\" material=\"m\" corners=\""
                "-0.483901070 -0.805793515 0.000000000  0.515898937 -0.785894759 0.001996535  "
                "-0.515898937 0.785894759 0.159701521  0.483901070 0.805793515 0.161698056  "
                "-0.483901070 -0.825760199 0.199000833  0.515898937 -0.805861442 0.200997368  "
                "-0.515898937 0.765928075 0.358702354  0.483901070 0.785826832 0.360698889\"/>",
                "friction=\"0\"");
  int crossings = 0;
  for (int k = 0; k < 20; k++) {
    run_case_step(run, 0);
    const Contact *contact = contact_list(run->work.contact);
    for (int c = 0; c < contact_count(run->work.contact); c++) {
      cr_expect_gt(contact[c].n[2], cos(0.15), "step %d: %g", k, contact[c].n[2]);
      crossings += contact[c].side[0].n == 2;
    }
  }
  cr_expect_gt(crossings, 0);
  run_case_close(run);
}

// A regular polygon of 16 sides on its corners, or on four of them: the largest quadrilateral is a
// square.
Test(contact_flat, points_of_a_round_drum_are_its_corners_or_four_of_them) {
  static const char *const points[] = {"overlap", "corners", "reduced"};
  static const char *const kinematics[] = {"rigid", "small"};
  const double pi = 3.14159265358979324, whole = 0.5 * 16 * sin(pi / 8) * 0.16;
  for (int p = 0; p < 3; p++)
    for (int k = 0; k < (p == 0 ? 1 : 2); k++) {
      CaseRun *run = run_case_open_text(
          xml_format("<voussoir><model space=\"solid\"/><material name=\"m\" density=\"1000\""
                     " young=\"1e9\" poisson=\"0\"/><law name=\"l\" friction=\"0.5\"/>"
                     "<column name=\"b\" material=\"m\" kinematics=\"%s\" width=\"0.8\""
                     " depth=\"0.8\" height=\"0.3\" drums=\"1\" sides=\"16\"/>"
                     "<support name=\"s\" shape=\"plane\" normal=\"0 1 0\"/>"
                     "<contact candidate=\"b\" antagonist=\"s\" law=\"l\" points=\"%s\"/>"
                     "<gravity/><time end=\"1\" step=\"1e-3\"/></voussoir>",
                     kinematics[k], points[p]),
          NULL);
      run_case_step(run, 0);
      const Contact *contact = contact_list(run->work.contact);
      const int n = contact_count(run->work.contact);
      double least = 1;
      cr_assert_eq(n, p == 2 ? 4 : 16, "%s %s: %d", points[p], kinematics[k], n);
      cr_expect_float_eq(area_of(run), whole, 1e-9, "%s %s", points[p], kinematics[k]);
      for (int a = 0; a < n; a++)
        for (int c = 0; c < a; c++) {
          double x[2][3], y[2][3], square = 0;
          places(run, &contact[a], x);
          places(run, &contact[c], y);
          for (int i = 0; i < 3; i++) square += pow(x[0][i] - y[0][i], 2);
          least = fmin(least, sqrt(square));
        }
      cr_expect_float_eq(least, p == 2 ? 0.4 * sqrt(2) : 0.8 * sin(pi / 16), 1e-6, "%g", least);
      run_case_close(run);
    }
}

// An elastic box of any mesh on four points, which hold all of its face.
Test(contact_flat, corners_of_a_meshed_face_hold_the_mean_of_it) {
  CaseRun *run =
      with_points("<box name=\"b\" material=\"m\" size=\"0.9 1.2 0.2\" x=\"-0.45\" y=\"0.3\""
                  " cells=\"2 3 1\"/>",
                  "friction=\"0.5\"", "corners");
  run_case_step(run, 0);
  const Contact *contact = contact_list(run->work.contact);
  cr_assert_eq(contact_count(run->work.contact), 4);
  cr_expect_float_eq(area_of(run), 0.9 * 0.7, 1e-12);
  for (int c = 0; c < 4; c++) {
    double x[2][3];
    places(run, &contact[c], x);
    for (int i = 0; i < 3; i++) cr_expect_float_eq(x[0][i], x[1][i], 1e-5);
    cr_expect_float_eq(fabs(x[0][0]), 0.45, 1e-5);
    cr_expect_float_eq(fabs(x[0][1] - 0.65), 0.35, 1e-5);
    cr_expect_eq(contact[c].side[contact[c].side[0].n < contact[c].side[1].n].n, 9);
  }
  run_case_close(run);
}

// One point for each face of a mesh, in the middle of what it has over the ground, which ends at
// y = 1: of the third row of cells, from y = 0.9 on, at 0.95.
Test(contact_flat, middles_of_a_meshed_face_are_those_of_its_pieces) {
  static const double middle[] = {0.3, 0.7, 0.95}, width[] = {0.4, 0.4, 0.1};
  CaseRun *run =
      with_points("<box name=\"b\" material=\"m\" size=\"0.9 1.2 0.2\" x=\"-0.45\" y=\"0.1\""
                  " cells=\"2 3 1\"/>",
                  "friction=\"0.5\"", "midpoints");
  run_case_step(run, 0);
  const Contact *contact = contact_list(run->work.contact);
  cr_assert_eq(contact_count(run->work.contact), 6);
  for (int c = 0; c < 6; c++) {
    double x[2][3];
    int row = 0;
    places(run, &contact[c], x);
    while (row < 2 && x[0][1] > middle[row] + 0.1) row++;
    for (int i = 0; i < 3; i++) cr_expect_float_eq(x[0][i], x[1][i], 1e-5);
    cr_expect_float_eq(fabs(x[0][0]), 0.225, 1e-5);
    cr_expect_float_eq(x[0][1], middle[row], 1e-5);
    cr_expect_float_eq(contact[c].area, 0.45 * width[row], 1e-12);
  }
  run_case_close(run);
}

// They go on as the box slides: what they bear is carried along, so that friction stops it where
// Coulomb says.
Test(contact_flat, middles_live_on_as_a_face_slides) {
  CaseRun *run =
      with_points("<box name=\"b\" material=\"m\" size=\"0.2 0.2 0.1\" x=\"-0.4\" y=\"-0.1\""
                  " cells=\"2 2 1\"/><velocity of=\"b\" x=\"1\"/>",
                  "friction=\"0.5\"", "midpoints");
  for (int k = 0; k < 50; k++) run_case_step(run, 0);
  const double *q = run->state.bodies.q;
  cr_expect_float_eq(q[0], 1 / (2 * 0.5 * 9.81), 0.01);
  cr_expect_leq(run->state.worst[WORST_PENETRATION_CONTACTS], 1e-4);
  run_case_close(run);
}

// Beside the edge of the ground, with no width in common or next to none: it falls.
Test(contact_flat, box_that_only_shares_an_edge_falls) {
  static const double x[2] = {0.5, 0.4997};
  for (int c = 0; c < 2; c++) {
    CaseRun *run =
        on_ground(xml_format("<box name=\"b\" material=\"m\" kinematics=\"rigid\" size=\"1 1 1\""
                             " x=\"%g\" y=\"-0.5\" cells=\"1 1 1\"/>",
                             x[c]),
                  "friction=\"0\"");
    for (int k = 0; k < 10; k++) run_case_step(run, 0);
    const double h = 1e-2, fall = 9.81 * h * h * 10 * 11 / 2;
    for (int k = 0; k < 8; k++)
      cr_expect_float_eq(run->state.bodies.q[3 * k + 2], -fall, 1e-9, "%g",
                         run->state.bodies.q[3 * k + 2]);
    run_case_close(run);
  }
}

// A box that hits the side of the ground with its lower part, and has entered it by a step's way
// when it is seen, is not held by the upper face, 0.2 m above its lower one.
Test(contact_flat, box_that_hits_a_side_is_not_held_by_the_top) {
  CaseRun *run =
      on_ground("<box name=\"b\" material=\"m\" kinematics=\"rigid\" size=\"1 1 1\" x=\"0.521\""
                " y=\"-0.5\" z=\"-0.2\" cells=\"1 1 1\"/><velocity of=\"b\" x=\"-0.5\"/>",
                "type=\"velocity_signorini\" friction=\"0\"");
  for (int k = 0; k < 7; k++) run_case_step(run, 0);
  int beside = 0, above = 0;
  double farthest = 0;
  for (int k = 0; k < 8; k++) farthest = fmin(farthest, run->state.bodies.q[3 * k]);
  const Contact *contact = contact_list(run->work.contact);
  for (int c = 0; c < contact_count(run->work.contact); c++) {
    beside += fabs(contact[c].n[0]) > 0.9;
    above += fabs(contact[c].n[2]) > 0.9;
  }
  cr_expect_lt(farthest, -0.0215, "it has entered: %g", farthest);
  cr_expect_gt(beside, 1);
  cr_expect_eq(above, 0);
  run_case_close(run);
}

// Points that the input names are nodes and crossing edges, as they were.
Test(contact_flat, named_points_are_nodes) {
  CaseRun *run = run_case_open_text(
      "<voussoir><model space=\"solid\"/><material name=\"m\" density=\"1000\" young=\"1e9\" poisson=\"0\"/>"
      "<box name=\"b\" material=\"m\" kinematics=\"rigid\" size=\"1 1 1\" cells=\"2 2 1\"/>"
      "<support name=\"g\" shape=\"plane\" length=\"5\"/><law name=\"l\" friction=\"0.5\"/>"
      "<contact candidate=\"b\" antagonist=\"g\" law=\"l\" points=\"nodes\"/>"
      "<gravity y=\"0\" z=\"-9.81\"/><time end=\"1\" step=\"1e-2\"/></voussoir>",
      NULL);
  run_case_step(run, 0);
  cr_expect_eq(contact_count(run->work.contact), 9);
  run_case_close(run);
}

// ---- faces of bodies that deform ----------------------------------------------------------------

// Weights of all points, one after another.
static int weights_of(const CaseRun *run, double *weight) {
  const Contact *contact = contact_list(run->work.contact);
  int n = 0;
  for (int c = 0; c < contact_count(run->work.contact); c++)
    for (int s = 0; s < 2; s++)
      for (int k = 0; k < contact[c].side[s].n; k++) weight[n++] = contact[c].side[s].weight[k];
  return n;
}

// A box that slides over the edge of the ground, by 4e-4 of its cells a step: its points stay for
// two steps and are others in the third. Never is what they stand for, or where both of their sides
// are, off by more than that way.
Test(contact_flat, points_of_a_box_that_deforms_stay_until_it_has_moved) {
  enum { STEPS = 60, MOST = 4000 };
  const double way = 4e-5, cell = 0.1;
  double weight[2][MOST];
  int changed = 0, n = 0;
  CaseRun *run =
      on_ground("<box name=\"b\" material=\"m\" kinematics=\"small\" size=\"0.4 0.3 0.2\""
                " x=\"0.15\" y=\"-0.2\" cells=\"4 3 2\"/><velocity of=\"b\" x=\"4e-3\"/>",
                "friction=\"0\"");
  for (int step = 0; step < STEPS; step++) {
    run_case_step(run, 0);
    const Contact *contact = contact_list(run->work.contact);
    const double over = 0.35 - step * way; // at the start of the step, as theta is 1
    cr_assert_float_eq(area_of(run), 0.3 * over, 0.3 * 1e-3 * cell + 1e-9, "step %d: %g of %g",
                       step, area_of(run), 0.3 * over);
    for (int c = 0; c < contact_count(run->work.contact); c++) {
      double x[2][3];
      places(run, &contact[c], x);
      for (int i = 0; i < 2; i++)
        cr_assert_float_eq(x[0][i], x[1][i], 1e-3 * cell + 2 * way, "%d, %d", step, c);
    }
    int now = weights_of(run, weight[step % 2]);
    cr_assert_lt(now, MOST);
    changed += now != n || memcmp(weight[0], weight[1], sizeof **weight * (size_t)n) != 0;
    n = now;
  }
  cr_expect_geq(changed, STEPS / 3 - 1, "%d", changed); // 1e-3 of a cell are 2.5 steps
  cr_expect_leq(changed, STEPS / 3 + 2, "%d", changed);
  run_case_close(run);
}

// ---- identity -----------------------------------------------------------------------------------

// A keel of less than two degrees: both of its faces lie on the ground, and its ends are corners of
// both. Each is a point of its own, or a checkpoint could not be read again.
Test(contact_flat, corners_of_two_faces_on_one_are_told_apart) {
  CaseRun *run = on_ground("<polyhedron name=\"b\" material=\"m\" corners=\"-0.2 0 0  0.2 0 0"
                           "  -0.2 -0.3 0.008  0.2 -0.3 0.008  -0.2 0.3 0.008  0.2 0.3 0.008"
                           "  -0.2 -0.3 0.4  0.2 -0.3 0.4  -0.2 0.3 0.4  0.2 0.3 0.4\"/>",
                           "friction=\"0.5\"");
  run_case_step(run, 0);
  const ContactState *state = &run->state.contact;
  int shared = 0;
  for (int64_t k = 1; k < state->n_slots; k++) {
    const ContactKey *a = &state->key[k - 1], *b = &state->key[k];
    shared += a->pair == PAIR_FACE_FACE && b->pair == a->pair && a->body_c == b->body_c &&
              a->body_a == b->body_a && a->feature_c == b->feature_c && a->feature_c % 2 == 0;
  }
  cr_expect(contact_state_is_sound(state, &run->input.model.contact));
  cr_expect_geq(shared, 2, "%d", shared); // both ends of the keel
  run_case_close(run);
}

// ---- at an iterate ------------------------------------------------------------------------------

// Two blocks at finite strains, turned as a whole by 0.1 within the step, moved and opened: normals
// turn with them and gaps open by as much.
Test(contact_flat, at_finite_strains_turns_with_the_iterate) {
  PairSample s;
  const int cells[2][3] = {{2, 2, 1}, {3, 3, 1}}, solid[2] = {0, 0};
  const double size[2][3] = {{2, 2, 1}, {2, 2, 1}}, shift[3] = {0.4, 0.3, 1.001};
  pair_sample_init(&s, cells, size, solid, shift, 1, NULL);
  const int n = pair_sample_detect(&s), m = 3 * s.bs.n_nodes;
  double *q1 = calloc((size_t)m, 8), *v1 = calloc((size_t)m, 8), *u = calloc((size_t)n, 24);
  const double turn = 0.1, open = 2e-3;
  for (int k = 0; k < s.bs.n_nodes; k++) {
    const double *x = s.bs.x + 3 * k, z = x[2] + (k >= s.node_ptr[1] ? open : 0);
    q1[3 * k] = cos(turn) * x[0] + sin(turn) * z - x[0] + 0.05;
    q1[3 * k + 2] = cos(turn) * z - sin(turn) * x[0] - x[2];
    for (int i = 0; i < 3; i++) v1[3 * k + i] = q1[3 * k + i] / s.step.size.h;
  }
  contact_update(&s.step, q1, v1);
  contact_velocities(s.work, v1, u);
  cr_assert_gt(n, 4);
  for (int c = 0; c < n; c++) {
    const Contact *contact = &contact_list(s.work)[c];
    const double out = contact->side[0].body == 1 ? 1 : -1; // of corners of the block below: down
    cr_expect_float_eq(out * contact->n[0], sin(turn), 1e-12);
    cr_expect_float_eq(out * contact->n[2], cos(turn), 1e-12);
    cr_expect_float_eq(contact->gap + s.step.size.h * u[3 * c], 1e-3 + open, 1e-12);
  }
  free(q1), free(v1), free(u);
  pair_sample_free(&s);
}
