// Our `auto` against the solvers of Siconos (Acary and Perignon) on the same problems, one thread.
//
//   bench_siconos [--problem PART]... [--cap SECONDS]
//
// Problems are the FCLIB files in $VOUSSOIR_DATA/fclib. Everybody runs as a stranger would: each
// time is that of the one and first solution of a process of its own, the best of five of these.
// For Siconos the best of its solvers counts, on the problem as the file has it and scaled to unit
// mean diagonal, each with its loosest tolerance (1e-2, 1e-3, ...) whose returned r passes our
// scaled error; a process ends at the cap, or once it has taken more CPU time than the best so far.
// Needs the headers of libsiconos-numerics-dev in the include path (bench.py sees to that); says so
// otherwise.
//
//   bench_siconos --one MEMBER SCALED TOLERANCE CAP FILE
//
// is such a process (MEMBER: row of `members`, -1: auto): prints seconds and scaled error.
#define _GNU_SOURCE // setitimer, clocks, pipes
#include <dirent.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#if defined(__has_include)
#if __has_include("SiconosConfig.h")
#define HAS_SICONOS 1
#endif
#endif

#ifndef HAS_SICONOS

int main(void) {
  puts("comparison with Siconos: skipped, libsiconos-numerics-dev is not installed");
  return 0;
}

#else

#include <omp.h>

#include <Friction_cst.h>
#include <FrictionContactProblem.h>
#include <NonSmoothDrivers.h>
#include <NumericsMatrix.h>
#include <NumericsVerbose.h>
#include <SolverOptions.h>
#include <SparseBlockMatrix.h>

#include "algebra/spd.h"
#include "solver/measure.h"
#include "solver/problem_fclib.h"

enum { MAX_FILES = 256, REPEATS = 5, TARGETS = 2, MORE_THAN = 10, AUTO = -1, SCALINGS = 2 };

static const double targets[TARGETS] = {1e-4, 1e-8};
static const double LOOSEST = 1e-2, TIGHTEST = 1e-15;
static const double NEAR = 1.5; // a first run this many times the best so far is not repeated

typedef struct {
  const char *name;
  int dim, id, local; // local: solver of one contact inside, 0: the default
  int light;          // 1: NSGS tests cheaply, in full at the end
  NM_types storage;
  int max_iterations;
} Member;

// Those that nearly always get there first: they set the limit for the others.
static const Member members[] = {
    {"semi-smooth Newton", 3, SICONOS_FRICTION_3D_NSN_AC, 0, 0, NM_SPARSE, 2000},
    {"proximal point", 3, SICONOS_FRICTION_3D_PROX, 0, 0, NM_SPARSE, 2000},
    {"NSGS", 3, SICONOS_FRICTION_3D_NSGS, 0, 0, NM_SPARSE_BLOCK, 1000000},
    {"NSGS, light test", 3, SICONOS_FRICTION_3D_NSGS, 0, 1, NM_SPARSE_BLOCK, 1000000},
    {"NSGS, local iteration", 3, SICONOS_FRICTION_3D_NSGS,
     SICONOS_FRICTION_3D_ONECONTACT_ProjectionOnConeWithLocalIteration, 0, NM_SPARSE_BLOCK,
     1000000},
    {"NSGS, Alart-Curnier", 3, SICONOS_FRICTION_3D_NSGS, SICONOS_FRICTION_3D_ONECONTACT_NSN, 0,
     NM_SPARSE_BLOCK, 1000000},
    {"extragradient", 3, SICONOS_FRICTION_3D_EG, 0, 0, NM_SPARSE_BLOCK, 1000000},
    {"extragradient (VI)", 3, SICONOS_FRICTION_3D_VI_EG, 0, 0, NM_SPARSE_BLOCK, 1000000},
    {"ADMM", 3, SICONOS_FRICTION_3D_ADMM, 0, 0, NM_SPARSE, 100000},
    {"NSGS", 2, SICONOS_FRICTION_2D_NSGS, 0, 0, NM_SPARSE_BLOCK, 1000000},
    {"CPG", 2, SICONOS_FRICTION_2D_CPG, 0, 0, NM_DENSE, 100000},
    {"Lemke", 2, SICONOS_FRICTION_2D_LEMKE, 0, 0, NM_DENSE, 100000},
};
enum { N_MEMBERS = sizeof members / sizeof members[0] };

