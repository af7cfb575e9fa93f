# SPDX-License-Identifier: MIT
"""client.py -- a client of the Debug Adapter Protocol, for the tests here

Starts a debug adapter, sends requests, and waits for responses and events.  A
wait that takes too long fails with all that was said so far.
"""
import atexit
import json
import os
import subprocess
import sys
import threading
import queue

SECONDS = float(os.environ.get("DEBUGGER_SECONDS", "60"))


def start(*command, **pipes):
    """A process that ends with this test at the latest."""
    process = subprocess.Popen(command, **pipes)
    atexit.register(process.kill)
    return process


class Client:
    def __init__(self, incoming, outgoing, process=None):
        self.out, self.process = outgoing, process
        self.seq, self.log = 0, []
        self.messages, self.later = queue.Queue(), []
        threading.Thread(target=self._read, args=(incoming,),
                         daemon=True).start()

    def _read(self, incoming):
        try:
            while True:
                length = None
                while True:
                    line = incoming.readline()
                    if not line:
                        raise EOFError
                    if line == b"\r\n":
                        break
                    name, _, value = line.decode().partition(":")
                    assert name == "Content-Length", line
                    length = int(value)
                self.messages.put(json.loads(incoming.read(length)))
        except (EOFError, OSError, ValueError) as problem:
            self.messages.put({"type": "end", "why": repr(problem)})

    def send(self, command, arguments=None):
        self.seq += 1
        message = {"seq": self.seq, "type": "request", "command": command}
        if arguments is not None:
            message["arguments"] = arguments
        self.log.append(message)
        self.send_bytes(json.dumps(message).encode())
        return self.seq

    def send_bytes(self, body):
        self.out.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
        self.out.flush()

    def wait(self, matches, what):
        for i, message in enumerate(self.later):
            if matches(message):
                return self.later.pop(i)
        while True:
            try:
                message = self.messages.get(timeout=SECONDS)
            except queue.Empty:
                self.fail("waited for " + what)
            self.log.append(message)
            if matches(message):
                return message
            if message["type"] == "end":
                self.fail("the connection ended before " + what)
            self.later.append(message)

    def fail(self, why):
        for message in self.log:
            print(json.dumps(message), file=sys.stderr)
        raise SystemExit("FAILED: " + why)

    def request(self, command, **arguments):
        """Returns the body of a response that must succeed."""
        response = self.response(command, **arguments)
        if not response["success"]:
            self.fail("%s: %s" % (command, response.get("message")))
        return response.get("body", {})

    def response(self, command, **arguments):
        seq = self.send(command, arguments)
        return self.wait(lambda m: m["type"] == "response"
                         and m["request_seq"] == seq, "response to " + command)

    def event(self, name):
        return self.wait(lambda m: m["type"] == "event" and m["event"] == name,
                         "event " + name).get("body", {})

    def events_so_far(self, name):
        return [m["body"] for m in self.log
                if m.get("type") == "event" and m["event"] == name]

    # -- Shorthands ---------------------------------------------------------

    def stopped(self, reason, line=None):
        body = self.event("stopped")
        if body["reason"] != reason:
            self.fail("stopped by %s, not %s" % (body["reason"], reason))
        self.thread = body["threadId"]
        self.frames = self.request("stackTrace",
                                   threadId=self.thread)["stackFrames"]
        if line is not None and self.frames[0]["line"] != line:
            self.fail("stopped at line %s, not %s"
                      % (self.frames[0]["line"], line))
        return body

    def go(self, command, reason, line=None):
        self.request(command, threadId=self.thread)
        return self.stopped(reason, line)

    def value(self, expression, frame=0, context="watch"):
        return self.request("evaluate", expression=expression, context=context,
                            frameId=self.frames[frame]["id"])["result"]

    def expect(self, got, wanted, what=""):
        if got != wanted:
            self.fail("%s: got %r, not %r" % (what, got, wanted))

    def scope(self, name, frame=0):
        scopes = self.request("scopes",
                              frameId=self.frames[frame]["id"])["scopes"]
        return [s for s in scopes if s["name"] == name][0]["variablesReference"]

    def variables(self, reference, **more):
        found = self.request("variables", variablesReference=reference,
                             **more)["variables"]
        return {v["name"]: v for v in found}

    def output(self, category=None):
        """All output so far."""
        return "".join(o["output"] for o in self.events_so_far("output")
                       if category in (None, o["category"]))


def adapter(interpreter):
    process = start(interpreter, "--debug-adapter",
                    stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    return Client(process.stdout, process.stdin, process)


def source_line(path, mark):
    """The line with the comment `-- mark`."""
    with open(path) as file:
        for number, line in enumerate(file, 1):
            if line.rstrip().endswith("-- " + mark):
                return number
    raise SystemExit("no line is marked " + mark)


def launch(interpreter, program, breakpoints=(), errors=("uncaught",),
           functions=(), **arguments):
    """Starts a program with breakpoints: marks, or pairs of a mark and more."""
    c = adapter(interpreter)
    c.request("initialize", adapterID="test", linesStartAt1=True)
    c.send("launch", dict(arguments, program=program))
    c.event("initialized")
    c.breakpoints = set_breakpoints(c, program, breakpoints)
    if functions:
        c.request("setFunctionBreakpoints",
                  breakpoints=[{"name": f} for f in functions])
    c.request("setExceptionBreakpoints", filters=list(errors))
    c.request("configurationDone")
    return c


def set_breakpoints(c, program, breakpoints):
    lines = []
    for b in breakpoints:
        mark, more = b if isinstance(b, tuple) else (b, {})
        lines.append(dict(more, line=source_line(program, mark)))
    return c.request("setBreakpoints", source={"path": program},
                     breakpoints=lines)["breakpoints"]
