// What an input says and can have no effect in it is told with its line; what it needs to have one
// keeps it quiet.
#define _XOPEN_SOURCE 700
#include <stdio.h>

#include "doubtful.h"

#define STONE "density='2000' young='1e8' poisson='0.2'"

// Parts of a sound model, each of which a row may give in its own words; all of a row stands in
// line 1.
typedef struct {
  const char *material, *law, *body, *support, *contact, *load, *time, *extra;
} Parts;

static const Parts plane = {.material = "<material name='m' " STONE "/>",
                            .law = "<law name='d' friction='0.5'/>",
                            .body = "<block name='b' material='m' width='0.4' height='0.4'/>",
                            .support = "<support name='s' shape='plane'/>",
                            .contact = "<contact candidate='b' antagonist='s' law='d'/>",
                            .load = "<gravity/>",
                            .time = "<time end='0.01' step='1e-3' theta='1'/>",
                            .extra = ""};
static const Parts sheet = {
    .material =
        "<model space='solid'/><material name='m' density='7800' young='2e11' poisson='0.3'/>",
    .law = "<law name='d' friction='0.1'/>",
    .body =
        "<sheet name='b' material='m' shape='rectangle' width='1' size='0.25' thickness='1e-3'/>",
    .support = "<tool name='s' shape='plane' at_z='-6e-4' axis_y='0' axis_z='1'/>",
    .contact = "<contact candidate='b' antagonist='s' law='d'/>",
    .load = "<gravity y='0' z='-9.8'/>",
    .time = "<time end='0.01' step='1e-3' theta='1'/>",
    .extra = ""};

static const char *or_else(const char *own, const char *other) {
  return own ? own : other;
}

// What is told of `own` in place of the parts of `base`; for the caller to free.
static char *told(const Parts *base, const Parts *own, int all) {
  char text[4000];
  snprintf(text, sizeof text, "<voussoir>%s%s%s%s%s%s%s%s</voussoir>",
           or_else(own->material, base->material), or_else(own->law, base->law),
           or_else(own->body, base->body), or_else(own->support, base->support),
           or_else(own->contact, base->contact), or_else(own->load, base->load),
           or_else(own->time, base->time), or_else(own->extra, base->extra));
  return doubtful(text, all);
}

// `idle` is told with a line that holds `message`, by run only where `grave`; `sound` is not told
// of.
typedef struct {
  const Parts *base;
  Parts idle, sound;
  const char *message;
  int grave;
} Row;

// Is `idle` told of as the row says?
static int is_told(const Row *row, int all) {
  const int due = all || row->grave;
  char *out = told(row->base, &row->idle, all);
  const int said = strncmp(out, "1: ", 3) == 0 && strstr(out, row->message) != NULL;
  cr_expect_eq(said, due, "'%s' is%s told%s, but\n%s", row->message, due ? "" : " not",
               all ? "" : " by run", out);
  free(out);
  return said == due;
}

static int is_quiet(const Row *row, int all) {
  char *out = told(row->base, &row->sound, all);
  const int quiet = out[0] == 0;
  cr_expect_str_empty(out, "instead of '%s'\n%s", row->message, out);
  free(out);
  return quiet;
}

// How many rows are told of and kept quiet as they should be.
static size_t right_rows(const Row *row, size_t n) {
  size_t right = 0;
  scratch_make();
  for (size_t k = 0; k < n; k++) {
    int as_due = 1;
    for (int all = 0; all < 2; all++) {
      as_due &= is_told(&row[k], all);
      as_due &= is_quiet(&row[k], all);
    }
    right += as_due != 0;
  }
  scratch_remove();
  return right;
}

#define FINITE  .body = "<block name='b' material='m' width='0.4' height='0.4' kinematics='finite'/>"
#define SMALL   .body = "<block name='b' material='m' width='0.4' height='0.4' kinematics='small'/>"
#define TOOL    .support = "<tool name='s' shape='plane'/>"
#define STATICS .extra = "<newton statics='yes'/>"
#define STAGES(A, B)                                                                               \
  .time = "<time step='1e-3' theta='1'/><stage name='one' duration='0.01' " A                      \
          "/><stage name='two' duration='0.01' " B "/>"
