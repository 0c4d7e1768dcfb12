// The triangle without rotations of Flores and Onate 2005 (EBST, one point), total Lagrangian, with
// exact tangent; on request an angle for each edge, with which bending is that of Morley 1971 in
// the limit of small rotations and any mesh bends correctly. docs/theory/shells.md derives it.
//
// Patch of an element: its nodes 0 1 2 and, across the side opposite to node i, the third node 3 +
// i of the neighbour. Where there is none it is a ghost, a linear map of the nodes 0 1 2.
#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "element/form_table.h"
#include "element/shell_section.h"

enum { N_PATCH = 6, N_X = 3 * N_PATCH, N_ALL = N_X + 3, GHOST_SIZE = 27 };

typedef struct {
  int32_t node[N_PATCH];  // -1: ghost
  int32_t ghost[3];       // place of its map, -1
  int32_t edge[3];        // opposite to node i
  int n_x;                // unknowns that are translations
  signed char place[N_X]; // of a translation of the patch among the unknowns of the element; -1
  double area;            // [m^2]
  double a1[3], a2[3];    // frame
  double L[2][3];         // gradients of the linear triangle                         [1/m]
  double N[3][2][4];      // gradients at the middle of side i, by the nodes of `active`
  double H[3][N_PATCH];   // curvature operator, (11, 22, 12)                        [1/m^2]
  double angle[3][3];     // [voigt][side] curvature by the angles of the edges        [1/m]
  double kappa0[3];       // of the reference, doubled shear                           [1/m]
} Element;

typedef struct {
  ShellSection section;
  Element *elem; // [n_elems]
  double *ghost; // [n_ghosts * 27] x_ghost = sum of 3 x 3 blocks times x_0, x_1, x_2
  double *share; // [n_nodes] a third of the area of the elements at a node        [m^2]
  int stride;    // internal variables of an element
} Own;

// Nodes of the patch that the middle of side i sees: its element and the neighbour across it.
static const signed char active[3][4] = {{0, 1, 2, 3}, {0, 1, 2, 4}, {0, 1, 2, 5}};

// Derivatives by (xi, eta) of the six shape functions at the three mid-sides, columns of `active`.
static const double mid_side[3][2][4] = {
    {{-0.5, 0.5, -0.5, 0.5}, {-0.5, -0.5, 0.5, 0.5}},
    {{-0.5, 0.5, 0.5, -0.5}, {-1, 0, 1, 0}},
    {{-1, 1, 0, 0}, {-0.5, 0.5, 0.5, -0.5}},
};

static double dot(const double a[3], const double b[3]) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void cross(const double a[3], const double b[3], double c[3]) {
  c[0] = a[1] * b[2] - a[2] * b[1];
  c[1] = a[2] * b[0] - a[0] * b[2];
  c[2] = a[0] * b[1] - a[1] * b[0];
}

// Positions of the patch, ghosts included.
static void patch_positions(const Own *own, const Element *el, const double *X, const double *u,
                            double x[N_PATCH][3]) {
  for (int k = 0; k < N_PATCH; k++) {
    if (el->node[k] >= 0) {
      for (int c = 0; c < 3; c++) {
        int64_t at = 3 * (int64_t)el->node[k] + c;
        x[k][c] = X[at] + (u ? u[at] : 0);
      }
      continue;
    }
    const double *map = own->ghost + (int64_t)GHOST_SIZE * el->ghost[k - 3];
    for (int c = 0; c < 3; c++) {
      double sum = 0;
      for (int j = 0; j < 9; j++) sum += map[9 * (j / 3) + 3 * c + j % 3] * x[j / 3][j % 3];
      x[k][c] = sum;
    }
  }
}

// What the current positions give: tangents at the mid-sides, normal and dual basis of the
// triangle, second derivatives.
typedef struct {
  double phi[3][2][3];        // at mid-side i, along a1 and a2
  double g[2][3], dual[2][3]; // of the linear triangle
  double metric[2][2];        // a^ab
  double t[3];                // unit normal
  double h[3][3];             // (11, 22, 12)                                            [1/m]
  double kappa[3];            // -h . t, tensor components
  double em[3];               // membrane strain
} Kinematics;

