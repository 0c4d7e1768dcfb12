#define _POSIX_C_SOURCE 200809L
#include "contact/pair_type.h"
#include "output/physics.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "../../support/run_case.h"
#include "../../support/scratch_path.h"

static uint64_t hash_of(const CaseRun *run, const char *history) {
  Err err = {0};
  uint64_t hash;
  Status status =
      physics_hash(step_model(&run->work), &run->state, &run->work, history, &hash, &err);
  cr_assert_eq(status, OK, "%s", err.text);
  return hash;
}

Test(physics, hash_sees_what_users_see_and_not_how_the_state_is_stored) {
  CaseRun *run = run_case_open("inputs/masonry_wall.xml", "courses=2 blocks=2 output_every=0");
  run_case_steps(run, 5);
  const uint64_t hash = hash_of(run, NULL), stored = state_hash(&run->state, &run->input.model);
  double *const seen[] = {&run->state.bodies.q[3], &run->state.bodies.v[5], &run->work.reaction[1]};
  for (int k = 0; k < 3; k++) {
    double value = *seen[k];
    *seen[k] = nextafter(value, 1);
    cr_assert_neq(hash_of(run, NULL), hash, "value %d", k);
    *seen[k] = value;
  }
  cr_assert_eq(hash_of(run, NULL), hash);
  run->state.contact.offset[0] += 1; // of a slot: how contacts are kept
  cr_assert_neq(state_hash(&run->state, &run->input.model), stored);
  cr_assert_eq(hash_of(run, NULL), hash);
  run_case_close(run);
}

Test(physics, hash_does_not_depend_on_the_order_of_contacts) {
  CaseRun *run = run_case_open("inputs/masonry_wall.xml", "courses=2 blocks=2 output_every=0");
  run_case_steps(run, 5);
  const uint64_t hash = hash_of(run, NULL);
  Contact *list = run->work.contact->contact;
  const Contact first = list[0];
  double *r = run->work.reaction;
  list[0] = list[3], list[3] = first;
  for (int i = 0; i < 2; i++) {
    double value = r[i];
    r[i] = r[6 + i], r[6 + i] = value;
  }
  cr_assert_eq(hash_of(run, NULL), hash);
  r[6] += 1; // but on what each of them has
  cr_assert_neq(hash_of(run, NULL), hash);
  run_case_close(run);
}

Test(physics, hash_sees_the_history) {
  CaseRun *run = run_case_open("inputs/masonry_wall.xml", "courses=2 blocks=2 output_every=0");
  char path[512];
  uint64_t hash[2];
  scratch_path(path, sizeof path, "history");
  close(mkstemp(path));
  for (int k = 0; k < 2; k++) {
    FILE *file = fopen(path, "w");
    fprintf(file, "time\n%d\n", k);
    fclose(file);
    hash[k] = hash_of(run, path);
  }
  unlink(path);
  cr_assert_neq(hash[0], hash[1]);
  run_case_close(run);
}
