#define _POSIX_C_SOURCE 200809L
#include "scratch.h"

#include <math.h>

#include "file/fclib.h"
#include "file/h5.h"

TestSuite(fclib, .init = scratch_make, .fini = scratch_remove);

// Two contacts in the plane; W by rows with one block off the diagonal on each side.
typedef struct {
  int32_t dim, nzmax, m, n, nz, p[5], i[10];
  double x[10], mu[2], q[4];
  int n_p, n_i, n_x, n_mu, n_q;
  const int32_t *moved; // NULL: not in the file
} Sample;

static Sample sample(void) {
  return (Sample){.dim = 2,
                  .nzmax = 10,
                  .m = 4,
                  .n = 4,
                  .nz = -2,
                  .p = {0, 3, 5, 8, 10},
                  .i = {0, 1, 2, 0, 1, 0, 2, 3, 2, 3},
                  .x = {2, 0.5, -1, 0.5, 3, -1, 2, 0.25, 0.25, 3},
                  .mu = {0.5, 0.25},
                  .q = {-1, 0.5, -2, 0},
                  .n_p = 5,
                  .n_i = 10,
                  .n_x = 10,
                  .n_mu = 2,
                  .n_q = 4};
}

static void put(H5File *file, const char *path, FieldType type, const void *data, int64_t count) {
  Err err = {0};
  cr_assert_eq(h5_write(file, path, type, data, count, &err), OK, "%s", err.text);
}

// Writes the sample without the dataset `missing` (NULL: all of them).
static const char *write_sample(const Sample *s, const char *missing) {
  Err err = {0};
  H5File *file;
  const char *path = in_scratch("sample.hdf5");
  cr_assert_eq(h5_create(&file, path, &err), OK, "%s", err.text);
  const struct {
    const char *name;
    FieldType type;
    const void *data;
    int count;
  } set[] = {{"fclib_local/spacedim", FIELD_I32, &s->dim, 1},
             {"fclib_local/W/nzmax", FIELD_I32, &s->nzmax, 1},
             {"fclib_local/W/m", FIELD_I32, &s->m, 1},
             {"fclib_local/W/n", FIELD_I32, &s->n, 1},
             {"fclib_local/W/nz", FIELD_I32, &s->nz, 1},
             {"fclib_local/W/p", FIELD_I32, s->p, s->n_p},
             {"fclib_local/W/i", FIELD_I32, s->i, s->n_i},
             {"fclib_local/W/x", FIELD_F64, s->x, s->n_x},
             {"fclib_local/vectors/mu", FIELD_F64, s->mu, s->n_mu},
             {"fclib_local/vectors/q", FIELD_F64, s->q, s->n_q}};
  for (size_t k = 0; k < sizeof set / sizeof set[0]; k++)
    if (!missing || strcmp(missing, set[k].name) != 0)
      put(file, set[k].name, set[k].type, set[k].data, set[k].count);
  if (s->moved) put(file, "voussoir/moved", FIELD_I32, s->moved, 2 * s->n_mu);
  cr_assert_eq(h5_commit(file, &err), OK, "%s", err.text);
  return path;
}

static double entry(const FclibMatrix *a, int row, int col) {
  for (int64_t k = a->ptr[row]; k < a->ptr[row + 1]; k++)
    if (a->col[k] == col) return a->val[k];
  return 0;
}

// Reading fails with ERR_INPUT and a message that holds `word`.
static void expect_refused(const Sample *s, const char *missing, const char *word) {
  Err err = {0};
  FclibProblem problem;
  cr_assert_eq(fclib_read(&problem, write_sample(s, missing), &err), ERR_INPUT, "%s", word);
  cr_assert(strstr(err.text, word), "'%s' is not in: %s", word, err.text);
  cr_assert_eq(problem.mu, NULL);
}

