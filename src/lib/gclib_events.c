/* SPDX-License-Identifier: MIT */
/*
** gclib_events.c -- the library `penumbra.gc`: events for Lua programs
**
** The collector reports an event while it is at work, when no Lua code may run.
** So the listener writes the event into a ring, a userdata made beforehand, and
** the program takes it from there at any time (gc.poll).  If the ring is full,
** the oldest events are lost, and counted.
**
** gc.listen calls a function after each cycle.  It uses a sentinel that is
** garbage from its creation: its finalizer calls the function and makes the
** next sentinel.  Finalizers run where Lua code may run.
**
** An existing listener of the host still gets all events.
*/

#include "gclib_impl.h"

enum { RING_DEFAULT = 256, RING_MAX = 1 << 20 };

typedef struct EventRing {
  penumbra_Listener previous; /* of the host, or NULL */
  void *previous_data;
  lua_Unsigned lost;
  size_t size;
  size_t first; /* the oldest event */
  size_t count;
  penumbra_Event event[1]; /* `size` of them */
} EventRing;

/* Their addresses are keys of the registry. */
static const char ring_key = 'r';
static const char listener_key = 'l';

/* -- The ring ------------------------------------------------------------ */

static void ring_add(void *ud, const penumbra_Event *event) {
  EventRing *ring = ud;
  if (ring->previous) ring->previous(ring->previous_data, event);
  if (ring->count == ring->size) {
    ring->first = (ring->first + 1) % ring->size;
    ring->count--;
    ring->lost++;
  }
  ring->event[(ring->first + ring->count) % ring->size] = *event;
  ring->count++;
}

/* Takes the oldest event; false if there is none. */
static bool ring_take(EventRing *ring, penumbra_Event *event) {
  if (ring->count == 0) return false;
  *event = ring->event[ring->first];
  ring->first = (ring->first + 1) % ring->size;
  ring->count--;
  return true;
}

/* The ring of the state, or NULL. The registry keeps it alive. */
static EventRing *ring_get(lua_State *L) {
  lua_rawgetp(L, LUA_REGISTRYINDEX, &ring_key);
  EventRing *ring = lua_touserdata(L, -1);
  lua_pop(L, 1);
  return ring;
}

/* Restores the host's listener. */
static void ring_remove(lua_State *L) {
  const EventRing *ring = ring_get(L);
  if (!ring) return;
  penumbra_setlistener(L, ring->previous, ring->previous_data);
  gclib_clear(L, &ring_key);
}

/* A finalizer may install another ring while this one is made. */
static void ring_install(lua_State *L, size_t size) {
  EventRing *ring = lua_newuserdatauv(
      L, sizeof(EventRing) + (size - 1) * sizeof(penumbra_Event), 0);
  ring->size = size;
  ring->first = ring->count = 0;
  ring->lost = 0;
  ring_remove(L);
  gclib_clear(L, &ring_key);
  ring->previous = penumbra_getlistener(L, &ring->previous_data);
  penumbra_setlistener(L, ring_add, ring);
  lua_rawsetp(L, LUA_REGISTRYINDEX, &ring_key);
}

/* gc.events(size) begins to record events, gc.events(false) stops. */
int gclib_events(lua_State *L) {
  const bool stop = lua_isboolean(L, 1) && !lua_toboolean(L, 1);
  const lua_Integer size = stop ? 1 : luaL_optinteger(L, 1, RING_DEFAULT);
  luaL_argcheck(L, size >= 1 && size <= RING_MAX, 1, "size out of range");
  if (stop)
    ring_remove(L);
  else
    ring_install(L, (size_t)size);
  return 0;
}

/* -- Taking events ------------------------------------------------------- */

static void push_event(lua_State *L, const penumbra_Event *event) {
  static const char *const names[] = {
      "cycle begin", "cycle end", "phase",   "step",
      "large",       "emergency", "collect",
  };
  lua_createtable(L, 0, 9);
  lua_pushstring(L, names[event->type]);
  lua_setfield(L, -2, "type");
  lua_pushstring(L, event->phase_name);
  lua_setfield(L, -2, "phase");
  lua_pushboolean(L, event->minor);
  lua_setfield(L, -2, "minor");
  gclib_set(L, "bytes", event->bytes);
  gclib_set_time(L, "at", event->time);
  gclib_set_time(L, "cpu", event->cpu);
  if (event->type != PENUMBRA_STEP && event->type != PENUMBRA_COLLECT) return;
  gclib_set(L, "work", event->work);
  gclib_set_time(L, "time", event->nanoseconds);
  lua_pushstring(L, event->cause);
  lua_setfield(L, -2, "cause");
}

/* Pushes the events that are in the ring now.  Events that occur while the
** tables are made stay for the next call. */
static void push_events(lua_State *L, EventRing *ring) {
  penumbra_Event event;
  const size_t count = ring->count;
  lua_createtable(L, (int)count, 0);
  for (size_t i = 1; i <= count && ring_take(ring, &event); i++) {
    push_event(L, &event);
    lua_rawseti(L, -2, (lua_Integer)i);
  }
}

/* Returns a list of events, oldest first, and how many were lost before
** them. */
int gclib_poll(lua_State *L) {
  EventRing *ring = ring_get(L);
  if (!ring) return luaL_error(L, "events are not noted");
  const lua_Unsigned lost = ring->lost;
  ring->lost = 0;
  push_events(L, ring);
  lua_pushinteger(L, (lua_Integer)lost);
  return 2;
}

/* -- Listening ----------------------------------------------------------- */

static int sentinel_gc(lua_State *L);

/* Makes the next sentinel for the function at idx, which is the listener as
** long as the registry holds it. */
static void sentinel_new(lua_State *L, int idx) {
  idx = lua_absindex(L, idx);
  lua_newuserdatauv(L, 0, 0);
  lua_createtable(L, 0, 1);
  lua_pushvalue(L, idx);
  lua_pushcclosure(L, sentinel_gc, 1);
  lua_setfield(L, -2, "__gc");
  lua_setmetatable(L, -2);
  lua_pop(L, 1);
}

static int sentinel_gc(lua_State *L) {
  const int f = lua_upvalueindex(1);
  lua_rawgetp(L, LUA_REGISTRYINDEX, &listener_key);
  EventRing *ring = ring_get(L);
  if (!lua_rawequal(L, -1, f) || !ring) return 0;
  sentinel_new(L, f);
  lua_pushvalue(L, f);
  lua_call(L, gclib_poll(L), 0);
  return 0;
}

/* gc.listen(f) calls f(events, lost) after each cycle; gc.listen(nil) stops. */
int gclib_listen(lua_State *L) {
  const bool stop = lua_isnoneornil(L, 1);
  if (!stop) luaL_checktype(L, 1, LUA_TFUNCTION);
  lua_settop(L, 1);
  if (!stop && !ring_get(L)) ring_install(L, RING_DEFAULT);
  lua_pushvalue(L, 1);
  lua_rawsetp(L, LUA_REGISTRYINDEX, &listener_key);
  if (!stop) sentinel_new(L, 1);
  return 0;
}
