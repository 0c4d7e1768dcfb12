#define _XOPEN_SOURCE 700
#include "../file/scratch.h"

#include <stdlib.h>

#include "app/load.h"

// A sound input with a hole in line 8; what fills it is judged.
static const char FRAME[] =
    "<voussoir>\n"
    "<material name='s' density='2000' young='1e7' poisson='0.2'/>\n"
    "<law name='d' friction='0.3'/><law name='glue' type='mohr_coulomb' friction='0.3'/>\n"
    "<wall name='wall' material='s' courses='2' blocks='2' length='0.4' height='0.2'/>\n"
    "<block name='b' material='s' x='3' width='0.4' height='0.4'/>\n"
    "<support name='base' shape='box' x='-1' y='-1' width='9' height='1'/>\n"
    "<contact candidate='all' antagonist='all base' law='d'/>\n"
    "%s\n"
    "%s</voussoir>\n";
static const char TIME[] = "<time end='1' step='1e-3'/>";

// Loads text; the messages "LINE: text" of all defects, one a line.
static Status defects(const char *text, char *out, size_t size) {
  Case input;
  Err err = {0};
  const char *path = in_scratch("input.xml");
  write_text(path, text);
  Status status = case_load(&input, path, NULL, 0, &err);
  out[0] = 0;
  diag_sort(&input.diag);
  for (size_t k = 0; k < input.diag.n; k++) {
    size_t used = strlen(out);
    snprintf(out + used, size - used, "%d: %s\n", input.diag.entries[k].pos.line,
             input.diag.entries[k].text);
  }
  case_free(&input);
  return status;
}

// `filling` in line 8 makes exactly one defect, on that line, whose text holds `message`.
static void expect_defect(const char *filling, const char *message) {
  char text[4000], out[4000];
  snprintf(text, sizeof text, FRAME, filling, strstr(filling, "<time") ? "" : TIME);
  cr_expect_eq(defects(text, out, sizeof out), ERR_INPUT, "%s\nis taken", filling);
  cr_expect(strncmp(out, "8: ", 3) == 0, "%s\nsays\n%s", filling, out);
  cr_expect(strstr(out, message), "%s\nsays\n%s", filling, out);
  char *end = strchr(out, '\n');
  cr_expect(end && !end[1], "%s\nsays more than one thing:\n%s", filling, out);
}

Test(build, the_frame_of_these_tests_is_sound) {
  scratch_make();
  char text[4000], out[4000];
  snprintf(text, sizeof text, FRAME, "", TIME);
  cr_assert_eq(defects(text, out, sizeof out), OK, "%s", out);
  scratch_remove();
}

Test(build, names_that_are_not_known_propose_the_nearest) {
  scratch_make();
  expect_defect("<gravity of='wal'/>",
                "of=\"wal\" names no body or group of this input; did you mean 'wall'?");
  expect_defect("<contact candidate='wall' antagonist='bse' law='d'/>", "did you mean 'base'?");
  expect_defect("<contact candidate='wall' antagonist='base' law='d' thickness='pressed'/>",
                "wants a law with a stiffness");
  expect_defect("<contact candidate='wall.corse_1' antagonist='base' law='d'/>",
                "did you mean 'wall.course_1'?");
  expect_defect("<velocity of='q' x='1'/>", "of=\"q\" names no body or group");
  expect_defect("<force on='wall.topp' x='1'/>",
                "on=\"wall.topp\" names no nodes of this input; did you mean 'wall.top'?");
  expect_defect("<force on='wall.top nonsense' x='1'/>", "on=\"nonsense\" names no nodes");
  expect_defect("<pressure on='b.upper' value='1'/>", "on=\"b.upper\" names no nodes");
  expect_defect("<prescribe on='c.left' x='0'/>", "on=\"c.left\" names no nodes");
  expect_defect("<probe name='p' quantity='reaction' of='bas'/>", "did you mean 'base'?");
  expect_defect("<probe name='p' quantity='displacement' of='wall.tpo'/>",
                "did you mean 'wall.top'?");
  expect_defect("<group name='g' bodies='wall zzz'/>", "bodies=\"zzz\" names no body or group");
  scratch_remove();
}

Test(build, names_near_to_nothing_are_told_what_there_is) {
  scratch_make();
  expect_defect("<force on='wall.nothing' x='1'/>",
                "there are wall.bottom, wall.right, wall.top, wall.left, wall.1.bottom");
  expect_defect("<force on='b.upper' x='1'/>", "there are b.bottom, b.right, b.top, b.left");
  expect_defect("<force on='zzzzzz' x='1'/>", "there are all, wall, wall.course_1, wall.course_2");
  expect_defect("<velocity of='zzzzzz' x='1'/>", "(voussoir check --names lists all)");
  expect_defect("<velocity of='wall.zzzzzz' x='1'/>", "there are wall.course_1, wall.course_2");
  scratch_remove();
}

