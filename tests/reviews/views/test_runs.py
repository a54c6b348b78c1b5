"""The run pages: what they show, what people may do to a run, and that a live row is a reloaded row."""

import re
from datetime import timedelta

import pytest
from django.urls import reverse
from django.utils import timezone

from agents.models import Effect, Event, Experiment, Gate, Run
from agents.services import give_guidance, stop_run
from agents.store.log import append
from tests.commands.console import say
from tests.reviews.views.conftest import new_study, waiting_gate
from tests.support import log_of, make_run


def rows(html: str) -> dict[str, str]:
    """Return each event row of a page by its number, white space aside."""
    found = re.findall(r'<li class="event[^>]*data-seq="(\d+)".*?</li>', html, flags=re.DOTALL)
    texts = re.findall(r'(<li class="event.*?</li>)', html, flags=re.DOTALL)
    return {seq: " ".join(text.split()) for seq, text in zip(found, texts, strict=True)}


def page(client, name: str, run, *more: str, **query: str):
    return client.get(reverse(name, args=[run.pk, *more]), query)


def test_the_live_page_holds_the_open_review_the_state_and_the_events(lab):
    html = page(lab.reviewer, "run", lab.run).content.decode()
    assert "KOAc is enough" in html
    assert "find the dose with the largest mass" in html
    assert list(rows(html)) == [str(seq) for seq in range(Event.objects.filter(run=lab.run).count(), 0, -1)]


def test_an_update_after_nothing_holds_the_same_rows_as_the_page(lab):
    html = page(lab.reviewer, "run", lab.run).content.decode()
    assert rows(page(lab.reviewer, "run-events", lab.run, after="0").content.decode()) == rows(html)


def test_an_update_begins_after_the_cursor(lab):
    last = Event.objects.filter(run=lab.run).count()
    give_guidance(lab.run.pk, text="stay cool", by="owner")
    update = page(lab.reviewer, "run-events", lab.run, after=str(last)).content.decode()
    assert list(rows(update)) == [str(last + 1)]
    assert f'data-cursor="{last + 1}"' in update
    assert "stay cool" in update


@pytest.mark.parametrize("after", ["", "-1", "x", "9" * 30])
def test_a_cursor_that_is_none_counts_from_the_start(lab, after):
    assert "1" in rows(page(lab.reviewer, "run-events", lab.run, after=after).content.decode())


def test_an_event_of_no_round_stands_in_the_round_under_way(lab):
    stop_run(lab.run.pk, by="owner")
    newest = page(lab.reviewer, "run", lab.run).context["rounds"][0]
    assert (newest.number, newest.events[0].kind) == (1, "run.finished")


def test_the_timeline_is_oldest_first_and_keeps_bookkeeping_back(lab):
    groups = page(lab.reviewer, "run-timeline", lab.run).context["rounds"]
    kinds = [event.kind for group in groups for event in group.events]
    assert kinds == [kind for kind in log_of(lab.run) if kind != "run.started"]
    assert "run.started" in page(lab.reviewer, "run-timeline", lab.run, quiet="1").content.decode()


def test_the_graph_marks_where_the_run_stands(lab):
    nodes = {node.name: node for node in page(lab.reviewer, "run-graph", lab.run).context["nodes"]}
    assert [name for name, node in nodes.items() if node.is_current] == ["review"]
    assert (nodes["review"].visits, nodes["act"].visits) == (1, 0)


@pytest.mark.parametrize(("verb", "status"), [("pause", "paused"), ("stop", "cancelled")])
def test_a_verb_changes_the_run(lab, verb, status):
    lab.owner.post(reverse("run-verb", args=[lab.run.pk, verb]))
    assert Run.objects.get(pk=lab.run.pk).status == status


def test_a_verb_that_is_none_is_not_found(lab):
    assert lab.owner.post(reverse("run-verb", args=[lab.run.pk, "explode"])).status_code == 404


def test_a_verb_that_comes_too_late_says_so(lab):
    stop_run(lab.run.pk, by="owner")
    answer = lab.owner.post(reverse("run-verb", args=[lab.run.pk, "resume"]))
    assert answer.status_code == 409
    assert "not paused" in answer.content.decode()


def test_guidance_reaches_the_log(lab):
    lab.owner.post(reverse("run-guidance", args=[lab.run.pk]), {"text": "try caesium"})
    assert Event.objects.get(run=lab.run, kind="guidance.given").payload == {
        "text": "try caesium",
        "by": "owner",
    }


def test_empty_guidance_comes_back(lab):
    answer = lab.owner.post(
        reverse("run-guidance", args=[lab.run.pk]), {"text": " "}, headers={"HX-Request": "true"}
    )
    assert answer.status_code == 422
    assert "This field is required." in answer.content.decode()


def test_an_empty_limit_of_the_budget_is_no_limit(lab):
    lab.owner.post(reverse("run-budget", args=[lab.run.pk]), {"rounds": "9", "hours": "0.5"})
    budget = Run.objects.get(pk=lab.run.pk).protocol["budget"]
    assert (budget["rounds"], budget["experiments"], budget["seconds"]) == (9, None, 1800)


def test_a_limit_that_is_no_number_comes_back_beside_its_field(lab):
    answer = lab.owner.post(reverse("run-budget", args=[lab.run.pk]), {"rounds": "many"})
    assert (answer.status_code, answer.context["budget_form"].errors["rounds"]) == (
        422,
        ["Enter a whole number."],
    )


@pytest.mark.parametrize("state", ["", "going", "needs", "ended", "nonsense"])
def test_the_list_can_be_narrowed(lab, state):
    stop_run(lab.run.pk, by="owner")
    shown = lab.owner.get(reverse("runs"), {"state": state}).context["page"].object_list
    assert len(shown) == int(state not in ("going", "needs"))


