#include "solver/problem_fclib.h"

#include <string.h>

#include "algebra/spd.h"
#include "solver/operator.h"

static const double ROUND_OFF = 1e-9; // relative, of what files hold

enum { LANES = 8 }; // right-hand sides of M solved at once

void problem_free(OwnedProblem *problem) {
  mem_free(problem->ptr);
  mem_free(problem->col);
  mem_free(problem->w);
  mem_free(problem->diag);
  mem_free(problem->b);
  mem_free(problem->mu);
  mem_free(problem->elastic);
  mem_free(problem->moved);
  mem_free(problem->lever);
  *problem = (OwnedProblem){0};
}

// Off-diagonal blocks of row i that hold something but zeros, here or in the transposed place;
// returns their number. `t` is the transposed matrix; mark [n] is -1 or the last row that met a
// block.
static int row_pattern(const FclibMatrix *w, const FclibMatrix *t, int dim, int i, int32_t *mark,
                       int32_t *out) {
  int count = 0;
  for (int side = 0; side < 2; side++) {
    const FclibMatrix *a = side ? t : w;
    for (int k = i * dim; k < (i + 1) * dim; k++)
      for (int64_t e = a->ptr[k]; e < a->ptr[k + 1]; e++) {
        int j = a->col[e] / dim;
        if (a->val[e] == 0 || j == i || mark[j] == i) continue;
        mark[j] = i;
        out[count++] = j;
      }
  }
  // Insertion sort: rows of the matrix are sorted, so the list nearly is.
  for (int a = 1; a < count; a++)
    for (int b = a; b > 0 && out[b - 1] > out[b]; b--) {
      int32_t swap = out[b];
      out[b] = out[b - 1];
      out[b - 1] = swap;
    }
  return count;
}

static void matrix_free(FclibMatrix *a) {
  mem_free(a->ptr);
  mem_free(a->col);
  mem_free(a->val);
}

static Status transpose(FclibMatrix *t, const FclibMatrix *a, Err *err) {
  size_t entries = (size_t)a->ptr[a->rows];
  *t = (FclibMatrix){.rows = a->cols, .cols = a->rows};
  t->ptr = mem_new((size_t)t->rows + 2, sizeof *t->ptr);
  t->col = mem_new(entries, sizeof *t->col);
  t->val = mem_new(entries, sizeof *t->val);
  if (!t->ptr || !t->col || !t->val) {
    matrix_free(t);
    return err_set(err, ERR_SYSTEM, "out of memory: matrix of %zu entries", entries);
  }
  for (size_t e = 0; e < entries; e++) t->ptr[a->col[e] + 2]++;
  for (int i = 0; i < t->rows; i++) t->ptr[i + 2] += t->ptr[i + 1];
  for (int i = 0; i < a->rows; i++)
    for (int64_t e = a->ptr[i]; e < a->ptr[i + 1]; e++) {
      int64_t at = t->ptr[a->col[e] + 1]++;
      t->col[at] = i;
      t->val[at] = a->val[e];
    }
  return OK;
}

static Status make_pattern(OwnedProblem *problem, const FclibMatrix *w, int dim, int n, Err *err) {
  FclibMatrix t;
  TRY(transpose(&t, w, err));
  int32_t *mark = mem_new((size_t)n, sizeof *mark), *list = mem_new((size_t)n, sizeof *list);
  problem->ptr = mem_new((size_t)n + 1, sizeof *problem->ptr);
  Status status = err_set(err, ERR_SYSTEM, "out of memory: pattern of %d contacts", n);
  if (!mark || !list || !problem->ptr) goto done;
  memset(mark, 0xff, (size_t)n * sizeof *mark);
  for (int i = 0; i < n; i++)
    problem->ptr[i + 1] = problem->ptr[i] + row_pattern(w, &t, dim, i, mark, list);
  problem->col = mem_new((size_t)problem->ptr[n], sizeof *problem->col);
  if (!problem->col) goto done;
  memset(mark, 0xff, (size_t)n * sizeof *mark);
  for (int i = 0; i < n; i++) row_pattern(w, &t, dim, i, mark, problem->col + problem->ptr[i]);
  if (err) err_clear(err);
  status = OK;
done:
  matrix_free(&t);
  mem_free(mark);
  mem_free(list);
  return status;
}

