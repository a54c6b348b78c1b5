"""``manage.py export``"""

import pytest

from reviews.exports import export_run
from tests.commands.console import fault, say
from tests.reviews.exports import stories

pytestmark = pytest.mark.django_db


@pytest.fixture
def run():
    return stories.reload(stories.whole_run())


@pytest.mark.parametrize("name", ["best-base#1", "id", "beginning"])
def test_a_run_is_named_by_study_and_number_by_id_or_its_beginning(run, name):
    given = {"id": str(run.pk), "beginning": str(run.pk).replace("-", "")[:10]}.get(name, name)
    assert say("export", given, "--format", "jsonl") == export_run(run, "jsonl").content.decode()


def test_the_format_follows_from_the_name_of_the_file(run, tmp_path):
    say("export", "best-base#1", "-o", str(tmp_path / "out.csv"))
    assert (tmp_path / "out.csv").read_bytes() == export_run(run, "csv").content


def test_a_folder_gets_the_files_own_name(run, tmp_path):
    say("export", "best-base#1", "--format", "html", "-o", str(tmp_path))
    assert [path.name for path in tmp_path.iterdir()] == ["best-base-run-1-report.html"]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["best-base#7", "--format", "md"], "The study best-base has no run '7'; its runs: 1."),
        (["best-base#x", "--format", "md"], "The study best-base has no run 'x'; its runs: 1."),
        (["worst#1", "--format", "md"], "There is no study 'worst'. Studies: best-base."),
        (["zzz", "--format", "md"], "'zzz' is no id of a run."),
        (["best-base#1"], "Say --format (html, md, csv, jsonl, methods)"),
        (["best-base#1", "-o", "x.docx"], "Say --format (html, md, csv, jsonl, methods)"),
        (
            ["best-base#1", "-o", "/nowhere/x.md"],
            "/nowhere/x.md cannot be written: No such file or directory.",
        ),
    ],
)
def test_bad_input_is_named(run, words, message):
    assert message in str(fault("export", *words))


def test_a_file_that_cannot_be_finished_leaves_the_old_one(run, tmp_path, monkeypatch):
    from pathlib import Path

    target = tmp_path / "out.md"
    target.write_text("old")
    monkeypatch.setattr(
        Path, "replace", lambda self, other: (_ for _ in ()).throw(OSError(28, "No space left on device"))
    )
    assert "No space left on device" in str(fault("export", "best-base#1", "-o", str(target)))
    assert [(path.name, path.read_text()) for path in tmp_path.iterdir()] == [("out.md", "old")]
