# SPDX-License-Identifier: MIT
"""features.py -- what the debugger can do, one function for each

    features.py <penumbra> <folder to write to> [name]...
"""
import os
import re
import shutil
import socket
import subprocess
import sys
import time

from client import (Client, adapter, launch, set_breakpoints, source_line,
                    start)

PENUMBRA, OUT = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
HERE = os.path.dirname(os.path.abspath(__file__))
PROGRAM = os.path.join(HERE, "program.lua")


def line(mark):
    return source_line(PROGRAM, mark)


def finish(c, code=1):
    """The program goes on to its end."""
    c.request("continue", threadId=c.thread)
    end(c, code)


def end(c, code):
    c.expect(c.event("exited")["exitCode"], code, "exit code")
    c.event("terminated")
    c.request("disconnect")
    c.expect(c.process.wait(20), 0, "status of the adapter")


def entry_and_output():
    c = launch(PENUMBRA, PROGRAM, errors=[], stopOnEntry=True)
    c.stopped("entry")
    c.expect(c.frames[0]["source"]["path"], PROGRAM, "path")
    finish(c)
    out = c.output("stdout")
    for text in ["r 3\n", "true\t11\n", "true\t40\n", "before old\nafter old\n",
                 "42\n", "5\t1000\ttrue\n", "closed\ttrue\n"]:
        if text not in out:
            c.fail("no output %r in %r" % (text, out))
    if "program.lua" not in c.output("stderr") and not c.output("stderr"):
        c.fail("no error message")


def breakpoints():
    c = launch(PENUMBRA, PROGRAM, ["inner"], errors=[])
    c.expect(c.breakpoints[0]["verified"], False, "before it is loaded")
    changed = c.event("breakpoint")["breakpoint"]
    c.expect((changed["verified"], changed["line"]), (True, line("inner")),
             "when it is loaded")
    for n in range(1, 7):
        body = c.stopped("breakpoint", line("inner"))
        c.expect(body["hitBreakpointIds"], [changed["id"]], "hit")
        c.expect(c.value("a"), str(n), "a")
        c.expect([f["name"] for f in c.frames][:3],
                 ["inner", "outer", "main chunk"], "frames")
        if n < 6:
            c.request("continue", threadId=c.thread)
    finish(c)


def conditions():
    c = launch(PENUMBRA, PROGRAM, [("inner", {"condition": "a == 4"}),
                                   ("after call", {"hitCondition": "% 3"}),
                                   ("loop", {"logMessage": "i is {i}, {i + 1}"})],
               errors=[])
    c.stopped("breakpoint", line("after call"))
    c.expect(c.value("x"), "3", "third hit")
    c.go("continue", "breakpoint", line("inner"))
    c.expect(c.value("a"), "4", "condition")
    c.go("continue", "breakpoint", line("after call"))
    c.expect(c.value("x"), "6", "sixth hit")
    finish(c)
    c.expect(c.output("console"),
             "".join("i is %d, %d\n" % (i, i + 1) for i in range(1, 7)), "log")
    c = launch(PENUMBRA, PROGRAM, [("inner", {"condition": "1 +"})], errors=[])
    c.stopped("breakpoint", line("inner"))
    if "condition of a breakpoint" not in c.output("important"):
        c.fail("no message about a wrong condition")
    set_breakpoints(c, PROGRAM, [])
    finish(c)


def functions():
    c = launch(PENUMBRA, PROGRAM, ["global function"], errors=[])
    c.stopped("breakpoint", line("global function"))
    answer = c.request("setFunctionBreakpoints",
                       breakpoints=[{"name": "string.rep"}, {"name": "print"}])
    c.expect([b["verified"] for b in answer["breakpoints"]], [False, False],
             "functions in C")
    c.value("global_function = function(a)\n return a end", context="repl")
    answer = c.request("setFunctionBreakpoints",
                       breakpoints=[{"name": "global_function"}])
    c.expect(answer["breakpoints"][0]["verified"], True, "a new function")
    set_breakpoints(c, PROGRAM, [])
    c.request("setFunctionBreakpoints", breakpoints=[])
    finish(c)


