// Stages of the run: their settings, what goes, what is prescribed in each.

#include <math.h>
#include <string.h>

#include "build/build_internal.h"

static const InputNode *first_stage(const Builder *b) {
  return input_child(b->in->root, "stage");
}

// ---- steps --------------------------------------------------------------------------------------

// How many steps there are at most.
static void count_steps(Builder *b, SrcPos pos, double duration, StepSettings *steps) {
  double n = duration / steps->h;
  if (!(n < 1e12)) {
    diag_add(b->diag, pos, "step = %g s makes %g steps; at most 1e12 are possible", steps->h, n);
    return;
  }
  steps->n_steps = (int64_t)ceil(n - 1e-9); // round-off must not add a sliver of a step
}

// Statics of elastic bodies are steps as long as it takes, whatever the time of the loads: rates
// mean nothing there. Rigid bodies are brought into balance with those; by themselves they would
// move on as in dynamics.
static void check_statics(Builder *b, SrcPos pos, const StepSettings *steps) {
  const Entry *elastic = NULL, *rated = NULL, *rigid = NULL;
  if (!steps->newton.statics) return;
  if (steps->theta != 1) diag_add(b->diag, pos, "statics need theta = 1 in <time> or in the stage");
  for (int k = 0; k < b->n_entries; k++) {
    const Entry *entry = &b->entries[k];
    if (entry->type->deforms && !entry->type->iterated) elastic = entry;
    if (entry->type->iterated && b->model->materials[entry->material].type->rates) rated = entry;
    if (!entry->type->deforms && !entry->type->given) rigid = entry;
  }
  if (rigid && !elastic)
    diag_add(b->diag, pos,
             "'%s' is rigid: statics are found by how bodies deform, and none here is of small "
             "strains or co-rotational",
             rigid->name);
  if (elastic && rated)
    diag_add(b->diag, pos,
             "statics of '%s', of small strains, have no rates, and law '%s' of '%s' needs them: "
             "give all bodies kinematics=\"finite\"",
             elastic->name, b->model->materials[rated->material].type->name, rated->name);
}

// Sub-steps cannot be longer than the steps that they make.
static void check_step_min(Builder *b, const InputNode *node, const StepSettings *steps) {
  if (steps->h_min > steps->h)
    diag_add(b->diag, input_pos(node, "step_min"), "step_min = %g s is above the step of %g s",
             steps->h_min, steps->h);
}

// An input without stages: one, from start to end.
static void build_whole(Builder *b, Stage *stage) {
  const InputNode *time = input_child(b->in->root, "time"),
                  *newton = input_child(b->in->root, "newton");
  StepSettings *steps = &stage->steps;
  *stage = (Stage){.src = time->pos, .steps = b->model->steps};
  if (newton) check_statics(b, newton->pos, steps);
  check_step_min(b, time, steps);
  if (!input_given(time, "end")) {
    diag_add(b->diag, time->pos, "time needs an end, or the input stages with ends of their own");
    return;
  }
  if (!(steps->end > steps->start)) {
    diag_add(b->diag, input_pos(time, "end"), "end = %g s does not lie after start = %g s",
             steps->end, steps->start);
    return;
  }
  stage->duration = steps->end - steps->start;
  count_steps(b, input_pos(time, "step"), stage->duration, steps);
}

// Steps on the way to rest grow so far by default: at first about the period of what swings, they
// end as static solves.
static const double GROWS_TO_REST = 100;

// Attributes of a stage that stand in for those of the run.
static void stage_steps(Builder *b, const InputNode *node, StepSettings *steps) {
  if (input_given(node, "step")) steps->h = input_real(node, "step");
  if (input_given(node, "step_min")) steps->h_min = input_real(node, "step_min");
  if (input_given(node, "theta")) steps->theta = input_real(node, "theta");
  if (input_given(node, "statics")) steps->newton.statics = input_bool(node, "statics");
  steps->damping = input_real(node, "damping");
  int to_rest = strcmp(input_text(node, "until"), "rest") == 0 && !steps->newton.statics;
  steps->h_max = input_given(node, "step_max") ? input_real(node, "step_max")
                 : to_rest                     ? GROWS_TO_REST * steps->h
                                               : steps->h;
  if (steps->h_max < steps->h)
    diag_add(b->diag, input_pos(node, "step_max"), "step_max = %g s is below the step of %g s",
             steps->h_max, steps->h);
  check_step_min(b, node, steps);
  check_statics(b, node->pos, steps);
}

