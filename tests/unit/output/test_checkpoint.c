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

static long size_of(const char *path) {
  FILE *file = fopen(path, "rb");
  fseek(file, 0, SEEK_END);
  long size = ftell(file);
  fclose(file);
  return size;
}

Test(checkpoint, gives_back_every_bit_of_the_state_and_the_run_goes_on_with_it) {
  char path[512];
  temporary(path, sizeof path);
  CaseRun *run = run_case_open("inputs/masonry_wall.xml", SETTINGS),
          *other = run_case_open("inputs/masonry_wall.xml", SETTINGS);
  Err err = {0};
  CheckpointNote note = {0};
  run_case_steps(run, 25);
  cr_assert_eq(checkpoint_write(path, &run->input.model, &run->state,
                                &(CheckpointNote){.history_rows = 25}, &err),
               OK, "%s", err.text);
  uint64_t hash = state_hash(&run->state, &run->input.model);
  // whatever stood in the fields before is gone afterwards
  FieldList list = {0};
  cr_assert_eq(state_fields(&other->state, &other->input.model, &list, &err), OK);
  for (int k = 0; k < list.n; k++)
    for (int64_t i = 0; i < list.item[k].count * (int64_t)field_item_size(list.item[k].type); i++)
      ((unsigned char *)list.item[k].data)[i] ^= 0x55;
  field_list_free(&list);
  cr_assert_eq(checkpoint_read(path, &other->input.model, &other->state, &note, &err), OK, "%s",
               err.text);
  cr_assert_eq(note.history_rows, 25);
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
  checkpoint_note_free(&note);
  remove(path);
  run_case_close(run);
  run_case_close(other);
}

Test(checkpoint, of_another_model_is_refused) {
  char path[512];
  temporary(path, sizeof path);
  CaseRun *run = run_case_open("inputs/masonry_wall.xml", SETTINGS);
  Err err = {0};
  CheckpointNote note = {0};
  run_case_steps(run, 2);
  cr_assert_eq(checkpoint_write(path, &run->input.model, &run->state,
                                &(CheckpointNote){.history_rows = 2}, &err),
               OK);
  static const struct {
    const char *settings, *says;
  } change[] = {{"courses=4 blocks=3 output_every=0", "wall 'wall': courses 4, was 3"},
                {"courses=3 blocks=3 output_every=0 young=2e6", "young 2000000, was "},
                {"courses=3 blocks=3 output_every=0 step=5e-4", "time: step 0.0005, was "},
                {"courses=3 blocks=3 output_every=0 friction=0.4", "friction 0.4, was "}};
  for (size_t k = 0; k < sizeof change / sizeof change[0]; k++) {
    CaseRun *other = run_case_open("inputs/masonry_wall.xml", change[k].settings);
    cr_assert_eq(checkpoint_read(path, &other->input.model, &other->state, &note, &err), ERR_INPUT,
                 "%s", change[k].settings);
    cr_assert(strstr(err.text, "another model"), "%s", err.text);
    cr_assert(strstr(err.text, change[k].says), "%s", err.text);
    int lines = 1; // what is refused, a line for each change, what can be done, the file
    for (const char *c = err.text; *c; c++) lines += *c == '\n';
    cr_assert_eq(lines, 4, "%d lines: %s", lines, err.text);
    run_case_close(other);
  }
  checkpoint_note_free(&note);
  remove(path);
  run_case_close(run);
}

Test(checkpoint, that_is_cut_off_anywhere_is_refused) {
  char path[512];
  temporary(path, sizeof path);
  CaseRun *run = run_case_open("inputs/masonry_wall.xml", "courses=2 blocks=2 output_every=0");
  Err err = {0};
  CheckpointNote note = {0};
  run_case_steps(run, 2);
  cr_assert_eq(checkpoint_write(path, &run->input.model, &run->state,
                                &(CheckpointNote){.history_rows = 2}, &err),
               OK);
  long size = size_of(path);
  for (long at = size - 1; at > 0; at -= size / 17 + 1) {
    CaseRun *other = run_case_open("inputs/masonry_wall.xml", "courses=2 blocks=2 output_every=0");
    cr_assert_eq(truncate(path, at), 0);
    cr_assert_eq(checkpoint_read(path, &other->input.model, &other->state, &note, &err), ERR_INPUT,
                 "%ld bytes", at);
    cr_assert(strstr(err.text, path), "%s", err.text);
    run_case_close(other);
  }
  checkpoint_note_free(&note);
  remove(path);
  run_case_close(run);
}

static void flip(const char *path, long byte, int bit) {
  FILE *file = fopen(path, "r+b");
  fseek(file, byte, SEEK_SET);
  int value = fgetc(file);
  fseek(file, byte, SEEK_SET);
  fputc(value ^ 1 << bit, file);
  fclose(file);
}

