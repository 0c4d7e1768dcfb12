// Fuzzes the reader: the bytes are an input file, which may include itself and "part.xml".
//
//   clang -g -O1 -fsanitize=fuzzer,address,undefined -Isrc $(pkg-config --cflags libxml-2.0)
//       tests/fault/fuzz_input.c tests/support/input_sample.c src/input/*.c src/base/*.c
//       -lxml2 -lmuparser -lm -o fuzz_input
//   ./fuzz_input -max_total_time=120 CORPUS tests/fault/input_seeds
//
// Besides what the sanitizers see: a status and its defects agree, and nothing stays allocated.

#include <stdint.h>
#include <stdlib.h>

#include "../support/input_sample.h"
#include "base/mem.h"
#include "input/function.h"

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void leave(void) {
  sample_leave();
}

int LLVMFuzzerInitialize(int *argc, char ***argv) {
  (void)argc, (void)argv;
  sample_enter();
  atexit(leave);
  sample_write("part.xml", "<voussoir><material name='a' density='1'/></voussoir>");
  return 0;
}

static void read_input(void) {
  Input in;
  Diag diag = {0};
  Err err = {0};
  const InputSetting setting = {"a", "2"};
  Status status = input_load("main.xml", &sample_schema, &setting, 1, &in, &diag, &err);
  if (status != OK && status != ERR_INPUT) abort();
  if ((status == OK) != (diag.n == 0)) abort();
  input_free(&in);
  diag_free(&diag);
}

static void read_records(void) {
  Function f;
  Err err = {0};
  double value;
  Status status = function_accelerogram(&f, "record.at2", 2, 1, &err);
  if (status == OK) status = function_value(&f, 0.5, &value, &err);
  if (status != OK && status != ERR_INPUT) abort();
  function_free(&f);
  status = function_table(&f, "record.at2", 2, 1, &err);
  if (status == OK) status = function_value(&f, 0.5, &value, &err);
  if (status != OK && status != ERR_INPUT) abort();
  function_free(&f);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  // The first byte tells whether the rest is an input or a table.
  if (size > 0 && data[0] == 'T') {
    sample_write_bytes("record.at2", data + 1, size - 1);
    read_records();
  } else {
    sample_write_bytes("main.xml", data, size);
    read_input();
  }
  if (mem_live_blocks() != 0) abort();
  return 0;
}
