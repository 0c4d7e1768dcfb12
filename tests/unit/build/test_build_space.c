#define _XOPEN_SOURCE 700
#include "../file/scratch.h"

#include "../../support/run_case.h"
#include "app/load.h"

// What is wrong with an input whose line 3 is `line`, in a model that `model` describes.
static void expect_on_line_3(const char *model, const char *line, const char *message) {
  char text[2000];
  const char *path = in_scratch("input.xml");
  int solid = strstr(model, "solid") != NULL, found = 0;
  snprintf(text, sizeof text,
           "<voussoir><model %s/><material name='m' density='2000' young='1e7' poisson='0.2'/>"
           "<law name='d' friction='0.3'/>\n"
           "%s<contact candidate='b' antagonist='b' law='d'/>\n%s\n<time end='1' step='1e-3'/>"
           "</voussoir>",
           model,
           solid ? "<box name='b' material='m' size='1 1 1' cells='1 1 1'/>"
                 : "<block name='b' material='m' x='2' width='1' height='1'/>",
           line);
  write_text(path, text);
  Case input;
  Err err = {0};
  Status status = case_load(&input, path, NULL, 0, &err);
  cr_expect_eq(status, message ? ERR_INPUT : OK, "%s, %s", model, line);
  for (size_t k = 0; message && k < input.diag.n; k++) {
    const DiagEntry *entry = &input.diag.entries[k];
    found |= entry->pos.line == 3 && strstr(entry->text, message) != NULL;
  }
  cr_expect(found || !message, "%s, %s: %s", model, line,
            input.diag.n > 0 ? input.diag.entries[0].text : "no word");
  case_free(&input);
}

Test(build_space, refuses_what_has_no_meaning_in_the_space_of_the_model) {
  static const char PLANE[] = "space='plane'", RING[] = "space='axisymmetric'",
                    SPACE[] = "space='solid'",
                    BLOCK[] = "<block name='c' material='m' x='4' "
                              "width='1' height='1' kinematics='%s'/>",
                    BOX[] = "<box name='c' material='m' x='4' size='1 1 1' cells='1 1 1' "
                            "kinematics='%s'/>";
  char line[300];
  scratch_make();
  snprintf(line, sizeof line, BLOCK, "corotational");
  expect_on_line_3(PLANE, line, NULL);
  expect_on_line_3(RING, line, "kinematics=\"corotational\" of a block: a ring does not turn");
  snprintf(line, sizeof line, BOX, "corotational");
  expect_on_line_3(SPACE, line, NULL);
  static const char *const contact[] = {
      "<contact candidate='b' antagonist='b' law='d' points='nodes'/>",
      "<contact candidate='b' antagonist='b' law='d' points='midpoints'/>",
      "<contact candidate='b' antagonist='b' law='d' points='gauss'/>"};
  for (int k = 0; k < 3; k++) {
    expect_on_line_3(PLANE, contact[k], NULL);
    expect_on_line_3(SPACE, contact[k],
                     k < 2 ? NULL : "in space contact points are of faces, nodes and crossing");
  }
  for (int k = 0; k < 2; k++) { // a mass matrix of shape functions
    const char *of = k == 0 ? "small" : "finite' mass='consistent";
    snprintf(line, sizeof line, BOX, of);
    expect_on_line_3(SPACE, line, k == 0 ? NULL : "is for kinematics=\"small\"");
  }
  snprintf(line, sizeof line, BLOCK, "small' mass='consistent");
  expect_on_line_3(PLANE, line, NULL);
  expect_on_line_3(RING, line, "rings have their masses at the nodes");
  static const char *const spin[] = {"<velocity of='b' spin='1'/>",
                                     "<probe name='s' quantity='spin' of='b'/>"};
  for (int k = 0; k < 2; k++) {
    expect_on_line_3(PLANE, spin[k], NULL);
    expect_on_line_3(RING, spin[k], "a ring does not turn in its plane");
    expect_on_line_3(SPACE, spin[k],
                     k == 0 ? "spin needs 3 numbers here, not 1"
                            : "angular_velocity and orientation");
  }
  expect_on_line_3(SPACE, "<velocity of='b' spin='1 2 3'/>", NULL);
  expect_on_line_3(PLANE, "<velocity of='b' spin='1 2 3'/>", "spin needs 1 number here, not 3");
  static const char *const turning[] = {"angular_velocity", "orientation", "angular_momentum"};
  for (int k = 0; k < 3; k++) {
    snprintf(line, sizeof line, "<probe name='s' quantity='%s' of='b'/>", turning[k]);
    expect_on_line_3(SPACE, line, NULL);
    expect_on_line_3(PLANE, line, k == 2 ? NULL : "in the plane it is told by spin");
    expect_on_line_3(RING, line, k == 2 ? "a ring does not turn" : "in the plane it is told");
  }
  snprintf(line, sizeof line, BOX, "rigid");
  expect_on_line_3(SPACE, line, NULL);
  static const char GROUND[] = "<support name='g' y='-9' shape='%s' %s/><contact candidate='b' "
                               "antagonist='g' law='d'/>";
  static const char *const ground[][4] = {
      // shape, attributes; what is wrong in space, in the plane
      {"plane", "normal='1 0 1'", NULL, "the model has no z"},
      {"plane", "angle='0.1'", "in space a plane has a normal", NULL},
      {"plane", "normal='0 0 0'", "normal is no direction", "the model has no z"},
      {"plane", "normal='0 1'", "normal needs 3 numbers, found 2", "the model has no z"},
      {"box", "width='1' height='2'", "a box in space needs a depth", NULL},
      {"box", "width='1' height='2' depth='3'", NULL, "the model has no z"},
      {"plane", "turn='t' axis='1 0 0'", NULL, "the model has no z"},
      {"plane", "axis='1 0 0'", "axis without a turn", "the model has no z"},
      {"plane", "turn='t' axis='0 0 0'", "axis is no direction", "the model has no z"},
      {"plane", "about_z='1'", "about_z without a turn", "the model has no z"}};
  for (size_t k = 0; k < sizeof ground / sizeof ground[0]; k++) {
    snprintf(line, sizeof line, GROUND, ground[k][0], ground[k][1]);
    expect_on_line_3(SPACE, line, ground[k][2]);
    expect_on_line_3(PLANE, line, ground[k][3]);
  }
  expect_on_line_3(SPACE, "<velocity of='b' spin='0'/>", NULL);
  expect_on_line_3("space='plane' plane='stress' thickness='2'", "<gravity/>", NULL);
  expect_on_line_3(RING, "<gravity x='1'/>", "x is the radius");
  expect_on_line_3(PLANE, "<gravity x='1'/>", NULL);
  expect_on_line_3(PLANE, "<gravity z='-9.81'/>", "the model has no z");
  expect_on_line_3(RING, "<velocity of='b' z='2'/>", "the model has no z");
  expect_on_line_3(SPACE, "<gravity z='-9.81' y='0'/>", NULL);
  expect_on_line_3(PLANE, "<tool name='t' shape='plane' move_z='t'/>", "the model has no z");
  scratch_remove();
}

