#include "pair_sample.h"

static const int solid[2] = {0, 0};

// A block of 3 x 3 cells on one of 2 x 2, both 2 wide, beside it by 0.4.
static void blocks(PairSample *s) {
  const int cells[2][3] = {{2, 2, 1}, {3, 3, 1}};
  const double size[2][3] = {{2, 2, 1}, {2, 2, 1}}, shift[3] = {0.4, 0, 1.001};
  pair_sample_init(s, cells, size, solid, shift, 1, NULL);
}

// Contacts that hold means over both faces, as joints of flat faces have them: of a node and a face
// there are five nodes, of two edges four.
static int means(PairSample *s) {
  const int n = pair_sample_detect(s);
  int found = 0;
  for (int c = 0; c < n; c++) {
    const Contact *contact = &contact_list(s->work)[c];
    found += contact->side[0].n > 1 && contact->side[0].n + contact->side[1].n > 5;
  }
  return found;
}

// Displaces the upper block: its faces bend up by `up` at their sides, or these bulge by `out`.
static void bend(PairSample *s, double up, double out) {
  for (int k = s->node_ptr[1]; k < s->node_ptr[2]; k++) {
    const double x = s->bs.x[3 * k] - 1.4, y = s->bs.x[3 * k + 1] - 1;
    s->bodies.q[3 * k + 2] = up * x * x;
    s->bodies.q[3 * k] = out * x * (1 - y * y);
  }
}

Test(contact_outline, faces_at_finite_strains_are_flat_until_they_bend) {
  PairSample s;
  blocks(&s);
  cr_expect_gt(means(&s), 0);
  bend(&s, 0.01, 0); // by 0.013 at the outer cells
  cr_expect_gt(means(&s), 0);
  bend(&s, 0.03, 0);
  cr_expect_eq(means(&s), 0);
  cr_expect_gt(contact_count(s.work), 0); // the nodes hold
  bend(&s, 0, 0);
  cr_expect_gt(means(&s), 0);
  pair_sample_free(&s);
}

Test(contact_outline, faces_whose_sides_bulge_meet_by_their_nodes) {
  PairSample s;
  blocks(&s);
  bend(&s, 0, 0.01);
  cr_expect_gt(means(&s), 0);
  bend(&s, 0, 0.1);
  cr_expect_eq(means(&s), 0);
  cr_expect_gt(contact_count(s.work), 0);
  pair_sample_free(&s);
}
