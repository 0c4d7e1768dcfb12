#include "solver/problem_fclib.h"

#include <math.h>
#include <string.h>

#include "algebra/spd.h"
#include "solver/fclib_rigid.h"
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
  mem_free(problem->radius);
  mem_free(problem->compliance);
  mem_free(problem->s);
  mem_free(problem->a);
  mem_free(problem->item);
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
  *a = (FclibMatrix){0};
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

// Items that hold the rows of equalities, dim at a time, behind the contacts.
static int n_items(const FclibProblem *from) {
  return from->n + (from->n_equal + from->dim - 1) / from->dim;
}

static Status take_items(OwnedProblem *problem, const FclibProblem *from, Err *err) {
  int n = n_items(from), dim = from->dim;
  if (from->n_equal == 0) return OK;
  MEM_NEW(problem->item, n, err);
  for (int i = 0; i < n; i++) {
    int left = from->n_equal - (i - from->n) * dim;
    problem->item[i] = i < from->n ? (Item){.kind = ITEM_CONE, .rows = dim}
                                   : (Item){.kind = ITEM_EQUALITY, .rows = left < dim ? left : dim};
  }
  problem->p.item = problem->item;
  return OK;
}

// Of w [n_items dim x n_items dim] and b, equalities behind the contacts.
static Status from_blocks(OwnedProblem *problem, const FclibProblem *from, const FclibMatrix *w,
                          const double *b, Err *err) {
  int dim = from->dim, n = n_items(from);
  size_t block = (size_t)(dim * dim);
  TRY(make_pattern(problem, w, dim, n, err));
  MEM_NEW(problem->w, (size_t)problem->ptr[n] * block, err);
  MEM_NEW(problem->diag, (size_t)n * block, err);
  MEM_NEW(problem->b, n * dim, err);
  MEM_NEW(problem->mu, n, err);
  for (int i = 0; i < n; i++) fill_row(problem, w, dim, i);
  memcpy(problem->b, b, (size_t)(n * dim) * sizeof *b);
  memcpy(problem->mu, from->mu, (size_t)from->n * sizeof *from->mu);
  problem->p = (Problem){.dim = dim,
                         .n = n,
                         .blocks.ptr = problem->ptr,
                         .blocks.col = problem->col,
                         .blocks.w = problem->w,
                         .diag = problem->diag,
                         .b = problem->b,
                         .mu = problem->mu};
  return take_items(problem, from, err);
}

