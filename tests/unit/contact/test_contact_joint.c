#define _POSIX_C_SOURCE 200809L // mkstemp
#include <criterion/criterion.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../../support/run_case.h"
#include "../../support/scratch_path.h"
#include "../../support/staged_step.h"
#include "base/space.h"
#include "contact/pair_type.h"

// A block of one length above a row of two, of so many cells; the candidate is one or the other.
static CaseRun *block_on_two(int below, int above, const char *candidate, const char *law) {
  return run_case_open_text(
      xml_format("<voussoir><material name='s' density='1000' young='1e8' poisson='0'/>"
                 "<law name='l' %s/>"
                 "<block name='left' material='s' width='1' height='0.5' cells_x='%d'/>"
                 "<block name='right' material='s' x='1' width='1' height='0.5' cells_x='%d'/>"
                 "<block name='top' material='s' y='0.5' width='1' height='0.5' cells_x='%d'/>"
                 "<contact candidate='%s' antagonist='%s' law='l'/>"
                 "<time end='1' step='1e-3'/></voussoir>",
                 law, below, below, above, candidate,
                 strcmp(candidate, "top") == 0 ? "left right" : "top"),
      NULL);
}

static void move_top(CaseRun *run, double x, double y) {
  const BodySet *bs = &run->input.model.bodies;
  int top = run_case_body(run, "top");
  for (int k = bs->node_ptr[top]; k < bs->node_ptr[top + 1]; k++) {
    run->state.bodies.q[2 * k] = x;
    run->state.bodies.q[2 * k + 1] = y;
  }
}

static ContactStep detect(CaseRun *run) {
  ContactStep step = staged_contact_step(run, 1e-3);
  Err err = {0};
  cr_assert_eq(contact_detect(&step, &err), OK, "%s", err.text);
  return step;
}

static int is_of(const Contact *contact, int a, int b) {
  return (contact->side[0].body == a && contact->side[1].body == b) ||
         (contact->side[0].body == b && contact->side[1].body == a);
}

// The integral of the shape function of a node between cells of length 1/n over [a, b], in pieces
// so short that the kinks in them do not matter.
static double load_of_node(int n, double node, double a, double b) {
  enum { PIECES = 4000 };
  double sum = 0, h = (b - a) / PIECES;
  for (int k = 0; k < PIECES; k++) sum += h * fmax(0, 1 - fabs(a + (k + 0.5) * h - node) * n);
  return sum;
}

// A uniform pressure on what overlaps loads every node of both sides by the integral of its shape
// function, wherever the block has slid to and whatever the meshes: forces, moments and areas.
static void assert_loads(int below, int above, const char *candidate) {
  CaseRun *run = block_on_two(below, above, candidate, "friction='0.5'");
  const BodySet *bs = &run->input.model.bodies;
  int top = run_case_body(run, "top"), left = run_case_body(run, "left");
  double *force = calloc((size_t)bs->n_nodes, sizeof *force);
  for (double x = -0.9; x <= 0.95; x += 0.0617) {
    double area = 0, from = fmax(0, x), to = fmin(1, x + 1);
    move_top(run, x, 1e-6);
    ContactStep step = detect(run);
    memset(force, 0, (size_t)bs->n_nodes * sizeof *force);
    for (int c = 0; c < contact_count(step.work); c++) {
      const Contact *contact = &contact_list(step.work)[c];
      if (!is_of(contact, top, left)) continue;
      area += contact->area;
      cr_expect_float_eq(contact->gap, 1e-6, 1e-12);
      for (int s = 0; s < 2; s++)
        for (int k = 0; k < contact->side[s].n; k++)
          force[contact->side[s].node[k]] +=
              contact->area * contact->n[1] * contact->side[s].weight[k];
    }
    cr_expect_float_eq(area, to - from, 1e-9, "%d on %d, %s, x = %g: area %.12g of %g", above,
                       below, candidate, x, area, to - from);
    for (int k = 0; k < bs->n_nodes; k++) {
      int body = bs->body_of[k], is_top = body == top;
      double y = bs->x[2 * k + 1], expected = 0;
      if (body != top && body != left) continue;
      if (fabs(y - 0.5) < 1e-9)
        expected = (is_top ? 1 : -1) *
                   load_of_node(is_top ? above : below, bs->x[2 * k] + (is_top ? x : 0), from, to);
      cr_expect_float_eq(force[k], expected, 2e-7,
                         "%d on %d, %s, x = %g: node %d of %s has %g, "
                         "expected %g",
                         above, below, candidate, x, k, bs->name[body], force[k], expected);
    }
  }
  free(force);
  run_case_close(run);
}

