#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "../../support/run_case.h"
#include "step/substep.h"

// A rubber block on a held foot is pressed by a plate, which then goes away. %s: attributes of the
// stage `release`, then of the plate.
static const char PRESSED[] =
    "<voussoir><material name='rubber' law='neo_hooke' density='1000' young='1e6' poisson='0.3'/>"
    "<block name='block' material='rubber' width='0.1' height='0.1' cells_x='3' cells_y='3' "
    "pattern='q4' kinematics='finite'/>"
    "<tool name='plate' shape='plane' axis_y='-1' %s/>"
    "<law name='f' friction='0.2'/>"
    "<contact candidate='block' antagonist='plate' law='f' points='nodes'/>"
    "<hold on='block.bottom' as='fixed'/>"
    "<time step='0.01' theta='1'/>"
    "<stage name='press' duration='0.1'/>"
    "<stage name='release' %s/>"
    "<solver tolerance='1e-9'/>"
    "<probe name='top' quantity='displacement' of='block.top' component='y'/>"
    "<probe name='plate' quantity='reaction' of='plate' component='y'/>"
    "<probe name='e' quantity='energy'/></voussoir>";
static const char MOVED[] = "at_y='0.1' move_y='-0.1*t'";
static const char TO_REST[] =
    "remove='plate' release='0' until='rest' duration='100' step='1e-3' step_max='1' rest_energy='1e-10'";

static CaseRun *pressed(const char *plate, const char *release) {
  return run_case_open_text(xml_format(PRESSED, plate, release), NULL);
}

Test(stage, without_its_tool_a_block_springs_back_to_rest_in_a_few_steps) {
  CaseRun *run = pressed(MOVED, TO_REST);
  run_case_to_end(run);
  int64_t last = run->n_rows - 1;
  cr_assert_float_eq(run_case_at(run, 9, "top"), -0.01, 1e-9);
  cr_assert_lt(run_case_at(run, 9, "plate"), -1000);
  cr_assert_eq(run_case_at(run, 9, "stage"), 1);
  cr_assert_eq(run_case_at(run, 10, "stage"), 2);
  cr_assert_leq(last, 40, "%lld steps", (long long)last);
  cr_assert_float_eq(run_case_at(run, last, "top"), 0, 1e-6, "%g", run_case_at(run, last, "top"));
  for (int64_t k = 10; k <= last; k++) cr_assert_eq(run_case_at(run, k, "plate"), 0);
  cr_assert_leq(stage_unrest(&run->state), 1e-10);
  // Each step counts: time is that of the sum of all, growing from one to the next.
  double h = run_case_at(run, 10, "time") - run_case_at(run, 9, "time");
  cr_assert_float_eq(h, 1e-3, 1e-12);
  cr_assert_gt(run_case_at(run, last, "time") - run_case_at(run, last - 1, "time"), 5e-3);
  run_case_close(run);
}

// A force on a plate that has gone does not keep a stage from resting.
Test(stage, rests_while_loads_change_on_what_is_no_longer_there) {
  CaseRun *run = run_case_open_text(
      "<voussoir><material name='rubber' law='neo_hooke' density='1000' young='1e6' poisson='0.3'/>"
      "<block name='block' material='rubber' width='0.1' height='0.1' cells_x='3' cells_y='3' "
      "pattern='q4' kinematics='finite'/>"
      "<tool name='plate' shape='plane' axis_y='-1' at_y='0.1' free='y'/>"
      "<force on='plate' y='-5e4*min(1,t/0.1)-1e3*t'/><law name='f' friction='0.2'/>"
      "<contact candidate='block' antagonist='plate' law='f' points='nodes'/>"
      "<hold on='block.bottom' as='fixed'/><time step='0.01' theta='1'/>"
      "<stage name='press' duration='0.1'/>"
      "<stage name='release' remove='plate' release='0' until='rest' duration='100' step='1e-3' "
      "step_max='1'/></voussoir>",
      NULL);
  run_case_to_end(run);
  cr_assert_lt(run->state.t, 10, "%g s", run->state.t);
  cr_assert_eq(run->state.count[STAT_NOT_AT_REST], 0);
  run_case_close(run);
}

