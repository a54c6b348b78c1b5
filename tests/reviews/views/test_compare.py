"""Runs of one study side by side."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from agents.models import Gate, Run
from agents.siblings import sides_of
from reviews.models import Role
from reviews.services import add_member, decide, fork
from tests.commands.console import data, fault, say
from tests.reviews.exports import stories
from tests.reviews.views.conftest import browser_of
from tests.support import make_user

pytestmark = pytest.mark.django_db


@pytest.fixture
def pair():
    """Return a run of three rounds and a fork from its second, with a better result."""
    run = stories.whole_run()
    gate = Gate.objects.get(run=run, key="2/review")
    beside = fork(gate=gate, user=stories.user())
    asked = Gate.objects.filter(run=beside).first() or stories.propose(
        beside, 2, {"base": "CsOPiv", "temperature": 90}
    )
    decide(gate=asked, user=stories.user(), verdict="approve", shown_digest=asked.digest)
    stories.measure(beside, 2, asked, 80.0)
    state = {**Run.objects.get(pk=run.pk).state, "best": {"value": 61.5, "unit": "%", "objective": "yield"}}
    Run.objects.filter(pk=run.pk).update(state=state)
    Run.objects.filter(pk=beside.pk).update(state={**beside.state, "best": {"value": 80.0, "unit": "%"}})
    return Run.objects.get(pk=run.pk), Run.objects.get(pk=beside.pk)


def page(run, others=(), client=None, **query):
    address = reverse("run-compare", args=[run.pk])
    client = client or browser_of(stories.user())
    return client.get(address, {"with": [other.pk for other in others], **query})


def test_a_fork_stands_beside_the_run_it_comes_from(pair):
    run, beside = pair
    answer = page(beside)
    assert [side.number for side in answer.context["sides"]] == [beside.number, run.number]
    text = answer.content.decode()
    for told in (
        "forked from run 1 at round 2",
        "as run 1",
        "Potassium is bad",
        "better so far",
        "61.5",
        "80",
        "Tokens",
        "Cost",
    ):
        assert told in text, told


def test_the_better_one_is_told_by_the_objective_and_by_nothing_on_a_tie(pair):
    run, beside = pair
    assert [side.is_better for side in sides_of([run, beside])] == [False, True]
    run.protocol["objectives"][0]["goal"] = "minimise"
    assert [side.is_better for side in sides_of([run, beside])] == [True, False]
    beside.state["best"]["value"] = 61.5
    assert [side.is_better for side in sides_of([run, beside])] == [False, False]


def test_decisions_of_people_are_counted_by_what_they_were(pair):
    run, beside = pair
    first, second = sides_of([run, beside])
    assert first.verdicts == {"approve": 1, "edit": 1, "veto": 1}
    assert second.verdicts == {"approve": 1}


def test_rounds_that_differ_are_told_from_those_that_do_not(pair):
    run, beside = pair
    rounds = page(run, [beside]).context["rounds"]
    assert [number for number, _cells, _differs in rounds] == [1, 2, 3]
    assert [differs for _number, _cells, differs in rounds] == [False, False, True]


def test_going_on_from_the_better_one_is_a_run_beside_it(pair):
    _run, beside = pair
    client = browser_of(stories.user())
    answer = client.post(reverse("run-verb", args=[beside.pk, "continue"]))
    made = Run.objects.order_by("-number").first()
    assert answer["Location"] == reverse("run", args=[made.pk])
    assert made.parent_id == beside.pk


def test_runs_of_other_studies_and_nonsense_are_not_found(pair):
    run, _ = pair
    other = stories.a_run(stories.a_study(title="Other"))
    assert page(run, [other]).status_code == 404
    assert (
        browser_of(stories.user()).get(reverse("run-compare", args=[run.pk]), {"with": "x"}).status_code
        == 404
    )
    assert page(run, client=browser_of(make_user("stranger"))).status_code == 404


def test_a_viewer_compares_and_continues_nothing(pair):
    run, beside = pair
    vic = make_user("vic")
    add_member(study=run.study, user=vic, role=Role.VIEWER)
    text = page(run, [beside], client=browser_of(vic)).content.decode()
    assert "Continue from this one" not in text
    assert browser_of(vic).post(reverse("run-verb", args=[run.pk, "continue"])).status_code == 403


def test_a_run_without_siblings_says_how_there_come_to_be_some():
    run = stories.a_run()
    assert "no other run yet" in page(run).content.decode()


def test_the_queries_do_not_grow_with_the_rounds(pair):
    run, beside = pair

    def cost() -> int:
        with CaptureQueriesContext(connection) as queries:
            page(run, [beside])
        return len(queries)

    few = cost()
    for number in range(4, 16):
        stories.propose(run, number, {"base": "KOAc", "temperature": 60 + number})
    assert cost() == few < 50


def test_the_command_tells_the_same(pair):
    text = say("compare", "best-base#1", "best-base#2", "--full")
    for told in (
        "#2",
        "forked from #1",
        "the better one",
        "Potassium is bad",
        "approve 1, edit 1, veto 1",
        "round 2",
    ):
        assert told in text, told
    first, second = data("compare", "best-base#1", "best-base#2", "--full")
    assert (first["is_better"], second["is_better"], second["parent"]) == (False, True, 1)
    assert "at most 4" in str(fault("compare", *["best-base#1"] * 5, "--full"))