// 0: the triangle has no area.
static int kinematics(const Element *el, const double x[N_PATCH][3], Kinematics *kin) {
  double mean[3] = {0};
  for (int i = 0; i < 3; i++) {
    for (int a = 0; a < 2; a++)
      for (int c = 0; c < 3; c++) {
        double sum = 0;
        for (int k = 0; k < 4; k++) sum += el->N[i][a][k] * x[active[i][k]][c];
        kin->phi[i][a][c] = sum;
      }
    mean[0] += dot(kin->phi[i][0], kin->phi[i][0]);
    mean[1] += dot(kin->phi[i][1], kin->phi[i][1]);
    mean[2] += dot(kin->phi[i][0], kin->phi[i][1]);
  }
  kin->em[0] = 0.5 * (mean[0] / 3 - 1);
  kin->em[1] = 0.5 * (mean[1] / 3 - 1);
  kin->em[2] = mean[2] / 3;
  for (int a = 0; a < 2; a++)
    for (int c = 0; c < 3; c++)
      kin->g[a][c] = el->L[a][0] * x[0][c] + el->L[a][1] * x[1][c] + el->L[a][2] * x[2][c];
  double n[3], size;
  cross(kin->g[0], kin->g[1], n);
  size = sqrt(dot(n, n));
  if (!(size > 0)) return 0;
  for (int c = 0; c < 3; c++) kin->t[c] = n[c] / size;
  double a11 = dot(kin->g[0], kin->g[0]), a12 = dot(kin->g[0], kin->g[1]),
         a22 = dot(kin->g[1], kin->g[1]), det = size * size;
  kin->metric[0][0] = a22 / det;
  kin->metric[0][1] = kin->metric[1][0] = -a12 / det;
  kin->metric[1][1] = a11 / det;
  for (int a = 0; a < 2; a++)
    for (int c = 0; c < 3; c++)
      kin->dual[a][c] = kin->metric[a][0] * kin->g[0][c] + kin->metric[a][1] * kin->g[1][c];
  for (int s = 0; s < 3; s++) {
    for (int c = 0; c < 3; c++) {
      double sum = 0;
      for (int k = 0; k < N_PATCH; k++) sum += el->H[s][k] * x[k][c];
      kin->h[s][c] = sum;
    }
    kin->kappa[s] = -dot(kin->h[s], kin->t);
  }
  return 1;
}

static void angles_of(const Form *form, const Element *el, const double *config, double angle[3]) {
  for (int i = 0; i < 3; i++) angle[i] = form->spec.edge_unknown ? config[el->edge[i]] : 0;
  // the angle counts from the side of the element that the edge lists first: signs are in el->angle
}

// Configuration: angles of the edges; of the elements the stretch of the thickness, and strains
// beside those of their patch (rebase), zero until a neighbour is cut off.
enum { N_BESIDE = 6 };

static double stretch_of(const Form *form, const double *config, int e) {
  return config[form->n_extra + e];
}

static int64_t beside_of(const Form *form, int e) {
  return form->n_extra + form->n_elems + N_BESIDE * (int64_t)e;
}

static void strain_of(const Form *form, int e, const Kinematics *kin, const double *config,
                      ShellStrain *strain) {
  const Element *el = &((const Own *)form->own)->elem[e];
  const double *beside = config + beside_of(form, e);
  double angle[3];
  angles_of(form, el, config, angle);
  for (int s = 0; s < 3; s++) {
    strain->em[s] = kin->em[s] + beside[s];
    strain->chi[s] = (s < 2 ? 1 : 2) * kin->kappa[s] - el->kappa0[s] + el->angle[s][0] * angle[0] +
                     el->angle[s][1] * angle[1] + el->angle[s][2] * angle[2] + beside[3 + s];
  }
  strain->lam = stretch_of(form, config, e);
}

