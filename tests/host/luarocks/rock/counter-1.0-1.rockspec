package = "counter"
version = "1.0-1"
source = {url = "file://counter"}
description = {summary = "Counts", license = "MIT"}
dependencies = {"lua >= 5.4, < 5.5"}
build = {
  type = "builtin",
  modules = {
    ["counter"] = "counter.lua",
    ["counter.core"] = "counter.c",
  },
  install = {bin = {"count"}},
}
