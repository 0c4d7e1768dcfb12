// algebra/analyze.h -- CHOLMOD's analysis of a matrix, which METIS orders; and signals meanwhile.
#ifndef ALGEBRA_ANALYZE_H
#define ALGEBRA_ANALYZE_H

#include <suitesparse/cholmod.h>

// METIS catches SIGTERM for itself while it works, and one that comes then would be lost: it waits.
cholmod_factor *algebra_analyze(cholmod_sparse *matrix, cholmod_common *common);

#endif
