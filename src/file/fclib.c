#include "file/fclib.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/space.h"
#include "file/guard.h"
#include "file/h5.h"

enum {
  NAME_SIZE = 160,
  MAX_CONTACTS = 1 << 26, // n dim must stay an int32
  STORED_BY_COLUMNS = -1, // values of `nz`; >= 0 are triplets
  STORED_BY_ROWS = -2
};

static const char ELASTIC[] = "voussoir/elastic", MOVED[] = "voussoir/moved",
                  LEVER[] = "voussoir/lever";

typedef struct {
  H5File *file;
  const char *path; // of the file, for messages
  Err *err;
} Reader;

// A matrix as the file holds it.
typedef struct {
  int32_t m, n, nz;
  int64_t n_p, n_x; // lengths of p and x
  int32_t *p, *i;
  double *x;
} Stored;

static Status bad(const Reader *reader, const char *name, const char *why) {
  return err_set(reader->err, ERR_INPUT, "%s: dataset '%s': %s", reader->path, name, why);
}

static Status read_int(const Reader *reader, const char *group, const char *name, int32_t *value) {
  char full[NAME_SIZE];
  snprintf(full, sizeof full, "%.100s/%s", group, name);
  int64_t count;
  TRY(h5_count(reader->file, full, &count, reader->err));
  if (count != 1) return bad(reader, full, "one integer is wanted");
  return h5_read(reader->file, full, FIELD_I32, value, 1, reader->err);
}

static Status read_ints(const Reader *reader, const char *group, const char *name, int32_t **out,
                        int64_t *count) {
  char full[NAME_SIZE];
  snprintf(full, sizeof full, "%.100s/%s", group, name);
  TRY(h5_count(reader->file, full, count, reader->err));
  MEM_NEW(*out, *count, reader->err);
  return h5_read(reader->file, full, FIELD_I32, *out, *count, reader->err);
}

// wanted < 0: any length.
static Status read_reals(const Reader *reader, const char *group, const char *name, int64_t wanted,
                         double **out, int64_t *count) {
  char full[NAME_SIZE], why[96];
  snprintf(full, sizeof full, "%.100s/%s", group, name);
  TRY(h5_count(reader->file, full, count, reader->err));
  if (wanted >= 0 && *count != wanted) {
    snprintf(why, sizeof why, "%lld values, %lld are wanted", (long long)*count, (long long)wanted);
    return bad(reader, full, why);
  }
  MEM_NEW(*out, *count, reader->err);
  TRY(h5_read(reader->file, full, FIELD_F64, *out, *count, reader->err));
  for (int64_t k = 0; k < *count; k++)
    if (!isfinite((*out)[k])) {
      snprintf(why, sizeof why, "item %lld is not a finite number", (long long)k);
      return bad(reader, full, why);
    }
  return OK;
}

static void stored_free(Stored *stored) {
  mem_free(stored->p);
  mem_free(stored->i);
  mem_free(stored->x);
}

// Number of entries; compressed forms may hold more places than entries.
static int64_t stored_entries(const Stored *stored) {
  if (stored->nz >= 0) return stored->nz;
  return stored->p[stored->nz == STORED_BY_COLUMNS ? stored->n : stored->m];
}

static Status check_stored(const Reader *reader, const char *group, const Stored *stored,
                           int64_t n_i) {
  char name[NAME_SIZE];
  snprintf(name, sizeof name, "%s/p", group);
  int by_columns = stored->nz == STORED_BY_COLUMNS;
  int64_t major = by_columns ? stored->n : stored->m;
  if (stored->nz >= 0) {
    if (stored->n_p < stored->nz) return bad(reader, name, "fewer items than nz says");
  } else {
    if (stored->n_p < major + 1) return bad(reader, name, "fewer items than rows or columns + 1");
    if (stored->p[0] != 0) return bad(reader, name, "does not start at 0");
    for (int64_t k = 0; k < major; k++)
      if (stored->p[k + 1] < stored->p[k]) return bad(reader, name, "decreases");
  }
  int64_t entries = stored_entries(stored);
  snprintf(name, sizeof name, "%s/i", group);
  if (n_i < entries) return bad(reader, name, "fewer items than entries");
  int32_t minor = by_columns || stored->nz >= 0 ? stored->m : stored->n;
  for (int64_t k = 0; k < entries; k++)
    if (stored->i[k] < 0 || stored->i[k] >= minor) return bad(reader, name, "index out of range");
  snprintf(name, sizeof name, "%s/p", group);
  for (int64_t k = 0; k < stored->nz; k++)
    if (stored->p[k] < 0 || stored->p[k] >= stored->n)
      return bad(reader, name, "index out of range");
  snprintf(name, sizeof name, "%s/x", group);
  if (stored->n_x < entries) return bad(reader, name, "fewer items than entries");
  return OK;
}

