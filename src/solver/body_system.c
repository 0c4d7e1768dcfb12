#include "solver/body_system.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK = 3 }; // edge of the matrix's blocks

// Of the diagonal of W, by which it may differ from that of L L^T: round-off. What laws add to it
// is more.
static const double ROUND_OFF = 1e-9;

// Square of one side's levers, of how many numbers is known where it is called.
static inline __attribute__((always_inline)) double square_of(const int n, const double *lever) {
  double sum = 0, beside = 0;
  for (int k = 0; k < n; k += 2) { // in two sums, which the processor makes side by side
    sum += lever[k] * lever[k];
    if (k + 1 < n) beside += lever[k + 1] * lever[k + 1];
  }
  return sum + beside;
}

int contact_is_rigid(const Problem *p, int i) {
  const BodyRows *rows = &p->bodies;
  size_t dim = (size_t)p->dim, side = dim * (size_t)rows->n_modes;
  const double *lever = rows->lever + 2 * (size_t)i * side;
  double sum = 0, whole = 0;
  if (rows->moved[2 * i] >= 0 && rows->moved[2 * i] == rows->moved[2 * i + 1]) return 0;
  for (int k = 0; k < 2; k++)
    if (rows->moved[2 * i + k] >= 0)
      sum += p->dim == 2 ? square_of(6, lever + (size_t)k * side)
                         : square_of(18, lever + (size_t)k * side);
  for (size_t k = 0; k < dim; k++) whole += p->diag[((size_t)i * dim + k) * dim + k];
  return fabs(whole - sum) <= ROUND_OFF * sum;
}

int body_system_takes(const Problem *p) {
  if (!p->bodies.moved || !p->bodies.lever || p->elastic || p->item || p->a) return 0;
  for (int i = 0; i < p->n; i++)
    if (!contact_is_rigid(p, i)) return 0;
  return 1;
}

// Numbers [n_bodies] of the bodies that are touched, in their order; -1: not touched.
static Status number_bodies(const Problem *p, int32_t **number, int *n, Arena *arena, Err *err) {
  const BodyRows *rows = &p->bodies;
  ARENA_NEW(*number, rows->n_bodies, arena, err);
  memset(*number, 0xff, (size_t)rows->n_bodies * sizeof **number);
  for (int side = 0; side < 2 * p->n; side++)
    if (rows->moved[side] >= 0) (*number)[rows->moved[side]] = 0;
  *n = 0;
  for (int b = 0; b < rows->n_bodies; b++)
    if ((*number)[b] == 0) (*number)[b] = (*n)++;
  return OK;
}

Status body_system_count(const Problem *p, int *n_bodies, Arena *arena, Err *err) {
  int32_t *number;
  return number_bodies(p, &number, n_bodies, arena, err);
}

static int by_number(const void *a, const void *b) {
  int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
  return (x > y) - (x < y);
}

typedef struct {
  int32_t *ptr, *body; // neighbours of each body, increasing
} Neighbours;

static Status find_neighbours(const BodySystem *system, Neighbours *near, Arena *arena, Err *err) {
  int n = system->n_bodies, n_sides = 2 * system->p->n;
  int32_t *first, *other, *mark;
  ARENA_NEW(first, n + 2, arena, err);
  ARENA_NEW(other, n_sides, arena, err);
  ARENA_NEW(mark, n, arena, err);
  ARENA_NEW(near->ptr, n + 1, arena, err);
  ARENA_NEW(near->body, n_sides, arena, err);
  memset(first, 0, ((size_t)n + 2) * sizeof *first);
  memset(mark, 0xff, (size_t)n * sizeof *mark);
  for (int side = 0; side < n_sides; side++)
    if (system->body[side] >= 0 && system->body[side ^ 1] >= 0) first[system->body[side] + 2]++;
  for (int b = 0; b < n; b++) first[b + 2] += first[b + 1];
  for (int side = 0; side < n_sides; side++)
    if (system->body[side] >= 0 && system->body[side ^ 1] >= 0)
      other[first[system->body[side] + 1]++] = system->body[side ^ 1];
  int at = 0;
  for (int b = 0; b < n; b++) {
    near->ptr[b] = at;
    for (int k = first[b]; k < first[b + 1]; k++) {
      if (mark[other[k]] == b) continue;
      mark[other[k]] = b;
      near->body[at++] = other[k];
    }
    qsort(near->body + near->ptr[b], (size_t)(at - near->ptr[b]), sizeof *near->body, by_number);
  }
  near->ptr[n] = at;
  return OK;
}