// The elastic parts, checked against the diagonal of W.
static Status take_elastic(OwnedProblem *problem, const FclibProblem *from, Err *err) {
  const Problem *p = &problem->p;
  const double *elastic = from->elastic;
  int dim = p->dim;
  if (!elastic) return OK;
  MEM_NEW(problem->elastic, 2 * p->n, err);
  memcpy(problem->elastic, elastic, sizeof *elastic * 2 * (size_t)from->n);
  problem->p.elastic = problem->elastic;
  for (int i = 0; i < p->n; i++) {
    const double *d = p->diag + (size_t)i * (size_t)(dim * dim);
    double whole[2] = {d[0], dim == 2 ? d[3] : 0.5 * (d[4] + d[8])};
    // Of equalities the file says nothing: all of W, and 1 where nothing moves them.
    for (int k = 0; k < 2 && i >= from->n; k++)
      problem->elastic[2 * i + k] = whole[k] > 0 ? whole[k] : 1;
    if (i >= from->n) continue;
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

// Levers of rigid motions, checked against W.
static Status take_rigid(OwnedProblem *problem, const FclibProblem *from, Err *err) {
  Problem *p = &problem->p;
  int dim = p->dim, modes = dim == 2 ? 3 : 6, last = -1;
  size_t sides = 2 * (size_t)p->n, row = (size_t)modes;
  MEM_NEW(problem->moved, sides, err);
  MEM_NEW(problem->lever, sides * (size_t)dim * row, err);
  size_t known = 2 * (size_t)from->n; // of equalities the file says nothing
  memset(problem->moved, 0xff, sides * sizeof *problem->moved);
  memcpy(problem->moved, from->moved, known * sizeof *problem->moved);
  memcpy(problem->lever, from->lever, known * (size_t)dim * row * sizeof *problem->lever);
  for (size_t s = 0; s < known; s++) last = from->moved[s] > last ? from->moved[s] : last;
  p->bodies.n_bodies = last + 1;
  p->bodies.n_modes = modes;
  p->bodies.moved = problem->moved;
  p->bodies.lever = problem->lever;
  return fclib_check_rigid(p, from->n, err);
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

static Status check_condensed(const FclibMatrix *w, int n_contacts, Err *err) {
  for (int k = 0; k < w->rows; k++) {
    double diagonal = 0;
    for (int64_t e = w->ptr[k]; e < w->ptr[k + 1]; e++)
      if (w->col[e] == k) diagonal = w->val[e];
    if (diagonal > 0) continue;
    int contact = k < n_contacts;
    return err_set(err, ERR_INPUT, "dataset 'fclib_global/%s': column %d is zero: no velocity",
                   contact ? "H" : "G", contact ? k : k - n_contacts);
  }
  return OK;
}

// *joined = [left right], by rows.
static Status join(FclibMatrix *joined, const FclibMatrix *left, const FclibMatrix *right,
                   Err *err) {
  size_t entries = (size_t)(left->ptr[left->rows] + (right->ptr ? right->ptr[left->rows] : 0));
  *joined = (FclibMatrix){.rows = left->rows, .cols = left->cols + right->cols};
  joined->ptr = mem_new((size_t)left->rows + 1, sizeof *joined->ptr);
  joined->col = mem_new(entries, sizeof *joined->col);
  joined->val = mem_new(entries, sizeof *joined->val);
  if (!joined->ptr || !joined->col || !joined->val)
    return err_set(err, ERR_SYSTEM, "out of memory: matrix of %zu entries", entries);
  int64_t at = 0;
  for (int i = 0; i < left->rows; i++) {
    for (int side = 0; side < 2; side++) {
      const FclibMatrix *a = side ? right : left;
      for (int64_t e = a->ptr ? a->ptr[i] : 0; a->ptr && e < a->ptr[i + 1]; e++) {
        joined->col[at] = a->col[e] + (side ? left->cols : 0);
        joined->val[at++] = a->val[e];
      }
    }
    joined->ptr[i + 1] = at;
  }
  return OK;
}

// Places that the last item has no row for: nothing moves them, and their diagonal is that of its
// first row.
static Status pad(FclibMatrix *w, const FclibProblem *from, Err *err) {
  int rows = n_items(from) * from->dim, first = w->rows - w->rows % from->dim;
  size_t entries = (size_t)w->ptr[w->rows], more = (size_t)(rows - w->rows);
  size_t capacity[3] = {(size_t)w->rows + 1, entries, entries};
  double own = 0;
  if (more == 0) return OK;
  TRY(mem_grow((void **)&w->ptr, &capacity[0], (size_t)rows + 1, sizeof *w->ptr, err));
  TRY(mem_grow((void **)&w->col, &capacity[1], entries + more, sizeof *w->col, err));
  TRY(mem_grow((void **)&w->val, &capacity[2], entries + more, sizeof *w->val, err));
  for (int64_t e = w->ptr[first]; e < w->ptr[first + 1]; e++)
    if (w->col[e] == first) own = w->val[e];
  for (; w->rows < rows; w->rows++) {
    int64_t at = w->ptr[w->rows];
    w->col[at] = w->rows;
    w->val[at] = own;
    w->ptr[w->rows + 1] = at + 1;
  }
  w->cols = w->rows;
  return OK;
}

// W = [H G]^T M^-1 [H G] and b.
static Status condense(FclibMatrix *w, double *b, const FclibProblem *from, const FclibMatrix *h,
                       Err *err) {
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
  TRY_GOTO(status, check_condensed(w, from->n * from->dim, err), done);
  TRY_GOTO(status, spd_apply(inverse, 1, from->f, scratch.column, err), done);
  multiply_transposed(h, scratch.column, b);
  for (int k = 0; k < h->cols; k++) {
    int equality = k - from->n * from->dim;
    b[k] += equality < 0 ? from->q[k] : from->s[equality];
  }
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
static Status check_prescribed(const Problem *p, int n_contacts, Err *err) {
  int dim = p->dim;
  for (int i = 0; i < n_contacts; i++) {
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

static Status condensed(OwnedProblem *problem, const FclibProblem *from, double *b, Err *err) {
  FclibMatrix w = {0}, h = {0};
  Status status = join(&h, &from->h, &from->g, err);
  if (status == OK) status = condense(&w, b, from, &h, err);
  if (status == OK) status = pad(&w, from, err);
  if (status == OK) status = from_blocks(problem, from, &w, b, err);
  matrix_free(&w);
  matrix_free(&h);
  return status;
}

// [W V; V^T R] of a local problem with equalities.
static Status with_equalities(OwnedProblem *problem, const FclibProblem *from, const double *b,
                              Err *err) {
  FclibMatrix t = {0}, above = {0}, below = {0}, w = {0};
  int rows = from->w.rows, more = from->n_equal;
  Status status = transpose(&t, &from->v, err);
  if (status == OK) status = join(&above, &from->w, &from->v, err);
  if (status == OK) status = join(&below, &t, &from->r, err);
  if (status == OK) {
    size_t upper = (size_t)above.ptr[rows], lower = (size_t)below.ptr[more];
    w = (FclibMatrix){.rows = rows + more, .cols = rows + more};
    w.ptr = mem_new((size_t)(rows + more) + 1, sizeof *w.ptr);
    w.col = mem_new(upper + lower, sizeof *w.col);
    w.val = mem_new(upper + lower, sizeof *w.val);
    if (!w.ptr || !w.col || !w.val) {
      status = err_set(err, ERR_SYSTEM, "out of memory: matrix of %zu entries", upper + lower);
    } else {
      memcpy(w.ptr, above.ptr, ((size_t)rows + 1) * sizeof *w.ptr);
      for (int k = 0; k <= more; k++) w.ptr[rows + k] = (int64_t)upper + below.ptr[k];
      memcpy(w.col, above.col, upper * sizeof *w.col);
      memcpy(w.val, above.val, upper * sizeof *w.val);
      memcpy(w.col + upper, below.col, lower * sizeof *w.col);
      memcpy(w.val + upper, below.val, lower * sizeof *w.val);
    }
  }
  if (status == OK) status = pad(&w, from, err);
  if (status == OK) status = from_blocks(problem, from, &w, b, err);
  matrix_free(&t);
  matrix_free(&above);
  matrix_free(&below);
  matrix_free(&w);
  return status;
}

// *to = `width` numbers of each contact of the file, zero of the items behind them.
static Status take_law(double **to, const double *values, const FclibProblem *from, int width,
                       Err *err) {
  if (!values) return OK;
  MEM_NEW(*to, n_items(from) * width, err);
  memcpy(*to, values, sizeof *values * (size_t)(from->n * width));
  return OK;
}

// What contacts have of their own is no more than what is elastic of them.
static Status take_compliance(OwnedProblem *problem, const FclibProblem *from, Err *err) {
  Problem *p = &problem->p;
  if (!p->elastic) return OK;
  TRY(take_law(&problem->compliance, from->compliance, from, 2, err));
  for (int k = 0; problem->compliance && k < 2 * from->n; k++)
    if (problem->compliance[k] > (1 + ROUND_OFF) * p->elastic[k])
      return err_set(err, ERR_INPUT,
                     "dataset 'voussoir/compliance': contact %d: %g is more than the elastic part "
                     "%g",
                     k / 2, problem->compliance[k], p->elastic[k]);
  p->compliance = problem->compliance;
  return OK;
}

static Status take_laws(OwnedProblem *problem, const FclibProblem *from, Err *err) {
  Problem *p = &problem->p;
  TRY(take_law(&problem->radius, from->radius, from, 1, err));
  TRY(take_law(&problem->s, from->shift, from, p->dim, err));
  TRY(take_law(&problem->a, from->stiffness, from, 2, err));
  p->radius = problem->radius;
  p->s = problem->s;
  p->a = problem->a;
  return take_compliance(problem, from, err);
}

Status problem_from_fclib(OwnedProblem *problem, const FclibProblem *from, Err *err) {
  *problem = (OwnedProblem){0};
  int size = from->n * from->dim;
  double *b = mem_new((size_t)(n_items(from) * from->dim), sizeof *b);
  if (!b) return err_set(err, ERR_SYSTEM, "out of memory: %d contacts", from->n);
  Status status;
  if (from->global) {
    status = condensed(problem, from, b, err);
  } else {
    memcpy(b, from->q, sizeof *b * (size_t)size);
    if (from->n_equal > 0) memcpy(b + size, from->s, sizeof *b * (size_t)from->n_equal);
    status = from->n_equal > 0 ? with_equalities(problem, from, b, err)
                               : from_blocks(problem, from, &from->w, b, err);
    if (status == OK) status = check_prescribed(&problem->p, from->n, err);
  }
  mem_free(b);
  if (status == OK) status = take_elastic(problem, from, err);
  if (status == OK && from->lever) status = take_rigid(problem, from, err);
  if (status == OK) status = take_laws(problem, from, err);
  if (status != OK) problem_free(problem);
  return status;
}

Status problem_global_velocity(const FclibProblem *from, const double *r, double *v, Err *err) {
  FclibMatrix h;
  SpdInverse *inverse = NULL;
  double *impulse = mem_new((size_t)from->h.rows, sizeof *impulse);
  Status status = join(&h, &from->h, &from->g, err);
  if (status == OK && !impulse) status = err_set(err, ERR_SYSTEM, "out of memory: %d", h.rows);
  for (int i = 0; i < h.rows && status == OK; i++) {
    impulse[i] = from->f[i];
    for (int64_t e = h.ptr[i]; e < h.ptr[i + 1]; e++) impulse[i] += h.val[e] * r[h.col[e]];
  }
  if (status == OK) status = invert_mass(&inverse, &from->m, err);
  if (status == OK) status = spd_apply(inverse, 1, impulse, v, err);
  spd_free(inverse);
  matrix_free(&h);
  mem_free(impulse);
  return status;
}

// Where rows of a Problem go in a file: rows of contacts 0, 1, ..., of equalities likewise.
typedef enum { TO_CONTACT, TO_EQUALITY, TO_NONE } Target;
typedef struct {
  int n[2]; // rows of either
  int32_t *row;
  uint8_t *target; // [n dim]
} FileRows;

static void number_rows(const Problem *p, FileRows *rows) {
  for (int at = 0; at < p->n * p->dim; at++) {
    const Item *item = p->item ? &p->item[at / p->dim] : NULL;
    int equality = item && item->kind == ITEM_EQUALITY;
    Target target = !equality ? TO_CONTACT : at % p->dim < item->rows ? TO_EQUALITY : TO_NONE;
    rows->target[at] = (uint8_t)target;
    if (target != TO_NONE) rows->row[at] = rows->n[target]++;
  }
}

// The entries of row `at` of W in columns of one kind, in their order; the diagonal block stands at
// its place.
static void append_row(FclibMatrix *w, const Problem *p, const FileRows *rows, int at,
                       Target columns) {
  int dim = p->dim, i = at / dim, k = at % dim;
  size_t block = (size_t)(dim * dim);
  int64_t to = w->ptr[rows->row[at]];
  int own_done = 0;
  for (int64_t e = p->blocks.ptr[i]; e <= p->blocks.ptr[i + 1]; e++) {
    int at_end = e == p->blocks.ptr[i + 1];
    for (int own = 0; own < 2; own++) { // the diagonal block, if it stands before this one
      if (own == 0 && (own_done || !(at_end || p->blocks.col[e] > i))) continue;
      if (own == 1 && at_end) continue;
      int j = own == 0 ? i : p->blocks.col[e];
      const double *from = own == 0 ? p->diag + (size_t)i * block : p->blocks.w + (size_t)e * block;
      own_done |= own == 0;
      for (int l = 0; l < dim; l++) {
        if (rows->target[j * dim + l] != columns) continue;
        w->col[to] = rows->row[j * dim + l];
        w->val[to++] = from[k * dim + l];
      }
    }
  }
  w->ptr[rows->row[at] + 1] = to;
}

// The part of W with rows and columns of these kinds.
static Status part_of(FclibMatrix *part, const Problem *p, const FileRows *rows, Target target,
                      Target columns, Err *err) {
  size_t entries = (size_t)(p->blocks.ptr[p->n] + p->n) * (size_t)(p->dim * p->dim);
  part->rows = rows->n[target];
  part->cols = rows->n[columns];
  MEM_NEW(part->ptr, part->rows + 1, err);
  MEM_NEW(part->col, entries, err);
  MEM_NEW(part->val, entries, err);
  for (int at = 0; at < p->n * p->dim; at++)
    if (rows->target[at] == target) append_row(part, p, rows, at, columns);
  return OK;
}

// Levers, with bodies numbered from 0 in the order of their first contacts.
static Status rigid_to_file(FclibProblem *to, const Problem *p, Err *err) {
  size_t side_size = (size_t)(p->dim * p->bodies.n_modes), sides = 2 * (size_t)to->n;
  int32_t *number = mem_new((size_t)p->bodies.n_bodies + 1, sizeof *number), n = 0;
  if (!number) return err_set(err, ERR_SYSTEM, "out of memory: %d bodies", p->bodies.n_bodies);
  to->moved = mem_new(sides, sizeof *to->moved);
  to->lever = mem_new(sides * side_size, sizeof *to->lever);
  size_t at = 0;
  for (size_t s = 0; s < 2 * (size_t)p->n && to->moved && to->lever; s++) {
    int body = p->bodies.moved[s];
    if (p->item && p->item[s / 2].kind != ITEM_CONE) continue;
    if (body >= 0 && number[body] == 0) number[body] = ++n;
    to->moved[at] = body < 0 ? -1 : number[body] - 1;
    memcpy(to->lever + at++ * side_size, p->bodies.lever + s * side_size,
           side_size * sizeof *to->lever);
  }
  mem_free(number);
  if (to->moved && to->lever) return OK;
  return err_set(err, ERR_SYSTEM, "out of memory: levers of %d contacts", p->n);
}

static Status laws_to_file(FclibProblem *to, const Problem *p, const FileRows *rows, Err *err) {
  if (p->radius) MEM_NEW(to->radius, to->n, err);
  if (p->s) MEM_NEW(to->shift, to->n * p->dim, err);
  if (p->a) MEM_NEW(to->stiffness, 2 * to->n, err);
  if (p->compliance) MEM_NEW(to->compliance, 2 * to->n, err);
  for (int i = 0; i < p->n; i++) {
    int row = rows->row[i * p->dim], at = row / p->dim;
    if (rows->target[i * p->dim] != TO_CONTACT) continue;
    if (p->radius) to->radius[at] = p->radius[i];
    for (int k = 0; k < p->dim && p->s; k++) to->shift[row + k] = p->s[i * p->dim + k];
    for (int k = 0; k < 2 && p->a; k++) to->stiffness[2 * at + k] = p->a[2 * i + k];
    for (int k = 0; k < 2 && p->compliance; k++)
      to->compliance[2 * at + k] = p->compliance[2 * i + k];
  }
  return OK;
}

static Status parts_to_file(FclibProblem *to, const Problem *p, const FileRows *rows, Err *err) {
  to->n = rows->n[TO_CONTACT] / p->dim;
  to->n_equal = rows->n[TO_EQUALITY];
  TRY(part_of(&to->w, p, rows, TO_CONTACT, TO_CONTACT, err));
  MEM_NEW(to->q, rows->n[TO_CONTACT], err);
  MEM_NEW(to->mu, to->n, err);
  if (to->n_equal > 0) {
    TRY(part_of(&to->v, p, rows, TO_CONTACT, TO_EQUALITY, err));
    TRY(part_of(&to->r, p, rows, TO_EQUALITY, TO_EQUALITY, err));
    MEM_NEW(to->s, to->n_equal, err);
  }
  if (p->elastic) MEM_NEW(to->elastic, 2 * to->n, err);
  for (int at = 0; at < p->n * p->dim; at++) {
    int row = rows->row[at], i = at / p->dim;
    if (rows->target[at] == TO_EQUALITY) to->s[row] = p->b[at];
    if (rows->target[at] != TO_CONTACT) continue;
    to->q[row] = p->b[at];
    to->mu[row / p->dim] = p->mu[i];
    for (int k = 0; k < 2 && p->elastic; k++)
      to->elastic[row / p->dim * 2 + k] = p->elastic[2 * i + k];
  }
  TRY(laws_to_file(to, p, rows, err));
  return p->bodies.lever ? rigid_to_file(to, p, err) : OK;
}

static Status to_blocks(FclibProblem *to, const Problem *p, Err *err) {
  size_t size = (size_t)p->n * (size_t)p->dim;
  FileRows rows = {.row = mem_new(size, sizeof *rows.row),
                   .target = mem_new(size, sizeof *rows.target)};
  Status status = OK;
  if (!rows.row || !rows.target)
    status = err_set(err, ERR_SYSTEM, "out of memory: %d contacts", p->n);
  if (status == OK) {
    number_rows(p, &rows);
    status = parts_to_file(to, p, &rows, err);
  }
  mem_free(rows.row);
  mem_free(rows.target);
  return status;
}

Status problem_to_fclib(FclibProblem *to, const Problem *p, Err *err) {
  *to = (FclibProblem){.dim = p->dim};
  for (int i = 0; p->item && i < p->n; i++)
    if (p->item[i].kind == ITEM_ONE_SIDED || p->item[i].kind == ITEM_TWO_SIDED)
      return err_set(err, ERR_INPUT,
                     "the problem has limits or bounded drives, for which the FCLIB format has no "
                     "place");
  if (!p->blocks.ptr && !p->bodies.own)
    return err_set(err, ERR_INPUT,
                   "contacts were solved together with the bodies: there is no matrix W of theirs; "
                   "contact=\"delassus\" makes one");
  Arena arena = {0};
  Problem whole;
  Status status = operator_blocks(p, &whole, &arena, err);
  if (status == OK) status = to_blocks(to, &whole, err);
  arena_free(&arena);
  if (status != OK) fclib_free(to);
  return status;
}
