#include "file/h5.h"

#include <assert.h>
#include <errno.h>
#include <hdf5.h>
#include <string.h>

#include "base/mem.h"
#include "file/atomic.h"

enum {
  MEMORY_STEP = 1 << 20 // [byte] by which the file in memory grows: few moves, little waste
};

// What an open file takes beside its data, with a margin: where HDF5 1.10 gets less it crashes, now
// or later.
static const size_t ROOM = 16 << 20; // [byte]

// A dataset open for reading.
typedef struct {
  hid_t set, type, space;
  int64_t count;
} Opened;

enum { KEPT_SIZE = 200 }; // of a path; a longer one is opened twice

struct H5File {
  hid_t id;
  char kept_path
      [KEPT_SIZE]; // of the dataset whose items were counted, which is mostly read next; "": none
  Opened kept;
  char path[FILE_PATH_SIZE];
  int created;
  AtomicFile atomic; // of a created file
};

// HDF5 would print its stack on stderr for each dataset that is not there.
static void silence(void) {
  H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
}

static hid_t file_type(FieldType type) {
  static_assert(FIELD_F64 == 0 && FIELD_I32 == 1 && FIELD_I64 == 2, "order of the types");
  return type == FIELD_F64 ? H5T_IEEE_F64LE : type == FIELD_I32 ? H5T_STD_I32LE : H5T_STD_I64LE;
}

static hid_t memory_type(FieldType type) {
  return type == FIELD_F64   ? H5T_NATIVE_DOUBLE
         : type == FIELD_I32 ? H5T_NATIVE_INT32
                             : H5T_NATIVE_INT64;
}

static Status need_room(const char *path, size_t more, Err *err) {
  if (mem_has_room(ROOM + more)) return OK;
  return err_set(err, ERR_SYSTEM, "out of memory: HDF5 needs %zu MB for %s", (ROOM + more) >> 20,
                 path);
}

static Status new_file(H5File **file, const char *path, Err *err) {
  *file = NULL;
  TRY(need_room(path, 0, err));
  silence();
  if (strlen(path) >= FILE_PATH_SIZE)
    return err_set(err, ERR_SYSTEM, "%s: cannot open: %s", path, strerror(ENAMETOOLONG));
  MEM_NEW(*file, 1, err);
  snprintf((*file)->path, sizeof(*file)->path, "%s", path);
  (*file)->id = H5I_INVALID_HID;
  return OK;
}

Status h5_create(H5File **file, const char *path, Err *err) {
  TRY(new_file(file, path, err));
  H5File *made = *file;
  made->created = 1;
  // opened now, so that a folder that cannot be written is noticed before the work is done
  Status status = atomic_open(&made->atomic, path, err);
  if (status == OK) {
    // HDF5 looks whether the name exists, although it will never write it
    char name[FILE_PATH_SIZE + 16];
    snprintf(name, sizeof name, "%s.memory", path);
    hid_t access = H5Pcreate(H5P_FILE_ACCESS);
    H5Pset_fapl_core(access, MEMORY_STEP, 0);
    H5Pset_fclose_degree(access, H5F_CLOSE_STRONG);
    made->id = H5Fcreate(name, H5F_ACC_TRUNC, H5P_DEFAULT, access);
    H5Pclose(access);
    if (made->id < 0) status = err_set(err, ERR_SYSTEM, "%s: HDF5 cannot create a file", path);
  }
  if (status == OK) return OK;
  h5_close(made);
  *file = NULL;
  return status;
}

Status h5_open(H5File **file, const char *path, Err *err) {
  TRY(new_file(file, path, err));
  Status status = OK;
  FILE *probe = fopen(path, "rb");
  if (!probe)
    status = err_set(err, ERR_INPUT, "%s: cannot open: %s", path, strerror(errno));
  else
    fclose(probe);
  if (status == OK) {
    hid_t access = H5Pcreate(H5P_FILE_ACCESS);
    H5Pset_fclose_degree(access, H5F_CLOSE_STRONG);
    // some network file systems have no locks; we only read, and files of ours appear whole
    H5Pset_file_locking(access, 0, 1);
    (*file)->id = H5Fopen(path, H5F_ACC_RDONLY, access);
    H5Pclose(access);
    if ((*file)->id < 0) status = err_set(err, ERR_INPUT, "%s: not a sound HDF5 file", path);
  }
  if (status == OK) return OK;
  h5_close(*file);
  *file = NULL;
  return status;
}

