// element/form.h -- the forces of one deformable body at finite strains: solids, shells.
//
// A Form is a mesh with its material turned into equations: elements, each with a list of unknowns,
// that give internal forces and a consistent symmetric tangent. Unknowns 0 .. n_nodes*dim-1 are the
// translations of the nodes; n_extra further ones follow (edge angles, director increments). They
// have no mass and no contact; their current values are part of the configuration `config`, which
// only the form understands. Total Lagrangian: everything refers to the mesh as it is read.
//
// To add a formulation: one const FormType in form_<name>.c, one line in form_table.c; the property
// tests (rigid motion, tangent against finite differences) run over every row.

#ifndef ELEMENT_FORM_H
#define ELEMENT_FORM_H

#include "base/err.h"
#include "material/material.h"
#include "mesh/mesh.h"

enum { FORM_MAX_LAYERS = 15 }; // of a sheet

typedef struct Form Form;

// How the boundary of a shell is held beside its prescribed translations.
// Symmetry and clamping are mirrors; the plane of a side is found from the reference
// (shell_section.h). Conditions are given by nodes, and are flags: a corner may lie in two planes.
// EDGE_SYMMETRY mirrors at every boundary side between such nodes. EDGE_ACROSS_X, _Y and _Z name
// the normal of the plane: they mirror at sides that lie across it and leave others free, and
// directors stay in the plane, those inside the sheet too: on all nodes of a flat sheet they are
// plane strain.
typedef enum {
  EDGE_FREE = 0,
  EDGE_CLAMPED = 1,
  EDGE_SYMMETRY = 2,
  EDGE_ACROSS_X = 4,
  EDGE_ACROSS_Y = 8,
  EDGE_ACROSS_Z = 16
} EdgeCondition;

typedef struct {
  const Mesh *mesh;         // borrowed
  const Material *material; // borrowed
  StressState state;        // solids
  double thickness;         // depth of plane problems, of a sheet at the start [m]
  int locking_free;         // solids: mean dilatation over the element
  int layers;               // shells: points through the thickness
  double rolling[3];        // shells: rolling direction (projected on the element)
  int edge_unknown;         // EBST: 1 with the angle of each edge
  const uint8_t *edge; // [mesh n_nodes] EdgeConditions of boundary edges whose two nodes carry it;
                       // NULL: all free
  const uint8_t
      *cut; // [mesh n_elems] 1: cut off: no force, no mass, no neighbour to others. Unknowns,
            // configuration and internal variables keep their places. NULL: none; shells only
} FormSpec;

// What tools do to a sheet across its thickness at a node. Two whose laws have a stiffness leave a
// room between them and press what is thicker; what one side bears by itself, against the sheet's
// forces on its middle surface, presses it with half of that.
typedef struct {
  double room;      // between two tools at the end of the step                           [m]
  double stiffness; // of their laws in series, 0: there are not two                   [Pa/m]
  double strength;  // of them, 0: they bear all                                         [Pa]
  double ahead;     // what the room is more where contact acts, h (1 - theta) v on        [m]
  double borne;     // half of what one side bore at the end of the last step            [Pa]
} FormPinch;

// Where an element is evaluated; arrays of the whole body.
typedef struct {
  const double *u, *u_old; // [n_nodes * dim] displacements at the iterate, at the step's start
  const double *config, *config_old; // [n_config]
  const double *internal_old;        // [n_internal]
  double *internal;                  // [n_internal] written by `element`
  double h;                          // [s]
  const FormPinch *pinch; // [n_nodes] of sheets; NULL: pressures across them stay what they are
} FormPoint;

