#define _XOPEN_SOURCE 700
#include "../file/scratch.h"

#include "app/commands.h"
#include "file/vtk.h"

// A folder with the results of two elements of a sheet, one of a solid, and a short history.
static void results(void) {
  static const double points[12] = {0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0};
  static const int32_t ptr[] = {0, 3, 6, 10}, node[] = {0, 1, 2, 0, 2, 3, 0, 1, 2, 3};
  static const uint8_t type[] = {5, 5, 9};
  static const double major[] = {0.1, 0.2, 0}, minor[] = {-0.05, 0.1, 0}, t[] = {1e-3, 9e-4, 0};
  const VtkArray arrays[] = {{"major_strain", 1, major, NULL},
                             {"minor_strain", 1, minor, NULL},
                             {"thickness", 1, t, NULL}};
  const VtkGrid grid = {.title = "t",
                        .time = 2,
                        .step = 7,
                        .n_points = 4,
                        .points = points,
                        .n_cells = 3,
                        .cell_ptr = ptr,
                        .cell_point = node,
                        .cell_type = type,
                        .n_cell_arrays = 3,
                        .cell_arrays = arrays};
  const int64_t step = 7;
  const double time = 2;
  cr_assert_eq(vtk_write(&grid, in_scratch("bodies_000007.vtk"), 0, NULL), OK);
  cr_assert_eq(vtk_write_series(scratch, "bodies", &step, &time, 1, NULL), OK);
  write_text(in_scratch("forming_limit.csv"), "# units: 1,1,1\nbody,minor_strain,major_strain\n"
                                              "0,-0.2,0.5\n0,0.2,0.3\n");
  write_text(in_scratch("history.csv"), "# units: s,m,N,N\ntime,stroke,punch_force,holder_force\n"
                                        "0.1,0.01,1000,5\n0.2,0.02,3000,6\n");
}

static int times(const char *text, const char *word) {
  int n = 0;
  for (; (text = strstr(text, word)); text++) n++;
  return n;
}

static int plot(const char *a, const char *b) {
  char *argv[] = {"plot", scratch, (char *)(size_t)a, (char *)(size_t)b};
  return plot_main(b ? 4 : 2, argv);
}

Test(plot, draws_elements_of_sheets_with_their_limits_and_forces_against_stroke) {
  size_t size;
  scratch_make();
  results();
  cr_assert_eq(plot(NULL, NULL), 0);
  char *svg = read_bytes(in_scratch("forming_limit.svg"), &size);
  cr_assert_eq(times(svg, "<circle"), 2); // not the solid
  cr_assert_eq(times(svg, "<path"), 1);
  cr_assert(strstr(svg, "t = 2 s") && strstr(svg, "forming limit"));
  mem_free(svg);
  svg = read_bytes(in_scratch("history.svg"), &size);
  cr_assert_eq(times(svg, "<path"), 2);
  cr_assert(strstr(svg, "stroke [mm]") && strstr(svg, "force [N]") && strstr(svg, "holder_force"));
  mem_free(svg);
  cr_assert_eq(plot("--y", "stroke"), 0);
  svg = read_bytes(in_scratch("history.svg"), &size);
  cr_assert_eq(times(svg, "<path"), 1);
  mem_free(svg);
  scratch_remove();
}

Test(plot, what_is_not_there_is_said_with_exit_code_two) {
  scratch_make();
  results();
  cr_assert_eq(plot("--x", "height"), 2);
  cr_assert_eq(plot("--y", "punch_force,stroke"), 2); // two units
  cr_assert_eq(plot("--y", "nothing"), 2);
  remove(in_scratch("history.csv"));
  cr_assert_eq(plot(NULL, NULL), 2);
  char *wrong[] = {"plot", "/no/such/folder"};
  cr_assert_eq(plot_main(2, wrong), 2);
  cr_assert_eq(plot_main(1, wrong), 2);
  scratch_remove();
}
