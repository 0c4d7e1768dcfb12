// output/physics.h -- a hash of what a run is to its user, whatever the layout of its state.
//
// Equal hashes mean equal bits of the history, of the positions and velocities of all nodes body by
// body, and of the impulses of the contacts of the last step in the order of bodies and place.
// state_hash also sees how the state is stored; this one stays when only that changes.

#ifndef OUTPUT_PHYSICS_H
#define OUTPUT_PHYSICS_H

#include "step/step.h"

// `history`: the path of the written history; NULL: none. Without a last step (`work` is new) no
// contacts.
Status physics_hash(const Model *model, const State *state, const StepWork *work,
                    const char *history, uint64_t *hash, Err *err) MUST_CHECK;

#endif
