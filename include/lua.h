/* SPDX-License-Identifier: MIT */
/*
** lua.h -- the C API of Lua 5.4
**
** Names, values and layouts are those of the Lua 5.4 reference manual,
** section 4, and of the binary interface that modules built for Lua 5.4 use.
** In comments, [-o, +p, x] is the manual's notation: pops o values, pushes p,
** and may raise nothing (-), memory errors (m), any error (e), or the error
** on top of the stack (v).
*/

#ifndef lua_h
#define lua_h

#include <stdarg.h>
#include <stddef.h>

#include "luaconf.h"

/* -- Versions ------------------------------------------------------------ */

#define LUA_VERSION_MAJOR   "5"
#define LUA_VERSION_MINOR   "4"
#define LUA_VERSION_RELEASE "8"

#define LUA_VERSION_NUM         504
#define LUA_VERSION_RELEASE_NUM (LUA_VERSION_NUM * 100 + 8)

#define LUA_VERSION   "Lua " LUA_VERSION_MAJOR "." LUA_VERSION_MINOR
#define LUA_RELEASE   LUA_VERSION "." LUA_VERSION_RELEASE
#define LUA_COPYRIGHT LUA_RELEASE "  Copyright (C) 1994-2025 Lua.org, PUC-Rio"
#define LUA_AUTHORS   "R. Ierusalimschy, L. H. de Figueiredo, W. Celes"

/* Which implementation of that language this is. */
#define PENUMBRA_VERSION     "0.1.0"
#define PENUMBRA_VERSION_NUM 100

/* The same two in the binary, for people who search it. */
LUA_API const char lua_ident[];

/* First bytes of a precompiled chunk. */
#define LUA_SIGNATURE "\x1bLua"

/* -- Types --------------------------------------------------------------- */

typedef struct lua_State lua_State;

typedef LUA_NUMBER lua_Number;
LUAI_EXTENSION typedef LUA_INTEGER lua_Integer;
LUAI_EXTENSION typedef LUA_UNSIGNED lua_Unsigned;
typedef LUA_KCONTEXT lua_KContext;

/* A function in C: arguments from index 1 up, returns how many of the
** topmost values are its results. */
typedef int (*lua_CFunction)(lua_State *L);

/* What runs in place of a C function that was left by a yield. */
typedef int (*lua_KFunction)(lua_State *L, int status, lua_KContext ctx);

/* Supplies the next piece of a chunk; NULL or *sz == 0 ends it. */
typedef const char *(*lua_Reader)(lua_State *L, void *ud, size_t *sz);

/* Receives the next piece of a dump; a result other than 0 stops it. */
typedef int (*lua_Writer)(lua_State *L, const void *p, size_t sz, void *ud);

/* Allocates (ptr NULL), resizes, or frees (nsize 0). When ptr is NULL, osize
** is the type of the object being made, or some other value. */
typedef void *(*lua_Alloc)(void *ud, void *ptr, size_t osize, size_t nsize);

/* Receives a piece of a warning; tocont says that another piece follows. */
typedef void (*lua_WarnFunction)(void *ud, const char *msg, int tocont);

typedef struct lua_Debug lua_Debug;

/* Called by the interpreter at the events its mask selects. */
typedef void (*lua_Hook)(lua_State *L, lua_Debug *ar);

/* -- Constants ----------------------------------------------------------- */

#define LUA_MULTRET (-1)

/* Pseudo-indices: the registry, and the upvalues of the running C function. */
#define LUA_REGISTRYINDEX   (-LUAI_MAXSTACK - 1000)
#define lua_upvalueindex(i) (LUA_REGISTRYINDEX - (i))

/* Slots a C function may use without asking. */
#define LUA_MINSTACK 20

/* What the registry holds at these integer keys. */
#define LUA_RIDX_MAINTHREAD 1
#define LUA_RIDX_GLOBALS    2
#define LUA_RIDX_LAST       LUA_RIDX_GLOBALS

