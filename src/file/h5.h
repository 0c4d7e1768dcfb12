// file/h5.h -- the door to HDF5: named arrays in, named arrays out.
//
// Files are written under a temporary name and renamed (see atomic.h); object times are not
// tracked, so equal runs write equal bytes. HDF5's own error stack is silenced; messages name file
// and dataset.

#ifndef FILE_H5_H
#define FILE_H5_H

#include <stdint.h>

#include "base/field.h"

typedef struct H5File H5File;

Status h5_create(H5File **file, const char *path, Err *err) MUST_CHECK;
Status h5_open(H5File **file, const char *path, Err *err) MUST_CHECK; // "not HDF5" is ERR_INPUT
Status h5_commit(H5File *file, Err *err) MUST_CHECK; // of a created file: flush, close, rename
void h5_close(H5File *file);                         // of an opened file; abandons a created one

// Path such as "fclib_local/W/x"; groups are created on the way.
Status h5_write(H5File *file, const char *path, FieldType type, const void *data, int64_t count,
                Err *err) MUST_CHECK;
Status h5_write_text(H5File *file, const char *path, const char *text, Err *err) MUST_CHECK;
int h5_has(const H5File *file, const char *path);
// Number of items of a dataset of any rank and numeric type (converted on reading).
Status h5_count(const H5File *file, const char *path, int64_t *count, Err *err) MUST_CHECK;
Status h5_read(const H5File *file, const char *path, FieldType type, void *data, int64_t count,
               Err *err) MUST_CHECK;
Status h5_read_text(const H5File *file, const char *path, char *text, size_t size,
                    Err *err) MUST_CHECK;

const char *h5_version(void);

#endif
