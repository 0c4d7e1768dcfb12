// Polyhedra and unions of them: one rigid body of several convex parts, each with nodes of its own.

#include <math.h>
#include <string.h>
#include <strings.h>

#include "base/vec3.h"
#include "build/build_internal.h"
#include "file/csv.h"
#include "mesh/hull.h"
#include "mesh/union.h"

// Corners turned by a quaternion about the origin.
static Status turn_corners(const InputNode *node, double *x, int n, Err *err) {
  if (!input_given(node, "orientation")) return OK;
  int n_given;
  const double *given = input_list(node, "orientation", &n_given);
  double length = 0, q[4];
  for (int k = 0; k < n_given; k++) length = hypot(length, given[k]);
  if (n_given != 4 || !(length > 0))
    return err_set(
        err, ERR_INPUT,
        "its orientation needs four numbers w x y z that are not all 0, found %d of length "
        "%g",
        n_given, length);
  for (int k = 0; k < 4; k++) q[k] = given[k] / length;
  for (int k = 0; k < n; k++) { // x + 2 q x (q x x + w x)
    double *p = x + 3 * (size_t)k, first[3], second[3];
    vec3_cross(q + 1, p, first);
    for (int i = 0; i < 3; i++) first[i] += q[0] * p[i];
    vec3_cross(q + 1, first, second);
    for (int i = 0; i < 3; i++) p[i] += 2 * second[i];
  }
  return OK;
}

// The rows of a table of corners, by its columns x, y, z; for the caller to mem_free.
static Status read_corners(const InputNode *node, double **x, int *n, Err *err) {
  static const char *const names[3] = {"x", "y", "z"};
  char path[1024];
  CsvTable csv;
  int column[3];
  input_path(node, "file", path, sizeof path);
  TRY(csv_read(&csv, path, err));
  Status status = OK;
  for (int i = 0; i < 3 && status == OK; i++) {
    column[i] = csv_column(&csv, names[i]);
    if (column[i] < 0) status = err_set(err, ERR_INPUT, "'%s' has no column '%s'", path, names[i]);
  }
  const int doubled = csv_doubled(&csv);
  if (status == OK && doubled >= 0)
    status = err_set(err, ERR_INPUT, "'%s' has the column '%s' twice", path, csv.names[doubled]);
  if (status == OK && csv.n_rows > INT32_MAX / 3)
    status = err_set(err, ERR_INPUT, "'%s' has too many rows", path);
  *n = status == OK ? (int)csv.n_rows : 0;
  if (status == OK) *x = mem_new(3 * (size_t)*n + 1, sizeof **x);
  if (status == OK && !*x)
    status = err_set(err, ERR_SYSTEM, "out of memory: corners of '%s'", path);
  for (int k = 0; k < 3 * *n && status == OK; k++)
    (*x)[k] = csv.value[(long)(k / 3) * csv.n_columns + column[k % 3]];
  csv_free(&csv);
  return status;
}

// The corners that a <polyhedron> or a <part> has, written or in a file.
static Status corners_of(const InputNode *node, double **x, int *n, Err *err) {
  int numbers = 0;
  if (input_given(node, "corners") == input_given(node, "file"))
    return err_set(err, ERR_INPUT, "it needs corners, or a file of them");
  if (input_given(node, "file")) return read_corners(node, x, n, err);
  const double *given = input_list(node, "corners", &numbers);
  if (numbers % 3 != 0)
    return err_set(err, ERR_INPUT, "its corners need three numbers each, found %d numbers",
                   numbers);
  *n = numbers / 3;
  MEM_NEW(*x, numbers, err);
  memcpy(*x, given, sizeof **x * (size_t)numbers);
  return OK;
}

// A file of corners is a table; another one has faces.
static int has_faces(const InputNode *node) {
  const char *path = input_given(node, "file") ? input_text(node, "file") : "";
  const char *ending = strrchr(path, '.');
  return *path && !(ending && strcasecmp(ending, ".csv") == 0);
}

static Status make_of_faces(Builder *b, const InputNode *whole, const InputNode *node, Mesh *mesh) {
  Mesh surface = {0};
  if (input_given(node, "corners"))
    return err_set(b->err, ERR_INPUT, "it needs corners, or a file of them");
  Status status = builder_read_mesh(b, node, "file", 3, &surface);
  if (status == OK) status = turn_corners(whole, surface.x, surface.n_nodes, b->err);
  if (status == OK) status = mesh_convex(mesh, &surface, b->err);
  mesh_free(&surface);
  return status;
}

