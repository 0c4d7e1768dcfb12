// output/probe.h -- quantities observed at each step, columns of history.csv.
//
// Displacements, velocities and energies are those at the end of the step; forces are means over it
// (impulse / h). To add one: a row in the table of probe.c.

#ifndef OUTPUT_PROBE_H
#define OUTPUT_PROBE_H

#include "step/step.h"

typedef enum { PROBE_OF_ALL, PROBE_OF_BODIES, PROBE_OF_NODES } ProbeScope;

enum { PROBE_MAX_COLUMNS = 8 };

typedef struct Probe Probe;

typedef struct {
  const Model *model;
  const State *state;
  const StepWork *work;
} Observation;

typedef struct {
  const char *name, *doc;
  ProbeScope scope;
  const ParamSpec *params;
  int n_params;
  int n_columns; // 0: one for each direction of the model, suffixes _x, _y, _z
  const char *suffix[PROBE_MAX_COLUMNS]; // column = name + suffix
  const char *unit[PROBE_MAX_COLUMNS];
  void (*observe)(const Probe *probe, const Observation *now, double *value);
} ProbeType;

extern const ProbeType probe_types[];
extern const int n_probe_types;

struct Probe {
  const ProbeType *type;
  char *name; // owned
  int n_items;
  int32_t *item;  // [n_items] bodies or nodes, owned
  double at[3];   // of draw_in: a point of the axis [m]
  double axis[3]; // its unit direction
  int component;  // -1: all columns; else only that of this place, named as the probe
  double scale;   // on the values; 0: one
};

// Columns of a probe in a model of dimension dim, their names and units, and their values.
int probe_n_columns(const Probe *probe, int dim);
void probe_column(const Probe *probe, int column, char *name, size_t size, const char **unit);
void probe_observe(const Probe *probe, const Observation *now, double *value);

const ProbeType *probe_find(const char *name); // NULL if absent
void probe_free(Probe *probe);

// The columns that every history has, before those of the probes.
enum { N_STANDARD_COLUMNS = 6 };
extern const char *const standard_columns[N_STANDARD_COLUMNS],
    *const standard_units[N_STANDARD_COLUMNS];
void probe_standard(const Observation *now, double *value);

#endif