#define N_ROWS(ROWS) (sizeof ROWS / sizeof ROWS[0])

Test(foresee_idle, settings_of_methods_that_do_not_run) {
  static const Row rows[] = {
      {&plane,
       {.extra = "<newton matrix='kept'/>"},
       {FINITE, .extra = "<newton matrix='kept'/>"},
       "matrix=\"kept\" of this newton has no effect",
       0},
      {&plane,
       {TOOL, .extra = "<newton line_search='no'/>"},
       {FINITE, .extra = "<newton line_search='no'/>"},
       "line_search=\"no\"",
       0},
      {&plane,
       {.extra = "<newton contact='primal'/>"},
       {FINITE, .extra = "<newton contact='primal'/>"},
       "contact=\"primal\"",
       0},
      {&plane,
       {TOOL, .extra = "<newton contact='primal'/>"},
       {FINITE, .extra = "<newton contact='primal' matrix='kept'/>"},
       "contact=\"primal\" of this newton has no effect: it is for models without bodies of small strains",
       0},
      {&plane,
       {FINITE, .extra = "<newton contact='primal' matrix='explicit'/>"},
       {FINITE, .extra = "<newton contact='delassus' matrix='explicit'/>"},
       "contact=\"primal\"",
       0},
      {&plane,
       {TOOL, .extra = "<newton contact='diagonal'/>"},
       {FINITE, .extra = "<newton contact='diagonal'/>"},
       "contact=\"diagonal\"",
       0},
      {&plane,
       {.extra = "<newton geometry='updated'/>"},
       {FINITE, .extra = "<newton geometry='updated'/>"},
       "geometry=\"updated\"",
       0},
      {&plane,
       {.extra = "<newton tolerance='1e-9'/>"},
       {TOOL, .extra = "<newton tolerance='1e-6'/>"},
       "tolerance=\"1e-9\"",
       0},
      {&plane,
       {.extra = "<newton rest_work='1e-3'/>"},
       {.extra = "<newton rest_work='1e-3' statics='yes'/>"},
       "rest_work=\"1e-3\"",
       0},
      {&plane,
       {STAGES("statics='no'", "statics='no'"), STATICS},
       {STAGES("statics='no'", ""), STATICS},
       "statics=\"yes\" of this newton has no effect: every stage has its own",
       0},
      {&plane,
       {.time = "<time end='1' step='1e-3' growth='2'/>"},
       {.time = "<time end='1' step='1e-3' growth='2' step_min='1e-4'/>"},
       "growth=\"2\"",
       0},
      {&plane,
       {.time = "<time end='1' step='1e-3' step_min='1e-4' max_cuts='2'/>"},
       {.time = "<time end='1' step='1e-3' max_cuts='2'/>"},
       "max_cuts=\"2\"",
       0},
      {&plane,
       {STAGES("rest_energy='1e-3'", "")},
       {STAGES("rest_energy='1e-3' until='rest'", "")},
       "rest_energy=\"1e-3\"",
       0},
      {&plane,
       {STAGES("without_rest='continue'", "")},
       {STAGES("without_rest='continue' until='rest'", "")},
       "without_rest=\"continue\"",
       0},
      {&plane,
       {FINITE, STAGES("release='3'", "")},
       {FINITE, STAGES("", "release='3' remove='s'")},
       "release=\"3\"",
       0},
      {&plane,
       {STAGES("", "damping='3'")},
       {FINITE, STAGES("", "damping='3'")},
       "damping=\"3\"",
       1},
      {&plane,
       {FINITE, STAGES("", "statics='yes' damping='3'")},
       {FINITE, STAGES("damping='3'", "statics='yes'")},
       "damping=\"3\"",
       1},
      {&plane,
       {.extra = "<output layers='yes'/>"},
       {.extra = "<output layers='no'/>"},
       "layers=\"yes\"",
       0},
      {&sheet,
       {.extra = "<verdicts turn='0.1' necking='0.2'/>"},
       {.extra = "<verdicts necking='0.2'/>"},
       "turn=\"0.1\"",
       0},
      {&sheet,
       {.extra = "<verdicts reaction='0.1'/>"},
       {.extra = "<verdicts necking='0.1'/>"},
       "reaction=\"0.1\"",
       0},
      {&plane,
       {.extra = "<verdicts turn='0.1'/>"},
       {FINITE, .extra = "<verdicts turn='0.1'/>"},
       "turn=\"0.1\"",
       0},
      {&plane,
       {SMALL, .extra = "<verdicts turn='0.1' necking='0.2'/>"},
       {SMALL, .extra = "<verdicts turn='0.1'/>"},
       "necking=\"0.2\"",
       0},
      {&plane,
       {.extra = "<output every='0' format='ascii'/>"},
       {.extra = "<output every='1' format='ascii'/>"},
       "format=\"ascii\"",
       0}};
  cr_assert_eq(right_rows(rows, N_ROWS(rows)), N_ROWS(rows));
}

