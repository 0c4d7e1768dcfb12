// A sheet at rest: Newton on the forces of a form under loads and supports, and grids on surfaces.
#ifndef TESTS_SUPPORT_SHELL_STATIC_H
#define TESTS_SUPPORT_SHELL_STATIC_H

#include "algebra/factor.h"
#include "element/form.h"

typedef struct {
  Mesh mesh;
  Form form;
  int n;     // unknowns
  double *u; // [n_nodes * 3]
  double *config, *config_new;
  double *internal, *internal_old;
  double *force;    // [n] internal forces at the iterate
  double *load;     // [n] dead loads
  uint8_t *fixed;   // [n]
  double *value;    // [n] of fixed translations
  FormPinch *pinch; // [n_nodes] see FormPoint; the caller's, NULL: no tools
  Sparse k;
  int64_t *place; // of the entries of the elements in k.val
  Factor *factor;
  double *residual, *step;
  double *u_kept, *config_kept;
} ShellStatic;

// What a grid is cut into: quadrilaterals, triangles with uniform diagonals of two senses,
// alternating.
typedef enum { GRID_QUAD, GRID_RIGHT, GRID_LEFT, GRID_ALTERNATE } GridPattern;
typedef void SurfaceMap(double s, double t, double x[3]);

// Grid of nx * ny cells of the unit square (s, t) mapped on a surface; node i, j is j * (nx + 1) +
// i.
void shell_grid(Mesh *mesh, int nx, int ny, GridPattern pattern, SurfaceMap *map);

// Takes the mesh over (spec->mesh is set to it). Fails the test on errors.
void shell_static_init(ShellStatic *s, Mesh *mesh, const char *form, FormSpec *spec);
void shell_static_free(ShellStatic *s);

void shell_fix(ShellStatic *s, int node, int axis, double value);

// Forces and, if wanted, the matrix at the iterate.
Status shell_assemble(ShellStatic *s, int matrix);
// Newton to a residual of `tolerance` times the largest force; returns iterations, -1: none in 25.
int shell_solve(ShellStatic *s, double tolerance);
// The iterate is kept, and taken back.
void shell_static_keep(ShellStatic *s);
void shell_static_back(ShellStatic *s);
// One step of Newton from the reference configuration: the linear answer; `value`s of supports are
// zero.
void shell_solve_linear(ShellStatic *s);
// Ends the step: internal variables, thickness.
void shell_static_commit(ShellStatic *s);

// Largest difference between tangent and central differences of the forces, over all elements,
// divided by the largest entry; checks symmetry to 1e-13 of it on the way.
double shell_tangent_error(ShellStatic *s, double length_step);

#endif
