"""The engine's state at an earlier point of a run, folded from its log: what a fork starts with."""

from collections.abc import Iterable
from typing import Any

from agents.core.science import Value

KEPT_STEPS = 5
KEPT_MEMORY = 3
LONGEST_DATA = 2000


class Fact(Value):
    """An event as the fold needs it."""

    kind: str
    round: int | None
    payload: dict[str, Any]


def state_at(facts: Iterable[Fact]) -> dict[str, Any]:
    """Return the agent's state after ``facts``, as plain JSON: steps, hypothesis, observation, memory.

    The proposal under review is not part of it; whoever forks adds the gate.
    """
    state: dict[str, Any] = {
        "overall_goal": "",
        "core_constraints": [],
        "hypothesis": None,
        "completed_steps": [],
        "observation": None,
        "working_memory": [],
        "current_step": 0,
    }
    data: dict[str, Any] = {}
    for fact in facts:
        if fact.kind == "digest.filed":
            state["overall_goal"] = fact.payload["goal"]
            state["core_constraints"] = fact.payload["constraints"]
            state["hypothesis"] = fact.payload.get("hypothesis")
        elif fact.kind == "proposal.made":
            state["hypothesis"] = fact.payload["proposal"]["hypothesis"]
        elif fact.kind == "effect.finished" and "/act/" in fact.payload["key"]:
            data = _gathered(data, fact.payload["key"], fact.payload["result"] or {})
        elif fact.kind == "review.decided" and fact.payload.get("result"):
            data = dict(fact.payload["result"])
        elif fact.kind == "round.completed":
            _complete(state, fact, data)
            data = {}
    return state


def _gathered(data: dict[str, Any], key: str, result: dict[str, Any]) -> dict[str, Any]:
    """Return the data of an action, or, of a list's item, the list so far; a later attempt replaces an earlier."""
    _, _, name = key.partition("/act/")
    step, _, tool = name.partition("/")
    own = dict(result.get("data") or {})
    if not tool:
        return own
    entry = {"step": int(step), "tool": tool, "success": bool(result.get("success")), "data": own}
    others = [row for row in data.get("steps", []) if row["step"] != entry["step"]]
    return {"steps": sorted([*others, entry], key=lambda row: int(row["step"]))}


def _complete(state: dict[str, Any], fact: Fact, data: dict[str, Any]) -> None:
    step = {"round": fact.round, "stance": fact.payload.get("stance", "")}
    step |= {name: fact.payload[name] for name in ("action", "outcome")}
    outcome = str(step["outcome"])
    state["current_step"] = fact.round
    state["completed_steps"] = [*state["completed_steps"], step][-KEPT_STEPS:]
    state["working_memory"] = [*state["working_memory"], f"round {fact.round}: {outcome}"][-KEPT_MEMORY:]
    state["observation"] = {
        "success": not outcome.startswith("failed"),
        "outcome": outcome,
        "tool": step["action"]["tool"],
        "round": fact.round,
        "data": data if len(str(data)) <= LONGEST_DATA else {},
    }


def findings_at(facts: Iterable[Fact]) -> list[dict[str, Any]]:
    """Return the findings as they stood after ``facts``: active ones and vetoed ones, in order of number."""
    found: dict[str, dict[str, Any]] = {}
    for fact in facts:
        if fact.kind in ("finding.added", "finding.changed"):
            found[fact.payload["finding"]["id"]] = fact.payload["finding"]
    kept = [row for row in found.values() if row["status"] in ("active", "vetoed")]
    return sorted(kept, key=lambda row: int(row["number"]))
