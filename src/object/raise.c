/* SPDX-License-Identifier: MIT */
/*
** raise.c -- errors: throwing, catching, and where they happened
*/
#include "object/raise.h"

#include <stdlib.h>
#include <string.h>

#include "object/budget.h"
#include "object/format.h"
#include "object/object_impl.h"

/* -- Throwing -------------------------------------------------------------- */

/* Units of a budget: a message is made, and frames are left. */
enum { RAISE_UNITS = 500 };

/* A thread outside any protected call passes its error to the main thread. */
static _Noreturn void throw_unprotected(lua_State *L, int status) {
  lua_State *main = L->global->main;
  L->status = (uint8_t)status;
  if (main != L && main->catcher) {
    /* This may skip resumes of other threads, which end without a notice. */
    L->global->budget.resumes = NULL;
    L->global->budget.outermost = NULL;
    value_copy(main->top, L->top - 1);
    main->top++;
    raise_throw(main, status);
  }
  if (L->global->panic) L->global->panic(L);
  abort(); /* not covered: the counts end with the process */
}

void raise_throw(lua_State *L, int status) {
  budget_charge(L, RAISE_UNITS);
  RaisePoint *point = L->catcher;
  if (!point) throw_unprotected(L, status);
  point->status = status;
  point->thread = L;
#if PENUMBRA_MACHINE
  L->global->machine_calls = false;
#endif
  jump_to(point);
}

void raise_value(lua_State *L) {
  if (UNLIKELY(L->global->on_error != NULL)) L->global->on_error(L);
  if (L->handler != 0) L->global->call_handler(L);
  raise_throw(L, STATUS_ERROR);
}

/* The stack is that of an error: what comes next is the throw. */
void raise_witnessed(lua_State *L, int status) {
  const Global *g = L->global;
  if (LIKELY(!g->witness)) return;
  L->top = stack_live_top(L);
  g->witness(L, g->witness_data, status);
}

void raise_memory(lua_State *L) {
  raise_witnessed(L, STATUS_ERROR_MEMORY);
  raise_throw(L, STATUS_ERROR_MEMORY);
}

/* -- Catching -------------------------------------------------------------- */

int raise_protect_shared(lua_State *L, RaiseBody *body, void *data,
                         lua_State **raiser) {
  uint16_t c_calls = L->c_calls;
  RaisePoint point;
  point.status = STATUS_OK;
  point.thread = L;
  point.previous = L->catcher;
  L->catcher = &point;
  jump_catch(&point, L, body, data);
  L->catcher = point.previous;
  L->c_calls = c_calls;
  *raiser = point.thread;
  return point.status;
}

int raise_protect(lua_State *L, RaiseBody *body, void *data) {
  lua_State *raiser;
  return raise_protect_shared(L, body, data, &raiser);
}

/* not covered: only where errors are C++ exceptions */
static void foreign_body(lua_State *L, void *message) {
  L->top = stack_live_top(L);
  format_push(L, "%s", (const char *)message);
  raise_value(L);
}

/* The running thread raises the error if it shares the catcher.
** unreached: only where errors are C++ exceptions */
void raise_foreign(lua_State *L, RaisePoint *point, const char *message) {
  lua_State *running = thread_running(L);
  if (running->catcher == point) L = running;
  gc_stack_switch(gc_of(L), thread_cell(L));
  point->thread = L;
  point->status = raise_protect(L, foreign_body, (void *)(uintptr_t)message);
}

void raise_error_value(lua_State *L, int status, Value *slot) {
  switch (status) {
    case STATUS_ERROR_MEMORY:
      value_set_string(slot, L->global->memory_message);
      break;
    case STATUS_ERROR_HANDLER:
      value_set_string(slot, L->global->handler_message);
      break;
    case STATUS_OK: value_set_nil(slot); break;
    default: value_copy(slot, L->top - 1); break;
  }
  L->top = slot + 1;
}

/* -- Positions ------------------------------------------------------------- */

static char *append(char *to, const char *bytes, size_t length) {
  memcpy(to, bytes, length);
  return to + length;
}

/* For =text and @file: the text itself, cut if it does not fit.  The end of a
** file name is kept, and the beginning of a text. */
static void id_of_name(char *id, const char *name, size_t length, bool file) {
  size_t capacity = SOURCE_ID_SIZE - 1;
  if (length > capacity && file) {
    id = append(id, "...", 3);
    capacity -= 3;
    name += length - capacity;
    length = capacity;
  }
  *append(id, name, size_min(length, capacity)) = '\0';
}

/* Any other source is the chunk itself: [string "its first line..."]. */
static void id_of_text(char *id, const char *text, size_t length) {
  static const char start[] = "[string \"", dots[] = "...", end[] = "\"]";
  size_t capacity =
      SOURCE_ID_SIZE - sizeof start - sizeof dots - sizeof end + 2;
  const char *line_end = memchr(text, '\n', size_min(length, capacity));
  id = append(id, start, sizeof start - 1);
  if (length < capacity && !line_end) {
    id = append(id, text, length);
  } else {
    if (line_end) length = (size_t)(line_end - text);
    id = append(id, text, size_min(length, capacity));
    id = append(id, dots, sizeof dots - 1);
  }
  append(id, end, sizeof end);
}

void source_to_id(char id[SOURCE_ID_SIZE], const char *source, size_t length) {
  if (*source == '=' || *source == '@')
    id_of_name(id, source + 1, length - 1, *source == '@');
  else
    id_of_text(id, source, length);
}

const char *raise_add_position(lua_State *L, const char *message,
                               const String *source, int line) {
  char id[SOURCE_ID_SIZE];
  if (source)
    source_to_id(id, string_bytes(source), string_length(source));
  else
    memcpy(id, "?", 2);
  return format_push(L, "%s:%d: %s", id, line, message);
}

/* The saved pc is after the instruction; all its words have the same line. */
static int frame_line(const Frame *f) {
  const Proto *p = frame_closure(f)->proto;
  if (f->u.lua.pc == p->code) return proto_line(p, 0);
  return proto_line(p, (size_t)(f->u.lua.pc - p->code) - 1);
}

void raise_error(lua_State *L, const char *format, ...) {
  va_list list;
  L->top = stack_live_top(L); /* above the registers in use */
  va_start(list, format);
  const char *message = format_push_list(L, format, list);
  va_end(list);
  if (frame_is_lua(L->frame)) {
    const Proto *p = frame_closure(L->frame)->proto;
    raise_add_position(L, message, p->source, frame_line(L->frame));
    value_copy(L->top - 2, L->top - 1);
    L->top--;
  }
  raise_value(L);
}
