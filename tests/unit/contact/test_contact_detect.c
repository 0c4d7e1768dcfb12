#define _POSIX_C_SOURCE 200809L // mkstemp
#include <criterion/criterion.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../../support/run_case.h"
#include "../../support/scratch_path.h"
#include "../../support/staged_step.h"
#include "contact/pair_type.h"

static const char *const rules[4] = {"midpoints", "nodes", "gauss", "overlap"};

// A block of one length on a row of two, moved by setting displacements; no dynamics.
static CaseRun *sliding_block(const char *points, int cells) {
  static char xml[2000];
  snprintf(
      xml, sizeof xml,
      "<voussoir><material name='stone' density='1000' young='1e8' poisson='0'/>"
      "<law name='dry' friction='0.5'/>"
      "<block name='left' material='stone' width='1' height='0.5' cells_x='%d' cells_y='%d'/>"
      "<block name='right' material='stone' x='1' width='1' height='0.5' cells_x='%d' cells_y='%d'/>"
      "<block name='top' material='stone' y='0.5' width='1' height='0.5' cells_x='%d' cells_y='%d'/>"
      "<contact candidate='all' antagonist='all' law='dry' points='%s'/>"
      "<time end='1' step='1e-3'/></voussoir>",
      cells, cells, cells, cells, cells, cells, points);
  return run_case_open_text(xml, NULL);
}

static void place(CaseRun *run, const char *name, double x, double y, double angle) {
  const BodySet *bs = &run->input.model.bodies;
  int body = run_case_body(run, name);
  double c = cos(angle), s = sin(angle);
  for (int k = bs->node_ptr[body]; k < bs->node_ptr[body + 1]; k++) {
    const double *at = bs->x + 2 * k;
    double dx = at[0] - bs->x[2 * bs->node_ptr[body]],
           dy = at[1] - bs->x[2 * bs->node_ptr[body] + 1];
    run->state.bodies.q[2 * k] = x + c * dx - s * dy - dx;
    run->state.bodies.q[2 * k + 1] = y + s * dx + c * dy - dy;
  }
}

static int detect(CaseRun *run) {
  ContactStep step = staged_contact_step(run, 1e-3);
  Err err = {0};
  cr_assert_eq(contact_detect(&step, &err), OK, "%s", err.text);
  return contact_count(run->work.contact);
}

// Contacts of the bed joint between the top block and one of the two below.
static int joint_contacts(const CaseRun *run, int below) {
  int top = run_case_body(run, "top"), n = 0;
  for (int c = 0; c < contact_count(run->work.contact); c++) {
    const Contact *contact = &contact_list(run->work.contact)[c];
    int pair = (contact->side[0].body == top && contact->side[1].body == below) ||
               (contact->side[0].body == below && contact->side[1].body == top);
    n += pair &&
         fabs(contact->n[1]) > 0.5; // ends of blocks that pass each other have horizontal normals
  }
  return n;
}

Test(contact_detect, never_loses_a_joint_while_a_block_slides_over_two_others) {
  for (int rule = 0; rule < 4; rule++)
    for (int cells = 1; cells <= 3; cells++) {
      CaseRun *run = sliding_block(rules[rule], cells);
      int left = run_case_body(run, "left"), right = run_case_body(run, "right");
      for (double x = -0.95; x <= 1.95; x += 0.0137) {
        place(run, "top", x, 1e-6, 0);
        detect(run);
        double on_left = fmin(1, x + 1) - fmax(0, x), on_right = fmin(2, x + 1) - fmax(1, x);
        int n_left = joint_contacts(run, left), n_right = joint_contacts(run, right);
        // An overlap shorter than what counts as a corner's slack may be left out.
        if (on_left > 0.01)
          cr_expect_geq(n_left, 1, "%s, %d cells, x = %g: left joint lost", rules[rule], cells, x);
        if (on_right > 0.01)
          cr_expect_geq(n_right, 1, "%s, %d cells, x = %g: right joint lost", rules[rule], cells,
                        x);
        if (on_left < -0.01) cr_expect_eq(n_left, 0, "%s, %d cells, x = %g", rules[rule], cells, x);
      }
      run_case_close(run);
    }
}