// What is shown of an element: means over its points, of a sheet over its middle surface.
typedef struct {
  double stress[6];      // Cauchy                                                    [Pa]
  double green[6];       // Green-Lagrange strain, tensor components
  double logarithmic[6]; // 1/2 ln C, tensor components in reference axes
  double plastic;        // equivalent plastic strain, largest of the points
  double damage;         // largest of the points
  double temperature;    // largest of the points; 0: the law has none                 [K]
  double thickness;      // of a sheet; 0: not a sheet                                 [m]
  double major, minor;   // principal logarithmic strains in the sheet
  double stored, lost;   // elastic energy, dissipated since the start of the run      [J]
  // of a sheet by length as it is now, (11, 22, 12) along the rolling direction and across [N/m],
  // [N]
  double force[3], moment[3];
  double fall;    // of a sheet that necks: share by which its tension is below its largest
  double pressed; // work of pressure across the sheet since the start          [J]
  // of the layers of a sheet, the lowest (against its normal) first: equivalent plastic strain, von
  // Mises' stress of the Cauchy stress [Pa]
  int n_layers; // 0: not a sheet
  double layer_plastic[FORM_MAX_LAYERS], layer_stress[FORM_MAX_LAYERS];
} FormOutput;

typedef struct {
  const char *name, *doc;
  uint8_t shape[N_SHAPES]; // 1: takes elements of this shape
  int shell;               // 1: dim 3 with elements of dimension 2
  Status (*init)(Form *form, const FormSpec *spec, Err *err); // form is zeroed but for type
  void (*free)(Form *form);                                   // `own` and what it points at
  // f [n] internal forces, k [n * n] tangent (NULL: not wanted) of element e in the order of its
  // unknowns; internal variables of its points to at->internal. ERR_NUMERIC: the element inverts or
  // its law does not converge; the message names what, not the element. Pure: threads may share
  // form.
  Status (*element)(const Form *form, int e, const FormPoint *at, double *f, double *k, Err *err);
  // config_new = config moved by the increments of the extra unknowns [n_extra]; NULL: none.
  void (*advance)(const Form *form, const double *config, const double *extra, double *config_new);
  // End of an accepted step: internal variables and configuration that are kept over a step
  // (thickness, accumulated dissipation) are brought up to date in place, after `element` was
  // called at the end; NULL: nothing to do.
  void (*commit)(const Form *form, const FormPoint *at, double *config, double *internal);
  // Shows at->u, config and internal_old, which are those of an accepted state here; the rest of
  // `at` is not read.
  void (*output)(const Form *form, int e, const FormPoint *at, FormOutput *out);
  // Of it the energies, thickness and fall alone, quickly, for every step; NULL: as `output`.
  void (*account)(const Form *form, int e, const FormPoint *at, FormOutput *out);
  // After elements of the form `before` were cut off: strains of those that go on with other
  // neighbours stay what they are at `at`, by `config`; NULL: they do not see their neighbours.
  void (*rebase)(const Form *form, const Form *before, const FormPoint *at, double *config);
  // Current thickness and what two tools press with, by the area at the start, at the nodes
  // [n_nodes]; pinch NULL: none do. NULL: solid.
  void (*thickness)(const Form *form, const double *config, const double *internal,
                    const FormPinch *pinch, double *t, double *pressure);
} FormType;

struct Form {
  const FormType *type;
  FormSpec spec; // pointers borrowed but for `edge`
  uint8_t *edge; // [n_nodes] spec.edge, owned; NULL: all free
  int dim, n_nodes, n_extra, n_elems;
  int32_t *dof_ptr;       // [n_elems + 1] owned
  int32_t *dof;           // [dof_ptr[n_elems]] owned; unknowns of the elements
  int max_dofs;           // of an element
  double *mass;           // [n_nodes] lumped, owned                               [kg]
  uint8_t *fixed_extra;   // [n_extra] 1: held at its value by an edge condition; owned
  int64_t n_config;       //
  double *config_start;   // [n_config] owned
  int64_t n_internal;     // all points
  double *internal_start; // [n_internal] owned; NULL: zero
  void *own;              // of the type
};

extern const FormType *const form_types[]; // NULL-terminated, append only

// 1: a trim has cut the element off.
static inline int form_is_cut(const Form *form, int e) {
  return form->spec.cut && form->spec.cut[e];
}

// The form for a mesh: `name` of the table, or NULL for the first that takes all its elements.
Status form_init(Form *form, const char *name, const FormSpec *spec, Err *err) MUST_CHECK;
void form_free(Form *form);

#endif
