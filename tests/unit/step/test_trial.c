#include "step/trial.h"

#include <criterion/criterion.h>
#include <string.h>

#include "../../support/run_case.h"

// What gets further into a tool in one step than bodies see ahead is refused, not what gets as far.
Test(trial, a_node_that_leaps_into_a_tool_unseen_is_refused) {
  for (int deep = 0; deep < 2; deep++) {
    CaseRun *run = run_case_open_text(
        xml_format("<voussoir><material name='m' law='neo_hooke' young='1e4' poisson='0.3' "
                   "density='1000'/><block name='b' material='m' width='0.4' height='0.4' "
                   "kinematics='finite'/><tool name='floor' shape='plane' at_y='-0.3'/>"
                   "<law name='dry' friction='0.3'/><contact candidate='b' antagonist='floor' "
                   "law='dry' points='nodes'/><time end='1' step='0.01' theta='1'/></voussoir>"),
        NULL);
    Err err = {0};
    const Model *model = &run->input.model;
    double alert = model->contact.alert, v1[64] = {0}, q1[64] = {0};
    run_case_steps(run, 1);
    cr_assert(alert < 0.3 && model->bodies.n_nodes < 32, "%g m", alert);
    q1[1] = -0.3 - (deep ? 1.01 : 0.99) * alert;
    StepTrial trial = {.model = model,
                       .state = &run->state,
                       .work = &run->work,
                       .contact = {.cm = &model->contact,
                                   .bs = &model->bodies,
                                   .state = &run->state.contact,
                                   .work = run->work.contact,
                                   .bodies = &run->state.bodies,
                                   .size = {.t = run->state.t, .h = 0.01, .theta = 1}},
                       .q1 = q1,
                       .v1 = v1};
    const MissedNode missed = contact_missed(&trial.contact, q1, v1);
    cr_assert_eq(trial_leaps(&trial, &missed, &err), deep ? ERR_NUMERIC : OK, "%s", err.text);
    if (deep) cr_assert(strstr(err.text, "node 1 of 'b' leaps"), "%s", err.text);
    run_case_close(run);
  }
}

// Two rigid plates close on a rigid sheet: what no impulse can keep apart is told once it is more
// than a thousandth of the distance that contact sees ahead (50 um), a node on either side bearing
// half of it.
Test(trial, plates_that_leave_a_sheet_no_room_are_named) {
  static const struct {
    double closing; // in the step [m]
    int is_told;
  } step[] = {{0.9e-7, 0}, {1.1e-7, 1}, {1e-6, 1}};
  for (size_t k = 0; k < sizeof step / sizeof step[0]; k++) {
    CaseRun *run = run_case_open_text(
        xml_format(
            "<voussoir><model space='solid'/><material name='m' law='sheet' density='2700' "
            "young='70e9' poisson='0.33' hardening='linear' yield='300e6' modulus='1e7'/>"
            "<sheet name='sheet' material='m' shape='rectangle' quarter='yes' "
            "width='2e-3 2e-3' size='0.5e-3 0.5e-3' pattern='q4' thickness='1e-3' layers='3'/>"
            "<tool name='table' shape='plane' axis_y='0' axis_z='1' at_z='-0.5e-3'/>"
            "<tool name='plate' shape='plane' axis_y='0' axis_z='-1' at_z='0.5e-3' "
            "move_z='-%g*t'/><law name='smooth' friction='0'/>"
            "<contact candidate='sheet' antagonist='table plate' law='smooth' points='nodes'/>"
            "<hold on='sheet' as='x'/><hold on='sheet' as='y'/>"
            "<time end='0.25' step='0.25' theta='1' step_min='0.25'/>"
            "<newton statics='yes' contact='primal'/></voussoir>",
            step[k].closing / 0.25),
        NULL);
    Err err = {0};
    cr_assert_float_eq(run->input.model.contact.alert, 5e-5, 1e-18);
    Status status = step_advance(&run->input.model, &run->state, &run->work, &run->log, &err);
    cr_assert_eq(status, step[k].is_told ? ERR_NUMERIC : OK, "%g m: %s", step[k].closing, err.text);
    if (step[k].is_told)
      cr_assert(strstr(err.text, "the tools 'table' and 'plate' leave"), "%s", err.text);
    run_case_close(run);
  }
}
