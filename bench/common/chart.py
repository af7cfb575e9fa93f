# SPDX-License-Identifier: MIT
"""Charts as SVG without a library: dots on rows, and lines.  The axes are
logarithmic, unless a panel asks for others.

For both, a Scale maps values to places, and a Drawing collects elements.
"""

import html
import math

# Okabe and Ito's colors, which most people can tell apart.  An interpreter has
# the same color and the same shape in all charts.
STYLES = {
    "lua5.4": ("#0072B2", 0), "lua5.4-inc": ("#56B4E9", 1),
    "lua5.4-gen": ("#0072B2", 0), "luajit-joff": ("#999999", 2),
    "luajit": ("#000000", 2), "penumbra": ("#D55E00", 3),
    "penumbra-inc": ("#E69F00", 1), "penumbra-gen": ("#D55E00", 3),
    "slowest": ("#CC79A7", 2), "fastest": ("#009E73", 0),
}
OTHERS = ["#009E73", "#CC79A7"]
INK, PALE, FAINT = "#222222", "#777777", "#dddddd"
FONT = "font-family=\"Helvetica, Arial, sans-serif\""


def style_of(name):
    """Color and shape for this series."""
    return STYLES.get(name) or (OTHERS[sum(map(ord, name)) % len(OTHERS)], 0)


class Scale:
    """A logarithmic axis from `low` to `high`, drawn from `start` to `end`.

    Its ticks are at `values`, if these are given.
    """

    def __init__(self, low, high, start, end, values=()):
        self.low, self.high, self.values = low, high, list(values)
        self.start, self.end = start, end

    def place(self, value):
        value = min(max(value, self.low), self.high)
        share = math.log(value / self.low) / math.log(self.high / self.low)
        return self.start + share * (self.end - self.start)

    def ticks(self):
        """Round values within: 1, 2, 5 if there is room, else powers of ten."""
        if self.values:
            return self.values
        decades = math.log10(self.high / self.low)
        steps = (1, 2, 5) if decades < 4 else (1,)
        first = math.floor(math.log10(self.low))
        last = math.ceil(math.log10(self.high))
        values = [step * 10.0 ** power for power in range(first, last + 1)
                  for step in steps]
        return [v for v in values if self.low * 0.999 <= v <= self.high * 1.001]


class Linear:
    """An axis from 0 to `high`, drawn from `start` to `end`."""

    def __init__(self, high, start, end):
        self.high, self.start, self.end = high, start, end

    def place(self, value):
        share = min(max(value / self.high, 0), 1)
        return self.start + share * (self.end - self.start)

    def ticks(self):
        """Four to ten round values."""
        step = 10.0 ** math.floor(math.log10(self.high))
        for part in (1, 0.5, 0.2, 0.1):
            if self.high / (step * part) >= 4:
                step *= part
                break
        return [step * i for i in range(int(self.high / step * 1.001) + 1)]


def spanning(values, margin=1.25):
    """Ends of an axis that shows all these values with some margin."""
    values = [value for value in values if value and value > 0]
    return min(values) / margin, max(values) * margin


class Drawing:
    """SVG elements, and the size of the page."""

    def __init__(self, width, height):
        self.width, self.height = width, height
        self.parts = []

    def text(self, x, y, words, size=12, anchor="start", color=INK, bold=False):
        self.parts.append(
            '<text x="%.1f" y="%.1f" font-size="%d" text-anchor="%s" '
            'fill="%s"%s>%s</text>'
            % (x, y, size, anchor, color,
               ' font-weight="bold"' if bold else "", html.escape(words)))

    def line(self, x1, y1, x2, y2, color=FAINT, width=1.0, dash=""):
        self.parts.append(
            '<line x1="%.1f" y1="%.1f" x2="%.1f" y2="%.1f" stroke="%s" '
            'stroke-width="%.1f"%s/>'
            % (x1, y1, x2, y2, color, width,
               ' stroke-dasharray="%s"' % dash if dash else ""))

    def path(self, points, color, width=2, dash=""):
        self.parts.append(
            '<polyline points="%s" fill="none" stroke="%s" stroke-width="%g"%s/>'
            % (" ".join("%.1f,%.1f" % point for point in points), color, width,
               ' stroke-dasharray="%s"' % dash if dash else ""))

    def dot(self, x, y, name, title=""):
        color, shape = style_of(name)
        size = 4.5
        label = "<title>%s</title>" % html.escape(title) if title else ""
        if shape == 0:
            mark = '<circle cx="%.1f" cy="%.1f" r="%.1f" fill="%s">%s</circle>'
            self.parts.append(mark % (x, y, size, color, label))
            return
        offsets = {1: [(-1, -1), (1, -1), (1, 1), (-1, 1)],
                   2: [(0, -1.3), (1.2, 1), (-1.2, 1)],
                   3: [(0, -1.4), (1.4, 0), (0, 1.4), (-1.4, 0)]}[shape]
        points = " ".join("%.1f,%.1f" % (x + dx * size * 0.85,
                                         y + dy * size * 0.85)
                          for dx, dy in offsets)
        self.parts.append('<polygon points="%s" fill="%s">%s</polygon>'
                          % (points, color, label))

    def legend(self, x, y, names):
        for name in names:
            self.dot(x, y - 4, name)
            self.text(x + 10, y, name)
            x += 30 + text_width(name)

    def write(self, path):
        with open(path, "w", encoding="utf-8") as file:
            file.write('<svg xmlns="http://www.w3.org/2000/svg" width="%d" '
                       'height="%d" viewBox="0 0 %d %d" %s>\n'
                       % (self.width, self.height, self.width, self.height,
                          FONT))
            file.write('<rect width="100%" height="100%" fill="#ffffff"/>\n')
            file.write("\n".join(self.parts))
            file.write("\n</svg>\n")


