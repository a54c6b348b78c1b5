"""What a report says, in Markdown, since that is easiest to read here."""

import pytest
from django.db import transaction

from agents.core.findings import is_belief
from agents.core.science import Objective
from agents.models import Dataset, Document, Event, Experiment
from agents.services import give_guidance, stop_run
from reviews.exports import export_run
from reviews.exports.parts.answers import aimed_figure
from reviews.models import Decision
from reviews.record import guards
from reviews.services.signing import sign
from tests.reviews.exports import stories

pytestmark = pytest.mark.django_db


def report(run) -> str:
    return export_run(stories.reload(run), "md").content.decode()


def section(text: str, title: str) -> str:
    return text.split(f"\n## {title}\n")[1].split("\n## ")[0]


@pytest.fixture
def whole():
    return report(stories.whole_run())


def test_the_question_is_the_goal_with_what_is_wanted(whole):
    said = section(whole, "Question")
    assert "Find the base with the highest yield." in said
    assert "- yield (%): as much as possible" in said


def test_the_conclusion_is_the_reasoners_text_with_the_best_measured(whole):
    said = section(whole, "Conclusion")
    assert "- CsOPiv at 100 °C." in said
    assert "- Best measured: yield 61.5\u00a0%" in said
    assert "- Conditions: base CsOPiv, temperature 98.5\u00a0°C" in said


def test_the_noise_is_that_of_the_whole_ledger():
    """The conclusion goes by every experiment of the study; the figure beside it must not know less."""
    run = stories.whole_run()
    assert "(standard deviation): 1.5\u00a0%, as stated for 1 measurement" in report(run)
    for place, value in enumerate((40.0, 42.0)):
        Experiment.objects.create(
            study=run.study, key=f"past/{place}", planned={"base": "KOAc", "temperature": 80}, origin="past",
            measurements=[{"objective": "yield", "value": value, "unit": "%"}],
        )  # fmt: skip
    Experiment.objects.filter(run=None).update(created_at=run.created_at)
    assert "(standard deviation): 1.4\u00a0%, from replicates of 1 condition" in report(run)


def test_an_edit_shows_what_was_proposed_and_what_was_done(whole):
    said = section(whole, "Decisions")
    assert "- **Round 2 · Edited and approved: Measure: base CsOPiv, temperature 90**" in said
    assert "  - temperature: 90 → **100**" in said
    assert "  - By: ada (Owner)" in said


def test_a_constraint_has_page_and_quote(whole):
    said = section(whole, "Method")
    assert "- **Constraint: At most 110 °C.**" in said
    assert "“below 110 °C” (paper.pdf, page 4)" in said


def test_an_experiment_row_has_conditions_value_prediction_and_evidence(whole):
    row = next(line for line in section(whole, "Experiments").splitlines() if line.startswith("| 2 |"))
    cells = [cell.strip() for cell in row.strip("|").split("|")]
    assert cells[1:5] == ["2", "CsOPiv", "100 → **98.5**", "61.5\u00a0%"]
    assert cells[5:8] == [
        "50 (30 to 70\u00a0%), not scored: not done as planned",
        "inconclusive",
        "Measured · not as planned",
    ]


def test_an_experiment_that_broke_a_limit_is_named_beside_the_limit_and_below_the_table():
    run = stories.a_run()
    gate = stories.propose(run, 1, {"base": "KOAc", "temperature": 100})
    stories.measure(run, 1, gate, 50.0, actual={"temperature": 500})
    said = report(run)
    assert "  - Broken by what was really done: experiment 1" in section(said, "Method")
    told = section(said, "Experiments")
    assert "These experiments were not done within the limits:" in told
    assert "temperature is 500\u00a0°C, but the limit says: At most 110 °C. (page 4)." in told.replace(
        "500 °C", "500\u00a0°C"
    )


def test_an_experiment_within_the_limits_breaks_none(whole):
    assert "Broken by" not in section(whole, "Method")
    assert "not done within the limits" not in section(whole, "Experiments")


def test_a_hypothesis_names_the_rounds_that_spoke_for_and_against_it(whole):
    rows = [line.split(" | ") for line in section(whole, "Hypotheses").splitlines() if line.startswith("| 1")]
    assert rows[0][2] == "Caesium does better."
    assert [cell.strip(" |") for cell in rows[0][-3:]] == ["–", "1", "–"]


