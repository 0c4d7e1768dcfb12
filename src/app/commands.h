// app/commands.h -- the sub-commands. Each gets argv[0] = its name and returns the exit code.
#ifndef APP_COMMANDS_H
#define APP_COMMANDS_H

#include "base/err.h"

int run_main(int argc, char **argv);
int check_main(int argc, char **argv);
int list_main(int argc, char **argv);
int plot_main(int argc, char **argv);
int mesh_main(int argc, char **argv);

// Prints an error as its lines and returns the exit code.
int command_fail(const Err *err);

// A sub-command whose arguments were wrong: the error and how to get help.
int command_misused(const char *command, const Err *err);

#endif
