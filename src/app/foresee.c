#include "app/foresee.h"

#include <math.h>
#include <string.h>

#include "base/sets.h"
#include "base/vec3.h"
#include "build/build_internal.h"
#include "output/schedule.h"

// ---- gravity, loads -----------------------------------------------------------------------------

enum { N_SAMPLES = 1001 }; // of functions of time over the run

static double end_of_run(const Model *model) {
  double end = model->stages[0].steps.start;
  for (int k = 0; k < model->n_stages; k++)
    end = model->stages[k].name ? end + model->stages[k].duration : model->stages[k].steps.end;
  return end;
}

static double sample_time(const Model *model, int k) {
  double start = model->stages[0].steps.start;
  return start + (end_of_run(model) - start) * k / (N_SAMPLES - 1);
}

static double mass_of(const BodySet *bs, const char *name) {
  const BodyGroup *group = bodies_group(bs, name);
  int body = bodies_find(bs, name), all = !name[0] || strcmp(name, "all") == 0;
  double mass = 0;
  if (group)
    for (int k = 0; k < group->n; k++) mass += bodies_mass(bs, group->body[k]);
  else
    for (int b = 0; b < bs->n_bodies; b++) mass += all || b == body ? bodies_mass(bs, b) : 0;
  return mass;
}

// Largest magnitude over the run of a component of gravity that an element gives [m/s^2], with its
// sign.
static Status largest_value(const Case *c, const InputNode *node, const char *attr, double *value,
                            Err *err) {
  Function f;
  Status status = build_function(&c->input, node, attr, &f, err);
  *value = 0;
  for (int k = 0; k < N_SAMPLES && status == OK; k++) {
    double now;
    status = function_value(&f, sample_time(&c->model, k), &now, err);
    if (status == OK && fabs(now) > fabs(*value)) *value = now;
  }
  function_free(&f);
  return status;
}

typedef struct {
  double g[3];      // largest components of all elements                             [m/s^2]
  double weight[3]; // [N]
} Gravity;

static Status gravity_of(const Case *c, Gravity *gravity, Err *err) {
  const BodySet *bs = &c->model.bodies;
  *gravity = (Gravity){0};
  for (const InputNode *k = input_child(c->input.root, "gravity"); k; k = input_next(k, "gravity"))
    for (int i = 0; i < bs->dim; i++) {
      double value;
      TRY(largest_value(c, k, axis_attr[i], &value, err));
      gravity->weight[i] += value * mass_of(bs, input_text(k, "of"));
      if (fabs(value) > fabs(gravity->g[i])) gravity->g[i] = value;
    }
  return OK;
}

// Largest sum of forces and pressures over the run beside gravity.
static Status largest_load(const Case *c, double *force, Err *err) {
  static const char *const elements[] = {"force", "pressure"};
  const BodySet *bs = &c->model.bodies;
  int any = 0;
  double *p;
  for (size_t e = 0; e < 2; e++) any |= input_child(c->input.root, elements[e]) != NULL;
  *force = 0;
  if (!any) return OK;
  MEM_NEW(p, bs->n_nodes * bs->dim, err);
  Status status = OK;
  for (int k = 0; k < N_SAMPLES && status == OK; k += 10) {
    double sum[3] = {0}, t = sample_time(&c->model, k);
    status = loads_at(&c->model.loads, bs, t, t, 1, p, err);
    for (int i = 0; i < bs->n_nodes * bs->dim; i++) sum[i % bs->dim] += p[i];
    for (const InputNode *g = input_child(c->input.root, "gravity"); g && status == OK;
         g = input_next(g, "gravity"))
      for (int i = 0; i < bs->dim && status == OK; i++) {
        Function f;
        double value = 0;
        status = build_function(&c->input, g, axis_attr[i], &f, err);
        if (status == OK) status = function_value(&f, t, &value, err);
        function_free(&f);
        sum[i] -= value * mass_of(bs, input_text(g, "of"));
      }
    *force = fmax(*force, vec3_length(sum));
  }
  mem_free(p);
  return status;
}

