#include "element/shell_section.h"

#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "element/hencky2.h"
#include "material/hardening_curve.h"
#include "mesh/nodeset.h"

static double dot(const double a[3], const double b[3]) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void cross(const double a[3], const double b[3], double c[3]) {
  c[0] = a[1] * b[2] - a[2] * b[1];
  c[1] = a[2] * b[0] - a[0] * b[2];
  c[2] = a[0] * b[1] - a[1] * b[0];
}

// Gauss points on [-1, 1]: roots of the Legendre polynomial by Newton from Tricomi's guess.
static void gauss(int n, double *x, double *w) {
  const double pi = 3.14159265358979323846;
  for (int k = 0; k < n; k++) {
    double z = -cos(pi * (k + 0.75) / (n + 0.5)), slope = 1;
    for (int it = 0; it < 100; it++) {
      double p = 1, before = 0;
      for (int j = 1; j <= n; j++) {
        double next = ((2 * j - 1) * z * p - (j - 1) * before) / j;
        before = p;
        p = next;
      }
      slope = n * (z * p - before) / (z * z - 1);
      double step = p / slope;
      z -= step;
      if (fabs(step) < 1e-15) break;
    }
    x[k] = z;
    w[k] = 2 / ((1 - z * z) * slope * slope);
  }
}

Status shell_section_init(ShellSection *section, const FormSpec *spec, Err *err) {
  const Material *material = spec->material;
  int n = spec->layers;
  if (n < SHELL_MIN_LAYERS || n > SHELL_MAX_LAYERS)
    return err_set(err, ERR_INPUT, "%d layers in a sheet, possible are %d to %d", n,
                   SHELL_MIN_LAYERS, SHELL_MAX_LAYERS);
  if (!(spec->thickness > 0))
    return err_set(err, ERR_INPUT, "the thickness of the sheet is %g", spec->thickness);
  if (!material->type->sheet)
    return err_set(err, ERR_INPUT, "the law '%s' is not for sheets", material->type->name);
  if (material->type->directional && material->type->directional(material) &&
      dot(spec->rolling, spec->rolling) == 0)
    return err_set(err, ERR_INPUT,
                   "material '%s' is anisotropic in its plane: the sheet needs a "
                   "rolling direction, e.g. rolling=\"1 0 0\"",
                   material->name);
  *section = (ShellSection){.n = n,
                            .thickness = spec->thickness,
                            .material = *material,
                            .n_state = material->type->sheet_states
                                           ? material->type->sheet_states(material)
                                           : material->type->n_sheet_state};
  gauss(n, section->zeta, section->weight);
  for (int k = 0; k < n; k++) {
    section->zeta[k] *= 0.5 * spec->thickness;
    section->weight[k] *= 0.5 * spec->thickness;
  }
  double d[36];
  material->type->stiffness(material->par, STRESS_3D, d);
  section->bulk = 1 / (d[0] + d[1] + d[2]);
  if (material->type->prepare) TRY(material->type->prepare(&section->material, err));
  if (!material->type->tabulate) return OK;
  TRY(material->type->tabulate(material, &section->curve, err));
  section->material.curve = section->curve;
  return OK;
}

void shell_section_free(ShellSection *section) {
  hardening_curve_free(section->curve);
  section->curve = NULL;
}

// From what the law gives at e + c p to a layer under the pressure p. `a` becomes dt/dp, which is
// also de_thick/de.
static void press_layer(double c, double p, SheetStress *at, double a[3]) {
  at->stored += p * c * (1.5 * p - at->t[0] - at->t[1]);
  at->e_thick -= c * p;
  for (int i = 0; i < 3; i++) a[i] = c * (at->d[3 * i] + at->d[3 * i + 1]) - (i < 2);
  at->t[0] -= p;
  at->t[1] -= p;
}

