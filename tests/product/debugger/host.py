# SPDX-License-Identifier: MIT
"""host.py -- two clients, one after the other, debug a host that runs

    host.py <host>
"""
import os
import socket
import subprocess
import sys

from client import Client, start

process = start(sys.argv[1], stdout=subprocess.PIPE)
port = int(process.stdout.readline())


def client():
    s = socket.create_connection(("127.0.0.1", port))
    c = Client(s.makefile("rb"), s.makefile("wb"), process)
    c.request("initialize")
    c.request("attach")
    c.event("initialized")
    return c


def break_at(c, lines):
    return c.request("setBreakpoints", source={"path": os.path.abspath("host.lua")},
                     breakpoints=[{"line": n} for n in lines])["breakpoints"]


first = client()
first.expect(break_at(first, [3])[0]["verified"], True, "loaded before")
first.stopped("breakpoint", 3)
first.request("configurationDone")
first.expect(first.value("n"), "1", "it stays where it has stopped")
before = int(first.value("turns"))
first.go("continue", "breakpoint", 3)
first.expect(int(first.value("turns")), before + 1, "one turn more")
first.request("disconnect")

second = client()
second.request("configurationDone")
second.request("pause", threadId=1)
second.stopped("pause")
second.value("finished = true", context="repl")
second.request("continue", threadId=1)
if process.wait(60) != 0:
    sys.exit("FAILED: the host returned %d" % process.returncode)
second.event("terminated")