// The extent of all deformable bodies along a direction.
static double extent_along(const BodySet *bs, const double g[3]) {
  double low = (double)INFINITY, high = -(double)INFINITY, size = vec3_length(g);
  for (int k = 0; k < bs->n_nodes; k++) {
    double along = 0;
    if (bs->type[bs->body_of[k]]->given) continue;
    for (int i = 0; i < bs->dim; i++) along += g[i] * bs->x[(size_t)bs->dim * (size_t)k + i] / size;
    low = fmin(low, along);
    high = fmax(high, along);
  }
  return high > low ? high - low : 0;
}

// ---- elasticity ---------------------------------------------------------------------------------

typedef struct {
  double young, bulk_speed, bar_speed; // [Pa], of pressure waves in the mass and along a bar [m/s]
} Elastic;

static Elastic elastic_of(const Material *material) {
  double d[36];
  material->type->stiffness(material->par, STRESS_3D, d);
  double m = d[0], g = d[21], young = m > g ? g * (3 * m - 4 * g) / (m - g) : 0; // shear at (4, 4)
  return (Elastic){.young = young,
                   .bulk_speed = sqrt(m / material->density),
                   .bar_speed = sqrt(fmax(young, 0) / material->density)};
}

static int is_in_use(const Model *model, int material) {
  const BodySet *bs = &model->bodies;
  const Material *wanted = &model->materials[material];
  for (int p = 0; p < bs->n_protos; p++)
    if (bs->protos[p].material == wanted) return 1;
  for (int k = 0; k < bs->n_finite; k++)
    if (strcmp(bs->finite[k].form.spec.material->name, wanted->name) == 0) return 1;
  return 0;
}

enum { POWER_STEPS = 60 }; // within a few per cent from below

// Largest angular frequency of a free prototype: power iteration on M^-1 K.
static Status prototype_frequency(const Prototype *p, int dim, double *omega, Err *err) {
  double *x, *y;
  MEM_NEW(x, 2 * p->n_dofs, err);
  y = x + p->n_dofs;
  for (int i = 0; i < p->n_dofs; i++)
    x[i] = p->fixed && p->fixed[i] ? 0 : 1 + 0.37 * ((i * 7919) % 101) / 101.0 * (i % 2 ? 1 : -1);
  for (int step = 0; step < POWER_STEPS; step++) {
    double product = 0, norm = 0, largest = 0;
    sparse_multiply(&p->stiffness, 1, x, y);
    for (int i = 0; i < p->n_dofs; i++) {
      product += x[i] * y[i];
      norm += x[i] * x[i] * p->mass[i / dim];
      y[i] = p->fixed && p->fixed[i] ? 0 : y[i] / p->mass[i / dim];
      largest = fmax(largest, fabs(y[i]));
    }
    if (!(norm > 0) || !(largest > 0)) break;
    *omega = fmax(*omega, sqrt(fmax(product / norm, 0)));
    for (int i = 0; i < p->n_dofs; i++) x[i] = y[i] / largest;
  }
  mem_free(x);
  return OK;
}

static Status highest_frequency(const Case *c, State *state, double *omega, Err *err) {
  const BodySet *bs = &c->model.bodies;
  *omega = 0;
  for (int p = 0; p < bs->n_protos; p++)
    TRY(prototype_frequency(&bs->protos[p], bs->dim, omega, err));
  if (bs->n_finite == 0) return OK;
  FiniteSystem system;
  Arena arena = {0};
  double *internal = NULL, own = 0;
  int body;
  Status status = finite_system_init(&system, bs, err);
  if (status == OK) {
    internal = mem_new((size_t)bs->n_internal + 1, sizeof *internal);
    if (!internal) status = err_set(err, ERR_SYSTEM, "out of memory: internal variables");
  }
  if (status == OK) {
    const StepSettings *steps = &c->model.stages[0].steps;
    FiniteIterate at = {.state = &state->bodies,
                        .size = {.t = state->t, .h = steps->h, .theta = steps->theta},
                        .u = state->bodies.q,
                        .config = state->bodies.config,
                        .internal = internal};
    status = finite_forces(bs, &system, &at, system.f1, 1, err);
  }
  if (status == OK) status = finite_frequency(bs, &system, &arena, &own, &body, err);
  *omega = fmax(*omega, own);
  mem_free(internal);
  arena_free(&arena);
  finite_system_free(&system);
  return status;
}