// What turns is led, in the plane and in space, and has an axis only there.
Test(build_space, refuses_tools_that_turn_where_they_are_free_or_rings) {
  static const char TOOL[] = "<tool name='t' shape='sphere' radius='0.1' at_y='-1' %s/>"
                             "<contact candidate='b' antagonist='t' law='d'/>";
  static const struct {
    const char *space, *more, *message;
  } cases[] = {{"space='solid'", "turn='t' axis='1 0 0' about_z='1'", NULL},
               {"space='plane'", "turn='t' about_x='1'", NULL},
               {"space='solid'", "turn='t' free='z' mass='1'", "it is led, and not free"},
               {"space='solid'", "turn='t' axis='0 0 0'", "axis is no direction"},
               {"space='solid'", "axis='0 0 1'", "axis without a turn"},
               {"space='plane'", "turn='t' axis='0 0 1'", "the model has no z"},
               {"space='axisymmetric'", "turn='t'", "a ring does not turn in its plane"}};
  char line[300];
  scratch_make();
  for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
    snprintf(line, sizeof line, TOOL, cases[k].more);
    expect_on_line_3(cases[k].space, line, cases[k].message);
  }
  scratch_remove();
}

// Two directions of friction, and corners of faces, are of space; both words are complete.
Test(build_space, refuses_friction_and_points_of_faces_elsewhere_and_half_said) {
  static const struct {
    const char *line, *message;
  } cases[] = {
      {"<law name='l' friction='0.3' friction_2='0.5' direction='1 0 0'/>", NULL},
      {"<law name='l' friction='0.3' friction_2='0.5'/>", "friction_2 is that across a direction"},
      {"<law name='l' friction='0.3' friction_2='0.5' direction='0 0 0'/>", "not all 0"},
      {"<law name='l' friction='0.3' friction_2='0.5' direction='1 0'/>", "3 numbers, found 2"},
      {"<law name='l' friction='0' friction_2='0.5' direction='1 0 0'/>", "friction is above 0"},
      {"<law name='l' friction='0.3' direction='1 0 0'/>", "where friction_2 differs from it"}};
  scratch_make();
  for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++)
    expect_on_line_3("space='solid'", cases[k].line, cases[k].message);
  expect_on_line_3("space='plane'", cases[0].line, "only a contact in space has two directions");
  static const char *const points[] = {"corners", "reduced"};
  for (int k = 0; k < 2; k++) {
    char line[200];
    snprintf(line, sizeof line, "<contact candidate='b' antagonist='b' law='d' points='%s'/>",
             points[k]);
    expect_on_line_3("space='solid'", line, NULL);
    expect_on_line_3("space='plane'", line, "they are of faces in space");
  }
  scratch_remove();
}

