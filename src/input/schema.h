// input/schema.h -- the vocabulary of the input: which elements, with which attributes, where.
//
// The tables that fill a Schema live with the code that uses the parameters (materials, laws,
// solvers, generators); app/ gathers them. From one Schema come: the check of an input tree, the
// XSD (schema_write_xsd), `voussoir list` and the reference page (schema_write_reference).

#ifndef INPUT_SCHEMA_H
#define INPUT_SCHEMA_H

#include <stdio.h>

#include "base/err.h"
#include "base/param.h"

// A row of an extension table as the input sees it: `selector="name"` adds these parameters.
typedef struct {
  const char *name;
  const char *doc;
  const ParamSpec *params;
  int n_params;
} SchemaVariant;

typedef struct {
  const char *name;     // XML element
  const char *doc;      // one or two sentences
  const char *children; // '|'-separated names of allowed child elements; NULL: none
  const ParamSpec *params;
  int n_params;
  const char *selector; // attribute (of type PARAM_CHOICE in params) that picks a variant, or NULL
  const SchemaVariant *variants;
  int n_variants;
  int min_count, max_count; // how often it may stand in its parent; max_count 0: any number
  int has_text;             // 1: free text content is allowed (description)
} SchemaElement;

typedef struct {
  const SchemaElement *elements; // the first is the root; names are unique
  int n_elements;
} Schema;

const SchemaElement *schema_find(const Schema *schema, const char *name); // NULL if absent
const ParamSpec *schema_param(const SchemaElement *element, const SchemaVariant *variant,
                              const char *name); // variant may be NULL; NULL if absent
const SchemaVariant *schema_variant(const SchemaElement *element, const char *name);

// XSD 1.0: structure, attributes, choices, documentation, keys and references. Values may hold
// "${parameter}" or expressions, so numbers are strings there and checked by input_load.
void schema_write_xsd(const Schema *schema, FILE *stream);

// Markdown reference of all elements and their parameters (unit, bounds, default, meaning).
void schema_write_reference(const Schema *schema, FILE *stream);

// What `voussoir list [element]` prints for a terminal.
void schema_write_list(const Schema *schema, const char *element, FILE *stream);

#endif
