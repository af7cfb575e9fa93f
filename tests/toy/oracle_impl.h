/* SPDX-License-Identifier: MIT */
/*
** oracle_impl.h -- what the files of the oracle share
*/
#ifndef PENUMBRA_ORACLE_IMPL_H
#define PENUMBRA_ORACLE_IMPL_H

#include "toy/oracle.h"

void id_list_add(IdList *list, uint32_t id);

/* The node with this id, which must have been created. */
ShadowNode *shadow_of(const Oracle *oracle, uint32_t id);

bool shadow_is_table(const ShadowNode *node);
ShadowEntry *shadow_find(ShadowNode *table, uint32_t key);
void shadow_remove_entry(ShadowNode *table, ShadowEntry *entry);

/* Gives an upvalue the value its slot has. */
void shadow_close_upvalue(Oracle *oracle, ShadowNode *upvalue);
/* What the upvalue refers to. */
uint32_t shadow_upvalue_value(const Oracle *oracle, const ShadowNode *upvalue);

void shadow_free(ShadowNode *node);

/* -- oracle_reach.c -------------------------------------------------------- */

/* Marks all that is reachable from roots, the running stack and
** the queue with a new round; returns the round. */
uint32_t reach_all(Oracle *oracle);

/* Marks what is reachable from one object, too. */
void reach_from(Oracle *oracle, uint32_t id);

/* How the object was reached, for messages. */
const char *reach_path(const Oracle *oracle, uint32_t id);

static inline bool reach_has(const Oracle *oracle, uint32_t id) {
  return shadow_of(oracle, id)->mark == oracle->round;
}

/* Would a table of this kind keep the entry for want of a living key or value,
** or are they not weak in it? */
bool shadow_key_is_weak(const Oracle *oracle, const ShadowNode *table,
                        uint32_t key);
bool shadow_value_is_weak(const Oracle *oracle, const ShadowNode *holder,
                          uint32_t value);

/* -- oracle_check.c -------------------------------------------------------- */

/* Like reach_all, but looks into the real tables first, for entries that have
** been cleared. */
void reach_without_lost_entries(Oracle *oracle);

/* Compares everything marked in this round with what is really there. */
void check_reached(Oracle *oracle);

#endif