Test(fclib, reads_a_local_problem_stored_by_rows) {
  Err err = {0};
  Sample s = sample();
  FclibProblem problem;
  cr_assert_eq(fclib_read(&problem, write_sample(&s, NULL), &err), OK, "%s", err.text);
  cr_assert_eq(problem.global, 0);
  cr_assert_eq(problem.dim, 2);
  cr_assert_eq(problem.n, 2);
  cr_assert_eq(problem.mu[1], 0.25);
  cr_assert_eq(problem.q[2], -2);
  cr_assert_eq(problem.w.ptr[4], 10);
  cr_assert_eq(entry(&problem.w, 0, 1), 0.5);
  cr_assert_eq(entry(&problem.w, 2, 0), -1);
  cr_assert_eq(entry(&problem.w, 2, 3), 0.25);
  fclib_free(&problem);
}

Test(fclib, reads_the_same_matrix_stored_by_columns) {
  Err err = {0};
  Sample s = sample(); // symmetric: the same arrays are its columns
  s.nz = -1;
  s.x[1] = 7; // row 1, column 0
  FclibProblem problem;
  cr_assert_eq(fclib_read(&problem, write_sample(&s, NULL), &err), OK, "%s", err.text);
  cr_assert_eq(entry(&problem.w, 1, 0), 7);
  cr_assert_eq(entry(&problem.w, 0, 1), 0.5);
  fclib_free(&problem);
}

Test(fclib, sums_triplets_that_stand_twice) {
  Err err = {0};
  Sample s = sample();
  s.nz = 6;
  const int32_t row[] = {0, 1, 2, 3, 0, 2}, col[] = {0, 1, 2, 3, 3, 2};
  const double x[] = {1, 2, 3, 4, 5, 10};
  FclibProblem problem;
  H5File *file;
  cr_assert_eq(h5_create(&file, in_scratch("t.hdf5"), &err), OK);
  put(file, "fclib_local/spacedim", FIELD_I32, &s.dim, 1);
  put(file, "fclib_local/W/nzmax", FIELD_I32, &s.nz, 1);
  put(file, "fclib_local/W/m", FIELD_I32, &s.m, 1);
  put(file, "fclib_local/W/n", FIELD_I32, &s.n, 1);
  put(file, "fclib_local/W/nz", FIELD_I32, &s.nz, 1);
  put(file, "fclib_local/W/p", FIELD_I32, col, 6);
  put(file, "fclib_local/W/i", FIELD_I32, row, 6);
  put(file, "fclib_local/W/x", FIELD_F64, x, 6);
  put(file, "fclib_local/vectors/mu", FIELD_F64, s.mu, 2);
  put(file, "fclib_local/vectors/q", FIELD_F64, s.q, 4);
  cr_assert_eq(h5_commit(file, &err), OK);
  cr_assert_eq(fclib_read(&problem, in_scratch("t.hdf5"), &err), OK, "%s", err.text);
  cr_assert_eq(problem.w.ptr[4], 5);
  cr_assert_eq(entry(&problem.w, 2, 2), 13);
  cr_assert_eq(entry(&problem.w, 0, 3), 5);
  fclib_free(&problem);
}

Test(fclib, names_the_dataset_that_is_missing) {
  static const char *const names[] = {
      "fclib_local/spacedim",   "fclib_local/W/m",       "fclib_local/W/n",
      "fclib_local/W/nz",       "fclib_local/W/p",       "fclib_local/W/i",
      "fclib_local/vectors/mu", "fclib_local/vectors/q", "fclib_local/W/x"};
  Sample s = sample();
  for (size_t k = 0; k < sizeof names / sizeof names[0]; k++)
    expect_refused(&s, names[k], names[k]);
}

Test(fclib, refuses_wrong_sizes_by_name) {
  Sample s = sample();
  s.n_q = 3;
  expect_refused(&s, NULL, "fclib_local/vectors/q");
  s = sample();
  s.m = 3;
  expect_refused(&s, NULL, "fclib_local/W");
  s = sample();
  s.n_p = 4;
  expect_refused(&s, NULL, "fclib_local/W/p");
  s = sample();
  s.n_i = 9;
  expect_refused(&s, NULL, "fclib_local/W/i");
  s = sample();
  s.n_x = 9;
  expect_refused(&s, NULL, "fclib_local/W/x");
  s = sample();
  s.n_mu = 0;
  expect_refused(&s, NULL, "fclib_local/vectors/mu");
  s = sample();
  s.m = s.n = 2147483647; // must not be believed before it is compared
  expect_refused(&s, NULL, "fclib_local/W");
}