// The law in all layers at the strains that it is to see.
static Status layer_laws(const ShellSection *section, const SheetLayers *at, Err *err) {
  const Material *material = &section->material;
  if (material->type->sheets) return material->type->sheets(material, at, err);
  for (int q = 0; q < at->n; q++) {
    size_t state = (size_t)q * (size_t)at->stride;
    Status status = material->type->sheet(material, at->e + 3 * q, at->old + state, at->new + state,
                                          at->out + q, err);
    if (status != OK) return err_note(err, "layer %d of the sheet", q + 1);
  }
  return OK;
}

Status shell_layers(const ShellSection *section, const ShellStrain *strain, const double *state_old,
                    double *state, int tangent, ShellResult *out, Err *err) {
  Hencky2 h[SHELL_MAX_LAYERS];
  SheetStress stress[SHELL_MAX_LAYERS];
  double seen[3 * SHELL_MAX_LAYERS], press = section->bulk * strain->p;
  memset(out, 0, sizeof *out);
  for (int q = 0; q < section->n; q++) {
    double E[3], z = section->zeta[q] * strain->lam;
    for (int i = 0; i < 3; i++) E[i] = strain->em[i] + z * strain->chi[i];
    if (!hencky2(E, &h[q]))
      return err_set(err, ERR_NUMERIC, "the sheet folds into itself in layer %d", q + 1);
    for (int i = 0; i < 3; i++) seen[3 * q + i] = h[q].e[i] + (i < 2 ? press : 0);
  }
  const SheetLayers layers = {section->n, section->n_state, seen, state_old, state, stress};
  TRY(layer_laws(section, &layers, err));
  for (int q = 0; q < section->n; q++) {
    double w = section->weight[q], z = section->zeta[q] * strain->lam, s[3], ds[9], a[3];
    press_layer(section->bulk, strain->p, &stress[q], a);
    hencky2_stress(&h[q], stress[q].t, tangent ? stress[q].d : NULL, s, ds);
    for (int i = 0; i < 3; i++) {
      out->n[i] += w * s[i];
      out->m[i] += w * z * s[i];
    }
    out->e_thick += w * stress[q].e_thick;
    out->stored += w * stress[q].stored;
    out->lost += w * stress[q].lost;
    if (!tangent) continue;
    for (int i = 0; i < 9; i++) {
      double d = w * ds[i];
      out->d0[i] += d;
      out->d1[i] += z * d;
      out->d2[i] += z * z * d;
    }
    out->ep += w * section->bulk * (a[0] + a[1] - 1);
    if (strain->p == 0) continue; // nothing presses, and nothing changes with it
    hencky2_stress(&h[q], a, NULL, s, NULL);
    for (int i = 0; i < 3; i++) {
      out->np[i] += w * s[i];
      out->mp[i] += w * z * s[i];
    }
  }
  out->e_thick /= section->thickness;
  out->ep /= section->thickness;
  return OK;
}

// What presses a sheet at the nodes of an element.
enum { MOST_NODES = 4 };
typedef struct {
  int n;
  double least, most; // of rooms, stiffnesses
  FormPinch node[MOST_NODES];
} Pinch;

// From the nodes of the element; 0: nothing presses it, nor may.
static int pinch_of(const FormPinch *nodes, const int32_t *node, int n, Pinch *pinch) {
  double borne = 0;
  *pinch = (Pinch){.n = n, .least = (double)INFINITY};
  for (int k = 0; k < n; k++) {
    const FormPinch *own = &nodes[node[k]];
    pinch->node[k] = *own;
    if (own->stiffness > 0) pinch->least = fmin(pinch->least, own->room);
    pinch->most = fmax(pinch->most, own->stiffness);
    borne = fmax(borne, own->borne);
  }
  return pinch->most > 0 || borne > 0;
}

// What tools press with at one node of an element of the thickness t, and its derivative by t.
static double node_pressure(const Pinch *pinch, int k, double t, double *rate) {
  const FormPinch *own = &pinch->node[k];
  double p = own->stiffness * (t - own->room), most = own->strength;
  *rate = 0;
  if (!(p > 0)) return 0;
  if (most > 0 && p > most) return most;
  *rate = own->stiffness;
  return p;
}