def test_a_vetoed_idea_keeps_its_reason(whole):
    said = section(whole, "Vetoed ideas")
    assert "Round 3 · Measure: base CsOPiv, temperature 110" in said
    assert "  - Reason: boils over" in said


def test_evidence_ignored_and_calibration_are_counted(whole):
    said = section(whole, "How far to trust it")
    assert "- Evidence ignored: 0 of 2 results (0\u00a0%)" in said
    assert "- Refutations that changed the hypothesis: 1 of 1" in said
    assert "- Results within their 90\u00a0% interval: 0 of 1 (0\u00a0%)" in said


def test_a_result_that_was_never_filed_as_evidence_is_counted_as_ignored():
    run = stories.a_run(policy="auto")
    gate = stories.propose(run, 1, {"base": "KOAc", "temperature": 90})
    payload = {"id": "e1", "planned": {"base": "KOAc", "temperature": 90}, "round": 1}
    stories.log(run, "experiment.filed", {"experiment": payload, "prediction": None}, round=1)
    assert "0 of 1 results" in section(report(run), "How far to trust it")
    stories.propose(run, 2, {"base": "KOAc", "temperature": 95})
    assert "1 of 1 results (100\u00a0%)" in section(report(run), "How far to trust it")
    assert gate.round == 1


def test_what_policy_let_through_is_said_beside_who_started_it():
    said = section(report(stories.many_rounds(3)), "How it was made")
    assert "- Let through by policy: 3 gates (rounds 1–3)" in said
    assert "- Started by: ada, " in said


def test_a_run_that_waits_shows_its_open_review_and_that_it_has_not_ended():
    run = stories.a_run()
    stories.propose(run, 1, {"base": "KOAc", "temperature": 90})
    said = report(run)
    assert "The run has not ended; this is the report as it stands." in section(said, "Conclusion")
    assert "Round 1 · Measure: base KOAc, temperature 90" in section(said, "Open reviews")
    assert "The run has measured nothing yet." in section(said, "Experiments")


def test_a_stopped_run_says_who_stopped_it_and_has_no_open_review():
    run = stories.a_run()
    stories.propose(run, 1, {"base": "KOAc", "temperature": 90})
    give_guidance(run.pk, text="Try *caesium*.", by="bo")
    stop_run(run.pk, by="bo")
    stories.reload(run)
    run.refresh_from_db()
    said = report(run)
    assert "Guidance by bo: Try \\*caesium\\*." in section(said, "Course of the run")
    assert run.wish == "stop"


def test_a_failed_run_says_why():
    from agents.core.lifecycle import RunStatus
    from agents.models import Run

    run = stories.a_run()
    stories.log(run, "run.failed", {"error": "the disk is full"})
    Run.objects.filter(pk=run.pk).update(status=RunStatus.FAILED, error="the disk is full")
    assert "The run failed: the disk is full" in section(report(run), "Conclusion")


def test_documents_tables_and_digest_items_are_named_with_their_place():
    study = stories.a_study()
    document = Document.objects.create(
        study=study, name="paper.pdf", content_hash="a" * 64, status="ready", pages=12, how="extractive"
    )
    Dataset.objects.create(study=study, name="past.csv", content_hash="b" * 64, role="reference", rows=8)
    study.digest_items.create(
        document=document,
        kind="method",
        text="Stir for 4 h.",
        page=3,
        quote="stirred for 4 h",
        is_verified=True,
    )
    said = section(report(stories.a_run(study)), "Sources")
    assert f"| paper.pdf | 12 | without a language model | {'a' * 64} |" in said
    assert f"| past.csv | Reference | 8 | {'b' * 64} |" in said
    assert "- **Method: Stir for 4 h.**\n  - “stirred for 4 h” (paper.pdf, page 3)" in said


def test_a_quote_that_its_page_does_not_print_is_marked():
    study = stories.a_study()
    document = Document.objects.create(study=study, name="p.pdf", content_hash="a" * 64, status="ready")
    study.digest_items.create(document=document, kind="goal", text="Win.", page=1, quote="never said")
    said = section(report(stories.a_run(study)), "Sources")
    assert "(p.pdf, page 1 (the quote was not found on this page))" in said


def test_model_calls_are_summed_by_role_and_model():
    run = stories.a_run()
    for fault in ("", "no_json"):
        call = {
            "role": "reason",
            "model": "m1",
            "prompt_tokens": 1000,
            "completion_tokens": 20,
            "fault": fault,
        }
        stories.log(run, "model.called", call, round=1)
    said = section(report(run), "Budget used")
    assert "| reason | m1 | 2 | 2\u202f000 | 0 | 40 | 0 | 1 |" in said
    assert "| Tokens | 2\u202f040 | 500\u202f000 |" in said


