#include "app/solve.h"

#include <errno.h>
#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "algebra/spd.h"
#include "base/mem.h"
#include "base/timer.h"
#include "file/json.h"
#include "solver/measure.h"
#include "solver/operator.h"
#include "solver/problem_fclib.h"

enum { EXIT_NOT_CONVERGED = 5 };
static const double DEFORMATION_TOLERANCE = 1e-3; // as in runs

static const char usage[] =
    "usage: voussoir solve PROBLEM.hdf5 [--solver NAME] [--tolerance T] [--max-iterations N]\n"
    "                      [--measure deformation|scaled] [--threads N] [--set PARAMETER=VALUE]... [--json] [--solution OUT.hdf5]\n"
    "\n"
    "Solves one friction problem in FCLIB format (local or global, plane or space, with equalities).\n"
    "\n"
    "  --solver NAME          a solver of the panel; default: %s\n"
    "  --tolerance T          on the judged error; default 1e-8 on the scaled one, 1e-3 else\n"
    "  --measure M            deformation: error in the energy of deformation, for problems that\n"
    "                         say what deforms (dumped by this program); scaled: the other; default\n"
    "                         deformation where the problem allows it\n"
    "  --max-iterations N     default: that of the solver\n"
    "  --threads N            results do not depend on it; default: all processors\n"
    "  --set PARAMETER=VALUE  a parameter of the solver, see below\n"
    "  --json                 one JSON object instead of one line\n"
    "  --solution OUT.hdf5    writes problem and solution, in FCLIB format\n"
    "\n"
    "Exit code: 0 converged, 5 not converged, 2 bad file or call, 3 disk or memory.\n"
    "\n"
    "Solvers:\n";

typedef struct {
  const char *problem, *solution;
  const SolverType *solver;
  SolverSettings settings;
  int json, help;
  int measure_given, tolerance_given;
} Options;

static Status parse_positive(const char *option, const char *text, double *value, Err *err) {
  char *end;
  errno = 0;
  *value = text ? strtod(text, &end) : 0;
  if (!text || end == text || *end || errno || !(*value > 0) || !isfinite(*value))
    return err_set(err, ERR_INPUT, "%s wants a positive number", option);
  return OK;
}

static Status find_solver(const char *name, const SolverType **solver, Err *err) {
  char names[512] = "";
  size_t used = 0;
  *solver = name ? solver_find(name) : NULL;
  if (*solver) return OK;
  for (int k = 0; solver_types[k] && used < sizeof names - 1; k++)
    used += (size_t)snprintf(names + used, sizeof names - used, "%s%s", k ? ", " : "",
                             solver_types[k]->name);
  return err_set(err, ERR_INPUT, "no solver '%s'; there are: %s", name ? name : "", names);
}

static Status set_parameter(Options *options, const char *text, Err *err) {
  char name[64];
  const char *equal = text ? strchr(text, '=') : NULL;
  if (!equal || equal - text >= (ptrdiff_t)sizeof name)
    return err_set(err, ERR_INPUT, "--set wants PARAMETER=VALUE");
  snprintf(name, sizeof name, "%.*s", (int)(equal - text), text);
  return solver_set(options->solver, &options->settings, name, equal + 1, err);
}

static Status parse_option(Options *options, const char *name, const char *value, int *takes_value,
                           Err *err) {
  double number;
  *takes_value = 1;
  if (strcmp(name, "--solver") == 0) return OK; // done before: parameters depend on it
  if (strcmp(name, "--measure") == 0) {
    options->measure_given = 1;
    options->settings.measure =
        value && strcmp(value, "scaled") == 0 ? MEASURE_SCALED : MEASURE_DEFORMATION;
    if (value && (options->settings.measure == MEASURE_SCALED || strcmp(value, "deformation") == 0))
      return OK;
    return err_set(err, ERR_INPUT, "--measure wants deformation or scaled");
  }
  if (strcmp(name, "--tolerance") == 0) {
    options->tolerance_given = 1;
    TRY(parse_positive(name, value, &options->settings.tolerance, err));
    if (options->settings.tolerance < 1) return OK; // as runs have it
    return err_set(err, ERR_INPUT, "--tolerance wants a number below 1: errors are relative");
  }
  if (strcmp(name, "--max-iterations") == 0) {
    TRY(parse_positive(name, value, &number, err));
    if (number < 1 || number > 1e9 || number != floor(number))
      return err_set(err, ERR_INPUT, "--max-iterations wants a whole number up to 1e9");
    options->settings.max_iterations = (int)number;
    return OK;
  }
  if (strcmp(name, "--threads") == 0) {
    TRY(parse_positive(name, value, &number, err));
    if (number > 1024 || number != floor(number))
      return err_set(err, ERR_INPUT, "--threads wants a whole number from 1 to 1024");
    omp_set_num_threads((int)number);
    return OK;
  }
  if (strcmp(name, "--set") == 0) return set_parameter(options, value, err);
  if (strcmp(name, "--solution") == 0) {
    options->solution = value;
    return value ? OK : err_set(err, ERR_INPUT, "--solution wants a file");
  }
  *takes_value = 0;
  if (strcmp(name, "--json") == 0) {
    options->json = 1;
    return OK;
  }
  return err_set(err, ERR_INPUT, "unknown option '%s' of solve", name);
}