// What is prescribed moves on after a pause: there is no rest in it.
Test(stage, waits_for_what_is_still_to_be_prescribed) {
  CaseRun *run = run_case_open_text(
      "<voussoir><material name='rubber' law='neo_hooke' density='1000' young='1e6' poisson='0.3'/>"
      "<block name='block' material='rubber' width='0.1' height='0.1' cells_x='2' cells_y='2' "
      "pattern='q4' kinematics='finite'/><hold on='block.left' as='fixed'/>"
      "<prescribe on='block.right' x='1e-3*max(0,min(1,(t-1)/0.05))'/><time step='0.05' theta='1'/>"
      "<stage name='pull' until='rest' duration='20'/><newton tolerance='1e-8'/>"
      "<probe name='right' quantity='displacement' of='block.right' component='x'/></voussoir>",
      NULL);
  run_case_to_end(run);
  cr_assert_float_eq(run_case_last(run, "right"), 1e-3, 1e-9, "%g", run_case_last(run, "right"));
  cr_assert_lt(run->state.t, 4, "%g s", run->state.t);
  run_case_close(run);
}

Test(stage, without_removal_the_tool_stays_where_it_was_brought) {
  CaseRun *run = pressed("at_y='0.1' move_y='-0.1*min(t, 0.1)'", "duration='0.1' step='0.02'");
  run_case_to_end(run);
  cr_assert_eq(run->n_rows, 15);
  cr_assert_float_eq(run->state.t, 0.2, 1e-12);
  cr_assert_float_eq(run_case_last(run, "top"), -0.01, 1e-9);
  run_case_close(run);
}

Test(stage, that_must_end_at_rest_and_does_not_fails_or_is_counted) {
  static const char *const text[] = {
      "remove='plate' until='rest' duration='3e-3' step='1e-3'",
      "remove='plate' until='rest' duration='3e-3' step='1e-3' without_rest='continue'"};
  for (int k = 0; k < 2; k++) {
    CaseRun *run = pressed(MOVED, text[k]);
    Err err = {0};
    run_case_to_end(run);
    cr_assert_eq(run->n_rows, 13);
    cr_assert_eq(run->state.count[STAT_NOT_AT_REST], 1);
    Status status = stage_judge(&run->input.model, &run->state, &err);
    cr_assert_eq(status, k == 0 ? ERR_NUMERIC : OK);
    cr_assert(k == 1 || (strstr(err.text, "stage 'release' declared at") &&
                         strstr(err.text, "is not at rest after its 0.003 s")),
              "%s", err.text);
    run_case_close(run);
  }
}

// A run goes on, in another process as it were, from its state after `done` steps; closes both.
static uint64_t resumed(CaseRun *run, CaseRun *other, int64_t done) {
  Arena arena = {0};
  StateCopy copy;
  Err err = {0};
  run_case_steps(run, done);
  cr_assert_eq(state_copy(&copy, &run->state, &run->input.model, &arena, &err), OK);
  cr_assert_eq(state_take_back(&copy, &other->state, &other->input.model, &err), OK);
  step_work_free(&other->work);
  cr_assert_eq(step_work_init(&other->work, &other->input.model, &other->state, &err), OK);
  run_case_to_end(other);
  uint64_t hash = state_hash(&other->state, &other->input.model);
  arena_free(&arena);
  run_case_close(run);
  run_case_close(other);
  return hash;
}

Test(stage, resumed_before_at_and_behind_a_boundary_gives_the_same_bits) {
  CaseRun *run = pressed(MOVED, TO_REST);
  run_case_to_end(run);
  uint64_t hash = state_hash(&run->state, &run->input.model);
  static const int64_t done[] = {4, 10, 11, 17};
  for (int k = 0; k < 4; k++)
    cr_assert_eq(resumed(pressed(MOVED, TO_REST), pressed(MOVED, TO_REST), done[k]), hash,
                 "after %lld steps", (long long)done[k]);
  run_case_close(run);
}

