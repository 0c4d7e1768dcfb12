#define _XOPEN_SOURCE 700
#include "../file/scratch.h"

#include <math.h>
#include <stdlib.h>
#include <unistd.h>

#include "doubtful.h"

static void expect_doubts(const char *text, int all, const char *expected) {
  char *out = doubtful(text, all);
  cr_expect_str_eq(out, expected, "%s\nis said of\n%s", out, text);
  free(out);
}

// A sound model in the plane with a hole in line 5.
static const char FRAME[] =
    "<voussoir><material name='s' density='1000' young='1e7' poisson='0.2'/><law name='d' friction='0.5'/>\n"
    "<block name='b' material='s' width='0.1' height='0.1' kinematics='corotational'/>\n"
    "<support name='base' shape='box' x='-1' y='-1' width='3' height='1'/>\n"
    "<contact candidate='b' antagonist='base' law='d'/><time end='1' step='1e-3'/>\n"
    "%s</voussoir>\n";

static const char *frame(const char *filling) {
  static char text[8000];
  snprintf(text, sizeof text, FRAME, filling);
  return text;
}

Test(foresee_doubts, a_sound_input_has_none) {
  scratch_make();
  expect_doubts(frame("<gravity/>"), 1, "");
  scratch_remove();
}

Test(foresee_doubts, what_nothing_refers_to_is_told) {
  scratch_make();
  const char *filling =
      "<material name='m' density='1' young='1' poisson='0'/>\n"
      "<law name='l' friction='1'/>\n<function name='f' kind='expression' value='t'/>\n"
      "<function name='used' kind='expression' value='2*t'/><force on='b.top' x='used'/>";
  expect_doubts(
      frame(filling), 1,
      "5: material 'm' is not used\n6: law 'l' is not used\n7: function 'f' is not used\n");
  expect_doubts(frame(filling), 0, ""); // a run has other things to say
  scratch_remove();
}

Test(foresee_doubts, many_bodies_that_float_are_one_line) {
  scratch_make();
  expect_doubts(frame("<block name='x' material='s' y='3' width='0.1' height='0.1'/>"), 0,
                "5: body 'x' floats: no <contact> joins it to another body and nothing holds it\n");
  // a rule with nobody on the other side joins nothing
  expect_doubts(frame("<block name='x' material='s' y='3' width='0.1' height='0.1'/>"
                      "<contact candidate='x' antagonist='x' law='d'/>"),
                0,
                "5: body 'x' floats: no <contact> joins it to another body and nothing holds it\n");
  expect_doubts(frame("<block name='x' material='s' y='3' width='0.1' height='0.1'/>"
                      "<prescribe on='x.top' x='0' y='0'/>"),
                0, "");
  expect_doubts(
      frame(
          "<wall name='w' material='s' y='3' courses='20' blocks='20' length='0.1' height='0.1' halves='none'/>"),
      0,
      "5: 390 bodies float: no <contact> joins them to others and nothing holds them (w.1, w.2, w.3, ...)\n");
  scratch_remove();
}

Test(foresee_doubts, gravity_of_others_lets_a_body_float_and_not_fall) {
  scratch_make();
  expect_doubts(
      frame("<block name='x' material='s' y='3' width='0.1' height='0.1'/><gravity of='b'/>"), 0,
      "5: body 'x' floats: no <contact> joins it to another body and nothing holds it\n");
  scratch_remove();
}

Test(foresee_doubts, a_record_that_drifts_is_told_until_it_has_a_baseline) {
  scratch_make();
  char record[8000] = "";
  size_t used = 0;
  for (int k = 0; k <= 100; k++)
    used += (size_t)snprintf(record + used, sizeof record - used, "%.4f,%.10g\n", 0.01 * k,
                             3 * sin(40 * 0.01 * k) + 0.1);
  write_text(in_scratch("record.csv"), record);
  static const char USE[] =
      "<function name='quake' kind='accelerogram' file='record.csv'%s/>"
      "<support name='quay' shape='box' x='-1' y='-3' width='3' height='1' move_x='quake'/>"
      "<contact candidate='b' antagonist='quay' law='d'/>";
  char filling[500];
  snprintf(filling, sizeof filling, USE, "");
  char *out = doubtful(frame(filling), 0);
  cr_expect(strncmp(out, "5: record 'quake' drifts: ", 26) == 0 &&
                strstr(out, "baseline=\"linear\""),
            "%s", out);
  free(out);
  snprintf(filling, sizeof filling, USE, " baseline='linear'");
  expect_doubts(frame(filling), 0, "");
  snprintf(filling, sizeof filling, USE, " baseline='quadratic' unit='g'");
  expect_doubts(frame(filling), 0, "");
  scratch_remove();
}

