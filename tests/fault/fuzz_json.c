// Fuzzes the reader of JSON: what it accepts has leaves that are found by their paths, and texts
// our writer writes back.
#define _POSIX_C_SOURCE 200809L
#include "../support/fuzz_file.h"
#include "base/mem.h"
#include "file/json.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  char *text = malloc(size + 1), *written;
  if (!text) return 0;
  if (size > 0) memcpy(text, data, size);
  text[size] = 0;
  Err err = {0};
  JsonTree tree, again;
  Status status = json_parse(&tree, text, "fuzz.json", &err);
  if (status != OK && (status != ERR_INPUT || !strstr(err.text, "fuzz.json:"))) abort();
  for (int k = 0; status == OK && k < tree.n_leaves; k++) {
    const JsonLeaf *leaf = &tree.leaf[k];
    if (!json_find(&tree, leaf->path)) abort();
    if (leaf->type != JSON_TEXT) continue;
    size_t length;
    JsonWriter json = {.stream = open_memstream(&written, &length)};
    json_begin(&json, NULL, '{');
    json_put_text(&json, "a", leaf->text);
    json_end(&json, '}');
    fclose(json.stream);
    if (json_parse(&again, written, "again", &err) != OK) abort();
    if (strcmp(json_text(&again, "a"), leaf->text) != 0) abort();
    json_free(&again);
    free(written);
  }
  json_free(&tree);
  free(text);
  if (mem_live_blocks() != 0) abort();
  return 0;
}
