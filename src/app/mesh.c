// voussoir mesh: the bodies of an input, or of one generator, as a Gmsh file; and what a file
// holds.

#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app/commands.h"
#include "app/load.h"
#include "app/options.h"
#include "mesh/blank.h"

static const OptionSpec options_mesh[] = {
    {"-o", "FILE.msh", "the file to write (Gmsh 4.1, ASCII)"},
    {"--set", "NAME=VALUE", "value of a named parameter of an input; may be repeated"},
    {"--help", NULL, "this page"},
};
enum { N_OPTIONS_MESH = sizeof options_mesh / sizeof options_mesh[0] };

static void mesh_help(void) {
  printf(
      "voussoir mesh INPUT.xml -o FILE.msh                 all bodies of an input as one mesh\n"
      "voussoir mesh GENERATOR NAME=VALUE ... -o FILE.msh  wall, arch, column, block or sheet; the attributes are\n"
      "                                                    those of the element: voussoir list wall\n"
      "voussoir mesh info FILE                             what a mesh file holds (.stl, .inp, .k, else Gmsh)\n\n");
  options_print(options_mesh, N_OPTIONS_MESH, stdout);
}

// ---- info ---------------------------------------------------------------------------------------

static int info(const char *path) {
  static const char *const kind[] = {"nodes", "facets", "elements"};
  Mesh mesh;
  MeshTold told;
  Err err = {0};
  Status status = mesh_read(&mesh, path, 2, &told, &err);
  if (status != OK) {
    Err other = {0};
    if (mesh_read(&mesh, path, 3, &told, &other) != OK) {
      if (strcmp(err.text, other.text) != 0) err_note(&err, "and in space: %s", other.text);
      return command_fail(&err); // the plane is the usual case
    }
  }
  double low[3], high[3];
  mesh_bounds(&mesh, low, high);
  printf("%s: dimension %d, %d nodes, %d elements\n", path, mesh.dim, mesh.n_nodes, mesh.n_elems);
  int count[N_SHAPES] = {0};
  for (int e = 0; e < mesh.n_elems; e++) count[mesh.elem_shape[e]]++;
  for (int k = 0; k < N_SHAPES; k++)
    if (count[k]) printf("  %-10s %d\n", topology_table[k].name, count[k]);
  printf("  bounds     %g %g %g to %g %g %g m, measure %g\n", low[0], low[1], low[2], high[0],
         high[1], high[2], mesh_measure(&mesh));
  for (int g = 0; g < mesh.n_groups; g++)
    printf("  group      '%s': %d %s\n", mesh.groups[g].name, mesh.groups[g].n,
           kind[mesh.groups[g].kind]);
  if (told.text[0]) printf("  told       %s\n", told.text);
  mesh_free(&mesh);
  return 0;
}

// ---- bodies to one mesh -------------------------------------------------------------------------

static void copy_body(const BodySet *bs, int body, int *elem, Mesh *mesh) {
  const Mesh *own = bs->mesh[body];
  for (int e = 0; e < own->n_elems; e++, (*elem)++) {
    int at = mesh->elem_ptr[*elem];
    mesh->elem_shape[*elem] = own->elem_shape[e];
    for (int k = own->elem_ptr[e]; k < own->elem_ptr[e + 1]; k++)
      mesh->elem_node[at++] = bs->node_ptr[body] + own->elem_node[k];
    mesh->elem_ptr[*elem + 1] = at;
  }
}

// Element groups for assemblies, groups and (where there are few) single bodies; node groups as
// named.
static Status add_groups(const BodySet *bs, const int32_t *first_elem, Mesh *mesh, Err *err) {
  enum { FEW_BODIES = 1000 };
  int32_t *items;
  MEM_NEW(items, mesh->n_elems, err);
  Status status = OK;
  for (int g = 0; g < bs->n_groups && status == OK; g++) {
    int n = 0;
    for (int k = 0; k < bs->groups[g].n; k++)
      for (int e = first_elem[bs->groups[g].body[k]]; e < first_elem[bs->groups[g].body[k] + 1];
           e++)
        items[n++] = e;
    status = mesh_add_group(mesh, bs->groups[g].name, GROUP_ELEMENTS, items, n, err);
  }
  for (int b = 0; b < bs->n_bodies && bs->n_bodies <= FEW_BODIES && status == OK; b++) {
    int n = 0;
    for (int e = first_elem[b]; e < first_elem[b + 1]; e++) items[n++] = e;
    if (!mesh_find_group_of(mesh, bs->name[b], GROUP_ELEMENTS))
      status = mesh_add_group(mesh, bs->name[b], GROUP_ELEMENTS, items, n, err);
  }
  mem_free(items);
  for (int g = 0; g < bs->n_node_groups && status == OK; g++)
    status = mesh_add_group(mesh, bs->node_groups[g].name, GROUP_NODES, bs->node_groups[g].node,
                            bs->node_groups[g].n, err);
  return status;
}

// Of sheets the names of their rims too, as in inputs: "blank.edge".
static Status add_sheet_groups(const BodySet *bs, Mesh *mesh, Err *err) {
  for (int b = 0; b < bs->n_bodies; b++) {
    const Mesh *own = bs->mesh[b];
    if (own->n_elems == 0 || topology_table[own->elem_shape[0]].dim == own->dim) continue;
    for (int g = 0; g < own->n_groups; g++) {
      const MeshGroup *group = &own->groups[g];
      char name[256];
      int32_t *items;
      if (group->kind != GROUP_NODES) continue;
      snprintf(name, sizeof name, "%s.%s", bs->name[b], group->name);
      MEM_NEW(items, group->n, err);
      for (int k = 0; k < group->n; k++) items[k] = bs->node_ptr[b] + group->items[k];
      Status status = mesh_add_group(mesh, name, GROUP_NODES, items, group->n, err);
      mem_free(items);
      TRY(status);
    }
  }
  return OK;
}

