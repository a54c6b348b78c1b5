"""Runs that a paper prints, as past experiments of a study."""

from pathlib import Path

import pytest
from django.core.management import call_command

from agents.core.errors import BadInput
from agents.models import Experiment
from agents.services import add_document, create_study, digest_next, printed_tables, use_printed_runs

pytestmark = pytest.mark.django_db
PAPER = next((Path(__file__).parents[2] / "examples" / "oil_extraction").glob("*.pdf"))
YIELDS = [1.59, 2.0, 0.99, 0.83, 2.1, 2.11, 0.4, 0.65]
"""Table 4 of the paper, essential oil yield of the aerial part, in %."""


@pytest.fixture
def document(db):
    study = create_study(title="Oil")
    with PAPER.open("rb") as file:
        document = add_document(study, file=file, name=PAPER.name)
    assert digest_next()
    document.refresh_from_db()
    document.study.refresh_from_db()
    return document


def measured_in(study):
    rows = Experiment.objects.filter(study=study).order_by("position")
    return [row.measurements[0]["value"] for row in rows]


def test_the_eight_runs_of_the_paper_become_past_experiments_once(document):
    [table] = printed_tables(document.digest_items.order_by("position"))
    assert (table.label, len(table.rows), len(table.settings), len(table.measured)) == ("Table 4", 8, 3, 5)
    for _ in range(2):
        dataset = use_printed_runs(document, label="Table 4")
        assert dataset.problems == []
    document.study.refresh_from_db()
    assert document.study.objectives[0]["name"] == "Essential oil yield, aerial part"
    assert document.study.datasets.count() == 1
    assert measured_in(document.study) == YIELDS


def test_what_matters_may_be_another_column_and_a_stated_objective_stays(document):
    use_printed_runs(document, label="Table 4", measured="Aristolone, roots")
    assert document.study.objectives[0]["name"] == "Aristolone, roots"
    assert measured_in(document.study)[2] == 37.79
    use_printed_runs(document, label="Table 4", measured="Essential oil yield, roots")
    assert document.study.objectives[0]["name"] == "Aristolone, roots"


def test_a_dropped_run_stays_out(document):
    run = document.digest_items.filter(text__startswith="Table 4, Run 3").get()
    run.status = run.Status.DROPPED
    run.save()
    use_printed_runs(document, label="Table 4")
    assert measured_in(document.study) == YIELDS[:2] + YIELDS[3:]


@pytest.mark.parametrize(
    ("label", "measured", "said"), [("Table 9", "", "it has Table 4"), ("Table 4", "mass", "Aristolone")]
)
def test_a_table_or_a_name_that_is_not_there_is_named(document, label, measured, said):
    with pytest.raises(BadInput, match=said):
        use_printed_runs(document, label=label, measured=measured)
    assert not Experiment.objects.exists()


def test_the_command_line_does_the_same(document, capsys):
    call_command("study", "past", document.study.slug, "--table", "Table 4")
    assert measured_in(document.study) == YIELDS


def test_the_set_up_page_offers_it_and_does_it(document, client, admin_user):
    client.force_login(admin_user)
    page = client.get(f"/studies/{document.study.slug}/setup/").content.decode()
    assert "Table 4 prints 8 runs with their settings." in page
    answer = client.post(
        f"/documents/{document.pk}/do/past/", {"table": "Table 4", "measured": "Aristolone, roots"}
    )
    assert answer.status_code == 302
    assert len(measured_in(document.study)) == 8
