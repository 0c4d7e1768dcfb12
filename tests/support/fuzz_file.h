// support/fuzz_file.h -- what fuzzers share: bytes as a file that is in memory alone, and numbers
// taken from bytes.
#ifndef SUPPORT_FUZZ_FILE_H
#define SUPPORT_FUZZ_FILE_H

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

// Path of this process's file `name` in memory; valid until the fourth call after this.
static inline const char *fuzz_path(const char *name) {
  static char path[4][96];
  static int next;
  next = (next + 1) % 4;
  snprintf(path[next], sizeof path[next], "/dev/shm/voussoir_fuzz_%ld_%s", (long)getpid(), name);
  return path[next];
}

static inline void fuzz_write(const char *path, const void *data, size_t size) {
  FILE *stream = fopen(path, "wb");
  if (!stream || (size > 0 && fwrite(data, 1, size, stream) != size) || fclose(stream) != 0)
    abort();
}

// The bytes that are left; past their end everything is zero.
typedef struct {
  const uint8_t *data;
  size_t size;
} FuzzBytes;

static inline int fuzz_byte(FuzzBytes *bytes) {
  if (bytes->size == 0) return 0;
  bytes->size--;
  return *bytes->data++;
}

static inline int fuzz_integer(FuzzBytes *bytes, int least, int most) {
  int two = 256 * fuzz_byte(bytes);
  return least + (two + fuzz_byte(bytes)) % (most - least + 1);
}

// Mostly round multiples of `scale`, as people write them, sometimes what nobody does.
static inline double fuzz_real(FuzzBytes *bytes, double scale) {
  static const double odd[] = {0, -1, 1e-300, 1e300, 1e9, 1e-9, (double)INFINITY, (double)NAN};
  int kind = fuzz_byte(bytes);
  if (kind >= 248) return odd[kind - 248];
  if (kind < 128) return scale * (1 + kind % 16) / (1 + kind / 16);
  double value;
  for (size_t k = 0; k < sizeof value; k++) ((uint8_t *)&value)[k] = (uint8_t)fuzz_byte(bytes);
  return kind < 240 ? scale * (kind - 127) / 16 + scale * 1e-9 * value / (1 + fabs(value)) : value;
}

#endif