static Status print_elasticity(const Case *c, State *state, const Gravity *gravity, FILE *stream,
                               Err *err) {
  const Model *model = &c->model;
  double softest = (double)INFINITY, density = 0, omega, g = vec3_length(gravity->g);
  for (int k = 0; k < model->n_materials; k++) {
    if (!is_in_use(model, k)) continue;
    const Material *material = &model->materials[k];
    Elastic e = elastic_of(material);
    fprintf(stream, "  waves       %s: %.4g m/s, along bars %.4g m/s\n", material->name,
            e.bulk_speed, e.bar_speed);
    if (e.bar_speed < softest) {
      softest = e.bar_speed;
      density = material->density;
    }
  }
  Status status = highest_frequency(c, state, &omega, err);
  if (status == ERR_NUMERIC) { // what cannot be computed at the start is for the run to say
    err_clear(err);
    omega = 0;
  } else if (status != OK) {
    return status;
  }
  double h = model->stages[0].steps.h;
  if (omega > 0)
    fprintf(stream, "  frequency   h omega_max = %.3g (omega_max %.3g 1/s): %s\n", h * omega, omega,
            h * omega < 1 ? "the step resolves every element"
                          : "the step is implicit in the stiffest elements");
  double height = g > 0 ? extent_along(&model->bodies, gravity->g) : 0;
  if (height > 0 && density > 0 && isfinite(softest))
    // rho g H^2 / (2 E) with E = rho c^2, and four passages of a wave
    fprintf(
        stream,
        "  at rest     sinks by about %.3g m under its weight (a column %.3g m high); gravity at "
        "once makes it swing with %.3g s\n",
        0.5 * g * height * height / (softest * softest), height, 4 * height / softest);
  return OK;
}

// ---- turning ------------------------------------------------------------------------------------

// Area and its polar moment about a point, by the integral over the sides of the elements, of which
// those within the mesh cancel [m^2], [m^4].
static void moments_of(const BodySet *bs, int body, const double center[2], double *area,
                       double *polar) {
  const Mesh *mesh = bs->mesh[body];
  *area = *polar = 0;
  for (int e = 0; e < mesh->n_elems; e++) {
    const int32_t *node = mesh->elem_node + mesh->elem_ptr[e];
    int n = mesh->elem_ptr[e + 1] - mesh->elem_ptr[e];
    for (int k = 0; k < n; k++) {
      double p[2][2];
      for (int m = 0; m < 2; m++)
        for (int i = 0; i < 2; i++)
          p[m][i] =
              bs->x[2 * (size_t)(bs->node_ptr[body] + node[(k + m) % n]) + (size_t)i] - center[i];
      double cross = p[0][0] * p[1][1] - p[0][1] * p[1][0];
      *area += cross / 2;
      for (int i = 0; i < 2; i++)
        *polar += cross * (p[0][i] * p[0][i] + p[0][i] * p[1][i] + p[1][i] * p[1][i]) / 12;
    }
  }
}

// Moment of inertia of the nodes' masses over that of the body itself, about the centre of mass.
static double inertia_ratio(const BodySet *bs, int body) {
  double center[2] = {0}, mass = 0, lumped = 0, area = 0, exact = 0;
  for (int k = bs->node_ptr[body]; k < bs->node_ptr[body + 1]; k++) {
    double m = bodies_node_mass(bs, k);
    mass += m;
    for (int i = 0; i < 2; i++) center[i] += m * bs->x[2 * (size_t)k + (size_t)i];
  }
  if (!(mass > 0)) return 0;
  for (int i = 0; i < 2; i++) center[i] /= mass;
  for (int k = bs->node_ptr[body]; k < bs->node_ptr[body + 1]; k++) {
    double a = bs->x[2 * (size_t)k] - center[0], b = bs->x[2 * (size_t)k + 1] - center[1];
    lumped += bodies_node_mass(bs, k) * (a * a + b * b);
  }
  moments_of(bs, body, center, &area, &exact);
  return area > 0 && exact > 0 ? lumped * area / (mass * exact) : 0;
}