Test(contact_detect, counts_no_point_of_a_matching_joint_twice) {
  // A block of n x n cells right on another: n mid-points, n + 1 nodes, 2 n Gauss points;
  // ends and nodes of the overlap are its n + 1 nodes.
  const int expected[4][3] = {{1, 2, 3}, {2, 3, 4}, {2, 4, 6}, {2, 3, 4}};
  for (int rule = 0; rule < 4; rule++)
    for (int cells = 1; cells <= 3; cells++) {
      CaseRun *run = sliding_block(rules[rule], cells);
      place(run, "top", 0, 0, 0);
      detect(run);
      cr_expect_eq(joint_contacts(run, run_case_body(run, "left")), expected[rule][cells - 1],
                   "%s, %d cells: %d", rules[rule], cells,
                   joint_contacts(run, run_case_body(run, "left")));
      run_case_close(run);
    }
}

// Whichever of two blocks is named first, and so has the face of number 0: nodes on nodes are one
// point each.
Test(contact_detect, counts_no_point_twice_whatever_the_order_of_the_blocks) {
  static const char *const place[4][2] = {
      {"", "y='0.5'"}, {"y='0.5'", ""}, {"", "x='1'"}, {"x='1'", ""}};
  static const char *const points[2] = {"nodes", "overlap"};
  for (int k = 0; k < 8; k++)
    for (int cells = 1; cells <= 3; cells++) {
      CaseRun *run = run_case_open_text(
          xml_format(
              "<voussoir><material name='s' density='1000' young='1e8' poisson='0'/>"
              "<law name='dry' friction='0.5'/>"
              "<block name='a' material='s' width='1' height='0.5' cells_x='%d' cells_y='%d' %s/>"
              "<block name='b' material='s' width='1' height='0.5' cells_x='%d' cells_y='%d' %s/>"
              "<contact candidate='all' antagonist='all' law='dry' points='%s'/>"
              "<time end='1' step='1e-3'/></voussoir>",
              cells, cells, place[k % 4][0], cells, cells, place[k % 4][1], points[k / 4]),
          NULL);
      int n = detect(run);
      cr_assert_eq(n, cells + 1, "order %d, %d cells: %d points", k, cells, n);
      run_case_close(run);
    }
}

Test(contact_detect, measures_corners_of_the_other_block_that_a_mid_point_hides) {
  CaseRun *run = sliding_block("midpoints", 1);
  const double slide = 0.3, angle = -0.05;
  // The mid-point of the top block touches the left one, whose corner at (1, 0.5) is inside it.
  place(run, "right", 5, 0, 0);
  place(run, "top", slide, 0.5 * sin(-angle), angle);
  cr_assert_eq(detect(run), 1);
  Penetration worst;
  ContactStep step = staged_contact_step(run, 1e-3);
  contact_penetration(&step, &run->state.bodies, (PenetrationLimits){0}, NULL, NULL, &worst);
  double lift = 0.5 * sin(-angle); // of the lower left corner of the top block
  cr_expect_float_eq(worst.contacts, 0, 1e-12);
  cr_expect_float_eq(worst.nodes, (1 - slide) * sin(-angle) - lift * cos(angle), 1e-12, "%g",
                     worst.nodes);
  run_case_close(run);
}

Test(contact_detect, hands_a_tilted_block_over_to_its_corner) {
  for (int rule = 0; rule < 4; rule++) {
    CaseRun *run = sliding_block(rules[rule], 2);
    int left = run_case_body(run, "left"), top = run_case_body(run, "top");
    for (double angle = 0.25; angle < 1.3; angle += 0.1) {
      place(run, "top", 0.5, 1e-6, angle); // stands on its lower left corner, 0.5 from the left end
      detect(run);
      int n_corner = 0, n_closed = 0;
      for (int c = 0; c < contact_count(run->work.contact); c++) {
        const Contact *contact = &contact_list(run->work.contact)[c];
        if (contact->side[1].body != left || contact->side[0].body != top) continue;
        cr_expect_float_eq(contact->n[1], 1, 1e-12);
        n_closed += contact->gap < 1e-3;
        n_corner += fabs(contact->gap - 1e-6) < 1e-12;
      }
      cr_expect_eq(n_corner, 1, "%s, %g rad", rules[rule], angle);
      cr_expect_eq(n_closed, 1, "%s, %g rad", rules[rule], angle);
    }
    run_case_close(run);
  }
}

