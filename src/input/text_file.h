// input/text_file.h -- a whole file of text in memory, ended by a zero byte.

#ifndef INPUT_TEXT_FILE_H
#define INPUT_TEXT_FILE_H

#include "base/err.h"

typedef struct {
  char *data; // owned
  size_t size;
  unsigned long long device, inode; // the same for two paths of one file
} TextFile;

// *reason says why the file cannot be used (missing, a directory, empty, too large), for a message
// that names it; NULL when it was read. A Status other than OK means that memory is short.
Status text_file_read(const char *path, size_t max_size, TextFile *file, const char **reason,
                      Err *err) MUST_CHECK;
void text_file_free(TextFile *file);

#endif