Test(stage, takes_the_kinetic_energy_of_a_tool_that_goes_and_of_what_is_set_to_rest) {
  static const char *const release[] = {"remove='plate' duration='0.01'",
                                        "from_rest='yes' duration='0.01'"};
  for (int k = 0; k < 2; k++) {
    CaseRun *run = pressed("free='y' mass='2' at_y='0.2'", release[k]);
    const BodySet *bs = &run->input.model.bodies;
    int node = bs->node_ptr[run_case_body(run, "plate")];
    run->state.bodies.v[2 * node + 1] = -0.5;
    run->state.energy[ENERGY_INITIAL] = 0.25;
    run_case_steps(run, 10);
    cr_assert_float_eq(run->state.energy[ENERGY_KINETIC], 0.25, 1e-12); // it has not arrived yet
    run_case_step(run, 1);
    cr_assert_float_eq(run->state.energy[ENERGY_REMOVED], 0.25, 1e-12, "%d: %g", k,
                       run->state.energy[ENERGY_REMOVED]);
    cr_assert_float_eq(run->state.energy[ENERGY_KINETIC], 0, 1e-12);
    cr_assert_leq(energy_balance(run->state.energy), 1e-6, "%g", energy_balance(run->state.energy));
    run_case_close(run);
  }
}

// A cube is stretched by its right side, which is then let go while another side is held.
Test(stage, prescribes_and_holds_what_it_names_only) {
  CaseRun *run = run_case_open_text(
      "<voussoir><material name='rubber' law='neo_hooke' density='1000' young='1e6' "
      "poisson='0.3'/><block name='block' material='rubber' width='0.1' height='0.1' cells_x='2' "
      "cells_y='2' pattern='q4' kinematics='finite'/>"
      "<hold on='block.left' as='x' stage='pull hang'/><hold on='block.left' as='y' stage='pull'/>"
      "<prescribe on='block.right' x='0.2*t' stage='pull'/>"
      "<hold on='block.bottom' as='y' stage='hang' near='0.1 0'/>"
      "<time step='0.01' theta='1'/><stage name='pull' duration='0.1'/>"
      "<stage name='hang' until='rest' duration='1' step='1e-3' step_max='0.1'/>"
      "<newton tolerance='1e-8'/>"
      "<probe name='right' quantity='displacement' of='block.right'/>"
      "<probe name='left' quantity='displacement' of='block.left'/>"
      "<probe name='bottom' quantity='displacement' of='block.bottom' near='0.1 0' component='y'/>"
      "<probe name='top' quantity='displacement' of='block.top' component='y'/>"
      "<probe name='pull' quantity='hold' of='block.right' component='x'/></voussoir>",
      NULL);
  run_case_to_end(run);
  cr_assert_float_eq(run_case_at(run, 9, "right_x"), 0.02, 1e-9);
  cr_assert_gt(run_case_at(run, 9, "pull"), 1e3);
  cr_assert_eq(run_case_last(run, "pull"), 0);
  cr_assert_float_eq(run_case_last(run, "right_x"), 0, 1e-5);
  // held where the pull had brought it, and all the rest with it
  double held = run_case_at(run, 9, "bottom");
  cr_assert_gt(held, 1e-3);
  cr_assert_float_eq(run_case_last(run, "bottom"), held, 1e-12);
  cr_assert_float_eq(run_case_last(run, "top"), held, 1e-5);
  cr_assert_eq(run_case_last(run, "left_x"), 0);
  run_case_close(run);
}