def steps():
    c = launch(PENUMBRA, PROGRAM, ["call", "step one"], errors=[])
    c.stopped("breakpoint", line("call"))
    c.go("stepIn", "step", line("inner") - 1)
    c.expect(c.frames[0]["name"], "inner", "stepped in")
    c.go("next", "step", line("inner"))
    c.go("stepOut", "step", line("after call"))  # nothing is left of the call
    c.go("next", "step", line("after call") + 1)
    c.go("next", "step", line("loop") + 1)
    set_breakpoints(c, PROGRAM, ["step one"])
    c.go("continue", "breakpoint", line("step one"))
    c.go("next", "step", line("step two"))
    c.go("next", "step", line("step three"))
    finish(c)
    if "hooked\t" not in c.output("stdout"):
        c.fail("the program's hook is gone")
    lua = subprocess.run([PENUMBRA, PROGRAM], stdout=subprocess.PIPE,
                         stderr=subprocess.DEVNULL).stdout.decode()
    c.expect(c.output("stdout"), lua, "output, and with it the count of hooks")


def step_over_breakpoint():
    """A breakpoint in a function that is stepped over stops the program."""
    c = launch(PENUMBRA, PROGRAM, ["call", "inner"], errors=[])
    c.stopped("breakpoint", line("call"))
    c.go("next", "breakpoint", line("inner"))
    set_breakpoints(c, PROGRAM, [])
    c.go("stepOut", "step", line("after call"))
    finish(c)


def coroutines():
    c = launch(PENUMBRA, PROGRAM, ["resume", "resumed"], errors=[])
    c.stopped("breakpoint", line("resume"))
    c.go("stepIn", "step", line("coroutine"))
    threads = c.request("threads")["threads"]
    c.expect(len(threads), 2, "threads")
    main = [t for t in threads if t["name"] == "main"][0]
    frames = c.request("stackTrace", threadId=main["id"])["stackFrames"]
    c.expect([f["line"] for f in frames if f["name"] == "main chunk"],
             [line("resume")], "the resumer waits")
    c.expect(c.value("a"), "10", "in the coroutine")
    c.expect(c.request("evaluate", expression="count", context="watch",
                       frameId=[f for f in frames
                                if f["name"] == "main chunk"][0]["id"])
             ["result"], "6", "in another thread")
    c.go("next", "step", line("yield"))
    c.go("next", "step", line("resume"))
    c.go("next", "step", line("resume again"))
    suspended = [t for t in c.request("threads")["threads"]
                 if t["name"] != "main"][0]
    frames = c.request("stackTrace", threadId=suspended["id"])["stackFrames"]
    c.expect(frames[-1]["line"], line("yield"), "a suspended coroutine")
    variables = c.variables(c.request("scopes", frameId=frames[-1]["id"])
                            ["scopes"][0]["variablesReference"])
    c.expect(variables["y"]["value"], "11", "its variable")
    c.go("continue", "breakpoint", line("resumed"))
    c.go("stepOut", "step", line("resume again"))
    finish(c)


def variables():
    c = launch(PENUMBRA, PROGRAM, ["inner return", "chunk"], errors=[])
    c.stopped("breakpoint", line("inner return"))
    found = c.variables(c.scope("Locals"))
    c.expect({n: v["value"] for n, v in found.items()},
             {"a": "1", "b": "2", "...[1]": '"va"', "...[2]": "1"}, "locals")
    found = c.variables(c.scope("Upvalues"))
    c.expect(found["count"]["value"], "1", "upvalue")
    if "print" not in c.variables(c.scope("Globals")):
        c.fail("no globals")
    set_breakpoints(c, PROGRAM, ["chunk"])
    c.go("continue", "breakpoint", line("chunk"))
    found = c.variables(c.scope("Locals"))
    t = c.variables(found["t"]["variablesReference"])
    c.expect([t[n]["value"] for n in ["[1]", "[3]", "name", '["two words"]']],
             ["1", "3", '"x"', "2"], "fields")
    c.expect(c.variables(t["nested"]["variablesReference"])["a"]["value"], "1",
             "nested")
    meta = c.variables(t["[metatable]"]["variablesReference"])
    c.expect(meta["__name"]["value"], '"Thing"', "metatable")
    big = found["big"]
    c.expect(big["indexedVariables"], 1000, "size")
    page = c.variables(big["variablesReference"], filter="indexed", start=500,
                       count=100)
    c.expect((len(page), page["[501]"]["value"]), (100, str(501 * 501)), "page")
    page = c.variables(big["variablesReference"], filter="named")
    rest = c.variables(page["..."]["variablesReference"])
    names = {n for n in list(page) + list(rest) if n.startswith("key")}
    c.expect(len(names), 600, "keys in pages")
    finish(c)


