#include <criterion/criterion.h>

#include <math.h>

#include "../../support/run_case.h"
#include "base/vec3.h"
#include "contact/contact.h"

// A box that spins by 2 rad/s on a table that turns by 0.5 rad/s, next to no friction: the tangents
// after 0.1 s.
static CaseRun *turning(const char *of) {
  CaseRun *run = run_case_open_text(
      xml_format(
          "<voussoir><model space=\"solid\"/><material name=\"m\" density=\"1000\" young=\"1e9\" poisson=\"0\"/>"
          "<box name=\"b\" material=\"m\" kinematics=\"rigid\" size=\"0.5 0.4 0.1\""
          " cells=\"1 1 1\"/><support name=\"g\" shape=\"box\" x=\"-1\" y=\"-1\" z=\"-1\""
          " width=\"3\" height=\"3\" depth=\"1\" turn=\"0.5*t\" about_x=\"0.3\"/>"
          "<law name=\"l\" type=\"coulomb\" friction=\"1e-12\" friction_2=\"3e-12\""
          " direction=\"0 2 1\" direction_of=\"%s\"/>"
          "<contact candidate=\"b\" antagonist=\"g\" law=\"l\"/>"
          "<velocity of=\"b\" spin=\"0 0 2\"/><gravity y=\"0\" z=\"-9.81\"/>"
          "<time end=\"1\" step=\"1e-3\" theta=\"1\"/><output every=\"0\"/></voussoir>",
          of),
      NULL);
  for (int k = 0; k < 101; k++) run_case_step(run, 0);
  return run;
}

Test(contact_friction, tangents_follow_the_world_or_a_body) {
  static const struct {
    const char *of;
    double angle; // of the last step's start: a frame lags by up to 1e-3
  } rows[] = {{"world", 0}, {"candidate", 0.2}, {"antagonist", 0.05}};
  for (int k = 0; k < 3; k++) {
    CaseRun *run = turning(rows[k].of);
    const Contact *contact = contact_list(run->work.contact);
    cr_assert_eq(contact_count(run->work.contact), 4);
    for (int c = 0; c < 4; c++) {
      double s[3];
      cr_expect_float_eq(contact[c].t[0], -sin(rows[k].angle), 1.1e-3, "%s: %g", rows[k].of,
                         contact[c].t[0]);
      cr_expect_float_eq(contact[c].t[1], cos(rows[k].angle), 1.1e-3, "%s", rows[k].of);
      cr_expect_float_eq(contact[c].t[2], 0, 1e-12);
      cr_expect_float_eq(contact[c].ratio, 3, 1e-12);
      vec3_cross(contact[c].n, contact[c].t, s);
      for (int i = 0; i < 3; i++) cr_expect_float_eq(contact[c].s[i], 3 * s[i], 1e-12);
    }
    run_case_close(run);
  }
}

// An impulse along the long axis is more force, a velocity along it less.
Test(contact_friction, vectors_come_back_to_the_axes_of_the_model) {
  const Contact contact = {.n = {0, 0, 1}, .t = {1, 0, 0}, .s = {0, 2, 0}, .ratio = 2};
  double force[3], velocity[3];
  contact_to_global(&contact, 3, (const double[]){1, 3, 5}, force);
  contact_velocity_to_global(&contact, 3, (const double[]){1, 3, 5}, velocity);
  const double f[3] = {3, 10, 1}, v[3] = {3, 2.5, 1};
  for (int i = 0; i < 3; i++) {
    cr_expect_float_eq(force[i], f[i], 1e-15);
    cr_expect_float_eq(velocity[i], v[i], 1e-15);
  }
}

// Where the direction is normal to the contact friction is the same all round.
Test(contact_friction, direction_across_the_contact_says_nothing) {
  CaseRun *run = run_case_open_text(
      "<voussoir><model space=\"solid\"/><material name=\"m\" density=\"1000\" young=\"1e9\" poisson=\"0\"/>"
      "<box name=\"b\" material=\"m\" kinematics=\"rigid\" size=\"1 1 1\" cells=\"1 1 1\"/>"
      "<support name=\"g\" shape=\"plane\"/><law name=\"l\" friction=\"0.5\" friction_2=\"1\""
      " direction=\"0 0 1\"/><contact candidate=\"b\" antagonist=\"g\" law=\"l\"/>"
      "<gravity y=\"0\" z=\"-9.81\"/><time end=\"1\" step=\"1e-3\"/></voussoir>",
      NULL);
  run_case_step(run, 0);
  cr_assert_eq(contact_count(run->work.contact), 4);
  cr_expect_float_eq(contact_list(run->work.contact)->ratio, 1, 0);
  cr_expect_float_eq(vec3_length(contact_list(run->work.contact)->s), 1, 1e-12);
  run_case_close(run);
}
