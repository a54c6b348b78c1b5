"""Results entered by hand, in the browser's terms: partial saves, files, hand over, sheets, tables."""

import io
import json

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse
from PIL import Image

from agents.core.gates import GateKind
from reviews.models import BenchDraft, BenchFile, BenchTask, Decision
from tests.reviews.views.conftest import browser_of, result_content, waiting_gate
from tests.reviews.views.test_review import HTMX, url

VALUE, NOTE = "res.measurements.yield.value", "res.note"


@pytest.fixture
def gate(lab):
    return waiting_gate(lab.study, kind=GateKind.RESULT, content=result_content())


@pytest.fixture
def ana(lab):
    return lab.clients["researcher"]


def form_of(client, gate) -> dict[str, str]:
    """Return the fields of the form as a browser would post them, with what it showed."""
    form = client.get(url("review", gate)).context["form"]
    return {**json.loads(form.base()), "base": form.base(), "digest": gate.digest, "verdict": "answer"}


def file_result(client, gate, fields: dict[str, str]):
    return client.post(url("review-decide", gate), fields, headers=HTMX)


def keep(client, gate, fields: dict[str, str]):
    return client.post(url("review-draft", gate), {**fields, "doing": "measure"}, headers=HTMX)


def upload(name: str, content: bytes) -> SimpleUploadedFile:
    return SimpleUploadedFile(name, content)


def test_the_plan_stands_in_the_form_and_only_differences_are_kept(ana, gate):
    fields = form_of(ana, gate)
    assert (fields["res.actual.temperature"], fields["res.actual.base"]) == ("80", "KOAc")
    answer = file_result(ana, gate, {**fields, VALUE: "61.5", "res.actual.temperature": "83"})
    assert answer.status_code == 200
    result = Decision.objects.get().answer["result"]
    assert (result["measurements"]["yield"]["value"], result["actual"]["temperature"]) == (61.5, 83)


def test_several_readings_are_entered_in_one_box(ana, gate):
    fields = form_of(ana, gate) | {"res.measurements.yield.replicates": "70; 72,\n74"}
    assert file_result(ana, gate, fields).status_code == 200
    assert Decision.objects.get().answer["result"]["measurements"]["yield"]["value"] == 72


@pytest.mark.parametrize(
    ("typed", "entered"),
    [
        ({"value": "71.2"}, {"value": 71.2, "status": "ok"}),
        ({"value": "712", "unit": "permille"}, {"value": 71.2, "status": "ok"}),
        ({"value": "712 permille"}, {"value": 71.2, "status": "ok"}),
        ({"value": "71.2 ± 0.8"}, {"value": 71.2, "uncertainty": 0.8, "status": "ok"}),
        ({"value": "71.2", "uncertainty": "0.8"}, {"value": 71.2, "uncertainty": 0.8, "status": "ok"}),
        ({"value": "<0.5"}, {"value": 0.5, "status": "below_detection"}),
        ({"value": "0.5", "status": "above_detection"}, {"value": 0.5, "status": "above_detection"}),
        ({"status": "abandoned"}, {"status": "abandoned"}),
    ],
)
def test_a_value_is_read_as_people_write_it(ana, gate, typed, entered):
    fields = form_of(ana, gate) | {f"res.measurements.yield.{name}": text for name, text in typed.items()}
    assert file_result(ana, gate, fields).status_code == 200
    measured = Decision.objects.get().answer["result"]["measurements"]["yield"]
    assert {name: value for name, value in measured.items() if name != "unit"} == entered


@pytest.mark.parametrize(
    ("change", "field", "message"),
    [
        ({VALUE: "lots"}, VALUE, "expected a number"),
        ({VALUE: "161"}, VALUE, "from 0 to 100"),
        (
            {VALUE: "5", "res.measurements.yield.unit": "mg"},
            "res.measurements.yield.unit",
            "cannot be converted",
        ),
        (
            {VALUE: "5", "res.measurements.yield.uncertainty": "0"},
            "res.measurements.yield.uncertainty",
            "unknown",
        ),
        (
            {"res.measurements.yield.replicates": "70,5"},
            "res.measurements.yield.replicates",
            "one number or two",
        ),
        (
            {"res.measurements.yield.replicates": "7; x"},
            "res.measurements.yield.replicates",
            "is not a number",
        ),
        ({VALUE: "5", "res.measured_at": "2999-01-01T00:00"}, "res.measured_at", "a time that has come"),
        ({VALUE: "5", "res.measured_at": "noon"}, "res.measured_at", "date and time"),
        ({VALUE: "5", "res.actual.temperature": "warm"}, "res.actual.temperature", "Enter a number"),
    ],
)
def test_what_cannot_be_comes_back_beside_its_field_and_stays_typed(ana, gate, change, field, message):
    answer = file_result(ana, gate, {**form_of(ana, gate), **change})
    assert answer.status_code == 422
    assert message in str(answer.context["form"].errors[field])
    assert not Decision.objects.exists()
    assert BenchDraft.objects.get(gate=gate).fields[field] == change[field]


