#define _POSIX_C_SOURCE 200809L // sigaction, fork
#include "file/guard.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#ifdef __SANITIZE_ADDRESS__
void __sanitizer_set_report_path(const char *path); // of the sanitizer's runtime
#endif

// What reading a sound file may take: packed data grow, and are held in two or three forms.
static const rlim_t MEMORY_LEAST = (rlim_t)4 << 30; // [byte] beyond what the process has already
static const rlim_t MEMORY_PER_BYTE = 64;           // more for each byte of the file
static const rlim_t SECONDS_LEAST = 10;             // [s] of the processor
static const rlim_t BYTES_PER_SECOND = 4 << 20;     // slower than any disk or unpacking

typedef enum { CHILD_NONE, CHILD_DIED, CHILD_ANSWERED } Child;

// Address space of the process now [byte], 0 where the system does not tell.
static rlim_t address_space(void) {
  unsigned long long pages = 0;
  FILE *stream = fopen("/proc/self/statm", "r");
  if (!stream) return 0;
  int found = fscanf(stream, "%llu", &pages);
  fclose(stream);
  return found == 1 ? (rlim_t)pages * (rlim_t)sysconf(_SC_PAGESIZE) : 0;
}

static void lower_limit(int which, rlim_t value) {
  struct rlimit limit;
  if (getrlimit(which, &limit) != 0) return;
  if (limit.rlim_cur == RLIM_INFINITY || limit.rlim_cur > value) limit.rlim_cur = value;
  setrlimit(which, &limit);
}

// A crash of the child ends the child: no handler of the program, no core, no word on the terminal.
static void confine(const char *path) {
  static const int deadly[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGXCPU, SIGPIPE};
  struct sigaction action = {.sa_handler = SIG_DFL};
  for (size_t k = 0; k < sizeof deadly / sizeof deadly[0]; k++) sigaction(deadly[k], &action, NULL);
  struct stat info;
  rlim_t size = stat(path, &info) == 0 && info.st_size > 0 ? (rlim_t)info.st_size : 0;
  rlim_t held = address_space();
  lower_limit(RLIMIT_CORE, 0);
  lower_limit(RLIMIT_CPU, SECONDS_LEAST + size / BYTES_PER_SECOND);
  if (held > 0) lower_limit(RLIMIT_AS, held + MEMORY_LEAST + MEMORY_PER_BYTE * size);
  int nowhere = open("/dev/null", O_WRONLY);
  if (nowhere >= 0) dup2(nowhere, STDERR_FILENO);
#ifdef __SANITIZE_ADDRESS__
  __sanitizer_set_report_path("stderr"); // what the library does in the child is its own affair
#endif
}

// Never returns. The answer is the whole Err, written at once.
static void answer(int pipe_end, const char *path, GuardedRead *read, void *context) {
  Err err = {0};
  confine(path);
  err.status = read(context, &err);
  ssize_t written;
  do written = write(pipe_end, &err, sizeof err);
  while (written < 0 && errno == EINTR);
  _exit(0);
}

static Child try_in_child(const char *path, GuardedRead *read_file, void *context, Err *found) {
  int ends[2];
  if (pipe(ends) != 0) return CHILD_NONE;
  pid_t child = fork();
  if (child < 0) {
    close(ends[0]);
    close(ends[1]);
    return CHILD_NONE;
  }
  if (child == 0) answer(ends[1], path, read_file, context);
  close(ends[1]);
  size_t held = 0;
  while (held < sizeof *found) {
    ssize_t more = read(ends[0], (char *)found + held, sizeof *found - held);
    if (more < 0 && errno == EINTR) continue;
    if (more <= 0) break;
    held += (size_t)more;
  }
  close(ends[0]);
  // what it died of does not matter: it has answered or not
  while (waitpid(child, NULL, 0) < 0 && errno == EINTR) continue;
  return held == sizeof *found ? CHILD_ANSWERED : CHILD_DIED;
}

#ifdef FUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION // fuzzers give it sound files, a thousand a second
Status guard_read(const char *path, GuardedRead *read, void *context, Err *err) {
  (void)path, (void)try_in_child;
  return read(context, err);
}
#else
Status guard_read(const char *path, GuardedRead *read, void *context, Err *err) {
  Err found = {0};
  Child child = try_in_child(path, read, context, &found);
  if (child == CHILD_DIED)
    return err_set(err, ERR_INPUT, "'%s' is damaged: the HDF5 library fails on it", path);
  if (child == CHILD_ANSWERED && found.status == ERR_INPUT) {
    if (err) *err = found;
    return ERR_INPUT;
  }
  return read(context, err);
}
#endif
