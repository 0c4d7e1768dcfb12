// Pairs of boxes from the grid are those that a comparison of all with all finds, each once.
#include <criterion/criterion.h>

#include <math.h>
#include <string.h>

#include "../../support/staged_step.h"
#include "contact/pair_type.h"

enum { BOXES = 400 };

typedef struct {
  int times[BOXES][BOXES];
} Met;

static Status count(void *of, int i, int j, Err *err) {
  Met *met = of;
  (void)err;
  met->times[i][j]++;
  return OK;
}

static Status refuse(void *of, int i, int j, Err *err) {
  (void)of, (void)i, (void)j;
  return err_set(err, ERR_NUMERIC, "enough");
}

static int meet(int dim, const double *a, const double *b) {
  for (int i = 0; i < dim; i++)
    if (a[i] > b[dim + i] || b[i] > a[dim + i]) return 0;
  return 1;
}

// Boxes of sizes over three decades, some on the edges of cells, some as large as all together.
static void fill(int dim, unsigned seed, double *box) {
  for (int k = 0; k < BOXES; k++)
    for (int i = 0; i < dim; i++) {
      double low = floor(20 * test_random(&seed)) / (k % 2 ? 1 : 3);
      double size = k % 3 == 0 ? 1 : pow(10, 1.5 * test_random(&seed));
      if (k % 80 == 7) size = 1000;
      box[2 * dim * k + i] = low;
      box[2 * dim * k + dim + i] = low + size;
    }
}

Test(contact_grid, finds_every_pair_of_boxes_once) {
  static Met met;
  static double box[6 * BOXES];
  for (int dim = 2; dim <= 3; dim++) {
    Err err = {0};
    ContactGrid grid = {.cell = 1, .low = {-20, -20, -20}};
    int n_pairs = 0;
    fill(dim, 3, box);
    memset(&met, 0, sizeof met);
    cr_assert_eq(contact_grid_fill(&grid, dim, BOXES, box, &err), OK);
    cr_assert(grid.n_large > 3 && grid.n_large < BOXES / 2, "%d large ones", grid.n_large);
    cr_assert_eq(contact_grid_pairs(&grid, dim, BOXES, box, count, &met, &err), OK);
    for (int i = 0; i < BOXES; i++)
      for (int j = 0; j < BOXES; j++) {
        int expected = i < j && meet(dim, box + 2 * dim * i, box + 2 * dim * j);
        cr_assert_eq(met.times[i][j], expected, "%d and %d in %d dimensions: %d times", i, j, dim,
                     met.times[i][j]);
        n_pairs += expected;
      }
    cr_assert_gt(n_pairs, 1000);
    cr_assert_eq(contact_grid_pairs(&grid, dim, BOXES, box, refuse, NULL, &err), ERR_NUMERIC);
    contact_grid_free(&grid);
  }
}
