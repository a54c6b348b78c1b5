"""The questions that a run puts to people, as gate requests."""

from typing import Any

from agents.core.canonical import digest_of
from agents.core.gates import GateKind, GateRequest
from agents.core.ports import Toolbox
from agents.core.proposal import Finish
from agents.core.tools import Action, ToolResult, ToolSpec
from agents.core.workflow import is_workflow, items_of
from agents.engine.admission import Admitted
from agents.engine.substitutes import fallback_of


def action_digest(action: Action) -> str:
    """Return the digest that binds an approval to ``action``."""
    return digest_of(action.model_dump(mode="json"))


def proposal_request(admitted: Admitted, toolbox: Toolbox, *, round: int, language: str) -> GateRequest:
    """Ask whether the proposed action may run."""
    proposal, spec = admitted.proposal, admitted.spec
    other = fallback_of(spec, toolbox.specs())
    return GateRequest(
        key=f"{round}/review",
        kind=GateKind.PROPOSAL,
        round=round,
        title=f"{spec.title or spec.name}: {_in_a_line(proposal.action, spec)}"[:280],
        digest=action_digest(proposal.action),
        risk=spec.risk,
        cost=spec.cost,
        content={
            "proposal": proposal.model_dump(mode="json"),
            "neighbours": [row.model_dump(mode="json") for row in admitted.neighbours],
            "item_neighbours": {
                str(step): [row.model_dump(mode="json") for row in rows]
                for step, rows in admitted.item_neighbours.items()
            },
            "warnings": admitted.warnings,
            "coercions": admitted.coercions,
            "executor": spec.executor,
            "effect": str(spec.effect),
            "novelty": admitted.novelty,
            "is_reversible": spec.is_reversible,
            "is_experiment": spec.is_experiment,
            "duration_s": spec.duration_s,
            "timeout_s": spec.timeout_s,
            "fallback": other.title or other.name if other else "",
            "force_review": admitted.must_be_reviewed or spec.needs_review,
        },
    )


def result_request(
    action: Action, spec: ToolSpec, *, round: int, job: ToolResult | None = None
) -> GateRequest:
    """Ask a person to do the action and say what came of it; with ``job``, wait for the instrument that took
    it, in whose place a person may still answer."""
    told = {"instructions": job.summary, "job": job.data} if job else {}
    return GateRequest(
        key=f"{round}/result",
        kind=GateKind.RESULT,
        round=round,
        title=f"{spec.title or spec.name}: {_in_a_line(action, spec)}"[:280],
        digest=action_digest(action),
        risk=spec.risk,
        cost=spec.cost,
        content={"action": action.model_dump(mode="json"), "tool": spec.name, **told},
    )


def outcome_request(
    action: Action, spec: ToolSpec, *, round: int, key: str, attempt: int, step: int | None = None
) -> GateRequest:
    """Ask whether an action that started and was never seen to finish has happened; ``step`` is its place in a
    workflow."""
    place = {} if step is None else {"step": step}
    return GateRequest(
        key=f"{round}/outcome/{attempt}" if step is None else f"{round}/outcome/{step}/{attempt}",
        kind=GateKind.OUTCOME,
        round=round,
        title=f"Did this happen? {spec.title or spec.name}: {_in_a_line(action, spec)}"[:280],
        digest=action_digest(action),
        risk="high",
        cost=spec.cost,
        content={
            "action": action.model_dump(mode="json"),
            "tool": spec.name,
            "key": key,
            "attempt": attempt,
            **place,
        },
    )


def attention_request(problem: str, tries: list[dict[str, Any]], *, round: int) -> GateRequest:
    """Ask what to do, since the reasoner cannot go on by itself."""
    content = {"problem": problem, "tries": tries}
    return GateRequest(
        key=f"{round}/attention",
        kind=GateKind.ATTENTION,
        round=round,
        title=f"Needs attention: {problem}"[:280],
        digest=digest_of(content),
        content=content,
    )


def finish_request(
    finish: Finish, *, round: int, known: set[str], tried: bool, warnings: list[str]
) -> GateRequest:
    """Ask whether the run may end with this answer. ``warnings`` say what stands against it, for people."""
    missing = [name for name in finish.findings if name not in known]
    content = {
        "answer": finish.answer,
        "findings": finish.findings,
        "missing_findings": missing,
        "has_results": tried,
        "warnings": warnings,
        "force_review": bool(warnings),
    }
    return GateRequest(
        key=f"{round}/finish",
        kind=GateKind.FINISH,
        round=round,
        title=f"Finish the run? {finish.answer}"[:280],
        digest=digest_of(content),
        content=content,
    )


def _in_a_line(action: Action, spec: ToolSpec) -> str:
    """Return the arguments as people write them, numbers with their unit; of a list the tools."""
    if is_workflow(action):
        return ", ".join(f"{item.step} {item.tool}" for item in items_of(action))
    fields = spec.input_schema.get("properties", {})
    parts = []
    for name, value in action.arguments.items():
        unit = fields.get(name, {}).get("unit", "")
        parts.append(f"{name} {value} {unit}".rstrip())
    return ", ".join(parts)
