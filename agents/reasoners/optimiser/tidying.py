"""What a milestone review changes where no model is asked: by rule, so that the same memory gives the same list."""

from agents.core.brief import Brief, WholeMemory
from agents.core.findings import Finding
from agents.core.memory import same_claim
from agents.core.proposal import MemoryOperation
from agents.reasoners.optimiser.rules import by_run, rules_of, seen_by_run


def operations_on(brief: Brief, whole: WholeMemory) -> list[MemoryOperation]:
    """Return merges of findings that say the very same, then rules over several runs that are not known yet."""
    return [*_merges(whole.findings), *_rules(brief, whole)]


def _merges(findings: list[Finding]) -> list[MemoryOperation]:
    found: list[MemoryOperation] = []
    kept: list[Finding] = []
    for finding in sorted(findings, key=lambda each: int(each.id[1:])):
        first = next((each for each in kept if same_claim(each.text, finding.text)), None)
        if first is None:
            kept.append(finding)
            continue
        reason = f"{finding.id} says the very same as {first.id}."
        found.append(MemoryOperation(op="merge", finding=first.id, other=finding.id, reason=reason))
    return found


def _rules(brief: Brief, whole: WholeMemory) -> list[MemoryOperation]:
    groups = by_run(brief.experiments, own=whole.run)
    seen = seen_by_run(groups, brief.protocol)
    return rules_of(seen, known=[rule.text for rule in whole.rules])
