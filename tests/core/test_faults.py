"""Named faults kill at the place and the pass that they name, and nowhere else."""

import os
import signal
import subprocess
import sys

import pytest

from agents.core.faults import POINTS, arm


def passes(spec: str, *points: str) -> tuple[int, list[str]]:
    """Pass ``points`` in a process with ``spec`` armed; return how it ended and what it passed alive."""
    code = (
        "import sys; from agents.core.faults import arm, fault_point; arm(sys.argv[1])\n"
        "for point in sys.argv[2:]: fault_point(point); print(point, flush=True)"
    )
    done = subprocess.run([sys.executable, "-c", code, spec, *points], capture_output=True, text=True)
    return done.returncode, done.stdout.split()


def test_a_process_is_killed_at_the_pass_that_was_named():
    assert passes("after_effect:2", "after_effect", "after_ledger", "after_effect", "after_effect") == (
        -signal.SIGKILL,
        ["after_effect", "after_ledger"],
    )


@pytest.mark.parametrize("spec", ["", "after_effect:9"])
def test_a_process_that_never_comes_there_lives(spec):
    assert passes(spec, "after_effect", "after_ledger") == (0, ["after_effect", "after_ledger"])


def test_a_point_that_does_not_exist_is_refused_with_those_that_do():
    with pytest.raises(ValueError, match=f"the points are {', '.join(POINTS)}"):
        arm("after_lunch:1")


def test_the_setting_arms_every_process_of_a_site():
    code = (
        "import django; django.setup(); from agents.core.faults import fault_point; fault_point('on_resume')"
    )
    env = {**os.environ, "DJANGO_SETTINGS_MODULE": "project.settings", "DAYBOOK_FAULT": "on_resume:1"}
    assert subprocess.run([sys.executable, "-c", code], env=env).returncode == -signal.SIGKILL
