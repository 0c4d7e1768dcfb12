// Masonry in space: walls and arches drawn out from the plane, against the plane and Jean's wall.
#define _XOPEN_SOURCE 700
#include <criterion/criterion.h>
#include <math.h>

#include "../support/run_case.h"
#include "../unit/file/scratch.h"

// Jean's wall in space (verification B11): first time the foundation carries the weight, swing.
// Blocks are free to widen, so the wall is softer than the plane one of half its height, whose
// times are 12.445 / 2 and 49.6 / 2 ms: 6.6 to 7.1 ms by another program for H8 2 x 2 x 2, to the
// last step.
Test(space, jeans_wall_swings) {
  static const char *const settings[] = {"end=0.05 step=2.5e-4 output_every=0",
                                         "end=0.05 output_every=0",
                                         "end=0.05 points=midpoints output_every=0"};
  const double weight = 36 * 0.1 * 0.05 * 0.05 * 500 * 9.81;
  for (int k = 0; k < 3; k++) {
    if (run_case_only_begins(run_case_open("inputs/wall_3d.xml", settings[k]))) continue;
    CaseRun *run = run_case("inputs/wall_3d.xml", settings[k]);
    double first = run_case_crossing(run, "base_reaction_y", weight, 1);
    double third = run_case_crossing(run, "base_reaction_y", weight, 3);
    cr_assert_float_eq(run_case_mass(run) * 9.81, weight, 1e-9 * weight);
    cr_assert(first > 6.5e-3 && first < 7.1e-3, "first crossing at %g s", first);
    cr_assert(third - first > 25.5e-3 && third - first < 27.5e-3, "period %g s", third - first);
    cr_assert_eq(run->state.count[STAT_NOT_CONVERGED], 0);
    run_case_close(run);
  }
}

static const char *arch_text(int solid) {
  return xml_format(
      "<voussoir>%s<material name='stone' density='2000' young='1e9' poisson='0.2' "
      "damping_stiffness='1e-4'/><law name='dry' friction='0.7'/>"
      "<arch name='arch' material='stone' kinematics='small' shape='semicircular' span='2' "
      "thickness='0.35' voussoirs='11' straight='yes' cells_x='1' cells_y='2' pattern='q4' %s/>%s"
      "<contact candidate='arch' antagonist='arch' law='dry' />"
      "<contact candidate='arch' antagonist='floor' law='dry' />"
      "<gravity y='-9.81'/><time end='0.4' step='1e-3' theta='1'/>"
      "<probe name='base' quantity='reaction' of='floor'/>"
      "<probe name='crown' quantity='displacement' of='arch.6'/></voussoir>",
      solid ? "<model space='solid'/>" : "<model plane='stress' thickness='0.4'/>",
      solid ? "depth='0.4' cells_z='2'" : "",
      solid ? "<tool name='floor' shape='plane' axis_y='1' axis_z='0'/>"
            : "<support name='floor' shape='plane'/>");
}

// Stones that may widen across the arch are in plane stress, but for the friction of their joints.
Test(space, an_arch_with_a_depth_is_the_plane_one) {
  CaseRun *plane = run_case_text(arch_text(0), NULL), *solid = run_case_text(arch_text(1), NULL);
  const double weight = 5.5 * sin(acos(-1) / 11) * (1.35 * 1.35 - 1) * 0.4 * 2000 * 9.81;
  double crown = run_case_last(plane, "crown_y");
  cr_assert_float_eq(run_case_last(plane, "base_y"), weight, 1e-6 * weight);
  cr_assert_float_eq(run_case_last(solid, "base_y"), weight, 1e-6 * weight);
  cr_assert_float_eq(run_case_last(solid, "base_x"), 0, 1e-5 * weight);
  cr_assert_float_eq(run_case_last(solid, "base_z"), 0, 1e-5 * weight);
  cr_assert_lt(crown, -1e-5);
  cr_assert_float_eq(run_case_last(solid, "crown_y"), crown, 0.01 * fabs(crown));
  cr_assert_float_eq(run_case_last(solid, "crown_z"), 0, 1e-3 * fabs(crown));
  run_case_close(plane);
  run_case_close(solid);
}

