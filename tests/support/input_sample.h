// support/input_sample.h -- a small vocabulary and a folder of its own for tests of the reader.

#ifndef SUPPORT_INPUT_SAMPLE_H
#define SUPPORT_INPUT_SAMPLE_H

#include "input/input.h"

extern const Schema sample_schema;

// Tests: a fresh folder under /tmp becomes the current one; sample_leave removes it.
void sample_enter(void);
void sample_leave(void);

void sample_write(const char *path, const char *text);
void sample_write_bytes(const char *path, const void *bytes, size_t n);

// Loads `path` and returns what diag_print says ("" if nothing); stays valid until the next call.
const char *sample_defects(const char *path, const InputSetting *settings, int n_settings);

// The same for a text, written to main.xml.
const char *sample_judge(const char *xml);

#endif