#define SWIFT                                                                                      \
  "<material name='m' law='j2' " STONE " hardening='swift' strength='5e8' offset='0.01' "
#define COOK "<material name='m' law='johnson_cook' density='2000' young='1e8' yield='1e6' "
#define HILL                                                                                       \
  "<model space='solid'/><material name='m' law='sheet' density='7800' young='2e11' poisson='0.3'" \
  " yield='2e8' "
#define ROLLED                                                                                     \
  .body = "<sheet name='b' material='m' shape='rectangle' width='1' size='0.25' "                  \
          "thickness='1e-3' rolling='1 0 0'/>"
#define VISCOUS                                                                                    \
  .material = "<material name='m' law='kelvin_voigt' " STONE " shear_viscosity='1e5'/>"

Test(foresee_idle, parameters_of_materials_that_something_else_rules_out) {
  static const Row rows[] = {
      {&plane, {VISCOUS}, {VISCOUS, FINITE}, "shear_viscosity=\"1e5\"", 1},
      {&plane,
       {.material = "<material name='m' " STONE " damping_mass='3'/>", STATICS},
       {.material = "<material name='m' " STONE " damping_mass='3'/>"},
       "damping_mass=\"3\"",
       0},
      {&plane,
       {FINITE, .material = SWIFT "exponent='0.2' yield='2e8'/>"},
       {FINITE, .material = SWIFT "exponent='0.2'/>"},
       "yield=\"2e8\"",
       0},
      {&plane,
       {FINITE, .material = SWIFT "exponent='0.2' saturation='2e8'/>"},
       {FINITE, .material = SWIFT "exponent='0.3'/>"},
       "saturation=\"2e8\"",
       0},
      {&plane,
       {FINITE, .material = COOK "reference_rate='2'/>"},
       {FINITE, .material = COOK "reference_rate='2' rate_factor='0.1'/>"},
       "reference_rate=\"2\"",
       0},
      {&plane,
       {FINITE, .material = COOK "softening='2'/>"},
       {FINITE, .material = COOK "softening='2' melting='900'/>"},
       "softening=\"2\"",
       0},
      {&plane,
       {FINITE, .material = COOK "heat_fraction='0.5'/>"},
       {FINITE, .material = COOK "heat_fraction='0.5' heat_capacity='400'/>"},
       "heat_fraction=\"0.5\"",
       0},
      {&sheet,
       {.material = HILL "r0='2'/>"},
       {.material = HILL "criterion='hill48' r0='2'/>", ROLLED},
       "r0=\"2\"",
       1},
      {&sheet,
       {.material = HILL "criterion='hill48' r0='2' s45='1.1'/>", ROLLED},
       {.material = HILL "criterion='hill48' r0='2' r45='1'/>", ROLLED},
       "s45=\"1.1\"",
       1},
      {&sheet, {.material = HILL "/>", ROLLED}, {.material = HILL "/>"}, "rolling=\"1 0 0\"", 0}};
  cr_assert_eq(right_rows(rows, N_ROWS(rows)), N_ROWS(rows));
}

