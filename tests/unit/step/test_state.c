#include <criterion/criterion.h>

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