static void fill_row(OwnedProblem *problem, const FclibMatrix *w, int dim, int i) {
  size_t block = (size_t)(dim * dim);
  for (int k = 0; k < dim; k++)
    for (int64_t e = w->ptr[i * dim + k]; e < w->ptr[i * dim + k + 1]; e++) {
      int j = w->col[e] / dim, l = w->col[e] % dim;
      double *to = NULL;
      if (j == i) {
        to = problem->diag + (size_t)i * block;
      } else {
        int64_t low = problem->ptr[i], high = problem->ptr[i + 1] - 1;
        while (low < high) {
          int64_t middle = (low + high) / 2;
          if (problem->col[middle] < j)
            low = middle + 1;
          else
            high = middle;
        }
        if (low <= high && problem->col[low] == j) to = problem->w + (size_t)low * block;
      }
      if (to) to[k * dim + l] = w->val[e];
    }
}

static Status from_blocks(OwnedProblem *problem, const FclibProblem *from, const FclibMatrix *w,
                          const double *b, Err *err) {
  int dim = from->dim, n = from->n;
  size_t block = (size_t)(dim * dim);
  TRY(make_pattern(problem, w, dim, n, err));
  MEM_NEW(problem->w, (size_t)problem->ptr[n] * block, err);
  MEM_NEW(problem->diag, (size_t)n * block, err);
  MEM_NEW(problem->b, n * dim, err);
  MEM_NEW(problem->mu, n, err);
  for (int i = 0; i < n; i++) fill_row(problem, w, dim, i);
  memcpy(problem->b, b, (size_t)(n * dim) * sizeof *b);
  memcpy(problem->mu, from->mu, (size_t)n * sizeof *from->mu);
  problem->p = (Problem){.dim = dim,
                         .n = n,
                         .blocks.ptr = problem->ptr,
                         .blocks.col = problem->col,
                         .blocks.w = problem->w,
                         .diag = problem->diag,
                         .b = problem->b,
                         .mu = problem->mu};
  return OK;
}

// The elastic parts, checked against the diagonal of W.
static Status take_elastic(OwnedProblem *problem, const double *elastic, Err *err) {
  const Problem *p = &problem->p;
  int dim = p->dim;
  if (!elastic) return OK;
  MEM_NEW(problem->elastic, 2 * p->n, err);
  memcpy(problem->elastic, elastic, sizeof *elastic * 2 * (size_t)p->n);
  problem->p.elastic = problem->elastic;
  for (int i = 0; i < p->n; i++) {
    const double *d = p->diag + (size_t)i * (size_t)(dim * dim);
    double whole[2] = {d[0], dim == 2 ? d[3] : 0.5 * (d[4] + d[8])};
    for (int k = 0; k < 2; k++)
      if (!(elastic[2 * i + k] > 0) ||
          (whole[k] > 0 && elastic[2 * i + k] > (1 + ROUND_OFF) * whole[k])) // 0: nothing moves it
        return err_set(
            err, ERR_INPUT,
            "dataset 'voussoir/elastic': contact %d: the %s part %g does not lie between "
            "0 and all of W there, %g",
            i, k == 0 ? "normal" : "tangential", elastic[2 * i + k], whole[k]);
  }
  return OK;
}

