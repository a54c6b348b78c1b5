"""Files of a result: what may come, what is read from them, and that a hash opens nothing by itself."""

import io

import pytest
from PIL import Image

from agents.core.errors import BadInput, Conflict, NotFound
from agents.services import stop_run
from agents.store.artifacts import store_bytes
from reviews.bench.drafts import draft_fields, save
from reviews.bench.files import attach, detach, file_of, thumbnail
from reviews.bench.prefill import prefill
from reviews.models import BenchFile
from reviews.services import decide


def put(gate, content: bytes, name: str = "scan.csv") -> BenchFile:
    return attach(gate=gate, by="ana", file=io.BytesIO(content), name=name)


def picture(kind: str = "PNG", size=(800, 600)) -> bytes:
    out = io.BytesIO()
    Image.new("RGB", size, "red").save(out, format=kind)
    return out.getvalue()


def answer(gate, user, **result):
    return decide(gate=gate, user=user, verdict="answer", shown_digest=gate.digest, result=result)


def test_a_file_becomes_part_of_the_result_by_name_and_hash(bench):
    file = put(bench.cold, b"yield\n71.5\n", "../../scan.csv")
    result = answer(bench.cold, bench.ana, **{"yield": 71.5}).answer["result"]
    (kept,) = result["attachments"]
    assert (kept["name"], kept["content_hash"], kept["size"]) == ("scan.csv", file.content_hash, 11)


def test_a_hash_that_somebody_types_is_not_taken(bench):
    secret = store_bytes(b"of another study").content_hash
    typed = [{"name": "x.csv", "content_hash": secret}]
    result = answer(bench.cold, bench.ana, attachments=typed, **{"yield": 71.5}).answer["result"]
    assert "attachments" not in result
    with pytest.raises(NotFound):
        file_of(bench.study, secret)


def test_the_same_content_is_kept_once(bench):
    assert put(bench.cold, b"a,b\n1,2\n").pk == put(bench.cold, b"a,b\n1,2\n", "again.csv").pk


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("page.html", b"<script>", "cannot be attached: expected one of csv"),
        ("drawing.svg", b"<svg>", "cannot be attached"),
        ("noname", b"x", "cannot be attached"),
        ("photo.png", b"<script>alert(1)</script>", "does not hold what its name says"),
        ("paper.pdf", b"PK\x03\x04", "does not hold what its name says"),
        ("table.csv", b"\x00\x01\x02", "does not hold what its name says"),
        ("empty.csv", b"", "is empty"),
    ],
)
def test_what_may_not_come_is_named(bench, name, content, message):
    with pytest.raises(BadInput, match=message):
        put(bench.cold, content, name)
    assert not BenchFile.objects.exists()


def test_a_file_too_large_is_refused(bench, monkeypatch):
    monkeypatch.setattr("reviews.bench.files.LIMIT", 1 << 20)
    with pytest.raises(BadInput, match="larger than 1 MB"):
        put(bench.cold, b"1\n" * (1 << 20))


def test_a_result_holds_so_many_files(bench, monkeypatch):
    monkeypatch.setattr("reviews.bench.files.MOST_ATTACHMENTS", 2)
    for number in range(2):
        put(bench.cold, b"a\n%d\n" % number)
    with pytest.raises(BadInput, match="at most 2 files"):
        put(bench.cold, b"a\n3\n")


def test_after_the_result_nothing_is_added_or_removed(bench):
    file = put(bench.cold, b"a\n1\n")
    answer(bench.cold, bench.ana, **{"yield": 71.5})
    with pytest.raises(Conflict):
        put(bench.cold, b"a\n2\n")
    with pytest.raises(Conflict):
        detach(gate=bench.cold, file_id=file.pk)
    stop_run(bench.hot.run_id, by="olga")
    with pytest.raises(Conflict):
        put(bench.hot, b"a\n2\n")


def test_only_files_of_this_result_are_removed(bench):
    other = put(bench.hot, b"a\n1\n")
    detach(gate=bench.cold, file_id=other.pk)
    assert BenchFile.objects.filter(pk=other.pk).exists()


@pytest.mark.parametrize(("kind", "name"), [("PNG", "a.png"), ("JPEG", "a.jpg"), ("TIFF", "a.tif")])
def test_an_image_is_drawn_small_and_anew(bench, kind, name):
    with Image.open(io.BytesIO(thumbnail(put(bench.cold, picture(kind), name)))) as small:
        assert (small.format, max(small.size)) == ("PNG", 480)


@pytest.mark.parametrize("content", [picture()[:60], b"\x89PNG\r\n\x1a\n" + b"junk" * 50])
def test_a_broken_image_is_kept_and_not_drawn(bench, content):
    file = put(bench.cold, content, "broken.png")
    with pytest.raises(NotFound):
        thumbnail(file)


def test_an_image_of_too_many_pixels_is_not_drawn(bench, monkeypatch):
    monkeypatch.setattr("reviews.bench.files.LARGEST_IMAGE", 1000)
    with pytest.raises(NotFound):
        thumbnail(put(bench.cold, picture(), "large.png"))


def taken(bench, table: str) -> tuple[str, dict[str, str]]:
    (note,) = prefill(bench.cold, put(bench.cold, table.encode()), by="ana")
    return note, draft_fields(bench.cold)


def test_a_column_called_like_the_objective_fills_the_readings(bench):
    note, fields = taken(bench, "sample,yield\na,70.5\nb,71.5\n")
    assert note == "Yield 70.5; 71.5 % from column “yield” of scan.csv"
    assert fields["res.measurements.yield.replicates"] == "70.5; 71.5"


def test_a_column_in_another_unit_is_converted_and_one_row_is_the_value(bench):
    _, fields = taken(bench, "Yield (‰)\n715\n")
    assert fields["res.measurements.yield.value"] == "71.5"


def test_a_column_in_a_wrong_unit_is_not_taken_and_says_why(bench):
    note, fields = taken(bench, "yield (mg)\n715\n")
    assert "mg cannot be converted to %" in note
    assert fields == {}


def test_what_is_typed_is_never_overwritten_by_a_file(bench):
    box = "res.measurements.yield.value"
    save(bench.cold, by="ana", posted={box: "60"}, base={})
    note, fields = taken(bench, "yield\n71\n")
    assert (fields[box], "has a value already" in note) == ("60", True)


@pytest.mark.parametrize(
    "table", ["time,signal\n1,2\n", "yield\n\n", "yield\nhot\n", "yield\n" + "1\n" * 300]
)
def test_a_table_that_cannot_fill_the_form_is_kept_and_says_so(bench, table):
    note, fields = taken(bench, table)
    assert note
    assert fields == {}
    assert BenchFile.objects.get().notes == [note]
