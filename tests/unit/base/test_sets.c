#include <criterion/criterion.h>

#include "base/sets.h"

enum { N = 60, N_PAIRS = 50 };

// The number of each item's set: joining two gives all of one the number of the other.
static void label_by_hand(int *label, int a, int b) {
  const int kept = label[a], gone = label[b];
  for (int k = 0; k < N; k++)
    if (label[k] == gone) label[k] = kept;
}

Test(sets, are_those_that_labels_of_all_items_tell) {
  int32_t set[N];
  int label[N];
  uint32_t random = 1;
  sets_begin(set, N);
  for (int k = 0; k < N; k++) label[k] = k;
  for (int pair = 0; pair < N_PAIRS; pair++) {
    int item[2];
    for (int i = 0; i < 2; i++)
      item[i] = (int)((random = random * 1664525u + 1013904223u) >> 16) % N;
    cr_assert_eq(sets_join(set, item[0], item[1]), label[item[0]] != label[item[1]]);
    label_by_hand(label, item[0], item[1]);
    for (int k = 0; k < N; k++) cr_assert_eq(sets_head(set, k), label[k], "item %d", k);
  }
}

// Every set hangs on the next item: a way of N items from the first to the head.
Test(sets, heads_are_found_at_the_end_of_a_long_way) {
  int32_t set[N];
  sets_begin(set, N);
  for (int k = 1; k < N; k++) sets_join(set, k, k - 1);
  cr_expect_eq(sets_head(set, 0), N - 1);
  cr_expect_eq(sets_join(set, 0, N - 1), 0);
  for (int k = 0; k < N; k++) cr_expect_eq(sets_head(set, k), N - 1);
}
