# How everything is compiled.  The presets choose among these settings.

if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Release, Debug or RelWithDebInfo"
      FORCE)
endif()
if(CMAKE_BUILD_TYPE STREQUAL "Release")
  set(is_release ON)
else()
  set(is_release OFF)
endif()
if(is_release)
  set(assertions OFF)
else()
  set(assertions ON)
endif()

set(PENUMBRA_OPTIMIZE 2 CACHE STRING "Optimization level of Release (-O<n>)")
set(PENUMBRA_SANITIZE "" CACHE STRING "address, undefined, thread, or nothing")
option(PENUMBRA_DEBUG "Compile the assertions in" ${assertions})
option(PENUMBRA_STRESS "Switch the deep run-time checks on by default" OFF)
option(PENUMBRA_LTO "Optimize across files, where supported" ${is_release})
option(PENUMBRA_WERROR "Treat warnings as errors" OFF)

set(CMAKE_C_STANDARD 11)
set(CMAKE_C_STANDARD_REQUIRED ON)
set(CMAKE_C_EXTENSIONS OFF)
set(CMAKE_C_FLAGS_RELEASE "-O${PENUMBRA_OPTIMIZE} -DNDEBUG")
set(CMAKE_C_FLAGS_DEBUG "-O1 -g")
set(CMAKE_C_FLAGS_RELWITHDEBINFO "-O2 -g")

# Strict C11 hides POSIX; this shows it again.
add_compile_definitions(_DEFAULT_SOURCE=1)
if(PENUMBRA_DEBUG)
  add_compile_definitions(PENUMBRA_DEBUG=1)
endif()
if(PENUMBRA_STRESS)
  add_compile_definitions(PENUMBRA_STRESS=1)
endif()

# The same objects go into the shared library and the executables; only what
# is marked as public API leaves either.
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_C_VISIBILITY_PRESET hidden)

# A fused multiply-add would make arithmetic differ from machine to machine.
add_compile_options(-ffp-contract=off)

add_compile_options(-Wall -Wextra -Wshadow -Wstrict-prototypes
                    -Wmissing-prototypes -Wpointer-arith -Wundef -Wvla
                    -Wwrite-strings)
if(PENUMBRA_WERROR)
  add_compile_options(-Werror)
endif()

if(PENUMBRA_SANITIZE)
  add_compile_options(-fsanitize=${PENUMBRA_SANITIZE} -fno-sanitize-recover=all
                      -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${PENUMBRA_SANITIZE})
endif()

if(PENUMBRA_LTO)
  include(CheckIPOSupported)
  check_ipo_supported(RESULT lto_works OUTPUT lto_output LANGUAGES C)
  if(lto_works)
    set(CMAKE_INTERPROCEDURAL_OPTIMIZATION ON)
    # Objects hold machine code as well, so that the many unit tests link
    # quickly, without LTO.
    if(CMAKE_C_COMPILER_ID STREQUAL GNU)
      set(CMAKE_C_COMPILE_OPTIONS_IPO -flto=auto -ffat-lto-objects)
    endif()
    # Each such link uses all processors by itself: one at a time.
    set_property(GLOBAL PROPERTY JOB_POOLS link=1)
    set(CMAKE_JOB_POOL_LINK link)
  else()
    message(STATUS "No link-time optimization with this compiler")
  endif()
endif()

# Executables and libraries lie directly in the build folder.
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}")
set(CMAKE_LIBRARY_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}")
set(CMAKE_ARCHIVE_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}")
