"""The state that the graph carries: plain JSON, small, the same size at round 1,000 as at round 10."""

from typing import Any, TypedDict

KEPT_STEPS = 5
KEPT_MEMORY = 3
KEPT_FINDINGS = 5


class AgentState(TypedDict, total=False):
    """The agent's compact memory. Lists are bounded; everything older is in the log.

    ``proposal``, ``gate`` and ``answer`` belong to the round under way. ``observation`` is the last result.
    ``attempt`` counts the tries of this round's action, ``workflow`` holds a list under way, ``idle_steps`` the
    steps since the last experiment, ``guard_trips`` how often each guard has tripped, ``finish_refused`` the round
    in which a person refused to end the run (0 once anything was done since). ``tidied`` is the round of the last
    milestone review. ``outcome`` says why a run finished.
    """

    input_document: list[str]
    overall_goal: str
    core_constraints: list[dict[str, Any]]
    current_step: int
    completed_steps: list[dict[str, Any]]
    key_findings: list[dict[str, Any]]
    hypothesis: dict[str, Any] | None
    working_memory: list[str]
    next_action: dict[str, Any] | None
    observation: dict[str, Any] | None
    is_finished: bool
    outcome: str
    proposal: dict[str, Any] | None
    gate: dict[str, Any] | None
    answer: dict[str, Any] | None
    attempt: int
    workflow: dict[str, Any] | None
    guidance_seq: int
    idle_steps: int
    guard_trips: dict[str, int]
    finish_refused: int
    tidied: int


def first_state() -> AgentState:
    """Return the state that a run starts with."""
    return AgentState(
        input_document=[],
        overall_goal="",
        core_constraints=[],
        current_step=0,
        completed_steps=[],
        key_findings=[],
        hypothesis=None,
        working_memory=[],
        next_action=None,
        observation=None,
        is_finished=False,
        outcome="",
        proposal=None,
        gate=None,
        answer=None,
        attempt=1,
        workflow=None,
        guidance_seq=0,
        idle_steps=0,
        guard_trips={},
        finish_refused=0,
        tidied=0,
    )
