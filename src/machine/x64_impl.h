/* SPDX-License-Identifier: MIT */
/*
** x64_impl.h -- the registers of x86-64, for assembler.h
*/
#ifndef PENUMBRA_MACHINE_X64_IMPL_H
#define PENUMBRA_MACHINE_X64_IMPL_H

#include "base/base.h"

typedef enum Register {
  T0 = 0,    /* rax: results of C functions and of divisions */
  T1 = 1,    /* rcx: shift counts */
  T2 = 2,    /* rdx: remainders */
  T3 = 6,    /* rsi */
  BASE = 3,  /* rbx */
  STATE = 5, /* rbp */
  NO_REGISTER = 255
} Register;

typedef enum FloatRegister { FT0 = 0, FT1 = 1 } FloatRegister;

enum { WHOLE_HOMES = 9, FLOAT_HOMES = 14 };

/* The machine registers of homes. */
static inline Register whole_home(unsigned n) {
  return n == 0 ? (Register)7 : (Register)(n + 7); /* rdi, r8 ... r15 */
}
static inline FloatRegister float_home(unsigned n) {
  return (FloatRegister)(n + 2); /* xmm2 ... xmm15 */
}

/* The size of asm_replace_by_jump. */
enum { ASM_JUMP_BYTES = 5 };

/* This processor sees what another one has written. */
static inline void asm_meet_thread(UNUSED uintptr_t *last) {}

#endif
