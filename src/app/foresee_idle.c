// What is written in an input and can have no effect in it: attributes that something else rules
// out, loads on what does not yield to them, elements that later ones replace. One table; harmless,
// so told by `check`, and by `run` where somebody may have counted on it.

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "app/foresee_idle.h"
#include "build/build_internal.h"

// ---- what a row asks of the model ---------------------------------------------------------------

// The words of all attributes that may name bodies or nodes, and the owners of those with dots,
// "group.top".
typedef struct {
  const char *text;
  size_t length;
  const InputNode *node; // that says it
} Word;
typedef struct {
  int n;
  size_t capacity;
  Word *item; // sorted
} Words;

typedef struct {
  const char *name;
  int body;
} BodyName;

typedef struct {
  const Case *c;
  const Words *words;
  const BodyName *names; // [n_bodies] sorted
  const InputNode *node;
  const char *attr; // NULL: the element as a whole
} Question;

typedef int Idle(const Question *q); // 1: it has no effect

static int compare_words(const void *a, const void *b) {
  const Word *x = a, *y = b;
  if (x->length != y->length) return x->length < y->length ? -1 : 1;
  return memcmp(x->text, y->text, x->length);
}

static int compare_names(const void *a, const void *b) {
  return strcmp(((const BodyName *)a)->name, ((const BodyName *)b)->name);
}

static Status names_gather(const BodySet *bs, BodyName **names, Err *err) {
  MEM_NEW(*names, bs->n_bodies, err);
  for (int k = 0; k < bs->n_bodies; k++) (*names)[k] = (BodyName){bs->name[k], k};
  if (bs->n_bodies > 0) qsort(*names, (size_t)bs->n_bodies, sizeof **names, compare_names);
  return OK;
}

static Status add_words(Words *words, const InputNode *node, const char *text, Err *err) {
  for (size_t n; *text; text += n) {
    text += strspn(text, " \t\r\n");
    n = strcspn(text, " \t\r\n");
    for (size_t k = 1; k <= n; k++) {
      if (k < n && text[k] != '.') continue;
      TRY(mem_grow((void **)&words->item, &words->capacity, (size_t)words->n + 1,
                   sizeof *words->item, err));
      words->item[words->n++] = (Word){text, k, node};
    }
  }
  return OK;
}

static Status words_gather(Words *words, const Input *in, Err *err) {
  for (const InputNode *node = input_child(in->root, NULL); node; node = input_next(node, NULL))
    for (int a = 0; a < node->n_attrs; a++)
      if (node->attrs[a].spec->type == PARAM_TEXT && node->attrs[a].given)
        TRY(add_words(words, node, node->attrs[a].text, err));
  if (words->n > 0) qsort(words->item, (size_t)words->n, sizeof *words->item, compare_words);
  return OK;
}