// A sheet, and a tool in line 6.
static const char SHEET[] =
    "<voussoir><model space='solid'/><material name='s' density='7800' young='2e11' poisson='0.3'/>\n"
    "<sheet name='blank' shape='rectangle' material='s' thickness='1e-3' width='0.1' size='2.5e-3' z='1'/>\n"
    "<law name='d' friction='0.1'/><hold on='blank.edge' as='fixed'/>\n"
    "<contact candidate='blank' antagonist='punch' law='d'/>\n"
    "<time end='1' step='1e-3' theta='1'/>\n"
    "<tool name='punch' shape=%s/></voussoir>\n";

static char *of_sheet(const char *shape, int all) {
  char text[4000];
  snprintf(text, sizeof text, SHEET, shape);
  return doubtful(text, all);
}

// Faces of other kinematics are held between their nodes, too.
Test(foresee_doubts, a_tool_that_goes_between_nodes_is_told) {
  scratch_make();
  static const char ball[] =
      "<block name='f' material='s' kinematics='%s' x='9' width='0.05' height='0.05' cells_x='1'/>"
      "<tool name='ball' shape='sphere' radius='%s' at_x='9.025' at_y='0.3'/>"
      "<contact candidate='f' antagonist='ball' law='d'/>";
  char filling[700];
  snprintf(filling, sizeof filling, ball, "finite", "0.01");
  expect_doubts(
      frame(filling), 0,
      "5: the rounding of tool 'ball', 0.01 m, sinks between nodes of f: with "
      "kinematics=\"finite\" they alone touch tools, and edges are 0.025 m long and more\n");
  snprintf(filling, sizeof filling, ball, "finite", "0.013");
  expect_doubts(frame(filling), 0, "");
  snprintf(filling, sizeof filling, ball, "small", "0.01");
  expect_doubts(frame(filling), 0, "");
  scratch_remove();
}

Test(foresee_doubts, a_sheet_in_millimetres_is_told_and_its_tools_are_not) {
  scratch_make();
  static const char text[] =
      "<voussoir><model space='solid'/><material name='s' density='7800' young='2e11' poisson='0.3'/>\n"
      "<sheet name='b' shape='rectangle' material='s' thickness='1e-3' width='%s' size='%s' z='1'/>\n"
      "<law name='d' friction='0.1'/><hold on='b.edge' as='fixed'/>\n"
      "<contact candidate='b' antagonist='punch' law='d'/>\n"
      "<time end='1' step='1e-3' theta='1'/>\n"
      "<tool name='punch' shape='sphere' radius='0.05' at_z='0.9'/></voussoir>\n";
  char filled[2000];
  snprintf(filled, sizeof filled, text, "200", "20");
  expect_doubts(filled, 0,
                "2: sheet 'b' is 200 m large and 0.001 m thick: lengths are in metres; is its file "
                "in millimetres? scale=\"1e-3\" says so\n");
  snprintf(filled, sizeof filled, text, "0.2", "0.02");
  expect_doubts(filled, 0, "");
  scratch_remove();
}

Test(foresee_doubts, every_material_that_softens_is_told) {
  scratch_make();
  static const char text[] =
      "<voussoir><model space='solid'/>"
      "<material name='s' law='j2' density='7800' young='2e11' poisson='0.3' yield='1e8' modulus='-1e6'/>\n"
      "<material name='t' law='j2' density='7800' young='2e11' poisson='0.3' yield='1e2'/>\n"
      "<box name='b' material='s' size='1 1 1' cells='1 1 1' kinematics='finite'/>"
      "<box name='c' material='t' size='1 1 1' cells='1 1 1' z='3' kinematics='finite'/>"
      "<hold on='b c' as='fixed'/><time end='1' step='1e-3' theta='1'/></voussoir>\n";
  expect_doubts(text, 0,
                "1: material 's': the yield stress falls with plastic strain: without a length the "
                "result depends on the mesh\n"
                "2: material 't': it yields below a millionth of Young's modulus: stresses are in "
                "Pa, and so is the modulus\n");
  scratch_remove();
}