def tick_label(value):
    return "%g" % value


def text_width(words, size=12):
    """About how wide these words are."""
    narrow = sum(letter in "fijlrtI.,:;'|()[]- 1" for letter in words)
    return size * (0.56 * (len(words) - narrow) + 0.32 * narrow)


ROW_HEIGHT, LEFT, RIGHT, TOP, WIDTH = 21, 190, 30, 104, 900


def dot_chart(path, title, subtitle, axis, names, rows, line_at=None,
              line_label=""):
    """A row for each (label, values by name, bold); None for a gap.

    All values share the horizontal axis; `line_at` draws a line across.
    """
    drawing = _begin(title, subtitle, names, TOP + ROW_HEIGHT * len(rows) + 56)
    _draw_rows(drawing, TOP, axis, names, rows, line_at, line_label)
    drawing.write(path)


def dot_panels(path, title, subtitle, names, panels):
    """Charts of dots below each other, each with an axis of its own: (heading,
    words for the axis, rows).
    """
    rest = 84                           # a heading, and what is below the axis
    height = TOP - 20 + sum(rest + ROW_HEIGHT * len(rows) for _, _, rows in panels)
    drawing = _begin(title, subtitle, names, height)
    y = TOP
    for heading, axis, rows in panels:
        drawing.text(LEFT, y, heading, bold=True)
        _draw_rows(drawing, y + 16, axis, names, rows)
        y += rest + ROW_HEIGHT * len(rows)
    drawing.write(path)


def _begin(title, subtitle, names, height):
    drawing = Drawing(WIDTH, height)
    drawing.text(16, 26, title, size=17, bold=True)
    drawing.text(16, 46, subtitle, color=PALE)
    drawing.legend(22, 72, names)
    return drawing


def _draw_rows(drawing, top, axis, names, rows, line_at=None, line_label=""):
    everything = [value for row in rows if row for value in row[1].values()]
    if line_at:
        everything.append(line_at)
    scale = Scale(*spanning(everything), LEFT, WIDTH - RIGHT)
    bottom = top + ROW_HEIGHT * len(rows)
    for tick in scale.ticks():
        x = scale.place(tick)
        drawing.line(x, top - 6, x, bottom)
        drawing.text(x, bottom + 16, tick_label(tick), size=11,
                     anchor="middle", color=PALE)
    drawing.text((LEFT + WIDTH - RIGHT) / 2, bottom + 38, axis,
                 anchor="middle")
    if line_at:
        x = scale.place(line_at)
        drawing.line(x, top - 6, x, bottom, color="#aa0000", dash="5,3")
        drawing.text(x + 4, top - 8, line_label, size=11, color="#aa0000")
    for i, row in enumerate(rows):
        if row:
            _draw_row(drawing, scale, top + ROW_HEIGHT * i, names, row)


def _draw_row(drawing, scale, y, names, row):
    label, values, bold = row
    middle = y + ROW_HEIGHT / 2
    drawing.line(LEFT, middle, WIDTH - RIGHT, middle, color="#eeeeee")
    drawing.text(LEFT - 10, middle + 4, label, anchor="end", bold=bold)
    for name in names:
        if values.get(name):
            drawing.dot(scale.place(values[name]), middle, name,
                        "%s, %s: %.3g" % (label, name, values[name]))


def line_chart(path, title, subtitle, panels, names):
    """Panels side by side: (heading, x label, unit, {name: [(x, y)]}). The ticks
    across are at the values that were measured.
    """
    panel_width, left, top, bottom = 430, 60, 116, 52
    width, height = panel_width * len(panels) + 20, 430
    drawing = Drawing(width, height)
    drawing.text(16, 26, title, size=17, bold=True)
    drawing.text(16, 46, subtitle, color=PALE)
    drawing.legend(22, 72, names)
    for number, (heading, x_label, unit, curves) in enumerate(panels):
        start = panel_width * number + left
        points = [point for curve in curves.values() for point in curve]
        if not points:
            continue
        measured = sorted({x for x, _ in points})
        across = Scale(*spanning(measured, 1.1), start,
                       start + panel_width - left - 10, measured)
        upward = Scale(*spanning([y for _, y in points], 1.6),
                       height - bottom, top)
        _draw_panel(drawing, across, upward, "%s, %s" % (heading, unit),
                    x_label)
        for name in names:
            places = [(across.place(x), upward.place(y))
                      for x, y in curves.get(name, [])]
            drawing.path(places, style_of(name)[0])
            for x, y in places:
                drawing.dot(x, y, name)
    drawing.write(path)


def _draw_panel(drawing, across, upward, heading, x_label):
    drawing.text(across.start, upward.end - 14, heading, bold=True)
    for tick in across.ticks():
        x = across.place(tick)
        drawing.line(x, upward.start, x, upward.end)
        drawing.text(x, upward.start + 16, tick_label(tick), size=11,
                     anchor="middle", color=PALE)
    for tick in upward.ticks():
        y = upward.place(tick)
        drawing.line(across.start, y, across.end, y)
        drawing.text(across.start - 6, y + 4, tick_label(tick), size=11,
                     anchor="end", color=PALE)
    drawing.text((across.start + across.end) / 2, upward.start + 38, x_label,
                 anchor="middle")