// The pressure at the mean thickness strain e, and its derivative by it. Tools press on the area at
// the start, the section yields on that which its volume leaves it: t0 / t of it.
static double pinch_pressure(const Pinch *pinch, double t0, double e, double *slope) {
  double t = t0 * exp(e), tools = 0, rate = 0;
  for (int k = 0; k < pinch->n; k++) {
    double own;
    tools += (node_pressure(pinch, k, t, &own) + pinch->node[k].borne) / pinch->n;
    rate += own * t / pinch->n;
  }
  *slope = (rate + tools) * t / t0;
  return tools * t / t0;
}

// Means over the points at the pressure p: thickness strain and its derivative by p.
static Status mean_thickness(const ShellSection *section, const ShellPoints *points, double p,
                             double *e_thick, double *by_p, Err *err) {
  double unused[SHELL_MAX_LAYERS * MATERIAL_MAX_PARAMS], area = 0;
  *e_thick = *by_p = 0;
  for (int k = 0; k < points->n; k++) {
    ShellResult res;
    points->strain[k].p = p;
    TRY(shell_layers(section, &points->strain[k], points->old + k * points->stride, unused, 1, &res,
                     err));
    *e_thick += points->area[k] * res.e_thick;
    *by_p += points->area[k] * res.ep;
    area += points->area[k];
  }
  *e_thick /= area;
  *by_p /= area;
  return OK;
}

// Newton's method for the pressure p at which it is that of the thickness it leaves. What is missed
// grows with p and has kinks where nodes come between tools and layers yield: steps that leave the
// bracket halve it.
static Status find_pressure(const ShellSection *section, const Pinch *pinch,
                            const ShellPoints *points, double p, double *slope, Err *err) {
  enum { MOST = 60 };
  const double tolerance = 1e-11; // of the stiffness times the thickness
  double low = 0, high = (double)INFINITY;
  for (int it = 0; it < MOST; it++) {
    double e_thick, by_p;
    TRY(mean_thickness(section, points, p, &e_thick, &by_p, err));
    double miss = p - pinch_pressure(pinch, section->thickness, e_thick, slope);
    double rate = 1 - *slope * by_p;
    *slope /= rate;
    if (fabs(miss) <= tolerance * pinch->most * section->thickness) return OK;
    *(miss < 0 ? &low : &high) = p;
    p = fmax(0, p - miss / rate);
    if (!(p > low && p < high)) p = isfinite(high) ? 0.5 * (low + high) : 2 * low;
  }
  return err_set(err, ERR_NUMERIC, "the pressure across the sheet was not found");
}

// A sheet that was thinner than this share of the room is not pressed in the next step.
static const double FAR_FROM_TOOLS = 0.9;

// The mean thickness at the end of the last step.
static double old_thickness(const ShellSection *section, const ShellPoints *points) {
  int place = section->n * section->n_state + SHELL_E_THICK;
  double sum = 0, area = 0;
  for (int k = 0; k < points->n; k++) {
    sum += points->area[k] * points->old[k * points->stride + place];
    area += points->area[k];
  }
  return section->thickness * exp(sum / area);
}

Status shell_press(const ShellSection *section, const FormPoint *at, const ShellPoints *points,
                   double *slope, Err *err) {
  const double p0 = points->old[section->n * section->n_state + SHELL_PRESSURE];
  double p = p0;
  Pinch pinch;
  *slope = 0;
  if (at->pinch) p = 0;
  if (at->pinch && pinch_of(at->pinch, points->node, points->n_nodes, &pinch)) {
    double t = old_thickness(section, points);
    if (t > FAR_FROM_TOOLS * pinch.least)
      return find_pressure(section, &pinch, points, p0, slope, err);
    for (int k = 0; k < pinch.n; k++) p += pinch.node[k].borne / pinch.n * t / section->thickness;
  }
  for (int k = 0; k < points->n; k++) points->strain[k].p = p;
  return OK;
}

