# The products: the executables and the libraries.  All are made from the
# objects of the layers, so they contain the whole API, used or not.

# Sets <result> to the objects of all layers.
function(penumbra_all_objects result)
  get_property(layers GLOBAL PROPERTY PENUMBRA_OBJECT_LAYERS)
  list(TRANSFORM layers REPLACE "(.+)" "$<TARGET_OBJECTS:\\1>")
  set(${result} ${layers} PARENT_SCOPE)
endfunction()

# penumbra_program(<name> <source>...): an executable that sees only include/
# and exports the API to the modules it loads.
function(penumbra_program name)
  penumbra_all_objects(objects)
  add_executable(${name} ${ARGN} ${objects})
  target_include_directories(${name} PRIVATE "${PROJECT_SOURCE_DIR}/include")
  target_link_libraries(${name} PRIVATE m ${CMAKE_DL_LIBS})
  set_target_properties(${name} PROPERTIES ENABLE_EXPORTS ON)
endfunction()

# The libraries.
#
#   lua_shared, lua_static          liblua5.4: errors are jumps
#   lua_cxx_shared, lua_cxx_static  liblua5.4-c++: errors are C++ exceptions
#
# The second pair has jump_throw.cpp instead of jump.c.  All other objects are
# those of the first pair.
function(penumbra_add_libraries)
  penumbra_all_objects(objects)
  penumbra_add_shared_library(lua_shared lua5.4 C ${objects})
  penumbra_add_static_library(lua_static lua5.4 C ${objects})
  if(NOT PENUMBRA_CXX)
    return()
  endif()
  add_library(penumbra_throw OBJECT
              "${PROJECT_SOURCE_DIR}/src/object/jump_throw.cpp")
  target_include_directories(penumbra_throw PRIVATE
                             "${PROJECT_SOURCE_DIR}/include")
  list(TRANSFORM objects
       REPLACE "(.*penumbra_object>)" "$<FILTER:\\1,EXCLUDE,/jump[.]c[.]o$>")
  list(APPEND objects $<TARGET_OBJECTS:penumbra_throw>)
  penumbra_add_shared_library(lua_cxx_shared lua5.4-c++ CXX ${objects})
  penumbra_add_static_library(lua_cxx_static lua5.4-c++ CXX ${objects})
endfunction()

# The usage requirements of all four libraries. Inside another project, only the
# libraries that some target links with are built.
function(penumbra_library_usage target visibility)
  string(REPLACE "_shared" "" name "${target}")
  add_library(Penumbra::${name} ALIAS ${target})
  if(NOT PENUMBRA_INSTALL)
    set_target_properties(${target} PROPERTIES EXCLUDE_FROM_ALL ON)
  endif()
  target_link_libraries(${target} ${visibility} m ${CMAKE_DL_LIBS})
  target_include_directories(${target} INTERFACE
    "$<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>"
    "$<INSTALL_INTERFACE:${PENUMBRA_INSTALL_HEADERS}>")
endfunction()

# penumbra_add_shared_library(<target> <name> <language> <object>...)
#
# lib<name>.so.0, with the symbol versions that programs for 5.4 ask for. A
# program that links with the target asks for one name that only Penumbra has,
# so it does not run with another Lua's library by accident.
function(penumbra_add_shared_library target name language)
  set(exports "${PROJECT_SOURCE_DIR}/cmake/exports.map")
  add_library(${target} SHARED ${ARGN})
  penumbra_library_usage(${target} PRIVATE)
  set_target_properties(${target} PROPERTIES
    OUTPUT_NAME ${name} VERSION 0 SOVERSION 0
    LINKER_LANGUAGE ${language} LINK_DEPENDS "${exports}")
  if(NOT APPLE)
    target_link_options(${target} PRIVATE "LINKER:--version-script=${exports}"
                        INTERFACE "LINKER:-u,penumbra_getstats")
    if(NOT PENUMBRA_SANITIZE)
      target_link_options(${target} PRIVATE "LINKER:-z,defs")
    endif()
  endif()
endfunction()

