"""The review card: what it shows, what each decision does, and that nothing typed is lost."""

import pytest
from django.urls import reverse

from agents.core.gates import GateKind
from agents.models import Event
from agents.services import stop_run
from reviews.models import Decision, Draft
from reviews.templatetags.edits import event_changes
from reviews.views.cards import edits_of
from tests.reviews.views.conftest import proposal_content, result_content, waiting_gate

HTMX = {"HX-Request": "true"}
EDIT = {
    "verdict": "edit",
    "digest": "d" * 64,
    "hypothesis": "KOAc is enough",
    "arg.base": "CsOPiv",
    "arg.temperature": "90",
    "mean": "42.12",
    "low": "30.5",
    "high": "55.0",
    "note": "",
}


def url(name: str, gate, **query: str) -> str:
    return reverse(name, args=[gate.pk], query=query or None)


def decide(client, gate, **data):
    return client.post(url("review-decide", gate), {"digest": gate.digest, **data}, headers=HTMX)


def test_the_card_shows_the_whole_proposal(lab):
    page = lab.viewer.get(url("review", lab.gate)).content.decode()
    for shown in (
        "KOAc is enough",
        "a yield below 20 %",
        "Temperature",
        "°C",
        "cheapest first",
        "within 5 °C of a limit",
    ):
        assert shown in page
    assert "42.12" in page
    assert "&quot;temperature&quot;:80" in page


def test_only_who_may_decide_sees_the_buttons(lab):
    assert 'value="approve"' in lab.reviewer.get(url("review", lab.gate)).content.decode()
    assert 'value="approve"' not in lab.viewer.get(url("review", lab.gate)).content.decode()


def test_approving_without_javascript_goes_back_to_the_run(lab):
    answer = lab.reviewer.post(
        url("review-decide", lab.gate), {"verdict": "approve", "digest": lab.gate.digest}
    )
    assert (answer.status_code, answer["Location"]) == (302, reverse("run", args=[lab.run.pk]))
    assert Decision.objects.get().verdict == "approve"


def test_the_edit_form_is_built_from_the_tools_schema(lab):
    form = lab.reviewer.get(url("review", lab.gate, do="edit")).context["form"]
    assert [(f.name, f.label, f.field.unit) for f in form.argument_fields()] == [
        ("arg.base", "Base", ""),
        ("arg.temperature", "Temperature", "°C"),
    ]
    assert form["mean"].value() == 42.12


def test_an_edit_is_kept_beside_what_was_proposed(lab):
    answer = lab.reviewer.post(url("review-decide", lab.gate), EDIT)
    decision = Decision.objects.get()
    assert answer.status_code == 302
    assert decision.proposed["arguments"] == {"base": "KOAc", "temperature": 80}
    assert decision.answer["action"]["arguments"] == {"base": "CsOPiv", "temperature": 90}
    assert (decision.answer["hypothesis"], decision.answer["prediction"]) == (None, None)


def test_only_what_was_changed_of_hypothesis_and_prediction_is_an_edit(lab):
    lab.reviewer.post(url("review-decide", lab.gate), EDIT | {"hypothesis": "Caesium wins", "mean": "50"})
    answer = Decision.objects.get().answer
    assert (answer["hypothesis"]["text"], answer["hypothesis"]["refuted_by"]) == (
        "Caesium wins",
        "The Yield of the proposed experiment comes out outside 30.5 to 55 %.",
    )
    assert (answer["prediction"]["mean"], answer["prediction"]["low"]) == (50, 30.5)


def test_the_edit_form_takes_what_would_refute_the_hypothesis(lab):
    form = lab.reviewer.get(url("review", lab.gate, do="edit")).context["form"]
    assert form["refuted_by"].value() == "a yield below 20 %"
    typed = {"hypothesis": "Caesium wins", "refuted_by": "a yield below 50 %"}
    lab.reviewer.post(url("review-decide", lab.gate), EDIT | typed)
    decision = Decision.objects.get()
    assert decision.answer["hypothesis"]["refuted_by"] == "a yield below 50 %"
    edits = {edit.label: (edit.old, edit.new) for edit in edits_of(decision)}
    assert edits["refuted by"] == ("a yield below 20 %", "a yield below 50 %")


