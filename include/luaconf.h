/* SPDX-License-Identifier: MIT */
/*
** luaconf.h -- what a build may choose, and what it must not
**
** Users include it through lua.h.  The first part holds the choices that
** leave the binary interface alone: search paths, export marks, hints to the
** compiler.  The second part is the interface itself: the number types, the
** index range, the sizes inside public structures.  Modules compiled for
** Lua 5.4 rely on those values, so they are fixed, not configurable.
**
** The file must compile as C89, C11 and C++.
*/

#ifndef luaconf_h
#define luaconf_h

#include <limits.h>
#include <stddef.h>

/* -- Platform ------------------------------------------------------------ */

#if defined(_WIN32) && !defined(LUA_USE_WINDOWS)
#define LUA_USE_WINDOWS
#endif

#if !defined(LUA_USE_WINDOWS) && (defined(__unix__) || defined(__APPLE__))
#define LUA_USE_POSIX
#define LUA_USE_DLOPEN
#endif

/* -- Search paths -------------------------------------------------------- */

/* The punctuation of package.path, in the order package.config shows it. */
#define LUA_PATH_SEP   ";"
#define LUA_PATH_MARK  "?"
#define LUA_EXEC_DIR   "!"

#if !defined(LUA_DIRSEP)
#if defined(LUA_USE_WINDOWS)
#define LUA_DIRSEP "\\"
#else
#define LUA_DIRSEP "/"
#endif
#endif

#define LUA_VDIR LUA_VERSION_MAJOR "." LUA_VERSION_MINOR

/* The folder below /usr/lib where Debian keeps the modules of one machine. A
** build may name another; where nothing is known there is simply none. */
#if !defined(LUA_MULTIARCH) && defined(__linux__)
#if defined(__x86_64__) && defined(__ILP32__)
#define LUA_MULTIARCH "x86_64-linux-gnux32"
#elif defined(__x86_64__)
#define LUA_MULTIARCH "x86_64-linux-gnu"
#elif defined(__aarch64__)
#define LUA_MULTIARCH "aarch64-linux-gnu"
#elif defined(__i386__)
#define LUA_MULTIARCH "i386-linux-gnu"
#elif defined(__arm__) && defined(__ARM_PCS_VFP)
#define LUA_MULTIARCH "arm-linux-gnueabihf"
#elif defined(__arm__)
#define LUA_MULTIARCH "arm-linux-gnueabi"
#elif defined(__powerpc64__) && defined(__LITTLE_ENDIAN__)
#define LUA_MULTIARCH "powerpc64le-linux-gnu"
#elif defined(__riscv) && __riscv_xlen == 64
#define LUA_MULTIARCH "riscv64-linux-gnu"
#elif defined(__s390x__)
#define LUA_MULTIARCH "s390x-linux-gnu"
#endif
#endif

#if defined(LUA_USE_WINDOWS)

#define LUA_LDIR   "!\\lua\\"
#define LUA_CDIR   "!\\"
#define LUA_SHRDIR "!\\..\\share\\lua\\" LUA_VDIR "\\"

#if !defined(LUA_PATH_DEFAULT)
#define LUA_PATH_DEFAULT \
  LUA_LDIR "?.lua;" LUA_LDIR "?\\init.lua;" \
  LUA_CDIR "?.lua;" LUA_CDIR "?\\init.lua;" \
  LUA_SHRDIR "?.lua;" LUA_SHRDIR "?\\init.lua;" \
  ".\\?.lua;" ".\\?\\init.lua"
#endif

#if !defined(LUA_CPATH_DEFAULT)
#define LUA_CPATH_DEFAULT \
  LUA_CDIR "?.dll;" LUA_CDIR "..\\lib\\lua\\" LUA_VDIR "\\?.dll;" \
  LUA_CDIR "loadall.dll;" ".\\?.dll"
#endif

#else

#define LUA_ROOT  "/usr/local/"
#define LUA_ROOT2 "/usr/"
#define LUA_LDIR  LUA_ROOT "share/lua/" LUA_VDIR "/"
#define LUA_LDIR2 LUA_ROOT2 "share/lua/" LUA_VDIR "/"
#define LUA_CDIR  LUA_ROOT "lib/lua/" LUA_VDIR "/"
#define LUA_CDIR3 LUA_ROOT2 "lib/lua/" LUA_VDIR "/"

#if defined(LUA_MULTIARCH)
#define LUA_CDIR2 LUA_ROOT2 "lib/" LUA_MULTIARCH "/lua/" LUA_VDIR "/"
#define LUA_CPATH_MULTIARCH LUA_CDIR2 "?.so;"
#else
#define LUA_CPATH_MULTIARCH ""
#endif

