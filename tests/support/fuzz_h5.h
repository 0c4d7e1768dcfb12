// support/fuzz_h5.h -- sound HDF5 files with contents that nobody wrote: what fuzzers of FCLIB
// files and checkpoints make of bytes. The library's own reading of damaged files is not what they
// look at (file/guard.h).
#ifndef SUPPORT_FUZZ_H5_H
#define SUPPORT_FUZZ_H5_H

#include <hdf5.h>

#include "fuzz_file.h"

// A file as it was written, and where its datasets lie in it.
enum { FUZZ_SETS = 96, FUZZ_NAME = 96, FUZZ_LARGEST = 1 << 18 };
typedef struct {
  uint8_t byte[FUZZ_LARGEST];
  size_t size;
  int n;
  struct {
    char name[FUZZ_NAME];
    size_t at, n_bytes, item; // in the file; bytes of the data and of an item of them
    int real;
  } set[FUZZ_SETS];
} FuzzImage;

static herr_t fuzz_note(hid_t root, const char *name, const H5O_info_t *info, void *context) {
  FuzzImage *image = context;
  if (info->type != H5O_TYPE_DATASET || image->n == FUZZ_SETS) return 0;
  hid_t set = H5Dopen2(root, name, H5P_DEFAULT), type = H5Dget_type(set);
  snprintf(image->set[image->n].name, FUZZ_NAME, "%s", name);
  haddr_t at = H5Dget_offset(set);
  image->set[image->n].n_bytes = at == HADDR_UNDEF ? 0 : (size_t)H5Dget_storage_size(set);
  image->set[image->n].at = (size_t)at;
  image->set[image->n].item = H5Tget_size(type);
  image->set[image->n++].real = H5Tget_class(type) == H5T_FLOAT;
  H5Tclose(type);
  H5Dclose(set);
  return 0;
}

static inline void fuzz_image(FuzzImage *image, const char *path) {
  H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
  // HDF5 keeps what it has taken for the next file: its cache alone is half a megabyte, mapped and
  // cleared each time
  H5set_free_list_limits(-1, -1, -1, -1, -1, -1);
  hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
  H5Ovisit2(file, H5_INDEX_NAME, H5_ITER_NATIVE, fuzz_note, image, H5O_INFO_BASIC);
  H5Fclose(file);
  FILE *stream = fopen(path, "rb");
  if (!stream || (image->size = fread(image->byte, 1, FUZZ_LARGEST, stream)) == FUZZ_LARGEST)
    abort();
  fclose(stream);
  remove(path);
}

// A bit or a number becomes another one: no business of HDF5, and a thousand a second.
static inline void fuzz_change_item(const FuzzImage *image, int k, uint8_t *byte,
                                    FuzzBytes *bytes) {
  static const double odd[] = {
      0, -1, 1, 2, 1e308, -1e-308, 2147483648.0, (double)NAN, (double)INFINITY};
  size_t item = image->set[k].item, n = image->set[k].n_bytes / item;
  if (n == 0) return;
  uint8_t *at = byte + image->set[k].at + item * ((size_t)fuzz_integer(bytes, 0, 65535) % n);
  int what = fuzz_byte(bytes);
  if (image->set[k].real && item == sizeof *odd && what % 16 < 9)
    memcpy(at, &odd[what % 16], item);
  else
    at[(size_t)what / 8 % item] ^= (uint8_t)(1 << what % 8);
}

// The dataset gets another length (the new items are zero), or goes.
static inline void fuzz_change_length(hid_t file, const char *name, int longer, FuzzBytes *bytes) {
  if (H5Lexists(file, name, H5P_DEFAULT) <= 0) return;
  hid_t set = H5Dopen2(file, name, H5P_DEFAULT), type = H5Dget_type(set), space = H5Dget_space(set);
  hsize_t n = (hsize_t)H5Sget_simple_extent_npoints(space), some = (hsize_t)fuzz_byte(bytes);
  hsize_t wanted = longer ? n + 1 + some % 4 : n > 0 ? some % n : 0;
  char *data = calloc((size_t)(n + 8), H5Tget_size(type));
  if (!data || (n > 0 && H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data) < 0)) abort();
  H5Sclose(space);
  H5Dclose(set);
  H5Ldelete(file, name, H5P_DEFAULT);
  if (longer || wanted > 0) {
    space = H5Screate_simple(1, &wanted, NULL);
    set = H5Dcreate2(file, name, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    if (set < 0 || H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data) < 0) abort();
    H5Sclose(space);
    H5Dclose(set);
  }
  H5Tclose(type);
  free(data);
}

// Writes the image to `path` with up to four changes that the bytes ask for.
static inline void fuzz_image_write(const FuzzImage *image, const char *path, FuzzBytes *bytes) {
  static uint8_t byte[FUZZ_LARGEST];
  int lengths = fuzz_byte(bytes) % 8 == 1;
  memcpy(byte, image->byte, image->size);
  for (int k = 0; k < 4 && bytes->size > 0 && !lengths; k++)
    fuzz_change_item(image, fuzz_byte(bytes) % image->n, byte, bytes);
  fuzz_write(path, byte, image->size);
  if (!lengths) return;
  hid_t file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT);
  for (int k = 0; k < 2 && bytes->size > 0; k++)
    fuzz_change_length(file, image->set[fuzz_byte(bytes) % image->n].name, fuzz_byte(bytes) & 1,
                       bytes);
  if (H5Fclose(file) < 0) abort();
}

#endif
