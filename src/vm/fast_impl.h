/* SPDX-License-Identifier: MIT */
/*
** fast_impl.h -- instructions and registers, for the loop
*/
#ifndef PENUMBRA_VM_FAST_IMPL_H
#define PENUMBRA_VM_FAST_IMPL_H

#include "bytecode/bytecode.h"
#include "object/value.h"

/* The type of `i`.  From a word of 32 bits, gcc takes two machine instructions
** on x86-64 to make an index of the opcode, at the end of every handler. */
#if defined(__x86_64__)
typedef uint64_t LoopWord;
#else
typedef Instruction LoopWord;
#endif

/* Computes the address of a register once for both its fields.  Without the
** asm, compilers compute it again for each field. */
static ALWAYS_INLINE Value *slot_of(Value *base, unsigned index) {
  Value *slot = base + index;
#if defined(__GNUC__)
  __asm__("" : "+r"(slot));
#endif
  return slot;
}

/* The register A of an instruction.  On ARM64 this takes one machine
** instruction, which gcc does not find by itself. */
static ALWAYS_INLINE Value *slot_a(Value *base, Instruction i) {
#if defined(__GNUC__) && defined(__aarch64__)
  static_assert(sizeof(Value) == 16, "registers are so far apart");
  Value *slot;
  __asm__("add %0, %1, %w2, uxtb #4" : "=r"(slot) : "r"(base), "r"(i));
  return slot;
#else
  return slot_of(base, code_a(i));
#endif
}

#endif