// ---- the problem as Siconos wants it ------------------------------------------------------------

static double mean_diagonal(const Problem *p) {
  double sum = 0;
  for (int i = 0; i < p->n; i++)
    for (int k = 0; k < p->dim; k++) sum += p->diag[((size_t)i * p->dim + k) * p->dim + k];
  return sum / (p->n * p->dim);
}

// Calls `put` for all blocks of row i, the diagonal one at its place.
typedef struct {
  NumericsMatrix *to;
  SparseBlockStructuredMatrix *blocks;
  const Problem *p;
  double scale;
} Filler;

static void put(Filler *filler, int i, int j, const double *block) {
  int dim = filler->p->dim;
  if (filler->blocks) {
    SparseBlockStructuredMatrix *m = filler->blocks;
    double *copy = malloc(sizeof *copy * (size_t)(dim * dim)); // one by one, as Siconos does
    for (int k = 0; k < dim; k++)
      for (int l = 0; l < dim; l++) copy[l * dim + k] = filler->scale * block[k * dim + l];
    m->index2_data[m->filled2] = (size_t)j;
    m->block[m->filled2++] = copy;
    return;
  }
  for (int k = 0; k < dim; k++)
    for (int l = 0; l < dim; l++)
      NM_entry(filler->to, i * dim + k, j * dim + l, filler->scale * block[k * dim + l]);
}

static void fill(Filler *filler) {
  const Problem *p = filler->p;
  size_t block = (size_t)(p->dim * p->dim);
  for (int i = 0; i < p->n; i++) {
    int64_t e = p->blocks.ptr[i], end = p->blocks.ptr[i + 1];
    if (filler->blocks) filler->blocks->index1_data[i] = filler->blocks->filled2;
    for (; e < end && p->blocks.col[e] < i; e++)
      put(filler, i, p->blocks.col[e], p->blocks.w + block * (size_t)e);
    put(filler, i, i, p->diag + block * (size_t)i);
    for (; e < end; e++) put(filler, i, p->blocks.col[e], p->blocks.w + block * (size_t)e);
  }
  if (filler->blocks) filler->blocks->index1_data[p->n] = filler->blocks->filled2;
}

static NumericsMatrix *matrix_of(const Problem *p, NM_types storage, double scale) {
  int size = p->n * p->dim;
  size_t n_blocks = (size_t)(p->blocks.ptr[p->n] + p->n);
  Filler filler = {.p = p, .scale = scale};
  if (storage == NM_SPARSE_BLOCK) {
    SparseBlockStructuredMatrix *m = filler.blocks = SBM_new();
    m->nbblocks = (unsigned)n_blocks;
    m->block = malloc(n_blocks * sizeof *m->block);
    m->blocknumber0 = m->blocknumber1 = (unsigned)p->n;
    m->blocksize0 = malloc(sizeof(unsigned) * (size_t)p->n);
    m->blocksize1 = malloc(sizeof(unsigned) * (size_t)p->n);
    for (int i = 0; i < p->n; i++)
      m->blocksize0[i] = m->blocksize1[i] = (unsigned)((i + 1) * p->dim);
    m->filled1 = (size_t)p->n + 1;
    m->index1_data = malloc(sizeof(size_t) * m->filled1);
    m->index2_data = malloc(sizeof(size_t) * n_blocks);
    fill(&filler);
    return NM_new_SBM(size, size, m);
  }
  filler.to = NM_create(storage, size, size);
  if (storage == NM_SPARSE)
    NM_triplet_alloc(filler.to, (CS_INT)(n_blocks * (size_t)(p->dim * p->dim)));
  fill(&filler);
  return filler.to;
}

// ---- one run in a process of its own ------------------------------------------------------------