/* Status of a thread or of a protected call. */
#define LUA_OK        0
#define LUA_YIELD     1
#define LUA_ERRRUN    2
#define LUA_ERRSYNTAX 3
#define LUA_ERRMEM    4
#define LUA_ERRERR    5

/* Types, as lua_type tells them. */
#define LUA_TNONE          (-1)
#define LUA_TNIL           0
#define LUA_TBOOLEAN       1
#define LUA_TLIGHTUSERDATA 2
#define LUA_TNUMBER        3
#define LUA_TSTRING        4
#define LUA_TTABLE         5
#define LUA_TFUNCTION      6
#define LUA_TUSERDATA      7
#define LUA_TTHREAD        8
#define LUA_NUMTYPES       9
#define LUA_NUMTAGS        LUA_NUMTYPES

/* -- States and threads -------------------------------------------------- */

/* NULL when there is no memory for a state. */
LUA_API lua_State *(lua_newstate)(lua_Alloc f, void *ud);

/* Closes pending variables, runs all finalizers, frees everything. */
LUA_API void (lua_close)(lua_State *L);

LUA_API lua_State *(lua_newthread)(lua_State *L);        /* [-0, +1, m] */

/* Brings a thread back to a clean start, running its pending closures; the
** status tells whether it had failed, with the error on its stack. */
LUA_API int (lua_closethread)(lua_State *L, lua_State *from);
LUA_API int (lua_resetthread)(lua_State *L);       /* the same, without from */

/* Installs the function called on an error nobody catches. */
LUA_API lua_CFunction (lua_atpanic)(lua_State *L, lua_CFunction panicf);

LUA_API lua_Number (lua_version)(lua_State *L);

/* -- The stack ----------------------------------------------------------- */

LUA_API int (lua_absindex)(lua_State *L, int idx);
LUA_API int (lua_gettop)(lua_State *L);
LUA_API void (lua_settop)(lua_State *L, int idx);
LUA_API void (lua_pushvalue)(lua_State *L, int idx);
LUA_API void (lua_rotate)(lua_State *L, int idx, int n);
LUA_API void (lua_copy)(lua_State *L, int fromidx, int toidx);
LUA_API int (lua_checkstack)(lua_State *L, int n);  /* false: cannot grow */
LUA_API void (lua_xmove)(lua_State *from, lua_State *to, int n);

/* -- Asking values ------------------------------------------------------- */

/* isnumber and isstring say yes to what converts; isinteger does not. */
LUA_API int (lua_isnumber)(lua_State *L, int idx);
LUA_API int (lua_isstring)(lua_State *L, int idx);
LUA_API int (lua_iscfunction)(lua_State *L, int idx);
LUA_API int (lua_isinteger)(lua_State *L, int idx);
LUA_API int (lua_isuserdata)(lua_State *L, int idx);
LUA_API int (lua_type)(lua_State *L, int idx);
LUA_API const char *(lua_typename)(lua_State *L, int tp);

/* *isnum, if wanted, tells whether there was a number to return. */
LUA_API lua_Number (lua_tonumberx)(lua_State *L, int idx, int *isnum);
LUA_API lua_Integer (lua_tointegerx)(lua_State *L, int idx, int *isnum);
LUA_API int (lua_toboolean)(lua_State *L, int idx);

/* Turns a number in that slot into a string for good. */
LUA_API const char *(lua_tolstring)(lua_State *L, int idx, size_t *len);
LUA_API lua_Unsigned (lua_rawlen)(lua_State *L, int idx);
LUA_API lua_CFunction (lua_tocfunction)(lua_State *L, int idx);
LUA_API void *(lua_touserdata)(lua_State *L, int idx);
LUA_API lua_State *(lua_tothread)(lua_State *L, int idx);
LUA_API const void *(lua_topointer)(lua_State *L, int idx);

/* -- Operators ----------------------------------------------------------- */

#define LUA_OPADD  0
#define LUA_OPSUB  1
#define LUA_OPMUL  2
#define LUA_OPMOD  3
#define LUA_OPPOW  4
#define LUA_OPDIV  5
#define LUA_OPIDIV 6
#define LUA_OPBAND 7
#define LUA_OPBOR  8
#define LUA_OPBXOR 9
#define LUA_OPSHL  10
#define LUA_OPSHR  11
#define LUA_OPUNM  12
#define LUA_OPBNOT 13

