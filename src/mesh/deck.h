// mesh/deck.h -- inside of the readers of decks: inputs of other programs, cards that begin with a
// keyword.
//
// The reader of a dialect is a table of cards (deck_read walks the file by it); their handlers fill
// a Deck with nodes, elements and named sets by the numbers of the file, and deck_build makes a
// Mesh of it by the same rules as of a Gmsh file (gmsh.h): sets of elements become groups of
// elements or facets, sets of nodes groups of those nodes that elements use. Words are compared
// without regard to case. Lines count from 1.

#ifndef MESH_DECK_H
#define MESH_DECK_H

#include "mesh/gmsh_scan.h"
#include "mesh/readers.h"

typedef struct {
  int64_t tag, line;
  double x[3];
} DeckNode;

typedef struct {
  int64_t tag, line;
  int shape;       // ShapeCode
  int64_t node[8]; // tags
} DeckElem;

enum { DECK_LINE = 2048, DECK_NAME = 80, DECK_FIELDS = 64 };

typedef struct {
  char name[DECK_NAME];
  int of_nodes;
  int64_t line;  // of the first mention
  int64_t *item; // [n] tags, owned
  size_t n, room;
} DeckSet;

typedef struct {
  char name[DECK_NAME];
  int n;
  int64_t line; // of the first
} DeckSkipped;

typedef struct {
  int n;
  char text[DECK_FIELDS][DECK_NAME]; // without blanks around them
} DeckFields;

typedef struct {
  Scan scan;            // the file; scan.line: of `text`
  const char *comment;  // what begins a line of comment
  char text[DECK_LINE]; // the line read last
  int is_kept;          // 1: it is to be read again
  int is_over;          // 1: nothing that follows is of interest
  DeckFields card;      // the card being read: keyword, options
  DeckNode *node;
  DeckElem *elem;
  DeckSet *set;
  DeckSkipped *skipped;
  size_t n_nodes, n_elems, n_sets, n_skipped;
  size_t node_room, elem_room, set_room, skipped_room;
  int is_beyond; // 1: behind the part whose mesh is read
  int n_other;   // elements that are no part of a mesh: springs, masses
} Deck;

typedef struct {
  const char
      *name; // of the card, without the star; one that ends with '*' stands for all that begin so
  Status (*read)(Deck *deck);
} DeckCard;

// Reads the file card by card, the first of the table that has the name; `text` holds the keyword
// line and `card` its parts. A card that none has is skipped and noted, one that looks like a slip
// of the pen for one of the table is an error.
Status deck_read(Deck *deck, const DeckCard *cards, int n_cards) MUST_CHECK;
// Handlers: data lines passed over, with a note for people and without one; a card that changes the
// mesh in a way that is not followed.
Status deck_skip(Deck *deck) MUST_CHECK;
Status deck_pass(Deck *deck) MUST_CHECK;
Status deck_refuse(Deck *deck) MUST_CHECK;
void deck_free(Deck *deck);

// The next line of data of the card: *more 0 when another card follows or the file ends.
Status deck_data(Deck *deck, int *more) MUST_CHECK;
// Its fields between commas; or, where it has no comma, at columns widths[k] wide, the last width
// repeated.
Status deck_split(Deck *deck, DeckFields *fields) MUST_CHECK;
Status deck_columns(Deck *deck, const int *widths, int n_widths, DeckFields *fields) MUST_CHECK;
// Empty fields are 0. Whole numbers are not negative.
Status deck_integer(const Deck *deck, const char *field, const char *what,
                    int64_t *value) MUST_CHECK;
Status deck_real(const Deck *deck, const char *field, const char *what, double *value) MUST_CHECK;
Status deck_error(const Deck *deck, const char *format, ...) PRINTF_LIKE(2, 3);

Status deck_add_node(Deck *deck, const DeckNode *node) MUST_CHECK;
Status deck_add_elem(Deck *deck, const DeckElem *elem) MUST_CHECK;
// The set of that name and kind, made where there is none; blanks in names become '_'.
Status deck_find_set(Deck *deck, const char *name, int of_nodes, size_t *set) MUST_CHECK;
Status deck_put(Deck *deck, size_t set, int64_t item) MUST_CHECK;
Status deck_note_skipped(Deck *deck, const char *name) MUST_CHECK;

Status deck_build(Deck *deck, Mesh *mesh, int dim, MeshTold *told) MUST_CHECK;

#endif
