#include "msh_flavour.h"

#include <string.h>

typedef struct {
  FILE *file;
  const Mesh *mesh;
  Flavour flavour;
  int text; // numbers as text just now
} Out;

static void put_bytes(const Out *out, const void *value, size_t n) {
  const unsigned char *bytes = value;
  for (size_t k = 0; k < n; k++) fputc(bytes[out->flavour.swapped ? n - 1 - k : k], out->file);
}

static void put_int(const Out *out, int value) {
  int32_t number = value;
  if (out->text)
    fprintf(out->file, "%d ", value);
  else
    put_bytes(out, &number, sizeof number);
}

static void put_size(const Out *out, int value) {
  uint64_t wide = (uint64_t)value;
  uint32_t narrow = (uint32_t)value;
  if (out->text)
    fprintf(out->file, "%d ", value);
  else if (out->flavour.size_size == 4)
    put_bytes(out, &narrow, sizeof narrow);
  else
    put_bytes(out, &wide, sizeof wide);
}

static void put_real(const Out *out, double value) {
  if (out->text)
    fprintf(out->file, "%.17g ", value);
  else
    put_bytes(out, &value, sizeof value);
}

static void end_line(const Out *out) {
  if (out->text) fputc('\n', out->file);
}

static int kind_dim(const Mesh *mesh, GroupKind kind) {
  return kind == GROUP_NODES ? 0 : kind == GROUP_FACETS ? mesh->dim - 1 : mesh->dim;
}

static int n_of(const Mesh *mesh, GroupKind kind) {
  return kind == GROUP_NODES    ? mesh->n_nodes
         : kind == GROUP_FACETS ? mesh->n_facets
                                : mesh->n_elems;
}

static int has(const MeshGroup *group, GroupKind kind, int item) {
  for (int k = 0; group->kind == kind && k < group->n; k++)
    if (group->items[k] == item) return 1;
  return 0;
}

static int count_groups(const Mesh *mesh, GroupKind kind, int item) {
  int n = 0;
  for (int g = 0; g < mesh->n_groups; g++) n += has(&mesh->groups[g], kind, item);
  return n;
}

static int item_nodes(const Mesh *mesh, GroupKind kind, int item, int *code, int32_t *node) {
  if (kind == GROUP_NODES) {
    *code = topology_table[SHAPE_POINT].gmsh_code;
    node[0] = item;
    return 1;
  }
  const int32_t *ptr = kind == GROUP_FACETS ? mesh->facet_ptr : mesh->elem_ptr;
  const int32_t *of = kind == GROUP_FACETS ? mesh->facet_node : mesh->elem_node;
  *code =
      topology_table[(kind == GROUP_FACETS ? mesh->facet_shape : mesh->elem_shape)[item]].gmsh_code;
  for (int k = ptr[item]; k < ptr[item + 1]; k++) node[k - ptr[item]] = of[k];
  return ptr[item + 1] - ptr[item];
}

static void write_22(Out *out) {
  const Mesh *mesh = out->mesh;
  fprintf(out->file, "$Nodes\n%d\n", mesh->n_nodes);
  for (int k = 0; k < mesh->n_nodes; k++) {
    put_int(out, 10 + 3 * k);
    for (int c = 0; c < 3; c++) put_real(out, c < mesh->dim ? mesh->x[k * mesh->dim + c] : 0);
    end_line(out);
  }
  int n = 0, tag = 0;
  for (GroupKind kind = GROUP_NODES; kind <= GROUP_ELEMENTS; kind++)
    for (int k = 0; k < n_of(mesh, kind); k++) n += count_groups(mesh, kind, k);
  fprintf(out->file, "\n$EndNodes\n$Elements\n%d\n", n);
  for (GroupKind kind = GROUP_NODES; kind <= GROUP_ELEMENTS; kind++)
    for (int k = 0; k < n_of(mesh, kind); k++)
      for (int g = 0; g < mesh->n_groups; g++) {
        if (!has(&mesh->groups[g], kind, k)) continue;
        int code;
        int32_t node[MAX_ELEM_NODES];
        int n_nodes = item_nodes(mesh, kind, k, &code, node);
        if (out->text) put_int(out, ++tag);
        put_int(out, code);
        if (!out->text) put_int(out, 1);
        put_int(out, 2);
        if (!out->text) put_int(out, ++tag);
        put_int(out, g + 1);
        put_int(out, g + 1); // Gmsh ties groups to geometric entities: one entity for each
        for (int j = 0; j < n_nodes; j++) put_int(out, 10 + 3 * node[j]);
        end_line(out);
      }
  fprintf(out->file, "\n$EndElements\n");
}

