#define _XOPEN_SOURCE 700
#include "../file/scratch.h"

#include <math.h>

#include "../../support/run_case.h"
#include "app/dump.h"
#include "solver/problem_fclib.h"

static Dump parsed(const char *when) {
  Dump dump;
  Err err = {0};
  cr_assert_eq(dump_parse(&dump, when, &err), OK, "%s: %s", when ? when : "NULL", err.text);
  return dump;
}

Test(dump, when_is_missed_hard_or_step_numbers) {
  cr_assert_not(parsed(NULL).active);
  Dump dump = parsed("missed");
  cr_assert(dump.active && dump.missed && dump.n_hard == 0 && dump.n_steps == 0);
  dump = parsed("hard");
  cr_assert(dump.active && !dump.missed && dump.n_hard == 5 && dump.n_steps == 0);
  cr_assert_eq(parsed("hard:1").n_hard, 1);
  cr_assert_eq(parsed("hard:64").n_hard, DUMP_MAX);
  dump = parsed("7");
  cr_assert(dump.n_steps == 1 && dump.step[0] == 7 && dump.n_hard == 0);
  dump = parsed("3,1,1000000000000");
  cr_assert_eq(dump.n_steps, 3);
  cr_assert(dump.step[0] == 3 && dump.step[1] == 1 && dump.step[2] == 1000000000000);
}

Test(dump, anything_else_is_refused_with_what_is_allowed) {
  static const char *const wrong[] = {
      "",    "mist",   "hard:", "hard:0",   "hard:-1", "hard:65", "hard:5x", "hard:99999999999",
      "0",   "-3",     "1,",    ",1",       "1,,2",    "1;2",     "1.5",     "missed,1",
      "1 2", "hardly", "1x",    "hard:2,3", " hard"};
  for (size_t k = 0; k < sizeof wrong / sizeof wrong[0]; k++) {
    Dump dump;
    Err err = {0};
    cr_expect_eq(dump_parse(&dump, wrong[k], &err), ERR_INPUT, "'%s' is taken", wrong[k]);
    cr_expect(strstr(err.text, "--dump-problems"), "'%s': %s", wrong[k], err.text);
  }
}

Test(dump, takes_as_many_steps_as_it_says_and_no_more) {
  char text[4 * DUMP_MAX + 8] = "1";
  for (int k = 1; k < DUMP_MAX; k++) strcat(text, ",2");
  cr_assert_eq(parsed(text).n_steps, DUMP_MAX);
  Dump dump;
  Err err = {0};
  strcat(text, ",3");
  cr_assert_eq(dump_parse(&dump, text, &err), ERR_INPUT);
}

static int n_problems(void) {
  FolderList list;
  Err err = {0};
  cr_assert_eq(folder_list(&list, scratch, "problem_*.hdf5", &err), OK);
  int n = list.n;
  folder_list_free(&list);
  return n;
}

static void dump_now(Dump *dump, CaseRun *run) {
  Err err = {0};
  cr_assert_eq(dump_step(dump, &run->state, &run->work, scratch, &run->log, &err), OK, "%s",
               err.text);
}

Test(dump, writes_the_problem_of_a_step_with_its_solution) {
  scratch_make();
  CaseRun *run =
      run_case_open("inputs/masonry_wall.xml", "courses=2 blocks=2 output_every=0 solver=nsgs");
  Dump dump = parsed("2,4");
  int n = 0;
  for (int k = 0; k < 5; k++) {
    run_case_step(run, 0);
    dump_now(&dump, run);
    if (run->state.step == 4) n = run->work.problem.n;
  }
  cr_assert_eq(n_problems(), 2);
  cr_assert(file_exists(in_scratch("problem_000002.hdf5")));
  FclibProblem problem;
  Err err = {0};
  cr_assert_eq(fclib_read(&problem, in_scratch("problem_000004.hdf5"), &err), OK, "%s", err.text);
  cr_assert_eq(problem.n, n);
  fclib_free(&problem);
  run_case_close(run);
  scratch_remove();
}

