#include "../shape/shape_sample.h"
#include "contact/pair_type.h"

#include <math.h>

static const double plate_corners[] = {0, -1, 0, 0.01, -1, 0, 0.01, 1, 0, 0, 1, 0};

static Shape plate(void) {
  const ShapeParam closed[] = {{"closed", 1}, {NULL, 0}};
  return shape_sample("profile", 2, plate_corners, 12, closed);
}

static ToolWay way(const Shape *shape, double x0, double y0, double x1, double y1) {
  return contact_way(shape, (double[]){x0, y0, 0}, (double[]){x1, y1, 0}, 0);
}

Test(contact_way, through_a_plate_is_half_of_its_thickness_deep_however_long_it_is) {
  Shape shape = plate();
  static const double lengths[] = {0.02, 0.1, 1, 30};
  for (int k = 0; k < 4; k++)
    for (int back = 0; back < 2; back++) {
      const double before = -0.3 * lengths[k], after = 0.7 * lengths[k];
      const ToolWay found = way(&shape, back ? after : before, 0.1, back ? before : after, 0.2);
      cr_expect_eq(found.through, 1, "%g m", lengths[k]);
      cr_expect_float_eq(found.depth, 0.005, 1e-6, "%g m: %.9g", lengths[k], found.depth);
    }
  shape_free(&shape);
}

Test(contact_way, that_misses_grazes_or_bounces_is_not_through) {
  Shape shape = plate();
  const ShapeParam round[] = {{"radius", 0.1}, {NULL, 0}};
  Shape disk = shape_sample("cylinder", 2, NULL, 0, round);
  cr_expect_eq(way(&shape, -0.3, 1.001, 0.7, 1.001).through, 0); // beyond its end
  cr_expect_eq(way(&shape, -0.3, 1.001, 0.7, 1.001).depth, 0);
  cr_expect_eq(way(&shape, -0.3, 0, -0.001, 0).depth, 0); // ends before it
  cr_expect_eq(way(&shape, 0.02, 0, 0.5, 0).depth, 0);    // begins behind it
  const ToolWay in = way(&shape, -0.3, 0, 0.004, 0);      // ends in it
  cr_expect_eq(in.through, 0);
  cr_expect_float_eq(in.depth, 0.004, 1e-12);
  cr_expect_float_eq(in.entry, 0.3, 1e-12);
  cr_expect_eq(way(&disk, -0.3, 0.02, 0.3, 0.02).through, 1);
  cr_expect_eq(way(&disk, -0.3, 0.09, 0.3, 0.09).through, 0); // over its flank
  cr_expect_float_eq(way(&disk, -0.3, 0.09, 0.3, 0.09).depth, 0.01, 1e-4);
  shape_free(&shape);
  shape_free(&disk);
}

Test(contact_way, of_what_is_thick_meets_the_plate_so_much_earlier) {
  Shape shape = plate();
  const double from[3] = {-0.05, 0, 0}, to[3] = {-0.001, 0, 0};
  cr_expect_eq(contact_way(&shape, from, to, 0).depth, 0);
  cr_expect_float_eq(contact_way(&shape, from, to, 0.003).depth, 0.002, 1e-12);
  shape_free(&shape);
}

Test(contact_way, what_goes_through_is_missed_more_than_what_is_deeper) {
  MissedNode worst = {0};
  contact_miss(&worst, (ToolWay){.depth = 0.5, .through = 0}, 3, 1);
  cr_expect(worst.node == 3 && worst.depth == 0.5 && !worst.through);
  contact_miss(&worst, (ToolWay){.depth = 0.1, .through = 1}, 4, 2);
  cr_expect(worst.node == 4 && worst.tool == 2 && worst.through);
  contact_miss(&worst, (ToolWay){.depth = 0.7, .through = 0}, 5, 1);
  contact_miss(&worst, (ToolWay){.depth = 0.05, .through = 1}, 6, 1);
  cr_expect_eq(worst.node, 4);
}
