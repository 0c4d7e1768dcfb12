// Every kind of body in every space on every partner falls, rests, slides, turns, is drawn where it
// is, is counted, goes on from a checkpoint and closes its books of energy, or is refused by name.
// A cell that is neither is a run that ends "done" and is wrong.

#define _XOPEN_SOURCE 700
#include "../unit/file/scratch.h"

#include <math.h>

#include "../support/run_case.h"
#include "base/timer.h"
#include "file/json.h"
#include "file/vtk.h"
#include "output/output.h"

static const double G = 9.81, SLOPE = 0.4,
                    FRICTION = 0.2; // of the cells that slide: tan 0.4 is 0.42

enum { SMALL, COROTATIONAL, FINITE, SHEET, TOOL, RIGID, N_KINDS };
enum { STRAIN, STRESS, RINGS, SOLID, N_SPACES };
enum { NONE, ON_SUPPORT, ON_TOOL, ON_BODY, N_PARTNERS };
enum { FALLS, RESTS, SLIDES, TURNS, N_QUESTIONS };

static const char *const kinds[] = {"small", "corotational", "finite", "sheet", "tool", "rigid"};
static const char *const spaces[] = {"strain", "stress", "rings", "solid"};
static const char *const partners[] = {"none", "support", "tool", "body"};
static const char *const questions[] = {"falls", "rests", "slides", "turns"};

typedef struct {
  int kind, space, partner, question;
} Cell;

static const char *cell_name(Cell cell) {
  return xml_format("%s, %s, on %s: %s", kinds[cell.kind], spaces[cell.space],
                    partners[cell.partner], questions[cell.question]);
}

// What the program says of a cell that has no meaning; NULL: it runs.
static const char *refusal(Cell cell) {
  if (cell.kind == SHEET && cell.space != SOLID)
    return "a sheet needs a model with space=\"solid\"";
  if (cell.kind == COROTATIONAL && cell.space == RINGS) return "a ring does not turn in its plane";
  if (cell.kind == RIGID && cell.space == RINGS) return "rings deform";
  if (cell.question == TURNS && cell.space == RINGS) return "a ring does not turn in its plane";
  if (cell.kind == TOOL && cell.partner != ON_BODY) return "the input declares no bodies";
  if (cell.kind == TOOL && cell.question == TURNS) return "it moves by its move_x and move_y";
  if (cell.question == SLIDES && cell.space == RINGS && cell.kind != TOOL)
    return "a ring has weight along y only";
  return NULL;
}

// ---- inputs -------------------------------------------------------------------------------------

// 1 m wide, lower face at height `low` above the partner; 1 m deep but for rings, of radii 1 and 2.
static const char *body_of(Cell cell, double low) {
  const char *kinematics = kinds[cell.kind];
  int ring = cell.space == RINGS;
  if (cell.kind == TOOL)
    return xml_format("<tool name=\"b\" shape=\"plane\" at_%s=\"%g\" axis_y=\"%d\" axis_z=\"%d\""
                      " free=\"%s\" mass=\"500\"/>",
                      cell.space == SOLID ? "z" : "y", low, -(cell.space != SOLID),
                      -(cell.space == SOLID), cell.space == SOLID ? "xyz" : "xy");
  if (cell.kind == SHEET)
    return xml_format(
        "<sheet name=\"b\" material=\"s\" shape=\"rectangle\" width=\"1\" size=\"0.25\""
        " thickness=\"0.02\" z=\"%.17g\"/>",
        low + 0.01);
  if (cell.space == SOLID)
    return xml_format("<box name=\"b\" material=\"m\" size=\"1 1 0.5\" cells=\"2 2 2\" x=\"-0.5\""
                      " y=\"-0.5\" z=\"%.17g\" kinematics=\"%s\"/>",
                      low, kinematics);
  return xml_format(
      "<block name=\"b\" material=\"m\" width=\"1\" height=\"0.5\" x=\"%g\" y=\"%.17g\""
      " cells_x=\"4\" cells_y=\"2\" pattern=\"q4\" kinematics=\"%s\"/>",
      ring ? 1 : -0.5, low, kinematics);
}

