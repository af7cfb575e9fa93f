// SPDX-License-Identifier: MIT
//
// jump_throw.cpp -- errors by C++ exceptions
//
// Replaces jump.c in the library for C++ hosts, in which all C code is compiled
// with -fexceptions.  An error that passes through functions of the host runs
// the destructors of their variables.
//
// The exception is a pointer to the protected call that it is meant for.  Any
// other exception that arrives here was thrown by the host, through Lua.  It
// ends at the protected call and becomes a Lua error.  Cancellation of a thread
// passes through.

#include "jump.h"

#include <cxxabi.h>
#include <exception>

void jump_catch(RaisePoint *point, lua_State *L, RaiseBody *body, void *data) {
  try {
    body(L, data);
  } catch (RaisePoint *thrown) {
    if (thrown != point) throw;
  } catch (abi::__forced_unwind &) {
    throw;
  } catch (const std::exception &exception) {
    raise_foreign(L, point, exception.what());
  } catch (...) {
    raise_foreign(L, point, "C++ exception");
  }
}

void jump_to(RaisePoint *point) { throw point; }

int jump_is_exception() { return 1; }