// Of 100 places spread over the file one bit is another: it is refused as damaged, or it was of no
// use (padding, what HDF5 does not read) and the state is what was written.
// tests/tools/flip_bits.py tries thousands.
Test(checkpoint, with_one_bit_flipped_never_gives_another_state) {
  enum { N_FLIPS = 100 };
  char path[512];
  temporary(path, sizeof path);
  CaseRun *run = run_case_open("inputs/masonry_wall.xml", "courses=2 blocks=2 output_every=0"),
          *other = run_case_open("inputs/masonry_wall.xml", "courses=2 blocks=2 output_every=0");
  Err err = {0};
  CheckpointNote note = {0};
  int refused = 0;
  uint32_t random = 12345; // any: the places are the same in every run
  run_case_steps(run, 20);
  uint64_t hash = state_hash(&run->state, &run->input.model);
  cr_assert_eq(checkpoint_write(path, &run->input.model, &run->state,
                                &(CheckpointNote){.history_rows = 20}, &err),
               OK);
  long size = size_of(path);
  for (int k = 0; k < N_FLIPS; k++) {
    random = random * 1664525u + 1013904223u; // Knuth, The Art of Computer Programming 2
    long byte = (long)((double)random / 4294967296.0 * (double)size);
    int bit = (int)(random >> 7 & 7);
    flip(path, byte, bit);
    Status status = checkpoint_read(path, &other->input.model, &other->state, &note, &err);
    cr_assert(status == OK || status == ERR_INPUT, "bit %d of byte %ld: %s", bit, byte, err.text);
    cr_assert(status != OK || (note.history_rows == 20 &&
                               state_hash(&other->state, &other->input.model) == hash),
              "bit %d of byte %ld gave another state", bit, byte);
    refused += status != OK;
    err_clear(&err);
    flip(path, byte, bit);
  }
  cr_assert(refused > N_FLIPS / 4, "%d refused: what is in this file?", refused);
  cr_assert_eq(checkpoint_read(path, &other->input.model, &other->state, &note, &err), OK);
  checkpoint_note_free(&note);
  remove(path);
  run_case_close(run);
  run_case_close(other);
}

// A block that jumps off the one it was glued to, and lands on it again: what the joint remembers
// decides whether it holds then.
Test(checkpoint, takes_up_laws_with_memory) {
  static const char *const laws[] = {
      "type='mohr_coulomb' friction='0.3' tension='1e3' cohesion='2e3'",
      ("type='cohesive_zone' friction='0.3' normal_stiffness='1e8' tangent_stiffness='1e8' "
       "tension='5e3' energy='0.5'"),
      "type='elastic_joint' friction='0.3' normal_stiffness='1e8' tangent_stiffness='1e8'"};
  char path[512];
  temporary(path, sizeof path);
  for (int k = 0; k < 3; k++) {
    const char *xml = xml_format(
        "<voussoir><material name='m' density='2000' young='1e7' poisson='0.2'/><law name='l' %s/>"
        "<block name='a' material='m' width='1' height='0.5'/>"
        "<block name='b' material='m' y='0.5' width='1' height='0.5'/>"
        "<support name='s' shape='plane'/><contact candidate='b' antagonist='a' law='l' "
        "points='nodes'/><contact candidate='a' antagonist='s' law='l' points='nodes'/>"
        "<velocity of='b' x='0.1' y='0.4'/><gravity/><time end='0.2' step='1e-3'/>"
        "<detection alert='0.05'/></voussoir>",
        laws[k]);
    CaseRun *run = run_case_open_text(xml, NULL), *other = run_case_open_text(xml, NULL);
    Err err = {0};
    CheckpointNote note = {0};
    double memory = 0;
    for (int step = 0; step < 60; step++) run_case_step(run, 0);
    const ContactState *contact = &run->state.contact;
    for (int64_t i = 0; i < contact->n_slots * run->input.model.contact.n_law_state; i++)
      memory += contact->law[i];
    cr_assert(k == 2 || memory > 0, "law %d has nothing to remember", k);
    cr_assert_eq(checkpoint_write(path, &run->input.model, &run->state,
                                  &(CheckpointNote){.history_rows = 0}, &err),
                 OK);
    cr_assert_eq(checkpoint_read(path, &other->input.model, &other->state, &note, &err), OK);
    step_work_free(&other->work);
    cr_assert_eq(step_work_init(&other->work, &other->input.model, &other->state, &err), OK);
    for (int step = 60; step < 200; step++) {
      run_case_step(run, 0);
      run_case_step(other, 0);
    }
    cr_assert_eq(state_hash(&other->state, &other->input.model),
                 state_hash(&run->state, &run->input.model), "law %d", k);
    run_case_close(run);
    run_case_close(other);
    checkpoint_note_free(&note);
  }
  remove(path);
}
