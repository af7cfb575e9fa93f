-- SPDX-License-Identifier: MIT
--
-- manual.lua -- manual pages and completions, made from --help
--
--    lua manual.lua <text of --help> <name> <page.1.in> <output folder>
--
-- Writes <name>.1, <name>.bash, _<name> (for zsh) and <name>.fish. All options
-- come from what the program itself prints, so neither page nor completions can
-- miss one. The page's frame has a line @OPTIONS@, where they go, and after it
-- what there is to say beyond --help:
--
--    @MORE -x@      these lines follow the description of -x
--    @END@          the end of such texts

local help, name, frame, folder = table.unpack(arg)
if not folder then
  local is_help = arg[1] == "--help"
  local text = is_help and "usage: manual.lua <help> <name> <frame> <folder>\n" or
    "manual.lua: arguments are missing (try 'manual.lua --help')\n"
  (is_help and io.stdout or io.stderr):write(text)
  os.exit(is_help and 0 or 2)
end

local function quote(s)
  return "'" .. s:gsub("'", "'\\''") .. "'"
end

local function write(file, text)
  local f <close> = assert(io.open(folder .. "/" .. file, "w"))
  assert(f:write(text))
end

-- -- What --help says ------------------------------------------------------

-- An option: its name, the name of its argument, how that is joined, its text.
--    -e stat   text        --max-memory size   text        --trace[=file]  text
local function option_of(line)
  local head, text = line:match("^  (%-.-)%s%s+(%S.*)$")
  if not head then return nil end
  local flag, rest = head:match("^(%-%-?[%w-]*)(.*)$")
  return {flag = flag, rest = rest, text = text,
          argument = rest:match("[%w][%w=|.-]*"),
          optional = rest:find("^%[") ~= nil}
end

local function read_options()
  local list = {}
  for line in io.lines(help) do
    local option = option_of(line)
    if option then
      list[#list + 1] = option
    elseif #list > 0 and line:find("^    ") then
      local last = list[#list]
      last.text = last.text .. " " .. line:match("^%s*(.*)$")
    end
  end
  assert(#list > 0, help .. " lists no options")
  return list
end

local options = read_options()

-- The options that have a name, each once.
local function flags()
  local list, seen = {}, {}
  for _, option in ipairs(options) do
    local flag = option.flag
    if not flag:find("^%-+$") and not seen[flag] then
      seen[flag] = true
      list[#list + 1] = option
    end
  end
  return list
end

-- -- The manual page -------------------------------------------------------

local function roff(s)
  return (s:gsub("\\", "\\e"):gsub("%-", "\\-"):gsub("^([.'])", "\\&%1"))
end

local function sentence(text)
  text = text:gsub("^%l", string.upper)
  return roff(text) .. (text:find("[.!?]$") and "" or ".")
end

local function page_option(option, more)
  local lines = {".TP"}
  if option.rest == "" then
    lines[2] = ".B " .. roff(option.flag)
  else
    lines[2] = (".BI %s \"%s\""):format(roff(option.flag), roff(option.rest))
  end
  lines[3] = sentence(option.text)
  lines[4] = more
  return table.concat(lines, "\n") .. "\n"
end

local function read_frame()
  local before, more, after = {}, {}, {}
  local where, key = before, nil
  for line in io.lines(frame) do
    local about = line:match("^@MORE (%S+)@$")
    if about then
      where, key = nil, about
    elseif line == "@OPTIONS@" then
      where = nil
    elseif line == "@END@" then
      where = after
    elseif where then
      where[#where + 1] = line
    else
      more[key] = (more[key] and more[key] .. "\n" or "") .. line
    end
  end
  return table.concat(before, "\n"), more, table.concat(after, "\n")
end

local function make_page()
  local before, more, after = read_frame()
  local parts = {before .. "\n"}
  for i, option in ipairs(options) do
    local following = options[i + 1]
    local last = not following or following.flag ~= option.flag
    parts[#parts + 1] = page_option(option, last and more[option.flag] or nil)
    if last then more[option.flag] = nil end
  end
  assert(not next(more), frame .. " describes an option that --help does not "
         .. "have: " .. tostring(next(more)))
  parts[#parts + 1] = after .. "\n"
  write(name .. ".1", table.concat(parts))
end

-- -- Completions -----------------------------------------------------------

-- Whether the argument of an option is in the next word.
local function takes_word(option)
  return option.argument ~= nil and not option.optional
         and not option.rest:find("^=")
end

local function is_file(option)
  return option.argument == "name" or option.argument == "file"
end

local BASH = [=[
# bash completion for %NAME%
_%NAME%() {
  local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]}
  COMPREPLY=()
  case $prev in
    %FREE%) return ;;
  esac
  if [[ $cur == -* ]]; then
    mapfile -t COMPREPLY < <(compgen -W '%FLAGS%' -- "$cur")
  else
    compopt -o filenames 2>/dev/null
    mapfile -t COMPREPLY < <(compgen -f -- "$cur")
  fi
}
complete -F _%NAME% %NAME%
]=]

local function make_bash()
  local all, free = {}, {}
  for _, option in ipairs(flags()) do
    all[#all + 1] = option.flag
    if takes_word(option) and not is_file(option) then
      free[#free + 1] = option.flag
    end
  end
  local values = {NAME = name, FLAGS = table.concat(all, " "),
                  FREE = #free > 0 and table.concat(free, "|") or "''"}
  write(name .. ".bash", (BASH:gsub("%%(%u+)%%", values)))
end

local function make_zsh()
  local lines = {"#compdef " .. name, "", "_arguments -S \\"}
  for _, option in ipairs(flags()) do
    local text = option.text:gsub("[][:\\]", "\\%0")
    local spec = "*" .. option.flag
    if option.optional or option.rest:find("^=") then spec = spec .. "=-" end
    spec = spec .. "[" .. text .. "]"
    if option.argument then
      spec = spec .. (option.optional and "::" or ":") .. option.argument .. ":"
             .. (is_file(option) and "_files" or " ")
    end
    lines[#lines + 1] = "  " .. quote(spec) .. " \\"
  end
  lines[#lines + 1] = "  '*:file:_files'\n"
  write("_" .. name, table.concat(lines, "\n"))
end

local function make_fish()
  local lines = {"# fish completion for " .. name}
  for _, option in ipairs(flags()) do
    local long = option.flag:match("^%-%-(.+)$")
    local line = {"complete -c", name, long and "-l" or "-s",
                  long or option.flag:sub(2)}
    if takes_word(option) then
      line[#line + 1] = is_file(option) and "-r -F" or "-x"
    end
    line[#line + 1] = "-d " .. quote(option.text):gsub("'\\''", "\\'")
    lines[#lines + 1] = table.concat(line, " ")
  end
  write(name .. ".fish", table.concat(lines, "\n") .. "\n")
end

make_page()
make_bash()
make_zsh()
make_fish()