Test(build, all_names_can_be_listed_whatever_else_is_wrong) {
  AppSchema schema;
  Input in = {0};
  Diag diag = {0};
  Err err = {0};
  char text[4000], *list = NULL;
  size_t size;
  scratch_make();
  const char *path = in_scratch("input.xml");
  snprintf(text, sizeof text, FRAME, "<force on='zzzzzz' x='1'/>", TIME);
  write_text(path, text);
  cr_assert_eq(app_schema_init(&schema, &err), OK);
  cr_assert_eq(input_load(path, &schema.schema, NULL, 0, &in, &diag, &err), OK);
  FILE *stream = open_memstream(&list, &size);
  cr_assert_eq(build_print_names(&in, &diag, stream, &err), OK, "%s", err.text);
  fclose(stream);
  static const char *const lines[] = {"\n  wall.1 .. wall.5\n",
                                      "\n  b\n",
                                      "\n  base\n",
                                      "\n  wall                     5 bodies\n",
                                      "  wall.course_2            2 bodies\n",
                                      "  wall.top                 6 nodes\n",
                                      "  wall.1.left              3 nodes\n",
                                      "  b.top                    3 nodes\n"};
  for (size_t k = 0; k < sizeof lines / sizeof lines[0]; k++)
    cr_expect(strstr(list, lines[k]), "%s is missing in\n%s", lines[k], list);
  cr_expect_null(strstr(list, "wall.2.left"), "blocks alike are listed once");
  free(list);
  diag_free(&diag);
  input_free(&in);
  app_schema_free(&schema);
  scratch_remove();
}

Test(build, names_are_taken_once) {
  scratch_make();
  expect_defect("<group name='wall' bodies='b'/>",
                "the name 'wall' is used twice, first in line 4");
  scratch_remove();
}

Test(build, geometry_that_is_no_block_is_a_defect_of_its_element) {
  scratch_make();
  expect_defect("<block name='x' material='s' width='1'/>", "needs width and height, or corners");
  expect_defect("<block name='x' material='s' corners='0 0 1 0 1 1'/>", "eight numbers");
  expect_defect("<block name='x' material='s' width='1' height='1' corners='0 0 1 0 1 1 0 1'/>",
                "needs width and height, or corners");
  expect_defect("<block name='x' material='s' corners='0 0 0 1 1 1 1 0'/>", "block 'x'");
  expect_defect(
      "<arch name='x' material='s' shape='segmental' span='2' thickness='0.2' voussoirs='5'/>",
      "a segmental arch needs a rise");
  expect_defect("<wall name='x' material='s' courses='2' blocks='3' length='0.4' height='0.2'>"
                "<opening left='0.1' bottom='0' width='9' height='0.2'/></wall>",
                "wall 'x'");
  expect_defect("<body name='x' material='s' mesh='no_such.msh'/>", "no_such.msh");
  scratch_remove();
}

Test(build, prescribed_nodes_must_be_able_to_be_prescribed) {
  scratch_make();
  expect_defect("<prescribe on='b.left'/>", "prescribe needs x, y, velocity_x or velocity_y");
  expect_defect("<prescribe on='base' x='0'/>",
                "'base' is a support: it moves by its move_x and move_y");
  expect_defect("<prescribe on='b.left' x='0' velocity_x='1'/>",
                "x and velocity_x exclude each other");
  expect_defect("<block name='x' material='s' width='1' height='1' y='9' angle='0.1'/>"
                "<prescribe on='x.left' x='0'/>",
                "'x' is rotated: prescribed nodes need small strains and angle 0");
  expect_defect(
      "<block name='x' material='s' width='1' height='1' y='9' kinematics='corotational'/>"
      "<prescribe on='x.left' x='0'/>",
      "'x' is co-rotational");
  scratch_remove();
}

Test(build, a_node_prescribed_twice_is_said_where_its_body_is) {
  scratch_make();
  char text[4000], out[4000];
  snprintf(text, sizeof text, FRAME,
           "<prescribe on='b.left' x='0'/><prescribe on='b.bottom' x='1e-3*t'/>", TIME);
  cr_assert_eq(defects(text, out, sizeof out), ERR_INPUT);
  cr_assert_str_eq(out, "5: a node of 'b' is prescribed twice in direction x\n");
  snprintf(text, sizeof text, FRAME, // another direction is another matter
           "<prescribe on='b.left' x='0'/><prescribe on='b.bottom' y='0'/>", TIME);
  cr_assert_eq(defects(text, out, sizeof out), OK, "%s", out);
  scratch_remove();
}

Test(build, loads_and_velocities_need_something_to_act_on) {
  scratch_make();
  expect_defect("<velocity of='base' x='1'/>",
                "'base' is a support: it moves by its move_x and move_y");
  expect_defect("<probe name='p' quantity='displacement' of='b' near='1'/>",
                "near needs 2 numbers, x and y, found 1");
  expect_defect("<force on='b.top' x='1/(t-0.5)'/>", "x: ");
  expect_defect("<force on='b.top' x='sqrt(-1-t)'/>", "x: ");
  expect_defect("<gravity y='9.81*tt'/>", "9.81*tt");
  scratch_remove();
}

Test(build, times_must_lead_somewhere) {
  scratch_make();
  expect_defect("<time start='1' end='1' step='1e-3'/>",
                "end = 1 s does not lie after start = 1 s");
  expect_defect("<time start='2' end='1' step='1e-3'/>", "does not lie after");
  expect_defect("<time end='1' step='1e-13'/>", "at most 1e12");
  expect_defect("<rest/>", "rest needs either a time or a probe");
  expect_defect("<rest time='0.1' probe='contacts'/>", "rest needs either a time or a probe");
  expect_defect("<rest probe='contcts' value='1'/>", "names no column of the history");
  scratch_remove();
}

Test(build, a_turn_of_a_support_that_would_do_nothing_is_refused) {
  scratch_make();
#define TABLE                                                                                      \
  "<contact candidate='wall' antagonist='table' law='d'/><support name='table' shape='box' y='-9'" \
  " width='1' height='1' "
  expect_defect(TABLE "turn='0.3'/>", "a constant turn would do nothing");
  expect_defect(TABLE "about_x='1'/>", "about_x without a turn");
  scratch_remove();
}

