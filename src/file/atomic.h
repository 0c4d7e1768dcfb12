// file/atomic.h -- files that appear whole or not at all, and folders.
//
// Written to "<path>.part" in the same folder, flushed, then renamed. A reader never sees half a
// file, and when the disk is full the old file stays and the error says so (ERR_SYSTEM with path
// and the system's own words).

#ifndef FILE_ATOMIC_H
#define FILE_ATOMIC_H

#include <stdio.h>

#include "base/err.h"

enum { FILE_PATH_SIZE = 1024 };

typedef struct {
  FILE *stream; // write errors need no check of their own: the stream keeps them for the commit
  char path[FILE_PATH_SIZE], part[FILE_PATH_SIZE + 16];
} AtomicFile;

Status atomic_open(AtomicFile *file, const char *path, Err *err) MUST_CHECK;
// Flush, check, close, rename. On failure the part is deleted; nothing is left to abandon.
Status atomic_commit(AtomicFile *file, Err *err) MUST_CHECK;
// The same, and the bytes are on the disk before the rename: for what a power cut must not lose.
Status atomic_commit_sync(AtomicFile *file, Err *err) MUST_CHECK;
void atomic_abandon(AtomicFile *file); // close and delete the part; a closed file is left alone

Status folder_make(const char *path, Err *err) MUST_CHECK; // with parents; existing is fine
// The folder belongs to this process as long as it lives: a second one is ERR_INPUT. Nothing is
// left behind, whatever the process dies of. File systems without locks give none, and no error:
// then *missing says why, else it is NULL.
Status folder_lock(int *lock, const char **missing, const char *path, Err *err) MUST_CHECK;
void folder_unlock(int *lock); // *lock is -1 afterwards; so it is before folder_lock
int folder_exists(const char *path);
int file_exists(const char *path);
int file_is_regular(const char *path); // neither a folder nor a pipe, which would wait for a writer
Status file_copy(const char *from, const char *to, Err *err) MUST_CHECK;

// "<folder>/<name>" into path; ERR_SYSTEM when it is too long.
Status file_join(char path[FILE_PATH_SIZE], const char *folder, const char *name,
                 Err *err) MUST_CHECK;

// The whole file with a zero behind the last byte; *text is owned by the caller (mem_free). A file
// that cannot be opened is ERR_INPUT (somebody named it), one that cannot be read ERR_SYSTEM.
Status file_read(char **text, size_t *size, const char *path, Err *err) MUST_CHECK;

// Names in a folder that match a glob pattern, sorted by bytes, so that the order never depends on
// the file system.
typedef struct {
  int n;
  char **name; // [n]
} FolderList;

Status folder_list(FolderList *list, const char *path, const char *pattern, Err *err) MUST_CHECK;
void folder_list_free(FolderList *list);

#endif
