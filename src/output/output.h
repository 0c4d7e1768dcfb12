// output/output.h -- the files of a run: history, fields, checkpoint, summary.
//
// output_open prepares the folder, output_step observes a finished step, output_close writes the
// last checkpoint and the summary. Nothing here changes the state, so that whether and when
// something is written never changes the run.

#ifndef OUTPUT_OUTPUT_H
#define OUTPUT_OUTPUT_H

#include "input/input.h"
#include "output/forming_limit.h"
#include "output/line.h"
#include "output/probe.h"
#include "output/rim.h"
#include "step/outcome.h"

// Across an axis at `at` [m]; the model lies to the side of `sign`.
typedef struct {
  int axis;
  double at, sign;
} SymmetryPlane;
enum { OUTPUT_MAX_PLANES = 6 };

typedef struct {
  const char *title; // borrowed
  int every;         // steps between field files; FIELDS_NONE, FIELDS_AUTO (schedule.h)
  int ascii;
  int moved; // 1: points of field files are where they are now, not where they were at the start
  int history_every;
  double checkpoint; // wall seconds between checkpoints; 0: only at the end
  int n_probes;
  Probe *probes; // owned
  int layers;    // 1: fields of sheets for every layer
  int n_limits;
  FormingLimit *limits; // owned
  int n_rims;
  Rim *rims; // owned
  // Planes of symmetry: models stand on one side of them, and so does what is drawn of tools.
  int n_planes;
  SymmetryPlane plane[OUTPUT_MAX_PLANES];
  int n_lines;
  OutputLine *lines; // owned
} OutputSpec;

void output_spec_free(OutputSpec *spec);

typedef enum { START_FRESH, START_FORCED, START_RESTART, START_CHANGED } StartMode;
typedef enum {
  RUN_DONE,
  RUN_DOUBTFUL,
  RUN_TOLERANCE_MISSED,
  RUN_INTERRUPTED,
  RUN_FAILED
} RunStatus;

typedef struct Output Output;

// Opens folder `dir` (made if missing). START_FRESH refuses a folder that holds results;
// START_FORCED clears the results of the last run; START_RESTART reads the checkpoint into `state`
// where there is one; START_CHANGED also one of another model. *resumed tells whether.
Status output_open(Output **output, const OutputSpec *spec, const Model *model, const char *dir,
                   StartMode mode, State *state, int *resumed, Err *err) MUST_CHECK;

// What a summary says beside the state.
typedef struct {
  const char *input;
  int n_parameters;                 // named parameters of the input, after --set
  const InputParameter *parameters; // borrowed
  const char *reason;               // why the run failed; NULL: it did not
  int threads;
  double setup, wall_start, cpu_start; // seconds of set-up; clocks at the start of the program
  double t_start;                      // time of the state that this program began with       [s]
  int64_t warnings;
  Outcome outcome; // of its structure
} RunInfo;

// Observes the state after a step (or at the start: step 0 writes fields only). Values of all
// columns are in output_values afterwards.
Status output_step(Output *output, const Model *model, State *state, const StepWork *work,
                   Err *err) MUST_CHECK;
const double *output_values(const Output *output);

// Writes a checkpoint when the last one is old enough, or now if `force`.
Status output_checkpoint(Output *output, const Model *model, State *state, int force,
                         Err *err) MUST_CHECK;

// The same as stage_NAME.h5, which stays: what follows the stage can be run again from it.
Status output_stage(Output *output, const Model *model, State *state, const char *name,
                    Err *err) MUST_CHECK;

// Last fields, checkpoint and summary.json. Frees `output` in all cases.
Status output_close(Output *output, const Model *model, State *state, const StepWork *work,
                    RunStatus status, const RunInfo *info, Err *err) MUST_CHECK;
void output_abandon(Output *output); // after an error: frees, writes nothing

// What has changed since the run began, a line for each: "step 10, t = 0.1 s: gravity 1: y -9.81,
// was -1". "" where nothing has. Those of this restart begin at output_new_changes.
const char *output_changes(const Output *output);
const char *output_new_changes(const Output *output);

// A checkpoint alone, and what it holds beside the state.
typedef struct {
  int64_t history_rows;
  uint64_t history_sum,
      newton_sum; // of history.csv and newton.csv up to their rows; 0: no such file
  const char
      *folder; // for reading: where these files are, which must be what was written; borrowed
  int accept_changes; // for reading: 1: a state of another model is taken, as long as it fits
  // as output_changes tells them; owned, NULL: none. checkpoint_read adds those that it found,
  char *changes;
  size_t n_before; // behind this many bytes that it read
} CheckpointNote;

void checkpoint_note_free(CheckpointNote *note);
Status checkpoint_write(const char *path, const Model *model, State *state,
                        const CheckpointNote *note, Err *err) MUST_CHECK;
// Refuses what is damaged, and what belongs to another model, with all that differs in its input.
Status checkpoint_read(const char *path, const Model *model, State *state, CheckpointNote *note,
                       Err *err) MUST_CHECK;

// Field files.
Status fields_write_bodies(const Model *model, const State *state, const StepWork *work,
                           const char *path, const OutputSpec *spec, Err *err) MUST_CHECK;
Status fields_write_contacts(const Model *model, const State *state, const StepWork *work,
                             const char *path, const OutputSpec *spec, Err *err) MUST_CHECK;

// Lines of force: through every contact point that carries, along its reaction, as long as it is
// large (the largest as long as the mean body), with `force` [N] at their points for tubes.
// Contacts and lines stand where they were at the start, as bodies do, and have their
// `displacement`.
Status fields_write_forces(const Model *model, const State *state, const StepWork *work,
                           const char *path, const OutputSpec *spec, Err *err) MUST_CHECK;

// Tools (body/body.h) as surfaces, moved by the array `displacement` like all bodies. Endless ones
// end a little beyond the other bodies, all at planes of symmetry.
Status fields_write_tools(const Model *model, const State *state, const StepWork *work,
                          const char *path, const OutputSpec *spec, Err *err) MUST_CHECK;

#endif
