// The quadrilateral shell MITC4 of Dvorkin and Bathe 1984: assumed transverse shear, five
// parameters a node. The two angles of a director turn it from where the last iterate left it
// (Simo, Fox and Rifai 1990): no singularity, and an exact symmetric tangent. docs/theory/shells.md
// derives it.
//
// Unknowns of an element: 12 translations, then the two increments of each node along its V1, V2.
#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "element/form_table.h"
#include "element/shell_section.h"

enum { N_NODES = 4, N_POINTS = 4, N_X = 12, N_DOFS = 20, TRIAD = 9 };

// A Gauss point of the reference surface.
typedef struct {
  double n[N_NODES];
  double dn[2][N_NODES]; // derivatives along the frame a1, a2                        [1/m]
  double c[2][2];        // [i][a] a_i . G^a, physical from covariant components       [1/m]
  double kappa0[3];      // doubled shear                                              [1/m]
  double area;           // [m^2]
  double a1[3], a2[3];
  double r, s;
} Point;

typedef struct {
  int32_t node[N_NODES];
  Point point[N_POINTS];
  double shear0[4]; // x,a . t of the reference at the tying points A B C D                [m]
} Element;

typedef struct {
  ShellSection section;
  Element *elem;
  double *share; // [n_nodes] area at a node                                       [m^2]
  double shear;  // 5/6 G thickness                                                [N/m]
  int point_size, stride;
} Own;

// Tying points A(0,1) B(-1,0) C(0,-1) D(1,0): the side they lie on, from its first to its second
// node along r or s.
static const signed char tying[4][2] = {{3, 2}, {0, 3}, {0, 1}, {1, 2}};

static double dot(const double a[3], const double b[3]) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void cross(const double a[3], const double b[3], double c[3]) {
  c[0] = a[1] * b[2] - a[2] * b[1];
  c[1] = a[2] * b[0] - a[0] * b[2];
  c[2] = a[0] * b[1] - a[1] * b[0];
}

static void normalise(double a[3]) {
  double size = sqrt(dot(a, a));
  for (int c = 0; c < 3; c++) a[c] /= size;
}

// sum of weights times vectors
static void combine(const double *w, const double v[N_NODES][3], double out[3]) {
  for (int c = 0; c < 3; c++)
    out[c] = w[0] * v[0][c] + w[1] * v[1][c] + w[2] * v[2][c] + w[3] * v[3][c];
}

// Positions, directors and their tangent directions at the nodes.
typedef struct {
  double x[N_NODES][3], t[N_NODES][3];
  const double *v[N_NODES][2];    // in the configuration
  double shear[4];                // x,a . t at the tying points less its reference
  double along[4][3], mean[4][3]; // there: x,a and t
} Shape;

static void shape_of(const Form *form, const Element *el, const double *u, const double *config,
                     Shape *shape) {
  const double *X = form->spec.mesh->x;
  for (int k = 0; k < N_NODES; k++) {
    const double *triad = config + TRIAD * (int64_t)el->node[k];
    for (int c = 0; c < 3; c++) {
      int64_t at = 3 * (int64_t)el->node[k] + c;
      shape->x[k][c] = X[at] + (u ? u[at] : 0);
      shape->t[k][c] = triad[6 + c];
    }
    shape->v[k][0] = triad;
    shape->v[k][1] = triad + 3;
  }
  for (int p = 0; p < 4; p++) {
    int from = tying[p][0], to = tying[p][1];
    for (int c = 0; c < 3; c++) {
      shape->along[p][c] = 0.5 * (shape->x[to][c] - shape->x[from][c]);
      shape->mean[p][c] = 0.5 * (shape->t[to][c] + shape->t[from][c]);
    }
    shape->shear[p] = dot(shape->along[p], shape->mean[p]) - el->shear0[p];
  }
}

// What a Gauss point sees.
typedef struct {
  double x[2][3], t[2][3]; // derivatives along the frame
  double gamma[2];         // transverse shear in the frame
  double tie[2][4];        // gamma_i = sum of tie[i][p] shear[p]
} Local;

