#include "body/load.h"

#include <math.h>

#include <string.h>

#include "base/space.h"
#include "body/body_type.h"

static Status add(LoadSet *loads, Function *f, int n, Load **load, Err *err) {
  TRY(mem_grow((void **)&loads->loads, &loads->capacity, (size_t)loads->n_loads + 1, sizeof(Load),
               err));
  *load = &loads->loads[loads->n_loads];
  **load = (Load){.n = n};
  MEM_NEW((*load)->dof, n, err);
  (*load)->coef = mem_new((size_t)n, sizeof(double));
  if (!(*load)->coef) {
    mem_free((*load)->dof);
    return err_set(err, ERR_SYSTEM, "out of memory: load on %d nodes", n);
  }
  (*load)->f = *f;
  *f = (Function){0};
  loads->n_loads++;
  return OK;
}

static int in_group(const BodyGroup *group, int body) {
  if (!group) return 1;
  int low = 0, high = group->n - 1;
  while (low <= high) {
    int middle = (low + high) / 2;
    if (group->body[middle] == body) return 1;
    if (group->body[middle] < body)
      low = middle + 1;
    else
      high = middle - 1;
  }
  return 0;
}

// A tool is moved by its motion and its forces: its mass is inertia alone.
static int has_weight(const BodySet *bs, int body) {
  return !bs->type[body]->given;
}

Status loads_add_gravity(LoadSet *loads, const BodySet *bs, const BodyGroup *group, int component,
                         Function *f, Err *err) {
  int n = 0;
  for (int b = 0; b < bs->n_bodies; b++)
    if (has_weight(bs, b) && in_group(group, b)) n += bs->node_ptr[b + 1] - bs->node_ptr[b];
  Load *load;
  TRY(add(loads, f, n, &load, err));
  int at = 0;
  for (int b = 0; b < bs->n_bodies; b++) {
    if (!has_weight(bs, b) || !in_group(group, b)) continue;
    for (int k = bs->node_ptr[b]; k < bs->node_ptr[b + 1]; k++, at++) {
      load->dof[at] = k * bs->dim + component;
      load->coef[at] = bodies_node_mass(bs, k);
    }
  }
  return OK;
}

Status loads_add_force(LoadSet *loads, const BodySet *bs, const NodeGroup *group, int component,
                       int each, Function *f, Err *err) {
  Load *load;
  TRY(add(loads, f, group->n, &load, err));
  for (int k = 0; k < group->n; k++) {
    load->dof[k] = group->node[k] * bs->dim + component;
    load->coef[k] = each ? 1 : 1.0 / group->n;
  }
  return OK;
}

// Shares of a facet at its nodes: area vector [m^2] (times depth, or ring) and how it is divided.
static int facet_shares(const BodySet *bs, const int32_t *node, double area[3], double share[4]) {
  const double *x[4];
  int most = space_facet_nodes(bs->dim), width = node[most - 1] < 0 ? most - 1 : most;
  for (int k = 0; k < width; k++) x[k] = bs->x + (size_t)node[k] * bs->dim;
  area[2] = 0;
  for (int k = 0; k < width; k++) share[k] = 1.0 / width;
  if (bs->dim == 2) {
    double depth = bs->thickness;
    if (bs->axisymmetric) {
      // a pressure on a ring: 2 pi times the mean radius, the outer node carrying more
      double sum = x[0][0] + x[1][0];
      depth = PI * sum;
      for (int k = 0; k < 2 && sum > 0; k++) share[k] = (sum + x[k][0]) / (3 * sum);
    }
    area[0] = (x[1][1] - x[0][1]) * depth; // outward normal (dy, -dx)
    area[1] = -(x[1][0] - x[0][0]) * depth;
    return width;
  }
  // Half the cross product of the diagonals; of a triangle, of two sides.
  double p[3], q[3];
  for (int i = 0; i < 3; i++) {
    p[i] = x[2][i] - x[0][i];
    q[i] = width == 4 ? x[3][i] - x[1][i] : x[2][i] - x[1][i];
  }
  for (int i = 0; i < 3; i++)
    area[i] = 0.5 * (p[(i + 1) % 3] * q[(i + 2) % 3] - p[(i + 2) % 3] * q[(i + 1) % 3]);
  return width;
}

