/* SPDX-License-Identifier: MIT */
/*
** luac_map.c -- where what is in a chunk of PUC's `luac`
*/
#include "luac_map.h"

enum { HEADER = 31, WORD = 4, NUMBER = 8 };

typedef struct Place {
  const unsigned char *bytes;
  size_t size, at;
  LuacPlaceFn *f;
  void *context;
} Place;

static unsigned place_byte(Place *p) {
  if (p->at >= p->size) return 0;
  p->f(p->context, p->at, false);
  return p->bytes[p->at++];
}

static uint64_t place_size(Place *p) {
  uint64_t n = 0;
  p->f(p->context, p->at, false);
  while (p->at < p->size) {
    unsigned byte = p->bytes[p->at++];
    n = n << 7 | (byte & 0x7f);
    if (byte & 0x80) break;
  }
  return n;
}

static void place_string(Place *p) {
  uint64_t size = place_size(p);
  if (size > 0) p->at += (size_t)size - 1;
}

static void place_constant(Place *p) {
  switch (place_byte(p)) {
    case 0x03:
    case 0x13: p->at += NUMBER; break;
    case 0x04:
    case 0x14: place_string(p); break;
    default: break;
  }
}

static void place_function(Place *p) {
  place_string(p);
  place_size(p);
  place_size(p);
  for (int i = 0; i < 3; i++) place_byte(p);
  for (uint64_t n = place_size(p); n > 0; n--, p->at += WORD)
    p->f(p->context, p->at, true);
  for (uint64_t n = place_size(p); n > 0; n--) place_constant(p);
  for (uint64_t n = place_size(p); n > 0; n--)
    for (int i = 0; i < 3; i++) place_byte(p);
  for (uint64_t n = place_size(p); n > 0; n--) place_function(p);
  for (uint64_t n = place_size(p); n > 0; n--) place_byte(p);
  for (uint64_t n = place_size(p); n > 0; n--) {
    place_size(p);
    place_size(p);
  }
  for (uint64_t n = place_size(p); n > 0; n--) {
    place_string(p);
    place_size(p);
    place_size(p);
  }
  for (uint64_t n = place_size(p); n > 0; n--) place_string(p);
}

bool luac_map(const unsigned char *bytes, size_t size, LuacPlaceFn *f,
              void *context) {
  Place p = {bytes, size, HEADER, f, context};
  place_byte(&p);
  place_function(&p);
  return p.at == size;
}

uint32_t luac_change_field(uint32_t word, uint64_t (*random)(void)) {
  static const struct {
    unsigned shift, bits;
  } fields[] = {{0, 7}, {7, 8}, {15, 1}, {16, 8}, {24, 8}, {15, 17}, {7, 25}};
  unsigned n = (unsigned)(random() % (sizeof fields / sizeof *fields));
  uint32_t mask = ((UINT32_C(1) << fields[n].bits) - 1) << fields[n].shift;
  uint32_t old = (word & mask) >> fields[n].shift, new = 0;
  switch (random() % 4) {
    case 0: new = old + 1; break;
    case 1: new = old - 1; break;
    case 2: new = (uint32_t)(random() % 8); break;
    default: new = (uint32_t)random();
  }
  return (word & ~mask) | (new << fields[n].shift &mask);
}