static void local_of(const Point *p, const Shape *shape, Local *at) {
  for (int i = 0; i < 2; i++) {
    combine(p->dn[i], (const double(*)[3])shape->x, at->x[i]);
    combine(p->dn[i], (const double(*)[3])shape->t, at->t[i]);
    at->tie[i][0] = p->c[i][0] * 0.5 * (1 + p->s);
    at->tie[i][2] = p->c[i][0] * 0.5 * (1 - p->s);
    at->tie[i][3] = p->c[i][1] * 0.5 * (1 + p->r);
    at->tie[i][1] = p->c[i][1] * 0.5 * (1 - p->r);
    at->gamma[i] = 0;
    for (int k = 0; k < 4; k++) at->gamma[i] += at->tie[i][k] * shape->shear[k];
  }
}

static void strain_of(const Point *p, const Local *at, double lam, ShellStrain *strain) {
  strain->em[0] = 0.5 * (dot(at->x[0], at->x[0]) - 1);
  strain->em[1] = 0.5 * (dot(at->x[1], at->x[1]) - 1);
  strain->em[2] = dot(at->x[0], at->x[1]);
  strain->chi[0] = dot(at->x[0], at->t[0]) - p->kappa0[0];
  strain->chi[1] = dot(at->x[1], at->t[1]) - p->kappa0[1];
  strain->chi[2] = dot(at->x[0], at->t[1]) + dot(at->x[1], at->t[0]) - p->kappa0[2];
  strain->lam = lam;
}

// Variations by translations [0, 12) and directors [12, 24) of the nodes.
typedef struct {
  double m[3][N_X], b[3][2 * N_X], g[2][2 * N_X];
} StrainMatrix;

static void strain_matrix(const Point *p, const Shape *shape, const Local *at, StrainMatrix *B) {
  for (int k = 0; k < N_NODES; k++) {
    double d1 = p->dn[0][k], d2 = p->dn[1][k];
    for (int c = 0; c < 3; c++) {
      int x = 3 * k + c, t = N_X + x;
      B->m[0][x] = d1 * at->x[0][c];
      B->m[1][x] = d2 * at->x[1][c];
      B->m[2][x] = d1 * at->x[1][c] + d2 * at->x[0][c];
      B->b[0][x] = d1 * at->t[0][c];
      B->b[1][x] = d2 * at->t[1][c];
      B->b[2][x] = d1 * at->t[1][c] + d2 * at->t[0][c];
      B->b[0][t] = d1 * at->x[0][c];
      B->b[1][t] = d2 * at->x[1][c];
      B->b[2][t] = d1 * at->x[1][c] + d2 * at->x[0][c];
    }
  }
  memset(B->g, 0, sizeof B->g);
  for (int i = 0; i < 2; i++)
    for (int q = 0; q < 4; q++) {
      double w = 0.5 * at->tie[i][q];
      int from = 3 * tying[q][0], to = 3 * tying[q][1];
      for (int c = 0; c < 3; c++) {
        B->g[i][to + c] += w * shape->mean[q][c];
        B->g[i][from + c] -= w * shape->mean[q][c];
        B->g[i][N_X + to + c] += w * shape->along[q][c];
        B->g[i][N_X + from + c] += w * shape->along[q][c];
      }
    }
}

// Columns of directors to those of the increments along V1, V2.
static void to_increments(const Shape *shape, const double *full, double *out) {
  memcpy(out, full, N_X * sizeof *out);
  for (int k = 0; k < N_NODES; k++)
    for (int a = 0; a < 2; a++) out[N_X + 2 * k + a] = dot(full + N_X + 3 * k, shape->v[k][a]);
}

