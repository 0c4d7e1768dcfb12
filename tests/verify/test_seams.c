// Blocks in the plane that pass the corners of others: over a flush seam, and down beside a wall.

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>

#include "../support/run_case.h"

static const double G = 9.81;
static const double WEIGHT = 2000 * 0.2 * 0.05 * 9.81; // of the block [N]

static const struct {
  const char *kinematics, *points, *law;
} KINDS[] = {{"rigid", "overlap", "coulomb"},
             {"small", "overlap", "quasi_inelastic"},
             {"corotational", "nodes", "velocity_signorini"},
             {"rigid", "nodes", "quasi_inelastic"},
             {"small", "gauss", "coulomb"}};
enum { N_KINDS = sizeof KINDS / sizeof *KINDS };

// A block that begins at x = -0.2, ends at a seam there, and whose way leads over seams at 0, 0.3
// and 0.6, of supports or of blocks on a support.
static CaseRun *over_seams(int kind, int on_blocks, double friction, const char *motion,
                           double end) {
  const char *bed = "";
  const double seam[] = {-1.5, -0.2, 0, 0.3, 0.6, 2.5};
  char floor[1000] = "";
  for (int k = 0, used = 0; k < 5; k++)
    used += snprintf(floor + used, sizeof floor - (size_t)used,
                     "<%s name='f%d' %s x='%g' y='-0.3' width='%g' height='0.3'/>",
                     on_blocks ? "block" : "support", k,
                     on_blocks ? "material='m' kinematics='rigid'" : "shape='box'", seam[k],
                     seam[k + 1] - seam[k]);
  if (on_blocks)
    bed = "<support name='g' shape='plane' y='-0.3'/>"
          "<contact candidate='f0 f1 f2 f3 f4' antagonist='f0 f1 f2 f3 f4 g' law='l'/>";
  return run_case_text(
      xml_format("<voussoir><material name='m' density='2000' young='1e10' poisson='0.2'/>"
                 "<law name='l' type='%s' friction='%g'/>%s%s"
                 "<block name='b' material='m' kinematics='%s' x='-0.2' width='0.2' height='0.05'"
                 " cells_x='2' cells_y='1'/>%s<contact candidate='b' antagonist='f0 f1 f2 f3 f4'"
                 " law='l' points='%s'/><gravity/><time end='%g' step='1e-3' theta='1'/>"
                 "<output every='0'/><probe name='v' quantity='velocity' of='b'/>"
                 "<probe name='x' quantity='displacement' of='b'/></voussoir>",
                 KINDS[kind].law, friction, floor, bed, KINDS[kind].kinematics, motion,
                 KINDS[kind].points, end),
      NULL);
}

static void expect_speed(CaseRun *run, const char *what, double speed) {
  double v = run_case_last(run, "v_x");
  cr_expect_float_eq(v, speed, 2e-3 * fabs(speed), "%s: %.9g m/s, expected %.9g", what, v, speed);
  cr_expect_lt(fabs(run_case_last(run, "x_y")), 1e-5, "%s: leaves the floor", what);
  run_case_close(run);
}

Test(seams, stop_no_block_that_slides_over_them_either_way) {
  for (int kind = 0; kind < N_KINDS; kind++)
    for (int way = -1; way <= 1; way += 2)
      for (int rough = 0; rough < 2; rough++) {
        double end = 0.1, friction = rough ? 0.3 : 0;
        CaseRun *run = over_seams(kind, kind % 2, friction,
                                  xml_format("<velocity of='b' x='%d'/>", 5 * way), end);
        expect_speed(run, KINDS[kind].points, way * (5 - friction * G * end));
      }
}

// At rest its corners stand on seams.
Test(seams, hold_no_block_that_is_pushed_from_rest) {
  for (int kind = 0; kind < N_KINDS; kind++) {
    double end = 0.3, push = 0.5 * WEIGHT, friction = 0.2;
    CaseRun *run =
        over_seams(kind, kind % 2, friction, xml_format("<force on='b' x='%.17g'/>", push), end);
    expect_speed(run, KINDS[kind].points, (0.5 - friction) * G * end);
  }
}

