/* SPDX-License-Identifier: MIT */
/*
** debug.c -- looking at running functions
*/
#include "vm/debug.h"

#include <string.h>

#include "bytecode/bytecode.h"
#include "bytecode/names.h"
#include "object/format.h"
#include "vm/loop_state.h"
#include "vm/machine_impl.h"
#include "lua.h"

/* -- Frames ---------------------------------------------------------------- */

/* i_ci holds the number of a frame and not its address, because frames move. */
void debug_set_frame(lua_Debug *ar, ptrdiff_t number) {
  ar->i_ci = (struct CallInfo *)(uintptr_t)number;
}

static Frame *debug_frame(const lua_State *L, const lua_Debug *ar) {
  return L->frames + (uintptr_t)ar->i_ci;
}

int debug_current_pc(const Frame *f) {
  return (int)(f->u.lua.pc - frame_closure(f)->proto->code) - 1;
}

int debug_current_line(const Frame *f) {
  const Proto *p = frame_closure(f)->proto;
  int pc = debug_current_pc(f);
  return proto_line(p, pc < 0 ? 0 : (size_t)pc);
}

bool debug_get_stack(lua_State *L, int level, lua_Debug *ar) {
  ptrdiff_t number = L->frame - L->frames;
  if (level < 0 || level >= number) return false;
  debug_set_frame(ar, number - level);
  return true;
}

/* -- What a function is ---------------------------------------------------- */

static void info_source_c(lua_Debug *ar) {
  ar->source = "=[C]";
  ar->srclen = strlen("=[C]");
  ar->linedefined = -1;
  ar->lastlinedefined = -1;
  ar->what = "C";
}

static void info_source_lua(lua_Debug *ar, const Proto *p) {
  ar->source = p->source ? string_bytes(p->source) : "=?";
  ar->srclen = p->source ? string_length(p->source) : strlen("=?");
  ar->linedefined = p->first_line;
  ar->lastlinedefined = p->last_line;
  ar->what = p->first_line == 0 ? "main" : "Lua";
}

static const Proto *proto_of(const Value *func) {
  return value_is_lua_closure(func) ? value_lua_closure(func)->proto : NULL;
}

static void info_source(lua_Debug *ar, const Value *func) {
  const Proto *p = proto_of(func);
  if (p)
    info_source_lua(ar, p);
  else
    info_source_c(ar);
  source_to_id(ar->short_src, ar->source, ar->srclen);
}

static void info_upvalues(lua_Debug *ar, const Value *func) {
  const Proto *p = proto_of(func);
  ar->nups = 0;
  if (func->tag == TAG_C_CLOSURE) ar->nups = value_c_closure(func)->cell.user;
  if (p) ar->nups = value_lua_closure(func)->cell.user;
  ar->isvararg = p ? (char)p->is_vararg : 1;
  ar->nparams = p ? p->param_count : 0;
}

/* -- How it was called ----------------------------------------------------- */

const char *debug_name_callee(const Frame *f, const char **name) {
  if (f->status & FRAME_HOOKED) {
    *name = "?";
    return "hook";
  }
  if (f->status & FRAME_FINALIZER) {
    *name = "__gc";
    return "metamethod";
  }
  if (!frame_is_lua(f)) return NULL;
  return names_called(frame_closure(f)->proto, (size_t)debug_current_pc(f),
                      name);
}

static void info_name(lua_Debug *ar, const Frame *f) {
  const char *what = NULL;
  if (f && !(f->status & FRAME_TAIL))
    what = debug_name_callee(f - 1, &ar->name);
  ar->namewhat = what ? what : "";
  if (!what) ar->name = NULL;
}

static void info_transfer(lua_Debug *ar, const Frame *f) {
  bool known = f && f->status & FRAME_TRANSFER;
  ar->ftransfer = known ? f->u2.transfer.first : 0;
  ar->ntransfer = known ? f->u2.transfer.count : 0;
}

/* -- The answer ------------------------------------------------------------ */

/* Fills in the fields for one letter of lua_getinfo.  False if the letter is
** unknown. */
static bool info_fill(lua_Debug *ar, char letter, const Value *func,
                      const Frame *f) {
  switch (letter) {
    case 'S': info_source(ar, func); return true;
    case 'l':
      ar->currentline = f && frame_is_lua(f) ? debug_current_line(f) : -1;
      return true;
    case 'u': info_upvalues(ar, func); return true;
    case 't':
      ar->istailcall = f ? (f->status & FRAME_TAIL) != 0 : 0;
      return true;
    case 'n': info_name(ar, f); return true;
    case 'r': info_transfer(ar, f); return true;
    case 'L':
    case 'f': return true; /* pushed afterwards */
    default: return false;
  }
}

