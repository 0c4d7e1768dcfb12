// Abaqus input files (.inp): nodes, elements and sets of one part, up to the first step.
// First-order triangles, quadrilaterals, tetrahedra and hexahedra of whatever formulation; what a
// sheet or body does is said in the input.

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "mesh/deck.h"

// ---- options of a card --------------------------------------------------------------------------

// Value of an option of the card, "" of one without a value; NULL if it has not the option.
static const char *option(const Deck *deck, const char *name) {
  size_t n = strlen(name);
  for (int k = 1; k < deck->card.n; k++) {
    const char *text = deck->card.text[k];
    if (strncasecmp(text, name, n) != 0) continue;
    text += n;
    while (*text == ' ') text++;
    if (!*text) return text;
    if (*text++ != '=') continue; // a longer name
    while (*text == ' ') text++;
    return text;
  }
  return NULL;
}

// Options that change what the data mean.
static Status refuse_options(const Deck *deck, const char *const *names) {
  for (; *names; names++)
    if (option(deck, *names))
      return deck_error(deck, "%s with %s is not followed", deck->card.text[0], *names);
  return OK;
}

static Status set_of_option(Deck *deck, const char *name, int of_nodes, int *any, size_t *set) {
  const char *value = option(deck, name);
  char plain[DECK_NAME];
  *any = value != NULL;
  if (!value) return OK;
  size_t n = strlen(value);
  int quoted = n >= 2 && value[0] == '"' && value[n - 1] == '"';
  snprintf(plain, sizeof plain, "%.*s", (int)(quoted ? n - 2 : n), value + quoted);
  return deck_find_set(deck, plain, of_nodes, set);
}

// ---- cards --------------------------------------------------------------------------------------

static Status read_node(Deck *deck) {
  static const char *const refused[] = {"SYSTEM", "INPUT", NULL};
  int any, more;
  size_t set = 0;
  if (deck->is_beyond) return deck_skip(deck); // reference points
  TRY(refuse_options(deck, refused));
  TRY(set_of_option(deck, "NSET", 1, &any, &set));
  for (;;) {
    DeckFields fields;
    TRY(deck_data(deck, &more));
    if (!more) return OK;
    TRY(deck_split(deck, &fields));
    if (fields.n < 3) return deck_error(deck, "a node has a number and two or three coordinates");
    DeckNode node = {.line = deck->scan.line};
    TRY(deck_integer(deck, fields.text[0], "the number of a node", &node.tag));
    for (int i = 0; i < 3 && i + 1 < fields.n; i++)
      TRY(deck_real(deck, fields.text[i + 1], "a coordinate", &node.x[i]));
    TRY(deck_add_node(deck, &node));
    if (any) TRY(deck_put(deck, set, node.tag));
  }
}

// Formulations by shape, each name between bars.
static const struct {
  int shape;
  const char *names;
} formulations[] = {
    {SHAPE_T3, "|S3|S3R|S3RS|S3RT|STRI3|DS3|M3D3|SFM3D3|R3D3|CPS3|CPE3|CPE3H|CAX3|CAX3H|"},
    {SHAPE_Q4,
     "|S4|S4R|S4RS|S4RSW|S4RT|S4R5|DS4|M3D4|M3D4R|SFM3D4|SFM3D4R|R3D4|CPS4|CPS4R|CPS4I|CPE4|"
     "CPE4R|CPE4I|CPE4H|CPE4RH|CPE4IH|CAX4|CAX4R|CAX4I|CAX4H|CAX4RH|"},
    {SHAPE_T4, "|C3D4|C3D4H|C3D4T|"},
    {SHAPE_H8, "|C3D8|C3D8R|C3D8I|C3D8H|C3D8S|C3D8IH|C3D8RH|C3D8T|C3D8RT|SC8R|CSS8|"},
};

// Springs, masses, bars: no part of a mesh. Beginnings of their names.
static const char *const no_part[] = {"MASS", "ROTARY", "SPRING", "DASHPOT", "CONN",  "T2D", "T3D",
                                      "B2",   "B3",     "DCOUP",  "JOINT",   "FRAME", "PIPE"};

