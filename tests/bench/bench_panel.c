// Problem x solver: iterations, milliseconds, error; and the cost of a sweep against a triad.
//
//   bench_panel [--tolerance T] [--cap SECONDS] [--solver NAME]... [--problem PART]...
//               [--sweep | --no-sweep]
//
// Problems are the FCLIB files in $VOUSSOIR_DATA/fclib. Times are CPU times, best of `REPEATS` when
// short; a solver that takes longer than the cap is stopped: each has a process of its own. Nothing
// is asserted here; the tests do that.
#define _POSIX_C_SOURCE 200809L
#include <dirent.h>
#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "algebra/spd.h"
#include "base/timer.h"
#include "solver/measure.h"
#include "solver/problem_fclib.h"
#include "solver/sweeper.h"

enum { MAX_NAMES = 32, REPEATS = 5, SWEEPS = 60, MAX_FILES = 256 };

static const double SHORT = 0.5; // [s] what is repeated

typedef struct {
  double tolerance;
  double cap; // [s]
  int sweep_only, no_sweep;
  int n_solvers, n_parts;
  const char *solver[MAX_NAMES], *part[MAX_NAMES];
} Options;

static int chosen(const char *name, const char *const *list, int n) {
  for (int k = 0; k < n; k++)
    if (strstr(name, list[k])) return 1;
  return n == 0;
}

static int exact(const char *name, const char *const *list, int n) {
  for (int k = 0; k < n; k++)
    if (strcmp(name, list[k]) == 0) return 1;
  return n == 0;
}

static int load(const char *folder, const char *name, OwnedProblem *owned) {
  char path[1024];
  Err err = {0};
  FclibProblem file;
  snprintf(path, sizeof path, "%s/%s", folder, name);
  Status status = fclib_read(&file, path, &err);
  if (status == OK) {
    status = problem_from_fclib(owned, &file, &err);
    fclib_free(&file);
  }
  if (status != OK) printf("%s: %s\n", name, err.text);
  return status == OK;
}

static void measure(const SolverType *type, const Problem *p, const Options *options,
                    const char *name) {
  Arena arena = {0};
  Err err = {0};
  SolverReport report = {0};
  SolverSettings settings = solver_defaults(type);
  settings.tolerance = options->tolerance;
  double best = (double)INFINITY, *r = calloc((size_t)(p->n * p->dim), sizeof *r);
  if (!r) return;
  for (int k = 0; k < REPEATS; k++) {
    memset(r, 0, sizeof *r * (size_t)(p->n * p->dim));
    arena_reset(&arena);
    double start = timer_cpu();
    if (type->solve(p, &settings, r, &arena, &report, &err) != OK) {
      printf("%-34.34s %-22s %s\n", name, type->name, err.text);
      break;
    }
    best = fmin(best, timer_cpu() - start);
    if (best > SHORT) break;
  }
  double norm = 0;
  for (int k = 0; k < p->n * p->dim; k++) norm += r[k] * r[k];
  printf("%-34.34s %-22s %3s %8d %10.3f ms  error %.2e  siconos %.2e  |r| %.4e  %s\n", name,
         type->name, report.converged ? "yes" : "NO", report.iterations, 1e3 * best, report.error,
         measure_siconos(p, r), sqrt(norm), report.reason ? report.reason : "");
  fflush(stdout);
  arena_free(&arena);
  free(r);
}

static void run(const SolverType *type, const Problem *p, const Options *options,
                const char *name) {
  fflush(stdout);
  pid_t pid = fork();
  if (pid == 0) {
    alarm((unsigned)ceil(options->cap));
    measure(type, p, options, name);
    fflush(stdout);
    _exit(0);
  }
  int status = 0;
  if (pid > 0) waitpid(pid, &status, 0);
  if (WIFSIGNALED(status))
    printf("%-34.34s %-22s %3s %8s  more than %g s\n", name, type->name, "NO", "", options->cap);
}

// `copies` times the same problem, block-diagonal: out of the caches.
static int make_copies(OwnedProblem *to, const Problem *p, int copies) {
  int64_t nnz = p->blocks.ptr[p->n];
  size_t block = (size_t)(p->dim * p->dim), dim = (size_t)p->dim, n = (size_t)p->n;
  size_t many = (size_t)copies;
  *to = (OwnedProblem){.ptr = mem_new(n * many + 1, sizeof(int64_t)),
                       .col = mem_new((size_t)nnz * many, sizeof(int32_t)),
                       .w = mem_new((size_t)nnz * many * block, sizeof(double)),
                       .diag = mem_new(n * many * block, sizeof(double)),
                       .b = mem_new(n * many * dim, sizeof(double)),
                       .mu = mem_new(n * many, sizeof(double))};
  if (!to->ptr || !to->col || !to->w || !to->diag || !to->b || !to->mu) return 0;
  for (size_t c = 0; c < many; c++) {
    for (size_t i = 0; i < n; i++) to->ptr[c * n + i + 1] = (int64_t)c * nnz + p->blocks.ptr[i + 1];
    for (int64_t e = 0; e < nnz; e++)
      to->col[(int64_t)c * nnz + e] = p->blocks.col[e] + (int32_t)(c * n);
    memcpy(to->w + c * (size_t)nnz * block, p->blocks.w, (size_t)nnz * block * sizeof(double));
    memcpy(to->diag + c * n * block, p->diag, n * block * sizeof(double));
    memcpy(to->b + c * n * dim, p->b, n * dim * sizeof(double));
    memcpy(to->mu + c * n, p->mu, n * sizeof(double));
  }
  to->p = (Problem){.dim = p->dim,
                    .n = p->n * copies,
                    .blocks.ptr = to->ptr,
                    .blocks.col = to->col,
                    .blocks.w = to->w,
                    .diag = to->diag,
                    .b = to->b,
                    .mu = to->mu};
  return 1;
}

