#include "output/probe.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/mat3.h"
#include "base/sum.h"
#include "body/body_type.h"
#include "body/finite.h"
#include "body/turning.h"

const char *const standard_columns[N_STANDARD_COLUMNS] = {
    "time", "contacts", "iterations", "error", "penetration", "penetration_nodes"};
const char *const standard_units[N_STANDARD_COLUMNS] = {"s", "1", "1", "1", "m", "m"};

void probe_standard(const Observation *now, double *value) {
  const StepReport *report = &now->work->report;
  const double all[N_STANDARD_COLUMNS] = {
      now->state->t,        report->n_contacts,           report->solver.iterations,
      report->solver.error, report->penetration.contacts, report->penetration.nodes};
  memcpy(value, all, sizeof all);
}

static int all_columns(const ProbeType *type, int dim) {
  return type->n_columns > 0 ? type->n_columns : dim;
}

int probe_n_columns(const Probe *probe, int dim) {
  return probe->component >= 0 ? 1 : all_columns(probe->type, dim);
}

void probe_column(const Probe *probe, int column, char *name, size_t size, const char **unit) {
  int from = probe->component >= 0 ? probe->component : column;
  snprintf(name, size, "%s%s", probe->name, probe->component >= 0 ? "" : probe->type->suffix[from]);
  if (unit) *unit = probe->type->unit[from];
}

void probe_observe(const Probe *probe, const Observation *now, double *value) {
  double all[PROBE_MAX_COLUMNS] = {0}, scale = probe->scale != 0 ? probe->scale : 1;
  int n = probe_n_columns(probe, now->model->bodies.dim);
  probe->type->observe(probe, now, all);
  for (int k = 0; k < n; k++) value[k] = scale * all[probe->component >= 0 ? probe->component : k];
}

// Contact impulses act on nodes; what the bodies exert on all others is minus what acts on them.
typedef struct {
  const Probe *probe;
  const Observation *now;
} Seen;

static void reaction_terms(const void *of, int64_t first, int64_t last, double *sum) {
  const Seen *seen = of;
  const StepWork *work = seen->now->work;
  const BodySet *bs = &seen->now->model->bodies;
  int dim = bs->dim;
  for (int64_t k = first; k < last; k++) {
    int body = seen->probe->item[k];
    for (int node = bs->node_ptr[body]; node < bs->node_ptr[body + 1]; node++)
      for (int i = 0; i < dim; i++)
        sum[i] -= work->impulse[dim * (size_t)node + i] / work->report.h;
  }
}

static void observe_reaction(const Probe *probe, const Observation *now, double *value) {
  sum_over(probe->n_items, now->model->bodies.dim, reaction_terms, &(Seen){probe, now}, value);
}

static void hold_terms(const void *of, int64_t first, int64_t last, double *sum) {
  const Seen *seen = of;
  const StepWork *work = seen->now->work;
  int dim = seen->now->model->bodies.dim;
  for (int64_t k = first; k < last; k++)
    for (int i = 0; i < dim; i++)
      sum[i] += work->support[dim * (size_t)seen->probe->item[k] + i] / work->report.h;
}

static void observe_hold(const Probe *probe, const Observation *now, double *value) {
  sum_over(probe->n_items, now->model->bodies.dim, hold_terms, &(Seen){probe, now}, value);
}

// Nothing can be said of nodes that were all cut off.
static void say_nothing(int n, double *value) {
  for (int k = 0; k < n; k++) value[k] = (double)NAN;
}

static void node_mean(const Probe *probe, const BodySet *bs, const double *field, double *value) {
  int dim = bs->dim, n = 0;
  memset(value, 0, sizeof *value * (size_t)dim);
  for (int k = 0; k < probe->n_items; k++) n += bodies_node_there(bs, probe->item[k]);
  if (n == 0) say_nothing(dim, value);
  for (int k = 0; k < probe->n_items && n > 0; k++)
    for (int i = 0; i < dim && bodies_node_there(bs, probe->item[k]); i++)
      value[i] += field[dim * (size_t)probe->item[k] + i] / n;
}

static void observe_displacement(const Probe *probe, const Observation *now, double *value) {
  node_mean(probe, &now->model->bodies, now->state->bodies.q, value);
}

static void observe_velocity(const Probe *probe, const Observation *now, double *value) {
  node_mean(probe, &now->model->bodies, now->state->bodies.v, value);
}

static void momentum_terms(const void *of, int64_t first, int64_t last, double *sum) {
  const Seen *seen = of;
  const BodySet *bs = &seen->now->model->bodies;
  int dim = bs->dim;
  for (int64_t k = first; k < last; k++) {
    int body = seen->probe->item[k];
    for (int node = bs->node_ptr[body]; node < bs->node_ptr[body + 1]; node++)
      for (int i = 0; i < dim; i++)
        sum[i] += bodies_node_mass(bs, node) * seen->now->state->bodies.v[dim * (size_t)node + i];
  }
}

