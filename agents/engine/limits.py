"""What is left of a run's budget at this moment: people may change it while the run is driven."""

from agents.core.budget import exhausted, too_dear, warned
from agents.core.tools import ToolSpec
from agents.engine.deps import Deps


async def used_up(deps: Deps) -> list[str]:
    """Return the limits that are reached. Money is, too, when it no longer pays for another experiment."""
    budget, spent = await deps.journal.budget(), await deps.journal.spent()
    return exhausted(budget, spent, next_cost=_cost_of_an_experiment(deps))


async def standing(deps: Deps) -> tuple[list[str], list[str]]:
    """Return the limits that are reached, as ``used_up`` does, and those past four fifths and not yet reached."""
    budget, spent = await deps.journal.budget(), await deps.journal.spent()
    return exhausted(budget, spent, next_cost=_cost_of_an_experiment(deps)), warned(budget, spent)


async def unaffordable(deps: Deps, spec: ToolSpec) -> str:
    """Return why the money that is left does not pay for one use of ``spec``, or an empty text."""
    budget, spent = await deps.journal.budget(), await deps.journal.spent()
    if budget.money is None or not too_dear(budget, spent, spec.cost):
        return ""
    left = max(0.0, budget.money - spent.money)
    return (
        f"{spec.title or spec.name} costs {spec.cost:g} and {left:g} of the money is left. Propose something "
        "cheaper, or finish."
    )


def _cost_of_an_experiment(deps: Deps) -> float:
    name = deps.protocol.experiment_tool
    return next((spec.cost for spec in deps.toolbox.specs() if spec.name == name), 0.0)
