/* SPDX-License-Identifier: MIT */
/*
** json.c -- text inside of JSON strings
*/
#include "observe/json.h"

#include <stdio.h>
#include <string.h>

/* Length of the UTF-8 sequence at s; 0 if there is no valid one. */
static size_t json_utf8_length(const unsigned char *s, size_t size) {
  static const unsigned char least[] = {0, 0, 0x80, 0xA0, 0x90};
  size_t length = s[0] >= 0xF0 ? 4 : s[0] >= 0xE0 ? 3 : 2;
  if (s[0] < 0xC2 || s[0] > 0xF4 || length > size) return 0;
  for (size_t i = 1; i < length; i++)
    if ((s[i] & 0xC0) != 0x80) return 0;
  if ((s[0] == 0xE0 || s[0] == 0xF0) && s[1] < least[length]) return 0;
  if ((s[0] == 0xED && s[1] >= 0xA0) || (s[0] == 0xF4 && s[1] >= 0x90))
    return 0;
  return length;
}

size_t json_character(char text[JSON_CHARACTER], const char *bytes,
                      size_t size) {
  const unsigned char *s = (const unsigned char *)bytes;
  size_t length = s[0] < 0x80 ? 1 : json_utf8_length(s, size);
  if (length == 0)
    snprintf(text, JSON_CHARACTER, "\\\\x%02X", s[0]);
  else if (s[0] < 0x20 || s[0] == 0x7F)
    snprintf(text, JSON_CHARACTER, "\\u%04x", s[0]);
  else if (s[0] == '"' || s[0] == '\\')
    snprintf(text, JSON_CHARACTER, "\\%c", s[0]);
  else
    snprintf(text, JSON_CHARACTER, "%.*s", (int)length, bytes);
  return length > 0 ? length : 1;
}