static Status parse_options(Options *options, int argc, char **argv, Err *err) {
  for (int k = 1; k < argc; k++) {
    if (strcmp(argv[k], "--solver") == 0)
      TRY(find_solver(k + 1 < argc ? argv[k + 1] : NULL, &options->solver, err));
    options->help |= strcmp(argv[k], "--help") == 0 || strcmp(argv[k], "-h") == 0;
  }
  if (options->help) return OK;
  options->settings = solver_defaults(options->solver);
  for (int k = 1; k < argc; k++) {
    if (argv[k][0] == '-' && argv[k][1]) {
      int takes_value;
      const char *value = k + 1 < argc ? argv[k + 1] : NULL;
      TRY(parse_option(options, argv[k], value, &takes_value, err));
      k += takes_value;
    } else if (options->problem) {
      return err_set(err, ERR_INPUT, "one file too many: '%s'", argv[k]);
    } else {
      options->problem = argv[k];
    }
  }
  if (!options->problem) return err_set(err, ERR_INPUT, "solve wants a file PROBLEM.hdf5");
  return OK;
}

static void print_usage(const char *first) {
  printf(usage, first);
  for (int k = 0; solver_types[k]; k++) {
    printf("  %-22s %s\n", solver_types[k]->name, solver_types[k]->doc);
    for (int q = 0; q < solver_types[k]->n_params; q++) {
      const ParamSpec *param = &solver_types[k]->params[q];
      printf("    %-20s %s (%s%s%s)\n", param->name, param->doc, param->initial,
             param->choices ? "; " : "", param->choices ? param->choices : "");
    }
  }
}

static void print_result(const Options *options, const FclibProblem *file,
                         const SolverReport *report, double seconds, double siconos) {
  const char *reason = report->reason ? report->reason : "";
  char deformation[64] = "", equalities[64] = "", missed[128] = "";
  int equality = (int)report->missed_row - file->n * file->dim + 1;
  if (report->deforms)
    snprintf(deformation, sizeof deformation, "; of deformation %.3g", report->deformation);
  if (file->n_equal > 0)
    snprintf(equalities, sizeof equalities, " and %d rows of equalities", file->n_equal);
  if (report->missed > 0)
    snprintf(missed, sizeof missed, "; equality %d is missed by %.3g m/s: do others contradict it?",
             equality, report->missed);
  if (!options->json) {
    printf("%s: %s after %d iterations, error %.3g (Siconos' %.3g%s), %d contacts%s in %dD, %.3g "
           "s%s%s%s\n",
           options->solver->name, report->converged ? "converged" : "not converged",
           report->iterations, report->error, siconos, deformation, file->n, equalities, file->dim,
           seconds, *reason ? ": " : "", reason, missed);
    return;
  }
  JsonWriter json = {.stream = stdout};
  json_begin(&json, NULL, '{');
  json_put_text(&json, "problem", options->problem);
  json_put_integer(&json, "dim", file->dim);
  json_put_integer(&json, "contacts", file->n);
  json_put_integer(&json, "equalities", file->n_equal);
  json_put_text(&json, "solver", options->solver->name);
  json_put_bool(&json, "converged", report->converged);
  json_put_integer(&json, "iterations", report->iterations);
  json_put_number(&json, "seconds", seconds);
  json_put_number(&json, "error", report->error);
  json_put_text(&json, "measure",
                options->settings.measure == MEASURE_DEFORMATION ? "deformation" : "scaled");
  if (report->deforms) json_put_number(&json, "deformation_error", report->deformation);
  json_put_number(&json, "siconos_error", siconos);
  json_put_number(&json, "tolerance", options->settings.tolerance);
  json_put_text(&json, "reason", report->reason);
  if (report->missed > 0) {
    json_put_integer(&json, "missed_equality", equality);
    json_put_number(&json, "missed_by", report->missed);
  }
  json_end(&json, '}');
}

