"""The space of an investigation: parameters, objectives and executable constraints."""

import math
from typing import Annotated, Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

Level = float | str
Conditions = dict[str, Any]
"""One value a parameter, by parameter name; numbers in the parameter's own unit."""


class Value(BaseModel):
    """Base of the frozen values that cross ports."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class Parameter(Value):
    """A factor that an experiment sets.

    ``continuous`` and ``integer`` have ``low`` and ``high``; ``ordered`` has numeric ``levels``;
    ``categorical`` has text ``levels``; ``mixture`` is a fraction from ``low`` to ``high`` of a whole.
    ``smiles`` maps a categorical level to its structure, for descriptors.
    """

    name: str = Field(min_length=1, max_length=80)
    kind: Literal["continuous", "integer", "ordered", "categorical", "mixture"]
    unit: str = ""
    label: str = ""
    low: float | None = None
    high: float | None = None
    levels: list[Level] = Field(default_factory=list)
    smiles: dict[str, str] = Field(default_factory=dict)

    @model_validator(mode="after")
    def _complete(self) -> Self:
        if self.kind in ("ordered", "categorical"):
            if not self.levels:
                raise ValueError(f"parameter {self.name!r} is {self.kind} and needs at least one level")
            if len(set(self.levels)) != len(self.levels):
                raise ValueError(f"parameter {self.name!r} lists a level twice")
            if self.kind == "ordered" and not all(isinstance(x, int | float) for x in self.levels):
                raise ValueError(f"parameter {self.name!r} is ordered, so its levels must be numbers")
            if self.kind == "categorical" and not all(isinstance(x, str) for x in self.levels):
                raise ValueError(f"parameter {self.name!r} is categorical, so its levels must be text")
        else:
            if self.low is None or self.high is None:
                raise ValueError(f"parameter {self.name!r} is {self.kind} and needs low and high")
            if not (math.isfinite(self.low) and math.isfinite(self.high)) or self.low >= self.high:
                raise ValueError(f"parameter {self.name!r}: low {self.low} must be below high {self.high}")
        return self

    @property
    def title(self) -> str:
        """What a person reads: the label or the name, with the unit."""
        return f"{self.label or self.name} ({self.unit})" if self.unit else (self.label or self.name)


class Objective(Value):
    """A response that an experiment measures, and what is wanted of it."""

    name: str = Field(min_length=1, max_length=80)
    unit: str = ""
    label: str = ""
    goal: Literal["maximise", "minimise", "target"] = "maximise"
    target: float | None = None
    low: float | None = None
    high: float | None = None

    @model_validator(mode="after")
    def _target_given(self) -> Self:
        if self.goal == "target" and self.target is None:
            raise ValueError(f"objective {self.name!r} aims at a target and names none")
        return self

    def utility(self, value: float) -> float:
        """Return ``value`` on a scale where more is better."""
        if self.goal == "minimise":
            return -value
        if self.goal == "target":
            assert self.target is not None
            return -abs(value - self.target)
        return value


Operator = Literal["<=", "<", ">=", ">", "==", "!="]


class Bound(Value):
    """``parameter op value``; text values allow only == and !=."""

    kind: Literal["bound"] = "bound"
    parameter: str
    op: Operator
    value: Level


class Linear(Value):
    """``sum(coefficient x parameter) op value``, within ``tolerance`` for ==."""

    kind: Literal["linear"] = "linear"
    terms: dict[str, float]
    op: Operator
    value: float
    tolerance: float = 1e-6


class Exclusion(Value):
    """The combination of these values is not allowed."""

    kind: Literal["exclusion"] = "exclusion"
    values: dict[str, Level]


class Conditional(Value):
    """When ``when`` holds, ``then`` must hold."""

    kind: Literal["conditional"] = "conditional"
    when: Bound
    then: Bound


Predicate = Annotated[Bound | Linear | Exclusion | Conditional, Field(discriminator="kind")]


class Source(Value):
    """Where a claim comes from. ``verified`` is True when ``quote`` string-matches the page."""

    origin: Literal["document", "person", "run"] = "person"
    document_id: str = ""
    document: str = ""
    page: int | None = None
    quote: str = ""
    verified: bool = False
    event: int | None = None


class Constraint(Value):
    """A core constraint. Without a predicate it stays as text and forces a review."""

    id: str
    text: str
    predicate: Predicate | None = None
    source: Source = Field(default_factory=Source)


class Space(Value):
    """All parameters of a study, in order."""

    parameters: list[Parameter] = Field(default_factory=list)

    @model_validator(mode="after")
    def _distinct(self) -> Self:
        names = [p.name for p in self.parameters]
        if len(set(names)) != len(names):
            raise ValueError("two parameters of the space have the same name")
        return self

    def get(self, name: str) -> Parameter:
        """Return the parameter called ``name``; ``KeyError`` when there is none."""
        for parameter in self.parameters:
            if parameter.name == name:
                return parameter
        raise KeyError(name)
