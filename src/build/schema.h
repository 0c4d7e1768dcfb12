// build/schema.h -- the vocabulary of inputs: the tables of all rooms gathered in one Schema.
#ifndef BUILD_SCHEMA_H
#define BUILD_SCHEMA_H

#include "input/schema.h"

typedef struct {
  Schema schema;
  SchemaElement *elements; // owned copy with the variants filled in
  SchemaVariant *materials, *laws, *solvers, *probes,
      *shapes; // owned, from the tables of those rooms
} AppSchema;

Status app_schema_init(AppSchema *app, Err *err) MUST_CHECK;
void app_schema_free(AppSchema *app);

#endif
