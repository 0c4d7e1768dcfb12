#include "body/prototype_index.h"

#include <math.h>
#include <string.h>

// Width of a place over the reach of all meshes: far above what counts as equal (1e-12 of a mesh),
// far below what stones differ by.
static const double CELL = 1e-9;
// Of hashes that are joined one after the other.
static const uint64_t JOIN = 1099511628211u;

PrototypeIndex prototype_index(double reach) {
  return (PrototypeIndex){.cell = reach > 0 ? CELL * reach : 1};
}

void prototype_index_free(PrototypeIndex *index) {
  mem_free(index->first);
  mem_free(index->next);
  mem_free(index->key);
  *index = (PrototypeIndex){0};
}

static uint64_t mix(uint64_t hash, const void *data, size_t size) {
  return (hash ^ bytes_hash(data, size)) * JOIN;
}

// Of what must be equal bit for bit.
static uint64_t exact_part(const PrototypeSpec *spec) {
  const Mesh *mesh = spec->mesh;
  const int32_t counts[] = {mesh->dim, mesh->n_nodes, mesh->n_elems, spec->state,
                            spec->b_bar + 2 * spec->bending_modes + 4 * spec->consistent};
  uint64_t hash = mix(0, counts, sizeof counts);
  hash = mix(hash, &spec->material, sizeof spec->material);
  hash = mix(hash, &spec->thickness, sizeof spec->thickness);
  hash = mix(hash, mesh->elem_node, sizeof(int32_t) * (size_t)mesh->elem_ptr[mesh->n_elems]);
  if (spec->fixed) hash = mix(hash, spec->fixed, (size_t)mesh->n_nodes * (size_t)mesh->dim);
  return hash;
}

// A mean of the coordinates that tells shapes apart; it moves by no more than they do.
static double place_of(const PrototypeIndex *index, const Mesh *mesh, double *reach) {
  int n = mesh->n_nodes * mesh->dim;
  double sum = 0;
  *reach = 0;
  for (int k = 0; k < n; k++) {
    double weight = (double)((unsigned)k * 40503u % 65536u) / 65536; // spread over 0 to 1
    sum += weight * mesh->x[k];
    *reach = fmax(*reach, fabs(mesh->x[k]));
  }
  *reach /= index->cell;
  return n > 0 ? sum / n / index->cell : 0;
}

static uint64_t key_of(uint64_t exact, double place) {
  double cell = floor(place) + 0.0; // no negative zero
  return mix(exact, &cell, sizeof cell);
}

// The better of two that match.
static int better(const Prototype *protos, const PrototypeSpec *spec, int best, int p) {
  if (best < 0) return p;
  int same = protos[p].mesh == spec->mesh, best_same = protos[best].mesh == spec->mesh;
  return same > best_same || (same == best_same && p < best) ? p : best;
}

int prototype_index_find(const PrototypeIndex *index, const Prototype *protos,
                         const PrototypeSpec *spec) {
  double reach, place = place_of(index, spec->mesh, &reach);
  double margin = 2 * PROTOTYPE_SAME_SHAPE * reach;
  uint64_t exact = exact_part(spec),
           keys[2] = {key_of(exact, place - margin), key_of(exact, place + margin)};
  int best = -1;
  for (int side = 0; side < (keys[0] == keys[1] ? 1 : 2) && index->n_places > 0; side++) {
    int p = index->first[keys[side] & (index->n_places - 1)];
    for (; p >= 0; p = index->next[p])
      if (index->key[p] == keys[side] && prototype_matches(&protos[p], spec))
        best = better(protos, spec, best, p);
  }
  return best;
}

static Status grow(PrototypeIndex *index, Err *err) {
  size_t wanted = index->n_places > 0 ? 2 * index->n_places : 64;
  if ((size_t)index->n < index->n_places) return OK;
  mem_free(index->first);
  index->n_places = 0;
  MEM_NEW(index->first, wanted, err);
  index->n_places = wanted;
  memset(index->first, 0xff, wanted * sizeof *index->first);
  for (int p = 0; p < index->n; p++) {
    int32_t *first = &index->first[index->key[p] & (wanted - 1)];
    index->next[p] = *first;
    *first = p;
  }
  return OK;
}

Status prototype_index_add(PrototypeIndex *index, const PrototypeSpec *spec, Err *err) {
  double reach, place = place_of(index, spec->mesh, &reach);
  size_t n = (size_t)index->n + 1;
  TRY(grow(index, err));
  TRY(mem_grow((void **)&index->next, &index->capacity[0], n, sizeof *index->next, err));
  TRY(mem_grow((void **)&index->key, &index->capacity[1], n, sizeof *index->key, err));
  index->key[index->n] = key_of(exact_part(spec), place);
  int32_t *first = &index->first[index->key[index->n] & (index->n_places - 1)];
  index->next[index->n] = *first;
  *first = index->n++;
  return OK;
}