static void add_material(const StrainMatrix *B, const Shape *shape, const ShellResult *res,
                         double shear, double area, double *K) {
  double m[3][N_DOFS] = {{0}}, b[3][N_DOFS], g[2][N_DOFS], dm[3][N_DOFS], db[3][N_DOFS];
  for (int s = 0; s < 3; s++) {
    memcpy(m[s], B->m[s], sizeof B->m[s]);
    to_increments(shape, B->b[s], b[s]);
  }
  for (int i = 0; i < 2; i++) to_increments(shape, B->g[i], g[i]);
  for (int s = 0; s < 3; s++)
    for (int k = 0; k < N_DOFS; k++) {
      const double *d0 = res->d0 + 3 * s, *d1 = res->d1 + 3 * s, *d2 = res->d2 + 3 * s;
      dm[s][k] = area * (d0[0] * m[0][k] + d0[1] * m[1][k] + d0[2] * m[2][k] + d1[0] * b[0][k] +
                         d1[1] * b[1][k] + d1[2] * b[2][k]);
      db[s][k] = area * (d1[0] * m[0][k] + d1[1] * m[1][k] + d1[2] * m[2][k] + d2[0] * b[0][k] +
                         d2[1] * b[1][k] + d2[2] * b[2][k]);
    }
  for (int k = 0; k < N_DOFS; k++) {
    double g0 = area * shear * g[0][k], g1 = area * shear * g[1][k];
    for (int l = 0; l < N_DOFS; l++)
      K[k * N_DOFS + l] += m[0][k] * dm[0][l] + m[1][k] * dm[1][l] + m[2][k] * dm[2][l] +
                           b[0][k] * db[0][l] + b[1][k] * db[1][l] + b[2][k] * db[2][l] +
                           g0 * g[0][l] + g1 * g[1][l];
  }
}

// Second variations of the strains: multiples of the unit matrix, xx between translations, xt
// between translations (row) and directors.
typedef struct {
  double xx[N_NODES][N_NODES], xt[N_NODES][N_NODES];
} Geometric;

static void add_geometric(const Point *p, const Local *at, const ShellResult *res, double shear,
                          Geometric *G) {
  const double w = p->area;
  for (int k = 0; k < N_NODES; k++) {
    double n1 = res->n[0] * p->dn[0][k] + res->n[2] * p->dn[1][k];
    double n2 = res->n[2] * p->dn[0][k] + res->n[1] * p->dn[1][k];
    double m1 = res->m[0] * p->dn[0][k] + res->m[2] * p->dn[1][k];
    double m2 = res->m[2] * p->dn[0][k] + res->m[1] * p->dn[1][k];
    for (int l = 0; l < N_NODES; l++) {
      G->xx[k][l] += w * (n1 * p->dn[0][l] + n2 * p->dn[1][l]);
      G->xt[k][l] += w * (m1 * p->dn[0][l] + m2 * p->dn[1][l]);
    }
  }
  for (int q = 0; q < 4; q++) {
    double force = 0.25 * w * shear * (at->tie[0][q] * at->gamma[0] + at->tie[1][q] * at->gamma[1]);
    int from = tying[q][0], to = tying[q][1];
    G->xt[to][to] += force;
    G->xt[to][from] += force;
    G->xt[from][to] -= force;
    G->xt[from][from] -= force;
  }
}

// full [24]: forces on positions and directors.
static void finish_tangent(const Geometric *G, const Shape *shape, const double *full, double *K) {
  for (int k = 0; k < N_NODES; k++)
    for (int l = 0; l < N_NODES; l++) {
      for (int c = 0; c < 3; c++) K[(3 * k + c) * N_DOFS + 3 * l + c] += G->xx[k][l];
      for (int a = 0; a < 2; a++)
        for (int c = 0; c < 3; c++) {
          double value = G->xt[k][l] * shape->v[l][a][c];
          K[(3 * k + c) * N_DOFS + N_X + 2 * l + a] += value;
          K[(N_X + 2 * l + a) * N_DOFS + 3 * k + c] += value;
        }
    }
  // second variation of the director on the sphere: -(db . Db) t
  for (int k = 0; k < N_NODES; k++) {
    double pressure = dot(full + N_X + 3 * k, shape->t[k]);
    for (int a = 0; a < 2; a++) K[(N_X + 2 * k + a) * (N_DOFS + 1)] -= pressure;
  }
}

static double element_area(const Element *el) {
  double area = 0;
  for (int g = 0; g < N_POINTS; g++) area += el->point[g].area;
  return area;
}

