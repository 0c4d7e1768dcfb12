#define _DEFAULT_SOURCE // syscall
#include "scratch.h"

#include <errno.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

TestSuite(atomic, .init = scratch_make, .fini = scratch_remove);

Test(atomic, shows_the_file_only_after_the_commit) {
  Err err = {0};
  AtomicFile file;
  const char *path = in_scratch("a.txt");
  cr_assert_eq(atomic_open(&file, path, &err), OK);
  fputs("whole", file.stream);
  cr_assert_not(file_exists(path));
  cr_assert_eq(atomic_commit(&file, &err), OK);
  cr_assert(file_exists(path));
  cr_assert_not(file_exists(file.part));
}

Test(atomic, leaves_the_old_file_when_the_new_one_is_abandoned) {
  Err err = {0};
  AtomicFile file;
  const char *path = in_scratch("a.txt");
  write_text(path, "old");
  cr_assert_eq(atomic_open(&file, path, &err), OK);
  fputs("new", file.stream);
  atomic_abandon(&file);
  atomic_abandon(&file);
  size_t size;
  char *text = read_bytes(path, &size);
  cr_assert_str_eq(text, "old");
  cr_assert_not(file_exists(file.part));
  mem_free(text);
}

Test(atomic, keeps_the_old_file_and_says_so_when_the_disk_is_full) {
  Status (*commits[])(AtomicFile *, Err *) = {atomic_commit, atomic_commit_sync};
  const char *path = in_scratch("a.txt");
  write_text(path, "old");
  for (int k = 0; k < 2; k++) {
    Err err = {0};
    AtomicFile file;
    fill_disk(path);
    cr_assert_eq(atomic_open(&file, path, &err), OK);
    fputs("new", file.stream);
    cr_assert_eq(commits[k](&file, &err), ERR_SYSTEM);
    cr_assert(strstr(err.text, "a.txt") && strstr(err.text, "No space left"), "%s", err.text);
    size_t size;
    char *text = read_bytes(path, &size);
    cr_assert_str_eq(text, "old");
    mem_free(text);
    cr_assert_not(file_exists(file.part));
  }
}

Test(atomic, refuses_paths_that_cannot_be_written_and_names_the_reason) {
  Err err = {0};
  AtomicFile file;
  cr_assert_eq(atomic_open(&file, in_scratch("no/such/folder"), &err), ERR_SYSTEM);
  cr_assert(strstr(err.text, "No such file"), "%s", err.text);
  cr_assert_eq(atomic_open(&file, scratch, &err), ERR_SYSTEM);
  cr_assert(strstr(err.text, "directory"), "%s", err.text);
  char longer[2 * FILE_PATH_SIZE];
  memset(longer, 'x', sizeof longer - 1);
  longer[sizeof longer - 1] = 0;
  cr_assert_eq(atomic_open(&file, longer, &err), ERR_SYSTEM);
  // a part that is a folder stands for a folder without permission, which root would ignore
  cr_assert_eq(mkdir(in_scratch("b.part"), 0777), 0);
  cr_assert_eq(atomic_open(&file, in_scratch("b"), &err), ERR_SYSTEM);
  cr_assert_eq(atomic_open(&file, in_scratch("b"), NULL), ERR_SYSTEM);
}

Test(atomic, makes_folders_with_their_parents) {
  Err err = {0};
  char path[2 * FILE_PATH_SIZE];
  snprintf(path, sizeof path, "%s/a/b//c/", scratch);
  cr_assert_eq(folder_make(path, &err), OK, "%s", err.text);
  cr_assert_eq(folder_make(path, &err), OK);
  cr_assert(folder_exists(in_scratch("a/b/c")));
  write_text(in_scratch("file"), "");
  cr_assert_eq(folder_make(in_scratch("file"), &err), ERR_SYSTEM);
  cr_assert_eq(folder_make(in_scratch("file/x"), &err), ERR_SYSTEM);
  cr_assert_eq(folder_make("", &err), ERR_SYSTEM);
  memset(path, 'x', sizeof path - 1);
  path[sizeof path - 1] = 0;
  cr_assert_eq(folder_make(path, &err), ERR_SYSTEM);
}

