#include "build/schema.h"

#include <string.h>

#include "base/mem.h"
#include "contact/law.h"
#include "material/material.h"
#include "mesh/blank.h"
#include "mesh/generate.h"
#include "output/probe.h"
#include "shape/shape.h"
#include "solver/problem.h"

#define COUNT(array) ((int)(sizeof(array) / sizeof((array)[0])))

// clang-format off
static const ParamSpec root_params[] = {
    {"title", PARAM_TEXT, "", "", NULL, NULL, "one line that names the case in outputs"},
};

static const ParamSpec model_params[] = {
    {"space", PARAM_CHOICE, "", "plane", NULL, "plane|axisymmetric|solid", "plane model; x radius and y axis of a ring; or space"},
    {"plane", PARAM_CHOICE, "", "strain", NULL, "strain|stress", "plane strain or plane stress"},
    {"thickness", PARAM_REAL, "m", "1", "]0,inf[", NULL, "depth of the plane model"},
};

static const ParamSpec function_params[] = {
    {"name", PARAM_NAME, "", NULL, NULL, NULL, "how attributes refer to it"},
    {"kind", PARAM_CHOICE, "", NULL, NULL, NULL, "what it is made of"},
};
static const ParamSpec function_expression_params[] = {
    {"value", PARAM_FUNCTION, "", NULL, NULL, NULL, "expression of t [s]"},
};
static const ParamSpec function_table_params[] = {
    {"file", PARAM_FILE, "", NULL, NULL, NULL, "CSV with the time in its first column"},
    {"column", PARAM_INTEGER, "1", "2", "[2,inf[", NULL, "column of the values, counted from 1"},
    {"scale", PARAM_REAL, "1", "1", NULL, NULL, "factor on the values"},
    {"start", PARAM_REAL, "s", "0", NULL, NULL, "time of the run at which its own time is zero, e.g. the end of the stage before"},
};
static const ParamSpec function_record_params[] = {
    {"file", PARAM_FILE, "", NULL, NULL, NULL, "CSV with the time in its first column, or PEER .at2"},
    {"column", PARAM_INTEGER, "1", "2", "[2,inf[", NULL, "column of the values, counted from 1"},
    {"scale", PARAM_REAL, "1", "1", NULL, NULL, "factor on the values"},
    {"start", PARAM_REAL, "s", "0", NULL, NULL, "time of the run at which its own time is zero, e.g. the end of the stage before"},
    {"unit", PARAM_CHOICE, "", "", NULL, "m/s^2|g", "of the values (g = 9.80665 m/s^2); where absent m/s^2 of CSV, g of .at2"},
    {"baseline", PARAM_CHOICE, "", "none", NULL, "none|linear|quadratic", "what is taken from the acceleration, so that no velocity and no displacement is left at its end; quadratic: and none on the mean"},
};
static const SchemaVariant function_kinds[] = {
    {"expression", "an expression of t", function_expression_params, COUNT(function_expression_params)},
    {"table", "linear between the rows of a CSV file, constant outside", function_table_params, COUNT(function_table_params)},
    {"accelerogram", "displacement from an acceleration record, integrated twice", function_record_params, COUNT(function_record_params)},
};

static const ParamSpec material_params[] = {
    {"name", PARAM_NAME, "", NULL, NULL, NULL, "how bodies refer to it"},
    {"law", PARAM_CHOICE, "", "elastic", NULL, NULL, "bulk law"},
    {"density", PARAM_REAL, "kg/m^3", NULL, "]0,inf[", NULL, "mass per volume"},
    {"damping_mass", PARAM_REAL, "1/s", "0", "[0,inf[", NULL, "Rayleigh damping: V = damping_mass M + damping_stiffness K"},
    {"damping_stiffness", PARAM_REAL, "s", "0", "[0,inf[", NULL, "see damping_mass"},
    {"library", PARAM_FILE, "", "", NULL, NULL, "a file of materials, e.g. data/materials.xml: attributes that are not given here are those of the material there that `id` names"},
    {"id", PARAM_TEXT, "", "", NULL, NULL, "its name in the library; as name where absent"},
};

static const ParamSpec law_params[] = {
    {"name", PARAM_NAME, "", NULL, NULL, NULL, "how contacts refer to it"},
    {"type", PARAM_CHOICE, "", "coulomb", NULL, NULL, "interface law"},
};

// What every meshed body or assembly of bodies has.
#define BODY_PARAMS(KINEMATICS, KINEMATICS_DOC) \
    {"name", PARAM_NAME, "", NULL, NULL, NULL, "name of the body, or of the group of its blocks"}, \
    {"material", PARAM_REF, "", NULL, NULL, "material", "bulk material"}, \
    {"kinematics", PARAM_CHOICE, "", KINEMATICS, NULL, "small|corotational|finite|rigid", "small strains in a fixed frame, or in one that follows the body; finite strains; rigid (density is all that counts of the material)" KINEMATICS_DOC}, \
    {"b_bar", PARAM_BOOL, "", "no", NULL, NULL, "mean dilatation in the elements (against volumetric locking)"}, \
    {"bending_modes", PARAM_BOOL, "", "no", NULL, NULL, "incompatible modes in quadrilaterals and hexahedra at small strains (against locking in bending, and of volume)"}, \
    {"mass", PARAM_CHOICE, "", "lumped", NULL, "lumped|consistent", "mass matrix of elements at small strains: masses at the nodes (with which a block of n cells turns with 1 + 2 / n^2 times its inertia: 3 times for one cell, 1.5 for two), or that of the shape functions, with the exact inertia"}, \
    {"x", PARAM_REAL, "m", "0", NULL, NULL, "position of the lower left corner, of the mesh's origin, or of the middle of an arch's springing"}, \
    {"y", PARAM_REAL, "m", "0", NULL, NULL, "see x"}, \
    {"z", PARAM_REAL, "m", "0", NULL, NULL, "see x (space=\"solid\")"}
// Of masonry the blocks turn: small rotations are what must be asked for.
#define BLOCK_PARAMS BODY_PARAMS("", "; corotational where absent, small for rings, in space and where nodes are prescribed")
#define CELL_PARAMS \
    {"cells_x", PARAM_INTEGER, "1", "2", "[1,1000]", NULL, "cells along the length of a block (around an arch)"}, \
    {"cells_y", PARAM_INTEGER, "1", "2", "[1,1000]", NULL, "cells along its height (across the ring)"}, \
    {"pattern", PARAM_CHOICE, "", "t3_right", NULL, mesh_patterns, "how a cell is divided; in space q4 where absent, drawn out into hexahedra"}, \
    {"depth", PARAM_REAL, "m", "", "]0,inf[", NULL, "in space: how far the drawing in the plane z goes on towards larger z"}, \
    {"cells_z", PARAM_INTEGER, "1", "1", "[1,1000]", NULL, "in space: cells along the depth"}