static Status read_stored(const Reader *reader, const char *group, Stored *stored) {
  int64_t n_i;
  TRY(read_int(reader, group, "m", &stored->m));
  TRY(read_int(reader, group, "n", &stored->n));
  TRY(read_int(reader, group, "nz", &stored->nz));
  char name[NAME_SIZE];
  snprintf(name, sizeof name, "%s/nz", group);
  if (stored->nz < STORED_BY_ROWS) return bad(reader, name, "unknown storage");
  snprintf(name, sizeof name, "%s/m", group);
  if (stored->m <= 0 || stored->n <= 0) return bad(reader, name, "sizes must be positive");
  TRY(read_ints(reader, group, "p", &stored->p, &stored->n_p));
  TRY(read_ints(reader, group, "i", &stored->i, &n_i));
  TRY(read_reals(reader, group, "x", -1, &stored->x, &stored->n_x));
  return check_stored(reader, group, stored, n_i);
}

static void matrix_free(FclibMatrix *a) {
  mem_free(a->ptr);
  mem_free(a->col);
  mem_free(a->val);
  *a = (FclibMatrix){0};
}

// Row and column of entry k; `major` is the row or column that compressed forms are in.
static void entry_place(const Stored *stored, int64_t k, int32_t major, int32_t *row,
                        int32_t *col) {
  int by_columns = stored->nz == STORED_BY_COLUMNS;
  if (stored->nz >= 0) {
    *row = stored->i[k];
    *col = stored->p[k];
  } else {
    *row = by_columns ? stored->i[k] : major;
    *col = by_columns ? major : stored->i[k];
  }
}

// Two stable bucket passes, by column then by row, leave the entries sorted; then equal ones are
// summed.
static Status matrix_from_stored(FclibMatrix *a, const Stored *stored, Err *err) {
  int64_t entries = stored_entries(stored);
  int32_t *row = NULL, *col = NULL, *order = NULL;
  int64_t *start = NULL;
  size_t largest = (size_t)(stored->m > stored->n ? stored->m : stored->n);
  a->rows = stored->m;
  a->cols = stored->n;
  row = mem_new((size_t)entries, sizeof *row);
  col = mem_new((size_t)entries, sizeof *col);
  order = mem_new((size_t)entries, sizeof *order);
  start = mem_new(largest + 2, sizeof *start);
  a->ptr = mem_new((size_t)a->rows + 1, sizeof *a->ptr);
  a->col = mem_new((size_t)entries, sizeof *a->col);
  a->val = mem_new((size_t)entries, sizeof *a->val);
  Status status =
      err_set(err, ERR_SYSTEM, "out of memory: matrix of %lld entries", (long long)entries);
  if (!row || !col || !order || !start || !a->ptr || !a->col || !a->val) goto done;
  int32_t major = 0;
  for (int64_t k = 0; k < entries; k++) {
    while (stored->nz < 0 && k >= stored->p[major + 1]) major++;
    entry_place(stored, k, major, &row[k], &col[k]);
    start[col[k] + 1]++;
  }
  for (int32_t c = 0; c < a->cols; c++) start[c + 1] += start[c];
  for (int64_t k = 0; k < entries; k++) order[start[col[k]]++] = (int32_t)k;
  memset(start, 0, (largest + 2) * sizeof *start);
  for (int64_t k = 0; k < entries; k++) start[row[k] + 2]++;
  for (int32_t r = 0; r < a->rows; r++) start[r + 1] += start[r];
  // By rows, columns increasing; equal places follow one another.
  for (int64_t k = 0; k < entries; k++) {
    int64_t at = start[row[order[k]] + 1]++;
    a->col[at] = col[order[k]];
    a->val[at] = stored->x[order[k]];
  }
  int64_t out = 0, from = 0;
  for (int32_t r = 0; r < a->rows; r++) {
    int64_t first = out;
    for (; from < start[r + 1]; from++) {
      if (out > first && a->col[out - 1] == a->col[from]) {
        a->val[out - 1] += a->val[from];
        continue;
      }
      a->col[out] = a->col[from];
      a->val[out++] = a->val[from];
    }
    a->ptr[r + 1] = out;
  }
  if (err) err_clear(err);
  status = OK;
done:
  mem_free(row);
  mem_free(col);
  mem_free(order);
  mem_free(start);
  return status;
}

