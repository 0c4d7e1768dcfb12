// app/compare.h -- `voussoir compare`: has anything changed against a stored reference?
//
// A reference is the folder of another run, or a small folder of text files made by --bless:
//   history*.csv    some rows of the histories, first and last among them
//   summary.json    what does not depend on the machine
//   fields.csv      values of the last file of the series `bodies` at some points and cell centres:
//                   columns on_cells, index, x, y, z, then one for each component of each array
//                   ("stress.xx"); nan where an array is not defined
//   tolerances.txt  by hand: lines "PATTERN RELATIVE ABSOLUTE REASON", ABSOLUTE may be "-"
//   reason.txt      why the reference was made and changed, one line each time
//
// Quantities are named FILE/NAME: history/time, summary/energy.kinetic, bodies/stress. A pattern
// (glob, '*' stops at '/') is matched against the whole name and against NAME alone. The last
// match counts, in the order: table of compare.c, tolerances.txt, command line. A value agrees when
//     |value - expected| <= relative * |expected| + absolute
// where absolute, unless given, is relative times the largest |expected| of the quantity: of its
// column, of all components of its array, of its group in summary.json.

#ifndef APP_COMPARE_H
#define APP_COMPARE_H

#include "base/err.h"

enum { COMPARE_NAME = 160, COMPARE_TEXT = 160 };

typedef struct {
  char pattern[COMPARE_NAME];
  double relative, absolute; // absolute < 0: from the largest value, see above
  char reason[COMPARE_TEXT];
} CompareRule;

// One quantity; the numbers are those of its worst entry (largest difference in tolerances).
typedef struct {
  char name[COMPARE_NAME];
  long n_entries, n_different; // no entries: missing (different) or
                               // not compared (not different); `where` says why
  double value, expected, difference, tolerance;
  char where[COMPARE_TEXT]; // step and time, or point and coordinates
  CompareRule rule;         // that was applied
} CompareRow;

typedef struct {
  int n_rows, n_different; // quantities
  CompareRow *row;         // [n_rows] in the order of the files of the reference
} CompareReport;

// Bounds as text, as in tolerances.txt; absolute NULL or "-": not given. Returns 0 if one is wrong.
int compare_set_rule(CompareRule *rule, const char *pattern, const char *relative,
                     const char *absolute);

typedef struct {
  const char *folder, *reference;
  const CompareRule *rules; // of the command line; the last match counts
  int n_rules;
} CompareSettings;

// OK also where they differ: see n_different. A folder or file that is missing or damaged is
// ERR_INPUT; a column or array that is missing in `folder` is a difference; more columns are fine.
Status compare_folders(CompareReport *report, const CompareSettings *settings, Err *err) MUST_CHECK;
void compare_free(CompareReport *report);

// Makes `reference` from the results in `folder`. It keeps tolerances.txt, refuses to write into a
// folder that holds results of a run, and refuses an empty reason.
Status compare_bless(const char *folder, const char *reference, const char *reason,
                     Err *err) MUST_CHECK;

// Whether an entry of summary.json (path such as "seconds.wall") depends on the machine, the moment
// or the build, so that it is neither compared nor put into references.
int compare_ignores(const char *summary_path);

// argv[0] is "compare". Returns the exit code: 0 equal, 1 different, 2 wrong call or files, 3
// system.
int compare_main(int argc, char **argv);

#endif