// Everything has an end.
static void stage_end(Builder *b, const InputNode *node, Stage *stage) {
  stage->until_rest = strcmp(input_text(node, "until"), "rest") == 0;
  stage->may_miss = strcmp(input_text(node, "without_rest"), "continue") == 0;
  stage->rest_energy = input_real(node, "rest_energy");
  stage->rest_velocity =
      input_given(node, "rest_velocity") ? input_real(node, "rest_velocity") : (double)INFINITY;
  if (!input_given(node, "duration")) {
    diag_add(b->diag, node->pos,
             stage->until_rest
                 ? "stage '%s' ends at rest: it needs a duration too, the longest it may take"
                 : "stage '%s' has no end: it needs a duration, or until=\"rest\" and one",
             stage->name);
    return;
  }
  stage->duration = input_real(node, "duration");
  if (stage->until_rest && stage->steps.theta < 1)
    diag_add(b->diag, node->pos,
             "stage '%s' ends at rest: it needs theta = 1, which damps (it has %g)", stage->name,
             stage->steps.theta);
  count_steps(b, node->pos, stage->duration, &stage->steps);
}

static void build_stage(Builder *b, const InputNode *node, Stage *stage) {
  *stage = (Stage){.name = input_text(node, "name"),
                   .src = node->pos,
                   .steps = b->model->steps,
                   .from_rest = input_bool(node, "from_rest")};
  stage_steps(b, node, &stage->steps);
  stage_end(b, node, stage);
}

void build_stages(Builder *b) {
  Model *model = b->model;
  const InputNode *time = input_child(b->in->root, "time");
  int n = 0;
  for (const InputNode *node = first_stage(b); node; node = input_next(node, "stage")) n++;
  model->stages = mem_new((size_t)(n > 0 ? n : 1), sizeof *model->stages);
  if (!model->stages) return;
  if (n > 0 && input_given(time, "end"))
    diag_add(b->diag, input_pos(time, "end"), "with stages the run ends with the last of them");
  for (const InputNode *node = first_stage(b); node; node = input_next(node, "stage"))
    build_stage(b, node, &model->stages[model->n_stages++]);
  if (n == 0) build_whole(b, &model->stages[model->n_stages++]);
  model->steps = model->stages[0].steps;
}

// ---- names --------------------------------------------------------------------------------------

int builder_in_stage(const Builder *b, const InputNode *node, int k) {
  if (!input_given(node, "stage")) return 1;
  const char *wanted = b->model->stages[k].name;
  size_t n;
  if (!wanted) return 0;
  for (const char *word = input_text(node, "stage"); *word; word += n) {
    word += strspn(word, " \t\r\n");
    n = strcspn(word, " \t\r\n");
    if (n > 0 && n == strlen(wanted) && strncmp(word, wanted, n) == 0) return 1;
  }
  return 0;
}

void builder_check_stages(Builder *b, const InputNode *node) {
  size_t n;
  int words = 0;
  for (const char *word = input_text(node, "stage"); *word; word += n) {
    const InputNode *stage = first_stage(b);
    word += strspn(word, " \t\r\n");
    n = strcspn(word, " \t\r\n");
    if (n == 0) break;
    words++;
    while (stage && (strlen(input_text(stage, "name")) != n ||
                     strncmp(word, input_text(stage, "name"), n) != 0))
      stage = input_next(stage, "stage");
    if (!stage)
      diag_add(b->diag, input_pos(node, "stage"), "stage=\"%.*s\" names no stage of this input",
               (int)n, word);
  }
  if (words == 0) diag_add(b->diag, input_pos(node, "stage"), "stage=\"\" names no stage");
}