static void write_entities_41(Out *out) {
  const Mesh *mesh = out->mesh;
  static const GroupKind kinds[2][4] = {{GROUP_NODES, GROUP_FACETS, GROUP_ELEMENTS, GROUP_NODES},
                                        {GROUP_NODES, GROUP_NODES, GROUP_FACETS, GROUP_ELEMENTS}};
  fprintf(out->file, "$Entities\n");
  for (int pass = 0; pass < 2; pass++)
    for (int dim = 0; dim < 4; dim++) {
      GroupKind kind = kinds[mesh->dim - 2][dim];
      int n = kind_dim(mesh, kind) == dim ? n_of(mesh, kind) : 0;
      if (pass == 0) put_size(out, n);
      for (int k = 0; pass == 1 && k < n; k++) {
        put_int(out, k + 1);
        for (int c = 0; c < (dim == 0 ? 3 : 6); c++) put_real(out, 0.25 * c);
        put_size(out, count_groups(mesh, kind, k));
        for (int g = 0; g < mesh->n_groups; g++)
          if (has(&mesh->groups[g], kind, k)) put_int(out, g + 1);
        // bounded by nothing, or for the reader's sake by two points, one reversed
        int n_bounds = dim == 1 && mesh->n_nodes > 1 ? 2 : 0;
        if (dim > 0) put_size(out, n_bounds);
        for (int j = 0; j < n_bounds; j++) put_int(out, j ? -2 : 1);
        end_line(out);
      }
    }
  fprintf(out->file, "\n$EndEntities\n");
}

// Every other node is a block with parametric coordinates.
static void write_41(Out *out) {
  const Mesh *mesh = out->mesh;
  int n = mesh->n_nodes + mesh->n_facets + mesh->n_elems, tag = 0;
  write_entities_41(out);
  fprintf(out->file, "$Nodes\n");
  put_size(out, mesh->n_nodes);
  put_size(out, mesh->n_nodes);
  put_size(out, 10);
  put_size(out, 10 + 3 * (mesh->n_nodes - 1));
  for (int k = 0; k < mesh->n_nodes; k++) {
    end_line(out);
    put_int(out, 2);
    put_int(out, 1);
    put_int(out, k % 2);
    put_size(out, 1);
    put_size(out, 10 + 3 * k);
    for (int c = 0; c < 3; c++) put_real(out, c < mesh->dim ? mesh->x[k * mesh->dim + c] : 0);
    for (int c = 0; c < 2 * (k % 2); c++) put_real(out, 0.5);
  }
  fprintf(out->file, "\n$EndNodes\n$Elements\n");
  put_size(out, n);
  put_size(out, n);
  put_size(out, 1);
  put_size(out, n);
  for (GroupKind kind = GROUP_NODES; kind <= GROUP_ELEMENTS; kind++)
    for (int k = 0; k < n_of(mesh, kind); k++) {
      int code;
      int32_t node[MAX_ELEM_NODES];
      int n_nodes = item_nodes(mesh, kind, k, &code, node);
      end_line(out);
      put_int(out, kind_dim(mesh, kind));
      put_int(out, k + 1);
      put_int(out, code);
      put_size(out, 1);
      put_size(out, ++tag);
      for (int j = 0; j < n_nodes; j++) put_size(out, 10 + 3 * node[j]);
    }
  fprintf(out->file, "\n$EndElements\n");
}

void msh_write_flavour(FILE *file, const Mesh *mesh, Flavour flavour) {
  Out out = {.file = file, .mesh = mesh, .flavour = flavour};
  fprintf(file, "$MeshFormat\n%s %d %d\n", flavour.is_41 ? "4.1" : "2.2", flavour.binary,
          flavour.is_41 ? flavour.size_size : 8);
  if (flavour.binary) {
    put_int(&out, 1);
    fputc('\n', file);
  }
  fprintf(file, "$EndMeshFormat\n$PhysicalNames\n%d\n", mesh->n_groups);
  for (int g = 0; g < mesh->n_groups; g++)
    fprintf(file, "%d %d \"%s\"\n", kind_dim(mesh, mesh->groups[g].kind), g + 1,
            mesh->groups[g].name);
  fprintf(file, "$EndPhysicalNames\n");
  out.text = !flavour.binary;
  if (flavour.is_41)
    write_41(&out);
  else
    write_22(&out);
}
