"""Drawing a plot as PNG. It runs in a child process: nothing it reads, writes or uses up reaches the worker."""

import base64
import io
import statistics
from typing import Any, Literal

from pydantic import BaseModel

from agents.core.tools import EffectClass
from agents.tools.registry import tool
from agents.tools.schema import Png

Kind = Literal["scatter", "line", "bar", "histogram"]
REFERENCE = f"{__name__}:draw"
_INCHES = (7.2, 4.5)
_DPI = 150
_BINS = 30
_COLOURS = (
    "#0b6e99",
    "#c2570c",
    "#3f7d3f",
    "#8b3fa0",
    "#a8323e",
    "#6b5b1e",
    "#2f4b7c",
    "#d4a017",
    "#4a4a4a",
    "#1b998b",
    "#b5447a",
    "#7a8b99",
)
MOST_SERIES = len(_COLOURS)
_MARKERS = "os^DvPX*<>hd"
_FONTS = ["Noto Sans CJK SC", "Source Han Sans SC", "WenQuanYi Micro Hei", "PingFang SC", "Microsoft YaHei"]
"""What has Chinese characters; the first that is installed is used beside the built-in font."""


class Series(BaseModel):
    """Points that are drawn alike. Without ``y`` a histogram of ``x``; ``spread`` are half error bars."""

    name: str = ""
    x: list[float]
    y: list[float] = []
    spread: list[float] = []


class Drawing(BaseModel):
    """A plot in full. ``ticks`` are the names of a bar chart's or scatter's places 0, 1, 2…"""

    kind: Kind
    series: list[Series]
    ticks: list[str] = []
    x_label: str
    y_label: str
    title: str = ""


class Drawn(BaseModel):
    """The picture."""

    picture: Png


@tool(effect=EffectClass.LOCAL, timeout_s=60)
def draw(drawing: Drawing) -> Drawn:
    """Draw a plot. All text is drawn as it stands, no formula in it is read."""
    import matplotlib

    matplotlib.use("agg")
    matplotlib.rcParams.update({"text.parse_math": False, "font.family": _installed_fonts(), "font.size": 10})
    from matplotlib.figure import Figure

    figure = Figure(figsize=_INCHES, dpi=_DPI, layout="constrained", facecolor="white")
    axes = figure.add_subplot()
    _DRAW[drawing.kind](axes, drawing)
    axes.set_xlabel(drawing.x_label)
    axes.set_ylabel(drawing.y_label)
    axes.set_title(drawing.title, loc="left", fontsize=11)
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(visible=True, axis="y", color="#dddddd", linewidth=0.6)
    axes.set_axisbelow(True)
    if drawing.ticks:
        axes.set_xticks(range(len(drawing.ticks)), drawing.ticks)
        if sum(map(len, drawing.ticks)) > 60:
            axes.tick_params(axis="x", rotation=60, labelsize=8)
    if len(drawing.series) > 1:
        figure.legend(loc="outside right upper", frameon=False, fontsize=9)
    out = io.BytesIO()
    # No program name or date inside: equal rows give an equal file, and an equal hash.
    figure.savefig(out, format="png", metadata={"Software": None})
    return Drawn(picture=base64.b64encode(out.getvalue()).decode())


def _installed_fonts() -> list[str]:
    from matplotlib.font_manager import fontManager

    installed = {font.name for font in fontManager.ttflist}
    return ["DejaVu Sans", *(name for name in _FONTS if name in installed)]


def _points(axes: Any, drawing: Drawing) -> None:
    for place, series in enumerate(drawing.series):
        style = {"color": _COLOURS[place], "marker": _MARKERS[place], "label": series.name}
        axes.scatter(series.x, series.y, s=26, alpha=0.8, linewidths=0, **style)


def _lines(axes: Any, drawing: Drawing) -> None:
    for place, series in enumerate(drawing.series):
        style = {"color": _COLOURS[place], "marker": _MARKERS[place]}
        axes.plot(series.x, series.y, markersize=4, linewidth=0, **style)
        axes.plot(*_means(series), linewidth=1.6, label=series.name, color=_COLOURS[place])


def _means(series: Series) -> tuple[list[float], list[float]]:
    """Return one point for each place: a line through replicates would only go up and down."""
    heaps: dict[float, list[float]] = {}
    for x, y in zip(series.x, series.y, strict=True):
        heaps.setdefault(float(x), []).append(y)
    return sorted(heaps), [statistics.fmean(heaps[x]) for x in sorted(heaps)]


def _bars(axes: Any, drawing: Drawing) -> None:
    width = 0.8 / len(drawing.series)
    for place, series in enumerate(drawing.series):
        shift = (place - (len(drawing.series) - 1) / 2) * width
        at = [float(x) + shift for x in series.x]
        error = series.spread if any(series.spread) else None
        style = {"color": _COLOURS[place], "label": series.name, "ecolor": "#444444", "capsize": 3}
        axes.bar(at, series.y, width=width, yerr=error, **style)


def _histogram(axes: Any, drawing: Drawing) -> None:
    import numpy as np

    values = [float(x) for series in drawing.series for x in series.x]
    edges = np.histogram_bin_edges(values, bins=min(_BINS, max(5, round(len(values) ** 0.5))))
    for place, series in enumerate(drawing.series):
        axes.hist(series.x, bins=edges, color=_COLOURS[place], alpha=0.65, label=series.name)


_DRAW: dict[str, Any] = {"scatter": _points, "line": _lines, "bar": _bars, "histogram": _histogram}
