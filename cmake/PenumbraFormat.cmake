# `ninja format` settles the layout; `ninja format-check` only looks at it.
find_program(CLANG_FORMAT NAMES clang-format clang-format-14)
if(CLANG_FORMAT)
  foreach(mode "format|-i" "format-check|--dry-run;--Werror")
    string(REPLACE "|" ";" mode "${mode}")
    list(POP_FRONT mode name)
    list(JOIN mode " " flags)
    add_custom_target(${name}
      COMMAND git ls-files -z --cached --others --exclude-standard
              "*.c" "*.h" | xargs -0 -r "${CLANG_FORMAT}" ${mode}
      WORKING_DIRECTORY "${PROJECT_SOURCE_DIR}")
  endforeach()
endif()