Test(contact_joint, uniform_pressure_loads_both_sides_as_their_shape_functions_say) {
  static const int cells[][2] = {{1, 1}, {2, 2}, {3, 3}, {5, 7}, {7, 5}, {2, 5}, {3, 9}, {8, 3}};
  for (size_t k = 0; k < sizeof cells / sizeof cells[0]; k++) {
    assert_loads(cells[k][0], cells[k][1], "top");
    assert_loads(cells[k][0], cells[k][1], "left right");
  }
}

Test(contact_joint, has_the_points_of_its_finer_side) {
  static const int cells[][2] = {{3, 3}, {3, 8}, {8, 3}, {5, 7}, {2, 9}};
  for (size_t k = 0; k < sizeof cells / sizeof cells[0]; k++)
    for (int c = 0; c < 2; c++) {
      CaseRun *run =
          block_on_two(cells[k][0], cells[k][1], c ? "top" : "left right", "friction='0.5'");
      move_top(run, 0, 0);
      ContactStep step = detect(run);
      int n = 0, most = cells[k][0] > cells[k][1] ? cells[k][0] : cells[k][1];
      for (int i = 0; i < contact_count(step.work); i++)
        n += is_of(&contact_list(step.work)[i], run_case_body(run, "top"),
                   run_case_body(run, "left"));
      cr_expect_eq(n, most + 1, "%d on %d, %d: %d points", cells[k][1], cells[k][0], c, n);
      run_case_close(run);
    }
}

// Points keep what they know while a block slides: neither the sum of impulses changes, but by what
// the overlap loses, nor is mortar whole again where it was broken.
Test(contact_joint, keeps_impulses_and_the_state_of_laws_through_sliding) {
  for (int c = 0; c < 2; c++) {
    CaseRun *run = block_on_two(3, 5, c ? "top" : "left right",
                                "type='mohr_coulomb' friction='0.5' tension='1e3' cohesion='1e3'");
    int n_law = run->input.model.contact.n_law_state;
    ContactState *state = &run->state.contact;
    cr_assert_gt(n_law, 0);
    move_top(run, 0.2, 0);
    ContactStep step = detect(run);
    double mark = 0.625; // a number that no law puts there
    for (int i = 0; i < contact_count(step.work); i++) {
      int slot = contact_list(step.work)[i].slot;
      state->law[(size_t)slot * (size_t)n_law] = mark;
      state->impulse[2 * slot] = contact_list(step.work)[i].area;
      state->flag[slot] |= FLAG_ACTIVE;
    }
    state->search[1] = 1e-3;
    for (double x = 0.2; x <= 0.9; x += 0.003) {
      double sum = 0, area = 0;
      int n = 0;
      move_top(run, x, 0);
      step = detect(run);
      for (int i = 0; i < contact_count(step.work); i++) {
        const Contact *contact = &contact_list(step.work)[i];
        cr_expect_eq(state->law[(size_t)contact->slot * (size_t)n_law], mark,
                     "x = %g: the point at %d forgot", x, contact->slot);
        sum += state->impulse[2 * contact->slot];
        area += contact->area;
        // as if the pressure were what it was
        state->impulse[2 * contact->slot] = contact->area;
        state->flag[contact->slot] |= FLAG_ACTIVE;
        n++;
      }
      cr_expect_float_eq(area, 1, 1e-3, "x = %g: area %g", x, area);
      cr_expect_float_eq(sum, 1, 0.02, "x = %g: %d points have the impulse %g", x, n, sum);
    }
    run_case_close(run);
  }
}

// A mesh file of triangles or quadrilaterals in the plane.
typedef struct {
  char path[512];
  FILE *file;
  int n;
} MeshFile;

static void mesh_begin(MeshFile *mesh, const char *name, int n_nodes) {
  scratch_path(mesh->path, sizeof mesh->path, name);
  int file = mkstemp(mesh->path);
  cr_assert_geq(file, 0);
  mesh->file = fdopen(file, "w");
  mesh->n = 0;
  fprintf(mesh->file, "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n%d\n", n_nodes);
}