// Variations of membrane strain and curvature by the unknowns of the patch; c of the curvature is
// kept for the geometric tangent (tensor components).
typedef struct {
  double m[3][N_ALL], b[3][N_ALL];
  double c[3][N_PATCH];
} StrainMatrix;

static void strain_matrix(const Element *el, const Kinematics *kin, StrainMatrix *B) {
  memset(B->m, 0, sizeof B->m);
  for (int i = 0; i < 3; i++)
    for (int k = 0; k < 4; k++) {
      int at = 3 * active[i][k];
      double n1 = el->N[i][0][k] / 3, n2 = el->N[i][1][k] / 3;
      for (int c = 0; c < 3; c++) {
        B->m[0][at + c] += n1 * kin->phi[i][0][c];
        B->m[1][at + c] += n2 * kin->phi[i][1][c];
        B->m[2][at + c] += n1 * kin->phi[i][1][c] + n2 * kin->phi[i][0][c];
      }
    }
  for (int s = 0; s < 3; s++) {
    // dt = -(t . dg_a) g^a
    double rho1 = dot(kin->h[s], kin->dual[0]), rho2 = dot(kin->h[s], kin->dual[1]);
    for (int k = 0; k < N_PATCH; k++) {
      double c = el->H[s][k];
      if (k < 3) c -= rho1 * el->L[0][k] + rho2 * el->L[1][k];
      B->c[s][k] = c;
      for (int i = 0; i < 3; i++) B->b[s][3 * k + i] = -(s < 2 ? 1 : 2) * c * kin->t[i];
    }
    for (int i = 0; i < 3; i++) B->b[s][N_X + i] = el->angle[s][i];
  }
}

static void add_geometric(const Element *el, const Kinematics *kin, const StrainMatrix *B,
                          const ShellResult *res, double K[N_ALL][N_ALL]) {
  // membrane: the same for the three directions
  for (int i = 0; i < 3; i++)
    for (int k = 0; k < 4; k++) {
      double along1 = (res->n[0] * el->N[i][0][k] + res->n[2] * el->N[i][1][k]) / 3;
      double along2 = (res->n[2] * el->N[i][0][k] + res->n[1] * el->N[i][1][k]) / 3;
      for (int l = 0; l < 4; l++) {
        double value = along1 * el->N[i][0][l] + along2 * el->N[i][1][l];
        for (int c = 0; c < 3; c++) K[3 * active[i][k] + c][3 * active[i][l] + c] += value;
      }
    }
  // bending, with weights of tensor components
  const double m[3] = {res->m[0], res->m[1], 2 * res->m[2]};
  const double total = m[0] * kin->kappa[0] + m[1] * kin->kappa[1] + m[2] * kin->kappa[2];
  double turn[3][3], cm[N_PATCH];
  for (int l = 0; l < 3; l++)
    for (int c = 0; c < 3; c++)
      turn[l][c] = el->L[0][l] * kin->dual[0][c] + el->L[1][l] * kin->dual[1][c];
  for (int k = 0; k < N_PATCH; k++)
    cm[k] = m[0] * B->c[0][k] + m[1] * B->c[1][k] + m[2] * B->c[2][k];
  for (int k = 0; k < N_PATCH; k++)
    for (int l = 0; l < 3; l++)
      for (int c = 0; c < 3; c++)
        for (int d = 0; d < 3; d++) {
          double value = cm[k] * turn[l][c] * kin->t[d];
          K[3 * k + c][3 * l + d] += value;
          K[3 * l + d][3 * k + c] += value;
        }
  for (int k = 0; k < 3; k++)
    for (int l = 0; l < 3; l++) {
      double value = -total * dot(turn[k], turn[l]);
      for (int c = 0; c < 3; c++)
        for (int d = 0; d < 3; d++) K[3 * k + c][3 * l + d] += value * kin->t[c] * kin->t[d];
    }
}