Test(fclib, refuses_indices_that_lead_out_of_the_matrix) {
  Sample s = sample();
  s.i[4] = 4;
  expect_refused(&s, NULL, "fclib_local/W/i");
  s = sample();
  s.i[4] = -1;
  expect_refused(&s, NULL, "fclib_local/W/i");
  s = sample();
  s.p[2] = 9;
  expect_refused(&s, NULL, "fclib_local/W/p");
  s = sample();
  s.p[0] = 1;
  expect_refused(&s, NULL, "fclib_local/W/p");
}

// Bodies on either side of contacts say nothing without the levers of their motions.
Test(fclib, refuses_bodies_without_levers) {
  static const int32_t moved[] = {0, -1, 0, -1};
  Sample s = sample();
  s.moved = moved;
  expect_refused(&s, NULL, "voussoir/lever");
}

Test(fclib, refuses_values_without_sense_by_name) {
  Sample s = sample();
  s.mu[1] = -0.5;
  expect_refused(&s, NULL, "fclib_local/vectors/mu");
  s = sample();
  s.q[1] = (double)NAN;
  expect_refused(&s, NULL, "fclib_local/vectors/q");
  s = sample();
  s.x[3] = (double)INFINITY;
  expect_refused(&s, NULL, "fclib_local/W/x");
  s = sample();
  s.x[0] = 0;
  expect_refused(&s, NULL, "diagonal of row 0"); // the rest of the row is not zero
  s = sample();
  s.x[4] = -3;
  expect_refused(&s, NULL, "diagonal of row 1");
  s = sample();
  s.dim = 4;
  expect_refused(&s, NULL, "fclib_local/spacedim");
  s = sample();
  s.nz = -3;
  expect_refused(&s, NULL, "fclib_local/W/nz");
}

Test(fclib, refuses_what_is_no_problem_at_all) {
  Err err = {0};
  FclibProblem problem;
  cr_assert_eq(fclib_read(&problem, in_scratch("absent.hdf5"), &err), ERR_INPUT);
  write_text(in_scratch("text.hdf5"), "not HDF5");
  cr_assert_eq(fclib_read(&problem, in_scratch("text.hdf5"), &err), ERR_INPUT);
  H5File *file;
  cr_assert_eq(h5_create(&file, in_scratch("empty.hdf5"), &err), OK);
  cr_assert_eq(h5_commit(file, &err), OK);
  cr_assert_eq(fclib_read(&problem, in_scratch("empty.hdf5"), &err), ERR_INPUT);
  cr_assert(strstr(err.text, "fclib_local"));
}

static void expect_same(const FclibMatrix *a, const FclibMatrix *b) {
  cr_assert_eq(a->rows, b->rows);
  cr_assert_eq(a->cols, b->cols);
  cr_assert_eq(a->ptr[a->rows], b->ptr[b->rows]);
  cr_assert_eq(memcmp(a->col, b->col, sizeof *a->col * (size_t)a->ptr[a->rows]), 0);
  cr_assert_eq(memcmp(a->val, b->val, sizeof *a->val * (size_t)a->ptr[a->rows]), 0);
}