static Status check_shape(const Reader *reader, const char *group, const Stored *stored,
                          int64_t rows, int64_t cols) {
  char why[128];
  if (stored->m == rows && stored->n == cols) return OK;
  snprintf(why, sizeof why, "%d x %d, %lld x %lld is wanted", stored->m, stored->n, (long long)rows,
           (long long)cols);
  return bad(reader, group, why);
}

// The size is checked before anything of that size is allocated.
static Status read_matrix(const Reader *reader, const char *group, int64_t rows, int64_t cols,
                          FclibMatrix *a) {
  Stored stored = {0};
  Status status = read_stored(reader, group, &stored);
  if (status == OK) status = check_shape(reader, group, &stored, rows, cols);
  if (status == OK) status = matrix_from_stored(a, &stored, reader->err);
  stored_free(&stored);
  return status;
}

static double diagonal(const FclibMatrix *a, int row) {
  for (int64_t k = a->ptr[row]; k < a->ptr[row + 1]; k++)
    if (a->col[k] == row) return a->val[k];
  return 0;
}

static int row_is_zero(const FclibMatrix *a, int row) {
  for (int64_t k = a->ptr[row]; k < a->ptr[row + 1]; k++)
    if (a->val[k] != 0) return 0;
  return 1;
}

// A velocity that no impulse moves has a row of zeros: both sides are prescribed in that direction.
static Status check_diagonal(const Reader *reader, const char *group, const FclibMatrix *a,
                             int may_be_zero) {
  char name[NAME_SIZE], why[96];
  snprintf(name, sizeof name, "%s/x", group);
  for (int k = 0; k < a->rows; k++)
    if (!(diagonal(a, k) > 0) && !(may_be_zero && row_is_zero(a, k))) {
      snprintf(why, sizeof why, "diagonal of row %d is %g, it must be positive", k, diagonal(a, k));
      return bad(reader, name, why);
    }
  return OK;
}

// *any: does the file say anything of equalities? Then none of these may be missing.
static Status equalities_are_whole(const Reader *reader, const char *const *names, int n,
                                   int *any) {
  const char *missing = NULL;
  *any = 0;
  for (int k = 0; k < n; k++) {
    if (h5_has(reader->file, names[k]))
      *any = 1;
    else
      missing = names[k];
  }
  if (!*any || !missing) return OK;
  return err_set(reader->err, ERR_INPUT, "%s: equality constraints without '%s'", reader->path,
                 missing);
}

// The length of s or b says how many equalities there are.
static Status read_equal_vector(const Reader *reader, const char *group, const char *name,
                                FclibProblem *problem) {
  char full[NAME_SIZE];
  int64_t n;
  TRY(read_reals(reader, group, name, -1, &problem->s, &n));
  snprintf(full, sizeof full, "%.100s/%s", group, name);
  if (n <= 0 || n > MAX_CONTACTS) return bad(reader, full, "no equality, or too many");
  problem->n_equal = (int)n;
  return OK;
}

