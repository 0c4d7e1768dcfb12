// STL: triangles, each with its own copy of its corners, to a surface whose facets share nodes. The
// order of the corners says which way a facet looks (right hand); the normals of the file are not
// used, many programs leave them zero.

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/mem.h"
#include "mesh/gmsh_scan.h"
#include "mesh/readers.h"
#include "mesh/weld.h"

// Binary: 80 bytes of anything, the number of facets, then for each a normal, three corners, two
// bytes.
enum { HEADER = 80, START = 84, RECORD = 50, CORNERS_AT = 12 };

// Facets as the file has them.
typedef struct {
  int n;
  double *x;      // [n * 9] three corners
  int64_t *place; // [n] line or byte
  size_t x_room, place_room;
} Soup;

static void soup_free(Soup *soup) {
  mem_free(soup->x);
  mem_free(soup->place);
}

static Status soup_add(Soup *soup, const Scan *scan, int64_t place) {
  if (soup->n >= INT32_MAX / 9) return scan_error(scan, place, "more facets than can be numbered");
  size_t n = (size_t)soup->n + 1;
  TRY(mem_grow((void **)&soup->x, &soup->x_room, 9 * n, sizeof *soup->x, scan->err));
  TRY(mem_grow((void **)&soup->place, &soup->place_room, n, sizeof *soup->place, scan->err));
  soup->place[soup->n++] = place;
  return OK;
}

// ---- binary -------------------------------------------------------------------------------------

static uint32_t little_endian(const char *data) {
  uint32_t value = 0;
  for (int k = 3; k >= 0; k--) value = value << 8 | (unsigned char)data[k];
  return value;
}

static int is_binary(const char *data, size_t size) {
  return size >= START && size == START + (size_t)RECORD * little_endian(data + HEADER);
}

static Status parse_binary(Soup *soup, Scan *scan) {
  scan->binary = 1;
  for (scan->at = START; scan->at < scan->size; scan->at += RECORD) {
    TRY(soup_add(soup, scan, (int64_t)scan->at));
    double *x = soup->x + 9 * ((size_t)soup->n - 1);
    for (int k = 0; k < 9; k++) {
      uint32_t bits = little_endian(scan->data + scan->at + CORNERS_AT + 4 * k);
      float value;
      memcpy(&value, &bits, sizeof value);
      x[k] = (double)value;
      if (!isfinite(x[k]))
        return scan_error(scan, (int64_t)scan->at, "a coordinate of facet %d is %g", soup->n, x[k]);
    }
  }
  return OK;
}

// ---- text ---------------------------------------------------------------------------------------

static Status expect(Scan *scan, const char *wanted) {
  char word[32];
  int64_t place = scan_place(scan);
  scan_word(scan, word, sizeof word);
  if (strcasecmp(word, wanted) == 0) return OK;
  if (!word[0]) return scan_error(scan, place, "the file ends where '%s' should stand", wanted);
  return scan_error(scan, place, "'%s' stands where '%s' should be", word, wanted);
}

// Behind "facet".
static Status parse_facet(Soup *soup, Scan *scan, int64_t place) {
  char normal[64];
  TRY(soup_add(soup, scan, place));
  TRY(expect(scan, "normal"));
  for (int k = 0; k < 3; k++) scan_word(scan, normal, sizeof normal);
  TRY(expect(scan, "outer"));
  TRY(expect(scan, "loop"));
  for (int k = 0; k < 3; k++) {
    TRY(expect(scan, "vertex"));
    for (int i = 0; i < 3; i++)
      TRY(scan_real(scan, &soup->x[9 * ((size_t)soup->n - 1) + 3 * (size_t)k + (size_t)i],
                    "a coordinate"));
  }
  TRY(expect(scan, "endloop"));
  return expect(scan, "endfacet");
}

// The name of a solid may be of several words, or of none.
static void skip_line(Scan *scan) {
  while (scan->at < scan->size && scan->data[scan->at] != '\n') scan->at++;
}

static Status parse_text(Soup *soup, Scan *scan) {
  int inside = 0, any = 0;
  for (;;) {
    char word[32];
    int64_t place = scan_place(scan);
    scan_word(scan, word, sizeof word);
    if (!word[0] && !inside && any) return OK;
    if (strcasecmp(word, inside ? "endsolid" : "solid") == 0) {
      inside = !inside;
      any = 1;
      skip_line(scan);
    } else if (inside && strcasecmp(word, "facet") == 0) {
      TRY(parse_facet(soup, scan, place));
    } else if (!word[0]) {
      return scan_error(scan, place, "the file ends where '%s' should stand",
                        inside ? "endsolid" : "solid");
    } else {
      return scan_error(scan, place, "'%s' stands where %s should be%s", word,
                        inside ? "'facet' or 'endsolid'" : "'solid'",
                        any ? "" : ": this is no STL file, neither text nor binary of its length");
    }
  }
}

