#include "output/program.h"

#include <limits.h>
#include <omp.h>
#include <stdio.h>
#include <string.h>

#include "algebra/spd.h"

#ifndef VOUSSOIR_COMMIT // the Makefile says it of this file alone
#define VOUSSOIR_COMMIT "unknown"
#define VOUSSOIR_FLAGS  "unknown"
#endif

// "model name : AMD EPYC 7763" of the first processor
static void name_cpu(char *text, size_t size) {
  char line[512];
  FILE *stream = fopen("/proc/cpuinfo", "r");
  snprintf(text, size, "unknown");
  while (stream && fgets(line, sizeof line, stream)) {
    const char *colon = strchr(line, ':');
    if (strncmp(line, "model name", strlen("model name")) != 0 || !colon) continue;
    colon += strspn(colon, ": \t");
    snprintf(text, size, "%.*s", (int)strcspn(colon, "\n"), colon);
    break;
  }
  if (stream) fclose(stream);
}

void program_info(ProgramInfo *info) {
  *info = (ProgramInfo){.threads = omp_get_max_threads()};
  snprintf(info->commit, sizeof info->commit, "%s", VOUSSOIR_COMMIT);
  snprintf(info->flags, sizeof info->flags, "%s", VOUSSOIR_FLAGS);
  snprintf(info->blas, sizeof info->blas, "%s", algebra_core());
  name_cpu(info->cpu, sizeof info->cpu);
}

void program_lines(char text[PROGRAM_LINES_SIZE]) {
  ProgramInfo info;
  program_info(&info);
  snprintf(text, PROGRAM_LINES_SIZE,
           "%d\tprogram\tcommit\t%s\n%d\tprogram\tflags\t%s\n%d\tprogram\tcpu\t%s\n"
           "%d\tprogram\topenblas\t%s\n%d\tprogram\tthreads\t%d\n",
           INT_MAX, info.commit, INT_MAX, info.flags, INT_MAX, info.cpu, INT_MAX, info.blas,
           INT_MAX, info.threads);
}
