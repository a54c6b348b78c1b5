"""Gates on the ORM: opened once, answered once by compare-and-swap."""

from uuid import UUID

from django.db.models import Q, QuerySet
from django.utils import timezone

from agents.core.brief import Veto
from agents.core.budget import Budget
from agents.core.errors import PolicyChanged
from agents.core.gates import Answer, GateRequest, Verdict
from agents.core.policy import Judgement, answer_by_policy
from agents.core.tools import Action
from agents.models import Gate, RememberedApproval, Run
from agents.signals import gate_opened
from agents.store.log import append
from agents.store.policy import judge_gate, limits_now, table_now, use_remembered
from agents.store.rows import insert, read


def ask_gate(run: Run, request: GateRequest, budget: Budget | None = None) -> Answer | None:
    """Return the answer of the locked run's gate, opening it first when it is new; None while it is open.

    ``budget`` are its limits as they stand, for who knows them."""
    gate = find_gate(run.pk, request.key)
    if gate is None:
        judgement, remembered = judge_gate(
            run.pk, table_now(run), run.state, request, budget or limits_now(run.pk)
        )
        answer = answer_by_policy(judgement, request, at=timezone.now().isoformat())
        if answer is None and remembered is not None:
            answer = use_remembered(remembered, request, at=timezone.now().isoformat())
        gate = _open(run, request, judgement, answer, remembered)
    return answer_of(gate)


def pass_gate(
    run: Run, request: GateRequest, judgement: Judgement, answer: Answer, *, may_have_changed: bool = True
) -> None:
    """Store the locked run's gate with the ``answer`` that its policy gave, unless it is stored already.

    Raises ``PolicyChanged`` when the run goes by another policy than the one that gave it; ``may_have_changed`` is
    False for who knows that nobody else wrote to the run since. The caller saves the run's row after it.
    """
    if find_gate(run.pk, request.key) is None:
        if may_have_changed and (now := table_now(run).label) != judgement.policy:
            raise PolicyChanged(
                f"the policy of run {run.pk} is {now} and no longer {judgement.policy}: {request.key} is judged anew"
            )
        _open(run, request, judgement, answer, saves=False)


def find_gate(run_id: UUID | str, key: str) -> Gate | None:
    """Return the run's gate, or None when it was not opened yet."""
    return read(Gate, ("id", "status", "answer"), run_id=run_id, key=key)


def answer_of(gate: Gate) -> Answer | None:
    """Return the answer of ``gate``, or None while it has none."""
    return Answer.model_validate(gate.answer) if gate.status == Gate.Status.ANSWERED else None


def _open(
    run: Run,
    request: GateRequest,
    judgement: Judgement,
    answer: Answer | None,
    remembered: RememberedApproval | None = None,
    *,
    saves: bool = True,
) -> Gate:
    now = timezone.now()
    gate = Gate(
        run=run,
        key=request.key,
        kind=request.kind,
        round=request.round,
        status=Gate.Status.ANSWERED if answer else Gate.Status.OPEN,
        digest=request.digest,
        request=request.model_dump(mode="json"),
        answer=answer.model_dump(mode="json") if answer else None,
        judgement=judgement.model_dump(mode="json"),
        opened_at=now,
        answered_at=now if answer else None,
    )
    insert(gate)
    if answer:
        _log_answer(run, request, judgement, answer, remembered, saves=saves)
    else:
        payload = {
            "gate": request.key,
            "gate_id": str(gate.pk),
            "kind": str(request.kind),
            "title": request.title,
            "digest": request.digest,
            "policy": {"why": judgement.why, "rule": judgement.rule, "then": judgement.then},
        }
        append(run, "review.opened", payload, round=request.round, key=f"{request.key}/opened", saves=saves)
        gate_opened.send(sender=Gate, gate=gate)
    return gate


ELSEWHERE = 200


def _log_answer(
    run: Run,
    request: GateRequest,
    judgement: Judgement,
    answer: Answer,
    remembered: RememberedApproval | None,
    *,
    saves: bool,
) -> None:
    payload = {
        "gate": request.key,
        "policy": run.policy,
        "rule": judgement.rule,
        "source": answer.source,
        "title": request.title,
        "note": answer.note,
    }
    if remembered is not None:
        payload |= {"remembered": str(remembered.pk), "by": remembered.by}
    kind = "gate.refused" if answer.verdict is Verdict.VETO else "gate.passed"
    append(run, kind, payload, round=request.round, key=f"{request.key}/passed", saves=saves)


def vetoes_of(run_id: UUID) -> list[Veto]:
    """Return every action that was refused in the run, or before the fork in those it comes from, oldest first."""
    scope, run = Q(run_id=run_id), Run.objects.only("parent", "start").get(pk=run_id)
    while run.parent_id is not None:
        first = run.start.get("current_step", 0) + int(not run.start.get("gate"))
        scope |= Q(run_id=run.parent_id, round__lt=first)
        run = Run.objects.only("parent", "start").get(pk=run.parent_id)
    return [veto for gate in _vetoed(scope) if (veto := _veto(gate)) is not None]


def vetoes_elsewhere(run_id: UUID) -> list[Veto]:
    """Return what was refused in the newest ``ELSEWHERE`` vetoes of the study's other runs, oldest first."""
    run = Run.objects.only("study_id").get(pk=run_id)
    gates = (
        _vetoed(Q(run__study_id=run.study_id) & ~Q(run_id=run_id)).select_related("run").reverse()[:ELSEWHERE]
    )
    found = [(gate, _veto(gate)) for gate in reversed(gates)]
    return [
        veto.model_copy(update={"where": f"in run #{gate.run.number}, round {gate.round}"})
        for gate, veto in found
        if veto is not None
    ]


def _vetoed(scope: Q) -> QuerySet[Gate]:
    answered = Gate.objects.filter(scope, status=Gate.Status.ANSWERED, answer__verdict=Verdict.VETO)
    return answered.order_by("answered_at")


def _veto(gate: Gate) -> Veto | None:
    content, answer = gate.request["content"], gate.answer or {}
    action = content.get("action") or (content.get("proposal") or {}).get("action")
    if not action:
        return None
    return Veto(
        round=gate.round,
        action=Action.model_validate(action),
        reason_code=answer.get("reason_code", ""),
        text=answer.get("note", ""),
        by=answer.get("by", ""),
        at=answer.get("at", ""),
    )