// Masses at nodes are farther out than those of the body: blocks of few cells turn, rock and fall
// more slowly.
static void print_turning(const Model *model, FILE *stream) {
  const BodySet *bs = &model->bodies;
  double most = 0;
  int worst = -1;
  if (bs->dim != 2 || bs->axisymmetric) return;
  for (int b = 0; b < bs->n_bodies; b++) {
    const int lumped = bs->proto[b] < 0 || !bs->protos[bs->proto[b]].consistent;
    double ratio = bs->type[b]->deforms && lumped ? inertia_ratio(bs, b) : 0;
    if (ratio > most) {
      most = ratio;
      worst = b;
    }
  }
  if (worst >= 0)
    fprintf(
        stream,
        "  turning     inertia up to %.3g times that of the solid body ('%s': masses stand at "
        "nodes; finer cells have less, mass=\"consistent\" and kinematics=\"rigid\" none of it)\n",
        most, bs->name[worst]);
}

// ---- the start ----------------------------------------------------------------------------------

// Bodies that no contact of the start joins, directly or through others, to what is held. set
// [2 n_bodies], zeroed: room for what touches (sets.h), and for whether a head is held.
static void print_hanging(const Model *model, const Contact *contact, int n, int32_t *set,
                          FILE *stream) {
  const BodySet *bs = &model->bodies;
  char names[DIAG_LIST] = "";
  int hanging = 0;
  int32_t *is_held = set + bs->n_bodies;
  sets_begin(set, bs->n_bodies);
  for (int k = 0; k < n; k++) sets_join(set, contact[k].side[0].body, contact[k].side[1].body);
  for (int b = 0; b < bs->n_bodies; b++) {
    int holds = bs->type[b]->given || foresee_is_held(model, b);
    if (holds) is_held[sets_head(set, b)] = 1;
  }
  for (int b = 0; b < bs->n_bodies; b++) {
    if (bs->type[b]->given || is_held[sets_head(set, b)]) continue;
    if (++hanging <= 3) diag_list(names, bs->name[b], strlen(bs->name[b]));
  }
  fprintf(stream, "  at the start %d contact points within %.3g m\n", n, model->contact.alert);
  if (hanging > 0)
    fprintf(stream, "  hanging     %d bod%s on nothing at the start: %s%s\n", hanging,
            hanging == 1 ? "y rests" : "ies rest", names, hanging > 3 ? ", ..." : "");
}

static Status print_start(Case *c, State *state, FILE *stream, int *n_contacts, Err *err) {
  Model *model = &c->model;
  const StepSettings *steps = &model->stages[0].steps;
  ContactWork *work = NULL;
  int32_t *set = NULL;
  Status status = contact_work_new(&work, &model->contact, &model->bodies, err);
  ContactStep step = {.cm = &model->contact,
                      .bs = &model->bodies,
                      .bodies = &state->bodies,
                      .state = &state->contact,
                      .work = work,
                      .size = {.t = state->t, .h = steps->h, .theta = steps->theta}};
  if (status == OK) status = contact_detect(&step, err);
  if (status == OK) {
    *n_contacts = contact_count(work);
    set = mem_new(2 * (size_t)model->bodies.n_bodies, sizeof *set);
    if (!set) status = err_set(err, ERR_SYSTEM, "out of memory: contacts at the start");
  }
  if (status == OK) print_hanging(model, contact_list(work), *n_contacts, set, stream);
  mem_free(set);
  contact_work_free(work);
  return status;
}

// ---- fillets, records, motions ------------------------------------------------------------------

static Status print_fillets(const Model *model, FILE *stream, Err *err) {
  SheetFillet *list = NULL;
  int n;
  Status status = foresee_fillets(model, &list, &n, err);
  for (int k = 0; status == OK && k < n; k++)
    fprintf(stream,
            "  fillet      %s on %s: %.1f fine elements of %.3g m in a quarter circle of %.3g m\n",
            model->bodies.name[list[k].sheet], model->bodies.name[list[k].tool],
            foresee_edges(&list[k]), list[k].edge, list[k].radius);
  mem_free(list);
  return status;
}

