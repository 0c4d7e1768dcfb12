#include "shell_static.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "algebra/spd.h"
#include "base/mem.h"

void shell_grid(Mesh *mesh, int nx, int ny, GridPattern pattern, SurfaceMap *map) {
  int per = pattern == GRID_QUAD ? 1 : 2, width = pattern == GRID_QUAD ? 4 : 3;
  cr_assert_eq(mesh_init(mesh, 3, (nx + 1) * (ny + 1), nx * ny * per, nx * ny * per * width, NULL),
               OK);
  for (int j = 0; j <= ny; j++)
    for (int i = 0; i <= nx; i++)
      map((double)i / nx, (double)j / ny, mesh->x + 3 * (j * (nx + 1) + i));
  int e = 0;
  for (int j = 0; j < ny; j++)
    for (int i = 0; i < nx; i++) {
      int c[4] = {j * (nx + 1) + i, j * (nx + 1) + i + 1, (j + 1) * (nx + 1) + i + 1,
                  (j + 1) * (nx + 1) + i};
      static const int right[2][3] = {{0, 1, 2}, {0, 2, 3}}, left[2][3] = {{0, 1, 3}, {1, 2, 3}};
      int is_right = pattern == GRID_RIGHT || (pattern == GRID_ALTERNATE && (i + j) % 2 == 0);
      for (int k = 0; k < per; k++, e++) {
        mesh->elem_shape[e] = per == 1 ? SHAPE_Q4 : SHAPE_T3;
        mesh->elem_ptr[e + 1] = mesh->elem_ptr[e] + width;
        for (int a = 0; a < width; a++)
          mesh->elem_node[mesh->elem_ptr[e] + a] =
              per == 1 ? c[a] : c[is_right ? right[k][a] : left[k][a]];
      }
    }
}

static void *room(int64_t count) {
  void *block = mem_new((size_t)count + 1, sizeof(double));
  cr_assert_not_null(block);
  return block;
}

void shell_static_init(ShellStatic *s, Mesh *mesh, const char *form, FormSpec *spec) {
  Err err;
  cr_assert_eq(algebra_start(NULL, NULL), OK);
  *s = (ShellStatic){.mesh = *mesh};
  *mesh = (Mesh){0};
  spec->mesh = &s->mesh;
  cr_assert_eq(form_init(&s->form, form, spec, &err), OK, "%s", err.text);
  int n_x = 3 * s->form.n_nodes, n = s->n = n_x + s->form.n_extra;
  s->u = room(n_x);
  s->config = room(s->form.n_config);
  s->config_new = room(s->form.n_config);
  memcpy(s->config, s->form.config_start, (size_t)s->form.n_config * sizeof(double));
  s->internal = room(s->form.n_internal);
  s->internal_old = room(s->form.n_internal);
  s->force = room(n);
  s->load = room(n);
  s->fixed = room(n);
  s->value = room(n);
  s->residual = room(n);
  s->step = room(n);
  s->u_kept = room(n_x);
  s->config_kept = room(s->form.n_config);
  for (int k = 0; k < s->form.n_extra; k++) s->fixed[n_x + k] = s->form.fixed_extra[k];
  cr_assert_eq(sparse_from_groups(&s->k, n, 1, s->form.n_elems, s->form.dof_ptr, s->form.dof, NULL),
               OK);
  cr_assert_eq(factor_new(&s->factor, NULL), OK);
  int64_t n_entries = 0, at = 0;
  for (int pass = 0; pass < 2; pass++) {
    for (int e = 0; e < s->form.n_elems; e++) {
      const int32_t *dof = s->form.dof + s->form.dof_ptr[e];
      int width = s->form.dof_ptr[e + 1] - s->form.dof_ptr[e];
      if (pass == 0) n_entries += width * width;
      for (int i = 0; pass == 1 && i < width * width; i++)
        s->place[at++] = sparse_find(&s->k, dof[i / width], dof[i % width]);
    }
    if (pass == 0) s->place = room(n_entries);
  }
}

