/* SPDX-License-Identifier: MIT */
/*
** settings.c -- switching on debug settings by name
*/
#include "gc/gc_impl.h"

#include <string.h>

typedef struct Setting {
  const char *name;
  size_t offset;
} Setting;

static const Setting settings[] = {
    {"step", offsetof(Gc, debug.step_always)},
    {"collect", offsetof(Gc, debug.collect_always)},
    {"verify", offsetof(Gc, debug.verify)},
    {"checkmark", offsetof(Gc, debug.checkmark)},
    {"poison", offsetof(Gc, heap.poison)},
};

static bool *setting_find(Gc *gc, const char *name, size_t length) {
  for (size_t i = 0; i < sizeof settings / sizeof *settings; i++)
    if (strlen(settings[i].name) == length &&
        memcmp(settings[i].name, name, length) == 0)
      return (bool *)((char *)gc + settings[i].offset);
  return NULL;
}

static void settings_clear(Gc *gc) {
  for (size_t i = 0; i < sizeof settings / sizeof *settings; i++)
    *(bool *)((char *)gc + settings[i].offset) = false;
}

bool gc_debug_settings(Gc *gc, const char *names) {
  settings_clear(gc);
  while (*names) {
    size_t length = strcspn(names, ",");
    bool *setting = setting_find(gc, names, length);
    if (!setting && length > 0) return false;
    if (setting) *setting = true;
    names += length;
    names += *names == ',';
  }
  return true;
}
