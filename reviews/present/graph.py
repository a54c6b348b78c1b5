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


NODES: dict[str, tuple[Text, Text, int, int]] = {
    "digest": (_("digest"), _("takes in what you kept of the documents"), 86, 60),
    "reason": (_("reason"), _("asks the reasoner for a hypothesis and one next action"), 300, 60),
    "review": (_("review"), _("waits until a person or a stated policy lets it through"), 540, 60),
    "act": (_("act"), _("runs exactly what was let through, once"), 540, 210),
    "update": (_("update"), _("files the result as evidence and checks the budget"), 300, 210),
    "summarize": (_("summarize"), _("writes the conclusion"), 86, 210),
}

EDGES: tuple[Edge, ...] = (
    Edge("digest", "reason", "", "M152 60H228", (190, 52)),
    Edge("reason", "review", _("proposal"), "M366 60H468", (417, 52)),
    Edge("reason", "summarize", _("budget used up"), "M252 87L158 178", (162, 128)),
    Edge("review", "reason", _("vetoed"), "M500 33C470 2 370 2 340 28", (420, 14)),
    Edge("review", "act", _("let through"), "M540 87V177", (586, 137)),
    Edge("review", "summarize", _("stopped or finished"), "M474 84C330 160 220 150 154 200", (384, 150)),
    Edge("act", "update", _("result"), "M474 210H372", (423, 202)),
    Edge("act", "review", _("a person is asked"), "M586 183C640 150 640 120 590 92", (662, 137)),
    Edge("update", "reason", _("next round"), "M300 183V93", (334, 160)),
    Edge("update", "summarize", _("finished"), "M234 210H158", (196, 202)),
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


def drawing(counts: Mapping[str, int], last_kind: str, *, has_ended: bool) -> tuple[list[Node], tuple[Edge, ...]]:
    """Return the nodes and edges of the agent's graph for one run."""
    seen, here = visits(counts), current_node(last_kind, has_ended=has_ended)
    nodes = [
        Node(name, label, does, x, y, visits=seen[name], is_current=name == here)
        for name, (label, does, x, y) in NODES.items()
    ]
    return nodes, EDGES