void shell_static_free(ShellStatic *s) {
  form_free(&s->form);
  mesh_free(&s->mesh);
  sparse_free(&s->k);
  factor_free(s->factor);
  void *blocks[] = {s->u,     s->config, s->config_new, s->internal,   s->internal_old,
                    s->load,  s->fixed,  s->value,      s->residual,   s->step,
                    s->force, s->place,  s->u_kept,     s->config_kept};
  for (size_t k = 0; k < sizeof blocks / sizeof blocks[0]; k++) mem_free(blocks[k]);
  *s = (ShellStatic){0};
}

void shell_fix(ShellStatic *s, int node, int axis, double value) {
  s->fixed[3 * node + axis] = 1;
  s->value[3 * node + axis] = value;
}

static FormPoint point_of(const ShellStatic *s) {
  return (FormPoint){.u = s->u,
                     .u_old = s->u,
                     .config = s->config,
                     .config_old = s->config,
                     .internal_old = s->internal_old,
                     .internal = s->internal,
                     .pinch = s->pinch,
                     .h = 1};
}

Status shell_assemble(ShellStatic *s, int matrix) {
  double f[64], k[64 * 64];
  FormPoint at = point_of(s);
  const int64_t *at_place = s->place;
  for (int i = 0; i < s->n; i++) s->force[i] = 0;
  if (matrix) memset(s->k.val, 0, (size_t)s->k.ptr[s->n] * sizeof(double));
  for (int e = 0; e < s->form.n_elems; e++) {
    const int32_t *dof = s->form.dof + s->form.dof_ptr[e];
    int n = s->form.dof_ptr[e + 1] - s->form.dof_ptr[e];
    Status status = s->form.type->element(&s->form, e, &at, f, matrix ? k : NULL, NULL);
    if (status != OK) return status;
    for (int i = 0; i < n; i++) {
      s->force[dof[i]] += f[i];
      for (int j = 0; matrix && j < n; j++)
        if (!s->fixed[dof[i]] && !s->fixed[dof[j]]) s->k.val[at_place[i * n + j]] += k[i * n + j];
    }
    at_place += n * n;
  }
  for (int i = 0; matrix && i < s->n; i++)
    if (s->fixed[i]) s->k.val[sparse_find(&s->k, i, i)] = 1;
  return OK;
}

// Moves the iterate by the step of all unknowns.
static void move(ShellStatic *s, const double *step) {
  int n_x = 3 * s->form.n_nodes;
  for (int i = 0; i < n_x; i++) s->u[i] += step[i];
  if (s->form.type->advance) {
    s->form.type->advance(&s->form, s->config, step + n_x, s->config_new);
    double *kept = s->config;
    s->config = s->config_new;
    s->config_new = kept;
  }
}

int shell_solve(ShellStatic *s, double tolerance) {
  int n_x = 3 * s->form.n_nodes, moved = 0;
  for (int i = 0; i < n_x; i++) moved |= s->fixed[i] && s->value[i] != s->u[i];
  for (int it = 0; it < 25; it++) {
    if (shell_assemble(s, 1) != OK) return -1;
    double worst = 0, scale = 0;
    for (int i = 0; i < s->n; i++) {
      s->residual[i] = s->fixed[i] ? 0 : s->load[i] - s->force[i];
      worst = fmax(worst, fabs(s->residual[i]));
      scale = fmax(scale, fmax(fabs(s->force[i]), fabs(s->load[i])));
    }
    if (!isfinite(worst)) return -1;
    if (!moved && it > 0 && worst <= tolerance * scale) return it;
    if (moved) { // supports go there at once, the rest follows by the tangent
      double f[64], k[64 * 64];
      FormPoint at = point_of(s);
      for (int e = 0; e < s->form.n_elems; e++) {
        const int32_t *dof = s->form.dof + s->form.dof_ptr[e];
        int n = s->form.dof_ptr[e + 1] - s->form.dof_ptr[e];
        if (s->form.type->element(&s->form, e, &at, f, k, NULL) != OK) return -1;
        for (int i = 0; i < n; i++)
          for (int j = 0; j < n; j++)
            if (!s->fixed[dof[i]] && s->fixed[dof[j]] && dof[j] < n_x)
              s->residual[dof[i]] -= k[i * n + j] * (s->value[dof[j]] - s->u[dof[j]]);
      }
      for (int i = 0; i < n_x; i++)
        if (s->fixed[i]) s->residual[i] = s->value[i] - s->u[i];
      moved = 0;
    }
    if (factor_make(s->factor, &s->k, it == 0, 0, NULL, NULL) != OK) return -1;
    cr_assert_eq(factor_solve(s->factor, 1, s->residual, s->step, NULL), OK);
    move(s, s->step);
  }
  return -1;
}