Test(build, contacts_must_join_what_can_move_and_supports_must_be_named) {
  scratch_make();
  expect_defect("<contact candidate='base' antagonist='base' law='d'/>",
                "this contact joins no body that can move");
  expect_defect("<contact candidate='wall' antagonist='base' law='d' self='yes'/>",
                "no body is both candidate and antagonist");
  expect_defect("<support name='lost' shape='plane' y='-5'/>",
                "no contact names the support 'lost': everything would fall through it");
  expect_defect(
      "<block name='x' material='s' x='9' width='1' height='1'/><gravity of='b'/>"
      "<support name='l1' shape='plane' y='-5'/><support name='l2' shape='plane' y='-6'/>",
      "no contact names the support 'l1': everything would fall through it (2 such: l1, l2)");
  char text[4000], out[4000];
  snprintf(text, sizeof text, "%s",
           "<voussoir><material name='s' density='2000' young='1e7' poisson='0.2'/>\n"
           "<block name='b' material='s' width='0.4' height='0.4'/>\n"
           "<gravity/><time end='1' step='1e-3'/></voussoir>");
  cr_assert_eq(defects(text, out, sizeof out), ERR_INPUT);
  cr_assert(strncmp(out, "2: ", 3) == 0 && strstr(out, "it would fall for ever"), "%s", out);
  scratch_remove();
}

Test(build, solvers_for_pure_cones_are_refused_with_other_laws) {
  scratch_make();
  int n_pure = 0;
  for (int k = 0; solver_types[k]; k++) {
    char filling[400], text[4000], out[4000], wanted[100];
    snprintf(filling, sizeof filling,
             "<contact candidate='wall' antagonist='base' law='glue'/><solver type='%s'/>",
             solver_types[k]->name);
    snprintf(wanted, sizeof wanted, "solver '%s' takes pure friction cones only, and law 'glue'",
             solver_types[k]->name);
    n_pure += solver_types[k]->pure_cone_only;
    if (solver_types[k]->pure_cone_only) {
      expect_defect(filling, wanted);
      continue;
    }
    snprintf(text, sizeof text, FRAME, filling, TIME);
    cr_assert_eq(defects(text, out, sizeof out), OK, "%s: %s", solver_types[k]->name, out);
  }
  cr_assert_gt(n_pure, 0);
  scratch_remove();
}

Test(build, laws_in_parallel_with_contact_are_refused_the_primal_way) {
  static const char *const body[] = {"finite", "small"};
  scratch_make();
  for (int k = 0; k < 2; k++) {
    char text[4000], out[4000];
    snprintf(text, sizeof text,
             "<voussoir><material name='m' density='2000' young='1e7' poisson='0.2'/>\n"
             "<block name='b' material='m' width='0.4' height='0.4' kinematics='%s'/>\n"
             "<support name='s' shape='plane'/><law name='glue' type='cohesive_zone' friction='0.5'"
             " normal_stiffness='1e9' tangent_stiffness='1e9' tension='1e4' energy='1'/>\n"
             "<contact candidate='b' antagonist='s' law='glue'/><newton contact='primal'/>\n"
             "<gravity/><time end='1' step='1e-3'/></voussoir>",
             body[k]);
    Status status = defects(text, out, sizeof out);
    cr_expect_eq(status, k == 0 ? ERR_INPUT : OK, "%s: %s", body[k], out);
    cr_expect(k > 0 || (strncmp(out, "4: ", 3) == 0 && strstr(out, "and law 'glue'")), "%s", out);
  }
  scratch_remove();
}

Test(build, an_input_without_bodies_is_said_to_have_none) {
  scratch_make();
  char out[4000];
  cr_assert_eq(defects("<voussoir>\n<time end='1' step='1e-3'/></voussoir>", out, sizeof out),
               ERR_INPUT);
  cr_assert_str_eq(
      out,
      "1: the input declares no bodies: add a wall, arch, column, block, box, polyhedron or body\n");
  scratch_remove();
}

Test(build, says_all_defects_of_an_input_at_once_in_the_order_of_its_lines) {
  scratch_make();
  char text[4000], out[4000];
  snprintf(
      text, sizeof text, FRAME,
      "<gravity of='wal'/>\n<block name='x' material='s' width='1'/>\n<force on='b.tpo' x='1'/>",
      "<time start='2' end='1' step='1e-3'/>");
  cr_assert_eq(defects(text, out, sizeof out), ERR_INPUT);
  static const char *const lines[4] = {"8: of=", "9: block 'x'", "10: on=", "11: end ="};
  const char *at = out;
  for (int k = 0; k < 4; k++) {
    const char *found = strstr(at, lines[k]);
    cr_assert_not_null(found, "no '%s' in its place in\n%s", lines[k], out);
    at = found;
  }
  scratch_remove();
}