// Rows of the matrix: the other half of the body itself, and both halves of its neighbours.
static Status make_pattern(BodySystem *system, const Neighbours *near, Arena *arena, Err *err) {
  int halves = system->modes / BLOCK, n_rows = system->n_bodies * halves, row = 0;
  int64_t *ptr, at = 0;
  int32_t *col;
  size_t entries = (size_t)(near->ptr[system->n_bodies] * halves * halves + n_rows);
  ARENA_NEW(ptr, n_rows + 1, arena, err);
  ARENA_NEW(col, entries + 1, arena, err);
  for (int b = 0; b < system->n_bodies; b++)
    for (int h = 0; h < halves; h++) {
      int own = 0;
      ptr[row++] = at;
      for (int k = near->ptr[b]; k <= near->ptr[b + 1]; k++) {
        int other = k < near->ptr[b + 1] ? near->body[k] : system->n_bodies;
        for (; !own && other > b; own = 1)
          for (int g = 0; g < halves; g++)
            if (g != h) col[at++] = b * halves + g;
        for (int g = 0; g < halves && other < system->n_bodies; g++) col[at++] = other * halves + g;
      }
    }
  ptr[n_rows] = at;
  ARENA_NEW(system->w, (size_t)at * BLOCK * BLOCK + 1, arena, err);
  system->matrix =
      (Problem){.dim = BLOCK, .n = n_rows, .blocks = {.ptr = ptr, .col = col, .w = system->w}};
  return OK;
}

// First block of body b in the rows of body a, whose rows all have as many blocks.
static int64_t place_of(const BodySystem *system, const Neighbours *near, int a, int b) {
  int halves = system->modes / BLOCK, low = near->ptr[a], high = near->ptr[a + 1];
  while (low < high) {
    int middle = (low + high) / 2;
    if (near->body[middle] < b)
      low = middle + 1;
    else
      high = middle;
  }
  return system->matrix.blocks.ptr[a * halves] + (low - near->ptr[a]) * halves +
         (b > a ? halves - 1 : 0);
}

Status body_system_init(BodySystem *system, const Problem *p, SolverKept *kept, Arena *arena,
                        Err *err) {
  Neighbours near;
  int32_t *number;
  *system = (BodySystem){.p = p, .modes = p->bodies.n_modes};
  ARENA_NEW(system->body, 2 * p->n, arena, err);
  ARENA_NEW(system->beside, 2 * p->n, arena, err);
  TRY(number_bodies(p, &number, &system->n_bodies, arena, err));
  for (int side = 0; side < 2 * p->n; side++)
    system->body[side] = p->bodies.moved[side] < 0 ? -1 : number[p->bodies.moved[side]];
  TRY(find_neighbours(system, &near, arena, err));
  TRY(make_pattern(system, &near, arena, err));
  for (int i = 0; i < p->n; i++) {
    const int32_t *body = system->body + 2 * (size_t)i;
    int both = body[0] >= 0 && body[1] >= 0;
    system->beside[2 * i] = both ? place_of(system, &near, body[0], body[1]) : -1;
    system->beside[2 * i + 1] = both ? place_of(system, &near, body[1], body[0]) : -1;
  }
  size_t room = (size_t)system->matrix.n * BLOCK * BLOCK;
  ARENA_NEW(system->diag, room, arena, err);
  ARENA_NEW(system->left, room, arena, err);
  ARENA_NEW(system->right, room, arena, err);
  memset(system->right, 0, room * sizeof *system->right);
  for (size_t k = 0; k < room; k++) system->left[k] = k % (BLOCK * BLOCK) % (BLOCK + 1) == 0;
  system->matrix.diag = system->diag;
  return kept_factors(kept, FACTORS_OF_BODIES, &system->lu, &system->matrix, arena, err);
}