Test(dump, keeps_the_hardest_steps_only) {
  scratch_make();
  CaseRun *run =
      run_case_open("inputs/masonry_wall.xml", "courses=3 blocks=3 output_every=0 solver=nsgs");
  Dump dump = parsed("hard:3");
  int iterations[40];
  for (int k = 0; k < 40; k++) {
    run_case_step(run, 0);
    dump_now(&dump, run);
    iterations[k] = run->work.report.solver.iterations;
  }
  cr_assert_eq(n_problems(), 3);
  // No step that was not kept needed more iterations than one that was.
  for (int kept = 0; kept < 3; kept++) {
    char name[64];
    snprintf(name, sizeof name, "problem_%06lld.hdf5", (long long)dump.kept[kept]);
    cr_assert(file_exists(in_scratch(name)), "%s", name);
    cr_assert_eq(dump.iterations[kept], iterations[dump.kept[kept] - 1]);
    for (int k = 0; k < 40; k++) {
      int is_kept = 0;
      for (int other = 0; other < 3; other++) is_kept |= dump.kept[other] == k + 1;
      if (!is_kept) cr_assert_leq(iterations[k], dump.iterations[kept], "step %d", k + 1);
    }
  }
  run_case_close(run);
  scratch_remove();
}

Test(dump, missed_waits_for_a_step_that_misses_the_tolerance) {
  scratch_make();
  CaseRun *run =
      run_case_open("inputs/masonry_wall.xml", "courses=2 blocks=2 output_every=0 solver=nsgs");
  Dump dump = parsed("missed");
  for (int k = 0; k < 10; k++) {
    run_case_step(run, 0);
    dump_now(&dump, run);
  }
  cr_assert_eq(n_problems(), 0);
  run->input.model.stages[0].steps.solver_settings.tolerance = 1e-30;
  run->input.model.stages[0].steps.solver_settings.max_iterations = 2;
  run_case_step(run, 0);
  dump_now(&dump, run);
  cr_assert_eq(n_problems(), 1);
  cr_assert(file_exists(in_scratch("problem_000011.hdf5")));
  run_case_close(run);
  scratch_remove();
}

// A block that hangs from its base: by friction alone it would fall.
static CaseRun *open_hanging(const char *law) {
  char text[1000];
  snprintf(text, sizeof text,
           "<voussoir><material name='s' density='1000' young='1e6' poisson='0.2'/>"
           "<law name='j' friction='0.5' tension='1e4' %s/>"
           "<block name='b' material='s' width='0.4' height='0.2'/>"
           "<support name='base' shape='box' x='-1' y='-1' width='3' height='1'/>"
           "<contact candidate='b' antagonist='base' law='j'/><gravity x='3' y='9.81'/>"
           "<time end='1' step='1e-3'/><solver tolerance='1e-8'/></voussoir>",
           law);
  return run_case_open_text(text, NULL);
}

Test(dump, of_joints_that_hold_is_solved_again) {
  static const char *const laws[] = {"type='mohr_coulomb' cohesion='2e4'",
                                     "type='cohesive_zone' normal_stiffness='1e9' "
                                     "tangent_stiffness='1e9' energy='1'"};
  for (int k = 0; k < 2; k++) {
    scratch_make();
    CaseRun *run = open_hanging(laws[k]);
    Dump dump = parsed("2");
    FclibProblem file;
    OwnedProblem owned;
    Err err = {0};
    Arena arena = {0};
    SolverReport report;
    double r[16] = {0}, most = 0;
    for (int step = 0; step < 2; step++) {
      run_case_step(run, 0);
      dump_now(&dump, run);
    }
    const char *path = in_scratch("problem_000002.hdf5");
    cr_assert_eq(fclib_read(&file, path, &err), OK, "%s", err.text);
    cr_assert_eq(problem_from_fclib(&owned, &file, &err), OK, "%s", err.text);
    cr_assert_leq(owned.p.n, 8);
    cr_assert(owned.p.s && !owned.p.a == (k == 0));
    SolverSettings settings = solver_defaults(solver_find("nsgs"));
    settings.tolerance = 1e-10;
    cr_assert_eq(solver_find("nsgs")->solve(&owned.p, &settings, r, &arena, &report, &err), OK);
    cr_assert(report.converged);
    for (int i = 0; i < owned.p.n; i++) most = fmin(most, r[2 * i]);
    cr_assert_lt(most, 0, "it hangs");
    for (int i = 0; i < 2 * owned.p.n; i++)
      cr_assert_float_eq(r[i], run->work.reaction[i], -1e-5 * most);
    file.shift[1] = (double)INFINITY;
    cr_assert_eq(fclib_write(&file, NULL, NULL, path, &err), OK, "%s", err.text);
    fclib_free(&file);
    cr_assert_eq(fclib_read(&file, path, &err), ERR_INPUT);
    cr_assert(strstr(err.text, "voussoir/shift"), "%s", err.text);
    problem_free(&owned);
    arena_free(&arena);
    run_case_close(run);
    scratch_remove();
  }
}