// The frame with stages instead of an end: `stages` in line 8.
// Rigid bodies alone, or on one at finite strains, would fall through a static stage as in
// dynamics.
Test(build, statics_of_rigid_bodies_need_elastic_ones) {
  static const char rigid[] =
      "<voussoir><material name='s' density='2000' young='1e7'/><law name='d' friction='0.3'/>"
      "<block name='r' material='s' width='1' height='1' y='1' kinematics='rigid'/>"
      "<block name='f' material='s' width='1' height='1' kinematics='%s'/>"
      "<support name='g' shape='plane'/><contact candidate='r f' antagonist='f g' law='d'/>"
      "<gravity/><time step='1' theta='1'/><stage name='w' duration='1' statics='%s'/></voussoir>";
  static const struct {
    const char *kinematics, *statics;
    int refused;
  } cases[] = {{"rigid", "yes", 1},        {"finite", "yes", 1}, {"small", "yes", 0},
               {"corotational", "yes", 0}, {"rigid", "no", 0},   {"finite", "no", 0}};
  scratch_make();
  for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
    char text[1000], out[4000];
    snprintf(text, sizeof text, rigid, cases[k].kinematics, cases[k].statics);
    Status status = defects(text, out, sizeof out);
    cr_expect_eq(status == ERR_INPUT, cases[k].refused, "%s: %s", cases[k].kinematics, out);
    cr_expect(!cases[k].refused || strstr(out, "is rigid: statics are found by how bodies deform"),
              "%s", out);
  }
  scratch_remove();
}

static void expect_stage_defect(const char *stages, const char *message) {
  char filling[1000];
  snprintf(filling, sizeof filling, "<time step='1e-3'/>%s", stages);
  expect_defect(filling, message);
}

Test(build, stages_have_ends_and_name_what_there_is) {
  scratch_make();
  expect_stage_defect("<stage name='draw'/>",
                      "stage 'draw' has no end: it needs a duration, or until=\"rest\" and one");
  expect_stage_defect(
      "<stage name='draw' duration='1'/><stage name='rest' until='rest' theta='1'/>",
      "stage 'rest' ends at rest: it needs a duration too");
  expect_stage_defect("<stage name='draw' duration='-1'/>", "]0,inf[");
  expect_stage_defect("<stage name='draw' duration='1' until='rest'/>",
                      "it needs theta = 1, which damps (it has 0.5)");
  expect_stage_defect("<stage name='draw' duration='1' remove='punhc base'/>",
                      "remove=\"punhc\" names no body or group of this input");
  expect_stage_defect("<stage name='draw' duration='1' remove='wall'/>",
                      "is no tool or support: only these can be removed");
  expect_stage_defect("<stage name='draw' duration='1' step='1e-2' step_max='1e-3'/>",
                      "step_max = 0.001 s is below the step of 0.01 s");
  expect_stage_defect("<stage name='draw' duration='1' step='1e-13'/>", "makes 1e+13 steps");
  expect_stage_defect("<stage name='draw' duration='1' statics='yes'/>", "statics need theta = 1");
  expect_stage_defect("<stage name='a' duration='1'/><stage name='a' duration='1'/>",
                      "the name \"a\" of <stage> is already taken");
  expect_stage_defect(
      "<stage name='draw' duration='1'/><prescribe on='x.top' x='0' stage='darw'/>"
      "<block name='x' material='s' x='9' width='1' height='1' kinematics='finite'/>",
      "stage=\"darw\" names no stage of this input");
  expect_stage_defect(
      "<stage name='draw' duration='1'/><prescribe on='b.top' x='0' stage='draw'/>",
      "'b': a stage of its own is for bodies with kinematics=\"finite\" and sheets");
  expect_stage_defect(
      "<stage name='draw' duration='1'/>"
      "<block name='x' material='s' x='9' width='1' height='1' kinematics='finite'/>"
      "<hold on='x.top' as='symmetry_y' stage='draw'/>",
      "in all stages or none");
  static const char *const trims[][2] = {
      {"of='b' stage='two' cut='outside'", "of=\"b\" is not one sheet"},
      {"of='bb' stage='two' cut='outside'", "of=\"bb\" names no body"},
      {"of='b' stage='one' cut='outside'", "stage=\"one\" is the first"},
      {"of='b' stage='three' cut='outside'", "stage=\"three\" names no stage"}};
  for (int k = 0; k < 4; k++) {
    char text[400];
    snprintf(text, sizeof text,
             "<stage name='one' duration='1'/><stage name='two' duration='1'/>"
             "<trim %s shape='plane'/>",
             trims[k][0]);
    expect_stage_defect(text, trims[k][1]);
  }
  expect_defect("<time step='1e-3'/>", "time needs an end, or the input stages");
  expect_defect("<time end='1' step='1e-3'/><stage name='draw' duration='1'/>",
                "with stages the run ends with the last of them");
  scratch_remove();
}

// A sheet and a tool, and a bead in line 4.
static void expect_bead_defect(const char *bead, const char *message) {
  char text[2000], out[4000];
  snprintf(
      text, sizeof text,
      "<voussoir><model space='solid'/>\n"
      "<material name='s' density='7800' young='2e11' poisson='0.3'/>\n"
      "<sheet name='blank' material='s' shape='disk' radius='0.1' size='0.03' thickness='1e-3'/>"
      "<box name='solid' material='s' kinematics='finite' z='1' size='1 1 1' cells='1 1 1'/>"
      "<tool name='die' shape='plane' axis_y='0' axis_z='1' at_z='-1'/>"
      "<law name='f' friction='0'/><contact candidate='blank' antagonist='die' law='f'/>\n"
      "<bead %s/>\n<time end='1' step='1e-3'/></voussoir>",
      bead);
  cr_expect_eq(defects(text, out, sizeof out), ERR_INPUT, "%s\nis taken", bead);
  cr_expect(strncmp(out, "4: ", 3) == 0 && strstr(out, message), "%s\nsays\n%s", bead, out);
}