// ---- to a mesh ----------------------------------------------------------------------------------

static Status fill_mesh(Mesh *mesh, const Weld *weld, int n_facets, Err *err) {
  TRY(mesh_init(mesh, 3, weld->n_nodes, 0, 0, err));
  TRY(mesh_init_facets(mesh, n_facets, 3 * n_facets, err));
  memcpy(mesh->x, weld->x, sizeof *mesh->x * 3 * (size_t)weld->n_nodes);
  memcpy(mesh->facet_node, weld->node, sizeof *weld->node * 3 * (size_t)n_facets);
  for (int f = 0; f < n_facets; f++) {
    mesh->facet_shape[f] = SHAPE_T3;
    mesh->facet_ptr[f + 1] = 3 * (f + 1);
  }
  return OK;
}

// What weld_check found, with the place of the facet.
static Status tell_defect(const WeldReport *report, const Soup *soup, const Scan *scan) {
  int f = report->facet[0] + 1, g = report->facet[1] + 1;
  int64_t place = soup->place[report->facet[0]];
  switch (report->defect) {
  case WELD_NO_AREA:
    return scan_error(scan, place, "facet %d has no area", f);
  case WELD_TURNED:
    return scan_error(scan, place,
                      "facets %d and %d run the same way along the edge that they share: one of "
                      "them is turned over, or both are the same",
                      f, g);
  case WELD_FOLDED:
    return scan_error(scan, place, "facets %d and %d are folded onto one another", f, g);
  case WELD_BRANCHED:
    return scan_error(scan, place,
                      "%d facets meet at one edge, among them %d and %d: a surface has two",
                      report->n_meet, f, g);
  default:
    return OK;
  }
}

static void tell_doubts(const WeldReport *report, MeshTold *told) {
  const double *a = report->open_at[0], *b = report->open_at[1];
  if (report->n_open > 0)
    mesh_tell(told,
              "its surface is open along %d edges in %d %s, one from (%.6g, %.6g, %.6g) to (%.6g, "
              "%.6g, %.6g) of the file: right for a surface that ends there, wrong for the skin of "
              "a body",
              report->n_open, report->n_rims, report->n_rims == 1 ? "rim" : "rims", a[0], a[1],
              a[2], b[0], b[1], b[2]);
  else if (report->volume < 0)
    mesh_tell(told, "its surface is closed and looks inwards: the material is outside of it");
}

static Status build(Mesh *mesh, const Soup *soup, const Scan *scan, MeshTold *told) {
  Weld weld = {0};
  WeldReport report;
  Status status = weld_init(&weld, soup->x, soup->n, scan->err);
  if (status == OK) status = weld_check(&weld, &report, scan->err);
  if (status == OK) status = tell_defect(&report, soup, scan);
  if (status == OK) status = fill_mesh(mesh, &weld, soup->n, scan->err);
  if (status == OK) tell_doubts(&report, told);
  if (status != OK) mesh_free(mesh);
  weld_free(&weld);
  return status;
}

Status stl_read_memory(Mesh *mesh, const char *path, const char *data, size_t size, int dim,
                       MeshTold *told, Err *err) {
  *mesh = (Mesh){0};
  Scan scan = {.path = path, .data = data, .size = size, .line = 1, .err = err};
  Soup soup = {0};
  Status status = OK;
  if (dim != 3)
    return err_set(err, ERR_INPUT, "%s: an STL file holds surfaces in space, the model is plane",
                   path);
  if (size >= START && memchr(data, 0, size) && !is_binary(data, size)) // no text either
    return err_set(
        err, ERR_INPUT, "%s: the file has %zu bytes, and a binary file of %u facets has %zu", path,
        size, little_endian(data + HEADER), START + (size_t)RECORD * little_endian(data + HEADER));
  status = is_binary(data, size) ? parse_binary(&soup, &scan) : parse_text(&soup, &scan);
  if (status == OK && soup.n == 0)
    status = err_set(err, ERR_INPUT, "%s: the file has no facets", path);
  if (status == OK) status = build(mesh, &soup, &scan, told);
  soup_free(&soup);
  return status;
}