@pytest.mark.parametrize("refuted_by", ["a yield below 20 %", ""])
def test_a_refutation_that_was_left_is_said_anew_from_an_edited_prediction(lab, refuted_by):
    lab.reviewer.post(
        url("review-decide", lab.gate), EDIT | {"low": "35", "high": "60", "refuted_by": refuted_by}
    )
    answer = Decision.objects.get().answer
    assert (answer["hypothesis"]["text"], answer["hypothesis"].get("by", "")) == ("KOAc is enough", "")
    assert answer["hypothesis"]["refuted_by"] == (
        "The Yield of the proposed experiment comes out outside 35 to 60 %."
    )


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"arg.temperature": "hot"}, "Enter a number."),
        ({"arg.temperature": "500"}, "less than or equal to 120"),
        ({"arg.base": "NaOH"}, "not one of the available choices"),
        ({"hypothesis": ""}, "This field is required."),
        ({"mean": "99"}, "between its lowest and highest"),
    ],
)
def test_a_wrong_edit_comes_back_with_the_reason_and_what_was_typed(lab, change, message):
    answer = decide(lab.reviewer, lab.gate, **EDIT | change)
    page = answer.content.decode()
    assert answer.status_code == 422
    assert message in page
    assert not Decision.objects.exists()
    assert all(value in page for value in change.values() if value != "NaOH")


def test_an_edit_that_breaks_a_limit_is_refused_beside_the_field(lab):
    limit = {"kind": "bound", "parameter": "temperature", "op": "<=", "value": 100}
    study = lab.study
    study.constraints = [{"id": "C1", "text": "At most 100 °C", "predicate": limit, "source": {}}]
    study.save()
    gate = waiting_gate(study)
    answer = decide(lab.reviewer, gate, **EDIT | {"arg.temperature": "110"})
    assert answer.status_code == 422
    assert answer.context["form"].errors["arg.temperature"]
    assert not Decision.objects.exists()


def test_a_veto_needs_a_reason(lab):
    answer = decide(lab.reviewer, lab.gate, verdict="veto", note="too hot")
    assert answer.status_code == 422
    assert "Choose a reason" in answer.content.decode()
    assert "too hot" in answer.content.decode()


def test_a_veto_keeps_its_reason_and_text(lab):
    decide(lab.reviewer, lab.gate, verdict="veto", reason_code="unsafe", note="too hot")
    decision = Decision.objects.get()
    assert (decision.verdict, decision.reason_code, decision.note) == ("veto", "unsafe", "too hot")


def test_a_measurement_is_entered_in_the_form_of_the_result(lab):
    gate = waiting_gate(lab.study, kind=GateKind.RESULT, content=result_content())
    page = lab.clients["researcher"].get(url("review", gate))
    assert "res.measurements.yield.value" in page.context["form"].fields
    answer = decide(
        lab.clients["researcher"],
        gate,
        verdict="answer",
        **{
            "res.measurements.yield.value": "61.5",
            "res.measurements.yield.uncertainty": "1.2",
            "res.status": "ok",
        },
    )
    measured = Decision.objects.get().answer["result"]["measurements"]["yield"]
    assert answer.status_code == 200
    assert (measured["value"], measured["uncertainty"], measured["unit"]) == (61.5, 1.2, "%")


def test_a_measurement_that_cannot_be_comes_back_beside_its_field(lab):
    gate = waiting_gate(lab.study, kind=GateKind.RESULT, content=result_content())
    answer = decide(lab.reviewer, gate, verdict="answer", **{"res.measurements.yield.value": "161"})
    assert answer.status_code == 422
    assert answer.context["form"].errors["res.measurements.yield.value"]


def test_the_live_row_of_an_edit_says_what_changed(lab):
    sent = {**EDIT, "digest": lab.gate.digest, "hypothesis": "Caesium is better"}
    assert decide(lab.reviewer, lab.gate, **sent).status_code == 200
    (row,) = Event.objects.filter(run=lab.run, kind="review.decided")
    changes = {change["label"]: (change["old"], change["new"]) for change in event_changes(row.payload)}
    assert changes["base"] == ("KOAc", "CsOPiv")
    assert changes["hypothesis"] == ("KOAc is enough", "Caesium is better")
    page = lab.viewer.get(reverse("run-timeline", args=[lab.run.pk])).content.decode()
    assert "<li>base: " in page


def test_the_second_of_two_is_told_who_was_first(lab):
    decide(lab.owner, lab.gate, verdict="approve")
    answer = decide(lab.reviewer, lab.gate, verdict="veto", reason_code="unsafe")
    assert answer.status_code == 409
    assert "Already decided by owner" in answer.content.decode()
    assert Decision.objects.count() == 1


def test_the_loser_gets_back_what_they_typed_in_a_notice_that_lasts(lab):
    decide(lab.owner, lab.gate, verdict="veto", reason_code="unsafe")
    answer = decide(lab.reviewer, lab.gate, **{**EDIT, "digest": lab.gate.digest, "note": "try <this> first"})
    assert answer.status_code == 409
    page = answer.content.decode()
    assert "data-lasting" in page
    assert "try &lt;this&gt; first" in page
    assert "Base: CsOPiv" in page


