#include "body/load.h"

#include <string.h>

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
  return bs->kind[body] != BODY_SUPPORT && bs->kind[body] != BODY_TOOL;
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

Status loads_add_edge(LoadSet *loads, const BodySet *bs, const NodeGroup *group, int component,
                      Function *f, Err *err) {
  int per_facet = component < 0 ? 4 : 2;
  Load *load;
  TRY(add(loads, f, per_facet * group->n_facets, &load, err));
  for (int e = 0; e < group->n_facets; e++) {
    int a = group->facet[2 * e], b = group->facet[2 * e + 1];
    const double *xa = bs->x + (size_t)a * bs->dim, *xb = bs->x + (size_t)b * bs->dim;
    double dx = xb[0] - xa[0], dy = xb[1] - xa[1];
    // A pressure pushes against the outward normal (dy, -dx) / length; half to each node.
    double share[2] = {-0.5 * dy * bs->thickness, 0.5 * dx * bs->thickness};
    double length = 0.5 * bs->thickness * __builtin_hypot(dx, dy);
    for (int k = 0; k < 2; k++) {
      int node = k ? b : a;
      if (component >= 0) {
        load->dof[2 * e + k] = node * bs->dim + component;
        load->coef[2 * e + k] = length;
        continue;
      }
      for (int i = 0; i < 2; i++) {
        load->dof[4 * e + 2 * k + i] = node * bs->dim + i;
        load->coef[4 * e + 2 * k + i] = share[i];
      }
    }
  }
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
