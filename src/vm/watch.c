/* SPDX-License-Identifier: MIT */
/*
** watch.c -- breakpoints, steps and errors, for a debugger
*/
#include "vm/watch.h"

#include <string.h>

#include "bytecode/names.h"
#include "vm/collect.h"
#include "vm/debug.h"
#include "vm/machine_impl.h"

/* -- Calling the debugger -------------------------------------------------- */

enum {
  WATCH_DEPTH = 20 /* nested C calls that the debugger needs */
};

/* False if there is no room for the debugger: in an overflow of a stack. */
static bool watch_has_room(lua_State *L) {
  if (L->c_calls + WATCH_DEPTH >= C_CALLS_MAX) return false;
  return L->limit - L->top >= STACK_MIN_FREE ||
         stack_try_grow(L, STACK_MIN_FREE);
}

static void watch_call(lua_State *L, WatchEvent event) {
  VmState *vm = vm_of(L);
  unsigned hooked = L->frame->status & FRAME_HOOKED;
  ptrdiff_t frame = L->frame - L->frames;
  ptrdiff_t frame_top = stack_save(L, L->frame->top);
  bool allow_hook = L->allow_hook;
  if (L->frame->top < L->top + STACK_MIN_FREE)
    L->frame->top = L->top + STACK_MIN_FREE;
  L->frame->status |= FRAME_HOOKED;
  L->allow_hook = false;
  L->no_yield++;
  vm->watching = true;
  vm->gc_stopped_by |= STOP_DEBUGGER; /* no finalizer runs in a pause */
  vm->watch(L, event, vm->watch_data);
  vm->gc_stopped_by &= (uint8_t)~STOP_DEBUGGER;
  vm->watching = false;
  L->no_yield--;
  L->allow_hook = allow_hook;
  Frame *f = L->frames + frame;
  f->top = stack_restore(L, frame_top);
  f->status = (uint16_t)((f->status & ~FRAME_HOOKED) | hooked);
}

void watch_run(lua_State *L, WatchEvent event) {
  VmState *vm = vm_of(L);
  if (!vm->watch || vm->watching) return;
  ptrdiff_t top = stack_save(L, L->top);
  L->top = stack_live_top(L); /* keep all registers */
  if (watch_has_room(L)) watch_call(L, event);
  L->top = stack_restore(L, top);
}

static void watch_error(lua_State *L) { watch_run(L, WATCH_ERROR); }

void watch_set(lua_State *L, WatchFn *watch, void *data) {
  VmState *vm = vm_of(L);
  vm->watch = watch;
  vm->watch_data = data;
  vm->global.on_error = watch ? watch_error : NULL;
}

/* -- Places of breakpoints ------------------------------------------------- */

/* TFORLOOP is executed with the TFORCALL before it.  CLOSE calls metamethods
** whose return looks at its opcode (RETURN0). */
bool watch_is_place(const Proto *p, uint32_t pc) {
  if (pc >= p->code_size) return false;
  Opcode op = code_op(proto_code(p)[pc]);
  return op != OP_TFORLOOP && op != OP_CLOSE && op != OP_VARARGPREP;
}

/* True if the instruction begins another round of a loop. */
static bool place_is_round(const Proto *p, uint32_t pc) {
  Opcode op = code_op(proto_code(p)[pc]);
  size_t start;
  if (opcode_info[op].traits & OF_LOOP || op == OP_TFORCALL) return true;
  return proto_find_copy(p, pc, &start) && start == pc;
}

void watch_each_place(const Proto *p, int line, WatchPlaceFn *f,
                      void *context) {
  const Instruction *code = proto_code(p);
  int last = -1;
  bool found = false;
  for (uint32_t pc = 0; pc < p->code_size;
       pc += (uint32_t)code_length(code[pc])) {
    if (!watch_is_place(p, pc)) continue;
    int here = proto_line(p, pc);
    bool begins = line == 0 || (here == line && last != line);
    last = here;
    if (!begins || (found && !place_is_round(p, pc))) continue;
    f(context, pc);
    if (line == 0) return;
    found = true;
  }
}

uint32_t watch_next_pc(const Frame *f) {
  const Proto *p = frame_closure(f)->proto;
  int pc = debug_current_pc(f);
  if (pc < 0) return 0;
  size_t start = names_instruction_start(p, (size_t)pc);
  return (uint32_t)start + (uint32_t)code_length(proto_code(p)[start]);
}

/* -- Breakpoints ----------------------------------------------------------- */

/* A superinstruction before the place would pass it.  The longest consists of
** LENAPPEND and three more instructions. */
enum { PAIR_REACH = 3 };

static void separate_pairs(Proto *p, uint32_t place) {
  const Instruction *plain = proto_code(p);
  uint32_t before[PAIR_REACH] = {0};
  unsigned count = 0;
  for (uint32_t pc = 0; pc < place; pc += (uint32_t)code_length(plain[pc]))
    before[count++ % PAIR_REACH] = pc;
  for (unsigned i = 0; i < count && i < PAIR_REACH; i++) {
    Instruction *word = &p->code[before[i]];
    *word = code_with_op(*word, opcode_alone(code_op(*word)));
  }
}

void watch_break_at(lua_State *L, Proto *p, uint32_t pc) {
  ASSERT(watch_is_place(p, pc), "no place for a breakpoint: %u", (unsigned)pc);
  if (!p->plain_code) {
    VECTOR_RESIZE(L, p, p->plain_code, p->code_size);
    memcpy(p->plain_code, p->code, p->code_size * sizeof *p->code);
  }
  NOTE_BREAKPOINT(L);
  bool is_short = code_length(p->plain_code[pc]) == 1;
  separate_pairs(p, pc);
  p->code[pc] = code_with_op(p->code[pc], is_short ? OP_BREAK : OP_BREAKX);
}

/* Operands and AUX words stay: the vm may have changed its hints in them. */
void watch_clear(lua_State *L, Proto *p) {
  const Instruction *plain = p->plain_code;
  if (!plain) return;
  for (uint32_t pc = 0; pc < p->code_size;
       pc += (uint32_t)code_length(plain[pc]))
    p->code[pc] = code_with_op(p->code[pc], code_op(plain[pc]));
  VECTOR_RESIZE(L, p, p->plain_code, 0);
}

Instruction watch_hidden(const Frame *f) {
  const Proto *p = frame_closure(f)->proto;
  return p->plain_code[f->u.lua.pc - p->code - 1];
}

/* -- Threads --------------------------------------------------------------- */

lua_State *watch_resumer(const lua_State *L) {
  if (L->resumer) return L->resumer;
  const ResumeLink *link = L->global->budget.resumes;
  while (link && link->thread != L) link = link->previous;
  return link ? link->from : NULL;
}
