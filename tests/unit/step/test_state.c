#include <criterion/criterion.h>
#include <math.h>

#include <string.h>

#include "../../support/run_case.h"

static CaseRun *wall(void) {
  return run_case_open("inputs/masonry_wall.xml", "courses=3 blocks=3 output_every=0");
}

Test(state, lists_every_array_once_and_hashes_every_one_of_them) {
  CaseRun *run = wall();
  run_case_steps(run, 10);
  FieldList list;
  const Field *fields = list.item;
  state_fields(&run->state, &run->input.model, &list);
  int n = list.n;
  cr_assert(n > 10 && n < MAX_FIELDS);
  uint64_t hash = state_hash(&run->state, &run->input.model);
  for (int k = 0; k < n; k++) {
    for (int other = 0; other < k; other++)
      cr_assert(strcmp(fields[k].name, fields[other].name) != 0, "%s", fields[k].name);
    if (fields[k].count == 0) continue;
    // One bit of its last byte changes the hash; put back, the hash is what it was.
    size_t bytes = (size_t)fields[k].count * field_item_size(fields[k].type);
    unsigned char *last = (unsigned char *)fields[k].data + bytes - 1;
    *last ^= 1;
    cr_assert_neq(state_hash(&run->state, &run->input.model), hash, "%s", fields[k].name);
    *last ^= 1;
    cr_assert_eq(state_hash(&run->state, &run->input.model), hash);
  }
  run_case_close(run);
}

// What a checkpoint holds: a field that is left out is one that a restart has lost. New ones are added here.
Test(state, has_every_field_that_a_restart_needs) {
  static const char *const needed[] = {
      "step/step",      "step/time",          "step/h_next",        "step/stage",
      "step/energy",    "step/stage_value",   "step/count",         "step/worst",
      "step/cut",       "step/verdict_count", "step/verdict_value", "step/touched",
      "step/rest_last", "step/rest_passages", "contact/key",        "contact/edge",
      "contact/flag",   "contact/along",      "contact/normal",     "contact/offset",
      "contact/law",    "contact/impulse",    "contact/x_search",   "contact/search",
      "contact/tangent"};
  CaseRun *run = run_case_open("inputs/springback.xml", NULL);
  FieldList list;
  state_fields(&run->state, &run->input.model, &list);
  for (size_t k = 0; k < sizeof needed / sizeof needed[0]; k++) {
    int found = 0;
    for (int i = 0; i < list.n; i++) found += strcmp(list.item[i].name, needed[k]) == 0;
    cr_assert_eq(found, 1, "%s", needed[k]);
  }
  run_case_close(run);
}

Test(state, taken_back_has_every_bit_of_its_copy_whatever_happened_since) {
  CaseRun *run = wall();
  run_case_steps(run, 3);
  Arena arena = {0};
  StateCopy copy;
  Err err = {0};
  cr_assert_eq(state_copy(&copy, &run->state, &run->input.model, &arena, &err), OK);
  uint64_t hash = state_hash(&run->state, &run->input.model);
  int64_t slots = run->state.contact.n_slots;
  // Blocks fly apart: a search finds other slots.
  for (int k = 0; k < run->input.model.bodies.n_nodes; k++)
    run->state.bodies.v[2 * k + 1] += 0.5 * run->input.model.bodies.body_of[k];
  run_case_steps(run, 20);
  cr_assert_neq(run->state.contact.n_slots, slots);
  cr_assert_eq(state_take_back(&copy, &run->state, &run->input.model, &err), OK, "%s", err.text);
  cr_assert_eq(run->state.contact.n_slots, slots);
  cr_assert_eq(state_hash(&run->state, &run->input.model), hash);
  arena_free(&arena);
  run_case_close(run);
}