Test(fclib, writes_and_reads_back_a_global_problem_with_its_solution) {
  Err err = {0};
  int64_t m_ptr[] = {0, 1, 2, 3}, h_ptr[] = {0, 1, 2, 3};
  int32_t m_col[] = {0, 1, 2}, h_col[] = {0, 1, 0};
  double m_val[] = {1, 2, 3}, h_val[] = {1, 1, 0.5}, w[] = {0, 0.5}, f[] = {-1, 0, 1}, mu[] = {0.3};
  FclibProblem problem = {.global = 1,
                          .dim = 2,
                          .n = 1,
                          .m = {3, 3, m_ptr, m_col, m_val},
                          .h = {3, 2, h_ptr, h_col, h_val},
                          .q = w,
                          .f = f,
                          .mu = mu};
  int64_t g_ptr[] = {0, 0, 1, 2};
  int32_t g_col[] = {0, 0};
  double g_val[] = {1, -1}, b[] = {0.75}, l[] = {2};
  problem.n_equal = 1;
  problem.g = (FclibMatrix){3, 1, g_ptr, g_col, g_val};
  problem.s = b;
  double r[] = {1, 0.25}, u[] = {0, -1}, v[] = {1, 2, 3};
  FclibSolution solution = {.n_r = 2, .n_v = 3, .n_l = 1, .r = r, .u = u, .v = v, .l = l}, found;
  const char *path = in_scratch("global.hdf5");
  cr_assert_eq(fclib_write(&problem, &solution, "a title", path, &err), OK, "%s", err.text);
  FclibProblem back;
  cr_assert_eq(fclib_read(&back, path, &err), OK, "%s", err.text);
  cr_assert_eq(back.global, 1);
  cr_assert_eq(back.n, 1);
  expect_same(&back.m, &problem.m);
  expect_same(&back.h, &problem.h);
  expect_same(&back.g, &problem.g);
  cr_assert_eq(back.s[0], 0.75);
  cr_assert_eq(memcmp(back.f, f, sizeof f), 0);
  cr_assert_eq(memcmp(back.q, w, sizeof w), 0);
  cr_assert_eq(fclib_read_solution(&found, &back, path, &err), OK, "%s", err.text);
  cr_assert_eq(memcmp(found.r, r, sizeof r), 0);
  cr_assert_eq(memcmp(found.v, v, sizeof v), 0);
  cr_assert_eq(found.l[0], 2);
  fclib_free_solution(&found);
  fclib_free(&back);
}

// Three equalities beside the two contacts of the sample: V couples the first with contact 0, the
// second with contact 1, the third with nothing but itself.
typedef struct {
  Sample s;
  int32_t v_size[4], v_p[5], v_i[2], r_size[4], r_p[4], r_i[3]; // nzmax, m, n, nz
  double v_x[2], r_x[3], vector[3];
  int n_vector;
} Joined;

static Joined joined(void) {
  return (Joined){.s = sample(),
                  .v_size = {2, 4, 3, -2},
                  .v_p = {0, 1, 1, 1, 2},
                  .v_i = {0, 1},
                  .v_x = {0.5, -0.25},
                  .r_size = {3, 3, 3, -2},
                  .r_p = {0, 1, 2, 3},
                  .r_i = {0, 1, 2},
                  .r_x = {2, 3, 4},
                  .vector = {-1, 0.5, 0.25},
                  .n_vector = 3};
}

// The sample with equalities but without the group or dataset `missing`.
static const char *write_joined(const Joined *j, const char *missing) {
  static const char *const sizes[] = {"nzmax", "m", "n", "nz"};
  Err err = {0};
  FclibProblem plain;
  const char *path = in_scratch("joined.hdf5");
  cr_assert_eq(fclib_read(&plain, write_sample(&j->s, NULL), &err), OK, "%s", err.text);
  H5File *file;
  cr_assert_eq(h5_create(&file, path, &err), OK, "%s", err.text);
  put(file, "fclib_local/spacedim", FIELD_I32, &j->s.dim, 1);
  char name[64];
  const struct {
    const char *group;
    const int32_t *size, *p, *i;
    const double *x;
    int n_p, n;
  } parts[] = {{"fclib_local/W", &j->s.nzmax, j->s.p, j->s.i, j->s.x, 5, 10},
               {"fclib_local/V", j->v_size, j->v_p, j->v_i, j->v_x, 5, 2},
               {"fclib_local/R", j->r_size, j->r_p, j->r_i, j->r_x, 4, 3}};
  for (int part = 0; part < 3; part++) {
    if (missing && strcmp(parts[part].group, missing) == 0) continue;
    for (int k = 0; k < 4; k++) {
      snprintf(name, sizeof name, "%s/%s", parts[part].group, sizes[k]);
      put(file, name, FIELD_I32, parts[part].size + k, 1);
    }
    snprintf(name, sizeof name, "%s/p", parts[part].group);
    put(file, name, FIELD_I32, parts[part].p, parts[part].n_p);
    snprintf(name, sizeof name, "%s/i", parts[part].group);
    put(file, name, FIELD_I32, parts[part].i, parts[part].n);
    snprintf(name, sizeof name, "%s/x", parts[part].group);
    put(file, name, FIELD_F64, parts[part].x, parts[part].n);
  }
  put(file, "fclib_local/vectors/mu", FIELD_F64, j->s.mu, 2);
  put(file, "fclib_local/vectors/q", FIELD_F64, j->s.q, 4);
  if (!missing || strcmp(missing, "fclib_local/vectors/s") != 0)
    put(file, "fclib_local/vectors/s", FIELD_F64, j->vector, j->n_vector);
  cr_assert_eq(h5_commit(file, &err), OK, "%s", err.text);
  fclib_free(&plain);
  return path;
}

