// Fuzzes the reader of FCLIB files and what is made of what it accepts: a problem and a few
// iterations of every solver. Build and run:
//   make build-fuzz/fuzz_fclib
//   build-fuzz/fuzz_fclib -max_total_time=3600 build-fuzz/corpus/fuzz_fclib $VOUSSOIR_DATA/fclib
// Inputs that crash go to build/ unless -artifact_prefix says otherwise; no other file is left.
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <pthread.h>
#include <sanitizer/common_interface_defs.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "solver/problem_fclib.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerInitialize(int *argc, char ***argv);

const char *__asan_default_options(void);

// HDF5 itself loses memory over damaged files and asks for absurd amounts of it; our own blocks are
// counted below.
const char *__asan_default_options(void) {
  return "allocator_may_return_null=1:detect_leaks=0";
}

// Children that die over a damaged file do so on our behalf (file/guard.h): not a finding to keep.
static void fall_silent(void) {
  __sanitizer_set_death_callback(NULL);
}

// Arguments of the fuzzer; the first of two equal options counts less than the last.
int LLVMFuzzerInitialize(int *argc, char ***argv) {
  enum { MAX_ARGUMENTS = 256, OURS = 4 };
  static char ours[OURS][48] = {"-artifact_prefix=build/fuzz_fclib-", "-detect_leaks=0",
                                "-rss_limit_mb=0", "-max_len=16384"};
  static char *arguments[MAX_ARGUMENTS + OURS + 1];
  pthread_atfork(NULL, NULL, fall_silent);
  if (*argc < 1 || *argc > MAX_ARGUMENTS) return 0;
  arguments[0] = (*argv)[0];
  for (int k = 0; k < OURS; k++) arguments[1 + k] = ours[k];
  for (int k = 1; k < *argc; k++) arguments[k + OURS] = (*argv)[k];
  *argc += OURS;
  *argv = arguments;
  return 0;
}

enum { SWEEPS = 3, LARGEST = 200 };

static void use(const FclibProblem *file) {
  Err err = {0};
  OwnedProblem owned;
  if (problem_from_fclib(&owned, file, &err) != OK) return;
  const Problem *p = &owned.p;
  for (int s = 0; solver_types[s] && p->n <= LARGEST; s++) {
    Arena arena = {0};
    SolverReport report;
    SolverSettings settings = solver_defaults(solver_types[s]);
    settings.max_iterations = SWEEPS;
    double *r = mem_new((size_t)(p->n * p->dim), sizeof *r);
    if (!r || solver_types[s]->solve(p, &settings, r, &arena, &report, &err) != OK) abort();
    if (report.converged && !(report.error <= settings.tolerance)) abort();
    mem_free(r);
    arena_free(&arena);
  }
  problem_free(&owned);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  // A file in memory, as HDF5 wants a path; one for each process.
  char path[64];
  snprintf(path, sizeof path, "/dev/shm/voussoir_fuzz_fclib_%ld.hdf5", (long)getpid());
  FILE *stream = fopen(path, "wb");
  if (!stream) return 0;
  if (size > 0 && fwrite(data, 1, size, stream) != size) abort();
  fclose(stream);
  Err err = {0};
  FclibProblem file;
  Status status = fclib_read(&file, path, &err);
  if (status == OK) {
    use(&file);
    fclib_free(&file);
  } else if (status != ERR_INPUT && status != ERR_SYSTEM) {
    abort();
  }
  remove(path);
  if (mem_live_blocks() != 0) abort();
  return 0;
}
