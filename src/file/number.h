// file/number.h -- numbers as text, for every text format of the program.
#ifndef FILE_NUMBER_H
#define FILE_NUMBER_H

#include <math.h>
#include <stddef.h>

// Those of math.h are floats, and clang warns wherever they become doubles.
#define NUMBER_NAN ((double)NAN)
#define NUMBER_INF ((double)INFINITY)

enum { NUMBER_TEXT_SIZE = 32 };

// The shortest of %.15g, %.16g, %.17g that reads back to the same bits; "nan", "inf", "-inf".
// Returns the length.
int number_format(char text[NUMBER_TEXT_SIZE], double value);

// How the numbers of one file of rows are written. Separator: ';', tab, ',' or blanks (' '); 0: not
// known yet. Beside ';' and tabs a comma is a decimal one. A file has one separator and one decimal
// mark: with two, what a comma means would be a guess.
typedef struct {
  char separator, decimal; // decimal 0: none seen yet
} NumberStyle;

char number_separator(const char *line); // of a line of numbers

// The cell that begins at `at`: its first byte after blanks, its length without blanks behind it.
// Returns where the next one begins, NULL after the last.
const char *number_next_cell(const char *at, char separator, const char **cell, size_t *n);
// 1: the cell is a number, and in the style of the others before.
int number_read_cell(const char *cell, size_t n, NumberStyle *style, double *value);

// Behind the mark that some programs begin a text with.
#define BYTE_ORDER_MARK "\xEF\xBB\xBF"
char *number_skip_mark(char *text);

#endif
