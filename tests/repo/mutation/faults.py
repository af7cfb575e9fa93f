# SPDX-License-Identifier: MIT
"""Faults: where they are, how they are applied, and how they are generated.

The description of a fault has no line numbers, so that it survives changes
around it. It names a file, the original text, and the text that replaces it.

  by_hand.txt     written by hand; blocks separated by empty lines:

      fault gc-barrier-off             a name
      in src/gc/barrier.c              the file
      - text as it is                  one or more lines; it must occur once
      + text with the fault            no line: the text is left out

  by_reading.txt  the same; chosen by reading one folder, and not the tests
  generated.txt   made by `run --generate`; one fault in each line, with tabs
                  between: name, file, function, rule, number, line

The line of a generated fault is searched within its function; `number` says
which match of the rule within that line is meant.

  equivalent.txt  name, tab, reason: no test can notice this fault
"""
import hashlib
import os
import random
import re

HERE = os.path.dirname(os.path.abspath(__file__))


class Stale(Exception):
    """The code that the fault is about has changed."""


# -- Rules --------------------------------------------------------------------

# name: (pattern, replacement).  A pattern matches within one line of code,
# after strings and comments were blanked out.
def _swap(pairs):
    return lambda m: pairs[m.group(0)]


RULES = {
    "relation": (r"(?<=\s)(<=|>=|<|>)(?=\s)",
                 _swap({"<": "<=", "<=": "<", ">": ">=", ">=": ">"})),
    "equality": (r"==|!=", _swap({"==": "!=", "!=": "=="})),
    "logic": (r"&&|\|\|", _swap({"&&": "||", "||": "&&"})),
    "sum": (r"(?<=[\w)\]] )[+-](?= [\w(*&])", _swap({"+": "-", "-": "+"})),
    "step": (r"\+\+|--", _swap({"++": "--", "--": "++"})),
    "add_to": (r"(?<= )(\+=|-=|\|=)(?= )",
               _swap({"+=": "-=", "-=": "+=", "|=": "="})),
    "truth": (r"\b(true|false)\b", _swap({"true": "false", "false": "true"})),
    "number": (r"(?<![\w.])\d+(?![\w.])", lambda m: str(int(m.group(0)) + 1)),
    "never": (r"\bif \((?=.)", None),        # the condition never holds
    "always": (r"\bif \((?=.)", None),       # the condition always holds
    "no_call": (r"^\s*(?!return|sizeof)[a-z]\w*\(.*\);\s*$", None),
    "no_store": (r"^\s*[\w>.\-\[\]]*(->|\.|\])[\w>.\-\[\]]* = [^;]*;\s*$",
                 None),
    "no_early_end": (r"\b(break|continue);", lambda m: ";"),
}


def _blank(line):
    """The line with the text of strings and comments replaced by spaces."""
    keep = lambda m: m.group(0)[0] + " " * (len(m.group(0)) - 2) + m.group(0)[-1]
    line = re.sub(r'"(?:[^"\\]|\\.)*"', keep, line)
    line = re.sub(r"'(?:[^'\\]|\\.)+'", keep, line)
    return re.sub(r"/\*.*?(\*/|$)|//.*$", lambda m: " " * len(m.group(0)), line)


def _close(text, start):
    """The place of the parenthesis that closes the one before `start`."""
    depth = 1
    for i in range(start, len(text)):
        depth += {"(": 1, ")": -1}.get(text[i], 0)
        if depth == 0:
            return i
    return None


def apply_rule(rule, number, line):
    """The line with the fault, or None if the rule has no such match in it."""
    pattern, replace = RULES[rule]
    blank = _blank(line)
    matches = list(re.finditer(pattern, blank))
    if number >= len(matches):
        return None
    m = matches[number]
    if rule in ("no_call", "no_store"):
        indent = re.match(r"\s*", line).group(0)
        return indent + ";" if blank.rstrip().endswith(";") else None
    if rule in ("never", "always"):
        end = _close(blank, m.end())
        if end is None:
            return None
        condition = line[m.end():end]
        tail = "&& 0" if rule == "never" else "|| 1"
        return f"{line[:m.end()]}({condition}) {tail}{line[end:]}"
    return line[:m.start()] + replace(m) + line[m.end():]