int shell_pinched(const ShellSection *section, const ShellPoints *points, const FormPinch *nodes,
                  double *pressure) {
  Pinch pinch;
  double rate;
  int pressed = points->old[section->n * section->n_state + SHELL_PRESSURE] > 0;
  if (!pressed || !pinch_of(nodes, points->node, points->n_nodes, &pinch)) return 0;
  double t = old_thickness(section, points);
  for (int k = 0; k < pinch.n; k++) pressure[k] = node_pressure(&pinch, k, t, &rate);
  return 1;
}

int shell_point_size(const ShellSection *section) {
  return section->n * section->n_state + N_SHELL_KEPT;
}

// Largest nominal tension of the middle surface: force by length at the start, over all directions.
static double nominal_tension(const double em[3], const double n[3]) {
  double half = 0.5 * (n[0] + n[1]), p = 0.5 * (n[0] - n[1]), size = hypot(p, n[2]);
  if (half + size <= 0) return 0;
  // the major direction of the forces, and what a length along it has become
  double cc = size > 0 ? 0.5 * (1 + p / size) : 1, cs = size > 0 ? 0.5 * n[2] / size : 0;
  double green = cc * em[0] + (1 - cc) * em[1] + cs * em[2];
  return (half + size) * sqrt(fmax(0, 1 + 2 * green));
}

// A neck: while the sheet becomes thinner than it ever was its tension falls.
static void watch_tension(const ShellStrain *strain, const ShellResult *result, const double *old,
                          double *kept) {
  for (int k = SHELL_THINNEST; k < N_SHELL_KEPT; k++) kept[k] = old[k];
  if (result->e_thick >= old[SHELL_THINNEST]) return;
  double tension = nominal_tension(strain->em, result->n);
  kept[SHELL_THINNEST] = result->e_thick;
  kept[SHELL_FALL] = 0;
  if (tension > old[SHELL_TENSION]) {
    kept[SHELL_TENSION] = tension;
    kept[SHELL_TENSION_E_THICK] = result->e_thick;
  } else if (old[SHELL_TENSION] > 0) {
    kept[SHELL_FALL] = 1 - tension / old[SHELL_TENSION];
  }
}

void shell_keep(const ShellSection *section, const ShellStrain *strain, const ShellResult *result,
                const double *old, double *point) {
  int place = section->n * section->n_state;
  double p = 0.5 * (old[place + SHELL_PRESSURE] + strain->p);
  double grown = section->thickness * (result->e_thick - old[place + SHELL_E_THICK]);
  point[place + SHELL_E_THICK] = result->e_thick;
  point[place + SHELL_STORED] = result->stored;
  point[place + SHELL_LOST] = old[place + SHELL_LOST] + result->lost;
  point[place + SHELL_PRESSURE] = strain->p;
  point[place + SHELL_PRESSED] = old[place + SHELL_PRESSED] - p * grown;
  watch_tension(strain, result, old + place, point + place);
}

void shell_frame(const double rolling[3], const double normal[3], double a1[3], double a2[3]) {
  const double least = 0.1; // sine of the angle to the normal below which the default changes
  double size = sqrt(dot(rolling, rolling));
  double wanted[3] = {1, 0, 0};
  if (size > 0)
    for (int c = 0; c < 3; c++) wanted[c] = rolling[c] / size;
  for (int axis = 1;; axis++) {
    double along = dot(wanted, normal);
    for (int c = 0; c < 3; c++) a1[c] = wanted[c] - along * normal[c];
    double length = sqrt(dot(a1, a1));
    if (length > least || axis == 3) {
      for (int c = 0; c < 3; c++) a1[c] /= length;
      break;
    }
    for (int c = 0; c < 3; c++) wanted[c] = c == axis;
  }
  cross(normal, a1, a2);
}

// Sum over two axes: components of the surface tensor v (11, 22, 12 tensor components) in space.
static void add_tensor(const double v[3], const double a[3], const double b[3], double factor,
                       double out[6]) {
  static const int row[6] = {0, 1, 2, 0, 1, 0}, column[6] = {0, 1, 2, 1, 2, 2};
  for (int k = 0; k < 6; k++) {
    int i = row[k], j = column[k];
    out[k] +=
        factor * (v[0] * a[i] * a[j] + v[1] * b[i] * b[j] + v[2] * (a[i] * b[j] + b[i] * a[j]));
  }
}