#define LUA_OPEQ 0
#define LUA_OPLT 1
#define LUA_OPLE 2

LUA_API void (lua_arith)(lua_State *L, int op);        /* [-(2|1), +1, e] */
LUA_API int (lua_rawequal)(lua_State *L, int idx1, int idx2);
LUA_API int (lua_compare)(lua_State *L, int idx1, int idx2, int op);
LUA_API void (lua_concat)(lua_State *L, int n);            /* [-n, +1, e] */
LUA_API void (lua_len)(lua_State *L, int idx);             /* [-0, +1, e] */

/* Pushes the number a string spells, returns its size with the final zero;
** 0, and nothing pushed, if it spells none. */
LUA_API size_t (lua_stringtonumber)(lua_State *L, const char *s);

/* -- Pushing values ------------------------------------------------------ */

LUA_API void (lua_pushnil)(lua_State *L);
LUA_API void (lua_pushnumber)(lua_State *L, lua_Number n);
LUA_API void (lua_pushinteger)(lua_State *L, lua_Integer n);
LUA_API const char *(lua_pushlstring)(lua_State *L, const char *s, size_t len);
LUA_API const char *(lua_pushstring)(lua_State *L, const char *s);

/* Formats %s %d %c %f %I %p %U %%, nothing else. */
LUA_API const char *(lua_pushvfstring)(lua_State *L, const char *fmt,
                                       va_list argp);
LUA_API const char *(lua_pushfstring)(lua_State *L, const char *fmt, ...);
LUA_API void (lua_pushcclosure)(lua_State *L, lua_CFunction fn, int n);
LUA_API void (lua_pushboolean)(lua_State *L, int b);
LUA_API void (lua_pushlightuserdata)(lua_State *L, void *p);
LUA_API int (lua_pushthread)(lua_State *L);     /* 1 for the main thread */

/* -- Reading tables and userdata ----------------------------------------- */

/* All push the value and return its type. */
LUA_API int (lua_getglobal)(lua_State *L, const char *name);
LUA_API int (lua_gettable)(lua_State *L, int idx);
LUA_API int (lua_getfield)(lua_State *L, int idx, const char *k);
LUA_API int (lua_geti)(lua_State *L, int idx, lua_Integer n);
LUA_API int (lua_rawget)(lua_State *L, int idx);
LUA_API int (lua_rawgeti)(lua_State *L, int idx, lua_Integer n);
LUA_API int (lua_rawgetp)(lua_State *L, int idx, const void *p);
LUA_API int (lua_getiuservalue)(lua_State *L, int idx, int n);

LUA_API void (lua_createtable)(lua_State *L, int narr, int nrec);
LUA_API void *(lua_newuserdatauv)(lua_State *L, size_t sz, int nuvalue);
LUA_API int (lua_getmetatable)(lua_State *L, int objindex);

/* Replaces the key on top by the next key and its value; 0 at the end. */
LUA_API int (lua_next)(lua_State *L, int idx);

/* -- Writing tables and userdata ----------------------------------------- */

LUA_API void (lua_setglobal)(lua_State *L, const char *name);
LUA_API void (lua_settable)(lua_State *L, int idx);
LUA_API void (lua_setfield)(lua_State *L, int idx, const char *k);
LUA_API void (lua_seti)(lua_State *L, int idx, lua_Integer n);
LUA_API void (lua_rawset)(lua_State *L, int idx);
LUA_API void (lua_rawseti)(lua_State *L, int idx, lua_Integer n);
LUA_API void (lua_rawsetp)(lua_State *L, int idx, const void *p);
LUA_API int (lua_setmetatable)(lua_State *L, int objindex);
LUA_API int (lua_setiuservalue)(lua_State *L, int idx, int n);

/* -- Calls and chunks ---------------------------------------------------- */

