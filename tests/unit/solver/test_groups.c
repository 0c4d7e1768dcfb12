#include "problems.h"

#include "solver/groups.h"
#include "solver/part.h"

TestSuite(groups, .fini = expect_no_leak);

// Bodies 1, 3 and 2 in a row on what nothing moves, body 0 beside them on the same.
Test(groups, are_chains_of_bodies_that_touch) {
  const int32_t moved[] = {0, -1, -1, 1, 3, 1, 2, 3, -1, -1};
  const Problem p = {.dim = 2, .n = 5, .bodies = {.n_bodies = 5, .n_modes = 3, .moved = moved}};
  const int32_t *group;
  Arena arena = {0};
  Err err = {0};
  cr_assert_eq(groups_find(&p, &group, &arena, &err), OK);
  cr_expect(group[1] == group[3] && group[3] == group[2]);
  cr_expect(group[0] == 0 && group[4] == 4 && group[1] != 0 && group[1] != 4);
  for (int i = 1; i < 4; i++) cr_expect_eq(groups_of_contact(group, &p, i), group[1]);
  cr_expect_eq(groups_of_contact(group, &p, 0), 0);
  cr_expect_eq(groups_of_contact(group, &p, 4), -1);
  arena_free(&arena);
}

// What is taken out of a problem may touch itself less; a problem that knows its groups keeps them.
Test(groups, are_found_once_for_a_problem_and_anew_for_its_parts) {
  const int32_t moved[] = {0, 1, 1, 2}, known[] = {2, 2, 2};
  OwnedProblem owned;
  Part part;
  Arena arena = {0};
  Err err = {0};
  const int32_t *group;
  int64_t blocks = 0;
  double r[4] = {0};
  make_random(&owned, 2, 2, 6, 0.1, 0.4, 0, 5);
  Problem p = owned.p;
  p.bodies = (BodyRows){.n_bodies = 3, .n_modes = 3, .moved = moved, .group = known};
  cr_assert_eq(groups_find(&p, &group, &arena, &err), OK);
  cr_expect_eq(group, known);
  cr_assert_eq(part_init(&part, &p, &arena, &err), OK);
  part.place[1] = 1;
  part_list(&part);
  cr_assert_eq(part_take(&part, r, &blocks, &arena, &err), OK);
  cr_assert_eq(part_take_bodies(&part, &arena, &err), OK);
  cr_assert_eq(groups_find(&part.p, &group, &arena, &err), OK);
  cr_expect(group[0] == 0 && group[1] == group[2] && group[1] != 0);
  arena_free(&arena);
  problem_free(&owned);
}
