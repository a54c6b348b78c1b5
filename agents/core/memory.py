"""How operations change findings: by rule, so that no model can rewrite memory."""

from collections.abc import Iterable, Sequence

from agents.core.findings import Finding
from agents.core.grounding import ungrounded
from agents.core.proposal import MemoryOperation
from agents.core.tools import Action

SUPERSEDE, MERGE, DISTIL = "supersede_finding", "merge_findings", "distil_rule"
MEMORY_TOOLS = (SUPERSEDE, MERGE, DISTIL)
"""The tools whose calls, once let through and done, are operations on the findings."""
MILESTONE_TOOLS = (MERGE, DISTIL)
"""Those of them that only a milestone review proposes."""


class UnknownFinding(ValueError):
    """An operation names a finding that does not exist; its text says which do."""


def confidence(support: int, against: int) -> float:
    """Return the confidence of a claim from its evidence: Laplace's rule, (for + 1) / (all + 2)."""
    return round((support + 1) / (support + against + 2), 3)


def operation_of(action: Action) -> MemoryOperation | None:
    """Return what a call of one of ``MEMORY_TOOLS`` does to the findings; None for any other call."""
    given = action.arguments
    if action.tool == MERGE:
        names: tuple[str, ...] = ("finding", "other", "reason")
        return MemoryOperation(op="merge", **{name: given[name] for name in names})
    if action.tool == DISTIL:
        names = ("text", "reason", "sources", "runs", "scope")
        return MemoryOperation(op="distil", **{name: given[name] for name in names if name in given})
    if action.tool != SUPERSEDE:
        return None
    text = str(given.get("text") or "").strip()
    return MemoryOperation(
        op="revise" if text else "retire",
        finding=given["finding"],
        text=text,
        reason=given["reason"],
        evidence=given.get("evidence") or [],
    )


def action_of(operation: MemoryOperation) -> Action:
    """Return the call that stands for an operation of a milestone review: ``operation_of`` reads it back.

    Raises ``ValueError`` for an operation that no such call stands for.
    """
    named = {"reason": operation.reason}
    if operation.op == "merge":
        return Action(tool=MERGE, arguments={"finding": operation.finding, "other": operation.other, **named})
    if operation.op == "distil":
        told = operation.model_dump(mode="json", include={"text", "sources", "runs", "scope"})
        return Action(tool=DISTIL, arguments={**told, **named})
    if operation.op in ("revise", "retire"):
        text = operation.text if operation.op == "revise" else ""
        arguments = {"finding": operation.finding, "text": text, "evidence": operation.evidence, **named}
        return Action(tool=SUPERSEDE, arguments=arguments)
    raise ValueError(f"a milestone review does not {operation.op} a finding")


def same_claim(left: str, right: str) -> bool:
    """Return True when two texts differ only in case and spaces."""
    return " ".join(left.split()).casefold() == " ".join(right.split()).casefold()


def _evidence(operation: MemoryOperation, round: int, stance: str) -> list[dict[str, object]]:
    rounds = operation.evidence or [round]
    return [{"round": number, "stance": stance} for number in rounds]


def _fresh(finding: Finding, operation: MemoryOperation, round: int, stance: str) -> list[dict[str, object]]:
    """Return the evidence of ``operation`` that ``finding`` does not rest on already."""
    own = [item for item in finding.evidence if not item.get("run")]
    held = {(item.get("round"), item.get("stance", "for")) for item in own}
    named = {item["round"]: item for item in _evidence(operation, round, stance)}
    return [item for number, item in named.items() if (number, stance) not in held]


def changed(finding: Finding, operation: MemoryOperation, *, round: int) -> Finding:
    """Return the next version of ``finding`` under ``operation`` (not ``add``).

    A round counts once, however often it is named: what says nothing new returns ``finding`` itself.
    """
    support, against, text, status = finding.support, finding.against, finding.text, finding.status
    stance = "against" if operation.op == "contradict" else "for"
    evidence = _fresh(finding, operation, round, stance)
    if operation.op == "support":
        support += int(bool(evidence))
    elif operation.op == "contradict":
        against += int(bool(evidence))
    elif operation.op == "revise":
        text = operation.text.strip() or text
        support += int(bool(operation.evidence and evidence))
    elif operation.op == "retire":
        status = "superseded"
    if not evidence and (text, status) == (finding.text, finding.status):
        return finding
    return finding.model_copy(
        update={
            "text": text,
            "support": support,
            "against": against,
            "status": status,
            "confidence": confidence(support, against),
            "evidence": [*finding.evidence, *evidence],
            "version": finding.version + 1,
        }
    )


def apply_operation(
    findings: Iterable[Finding],
    operation: MemoryOperation,
    *,
    new_id: str,
    study_id: str,
    run_id: str,
    round: int,
) -> Finding:
    """Return the finding that ``operation`` adds or changes.

    ``findings`` are the active ones. Adding a claim that stands already supports it. Raises
    ``UnknownFinding`` when the operation names a finding that is not there, ``ValueError`` when ``add``
    has no text.
    """
    known = {finding.id: finding for finding in findings}
    if operation.op == "add":
        text = operation.text.strip()
        if not text:
            raise ValueError("an added finding needs a text")
        for finding in known.values():
            if same_claim(finding.text, text):
                return changed(finding, operation.model_copy(update={"op": "support"}), round=round)
        support = max(1, len(set(operation.evidence)))
        return Finding(
            id=new_id,
            study_id=study_id,
            run_id=run_id,
            text=text,
            support=support,
            confidence=confidence(support, 0),
            evidence=_evidence(operation, round, "for"),
            round=round,
        )
    if operation.finding not in known:
        names = ", ".join(known) or "none yet"
        raise UnknownFinding(f"there is no finding {operation.finding!r} (there are: {names})")
    return changed(known[operation.finding], operation, round=round)


def checked(finding: Finding, sources: Sequence[str]) -> Finding:
    """Return ``finding`` with the numbers that no source prints noted at its last evidence.

    A new claim with such a number has no support: it stands at even odds until something supports it.
    """
    missing = ungrounded(finding.text, sources)
    if not missing and not finding.unverified:
        return finding
    *before, last = finding.evidence
    support = 0 if missing and finding.version == 1 else finding.support
    return finding.model_copy(
        update={
            "evidence": [*before, {**last, "missing": missing}],
            "support": support,
            "confidence": confidence(support, finding.against),
        }
    )