static int shape_of(const char *type) {
  char wanted[DECK_NAME + 2];
  size_t n = (size_t)snprintf(wanted, sizeof wanted, "|%s|", type);
  for (size_t k = 0; k < sizeof formulations / sizeof formulations[0]; k++)
    for (const char *at = formulations[k].names; *at; at++)
      if (strncasecmp(at, wanted, n) == 0) return formulations[k].shape;
  return N_SHAPES;
}

// Numbers of one element, over as many lines as it takes.
static Status read_numbers(Deck *deck, DeckElem *elem, int n_nodes) {
  int got = -1, more = 1;
  while (more) {
    DeckFields fields;
    TRY(deck_split(deck, &fields));
    for (int k = 0; k < fields.n; k++, got++) {
      if (got >= n_nodes)
        return deck_error(deck, "element %lld has more than %d nodes", (long long)elem->tag,
                          n_nodes);
      TRY(deck_integer(deck, fields.text[k],
                       got < 0 ? "the number of an element" : "the number of a node",
                       got < 0 ? &elem->tag : &elem->node[got]));
    }
    if (got >= n_nodes) return OK;
    TRY(deck_data(deck, &more));
  }
  return scan_error(&deck->scan, elem->line, "element %lld has %d nodes, not %d",
                    (long long)elem->tag, got < 0 ? 0 : got, n_nodes);
}

static Status skip_elements(Deck *deck, const char *type) {
  char name[DECK_NAME];
  snprintf(name, sizeof name, "elements %.60s", type);
  deck->n_other = 1;
  TRY(deck_note_skipped(deck, name));
  return deck_pass(deck);
}

static Status read_element(Deck *deck) {
  static const char *const refused[] = {"INPUT", "OFFSET", NULL};
  const char *type = option(deck, "TYPE");
  int any, more;
  size_t set = 0;
  if (deck->is_beyond) return deck_skip(deck);
  TRY(refuse_options(deck, refused));
  if (!type) return deck_error(deck, "%s without TYPE", deck->card.text[0]);
  int shape = shape_of(type);
  for (size_t k = 0; k < sizeof no_part / sizeof no_part[0]; k++)
    if (shape == N_SHAPES && strncasecmp(type, no_part[k], strlen(no_part[k])) == 0)
      return skip_elements(deck, type);
  if (shape == N_SHAPES)
    return deck_error(deck,
                      "elements of type '%s' are not read; known are triangles, quadrilaterals, "
                      "tetrahedra and hexahedra of first order (S3, S4R, CPS4, C3D4, C3D8R, ...)",
                      type);
  TRY(set_of_option(deck, "ELSET", 0, &any, &set));
  for (;;) {
    TRY(deck_data(deck, &more));
    if (!more) return OK;
    DeckElem elem = {.line = deck->scan.line, .shape = shape};
    TRY(read_numbers(deck, &elem, topology_table[shape].n_nodes));
    TRY(deck_add_elem(deck, &elem));
    if (any) TRY(deck_put(deck, set, elem.tag));
  }
}

// first, last, step of GENERATE.
static Status put_range(Deck *deck, const DeckFields *fields, size_t set) {
  int64_t number[3] = {0, 0, 1};
  for (int k = 0; k < 3 && k < fields->n; k++)
    TRY(deck_integer(deck, fields->text[k], "a bound of GENERATE", &number[k]));
  if (fields->n < 2 || fields->n > 3 || number[2] < 1 || number[0] > number[1])
    return deck_error(deck, "GENERATE takes a first number, a last one and a positive step");
  for (int64_t k = number[0]; k <= number[1]; k += number[2]) TRY(deck_put(deck, set, k));
  return OK;
}

// Numbers, and names of sets of the same kind that came before.
static Status put_members(Deck *deck, const DeckFields *fields, int of_nodes, size_t set) {
  for (int k = 0; k < fields->n; k++) {
    const char *text = fields->text[k];
    if (!text[0]) continue;
    int64_t number;
    if (text[0] >= '0' && text[0] <= '9') {
      TRY(deck_integer(deck, text, "a member of a set", &number));
      TRY(deck_put(deck, set, number));
      continue;
    }
    size_t before = deck->n_sets, other;
    TRY(deck_find_set(deck, text, of_nodes, &other));
    if (deck->n_sets > before || other == set)
      return deck_error(deck, "'%.40s' is neither a number nor a set that came before", text);
    for (size_t j = 0; j < deck->set[other].n; j++)
      TRY(deck_put(deck, set, deck->set[other].item[j]));
  }
  return OK;
}

