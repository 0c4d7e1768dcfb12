// file/number.h -- numbers as text, for every text format of the program.
#ifndef FILE_NUMBER_H
#define FILE_NUMBER_H

#include <math.h>

// Those of math.h are floats, and clang warns wherever they become doubles.
#define NUMBER_NAN ((double)NAN)
#define NUMBER_INF ((double)INFINITY)

enum { NUMBER_TEXT_SIZE = 32 };

// The shortest of %.15g, %.16g, %.17g that reads back to the same bits; "nan", "inf", "-inf".
// Returns the length.
int number_format(char text[NUMBER_TEXT_SIZE], double value);

#endif