// Instead of that of the system: fails as on a file system without locks, where a test wants it to.
static int flock_error;
int flock(int file, int operation) {
  errno = flock_error;
  return flock_error ? -1 : (int)syscall(SYS_flock, file, operation);
}

Test(atomic, a_folder_that_cannot_be_locked_is_taken_and_the_reason_told) {
  Err err = {0};
  int lock;
  const char *missing;
  flock_error = ENOLCK;
  cr_assert_eq(folder_lock(&lock, &missing, scratch, &err), OK, "%s", err.text);
  flock_error = 0;
  cr_assert(missing && strcmp(missing, strerror(ENOLCK)) == 0, "%s", missing ? missing : "nothing");
  folder_unlock(&lock);
  cr_assert_eq(folder_lock(&lock, &missing, scratch, &err), OK, "%s", err.text);
  cr_assert_eq(missing, NULL);
  folder_unlock(&lock);
}

Test(atomic, a_folder_has_one_owner_until_it_lets_go) {
  Err err = {0};
  int lock, other = -1;
  const char *missing;
  cr_assert_eq(folder_lock(&lock, &missing, scratch, &err), OK, "%s", err.text);
  cr_assert_eq(folder_lock(&other, &missing, scratch, &err), ERR_INPUT);
  cr_assert(strstr(err.text, scratch), "%s", err.text);
  cr_assert_eq(other, -1);
  folder_unlock(&lock);
  folder_unlock(&lock);
  cr_assert_eq(folder_lock(&other, &missing, scratch, &err), OK);
  folder_unlock(&other);
  cr_assert_eq(folder_lock(&other, &missing, in_scratch("absent"), &err), ERR_SYSTEM);
}

Test(atomic, copies_bytes) {
  Err err = {0};
  char bytes[200000];
  unsigned seed = 1;
  for (size_t k = 0; k < sizeof bytes; k++) bytes[k] = (char)next_random(&seed);
  write_bytes(in_scratch("from"), bytes, sizeof bytes);
  cr_assert_eq(file_copy(in_scratch("from"), in_scratch("to"), &err), OK, "%s", err.text);
  size_t size;
  char *copy = read_bytes(in_scratch("to"), &size);
  cr_assert(size == sizeof bytes && memcmp(copy, bytes, size) == 0);
  mem_free(copy);
  cr_assert_eq(file_copy(in_scratch("absent"), in_scratch("to"), &err), ERR_INPUT);
  cr_assert_eq(file_copy(scratch, in_scratch("to"), &err), ERR_SYSTEM);
  fill_disk(in_scratch("to"));
  cr_assert_eq(file_copy(in_scratch("from"), in_scratch("to"), &err), ERR_SYSTEM);
}

Test(atomic, lists_names_in_the_same_order_everywhere) {
  Err err = {0};
  FolderList list;
  const char *names[] = {"b_2.vtk", "a_10.vtk", "a_1.vtk", "other", ".a_hidden.vtk"};
  for (int k = 0; k < 5; k++) write_text(in_scratch(names[k]), "");
  cr_assert_eq(folder_list(&list, scratch, "*.vtk", &err), OK);
  cr_assert_eq(list.n, 3);
  cr_assert_str_eq(list.name[0], "a_1.vtk");
  cr_assert_str_eq(list.name[2], "b_2.vtk");
  folder_list_free(&list);
  cr_assert_eq(folder_list(&list, in_scratch("absent"), "*", &err), ERR_INPUT);
}

Test(atomic, survives_every_failing_allocation) {
  write_text(in_scratch("a"), "text");
  for (int n = 1; n < 10; n++) {
    Err err = {0};
    char *text;
    size_t size;
    FolderList list;
    mem_fail_after(n);
    Status status = file_read(&text, &size, in_scratch("a"), &err);
    if (status != OK) cr_assert(status == ERR_SYSTEM && !text);
    mem_free(text);
    mem_fail_after(n);
    status = folder_list(&list, scratch, "*", &err);
    cr_assert(status == OK || status == ERR_SYSTEM);
    folder_list_free(&list);
    mem_fail_after(0);
    cr_assert_eq(mem_live_blocks(), 0);
  }
}
