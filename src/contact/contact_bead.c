// Points of draw beads against the sheet that slides over them.

#include <math.h>
#include <string.h>

#include "contact/pair_type.h"
#include "shape/facet.h"

// A point lies over an element when it is off it along the normal, within this share of their
// distance and of the size of elements.
static const double BESIDE = 1e-6;

static Status search(const PairSearch *pairs, ContactWork *work, Err *err) {
  const ContactModel *cm = pairs->cm;
  for (int b = 0; b < cm->n_beads; b++) {
    const Bead *bead = &cm->beads[b];
    TRY(mem_grow((void **)&work->slot, &work->slot_capacity,
                 (size_t)work->n_slots + (size_t)bead->n, sizeof *work->slot, err));
    for (int k = 0; k < bead->n; k++)
      work->slot[work->n_slots++] = (SlotInfo){.feature_c = b,
                                               .feature_a = k,
                                               .body_c = bead->sheet,
                                               .body_a = bead->tool,
                                               .node = {k, b}, // point and bead
                                               .edge_c = -1,
                                               .edge_a = -1,
                                               .joint = {-1, -1},
                                               .twin = -1,
                                               .rule = bead->rule,
                                               .pair = PAIR_BEAD};
  }
  contact_sort_slots(work, work->first[PAIR_BEAD]);
  return mem_grow((void **)&work->bead, &work->bead_capacity,
                  (size_t)(work->n_slots - work->first[PAIR_BEAD]) + 1, sizeof *work->bead, err);
}

// Is the point over this face, nearer than *nearest? Then *geometry and *nearest are those of it.
static int try_face(const ContactModel *cm, const double *x, int face, const double p[3],
                    double *nearest, FaceGeometry *geometry) {
  double corner[12], weight[4] = {0}, n[3], off[3], along = 0, beside = 0;
  int size = contact_face_places(&cm->faces, x, face, corner);
  double distance2 = facet_nearest(size, corner, p, weight);
  if (distance2 >= *nearest * *nearest) return 0;
  facet_normal(size, corner, weight, n);
  for (int i = 0; i < 3; i++) {
    off[i] = p[i];
    for (int k = 0; k < size; k++) off[i] -= weight[k] * corner[3 * k + i];
    along += off[i] * n[i];
  }
  for (int i = 0; i < 3; i++) beside += (off[i] - along * n[i]) * (off[i] - along * n[i]);
  if (sqrt(beside) > BESIDE * (sqrt(distance2) + cm->skin.shortest)) return 0;
  *nearest = sqrt(distance2);
  *geometry = (FaceGeometry){.gap = along, .face = face, .valid = 1};
  memcpy(geometry->n, n, sizeof n);
  memcpy(geometry->weight, weight, sizeof weight);
  return 1;
}

// The element under a point: that of the last step where it still is.
static void bead_geometry(const ContactStep *step, int64_t k) {
  const ContactModel *cm = step->cm;
  const BodySet *bs = step->bs;
  const SlotInfo *slot = &step->work->slot[k];
  const double *x = step->work->x, *place = cm->beads[slot->node[1]].place + 3 * slot->node[0];
  FaceGeometry *geometry = &step->work->bead[k - step->work->first[PAIR_BEAD]];
  size_t own = 3 * (size_t)bs->node_ptr[slot->body_a];
  double p[3], nearest = cm->skin.longest;
  int last = step->state->flag[k] & FLAG_KEPT ? step->state->edge[k] : -1;
  for (int i = 0; i < 3; i++) p[i] = place[i] + x[own + i] - bs->x[own + i];
  *geometry = (FaceGeometry){.valid = 0};
  if (last >= 0 && last < cm->faces.n_faces && cm->faces.body[last] == slot->body_c &&
      try_face(cm, x, last, p, &nearest, geometry))
    return;
  for (int f = 0; f < cm->faces.n_faces; f++)
    if (cm->faces.body[f] == slot->body_c) try_face(cm, x, f, p, &nearest, geometry);
}

static void detect(const ContactStep *step) {
  const ContactWork *work = step->work;
#pragma omp parallel for schedule(static)
  for (int64_t k = work->first[PAIR_BEAD]; k < work->first[PAIR_BEAD + 1]; k++)
    bead_geometry(step, k);
}

static int make(const ContactStep *step, int64_t k, Contact *contact) {
  const ContactWork *work = step->work;
  const SlotInfo *slot = &work->slot[k];
  const FaceSet *faces = &step->cm->faces;
  ContactState *state = step->state;
  const FaceGeometry *geometry = &work->bead[k - work->first[PAIR_BEAD]];
  int kept = state->flag[k] & FLAG_KEPT, n = contact_face_corners(faces, geometry->face);
  *contact = (Contact){.slot = (int32_t)k,
                       .side = {{.body = slot->body_c, .n = n},
                                {slot->body_a, 1, {step->bs->node_ptr[slot->body_a]}, {-1}}},
                       .area = step->cm->beads[slot->node[1]].length[slot->node[0]],
                       .rule = (int16_t)slot->rule};
  for (int i = 0; i < n; i++) {
    contact->side[0].node[i] = faces->node[4 * (size_t)geometry->face + i];
    contact->side[0].weight[i] = geometry->weight[i];
  }
  contact_turn_frame(3, kept ? state->normal + 3 * k : NULL, kept ? state->tangent + 3 * k : NULL,
                     geometry->n, contact);
  state->edge[k] = geometry->face;
  contact_born(step->cm, state, k, slot->rule, 0);
  return 1;
}

static int counts(const ContactStep *step, int64_t k) {
  return step->work->bead[k - step->work->first[PAIR_BEAD]].valid;
}

// It holds along the sheet only.
static void measure(const Measure *of, int c) {
  if (of->gap) of->gap[c] = 0;
}

// A bead stays on its element over a step.
const PairType pair_bead = {.name = "draw bead",
                            .search = search,
                            .detect = detect,
                            .counts = counts,
                            .make = make,
                            .measure = measure};
