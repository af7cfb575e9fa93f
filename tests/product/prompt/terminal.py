# SPDX-License-Identifier: MIT
"""The interactive mode on a pseudo-terminal.

    terminal.py <interpreter> <library for line editing, or none>

Types like a person, and waits for what the person should see.
"""

import fcntl
import os
import pty
import re
import select
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import termios
import time

INTERPRETER, EDITOR = sys.argv[1:3]
GNU = "readline" in EDITOR
HOME = tempfile.mkdtemp()
UP, DOWN, LEFT, CTRL_C, CTRL_D, TAB, LINE_BEGIN, LINE_END = (
    "\x1b[A", "\x1b[B", "\x1b[D", "\x03", "\x04", "\t", "\x01", "\x05")
PATIENCE = 30  # seconds, on a busy machine


class Terminal:
    """A running interpreter, and its output since the last look."""

    def __init__(self, *options, columns=80, **environment):
        env = {"PATH": os.environ["PATH"], "HOME": HOME, "TERM": "xterm",
               "PENUMBRA_READLINE": "" if EDITOR == "none" else EDITOR}
        for name in ("ASAN_OPTIONS", "LD_LIBRARY_PATH"):
            if name in os.environ:
                env[name] = os.environ[name]
        env.update(environment)
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            os.execve(INTERPRETER, [INTERPRETER, *options], env)
        size = struct.pack("HHHH", 30, columns, 0, 0)
        fcntl.ioctl(self.fd, termios.TIOCSWINSZ, size)
        self.raw = ""
        self.wait("> $")

    def read(self, seconds):
        if not select.select([self.fd], [], [], seconds)[0]:
            return False
        try:
            data = os.read(self.fd, 65536)
        except OSError:
            return False
        self.raw += data.decode("utf-8", "replace")
        return bool(data)

    def seen(self):
        """The text on the screen, without colors and cursor movements."""
        text = re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]|\x07", "", self.raw)
        return re.sub(r"\r+\n", "\n", text).replace("\r", "")

    def wait(self, pattern):
        """Waits until the pattern was printed. Forgets the output before it."""
        end = time.time() + PATIENCE
        while not re.search(pattern, self.seen(), re.S | re.M):
            if time.time() > end or not self.read(0.5) and self.ended():
                fail("waited for %r and saw\n%s" % (pattern, self.seen()))
        text, self.raw = self.seen(), ""
        return text

    def ended(self):
        return os.waitid(os.P_PID, self.pid,
                         os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None

    def keys(self, text):
        os.write(self.fd, text.encode())

    def line(self, text, pattern):
        """Types a line. The pattern must come before the next prompt, and perhaps
        the time that the command took."""
        self.keys(text + "\r")
        return self.wait(pattern + r"\n(\(\d+\.\d\d s\)\n)?> $")

    def quit(self):
        self.end_input()
        self.expect_end()

    def end_input(self):
        # Keys typed while libedit changes the terminal's mode are lost.
        time.sleep(0.3)
        self.keys(CTRL_D)

    def expect_end(self):
        end = time.time() + PATIENCE
        while not self.ended():
            self.read(0.1)
            if time.time() > end:
                os.kill(self.pid, signal.SIGKILL)
                fail("it does not end: " + repr(self.raw[:200]))
        status = os.waitpid(self.pid, 0)[1]
        os.close(self.fd)
        if status != 0:
            fail("ended with status %d" % status)


def fail(text):
    print("FAILED:", text)
    shutil.rmtree(HOME, ignore_errors=True)
    sys.exit(1)


def escaped(text):
    return re.escape(text)


def test_values():
    t = Terminal()
    t.line("1 + 1", r"\n2")
    t.line("= 5", r"\n5")
    t.line('"a\\n\\"b\\"", nil, true', r'\n"a\\n\\"b\\""\tnil\ttrue')
    t.line("{1, 2, {x = 1}, ['a b'] = 2, c = {}}", escaped(
        '\n{1, 2, {x = 1}, ["a b"] = 2, c = {}}'))
    t.line("{{{{{{}}}}}}", r"\n\{\{\{\{\{\.\.\.\}\}\}\}\}")
    t.line("a = {} a.a = a; a.b = {a}", r"")
    t.line("a", escaped("\n{a = <cycle: the table itself>, b = {<cycle: 1 up>}}"))
    t.line("setmetatable({}, {__tostring = function() return 'me' end})", r"\nme")
    t.line("setmetatable({1}, {__name = 'Kind'})", escaped("\nKind {1}"))
    t.line("print", r"\nfunction: (builtin: )?0?x?[0-9a-fA-F]+ <print\(\.\.\.\)>")
    t.line("(function() end)", r"<stdin\[\d+\]:1>")
    u = Terminal()
    u.line("x = 1", r"")  # one input, though it is no expression
    u.keys("if x then\r")
    u.wait(r"then\n" if GNU else r">> $")
    u.line("y = 1 end", r"")
    u.line("(function() end)", r"<stdin\[3\]:1>")
    u.quit()
    t.line("setmetatable({}, {__tostring = error})", r"error calling 'print'.*")
    # A large value takes at most one screen, and no time.
    t.line("big = {} for i = 1, 1000000 do big[i] = i end big.x = 1", r"")
    begin = time.time()
    t.line("big", r"\.\.\. 999940 more,\n  x = 1\n\}")
    t.line("string.rep('x', 10000000)", r"\.\.\. 10000000 bytes")
    t.line("setmetatable({}, {__index = function() while true do end end})",
           r"\n\{\}")
    if time.time() - begin > 10:
        fail("large values take %g s" % (time.time() - begin))
    t.line("wide = {} for i = 1, 9 do wide['field' .. i] = i end", r"")
    t.line("wide", r"\{\n  field1 = 1,\n  field2 = 2,.*\n\}")
    t.line("print = function() io.write('mine\\n') end", r"")
    t.line("1", r"\nmine")
    t.quit()


def test_results():
    t = Terminal()
    t.line("10", r"\n10")
    t.line("20", r"\n20")
    t.line("30", r"\n30")
    t.line("_ + __ * ___", r"\n230")
    t.line("x = 1", r"")
    t.line("_", r"\n230")
    t.line("_ = 'mine'", r"")
    t.line("40", r"\n40")
    t.line("_", r'\n"mine"')
    t.quit()


def test_errors():
    t = Terminal()
    t.line("x = = 3", r"unexpected symbol near '='\n    1 \| x = = 3\n"
                      r"      \|     \^")
    t.line("local t = nil; t.x = 1", r"local 't'\).*\n      \| +\^")
    t.line("function later() nothing() end", r"")
    t.line("1", r"\n1")
    t.line("later()", r"global 'nothing'\)\n    1 \| function later\(\) "
                      r"nothing\(\) end\n      \| {18}\^{7}")
    name = os.path.join(HOME, "program.lua")
    with open(name, "w") as f:
        f.write("local a = 1\nlocal b = a .. {}\n")
    t.line("dofile '%s'" % name, r"2 \| local b = a \.\. \{\}\n.*\^.*")
    t.line("error({code = 1})", r"\nerror object: \{code = 1\}\n  at stdin.*")
    t.line("error()", r"\nerror object: nil\n.*")
    t.line("function f() error('deep') end function g() f() end", r"")
    t.line("x = g()", r"stack traceback:\n.*in function 'f'\n"
                  r".*in function 'g'\n.*in main chunk +x = g\(\)")
    t.quit()


def test_interrupt():
    t = Terminal()
    t.keys("this is wrong")
    t.wait(r"wrong")
    time.sleep(0.3)  # no person is faster
    t.keys(CTRL_C)
    t.wait(r"\n> $")
    t.line("1", r"\n1")
    t.keys("for i = 1, 2 do\r")
    t.wait(r"do\n")
    t.keys("print(")
    t.wait(r"print")
    time.sleep(0.3)
    t.keys(CTRL_C)
    t.wait(r"\n> $")
    t.line("2", r"\n2")
    t.keys("while true do end\r")
    t.wait(r"end\n")
    time.sleep(0.3)
    t.keys(CTRL_C)
    t.wait(r"interrupted!.*\n> $")
    t.line("3", r"\n3")
    t.keys("setmetatable({}, {__tostring = function() while true do end end})\r")
    t.wait(r"\)\n")
    time.sleep(0.3)
    t.keys(CTRL_C)
    t.wait(r"interrupted!.*\n> $")
    t.quit()


def test_interrupt_anywhere():
    """Ctrl-C ends what a hook cannot end, and the session goes on."""
    t = Terminal()
    t.line("list = {} for i = 1, 300000 do list[i] = i * 7919 % 300007 end", r"")
    for program in (
            "('x'):rep(100000):find(('.-'):rep(30) .. 'b')",
            "while true do pcall(function() while true do end end) end",
            "while true do pcall(error) end",
            "setmetatable({}, {__gc = function() while true do end end}) collectgarbage()",
            "while true do local s = ('x'):rep(1e7) end",
            "while true do table.concat(list, ',') end",
            "while true do table.sort(list, function(a, b) return a < b end) end",
            "coroutine.wrap(function() while true do end end)()",
            "require'penumbra.sandbox'.new():run('while true do pcall(error) end')"):
        t.keys(program + "\r")
        t.wait(r"\)\n|end\n|b'\)\n")
        time.sleep(0.3)
        t.keys(CTRL_C)
        t.wait(r"interrupted!.*\n> $|false.*\n> $")
        t.line("'alive'", r'\n"alive"')
    # A finalizer that is left over does not run while no command does.
    t.line("setmetatable({}, {__gc = function() while true do end end}) list = nil", r"")
    t.keys("for i = 1, 1e9 do list = {list} end\r")
    t.wait(r"end\n")
    time.sleep(0.3)
    t.keys(CTRL_C)
    t.wait(r"interrupted!.*\n> $")
    t.line("list = nil", r"")
    t.line("'alive'", r'\n"alive"')
    t.keys("exit\r")
    t.expect_end()


def test_help():
    t = Terminal()
    t.line("help", r"help\(string\.rep\).*exit, Ctrl-D +leaves.*")
    t.line("help(string.rep)", r"string\.rep\(s, n \[, sep\]\)\n  \S.*")
    t.line("help(string)", r"string\.byte\(.*string\.upper\(.*17 functions.*")
    name = os.path.join(HOME, "documented.lua")
    with open(name, "w") as f:
        f.write("-- Adds two numbers,\n-- and returns the sum.\n"
                "function add(a, b) return a + b end\n")
    t.line("dofile '%s'" % name, r"")
    t.line("help(add)", r"function\(a, b\)\n  Adds two numbers,\n"
                        r"  and returns the sum\.\n  defined in .*documented\.lua:3")
    t.line("help(1)", r"a number")
    # Each function of the libraries is described.
    t.line("lost = {} for _, lib in ipairs {'_G', 'string', 'table', 'math', 'os', 'io',"
           " 'utf8', 'coroutine', 'debug', 'package'} do for n, f in pairs(_G[lib]) do"
           " if type(f) == 'function' then lost[#lost + 1] = f end end end", r"")
    t.keys("for _, f in ipairs(lost) do io.write('@', '@') help(f) end print(#lost)\r")
    seen = t.wait(r"\n\d+\n> $")
    bare = [s for s in seen.split("@@")[1:] if "\n  " not in s]
    if bare or len(seen.split("@@")) < 120:
        fail("not described: %r" % bare)
    t.keys("quit\r")
    t.expect_end()
    t = Terminal()
    t.line("exit = 5", r"")
    t.line("exit", r"\n5")
    t.line("help = 'mine'", r"")
    t.line("help", r'\n"mine"')
    t.quit()


def test_time():
    t = Terminal()
    if " s)" in t.line("1", r"\n1"):
        fail("the time of nothing")
    t.line("local e = os.clock() + 0.7 while os.clock() < e do end",
           r"").index(" s)")
    t.quit()


def test_interrupt_between():
    """Ctrl-C interrupts a program; where none runs, it ends the process."""
    command = [INTERPRETER, "-e", "print 'ready'", "-"]
    process = subprocess.Popen(command, stdin=subprocess.PIPE,
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    process.stdout.readline()
    time.sleep(1)  # the program is read from the standard input now
    process.send_signal(signal.SIGINT)
    try:
        errors = process.communicate(timeout=PATIENCE)[1]
    except subprocess.TimeoutExpired:
        process.kill()
        fail("a signal between two programs is lost")
    if process.returncode != -signal.SIGINT:
        fail("status %d, %r" % (process.returncode, errors))


def test_several_lines():
    t = Terminal()
    t.keys("for i = 1, 2 do\r")
    t.wait(r"do\n")
    t.keys("  print('turn', i)\r")
    t.wait(r"\)\n")
    t.line("end", r"turn\t1\nturn\t2")
    if GNU:
        # The whole input comes back at once, and every line can be edited.
        t.keys(UP)
        t.wait(r"for i = 1, 2 do\n  print\('turn', i\)\nend$")
        t.keys(UP + UP + "\x05 print'x'")
        t.line("", r"x\nturn\t1\nx\nturn\t2")
        t.keys(UP + UP + UP + UP + DOWN)
        time.sleep(0.2)
        t.keys(CTRL_C)
        t.wait(r"\n> $")
        # The cursor keeps its column where the line has one.
        t.keys("x = {10,\r")
        t.wait(r",\n")
        t.keys("20,\r")
        t.wait(r",\n")
        t.line("30}", r"")
        t.keys(UP)
        t.wait(r"30\}$")
        t.keys(UP + "5," + DOWN + LINE_BEGIN + "8," + UP + "0" + UP + " " + LINE_END)
        t.line("", r"")
        t.line("table.concat(x, ' ')", r'\n"10 200 5 8 30"')
        # Pasted text is one input.
        t.keys("\x1b[200~if true then\nprint('pasted')\nend\x1b[201~")
        t.line("", r"\npasted")
    t.quit()


def test_completion():
    t = Terminal()

    def completes(text, result):
        t.keys(text + TAB)
        t.wait(escaped(result) + "$")
        t.keys(CTRL_C)
        t.wait(r"\n> $")

    if EDITOR == "none":
        t.quit()
        return
    t.line("Animal = {speak = function() end, legs = 4}", r"")
    t.line("Animal.__index = Animal", r"")
    t.line("Dog = setmetatable({bark = print}, Animal)", r"")
    t.line("rex = setmetatable({}, {__index = Dog})", r"")
    completes("colle", "ctgarbage(" if not GNU else "collectgarbage(")
    completes("x = string.fo", "rmat(" if not GNU else "string.format(")
    completes("rex.ba", "rk(" if not GNU else "rex.bark(")
    completes("rex:sp", "eak(" if not GNU else "rex:speak(")
    completes("rex.le", "gs" if not GNU else "rex.legs")
    completes("x = 'a'..rex.le", "gs" if not GNU else "rex.legs")
    completes("x = 'a'..string.fo", "rmat(" if not GNU else "string.format(")
    completes("x = 1 ..colle", "ctgarbage(" if not GNU else "collectgarbage(")
    completes("('x'):gs", "ub(" if not GNU else "('x'):gsub(")
    completes("whil", "e" if not GNU else "while")
    completes("require 'penumbra.g", "c" if not GNU else "penumbra.gc")
    os.makedirs(os.path.join(HOME, "lib/deep"), exist_ok=True)
    for name in ("lib/uniqueone.lua", "lib/deep/inside.lua"):
        open(os.path.join(HOME, name), "w").close()
    t.line("package.path = '%s/lib/?.lua;%s/lib/?/init.lua'" % (HOME, HOME), r"")
    completes('require("uni', "queone" if not GNU else "uniqueone\"")
    completes('require("deep.ins', "ide" if not GNU else "deep.inside")
    # Behind a parenthesis, the parameters.
    for text, hint in (("string.rep(", "string.rep(s, n [, sep])"),
                       ("x = ('(' .. y):rep(2, ", None),
                       ("('x'):rep(math.max(1, 2), ", "string.rep(s, n [, sep])"),
                       ("io.stdout:seek(", "file:seek([whence [, offset]])"),
                       ("rex:speak(", "function()"),
                       ("nothing.here(", None)) if GNU else ():
        t.keys(text + TAB)
        time.sleep(0.2)
        t.keys(CTRL_C)
        seen = t.wait(r"\n> $")
        if ((hint or "function(") in seen) != (hint is not None):
            fail("the hint for %s is %r" % (text, seen))
    # Completion calls no functions.
    t.line("trap = setmetatable({}, {__index = function() print 'called' end})",
           r"")
    t.keys("trap.abc.de" + TAB + TAB)
    time.sleep(0.3)
    t.keys(CTRL_C)
    if "called" in t.wait(r"\n> $"):
        fail("completion calls __index")
    t.quit()


def test_history():
    if EDITOR == "none":
        return
    file = os.path.join(HOME, "state/penumbra/history")
    t = Terminal(XDG_STATE_HOME=HOME + "/state")
    t.line("'first'", r'\n"first"')
    t.line(" 'secret'", r'\n"secret"')
    t.line("'back\\\\slash'", r'\n"back.*"')
    t.line("'back\\\\slash'", r'\n"back.*"')
    t.quit()
    with open(file) as f:
        text = f.read()
    if text != "'first'\n'back\\\\\\\\slash'\n":
        fail("the history is %r" % text)
    if os.stat(file).st_mode & 0o77:
        fail("others can read the history")
    t = Terminal(XDG_STATE_HOME=HOME + "/state")
    t.keys(UP + UP)
    t.wait(r"'first'$")
    t.line("", r'\n"first"')
    t.quit()
    # A prompt that is killed has saved what it ran, also what it was running.
    t = Terminal(XDG_STATE_HOME=HOME + "/state")
    t.line("'before'", r'\n"before"')
    t.keys("while true do end\r")
    t.wait(r"end\n")
    time.sleep(0.3)
    os.kill(t.pid, signal.SIGKILL)
    os.waitpid(t.pid, 0)
    with open(file) as f:
        if not f.read().endswith("'before'\nwhile true do end\n"):
            fail("a killed prompt loses its history")
    if GNU:
        t = Terminal(XDG_STATE_HOME=HOME + "/state")
        t.keys("'given up' .. ")
        t.wait(r"up' \.\. $")
        time.sleep(0.3)
        t.keys(CTRL_C)
        t.wait(r"\n> $")
        t.keys(UP)
        t.wait(r"'given up' \.\. $")
        t.line("1", r'\n"given up1"')
        t.quit()
    # Several prompts add to one file, while one of them cuts it.
    with open(file, "w") as f:
        f.writelines("'line %d'\n" % i for i in range(5000))
    many = [Terminal(XDG_STATE_HOME=HOME + "/state") for _ in range(4)]
    for i, t in enumerate(many):
        t.line("'prompt %d'" % i, r'\n"prompt %d"' % i)
    for t in many:
        t.quit()
    with open(file) as f:
        text = f.read()
    if any("'prompt %d'" % i not in text for i in range(4)):
        fail("one prompt loses the history of another")
    # A history that cannot be saved is told, once.
    t = Terminal(PENUMBRA_HISTORY=file + "/x")  # a file, and no folder
    t.line("'told'", r'the history is not saved: .*/history/x: .*"told"')
    if "saved" in t.line("'told again'", r'\n"told again"'):
        fail("told twice")
    t.quit()
    # A long history is cut, and its end is kept.
    with open(file, "w") as f:
        f.writelines("'line %d'\n" % i for i in range(5000))
    t = Terminal(XDG_STATE_HOME=HOME + "/state")
    t.keys(UP)
    t.wait(r"'line 4999'$")
    t.line("", r'"line 4999"')
    t.quit()
    with open(file) as f:
        lines = f.readlines()
    if len(lines) != 1000 or lines[-1] != "'line 4999'\n":
        fail("cut to %d lines" % len(lines))
    # No history.
    before = sorted(os.listdir(HOME))
    t = Terminal(PENUMBRA_HISTORY="")
    t.line("1", r"\n1")
    t.quit()
    t = Terminal("-E", "-i")
    t.line("1", r"\n1")
    t.quit()
    if sorted(os.listdir(HOME)) != before:
        fail("a history that nobody wanted")


def test_colors():
    def colors(*options, **environment):
        t = Terminal(*options, **environment)
        t.keys("{'color'}\r")
        end = time.time() + PATIENCE
        while not re.search(r'"color".*\}.*> $', t.raw, re.S):
            if time.time() > end or not t.read(0.5) and t.ended():
                fail("no value: %r" % t.raw)
        found = "\x1b[32m" in t.raw
        t.raw = ""
        t.quit()
        return found

    if not colors():
        fail("no colors")
    if colors(NO_COLOR="1"):
        fail("colors in spite of NO_COLOR")
    if colors(TERM="dumb"):
        fail("colors on a terminal that has none")


if EDITOR != "none":
    import ctypes
    try:
        ctypes.CDLL(EDITOR)
    except OSError:
        print("SKIPPED: there is no %s" % EDITOR)
        sys.exit(77)
for test in (test_values, test_results, test_errors, test_interrupt,
             test_interrupt_anywhere, test_interrupt_between, test_help, test_time,
             test_several_lines, test_completion, test_history, test_colors):
    print(test.__name__)
    test()
shutil.rmtree(HOME)
print("as a person would like it")