static void mesh_node(MeshFile *mesh, double x, double y) {
  fprintf(mesh->file, "%d %.17g %.17g 0\n", ++mesh->n, x, y);
}

static void mesh_elements(MeshFile *mesh, int n) {
  fprintf(mesh->file, "$EndNodes\n$Elements\n%d\n", n);
  mesh->n = 0;
}

static void mesh_quad(MeshFile *mesh, int a, int b, int c, int d) {
  fprintf(mesh->file, "%d 3 2 1 1 %d %d %d %d\n", ++mesh->n, a, b, c, d);
}

static void mesh_end(MeshFile *mesh) {
  fprintf(mesh->file, "$EndElements\n");
  fclose(mesh->file);
}

// A ring of n cells about (0, y).
static void ring(MeshFile *mesh, const char *name, int n, double inner, double outer) {
  mesh_begin(mesh, name, 2 * n);
  for (int k = 0; k < 2 * n; k++) {
    double angle = (2 * (k % n) + 1) * PI / n, r = k < n ? inner : outer;
    mesh_node(mesh, r * sin(angle), -r * cos(angle));
  }
  mesh_elements(mesh, n);
  for (int k = 0; k < n; k++)
    mesh_quad(mesh, k + 1, n + k + 1, n + (k + 1) % n + 1, (k + 1) % n + 1);
  mesh_end(mesh);
}

// A round body has no beginning: turned from edge to edge it stands on the same points; a rigid one
// has vertices where its face is not straight.
Test(contact_joint, of_a_round_body_does_not_depend_on_where_its_skin_begins) {
  enum { N = 18 };
  static const char *const kinematics[] = {"small", "rigid"};
  MeshFile mesh;
  int n_first = 0;
  double area_first = 0;
  ring(&mesh, "round", N, 0.4, 1);
  for (int turn = 0; turn < N; turn++)
    for (int c = 0; c < 4; c++) {
      CaseRun *run = run_case_open_text(
          xml_format("<voussoir><material name='s' density='1000' young='1e8' poisson='0'/>"
                     "<law name='l' friction='0.5'/>"
                     "<body name='round' material='s' mesh='%s' y='%.17g' angle='%.17g'"
                     " kinematics='%s'/>"
                     "<block name='flat' material='s' x='-1' y='-0.5' width='2' height='0.5'"
                     " cells_x='16'/>"
                     "<contact candidate='%s' antagonist='%s' law='l'/><detection alert='0.1'/>"
                     "<time end='1' step='1e-3'/></voussoir>",
                     mesh.path, cos(PI / N), turn * 2 * PI / N, kinematics[c / 2],
                     c % 2 ? "round" : "flat", c % 2 ? "flat" : "round"),
          NULL);
      ContactStep step = detect(run);
      double area = 0;
      int n = contact_count(step.work);
      for (int k = 0; k < n; k++) area += contact_list(step.work)[k].area;
      if (turn == 0 && c == 0) {
        n_first = n;
        area_first = area;
        cr_assert_gt(n, 3);
        cr_assert_gt(area, 2 * sin(PI / N));
      }
      cr_expect_eq(n, n_first, "turned by %d edges, %d: %d points", turn, c, n);
      cr_expect_float_eq(area, area_first, 1e-9, "turned by %d edges, %d: area %g", turn, c, area);
      run_case_close(run);
    }
  remove(mesh.path);
}

// A ring in a bush touches it all round: no place is the first.
Test(contact_joint, of_two_closed_skins_has_no_seam) {
  for (int n = 12; n <= 48; n += 12) {
    MeshFile inner, bush;
    ring(&inner, "inner", n, 0.5, 1);
    ring(&bush, "bush", n, 1, 1.5);
    CaseRun *run = run_case_open_text(
        xml_format("<voussoir><material name='s' density='1000' young='1e8' poisson='0'/>"
                   "<law name='l' friction='0.5'/><body name='b' material='s' mesh='%s'/>"
                   "<body name='a' material='s' mesh='%s'/><detection alert='0.1'/>"
                   "<contact candidate='a' antagonist='b' law='l'/>"
                   "<time end='1' step='1e-3'/></voussoir>",
                   bush.path, inner.path),
        NULL);
    ContactStep step = detect(run);
    double area = 0, least = HUGE_VAL, most = 0;
    for (int c = 0; c < contact_count(step.work); c++) {
      double own = contact_list(step.work)[c].area;
      area += own;
      least = fmin(least, own);
      most = fmax(most, own);
    }
    double round = 2 * n * sin(PI / n);
    cr_expect_eq(contact_count(step.work), n);
    cr_expect_float_eq(area, round, 1e-9, "%d: %g of %g", n, area, round);
    cr_expect_float_eq(most, least, 1e-9, "%d: areas %g to %g", n, least, most);
    run_case_close(run);
    remove(inner.path);
    remove(bush.path);
  }
}

