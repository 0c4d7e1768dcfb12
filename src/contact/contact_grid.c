// Boxes in the plane or in space, entered into hashed cells, so that a point looks into its own
// cell only.

#include <math.h>

#include "contact/pair_type.h"

// A box that covers more cells than this is kept apart and met by every point (large supports).
enum { MANY_CELLS = 256 };

static uint32_t cell_hash(const int32_t cell[3]) {
  uint32_t h =
      (uint32_t)cell[0] * 73856093u ^ (uint32_t)cell[1] * 19349663u ^ (uint32_t)cell[2] * 83492791u;
  return h ^ (h >> 15);
}

// Cells from .. to that a box covers, and their number; in the plane the third is 0.
static int64_t box_cells(const ContactGrid *grid, int dim, const double *box, int32_t from[3],
                         int32_t to[3]) {
  int64_t n = 1;
  from[2] = to[2] = 0;
  for (int i = 0; i < dim; i++) {
    from[i] = (int32_t)floor((box[i] - grid->low[i]) / grid->cell);
    to[i] = (int32_t)floor((box[dim + i] - grid->low[i]) / grid->cell);
    n *= (int64_t)to[i] - from[i] + 1;
    if (n > MANY_CELLS) break; // enough to know, and no overflow
  }
  return n;
}

static void enter_box(ContactGrid *grid, int item, const int32_t from[3], const int32_t to[3],
                      int count_only) {
  int32_t c[3];
  for (c[2] = from[2]; c[2] <= to[2]; c[2]++)
    for (c[1] = from[1]; c[1] <= to[1]; c[1]++)
      for (c[0] = from[0]; c[0] <= to[0]; c[0]++) {
        uint32_t bucket = cell_hash(c) & grid->mask;
        if (count_only)
          grid->start[bucket + 2]++;
        else
          grid->entry[grid->start[bucket + 1]++] = (GridEntry){item, {c[0], c[1], c[2]}};
      }
}

Status contact_grid_fill(ContactGrid *grid, int dim, int n, const double *box, Err *err) {
  int32_t from[3], to[3];
  int64_t entries = 0;
  MEM_NEW(grid->large, n, err);
  for (int k = 0; k < n; k++) {
    int64_t cells = box_cells(grid, dim, box + 2 * (size_t)dim * (size_t)k, from, to);
    if (cells > MANY_CELLS)
      grid->large[grid->n_large++] = k;
    else
      entries += cells;
  }
  uint32_t buckets = 64;
  while ((int64_t)buckets < entries) buckets *= 2;
  grid->mask = buckets - 1;
  MEM_NEW(grid->start, buckets + 2, err);
  MEM_NEW(grid->entry, entries, err);
  for (int pass = 0; pass < 2; pass++) { // count, then fill
    for (int k = 0; k < n; k++)
      if (box_cells(grid, dim, box + 2 * (size_t)dim * (size_t)k, from, to) <= MANY_CELLS)
        enter_box(grid, k, from, to, pass == 0);
    for (uint32_t k = 1; pass == 0 && k <= buckets; k++) grid->start[k + 1] += grid->start[k];
  }
  return OK;
}

static int boxes_touch(int dim, const double *a, const double *b) {
  for (int i = 0; i < dim; i++)
    if (a[i] > b[dim + i] || b[i] > a[dim + i]) return 0;
  return 1;
}

// Two boxes share many cells: it is the one with the low corner of what they have in common that
// counts.
static int is_first_cell(const ContactGrid *grid, int dim, const double *a, const double *b,
                         const int32_t cell[3]) {
  for (int i = 0; i < dim; i++) {
    double low = a[i] > b[i] ? a[i] : b[i];
    if ((int32_t)floor((low - grid->low[i]) / grid->cell) != cell[i]) return 0;
  }
  return 1;
}

static int of_one_owner(const ContactGrid *grid, int i, int j) {
  return grid->owner && grid->owner[i] >= 0 && grid->owner[i] == grid->owner[j];
}

static Status pairs_with_large(const ContactGrid *grid, int dim, int n, const double *box,
                               MeetBoxes meet, void *of, Err *err) {
  size_t stride = 2 * (size_t)dim;
  for (int l = 0, passed = 0; l < grid->n_large; l++, passed = l) {
    int large = grid->large[l];
    for (int k = 0, next = 0; k < n; k++) {
      while (next < passed && grid->large[next] < k) next++;
      int met = k == large || (next < passed && grid->large[next] == k); // two large ones: once
      if (met || of_one_owner(grid, k, large) ||
          !boxes_touch(dim, box + stride * (size_t)k, box + stride * (size_t)large))
        continue;
      TRY(meet(of, k < large ? k : large, k < large ? large : k, err));
    }
  }
  return OK;
}

Status contact_grid_pairs(const ContactGrid *grid, int dim, int n, const double *box,
                          MeetBoxes meet, void *of, Err *err) {
  size_t stride = 2 * (size_t)dim;
  for (uint32_t bucket = 0; bucket <= grid->mask; bucket++)
    for (int32_t p = grid->start[bucket]; p < grid->start[bucket + 1]; p++)
      for (int32_t q = grid->start[bucket]; q < p; q++) {
        const GridEntry *x = &grid->entry[p], *y = &grid->entry[q];
        if (of_one_owner(grid, x->item, y->item)) continue;
        int i = x->item < y->item ? x->item : y->item, j = x->item + y->item - i;
        const double *a = box + stride * (size_t)i, *b = box + stride * (size_t)j;
        if (!contact_grid_same(x, y->cell) || !boxes_touch(dim, a, b)) continue;
        if (is_first_cell(grid, dim, a, b, x->cell)) TRY(meet(of, i, j, err));
      }
  return pairs_with_large(grid, dim, n, box, meet, of, err);
}

Status contact_grid_near(const ContactGrid *grid, int dim, int n, const double *boxes,
                         const double *own, MeetBox meet, void *of, Err *err) {
  int32_t from[3], to[3], c[3];
  if (box_cells(grid, dim, own, from, to) > MANY_CELLS) {
    for (int k = 0; k < n; k++) TRY(meet(of, k, err));
    return OK;
  }
  for (int k = 0; k < grid->n_large; k++) TRY(meet(of, grid->large[k], err));
  for (c[2] = from[2]; c[2] <= to[2]; c[2]++)
    for (c[1] = from[1]; c[1] <= to[1]; c[1]++)
      for (c[0] = from[0]; c[0] <= to[0]; c[0]++) {
        const uint32_t bucket = cell_hash(c) & grid->mask;
        for (int32_t k = grid->start[bucket]; k < grid->start[bucket + 1]; k++) {
          const GridEntry *entry = &grid->entry[k];
          const double *box = boxes + 2 * (size_t)dim * (size_t)entry->item;
          if (contact_grid_same(entry, c) && is_first_cell(grid, dim, own, box, c))
            TRY(meet(of, entry->item, err));
        }
      }
  return OK;
}

void contact_grid_free(ContactGrid *grid) {
  mem_free(grid->start);
  mem_free(grid->entry);
  mem_free(grid->large);
  mem_free(grid->owner);
  *grid = (ContactGrid){0};
}

int32_t contact_grid_at(const ContactGrid *grid, int dim, const double *p, int32_t cell[3],
                        int32_t *last) {
  cell[2] = 0;
  for (int i = 0; i < dim; i++) cell[i] = (int32_t)floor((p[i] - grid->low[i]) / grid->cell);
  uint32_t bucket = cell_hash(cell) & grid->mask;
  *last = grid->start[bucket + 1];
  return grid->start[bucket];
}