static const ParamSpec wall_params[] = {
    BLOCK_PARAMS,
    {"bond", PARAM_CHOICE, "", "running", NULL, "running|stack|flemish|english", "how courses lie on one another; flemish: headers and stretchers by turns in each course, english: courses of each by turns"},
    {"courses", PARAM_INTEGER, "1", NULL, "[1,100000]", NULL, "number of courses"},
    {"blocks", PARAM_REAL, "1", NULL, "[1,100000]", NULL, "length of the wall in block lengths"},
    {"length", PARAM_REAL, "m", NULL, "]0,inf[", NULL, "length of a block"},
    {"height", PARAM_LIST, "m", NULL, "]0,inf[", NULL, "height of a course; several values are repeated upwards"},
    {"header", PARAM_REAL, "m", "", "]0,inf[", NULL, "Flemish and English bond: length of a header; half a block where absent"},
    {"halves", PARAM_CHOICE, "", "odd", NULL, "odd|even|none", "running bond: courses (1 = lowest) with half blocks at both ends; none: ragged ends"},
    CELL_PARAMS,
    {"leaves", PARAM_INTEGER, "1", "1", "[1,100]", NULL, "in space: blocks side by side across the depth, each cells_z deep; headers and lintels go through"},
};
static const ParamSpec opening_params[] = {
    {"left", PARAM_REAL, "m", NULL, "[0,inf[", NULL, "left side, from the left end of the wall"},
    {"bottom", PARAM_REAL, "m", NULL, "[0,inf[", NULL, "lower side, from the foot of the wall"},
    {"width", PARAM_REAL, "m", NULL, "]0,inf[", NULL, "clear width"},
    {"height", PARAM_REAL, "m", NULL, "]0,inf[", NULL, "clear height, ends at a course joint"},
    {"lintel_bearing", PARAM_REAL, "m", "0", "[0,inf[", NULL, "bearing of the lintel on each side; 0: no lintel"},
    {"lintel_height", PARAM_REAL, "m", "0", "[0,inf[", NULL, "height of the lintel; 0: one course"},
};
static const ParamSpec arch_params[] = {
    BLOCK_PARAMS,
    {"shape", PARAM_CHOICE, "", "semicircular", NULL, "semicircular|segmental|pointed", "curve of the intrados"},
    {"span", PARAM_REAL, "m", NULL, "]0,inf[", NULL, "clear span on the intrados"},
    {"rise", PARAM_REAL, "m", "", "]0,inf[", NULL, "rise of the intrados (segmental, pointed)"},
    {"thickness", PARAM_REAL, "m", NULL, "]0,inf[", NULL, "radial thickness"},
    {"voussoirs", PARAM_INTEGER, "1", NULL, "[1,100000]", NULL, "number of voussoirs"},
    {"straight", PARAM_BOOL, "", "no", NULL, NULL, "voussoirs with straight sides (chords)"},
    CELL_PARAMS,
};
static const ParamSpec column_params[] = {
    BLOCK_PARAMS,
    {"width", PARAM_REAL, "m", NULL, "]0,inf[", NULL, "width of a drum"},
    {"height", PARAM_REAL, "m", NULL, "]0,inf[", NULL, "height of a drum"},
    {"drums", PARAM_INTEGER, "1", NULL, "[1,100000]", NULL, "number of drums"},
    {"sides", PARAM_INTEGER, "1", "", "[3,64]", NULL, "in space: round drums, prisms with so many sides in the ellipse of width and depth; rectangular where absent"},
    CELL_PARAMS,
};
static const ParamSpec rubble_params[] = {
    BODY_PARAMS("rigid", ""),
    {"count", PARAM_INTEGER, "1", NULL, "[1,1000000]", NULL, "number of stones"},
    {"radius", PARAM_REAL, "m", NULL, "]0,inf[", NULL, "of the balls on which their corners lie"},
    {"width", PARAM_REAL, "m", NULL, "]0,inf[", NULL, "across z they lie in a circle of this width about (x, y), layer after layer from z on"},
    {"corners", PARAM_COUNTS, "1", "", "[4,16]", NULL, "least and most corners of a stone; 8 12 where absent"},
    {"seed", PARAM_INTEGER, "1", "1", "[0,inf[", NULL, "of the random shapes: the same gives the same stones"},
};
static const ParamSpec stones_params[] = {
    BLOCK_PARAMS,
    {"file", PARAM_FILE, "", NULL, NULL, NULL, "CSV with the columns x, y, length, height, in space also z, depth: lowest corner and size of each stone, one a row [m]"},
    {"tolerated", PARAM_REAL, "m", "0", "[0,inf[", NULL, "stones may be inside one another by so much at the start, and stay so: contact does not push them apart"},
    {"may_float", PARAM_BOOL, "", "no", NULL, NULL, "stones above the lowest one need not stand on others, but e.g. on supports"},
    {"cells_x", PARAM_INTEGER, "1", "2", "[1,1000]", NULL, "cells along the length of each stone"},
    {"cells_y", PARAM_INTEGER, "1", "2", "[1,1000]", NULL, "cells along its height"},
    {"cells_z", PARAM_INTEGER, "1", "1", "[1,1000]", NULL, "in space: cells along its depth"},
    {"pattern", PARAM_CHOICE, "", "t3_right", NULL, mesh_patterns, "how a cell is divided; in space q4 where absent"},
};
static const ParamSpec block_params[] = {
    BLOCK_PARAMS,
    {"angle", PARAM_REAL, "rad", "0", NULL, NULL, "rotation about (x, y)"},
    {"width", PARAM_REAL, "m", "", "]0,inf[", NULL, "width of a rectangle"},
    {"height", PARAM_REAL, "m", "", "]0,inf[", NULL, "height of a rectangle"},
    {"corners", PARAM_LIST, "m", "", NULL, NULL, "instead of width and height: x y of four corners, counter-clockwise from the lower left"},
    CELL_PARAMS,
};
static const ParamSpec disk_params[] = {
    {"name", PARAM_NAME, "", NULL, NULL, NULL, "name of the disk"},
    {"material", PARAM_REF, "", NULL, NULL, "material", "its density is all that counts"},
    {"radius", PARAM_REAL, "m", NULL, "]0,inf[", NULL, "radius"},
    {"x", PARAM_REAL, "m", "0", NULL, NULL, "place of its centre"},
    {"y", PARAM_REAL, "m", "0", NULL, NULL, "see x"},
};
static const ParamSpec body_params[] = {
    BODY_PARAMS("small", ""),
    {"angle", PARAM_REAL, "rad", "0", NULL, NULL, "rotation about the mesh's origin"},
    {"mesh", PARAM_FILE, "", NULL, NULL, NULL, "file, Gmsh (2.2 or 4.1, ASCII or binary) or by its ending Abaqus (.inp) or LS-DYNA (.k, .key, .dyn)"},
    {"group", PARAM_TEXT, "", "", NULL, NULL, "physical group of elements that makes the body; all where absent"},
    {"scale", PARAM_REAL, "1", "1", "]0,inf[", NULL, "factor on the coordinates of the file"},
    {"split", PARAM_CHOICE, "", "no", NULL, "no|groups|pieces", "a body of each physical group of elements, NAME.GROUP, or of each piece that hangs together, NAME.1 ..; NAME stands for all, and so do its groups of nodes"},
    {"parts", PARAM_CHOICE, "", "no", NULL, "no|groups|pieces", "one rigid body of several convex parts, in space: its physical groups of elements, or its pieces that hang together; contact is by parts, faces that lie in another one touch nothing"},
};
static const ParamSpec box_params[] = {
    BODY_PARAMS("small", ""),
    {"size", PARAM_LIST, "m", NULL, "]0,inf[", NULL, "edge lengths along x, y, z"},
    {"cells", PARAM_COUNTS, "1", NULL, "[1,1000]", NULL, "number of H8 along x, y, z"},
};
static const ParamSpec polyhedron_params[] = {
    BODY_PARAMS("rigid", ""),
    {"corners", PARAM_LIST, "m", "", NULL, NULL, "x y z of each corner, in any order; all must be corners of their convex hull"},
    {"file", PARAM_FILE, "", "", NULL, NULL, "instead of corners: CSV with the columns x, y, z, a corner a row [m]; or a closed convex surface, STL (.stl) or Gmsh (.msh), its faces outward"},
    {"orientation", PARAM_LIST, "1", "", NULL, NULL, "how it is turned about the origin of its corners, before it is placed at x, y, z: a quaternion w x y z, of any length; not turned where absent"},
};
static const ParamSpec part_params[] = {
    {"corners", PARAM_LIST, "m", "", NULL, NULL, "x y z of each corner of this part, as those of a polyhedron"},
    {"file", PARAM_FILE, "", "", NULL, NULL, "instead of corners: CSV with the columns x, y, z, or a closed convex surface (.stl, .msh)"},
};
static const ParamSpec cylinder_params[] = {
    BODY_PARAMS("small", ""),
    {"radius", PARAM_REAL, "m", NULL, "]0,inf[", NULL, "radius; the axis is z, the foot at z"},
    {"height", PARAM_REAL, "m", NULL, "]0,inf[", NULL, "height"},
    {"size", PARAM_REAL, "m", NULL, "]0,inf[", NULL, "largest edge of an element across the axis"},
    {"layers", PARAM_INTEGER, "1", NULL, "[1,100000]", NULL, "layers of elements along the axis"},
    {"quarter", PARAM_BOOL, "", "no", NULL, NULL, "only x, y >= 0, with nodes NAME.symmetry_x and .symmetry_y"},
};
static const ParamSpec sheet_params[] = {
    {"name", PARAM_NAME, "", NULL, NULL, NULL, "name of the sheet"},
    {"material", PARAM_REF, "", NULL, NULL, "material", "bulk material"},
    {"shape", PARAM_CHOICE, "", NULL, NULL, NULL, "its outline"},
    {"thickness", PARAM_REAL, "m", NULL, "]0,inf[", NULL, "at the start"},
    {"layers", PARAM_INTEGER, "1", "7", "[3,15]", NULL, "Gauss points through the thickness: 5 to try, 7 for forming, 9 to 11 for springback"},
    {"edge_unknown", PARAM_BOOL, "", "yes", NULL, NULL, "triangles with the angle of each edge: right on every mesh"},
    {"rolling", PARAM_LIST, "1", "", NULL, NULL, "rolling direction x y z; needed where the sheet is anisotropic in its plane"},
    {"x", PARAM_REAL, "m", "0", NULL, NULL, "position of the mesh's origin"},
    {"y", PARAM_REAL, "m", "0", NULL, NULL, "see x"},
    {"z", PARAM_REAL, "m", "0", NULL, NULL, "see x"},
};
static const ParamSpec sheet_disk_params[] = {
    {"radius", PARAM_REAL, "m", NULL, "]0,inf[", NULL, "radius"},
    {"size", PARAM_REAL, "m", NULL, "]0,inf[", NULL, "largest width of the rings of elements"},
    {"fine", PARAM_REAL, "m", "0", "[0,inf[", NULL, "the same beyond the radius `from`; 0: as size"},
    {"around", PARAM_REAL, "m", "0", "[0,inf[", NULL, "largest length of elements at the rim; 0: as size"},
    {"from", PARAM_REAL, "m", "0", "[0,inf[", NULL, "radius beyond which all rings have the same number of elements; 0: a third"},
    {"stagger", PARAM_REAL, "1", "0", "[0,inf[", NULL, "widths of rings by which rings beyond `from` shift along a quarter; a ring that is a circle comes to the shoulder of a die all at once, and forces of tools pulsate; 1: they are quiet"},
    {"quarter", PARAM_BOOL, "", "no", NULL, NULL, "only x, y >= 0, with nodes NAME.symmetry_x and .symmetry_y"},
    {"pattern", PARAM_CHOICE, "", "t3", NULL, blank_patterns, "triangles (diagonals the shorter ones, or alike) or quadrilaterals"},
};
static const ParamSpec sheet_rectangle_params[] = {
    {"width", PARAM_LIST, "m", NULL, "]0,inf[", NULL, "whole widths along x and y; one number: both"},
    {"size", PARAM_LIST, "m", NULL, "]0,inf[", NULL, "largest edges of elements along x and y; one number: both"},
    {"quarter", PARAM_BOOL, "", "no", NULL, NULL, "only x, y >= 0, with nodes NAME.symmetry_x and .symmetry_y"},
    {"pattern", PARAM_CHOICE, "", "t3", NULL, blank_patterns, "triangles or quadrilaterals"},
};
static const ParamSpec sheet_contour_params[] = {
    {"outline", PARAM_LIST, "m", NULL, NULL, NULL, "corners as triples: x, y, radius of the fillet there; closed, either way round"},
    {"size", PARAM_REAL, "m", NULL, "]0,inf[", NULL, "edges of elements are about this long; finer at small fillets, short sides and in zones"},
    {"grading", PARAM_REAL, "1", "0.25", "]0,1]", NULL, "growth of the size per distance from where it is finer"},
    {"symmetry", PARAM_BOOL, "", "no", NULL, NULL, "sides on x = 0, y = 0 are NAME.symmetry_x, NAME.symmetry_y and no part of NAME.edge"},
    {"pattern", PARAM_CHOICE, "", "t3", NULL, contour_patterns, "triangles or quadrilaterals"},
};
static const ParamSpec hole_params[] = {
    {"outline", PARAM_LIST, "m", NULL, NULL, NULL, "as that of the sheet"},
};
static const ParamSpec zone_params[] = {
    {"size", PARAM_REAL, "m", NULL, "]0,inf[", NULL, "edges of elements in the zone are about this long"},
    {"circle", PARAM_LIST, "m", "", NULL, NULL, "x y radius, or:"},
    {"box", PARAM_LIST, "m", "", NULL, NULL, "x y of the lower and the upper corner"},
};
static const ParamSpec sheet_mesh_params[] = {
    {"mesh", PARAM_FILE, "", NULL, NULL, NULL, "file with triangles or quadrilaterals in space: Gmsh, or by its ending STL (.stl), Abaqus (.inp) or LS-DYNA (.k, .key, .dyn)"},
    {"scale", PARAM_REAL, "1", "1", "]0,inf[", NULL, "factor on the coordinates of the file"},
};
static const SchemaVariant sheet_shapes[] = {
    {"disk", "a disk in the plane z = 0", sheet_disk_params, COUNT(sheet_disk_params)},
    {"rectangle", "a rectangle in the plane z = 0, its middle at the origin", sheet_rectangle_params, COUNT(sheet_rectangle_params)},
    {"contour", "lines and arcs in the plane z = 0; nodes NAME.side_1, NAME.arc_1 by the corners where they begin, NAME.hole_1", sheet_contour_params, COUNT(sheet_contour_params)},
    {"mesh", "a surface mesh", sheet_mesh_params, COUNT(sheet_mesh_params)},
};
static const ParamSpec hold_params[] = {
    {"on", PARAM_TEXT, "", NULL, NULL, NULL, "nodes, e.g. blank.symmetry_x"},
    {"as", PARAM_CHOICE, "", NULL, NULL, "clamped|symmetry_x|symmetry_y|symmetry_z|plane_x|plane_y|plane_z|fixed|x|y|z", "clamped: no motion, no turning of edges; symmetry about a plane across that axis; plane: the same for all nodes of a sheet, which is plane strain; fixed: no motion; x: no motion along x"},
    {"near", PARAM_LIST, "m", "", NULL, NULL, "x y (in space x y z): only that node of `on` which is nearest to this point of the body"},
    {"stage", PARAM_TEXT, "", "", NULL, NULL, "names of the stages in which it holds (as fixed, x, y, z); all where absent"},
};
#define TOOL_TURN \
    {"turn", PARAM_FUNCTION, "rad", "0", NULL, NULL, "prescribed rotation since the start, counterclockwise; in space about `axis`; not of free tools, nor where there are sheets"}, \
    {"axis", PARAM_LIST, "1", "", NULL, NULL, "direction it turns about in space, x y z; absent: z"}, \
    {"about_x", PARAM_REAL, "m", "0", NULL, NULL, "the point it turns about, which move_x, move_y take along"}, \
    {"about_y", PARAM_REAL, "m", "0", NULL, NULL, "see about_x"}, \
    {"about_z", PARAM_REAL, "m", "0", NULL, NULL, "see about_x"}
