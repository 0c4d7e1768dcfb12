// output/schedule.h -- after which steps fields are written.
//
// Every so many steps where the input says so. Where it does not: about fifty times in a run, at
// its start, and at the ends of stages. Stages of equal steps share them evenly by steps, stages
// whose steps grow by time; of a stage that rest ends nobody knows how long it will be, so that it
// is written after every step at first, then after every second, fourth, ... Pure functions of
// model and state: a run that was interrupted writes the files of one that was not.

#ifndef OUTPUT_SCHEDULE_H
#define OUTPUT_SCHEDULE_H

#include "step/stage.h"

enum { FIELDS_AUTO = -1, FIELDS_NONE = 0 }; // else the number of steps between two sets
enum { FIELD_SETS = 50 };                   // of a run, about, where the input does not say

// Is the state after a step of size h [s] (at the start: 0) to be written?
int schedule_wants_fields(int every, const Model *model, const State *state, double h);

// Sets that a run will write; an upper bound where steps grow or rest ends a stage.
int64_t schedule_count_fields(int every, const Model *model);

#endif
