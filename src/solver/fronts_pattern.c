#include <string.h>

#include "solver/fronts.h"

// Zeros among the numbers of a front that are worth having fewer fronts, by the number of its
// pivots.
static const struct {
  int pivots;
  double zeros;
} worth[] = {{4, 0.8}, {8, 0.4}, {16, 0.1}, {1 << 30, 0.05}};

// Elimination tree and what hangs on it, by places.
typedef struct {
  int32_t *parent, *below; // parent of a column (n: none); rows below its diagonal
  int32_t *mark, *next, *head;
} Tree;

static Status tree_init(Tree *tree, int n, Arena *arena, Err *err) {
  ARENA_NEW(tree->parent, n + 1, arena, err);
  ARENA_NEW(tree->below, n + 1, arena, err);
  ARENA_NEW(tree->mark, n + 1, arena, err);
  ARENA_NEW(tree->next, n + 1, arena, err);
  ARENA_NEW(tree->head, n + 1, arena, err);
  return OK;
}

void elimination_tree(int n, const int32_t *perm, const int32_t *place, const Problem *p,
                      int32_t *parent, int32_t *ancestor) {
  for (int i = 0; i < n; i++) {
    int contact = perm[i];
    parent[i] = ancestor[i] = n;
    for (int64_t e = p->blocks.ptr[contact]; e < p->blocks.ptr[contact + 1]; e++)
      for (int k = place[p->blocks.col[e]], next; k < i; k = next) {
        next = ancestor[k];
        ancestor[k] = i; // path compression
        if (next == n) {
          parent[k] = i;
          break;
        }
        if (next >= i) break;
      }
  }
}

// Row i has entries in all columns on the paths of the tree from an entry of A to i.
static void count_below(const Fronts *lu, const Problem *p, Tree *tree) {
  memset(tree->mark, 0xff, (size_t)lu->n * sizeof *tree->mark);
  memset(tree->below, 0, (size_t)lu->n * sizeof *tree->below);
  for (int i = 0; i < lu->n; i++) {
    int contact = lu->perm[i];
    tree->mark[i] = i;
    for (int64_t e = p->blocks.ptr[contact]; e < p->blocks.ptr[contact + 1]; e++)
      for (int k = lu->place[p->blocks.col[e]]; k < i && tree->mark[k] != i; k = tree->parent[k]) {
        tree->mark[k] = i;
        tree->below[k]++;
      }
  }
}

// Children directly before their parents, the one with the most rows last. In `old` the old places
// by the new ones.
static void order_children(int n, Tree *tree, int32_t *old) {
  int32_t *bucket = tree->mark, *next = tree->next, *head = tree->head, *list = old;
  memset(bucket, 0, ((size_t)n + 1) * sizeof *bucket);
  for (int k = 0; k < n; k++) bucket[tree->below[k] + 1]++;
  for (int k = 0; k < n; k++) bucket[k + 1] += bucket[k];
  for (int k = 0; k < n; k++) list[bucket[tree->below[k]]++] = k;
  memset(head, 0xff, ((size_t)n + 1) * sizeof *head);
  for (int k = n - 1; k >= 0; k--) { // the first of a list is the smallest
    int node = list[k];
    next[node] = head[tree->parent[node]];
    head[tree->parent[node]] = node;
  }
  // A walk from the root of all: down to the first child that is left, then a node itself.
  int at = n, placed = 0;
  while (placed < n || at != n) {
    int child = head[at];
    if (child >= 0) {
      head[at] = next[child];
      at = child;
    } else {
      old[placed++] = at;
      at = tree->parent[at];
    }
  }
}

static void reorder(Fronts *lu, Tree *tree, const int32_t *old) {
  int n = lu->n;
  int32_t *parent = tree->mark, *below = tree->next, *place = tree->head;
  for (int i = 0; i < n; i++) place[old[i]] = i;
  place[n] = n;
  for (int i = 0; i < n; i++) {
    parent[i] = place[tree->parent[old[i]]];
    below[i] = tree->below[old[i]];
  }
  memcpy(tree->parent, parent, (size_t)n * sizeof *parent);
  memcpy(tree->below, below, (size_t)n * sizeof *below);
  for (int i = 0; i < n; i++) place[i] = lu->perm[old[i]];
  memcpy(lu->perm, place, (size_t)n * sizeof *place);
  for (int i = 0; i < n; i++) lu->place[lu->perm[i]] = i;
}

static int is_worth(int64_t pivots, int64_t below, int64_t numbers) {
  int64_t held = pivots * (pivots - 1) / 2 + pivots * below;
  int k = 0;
  while (pivots > worth[k].pivots) k++;
  return (double)(held - numbers) <= worth[k].zeros * (double)held;
}

