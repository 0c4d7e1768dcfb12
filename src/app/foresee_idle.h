// app/foresee_idle.h -- what an input says that can have no effect in it.

#ifndef APP_FORESEE_IDLE_H
#define APP_FORESEE_IDLE_H

#include "app/load.h"

// Adds them to the doubts, with file and line; not `all`: only those that somebody may have counted
// on.
Status foresee_idle(const Case *c, int all, Diag *doubts, Err *err) MUST_CHECK;

#endif
