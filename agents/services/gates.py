"""Answers to gates: checked against the same rules as a proposal, then one compare-and-swap."""

from datetime import datetime, timedelta
from typing import Any

from django.db import transaction
from django.utils import timezone
from pydantic import ValidationError

from agents.core.canonical import digest_of
from agents.core.departures import departing_faults
from agents.core.errors import BadInput, Conflict, Unconfirmed
from agents.core.faults import fault_point
from agents.core.findings import Finding
from agents.core.gates import REASON_CODES, VERDICTS, Answer, GateKind, Verdict
from agents.core.ledger import judge_list
from agents.core.lifecycle import RunStatus
from agents.core.measurement import departures_of
from agents.core.memory import confidence
from agents.core.proposal import Hypothesis, Prediction, Proposal
from agents.core.refutation import with_refutation
from agents.core.study import StudyProtocol
from agents.core.text import clean_text, clean_value, shorten, with_article
from agents.core.tools import Action
from agents.core.workflow import actions_of, is_workflow, item_decisions
from agents.models import Gate, Run
from agents.signals import gate_closed
from agents.store.findings import add_row
from agents.store.ledger import rows_for
from agents.store.log import append, lock_run
from agents.store.runs import cancel, move

NOTE_LIMIT = 4000


def prepare_answer(
    gate: Gate,
    *,
    verdict: str,
    by: str,
    note: str = "",
    reason_code: str = "",
    arguments: dict[str, Any] | None = None,
    hypothesis: dict[str, Any] | None = None,
    prediction: dict[str, Any] | None = None,
    result: dict[str, Any] | None = None,
    is_replicate: bool | None = None,
    is_confirmed: bool = False,
    against_ledger: bool = True,
) -> Answer:
    """Return a checked answer to ``gate``; raises ``BadInput`` with one problem a field.

    An edit passes the schema gate and the ledger gate like a proposal; a result passes the tool's output
    schema. Raises ``Unconfirmed`` for a result that was really got where no experiment may be proposed, unless
    ``is_confirmed``: most often it is a typing error. Nothing is written here. Without ``against_ledger`` an edit is only made comparable: by now the
    ledger may hold the very experiment.
    """
    kind = GateKind(gate.kind)
    if verdict not in VERDICTS[kind]:
        allowed = ", ".join(VERDICTS[kind])
        raise BadInput(
            f"{with_article(kind)} review cannot be answered with {verdict!r}; choose one of {allowed}."
        )
    note = clean_text(note).strip()
    if len(note) > NOTE_LIMIT:
        raise BadInput(f"The note has {len(note)} characters; at most {NOTE_LIMIT} are kept.")
    chosen = Verdict(verdict)
    if chosen is Verdict.VETO and reason_code not in REASON_CODES:
        problem = {"field": "reason_code", "message": f"Choose a reason: {', '.join(REASON_CODES)}."}
        raise BadInput(problem["message"], [problem])
    answer = Answer(verdict=chosen, by=by, note=note, reason_code=reason_code, at=timezone.now().isoformat())
    action = proposed = action_of(gate)
    if action is None or proposed is None:
        return answer
    protocol = StudyProtocol.model_validate(gate.run.protocol)
    changes: dict[str, Any] = {}
    if chosen is Verdict.EDIT:
        action = _checked_edit(protocol, action, arguments)
        if against_ledger:
            _judge_edit(gate, protocol, action, is_replicate)
        changes |= _edited_claims(gate, protocol, hypothesis, prediction, by=by)
    if chosen is Verdict.ANSWER and is_workflow(action):
        raise BadInput("A list has no result of its own to enter: let it run, or leave steps out and edit.")
    if chosen in (Verdict.APPROVE, Verdict.EDIT) and is_workflow(action):
        changes["items"] = item_decisions(proposed, action)
    if chosen is Verdict.ANSWER:
        changes["result"] = _checked_result(protocol, action, result or {})
        if not is_confirmed:
            _require_within(protocol, action, changes["result"])
    changes |= {"action": action, "action_digest": digest_of(action.model_dump(mode="json"))}
    return answer.model_copy(update=changes)


def action_of(gate: Gate) -> Action | None:
    """Return the action that a gate is about, or None for attention and finish."""
    content = gate.request["content"]
    action = content.get("action") or (content.get("proposal") or {}).get("action")
    return Action.model_validate(action) if action else None