def test_an_export_is_a_file_to_keep(lab):
    answer = page(lab.viewer, "run-export", lab.run, "jsonl")
    assert answer["Content-Disposition"].startswith("attachment; filename=")
    assert len(answer.content.splitlines()) == Event.objects.filter(run=lab.run).count()


def test_an_unknown_export_is_not_found(lab):
    assert page(lab.viewer, "run-export", lab.run, "exe").status_code == 404


@pytest.mark.parametrize(
    "name", ["run", "run-timeline", "run-graph", "run-memory", "run-data", "run-decisions"]
)
def test_more_events_cost_no_more_queries(lab, name, django_assert_max_num_queries):
    with django_assert_max_num_queries(25) as few:
        page(lab.reviewer, name, lab.run)
    for text in ("one", "two"):
        give_guidance(lab.run.pk, text=text, by="owner")
    with django_assert_max_num_queries(25) as more:
        page(lab.reviewer, name, lab.run)
    assert len(few) == len(more)


def test_more_runs_cost_no_more_queries(lab, django_assert_max_num_queries):
    with django_assert_max_num_queries(12) as one:
        lab.owner.get(reverse("runs"))
    make_run(lab.study)
    make_run(lab.study)
    with django_assert_max_num_queries(12) as three:
        lab.owner.get(reverse("runs"))
    assert len(one) == len(three)


def test_a_run_that_needs_a_measurement_is_shown_as_waiting_on_the_bench(lab):
    study = new_study(title="Bench")
    from reviews.services import add_member

    add_member(study=study, user=lab.users["owner"], role="owner")
    gate = waiting_gate(
        study, kind="result", content={"action": lab.gate.request["content"]["proposal"]["action"]}
    )
    assert "Waiting on the bench" in page(lab.owner, "run", gate.run).content.decode()


def test_a_link_to_an_event_opens_the_page_that_holds_it(lab, monkeypatch):
    monkeypatch.setattr("reviews.views.run_tabs.EVENTS_PER_PAGE", 1)
    last = Event.objects.filter(run=lab.run, kind="review.opened").get().seq
    shown = page(lab.reviewer, "run-timeline", lab.run, event=str(last)).context["page"].object_list
    assert [event.seq for event in shown] == [last]


def experiment(run, number: int) -> None:
    Experiment.objects.create(
        study=run.study,
        run=run,
        key=f"{number}/experiment",
        planned={"base": "KOAc", "temperature": 20 + number},
        conditions_digest=str(number) * 64,
        measurements=[
            {"objective": "yield", "value": 10.0 + number, "unit": "%", "status": "ok", "uncertainty": None}
        ],
        round=number,
        prediction={"objective": "yield", "mean": 12, "low": 5, "high": 20},
    )


def test_the_data_show_every_experiment_with_its_plots(lab):
    for number in (1, 2, 3):
        experiment(lab.run, number)
    context = page(lab.viewer, "run-data", lab.run).context
    assert [[cell["value"] for cell in row["conditions"]] for row in context["table"]] == [
        ["KOAc", 23],
        ["KOAc", 22],
        ["KOAc", 21],
    ]
    assert len(context["best"].dots) == len(context["predicted"].dots) == 3
    assert [name for name, _ in context["parameters"]] == ["Base", "Temperature (°C)"]


@pytest.mark.parametrize("name", ["run", "run-data", "study-data"])
def test_more_experiments_cost_no_more_queries(lab, name, django_assert_max_num_queries):
    key = lab.study.slug if name == "study-data" else lab.run.pk
    experiment(lab.run, 1)
    with django_assert_max_num_queries(25) as one:
        lab.owner.get(reverse(name, args=[key]))
    experiment(lab.run, 2)
    experiment(lab.run, 3)
    with django_assert_max_num_queries(25) as three:
        lab.owner.get(reverse(name, args=[key]))
    assert len(one) == len(three)


def test_a_failed_call_of_a_model_and_its_reason_are_rows_that_people_see(lab):
    call = {"role": "reason", "model": "m", "prompt_tokens": 0, "completion_tokens": 0}
    append(lab.run, "model.called", {**call, "fault": "unreachable", "message": "Nothing answers."}, round=1)
    append(lab.run, "model.called", call, round=1)
    append(lab.run, "round.failed", {"problem": "Nothing answers at all."}, round=1)
    seen = list(rows(page(lab.reviewer, "run", lab.run).content.decode()).values())
    failed, good, voided = seen[2], seen[1], seen[0]
    assert "Nothing answers." in failed
    assert "is-quiet" not in failed
    assert "is-quiet" in good
    assert "Nothing answers at all." in voided
    assert "is-quiet" not in voided


def test_a_run_that_waits_for_its_model_says_so_and_for_how_long(lab):
    Gate.objects.filter(run=lab.run).update(status="answered")
    Run.objects.filter(pk=lab.run.pk).update(status="running")
    assert "The run is working" in page(lab.reviewer, "run", lab.run).content.decode()
    since = timezone.now() - timedelta(seconds=75)
    Effect.objects.create(
        run=lab.run, key="1/reason/1", effect_class="local", epoch=1, started_at=since, status="started"
    )
    html = page(lab.reviewer, "run", lab.run).content.decode()
    assert "Waiting for the model" in html
    assert "The run is working" not in html
    assert int(re.search(r'data-since="[^"]+">(\d+) s<', html)[1]) >= 75
    told = say("steer", "show", str(lab.run.pk), "--user", "owner")
    assert "It waits for the model, for 7" in told
