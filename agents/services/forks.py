"""Answering a past review differently: a fork runs beside the original and inherits no approval."""

from typing import Any

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Max

from agents.core.errors import BadInput
from agents.core.findings import Finding
from agents.core.gates import GateKind
from agents.core.proposal import proposal_key
from agents.core.rewind import Fact, findings_at, state_at
from agents.core.study import StudyProtocol
from agents.models import Event, Gate, Run, Study
from agents.services.protocols import config_digest
from agents.services.runs import GRAPH_VERSION
from agents.signals import work_queued
from agents.store.book import add_row
from agents.store.log import append


@transaction.atomic
def fork_run(gate: Gate, *, by: str, user: User | None = None) -> Run:
    """Start a new run at ``gate`` of another one, with the state it had there, and return it.

    The same proposal is put before people again in the fork; nothing that was decided at the gate or later is
    inherited. Raises ``BadInput`` for a gate that is not about a proposal.
    """
    if gate.kind != GateKind.PROPOSAL:
        raise BadInput(
            "A fork starts at the review of a proposal; choose the proposal of this round instead."
        )
    parent = Run.objects.select_related("study").get(pk=gate.run_id)
    Study.objects.select_for_update().get(pk=parent.study_id)
    facts, seq = _facts_before(gate)
    number = (parent.study.runs.aggregate(last=Max("number"))["last"] or 0) + 1
    protocol = StudyProtocol.model_validate(parent.protocol)
    run = Run.objects.create(
        study=parent.study,
        number=number,
        parent=parent,
        forked_at=seq,
        protocol=protocol.model_dump(mode="json"),
        reasoner=parent.reasoner,
        policy=parent.policy,
        graph_version=GRAPH_VERSION,
        config_digest=config_digest(protocol),
        created_by=user,
        start=_start_of(gate, facts),
    )
    _log(run, parent, gate, facts, seq=seq, by=by)
    transaction.on_commit(lambda: work_queued.send(sender=Run, run_id=run.pk))
    return run


def _facts_before(gate: Gate) -> tuple[list[Fact], int]:
    events = Event.objects.filter(run_id=gate.run_id)
    opened = events.filter(key__in=(f"{gate.key}/opened", f"{gate.key}/passed")).order_by("seq").first()
    if opened is None:
        raise BadInput(f"The log of the run does not hold the opening of {gate.key}; run `manage.py doctor`.")
    before = events.filter(seq__lt=opened.seq).order_by("seq")
    return [Fact(kind=e.kind, round=e.round, payload=e.payload) for e in before], int(opened.seq)


def _start_of(gate: Gate, facts: list[Fact]) -> dict[str, Any]:
    proposal = gate.request["content"]["proposal"]
    return {
        **state_at(facts),
        "current_step": gate.round,
        "gate": gate.request,
        "proposal": proposal,
        "hypothesis": proposal["hypothesis"],
        "next_action": proposal["action"],
    }


def _log(run: Run, parent: Run, gate: Gate, facts: list[Fact], *, seq: int, by: str) -> None:
    """Write what the fork begins with into its own log, so that its row is a fold of it alone."""
    created = next(fact.payload for fact in facts if fact.kind == "run.created")
    append(run, "run.created", {**created, "number": run.number, "by": by})
    origin = {
        "parent": str(parent.pk),
        "parent_number": parent.number,
        "seq": seq,
        "gate": gate.key,
        "round": gate.round,
    }
    append(run, "run.forked", origin)
    for fact in facts:
        if fact.kind in ("digest.filed", "round.completed"):
            append(run, fact.kind, {**fact.payload, "inherited": True}, round=fact.round)
    for row in findings_at(facts):
        finding = Finding.model_validate({name: row[name] for name in Finding.model_fields if name in row})
        add_row(run, finding.model_copy(update={"run_id": str(run.pk)}), reason="inherited")
    made = {"proposal": gate.request["content"]["proposal"], "inherited": True}
    append(run, "proposal.made", made, round=gate.round, key=proposal_key(made["proposal"], round=gate.round))
