// Solids, total Lagrangian. With S the stress of the law at C-bar and w the volume of a point,
//
//   C-bar = (Theta / J)^(2/3) C,  Theta = sum w J / sum w,  energy of the element = sum w W(C-bar)
//
// where locking_free is asked (Simo-Taylor-Pister 1985), else C-bar = C. Forces and tangent are the
// first and second derivatives of that sum by the displacements. W is a function of F and ln Theta:
// its derivatives by them, taken point by point, are contracted with the constant gradients of F.

#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "element/element.h"
#include "element/form_table.h"
#include "element/solid_point.h"
#include "material/isotropic.h"

enum { MAX_PAD = 8 }; // nodes are padded to 4 or 8 with zeros, for the vector units

// Which components of F the unknown i of a node moves, and by which gradient rows: derivatives by
// x, y and, third, by z or the hoop (N / R).
typedef struct {
  int dim, n_rows;     // rows stored
  int rows[3];         // used by unknown i
  int component[3][3]; // of F
  Moved moved;         // components that move at all
} Layout;

static const Layout space = {.dim = 3,
                             .n_rows = 3,
                             .rows = {3, 3, 3},
                             .component = {{0, 1, 2}, {3, 4, 5}, {6, 7, 8}},
                             .moved = {9, {0, 1, 2, 3, 4, 5, 6, 7, 8}}};
static const Layout plane = {.dim = 2,
                             .n_rows = 2,
                             .rows = {2, 2},
                             .component = {{0, 1}, {3, 4}},
                             .moved = {4, {0, 1, 3, 4}}};
static const Layout ring = {.dim = 2,
                            .n_rows = 3,
                            .rows = {3, 2},
                            .component = {{0, 1, 8}, {3, 4}},
                            .moved = {5, {0, 1, 3, 4, 8}}};

typedef struct {
  const Layout *layout;
  int32_t *point_ptr; // [n_elems + 1]
  int64_t *ref_ptr;   // [n_elems] first number of an element in ref
  double *ref;        // of each point: volume, gradient rows [n_rows][pad]
  double *size;       // [n_elems]                                                  [m]
  int n_internal;     // of a point
  double normal;      // elastic stiffness zz, for plane stress                     [Pa]
} Solid;

// Internal variables of a point: those of the law, then these. The stress is kept so that output
// shows what the step ended with, whatever the law depends on.
enum { KEPT_STRESS, KEPT_STORED = 6, KEPT_LOST, KEPT_C_ZZ, N_KEPT };

static int pad_of(int n_nodes) {
  return n_nodes <= 4 ? 4 : MAX_PAD;
}

// ---- init --------------------------------------------------------------------------------------

static void solid_free(Form *form) {
  Solid *own = form->own;
  if (!own) return;
  mem_free(own->point_ptr);
  mem_free(own->ref_ptr);
  mem_free(own->ref);
  mem_free(own->size);
  mem_free(own);
}

static Status check_law(const FormSpec *spec, Err *err) {
  if (!spec->material->type->finite)
    return err_set(err, ERR_INPUT, "material law '%s' is for small strains only",
                   spec->material->type->name);
  if ((spec->state == STRESS_3D) != (spec->mesh->dim == 3))
    return err_set(err, ERR_INPUT, "the state of stress does not suit a mesh in %d dimensions",
                   spec->mesh->dim);
  return OK;
}