def test_too_late_and_wrong_besides_is_answered_by_who_was_first(lab):
    """A form that could not be read is no reason to hide that the review is decided: its text would be lost."""
    decide(lab.owner, lab.gate, verdict="approve")
    answer = decide(lab.reviewer, lab.gate, verdict="veto", reason_code="", note="no reason chosen")
    assert answer.status_code == 409
    assert "Already decided by owner" in answer.content.decode()
    assert "no reason chosen" in answer.content.decode()


def test_the_same_decision_again_is_a_success(lab):
    answers = [decide(lab.reviewer, lab.gate, verdict="approve").status_code for _ in range(2)]
    assert (answers, Decision.objects.count()) == ([200, 200], 1)


def test_a_version_that_was_not_shown_is_not_decided(lab):
    answer = decide(lab.reviewer, lab.gate, verdict="approve", digest="e" * 64)
    assert answer.status_code == 409
    assert not Decision.objects.exists()


def test_after_the_stop_the_card_says_so_and_changes_nothing(lab):
    stop_run(lab.run.pk, by="owner")
    assert decide(lab.reviewer, lab.gate, verdict="approve").status_code == 409
    assert "This is no veto" in lab.reviewer.get(url("review", lab.gate)).content.decode()


def test_a_draft_is_kept_for_its_writer_only(lab):
    lab.reviewer.post(
        url("review-draft", lab.gate), {"doing": "veto", "reason_code": "unsafe", "note": "half a thou"}
    )
    assert "half a thou" in lab.reviewer.get(url("review", lab.gate, do="veto")).content.decode()
    assert "half a thou" not in lab.owner.get(url("review", lab.gate, do="veto")).content.decode()


def test_a_draft_ends_with_the_decision(lab):
    lab.reviewer.post(url("review-draft", lab.gate), {"doing": "edit", "hypothesis": "other"})
    decide(lab.reviewer, lab.gate, verdict="approve")
    assert not Draft.objects.exists()


def test_a_draft_has_a_limit(lab):
    answer = lab.reviewer.post(url("review-draft", lab.gate), {"doing": "veto", "note": "x" * 60_000})
    assert (answer.status_code, Draft.objects.count()) == (422, 0)


def test_a_claim_is_shown_to_the_others(lab):
    lab.reviewer.post(url("review-claim", lab.gate))
    assert "claimed by reviewer" in lab.owner.get(url("review", lab.gate)).content.decode()
    assert lab.owner.post(url("review-claim", lab.gate)).status_code == 409


def test_what_a_proposal_says_is_text_and_never_markup(lab):
    bad = "<script>alert(1)</script><img src=x onerror=alert(1)>"
    gate = waiting_gate(lab.study, content=proposal_content(reason=bad, hypothesis={"text": bad}), title=bad)
    page = lab.reviewer.get(url("review", gate)).content.decode()
    assert "<script>alert" not in page
    assert "<img src=x" not in page


def test_characters_that_hide_are_named(lab):
    action = {"tool": "ask_researcher", "arguments": {"base": "KO\u202eAc", "temperature": 80}}
    gate = waiting_gate(lab.study, content=proposal_content(action=action))
    assert (
        "base holds hidden or direction-changing characters"
        in lab.reviewer.get(url("review", gate)).content.decode()
    )


def test_a_decimal_comma_is_read_and_the_answer_says_how(lab):
    data = {
        "verdict": "edit",
        "digest": lab.gate.digest,
        "hypothesis": "KOAc is enough",
        "arg.base": "KOAc",
        "arg.temperature": "71,5",
        "mean": "42,5",
        "low": "30,5",
        "high": "55",
    }
    answer = lab.reviewer.post(
        reverse("review-decide", args=[lab.gate.pk]), data, headers={"HX-Request": "true"}
    )
    assert Decision.objects.get().answer["action"]["arguments"]["temperature"] == 71.5
    assert "“71,5” → 71.5" in answer.content.decode()


def test_the_card_links_what_the_hypothesis_contradicts(lab):
    state = {"findings": [{"id": "F7", "text": "The yield at 80 °C was 42 %.", "status": "active"}]}
    gate = waiting_gate(
        lab.study,
        content=proposal_content(hypothesis={"text": "The yield at 80 °C is 90 %.", "refuted_by": ""}),
    )
    type(gate.run).objects.filter(pk=gate.run_id).update(state={**gate.run.state, **state})
    page = lab.reviewer.get(reverse("review", args=[gate.pk])).content.decode()
    assert f'Contradicts finding <a href="{reverse("run-memory", args=[gate.run_id])}">F7</a>' in page
