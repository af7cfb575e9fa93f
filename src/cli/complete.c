/* SPDX-License-Identifier: MIT */
/*
** complete.c -- completion of words in a line
**
** After "a.b." the candidates are the fields of a.b, after "a:" the methods of
** a, after `require "` the names of modules, elsewhere globals and keywords.
** Fields are found in the table and in the tables of __index behind it.
** Nothing is called: an expression with a call in it, or an __index that is a
** function, has no candidates.  The number of fields visited is limited, so
** that the user does not have to wait.
**
** After "f(" the hint tells the parameters of f.
*/

#if !defined(_GNU_SOURCE)
#define _GNU_SOURCE
#endif

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "penumbra.h"

#if defined(LUA_USE_POSIX)
#include <dirent.h>
#endif

enum {
  COMPLETE_FIELDS = 50000, /* fields visited */
  COMPLETE_CHAIN = 30,     /* length of a chain of __index tables */
  COMPLETE_NESTING = 50    /* parentheses in each other */
};

static const char *const complete_keywords[] = {
    "and",      "break",  "do",   "else", "elseif", "end",   "false", "for",
    "function", "goto",   "if",   "in",   "local",  "nil",   "not",   "or",
    "repeat",   "return", "then", "true", "until",  "while", NULL};

bool complete_is_keyword(const char *s) {
  for (int i = 0; complete_keywords[i]; i++)
    if (strcmp(s, complete_keywords[i]) == 0) return true;
  return false;
}

static bool is_name_char(char c) {
  return isalnum((unsigned char)c) || c == '_';
}

/* -- The list ------------------------------------------------------------ */

/* The word so far, and the table of candidates: name -> true if a function. */
typedef struct Candidates {
  lua_State *L;
  int list;
  const char *word;
  size_t len;
  int left; /* fields that may still be visited */
} Candidates;

static void candidates_add(Candidates *c, const char *name, bool function) {
  if (strncmp(name, c->word, c->len) != 0) return;
  lua_pushboolean(c->L, function);
  lua_setfield(c->L, c->list, name);
}

static bool is_name(const char *s, size_t len) {
  if (len == 0 || isdigit((unsigned char)*s) || strlen(s) != len) return false;
  for (size_t i = 0; i < len; i++)
    if (!is_name_char(s[i])) return false;
  return true;
}

/* -- Fields -------------------------------------------------------------- */

/* Adds the fields of the table on top. */
static void fields_add_table(Candidates *c, bool methods) {
  lua_State *L = c->L;
  lua_pushnil(L);
  while (lua_next(L, -2)) {
    const bool function = lua_isfunction(L, -1);
    lua_pop(L, 1);
    if (c->left-- <= 0) {
      lua_pop(L, 1);
      return;
    }
    if (lua_type(L, -1) != LUA_TSTRING || (methods && !function)) continue;
    size_t len;
    const char *name = lua_tolstring(L, -1, &len);
    if (is_name(name, len) && !complete_is_keyword(name))
      candidates_add(c, name, function);
  }
}

/* Replaces the value on top by its __index. False if that is not a table. */
static bool fields_next(lua_State *L) {
  if (!lua_getmetatable(L, -1)) return false;
  lua_pushliteral(L, "__index");
  lua_rawget(L, -2);
  lua_replace(L, -3);
  lua_pop(L, 1);
  return lua_istable(L, -1);
}

/* Adds the fields of the value on top and of the __index tables behind it. Pops
** the value. */
static void fields_add_all(Candidates *c, bool methods) {
  for (int i = 0; i < COMPLETE_CHAIN; i++) {
    if (lua_istable(c->L, -1)) fields_add_table(c, methods);
    if (!fields_next(c->L)) break;
  }
  lua_pop(c->L, 1);
}

/* Replaces the value on top by its field, without calling anything. False if
** there is no such field. */
static bool fields_get(lua_State *L, const char *name, size_t len) {
  for (int i = 0; i < COMPLETE_CHAIN; i++) {
    if (lua_istable(L, -1)) {
      lua_pushlstring(L, name, len);
      if (lua_rawget(L, -2) != LUA_TNIL) {
        lua_remove(L, -2);
        return true;
      }
      lua_pop(L, 1);
    }
    if (!fields_next(L)) return false;
  }
  return false;
}

/* -- Lines --------------------------------------------------------------- */

/* What is open at the end of a line: a quote, and the last parenthesis.  NULL if
** there is none. */
typedef struct OpenEnds {
  const char *quote, *parenthesis;
} OpenEnds;

static OpenEnds open_ends(const char *line) {
  const char *open[COMPLETE_NESTING], *quote = NULL;
  int depth = 0;
  for (const char *p = line, *end = p + strlen(p); p < end; p++) {
    if (quote && *p == '\\')
      p++; /* perhaps beyond the end */
    else if (quote)
      quote = *p == *quote ? NULL : quote;
    else if (*p == '"' || *p == '\'')
      quote = p;
    else if (*p == '(' && depth < COMPLETE_NESTING)
      open[depth++] = p;
    else if (*p == ')' && depth > 0)
      depth--;
  }
  const OpenEnds ends = {quote, depth > 0 ? open[depth - 1] : NULL};
  return ends;
}

