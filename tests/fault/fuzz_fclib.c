// Fuzzes the reader of FCLIB files and what is made of what it accepts: a problem and a few
// iterations of every solver. Files are sound HDF5 with contents that the bytes change
// (support/fuzz_h5.h), and are read in this process.
#include "../support/fuzz_h5.h"
#include "base/mem.h"
#include "solver/problem_fclib.h"

enum { SWEEPS = 3, LARGEST = 200, N_BASES = 6, MOST = 36, EQUAL = 2 };
static FuzzImage image[N_BASES];

// A file of two contacts: local in the plane, in space, with elastic parts and levers, global; the
// last two again with equalities.
static void make_base(int base) {
  int dim = base == 0 ? 2 : 3, n = 2, size = n * dim, col[MOST], moved[4] = {0, -1, 1, 0};
  int64_t ptr[8], diagonal[8];
  double w[MOST], m[6], mu[2] = {0.3, 0.5}, q[6], elastic[4] = {0.1, 0.1, 0.1, 0.1}, lever[72];
  int64_t pairs[8], pair[3] = {0, 2, 4};
  double own[4] = {2, 0.5, 0.5, 2}, s[EQUAL] = {-0.5, 0.25};
  for (int k = 0; k < size * size; k++) col[k] = k % size, w[k] = k % size == k / size ? 2 : 0.3;
  for (int k = 0; k <= size; k++) ptr[k] = (int64_t)k * size, diagonal[k] = k;
  for (int k = 0; k < size; k++) q[k] = k % dim == 0 ? -1 : 0.4, m[k] = 1;
  for (int k = 0; k < 72; k++) lever[k] = 0.1 * (k % 5);
  for (int k = 0; k <= size; k++) pairs[k] = EQUAL * k;
  int pair_col[MOST];
  for (int k = 0; k < MOST; k++) pair_col[k] = k % EQUAL;
  FclibMatrix across = {size, EQUAL, pairs, pair_col, w},
              equal = {EQUAL, EQUAL, pair, pair_col, own};
  FclibMatrix full = {size, size, ptr, col, w}, mass = {size, size, diagonal, col, m};
  FclibProblem made = {.global = base == 3 || base == 5,
                       .dim = dim,
                       .n = n,
                       .w = full,
                       .m = mass,
                       .h = full,
                       .q = q,
                       .f = q,
                       .mu = mu};
  if (base >= 4) made.n_equal = EQUAL, made.v = made.g = across, made.r = equal, made.s = s;
  if (base == 2 || base == 4) made.elastic = elastic, made.moved = moved, made.lever = lever;
  Err err = {0};
  const char *path = fuzz_path("base.hdf5");
  if (fclib_write(&made, NULL, "base", path, &err) != OK) abort();
  fuzz_image(&image[base], path);
}

static void use(const FclibProblem *file) {
  Err err = {0};
  OwnedProblem owned;
  if (problem_from_fclib(&owned, file, &err) != OK) return;
  const Problem *p = &owned.p;
  for (int s = 0; solver_types[s] && p->n <= LARGEST; s++) {
    if (solver_accepts(solver_types[s], p, NULL) != OK) continue;
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
  FuzzBytes bytes = {data, size};
  int base = fuzz_byte(&bytes) % N_BASES,
      solve = fuzz_byte(&bytes) % 16 == 0; // most time goes to reading
  const char *path = fuzz_path("problem.hdf5");
  if (image[base].n == 0) make_base(base);
  fuzz_image_write(&image[base], path, &bytes);
  Err err = {0};
  FclibProblem file;
  Status status = fclib_read(&file, path, &err);
  if (status == OK && solve) use(&file);
  if (status != OK && (status != ERR_INPUT || !strstr(err.text, path))) abort();
  if (size <= 2 && status != OK) abort();
  fclib_free(&file);
  remove(path);
  if (mem_live_blocks() != 0) abort();
  return 0;
}
