#define _DEFAULT_SOURCE // flock

#include "file/atomic.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"

enum { COPY_BLOCK = 65536 }; // [byte] large enough that the system calls do not show

static Status system_error(Err *err, const char *path, const char *doing, int error) {
  return err_set(err, ERR_SYSTEM, "%s: cannot %s: %s", path, doing, strerror(error));
}

Status atomic_open(AtomicFile *file, const char *path, Err *err) {
  memset(file, 0, sizeof *file);
  size_t length = strlen(path);
  if (length >= sizeof file->path) return system_error(err, path, "write", ENAMETOOLONG);
  memcpy(file->path, path, length + 1);
  snprintf(file->part, sizeof file->part, "%s.part", file->path);
  // Noticed now: otherwise the rename would fail after all the work of writing.
  if (folder_exists(path)) return system_error(err, path, "write", EISDIR);
  file->stream = fopen(file->part, "wb");
  if (!file->stream) return system_error(err, file->part, "write", errno);
  return OK;
}

static Status commit(AtomicFile *file, int sync, Err *err) {
  errno = 0;
  int failed = ferror(file->stream);
  if (fflush(file->stream) != 0) failed = 1;
  if (!failed && sync && fsync(fileno(file->stream)) != 0) failed = 1;
  int error = errno;
  // close reports what a network file system or a quota kept back until now
  if (fclose(file->stream) != 0 && !failed) {
    failed = 1;
    error = errno;
  }
  file->stream = NULL;
  if (!failed && rename(file->part, file->path) == 0) return OK;
  if (!failed) error = errno;
  remove(file->part);
  // A failed write whose reason is no longer known is nearly always a full disk.
  return system_error(err, file->path, "write", error ? error : ENOSPC);
}

Status atomic_commit(AtomicFile *file, Err *err) {
  return commit(file, 0, err);
}
Status atomic_commit_sync(AtomicFile *file, Err *err) {
  return commit(file, 1, err);
}

void atomic_abandon(AtomicFile *file) {
  if (!file->stream) return;
  fclose(file->stream);
  file->stream = NULL;
  remove(file->part);
}

Status folder_lock(int *lock, const char **missing, const char *path, Err *err) {
  *missing = NULL;
  *lock = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (*lock < 0) return system_error(err, path, "open folder", errno);
  int error = 0;
  while (flock(*lock, LOCK_EX | LOCK_NB) != 0 && (error = errno) == EINTR) error = 0;
  if (error != EWOULDBLOCK) {
    if (error) *missing = strerror(error);
    return OK;
  }
  folder_unlock(lock);
  return err_set(err, ERR_INPUT,
                 "another run writes into the folder '%s': wait until it has ended, or choose "
                 "another folder with -o",
                 path);
}

void folder_unlock(int *lock) {
  if (*lock >= 0) close(*lock);
  *lock = -1;
}

