// A unit cube of twelve triangles that look outwards, as files of surfaces have it.
#ifndef TESTS_UNIT_MESH_SURFACE_TEXT_H
#define TESTS_UNIT_MESH_SURFACE_TEXT_H

enum { CUBE_FACETS = 12 };

static const int cube_facet[CUBE_FACETS][3] = {{0, 2, 1}, {0, 3, 2}, {4, 5, 6}, {4, 6, 7},
                                               {0, 1, 5}, {0, 5, 4}, {2, 3, 7}, {2, 7, 6},
                                               {0, 4, 7}, {0, 7, 3}, {1, 2, 6}, {1, 6, 5}};

// Corner k of a facet; `size` is the edge.
static inline void cube_corner(int facet, int k, double size, double x[3]) {
  int c = cube_facet[facet][k];
  x[0] = c % 4 == 1 || c % 4 == 2 ? size : 0;
  x[1] = c % 4 >= 2 ? size : 0;
  x[2] = c >= 4 ? size : 0;
}

#endif
