#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Builds the documentation as a site with search, in build/site.

    scripts/site [--pictures] [output folder]

The pages are those of docs/, the README and its companions, and two that are
made from sources: the reference of penumbra.h from its comments, that of
penumbra.gc from the definitions for editors.  MkDocs makes the site (Debian's
packages mkdocs and mkdocs-material, which the script installs).  Then every
link is followed: a page, file or anchor that is not there is an error, and so
is anything that a page would load from another host.

--pictures has chromium look at every page, at the width of a phone and of a
screen, on light and on dark ground, and fails if a page is wider than a phone.
"""

import functools
import html.parser
import http.server
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import threading
import urllib.parse

ROOT = pathlib.Path(__file__).resolve().parent.parent

# Pages in the order of the menu: title, source, name on the site.
MENU = [
    ("Begin", [
        ("What Penumbra is", "README.md", "index.md"),
        ("Which Lua should I use?", "docs/which-lua.md", None),
        ("Getting started", "docs/getting-started.md", None),
        ("Embedding in ten minutes", "docs/ten-minutes.md", None),
        ("Questions and answers", "docs/questions.md", None),
    ]),
    ("Guide", [
        ("In your program", "docs/embedding.md", None),
        ("Tuning", "docs/tuning.md", None),
        ("Threads and states", "docs/threads.md", None),
        ("Programs of the system", "docs/recipes.md", None),
        ("Code that is not trusted", "docs/sandbox.md", None),
        ("Find a leak", "docs/find-a-leak.md", None),
        ("Find a stutter", "docs/find-a-stutter.md", None),
        ("A report of a run", "docs/report.md", None),
        ("What the numbers mean", "docs/what-the-numbers-mean.md", None),
        ("Profiles", "docs/profile.md", None),
        ("A debugger", "docs/debugger.md", None),
        ("In your editor", "docs/editors.md", None),
        ("Differences from PUC Lua", "docs/differences.md", None),
        ("Other projects' tests", "docs/compatibility.md", None),
    ]),
    ("Reference", [
        ("penumbra.h, declarations", "include/penumbra.h", "reference/header.md"),
        ("penumbra.h, explained", "docs/penumbra-api.md", None),
        ("penumbra.gc, definitions", "editors/luals/library/penumbra.gc.lua",
         "reference/gc.md"),
        ("penumbra.gc, explained", "docs/gc-library.md", None),
        ("Standard libraries", "docs/library.md", None),
        ("Instructions", "docs/bytecode.md", None),
        ("Machine code", "docs/machine-code.md", None),
        ("Binary chunks", "docs/verifier.md", None),
    ]),
    ("How the collector works", [
        ("Begin here", "docs/gc/README.md", "gc/index.md"),
        ("From Lua's collectors", "docs/gc/from-lua.md", None),
        ("Phases", "docs/gc/phases.md", None),
        ("Barriers", "docs/gc/barriers.md", None),
        ("Weak tables, finalizers", "docs/gc/weak-and-finalizers.md", None),
        ("Pacing", "docs/gc/pacing.md", None),
        ("Memory", "docs/gc/memory.md", None),
        ("Invariants", "docs/gc/invariants.md", None),
        ("Glossary", "docs/gc/glossary.md", None),
    ]),
    ("Benchmarks", [
        ("Pauses", "docs/pauses.md", None),
        ("Memory", "docs/memory-figures.md", None),
        ("Speed", "docs/performance.md", None),
        ("Single operations", "docs/operations.md", None),
        ("Hash quality", "docs/hashing.md", None),
        ("Servers", "docs/servers.md", None),
        ("The collector alone", "docs/gc/benchmarks.md", None),
        ("How they are run", "bench/README.md", "project/bench.md"),
    ]),
    ("The project", [
        ("Architecture", "ARCHITECTURE.md", "project/architecture.md"),
        ("Contributing", "CONTRIBUTING.md", "project/contributing.md"),
        ("Releasing", "docs/releasing.md", "project/releasing.md"),
        ("Tests", "tests/README.md", "project/tests.md"),
        ("What the tests notice", "docs/mutation.md", None),
        ("Licence", "LICENSE", "project/licence.md"),
    ]),
]

CONFIG = """\
site_name: Penumbra
site_description: Lua 5.4 with a garbage collector that works in short, bounded steps
docs_dir: pages
site_dir: %s
use_directory_urls: false
theme:
  name: material
  font: false
  logo: figures/icon.svg
  favicon: figures/icon.svg
  features: [navigation.sections, navigation.top]
  palette: {primary: indigo}
