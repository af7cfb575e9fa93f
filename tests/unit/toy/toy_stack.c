/* SPDX-License-Identifier: MIT */
/*
** toy_stack.c -- stacks, frames, and upvalues that refer to slots
**
** The running stack writes the slots of its top frame without a barrier, and
** the collector visits them last.  Any other write (into a lower frame, or from
** outside) tells the collector.  A return into a visited frame tells it, too:
** toy_return tests `watched`, as the return of an interpreter would test a bit
** of the frame.
**
** A stack refers to its open upvalues, but an open upvalue does not refer to
** its stack, only to the value in the slot.  When a stack dies, its open
** upvalues may live on, so `dying` gives them values of their own.
*/
#include "toy/toy_impl.h"

ToyRef toy_new_stack(Toy *toy, size_t capacity) {
  ToyStack *stack = toy_new(toy, sizeof *stack, TOY_STACK);
  if (!stack) return 0;
  stack->gc.epoch = 0;
  stack->gc.watermark = 0;
  stack->base = stack->top = stack->capacity = stack->watched = 0;
  stack->part = NULL;
  stack->open = NULL;
  ToyRef result = toy->newborn = toy_ref_of(&stack->gc.cell);
  if (!toy_stack_reserve(toy, result, capacity) ||
      !gc_register_dying(&toy->gc, &stack->gc.cell))
    result = 0;
  toy->newborn = 0;
  return result;
}

bool toy_stack_reserve(Toy *toy, ToyRef ref, size_t capacity) {
  ToyStack *stack = toy_stack(ref);
  if (capacity <= stack->capacity) return true;
  ToyPart *part;
  if (stack->part)
    part = gc_resize_part(&toy->gc, stack->part, toy_part_size(stack->capacity),
                          toy_part_size(capacity));
  else
    part = toy_new_part(toy, stack->id, capacity);
  if (!part) return false;
  stack->part = part;
  stack->capacity = capacity;
  gc_part_replaced(&toy->gc, &stack->gc.cell, &part->cell);
  return true;
}

ToyRef toy_running(const Toy *toy) { return (ToyRef)toy->gc.running; }

void toy_switch(Toy *toy, ToyRef stack) {
  gc_stack_switch(&toy->gc, toy_cell(stack));
}

/* -- Slots ----------------------------------------------------------------- */

static bool stack_runs(const Toy *toy, const ToyStack *stack) {
  return toy->gc.running == &stack->gc.cell;
}

/* Tells the collector that the top moved down to `slot`, or up from it.  The
** slots above are new. */
static void stack_moved(Toy *toy, ToyStack *stack, size_t slot) {
  if (stack_runs(toy, stack)) return;
  gc_stack_lower(&toy->gc, &stack->gc, slot);
  gc_stack_touch(&toy->gc, &stack->gc.cell);
}

bool toy_stack_push(Toy *toy, ToyRef ref, ToyRef value) {
  ToyStack *stack = toy_stack(ref);
  if (stack->top == stack->capacity &&
      !toy_stack_reserve(toy, ref, 2 * stack->capacity + 8))
    return false;
  stack->part->slot[stack->top++] = value;
  stack_moved(toy, stack, stack->top - 1);
  return true;
}

/* Pops at most down to the base of the top frame. */
void toy_stack_pop(Toy *toy, ToyRef ref, size_t count) {
  ToyStack *stack = toy_stack(ref);
  count = size_min(count, stack->top - stack->base);
  toy_stack_close_upvalues(&toy->gc, stack, stack->top - count);
  stack->top -= count;
  stack_moved(toy, stack, stack->top);
}

void toy_stack_set(Toy *toy, ToyRef ref, size_t slot, ToyRef value) {
  ToyStack *stack = toy_stack(ref);
  stack->part->slot[slot] = value;
  if (stack_runs(toy, stack) && slot >= stack->base) return;
  gc_stack_barrier(&toy->gc, &stack->gc.cell, toy_cell(value));
}

/* -- Frames ---------------------------------------------------------------- */

bool toy_call(Toy *toy) {
  ToyStack *stack = (ToyStack *)(void *)toy->gc.running;
  if (!toy_stack_push(toy, toy_running(toy), toy_number(stack->base)))
    return false;
  stack->base = stack->top;
  return true;
}

bool toy_return(Toy *toy) {
  ToyStack *stack = (ToyStack *)(void *)toy->gc.running;
  if (stack->base == 0) return false;
  toy_stack_close_upvalues(&toy->gc, stack, stack->base - 1);
  stack->top = stack->base - 1;
  stack->base = toy_number_of(stack->part->slot[stack->top]);
  if (stack->base < stack->watched) {
    gc_stack_lower(&toy->gc, &stack->gc, stack->base);
    stack->watched = stack->base;
  }
  return true;
}

/* -- Upvalues -------------------------------------------------------------- */

ToyRef toy_new_upvalue(Toy *toy, ToyRef ref, size_t slot) {
  ToyStack *stack = toy_stack(ref);
  for (ToyUpvalue *up = stack->open; up; up = up->next)
    if (up->slot == slot) return toy_ref_of(&up->cell);
  ToyUpvalue *up = toy_new(toy, sizeof *up, TOY_UPVALUE);
  if (!up) return 0;
  up->slot = slot;
  up->stack = stack;
  up->value = 0;
  up->next = stack->open;
  stack->open = up;
  if (!stack_runs(toy, stack)) gc_stack_touch(&toy->gc, &stack->gc.cell);
  return toy_ref_of(&up->cell);
}

static void upvalue_close(Gc *gc, ToyUpvalue *up) {
  up->value = up->stack->part->slot[up->slot];
  up->stack = NULL;
  up->next = NULL;
  if (gc) gc_barrier_forward(gc, &up->cell, toy_cell(up->value));
}

void toy_stack_close_upvalues(Gc *gc, ToyStack *stack, size_t slot) {
  ToyUpvalue **link = &stack->open;
  while (*link) {
    ToyUpvalue *up = *link;
    if (up->slot < slot) {
      link = &up->next;
      continue;
    }
    *link = up->next;
    upvalue_close(gc, up);
  }
}

void toy_upvalue_close(Toy *toy, ToyRef ref) {
  ToyUpvalue *up = toy_upvalue(ref);
  if (!up->stack) return;
  ToyUpvalue **link = &up->stack->open;
  while (*link != up) link = &(*link)->next;
  *link = up->next;
  upvalue_close(&toy->gc, up);
}

ToyRef toy_upvalue_get(ToyRef ref) {
  ToyUpvalue *up = toy_upvalue(ref);
  return up->stack ? up->stack->part->slot[up->slot] : up->value;
}

void toy_upvalue_set(Toy *toy, ToyRef ref, ToyRef value) {
  ToyUpvalue *up = toy_upvalue(ref);
  if (up->stack)
    toy_stack_set(toy, toy_ref_of(&up->stack->gc.cell), up->slot, value);
  else
    up->value = value;
  gc_barrier_forward(&toy->gc, &up->cell, toy_cell(value));
}
