"""What is left of a run's budget at this moment: people may change it while the run is driven."""

from typing import NamedTuple

from agents.core.budget import Budget, Spent, exhausted, too_dear, warned
from agents.core.tools import ToolSpec
from agents.engine.deps import Deps


class Left(NamedTuple):
    """The limits as they stand now and what is used of them."""

    budget: Budget
    spent: Spent


async def what_is_left(deps: Deps) -> Left:
    """Return the limits and what is used; asked anew wherever time has passed since, as behind a model or a tool."""
    return Left(await deps.journal.budget(), await deps.journal.spent())


def used_up(deps: Deps, left: Left) -> list[str]:
    """Return the limits that are reached. Money is, too, when it no longer pays for another experiment."""
    return exhausted(left.budget, left.spent, next_cost=_cost_of_an_experiment(deps))


def near(left: Left) -> list[str]:
    """Return the limits past four fifths and not yet reached."""
    return warned(left.budget, left.spent)


def unaffordable(left: Left, spec: ToolSpec) -> str:
    """Return why the money that is left does not pay for one use of ``spec``, or an empty text."""
    budget, spent = left
    if budget.money is None or not too_dear(budget, spent, spec.cost):
        return ""
    rest = max(0.0, budget.money - spent.money)
    return (
        f"{spec.title or spec.name} costs {spec.cost:g} and {rest:g} of the money is left. Propose something "
        "cheaper, or finish."
    )


def _cost_of_an_experiment(deps: Deps) -> float:
    name = deps.protocol.experiment_tool
    return next((spec.cost for spec in deps.toolbox.specs() if spec.name == name), 0.0)