Test(build_space, counts_in_lists_are_whole_numbers) {
  scratch_make();
  expect_on_line_3("space='solid'",
                   "<box name='c' material='m' x='4' size='1 1 1' cells='2.7 1 1'/>",
                   "'cells' of <box> is 2.7, must be a whole number");
  expect_on_line_3("space='solid'",
                   "<rubble name='c' material='m' x='4' count='2' radius='0.1' width='1'"
                   " corners='8 9.5'/>",
                   "'corners' of <rubble> is 9.5, must be a whole number");
  scratch_remove();
}

// Of a table every column and row that is wrong is told.
Test(build_space, tables_of_stones_are_of_known_columns_and_whole_rows) {
  static const char STONES[] = "<stones name='s' material='m' kinematics='rigid' file='s.csv'/>",
                    HEAD[] = "x,y,z,length,height,depth";
  static const struct {
    const char *columns, *rows, *messages[3];
  } cases[] = {
      {"", "4,0,0,1,1,1\n", {NULL}},
      {",density", "4,0,0,1,1,1,7\n", {"s.csv' has an unknown column 'density' (allowed: x, y, "}},
      {",lenght",
       "4,0,0,1,1,1,7\n",
       {"unknown column 'lenght'; did you mean 'length'? (allowed: "}},
      {",x", "4,0,0,1,1,1,7\n", {"s.csv' has the column 'x' twice"}},
      {"",
       "4,0,0,1,1,nan\n4,0,3,1,0,1\n1,2\n4,0,9,1,1,1\nabc,0,12,1,1,1\n",
       {"s.csv:3: a height of 0 m", "s.csv:4: 2 cells, 6 expected", "s.csv:6: 'abc' is not"}},
      {"", "4,0,0,1,1,inf\n,0,3,1,0,1\n", {"s.csv:2: a depth of inf m", "s.csv:3: x is missing"}}};
  char text[300];
  scratch_make();
  for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
    snprintf(text, sizeof text, "%s%s\n%s", HEAD, cases[k].columns, cases[k].rows);
    write_text(in_scratch("s.csv"), text);
    for (int m = 0; m < 3 && (m == 0 || cases[k].messages[m]); m++)
      expect_on_line_3("space='solid'", STONES, cases[k].messages[m]);
  }
  write_text(in_scratch("s.csv"), "x,y,length\n4,0,1\n");
  expect_on_line_3("space='plane'", STONES, "s.csv' has no column 'height'");
  write_text(in_scratch("s.csv"), "x,y,z,x\n0,0,0,0\n1,0,0,1\n0,1,0,0\n0,0,1,0\n");
  expect_on_line_3("space='solid'", "<polyhedron name='c' material='m' x='4' file='s.csv'/>",
                   "s.csv' has the column 'x' twice");
  scratch_remove();
}

