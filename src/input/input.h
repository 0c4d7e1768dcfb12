// input/input.h -- an XML input as a typed tree in which every node knows its file and line.
//
// input_load reads the file with libxml2, resolves XIncludes itself (so that file and line stay
// true), applies named parameters, checks the tree against the Schema and evaluates all constant
// expressions. All defects go to Diag at once; a tree is only handed out when there are none, so
// the accessors below cannot fail: asking for an attribute that the schema does not have is a bug
// (assert). They all return the default of the ParamSpec where the attribute is absent; without a
// default: NaN, 0, false, "", an empty list, so ask input_given first.
//
// <xi:include href="part.xml"/> (xmlns:xi="http://www.w3.org/2001/XInclude") or
// <include href="part.xml"/>, relative to the file it stands in, puts in the children of an
// included root element, or the included element itself when it is one that is allowed there.
// A DOCTYPE is refused, and with it every entity of one's own.
//
// Parameters: <parameter name="friction" value="0.5" doc="..."/> in the root; "${friction}" in any
// attribute value is replaced by the text of the value (in parentheses where the attribute is
// numeric and holds more than the parameter). A value may use parameters declared before it.
// `--set` overrides it; setting an unknown name is a defect that proposes the nearest.
//
// Numeric attributes are expressions (muParser) of constants; a list is split at white space
// outside parentheses. PARAM_FUNCTION attributes are expressions of t or the name of a <function>,
// which input_ref then finds; see input/function.h.

#ifndef INPUT_INPUT_H
#define INPUT_INPUT_H

#include <stdbool.h>

#include "base/arena.h"
#include "input/diag.h"
#include "input/schema.h"

typedef struct InputNode InputNode;

typedef struct {
  const ParamSpec *spec;
  char *text;    // after substitution of parameters; the default where absent from the file
  bool given;    // stands in the file
  double *value; // PARAM_REAL, INTEGER, BOOL: one; LIST, COUNTS: n_values; NULL: absent, no default
  int n_values;
  const InputNode *target; // the node that a PARAM_REF or the name in a PARAM_FUNCTION refers to
  SrcPos pos;              // of the attribute; of the node where it is not given
} InputAttr;

struct InputNode {
  const SchemaElement *element;
  const SchemaVariant *variant; // NULL when the element has no selector
  SrcPos pos;
  long order; // position in the resolved document
  int place;  // among the children of its parent that are such elements
  InputAttr *attrs;
  int n_attrs; // all parameters of element and variant, in table order, given or not
  char *text;  // text content without blanks at its ends (has_text), else NULL
  InputNode *parent, *first, *next; // first child, next sibling
};

typedef struct {
  char *name, *value; // value after --set, with parameters put in as text
  char *numeric;      // the same with parentheses around what was put in
  SrcPos pos;         // where declared
} InputParameter;

typedef struct {
  Arena arena; // holds everything below
  InputNode *root;
  InputParameter *parameters;
  int n_parameters;
  char **files; // all files read, the main one first; SrcPos point into them
  int n_files;
} Input;

typedef struct {
  const char *name, *value; // one --set NAME=VALUE
} InputSetting;

// Reads and checks. Defects of the input go to `diag` and the status is ERR_INPUT; a file that
// cannot be opened is a defect too. `in` is freed by the caller in all cases, after diag_print: the
// entries point to its file names. `diag` may hold entries already; they count.
Status input_load(const char *path, const Schema *schema, const InputSetting *settings,
                  int n_settings, Input *in, Diag *diag, Err *err) MUST_CHECK;
void input_free(Input *in);

// First child / next sibling named `name` (NULL: any). NULL at the end.
const InputNode *input_child(const InputNode *node, const char *name);
const InputNode *input_next(const InputNode *node, const char *name);

bool input_given(const InputNode *node, const char *attr);
double input_real(const InputNode *node, const char *attr);
int input_integer(const InputNode *node, const char *attr);
bool input_bool(const InputNode *node, const char *attr);
const char *input_text(const InputNode *node, const char *attr); // "" if absent without default
const double *input_list(const InputNode *node, const char *attr, int *n);
SrcPos input_pos(const InputNode *node, const char *attr); // of the attribute, else of the node

// The node that a PARAM_REF attribute names, or the <function> that a PARAM_FUNCTION names; NULL if
// the attribute is absent or an expression.
const InputNode *input_ref(const Input *in, const InputNode *node, const char *attr);

// Path of a PARAM_FILE attribute relative to the current folder (resolved against the folder of
// the file that names it). Writes into `path`; "" when the attribute is absent.
void input_path(const InputNode *node, const char *attr, char *path, size_t size);

// Versions of the libraries behind this room, for --version.
const char *input_versions(void);

#endif
