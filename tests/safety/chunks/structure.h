/* SPDX-License-Identifier: MIT */
/*
** structure.h -- chunks that are changed as functions, not as bytes
*/
#ifndef TESTS_CHUNKS_STRUCTURE_H
#define TESTS_CHUNKS_STRUCTURE_H

#include <stddef.h>
#include <stdint.h>

/* Takes a chunk apart and keeps it, to make mutants of it.  Ends the process if
** the format is not what it was. */
void structure_add(const unsigned char *bytes, size_t size);

/* A mutant of one of them: a new chunk that the caller frees.  `random` returns
** random bits. */
unsigned char *structure_mutant(uint64_t (*random)(void), size_t *size);

#endif
