"""Where `manage.py run` writes: progress for a person beside the output, events for a script into it."""

import json
from io import StringIO

import pytest

from agents.services import create_study, start_run
from reviews.management.commands.run import Command

pytestmark = pytest.mark.django_db


def followed(*, as_json: bool) -> tuple[str, str]:
    study = create_study(
        title="T",
        goal="G",
        space={"parameters": [{"name": "dose", "kind": "continuous", "low": 0, "high": 1}]},
        objectives=[{"name": "mass"}],
    )
    out, beside = StringIO(), StringIO()
    command = Command(stdout=out, stderr=beside, no_color=True)
    command._follow(start_run(study, by="ada"), 0, as_json=as_json)
    return out.getvalue(), beside.getvalue()


def test_progress_goes_to_stderr_so_that_the_result_can_be_piped():
    out, beside = followed(as_json=False)
    assert out == ""
    assert "run.created" in beside


def test_a_script_reads_events_from_stdout():
    out, beside = followed(as_json=True)
    assert json.loads(out.splitlines()[0])["kind"] == "run.created"
    assert beside == ""
