// Rows of the Delassus operator W = H^T w H from the prototypes' compliances.

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "contact/contact_internal.h"

enum { CONTACTS_FOR_THREADS = 2000 };

static void fill_side(const ContactStep *step, const Contact *contact, int k, ContactSide *side) {
  int body = contact->body[k];
  *side = (ContactSide){.body = body, .proto = step->bs->proto[body]};
  if (side->proto < 0) return;
  const double *q = step->bodies->frame + 4 * (size_t)body;
  for (int i = 0; i < 2; i++) {
    side->skin[i] = step->cm->skin.local[contact->node[2 * k + i]];
    side->weight[i] = contact->weight[2 * k + i];
    side->g[2 * i] = q[i] * contact->n[0] + q[2 + i] * contact->n[1];
    side->g[2 * i + 1] = q[i] * contact->t[0] + q[2 + i] * contact->t[1];
  }
}

// block += G_a^T (sum of weights times compliance) G_b for two sides on one body.
static void add_block(const BodySet *bs, const DynamicsMatrices *m, const ContactSide *a,
                      const ContactSide *b, double block[4]) {
  const double *compliance = m->step[a->proto]->compliance;
  int n_skin = bs->protos[a->proto].skin.n_nodes;
  double sum[4] = {0};
  for (int i = 0; i < 2; i++)
    for (int j = 0; j < 2; j++) {
      double weight = a->weight[i] * b->weight[j];
      const double *c = compliance + 4 * ((size_t)a->skin[i] * n_skin + b->skin[j]);
      for (int k = 0; k < 4; k++) sum[k] += weight * c[k];
    }
  const double *g = b->g, *f = a->g;
  double t[4] = {sum[0] * g[0] + sum[1] * g[2], sum[0] * g[1] + sum[1] * g[3],
                 sum[2] * g[0] + sum[3] * g[2], sum[2] * g[1] + sum[3] * g[3]};
  block[0] += f[0] * t[0] + f[2] * t[2];
  block[1] += f[0] * t[1] + f[2] * t[3];
  block[2] += f[1] * t[0] + f[3] * t[2];
  block[3] += f[1] * t[1] + f[3] * t[3];
}

static void pair_block(const BodySet *bs, const DynamicsMatrices *m, const ContactSide *a,
                       const ContactSide *b, double block[4]) {
  memset(block, 0, 4 * sizeof *block);
  for (int i = 0; i < 2; i++)
    for (int j = 0; j < 2; j++)
      if (a[i].proto >= 0 && a[i].body == b[j].body) add_block(bs, m, &a[i], &b[j], block);
}

// Contacts of each deformable body, in order.
static void list_by_body(const BodySet *bs, ContactWork *work) {
  int32_t *ptr = work->body_ptr;
  memset(ptr, 0, sizeof *ptr * ((size_t)bs->n_bodies + 2));
  for (int c = 0; c < work->n; c++)
    for (int k = 0; k < 2; k++)
      if (bs->proto[work->contact[c].body[k]] >= 0) ptr[work->contact[c].body[k] + 2]++;
  for (int b = 0; b < bs->n_bodies; b++) ptr[b + 2] += ptr[b + 1];
  for (int c = 0; c < work->n; c++)
    for (int k = 0; k < 2; k++) {
      int body = work->contact[c].body[k];
      if (bs->proto[body] >= 0) work->body_contact[ptr[body + 1]++] = c;
    }
}

static int compare_int(const void *a, const void *b) {
  int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
  return (x > y) - (x < y);
}

// Pattern: a contact couples with all others of its two bodies.
static Status pattern(const BodySet *bs, ContactWork *work, Err *err) {
  list_by_body(bs, work);
  memset(work->mark, 0xff, sizeof *work->mark * (size_t)(work->n + 1));
  size_t at = 0;
  work->ptr[0] = 0;
  for (int c = 0; c < work->n; c++) {
    const int32_t *body = work->contact[c].body, *ptr = work->body_ptr;
    size_t most = at;
    for (int k = 0; k < 2; k++) most += (size_t)(ptr[body[k] + 1] - ptr[body[k]]);
    size_t capacity[3] = {work->block_capacity, work->block_capacity, work->block_capacity};
    TRY(mem_grow((void **)&work->col, &capacity[0], most, sizeof *work->col, err));
    TRY(mem_grow((void **)&work->mirror, &capacity[1], most, sizeof *work->mirror, err));
    TRY(mem_grow((void **)&work->w, &capacity[2], most, 4 * sizeof *work->w, err));
    work->block_capacity = capacity[0];
    work->mark[c] = c;
    size_t start = at;
    for (int k = 0; k < 2; k++)
      for (int32_t j = ptr[body[k]]; j < ptr[body[k] + 1]; j++) {
        int other = work->body_contact[j];
        if (work->mark[other] == c) continue;
        work->mark[other] = c;
        work->col[at++] = other;
      }
    qsort(work->col + start, at - start, sizeof *work->col, compare_int);
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

static void row_values(const BodySet *bs, const DynamicsMatrices *m, int c, int all,
                       ContactWork *work) {
  const ContactSide *own = work->side + 2 * (size_t)c;
  if (all || work->dirty[c]) pair_block(bs, m, own, own, work->diag + 4 * (size_t)c);
  for (int64_t e = work->ptr[c]; e < work->ptr[c + 1]; e++) {
    int other = work->col[e];
    if (other > c) break; // its row does it
    if (!all && !work->dirty[c] && !work->dirty[other]) continue;
    double *block = work->w + 4 * e, *mirror = work->w + 4 * work->mirror[e];
    pair_block(bs, m, own, work->side + 2 * (size_t)other, block);
    mirror[0] = block[0];
    mirror[1] = block[2];
    mirror[2] = block[1];
    mirror[3] = block[3];
  }
}

Status contact_assemble(const ContactStep *step, const DynamicsMatrices *m, const uint8_t *turned,
                        Err *err) {
  const BodySet *bs = step->bs;
  ContactWork *work = step->work;
  StepSize size = step->size;
  int all = work->set_changed || work->built_h != size.h || work->built_theta != size.theta;
  if (work->set_changed) TRY(pattern(bs, work, err));
  for (int c = 0; c < work->n; c++) {
    const Contact *contact = &work->contact[c];
    work->dirty[c] |= (uint8_t)(turned[contact->body[0]] | turned[contact->body[1]]);
    if (!all && !work->dirty[c]) continue;
    for (int k = 0; k < 2; k++) fill_side(step, contact, k, work->side + 2 * (size_t)c + k);
  }
#pragma omp parallel for schedule(static) if (work->n > CONTACTS_FOR_THREADS)
  for (int c = 0; c < work->n; c++) row_values(bs, m, c, all, work);
  work->built_h = size.h;
  work->built_theta = size.theta;
  return OK;
}
