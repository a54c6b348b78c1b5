"""Writes the conclusion and ends the run."""

from langgraph.runtime import Runtime

from agents.core.brief import Brief
from agents.core.budget import forbids_calls
from agents.core.errors import DaybookError, Fenced, Refused
from agents.core.tools import EffectClass
from agents.engine.briefing import brief_for
from agents.engine.deps import UNFORESEEN, Deps, RoundListener
from agents.engine.state import AgentState
from agents.engine.waiting import unless_stopped


async def summarize(state: AgentState, runtime: Runtime[Deps]) -> AgentState:
    """File the conclusion. A model that cannot write one does not keep the run from ending."""
    deps = runtime.context
    round = state["current_step"]
    await deps.weigh_rules()
    brief = await brief_for(state, deps, round=round)

    async def write() -> dict[str, str]:
        said = deps.reasoner.summarise(brief, RoundListener(deps.journal, round))
        return {"text": await unless_stopped(said, deps.journal)}

    try:
        _require_budget(deps, brief)
        written = await deps.journal.once(
            "summary", write, effect=EffectClass.LOCAL, request={"outcome": state["outcome"]}
        )
    except Fenced:
        raise
    except (DaybookError, *UNFORESEEN) as fault:
        written = {"text": "", "problem": str(fault)}
    await deps.journal.emit(
        "summary.written", {**written, "outcome": state["outcome"]}, round=round, key="summary/written"
    )
    return AgentState(is_finished=True)


def _require_budget(deps: Deps, brief: Brief) -> None:
    """Raise ``Refused`` when writing the conclusion would cost what the run has no more of."""
    missing = forbids_calls(brief.budget, brief.spent) if deps.reasoner.calls_out else []
    if missing:
        raise Refused(f"No conclusion was written: the run's budget of {' and '.join(missing)} is used up.")