/* -- Expressions --------------------------------------------------------- */

/* The beginning of the chain of names that ends before `end`, such as "a.b" in
** "x = a.b". NULL if the expression has more than names. */
static const char *chain_begin(const char *line, const char *end) {
  const char *p = end;
  for (;;) {
    while (p > line && is_name_char(p[-1])) p--;
    if (p == line || p[-1] != '.') break;
    if (p - line >= 2 && p[-2] == '.') break; /* a concatenation */
    p--;
  }
  if (p == end || isdigit((unsigned char)*p)) return NULL;
  if (p > line && strchr(":])}\"'", p[-1])) return NULL;
  return p;
}

/* Pushes the value of the chain from p to `end`. False if it has none. */
static bool chain_push(lua_State *L, const char *p, const char *end) {
  lua_pushglobaltable(L);
  while (p < end) {
    const char *dot = p;
    while (dot < end && *dot != '.') dot++;
    if (!fields_get(L, p, (size_t)(dot - p))) {
      lua_pop(L, 1);
      return false;
    }
    p = dot + 1;
  }
  return true;
}

/* True for a string before the colon, as in `("x"):`. Its methods are those of
** strings. */
static bool chain_is_string(const char *line, const char *end) {
  return end > line && (end[-1] == '"' || end[-1] == '\'' ||
                        (end - line >= 2 && end[-1] == ')' &&
                         (end[-2] == '"' || end[-2] == '\'')));
}

/* Pushes the value before the colon or dot at `end`. False if it has none. */
static bool object_push(lua_State *L, const char *line, const char *end) {
  const char *begin = chain_begin(line, end);
  if (*end != ':' || !chain_is_string(line, end))
    return begin && chain_push(L, begin, end);
  lua_pushliteral(L, "");
  return true;
}

static void complete_fields(Candidates *c, const char *line, const char *end) {
  if (object_push(c->L, line, end)) fields_add_all(c, *end == ':');
}

static void complete_globals(Candidates *c) {
  for (int i = 0; complete_keywords[i]; i++)
    candidates_add(c, complete_keywords[i], false);
  lua_pushglobaltable(c->L);
  fields_add_all(c, false);
}

/* -- Modules ------------------------------------------------------------- */

/* Adds the keys of a table in the registry: loaded or preloaded modules. */
static void modules_known(Candidates *c, const char *field) {
  lua_State *L = c->L;
  if (luaL_getsubtable(L, LUA_REGISTRYINDEX, field)) {
    lua_pushnil(L);
    while (lua_next(L, -2)) {
      lua_pop(L, 1);
      if (lua_type(L, -1) == LUA_TSTRING)
        candidates_add(c, lua_tostring(L, -1), false);
    }
  }
  lua_pop(L, 1);
}

#if defined(LUA_USE_POSIX)

/* Adds the module in the file `name`. The name must end with `rest`, the part
** of the template after its mark. */
static void modules_add_file(Candidates *c, const char *parents,
                             const char *name, const char *rest) {
  const size_t n = strlen(name), m = strlen(rest);
  lua_State *L = c->L;
  if (n <= m || strcmp(name + n - m, rest) != 0) return;
  lua_pushstring(L, parents);
  lua_pushlstring(L, name, n - m);
  lua_concat(L, 2);
  candidates_add(c, lua_tostring(L, -1), false);
  lua_pop(L, 1);
}

/* Adds "name." for a folder, because it may hold modules. */
static void modules_add_folder(Candidates *c, const char *parents,
                               const char *name) {
  if (*name == '.') return;
  lua_pushfstring(c->L, "%s%s.", parents, name);
  candidates_add(c, lua_tostring(c->L, -1), false);
  lua_pop(c->L, 1);
}

/* Adds one entry of a folder. With the template "?/init.lua", a folder that
** has such a file is a module. */
static void modules_add_entry(Candidates *c, const char *folder,
                              const char *parents, const char *name,
                              const char *rest) {
  lua_State *L = c->L;
  if (*rest != LUA_DIRSEP[0]) {
    modules_add_file(c, parents, name, rest);
    return;
  }
  const char *init = lua_pushfstring(L, "%s%s%s", folder, name, rest);
  FILE *file = fopen(init, "r");
  lua_pop(L, 1);
  if (file) {
    fclose(file);
    modules_add_file(c, parents, name, "");
  }
  if (!strchr(name, '.')) {
    const char *path = lua_pushfstring(L, "%s%s", folder, name);
    DIR *inner = opendir(path);
    lua_pop(L, 1);
    if (!inner) return;
    closedir(inner);
    modules_add_folder(c, parents, name);
  }
}