// An equality that nothing moves must hold by itself; one that something moves is moved by its own
// impulse too, as is a contact that an equality moves.
static Status check_equalities(const Reader *reader, const FclibProblem *problem) {
  char why[128];
  uint8_t *coupled;
  Status status = OK;
  MEM_NEW(coupled, problem->n_equal, reader->err);
  for (int i = 0; i < problem->v.rows; i++)
    for (int64_t e = problem->v.ptr[i]; e < problem->v.ptr[i + 1]; e++) {
      coupled[problem->v.col[e]] |= problem->v.val[e] != 0;
      if (problem->v.val[e] == 0 || diagonal(&problem->w, i) > 0 || status != OK) continue;
      snprintf(why, sizeof why, "row %d has entries, but no impulse moves that row of W", i);
      status = bad(reader, "fclib_local/V/x", why);
    }
  for (int k = 0; k < problem->n_equal && status == OK; k++) {
    double own = diagonal(&problem->r, k);
    if (own > 0) continue;
    snprintf(why, sizeof why, "diagonal of row %d is %g, it must be positive", k, own);
    if (own < 0 || coupled[k] || !row_is_zero(&problem->r, k))
      status = bad(reader, "fclib_local/R/x", why);
    snprintf(why, sizeof why, "nothing moves row %d of R, and s is %g there: no solution", k,
             problem->s[k]);
    if (status == OK && problem->s[k] != 0) status = bad(reader, "fclib_local/vectors/s", why);
  }
  mem_free(coupled);
  return status;
}

static Status read_local_equalities(const Reader *reader, FclibProblem *problem) {
  static const char *const names[] = {"fclib_local/V", "fclib_local/R", "fclib_local/vectors/s"};
  int any;
  TRY(equalities_are_whole(reader, names, h5_has(reader->file, names[0]) ? 3 : 2, &any));
  if (!any) return OK;
  TRY(read_equal_vector(reader, "fclib_local/vectors", "s", problem));
  TRY(read_matrix(reader, "fclib_local/V", (int64_t)problem->n * problem->dim, problem->n_equal,
                  &problem->v));
  TRY(read_matrix(reader, "fclib_local/R", problem->n_equal, problem->n_equal, &problem->r));
  return check_equalities(reader, problem);
}

static Status read_global_equalities(const Reader *reader, FclibProblem *problem) {
  static const char *const names[] = {"fclib_global/G", "fclib_global/vectors/b"};
  int any;
  TRY(equalities_are_whole(reader, names, h5_has(reader->file, names[0]) ? 2 : 1, &any));
  if (!any) return OK;
  TRY(read_equal_vector(reader, "fclib_global/vectors", "b", problem));
  return read_matrix(reader, "fclib_global/G", problem->m.rows, problem->n_equal, &problem->g);
}

static Status read_friction(const Reader *reader, const char *group, FclibProblem *problem) {
  char name[NAME_SIZE], why[96];
  int64_t n;
  TRY(read_reals(reader, group, "mu", -1, &problem->mu, &n));
  snprintf(name, sizeof name, "%s/mu", group);
  if (n <= 0 || n > MAX_CONTACTS) return bad(reader, name, "no contact, or too many");
  for (int64_t k = 0; k < n; k++)
    if (problem->mu[k] < 0) {
      snprintf(why, sizeof why, "friction of contact %lld is %g", (long long)k, problem->mu[k]);
      return bad(reader, name, why);
    }
  problem->n = (int)n;
  return OK;
}

static Status read_dim(const Reader *reader, const char *group, FclibProblem *problem) {
  int32_t dim;
  TRY(read_int(reader, group, "spacedim", &dim));
  char name[NAME_SIZE];
  snprintf(name, sizeof name, "%s/spacedim", group);
  if (dim != 2 && dim != 3) return bad(reader, name, "must be 2 or 3");
  problem->dim = dim;
  return OK;
}

// What of W is elastic, where the file says it.
static Status read_elastic(const Reader *reader, FclibProblem *problem) {
  int64_t count;
  char why[96];
  if (!h5_has(reader->file, ELASTIC)) return OK;
  TRY(read_reals(reader, "voussoir", "elastic", 2 * (int64_t)problem->n, &problem->elastic,
                 &count));
  for (int64_t k = 0; k < count; k++) {
    if (problem->elastic[k] > 0) continue;
    snprintf(why, sizeof why, "item %lld is %g, it must be positive", (long long)k,
             problem->elastic[k]);
    return bad(reader, ELASTIC, why);
  }
  return OK;
}

