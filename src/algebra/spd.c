#define _GNU_SOURCE // setenv, environ
#include "algebra/spd.h"

#include <cblas.h>
#include <math.h>
#include <metis.h>
#include <omp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <suitesparse/cholmod.h>
#include <suitesparse/umfpack.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <unistd.h>

#include "algebra/analyze.h"

extern void dpotrf_(const char *uplo, const int *n, double *a, const int *lda, int *info);
extern void dpotri_(const char *uplo, const int *n, double *a, const int *lda, int *info);

struct SpdInverse {
  int n;
  double *dense; // [n * n] explicit inverse, or NULL and:
  cholmod_common common;
  cholmod_factor *factor;
  cholmod_dense *x, *y, *e; // workspace kept between solves
  double *column;           // [n * column_lanes] right-hand sides by columns, CHOLMOD's layout
  size_t column_capacity;   // items in column
};

static Status make_dense(SpdInverse *inverse, const Sparse *a, Err *err) {
  int n = a->n, info = 0;
  MEM_NEW(inverse->dense, (size_t)n * (size_t)n, err);
  double *w = inverse->dense;
  for (int i = 0; i < n; i++)
    for (int64_t k = a->ptr[i]; k < a->ptr[i + 1]; k++) w[(size_t)i * n + a->col[k]] = a->val[k];
  dpotrf_("U", &n, w, &n, &info);
  if (info > 0)
    return err_set(err, ERR_NUMERIC, "matrix of %d unknowns is not positive definite at row %d", n,
                   info);
  dpotri_("U", &n, w, &n, &info);
  // LAPACK filled the upper triangle by columns: the lower one by rows. Mirror it.
  for (int i = 0; i < n; i++)
    for (int j = 0; j < i; j++) w[(size_t)j * n + i] = w[(size_t)i * n + j];
  return OK;
}

static void configure(cholmod_common *common) {
  cholmod_start(common);
  common->print = 0;
  common->supernodal = CHOLMOD_SUPERNODAL;
  common->nmethods = 1;
  common->method[0].ordering = CHOLMOD_METIS;
  common->postorder = 1;
}

// Lower triangle as CHOLMOD's columns: row i of the upper triangle is column i of the lower one.
static cholmod_sparse *to_cholmod(const Sparse *a, cholmod_common *common) {
  size_t n = (size_t)a->n;
  int64_t lower = 0;
  for (int i = 0; i < a->n; i++)
    for (int64_t k = a->ptr[i]; k < a->ptr[i + 1]; k++) lower += a->col[k] >= i;
  cholmod_sparse *c = cholmod_allocate_sparse(n, n, (size_t)lower, 1, 1, -1, CHOLMOD_REAL, common);
  if (!c) return NULL;
  int *ptr = c->p, *row = c->i;
  double *val = c->x;
  int at = 0;
  for (int i = 0; i < a->n; i++) {
    ptr[i] = at;
    for (int64_t k = a->ptr[i]; k < a->ptr[i + 1]; k++) {
      if (a->col[k] < i) continue;
      row[at] = a->col[k];
      val[at++] = a->val[k];
    }
  }
  ptr[a->n] = at;
  return c;
}

static Status make_factor(SpdInverse *inverse, const Sparse *a, Err *err) {
  cholmod_common *common = &inverse->common;
  configure(common);
  cholmod_sparse *matrix = to_cholmod(a, common);
  if (!matrix) return err_set(err, ERR_SYSTEM, "out of memory: matrix of %d unknowns", a->n);
  inverse->factor = algebra_analyze(matrix, common);
  int levels = omp_get_max_active_levels(); // no threads of CHOLMOD's own: see factor.c
  omp_set_max_active_levels(0);
  if (inverse->factor) cholmod_factorize(matrix, inverse->factor, common);
  omp_set_max_active_levels(levels);
  cholmod_free_sparse(&matrix, common);
  if (!inverse->factor || common->status == CHOLMOD_OUT_OF_MEMORY)
    return err_set(err, ERR_SYSTEM, "out of memory: factor of %d unknowns", a->n);
  if (common->status == CHOLMOD_NOT_POSDEF || inverse->factor->minor < (size_t)a->n) {
    const int *row_of_pivot = inverse->factor->Perm;
    return err_set(err, ERR_NUMERIC, "matrix of %d unknowns is not positive definite at row %d",
                   a->n, row_of_pivot[inverse->factor->minor] + 1);
  }
  return OK;
}

// LAPACK and CHOLMOD take a NaN for a good pivot.
static Status check_finite(const Sparse *a, Err *err) {
  for (int i = 0; i < a->n; i++)
    for (int64_t k = a->ptr[i]; k < a->ptr[i + 1]; k++)
      if (!isfinite(a->val[k]))
        return err_set(err, ERR_NUMERIC, "matrix of %d unknowns has an entry %g in row %d", a->n,
                       a->val[k], i + 1);
  return OK;
}

