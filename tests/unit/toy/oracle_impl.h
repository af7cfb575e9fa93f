/* SPDX-License-Identifier: MIT */
/*
** oracle_impl.h -- what the files of the oracle share
*/
#ifndef PENUMBRA_ORACLE_IMPL_H
#define PENUMBRA_ORACLE_IMPL_H

#include "toy/oracle.h"

void id_list_add(IdList *list, uint32_t id);

/* The node with this id.  It must have been created. */
ShadowNode *shadow_of(const Oracle *oracle, uint32_t id);

bool shadow_is_table(const ShadowNode *node);
ShadowEntry *shadow_find(ShadowNode *table, uint32_t key);
void shadow_remove_entry(ShadowNode *table, ShadowEntry *entry);

/* Gives an upvalue the value of its slot. */
void shadow_close_upvalue(Oracle *oracle, ShadowNode *upvalue);
/* The id that the upvalue refers to. */
uint32_t shadow_upvalue_value(const Oracle *oracle, const ShadowNode *upvalue);

void shadow_free(ShadowNode *node);

/* -- oracle_reach.c -------------------------------------------------------- */

/* Begins a new round, and marks all that is reachable from the roots, the
** running stack and the queue.  Returns the round. */
uint32_t reach_all(Oracle *oracle);

/* Also marks all that is reachable from one object. */
void reach_from(Oracle *oracle, uint32_t id);

/* How the object was reached, for messages. */
const char *reach_path(const Oracle *oracle, uint32_t id);

static inline bool reach_has(const Oracle *oracle, uint32_t id) {
  return shadow_of(oracle, id)->mark == oracle->round;
}

/* True if the table, or weak array, holds this key or value weakly. */
bool shadow_key_is_weak(const Oracle *oracle, const ShadowNode *table,
                        uint32_t key);
bool shadow_value_is_weak(const Oracle *oracle, const ShadowNode *holder,
                          uint32_t value);

/* -- oracle_check.c -------------------------------------------------------- */

/* Like reach_all, but first looks for entries that have been cleared from the
** real tables. */
void reach_without_lost_entries(Oracle *oracle);

/* Compares all nodes marked in this round with the real objects. */
void check_reached(Oracle *oracle);

#endif
