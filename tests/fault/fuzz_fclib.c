// Fuzzes the reader of FCLIB files and what is made of what it accepts: a problem and a few
// iterations of every solver. Build and run:
//   clang -g -O1 -march=native -ffp-contract=fast -fno-math-errno -Isrc -DVOUSSOIR_VERSION='"fuzz"'
//     $(pkg-config --cflags hdf5) -fsanitize=fuzzer,address,undefined tests/fault/fuzz_fclib.c
//     src/file/fclib.c src/file/h5.c src/file/atomic.c src/solver/*.c src/algebra/*.c src/base/*.c
//     -lcholmod -lumfpack -lmetis -lopenblas $(pkg-config --libs hdf5) -lm -o build/fuzz_fclib
//   build/fuzz_fclib -max_total_time=3600 -max_len=16384 build/fuzz_corpus $VOUSSOIR_DATA/fclib
// HDF5 itself loses memory over damaged files and asks for absurd amounts of it: run with
// -detect_leaks=0 and ASAN_OPTIONS=allocator_may_return_null=1. Our own blocks are counted below.
// Inputs that crash go to build/ unless -artifact_prefix says otherwise; no other file is left.
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "solver/problem_fclib.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerInitialize(int *argc, char ***argv);

enum { MAX_ARGUMENTS = 256 };

// Arguments of the fuzzer; the first of two equal options counts less than the last.
int LLVMFuzzerInitialize(int *argc, char ***argv) {
  static char prefix[] = "-artifact_prefix=build/fuzz_fclib-";
  static char *arguments[MAX_ARGUMENTS + 2];
  if (*argc < 1 || *argc > MAX_ARGUMENTS) return 0;
  arguments[0] = (*argv)[0];
  arguments[1] = prefix;
  for (int k = 1; k < *argc; k++) arguments[k + 1] = (*argv)[k];
  *argc += 1;
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
