// Probes, output settings and rest events.

#include <stdio.h>
#include <string.h>

#include "app/build_internal.h"

// component="y" keeps the column with that suffix.
static Status choose_component(Builder *b, const InputNode *node, Probe *probe) {
  const char *wanted = input_text(node, "component");
  if (!wanted[0]) return OK;
  int n = probe->type->n_columns > 0 ? probe->type->n_columns : b->dim;
  for (int k = 0; k < n; k++)
    if (strcmp(probe->type->suffix[k] + 1, wanted) == 0) probe->component = k;
  if (probe->component < 0)
    diag_add(b->diag, input_pos(node, "component"), "component=\"%s\": '%s' has no such column",
             wanted, probe->type->name);
  return OK;
}

static Status build_probe(Builder *b, const InputNode *node, Probe *probe) {
  *probe = (Probe){.type = probe_find(input_text(node, "quantity")),
                   .component = -1,
                   .scale = input_real(node, "scale")};
  TRY(choose_component(b, node, probe));
  probe->name = mem_copy_text(input_text(node, "name"));
  if (!probe->name) return err_set(b->err, ERR_SYSTEM, "out of memory: probe");
  if (probe->type->scope == PROBE_OF_BODIES)
    return builder_bodies(b, node, "of", &probe->item, &probe->n_items);
  if (probe->type->scope == PROBE_OF_ALL) return OK;
  NodeGroup group;
  TRY(builder_node_group(b, node, "of", &group));
  probe->item = group.node; // moved
  probe->n_items = group.n;
  mem_free(group.facet);
  return OK;
}

// Column of the history by name; -1 if there is none.
static int find_column(const OutputSpec *spec, int dim, const char *name) {
  int column = 0;
  for (; column < N_STANDARD_COLUMNS; column++)
    if (strcmp(standard_columns[column], name) == 0) return column;
  for (int k = 0; k < spec->n_probes; k++)
    for (int c = 0; c < probe_n_columns(&spec->probes[k], dim); c++, column++) {
      char text[256];
      probe_column(&spec->probes[k], c, text, sizeof text, NULL);
      if (strcmp(text, name) == 0) return column;
    }
  return -1;
}

static Status build_rests(Builder *b) {
  Model *model = b->model;
  int n = 0;
  for (const InputNode *node = input_child(b->in->root, "rest"); node;
       node = input_next(node, "rest"))
    n++;
  MEM_NEW(model->rests, n, b->err);
  for (const InputNode *node = input_child(b->in->root, "rest"); node;
       node = input_next(node, "rest")) {
    RestEvent *rest = &model->rests[model->n_rests++];
    *rest = (RestEvent){.probe_column = -1,
                        .value = input_real(node, "value"),
                        .rising = strcmp(input_text(node, "direction"), "up") == 0,
                        .count = input_integer(node, "count"),
                        .src = node->pos};
    if (input_given(node, "time") == input_given(node, "probe")) {
      diag_add(b->diag, node->pos, "rest needs either a time or a probe");
    } else if (input_given(node, "time")) {
      rest->time = input_real(node, "time");
    } else {
      rest->probe_column = find_column(b->output, b->dim, input_text(node, "probe"));
      if (rest->probe_column < 0)
        diag_add(b->diag, input_pos(node, "probe"), "probe=\"%s\" names no column of the history",
                 input_text(node, "probe"));
    }
  }
  return OK;
}

Status build_output(Builder *b) {
  OutputSpec *spec = b->output;
  const InputNode *root = b->in->root, *node = input_child(root, "output");
  *spec = (OutputSpec){.title = input_text(root, "title"), .history_every = 1, .checkpoint = 1};
  if (node) {
    spec->every = input_integer(node, "every");
    spec->history_every = input_integer(node, "history_every");
    spec->checkpoint = input_real(node, "checkpoint");
    spec->ascii = strcmp(input_text(node, "format"), "ascii") == 0;
  }
  int n = 0;
  for (const InputNode *k = input_child(root, "probe"); k; k = input_next(k, "probe")) n++;
  MEM_NEW(spec->probes, n + 1, b->err);
  if (input_child(root, "stage")) {
    Probe *stage = &spec->probes[spec->n_probes++];
    *stage = (Probe){.type = probe_find("stage"), .component = -1, .scale = 1};
    stage->name = mem_copy_text("stage");
    if (!stage->name) return err_set(b->err, ERR_SYSTEM, "out of memory: probe");
  }
  for (const InputNode *k = input_child(root, "probe"); k; k = input_next(k, "probe"))
    TRY(build_probe(b, k, &spec->probes[spec->n_probes++]));
  return build_rests(b);
}
