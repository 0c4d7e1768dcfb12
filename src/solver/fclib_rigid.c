#include "solver/fclib_rigid.h"

#include <math.h>
#include <string.h>

static const double ROUND_OFF = 1e-9; // relative, of what files hold
// Of W: elastic parts are differences, which lose digits.
static const double SAME = 1e-6;

// What rigid motions make of the block of contacts i and j of W, from the bodies that both have.
static void rigid_block(const Problem *p, int i, int j, double block[9]) {
  size_t dim = (size_t)p->dim, modes = (size_t)p->bodies.n_modes;
  memset(block, 0, 9 * sizeof *block);
  for (size_t a = 2 * (size_t)i; a < 2 * (size_t)i + 2; a++)
    for (size_t b = 2 * (size_t)j; b < 2 * (size_t)j + 2; b++) {
      if (p->bodies.moved[a] < 0 || p->bodies.moved[a] != p->bodies.moved[b]) continue;
      const double *left = p->bodies.lever + a * dim * modes,
                   *right = p->bodies.lever + b * dim * modes;
      for (size_t k = 0; k < dim * dim; k++)
        for (size_t m = 0; m < modes; m++)
          block[k] += left[k / dim * modes + m] * right[k % dim * modes + m];
    }
}

// Along the normal, and in the mean of the tangents, the two parts are W: where they are not, an
// error of stresses would be judged by a wrong elasticity. Where the elastic one is all of W
// nothing deforms, and rigid motions are no part of it.
static Status check_parts(const Problem *p, int i, Err *err) {
  int dim = p->dim;
  double own[9];
  rigid_block(p, i, i, own);
  for (int part = 0; part < 2; part++) {
    int first = part == 0 ? 0 : 1, last = part == 0 ? 1 : dim;
    double rigid = 0, whole = 0;
    for (int k = first; k < last; k++) {
      double of_k = own[k * (dim + 1)], diag = p->diag[(size_t)((i * dim + k) * dim + k)];
      if (!(of_k <= (1 + ROUND_OFF) * diag))
        return err_set(err, ERR_INPUT,
                       "dataset 'voussoir/lever': contact %d: rigid motions make %g of W, which is "
                       "%g there",
                       i, of_k, diag);
      rigid += of_k / (last - first);
      whole += diag / (last - first);
    }
    double elastic = p->elastic ? p->elastic[2 * i + part] : whole - rigid;
    if (elastic >= (1 - ROUND_OFF) * whole || fabs(elastic + rigid - whole) <= SAME * whole)
      continue;
    return err_set(err, ERR_INPUT,
                   "datasets 'voussoir/elastic' and 'voussoir/lever': contact %d: the %s parts %g "
                   "and %g do not add up to W, which is %g there",
                   i, part == 0 ? "normal" : "tangential", elastic, rigid, whole);
  }
  return OK;
}

// What is elastic of one entry between two contacts is at most the mean of theirs: so of the
// wrong body, or of none, there is too much of it, or too little.
static Status check_pair(const Problem *p, int i, int j, const double *w, Err *err) {
  size_t dim = (size_t)p->dim;
  double rigid[9], own[2][9];
  rigid_block(p, i, j, rigid);
  rigid_block(p, i, i, own[0]);
  rigid_block(p, j, j, own[1]);
  for (size_t k = 0; k < dim * dim; k++) {
    size_t row = k / dim * (dim + 1), col = k % dim * (dim + 1);
    double whole[2] = {p->diag[(size_t)i * dim * dim + row], p->diag[(size_t)j * dim * dim + col]};
    double left = fmax(0, whole[0] - own[0][row]), right = fmax(0, whole[1] - own[1][col]);
    double most = sqrt(left * right) + SAME * sqrt(whole[0] * whole[1]);
    double elastic = (w ? w[k] : 0) - rigid[k];
    if (fabs(elastic) <= most) continue;
    return err_set(err, ERR_INPUT,
                   "datasets 'voussoir/moved' and 'voussoir/lever': contacts %d and %d: rigid "
                   "motions make %g of W, which is %g there, and elastic is at most %g",
                   i, j, rigid[k], w ? w[k] : 0, most);
  }
  return OK;
}

// Contacts of each body, one list behind the other, in their order.
static Status list_bodies(const Problem *p, int n, int64_t **ptr, int32_t **list, Err *err) {
  int n_bodies = p->bodies.n_bodies;
  MEM_NEW(*ptr, n_bodies + 2, err);
  MEM_NEW(*list, 2 * n, err);
  for (int side = 0; side < 2 * n; side++)
    if (p->bodies.moved[side] >= 0) (*ptr)[p->bodies.moved[side] + 2]++;
  for (int b = 0; b < n_bodies; b++) (*ptr)[b + 2] += (*ptr)[b + 1];
  for (int side = 0; side < 2 * n; side++)
    if (p->bodies.moved[side] >= 0) (*list)[(*ptr)[p->bodies.moved[side] + 1]++] = side / 2;
  return OK;
}

// Contact i with those after it that have a block with it, and with those that have none though
// they share a body. seen [n]: the last contact whose block with it was looked at.
static Status check_pairs(const Problem *p, int n, int i, const int64_t *ptr, const int32_t *list,
                          int32_t *seen, Err *err) {
  size_t block = (size_t)(p->dim * p->dim);
  for (int64_t e = p->blocks.ptr[i]; e < p->blocks.ptr[i + 1]; e++) {
    int j = p->blocks.col[e];
    if (j <= i || j >= n) continue;
    seen[j] = i;
    TRY(check_pair(p, i, j, p->blocks.w + (size_t)e * block, err));
  }
  for (int side = 0; side < 2; side++) {
    int body = p->bodies.moved[2 * i + side];
    for (int64_t e = body < 0 ? 0 : ptr[body]; body >= 0 && e < ptr[body + 1]; e++)
      if (list[e] > i && seen[list[e]] != i) TRY(check_pair(p, i, list[e], NULL, err));
  }
  return OK;
}

Status fclib_check_rigid(const Problem *p, int n, Err *err) {
  int64_t *ptr = NULL;
  int32_t *list = NULL, *seen = mem_new((size_t)n, sizeof *seen);
  Status status = seen ? OK : err_set(err, ERR_SYSTEM, "out of memory: %d contacts", n);
  if (status == OK) memset(seen, 0xff, (size_t)n * sizeof *seen);
  if (status == OK) status = list_bodies(p, n, &ptr, &list, err);
  for (int i = 0; i < n && status == OK; i++) status = check_parts(p, i, err);
  for (int i = 0; i < n && status == OK; i++) status = check_pairs(p, n, i, ptr, list, seen, err);
  mem_free(ptr);
  mem_free(list);
  mem_free(seen);
  return status;
}