extra_css: [style.css]
plugins: [search]
markdown_extensions:
  - tables
  - admonition
  - attr_list
  - toc: {permalink: "#"}
  - pymdownx.highlight: {guess_lang: false, pygments_lang_class: true}
  - pymdownx.superfences
nav:
"""


# -- Pages ------------------------------------------------------------------

def menu_pages():
    """All (title, source, name) of the menu; pages of docs/ keep their name."""
    for _, pages in MENU:
        for title, source, name in pages:
            yield title, source, name or source[len("docs/"):]


def all_pages():
    """Those of the menu, and the others of docs/, which come last in it."""
    pages = {}
    for _, source, name in menu_pages():
        assert source not in pages, "twice in the menu: " + source
        pages[source] = name
    for path in sorted((ROOT / "docs").rglob("*.md")):
        source = str(path.relative_to(ROOT))
        pages.setdefault(source, source[len("docs/"):])
    return pages


folders = set()  # of the tree, that pages refer to: each becomes a page


def folder_page(path):
    """The files of a folder, one after the other."""
    out = ["# " + path, ""]
    for file in sorted((ROOT / path).iterdir()):
        if file.is_file():
            language = file.suffix[1:] or "text"
            out += ["## " + file.name, "", "```" + language,
                    file.read_text().rstrip(), "```", ""]
    return "\n".join(out)


def rewrite_links(text, source, pages):
    """Links between files of the tree become links between pages."""
    def replace(match):
        target = match[2]
        anchor = re.sub("-+", "-", match[3] or "")  # MkDocs has no double ones
        if re.match(r"[a-z]+:", target):
            return match[0]
        if not target:
            return match[1] + anchor + ")"
        path = os.path.normpath(os.path.join(os.path.dirname(source), target))
        here = os.path.dirname(pages[source])
        if path in pages:
            return match[1] + os.path.relpath(pages[path], here or ".") + anchor + ")"
        if path.startswith("docs/") and (ROOT / path).is_file():
            return match[1] + os.path.relpath(path[len("docs/"):], here or ".") + ")"
        if (ROOT / path).is_file():
            anchor = "#" + re.sub(r"[^\w-]", "", os.path.basename(path).lower())
            path = os.path.dirname(path)
        if path and (ROOT / path).is_dir():
            folders.add(path)
            page = os.path.relpath("files/%s.md" % path, here or ".")
            return match[1] + page + anchor + ")"
        sys.exit("%s: there is no page %s" % (source, target))
    parts = re.split(r"(^```.*?^```|`[^`\n]*`)", text, flags=re.S | re.M)
    for i in range(0, len(parts), 2):
        parts[i] = re.sub(r"(\]\()([^)#\s]*)(#[^)]*)?\)", replace, parts[i])
    return "".join(parts)


def plain_comment(text):
    """The words of a C comment."""
    text = re.sub(r"^/\*+|\*/$", "", text.strip())
    lines = [re.sub(r"^\s*\*\* ?", "", line) for line in text.split("\n")]
    return "\n".join(lines).strip()


def header_page(text):
    """penumbra.h: its sections, and each declaration with its comment."""
    out = ["# penumbra.h", "",
           "Made from the comments of `include/penumbra.h`. The "
           "[explanations](../penumbra-api.md) have examples.", ""]
    piece = re.compile(
        r"(?P<comment>/\*.*?\*/)"
        r"|(?P<code>^(?:LUA_API|LUAMOD_API)[^;]*;"
        r"|^typedef struct[^{;]*\{.*?^\}[^;]*;|^typedef [^{;]*;"
        r"|^enum [^;]*?^\};|^#define penumbra_\w+[ (].*?$)", re.S | re.M)
    comment, functions = "", 0
    for match in piece.finditer(text):
        if match["comment"]:
            title = re.match(r"/\* -- (.*?) -*\s*\*/$", match["comment"], re.S)
            if title:
                out += ["## " + title[1], ""]
                comment = ""
            else:
                comment = plain_comment(match["comment"])
            continue
        code = match["code"]
        name = re.search(r"\((penumbra_\w+|luaopen_\w+)\)\(", code)
        if name:
            functions += 1
            out += ["### " + name[1], ""]
            code = code.replace("(%s)(" % name[1], name[1] + "(")
        if comment:
            out += [re.sub(r"([<>*_|])", r"\\\1", comment), ""]
            comment = ""
        code = re.sub(r"^(LUA_API|LUAMOD_API) ", "", code)
        out += ["```c", code, "```", ""]
    declared = len(re.findall(r"^(?:LUA_API|LUAMOD_API) ", text, re.M))
    if functions != declared:
        sys.exit("penumbra.h declares %d functions, the reference has %d"
                 % (declared, functions))
    return "\n".join(out)


def definitions_page(text):
    """penumbra.gc: classes and functions of the definitions for editors."""
    out = ["# penumbra.gc", "",
           "Made from the definitions for editors. The "
           "[explanations](../gc-library.md) have examples.", "",
           "## Functions", ""]
    classes, words, tags = [], [], []
    for line in text.split("\n"):
        name = re.match(r"---@class (\S+)", line)
        field = re.match(r"---@field (\S+) (\S+) ?(.*)", line)
        tag = re.match(r"---@(param|return) (.*)", line)
        function = re.match(r"function gc\.(\w+\(.*?\)) end", line)
        if name:
            classes.append((name[1], []))
            words = []
        elif field:
            classes[-1][1].append(field.groups())
        elif tag:
            tags.append(tag.groups())
        elif re.match(r"---[^@|]", line):
            words.append(line[3:])
        elif function:
            out += ["### gc." + function[1], "", " ".join(words), ""]
            out += ["- %s `%s`" % ("takes" if kind == "param" else "returns", what)
                    for kind, what in tags]
            out.append("")
            words, tags = [], []
    out += ["## Tables", ""]
    for name, fields in classes:
        if fields:
            out += ["### " + name, "", "| field | type | |", "|---|---|---|"]
            out += ["| `%s` | `%s` | %s |" % field for field in fields] + [""]
    return "\n".join(out)


COMMAND = re.compile(
    r"\s*(#|\./|\.\./|~/|(build|bench|scripts|tests|examples)/|[A-Z_]+=|"
    r"(sudo|git|cd|cmake|ctest|ninja|make|cc|gcc|c\+\+|g\+\+|clang|penumbra|penumbrac|lua"
    r"|lua5\.4|luajit|luarocks|apt-get|dpkg|npm|node|python3|perf|valgrind|gdb"
    r"|docker|tar|sh|bash|export|echo|kill|clingo|prosody|ldd)(?= |$))")


def mark_commands(text):
    """Indented blocks of commands become fenced ones, which have colors.  Those
    with an explanation behind a command stay: a shell would not read them.
    """
    def replace(match):
        lines = match[2].rstrip("\n").split("\n")
        explained = any(re.search(r"\S {3,}[^# ]", line) for line in lines)
        if explained or not COMMAND.match(lines[0]):
            return match[0]
        return "%s```bash\n%s\n```\n" % (
            match[1], "\n".join(line[4:] for line in lines))
    # A block of a list belongs to its item, so the line before must be plain.
    return re.sub(r"(^(?![ \-*|>]|\d+\.)[^\n]+\n\n)((?:    [^\n]*\n|\n(?=    ))+)",
                  replace, text, flags=re.M)


def outside_fences(text, change):
    """Changes the parts of a page that are not fenced code."""
    parts = re.split(r"(^```.*?^```)", text, flags=re.S | re.M)
    parts[::2] = map(change, parts[::2])
    return "".join(parts)


def without_contents(text):
    """The theme shows the contents of a page, so those in it would be a second
    list.
    """
    return re.sub(r"<!-- contents -->.*?<!-- end of contents -->\n*", "", text,
                  flags=re.S)


def page_text(source, pages):
    text = (ROOT / source).read_text()
    if source.endswith(".h"):
        return header_page(text)
    if source.endswith(".lua"):
        return definitions_page(text)
    if source == "LICENSE":
        return "# Licence\n\n" + "\n".join("    " + l for l in text.split("\n"))
    text = outside_fences(without_contents(text), mark_commands)
    return rewrite_links(text, source, pages)


def write_pages(folder):
    pages = all_pages()
    for source, name in pages.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(page_text(source, pages))
    for name in folders:
        path = folder / "files" / (name + ".md")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(folder_page(name))
    for picture in (ROOT / "docs").rglob("figures/*.*"):
        path = folder / picture.relative_to(ROOT / "docs")
        path.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(picture, path)
    shutil.copy(ROOT / "scripts/site.css", folder / "style.css")


def first_heading(path):
    """The title of a page, without its marks."""
    return re.sub(r"[`*]", "", re.search(r"^# (.*)", path.read_text(), re.M)[1])


def write_config(path, site):
    text = CONFIG % site
    for section, pages in MENU:
        text += "  - %s:\n" % section
        for title, source, name in pages:
            text += '      - "%s": %s\n' % (title, name or source[len("docs/"):])
    chosen = {source for _, source, _ in menu_pages()}
    more = [(first_heading(ROOT / source), name)
            for source, name in all_pages().items() if source not in chosen]
    files = [(name, "files/%s.md" % name) for name in sorted(folders)]
    for section, entries in (("More", more), ("Files", files)):
        if entries:
            text += "  - %s:\n" % section
            text += "".join('      - "%s": %s\n' % entry for entry in entries)
    path.write_text(text)


# -- Links ------------------------------------------------------------------

class Page(html.parser.HTMLParser):
    """The anchors of a page, and what it refers to."""

    def __init__(self, text):
        super().__init__()
        self.anchors, self.links, self.loaded = set(), [], []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        if tag not in ("a", "area"):
            relations = dict(attributes).get("rel") or ""
            self.loaded += [value for name, value in attributes
                            if name in ("src", "href", "poster", "data") and value
                            and "canonical" not in relations]
        for name, value in attributes:
            if name in ("id", "name") and value:
                self.anchors.add(value)
            if name in ("href", "src") and value:
                self.links.append(value)


def check_links(site):
    pages = {path: Page(path.read_text()) for path in site.rglob("*.html")}
    bad, count = [], 0
    for path, page in pages.items():
        if path.name == "404.html":
            continue
        for link in page.links:
            parts = urllib.parse.urlsplit(link)
            if parts.scheme or parts.netloc:
                continue
            count += 1
            target = path
            if parts.path:
                target = (path.parent / urllib.parse.unquote(parts.path)).resolve()
                if target.is_dir():
                    target /= "index.html"
            anchor = urllib.parse.unquote(parts.fragment)
            if not target.exists():
                bad.append("%s: no %s" % (path.relative_to(site), link))
            elif anchor and target in pages and anchor not in pages[target].anchors \
                    and not anchor.startswith("__"):
                bad.append("%s: no anchor %s" % (path.relative_to(site), link))
    for line in sorted(set(bad)):
        print("broken link:", line)
    print("%d pages, %d links, %d broken" % (len(pages), count, len(set(bad))))
    return not bad


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


def check_loaded(site):
    """No page loads anything from another host."""
    ok = True
    for path in site.rglob("*.html"):
        for link in Page(path.read_text()).loaded:
            if urllib.parse.urlsplit(link).netloc:
                print("%s loads %s" % (path.relative_to(site), link))
                ok = False
    return ok


def check_comments(site):
    """No comment of a page is shown, as one in a broken row of a table."""
    shown = [path for path in site.rglob("*.html")
             if re.search(r"<td[^>]*>[^<]*&lt;!--", path.read_text())]
    for path in shown:
        print("%s shows a comment" % path.relative_to(site))
    return not shown


def check_code(site):
    """Lua, C and commands have colors on the site."""
    ok = True
    for language in ("lua", "c", "bash"):
        mark = '<div class="language-%s highlight">' % language
        blocks = [block.split("</div>")[0] for path in site.rglob("*.html")
                  for block in path.read_text().split(mark)[1:]]
        colored = sum('<span class="' in block for block in blocks)
        if 2 * colored <= len(blocks) or not blocks:
            print("%d of %d blocks of %s have colors" % (colored, len(blocks), language))
            ok = False
    return ok


def check_search(site, pages):
    """Every page can be found by the search."""
    index = json.loads((site / "search/search_index.json").read_text())
    found = {entry["location"].split("#")[0] for entry in index["docs"]}
    missing = {name[:-3] + ".html" for name in pages.values()} - found
    for name in sorted(missing):
        print("not in the search:", name)
    return not missing


BROWSER = ["chromium", "--headless", "--no-sandbox", "--disable-gpu",
           "--disable-background-networking", "--disable-sync",
           "--hide-scrollbars", "--virtual-time-budget=5000"]
PHONE, SCREEN = 390, 1280

# A page in a frame as wide as the window.  The title says how much wider the
# page is.
FRAME = """<!DOCTYPE html><meta charset=utf-8><title>wait</title>
<style>body{margin:0}iframe{border:0;width:%dpx;height:%dpx}</style>
<iframe src="/%s" onload="const d = this.contentDocument.documentElement;
document.title = 'wider by ' + (d.scrollWidth - %d)"></iframe>
"""


def browse(arguments):
    return subprocess.run(BROWSER + arguments, check=True, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout


def take_picture(address, site, page, width, ground, folder):
    """Writes a picture, and returns whether the page fits into the width."""
    height = 1400
    frame = site / "frame.html"
    frame.write_text(FRAME % (width, height, page, width))
    name = "%s-%d%s.png" % (page[:-len(".html")].replace("/", "-"), width,
                            "-dark" if ground else "")
    out = browse(ground + ["--window-size=%d,%d" % (width, height),
                           "--screenshot=%s" % (folder / name), "--dump-dom",
                           address + "frame.html"])
    wider = re.search(r"wider by (-?\d+)", out)
    if wider and int(wider[1]) <= 0:
        return True
    print("%s at %d px: %s" % (page, width, wider[0] if wider else "no answer"))
    return False


def take_pictures(site, folder):
    """Served as on the web: from files a browser does not load the search."""
    folder.mkdir(parents=True, exist_ok=True)
    handler = functools.partial(Quiet, directory=str(site))
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    address = "http://127.0.0.1:%d/" % server.server_port
    pages = [str(path.relative_to(site)) for path in site.rglob("*.html")]
    ok = True
    for page in sorted(pages):
        for width in (PHONE, SCREEN):
            for ground in ([], ["--force-dark-mode"]):
                ok &= take_picture(address, site, page, width, ground, folder)
    server.shutdown()
    (site / "frame.html").unlink()
    print("pictures in", folder)
    return ok


def main(arguments):
    if "--help" in arguments:
        print(__doc__.strip())
        return 0
    for argument in arguments:
        if argument.startswith("-") and argument != "--pictures":
            print("site.py: unrecognized option '%s' (try 'scripts/site --help')" % argument,
                  file=sys.stderr)
            return 2
    pictures = "--pictures" in arguments
    names = [a for a in arguments if not a.startswith("--")]
    site = pathlib.Path(names[0] if names else ROOT / "build/site").resolve()
    work = site.parent / (site.name + "-source")
    for folder in (site, work):
        shutil.rmtree(folder, ignore_errors=True)
    (work / "pages").mkdir(parents=True)
    write_pages(work / "pages")
    write_config(work / "mkdocs.yml", site)
    subprocess.run(["mkdocs", "build", "--strict", "--quiet", "-f",
                    str(work / "mkdocs.yml")], check=True)
    ok = check_links(site) and check_loaded(site) and check_code(site)
    ok = check_comments(site) and ok
    ok = check_search(site, all_pages()) and ok
    if ok and pictures:
        ok = take_pictures(site, site.parent / (site.name + "-pictures"))
    return 0 if ok else 1


sys.exit(main(sys.argv[1:]))