static void observe_momentum(const Probe *probe, const Observation *now, double *value) {
  sum_over(probe->n_items, now->model->bodies.dim, momentum_terms, &(Seen){probe, now}, value);
}

static void observe_spin(const Probe *probe, const Observation *now, double *value) {
  value[0] = value[1] = 0;
  for (int k = 0; k < probe->n_items; k++) {
    if (!(bodies_mass(&now->model->bodies, probe->item[k]) > 0)) continue;
    const BodyTurning t = body_turning(&now->model->bodies, &now->state->bodies, probe->item[k]);
    value[0] += atan2(t.sum[3] - t.sum[1], t.sum[0] + t.sum[4]) / probe->n_items;
    value[1] += t.moment[2] / t.inertia[8] / probe->n_items;
  }
}

static void rate_of(const BodyTurning *t, double rate[3]) {
  double inverse[9];
  mat3_invert(t->inertia, inverse);
  mat3_apply(inverse, t->moment, rate);
}

static void observe_angular_velocity(const Probe *probe, const Observation *now, double *value) {
  for (int k = 0; k < probe->n_items; k++) {
    double rate[3];
    const BodyTurning t = body_turning(&now->model->bodies, &now->state->bodies, probe->item[k]);
    rate_of(&t, rate);
    for (int i = 0; i < 3; i++) value[i] += rate[i] / probe->n_items;
  }
}

// The rotation nearest to how the nodes have gone.
static void observe_orientation(const Probe *probe, const Observation *now, double *value) {
  const BodyTurning t = body_turning(&now->model->bodies, &now->state->bodies, probe->item[0]);
  double r[9];
  if (!body_rotation(now->model->bodies.dim, &t, r)) {
    say_nothing(probe->type->n_columns, value);
    return;
  }
  mat3_quaternion(r, value);
}

// About the origin: that of the centres, and of each body about its own.
static void observe_angular_momentum(const Probe *probe, const Observation *now, double *value) {
  const BodySet *bs = &now->model->bodies;
  for (int k = 0; k < probe->n_items; k++) {
    int body = probe->item[k];
    const BodyTurning t = body_turning(bs, &now->state->bodies, body);
    double cross[3], own[3];
    memcpy(own, t.moment, sizeof own);
    if (bs->type[body]->angular_momentum)
      bs->type[body]->angular_momentum(bs, &now->state->bodies, body, own);
    vec3_cross(t.place, t.v, cross);
    for (int i = 0; i < 3; i++) value[i] += bodies_mass(bs, body) * cross[i] + own[i];
  }
}

static void observe_energy(const Probe *probe, const Observation *now, double *value) {
  (void)probe;
  for (int k = ENERGY_KINETIC; k <= ENERGY_PLASTIC; k++) value[k] = now->state->energy[k];
}

static void observe_status(const Probe *probe, const Observation *now, double *value) {
  (void)probe;
  memset(value, 0, 4 * sizeof *value);
  for (int c = 0; c < contact_count(now->work->contact); c++) {
    ContactStatus status = contact_status(now->work->contact, c);
    value[status == STATUS_BROKEN ? STATUS_OPEN : status]++;
  }
  value[STATUS_BROKEN] = (double)now->state->count[STAT_BROKEN];
}

static void observe_stage(const Probe *probe, const Observation *now, double *value) {
  (void)probe;
  value[0] = now->work->report.stage + 1;
}

// Place of a node, at the start or now.
static void node_place(const Observation *now, int node, int moved, double x[3]) {
  const BodySet *bs = &now->model->bodies;
  x[2] = 0;
  for (int i = 0; i < bs->dim; i++) {
    size_t at = (size_t)bs->dim * (size_t)node + i;
    x[i] = bs->x[at] + (moved ? now->state->bodies.q[at] : 0);
  }
}

static void observe_thickness(const Probe *probe, const Observation *now, double *value) {
  const double *half = now->state->bodies.half;
  int thinnest = -1;
  double most = 0;
  for (int k = 0; k < probe->n_items; k++) {
    if (!bodies_node_there(&now->model->bodies, probe->item[k])) continue;
    if (thinnest < 0 || half[probe->item[k]] < half[thinnest]) thinnest = probe->item[k];
    most = fmax(most, half[probe->item[k]]);
  }
  if (thinnest < 0) {
    say_nothing(probe->type->n_columns, value);
    return;
  }
  value[0] = 2 * half[thinnest];
  value[1] = 2 * most;
  node_place(now, thinnest, 0, value + 2);
}

