// element/shell_section.h -- what all shells share: layers through the thickness, frames of the
// sheet, edges with their conditions, what is shown.
//
// Strains of a layer are E(zeta) = em + zeta lam chi in the frame (rolling direction, transverse)
// of the reference surface; lam, the stretch of the thickness, is that of the last accepted step,
// so that tangents stay exact. Vectors are (11, 22, 12), strains and curvatures with doubled shear.
//
// A sheet between two tools may be pressed across its thickness by p (sigma_33 = -p). Laws that
// yield by the deviator alone know it as plane stress and a hydrostatic part: with c = (1 - 2 nu)/E
// the law sees e + c p and gives t + p, and its thickness strain holds c p too much. See
// docs/theory/shells.md.

#ifndef ELEMENT_SHELL_SECTION_H
#define ELEMENT_SHELL_SECTION_H

#include "element/form.h"

enum { SHELL_MAX_LAYERS = FORM_MAX_LAYERS, SHELL_MIN_LAYERS = 2 };

typedef struct {
  int n;                           // layers, Gauss points through the thickness
  double zeta[SHELL_MAX_LAYERS];   // [m]
  double weight[SHELL_MAX_LAYERS]; // sum: thickness                                  [m]
  double thickness;                // at the start                                    [m]
  Material material;               // prepared copy
  struct HardeningCurve *curve;    // its; owned, NULL: none
  int n_state;                     // of a layer
  double bulk;                     // c                                              [1/Pa]
} ShellSection;

typedef struct {
  double em[3], chi[3]; // membrane strain, change of curvature                       [1], [1/m]
  double lam;
  double p; // across the thickness: Kirchhoff's stress                              [Pa]
} ShellStrain;

// Forces and moments per length with their derivatives; the rest is per area.
typedef struct {
  double n[3], m[3];
  double d0[9], d1[9], d2[9]; // dn/dem, dn/dchi = dm/dem, dm/dchi
  double e_thick;             // mean logarithmic strain across the thickness
  double stored, lost;        // [J/m^2]
  double np[3], mp[3]; // dn/dp, dm/dp; over the thickness also de_thick/dem, de_thick/dchi  [m]
  double ep;           // de_thick/dp                                         [1/Pa]
} ShellResult;

// ERR_INPUT: layers out of range, a law that is not for sheets, a direction that is missing.
Status shell_section_init(ShellSection *section, const FormSpec *spec, Err *err) MUST_CHECK;
void shell_section_free(ShellSection *section);

// All layers of a point of the surface; state [n * n_state]. ERR_NUMERIC: the sheet folds into
// itself or its law does not converge. d0, d1, d2 and ep only if `tangent`, np and mp only if it is
// pressed, too.
Status shell_layers(const ShellSection *section, const ShellStrain *strain, const double *state_old,
                    double *state, int tangent, ShellResult *out, Err *err) MUST_CHECK;

// Fills in the pressure of an element, one for all its points: what tools on either side of all its
// nodes make of its mean thickness in the room between them, or what it was where the FormPoint
// says nothing of tools. *slope becomes dp by the mean of de_thick; 0: p is given.
typedef struct {
  int n_nodes, n;
  const int32_t *node;
  ShellStrain *strain;      // [n]
  const double *area, *old; // [n] of the points; their old states, one `stride` after the other
  int stride;
} ShellPoints;
Status shell_press(const ShellSection *section, const FormPoint *at, const ShellPoints *points,
                   double *slope, Err *err) MUST_CHECK;
// What tools press with at its nodes [n_nodes] when it has come to `old`, by the area at the start;
// 0: nothing presses it.
int shell_pinched(const ShellSection *section, const ShellPoints *points, const FormPinch *nodes,
                  double *pressure);

// After the states of the layers each point of the surface keeps these; SHELL_PRESSED is the work
// that p has done. The last four see necks: the least thickness strain that there was, the largest
// tension and the thickness strain of that, and by what share the tension at the least thickness is
// below its largest.
enum {
  SHELL_E_THICK,
  SHELL_STORED,
  SHELL_LOST,
  SHELL_PRESSURE,
  SHELL_PRESSED,
  SHELL_THINNEST,
  SHELL_TENSION, // [N/m] of length at the start
  SHELL_TENSION_E_THICK,
  SHELL_FALL,
  N_SHELL_KEPT
};
int shell_point_size(const ShellSection *section); // states and what is kept
// Fills them; lost and pressed are summed up from `old` on.
void shell_keep(const ShellSection *section, const ShellStrain *strain, const ShellResult *result,
                const double *old, double *point);

// Orthonormal a1, a2 in the plane of the unit normal: a1 is the rolling direction projected,
// without one the global x (or y if that is normal to the plane).
void shell_frame(const double rolling[3], const double normal[3], double a1[3], double a2[3]);

// Adds a point of the surface with the share `area` of the element's: g current tangents along the
// frame a1, a2 (columns of F). The caller divides by the element's area: out holds sums.
typedef struct {
  const double *a1, *a2;     // reference frame
  double g[2][3];            // current images of a1, a2
  const ShellStrain *strain; //
  const double *point;       // its states and what is kept
  double area;               // [m^2]
} ShellPoint;
void shell_show(const ShellSection *section, const ShellPoint *at, FormOutput *out);
// Of it the energies and the fall, of a point of that area.
void shell_account(const ShellSection *section, const double *point, double area, FormOutput *out);
// From the sums to means; `lam` thickness stretch.
void shell_show_end(const ShellSection *section, double area, double lam, FormOutput *out);

// Edges of a mesh of triangles or quadrilaterals in space. Side k of an element runs from its node
// k to the next one.
typedef struct {
  int n;
  int32_t *of_side;   // [elem_ptr[n_elems]] edge of a side, addressed like elem_node; owned
  int32_t (*side)[2]; // [n] places in of_side of its first and second side, -1: boundary; owned
  int32_t *first;     // [n] its first side with or without cut elements; owned
} ShellEdges;

// ERR_INPUT: edges of more than two elements, neighbours turned against one another.
Status shell_edges_init(ShellEdges *edges, const Mesh *mesh, Err *err) MUST_CHECK;
// Elements that are cut off (FormSpec.cut, may be NULL) leave their edges, which keep their
// numbers.
void shell_edges_cut(ShellEdges *edges, const Mesh *mesh, const uint8_t *cut);
void shell_edges_free(ShellEdges *edges);

// Condition of a boundary side (place in elem_node), from its two nodes: free unless both are held.
// Symmetry where the side lies across a plane that holds both, or one beside a clamp, or where one
// of them has EDGE_SYMMETRY.
EdgeCondition shell_side_condition(const FormSpec *spec, int e, int side);
// Unit normal of the plane in which a held side lies: of the coordinate plane through the side that
// is within 30 degrees of normal to the facet's edge (facets of a curved surface are oblique to
// their plane of symmetry), else in the plane of the element. `normal` is that of the element.
void shell_side_plane(const Mesh *mesh, int e, int side, const double normal[3], double plane[3]);

#endif
