// base/param.h -- what a parameter of an element, law, material or solver is: one table entry.
//
// The reader, the checks, the XSD, `voussoir list` and the reference page are all made from these
// entries, so a parameter is described once, beside the code that uses it.

#ifndef BASE_PARAM_H
#define BASE_PARAM_H

#include <stddef.h>

typedef enum {
  PARAM_REAL,     // expression of named parameters, evaluated once
  PARAM_INTEGER,  // the same, must be a whole number
  PARAM_BOOL,     // yes | no
  PARAM_CHOICE,   // one of `choices`, a '|' separated list
  PARAM_TEXT,     // any text
  PARAM_NAME,     // declares a name (unique among elements of its class)
  PARAM_REF,      // refers to a declared name of one of the classes in `choices` ('|' separated)
  PARAM_FUNCTION, // expression of time t [s], checked over the run
  PARAM_FILE,     // path of a file, relative to the file that names it
  PARAM_LIST,     // reals separated by white space, each an expression
  PARAM_COUNTS    // the same, each must be a whole number
} ParamType;

typedef struct {
  const char *name;    // attribute
  ParamType type;      //
  const char *unit;    // SI unit, "1" for none, "" where it makes no sense
  const char *initial; // default as one would write it; NULL: the attribute is required;
                       // "" : optional without default (its absence means something)
  const char *bounds;  // interval in mathematical notation, e.g. "]0,inf[", "[0,1]"; NULL: none
  const char *choices; // see ParamType
  const char *doc;     // one sentence, without full stop
} ParamSpec;

#endif
