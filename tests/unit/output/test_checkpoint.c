#define _POSIX_C_SOURCE 200809L
#include <criterion/criterion.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../../support/run_case.h"
#include "output/output.h"

static const char SETTINGS[] = "courses=3 blocks=3 output_every=0";

static void temporary(char *path, size_t size) {
  snprintf(path, size, "%s/checkpoint-%ld.h5", getenv("TMPDIR") ? getenv("TMPDIR") : "/var/tmp",
           (long)getpid());
}

Test(checkpoint, gives_back_every_bit_of_the_state_and_the_run_goes_on_with_it) {
  char path[512];
  temporary(path, sizeof path);
  CaseRun *run = run_case_open("inputs/masonry_wall.xml", SETTINGS),
          *other = run_case_open("inputs/masonry_wall.xml", SETTINGS);
  Err err = {0};
  int64_t rows;
  run_case_steps(run, 25);
  cr_assert_eq(checkpoint_write(path, &run->input.model, &run->state, 25, &err), OK, "%s",
               err.text);
  uint64_t hash = state_hash(&run->state, &run->input.model);
  cr_assert_eq(checkpoint_read(path, &other->input.model, &other->state, &rows, &err), OK, "%s",
               err.text);
  cr_assert_eq(rows, 25);
  cr_assert_eq(state_hash(&other->state, &other->input.model), hash);
  step_work_free(&other->work);
  cr_assert_eq(step_work_init(&other->work, &other->input.model, &other->state, &err), OK, "%s",
               err.text);
  for (int k = 0; k < 25; k++) {
    run_case_step(run, 0);
    run_case_step(other, 0);
  }
  cr_assert_eq(state_hash(&other->state, &other->input.model),
               state_hash(&run->state, &run->input.model));
  remove(path);
  run_case_close(run);
  run_case_close(other);
}

Test(checkpoint, of_another_model_is_refused) {
  char path[512];
  temporary(path, sizeof path);
  CaseRun *run = run_case_open("inputs/masonry_wall.xml", SETTINGS);
  Err err = {0};
  int64_t rows;
  run_case_steps(run, 2);
  cr_assert_eq(checkpoint_write(path, &run->input.model, &run->state, 2, &err), OK);
  static const char *const changes[] = {"courses=4 blocks=3 output_every=0",
                                        "courses=3 blocks=3 output_every=0 young=2e6",
                                        "courses=3 blocks=3 output_every=0 step=5e-4"};
  for (int k = 0; k < 3; k++) {
    CaseRun *other = run_case_open("inputs/masonry_wall.xml", changes[k]);
    cr_assert_eq(checkpoint_read(path, &other->input.model, &other->state, &rows, &err), ERR_INPUT,
                 "%s", changes[k]);
    cr_assert(strstr(err.text, "another model"), "%s", err.text);
    run_case_close(other);
  }
  remove(path);
  run_case_close(run);
}

Test(checkpoint, that_is_cut_off_anywhere_is_refused) {
  char path[512];
  temporary(path, sizeof path);
  CaseRun *run = run_case_open("inputs/masonry_wall.xml", "courses=2 blocks=2 output_every=0");
  Err err = {0};
  int64_t rows;
  run_case_steps(run, 2);
  cr_assert_eq(checkpoint_write(path, &run->input.model, &run->state, 2, &err), OK);
  FILE *file = fopen(path, "rb");
  fseek(file, 0, SEEK_END);
  long size = ftell(file);
  fclose(file);
  for (long at = size - 1; at > 0; at -= size / 17 + 1) {
    CaseRun *other = run_case_open("inputs/masonry_wall.xml", "courses=2 blocks=2 output_every=0");
    cr_assert_eq(truncate(path, at), 0);
    cr_assert_eq(checkpoint_read(path, &other->input.model, &other->state, &rows, &err), ERR_INPUT,
                 "%ld bytes", at);
    cr_assert(strstr(err.text, path), "%s", err.text);
    run_case_close(other);
  }
  remove(path);
  run_case_close(run);
}