// What of W belongs to rigid motions, where the file says it.
static Status read_rigid(const Reader *reader, FclibProblem *problem) {
  int64_t count, sides = 2 * (int64_t)problem->n;
  char why[96];
  if (!h5_has(reader->file, LEVER))
    return h5_has(reader->file, MOVED)
               ? bad(reader, LEVER, "is missing, though 'voussoir/moved' is there")
               : OK;
  TRY(read_reals(reader, "voussoir", "lever",
                 sides * problem->dim * space_rigid_motions(problem->dim), &problem->lever,
                 &count));
  TRY(read_ints(reader, "voussoir", "moved", &problem->moved, &count));
  if (count != sides) return bad(reader, MOVED, "two bodies a contact are wanted");
  for (int64_t k = 0; k < count; k++) {
    if (problem->moved[k] >= -1 && problem->moved[k] < sides) continue;
    snprintf(why, sizeof why, "item %lld is %d, no body", (long long)k, problem->moved[k]);
    return bad(reader, MOVED, why);
  }
  return OK;
}

// Numbers /voussoir/NAME of a law, finite and from `least` on, where the file has them.
static Status read_law(const Reader *reader, const char *item, int64_t wanted, double least,
                       double **values) {
  int64_t count;
  char name[NAME_SIZE], why[96];
  snprintf(name, sizeof name, "voussoir/%s", item);
  if (!h5_has(reader->file, name)) return OK;
  TRY(read_reals(reader, "voussoir", item, wanted, values, &count));
  for (int64_t k = 0; k < count; k++) {
    if ((*values)[k] >= least && isfinite((*values)[k])) continue;
    snprintf(why, sizeof why, "item %lld is %g", (long long)k, (*values)[k]);
    return bad(reader, name, why);
  }
  return OK;
}

static Status read_laws(const Reader *reader, FclibProblem *problem) {
  int64_t n = problem->n;
  TRY(read_law(reader, "radius", n, 0, &problem->radius));
  TRY(read_law(reader, "shift", n * problem->dim, -(double)INFINITY, &problem->shift));
  TRY(read_law(reader, "stiffness", 2 * n, 0, &problem->stiffness));
  return read_law(reader, "compliance", 2 * n, 0, &problem->compliance);
}

static Status read_local(const Reader *reader, FclibProblem *problem) {
  int64_t count;
  TRY(read_dim(reader, "fclib_local", problem));
  TRY(read_friction(reader, "fclib_local/vectors", problem));
  int64_t size = (int64_t)problem->n * problem->dim;
  TRY(read_reals(reader, "fclib_local/vectors", "q", size, &problem->q, &count));
  TRY(read_matrix(reader, "fclib_local/W", size, size, &problem->w));
  TRY(check_diagonal(reader, "fclib_local/W", &problem->w, 1));
  return read_local_equalities(reader, problem);
}

static Status read_global(const Reader *reader, FclibProblem *problem) {
  int64_t count;
  TRY(read_dim(reader, "fclib_global", problem));
  TRY(read_friction(reader, "fclib_global/vectors", problem));
  int64_t size = (int64_t)problem->n * problem->dim;
  TRY(read_reals(reader, "fclib_global/vectors", "w", size, &problem->q, &count));
  int64_t dofs;
  TRY(read_reals(reader, "fclib_global/vectors", "f", -1, &problem->f, &dofs));
  TRY(read_matrix(reader, "fclib_global/M", dofs, dofs, &problem->m));
  TRY(read_matrix(reader, "fclib_global/H", dofs, size, &problem->h));
  TRY(check_diagonal(reader, "fclib_global/M", &problem->m, 0));
  return read_global_equalities(reader, problem);
}

typedef struct {
  const char *path;
  FclibProblem *problem; // one of the two is wanted
  FclibSolution *solution;
} Wanted;

static Status read_problem(void *context, Err *err) {
  const Wanted *wanted = context;
  FclibProblem *problem = wanted->problem;
  H5File *file;
  TRY(h5_open(&file, wanted->path, err));
  Reader reader = {file, wanted->path, err};
  Status status;
  if (h5_has(file, "fclib_local")) {
    status = read_local(&reader, problem);
  } else if (h5_has(file, "fclib_global")) {
    problem->global = 1;
    status = read_global(&reader, problem);
  } else {
    status =
        err_set(err, ERR_INPUT, "%s: neither group 'fclib_local' nor 'fclib_global'", wanted->path);
  }
  if (status == OK) status = read_elastic(&reader, problem);
  if (status == OK) status = read_rigid(&reader, problem);
  if (status == OK) status = read_laws(&reader, problem);
  h5_close(file);
  if (status != OK) fclib_free(problem);
  return status;
}

