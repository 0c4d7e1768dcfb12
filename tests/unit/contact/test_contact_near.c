// Bodies in space are looked at on their own, each when it has used its margin: that finds what
// looking at all of them at each step finds.
#include <criterion/criterion.h>

#include <math.h>
#include <string.h>

#include "../../support/run_case.h"
#include "../../support/staged_step.h"
#include "contact/near.h"

enum { BOXES = 700 };

typedef struct {
  uint8_t times[BOXES][BOXES];
  int last;
} Met;

static Status count(void *of, int i, int j, Err *err) {
  Met *met = of;
  (void)err;
  cr_assert_geq(i, met->last, "box after box of the first list");
  met->last = i;
  met->times[i][j]++;
  return OK;
}

// Few boxes are compared each with each, many by cells; sizes over two decades.
Test(contact_near, finds_every_pair_of_two_lists_once) {
  static double box[2][6 * BOXES];
  static int32_t item[BOXES];
  static Met met;
  const int n[2][2] = {{40, BOXES}, {BOXES, BOXES - 50}};
  unsigned seed = 7;
  for (int list = 0; list < 2; list++)
    for (int k = 0; k < BOXES; k++)
      for (int i = 0; i < 3; i++) {
        box[list][6 * k + i] = floor(60 * test_random(&seed)) / 3;
        box[list][6 * k + 3 + i] =
            box[list][6 * k + i] + (k % 3 == 0 ? 1 : pow(10, 1.5 * test_random(&seed)));
      }
  for (int c = 0; c < 2; c++) {
    const BoxList own = {.n = n[c][0], .item = item, .box = box[0]},
                  other = {.n = n[c][1], .item = item, .box = box[1]};
    memset(&met, 0, sizeof met);
    cr_assert_eq(near_each(&own, &other, count, &met, NULL), OK);
    for (int i = 0; i < n[c][0]; i++)
      for (int j = 0; j < n[c][1]; j++) {
        int touch = 1;
        for (int k = 0; k < 3; k++)
          touch &= box[0][6 * i + k] <= box[1][6 * j + 3 + k] &&
                   box[1][6 * j + k] <= box[0][6 * i + 3 + k];
        cr_assert_eq(met.times[i][j], touch, "%d and %d", i, j);
      }
  }
}

static int same_joint(const ContactWork *a, int32_t of_a, const ContactWork *b, int32_t of_b) {
  if (of_a == 0 || of_b == 0) return of_a == of_b;
  return memcmp(a->flat[of_a - 1].group, b->flat[of_b - 1].group, sizeof a->flat->group) == 0;
}

static void expect_same_slots(const ContactWork *a, const ContactWork *b) {
  cr_assert_eq(a->n_slots, b->n_slots);
  cr_assert_eq(a->n_flat, b->n_flat);
  cr_assert_eq(a->n_joints, b->n_joints);
  for (int64_t k = 0; k < a->n_slots; k++) {
    const SlotInfo *x = &a->slot[k], *y = &b->slot[k];
    const ContactKey key = slot_key(x), other = slot_key(y);
    cr_assert_eq(contact_key_order(&key, &other), 0);
    cr_assert(x->edge_c == y->edge_c && x->edge_a == y->edge_a && x->rank == y->rank &&
              x->rule == y->rule && x->apart == y->apart && x->joint[0] == y->joint[0]);
    cr_assert(same_joint(a, x->flat, b, y->flat));
  }
}

// The slots there are follow from where each body was looked at last, however one came there.
Test(contact_near, slots_of_some_bodies_and_those_of_all_are_the_same) {
  CaseRun *run = run_case_open("inputs/tumbling.xml", "stones=21 end=1");
  const Model *model = &run->input.model;
  ContactWork *all;
  int some = 0;
  cr_assert_eq(contact_work_new(&all, &model->contact, &model->bodies, NULL), OK);
  for (int k = 0; k < 400; k++) {
    const int64_t searches = contact_searches(run->work.contact);
    run_case_step(run, 0);
    if (contact_searches(run->work.contact) == searches) continue;
    for (int b = 0; b < 21; b++)
      if (!run->work.contact->renewed[b]) some++;
    if (k % 5 > 0) continue;
    Err err = {0};
    cr_assert_eq(contact_resume(&model->contact, &model->bodies, &run->state.contact, all, &err),
                 OK, "%s", err.text);
    expect_same_slots(run->work.contact, all);
  }
  cr_expect_gt(some, 100, "%d", some);
  contact_work_free(all);
  run_case_close(run);
}

// Looked at when they have used their margins, or at each step: they move the same.
Test(contact_near, stones_move_as_if_they_were_looked_at_in_each_step) {
  static const char input[] = "inputs/tumbling.xml", settings[] = "stones=21 end=1";
  CaseRun *run = run_case_open(input, settings), *each = run_case_open(input, settings);
  const BodySet *bs = &run->input.model.bodies;
  for (int k = 0; k < 500; k++) {
    each->state.contact.search[0] = 0;
    run_case_step(run, 0);
    run_case_step(each, 0);
    cr_assert_eq(contact_count(run->work.contact), contact_count(each->work.contact), "step %d", k);
    cr_assert_eq(
        memcmp(run->state.bodies.v, each->state.bodies.v, 3 * (size_t)bs->n_nodes * sizeof(double)),
        0, "step %d", k);
  }
  cr_expect_lt(2 * contact_searches(run->work.contact), contact_searches(each->work.contact));
  run_case_close(run);
  run_case_close(each);
}

// A small stone of 0.05 m that flies 0.2 m a step at a slab as thin as itself that comes slowly: it
// does not come through, wherever its steps begin; nor does the slab where that is thrown.
Test(contact_near, fast_small_stone_does_not_come_through_a_thin_slab) {
  for (int k = 0; k < 12; k++) {
    const int thrown = k % 2; // the slab
    CaseRun *run = run_case_text(
        xml_format(
            "<voussoir><model space='solid'/><material name='m' density='2000' young='1e10'/>"
            "<box name='s' material='m' kinematics='rigid' size='0.05 0.05 0.05' x='-0.025' cells='1 1 1'"
            " y='-0.025' z='%g'/>"
            "<box name='w' material='m' kinematics='rigid' size='1 1 0.05' x='-0.5' y='-0.5' cells='1 1 1'"
            " z='-0.05'/><law name='l' type='quasi_inelastic' friction='0'/>"
            "<velocity of='%s' z='%d'/><velocity of='%s' z='%d'/>"
            "<contact candidate='s w' antagonist='s w' law='l'/>"
            "<time end='0.02' step='1e-3' theta='1'/><output every='0'/>"
            "<probe name='s' quantity='displacement' of='s'/>"
            "<probe name='w' quantity='displacement' of='w'/></voussoir>",
            1.2 + 0.11 * k, thrown ? "w" : "s", thrown ? 200 : -200, thrown ? "s" : "w",
            thrown ? -1 : 1),
        NULL);
    for (int64_t row = 0; row < run->n_rows; row++)
      cr_assert_gt(1.2 + 0.11 * k + run_case_at(run, row, "s_z") - run_case_at(run, row, "w_z"),
                   -1e-3, "%d: step %d", k, (int)row);
    run_case_close(run);
  }
}