int folder_exists(const char *path) {
  struct stat info;
  return stat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

int file_exists(const char *path) {
  struct stat info;
  return stat(path, &info) == 0 && !S_ISDIR(info.st_mode);
}

int file_is_regular(const char *path) {
  struct stat info;
  return stat(path, &info) == 0 && S_ISREG(info.st_mode);
}

Status folder_make(const char *path, Err *err) {
  char prefix[FILE_PATH_SIZE];
  size_t length = strlen(path);
  if (length == 0) return system_error(err, "(empty path)", "make folder", ENOENT);
  if (length >= sizeof prefix) return system_error(err, path, "make folder", ENAMETOOLONG);
  for (size_t end = 1; end <= length; end++) {
    if (path[end] != '/' && path[end] != 0) continue;
    memcpy(prefix, path, end);
    prefix[end] = 0;
    if (folder_exists(prefix)) continue;
    if (mkdir(prefix, 0777) == 0) continue;
    int error = errno;
    // another process may have been faster
    if (error == EEXIST && folder_exists(prefix)) continue;
    return system_error(err, prefix, "make folder", error);
  }
  return OK;
}

Status file_join(char path[FILE_PATH_SIZE], const char *folder, const char *name, Err *err) {
  int n = snprintf(path, FILE_PATH_SIZE, "%s/%s", folder, name);
  if (n < 0 || n >= FILE_PATH_SIZE) return system_error(err, folder, "use", ENAMETOOLONG);
  return OK;
}

Status file_copy(const char *from, const char *to, Err *err) {
  char block[COPY_BLOCK];
  FILE *source = fopen(from, "rb");
  if (!source) return err_set(err, ERR_INPUT, "%s: cannot open: %s", from, strerror(errno));
  AtomicFile target;
  Status status = atomic_open(&target, to, err);
  if (status != OK) {
    fclose(source);
    return status;
  }
  size_t n;
  while ((n = fread(block, 1, sizeof block, source)) > 0)
    if (fwrite(block, 1, n, target.stream) != n) break;
  int read_error = ferror(source) ? (errno ? errno : EIO) : 0;
  fclose(source);
  if (read_error) {
    atomic_abandon(&target);
    return system_error(err, from, "read", read_error);
  }
  return atomic_commit(&target, err);
}

Status file_read(char **text, size_t *size, const char *path, Err *err) {
  *text = NULL;
  *size = 0;
  if (folder_exists(path))
    return err_set(err, ERR_INPUT, "%s: cannot open: %s", path, strerror(EISDIR));
  FILE *stream = fopen(path, "rb");
  if (!stream) return err_set(err, ERR_INPUT, "%s: cannot open: %s", path, strerror(errno));
  // The size is only a hint: a file may grow while it is read, and /proc and pipes say 0.
  struct stat info;
  size_t expected =
      fstat(fileno(stream), &info) == 0 && info.st_size > 0 ? (size_t)info.st_size : 0;
  size_t capacity = 0;
  void *block = NULL;
  Status status = mem_grow(&block, &capacity, expected + 2, 1, err);
  while (status == OK) {
    size_t n = fread((char *)block + *size, 1, capacity - *size - 1, stream);
    *size += n;
    if (n == 0) break;
    if (*size + 1 == capacity) status = mem_grow(&block, &capacity, capacity + 1, 1, err);
  }
  if (status == OK && ferror(stream)) status = system_error(err, path, "read", errno);
  fclose(stream);
  if (status != OK) {
    mem_free(block);
    *size = 0;
    return err ? err_note(err, "while reading %s", path) : status;
  }
  *text = block;
  (*text)[*size] = 0;
  return OK;
}

static int compare_names(const void *a, const void *b) {
  return strcmp(*(char *const *)a, *(char *const *)b);
}

Status folder_list(FolderList *list, const char *path, const char *pattern, Err *err) {
  memset(list, 0, sizeof *list);
  DIR *folder = opendir(path);
  if (!folder) return err_set(err, ERR_INPUT, "%s: cannot open: %s", path, strerror(errno));
  size_t capacity = 0;
  Status status = OK;
  for (struct dirent *entry; status == OK && (entry = readdir(folder));) {
    if (fnmatch(pattern, entry->d_name, FNM_PERIOD) != 0) continue;
    void *block = list->name;
    status = mem_grow(&block, &capacity, (size_t)list->n + 1, sizeof *list->name, err);
    list->name = block;
    if (status != OK) break;
    list->name[list->n] = mem_copy_text(entry->d_name);
    if (list->name[list->n])
      list->n++;
    else
      status = err_set(err, ERR_SYSTEM, "out of memory: names in %s", path);
  }
  closedir(folder);
  if (status != OK) {
    folder_list_free(list);
    return status;
  }
  if (list->n > 1) qsort(list->name, (size_t)list->n, sizeof *list->name, compare_names);
  return OK;
}

void folder_list_free(FolderList *list) {
  for (int k = 0; k < list->n; k++) mem_free(list->name[k]);
  mem_free(list->name);
  memset(list, 0, sizeof *list);
}