static Status write_image(H5File *file, Err *err) {
  if (H5Fflush(file->id, H5F_SCOPE_GLOBAL) < 0)
    return err_set(err, ERR_SYSTEM, "%s: HDF5 cannot complete the file", file->path);
  ssize_t size = H5Fget_file_image(file->id, NULL, 0);
  if (size <= 0) return err_set(err, ERR_SYSTEM, "%s: HDF5 hands out no file", file->path);
  char *image = mem_new((size_t)size, 1);
  if (!image)
    return err_set(err, ERR_SYSTEM, "out of memory: %zd bytes to write %s", size, file->path);
  Status status = OK;
  if (H5Fget_file_image(file->id, image, (size_t)size) != size)
    status = err_set(err, ERR_SYSTEM, "%s: HDF5 hands out no file", file->path);
  else
    fwrite(image, 1, (size_t)size, file->atomic.stream); // errors are kept for the commit
  mem_free(image);
  return status;
}

Status h5_commit(H5File *file, Err *err) {
  Status status = write_image(file, err);
  if (status == OK) status = atomic_commit_sync(&file->atomic, err);
  h5_close(file);
  return status;
}

static void close_set(Opened *opened) {
  if (opened->space >= 0) H5Sclose(opened->space);
  if (opened->type >= 0) H5Tclose(opened->type);
  if (opened->set >= 0) H5Dclose(opened->set);
}

static void let_go(H5File *file) {
  if (*file->kept_path) close_set(&file->kept);
  *file->kept_path = 0;
}

void h5_close(H5File *file) {
  if (!file) return;
  let_go(file);
  if (file->id >= 0) H5Fclose(file->id);
  if (file->created) atomic_abandon(&file->atomic);
  mem_free(file);
}

// Takes ownership of type and space.
static Status write_dataset(H5File *file, const char *path, hid_t type[2], hid_t space,
                            const void *data, Err *err) {
  hid_t link = H5Pcreate(H5P_LINK_CREATE), create = H5Pcreate(H5P_DATASET_CREATE);
  H5Pset_create_intermediate_group(link, 1);
  H5Pset_obj_track_times(create, 0);
  hid_t set = H5Dcreate2(file->id, path, type[0], space, link, create, H5P_DEFAULT);
  int failed = set < 0;
  if (!failed && H5Sget_simple_extent_npoints(space) > 0)
    failed = H5Dwrite(set, type[1], H5S_ALL, H5S_ALL, H5P_DEFAULT, data) < 0;
  if (set >= 0 && H5Dclose(set) < 0) failed = 1;
  H5Pclose(link);
  H5Pclose(create);
  if (!failed) return OK;
  return err_set(err, ERR_SYSTEM, "%s: HDF5 cannot write dataset '%s'", file->path, path);
}

Status h5_write(H5File *file, const char *path, FieldType type, const void *data, int64_t count,
                Err *err) {
  hsize_t size = (hsize_t)count;
  TRY(need_room(file->path, (size_t)count * field_item_size(type),
                err)); // the file in memory grows
  hid_t space = H5Screate_simple(1, &size, NULL);
  hid_t types[2] = {file_type(type), memory_type(type)};
  Status status = write_dataset(file, path, types, space, data, err);
  H5Sclose(space);
  return status;
}

Status h5_write_text(H5File *file, const char *path, const char *text, Err *err) {
  TRY(need_room(file->path, strlen(text), err));
  hid_t space = H5Screate(H5S_SCALAR), type = H5Tcopy(H5T_C_S1);
  H5Tset_size(type, strlen(text) + 1);
  hid_t types[2] = {type, type};
  Status status = write_dataset(file, path, types, space, text, err);
  H5Tclose(type);
  H5Sclose(space);
  return status;
}