#define WALL "<wall name='b' material='m' courses='3' blocks='4' length='0.4' height='0.2' "
#define OPENING(REST)                                                                              \
  WALL "><opening left='0.4' bottom='0.2' width='0.4' height='0.2' " REST "/></wall>"
#define ARCH  "<arch name='b' material='m' span='2' thickness='0.3' voussoirs='7' "
#define BLOCK "<block name='b' material='m' width='0.4' height='0.4' b_bar='yes' "

#define CURVE                                                                                       \
  "<model space='solid'/><material name='m' law='sheet' density='7800' young='2e11' poisson='0.3' " \
  "yield='2e8' "

Test(foresee_idle, parameters_of_other_curves) {
  static const Row rows[] = {
      {&sheet,
       {.material = CURVE "hardening='swift_voce' strength='5e8' offset='0.01' exponent='0.2' "
                          "saturation='4e8' rate='9' power='0.8'/>"},
       {.material = CURVE "hardening='swift_hockett_sherby' strength='5e8' offset='0.01' "
                          "exponent='0.2' saturation='4e8' rate='9' power='0.8' mix='0.3'/>"},
       "power=\"0.8\" of this material has no effect",
       0},
      {&sheet,
       {.material = CURVE "hardening='hockett_sherby' saturation='4e8' rate='9' mix='0.3'/>"},
       {.material = CURVE "hardening='swift_voce' strength='5e8' offset='0.01' exponent='0.2' "
                          "saturation='4e8' rate='9' mix='0.3'/>"},
       "mix=\"0.3\" of this material has no effect",
       0},
  };
  cr_assert_eq(right_rows(rows, N_ROWS(rows)), N_ROWS(rows));
}

Test(foresee_idle, shapes_and_meshes) {
  static const Row rows[] = {
      {&plane,
       {.body = WALL "header='0.1'/>"},
       {.body = WALL "bond='flemish' header='0.1'/>"},
       "header=\"0.1\"",
       0},
      {&plane,
       {.body = WALL "bond='stack' halves='even'/>"},
       {.body = WALL "halves='even'/>"},
       "halves=\"even\"",
       0},
      {&plane,
       {.body = OPENING("lintel_height='0.2'")},
       {.body = OPENING("lintel_bearing='0.2' lintel_height='0.2'")},
       "lintel_height=\"0.2\" of this opening",
       0},
      {&plane,
       {.body = ARCH "rise='0.5'/>"},
       {.body = ARCH "shape='segmental' rise='0.5'/>"},
       "rise=\"0.5\"",
       1},
      {&plane, {.body = BLOCK "/>"}, {.body = BLOCK "pattern='q4'/>"}, "b_bar=\"yes\"", 1},
      {&plane,
       {.body = BLOCK "pattern='q4' kinematics='rigid'/>"},
       {.body = BLOCK "pattern='q4'/>"},
       "it is rigid",
       1},
      {&plane,
       {.body = "<block name='b' material='m' width='0.4' height='0.4' kinematics='rigid' "
                "mass='consistent'/>"},
       {.body = "<block name='b' material='m' width='0.4' height='0.4' mass='consistent'/>"},
       "mass=\"consistent\"",
       1},
      {&sheet,
       {.body = "<sheet name='b' material='m' shape='rectangle' width='1' size='0.25' "
                "thickness='1e-3' pattern='q4' edge_unknown='no'/>"},
       {.body = "<sheet name='b' material='m' shape='rectangle' width='1' size='0.25' "
                "thickness='1e-3' edge_unknown='no'/>"},
       "edge_unknown=\"no\"",
       0},
      {&plane,
       {.support = "<tool name='s' shape='plane' mass='4'/>"},
       {.support = "<tool name='s' shape='plane' mass='4' free='x'/>"},
       "mass=\"4\"",
       0},
      {&plane,
       {.support = "<tool name='s' shape='cylinder' radius='1' at_y='-1.1' axis_x='1'/>"},
       {.support = "<tool name='s' shape='cylinder' radius='1' at_y='-1.1'/>"},
       "axis_x=\"1\"",
       0}};
  cr_assert_eq(right_rows(rows, N_ROWS(rows)), N_ROWS(rows));
}

