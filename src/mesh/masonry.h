// mesh/masonry.h -- walls, arches and columns as assemblies of block meshes.
//
// An Assembly lists distinct block meshes once (equal blocks share one: that is what lets the
// solver factorise once) and places them by translation and rotation. Blocks touch exactly. Named
// groups of blocks ("course_1" from the bottom, "lintels", ...) and of nodes ("top", "bottom",
// "left", "right" of the whole assembly, as pairs block, node) serve contact, loads and probes.

#ifndef MESH_MASONRY_H
#define MESH_MASONRY_H

#include "mesh/generate.h"

typedef struct {
  int mesh;     // index in meshes
  double x, y;  // placement of the mesh's origin                                      [m]
  double angle; // rotation about that origin                                        [rad]
  int course;   // 1 = lowest; arches: index of the voussoir from the left springing
  double z;     // in space                                                            [m]
  int through;  // 1: as deep as the wall where this has leaves (headers, lintels)
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
// Where a node of a block's mesh lies in the assembly: x [dim of the mesh].                  [m]
void assembly_node_position(const Assembly *assembly, int block, int node, double *x);
// The assembly as one mesh, blocks apart: element groups "block_1".. and those of the blocks (also
// as elements), node groups of the assembly.
Status assembly_to_mesh(const Assembly *assembly, Mesh *mesh, Err *err) MUST_CHECK;

// How masonry of the plane is drawn out into space.
typedef struct {
  double depth;       // from z = 0 on                                                       [m]
  int layers, leaves; // cells along the depth of a stone; stones side by side across the depth
} Deepening;

// Its meshes, of quadrilaterals, become hexahedra; blocks that are not `through` stand once in each
// leaf, back to front. Groups of nodes have them in all layers; nodes "back" (z = 0) and "front"
// are added.
Status assembly_deepen(Assembly *assembly, const Deepening *how, Err *err) MUST_CHECK;

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

typedef enum { BOND_RUNNING, BOND_STACK, BOND_FLEMISH, BOND_ENGLISH } WallBond;
typedef enum { HALVES_ODD, HALVES_EVEN, HALVES_NONE } WallHalves;

typedef struct {
  WallBond bond;
  int n_courses;
  const double *course_height; // [n_course_heights] repeated cyclically                        [m]
  int n_course_heights;
  double block_length;      // stretcher                                                     [m]
  double header_length;     // Flemish, English bond: face length of a header                [m]
  double blocks_per_course; // in block lengths: 12, or 8 or 7.5 ...; the wall's length is this
                            // times block_length
  WallHalves halves;        // running bond: courses (1 = lowest) that begin and end with a half
                            // block; HALVES_NONE: courses 2, 4, ... are set back half a block
                            // at both ends and have one block less (ragged ends)
  double x, y;              // lower left corner                                             [m]
  const WallOpening *openings;
  int n_openings;
  BlockMesh mesh;
} WallSpec;

// Blocks stand course by course from the bottom, left to right. Block groups: "course_1" ..,
// "halves", "headers" (Flemish, English), "closers" (cut to any other length), "lintels"; node
// groups: "top" and "bottom" (edges of the top and lowest course), "left" and "right" (ends of the
// longest courses).
//
// Blocks cut by the side of an opening end there; a remainder shorter than a quarter of a block is
// joined to its neighbour: no block is longer than 1.5 of one, 1.75 where the bond is mended, 4
// for a pad under lintels. A lintel bears on one block on each side, and ends at the end of the
// wall if less than a quarter block would be left. Where an opening would bring head joints of two
// courses closer than a quarter block (Flemish, English: than its closer), the upper one is moved,
// or left out; so is one that would miss a jamb above it by so little. Stack bond only knows the
// rules of lintels and jambs. Overlapping openings, an opening that leaves the wall or does not end
// at a course joint, a lintel without room are errors that say which opening.
Status masonry_wall(Assembly *wall, const WallSpec *spec, Err *err) MUST_CHECK;

// Rectangular stones of any size, where a table has them.
typedef struct {
  double corner[3], size[3]; // lowest corner and length, height, depth, of the plane two each  [m]
} Stone;
typedef struct {
  int dim, n;
  const Stone *stone; // [n] rows of the table
  double tolerated;   // stones may be inside one another by so much                            [m]
  int may_float;      // 1: stones need not stand on others
  BlockMesh mesh;
  int cells_z; // in space
} StonesSpec;

// ERR_INPUT of a place that is no number, and of a size that is not positive.
Status masonry_check_stone(const Stone *stone, int dim, Err *err) MUST_CHECK;

// A solid of the space that `dim` says, stones in the order of their rows; nodes "bottom", "right",
// "top", "left" (in space "back", "front") of the whole. Errors name rows, counted from 1: sizes
// that are not positive, stones inside one another, stones above the lowest with none under them.
Status masonry_stones(Assembly *stones, const StonesSpec *spec, Err *err) MUST_CHECK;

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

// All voussoirs of a semicircular or segmental arch share one mesh, rotated (its origin is the
// centre of the arch); the two at the crown of a pointed arch end in the vertical plane. Block
// groups "left_springer", "right_springer", "keystone" (odd numbers); node groups "intrados",
// "extrados", "left" and "right" (springing joints).
Status masonry_arch(Assembly *arch, const ArchSpec *spec, Err *err) MUST_CHECK;

// n equal drums on one another, from the lower left corner (x, y). Groups as those of a wall.
Status masonry_column(Assembly *column, double width, double drum_height, int n, double x, double y,
                      BlockMesh mesh, Err *err) MUST_CHECK;

// n equal round drums on one another, in space: prisms whose section is a polygon of `sides` equal
// corners on the ellipse that fits into width and depth. They stand along y, from the lower left
// corner (x, y) at z = 0. Groups as those above, and nodes "back" and "front".
typedef struct {
  double width, depth, height; // of a drum                                                    [m]
  int n, sides;
  double x, y;
} DrumsSpec;
Status masonry_drums(Assembly *column, const DrumsSpec *spec, Err *err) MUST_CHECK;

// Convex polyhedra of random corners on balls of one radius, in layers across z: as many in each as
// fit into a circle about (0, 0), a fiftieth of the radius apart. The same seed gives the same
// stones.
typedef struct {
  int n;
  double radius, width; // of a ball, of the circle                                            [m]
  int corners[2];       // least and most of a stone, 4 to RUBBLE_CORNERS
  uint64_t seed;
} RubbleSpec;
enum { RUBBLE_CORNERS = 16 };
Status masonry_rubble(Assembly *rubble, const RubbleSpec *spec, Err *err) MUST_CHECK;

#endif
