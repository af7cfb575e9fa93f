/* SPDX-License-Identifier: MIT */
/*
** luac_map.h -- where what is in a chunk of PUC's `luac`
*/
#ifndef TESTS_CHUNKS_LUAC_MAP_H
#define TESTS_CHUNKS_LUAC_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef void LuacPlaceFn(void *context, size_t at, bool is_instruction);

/* Calls the function for each instruction, and for each byte that is a count, a
** type or a flag.  False if the format is another one. */
bool luac_map(const unsigned char *bytes, size_t size, LuacPlaceFn *f,
              void *context);

/* Changes one field of an instruction: opcode, A, k, B, C or the 17 bits of
** Bx. */
uint32_t luac_change_field(uint32_t word, uint64_t (*random)(void));

#endif
