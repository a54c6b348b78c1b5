"""The findings of a run on the ORM. Rows are the truth; the search index follows them."""

from collections.abc import Callable
from typing import Any

from agents.core.brief import Contradiction, Veto, WholeMemory
from agents.core.contradictions import words_of_claim
from agents.core.errors import BadInput
from agents.core.findings import Finding
from agents.core.library import merged, replaced
from agents.core.memory import UnknownFinding, apply_operation, checked
from agents.core.proposal import MemoryOperation
from agents.core.study import StudyProtocol
from agents.models import Event, Run
from agents.models import Finding as Row
from agents.records import records_of
from agents.store.bridge import in_database
from agents.store.contradictions import contradictions_of, note_contradictions
from agents.store.findings import active_of, add_row, as_value, change_row, is_withdrawn
from agents.store.gates import vetoes_elsewhere
from agents.store.lease import Lease
from agents.store.log import append
from agents.store.rules import rule_of, rules_for, whole_of


class OrmFindingBook:
    """Implements the ``FindingBook`` port for the run that ``lease`` covers."""

    def __init__(self, lease: Lease, protocol: StudyProtocol) -> None:
        self._lease = lease
        self._protocol = protocol
        self._kept: dict[str, tuple[int, list[Any]]] = {}
        self._vetoed: list[Veto] | None = None

    async def active(self) -> list[Finding]:
        """Return the run's active findings, strongest first; read again when somebody else wrote to the run."""
        return await self._once("active", active_of)

    async def strongest(self, limit: int) -> list[Finding]:
        """Return at most ``limit`` of the active findings, strongest first."""
        return await self._once(f"strongest {limit}", active_of, limit)

    async def contradictions(self) -> list[Contradiction]:
        """Return the pairs that contradict each other and were not settled, oldest first."""
        return await self._once("contradictions", contradictions_of)

    async def _once(self, name: str, read: Callable[..., list[Any]], *more: Any) -> list[Any]:
        """Return what ``read`` finds of the run, as long as neither we nor somebody else wrote since."""
        kept = self._kept.get(name)
        if kept is None or kept[0] != self._lease.foreign:
            kept = (self._lease.foreign, await in_database(read, self._lease.run_id, *more))
            self._kept[name] = kept
        return list(kept[1])

    async def rules(self) -> list[Finding]:
        """Return the rules that this run is told of, as they stand now: people change them at any time."""
        return await in_database(rules_for, self._protocol.study_id, self._protocol.domain)

    async def whole(self) -> WholeMemory:
        """Return everything that a milestone review looks at."""
        return await in_database(whole_of, self._lease.run_id)

    async def vetoed(self) -> list[Veto]:
        """Return what people refused in the other runs of the study, as it stood when this drive began."""
        if self._vetoed is None:
            self._vetoed = await in_database(vetoes_elsewhere, self._lease.run_id)
        return list(self._vetoed)

    async def apply(self, operations: list[MemoryOperation], *, round: int, key: str) -> list[Finding]:
        """Apply operations once for ``key``; see the port."""
        if not operations:
            return []
        self._kept.clear()
        return await in_database(self._apply, operations, round, key)

    def _apply(self, operations: list[MemoryOperation], round: int, key: str) -> list[Finding]:
        with self._lease.writing() as run:
            if Event.objects.filter(run=run, key=f"{key}/done").exists():
                return []
            result, problems = [], []
            for operation in operations:
                try:
                    result.append(self._one(run, operation, round))
                except (UnknownFinding, BadInput, ValueError) as problem:
                    problems.append(str(problem))
            unverified = [_sentence(finding) for finding in result if finding.unverified]
            reason = "; ".join(problems + unverified)
            payload = {"guard": "memory", "reason": reason, "applied": len(result), "refused": len(problems)}
            kind = "guard.tripped" if reason else "memory.updated"
            if self._protocol.reasoner == "language_model":
                note_contradictions(run, result, round=round)
            append(run, kind, payload, round=round, key=f"{key}/done", saves=False)
        return result

    def _one(self, run: Run, operation: MemoryOperation, round: int) -> Finding:
        if operation.op == "merge":
            return self._merge(run, operation, round)
        if operation.op == "distil":
            return self._distil(run, operation, round)
        rows = {f"F{row.number}": row for row in _meant(run, operation)}
        values = [as_value(row) for row in rows.values()]
        finding = apply_operation(
            values, operation, new_id="", study_id=str(run.study_id), run_id=str(run.pk), round=round
        )
        if finding in values:
            return finding
        if operation.op in ("add", "revise") and is_withdrawn(run.study_id, finding.text):
            raise ValueError(
                f"a person withdrew the claim {finding.text[:80]!r}: it is no fact of this study"
            )
        # The optimiser's statements are computed; a model's are copied, and copies are compared.
        if operation.op in ("add", "revise") and self._protocol.reasoner == "language_model":
            finding = checked(finding, self._sources(operation, round))
        if finding.id:
            return as_value(change_row(run, rows[finding.id], finding, reason=operation.reason, round=round))
        return as_value(add_row(run, finding, domain=self._protocol.domain, reason=operation.reason))

    def _merge(self, run: Run, operation: MemoryOperation, round: int) -> Finding:
        rows = {f"F{row.number}": row for row in _meant(run, operation)}
        missing = [name for name in (operation.finding, operation.other) if name not in rows]
        if missing:
            raise UnknownFinding(f"there is no active finding {', '.join(missing)} to merge")
        # By the rows' ids, which evidence and successor keep; a run's own numbers are for prompts.
        kept, leaving = (
            as_value(rows[name], for_index=True) for name in (operation.finding, operation.other)
        )
        both, gone = merged(kept, leaving), replaced(leaving, kept)
        result = change_row(run, rows[operation.finding], both, reason=operation.reason, round=round)
        change_row(run, rows[operation.other], gone, reason=operation.reason, round=round)
        return as_value(result)

    def _distil(self, run: Run, operation: MemoryOperation, round: int) -> Finding:
        finding = rule_of(run, operation, round=round)
        if is_withdrawn(run.study_id, finding.text):
            raise ValueError(f"a person withdrew the rule {finding.text[:80]!r}")
        if self._protocol.reasoner == "language_model":
            cited = [str(item.get("text", "")) for item in finding.evidence]
            finding = checked(finding, [*cited, *self._study_texts()])
        return as_value(add_row(run, finding, domain=self._protocol.domain, reason=operation.reason))

    def _study_texts(self) -> list[str]:
        study = self._protocol
        known = [study.goal, *(item.text for item in study.digest), *(c.text for c in study.constraints)]
        return known + [item.source.quote for item in study.digest]

    def _sources(self, operation: MemoryOperation, round: int) -> list[str]:
        """Return what a claim may have its numbers from: the rounds it cites, and the study itself."""
        rounds = dict.fromkeys([*operation.evidence, round])
        names = [f"R{number}" for number in rounds]
        return self._study_texts() + [
            record.text for name in names for record in records_of(self._lease.run_id, name)
        ]


def _meant(run: Run, operation: MemoryOperation) -> list[Row]:
    """Return the active rows that ``operation`` may be about: the one it names, or for an added claim those that may
    say the same. All of them when it names none that is there, so that the answer can list them."""
    active = Row.objects.filter(run=run, status=Row.Status.ACTIVE)
    if operation.op == "merge":
        return list(active)
    if operation.op == "add":
        for word in words_of_claim(operation.text):
            active = active.filter(text__icontains=word)
        return list(active)
    named = operation.finding.removeprefix("F")
    return list(active.filter(number=int(named))) if named.isdecimal() else list(active)


def _sentence(finding: Finding) -> str:
    return (
        f"{finding.id or 'A finding'} says {', '.join(finding.unverified)}, which no record it cites prints"
    )