// Counts of points and numbers, unknowns of the elements.
static Status count_points(Form *form, Err *err) {
  const Mesh *mesh = form->spec.mesh;
  Solid *own = form->own;
  MEM_NEW(form->dof_ptr, mesh->n_elems + 1, err);
  MEM_NEW(form->dof, (size_t)mesh->elem_ptr[mesh->n_elems] * (size_t)mesh->dim, err);
  MEM_NEW(form->mass, mesh->n_nodes, err);
  MEM_NEW(own->point_ptr, mesh->n_elems + 1, err);
  MEM_NEW(own->ref_ptr, mesh->n_elems, err);
  MEM_NEW(own->size, mesh->n_elems, err);
  int64_t n_ref = 0;
  for (int e = 0; e < mesh->n_elems; e++) {
    const ElementType *type = element_types[mesh->elem_shape[e]];
    int n_points = element_n_points(type, form->spec.state), n = 0;
    own->point_ptr[e + 1] = own->point_ptr[e] + n_points;
    own->ref_ptr[e] = n_ref;
    n_ref += (int64_t)n_points * (1 + own->layout->n_rows * pad_of(type->n_nodes));
    int32_t *dof = form->dof + form->dof_ptr[e];
    for (int k = mesh->elem_ptr[e]; k < mesh->elem_ptr[e + 1]; k++)
      for (int i = 0; i < mesh->dim; i++) dof[n++] = mesh->elem_node[k] * mesh->dim + i;
    form->dof_ptr[e + 1] = form->dof_ptr[e] + n;
    if (n > form->max_dofs) form->max_dofs = n;
  }
  MEM_NEW(own->ref, n_ref, err);
  own->n_internal = form->spec.material->type->n_state + N_KEPT;
  form->n_internal = (int64_t)own->point_ptr[mesh->n_elems] * own->n_internal;
  MEM_NEW(form->internal_start, form->n_internal, err);
  for (int g = 0; g < own->point_ptr[mesh->n_elems]; g++)
    form->internal_start[(int64_t)(g + 1) * own->n_internal - N_KEPT + KEPT_C_ZZ] = 1;
  return OK;
}

// Volumes, gradients and masses of one element.
static Status fill_element(Form *form, int e, Err *err) {
  const Mesh *mesh = form->spec.mesh;
  Solid *own = form->own;
  ElementSpec spec = {.type = element_types[mesh->elem_shape[e]],
                      .state = form->spec.state,
                      .thickness = form->spec.thickness};
  int dim = mesh->dim, n = spec.type->n_nodes, pad = pad_of(n);
  const int32_t *node = mesh->elem_node + mesh->elem_ptr[e];
  double x[MAX_ELEM_DOFS], share[MAX_ELEM_NODES];
  ElementPoint point[MAX_GAUSS];
  for (int k = 0; k < n; k++)
    memcpy(x + k * dim, mesh->x + (size_t)node[k] * dim, (size_t)dim * sizeof *x);
  TRY(element_points(&spec, x, point, err));
  double *ref = own->ref + own->ref_ptr[e];
  for (int g = 0; g < own->point_ptr[e + 1] - own->point_ptr[e]; g++) {
    *ref++ = point[g].volume;
    for (int r = 0; r < own->layout->n_rows; r++, ref += pad)
      for (int k = 0; k < n; k++)
        ref[k] = r < dim ? point[g].grad[k * dim + r] : point[g].n[k] / point[g].radius;
  }
  element_lumped_volume(&spec, x, share);
  for (int k = 0; k < n; k++) form->mass[node[k]] += form->spec.material->density * share[k];
  double measure = mesh_elem_measure(mesh, e);
  own->size[e] = dim == 2 ? sqrt(measure) : cbrt(measure);
  const Material *material = form->spec.material;
  if (!material->type->largest_size) return OK;
  double largest = material->type->largest_size(material->par);
  if (own->size[e] > largest)
    return err_set(
        err, ERR_INPUT,
        "size %.3g m: the softening of material law '%s' stands at most %.3g m; refine the "
        "mesh or take a larger fracture energy",
        own->size[e], material->type->name, largest);
  return OK;
}

static Status solid_init(Form *form, const FormSpec *spec, Err *err) {
  double d[36];
  TRY(check_law(spec, err));
  Solid *own;
  MEM_NEW(own, 1, err);
  form->own = own;
  own->layout = spec->state == STRESS_3D ? &space : spec->state == AXISYMMETRIC ? &ring : &plane;
  spec->material->type->stiffness(spec->material->par, STRESS_3D, d);
  own->normal = d[2 * 6 + 2];
  TRY(count_points(form, err));
  for (int e = 0; e < form->n_elems; e++)
    if (fill_element(form, e, err) != OK) return err_note(err, "element %d", e + 1);
  return OK;
}