Test(dump, without_memory_or_room_is_a_system_error) {
  scratch_make();
  CaseRun *run =
      run_case_open("inputs/masonry_wall.xml", "courses=2 blocks=2 output_every=0 solver=nsgs");
  run_case_step(run, 0);
  int64_t before = mem_live_blocks();
  int n;
  for (n = 1;; n++) {
    Dump dump = parsed("1");
    Err err = {0};
    mem_fail_after(n);
    Status status = dump_step(&dump, &run->state, &run->work, scratch, &run->log, &err);
    mem_fail_after(0);
    cr_assert_eq(mem_live_blocks(), before, "allocation %d", n);
    if (status == OK) break;
    cr_assert_eq(status, ERR_SYSTEM, "%s", err.text);
  }
  cr_assert_gt(n, 5);
  Dump dump = parsed("1");
  Err err = {0};
  cr_assert_eq(
      dump_step(&dump, &run->state, &run->work, in_scratch("no/such/folder"), &run->log, &err),
      ERR_SYSTEM, "%s", err.text);
  run_case_close(run);
  scratch_remove();
}

// Dumps the last of n steps, reads it back and gives it to Lemke's pivoting as one problem.
static void solve_again(const char *input, const char *settings, int n) {
  CaseRun *run = run_case_open(input, settings);
  Dump dump = parsed(n == 1 ? "1" : "2");
  char name[64];
  for (int k = 0; k < n; k++) {
    run_case_step(run, 0);
    dump_now(&dump, run);
  }
  FclibProblem file;
  OwnedProblem owned;
  Err err = {0};
  snprintf(name, sizeof name, "problem_%06d.hdf5", n);
  cr_assert_eq(fclib_read(&file, in_scratch(name), &err), OK, "%s", err.text);
  cr_assert_eq(problem_from_fclib(&owned, &file, &err), OK, "%s", err.text);
  const Problem *p = &owned.p;
  int zeros = 0;
  for (int i = 0; i < p->n; i++) zeros += p->diag[4 * i + 3] == 0;
  cr_assert_eq(zeros, n - 1);
  double *r = mem_new((size_t)(2 * p->n), sizeof *r), most = 0;
  SolverSettings lemke = solver_defaults(solver_find("lemke"));
  SolverReport report = {0};
  Arena arena = {0};
  lemke.whole = 1;
  cr_assert_eq(solver_find("lemke")->solve(p, &lemke, r, &arena, &report, &err), OK);
  cr_assert(report.converged && report.error < 1e-12, "%s: error %g", input, report.error);
  for (int k = 0; k < 2 * p->n; k++) most = fmax(most, r[k]);
  for (int k = 0; k < 2 * p->n; k++) // the run's own tolerance is 1e-8 and 1e-7, of a fixed point
    cr_assert_float_eq(r[k], run->work.reaction[k], 1e-4 * most, "%s: %g, %g of %g", input, r[k],
                       run->work.reaction[k], most);
  // closing where nothing yields has no solution
  file.q[0] = -1;
  for (int64_t e = file.w.ptr[0]; e < file.w.ptr[1]; e++) file.w.val[e] = 0;
  problem_free(&owned);
  cr_assert_eq(problem_from_fclib(&owned, &file, &err), ERR_INPUT);
  cr_assert(strstr(err.text, "there is no solution"), "%s", err.text);
  mem_free(r);
  arena_free(&arena);
  fclib_free(&file);
  run_case_close(run);
}

// Nodes on a line of symmetry slide along a punch without yielding across it: rows of zeros in W.
// And contacts of a first touch, where the covering variable ends as an exact zero that rounding
// hides.
Test(dump, is_solved_again_by_pivoting_to_round_off) {
  scratch_make();
  solve_again("inputs/hertz.xml", "steps=2 output_every=0 kinematics=small", 2);
  solve_again("inputs/mindlin.xml", "output_every=0", 1);
  scratch_remove();
}

Test(dump, of_contacts_solved_with_the_bodies_is_a_warning_and_no_file) {
  scratch_make();
  CaseRun *run = run_case_open("inputs/self_contact.xml", "output_every=0");
  Dump dump = parsed("1");
  run_case_step(run, 0);
  cr_assert_gt(contact_count(run->work.contact), 0);
  dump_now(&dump, run);
  cr_assert_eq(n_problems(), 0);
  cr_assert_eq(log_count(&run->log), 1);
  run_case_close(run);
  scratch_remove();
}