// By length as it is now from n by length at the start: U n U / det U, in the axes that turn with
// the sheet.
static void add_pushed(const double u[3], const double n[3], double out[3]) {
  double det = u[0] * u[1] - u[2] * u[2];
  double a = u[0] * n[0] + u[2] * n[2], b = u[0] * n[2] + u[2] * n[1];
  double c = u[2] * n[0] + u[1] * n[2], d = u[2] * n[2] + u[1] * n[1];
  out[0] += (a * u[0] + b * u[2]) / det;
  out[1] += (c * u[2] + d * u[1]) / det;
  out[2] += (a * u[2] + b * u[1]) / det;
}

// Stress of a layer of an accepted state; zero where the law fails (it has not until now).
static void layer_stress(const ShellSection *section, const ShellPoint *at, int q, Hencky2 *h,
                         SheetStress *out) {
  double E[3], a[3], unused[MATERIAL_MAX_PARAMS], z = section->zeta[q] * at->strain->lam;
  const double *state = at->point + q * section->n_state;
  for (int i = 0; i < 3; i++) E[i] = at->strain->em[i] + z * at->strain->chi[i];
  memset(out, 0, sizeof *out);
  if (!hencky2(E, h)) return;
  double p = at->point[section->n * section->n_state + SHELL_PRESSURE];
  const Material *material = &section->material;
  double c = section->bulk, seen[3] = {h->e[0] + c * p, h->e[1] + c * p, h->e[2]};
  if (material->type->sheet(material, seen, state, unused, out, NULL) == OK)
    press_layer(c, p, out, a);
  else
    memset(out, 0, sizeof *out);
}

// Tension that falls is a neck when the sheet has since become thinner by this logarithmic strain:
// less is scatter of forces that hammer, or a wall whose punch force falls as its flange runs out.
static const double NECK_THINNING = 0.1;

void shell_account(const ShellSection *section, const double *point, double area, FormOutput *out) {
  const double *kept = point + section->n * section->n_state;
  out->stored += area * kept[SHELL_STORED];
  out->lost += area * kept[SHELL_LOST];
  out->pressed += area * kept[SHELL_PRESSED];
  if (kept[SHELL_TENSION_E_THICK] - kept[SHELL_THINNEST] > NECK_THINNING)
    out->fall += area * kept[SHELL_FALL];
}

