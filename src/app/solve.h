// app/solve.h -- `voussoir solve`: one FCLIB friction problem, any solver of the panel.
#ifndef APP_SOLVE_H
#define APP_SOLVE_H

// argv[0] is "solve". Returns the exit code: 0 converged, 5 not, 2 bad file or call, 3 system.
int solve_main(int argc, char **argv);

#endif
