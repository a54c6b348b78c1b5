"""What the optimiser advises when it is asked: experiments to do next, and conditions to measure again."""

from agents.core.science import Conditions, Value


class Expected(Value):
    """What one response is expected to be: ``low``..``high`` holds a single measurement in nine cases of ten."""

    objective: str
    mean: float
    low: float
    high: float
    unit: str = ""


class Suggestion(Value):
    """An experiment to do next. ``gain`` is the expected improvement; None while too little is measured to model."""

    conditions: Conditions
    expected: list[Expected] = []
    gain: float | None = None
    reason: str


class Repeat(Value):
    """Measured conditions that are worth a declared replicate. ``spread`` is that of one measurement, where known."""

    conditions: Conditions
    measured: int
    mean: float
    spread: float | None = None
    unit: str = ""
    reason: str
