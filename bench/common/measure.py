# SPDX-License-Identifier: MIT
"""Interpreters, and processes measured by the operating system.

Shared by the runners in the neighboring folders.  Needs only Python.  With GNU
time installed, peak memory is also right for small processes.
"""

import argparse
import dataclasses
import datetime
import math
import os
import pathlib
import platform
import shutil
import signal
import subprocess
import sys
import tempfile
import threading

ROOT = pathlib.Path(__file__).resolve().parents[2]
INCREMENTAL = ["-e", "collectgarbage('incremental')"]
GENERATIONAL = ["-e", "collectgarbage('generational')"]


class Parser(argparse.ArgumentParser):
    """The options of a runner.  A wrong command line gets one line."""

    def __init__(self, description):
        super().__init__(prog=os.path.relpath(os.path.realpath(sys.argv[0]), ROOT),
                         description=description,
                         formatter_class=argparse.RawDescriptionHelpFormatter)

    def error(self, message):
        self.exit(2, "%s: %s (try '%s --help')\n" % (self.prog, message, self.prog))


@dataclasses.dataclass
class Interpreter:
    """A name for tables and the command that runs a script."""
    name: str
    command: list

    @property
    def is_luajit(self):
        return "luajit" in os.path.basename(self.command[0])

    def version(self):
        """Its version message, or why there is none."""
        try:
            done = subprocess.run([self.command[0], "-v"], text=True,
                                  capture_output=True, timeout=10)
        except (OSError, subprocess.TimeoutExpired) as error:
            return str(error)
        return (done.stdout or done.stderr).strip()


def known_interpreters(penumbra):
    """All named interpreters, by name.

    The executable `lua5.4` starts its state in generational mode, and so does
    `penumbra`.  A mode in the name is set before the script runs.
    """
    commands = {
        "lua5.4": ["lua5.4"],
        "lua5.4-inc": ["lua5.4"] + INCREMENTAL,
        "lua5.4-gen": ["lua5.4"] + GENERATIONAL,
        "luajit-joff": ["luajit", "-joff"],
        "luajit": ["luajit"],
        "penumbra": [penumbra],
        "penumbra-inc": [penumbra] + INCREMENTAL,
        "penumbra-gen": [penumbra] + GENERATIONAL,
    }
    return {name: Interpreter(name, command)
            for name, command in commands.items()}


def add_interpreter_options(parser, default):
    """The options with which all runners choose interpreters."""
    parser.add_argument(
        "--interpreters", default=default, metavar="LIST",
        help="comma-separated names (%s) or NAME=COMMAND; default: %s"
        % (" ".join(known_interpreters("penumbra")), default.replace("%", "%%")))
    parser.add_argument(
        "--penumbra", metavar="PATH",
        default=os.environ.get("PENUMBRA",
                               str(ROOT / "build/release/penumbra")),
        help="the penumbra to measure; default: $PENUMBRA or build/release")


def choose_interpreters(options):
    """The requested interpreters that are installed; prints the others."""
    known = known_interpreters(options.penumbra)
    chosen = []
    for item in options.interpreters.split(","):
        name, equals, command = item.partition("=")
        if equals:
            interpreter = Interpreter(name, command.split())
        elif name in known:
            interpreter = known[name]
        else:
            sys.exit("no interpreter is called %r" % name)
        if shutil.which(interpreter.command[0]):
            chosen.append(interpreter)
        else:
            say("%s: there is no %s here; left out"
                % (name, os.path.relpath(interpreter.command[0])
                   if os.sep in interpreter.command[0]
                   else interpreter.command[0]))
    if not chosen:
        sys.exit("no interpreter to measure")
    return chosen


@dataclasses.dataclass
class Outcome:
    """The measurements of one process."""
    cpu: float          # seconds of user and system time
    peak_kb: int        # most memory resident at once
    output: str
    error: str          # empty if there was none


GNU_TIME = "/usr/bin/time"


def _peak_recorder(report):
    """A prefix that makes GNU time write the peak into the file `report`.

    A process inherits the peak of its parent at the fork, which here is Python
    with its ten megabytes.  GNU time is small.
    """
    if not os.access(GNU_TIME, os.X_OK):
        return []
    return [GNU_TIME, "--quiet", "-f", "%M", "-o", report]


