# SPDX-License-Identifier: MIT
"""Figures in the documentation, written by the runner that measured them.

A page has two marks for each runner.  The runner writes the text between them.
The rest of the page is written by hand.

    <!-- figures: bench/pause/run -->
    <!-- end of figures: bench/pause/run -->
"""

import pathlib
import sys
import textwrap

COLUMNS = 118
LEFT_OUT = {"--json", "--plot", "--document", "--read", "--penumbra", "--host"}


def marks(runner):
    return ("<!-- figures: %s -->" % runner,
            "<!-- end of figures: %s -->" % runner)


def add_option(parser):
    parser.add_argument("--document", metavar="FILE", help="write the figures "
                        "into this page of docs/, between the runner's marks")


def check(parser, path, runner):
    """Ends the program now, and not after an hour of measuring."""
    if not path:
        return
    text = pathlib.Path(path).read_text(encoding="utf-8")
    for mark in marks(runner):
        if mark not in text:
            parser.error("%s has no line %s" % (path, mark))


def update(path, runner, text):
    """Replaces the text between the marks."""
    page = pathlib.Path(path).read_text(encoding="utf-8")
    begin, end = marks(runner)
    head, _, rest = page.partition(begin)
    _, _, tail = rest.partition(end)
    pathlib.Path(path).write_text(
        "%s%s\n\n%s\n\n%s%s" % (head, begin, text.strip(), end, tail),
        encoding="utf-8")


def table(rows, left=1):
    """A table in Markdown; the first `left` columns are text."""
    wide = len(rows[0])
    rule = "|---" * left + "|--:" * (wide - left) + "|"
    lines = ["| %s |" % " | ".join(row + [""] * (wide - len(row)))
             for row in rows]
    return "\n".join([lines[0], rule] + lines[1:])


def command_of(runner, arguments):
    """The given command, without the names of files."""
    words, skip = [runner], False
    for word in arguments:
        name, equals, _ = word.partition("=")
        if skip:
            skip = False
        elif name in LEFT_OUT:
            skip = not equals
        else:
            words.append(word if " " not in word else "'%s'" % word)
    return " ".join(words)


def origin(runner, about, interpreters):
    """One paragraph: the command, the machine, the day, the versions."""
    versions = sorted({each["version"].split("  ")[0].split(" -- ")[0]
                       for each in interpreters.values()})
    return paragraph("Measured with `%s` on %s. %s (%s), %d processors, %s. %s." % (
        command_of(runner, sys.argv[1:]), about["date"], about["machine"],
        about["processor"] or "unknown", about["processors"],
        about["system"], ", ".join(versions)))


def paragraph(text):
    """Breaks lines at the width of the house style."""
    return textwrap.fill(text, COLUMNS, break_long_words=False,
                         break_on_hyphens=False)
