#include <criterion/criterion.h>

#include "base/mem.h"
#include "mesh/nodeset.h"

Test(nodeset, finds_a_set_again_in_any_order_of_its_nodes) {
  NodeSetTable table;
  Err err = {0};
  cr_assert_eq(nodeset_init(&table, 1000, 4, &err), OK);
  for (int k = 0; k < 1000; k++) {
    cr_assert_eq(nodeset_put(&table, (int32_t[]){k + 2, k, k + 1}, 3), k);
    cr_assert(table.is_new);
  }
  for (int k = 0; k < 1000; k++) {
    cr_assert_eq(nodeset_put(&table, (int32_t[]){k, k + 1, k + 2}, 3), k);
    cr_assert_not(table.is_new);
  }
  cr_assert_eq(nodeset_find(&table, (int32_t[]){5, 6}, 2), -1); // fewer nodes: another set
  cr_assert_eq(table.n, 1000);
  nodeset_free(&table);
  cr_assert_eq(mem_live_blocks(), 0);
}