def run_process(command, timeout, want_peak=True):
    """Runs a command to its end, or for `timeout` seconds, and measures it.

    Recording the right peak costs about a millisecond of CPU time.
    """
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err, \
            tempfile.NamedTemporaryFile() as report:
        prefix = _peak_recorder(report.name) if want_peak else []
        child = subprocess.Popen(
            prefix + list(command), stdout=out, stderr=err,
            stdin=subprocess.DEVNULL, start_new_session=True)
        late = threading.Event()

        def stop():
            late.set()
            os.killpg(child.pid, signal.SIGKILL)

        timer = threading.Timer(timeout, stop)
        timer.start()
        _, status, usage = os.wait4(child.pid, 0)
        timer.cancel()
        code = os.waitstatus_to_exitcode(status)
        child.returncode = code
        out.seek(0)
        err.seek(0)
        recorded = report.read().split()
        error = err.read().decode(errors="replace").strip()
        if late.is_set():
            error = "no end after %g s" % timeout
        elif code == 0:
            error = ""
        else:
            error = error or "status %d" % code
        peak = int(recorded[-1]) if recorded else usage.ru_maxrss
        return Outcome(usage.ru_utime + usage.ru_stime, peak,
                       out.read().decode(errors="replace"), error)


# Bounds on memory compared with lua5.4's.  Where lua5.4 takes little,
# executables and the minimum size of a heap count for more than the program.
# In that case the difference is bounded.  tests/collector/memory/peak.lua has
# the same bounds.
MEMORY_RATIO_MAX = 1.15
MEMORY_SMALL_KB = 8 * 1024
MEMORY_SMALL_MORE_KB = 4 * 1024


def is_memory_within(mine_kb, theirs_kb):
    if theirs_kb < MEMORY_SMALL_KB:
        return mine_kb <= theirs_kb + MEMORY_SMALL_MORE_KB
    return mine_kb <= theirs_kb * MEMORY_RATIO_MAX


def describe_machine():
    """Where and when the figures were made."""
    model = ""
    try:
        for line in subprocess.run(["lscpu"], text=True, capture_output=True,
                                   check=False).stdout.splitlines():
            if line.startswith("Model name:"):
                model = line.split(":", 1)[1].strip()
    except OSError:
        pass
    return {"machine": platform.machine(), "processor": model,
            "processors": os.cpu_count(),
            "system": platform.system() + " " + platform.release(),
            "date": datetime.date.today().isoformat()}


def describe_interpreters(interpreters):
    """The measurements, by name."""
    return {each.name: {"command": each.command, "version": each.version()}
            for each in interpreters}


def geometric_mean(values):
    """Geometric mean of positive numbers; None if there are none."""
    values = list(values)
    if not values:
        return None
    return math.exp(sum(math.log(value) for value in values) / len(values))


def say(text="", end="\n"):
    """Prints progress to the standard error.  Results go to the standard
    output."""
    print(text, end=end, file=sys.stderr, flush=True)


class Progress:
    """Prints the current work: one line on a terminal, else one per topic."""

    def __init__(self, total):
        self.total, self.done, self.topic = total, 0, None
        self.live = sys.stderr.isatty()

    def step(self, topic, detail):
        self.done += 1
        if self.live:
            text = "[%d/%d] %s %s" % (self.done, self.total, topic, detail)
            say("\r" + text.ljust(60), end="")
        elif topic != self.topic:
            say("[%d/%d] %s" % (self.done, self.total, topic))
        self.topic = topic

    def end(self):
        if self.live:
            say("\r" + " " * 60 + "\r", end="")


def format_table(rows, left=1):
    """Lines of text with columns aligned, the first `left` to the left."""
    widths = [max(len(row[i]) for row in rows if len(row) > i)
              for i in range(max(len(row) for row in rows))]
    lines = []
    for row in rows:
        cells = [cell.ljust(widths[i]) if i < left else cell.rjust(widths[i])
                 for i, cell in enumerate(row)]
        lines.append("  ".join(cells).rstrip())
    return "\n".join(lines)
