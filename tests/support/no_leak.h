// No block of ours may be left when a test ends: .fini of the suites whose code allocates.
#ifndef TESTS_SUPPORT_NO_LEAK_H
#define TESTS_SUPPORT_NO_LEAK_H

#include <criterion/criterion.h>

#include "base/mem.h"

static inline void no_leak(void) {
  mem_fail_after(0);
  cr_assert_eq(mem_live_blocks(), 0, "%lld blocks leak", (long long)mem_live_blocks());
}

#endif