// Below height 0, wider than the body; a body is held at its foot, the plane of a tool falls too:
// its face is up there.
static const char *partner_of(Cell cell) {
  const char *kinematics = cell.kind == FINITE || cell.kind == SHEET ? "finite" : "small";
  int solid = cell.space == SOLID;
  switch (cell.partner) {
  case ON_SUPPORT:
    return "<support name=\"p\" shape=\"plane\"/>";
  case ON_TOOL:
    return xml_format("<tool name=\"p\" shape=\"plane\" axis_y=\"%d\" axis_z=\"%d\"/>", !solid,
                      solid);
  case ON_BODY:
    return solid
               ? xml_format("<box name=\"p\" material=\"m\" size=\"2 2 1\" cells=\"3 3 1\" x=\"-1\""
                            " y=\"-1\" z=\"-1\" kinematics=\"%s\"/><prescribe on=\"p.z0\" x=\"0\""
                            " y=\"0\" z=\"0\"/>",
                            kinematics)
               : xml_format("<block name=\"p\" material=\"m\" width=\"2\" height=\"1\" x=\"%g\""
                            " y=\"-1\" cells_x=\"8\" cells_y=\"2\" pattern=\"q4\""
                            " kinematics=\"%s\"/><prescribe on=\"p.bottom\" x=\"0\" y=\"0\"/>",
                            cell.space == RINGS ? 0.5 : -1, kinematics);
  default:
    return "";
  }
}

// Weight along x and down, of a tool as a force.
static const char *pull_of(Cell cell, double x, double down) {
  const char *axis = cell.space == SOLID ? "z" : "y";
  if (cell.kind == TOOL)
    return xml_format("<force on=\"b\" x=\"%.17g\" %s=\"%.17g\"/>", 500 * x, axis, -500 * down);
  return xml_format("<gravity of=\"b\" x=\"%.17g\" y=\"%.17g\" z=\"%.17g\"/>", x,
                    cell.space == SOLID ? 0 : -down, cell.space == SOLID ? -down : 0);
}

static const char *input_of(Cell cell) {
  const char *model[] = {"plane=\"strain\"", "plane=\"stress\"", "space=\"axisymmetric\"",
                         "space=\"solid\""};
  const char *least = cell.kind == SHEET ? "0.6" : "0.5"; // sheets are refused at 0.5
  const char *const time[] = {"end=\"0.1\" step=\"5e-3\"", "end=\"1\" step=\"1e-2\"",
                              "end=\"0.2\" step=\"2e-3\"", "end=\"1\" step=\"1e-2\""};
  const char *const theta[] = {least, "1", "1", least};
  int q = cell.question, slides = q == SLIDES;
  const char *start = "";
  if (q == TURNS) // of frames that do not turn only a little is right
    start = cell.space == SOLID  ? cell.kind == SMALL ? "<velocity of=\"b\" spin=\"0 0 1e-3\"/>"
                                                      : "<velocity of=\"b\" spin=\"0 0 1\"/>"
            : cell.kind == SMALL ? "<velocity of=\"b\" spin=\"1e-3\"/>"
                                 : "<velocity of=\"b\" spin=\"1\"/>";
  else if (slides && cell.kind != TOOL)
    start = "<velocity of=\"b\" x=\"0.5\"/>";
  const char *bodies =
      xml_format("%s%s", body_of(cell, q == FALLS || q == TURNS ? 3 : 0), partner_of(cell));
  const char *drives = xml_format(
      "%s%s%s%s",
      cell.partner == NONE
          ? "<contact candidate=\"b\" antagonist=\"b\" law=\"l\"/>"
          : "<contact candidate=\"b\" antagonist=\"p\" law=\"l\" points=\"nodes\"/>",
      q == TURNS ? "" : pull_of(cell, slides ? G * sin(SLOPE) : 0, slides ? G * cos(SLOPE) : G),
      start,
      q != TURNS || cell.space == RINGS || cell.kind == TOOL ? ""
      : cell.space == SOLID ? "<probe name=\"rate\" quantity=\"angular_velocity\" of=\"b\"/>"
                              "<probe name=\"q\" quantity=\"orientation\" of=\"b\"/>"
                            : "<probe name=\"spin\" quantity=\"spin\" of=\"b\"/>");
  return xml_format(
      "<voussoir><model %s/><material name=\"m\" density=\"1000\" young=\"1e7\" poisson=\"0.3\"/>"
      "<material name=\"s\" law=\"sheet\" density=\"7800\" young=\"1e10\" poisson=\"0.3\" yield=\"1e9\"/>"
      "<law name=\"l\" friction=\"%g\"/>%s%s<time %s theta=\"%s\"/><newton tolerance=\"1e-11\"/>"
      "<solver tolerance=\"1e-9\" max_iterations=\"20000\"/>"
      "<output every=\"1000\"/><probe name=\"b\" quantity=\"momentum\" of=\"b\"/>"
      "<probe name=\"e\" quantity=\"energy\"/><probe name=\"r\" quantity=\"reaction\" of=\"%s\"/>"
      "</voussoir>",
      model[cell.space], q == SLIDES ? FRICTION : 0.5, bodies, drives, time[q], theta[q],
      cell.partner == NONE ? "b" : "p");
}

