// output/program.h -- what made the bits of a run: results are the same bit by bit on the same
// build, processor and kernels of OpenBLAS, and summary and checkpoint name them.

#ifndef OUTPUT_PROGRAM_H
#define OUTPUT_PROGRAM_H

#include <stddef.h>

enum { PROGRAM_TEXT_SIZE = 256 };

typedef struct {
  char commit[PROGRAM_TEXT_SIZE]; // of the sources, with "+changes" where they differ from it
  char flags[PROGRAM_TEXT_SIZE];  // compiler and what changes its code
  char cpu[PROGRAM_TEXT_SIZE];
  char blas[PROGRAM_TEXT_SIZE]; // kernels that OpenBLAS has chosen
  int threads;
} ProgramInfo;

void program_info(ProgramInfo *info);

// As lines of a resolved input (input/resolved.h) that may change: a restart under another program
// says so.
enum { PROGRAM_LINES_SIZE = 5 * (PROGRAM_TEXT_SIZE + 40) };
void program_lines(char text[PROGRAM_LINES_SIZE]);

#endif
