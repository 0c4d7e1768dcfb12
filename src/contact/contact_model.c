// The model of contact: rules between classes of bodies; and what a step works with.

#include <math.h>
#include <string.h>

#include "contact/law_table.h"
#include "contact/pair_type.h"

const char *const point_rule_names[] = {"overlap", "midpoints", "nodes",
                                        "gauss",   "corners",   "reduced"};

// Contacts are set up when closer than this share of the shortest edge.
static const double ALERT_SHARE = 0.1;

// Bodies with the same memberships in all rules are one class.
static Status classify(ContactModel *cm, const BodySet *bs, Err *err) {
  MEM_NEW(cm->class_of, bs->n_bodies, err);
  int32_t *first;
  MEM_NEW(first, bs->n_bodies, err);
  Status status = OK;
  for (int b = 0; b < bs->n_bodies && status == OK; b++) {
    int k = 0;
    for (; k < cm->n_classes; k++) {
      int same = 1;
      for (int r = 0; r < cm->n_rules && same; r++)
        same = cm->rules[r].candidate[b] == cm->rules[r].candidate[first[k]] &&
               cm->rules[r].antagonist[b] == cm->rules[r].antagonist[first[k]];
      if (same) break;
    }
    if (k == cm->n_classes) first[cm->n_classes++] = b;
    if (cm->n_classes > 1000)
      status = err_set(err, ERR_INPUT, "more than 1000 different combinations of contact groups");
    cm->class_of[b] = (int16_t)k;
  }
  if (status == OK) {
    cm->rule_of = mem_new((size_t)cm->n_classes * (size_t)cm->n_classes, sizeof *cm->rule_of);
    cm->self_of = mem_new((size_t)cm->n_classes, sizeof *cm->self_of);
    cm->n_of_class = mem_new((size_t)cm->n_classes, sizeof *cm->n_of_class);
    if (!cm->rule_of || !cm->self_of || !cm->n_of_class)
      status = err_set(err, ERR_SYSTEM, "out of memory: %d contact classes", cm->n_classes);
  }
  for (int b = 0; b < bs->n_bodies && status == OK; b++) cm->n_of_class[cm->class_of[b]]++;
  for (int i = 0; status == OK && i < cm->n_classes; i++) {
    cm->self_of[i] = -1;
    for (int r = 0; r < cm->n_rules; r++)
      if (cm->rules[r].self && cm->rules[r].candidate[first[i]] &&
          cm->rules[r].antagonist[first[i]])
        cm->self_of[i] = (int16_t)r;
    for (int j = 0; j < cm->n_classes; j++) {
      int16_t *rule = &cm->rule_of[i * cm->n_classes + j];
      *rule = -1;
      for (int r = 0; r < cm->n_rules; r++)
        if (cm->rules[r].candidate[first[i]] && cm->rules[r].antagonist[first[j]])
          *rule = (int16_t)r;
    }
  }
  mem_free(first);
  return status;
}

// How thick a body in space is: least across one of its faces. Of many so many are asked, which
// may find it too thick, never too thin.
enum { FACES_ASKED = 64 };

static double thickness(const FaceSet *faces, const BodySet *bs, int body, int first, int end) {
  const int stride = 1 + (end - first) / FACES_ASKED;
  double least = (double)INFINITY, n[3];
  for (int f = first; f < end; f += stride) {
    double low = (double)INFINITY, high = -low;
    contact_face_normal(faces, bs->x, f, n);
    for (int k = bs->node_ptr[body]; k < bs->node_ptr[body + 1]; k++) {
      const double at = contact_dot(3, n, bs->x + 3 * (size_t)k);
      low = fmin(low, at);
      high = fmax(high, at);
    }
    if (high > low) least = fmin(least, high - low);
  }
  return least;
}

static Status measure_supports(ContactModel *cm, const BodySet *bs, Err *err) {
  const FaceSet *faces = &cm->faces;
  MEM_NEW(cm->thick, bs->n_bodies, err);
  cm->thinnest = (double)INFINITY;
  for (int b = 0; b < bs->n_bodies; b++) cm->thick[b] = (double)INFINITY;
  for (int f = 0, end; f < faces->n_faces; f = end) {
    const int body = faces->body[f];
    for (end = f; end < faces->n_faces && faces->body[end] == body;) end++;
    if (!bs->type[body]->support) continue;
    cm->thick[body] = thickness(faces, bs, body, f, end);
    cm->thinnest = fmin(cm->thinnest, cm->thick[body]);
  }
  return OK;
}

// Shortest edge of each body's skin.
static Status measure_bodies(ContactModel *cm, const BodySet *bs, Err *err) {
  double n[2];
  MEM_NEW(cm->shortest, bs->n_bodies, err);
  for (int b = 0; b < bs->n_bodies; b++) cm->shortest[b] = (double)INFINITY;
  for (int e = 0; e < cm->skin.n_edges; e++) {
    double *own = &cm->shortest[cm->skin.body[e]];
    *own = fmin(*own, edge_normal(&cm->skin, bs->x, e, n));
  }
  for (int f = 0; f < cm->faces.n_faces; f++) {
    double corner[12], *own = &cm->shortest[cm->faces.body[f]];
    int corners = contact_face_places(&cm->faces, bs->x, f, corner);
    for (int k = 0; k < corners; k++) {
      const double *a = corner + 3 * k, *b = corner + 3 * ((k + 1) % corners);
      const double d[3] = {b[0] - a[0], b[1] - a[1], b[2] - a[2]};
      *own = fmin(*own, sqrt(contact_dot(3, d, d)));
    }
  }
  for (int b = 0; b < bs->n_bodies; b++)
    if (bs->type[b]->size) cm->shortest[b] = bs->type[b]->size(bs, b);
  for (int b = 0; b < bs->n_bodies; b++) // the outline of a support is no mesh
    if (bs->type[b]->support) cm->shortest[b] = (double)INFINITY;
  return measure_supports(cm, bs, err);
}

