#define _POSIX_C_SOURCE 200809L
#include "app/interrupt.h"

#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <time.h>
#include <unistd.h>

enum { EXIT_INTERRUPTED = 130 };

// What comes within this time belongs to the first: programs send it within milliseconds, fingers
// do not [ns]
static const int64_t TOGETHER = 500000000;

// All that a signal may touch; signals may come in several threads.
static volatile sig_atomic_t saves, asked;
static _Atomic int64_t first_at; // clock of the first Ctrl-C or SIGTERM [ns], 0: none

static int64_t clock_now(void) {
  struct timespec now = {0};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static void on_signal(int number) {
  static const char text[] = "interrupted: there was nothing to save yet\n";
  if (!saves) {
    ssize_t written = write(STDERR_FILENO, text, sizeof text - 1);
    (void)written; // where it cannot be told the process ends all the same
    _exit(EXIT_INTERRUPTED);
  }
  asked = 1;
  if (number != SIGINT && number != SIGTERM) return;
  int64_t first = 0, now = clock_now();
  // Who asks a second time does not want to wait for the step or the checkpoint (which stays that
  // before).
  if (!atomic_compare_exchange_strong(&first_at, &first, now) && now - first >= TOGETHER)
    _exit(EXIT_INTERRUPTED);
}

static void ours(sigset_t *set) {
  sigemptyset(set);
  sigaddset(set, SIGINT);
  sigaddset(set, SIGTERM);
  sigaddset(set, SIGUSR1);
  sigaddset(set, SIGHUP);
}

void interrupt_hold(void) {
  sigset_t mine;
  ours(&mine);
  sigprocmask(SIG_BLOCK, &mine, NULL);
}

void interrupt_catch(void) {
  struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_RESTART}, hang_up;
  sigset_t mine;
  sigemptyset(&action.sa_mask);
  sigaction(SIGINT, &action, NULL);
  sigaction(SIGTERM, &action, NULL);
  // Batch systems say so before they end a job. Under nohup a closed terminal is no reason to end.
  sigaction(SIGUSR1, &action, NULL);
  if (sigaction(SIGHUP, NULL, &hang_up) == 0 && hang_up.sa_handler != SIG_IGN)
    sigaction(SIGHUP, &action, NULL);
  // A file size limit is an ordinary error: write() reports it.
  signal(SIGXFSZ, SIG_IGN);
  ours(&mine); // who started the program may have kept them back, too
  sigprocmask(SIG_UNBLOCK, &mine, NULL);
}

void interrupt_save(void) {
  saves = 1;
}
void interrupt_ask(void) {
  asked = 1;
}
int interrupt_is_asked(void) {
  return asked;
}