// What the points of an element have in common with others, and their strains.
typedef struct {
  Shape shape;
  Local local[N_POINTS];
  ShellStrain strain[N_POINTS];
} Kinematics;

static void kinematics(const Form *form, int e, const FormPoint *at, Kinematics *kin) {
  const Own *own = form->own;
  const Element *el = &own->elem[e];
  const double lam = at->config[TRIAD * (int64_t)form->n_nodes + e];
  shape_of(form, el, at->u, at->config, &kin->shape);
  for (int g = 0; g < N_POINTS; g++) {
    local_of(&el->point[g], &kin->shape, &kin->local[g]);
    strain_of(&el->point[g], &kin->local[g], lam, &kin->strain[g]);
  }
}

static Status press(const Form *form, int e, const FormPoint *at, Kinematics *kin, double *slope,
                    Err *err) {
  const Own *own = form->own;
  const Element *el = &own->elem[e];
  double area[N_POINTS];
  for (int g = 0; g < N_POINTS; g++) area[g] = el->point[g].area;
  ShellPoints points = {.n_nodes = N_NODES,
                        .n = N_POINTS,
                        .node = el->node,
                        .strain = kin->strain,
                        .area = area,
                        .old = at->internal_old + (int64_t)e * own->stride,
                        .stride = own->point_size};
  return shell_press(&own->section, at, &points, slope, err);
}

// The pressure follows the thickness: its part of the tangent. thick [2 N_X]: derivative of the
// thickness strain, integrated.
static void add_pressed(const Shape *shape, const double *thick, double factor, double *K) {
  double own[N_DOFS];
  to_increments(shape, thick, own);
  for (int k = 0; k < N_DOFS; k++)
    for (int l = 0; l < N_DOFS; l++) K[k * N_DOFS + l] += factor * own[k] * own[l];
}

// sum += area (m . n + b . m)
static void add_section(const StrainMatrix *B, double area, const double n[3], const double m[3],
                        double *sum) {
  for (int j = 0; j < 2 * N_X; j++)
    for (int s = 0; s < 3; s++)
      sum[j] += area * (B->b[s][j] * m[s] + (j < N_X ? B->m[s][j] * n[s] : 0));
}

static Status element(const Form *form, int e, const FormPoint *at, double *f, double *k,
                      Err *err) {
  const Own *own = form->own;
  const Element *el = &own->elem[e];
  double full[2 * N_X] = {0}, thick[2 * N_X] = {0}, pressed;
  Kinematics kin;
  Geometric G = {{{0}}, {{0}}};
  kinematics(form, e, at, &kin);
  TRY(press(form, e, at, &kin, &pressed, err));
  if (k) memset(k, 0, N_DOFS * N_DOFS * sizeof *k);
  for (int g = 0; g < N_POINTS; g++) {
    const Point *p = &el->point[g];
    const Local *local = &kin.local[g];
    int64_t place = (int64_t)e * own->stride + g * own->point_size;
    ShellResult res;
    StrainMatrix B;
    Status status = shell_layers(&own->section, &kin.strain[g], at->internal_old + place,
                                 at->internal + place, k != NULL, &res, err);
    if (status != OK) return err_note(err, "integration point %d", g + 1);
    double gamma2 = local->gamma[0] * local->gamma[0] + local->gamma[1] * local->gamma[1];
    res.stored += 0.5 * own->shear * gamma2;
    shell_keep(&own->section, &kin.strain[g], &res, at->internal_old + place, at->internal + place);
    strain_matrix(p, &kin.shape, local, &B);
    add_section(&B, p->area, res.n, res.m, full);
    double q0 = p->area * own->shear * local->gamma[0], q1 = p->area * own->shear * local->gamma[1];
    for (int j = 0; j < 2 * N_X; j++) full[j] += q0 * B.g[0][j] + q1 * B.g[1][j];
    if (!k) continue;
    add_material(&B, &kin.shape, &res, own->shear, p->area, k);
    add_geometric(p, local, &res, own->shear, &G);
    if (pressed != 0) add_section(&B, p->area, res.np, res.mp, thick);
  }
  to_increments(&kin.shape, full, f);
  if (!k) return OK;
  finish_tangent(&G, &kin.shape, full, k);
  if (pressed != 0)
    add_pressed(&kin.shape, thick, pressed / (own->section.thickness * element_area(el)), k);
  return OK;
}