static void expect_joined_refused(const Joined *j, const char *missing, const char *word) {
  Err err = {0};
  FclibProblem problem;
  cr_assert_eq(fclib_read(&problem, write_joined(j, missing), &err), ERR_INPUT, "%s", word);
  cr_assert(strstr(err.text, word), "'%s' is not in: %s", word, err.text);
  cr_assert_eq(mem_live_blocks(), 0);
}

Test(fclib, reads_equalities_and_writes_them_back) {
  Err err = {0};
  Joined j = joined();
  FclibProblem problem, back;
  cr_assert_eq(fclib_read(&problem, write_joined(&j, NULL), &err), OK, "%s", err.text);
  cr_assert_eq(problem.n_equal, 3);
  cr_assert_eq(entry(&problem.v, 3, 1), -0.25);
  cr_assert_eq(entry(&problem.r, 2, 2), 4);
  cr_assert_eq(problem.s[0], -1);
  double r[4] = {1, 2, 3, 4}, u[4] = {0}, l[3] = {5, 6, 7};
  FclibSolution solution = {.n_r = 4, .n_l = 3, .r = r, .u = u, .l = l}, found;
  const char *path = in_scratch("back.hdf5");
  cr_assert_eq(fclib_write(&problem, &solution, NULL, path, &err), OK, "%s", err.text);
  cr_assert_eq(fclib_read(&back, path, &err), OK, "%s", err.text);
  cr_assert_eq(back.n_equal, 3);
  expect_same(&back.v, &problem.v);
  expect_same(&back.r, &problem.r);
  cr_assert_eq(memcmp(back.s, problem.s, sizeof j.vector), 0);
  cr_assert_eq(fclib_read_solution(&found, &back, path, &err), OK, "%s", err.text);
  cr_assert_eq(memcmp(found.l, l, sizeof l), 0);
  fclib_free_solution(&found);
  fclib_free(&back);
  fclib_free(&problem);
}

Test(fclib, refuses_equalities_that_do_not_fit_by_name) {
  static const char *const names[] = {"fclib_local/V", "fclib_local/R", "fclib_local/vectors/s"};
  Joined j = joined();
  for (int k = 0; k < 3; k++) expect_joined_refused(&j, names[k], names[k]);
  j.v_size[1] = 3;
  expect_joined_refused(&j, NULL, "fclib_local/V");
  j = joined();
  j.v_size[2] = 2;
  expect_joined_refused(&j, NULL, "fclib_local/V");
  j = joined();
  j.n_vector = 2; // how many there are: V is then too wide
  expect_joined_refused(&j, NULL, "fclib_local/V");
  j = joined();
  j.r_size[1] = 2;
  expect_joined_refused(&j, NULL, "fclib_local/R");
  j = joined();
  j.r_x[1] = -3;
  expect_joined_refused(&j, NULL, "fclib_local/R/x': diagonal of row 1 is -3");
  j = joined();
  j.r_x[0] = 0; // yet V says that contact 0 moves it
  expect_joined_refused(&j, NULL, "fclib_local/R/x': diagonal of row 0 is 0");
  j = joined();
  j.r_x[2] = 0;
  expect_joined_refused(&j, NULL, "fclib_local/vectors/s': nothing moves row 2");
  j.vector[2] = (double)NAN;
  expect_joined_refused(&j, NULL, "fclib_local/vectors/s");
  j = joined();
  for (int k = 0; k < 10; k++) // row and column 0 of W
    if (k < 3 || j.s.i[k] == 0) j.s.x[k] = 0;
  expect_joined_refused(&j, NULL, "fclib_local/V/x': row 0 has entries");
  j = joined();
  FclibProblem problem;
  j.r_x[2] = j.vector[2] = 0; // it holds by itself
  cr_assert_eq(fclib_read(&problem, write_joined(&j, NULL), NULL), OK);
  fclib_free(&problem);
}

