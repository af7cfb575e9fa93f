# SPDX-License-Identifier: MIT
"""How failures are reported: errors.py <interpreter> <compiler>

On a terminal and with --errors full, with source lines; elsewhere and with
--errors plain, as lua5.4 does, if that is installed to compare with.
"""

import fcntl
import os
import pty
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import termios

INTERPRETER, COMPILER = sys.argv[1:3]
HOME = tempfile.mkdtemp()
LUA = shutil.which("lua5.4")
ENDLESS = ("spin.lua", "fill.lua", "cospin.lua", "cofill.lua", "pattern.lua", "large.lua")

PROGRAMS = {
    "field.lua": "local function area(s)\n  return s.z.w * 2\nend\n"
                 "function Main()\n  local a = area({})\n  return a\nend\nlocal x = Main()\n",
    "syntax.lua": "local a = 1\nlocal b = = 2\n",
    "eof.lua": "if true then\n",
    "object.lua": "local function check(x)\n  error({code = 1, text = 'x'})\nend\ncheck(1)\n",
    "speaks.lua": "error(setmetatable({}, {__tostring = function() return 'me' end}))\n",
    "nothing.lua": "error()\n",
    "place.lua": "error('no place', 0)\n",
    "two.lua": "error('two\\nlines')\n",
    "deep.lua": "local function f(n)\n  return 1 + f(n + 1)\nend\nf(1)\n",
    "tail.lua": "local function f() error('tail') end\nlocal function g() return f() end\ng()\n",
    "wrap.lua": "local function f() local x = nil + 1 end\ncoroutine.wrap(f)()\n",
    "sort.lua": "table.sort({3, 2, 1}, function(a, b) return a.x < b end)\n",
    "assert.lua": "assert(false, 'asserted')\n",
    "native.lua": "local s = 'x'\nprint(#s, string.rep({}))\n",
    "open.lua": "for i = 1, 2 do\n  print(i\nend\n",
    "goto.lua": "goto nowhere\n",
    "broken.lua": "local M = {\nreturn M\n",
    "require.lua": "package.path = './?.lua'\nrequire 'broken'\n",
    "windows.lua": "local x = nil\r\nx.y = 1\r\n",
    "resume.lua": "local co = coroutine.create(function()\n  local function inner() error('inside') end\n"
                  "  inner()\nend)\nassert(coroutine.resume(co))\n",
    "nested.lua": "local two = coroutine.create(function()\n  error({code = 2})\nend)\n"
                  "local one = coroutine.wrap(function()\n"
                  "  local _, problem = coroutine.resume(two)\n  error(problem)\nend)\none()\n",
    "other.lua": "local co = coroutine.wrap(function() error('one', 0) end)\npcall(co)\nerror('two', 0)\n",
    "spin.lua": "local function spin()\n  local n = 0\n  while true do\n    n = n + 1\n  end\nend\nspin()\n",
    "wide.lua": "local f = function() local s = '%s'; local t = {}; return t.missing.x, '%s' end\n"
                "do local x = 'x' print(x, f(1, 2, 3, 4, 5, 6, 7, 8, 9, 10)) end\n" % ("\u00e4" * 50, "-" * 60),
    "cospin.lua": "coroutine.wrap(function()\n  while true do end\nend)()\n",
    "cofill.lua": "coroutine.wrap(function()\n  local t = {}\n"
                  "  while true do t[#t + 1] = {} end\nend)()\n",
    "pattern.lua": "local s = ('a'):rep(60)\ns:find(('a*'):rep(60) .. 'b')\n",
    "large.lua": "local s = ('x'):rep(1 << 30)\n",
    "fill.lua": "local all = {}\nlocal function fill()\n  for i = 1, 1e9 do\n"
                "    all[i] = {i, tostring(i)}\n  end\nend\nfill()\n",
}


def fail(text):
    print("FAILED:", text)
    shutil.rmtree(HOME, ignore_errors=True)
    sys.exit(1)


def environment(**more):
    env = {"PATH": os.environ["PATH"], "HOME": HOME, "TERM": "xterm"}
    for name in ("ASAN_OPTIONS", "LD_LIBRARY_PATH"):
        if name in os.environ:
            env[name] = os.environ[name]
    env.update(more)
    return env


def run(program, *words, **more):
    """Output to stderr through a pipe; the program's name becomes NAME."""
    p = subprocess.run([program, *words], cwd=HOME, env=environment(**more),
                       stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                       stderr=subprocess.PIPE, timeout=120)
    text = p.stderr.decode().replace(program + ":", "NAME:")
    return re.sub("try '[^']* --help'", "try 'NAME --help'", text), p.returncode