// Elements as they are, without the mean over those around a node.
static void observe_element_thickness(const Probe *probe, const Observation *now, double *value) {
  const BodySet *bs = &now->model->bodies;
  FiniteIterate at = {.state = &now->state->bodies,
                      .u = now->state->bodies.q,
                      .config = now->state->bodies.config,
                      .internal = now->state->bodies.internal};
  value[0] = (double)INFINITY;
  for (int k = 0; k < probe->n_items; k++) {
    int body = probe->item[k], own = bs->own[body];
    const Mesh *mesh = bs->mesh[body];
    FormPoint point = finite_point(bs, own, &at);
    for (int e = 0; e < mesh->n_elems; e++) {
      FormOutput out;
      if (bodies_lacks(bs, body, e)) continue;
      bs->finite[own].form.type->output(&bs->finite[own].form, e, &point, &out);
      value[1] = fmax(value[1], out.thickness);
      if (out.thickness >= value[0]) continue;
      value[0] = out.thickness;
      memset(value + 2, 0, 3 * sizeof *value);
      int n = mesh->elem_ptr[e + 1] - mesh->elem_ptr[e];
      for (int i = 0; i < n; i++) {
        double x[3];
        node_place(now, bs->node_ptr[body] + mesh->elem_node[mesh->elem_ptr[e] + i], 0, x);
        for (int c = 0; c < 3; c++) value[2 + c] += x[c] / n;
      }
    }
  }
  if (isinf(value[0])) say_nothing(probe->type->n_columns, value);
}

static double distance_to_axis(const Probe *probe, const double x[3]) {
  double d[3], along = 0, square = 0;
  for (int i = 0; i < 3; i++) {
    d[i] = x[i] - probe->at[i];
    along += d[i] * probe->axis[i];
  }
  for (int i = 0; i < 3; i++) square += pow(d[i] - along * probe->axis[i], 2);
  return sqrt(square);
}

static void observe_draw_in(const Probe *probe, const Observation *now, double *value) {
  const BodySet *bs = &now->model->bodies;
  int n = 0;
  for (int k = 0; k < probe->n_items; k++) n += bodies_node_there(bs, probe->item[k]);
  if (n == 0) say_nothing(1, value);
  for (int k = 0; k < probe->n_items; k++) {
    double before[3], after[3];
    if (!bodies_node_there(bs, probe->item[k])) continue;
    node_place(now, probe->item[k], 0, before);
    node_place(now, probe->item[k], 1, after);
    value[0] += (distance_to_axis(probe, before) - distance_to_axis(probe, after)) / n;
  }
}

static void observe_angle(const Probe *probe, const Observation *now, double *value) {
  double x[4][3], a[3], b[3], cross = 0, dot = 0;
  for (int k = 0; k < 4; k++) node_place(now, probe->item[k], 1, x[k]);
  for (int i = 0; i < 3; i++) {
    a[i] = x[1][i] - x[0][i];
    b[i] = x[3][i] - x[2][i];
    dot += a[i] * b[i];
  }
  for (int i = 0; i < 3; i++)
    cross += pow(a[(i + 1) % 3] * b[(i + 2) % 3] - a[(i + 2) % 3] * b[(i + 1) % 3], 2);
  value[0] = atan2(sqrt(cross), dot);
}

static const ParamSpec body_params[] = {
    {"of", PARAM_TEXT, "", NULL, NULL, NULL, "bodies: a body, assembly or group"},
};
static const ParamSpec node_params[] = {
    {"of", PARAM_TEXT, "", NULL, NULL, NULL,
     "nodes (the mean over them), e.g. wall.top; or bodies"},
    {"near", PARAM_LIST, "m", "", NULL, NULL,
     "x y: only that node of `of` which is nearest to this point"},
};

static const ParamSpec sheet_node_params[] = {
    {"of", PARAM_TEXT, "", NULL, NULL, NULL, "a sheet, or nodes of it"},
};
static const ParamSpec sheet_params[] = {
    {"of", PARAM_TEXT, "", NULL, NULL, NULL, "sheets: a body or group"},
};
static const ParamSpec draw_in_params[] = {
    {"of", PARAM_TEXT, "", NULL, NULL, NULL, "nodes (the mean over them), e.g. blank.edge"},
    {"near", PARAM_LIST, "m", "", NULL, NULL,
     "x y z: only that node of `of` which is nearest to this point"},
    {"about", PARAM_LIST, "m", "", NULL, NULL,
     "x y z: a point of the axis; the origin where absent"},
    {"axis", PARAM_LIST, "1", "", NULL, NULL, "its direction; z where absent, in the plane y"},
};
static const ParamSpec angle_params[] = {
    {"of", PARAM_TEXT, "", NULL, NULL, NULL, "bodies or nodes that are looked among"},
    {"points", PARAM_LIST, "m", NULL, NULL, NULL,
     "four points A B C D at the start; the nodes nearest to them are followed"},
};