# penumbra_add_static_library(<target> <name> <language> <object>...)
#
# lib<name>.a.  All objects are first linked into one.  This resolves the calls
# between layers and, with gcc's LTO, produces machine code.  Then hidden names
# are made local, so that they cannot clash with those of the host program.
# Where that is not possible, the library is a plain collection of objects.
function(penumbra_add_static_library target name language)
  set(is_gcc_lto OFF)
  set(is_other_lto OFF)
  if(CMAKE_INTERPROCEDURAL_OPTIMIZATION)
    string(COMPARE EQUAL "${CMAKE_C_COMPILER_ID}" GNU is_gcc_lto)
    string(COMPARE NOTEQUAL "${CMAKE_C_COMPILER_ID}" GNU is_other_lto)
  endif()
  if(APPLE OR is_other_lto OR NOT CMAKE_OBJCOPY)
    add_library(${target} STATIC ${ARGN})
  else()
    set(object "${PROJECT_BINARY_DIR}/${target}_all.o")
    # In C++, several objects hold the same section group, and the linker keeps
    # one.  Ours must be kept too, because their names become local.
    set(flags -nostdlib -r -Wl,--force-group-allocation)
    if(is_gcc_lto)
      # Packages have the names of folders replaced, here as well.
      string(REGEX MATCHALL "-f[a-z]+-prefix-map=[^ ]+" maps "${CMAKE_C_FLAGS}")
      list(APPEND flags -O${PENUMBRA_OPTIMIZE} -flto=auto -fPIC
           -flinker-output=nolto-rel ${maps})
    endif()
    # With Make, objects are targets only in the folder that compiles them.
    set(parts ${ARGN})
    if(NOT CMAKE_GENERATOR MATCHES "Ninja")
      get_property(parts GLOBAL PROPERTY PENUMBRA_OBJECT_LAYERS)
      if(language STREQUAL CXX)
        list(APPEND parts penumbra_throw)
      endif()
    endif()
    add_custom_command(OUTPUT "${object}"
      COMMAND ${CMAKE_C_COMPILER} ${flags} -o "${object}" ${ARGN}
      COMMAND ${CMAKE_OBJCOPY} --localize-hidden "${object}"
      DEPENDS ${parts} COMMAND_EXPAND_LISTS VERBATIM
      COMMENT "Linking all layers into one object")
    add_library(${target} STATIC "${object}")
    set_source_files_properties("${object}" PROPERTIES
      EXTERNAL_OBJECT ON GENERATED ON)
  endif()
  penumbra_library_usage(${target} INTERFACE)
  set_target_properties(${target} PROPERTIES
    OUTPUT_NAME ${name} LINKER_LANGUAGE ${language}
    INTERPROCEDURAL_OPTIMIZATION OFF)
endfunction()

# Adds every subfolder of <folder> that has something to build.
function(penumbra_add_folders folder)
  file(GLOB lists CONFIGURE_DEPENDS
       "${PROJECT_SOURCE_DIR}/${folder}/*/CMakeLists.txt")
  foreach(list IN LISTS lists)
    cmake_path(GET list PARENT_PATH subfolder)
    add_subdirectory("${subfolder}")
    set_property(GLOBAL APPEND PROPERTY PENUMBRA_FOLDERS "${subfolder}")
  endforeach()
endfunction()

# `products` is everything except the tests: what ./run builds, and all that
# `cmake --install` installs.
function(penumbra_add_products_target)
  add_custom_target(products)
  get_property(folders GLOBAL PROPERTY PENUMBRA_FOLDERS)
  get_property(layers GLOBAL PROPERTY PENUMBRA_OBJECT_LAYERS)
  set(targets ${layers})
  foreach(target lua_shared lua_static lua_cxx_shared lua_cxx_static
                 penumbra penumbrac manuals)
    if(TARGET ${target})
      list(APPEND targets ${target})
    endif()
  endforeach()
  foreach(folder IN LISTS folders)
    get_property(more DIRECTORY "${folder}" PROPERTY BUILDSYSTEM_TARGETS)
    list(APPEND targets ${more})
  endforeach()
  add_dependencies(products ${targets})
endfunction()