def run_on_terminal(*words, columns=0, **more):
    """The same with stderr on a terminal."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 30, columns, 0, 0))
    p = subprocess.Popen([INTERPRETER, *words], cwd=HOME, env=environment(**more),
                         stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=theirs)
    os.close(theirs)
    text = b""
    while True:
        try:
            data = os.read(ours, 65536)
        except OSError:
            break
        if not data:
            break
        text += data
    p.wait()
    os.close(ours)
    return text.decode().replace("\r\n", "\n").replace(INTERPRETER + ":", "NAME:")


def expect(what, text, pattern):
    if not re.search(pattern, text, re.S | re.M):
        fail("%s: expected %r, got\n%s" % (what, pattern, text))


def test_plain():
    """Through a pipe, the text of lua5.4."""
    for name in PROGRAMS:
        if name in ENDLESS:
            continue
        ours = run(INTERPRETER, name)
        if ours != run(INTERPRETER, "--errors", "plain", name):
            fail("%s: --errors plain is not the form of a pipe" % name)
        if not LUA:
            continue
        theirs = run(LUA, name)
        if name == "deep.lua":  # how deep is not the same
            ours, theirs = [(re.sub(r"\d+ levels|\([^)]*\)", "", t), c) for t, c in (ours, theirs)]
            ours, theirs = [(t.split("\n")[0][:40], c) for t, c in (ours, theirs)]
        if ours != theirs:
            fail("%s: lua5.4 prints\n%s\nand not\n%s" % (name, theirs, ours))


def full(name, *patterns):
    text, code = run(INTERPRETER, "--errors=full", name)
    if code != 1:
        fail("%s: status %d" % (name, code))
    if "\x1b" in text:
        fail("%s: colors through a pipe" % name)
    for pattern in patterns:
        expect(name, text, pattern)
    return text


def test_full():
    full("field.lua",
         r"\ANAME: field\.lua:2: attempt to index a nil value \(field 'z'\)\n"
         r"    2 \|   return s\.z\.w \* 2\n      \|            \^\n"
         r"stack traceback:\n    field\.lua:2: in upvalue 'area'\n"
         r"    field\.lua:5: in function 'Main' +local a = area\(\{\}\)\n"
         r"    field\.lua:8: in main chunk +local x = Main\(\)\n\Z")
    full("syntax.lua", r"\ANAME: syntax\.lua:2: unexpected symbol near '='\n"
                       r"    2 \| local b = = 2\n      \|           \^\n\Z")
    full("eof.lua", r"\ANAME: eof\.lua:\d+: 'end' expected .*near <eof>\n")
    full("object.lua", r"\ANAME: error object: \{code = 1, text = \"x\"\}\n  at object\.lua:2\n"
                       r"    2 \|   error\(.*\n.*in (local|upvalue) 'check'\n"
                       r"    object\.lua:4: in main chunk +check\(1\)\n\Z")
    full("speaks.lua", r"\ANAME: me\n")
    full("nothing.lua", r"\ANAME: error object: nil\n  at nothing\.lua:1\n")
    full("place.lua", r"\ANAME: no place\n  at place\.lua:1\n    1 \| error")
    full("two.lua", r"\ANAME: two\.lua:1: two\nlines\n    1 \| error")
    full("tail.lua", r"in function <tail\.lua:1>\n    \(\.\.\.tail calls\.\.\.\)\n"
                     r"    tail\.lua:3: in main chunk")
    full("sort.lua", r"\[C\]: in (function|field) '(table\.)?sort'\n")
    full("assert.lua", r"\ANAME: assert\.lua:1: asserted\n    1 \| assert.*\n      \| \^{6}\n\Z")
    full("native.lua", r"    2 \| print.*\n      \|                  \^\^\^\n"
                       r"stack traceback:\n    \[C\]: in field 'rep'\n    native\.lua:2: in main chunk\n\Z")
    # The line that a syntax error also names, and a file that another one loads.
    full("open.lua", r"    2 \|   print\(i\n    3 \| end\n      \| \^\^\^\n\Z")
    full("goto.lua", r"at line 1\n    1 \| goto nowhere\n\Z")
    full("require.lua", r"    2 \| return M\n      \| \^{6}\nstack traceback:\n"
                        r"    \[C\]: in function 'require'\n    require\.lua:2: in main chunk +require 'broken'\n\Z")
    full("windows.lua", r"    2 \| x\.y = 1\n      \| \^\n")
    deep = full("deep.lua", r"stack overflow", r"\(\d+ times\)\n", r"levels are left out\)\n")
    if deep.count("\n") > 20:
        fail("a deep stack takes %d lines" % deep.count("\n"))


def test_coroutines():
    """The stack of the coroutine that failed, and of those that resumed it."""
    full("wrap.lua", r"\ANAME: wrap\.lua:2: wrap\.lua:1: attempt to perform arithmetic .*\n    1 \| local function f",
         r"traceback:\n    wrap\.lua:1: in function <wrap\.lua:1>\n"
         r"  the coroutine was resumed by\n    wrap\.lua:2: in main chunk +coroutine\.wrap\(f\)\(\)\n\Z")
    full("resume.lua", r"\ANAME: resume\.lua:5: resume\.lua:2: inside\n    2 \|   local.*\n      \|  *\^{5}\n",
         r"    resume\.lua:2: in local 'inner'\n    resume\.lua:3: in function <.*>  *inner\(\)\n"
         r"  the coroutine was resumed by\n    resume\.lua:5: in main chunk .*\n\Z")
    full("nested.lua", r"\ANAME: error object: \{code = 2\}\n  at nested\.lua:2\n    2 \|   error",
         r"    nested\.lua:2: in function <.*>\n  the coroutine was resumed by\n"
         r"    nested\.lua:6: in function <.*> .*\n  the coroutine was resumed by\n"
         r"    nested\.lua:8: in main chunk +one\(\)\n\Z")
    if "resumed" in full("other.lua", r"\ANAME: two\n  at other\.lua:3\n"):
        fail("other.lua: the stack of another error")


def test_names():
    """A file whose name messages cut short is named in full."""
    folder = os.path.join("a" * 40, "b" * 40)
    os.makedirs(os.path.join(HOME, folder))
    for name in ("field.lua", "syntax.lua"):
        path = os.path.join(folder, name)
        shutil.copy(os.path.join(HOME, name), os.path.join(HOME, path))
        full(path, r"\ANAME: " + re.escape(path) + r":2: .*\n    2 \| ")
    text, _ = run(INTERPRETER, "--errors=full", "-e", "local x = 1\nx = nil .. x")
    expect("-e", text, r"\ANAME: \(command line\):2: .*\n    2 \| x = nil \.\. x\n")


def test_terminal():
    for name in ("field.lua", "syntax.lua"):
        text = run_on_terminal(name)
        expect(name, text, r"\x1b\[31m.*\n    2 \| .*\x1b\[31m\^")
        # A click on a place opens the file.
        link = r"\x1b\]8;;file://%s/%s\x1b\\(.*?)\x1b\]8;;\x1b\\" % (re.escape(HOME), name)
        places = [re.sub(r"\x1b\[\d*m", "", place) for place in re.findall(link, text)]
        wanted = {"field.lua": ["2", "2", "5", "8"], "syntax.lua": ["2"]}[name]
        if places != [name + ":" + line for line in wanted]:
            fail("%s: links %r in\n%r" % (name, places, text))
        if "\x1b]" in run_on_terminal(name, TERM="linux"):
            fail("%s: links on the console" % name)
        bare = re.sub(r"\x1b\[\d*m|\x1b\]8;.*?\x1b\\", "", text)
        if bare != run(INTERPRETER, "--errors", "full", name)[0]:
            fail("%s on a terminal:\n%s" % (name, bare))
        if "\x1b" in run_on_terminal(name, NO_COLOR="1") or "\x1b" in run_on_terminal(name, TERM="dumb"):
            fail("%s: colors that nobody wanted" % name)
        if run_on_terminal("--errors=plain", name) != run(INTERPRETER, name)[0]:
            fail("%s: --errors plain on a terminal" % name)


def test_width():
    """No line is wider than the terminal, and what is underlined is in it."""
    text = run_on_terminal("wide.lua", columns=60, NO_COLOR="1")
    for row in text.split("\n"):
        if re.match(r" *\d* \|| {4}", row) and len(row) > 60:
            fail("a row of %d columns:\n%s" % (len(row), text))
    shown = re.search(r"^ +1 \| (\.\.\..*\.\.\.)\n      \| ( *)\^+\n", text, re.M)
    if not shown or not shown[1][len(shown[2]):].startswith("missing"):
        fail("wide.lua:\n" + text)
    expect("wide.lua", text, r"in main chunk +do local.*\n")


def test_limits():
    """The limit, the line, the traceback, and what used it up."""
    time = (r"budget exhausted\n", r"spin\.lua:4: in (local|upvalue) 'spin'\n",
            r"spin\.lua:7: in main chunk",
            r"The limit is 0\.5 s of processor time \(--max-time\)\.\n",
            r"Where the time went:\n +\d+ %  spin\.lua:[34]\n")
    memory = (r"not enough memory\n", r"fill\.lua:4: in (local|upvalue) 'fill'\n",
              r"The limit is 20 MB \(--max-memory\)\.\n",
              r"What takes the memory.*\n +\d+\.\d MB  table from fill \(fill\.lua:4\)\n")
    threads = (r"budget exhausted\n", r"cospin\.lua:2: in function <", r"cospin\.lua:3: in main chunk",
               r" +100 %  cospin\.lua:2\n")
    filled = (r"not enough memory\n", r"cofill\.lua:3: in function <", r"cofill\.lua:4: in main chunk",
              r"MB  table from .*\(cofill\.lua:3\)\n")
    native = (r"budget exhausted\n", r"in method 'find'\n", r" +\d+ %  pattern\.lua:2 in 'find'\n")
    large = (r"not enough memory\n", r"large\.lua:1: in main chunk|at large\.lua:1\n",
             r"One allocation was too large; in use were \d+\.\d KB\.\n\Z")
    for form in ("full", "plain"):
        for options, patterns in ((("--max-time=0.5", "spin.lua"), time),
                                  (("--max-time=0.5", "cospin.lua"), threads),
                                  (("--max-time=0.5", "pattern.lua"), native),
                                  (("--max-memory=20M", "cofill.lua"), filled),
                                  (("--max-memory=20M", "large.lua"), large),
                                  (("--max-memory=20M", "fill.lua"), memory)):
            text, code = run(INTERPRETER, "--errors", form, *options)
            if code != 1:
                fail("%s: status %d" % (options, code))
            for pattern in patterns:
                expect(str(options), text, pattern)
    # A limit that was not reached is not told.
    text, _ = run(INTERPRETER, "--max-time=50", "--max-memory=900M", "field.lua")
    if text != run(INTERPRETER, "field.lua")[0]:
        fail("a limit that was not reached changes the message:\n" + text)


def test_options():
    """One line for a wrong option, and files are opened before the program runs."""
    for words in (("-z",), ("--nothing",), ("-e",), ("--report",), ("--errors", "long"), ("--max-time=x",)):
        text, code = run(INTERPRETER, *words)
        if code != 1 or text.count("\n") != 1 or not text.startswith("NAME: "):
            fail("%s: status %d, %r" % (words, code, text))
    for words, wanted in ((("--debug=x",), "'--debug' needs a port (got 'x')"),
                          (("--debug", "99999"), "'--debug' needs a port (got '99999')"),
                          (("--debug-adapter=x",), "'--debug-adapter' needs a port (got 'x')"),
                          (("--snapshot-on", "INT"), "'--snapshot-on' needs USR1, USR2 or HUP (got 'INT')"),
                          (("--errors=long",), "'--errors' needs 'full' or 'plain' (got 'long')"),
                          (("--errors",), "'--errors' needs argument (try 'NAME --help')"),
                          (("--trace",), "'--trace' needs argument (try 'NAME --help')"),
                          (("--why=",), "'--why=' needs argument (try 'NAME --help')"),
                          (("--trace-gc=1",), "unrecognized option '--trace-gc=1' (try 'NAME --help')"),
                          (("--debugger",), "unrecognized option '--debugger' (try 'NAME --help')"),
                          (("--debug-adapters",), "unrecognized option '--debug-adapters' (try 'NAME --help')")):
        text, code = run(INTERPRETER, *words)
        if code != 1 or text != "NAME: " + wanted + "\n":
            fail("%s: status %d, %r" % (words, code, text))
    for words in (("-z",), ("-o",), ()):
        text, code = run(COMPILER, *words)
        if code != 1 or text.count("\n") != 1 or not text.startswith("NAME: "):
            fail("%s: status %d, %r" % (words, code, text))
    for option in ("--report", "--profile", "--profile-alloc", "--trace"):
        text, code = run(INTERPRETER, option, "/nonexistent/file", "-e", "io.stderr:write 'ran'")
        if code != 1 or text != "NAME: /nonexistent/file: No such file or directory\n":
            fail("%s: status %d, %r" % (option, code, text))
    for program in (INTERPRETER, COMPILER):
        shown = subprocess.run([program, "--version", "nothing"], stdout=subprocess.PIPE).stdout
        expect("--version", shown.decode(), r"\APenumbra [\d.]+ \(Lua 5\.4\.\d+\)  .*\n\Z")


for program_name, source in PROGRAMS.items():
    with open(os.path.join(HOME, program_name), "w") as f:
        f.write(source)
for test in (test_plain, test_full, test_coroutines, test_names, test_terminal, test_width, test_limits, test_options):
    print(test.__name__)
    test()
shutil.rmtree(HOME)
print("failures are reported as they should be")
