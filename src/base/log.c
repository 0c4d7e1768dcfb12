#include "base/log.h"

#include <stdarg.h>
#include <string.h>

static void end_progress(Log *log) {
  if (log->on_line) fputc('\n', log->stream);
  log->on_line = 0;
}

static LogWarning *find_kind(Log *log, const char *kind) {
  for (int k = 0; k < log->n_kinds; k++)
    if (strcmp(log->warning[k].kind, kind) == 0) return &log->warning[k];
  if (log->n_kinds == LOG_MAX_KINDS) return &log->warning[LOG_MAX_KINDS - 1];
  LogWarning *fresh = &log->warning[log->n_kinds++];
  *fresh = (LogWarning){.kind = kind};
  return fresh;
}

void log_warn(Log *log, const char *kind, const char *format, ...) {
  LogWarning *warning = find_kind(log, kind);
  if (warning->count++ > 0) return;
  va_list args;
  va_start(args, format);
  vsnprintf(warning->first, sizeof warning->first, format, args);
  va_end(args);
  if (!log->stream || log->quiet) return;
  end_progress(log);
  fprintf(log->stream, "warning: %s\n", warning->first);
}

void log_line(Log *log, const char *format, ...) {
  if (!log->stream || log->quiet) return;
  end_progress(log);
  va_list args;
  va_start(args, format);
  vfprintf(log->stream, format, args);
  va_end(args);
  fputc('\n', log->stream);
  fflush(log->stream);
}

void log_progress(Log *log, const char *text) {
  if (!log->stream || log->quiet) return;
  fprintf(log->stream, "\r%s\033[K", text);
  fflush(log->stream);
  log->on_line = 1;
}

int64_t log_count(const Log *log) {
  int64_t sum = 0;
  for (int k = 0; k < log->n_kinds; k++) sum += log->warning[k].count;
  return sum;
}

void log_sum_up(Log *log) {
  for (int k = 0; k < log->n_kinds; k++)
    if (log->warning[k].count > 1)
      log_line(log, "warning '%s' came %lld times, first: %s", log->warning[k].kind,
               (long long)log->warning[k].count, log->warning[k].first);
}
