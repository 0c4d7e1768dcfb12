// LS-DYNA keyword files (.k, .key, .dyn): nodes, shells, solids and sets, in fields of eight, ten
// and sixteen columns or between commas. Elements of part 5 are the group "part_5"; set 7 is
// "set_7", with a title that title.

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "mesh/deck.h"

static Status read_node(Deck *deck) {
  static const int widths[] = {8, 16, 16, 16, 8};
  int more;
  for (;;) {
    DeckFields fields;
    TRY(deck_data(deck, &more));
    if (!more) return OK;
    TRY(deck_columns(deck, widths, 5, &fields));
    DeckNode node = {.line = deck->scan.line};
    TRY(deck_integer(deck, fields.text[0], "the number of a node", &node.tag));
    for (int i = 0; i < 3 && i + 1 < fields.n; i++)
      TRY(deck_real(deck, fields.text[i + 1], "a coordinate", &node.x[i]));
    TRY(deck_add_node(deck, &node));
  }
}

static Status put_in_part(Deck *deck, const DeckElem *elem, int64_t part) {
  char name[32];
  size_t set;
  snprintf(name, sizeof name, "part_%lld", (long long)part);
  TRY(deck_find_set(deck, name, 0, &set));
  TRY(deck_add_elem(deck, elem));
  return deck_put(deck, set, elem->tag);
}

// Numbers of nodes from field `from` on; absent ones are 0.
static Status read_corners(Deck *deck, const DeckFields *fields, int from, DeckElem *elem,
                           int64_t node[8]) {
  for (int k = 0; k < 8; k++) {
    node[k] = 0;
    if (from + k < fields->n)
      TRY(deck_integer(deck, fields->text[from + k], "the number of a node", &node[k]));
  }
  memcpy(elem->node, node, sizeof elem->node);
  return OK;
}

// A quadrilateral, or a triangle whose last node is repeated or absent.
static Status shell_shape(const Deck *deck, DeckElem *elem) {
  const int64_t *n = elem->node;
  for (int k = 4; k < 8; k++)
    if (n[k] > 0)
      return deck_error(deck, "shell %lld has more than four nodes", (long long)elem->tag);
  elem->shape = n[3] == 0 || n[3] == n[2] ? SHAPE_T3 : SHAPE_Q4;
  return OK;
}

// A hexahedron, or a tetrahedron whose last node is repeated or absent.
static Status solid_shape(const Deck *deck, DeckElem *elem) {
  const int64_t *n = elem->node;
  int same = 0, absent = 0;
  for (int k = 4; k < 8; k++) {
    same += n[k] == n[3];
    absent += n[k] == 0;
  }
  if (same < 4 && absent < 4 && (n[4] == n[5] || n[6] == n[7]))
    return deck_error(deck, "solid %lld is a wedge or a pyramid; tetrahedra and hexahedra are read",
                      (long long)elem->tag);
  elem->shape = same == 4 || absent == 4 ? SHAPE_T4 : SHAPE_H8;
  return OK;
}

static Status read_elements(Deck *deck, Status (*shape)(const Deck *deck, DeckElem *elem)) {
  static const int widths[] = {8};
  int more;
  for (;;) {
    DeckFields fields;
    TRY(deck_data(deck, &more));
    if (!more) return OK;
    TRY(deck_columns(deck, widths, 1, &fields));
    DeckElem elem = {.line = deck->scan.line};
    int64_t part = 0, node[8];
    int from = 2;
    TRY(deck_integer(deck, fields.text[0], "the number of an element", &elem.tag));
    if (fields.n > 1) TRY(deck_integer(deck, fields.text[1], "the number of a part", &part));
    if (fields.n == 2) { // newer files have the nodes of a solid on a line of their own
      TRY(deck_data(deck, &more));
      if (!more) return deck_error(deck, "element %lld has no nodes", (long long)elem.tag);
      TRY(deck_columns(deck, widths, 1, &fields));
      from = 0;
    }
    TRY(read_corners(deck, &fields, from, &elem, node));
    TRY(shape(deck, &elem));
    TRY(put_in_part(deck, &elem, part));
  }
}

static Status read_shells(Deck *deck) {
  return read_elements(deck, shell_shape);
}

static Status read_solids(Deck *deck) {
  return read_elements(deck, solid_shape);
}