def _checked_edit(protocol: StudyProtocol, action: Action, arguments: dict[str, Any] | None) -> Action:
    from agents.wiring import toolbox_for  # the tools are loaded only when an edit is checked

    given = action.arguments if arguments is None else _object(arguments, "arguments")
    return toolbox_for(protocol).check(Action(tool=action.tool, arguments=given)).action


def _judge_edit(gate: Gate, protocol: StudyProtocol, edited: Action, is_replicate: bool | None) -> None:
    if not gate.request["content"].get("is_experiment"):
        return
    proposal = Proposal.model_validate(gate.request["content"]["proposal"])
    limit = protocol.budget.experiments
    experiments = _experiments(protocol, edited)
    judged = judge_list(
        [action.arguments for action in experiments],
        rows=rows_for(gate.run),
        space=protocol.space,
        constraints=protocol.constraints,
        is_replicate=proposal.is_replicate if is_replicate is None else is_replicate,
        budget_left=None if limit is None else limit - gate.run.spent.get("experiments", 0),
    )
    problems = [problem for found in judged for problem in found]
    if problems:
        named = [{"field": ",".join(p.parameters) or "arguments", "message": p.message} for p in problems]
        raise BadInput("The edited action was not approved: " + " ".join(p.message for p in problems), named)


def _experiments(protocol: StudyProtocol, action: Action) -> list[Action]:
    from agents.wiring import toolbox_for

    names = {spec.name for spec in toolbox_for(protocol).specs() if spec.is_experiment}
    return [one for one in actions_of(action) if one.tool in names]


def _edited_claims(
    gate: Gate,
    protocol: StudyProtocol,
    hypothesis: dict[str, Any] | None,
    prediction: dict[str, Any] | None,
    *,
    by: str,
) -> dict[str, Any]:
    proposal = Proposal.model_validate(gate.request["content"]["proposal"])
    written = dict(clean_value(hypothesis)) if hypothesis else None
    if written and written.get("text") != proposal.hypothesis.text:
        # Whoever writes a claim stands for it, whoever wrote the one that it replaces.
        written |= {"by": by, "since": gate.round or 0}
    try:
        edited = Hypothesis.model_validate(written) if written else None
        expected = Prediction.model_validate(clean_value(prediction)) if prediction else None
        return {
            "hypothesis": with_refutation(
                edited,
                expected,
                stated=proposal.hypothesis,
                expected=proposal.prediction,
                objectives=protocol.objectives,
            ),
            "prediction": expected,
        }
    except ValidationError as fault:
        problems = [
            {"field": ".".join(str(part) for part in error["loc"]), "message": error["msg"]}
            for error in fault.errors()
        ]
        raise BadInput("; ".join(f"{p['field']}: {p['message']}" for p in problems), problems) from None


def _checked_result(protocol: StudyProtocol, action: Action, result: dict[str, Any]) -> dict[str, Any]:
    from agents.wiring import toolbox_for

    checked = toolbox_for(protocol).check_result(action.tool, _object(result, "result"))
    _check_time(checked.get("measured_at"))
    return checked


def _require_within(protocol: StudyProtocol, action: Action, result: dict[str, Any]) -> None:
    """Raise ``Unconfirmed`` when what was really done lies outside the space or breaks a limit."""
    actual = result.get("actual")
    if not isinstance(actual, dict) or action not in _experiments(protocol, action):
        return
    departed = departures_of(action.arguments, actual)
    faults = departing_faults(action.arguments, actual, protocol.space, protocol.constraints)
    problems = [
        {"field": f"actual.{name}", "received": actual[name], "message": fault.message}
        for fault in faults
        for name in [each for each in departed if each in fault.parameters][:1] or departed[:1]
    ]
    if problems:
        told = " ".join(problem["message"] for problem in problems)
        raise Unconfirmed(
            f"What was really done lies outside of what the study allows: {told} "
            "Correct it, or confirm that it was really so.",
            problems,
        )


def _check_time(text: Any) -> None:
    """Refuse a measurement of the future; a day's grace is for clocks and time zones that were set wrong."""
    if isinstance(text, str) and datetime.fromisoformat(text) > timezone.now() + timedelta(days=1):
        told = f"field measured_at: expected a time that has come, received {text}"
        raise BadInput(told, [{"field": "measured_at", "message": told}])


def _object(given: Any, field: str) -> dict[str, Any]:
    cleaned = clean_value(given)
    if isinstance(cleaned, dict):
        return cleaned
    told = f"{field}: expected an object of names and values, received {type(given).__name__}."
    raise BadInput(told, [{"field": field, "message": told}])


