#include "mesh/deck.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/mem.h"

void deck_free(Deck *deck) {
  for (size_t s = 0; s < deck->n_sets; s++) mem_free(deck->set[s].item);
  mem_free(deck->node);
  mem_free(deck->elem);
  mem_free(deck->set);
  mem_free(deck->skipped);
  *deck = (Deck){0};
}

Status deck_error(const Deck *deck, const char *format, ...) {
  char text[400];
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  return scan_error(&deck->scan, deck->scan.line, "%s", text);
}

// ---- lines --------------------------------------------------------------------------------------

static int is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\r';
}

// One line of the file into `text`, without blanks at its end.
static Status take_line(Deck *deck, int *more) {
  Scan *scan = &deck->scan;
  *more = scan->at < scan->size;
  if (!*more) return OK;
  const char *start = scan->data + scan->at;
  const char *end = memchr(start, '\n', scan->size - scan->at);
  size_t n = end ? (size_t)(end - start) : scan->size - scan->at;
  scan->at += end ? n + 1 : n;
  scan->line++;
  while (n > 0 && is_blank(start[n - 1])) n--;
  if (n >= sizeof deck->text) return deck_error(deck, "a line of %zu characters", n);
  if (memchr(start, 0, n)) return deck_error(deck, "the line has a byte 0: this is no text");
  memcpy(deck->text, start, n);
  deck->text[n] = 0;
  return OK;
}

// The next line that says something.
static Status next_line(Deck *deck, int *more) {
  *more = 1;
  if (deck->is_kept) {
    deck->is_kept = 0;
    return OK;
  }
  do {
    TRY(take_line(deck, more));
  } while (*more && (!deck->text[0] || !strncmp(deck->text, deck->comment, strlen(deck->comment))));
  return OK;
}

Status deck_data(Deck *deck, int *more) {
  TRY(next_line(deck, more));
  if (*more && deck->text[0] == '*') {
    deck->is_kept = 1;
    *more = 0;
  }
  return OK;
}

static Status add_field(Deck *deck, const char *start, size_t n, DeckFields *fields) {
  while (n > 0 && is_blank(*start)) {
    start++;
    n--;
  }
  while (n > 0 && is_blank(start[n - 1])) n--;
  if (fields->n == DECK_FIELDS) return deck_error(deck, "more than %d fields", DECK_FIELDS);
  if (n >= DECK_NAME) return deck_error(deck, "a field of %zu characters", n);
  memcpy(fields->text[fields->n], start, n);
  fields->text[fields->n++][n] = 0;
  return OK;
}

// Text between commas; behind a comma at the end of the line there is nothing.
static Status split(Deck *deck, DeckFields *fields) {
  for (const char *at = deck->text; *at;) {
    size_t n = strcspn(at, ",");
    TRY(add_field(deck, at, n, fields));
    at += n + (at[n] == ',');
  }
  return OK;
}

Status deck_split(Deck *deck, DeckFields *fields) {
  fields->n = 0;
  return split(deck, fields);
}

Status deck_columns(Deck *deck, const int *widths, int n_widths, DeckFields *fields) {
  fields->n = 0;
  if (strchr(deck->text, ',')) return split(deck, fields);
  const char *at = deck->text, *end = at + strlen(at);
  for (int k = 0; at < end; k++) {
    size_t width = (size_t)widths[k < n_widths ? k : n_widths - 1], left = (size_t)(end - at);
    TRY(add_field(deck, at, width < left ? width : left, fields));
    at += width < left ? width : left;
  }
  return OK;
}

Status deck_integer(const Deck *deck, const char *field, const char *what, int64_t *value) {
  char *end;
  errno = 0;
  *value = field[0] ? strtoll(field, &end, 10) : 0;
  if (field[0] && (*end || errno || *value < 0))
    return deck_error(deck, "'%.20s' stands where %s should be (a whole number, not negative)",
                      field, what);
  return OK;
}

Status deck_real(const Deck *deck, const char *field, const char *what, double *value) {
  char text[DECK_NAME], *end;
  size_t n = 0;
  for (; field[n]; n++) text[n] = field[n] == 'd' || field[n] == 'D' ? 'e' : field[n];
  text[n] = 0;
  *value = n > 0 ? strtod(text, &end) : 0;
  if (n > 0 && (*end || !isfinite(*value)))
    return deck_error(deck, "'%.20s' stands where %s should be (a number)", field, what);
  return OK;
}

// ---- contents -----------------------------------------------------------------------------------

Status deck_add_node(Deck *deck, const DeckNode *node) {
  Err *err = deck->scan.err;
  if (deck->n_nodes >= INT32_MAX / 8) return deck_error(deck, "more nodes than can be numbered");
  TRY(mem_grow((void **)&deck->node, &deck->node_room, deck->n_nodes + 1, sizeof *node, err));
  deck->node[deck->n_nodes++] = *node;
  return OK;
}

