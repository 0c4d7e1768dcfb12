// input/load.h -- inside this room only: the steps of input_load and the raw tree they share.
//
//   document_read     files to one raw tree of elements: XML, then includes      (xml.c, include.c)
//   parameters_read   <parameter> elements and --set                             (substitute.c)
//   libraries_read    attributes that stand in a file of such elements           (library.c)
//   check_tree        raw tree to InputNodes against the schema                  (check.c, value.c)
//   names_check       names are unique, references find their element            (names.c)
//
// A defect goes to `diag` and the step carries on; a Status other than OK means that memory or a
// library failed. All memory is the arena of the Input.

#ifndef INPUT_LOAD_H
#define INPUT_LOAD_H

#include "input/input.h"

typedef struct RawText RawText;

typedef struct RawNode RawNode;

typedef struct {
  const char *name; // with its prefix, if any
  char *value;
  int line;
  const char *file; // that it stands in; NULL: that of its node
} RawAttr;

SrcPos raw_attr_pos(const RawNode *raw, const RawAttr *attr);

struct RawNode {
  const char *name; // with its prefix, if any
  bool is_include;
  SrcPos pos;
  RawAttr *attrs; // [n_attrs] without xmlns, xml:* and xsi:*
  int n_attrs;
  bool is_short;    // what it should have from a library was not found, as was told
  const char *text; // without blanks at its ends
  int text_line;    // of its first character; 0: no text
  RawText *pieces;  // while reading: the text so far, last piece first
  RawNode *parent, *first, *last, *next;
};

typedef struct {
  const Schema *schema;
  Input *in;
  Diag *diag;
  Err *err;
  long n_nodes;
} Loader;

// Proposing a name costs a look at all of them; an input with hundreds of defects needs mending
// first.
enum { MAX_PROPOSALS = 200 };

// Zeroed memory of the Input; NULL with the error set when memory is short.
void *load_take(Loader *load, size_t count, size_t size);
char *load_copy(Loader *load, const char *text, size_t n);

// One file in memory to a raw tree; *root NULL if it is not well-formed.
Status xml_parse(Loader *load, const char *data, size_t size, const char *file,
                 RawNode **root) MUST_CHECK;
Status document_read(Loader *load, const char *path, RawNode **root) MUST_CHECK;
// Another file, named from `node` by a path seen from the folder of its file; *root NULL after a
// defect.
Status document_beside(Loader *load, const RawNode *node, SrcPos pos, const char *href,
                       RawNode **root) MUST_CHECK;

// Elements whose schema has a library: what `library` and `id` name is put in, and the two are
// taken away.
Status libraries_read(Loader *load, RawNode *root) MUST_CHECK;

Status parameters_read(Loader *load, const RawNode *root, const InputSetting *settings,
                       int n_settings) MUST_CHECK;
extern const SchemaElement parameter_element; // built into every schema, child of the root
extern const SchemaElement include_element;   // built into every schema, child of any parent

// A copy of `text` with ${...} replaced, in parentheses where `numeric`; NULL after a defect.
// `what` begins the message.
Status parameters_apply(Loader *load, const char *text, bool numeric, SrcPos pos, const char *what,
                        char **result) MUST_CHECK;

Status check_tree(Loader *load, const RawNode *raw) MUST_CHECK;
// Reports an attribute that `element` does not have, in any variant.
void check_unknown_attr(Loader *load, const SchemaElement *element, const RawNode *raw,
                        const RawAttr *attr);

// Checks the text of an attribute against its spec and evaluates it.
Status value_check(Loader *load, const SchemaElement *element, InputAttr *attr) MUST_CHECK;

Status names_check(Loader *load) MUST_CHECK;

#endif
