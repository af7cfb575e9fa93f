/* SPDX-License-Identifier: MIT */
/*
** collector.c -- random edits of a toy heap, checked by an oracle; the bytes
** are the seed and the settings
*/
#include <stdint.h>
#include <string.h>

#include "toy/world.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  uint8_t bytes[16] = {0};
  static World world;
  memcpy(bytes, data, size < sizeof bytes ? size : sizeof bytes);
  WorldOptions options = {.edits = 200 + 4u * bytes[8],
                          .nodes = bytes[9],
                          .check_every = 1u + bytes[10],
                          .verify = bytes[11] & 1,
                          .failures = bytes[11] & 2,
                          .step_always = bytes[11] & 4,
                          .fail_at = bytes[11] & 8 ? 1u + bytes[12] : 0,
                          .fail_after = bytes[11] & 16};
  memcpy(&options.seed, bytes, sizeof options.seed);
  world_run(&world, &options);
  return 0;
}