// `pressed`: dp by the thickness strain; the pressure follows it.
static void material_tangent(const StrainMatrix *B, const ShellResult *res, double pressed, int n,
                             double K[N_ALL][N_ALL]) {
  double dm[3][N_ALL], db[3][N_ALL], thick[N_ALL] = {0};
  for (int s = 0; s < 3; s++) {
    const double *d0 = res->d0 + 3 * s, *d1 = res->d1 + 3 * s, *d2 = res->d2 + 3 * s;
    for (int k = 0; k < n; k++) {
      double m0 = B->m[0][k], m1 = B->m[1][k], m2 = B->m[2][k], b0 = B->b[0][k], b1 = B->b[1][k],
             b2 = B->b[2][k];
      dm[s][k] = d0[0] * m0 + d0[1] * m1 + d0[2] * m2 + d1[0] * b0 + d1[1] * b1 + d1[2] * b2;
      db[s][k] = d1[0] * m0 + d1[1] * m1 + d1[2] * m2 + d2[0] * b0 + d2[1] * b1 + d2[2] * b2;
    }
  }
  for (int k = 0; k < n; k++) {
    double m0 = B->m[0][k], m1 = B->m[1][k], m2 = B->m[2][k], b0 = B->b[0][k], b1 = B->b[1][k],
           b2 = B->b[2][k];
    for (int l = 0; l < n; l++)
      K[k][l] = m0 * dm[0][l] + m1 * dm[1][l] + m2 * dm[2][l] + b0 * db[0][l] + b1 * db[1][l] +
                b2 * db[2][l];
  }
  if (pressed == 0) return;
  for (int k = 0; k < n; k++)
    for (int s = 0; s < 3; s++) thick[k] += B->m[s][k] * res->np[s] + B->b[s][k] * res->mp[s];
  for (int k = 0; k < n; k++)
    for (int l = 0; l < n; l++) K[k][l] += pressed * thick[k] * thick[l];
}


// Forces of the ghost 3 + i to the nodes of its map.
static void fold_force(const double *map, int i, double f[N_ALL]) {
  for (int j = 0; j < 9; j++)
    for (int c = 0; c < 3; c++) f[j] += map[9 * (j / 3) + 3 * c + j % 3] * f[9 + 3 * i + c];
}

static void fold_tangent(const double *map, int i, int n, double K[N_ALL][N_ALL]) {
  const int first = 9 + 3 * i;
  for (int j = 0; j < 9; j++)
    for (int c = 0; c < 3; c++) {
      double factor = map[9 * (j / 3) + 3 * c + j % 3];
      if (factor == 0) continue;
      for (int l = 0; l < n; l++) K[j][l] += factor * K[first + c][l];
    }
  for (int j = 0; j < 9; j++)
    for (int c = 0; c < 3; c++) {
      double factor = map[9 * (j / 3) + 3 * c + j % 3];
      if (factor == 0) continue;
      for (int k = 0; k < n; k++) K[k][j] += factor * K[k][first + c];
    }
}