Status spd_make(SpdInverse **out, const Sparse *a, Err *err) {
  SpdInverse *inverse;
  *out = NULL;
  TRY(check_finite(a, err));
  MEM_NEW(inverse, 1, err);
  inverse->n = a->n;
  Status status =
      a->n <= SPD_DENSE_LIMIT ? make_dense(inverse, a, err) : make_factor(inverse, a, err);
  if (status != OK) {
    spd_free(inverse);
    inverse = NULL;
  }
  *out = inverse;
  return status;
}

void spd_free(SpdInverse *inverse) {
  if (!inverse) return;
  if (!inverse->dense && inverse->n > SPD_DENSE_LIMIT) {
    cholmod_free_dense(&inverse->x, &inverse->common);
    cholmod_free_dense(&inverse->y, &inverse->common);
    cholmod_free_dense(&inverse->e, &inverse->common);
    cholmod_free_factor(&inverse->factor, &inverse->common);
    cholmod_finish(&inverse->common);
  }
  mem_free(inverse->column);
  mem_free(inverse->dense);
  mem_free(inverse);
}

static void apply_dense(const double *restrict w, int n, int lanes, const double *restrict b,
                        double *restrict x) {
  for (int i = 0; i < n; i++) {
    const double *row = w + (size_t)i * n;
    if (lanes == 8) {
      double sum[8] = {0};
      for (int j = 0; j < n; j++) {
        double value = row[j];
#pragma omp simd
        for (int l = 0; l < 8; l++) sum[l] += value * b[8 * (size_t)j + l];
      }
      memcpy(x + 8 * (size_t)i, sum, sizeof sum);
      continue;
    }
    for (int l = 0; l < lanes; l++) {
      double sum = 0;
      for (int j = 0; j < n; j++) sum += row[j] * b[(size_t)j * lanes + l];
      x[(size_t)i * lanes + l] = sum;
    }
  }
}

static Status apply_factor(SpdInverse *inverse, int lanes, const double *b, double *x, Err *err) {
  size_t n = (size_t)inverse->n, items = n * (size_t)lanes;
  TRY(mem_grow((void **)&inverse->column, &inverse->column_capacity, items, sizeof(double), err));
  double *column = inverse->column;
  for (size_t i = 0; i < n; i++)
    for (size_t l = 0; l < (size_t)lanes; l++) column[l * n + i] = b[i * lanes + l];
  cholmod_dense rhs = {.nrow = n,
                       .ncol = (size_t)lanes,
                       .nzmax = items,
                       .d = n,
                       .x = column,
                       .xtype = CHOLMOD_REAL,
                       .dtype = CHOLMOD_DOUBLE};
  if (!cholmod_solve2(CHOLMOD_A, inverse->factor, &rhs, NULL, &inverse->x, NULL, &inverse->y,
                      &inverse->e, &inverse->common))
    return err_set(err, ERR_SYSTEM, "solving with a factor of %zu unknowns failed (status %d)", n,
                   inverse->common.status);
  const double *solution = inverse->x->x;
  for (size_t i = 0; i < n; i++)
    for (size_t l = 0; l < (size_t)lanes; l++) x[i * lanes + l] = solution[l * n + i];
  return OK;
}

Status spd_apply(SpdInverse *inverse, int lanes, const double *b, double *x, Err *err) {
  if (!inverse->dense) {
    Status status;
    // The workspace belongs to the factor: bodies that share it take turns.
#pragma omp critical(spd_apply_factor)
    status = apply_factor(inverse, lanes, b, x, err);
    return status;
  }
  apply_dense(inverse->dense, inverse->n, lanes, b, x);
  return OK;
}

void algebra_versions(char *text, size_t size) {
  snprintf(text, size, "CHOLMOD %d.%d.%d, UMFPACK %d.%d.%d, METIS %d.%d.%d, %s",
           CHOLMOD_MAIN_VERSION, CHOLMOD_SUB_VERSION, CHOLMOD_SUBSUB_VERSION, UMFPACK_MAIN_VERSION,
           UMFPACK_SUB_VERSION, UMFPACK_SUBSUB_VERSION, METIS_VER_MAJOR, METIS_VER_MINOR,
           METIS_VER_SUBMINOR, openblas_get_config());
}

const char *algebra_core(void) {
  return openblas_get_corename();
}

// OpenBLAS knows processors by their model; one younger than the library gets kernels without AVX,
// which factorise at a third of the speed. Kernels can be named by the environment only, before the
// program starts.
static int wants_other_kernels(void) {
#if defined(__x86_64__)
  if (getenv("OPENBLAS_CORETYPE") || strcmp(openblas_get_corename(), "Prescott") != 0) return 0;
  if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma")) return 0;
  return setenv("OPENBLAS_CORETYPE", "Haswell", 1) == 0;
#else
  return 0;
#endif
}

static void start_again(char **argv, char **environment) {
  char path[1024]; // not the link itself: the program would have its name
  ssize_t n = readlink("/proc/self/exe", path, sizeof path - 1);
  if (n < 0) return;
  path[n] = '\0';
  execve(path, argv, environment); // comes back where it failed
}

