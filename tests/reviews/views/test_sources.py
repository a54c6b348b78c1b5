"""Documents, tables and digest items on the set-up page."""

from io import BytesIO

import pytest
from django.urls import reverse
from openpyxl import Workbook

from agents.models import Dataset, DigestItem, Document, Passage, Study

HTMX = {"HX-Request": "true"}


def upload(client, name: str, study, content: bytes, file_name: str, **data):
    file = BytesIO(content)
    file.name = file_name
    return client.post(reverse(name, args=[study.slug]), {"file": file, **data}, headers=HTMX)


@pytest.fixture
def document(lab) -> Document:
    return Document.objects.create(
        study=lab.study,
        name="paper.pdf",
        content_hash="a" * 64,
        media_type="application/pdf",
        pages=2,
        status="ready",
    )


def item_of(document: Document, **fields) -> DigestItem:
    given = {
        "kind": "constraint",
        "text": "At most 100 °C",
        "page": 1,
        "quote": "not exceed 100 °C",
        "is_verified": True,
    }
    values = {**given, **fields}
    return DigestItem.objects.create(
        study=document.study,
        document=document,
        original={"text": values["text"], "data": values.get("data", {})},
        **values,
    )


def test_a_document_waits_to_be_read(lab):
    answer = upload(lab.owner, "document-add", lab.study, b"# Aim\nFind the base.", "aim.md")
    assert Document.objects.get(study=lab.study).status == "uploaded"
    assert "Waiting to be read" in answer.content.decode()
    assert 'hx-trigger="every 1500ms"' in answer.content.decode()


@pytest.mark.parametrize(
    ("content", "message"), [(b"", "empty"), (b"# Aim", "has this file already")], ids=["empty", "twice"]
)
def test_a_document_that_cannot_be_taken_says_why(lab, content, message):
    upload(lab.owner, "document-add", lab.study, b"# Aim", "aim.md")
    answer = upload(lab.owner, "document-add", lab.study, content, "again.md")
    assert message in answer.content.decode()
    assert Document.objects.count() == 1


def test_no_file_at_all_is_said(lab):
    answer = lab.owner.post(reverse("document-add", args=[lab.study.slug]), headers=HTMX)
    assert "Choose a file first." in answer.content.decode()


def test_a_document_that_is_read_stops_asking_and_shows_its_items(lab, document):
    item_of(document)
    answer = lab.owner.get(reverse("document-state", args=[document.pk]))
    html = answer.content.decode()
    assert "every 1500ms" not in html
    assert "not exceed 100 °C" in html
    assert reverse("page", args=[document.pk, 1]) in html
    assert answer["HX-Trigger"] == "digest-ready"


def test_a_document_that_failed_says_why(lab, document):
    Document.objects.filter(pk=document.pk).update(status="failed", error="It is encrypted.")
    assert "It is encrypted." in lab.owner.get(reverse("document-state", args=[document.pk])).content.decode()


def test_a_quote_that_is_not_on_its_page_is_marked(lab, document):
    item_of(document, is_verified=False)
    assert (
        "not found on its page"
        in lab.owner.get(reverse("document-state", args=[document.pk])).content.decode()
    )


def test_not_a_constraint_takes_the_limit_out_of_the_study(lab, document):
    item = item_of(document)
    edit = reverse("item", args=[item.pk])
    lab.owner.post(edit, {"status": "kept"}, headers=HTMX)
    assert [row["text"] for row in Study.objects.get(pk=lab.study.pk).constraints] == ["At most 100 °C"]
    lab.owner.post(edit, {"status": "dropped"}, headers=HTMX)
    assert Study.objects.get(pk=lab.study.pk).constraints == []


def test_an_edited_limit_replaces_the_old_words(lab, document):
    item = item_of(document)
    edit = reverse("item", args=[item.pk])
    lab.owner.post(edit, {"status": "kept"}, headers=HTMX)
    lab.owner.post(edit, {"text": "At most 95 °C"}, headers=HTMX)
    assert [row["text"] for row in Study.objects.get(pk=lab.study.pk).constraints] == ["At most 95 °C"]
    assert DigestItem.objects.get().original["text"] == "At most 100 °C"


