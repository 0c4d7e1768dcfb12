#include "mesh/masonry_bond.h"

#include <math.h>

#include "base/mem.h"

// Longest block, in block lengths, that moving a joint may leave, and leaving one out; under a
// lintel both may leave a long stone, as masons put there.
static const double LONGEST_MOVED = 1.5, LONGEST_JOINED = 1.75, LONGEST_UNDER_LINTEL = 4;

Status joints_add(Joints *joints, double x, Err *err) {
  void *room = joints->x;
  TRY(mem_grow(&room, &joints->room, (size_t)joints->n + 1, sizeof *joints->x, err));
  joints->x = room;
  joints->x[joints->n++] = x;
  return OK;
}

int bond_is_shifted(const WallSpec *spec, int course) {
  if (spec->bond == BOND_STACK) return 0;
  int is_odd = course % 2 == 0; // courses are counted from 1 in WallHalves
  if (spec->bond == BOND_RUNNING && spec->halves == HALVES_ODD) return is_odd;
  return !is_odd;
}

double bond_closer(const WallSpec *spec) {
  if (spec->bond == BOND_ENGLISH) return 0.5 * spec->header_length;
  return (spec->block_length - spec->header_length) / 2;
}

// Joints of the bond, as multiples of its period: two in each where it is Flemish, else one.
// English bond: courses of stretchers, and shifted ones of headers.
static double bond_joint(const WallSpec *spec, int shifted, int k) {
  double block = spec->block_length, header = spec->header_length;
  if (spec->bond == BOND_ENGLISH && shifted) return (k + 0.5) * header;
  if (spec->bond != BOND_FLEMISH) return (k + (shifted ? 0.5 : 0)) * block;
  int period = (k - (k & 1)) / 2;
  double start = (period + (shifted ? 0.5 : 0)) * (block + header);
  return k & 1 ? start + block : start;
}

static Status follow_bond(const Bond *bond, int shifted, double low, double high, Joints *joints,
                          Err *err) {
  const WallSpec *spec = bond->spec;
  int per_period = spec->bond == BOND_FLEMISH ? 2 : 1;
  double period = spec->block_length + (per_period == 2 ? spec->header_length : 0);
  if (spec->bond == BOND_ENGLISH && shifted) period = spec->header_length;
  int k = per_period * ((int)floor(low / period) - 1);
  for (; bond_joint(spec, shifted, k) < high - bond->tolerance; k++)
    if (bond_joint(spec, shifted, k) > low + bond->tolerance)
      TRY(joints_add(joints, bond_joint(spec, shifted, k), err));
  return OK;
}

// Where a stone's half hangs over an end, bonds with headers give closer, header; masons put the
// header at the end and the closer behind it.
static void turn_closers(const Bond *bond, double low, double high, double *x, int n) {
  double header = bond->spec->header_length, closer = bond_closer(bond->spec);
  double both = closer + header;
  if (n < 2 || closer < bond->least - bond->tolerance) return;
  if (fabs(x[0] - low - closer) < bond->tolerance && fabs(x[1] - low - both) < bond->tolerance)
    x[0] = low + header;
  if (fabs(high - x[n - 1] - closer) < bond->tolerance &&
      fabs(high - x[n - 2] - both) < bond->tolerance)
    x[n - 1] = high - header;
}

static int is_under_lintel(const Bond *bond, double x) {
  for (int k = 0; k < bond->n_bearings; k++)
    if (x > bond->bearing[k].low - bond->offset + bond->tolerance &&
        x < bond->bearing[k].high + bond->offset - bond->tolerance)
      return 1;
  return 0;
}