// Two leaves bound by headers come to rest on their foundation, and stay together.
Test(space, walls_of_two_leaves_stand) {
  static const char *const bond[] = {"english", "flemish"};
  for (int k = 0; k < 2; k++) {
    const char *set =
        xml_format("bond=%s leaves=2 depth=0.1 courses=4 blocks=3 cells=1 young=1e8 theta=1 "
                   "step=1e-3 end=0.2 output_every=0",
                   bond[k]);
    if (run_case_only_begins(run_case_open("inputs/wall_3d.xml", set))) continue;
    CaseRun *run = run_case("inputs/wall_3d.xml", set);
    const double weight = 0.3 * 0.2 * 0.1 * 500 * 9.81;
    cr_assert_float_eq(run_case_mass(run) * 9.81, weight, 1e-9 * weight);
    cr_assert_float_eq(run_case_last(run, "base_reaction_y"), weight, 1e-3 * weight);
    cr_assert_leq(run_case_farthest(run), 1e-5); // rho g H^2 / (2 E) = 1e-6
    run_case_close(run);
  }
}

// Tip of a cantilever of one layer of boxes under its weight: Timoshenko's beam, whose shear the
// clamped end holds up a little. Without modes that bend it is held by shear.
Test(space, a_cantilever_of_one_layer_bends) {
  const double length = 10, young = 1e9, density = 1000, g = 9.81;
  const double bent = density * g * pow(length, 4) / (8 * young / 12);
  const double sheared = density * g * length * length / (2 * 5. / 6 * young / 2.6);
  for (int modes = 0; modes < 2; modes++) {
    CaseRun *run = run_case_text(
        xml_format("<voussoir><model space='solid'/>"
                   "<material name='m' density='%g' young='%g' poisson='0.3'/>"
                   "<box name='beam' material='m' size='%g 1 1' cells='10 1 1' bending_modes='%s'/>"
                   "<prescribe on='beam.x0' x='0' y='0' z='0'/><gravity y='-%g'/>%s"
                   "<probe name='tip' quantity='displacement' of='beam.x1'/></voussoir>",
                   density, young, length, modes ? "yes" : "no", g,
                   run_case_static_time(length * length, sqrt(young / density))),
        NULL);
    double tip = -run_case_last(run, "tip_y") / (bent + sheared);
    if (modes)
      cr_assert_float_eq(tip, 1, 0.02, "%g of the beam", tip);
    else
      cr_assert_lt(tip, 0.75, "%g of the beam", tip);
    run_case_close(run);
  }
}

// Two rigid walls that interlock in a corner, shaken along both: the foundation carries the weight
// in the mean, friction only takes, nothing sinks in, and the walls follow their foundation.
Test(space, a_corner_is_shaken) {
  CaseRun *run = run_case("inputs/corner_3d.xml", "end=0.6 tolerance=1e-5 output_every=0");
  const double weight = 8 * (2 * 2 - 0.2) * 0.2 * 0.2 * 2000 * 9.81; // eight courses of both legs
  double mean = 0;
  for (int64_t row = 0; row < run->n_rows; row++)
    mean += run_case_at(run, row, "base_reaction_y") / (double)run->n_rows;
  cr_assert_float_eq(run_case_mass(run) * 9.81, weight, 1e-9 * weight);
  cr_assert_float_eq(mean, weight, 0.01 * weight, "%g of the weight", mean / weight);
  // Nothing slides: what a blunt solver lets it is an error.
  cr_assert_float_eq(run_case_last(run, "energy_friction"), 0,
                     1e-9 * run_case_last(run, "energy_external"));
  double given = run_case_last(run, "energy_friction") - run_case_smallest(run, "energy_friction");
  cr_assert_leq(given, 1e-4 * run_case_last(run, "energy_external")); // to the tolerance
  cr_assert_leq(run_case_largest(run, "penetration"), 1e-5);
  cr_assert_float_eq(run_case_last(run, "top_x"), run_case_last(run, "base_x"), 0.02);
  cr_assert_float_eq(run_case_last(run, "top_z"), run_case_last(run, "base_z"), 0.02);
  cr_assert_eq(run->state.count[STAT_NOT_CONVERGED], 0);
  run_case_close(run);
}

