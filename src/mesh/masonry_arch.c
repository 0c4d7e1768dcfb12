#include <math.h>

#include "base/mem.h"
#include "base/space.h"
#include "mesh/assembly.h"

// One circular run of equal voussoirs from angle `start` at the left down to `stop` at the right,
// about a centre relative to the middle of the springing line.
typedef struct {
  double radius, centre_x, centre_y; // of the intrados [m]
  double start, stop;                // [rad]
  int n;
} Run;

static Status check_spec(const ArchSpec *spec, Err *err) {
  if (!(spec->span > 0) || !isfinite(spec->span))
    return err_set(err, ERR_INPUT, "the span of an arch is %g m, it must be positive", spec->span);
  if (!(spec->thickness > 0) || !isfinite(spec->thickness))
    return err_set(err, ERR_INPUT, "the thickness of an arch is %g m, it must be positive",
                   spec->thickness);
  if (!isfinite(spec->x) || !isfinite(spec->y))
    return err_set(err, ERR_INPUT, "an arch stands at (%g, %g)", spec->x, spec->y);
  int least = spec->kind == ARCH_SEGMENTAL ? 1 : 2;
  if (spec->n_voussoirs < least || (spec->kind == ARCH_POINTED && spec->n_voussoirs % 2))
    return err_set(err, ERR_INPUT, "an arch of %d voussoirs; %s", spec->n_voussoirs,
                   spec->kind == ARCH_POINTED ? "a pointed arch has an even number of them"
                   : least == 2               ? "at least 2"
                                              : "at least 1");
  double half = spec->span / 2;
  if (spec->kind == ARCH_SEGMENTAL && !(spec->rise > 0 && spec->rise <= half * (1 + 1e-12)))
    return err_set(err, ERR_INPUT,
                   "the rise of a segmental arch is %g m, it lies between 0 and half the span",
                   spec->rise);
  if (spec->kind == ARCH_POINTED && !(spec->rise > half && isfinite(spec->rise)))
    return err_set(err, ERR_INPUT,
                   "the rise of a pointed arch is %g m, it is larger than half the span",
                   spec->rise);
  return assembly_check_cells(spec->mesh, err);
}

// A round arch: voussoirs are one mesh about the centre, symmetric to the y axis, turned.
static Status add_run(AssemblyBuilder *builder, const ArchSpec *spec, const Run *run, int mesh,
                      int course, Err *err) {
  double step = (run->start - run->stop) / run->n;
  for (int k = 0; k < run->n; k++)
    TRY(assembly_add_block(builder,
                           (AssemblyBlock){.mesh = mesh,
                                           .x = spec->x + run->centre_x,
                                           .y = spec->y + run->centre_y,
                                           .angle = run->start - (k + 0.5) * step - PI / 2,
                                           .course = course + k},
                           err));
  return OK;
}

static Status add_voussoir(AssemblyBuilder *builder, const ArchSpec *spec, double radius,
                           double angle, int *mesh, Err *err) {
  Mesh own;
  TRY(mesh_ring_wedge(&own,
                      &(RingWedge){.r0 = radius,
                                   .r1 = radius + spec->thickness,
                                   .left = {PI / 2 + angle / 2, PI / 2 + angle / 2},
                                   .right = {PI / 2 - angle / 2, PI / 2 - angle / 2},
                                   .straight = spec->straight},
                      spec->mesh.nx, spec->mesh.ny, spec->mesh.pattern, err));
  return assembly_add_mesh(builder, &own, mesh, err);
}

static Status build_round(AssemblyBuilder *builder, const ArchSpec *spec, Err *err) {
  Run run = {.radius = spec->span / 2, .start = PI, .stop = 0, .n = spec->n_voussoirs};
  if (spec->kind == ARCH_SEGMENTAL) {
    double half = spec->span / 2;
    run.radius = (half * half + spec->rise * spec->rise) / (2 * spec->rise);
    run.centre_y = spec->rise - run.radius;
    double opening = atan2(half, -run.centre_y);
    run.start = PI / 2 + opening;
    run.stop = PI / 2 - opening;
  }
  int mesh;
  TRY(add_voussoir(builder, spec, run.radius, (run.start - run.stop) / run.n, &mesh, err));
  return add_run(builder, spec, &run, mesh, 1, err);
}

// A pointed arch: two arcs with centres on the springing line, (c, 0) for the left one. Radial
// joints of the two would gape above the apex, so the last voussoir of each ends at x = 0.
static Status build_pointed(AssemblyBuilder *builder, const ArchSpec *spec, Err *err) {
  double half = spec->span / 2;
  double c = (spec->rise * spec->rise - half * half) / spec->span;
  double r0 = c + half, r1 = r0 + spec->thickness;
  int n = spec->n_voussoirs / 2;
  double apex = acos(-c / r0), apex_out = acos(-c / r1), step = (PI - apex) / n;
  Run left = {.radius = r0, .centre_x = c, .start = PI, .stop = apex + step, .n = n - 1};
  Run right = {.radius = r0, .centre_x = -c, .start = PI - apex - step, .stop = 0, .n = n - 1};
  RingWedge crown[2] = {{.r0 = r0,
                         .r1 = r1,
                         .left = {apex + step, apex + step},
                         .right = {apex, apex_out},
                         .straight = spec->straight},
                        {.r0 = r0,
                         .r1 = r1,
                         .left = {PI - apex, PI - apex_out},
                         .right = {PI - apex - step, PI - apex - step},
                         .straight = spec->straight}};
  int mesh = 0, own;
  if (n > 1) {
    TRY(add_voussoir(builder, spec, r0, step, &mesh, err));
    TRY(add_run(builder, spec, &left, mesh, 1, err));
  }
  for (int side = 0; side < 2; side++) {
    Mesh wedge;
    TRY(mesh_ring_wedge(&wedge, &crown[side], spec->mesh.nx, spec->mesh.ny, spec->mesh.pattern,
                        err));
    TRY(assembly_add_mesh(builder, &wedge, &own, err));
    TRY(assembly_add_block(
        builder,
        (AssemblyBlock){
            .mesh = own, .x = spec->x + (side ? -c : c), .y = spec->y, .course = n + side},
        err));
  }
  return n > 1 ? add_run(builder, spec, &right, mesh, n + 2, err) : OK;
}

static Status add_groups(Assembly *arch, Err *err) {
  int32_t first = 0, last = arch->n_blocks - 1, middle = last / 2;
  TRY(assembly_add_group(arch, "left_springer", &first, NULL, 1, err));
  TRY(assembly_add_group(arch, "right_springer", &last, NULL, 1, err));
  if (arch->n_blocks % 2) TRY(assembly_add_group(arch, "keystone", &middle, NULL, 1, err));
  TRY(assembly_group_sides(arch, "intrados", "bottom", -1, err));
  TRY(assembly_group_sides(arch, "extrados", "top", -1, err));
  TRY(assembly_group_sides(arch, "left", "left", first, err));
  return assembly_group_sides(arch, "right", "right", last, err);
}

Status masonry_arch(Assembly *arch, const ArchSpec *spec, Err *err) {
  *arch = (Assembly){0};
  TRY(check_spec(spec, err));
  AssemblyBuilder builder = {.out = arch};
  Status status = spec->kind == ARCH_POINTED ? build_pointed(&builder, spec, err)
                                             : build_round(&builder, spec, err);
  if (status == OK) status = add_groups(arch, err);
  assembly_builder_free(&builder);
  if (status != OK) assembly_free(arch);
  return status;
}