static Status print_records(const Case *c, FILE *stream, Err *err) {
  for (const InputNode *k = input_child(c->input.root, "function"); k;
       k = input_next(k, "function")) {
    if (strcmp(input_text(k, "kind"), "accelerogram") != 0) continue;
    Function f = {0};
    double first = 0, last = 0;
    Status status = build_record(k, &f, err);
    RecordPeaks peaks = status == OK ? function_peaks(&f) : (RecordPeaks){0};
    if (status == OK) function_span(&f, &first, &last);
    function_free(&f);
    TRY(status);
    fprintf(
        stream,
        "  record      %s: %g to %g s, peaks %.3g m/s^2 (%.3g g), %.3g m/s, %.3g m; left at its "
        "end %.2g m/s, %.2g m (baseline %s)\n",
        input_text(k, "name"), first, last, peaks.a, peaks.a / STANDARD_GRAVITY, peaks.v, peaks.x,
        peaks.v_end, peaks.x_end, input_text(k, "baseline"));
  }
  return OK;
}

// Largest magnitudes of a function and its first two derivatives in the run.
static Status peaks_of(const Model *model, const Function *f, double peak[3], Err *err) {
  peak[0] = peak[1] = peak[2] = 0;
  for (int k = 0; k < N_SAMPLES; k++) {
    double t = sample_time(model, k), value[3];
    TRY(function_value(f, t, &value[0], err));
    TRY(function_rate(f, t, &value[1], err));
    TRY(function_second_rate(f, t, &value[2], err));
    for (int i = 0; i < 3; i++) peak[i] = fmax(peak[i], fabs(value[i]));
  }
  return OK;
}

static Status print_turn(const Model *model, int body, FILE *stream, Err *err) {
  const Function *turn = &model->bodies.motion[body].turn;
  double peak[3];
  if (turn->kind != FUNCTION_EXPRESSION) return OK;
  TRY(peaks_of(model, turn, peak, err));
  fprintf(stream, "  motion      %s turns: up to %.3g rad, %.3g rad/s\n", model->bodies.name[body],
          peak[0], peak[1]);
  return OK;
}

// Peaks of a motion that is an expression: displacement or velocity, and acceleration.
static Status print_motion(const Model *model, int body, int axis, FILE *stream, Err *err) {
  const Motion *motion = &model->bodies.motion[body].x[axis];
  double peak[3];
  if (motion->f.kind != FUNCTION_EXPRESSION) return OK;
  TRY(peaks_of(model, &motion->f, peak, err));
  const char *name = model->bodies.name[body];
  if (motion->is_velocity)
    fprintf(stream, "  motion      %s along %s: up to %.3g m/s, %.3g g\n", name, axis_attr[axis],
            peak[0], peak[1] / STANDARD_GRAVITY);
  else
    fprintf(stream, "  motion      %s along %s: up to %.3g m, %.3g m/s, %.3g g\n", name,
            axis_attr[axis], peak[0], peak[1], peak[2] / STANDARD_GRAVITY);
  return OK;
}

// ---- what it will cost --------------------------------------------------------------------------

// Measured on walls of 150 to 15050 blocks, soft and of stone, on sheets and solids of 2000 to
// 17000 unknowns, one thread; good within a factor of four.
static const double SECONDS_CONTACT = 2e-6;  // a contact point and step
static const double SECONDS_DOF = 5e-7;      // an unknown of bodies of small strains and step
static const double SECONDS_FACTOR = 1.3e-7; // times unknowns^1.5 an iteration of Newton's method
static const double ITERATIONS = 4;          // of it a step
static const double STEPS_TO_REST = 40;      // of a stage that rest ends
static const double BYTES_PROGRAM = 20e6, BYTES_CONTACT = 3.7e3, BYTES_DOF = 100,
                    BYTES_FINITE_DOF = 9e3;

typedef struct {
  double steps, dofs, finite_dofs, power; // power: unknowns^1.5, summed over finite bodies
  double points, cells, finite_cells;     // of a field file
} Amounts;