Test(build, beads_stand_on_a_tool_under_a_sheet) {
  scratch_make();
  expect_bead_defect("sheet='blank' tool='die' line='0 0 0' restraint='1'",
                     "line needs x y z of two or more points, found 3 numbers");
  expect_bead_defect("sheet='blank' tool='die' line='0 0 0 1 0 0' restraint='-1'", "[0,inf[");
  expect_bead_defect("sheet='blank' tool='die' line='0 0 0 1 0 0' restraint='1' spacing='1e-9'",
                     "at most 100000 are possible");
  expect_bead_defect("sheet='blank' tool='blank' line='0 0 0 1 0 0' restraint='1'",
                     "tool=\"blank\" is not one tool");
  expect_bead_defect("sheet='die' tool='die' line='0 0 0 1 0 0' restraint='1'",
                     "sheet=\"die\" is not one sheet");
  expect_bead_defect("sheet='solid' tool='die' line='0 0 0 1 0 0' restraint='1'",
                     "sheet=\"solid\" is not one sheet");
  expect_bead_defect("sheet='blnk' tool='die' line='0 0 0 1 0 0' restraint='1'",
                     "did you mean 'blank'?");
  scratch_remove();
}

Test(build, a_name_of_a_broken_body_is_not_blamed_again) {
  scratch_make();
  expect_defect("<body name='x' material='s' mesh='no_such.msh'/><force on='x.top' x='1'/>"
                "<contact candidate='x' antagonist='base' law='d'/>",
                "no_such.msh");
  expect_defect("<block name='x' material='s' width='1'/><force on='x.top' x='1'/>",
                "needs width and height");
  expect_defect(
      "<arch name='x' material='s' shape='pointed' span='2' thickness='0.2' voussoirs='5'/>"
      "<gravity of='x.keystone'/>",
      "needs a rise");
  scratch_remove();
}

// A model of a sheet with a hole in line 4.
static void expect_sheet_defect(const char *sheet, const char *message) {
  char text[4000], out[4000];
  snprintf(
      text, sizeof text,
      "<voussoir><model space='solid'/>\n"
      "<material name='s' law='sheet' density='7800' young='206e9' poisson='0.3' yield='3e8'/>\n"
      "<material name='h' law='sheet' density='7800' young='206e9' poisson='0.3' yield='3e8' "
      "criterion='hill48' r0='1' r45='2'/>\n%s\n%s</voussoir>\n",
      sheet, "<time end='1' step='1e-3' theta='1'/>");
  Status status = defects(text, out, sizeof out);
  if (!message) {
    cr_expect_eq(status, OK, "%s\nsays\n%s", sheet, out);
    return;
  }
  cr_expect_eq(status, ERR_INPUT, "%s\nis taken", sheet);
  cr_expect(strncmp(out, "4: ", 3) == 0 && strstr(out, message), "%s\nsays\n%s", sheet, out);
}

#define CONTOUR "<sheet name='b' material='s' thickness='1e-3' shape='contour' size='0.02' outline="
#define DISK    "<sheet name='b' material='s' thickness='1e-3' shape='disk' size='0.02' radius='0.1'"

Test(build, sheets_of_contours_are_made_or_refused_where_they_stand) {
  scratch_make();
  expect_sheet_defect(CONTOUR
                      "'0 0 0 0.1 0 0.01 0.1 0.1 0 0 0.1 0' pattern='q4'>"
                      "<zone size='0.01' circle='0 0 0.02'/><hole outline='0.04 0.04 0 "
                      "0.06 0.04 0 0.06 0.06 0'/></sheet><hold on='b.side_4' as='clamped'/>",
                      NULL);
  expect_sheet_defect(CONTOUR "'0 0 0 0.1 0 0 0 0.1 0 0.1 0.1 0'/>", "the outline crosses itself");
  expect_sheet_defect(CONTOUR "'0 0 0 0.1 0 0 0 0.1 0'><zone size='1'/></sheet>",
                      "a zone needs circle with 3 numbers, or box with 4");
  expect_sheet_defect(CONTOUR "'0 0 0 0.1 0 0 0 0.1 0'><zone size='1' box='0 0 1'/></sheet>",
                      "a zone needs");
  expect_sheet_defect(DISK "><hole outline='0 0 0 1 0 0 1 1 0'/></sheet>",
                      "a <hole> needs a sheet with shape=\"contour\"");
  scratch_remove();
}

Test(build, a_curve_that_falls_back_is_told_with_its_point) {
  scratch_make();
  expect_sheet_defect(DISK
                      "/><material name='c' law='sheet' density='1' young='2e11' poisson='0.3' "
                      "hardening='table' table='0 1e8 0.1 2e8 0.1 3e8'/>",
                      "plastic strains of its table must increase: point 3 has 0.1 after 0.1");
  scratch_remove();
}

Test(build, offsets_are_of_tools_that_stand_before) {
  static const char punch[] = "<tool name='punch' shape='plane' axis_y='0' axis_z='-1' "
                              "at_z='0.6e-3'/><law name='d' friction='0'/>"
                              "<contact candidate='b' antagonist='punch die' law='d'/>";
  static const char die[] = "<tool name='die' shape='offset' from='punch' distance='1.3e-3'/>";
  char text[1000];
  scratch_make();
  snprintf(text, sizeof text, DISK "/>%s%s", punch, die);
  expect_sheet_defect(text, NULL);
  snprintf(text, sizeof text, DISK "/>%s%s", die, punch);
  expect_sheet_defect(text, "the other tool must be declared before it");
  expect_sheet_defect(DISK "/><tool name='punch' shape='offset' from='punch' distance='1'/>",
                      "must be declared before");
  snprintf(text, sizeof text, DISK "/>%s", die);
  expect_sheet_defect(text, "no <tool> is named \"punch\"");
  scratch_remove();
}

