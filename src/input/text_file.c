#define _POSIX_C_SOURCE 200809L
#include "input/text_file.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/mem.h"

enum { FIRST_PAGE = 1 << 14 }; // [bytes] most inputs need no second one

static Status read_stream(FILE *stream, size_t max_size, TextFile *file, Err *err) {
  size_t capacity = 0, n;
  do {
    void *block = file->data;
    size_t needed = file->size + 2 > FIRST_PAGE ? file->size + 2 : FIRST_PAGE;
    TRY(mem_grow(&block, &capacity, needed, 1, err));
    file->data = block;
    n = fread(file->data + file->size, 1, capacity - file->size - 1, stream);
    file->size += n;
  } while (n > 0 && file->size <= max_size);
  file->data[file->size] = 0;
  return OK;
}

Status text_file_read(const char *path, size_t max_size, TextFile *file, const char **reason,
                      Err *err) {
  *file = (TextFile){0};
  *reason = NULL;
  FILE *stream = fopen(path, "rb");
  struct stat info;
  if (!stream || fstat(fileno(stream), &info) != 0) {
    *reason = strerror(errno);
    if (stream) fclose(stream);
    return OK;
  }
  file->device = info.st_dev;
  file->inode = info.st_ino;
  Status status = OK;
  if (S_ISDIR(info.st_mode))
    *reason = "it is a directory";
  else
    status = read_stream(stream, max_size, file, err);
  if (ferror(stream)) *reason = "it cannot be read to its end";
  fclose(stream);
  if (*reason || status != OK) return status;
  if (file->size == 0) *reason = "it is empty";
  if (file->size > max_size) *reason = "it is too large";
  return OK;
}

void text_file_free(TextFile *file) {
  mem_free(file->data);
  *file = (TextFile){0};
}
