"""The states of a run."""

import pytest

from agents.core.errors import IllegalTransition
from agents.core.lifecycle import ENDED, TRANSITIONS, RunStatus, check_transition


def reachable(start: RunStatus) -> set[RunStatus]:
    found, fresh = {start}, [start]
    while fresh:
        for status in TRANSITIONS[fresh.pop()] - found:
            found.add(status)
            fresh.append(status)
    return found


def test_every_state_can_be_reached_and_every_run_can_end():
    assert reachable(RunStatus.QUEUED) == set(RunStatus)
    assert all(reachable(status) & ENDED for status in RunStatus)


def test_a_finished_or_stopped_run_stays_so():
    assert TRANSITIONS[RunStatus.SUCCEEDED] == TRANSITIONS[RunStatus.CANCELLED] == frozenset()


def test_only_a_queued_run_starts_to_run():
    assert [status for status in RunStatus if RunStatus.RUNNING in TRANSITIONS[status]] == [RunStatus.QUEUED]


def test_a_wrong_step_says_which_ones_there_are():
    with pytest.raises(
        IllegalTransition, match=r"the run is failed; it cannot become running \(possible: queued\)"
    ):
        check_transition(RunStatus.FAILED, RunStatus.RUNNING)
    with pytest.raises(IllegalTransition, match="nothing, it has ended"):
        check_transition(RunStatus.SUCCEEDED, RunStatus.QUEUED)
