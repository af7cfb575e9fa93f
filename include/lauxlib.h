/* SPDX-License-Identifier: MIT */
/*
** lauxlib.h -- the auxiliary library: conveniences built on lua.h
**
** Section 5 of the Lua 5.4 reference manual.  Everything here is written
** with the functions of lua.h alone; a host could do without it.
*/

#ifndef lauxlib_h
#define lauxlib_h

#include <stddef.h>
#include <stdio.h>

#include "lua.h"

/* -- Names and constants ------------------------------------------------- */

#define LUA_GNAME "_G"

/* Status of luaL_loadfilex when the file cannot be opened or read. */
#define LUA_ERRFILE (LUA_ERRERR + 1)

/* Registry keys: modules already loaded, loaders known in advance. */
#define LUA_LOADED_TABLE  "_LOADED"
#define LUA_PRELOAD_TABLE "_PRELOAD"

/* What luaL_ref returns for nil, and a value it never returns. */
#define LUA_NOREF  (-2)
#define LUA_REFNIL (-1)

/* -- Versions ------------------------------------------------------------ */

#define LUAL_NUMSIZES (sizeof(lua_Integer) * 16 + sizeof(lua_Number))

LUALIB_API void (luaL_checkversion_)(lua_State *L, lua_Number ver, size_t sz);

#define luaL_checkversion(L) \
  luaL_checkversion_(L, LUA_VERSION_NUM, LUAL_NUMSIZES)

/* -- Arguments of C functions -------------------------------------------- */

/* Raise an error that names the argument and the function. */
LUALIB_API int (luaL_argerror)(lua_State *L, int arg, const char *extramsg);
LUALIB_API int (luaL_typeerror)(lua_State *L, int arg, const char *tname);

LUALIB_API const char *(luaL_checklstring)(lua_State *L, int arg, size_t *l);
LUALIB_API const char *(luaL_optlstring)(lua_State *L, int arg,
                                         const char *def, size_t *l);
LUALIB_API lua_Number (luaL_checknumber)(lua_State *L, int arg);
LUALIB_API lua_Number (luaL_optnumber)(lua_State *L, int arg, lua_Number def);
LUALIB_API lua_Integer (luaL_checkinteger)(lua_State *L, int arg);
LUALIB_API lua_Integer (luaL_optinteger)(lua_State *L, int arg,
                                         lua_Integer def);
LUALIB_API void (luaL_checkstack)(lua_State *L, int sz, const char *msg);
LUALIB_API void (luaL_checktype)(lua_State *L, int arg, int t);
LUALIB_API void (luaL_checkany)(lua_State *L, int arg);
LUALIB_API int (luaL_checkoption)(lua_State *L, int arg, const char *def,
                                  const char *const lst[]);

#define luaL_checkstring(L, n)  (luaL_checklstring(L, (n), NULL))
#define luaL_optstring(L, n, d) (luaL_optlstring(L, (n), (d), NULL))
#define luaL_opt(L, f, n, d)    (lua_isnoneornil(L, (n)) ? (d) : f(L, (n)))

#define luaL_argcheck(L, cond, arg, extramsg) \
  ((void)(luai_likely(cond) || luaL_argerror(L, (arg), (extramsg))))
#define luaL_argexpected(L, cond, arg, tname) \
  ((void)(luai_likely(cond) || luaL_typeerror(L, (arg), (tname))))

/* -- Errors and tracebacks ----------------------------------------------- */

/* Pushes "chunk:line: " for the function at that level. */
LUALIB_API void (luaL_where)(lua_State *L, int lvl);
LUALIB_API int (luaL_error)(lua_State *L, const char *fmt, ...);

/* Pushes the stack of L1 as text, below msg if there is one. */
LUALIB_API void (luaL_traceback)(lua_State *L, lua_State *L1, const char *msg,
                                 int level);

/* Push the results of C library calls the way io and os return them. */
LUALIB_API int (luaL_fileresult)(lua_State *L, int stat, const char *fname);
LUALIB_API int (luaL_execresult)(lua_State *L, int stat);

#define luaL_pushfail(L) lua_pushnil(L)

/* -- Metatables ---------------------------------------------------------- */

/* LUA_TNIL, and nothing pushed, when there is no such field. */
LUALIB_API int (luaL_getmetafield)(lua_State *L, int obj, const char *e);
LUALIB_API int (luaL_callmeta)(lua_State *L, int obj, const char *e);
LUALIB_API const char *(luaL_tolstring)(lua_State *L, int idx, size_t *len);
LUALIB_API lua_Integer (luaL_len)(lua_State *L, int idx);

/* 0 when the registry already had a metatable of that name. */
LUALIB_API int (luaL_newmetatable)(lua_State *L, const char *tname);
LUALIB_API void (luaL_setmetatable)(lua_State *L, const char *tname);
LUALIB_API void *(luaL_testudata)(lua_State *L, int ud, const char *tname);
LUALIB_API void *(luaL_checkudata)(lua_State *L, int ud, const char *tname);

#define luaL_getmetatable(L, n) (lua_getfield(L, LUA_REGISTRYINDEX, (n)))
#define luaL_typename(L, i)     lua_typename(L, lua_type(L, (i)))

/* -- References ---------------------------------------------------------- */

LUALIB_API int (luaL_ref)(lua_State *L, int t);
LUALIB_API void (luaL_unref)(lua_State *L, int t, int ref);

/* -- States and chunks --------------------------------------------------- */

/* A state with the C library's allocator, a panic function that prints, and
** warnings off. */
LUALIB_API lua_State *(luaL_newstate)(void);

LUALIB_API int (luaL_loadfilex)(lua_State *L, const char *filename,
                                const char *mode);