static Status element(const Form *form, int e, const FormPoint *at, double *f, double *k,
                      Err *err) {
  const Own *own = form->own;
  const Element *el = &own->elem[e];
  double x[N_PATCH][3], all[N_ALL], pressed;
  Kinematics kin;
  ShellStrain strain;
  ShellResult res;
  StrainMatrix B;
  patch_positions(own, el, form->spec.mesh->x, at->u, x);
  if (!kinematics(el, (const double(*)[3])x, &kin))
    return err_set(err, ERR_NUMERIC, "the triangle has lost its area");
  strain_of(form, e, &kin, at->config, &strain);
  const double *old = at->internal_old + (int64_t)e * own->stride;
  double *new = at->internal + (int64_t)e * own->stride;
  ShellPoints points = {
      .n_nodes = 3, .node = el->node, .n = 1, .strain = &strain, .area = &el->area, .old = old};
  TRY(shell_press(&own->section, at, &points, &pressed, err));
  TRY(shell_layers(&own->section, &strain, old, new, k != NULL, &res, err));
  shell_keep(&own->section, &strain, &res, old, new);
  strain_matrix(el, &kin, &B);
  int n = form->spec.edge_unknown ? N_ALL : N_X, n_dofs = el->n_x + (n - N_X);
  for (int j = 0; j < n; j++) {
    all[j] = 0;
    for (int s = 0; s < 3; s++) all[j] += B.m[s][j] * res.n[s] + B.b[s][j] * res.m[s];
  }
  signed char place[N_ALL];
  memcpy(place, el->place, sizeof el->place);
  for (int i = 0; i < 3; i++) place[N_X + i] = (signed char)(el->n_x + i);
  for (int i = 0; i < 3; i++)
    if (el->node[3 + i] < 0) fold_force(own->ghost + GHOST_SIZE * (int64_t)el->ghost[i], i, all);
  for (int j = 0; j < n; j++)
    if (place[j] >= 0) f[place[j]] = el->area * all[j];
  if (!k) return OK;
  double K[N_ALL][N_ALL];
  material_tangent(&B, &res, pressed / own->section.thickness, n, K);
  add_geometric(el, &kin, &B, &res, K);
  for (int i = 0; i < 3; i++)
    if (el->node[3 + i] < 0) fold_tangent(own->ghost + GHOST_SIZE * (int64_t)el->ghost[i], i, n, K);
  for (int i = 0; i < n; i++)
    for (int j = 0; place[i] >= 0 && j < n; j++)
      if (place[j] >= 0) k[place[i] * n_dofs + place[j]] = el->area * K[i][j];
  return OK;
}

static void advance(const Form *form, const double *config, const double *extra,
                    double *config_new) {
  for (int64_t i = 0; i < form->n_config; i++) config_new[i] = config[i];
  for (int i = 0; extra && i < form->n_extra; i++) config_new[i] += extra[i];
}

static void commit(const Form *form, const FormPoint *at, double *config, double *internal) {
  const Own *own = form->own;
  const int kept = own->section.n * own->section.n_state;
  (void)at;
  for (int e = 0; e < form->n_elems; e++)
    config[form->n_extra + e] = exp(internal[(int64_t)e * own->stride + kept + SHELL_E_THICK]);
}

static void output(const Form *form, int e, const FormPoint *at, FormOutput *out) {
  const Own *own = form->own;
  const Element *el = &own->elem[e];
  double x[N_PATCH][3];
  Kinematics kin;
  ShellStrain strain;
  *out = (FormOutput){0};
  patch_positions(own, el, form->spec.mesh->x, at->u, x);
  if (!kinematics(el, (const double(*)[3])x, &kin)) return;
  strain_of(form, e, &kin, at->config, &strain);
  ShellPoint point = {.a1 = el->a1,
                      .a2 = el->a2,
                      .strain = &strain,
                      .point = at->internal_old + (int64_t)e * own->stride,
                      .area = el->area};
  memcpy(point.g, kin.g, sizeof point.g);
  shell_show(&own->section, &point, out);
  shell_show_end(&own->section, el->area, strain.lam, out);
}

static void account(const Form *form, int e, const FormPoint *at, FormOutput *out) {
  const Own *own = form->own;
  double area = own->elem[e].area;
  *out = (FormOutput){0};
  shell_account(&own->section, at->internal_old + (int64_t)e * own->stride, area, out);
  shell_show_end(&own->section, area, stretch_of(form, at->config, e), out);
}

// The strain of an element is a mean over its neighbours too. Where one of them goes it must not
// jump: what the patch of `form` no longer gives stands beside it.
static void rebase(const Form *form, const Form *before, const FormPoint *at, double *config) {
  for (int e = 0; e < form->n_elems; e++) {
    const Own *own[2] = {form->own, before->own};
    Kinematics kin[2];
    double x[N_PATCH][3], *beside = config + beside_of(form, e);
    ShellStrain strain[2];
    int same = 1;
    for (int i = 3; i < N_PATCH; i++)
      same = same && own[0]->elem[e].node[i] == own[1]->elem[e].node[i];
    if (same || form_is_cut(form, e)) continue;
    for (int k = 0; k < 2; k++) {
      const Form *one = k == 0 ? form : before;
      patch_positions(own[k], &own[k]->elem[e], form->spec.mesh->x, at->u, x);
      if (!kinematics(&own[k]->elem[e], (const double(*)[3])x, &kin[k])) return;
      strain_of(one, e, &kin[k], config, &strain[k]);
    }
    for (int s = 0; s < 3; s++) {
      beside[s] += strain[1].em[s] - strain[0].em[s];
      beside[3 + s] += strain[1].chi[s] - strain[0].chi[s];
    }
  }
}

