#include "file/number.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

int number_format(char text[NUMBER_TEXT_SIZE], double value) {
  // printf would write "-nan" for some NaNs, and which ones depends on the machine
  if (isnan(value)) return snprintf(text, NUMBER_TEXT_SIZE, "nan");
  for (int digits = 15; digits < 17; digits++) {
    int n = snprintf(text, NUMBER_TEXT_SIZE, "%.*g", digits, value);
    if (strtod(text, NULL) == value) return n;
  }
  return snprintf(text, NUMBER_TEXT_SIZE, "%.17g", value);
}
