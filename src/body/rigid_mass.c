// Mass, centre and inertia of rigid bodies, by integrals over the elements and the boundary of
// their mesh, and w between points of them.

#include <math.h>

#include "base/mat3.h"
#include "base/space.h"
#include "body/body.h"

static void mass_of_nodes(RigidBody *rigid, const Mesh *mesh, double thickness) {
  const int dim = mesh->dim;
  ElementSpec spec = {.state = dim == 2 ? PLANE_STRESS : STRESS_3D, .thickness = thickness};
  for (int e = 0; e < mesh->n_elems; e++) {
    double x[MAX_ELEM_DOFS], share[MAX_ELEM_NODES];
    const int32_t *node = mesh->elem_node + mesh->elem_ptr[e];
    int n = mesh->elem_ptr[e + 1] - mesh->elem_ptr[e];
    spec.type = element_types[mesh->elem_shape[e]];
    for (int k = 0; k < n; k++)
      for (int i = 0; i < dim; i++) x[dim * k + i] = mesh->x[dim * node[k] + i];
    element_lumped_volume(&spec, x, share);
    for (int k = 0; k < n; k++) rigid->node_mass[node[k]] += rigid->material->density * share[k];
  }
  for (int k = 0; k < mesh->n_nodes; k++) {
    rigid->mass += rigid->node_mass[k];
    for (int i = 0; i < dim; i++) rigid->center[i] += rigid->node_mass[k] * mesh->x[dim * k + i];
  }
  for (int i = 0; i < dim; i++) rigid->center[i] /= rigid->mass;
}

// ---- the plane ----------------------------------------------------------------------------------

// Moment of inertia about the centre by the integral over the boundary, and the moment of the
// nodes' masses.
static void inertia_in_plane(RigidBody *rigid, const Mesh *mesh, const Skin *skin,
                             double thickness) {
  for (int f = 0; f < skin->n_facets; f++) {
    double p[2][2];
    for (int k = 0; k < 2; k++)
      for (int i = 0; i < 2; i++)
        p[k][i] = mesh->x[2 * (size_t)skin->facet_node[2 * f + k] + (size_t)i] - rigid->center[i];
    double cross = p[0][0] * p[1][1] - p[0][1] * p[1][0], square = 0;
    for (int i = 0; i < 2; i++) square += p[0][i] * p[0][i] + p[0][i] * p[1][i] + p[1][i] * p[1][i];
    rigid->inertia += rigid->material->density * thickness * cross * square / 12;
  }
  for (int k = 0; k < mesh->n_nodes; k++) {
    double a = mesh->x[2 * k] - rigid->center[0], b = mesh->x[2 * k + 1] - rigid->center[1];
    rigid->spread += rigid->node_mass[k] * (a * a + b * b);
  }
}

// Of a disk the masses of nodes are half of it at the centre, the rest on the rim: their first
// moment is exact.
static void mass_of_disk(RigidBody *rigid, const Mesh *mesh, double thickness) {
  rigid->mass = rigid->material->density * thickness * PI * rigid->radius * rigid->radius;
  rigid->inertia = 0.5 * rigid->mass * rigid->radius * rigid->radius;
  for (int k = 0; k < mesh->n_nodes; k++)
    rigid->node_mass[k] = 0.5 * rigid->mass / (k == 0 ? 1 : mesh->n_nodes - 1);
  rigid->spread = 0.5 * rigid->mass * rigid->radius * rigid->radius;
}

// ---- space --------------------------------------------------------------------------------------

// sum += x x^T over the volume between the centre and a piece of a face: by the divergence of
// x x^T x, a fifth of it times what the piece turns towards the centre, area times weight.
static void add_piece(const double x[3], const double area[3], double weight, double sum[9]) {
  double share = weight * vec3_dot(x, area) / 5;
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) sum[3 * i + j] += share * x[i] * x[j];
}

// Over a triangle the integrand is of second order: the middles of its sides are exact.
static void add_triangle(const double p[4][3], double sum[9]) {
  double a[3], b[3], area[3], middle[3];
  for (int i = 0; i < 3; i++) {
    a[i] = p[1][i] - p[0][i];
    b[i] = p[2][i] - p[0][i];
  }
  vec3_cross(a, b, area);
  for (int k = 0; k < 3; k++) {
    for (int i = 0; i < 3; i++) middle[i] = 0.5 * (p[k][i] + p[(k + 1) % 3][i]);
    add_piece(middle, area, 1.0 / 6, sum);
  }
}

// Over a bilinear quadrilateral it is of fourth order along either side: three Gauss points each.
static void add_quadrilateral(const double p[4][3], double sum[9]) {
  const double place[3] = {-sqrt(0.6), 0, sqrt(0.6)}, weight[3] = {5.0 / 9, 8.0 / 9, 5.0 / 9};
  for (int g = 0; g < 9; g++) {
    double s = place[g % 3], t = place[g / 3], x[3], along[3], across[3], area[3];
    for (int i = 0; i < 3; i++) {
      x[i] = 0.25 * ((1 - t) * ((1 - s) * p[0][i] + (1 + s) * p[1][i]) +
                     (1 + t) * ((1 + s) * p[2][i] + (1 - s) * p[3][i]));
      along[i] = 0.25 * ((1 - t) * (p[1][i] - p[0][i]) + (1 + t) * (p[2][i] - p[3][i]));
      across[i] = 0.25 * ((1 - s) * (p[3][i] - p[0][i]) + (1 + s) * (p[2][i] - p[1][i]));
    }
    vec3_cross(along, across, area);
    add_piece(x, area, weight[g % 3] * weight[g / 3], sum);
  }
}