#if !defined(LUA_PATH_DEFAULT)
#define LUA_PATH_DEFAULT \
  LUA_LDIR "?.lua;" LUA_LDIR "?/init.lua;" \
  LUA_CDIR "?.lua;" LUA_CDIR "?/init.lua;" \
  LUA_LDIR2 "?.lua;" LUA_LDIR2 "?/init.lua;" \
  "./?.lua;" "./?/init.lua"
#endif

#if !defined(LUA_CPATH_DEFAULT)
#define LUA_CPATH_DEFAULT \
  LUA_CDIR "?.so;" LUA_CPATH_MULTIARCH LUA_CDIR3 "?.so;" \
  LUA_CDIR "loadall.so;" "./?.so"
#endif

#endif

/* -- Export marks -------------------------------------------------------- */

/* Everything is compiled with hidden symbols; only what carries one of these
** marks can be seen from outside. */
#if defined(LUA_BUILD_AS_DLL) && (defined(LUA_CORE) || defined(LUA_LIB))
#define LUAI_EXPORT __declspec(dllexport)
#elif defined(LUA_BUILD_AS_DLL)
#define LUAI_EXPORT __declspec(dllimport)
#elif defined(__GNUC__) && __GNUC__ >= 4 && defined(__ELF__)
#define LUAI_EXPORT __attribute__((visibility("default")))
#else
#define LUAI_EXPORT
#endif

#if !defined(LUA_API)
#if defined(__cplusplus) && !defined(LUA_USE_CXX_LINKAGE)
#define LUA_API extern "C" LUAI_EXPORT
#else
#define LUA_API extern LUAI_EXPORT
#endif
#endif

#define LUALIB_API LUA_API
#define LUAMOD_API LUA_API

/* For hosts that mark their own functions the way Lua's sources do. */
#if defined(__GNUC__) && __GNUC__ >= 4 && defined(__ELF__)
#define LUAI_FUNC __attribute__((visibility("hidden"))) extern
#else
#define LUAI_FUNC extern
#endif
#define LUAI_DDEC(dec) LUAI_FUNC dec
#define LUAI_DDEF

/* -- Hints --------------------------------------------------------------- */

#if !defined(luai_likely)
#if defined(__GNUC__) && !defined(LUA_NOBUILTIN)
#define luai_likely(x)   (__builtin_expect(((x) != 0), 1))
#define luai_unlikely(x) (__builtin_expect(((x) != 0), 0))
#else
#define luai_likely(x)   (x)
#define luai_unlikely(x) (x)
#endif
#endif

#if defined(LUA_CORE) || defined(LUA_LIB)
#define l_likely(x)   luai_likely(x)
#define l_unlikely(x) luai_unlikely(x)
#endif

/* Lets `long long` through a pedantic C89 compiler that knows it. */
#if defined(__GNUC__)
#define LUAI_EXTENSION __extension__
#else
#define LUAI_EXTENSION
#endif

/* -- Numbers: fixed ------------------------------------------------------ */

#define LUA_INT_INT      1
#define LUA_INT_LONG     2
#define LUA_INT_LONGLONG 3

#define LUA_FLOAT_FLOAT      1
#define LUA_FLOAT_DOUBLE     2
#define LUA_FLOAT_LONGDOUBLE 3

#define LUA_INT_DEFAULT   LUA_INT_LONGLONG
#define LUA_FLOAT_DEFAULT LUA_FLOAT_DOUBLE
#define LUA_32BITS        0
#define LUA_C89_NUMBERS   0
#define LUA_INT_TYPE      LUA_INT_DEFAULT
#define LUA_FLOAT_TYPE    LUA_FLOAT_DEFAULT

#define LUA_NUMBER        double
#define LUAI_UACNUMBER    double
#define LUA_NUMBER_FRMLEN ""
#define LUA_NUMBER_FMT    "%.14g"

#define LUA_INTEGER        long long
#define LUAI_UACINT        LUA_INTEGER
#define LUA_UNSIGNED       unsigned LUAI_UACINT
#define LUA_INTEGER_FRMLEN "ll"
#define LUA_INTEGER_FMT    "%" LUA_INTEGER_FRMLEN "d"

/* limits.h has no LLONG_MAX in strict C89; elsewhere its constants are better,
** because the preprocessor understands them. */
#if defined(LLONG_MAX)
#define LUA_MAXUNSIGNED ULLONG_MAX
#define LUA_MAXINTEGER  LLONG_MAX
#define LUA_MININTEGER  LLONG_MIN
#else
#define LUA_MAXUNSIGNED (~(lua_Unsigned)0)
#define LUA_MAXINTEGER  ((lua_Integer)(LUA_MAXUNSIGNED >> 1))
#define LUA_MININTEGER  (-LUA_MAXINTEGER - (lua_Integer)1)
#endif

