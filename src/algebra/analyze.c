#define _POSIX_C_SOURCE 200809L
#include "algebra/analyze.h"

#include <signal.h>

cholmod_factor *algebra_analyze(cholmod_sparse *matrix, cholmod_common *common) {
  sigset_t hold, before;
  sigemptyset(&hold);
  sigaddset(&hold, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &hold, &before);
  cholmod_factor *factor = cholmod_analyze(matrix, common);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  return factor;
}