// Turns the triad so that its director moves along the great circle of b1 V1 + b2 V2 by its length.
static void turn(const double *old, const double b[2], double *triad) {
  double d[3], axis[3], angle;
  for (int c = 0; c < 3; c++) d[c] = b[0] * old[c] + b[1] * old[3 + c];
  angle = sqrt(dot(d, d));
  double sine = angle > 0 ? sin(angle) / angle : 1, cosine = cos(angle);
  double versine = angle > 0 ? (1 - cosine) / (angle * angle) : 0.5;
  cross(old + 6, d, axis); // angle times the unit axis
  for (int v = 0; v < 3; v++) {
    const double *a = old + 3 * v;
    double once[3], twice[3];
    cross(axis, a, once);
    cross(axis, once, twice);
    for (int c = 0; c < 3; c++) triad[3 * v + c] = a[c] + sine * once[c] + versine * twice[c];
  }
  // round-off of many turns
  double *v1 = triad, *v2 = triad + 3, *t = triad + 6;
  normalise(t);
  double along = dot(v1, t);
  for (int c = 0; c < 3; c++) v1[c] -= along * t[c];
  normalise(v1);
  cross(t, v1, v2);
}

static void advance(const Form *form, const double *config, const double *extra,
                    double *config_new) {
  const int64_t n_triads = TRIAD * (int64_t)form->n_nodes;
  static const double none[2] = {0, 0};
  for (int i = 0; i < form->n_nodes; i++)
    turn(config + TRIAD * (int64_t)i, extra ? extra + 2 * (int64_t)i : none,
         config_new + TRIAD * (int64_t)i);
  for (int64_t k = n_triads; k < form->n_config; k++) config_new[k] = config[k];
}

static void commit(const Form *form, const FormPoint *at, double *config, double *internal) {
  const Own *own = form->own;
  const int kept = own->section.n * own->section.n_state;
  (void)at;
  for (int e = 0; e < form->n_elems; e++) {
    const double *point = internal + (int64_t)e * own->stride;
    double sum = 0;
    for (int g = 0; g < N_POINTS; g++)
      sum += own->elem[e].point[g].area * point[g * own->point_size + kept + SHELL_E_THICK];
    config[TRIAD * (int64_t)form->n_nodes + e] = exp(sum / element_area(&own->elem[e]));
  }
}

static void output(const Form *form, int e, const FormPoint *at, FormOutput *out) {
  const Own *own = form->own;
  const Element *el = &own->elem[e];
  Kinematics kin;
  *out = (FormOutput){0};
  kinematics(form, e, at, &kin);
  for (int g = 0; g < N_POINTS; g++) {
    const Point *p = &el->point[g];
    ShellPoint point = {.a1 = p->a1,
                        .a2 = p->a2,
                        .strain = &kin.strain[g],
                        .point = at->internal_old + (int64_t)e * own->stride + g * own->point_size,
                        .area = p->area};
    memcpy(point.g, kin.local[g].x, sizeof point.g);
    shell_show(&own->section, &point, out);
  }
  shell_show_end(&own->section, element_area(el), kin.strain[0].lam, out);
}

static void account(const Form *form, int e, const FormPoint *at, FormOutput *out) {
  const Own *own = form->own;
  const Element *el = &own->elem[e];
  *out = (FormOutput){0};
  for (int g = 0; g < N_POINTS; g++)
    shell_account(&own->section, at->internal_old + (int64_t)e * own->stride + g * own->point_size,
                  el->point[g].area, out);
  shell_show_end(&own->section, element_area(el), at->config[TRIAD * (int64_t)form->n_nodes + e],
                 out);
}

