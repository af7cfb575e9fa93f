# `ninja manuals` writes the manual pages and the shell completions to manual/
# in the build folder. They are made from --help; see scripts/manual.lua.
set(PENUMBRA_ZSH_FOLDER site-functions CACHE STRING
    "Folder below share/zsh for completions")

function(penumbra_add_manuals)
  if(NOT TARGET penumbra)
    return()
  endif()
  if(CMAKE_CROSSCOMPILING AND NOT CMAKE_CROSSCOMPILING_EMULATOR)
    message(STATUS "Programs cannot run here: no manual pages")
    return()
  endif()
  set(script "${PROJECT_SOURCE_DIR}/scripts/manual.lua")
  set(folder "${PROJECT_BINARY_DIR}/manual")
  foreach(name penumbra penumbrac)
    set(frame "${PROJECT_SOURCE_DIR}/docs/man/${name}.1.in")
    set(outputs "${folder}/${name}.1" "${folder}/${name}.bash"
                "${folder}/_${name}" "${folder}/${name}.fish")
    add_custom_command(OUTPUT ${outputs}
      COMMAND "${CMAKE_COMMAND}" -E make_directory "${folder}"
      COMMAND ${name} --help > "${folder}/${name}.txt"
      COMMAND penumbra "${script}" "${folder}/${name}.txt" ${name} "${frame}"
              "${folder}"
      DEPENDS penumbra ${name} "${script}" "${frame}" VERBATIM
      COMMENT "Writing manual/${name}.1 and completions")
    list(APPEND all ${outputs})
  endforeach()
  add_custom_target(manuals ALL DEPENDS ${all})
endfunction()
