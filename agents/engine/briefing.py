"""Packs the compact memory into the brief that a reasoner gets."""

from agents.core.brief import Brief, Step
from agents.core.gates import Guidance
from agents.core.memory import MILESTONE_TOOLS
from agents.core.proposal import Hypothesis
from agents.engine.deps import Deps
from agents.engine.limits import what_is_left
from agents.engine.state import KEPT_FINDINGS, AgentState


async def brief_for(
    state: AgentState,
    deps: Deps,
    *,
    round: int,
    guidance: list[Guidance] | None = None,
    refusals: list[str] | None = None,
    asked: int = 0,
) -> Brief:
    """Return the brief of ``round``: state, ledger, findings, vetoes and what is left of the budget."""
    left = await what_is_left(deps)
    hypothesis = state["hypothesis"]
    return Brief(
        protocol=deps.protocol,
        round=round,
        tools=[spec for spec in deps.toolbox.specs() if spec.name not in MILESTONE_TOOLS],
        hypothesis=Hypothesis.model_validate(hypothesis) if hypothesis else None,
        findings=await deps.book.strongest(KEPT_FINDINGS),
        contradictions=await deps.book.contradictions(),
        rules=await deps.book.rules() if deps.reasoner.calls_out else [],
        steps=[Step.model_validate(step) for step in state["completed_steps"]],
        observation=state["observation"],
        experiments=await deps.ledger.rows(),
        guidance=guidance or [],
        vetoes=await deps.journal.vetoes(),
        refusals=refusals or [],
        asked=asked,
        finish_refused=bool(state.get("finish_refused")),
        budget=left.budget,
        spent=left.spent,
        run_summary="\n".join(state["working_memory"]),
        history=await deps.history.read() if deps.history is not None else None,
    )