#define DRY "<contact candidate='b' antagonist='s' law='d' "

Test(foresee_idle, contacts_loads_and_events) {
  static const Row rows[] = {
      {&plane,
       {.contact = DRY "/>" DRY "points='nodes'/>"},
       {.contact = DRY "/><contact candidate='b' antagonist='b' law='d' self='yes'/>"},
       "this contact has no effect: later ones",
       1},
      {&plane,
       {TOOL, .contact = DRY "points='gauss'/>"},
       {TOOL, .contact = DRY "points='nodes'/>"},
       "points=\"gauss\"",
       0},
      {&plane,
       {.contact = DRY "thickness='start'/>"},
       {.contact = DRY "thickness='current'/>"},
       "thickness=\"start\"",
       0},
      {&plane,
       {.extra = "<group name='g' bodies='b'/>"},
       {.extra = "<group name='g' bodies='b'/><velocity of='g' x='1'/>"},
       "this group has no effect",
       0},
      {&plane,
       {.extra = "<force on='b.top'/>"},
       {.extra = "<force on='b.top' x='t'/>"},
       "this force has no effect: it is zero",
       0},
      {&plane,
       {.load = "<gravity y='0'/>"},
       {.load = "<gravity y='0*t'/>"},
       "this gravity has no effect",
       0},
      {&plane,
       {.extra = "<velocity of='b'/>"},
       {.extra = "<velocity of='b' spin='1'/>"},
       "this velocity has no effect: it is zero",
       0},
      {&plane,
       {.extra = "<velocity of='b' x='1'/><newton statics='yes'/>"},
       {.extra = "<velocity of='b' x='1'/>"},
       "this velocity has no effect: the first stage",
       1},
      {&plane,
       {STAGES("from_rest='yes'", ""), .extra = "<velocity of='b' x='1'/>"},
       {STAGES("", "from_rest='yes'"), .extra = "<velocity of='b' x='1'/>"},
       "this velocity has no effect",
       1},
      {&plane,
       {SMALL, .extra = "<prescribe on='b' x='0' y='0'/><velocity of='b' x='1'/>"},
       {SMALL, .extra = "<prescribe on='b.bottom' x='0' y='0'/><velocity of='b' x='1'/>"},
       "this velocity has no effect: all nodes",
       1},
      {&plane,
       {.extra = "<solver type='newton_ac' relaxation='0.5'/>"},
       {.extra = "<solver type='nsgs' relaxation='0.5'/>"},
       "relaxation=\"0.5\"",
       0},
      {&plane,
       {FINITE, .extra = "<newton matrix='explicit' max_iterations='5'/>"},
       {FINITE, .extra = "<newton matrix='kept' max_iterations='5'/>"},
       "max_iterations=\"5\"",
       0},
      {&plane,
       {.extra = "<rest time='7'/>"},
       {.extra = "<rest time='0.01'/>"},
       "this rest has no effect",
       1},
      {&plane,
       {.extra = "<rest time='0'/>"},
       {STAGES("", ""), .extra = "<rest time='0.015'/>"},
       "this rest has no effect",
       1},
      {&plane,
       {.extra = "<rest time='0.005' count='4'/>"},
       {.extra = "<probe name='p' quantity='displacement' of='b'/><rest probe='p_y' count='4'/>"},
       "count=\"4\"",
       1}};
  cr_assert_eq(right_rows(rows, N_ROWS(rows)), N_ROWS(rows));
}