Test(contact_detect, lists_what_a_search_over_all_pairs_finds) {
  CaseRun *run = run_case_open("inputs/masonry_wall.xml", "courses=6 blocks=5 output_every=0");
  const BodySet *bs = &run->input.model.bodies;
  const ContactModel *cm = &run->input.model.contact;
  unsigned seed = 7;
  for (int b = 0; b < bs->n_bodies; b++) { // shake every block a little
    double shift[2];
    for (int i = 0; i < 2; i++) {
      seed = seed * 1664525u + 1013904223u;
      shift[i] = 0.004 * ((double)(seed >> 8) / (1 << 24) - 0.5);
    }
    for (int k = bs->node_ptr[b]; bs->proto[b] >= 0 && k < bs->node_ptr[b + 1]; k++)
      for (int i = 0; i < 2; i++) run->state.bodies.q[2 * k + i] = shift[i];
  }
  detect(run);
  const ContactWork *work = run->work.contact;
  const double *x = run->state.contact.x_search;
  double reach = run->state.contact.search[0];
  int64_t expected = 0, listed = 0;
  for (int64_t k = 0; k < work->n_slots; k++) listed += work->slot[k].place == PLACE_MID;
  for (int e = 0; e < cm->skin.n_edges; e++)
    for (int f = 0; f < cm->skin.n_edges; f++) {
      if (cm->skin.body[e] == cm->skin.body[f] || bs->proto[cm->skin.body[e]] < 0) continue;
      double n[2], m[2], p[2];
      double length = edge_normal(&cm->skin, x, f, n);
      edge_normal(&cm->skin, x, e, m);
      for (int i = 0; i < 2; i++)
        p[i] = 0.5 * (x[2 * cm->skin.node[2 * e] + i] + x[2 * cm->skin.node[2 * e + 1] + i]) -
               x[2 * cm->skin.node[2 * f] + i];
      double gap = p[0] * n[0] + p[1] * n[1], along = -p[0] * n[1] + p[1] * n[0];
      if (n[0] * m[0] + n[1] * m[1] > -0.9 || fabs(gap) > reach || along < 0 || along > length)
        continue;
      expected++;
      int found = 0;
      for (int64_t k = 0; k < work->n_slots && !found; k++) {
        const SlotInfo *slot = &work->slot[k];
        found = slot->edge_c == e && slot->place == PLACE_MID &&
                cm->skin.face[slot->edge_a] == cm->skin.face[f];
      }
      cr_expect(found, "edge %d near edge %d is not listed", e, f);
    }
  cr_assert_gt(expected, 100);
  cr_assert_geq(listed, expected);
  for (int64_t k = 1; k < work->n_slots; k++) {
    const ContactKey before = slot_key(&work->slot[k - 1]), key = slot_key(&work->slot[k]);
    cr_assert_lt(contact_key_order(&before, &key), 0);
  }
  run_case_close(run);
}

