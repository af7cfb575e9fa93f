/* SPDX-License-Identifier: MIT */
/*
** access.h -- reading and writing fields, with metamethods
**
** For the API.  The loop has its own fast paths, and uses the functions of
** access_impl.h.  `slot` is a slot of the stack.  It may be the slot of the
** object or of the key.  The stack may move.
*/
#ifndef PENUMBRA_VM_ACCESS_H
#define PENUMBRA_VM_ACCESS_H

#include "object/thread.h"

/* slot := object[key].  Raises if the object cannot be indexed. */
void access_get(lua_State *L, const Value *object, const Value *key,
                Value *slot);
void access_get_str(lua_State *L, const Value *object, String *key,
                    Value *slot); /* any string */
void access_get_int(lua_State *L, const Value *object, Integer key,
                    Value *slot);

/* object[key] := value.  `key` and `value` are anchored. */
void access_set(lua_State *L, const Value *object, const Value *key,
                const Value *value);
void access_set_str(lua_State *L, const Value *object, String *key,
                    const Value *value);
void access_set_int(lua_State *L, const Value *object, Integer key,
                    const Value *value);

/* slot := #object. */
void access_length(lua_State *L, const Value *object, Value *slot);

#endif