static Status read_set(Deck *deck, const char *name, int of_nodes) {
  int any, more, generate = option(deck, "GENERATE") != NULL;
  size_t set = 0;
  if (deck->is_beyond && !option(deck, "INSTANCE")) return deck_skip(deck);
  TRY(set_of_option(deck, name, of_nodes, &any, &set));
  if (!any) return deck_error(deck, "%s without %s", deck->card.text[0], name);
  for (;;) {
    DeckFields fields;
    TRY(deck_data(deck, &more));
    if (!more) return OK;
    TRY(deck_split(deck, &fields));
    TRY(generate ? put_range(deck, &fields, set) : put_members(deck, &fields, of_nodes, set));
  }
}

static Status read_nset(Deck *deck) {
  static const char *const refused[] = {"ELSET", NULL};
  TRY(refuse_options(deck, refused));
  return read_set(deck, "NSET", 1);
}

static Status read_elset(Deck *deck) {
  return read_set(deck, "ELSET", 0);
}

// Numbers of a second part begin anew.
static Status read_part(Deck *deck) {
  if (deck->n_nodes > 0)
    return deck_error(deck, "a second part: write each part into a file of its own");
  return deck_pass(deck);
}

// One that stands where its part does.
static Status read_instance(Deck *deck) {
  int more, line = 0; // the second one turns it: two points of an axis, and an angle
  if (deck->is_beyond)
    return deck_error(deck, "a second instance: write each into a file of its own");
  for (;; line++) {
    DeckFields fields;
    TRY(deck_data(deck, &more));
    if (!more) return OK;
    TRY(deck_split(deck, &fields));
    for (int k = 0; k < fields.n; k++) {
      double value;
      TRY(deck_real(deck, fields.text[k], "the place of an instance", &value));
      if (value != 0 && (line == 0 ? k < 3 : k == 6))
        return deck_error(deck, "the instance is moved or turned: place the body in the input");
    }
  }
}

// What the assembly adds to the instance are reference points, with numbers of their own.
static Status end_instance(Deck *deck) {
  deck->is_beyond = 1;
  return deck_pass(deck);
}

// Loads and steps do not change the mesh.
static Status read_step(Deck *deck) {
  deck->is_over = 1;
  return deck_note_skipped(deck, "*STEP and all behind it");
}

static const DeckCard cards[] = {
    {"NODE", read_node},        {"ELEMENT", read_element},     {"NSET", read_nset},
    {"ELSET", read_elset},      {"PART", read_part},           {"INSTANCE", read_instance},
    {"STEP", read_step},        {"HEADING", deck_pass},        {"PREPRINT", deck_pass},
    {"ENDPART", deck_pass},     {"ENDINSTANCE", end_instance}, {"ASSEMBLY", deck_pass},
    {"ENDASSEMBLY", deck_pass}, {"INCLUDE", deck_refuse},      {"MANIFEST", deck_refuse},
    {"NGEN", deck_refuse},      {"NFILL", deck_refuse},        {"NCOPY", deck_refuse},
    {"NMAP", deck_refuse},      {"ELGEN", deck_refuse},        {"ELCOPY", deck_refuse},
    {"SYSTEM", deck_refuse},    {"PARAMETER", deck_refuse},
};

Status abaqus_read_memory(Mesh *mesh, const char *path, const char *data, size_t size, int dim,
                          MeshTold *told, Err *err) {
  *mesh = (Mesh){0};
  Deck deck = {.scan = {.path = path, .data = data, .size = size, .err = err}, .comment = "**"};
  Status status = deck_read(&deck, cards, sizeof cards / sizeof cards[0]);
  if (status == OK) status = deck_build(&deck, mesh, dim, told);
  deck_free(&deck);
  return status;
}
