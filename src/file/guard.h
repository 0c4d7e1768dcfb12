// file/guard.h -- reads a file that may be damaged first in a child process.
//
// HDF5 checks much, not all, of what it reads: there are damaged files on which the library itself
// reads through NULL (a heap or an index that claims to be larger than memory is one way). What
// crashes there would take a run with it, so a child tries the same calls on the same memory
// before: where it dies, or runs far over what a sound file can need of memory and time, the file
// is refused; where it finds the file at fault, that is the answer; else the calls are made here.

#ifndef FILE_GUARD_H
#define FILE_GUARD_H

#include "base/err.h"

// Must write nothing but memory. It may run twice, the first time on a copy of all memory.
typedef Status GuardedRead(void *context, Err *err);

// `path` is for the message and for the size that bounds the child. Without a child (no process or
// pipe to be had) the file is read at once.
Status guard_read(const char *path, GuardedRead *read, void *context, Err *err) MUST_CHECK;

#endif
