#include <criterion/criterion.h>

#include "../../support/input_sample.h"
#include "base/mem.h"
#include "input/text_file.h"

static const char *reason_for(const char *path, size_t max_size) {
  TextFile file;
  const char *reason = NULL;
  Err err = {0};
  cr_assert_eq(text_file_read(path, max_size, &file, &reason, &err), OK);
  text_file_free(&file);
  return reason ? reason : "";
}

Test(text_file, reads_all_or_says_why_not, .init = sample_enter, .fini = sample_leave) {
  sample_write("full", "0123456789");
  sample_write("empty", "");
  cr_assert_str_eq(reason_for("full", 10), "");
  cr_assert_str_eq(reason_for("full", 9), "it is too large");
  cr_assert_str_eq(reason_for("empty", 10), "it is empty");
  cr_assert_str_eq(reason_for(".", 10), "it is a directory");
  cr_assert_str_eq(reason_for("absent", 10), "No such file or directory");
}

Test(text_file, ends_the_text_with_a_zero_byte, .init = sample_enter, .fini = sample_leave) {
  static char text[(1 << 14) + 1];
  for (size_t k = 0; k + 1 < sizeof text; k++) text[k] = 'x';
  sample_write("page", text);
  TextFile file;
  const char *reason;
  Err err = {0};
  cr_assert_eq(text_file_read("page", 1 << 20, &file, &reason, &err), OK);
  cr_assert_eq(file.size, (size_t)1 << 14);
  cr_assert_str_eq(file.data, text);
  text_file_free(&file);
  cr_assert_eq(mem_live_blocks(), 0);
}
