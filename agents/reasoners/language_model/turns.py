"""From an object to a ``Turn``: read generously where nothing can be misunderstood, else sent back."""

import logging
from collections.abc import Callable, Mapping
from typing import Any

from pydantic import ValidationError

from agents.core.brief import Brief
from agents.core.errors import BadInput
from agents.core.model import ModelReply
from agents.core.names import listed, unique_nearest
from agents.core.proposal import Finish, Hypothesis, MemoryOperation, Prediction, Proposal, Turn
from agents.core.science import Objective
from agents.core.tools import Action, CheckedAction
from agents.core.workflow import WORKFLOW, Item, workflow_of
from agents.reasoners.language_model.languages import is_in_language
from agents.reasoners.language_model.memory import read_memory
from agents.reasoners.language_model.readings import Notes, number_of, object_of, share_of, shown, text_of
from agents.reasoners.language_model.replies import Candidate, Unusable, candidates
from agents.reasoners.language_model.replies.strict import unwrapped

Check = Callable[[Action], CheckedAction]
"""Validates an action's arguments. Raises ``BadInput`` whose problems have messages."""

KEYS = frozenset({"memory", "hypothesis", "action", "actions", "prediction", "reason", "replicate", "finish"})
_TELLING = frozenset({"action", "actions", "finish", "memory"})
_CALL_NAMES, _CALL_ARGUMENTS = ("tool", "name"), ("arguments", "args", "parameters", "input")
_LANGUAGES = {"en": "English", "zh-hans": "Simplified Chinese (简体中文)"}
_log = logging.getLogger("daybook.reasoner")


def read_turn(reply: ModelReply, brief: Brief, *, check: Check | None = None) -> Turn:
    """Return the first reading of ``reply`` that is a valid turn.

    Raises ``Unusable`` with the most telling fault; its ``kept`` is a turn when only a part was unusable.
    """
    faults: list[Unusable] = []
    for item in candidates(reply):
        if isinstance(item, Unusable):
            faults.append(item)
            continue
        try:
            return _turn(item, brief, check)
        except Unusable as fault:
            if fault.kept is not None or _TELLING & set(item.value):
                raise
            faults.append(fault)
    raise faults[0]


def _turn(candidate: Candidate, brief: Brief, check: Check | None) -> Turn:
    value = _shaped(candidate)
    notes: Notes = list(candidate.mended)
    memory, problems = read_memory(
        value.get("memory"), findings=brief.told_findings, newest=max(0, brief.round - 1), notes=notes
    )
    finish = _finish(value.get("finish"))
    action = _asked_for(value, brief, notes)
    if finish and action:
        raise Unusable("wrong_shape", "give either an action or finish, not both")
    if finish:
        turn = Turn(memory=memory, finish=finish)
    elif action:
        _require_valid(action, check)
        turn, weak = _proposed(action, value, brief, memory, notes)
        problems += weak
    else:
        raise Unusable("wrong_shape", "there is neither an action nor finish")
    if notes:
        _log.info("the reply of round %s was mended: %s", brief.round, "; ".join(notes))
    return _approved(turn, problems, brief)


def _approved(turn: Turn, problems: list[str], brief: Brief) -> Turn:
    """Return ``turn``, or raise with it kept when a part of it should be better."""
    if problems:
        raise Unusable("bad_part", "; ".join(problems), kept=turn)
    language = brief.protocol.language
    if not is_in_language(_said(turn, brief), language):
        raise Unusable("wrong_language", f"write all text in {_LANGUAGES[language]}", kept=turn)
    return turn


def _shaped(candidate: Candidate) -> dict[str, Any]:
    """Return the object in the shape of a turn, however it was wrapped or addressed."""
    value = candidate.value
    if not KEYS & set(value) and len(value) == 1:
        inner = next(iter(value.values()))
        value = inner if isinstance(inner, dict) else value
    if _TELLING & set(value):
        return value
    if candidate.call and candidate.call != "turn":
        return {"action": {"tool": candidate.call, "arguments": value}}
    function = value.get("function")
    call = function if isinstance(function, dict) else value
    if any(isinstance(call.get(key), str) for key in _CALL_NAMES) and any(
        key in call for key in _CALL_ARGUMENTS
    ):
        return {**{key: value[key] for key in KEYS & set(value)}, "action": call}
    return value


def _finish(value: Any) -> Finish | None:
    answer = text_of(value, "answer")
    if not answer:
        return None
    cited = value.get("findings") if isinstance(value, dict) else None
    names = cited if isinstance(cited, list) else [cited] if cited else []
    return Finish(answer=answer, findings=[str(name).strip() for name in names])


