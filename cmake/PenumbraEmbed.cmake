# Writes a file as an array of bytes, for C:
#
#   cmake -D FROM=src/cli/page.lua -D TO=page_lua.h -D NAME=page_lua
#         -P cmake/PenumbraEmbed.cmake
#
# The file TO is left alone if it would not change.
function(penumbra_embed from to name)
  file(READ "${from}" bytes HEX)
  string(REGEX REPLACE "(..)" "0x\\1," bytes "${bytes}")
  file(CONFIGURE OUTPUT "${to}" @ONLY
       CONTENT "static const unsigned char ${name}[] = {${bytes}};\n")
endfunction()

# The same when the build is configured: <name>_lua.h, with the array <name>_lua.
function(penumbra_embed_lua name file)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${file}")
  penumbra_embed("${file}" "${CMAKE_CURRENT_BINARY_DIR}/${name}_lua.h"
                 ${name}_lua)
endfunction()

if(CMAKE_SCRIPT_MODE_FILE)
  penumbra_embed("${FROM}" "${TO}" "${NAME}")
endif()
