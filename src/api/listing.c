/* SPDX-License-Identifier: MIT */
/*
** listing.c -- the API: penumbra.h, instructions as text
*/
#include "bytecode/listing.h"

#include <string.h>

#include "api/api_impl.h"

void api_write_text(void *context, const char *text) {
  TextTarget *to = context;
  if (to->status == 0)
    to->status = to->writer(to->L, text, strlen(text), to->data);
}

LUA_API int penumbra_listcode(lua_State *L, int full, lua_Writer writer,
                              void *data) {
  API_CHECK_COUNT(L, 1);
  const Value *v = L->top - 1;
  if (!value_is_lua_closure(v)) return 1;
  TextTarget to = {L, writer, data, 0};
  listing_write(value_lua_closure(v)->proto,
                (ListingOptions){.nested = true, .full = full != 0},
                api_write_text, &to);
  return to.status;
}