def test_what_is_typed_is_there_after_a_reload_and_for_who_takes_over(lab, ana, gate):
    keep(ana, gate, {**form_of(ana, gate), VALUE: "6"})
    for client in (ana, lab.reviewer, browser_of(lab.users["researcher"])):
        assert form_of(client, gate)[VALUE] == "6"
    assert "kept" in ana.get(url("review", gate)).content.decode()


def test_two_tabs_lose_nothing_and_filing_an_old_page_asks_first(lab, ana, gate):
    one, two = form_of(ana, gate), form_of(lab.reviewer, gate)
    keep(ana, gate, {**one, VALUE: "61"})
    answer = file_result(lab.reviewer, gate, {**two, NOTE: "cloudy"})
    assert answer.status_code == 409
    assert not Decision.objects.exists()
    form = answer.context["form"]
    assert (form[VALUE].value(), form[NOTE].value()) == ("61", "cloudy")
    both = {**json.loads(form.base()), "base": form.base(), "digest": gate.digest, "verdict": "answer"}
    assert file_result(lab.reviewer, gate, both).status_code == 200
    result = Decision.objects.get().answer["result"]
    assert (result["measurements"]["yield"]["value"], result["note"]) == (61, "cloudy")


def test_a_page_that_went_on_typing_after_a_save_is_not_told_of_itself(ana, gate):
    fields = form_of(ana, gate)
    kept = keep(ana, gate, {**fields, VALUE: "6"}).context["base"]
    assert json.loads(kept)[VALUE] == "6"
    assert file_result(ana, gate, {**fields, "base": kept, VALUE: "61"}).status_code == 200


def test_what_was_typed_over_is_shown(lab, ana, gate):
    one, two = form_of(ana, gate), form_of(lab.reviewer, gate)
    keep(ana, gate, {**one, NOTE: "bluish"})
    keep(lab.reviewer, gate, {**two, NOTE: "green"})
    assert "bluish" in ana.get(url("review", gate)).content.decode()


def test_without_javascript_keep_for_later_goes_back_to_the_form(ana, gate):
    fields = {**form_of(ana, gate), VALUE: "6", "doing": "measure"}
    answer = ana.post(url("review-draft", gate), fields)
    assert (answer.status_code, answer["Location"]) == (302, f"{url('review', gate)}?do=measure")
    assert form_of(ana, gate)[VALUE] == "6"


def test_a_viewer_keeps_no_result(lab, gate):
    assert keep(lab.viewer, gate, {VALUE: "6"}).status_code == 403
    assert not BenchDraft.objects.exists()


def test_the_draft_of_a_result_ends_with_the_decision(ana, gate):
    keep(ana, gate, {VALUE: "6"})
    file_result(ana, gate, {**form_of(ana, gate), VALUE: "61"})
    assert not BenchDraft.objects.exists()
    assert keep(ana, gate, {VALUE: "7"}).status_code == 200
    assert not BenchDraft.objects.exists()


def test_attaching_keeps_what_is_typed_and_fills_what_is_empty(ana, gate):
    fields = {**form_of(ana, gate), NOTE: "half a thou", "file": upload("run.csv", b"t,yield\n1,70\n2,72\n")}
    answer = ana.post(url("bench-attach", gate), fields, headers=HTMX)
    page, form = answer.content.decode(), answer.context["form"]
    assert answer.status_code == 200
    assert (form[NOTE].value(), form["res.measurements.yield.replicates"].value()) == (
        "half a thou",
        "70; 72",
    )
    assert "from column “yield” of run.csv" in page
    assert "Mean 71, spread 1.4, of 2 readings." in page
    file_result(
        ana,
        gate,
        {**json.loads(form.base()), "base": form.base(), "digest": gate.digest, "verdict": "answer"},
    )
    result = Decision.objects.get().answer["result"]
    assert result["attachments"][0]["name"] == "run.csv"
    assert result["measurements"]["yield"]["replicates"] == [70, 72]