// Levers of rigid motions, checked against the diagonal of W.
static Status take_rigid(OwnedProblem *problem, const FclibProblem *from, Err *err) {
  Problem *p = &problem->p;
  int dim = p->dim, modes = dim == 2 ? 3 : 6, last = -1;
  size_t sides = 2 * (size_t)p->n, row = (size_t)modes;
  MEM_NEW(problem->moved, sides, err);
  MEM_NEW(problem->lever, sides * (size_t)dim * row, err);
  memcpy(problem->moved, from->moved, sides * sizeof *problem->moved);
  memcpy(problem->lever, from->lever, sides * (size_t)dim * row * sizeof *problem->lever);
  for (size_t s = 0; s < sides; s++) last = from->moved[s] > last ? from->moved[s] : last;
  for (int i = 0; i < p->n; i++)
    for (int k = 0; k < dim; k++) {
      double sum = 0, whole = p->diag[(size_t)((i * dim + k) * dim + k)];
      for (int side = 0; side < 2; side++)
        for (size_t m = 0; m < row; m++) {
          double lever = from->lever[((size_t)(2 * i + side) * (size_t)dim + (size_t)k) * row + m];
          if (from->moved[2 * i + side] >= 0) sum += lever * lever;
        }
      if (!(sum <= (1 + ROUND_OFF) * whole) && from->moved[2 * i] != from->moved[2 * i + 1])
        return err_set(err, ERR_INPUT,
                       "dataset 'voussoir/lever': contact %d: rigid motions make %g of W, which is "
                       "%g there",
                       i, sum, whole);
    }
  p->bodies.n_bodies = last + 1;
  p->bodies.n_modes = modes;
  p->bodies.moved = problem->moved;
  p->bodies.lever = problem->lever;
  return OK;
}

// y = H^T x.
static void multiply_transposed(const FclibMatrix *h, const double *x, double *y) {
  memset(y, 0, (size_t)h->cols * sizeof *y);
  for (int i = 0; i < h->rows; i++)
    for (int64_t e = h->ptr[i]; e < h->ptr[i + 1]; e++) y[h->col[e]] += h->val[e] * x[i];
}

static Status invert_mass(SpdInverse **inverse, const FclibMatrix *m, Err *err) {
  Sparse mass = {.n = m->rows, .ptr = m->ptr, .col = m->col, .val = m->val}; // borrowed
  Status status = spd_make(inverse, &mass, err);
  if (status != ERR_NUMERIC) return status;
  err_note(err, "dataset 'fclib_global/M' must be symmetric positive definite");
  if (err) err->status = ERR_INPUT;
  return ERR_INPUT;
}

typedef struct {
  double *rhs, *solution; // [dofs * LANES]
  double *column, *dense; // [dofs], [n dim]
} Condenser;

// Columns first .. first + LANES - 1 of W are appended to `w` as its rows (W is symmetric).
static Status condense_lanes(const FclibMatrix *h, SpdInverse *inverse, int first,
                             Condenser *scratch, FclibMatrix *w, size_t *capacity, Err *err) {
  size_t dofs = (size_t)h->rows;
  memset(scratch->rhs, 0, dofs * LANES * sizeof *scratch->rhs);
  for (size_t i = 0; i < dofs; i++)
    for (int64_t e = h->ptr[i]; e < h->ptr[i + 1]; e++)
      if (h->col[e] >= first && h->col[e] < first + LANES)
        scratch->rhs[i * LANES + (size_t)(h->col[e] - first)] = h->val[e];
  TRY(spd_apply(inverse, LANES, scratch->rhs, scratch->solution, err));
  for (int l = 0; l < LANES && first + l < h->cols; l++) {
    for (size_t i = 0; i < dofs; i++) scratch->column[i] = scratch->solution[i * LANES + (size_t)l];
    multiply_transposed(h, scratch->column, scratch->dense);
    int64_t at = w->ptr[first + l];
    size_t needed = (size_t)at + (size_t)h->cols, capacity2 = *capacity;
    TRY(mem_grow((void **)&w->col, capacity, needed, sizeof *w->col, err));
    TRY(mem_grow((void **)&w->val, &capacity2, needed, sizeof *w->val, err));
    for (int j = 0; j < h->cols; j++)
      if (scratch->dense[j] != 0) {
        w->col[at] = j;
        w->val[at++] = scratch->dense[j];
      }
    w->ptr[first + l + 1] = at;
  }
  return OK;
}

static Status check_condensed(const FclibMatrix *w, Err *err) {
  for (int k = 0; k < w->rows; k++) {
    double diagonal = 0;
    for (int64_t e = w->ptr[k]; e < w->ptr[k + 1]; e++)
      if (w->col[e] == k) diagonal = w->val[e];
    if (!(diagonal > 0))
      return err_set(err, ERR_INPUT, "dataset 'fclib_global/H': column %d is zero: no velocity", k);
  }
  return OK;
}

