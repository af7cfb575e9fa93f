/* SPDX-License-Identifier: MIT */
/*
** native.c -- the functions of the libraries that need no frame
*/
#include "vm/machine_impl.h"

/* Without a frame, `out` is the slot of the called function, and the registers
** of the caller above it are free. */
void native_collect(lua_State *L, Value *out) {
  if (IN_MACHINE_CALL(L)) return;
  if (!native_has_frame(L)) {
    collect_step_below(L, out + 1);
    return;
  }
  L->top = out + 1;
  collect_step(L);
}

int native_run_checked(lua_State *L, NativeFn *run, Value *func,
                       unsigned argc) {
  enum { CHECKED = 8 };
  Value before[CHECKED];
  const unsigned count = argc + 1 < CHECKED ? argc + 1 : CHECKED;
  const ptrdiff_t place = stack_save(L, func);
  for (unsigned i = 0; i < count; i++) before[i] = func[i];
  int done = run(L, func + 1, argc, func);
  func = stack_restore(L, place);
  for (unsigned i = 0; i < count && done == NATIVE_RETRY; i++)
    ASSERT(func[i].tag == before[i].tag && func[i].as.bits == before[i].as.bits,
           "a NativeFn without effect has changed slot %u", i);
  return done;
}

/* -- The slots ------------------------------------------------------------- */

/* Stores the function in one of its two slots.  False if both are taken. */
static bool put(VmState *vm, const NativeSlot *n) {
  uint64_t distance = (uint64_t)(int64_t)n->function;
  NativeSlot *slot = vm->natives[native_row(vm, distance)];
  if (slot->function && slot->function != n->function) slot++;
  if (slot->function && slot->function != n->function) return false;
  *slot = *n;
  return true;
}

/* Stores all functions again, with another multiplier.  False if one finds no
** slot. */
static bool put_all(VmState *vm, const NativeSlot *all, int count) {
  vm->native_multiplier += UINT64_C(0x9e3779b97f4a7c15);
  memset(vm->natives, 0, sizeof vm->natives);
  for (int i = 0; i < count; i++)
    if (!put(vm, &all[i])) return false;
  return true;
}

static int copy_slots(const VmState *vm, NativeSlot *all) {
  int count = 0;
  for (int row = 0; row < NATIVE_ROWS; row++)
    for (int i = 0; i < 2; i++)
      if (vm->natives[row][i].function) all[count++] = vm->natives[row][i];
  return count;
}

/* False if the distance does not fit into 32 bits. */
static bool distance_to(const VmState *vm, uintptr_t address, int32_t *out) {
  int64_t distance = (int64_t)((uint64_t)address - vm->native_base);
  *out = (int32_t)distance;
  return *out == distance;
}

/* Tries multipliers until each function has a slot.  Most slots are free, so
** there is such a multiplier. */
void native_set(lua_State *L, CFunction function, NativeFn *run) {
  VmState *vm = vm_of(L);
  NativeSlot all[2 * NATIVE_ROWS + 1], new;
  vm->native_base = (uint64_t)(uintptr_t)native_set;
  if (!distance_to(vm, (uintptr_t)function, &new.function) ||
      !distance_to(vm, (uintptr_t)run, &new.run))
    return;
  if (vm->native_multiplier != 0 && put(vm, &new)) return;
  int count = copy_slots(vm, all);
  ASSERT(count < NATIVE_ROWS, "too many native functions: %d", count);
  all[count++] = new;
  while (!put_all(vm, all, count)) continue;
}