// ---- what goes, what is prescribed --------------------------------------------------------------

static Status mark_removed(Builder *b, const InputNode *node, Stage *stage) {
  int32_t *entries;
  int n;
  TRY(builder_bodies(b, node, "remove", &entries, &n));
  for (int k = 0; k < n; k++) {
    const Entry *entry = &b->entries[entries[k]];
    stage->removed[entries[k]] = 1;
    if (entry->type->given) continue;
    diag_add(b->diag, input_pos(node, "remove"),
             "'%s' is no tool or support: only these can be removed", entry->name);
    break;
  }
  mem_free(entries);
  return OK;
}

// The time in which tools that go let go: so many steps of the stage, or all of it.
static void release(const InputNode *node, Model *model, Stage *stage) {
  if (model->bodies.n_finite == 0 || stage == model->stages) return;
  stage->release = fmin(input_integer(node, "release") * stage->steps.h, stage->duration);
}

// What is gone stays gone.
static Status build_removed(Builder *b) {
  Model *model = b->model;
  const InputNode *node = first_stage(b);
  // Whatever stages there are: a run may get further ones after it has ended.
  model->n_release = model->bodies.n_finite > 0 ? model->bodies.n_nodes * model->bodies.dim : 0;
  for (int k = 0; k < model->n_stages; k++) {
    Stage *stage = &model->stages[k];
    MEM_NEW(stage->removed, b->n_entries, b->err);
    if (k > 0) memcpy(stage->removed, model->stages[k - 1].removed, (size_t)b->n_entries);
    if (node && input_given(node, "remove")) TRY(mark_removed(b, node, stage));
    if (node && (input_given(node, "remove") || input_given(node, "release")))
      release(node, model, stage);
    if (node) node = input_next(node, "stage");
  }
  return OK;
}

// Flags of a finite body: those of all stages, and those of this one's list.
static Status stage_flags(Builder *b, int finite, const PrescribedDof *item, int n, uint8_t **out) {
  const BodySet *bs = &b->model->bodies;
  int body = bs->finite[finite].body, first = bs->node_ptr[body], dim = bs->dim;
  size_t size = (size_t)(bs->node_ptr[body + 1] - first) * (size_t)dim;
  uint8_t *flags;
  MEM_NEW(flags, size, b->err);
  if (b->entries[body].fixed) memcpy(flags, b->entries[body].fixed, size);
  for (int k = 0; k < n; k++)
    if (bs->body_of[item[k].node] == body)
      flags[(size_t)(item[k].node - first) * (size_t)dim + (size_t)item[k].component] = 1;
  *out = flags;
  return OK;
}

// Does stage k remove what was there before it, or free what was held?
static int lets_go(const Builder *b, int k) {
  const Model *model = b->model;
  const BodySet *bs = &model->bodies;
  const Stage *stage = &model->stages[k], *before = stage - 1;
  if (memcmp(stage->removed, before->removed, (size_t)b->n_entries) != 0) return 1;
  for (int f = 0; f < bs->n_finite; f++) {
    const uint8_t *held = k > 1 ? before->fixed[f] : bs->finite[f].fixed;
    int body = bs->finite[f].body, n = bs->dim * (bs->node_ptr[body + 1] - bs->node_ptr[body]);
    for (int i = 0; i < n; i++)
      if (held[i] && !stage->fixed[f][i]) return 1;
  }
  return 0;
}

// ---- trims --------------------------------------------------------------------------------------

// The stage that a trim names, not the first; NULL: said what is wrong.
static Stage *stage_of_trim(Builder *b, const InputNode *node) {
  Model *model = b->model;
  const char *name = input_text(node, "stage");
  for (int k = 1; k < model->n_stages; k++)
    if (strcmp(model->stages[k].name, name) == 0) return &model->stages[k];
  int first = model->stages[0].name && strcmp(model->stages[0].name, name) == 0;
  diag_add(b->diag, input_pos(node, "stage"),
           first ? "stage=\"%s\" is the first: make the blank as it is to begin with"
                 : "stage=\"%s\" names no stage of this input",
           name);
  return NULL;
}

