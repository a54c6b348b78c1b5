"""What people do to findings, by rule: correct, withdraw, replace, merge, accept. Pure: values in, values out."""

import difflib
from typing import Literal

from agents.core.errors import BadInput
from agents.core.findings import Finding
from agents.core.grounding import printed_numbers
from agents.core.memory import confidence, same_claim

TEXT_LIMIT, SCOPE_LIMIT = 2000, 200
ALIKE = 0.6
"""Share of words, in order, from which two texts may say the same."""

Reach = Literal["study", "domain"]
Key = tuple[str, object, object, str]


def corrected(finding: Finding, *, text: str, scope: str, reach: Reach | None = None) -> Finding:
    """Return ``finding`` with another text, scope or, for a rule, reach. Raises ``BadInput`` when that is empty, too long or nothing new,
    or when it is no longer in use."""
    _require(finding, ("active", "vetoed", "unreviewed"), "corrected")
    if not text:
        raise BadInput("The finding would say nothing. Write what it should say, or withdraw it.")
    for name, value, limit in (("text", text, TEXT_LIMIT), ("scope", scope, SCOPE_LIMIT)):
        if len(value) > limit:
            raise BadInput(f"The {name} has {len(value)} characters; at most {limit} are kept.")
    reach = reach or finding.reach
    if reach == "domain":
        _require_opened(finding)
    if (text, scope, reach) == (finding.text, finding.scope, finding.reach):
        raise BadInput("Nothing was changed: text and scope are what they were.")
    still = [number for number in finding.unverified if number in text]
    evidence = finding.evidence
    if still != finding.unverified:
        place = max(n for n, item in enumerate(evidence) if "missing" in item)
        evidence = [{**item, "missing": still} if n == place else item for n, item in enumerate(evidence)]
    return _next(finding, text=text, scope=scope, reach=reach, evidence=evidence)


def _require_opened(finding: Finding) -> None:
    if finding.kind != "rule":
        raise BadInput("Only a rule can be told in other studies; what was found in one stays there.")
    if not finding.domain:
        raise BadInput(
            "The study names no domain, so there are no other studies of it. Name one on its page."
        )


def withdrawn(finding: Finding) -> Finding:
    """Return ``finding`` as no fact any more. A veto is a decision and stays; what is replaced is none already."""
    _require(finding, ("active", "unreviewed"), "withdrawn")
    return _next(finding, status="retracted")


def replaced(finding: Finding, by: Finding) -> Finding:
    """Return ``finding`` as superseded by another active one of its study."""
    _require(finding, ("active", "unreviewed"), "replaced")
    _require_pair(by, finding)
    return _next(finding, status="superseded", replaced_by=by.id)


def merged(kept: Finding, other: Finding) -> Finding:
    """Return ``kept`` with the evidence of ``other`` beside its own; what both rest on counts once.

    Both must be active and of one study. The other one is to be ``replaced`` by it.
    """
    _require(other, ("active",), "merged")
    _require_pair(kept, other)
    held = {_key(item, kept) for item in kept.evidence}
    shared = {"for": 0, "against": 0}
    new = []
    for item in other.evidence:
        if _key(item, other) in held:
            stance = str(item.get("stance", "for"))
            shared[stance] = shared.get(stance, 0) + 1
            continue
        new.append(_foreign(item, kept, other))
    # Evidence that nobody wrote down row by row still counts: the counts are added, not the rows.
    support = max(kept.support, kept.support + other.support - shared["for"])
    against = max(kept.against, kept.against + other.against - shared["against"])
    return _next(
        kept,
        evidence=[*kept.evidence, *new],
        support=support,
        against=against,
        confidence=confidence(support, against),
    )


def accepted(finding: Finding, status: str) -> Finding:
    """Return an imported finding as reviewed: a fact, or negative knowledge when it was that where it came from."""
    _require(finding, ("unreviewed",), "accepted")
    return _next(finding, status="vetoed" if status == "vetoed" else "active")


def may_be_same(left: str, right: str) -> bool:
    """Return True when two texts are much alike and print the same numbers: then they may be one finding."""
    if same_claim(left, right):
        return True
    if printed_numbers(left) != printed_numbers(right):
        return False
    matcher = difflib.SequenceMatcher(None, _parts(left), _parts(right), autojunk=False)
    return matcher.ratio() >= ALIKE


def _parts(text: str) -> list[str]:
    """Words, and the characters of words that are not written with spaces."""
    words = text.casefold().replace(",", " ").replace(".", " ").split()
    return [part for word in words for part in ([word] if word.isascii() else list(word))]


def _key(item: dict[str, object], owner: Finding) -> Key:
    run = str(item.get("run") or owner.run_id or owner.id)
    return run, item.get("round"), item.get("experiment"), str(item.get("stance", "for"))


def _foreign(item: dict[str, object], kept: Finding, other: Finding) -> dict[str, object]:
    run = str(item.get("run") or other.run_id)
    named = {name: value for name, value in item.items() if name not in ("missing", "run", "finding")}
    named["finding"] = item.get("finding") or other.id
    return named if run == kept.run_id else {**named, "run": run or f"finding:{other.id}"}


def _require(finding: Finding, statuses: tuple[str, ...], verb: str) -> None:
    if finding.status not in statuses:
        raise BadInput(
            f"This finding is {finding.status} and cannot be {verb}; only {' or '.join(statuses)} ones can."
        )


def _require_pair(standing: Finding, leaving: Finding) -> None:
    if standing.id == leaving.id:
        raise BadInput("A finding cannot take its own place. Choose another one.")
    if standing.status != "active":
        raise BadInput(f"The finding that is to stand is {standing.status}; choose an active one.")
    if standing.study_id != leaving.study_id:
        raise BadInput(
            "The two findings are of different studies, and what holds in one need not hold in the other. "
            "Choose one of the same study, or withdraw this one with the reason."
        )


def _next(finding: Finding, **changes: object) -> Finding:
    return finding.model_copy(update={**changes, "version": finding.version + 1})
