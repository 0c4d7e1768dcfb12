#define _POSIX_C_SOURCE 200809L // mkdtemp, symlink
// One mesh in every format that is read gives one run: blank and tool from other files than Gmsh's
// give every number of the history as from Gmsh's, bit for bit. Coordinates are multiples of 1/64
// mm, which decimal text and single precision hold exactly, and nodes are numbered as facets meet
// them, as a reader of STL must number them.

#include <criterion/criterion.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "../support/run_case.h"
#include "../unit/file/scratch.h"

enum { SIDE = 8, N_NODES = (SIDE + 1) * (SIDE + 1), N_FACETS = 2 * SIDE * SIDE };

typedef struct {
  double x[N_NODES][3];   // [mm]
  int facet[N_FACETS][3]; // from 0
  int is_rim[N_NODES];
} Surface;

static double on_grid(double x) {
  return round(64 * x) / 64;
}

// A square of `width`, domed by a sphere of `radius` that touches z = 0 from below; 0: flat.
static void make_surface(Surface *surface, double width, double radius) {
  int number[SIDE + 1][SIDE + 1], n = 0;
  memset(number, -1, sizeof number);
  for (int f = 0; f < N_FACETS; f++) {
    static const int corner[2][3][2] = {{{0, 0}, {1, 0}, {1, 1}}, {{0, 0}, {1, 1}, {0, 1}}};
    for (int k = 0; k < 3; k++) {
      int i = f / 2 % SIDE + corner[f % 2][k][0], j = f / 2 / SIDE + corner[f % 2][k][1];
      double x = on_grid(width * (i - 0.5 * SIDE) / SIDE),
             y = on_grid(width * (j - 0.5 * SIDE) / SIDE);
      if (number[i][j] < 0) {
        double *at = surface->x[number[i][j] = n++];
        at[0] = x;
        at[1] = y;
        at[2] = radius > 0 ? on_grid(sqrt(radius * radius - x * x - y * y) - radius) : 0;
        surface->is_rim[n - 1] = i == 0 || j == 0 || i == SIDE || j == SIDE;
      }
      surface->facet[f][k] = number[i][j];
    }
  }
}

static void write_gmsh(FILE *file, const Surface *surface) {
  int n_rim = 0, e = N_FACETS;
  for (int k = 0; k < N_NODES; k++) n_rim += surface->is_rim[k];
  fprintf(file,
          "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$PhysicalNames\n1\n0 7 \"rim\"\n"
          "$EndPhysicalNames\n$Nodes\n%d\n",
          N_NODES);
  for (int k = 0; k < N_NODES; k++)
    fprintf(file, "%d %.6f %.6f %.6f\n", k + 1, surface->x[k][0], surface->x[k][1],
            surface->x[k][2]);
  fprintf(file, "$EndNodes\n$Elements\n%d\n", N_FACETS + n_rim);
  for (int f = 0; f < N_FACETS; f++)
    fprintf(file, "%d 2 2 0 1 %d %d %d\n", f + 1, surface->facet[f][0] + 1,
            surface->facet[f][1] + 1, surface->facet[f][2] + 1);
  for (int k = 0; k < N_NODES; k++)
    if (surface->is_rim[k]) fprintf(file, "%d 15 2 7 1 %d\n", ++e, k + 1);
  fprintf(file, "$EndElements\n");
}

static void write_stl_text(FILE *file, const Surface *surface) {
  fprintf(file, "solid surface\n");
  for (int f = 0; f < N_FACETS; f++) {
    fprintf(file, "facet normal 0 0 1\nouter loop\n");
    for (int k = 0; k < 3; k++) {
      const double *x = surface->x[surface->facet[f][k]];
      fprintf(file, "vertex %.6f %.6f %.6f\n", x[0], x[1], x[2]);
    }
    fprintf(file, "endloop\nendfacet\n");
  }
  fprintf(file, "endsolid\n");
}

static void write_little(FILE *file, uint32_t value) {
  for (int k = 0; k < 4; k++) fputc((int)(value >> 8 * k & 255), file);
}

static void write_stl_binary(FILE *file, const Surface *surface) {
  for (int k = 0; k < 80; k++) fputc(0, file);
  write_little(file, N_FACETS);
  for (int f = 0; f < N_FACETS; f++) {
    for (int k = 0; k < 3; k++) write_little(file, 0);
    for (int k = 0; k < 9; k++) {
      float value = (float)surface->x[surface->facet[f][k / 3]][k % 3];
      uint32_t bits;
      memcpy(&bits, &value, sizeof bits);
      write_little(file, bits);
    }
    fputc(0, file);
    fputc(0, file);
  }
}

// A set of the rim by numbers of nodes, so many a line.
static void write_rim(FILE *file, const Surface *surface, int per_line, int width,
                      const char *behind) {
  int n = 0;
  for (int k = 0; k < N_NODES; k++)
    if (surface->is_rim[k]) {
      fprintf(file, "%*d%s", width, k + 1, behind);
      if (++n % per_line == 0) fputc('\n', file);
    }
  fputc('\n', file);
}

