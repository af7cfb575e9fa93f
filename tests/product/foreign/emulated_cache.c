/* SPDX-License-Identifier: MIT */
/*
** emulated_cache.c -- lets an emulator see that code has been written
**
** Stands for the compiler's function behind __builtin___clear_cache, in programs
** for AArch64 that run in QEMU.  A real processor is told by instructions for its
** caches.  QEMU before 8.1 ignores those, and does not see what is written by
** another mapping of the same page: it goes on with what it has translated before.
** It forgets that when the protection of a page changes.  So here, as on a real
** processor, code that was changed without a word goes wrong.
*/
#include <stdint.h>
#include <sys/mman.h>

void __clear_cache(void *from, void *to);

void __clear_cache(void *from, void *to) {
  const uintptr_t page = 4096;
  uintptr_t start = (uintptr_t)from & ~(page - 1);
  size_t size = (size_t)((uintptr_t)to - start);
  mprotect((void *)start, size, PROT_READ | PROT_WRITE | PROT_EXEC);
  mprotect((void *)start, size, PROT_READ | PROT_EXEC);
}