#define HELD "<hold on='b.edge' as='fixed'/>"

Test(foresee_idle, what_is_said_of_sheets_for_nothing) {
  static const Row rows[] = {
      {&sheet,
       {STAGES("", "release='5'")},
       {STAGES("", "release='5' remove='s'")},
       "release=\"5\" of this stage has no effect: the stage removes no tool and ends no hold",
       1},
      {&sheet,
       {STAGES("", "release='5'"), .extra = HELD},
       {STAGES("", "release='5'"), .extra = "<hold on='b.edge' as='fixed' stage='one'/>"},
       "release=\"5\" of this stage has no effect",
       1},
      {&sheet,
       {.extra = HELD "<forming_limit of='b' keeler='0.2' strain='engineering'/>"},
       {.extra = HELD "<forming_limit of='b' points='0 0.3' strain='engineering'/>"},
       "strain=\"engineering\" of this forming_limit has no effect",
       1},
      {&sheet,
       {.extra = HELD "<forming_limit of='b' keeler='0.22'/>"},
       {.extra = HELD "<forming_limit of='b' keeler='0.21'/>"},
       "the forming limit of 'b', 1 mm thick with n = 0.22, is that of the bounds",
       1},
      {&sheet,
       {.extra = HELD "<line name='l' of='b' from='0.1 0.5 0.2' to='0.9 0.5 0.2'/>"},
       {.extra = HELD "<line name='l' of='b' from='0.1 0.5 0.05' to='0.9 0.5 0.05'/>"},
       "line 'l' lies 0.2 m off sheet 'b' at the start",
       1}};
  cr_assert_eq(right_rows(rows, N_ROWS(rows)), N_ROWS(rows));
}

// Probes look for the node nearest to a point; the arch of inputs/ asked for the crown 0.9 m above
// it.
Test(foresee_idle, a_probe_far_from_its_body_is_told_with_the_distance) {
  static const Row rows[] = {
      {&plane,
       {.extra = "<probe name='p' quantity='displacement' of='b.top' near='0.2 1.4'/>"},
       {.extra = "<probe name='p' quantity='displacement' of='b.top' near='0.25 0.45'/>"},
       "near: the nearest node is 1 m away, farther than any element is long (0.283 m)",
       1}};
  cr_assert_eq(right_rows(rows, N_ROWS(rows)), N_ROWS(rows));
}

static const Parts solid = {
    .material = "<model space='solid'/><material name='m' " STONE "/>",
    .law = "<law name='d' friction='0.5'/>",
    .body = "<box name='b' material='m' size='1 1 1' cells='1 1 1' kinematics='rigid'/>",
    .support = "<support name='s' shape='plane'/>",
    .contact = "<contact candidate='b' antagonist='s' law='d'/>",
    .load = "<gravity y='0' z='-9.8'/>",
    .time = "<time end='0.01' step='1e-3' theta='1'/>",
    .extra = ""};

Test(foresee_idle, tells_what_stones_in_space_say_for_nothing) {
#define CORNERS "<contact candidate='b' antagonist='s' law='d' points='corners'/>"
  static const Row rows[] = {
      {&solid,
       {.contact = CORNERS,
        .body = "<sheet name='b' material='m' shape='rectangle' width='1 1' size='0.5'"
                " thickness='0.01' pattern='q4' z='0.005'/>"},
       {.contact = CORNERS},
       "are touched by nodes",
       0},
      {&solid,
       {.law = "<law name='d' friction='0.5' direction_of='candidate'/>"},
       {.law = "<law name='d' friction='0.5' friction_2='0.3' direction='1 0 0'"
               " direction_of='candidate'/>"},
       "friction is the same all round",
       0}};
  cr_assert_eq(right_rows(rows, N_ROWS(rows)), N_ROWS(rows));
}