// ---- sets ---------------------------------------------------------------------------------------

static int has_title(const Deck *deck) {
  const char *name = deck->card.text[0];
  size_t n = strlen(name), m = strlen("_TITLE");
  return n > m && strcasecmp(name + n - m, "_TITLE") == 0;
}

static Status read_set(Deck *deck, int of_nodes) {
  static const int widths[] = {10};
  char name[DECK_NAME] = "";
  int more;
  size_t set = 0;
  DeckFields fields;
  TRY(deck_data(deck, &more));
  if (more && has_title(deck)) {
    snprintf(name, sizeof name, "%.*s", DECK_NAME - 1, deck->text);
    TRY(deck_data(deck, &more));
  }
  if (!more) return deck_error(deck, "%s ends without its set", deck->card.text[0]);
  TRY(deck_columns(deck, widths, 1, &fields));
  int64_t number;
  TRY(deck_integer(deck, fields.text[0], "the number of a set", &number));
  if (!name[0]) snprintf(name, sizeof name, "set_%lld", (long long)number);
  TRY(deck_find_set(deck, name, of_nodes, &set));
  for (;;) {
    TRY(deck_data(deck, &more));
    if (!more) return OK;
    TRY(deck_columns(deck, widths, 1, &fields));
    for (int k = 0; k < fields.n; k++) {
      int64_t item;
      TRY(deck_integer(deck, fields.text[k], "a member of a set", &item));
      if (item > 0) TRY(deck_put(deck, set, item));
    }
  }
}

static Status read_node_set(Deck *deck) {
  return read_set(deck, 1);
}

static Status read_element_set(Deck *deck) {
  return read_set(deck, 0);
}

// ---- others -------------------------------------------------------------------------------------

// Wider fields are asked for behind the keyword.
static Status read_keyword(Deck *deck) {
  const char *name = deck->card.text[0];
  for (const char *at = name; *at; at++)
    if (strncasecmp(at, "LONG=Y", 6) == 0 || strncasecmp(at, "I10=Y", 5) == 0)
      return deck_error(deck, "'%s': fields of 8, 10 and 16 columns are read, or commas", name);
  return deck_pass(deck);
}

static Status read_end(Deck *deck) {
  deck->is_over = 1;
  return OK;
}

// The first that has the name is taken: beginnings stand behind the names that they would take.
static const DeckCard cards[] = {
    {"NODE", read_node},
    {"ELEMENT_SHELL", read_shells},
    {"ELEMENT_SOLID", read_solids},
    {"ELEMENT_SHELL*", deck_refuse}, // of other forms: thicknesses, offsets between their lines
    {"ELEMENT_SOLID*", deck_refuse},
    {"ELEMENT_TSHELL*", deck_refuse},
    {"SET_NODE", read_node_set},
    {"SET_NODE_TITLE", read_node_set},
    {"SET_NODE_LIST", read_node_set},
    {"SET_NODE_LIST_TITLE", read_node_set},
    {"SET_SHELL", read_element_set},
    {"SET_SHELL_TITLE", read_element_set},
    {"SET_SHELL_LIST", read_element_set},
    {"SET_SHELL_LIST_TITLE", read_element_set},
    {"SET_SOLID", read_element_set},
    {"SET_SOLID_TITLE", read_element_set},
    {"SET_SOLID_LIST", read_element_set},
    {"SET_SOLID_LIST_TITLE", read_element_set},
    {"SET_TSHELL*", deck_skip},
    {"PART", deck_pass},
    {"PART_*", deck_pass},
    {"TITLE", deck_pass},
    {"KEYWORD*", read_keyword},
    {"END", read_end},
    {"INCLUDE*", deck_refuse},
    {"NODE_*", deck_refuse},
    {"PARAMETER*", deck_refuse},
};

Status dyna_read_memory(Mesh *mesh, const char *path, const char *data, size_t size, int dim,
                        MeshTold *told, Err *err) {
  *mesh = (Mesh){0};
  Deck deck = {.scan = {.path = path, .data = data, .size = size, .err = err}, .comment = "$"};
  Status status = deck_read(&deck, cards, sizeof cards / sizeof cards[0]);
  if (status == OK) status = deck_build(&deck, mesh, dim, told);
  deck_free(&deck);
  return status;
}
