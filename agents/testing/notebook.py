"""The study's ledger and the run's findings, in memory."""

from typing import Any

from agents.core.brief import Contradiction, Veto, WholeMemory
from agents.core.contradictions import contradicts, linked, open_conflicts, settled
from agents.core.errors import BadInput
from agents.core.findings import Finding
from agents.core.library import merged, replaced
from agents.core.measurement import Experiment, conditions_digest
from agents.core.memory import UnknownFinding, apply_operation
from agents.core.proposal import MemoryOperation
from agents.core.rules import Source, new_rule, require_new
from agents.core.science import Objective
from agents.testing.journal import MemoryJournal


class MemoryLedger:
    """Implements the ``Ledger`` port; what is filed is an event of ``journal`` too."""

    def __init__(self, journal: MemoryJournal, *, objectives: list[Objective] | None = None) -> None:
        self._journal = journal
        self._objective = objectives[0] if objectives else None
        self._rows: dict[str, Experiment] = {}

    async def rows(self) -> list[Experiment]:
        """Return every row, oldest first."""
        return list(self._rows.values())

    async def file(
        self, experiment: Experiment, *, key: str, prediction: dict[str, Any] | None = None
    ) -> Experiment:
        """Add a row once for ``key``."""
        self._journal.check()
        if key in self._rows:
            return self._rows[key]
        wanted = conditions_digest(experiment.conditions)
        same = sum(conditions_digest(row.conditions) == wanted for row in self._rows.values())
        filed = experiment.model_copy(update={"id": f"e{len(self._rows) + 1}", "replicate": same + 1})
        self._rows[key] = filed
        payload = {
            "experiment": filed.model_dump(mode="json"),
            "prediction": prediction,
            "best": self._best(filed),
        }
        self._journal.append("experiment.filed", payload, round=experiment.round, key=f"{key}/filed")
        return filed

    def _best(self, filed: Experiment) -> dict[str, Any] | None:
        best: dict[str, Any] | None = self._journal.state.get("best")
        objective = self._objective
        value = filed.value_of(objective.name) if objective else None
        if objective is None or value is None:
            return best
        if best and objective.utility(best["value"]) >= objective.utility(value):
            return best
        return {
            "objective": objective.name,
            "value": value,
            "unit": objective.unit,
            "conditions": filed.conditions,
            "round": filed.round,
            "experiment": filed.id,
        }


class MemoryBook:
    """Implements the ``FindingBook`` port; changes are events of ``journal`` too."""

    def __init__(self, journal: MemoryJournal, *, study_id: str = "s1") -> None:
        self._journal = journal
        self._study_id = study_id
        self._findings: dict[str, Finding] = {}

    async def active(self) -> list[Finding]:
        """Return the active findings, strongest first."""
        kept = [finding for finding in self._findings.values() if finding.status == "active"]
        return sorted(kept, key=lambda f: (-f.confidence, -f.support, -int(f.id[1:])))

    async def strongest(self, limit: int) -> list[Finding]:
        """Return at most ``limit`` of the active findings, strongest first."""
        return [each for each in await self.active() if each.kind == "finding"][:limit]

    async def contradictions(self) -> list[Contradiction]:
        """Return the pairs that contradict each other and were not settled, oldest first."""
        known = {finding.id: finding for finding in await self.active()}
        found = {
            tuple(sorted((finding.id, other), key=lambda name: int(name[1:]))): None
            for finding in known.values()
            for other in open_conflicts(finding)
            if other in known
        }
        return [Contradiction(first=known[one], second=known[two]) for one, two in sorted(found)]

    async def rules(self) -> list[Finding]:
        """Return the rules of this run that are told, oldest first: there is no other run."""
        return [each for each in self._findings.values() if each.kind == "rule" and each.status == "active"]

    async def whole(self) -> WholeMemory:
        """Return everything that a milestone review looks at."""
        rules = [each for each in self._findings.values() if each.kind == "rule"]
        own = [each for each in await self.active() if each.kind == "finding"]
        return WholeMemory(findings=own, rules=rules)

    async def vetoed(self) -> list[Veto]:
        """Return nothing: there is no other run."""
        return []

    async def apply(self, operations: list[MemoryOperation], *, round: int, key: str) -> list[Finding]:
        """Apply operations once for ``key``; one that names no finding is noted and left out."""
        self._journal.check()
        if not operations or self._journal.has(f"{key}/done"):
            return []
        result, problems = [], []
        for operation in operations:
            try:
                result.append(await self._one(operation, round))
            except (UnknownFinding, BadInput, ValueError) as problem:
                problems.append(str(problem))
        await self._note_contradictions(result, round)
        payload = {
            "guard": "memory",
            "reason": "; ".join(problems),
            "applied": len(result),
            "refused": len(problems),
        }
        kind = "guard.tripped" if problems else "memory.updated"
        self._journal.append(kind, payload, round=round, key=f"{key}/done")
        return result

    async def _one(self, operation: MemoryOperation, round: int) -> Finding:
        if operation.op == "merge":
            return self._merge(operation, round)
        if operation.op == "distil":
            return await self._distil(operation, round)
        known = await self.active()
        new_id = f"F{len(self._findings) + 1}"
        finding = apply_operation(
            known, operation, new_id=new_id, study_id=self._study_id, run_id="", round=round
        )
        if finding in known:
            return finding
        return self._keep(finding, operation.reason, round)

    def _merge(self, operation: MemoryOperation, round: int) -> Finding:
        kept, leaving = self._active(operation.finding), self._active(operation.other)
        both, gone = merged(kept, leaving), replaced(leaving, kept)
        self._keep(gone, operation.reason, round)
        return self._keep(both, operation.reason, round)

    async def _distil(self, operation: MemoryOperation, round: int) -> Finding:
        require_new(operation.text, [each.text for each in (await self.whole()).rules])
        sources = [
            Source(finding=each.id, round=each.round, text=each.text)
            for each in map(self._active, operation.sources)
        ]
        rule = new_rule(
            operation.text,
            study_id=self._study_id,
            run_id="",
            round=round,
            scope=operation.scope,
            sources=sources,
            runs=[(str(each.run or ""), each) for each in operation.runs],
            is_reviewed=operation.is_reviewed,
        )
        named = rule.model_copy(update={"id": f"F{len(self._findings) + 1}"})
        return self._keep(named, operation.reason, round)

    def _active(self, name: str) -> Finding:
        found = self._findings.get(name)
        if found is None or found.status != "active":
            raise UnknownFinding(f"there is no active finding {name}")
        return found

    async def _note_contradictions(self, changed: list[Finding], round: int) -> None:
        for finding in await self.active():
            for name in open_conflicts(finding):
                other = self._findings[name]
                if other.status != "active" or not contradicts(finding.text, other.text):
                    self._keep(settled(self._findings[finding.id], name), "settled", round)
        for finding in changed:
            for other in await self.active():
                if other.id != finding.id and contradicts(finding.text, other.text):
                    for one, against in ((finding, other), (other, finding)):
                        if against.id not in open_conflicts(self._findings[one.id]):
                            self._keep(
                                linked(self._findings[one.id], against, round=round), "contradicts", round
                            )

    def _keep(self, finding: Finding, reason: str, round: int) -> Finding:
        is_new = finding.id not in self._findings
        self._findings[finding.id] = finding
        payload = {**finding.model_dump(mode="json"), "number": int(finding.id[1:])}
        kind = "finding.added" if is_new else "finding.changed"
        self._journal.append(kind, {"finding": payload, "reason": reason}, round=round)
        return finding
