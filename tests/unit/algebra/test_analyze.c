// A SIGTERM that comes while a matrix is analysed is heard when that is over: METIS would take it.
#define _POSIX_C_SOURCE 200809L
#include <criterion/criterion.h>

#include <signal.h>
#include <stdlib.h>
#include <suitesparse/SuiteSparse_config.h>

#include "algebra/analyze.h"

enum { SIDE = 40 };

static volatile sig_atomic_t heard;
static int sent, heard_within;

static void hear(int number) {
  (void)number;
  heard = 1;
}

// CHOLMOD's memory: a signal comes with the first piece, and it is looked at with each.
static void *take(size_t size) {
  if (!sent) raise(SIGTERM); // for this thread
  sent = 1;
  heard_within |= heard;
  return malloc(size);
}

// The five-point stencil on a square: the lower triangle, by columns.
static cholmod_sparse *square(cholmod_common *common) {
  int n = SIDE * SIDE, at = 0;
  cholmod_sparse *a =
      cholmod_allocate_sparse((size_t)n, (size_t)n, 3 * (size_t)n, 1, 1, -1, CHOLMOD_REAL, common);
  int *ptr = a->p, *row = a->i;
  double *value = a->x;
  for (int k = 0; k < n; k++) {
    const int below[3] = {k, k + 1, k + SIDE};
    ptr[k] = at;
    for (int e = 0; e < 3; e++) {
      if (below[e] >= n || (e == 1 && below[e] % SIDE == 0)) continue;
      row[at] = below[e];
      value[at++] = e == 0 ? 4 : -1;
    }
  }
  ptr[n] = at;
  return a;
}

Test(analyze, a_signal_that_comes_meanwhile_waits) {
  struct sigaction action = {.sa_handler = hear};
  cholmod_common common;
  sigset_t after;
  cr_assert_eq(sigaction(SIGTERM, &action, NULL), 0);
  cholmod_start(&common);
  cholmod_sparse *a = square(&common);
  void *(*usual)(size_t) = SuiteSparse_config.malloc_func;
  SuiteSparse_config.malloc_func = take;
  cholmod_factor *factor = algebra_analyze(a, &common);
  SuiteSparse_config.malloc_func = usual;
  cr_assert_not_null(factor);
  cr_assert(sent && !heard_within, "it came through");
  cr_assert(heard, "it was lost");
  cr_assert_eq(sigprocmask(SIG_SETMASK, NULL, &after), 0);
  cr_assert_not(sigismember(&after, SIGTERM), "signals stay away");
  cholmod_free_factor(&factor, &common);
  cholmod_free_sparse(&a, &common);
  cholmod_finish(&common);
}