// The hull of the corners of `node`, turned as `whole` says, or what its faces enclose.
static Status make_hull(Builder *b, const InputNode *whole, const InputNode *node, Mesh *mesh) {
  double *x = NULL;
  int n = 0;
  Err *err = b->err;
  if (has_faces(node)) return make_of_faces(b, whole, node, mesh);
  Status status = corners_of(node, &x, &n, err);
  if (status == OK) status = turn_corners(whole, x, n, err);
  if (status == OK) status = mesh_hull(mesh, x, n, err);
  mem_free(x);
  return status;
}

// A part that lies in another one adds nothing but mass.
static void doubt_parts(Builder *b, const InputNode *node, const Mesh *part, int n) {
  int at = 0;
  for (const InputNode *k = input_child(node, "part"); k; k = input_next(k, "part"), at++)
    for (int other = 0; other < n; other++) {
      if (other == at || !mesh_hull_within(&part[at], &part[other])) continue;
      if (other > at && mesh_hull_within(&part[other], &part[at])) continue; // told of the later
      diag_add(b->doubts, k->pos,
               "%s '%s': part %d lies inside part %d, where mass counts twice: leave it out",
               node->element->name, input_text(node, "name"), at + 1, other + 1);
      break;
    }
}

static Status make_parts(Builder *b, const InputNode *node, int n, Mesh *mesh) {
  Mesh *part = mem_new((size_t)n, sizeof *part);
  int at = 0;
  const size_t told = b->diag->n;
  if (!part) return err_set(b->err, ERR_SYSTEM, "out of memory: %d parts", n);
  Status status = OK;
  for (const InputNode *k = input_child(node, "part"); k && status == OK;
       k = input_next(k, "part"), at++) {
    status = make_hull(b, node, k, &part[at]);
    if (status != ERR_INPUT) continue;
    diag_add(b->diag, k->pos, "%s '%s', part %d: %s", node->element->name, input_text(node, "name"),
             at + 1, b->err->text);
    err_clear(b->err);
    status = OK;
  }
  if (status == OK && b->diag->n == told) {
    doubt_parts(b, node, part, n);
    status = mesh_join(mesh, part, n, b->err);
  }
  for (int k = 0; k < n; k++) mesh_free(&part[k]);
  mem_free(part);
  return status;
}

// What deforms would fall apart into its pieces.
static Status check_rigid(const Entry *entry, Err *err) {
  if (entry->type == &body_rigid) return OK;
  return err_set(err, ERR_INPUT, "parts are those of one rigid body: say kinematics=\"rigid\"");
}

Status builder_polyhedron(Builder *b, const InputNode *node) {
  Mesh *mesh;
  Entry entry = builder_entry_of(node, b);
  int n = 0;
  for (const InputNode *k = input_child(node, "part"); k; k = input_next(k, "part")) n++;
  TRY(builder_new_mesh(b, &mesh));
  Status status = OK;
  const size_t told = b->diag->n;
  if (n > 0 && (input_given(node, "corners") || input_given(node, "file")))
    status = err_set(b->err, ERR_INPUT, "it has parts: corners are theirs");
  if (status == OK && n > 0) status = check_rigid(&entry, b->err);
  if (status == OK) status = n > 0 ? make_parts(b, node, n, mesh) : make_hull(b, node, node, mesh);
  mesh->polyhedron = 1;
  entry.mesh = mesh;
  if (status == OK && b->diag->n > told) return builder_add_broken(b, node);
  if (status == OK) return builder_add_entry(b, input_text(node, "name"), &entry);
  return builder_generator_error(b, node, status);
}

Status builder_add_union(Builder *b, const Entry *model, const char *parts) {
  Entry entry = *model;
  Mesh *mesh;
  TRY(check_rigid(&entry, b->err));
  if (strcmp(input_text(model->node, "split"), "no") != 0)
    return err_set(b->err, ERR_INPUT, "split makes bodies, parts make one: say one of them");
  if (strcmp(parts, "groups") == 0) {
    TRY(builder_new_mesh(b, &mesh));
    TRY(mesh_join_groups(mesh, model->mesh, b->err));
    entry.mesh = mesh;
  }
  return builder_add_entry(b, input_text(model->node, "name"), &entry);
}