// ---- questions ----------------------------------------------------------------------------------

#define EXPECT(condition, ...)                                                                     \
  do {                                                                                             \
    if (!(condition)) {                                                                            \
      char what_[1600];                                                                            \
      snprintf(what_, sizeof what_, __VA_ARGS__);                                                  \
      cr_expect_fail("%s: %s", cell_name(cell), what_);                                            \
      wrong++;                                                                                     \
    }                                                                                              \
  } while (0)

static double mass_of(const CaseRun *run, Cell cell) {
  double mass = bodies_mass(&run->input.model.bodies, run_case_body(run, "b"));
  const double known[] = {500, 500, 1000 * 0.5 * 3.14159265358979324 * 3, 500};
  double expected = cell.kind == TOOL ? 500 : cell.kind == SHEET ? 156 : known[cell.space];
  cr_expect_float_eq(mass, expected, 1e-9 * expected, "%s: mass %g", cell_name(cell), mass);
  return expected;
}

// Down by g t^2 / 2 + (theta - 1/2) g h t, exactly, and nowhere else.
static int falls(const CaseRun *run, Cell cell) {
  const BodySet *bs = &run->input.model.bodies;
  int body = run_case_body(run, "b"), dim = bs->dim, wrong = 0;
  const StepSettings *steps = &run->input.model.stages[0].steps;
  double t = run->state.t, off = 0;
  double fall = 0.5 * G * t * t + (steps->theta - 0.5) * G * steps->h * t;
  for (int k = bs->node_ptr[body] * dim; k < bs->node_ptr[body + 1] * dim; k++)
    off = fmax(off, fabs(run->state.bodies.q[k] + (k % dim == dim - 1 ? fall : 0)));
  EXPECT(off <= 1e-9 * fall, "off by %g of %g m", off, fall);
  return wrong;
}

// The partner carries the weight, and the body stays where it was.
static int rests(const CaseRun *run, Cell cell) {
  const BodySet *bs = &run->input.model.bodies;
  int body = run_case_body(run, "b"), dim = bs->dim, wrong = 0;
  double weight = mass_of(run, cell) * G, moved = 0;
  double carried = run_case_last(run, cell.space == SOLID ? "r_z" : "r_y");
  EXPECT(fabs(carried - weight) <= 1e-5 * weight, "carries %.9g N of %.9g", carried, weight);
  for (int k = bs->node_ptr[body] * dim; k < bs->node_ptr[body + 1] * dim; k++)
    moved = fmax(moved, fabs(run->state.bodies.q[k]));
  EXPECT(moved <= 5e-3, "moved by %g m", moved);
  return wrong;
}

// Momentum: weight along the slope less friction, which is its coefficient times what the partner
// has pushed.
static int slides(const CaseRun *run, Cell cell) {
  int wrong = 0;
  double m = mass_of(run, cell), t = run->state.t, v0 = cell.kind == TOOL ? 0 : 0.5;
  double up = run_case_last(run, cell.space == SOLID ? "b_z" : "b_y");
  double pushed = m * G * cos(SLOPE) * t + up;
  double expected = m * (v0 + G * sin(SLOPE) * t) - FRICTION * pushed;
  // a partner that yields is not flat any more: strain 5e-4
  double bound = cell.partner == ON_BODY ? 5e-3 : 1e-6;
  EXPECT(fabs(run_case_last(run, "b_x") - expected) <= bound * m * G * t,
         "momentum %.9g, expected %.9g N s", run_case_last(run, "b_x"), expected);
  EXPECT(fabs(up) <= 2e-2 * m * G * t, "moves away from its partner");
  return wrong;
}

