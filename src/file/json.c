#include "file/json.h"

#include <assert.h>
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "file/atomic.h"
#include "file/number.h"

static void put_quoted(FILE *stream, const char *text) {
  putc('"', stream);
  for (const char *c = text; *c; c++) {
    switch (*c) {
    case '"':
      fputs("\\\"", stream);
      break;
    case '\\':
      fputs("\\\\", stream);
      break;
    case '\n':
      fputs("\\n", stream);
      break;
    case '\r':
      fputs("\\r", stream);
      break;
    case '\t':
      fputs("\\t", stream);
      break;
    default:
      if ((unsigned char)*c < 0x20)
        fprintf(stream, "\\u%04x", (unsigned)*c);
      else
        putc(*c, stream);
    }
  }
  putc('"', stream);
}

static void new_line(JsonWriter *json) {
  putc('\n', json->stream);
  for (int k = 0; k < json->depth; k++) fputs("  ", json->stream);
}

// Comma, line and key that precede any value.
static void begin_item(JsonWriter *json, const char *key) {
  if (json->depth > 0) {
    if (json->n_items[json->depth]++ > 0) putc(',', json->stream);
    new_line(json);
  }
  if (key) {
    put_quoted(json->stream, key);
    fputs(": ", json->stream);
  }
}

void json_begin(JsonWriter *json, const char *key, char bracket) {
  assert(json->depth + 1 < JSON_MAX_DEPTH);
  begin_item(json, key);
  putc(bracket, json->stream);
  json->n_items[++json->depth] = 0;
}

void json_end(JsonWriter *json, char bracket) {
  assert(json->depth > 0);
  int n_items = json->n_items[json->depth--];
  if (n_items > 0) new_line(json);
  putc(bracket, json->stream);
  if (json->depth == 0) putc('\n', json->stream);
}

void json_put_number(JsonWriter *json, const char *key, double value) {
  char text[NUMBER_TEXT_SIZE] = "null";
  if (isfinite(value)) number_format(text, value);
  begin_item(json, key);
  fputs(text, json->stream);
}

void json_put_integer(JsonWriter *json, const char *key, int64_t value) {
  begin_item(json, key);
  fprintf(json->stream, "%lld", (long long)value);
}

void json_put_text(JsonWriter *json, const char *key, const char *text) {
  begin_item(json, key);
  if (text)
    put_quoted(json->stream, text);
  else
    fputs("null", json->stream);
}

void json_put_bool(JsonWriter *json, const char *key, int value) {
  begin_item(json, key);
  fputs(value ? "true" : "false", json->stream);
}

enum { PATH_SIZE = 512 };

typedef struct {
  const char *name, *text, *at;
  char path[PATH_SIZE]; // of the value being read
  size_t capacity;      // of tree->leaf
  JsonTree *tree;
  Err *err;
} Parser;

static Status bad(Parser *p, const char *what) {
  int line = 1;
  for (const char *c = p->text; c < p->at; c++) line += *c == '\n';
  return err_set(p->err, ERR_INPUT, "%s:%d: not valid JSON: %s", p->name, line, what);
}

static void skip_blanks(Parser *p) {
  while (*p->at == ' ' || *p->at == '\n' || *p->at == '\t' || *p->at == '\r') p->at++;
}

static Status add_leaf(Parser *p, JsonType type, double number, char *text) {
  void *block = p->tree->leaf;
  Status status =
      mem_grow(&block, &p->capacity, (size_t)p->tree->n_leaves + 1, sizeof *p->tree->leaf, p->err);
  p->tree->leaf = block;
  char *path = status == OK ? mem_copy_text(p->path) : NULL;
  if (!path) {
    mem_free(text);
    return err_set(p->err, ERR_SYSTEM, "out of memory while reading %s", p->name);
  }
  p->tree->leaf[p->tree->n_leaves++] = (JsonLeaf){path, type, number, text};
  return OK;
}

// \uXXXX to UTF-8; surrogate halves are kept as they come: nothing of ours writes them.
static size_t put_code_point(char *out, unsigned code) {
  if (code < 0x80) {
    out[0] = (char)code;
    return 1;
  }
  if (code < 0x800) {
    out[0] = (char)(0xC0 | (code >> 6));
    out[1] = (char)(0x80 | (code & 0x3F));
    return 2;
  }
  out[0] = (char)(0xE0 | (code >> 12));
  out[1] = (char)(0x80 | ((code >> 6) & 0x3F));
  out[2] = (char)(0x80 | (code & 0x3F));
  return 3;
}

static Status read_escape(Parser *p, char *out, size_t *n) {
  static const char letters[] = "\"\\/bfnrt", meanings[] = "\"\\/\b\f\n\r\t";
  char c = *++p->at;
  if (c == 'u') {
    char digits[5] = {0};
    for (int k = 0; k < 4; k++) {
      if (!isxdigit((unsigned char)p->at[1])) return bad(p, "bad \\u escape");
      digits[k] = *++p->at;
    }
    unsigned code = (unsigned)strtoul(digits, NULL, 16);
    if (code == 0) return bad(p, "zero byte in a text");
    *n += put_code_point(out + *n, code);
  } else {
    const char *found = c ? strchr(letters, c) : NULL;
    if (!found) return bad(p, "unknown escape");
    out[(*n)++] = meanings[found - letters];
  }
  p->at++;
  return OK;
}