Status deck_add_elem(Deck *deck, const DeckElem *elem) {
  Err *err = deck->scan.err;
  if (deck->n_elems >= INT32_MAX / 16)
    return deck_error(deck, "more elements than can be numbered");
  TRY(mem_grow((void **)&deck->elem, &deck->elem_room, deck->n_elems + 1, sizeof *elem, err));
  deck->elem[deck->n_elems++] = *elem;
  return OK;
}

Status deck_find_set(Deck *deck, const char *name, int of_nodes, size_t *set) {
  DeckSet new_set = {.of_nodes = of_nodes, .line = deck->scan.line};
  snprintf(new_set.name, sizeof new_set.name, "%s", name);
  for (char *c = new_set.name; *c; c++)
    if (is_blank(*c)) *c = '_';
  if (!name[0]) return deck_error(deck, "a set without a name");
  for (*set = 0; *set < deck->n_sets; ++*set)
    if (deck->set[*set].of_nodes == of_nodes && strcasecmp(deck->set[*set].name, new_set.name) == 0)
      return OK;
  TRY(mem_grow((void **)&deck->set, &deck->set_room, deck->n_sets + 1, sizeof *deck->set,
               deck->scan.err));
  deck->set[deck->n_sets++] = new_set;
  return OK;
}

Status deck_put(Deck *deck, size_t set, int64_t item) {
  DeckSet *to = &deck->set[set];
  if (to->n >= deck->scan.size) // each takes bytes of the file where it is defined
    return deck_error(deck, "set '%s' has more members than the file can define", to->name);
  TRY(mem_grow((void **)&to->item, &to->room, to->n + 1, sizeof *to->item, deck->scan.err));
  to->item[to->n++] = item;
  return OK;
}

Status deck_note_skipped(Deck *deck, const char *name) {
  for (size_t k = 0; k < deck->n_skipped; k++)
    if (strcasecmp(deck->skipped[k].name, name) == 0) {
      deck->skipped[k].n++;
      return OK;
    }
  TRY(mem_grow((void **)&deck->skipped, &deck->skipped_room, deck->n_skipped + 1,
               sizeof *deck->skipped, deck->scan.err));
  DeckSkipped *skipped = &deck->skipped[deck->n_skipped++];
  *skipped = (DeckSkipped){.n = 1, .line = deck->scan.line};
  snprintf(skipped->name, sizeof skipped->name, "%s", name);
  return OK;
}

// ---- cards --------------------------------------------------------------------------------------

Status deck_pass(Deck *deck) {
  int more = 1;
  while (more) TRY(deck_data(deck, &more));
  return OK;
}

Status deck_skip(Deck *deck) {
  TRY(deck_note_skipped(deck, deck->card.text[0]));
  return deck_pass(deck);
}

Status deck_refuse(Deck *deck) {
  return deck_error(
      deck,
      "%s is not read, and the mesh depends on it: plain cards of nodes, elements and "
      "sets in one file are",
      deck->card.text[0]);
}

// Keyword and options; a line that ends with a comma goes on in the next.
static Status read_card(Deck *deck) {
  int more = 1;
  deck->card.n = 0;
  TRY(split(deck, &deck->card));
  while (more && deck->text[strlen(deck->text) - 1] == ',') {
    TRY(deck_data(deck, &more));
    if (more) TRY(split(deck, &deck->card));
  }
  return OK;
}

// Blanks in a keyword do not count.
static int is_card(const char *card, const char *name) {
  size_t n = strlen(name), k = 0;
  int all = n > 0 && name[n - 1] == '*';
  for (; *card; card++) {
    if (is_blank(*card)) continue;
    if (all && k == n - 1) return 1;
    if (k == n || toupper((unsigned char)*card) != name[k]) return 0;
    k++;
  }
  return k == n - (size_t)all;
}

// One letter too many, too few or another one.
static int is_slip(const char *card, const char *name) {
  size_t n = strlen(card), m = strlen(name), k = 0, j = 0;
  while (k < n && k < m && toupper((unsigned char)card[k]) == name[k]) k++;
  while (j < n - k && j < m - k && toupper((unsigned char)card[n - 1 - j]) == name[m - 1 - j]) j++;
  return n - k - j <= 1 && m - k - j <= 1;
}

static Status read_any(Deck *deck, const DeckCard *cards, int n_cards) {
  const char *name = deck->card.text[0] + 1;
  for (int k = 0; k < n_cards; k++)
    if (is_card(name, cards[k].name)) return cards[k].read(deck);
  for (int k = 0; k < n_cards; k++)
    if (is_slip(name, cards[k].name))
      return deck_error(deck, "card '*%s' is not known: is it *%s?", name, cards[k].name);
  return deck_skip(deck);
}

Status deck_read(Deck *deck, const DeckCard *cards, int n_cards) {
  int more = 1, any = 0;
  while (!deck->is_over) {
    TRY(next_line(deck, &more));
    if (!more) break;
    if (deck->text[0] != '*')
      return deck_error(deck, "'%.20s' stands where a card should begin%s", deck->text,
                        any ? "" : ": the file is none of its ending");
    any = 1;
    TRY(read_card(deck));
    TRY(read_any(deck, cards, n_cards));
  }
  return OK;
}