// Disks of all sizes, on a block: each widened by its own radius, the largest covers many cells.
Test(contact_detect, lists_all_disks_and_edges_that_are_near_a_disk_of_any_size) {
  enum { N = 60, BIG = 40 };
  static char xml[16000];
  size_t at = (size_t)snprintf(
      xml, sizeof xml,
      "<voussoir><material name='m' density='1000' young='1e8' poisson='0'/>"
      "<law name='l' friction='0.5'/><block name='floor' material='m' y='-1' width='12' height='1' "
      "cells_x='24' cells_y='2'/>");
  for (int k = 0; k < N; k++) {
    double radius = k == BIG ? 3 : 0.02 * (1 + k % 5), gap = 0.003 * (k % 7);
    double x = k == BIG ? 6 : 0.2 * k, y = k == BIG ? -4.003 : radius + gap;
    if (k > BIG) { // around the large one, that lies below the floor
      x = 6 + (3 + radius + gap) * cos(0.1 * (k - BIG));
      y = -4.003 - (3 + radius + gap) * sin(0.1 * (k - BIG));
    }
    at += (size_t)snprintf(xml + at, sizeof xml - at,
                           "<disk name='d%d' material='m' radius='%g' x='%g' y='%g'/>", k, radius,
                           x, y);
  }
  snprintf(
      xml + at, sizeof xml - at,
      "<contact candidate='all' antagonist='all' law='l'/><time end='1' step='1e-3'/></voussoir>");
  CaseRun *run = run_case_open_text(xml, NULL);
  const BodySet *bs = &run->input.model.bodies;
  const SkinSet *skin = &run->input.model.contact.skin;
  detect(run);
  const ContactWork *work = run->work.contact;
  const double *x = run->state.contact.x_search, reach = run->state.contact.search[0];
  int64_t disks = 0, edges = 0, listed = 0;
  for (int r = 0; r < bs->n_rigid; r++) {
    const double *c = x + 2 * bs->node_ptr[bs->rigid[r].body], radius = bs->rigid[r].radius;
    for (int s = r + 1; s < bs->n_rigid; s++) {
      const double *d = x + 2 * bs->node_ptr[bs->rigid[s].body];
      disks += hypot(c[0] - d[0], c[1] - d[1]) <= radius + bs->rigid[s].radius + reach;
    }
    for (int e = 0; e < skin->n_edges; e++) {
      const double *a = x + 2 * skin->node[2 * e], *b = x + 2 * skin->node[2 * e + 1];
      double l = hypot(b[0] - a[0], b[1] - a[1]);
      double along = ((c[0] - a[0]) * (b[0] - a[0]) + (c[1] - a[1]) * (b[1] - a[1])) / (l * l);
      along = fmin(fmax(along, 0), 1);
      double to[2] = {a[0] + along * (b[0] - a[0]) - c[0], a[1] + along * (b[1] - a[1]) - c[1]};
      if (hypot(to[0], to[1]) > radius + reach) continue;
      int found = 0;
      for (int64_t k = 0; k < work->n_slots; k++)
        found += work->slot[k].pair == PAIR_DISK_EDGE && work->slot[k].edge_a == e &&
                 work->slot[k].body_c == bs->rigid[r].body;
      cr_assert_eq(found, 1, "disk %d, edge %d", r, e);
      edges++;
    }
  }
  for (int64_t k = 0; k < work->n_slots; k++) listed += work->slot[k].pair == PAIR_DISK_DISK;
  cr_assert_gt(listed, 10);
  cr_assert_eq(disks, listed, "%lld pairs are listed", (long long)listed);
  cr_assert_gt(edges, N / 2);
  cr_assert(contact_state_is_sound(&run->state.contact, &run->input.model.contact));
  run_case_close(run);
}

// A number of a key counts before all that follow it, whatever these are.
Test(contact_detect, keys_are_ordered_by_pair_candidate_and_antagonist) {
  const ContactKey key = {.pair = 5, .body_c = 5, .feature_c = 5, .body_a = 5, .feature_a = 5};
  cr_assert_eq(contact_key_order(&key, &key), 0);
  for (int first = 0; first < 5; first++) {
    ContactKey low = key, high = key;
    int32_t *const lows[] = {&low.pair, &low.body_c, &low.feature_c, &low.body_a, &low.feature_a};
    int32_t *const highs[] = {&high.pair, &high.body_c, &high.feature_c, &high.body_a,
                              &high.feature_a};
    *lows[first] = 4;
    for (int k = first + 1; k < 5; k++) *highs[k] = 0; // what follows says the contrary
    cr_assert_eq(contact_key_order(&low, &high), -1, "number %d", first);
    cr_assert_eq(contact_key_order(&high, &low), 1, "number %d", first);
  }
}

