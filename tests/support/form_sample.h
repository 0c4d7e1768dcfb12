// Meshes and forms of solids for tests: one distorted element, patches.
#ifndef TESTS_SUPPORT_FORM_SAMPLE_H
#define TESTS_SUPPORT_FORM_SAMPLE_H

#include "element/element.h"
#include "element/form.h"

// One element of a shape, distorted by up to `distortion` of its size, away from the axis.
void sample_mesh_element(Mesh *mesh, ShapeCode shape, double distortion);
// patch_make as a Mesh, moved by `shift` along x (radius of a ring).
void sample_mesh_patch(Mesh *mesh, ShapeCode shape, int n_x, int n_y, const double *size,
                       double distortion, double shift);

// A form in motion: arrays of the point, internal variables kept and new.
typedef struct {
  Form form;
  FormPoint at;
  double *u, *u_old, *old, *new;
} Body;

// Aborts on errors, except that init's is returned when `err` is given.
Status body_make(Body *b, const Mesh *mesh, const Material *material, StressState state,
                 int locking_free);
void body_free(Body *b);
// f [n], k [n * n] over the whole body, dense; k NULL: not wanted.
Status body_assemble(Body *b, double *f, double *k);
// What is new becomes old, displacements too.
void body_accept(Body *b);
// Newton's method on the free unknowns until |f| <= accuracy * largest |f|; returns the iterations,
// -1: did not converge. u holds prescribed values; load [n] or NULL.
int body_solve(Body *b, const char *fixed, const double *load, double accuracy);

#endif