static Status bodies_to_mesh(const BodySet *bs, Mesh *mesh, Err *err) {
  int n_elem_nodes = 0, elem = 0;
  for (int b = 0; b < bs->n_bodies; b++)
    n_elem_nodes += bs->mesh[b]->elem_ptr[bs->mesh[b]->n_elems];
  TRY(mesh_init(mesh, bs->dim, bs->n_nodes, bs->n_elems, n_elem_nodes, err));
  memcpy(mesh->x, bs->x, sizeof(double) * (size_t)bs->dim * (size_t)bs->n_nodes);
  int32_t *first_elem;
  MEM_NEW(first_elem, bs->n_bodies + 1, err);
  for (int b = 0; b < bs->n_bodies; b++) {
    copy_body(bs, b, &elem, mesh);
    first_elem[b + 1] = elem;
  }
  Status status = add_groups(bs, first_elem, mesh, err);
  mem_free(first_elem);
  if (status == OK) status = add_sheet_groups(bs, mesh, err);
  return status == OK ? blank_to_facets(mesh, err) : status;
}

// `generator`: what stands before messages instead of the temporary file that holds it; else NULL.
static int write_mesh(const char *input, const char *generator, const Options *options) {
  const char *out = options_value(options, "-o");
  Case c;
  Mesh mesh = {0};
  Err err = {0};
  if (!out) {
    err_set(&err, ERR_INPUT, "say where to write: -o FILE.msh");
    return command_misused("mesh", &err);
  }
  Status status = case_load(&c, input, options->setting, options->n_settings, &err);
  for (size_t k = 0; generator && k < c.diag.n; k++)
    c.diag.entries[k].pos = (SrcPos){.file = generator};
  int code = status == OK ? 0 : case_fail(&c, &err);
  if (status == OK) {
    status = bodies_to_mesh(&c.model.bodies, &mesh, &err);
    if (status == OK) status = mesh_write_gmsh(&mesh, out, &err);
    if (status != OK) code = command_fail(&err);
  }
  if (code == 0)
    printf("%s: %d bodies, %d nodes, %d elements\n", out, c.model.bodies.n_bodies, mesh.n_nodes,
           c.model.bodies.n_elems);
  mesh_free(&mesh);
  case_free(&c);
  return code;
}

// ---- generators ---------------------------------------------------------------------------------

// An input around one element, in a temporary file: so a generator has one reader and one set of
// checks.
static Status generator_input(const Options *options, char *path, size_t size, Err *err) {
  static const char fallback[] = "/var/tmp";
  const char *folder = getenv("TMPDIR");
  snprintf(path, size, "%s/voussoir-XXXXXX", folder && folder[0] ? folder : fallback);
  int descriptor = mkstemp(path);
  FILE *file = descriptor < 0 ? NULL : fdopen(descriptor, "w");
  if (!file) return err_set(err, ERR_SYSTEM, "cannot write a temporary file '%s'", path);
  const char *element = options->operand[0];
  fprintf(file,
          "<voussoir><model space=\"%s\"/><material name=\"stone\" density=\"1\" young=\"1\"/>"
          "<%s name=\"%s\" material=\"stone\"",
          strcmp(element, "sheet") == 0 ? "solid" : "plane", element, element);
  Status status = OK;
  for (int k = 1; k < options->n_operands; k++) {
    const char *equals = strchr(options->operand[k], '=');
    if (!equals || strpbrk(options->operand[k], "<>&\"")) {
      status = err_set(err, ERR_INPUT, "'%s' is not NAME=VALUE", options->operand[k]);
      break;
    }
    fprintf(file, " %.*s=\"%s\"", (int)(equals - options->operand[k]), options->operand[k],
            equals + 1);
  }
  fprintf(file, "/><time end=\"1\" step=\"1\" theta=\"1\"/></voussoir>\n");
  if (fclose(file) != 0 && status == OK)
    status = err_set(err, ERR_SYSTEM, "cannot write '%s'", path);
  return status;
}

static int generate(const Options *options) {
  char path[512];
  Err err = {0};
  Status status = generator_input(options, path, sizeof path, &err);
  int code =
      status == OK ? write_mesh(path, options->operand[0], options) : command_misused("mesh", &err);
  unlink(path);
  return code;
}

int mesh_main(int argc, char **argv) {
  static const char generators[] = "wall|arch|column|block|sheet";
  Options options;
  Err err = {0};
  Status status = options_parse(&options, options_mesh, N_OPTIONS_MESH, argc, argv, &err);
  int code = 0;
  if (status == OK && options_value(&options, "--help")) {
    mesh_help();
  } else if (status != OK) {
    code = command_misused("mesh", &err);
  } else if (options.n_operands == 2 && strcmp(options.operand[0], "info") == 0) {
    code = info(options.operand[1]);
  } else if (options.n_operands >= 1 && schema_list_holds(generators, options.operand[0])) {
    code = generate(&options);
  } else if (options.n_operands == 1) {
    code = write_mesh(options.operand[0], NULL, &options);
  } else {
    err_set(&err, ERR_INPUT, "expected an input, a generator (%s) or info FILE", generators);
    code = command_misused("mesh", &err);
  }
  options_free(&options);
  return code;
}