// Forces of tools on the nodes of an element, from its pressure.
static void add_pressures(const Own *own, int e, const double *internal, const FormPinch *pinch,
                          double *force) {
  const Element *el = &own->elem[e];
  double area[N_POINTS], pressure[N_NODES];
  for (int g = 0; g < N_POINTS; g++) area[g] = el->point[g].area;
  const ShellPoints points = {.n_nodes = N_NODES,
                              .n = N_POINTS,
                              .node = el->node,
                              .area = area,
                              .old = internal + (int64_t)e * own->stride,
                              .stride = own->point_size};
  if (!shell_pinched(&own->section, &points, pinch, pressure)) return;
  for (int k = 0; k < N_NODES; k++) force[el->node[k]] += pressure[k] * element_area(el) / N_NODES;
}

static void thickness(const Form *form, const double *config, const double *internal,
                      const FormPinch *pinch, double *t, double *pressure) {
  const Own *own = form->own;
  const double *lam = config + TRIAD * (int64_t)form->n_nodes;
  for (int i = 0; i < form->n_nodes; i++) t[i] = pressure[i] = 0;
  for (int e = 0; e < form->n_elems; e++) {
    if (form_is_cut(form, e)) continue;
    for (int g = 0; g < N_POINTS; g++)
      for (int k = 0; k < N_NODES; k++) {
        const Point *p = &own->elem[e].point[g];
        t[own->elem[e].node[k]] += p->n[k] * p->area * lam[e];
      }
    if (pinch) add_pressures(own, e, internal, pinch, pressure);
  }
  for (int i = 0; i < form->n_nodes; i++) {
    t[i] = own->share[i] > 0 ? t[i] * form->spec.thickness / own->share[i] : 0;
    if (own->share[i] > 0) pressure[i] /= own->share[i];
  }
}

static void free_own(Form *form) {
  Own *own = form->own;
  if (!own) return;
  shell_section_free(&own->section);
  mem_free(own->elem);
  mem_free(own->share);
  mem_free(own);
  form->own = NULL;
}

// ---- set-up -------------------------------------------------------------------------------------

static const signed char corner[N_NODES][2] = {{-1, -1}, {1, -1}, {1, 1}, {-1, 1}};

// Adds the normals at the element's corners, of the size of the area there, to the directors.
static void add_normals(const Form *form, int e, double *triads) {
  const double *X = form->spec.mesh->x;
  const int32_t *node = form->spec.mesh->elem_node + form->spec.mesh->elem_ptr[e];
  for (int k = 0; k < N_NODES; k++) {
    const double *p = X + 3 * (int64_t)node[k], *a = X + 3 * (int64_t)node[(k + 1) % N_NODES],
                 *b = X + 3 * (int64_t)node[(k + 3) % N_NODES];
    double u[3], v[3], n[3];
    for (int c = 0; c < 3; c++) {
      u[c] = a[c] - p[c];
      v[c] = b[c] - p[c];
    }
    cross(u, v, n);
    for (int c = 0; c < 3; c++) triads[TRIAD * (int64_t)node[k] + 6 + c] += n[c];
  }
}

// Holds the director of a node in the plane with this normal; a second plane holds it altogether.
static void hold_in_plane(Form *form, int node, const double plane[3]) {
  double *triad = form->config_start + TRIAD * (int64_t)node;
  uint8_t *fixed = form->fixed_extra + 2 * (int64_t)node;
  const double another = 0.9; // cosine between normals of the same plane, on facets of a curve
  if (fixed[0] && fabs(dot(triad, plane)) < another) fixed[1] = 1;
  if (fixed[0]) return;
  memcpy(triad, plane, 3 * sizeof *plane);
  fixed[0] = 1;
}

static void hold_nodes(Form *form) {
  for (int i = 0; form->spec.edge && i < form->n_nodes; i++)
    for (int axis = 0; axis < 3; axis++) {
      const double plane[3] = {axis == 0, axis == 1, axis == 2};
      if (form->spec.edge[i] & EDGE_ACROSS_X << axis) hold_in_plane(form, i, plane);
    }
}

