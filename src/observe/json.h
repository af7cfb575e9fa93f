/* SPDX-License-Identifier: MIT */
/*
** json.h -- text inside of JSON strings
*/
#ifndef PENUMBRA_OBSERVE_JSON_H
#define PENUMBRA_OBSERVE_JSON_H

#include "base/base.h"

enum { JSON_CHARACTER = 8 };

/* Writes the first character of `bytes` as it stands in a JSON string, and
** returns how many bytes it has there.  A byte that is not UTF-8 is written as
** the text \xNN. */
size_t json_character(char text[JSON_CHARACTER], const char *bytes,
                      size_t size);

#endif
