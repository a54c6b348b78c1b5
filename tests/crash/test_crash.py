"""Nothing is lost and nothing is done twice, whenever and wherever a worker is killed or stalled."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
FAULTLESS = {
    "not_ended_well": 0,
    "log_problems": 0,
    "doubled_blind": 0,
    "doubled_keyed": 0,
    "lost": 0,
    "unasked": 0,
    "answers_without_decision": 0,
}


def crash(*arguments: str) -> dict[str, Any]:
    """Run a scenario in a process that may fork and kill as it likes."""
    done = subprocess.run(
        [sys.executable, "-m", "tests.crash", *arguments],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert done.returncode == 0, done.stderr[-4000:]
    return json.loads(done.stdout)


def faults_of(figures: dict[str, Any]) -> dict[str, Any]:
    return {name: figures[name] for name in FAULTLESS}


def test_kills_at_random_moments():
    figures = crash("random", "--kills", "100")
    assert figures["kills"] == 100
    assert faults_of(figures) == FAULTLESS


def test_one_kill_at_each_named_point():
    figures = crash("points")
    assert figures["points_missed"] == []
    assert figures["unknown_outcomes"] > 0
    assert faults_of(figures) == FAULTLESS


def test_a_worker_that_stalls_past_its_lease_writes_nothing_when_it_wakes():
    figures = crash("stalls")
    assert figures["late_writes"] == 0
    assert figures["unknown_outcomes"] > 0
    assert faults_of(figures) == FAULTLESS


@pytest.mark.soak
def test_many_kills_at_random_moments():
    figures = crash("random", "--kills", "1000", "--seed", "7")
    assert faults_of(figures) == FAULTLESS
