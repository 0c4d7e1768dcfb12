// contact/near.h -- what is near what in space: bodies, then nodes, faces and edges of two of them;
// not for other rooms.
//
// Each body has a margin: what it may move before it is looked at again. A slot is listed where two
// bodies are nearer than contact is foreseen and both their margins, at the positions from which
// each was looked at last. So slots of bodies that stayed within their margins stay as they are.
#ifndef CONTACT_NEAR_H
#define CONTACT_NEAR_H

#include "contact/pair_type.h"

// Two bodies, the earlier one first, whose boxes touch and that have a rule, at least one of them
// to be looked at anew; of a body that deforms also with itself. What is listed of both is nearer
// along `axis` than `reach` to the whole of the other one.
struct BodyPair {
  int32_t body[2];
  double reach;      // what is nearer is listed; of sheets: between middle surfaces       [m]
  double axis[3];    // from the first towards the second
  double from, upto; // what the first has at `from` or beyond, the second before `upto`   [m]
};

// Boxes [6 n] low, high, and whose they are.
typedef struct {
  int n;
  size_t item_capacity, box_capacity;
  int32_t *item;
  double *box;
} BoxList;
void near_free(BoxList *list);
// Calls `meet` once for each box of one list and each of another that touch, with their places:
// box after box of the first, those of the second in no order.
typedef Status (*MeetItems)(void *of, int own, int other, Err *err);
Status near_each(const BoxList *own, const BoxList *other, MeetItems meet, void *of,
                 Err *err) MUST_CHECK;

typedef struct {
  int n;
  size_t capacity;
  BodyPair *pair;
  double *box; // [6 n_bodies]
} NearBodies;
Status near_bodies(const PairSearch *pairs, NearBodies *near, Err *err) MUST_CHECK;
void near_bodies_free(NearBodies *near);

// Lists an item with these nodes of side 0 or 1 of the pair if it may be in reach of the other.
Status near_list(const PairSearch *pairs, const BodyPair *pair, int side, int item,
                 const int32_t *node, int n, BoxList *list, Err *err) MUST_CHECK;

// Slots of a kind of pairs, with two lists as room; in the plane there are none.
typedef Status (*FindSlots)(const PairSearch *pairs, BoxList list[2], ContactWork *work, Err *err);
Status near_search(const PairSearch *pairs, FindSlots find, ContactWork *work, Err *err) MUST_CHECK;

#endif
