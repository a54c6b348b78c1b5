"""Plots: what is drawn, what is refused, and that a picture is a file of the store."""

import base64
from typing import Any

import pytest

from agents.core.errors import BadInput
from agents.core.pictures import PNG_BEGINNING, pictures_of, stored_picture
from agents.core.tools import Action, ToolResult
from agents.tools.data.plots import MOST_PLACES, drawing_of
from tests.tools.conftest import make_toolbox, row

ROWS = [
    {"base": base, "temperature": t, "yield": 10.0 * n + t / 10}
    for n, base in enumerate(("KOAc", "CsOPiv"))
    for t in (90, 105, 105)
]


class Store:
    def __init__(self) -> None:
        self.kept: dict[str, bytes] = {}

    def __call__(self, content: bytes, *, name: str, media_type: str) -> str:
        assert media_type == "image/png"
        self.kept[f"{len(self.kept):064d}"] = content
        return f"{len(self.kept) - 1:064d}"


async def ledger() -> list[Any]:
    return [
        row(10.0, id="e1", base="KOAc", temperature=90),
        row(66.0, id="e2", base="<b>$x_{", temperature=105),
    ]


async def plotted(store: Store, **arguments: Any) -> ToolResult:
    toolbox = make_toolbox(experiments=ledger, artifacts=store)
    action = toolbox.check(Action(tool="plot", arguments={"table": "experiments", **arguments})).action
    return await toolbox.call(action, idempotency_key="k")


def drawn(rows: Any = ROWS, **given: Any) -> Any:
    defaults: dict[str, Any] = {"y": None, "by": None, "units": {"yield": "%"}, "title": ""}
    return drawing_of(rows, **{**defaults, **given})[0]


def test_bars_are_means_with_their_spread_by_colour() -> None:
    bars = drawn(kind="bar", x="temperature", y="yield", by="base")
    assert bars.ticks == ["90", "105"]
    assert [(s.name, s.x, s.y) for s in bars.series] == [
        ("CsOPiv", [0.0, 1.0], [19.0, 20.5]),
        ("KOAc", [0.0, 1.0], [9.0, 10.5]),
    ]
    assert bars.y_label == "mean of yield (%)"


def test_bars_without_y_count_rows_and_points_over_text_get_places() -> None:
    counted = drawn(kind="bar", x="base")
    assert counted.series[0].y == [3.0, 3.0]
    points = drawn(kind="scatter", x="base", y="yield")
    assert (points.ticks, points.series[0].x) == (["KOAc", "CsOPiv"], [0.0, 0.0, 0.0, 1.0, 1.0, 1.0])


def test_rows_without_a_value_are_left_out_and_counted() -> None:
    rows = [*ROWS, {"base": "KOAc", "temperature": 90, "yield": None}]
    assert drawing_of(rows, kind="scatter", x="temperature", y="yield", by=None, units={}, title="")[1] == 6


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"kind": "line", "x": "temperature"}, "field y is missing: a line plot needs"),
        ({"kind": "histogram", "x": "yield", "y": "yield"}, "a histogram counts the values of x alone"),
        ({"kind": "histogram", "x": "base"}, "none of the 6 rows has a value to draw in base"),
    ],
)
def test_what_cannot_be_drawn_is_answered_precisely(given: dict[str, Any], message: str) -> None:
    with pytest.raises(BadInput, match=message):
        drawn(**given)


@pytest.mark.parametrize(("role", "most"), [("x", MOST_PLACES), ("by", 12)])
def test_too_many_values_are_refused_with_what_to_do(role: str, most: int) -> None:
    rows = [{"name": f"n{n}", "yield": 1.0} for n in range(most + 1)]
    given = {"x": "name"} if role == "x" else {"x": "yield", "by": "name"}
    with pytest.raises(BadInput, match=f"more than {most} .*use where"):
        drawn(rows, kind="bar" if role == "x" else "scatter", y="yield", **given)


async def test_a_plot_is_stored_and_the_result_holds_its_hash_and_its_words() -> None:
    store = Store()
    result = await plotted(store, kind="scatter", x="temperature", y="yield", by="base", title="$\\frac{")
    assert result.success, result.error_message
    (name, content), *more = store.kept.items()
    assert (result.artifacts, more) == ([name], [])
    assert content.startswith(PNG_BEGINNING)
    assert result.data == {
        "picture": stored_picture(name),
        "caption": "scatter of yield (%) against temperature (°C), by base: 2 rows of experiments",
        "points": 2,
        "left_out": 0,
    }
    assert result.summary == f"Plot: {result.data['caption']}."
    again = await plotted(store, kind="scatter", x="temperature", y="yield", by="base", title="$\\frac{")
    assert store.kept[again.artifacts[0]] == content


async def test_an_unknown_column_names_the_nearest() -> None:
    result = await plotted(Store(), kind="histogram", x="yeild")
    assert (result.fault, "did you mean yield?" in result.error_message) == ("bad_input", True)


def test_a_tool_cannot_name_a_picture_that_it_did_not_draw() -> None:
    own, foreign = "a" * 64, "b" * 64
    data = {
        "steps": [{"data": {"p": stored_picture(own), "caption": "mine"}}, {"p": stored_picture(foreign)}]
    }
    found = pictures_of({"data": data, "artifacts": [own]})
    assert [(p.content_hash, p.caption) for p in found] == [(own, "mine")]
    assert pictures_of({"data": {"p": base64.b64encode(PNG_BEGINNING).decode()}, "artifacts": []}) == []
