#include "base/err.h"
#include <stdio.h>
int main(void) {
  puts("voussoir " VOUSSOIR_VERSION);
  return 0;
}
