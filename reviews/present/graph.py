"""The agent's graph as a drawing with a text twin: where it is, and how often it was there."""

from collections.abc import Mapping
from dataclasses import dataclass

from django.utils.translation import gettext_lazy as _

from reviews.present.words import Text

WIDTH, HEIGHT = 132, 54


@dataclass(frozen=True)
class Node:
    """A node of the drawing: its middle, what it does, and how often it ran."""

    name: str
    label: Text
    does: Text
    x: int
    y: int
    visits: int = 0
    is_current: bool = False

    @property
    def left(self) -> int:
        """The left edge of the box."""
        return self.x - WIDTH // 2

    @property
    def top(self) -> int:
        """The upper edge of the box."""
        return self.y - HEIGHT // 2


@dataclass(frozen=True)
class Edge:
    """A way from one node to another and when it is taken. ``path`` is an SVG path."""

    source: str
    target: str
    when: Text
    path: str
    label_at: tuple[int, int]
    anchor: str = "middle"


NODES: dict[str, tuple[Text, Text, int, int]] = {
    "digest": (_("digest"), _("takes in what you kept of the documents"), 86, 90),
    "reason": (_("reason"), _("asks the reasoner for a hypothesis and one next action"), 300, 90),
    "review": (_("review"), _("waits until a person or a stated policy lets it through"), 540, 90),
    "act": (_("act"), _("runs exactly what was let through, once"), 540, 230),
    "update": (_("update"), _("files the result as evidence and checks the budget"), 300, 230),
    "summarize": (_("summarize"), _("writes the conclusion"), 776, 160),
}

EDGES: tuple[Edge, ...] = (
    Edge("digest", "reason", "", "M152 90H228", (190, 82)),
    Edge("reason", "review", _("proposal"), "M366 90H468", (417, 82)),
    Edge("reason", "summarize", _("budget used up"), "M310 63C350 4 770 4 796 127", (540, 14)),
    Edge("review", "reason", _("vetoed"), "M486 117C452 142 388 142 352 121", (419, 150)),
    Edge("review", "act", _("let through"), "M556 117V197", (564, 166), "start"),
    Edge("review", "summarize", _("stopped or finished"), "M606 90C680 92 726 104 752 128", (648, 128)),
    Edge("act", "update", _("result"), "M474 230H372", (423, 222)),
    Edge("act", "review", _("a person is asked"), "M524 203V123", (516, 190), "end"),
    Edge("update", "reason", _("next round"), "M300 203V123", (292, 166), "end"),
    Edge("update", "summarize", _("finished"), "M310 257C340 306 730 306 770 193", (540, 308)),
)

_VISITED_BY = {
    "digest.filed": "digest",
    "round.started": "reason",
    "review.opened": "review",
    "gate.passed": "review",
    "effect.finished": "act",
    "round.completed": "update",
    "summary.written": "summarize",
}

_NEXT = {
    "run.created": "digest",
    "run.started": "digest",
    "digest.filed": "reason",
    "round.started": "reason",
    "proposal.made": "review",
    "proposal.refused": "reason",
    "finish.proposed": "review",
    "review.opened": "review",
    "gate.passed": "act",
    "review.decided": "act",
    "effect.started": "act",
    "effect.finished": "update",
    "experiment.filed": "update",
    "evidence.filed": "update",
    "finding.added": "update",
    "finding.changed": "update",
    "round.completed": "reason",
    "budget.exhausted": "summarize",
    "summary.written": "summarize",
}


def visits(counts: Mapping[str, int]) -> dict[str, int]:
    """Return how often each node ran, from the number of events of each kind."""
    found = dict.fromkeys(NODES, 0)
    for kind, count in counts.items():
        if kind in _VISITED_BY:
            found[_VISITED_BY[kind]] += count
    return found


def current_node(last_kind: str, *, has_ended: bool) -> str:
    """Return the node that works or waits after an event of ``last_kind``; '' once the run has ended."""
    return "" if has_ended else _NEXT.get(last_kind, "")


def drawing(
    counts: Mapping[str, int], last_kind: str, *, has_ended: bool
) -> tuple[list[Node], tuple[Edge, ...]]:
    """Return the nodes and edges of the agent's graph for one run."""
    seen, here = visits(counts), current_node(last_kind, has_ended=has_ended)
    nodes = [
        Node(name, label, does, x, y, visits=seen[name], is_current=name == here)
        for name, (label, does, x, y) in NODES.items()
    ]
    return nodes, EDGES
