// app/interrupt.h -- Ctrl-C, SIGTERM, SIGHUP and the signals of batch systems.
//
// Until there is something to save, the first of them ends the process with 130; from then on it
// asks the run to end, and a second Ctrl-C or SIGTERM ends the process in whatever it is, also in a
// library that does not come back. Two that come together are one: timeout(1) sends its signal to
// the process and to its group.
#ifndef APP_INTERRUPT_H
#define APP_INTERRUPT_H

// Called before any library starts: signals wait until interrupt_catch, and threads that libraries
// start take none.
void interrupt_hold(void);
void interrupt_catch(void);   // called first thing in main
void interrupt_save(void);    // from now on there is something to save
void interrupt_ask(void);     // as if a signal had come
int interrupt_is_asked(void); // has one come?

#endif
