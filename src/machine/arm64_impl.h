/* SPDX-License-Identifier: MIT */
/*
** arm64_impl.h -- the registers of AArch64, for assembler.h
**
** The numbers are those of the processor.  Homes are registers that a C function
** need not preserve, so the way in has nothing to save for them.  x16 and x17 are
** the assembler's own.  x18 belongs to the system.
*/
#ifndef PENUMBRA_MACHINE_ARM64_IMPL_H
#define PENUMBRA_MACHINE_ARM64_IMPL_H

#include "base/base.h"

typedef enum Register {
  T0 = 0, /* the first argument and the result of C functions */
  T1 = 2, /* the third argument */
  T2 = 3,
  T3 = 1,    /* the second argument */
  BASE = 19, /* C functions preserve this one and the next */
  STATE = 20,
  NO_REGISTER = 255
} Register;

typedef enum FloatRegister { FT0 = 0, FT1 = 1 } FloatRegister;

enum { WHOLE_HOMES = 12, FLOAT_HOMES = 16 };

/* The machine registers of homes. */
static inline Register whole_home(unsigned n) {
  return (Register)(n + 4); /* x4 ... x15 */
}
static inline FloatRegister float_home(unsigned n) {
  return (FloatRegister)(n < 6 ? n + 2 : n + 10); /* d2 ... d7, d16 ... d25 */
}

/* The size of asm_replace_by_jump. */
enum { ASM_JUMP_BYTES = 4 };

/* Another thread may have written code since this one has run some: what this
** processor has read ahead is not valid.  `last` is the thread that was here
** last.  When its number is used again, by a new thread, the system has done the
** same for that. */
static inline void asm_meet_thread(uintptr_t *last) {
  uintptr_t thread = (uintptr_t)__builtin_thread_pointer();
  if (thread == *last) return;
  __asm__ volatile("isb" ::: "memory");
  *last = thread;
}

#endif
