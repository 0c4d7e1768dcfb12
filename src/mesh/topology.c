#include "mesh/topology.h"

// clang-format off
const Topology topology_table[N_SHAPES] = {
    [SHAPE_POINT] = {.name = "point", .dim = 0, .n_nodes = 1, .gmsh_code = 15, .vtk_code = 1},
    [SHAPE_LINE2] = {.name = "line", .dim = 1, .n_nodes = 2, .gmsh_code = 1, .vtk_code = 3,
                     .n_facets = 2, .n_facet_nodes = 1,
                     .facet = {{0, -1, -1, -1}, {1, -1, -1, -1}}},
    [SHAPE_T3] = {.name = "T3", .dim = 2, .n_nodes = 3, .gmsh_code = 2, .vtk_code = 5,
                  .n_facets = 3, .n_facet_nodes = 2,
                  .facet = {{0, 1, -1, -1}, {1, 2, -1, -1}, {2, 0, -1, -1}}},
    [SHAPE_Q4] = {.name = "Q4", .dim = 2, .n_nodes = 4, .gmsh_code = 3, .vtk_code = 9,
                  .n_facets = 4, .n_facet_nodes = 2,
                  .facet = {{0, 1, -1, -1}, {1, 2, -1, -1}, {2, 3, -1, -1}, {3, 0, -1, -1}}},
    [SHAPE_T4] = {.name = "T4", .dim = 3, .n_nodes = 4, .gmsh_code = 4, .vtk_code = 10,
                  .n_facets = 4, .n_facet_nodes = 3,
                  .facet = {{0, 2, 1, -1}, {0, 1, 3, -1}, {1, 2, 3, -1}, {0, 3, 2, -1}}},
    [SHAPE_H8] = {.name = "H8", .dim = 3, .n_nodes = 8, .gmsh_code = 5, .vtk_code = 12,
                  .n_facets = 6, .n_facet_nodes = 4,
                  .facet = {{0, 3, 2, 1}, {4, 5, 6, 7}, {0, 1, 5, 4},
                            {1, 2, 6, 5}, {2, 3, 7, 6}, {3, 0, 4, 7}}},
};
// clang-format on
