// SPDX-License-Identifier: MIT
//
// lua.hpp -- the C headers for C++ hosts
//
// The declarations carry their own extern "C"; this file exists because
// C++ programs expect it.

#ifndef lua_hpp
#define lua_hpp

#include "lua.h"
#include "lauxlib.h"
#include "lualib.h"

#endif
