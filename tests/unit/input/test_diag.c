#define _XOPEN_SOURCE 700
#include <criterion/criterion.h>

#include <string.h>

#include "base/mem.h"
#include "input/diag.h"

Test(diag, prints_files_in_the_order_read_and_lines_in_order) {
  Diag diag = {0};
  Err err = {0};
  diag_file(&diag, "main.xml");
  diag_file(&diag, "part.xml");
  diag_add(&diag, (SrcPos){"part.xml", 2}, "third");
  diag_add(&diag, (SrcPos){"main.xml", 10}, "second");
  diag_add(&diag, (SrcPos){"main.xml", 0}, "first");
  diag_add(&diag, (SrcPos){"part.xml", 2}, "fourth");
  diag_add(&diag, (SrcPos){"part.xml", 2}, "third");
  char text[200] = "";
  FILE *stream = fmemopen(text, sizeof text, "w");
  diag_print(&diag, stream);
  fclose(stream);
  cr_assert_str_eq(text, "main.xml: first\nmain.xml:10: second\n"
                         "part.xml:2: third\npart.xml:2: fourth\n");
  cr_assert_eq(diag_status(&diag, &err), ERR_INPUT);
  cr_assert_str_eq(err.text, "the input has 4 defects");
  diag_free(&diag);
  cr_assert_eq(diag_status(&diag, &err), OK);
}

Test(diag, proposes_the_nearest_word_and_nothing_when_none_is_near) {
  char buffer[20];
  cr_assert_str_eq(diag_nearest("denisty", "young|density|poisson", buffer, 20), "density");
  cr_assert_str_eq(diag_nearest("Young", "young|density", buffer, 20), "young");
  cr_assert_str_eq(diag_nearest("dnsty", "young|density", buffer, 20), "density");
  cr_assert_null(diag_nearest("x", "mu|density", buffer, 20));
  cr_assert_null(diag_nearest("", "a|b", buffer, 20));
  cr_assert_null(diag_nearest("abc", NULL, buffer, 20));
  cr_assert_null(diag_nearest("velocity", "velocty", buffer, 3), "the answer must fit");
}

Test(diag, makes_one_line_and_cuts_between_characters) {
  Diag diag = {0};
  char longer[DIAG_TEXT + 100] = "a\nb\tc";
  for (int k = 5; k < DIAG_TEXT + 98; k += 2) memcpy(longer + k, "\xc3\xa9", 3);
  diag_add(&diag, (SrcPos){"x", 1}, "%s", longer);
  const char *text = diag.entries[0].text;
  cr_assert_eq(strncmp(text, "a b c", 5), 0);
  cr_assert_eq(strlen(text) % 2, 0, "five letters, whole characters of two bytes, three dots");
  cr_assert_str_eq(text + strlen(text) - 3, "...", "what was cut has a mark");
  char buffer[DIAG_SHORT];
  cr_assert_eq(strlen(diag_short(longer, buffer)) % 2, 0, "5 + 2 n + 3 dots");
  cr_assert_str_eq(diag_short("short", buffer), "short");
  diag_free(&diag);
}

Test(diag, lists_words_and_marks_those_that_have_no_room) {
  char list[DIAG_LIST], word[100];
  diag_list_all(list, "wall|arch|column");
  cr_assert_str_eq(list, "wall, arch, column");
  diag_list_all(list, NULL);
  cr_assert_str_eq(list, "none");
  list[0] = 0;
  for (int k = 0; k < 200; k++) {
    int n = snprintf(word, sizeof word, "word_%d", k);
    diag_list(list, word, (size_t)n);
  }
  diag_list(list, "x", 1);
  cr_assert_lt(strlen(list), DIAG_LIST);
  cr_assert_str_eq(list + strlen(list) - 5, ", ...");
  cr_assert_null(strstr(list, ", ..., "), "one mark");
  cr_assert_not_null(strstr(list, "word_60, "), "words stand whole before it");
}

Test(diag, counts_what_it_no_longer_keeps) {
  Diag diag = {0};
  Err err = {0};
  for (int k = 0; k < DIAG_MAX + 5; k++) diag_add(&diag, (SrcPos){"x", k}, "wrong");
  cr_assert_eq(diag_status(&diag, &err), ERR_INPUT);
  cr_assert_str_eq(err.text, "the input has 10005 defects");
  diag_free(&diag);
}

Test(diag, remembers_that_memory_was_short) {
  Diag diag = {0};
  Err err = {0};
  mem_fail_after(1);
  diag_add(&diag, (SrcPos){"x", 1}, "lost");
  mem_fail_after(0);
  cr_assert_eq(diag_status(&diag, &err), ERR_SYSTEM);
  diag_free(&diag);
}
