#include "contact/flat.h"

#include <string.h>

#include "base/vec3.h"

// Corners nearer than twice this share of the shortest side are one, so that what is no wider than
// that has only two and is no overlap; and a corner lies over a face to that share beyond its
// sides.
static const double SAME = 1e-3;

void flat_normal(int n, const double (*corner)[3], double normal[3]) {
  for (int i = 0; i < 3; i++) normal[i] = 0;
  for (int k = 1; k + 1 < n; k++) {
    double a[3], b[3], cross[3];
    for (int i = 0; i < 3; i++) {
      a[i] = corner[k][i] - corner[0][i];
      b[i] = corner[k + 1][i] - corner[0][i];
    }
    vec3_cross(a, b, cross);
    for (int i = 0; i < 3; i++) normal[i] += cross[i];
  }
  vec3_normalise(normal);
}

Face flat_outline(const FaceSet *faces, const double *x, int group) {
  return (Face){.n = faces->outline_ptr[group + 1] - faces->outline_ptr[group],
                .node = faces->outline + faces->outline_ptr[group],
                .x = x};
}

Face flat_face(const FaceSet *faces, const double *x, int group) {
  Face face = flat_outline(faces, x, group);
  double corner[MOST_CORNERS][3];
  for (int k = 0; k < face.n; k++) memcpy(corner[k], flat_corner(&face, k), sizeof corner[k]);
  flat_normal(face.n, (const double(*)[3])corner, face.normal);
  return face;
}

void flat_place(const Overlap *over, const double x[3], double p[2]) {
  double d[3];
  for (int i = 0; i < 3; i++) d[i] = x[i] - over->origin[i];
  for (int i = 0; i < 2; i++) p[i] = vec3_dot(d, over->axis[i]);
}

static void lay_flat(Overlap *over) {
  const Face *plane = &over->face[1];
  memcpy(over->origin, flat_corner(plane, 0), sizeof over->origin);
  for (int i = 0; i < 3; i++) over->axis[0][i] = flat_corner(plane, 1)[i] - over->origin[i];
  vec3_normalise(over->axis[0]);
  vec3_cross(plane->normal, over->axis[0], over->axis[1]);
  for (int s = 0; s < 2; s++) {
    const Face *face = &over->face[s];
    over->polygon[s].n = face->n;
    for (int k = 0; k < face->n; k++)
      flat_place(over, flat_corner(face, k), over->polygon[s].p[s == 0 ? face->n - 1 - k : k]);
  }
  over->same = SAME * fmin(polygon_shortest_side(&over->polygon[0]),
                           polygon_shortest_side(&over->polygon[1]));
}

Overlap flat_lay(const Face face[2]) {
  Overlap over;
  memcpy(over.face, face, sizeof over.face);
  lay_flat(&over);
  return over;
}

Overlap flat_overlap(const FaceSet *faces, const double *x, const int32_t group[2]) {
  const Face face[2] = {flat_face(faces, x, group[0]), flat_face(faces, x, group[1])};
  return flat_lay(face);
}

Site flat_site(const Face *face, int body, const double p[3]) {
  const int at[3] = {0, face->n / 3, 2 * face->n / 3};
  Site site = {.body = body, .n = 3};
  double side[2][3], d[3], cross[3], whole[3], share[3] = {1, 0, 0};
  for (int i = 0; i < 3; i++) {
    d[i] = p[i] - flat_corner(face, at[0])[i];
    for (int k = 0; k < 2; k++)
      side[k][i] = flat_corner(face, at[k + 1])[i] - flat_corner(face, at[0])[i];
  }
  vec3_cross(side[0], side[1], whole);
  double area = vec3_dot(whole, face->normal);
  vec3_cross(d, side[1], cross);
  share[1] = vec3_dot(cross, face->normal) / area;
  vec3_cross(side[0], d, cross);
  share[2] = vec3_dot(cross, face->normal) / area;
  share[0] = 1 - share[1] - share[2];
  for (int k = 0; k < 3; k++) {
    site.node[k] = face->node[at[k]];
    site.weight[k] = -share[k];
  }
  return site;
}