static Status condense(FclibMatrix *w, double *b, const FclibProblem *from, Err *err) {
  const FclibMatrix *h = &from->h;
  SpdInverse *inverse = NULL;
  TRY(invert_mass(&inverse, &from->m, err));
  size_t dofs = (size_t)h->rows, capacity = 0;
  Condenser scratch = {mem_new(dofs * LANES, sizeof(double)), mem_new(dofs * LANES, sizeof(double)),
                       mem_new(dofs, sizeof(double)), mem_new((size_t)h->cols, sizeof(double))};
  w->rows = w->cols = h->cols;
  w->ptr = mem_new((size_t)w->rows + 1, sizeof *w->ptr);
  Status status = err_set(err, ERR_SYSTEM, "out of memory: condensing %d contacts", from->n);
  if (!scratch.rhs || !scratch.solution || !scratch.column || !scratch.dense || !w->ptr) goto done;
  if (err) err_clear(err);
  for (int first = 0; first < h->cols; first += LANES)
    TRY_GOTO(status, condense_lanes(h, inverse, first, &scratch, w, &capacity, err), done);
  TRY_GOTO(status, check_condensed(w, err), done);
  TRY_GOTO(status, spd_apply(inverse, 1, from->f, scratch.column, err), done);
  multiply_transposed(h, scratch.column, b);
  for (int k = 0; k < h->cols; k++) b[k] += from->q[k];
done:
  mem_free(scratch.rhs);
  mem_free(scratch.solution);
  mem_free(scratch.column);
  mem_free(scratch.dense);
  spd_free(inverse);
  return status;
}

// A contact that no impulse opens, and that closes: no solution, though nothing is there to be
// measured by.
static Status check_prescribed(const Problem *p, Err *err) {
  int dim = p->dim;
  for (int i = 0; i < p->n; i++) {
    int moves = 0;
    for (int k = 0; k < dim; k++) moves |= p->diag[(size_t)(i * dim * dim + k)] != 0;
    if (!moves && p->b[(size_t)i * (size_t)dim] < 0)
      return err_set(
          err, ERR_INPUT,
          "dataset 'fclib_local/vectors/q': no impulse moves contact %d along its normal, "
          "and it closes with %g: there is no solution",
          i, p->b[(size_t)i * (size_t)dim]);
  }
  return OK;
}

Status problem_from_fclib(OwnedProblem *problem, const FclibProblem *from, Err *err) {
  *problem = (OwnedProblem){0};
  Status status = OK;
  if (from->global) {
    FclibMatrix w = {0};
    double *b = mem_new((size_t)(from->n * from->dim), sizeof *b);
    status = b ? condense(&w, b, from, err) : err_set(err, ERR_SYSTEM, "out of memory");
    if (status == OK) status = from_blocks(problem, from, &w, b, err);
    matrix_free(&w);
    mem_free(b);
  } else {
    status = from_blocks(problem, from, &from->w, from->q, err);
    if (status == OK) status = check_prescribed(&problem->p, err);
  }
  if (status == OK) status = take_elastic(problem, from->elastic, err);
  if (status == OK && from->lever) status = take_rigid(problem, from, err);
  if (status != OK) problem_free(problem);
  return status;
}

Status problem_global_velocity(const FclibProblem *from, const double *r, double *v, Err *err) {
  const FclibMatrix *h = &from->h;
  SpdInverse *inverse = NULL;
  double *impulse;
  MEM_NEW(impulse, h->rows, err);
  for (int i = 0; i < h->rows; i++) {
    impulse[i] = from->f[i];
    for (int64_t e = h->ptr[i]; e < h->ptr[i + 1]; e++) impulse[i] += h->val[e] * r[h->col[e]];
  }
  Status status = invert_mass(&inverse, &from->m, err);
  if (status == OK) status = spd_apply(inverse, 1, impulse, v, err);
  spd_free(inverse);
  mem_free(impulse);
  return status;
}