// Angular momentum is kept.
static int turns(const CaseRun *run, Cell cell) {
  int wrong = 0;
  double spin = cell.kind == SMALL ? 1e-3 : 1;
  int solid = cell.space == SOLID;
  double rate = run_case_last(run, solid ? "rate_z" : "spin_rate");
  double angle = solid ? 2 * asin(run_case_last(run, "q_z")) : run_case_last(run, "spin_angle");
  if (cell.kind == SHEET) {
    EXPECT(isnan(angle), "of what is flat no orientation is told");
    angle = spin * run->state.t;
  }
  // that of a sheet wanes at theta 0.6: by 2 (theta - 1/2) h spin^2 a second
  double bound = cell.kind == SHEET ? 3e-3 : 1e-3;
  EXPECT(fabs(rate / spin - 1) <= bound, "turns with %g of %g rad/s", rate, spin);
  EXPECT(fabs(angle / (spin * run->state.t) - 1) <= 1e-3, "turned by %g rad", angle);
  return wrong;
}

// The bounding box of what a field file shows, with displacements, of one body (-1: all).
static int drawn(const CaseRun *run, Cell cell) {
  VtkData data;
  Err err = {0};
  int wrong = 0, tools = cell.kind == TOOL;
  const char *path = in_scratch("drawn.vtk");
  cr_assert_eq((tools ? fields_write_tools : fields_write_bodies)(
                   &run->input.model, &run->state, &run->work, path, &run->input.output, &err),
               OK, "%s", err.text);
  cr_assert_eq(vtk_read(&data, path, &err), OK, "%s", err.text);
  const VtkReadArray *moved = vtk_array(&data, "displacement", 0);
  double low[3] = {1e9, 1e9, 1e9}, high[3] = {-1e9, -1e9, -1e9};
  for (int64_t c = 0; c < data.n_cells; c++)
    for (int k = data.cell_ptr[c]; k < data.cell_ptr[c + 1]; k++)
      for (int i = 0; i < 3; i++) {
        int64_t at = 3 * (int64_t)data.cell_point[k] + i;
        double x = data.points[at] + (moved ? moved->value[at] : 0);
        low[i] = fmin(low[i], x);
        high[i] = fmax(high[i], x);
      }
  int up = cell.space == SOLID ? 2 : 1;
  double left = cell.space == RINGS ? 1 : -0.5;
  EXPECT(data.n_cells > 0, "nothing is drawn");
  // the body, and no more of its partner than is near it
  EXPECT(low[0] <= left + 0.05 && high[0] >= left + 0.95, "x from %g to %g", low[0], high[0]);
  EXPECT(low[0] >= left - 2 && high[0] <= left + 3, "x from %g to %g", low[0], high[0]);
  EXPECT(low[up] >= -2 && high[up] <= 2 && high[up] >= -0.05, "up from %g to %g", low[up],
         high[up]);
  vtk_free(&data);
  return wrong;
}

static int64_t unknowns(const BodySet *bs) {
  int64_t n = bs->n_extra;
  for (int b = 0; b < bs->n_bodies; b++)
    if (!bs->type[b]->given)
      n += bs->type[b] == &body_rigid ? 3 * (bs->dim - 1) : (int64_t)bs->dim * bs->mesh[b]->n_nodes;
  return n;
}

// summary.json knows elements and unknowns of all bodies with a mesh.
static int counted(CaseRun *run, Cell cell) {
  static const RunInfo info = {.input = "cell.xml", .threads = 1};
  const int elements[] = {8, 8, 8, 8, 0, 8}, partner[] = {16, 16, 16, 9};
  int expected = cell.kind == SHEET ? 32 : elements[cell.kind], wrong = 0, resumed;
  if (cell.partner == ON_BODY) expected += partner[cell.space];
  Output *output = NULL;
  JsonTree tree;
  Err err = {0};
  cr_assert_eq(output_open(&output, &run->input.output, &run->input.model, in_scratch("out"),
                           START_FORCED, &run->state, &resumed, &err),
               OK, "%s", err.text);
  cr_assert_eq(
      output_close(output, &run->input.model, &run->state, &run->work, RUN_DONE, &info, &err), OK,
      "%s", err.text);
  cr_assert_eq(json_read(&tree, in_scratch("out/summary.json"), &err), OK, "%s", err.text);
  double n = json_number(&tree, "elements", -1), dofs = json_number(&tree, "dofs", -1);
  EXPECT((int)n == expected, "%g elements, expected %d", n, expected);
  EXPECT(dofs > 0 && (int64_t)dofs == unknowns(&run->input.model.bodies), "%g dofs", dofs);
  // contact points are nodes here, so what one shows the other does
  double points = json_number(&tree, "penetration.contacts", -1),
         nodes = json_number(&tree, "penetration.nodes", -1);
  EXPECT(points >= 0 && nodes >= 0.999 * points, "penetration %g m at points, %g m at nodes",
         points, nodes);
  json_free(&tree);
  return wrong;
}