def assignments():
    c = launch(PENUMBRA, PROGRAM, ["inner return", "chunk"], errors=[])
    c.stopped("breakpoint", line("inner return"))

    def assign(reference, name, value):
        return c.request("setVariable", variablesReference=reference,
                         name=name, value=value)["value"]
    local = c.scope("Locals")
    c.expect(assign(local, "b", "a + 99"), "100", "local")
    c.expect(assign(local, "...[1]", "'other'"), '"other"', "vararg")
    c.expect(assign(c.scope("Upvalues"), "count", "50"), "50", "upvalue")
    c.expect(c.value("b, count, ..."), '100\t50\t"other"\t1', "afterwards")
    c.value("b = b + 1; count = 51; new_global = 3", context="repl")
    c.expect(c.value("b, count, new_global"), "101\t51\t3", "evaluated")
    c.expect(c.value("x", frame=1), "1", "another frame")
    c.request("setExpression", frameId=c.frames[1]["id"], expression="x",
              value="77")
    c.expect(c.value("x", frame=1), "77", "set expression")
    bad = c.response("evaluate", expression="nothing.x", context="repl",
                     frameId=c.frames[0]["id"])
    c.expect((bad["success"], "nil value" in bad["message"]), (False, True),
             "error")
    hover = c.response("evaluate", expression="b = 1", context="hover",
                       frameId=c.frames[0]["id"])
    c.expect(hover["success"], False, "a hover assigns nothing")
    set_breakpoints(c, PROGRAM, ["chunk"])
    c.go("continue", "breakpoint", line("chunk"))
    t = c.variables(c.scope("Locals"))["t"]["variablesReference"]
    c.expect(assign(t, '["two words"]', "{1}"), "{1}", "field")
    c.expect(assign(t, "[2]", "'two'"), '"two"', "position")
    c.expect(c.value("t[2], #t['two words']"), '"two"\t1', "fields")
    finish(c)
    if "r 102\n" not in c.output("stdout"):
        c.fail("the assignment did not reach the program")


def errors():
    c = launch(PENUMBRA, PROGRAM, errors=["caught", "uncaught"])
    body = c.stopped("exception")
    c.expect(c.frames[1]["line"], line("caught"), "caught error")
    text = 'caught "error"\n\\ of two lines'
    if not re.fullmatch(r".*program\.lua:\d+: " + re.escape(text), body["text"]):
        c.fail("another text of the error: %r" % body)
    info = c.request("exceptionInfo", threadId=c.thread)
    c.expect(info["description"], body["text"], "info on a message")
    c.request("setExceptionBreakpoints", filters=["uncaught"])
    c.request("continue", threadId=c.thread)
    body = c.stopped("exception")
    c.expect(c.frames[1]["line"], line("uncaught"), "uncaught error")
    c.expect(body["text"], "{code = 7}", "a table as an error")
    info = c.request("exceptionInfo", threadId=c.thread)
    c.expect(info["description"], "{code = 7}", "info")
    finish(c)


def step_out_of_error():
    """A step ends where the error is caught."""
    c = launch(PENUMBRA, PROGRAM, ["caught"], errors=[])
    c.stopped("breakpoint", line("caught"))
    c.go("next", "step", line("after pcall"))
    finish(c)


def pause():
    path = os.path.join(OUT, "endless.lua")
    with open(path, "w") as file:
        file.write("local n = 0\nwhile not done do\n  n = n + 1\nend\n"
                   "print('done')\n")
    c = launch(PENUMBRA, path)
    time.sleep(0.2)
    c.request("pause", threadId=1)
    c.stopped("pause")
    c.value("done = true", context="repl")
    finish(c, 0)
    c.expect(c.output("stdout"), "done\n", "output")


def breakpoint_while_running():
    path = os.path.join(OUT, "endless.lua")
    with open(path, "w") as file:
        file.write("local n = 0\nwhile not done do\n  n = n + 1  -- here\nend\n")
    c = launch(PENUMBRA, path)
    time.sleep(0.2)
    set_breakpoints(c, path, ["here"])
    c.stopped("breakpoint", 3)
    set_breakpoints(c, path, [])
    c.value("done = 1", context="repl")
    finish(c, 0)


def text_chunks():
    c = launch(PENUMBRA, PROGRAM, ["chunk"], errors=[])
    c.stopped("breakpoint", line("chunk"))
    c.go("stepIn", "step", 1)
    reference = c.frames[0]["source"]["sourceReference"]
    text = c.request("source", sourceReference=reference)["content"]
    c.expect(text, "local p = ...\nlocal q = p + 1\nreturn q", "source")
    c.request("setBreakpoints", source={"sourceReference": reference},
              breakpoints=[{"line": 3}])
    c.go("continue", "breakpoint", 3)
    c.expect(c.value("q"), "42", "in the chunk")
    finish(c)