// What OpenBLAS 0.3 takes for each thread that calls it [byte]. Where it does not get it, it asks
// again for ever.
static const size_t BLAS_BUFFER = (size_t)128 << 20;
// What libraries take between their start and that of the program, twice what was seen [byte].
static const size_t START_ROOM = (size_t)1 << 20;

static const char too_little[] =
    "error: out of memory: OpenBLAS needs 128 MB of address space for each thread, and the limit of "
    "the process (ulimit -v) leaves less\n";

static void end_without_memory(int number) {
  (void)number;
  // nothing that takes memory or a lock
  ssize_t written = write(STDERR_FILENO, too_little, sizeof too_little - 1);
  (void)written;
  _exit(3);
}

// OpenBLAS starts its threads when it is loaded, each with a buffer that is never used here; where
// it gets none it ends the process. Other libraries crash.
void algebra_before_libraries(char **argv, char **environment) {
  static char one_thread[] = "OPENBLAS_NUM_THREADS=1";
  enum { MOST = 4000 }; // variables, else nothing is done
  static char *own[MOST + 2];
  int n = 0;
  if (!mem_is_limited()) return;
  if (!mem_has_room(BLAS_BUFFER + START_ROOM)) end_without_memory(0);
  for (; n < MOST && environment[n]; n++) {
    if (strncmp(environment[n], one_thread, strlen("OPENBLAS_NUM_THREADS=")) == 0) return;
    own[n] = environment[n];
  }
  if (n == MOST) return;
  own[n] = one_thread;
  start_again(argv, own);
}

// Its own functions, which always take a buffer; of those of BLAS some do without for small
// matrices, by processor.
extern void *blas_memory_alloc(int position);
extern void blas_memory_free(void *buffer);

enum { MOST_BUFFERS = 64, GUARD_SECONDS = 5 }; // taking a buffer needs microseconds

// Takes a buffer for each thread, which OpenBLAS keeps: later none can be missing. Where it asks
// for ever the process ends: a timer of the processor's time, so that no other program can make it
// ring.
static void take_buffers(int n) {
  void *buffer[MOST_BUFFERS];
  struct sigaction action = {.sa_handler = end_without_memory}, before;
  struct itimerval timer = {.it_value.tv_sec = GUARD_SECONDS}, off = {0};
  if (n > MOST_BUFFERS) n = MOST_BUFFERS;
  sigemptyset(&action.sa_mask);
  sigaction(SIGPROF, &action, &before);
  setitimer(ITIMER_PROF, &timer, NULL);
  for (int k = 0; k < n; k++) buffer[k] = blas_memory_alloc(0);
  for (int k = 0; k < n; k++) blas_memory_free(buffer[k]);
  setitimer(ITIMER_PROF, &off, NULL);
  sigaction(SIGPROF, &before, NULL);
}

// Of a thread: its stack, and what the system puts beside it [byte].
static size_t thread_room(void) {
  struct rlimit limit;
  size_t stack = (size_t)8 << 20; // the usual one
  if (getrlimit(RLIMIT_STACK, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY)
    stack = (size_t)limit.rlim_cur;
  return stack + ((size_t)64 << 10);
}

// Starts them, deaf to signals: what is for the process is for the first of its threads, which may
// hold it back (analyze.h).
static int start_threads(int n) {
  static const int heard[] = {SIGINT, SIGTERM, SIGHUP, SIGUSR1, SIGPROF};
  sigset_t all, before;
  int n_started = 0;
  sigemptyset(&all);
  for (size_t k = 0; k < sizeof heard / sizeof heard[0]; k++) sigaddset(&all, heard[k]);
  pthread_sigmask(SIG_BLOCK, &all, &before);
#pragma omp parallel num_threads(n) reduction(+ : n_started)
  n_started += 1;
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  return n_started;
}

Status algebra_reserve(int n_threads, Err *err) {
  size_t others = (size_t)(n_threads - 1); // algebra_start has taken what one needs
  if (n_threads <= 1) return OK;
  if (mem_is_limited()) {
    if (!mem_has_room(BLAS_BUFFER * others + thread_room() * others + START_ROOM))
      return err_set(err, ERR_SYSTEM,
                     "out of memory: OpenBLAS needs %zu MB of address space for %d threads, and "
                     "the limit of the process (ulimit -v) leaves less",
                     (BLAS_BUFFER * (size_t)n_threads) >> 20, n_threads);
    take_buffers(n_threads);
  }
  // the runtime ends the process where a thread does not start: now there is room for them
  int n_started = start_threads(n_threads);
  if (n_started == n_threads) return OK;
  return err_set(err, ERR_SYSTEM, "%d of %d threads have started", n_started, n_threads);
}

Status algebra_start(char **argv, Err *err) {
  if (argv && wants_other_kernels()) start_again(argv, environ);
  openblas_set_num_threads(1);
  if (!mem_has_room(BLAS_BUFFER))
    return err_set(err, ERR_SYSTEM,
                   "out of memory: OpenBLAS needs %zu MB of address space, and the limit of the "
                   "process (ulimit -v) leaves less",
                   BLAS_BUFFER >> 20);
  take_buffers(1);
  return OK;
}
