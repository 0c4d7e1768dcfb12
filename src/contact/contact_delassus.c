// Rows of the Delassus operator W = H^T w H from the prototypes' compliances.

#include <assert.h>
#include <math.h>
#include <string.h>

#include "contact/pair_type.h"

enum { CONTACTS_FOR_THREADS = 2000 };
// Contacts a body, where all bodies are rigid, from which a sweep is cheaper by bodies than by
// blocks of W: in the plane (tests/bench/bench_operator.c: 20 to 26), and in space, where blocks
// are larger (a wall with 23 takes half the time by bodies).
static const double CONTACTS_FOR_BODIES[] = {24, 12};

// block += G_a^T (sum of weights times compliance) G_b for two sides on one body. With constant
// numbers of nodes and dimension the compiler makes straight code of it: the rows of a wall are
// made by this.
CONTACT_INLINE void add_block(const int dim, const int n_a, const int n_b, const Grip *a,
                              const Grip *b, double *block) {
  double sum[9] = {0}, t[9];
  for (int i = 0; i < n_a; i++)
    for (int j = 0; j < n_b; j++) {
      double weight = a->weight[i] * b->weight[j];
      const double *c = a->compliance + dim * dim * ((size_t)a->row[i] * a->n_row + b->row[j]);
#pragma GCC unroll 9
      for (int k = 0; k < dim * dim; k++) sum[k] += weight * c[k];
    }
  const double *g = b->g, *f = a->g;
#pragma GCC unroll 3
  for (int i = 0; i < dim; i++)
#pragma GCC unroll 3
    for (int j = 0; j < dim; j++) {
      t[dim * i + j] = sum[dim * i] * g[j];
#pragma GCC unroll 2
      for (int k = 1; k < dim; k++) t[dim * i + j] += sum[dim * i + k] * g[dim * k + j];
    }
#pragma GCC unroll 3
  for (int i = 0; i < dim; i++)
#pragma GCC unroll 3
    for (int j = 0; j < dim; j++) {
      double own = f[i] * t[j];
#pragma GCC unroll 2
      for (int k = 1; k < dim; k++) own += f[dim * k + i] * t[dim * k + j];
      block[dim * i + j] += own;
    }
}

CONTACT_INLINE void pair_block(const int dim, const Grip *a, const Grip *b, double *block) {
  memset(block, 0, (size_t)(dim * dim) * sizeof *block);
  for (int i = 0; i < 2; i++)
    for (int j = 0; j < 2; j++) {
      if (a[i].body < 0 || a[i].body != b[j].body) continue;
      if (dim == 2 && a[i].n == 2 && b[j].n == 2)
        add_block(2, 2, 2, &a[i], &b[j], block);
      else
        add_block(dim, a[i].n, b[j].n, &a[i], &b[j], block);
    }
}

// Elastic part of the normal and of the mean tangential compliance of contact c: that of its
// bodies, or all of it where nothing deforms. Contacts that nothing moves get 1: they carry
// nothing.
CONTACT_INLINE void elastic_part(const int dim, int c, ContactWork *work) {
  double block[9] = {0}, *out = work->elastic + 2 * (size_t)c;
  const double *diag = work->diag + dim * dim * (size_t)c;
  for (int k = 0; k < 2; k++) {
    Grip side = work->side[2 * (size_t)c + k];
    if (side.body < 0 || !side.elastic) continue;
    side.compliance = side.elastic;
    add_block(dim, side.n, side.n, &side, &side, block);
  }
  for (int k = 0; k < 2; k++) {
    double own = 0, whole = 0;
    int first = k, n = k == 0 ? 1 : dim - 1; // the normal, all tangents
    for (int i = first; i < first + n; i++) {
      own += block[(dim + 1) * i] / n;
      whole += diag[(dim + 1) * i] / n;
    }
    out[k] = own > 0 ? own : whole > 0 ? whole : 1;
  }
}

// lever += velocities that `n` rigid motions of a side's body have along the axes of the contact.
CONTACT_INLINE void add_levers(const int dim, const int n, const Grip *side, double *lever) {
  const int modes = space_rigid_motions(dim);
  for (int i = 0; i < side->n; i++)
    for (int l = 0; l < dim; l++) {
      const double *row = side->rigid + (size_t)((side->row[i] * dim + l) * n);
#pragma GCC unroll 3
      for (int j = 0; j < dim; j++) {
        double weight = side->weight[i] * side->g[dim * l + j];
#pragma GCC unroll 6
        for (int m = 0; m < n; m++) lever[j * modes + m] += weight * row[m];
      }
    }
}