// A quoted text; *text is owned by the caller.
static Status read_text(Parser *p, char **text) {
  *text = NULL;
  if (*p->at != '"') return bad(p, "'\"' expected");
  p->at++;
  // Unescaped it is never longer than escaped.
  size_t length = 0;
  while (p->at[length] && p->at[length] != '"')
    length += p->at[length] == '\\' && p->at[length + 1] ? 2 : 1;
  if (!p->at[length]) return bad(p, "text without end");
  char *out = mem_new(length + 1, 1);
  if (!out) return err_set(p->err, ERR_SYSTEM, "out of memory while reading %s", p->name);
  size_t n = 0;
  while (*p->at != '"') {
    if (*p->at != '\\') {
      out[n++] = *p->at++;
      continue;
    }
    Status status = read_escape(p, out, &n);
    if (status != OK) {
      mem_free(out);
      return status;
    }
  }
  p->at++;
  *text = out;
  return OK;
}

static Status read_value(Parser *p, int depth);

// One value of an object or array, whose path is the path of the parent and `key`.
static Status read_member(Parser *p, const char *key, int depth) {
  size_t length = strlen(p->path);
  int n = snprintf(p->path + length, PATH_SIZE - length, "%s%s", length ? "." : "", key);
  if (n < 0 || (size_t)n >= PATH_SIZE - length) return bad(p, "names too long");
  TRY(read_value(p, depth + 1));
  p->path[length] = 0;
  return OK;
}

static Status read_group(Parser *p, int depth) {
  int is_object = *p->at == '{';
  char closing = is_object ? '}' : ']';
  if (depth + 1 >= JSON_MAX_DEPTH) return bad(p, "nested too deep");
  p->at++;
  skip_blanks(p);
  if (*p->at == closing) {
    p->at++;
    return OK;
  }
  for (int k = 0;; k++) {
    char number[16], *key = NULL;
    snprintf(number, sizeof number, "%d", k);
    skip_blanks(p);
    if (is_object) {
      TRY(read_text(p, &key));
      skip_blanks(p);
      if (*p->at != ':') {
        mem_free(key);
        return bad(p, "':' expected");
      }
      p->at++;
    }
    Status status = read_member(p, key ? key : number, depth);
    mem_free(key);
    if (status != OK) return status;
    skip_blanks(p);
    if (*p->at == closing) break;
    if (*p->at != ',') return bad(p, "',' or a closing bracket expected");
    p->at++;
  }
  p->at++;
  return OK;
}

static Status read_number(Parser *p) {
  // strtod also takes "inf", "nan" and hexadecimal, which are not JSON
  size_t length = strspn(p->at, "+-0123456789.eE");
  char *end;
  double value = strtod(p->at, &end);
  if (length == 0 || *p->at == '+' || end != p->at + length) return bad(p, "value expected");
  p->at = end;
  return add_leaf(p, JSON_NUMBER, value, NULL);
}

static Status read_value(Parser *p, int depth) {
  static const struct {
    const char *word;
    JsonType type;
    double number;
  } words[] = {{"true", JSON_BOOL, 1}, {"false", JSON_BOOL, 0}, {"null", JSON_NULL, NUMBER_NAN}};
  skip_blanks(p);
  if (*p->at == '{' || *p->at == '[') return read_group(p, depth);
  if (*p->at == '"') {
    char *text;
    TRY(read_text(p, &text));
    return add_leaf(p, JSON_TEXT, NUMBER_NAN, text);
  }
  for (size_t k = 0; k < sizeof words / sizeof words[0]; k++) {
    size_t length = strlen(words[k].word);
    if (strncmp(p->at, words[k].word, length) != 0) continue;
    p->at += length;
    return add_leaf(p, words[k].type, words[k].number, NULL);
  }
  return read_number(p);
}

Status json_parse(JsonTree *tree, const char *text, const char *name, Err *err) {
  memset(tree, 0, sizeof *tree);
  Parser p = {.name = name, .text = text, .at = text, .tree = tree, .err = err};
  Status status = read_value(&p, 0);
  if (status == OK) {
    skip_blanks(&p);
    if (*p.at) status = bad(&p, "something follows the end");
  }
  if (status != OK) json_free(tree);
  return status;
}

Status json_read(JsonTree *tree, const char *path, Err *err) {
  memset(tree, 0, sizeof *tree);
  char *text;
  size_t size;
  TRY(file_read(&text, &size, path, err));
  Status status = strlen(text) == size
                      ? json_parse(tree, text, path, err)
                      : err_set(err, ERR_INPUT, "%s: not valid JSON: zero byte in the file", path);
  mem_free(text);
  return status;
}

const JsonLeaf *json_find(const JsonTree *tree, const char *path) {
  for (int k = 0; k < tree->n_leaves; k++)
    if (strcmp(tree->leaf[k].path, path) == 0) return &tree->leaf[k];
  return NULL;
}

double json_number(const JsonTree *tree, const char *path, double fallback) {
  const JsonLeaf *leaf = json_find(tree, path);
  return leaf && leaf->type == JSON_NUMBER ? leaf->number : fallback;
}

const char *json_text(const JsonTree *tree, const char *path) {
  const JsonLeaf *leaf = json_find(tree, path);
  return leaf && leaf->type == JSON_TEXT ? leaf->text : NULL;
}

void json_free(JsonTree *tree) {
  for (int k = 0; k < tree->n_leaves; k++) {
    mem_free(tree->leaf[k].path);
    mem_free(tree->leaf[k].text);
  }
  mem_free(tree->leaf);
  memset(tree, 0, sizeof *tree);
}