/* The context handed to continuations: an integer that can hold a pointer. */
#if defined(__cplusplus) && __cplusplus < 201103L
#define LUA_KCONTEXT ptrdiff_t
#elif defined(__cplusplus) || \
      (defined(__STDC_VERSION__) && __STDC_VERSION__ >= 199901L)
#include <stdint.h>
#if defined(INTPTR_MAX)
#define LUA_KCONTEXT intptr_t
#else
#define LUA_KCONTEXT ptrdiff_t
#endif
#else
#define LUA_KCONTEXT ptrdiff_t
#endif

/* -- Number helpers ------------------------------------------------------ */

/* They name functions of stdio.h, stdlib.h, math.h and locale.h; whoever
** uses one includes the header that goes with it. */

#define l_floatatt(n) (DBL_##n)
#define l_mathop(op)  op
#define l_floor(x)    (l_mathop(floor)(x))

#if defined(__STDC_VERSION__) && __STDC_VERSION__ < 199901L
#define l_sprintf(s, sz, f, i) ((void)(sz), sprintf(s, f, i))
#elif !defined(__STDC_VERSION__) && !defined(__cplusplus)
#define l_sprintf(s, sz, f, i) ((void)(sz), sprintf(s, f, i))
#else
#define l_sprintf(s, sz, f, i) snprintf(s, sz, f, i)
#endif

#define lua_number2str(s, sz, n) \
  l_sprintf((s), sz, LUA_NUMBER_FMT, (LUAI_UACNUMBER)(n))
#define lua_integer2str(s, sz, n) \
  l_sprintf((s), sz, LUA_INTEGER_FMT, (LUAI_UACINT)(n))
#define lua_pointer2str(s, sz, p)       l_sprintf((s), sz, "%p", p)
#define lua_number2strx(L, s, sz, f, n) \
  ((void)(L), l_sprintf((s), sz, f, (LUAI_UACNUMBER)(n)))
#define lua_str2number(s, p)  strtod((s), (p))
#define lua_strx2number(s, p) lua_str2number(s, p)

/* True, with *p set, when the float n (already integral) fits an integer.
** The upper limit is -MIN because MAX itself is not a float. */
#define lua_numbertointeger(n, p) \
  ((n) >= (LUA_NUMBER)(LUA_MININTEGER) && \
   (n) < -(LUA_NUMBER)(LUA_MININTEGER) && \
   (*(p) = (lua_Integer)(n), 1))

#if !defined(lua_getlocaledecpoint)
#define lua_getlocaledecpoint() (localeconv()->decimal_point[0])
#endif

/* -- Sizes: fixed -------------------------------------------------------- */

/* Most slots a stack may have; pseudo-indices lie beyond it. */
#if INT_MAX >= 2147483647
#define LUAI_IS32INT  1
#define LUAI_MAXSTACK 1000000
#else
#define LUAI_IS32INT  0
#define LUAI_MAXSTACK 15000
#endif

/* Bytes in front of each thread that belong to the host. */
#define LUA_EXTRASPACE (sizeof(void *))

/* Room for the printable source name in lua_Debug. */
#define LUA_IDSIZE 60

/* The part of a luaL_Buffer that needs no allocation. */
#define LUAL_BUFFERSIZE ((int)(16 * sizeof(void *) * sizeof(lua_Number)))

/* Members of a union that is aligned for any Lua number or pointer. */
#define LUAI_MAXALIGN lua_Number n; double u; void *s; lua_Integer i; long l

/* -- Names of older versions --------------------------------------------- */

/* LUA_COMPAT_5_3 adds names to the headers.  What else it stands for is always
** there, as in the usual builds of PUC Lua: math.pow and others, and a <= b by
** __lt where there is no __le. */

#if defined(LUA_COMPAT_5_3)
#define LUA_COMPAT_MATHLIB
#define LUA_COMPAT_APIINTCASTS
#define LUA_COMPAT_LT_LE

#define lua_strlen(L, i)       lua_rawlen(L, (i))
#define lua_objlen(L, i)       lua_rawlen(L, (i))
#define lua_equal(L, a, b)     lua_compare(L, (a), (b), LUA_OPEQ)
#define lua_lessthan(L, a, b)  lua_compare(L, (a), (b), LUA_OPLT)
#endif

#endif
