"""Going back: a fork runs beside the original, from one of its reviews or rounds on, and inherits no approval."""

from typing import Any
from uuid import UUID

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Max

from agents.core import versions
from agents.core.errors import BadInput
from agents.core.findings import Finding
from agents.core.gates import GateKind, Verdict
from agents.core.proposal import proposal_key
from agents.core.rewind import Fact, findings_at, state_at
from agents.core.study import StudyProtocol
from agents.models import Effect, Event, Gate, Run, Study
from agents.services.protocols import config_digest
from agents.signals import work_queued
from agents.store.findings import add_row
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
    opened = _first(parent, f"{gate.key}/opened", f"{gate.key}/passed")
    if opened is None:
        raise BadInput(f"The log of the run does not hold the opening of {gate.key}; run `manage.py doctor`.")
    facts = _facts(parent, before=opened.seq)
    request = _asked_again(gate, parent)
    run = _create(parent, _at_gate(gate, request, facts), seq=opened.seq, user=user)
    _log(run, parent, facts, seq=opened.seq, round=gate.round, gate=gate.key, by=by)
    made = {"proposal": gate.request["content"]["proposal"], "inherited": True}
    append(run, "proposal.made", made, round=gate.round, key=proposal_key(made["proposal"], round=gate.round))
    return run


@transaction.atomic
def rewind_run(run_id: UUID, *, round: int, by: str, user: User | None = None) -> Run:
    """Start a new run beside ``run_id`` that goes on from its ``round`` on, and return it.

    At the round's proposal when it has one, which is then asked about again; else the reasoner is asked anew.
    Raises ``BadInput`` for a round that the run never came to.
    """
    parent = Run.objects.select_related("study").get(pk=run_id)
    if not 1 <= round <= parent.round:
        raise BadInput(f"The run has rounds 1 to {parent.round}; there is no round {round} to go back to.")
    gate = _proposal_of(parent, round)
    if gate is not None:
        return fork_run(gate, by=by, user=user)
    began = _first(parent, f"{round}/started")
    if began is None:
        raise BadInput(f"The log of the run does not hold the beginning of round {round}.")
    return _fork_between(parent, round=round, seq=began.seq, by=by, user=user)


@transaction.atomic
def fork_latest(parent: Run, *, by: str, user: User | None = None) -> Run:
    """Start a new run that goes on where ``parent`` stands: at its last proposal, unless that is dealt with."""
    gate = _proposal_of(parent, parent.round)
    is_over = Event.objects.filter(run=parent, key=f"{parent.round}/completed").exists()
    is_refused = gate is not None and (gate.answer or {}).get("verdict") == Verdict.VETO
    if parent.round == 0 or is_over or is_refused:
        return _fork_between(parent, round=parent.round + 1, seq=parent.seq + 1, by=by, user=user)
    return rewind_run(parent.pk, round=parent.round, by=by, user=user)


def _fork_between(parent: Run, *, round: int, seq: int, by: str, user: User | None) -> Run:
    """Start a run whose first round is ``round``, with the events of ``parent`` below ``seq`` behind it."""
    if round == 1:
        # Nothing happened yet but the digest, which the fork files itself.
        facts, start = [fact for fact in _facts(parent, before=seq) if fact.kind == "run.created"], {}
    else:
        facts = _facts(parent, before=seq)
        start = {**_state_of(parent, facts), "current_step": round - 1}
    run = _create(parent, start, seq=seq, user=user)
    _log(run, parent, facts, seq=seq, round=round, gate="", by=by)
    return run


def _proposal_of(run: Run, round: int) -> Gate | None:
    return Gate.objects.filter(run=run, round=round, kind=GateKind.PROPOSAL).order_by("opened_at").last()


def _first(run: Run, *keys: str) -> Event | None:
    return Event.objects.filter(run=run, key__in=keys).order_by("seq").first()


def _facts(run: Run, *, before: int) -> list[Fact]:
    rows = Event.objects.filter(run=run, seq__lt=before).order_by("seq")
    return [Fact(kind=e.kind, round=e.round, payload=e.payload) for e in rows]


def _state_of(parent: Run, facts: list[Fact]) -> dict[str, Any]:
    documents = [document["content_hash"] for document in parent.protocol.get("documents", [])]
    return {**state_at(facts), "input_document": documents}


def _at_gate(gate: Gate, request: dict[str, Any], facts: list[Fact]) -> dict[str, Any]:
    proposal = gate.request["content"]["proposal"]
    return {
        **_state_of(gate.run, facts),
        "current_step": gate.round,
        "gate": request,
        "proposal": proposal,
        "hypothesis": proposal["hypothesis"],
        "next_action": proposal["action"],
    }


def _asked_again(gate: Gate, parent: Run) -> dict[str, Any]:
    """Return the question of ``gate`` for the fork. An action that may have happened in the parent is never let
    through by a policy, and says so."""
    key = f"{gate.round}/act/"
    open_ends = (Effect.Status.STARTED, Effect.Status.UNKNOWN)
    began = Effect.objects.filter(run=parent, key__startswith=key, status__in=open_ends).first()
    request: dict[str, Any] = gate.request
    if began is None or began.effect_class == "local":
        return request
    warning = (
        f"Run {parent.number} began this at {began.started_at:%Y-%m-%d %H:%M} UTC and nobody knows whether it "
        "happened. Running it may do it a second time."
    )
    content = request["content"]
    warned = {**content, "warnings": [*content.get("warnings", []), warning], "force_review": True}
    return {**request, "content": warned}


def _create(parent: Run, start: dict[str, Any], *, seq: int, user: User | None) -> Run:
    Study.objects.select_for_update().get(pk=parent.study_id)
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
        graph_version=versions.GRAPH_VERSION,
        policy_table=parent.policy_table,
        config_digest=config_digest(protocol),
        created_by=user,
        start=start,
    )
    transaction.on_commit(lambda: work_queued.send(sender=Run, run_id=run.pk))
    return run


def _log(run: Run, parent: Run, facts: list[Fact], *, seq: int, round: int, gate: str, by: str) -> None:
    """Write what the fork begins with into its own log, so that its row is a fold of it alone."""
    created = next(fact.payload for fact in facts if fact.kind == "run.created")
    append(run, "run.created", {**created, "number": run.number, "by": by})
    origin = {
        "parent": str(parent.pk),
        "parent_number": parent.number,
        "seq": seq,
        "gate": gate,
        "round": round,
    }
    append(run, "run.forked", origin)
    for fact in facts:
        if fact.kind in ("digest.filed", "round.completed"):
            append(run, fact.kind, {**fact.payload, "inherited": True}, round=fact.round)
    for row in findings_at(facts):
        finding = Finding.model_validate({name: row[name] for name in Finding.model_fields if name in row})
        add_row(run, finding.model_copy(update={"run_id": str(run.pk)}), reason="inherited")
