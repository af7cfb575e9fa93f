/* SPDX-License-Identifier: MIT */
/*
** table_detour.c -- weak tables between their visit and their clearing
**
** See table_impl.h.  A detour lasts from the visit of the table by the marker
** to the end of its clearing, or to the sweep if both keys and values are weak.
** While the collector still marks, everything may be seen; when it clears,
** unmarked objects are dead and must not be.
*/
#include "object/table_impl.h"

DetourPart *detour_leave(Table *t) {
  DetourPart *d = table_weak_detour(t);
  if (!d) return NULL;
  t->array = d->array;
  t->hash = d->hash;
  t->array_size = d->array_size;
  TableParts parts = table_parts(t);
  if (!parts_retired(&parts)) t->cell.user &= (uint8_t)~TABLE_SPECIAL;
  return d;
}

void detour_enter(Table *t, DetourPart *d) {
  if (!d) return;
  d->array = t->array;
  d->hash = t->hash;
  d->array_size = t->array_size;
  t->array = NULL;
  t->array_size = 0;
  t->hash = (HashPart *)(void *)d;
  t->cell.user |= TABLE_SPECIAL;
}

/* Allocates directly from the heap, because the collector is at work. */
bool detour_begin(Gc *gc, Table *t) {
  DetourPart *d = heap_allocate(&gc->heap, sizeof(DetourPart));
  if (!d) return false;
  memset(d, 0, sizeof *d);
  d->cell.kind = KIND_DETOUR_PART;
  d->cell.barrier = gc->newborn.barrier;
  detour_enter(t, d);
  return true;
}

bool detour_end(lua_State *L, Table *t) {
  Gc *gc = gc_of(L);
  if (gc->phase >= PHASE_MARK && gc->phase <= PHASE_SWEEP_SET) return false;
  DetourPart *d = detour_leave(t);
  if (d) gc_free_part(gc, d, sizeof *d);
  return !(t->cell.user & TABLE_SPECIAL);
}

/* Strings are values, not objects: they are never dead, only not marked yet. */
bool detour_shows(Gc *gc, Payload as, unsigned tag) {
  if (!tag_is_collectable(tag)) return true;
  if (tag_is_string(tag)) {
    gc_revive_leaf(gc, as.cell);
    return true;
  }
  return !gc_unmarked_is_dead(gc) || gc_is_reached(as.cell);
}

bool detour_shows_node(Gc *gc, const Node *n) {
  if (n->value_tag == TAG_NIL) return false;
  if (!detour_shows(gc, n->value, n->value_tag) ||
      !detour_shows(gc, n->key, n->key_tag))
    return false;
  return !tag_is_collectable(n->key_tag) || tag_is_string(n->key_tag) ||
         gc_key_is_visible(gc, n->key.cell);
}

bool detour_shows_slot(Gc *gc, const Slot *slot) {
  return slot->node ? detour_shows_node(gc, slot->node)
                    : detour_shows(gc, *slot->value, *slot->tag);
}