// Blocks on both sides of a wall, level with it at the start as the half courses of an opening may
// be: nothing carries them.
Test(seams, of_a_wall_carry_no_block_beside_it) {
  for (int kind = 0; kind < N_KINDS; kind++) {
    double end = 0.2;
    CaseRun *run = run_case_text(
        xml_format("<voussoir><material name='m' density='2000' young='1e10' poisson='0.2'/>"
                   "<law name='l' type='%s' friction='0'/><support name='f' shape='box' x='0' y='0'"
                   " width='1' height='1'/><block name='b' material='m' kinematics='%s' x='1' y='1'"
                   " width='0.2' height='0.3' cells_x='1' cells_y='1'/><block name='c' x='-0.2'"
                   " y='1' material='m' kinematics='%s' width='0.2' height='0.3' cells_x='1'"
                   " cells_y='1'/><contact candidate='b c' antagonist='f' law='l' points='%s'/>"
                   "<gravity/><time end='%g' step='1e-3' theta='0.5'/><output every='0'/>"
                   "<probe name='b' quantity='velocity' of='b'/>"
                   "<probe name='c' quantity='velocity' of='c'/></voussoir>",
                   KINDS[kind].law, KINDS[kind].kinematics, KINDS[kind].kinematics,
                   KINDS[kind].points, end),
        NULL);
    cr_expect_float_eq(run_case_last(run, "b_y"), -G * end, 1e-9, "%s", KINDS[kind].points);
    cr_expect_float_eq(run_case_last(run, "c_y"), -G * end, 1e-9, "%s", KINDS[kind].points);
    cr_expect_float_eq(run_case_last(run, "b_x"), 0, 1e-9);
    run_case_close(run);
  }
}

// A step of 1 mm is none of this: the block meets it and stops.
Test(seams, that_are_steps_stop_a_block) {
  CaseRun *run = run_case_text(
      "<voussoir><material name='m' density='2000' young='1e10' poisson='0.2'/>"
      "<law name='l' type='coulomb' friction='0'/><support name='f' shape='box' x='-1' y='-0.3'"
      " width='1' height='0.3'/><support name='g' shape='box' x='0' y='-0.299' width='1'"
      " height='0.3'/><block name='b' material='m' kinematics='rigid' x='-0.3' width='0.2'"
      " height='0.05'/><velocity of='b' x='1'/><contact candidate='b' antagonist='f g' law='l'/>"
      "<gravity/><time end='0.11' step='1e-3' theta='1'/><output every='0'/>"
      "<probe name='v' quantity='velocity' of='b'/></voussoir>",
      NULL);
  cr_expect_lt(run_case_last(run, "v_x"), 0.5);
  run_case_close(run);
}

// The tip of a kite on the ridge of a roof, between smooth guides: it stands on both faces. A small
// stone elsewhere makes contact look less far ahead.
Test(seams, and_ridges_carry_a_tip_that_stands_on_them) {
  const double kite = 2000 * 9.81 * 0.3 * 0.8;
  for (int kind = 0; kind < 2; kind++)
    for (int small = 0; small < 2; small++) {
      CaseRun *run = run_case_text(
          xml_format("<voussoir><material name='m' density='2000' young='1e9' poisson='0.2'/>"
                     "<law name='d' friction='0.9'/><law name='s' friction='0'/>"
                     "<block name='a' material='m' kinematics='small' corners='-2 0 0 -1 2 0 0 1'"
                     " cells_x='1' cells_y='1' pattern='q4'/><prescribe on='a' x='0' y='0'/>"
                     "<block name='w' material='m' kinematics='%s' corners='0 1 0.3 1.4 0 1.8 -0.3"
                     " 1.4' cells_x='1' cells_y='1' pattern='q4'/>%s"
                     "<support name='l' shape='box' x='-0.8' y='1.05' width='0.5' height='2'/>"
                     "<support name='r' shape='box' x='0.3' y='1.05' width='0.5' height='2'/>"
                     "<contact candidate='w' antagonist='a' law='d'/>"
                     "<contact candidate='w' antagonist='l r' law='s'/><gravity/>"
                     "<time end='0.2' step='1e-3' theta='1'/><output every='0'/>"
                     "<probe name='x' quantity='displacement' of='w'/>"
                     "<probe name='f' quantity='reaction' of='a'/></voussoir>",
                     kind ? "rigid" : "corotational",
                     small ? "<block name='t' material='m' kinematics='rigid' x='4' width='5e-3'"
                             " height='5e-3'/><support name='p' shape='box' x='3' y='-1' width='3'"
                             " height='1'/><contact candidate='t' antagonist='p' law='d'/>"
                           : ""),
          NULL);
      double most = 0;
      for (int64_t k = 0; k < run->n_rows; k++) most = fmax(most, run_case_at(run, k, "f_y"));
      cr_expect_float_eq(run_case_last(run, "f_y"), kite, 1e-3 * kite);
      cr_expect_lt(most, 2.5 * kite, "%g of its weight", most / kite);
      cr_expect_lt(fabs(run_case_last(run, "x_y")), 2e-5, "sinks by %g m",
                   run_case_last(run, "x_y"));
      run_case_close(run);
    }
}

