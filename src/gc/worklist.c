/* SPDX-License-Identifier: MIT */
/*
** worklist.c -- growing and shrinking the collector's lists
**
**      first                                     last
**      +---------------+    +---------------+    +---------------+
**      |....oooooooooooo| -> |oooooooooooooooo| -> |oooooo.........|
**      +----^----------+    +---------------+    +------^--------+
**           read                                        write
*/
#include "gc/gc_impl.h"

/* -- Segments --------------------------------------------------------------- */

static WorkSegment *segment_take(Gc *gc) {
  WorkSegment *segment = gc->spare_segments;
  if (!segment) return heap_raw_allocate(&gc->heap, sizeof *segment);
  gc->spare_segments = segment->next;
  return segment;
}

static void segment_give(Gc *gc, WorkSegment *segment) {
  segment->next = gc->spare_segments;
  gc->spare_segments = segment;
}

bool worklist_trim_spares(Gc *gc) {
  if (!gc->spare_segments || !gc->spare_segments->next) return false;
  WorkSegment *segment = segment_take(gc);
  heap_raw_free(&gc->heap, segment, sizeof *segment);
  return true;
}

/* -- Ends -------------------------------------------------------------------- */

bool worklist_grow(Gc *gc, Worklist *list) {
  WorkSegment *segment = segment_take(gc);
  if (!segment) return false;
  segment->next = NULL;
  segment->previous = list->last;
  if (list->last)
    list->last->next = segment;
  else
    list->first = segment;
  list->last = segment;
  list->write = 0;
  if (list->first == segment) list->read = 0;
  return true;
}

void worklist_drop_last(Gc *gc, Worklist *list) {
  WorkSegment *segment = list->last;
  list->last = segment->previous;
  list->last->next = NULL;
  list->write = SEGMENT_WORDS;
  segment_give(gc, segment);
}

void worklist_drop_first(Gc *gc, Worklist *list) {
  WorkSegment *segment = list->first;
  list->first = segment->next;
  list->first->previous = NULL;
  list->read = 0;
  segment_give(gc, segment);
}

/* An empty list starts at the beginning of its only segment. */
static void worklist_rewind(Worklist *list) { list->read = list->write = 0; }

uintptr_t worklist_shift(Gc *gc, Worklist *list) {
  uintptr_t word = list->first->word[list->read++];
  list->count--;
  if (list->read == SEGMENT_WORDS && list->first != list->last)
    worklist_drop_first(gc, list);
  if (list->count == 0) worklist_rewind(list);
  return word;
}

bool worklist_clear_some(Gc *gc, Worklist *list) {
  if (list->first != list->last) {
    worklist_drop_last(gc, list);
    return false;
  }
  worklist_rewind(list);
  list->count = 0;
  return true;
}

void worklist_free(Gc *gc, Worklist *list) {
  while (list->first) {
    WorkSegment *segment = list->first;
    list->first = segment->next;
    heap_raw_free(&gc->heap, segment, sizeof *segment);
  }
  *list = (Worklist){0};
}

/* -- Walking ------------------------------------------------------------------ */

uintptr_t *worklist_next(const Worklist *list, WorkPlace *place) {
  if (place->segment && place->index == SEGMENT_WORDS &&
      place->segment != list->last) {
    place->segment = place->segment->next;
    place->index = 0;
  }
  if (!place->segment) return NULL;
  if (place->segment == list->last && place->index >= list->write) return NULL;
  return &place->segment->word[place->index++];
}

uintptr_t *worklist_back(const Worklist *list, WorkPlace *place) {
  if (!place->segment) return NULL;
  if (place->segment == list->first && place->index <= list->read) return NULL;
  if (place->index == 0) {
    place->segment = place->segment->previous;
    place->index = SEGMENT_WORDS;
    return worklist_back(list, place);
  }
  return &place->segment->word[--place->index];
}

void worklist_truncate(Gc *gc, Worklist *list, WorkPlace place, size_t count) {
  if (!place.segment) return;
  if (place.index == 0 && place.segment != list->first) {
    place.segment = place.segment->previous;
    place.index = SEGMENT_WORDS;
  }
  if (place.segment != list->last) {
    list->last->next = gc->spare_segments;
    gc->spare_segments = place.segment->next;
    place.segment->next = NULL;
  }
  list->last = place.segment;
  list->write = place.index;
  list->count = count;
  if (count == 0) worklist_rewind(list);
}
