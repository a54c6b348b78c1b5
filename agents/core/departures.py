"""Experiments that were really done where none may be proposed: what they break, and when a person must confirm it."""

from agents.core.constraints import Violation, outside_space, violations
from agents.core.measurement import Experiment
from agents.core.science import Conditions, Constraint, Space


def beyond_limits(experiment: Experiment, space: Space, constraints: list[Constraint]) -> list[Violation]:
    """Return what ``experiment`` breaks by the conditions that were really others than planned.

    Empty for one that was done as planned: its plan was judged before it was done.
    """
    return departing_faults(experiment.planned, experiment.actual, space, constraints)


def departing_faults(
    planned: Conditions, actual: Conditions, space: Space, constraints: list[Constraint]
) -> list[Violation]:
    """Return why an experiment at ``actual`` over ``planned`` lies outside the space or breaks a limit.

    Only what the plan alone does not break counts: the faults are those of what was done otherwise.
    """
    known = _faults(planned, space, constraints)
    return [fault for fault in _faults({**planned, **actual}, space, constraints) if fault not in known]


def _faults(conditions: Conditions, space: Space, constraints: list[Constraint]) -> list[Violation]:
    return outside_space(conditions, space) + violations(conditions, constraints, space)