// Fronts from columns with the same rows, and from children whose pivots stand directly before.
static void find_fronts(Fronts *lu, const Tree *tree, int64_t *numbers) {
  int n_fronts = 0;
  for (int i = 0; i < lu->n; i++) {
    int last = n_fronts - 1;
    if (i > 0 && tree->parent[i - 1] == i && tree->below[i - 1] == tree->below[i] + 1) {
      numbers[last] += tree->below[i];
    } else {
      lu->first[n_fronts] = i;
      numbers[n_fronts++] = tree->below[i];
      last++;
    }
    int ends =
        i + 1 == lu->n || tree->parent[i] != i + 1 || tree->below[i] != tree->below[i + 1] + 1;
    for (; ends && last > 0; last--) {
      int before = lu->first[last] - 1;
      int64_t both = numbers[last] + numbers[last - 1];
      if (tree->parent[before] > i || !is_worth(i + 1 - lu->first[last - 1], tree->below[i], both))
        break;
      numbers[last - 1] = both;
      n_fronts--;
    }
  }
  lu->n_fronts = n_fronts;
  lu->first[n_fronts] = lu->n;
}

// Rows of each front behind its pivots, increasing; counts alone where lu->row is NULL.
static void find_rows(Fronts *lu, const Problem *p, const int32_t *front_of, int64_t *at,
                      int32_t *mark) {
  for (int f = 0; f < lu->n_fronts; f++) mark[f] = -1;
  for (int i = 0; i < lu->n; i++) {
    int contact = lu->perm[i], own = front_of[i];
    for (int64_t e = p->blocks.ptr[contact]; e < p->blocks.ptr[contact + 1]; e++) {
      int k = lu->place[p->blocks.col[e]];
      if (k > i) continue;
      for (int f = front_of[k]; f != own && mark[f] != i; f = lu->parent[f]) {
        mark[f] = i;
        if (lu->row) lu->row[at[f]] = i;
        at[f]++;
      }
    }
  }
}

// Position of a place in front f.
static int position(const Fronts *lu, int f, int place) {
  int pivots = lu->first[f + 1] - lu->first[f];
  if (place < lu->first[f + 1]) return place - lu->first[f];
  const int32_t *row = lu->row + lu->row_ptr[f];
  int low = 0, high = (int)(lu->row_ptr[f + 1] - lu->row_ptr[f]) - 1;
  while (low < high) {
    int mid = (low + high) / 2;
    if (row[mid] < place)
      low = mid + 1;
    else
      high = mid;
  }
  return pivots + low;
}

// The fronts' places of all blocks of W.
static void place_entries(Fronts *lu, const Problem *p, const int32_t *front_of, int64_t *at) {
  int dim = lu->dim;
  memset(lu->entry_ptr, 0, ((size_t)lu->n_fronts + 1) * sizeof *lu->entry_ptr);
  for (int pass = 0; pass < 2; pass++) {
    for (int contact = 0; contact < lu->n; contact++)
      for (int64_t e = p->blocks.ptr[contact] - 1; e < p->blocks.ptr[contact + 1]; e++) {
        int diagonal = e < p->blocks.ptr[contact], i = lu->place[contact];
        int j = diagonal ? i : lu->place[p->blocks.col[e]], f = front_of[i < j ? i : j];
        if (pass == 0) {
          lu->entry_ptr[f + 1]++;
          continue;
        }
        int64_t step =
            front_step(dim, lu->first[f + 1] - lu->first[f] + lu->row_ptr[f + 1] - lu->row_ptr[f]);
        int64_t to = position(lu, f, i) * dim * step + position(lu, f, j) * dim;
        lu->entry[at[f]++] = (FrontEntry){diagonal ? -1 : e, contact, (int32_t)to};
      }
    for (int f = 0; pass == 0 && f < lu->n_fronts; f++) {
      lu->entry_ptr[f + 1] += lu->entry_ptr[f];
      at[f] = lu->entry_ptr[f];
    }
  }
}

// Where numbers stand, and the work; returns the room that fronts and their left-overs need.
static void sizes(Fronts *lu, int64_t *front, int64_t *stack, int64_t *top) {
  int64_t dim = lu->dim, used = 0;
  int n_top = 0;
  *front = *stack = 0;
  lu->l_at[0] = lu->u_at[0] = 0;
  for (int f = 0; f < lu->n_fronts; f++) {
    int64_t pivots = lu->first[f + 1] - lu->first[f], rows = lu->row_ptr[f + 1] - lu->row_ptr[f];
    int64_t all = (pivots + rows) * front_step((int)dim, pivots + rows) * dim;
    lu->l_at[f + 1] = lu->l_at[f] + rows * pivots * dim * dim;
    lu->u_at[f + 1] = lu->u_at[f] + pivots * (pivots + rows) * dim * dim;
    if (all > *front) *front = all;
    for (int64_t k = 0; k < pivots; k++) {
      int64_t below = pivots - 1 - k + rows;
      lu->updates += below * (below + 1);
    }
    while (n_top > 0 && lu->parent[top[n_top - 1]] == f) {
      int child = (int)top[--n_top];
      int64_t left = (lu->row_ptr[child + 1] - lu->row_ptr[child]) * dim;
      used -= left * left;
    }
    if (front_leads_on(lu, f)) continue;
    used += rows * rows * dim * dim;
    if (used > *stack) *stack = used;
    top[n_top++] = f;
  }
}

