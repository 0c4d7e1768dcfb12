// support/scratch_path.h -- where tests keep their scratch: the folder of TMPDIR, else /var/tmp.
#ifndef SUPPORT_SCRATCH_PATH_H
#define SUPPORT_SCRATCH_PATH_H

#include <stdio.h>
#include <stdlib.h>

// "FOLDER/voussoir_NAME_XXXXXX", a template for mkstemp and mkdtemp.
static inline void scratch_path(char *path, size_t size, const char *name) {
  const char *folder = getenv("TMPDIR");
  snprintf(path, size, "%s/voussoir_%s_XXXXXX", folder && folder[0] ? folder : "/var/tmp", name);
}

#endif