def test_a_report_speaks_the_language_of_its_study():
    run = stories.a_run(stories.a_study(title="寻找最佳碱", goal="找出产率最高的碱。", language="zh-hans"))
    html = export_run(stories.reload(run), "html").content.decode()
    assert '<html lang="zh-hans">' in html
    assert "找出产率最高的碱。" in html


def test_the_conclusion_says_what_became_of_the_first_hypothesis(whole):
    said = section(whole, "Conclusion")
    assert "- First hypothesis: “Caesium does better.” did not hold: round 1 spoke against it." in said


AIM = Objective(name="yield", unit="%", low=0, high=100)


@pytest.mark.parametrize(
    ("goal", "figure"),
    [
        ("Reach a yield of at least 99 %.", 99),
        ("收率达到 95% 以上", 95),
        ("Find the base with the highest yield.", None),
        ("A yield above 90 % or over 95 %", None),
        ("Use 5 % catalyst and find the best yield", None),
        ("A temperature above 60 °C", None),
    ],
)
def test_the_figure_of_the_goal_is_read_only_where_it_is_clear(goal, figure):
    assert aimed_figure(goal, AIM) == figure


def test_the_conclusion_says_whether_the_figure_of_the_goal_was_reached():
    run = stories.whole_run()
    for goal, said in (
        ("A yield of at least 60 %.", "60\u00a0%: reached, with 61.5\u00a0% in round 2."),
        ("A yield of at least 99 %.", "99\u00a0%: not reached; the best is 61.5\u00a0% in round 2."),
    ):
        filed = Event.objects.get(run=run, kind="digest.filed")
        Event.objects.filter(pk=filed.pk).update(payload={**filed.payload, "goal": goal})
        assert f"- Figure in the goal: {said}" in report(run)


def test_a_record_and_a_refused_idea_have_no_confidence():
    assert not is_belief("Best so far: yield 88 %.", "active")
    assert not is_belief("Caesium is better.", "vetoed")
    assert is_belief("Caesium is better.", "active")


def test_the_methods_section_tells_how_decisions_were_made():
    run = stories.whole_run()
    text = export_run(run, "methods").content.decode()
    assert "## How decisions were made" in text
    for told in (
        "3 were decided by people",
        "ada (Owner): 3",
        "edited by a person before it ran: once, round 2",
        "refused by a person: once, round 3",
        "carried out under other conditions than planned: once, round 2",
        "keyed chain of 3 entries, verified",
        "half within",
    ):
        assert told in text.replace("\\", ""), told
    assert "## Findings" not in text


def test_a_broken_record_is_told_in_the_report():
    run = stories.whole_run()
    guards.take_down()
    Decision.objects.filter(verdict="veto").update(note="as you like")
    for format in ("html", "md", "methods"):
        assert "The record of decisions is broken" in export_run(run, format).content.decode()


def test_signatures_stand_in_the_methods_section():
    run = stories.whole_run()
    decision = Decision.objects.get(verdict="edit")
    with transaction.atomic():
        sign(decision, user=decision.user, role="owner", meaning="responsible", channel="web")
    text = export_run(run, "methods").content.decode()
    assert "decided as responsible person" in text
    assert "keyed chain of 4 entries" in text


def test_the_method_counts_what_was_looked_up_and_what_was_entered_by_hand():
    run = stories.a_run()
    for place, fields in enumerate(({}, {"origin": "tool", "instrument": "measure", "operator": ""}) * 2, 1):
        gate = stories.propose(run, place, {"base": "KOAc", "temperature": 90 + place})
        stories.measure(run, place, gate, 50.0, **fields)
    extra = stories.propose(run, 5, {"base": "CsOPiv", "temperature": 90})
    stories.measure(run, 5, extra, 50.0, origin="tool", instrument="measure", operator="")
    said = section(report(run), "Method")
    assert "3 experiments were looked up in a table of measurements." in said
    assert "2 experiments were performed and entered by people." in said
    assert "Experiments were looked up" not in said


def test_the_method_is_told_in_a_sentence_where_all_experiments_were_made_alike(whole):
    assert "Experiments were performed and entered by people." in section(whole, "Method")
