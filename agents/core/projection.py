"""A run's state for people, folded from its log: the same fold builds the row and rebuilds it."""

from typing import Any

State = dict[str, Any]

KEPT_STEPS = 8
KEPT_FINDINGS = 5
KEPT_HYPOTHESES = 20


def empty_state() -> State:
    """Return the state of a run whose log is empty."""
    return {
        "goal": "",
        "constraints": [],
        "hypothesis": None,
        "hypotheses": [],
        "findings": [],
        "finding_count": 0,
        "steps": [],
        "best": None,
        "evidence": {"for": 0, "against": 0, "inconclusive": 0},
        "predictions": {"scored": 0, "inside": 0},
        "spent": {},
        "outcome": "",
        "error": "",
    }


def apply_event(state: State, *, kind: str, payload: dict[str, Any], round: int | None) -> State:
    """Return ``state`` after one more event. Unknown kinds change nothing."""
    step = _APPLY.get(kind)
    if step is None:
        return state
    state = {**empty_state(), **state}
    step(state, payload, round)
    return state


def _spend(state: State, **more: float) -> None:
    spent = dict(state["spent"])
    for name, value in more.items():
        spent[name] = round(spent.get(name, 0) + value, 6)
    state["spent"] = spent


def _digest(state: State, payload: dict[str, Any], _: int | None) -> None:
    state["goal"] = payload["goal"]
    state["constraints"] = payload["constraints"]
    if payload.get("hypothesis"):
        _hypothesis(state, payload["hypothesis"], 0)


def _hypothesis(state: State, hypothesis: dict[str, Any], number: int | None) -> None:
    current = state["hypothesis"]
    if current and current["text"] == hypothesis["text"]:
        return
    version = (current["version"] if current else 0) + 1
    state["hypothesis"] = {
        "text": hypothesis["text"],
        "refuted_by": hypothesis.get("refuted_by", ""),
        "confidence": hypothesis.get("confidence"),
        "version": version,
        "round": number,
        "for": 0,
        "against": 0,
        "inconclusive": 0,
    }
    kept = {"text": hypothesis["text"], "version": version, "round": number}
    state["hypotheses"] = [*state["hypotheses"], kept][-KEPT_HYPOTHESES:]


def _round(state: State, payload: dict[str, Any], _: int | None) -> None:
    _spend(state, rounds=1)


def _round_failed(state: State, payload: dict[str, Any], _: int | None) -> None:
    """A round in which the reasoner could propose nothing is given back; what its calls cost stays counted."""
    _spend(state, rounds=-1)


def _model(state: State, payload: dict[str, Any], _: int | None) -> None:
    prompt, completion = payload["prompt_tokens"], payload["completion_tokens"]
    _spend(
        state,
        tokens=prompt + completion,
        prompt_tokens=prompt,
        cached_tokens=payload.get("cached_tokens", 0),
        completion_tokens=completion,
        money=payload.get("money", 0.0),
        calls=1,
        seconds=payload.get("seconds", 0.0),
    )
    if payload.get("estimated") and prompt + completion:
        _spend(state, estimated_tokens=prompt + completion)


def _proposal(state: State, payload: dict[str, Any], number: int | None) -> None:
    _hypothesis(state, payload["proposal"]["hypothesis"], number)


def _decided(state: State, payload: dict[str, Any], number: int | None) -> None:
    if payload.get("hypothesis"):
        _hypothesis(state, payload["hypothesis"], number)
        refuted_by = payload["hypothesis"].get("refuted_by", "")
        state["hypothesis"] = {**state["hypothesis"], "refuted_by": refuted_by}


def _effect(state: State, payload: dict[str, Any], _: int | None) -> None:
    if "/act/" in payload["key"]:
        _spend(state, seconds=float((payload["result"] or {}).get("duration_s", 0.0)))


def _experiment(state: State, payload: dict[str, Any], _: int | None) -> None:
    _spend(state, experiments=1)
    if payload.get("best"):
        state["best"] = payload["best"]


def _evidence(state: State, payload: dict[str, Any], _: int | None) -> None:
    stance = payload["stance"]
    state["evidence"] = {**state["evidence"], stance: state["evidence"].get(stance, 0) + 1}
    if state["hypothesis"]:
        state["hypothesis"] = {**state["hypothesis"], stance: state["hypothesis"].get(stance, 0) + 1}
    inside = payload.get("inside")
    if inside is not None:
        old = state["predictions"]
        state["predictions"] = {"scored": old["scored"] + 1, "inside": old["inside"] + int(inside)}


def _finding(state: State, payload: dict[str, Any], _: int | None) -> None:
    finding = payload["finding"]
    kept = {name: finding[name] for name in ("id", "number", "text", "confidence", "support", "against")}
    others = [row for row in state["findings"] if row["id"] != finding["id"]]
    state["finding_count"] += int(payload.get("is_new", False))
    if finding["status"] == "active":
        others.append(kept)
    others.sort(key=lambda row: (-row["confidence"], -row["support"], -row["number"]))
    state["findings"] = others[:KEPT_FINDINGS]


def _added(state: State, payload: dict[str, Any], number: int | None) -> None:
    _finding(state, {**payload, "is_new": True}, number)


def _completed(state: State, payload: dict[str, Any], number: int | None) -> None:
    if payload.get("cost") and not payload.get("inherited"):
        _spend(state, money=payload["cost"], tool_money=payload["cost"])
    step = {"round": number, "action": payload["action"], "outcome": payload["outcome"]}
    state["steps"] = [*state["steps"], {**step, "stance": payload.get("stance", "")}][-KEPT_STEPS:]


def _configured(state: State, payload: dict[str, Any], _: int | None) -> None:
    state["configuration"] = {name: payload[name] for name in ("graph", "program", "tools")}
    state.pop("held", None)


def _held(state: State, payload: dict[str, Any], _: int | None) -> None:
    state["held"] = payload


def _finished(state: State, payload: dict[str, Any], _: int | None) -> None:
    state["outcome"] = payload["outcome"]
    state.pop("held", None)


def _failed(state: State, payload: dict[str, Any], _: int | None) -> None:
    state["error"] = payload["error"]


_APPLY = {
    "run.configured": _configured,
    "run.held": _held,
    "digest.filed": _digest,
    "round.started": _round,
    "round.failed": _round_failed,
    "model.called": _model,
    "proposal.made": _proposal,
    "review.decided": _decided,
    "effect.finished": _effect,
    "experiment.filed": _experiment,
    "evidence.filed": _evidence,
    "finding.added": _added,
    "finding.changed": _finding,
    "round.completed": _completed,
    "run.finished": _finished,
    "run.failed": _failed,
}