Status fclib_read(FclibProblem *problem, const char *path, Err *err) {
  *problem = (FclibProblem){0};
  return guard_read(path, read_problem, &(Wanted){path, problem, NULL}, err);
}

void fclib_free(FclibProblem *problem) {
  matrix_free(&problem->w);
  matrix_free(&problem->m);
  matrix_free(&problem->h);
  matrix_free(&problem->v);
  matrix_free(&problem->r);
  matrix_free(&problem->g);
  mem_free(problem->s);
  mem_free(problem->q);
  mem_free(problem->f);
  mem_free(problem->mu);
  mem_free(problem->elastic);
  mem_free(problem->moved);
  mem_free(problem->lever);
  mem_free(problem->radius);
  mem_free(problem->shift);
  mem_free(problem->stiffness);
  mem_free(problem->compliance);
  *problem = (FclibProblem){0};
}

static Status read_solution(void *context, Err *err) {
  const Wanted *wanted = context;
  FclibSolution *solution = wanted->solution;
  H5File *file;
  TRY(h5_open(&file, wanted->path, err));
  Reader reader = {file, wanted->path, err};
  int64_t count;
  Status status = read_reals(&reader, "solution", "r", solution->n_r, &solution->r, &count);
  if (status == OK)
    status = read_reals(&reader, "solution", "u", solution->n_r, &solution->u, &count);
  if (status == OK && solution->n_v > 0)
    status = read_reals(&reader, "solution", "v", solution->n_v, &solution->v, &count);
  if (status == OK && solution->n_l > 0)
    status = read_reals(&reader, "solution", "l", solution->n_l, &solution->l, &count);
  h5_close(file);
  if (status != OK) fclib_free_solution(solution);
  return status;
}

Status fclib_read_solution(FclibSolution *solution, const FclibProblem *problem, const char *path,
                           Err *err) {
  *solution = (FclibSolution){
      .n_r = problem->n * problem->dim, .n_v = problem->m.rows, .n_l = problem->n_equal};
  return guard_read(path, read_solution, &(Wanted){path, NULL, solution}, err);
}

void fclib_free_solution(FclibSolution *solution) {
  mem_free(solution->r);
  mem_free(solution->u);
  mem_free(solution->v);
  mem_free(solution->l);
  *solution = (FclibSolution){0};
}

static Status write_int(H5File *file, const char *group, const char *name, int64_t value,
                        Err *err) {
  char full[NAME_SIZE];
  int32_t item = (int32_t)value;
  snprintf(full, sizeof full, "%.100s/%s", group, name);
  return h5_write(file, full, FIELD_I32, &item, 1, err);
}

static Status write_reals(H5File *file, const char *group, const char *name, const double *data,
                          int64_t count, Err *err) {
  char full[NAME_SIZE];
  snprintf(full, sizeof full, "%.100s/%s", group, name);
  return h5_write(file, full, FIELD_F64, data, count, err);
}

// By rows, as FCLIB calls storage -2.
static Status write_matrix(H5File *file, const char *group, const FclibMatrix *a, Err *err) {
  char full[NAME_SIZE];
  int64_t entries = a->ptr[a->rows];
  if (entries > INT32_MAX)
    return err_set(err, ERR_SYSTEM, "matrix '%s' has more entries than the format can count",
                   group);
  TRY(write_int(file, group, "nzmax", entries, err));
  TRY(write_int(file, group, "m", a->rows, err));
  TRY(write_int(file, group, "n", a->cols, err));
  TRY(write_int(file, group, "nz", STORED_BY_ROWS, err));
  int32_t *p;
  MEM_NEW(p, a->rows + 1, err);
  for (int k = 0; k <= a->rows; k++) p[k] = (int32_t)a->ptr[k];
  snprintf(full, sizeof full, "%s/p", group);
  Status status = h5_write(file, full, FIELD_I32, p, a->rows + 1, err);
  mem_free(p);
  if (status != OK) return status;
  snprintf(full, sizeof full, "%s/i", group);
  TRY(h5_write(file, full, FIELD_I32, a->col, entries, err));
  return write_reals(file, group, "x", a->val, entries, err);
}