Test(foresee_doubts, a_tool_in_other_units_is_told_with_its_ratio) {
  scratch_make();
  char *out = of_sheet("'sphere' radius='70' at_z='-71'", 0); // 70 mm, said in mm
  cr_expect(strncmp(out,
                    "6: tool 'punch' is 140 m large, 1.4e+03 times all bodies together (0.1 m)",
                    73) == 0,
            "%s", out);
  free(out);
  out = of_sheet("'sphere' radius='7e-5' at_z='-1'", 0);
  cr_expect(strstr(out, "6: tool 'punch' is 0.00014 m large, 0.0014 times"), "%s", out);
  free(out);
  static const char *const sound[] = {"'sphere' radius='0.07' at_z='-1'",
                                      "'plane' at_z='-1' axis_y='0' axis_z='1'",
                                      "'cylinder' radius='0.01' at_z='-1' axis_y='1' axis_z='0'",
                                      "'sphere' radius='1e-3' at_z='-1'"};
  for (size_t k = 0; k < sizeof sound / sizeof sound[0]; k++) {
    out = of_sheet(sound[k], 0);
    cr_expect_str_eq(out, "", "%s: %s", sound[k], out);
    free(out);
  }
  scratch_remove();
}

Test(foresee_doubts, a_tool_that_waits_for_a_force_is_told) {
  scratch_make();
  char *out = of_sheet("'plane' at_z='-1' axis_y='0' axis_z='1' free='yz' mass='1'/>"
                       "<force on='punch' y='1'/><velocity of='blank'",
                       0);
  cr_expect(strstr(out, "tool 'punch' is free along z and no <force> pushes it"), "%s", out);
  cr_expect_null(strstr(out, "along y"), "%s", out);
  free(out);
  scratch_remove();
}

// Edges of 2.5 mm want a quarter circle of at least 12.5 mm on the sheet's middle, half a
// millimetre off the tool.
Test(foresee_doubts, a_mesh_too_coarse_for_a_fillet_is_told) {
  static const struct {
    const char *shape;
    double quarter; // elements in a quarter circle
  } tools[] = {
      {"'profile' material='right' at_z='-1' corners='0 0 0 0.02 0 5e-3 0.02 -0.1 0' axis_y='0' axis_z='1'",
       5.5},
      {"'torus' radius='0.03' tube='4e-3' at_z='-1'", 4.5},
      {"'cylinder' radius='8e-3' at_z='-1' axis_y='1' axis_z='0'", 8.5},
      {"'sphere' radius='5e-3' at_z='-1'", 5.5},
      {"'rounded_prism' half_length='0.02' half_width='0.02' corner_radius='8e-3' edge_radius='3e-3' at_z='-1' axis_z='-1'",
       3.5},
      {"'plane' at_z='-1' axis_y='0' axis_z='1'", 0}};
  scratch_make();
  for (size_t k = 0; k < sizeof tools / sizeof tools[0]; k++) {
    char *out = of_sheet(tools[k].shape, 1), wanted[100];
    double quarter = tools[k].quarter * 1.57079632679 / 2.5;
    int coarse = quarter > 0 && quarter < EDGES_PER_QUARTER;
    snprintf(wanted, sizeof wanted, "are %.1f in a quarter circle", quarter);
    cr_expect_eq(strstr(out, "too coarse") != NULL, coarse, "%s: %s", tools[k].shape, out);
    if (coarse) cr_expect(strstr(out, wanted), "%s: %s, not %s", tools[k].shape, out, wanted);
    free(out);
  }
  // a mesh: its shoulder was made with 7 mm, its facets know that within a tenth
  char folder[2000], die[2100];
  cr_assert_not_null(getcwd(folder, sizeof folder));
  snprintf(die, sizeof die, "'mesh' mesh='%s/meshes/panel_die.msh'", folder);
  char *mesh = of_sheet(die, 1), *found = strstr(mesh, "in a quarter circle of ");
  cr_assert_not_null(found, "%s", mesh);
  cr_expect_float_eq(atof(found + 23), 7.5e-3, 0.7e-3, "%s", mesh);
  free(mesh);
  char *out = of_sheet("'sphere' radius='2e-3' at_z='-1' free='z' mass='1'", 1); // holds the sheet
  cr_expect_null(strstr(out, "coarse"), "%s", out);
  free(out);
  scratch_remove();
}

