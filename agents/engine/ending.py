"""What stands against ending a run: nothing found out, findings that do not exist, numbers that nobody measured."""

from collections.abc import Iterable
from typing import Any

from agents.core.brief import Step
from agents.core.claims import unsupported
from agents.core.findings import Finding
from agents.core.guards import Trip
from agents.core.measurement import Experiment
from agents.core.proposal import Finish
from agents.engine.deps import Deps
from agents.engine.state import AgentState

AGAIN_GUARD = "finish_again"


def finish_again(state: AgentState) -> Trip | None:
    """Return the guard against proposing again what a person just refused, with nothing done in between.

    It holds every time, not only twice: the person has said no to this very question.
    """
    refused = state.get("finish_refused", 0)
    if not refused:
        return None
    reason = (
        f"A person refused to end the run in round {refused}, and nothing was done since. Propose an action."
    )
    return Trip(guard=AGAIN_GUARD, reason=reason)


async def ending_trips(
    finish: Finish, state: AgentState, deps: Deps, *, findings: list[Finding]
) -> list[Trip]:
    """Return the guards that ``finish`` trips; empty when the answer stands on what the run has seen.

    The numbers of a reasoner that calls nothing out are computed from the ledger by code and not judged.
    """
    rows = await deps.ledger.rows()
    steps = [Step.model_validate(step) for step in state["completed_steps"]]
    trips = [_too_early(steps, rows, findings), _unknown(finish, findings)]
    if deps.reasoner.calls_out:
        wrong = unsupported(
            finish.answer,
            objectives=deps.protocol.objectives,
            known=_seen(deps, steps, rows, findings, state["observation"]),
        )
        trips.append(_contradicted(wrong))
    return [trip for trip in trips if trip is not None]


def _too_early(steps: list[Step], rows: list[Experiment], findings: list[Finding]) -> Trip | None:
    if rows or findings or not all(step.outcome.startswith("failed") for step in steps):
        return None
    reason = (
        "No action of this run has given a result yet, so the answer rests on nothing. Propose an action."
    )
    return Trip(guard="premature_finish", reason=reason)


def _unknown(finish: Finish, findings: list[Finding]) -> Trip | None:
    known = {finding.id for finding in findings}
    missing = [name for name in finish.findings if name not in known]
    if not missing:
        return None
    listed = ", ".join(sorted(known)) or "none yet"
    reason = f"The answer cites {', '.join(missing)}, which does not exist; the findings are: {listed}."
    return Trip(guard="unknown_finding", reason=reason)


def _contradicted(wrong: list[str]) -> Trip | None:
    if not wrong:
        return None
    reason = (
        f"The answer says {', '.join(wrong)}, and no result, finding or document of this study gives that. State "
        "only what was measured."
    )
    return Trip(guard="contradiction", reason=reason)


def _seen(
    deps: Deps,
    steps: list[Step],
    rows: list[Experiment],
    findings: list[Finding],
    observation: dict[str, Any] | None,
) -> list[Any]:
    """Return everything that an answer may take a value of an objective from."""
    protocol = deps.protocol
    units = {objective.unit for objective in protocol.objectives}
    alike = {p.name for p in protocol.space.parameters if p.unit in units}
    return [
        protocol.goal,
        [constraint.text for constraint in protocol.constraints],
        [item.text for item in protocol.digest],
        [[objective.low, objective.high, objective.target] for objective in protocol.objectives],
        [finding.text for finding in findings],
        [step.outcome for step in steps],
        (observation or {}).get("data"),
        [[[m.value for m in row.measurements], row.note, _only(row.conditions, alike)] for row in rows],
    ]


def _only(conditions: dict[str, Any], names: Iterable[str]) -> list[Any]:
    """Return the settings called ``names``: one in another unit is no value of an objective."""
    return [conditions.get(name) for name in names]
