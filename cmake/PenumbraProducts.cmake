# What users take away: the two executables and the two libraries.  All are
# made from the objects of the layers, so the API is there in full, used or not.

# Sets <result> to the objects of all layers built so far.
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

# The libraries, as soon as there is an API to put into them.
function(penumbra_add_libraries)
  if(TARGET penumbra_api)
    penumbra_add_shared_library()
    penumbra_add_static_library()
  endif()
endfunction()

# liblua5.4.so.0, with the name and symbol versions programs for 5.4 ask for.
function(penumbra_add_shared_library)
  penumbra_all_objects(objects)
  set(exports "${PROJECT_SOURCE_DIR}/cmake/exports.map")
  add_library(lua_shared SHARED ${objects})
  target_link_libraries(lua_shared PRIVATE m ${CMAKE_DL_LIBS})
  set_target_properties(lua_shared PROPERTIES
    OUTPUT_NAME lua5.4 VERSION 0 SOVERSION 0
    LINKER_LANGUAGE C LINK_DEPENDS "${exports}")
  if(NOT APPLE)
    target_link_options(lua_shared PRIVATE "LINKER:--version-script=${exports}")
    if(NOT PENUMBRA_SANITIZE)
      target_link_options(lua_shared PRIVATE "LINKER:-z,defs")
    endif()
  endif()
endfunction()

# liblua5.4.a.  Linking first into one object settles the calls between layers
# and, with gcc's LTO, leaves machine code; then hidden names can be made local,
# and cannot clash with those of the host program.  Where that is not possible
# the library is the plain collection of objects.
function(penumbra_add_static_library)
  penumbra_all_objects(objects)
  set(is_gcc_lto OFF)
  set(is_other_lto OFF)
  if(CMAKE_INTERPROCEDURAL_OPTIMIZATION)
    string(COMPARE EQUAL "${CMAKE_C_COMPILER_ID}" GNU is_gcc_lto)
    string(COMPARE NOTEQUAL "${CMAKE_C_COMPILER_ID}" GNU is_other_lto)
  endif()
  if(APPLE OR is_other_lto OR NOT CMAKE_OBJCOPY)
    add_library(lua_static STATIC ${objects})
  else()
    set(object "${CMAKE_BINARY_DIR}/penumbra_all.o")
    set(flags -nostdlib -r)
    if(is_gcc_lto)
      list(APPEND flags -O${PENUMBRA_OPTIMIZE} -flto=auto -fPIC
           -flinker-output=nolto-rel)
    endif()
    add_custom_command(OUTPUT "${object}"
      COMMAND ${CMAKE_C_COMPILER} ${flags} -o "${object}" ${objects}
      COMMAND ${CMAKE_OBJCOPY} --localize-hidden "${object}"
      DEPENDS ${objects} COMMAND_EXPAND_LISTS VERBATIM
      COMMENT "Linking all layers into one object")
    add_library(lua_static STATIC "${object}")
    set_source_files_properties("${object}" PROPERTIES
      EXTERNAL_OBJECT ON GENERATED ON)
  endif()
  set_target_properties(lua_static PROPERTIES
    OUTPUT_NAME lua5.4 LINKER_LANGUAGE C INTERPROCEDURAL_OPTIMIZATION OFF)
endfunction()

# Adds every subfolder of the named folders that has something to build.
function(penumbra_add_folders)
  foreach(folder IN LISTS ARGN)
    file(GLOB lists CONFIGURE_DEPENDS
         "${PROJECT_SOURCE_DIR}/${folder}/*/CMakeLists.txt")
    foreach(list IN LISTS lists)
      cmake_path(GET list PARENT_PATH subfolder)
      add_subdirectory("${subfolder}")
      set_property(GLOBAL APPEND PROPERTY PENUMBRA_FOLDERS "${subfolder}")
    endforeach()
  endforeach()
endfunction()

# `products` is everything but the tests: what ./run builds.
function(penumbra_add_products_target)
  add_custom_target(products)
  get_property(folders GLOBAL PROPERTY PENUMBRA_FOLDERS)
  get_property(layers GLOBAL PROPERTY PENUMBRA_OBJECT_LAYERS)
  set(targets ${layers})
  foreach(target lua_shared lua_static penumbra penumbrac)
    if(TARGET ${target})
      list(APPEND targets ${target})
    endif()
  endforeach()
  foreach(folder IN LISTS folders)
    get_property(more DIRECTORY "${folder}" PROPERTY BUILDSYSTEM_TARGETS)
    list(APPEND targets ${more})
  endforeach()
  if(targets)
    add_dependencies(products ${targets})
  endif()
endfunction()
