// In space: corners of what two flat faces have in common, and three or four of them that stand for
// all.

#include <math.h>
#include <string.h>

#include "contact/flat.h"

// Which corner of the overlap a slot is in this step, in the plane of the antagonist: 0: none.
static int is_corner_of(const Overlap *over, const SlotInfo *slot, double p[2], double share[2]) {
  if (slot->place == OF_CORNER) {
    int s = slot->joint[0];
    memcpy(p, over->polygon[s].p[flat_place_of_corner(over, s, slot->edge_c)], 2 * sizeof *p);
    return polygon_holds(&over->polygon[1 - s], p, over->same);
  }
  const int i = flat_place_of_side(over, 0, slot->edge_c), j = slot->joint[0];
  const Polygon *a = &over->polygon[0], *c = &over->polygon[1];
  if (!polygon_sides_cross(a, i, c, j, LEAST_CROSSING, share)) return 0;
  for (int s = 0; s < 2; s++)
    if (share[s] < 0 || share[s] > 1) return 0;
  for (int k = 0; k < 2; k++) p[k] = a->p[i][k] + share[0] * (a->p[(i + 1) % a->n][k] - a->p[i][k]);
  share[0] = 1 - share[0]; // along the side of the face, which runs the other way
  return 1;
}

static int is_new(const OverlapCorners *corners, const double p[2], double same) {
  for (int k = 0; k < corners->n; k++)
    if (hypot(p[0] - corners->p[k][0], p[1] - corners->p[k][1]) <= same) return 0;
  return 1;
}

void flat_corners(const Overlap *over, const ContactWork *work, const FlatJoint *joint,
                  OverlapCorners *corners) {
  corners->n = 0;
  for (int turn = 0; turn < 3; turn++) // corners of the candidate, of the antagonist, sides
    for (int m = joint->first; m < joint->first + joint->n; m++) {
      const int64_t k = work->corner[m];
      const SlotInfo *slot = &work->slot[k];
      double *p = corners->p[corners->n], *share = corners->share[corners->n];
      if (turn != (slot->place == OF_SIDES ? 2 : slot->joint[0])) continue;
      if (corners->n == 2 * MOST_CORNERS - 1 || !is_corner_of(over, slot, p, share)) continue;
      if (is_new(corners, p, 2 * over->same)) corners->slot[corners->n++] = k;
    }
}

// ---- three or four of them ----------------------------------------------------------------------

// Another quadrilateral is larger only by more than this share: round-off does not choose.
static const double LARGER = 1e-6;

static double triangle(const double a[2], const double b[2], const double c[2]) {
  return 0.5 * ((b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]));
}

// Of the corners from `from` to `to` in their order that which makes the largest triangle with
// both.
static int farthest(const OverlapCorners *corners, const int *order, int from, int to,
                    double *area) {
  const int n = corners->n;
  const double *a = corners->p[order[from]], *c = corners->p[order[to % n]];
  int best = from + 1;
  *area = 0;
  for (int k = from + 1; k < to; k++) {
    double own = triangle(a, corners->p[order[k % n]], c);
    if (own <= (1 + LARGER) * *area) continue;
    *area = own;
    best = k;
  }
  return best % n;
}

// The largest quadrilateral of corners. They are gone through from the slot that comes first, so
// that what is chosen among equal ones does not depend on where the faces are.
static void keep_four(OverlapCorners *corners, int *order) {
  const int n = corners->n;
  int start = 0, turned[2 * MOST_CORNERS], pick[4] = {0, 1, 2, 3};
  double largest = 0;
  for (int k = 1; k < n; k++)
    if (corners->slot[order[k]] < corners->slot[order[start]]) start = k;
  for (int k = 0; k < n; k++) turned[k] = order[(start + k) % n];
  for (int i = 0; i < n - 2; i++)
    for (int j = i + 2; j < n; j++) {
      if (i == 0 && j == n - 1) continue; // side by side
      double area[2];
      int k = farthest(corners, turned, i, j, &area[0]),
          m = farthest(corners, turned, j, i + n, &area[1]);
      if (area[0] + area[1] <= (1 + LARGER) * largest) continue;
      largest = area[0] + area[1];
      pick[0] = turned[i];
      pick[1] = turned[k];
      pick[2] = turned[j];
      pick[3] = turned[m];
    }
  OverlapCorners four = {.n = 4};
  for (int k = 0; k < 4; k++) {
    four.slot[k] = corners->slot[pick[k]];
    memcpy(four.p[k], corners->p[pick[k]], sizeof four.p[k]);
    memcpy(four.share[k], corners->share[pick[k]], sizeof four.share[k]);
  }
  *corners = four;
}

double flat_shares(const FlatJoint *joint, OverlapCorners *corners, double *area, int *order) {
  double whole = polygon_shares(corners->n, (const double(*)[2])corners->p, area, order);
  if (joint->few != FEW_REDUCED || corners->n <= 4) return whole;
  keep_four(corners, order);
  double own = polygon_shares(corners->n, (const double(*)[2])corners->p, area, order);
  for (int k = 0; k < corners->n; k++) area[k] *= whole / own;
  return whole;
}