static void write_abaqus(FILE *file, const Surface *surface) {
  fprintf(file, "*Heading\n a surface\n** of the tests\n*Part, name=surface\n*Node\n");
  for (int k = 0; k < N_NODES; k++)
    fprintf(file, "%7d, %13.6f, %13.6f, %13.6f\r\n", k + 1, surface->x[k][0], surface->x[k][1],
            surface->x[k][2]);
  fprintf(file, "*Element, type=S3R, elset=all\n");
  for (int f = 0; f < N_FACETS; f++)
    fprintf(file, "%d, %d, %d, %d\n", f + 1, surface->facet[f][0] + 1, surface->facet[f][1] + 1,
            surface->facet[f][2] + 1);
  fprintf(file, "*Nset, nset=rim\n");
  write_rim(file, surface, 16, 1, ",");
  fprintf(file, "*End Part\n*Material, name=steel\n*Density\n7.8e-9,\n*Step\n*Static\n*End Step\n");
}

static void write_dyna(FILE *file, const Surface *surface) {
  fprintf(file, "*KEYWORD\n$ nid, x, y, z\n*NODE\n");
  for (int k = 0; k < N_NODES; k++)
    fprintf(file, "%8d%16.6f%16.6f%16.6f%8d%8d\n", k + 1, surface->x[k][0], surface->x[k][1],
            surface->x[k][2], 0, 0);
  fprintf(file, "*ELEMENT_SHELL\n");
  for (int f = 0; f < N_FACETS; f++)
    fprintf(file, "%8d%8d%8d%8d%8d%8d\n", f + 1, 3, surface->facet[f][0] + 1,
            surface->facet[f][1] + 1, surface->facet[f][2] + 1, surface->facet[f][2] + 1);
  fprintf(file, "*SET_NODE_LIST_TITLE\nrim\n%10d%10.1f\n", 1, 0.0);
  write_rim(file, surface, 8, 10, "");
  fprintf(file, "*MAT_ELASTIC\n         1   7.8e-9\n*END\n");
}

static const struct {
  const char *name, *ending;
  void (*write)(FILE *file, const Surface *surface);
  int has_groups;
} formats[] = {
    {"gmsh", "msh", write_gmsh, 1},         {"text", "stl", write_stl_text, 0},
    {"binary", "stl", write_stl_binary, 0}, {"abaqus", "inp", write_abaqus, 1},
    {"dyna", "k", write_dyna, 1},
};
enum { N_FORMATS = sizeof formats / sizeof formats[0] };

static void write_surface(const char *name, int format, double width, double radius, char *path,
                          size_t size) {
  static Surface surface;
  char file_name[64];
  snprintf(file_name, sizeof file_name, "%s_%s.%s", name, formats[format].name,
           formats[format].ending);
  snprintf(path, size, "%s", in_scratch(file_name));
  make_surface(&surface, width, radius);
  FILE *file = fopen(path, "wb");
  cr_assert_not_null(file);
  formats[format].write(file, &surface);
  fclose(file);
}

// A dome runs into a square sheet, which flies away, or whose rim is held where the format has
// groups.
static CaseRun *run_from(int format, int held) {
  char blank[512], dome[512];
  write_surface("blank", format, 40, 0, blank, sizeof blank);
  write_surface("dome", format, 24, 30, dome, sizeof dome);
  return run_case_text(
      xml_format(
          "<voussoir><model space='solid'/><material name='m' law='sheet' density='7800' "
          "young='206e9' poisson='0.3' hardening='linear' yield='2e8' modulus='1e9'/>"
          "<sheet name='s' material='m' shape='mesh' mesh='%s' scale='1e-3' thickness='1e-3' "
          "z='0.6e-3'/><tool name='t' shape='mesh' mesh='%s' scale='1e-3' velocity_z='20'/>%s"
          "<law name='l' friction='0.1'/><contact candidate='s' antagonist='t' law='l' "
          "points='nodes'/><time step='1e-5' end='1.5e-4' theta='0.6'/><newton/>"
          "<probe name='push' quantity='reaction' of='t' component='z'/>"
          "<probe name='thin' quantity='thickness' of='s'/>"
          "<probe name='energy' quantity='energy'/></voussoir>",
          blank, dome, held ? "<hold on='s.rim' as='fixed'/>" : ""),
      NULL);
}

Test(mesh_files, blank_and_tool_from_every_format_give_the_bits_of_gmsh) {
  scratch_make();
  for (int held = 0; held < 2; held++) {
    CaseRun *wanted = run_from(0, held);
    cr_assert_gt(run_case_largest(wanted, "energy_plastic"), 1e-6, "the dome does not reach");
    for (int format = 1; format < N_FORMATS; format++) {
      if (held && !formats[format].has_groups) continue;
      CaseRun *run = run_from(format, held);
      cr_assert_eq(run->n_rows, wanted->n_rows);
      for (int64_t k = 0; k < run->n_rows; k++)
        for (int c = 0; c < run->n_columns; c++) {
          double got = run->table[k * run->n_columns + c],
                 want = wanted->table[k * run->n_columns + c];
          cr_assert(got == want || (isnan(got) && isnan(want)),
                    "%s, step %lld: %s is %.17g for %.17g", formats[format].name, (long long)k + 1,
                    run->column[c], got, want);
        }
      run_case_close(run);
    }
    run_case_close(wanted);
  }
  scratch_remove();
}
