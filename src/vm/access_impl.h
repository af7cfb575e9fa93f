/* SPDX-License-Identifier: MIT */
/*
** access_impl.h -- following __index and __newindex up to a call
**
** What is found without calling anything is done at once.  A metamethod to be
** called is handed back, because the API and the loop call differently.
*/
#ifndef PENUMBRA_VM_ACCESS_IMPL_H
#define PENUMBRA_VM_ACCESS_IMPL_H

#include "object/thread.h"

/* A call to be made: method(self, key [, value]). */
typedef struct AccessCall {
  Value method;
  Value self;
} AccessCall;

/* True, and the value (perhaps nil) is in `out`; or false, and there is a call
** to be made.  Raises if the object cannot be indexed. */
bool access_find(lua_State *L, const Value *object, const Value *key,
                 Value *out, AccessCall *call);

/* The same for a table which does not hold the key itself. */
bool access_find_beyond(lua_State *L, const Value *object, const Value *key,
                        Value *out, AccessCall *call);

/* True, and the value has been stored; or false, as above. */
bool access_store(lua_State *L, const Value *object, const Value *key,
                  const Value *value, AccessCall *call);

/* True, and the length is in `out`; or false, and the method to be called. */
bool access_find_length(lua_State *L, const Value *object, Value *out,
                        Value *method);

#endif