// A tool that goes is not the one that stays: this one comes down through both stages.
Test(stage, tools_that_stay_go_on_whatever_was_declared_before_them) {
  CaseRun *run = run_case_open_text(
      "<voussoir><material name='rubber' law='neo_hooke' density='1000' young='1e6' poisson='0.3'/>"
      "<block name='block' material='rubber' width='0.1' height='0.1' cells_x='3' cells_y='3' "
      "pattern='q4' kinematics='finite'/>"
      "<tool name='other' shape='plane' at_y='-0.2' move_x='t'/>"
      "<tool name='plate' shape='plane' axis_y='-1' at_y='0.1' move_y='-0.1*t'/>"
      "<law name='f' friction='0.2'/>"
      "<contact candidate='block' antagonist='other plate' law='f' points='nodes'/>"
      "<hold on='block.bottom' as='fixed'/><time step='0.01' theta='1'/>"
      "<stage name='press' duration='0.05'/><stage name='more' remove='other' duration='0.05'/>"
      "<solver tolerance='1e-9'/><probe name='top' quantity='displacement' of='block.top' "
      "component='y'/></voussoir>",
      NULL);
  run_case_to_end(run);
  cr_assert_float_eq(run_case_at(run, 4, "top"), -0.005, 1e-9);
  cr_assert_float_eq(run_case_last(run, "top"), -0.01, 1e-9);
  run_case_close(run);
}

// A sheet pressed on a plane and pushed along it, trimmed by a cylinder, then by a ball.
static const char TRIMMED[] =
    "<voussoir><model space='solid'/><material name='s' density='7800' young='2e11' poisson='0.3'/>"
    "<sheet name='blank' material='s' shape='disk' radius='0.1' size='0.03' thickness='1e-3' "
    "pattern='t3'/><tool name='base' shape='plane' axis_y='0' axis_z='1' at_z='-0.5e-3'/>"
    "<law name='f' friction='0.1'/>"
    "<contact candidate='blank' antagonist='base' law='f' points='nodes'/>"
    "<force on='blank' x='3' z='-100'/>"
    "<time step='1e-4' theta='1'/><stage name='a' duration='2e-4'/><stage name='b' duration='2e-4'/>"
    "<stage name='c' duration='2e-4'/><trim of='blank' stage='b' cut='outside' shape='cylinder' "
    "radius='%s'/><trim of='blank' stage='c' cut='inside' where='start' shape='sphere' "
    "radius='0.03'/><probe name='base' quantity='reaction' of='base' component='z'/></voussoir>";

static double living_mass(const CaseRun *run, int *n) {
  const Form *form = &step_model(&run->work)->bodies.finite[0].form;
  double mass = 0;
  *n = 0;
  for (int k = 0; k < form->n_nodes; k++) {
    mass += form->mass[k];
    *n += form->mass[k] > 0;
  }
  return mass;
}

// Of the elements whose middle at the start lies between two radii about (middle, 0).
static double mass_about(const CaseRun *run, double middle, double inner, double outer) {
  const Mesh *mesh = run->input.model.bodies.mesh[0];
  double mass = 0;
  for (int e = 0; e < mesh->n_elems; e++) {
    double x = 0, y = 0;
    for (int k = mesh->elem_ptr[e]; k < mesh->elem_ptr[e + 1]; k++) {
      x += mesh->x[3 * mesh->elem_node[k]] / 3;
      y += mesh->x[3 * mesh->elem_node[k] + 1] / 3;
    }
    double r = hypot(x - middle, y);
    if (r > inner && r < outer) mass += 7800 * 1e-3 * mesh_elem_measure(mesh, e);
  }
  return mass;
}