Test(contact_detect, keeps_impulses_of_known_points_over_a_new_search) {
  CaseRun *run = run_case_open("inputs/masonry_wall.xml", "courses=3 blocks=3 output_every=0");
  run_case_steps(run, 20);
  const ContactState *state = &run->state.contact;
  double before = 0, after = 0;
  for (int64_t k = 0; k < state->n_slots; k++)
    before += state->impulse[2 * k] * (1 + 13.0 * state->key[k].body_c + state->key[k].feature_c);
  run->state.contact.search[0] *= 0.2; // no margin left: forces a search
  int64_t searches = contact_searches(run->work.contact);
  detect(run);
  cr_assert_eq(contact_searches(run->work.contact), searches + 1);
  for (int64_t k = 0; k < state->n_slots; k++)
    after += state->impulse[2 * k] * (1 + 13.0 * state->key[k].body_c + state->key[k].feature_c);
  cr_assert_gt(before, 0);
  cr_assert_float_eq(before, after, 1e-12 * before);
  run_case_close(run);
}

Test(contact_detect, does_not_push_out_a_contact_born_in_penetration_but_reports_it) {
  CaseRun *run = sliding_block("nodes", 1);
  place(run, "top", 0, 0.01, 0);
  detect(run);
  run->state.contact.search[1] = 1e-3; // the run is under way
  place(run, "top", 0, -0.002, 0.0);
  run->state.contact.n_slots = 0; // nothing is known of these contacts
  run->state.contact.search[0] *= 0.01;
  int n = detect(run);
  cr_assert_gt(n, 0);
  for (int c = 0; c < n; c++) {
    const Contact *contact = &contact_list(run->work.contact)[c];
    if (fabs(contact->n[1]) > 0.5)
      cr_expect_float_eq(contact->gap, 0, 1e-12, "gap %g", contact->gap);
  }
  Penetration worst;
  ContactStep step = staged_contact_step(run, 1e-3);
  contact_penetration(&step, &run->state.bodies, (PenetrationLimits){0}, NULL, NULL, &worst);
  cr_assert_float_eq(worst.contacts, 0.002, 1e-9);
  run_case_close(run);
}

// A round body has no corner, so no face behind the end of its own: that of another body least of
// all, whose corner would have its points rejected as if they rested there.
Test(contact_detect, a_closed_skin_has_no_end_whatever_body_comes_first) {
  enum { N = 18 };
  char path[512], xml[1000];
  scratch_path(path, sizeof path, "round");
  int file = mkstemp(path);
  cr_assert_geq(file, 0);
  FILE *mesh = fdopen(file, "w");
  fprintf(mesh, "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n%d\n1 0 0 0\n", N + 1);
  for (int k = 0; k < N; k++)
    fprintf(mesh, "%d %.17g %.17g 0\n", k + 2, cos(k * 2 * acos(-1) / N),
            sin(k * 2 * acos(-1) / N));
  fprintf(mesh, "$EndNodes\n$Elements\n%d\n", N);
  for (int k = 0; k < N; k++) fprintf(mesh, "%d 2 2 1 1 1 %d %d\n", k + 1, k + 2, (k + 1) % N + 2);
  fprintf(mesh, "$EndElements\n");
  fclose(mesh);
  snprintf(xml, sizeof xml,
           "<voussoir><material name='stone' density='1000' young='1e8' poisson='0'/>"
           "<law name='dry' friction='0.5'/>"
           "<block name='first' material='stone' x='9' width='1' height='1'/>"
           "<body name='round' material='stone' mesh='%s'/>"
           "<contact candidate='all' antagonist='all' law='dry' points='nodes'/>"
           "<time end='1' step='1e-3'/></voussoir>",
           path);
  CaseRun *run = run_case_open_text(xml, NULL);
  const SkinSet *skin = &run->input.model.contact.skin;
  int round = run_case_body(run, "round"), n_round = 0;
  for (int e = 0; e < skin->n_edges; e++)
    for (int end = 0; end < 2; end++) {
      double n[2];
      int corner = contact_end_face(skin, run->input.model.bodies.x, e, end, n);
      cr_expect_eq(corner < 0, skin->body[e] == round, "edge %d, end %d", e, end);
      n_round += skin->body[e] == round;
    }
  cr_assert_eq(n_round, 2 * N);
  remove(path);
  run_case_close(run);
}