static const ParamSpec tool_params[] = {
    {"name", PARAM_NAME, "", NULL, NULL, NULL, "name of the rigid tool"},
    {"shape", PARAM_CHOICE, "", NULL, NULL, NULL, "its surface, in the axes of the model"},
    {"free", PARAM_TEXT, "", "", NULL, NULL, "directions in which it is moved by forces and contact, e.g. y or xyz; it does not turn then"},
    {"mass", PARAM_REAL, "kg", "0", "[0,inf[", NULL, "inertia in its free directions; no weight"},
    {"move_x", PARAM_FUNCTION, "m", "0", NULL, NULL, "prescribed displacement"},
    {"move_y", PARAM_FUNCTION, "m", "0", NULL, NULL, "prescribed displacement"},
    {"move_z", PARAM_FUNCTION, "m", "0", NULL, NULL, "prescribed displacement"},
    {"velocity_x", PARAM_FUNCTION, "m/s", "", NULL, NULL, "prescribed velocity, instead of move_x"},
    {"velocity_y", PARAM_FUNCTION, "m/s", "", NULL, NULL, "prescribed velocity, instead of move_y"},
    {"velocity_z", PARAM_FUNCTION, "m/s", "", NULL, NULL, "prescribed velocity, instead of move_z"},
    TOOL_TURN,
};
static const ParamSpec support_params[] = {
    {"name", PARAM_NAME, "", NULL, NULL, NULL, "name of the rigid support"},
    {"shape", PARAM_CHOICE, "", NULL, NULL, NULL, "its outline"},
    {"x", PARAM_REAL, "m", "0", NULL, NULL, "lower left corner of a box, a point of a plane, place of a mesh's origin"},
    {"y", PARAM_REAL, "m", "0", NULL, NULL, "see x"},
    {"z", PARAM_REAL, "m", "0", NULL, NULL, "see x (space=\"solid\")"},
    {"move_x", PARAM_FUNCTION, "m", "0", NULL, NULL, "prescribed displacement"},
    {"move_y", PARAM_FUNCTION, "m", "0", NULL, NULL, "prescribed displacement"},
    {"move_z", PARAM_FUNCTION, "m", "0", NULL, NULL, "prescribed displacement"},
    {"velocity_x", PARAM_FUNCTION, "m/s", "", NULL, NULL, "prescribed velocity, instead of move_x"},
    {"velocity_y", PARAM_FUNCTION, "m/s", "", NULL, NULL, "prescribed velocity, instead of move_y"},
    {"velocity_z", PARAM_FUNCTION, "m/s", "", NULL, NULL, "prescribed velocity, instead of move_z"},
    {"turn", PARAM_FUNCTION, "rad", "0", NULL, NULL, "prescribed rotation since the start, counterclockwise; in space about `axis`"},
    {"axis", PARAM_LIST, "1", "", NULL, NULL, "direction it turns about in space, x y z; absent: z"},
    {"about_x", PARAM_REAL, "m", "", NULL, NULL, "the point it turns about, which move_x, move_y take along; absent: the middle of a box, else (x, y, z)"},
    {"about_y", PARAM_REAL, "m", "", NULL, NULL, "see about_x"},
    {"about_z", PARAM_REAL, "m", "", NULL, NULL, "see about_x"},
};
static const ParamSpec support_box_params[] = {
    {"width", PARAM_REAL, "m", NULL, "]0,inf[", NULL, "width"},
    {"height", PARAM_REAL, "m", NULL, "]0,inf[", NULL, "height"},
    {"depth", PARAM_REAL, "m", "", "]0,inf[", NULL, "edge along z, in space"},
};
static const ParamSpec support_plane_params[] = {
    {"angle", PARAM_REAL, "rad", "0", NULL, NULL, "slope of the plane; 0: horizontal, bodies above"},
    {"normal", PARAM_LIST, "1", "", NULL, NULL, "in space: direction to the bodies, x y z; absent: z"},
    {"length", PARAM_REAL, "m", "1000", "]0,inf[", NULL, "how far its face reaches to each side of (x, y, z); it ends there, and what goes farther falls"},
};
static const ParamSpec support_mesh_params[] = {
    {"mesh", PARAM_FILE, "", NULL, NULL, NULL, "file with the elements that fill it, as of a <body>"},
    {"scale", PARAM_REAL, "1", "1", "]0,inf[", NULL, "factor on the coordinates of the file"},
};
static const SchemaVariant support_shapes[] = {
    {"box", "a rectangle, in space a box", support_box_params, COUNT(support_box_params)},
    {"plane", "a slab with a flat face through (x, y, z), as thick as it is long", support_plane_params, COUNT(support_plane_params)},
    {"mesh", "any body that a mesh fills", support_mesh_params, COUNT(support_mesh_params)},
};
static const ParamSpec group_params[] = {
    {"name", PARAM_NAME, "", NULL, NULL, NULL, "name of the group"},
    {"bodies", PARAM_TEXT, "", NULL, NULL, NULL, "names of bodies, assemblies or groups, separated by blanks"},
};
static const ParamSpec contact_params[] = {
    {"candidate", PARAM_TEXT, "", NULL, NULL, NULL, "body, assembly or group whose points are candidates, e.g. wall, wall.course_1"},
    {"antagonist", PARAM_TEXT, "", NULL, NULL, NULL, "body, assembly or group they may touch; may be the same"},
    {"law", PARAM_REF, "", NULL, NULL, "law", "interface law"},
    {"points", PARAM_CHOICE, "", "overlap", NULL, "overlap|midpoints|nodes|gauss|corners|reduced", "where a joint has contact points: overlap: ends and nodes of what both sides have in common (in space of flat faces, else nodes and crossing edges); midpoints: middle of edges (in space of flat faces: one for each face of the finer mesh, which holds the mean of what it has in common with the other side); nodes: true ends; gauss: two Gauss points an edge. In space also of flat faces: corners: corners of what they have in common alone, each holding the mean of its share of either face; reduced: three or four of these, with the largest area between them"},
    {"thickness", PARAM_CHOICE, "", "current", NULL, "current|start|pressed", "of sheets, as tools see it; start: one that grows thicker between tools at a fixed distance is neither pinched nor ironed; pressed: the current one, and all that tools bear presses it across, as it does solids"},
    {"self", PARAM_BOOL, "", "no", NULL, NULL, "also each body that is candidate and antagonist against itself"},
};
static const ParamSpec bead_params[] = {
    {"sheet", PARAM_TEXT, "", NULL, NULL, NULL, "the sheet that it holds back"},
    {"tool", PARAM_TEXT, "", NULL, NULL, NULL, "the tool that it stands on; with it it moves and goes"},
    {"line", PARAM_LIST, "m", NULL, NULL, NULL, "x y z of two or more points, on the middle of the sheet"},
    {"restraint", PARAM_REAL, "N/m", NULL, "[0,inf[", NULL, "force per length of the line against sliding"},
    {"spacing", PARAM_REAL, "m", "", "]0,inf[", NULL, "of its contact points, at most; half the shortest edge of a sheet where absent"},
};
static const ParamSpec detection_params[] = {
    {"alert", PARAM_REAL, "m", "", "]0,inf[", NULL, "contacts are set up when closer than this; a tenth of the shortest edge where absent"},
    {"tolerated", PARAM_REAL, "m", "0", "[0,inf[", NULL, "bodies may lie in one another by so much at the start, and stay so: they are not pushed apart"},
};
static const ParamSpec gravity_params[] = {
    {"x", PARAM_FUNCTION, "m/s^2", "0", NULL, NULL, "component"},
    {"y", PARAM_FUNCTION, "m/s^2", "-9.81", NULL, NULL, "component"},
    {"z", PARAM_FUNCTION, "m/s^2", "0", NULL, NULL, "component"},
    {"of", PARAM_TEXT, "", "", NULL, NULL, "body or group; all where absent"},
};
static const ParamSpec force_params[] = {
    {"on", PARAM_TEXT, "", NULL, NULL, NULL, "nodes, e.g. wall.top or block.top"},
    {"x", PARAM_FUNCTION, "N", "0", NULL, NULL, "component, in total"},
    {"y", PARAM_FUNCTION, "N", "0", NULL, NULL, "component, in total"},
    {"z", PARAM_FUNCTION, "N", "0", NULL, NULL, "component, in total"},
    {"near", PARAM_LIST, "m", "", NULL, NULL, "x y z: only on that node of `on` which is nearest to this point"},
    {"each", PARAM_BOOL, "", "no", NULL, NULL, "the force acts on every node instead of being shared"},
};
static const ParamSpec pressure_params[] = {
    {"on", PARAM_TEXT, "", NULL, NULL, NULL, "edges, e.g. wall.top"},
    {"value", PARAM_FUNCTION, "Pa", "0", NULL, NULL, "pressure against the outward normal of the reference geometry"},
    {"x", PARAM_FUNCTION, "Pa", "0", NULL, NULL, "traction component"},
    {"y", PARAM_FUNCTION, "Pa", "0", NULL, NULL, "traction component"},
    {"z", PARAM_FUNCTION, "Pa", "0", NULL, NULL, "traction component"},
};
static const ParamSpec prescribe_params[] = {
    {"on", PARAM_TEXT, "", NULL, NULL, NULL, "nodes, e.g. block.left"},
    {"x", PARAM_FUNCTION, "m", "", NULL, NULL, "displacement; free where absent"},
    {"y", PARAM_FUNCTION, "m", "", NULL, NULL, "displacement; free where absent"},
    {"z", PARAM_FUNCTION, "m", "", NULL, NULL, "displacement; free where absent"},
    {"velocity_x", PARAM_FUNCTION, "m/s", "", NULL, NULL, "velocity, instead of x"},
    {"velocity_y", PARAM_FUNCTION, "m/s", "", NULL, NULL, "velocity, instead of y"},
    {"velocity_z", PARAM_FUNCTION, "m/s", "", NULL, NULL, "velocity, instead of z"},
    {"stage", PARAM_TEXT, "", "", NULL, NULL, "names of the stages in which it holds (kinematics=\"finite\", sheets); all where absent"},
};
static const ParamSpec velocity_params[] = {
    {"of", PARAM_TEXT, "", NULL, NULL, NULL, "body, assembly or group"},
    {"x", PARAM_REAL, "m/s", "0", NULL, NULL, "initial velocity"},
    {"y", PARAM_REAL, "m/s", "0", NULL, NULL, "initial velocity"},
    {"z", PARAM_REAL, "m/s", "0", NULL, NULL, "initial velocity"},
    {"spin", PARAM_LIST, "rad/s", "0", NULL, NULL, "initial angular velocity of each body about its centre of mass; in space three numbers, about x, y and z"},
};
static const ParamSpec time_params[] = {
    {"start", PARAM_REAL, "s", "0", NULL, NULL, "time of the first state"},
    {"end", PARAM_REAL, "s", "", NULL, NULL, "time of the last state; not with stages, which have ends of their own"},
    {"step", PARAM_REAL, "s", NULL, "]0,inf[", NULL, "step size h"},
    {"theta", PARAM_REAL, "1", "0.5", "[0.5,1]", NULL, "0.5 conserves energy, 1 damps"},
    {"on_miss", PARAM_CHOICE, "", "continue", NULL, "continue|cut|stop", "when the contact solver misses its tolerance"},
    {"max_cuts", PARAM_INTEGER, "1", "6", "[0,20]", NULL, "how often a failed step may be halved"},
    {"step_min", PARAM_REAL, "s", "", "]0,inf[", NULL, "with it steps are made of sub-steps that shrink on failure, not below this, and grow again"},
    {"growth", PARAM_REAL, "1", "1.5", "]1,10]", NULL, "how much a sub-step that was easy lets the next one grow"},
};
static const ParamSpec stage_params[] = {
    {"name", PARAM_NAME, "", NULL, NULL, NULL, "name of the stage"},
    {"duration", PARAM_REAL, "s", "", "]0,inf[", NULL, "how long it takes; until=\"rest\": the longest it may take"},
    {"until", PARAM_CHOICE, "", "duration", NULL, "duration|rest", "what ends it"},
    {"rest_energy", PARAM_REAL, "1", "1e-6", "]0,1[", NULL, "at rest: kinetic energy over the largest of the stage and the elastic energy at its start"},
    {"rest_velocity", PARAM_REAL, "m/s", "", "]0,inf[", NULL, "at rest no node is faster than this either"},
    {"without_rest", PARAM_CHOICE, "", "stop", NULL, "stop|continue", "after the duration: the run fails, or goes on with a warning"},
    {"remove", PARAM_TEXT, "", "", NULL, NULL, "tools and supports that are gone from its start on, separated by blanks"},
    {"release", PARAM_INTEGER, "1", "20", "[0,inf[", NULL, "steps in which what the removed tools, and holds that end, held in bodies at finite strains and sheets is let go, static where these are held otherwise; 0: at once"},
    {"from_rest", PARAM_BOOL, "", "no", NULL, NULL, "all velocities are set to zero at its start"},
    {"step", PARAM_REAL, "s", "", "]0,inf[", NULL, "step size h; that of <time> where absent, as for the next ones"},
    {"step_max", PARAM_REAL, "s", "", "]0,inf[", NULL, "steps that were easy grow up to this; where absent as step, a hundred times that of a stage until=\"rest\" that is not static"},
    {"step_min", PARAM_REAL, "s", "", "]0,inf[", NULL, "see <time>"},
    {"theta", PARAM_REAL, "1", "", "[0.5,1]", NULL, "see <time>"},
    {"statics", PARAM_BOOL, "", "", NULL, NULL, "see <newton>"},
    {"damping", PARAM_REAL, "1/s", "0", "[0,inf[", NULL, "V = damping M, beside that of the materials, of bodies at finite strains"},
};
static const ParamSpec trim_params[] = {
    {"of", PARAM_TEXT, "", NULL, NULL, NULL, "the sheet"},
    {"stage", PARAM_TEXT, "", NULL, NULL, NULL, "at the start of this stage, not the first"},
    {"cut", PARAM_CHOICE, "", NULL, NULL, "inside|outside", "elements whose middle lies there are cut off"},
    {"where", PARAM_CHOICE, "", "now", NULL, "now|start", "where the middle is at that time, or was at the start of the run"},
    {"shape", PARAM_CHOICE, "", NULL, NULL, NULL, "outline of the cut, a shape as those of tools"},
};
static const ParamSpec newton_params[] = {
    {"matrix", PARAM_CHOICE, "", "full", NULL, "full|iteration|kept|mass|corrected|explicit", "Newton matrix: tangent at each iterate, of the first one, kept over steps; M, M with a correction by K; explicit"},
    {"contact", PARAM_CHOICE, "", "auto", NULL, "auto|delassus|diagonal|primal", "contacts by W and the solver, by its diagonal blocks alone (small steps), or together with the bodies"},
    {"geometry", PARAM_CHOICE, "", "frozen", NULL, "frozen|updated", "geometry of contacts over a step"},
    {"tolerance", PARAM_REAL, "1", "1e-6", "]0,1[", NULL, "on the residual over its largest term"},
    {"max_iterations", PARAM_INTEGER, "1", "30", "[1,1000]", NULL, "beyond them the step is cut; it gets as many again where it is within a hundred tolerances"},
    {"line_search", PARAM_BOOL, "", "yes", NULL, NULL, "shorten increments where the residual grows or an element inverts"},
    {"statics", PARAM_BOOL, "", "no", NULL, NULL, "leave out inertia and damping; of elastic bodies inertia keeps the matrices regular, and each step is in balance"},
    {"rest_work", PARAM_REAL, "1", "1e-4", "]0,1[", NULL, "statics of elastic bodies are in balance where a solution works, or changes the strain energy, by no more than this share of it"},
};
static const ParamSpec solver_params[] = {
    {"type", PARAM_CHOICE, "", "auto", NULL, NULL, "method for the friction problem"},
    {"measure", PARAM_CHOICE, "", "deformation", NULL, "deformation|scaled", "what the tolerance is held against: the error of contact impulses in the energy that they put into bodies and joints, or the scaled error, the default where nothing deforms; parts that touch nothing that deforms are held against the scaled error in any case"},
    {"tolerance", PARAM_REAL, "1", "1e-3", "]0,1[", NULL, "on the measured error; 1e-6 by default where nothing deforms, and for such parts"},
    {"max_iterations", PARAM_INTEGER, "1", "", "[1,inf[", NULL, "cap for each step; that of the solver where absent"},
    {"relaxation", PARAM_REAL, "1", "1", "]0,2[", NULL, "over-relaxation of sweeps"},
};
static const ParamSpec verdicts_params[] = {
    {"energy", PARAM_REAL, "1", "0.05", "]0,inf]", NULL, "share of the energy and work of a step that contact, friction or the scheme may give; beyond it the step is cut, or told"},
    {"balance", PARAM_REAL, "1", "0.01", "]0,inf]", NULL, "error of the balance of energy"},
    {"penetration", PARAM_REAL, "1", "0.02", "]0,inf]", NULL, "share of the shortest edge of the bodies; beyond it the step is cut, or told"},
    {"sheet_penetration", PARAM_REAL, "1", "0.1", "]0,inf]", NULL, "share of the thickness of sheets"},
    {"turn", PARAM_REAL, "rad", "0.05", "]0,inf]", NULL, "rotation beyond which a body with kinematics=\"small\" is told, and a step in which one with kinematics=\"finite\" turns as far is cut, or told"},
    {"thinning", PARAM_REAL, "1", "0.3", "]0,inf]", NULL, "share of a sheet's thickness that is gone from which it is told"},
    {"necking", PARAM_REAL, "1", "0.1", "]0,inf]", NULL, "share by which the tension in a sheet may fall while it thins"},
    {"folds", PARAM_REAL, "elements", "0", "[0,inf]", NULL, "elements of sheets that may fold: be turned by a right angle against neighbours"},
    {"reaction", PARAM_REAL, "1", "0.02", "]0,inf]", NULL, "share of its load by which the reaction of a free tool may differ from it after it has touched"},
    {"sinking", PARAM_REAL, "1", "0.02", "]0,inf]", NULL, "share of the largest energy that tools may take by sinking in between the nodes of bodies with kinematics=\"finite\""},
    {"standing", PARAM_REAL, "1", "0.1", "]0,inf[", NULL, "share of its size by which a body may move, and radians by which it may turn, and still stands at the end (outcome of the run: stands, slides or falls)"},
};
static const ParamSpec rest_params[] = {
    {"time", PARAM_REAL, "s", "", NULL, NULL, "when; or:"},
    {"probe", PARAM_TEXT, "", "", NULL, NULL, "column of the history whose passage acts"},
    {"value", PARAM_REAL, "", "0", NULL, NULL, "value it passes"},
    {"direction", PARAM_CHOICE, "", "up", NULL, "up|down", "sense of the passage"},
    {"count", PARAM_INTEGER, "1", "1", "[1,inf[", NULL, "the count-th passage acts"},
};
static const ParamSpec output_params[] = {
    {"every", PARAM_INTEGER, "1", "", "[0,inf[", NULL, "steps between field outputs; 0: none; about fifty over the run where absent"},
    {"format", PARAM_CHOICE, "", "binary", NULL, "binary|ascii", "encoding of the VTK files"},
    {"positions", PARAM_CHOICE, "", "", NULL, "now|start", "where the points of the VTK files are; where absent now in models with sheets, else at the start. The array displacement leads from start to now in both"},
    {"history_every", PARAM_INTEGER, "1", "1", "[1,inf[", NULL, "steps between rows of the history"},
    {"layers", PARAM_BOOL, "", "no", NULL, NULL, "plastic strain and stress of every layer of sheets, not only of three"},
    {"checkpoint", PARAM_REAL, "s", "1", "[0,inf[", NULL, "wall time between checkpoints; 0: only at the end"},
};
static const ParamSpec forming_limit_params[] = {
    {"of", PARAM_TEXT, "", NULL, NULL, NULL, "sheets: a body or group"},
    {"points", PARAM_LIST, "1", "", NULL, NULL, "pairs minor strain, largest major strain (no percents); minor strains increase; beyond the ends the limit stays"},
    {"keeler", PARAM_REAL, "1", "", "]0,1]", NULL, "instead of points: exponent n of the hardening curve of a steel, from which and from the thickness of the sheet the curve of Keeler and Brazier follows; it was fitted up to 0.21 and 3 mm, beyond which that of these bounds is taken"},
    {"strain", PARAM_CHOICE, "", "logarithmic", NULL, "logarithmic|engineering", "what the strains of the points are"},
};
static const ParamSpec rim_params[] = {
    {"name", PARAM_NAME, "", NULL, NULL, NULL, "of the file rim_NAME.csv"},
    {"of", PARAM_TEXT, "", NULL, NULL, NULL, "nodes, e.g. blank.edge"},
    {"base", PARAM_LIST, "m", "", NULL, NULL, "x y (in space x y z): heights are above that node of the body which is nearest at the start, e.g. the middle of a cup"},
    {"about", PARAM_LIST, "m", "", NULL, NULL, "x y (in space x y z): a point of the axis; the origin where absent"},
    {"axis", PARAM_LIST, "1", "", NULL, NULL, "its direction, that of heights; z where absent, in the plane y"},
};
static const ParamSpec line_params[] = {
    {"name", PARAM_NAME, "", NULL, NULL, NULL, "of the file line_NAME.csv"},
    {"of", PARAM_TEXT, "", NULL, NULL, NULL, "the sheet"},
    {"from", PARAM_LIST, "m", NULL, NULL, NULL, "x y z of its beginning, at the start of the run"},
    {"to", PARAM_LIST, "m", NULL, NULL, NULL, "x y z of its end"},
};
static const ParamSpec probe_params[] = {
    {"name", PARAM_NAME, "", NULL, NULL, NULL, "column, or what its columns begin with"},
    {"quantity", PARAM_CHOICE, "", NULL, NULL, NULL, "what is observed at each step"},
    {"component", PARAM_TEXT, "", "", NULL, NULL, "only the column with this ending (x, y, z, kinetic...), named as the probe"},
    {"scale", PARAM_REAL, "1", "1", NULL, NULL, "factor on the values, e.g. 4 on the forces of a quarter model"},
};
static const ParamSpec no_params[] = {{0}};