def reload():
    path = os.path.join(OUT, "reloaded.lua")
    shutil.copy(PROGRAM, path)
    c = launch(PENUMBRA, path, ["reload", "reload again"], errors=[])
    c.stopped("breakpoint", line("reload"))
    with open(path) as file:
        text = file.read()
    with open(path, "w") as file:
        file.write(text.replace('return "old"', 'return "new" .. reloaded'))
    answer = c.request("penumbra/reload", source={"path": path},
                       line=line("reload"))
    c.expect(answer["functions"], 1, "functions")
    c.go("continue", "breakpoint", line("reload again"))
    c.go("continue", "breakpoint", line("reload"))
    c.expect(c.value("reloaded"), "1", "upvalues stay")
    bad = c.response("penumbra/reload", source={"path": path}, line=1)
    c.expect(bad["success"], False, "no function there")
    finish(c)
    if "before old\nafter new2\n" not in c.output("stdout"):
        c.fail("output: %r" % c.output("stdout"))


def metamethods():
    c = launch(PENUMBRA, PROGRAM, ["add", "scope"], errors=[])
    c.stopped("breakpoint", line("add"))
    c.go("stepOut", "step", line("add") + 2)
    c.go("continue", "breakpoint", line("scope"))
    finish(c)
    if "5\t1000\ttrue\n" not in c.output("stdout"):
        c.fail("output: %r" % c.output("stdout"))


def attach():
    """--debug waits for a client; a second one comes after the first."""
    path = os.path.join(OUT, "endless.lua")
    with open(path, "w") as file:
        file.write("n = 0\nwhile not done do\n  n = n + 1  -- here\nend\n")
    process = start(PENUMBRA, "--debug=0", path, stderr=subprocess.PIPE)
    port = int(process.stderr.readline().split()[-1])
    for last in [False, True]:
        c = adapter(PENUMBRA)
        c.request("initialize", adapterID="test")
        c.send("attach", {"port": port})
        c.event("initialized")
        c.expect(set_breakpoints(c, path, ["here"])[0]["verified"], last, "is it"
                 " loaded?")
        c.request("configurationDone")
        c.stopped("breakpoint", 3)
        if last:
            c.value("done = 1", context="repl")
        c.request("disconnect")
        c.expect(c.process.wait(20), 0, "status of the adapter")
    if process.wait(20) != 0:
        c.fail("the program has failed")


def terminate():
    path = os.path.join(OUT, "endless.lua")
    with open(path, "w") as file:
        file.write("while true do end\n")
    c = launch(PENUMBRA, path)
    c.request("terminate")
    end(c, 128 + 9)


def garbage():
    """What is no message ends the connection, and not the program."""
    path = os.path.join(OUT, "garbage.lua")
    with open(path, "w") as file:
        file.write("print('end')\n")
    for bytes_sent in [b"POST / HTTP/1.1\r\nContent-Length: 2\r\n\r\n{}",
                       b"Content-Length: 5\r\n\r\n{\"a\":",
                       b"Content-Length: 99999999999\r\n\r\n",
                       b"Content-Length: 2\r\n\r\n[]" * 3,
                       b"\0" * 9000,
                       b"Content-Length: 400\r\n\r\n" + b"[" * 400]:
        process = start(PENUMBRA, "--debug=0", path,
                        stderr=subprocess.PIPE, stdout=subprocess.PIPE)
        port = int(process.stderr.readline().split()[-1])
        with socket.create_connection(("127.0.0.1", port)) as s:
            s.sendall(bytes_sent)
            s.settimeout(0.2)
            try:
                s.recv(1000)
            except OSError:
                pass
        s = socket.create_connection(("127.0.0.1", port))
        c = Client(s.makefile("rb"), s.makefile("wb"))
        c.request("initialize")
        c.request("attach")
        c.expect(c.response("no such request")["success"], False, "unknown")
        c.expect(c.response("variables", variablesReference="x")["success"],
                 False, "while it runs")
        c.request("configurationDone")
        if process.communicate(timeout=20)[0] != b"end\n":
            c.fail("the program did not run")


ALL = [entry_and_output, breakpoints, conditions, functions, steps,
       step_over_breakpoint, coroutines, variables, assignments, errors,
       step_out_of_error, pause, breakpoint_while_running, text_chunks, reload,
       metamethods, attach, terminate, garbage]

for feature in ALL:
    if len(sys.argv) > 3 and feature.__name__ not in sys.argv[3:]:
        continue
    print(feature.__name__, flush=True)
    feature()
