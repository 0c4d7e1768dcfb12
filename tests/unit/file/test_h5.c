#define _POSIX_C_SOURCE 200809L
#include "scratch.h"

#include <hdf5.h>
#include <math.h>
#include <time.h>

#include "file/h5.h"

// HDF5 forgets some memory when it meets a damaged file; that is not ours to report.
#if defined(__SANITIZE_ADDRESS__)
#define HAS_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define HAS_ASAN 1
#endif
#endif
#ifdef HAS_ASAN
#include <sanitizer/lsan_interface.h>
#else
static void __lsan_disable(void) {}
static void __lsan_enable(void) {}
#endif

TestSuite(h5, .init = scratch_make, .fini = scratch_remove);

static const double reals[] = {1.5, -2.25, 1e300};
static const int32_t ints[] = {1, -2, 2147483647};
static const int64_t longs[] = {1, -9007199254740993, 3};

static Status write_example(const char *path, Err *err) {
  H5File *file;
  TRY(h5_create(&file, path, err));
  Status status = h5_write(file, "body/velocity", FIELD_F64, reals, 3, err);
  if (status == OK) status = h5_write(file, "body/kind", FIELD_I32, ints, 3, err);
  if (status == OK) status = h5_write(file, "a/b/c/longs", FIELD_I64, longs, 3, err);
  if (status == OK) status = h5_write(file, "none", FIELD_F64, NULL, 0, err);
  if (status == OK) status = h5_write_text(file, "title", "arch", err);
  if (status == OK) return h5_commit(file, err);
  h5_close(file);
  return status;
}

static H5File *open_example(void) {
  Err err = {0};
  H5File *file = NULL;
  cr_assert_eq(write_example(in_scratch("a.h5"), &err), OK, "%s", err.text);
  cr_assert_eq(h5_open(&file, in_scratch("a.h5"), &err), OK, "%s", err.text);
  return file;
}

Test(h5, reads_back_the_same_bits) {
  Err err = {0};
  H5File *file = open_example();
  double real[3];
  int32_t integer[3];
  int64_t wide[3], count;
  char text[5];
  cr_assert_eq(h5_count(file, "body/velocity", &count, &err), OK);
  cr_assert_eq(count, 3);
  cr_assert_eq(h5_read(file, "body/velocity", FIELD_F64, real, 3, &err), OK);
  cr_assert_eq(memcmp(real, reals, sizeof reals), 0);
  cr_assert_eq(h5_read(file, "body/kind", FIELD_I32, integer, 3, &err), OK);
  cr_assert_eq(memcmp(integer, ints, sizeof ints), 0);
  cr_assert_eq(h5_read(file, "a/b/c/longs", FIELD_I64, wide, 3, &err), OK);
  cr_assert_eq(memcmp(wide, longs, sizeof longs), 0);
  cr_assert_eq(h5_count(file, "none", &count, &err), OK);
  cr_assert_eq(count, 0);
  cr_assert_eq(h5_read(file, "none", FIELD_F64, real, 0, &err), OK);
  size_t n_text;
  cr_assert(h5_text_size(file, "title", &n_text, &err) == OK && n_text == 5);
  cr_assert_eq(h5_text_size(file, "body/kind", &n_text, &err), ERR_INPUT);
  cr_assert_eq(h5_read_text(file, "title", text, sizeof text, &err), OK, "%s", err.text);
  cr_assert_str_eq(text, "arch");
  cr_assert(h5_has(file, "a/b") && h5_has(file, "none") && !h5_has(file, "a/x/y"));
  h5_close(file);
}

Test(h5, converts_numbers_but_never_loses_a_value_silently) {
  Err err = {0};
  H5File *file = open_example();
  double real[3];
  int32_t integer[3];
  cr_assert_eq(h5_read(file, "body/kind", FIELD_F64, real, 3, &err), OK);
  cr_assert(real[1] == -2 && real[2] == 2147483647);
  cr_assert_eq(h5_read(file, "a/b/c/longs", FIELD_F64, real, 3, &err), OK);
  cr_assert_eq(real[1], -9007199254740992.0);
  cr_assert_eq(h5_read(file, "a/b/c/longs", FIELD_I32, integer, 3, &err), ERR_INPUT);
  cr_assert_eq(h5_read(file, "body/velocity", FIELD_I32, integer, 3, &err), ERR_INPUT);
  cr_assert(strstr(err.text, "a.h5") && strstr(err.text, "body/velocity"), "%s", err.text);
  h5_close(file);
}

