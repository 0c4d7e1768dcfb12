// A folder of its own for each test, deleted at its end; and damaged files on demand.
#ifndef TESTS_FILE_SCRATCH_H
#define TESTS_FILE_SCRATCH_H

#include <criterion/criterion.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../../support/scratch_path.h"
#include "base/mem.h"
#include "file/atomic.h"

static char scratch[128]; // each test is a process of its own

static inline void scratch_make(void) {
  scratch_path(scratch, sizeof scratch, "file");
  if (!mkdtemp(scratch)) abort();
}

// Every test that uses a folder also proves that it gave all memory back.
static inline void scratch_remove(void) {
  char command[1200];
  snprintf(command, sizeof command, "chmod -R u+rwX '%s' && rm -rf '%s'", scratch, scratch);
  if (system(command) != 0) abort();
  cr_assert_eq(mem_live_blocks(), 0, "%lld blocks leak", (long long)mem_live_blocks());
}

// A path in the folder; four may be in use at a time.
static inline const char *in_scratch(const char *name) {
  static char path[4][256];
  static int next;
  next = (next + 1) % 4;
  snprintf(path[next], sizeof path[next], "%s/%s", scratch, name);
  return path[next];
}

static inline void write_bytes(const char *path, const void *bytes, size_t n) {
  FILE *stream = fopen(path, "wb");
  cr_assert(stream && fwrite(bytes, 1, n, stream) == n && fclose(stream) == 0);
}

static inline void write_text(const char *path, const char *text) {
  write_bytes(path, text, strlen(text));
}

// The whole file; the caller frees it with mem_free.
static inline char *read_bytes(const char *path, size_t *size) {
  Err err = {0};
  char *text = NULL;
  cr_assert_eq(file_read(&text, size, path, &err), OK, "%s", err.text);
  return text;
}

// What is written to path fails as on a full disk: the part is a link to the device that is full.
static inline void fill_disk(const char *path) {
  char part[300];
  snprintf(part, sizeof part, "%s.part", path);
  cr_assert_eq(symlink("/dev/full", part), 0);
}

// Small generator of its own, so that damage is the same in every run.
static inline unsigned next_random(unsigned *state) {
  *state = *state * 1664525u + 1013904223u;
  return *state >> 8;
}

#endif
