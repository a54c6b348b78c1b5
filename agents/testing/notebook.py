"""The study's ledger and the run's findings, in memory."""

from typing import Any

from agents.core.brief import Contradiction, Veto
from agents.core.contradictions import contradicts, linked, open_conflicts, settled
from agents.core.findings import Finding
from agents.core.measurement import Experiment, conditions_digest
from agents.core.memory import UnknownFinding, apply_operation
from agents.core.proposal import MemoryOperation
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
        return (await self.active())[:limit]

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
            except (UnknownFinding, ValueError) as problem:
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
        known = await self.active()
        new_id = f"F{len(self._findings) + 1}"
        finding = apply_operation(
            known, operation, new_id=new_id, study_id=self._study_id, run_id="", round=round
        )
        if finding in known:
            return finding
        return self._keep(finding, operation.reason, round)

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
