"""The Memory tab: what is told next and why, and what was sent beside what re-reading would have sent."""

import re

import pytest
from django.db import transaction
from django.urls import reverse

from agents import services
from agents.models import Finding
from agents.store.log import append, lock_run
from reviews.present import figures
from reviews.present.remembering import SHOWN, remembering_of


def sent(run, *, round: int, prompt: int, cached: int = 0, **more) -> None:
    payload = {
        "role": "reason",
        "model": "double",
        "prompt_tokens": prompt,
        "cached_tokens": cached,
        "completion_tokens": 30,
        "sections": {"goal": 40, "steps": 60},
        "left_out": {"steps": 7},
        **more,
    }
    done = {"action": {"tool": "x", "arguments": {}}, "outcome": "a long outcome " * 20}
    with transaction.atomic():
        locked = lock_run(run.pk)
        append(locked, "model.called", payload, round=round)
        append(locked, "round.completed", done, round=round)


def tab(lab) -> str:
    return lab.viewer.get(reverse("run-memory", args=[lab.run.pk])).content.decode()


def test_a_run_without_a_model_says_so(lab):
    assert remembering_of(lab.run) is None
    assert "The optimiser sends nothing" in tab(lab)


def test_both_lines_and_both_parts_are_drawn(lab):
    for round in range(1, 6):
        sent(lab.run, round=round, prompt=900, cached=600)
    found = remembering_of(lab.run)
    assert [step.round for step in found.steps] == [1, 2, 3, 4, 5]
    assert (found.sent_total, found.cached_total, found.fresh_total) == (4500, 3000, 1500)
    assert found.re_read_total == sum(step.re_read for step in found.steps)
    assert found.ours.count("L") == found.re_read.count("L") == 4
    html = tab(lab)
    assert f'd="{found.re_read}"' in html
    assert html.count('class="bar-cached"') == 5
    assert figures.number(4500) in html
    assert "style=" not in re.search(r'<section class="panel" id="remembering".*?</section>', html, re.S)[0]


def test_other_roles_are_no_steps_and_one_step_is_drawn(lab):
    sent(lab.run, round=1, prompt=500, role="digest")
    sent(lab.run, round=1, prompt=800)
    found = remembering_of(lab.run)
    assert [step.prompt_tokens for step in found.steps] == [800]
    assert found.ours.endswith("h0.1")


def test_a_long_run_shows_its_newest_steps(lab, monkeypatch):
    monkeypatch.setattr("reviews.present.remembering.SHOWN", 3)
    for number in range(1, 8):
        sent(lab.run, round=number, prompt=100 * number)
    assert [step.round for step in remembering_of(lab.run).steps] == [5, 6, 7]
    assert SHOWN == 200


def test_each_finding_says_whether_it_is_told_and_what_it_said_before(lab):
    rows = [
        Finding.objects.create(
            study=lab.study, run=lab.run, number=n, text=f"finding number {n}", confidence=n / 10
        )
        for n in range(1, 8)
    ]
    services.edit_finding(rows[6].pk, text="finding seven, corrected", by="ana", reason="sharper")
    services.retract_finding(rows[5].pk, by="ana", reason="wet")
    html = tab(lab)
    assert html.count("told at the next step") == 5
    assert html.count("kept, not told") == 1
    assert html.count("kept, never told as a fact") == 1
    assert "<del>finding number 7</del>" in html


def test_a_section_says_why_it_is_here_and_why_it_was_cut(lab):
    for number in range(1, 40):
        Finding.objects.create(
            study=lab.study, run=lab.run, number=number, text=f"a rather long finding {number} " * 12
        )
    html = tab(lab)
    assert "Why it is here" in html
    assert "Why it was cut" in html
    assert "the model asks for them by meaning or number" in html


@pytest.mark.parametrize("count", [2, 12])
def test_a_tab_costs_the_same_however_many_findings(lab, django_assert_max_num_queries, count):
    for number in range(1, count):
        row = Finding.objects.create(study=lab.study, run=lab.run, number=number, text=f"finding {number}")
        services.edit_finding(row.pk, text=f"finding {number} b", by="ana", reason="x")
    with django_assert_max_num_queries(32):
        tab(lab)
