#include <criterion/criterion.h>
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "../../support/run_case.h"

static CaseRun *wall(void) {
  return run_case_open("inputs/masonry_wall.xml", "courses=3 blocks=3 output_every=0");
}

// Sheet, tool, joint with memory, kept tangents, a trim and a rest event: no field of its state is
// empty.
static CaseRun *everything(void) {
  return run_case_open_text(
      "<voussoir><model space='solid'/><material name='s' density='7800' young='2e11' poisson='0.3'/>"
      "<sheet name='blank' material='s' shape='disk' radius='0.1' size='0.05' thickness='1e-3' "
      "pattern='t3'/><tool name='base' shape='plane' axis_y='0' axis_z='1' at_z='-0.5e-3'/>"
      "<law name='glue' type='mohr_coulomb' friction='0.1' tension='1e3' cohesion='1e3'/>"
      "<contact candidate='blank' antagonist='base' law='glue' points='nodes'/>"
      "<force on='blank' z='-100'/><newton matrix='kept'/><rest time='1e-4'/>"
      "<time step='1e-4' theta='1'/><stage name='a' duration='2e-4'/>"
      "<stage name='b' duration='2e-4'/><trim of='blank' stage='b' cut='outside' shape='cylinder' "
      "radius='0.07'/></voussoir>",
      NULL);
}

Test(state, lists_every_array_once_and_hashes_every_one_of_them) {
  CaseRun *run = everything();
  run_case_steps(run, 3);
  FieldList list = {0};
  cr_assert_eq(state_fields(&run->state, &run->input.model, &list, NULL), OK);
  const Field *fields = list.item;
  int n = list.n;
  cr_assert_gt(n, 10);
  uint64_t hash = state_hash(&run->state, &run->input.model);
  for (int k = 0; k < n; k++) {
    for (int other = 0; other < k; other++)
      cr_assert(strcmp(fields[k].name, fields[other].name) != 0, "%s", fields[k].name);
    cr_assert_gt(fields[k].count, 0, "%s is empty: nothing is known of it", fields[k].name);
    // One bit of any item changes the hash; put back, the hash is what it was.
    size_t item = field_item_size(fields[k].type);
    int64_t step = fields[k].count > 8 ? fields[k].count / 8 : 1;
    for (int64_t i = fields[k].count - 1; i >= 0; i -= step) {
      unsigned char *last = (unsigned char *)fields[k].data + (size_t)(i + 1) * item - 1;
      *last ^= 1;
      cr_assert_neq(state_hash(&run->state, &run->input.model), hash, "%s", fields[k].name);
      *last ^= 1;
    }
    cr_assert_eq(state_hash(&run->state, &run->input.model), hash);
  }
  field_list_free(&list);
  run_case_close(run);
}

// What a checkpoint holds: a field that is left out is one that a restart has lost. New ones are
// added here.
Test(state, has_every_field_that_a_restart_needs) {
  static const char *const needed[] = {
      "step/step",       "step/time",          "step/h_next",        "step/stage",
      "step/energy",     "step/stage_value",   "step/count",         "step/worst",
      "step/cut",        "step/verdict_count", "step/verdict_value", "step/touched",
      "step/rest_last",  "step/rest_passages", "contact/key",        "contact/edge",
      "contact/flag",    "contact/along",      "contact/normal",     "contact/offset",
      "contact/law",     "contact/impulse",    "contact/x_search",   "contact/search",
      "contact/tangent", "contact/laid"};
  CaseRun *run = everything();
  FieldList list = {0};
  cr_assert_eq(state_fields(&run->state, &run->input.model, &list, NULL), OK);
  for (size_t k = 0; k < sizeof needed / sizeof needed[0]; k++) {
    int found = 0;
    for (int i = 0; i < list.n; i++) found += strcmp(list.item[i].name, needed[k]) == 0;
    cr_assert_eq(found, 1, "%s", needed[k]);
  }
  field_list_free(&list);
  run_case_close(run);
}

// Each word of the struct is the storage of a listed field, or points to one, or counts items: a
// member that is added and not listed is one that checkpoints lose.
Test(state, has_no_member_that_is_not_listed) {
  static const size_t counts[] = {offsetof(State, contact.dim), offsetof(State, contact.n_slots),
                                  offsetof(State, contact.capacity)};
  CaseRun *run = everything();
  enum { WORDS = sizeof(State) / sizeof(void *) };
  union {
    State state;
    uintptr_t word[WORDS];
  } probe;
  FieldList list = {0};
  for (size_t w = 0; w < WORDS; w++) probe.word[w] = 8 * (w + 1); // no address of anything
  cr_assert_eq(state_fields(&probe.state, &run->input.model, &list, NULL), OK);
  for (size_t w = 0; w < WORDS; w++) {
    uintptr_t at = (uintptr_t)&probe.word[w];
    int known = 0;
    for (int k = 0; k < list.n; k++) {
      uintptr_t data = (uintptr_t)list.item[k].data;
      size_t bytes = (size_t)list.item[k].count * field_item_size(list.item[k].type);
      int inside = data >= (uintptr_t)&probe && data < (uintptr_t)(&probe + 1);
      known |= inside ? at >= data && at < data + bytes : data == probe.word[w];
    }
    for (size_t k = 0; k < sizeof counts / sizeof counts[0]; k++)
      known |= w == counts[k] / sizeof(void *);
    cr_assert(known, "the word at byte %zu of State is in no field", w * sizeof(void *));
  }
  field_list_free(&list);
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

// A ball of rubber is thrown at a wall, from which it comes back; another wall and another block
// are never met.
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