static const char body_elements[] =
    "description|model|function|material|law|wall|arch|column|stones|rubble|block|disk|body|box|cylinder|polyhedron|sheet|support|tool|group|"
    "contact|bead|detection|gravity|force|pressure|prescribe|hold|velocity|time|stage|trim|newton|solver|verdicts|rest|output|probe|forming_limit|rim|line";

#define ELEMENT(NAME, DOC, TABLE) {.name = NAME, .doc = DOC, .params = TABLE, .n_params = COUNT(TABLE)}
#define ONCE(NAME, DOC, TABLE) {.name = NAME, .doc = DOC, .params = TABLE, .n_params = COUNT(TABLE), .max_count = 1}

static const SchemaElement elements[] = {
    {.name = "voussoir", .doc = "A case: model, drives, what to observe", .children = body_elements,
     .params = root_params, .n_params = COUNT(root_params), .min_count = 1, .max_count = 1, .may_change = "title"},
    {.name = "description", .doc = "Purpose, source and expected result", .params = no_params, .has_text = 1, .max_count = 1, .may_change = "*"},
    ONCE("model", "Plane, ring or space", model_params),
    {.name = "function", .doc = "A named function of time", .params = function_params, .n_params = COUNT(function_params),
     .selector = "kind", .variants = function_kinds, .n_variants = COUNT(function_kinds)},
    {.name = "material", .doc = "A bulk material", .params = material_params, .n_params = COUNT(material_params), .selector = "law", .from_library = 1},
    {.name = "law", .doc = "An interface law", .params = law_params, .n_params = COUNT(law_params), .selector = "type"},
    {.name = "wall", .doc = "A wall of blocks name.1 .. along its courses; groups name.course_1 .., .halves, .closers, .lintels, nodes name.top, .bottom, .left, .right",
     .params = wall_params, .n_params = COUNT(wall_params), .children = "opening"},
    ELEMENT("opening", "An opening in a wall", opening_params),
    ELEMENT("arch", "An arch of voussoirs name.1 .. from the left; groups name.left_springer, .right_springer, .keystone, nodes name.intrados, .extrados, .left, .right", arch_params),
    ELEMENT("column", "A column of drums name.1 .. from the foot; groups name.course_1 .., nodes name.bottom, .right, .top, .left", column_params),
    ELEMENT("stones", "Rectangular stones from a table: name.1 .. by its rows; nodes name.bottom, .right, .top, .left, in space .back, .front", stones_params),
    ELEMENT("rubble", "Convex stones of random shape in space, name.1 .., that do not touch at the start; groups name.course_1 .. of the layers", rubble_params),
    ELEMENT("disk", "A rigid disk (in the plane) that meets disks, bodies and supports; nodes name.center, .rim, drawn as a polygon", disk_params),
    ELEMENT("block", "One rectangular or quadrilateral block; nodes name.bottom, .right, .top, .left", block_params),
    ELEMENT("body", "One body from a mesh file, or one of each of its parts; its physical groups are nodes name.GROUP", body_params),
    ELEMENT("box", "A rectangular block of H8 in space; nodes name.x0, .x1, .y0, .y1, .z0, .z1", box_params),
    ELEMENT("cylinder", "A round bar of H8 in space; nodes name.bottom, .top, .edge, .centre, .axis_x, .axis_y", cylinder_params),
    {.name = "polyhedron", .doc = "A convex polyhedron in space, rigid unless kinematics says otherwise (tetrahedra about its middle), or one rigid body of several convex <part>s; nodes name.all",
     .params = polyhedron_params, .n_params = COUNT(polyhedron_params), .children = "part"},
    ELEMENT("part", "A convex part of a rigid polyhedron that is not convex; parts may share faces or overlap (mass counts twice there)", part_params),
    {.name = "sheet", .doc = "A thin sheet of shell elements at finite strains; nodes name.edge, .centre, .axis_x, .axis_y ..",
     .children = "hole|zone", .params = sheet_params, .n_params = COUNT(sheet_params), .selector = "shape", .variants = sheet_shapes, .n_variants = COUNT(sheet_shapes)},
    ELEMENT("hole", "A hole in a sheet with shape=\"contour\"", hole_params),
    ELEMENT("zone", "Where elements of a sheet with shape=\"contour\" are finer", zone_params),
    {.name = "tool", .doc = "A rigid surface that is moved, turned or pushed", .params = tool_params,
     .n_params = COUNT(tool_params), .selector = "shape"},
    {.name = "support", .doc = "A rigid support that stays or moves by a prescribed law", .params = support_params,
     .n_params = COUNT(support_params), .selector = "shape", .variants = support_shapes, .n_variants = COUNT(support_shapes)},
    ELEMENT("group", "A named group of bodies", group_params),
    ELEMENT("contact", "Which bodies may touch which, where and by what law; later ones win", contact_params),
    ELEMENT("bead", "A draw bead as a line that holds a sheet back by a constant force", bead_params),
    ONCE("detection", "Settings of the search for contacts", detection_params),
    ELEMENT("gravity", "Acceleration of gravity", gravity_params),
    ELEMENT("force", "A force on nodes", force_params),
    ELEMENT("pressure", "Pressure and traction on edges", pressure_params),
    ELEMENT("prescribe", "Prescribed displacement of nodes, for bodies of small and finite strains", prescribe_params),
    ELEMENT("hold", "Symmetry planes, clamped edges of sheets, fixed nodes", hold_params),
    ELEMENT("velocity", "Initial velocity", velocity_params),
    {.name = "time", .doc = "Time interval, step and scheme", .params = time_params, .n_params = COUNT(time_params), .min_count = 1, .max_count = 1,
     .may_change = "end|on_miss|max_cuts"},
    {.name = "stage", .doc = "A part of the run with an end of its own, one after the other in their order", .params = stage_params,
     .n_params = COUNT(stage_params), .may_change = "duration|until|rest_energy|rest_velocity|without_rest"},
    {.name = "trim", .doc = "Cuts off elements of a sheet when a stage begins, those whose middle lies inside or outside a shape",
     .params = trim_params, .n_params = COUNT(trim_params), .selector = "shape"},
    {.name = "newton", .doc = "Newton's method for bodies at finite strains", .params = newton_params, .n_params = COUNT(newton_params),
     .max_count = 1, .may_change = "contact|tolerance|max_iterations|line_search|rest_work"},
    {.name = "solver", .doc = "Contact solver", .params = solver_params, .n_params = COUNT(solver_params), .selector = "type", .max_count = 1, .may_change = "*"},
    {.name = "verdicts", .doc = "Limits beyond which a run is doubtful: it ends with exit code 5 and says where", .params = verdicts_params,
     .n_params = COUNT(verdicts_params), .max_count = 1, .may_change = "*"},
    ELEMENT("rest", "Sets all velocities to zero at a time or when a probe passes a value", rest_params),
    {.name = "output", .doc = "Fields, history, checkpoints", .params = output_params,
     .n_params = COUNT(output_params), .max_count = 1, .may_change = "*"},
    {.name = "forming_limit", .doc = "The forming-limit curve of a sheet: field forming_limit_index and the diagram of voussoir plot",
     .params = forming_limit_params, .n_params = COUNT(forming_limit_params), .may_change = "*"},
    {.name = "rim", .doc = "Angle, radius and height of the nodes of a rim at the end of the run, in rim_NAME.csv",
     .params = rim_params, .n_params = COUNT(rim_params), .may_change = "*"},
    {.name = "line", .doc = "Thickness and strains of the elements of a sheet along a line, at the end of the run, in line_NAME.csv",
     .params = line_params, .n_params = COUNT(line_params), .may_change = "*"},
    {.name = "probe", .doc = "Something observed at each step, in history.csv", .params = probe_params, .n_params = COUNT(probe_params), .selector = "quantity", .may_change = "*"},
};
// clang-format on

