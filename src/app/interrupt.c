#define _POSIX_C_SOURCE 200809L
#include "app/interrupt.h"

#include <signal.h>
#include <unistd.h>

enum { EXIT_INTERRUPTED = 130 };

// All that a signal may touch.
static volatile sig_atomic_t saves, asked;

static void on_signal(int number) {
  static const char text[] = "interrupted: there was nothing to save yet\n";
  if (!saves) {
    if (write(STDERR_FILENO, text, sizeof text - 1) < 0) _exit(EXIT_INTERRUPTED);
    _exit(EXIT_INTERRUPTED);
  }
  // Who asks a second time does not want to wait for the step or the checkpoint (which stays that before).
  if (asked && (number == SIGINT || number == SIGTERM)) _exit(EXIT_INTERRUPTED);
  asked = 1;
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
  // Who started the program may have kept them back, and would for all threads.
  sigemptyset(&mine);
  sigaddset(&mine, SIGINT);
  sigaddset(&mine, SIGTERM);
  sigaddset(&mine, SIGUSR1);
  sigaddset(&mine, SIGHUP);
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