// to (rows of a body, `step` blocks each; `own` where the diagonal ones are apart) += L_a^T c.
static inline __attribute__((always_inline)) void add_product(const int dim, const double *lever,
                                                              const double *c, double *to,
                                                              int64_t step, double *own) {
  const int modes = dim == 2 ? 3 : 6, halves = modes / BLOCK;
  for (int h = 0; h < halves; h++)
    for (int g = 0; g < halves; g++) {
      double *block =
          own && g == h ? own + h * BLOCK * BLOCK : to + (h * step + (own ? 0 : g)) * BLOCK * BLOCK;
#pragma GCC unroll 3
      for (int a = 0; a < BLOCK; a++)
#pragma GCC unroll 3
        for (int k = 0; k < dim; k++)
#pragma GCC unroll 3
          for (int b = 0; b < BLOCK; b++)
            block[a * BLOCK + b] += lever[k * modes + h * BLOCK + a] * c[k * modes + g * BLOCK + b];
    }
}

// Place of the other half of a body in its first row, and how many blocks rows have.
static inline int64_t row_length(const BodySystem *system, int halves, int body) {
  const int64_t *ptr = system->matrix.blocks.ptr + (size_t)body * (size_t)halves;
  return ptr[1] - ptr[0];
}

static inline __attribute__((always_inline)) void add_contact(const int dim, BodySystem *system,
                                                              int i, const double *j) {
  const int modes = dim == 2 ? 3 : 6, halves = modes / BLOCK;
  const double *lever = system->p->bodies.lever + 2 * (size_t)i * (size_t)(dim * modes);
  for (int side = 0; side < 2; side++) { // columns of this side
    int body = system->body[2 * i + side];
    if (body < 0) continue;
    const double *own = lever + side * dim * modes;
    double c[18] = {0};
#pragma GCC unroll 3
    for (int k = 0; k < dim; k++)
#pragma GCC unroll 3
      for (int l = 0; l < dim; l++)
#pragma GCC unroll 6
        for (int m = 0; m < modes; m++) c[k * modes + m] += j[k * dim + l] * own[l * modes + m];
    // The block between the halves of a body stands before those of bodies behind it: in the first
    // row where its second half is, in the second where its first half is, which is the same place.
    int64_t row = system->matrix.blocks.ptr[body * halves], at = row;
    while (halves == 2 && system->matrix.blocks.col[at] != body * 2 + 1) at++;
    add_product(dim, own, c, system->w + at * BLOCK * BLOCK, row_length(system, halves, body),
                system->diag + (size_t)body * (size_t)(halves * BLOCK * BLOCK));
    int other = system->body[2 * i + !side];
    if (other < 0) continue;
    add_product(dim, lever + !side * dim * modes, c,
                system->w + system->beside[2 * i + !side] * BLOCK * BLOCK,
                row_length(system, halves, other), NULL);
  }
}

int body_system_factor(BodySystem *system, const double *j, int64_t *blocks) {
  const Problem *p = system->p;
  size_t rows = (size_t)system->matrix.n, size = (size_t)p->dim * (size_t)p->dim;
  memset(system->w, 0, (size_t)system->matrix.blocks.ptr[rows] * BLOCK * BLOCK * sizeof *system->w);
  memcpy(system->diag, system->left, rows * BLOCK * BLOCK * sizeof *system->diag);
  for (int i = 0; i < p->n; i++) {
    if (p->dim == 2)
      add_contact(2, system, i, j + (size_t)i * size);
    else
      add_contact(3, system, i, j + (size_t)i * size);
  }
  *blocks += 2 * body_system_products(p);
  return block_lu_factor(&system->lu, &system->matrix, system->left, system->right, blocks);
}

void body_system_solve(const BodySystem *system, const double *b, double *x, int64_t *blocks) {
  block_lu_solve(&system->lu, b, x);
  *blocks += 2 * system->lu.l_ptr[system->matrix.n];
}