// Best sweep of many on the clock: a second thread is of use only if it is seen on the clock.
static double time_sweeps(const Problem *p, int sweeps, int threads, int coloured,
                          const char *label) {
  Arena arena = {0};
  SolverReport report = {0};
  Sweeper sweeper;
  double best = (double)INFINITY, test = (double)INFINITY;
  double *r = calloc((size_t)(p->n * p->dim), sizeof *r);
  if (!r || sweeper_init(&sweeper, p, &arena, &report, NULL) != OK) return 0;
  if (coloured && sweeper_colour(&sweeper, &arena, NULL) != OK) return 0;
  omp_set_num_threads(threads);
  for (int s = 0; s < sweeps; s++) sweeper_sweep(&sweeper, 1, r, &report);
  for (int k = 0; k < sweeps; k++) {
    double start = timer_wall();
    sweeper_sweep(&sweeper, 1, r, &report);
    best = fmin(best, timer_wall() - start);
    start = timer_wall();
    sweeper_error(&sweeper, r, &report);
    test = fmin(test, timer_wall() - start);
  }
  omp_set_num_threads(1);
  double blocks = (double)(p->blocks.ptr[p->n] + p->n);
  printf("%-12s %-9s %d thread%s %7.0f blocks  sweep %5.2f ns/block %6.1f GB/s  error test %5.2f\n",
         label, coloured ? "coloured" : "natural", threads, threads > 1 ? "s" : " ", blocks,
         1e9 * best / blocks, 1e-9 * blocks * (p->dim * p->dim * 8 + 4) / best,
         1e9 * test / blocks);
  arena_free(&arena);
  free(r);
  return best;
}

// a = b + s c on arrays far larger than the caches.
static void triad(void) {
  size_t n = 1 << 23;
  double *a = malloc(n * sizeof *a), *b = malloc(n * sizeof *b), *c = malloc(n * sizeof *c);
  double best = (double)INFINITY;
  if (a && b && c) {
    for (size_t k = 0; k < n; k++) a[k] = b[k] = c[k] = (double)k;
    for (int t = 0; t < REPEATS; t++) {
      double start = timer_cpu();
      for (size_t k = 0; k < n; k++) a[k] = b[k] + 3 * c[k];
      best = fmin(best, timer_cpu() - start);
    }
    printf("%-34s %.1f GB/s\n", "triad", 1e-9 * 24 * (double)n / best);
  }
  free(a);
  free(b);
  free(c);
}

static void sweep_table(const char *folder) {
  OwnedProblem tower, many;
  if (!load(folder, "KaplasTower-i1061-4.hdf5", &tower)) return;
  triad();
  time_sweeps(&tower.p, 1000, 1, 0, "KaplasTower");
  if (make_copies(&many, &tower.p, 60)) {
    time_sweeps(&many.p, SWEEPS, 1, 0, "60 copies");
    double one = time_sweeps(&many.p, SWEEPS, 1, 1, "60 copies");
    double two = time_sweeps(&many.p, SWEEPS, 2, 1, "60 copies");
    printf("two threads: %.2f times faster (wanted: 1.6)\n\n", one / two);
  }
  problem_free(&many);
  problem_free(&tower);
}

static int by_name(const void *a, const void *b) {
  return strcmp(*(char *const *)a, *(char *const *)b);
}

int main(int argc, char **argv) {
  Options options = {.tolerance = 1e-4, .cap = 10};
  for (int k = 1; k < argc; k++) {
    const char *next = k + 1 < argc ? argv[k + 1] : "";
    if (strcmp(argv[k], "--sweep") == 0) options.sweep_only = 1;
    if (strcmp(argv[k], "--no-sweep") == 0) options.no_sweep = 1;
    if (strcmp(argv[k], "--tolerance") == 0) options.tolerance = strtod(next, NULL);
    if (strcmp(argv[k], "--cap") == 0) options.cap = strtod(next, NULL);
    if (strcmp(argv[k], "--solver") == 0 && options.n_solvers < MAX_NAMES)
      options.solver[options.n_solvers++] = next;
    if (strcmp(argv[k], "--problem") == 0 && options.n_parts < MAX_NAMES)
      options.part[options.n_parts++] = next;
  }
  const char *data = getenv("VOUSSOIR_DATA");
  char folder[900];
  if (!data) {
    puts("skipped: VOUSSOIR_DATA is not set");
    return 0;
  }
  if (algebra_start(NULL, NULL) != OK) return 3;
  omp_set_num_threads(1);
  snprintf(folder, sizeof folder, "%s/fclib", data);
  if (!options.no_sweep) sweep_table(folder);
  if (options.sweep_only) return 0;
  DIR *dir = opendir(folder);
  char *names[MAX_FILES];
  int n = 0;
  for (struct dirent *entry; dir && n < MAX_FILES && (entry = readdir(dir));)
    if (strstr(entry->d_name, ".hdf5") && chosen(entry->d_name, options.part, options.n_parts))
      names[n++] = strdup(entry->d_name);
  if (dir) closedir(dir);
  qsort(names, (size_t)n, sizeof *names, by_name);
  for (int k = 0; k < n; k++) {
    OwnedProblem owned;
    if (load(folder, names[k], &owned)) {
      printf("%s: %dD, %d contacts, %lld blocks\n", names[k], owned.p.dim, owned.p.n,
             (long long)(owned.p.blocks.ptr[owned.p.n] + owned.p.n));
      for (int s = 0; solver_types[s]; s++)
        if (exact(solver_types[s]->name, options.solver, options.n_solvers))
          run(solver_types[s], &owned.p, &options, names[k]);
      problem_free(&owned);
    }
    free(names[k]);
  }
  return 0;
}