Test(stage, cuts_off_mass_contact_and_motion_of_what_a_trim_names) {
  CaseRun *run = run_case_open_text(xml_format(TRIMMED, "0.07"), NULL);
  const int n_nodes = run->input.model.bodies.finite[0].form.n_nodes;
  int n;
  run_case_steps(run, 2);
  double held = run->state.energy[ENERGY_KINETIC] + run->state.energy[ENERGY_ELASTIC];
  cr_assert_eq(run->work.report.n_contacts, n_nodes);
  run_case_steps(run, 1);
  double mass = living_mass(run, &n), expected = mass_about(run, 0, 0, 0.07);
  cr_assert_float_eq(mass, expected, 1e-12, "%g, expected %g", mass, expected);
  cr_assert(n < n_nodes && run->work.report.n_contacts == n);
  cr_assert(run->state.energy[ENERGY_REMOVED] > 0 && run->state.energy[ENERGY_REMOVED] < held);
  run_case_to_end(run);
  mass = living_mass(run, &n);
  expected = mass_about(run, 0, 0.03, 0.07);
  cr_assert_float_eq(mass, expected, 1e-12, "%g, expected %g", mass, expected);
  cr_assert_eq(run->work.report.n_contacts, n);
  for (int node = 0; node < n_nodes; node++)
    for (int i = 0; i < 3; i++)
      cr_assert(step_model(&run->work)->bodies.finite[0].form.mass[node] > 0 ||
                run->state.bodies.v[3 * node + i] == 0);
  run_case_close(run);
}

// A disk that has flown by 40 mm, nothing pulls at it: a ball of 30 mm about the origin takes what
// lies there now, or with where='start' what lay there at first, which is the disk's own middle.
Test(stage, trims_see_a_sheet_where_it_is_or_where_it_was_as_they_say) {
  for (int start = 0; start < 2; start++) {
    CaseRun *run = run_case_open_text(
        xml_format("<voussoir><model space='solid'/>"
                   "<material name='s' density='7800' young='2e11' poisson='0.3'/>"
                   "<sheet name='blank' material='s' shape='disk' radius='0.1' size='0.02' "
                   "thickness='1e-3' pattern='t3'/><velocity of='blank' x='4'/>"
                   "<time step='5e-3' theta='1'/><stage name='fly' duration='0.01'/>"
                   "<stage name='cut' duration='5e-3'/><trim of='blank' stage='cut' cut='inside' "
                   "%s shape='sphere' radius='0.03'/></voussoir>",
                   start ? "where='start'" : ""),
        NULL);
    run_case_steps(run, 2);
    cr_assert_float_eq(run->state.bodies.q[0], 0.04, 1e-12);
    run_case_steps(run, 1);
    int n;
    double mass = living_mass(run, &n);
    double expected = mass_about(run, start ? 0 : -0.04, 0.03, 1);
    cr_assert_float_eq(mass, expected, 1e-12, "%d: %g kg, expected %g", start, mass, expected);
    run_case_close(run);
  }
}

Test(stage, that_would_cut_off_all_or_nothing_fails_before_it_begins) {
  static const char *const radius[] = {"1", "1e-4"}, *const says[] = {"nothing", "all"};
  for (int k = 0; k < 2; k++) {
    CaseRun *run = run_case_open_text(xml_format(TRIMMED, radius[k]), NULL);
    Err err = {0};
    run_case_steps(run, 2);
    uint64_t hash = state_hash(&run->state, &run->input.model);
    cr_assert_eq(step_advance(&run->input.model, &run->state, &run->work, &run->log, &err),
                 ERR_NUMERIC);
    cr_assert(strstr(err.text, xml_format("cuts off %s of 'blank'", says[k])), "%s", err.text);
    cr_assert_eq(state_hash(&run->state, &run->input.model), hash);
    run_case_close(run);
  }
}

Test(stage, resumed_behind_a_trim_gives_the_same_bits) {
  static const int64_t done[] = {2, 3, 5};
  const char *text = xml_format(TRIMMED, "0.07");
  CaseRun *run = run_case_open_text(text, NULL);
  run_case_to_end(run);
  uint64_t hash = state_hash(&run->state, &run->input.model);
  for (int k = 0; k < 3; k++) {
    CaseRun *first = run_case_open_text(text, NULL), *other = run_case_open_text(text, NULL);
    cr_assert_eq(resumed(first, other, done[k]), hash, "after %lld steps", (long long)done[k]);
  }
  run_case_close(run);
}
