"""What a reasoner is told at the next step, section by section: the same packing that the prompt gets."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from agents.core.brief import Brief, Step
from agents.core.budget import Spent
from agents.core.errors import DaybookError
from agents.core.gates import Guidance
from agents.core.proposal import Hypothesis
from agents.core.study import StudyProtocol
from agents.models import Event, Run
from agents.store.contradictions import contradictions_of
from agents.store.findings import active_of
from agents.store.gates import vetoes_of
from agents.store.ledger import rows_of
from agents.wiring import tool_rank
from reviews.present.tooling import specs_of

if TYPE_CHECKING:
    from agents.reasoners.language_model.packing import Part

KEPT = 5
"""As many steps and findings as the engine keeps in mind."""


def next_brief(run: Run) -> Brief:
    """Return what the reasoner of ``run`` would be given now, from rows alone."""
    state, protocol = run.state or {}, StudyProtocol.model_validate(run.protocol)
    hypothesis = state.get("hypothesis")
    kept = (
        {name: hypothesis.get(name) for name in ("text", "refuted_by", "confidence")} if hypothesis else None
    )
    steps = [
        {name: step[name] for name in Step.model_fields if name in step} for step in state.get("steps", [])
    ]
    return Brief(
        protocol=protocol,
        round=run.round + 1,
        tools=list(specs_of(run).values()),
        hypothesis=Hypothesis.model_validate(kept) if kept else None,
        findings=active_of(run.pk, KEPT),
        contradictions=contradictions_of(run.pk),
        steps=[Step.model_validate(step) for step in steps[-KEPT:]],
        experiments=rows_of(run.study_id),
        guidance=_unread(run),
        vetoes=vetoes_of(run.pk),
        budget=protocol.budget,
        spent=Spent.model_validate({k: v for k, v in (run.spent or {}).items() if k in Spent.model_fields}),
    )


def _unread(run: Run) -> list[Guidance]:
    """Return the guidance that no round has begun after."""
    begun = (
        Event.objects.filter(run=run, kind="round.started")
        .order_by("-seq")
        .values_list("seq", flat=True)
        .first()
    )
    rows = Event.objects.filter(run=run, kind="guidance.given", seq__gt=begun or 0).order_by("seq")
    return [Guidance(seq=row.seq, text=row.payload["text"], by=row.payload.get("by", "")) for row in rows]


def next_prompt(run: Run) -> "Sequence[Part]":
    """Return the sections of the next prompt with their tokens; empty when it cannot be packed."""
    from agents.reasoners.language_model.packing import pack  # the prompt's words are read when asked for

    try:
        return pack(next_brief(run), rank=tool_rank()).parts
    except DaybookError:
        return ()
