// support/run_case.h -- runs an input in-process and keeps its history: the harness of
// tests/verify.
//
// The loop is that of `voussoir run` (steps, probes, rest events) without folder, fields and
// checkpoints. Any error fails the test that asked. One row of the table is one step; its columns
// are those of history.csv, by name.

#ifndef SUPPORT_RUN_CASE_H
#define SUPPORT_RUN_CASE_H

#include "app/load.h"
#include "step/step.h"

typedef struct {
  Case input; // input.model is what runs
  State state;
  StepWork work;
  Log log;
  int n_columns;
  char **column;  // [n_columns] names
  int64_t n_rows; // steps recorded
  size_t capacity;
  double *table; // [n_rows * n_columns]
} CaseRun;

// A run ready for its first step, from a file of inputs/, or from XML text. `settings`: "NAME=VALUE
// NAME=VALUE ..." as --set would give them, or NULL. run_case_close frees everything.
CaseRun *run_case_open(const char *path, const char *settings);
CaseRun *run_case_open_text(const char *xml, const char *settings);
void run_case_close(CaseRun *run);

// Takes one step; records it unless `record` is 0.
void run_case_step(CaseRun *run, int record);
void run_case_steps(CaseRun *run, int64_t n);  // n steps, all recorded
void run_case_to_end(CaseRun *run);            // to the end of the input
void run_case_to_end_unrecorded(CaseRun *run); // the same; only the last step is recorded
CaseRun *run_case(const char *path, const char *settings);     // open and run to the end
CaseRun *run_case_text(const char *xml, const char *settings); // the same

// For tests that take seconds: under sanitizers, which take ten times as long, a run just opened
// takes its first steps, and 1 says that this was all. 0 elsewhere. Closes the run.
int run_case_only_begins(CaseRun *run);
// Of so many cases of a test that are alike to a sanitizer, how many are tried: there the first
// alone, elsewhere all.
int run_case_of_like(int n);

// Column of the history by name; a name that does not exist fails the test.
int run_case_column(const CaseRun *run, const char *name);
double run_case_at(const CaseRun *run, int64_t row, const char *name);
double run_case_last(const CaseRun *run, const char *name);
double run_case_largest(const CaseRun *run, const char *name);  // largest value
double run_case_smallest(const CaseRun *run, const char *name); // smallest value
// Time at which the column passes `value` for the count-th time (1, 2, ...) in either sense, linear
// between rows; NaN if it does not.
double run_case_crossing(const CaseRun *run, const char *name, double value, int count);

// Mass of all deformable bodies [kg].
double run_case_mass(const CaseRun *run);
int run_case_body(const CaseRun *run, const char *name); // index; fails the test if absent
// Mean displacement of a body, weighted with its mass [m].
void run_case_body_displacement(const CaseRun *run, int body, double u[2]);
// In how many steps something was doubtful in this way, and by how much in the worst.
int64_t run_case_doubts(const CaseRun *run, VerdictKind kind);
double run_case_worst(const CaseRun *run, VerdictKind kind);
// Largest displacement of any node of any body but supports and tools [m].
double run_case_farthest(const CaseRun *run);

// <time> and <solver> that lead to the static state: theta = 1 with steps of a few times the travel
// time of waves, so that inertia dies out by a factor of about five a step, while contact problems
// stay well conditioned (longer steps make rigid motion ever more compliant than elastic one).
const char *run_case_static_time(double length, double wave_speed);

// Input text in pieces: printf into a static buffer, valid until the fourth call after this.
const char *xml_format(const char *format, ...) PRINTF_LIKE(1, 2);

#endif
