// file/fclib.h -- friction problems in FCLIB's HDF5 format: read, written, checked.
//
// Local:   u = W r + V l + q,  V^T r + R l + s = 0,                   group /fclib_local
// Global:  M v = H r + G l + f,  u = H^T v + w,  G^T v + b = 0,       group /fclib_global
// with u and r in local frames, normal component first. Matrices are held by rows, whatever the
// file holds (by rows, by columns, triplets); entries stored twice are summed. What is missing, of
// a wrong size, not finite, a negative friction or a diagonal of W or M that is not positive is
// ERR_INPUT with the name of the dataset. V, R and s, or G and b, are those of equalities with the
// impulses l: all of them or none.

#ifndef FILE_FCLIB_H
#define FILE_FCLIB_H

#include <stdint.h>

#include "base/err.h"

typedef struct {
  int rows, cols;
  int64_t *ptr; // [rows + 1]
  int32_t *col; // [ptr[rows]] increasing in a row
  double *val;  // [ptr[rows]]
} FclibMatrix;

typedef struct {
  int global;       // 1: M, H, f and w; 0: W and q
  int dim, n;       // 2 or 3, number of contacts
  FclibMatrix w;    // local: [n dim x n dim]                                          [1/kg]
  FclibMatrix m, h; // global: [dofs x dofs] [kg], [dofs x n dim]
  double *q;        // [n dim] local: q, global: w                                     [m/s]
  double *f;        // global: [dofs]                                                  [N s]
  double *mu;       // [n]
  int n_equal;      // rows of equalities, 0: none
  FclibMatrix v, r; // local: [n dim x n_equal], [n_equal x n_equal]                  [1/kg]
  FclibMatrix g;    // global: [dofs x n_equal]
  double *s;        // [n_equal] local: s, global: b                                   [m/s]
  // Not of the format: dataset /voussoir/elastic, elastic part of the normal and the mean
  // tangential diagonal entry of W for each contact, > 0; NULL: the file has none.
  double *elastic; // [2 n]                                                            [1/kg]
  // With it, or alone where nothing deforms, may stand what moves bodies rigidly: /voussoir/moved,
  // the body on either side of a contact (0 .. 2 n - 1, -1: none), and /voussoir/lever, the
  // velocities of its rigid motions along the axes of the contact; W less their squares is elastic.
  int32_t *moved; // [2 n]
  double *lever;  // [2 n dim modes], modes 3 in the plane, 6 in space              [1/sqrt(kg)]
  // Laws beside friction, /voussoir/radius, shift and stiffness, as solver/problem.h has them;
  // NULL: none. Who does not know them reads another problem: the file's info says so.
  double *radius;    // [n] added to the radius of the disk                              [N s]
  double *shift;     // [n dim] added to the impulse                                     [N s]
  double *stiffness; // [2 n] in parallel, normal and tangential                          [kg]
  // /voussoir/compliance, what of `elastic` (and of W) is the contacts' own: judges ask for it, the
  // problem is the same without.
  double *compliance; // [2 n]                                                         [1/kg]
} FclibProblem;

typedef struct {
  int n_r, n_v; // n dim; dofs, 0 for a local problem
  double *r;    // [n_r] impulses                                                      [N s]
  double *u;    // [n_r] relative velocities                                           [m/s]
  double *v;    // [n_v] velocities of the dofs, NULL when n_v is 0                    [m/s]
  int n_l;      // rows of equalities
  double *l;    // [n_l] their impulses, NULL when n_l is 0                            [N s]
} FclibSolution;

Status fclib_read(FclibProblem *problem, const char *path, Err *err) MUST_CHECK;
void fclib_free(FclibProblem *problem);

// `title` goes into the file, NULL: none. `solution` may be NULL. The file appears whole or not at
// all.
Status fclib_write(const FclibProblem *problem, const FclibSolution *solution, const char *title,
                   const char *path, Err *err) MUST_CHECK;

// Group /solution; sizes must be those of the problem.
Status fclib_read_solution(FclibSolution *solution, const FclibProblem *problem, const char *path,
                           Err *err) MUST_CHECK;
void fclib_free_solution(FclibSolution *solution);

#endif