Test(fclib, keeps_the_old_file_when_the_disk_is_full) {
  Err err = {0};
  Sample s = sample();
  FclibProblem problem, back;
  cr_assert_eq(fclib_read(&problem, write_sample(&s, NULL), &err), OK);
  const char *path = in_scratch("out.hdf5");
  cr_assert_eq(fclib_write(&problem, NULL, NULL, path, &err), OK);
  fill_disk(path);
  cr_assert_eq(fclib_write(&problem, NULL, NULL, path, &err), ERR_SYSTEM);
  cr_assert_eq(fclib_read(&back, path, &err), OK, "%s", err.text);
  fclib_free(&back);
  fclib_free(&problem);
}

Test(fclib, gives_all_memory_back_whatever_allocation_fails) {
  Joined j = joined();
  const char *path = write_joined(&j, NULL);
  for (int n = 1;; n++) {
    Err err = {0};
    FclibProblem problem;
    mem_fail_after(n);
    Status status = fclib_read(&problem, path, &err);
    mem_fail_after(0);
    fclib_free(&problem);
    cr_assert_eq(mem_live_blocks(), 0);
    if (status == OK) break;
    cr_assert_eq(status, ERR_SYSTEM, "%s", err.text);
    cr_assert_lt(n, 200);
  }
}

Test(fclib, never_crashes_on_damaged_bytes) {
  Sample s = sample();
  size_t size;
  char *bytes = read_bytes(write_sample(&s, NULL), &size);
  unsigned state = 7;
  for (int k = 0; k < 100; k++) {
    char *copy = mem_new(size, 1);
    memcpy(copy, bytes, size);
    for (int j = 0; j < 4; j++) copy[next_random(&state) % size] = (char)next_random(&state);
    write_bytes(in_scratch("damaged.hdf5"), copy, size);
    mem_free(copy);
    Err err = {0};
    FclibProblem problem;
    Status status = fclib_read(&problem, in_scratch("damaged.hdf5"), &err);
    cr_assert(status == OK || status == ERR_INPUT || status == ERR_SYSTEM);
    if (status == OK) fclib_free(&problem);
  }
  mem_free(bytes);
}

// The heaps of names say they are 2^64 - 1 bytes long: HDF5 1.10 writes past what it allocates.
Test(fclib, refuses_a_file_on_which_the_library_crashes) {
  Sample s = sample();
  size_t size, heaps = 0;
  char *bytes = read_bytes(write_sample(&s, NULL), &size);
  for (size_t k = 0; k + 16 <= size; k++)
    if (memcmp(bytes + k, "HEAP", 4) == 0) {
      memset(bytes + k + 8, 0xff, 8);
      heaps++;
    }
  cr_assert_gt(heaps, 0);
  write_bytes(in_scratch("heap.hdf5"), bytes, size);
  mem_free(bytes);
  Err err = {0};
  FclibProblem problem;
  cr_assert_eq(fclib_read(&problem, in_scratch("heap.hdf5"), &err), ERR_INPUT);
  cr_assert(strstr(err.text, "heap.hdf5"), "%s", err.text);
}
