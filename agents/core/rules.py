"""Rules over several runs: how one is made, and what later data does to it. Pure."""

from collections.abc import Iterable, Sequence

from agents.core.contradictions import contradicts
from agents.core.findings import Finding
from agents.core.memory import confidence, same_claim
from agents.core.proposal import RunEvidence
from agents.core.science import Value

LEAST_SOURCES = 2
"""What only one finding or one run bears out is no rule."""
RULES_TOLD = 5
"""Rules that a prompt tells of."""


class Source(Value):
    """A finding that a rule rests on: its id for the index, the run that found it, and what it says."""

    finding: str
    run: str = ""
    round: int | None = None
    text: str = ""


def new_rule(
    text: str,
    *,
    study_id: str,
    run_id: str,
    round: int,
    scope: str,
    sources: Sequence[Source],
    runs: Sequence[tuple[str, RunEvidence]],
    is_reviewed: bool,
) -> Finding:
    """Return the rule over findings and runs (each with its id, empty for experiments that came with the study).

    It is told to nobody before a person has read it. Raises ``ValueError`` when it rests on too little.
    """
    text = text.strip()
    if not text:
        raise ValueError("a rule needs a text")
    evidence = [_from_finding(source) for source in sources] + [_from_run(run, said) for run, said in runs]
    support, against = _counts(evidence)
    if support < LEAST_SOURCES:
        raise ValueError(
            f"a rule rests on at least {LEAST_SOURCES} findings or runs; {text[:80]!r} rests on {support}"
        )
    return Finding(
        id="",
        study_id=study_id,
        run_id=run_id,
        text=text,
        kind="rule",
        status="active" if is_reviewed else "unreviewed",
        scope=scope,
        support=support,
        against=against,
        confidence=confidence(support, against),
        evidence=evidence,
        round=round,
    )


def require_new(text: str, known: Iterable[str]) -> None:
    """Raise ``ValueError`` when a rule says just this already."""
    if any(same_claim(text, each) for each in known):
        raise ValueError(f"there is a rule that says {text[:80]!r} already")


def weighed(rule: Finding, runs: Iterable[tuple[str, RunEvidence]], disputes: Iterable[Source]) -> Finding:
    """Return ``rule`` with what experiments and findings say of it by now; itself when that is nothing new.

    ``disputes`` are findings that contradict it. A rule for which no more speaks than against is put back before
    people: until one accepts it again, no run is told of it.
    """
    named = {run: _from_run(run, said) for run, said in runs}
    evidence = [
        named.pop(str(item.get("run", "")), item) if _is_of_run(item) else item for item in rule.evidence
    ]
    known = {item.get("finding") for item in evidence}
    evidence += named.values()
    evidence += [
        {**_from_finding(each), "stance": "against"} for each in disputes if each.finding not in known
    ]
    if evidence == rule.evidence:
        return rule
    support, against = _counts(evidence)
    status = "unreviewed" if rule.status == "active" and against >= max(1, support) else rule.status
    return rule.model_copy(
        update={
            "evidence": evidence,
            "support": support,
            "against": against,
            "confidence": confidence(support, against),
            "status": status,
            "version": rule.version + 1,
        }
    )


def disputes_of(rule: Finding, findings: Iterable[Finding]) -> list[Finding]:
    """Return the findings that state the same quantity under the same condition otherwise."""
    return [each for each in findings if each.id != rule.id and contradicts(rule.text, each.text)]


def _is_of_run(item: dict[str, object]) -> bool:
    return "run" in item and not item.get("finding")


def _from_finding(source: Source) -> dict[str, object]:
    told = {"finding": source.finding, "run": source.run, "round": source.round, "stance": "for"}
    return {**told, "text": source.text}


def _from_run(run: str, said: RunEvidence) -> dict[str, object]:
    return {"run": run, "stance": said.stance, "text": said.text}


def _counts(evidence: Sequence[dict[str, object]]) -> tuple[int, int]:
    stances = [item.get("stance") for item in evidence]
    return stances.count("for"), stances.count("against")
