// file/h5.h -- the door to HDF5: named arrays in, named arrays out.
//
// A file is built in memory and written at the commit, under a temporary name that is then renamed
// (see atomic.h): the disk is never HDF5's business, so a full one is an ordinary error. Object
// times are not tracked: equal runs write equal bytes. HDF5's own error stack is silenced; messages
// name file and dataset. What is damaged, missing or of a wrong kind is ERR_INPUT.

#ifndef FILE_H5_H
#define FILE_H5_H

#include <stdint.h>

#include "base/field.h"

typedef struct H5File H5File;

Status h5_create(H5File **file, const char *path, Err *err) MUST_CHECK;
Status h5_open(H5File **file, const char *path, Err *err) MUST_CHECK; // "not HDF5" is ERR_INPUT
// Of a created file: to the disk, rename. The handle is gone afterwards, whatever it returns.
Status h5_commit(H5File *file, Err *err) MUST_CHECK;
void h5_close(H5File *file); // of an opened file; abandons a created one; NULL is fine

// Path such as "fclib_local/W/x"; groups are created on the way. A path is written once.
Status h5_write(H5File *file, const char *path, FieldType type, const void *data, int64_t count,
                Err *err) MUST_CHECK;
Status h5_write_text(H5File *file, const char *path, const char *text, Err *err) MUST_CHECK;
int h5_has(const H5File *file, const char *path);
// Number of items of a dataset of any rank and numeric type (converted on reading; a value that
// the wanted type cannot hold is an error, rounding of large integers to double is not).
Status h5_count(H5File *file, const char *path, int64_t *count, Err *err) MUST_CHECK;
Status h5_read(H5File *file, const char *path, FieldType type, void *data, int64_t count,
               Err *err) MUST_CHECK;
// Bytes that a text of fixed length takes, its zero included; no more than the file has.
Status h5_text_size(const H5File *file, const char *path, size_t *size, Err *err) MUST_CHECK;
// Fixed or variable length; ERR_INPUT when it does not fit into `size` bytes with its zero.
Status h5_read_text(const H5File *file, const char *path, char *text, size_t size,
                    Err *err) MUST_CHECK;

const char *h5_version(void);

#endif