// Holds the directors of a boundary side: clamped ones altogether; in planes of symmetry V1 becomes
// the normal of the plane (a second plane has V2), so that one increment is held. Marks: bit 0 and
// 1 of fixed_extra pairs by now; the first plane of a node stays in its V1.
static void hold_side(Form *form, int e, int side) {
  const int32_t *elem = form->spec.mesh->elem_node + form->spec.mesh->elem_ptr[e];
  EdgeCondition condition = shell_side_condition(&form->spec, e, side);
  if (condition == EDGE_FREE) return;
  for (int end = 0; end < 2; end++) {
    int32_t node = elem[(side + end) % N_NODES];
    double *triad = form->config_start + TRIAD * (int64_t)node, plane[3], normal[3];
    uint8_t *fixed = form->fixed_extra + 2 * (int64_t)node;
    if (form->spec.edge[node] & EDGE_CLAMPED) {
      fixed[0] = fixed[1] = 1;
      continue;
    }
    if (form->spec.edge[node] != EDGE_SYMMETRY) continue; // hold_nodes
    memcpy(normal, triad + 6, sizeof normal);
    normalise(normal);
    shell_side_plane(form->spec.mesh, e, side, normal, plane);
    hold_in_plane(form, node, plane);
  }
}

static Status make_triads(Form *form, const ShellEdges *edges, Err *err) {
  for (int e = 0; e < form->n_elems; e++) add_normals(form, e, form->config_start);
  hold_nodes(form);
  for (int k = 0; k < edges->n; k++) // elements have four sides each
    if (edges->side[k][0] >= 0 && edges->side[k][1] < 0)
      hold_side(form, edges->side[k][0] / 4, edges->side[k][0] % 4);
  for (int i = 0; i < form->n_nodes; i++) {
    double *v1 = form->config_start + TRIAD * (int64_t)i, *v2 = v1 + 3, *t = v1 + 6;
    int in_plane = form->fixed_extra[2 * i] && dot(v1, v1) > 0;
    if (in_plane) {
      double along = dot(v1, t);
      for (int c = 0; c < 3; c++) t[c] -= along * v1[c];
    }
    if (!(dot(t, t) > 0))
      return err_set(err, ERR_INPUT, "the sheet has no normal at node %d", i + 1);
    normalise(t);
    if (in_plane)
      cross(t, v1, v2);
    else
      shell_frame(form->spec.rolling, t, v1, v2);
  }
  return OK;
}

static Status prepare(Form *form, int e, Err *err) {
  Own *own = form->own;
  Element *el = &own->elem[e];
  const double gauss = 0.57735026918962576451; // 1/sqrt(3)
  Shape shape;
  memcpy(el->node, form->spec.mesh->elem_node + form->spec.mesh->elem_ptr[e], sizeof el->node);
  shape_of(form, el, NULL, form->config_start, &shape);
  for (int q = 0; q < 4; q++) el->shear0[q] = shape.shear[q];
  for (int g = 0; g < N_POINTS; g++) {
    Point *p = &el->point[g];
    double by[2][N_NODES], G[2][3], normal[3];
    p->r = gauss * corner[g][0];
    p->s = gauss * corner[g][1];
    for (int k = 0; k < N_NODES; k++) {
      double fr = 1 + corner[k][0] * p->r, fs = 1 + corner[k][1] * p->s;
      p->n[k] = 0.25 * fr * fs;
      by[0][k] = 0.25 * corner[k][0] * fs;
      by[1][k] = 0.25 * corner[k][1] * fr;
    }
    for (int a = 0; a < 2; a++) combine(by[a], (const double(*)[3])shape.x, G[a]);
    cross(G[0], G[1], normal);
    p->area = sqrt(dot(normal, normal));
    // of the same sense as the directors: else the element is concave or folded
    double mean[3];
    combine(p->n, (const double(*)[3])shape.t, mean);
    if (!(p->area > 0 && dot(mean, normal) > 0))
      return err_set(err, ERR_INPUT, "element %d of the sheet is folded at integration point %d",
                     e + 1, g + 1);
    normalise(normal);
    shell_frame(form->spec.rolling, normal, p->a1, p->a2);
    // c is the inverse of the matrix G_a . a_i
    double m11 = dot(G[0], p->a1), m12 = dot(G[0], p->a2), m21 = dot(G[1], p->a1),
           m22 = dot(G[1], p->a2), det = m11 * m22 - m12 * m21;
    p->c[0][0] = m22 / det;
    p->c[0][1] = -m12 / det;
    p->c[1][0] = -m21 / det;
    p->c[1][1] = m11 / det;
    for (int i = 0; i < 2; i++)
      for (int k = 0; k < N_NODES; k++) p->dn[i][k] = p->c[i][0] * by[0][k] + p->c[i][1] * by[1][k];
    Local local;
    ShellStrain strain;
    local_of(p, &shape, &local);
    strain_of(p, &local, 1, &strain); // kappa0 is zero by now
    memcpy(p->kappa0, strain.chi, sizeof p->kappa0);
    for (int k = 0; k < N_NODES && !form_is_cut(form, e); k++)
      own->share[el->node[k]] += p->n[k] * p->area;
  }
  return OK;
}

