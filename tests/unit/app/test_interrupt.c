#define _POSIX_C_SOURCE 200809L
#include <criterion/criterion.h>

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "app/interrupt.h"

enum { ALIVE = 7, ASKED = 8 };

// Exit code of a process that gets these signals: ALIVE or ASKED where it comes to its end.
static int after(int saves, const int *signals, int n, int again) {
  pid_t child = fork();
  if (child == 0) {
    int nowhere = open("/dev/null", O_WRONLY);
    dup2(nowhere, STDERR_FILENO);
    signal(SIGHUP, SIG_DFL);
    interrupt_catch();
    if (saves) interrupt_save();
    for (int k = 0; k < n; k++) raise(signals[k]);
    while (again) raise(again);
    _exit(interrupt_is_asked() ? ASKED : ALIVE);
  }
  int status = 0;
  cr_assert_eq(waitpid(child, &status, 0), child);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static const int all[] = {SIGINT, SIGTERM, SIGHUP, SIGUSR1};
enum { N_ALL = sizeof all / sizeof all[0] };

Test(interrupt, ends_the_process_while_there_is_nothing_to_save) {
  cr_assert_eq(after(0, NULL, 0, 0), ALIVE);
  for (int k = 0; k < N_ALL; k++) cr_assert_eq(after(0, &all[k], 1, 0), 130, "signal %d", all[k]);
}

Test(interrupt, asks_once_there_is) {
  cr_assert_eq(after(1, NULL, 0, 0), ALIVE);
  for (int k = 0; k < N_ALL; k++) cr_assert_eq(after(1, &all[k], 1, 0), ASKED, "signal %d", all[k]);
}

// timeout(1) sends its signal to the process and to its group, batch systems a warning before,
// terminals a SIGHUP.
Test(interrupt, takes_signals_that_come_together_for_one) {
  for (int k = 0; k < N_ALL; k++)
    for (int l = 0; l < N_ALL; l++) {
      const int both[] = {all[k], all[l]};
      cr_assert_eq(after(1, both, 2, 0), ASKED, "signals %d and %d", all[k], all[l]);
    }
}

Test(interrupt, ends_the_process_when_it_is_asked_again) {
  cr_assert_eq(after(1, NULL, 0, SIGTERM), 130);
  cr_assert_eq(after(1, NULL, 0, SIGINT), 130);
}
