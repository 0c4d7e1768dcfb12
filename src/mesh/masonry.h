// mesh/masonry.h -- walls, arches and columns as assemblies of block meshes.
//
// An Assembly lists distinct block meshes once (equal blocks share one: that is what lets the solver
// factorise once) and places them by translation and rotation. Blocks touch exactly. Named groups of
// blocks ("course_1" from the bottom, "lintels", ...) and of nodes ("top", "bottom", "left", "right"
// of the whole assembly, as pairs block, node) serve contact, loads and probes.

#ifndef MESH_MASONRY_H
#define MESH_MASONRY_H

#include "mesh/generate.h"

typedef struct {
  int mesh;     // index in meshes
  double x, y;  // placement of the mesh's origin                                      [m]
  double angle; // rotation about that origin                                        [rad]
  int course;   // 1 = lowest; arches: index of the voussoir from the left springing
} AssemblyBlock;

typedef struct {
  char *name;
  int n;
  int32_t *block; // [n]
  int32_t *node;  // [n] node of the block's mesh; NULL: the group lists whole blocks
} AssemblyGroup;

typedef struct {
  int n_meshes;
  Mesh *meshes;
  int n_blocks;
  AssemblyBlock *blocks;
  int n_groups;
  AssemblyGroup *groups;
} Assembly;

void assembly_free(Assembly *assembly);
const AssemblyGroup *assembly_find_group(const Assembly *assembly, const char *name);

// Meshing of a block: cells along its length and height (a half block gets half the cells along its
// length, at least one) and the pattern of generate.h.
typedef struct {
  int nx, ny;
  const char *pattern;
} BlockMesh;

typedef struct {
  double left, bottom, width, height; // opening, from the wall's lower left corner             [m]
  double lintel_bearing; // length of the lintel on each side; 0: no lintel                     [m]
  double lintel_height;  // 0: one course                                                       [m]
} WallOpening;

typedef enum { BOND_RUNNING, BOND_STACK, BOND_FLEMISH } WallBond;
typedef enum { HALVES_ODD, HALVES_EVEN, HALVES_NONE } WallHalves;

typedef struct {
  WallBond bond;
  int n_courses;
  const double *course_height; // [n_course_heights] repeated cyclically                        [m]
  int n_course_heights;
  double block_length;      // stretcher                                                     [m]
  double header_length;     // Flemish bond: face length of a header                         [m]
  double blocks_per_course; // in block lengths: 12, or 8 or 7.5 ...; the wall's length is this
                            // times block_length
  WallHalves halves;        // running bond: courses (1 = lowest) that begin and end with a half
                            // block; HALVES_NONE: every other course is set back half a block
                            // at both ends and has one block less (ragged ends)
  double x, y;              // lower left corner                                             [m]
  const WallOpening *openings;
  int n_openings;
  BlockMesh mesh;
} WallSpec;

// Blocks cut by the side of an opening end there (closers); a remainder shorter than a quarter of a
// block is joined to its neighbour. Overlapping openings, an opening that leaves the wall or does
// not end at a course joint are errors that say which.
Status masonry_wall(Assembly *wall, const WallSpec *spec, Err *err) MUST_CHECK;

typedef enum { ARCH_SEMICIRCULAR, ARCH_SEGMENTAL, ARCH_POINTED } ArchKind;

typedef struct {
  ArchKind kind;
  double span;      // clear span on the intrados; semicircular: 2 * intrados radius            [m]
  double rise;      // segmental, pointed: rise of the intrados                                 [m]
  double thickness; // radial                                                                   [m]
  int n_voussoirs;  // pointed: even
  int straight;     // 1: straight (chord) voussoirs, 0: curved
  double x, y;      // middle of the springing line                                             [m]
  BlockMesh mesh;   // nx around, ny radial
} ArchSpec;

// All voussoirs of a semicircular or segmental arch share one mesh, rotated; groups "left_springer"
// and "right_springer" list the first and last voussoir, node groups "intrados", "extrados".
Status masonry_arch(Assembly *arch, const ArchSpec *spec, Err *err) MUST_CHECK;

// n equal drums on one another.
Status masonry_column(Assembly *column, double width, double drum_height, int n, double x, double y,
                      BlockMesh mesh, Err *err) MUST_CHECK;

#endif