Status contact_model_finish(ContactModel *cm, const BodySet *bs, double alert, Err *err) {
  cm->skin = (SkinSet){.shortest = (double)INFINITY};
  TRY(bs->dim == 2 ? skin_set_init(&cm->skin, bs, err)
                   : face_set_init(&cm->faces, &cm->skin, bs, err));
  TRY(measure_bodies(cm, bs, err));
  cm->axial = bs->axisymmetric;
  cm->thickest = 0;
  for (int b = 0; b < bs->n_bodies; b++)
    if (contact_is_sheet(bs, b))
      cm->thickest = fmax(cm->thickest, bs->finite[bs->own[b]].form.spec.thickness);
  TRY(contact_node_areas(cm, bs, err));
  cm->alert = alert > 0 ? alert : ALERT_SHARE * cm->skin.shortest;
  cm->n_law_state = cm->has_pairs = cm->drops = 0;
  for (int r = 0; r < cm->n_rules; r++)
    if (cm->rules[r].law->type->n_state > cm->n_law_state)
      cm->n_law_state = cm->rules[r].law->type->n_state;
  for (int r = 0; r < cm->n_rules; r++) {
    int side[2] = {0, 0};
    for (int b = 0; b < bs->n_bodies; b++) {
      side[0] |= cm->rules[r].candidate[b] && !bs->type[b]->by_shape;
      side[1] |= cm->rules[r].antagonist[b] && !bs->type[b]->by_shape;
    }
    cm->has_pairs |= side[0] && side[1];
    cm->drops |= law_drops(cm->rules[r].law);
  }
  TRY(classify(cm, bs, err));
  return cm->faces.n_faces > 0 ? contact_self_patches(cm, bs, err) : OK;
}

void contact_model_free(ContactModel *cm) {
  for (int r = 0; r < cm->n_rules; r++) {
    mem_free(cm->rules[r].candidate);
    mem_free(cm->rules[r].antagonist);
  }
  mem_free(cm->rules);
  for (int k = 0; k < cm->n_beads; k++) {
    mem_free(cm->beads[k].place);
    mem_free(cm->beads[k].length);
  }
  mem_free(cm->beads);
  mem_free(cm->class_of);
  mem_free(cm->rule_of);
  mem_free(cm->self_of);
  mem_free(cm->n_of_class);
  mem_free(cm->node_area);
  mem_free(cm->shortest);
  mem_free(cm->thick);
  skin_set_free(&cm->skin);
  face_set_free(&cm->faces);
  *cm = (ContactModel){0};
}

Status contact_work_new(ContactWork **work, const ContactModel *cm, const BodySet *bs, Err *err) {
  (void)cm;
  MEM_NEW(*work, 1, err);
  (*work)->dim = bs->dim;
  MEM_NEW((*work)->x, bs->n_nodes * bs->dim, err);
  MEM_NEW((*work)->x_start, bs->n_nodes * bs->dim, err);
  MEM_NEW((*work)->body_ptr, bs->n_bodies + 2, err);
  MEM_NEW((*work)->renewed, bs->n_bodies, err);
  MEM_NEW((*work)->used, bs->n_bodies, err);
  MEM_NEW((*work)->moved_by, bs->n_bodies, err);
  MEM_NEW((*work)->go, bs->n_bodies, err);
  return OK;
}

void contact_work_free(ContactWork *work) {
  if (!work) return;
  void *owned[] = {
      work->slot,       work->geometry,    work->joint_best, work->joint_tilt,  work->joint_gap,
      work->contact,    work->dirty,       work->side,       work->shift,       work->status,
      work->mu,         work->radius,      work->s,          work->a,           work->b,
      work->u_old,      work->diag,        work->elastic,    work->previous,    work->ptr,
      work->col,        work->mirror,      work->w,          work->body_ptr,    work->body_contact,
      work->x,          work->tool,        work->moved,      work->lever,       work->face,
      work->bead,       work->x_start,     work->disk,       work->flat,        work->corner,
      work->flat_point, work->piece,       work->piece_face, work->piece_place, work->x_laid,
      work->point,      work->overlap_ptr, work->member,     work->place,       work->bulge,
      work->before,     work->renewed,     work->used,       work->go,          work->moved_by};
  for (size_t k = 0; k < sizeof owned / sizeof owned[0]; k++) mem_free(owned[k]);
  mem_free(work);
}

int contact_count(const ContactWork *work) {
  return work->n;
}
const Contact *contact_list(const ContactWork *work) {
  return work->contact;
}
int64_t contact_searches(const ContactWork *work) {
  return work->searches;
}
ContactStatus contact_status(const ContactWork *work, int c) {
  return (ContactStatus)work->status[c];
}

int contact_may_touch(const ContactModel *cm, int body) {
  int own = cm->class_of[body], n = cm->n_classes;
  for (int k = 0; k < cm->n_beads; k++)
    if (cm->beads[k].sheet == body || cm->beads[k].tool == body) return 1;
  if (cm->self_of[own] >= 0) return 1;
  for (int other = 0; other < n; other++) {
    int others = cm->n_of_class[other] - (other == own);
    if (others > 0 && (cm->rule_of[own * n + other] >= 0 || cm->rule_of[other * n + own] >= 0))
      return 1;
  }
  return 0;
}