def _asked_for(value: Mapping[str, Any], brief: Brief, notes: Notes) -> Action | None:
    """Return the action, or the workflow when several are listed."""
    given = unwrapped(value.get("actions") or value.get("action"))
    if isinstance(given, dict) and given.get("tool") == WORKFLOW:
        given = object_of(given.get("arguments"), "arguments", notes).get("items")
    if not isinstance(given, list):
        return _action(given, brief, notes)
    found = [_action(entry, brief, notes) for entry in given]
    actions = [action for action in found if action is not None]
    if len(actions) < len(found):
        raise Unusable("wrong_shape", "each of actions needs a tool and arguments")
    if len(actions) < 2:
        return actions[0] if actions else None
    return workflow_of(
        Item(step=place, tool=action.tool, arguments=action.arguments)
        for place, action in enumerate(actions, start=1)
    )


def _action(value: Any, brief: Brief, notes: Notes) -> Action | None:
    body = object_of(value, "action", notes)
    name = next((str(body[key]).strip() for key in _CALL_NAMES if body.get(key)), "")
    if not name:
        return None
    raw = next((body[key] for key in _CALL_ARGUMENTS if key in body), None)
    return Action(tool=_tool(name, brief, notes), arguments=object_of(raw, "arguments", notes))


def _tool(name: str, brief: Brief, notes: Notes) -> str:
    names = sorted(spec.name for spec in brief.tools)
    if name in names:
        return name
    meant = unique_nearest(name, names)
    if meant is None:
        raise Unusable(
            "unknown_tool", f"there is no tool {shown(name)}; the tools are: {listed(names, near=name)}"
        )
    notes.append(f"tool {name!r} read as {meant!r}")
    return meant


def _require_valid(action: Action, check: Check | None) -> None:
    """Have the arguments checked. The action stays as it came: the gate records its own coercions."""
    if check is None:
        return
    try:
        check(action)
    except BadInput as fault:
        messages = [str(problem.get("message", "")) for problem in fault.problems] or [str(fault)]
        raise Unusable("bad_arguments", "; ".join(messages)) from fault


def _proposed(
    action: Action, value: Mapping[str, Any], brief: Brief, memory: list[MemoryOperation], notes: Notes
) -> tuple[Turn, list[str]]:
    """Return the turn and what is weak about it, which is no reason to refuse it twice."""
    weak: list[str] = []
    prediction = None
    try:
        prediction = _prediction(value.get("prediction"), brief.protocol.objectives, notes)
    except Unusable as fault:
        weak.append(str(fault))
    proposal = Proposal(
        hypothesis=_hypothesis(value.get("hypothesis"), brief, notes),
        action=action,
        prediction=prediction,
        reason=text_of(value.get("reason")),
        is_replicate=value.get("replicate") in (True, "true", "True"),
        details={"mended": list(notes)} if notes else {},
    )
    return Turn(memory=memory, proposal=proposal), weak


def _hypothesis(value: Any, brief: Brief, notes: Notes) -> Hypothesis:
    text = text_of(value)
    if brief.standing is not None:
        if text and text != brief.standing.text:
            notes.append(f"hypothesis kept as {brief.standing.by} wrote it: no result speaks against it")
        return brief.standing
    if not text:
        standing = brief.hypothesis
        if standing is None and brief.protocol.initial_hypothesis:
            standing = Hypothesis(text=brief.protocol.initial_hypothesis)
        if standing is None:
            raise Unusable("wrong_shape", "hypothesis.text is missing and there is none yet")
        return standing
    body = value if isinstance(value, dict) else {}
    try:
        return Hypothesis(
            text=text,
            refuted_by=text_of(body.get("refuted_by")),
            confidence=share_of(body.get("confidence"), "hypothesis.confidence", notes),
        )
    except ValidationError:
        raise Unusable("wrong_shape", "hypothesis.text is too long: at most 2000 characters") from None


def _prediction(value: Any, objectives: list[Objective], notes: Notes) -> Prediction | None:
    body = object_of(value, "prediction", notes) if objectives else {}
    if not any(body.get(key) not in (None, "", 0) for key in ("objective", "mean", "low", "high")):
        return None
    objective = _objective(text_of(body.get("objective")), objectives)
    mean, low, high = (
        number_of(body.get(key), f"prediction.{key}", notes) for key in ("mean", "low", "high")
    )
    if not low <= mean <= high:
        raise Unusable("wrong_shape", "prediction: mean must lie from low to high")
    return Prediction(objective=objective.name, mean=mean, low=low, high=high, unit=objective.unit)


def _objective(name: str, objectives: list[Objective]) -> Objective:
    by_name = {objective.name: objective for objective in objectives}
    if not name and len(objectives) == 1:
        return objectives[0]
    meant = name if name in by_name else unique_nearest(name, by_name)
    if meant is None:
        known = ", ".join(by_name)
        raise Unusable("wrong_shape", f"prediction.objective {shown(name)} is not known; known: {known}")
    return by_name[meant]


def _said(turn: Turn, brief: Brief) -> str:
    """Return the new words that people will read."""
    if turn.finish:
        return turn.finish.answer
    assert turn.proposal is not None
    stood = (brief.protocol.initial_hypothesis, brief.hypothesis.text if brief.hypothesis else "")
    hypothesis = turn.proposal.hypothesis.text
    return f"{'' if hypothesis in stood else hypothesis} {turn.proposal.reason}"
