// Two stones as they met in a drum: which of their corners, edges and faces hold one another. Their
// corners are those of inputs/tumbling.xml at a step; the direction that parts them soonest, and
// by how much, is from all normals of their faces and all products of their edges (separating
// axes), found by another program.
#include <criterion/criterion.h>
#include <math.h>

#include "../support/run_case.h"


typedef struct {
  const char *corners[2];
  double out[3]; // from the first to the second, the shortest way out
  double deep;   // [m]
} Pair;

// Crossing edges, one near a corner: behind the corner two faces lie nearly on one another, and
// have half a millimetre in common.
static const Pair edges = {{"-0.0336399 0.0073426 0.1089375  -0.0195586 0.0630693 -0.0777582"
                            "  0.0150003 -0.0204327 -0.0436050  0.0381150 0.0621771 -0.0286366"
                            "  -0.1257523 0.0798082 -0.0280236  -0.0305621 0.1240883 0.0500830"
                            "  -0.1037522 0.0370724 -0.0695022  -0.0694845 -0.0286907 -0.0626220"
                            "  0.0306649 0.0755348 0.0581273  -0.0397030 0.1136311 -0.0449647",
                            "0.0813335 -0.1353234 -0.0085583  0.0871697 0.0177810 0.0688135"
                            "  -0.0236757 -0.1220271 -0.0213958  -0.0627754 -0.0784883 0.0219078"
                            "  0.0070996 -0.0343834 -0.0723429  -0.0251368 0.0023368 0.0811299"
                            "  0.0695626 0.0051410 -0.0510197  0.1126398 0.0062272 0.0047020"
                            "  0.0704072 -0.0668147 0.1142550  0.0879036 -0.0541418 -0.0619264"
                            "  -0.0319887 -0.1052677 0.0761957"},
                           {0.4351, -0.8512, 0.2937},
                           2.071e-4};

// A tip behind a face, and a hair past the rim of another one: over the rim it is a short way for
// the tip, and a long one for the stone.
static const Pair rim = {{"0.0137220 0.0224818 -0.1217916  0.0406371 -0.0628043 -0.0036269"
                          "  0.0834935 -0.0464011 -0.1103460  0.0463046 0.1140967 -0.0767983"
                          "  0.0310994 0.0973108 0.0140924  0.0134598 -0.0147857 0.0299709"
                          "  -0.0157767 0.0642404 -0.0666615  0.1530715 0.0494722 0.0126036",
                          "-0.0495937 0.0525379 0.0276812  -0.0083619 0.0156337 -0.0120970"
                          "  -0.0748862 -0.0867254 0.1373165  -0.0282935 -0.0788573 -0.0404928"
                          "  0.0169620 -0.0683180 0.1053803  -0.0892852 -0.0914423 -0.0362738"
                          "  -0.0727685 0.0123388 -0.0336795  0.0310133 -0.0446335 0.0088330"
                          "  -0.1349105 0.0147861 0.0157185  -0.0807019 -0.0212116 0.1427847"
                          "  -0.0124391 -0.0115734 0.1283453"},
                         {-0.8926, -0.4415, -0.0910},
                         5.664e-4};

// Tips that meet, 1e-6 m in one another.
static const Pair tips = {{"-0.0774277 0.1099886 0.0119845  -0.1336846 0.0703153 -0.0694134"
                           "  0.0461196 0.0618254 -0.0275071  -0.0464240 -0.0581273 0.0096100"
                           "  0.0204491 -0.0178170 -0.0950068  -0.0423051 0.0363799 0.0605973"
                           "  -0.1111882 0.0047862 0.0343058  -0.0292748 0.0131133 -0.1359499"
                           "  -0.0349165 0.1278065 -0.0279062",
                           "0.0295987 0.0243387 0.1149630  0.0450139 0.0155184 -0.0558074"
                           "  0.0412110 -0.0439512 -0.0660034  0.0503036 0.0630150 0.0681421"
                           "  0.1436509 -0.0503619 0.0242419  0.0856628 -0.1008301 -0.0260460"
                           "  0.0534234 -0.1279315 0.0542329  -0.0469116 -0.0587567 0.0092477"
                           "  0.0066994 -0.0693115 0.1163151"},
                          {0.7162, -0.6686, 0.2002},
                          9.5e-7};