// First joint of the course below that is not left of x.
static int first_below(const Joints *below, double x) {
  int low = 0, high = below->n;
  while (low < high) {
    int middle = (low + high) / 2;
    if (below->x[middle] < x)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

static int is_bad(const Bond *bond, double x) {
  if (is_under_lintel(bond, x)) return 1;
  double gap = bond->offset - bond->tolerance;
  // the stone at a jamb stands wholly on the one below it, or by a quarter at least on each of two
  for (int k = 0; k < bond->n_jambs; k++) {
    double miss = fabs(x - bond->jamb[k]);
    if (miss > bond->tolerance && miss < gap) return 1;
  }
  if (bond->spec->bond == BOND_STACK || !bond->below) return 0;
  int k = first_below(bond->below, x - gap);
  return k < bond->below->n && bond->below->x[k] < x + gap;
}

// The place for a joint between its neighbours that is nearest to where the bond has it.
typedef struct {
  const Bond *bond;
  double x, left, right;
  double longest; // piece that may be left beside it
  double best;    // NaN: none yet
} Search;

static void try_place(Search *search, double place) {
  const Bond *bond = search->bond;
  double to_left = place - search->left, to_right = search->right - place;
  if (fmin(to_left, to_right) < bond->least - bond->tolerance) return;
  if (fmax(to_left, to_right) > search->longest + bond->tolerance || is_bad(bond, place)) return;
  // of two equally far the first one tried stays
  if (isnan(search->best) ||
      fabs(place - search->x) < fabs(search->best - search->x) - bond->tolerance)
    search->best = place;
}

// Tries steps of the least offset, then places that just clear what makes others bad; NaN if none.
static double better_place(const Bond *bond, double x, double left, double right) {
  double longest = is_under_lintel(bond, x) ? LONGEST_UNDER_LINTEL : LONGEST_MOVED;
  Search search = {.bond = bond,
                   .x = x,
                   .left = left,
                   .right = right,
                   .longest = longest * bond->spec->block_length,
                   .best = (double)NAN};
  double step = bond->offset;
  for (int k = 1; k <= 6; k++) {
    try_place(&search, x - k * step);
    try_place(&search, x + k * step);
  }
  for (int k = 0; k < bond->n_bearings; k++) {
    try_place(&search, bond->bearing[k].low - step);
    try_place(&search, bond->bearing[k].high + step);
  }
  for (int k = 0; k < bond->n_jambs; k++)
    for (int side = -1; side <= 1; side++) try_place(&search, bond->jamb[k] + side * step);
  for (int k = bond->below ? first_below(bond->below, left - step) : 0;
       bond->below && k < bond->below->n && bond->below->x[k] < right + step; k++) {
    try_place(&search, bond->below->x[k] - step);
    try_place(&search, bond->below->x[k] + step);
  }
  return search.best;
}

// From left to right: moves bad joints, or drops them; returns how many are left.
static int mend(const Bond *bond, double low, double high, double *x, int n) {
  double block = bond->spec->block_length, left = low;
  int kept = 0;
  for (int k = 0; k < n; k++) {
    double right = k + 1 < n ? x[k + 1] : high, at = x[k];
    if (is_bad(bond, at) || at - left < bond->least - bond->tolerance) {
      double moved = better_place(bond, at, left, right);
      double longest = is_under_lintel(bond, at) ? LONGEST_UNDER_LINTEL : LONGEST_JOINED;
      if (!isnan(moved))
        at = moved;
      else if (right - left <= longest * block + bond->tolerance)
        continue;
    }
    x[kept++] = left = at;
  }
  return kept;
}

Status bond_segment(const Bond *bond, int course, double low, double high, Joints *joints,
                    Err *err) {
  int first = joints->n, shifted = bond_is_shifted(bond->spec, course);
  TRY(follow_bond(bond, shifted, low, high, joints, err));
  if (joints->n == first) return OK; // one block
  double *x = joints->x + first;
  int n = joints->n - first, kept = 0;
  if (bond_has_headers(bond->spec)) turn_closers(bond, low, high, x, n);
  // pieces at the ends shorter than a quarter block are joined to their neighbours
  for (int k = 0; k < n; k++)
    if (x[k] - low > bond->least - bond->tolerance && high - x[k] > bond->least - bond->tolerance)
      x[kept++] = x[k];
  joints->n = first + mend(bond, low, high, x, kept);
  return OK;
}
