#include <criterion/criterion.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "mesh/assembly.h"
#include "mesh/masonry.h"
#include "mesh/skin.h"

static const double flat[] = {0.05}, tall[] = {0.1}, mixed[] = {0.12, 0.08, 0.1};

static WallSpec jean_wall(int n_courses, double blocks, WallHalves halves) {
  return (WallSpec){.bond = BOND_RUNNING,
                    .n_courses = n_courses,
                    .course_height = flat,
                    .n_course_heights = 1,
                    .block_length = 0.1,
                    .blocks_per_course = blocks,
                    .halves = halves,
                    .mesh = {2, 2, "t3_right"}};
}

static void lay(Assembly *wall, const WallSpec *spec) {
  Err err = {0};
  cr_assert_eq(masonry_wall(wall, spec, &err), OK, "%s", err.text);
}

typedef struct {
  double low[2], high[2]; // x, y
} Box;

static Box box_of(const Assembly *wall, int block) {
  const AssemblyBlock *b = &wall->blocks[block];
  double low[3], high[3];
  mesh_bounds(&wall->meshes[b->mesh], low, high);
  return (Box){{b->x + low[0], b->y + low[1]}, {b->x + high[0], b->y + high[1]}};
}

enum { MAX_EDGES = 8192 };

// Edges of all blocks that lie on y = 0, or coincide with an edge of another block.
static int count_contact_edges(const Assembly *wall) {
  static double edge[MAX_EDGES][4];
  int n = 0, count = 0;
  for (int b = 0; b < wall->n_blocks; b++) {
    Skin skin;
    Err err = {0};
    cr_assert_eq(skin_build(&skin, &wall->meshes[wall->blocks[b].mesh], &err), OK);
    for (int f = 0; f < skin.n_facets; f++) {
      cr_assert_lt(n, MAX_EDGES);
      assembly_node_position(wall, b, skin.facet_node[2 * f], edge[n]);
      assembly_node_position(wall, b, skin.facet_node[2 * f + 1], edge[n++] + 2);
    }
    skin_free(&skin);
  }
  const double near = 1e-12;
  for (int i = 0; i < n; i++) {
    count += fabs(edge[i][1]) < near && fabs(edge[i][3]) < near;
    for (int j = i + 1; j < n; j++) // the other way round: seen from the other side
      count += fabs(edge[i][0] - edge[j][2]) < near && fabs(edge[i][1] - edge[j][3]) < near &&
               fabs(edge[i][2] - edge[j][0]) < near && fabs(edge[i][3] - edge[j][1]) < near;
  }
  return count;
}

Test(masonry_wall, jeans_150_blocks_touch_along_564_edges) {
  Assembly wall;
  WallSpec spec = jean_wall(12, 12, HALVES_ODD);
  lay(&wall, &spec);
  cr_assert_eq(wall.n_blocks, 150);
  cr_assert_eq(wall.n_meshes, 2);
  cr_assert_eq(assembly_find_group(&wall, "course_1")->n, 13);
  cr_assert_eq(assembly_find_group(&wall, "course_2")->n, 12);
  cr_assert_eq(assembly_find_group(&wall, "halves")->n, 12);
  cr_assert_null(assembly_find_group(&wall, "lintels"));
  cr_assert_eq(assembly_find_group(&wall, "bottom")->n, 11 * 3 + 2 * 2);
  cr_assert_eq(assembly_find_group(&wall, "top")->n, 12 * 3);
  cr_assert_eq(assembly_find_group(&wall, "left")->n, 12 * 3);
  const Mesh *half = &wall.meshes[wall.blocks[0].mesh], *full = &wall.meshes[wall.blocks[1].mesh];
  cr_assert_eq(half->n_elems, 4);
  cr_assert_eq(full->n_elems, 8);
  cr_assert_eq(full->n_nodes, 9);
  cr_assert_float_eq(full->x[2], 0.05, 1e-16);
  cr_assert_float_eq(mesh_measure(full), 0.005, 1e-17);
  cr_assert_eq(count_contact_edges(&wall), 564);
  assembly_free(&wall);
  cr_assert_eq(mem_live_blocks(), 0);
}

