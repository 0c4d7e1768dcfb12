#include <criterion/criterion.h>

#include <math.h>
#include <string.h>

#include "../../support/no_leak.h"
#include "output/forming_limit.h"

TestSuite(forming_limit, .fini = no_leak);

static const double curve[] = {-0.3, 0.5, 0, 0.3, 0.2, 0.4};

Test(forming_limit, is_linear_between_its_points_and_stays_beyond_its_ends) {
  FormingLimit limit;
  cr_assert_eq(forming_limit_init(&limit, 0, curve, 6, 0, NULL), OK);
  static const double expected[][2] = {{-9, 0.5},     {-0.3, 0.5}, {-0.15, 0.4}, {0, 0.3},
                                       {0.05, 0.325}, {0.2, 0.4},  {7, 0.4}};
  for (size_t k = 0; k < sizeof expected / sizeof expected[0]; k++)
    cr_assert_float_eq(forming_limit_at(&limit, expected[k][0]), expected[k][1], 1e-15, "%g",
                       expected[k][0]);
  cr_assert_float_eq(forming_limit_index(&limit, -0.15, 0.2), 0.5, 1e-15);
  cr_assert_eq(forming_limit_index(&limit, -0.15, -0.2), 0);
  forming_limit_free(&limit);
}

Test(forming_limit, engineering_strains_become_logarithmic) {
  FormingLimit limit;
  cr_assert_eq(forming_limit_init(&limit, 0, curve, 6, 1, NULL), OK);
  cr_assert_float_eq(limit.point[0], log(0.7), 1e-15);
  cr_assert_float_eq(forming_limit_at(&limit, log(1.2)), log(1.4), 1e-15);
  forming_limit_free(&limit);
}

// Worked by hand: n 0.21 and 1 mm give 37.43 %, half of n half of it; 5 mm counts as 3.
Test(forming_limit, of_keeler_has_its_middle_and_both_sides) {
  FormingLimit limit;
  cr_assert_eq(forming_limit_keeler(&limit, 0, 0.21, 1e-3, NULL), OK);
  cr_assert_float_eq(forming_limit_at(&limit, 0), log(1.3743), 1e-12);
  cr_assert_float_eq(forming_limit_at(&limit, -0.1), log(1.3743) + 0.1, 1e-12);
  cr_assert_float_eq(forming_limit_at(&limit, log(1.1)), log(1.3743 + 0.0785 - 0.0086), 1e-12);
  cr_assert_float_eq(forming_limit_at(&limit, log(1.2)), log(1.3743 + 0.157 - 0.0344), 1e-12);
  forming_limit_free(&limit);
  cr_assert_eq(forming_limit_keeler(&limit, 0, 0.105, 1e-3, NULL), OK);
  cr_assert_float_eq(forming_limit_at(&limit, 0), log(1.18715), 1e-12);
  forming_limit_free(&limit);
  cr_assert_eq(forming_limit_keeler(&limit, 0, 0.5, 5e-3, NULL), OK);
  cr_assert_float_eq(forming_limit_at(&limit, 0), log(1.6569), 1e-12);
  forming_limit_free(&limit);
}

static void refused(const double *value, int n, const char *why) {
  FormingLimit limit;
  Err err = {0};
  cr_expect_eq(forming_limit_init(&limit, 0, value, n, 0, &err), ERR_INPUT);
  cr_expect(strstr(err.text, why), "%s", err.text);
  forming_limit_free(&limit);
}

Test(forming_limit, nonsense_is_refused) {
  refused(curve, 5, "pairs");
  refused(curve, 0, "pairs");
  refused((const double[]){0, 0.3, 0, 0.4}, 4, "point 2 has 0");
  refused((const double[]){0, 0.3, 0.1, -0.4}, 4, "point 2 of");
  refused((const double[]){(double)NAN, 0.3}, 2, "must be a number");
  refused((const double[]){-0.2, 0.5, 0, 30}, 4,
          "point 2 of the forming-limit curve has the major");
}
