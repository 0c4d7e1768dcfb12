// mesh/weld.h -- triangles that each have corners of their own become a surface that shares nodes,
// and is judged.
//
// Corners nearer than a millionth of the surface's size, or than single precision tells them apart,
// are one node, the first of them. Facets are numbered from 0 in the order given.

#ifndef MESH_WELD_H
#define MESH_WELD_H

#include <stdint.h>

#include "base/err.h"

typedef struct {
  int n_nodes, n_facets;
  double *x;        // [n_nodes * 3]                                          [of the file]
  int32_t *node;    // [n_facets * 3]
  double tolerance; // corners nearer than this are one                        [of the file]
} Weld;

// x: n_facets times three corners.
Status weld_init(Weld *weld, const double *x, int n_facets, Err *err) MUST_CHECK;
void weld_free(Weld *weld);

typedef enum { WELD_SOUND, WELD_NO_AREA, WELD_TURNED, WELD_FOLDED, WELD_BRANCHED } WeldDefect;

typedef struct {
  WeldDefect defect; // the first found; nothing else is known then
  int facet[2];      // of the defect, the lower one first; no area: the first alone
  int n_meet;        // branched: facets at the edge
  int n_open;        // edges of one facet only
  int n_rims;        // that they make, counted by nodes that they share
  double open_at[2][3];
  double volume; // of a closed surface, < 0 where it looks inwards
} WeldReport;

// ERR_SYSTEM alone is an error; defects are for the caller to say.
Status weld_check(const Weld *weld, WeldReport *report, Err *err) MUST_CHECK;

#endif