Test(masonry_wall, jeans_144_blocks_touch_along_526_edges) {
  Assembly wall;
  WallSpec spec = jean_wall(17, 8, HALVES_EVEN);
  lay(&wall, &spec);
  cr_assert_eq(wall.n_blocks, 144);
  cr_assert_eq(assembly_find_group(&wall, "course_1")->n, 8);
  cr_assert_eq(assembly_find_group(&wall, "course_2")->n, 9);
  cr_assert_eq(assembly_find_group(&wall, "halves")->n, 16);
  cr_assert_eq(count_contact_edges(&wall), 526);
  assembly_free(&wall);
}

Test(masonry_wall, ragged_ends_set_every_other_course_back_by_half_a_block) {
  Assembly wall;
  WallSpec spec = jean_wall(5, 6, HALVES_NONE);
  spec.x = 3;
  spec.y = -1;
  lay(&wall, &spec);
  cr_assert_eq(wall.n_blocks, 6 + 5 + 6 + 5 + 6);
  cr_assert_eq(wall.n_meshes, 1);
  cr_assert_float_eq(wall.blocks[6].x, 3.05, 1e-15);
  cr_assert_float_eq(wall.blocks[6].y, -0.95, 1e-15);
  cr_assert_eq(assembly_find_group(&wall, "left")->n, 3 * 3);
  assembly_free(&wall);
}

Test(masonry_wall, common_corners_agree_to_the_last_digits) {
  Assembly wall;
  WallSpec spec = jean_wall(30, 61.5, HALVES_ODD);
  spec.block_length = 0.1 / 3;
  spec.course_height = mixed;
  spec.n_course_heights = 3;
  lay(&wall, &spec);
  cr_assert_eq(wall.n_meshes, 6);
  for (int b = 1; b < wall.n_blocks; b++) {
    Box left = box_of(&wall, b - 1), right = box_of(&wall, b);
    if (wall.blocks[b].course != wall.blocks[b - 1].course) {
      cr_assert_float_eq(left.high[1], right.low[1], 2e-15);
      continue;
    }
    cr_assert_float_eq(left.high[0], right.low[0], 2e-15);
  }
  assembly_free(&wall);
}

static int is_lintel(const Assembly *wall, int block) {
  const AssemblyGroup *group = assembly_find_group(wall, "lintels");
  for (int k = 0; group && k < group->n; k++)
    if (group->block[k] == block) return 1;
  return 0;
}