// A row of cells between given places, upper or lower at y = 0.
static void row(MeshFile *mesh, const char *name, int n, const double *x, double y) {
  mesh_begin(mesh, name, 2 * (n + 1));
  for (int k = 0; k <= n; k++) mesh_node(mesh, x[k], y);
  for (int k = 0; k <= n; k++) mesh_node(mesh, x[k], y + 0.5);
  mesh_elements(mesh, n);
  for (int k = 1; k <= n; k++) mesh_quad(mesh, k, k + 1, n + k + 2, n + k + 1);
  mesh_end(mesh);
}

// Nodes of one side at, beside and between those of the other: the load of every node is that of
// its shape function.
Test(contact_joint, loads_meshes_whose_nodes_fall_together_here_and_there) {
  static const double lower[] = {0, 0.25, 0.5, 0.75, 1}, uppers[][5] = {{0, 0.24, 0.5, 0.76, 1},
                                                                        {0, 0.26, 0.5, 0.74, 1},
                                                                        {0, 0.2503, 0.5, 0.7492, 1},
                                                                        {0, 0.1, 0.5, 0.75, 1}};
  for (int k = 0; k < 8; k++) {
    const double *upper = uppers[k / 2];
    MeshFile low, high;
    row(&low, "low", 4, lower, -0.5);
    row(&high, "high", 4, upper, 0);
    CaseRun *run = run_case_open_text(
        xml_format("<voussoir><material name='s' density='1000' young='1e8' poisson='0'/>"
                   "<law name='l' friction='0.5'/><body name='a' material='s' mesh='%s'/>"
                   "<body name='b' material='s' mesh='%s'/>"
                   "<contact candidate='%s' antagonist='%s' law='l'/>"
                   "<time end='1' step='1e-3'/></voussoir>",
                   low.path, high.path, k % 2 ? "a" : "b", k % 2 ? "b" : "a"),
        NULL);
    const BodySet *bs = &run->input.model.bodies;
    double force[20] = {0};
    cr_assert_eq(bs->n_nodes, 20);
    ContactStep step = detect(run);
    for (int c = 0; c < contact_count(step.work); c++) {
      const Contact *contact = &contact_list(step.work)[c];
      for (int s = 0; s < 2; s++)
        for (int j = 0; j < contact->side[s].n; j++)
          force[contact->side[s].node[j]] +=
              contact->area * contact->n[1] * contact->side[s].weight[j];
    }
    for (int node = 0; node < 20; node++) {
      const double *places = node < 10 ? lower : upper;
      double at = bs->x[2 * node], expected = 0;
      for (int j = 0; j < 4 && fabs(bs->x[2 * node + 1]) < 1e-9; j++)
        if (at == places[j] || at == places[j + 1])
          expected += (node < 10 ? -0.5 : 0.5) * (places[j + 1] - places[j]);
      cr_expect_float_eq(force[node], expected, 1e-9, "%d: node %d at %g has %g, expected %g", k,
                         node, at, force[node], expected);
    }
    run_case_close(run);
    remove(low.path);
    remove(high.path);
  }
}

// A node that has just left a face is no second point of the joint that it is in now.
Test(contact_joint, counts_no_length_twice_where_a_node_has_just_left_a_face) {
  for (int c = 0; c < 2; c++) {
    CaseRun *run = block_on_two(1, 5, c ? "top" : "left right", "friction='0.5'");
    for (int k = -40; k <= 40; k++) {
      double x = 0.4 + 5e-5 * k, area = 0;
      move_top(run, x, 0);
      ContactStep step = detect(run);
      for (int i = 0; i < contact_count(step.work); i++) area += contact_list(step.work)[i].area;
      cr_expect_float_eq(area, 1, 2e-3, "%d, x = %g: area %g", c, x, area);
    }
    run_case_close(run);
  }
}
