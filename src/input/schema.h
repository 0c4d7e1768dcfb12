// input/schema.h -- the vocabulary of the input: which elements, with which attributes, where.
//
// <parameter> (in the root) and <include> (anywhere) are built in and stand in no table.
//
// A PARAM_NAME names its element within a class, the name of the XML element; a PARAM_REF lists the
// classes it may refer to. A selector whose `choices` are NULL takes the names of the variants.
//
// The tables that fill a Schema live with the code that uses the parameters (materials, laws,
// solvers, generators); app/ gathers them. From one Schema come: the check of an input tree, the
// XSD (schema_write_xsd), `voussoir list` and the reference page (schema_write_reference).

#ifndef INPUT_SCHEMA_H
#define INPUT_SCHEMA_H

#include <stdbool.h>
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
  // '|'-separated attributes that may be others when a run goes on from a checkpoint; "*": all;
  // NULL: none.
  const char *may_change;
  // 1: has the attributes `library`, a file of such elements, and `id`, the name of one there whose
  // attributes hold where none are given here; after input_load nothing of it is left to be seen.
  int from_library;
} SchemaElement;

typedef struct {
  const SchemaElement *elements; // the first is the root; names are unique
  int n_elements;
} Schema;

const SchemaElement *schema_find(const Schema *schema, const char *name); // NULL if absent
const ParamSpec *schema_param(const SchemaElement *element, const SchemaVariant *variant,
                              const char *name); // variant may be NULL; NULL if absent
const SchemaVariant *schema_variant(const SchemaElement *element, const char *name);

// Whether a '|'-separated list holds `word`.
bool schema_list_holds(const char *list, const char *word);

// The k-th name that a PARAM_CHOICE attribute may take: of `choices`, or of the variants where the
// attribute is the selector and `choices` is NULL. Sets its length; NULL behind the last.
const char *schema_choice(const SchemaElement *element, const ParamSpec *spec, int k, size_t *n);

// XSD 1.0: structure, attributes, choices, documentation, keys and references. It is weaker than
// input_load where XSD 1.0 is: values may hold "${parameter}" or expressions, so numbers are
// strings; the attributes of all variants are allowed together; children are not counted (they may
// come from an included file); a reference to several classes is not followed. References are
// judged within one file and after parameters are put in.
void schema_write_xsd(const Schema *schema, FILE *stream);

// Markdown reference of all elements and their parameters (unit, bounds, default, meaning).
void schema_write_reference(const Schema *schema, FILE *stream);

// What `voussoir list [element]` prints for a terminal: all elements (NULL), or one in full;
// ERR_INPUT with the nearest name where there is none such.
Status schema_write_list(const Schema *schema, const char *element, FILE *stream,
                         Err *err) MUST_CHECK;

#endif