void shell_show(const ShellSection *section, const ShellPoint *at, FormOutput *out) {
  const MaterialType *type = section->material.type;
  const double *kept = at->point + section->n * section->n_state, w = at->area;
  double normal[3], mean[3] = {0}, force[3] = {0}, moment[3] = {0}, E[3];
  SheetStress stress;
  Hencky2 h = {0};
  out->n_layers = section->n;
  for (int q = 0; q < section->n; q++) {
    const double *state = at->point + q * section->n_state;
    layer_stress(section, at, q, &h, &stress);
    const double p = kept[SHELL_PRESSURE], t[3] = {stress.t[0] + p, stress.t[1] + p, stress.t[2]};
    for (int i = 0; i < 3; i++) mean[i] += section->weight[q] / section->thickness * stress.t[i];
    double plastic = section->n_state > 0 && type->plastic >= 0 ? state[0] : 0;
    out->plastic = fmax(out->plastic, plastic);
    double s[3], z = section->zeta[q] * at->strain->lam;
    hencky2_stress(&h, stress.t, NULL, s, NULL);
    for (int i = 0; i < 3; i++) {
      force[i] += w * section->weight[q] * s[i];
      moment[i] += w * section->weight[q] * z * s[i];
    }
    double volume = exp(h.e[0] + h.e[1] + stress.e_thick); // J: t is Kirchhoff's stress, turned
    out->layer_plastic[q] += w * plastic;
    out->layer_stress[q] +=
        w / volume * sqrt(t[0] * t[0] - t[0] * t[1] + t[1] * t[1] + 3 * t[2] * t[2]);
  }
  // the middle surface: rotation R = F U^-1, U^-1 = exp(-e)
  memcpy(E, at->strain->em, sizeof E);
  if (!hencky2(E, &h)) return;
  double e_thick = kept[SHELL_E_THICK], half = 0.5 * (h.e[0] + h.e[1]);
  double p = 0.5 * (h.e[0] - h.e[1]), r = 0.5 * h.e[2], size = hypot(p, r);
  double scale = exp(-half), c = cosh(size), s = size > 0 ? sinh(size) / size : 1;
  double grown = exp(half), stretch[3] = {grown * (c + s * p), grown * (c - s * p), grown * s * r};
  add_pushed(stretch, force, out->force);
  add_pushed(stretch, moment, out->moment);
  double inverse[2][2] = {{scale * (c - s * p), -scale * s * r},
                          {-scale * s * r, scale * (c + s * p)}};
  double axis[2][3];
  for (int a = 0; a < 2; a++)
    for (int i = 0; i < 3; i++)
      axis[a][i] = inverse[a][0] * at->g[0][i] + inverse[a][1] * at->g[1][i];
  add_tensor(mean, axis[0], axis[1], w * exp(-2 * half - e_thick), out->stress);
  const double zero[3] = {0}, across[3] = {1, 0, 0};
  cross(axis[0], axis[1], normal); // of the sheet as it is
  add_tensor(across, normal, zero, -w * kept[SHELL_PRESSURE] * exp(-2 * half - e_thick),
             out->stress);
  cross(at->a1, at->a2, normal);
  double strain[3] = {E[0], E[1], 0.5 * E[2]}, logarithmic[3] = {h.e[0], h.e[1], 0.5 * h.e[2]};
  add_tensor(strain, at->a1, at->a2, w, out->green);
  add_tensor(across, normal, zero, w * 0.5 * (exp(2 * e_thick) - 1), out->green);
  add_tensor(logarithmic, at->a1, at->a2, w, out->logarithmic);
  add_tensor(across, normal, zero, w * e_thick, out->logarithmic);
  out->major += w * (half + size);
  out->minor += w * (half - size);
  shell_account(section, at->point, w, out);
}

void shell_show_end(const ShellSection *section, double area, double lam, FormOutput *out) {
  for (int k = 0; k < 6; k++) {
    out->stress[k] /= area;
    out->green[k] /= area;
    out->logarithmic[k] /= area;
  }
  for (int q = 0; q < section->n; q++) {
    out->layer_plastic[q] /= area;
    out->layer_stress[q] /= area;
  }
  for (int k = 0; k < 3; k++) {
    out->force[k] /= area;
    out->moment[k] /= area;
  }
  out->fall /= area;
  out->major /= area;
  out->minor /= area;
  out->thickness = lam * section->thickness;
}

static Status add_sides(ShellEdges *edges, NodeSetTable *table, const Mesh *mesh, Err *err) {
  for (int e = 0; e < mesh->n_elems; e++) {
    int first = mesh->elem_ptr[e], n = mesh->elem_ptr[e + 1] - first;
    for (int k = 0; k < n; k++) {
      int32_t pair[2] = {mesh->elem_node[first + k], mesh->elem_node[first + (k + 1) % n]};
      int32_t edge = nodeset_put(table, pair, 2);
      edges->of_side[first + k] = edge;
      if (table->is_new) {
        edges->side[edge][0] = first + k;
        edges->side[edge][1] = -1;
        continue;
      }
      if (edges->side[edge][1] >= 0)
        return err_set(err, ERR_INPUT,
                       "the edge of nodes %d and %d belongs to more than two elements of the sheet",
                       pair[0] + 1, pair[1] + 1);
      edges->side[edge][1] = first + k;
      if (mesh->elem_node[edges->side[edge][0]] == pair[0])
        return err_set(err, ERR_INPUT,
                       "element %d of the sheet is turned against its neighbour across nodes %d "
                       "and %d",
                       e + 1, pair[0] + 1, pair[1] + 1);
    }
  }
  edges->n = table->n;
  return OK;
}