typedef struct {
  double seconds, error; // CPU time and our scaled error; infinite when it came to nothing
} Result;

typedef struct {
  int member, scaled; // row of `members` or AUTO; to unit mean diagonal?
  double tolerance, cap;
} Task;

// CPU time of this thread: that of the process is coarse while a timer runs on it.
static double seconds_of_thread(void) {
  struct timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

// Ends the process after `cap` seconds of CPU time.
static void set_alarm(double cap) {
  struct itimerval timer = {.it_value = {(time_t)cap, (suseconds_t)(1e6 * fmod(cap, 1)) + 1}};
  setitimer(ITIMER_PROF, &timer, NULL);
}

static double solve_by_siconos(const Task *task, const Problem *p, double *r) {
  const Member *member = &members[task->member];
  double scale = task->scaled ? 1 / mean_diagonal(p) : 1;
  size_t size = (size_t)(p->n * p->dim);
  double *u = calloc(size, sizeof *u), *q = calloc(size, sizeof *q),
         *mu = calloc((size_t)p->n, sizeof *mu);
  for (size_t k = 0; k < size; k++) q[k] = scale * p->b[k];
  memcpy(mu, p->mu, sizeof *mu * (size_t)p->n);
  FrictionContactProblem *problem = frictionContactProblem_new();
  problem->dimension = p->dim;
  problem->numberOfContacts = p->n;
  problem->M = matrix_of(p, member->storage, scale);
  problem->q = q;
  problem->mu = mu;
  SolverOptions *options = solver_options_create(member->id);
  if (member->local) {
    solver_options_delete(options->internalSolvers[0]);
    options->internalSolvers[0] = solver_options_create(member->local);
  }
  options->iparam[SICONOS_IPARAM_MAX_ITER] = member->max_iterations;
  options->dparam[SICONOS_DPARAM_TOL] = task->tolerance;
  if (member->light)
    options->iparam[SICONOS_FRICTION_3D_IPARAM_ERROR_EVALUATION] =
        SICONOS_FRICTION_3D_NSGS_ERROR_EVALUATION_LIGHT_WITH_FULL_FINAL;
  numerics_set_verbose(0);
  set_alarm(task->cap);
  double start = seconds_of_thread();
  if (p->dim == 3)
    fc3d_driver(problem, r, u, options);
  else
    fc2d_driver(problem, r, u, options);
  return seconds_of_thread() - start;
}

static double solve_by_auto(const Task *task, const Problem *p, double *r) {
  Arena arena = {0};
  Err err = {0};
  SolverReport report = {0};
  const SolverType *type = solver_find("auto");
  SolverSettings settings = solver_defaults(type);
  settings.tolerance = task->tolerance;
  set_alarm(task->cap);
  double start = seconds_of_thread();
  if (type->solve(p, &settings, r, &arena, &report, &err) != OK) return (double)INFINITY;
  return seconds_of_thread() - start;
}

static double scaled_error(const Problem *p, const double *r) {
  double *scale = malloc(sizeof *scale * (size_t)p->n);
  measure_scales(p, scale);
  double error = measure_error(p, scale, r);
  free(scale);
  return error;
}

static Status read_problem(OwnedProblem *owned, const char *path, Err *err) {
  FclibProblem file;
  TRY(fclib_read(&file, path, err));
  Status status = problem_from_fclib(owned, &file, err);
  fclib_free(&file);
  return status;
}

// The process itself: what Siconos prints goes nowhere.
static int solve_one(const Task *task, const char *path) {
  OwnedProblem owned;
  Err err = {0};
  if (read_problem(&owned, path, &err) != OK) return 3;
  int out = dup(1), nothing = open("/dev/null", O_WRONLY);
  dup2(nothing, 1);
  dup2(nothing, 2);
  double *r = calloc((size_t)(owned.p.n * owned.p.dim), sizeof *r);
  Result result;
  result.seconds =
      task->member == AUTO ? solve_by_auto(task, &owned.p, r) : solve_by_siconos(task, &owned.p, r);
  result.error = scaled_error(&owned.p, r);
  dprintf(out, "%.9e %.9e\n", result.seconds, result.error);
  _exit(0);
}

static Result run(const Task *task, const char *path) {
  Result result = {(double)INFINITY, (double)INFINITY}, next;
  char member[16], scaled[16], tolerance[32], cap[32];
  int pipes[2];
  snprintf(member, sizeof member, "%d", task->member);
  snprintf(scaled, sizeof scaled, "%d", task->scaled);
  snprintf(tolerance, sizeof tolerance, "%.1e", task->tolerance);
  snprintf(cap, sizeof cap, "%.6f", task->cap);
  fflush(stdout);
  if (pipe2(pipes, O_CLOEXEC) != 0) return result;
  pid_t pid = fork();
  if (pid == 0) {
    dup2(pipes[1], 1);
    execl("/proc/self/exe", "bench_siconos", "--one", member, scaled, tolerance, cap, path,
          (char *)NULL);
    _exit(127);
  }
  close(pipes[1]);
  FILE *in = fdopen(pipes[0], "r");
  if (in && fscanf(in, "%lf %lf", &next.seconds, &next.error) == 2 && isfinite(next.error))
    result = next;
  if (in) fclose(in);
  if (pid > 0) waitpid(pid, NULL, 0);
  return result;
}

// The best of REPEATS processes, where the first is not far behind `best` already.
static Result run_often(const Task *task, const char *path, double target, double best) {
  Result result = run(task, path);
  if (!(result.error <= target) || result.seconds > NEAR * best) return result;
  for (int k = 1; k < REPEATS; k++) result.seconds = fmin(result.seconds, run(task, path).seconds);
  return result;
}

// ---- the comparison -----------------------------------------------------------------------------

typedef struct {
  double seconds[TARGETS];
  int member[TARGETS], scaled[TARGETS]; // member -1: none
} Best;

// Best member and scaling for each target.
static Best best_of_siconos(const char *path, int dim, double cap) {
  Best best = {{(double)INFINITY, (double)INFINITY}, {-1, -1}, {0, 0}};
  for (int m = 0; m < N_MEMBERS * SCALINGS; m++) {
    Task task = {.member = m / SCALINGS, .scaled = m % SCALINGS, .tolerance = LOOSEST};
    if (members[task.member].dim != dim) continue;
    for (int t = 0; t < TARGETS && task.tolerance > TIGHTEST; t++)
      for (; task.tolerance > TIGHTEST; task.tolerance /= 10) {
        task.cap = fmin(cap, 2 * best.seconds[t] + 0.02);
        Result result = run_often(&task, path, targets[t], best.seconds[t]);
        if (!isfinite(result.seconds)) {
          task.tolerance = 0;
          break;
        }
        if (result.error > targets[t]) continue;
        if (result.seconds < best.seconds[t]) {
          best.seconds[t] = result.seconds;
          best.member[t] = task.member;
          best.scaled[t] = task.scaled;
        }
        break; // the next target begins with this tolerance
      }
  }
  return best;
}

typedef struct {
  double log_sum[TARGETS];
  int counted[TARGETS], only_we[TARGETS], only_they[TARGETS], neither[TARGETS];
} Totals;

static void count(Totals *totals, int t, double ours, double theirs) {
  if (isfinite(ours) && isfinite(theirs)) {
    totals->log_sum[t] += log(theirs / ours);
    totals->counted[t]++;
  } else if (isfinite(ours)) {
    totals->only_we[t]++;
  } else if (isfinite(theirs)) {
    totals->only_they[t]++;
  } else {
    totals->neither[t]++;
  }
}

// Into totals[0], and where there are more than MORE_THAN contacts into totals[1].
static void compare(const char *file, const char *path, const Problem *p, double cap,
                    Totals *totals) {
  Best best = best_of_siconos(path, p->dim, cap);
  for (int t = 0; t < TARGETS; t++) {
    Task task = {.member = AUTO, .tolerance = targets[t], .cap = cap};
    Result ours = run_often(&task, path, targets[t], (double)INFINITY);
    if (ours.error > targets[t]) ours.seconds = (double)INFINITY;
    double theirs = best.seconds[t];
    int m = best.member[t];
    printf("%-40.40s %5d  %.0e  auto %10.3f ms  Siconos %10.3f ms  %7.2f  %s%s\n", file, p->n,
           targets[t], 1e3 * ours.seconds, 1e3 * theirs, theirs / ours.seconds,
           m < 0 ? "none" : members[m].name, m >= 0 && best.scaled[t] ? ", scaled" : "");
    count(&totals[0], t, ours.seconds, theirs);
    if (p->n > MORE_THAN) count(&totals[1], t, ours.seconds, theirs);
  }
  fflush(stdout);
}

static int by_name(const void *a, const void *b) {
  return strcmp(*(char *const *)a, *(char *const *)b);
}

static int list(const char *folder, int argc, char **argv, char **names) {
  DIR *dir = opendir(folder);
  int n = 0;
  for (struct dirent *entry; dir && n < MAX_FILES && (entry = readdir(dir));) {
    int parts = 0, fits = 0;
    for (int k = 1; k + 1 < argc; k++)
      if (strcmp(argv[k], "--problem") == 0) {
        parts++;
        fits |= strstr(entry->d_name, argv[k + 1]) != NULL;
      }
    if (strstr(entry->d_name, ".hdf5") && (fits || parts == 0)) names[n++] = strdup(entry->d_name);
  }
  if (dir) closedir(dir);
  qsort(names, (size_t)n, sizeof *names, by_name);
  return n;
}

static void print_totals(const Totals *totals, const char *where) {
  for (int t = 0; t < TARGETS; t++)
    printf("%s, error %.0e: auto is %.2f times faster than the best of Siconos (geometric mean of "
           "%d); solved by auto alone: %d, by Siconos alone: %d, by neither: %d\n",
           where, targets[t], exp(totals->log_sum[t] / fmax(1, totals->counted[t])),
           totals->counted[t], totals->only_we[t], totals->only_they[t], totals->neither[t]);
}

static void compare_all(const char *data, double cap, int argc, char **argv) {
  char folder[900], path[1200], *names[MAX_FILES];
  snprintf(folder, sizeof folder, "%s/fclib", data);
  int n = list(folder, argc, argv, names);
  Totals plane[2] = {{{0}, {0}, {0}, {0}, {0}}}, space[2] = {{{0}, {0}, {0}, {0}, {0}}};
  puts(
      "problem, contacts, scaled error, CPU time of auto and of the best solver of Siconos, factor");
  for (int k = 0; k < n; k++) {
    OwnedProblem owned;
    Err err = {0};
    snprintf(path, sizeof path, "%s/%s", folder, names[k]);
    if (read_problem(&owned, path, &err) == OK) {
      compare(names[k], path, &owned.p, cap, owned.p.dim == 2 ? plane : space);
      problem_free(&owned);
    } else {
      printf("%s: %s\n", names[k], err.text);
    }
    free(names[k]);
  }
  print_totals(&space[0], "in space");
  print_totals(&space[1], "in space, more than 10 contacts");
  print_totals(&plane[0], "in the plane");
}

int main(int argc, char **argv) {
  const char *data = getenv("VOUSSOIR_DATA");
  double cap = 10;
  omp_set_num_threads(1);
  if (algebra_start(NULL, NULL) != OK) return 3;
  if (argc == 7 && strcmp(argv[1], "--one") == 0) {
    Task task = {(int)strtol(argv[2], NULL, 10), (int)strtol(argv[3], NULL, 10),
                 strtod(argv[4], NULL), strtod(argv[5], NULL)};
    return solve_one(&task, argv[6]);
  }
  if (!data) {
    puts("comparison with Siconos: skipped, VOUSSOIR_DATA is not set");
    return 0;
  }
  for (int k = 1; k + 1 < argc; k++)
    if (strcmp(argv[k], "--cap") == 0) cap = strtod(argv[k + 1], NULL);
  compare_all(data, cap, argc, argv);
  return 0;
}

#endif