static Status write_solution(const Options *options, const FclibProblem *file, const Problem *p,
                             double *r, Err *err) {
  FclibSolution solution = {
      .n_r = file->n * p->dim, .n_v = file->m.rows, .n_l = file->n_equal, .r = r};
  solution.l = r + solution.n_r;
  solution.u = mem_new((size_t)(p->n * p->dim), sizeof *solution.u);
  solution.v = mem_new((size_t)solution.n_v, sizeof *solution.v);
  Status status = OK;
  if (!solution.u || !solution.v) status = err_set(err, ERR_SYSTEM, "out of memory");
  if (status == OK) operator_times(p, p->b, r, solution.u);
  if (status == OK && file->global) status = problem_global_velocity(file, r, solution.v, err);
  if (status == OK) status = fclib_write(file, &solution, options->problem, options->solution, err);
  mem_free(solution.u);
  mem_free(solution.v);
  return status;
}

// What the result is judged by: the energy of deformation unless the file does not know it, which
// is said where the scaled error was not asked for.
static void choose_measure(Options *options, const FclibProblem *file) {
  SolverSettings *settings = &options->settings;
  if (!options->measure_given) settings->measure = MEASURE_DEFORMATION;
  if (settings->measure == MEASURE_DEFORMATION && !file->elastic) {
    fprintf(stderr, "%s: no dataset 'voussoir/elastic': judged by the scaled error\n",
            options->problem);
    settings->measure = MEASURE_SCALED;
  }
  settings->each = settings->measure == MEASURE_DEFORMATION;
  if (settings->measure == MEASURE_DEFORMATION && !options->tolerance_given)
    settings->tolerance = DEFORMATION_TOLERANCE;
}

static Status solve_file(Options *options, const FclibProblem *file, int *code, Err *err) {
  OwnedProblem owned;
  choose_measure(options, file);
  TRY(problem_from_fclib(&owned, file, err));
  const Problem *p = &owned.p;
  if (solver_accepts(options->solver, p, err) != OK) {
    problem_free(&owned);
    return ERR_INPUT;
  }
  Arena arena = {0};
  SolverReport report = {0};
  double *r = mem_new((size_t)(p->n * p->dim), sizeof *r);
  double start = timer_wall();
  Status status = r ? solver_run(options->solver, p, &options->settings, r, &arena, &report, err)
                    : err_set(err, ERR_SYSTEM, "out of memory");
  double seconds = timer_wall() - start;
  if (status == OK && options->solution) status = write_solution(options, file, p, r, err);
  if (status == OK) {
    print_result(options, file, &report, seconds, measure_siconos(p, r));
    *code = report.converged ? 0 : EXIT_NOT_CONVERGED;
    if (fflush(stdout) != 0) status = err_set(err, ERR_SYSTEM, "standard output cannot be written");
  }
  mem_free(r);
  arena_free(&arena);
  problem_free(&owned);
  return status;
}

int solve_main(int argc, char **argv) {
  Err err = {0};
  Options options = {.solver = solver_types[0]};
  int code = 0;
  Status status = parse_options(&options, argc, argv, &err);
  if (status == OK && options.help) {
    print_usage(solver_types[0]->name);
    return 0;
  }
  FclibProblem file = {0};
  if (status == OK) status = algebra_reserve(omp_get_max_threads(), &err);
  if (status == OK) status = fclib_read(&file, options.problem, &err);
  if (status == OK) {
    status = solve_file(&options, &file, &code, &err);
    if (status == ERR_INPUT) err_note(&err, "%s", options.problem);
  }
  fclib_free(&file);
  if (status == OK) return code;
  fprintf(stderr, "error: %s\n", err.text);
  return err_exit_code(status);
}