def test_an_item_is_never_made_empty(lab, document):
    answer = lab.owner.post(reverse("item", args=[item_of(document).pk]), {"text": " "}, headers=HTMX)
    assert (answer.status_code, DigestItem.objects.get().text) == (422, "At most 100 °C")
    assert "not exceed 100 °C" in answer.content.decode()


def test_a_page_marks_the_quote(lab, document):
    text = "The mixture must not ex-\nceed 100 °C at any time."
    Passage.objects.create(document=document, index=0, page=1, start=0, end=len(text), text=text)
    answer = lab.viewer.get(reverse("page", args=[document.pk, 1]), {"quote": "not exceed 100 °C"})
    assert "<mark>not ex-\nceed 100 °C</mark>" in answer.content.decode()


@pytest.mark.parametrize("number", [0, 3])
def test_a_page_that_is_not_there_is_not_found(lab, document, number):
    assert lab.viewer.get(f"/documents/{document.pk}/pages/{number}/").status_code == 404


def test_a_table_is_taken_in_with_its_columns(lab):
    answer = upload(
        lab.owner, "dataset-add", lab.study, b"base,yield\nKOAc,31\n", "past.csv", role="reference"
    )
    dataset = Dataset.objects.get()
    assert (dataset.rows, dataset.columns) == (1, {"base": "base", "yield": "yield"})
    assert "1 row" in answer.content.decode()


@pytest.mark.parametrize(
    ("sheet", "rows", "said"),
    [
        ("", 1, "past (Runs).csv"),
        ("Old", 2, "past (Old).csv"),
        ("New", 0, "has no sheet &#x27;New&#x27;; its sheets are: Runs, Old"),
    ],
)
def test_a_workbook_is_taken_in_by_the_sheet_that_is_meant(lab, sheet, rows, said):
    book = Workbook()
    book.active.title = "Runs"
    for row in (["base", "yield"], ["KOAc", 31]):
        book.active.append(row)
    old = book.create_sheet("Old")
    for row in (["base", "yield"], ["KOAc", 1], ["CsOPiv", 2]):
        old.append(row)
    content = BytesIO()
    book.save(content)
    given = {"role": "reference", "sheet": sheet}
    answer = upload(lab.owner, "dataset-add", lab.study, content.getvalue(), "past.xlsx", **given)
    assert [dataset.rows for dataset in Dataset.objects.all()] == ([rows] if rows else [])
    assert said in answer.content.decode()


def test_a_text_table_has_no_sheet(lab):
    given = {"role": "reference", "sheet": "Runs"}
    answer = upload(lab.owner, "dataset-add", lab.study, b"base,yield\nKOAc,31\n", "past.csv", **given)
    assert "is no XLSX workbook, so it has no sheet" in answer.content.decode()
    assert not Dataset.objects.exists()


def test_a_column_that_is_not_there_is_refused(lab):
    upload(lab.owner, "dataset-add", lab.study, b"base,yield\nKOAc,31\n", "past.csv", role="reference")
    dataset = Dataset.objects.get()
    url = reverse("dataset-verb", args=[dataset.pk, "map"])
    answer = lab.owner.post(url, {"role": "reference", "col.base": "Basis"}, headers=HTMX)
    assert answer.status_code == 422
    assert "no column" in answer.content.decode()


@pytest.mark.parametrize("verb", ["explode", "map"])
def test_a_verb_that_is_none_is_not_found(lab, document, verb):
    assert lab.owner.post(reverse("document-verb", args=[document.pk, verb])).status_code == 404


def test_more_documents_cost_no_more_queries(lab, document, django_assert_max_num_queries):
    url = reverse("study-setup", args=[lab.study.slug])
    item_of(document)
    with django_assert_max_num_queries(25) as one:
        lab.owner.get(url)
    for number in "bc":
        more = Document.objects.create(
            study=lab.study, name=f"{number}.pdf", content_hash=number * 64, status="ready"
        )
        item_of(more)
        item_of(more, kind="method", text="stir")
    with django_assert_max_num_queries(25) as three:
        lab.owner.get(url)
    assert len(one) == len(three)