static Status build_trim(Builder *b, const InputNode *node, Trim *trim) {
  const BodySet *bs = &b->model->bodies;
  int32_t *bodies;
  int n;
  *trim = (Trim){.outside = strcmp(input_text(node, "cut"), "outside") == 0,
                 .reference = strcmp(input_text(node, "where"), "start") == 0,
                 .src = node->pos};
  TRY(builder_bodies(b, node, "of", &bodies, &n));
  int sheet = n == 1 && bs->type[bodies[0]]->sheet;
  if (sheet)
    trim->finite = bs->own[bodies[0]];
  else if (n > 0)
    diag_add(b->diag, input_pos(node, "of"), "of=\"%s\" is not one sheet", input_text(node, "of"));
  mem_free(bodies);
  return builder_shape(b, node, &trim->shape);
}

static Status build_trims(Builder *b) {
  Model *model = b->model;
  int n = 0;
  for (const InputNode *node = input_child(b->in->root, "trim"); node;
       node = input_next(node, "trim"))
    n++;
  for (const InputNode *node = input_child(b->in->root, "trim"); node;
       node = input_next(node, "trim")) {
    Stage *stage = stage_of_trim(b, node);
    if (!stage) continue;
    if (!stage->trims) MEM_NEW(stage->trims, n, b->err);
    TRY(build_trim(b, node, &stage->trims[stage->n_trims++]));
  }
  for (int k = 0; n > 0 && k < model->bodies.n_finite; k++)
    model->n_cut += model->bodies.finite[k].form.n_elems;
  return OK;
}

// Sheets between tools: unknowns without mass (angles, directors) and forces of contact swing from
// step to step at theta = 1/2, and feed one another until the sheet explodes. From here on the
// swing dies: by 0.55 to 0.45 a step.
static const double LEAST_THETA_OF_SHEETS = 0.55;

static void check_theta(Builder *b) {
  const Model *model = b->model;
  const InputNode *time = input_child(b->in->root, "time"), *node = first_stage(b);
  int sheets = 0;
  for (int k = 0; k < model->bodies.n_finite; k++)
    sheets |= model->bodies.finite[k].form.type->shell;
  for (int k = 0; k < model->n_stages && sheets; k++) {
    const StepSettings *steps = &model->stages[k].steps;
    const InputNode *at = node && input_given(node, "theta") ? node : time;
    if (steps->theta < LEAST_THETA_OF_SHEETS && steps->newton.matrix != NEWTON_EXPLICIT)
      diag_add(
          b->diag, input_pos(at, "theta"),
          "theta = %g with sheets: what has no inertia swings there from step to step; at least "
          "%g is needed",
          steps->theta, LEAST_THETA_OF_SHEETS);
    if (node) node = input_next(node, "stage");
  }
}

Status build_stage_drives(Builder *b) {
  Model *model = b->model;
  BodySet *bs = &model->bodies;
  check_theta(b);
  TRY(build_removed(b));
  TRY(build_trims(b));
  TRY(build_prescribed(b, 0, &bs->prescribed, &bs->n_prescribed));
  for (int f = 0; f < bs->n_finite; f++)
    TRY(stage_flags(b, f, bs->prescribed, bs->n_prescribed, &bs->finite[f].fixed));
  for (int k = 1; k < model->n_stages; k++) {
    Stage *stage = &model->stages[k];
    TRY(build_prescribed(b, k, &stage->prescribed, &stage->n_prescribed));
    MEM_NEW(stage->fixed, bs->n_finite, b->err);
    for (int f = 0; f < bs->n_finite; f++)
      TRY(stage_flags(b, f, stage->prescribed, stage->n_prescribed, &stage->fixed[f]));
    if (!lets_go(b, k)) stage->release = 0;
  }
  return OK;
}
