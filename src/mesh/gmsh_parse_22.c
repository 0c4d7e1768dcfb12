#include <stdlib.h>

#include "mesh/gmsh.h"

// Tags of an element: physical group, geometric entity, partitions ...; more is a broken file.
enum { MAX_TAGS = 1024 };

// In binary files a count stands in text on a line of its own.
static Status count_line(Scan *scan, int64_t *n, int64_t bytes, int64_t numbers, const char *what) {
  TRY(scan_count(scan, n, 1, bytes, numbers, what));
  if (!scan->binary) return OK;
  TRY(scan_newline(scan));
  scan->as_text = 0;
  return OK;
}

Status gmsh_parse_22_nodes(RawMesh *raw, Scan *scan) {
  int64_t n;
  TRY(count_line(scan, &n, 28, 4, "the number of nodes"));
  TRY(gmsh_begin_nodes(raw, n, scan));
  for (int64_t k = 0; k < n; k++) {
    raw->node_place[k] = scan_place(scan);
    TRY(scan_int(scan, &raw->node_tag[k], "the number of a node"));
    for (int c = 0; c < 3; c++) TRY(scan_real(scan, &raw->x[3 * k + c], "a coordinate"));
  }
  return OK;
}

// The first tag is the physical group; a negative one means reversed orientation.
static Status read_tags(Scan *scan, int64_t n_tags, int64_t place, int *physical) {
  *physical = 0;
  if (n_tags < 0 || n_tags > MAX_TAGS)
    return scan_error(scan, place, "an element has %lld tags", (long long)n_tags);
  for (int64_t k = 0; k < n_tags; k++) {
    int64_t tag;
    TRY(scan_int(scan, &tag, "a tag of an element"));
    if (tag == INT32_MIN) return scan_error(scan, place, "the tag %lld", (long long)tag);
    if (k == 0) *physical = (int)llabs(tag);
  }
  return OK;
}

// One element whose tag and shape are known; runs of equal shape and group share a block.
static Status read_elem(RawMesh *raw, Scan *scan, int64_t place, int64_t type, int64_t n_tags,
                        int64_t tag) {
  int physical;
  TRY(read_tags(scan, n_tags, place, &physical));
  RawBlock *block = raw->n_blocks > 0 ? &raw->blocks[raw->n_blocks - 1] : NULL;
  if (!block || topology_table[block->shape].gmsh_code != type || block->physical != physical) {
    TRY(gmsh_begin_block(raw, scan, place, type, &block));
    block->physical = physical;
  }
  return gmsh_add_elem(raw, scan, place, tag);
}

static Status read_ascii(RawMesh *raw, Scan *scan, int64_t n) {
  for (int64_t k = 0; k < n; k++) {
    int64_t place = scan_place(scan), tag, type, n_tags;
    TRY(scan_int(scan, &tag, "the number of an element"));
    TRY(scan_int(scan, &type, "the type of an element"));
    TRY(scan_int(scan, &n_tags, "the number of tags"));
    TRY(read_elem(raw, scan, place, type, n_tags, tag));
  }
  return OK;
}

// Binary files say type, count and number of tags once for a run of elements.
static Status read_binary(RawMesh *raw, Scan *scan, int64_t n) {
  for (int64_t done = 0; done < n;) {
    int64_t header = scan_place(scan), type, run, n_tags;
    TRY(scan_int(scan, &type, "the type of elements"));
    TRY(scan_count(scan, &run, 1, 8, 0, "the number of elements that follow"));
    TRY(scan_int(scan, &n_tags, "the number of tags"));
    if (run < 1 || run > n - done)
      return scan_error(scan, header, "%lld elements follow, %lld are left", (long long)run,
                        (long long)(n - done));
    for (int64_t k = 0; k < run; k++, done++) {
      int64_t place = scan_place(scan), tag;
      TRY(scan_int(scan, &tag, "the number of an element"));
      TRY(read_elem(raw, scan, place, type, n_tags, tag));
    }
  }
  return OK;
}

Status gmsh_parse_22_elements(RawMesh *raw, Scan *scan) {
  int64_t n;
  TRY(count_line(scan, &n, 8, 4, "the number of elements"));
  TRY(gmsh_begin_elems(raw, n, scan));
  return scan->binary ? read_binary(raw, scan, n) : read_ascii(raw, scan, n);
}
