#include "input/load.h"

#include <assert.h>
#include <libxml/parser.h>
#include <libxml/parserInternals.h>
#include <limits.h>
#include <string.h>

// libxml2's tree is not used: it forgets the lines of attributes, caps those of elements at 65535
// unless told otherwise, and expands entities. Its SAX events give each element while the text of
// the tag is still there to be searched for lines.

static const char XINCLUDE[] = "http://www.w3.org/2001/XInclude";
static const char INSTANCE[] = "http://www.w3.org/2001/XMLSchema-instance";
static const char BLANKS[] = " \t\r\n";

struct RawText {
  RawText *before;
  size_t n;
  char *text;
};

typedef struct {
  Loader *load;
  const char *file;
  xmlParserCtxt *ctxt;
  RawNode *root, *top; // top: innermost open element
  bool ill_formed;     // said so: what follows is only its echo
  bool other_namespace;
  Status status;
} Reader;

static void stop(Reader *reader, Status status) {
  if (reader->status == OK) reader->status = status;
  xmlStopParser(reader->ctxt);
}

// Where the start tag that was just read begins, and on which line: '<' cannot stand inside a tag.
static const char *find_tag(const xmlParserInput *input, int *line) {
  const char *base = (const char *)input->base, *c = (const char *)input->cur;
  *line = input->line;
  while (c > base && *c != '<') {
    c--;
    if (*c == '\n') --*line;
  }
  return c;
}

static const char *skip(const char *c, const char *end, const char *set, bool inside, int *line) {
  while (c < end && (strchr(set, *c) != NULL) == inside) {
    if (*c == '\n') ++*line;
    c++;
  }
  return c;
}

// Moves to the attribute `name` in the text of a tag and tells its line.
static const char *find_attr(const char *c, const char *end, const char *name, int *line) {
  size_t n = strlen(name);
  while (c < end) {
    c = skip(c, end, BLANKS, true, line);
    const char *start = c;
    int start_line = *line;
    c = skip(c, end, " \t\r\n=", false, line);
    if ((size_t)(c - start) == n && strncmp(start, name, n) == 0) {
      *line = start_line;
      return start;
    }
    c = skip(c, end, "\"'", false, line);
    if (c == end) break;
    char quote[2] = {*c, 0};
    c = skip(c + 1, end, quote, false, line);
    if (c < end) c++;
  }
  return c;
}

static const char *full_name(Reader *reader, const xmlChar *prefix, const xmlChar *name) {
  size_t n_prefix = prefix ? strlen((const char *)prefix) + 1 : 0, n = strlen((const char *)name);
  char *text = load_take(reader->load, n_prefix + n + 1, 1);
  if (!text) return NULL;
  if (prefix) {
    memcpy(text, prefix, n_prefix - 1);
    text[n_prefix - 1] = ':';
  }
  memcpy(text + n_prefix, name, n);
  return text;
}

static bool same(const xmlChar *a, const char *b) {
  return a && strcmp((const char *)a, b) == 0;
}

// SAX2 attributes come as five pointers each: name, prefix, namespace, begin and end of the value.
static Status read_attrs(Reader *reader, RawNode *node, int n, const xmlChar **attrs) {
  if (n == 0) return OK;
  const xmlParserInput *input = reader->ctxt->input;
  const char *end = (const char *)input->cur;
  int line;
  const char *c = find_tag(input, &line);
  c = skip(c, end, BLANKS, false, &line);
  node->attrs = load_take(reader->load, n, sizeof *node->attrs);
  if (!node->attrs) return ERR_SYSTEM;
  for (int k = 0; k < n; k++) {
    const xmlChar **a = attrs + 5 * (size_t)k;
    if (same(a[1], "xml") || same(a[2], INSTANCE)) continue;
    RawAttr *attr = &node->attrs[node->n_attrs];
    attr->name = full_name(reader, a[1], a[0]);
    attr->value = load_copy(reader->load, (const char *)a[3], (size_t)(a[4] - a[3]));
    if (!attr->name || !attr->value) return ERR_SYSTEM;
    c = find_attr(c, end, attr->name, &line);
    attr->line = line;
    node->n_attrs++;
  }
  return OK;
}

static void on_start(void *data, const xmlChar *name, const xmlChar *prefix, const xmlChar *uri,
                     int n_namespaces, const xmlChar **namespaces, int n_attrs, int n_defaulted,
                     const xmlChar **attrs) {
  (void)n_namespaces, (void)namespaces, (void)n_defaulted;
  Reader *reader = data;
  RawNode *node = load_take(reader->load, 1, sizeof *node);
  if (!node) {
    stop(reader, ERR_SYSTEM);
    return;
  }
  node->pos.file = reader->file;
  find_tag(reader->ctxt->input, &node->pos.line);
  bool of_xinclude = same(uri, XINCLUDE) || (same(prefix, "xi") && !uri);
  node->is_include = same(name, "include") && (of_xinclude || (!uri && !prefix));
  node->name = full_name(reader, prefix, name);
  if (!node->name || read_attrs(reader, node, n_attrs, attrs) != OK) {
    stop(reader, ERR_SYSTEM);
    return;
  }
  if (uri && !prefix && !of_xinclude && !reader->other_namespace) {
    reader->other_namespace = true;
    diag_add(reader->load->diag, node->pos, "elements have no namespace here: remove xmlns=\"%s\"",
             (const char *)uri);
  }
  node->parent = reader->top;
  if (!reader->top) {
    reader->root = node;
  } else {
    if (reader->top->last)
      reader->top->last->next = node;
    else
      reader->top->first = node;
    reader->top->last = node;
  }
  reader->top = node;
}