Test(build, what_forming_observes_needs_sheets) {
  scratch_make();
  expect_sheet_defect(DISK "/><forming_limit of='b' points='0 0.3'/><rim name='r' of='b.edge' "
                           "base='0 0 0'/><probe name='t' quantity='thickness' of='b'/>",
                      NULL);
  expect_sheet_defect(DISK "/><forming_limit of='b' points='0 0.3 0 0.4'/>", "must increase");
  expect_sheet_defect(DISK "/><forming_limit of='b' points='0 30' strain='engineering'/>",
                      "no percents");
  expect_sheet_defect(DISK "/><forming_limit of='b' points='-20 0.3' strain='engineering'/>",
                      "the minor strain -20: strains are no percents");
  expect_sheet_defect(DISK "/><forming_limit of='b'/>", "either points or keeler");
  expect_sheet_defect(DISK "/><forming_limit of='b' keeler='0.2' points='0 0.3'/>",
                      "either points");
  expect_sheet_defect(
      DISK "/><forming_limit of='b' points='0 0.3'/><forming_limit of='b' points='0 1'/>",
      "'b' has two forming limits");
  expect_sheet_defect(DISK "/><forming_limit of='c' points='0 0.3'/>", "names no body");
  expect_sheet_defect(DISK "/><box name='c' material='s' size='1 1 1' cells='1 1 1' z='3'/>"
                           "<forming_limit of='c' points='0 0.3'/>",
                      "'c' is no sheet: it has no forming limit");
  expect_sheet_defect(DISK "/><probe name='a' quantity='angle' of='b' points='0 0 0'/>",
                      "points needs 12 numbers");
  expect_sheet_defect(
      DISK "/><probe name='a' quantity='angle' of='b' points='0 0 0 0 0 0 1 0 0 0 0 0'/>",
      "the same node is nearest to point 1 and to point 2");
  expect_sheet_defect(DISK "/><rim name='r' of='b.edge' axis='0 0 0'/>",
                      "the axis has no direction");
  expect_sheet_defect(DISK "/><rim name='r' of='b.edg'/>", "names no nodes");
  expect_sheet_defect(DISK "/><box name='c' material='s' size='1 1 1' cells='1 1 1' z='3'/>"
                           "<probe name='t' quantity='element_thickness' of='c'/>",
                      "'c' is no sheet");
  expect_sheet_defect(DISK "/><line name='l' of='b' from='0 0 0' to='0 0 1'/>",
                      "has no length in the sheet");
  expect_sheet_defect(DISK "/><line name='l' of='b' from='9 0 0' to='9 1 0'/>",
                      "cuts no element of 'b'");
  scratch_remove();
}

Test(build, a_sheet_that_is_anisotropic_in_its_plane_needs_a_rolling_direction) {
  scratch_make();
  expect_sheet_defect(
      "<sheet name='b' material='h' thickness='1e-3' shape='disk' size='0.02' radius='0.1'/>",
      "needs a rolling direction");
  expect_sheet_defect("<sheet name='b' material='h' thickness='1e-3' shape='disk' size='0.02' "
                      "radius='0.1' rolling='1 0 0'/>",
                      NULL);
  scratch_remove();
}


Test(build, hardening_by_points_takes_them_inline_or_from_a_file) {
  scratch_make();
#define J2 "<material name='p' law='j2' density='1' young='2e11' poisson='0.3' "
  write_text(in_scratch("curve.csv"), "# units: 1,Pa\nstrain,stress\n0,1e8\n0.1,2e8\n");
  write_text(in_scratch("one.csv"), "0\n1\n");
  write_text(in_scratch("rag.csv"), "0,1e8\n1\n");
  write_text(in_scratch("inf.csv"), "0,1e8\n0.1,inf\n");
  static const char *const sound[] = {J2 "hardening='table' table='0 1e8 0.1 2e8'/>",
                                      J2 "hardening='table' table_file='curve.csv'/>"};
  for (int k = 0; k < 2; k++) {
    char text[4000], out[4000];
    snprintf(text, sizeof text, FRAME, sound[k], TIME);
    cr_expect_eq(defects(text, out, sizeof out), OK, "%s", out);
  }
  expect_defect(J2 "hardening='table'/>", "in table or table_file");
  expect_defect(J2 "hardening='table' table='0 1e8 0.1'/>", "needs pairs of strain and stress");
  expect_defect(J2 "hardening='table' table='0.1 1e8'/>", "must be 0");
  expect_defect(J2 "hardening='table' table='0 1e8 0 2e8'/>", "must increase");
  expect_defect(J2 "yield='1e8' table='0 1e8 0.1 2e8'/>", "need hardening=\"table\"");
  expect_defect(J2 "hardening='table' table='0 1e8' table_file='curve.csv'/>", "are given");
  expect_defect(J2 "hardening='table' table_file='none.csv'/>", "none.csv");
  expect_defect(J2 "hardening='table' table_file='one.csv'/>", "has no two columns");
  expect_defect(J2 "hardening='table' table_file='rag.csv'/>", "rag.csv:2");
  expect_defect(J2 "hardening='table' table_file='inf.csv'/>", "row 2: inf is no number");
  scratch_remove();
}