// A disk of 7 rings of 40/7 mm is too coarse for fillets of 5 mm, however small its elements are at
// the pole; one whose ring about the fillets is fine is not, however coarse it is elsewhere.
Test(foresee_doubts, elements_count_where_a_fillet_bends_them_and_across_it) {
  static const char text[] =
      "<voussoir><model space='solid'/><material name='m' law='sheet' density='7800' young='1e9' "
      "poisson='0.3' hardening='linear' yield='1e8' modulus='1e7'/>\n"
      "<sheet name='s' material='m' shape='disk' radius='0.04' %s pattern='%s' quarter='yes' "
      "thickness='1e-3'/>\n<tool name='p' shape='profile' axis_y='0' axis_z='1' material='left' "
      "corners='0 5e-4 0  0.02 5e-4 5e-3  0.02 0.05 0'/><law name='l' friction='0'/>"
      "<contact candidate='s' antagonist='p' law='l' points='nodes'/>"
      "<time end='1' step='1e-3' theta='1'/></voussoir>";
  static const char *const patterns[] = {"q4", "t3"};
  scratch_make();
  for (int k = 0; k < 2; k++) {
    char with[1200];
    snprintf(with, sizeof with, text, "size='6e-3'", patterns[k]);
    char *out = doubtful(with, 1), *found = strstr(out, "its fine elements, ");
    cr_assert_not_null(found, "%s: %s", patterns[k], out);
    cr_expect_float_eq(atof(found + 19), 40e-3 / 7, 0.8e-3, "%s: %s", patterns[k], out);
    free(out);
    snprintf(with, sizeof with, text, "size='1.2e-3' from='0.012'", patterns[k]);
    out = doubtful(with, 1);
    cr_expect_null(strstr(out, "coarse"), "%s: %s", patterns[k], out);
    free(out);
  }
  scratch_remove();
}

Test(foresee_doubts, sheets_held_in_displacement_alone_are_told) {
  static const char text[] =
      "<voussoir><model space='solid'/><material name='m' law='sheet' density='7800' young='1e9' "
      "poisson='0.3' hardening='linear' yield='1e8' modulus='1e7'/>\n"
      "<sheet name='s' material='m' shape='rectangle' width='0.02 0.01' size='0.005' pattern='q4' "
      "thickness='1e-3'/>\n<hold on='s' as='%s'/><time end='1' step='1e-3' theta='1'/></voussoir>";
  char with[1000];
  scratch_make();
  snprintf(with, sizeof with, text, "y");
  expect_doubts(with, 0,
                "2: all nodes of sheet 's' are held along y, which does not keep it from bending "
                "across: for plane strain hold it as=\"plane_y\"\n");
  snprintf(with, sizeof with, text, "plane_y");
  expect_doubts(with, 0, "");
  snprintf(with, sizeof with, text, "z"); // a plane membrane
  expect_doubts(with, 0, "");
  scratch_remove();
}

// A tetrahedron as an STL file, its first `n` facets; `size` is its edge along the axes.
static void write_tetrahedron(const char *path, int n, double size) {
  static const int facet[4][3] = {{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}};
  FILE *file = fopen(path, "w");
  cr_assert_not_null(file);
  fprintf(file, "solid\n");
  for (int f = 0; f < n; f++) {
    fprintf(file, "facet normal 0 0 0\nouter loop\n");
    for (int k = 0; k < 3; k++)
      fprintf(file, "vertex %g %g %g\n", facet[f][k] == 1 ? size : 0, facet[f][k] == 2 ? size : 0,
              facet[f][k] == 3 ? size : 0);
    fprintf(file, "endloop\nendfacet\n");
  }
  fprintf(file, "endsolid\n");
  fclose(file);
}