// Blocks of row i in the order of their columns, the diagonal one at its place.
static void append_row(FclibMatrix *w, const Problem *p, int i, int k) {
  int dim = p->dim;
  size_t block = (size_t)(dim * dim);
  int64_t at = w->ptr[i * dim + k];
  int own_done = 0;
  for (int64_t e = p->blocks.ptr[i]; e <= p->blocks.ptr[i + 1]; e++) {
    int at_end = e == p->blocks.ptr[i + 1];
    if (!own_done && (at_end || p->blocks.col[e] > i)) {
      for (int l = 0; l < dim; l++) {
        w->col[at] = i * dim + l;
        w->val[at++] = p->diag[(size_t)i * block + (size_t)(k * dim + l)];
      }
      own_done = 1;
    }
    for (int l = 0; !at_end && l < dim; l++) {
      w->col[at] = p->blocks.col[e] * dim + l;
      w->val[at++] = p->blocks.w[(size_t)e * block + (size_t)(k * dim + l)];
    }
  }
  w->ptr[i * dim + k + 1] = at;
}

// Levers, with bodies numbered from 0 in the order of their first contacts.
static Status rigid_to_file(FclibProblem *to, const Problem *p, Err *err) {
  size_t sides = 2 * (size_t)p->n, levers = sides * (size_t)(p->dim * p->bodies.n_modes);
  int32_t *number = mem_new((size_t)p->bodies.n_bodies + 1, sizeof *number), n = 0;
  if (!number) return err_set(err, ERR_SYSTEM, "out of memory: %d bodies", p->bodies.n_bodies);
  to->moved = mem_new(sides, sizeof *to->moved);
  to->lever = mem_new(levers, sizeof *to->lever);
  for (size_t s = 0; s < sides && to->moved; s++) {
    int body = p->bodies.moved[s];
    if (body >= 0 && number[body] == 0) number[body] = ++n;
    to->moved[s] = body < 0 ? -1 : number[body] - 1;
  }
  mem_free(number);
  if (!to->moved || !to->lever)
    return err_set(err, ERR_SYSTEM, "out of memory: levers of %d contacts", p->n);
  memcpy(to->lever, p->bodies.lever, levers * sizeof *p->bodies.lever);
  return OK;
}

static Status to_blocks(FclibProblem *to, const Problem *p, Err *err) {
  int size = p->n * p->dim;
  size_t entries = (size_t)(p->blocks.ptr[p->n] + p->n) * (size_t)(p->dim * p->dim);
  to->w.rows = to->w.cols = size;
  MEM_NEW(to->w.ptr, size + 1, err);
  MEM_NEW(to->w.col, entries, err);
  MEM_NEW(to->w.val, entries, err);
  MEM_NEW(to->q, size, err);
  MEM_NEW(to->mu, p->n, err);
  for (int i = 0; i < p->n; i++)
    for (int k = 0; k < p->dim; k++) append_row(&to->w, p, i, k);
  memcpy(to->q, p->b, (size_t)size * sizeof *p->b);
  memcpy(to->mu, p->mu, (size_t)p->n * sizeof *p->mu);
  if (!p->elastic) return OK;
  MEM_NEW(to->elastic, 2 * p->n, err);
  memcpy(to->elastic, p->elastic, (size_t)(2 * p->n) * sizeof *p->elastic);
  return p->bodies.lever ? rigid_to_file(to, p, err) : OK;
}

Status problem_to_fclib(FclibProblem *to, const Problem *p, Err *err) {
  *to = (FclibProblem){.dim = p->dim, .n = p->n};
  if (!p->blocks.ptr && !p->bodies.own)
    return err_set(err, ERR_INPUT,
                   "contacts were solved together with the bodies: there is no matrix W of theirs; "
                   "contact=\"delassus\" makes one");
  if (p->radius || p->s || p->a)
    return err_set(err, ERR_INPUT,
                   "the problem has cohesion, impulse shifts or parallel stiffness, for which the "
                   "FCLIB format has no place");
  Arena arena = {0};
  Problem whole;
  Status status = operator_blocks(p, &whole, &arena, err);
  if (status == OK) status = to_blocks(to, &whole, err);
  arena_free(&arena);
  if (status != OK) fclib_free(to);
  return status;
}