// ---- kinematics --------------------------------------------------------------------------------

// An element on its way through the passes.
typedef struct {
  const Layout *layout;
  const double *ref;      // of its points
  int n, pad, n_points;   // nodes, padded nodes
  int stride;             // numbers of a point in ref
  double volume, theta;   // sum w, Theta
  double f[MAX_GAUSS][9]; // deformation gradient
  double j[MAX_GAUSS];
} Work;

static Work work_of(const Form *form, int e) {
  const Solid *own = form->own;
  int n = (form->dof_ptr[e + 1] - form->dof_ptr[e]) / form->dim, pad = pad_of(n);
  return (Work){.layout = own->layout,
                .ref = own->ref + own->ref_ptr[e],
                .n = n,
                .pad = pad,
                .n_points = own->point_ptr[e + 1] - own->point_ptr[e],
                .stride = 1 + own->layout->n_rows * pad};
}

static double determinant(const double *f) {
  return f[0] * (f[4] * f[8] - f[5] * f[7]) + f[1] * (f[5] * f[6] - f[3] * f[8]) +
         f[2] * (f[3] * f[7] - f[4] * f[6]);
}

// F and J of all points, Theta; returns the first point with J <= 0, or -1.
static int deform(const Form *form, int e, const double *u, Work *w) {
  const Layout *l = w->layout;
  const int32_t *dof = form->dof + form->dof_ptr[e];
  double own[3][MAX_PAD] = {{0}};
  for (int k = 0; k < w->n; k++)
    for (int i = 0; i < l->dim; i++) own[i][k] = u[dof[k * l->dim + i]];
  int bad = -1;
  w->volume = w->theta = 0;
  for (int g = 0; g < w->n_points; g++) {
    const double *ref = w->ref + g * w->stride, *grad = ref + 1;
    double *f = w->f[g];
    for (int c = 0; c < 9; c++) f[c] = c % 4 == 0;
    for (int i = 0; i < l->dim; i++)
      for (int r = 0; r < l->rows[i]; r++) {
        const double *row = grad + r * w->pad, *x = own[i];
        double sum = row[0] * x[0] + row[1] * x[1] + row[2] * x[2] + row[3] * x[3];
        if (w->pad == 8) sum += row[4] * x[4] + row[5] * x[5] + row[6] * x[6] + row[7] * x[7];
        f[l->component[i][r]] += sum;
      }
    w->j[g] = determinant(f);
    if (!(w->j[g] > 0) && bad < 0) bad = g;
    w->volume += ref[0];
    w->theta += ref[0] * w->j[g];
  }
  w->theta /= w->volume;
  return bad;
}

// c = a F^T F
static void cauchy_green(const double *f, double a, double *c) {
  static const int row[6] = {0, 1, 2, 0, 1, 0}, column[6] = {0, 1, 2, 1, 2, 2};
  for (int k = 0; k < 6; k++)
    c[k] = a * (f[row[k]] * f[column[k]] + f[3 + row[k]] * f[3 + column[k]] +
                f[6 + row[k]] * f[6 + column[k]]);
}

static double dilatation_ratio(const Form *form, const Work *w, int g) {
  if (!form->spec.locking_free || form->spec.state == PLANE_STRESS) return 1;
  double ratio = w->theta / w->j[g];
  return cbrt(ratio * ratio);
}

// ---- stress ------------------------------------------------------------------------------------

