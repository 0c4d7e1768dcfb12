#define _POSIX_C_SOURCE 200809L
#include "algebra/analyze.h"

#include <signal.h>

static void hold_signals(sigset_t *before) {
  sigset_t hold;
  sigemptyset(&hold);
  sigaddset(&hold, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &hold, before);
}

cholmod_factor *algebra_analyze(cholmod_sparse *matrix, cholmod_common *common) {
  sigset_t before;
  hold_signals(&before);
  cholmod_factor *factor = cholmod_analyze(matrix, common);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  return factor;
}

int algebra_dissect(cholmod_sparse *pattern, int *perm, int *parent, int *member,
                    cholmod_common *common) {
  sigset_t before;
  hold_signals(&before);
  long parts = cholmod_nested_dissection(pattern, NULL, 0, perm, parent, member, common);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  return parts >= 0;
}