LUA_API void (lua_callk)(lua_State *L, int nargs, int nresults,
                         lua_KContext ctx, lua_KFunction k);
LUA_API int (lua_pcallk)(lua_State *L, int nargs, int nresults, int errfunc,
                         lua_KContext ctx, lua_KFunction k);

#define lua_call(L, n, r)     lua_callk(L, (n), (r), 0, NULL)
#define lua_pcall(L, n, r, f) lua_pcallk(L, (n), (r), (f), 0, NULL)

LUA_API int (lua_load)(lua_State *L, lua_Reader reader, void *dt,
                       const char *chunkname, const char *mode);
LUA_API int (lua_dump)(lua_State *L, lua_Writer writer, void *data, int strip);

/* Raises the value on top; never returns. */
LUA_API int (lua_error)(lua_State *L);

/* Marks a slot to be closed when it leaves the stack; closes it now. */
LUA_API void (lua_toclose)(lua_State *L, int idx);
LUA_API void (lua_closeslot)(lua_State *L, int idx);

/* -- Coroutines ---------------------------------------------------------- */

LUA_API int (lua_yieldk)(lua_State *L, int nresults, lua_KContext ctx,
                         lua_KFunction k);
LUA_API int (lua_resume)(lua_State *L, lua_State *from, int narg, int *nres);
LUA_API int (lua_status)(lua_State *L);
LUA_API int (lua_isyieldable)(lua_State *L);

#define lua_yield(L, n) lua_yieldk(L, (n), 0, NULL)

/* -- Warnings ------------------------------------------------------------ */

LUA_API void (lua_setwarnf)(lua_State *L, lua_WarnFunction f, void *ud);
LUA_API void (lua_warning)(lua_State *L, const char *msg, int tocont);

/* -- Memory -------------------------------------------------------------- */

#define LUA_GCSTOP       0
#define LUA_GCRESTART    1
#define LUA_GCCOLLECT    2
#define LUA_GCCOUNT      3
#define LUA_GCCOUNTB     4
#define LUA_GCSTEP       5
#define LUA_GCSETPAUSE   6
#define LUA_GCSETSTEPMUL 7
#define LUA_GCISRUNNING  9
#define LUA_GCGEN        10
#define LUA_GCINC        11

/* Arguments after `what`, all int: STEP takes a size in KB, GEN the minor and
** major multipliers, INC pause, step multiplier and step size. */
LUA_API int (lua_gc)(lua_State *L, int what, ...);

LUA_API lua_Alloc (lua_getallocf)(lua_State *L, void **ud);
LUA_API void (lua_setallocf)(lua_State *L, lua_Alloc f, void *ud);

/* -- Debug interface ----------------------------------------------------- */

#define LUA_HOOKCALL     0
#define LUA_HOOKRET      1
#define LUA_HOOKLINE     2
#define LUA_HOOKCOUNT    3
#define LUA_HOOKTAILCALL 4

#define LUA_MASKCALL  (1 << LUA_HOOKCALL)
#define LUA_MASKRET   (1 << LUA_HOOKRET)
#define LUA_MASKLINE  (1 << LUA_HOOKLINE)
#define LUA_MASKCOUNT (1 << LUA_HOOKCOUNT)

/* An activation record; the letter is the one that makes lua_getinfo fill
** the field. The layout is part of the binary interface. */
struct lua_Debug {
  int event;
  const char *name;               /* n */
  const char *namewhat;           /* n  global local method field ... */
  const char *what;               /* S  Lua, C or main */
  const char *source;             /* S */
  size_t srclen;                  /* S */
  int currentline;                /* l  -1 when unknown */
  int linedefined;                /* S */
  int lastlinedefined;            /* S */
  unsigned char nups;             /* u */
  unsigned char nparams;          /* u */
  char isvararg;                  /* u */
  char istailcall;                /* t */
  unsigned short ftransfer;       /* r  first value passed or returned */
  unsigned short ntransfer;       /* r  how many */
  char short_src[LUA_IDSIZE];     /* S */
  struct CallInfo *i_ci;          /* belongs to the implementation */
};