@pytest.mark.parametrize("files", [{}, {"file": upload("x.html", b"<script>")}])
def test_a_file_that_may_not_come_says_why_and_loses_nothing_typed(ana, gate, files):
    answer = ana.post(url("bench-attach", gate), {**form_of(ana, gate), NOTE: "half", **files}, headers=HTMX)
    assert answer.status_code == 422
    assert answer.context["form"][NOTE].value() == "half"
    assert answer.context["notice"]["text"]


def test_a_file_is_handed_out_as_a_download_that_no_browser_guesses_about(lab, ana, gate):
    ana.post(
        url("bench-attach", gate), {"file": upload("a b.csv", b"<script>alert(1)</script>")}, headers=HTMX
    )
    address = reverse("study-file", args=[lab.study.slug, BenchFile.objects.get().content_hash])
    answer = lab.viewer.get(address)
    assert answer["Content-Disposition"].startswith("attachment")
    assert (answer["X-Content-Type-Options"], answer["Content-Type"]) == ("nosniff", "text/csv")
    assert b"".join(answer.streaming_content) == b"<script>alert(1)</script>"
    assert lab.clients["stranger"].get(address).status_code == 404


def test_a_hash_of_another_study_is_no_file_here(lab, gate):
    address = reverse("study-file", args=[lab.study.slug, "a" * 64])
    assert lab.viewer.get(address).status_code == 404


def test_an_image_is_shown_small(lab, ana, gate):
    out = io.BytesIO()
    Image.new("RGB", (900, 900), "red").save(out, format="PNG")
    page = ana.post(url("bench-attach", gate), {"file": upload("spot.png", out.getvalue())}, headers=HTMX)
    address = reverse("study-file-image", args=[lab.study.slug, BenchFile.objects.get().content_hash])
    assert address in page.content.decode()
    answer = lab.viewer.get(address)
    assert (answer.status_code, answer["Content-Type"], answer.content[:4]) == (200, "image/png", b"\x89PNG")


def test_a_file_is_taken_off_again(ana, gate):
    ana.post(url("bench-attach", gate), {"file": upload("a.csv", b"a\n1\n")}, headers=HTMX)
    address = reverse("bench-detach", args=[gate.pk, BenchFile.objects.get().pk])
    assert ana.post(address, {VALUE: "6"}, headers=HTMX).status_code == 200
    assert not BenchFile.objects.exists()
    assert form_of(ana, gate)[VALUE] == "6"


def test_files_stay_to_be_read_on_the_decided_card(lab, ana, gate):
    ana.post(url("bench-attach", gate), {"file": upload("a.csv", b"a\n1\n")}, headers=HTMX)
    file_result(ana, gate, {**form_of(ana, gate), VALUE: "61"})
    page = lab.viewer.get(url("review", gate)).content.decode()
    assert "a.csv" in page
    assert "content_hash" not in page


def test_a_task_is_assigned_on_the_card(lab, ana, gate):
    fields = {"assignee": "reviewer", "due_at": "2031-05-06T07:08", "instructions": "Stir.\nWait."}
    answer = ana.post(url("bench-task", gate), fields, headers=HTMX)
    task = BenchTask.objects.get(gate=gate)
    assert answer.status_code == 200
    assert (task.assignee.get_username(), task.instructions, task.due_at.year) == (
        "reviewer",
        "Stir.\nWait.",
        2031,
    )
    page = lab.viewer.get(url("review", gate)).content.decode()
    assert "for reviewer" in page
    assert "Stir.<br>Wait." in page


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"assignee": "stranger"}, "Who measures"),
        ({"due_at": "soon"}, "Due"),
        ({"instructions": "x" * 4001}, "4000"),
    ],
)
def test_a_task_that_cannot_be_is_refused_with_the_field(ana, gate, fields, message):
    answer = ana.post(url("bench-task", gate), fields, headers=HTMX)
    assert (answer.status_code, message in answer.content.decode()) == (422, True)
    assert not BenchTask.objects.exists()


def test_the_list_shows_who_when_and_what_was_begun(lab, ana, gate):
    ana.post(url("bench-task", gate), {"assignee": "reviewer", "due_at": "2021-05-06T07:08"})
    keep(ana, gate, {VALUE: "6"})
    page = lab.viewer.get(reverse("bench")).content.decode()
    for shown in ("overdue", "typed by researcher", "reviewer", gate.request["title"]):
        assert shown in page
    assert gate.request["title"] not in ana.get(reverse("bench", query={"mine": 1})).content.decode()
    assert gate.request["title"] in lab.reviewer.get(reverse("bench", query={"mine": 1})).content.decode()


