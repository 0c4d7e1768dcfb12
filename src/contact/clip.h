// contact/clip.h -- convex polygons in a plane, corners counter-clockwise; not for other rooms.
#ifndef CONTACT_CLIP_H
#define CONTACT_CLIP_H

enum { MOST_CORNERS = 64 };
typedef struct {
  int n;
  double p[MOST_CORNERS][2]; // [m]
} Polygon;

// Does p lie in the polygon, or not more than `slack` beyond a side?
int polygon_holds(const Polygon *polygon, const double p[2], double slack);
// Where the lines of two sides, from corner i to the next of a and from corner j of b, cross:
// shares of either. 0: they run side by side, the sine of their angle is below `least`.
int polygon_sides_cross(const Polygon *a, int i, const Polygon *b, int j, double least,
                        double share[2]);
// The area of the convex polygon with these corners, in any order, and which share of it stands for
// each: they add up to the area and put its centre where it is. `round` [n] receives the order of
// the corners.
double polygon_shares(int n, const double (*p)[2], double *share, int *round);
// Of p from the side between corner k and the next.
double polygon_side_distance(const Polygon *polygon, int k, const double p[2]);
double polygon_shortest_side(const Polygon *polygon);

#endif