Test(h5, names_file_and_dataset_of_what_is_wrong) {
  Err err = {0};
  H5File *file = open_example();
  double real[3];
  int64_t count;
  char text[4];
  cr_assert_eq(h5_read(file, "absent", FIELD_F64, real, 3, &err), ERR_INPUT);
  cr_assert(strstr(err.text, "a.h5") && strstr(err.text, "'absent'"), "%s", err.text);
  cr_assert_eq(h5_read(file, "body/velocity", FIELD_F64, real, 2, &err), ERR_INPUT);
  cr_assert(strstr(err.text, "3 items, 2 expected"), "%s", err.text);
  cr_assert_eq(h5_count(file, "body", &count, &err), ERR_INPUT);
  cr_assert_eq(h5_count(file, "title", &count, &err), ERR_INPUT);
  cr_assert_eq(h5_count(file, "title/x", &count, &err), ERR_INPUT);
  cr_assert_eq(h5_count(file, "", &count, &err), ERR_INPUT);
  cr_assert_eq(h5_read_text(file, "body/kind", text, sizeof text, &err), ERR_INPUT);
  cr_assert_eq(h5_read_text(file, "title", text, sizeof text, &err), ERR_INPUT);
  cr_assert(strstr(err.text, "too long"), "%s", err.text);
  h5_close(file);
  cr_assert_eq(h5_open(&file, in_scratch("absent.h5"), &err), ERR_INPUT);
  cr_assert_eq(h5_open(&file, scratch, &err), ERR_INPUT);
  write_text(in_scratch("text.h5"), "this is no HDF5");
  cr_assert_eq(h5_open(&file, in_scratch("text.h5"), &err), ERR_INPUT);
  cr_assert(strstr(err.text, "text.h5"), "%s", err.text);
  cr_assert_null(file);
}