// A block that rocks over a corner half a millimetre inside the rim of its support rocks as on a
// wide one: the rim does not press on its face beyond that corner.
Test(seams, and_rims_just_beyond_a_corner_let_a_block_rock) {
  const double beside[] = {1, 4.99e-4, 1e-4, 1e-6};
  double spin[4];
  for (int k = 0; k < 4; k++) {
    CaseRun *run = run_case_text(
        xml_format("<voussoir><material name='m' density='2000' young='1e10' poisson='0.2'/>"
                   "<law name='l' type='coulomb' friction='0.7'/><block name='b' material='m'"
                   " kinematics='rigid' angle='0.231823804500403' width='0.5' height='1'"
                   " cells_x='1' cells_y='1'/><support name='g' shape='box' x='%g' y='-0.5'"
                   " width='%g' height='0.5'/><contact candidate='b' antagonist='g' law='l'/>"
                   "<gravity/><time end='0.5' step='5e-4' theta='0.5'/><output every='0'/>"
                   "<probe name='s' quantity='spin' of='b'/></voussoir>",
                   -beside[k], 0.5 + 2 * beside[k]),
        NULL);
    spin[k] = run_case_last(run, "s_rate");
    cr_expect_float_eq(spin[k], spin[0], 0.02 * fabs(spin[0]), "%g m: %g, not %g", beside[k],
                       spin[k], spin[0]);
    run_case_close(run);
  }
}

// Blocks that slide off a ledge, tilt over its rim and land on a floor below. The rim leaves along
// their bottom; of their back it never was in front, and of the ledge's side no corner is above it.
Test(seams, and_ledges_fling_no_block_that_slides_off_them) {
  static const struct {
    const char *kinematics;
    double friction, floor, below, width, height, speed, end, step, theta;
  } of[] = {{"rigid", 0, 0.05, 0.04167, 0.585851, 0.34141, 0.521661, 1.2, 5e-4, 0.5},
            {"rigid", 0.3, 0, 0.04759, 0.572423, 0.38879, 2.09038, 0.71, 1e-3, 1},
            {"rigid", 0, 0, 0.08153, 0.535095, 0.476424, 3.25136, 0.55, 1e-3, 0.5},
            {"corotational", 0, 0.173282, 0.05008, 0.433205, 0.15704, 2.80115, 0.53, 5e-4, 1},
            {"corotational", 0, 0, 0.0783, 0.233437, 0.312686, 0.832544, 0.72, 2e-3, 0.5},
            {"corotational", 0.1, 0.073383, 0.07, 0.183457, 0.34205, 0.835431, 0.4, 1e-3, 1}};
  for (int k = 0; k < (int)(sizeof of / sizeof *of); k++) {
    CaseRun *run = run_case_text(
        xml_format("<voussoir><material name='m' density='2000' young='1e10' poisson='0.2'/>"
                   "<law name='l' type='coulomb' friction='%g'/>"
                   "<support name='f' shape='box' x='-3' y='-1' width='3' height='1'/>"
                   "<support name='g' shape='box' x='%g' y='%.17g' width='8' height='1'/>"
                   "<block name='b' material='m' kinematics='%s' x='%.17g' width='%g' height='%g'"
                   " cells_x='1' cells_y='1'/><velocity of='b' x='%g'/>"
                   "<contact candidate='b' antagonist='f g' law='l'/><gravity/>"
                   "<time end='%g' step='%g' theta='%g'/><output every='0'/>"
                   "<probe name='e' quantity='energy'/></voussoir>",
                   of[k].friction, of[k].floor, -1 - of[k].below, of[k].kinematics,
                   -of[k].width - 0.02, of[k].width, of[k].height, of[k].speed, of[k].end,
                   of[k].step, of[k].theta),
        NULL);
    double first = run_case_at(run, 0, "e_kinetic") + run_case_at(run, 0, "e_elastic") -
                   run_case_at(run, 0, "e_external");
    for (int64_t row = 0; row < run->n_rows; row++) {
      double now = run_case_at(run, row, "e_kinetic") + run_case_at(run, row, "e_elastic") -
                   run_case_at(run, row, "e_external");
      cr_assert_leq(now, 1.001 * first, "%d: %g of its energy in row %d", k, now / first, (int)row);
    }
    run_case_close(run);
  }
}