Status loads_add_edge(LoadSet *loads, const BodySet *bs, const NodeGroup *group, int component,
                      Function *f, Err *err) {
  int stride = space_facet_nodes(bs->dim), per_node = component < 0 ? bs->dim : 1, at = 0;
  Load *load;
  TRY(add(loads, f, stride * per_node * group->n_facets, &load, err));
  for (int e = 0; e < group->n_facets; e++) {
    const int32_t *node = group->facet + (size_t)stride * (size_t)e;
    double area[3], share[4], size = 0;
    int width = facet_shares(bs, node, area, share);
    for (int i = 0; i < 3; i++) size += area[i] * area[i];
    for (int k = 0; k < width; k++)
      for (int i = 0; i < bs->dim; i++) {
        if (component >= 0 && i != component) continue;
        load->dof[at] = node[k] * bs->dim + i;
        // A pressure pushes against the outward normal.
        load->coef[at++] = share[k] * (component < 0 ? -area[i] : __builtin_sqrt(size));
      }
  }
  load->n = at;
  return OK;
}

static void add_scaled(const Load *load, double factor, double *p) {
  for (int k = 0; k < load->n; k++) p[load->dof[k]] += factor * load->coef[k];
}

Status loads_finish(LoadSet *loads, const BodySet *bs, Err *err) {
  MEM_NEW(loads->constant, bs->n_nodes * bs->dim, err);
  for (int k = 0; k < loads->n_loads; k++)
    if (loads->loads[k].f.kind == FUNCTION_CONSTANT)
      add_scaled(&loads->loads[k], loads->loads[k].f.constant, loads->constant);
  return OK;
}

void loads_free(LoadSet *loads) {
  for (int k = 0; k < loads->n_loads; k++) {
    function_free(&loads->loads[k].f);
    mem_free(loads->loads[k].dof);
    mem_free(loads->loads[k].coef);
  }
  mem_free(loads->loads);
  mem_free(loads->constant);
  *loads = (LoadSet){0};
}

int loads_act_on(const LoadSet *loads, int32_t dof) {
  for (int l = 0; l < loads->n_loads; l++) {
    const Load *load = &loads->loads[l];
    if (function_is_constant(&load->f) && load->f.constant == 0) continue;
    for (int k = 0; k < load->n; k++)
      if (load->dof[k] == dof) return 1;
  }
  return 0;
}

Status loads_at(const LoadSet *loads, const BodySet *bs, double t0, double t1, double theta,
                double *p, Err *err) {
  memcpy(p, loads->constant, sizeof *p * (size_t)bs->n_nodes * bs->dim);
  for (int k = 0; k < loads->n_loads; k++) {
    const Load *load = &loads->loads[k];
    double f0 = 0, f1 = 0;
    if (load->f.kind == FUNCTION_CONSTANT) continue;
    if (theta < 1) TRY(function_value(&load->f, t0, &f0, err));
    TRY(function_value(&load->f, t1, &f1, err));
    add_scaled(load, theta * f1 + (1 - theta) * f0, p);
  }
  return OK;
}

// Samples of a function over the time that is left, and what counts as the same value.
enum { STEADY_SAMPLES = 64 };
static const double STEADY = 1e-9;

Status load_is_steady(const Function *f, double t, double t_end, int *steady, Err *err) {
  double now, later;
  if (function_is_constant(f)) return OK;
  TRY(function_value(f, t, &now, err));
  for (int k = 1; k <= STEADY_SAMPLES && *steady; k++) {
    TRY(function_value(f, t + (t_end - t) * k / STEADY_SAMPLES, &later, err));
    *steady = fabs(later - now) <= STEADY * fmax(fabs(now), fabs(later));
  }
  return OK;
}

// 1: it acts on something that is there: on no removed tool, on no node that was cut off.
static int is_felt(const Load *load, const BodySet *bs) {
  for (int k = 0; k < load->n; k++) {
    int node = load->dof[k] / bs->dim, body = bs->body_of[node];
    if (bs->removed && bs->removed[body]) continue;
    if (load->coef[k] != 0 && bodies_node_there(bs, node)) return 1;
  }
  return 0;
}

Status loads_are_steady(const LoadSet *loads, const BodySet *bs, double t, double t_end,
                        int *steady, Err *err) {
  *steady = 1;
  for (int k = 0; k < loads->n_loads && *steady; k++)
    if (is_felt(&loads->loads[k], bs))
      TRY(load_is_steady(&loads->loads[k].f, t, t_end, steady, err));
  return OK;
}
