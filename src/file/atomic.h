// file/atomic.h -- files that appear whole or not at all.
//
// Written to "<path>.part" in the same folder, flushed, then renamed. A reader never sees half a
// file, and when the disk is full the old file stays and the error says so (ERR_SYSTEM with path
// and the system's own words).

#ifndef FILE_ATOMIC_H
#define FILE_ATOMIC_H

#include <stdio.h>

#include "base/err.h"

typedef struct {
  FILE *stream;
  char path[1024], part[1040];
} AtomicFile;

Status atomic_open(AtomicFile *file, const char *path, Err *err) MUST_CHECK;
Status atomic_commit(AtomicFile *file, Err *err) MUST_CHECK; // close, check, rename
void atomic_abandon(AtomicFile *file);                       // close and delete the part

Status folder_make(const char *path, Err *err) MUST_CHECK; // with parents; existing is fine
int file_exists(const char *path);
Status file_copy(const char *from, const char *to, Err *err) MUST_CHECK;

#endif