static Status build(Form *form, const FormSpec *spec, const ShellEdges *edges, Err *err) {
  Own *own = form->own;
  int n = form->n_nodes;
  MEM_NEW(own->elem, form->n_elems, err);
  MEM_NEW(own->share, n, err);
  MEM_NEW(form->mass, n, err);
  form->n_extra = 2 * n;
  MEM_NEW(form->fixed_extra, form->n_extra, err);
  // configuration: triads of the nodes (V1, V2, director), stretch of the thickness of the elements
  form->n_config = TRIAD * (int64_t)n + form->n_elems;
  MEM_NEW(form->config_start, form->n_config, err);
  for (int e = 0; e < form->n_elems; e++) form->config_start[TRIAD * (int64_t)n + e] = 1;
  TRY(make_triads(form, edges, err));
  for (int e = 0; e < form->n_elems; e++) TRY(prepare(form, e, err));
  for (int i = 0; i < n; i++)
    form->mass[i] = spec->material->density * spec->thickness * own->share[i];
  for (int i = 0; i < n; i++)
    if (!(own->share[i] > 0)) form->fixed_extra[2 * i] = form->fixed_extra[2 * i + 1] = 1;
  form->max_dofs = N_DOFS;
  MEM_NEW(form->dof_ptr, form->n_elems + 1, err);
  MEM_NEW(form->dof, N_DOFS * (size_t)form->n_elems, err);
  for (int e = 0; e < form->n_elems; e++) {
    int32_t *dof = form->dof + N_DOFS * (int64_t)e;
    form->dof_ptr[e + 1] = N_DOFS * (e + 1);
    for (int k = 0; k < N_NODES; k++) {
      for (int c = 0; c < 3; c++) dof[3 * k + c] = 3 * own->elem[e].node[k] + c;
      for (int a = 0; a < 2; a++) dof[N_X + 2 * k + a] = 3 * n + 2 * own->elem[e].node[k] + a;
    }
  }
  form->n_internal = (int64_t)own->stride * form->n_elems;
  return OK;
}

static Status init(Form *form, const FormSpec *spec, Err *err) {
  const double correction = 5.0 / 6; // of transverse shear, parabolic over the thickness
  double d[16];
  Own *own;
  ShellEdges edges;
  MEM_NEW(own, 1, err);
  form->own = own;
  TRY(shell_section_init(&own->section, spec, err));
  spec->material->type->stiffness(spec->material->par, PLANE_STRESS, d);
  own->shear = correction * d[15] * spec->thickness;
  own->point_size = shell_point_size(&own->section);
  own->stride = N_POINTS * own->point_size;
  TRY(shell_edges_init(&edges, spec->mesh, err));
  shell_edges_cut(&edges, spec->mesh, spec->cut);
  Status status = build(form, spec, &edges, err);
  shell_edges_free(&edges);
  return status;
}

const FormType form_shell_mitc4 = {
    .name = "mitc4",
    .doc = "Shell quadrilateral with directors and assumed transverse shear (Dvorkin and Bathe "
           "1984)",
    .shape = {[SHAPE_Q4] = 1},
    .shell = 1,
    .init = init,
    .free = free_own,
    .element = element,
    .advance = advance,
    .commit = commit,
    .output = output,
    .account = account,
    .thickness = thickness,
};
