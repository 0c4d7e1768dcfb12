// What the default tolerance is worth in stresses: within 1 % rms of a run whose impulses are as
// good as exact, at the end of runs with theta = 1 and in each of the first steps at theta = 1/2.

#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "../support/run_case.h"
#include "body/body_type.h"

enum { MOST_ELEMENTS = 4000, MOST_NODES = 100 };

// Stresses of all elements, one after the other.
typedef struct {
  double at[6 * MOST_ELEMENTS];
  int n;
} Stresses;

static void add_stress(void *of, int elem, const FormOutput *shown) {
  (void)elem;
  Stresses *all = of;
  cr_assert_lt(all->n, MOST_ELEMENTS);
  memcpy(all->at + 6 * all->n++, shown->stress, sizeof shown->stress);
}

static void take_stresses(const CaseRun *run, Stresses *all) {
  const BodySet *bs = &run->input.model.bodies;
  double u[3 * MOST_NODES];
  all->n = 0;
  for (int b = 0; b < bs->n_bodies; b++) {
    cr_assert_leq(bs->node_ptr[b + 1] - bs->node_ptr[b], MOST_NODES);
    if (bs->proto[b] >= 0) bodies_show(bs, &run->state.bodies, b, u, add_stress, all);
  }
  cr_assert_gt(all->n, 0);
}

// rms of the difference over rms of the second.
static double apart(const Stresses *a, const Stresses *b) {
  double sum = 0, size = 0;
  cr_assert_eq(a->n, b->n);
  for (int k = 0; k < 6 * a->n; k++) {
    sum += (a->at[k] - b->at[k]) * (a->at[k] - b->at[k]);
    size += b->at[k] * b->at[k];
  }
  return sqrt(sum / size);
}

// The largest distance of a run at the default tolerance from one at `sharp`: of every step, or of
// the last.
static double off_by(const char *input, const char *settings, double sharp, int every) {
  static Stresses found, right;
  char strict[200];
  snprintf(strict, sizeof strict, "%s tolerance=%g", settings, sharp);
  CaseRun *a = run_case_open(input, settings), *b = run_case_open(input, strict);
  double most = 0;
  while (!stage_run_is_over(&a->input.model, &a->state)) {
    run_case_step(a, 0);
    run_case_step(b, 0);
    int last = stage_run_is_over(&a->input.model, &a->state);
    if (!every && !last) continue;
    take_stresses(a, &found);
    take_stresses(b, &right);
    most = fmax(most, apart(&found, &right));
  }
  run_case_close(a);
  run_case_close(b);
  return most;
}

Test(tolerance, leaves_stresses_right_to_one_per_cent_at_the_end) {
  static const char *const runs[][2] = {{"inputs/arch.xml", "end=0.4 young=1e9"},
                                        {"inputs/arch.xml", "end=0.4 young=3e9"},
                                        {"inputs/arch.xml", "end=0.4 young=5e10"},
                                        {"inputs/masonry_wall.xml", "theta=1 end=0.1 young=1e6"},
                                        {"inputs/masonry_wall.xml", "theta=1 end=0.1 young=5e10"},
                                        {"inputs/wall_with_openings.xml", "end=0.1"}};
  for (size_t k = 0; k < sizeof runs / sizeof runs[0]; k++) {
    if (run_case_only_begins(run_case_open(runs[k][0], runs[k][1]))) continue;
    double off = off_by(runs[k][0], runs[k][1], 1e-7, 0);
    cr_log_info("%s %s: %.2g", runs[k][0], runs[k][1], off);
    cr_expect_lt(off, 0.01, "%s %s: %g", runs[k][0], runs[k][1], off);
  }
}

Test(tolerance, leaves_stresses_right_to_one_per_cent_in_each_of_the_first_steps) {
  static const char *const young[] = {"1e6", "1e7", "1e8", "1e9", "5e10"};
  for (size_t k = 0; k < sizeof young / sizeof young[0]; k++) {
    char settings[100];
    snprintf(settings, sizeof settings, "theta=0.5 end=0.008 young=%s", young[k]);
    if (run_case_only_begins(run_case_open("inputs/masonry_wall.xml", settings))) continue;
    double off = off_by("inputs/masonry_wall.xml", settings, 1e-10, 1);
    cr_log_info("%s: %.2g", settings, off);
    cr_expect_lt(off, 0.01, "%s: %g", settings, off);
  }
}