// Plane stress: C_zz from S_zz = 0 by Newton's method on the law in space, then d without zz.
static Status release_thickness(const Form *form, FinitePoint *at, const double *state_old,
                                double *state_new, FiniteStress *out, Err *err) {
  const double accuracy = 1e-14; // of C_zz
  const double weak = 1e-3;      // of the elastic stiffness: below it that is the slope
  const int most = 100;
  const Material *material = form->spec.material;
  double normal = ((const Solid *)form->own)->normal;
  for (int it = 0; it < most; it++) {
    TRY(material->type->finite(material, at, state_old, state_new, out, err));
    double slope = out->d[14] > weak * normal ? out->d[14] : normal;
    double change = -2 * out->s[2] / slope;
    if (fabs(change) <= accuracy * at->c[2]) {
      double row[6];
      memcpy(row, out->d + 12, sizeof row);
      for (int i = 0; i < 6; i++)
        for (int k = 0; k < 6; k++)
          out->d[i * 6 + k] = i == 2 || k == 2 ? 0 : out->d[i * 6 + k] - row[i] * row[k] / slope;
      return OK;
    }
    at->c[2] = fmax(at->c[2] + change, 0.5 * at->c[2]);
  }
  return err_set(err, ERR_NUMERIC, "no thickness without stress: C_zz = %g, S_zz = %g", at->c[2],
                 out->s[2]);
}

// Stress of point g, its number counted over the body; internal variables to at->internal.
static Status stress_of_point(const Form *form, const FormPoint *at, int64_t number,
                              FinitePoint *point, FiniteStress *out, Err *err) {
  const Solid *own = form->own;
  const Material *material = form->spec.material;
  const double *old = at->internal_old + number * own->n_internal;
  double *new = at->internal + number * own->n_internal;
  const double *kept_old = old + material->type->n_state;
  double *kept = new + material->type->n_state;
  if (form->spec.state == PLANE_STRESS) {
    point->c[2] = point->c_old[2] = kept_old[KEPT_C_ZZ];
    TRY(release_thickness(form, point, old, new, out, err));
  } else
    TRY(material->type->finite(material, point, old, new, out, err));
  memcpy(kept + KEPT_STRESS, out->s, sizeof out->s);
  kept[KEPT_STORED] = out->stored;
  kept[KEPT_LOST] = kept_old[KEPT_LOST] + out->lost;
  kept[KEPT_C_ZZ] = point->c[2];
  return OK;
}

// ---- forces and tangent ------------------------------------------------------------------------

typedef double Block[MAX_PAD][MAX_PAD];

// out_i[k] += weight p : dF/du_i[k], for all unknowns
static void gather(const Work *w, const double *grad, double weight, const double *p,
                   double out[3][MAX_PAD]) {
  const Layout *l = w->layout;
  for (int i = 0; i < l->dim; i++)
    for (int r = 0; r < l->rows[i]; r++) {
      double factor = weight * p[l->component[i][r]];
      const double *row = grad + r * w->pad;
#pragma omp simd
      for (int k = 0; k < 4; k++) out[i][k] += factor * row[k];
      if (w->pad == 4) continue;
#pragma omp simd
      for (int k = 4; k < 8; k++) out[i][k] += factor * row[k];
    }
}

// k += weight dF/du_i a dF/du_j for all nodes; the constant pad lets the compiler unroll.
static inline __attribute__((always_inline)) void add_block(int pad, const Layout *l, int i, int j,
                                                            const double *restrict grad,
                                                            double weight, const double *a,
                                                            double (*restrict k)[MAX_PAD]) {
  double t[3][MAX_PAD];
  for (int r = 0; r < l->rows[i]; r++) {
    const double *row = a + 9 * l->component[i][r];
#pragma omp simd
    for (int m = 0; m < pad; m++) t[r][m] = weight * row[l->component[j][0]] * grad[m];
    for (int b = 1; b < l->rows[j]; b++) {
      double factor = weight * row[l->component[j][b]];
#pragma omp simd
      for (int m = 0; m < pad; m++) t[r][m] += factor * grad[b * pad + m];
    }
  }
  for (int n = 0; n < pad; n++)
    for (int r = 0; r < l->rows[i]; r++) {
      double factor = grad[r * pad + n];
#pragma omp simd
      for (int m = 0; m < pad; m++) k[n][m] += factor * t[r][m];
    }
}