int h5_has(const H5File *file, const char *path) {
  char prefix[FILE_PATH_SIZE];
  size_t length = strlen(path);
  if (length == 0 || length >= sizeof prefix) return 0;
  // HDF5 answers for one link only: each group on the way must be asked for
  for (size_t end = 1; end <= length; end++) {
    if (path[end] != '/' && path[end] != 0) continue;
    memcpy(prefix, path, end);
    prefix[end] = 0;
    if (H5Lexists(file->id, prefix, H5P_DEFAULT) <= 0) return 0;
  }
  return H5Oexists_by_name(file->id, path, H5P_DEFAULT) > 0;
}

static Status open_set(const H5File *file, const char *path, Opened *opened, Err *err) {
  *opened = (Opened){H5I_INVALID_HID, H5I_INVALID_HID, H5I_INVALID_HID, 0};
  if (!h5_has(file, path)) return err_set(err, ERR_INPUT, "%s: no dataset '%s'", file->path, path);
  opened->set = H5Dopen2(file->id, path, H5P_DEFAULT);
  if (opened->set >= 0) {
    opened->type = H5Dget_type(opened->set);
    opened->space = H5Dget_space(opened->set);
  }
  if (opened->type >= 0 && opened->space >= 0)
    opened->count = H5Sget_simple_extent_npoints(opened->space);
  if (opened->type >= 0 && opened->space >= 0 && opened->count >= 0) return OK;
  close_set(opened);
  return err_set(err, ERR_INPUT, "%s: '%s' is not a sound dataset", file->path, path);
}

// A damaged header may promise more than the file can hold; chunks may be compressed and are
// believed.
static int is_too_large(const H5File *file, const Opened *opened) {
  hsize_t file_size = 0;
  size_t item = H5Tget_size(opened->type); // 0 of a damaged type
  if (item == 0) return 1;
  hid_t create = H5Dget_create_plist(opened->set);
  H5D_layout_t layout = create >= 0 ? H5Pget_layout(create) : H5D_LAYOUT_ERROR;
  if (create >= 0) H5Pclose(create);
  if (layout == H5D_CHUNKED) return 0;
  // HDF5 1.10 reads through NULL where the data inside a header are shorter than their extent.
  if (layout == H5D_COMPACT && H5Dget_storage_size(opened->set) / item < (hsize_t)opened->count)
    return 1;
  if (H5Fget_filesize(file->id, &file_size) < 0) return 1;
  return (hsize_t)opened->count > file_size / item;
}

static Status open_numbers(H5File *file, const char *path, Opened *opened, Err *err) {
  if (strcmp(path, file->kept_path) == 0 && *path) {
    *opened = file->kept;
    *file->kept_path = 0;
    return OK;
  }
  TRY(open_set(file, path, opened, err));
  H5T_class_t kind = H5Tget_class(opened->type);
  Status status = OK;
  if (kind != H5T_INTEGER && kind != H5T_FLOAT && kind != H5T_ENUM)
    status = err_set(err, ERR_INPUT, "%s: dataset '%s' holds no numbers", file->path, path);
  else if (!file->created && is_too_large(file, opened))
    status = err_set(err, ERR_INPUT, "%s: dataset '%s' is larger than the file", file->path, path);
  if (status != OK) close_set(opened);
  return status;
}

Status h5_count(H5File *file, const char *path, int64_t *count, Err *err) {
  Opened opened;
  *count = 0;
  TRY(open_numbers(file, path, &opened, err));
  *count = opened.count;
  let_go(file);
  file->kept = opened;
  if (strlen(path) < KEPT_SIZE)
    snprintf(file->kept_path, KEPT_SIZE, "%s", path);
  else
    close_set(&opened);
  return OK;
}

// HDF5 by itself would clip silently what the wanted type cannot hold.
static H5T_conv_ret_t refuse_loss(H5T_conv_except_t what, hid_t from, hid_t to, void *from_value,
                                  void *to_value, void *user) {
  (void)from, (void)to, (void)from_value, (void)to_value, (void)user;
  return what == H5T_CONV_EXCEPT_PRECISION ? H5T_CONV_UNHANDLED : H5T_CONV_ABORT;
}