// Area, no overlaps, bearing of every block, straight joints of at most two courses.
static void assert_sound(const Assembly *wall, const WallSpec *spec, double height, double bearing,
                         const char *name) {
  static Box box[2048];
  double area = 0, wanted = spec->blocks_per_course * spec->block_length * height;
  for (int k = 0; k < spec->n_openings; k++)
    wanted -= spec->openings[k].width * spec->openings[k].height;
  for (int b = 0; b < wall->n_blocks; b++) {
    box[b] = box_of(wall, b);
    area += mesh_measure(&wall->meshes[wall->blocks[b].mesh]);
    int is_pad = fabs(box[b].high[1] - 1) < 1e-9; // the lintels of the tests begin there
    cr_assert(is_lintel(wall, b) ||
                  box[b].high[0] - box[b].low[0] < (is_pad ? 4 : 1.75) * spec->block_length + 1e-9,
              "%s: block %d is %g m long", name, b, box[b].high[0] - box[b].low[0]);
    if (b > 0 && wall->blocks[b].course == wall->blocks[b - 1].course)
      cr_assert_gt(wall->blocks[b].x, wall->blocks[b - 1].x);
  }
  cr_assert_float_eq(area, wanted, 1e-12, "%s: area %.17g, not %.17g", name, area, wanted);
  for (int b = 0; b < wall->n_blocks; b++) {
    double low = 1e9, high = -1e9, middle = 0.5 * (box[b].low[0] + box[b].high[0]);
    for (int j = 0; j < wall->n_blocks; j++) {
      double over = fmin(box[b].high[0], box[j].high[0]) - fmax(box[b].low[0], box[j].low[0]);
      double rise = fmin(box[b].high[1], box[j].high[1]) - fmax(box[b].low[1], box[j].low[1]);
      cr_assert(b == j || over < 1e-9 || rise < 1e-9, "%s: blocks %d and %d overlap", name, b, j);
      if (fabs(box[b].low[1] - box[j].high[1]) > 1e-9 || over < 1e-9) continue;
      low = fmin(low, fmax(box[b].low[0], box[j].low[0]));
      high = fmax(high, fmin(box[b].high[0], box[j].high[0]));
      double least = fmin(is_lintel(wall, b) ? 0.04 : bearing,
                          fmin(box[b].high[0] - box[b].low[0], box[j].high[0] - box[j].low[0]));
      cr_assert_gt(over, least - 1e-9, "%s: block %d at %g, %g bears on %g m of block %d at %g, %g",
                   name, b, box[b].low[0], box[b].low[1], over, j, box[j].low[0], box[j].low[1]);
    }
    if (box[b].low[1] < 1e-9) continue;
    cr_assert(low < middle - 1e-9 && high > middle + 1e-9, "%s: block %d at %g, %g would fall",
              name, b, box[b].low[0], box[b].low[1]);
  }
  // a joint: b ends where j begins, in a course; its foot and head are both ends of others
  for (int b = 0; b < wall->n_blocks; b++) {
    int has[2] = {0};
    double x = box[b].high[0];
    for (int j = 0; j < wall->n_blocks; j++) {
      if (fabs(box[j].low[0] - x) > 1e-9) continue;
      for (int i = 0; i < wall->n_blocks; i++) {
        if (fabs(box[i].high[0] - x) > 1e-9) continue;
        if (fmin(box[i].high[1], box[j].high[1]) - fmax(box[i].low[1], box[j].low[1]) < 1e-9)
          continue;
        has[0] |= fabs(box[i].high[1] - box[b].low[1]) < 1e-9;
        has[1] |= fabs(box[i].low[1] - box[b].high[1]) < 1e-9;
      }
    }
    cr_assert(!has[0] || !has[1], "%s: a straight joint through three courses at %g, %g", name, x,
              box[b].low[1]);
  }
}

Test(masonry_wall, doors_and_windows_anywhere_leave_a_sound_bond) {
  int n_walls = 0;
  static const WallBond bonds[] = {BOND_RUNNING, BOND_RUNNING, BOND_FLEMISH, BOND_ENGLISH};
  for (int bond = 0; bond < 4; bond++)
    for (int shift = 0; shift < 13; shift++)
      for (int reach = 1; reach <= 8; reach++) {
        WallOpening openings[2] = {
            {0.6 + 0.03 * shift, 0, 0.7, 1.0, 0.04 * reach, 0},
            {1.9 + 0.05 * shift, 0.4, 0.8 - 0.02 * shift, 0.6, 0.04 * reach, 0.2}};
        WallSpec spec = {.bond = bonds[bond],
                         .n_courses = 15,
                         .course_height = tall,
                         .n_course_heights = 1,
                         .block_length = 0.2,
                         .header_length = 0.1,
                         .blocks_per_course = 17.5,
                         .halves = bond == 0 ? HALVES_ODD : HALVES_EVEN,
                         .openings = openings,
                         .n_openings = 2,
                         .mesh = {2, 1, "q4"}};
        char name[64];
        snprintf(name, sizeof name, "bond %d, shift %d, bearing %g", bond, shift, 0.04 * reach);
        Assembly wall;
        Err err = {0};
        if (masonry_wall(&wall, &spec, &err) != OK) { // lintels that meet are refused
          cr_assert_not_null(strstr(err.text, "openings 1 and 2 overlap"), "%s", err.text);
          continue;
        }
        n_walls++;
        assert_sound(&wall, &spec, 1.5, 0.0499, name);
        cr_assert_eq(assembly_find_group(&wall, "lintels")->n, 2);
        assembly_free(&wall);
      }
  cr_assert_gt(n_walls, 200);
}

