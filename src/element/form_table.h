// element/form_table.h -- the rows of the table of formulations, one line each.
#ifndef ELEMENT_FORM_TABLE_H
#define ELEMENT_FORM_TABLE_H

#include "element/form.h"

extern const FormType form_solid, form_shell_ebst, form_shell_mitc4;

#endif
