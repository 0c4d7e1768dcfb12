// voussoir: finite-element contact dynamics. This file only chooses the sub-command.

#include <omp.h>
#include <stdio.h>
#include <string.h>

#include "algebra/spd.h"
#include "app/commands.h"
#include "app/compare.h"
#include "app/interrupt.h"
#include "app/solve.h"
#include "file/h5.h"
#include "input/input.h"

typedef struct {
  const char *name;
  int (*main)(int argc, char **argv);
  const char *synopsis, *doc;
} Command;

static const Command commands[] = {
    {"run", run_main,
     "INPUT.xml [-o DIR] [--force | --restart] [--threads N] [--set NAME=VALUE ...] [--dump-problems WHEN] [--quiet]",
     "runs a case"},
    {"check", check_main, "INPUT.xml [--set NAME=VALUE ...]", "validates everything, runs nothing"},
    {"compare", compare_main, "DIR REFERENCE [--json]", "compares results with a reference"},
    {"solve", solve_main, "PROBLEM.hdf5 [--solver NAME] [--tolerance T] [--json]",
     "solves one friction problem in FCLIB format"},
    {"mesh", mesh_main, "INPUT.xml | wall NAME=VALUE ... | info FILE.msh [-o FILE.msh]",
     "writes meshes of blocks, walls, arches; describes a file"},
    {"plot", plot_main, "DIR [--x COLUMN] [--y COLUMN,...]",
     "draws force against stroke and forming limits as SVG"},
    {"list", list_main, "[KIND]", "what an input may hold, with its parameters"},
};
enum { N_COMMANDS = sizeof commands / sizeof commands[0] };

static void help(FILE *stream) {
  fprintf(stream, "voussoir %s: finite-element contact dynamics\n\n", VOUSSOIR_VERSION);
  for (int k = 0; k < N_COMMANDS; k++)
    fprintf(stream, "  voussoir %-8s %s\n  %17s %s\n", commands[k].name, commands[k].synopsis, "",
            commands[k].doc);
  fprintf(
      stream,
      "\n  voussoir COMMAND --help says more. Exit codes: 0 done, 1 a comparison differs, 2 wrong input or\n"
      "  call, 3 the system failed, 4 the numerics failed, 5 done but with a verdict,\n"
      "  130 interrupted.\n");
}

static void version(void) {
  char libraries[512];
  algebra_versions(libraries, sizeof libraries);
  printf("voussoir %s\n%s\nHDF5 %s, %s, OpenMP %d\n", VOUSSOIR_VERSION, libraries, h5_version(),
         input_versions(), _OPENMP);
}

static void before_libraries(int argc, char **argv, char **environment) {
  (void)argc;
  interrupt_hold();
  algebra_before_libraries(argv, environment);
}

// What the dynamic linker calls before any library is initialised.
__attribute__((section(".preinit_array"),
               used)) static void (*const first)(int, char **, char **) = before_libraries;

int main(int argc, char **argv) {
  Err err = {0};
  interrupt_catch();
  if (algebra_start(argv, &err) != OK) return command_fail(&err);
  if (argc > 1) {
    for (int k = 0; k < N_COMMANDS; k++)
      if (strcmp(argv[1], commands[k].name) == 0) return commands[k].main(argc - 1, argv + 1);
    if (strcmp(argv[1], "--version") == 0) {
      version();
      return 0;
    }
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "help") == 0) {
      help(stdout);
      return 0;
    }
    fprintf(stderr, "error: there is no command '%s'\n\n", argv[1]);
  }
  help(stderr);
  return 2;
}