// The variants of a selector that stand in the table of another room.
static void attach(AppSchema *app, const char *element, const SchemaVariant *variants, int n) {
  for (int k = 0; k < COUNT(elements); k++)
    if (strcmp(app->elements[k].name, element) == 0) {
      app->elements[k].variants = variants;
      app->elements[k].n_variants = n;
    }
}

Status app_schema_init(AppSchema *app, Err *err) {
  *app = (AppSchema){0};
  int n_materials = 0, n_laws = 0, n_solvers = 0, n_shapes = 0;
  while (shape_types[n_shapes]) n_shapes++;
  MEM_NEW(app->shapes, n_shapes, err);
  for (int k = 0; k < n_shapes; k++)
    app->shapes[k] = (SchemaVariant){shape_types[k]->name, shape_types[k]->doc,
                                     shape_types[k]->params, shape_types[k]->n_params};
  while (material_types[n_materials]) n_materials++;
  while (law_types[n_laws]) n_laws++;
  while (solver_types[n_solvers]) n_solvers++;
  MEM_NEW(app->elements, COUNT(elements), err);
  memcpy(app->elements, elements, sizeof elements);
  for (int k = 0; k < COUNT(elements); k++)
    if (elements[k].params == no_params) app->elements[k].n_params = 0;
  MEM_NEW(app->materials, n_materials, err);
  MEM_NEW(app->laws, n_laws, err);
  MEM_NEW(app->solvers, n_solvers, err);
  MEM_NEW(app->probes, n_probe_types, err);
  for (int k = 0; k < n_probe_types; k++)
    app->probes[k] = (SchemaVariant){probe_types[k].name, probe_types[k].doc, probe_types[k].params,
                                     probe_types[k].n_params};
  for (int k = 0; k < n_materials; k++)
    app->materials[k] = (SchemaVariant){material_types[k]->name, material_types[k]->doc,
                                        material_types[k]->params, material_types[k]->n_params};
  for (int k = 0; k < n_laws; k++)
    app->laws[k] = (SchemaVariant){law_types[k]->name, law_types[k]->doc, law_types[k]->params,
                                   law_types[k]->n_params};
  for (int k = 0; k < n_solvers; k++)
    app->solvers[k] = (SchemaVariant){solver_types[k]->name, solver_types[k]->doc,
                                      solver_types[k]->params, solver_types[k]->n_params};
  attach(app, "material", app->materials, n_materials);
  attach(app, "law", app->laws, n_laws);
  attach(app, "probe", app->probes, n_probe_types);
  attach(app, "tool", app->shapes, n_shapes);
  attach(app, "trim", app->shapes, n_shapes);
  attach(app, "solver", app->solvers, n_solvers);
  app->schema = (Schema){.elements = app->elements, .n_elements = COUNT(elements)};
  return OK;
}

void app_schema_free(AppSchema *app) {
  mem_free(app->elements);
  mem_free(app->materials);
  mem_free(app->laws);
  mem_free(app->solvers);
  mem_free(app->probes);
  mem_free(app->shapes);
  *app = (AppSchema){0};
}