Test(masonry_wall, flemish_bond_centres_headers_on_stretchers) {
  Assembly wall;
  WallSpec spec = {.bond = BOND_FLEMISH,
                   .n_courses = 4,
                   .course_height = mixed,
                   .n_course_heights = 3,
                   .block_length = 0.2,
                   .header_length = 0.1,
                   .blocks_per_course = 5.5,
                   .mesh = {2, 1, "q4"}};
  lay(&wall, &spec);
  assert_sound(&wall, &spec, 0.42, 0.0499, "flemish");
  // 0.2 0.1 0.2 0.1 0.2 0.1 0.2 below 0.1 0.05 0.2 0.1 0.2 0.1 0.2 0.05 0.1
  cr_assert_eq(assembly_find_group(&wall, "course_1")->n, 7);
  cr_assert_eq(assembly_find_group(&wall, "course_2")->n, 9);
  cr_assert_float_eq(wall.blocks[8].x, 0.10, 1e-15);
  cr_assert_float_eq(wall.blocks[9].x, 0.15, 1e-15);
  cr_assert_float_eq(wall.blocks[15].x, 1.0, 1e-15);
  cr_assert_eq(assembly_find_group(&wall, "closers")->n, 4);
  assembly_free(&wall);
}

Test(masonry_wall, english_bond_lays_headers_over_stretchers) {
  Assembly wall;
  WallSpec spec = {.bond = BOND_ENGLISH,
                   .n_courses = 4,
                   .course_height = tall,
                   .n_course_heights = 1,
                   .block_length = 0.2,
                   .header_length = 0.1,
                   .blocks_per_course = 5,
                   .mesh = {2, 1, "q4"}};
  lay(&wall, &spec);
  assert_sound(&wall, &spec, 0.4, 0.0499, "english");
  // five stretchers below 0.1 0.05 0.1 .. 0.1 0.05 0.1
  cr_assert_eq(assembly_find_group(&wall, "course_1")->n, 5);
  cr_assert_eq(assembly_find_group(&wall, "course_2")->n, 11);
  cr_assert_eq(assembly_find_group(&wall, "headers")->n, 18);
  cr_assert_eq(assembly_find_group(&wall, "closers")->n, 4);
  cr_assert_float_eq(wall.blocks[6].x, 0.1, 1e-15);
  cr_assert_float_eq(wall.blocks[7].x, 0.15, 1e-15);
  assembly_free(&wall);
}

Test(masonry_wall, stack_bond_keeps_its_straight_joints) {
  Assembly wall;
  WallSpec spec = jean_wall(3, 4, HALVES_ODD);
  spec.bond = BOND_STACK;
  lay(&wall, &spec);
  cr_assert_eq(wall.n_blocks, 12);
  cr_assert_eq(wall.n_meshes, 1);
  assembly_free(&wall);
}

Test(masonry_wall, sides_of_one_block_are_of_no_other) {
  Assembly wall;
  Err err = {0};
  WallSpec spec = jean_wall(3, 4, HALVES_ODD);
  lay(&wall, &spec);
  cr_assert_eq(assembly_group_sides(&wall, "here", "top", 2, &err), OK, "%s", err.text);
  cr_assert_eq(assembly_group_sides(&wall, "all", "top", -1, &err), OK, "%s", err.text);
  const AssemblyGroup *here = assembly_find_group(&wall, "here"),
                      *all = assembly_find_group(&wall, "all");
  cr_assert_eq(here->n, 3); // of two cells
  for (int k = 0; k < here->n; k++) cr_assert_eq(here->block[k], 2);
  cr_assert_geq(all->n, 2 * wall.n_blocks);
  assembly_free(&wall);
}

Test(masonry_wall, of_one_block_a_course_has_no_joints) {
  Assembly wall;
  WallSpec spec = jean_wall(3, 1, HALVES_NONE);
  spec.bond = BOND_STACK;
  lay(&wall, &spec);
  cr_assert_eq(wall.n_blocks, 3);
  Box box = box_of(&wall, 2);
  cr_assert(box.low[0] == 0 && fabs(box.high[0] - 0.1) < 1e-15);
  assembly_free(&wall);
}