// A corner that is a hair past the rim of a face: an edge of its stone crosses that rim 1 mm from
// the corner.
static const Pair past = {{"0 0 0  -0.138318 0.103149 0.300169  0.190747 0.002401 0.271955"
                           "  -0.039432 0.068700 0.015398  -0.187625 0 0.256275"
                           "  0.053422 0.136171 0.342617",
                           "0.038999 0.089770 0.116943  -0.049717 0.279952 0.415118"
                           "  -0.141438 0.105560 0.180870  0.075895 0.139743 0.359738"
                           "  0.166154 0.328073 0.270802"},
                          {0.016, 0.978, -0.206},
                          0};

// Both stones without weight, the second one `away` along the way out [m]; velocity of the first
// one [m/s], the second goes against it.
static CaseRun *meet_as(const char *kinematics, const Pair *pair, double away, const double v[3]) {
  return run_case_open_text(
      xml_format("<voussoir><model space='solid'/><material name='m' density='2000' young='1e10'/>"
                 "<law name='l' type='quasi_inelastic' friction='0.4'/>"
                 "<polyhedron name='a' material='m' kinematics='%s' corners='%s'/>"
                 "<polyhedron name='b' material='m' kinematics='%s' corners='%s'"
                 " x='%.9g' y='%.9g' z='%.9g'/>"
                 "<velocity of='a' x='%g' y='%g' z='%g'/><velocity of='b' x='%g' y='%g' z='%g'/>"
                 "<contact candidate='all' antagonist='all' law='l'/>"
                 "<time end='0.05' step='1e-3' theta='1'/><output every='0'/>"
                 "<probe name='energy' quantity='energy'/></voussoir>",
                 kinematics, pair->corners[0], kinematics, pair->corners[1], away * pair->out[0],
                 away * pair->out[1], away * pair->out[2], v[0], v[1], v[2], -v[0], -v[1], -v[2]),
      NULL);
}

static CaseRun *meet(const Pair *pair, double away, const double v[3]) {
  return meet_as("rigid", pair, away, v);
}

// Stones that come into one another: what holds them is along the shortest way out, and as deep.
static void assert_held(const Pair *pair, const char *what) {
  static const double AWAY = 0.01; // an input whose bodies lie in one another is refused
  double v[3];
  for (int i = 0; i < 3; i++) v[i] = 0.05 * pair->out[i];
  CaseRun *run = meet(pair, AWAY, v);
  const BodySet *bs = &run->input.model.bodies;
  int body = run_case_body(run, "b"), held = 0;
  for (int k = 3 * bs->node_ptr[body]; k < 3 * bs->node_ptr[body + 1]; k++)
    run->state.bodies.q[k] = -AWAY * pair->out[k % 3];
  run_case_step(run, 1);
  for (int c = 0; c < contact_count(run->work.contact); c++) {
    const Contact *contact = &contact_list(run->work.contact)[c];
    double along = 0;
    for (int i = 0; i < 3; i++) along += contact->n[i] * pair->out[i];
    held |= fabs(along) > 0.999 && fabs(-contact->gap - pair->deep) < 0.05 * pair->deep &&
            run->work.reaction[3 * c] > 0;
  }
  cr_expect(held, "%s: %d contacts", what, contact_count(run->work.contact));
  run_case_close(run);
}

Test(stones, what_parts_them_soonest_holds) {
  assert_held(&edges, "crossing edges");
  assert_held(&rim, "a tip past a rim");
}

// Neither the corner, past the rim, nor the edge, so near to its end, held: 2 mm of a step.
Test(stones, corners_past_a_rim_leave_no_hole) {
  static const char *const kinematics[] = {"rigid", "corotational"};
  double v[3];
  for (int i = 0; i < 3; i++) v[i] = 1.25 * past.out[i];
  for (int k = 0; k < 2; k++) {
    CaseRun *run = meet_as(kinematics[k], &past, 0, v);
    run_case_to_end(run);
    cr_expect_lt(run_case_largest(run, "penetration"), 1e-4, "%s: %g m", kinematics[k],
                 run_case_largest(run, "penetration"));
    cr_expect_lt(run_case_largest(run, "penetration_nodes"), 1e-4);
    run_case_close(run);
  }
}

