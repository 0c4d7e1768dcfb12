#include "app/dump.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "file/atomic.h"
#include "solver/problem_fclib.h"

Status dump_parse(Dump *dump, const char *when, Err *err) {
  *dump = (Dump){.active = when != NULL};
  if (!when) return OK;
  dump->missed = strcmp(when, "missed") == 0;
  if (strcmp(when, "hard") == 0) dump->n_hard = 5;
  if (strncmp(when, "hard:", 5) == 0) {
    char *end;
    long n = strtol(when + 5, &end, 10);
    if (end > when + 5 && !*end && n > 0 && n <= DUMP_MAX) dump->n_hard = (int)n;
  }
  if (dump->missed || dump->n_hard > 0) return OK;
  for (const char *text = when;; text++) {
    char *end;
    long long step = strtoll(text, &end, 10);
    if (end == text || step < 1 || dump->n_steps == DUMP_MAX || (*end && *end != ','))
      return err_set(
          err, ERR_INPUT,
          "--dump-problems needs missed, hard, hard:N (N at most %d) or at most %d step numbers "
          "separated by commas, found '%s'",
          DUMP_MAX, DUMP_MAX, when);
    dump->step[dump->n_steps++] = step;
    if (!*end) return OK;
    text = end;
  }
}

static Status problem_path(const char *dir, int64_t step, char path[FILE_PATH_SIZE], Err *err) {
  char name[64];
  snprintf(name, sizeof name, "problem_%06lld.hdf5", (long long)step);
  return file_join(path, dir, name, err);
}

static Status write_problem(const State *state, const StepWork *work, const char *dir, Err *err) {
  FclibProblem file = {0};
  char path[FILE_PATH_SIZE];
  const Problem *p = &work->problem;
  FclibSolution solution = {.n_r = p->n * p->dim, .r = work->reaction, .u = work->velocity};
  TRY(problem_path(dir, state->step, path, err));
  TRY(problem_to_fclib(&file, p, err));
  Status status = fclib_write(&file, &solution, "voussoir", path, err);
  fclib_free(&file);
  return status;
}

// Is this step among the hardest? Makes room for it by deleting the easiest of those kept.
static int among_hardest(Dump *dump, int64_t step, int iterations, const char *dir, Err *err) {
  int at = dump->n_kept;
  if (dump->n_kept < dump->n_hard) {
    dump->n_kept++;
  } else {
    at = 0;
    for (int k = 1; k < dump->n_kept; k++)
      if (dump->iterations[k] < dump->iterations[at]) at = k;
    if (dump->iterations[at] >= iterations) return 0;
    char path[FILE_PATH_SIZE];
    if (problem_path(dir, dump->kept[at], path, err) == OK) remove(path);
  }
  dump->kept[at] = step;
  dump->iterations[at] = iterations;
  return 1;
}

Status dump_step(Dump *dump, const State *state, const StepWork *work, const char *dir, Log *log,
                 Err *err) {
  if (!dump->active || work->problem.n == 0) return OK;
  int wanted = dump->missed && work->report.missed;
  for (int k = 0; k < dump->n_steps; k++) wanted |= dump->step[k] == state->step;
  if (dump->n_hard > 0)
    wanted |= among_hardest(dump, state->step, work->report.solver.iterations, dir, err);
  if (!wanted) return OK;
  Status status = write_problem(state, work, dir, err);
  if (status != ERR_INPUT) return status;
  log_warn(log, "problem not dumped", "step %lld: %s", (long long)state->step, err->text);
  err_clear(err);
  return OK;
}
