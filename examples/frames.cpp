// SPDX-License-Identifier: MIT
//
// frames.cpp -- an engine's loop: each frame runs a script, and then the
// collector in the rest of its time
//
//    frames [frames [live objects]]
//
// The collector is stopped, so it never works while the script runs.  At the
// end of each frame it gets the time that is left.  Prints how many frames were
// late, how many cycles ended, and how large the heap became.

#include <chrono>
#include <cstdio>
#include <cstdlib>

#include <lua.hpp>
#include <penumbra.h>

using Clock = std::chrono::steady_clock;

static const char script[] =
    "local live = {}\n"
    "function begin(n) for i = 1, n do live[i] = {i, {x = i}} end end\n"
    "function update(frame)\n"
    "  for i = 1, 300 do\n"
    "    live[(frame * 300 + i) % #live + 1] = {i, {x = frame}}\n"
    "  end\n"
    "end\n";

// Calls a function of the script.  Ends the program if that fails.
static void call_script(lua_State *L, const char *name, lua_Integer argument) {
  lua_getglobal(L, name);
  lua_pushinteger(L, argument);
  if (lua_pcall(L, 1, 0, 0) == LUA_OK) return;
  std::fprintf(stderr, "frames: %s\n", lua_tostring(L, -1));
  std::exit(EXIT_FAILURE);
}

static lua_Unsigned microseconds(Clock::duration d) {
  const auto us = std::chrono::duration_cast<std::chrono::microseconds>(d).count();
  return us > 0 ? static_cast<lua_Unsigned>(us) : 1;
}

int main(int argc, char **argv) {
  const int frames = argc > 1 ? std::atoi(argv[1]) : 600;
  const int objects = argc > 2 ? std::atoi(argv[2]) : 200000;
  const Clock::duration budget = std::chrono::microseconds(1500);
  lua_State *L = luaL_newstate();
  if (L == nullptr) return EXIT_FAILURE;
  luaL_openlibs(L);
  if (luaL_dostring(L, script) != LUA_OK) return EXIT_FAILURE;
  call_script(L, "begin", objects);

  lua_gc(L, LUA_GCSTOP);
  int late = 0, cycles = 0;
  for (int frame = 0; frame < frames; frame++) {
    const auto end = Clock::now() + budget;
    call_script(L, "update", frame);
    penumbra_Step told;
    told.size = sizeof told;
    penumbra_step(L, microseconds(end - Clock::now()), &told);
    cycles += told.ended;
    late += Clock::now() > end + budget;
  }

  penumbra_Stats stats;
  stats.size = sizeof stats;
  penumbra_getstats(L, &stats);
  std::printf("%d frames, %d late, %d cycles, %.1f MB, %.1f MB live\n", frames,
              late, cycles, static_cast<double>(stats.peak) / 1e6,
              static_cast<double>(stats.live) / 1e6);
  lua_close(L);
  return cycles > 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