Test(build, loads_on_what_does_not_yield_are_refused) {
  scratch_make();
  expect_defect("<force on='base' y='5'/>", "'base' is a support that is not free to move along y");
  expect_defect("<pressure on='base' value='5'/>", "'base' is a support that is not free to move");
  expect_defect("<gravity of='base'/>", "'base' has no weight");
  expect_defect("<probe name='p' quantity='spin' of='base'/>", "'base' never turns");
#define PUNCH                                                                                      \
  "<tool name='t' shape='plane' axis_y='-1' at_y='9' free='x' mass='1'/>"                          \
  "<contact candidate='wall' antagonist='t' law='d'/>"
  expect_defect(PUNCH "<force on='t' y='1'/>", "'t' is a tool that is not free to move along y");
  char text[4000], out[4000];
  snprintf(text, sizeof text, FRAME, PUNCH "<force on='t' x='1'/>", TIME);
  cr_assert_eq(defects(text, out, sizeof out), OK, "%s", out);
  scratch_remove();
}

// A tool without mass is in equilibrium along its free directions: something must push it there.
Test(build, a_tool_without_mass_or_force_is_refused) {
  scratch_make();
  static const char sheet[] =
      "<voussoir><model space='solid'/><material name='s' density='1' young='1' poisson='0.3' "
      "law='sheet' hardening='linear' yield='1'/><law name='l' friction='0'/>"
      "<sheet name='b' material='s' thickness='1e-3' shape='disk' size='0.02' radius='0.1'/>"
      "<tool name='t' shape='plane' axis_z='1' axis_y='0' at_z='-1' free='yz' %s/>%s"
      "<contact candidate='b' antagonist='t' law='l' points='nodes'/>"
      "<time step='1e-3' theta='1' end='1e-3'/></voussoir>";
  static const struct {
    const char *mass, *force, *told;
  } cases[] = {{"", "", "free along y"},
               {"", "<force on='t' y='1'/>", "free along z"},
               {"", "<force on='t' y='1' z='0'/>", "free along z"},
               {"", "<force on='t' y='1' z='t'/>", NULL},
               {"mass='1'", "", NULL}};
  for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
    char text[4000], out[4000];
    snprintf(text, sizeof text, sheet, cases[k].mass, cases[k].force);
    Status status = defects(text, out, sizeof out);
    cr_expect_eq(status, cases[k].told ? ERR_INPUT : OK, "%zu: %s", k, out);
    if (cases[k].told) cr_expect(strstr(out, cases[k].told), "%zu: %s", k, out);
  }
  scratch_remove();
}

// box.msh is in metres here; as a tool of a file in mm, 20 mm up.
Test(build, a_tool_of_a_mesh_is_scaled_and_placed) {
  scratch_make();
  char text[4000], path[512];
  cr_assert_not_null(realpath("meshes/box.msh", path));
  const char *placed[] = {"", "scale='1e-3' at_x='0.1' at_y='-0.2' at_z='20e-3'"};
  double low[3], high[3], gap[2];
  for (int k = 0; k < 2; k++) {
    snprintf(text, sizeof text,
             "<voussoir><model space='solid'/><material name='s' density='1' young='1' "
             "poisson='0'/><law name='l' friction='0'/><box name='b' material='s' size='1 1 1' "
             "cells='1 1 1' z='50'/><tool name='t' shape='mesh' mesh='%s' %s/>"
             "<contact candidate='b' antagonist='t' law='l'/>%s</voussoir>",
             path, placed[k], TIME);
    write_text(in_scratch("input.xml"), text);
    Case input;
    Err err = {0};
    cr_assert_eq(case_load(&input, in_scratch("input.xml"), NULL, 0, &err), OK, "%s", err.text);
    const Shape *shape = &input.model.bodies.tools[0].shape;
    if (k == 0) mesh_bounds(shape->spec.mesh, low, high);
    double s = k == 0 ? 1 : 1e-3, x = 0.5 * (low[0] + high[0]), y = 0.5 * (low[1] + high[1]);
    double above[3] = {k * 0.1 + s * x, k * -0.2 + s * y, k * 20e-3 + s * (high[2] + 0.01)};
    ShapeHit hit;
    cr_assert_eq(shape->type->nearest(shape, above, s, &hit), 1);
    gap[k] = hit.gap;
    case_free(&input);
  }
  cr_assert_float_eq(gap[0], 0.01, 1e-9);
  cr_assert_float_eq(gap[1], 1e-5, 1e-12);
  scratch_remove();
}

// A mesh with several bodies, seen from line 2 of an input.
static void expect_split(const char *body, const char *message) {
  char text[4000], out[4000], path[512];
  cr_assert_not_null(realpath("meshes/two_blocks.msh", path));
  snprintf(text, sizeof text,
           "<voussoir><material name='s' density='2000' young='1e7' poisson='0.2'/>\n"
           "<body name='w' material='s' mesh='%s' %s/>\n"
           "<law name='l' friction='0.3'/><contact candidate='w.lower' antagonist='w.upper' "
           "law='l'/><prescribe on='w.base' y='0'/>%s</voussoir>",
           path, body, TIME);
  Status status = defects(text, out, sizeof out);
  cr_expect_eq(status, message ? ERR_INPUT : OK, "%s\nsays\n%s", body, out);
  cr_expect(!message || (strncmp(out, "2: ", 3) == 0 && strstr(out, message)), "%s\nsays\n%s", body,
            out);
}