static void on_text(void *data, const xmlChar *chars, int n_chars) {
  Reader *reader = data;
  RawNode *node = reader->top;
  const char *text = (const char *)chars;
  size_t n = (size_t)n_chars, blank = 0;
  if (!node) return;
  while (blank < n && strchr(BLANKS, text[blank])) blank++;
  if (!node->pieces && blank == n) return;
  if (!node->pieces) {
    // The event comes when the parser stands behind the text.
    node->text_line = reader->ctxt->input->line;
    for (size_t k = blank; k < n; k++)
      if (text[k] == '\n') node->text_line--;
    text += blank;
    n -= blank;
  }
  RawText *piece = load_take(reader->load, 1, sizeof *piece);
  if (piece) piece->text = load_copy(reader->load, text, n);
  if (!piece || !piece->text) {
    stop(reader, ERR_SYSTEM);
    return;
  }
  piece->n = n;
  piece->before = node->pieces;
  node->pieces = piece;
}

static void on_end(void *data, const xmlChar *name, const xmlChar *prefix, const xmlChar *uri) {
  (void)name, (void)prefix, (void)uri;
  Reader *reader = data;
  RawNode *node = reader->top;
  if (!node) return;
  reader->top = node->parent;
  node->text = "";
  if (!node->pieces) return;
  size_t n = 0;
  for (const RawText *piece = node->pieces; piece; piece = piece->before) n += piece->n;
  char *text = load_take(reader->load, n + 1, 1);
  if (!text) {
    stop(reader, ERR_SYSTEM);
    return;
  }
  char *end = text + n;
  for (const RawText *piece = node->pieces; piece; piece = piece->before) {
    end -= piece->n;
    memcpy(end, piece->text, piece->n);
  }
  while (n > 0 && strchr(BLANKS, text[n - 1])) text[--n] = 0;
  node->text = text;
}

// Entities are how a small file becomes a huge one or reads another file; none is needed here.
static void on_doctype(void *data, const xmlChar *name, const xmlChar *public_id,
                       const xmlChar *system_id) {
  (void)name, (void)public_id, (void)system_id;
  Reader *reader = data;
  SrcPos pos = {reader->file, reader->ctxt->input->line};
  reader->ill_formed = true;
  diag_add(reader->load->diag, pos,
           "a DOCTYPE is not allowed; use <parameter> for values and <include> for files");
  stop(reader, OK);
}

static void on_error(void *data, xmlErrorPtr error) {
  Reader *reader = data;
  if (error->code == XML_ERR_NO_MEMORY) {
    err_set(reader->load->err, ERR_SYSTEM, "out of memory: the XML parser");
    stop(reader, ERR_SYSTEM);
    return;
  }
  if (error->level < XML_ERR_ERROR || reader->ill_formed) return;
  bool fatal = error->level == XML_ERR_FATAL;
  reader->ill_formed = fatal;
  char text[300];
  snprintf(text, sizeof text, "%s", error->message ? error->message : "unknown error");
  char *advice = strstr(text, " use XML_PARSE_HUGE"); // never: it removes the limits
  if (advice) *advice = 0;
  for (size_t n = strlen(text); n > 0 && strchr(BLANKS, text[n - 1]);) text[--n] = 0;
  SrcPos pos = {reader->file, error->line};
  diag_add(reader->load->diag, pos, "%s%s", fatal ? "not well-formed XML: " : "", text);
}

Status xml_parse(Loader *load, const char *data, size_t size, const char *file, RawNode **root) {
  *root = NULL;
  assert(data && file);
  if (size > INT_MAX) return err_set(load->err, ERR_BUG, "xml_parse: %zu bytes", size);
  xmlParserCtxt *ctxt = xmlCreateMemoryParserCtxt(data, (int)size);
  if (!ctxt) return err_set(load->err, ERR_SYSTEM, "out of memory: the XML parser");
  Reader reader = {.load = load, .file = file, .ctxt = ctxt};
  *ctxt->sax = (xmlSAXHandler){.initialized = XML_SAX2_MAGIC,
                               .startElementNs = on_start,
                               .endElementNs = on_end,
                               .characters = on_text,
                               .ignorableWhitespace = on_text,
                               .cdataBlock = on_text,
                               .internalSubset = on_doctype,
                               .serror = on_error};
  ctxt->userData = &reader;
  // NOENT only makes &amp; a plain &: a document that declares entities of its own is refused.
  xmlCtxtUseOptions(ctxt, XML_PARSE_NONET | XML_PARSE_BIG_LINES | XML_PARSE_NOENT);
  xmlParseDocument(ctxt);
  bool well_formed = ctxt->wellFormed && !reader.ill_formed && !reader.top;
  if (ctxt->myDoc) xmlFreeDoc(ctxt->myDoc);
  ctxt->myDoc = NULL;
  xmlFreeParserCtxt(ctxt);
  if (reader.status != OK) return reader.status;
  if (!well_formed && !reader.ill_formed)
    diag_add(load->diag, (SrcPos){file, 1}, "not well-formed XML");
  if (well_formed) *root = reader.root;
  return OK;
}

const char *input_versions(void) {
  return "libxml2 " LIBXML_DOTTED_VERSION;
}