Test(state, of_a_moving_start_has_its_kinetic_energy) {
  CaseRun *run = run_case_open_text(
      "<voussoir><material name='s' density='2000' young='1e7' poisson='0.2'/>"
      "<block name='b' material='s' width='0.6' height='0.4' cells_x='2' pattern='q4'/>"
      "<velocity of='b' x='3' y='-4'/><time end='1' step='1e-3'/></voussoir>",
      NULL);
  double kinetic = 0.5 * 2000 * 0.6 * 0.4 * 25;
  cr_assert_float_eq(run->state.energy[ENERGY_INITIAL], kinetic, 1e-9);
  cr_assert_float_eq(run->state.energy[ENERGY_KINETIC], kinetic, 1e-9);
  run_case_close(run);
}

Test(state, without_memory_is_a_system_error_and_leaks_nothing) {
  CaseRun *run = wall();
  int64_t before = mem_live_blocks();
  int n;
  for (n = 1;; n++) {
    State state;
    Err err = {0};
    mem_fail_after(n);
    Status status = state_init(&state, &run->input.model, &err);
    mem_fail_after(0);
    state_free(&state);
    cr_assert_eq(mem_live_blocks(), before, "allocation %d", n);
    if (status == OK) break;
    cr_assert_eq(status, ERR_SYSTEM);
  }
  cr_assert_gt(n, 4);
  run_case_close(run);
}

// A ball of rubber is thrown at a wall, from which it comes back; another wall and another block are never met.
static const char THROWN[] =
    "<voussoir><material name='s' density='1000' young='1e7' poisson='0.2'/>"
    "<law name='r' type='restitution' friction='0' restitution='1'/>"
    "<block name='thrown' material='s' x='0.005' width='0.1' height='0.1' kinematics='corotational'/>"
    "<block name='alone' material='s' x='5' width='0.1' height='0.1' kinematics='corotational'/>"
    "<support name='wall' shape='box' x='-1' y='-1' width='1' height='2'/>"
    "<support name='other' shape='box' x='-9' y='-1' width='1' height='2'/>"
    "<contact candidate='all' antagonist='wall other' law='r' points='nodes'/>"
    "<velocity of='thrown' x='-1'/><time end='0.1' step='1e-3'/></voussoir>";

static void expect_untouched(const CaseRun *run, const char *names, int64_t step) {
  const Model *model = &run->input.model;
  char found[200] = "";
  for (int b = 0; b < model->bodies.n_bodies; b++)
    if (state_is_untouched(&run->state, model, b)) {
      strcat(found, model->bodies.name[b]);
      strcat(found, " ");
    }
  cr_assert_str_eq(found, names, "step %lld: %s", (long long)step, found);
}

Test(state, remembers_who_has_touched_something_when_it_no_longer_does) {
  CaseRun *run = run_case_open_text(THROWN, NULL);
  int met = 0;
  expect_untouched(run, "thrown alone wall other ", 0);
  while (run->state.step < 100) {
    run_case_step(run, 0);
    double pushed = 0;
    for (int c = 0; c < contact_count(run->work.contact); c++)
      pushed += fabs(run->work.reaction[2 * c]);
    met = met || pushed > 0;
    if (run->state.step < 4) cr_assert_eq(met, 0, "it starts 5 mm away, at 1 m/s");
    expect_untouched(run, met ? "alone other " : "thrown alone wall other ", run->state.step);
  }
  cr_assert_gt(run->state.bodies.v[0], 0.5, "it comes back");
  cr_assert_eq(contact_count(run->work.contact), 0);
  run_case_close(run);
}

Test(state, of_who_touched_what_is_taken_back_with_the_step) {
  CaseRun *run = run_case_open_text(THROWN, NULL);
  const Model *model = &run->input.model;
  Arena arena = {0};
  Err err = {0};
  StateCopy copy;
  cr_assert_eq(state_copy(&copy, &run->state, model, &arena, &err), OK);
  run_case_steps(run, 20);
  expect_untouched(run, "alone other ", 20);
  cr_assert_eq(state_take_back(&copy, &run->state, model, &err), OK);
  expect_untouched(run, "thrown alone wall other ", 0);
  arena_free(&arena);
  run_case_close(run);
}