// Half of the run, a checkpoint, the other half: the same bits.
static int restarts(CaseRun *run, Cell cell, const char *xml) {
  const char *path = in_scratch("half.h5");
  CaseRun *half = run_case_open_text(xml, NULL), *other = run_case_open_text(xml, NULL);
  Err err = {0};
  CheckpointNote note = {0};
  int wrong = 0;
  run_case_steps(half, run->state.step / 2);
  cr_assert_eq(checkpoint_write(path, &half->input.model, &half->state, &note, &err), OK);
  cr_assert_eq(checkpoint_read(path, &other->input.model, &other->state, &note, &err), OK);
  step_work_free(&other->work);
  cr_assert_eq(step_work_init(&other->work, &other->input.model, &other->state, &err), OK);
  run_case_to_end(other);
  EXPECT(state_hash(&other->state, &other->input.model) ==
             state_hash(&run->state, &run->input.model),
         "another state after a restart");
  checkpoint_note_free(&note);
  run_case_close(half);
  run_case_close(other);
  return wrong;
}

// ---- the table ----------------------------------------------------------------------------------

static int is_refused(const char *xml, Cell cell, const char *message) {
  Case input;
  Err err = {0};
  int wrong = 0, said = 0;
  write_text(in_scratch("cell.xml"), xml);
  Status status = case_load(&input, in_scratch("cell.xml"), NULL, 0, &err);
  for (size_t k = 0; k < input.diag.n; k++)
    said |=
        strstr(input.diag.entries[k].text, message) != NULL && input.diag.entries[k].pos.line > 0;
  EXPECT(status == ERR_INPUT && said, "is not refused with '%s' but '%s'", message,
         input.diag.n > 0 ? input.diag.entries[0].text : "nothing");
  case_free(&input);
  return wrong;
}

static int ask(Cell cell) {
  char *xml = mem_copy_text(input_of(cell));
  const char *message = refusal(cell);
  int wrong = 0;
  if (message) {
    wrong = is_refused(xml, cell, message);
    mem_free(xml);
    return wrong;
  }
  CaseRun *run = run_case_text(xml, NULL);
  static int (*const answer[])(const CaseRun *, Cell) = {falls, rests, slides, turns};
  wrong += answer[cell.question](run, cell);
  // Linear bodies close to round-off, of what turns by 1e-3 only a share of it; others to the order
  // of the scheme.
  double bound = cell.kind != SMALL ? 2e-3 : cell.question == TURNS ? 1e-9 : 1e-10;
  double balance = run->state.worst[WORST_BALANCE];
  EXPECT(balance <= bound, "energy balance %g", balance);
  if (cell.question == RESTS && cell.partner != NONE) {
    wrong += drawn(run, cell) + counted(run, cell) + restarts(run, cell, xml);
  }
  run_case_close(run);
  mem_free(xml);
  return wrong;
}

static void ask_all(int kind) {
  scratch_make();
  int wrong = 0, n = 0;
  for (int space = 0; space < N_SPACES; space++)
    for (int partner = 0; partner < N_PARTNERS; partner++)
      for (int question = 0; question < N_QUESTIONS; question++) {
        if (partner == NONE && (question == RESTS || question == SLIDES)) continue;
        wrong += ask((Cell){kind, space, partner, question});
        n++;
      }
  cr_expect_eq(wrong, 0, "%s: %d wrong answers in %d cells", kinds[kind], wrong, n);
  scratch_remove();
}

Test(cells, of_small_strains) {
  ask_all(SMALL);
}
Test(cells, of_corotational_bodies) {
  ask_all(COROTATIONAL);
}
Test(cells, of_finite_strains) {
  ask_all(FINITE);
}
Test(cells, of_sheets) {
  ask_all(SHEET);
}
Test(cells, of_rigid_bodies) {
  ask_all(RIGID);
}
Test(cells, of_tools) {
  ask_all(TOOL);
}