void shell_static_keep(ShellStatic *s) {
  memcpy(s->u_kept, s->u, 3 * (size_t)s->form.n_nodes * sizeof(double));
  memcpy(s->config_kept, s->config, (size_t)s->form.n_config * sizeof(double));
}

void shell_static_back(ShellStatic *s) {
  memcpy(s->u, s->u_kept, 3 * (size_t)s->form.n_nodes * sizeof(double));
  memcpy(s->config, s->config_kept, (size_t)s->form.n_config * sizeof(double));
}

void shell_solve_linear(ShellStatic *s) {
  cr_assert_eq(shell_assemble(s, 1), OK);
  for (int i = 0; i < s->n; i++) s->residual[i] = s->fixed[i] ? 0 : s->load[i];
  cr_assert_eq(factor_make(s->factor, &s->k, 1, 0, NULL, NULL), OK);
  cr_assert_eq(factor_solve(s->factor, 1, s->residual, s->step, NULL), OK);
  move(s, s->step);
}

void shell_static_commit(ShellStatic *s) {
  cr_assert_eq(shell_assemble(s, 0), OK);
  FormPoint at = point_of(s);
  if (s->form.type->commit) s->form.type->commit(&s->form, &at, s->config, s->internal);
  memcpy(s->internal_old, s->internal, (size_t)s->form.n_internal * sizeof(double));
}

// Forces of element e with its unknown j moved.
static void moved_force(ShellStatic *s, int e, int unknown, double change, double *f) {
  int n_x = 3 * s->form.n_nodes;
  FormPoint at = point_of(s);
  double *step = room(s->n), *u = room(n_x);
  step[unknown] = change;
  for (int i = 0; i < n_x; i++) u[i] = s->u[i] + step[i];
  at.u = u;
  if (s->form.type->advance) {
    s->form.type->advance(&s->form, s->config, step + n_x, s->config_new);
    at.config = s->config_new;
  }
  cr_assert_eq(s->form.type->element(&s->form, e, &at, f, NULL, NULL), OK);
  mem_free(step);
  mem_free(u);
}

double shell_tangent_error(ShellStatic *s, double length_step) {
  double worst = 0, scale = 0, f[64], k[64 * 64], high[64], low[64], high2[64], low2[64];
  FormPoint at = point_of(s);
  for (int e = 0; e < s->form.n_elems; e++) {
    const int32_t *dof = s->form.dof + s->form.dof_ptr[e];
    int n = s->form.dof_ptr[e + 1] - s->form.dof_ptr[e];
    cr_assert_eq(s->form.type->element(&s->form, e, &at, f, k, NULL), OK);
    // angles move the nodes by about the size of an element: differences of translations and angles
    // are alike when lengths are of the order of one
    for (int i = 0; i < n * n; i++) scale = fmax(scale, fabs(k[i]));
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++)
        cr_assert_float_eq(k[i * n + j], k[j * n + i], 1e-13 * scale, "%s: %d %d",
                           s->form.type->name, i, j);
    for (int j = 0; j < n; j++) {
      moved_force(s, e, dof[j], length_step, high);
      moved_force(s, e, dof[j], -length_step, low);
      moved_force(s, e, dof[j], 2 * length_step, high2);
      moved_force(s, e, dof[j], -2 * length_step, low2);
      for (int i = 0; i < n; i++) {
        double slope = (8 * (high[i] - low[i]) - (high2[i] - low2[i])) / (12 * length_step);
        worst = fmax(worst, fabs(slope - k[i * n + j]));
      }
    }
  }
  return worst / scale;
}
