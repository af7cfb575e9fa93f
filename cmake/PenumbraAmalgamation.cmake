# `ninja amalgamation` writes the whole library as one C file, with the headers
# that it needs, to penumbra-amalgamation/ in the build folder.
function(penumbra_add_amalgamation)
  if(NOT TARGET penumbra)
    return()
  endif()
  set(script "${PROJECT_SOURCE_DIR}/scripts/amalgamate.lua")
  set(folder "${PROJECT_BINARY_DIR}/penumbra-amalgamation")
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS
       "${PROJECT_SOURCE_DIR}/src/*.[ch]" "${PROJECT_SOURCE_DIR}/src/*.def"
       "${PROJECT_SOURCE_DIR}/src/*.cpp" "${PROJECT_SOURCE_DIR}/include/*")
  add_custom_command(OUTPUT "${folder}/penumbra.c"
    COMMAND "${CMAKE_COMMAND}" -E make_directory "${folder}"
    COMMAND penumbra "${script}" "${PROJECT_SOURCE_DIR}" "${folder}"
            "${PROJECT_VERSION}"
    DEPENDS penumbra "${script}" ${sources} VERBATIM
    COMMENT "Writing penumbra-amalgamation/penumbra.c")
  add_custom_target(amalgamation DEPENDS "${folder}/penumbra.c")
endfunction()
