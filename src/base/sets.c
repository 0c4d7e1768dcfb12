#include "base/sets.h"

void sets_begin(int32_t *set, int n) {
  for (int k = 0; k < n; k++) set[k] = k;
}

int32_t sets_head(int32_t *set, int32_t item) {
  while (set[item] != item) item = set[item] = set[set[item]];
  return item;
}

int sets_join(int32_t *set, int32_t a, int32_t b) {
  const int32_t head = sets_head(set, a), other = sets_head(set, b);
  set[other] = head;
  return head != other;
}