// The first that is not before `text`.
static int words_find(const Words *words, const char *text) {
  Word wanted = {.text = text, .length = strlen(text)};
  int low = 0, high = words->n;
  while (low < high) {
    int middle = (low + high) / 2;
    if (compare_words(&words->item[middle], &wanted) < 0)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

static const BodySet *bodies_of(const Question *q) {
  return &q->c->model.bodies;
}

static int no_finite(const Question *q) {
  return bodies_of(q)->n_finite == 0;
}

// Newton's loop runs where there is a body at finite strains or a tool.
static int no_newton(const Question *q) {
  return bodies_of(q)->n_finite == 0 && bodies_of(q)->n_tools == 0;
}

// The primal way is for models that are all iterated upon, by a matrix with factors.
static int not_primal(const Question *q) {
  NewtonMatrix matrix = q->c->model.steps.newton.matrix;
  return !no_newton(q) && (bodies_any_linear(bodies_of(q)) || matrix >= NEWTON_MASS);
}

// The diagonal way leaves those of small strains to W.
static int not_diagonal(const Question *q) {
  return !no_newton(q) && bodies_any_linear(bodies_of(q));
}

static int no_sheets(const Question *q) {
  for (int b = 0; b < bodies_of(q)->n_bodies; b++)
    if (bodies_of(q)->type[b]->sheet) return 0;
  return 1;
}

static int no_free_tools(const Question *q) {
  for (int t = 0; t < bodies_of(q)->n_tools; t++)
    for (int i = 0; i < bodies_of(q)->dim; i++)
      if (bodies_of(q)->tools[t].free[i]) return 0;
  return 1;
}

// Bodies that are judged by how far they turn.
static int nobody_turns(const Question *q) {
  const BodySet *bs = bodies_of(q);
  for (int b = 0; b < bs->n_bodies; b++)
    if (bs->type[b] == &body_small || bs->type[b] == &body_finite) return 0;
  return bs->n_bodies > 0;
}

static int in_plane(const Question *q) {
  return bodies_of(q)->dim == 2;
}

static int all_static(const Question *q) {
  const Model *model = &q->c->model;
  for (int k = 0; k < model->n_stages; k++)
    if (!model->stages[k].steps.newton.statics) return 0;
  return 1;
}

static int no_elastic_statics(const Question *q) {
  const Model *model = &q->c->model;
  if (bodies_of(q)->n_protos == 0) return 1;
  for (int k = 0; k < model->n_stages; k++)
    if (model->stages[k].steps.newton.statics) return 0;
  return 1;
}

static int no_growth(const Question *q) {
  const Model *model = &q->c->model;
  for (int k = 0; k < model->n_stages; k++)
    if (model->stages[k].steps.h_max > model->stages[k].steps.h || model->stages[k].steps.h_min > 0)
      return 0;
  return 1;
}

// Steps made of sub-steps are cut down to step_min, however often; those of elastic statics are not
// made of them.
static int only_substeps(const Question *q) {
  const Model *model = &q->c->model;
  for (int k = 0; k < model->n_stages; k++) {
    const StepSettings *steps = &model->stages[k].steps;
    if (!(steps->h_min > 0) || (steps->newton.statics && bodies_of(q)->n_protos > 0)) return 0;
  }
  return 1;
}

// Every stage has its own.
static int by_stages(const Question *q) {
  const InputNode *first = input_child(q->c->input.root, "stage");
  for (const InputNode *k = first; k; k = input_next(k, "stage"))
    if (!input_given(k, q->attr)) return 0;
  return first != NULL;
}

static int first_or_no_finite(const Question *q) {
  return no_finite(q) || q->node == input_child(q->c->input.root, "stage");
}

static int lets_nothing_go(const Question *q) {
  return !first_or_no_finite(q) && !(q->c->model.stages[q->node->place].release > 0) &&
         input_integer(q->node, "release") > 0;
}

static int static_or_no_finite(const Question *q) {
  return no_finite(q) || q->c->model.stages[q->node->place].steps.newton.statics;
}

static int never_finite(const Question *q) {
  const Material *own = &q->c->model.materials[q->node->place];
  for (int k = 0; k < bodies_of(q)->n_finite; k++)
    if (strcmp(bodies_of(q)->finite[k].form.spec.material->name, own->name) == 0) return 0;
  return 1;
}

// ---- of bodies ----------------------------------------------------------------------------------

// Does the element declare body b: by its name, or with ".1", ".2" as one of an assembly's?
static int declares(const Question *q, int b) {
  const char *name = input_text(q->node, "name"), *own = bodies_of(q)->name[b];
  size_t length = strlen(name);
  return strncmp(own, name, length) == 0 && (!own[length] || own[length] == '.');
}

// Are all bodies that the element declares rigid?
static int all_rigid(const Question *q) {
  const BodySet *bs = bodies_of(q);
  int found = 0;
  for (int b = 0; b < bs->n_bodies; b++) {
    if (!declares(q, b)) continue;
    if (bs->type[b]->deforms) return 0;
    found = 1;
  }
  return found;
}

// Do all elements of the bodies that the element declares have so many nodes?
static int all_elements_have(const Question *q, int least, int most) {
  const BodySet *bs = bodies_of(q);
  for (int b = 0; b < bs->n_bodies; b++) {
    if (!declares(q, b)) continue;
    const Mesh *mesh = bs->mesh[b];
    for (int e = 0; e < mesh->n_elems; e++) {
      int n = mesh->elem_ptr[e + 1] - mesh->elem_ptr[e];
      if (n < least || n > most) return 0;
    }
  }
  return 1;
}

static int all_simplices(const Question *q) {
  int corners = bodies_of(q)->dim + 1;
  return !all_rigid(q) && all_elements_have(q, corners, corners);
}

static int all_quadrilaterals(const Question *q) {
  return all_elements_have(q, 4, 4);
}

static int is_isotropic(const Question *q) {
  const InputNode *material = input_ref(&q->c->input, q->node, "material");
  return strcmp(input_text(material, "law"), "sheet") != 0 ||
         strcmp(input_text(material, "criterion"), "mises") == 0;
}

static int not_free(const Question *q) {
  return input_text(q->node, "free")[0] == 0;
}

static int nobody_names_it(const Question *q) {
  const char *name = input_text(q->node, "name");
  for (int k = words_find(q->words, name); k < q->words->n; k++) {
    const Word *word = &q->words->item[k];
    if (compare_words(word, &(Word){.text = name, .length = strlen(name)}) != 0) break;
    if (word->node != q->node) return 0;
  }
  return 1;
}

// ---- of contacts --------------------------------------------------------------------------------

static const ContactRule *rule_of(const Question *q) {
  return &q->c->model.contact.rules[q->node->place];
}

static int is_sheetless_rule(const Question *q) {
  const ContactRule *rule = rule_of(q);
  for (int b = 0; b < bodies_of(q)->n_bodies; b++)
    if (bodies_of(q)->type[b]->sheet && (rule->candidate[b] || rule->antagonist[b])) return 0;
  return 1;
}

static int all_round(const Question *q) {
  return !input_given(q->node, "friction_2");
}

// All that is on one of its sides is a tool, whose partners touch it with their nodes.
static int is_rule_of_tools(const Question *q) {
  const ContactRule *rule = rule_of(q);
  int others[2] = {0, 0};
  for (int b = 0; b < bodies_of(q)->n_bodies; b++) {
    if (bodies_of(q)->type[b]->by_shape) continue;
    others[0] |= rule->candidate[b];
    others[1] |= rule->antagonist[b];
  }
  return !others[0] || !others[1];
}

// Corners of overlaps are those of flat faces, which solids may have.
static int meets_no_flat_faces(const Question *q) {
  const ContactRule *rule = rule_of(q);
  int flat[2] = {0, 0};
  for (int b = 0; b < bodies_of(q)->n_bodies; b++) {
    const BodyType *type = bodies_of(q)->type[b];
    if (type->by_shape || type->sheet) continue;
    flat[0] |= rule->candidate[b];
    flat[1] |= rule->antagonist[b];
  }
  return !flat[0] || !flat[1];
}

static int middles_in_space_without_faces(const Question *q) {
  return !in_plane(q) && !is_rule_of_tools(q) && meets_no_flat_faces(q);
}

// No two bodies meet by it, nor one itself: later rules name them all.
static int is_replaced(const Question *q) {
  const ContactModel *cm = &q->c->model.contact;
  int own = q->node->place, n = cm->n_classes;
  for (int i = 0; i < n; i++) {
    if (cm->self_of[i] == own) return 0;
    for (int j = 0; j < n; j++) {
      int forth = cm->rule_of[i * n + j], back = cm->rule_of[j * n + i];
      if ((forth > back ? forth : back) == own) return 0;
    }
  }
  return 1;
}

// ---- of drives ----------------------------------------------------------------------------------

static int is_zero(const InputNode *node, const char *attr) {
  const ParamSpec *spec = schema_param(node->element, node->variant, attr);
  const char *text = input_text(node, attr);
  char *end;
  if (spec->type == PARAM_REAL) return input_real(node, attr) == 0;
  return !*text || (strtod(text, &end) == 0 && !*end); // not an expression, nor a name
}

static int pulls_nowhere(const Question *q) {
  return is_zero(q->node, "x") && is_zero(q->node, "y") && is_zero(q->node, "z");
}

static int moves_nowhere(const Question *q) {
  return pulls_nowhere(q) && is_zero(q->node, "spin");
}

// Velocities that the start knows are those that some node has.
static int all_held(const Question *q) {
  const BodySet *bs = bodies_of(q);
  const BodyName wanted = {.name = input_text(q->node, "of")};
  const BodyName *found =
      bsearch(&wanted, q->names, (size_t)bs->n_bodies, sizeof wanted, compare_names);
  if (!found) return 0;
  for (int k = bs->node_ptr[found->body] * bs->dim; k < bs->node_ptr[found->body + 1] * bs->dim;
       k++)
    if (q->c->model.v_start[k] != 0) return 0;
  return !bodies_group(bs, wanted.name) && !moves_nowhere(q);
}

// The first stage begins at rest, or is one of statics, in which nothing moves.
static int starts_at_rest(const Question *q) {
  const Stage *first = &q->c->model.stages[0];
  return first->from_rest || first->steps.newton.statics;
}

static int rests_elsewhen(const Question *q) {
  const Model *model = &q->c->model;
  double start = model->stages[0].steps.start, end = start, time = input_real(q->node, "time");
  for (int k = 0; k < model->n_stages; k++) end += model->stages[k].duration;
  return input_given(q->node, "time") && !(time > start && time <= end);
}

static int by_keeler(const Question *q) {
  return input_given(q->node, "keeler");
}

static int has_a_time(const Question *q) {
  return input_given(q->node, "time");
}

// ---- the table ----------------------------------------------------------------------------------

typedef struct {
  const char *element;
  const char *attr;         // '|' separated; NULL: the element as a whole
  const char *other, *when; // idle where this attribute has one of these values ...
  Idle *idle;               // ... or where this says so
  const char *why;
  int grave; // 1: told by `run` too
} IdleRow;

// clang-format off
static const IdleRow rows[] = {
    {"newton", "matrix|line_search", NULL, NULL, no_finite, "it is for bodies with kinematics=\"finite\" and sheets, and there are none", 0},
    {"newton", "contact|geometry|tolerance|max_iterations", NULL, NULL, no_newton, "it is for bodies with kinematics=\"finite\", sheets and tools, and there are none", 0},
    {"newton", "contact", "contact", "primal", not_primal, "it is for models without bodies of small strains, and for matrices that are factorised", 0},
    {"newton", "contact", "contact", "diagonal", not_diagonal, "it is for models without bodies of small strains", 0},
    {"newton", "tolerance|max_iterations|line_search", "matrix", "explicit", NULL, "matrix=\"explicit\" does not iterate", 0},
    {"newton", "rest_work", NULL, NULL, no_elastic_statics, "it is for statics of bodies at small strains, and there are none", 0},
    {"newton", "statics", NULL, NULL, by_stages, "every stage has its own", 0},
    {"time", "theta|step_min", NULL, NULL, by_stages, "every stage has its own", 0},
    {"time", "growth", NULL, NULL, no_growth, "no steps grow: that needs step_min, or step_max of a stage", 0},
    {"time", "max_cuts", NULL, NULL, only_substeps, "with step_min sub-steps are cut down to that", 0},
    {"stage", "rest_energy|rest_velocity|without_rest", "until", "duration", NULL, "only until=\"rest\" asks for rest", 0},
    {"stage", "release", NULL, NULL, first_or_no_finite, "tools let go of bodies at finite strains and sheets, and after the first stage", 0},
    {"stage", "release", NULL, NULL, lets_nothing_go, "the stage removes no tool and ends no hold", 1},
    {"stage", "damping", NULL, NULL, static_or_no_finite, "it damps the motion of bodies with kinematics=\"finite\" and sheets, and nothing in statics", 1},
    {"material", "damping_mass|damping_stiffness", NULL, NULL, all_static, "statics have no damping", 0},
    {"material", "shear_viscosity|bulk_viscosity", NULL, NULL, never_finite, "at small strains the law is elastic: it needs kinematics=\"finite\"", 1},
    {"material", "yield", "hardening", "swift|table", NULL, "this hardening begins where its curve does", 0},
    {"material", "modulus", "hardening", "swift|voce|power|table|swift_voce|hockett_sherby|swift_hockett_sherby", NULL, "this hardening has no straight part", 0},
    {"material", "strength", "hardening", "linear|voce|combined|table|hockett_sherby", NULL, "it is for hardening=\"swift\", its mixes and \"power\"", 0},
    {"material", "exponent", "hardening", "linear|voce|combined|table|hockett_sherby", NULL, "it is for hardening=\"swift\", its mixes and \"power\"", 0},
    {"material", "offset", "hardening", "linear|voce|combined|power|table|hockett_sherby", NULL, "it is for hardening=\"swift\" and its mixes", 0},
    {"material", "saturation|rate", "hardening", "linear|swift|power|table", NULL, "it is for hardening=\"voce\", \"combined\", \"hockett_sherby\" and mixes", 0},
    {"material", "power", "hardening", "linear|swift|voce|combined|power|table|swift_voce", NULL, "it is for hardening=\"hockett_sherby\" and its mix", 0},
    {"material", "mix", "hardening", "linear|swift|voce|combined|power|table|hockett_sherby", NULL, "only mixes have shares", 0},
    {"material", "table|table_file", "hardening", "linear|swift|voce|combined|power|swift_voce|hockett_sherby|swift_hockett_sherby", NULL, "it is for hardening=\"table\"", 0},
    {"material", "r0|r45|r90", "criterion", "mises", NULL, "it is for criterion=\"hill48\" and \"yld2000\"", 1},
    {"material", "rb|s0|s45|s90|sb|alpha1|alpha2|alpha3|alpha4|alpha5|alpha6|alpha7|alpha8|yield_exponent", "criterion", "mises|hill48", NULL, "it is for criterion=\"yld2000\"", 1},
    {"material", "reference_rate", "rate_factor", "0", NULL, "without rate_factor rates do not count", 0},
    {"material", "softening|room|temperature", "melting", "0", NULL, "without melting heat does not soften", 0},
    {"material", "heat_fraction", "heat_capacity", "0", NULL, "without heat_capacity nothing is heated", 0},
    {NULL, "b_bar|bending_modes", NULL, NULL, all_rigid, "it is rigid", 1},
    {NULL, "mass", "mass", "consistent|lumped", all_rigid, "it is rigid", 1},
    {NULL, "b_bar", NULL, NULL, all_simplices, "triangles and tetrahedra have one point, whose dilatation is the mean", 1},
    {NULL, "bending_modes", NULL, NULL, all_simplices, "triangles and tetrahedra have no such modes", 1},
    {"wall", "header", "bond", "running|stack", NULL, "only bond=\"flemish\" and \"english\" have headers", 0},
    {"wall", "halves", "bond", "stack|flemish|english", NULL, "only bond=\"running\" has them", 0},
    {"opening", "lintel_height", "lintel_bearing", "0", NULL, "without lintel_bearing there is no lintel", 0},
    {"arch", "rise", "shape", "semicircular", NULL, "a semicircle rises by half its span", 1},
    {"sheet", "edge_unknown", NULL, NULL, all_quadrilaterals, "only triangles have it", 0},
    {"sheet", "rolling", NULL, NULL, is_isotropic, "its material is the same in all directions", 0},
    {"tool", "mass", NULL, NULL, not_free, "the tool is not free in any direction", 0},
    {"tool", "first_x|first_y|first_z", "sweep", "revolution", NULL, "it is for sweep=\"extrusion\"", 0},
    {"trim", "first_x|first_y|first_z", "sweep", "revolution", NULL, "it is for sweep=\"extrusion\"", 0},
    {"tool", "sweep", NULL, NULL, in_plane, "in the plane a profile is its section", 0},
    {"tool", "axis_x|axis_y|axis_z", "shape", "cylinder|profile", in_plane, "in the plane the axis is z", 0},
    {"group", NULL, NULL, NULL, nobody_names_it, "nothing names it", 0},
    {"law", "direction_of", NULL, NULL, all_round, "friction is the same all round", 0},
    {"contact", "points", "points", "midpoints|gauss", is_rule_of_tools, "tools are touched by nodes", 0},
    {"contact", "points", "points", "midpoints", middles_in_space_without_faces, "bodies with kinematics=\"finite\" are touched by nodes", 0},
    {"contact", "points", "points", "corners|reduced", meets_no_flat_faces, "tools, and bodies with kinematics=\"finite\", are touched by nodes", 0},
    {"contact", "thickness", NULL, NULL, is_sheetless_rule, "it joins no sheet", 0},
    {"contact", NULL, NULL, NULL, is_replaced, "later ones name all that it joins, and win", 1},
    {"gravity", NULL, NULL, NULL, pulls_nowhere, "it is zero", 0},
    {"force", NULL, NULL, NULL, pulls_nowhere, "it is zero", 0},
    {"velocity", NULL, NULL, NULL, moves_nowhere, "it is zero", 0},
    {"velocity", NULL, NULL, NULL, starts_at_rest, "the first stage begins at rest", 1},
    {"velocity", NULL, NULL, NULL, all_held, "all nodes are prescribed", 1},
    {"solver", "relaxation", "type", "extragradient|proximal|newton_ac|newton_fb|admm|ipm|lemke|qp", NULL, "this solver does not use it", 0},
    {"rest", NULL, NULL, NULL, rests_elsewhen, "its time is not one of the run", 1},
    {"rest", "value|direction|count", NULL, NULL, has_a_time, "it is for a probe, and a time is given", 1},
    {"forming_limit", "strain", NULL, NULL, by_keeler, "it is that of points, and keeler has none", 1},
    {"output", "layers", NULL, NULL, no_sheets, "there are no sheets", 0},
    {"output", "format", "every", "0", NULL, "no fields are written", 0},
    {"verdicts", "sheet_penetration|thinning|necking|folds", NULL, NULL, no_sheets, "there are no sheets", 0},
    {"verdicts", "reaction", NULL, NULL, no_free_tools, "no tool is free", 0},
    {"verdicts", "sinking", NULL, NULL, no_finite, "no body has kinematics=\"finite\"", 0},
    {"verdicts", "turn", NULL, NULL, nobody_turns, "it is for bodies with kinematics=\"small\" or \"finite\", and there are none", 0},
};
// clang-format on

// ---- asking -------------------------------------------------------------------------------------

// Written here, not in a library that serves many, and not just the default again.
static int is_said(const InputNode *node, const char *attr) {
  const ParamSpec *spec = schema_param(node->element, node->variant, attr);
  return spec && input_given(node, attr) &&
         strcmp(input_pos(node, attr).file, node->pos.file) == 0 &&
         !(spec->initial && strcmp(spec->initial, input_text(node, attr)) == 0);
}

static int has_value(const InputNode *node, const IdleRow *row) {
  return schema_param(node->element, node->variant, row->other) &&
         schema_list_holds(row->when, input_text(node, row->other));
}

static int is_idle(const Question *q, const IdleRow *row) {
  if (row->other && !has_value(q->node, row)) return 0;
  return !row->idle || row->idle(q);
}

static void ask_row(const Question *of, const InputNode *node, const IdleRow *row, Diag *doubts) {
  Question q = {.c = of->c, .words = of->words, .names = of->names, .node = node};
  const char *element = node->element->name;
  if (!row->attr && is_idle(&q, row))
    diag_add(doubts, node->pos, "this %s has no effect: %s", element, row->why);
  for (const char *at = row->attr; at && *at; at += strspn(at, "|")) {
    char attr[64] = "";
    size_t n = strcspn(at, "|");
    memcpy(attr, at, n);
    at += n;
    q.attr = attr;
    if (is_said(node, attr) && is_idle(&q, row))
      diag_add(doubts, input_pos(node, attr), "%s=\"%s\" of this %s has no effect: %s", attr,
               input_text(node, attr), element, row->why);
  }
}

static void ask_all(const Question *of, const InputNode *first, int all, Diag *doubts) {
  for (const InputNode *node = first; node; node = node->next) {
    for (size_t k = 0; k < sizeof rows / sizeof rows[0]; k++)
      if ((all || rows[k].grave) &&
          (!rows[k].element || strcmp(rows[k].element, node->element->name) == 0))
        ask_row(of, node, &rows[k], doubts);
    ask_all(of, node->first, all, doubts);
  }
}

Status foresee_idle(const Case *c, int all, Diag *doubts, Err *err) {
  Words words = {0};
  BodyName *names = NULL;
  Status status = words_gather(&words, &c->input, err);
  if (status == OK) status = names_gather(&c->model.bodies, &names, err);
  Question of = {.c = c, .words = &words, .names = names};
  if (status == OK) ask_all(&of, c->input.root->first, all, doubts);
  mem_free(words.item);
  mem_free(names);
  return status;
}