CONTACT_INLINE void levers_of(const int dim, int c, ContactWork *work) {
  const int modes = space_rigid_motions(dim);
  for (int k = 0; k < 2; k++) {
    const Grip *side = work->side + 2 * (size_t)c + k;
    const size_t size = (size_t)(dim * modes);
    double lever[18] = {0};
    work->moved[2 * c + k] = side->body;
    if (side->body >= 0 && side->n_rigid == modes)
      add_levers(dim, modes, side, lever);
    else if (side->body >= 0)
      add_levers(dim, side->n_rigid, side, lever);
    memcpy(work->lever + (2 * (size_t)c + k) * size, lever, size * sizeof *lever);
  }
}

// Rigid part of W by the sides of contact c. Supports may have left fewer motions to a body.
// Not inlined: which products the compiler adds at once beside it would depend on it.
static __attribute__((noinline)) void rigid_part(int dim, int c, ContactWork *work) {
  SPACE_BY_DIM(dim, levers_of(2, c, work), levers_of(3, c, work));
}

// Contacts of each deformable body, in order.
static void list_by_body(const BodySet *bs, ContactWork *work) {
  int32_t *ptr = work->body_ptr;
  memset(ptr, 0, sizeof *ptr * ((size_t)bs->n_bodies + 2));
  for (int c = 0; c < work->n; c++)
    for (int k = 0; k < 2; k++)
      if (bodies_yields(bs, work->contact[c].side[k].body))
        ptr[work->contact[c].side[k].body + 2]++;
  for (int b = 0; b < bs->n_bodies; b++) ptr[b + 2] += ptr[b + 1];
  for (int c = 0; c < work->n; c++)
    for (int k = 0; k < 2; k++) {
      int body = work->contact[c].side[k].body;
      if (bodies_yields(bs, body)) work->body_contact[ptr[body + 1]++] = c;
    }
}

// Is W better held by bodies (solver/operator.h)? As a contact sees it: each counts the contacts of
// its bodies.
static int better_by_bodies(const BodySet *bs, const ContactWork *work) {
  double sum = 0, square = 0;
  for (int c = 0; c < 2 * work->n; c++)
    if (bs->type[work->contact[c / 2].side[c % 2].body]->deforms) return 0;
  for (int b = 0; b < bs->n_bodies; b++) {
    double own = work->body_ptr[b + 1] - work->body_ptr[b];
    sum += own;
    square += own * own;
  }
  return square >= CONTACTS_FOR_BODIES[bs->dim - 2] * sum && sum > 0;
}

// The contacts of two bodies but `own`, from two increasing lists into one; returns how many.
static size_t merge_contacts(const ContactWork *work, const int32_t body[2], int own,
                             int32_t *merged) {
  const int32_t *a = work->body_contact + work->body_ptr[body[0]],
                *b = work->body_contact + work->body_ptr[body[1]];
  const int32_t *a_end = work->body_contact + work->body_ptr[body[0] + 1],
                *b_end = work->body_contact + work->body_ptr[body[1] + 1];
  size_t n = 0;
  while (a < a_end || b < b_end) {
    int32_t next = b == b_end || (a < a_end && *a <= *b) ? *a : *b;
    while (a < a_end && *a == next) a++; // a contact of a body with itself stands twice
    while (b < b_end && *b == next) b++;
    if (next != own) merged[n++] = next;
  }
  return n;
}

// Pattern: a contact couples with all others of its two bodies.
static Status pattern(const BodySet *bs, ContactWork *work, Err *err) {
  size_t block = (size_t)(bs->dim * bs->dim);
  size_t at = 0;
  work->ptr[0] = 0;
  for (int c = 0; c < work->n; c++) {
    const Site *side = work->contact[c].side;
    const int32_t body[2] = {side[0].body, side[1].body}, *ptr = work->body_ptr;
    size_t most = at;
    for (int k = 0; k < 2; k++) most += (size_t)(ptr[body[k] + 1] - ptr[body[k]]);
    size_t capacity[3] = {work->block_capacity, work->block_capacity, work->block_capacity};
    TRY(mem_grow((void **)&work->col, &capacity[0], most, sizeof *work->col, err));
    TRY(mem_grow((void **)&work->mirror, &capacity[1], most, sizeof *work->mirror, err));
    TRY(mem_grow((void **)&work->w, &capacity[2], most, block * sizeof *work->w, err));
    work->block_capacity = capacity[0];
    at += merge_contacts(work, body, c, work->col + at);
    work->ptr[c + 1] = (int64_t)at;
  }
  // Transposed blocks: rows are met in order, so the next free place of row j is for column c.
  int64_t *next = (int64_t *)(void *)work->diag; // free until the values are made
  for (int c = 0; c < work->n; c++) next[c] = work->ptr[c];
  for (int c = 0; c < work->n; c++)
    for (int64_t e = work->ptr[c]; e < work->ptr[c + 1]; e++)
      work->mirror[e] = next[work->col[e]]++;
  return OK;
}

