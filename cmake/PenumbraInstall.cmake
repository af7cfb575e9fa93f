# `cmake --install`: headers, libraries, executables, manual pages, and files
# for pkg-config and find_package(). The names are those of Debian's
# liblua5.4-dev, so that builds that ask for it find ours.
include(CMakePackageConfigHelpers)
include(GNUInstallDirs)
set(PENUMBRA_INSTALL_PKGCONFIG "${CMAKE_INSTALL_LIBDIR}/pkgconfig"
    CACHE STRING "Folder for .pc files")
set(PENUMBRA_INSTALL_CMAKE "${CMAKE_INSTALL_LIBDIR}/cmake/Penumbra"
    CACHE STRING "Folder for find_package")

function(penumbra_add_install)
  file(GLOB headers CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/include/*")
  install(FILES ${headers} DESTINATION "${PENUMBRA_INSTALL_HEADERS}")
  foreach(program penumbra penumbrac)
    if(TARGET ${program})
      install(TARGETS ${program} RUNTIME)
      penumbra_install_manual(${program})
    endif()
  endforeach()
  install(DIRECTORY "${PROJECT_SOURCE_DIR}/editors/luals"
                    "${PROJECT_SOURCE_DIR}/editors/vscode"
          DESTINATION "${CMAKE_INSTALL_DATADIR}/penumbra")
  penumbra_install_runner()
  penumbra_install_lua_names()
  set(private -lm)
  if(CMAKE_DL_LIBS)
    string(APPEND private " -l${CMAKE_DL_LIBS}")
  endif()
  penumbra_install_pkgconfig(lua5.4 "Lua" "${private}")
  if(TARGET lua_cxx_shared)
    penumbra_install_pkgconfig(lua5.4-c++ "Lua C++" "-lstdc++ ${private}")
  endif()
  penumbra_install_cmake_package()
endfunction()

# The manual page, and completions where the shells look for them.
function(penumbra_install_manual program)
  if(NOT TARGET manuals)
    return()
  endif()
  set(folder "${PROJECT_BINARY_DIR}/manual")
  set(share "${CMAKE_INSTALL_DATADIR}")
  install(FILES "${folder}/${program}.1"
          DESTINATION "${CMAKE_INSTALL_MANDIR}/man1")
  install(FILES "${folder}/${program}.bash" RENAME ${program}
          DESTINATION "${share}/bash-completion/completions")
  install(FILES "${folder}/_${program}"
          DESTINATION "${share}/zsh/${PENUMBRA_ZSH_FOLDER}")
  install(FILES "${folder}/${program}.fish"
          DESTINATION "${share}/fish/vendor_completions.d")
endfunction()

# penumbra-run, which runs one program with our library.
function(penumbra_install_runner)
  file(RELATIVE_PATH RUN_LIBRARIES "/${CMAKE_INSTALL_BINDIR}"
       "/${CMAKE_INSTALL_LIBDIR}")
  configure_file("${PROJECT_SOURCE_DIR}/scripts/penumbra-run.in"
                 "${PROJECT_BINARY_DIR}/penumbra-run" @ONLY
                 FILE_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE
                 GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
  install(PROGRAMS "${PROJECT_BINARY_DIR}/penumbra-run"
          DESTINATION "${CMAKE_INSTALL_BINDIR}")
  install(FILES "${PROJECT_SOURCE_DIR}/docs/man/penumbra-run.1"
          DESTINATION "${CMAKE_INSTALL_MANDIR}/man1")
endfunction()

# The names by which LuaRocks, editors and scripts look for Lua. Files of
# another Lua are not replaced.
function(penumbra_install_lua_names)
  if(NOT PENUMBRA_LUA_NAMES OR NOT TARGET penumbra)
    return()
  endif()
  foreach(pair lua=penumbra lua5.4=penumbra luac=penumbrac luac5.4=penumbrac)
    string(REGEX MATCH "(.+)=(.+)" pair "${pair}")
    install(CODE "
      set(link \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_BINDIR}/${CMAKE_MATCH_1}\")
      file(GLOB others \"\${link}\")
      if(IS_SYMLINK \"\${link}\")
        file(READ_SYMLINK \"\${link}\" target)
        string(COMPARE NOTEQUAL \"\${target}\" ${CMAKE_MATCH_2} others)
      endif()
      if(others)
        message(STATUS \"Not ours, left alone: \${link}\")
      else()
        message(STATUS \"Installing: \${link}\")
        file(CREATE_LINK ${CMAKE_MATCH_2} \"\${link}\" SYMBOLIC)
      endif()")
  endforeach()
endfunction()

# The release of Lua that lua.h names.
function(penumbra_lua_version result)
  file(STRINGS "${PROJECT_SOURCE_DIR}/include/lua.h" line
       REGEX "define LUA_VERSION_RELEASE +\"")
  string(REGEX MATCH "[0-9]+" release "${line}")
  set(${result} "5.4.${release}" PARENT_SCOPE)
endfunction()

# The library's .pc file, under its own name and under Debian's names for Lua's.
function(penumbra_install_pkgconfig PC_LIBRARY PC_NAME PC_PRIVATE)
  set(folder "${PENUMBRA_INSTALL_PKGCONFIG}")
  string(REPLACE lua5.4 penumbra own "${PC_LIBRARY}")
  set(others "")
  if(PENUMBRA_LUA_NAMES)
    set(others lua5.4 lua-5.4 lua54)
  endif()
  penumbra_lua_version(PENUMBRA_LUA_VERSION)
  file(RELATIVE_PATH PC_UP "/${folder}" /)
  set(file "${PROJECT_BINARY_DIR}/${own}.pc")
  configure_file("${PROJECT_SOURCE_DIR}/cmake/lua.pc.in" "${file}" @ONLY)
  install(FILES "${file}" DESTINATION "${folder}")
  foreach(other IN LISTS others)
    string(REPLACE lua5.4 ${other} name "${PC_LIBRARY}")
    install(CODE "file(CREATE_LINK ${own}.pc
      \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${folder}/${name}.pc\"
      SYMBOLIC)")
  endforeach()
endfunction()

# find_package(Penumbra): Penumbra::lua, lua_static, lua_cxx, lua_cxx_static.
function(penumbra_install_cmake_package)
  set(folder "${PENUMBRA_INSTALL_CMAKE}")
  set_target_properties(lua_shared PROPERTIES EXPORT_NAME lua)
  if(TARGET lua_cxx_shared)
    set_target_properties(lua_cxx_shared PROPERTIES EXPORT_NAME lua_cxx)
  endif()
  foreach(target lua_shared lua_static lua_cxx_shared lua_cxx_static)
    if(TARGET ${target})
      install(TARGETS ${target} EXPORT PenumbraTargets)
    endif()
  endforeach()
  install(EXPORT PenumbraTargets NAMESPACE Penumbra::
          FILE PenumbraTargets.cmake DESTINATION "${folder}")
  configure_package_config_file(
    "${PROJECT_SOURCE_DIR}/cmake/PenumbraConfig.cmake.in"
    "${PROJECT_BINARY_DIR}/PenumbraConfig.cmake" INSTALL_DESTINATION "${folder}")
  write_basic_package_version_file(
    "${PROJECT_BINARY_DIR}/PenumbraConfigVersion.cmake"
    COMPATIBILITY SameMinorVersion)
  install(FILES "${PROJECT_BINARY_DIR}/PenumbraConfig.cmake"
                "${PROJECT_BINARY_DIR}/PenumbraConfigVersion.cmake"
          DESTINATION "${folder}")
endfunction()