def test_the_list_costs_the_same_however_long_it_is(lab, ana, gate, django_assert_max_num_queries):
    for number in range(2, 6):
        waiting_gate(lab.study, kind=GateKind.RESULT, content=result_content(), key=f"{number}/result")
    with django_assert_max_num_queries(8):
        assert len(ana.get(reverse("bench")).context["page"].object_list) == 5


def test_sheets_lead_back_to_the_form(ana, gate):
    for address in (url("bench-sheet", gate), reverse("bench-sheets", query={"layout": "table"})):
        page = ana.get(address).content.decode()
        assert "<svg" in page
    assert f"http://testserver{url('review', gate)}" in ana.get(url("bench-sheet", gate)).content.decode()


def test_a_proposal_has_no_bench_sheet(lab):
    assert lab.reviewer.get(url("bench-sheet", lab.gate)).status_code == 404


@pytest.mark.parametrize("query", [{"run": "x"}, {"study": "nowhere"}, {"layout": "poster"}])
def test_strange_questions_get_an_answer(ana, gate, query):
    assert ana.get(reverse("bench-sheets", query=query)).status_code in (200, 404)
    assert ana.get(reverse("bench", query=query)).status_code in (200, 404)


def test_a_filled_table_is_shown_before_it_is_filed(lab, ana, gate):
    text = b"".join([ana.get(reverse("bench-table")).content])
    filled = text.replace(b'"","%","","",""', b'"61.5","%","","",""')
    assert filled != text
    answer = ana.post(reverse("bench-import"), {"file": upload("bench.csv", filled)})
    assert (answer.context["counts"]["ready"], Decision.objects.count()) == (1, 0)
    ticket = answer.context["ticket"]
    assert lab.reviewer.post(reverse("bench-import"), {"ticket": ticket}).status_code == 422
    done = ana.post(reverse("bench-import"), {"ticket": ticket})
    assert (done.context["counts"]["filed"], Decision.objects.get().by) == (1, "researcher")
    again = ana.post(reverse("bench-import"), {"ticket": ticket})
    assert (again.context["counts"]["already"], Decision.objects.count()) == (1, 1)


@pytest.mark.parametrize("data", [{}, {"ticket": "forged"}, {"file": upload("x.csv", b"a,b\n1,2\n")}])
def test_a_table_that_cannot_be_filed_says_why(ana, gate, data):
    answer = ana.post(reverse("bench-import"), data)
    assert answer.status_code == 422
    assert answer.context["problem"]


def test_what_somebody_writes_in_a_table_is_text(ana, gate):
    bad = b"task,digest,note\n<script>alert(1)</script>,x,y\n"
    page = ana.post(reverse("bench-import"), {"file": upload("bench.csv", bad)}).content.decode()
    assert "<script>alert" not in page


def test_what_lies_outside_the_study_is_filed_only_when_it_is_ticked_that_it_was_so(ana, gate):
    fields = {**form_of(ana, gate), VALUE: "61.5", "res.actual.temperature": "500", NOTE: "hot"}
    asked = file_result(ana, gate, fields)
    assert asked.status_code == 422
    assert Decision.objects.count() == 0
    form = asked.context["form"]
    assert "not a number from 20 to 120" in str(form.errors["res.actual.temperature"])
    assert 'name="is_confirmed"' in asked.content.decode()
    assert (form[VALUE].value(), form["res.actual.temperature"].value()) == ("61.5", "500")
    assert file_result(ana, gate, {**fields, "is_confirmed": "on"}).status_code == 200
    assert Decision.objects.get().answer["result"]["actual"]["temperature"] == 500


def test_the_tick_stays_while_something_else_is_corrected(ana, gate):
    fields = {**form_of(ana, gate), VALUE: "lots", "res.actual.temperature": "500", "is_confirmed": "on"}
    answer = file_result(ana, gate, fields)
    assert answer.status_code == 422
    assert answer.context["form"]["is_confirmed"].value() is True
    assert 'name="is_confirmed"' in answer.content.decode()


def test_nothing_is_asked_of_what_was_done_within_the_limits(ana, gate):
    assert 'name="is_confirmed"' not in ana.get(url("review", gate)).content.decode()
