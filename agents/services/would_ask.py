"""What a policy would have asked in runs that are over or under way: the same judging, on the rows and the log."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

from agents.core.budget import Budget, Spent
from agents.core.gates import GateKind, GateRequest
from agents.core.policy import Judgement, PolicyTable, facts_of, judge
from agents.core.projection import apply_event, empty_state
from agents.models import Event, Gate, Run
from agents.store.policy import tools_in

KINDS = (GateKind.PROPOSAL, GateKind.FINISH)
OPENINGS = ("review.opened", "gate.passed", "gate.refused")
_FOLDED = (
    "digest.filed",
    "round.started",
    "round.failed",
    "model.called",
    "proposal.made",
    "review.decided",
    "effect.finished",
)


@dataclass(frozen=True)
class Asked:
    """One gate of a past run: what was done, and what the policy would have made of it."""

    gate_id: str
    round: int
    kind: str
    title: str
    verdict: str
    """What it was answered with; empty while it is open or cancelled."""
    was_asked: bool
    judgement: Judgement


@dataclass(frozen=True)
class WouldAsk:
    """A run under a policy."""

    run: Run
    gates: list[Asked] = field(default_factory=list)

    @property
    def totals(self) -> dict[str, int]:
        """How many gates end in each outcome."""
        return dict(Counter(row.judgement.then for row in self.gates))

    @property
    def asked(self) -> int:
        """How many gates people would have been asked about."""
        return sum(row.judgement.asks for row in self.gates)

    @property
    def was_asked(self) -> int:
        """How many they were asked about."""
        return sum(row.was_asked for row in self.gates)

    @property
    def missed(self) -> list[Asked]:
        """What a person vetoed or edited, and the policy would have let through."""
        return [
            row
            for row in self.gates
            if row.judgement.then == "allow" and row.verdict in ("veto", "edit", "stop")
        ]


def would_ask(run: Run, table: PolicyTable) -> WouldAsk:
    """Return what ``table`` would have made of each proposal of ``run``, in order.

    What the log does not say (the effect class in runs of release 0.1) cannot be told, and so would be asked.
    """
    return WouldAsk(run, list(_gates(run, table)))


def _gates(run: Run, table: PolicyTable) -> Iterator[Asked]:
    gates = {row.key: row for row in Gate.objects.filter(run=run, kind__in=KINDS)}
    state, used, asked_share = empty_state(), set[str](), 0.0
    budget = Budget()
    wanted = (*_FOLDED, *OPENINGS, "run.created", "budget.changed", "experiment.filed")
    for event in Event.objects.filter(run=run, kind__in=wanted).order_by("seq").iterator(chunk_size=500):
        payload = event.payload
        if event.kind in ("run.created", "budget.changed"):
            budget = Budget.model_validate(payload["budget"])
        elif event.kind in OPENINGS and payload.get("gate") in gates:
            gate = gates[payload["gate"]]
            request = GateRequest.model_validate(gate.request)
            tools = tools_in((request.content.get("proposal") or {}).get("action"))
            spent = Spent.model_validate({k: v for k, v in state["spent"].items() if k in Spent.model_fields})
            facts = facts_of(
                request,
                hypothesis=state["hypothesis"],
                budget=budget,
                spent=spent,
                asked_share=asked_share,
                is_first_use=not tools <= used,
            )
            found = judge(table, facts)
            if found.then == "review" and request.kind is GateKind.PROPOSAL:
                asked_share = facts.budget_share or 0.0
            verdict = str((gate.answer or {}).get("verdict", ""))
            if verdict in ("approve", "edit", "answer"):
                used |= tools_in((gate.answer or {}).get("action")) or tools
            yield Asked(
                gate_id=str(gate.pk),
                round=gate.round,
                kind=gate.kind,
                title=request.title,
                verdict=verdict,
                was_asked=event.kind == "review.opened",
                judgement=found,
            )
        state = apply_event(state, kind=event.kind, payload=payload, round=event.round)
