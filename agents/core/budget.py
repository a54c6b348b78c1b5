"""Limits of a run and what it has used, counted in our own rows."""

from pydantic import Field

from agents.core.science import Value


class Budget(Value):
    """Limits of a run, all hard but ``idle_steps``; None means no limit. Money in the unit of the price table, time in seconds."""

    rounds: int | None = Field(default=50, ge=1, le=100_000)
    experiments: int | None = Field(default=30, ge=0, le=100_000)
    tokens: int | None = Field(default=500_000, ge=0)
    money: float | None = Field(default=None, ge=0)
    seconds: float | None = Field(default=None, ge=0)
    idle_steps: int | None = Field(default=8, ge=1, le=1000)
    """Steps in a row without an experiment, after which a person is asked where this leads. It ends nothing."""


class Spent(Value):
    """What a run has used so far."""

    rounds: int = 0
    experiments: int = 0
    tokens: int = 0
    prompt_tokens: int = 0
    cached_tokens: int = 0
    completion_tokens: int = 0
    estimated_tokens: int = 0
    """The part of ``tokens`` that no server reported: our own estimate."""
    money: float = 0.0
    tool_money: float = 0.0
    """The part of ``money`` that tools cost."""
    calls: int = 0
    seconds: float = 0.0


SOFT_SHARE = 0.8
ROUNDING = 1e-9


def shares(budget: Budget, spent: Spent) -> dict[str, float]:
    """Return used share of each limit that is set, by name. A limit of 0 counts as fully used."""
    pairs = {
        name: (getattr(spent, name), getattr(budget, name))
        for name in ("rounds", "experiments", "tokens", "money", "seconds")
    }
    return {
        name: (used / limit if limit else 1.0) for name, (used, limit) in pairs.items() if limit is not None
    }


def exhausted(budget: Budget, spent: Spent, *, next_cost: float = 0.0) -> list[str]:
    """Return the names of the limits that are reached; ``money`` also when ``next_cost`` does not fit any more."""
    reached = [name for name, share in shares(budget, spent).items() if share >= 1.0]
    return [*reached, "money"] if "money" not in reached and too_dear(budget, spent, next_cost) else reached


def too_dear(budget: Budget, spent: Spent, cost: float) -> bool:
    """Return True when ``cost`` is more than what is left of the money."""
    if budget.money is None or not cost:
        return False
    return spent.money + cost > budget.money * (1 + ROUNDING)


def forbids_calls(budget: Budget, spent: Spent) -> list[str]:
    """Return the names of the reached limits that a further call of a model would exceed.

    Rounds and experiments are not among them: the last one allowed has begun when its limit is reached.
    """
    return [name for name in exhausted(budget, spent) if name in ("tokens", "money", "seconds")]


def warned(budget: Budget, spent: Spent) -> list[str]:
    """Return the names of the limits past the soft share and not yet reached."""
    return [name for name, share in shares(budget, spent).items() if SOFT_SHARE <= share < 1.0]
