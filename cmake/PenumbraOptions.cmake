# How everything is compiled.  The presets choose among these settings.

# Without a build type, Release is used.  Inside another project this default
# holds in our folder only: the build type of that project is its own choice.
if(NOT CMAKE_BUILD_TYPE AND PROJECT_IS_TOP_LEVEL)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Release, Debug or RelWithDebInfo"
      FORCE)
elseif(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release)
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
set(PENUMBRA_SANITIZE "" CACHE STRING "for -fsanitize: address,undefined or thread, or nothing")
option(PENUMBRA_DEBUG "Compile the assertions in" ${assertions})
option(PENUMBRA_STRESS "Switch the deep run-time checks on by default" OFF)
option(PENUMBRA_PLAIN "Use nothing of Linux: memory comes from malloc" OFF)
if(CMAKE_SYSTEM_NAME STREQUAL "Linux" AND NOT PENUMBRA_PLAIN
   AND CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64)$")
  set(has_machine ON)
else()
  set(has_machine OFF)
endif()
option(PENUMBRA_MACHINE "Compile hot functions to machine code" ${has_machine})
option(PENUMBRA_LTO "Optimize across files, where supported" ${is_release})
option(PENUMBRA_WERROR "Treat warnings as errors" OFF)
option(PENUMBRA_CXX "Build liblua5.4-c++, if there is a C++ compiler" ON)

if(PENUMBRA_CXX)
  include(CheckLanguage)
  check_language(CXX)
  if(CMAKE_CXX_COMPILER)
    enable_language(CXX)
  else()
    message(STATUS "No C++ compiler: no liblua5.4-c++")
    set(PENUMBRA_CXX OFF)
  endif()
endif()

set(CMAKE_C_STANDARD 11)
set(CMAKE_C_STANDARD_REQUIRED ON)
set(CMAKE_C_EXTENSIONS OFF)
set(CMAKE_CXX_STANDARD 11)
set(CMAKE_CXX_EXTENSIONS OFF)
foreach(language C CXX)
  set(CMAKE_${language}_FLAGS_RELEASE "-O${PENUMBRA_OPTIMIZE} -DNDEBUG")
  set(CMAKE_${language}_FLAGS_DEBUG "-O1 -g")
  set(CMAKE_${language}_FLAGS_RELWITHDEBINFO "-O2 -g")
endforeach()

# Strict C11 hides POSIX; this makes it visible again.
add_compile_definitions(_DEFAULT_SOURCE=1)
if(MINGW)
  add_compile_definitions(__USE_MINGW_ANSI_STDIO=1)
endif()
if(PENUMBRA_PLAIN)
  add_compile_definitions(PENUMBRA_PLAIN=1)
endif()
if(PENUMBRA_DEBUG)
  add_compile_definitions(PENUMBRA_DEBUG=1)
endif()
if(PENUMBRA_MACHINE)
  add_compile_definitions(PENUMBRA_MACHINE=1)
endif()
if(PENUMBRA_STRESS)
  add_compile_definitions(PENUMBRA_STRESS=1)
endif()

# The same objects go into the shared library and the executables.  Both export
# only the names that are marked as public API.
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_C_VISIBILITY_PRESET hidden)
set(CMAKE_CXX_VISIBILITY_PRESET hidden)

# A C++ exception may pass through any function.  It may be the host's, or an
# error in liblua5.4-c++, which is made from the same objects.
add_compile_options(-fexceptions)

# A fused multiply-add would make arithmetic differ from machine to machine.
add_compile_options(-ffp-contract=off)

add_compile_options(-Wall -Wextra -Wshadow -Wpointer-arith -Wundef -Wvla
                    -Wwrite-strings
                    $<$<COMPILE_LANGUAGE:C>:-Wstrict-prototypes>
                    $<$<COMPILE_LANGUAGE:C>:-Wmissing-prototypes>)
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
    # Objects also hold machine code, so that the many unit tests link quickly,
    # without LTO.
    if(CMAKE_C_COMPILER_ID STREQUAL GNU)
      set(CMAKE_C_COMPILE_OPTIONS_IPO -flto=auto -ffat-lto-objects)
      set(CMAKE_CXX_COMPILE_OPTIONS_IPO -flto=auto -ffat-lto-objects)
    endif()
    # Each such link uses all processors by itself, so run one at a time.
    set_property(GLOBAL APPEND PROPERTY JOB_POOLS penumbra_link=1)
    set(CMAKE_JOB_POOL_LINK penumbra_link)
  else()
    message(STATUS "No link-time optimization with this compiler")
  endif()
endif()

# Executables and libraries are directly in the build folder.
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}")
set(CMAKE_LIBRARY_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}")
set(CMAKE_ARCHIVE_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}")
