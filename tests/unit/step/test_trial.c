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
    cr_assert_eq(trial_leaps(&trial, &err), deep ? ERR_NUMERIC : OK, "%s", err.text);
    if (deep) cr_assert(strstr(err.text, "node 1 of 'b' leaps"), "%s", err.text);
    run_case_close(run);
  }
}