static void add_tangent(const Work *w, const double *grad, double weight, const double *a,
                        Block k[3][3]) {
  const Layout *l = w->layout;
  for (int i = 0; i < l->dim; i++)
    for (int j = i; j < l->dim; j++)
      if (w->pad == 8)
        add_block(8, l, i, j, grad, weight, a, k[i][j]);
      else
        add_block(4, l, i, j, grad, weight, a, k[i][j]);
}

// What Theta couples: z = sum w d2W/dF d ln Theta, theta = d ln Theta / du.
static void add_coupling(const Work *w, double z[3][MAX_PAD], double theta[3][MAX_PAD],
                         double square, Block k[3][3]) {
  for (int i = 0; i < w->layout->dim; i++)
    for (int j = i; j < w->layout->dim; j++)
      for (int n = 0; n < w->n; n++)
        for (int m = 0; m < w->n; m++)
          k[i][j][n][m] +=
              z[i][n] * theta[j][m] + theta[i][n] * z[j][m] + square * theta[i][n] * theta[j][m];
}

// From blocks by unknown to the order of the element's list; only the upper triangle is read, so
// that the matrix is symmetric to the last bit.
static void scatter(const Work *w, Block from[3][3], double *k) {
  int dim = w->layout->dim, n = w->n * dim;
  for (int i = 0; i < dim; i++)
    for (int j = i; j < dim; j++)
      for (int a = 0; a < w->n; a++)
        for (int b = i == j ? a : 0; b < w->n; b++)
          k[(a * dim + i) * n + b * dim + j] = k[(b * dim + j) * n + a * dim + i] =
              from[i][j][a][b];
}

// SolidPoint of all points; internal variables are written.
static Status differentiate(const Form *form, int e, const FormPoint *at, const Work *w, int second,
                            SolidPoint *d, Err *err) {
  const Solid *own = form->own;
  Work before;
  int rates = at->h > 0 && at->u_old;
  if (rates) {
    before = work_of(form, e);
    deform(form, e, at->u_old, &before);
  }
  for (int g = 0; g < w->n_points; g++, d++) {
    double scale = dilatation_ratio(form, w, g);
    FinitePoint point = {.h = rates ? at->h : 0, .size = own->size[e]};
    FiniteStress law;
    cauchy_green(w->f[g], scale, point.c);
    if (rates)
      cauchy_green(before.f[g], dilatation_ratio(form, &before, g), point.c_old);
    else
      memcpy(point.c_old, point.c, sizeof point.c);
    if (stress_of_point(form, at, own->point_ptr[e] + g, &point, &law, err) != OK)
      return err_note(err, "integration point %d", g + 1);
    memcpy(d->f, w->f[g], sizeof d->f);
    double scaled[6];
    for (int k = 0; k < 6; k++) scaled[k] = scale * law.s[k];
    solid_times(d->f, scaled, d->p);
    if (second) solid_point_tangent(&w->layout->moved, scale, &law, d);
    if (!form->spec.locking_free || form->spec.state == PLANE_STRESS) continue;
    solid_inverse_transpose(d->f, w->j[g], d->cof);
    solid_point_dilatation(&w->layout->moved, scale, point.c, &law, second, d);
  }
  return OK;
}

