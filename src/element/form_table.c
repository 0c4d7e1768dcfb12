#include "element/form_table.h"

#include <string.h>

#include "base/mem.h"

const FormType *const form_types[] = {
    &form_solid,
    &form_shell_ebst,
    &form_shell_mitc4,
    NULL,
};

// The first element that a type does not take, -1: none.
static int first_refused(const FormType *type, const Mesh *mesh) {
  for (int e = 0; e < mesh->n_elems; e++) {
    int shape = mesh->elem_shape[e];
    int dim = topology_table[shape].dim + (type->shell ? 1 : 0);
    if (!type->shape[shape] || dim != mesh->dim) return e;
  }
  return -1;
}

// The first element, and the first that is of another shape.
static Status refuse_mixed(const Mesh *mesh, Err *err) {
  int e = 0;
  while (e + 1 < mesh->n_elems && mesh->elem_shape[e] == mesh->elem_shape[0]) e++;
  return err_set(err, ERR_INPUT,
                 "no formulation takes all elements of this mesh: element 1 is a %s, element %d a "
                 "%s; a body is of one shape",
                 topology_table[mesh->elem_shape[0]].name, e + 1,
                 topology_table[mesh->elem_shape[e]].name);
}

static Status find_type(const char *name, const Mesh *mesh, const FormType **found, Err *err) {
  int known = 0;
  for (int k = 0; form_types[k]; k++) {
    if (name && strcmp(name, form_types[k]->name) != 0) continue;
    known = 1;
    *found = form_types[k];
    int refused = first_refused(form_types[k], mesh);
    if (refused < 0) return OK;
    if (name)
      return err_set(err, ERR_INPUT, "element %d is a %s, which formulation '%s' does not take",
                     refused + 1, topology_table[mesh->elem_shape[refused]].name, name);
  }
  if (known) return refuse_mixed(mesh, err);
  return err_set(err, ERR_INPUT, "no formulation has the name '%s'", name ? name : "");
}

static Status keep_edge(Form *form, const uint8_t *edge, Err *err) {
  if (!edge) return OK;
  MEM_NEW(form->edge, form->n_nodes, err);
  memcpy(form->edge, edge, (size_t)form->n_nodes);
  form->spec.edge = form->edge;
  return OK;
}

Status form_init(Form *form, const char *name, const FormSpec *spec, Err *err) {
  *form = (Form){0};
  if (spec->mesh->n_elems == 0) return err_set(err, ERR_INPUT, "a mesh without elements");
  TRY(find_type(name, spec->mesh, &form->type, err));
  form->spec = *spec;
  form->dim = spec->mesh->dim;
  form->n_nodes = spec->mesh->n_nodes;
  form->n_elems = spec->mesh->n_elems;
  Status status = keep_edge(form, spec->edge, err);
  if (status == OK) status = form->type->init(form, &form->spec, err);
  if (status != OK) form_free(form);
  return status;
}

void form_free(Form *form) {
  if (form->type) form->type->free(form);
  mem_free(form->dof_ptr);
  mem_free(form->dof);
  mem_free(form->mass);
  mem_free(form->edge);
  mem_free(form->fixed_extra);
  mem_free(form->config_start);
  mem_free(form->internal_start);
  *form = (Form){0};
}