static Status write_equalities(H5File *file, const FclibProblem *problem, const char *vectors,
                               Err *err) {
  if (problem->global) {
    TRY(write_matrix(file, "fclib_global/G", &problem->g, err));
    return write_reals(file, vectors, "b", problem->s, problem->n_equal, err);
  }
  TRY(write_matrix(file, "fclib_local/V", &problem->v, err));
  TRY(write_matrix(file, "fclib_local/R", &problem->r, err));
  return write_reals(file, vectors, "s", problem->s, problem->n_equal, err);
}

static int has_laws(const FclibProblem *problem) {
  return problem->radius || problem->shift || problem->stiffness;
}

static Status write_laws(H5File *file, const FclibProblem *problem, Err *err) {
  int64_t n = problem->n;
  if (problem->radius) TRY(write_reals(file, "voussoir", "radius", problem->radius, n, err));
  if (problem->shift)
    TRY(write_reals(file, "voussoir", "shift", problem->shift, n * problem->dim, err));
  if (problem->stiffness)
    TRY(write_reals(file, "voussoir", "stiffness", problem->stiffness, 2 * n, err));
  if (!problem->compliance) return OK;
  return write_reals(file, "voussoir", "compliance", problem->compliance, 2 * n, err);
}

static Status write_problem(H5File *file, const FclibProblem *problem, const char *title,
                            Err *err) {
  const char *group = problem->global ? "fclib_global" : "fclib_local";
  char name[NAME_SIZE];
  int64_t size = (int64_t)problem->n * problem->dim;
  TRY(write_int(file, group, "spacedim", problem->dim, err));
  if (problem->global) {
    TRY(write_matrix(file, "fclib_global/M", &problem->m, err));
    TRY(write_matrix(file, "fclib_global/H", &problem->h, err));
  } else {
    TRY(write_matrix(file, "fclib_local/W", &problem->w, err));
  }
  snprintf(name, sizeof name, "%s/vectors", group);
  TRY(write_reals(file, name, "mu", problem->mu, problem->n, err));
  TRY(write_reals(file, name, problem->global ? "w" : "q", problem->q, size, err));
  if (problem->global) TRY(write_reals(file, name, "f", problem->f, problem->m.rows, err));
  if (problem->n_equal > 0) TRY(write_equalities(file, problem, name, err));
  if (problem->elastic)
    TRY(write_reals(file, "voussoir", "elastic", problem->elastic, 2 * (int64_t)problem->n, err));
  if (problem->lever) {
    int64_t sides = 2 * (int64_t)problem->n;
    TRY(h5_write(file, MOVED, FIELD_I32, problem->moved, sides, err));
    TRY(write_reals(file, "voussoir", "lever", problem->lever,
                    sides * problem->dim * space_rigid_motions(problem->dim), err));
  }
  TRY(write_laws(file, problem, err));
  if (!title) return OK;
  snprintf(name, sizeof name, "%s/info/title", group);
  TRY(h5_write_text(file, name, title, err));
  snprintf(name, sizeof name, "%s/info/description", group);
  TRY(h5_write_text(file, name, "written by voussoir " VOUSSOIR_VERSION, err));
  snprintf(name, sizeof name, "%s/info/math_info", group);
  return h5_write_text(file, name,
                       has_laws(problem)
                           ? "normal component first; laws beside friction in /voussoir"
                           : "normal component first",
                       err);
}

Status fclib_write(const FclibProblem *problem, const FclibSolution *solution, const char *title,
                   const char *path, Err *err) {
  H5File *file;
  TRY(h5_create(&file, path, err));
  Status status = write_problem(file, problem, title, err);
  if (status == OK && solution) {
    status = write_reals(file, "solution", "r", solution->r, solution->n_r, err);
    if (status == OK) status = write_reals(file, "solution", "u", solution->u, solution->n_r, err);
    if (status == OK && solution->n_v > 0)
      status = write_reals(file, "solution", "v", solution->v, solution->n_v, err);
    if (status == OK && solution->n_l > 0)
      status = write_reals(file, "solution", "l", solution->l, solution->n_l, err);
  }
  if (status == OK) return h5_commit(file, err);
  h5_close(file);
  return status;
}