Test(build, a_joint_has_no_less_cohesion_than_its_cone_has_at_the_tip) {
  scratch_make();
#define GLUE "<law name='g' type='mohr_coulomb' friction='0.5' tension='1e5' "
  const char *message = "law 'g': cohesion must be at least friction * tension";
  expect_defect(GLUE "/>", message);
  expect_defect(GLUE "cohesion='4.9e4'/>", message);
  char text[4000], out[4000];
  snprintf(text, sizeof text, FRAME, GLUE "cohesion='5e4'/>", TIME);
  cr_assert_eq(defects(text, out, sizeof out), OK, "%s", out);
  scratch_remove();
}

// What would be passed over, or of which one half would win without a word.
Test(build, what_contradicts_itself_or_acts_on_nothing_is_refused) {
  scratch_make();
  write_text(in_scratch("record.csv"), "time,acc\n0,1\n0.5,-1\n1,0\n");
  expect_defect("<law name='l' friction='0.3' kinetic='0.4'/>",
                "law 'l': kinetic is above friction");
  expect_defect("<law name='l' friction='0.3' strength='1e5'/>",
                "law 'l': strength is that of a stiffness");
  expect_defect("<velocity of='b' x='1'/><velocity of='all' y='1'/>",
                "'b' has a velocity already, given in line 8");
  expect_defect("<force on='b.top' x='1' near='3.2 0.9'/>",
                "near: the nearest node is 0.5 m away, farther than any element is long (0.283 m)");
  expect_defect("<pressure on='b.top'/>", "pressure needs a value, or a traction x, y");
  expect_defect("<time end='1' step='1e-3' step_min='1e-2'/>",
                "step_min = 0.01 s is above the step of 0.001 s");
  expect_defect("<time step='1e-3'/><stage name='one' duration='1' step_min='2e-3'/>",
                "step_min = 0.002 s is above the step of 0.001 s");
  expect_defect("<prescribe on='b.bottom' x='0'/><force on='b.bottom' x='1' y='1'/>",
                "all nodes of 'b.bottom' are prescribed along x: the load would do nothing");
  expect_defect("<block name='c' material='s' height='1' corners='8 0 9 0 9 1 8 1'/>",
                "block 'c' needs width and height, or corners");
  expect_defect("<function name='q' kind='accelerogram' file='record.csv'/><gravity x='q'/>",
                "x is in m/s^2, and 'q' is a record, which gives a displacement");
  expect_defect("<material name='v' law='kelvin_voigt' density='1' young='1e7'/><block name='f' "
                "kinematics='finite' material='v' x='6' width='0.4' height='0.4'/>"
                "<time end='1' step='1e-3' theta='1'/><newton statics='yes'/>",
                "of small strains, have no rates, and law 'kelvin_voigt' of 'f' needs them");
  static const char *const sound[] = {
      "<tool name='t' shape='plane' at_y='9' axis_y='-1' move_y='-t'/>"
      "<contact candidate='b' antagonist='t' law='d'/>"
      "<time end='1' step='1e-3' theta='1'/><newton statics='yes'/>",
      "<law name='l' friction='0.3' kinetic='0.3'/>",
      "<law name='l' friction='0.3' stiffness='1e9' strength='1e5'/>",
      "<velocity of='b' x='1'/><velocity of='wall' y='1'/>",
      "<force on='b.top' x='1' near='3.2 0.5'/>",
      "<prescribe on='b.bottom' x='0'/><force on='b.bottom' y='1'/><force on='b.right' x='1'/>",
      "<function name='q' kind='accelerogram' file='record.csv'/>"
      "<support name='t' shape='box' y='-9' width='1' height='1' move_x='q'/>"
      "<contact candidate='b' antagonist='t' law='d'/>"};
  for (size_t k = 0; k < sizeof sound / sizeof sound[0]; k++) {
    char text[4000], out[4000];
    snprintf(text, sizeof text, FRAME, sound[k], strstr(sound[k], "<time") ? "" : TIME);
    cr_expect_eq(defects(text, out, sizeof out), OK, "%s\nsays\n%s", sound[k], out);
  }
  scratch_remove();
}

Test(build, a_mesh_that_falls_apart_needs_to_be_split) {
  scratch_make();
  expect_split("", "falls apart into 2 pieces that nothing joins");
  expect_split("split='groups'", NULL);
  expect_split("split='pieces'", NULL); // groups of elements stand for the pieces
  scratch_remove();
}

// At theta = 1/2 one accepted step put 265 J into a cup that its punch had given 6 J.
Test(build, sheets_need_a_theta_that_damps) {
  static const char text[] =
      "<voussoir><model space='solid'/>\n"
      "<material name='s' law='sheet' density='7800' young='206e9' poisson='0.3' yield='3e8'/>\n"
      "<sheet name='b' material='s' thickness='1e-3' shape='disk' size='0.02' radius='0.1'/>\n"
      "<time step='1e-3' theta='%s'/>\n<stage name='one' duration='1'/>\n"
      "<stage name='two' duration='1' theta='%s'/></voussoir>\n";
  char full[4000], out[4000];
  scratch_make();
  snprintf(full, sizeof full, text, "0.55", "1");
  cr_expect_eq(defects(full, out, sizeof out), OK, "%s", out);
  snprintf(full, sizeof full, text, "0.5", "1");
  cr_expect_eq(defects(full, out, sizeof out), ERR_INPUT);
  cr_expect(strncmp(out, "4: theta = 0.5 with sheets", 26) == 0, "%s", out);
  snprintf(full, sizeof full, text, "0.6", "0.54");
  cr_expect_eq(defects(full, out, sizeof out), ERR_INPUT);
  cr_expect(strncmp(out, "6: theta = 0.54 with sheets", 27) == 0, "%s", out);
  scratch_remove();
}
