// file/json.h -- JSON: a small writer for what the program reports, a small reader for what it
// wrote.
//
// Writing goes to a stream, one item a line, two blanks of indent. Numbers read back to the same
// bits; NaN and infinities become null, which JSON has no other word for. A full disk is noticed
// where the stream is committed (atomic.h).
//
// A tree read from a file is the flat list of its leaves in the order of the file. A leaf is found
// by its path: "penetration.nodes", "files.0.name". Empty objects and arrays leave no trace.

#ifndef FILE_JSON_H
#define FILE_JSON_H

#include <stdint.h>
#include <stdio.h>

#include "base/err.h"

enum { JSON_MAX_DEPTH = 32 };

typedef struct {
  FILE *stream; // borrowed
  int depth;
  int n_items[JSON_MAX_DEPTH]; // written so far at each depth
} JsonWriter;

// Key is NULL inside arrays and for the outermost value. Texts are escaped; bytes that are not
// UTF-8 are passed on.
void json_begin(JsonWriter *json, const char *key, char bracket); // bracket: '{' or '['
void json_end(JsonWriter *json, char bracket);                    // '}' or ']'; the last adds '\n'
void json_put_number(JsonWriter *json, const char *key, double value);
void json_put_integer(JsonWriter *json, const char *key, int64_t value);
void json_put_text(JsonWriter *json, const char *key, const char *text); // NULL: null
void json_put_bool(JsonWriter *json, const char *key, int value);

typedef enum { JSON_NULL, JSON_BOOL, JSON_NUMBER, JSON_TEXT } JsonType;

typedef struct {
  char *path;
  JsonType type;
  double number; // number; 0 or 1 of a bool; NaN of null
  char *text;    // JSON_TEXT only, else NULL
} JsonLeaf;

typedef struct {
  int n_leaves;
  JsonLeaf *leaf; // [n_leaves]
} JsonTree;

// Errors are ERR_INPUT with file:line. `name` stands for the file in messages.
Status json_read(JsonTree *tree, const char *path, Err *err) MUST_CHECK;
Status json_parse(JsonTree *tree, const char *text, const char *name, Err *err) MUST_CHECK;
const JsonLeaf *json_find(const JsonTree *tree, const char *path); // NULL if absent
double json_number(const JsonTree *tree, const char *path, double fallback);
const char *json_text(const JsonTree *tree, const char *path); // NULL if absent or no text
void json_free(JsonTree *tree);

#endif