// A block that laps a ledge by 0.1 or 0.3 mm tilts over its rim, slides off and lands: its back,
// which the rim is behind and slides towards, does not hold the rim that its bottom stands on.
Test(seams, and_rims_fling_no_block_that_tilts_over_them) {
  const double laps[] = {1e-4, 3e-4};
  for (int k = 0; k < 2; k++) {
    CaseRun *run = run_case_text(
        xml_format("<voussoir><material name='m' density='2000' young='1e9' poisson='0.2'/>"
                   "<law name='d' type='coulomb' friction='0.3'/>"
                   "<block name='b' material='m' kinematics='rigid' x='%.17g' width='0.68'"
                   " height='0.19' cells_x='2' cells_y='2'/>"
                   "<support name='l' shape='box' x='-3' y='-0.5' width='3' height='0.5'/>"
                   "<support name='f' shape='box' x='-4' y='-0.6' width='8' height='0.3'/>"
                   "<contact candidate='b' antagonist='l f' law='d'/><gravity/>"
                   "<time end='0.5' step='1e-3' theta='0.5'/><output every='0'/>"
                   "<probe name='e' quantity='energy'/></voussoir>",
                   -laps[k]),
        NULL);
    double fall = run_case_mass(run) * 9.81 * 0.3;
    for (int64_t row = 0; row < run->n_rows; row++)
      cr_assert_leq(run_case_at(run, row, "e_kinetic") - run_case_at(run, row, "e_external"),
                    1e-3 * fall, "%g m, row %d", laps[k], (int)row);
    cr_expect_float_eq(run_case_last(run, "e_external"), fall, 0.01 * fall);
    run_case_close(run);
  }
}

// A post whose foot, a tip, stands beside the joint of two rafters: on one of them, and beyond the
// end of the other's face, which it is behind.
Test(seams, and_rafters_carry_a_tip_beside_their_joint) {
  const double beside[] = {1e-5, 1e-4};
  for (int k = 0; k < 2; k++) {
    CaseRun *run = run_case_text(
        xml_format(
            "<voussoir><material name='m' density='2000' young='1e9' poisson='0.2'/>"
            "<law name='d' friction='0.7'/><law name='s' friction='0'/>"
            "<block name='l' material='m' corners='-2 0 -1.6 0 0 0.6 0 1' kinematics='rigid'"
            " cells_x='1' cells_y='1' pattern='q4'/><block name='r' material='m' pattern='q4'"
            " corners='0 0.6 1.6 0 2 0 0 1' kinematics='rigid' cells_x='1' cells_y='1'/>"
            "<block name='w' material='m' corners='%g 1 %.17g 1.4 %g 2 %.17g 1.4'"
            " kinematics='rigid' cells_x='1' cells_y='1' pattern='q4'/>"
            "<support name='f' shape='box' x='-5' y='-1' width='10' height='1'/>"
            "<support name='a' shape='box' x='-3' y='0' width='1' height='0.5'/>"
            "<support name='b' shape='box' x='2' y='0' width='1' height='0.5'/>"
            "<support name='p' shape='box' x='%.17g' y='1.05' width='1' height='3'/>"
            "<support name='q' shape='box' x='%.17g' y='1.05' width='1' height='3'/>"
            "<contact candidate='l r' antagonist='f a b' law='d'/>"
            "<contact candidate='l r w' antagonist='l r w' law='d'/>"
            "<contact candidate='w' antagonist='p q' law='s'/><detection alert='0.02'/><gravity/>"
            "<time end='0.2' step='1e-3' theta='1'/><output every='0'/>"
            "<probe name='u' quantity='displacement' of='w'/>"
            "<probe name='f' quantity='reaction' of='f'/>"
            "<probe name='a' quantity='reaction' of='a'/>"
            "<probe name='b' quantity='reaction' of='b'/></voussoir>",
            beside[k], beside[k] + 0.2, beside[k], beside[k] - 0.2, beside[k] - 1.2,
            beside[k] + 0.2),
        NULL);
    double all = run_case_mass(run) * 9.81, borne = 0;
    for (int s = 0; s < 3; s++)
      borne += run_case_last(run, (const char *[]){"f_y", "a_y", "b_y"}[s]);
    cr_expect_float_eq(borne, all, 1e-8 * all, "%g of %g", borne, all);
    cr_expect_lt(fabs(run_case_last(run, "u_y")), 1e-4, "%g m beside it", beside[k]);
    run_case_close(run);
  }
}
