// Friction that differs along two directions. The tangents of such a contact are these directions,
// and the second one is as long as the ratio k of the coefficients: with the force f, r_s = f_s / k
// and u_s = k v_s, the ellipse (f_t / mu)^2 + (f_s / mu_2)^2 = f_n^2 is the circle |r_T| = mu r_n,
// work r.u is that of f.v, and -u_T in the normal cone of the circle says that what slips does so
// along the normal of the ellipse, the associated rule of Michalowski and Mroz 1978. Solvers see
// circles alone.

#include <math.h>
#include <string.h>

#include "base/vec3.h"
#include "contact/law_table.h"
#include "contact/pair_type.h"

// A direction that has less than this share of itself in the plane of contact says nothing there:
// friction is the same all round.
static const double LEAST_SHARE = 1e-3;

// d as it was placed, turned with a body whose motion is given: by the angle of its node farthest
// from the axis.
static void turn_given(const BodySet *bs, const double *x, int body, double d[3]) {
  const SupportMotion *motion = &bs->motion[body];
  double largest = 0, c = 1, s = 0, arm[3], now[3], across[3];
  if (function_is_constant(&motion->turn)) return;
  const int first = bs->node_ptr[body];
  double moved[3]; // where the axis has gone: what turns is a chord between two nodes
  for (int k = first + 1; k < bs->node_ptr[body + 1]; k++) {
    for (int i = 0; i < 3; i++) {
      arm[i] = bs->x[3 * (size_t)k + (size_t)i] - bs->x[3 * (size_t)first + (size_t)i];
      moved[i] = x[3 * (size_t)k + (size_t)i] - x[3 * (size_t)first + (size_t)i];
    }
    vec3_cross(motion->axis, arm, across);
    vec3_cross(motion->axis, moved, now);
    double square = vec3_dot(across, across);
    if (square <= largest) continue;
    double side[3];
    vec3_cross(across, now, side);
    largest = square;
    c = vec3_dot(across, now) / square;
    s = vec3_dot(side, motion->axis) / square;
  }
  double along = vec3_dot(motion->axis, d);
  vec3_cross(motion->axis, d, across);
  for (int i = 0; i < 3; i++) d[i] = c * d[i] + s * across[i] + (1 - c) * along * motion->axis[i];
}

// The same of any body: by its frame.
static void turn_along(const ContactStep *step, int body, double d[3]) {
  const BodySet *bs = step->bs;
  const double *place = bs->place + 9 * (size_t)body,
               *frame = step->bodies->frame + 9 * (size_t)body;
  double own[3];
  if (bs->type[body]->given) {
    turn_given(bs, step->work->x, body, d);
    return;
  }
  for (int i = 0; i < 3; i++) own[i] = place[i] * d[0] + place[3 + i] * d[1] + place[6 + i] * d[2];
  for (int i = 0; i < 3; i++) d[i] = vec3_dot(frame + 3 * i, own);
}

int contact_orient(const ContactStep *step, Contact *contact) {
  const Law *law = step->cm->rules[contact->rule].law;
  double d[3];
  int rank = 0, follows = 0;
  contact->ratio = 1;
  if (!law_is_orthotropic(law)) return 0;
  memcpy(d, law->direction, sizeof d);
  const int of = (int)law->par[law->type->orthotropy + LAW_DIRECTION_OF];
  if (of != DIRECTION_WORLD) { // a slot's candidate may be the antagonist of the rule
    const int body[2] = {contact->side[0].body, contact->side[1].body};
    contact_rule_between(step->cm, body[0], body[1], &rank);
    turn_along(step, body[(of == DIRECTION_ANTAGONIST) != (rank > 0)], d);
    follows = 1;
  }
  const double along = vec3_dot(d, contact->n), whole = vec3_length(d);
  for (int i = 0; i < 3; i++) d[i] -= along * contact->n[i];
  if (!(vec3_length(d) > LEAST_SHARE * whole)) return 1;
  vec3_normalise(d);
  contact->ratio = law->par[law->type->orthotropy + LAW_FRICTION_2] / law->par[LAW_FRICTION];
  memcpy(contact->t, d, sizeof d);
  vec3_cross(contact->n, contact->t, contact->s);
  for (int i = 0; i < 3; i++) contact->s[i] *= contact->ratio;
  return follows;
}