LUA_API int (lua_getstack)(lua_State *L, int level, lua_Debug *ar);
LUA_API int (lua_getinfo)(lua_State *L, const char *what, lua_Debug *ar);
LUA_API const char *(lua_getlocal)(lua_State *L, const lua_Debug *ar, int n);
LUA_API const char *(lua_setlocal)(lua_State *L, const lua_Debug *ar, int n);
LUA_API const char *(lua_getupvalue)(lua_State *L, int funcindex, int n);
LUA_API const char *(lua_setupvalue)(lua_State *L, int funcindex, int n);
LUA_API void *(lua_upvalueid)(lua_State *L, int fidx, int n);
LUA_API void (lua_upvaluejoin)(lua_State *L, int fidx1, int n1,
                               int fidx2, int n2);

LUA_API void (lua_sethook)(lua_State *L, lua_Hook func, int mask, int count);
LUA_API lua_Hook (lua_gethook)(lua_State *L);
LUA_API int (lua_gethookmask)(lua_State *L);
LUA_API int (lua_gethookcount)(lua_State *L);

/* Kept for old programs: the limit is fixed, the call changes nothing. */
LUA_API int (lua_setcstacklimit)(lua_State *L, unsigned int limit);

/* -- Abbreviations ------------------------------------------------------- */

#define lua_getextraspace(L) ((void *)((char *)(L) - LUA_EXTRASPACE))

#define lua_tonumber(L, i)  lua_tonumberx(L, (i), NULL)
#define lua_tointeger(L, i) lua_tointegerx(L, (i), NULL)
#define lua_tostring(L, i)  lua_tolstring(L, (i), NULL)

#define lua_pop(L, n)         lua_settop(L, -(n) - 1)
#define lua_insert(L, idx)    lua_rotate(L, (idx), 1)
#define lua_remove(L, idx)    (lua_rotate(L, (idx), -1), lua_pop(L, 1))
#define lua_replace(L, idx)   (lua_copy(L, -1, (idx)), lua_pop(L, 1))

#define lua_newtable(L)         lua_createtable(L, 0, 0)
#define lua_pushcfunction(L, f) lua_pushcclosure(L, (f), 0)
#define lua_pushliteral(L, s)   lua_pushstring(L, "" s)
#define lua_register(L, n, f) \
  (lua_pushcfunction(L, (f)), lua_setglobal(L, (n)))
#define lua_pushglobaltable(L) \
  ((void)lua_rawgeti(L, LUA_REGISTRYINDEX, LUA_RIDX_GLOBALS))

#define lua_isfunction(L, n)      (lua_type(L, (n)) == LUA_TFUNCTION)
#define lua_istable(L, n)         (lua_type(L, (n)) == LUA_TTABLE)
#define lua_islightuserdata(L, n) (lua_type(L, (n)) == LUA_TLIGHTUSERDATA)
#define lua_isnil(L, n)           (lua_type(L, (n)) == LUA_TNIL)
#define lua_isboolean(L, n)       (lua_type(L, (n)) == LUA_TBOOLEAN)
#define lua_isthread(L, n)        (lua_type(L, (n)) == LUA_TTHREAD)
#define lua_isnone(L, n)          (lua_type(L, (n)) == LUA_TNONE)
#define lua_isnoneornil(L, n)     (lua_type(L, (n)) <= 0)

/* Names of older versions. */
#define lua_newuserdata(L, s)    lua_newuserdatauv(L, s, 1)
#define lua_getuservalue(L, idx) lua_getiuservalue(L, idx, 1)
#define lua_setuservalue(L, idx) lua_setiuservalue(L, idx, 1)

#if defined(LUA_COMPAT_APIINTCASTS)
#define lua_pushunsigned(L, n)      lua_pushinteger(L, (lua_Integer)(n))
#define lua_tounsignedx(L, i, is)   ((lua_Unsigned)lua_tointegerx(L, i, is))
#define lua_tounsigned(L, i)        lua_tounsignedx(L, (i), NULL)
#endif

#endif