const ProbeType probe_types[] = {
    {"reaction",
     "force that bodies exert on all others through contact",
     PROBE_OF_BODIES,
     body_params,
     1,
     0,
     {"_x", "_y", "_z"},
     {"N", "N", "N"},
     observe_reaction},
    {"hold",
     "force that holds prescribed nodes to their motion",
     PROBE_OF_NODES,
     node_params,
     2,
     0,
     {"_x", "_y", "_z"},
     {"N", "N", "N"},
     observe_hold},
    {"displacement",
     "displacement of nodes",
     PROBE_OF_NODES,
     node_params,
     2,
     0,
     {"_x", "_y", "_z"},
     {"m", "m", "m"},
     observe_displacement},
    {"velocity",
     "velocity of nodes",
     PROBE_OF_NODES,
     node_params,
     2,
     0,
     {"_x", "_y", "_z"},
     {"m/s", "m/s", "m/s"},
     observe_velocity},
    {"momentum",
     "momentum of bodies",
     PROBE_OF_BODIES,
     body_params,
     1,
     0,
     {"_x", "_y", "_z"},
     {"kg m/s", "kg m/s", "kg m/s"},
     observe_momentum},
    {"spin",
     "mean rotation of bodies since the start, and their angular velocity",
     PROBE_OF_BODIES,
     body_params,
     1,
     2,
     {"_angle", "_rate"},
     {"rad", "rad/s"},
     observe_spin},
    {"angular_velocity",
     "mean angular velocity of bodies, in space",
     PROBE_OF_BODIES,
     body_params,
     1,
     3,
     {"_x", "_y", "_z"},
     {"rad/s", "rad/s", "rad/s"},
     observe_angular_velocity},
    {"orientation",
     "mean rotation of one body since the start, in space: a unit quaternion with _w >= 0",
     PROBE_OF_BODIES,
     body_params,
     1,
     4,
     {"_w", "_x", "_y", "_z"},
     {"1", "1", "1", "1"},
     observe_orientation},
    {"angular_momentum",
     "angular momentum of bodies about the origin",
     PROBE_OF_BODIES,
     body_params,
     1,
     3,
     {"_x", "_y", "_z"},
     {"kg m^2/s", "kg m^2/s", "kg m^2/s"},
     observe_angular_momentum},
    {"energy",
     "energies and works since the start",
     PROBE_OF_ALL,
     NULL,
     0,
     8,
     {"_kinetic", "_elastic", "_external", "_contact_normal", "_friction", "_damping", "_numerical",
      "_plastic"},
     {"J", "J", "J", "J", "J", "J", "J", "J"},
     observe_energy},
    {"status",
     "number of contacts by status; _broken: joints that have lost all their strength so far, whatever they carry now",
     PROBE_OF_ALL,
     NULL,
     0,
     4,
     {"_open", "_stick", "_slip", "_broken"},
     {"1", "1", "1", "1"},
     observe_status},
    {"stage",
     "number of the stage, from 1; every history of an input with stages has this column",
     PROBE_OF_ALL,
     NULL,
     0,
     1,
     {""},
     {"1"},
     observe_stage},
    {"thickness",
     "smallest and largest thickness of a sheet at its nodes, and where the smallest was at the start",
     PROBE_OF_NODES,
     sheet_node_params,
     1,
     5,
     {"_min", "_max", "_x", "_y", "_z"},
     {"m", "m", "m", "m", "m"},
     observe_thickness},
    {"element_thickness",
     "smallest and largest thickness of the elements of sheets, and where the middle of the thinnest was at the start",
     PROBE_OF_BODIES,
     sheet_params,
     1,
     5,
     {"_min", "_max", "_x", "_y", "_z"},
     {"m", "m", "m", "m", "m"},
     observe_element_thickness},
    {"draw_in",
     "by how much nodes have come nearer to an axis",
     PROBE_OF_NODES,
     draw_in_params,
     4,
     1,
     {""},
     {"m"},
     observe_draw_in},
    {"angle",
     "angle between the lines from A to B and from C to D, 0 to pi",
     PROBE_OF_NODES,
     angle_params,
     2,
     1,
     {""},
     {"rad"},
     observe_angle},
};
const int n_probe_types = sizeof probe_types / sizeof probe_types[0];

const ProbeType *probe_find(const char *name) {
  for (int k = 0; k < n_probe_types; k++)
    if (strcmp(probe_types[k].name, name) == 0) return &probe_types[k];
  return NULL;
}

void probe_free(Probe *probe) {
  mem_free(probe->name);
  mem_free(probe->item);
  *probe = (Probe){0};
}