// Polyhedra: what is no convex one is a defect of its line.
Test(build_space, refuses_what_is_no_polyhedron) {
  static const char SPACE[] = "space='solid'",
                    BODY[] = "<polyhedron name='c' material='m' x='4' corners='%s' %s/>";
  static const char TETRAHEDRON[] = "0 0 0 1 0 0 0 1 0 0 0 1";
  static const struct {
    const char *corners, *more, *message;
  } cases[] = {{TETRAHEDRON, "", NULL},
               {TETRAHEDRON, "orientation='0.5 0 0 2'", NULL},
               {TETRAHEDRON, "kinematics='small'", NULL},
               {"0 0 0 1 0 0 0 1 0", "", "four corners or more, not 3"},
               {"0 0 0 1 0 0 0 1 0 0 0", "", "three numbers each, found 11"},
               {"0 0 0 1 0 0 0 1 0 1 1 0", "", "lie in one plane"},
               {"0 0 0 1 0 0 0 1 0 0 0 1 0.1 0.1 0.1", "", "corner 5 at (0.1, 0.1, 0.1)"},
               {TETRAHEDRON, "orientation='0 0 0 0'", "not all 0, found 4"},
               {TETRAHEDRON, "orientation='1 0 0'", "not all 0, found 3"}};
  char line[300];
  scratch_make();
  for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
    snprintf(line, sizeof line, BODY, cases[k].corners, cases[k].more);
    expect_on_line_3(SPACE, line, cases[k].message);
  }
  static const struct {
    const char *attributes, *parts, *message;
  } unions[] = {
      {"", "<part corners='0 0 0 1 0 0 0 1 0 0 0 1'/><part corners='0 0 0 1 0 0 0 1 0 0 0 -1'/>",
       NULL},
      {"", "<part corners='0 0 0 1 0 0 0 1 0 0 0 1'/><part corners='0 0 0 1 0 0 0 1 0 1 1 0'/>",
       "polyhedron 'c', part 2: its corners lie in one plane"},
      {"", "<part/>", "part 1: it needs corners, or a file of them"},
      {"", "", "it needs corners, or a file of them"},
      {"corners='0 0 0 1 0 0 0 1 0 0 0 1'", "<part corners='0 0 0 1 0 0 0 1 0 0 0 1'/>",
       "it has parts: corners are theirs"},
      {"kinematics='small'", "<part corners='0 0 0 1 0 0 0 1 0 0 0 1'/>",
       "parts are those of one rigid body"}};
  for (size_t k = 0; k < sizeof unions / sizeof unions[0]; k++) {
    snprintf(line, sizeof line, "<polyhedron name='c' material='m' x='4' %s>%s</polyhedron>",
             unions[k].attributes, unions[k].parts);
    expect_on_line_3(SPACE, line, unions[k].message);
  }
  snprintf(line, sizeof line, BODY, TETRAHEDRON, "");
  expect_on_line_3("space='plane'", line, "a polyhedron needs a model with space=\"solid\"");
  scratch_remove();
}

// What is told of the parts of a polyhedron; NULL: nothing.
static void expect_parts_within(const char *parts, const char *message) {
  Case input;
  Err err = {0};
  const char *path = in_scratch("input.xml");
  write_text(
      path,
      xml_format("<voussoir><model space='solid'/><material name='m' density='2000' young='1e9'/>"
                 "<law name='d' friction='0.3'/><polyhedron name='p' material='m'>%s"
                 "</polyhedron><support name='g' shape='plane' normal='0 1 0' y='-2'/>"
                 "<contact candidate='p' antagonist='g' law='d'/>"
                 "<time end='1' step='1e-3'/></voussoir>",
                 parts));
  cr_assert_eq(case_load(&input, path, NULL, 0, &err), OK, "%s",
               input.diag.n > 0 ? input.diag.entries[0].text : err.text);
  cr_expect_eq(input.doubts.n, message ? 1 : 0, "%s", parts);
  if (message && input.doubts.n > 0)
    cr_expect(strstr(input.doubts.entries[0].text, message), "%s", input.doubts.entries[0].text);
  case_free(&input);
}

#define TETRAHEDRON(low, high)                                                                     \
  "<part corners='" low " " low " " low " " high " " low " " low " " low " " high " " low " " low  \
  " " low " " high "'/>"

Test(build_space, doubts_parts_that_lie_in_another) {
  static const char TWICE[] = "polyhedron 'p': part 2 lies inside part 1, where mass counts twice";
  scratch_make();
  expect_parts_within(TETRAHEDRON("0", "1") TETRAHEDRON("0", "1"), TWICE);
  expect_parts_within(TETRAHEDRON("0", "1") TETRAHEDRON("0.1", "0.4"), TWICE);
  expect_parts_within(TETRAHEDRON("0.1", "0.4") TETRAHEDRON("0", "1"), "part 1 lies inside part 2");
  expect_parts_within(TETRAHEDRON("0", "1") TETRAHEDRON("0", "-1"), NULL);
  expect_parts_within(TETRAHEDRON("0", "1") TETRAHEDRON("0.1", "0.9"), NULL);
  scratch_remove();
}