# -- Reading C ----------------------------------------------------------------

SKIPPED = re.compile(r"^\s*(#|ASSERT|CHECK|static_assert|enum\b|typedef\b|\*\*"
                     r"|/\*|case\b|for \(;;\)|struct\b)")
HEAD = re.compile(r"^(?!typedef|enum|struct \w+ \{|union|extern|\s|#|/\*|\*\*|\}"
                  r")[\w\s*()]*?\b(\w+)\s*\(")


def functions(lines):
    """(name, first, last) of every function body. It goes by the layout: a head
    that begins in the first column, and a final brace in the first column."""
    found, name, begin = [], None, None
    for i, line in enumerate(lines):
        if name is None:
            m = HEAD.match(line)
            if m and not line.rstrip().endswith(";"):
                name, begin = m.group(1), i
        elif line.startswith("}"):
            found.append((name, begin, i))
            name = None
        elif line.rstrip().endswith(";") and not line.startswith(" "):
            name = None
        elif not line.strip() and begin == i - 1:
            name = None
    return found


def code_lines(lines, first, last):
    """Numbers of the lines of a body that rules may change."""
    comment = assertion = False
    for i in range(first + 1, last):
        line = lines[i]
        if comment:
            comment = "*/" not in line
            continue
        if re.match(r"^\s*/\*", line) and "*/" not in line:
            comment = True
            continue
        if assertion or re.match(r"^\s*(ASSERT|CHECK)", line):
            assertion = not line.rstrip().endswith(";")
            continue
        if not SKIPPED.match(line) and line.strip():
            yield i


# -- Faults -------------------------------------------------------------------

class Fault:
    def __init__(self, name, path):
        self.name, self.path = name, path

    @property
    def folder(self):
        return self.path.split("/")[1]


class ByHand(Fault):
    kind = "by hand"

    def __init__(self, name, path, old, new):
        super().__init__(name, path)
        self.old, self.new = old, new

    def put_in(self, text):
        if text.count(self.old) != 1:
            raise Stale(f"the text occurs {text.count(self.old)} times")
        return text.replace(self.old, self.new)

    def describe(self):
        short = lambda s: " ".join(s.split())
        return f"`{short(self.old)}` -> `{short(self.new)}`"


class Generated(Fault):
    kind = "generated"

    def __init__(self, name, path, function, rule, number, line):
        super().__init__(name, path)
        self.function, self.rule, self.number = function, rule, number
        self.line = line

    def put_in(self, text):
        lines = text.split("\n")
        for name, first, last in functions(lines):
            if name != self.function:
                continue
            for i in code_lines(lines, first, last):
                if lines[i].strip() == self.line:
                    changed = apply_rule(self.rule, self.number, lines[i])
                    if changed is None:
                        break
                    lines[i] = changed
                    return "\n".join(lines)
        raise Stale("the line is not there any more")

    def describe(self):
        return f"{self.rule} in `{self.function}`: `{self.line}`"

    def row(self):
        return "\t".join([self.name, self.path, self.function, self.rule,
                          str(self.number), self.line])


def read_by_hand(path=os.path.join(HERE, "by_hand.txt")):
    faults, name, file, old, new = [], None, None, [], []
    with open(path) as f:
        for line in f.read().split("\n") + [""]:
            if line.startswith("fault "):
                name = line[6:].strip()
            elif line.startswith("in "):
                file = line[3:].strip()
            elif line[:1] == "-":
                old.append(line[2:])
            elif line[:1] == "+":
                new.append(line[2:])
            elif not line.strip() and name and old:
                faults.append(ByHand(name, file, "\n".join(old),
                                     "\n".join(new)))
                name, old, new = None, [], []
    return faults