// Faces around two tips that pass one another at 1.7 m/s press nowhere: they were wedged between
// each other with 270 kN, and gained energy from it; elastic ones too.
Test(stones, tips_that_pass_are_not_wedged) {
  static const double v[3] = {-0.4974, -0.6627, -0.2466};
  static const char *const kinematics[] = {"rigid", "corotational"};
  for (int k = 0; k < 2; k++) {
    CaseRun *run = meet_as(kinematics[k], &tips, 0, v);
    run_case_to_end(run);
    double first = run_case_at(run, 0, "energy_kinetic");
    cr_expect_float_eq(run_case_last(run, "energy_kinetic"), first, (k ? 1e-4 : 1e-9) * first,
                       "%s: %g for %g", kinematics[k], run_case_last(run, "energy_kinetic"), first);
    cr_expect_eq(run_case_last(run, "contacts"), 0);
    run_case_close(run);
  }
}

// Stones of a pit that lie side by side: a corner of one is behind a face of the other, 24 mm as
// its joint of faces has it, and beyond the tip in which that face ends. What faces have in common
// there is no contact; it was pushed out with 1e8 J.
Test(stones, faces_behind_which_there_is_no_stone_do_not_meet) {
  CaseRun *run = run_case_text(
      "<voussoir><model space='solid'/><material name='m' density='2000' young='1e8' poisson='0.2'/>"
      "<law name='l' friction='0.4'/>"
      "<polyhedron name='a' material='m' kinematics='corotational' corners='0 0 0"
      "  0.216008 0.126412 -0.164504  -0.018758 0.120769 -0.275590  0.257709 0 -0.275834"
      "  0.269175 0.050937 -0.170573  0.048451 0.003771 -0.375580'/>"
      "<polyhedron name='b' material='m' kinematics='corotational' x='-1e-5' y='-1e-5'"
      " corners='-0.261144 0.002798 -0.438328  -0.198794 0.167053 -0.367059"
      "  0.047482 0 -0.342822  -0.220176 0.059341 -0.347256  -0.128557 0.222949 -0.594776'/>"
      "<contact candidate='all' antagonist='all' law='l'/>"
      "<time end='5e-3' step='1e-3' theta='1'/><output every='0'/></voussoir>",
      NULL);
  cr_expect_lt(run_case_largest(run, "penetration"), 1e-4);
  cr_expect_lt(run_case_largest(run, "penetration_nodes"), 1e-4);
  cr_expect_not(verdict_any(&run->state.verdict));
  run_case_close(run);
}

// A needle that falls on its point: all faces beside it run along its axis, none faces what is
// below. It is caught, rigid or not, and the block gives way by a few millimetres.
Test(stones, needles_do_not_pass_through_faces) {
  static const char *const kinds[] = {"rigid", "corotational"};
  for (int k = 0; k < 4; k++) {
    CaseRun *run = run_case_text(
        xml_format(
            "<voussoir><model space='solid'/><material name='m' density='2000' young='1e8' "
            "poisson='0.2'/><law name='l' type='quasi_inelastic' friction='0'/>"
            "<polyhedron name='a' material='m' kinematics='%s' z='0.0107' corners='0 0 0  "
            "0.05 0 0.6  -0.025 0.0433 0.6  -0.025 -0.0433 0.6'/>"
            "<box name='b' material='m' kinematics='%s' size='1 1 0.4' cells='2 2 1' x='-0.4' "
            "y='-0.45' z='-0.4'/><velocity of='a' z='-2'/>"
            "<contact candidate='%s' antagonist='%s' law='l'/>"
            "<time end='0.02' step='1e-3' theta='1'/><output every='0'/>"
            "<probe name='a' quantity='displacement' of='a'/></voussoir>",
            kinds[k & 1], kinds[k >> 1 & 1], k & 4 ? "b" : "a", k & 4 ? "a" : "b"),
        NULL);
    double deepest = run_case_smallest(run, "a_z");
    cr_expect_gt(deepest, -0.016, "%d: %g", k, deepest);
    run_case_close(run);
  }
}

