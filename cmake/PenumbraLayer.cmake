# A layer is a folder src/<name> and the static library penumbra_<name>.

# penumbra_layer(<name> [DEPENDS <layer>...] [INCLUDES <folder>...] [LIBS <lib>...]
#                [PUBLIC <pattern>...])
#
# DEPENDS   layers just below; linked, so that tests get only the layers below
# INCLUDES  folders of the source tree on the include path (default: src).
#           The path is not passed on to the layers above: each states its own.
# LIBS      system libraries
# PUBLIC    files of the layer that see only the public headers
function(penumbra_layer name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "DEPENDS;INCLUDES;LIBS;PUBLIC")
  file(GLOB sources CONFIGURE_DEPENDS *.c)
  set(public)
  if(arg_PUBLIC)
    file(GLOB public CONFIGURE_DEPENDS ${arg_PUBLIC})
    list(REMOVE_ITEM sources ${public})
  endif()
  if(NOT arg_INCLUDES)
    set(arg_INCLUDES src)
  endif()
  list(TRANSFORM arg_INCLUDES PREPEND "${PROJECT_SOURCE_DIR}/")
  list(TRANSFORM arg_DEPENDS PREPEND penumbra_)

  set(target penumbra_${name})
  add_library(${target} STATIC ${sources})
  if(NOT PROJECT_IS_TOP_LEVEL)
    set_target_properties(${target} PROPERTIES EXCLUDE_FROM_ALL ON)
  endif()
  target_include_directories(${target} PRIVATE ${arg_INCLUDES})
  target_link_libraries(${target} PUBLIC ${arg_DEPENDS} ${arg_LIBS})
  set_property(GLOBAL APPEND PROPERTY PENUMBRA_OBJECT_LAYERS ${target})
  if(public)
    penumbra_public_part(${target} ${public})
  endif()
  set_property(TARGET ${target} PROPERTY PENUMBRA_INCLUDES ${arg_INCLUDES})
endfunction()

# Adds <source>... to a layer; only the public headers are on their include path.
function(penumbra_public_part target)
  add_library(${target}_public OBJECT ${ARGN})
  target_include_directories(${target}_public PRIVATE
                             "${PROJECT_SOURCE_DIR}/include")
  target_sources(${target} PRIVATE $<TARGET_OBJECTS:${target}_public>)
  set_property(GLOBAL APPEND PROPERTY PENUMBRA_OBJECT_LAYERS ${target}_public)
endfunction()

# Links <target> with <layer> and gives it that layer's include path.
function(penumbra_use_layer target layer)
  get_property(includes TARGET penumbra_${layer} PROPERTY PENUMBRA_INCLUDES)
  target_include_directories(${target} PRIVATE ${includes})
  target_link_libraries(${target} PRIVATE penumbra_${layer})
endfunction()