def read_by_reading():
    return read_by_hand(os.path.join(HERE, "by_reading.txt"))


def read_generated(path=os.path.join(HERE, "generated.txt")):
    faults = []
    if os.path.exists(path):
        with open(path) as f:
            for row in f:
                if row.strip() and not row.startswith("#"):
                    n, p, fn, r, k, l = row.rstrip("\n").split("\t")
                    faults.append(Generated(n, p, fn, r, int(k), l))
    return faults


def read_equivalent(path=os.path.join(HERE, "equivalent.txt")):
    reasons = {}
    if os.path.exists(path):
        with open(path) as f:
            for row in f:
                if "\t" in row and not row.startswith("#"):
                    name, why = row.rstrip("\n").split("\t", 1)
                    reasons[name] = why
    return reasons


# -- Generating ---------------------------------------------------------------

def all_places(root, path):
    """Every fault that the rules make in a file."""
    with open(os.path.join(root, path)) as f:
        lines = f.read().split("\n")
    for function, first, last in functions(lines):
        seen = set()
        for i in code_lines(lines, first, last):
            line = lines[i].strip()
            if line in seen:
                continue      # a description must name one line
            seen.add(line)
            for rule, (pattern, _) in RULES.items():
                count = len(re.findall(pattern, _blank(lines[i])))
                for number in range(count):
                    if apply_rule(rule, number, lines[i]) is None:
                        continue
                    key = f"{path}|{function}|{rule}|{number}|{line}"
                    name = "g" + hashlib.sha1(key.encode()).hexdigest()[:8]
                    yield Generated(name, path, function, rule, number, line)


def sources(root, folder):
    """Files of a folder, without headers that much of the tree includes,
    because a fault there would recompile everything."""
    names = sorted(os.listdir(os.path.join(root, "src", folder)))
    for name in names:
        if name.endswith(".c") or re.match(r"(handlers.*|.*_impl|loop_.*)\.h$",
                                           name):
            yield f"src/{folder}/{name}"


def generate(root, counts, seed, leave_out=()):
    """The given number of random faults for each folder, at most two in a
    function; the rules take turns."""
    rng = random.Random(seed)
    chosen = []
    for folder, count in counts.items():
        by_rule, used = {}, {}
        for path in sources(root, folder):
            if any(re.search(p, path) for p in leave_out):
                continue
            for fault in all_places(root, path):
                by_rule.setdefault(fault.rule, []).append(fault)
        for rule in by_rule:
            rng.shuffle(by_rule[rule])
        turns = sorted(by_rule)
        rng.shuffle(turns)
        taken = []
        while len(taken) < count and any(by_rule.values()):
            for rule in turns:
                while by_rule[rule]:
                    fault = by_rule[rule].pop()
                    at = (fault.path, fault.function)
                    if used.get(at, 0) < 2:
                        used[at] = used.get(at, 0) + 1
                        taken.append(fault)
                        break
        chosen += taken[:count]
    return chosen


def renew(root, listed, is_stale, seed, leave_out=()):
    """The list with another fault in place of each stale one: by the same rule
    if it can be, in the same folder, at most two in a function."""
    rng = random.Random(seed)
    taken = {f.name for f in listed}
    used = {}
    for fault in listed:
        if not is_stale(fault):
            at = (fault.path, fault.function)
            used[at] = used.get(at, 0) + 1

    def another(stale):
        places = [f for path in sources(root, stale.folder)
                  if not any(re.search(p, path) for p in leave_out)
                  for f in all_places(root, path)
                  if f.name not in taken
                  and used.get((f.path, f.function), 0) < 2]
        same = [f for f in places if f.rule == stale.rule]
        fault = rng.choice(same or places)
        taken.add(fault.name)
        at = (fault.path, fault.function)
        used[at] = used.get(at, 0) + 1
        return fault

    return [another(f) if is_stale(f) else f for f in listed]