// Steps of a stage. Of steps that grow: those of the growth, then the longest ones. Rest comes
// after a few tens.
static double steps_of(const Stage *stage) {
  const StepSettings *s = &stage->steps;
  double n = (double)s->n_steps;
  if (s->h_max > s->h) {
    double growing = ceil(log(s->h_max / s->h) / log(s->growth));
    double grown = s->h * (pow(s->growth, growing) - 1) / (s->growth - 1);
    n = fmin(n, growing + fmax(0, stage->duration - grown) / s->h_max);
  }
  return stage->until_rest ? fmin(n, STEPS_TO_REST) : n;
}

static Amounts amounts_of(const Model *model) {
  const BodySet *bs = &model->bodies;
  Amounts a = {.points = bs->n_nodes};
  for (int k = 0; k < model->n_stages; k++) a.steps += steps_of(&model->stages[k]);
  for (int b = 0; b < bs->n_bodies; b++) {
    double dofs = (double)(bs->node_ptr[b + 1] - bs->node_ptr[b]) * bs->dim;
    if (!bs->type[b]->given && !bs->type[b]->iterated) a.dofs += (double)bodies_n_unknowns(bs, b);
    if (!bs->type[b]->iterated) continue;
    dofs += bs->finite[bs->own[b]].form.n_extra;
    a.finite_dofs += dofs;
    a.power += pow(dofs, 1.5);
    a.finite_cells += bs->mesh[b]->n_elems;
  }
  for (int b = 0; b < bs->n_bodies; b++) a.cells += bs->mesh[b]->n_elems;
  return a;
}

static void print_cost(const Case *c, int n_contacts, FILE *stream) {
  Amounts a = amounts_of(&c->model);
  double seconds = a.steps * (SECONDS_CONTACT * n_contacts + SECONDS_DOF * a.dofs +
                              ITERATIONS * SECONDS_FACTOR * a.power);
  double bytes = BYTES_PROGRAM + BYTES_CONTACT * n_contacts + BYTES_DOF * a.dofs +
                 BYTES_FINITE_DOF * a.finite_dofs;
  // arrays of a set of field files: points 9 numbers, cells 22 and 6 integers, of finite bodies 18
  // more; contacts
  double set = 72 * a.points + 212 * a.cells + 144 * a.finite_cells + 300 * (double)n_contacts;
  double sets = fmin((double)schedule_count_fields(c->output.every, &c->model),
                     2 + a.steps / fmax(1, c->output.every));
  fprintf(
      stream,
      "  expected    %.3g steps, %.2g s on one core, %.2g MB of memory (within a factor of four)\n",
      ceil(a.steps), seconds, 1e-6 * bytes);
  fprintf(stream, "  fields      %.0f sets, %.2g MB\n", ceil(sets), 1e-6 * set * sets);
}

Status foresee_print(Case *c, FILE *stream, Err *err) {
  const BodySet *bs = &c->model.bodies;
  Gravity gravity;
  double load;
  int n_contacts = 0;
  TRY(gravity_of(c, &gravity, err));
  TRY(largest_load(c, &load, err));
  double weight = vec3_length(gravity.weight);
  if (weight > 0)
    fprintf(stream, "  weight      %.6g N (%.4g m/s^2)\n", weight, vec3_length(gravity.g));
  double mass = mass_of(bs, "");
  if (load > 0 && mass > 0)
    fprintf(stream, "  load        up to %.4g N beside the weight, %.3g g of all mass\n", load,
            load / mass / STANDARD_GRAVITY);
  TRY(print_records(c, stream, err));
  for (int b = 0; b < bs->n_bodies; b++)
    for (int i = 0; i < bs->dim; i++)
      if (bs->type[b]->given) TRY(print_motion(&c->model, b, i, stream, err));
  for (int b = 0; b < bs->n_bodies; b++) TRY(print_turn(&c->model, b, stream, err));
  TRY(print_fillets(&c->model, stream, err));
  State state = {0};
  Status status = state_init(&state, &c->model, err);
  if (status == OK) status = print_elasticity(c, &state, &gravity, stream, err);
  if (status == OK) print_turning(&c->model, stream);
  if (status == OK) status = print_start(c, &state, stream, &n_contacts, err);
  state_free(&state);
  if (status == OK) print_cost(c, n_contacts, stream);
  return status;
}