static void thickness(const Form *form, const double *config, const double *internal,
                      const FormPinch *pinch, double *t, double *pressure) {
  const Own *own = form->own;
  for (int i = 0; i < form->n_nodes; i++) t[i] = pressure[i] = 0;
  for (int e = 0; e < form->n_elems; e++) {
    const double area = own->elem[e].area / 3;
    const int32_t *node = own->elem[e].node;
    const ShellPoints points = {.n_nodes = 3,
                                .n = 1,
                                .node = node,
                                .area = &own->elem[e].area,
                                .old = internal + (int64_t)e * own->stride};
    double tools[3];
    for (int k = 0; k < 3; k++) t[node[k]] += area * stretch_of(form, config, e);
    if (!pinch || !shell_pinched(&own->section, &points, pinch, tools)) continue;
    for (int k = 0; k < 3; k++) pressure[node[k]] += area * tools[k];
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
  mem_free(own->ghost);
  mem_free(own->share);
  mem_free(own);
  form->own = NULL;
}

// ---- set-up -------------------------------------------------------------------------------------

// Map of the ghost across side i (opposite to node i): free edges go on flat, held ones are
// mirrored at the plane of the side, which follows the side's translation.
static void ghost_map(const Form *form, int e, int i, const double normal[3],
                      double map[GHOST_SIZE]) {
  int side = (i + 1) % 3, held = shell_side_condition(&form->spec, e, side) != EDGE_FREE;
  double m[3] = {0};
  if (held) shell_side_plane(form->spec.mesh, e, side, normal, m);
  for (int node = 0; node < 3; node++)
    for (int c = 0; c < 3; c++)
      for (int d = 0; d < 3; d++) {
        double unit = c == d, value;
        if (held) // x_i + 2 m m . (middle of the side - x_i)
          value = node == i ? unit - 2 * m[c] * m[d] : m[c] * m[d];
        else // x_j + x_k - x_i
          value = node == i ? -unit : unit;
        map[9 * node + 3 * c + d] = value;
      }
}

// What is cut off keeps its unknowns, without neighbours.
static void connect(const Form *form, const ShellEdges *edges, int e, int *n_ghosts) {
  const Mesh *mesh = form->spec.mesh;
  Own *own = form->own;
  Element *el = &own->elem[e];
  int first = mesh->elem_ptr[e];
  for (int i = 0; i < 3; i++) {
    int place = first + (i + 1) % 3; // side from node i + 1 to i + 2
    el->node[i] = mesh->elem_node[first + i];
    el->edge[i] = edges->of_side[place];
    const int32_t *side = edges->side[el->edge[i]];
    int32_t across = side[0] == place ? side[1] : side[0];
    el->node[3 + i] = -1;
    el->ghost[i] = -1;
    if (form_is_cut(form, e)) continue;
    if (across >= 0) // the node opposite to that side in the neighbour
      el->node[3 + i] = mesh->elem_node[across - across % 3 + (across % 3 + 2) % 3];
    else
      el->ghost[i] = (*n_ghosts)++;
  }
  el->n_x = 0;
  for (int k = 0; k < N_PATCH; k++)
    for (int c = 0; c < 3; c++)
      el->place[3 * k + c] = (signed char)(el->node[k] >= 0 ? el->n_x++ : -1);
}

// Inverse of the 2 x 2 matrix of derivatives along (a1, a2) of the tangents by (xi, eta).
static void gradients(int n, const double *by_local, const double tangent[2][3], const double a1[3],
                      const double a2[3], double *gradient) {
  double j11 = dot(tangent[0], a1), j12 = dot(tangent[0], a2), j21 = dot(tangent[1], a1),
         j22 = dot(tangent[1], a2), det = j11 * j22 - j12 * j21;
  for (int k = 0; k < n; k++) {
    double xi = by_local[k], eta = by_local[n + k];
    gradient[k] = (j22 * xi - j12 * eta) / det;
    gradient[n + k] = (j11 * eta - j21 * xi) / det;
  }
}

static void side_gradients(Element *el, const double x[N_PATCH][3], int i) {
  double tangent[2][3], normal[3], a1[3], a2[3];
  for (int a = 0; a < 2; a++)
    for (int c = 0; c < 3; c++) {
      tangent[a][c] = 0;
      for (int k = 0; k < 4; k++) tangent[a][c] += mid_side[i][a][k] * x[active[i][k]][c];
    }
  cross(tangent[0], tangent[1], normal);
  double size = sqrt(dot(normal, normal));
  for (int c = 0; c < 3; c++) normal[c] /= size;
  shell_frame(el->a1, normal, a1, a2);
  gradients(4, &mid_side[i][0][0], (const double(*)[3])tangent, a1, a2, &el->N[i][0][0]);
}

// Reference data of an element whose nodes and ghosts are known.
static Status prepare(const Form *form, const ShellEdges *edges, int e, Err *err) {
  static const double linear[2][3] = {{-1, 1, 0}, {-1, 0, 1}};
  const Mesh *mesh = form->spec.mesh;
  Own *own = form->own;
  Element *el = &own->elem[e];
  double x[N_PATCH][3], tangent[2][3], normal[3];
  for (int k = 0; k < 3; k++) memcpy(x[k], mesh->x + 3 * (int64_t)el->node[k], sizeof x[k]);
  for (int c = 0; c < 3; c++) {
    tangent[0][c] = x[1][c] - x[0][c];
    tangent[1][c] = x[2][c] - x[0][c];
  }
  cross(tangent[0], tangent[1], normal);
  double size = sqrt(dot(normal, normal));
  if (!(size > 0)) return err_set(err, ERR_INPUT, "element %d of the sheet has no area", e + 1);
  for (int c = 0; c < 3; c++) normal[c] /= size;
  el->area = 0.5 * size;
  shell_frame(form->spec.rolling, normal, el->a1, el->a2);
  gradients(3, &linear[0][0], (const double(*)[3])tangent, el->a1, el->a2, &el->L[0][0]);
  for (int i = 0; i < 3; i++)
    if (el->ghost[i] >= 0)
      ghost_map(form, e, i, normal, own->ghost + GHOST_SIZE * (int64_t)el->ghost[i]);
  patch_positions(own, el, mesh->x, NULL, x);
  memset(el->H, 0, sizeof el->H);
  for (int i = 0; i < 3; i++) {
    side_gradients(el, (const double(*)[3])x, i);
    double l1 = el->L[0][i], l2 = el->L[1][i], length = hypot(l1, l2);
    for (int k = 0; k < 4; k++) {
      double n1 = el->N[i][0][k], n2 = el->N[i][1][k];
      el->H[0][active[i][k]] -= 2 * l1 * n1;
      el->H[1][active[i][k]] -= 2 * l2 * n2;
      el->H[2][active[i][k]] -= l2 * n1 + l1 * n2;
    }
    int place = mesh->elem_ptr[e] + (i + 1) % 3;
    double sign = edges->first[el->edge[i]] == place ? 1 : -1;
    // outward normal of the side -L / |L|
    el->angle[0][i] = -sign * 2 * l1 * l1 / length;
    el->angle[1][i] = -sign * 2 * l2 * l2 / length;
    el->angle[2][i] = -sign * 4 * l1 * l2 / length;
  }
  Kinematics kin;
  if (!kinematics(el, (const double(*)[3])x, &kin))
    return err_set(err, ERR_INPUT, "element %d of the sheet has no area", e + 1);
  for (int s = 0; s < 3; s++) el->kappa0[s] = (s < 2 ? 1 : 2) * kin.kappa[s];
  return OK;
}

static Status fill_dofs(Form *form, Err *err) {
  const Own *own = form->own;
  int n_angles = form->spec.edge_unknown ? 3 : 0, total = 0;
  MEM_NEW(form->dof_ptr, form->n_elems + 1, err);
  for (int e = 0; e < form->n_elems; e++) {
    total += own->elem[e].n_x + n_angles;
    form->dof_ptr[e + 1] = total;
    if (own->elem[e].n_x + n_angles > form->max_dofs) form->max_dofs = own->elem[e].n_x + n_angles;
  }
  MEM_NEW(form->dof, total, err);
  for (int e = 0, at = 0; e < form->n_elems; e++) {
    const Element *el = &own->elem[e];
    for (int k = 0; k < N_PATCH; k++)
      for (int c = 0; el->node[k] >= 0 && c < 3; c++) form->dof[at++] = 3 * el->node[k] + c;
    for (int i = 0; i < n_angles; i++) form->dof[at++] = 3 * form->n_nodes + el->edge[i];
  }
  return OK;
}

static Status build(Form *form, const FormSpec *spec, const ShellEdges *edges, Err *err) {
  Own *own = form->own;
  int n_ghosts = 0, n_boundary = 0;
  for (int k = 0; k < edges->n; k++) n_boundary += edges->side[k][1] < 0;
  MEM_NEW(own->elem, form->n_elems, err);
  MEM_NEW(own->ghost, GHOST_SIZE * (size_t)n_boundary, err);
  for (int e = 0; e < form->n_elems; e++) connect(form, edges, e, &n_ghosts);
  for (int e = 0; e < form->n_elems; e++)
    if (!form_is_cut(form, e)) TRY(prepare(form, edges, e, err));
  form->n_extra = spec->edge_unknown ? edges->n : 0;
  TRY(fill_dofs(form, err));
  MEM_NEW(own->share, form->n_nodes, err);
  MEM_NEW(form->mass, form->n_nodes, err);
  for (int e = 0; e < form->n_elems; e++)
    for (int k = 0; k < 3; k++) own->share[own->elem[e].node[k]] += own->elem[e].area / 3;
  for (int i = 0; i < form->n_nodes; i++)
    form->mass[i] = spec->material->density * spec->thickness * own->share[i];
  MEM_NEW(form->fixed_extra, form->n_extra, err);
  for (int k = 0; k < form->n_extra; k++) {
    int side = edges->side[k][0]; // elements have three sides each; none: all were cut off
    form->fixed_extra[k] =
        side < 0 ||
        (edges->side[k][1] < 0 && shell_side_condition(spec, side / 3, side % 3) != EDGE_FREE);
  }
  form->n_config = form->n_extra + (1 + N_BESIDE) * (int64_t)form->n_elems;
  MEM_NEW(form->config_start, form->n_config, err);
  for (int e = 0; e < form->n_elems; e++) form->config_start[form->n_extra + e] = 1;
  form->n_internal = (int64_t)own->stride * form->n_elems;
  return OK;
}

static Status init(Form *form, const FormSpec *spec, Err *err) {
  Own *own;
  ShellEdges edges;
  MEM_NEW(own, 1, err);
  form->own = own;
  TRY(shell_section_init(&own->section, spec, err));
  own->stride = shell_point_size(&own->section);
  TRY(shell_edges_init(&edges, spec->mesh, err));
  shell_edges_cut(&edges, spec->mesh, spec->cut);
  Status status = build(form, spec, &edges, err);
  shell_edges_free(&edges);
  return status;
}

const FormType form_shell_ebst = {
    .name = "ebst",
    .doc = "Shell triangle without rotations (Flores and Onate 2005); with an angle for each edge "
           "it bends correctly on any mesh",
    .shape = {[SHAPE_T3] = 1},
    .shell = 1,
    .init = init,
    .free = free_own,
    .element = element,
    .advance = advance,
    .commit = commit,
    .output = output,
    .account = account,
    .thickness = thickness,
    .rebase = rebase,
};
