// contact/side_depth.h -- how deep faces and edges lie in rigid tools: held, gone through, or sunk
// in between nodes that alone are held; not for other rooms.
#ifndef CONTACT_SIDE_DEPTH_H
#define CONTACT_SIDE_DEPTH_H

#include "contact/pair_type.h"

// Of contact c of a side (PairType.measure).
void contact_side_measure(const Measure *of, int c);

// Of all faces and edges that are not held.
void contact_sides_in_tools(const Measure *of);

// The same at the start, of those of a body in one tool; `reach`: no farther behind its surface.
double contact_side_depth(const ContactModel *cm, const BodySet *bs, int body, const Tool *tool,
                          double reach);

#endif
