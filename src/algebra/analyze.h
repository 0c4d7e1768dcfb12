// algebra/analyze.h -- what CHOLMOD asks METIS for; and signals meanwhile.
#ifndef ALGEBRA_ANALYZE_H
#define ALGEBRA_ANALYZE_H

#include <suitesparse/cholmod.h>

// METIS catches SIGTERM for itself while it works, and one that comes then would be lost: it waits.
cholmod_factor *algebra_analyze(cholmod_sparse *matrix, cholmod_common *common);

// Nested dissection of a symmetric pattern, likewise; parent and member [n] are room. Returns 0
// where memory is short.
int algebra_dissect(cholmod_sparse *pattern, int *perm, int *parent, int *member,
                    cholmod_common *common);

#endif