Status h5_read(H5File *file, const char *path, FieldType type, void *data, int64_t count,
               Err *err) {
  Opened opened;
  TRY(open_numbers(file, path, &opened, err));
  Status status = OK;
  if (opened.count != count) {
    status = err_set(err, ERR_INPUT, "%s: dataset '%s' has %lld items, %lld expected", file->path,
                     path, (long long)opened.count, (long long)count);
  } else if (count > 0) {
    hid_t transfer = H5Pcreate(H5P_DATASET_XFER);
    H5Pset_type_conv_cb(transfer, refuse_loss, NULL);
    if (H5Dread(opened.set, memory_type(type), H5S_ALL, H5S_ALL, transfer, data) < 0)
      status = err_set(err, ERR_INPUT, "%s: dataset '%s' is damaged or exceeds its type",
                       file->path, path);
    H5Pclose(transfer);
  }
  close_set(&opened);
  return status;
}

static int read_fixed(const Opened *opened, char *text, size_t size, int *fits) {
  size_t longest = H5Tget_size(opened->type);
  if (H5Tget_strpad(opened->type) == H5T_STR_NULLTERM) longest--; // its zero is counted
  *fits = longest < size;
  if (!*fits) return 0;
  hid_t type = H5Tcopy(H5T_C_S1);
  H5Tset_size(type, size);
  H5Tset_cset(type, H5Tget_cset(opened->type));
  int failed = H5Dread(opened->set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, text) < 0;
  H5Tclose(type);
  return failed || text[size - 1] != 0; // a zero that was promised and is not there
}

static int read_variable(const Opened *opened, char *text, size_t size, int *fits) {
  char *found = NULL;
  hid_t type = H5Tcopy(H5T_C_S1);
  H5Tset_size(type, H5T_VARIABLE);
  H5Tset_cset(type, H5Tget_cset(opened->type));
  int failed = H5Dread(opened->set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, &found) < 0;
  if (!failed) {
    *fits = !found || strlen(found) < size;
    snprintf(text, size, "%s", found ? found : "");
  }
  if (found) H5free_memory(found);
  H5Tclose(type);
  return failed;
}

Status h5_text_size(const H5File *file, const char *path, size_t *size, Err *err) {
  Opened opened;
  *size = 0;
  TRY(open_set(file, path, &opened, err));
  int sound = H5Tget_class(opened.type) == H5T_STRING && H5Tis_variable_str(opened.type) == 0 &&
              opened.count == 1 && (file->created || !is_too_large(file, &opened));
  if (sound) *size = H5Tget_size(opened.type);
  close_set(&opened);
  return sound
             ? OK
             : err_set(err, ERR_INPUT, "%s: '%s' is not a text of fixed length", file->path, path);
}

Status h5_read_text(const H5File *file, const char *path, char *text, size_t size, Err *err) {
  Opened opened;
  memset(text, 0, size);
  TRY(open_set(file, path, &opened, err));
  Status status = OK;
  int fits = 1, failed = 0;
  if (H5Tget_class(opened.type) != H5T_STRING || opened.count != 1) {
    status = err_set(err, ERR_INPUT, "%s: dataset '%s' is not one text", file->path, path);
  } else if (H5Tis_variable_str(opened.type) > 0) {
    failed = read_variable(&opened, text, size, &fits);
  } else {
    failed = read_fixed(&opened, text, size, &fits);
  }
  close_set(&opened);
  if (status != OK) return status;
  if (failed) return err_set(err, ERR_INPUT, "%s: dataset '%s' is damaged", file->path, path);
  if (!fits) return err_set(err, ERR_INPUT, "%s: text '%s' is too long", file->path, path);
  return OK;
}

const char *h5_version(void) {
  static const char info[] = H5_VERS_INFO; // "HDF5 library version: 1.10.8"
  const char *colon = strrchr(info, ' ');
  return colon ? colon + 1 : info;
}