CONTACT_INLINE void row_values(const int dim, int c, int all, ContactWork *work) {
  const int size = dim * dim;
  const Grip *own = work->side + 2 * (size_t)c;
  if (all || work->dirty[c]) {
    pair_block(dim, own, own, work->diag + size * (size_t)c);
    elastic_part(dim, c, work);
    rigid_part(dim, c, work);
  }
  if (work->by_bodies) return;
  for (int64_t e = work->ptr[c]; e < work->ptr[c + 1]; e++) {
    int other = work->col[e];
    if (other > c) break; // its row does it
    if (!all && !work->dirty[c] && !work->dirty[other]) continue;
    double *block = work->w + size * e, *mirror = work->w + size * work->mirror[e];
    pair_block(dim, own, work->side + 2 * (size_t)other, block);
    for (int i = 0; i < dim; i++)
      for (int j = 0; j < dim; j++) mirror[dim * i + j] = block[dim * j + i];
  }
}

// Has a side's part of w changed since the last step or iteration?
static int moves(const ContactStep *step, const uint8_t *turned, int body) {
  return turned[body] || step->bs->type[body]->iterated;
}

#ifdef VALIDATE
static void grips_of(const GripSource *from, const Contact *contact, Grip grip[2]) {
  for (int k = 0; k < 2; k++) body_grip(from, &contact->side[k], contact->axis, grip + k);
}

static double size_of_block(const ContactWork *work, int size, int c) {
  double sum = 0;
  for (int k = 0; k < size; k++) sum += fabs(work->diag[size * c + k]);
  return sum;
}

// Rows of W are kept where neither side nor frame of a contact has changed: are all of them what
// they would be if they were made anew?
static void validate_rows(const BodySet *bs, const GripSource *from, ContactWork *work) {
  const double same = 1e-9; // of the diagonal blocks
  const int dim = bs->dim, size = dim * dim;
  for (int c = 0; c < work->n; c++) {
    int64_t first = work->by_bodies ? 0 : work->ptr[c],
            end = work->by_bodies ? 0 : work->ptr[c + 1];
    for (int64_t e = first - 1; e < end; e++) {
      int other = e < first ? c : work->col[e]; // first its own
      const double *kept = other == c ? work->diag + size * c : work->w + size * e;
      double block[9], scale = size_of_block(work, size, c) + size_of_block(work, size, other);
      Grip own[2], others[2];
      grips_of(from, &work->contact[c], own);
      grips_of(from, &work->contact[other], others);
      SPACE_BY_DIM(dim, pair_block(2, own, others, block), pair_block(3, own, others, block));
      for (int k = 0; k < size; k++) assert(fabs(kept[k] - block[k]) <= same * scale);
    }
  }
}
#else
static void validate_rows(const BodySet *bs, const GripSource *from, ContactWork *work) {
  (void)bs, (void)from, (void)work;
}
#endif

Status contact_assemble(const ContactStep *step, const DynamicsMatrices *m, const uint8_t *turned,
                        Err *err) {
  const BodySet *bs = step->bs;
  ContactWork *work = step->work;
  StepSize size = step->size;
  const GripSource from = {.bs = bs, .m = m, .frame = step->bodies->frame};
  int all = work->set_changed || work->built_h != size.h || work->built_theta != size.theta;
  if (work->set_changed) {
    list_by_body(bs, work);
    work->by_bodies = better_by_bodies(bs, work);
    if (!work->by_bodies) TRY(pattern(bs, work, err));
  }
  for (int c = 0; c < work->n; c++) {
    const Contact *contact = &work->contact[c];
    for (int k = 0; k < 2; k++)
      work->dirty[c] |= (uint8_t)moves(step, turned, contact->side[k].body);
    if (!all && !work->dirty[c]) continue;
    for (int k = 0; k < 2; k++)
      body_grip(&from, &contact->side[k], contact->axis, work->side + 2 * (size_t)c + k);
  }
#pragma omp parallel for schedule(static) if (work->n > CONTACTS_FOR_THREADS)
  for (int c = 0; c < work->n; c++)
    SPACE_BY_DIM(bs->dim, row_values(2, c, all, work), row_values(3, c, all, work));
  work->built_h = size.h;
  work->built_theta = size.theta;
  validate_rows(bs, &from, work);
  return OK;
}
