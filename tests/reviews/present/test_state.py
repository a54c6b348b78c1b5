"""The state column: limits with their page, budget bars, the state that people are shown."""

import pytest

from agents.models import Experiment, Run
from reviews.present.state import budget_bars, shown_state, state_view

PROTOCOL = {
    "goal": "find the best base",
    "documents": [{"id": "d1", "name": "paper.pdf"}],
    "objectives": [{"name": "yield", "unit": "%"}],
    "constraints": [
        {"text": "T ≤ 120 °C", "source": {"document": "paper.pdf", "page": 4, "quote": "not exceed 120 °C"}},
        {"text": "keep dry", "source": {"origin": "person"}},
        {"text": "by another paper", "source": {"document": "gone.pdf", "page": 1}},
    ],
    "budget": {"rounds": 10, "experiments": None, "tokens": 0, "seconds": 7200},
}


def measured(value: float | None, number: int) -> Experiment:
    status = "ok" if value is not None else "failed"
    return Experiment(round=number, measurements=[{"objective": "yield", "value": value, "status": status}])


def test_a_limit_leads_to_its_page_when_the_document_is_there():
    limits = state_view(Run(protocol=PROTOCOL), []).constraints
    assert [(limit["document_id"], limit["page"]) for limit in limits] == [("d1", 4), ("", None), ("", None)]


def test_the_chart_holds_what_was_measured():
    view = state_view(Run(protocol=PROTOCOL), [measured(10, 1), measured(None, 2), measured(30, 3)])
    assert [dot.title for dot in view.chart.dots] == ["1: 10\u00a0%", "3: 30\u00a0%"]


def test_bars_show_set_limits_only_and_never_more_than_all():
    bars = budget_bars(PROTOCOL["budget"], {"rounds": 12, "seconds": 1800})
    assert [(bar.name, bar.share, bar.used, bar.limit) for bar in bars] == [
        ("rounds", 1.0, "12", "10"),
        ("tokens", 1.0, "0", "0"),
        ("seconds", 0.25, "30\u00a0min", "2\u00a0h"),
    ]


@pytest.mark.parametrize(
    ("fields", "shown"),
    [
        ({"status": "waiting", "wait": {"kind": "proposal"}}, "waiting"),
        ({"status": "waiting", "wait": {"kind": "result"}}, "bench"),
        ({"status": "running", "wish": "stop"}, "stopping"),
        ({"status": "running", "wish": "pause"}, "pausing"),
        ({"status": "running"}, "running"),
        ({"status": "cancelled", "wish": ""}, "cancelled"),
    ],
)
def test_people_see_what_a_run_waits_for_and_what_was_asked_of_it(fields, shown):
    assert shown_state(Run(**fields)) == shown


def test_tokens_that_were_estimated_are_told():
    bars = budget_bars({"tokens": 1000, "rounds": 3}, {"tokens": 600, "estimated_tokens": 500, "rounds": 1})
    assert [(bar.name, bar.estimated) for bar in bars] == [("rounds", ""), ("tokens", "500")]