Test(h5, reads_other_ranks_and_texts_of_variable_length) {
  Err err = {0};
  hsize_t size[2] = {2, 3};
  float values[6] = {0, 1, 2, 3, 4, 5};
  const char *text = "variable";
  char read[32];
  hid_t raw = H5Fcreate(in_scratch("r.h5"), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
  hid_t plane = H5Screate_simple(2, size, NULL), scalar = H5Screate(H5S_SCALAR);
  hid_t type = H5Tcopy(H5T_C_S1);
  H5Tset_size(type, H5T_VARIABLE);
  hid_t a = H5Dcreate2(raw, "m", H5T_IEEE_F32BE, plane, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  hid_t b = H5Dcreate2(raw, "t", type, scalar, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  H5Dwrite(a, H5T_NATIVE_FLOAT, H5S_ALL, H5S_ALL, H5P_DEFAULT, values);
  H5Dwrite(b, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, &text);
  H5Dclose(a), H5Dclose(b), H5Sclose(plane), H5Sclose(scalar), H5Tclose(type), H5Fclose(raw);
  H5File *file;
  double real[6];
  int64_t count;
  cr_assert_eq(h5_open(&file, in_scratch("r.h5"), &err), OK);
  cr_assert(h5_count(file, "m", &count, &err) == OK && count == 6);
  cr_assert_eq(h5_read(file, "m", FIELD_F64, real, 6, &err), OK, "%s", err.text);
  cr_assert_eq(real[5], 5);
  cr_assert_eq(h5_read_text(file, "t", read, sizeof read, &err), OK, "%s", err.text);
  cr_assert_str_eq(read, "variable");
  cr_assert_eq(h5_read_text(file, "t", read, 8, &err), ERR_INPUT);
  h5_close(file);
}

Test(h5, a_text_that_has_lost_its_zero_is_damaged) {
  Err err = {0};
  char read[5];
  hid_t raw = H5Fcreate(in_scratch("z.h5"), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
  hid_t scalar = H5Screate(H5S_SCALAR), type = H5Tcopy(H5T_C_S1);
  H5Tset_size(type, 4); // of a text of three characters
  hid_t a = H5Dcreate2(raw, "t", type, scalar, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  H5Dwrite(a, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, "arch");
  H5Dclose(a), H5Sclose(scalar), H5Tclose(type), H5Fclose(raw);
  H5File *file;
  cr_assert_eq(h5_open(&file, in_scratch("z.h5"), &err), OK);
  cr_assert_eq(h5_read_text(file, "t", read, 4, &err), ERR_INPUT);
  cr_assert(strstr(err.text, "'t' is damaged"), "%s", err.text);
  h5_close(file);
}

Test(h5, writes_equal_bytes_for_equal_content) {
  Err err = {0};
  cr_assert_eq(write_example(in_scratch("a.h5"), &err), OK);
  cr_assert_eq(write_example(in_scratch("b.h5"), &err), OK);
  size_t n_a, n_b;
  char *a = read_bytes(in_scratch("a.h5"), &n_a), *b = read_bytes(in_scratch("b.h5"), &n_b);
  cr_assert(n_a == n_b && memcmp(a, b, n_a) == 0);
  // nor do they hold the second in which they were made
  hid_t raw = H5Fopen(in_scratch("a.h5"), H5F_ACC_RDONLY, H5P_DEFAULT);
  H5O_info_t info;
  cr_assert(H5Oget_info_by_name1(raw, "body/velocity", &info, H5P_DEFAULT) >= 0);
  cr_assert(info.ctime == 0 && info.mtime == 0, "%lld", (long long)info.ctime);
  H5Fclose(raw);
  mem_free(a);
  mem_free(b);
}

Test(h5, keeps_the_last_checkpoint_when_the_disk_is_full) {
  Err err = {0};
  const char *path = in_scratch("a.h5");
  cr_assert_eq(write_example(path, &err), OK);
  size_t n_before, n_after;
  char *before = read_bytes(path, &n_before);
  for (int k = 0; k < 3; k++) {
    fill_disk(path);
    cr_assert_eq(write_example(path, &err), ERR_SYSTEM);
    cr_assert(strstr(err.text, "No space left"), "%s", err.text);
    char *after = read_bytes(path, &n_after);
    cr_assert(n_before == n_after && memcmp(before, after, n_before) == 0);
    mem_free(after);
  }
  mem_free(before);
  cr_assert_eq(write_example(path, &err), OK);
  cr_assert_eq(write_example(in_scratch("no/folder.h5"), &err), ERR_SYSTEM);
}

Test(h5, leaves_nothing_of_a_file_that_is_abandoned) {
  Err err = {0};
  H5File *file;
  cr_assert_eq(h5_create(&file, in_scratch("a.h5"), &err), OK);
  cr_assert_eq(h5_write(file, "x", FIELD_F64, reals, 3, &err), OK);
  cr_assert_eq(h5_write(file, "x", FIELD_F64, reals, 3, &err), ERR_SYSTEM);
  cr_assert(strstr(err.text, "'x'"), "%s", err.text);
  h5_close(file);
  h5_close(NULL);
  FolderList list;
  cr_assert_eq(folder_list(&list, scratch, "*", &err), OK);
  cr_assert_eq(list.n, 0);
  folder_list_free(&list);
}

static void try_to_read(const char *path) {
  H5File *file;
  double real[3];
  int64_t count;
  char text[16];
  Status status = h5_open(&file, path, NULL);
  cr_assert(status == OK || status == ERR_INPUT);
  if (status != OK) return;
  status = h5_count(file, "body/velocity", &count, NULL);
  cr_assert(status == OK || status == ERR_INPUT);
  status = h5_read(file, "body/velocity", FIELD_F64, real, 3, NULL);
  cr_assert(status == OK || status == ERR_INPUT);
  status = h5_read_text(file, "title", text, sizeof text, NULL);
  cr_assert(status == OK || status == ERR_INPUT);
  h5_close(file);
}

Test(h5, never_crashes_on_a_file_that_is_cut) {
  Err err = {0};
  cr_assert_eq(write_example(in_scratch("a.h5"), &err), OK);
  size_t size;
  char *whole = read_bytes(in_scratch("a.h5"), &size);
  for (size_t n = 0; n < size; n += 29) {
    write_bytes(in_scratch("d.h5"), whole, n);
    try_to_read(in_scratch("d.h5"));
  }
  mem_free(whole);
}

Test(h5, never_crashes_on_changed_bytes) {
  Err err = {0};
  unsigned seed = 16;
  // no recycling: what is forgotten on damage must have been taken there to be excused
  H5set_free_list_limits(0, 0, 0, 0, 0, 0);
  cr_assert_eq(write_example(in_scratch("a.h5"), &err), OK);
  size_t size;
  char *whole = read_bytes(in_scratch("a.h5"), &size);
  for (int n = 0; n < 300; n++) {
    size_t at = next_random(&seed) % size;
    char old = whole[at];
    whole[at] = (char)next_random(&seed);
    write_bytes(in_scratch("d.h5"), whole, size);
    __lsan_disable();
    try_to_read(in_scratch("d.h5"));
    __lsan_enable();
    whole[at] = old;
  }
  mem_free(whole);
}

Test(h5, survives_every_failing_allocation) {
  for (int n = 1; n < 5; n++) {
    mem_fail_after(n);
    Status status = write_example(in_scratch("a.h5"), NULL);
    cr_assert_eq(status, n <= 2 ? ERR_SYSTEM : OK);
    mem_fail_after(0);
    cr_assert_eq(mem_live_blocks(), 0);
  }
  H5File *file;
  mem_fail_after(1);
  cr_assert_eq(h5_open(&file, in_scratch("a.h5"), NULL), ERR_SYSTEM);
  mem_fail_after(0);
}

Test(h5, tells_its_version) {
  cr_assert(strncmp(h5_version(), "1.", 2) == 0, "%s", h5_version());
}