static void assert_refused(WallOpening *openings, int n, const char *wanted) {
  WallSpec spec = jean_wall(10, 10, HALVES_ODD);
  spec.openings = openings;
  spec.n_openings = n;
  Assembly wall;
  Err err = {0};
  cr_assert_eq(masonry_wall(&wall, &spec, &err), ERR_INPUT, "'%s' was expected", wanted);
  cr_assert_not_null(strstr(err.text, wanted), "'%s' is not in: %s", wanted, err.text);
  cr_assert_eq(mem_live_blocks(), 0);
}

Test(masonry_wall, openings_that_cannot_be_built_are_named) {
  WallOpening two[2] = {{0.1, 0.1, 0.2, 0.1, 0, 0}, {0.25, 0.15, 0.2, 0.1, 0, 0}};
  assert_refused(two, 2, "openings 1 and 2 overlap");
  two[1] = (WallOpening){0.2, 0.2, 0.2, 0.1, 0, 0};
  two[0].lintel_bearing = 0.05;
  assert_refused(two, 2, "openings 1 and 2 overlap");
  assert_refused(&(WallOpening){0.9, 0.1, 0.2, 0.1, 0, 0}, 1, "opening 1: from 0.9 m to 1.1 m");
  assert_refused(&(WallOpening){0.1, 0.1, 0.2, 0.13, 0, 0}, 1, "the nearest are at 0.2 m and 0.25");
  assert_refused(&(WallOpening){0.1, 0.1, 0.2, 0.9, 0, 0}, 1, "its top at 1 m leaves the wall");
  assert_refused(&(WallOpening){0.1, 0.1, 0.2, 0.4, 0.05, 0}, 1, "no course is left above it");
  assert_refused(&(WallOpening){0.1, 0.1, 0.2, 0.1, 0.15, 0}, 1, "its lintel from -0.05 m");
  assert_refused(&(WallOpening){0.1, 0.1, 0.2, 0.1, 0.05, 0.07}, 1,
                 "the top of the lintel at 0.27");
  assert_refused(&(WallOpening){0.1, 0.1, (double)NAN, 0.1, 0, 0}, 1, "opening 1: width nan");
  assert_refused(&(WallOpening){0, 0, 1, 0.5, 0, 0}, 1, "no stone is left: openings take all 1 m");
}

Test(masonry_wall, specifications_without_sense_are_refused) {
  Assembly wall;
  Err err = {0};
  WallSpec good = jean_wall(3, 4, HALVES_ODD), bad[8];
  for (int k = 0; k < 8; k++) bad[k] = good;
  bad[0].n_courses = 0;
  bad[1].block_length = -1;
  bad[2].blocks_per_course = (double)NAN;
  bad[3].blocks_per_course = 1e9;
  bad[4].mesh.nx = 0;
  bad[5].mesh.pattern = "t4";
  bad[6].bond = BOND_FLEMISH;
  bad[7].course_height = (double[]){0};
  for (int k = 0; k < 8; k++)
    cr_assert_eq(masonry_wall(&wall, &bad[k], &err), ERR_INPUT, "case %d", k);
  cr_assert_eq(mem_live_blocks(), 0);
}

Test(masonry_wall, lack_of_memory_leaks_nothing) {
  WallOpening opening = {0.2, 0, 0.2, 0.1, 0.05, 0};
  WallSpec spec = jean_wall(4, 6, HALVES_ODD);
  spec.openings = &opening;
  spec.n_openings = 1;
  for (int n = 1;; n++) {
    Assembly wall;
    Err err = {0};
    mem_fail_after(n);
    Status status = masonry_wall(&wall, &spec, &err);
    mem_fail_after(0);
    if (status == OK) {
      assembly_free(&wall);
      break;
    }
    cr_assert_eq(status, ERR_SYSTEM);
    cr_assert_eq(mem_live_blocks(), 0, "allocation %d", n);
  }
  cr_assert_eq(mem_live_blocks(), 0);
}