/* Pushes the set of lines that have instructions; nil for C functions.  The
** first instruction of a vararg function does not count. */
static void push_lines(lua_State *L, const Value *func) {
  const Proto *p = proto_of(func);
  if (!p) {
    value_set_nil(L->top++);
    return;
  }
  Value yes;
  value_set_bool(&yes, true);
  Table *lines = table_new(L);
  value_set_table(L->top++, lines);
  if (!p->line_offset) return;
  uint32_t pc = p->is_vararg ? 1 : 0;
  while (pc < p->code_size) {
    table_set_int(L, lines, proto_line(p, pc), &yes);
    pc += (uint32_t)code_length(proto_code(p)[pc]);
  }
}

/* A popped function stays on the stack while its lines are pushed: an emergency
** may come, and there may be no other reference to it. */
bool debug_get_info(lua_State *L, const char *what, lua_Debug *ar) {
  Value func;
  const Frame *f = NULL;
  bool known = true, popped = *what == '>';
  if (popped) {
    what++;
    value_copy(&func, --L->top);
  } else {
    f = debug_frame(L, ar);
    value_copy(&func, f->func);
  }
  for (const char *letter = what; *letter; letter++)
    known &= info_fill(ar, *letter, &func, f);
  bool keeps = strchr(what, 'f') != NULL;
  if (keeps || (popped && strchr(what, 'L'))) value_copy(L->top++, &func);
  if (!strchr(what, 'L')) return known;
  push_lines(L, &func);
  if (popped && !keeps) {
    value_copy(L->top - 2, L->top - 1);
    L->top--;
  }
  return known;
}

/* -- Local variables ------------------------------------------------------- */

static Value *vararg_slot(const Frame *f, int n, const char **name) {
  if (!frame_closure(f)->proto->is_vararg) return NULL;
  int extra = (int)f->u.lua.extra_args;
  if (n < -extra) return NULL;
  *name = "(vararg)";
  return f->func - (extra + n + 1);
}

/* The slot of variable n and its name, or NULL. */
static Value *local_slot(lua_State *L, const Frame *f, int n,
                         const char **name) {
  *name = NULL;
  if (frame_is_lua(f)) {
    if (n < 0) return vararg_slot(f, n, name);
    *name = proto_local_name(frame_closure(f)->proto, n,
                             (size_t)debug_current_pc(f));
  }
  if (!*name) {
    const Value *end = f == L->frame ? L->top : f[1].func;
    if (n <= 0 || end - (f->func + 1) < n) return NULL;
    *name = frame_is_lua(f) ? "(temporary)" : "(C temporary)";
  }
  return f->func + n;
}

/* True if the slot belongs to no variable of the program.  Such a slot has a
** name that begins with '('. */
static bool name_is_hidden(const Frame *f, const char *name) {
  return frame_is_lua(f) && *name == '(';
}

const char *debug_get_local(lua_State *L, const lua_Debug *ar, int n) {
  const char *name;
  if (!ar) { /* parameters of the function on top */
    const Proto *p = proto_of(L->top - 1);
    return p ? proto_local_name(p, n, 0) : NULL;
  }
  const Frame *f = debug_frame(L, ar);
  const Value *slot = local_slot(L, f, n, &name);
  if (!slot) return NULL;
  if (!name_is_hidden(f, name) || !loop_state_get(f, slot, L->top))
    value_copy(L->top, slot);
  if (value_type(L->top) > TYPE_THREAD) value_set_nil(L->top); /* an anchor */
  L->top++;
  return name;
}

/* True if the slot belongs to a loop, which then has the value. */
static bool loop_is_set(const Frame *f, const char *name, Value *slot,
                        const Value *v) {
  if (!frame_is_lua(f)) return false;
  return name_is_hidden(f, name) ? loop_state_set(f, slot, v)
                                 : loop_variable_set(f, slot, v);
}

const char *debug_set_local(lua_State *L, const lua_Debug *ar, int n) {
  const char *name;
  const Frame *f = debug_frame(L, ar);
  Value *slot = local_slot(L, f, n, &name);
  if (!slot) return NULL;
  L->top--;
  if (!loop_is_set(f, name, slot, L->top)) value_copy(slot, L->top);
  stack_barrier(L, slot);
  NOTE_SLOT_WRITTEN(L->frames + (uintptr_t)ar->i_ci);
  return name;
}

/* -- Hooks ----------------------------------------------------------------- */

/* May be called from a signal handler, so it only stores.  The mask comes
** last. */
void debug_set_hook(lua_State *L, HookFunction hook, int mask, int count) {
  if (!hook || mask == 0) {
    hook = NULL;
    mask = 0;
  }
  L->hook = hook;
  L->base_hook_count = count;
  L->hook_count = count;
  L->hook_mask = (uint8_t)((mask & ~HOOK_STEP) | (L->hook_mask & HOOK_STEP));
}