Test(foresee_doubts, what_is_doubtful_in_a_tool_from_stl_is_told) {
  static const struct {
    int n;
    double size;
    const char *said; // NULL: nothing
  } cases[] = {{4, 0.02, NULL},
               {3, 0.02, "open along 3 edges in 1 rim"},
               {4, 20, "is its file in millimetres? scale=\"1e-3\""}};
  scratch_make();
  for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
    char text[2000];
    write_tetrahedron(in_scratch("t.stl"), cases[k].n, cases[k].size);
    snprintf(text, sizeof text,
             "<voussoir><model space='solid'/><material name='m' law='sheet' density='7800' "
             "young='1e9' poisson='0.3' hardening='linear' yield='1e8' modulus='1e7'/>"
             "<sheet name='s' material='m' shape='rectangle' width='0.04' size='0.002' "
             "thickness='1e-3' z='-1'/>\n<tool name='t' shape='mesh' mesh='t.stl' velocity_z='1'/>"
             "<law name='l' friction='0'/><contact candidate='s' antagonist='t' law='l' "
             "points='nodes'/><time end='1' step='1e-3' theta='1'/></voussoir>");
    char *out = doubtful(text, 0);
    if (cases[k].said)
      cr_expect(strncmp(out, "2: ", 3) == 0 && strstr(out, cases[k].said), "%s", out);
    else
      cr_expect_str_eq(out, "", "%s", out);
    free(out);
  }
  scratch_remove();
}

// A sheet and a tetrahedron of triangles in an Abaqus file; `turned` is written the other way
// round, 4: all of them.
static const char MESHED[] =
    "<voussoir><model space='solid'/><material name='m' law='sheet' density='7800' young='1e9' "
    "poisson='0.3' hardening='linear' yield='1e8' modulus='1e7'/>"
    "<sheet name='s' material='m' shape='rectangle' width='0.04' size='0.002' thickness='1e-3' "
    "z='-1'/>\n<tool name='t' shape='mesh' mesh='t.inp' velocity_z='1'/>"
    "<law name='l' friction='0'/><contact candidate='s' antagonist='t' law='l' points='nodes'/>"
    "<time end='1' step='1e-3' theta='1'/></voussoir>";

static void write_deck(int n, int turned) {
  static const int facet[4][3] = {{1, 3, 2}, {1, 2, 4}, {1, 4, 3}, {2, 3, 4}};
  FILE *file = fopen(in_scratch("t.inp"), "w");
  cr_assert_not_null(file);
  fprintf(file, "*NODE\n1,0,0,0\n2,.02,0,0\n3,0,.02,0\n4,0,0,.02\n*ELEMENT, TYPE=R3D3\n");
  for (int f = 0; f < n; f++) {
    const int *c = facet[f], over = turned == f || turned == 4;
    fprintf(file, "%d,%d,%d,%d\n", f + 1, c[0], c[over ? 2 : 1], c[over ? 1 : 2]);
  }
  fclose(file);
}

Test(foresee_doubts, a_tool_from_a_deck_is_judged_as_one_from_stl) {
  static const struct {
    int n, turned;
    const char *said;
  } cases[] = {{4, -1, NULL}, {3, -1, "open along 3 edges in 1 rim"}, {4, 4, "looks inwards"}};
  scratch_make();
  for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
    write_deck(cases[k].n, cases[k].turned);
    char *out = doubtful(MESHED, 0);
    if (cases[k].said)
      cr_expect(strncmp(out, "2: ", 3) == 0 && strstr(out, cases[k].said), "%s", out);
    else
      cr_expect_str_eq(out, "", "%s", out);
    free(out);
  }
  Case input;
  Err err = {0};
  write_deck(4, 2); // shares its edges with the first, the second and the last
  write_text(in_scratch("input.xml"), MESHED);
  cr_assert_neq(case_load(&input, in_scratch("input.xml"), NULL, 0, &err), OK);
  cr_assert_eq(input.diag.n, 1);
  const char *said = input.diag.entries[0].text;
  cr_expect(strstr(said, "t.inp: facets ") && strstr(said, " and 3 of its surface") &&
                strstr(said, "run the same way"),
            "%s", said);
  case_free(&input);
  scratch_remove();
}
