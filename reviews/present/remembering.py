"""Remembered against re-read: what the steps of a run were sent, as a drawing and in numbers."""

from collections.abc import Sequence
from dataclasses import dataclass

from agents.models import Event, Run
from agents.sent import SentStep, steps_sent
from reviews.present.charts import Box, Tick, nice_ticks
from reviews.present.figures import number

SHOWN = 200
"""The newest steps that are drawn: as many as one query brings."""
BOX = Box(width=720, height=240, left=58)
BARS = Box(width=720, height=150, left=58)


@dataclass(frozen=True)
class Bar:
    """What one step was sent, in two parts: ``cached`` at the bottom, ``fresh`` above it."""

    x: float
    width: float
    cached_y: float
    cached_height: float
    fresh_y: float
    fresh_height: float
    title: str


@dataclass(frozen=True)
class Remembering:
    """Both drawings share their steps. ``ours`` and ``re_read`` are SVG paths."""

    steps: list[SentStep]
    ours: str
    re_read: str
    x_ticks: list[Tick]
    y_ticks: list[Tick]
    bars: list[Bar]
    bar_ticks: list[Tick]
    sent_total: int
    re_read_total: int
    cached_total: int
    fresh_total: int
    box: Box = BOX
    bar_box: Box = BARS

    @property
    def saved(self) -> float:
        """The share that was not sent because it was remembered; below 0 when more was sent."""
        return 1 - self.sent_total / self.re_read_total if self.re_read_total else 0.0

    @property
    def last(self) -> SentStep:
        """The newest step."""
        return self.steps[-1]


def remembering_of(run: Run) -> Remembering | None:
    """Return what the reasoning steps of ``run`` were sent; None while there is none, as with the optimiser."""
    seqs = Event.objects.filter(run=run, kind="model.called", payload__role="reason").order_by("-seq")
    newest = list(seqs.values_list("seq", flat=True)[:SHOWN])
    if not newest:
        return None
    steps = [step for step in steps_sent(run, after=newest[-1] - 1) if step.role == "reason"]
    return _drawn(steps) if steps else None


def _drawn(steps: list[SentStep]) -> Remembering:
    sent, fuller = [step.prompt_tokens for step in steps], [step.re_read for step in steps]
    top = max(*sent, *fuller, 1) * 1.06
    bar_top = max(*sent, 1) * 1.06
    return Remembering(
        steps=steps,
        ours=_path(sent, top),
        re_read=_path(fuller, top),
        x_ticks=_across(steps),
        y_ticks=_up(top, BOX),
        bars=_bars(steps, bar_top),
        bar_ticks=_up(bar_top, BARS),
        sent_total=sum(sent),
        re_read_total=sum(fuller),
        cached_total=sum(step.cached_tokens for step in steps),
        fresh_total=sum(step.uncached_tokens for step in steps),
    )


def _x(place: int, count: int) -> float:
    """The middle of the column of step ``place``."""
    return round(BOX.left + (place + 0.5) / count * (BOX.x1 - BOX.left), 1)


def _y(value: float, top: float, box: Box) -> float:
    return round(box.y1 - value / top * (box.y1 - box.top), 1)


def _path(values: Sequence[int], top: float) -> str:
    points = [f"{_x(place, len(values))} {_y(value, top, BOX)}" for place, value in enumerate(values)]
    # A line of one point is drawn by nobody.
    return "M" + "L".join(points) + ("h0.1" if len(points) == 1 else "")


def _up(top: float, box: Box) -> list[Tick]:
    return [Tick(_y(value, top, box), number(value)) for value in nice_ticks(0, top, 4)]


def _across(steps: list[SentStep]) -> list[Tick]:
    every = max(1, len(steps) // 8)
    return [
        Tick(_x(place, len(steps)), number(step.round))
        for place, step in enumerate(steps)
        if place % every == 0
    ]


def _bars(steps: list[SentStep], top: float) -> list[Bar]:
    width = round(max(1.0, (BARS.x1 - BARS.left) / len(steps) * 0.7), 1)
    bars = []
    for place, step in enumerate(steps):
        middle = _y(step.cached_tokens, top, BARS)
        upper = _y(step.prompt_tokens, top, BARS)
        bars.append(
            Bar(
                x=round(_x(place, len(steps)) - width / 2, 1),
                width=width,
                cached_y=middle,
                cached_height=round(BARS.y1 - middle, 1),
                fresh_y=upper,
                fresh_height=round(max(0.0, middle - upper), 1),
                title=f"{step.round}: {number(step.cached_tokens)} + {number(step.uncached_tokens)}",
            )
        )
    return bars