LUALIB_API int (luaL_loadbufferx)(lua_State *L, const char *buff, size_t sz,
                                  const char *name, const char *mode);
LUALIB_API int (luaL_loadstring)(lua_State *L, const char *s);

#define luaL_loadfile(L, f)          luaL_loadfilex(L, f, NULL)
#define luaL_loadbuffer(L, s, sz, n) luaL_loadbufferx(L, s, sz, n, NULL)
#define luaL_dofile(L, fn) \
  (luaL_loadfile(L, fn) || lua_pcall(L, 0, LUA_MULTRET, 0))
#define luaL_dostring(L, s) \
  (luaL_loadstring(L, s) || lua_pcall(L, 0, LUA_MULTRET, 0))

/* -- Modules ------------------------------------------------------------- */

/* A name without function makes a placeholder (false). */
typedef struct luaL_Reg {
  const char *name;
  lua_CFunction func;
} luaL_Reg;

LUALIB_API void (luaL_setfuncs)(lua_State *L, const luaL_Reg *l, int nup);
LUALIB_API int (luaL_getsubtable)(lua_State *L, int idx, const char *fname);
LUALIB_API void (luaL_requiref)(lua_State *L, const char *modname,
                                lua_CFunction openf, int glb);

#define luaL_newlibtable(L, l) \
  lua_createtable(L, 0, sizeof(l) / sizeof((l)[0]) - 1)
#define luaL_newlib(L, l) \
  (luaL_checkversion(L), luaL_newlibtable(L, l), luaL_setfuncs(L, l, 0))

/* -- Buffers ------------------------------------------------------------- */

/* Characters gather in `init` until they no longer fit; from then on in a
** userdata at one stack slot, which is why values pushed meanwhile must be
** popped before the next use of the buffer. The layout is part of the binary
** interface. */
typedef struct luaL_Buffer {
  char *b;          /* where the characters are */
  size_t size;      /* how many fit there */
  size_t n;         /* how many there are */
  lua_State *L;
  union {
    LUAI_MAXALIGN;
    char b[LUAL_BUFFERSIZE];
  } init;
} luaL_Buffer;

LUALIB_API void (luaL_buffinit)(lua_State *L, luaL_Buffer *B);
LUALIB_API char *(luaL_buffinitsize)(lua_State *L, luaL_Buffer *B, size_t sz);
LUALIB_API char *(luaL_prepbuffsize)(luaL_Buffer *B, size_t sz);
LUALIB_API void (luaL_addlstring)(luaL_Buffer *B, const char *s, size_t l);
LUALIB_API void (luaL_addstring)(luaL_Buffer *B, const char *s);
LUALIB_API void (luaL_addvalue)(luaL_Buffer *B);
LUALIB_API void (luaL_pushresult)(luaL_Buffer *B);
LUALIB_API void (luaL_pushresultsize)(luaL_Buffer *B, size_t sz);

/* Copies s with every p replaced by r: into a buffer, or as a new string. */
LUALIB_API void (luaL_addgsub)(luaL_Buffer *b, const char *s, const char *p,
                               const char *r);
LUALIB_API const char *(luaL_gsub)(lua_State *L, const char *s, const char *p,
                                   const char *r);

#define luaL_prepbuffer(B)   luaL_prepbuffsize(B, LUAL_BUFFERSIZE)
#define luaL_bufflen(bf)     ((bf)->n)
#define luaL_buffaddr(bf)    ((bf)->b)
#define luaL_addsize(B, s)   ((B)->n += (s))
#define luaL_buffsub(B, s)   ((B)->n -= (s))
#define luaL_addchar(B, c) \
  ((void)((B)->n < (B)->size || luaL_prepbuffsize((B), 1)), \
   ((B)->b[(B)->n++] = (c)))

/* -- Files --------------------------------------------------------------- */

/* The userdata behind io's files; modules may create their own. closef NULL
** means closed. The layout is part of the binary interface. */
#define LUA_FILEHANDLE "FILE*"

typedef struct luaL_Stream {
  FILE *f;
  lua_CFunction closef;
} luaL_Stream;

/* -- Odds and ends ------------------------------------------------------- */

/* Integer arithmetic that wraps around instead of overflowing. */
#define luaL_intop(op, v1, v2) \
  ((lua_Integer)((lua_Unsigned)(v1) op (lua_Unsigned)(v2)))

/* How print, the panic function and warnings write. */
#if !defined(lua_writestring)
#define lua_writestring(s, l) fwrite((s), sizeof(char), (l), stdout)
#endif
#if !defined(lua_writeline)
#define lua_writeline() (lua_writestring("\n", 1), fflush(stdout))
#endif
#if !defined(lua_writestringerror)
#define lua_writestringerror(s, p) (fprintf(stderr, (s), (p)), fflush(stderr))
#endif

#if !defined(lua_assert)
#if defined(LUAI_ASSERT)
#include <assert.h>
#define lua_assert(c) assert(c)
#else
#define lua_assert(c) ((void)0)
#endif
#endif

#if defined(LUA_COMPAT_APIINTCASTS)
#define luaL_checkunsigned(L, a) ((lua_Unsigned)luaL_checkinteger(L, a))
#define luaL_optunsigned(L, a, d) \
  ((lua_Unsigned)luaL_optinteger(L, a, (lua_Integer)(d)))
#define luaL_checkint(L, n)    ((int)luaL_checkinteger(L, (n)))
#define luaL_optint(L, n, d)   ((int)luaL_optinteger(L, (n), (d)))
#define luaL_checklong(L, n)   ((long)luaL_checkinteger(L, (n)))
#define luaL_optlong(L, n, d)  ((long)luaL_optinteger(L, (n), (d)))
#endif

#endif
