/* SPDX-License-Identifier: MIT */
/*
** access_impl.h -- following __index and __newindex up to a call
**
** These functions finish an access that calls nothing.  Otherwise they return
** the metamethod, because the API and the loop call it in different ways.
*/
#ifndef PENUMBRA_VM_ACCESS_IMPL_H
#define PENUMBRA_VM_ACCESS_IMPL_H

#include "object/budget.h"

/* The longest chain of __index or __newindex objects. */
enum { ACCESS_CHAIN_MAX = 2000 };

/* Charges for a level of a chain that is not short. */
static ALWAYS_INLINE void access_charge(const lua_State *L, int level) {
  enum { SHORT = 4, UNITS = 8 };
  if (UNLIKELY(level > SHORT)) budget_charge(L, UNITS);
}

/* The call that the caller must make: method(self, key [, value]). */
typedef struct AccessCall {
  Value method;
  Value self;
} AccessCall;

/* True: the value, perhaps nil, is in `out`.  False: the caller must make
** `call`.  Raises if the object cannot be indexed. */
bool access_find(lua_State *L, const Value *object, const Value *key,
                 Value *out, AccessCall *call);

/* The same for a table that does not hold the key itself. */
bool access_find_beyond(lua_State *L, const Value *object, const Value *key,
                        Value *out, AccessCall *call);

/* True: the value is stored.  False: the caller must make `call`. */
bool access_store(lua_State *L, const Value *object, const Value *key,
                  const Value *value, AccessCall *call);

/* The same for a table that does not hold the key itself. */
bool access_store_beyond(lua_State *L, const Value *object, const Value *key,
                         const Value *value, AccessCall *call);

/* True: the length is in `out`.  False: the caller must call `method`. */
bool access_find_length(lua_State *L, const Value *object, Value *out,
                        Value *method);

#endif