// Two cubes, one on the other, in one file: as hexahedra of two groups in the words of Gmsh and of
// Abaqus.
static void write_two_cubes(const char *gmsh, const char *abaqus) {
  FILE *to[2] = {fopen(gmsh, "w"), fopen(abaqus, "w")};
  static const int square[4][2] = {{0, 0}, {1, 0}, {1, 1}, {0, 1}};
  fprintf(to[0], "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$PhysicalNames\n2\n3 1 \"lower\"\n"
                 "3 2 \"upper\"\n$EndPhysicalNames\n$Nodes\n16\n");
  fprintf(to[1], "*NODE\n");
  for (int k = 0; k < 16; k++) { // levels 0, 1, 1, 2
    const int *at = square[k % 4], z = (k / 4 + 1) / 2;
    fprintf(to[0], "%d %d %d %d\n", k + 1, at[0], at[1], z);
    fprintf(to[1], "%d, %d, %d, %d\n", k + 1, at[0], at[1], z);
  }
  fprintf(to[0], "$EndNodes\n$Elements\n2\n1 5 2 1 1 1 2 3 4 5 6 7 8\n"
                 "2 5 2 2 2 9 10 11 12 13 14 15 16\n$EndElements\n");
  fprintf(to[1], "*ELEMENT, TYPE=C3D8, ELSET=lower\n1, 1,2,3,4,5,6,7,8\n"
                 "*ELEMENT, TYPE=C3D8, ELSET=upper\n2, 9,10,11,12,13,14,15,16\n");
  fclose(to[0]);
  fclose(to[1]);
}

// Groups or pieces of a volume are bodies, however they move: each weighs on what it stands on.
Test(space, volumes_of_one_file_are_bodies) {
  static const char *const kinematics[] = {"small", "corotational", "finite", "rigid"};
  static const char *const split[] = {"groups", "pieces"}, *const upper[] = {"upper", "2"};
  scratch_make();
  const char *file[2] = {in_scratch("two.msh"), in_scratch("two.inp")};
  write_two_cubes(file[0], file[1]);
  for (int k = 0; k < 16; k++) {
    CaseRun *run = run_case_text(
        xml_format("<voussoir><model space='solid'/><material name='m' density='500' young='1e7' "
                   "poisson='0.2'/><law name='dry' friction='0.5'/>"
                   "<body name='w' material='m' mesh='%s' split='%s' kinematics='%s'/>"
                   "<support name='base' shape='plane' normal='0 0 1'/>"
                   "<contact candidate='w' antagonist='w base' law='dry'/>"
                   "<gravity y='0' z='-9.81'/><time end='1' step='1e-2' theta='1'/>"
                   "<solver tolerance='1e-9'/>"
                   "<probe name='base' quantity='reaction' of='base'/>"
                   "<probe name='upper' quantity='reaction' of='w.%s'/></voussoir>",
                   file[k / 8], split[k / 4 % 2], kinematics[k % 4], upper[k / 4 % 2]),
        NULL);
    cr_expect_float_eq(run_case_last(run, "base_z"), 1000 * 9.81, 1e-5 * 9810, "%d: %g", k,
                       run_case_last(run, "base_z"));
    cr_expect_float_eq(fabs(run_case_last(run, "upper_z")), 500 * 9.81, 1e-5 * 9810, "%d: %g", k,
                       run_case_last(run, "upper_z"));
    run_case_close(run);
  }
  scratch_remove();
}
