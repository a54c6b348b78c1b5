"""Charts as coordinates: templates draw them as SVG, so they need no script and follow the theme."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from reviews.present.figures import number, quantity


@dataclass(frozen=True)
class Box:
    """The drawing's size and the margins round its plot, in SVG units."""

    width: int = 640
    height: int = 240
    left: int = 46
    right: int = 12
    top: int = 12
    bottom: int = 30

    @property
    def x1(self) -> int:
        """The right edge of the plot."""
        return self.width - self.right

    @property
    def y1(self) -> int:
        """The lower edge of the plot."""
        return self.height - self.bottom


FEW = 5
"""Up to this many levels, each is named on its axis."""

LETTER = 6.5
"""The width of a letter on an axis, in the chart's own units."""

SMALL = Box(width=280, height=132, left=34, right=6, top=8, bottom=22)


@dataclass(frozen=True)
class Tick:
    """A mark on an axis: where, and what it says."""

    at: float
    text: str


@dataclass(frozen=True)
class Dot:
    """A drawn experiment. ``low`` and ``high`` are the ends of a whisker, where there is one."""

    x: float
    y: float
    title: str
    style: str = ""
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True)
class Chart:
    """What a chart template draws. ``line`` is an SVG path."""

    box: Box
    x_ticks: list[Tick]
    y_ticks: list[Tick]
    dots: list[Dot]
    line: str = ""
    title: str = ""
    unit: str = ""
    """Of what is drawn upwards."""
    summary: str = ""
    """The text twin: what the picture says, in a sentence."""


@dataclass(frozen=True)
class Measured:
    """An experiment of a chart, in order. ``expected`` is (mean, low, high) where it was predicted."""

    order: int
    value: float
    label: str = ""
    origin: str = "tool"
    expected: tuple[float, float, float] | None = None


def nice_ticks(low: float, high: float, count: int = 5) -> list[float]:
    """Return about ``count`` round numbers within ``low`` and ``high``."""
    if high <= low:
        return [low]
    rough = (high - low) / count
    size = 10.0 ** math.floor(math.log10(rough))
    step = next(size * factor for factor in (1, 2, 2.5, 5, 10) if size * factor >= rough * 0.999)
    first = math.ceil(low / step - 1e-9)
    return [round(index * step, 10) for index in range(first, math.floor(high / step + 1e-9) + 1)]


def _limits(values: Sequence[float]) -> tuple[float, float]:
    low, high = min(values), max(values)
    pad = (high - low) * 0.06 or abs(high) * 0.1 or 1.0
    return low - pad, high + pad


def _scale(low: float, high: float, start: float, end: float) -> Callable[[float], float]:
    def place(value: float) -> float:
        return round(start + (value - low) / ((high - low) or 1.0) * (end - start), 1)

    return place


def best_so_far(
    rows: Sequence[Measured], *, unit: str, utility: Callable[[float], float], box: Box = SMALL
) -> Chart | None:
    """Return the running best over the experiments in order, or None when there are none."""
    if not rows:
        return None
    low, high = _limits([row.value for row in rows])
    x = _scale(0.5, len(rows) + 0.5, box.left, box.x1)
    y = _scale(low, high, box.y1, box.top)
    best, dots = rows[0], []
    path = f"M{x(1)} {y(best.value)}"
    for place, row in enumerate(rows, 1):
        is_best = place == 1 or utility(row.value) > utility(best.value)
        if is_best:
            path += f"L{x(place)} {y(best.value)}L{x(place)} {y(row.value)}"
            best = row
        style = " ".join(
            filter(None, ["is-best" if is_best else "", "is-past" if row.origin == "past" else ""])
        )
        dots.append(Dot(x(place), y(row.value), f"{row.label}: {quantity(row.value, unit)}", style))
    path += f"L{x(len(rows))} {y(best.value)}"
    return Chart(
        box=box,
        x_ticks=[Tick(x(n), number(n)) for n in nice_ticks(1, len(rows), 4) if float(n).is_integer()],
        y_ticks=[Tick(y(v), number(v)) for v in nice_ticks(low, high, 4)],
        dots=dots,
        line=path,
        unit=unit,
        summary=quantity(best.value, unit),
    )


def predicted_against_measured(
    rows: Sequence[Measured], *, unit: str, box: Box | None = None
) -> Chart | None:
    """Return predicted (across) against measured (up), with each prediction's interval; None without any."""
    scored = [row for row in rows if row.expected]
    if not scored:
        return None
    box = box or Box(width=420, height=320)
    low, high = _limits([number for row in scored if row.expected for number in (row.value, *row.expected)])
    x, y = _scale(low, high, box.left, box.x1), _scale(low, high, box.y1, box.top)
    dots = []
    for row in scored:
        assert row.expected is not None
        mean, bottom, top = row.expected
        title = f"{row.label}: {quantity(mean, unit)} → {quantity(row.value, unit)}"
        style = "is-best" if bottom <= row.value <= top else "is-outside"
        dots.append(Dot(x(mean), y(row.value), title, style, low=x(bottom), high=x(top)))
    ticks = nice_ticks(low, high)
    inside = sum(1 for row in scored if row.expected and row.expected[1] <= row.value <= row.expected[2])
    return Chart(
        box=box,
        x_ticks=[Tick(x(v), number(v)) for v in ticks],
        y_ticks=[Tick(y(v), number(v)) for v in ticks],
        dots=dots,
        line=f"M{x(low)} {y(low)}L{x(high)} {y(high)}",
        unit=unit,
        summary=f"{inside} / {len(scored)}",
    )


def against_parameter(
    rows: Sequence[tuple[float | str, float, str]], *, unit: str, box: Box | None = None
) -> Chart | None:
    """Return values over one parameter: numbers along a scale, text levels side by side."""
    if not rows:
        return None
    box = box or Box(width=320, height=190, left=38)
    low, high = _limits([value for _, value, _ in rows])
    y = _scale(low, high, box.y1, box.top)
    place, ticks = _across([level for level, _, _ in rows], box)
    dots = [Dot(place(level), y(value), f"{label}: {quantity(value, unit)}") for level, value, label in rows]
    marks = [Tick(y(v), number(v)) for v in nice_ticks(low, high, 4)]
    return Chart(box=box, x_ticks=ticks, y_ticks=marks, dots=dots, unit=unit)


def _across(levels: Sequence[float | str], box: Box) -> tuple[Callable[[float | str], float], list[Tick]]:
    if all(isinstance(level, int | float) for level in levels):
        numbers = [float(level) for level in levels]
        low, high = _limits(numbers)
        x = _scale(low, high, box.left, box.x1)
        marks = sorted(set(numbers)) if len(set(numbers)) <= FEW else nice_ticks(low, high, 4)
        return (lambda level: x(float(level))), [Tick(x(v), number(v)) for v in marks]
    names = sorted({str(level) for level in levels})
    x = _scale(-0.5, len(names) - 0.5, box.left, box.x1)
    index = {name: x(place) for place, name in enumerate(names)}
    shown = names if len(names) <= FEW else []
    room = int((box.x1 - box.left) / len(names) / LETTER)
    return (lambda level: index[str(level)]), [Tick(index[name], _shortened(name, room)) for name in shown]


def _shortened(name: str, room: int) -> str:
    """Return ``name`` in at most ``room`` letters: names of neighbours would run into one another."""
    return name if len(name) <= room else f"{name[: max(1, room - 1)]}…"