/* Adds the modules in the folder of one template, as "/usr/share/lua/?.lua". */
static void modules_in(Candidates *c, const char *template) {
  lua_State *L = c->L;
  const int top = lua_gettop(L);
  const char *mark = strstr(template, LUA_PATH_MARK);
  if (!mark) return;
  const char *last = strrchr(c->word, '.');
  lua_pushlstring(L, c->word, last ? (size_t)(last - c->word) + 1 : 0);
  const char *parents = lua_tostring(L, -1);
  lua_pushlstring(L, template, (size_t)(mark - template));
  luaL_gsub(L, parents, ".", LUA_DIRSEP);
  lua_concat(L, 2);
  const char *folder = lua_tostring(L, -1);
  DIR *dir = opendir(*folder != '\0' ? folder : ".");
  struct dirent *entry;
  while (dir && (entry = readdir(dir)) != NULL && c->left-- > 0)
    if (*entry->d_name != '.')
      modules_add_entry(c, folder, parents, entry->d_name, mark + 1);
  if (dir) closedir(dir);
  lua_settop(L, top);
}

static void modules_in_path(Candidates *c, const char *field) {
  lua_State *L = c->L;
  const int top = lua_gettop(L);
  if (lua_getglobal(L, "package") != LUA_TTABLE ||
      lua_getfield(L, -1, field) != LUA_TSTRING) {
    lua_settop(L, top);
    return;
  }
  const char *p = lua_tostring(L, -1);
  while (*p != '\0') {
    const size_t n = strcspn(p, LUA_PATH_SEP);
    lua_pushlstring(L, p, n);
    modules_in(c, lua_tostring(L, -1));
    lua_pop(L, 1);
    p += n + (p[n] != '\0');
  }
  lua_settop(L, top);
}

#else
static void modules_in_path(Candidates *c, const char *field) {
  (void)c, (void)field;
}
#endif

static void complete_modules(Candidates *c) {
  modules_known(c, LUA_LOADED_TABLE);
  modules_known(c, LUA_PRELOAD_TABLE);
  modules_in_path(c, "path");
  modules_in_path(c, "cpath");
}

/* -- Hints --------------------------------------------------------------- */

/* Pushes the value that is called before the parenthesis. */
static bool called_push(lua_State *L, const char *line, const char *end) {
  const char *name = end;
  while (name > line && is_name_char(name[-1])) name--;
  if (name == line || name[-1] != ':') {
    const char *begin = chain_begin(line, end);
    return begin && chain_push(L, begin, end);
  }
  return object_push(L, line, name - 1) &&
         fields_get(L, name, (size_t)(end - name));
}

int complete_hint(lua_State *L) {
  const char *line = luaL_checkstring(L, 1);
  const OpenEnds ends = open_ends(line);
  lua_settop(L, 1);
  luaL_checkstack(L, LUA_MINSTACK, NULL);
  return !ends.quote && ends.parenthesis &&
         called_push(L, line, ends.parenthesis) &&
         penumbra_pushsignature(L, -1);
}

/* -- All of it ----------------------------------------------------------- */

/* True if `require`, and perhaps a parenthesis, stands before the quote. */
static bool is_require(const char *line, const char *quote) {
  static const char word[] = "require";
  const size_t n = sizeof word - 1;
  while (quote > line && strchr(" \t(", quote[-1])) quote--;
  if ((size_t)(quote - line) < n || strncmp(quote - n, word, n) != 0)
    return false;
  return (size_t)(quote - line) == n || !is_name_char(quote[-1 - (int)n]);
}

/* Pushes a sorted array of the candidates. */
static void candidates_sort(lua_State *L, int list) {
  int n = 0;
  lua_newtable(L);
  lua_pushnil(L);
  while (lua_next(L, list)) {
    lua_pop(L, 1);
    const char *name = lua_tostring(L, -1);
    int i = n++;
    for (; i > 0; i--) { /* insert in order */
      lua_rawgeti(L, list + 1, i);
      if (strcmp(lua_tostring(L, -1), name) <= 0) {
        lua_pop(L, 1);
        break;
      }
      lua_rawseti(L, list + 1, i + 1);
    }
    lua_pushvalue(L, -1);
    lua_rawseti(L, list + 1, i + 1);
  }
}

int complete_line(lua_State *L) {
  const char *line = luaL_checkstring(L, 1);
  const char *end = line + strlen(line);
  const char *quote = open_ends(line).quote;
  lua_settop(L, 1);
  luaL_checkstack(L, LUA_MINSTACK, NULL);
  lua_newtable(L);
  Candidates c = {.L = L, .list = 2, .left = COMPLETE_FIELDS};
  const char *word = quote ? quote + 1 : end;
  if (!quote)
    while (word > line && is_name_char(word[-1])) word--;
  c.word = word;
  c.len = strlen(word);
  if (quote) {
    if (is_require(line, quote)) complete_modules(&c);
  } else if (word > line && (word[-1] == '.' || word[-1] == ':') &&
             !(word - line >= 2 && word[-2] == word[-1])) {
    complete_fields(&c, line, word - 1);
  } else if (c.len > 0) {
    complete_globals(&c);
  }
  candidates_sort(L, 2);
  lua_pushinteger(L, word - line);
  lua_pushvalue(L, 2);
  lua_remove(L, 2);
  return 3;
}