void shell_edges_cut(ShellEdges *edges, const Mesh *mesh, const uint8_t *cut) {
  for (int e = 0; cut && e < mesh->n_elems; e++)
    for (int place = mesh->elem_ptr[e]; cut[e] && place < mesh->elem_ptr[e + 1]; place++) {
      int32_t *side = edges->side[edges->of_side[place]];
      if (side[0] == place) side[0] = side[1];
      side[1] = -1;
    }
}

Status shell_edges_init(ShellEdges *edges, const Mesh *mesh, Err *err) {
  int n_sides = mesh->elem_ptr[mesh->n_elems];
  NodeSetTable table = {0};
  *edges = (ShellEdges){0};
  edges->of_side = mem_new((size_t)n_sides, sizeof *edges->of_side);
  edges->side = mem_new((size_t)n_sides, sizeof *edges->side);
  edges->first = mem_new((size_t)n_sides, sizeof *edges->first);
  Status status = OK;
  if (!edges->of_side || !edges->side || !edges->first)
    status = err_set(err, ERR_SYSTEM, "out of memory: %d edges of a sheet", n_sides);
  else
    TRY_GOTO(status, nodeset_init(&table, n_sides, 2, err), done);
  if (status == OK) status = add_sides(edges, &table, mesh, err);
  for (int k = 0; k < edges->n; k++) edges->first[k] = edges->side[k][0];
done:
  nodeset_free(&table);
  if (status != OK) shell_edges_free(edges);
  return status;
}

void shell_edges_free(ShellEdges *edges) {
  mem_free(edges->of_side);
  mem_free(edges->side);
  mem_free(edges->first);
  *edges = (ShellEdges){0};
}

static void side_nodes(const Mesh *mesh, int e, int side, int32_t node[2]) {
  int first = mesh->elem_ptr[e], n = mesh->elem_ptr[e + 1] - first;
  node[0] = mesh->elem_node[first + side];
  node[1] = mesh->elem_node[first + (side + 1) % n];
}

// Sine of the angle below which a side lies in a plane.
static const double IN_PLANE = 1e-9;

EdgeCondition shell_side_condition(const FormSpec *spec, int e, int side) {
  const double *x = spec->mesh->x;
  int32_t node[2];
  double along[3];
  if (!spec->edge) return EDGE_FREE;
  side_nodes(spec->mesh, e, side, node);
  int a = spec->edge[node[0]], b = spec->edge[node[1]];
  if (a == EDGE_FREE || b == EDGE_FREE) return EDGE_FREE;
  for (int c = 0; c < 3; c++) along[c] = x[3 * node[1] + c] - x[3 * node[0] + c];
  double length = sqrt(dot(along, along));
  for (int axis = 0; axis < 3; axis++) {
    int across = EDGE_ACROSS_X << axis, holds = across | EDGE_CLAMPED;
    if (((a | b) & across) && (a & holds) && (b & holds) && fabs(along[axis]) <= IN_PLANE * length)
      return EDGE_SYMMETRY;
  }
  if ((a | b) & EDGE_SYMMETRY) return EDGE_SYMMETRY;
  return a & b & EDGE_CLAMPED ? EDGE_CLAMPED : EDGE_FREE;
}

void shell_side_plane(const Mesh *mesh, int e, int side, const double normal[3], double plane[3]) {
  const double aligned = 0.866; // cosine of 30 degrees
  int32_t node[2];
  double along[3];
  side_nodes(mesh, e, side, node);
  for (int c = 0; c < 3; c++) along[c] = mesh->x[3 * node[1] + c] - mesh->x[3 * node[0] + c];
  double length = sqrt(dot(along, along));
  cross(along, normal, plane);
  double size = sqrt(dot(plane, plane));
  for (int c = 0; c < 3; c++) plane[c] /= size;
  for (int axis = 0; axis < 3; axis++) {
    if (fabs(along[axis]) > IN_PLANE * length || fabs(plane[axis]) < aligned) continue;
    for (int c = 0; c < 3; c++) plane[c] = c == axis;
    return;
  }
}
