// Fuzzes the reader of checkpoints: whatever is changed in one, it is refused, or the state is that
// which was written.
#include "../support/fuzz_h5.h"
#include "algebra/spd.h"
#include "app/load.h"
#include "base/mem.h"
#include "step/step.h"

static Case wall;
static FuzzImage image;
static uint64_t hash;

static void make_base(void) {
  static const InputSetting settings[] = {{"courses", "2"}, {"blocks", "2"}, {"output_every", "0"}};
  Err err = {0};
  State state;
  StepWork work;
  Log log = {.quiet = 1};
  const char *path = fuzz_path("base.h5");
  if (algebra_start(NULL, NULL) != OK) abort();
  if (case_load(&wall, "inputs/masonry_wall.xml", settings, 3, &err) != OK) abort();
  if (state_init(&state, &wall.model, &err) != OK) abort();
  if (step_work_init(&work, &wall.model, &state, &err) != OK) abort();
  for (int k = 0; k < 5; k++)
    if (step_advance(&wall.model, &state, &work, &log, &err) != OK) abort();
  if (checkpoint_write(path, &wall.model, &state, &(CheckpointNote){.history_rows = 5}, &err) != OK)
    abort();
  hash = state_hash(&state, &wall.model);
  step_work_free(&work);
  state_free(&state);
  fuzz_image(&image, path);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  FuzzBytes bytes = {data, size};
  const char *path = fuzz_path("checkpoint.h5");
  if (image.n == 0) make_base();
  int64_t before = mem_live_blocks();
  Err err = {0};
  State state;
  if (state_init(&state, &wall.model, &err) != OK) abort();
  CheckpointNote note = {.accept_changes = fuzz_byte(&bytes) & 1};
  fuzz_image_write(&image, path, &bytes);
  Status status = checkpoint_read(path, &wall.model, &state, &note, &err);
  if (status == OK ? state_hash(&state, &wall.model) != hash || note.history_rows != 5
                   : status != ERR_INPUT)
    abort();
  if (size <= 1 && status != OK) abort();
  checkpoint_note_free(&note);
  state_free(&state);
  remove(path);
  if (mem_live_blocks() != before) abort();
  return 0;
}