static Status solid_element(const Form *form, int e, const FormPoint *at, double *f, double *k,
                            Err *err) {
  SolidPoint d[MAX_GAUSS];
  double force[3][MAX_PAD] = {{0}}, theta[3][MAX_PAD] = {{0}}, z[3][MAX_PAD] = {{0}};
  Work w = work_of(form, e);
  int bad = deform(form, e, at->u, &w), dim = w.layout->dim;
  if (bad >= 0)
    return err_set(err, ERR_NUMERIC, "det F = %g at integration point %d", w.j[bad], bad + 1);
  TRY(differentiate(form, e, at, &w, k != NULL, d, err));
  int mean = form->spec.locking_free && form->spec.state != PLANE_STRESS;
  double p_theta = 0, square = 0, share = 1 / (w.volume * w.theta);
  for (int g = 0; g < w.n_points; g++) {
    const double *ref = w.ref + g * w.stride;
    gather(&w, ref + 1, ref[0], d[g].p, force);
    if (!mean) continue;
    p_theta += ref[0] * d[g].p_theta;
    gather(&w, ref + 1, ref[0] * w.j[g] * share, d[g].cof, theta);
    if (!k) continue;
    square += ref[0] * d[g].a_theta2;
    gather(&w, ref + 1, ref[0], d[g].a_theta, z);
  }
  for (int n = 0; n < w.n; n++)
    for (int i = 0; i < dim; i++) f[n * dim + i] = force[i][n] + p_theta * theta[i][n];
  if (!k) return OK;
  Block block[3][3];
  memset(block, 0, sizeof block);
  for (int g = 0; g < w.n_points; g++) {
    const double *ref = w.ref + g * w.stride;
    if (mean) solid_point_second(&w.layout->moved, p_theta * w.j[g] * share, &d[g]);
    add_tangent(&w, ref + 1, ref[0], d[g].a, block);
  }
  if (mean) add_coupling(&w, z, theta, square - p_theta, block);
  scatter(&w, block, k);
  return OK;
}

// ---- output ------------------------------------------------------------------------------------

static void solid_output(const Form *form, int e, const FormPoint *at, FormOutput *out) {
  static const int row[6] = {0, 1, 2, 0, 1, 0}, column[6] = {0, 1, 2, 1, 2, 2};
  const Solid *own = form->own;
  const MaterialType *law = form->spec.material->type;
  Work w = work_of(form, e);
  deform(form, e, at->u, &w);
  *out = (FormOutput){0};
  for (int g = 0; g < w.n_points; g++) {
    const double *state = at->internal_old + (own->point_ptr[e] + (int64_t)g) * own->n_internal;
    const double *kept = state + law->n_state;
    double volume = w.ref[g * w.stride], share = volume / w.volume, *f = w.f[g], c[6], fs[9], ln[6];
    double scale = dilatation_ratio(form, &w, g), j = w.j[g] * scale * sqrt(scale);
    if (form->spec.state == PLANE_STRESS) {
      f[8] = sqrt(kept[KEPT_C_ZZ]);
      j *= f[8];
    }
    solid_times(f, kept + KEPT_STRESS, fs);
    cauchy_green(f, 1, c);
    LogStrain log;
    if (log_strain(c, &log, NULL) == OK)
      log_leave(&log, (const double[6]){log.e[0], log.e[1], log.e[2]}, ln);
    else
      memset(ln, 0, sizeof ln); // inside out: not a state that was accepted
    for (int k = 0; k < 6; k++) {
      const double *a = fs + 3 * row[k], *b = f + 3 * column[k];
      out->stress[k] += share * scale / j * (a[0] * b[0] + a[1] * b[1] + a[2] * b[2]);
      out->green[k] += share * 0.5 * (c[k] - (k < 3 ? 1 : 0));
      out->logarithmic[k] += share * ln[k];
    }
    if (law->plastic >= 0) out->plastic = fmax(out->plastic, state[law->plastic]);
    if (law->damage >= 0) out->damage = fmax(out->damage, state[law->damage]);
    if (law->temperature)
      out->temperature = fmax(out->temperature, law->temperature(form->spec.material, state));
    out->stored += volume * kept[KEPT_STORED];
    out->lost += volume * kept[KEPT_LOST];
  }
}

const FormType form_solid = {
    .name = "solid",
    .doc = "Solids at finite strains: T3, Q4 in the plane and of revolution, T4, H8 in space; mean "
           "dilatation against locking on request",
    .shape = {[SHAPE_T3] = 1, [SHAPE_Q4] = 1, [SHAPE_T4] = 1, [SHAPE_H8] = 1},
    .init = solid_init,
    .free = solid_free,
    .element = solid_element,
    .output = solid_output,
};