// trace(S) I - S: the tensor of inertia of second moments.
static void tensor_of(const double second[9], double tensor[9]) {
  double trace = second[0] + second[4] + second[8];
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) tensor[3 * i + j] = (i == j ? trace : 0) - second[3 * i + j];
}

static int is_positive(const double a[9]) {
  return a[0] > 0 && a[0] * a[4] - a[1] * a[3] > 0 && vec3_det(a, a + 3, a + 6) > 0;
}

// Tensor of inertia about the centre by integrals over the boundary, and second moments of the
// nodes' masses.
static Status inertia_in_space(RigidBody *rigid, const Mesh *mesh, const Skin *skin, Err *err) {
  double second[9] = {0}, of_nodes[9] = {0}, tensor[9];
  RigidSpace *space = &rigid->space;
  for (int f = 0; f < skin->n_facets; f++) {
    const int32_t *node = skin->facet_node + 4 * (size_t)f;
    double p[4][3];
    int n = node[3] < 0 ? 3 : 4;
    for (int k = 0; k < n; k++)
      for (int i = 0; i < 3; i++)
        p[k][i] = mesh->x[3 * (size_t)node[k] + (size_t)i] - rigid->center[i];
    if (n == 3)
      add_triangle((const double(*)[3])p, second);
    else
      add_quadrilateral((const double(*)[3])p, second);
  }
  for (int i = 0; i < 9; i++) second[i] *= rigid->material->density;
  for (int k = 0; k < mesh->n_nodes; k++)
    for (int i = 0; i < 9; i++)
      of_nodes[i] += rigid->node_mass[k] * (mesh->x[3 * k + i / 3] - rigid->center[i / 3]) *
                     (mesh->x[3 * k + i % 3] - rigid->center[i % 3]);
  tensor_of(second, space->inertia);
  tensor_of(of_nodes, tensor);
  if (!is_positive(space->inertia) || !is_positive(second) || !is_positive(of_nodes))
    return err_set(err, ERR_INPUT,
                   "it is flat: its second moments are not positive along all axes");
  mat3_invert(space->inertia, space->inverse);
  mat3_invert(tensor, space->nodes_inverse);
  mat3_invert(of_nodes, space->spread_inverse);
  rigid->inertia = (space->inertia[0] + space->inertia[4] + space->inertia[8]) / 3;
  return OK;
}

// ---- w ------------------------------------------------------------------------------------------

// Root of J^-1: lower, C C^T.
static void root_of(const double a[9], double c[9]) {
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      double own = a[3 * i + j];
      for (int k = 0; k < j && j <= i; k++) own -= c[3 * i + k] * c[3 * j + k];
      c[3 * i + j] = j > i ? 0 : i == j ? sqrt(own) : own / c[4 * j];
    }
}

// Velocities of the points by rigid motions of energy 1: the centre, and one about as far along
// each axis as the mass is.
static void motions_of_points(RigidBody *rigid, int dim) {
  const int n = space_rigid_motions(dim);
  double turning[9] = {0}; // columns: spins of energy 1
  if (dim == 3) root_of(rigid->space.inverse, turning);
  for (int a = 0; a <= dim; a++) {
    double *root = rigid->root + dim * n * a, arm[3] = {0};
    if (a > 0) arm[a - 1] = rigid->length;
    for (int i = 0; i < dim; i++) root[n * i + i] = 1 / sqrt(rigid->mass);
    if (dim == 2) {
      root[2] = -arm[1] / sqrt(rigid->inertia);
      root[5] = arm[0] / sqrt(rigid->inertia);
      continue;
    }
    for (int m = 0; m < 3; m++) {
      double spin[3] = {turning[m], turning[3 + m], turning[6 + m]}, by[3];
      vec3_cross(spin, arm, by);
      for (int i = 0; i < 3; i++) root[n * i + 3 + m] = by[i];
    }
  }
}

Status rigid_init(RigidBody *rigid, const RigidSpec *spec, Err *err) {
  const int dim = spec->mesh->dim, n = space_rigid_motions(dim), n_points = dim + 1;
  Status status = OK;
  *rigid = (RigidBody){.body = spec->body, .material = spec->material, .radius = spec->radius};
  MEM_NEW(rigid->node_mass, spec->mesh->n_nodes, err);
  if (spec->radius > 0) {
    mass_of_disk(rigid, spec->mesh, spec->thickness);
  } else {
    mass_of_nodes(rigid, spec->mesh, spec->thickness);
    if (dim == 2)
      inertia_in_plane(rigid, spec->mesh, spec->skin, spec->thickness);
    else if (rigid->mass > 0)
      status = inertia_in_space(rigid, spec->mesh, spec->skin, err);
  }
  TRY(status);
  if (!(rigid->mass > 0) || !(rigid->inertia > 0))
    return err_set(err, ERR_INPUT, "its mass %g and moment of inertia %g are not positive",
                   rigid->mass, rigid->inertia);
  rigid->length = sqrt(rigid->inertia / rigid->mass);
  motions_of_points(rigid, dim);
  for (int a = 0; a < n_points; a++)
    for (int b = 0; b < n_points; b++)
      for (int i = 0; i < dim; i++)
        for (int j = 0; j < dim; j++)
          for (int m = 0; m < n; m++)
            rigid->block[dim * dim * (n_points * a + b) + dim * i + j] +=
                rigid->root[dim * n * a + n * i + m] * rigid->root[dim * n * b + n * j + m];
  return OK;
}

void rigid_free(RigidBody *rigid) {
  mem_free(rigid->node_mass);
  *rigid = (RigidBody){0};
}
