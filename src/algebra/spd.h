// algebra/spd.h -- the inverse of a symmetric positive definite sparse matrix, ready to be applied.
//
// Up to SPD_DENSE_LIMIT unknowns the explicit inverse is kept; above, a CHOLMOD supernodal factor
// with METIS ordering and its workspace, so that applying it allocates nothing. Threads that apply
// the same factor take turns.

#ifndef ALGEBRA_SPD_H
#define ALGEBRA_SPD_H

#include "algebra/sparse.h"

enum { SPD_DENSE_LIMIT = 72 };

typedef struct SpdInverse SpdInverse;

// ERR_NUMERIC with the row (from 1) when the matrix is not positive definite or not finite; then,
// and when memory is short, *inverse is NULL.
Status spd_make(SpdInverse **inverse, const Sparse *a, Err *err) MUST_CHECK;
void spd_free(SpdInverse *inverse);

// x = A^-1 b for `lanes` right-hand sides, stored as x[row * lanes + lane]; x and b may not
// overlap.
Status spd_apply(SpdInverse *inverse, int lanes, const double *b, double *x, Err *err) MUST_CHECK;

// Versions of the libraries behind this room, for --version: "CHOLMOD 3.0.14, METIS 5.1.0, ...".
void algebra_versions(char *text, size_t size);
const char *algebra_core(void); // the kernels that OpenBLAS has chosen, such as "Haswell"

// BLAS on one thread: several threads change the bits. Called once by the program; argv NULL: it is
// not started again for better kernels. What OpenBLAS takes is taken now, or refused (ERR_SYSTEM):
// later it would ask for it for ever. algebra_reserve: the same for so many threads where memory is
// limited; they start, and take no signals.
Status algebra_start(char **argv, Err *err) MUST_CHECK;
// Called before the libraries start, where they may fail: only calls of the system are made. Ends
// the process with 3 where the limit of memory is too low.
void algebra_before_libraries(char **argv, char **environment);
Status algebra_reserve(int n_threads, Err *err) MUST_CHECK;

#endif