static Status take_memory(Fronts *lu, int64_t front, int64_t stack, Arena *arena, Err *err) {
  int64_t dim = lu->dim, widest = 0;
  for (int f = 0; f < lu->n_fronts; f++) {
    int64_t all = lu->first[f + 1] - lu->first[f] + lu->row_ptr[f + 1] - lu->row_ptr[f];
    if (all > widest) widest = all;
  }
  widest *= dim;
  ARENA_NEW(lu->l, lu->l_at[lu->n_fronts] + FRONT_PAD, arena, err);
  ARENA_NEW(lu->u, lu->u_at[lu->n_fronts] + FRONT_PAD, arena, err);
  ARENA_NEW(lu->inverse, lu->n * dim * dim, arena, err);
  ARENA_NEW(lu->live, lu->n * dim, arena, err);
  for (int k = 0; k < 2; k++) ARENA_NEW(lu->front[k], front, arena, err);
  ARENA_NEW(lu->stack, stack + 1, arena, err);
  ARENA_NEW(lu->panel, widest * (FRONT_PANEL + FRONT_PAD), arena, err);
  ARENA_NEW(lu->square, FRONT_PANEL * (FRONT_PANEL + FRONT_PAD), arena, err);
  ARENA_NEW(lu->front_live, widest, arena, err);
  ARENA_NEW(lu->waiting, lu->n_fronts + 1, arena, err);
  ARENA_NEW(lu->list, widest + FRONT_PANEL, arena, err);
  ARENA_NEW(lu->count, widest + FRONT_PANEL, arena, err);
  lu->widest = widest + FRONT_PAD;
  ARENA_NEW(lu->x, lu->n * dim + 3 * lu->widest, arena, err);
  for (int k = 0; k < widest + FRONT_PANEL; k++) lu->count[k] = k;
  memset(lu->l + lu->l_at[lu->n_fronts], 0, FRONT_PAD * sizeof *lu->l); // read, times zero
  memset(lu->u + lu->u_at[lu->n_fronts], 0, FRONT_PAD * sizeof *lu->u);
  return OK;
}

Status fronts_init(Fronts *lu, const Problem *p, const int32_t *perm, int64_t largest, Arena *arena,
                   Err *err) {
  int n = p->n;
  *lu = (Fronts){.dim = p->dim, .n = n};
  Tree tree = {0};
  int32_t *front_of, *old;
  int64_t *at, front, stack;
  ARENA_NEW(lu->perm, n, arena, err);
  ARENA_NEW(lu->place, n, arena, err);
  ARENA_NEW(lu->first, n + 1, arena, err);
  ARENA_NEW(lu->parent, n + 1, arena, err);
  ARENA_NEW(lu->row_ptr, n + 1, arena, err);
  ARENA_NEW(lu->entry_ptr, n + 1, arena, err);
  ARENA_NEW(lu->l_at, n + 1, arena, err);
  ARENA_NEW(lu->u_at, n + 1, arena, err);
  ARENA_NEW(at, n + 1, arena, err);
  ARENA_NEW(front_of, n + 1, arena, err);
  ARENA_NEW(old, n + 1, arena, err);
  TRY(tree_init(&tree, n, arena, err));
  memcpy(lu->perm, perm, (size_t)n * sizeof *perm);
  for (int i = 0; i < n; i++) lu->place[lu->perm[i]] = i;
  elimination_tree(lu->n, lu->perm, lu->place, p, tree.parent, tree.mark);
  count_below(lu, p, &tree);
  order_children(n, &tree, old);
  reorder(lu, &tree, old);
  find_fronts(lu, &tree, at);
  for (int f = 0; f < lu->n_fronts; f++)
    for (int i = lu->first[f]; i < lu->first[f + 1]; i++) front_of[i] = f;
  front_of[n] = lu->n_fronts;
  for (int f = 0; f < lu->n_fronts; f++)
    lu->parent[f] = front_of[tree.parent[lu->first[f + 1] - 1]];
  memset(at, 0, ((size_t)n + 1) * sizeof *at);
  find_rows(lu, p, front_of, at, tree.mark);
  lu->row_ptr[0] = 0;
  for (int f = 0; f < lu->n_fronts; f++) {
    int64_t pivots = lu->first[f + 1] - lu->first[f];
    lu->row_ptr[f + 1] = lu->row_ptr[f] + at[f];
    lu->entries += pivots * (pivots - 1) / 2 + pivots * at[f];
    at[f] = lu->row_ptr[f];
  }
  if (lu->entries > largest) return OK;
  ARENA_NEW(lu->row, lu->row_ptr[lu->n_fronts] + 1, arena, err);
  ARENA_NEW(lu->in_parent, lu->row_ptr[lu->n_fronts] + 1, arena, err);
  ARENA_NEW(lu->entry, p->blocks.ptr[n] + n, arena, err);
  find_rows(lu, p, front_of, at, tree.mark);
  for (int f = 0; f < lu->n_fronts; f++)
    for (int64_t k = lu->row_ptr[f]; k < lu->row_ptr[f + 1]; k++)
      lu->in_parent[k] = position(lu, lu->parent[f], lu->row[k]);
  place_entries(lu, p, front_of, at);
  sizes(lu, &front, &stack, at);
  return take_memory(lu, front, stack, arena, err);
}
