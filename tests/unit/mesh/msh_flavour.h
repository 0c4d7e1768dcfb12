// Writers of every flavour of .msh for the tests of the reader: one routine, numbers in text or
// bytes. Node k gets the tag 10 + 3 k, so tags have gaps; each item of 4.1 is an entity of its own.
#ifndef TESTS_MSH_FLAVOUR_H
#define TESTS_MSH_FLAVOUR_H

#include <stdio.h>

#include "mesh/mesh.h"

typedef struct {
  int is_41, binary, swapped, size_size;
} Flavour;

void msh_write_flavour(FILE *file, const Mesh *mesh, Flavour flavour);

#endif
