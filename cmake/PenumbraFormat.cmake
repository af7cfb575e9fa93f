# `ninja format` formats the C source; `ninja format-check` only checks it.
# The public headers are formatted by hand, because clang-format cannot be told
# to leave `int (lua_gettop)(lua_State *L)` unchanged.
find_program(CLANG_FORMAT NAMES clang-format clang-format-14)

function(penumbra_add_format_target name flags)
  set(files "git ls-files -z --cached --others --exclude-standard \
             '*.c' '*.h' ':!include'")
  add_custom_target(${name}
    COMMAND sh -c "${files} | xargs -0 -r '${CLANG_FORMAT}' ${flags}"
    WORKING_DIRECTORY "${PROJECT_SOURCE_DIR}" VERBATIM)
endfunction()

if(CLANG_FORMAT)
  penumbra_add_format_target(format "-i")
  penumbra_add_format_target(format-check "--dry-run --Werror")
endif()
