/* SPDX-License-Identifier: MIT */
/*
** worklist.c -- growing and shrinking the collector's lists
**
**      first                                     last
**      +---------------+    +---------------+    +---------------+
**      |....oooooooooooo| -> |oooooooooooooooo| -> |oooooo.........|
**      +----^----------+    +---------------+    +------^--------^
**           bottom                                      top      limit
*/
#include "gc/gc_impl.h"

/* -- Segments -------------------------------------------------------------- */

static WorkSegment *segment_take(Gc *gc) {
  WorkSegment *segment = gc->spare_segments;
  if (!segment) return heap_pages_allocate(&gc->heap, SEGMENT_PAGES);
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
  heap_pages_free(&gc->heap, segment, SEGMENT_PAGES);
  return true;
}

/* -- Ends ------------------------------------------------------------------ */

/* Makes `segment` the last one, with `words` words in it. */
static void set_last(Worklist *list, WorkSegment *segment, size_t words) {
  list->last = segment;
  list->top = segment->word + words;
  list->limit = segment->word + SEGMENT_WORDS;
}

bool worklist_grow(Gc *gc, Worklist *list) {
  WorkSegment *segment = segment_take(gc);
  if (!segment) return false;
  segment->next = NULL;
  segment->previous = list->last;
  if (list->last) {
    list->last->next = segment;
  } else {
    list->first = segment;
    list->bottom = segment->word;
  }
  set_last(list, segment, 0);
  list->segments++;
  return true;
}

void worklist_drop_last(Gc *gc, Worklist *list) {
  WorkSegment *segment = list->last;
  segment->previous->next = NULL;
  set_last(list, segment->previous, SEGMENT_WORDS);
  list->segments--;
  segment_give(gc, segment);
}

static void worklist_drop_first(Gc *gc, Worklist *list) {
  WorkSegment *segment = list->first;
  list->first = segment->next;
  list->first->previous = NULL;
  list->bottom = list->first->word;
  list->segments--;
  segment_give(gc, segment);
}

/* Makes an empty list start at the beginning of its only segment. */
static void worklist_rewind(Worklist *list) {
  list->top = list->bottom = list->first->word;
}

uintptr_t worklist_shift(Gc *gc, Worklist *list) {
  uintptr_t word = *list->bottom++;
  if (list->bottom == list->first->word + SEGMENT_WORDS &&
      list->first != list->last)
    worklist_drop_first(gc, list);
  if (worklist_is_empty(list)) worklist_rewind(list);
  return word;
}

void worklist_free(Gc *gc, Worklist *list) {
  while (list->first) {
    WorkSegment *segment = list->first;
    list->first = segment->next;
    heap_pages_free(&gc->heap, segment, SEGMENT_PAGES);
  }
  *list = (Worklist){0};
}

/* -- Walking --------------------------------------------------------------- */

uintptr_t *worklist_next(const Worklist *list, WorkPlace *place) {
  if (!place->segment) return NULL;
  if (place->segment == list->last)
    return place->word < list->top ? place->word++ : NULL;
  if (place->word == place->segment->word + SEGMENT_WORDS) {
    place->segment = place->segment->next;
    place->word = place->segment->word;
    return worklist_next(list, place);
  }
  return place->word++;
}

uintptr_t *worklist_back(const Worklist *list, WorkPlace *place) {
  if (!place->segment) return NULL;
  if (place->segment == list->first)
    return place->word > list->bottom ? --place->word : NULL;
  if (place->word == place->segment->word) {
    place->segment = place->segment->previous;
    place->word = place->segment->word + SEGMENT_WORDS;
    return worklist_back(list, place);
  }
  return --place->word;
}

void worklist_truncate(Gc *gc, Worklist *list, WorkPlace place, size_t count) {
  if (!place.segment) return;
  if (place.word == place.segment->word && place.segment != list->first) {
    place.segment = place.segment->previous;
    place.word = place.segment->word + SEGMENT_WORDS;
  }
  if (place.segment != list->last) {
    list->last->next = gc->spare_segments;
    gc->spare_segments = place.segment->next;
    place.segment->next = NULL;
  }
  size_t before = (size_t)(list->bottom - list->first->word);
  set_last(list, place.segment, (size_t)(place.word - place.segment->word));
  list->segments = count ? (before + count - 1) / SEGMENT_WORDS + 1 : 1;
  if (count == 0) worklist_rewind(list);
}