def deliver(gate: Gate, answer: Answer, *, shown_digest: str) -> Gate:
    """Store ``answer`` as the gate's one answer and queue its run; call inside a transaction.

    Raises ``Conflict`` when the gate was answered or cancelled first, or when ``shown_digest`` is not the
    digest of what the gate asks: what was decided must be what was shown.
    """
    run = lock_run(gate.run_id)
    gate = Gate.objects.select_for_update().get(pk=gate.pk)
    check_open(gate)
    check_shown(gate, shown_digest)
    gate.status, gate.answered_at = Gate.Status.ANSWERED, timezone.now()
    gate.answer = answer.model_dump(mode="json")
    gate.save(update_fields=["status", "answered_at", "answer"])
    append(run, "review.decided", _payload(gate, answer), round=gate.round, key=f"{gate.key}/decided")
    if answer.verdict is Verdict.VETO:
        _remember_veto(run, gate, answer)
    gate_closed.send(sender=Gate, gate=gate)
    # Before anybody is told: the decision must take effect even when no wake-up ever comes.
    transaction.on_commit(lambda: fault_point("after_decision"))
    if answer.verdict is Verdict.STOP:
        _stop(run, answer.by)
    elif run.status == RunStatus.WAITING:
        move(run, RunStatus.QUEUED)
    fault_point("in_decision")
    return gate


def check_shown(gate: Gate, shown_digest: str) -> None:
    """Raise ``Conflict`` when ``shown_digest`` is not the digest of what the gate asks."""
    if shown_digest != gate.digest:
        raise Conflict("The proposal changed while you were reading it. Look at it again, then decide.")


def check_open(gate: Gate) -> None:
    """Raise ``Conflict`` saying who was first unless ``gate`` still waits for an answer."""
    if gate.status != Gate.Status.OPEN:
        raise Conflict(_who_was_first(gate))


def _who_was_first(gate: Gate) -> str:
    if gate.status == Gate.Status.CANCELLED:
        return f"This review was cancelled at {gate.answered_at:%H:%M} UTC, since the run was stopped."
    answer = gate.answer or {}
    when = f"{gate.answered_at:%Y-%m-%d %H:%M:%S}" if gate.answered_at else ""
    return f"Already decided by {answer.get('by', 'somebody')} at {when} UTC: {answer.get('verdict', '')}."


def _payload(gate: Gate, answer: Answer) -> dict[str, Any]:
    proposed = action_of(gate)
    executed = answer.action
    return {
        "gate": gate.key,
        "gate_id": str(gate.pk),
        "kind": gate.kind,
        "title": gate.request["title"],
        "verdict": str(answer.verdict),
        "by": answer.by,
        "note": answer.note,
        "reason_code": answer.reason_code,
        "proposed": proposed.model_dump(mode="json") if proposed else None,
        "executed": executed.model_dump(mode="json") if executed else None,
        "items": [item.model_dump(mode="json") for item in answer.items],
        "hypothesis": answer.hypothesis.model_dump(mode="json") if answer.hypothesis else None,
        "hypothesis_before": _claim_of(gate) if answer.hypothesis else "",
        "prediction": answer.prediction.model_dump(mode="json") if answer.prediction else None,
        "result": answer.result,
        "opinions": answer.opinions,
    }


def _claim_of(gate: Gate) -> str:
    proposal = gate.request["content"].get("proposal") or {}
    return str((proposal.get("hypothesis") or {}).get("text", ""))


def _remember_veto(run: Run, gate: Gate, answer: Answer) -> None:
    """Keep the refused idea as negative knowledge; a refusal to finish reaches the reasoner as guidance."""
    reason = answer.note or answer.reason_code.replace("_", " ")
    if action_of(gate) is None:
        append(
            run, "guidance.given", {"text": f"Do not finish yet: {reason}", "by": answer.by}, round=gate.round
        )
        return
    finding = Finding(
        id="",
        study_id=str(run.study_id),
        text=shorten(f"Vetoed: {gate.request['title']}. Reason: {reason}", 1000),
        status="vetoed",
        confidence=confidence(1, 0),
        round=gate.round,
        evidence=[{"round": gate.round, "stance": "veto", "gate": gate.key}],
    )
    add_row(run, finding, reason=reason)


def _stop(run: Run, by: str) -> None:
    if run.status == RunStatus.RUNNING:
        run.wish, run.wait = "stop", {"by": by}
        run.save(update_fields=["wish", "wait"])
    elif not run.has_ended:
        cancel(run, by=by)