// Blades whose edges cross: behind the sharp edge of one, along the common normal, one is soon
// before a face of it. They came to lie 19 cm in one another, and nothing was told. Restitution
// acts once they touch, up to a step's way deep.
Test(stones, blades_that_cross_meet) {
  CaseRun *run = run_case_text(
      "<voussoir><model space='solid'/><material name='m' density='2000' young='1e8'/>"
      "<law name='l' type='restitution' restitution='0.5' friction='0'/>"
      "<polyhedron name='a' material='m' corners='"
      "0.0578 0.1516 0.2219  -0.3092 -0.0159 0.1679  -0.0636 0.1916 -0.0290"
      "  -0.1267 0.1719 -0.1124"
      "'/><polyhedron name='b' material='m' corners='"
      "1.2256 -0.0046 0.1768  1.0001 0.1626 -0.1674  0.6478 -0.1032 -0.0253"
      "  0.8065 0.2193 0.0241  1.2814 -0.0541 -0.1425"
      "'/><velocity of='a' x='2.1877' spin='2.24 -0.561 -0.295'/>"
      "<velocity of='b' spin='0.989 -2.174 3.325'/>"
      "<contact candidate='a' antagonist='b' law='l'/>"
      "<time end='0.44' step='1e-3' theta='0.5'/><output every='0'/>"
      "<probe name='energy' quantity='energy'/></voussoir>",
      NULL);
  double first = run_case_at(run, 0, "energy_kinetic");
  cr_expect_lt(run_case_last(run, "energy_kinetic"), 0.99 * first);
  cr_expect_lt(run->state.worst[WORST_PENETRATION_CONTACTS], 3e-3);
  run_case_close(run);
}

// Roofs of 10 degrees, upside down, come down across an edge: at the ridge, far from all corners.
// Of an elastic one the ridge was smooth, and nothing met the edge.
Test(stones, blunt_ridges_of_elastic_polyhedra_meet_edges) {
  static const char *const kinds[] = {"small", "corotational", "rigid"};
  for (int k = 0; k < 3; k++) {
    CaseRun *run = run_case_text(
        xml_format(
            "<voussoir><model space='solid'/><material name='m' density='2000' young='1e10' "
            "poisson='0.2'/><material name='h' density='1e9' young='1e10'/>"
            "<law name='l' type='quasi_inelastic' friction='0'/>"
            "<polyhedron name='a' material='m' kinematics='%s' z='0.0107' corners='"
            "-0.3 0 0  0.3 0 0  -0.3 -0.3 0.053  -0.3 0.3 0.053  0.3 -0.3 0.053  0.3 0.3 0.053  "
            "-0.3 -0.3 0.3  -0.3 0.3 0.3  0.3 -0.3 0.3  0.3 0.3 0.3'/>"
            "<polyhedron name='b' material='h' kinematics='rigid' corners='0 -0.5 0  0 0.5 0  "
            "-0.5 -0.5 -0.5  -0.5 0.5 -0.5  0.5 -0.5 -0.5  0.5 0.5 -0.5'/><velocity of='a' z='-2'/>"
            "<contact candidate='a' antagonist='b' law='l'/>"
            "<time end='0.02' step='1e-3' theta='1'/><output every='0'/>"
            "<probe name='a' quantity='displacement' of='a'/></voussoir>",
            kinds[k]),
        NULL);
    cr_expect_gt(run_case_smallest(run, "a_z"), -0.0117, "%s: %g", kinds[k],
                 run_case_smallest(run, "a_z"));
    run_case_close(run);
  }
}

// A drum with stones whose shapes met badly: 13 mm in one another after 1.8 s. None is in another
// one by more than a hundredth of its size, and contact, which pushes nothing out, gives nothing.
Test(stones, in_a_drum_stay_apart) {
  static const char input[] = "inputs/tumbling.xml", settings[] = "stones=14 seed=3 end=2";
  if (run_case_only_begins(run_case_open(input, settings))) return;
  CaseRun *run = run_case(input, settings);
  double gained = 0;
  for (int64_t k = 1; k < run->n_rows; k++)
    gained = fmax(gained, run_case_at(run, k, "energy_contact_normal") -
                              run_case_at(run, k - 1, "energy_contact_normal"));
  cr_expect_lt(run->state.worst[WORST_PENETRATION_CONTACTS], 1e-3, "%g",
               run->state.worst[WORST_PENETRATION_CONTACTS]);
  cr_expect_lt(gained, 1e-3 * run_case_largest(run, "energy_kinetic"), "%g", gained);
  run_case_close(run);
}
