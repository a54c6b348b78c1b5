"""The tools of a study: what it is offered, and what they answer."""

from typing import Any

import pytest
from pydantic import BaseModel

from agents.core.digest import Passage
from agents.core.errors import BadInput
from agents.core.findings import Finding
from agents.core.science import Bound, Constraint, Objective, Parameter, Space
from agents.core.study import DatasetRef
from agents.core.tools import Action, EffectClass, ToolResult
from agents.tools.cache import ResultCache
from agents.tools.registry import Registry, load_registry, tool, tool_of
from agents.tools.study_tools import LEDGER_TABLE
from agents.tools.toolbox import StudyToolbox
from tests.tools.conftest import TableDouble, make_protocol, make_toolbox, row

LEDGER = [
    row(10.0, id="e1", base="KOAc", temperature=90),
    row(14.0, id="e2", base="KOAc", temperature=105),
    row(60.0, id="e3", base="CsOPiv", temperature=90),
    row(66.0, id="e4", base="CsOPiv", temperature=105),
]


class Mixed(BaseModel):
    """What came of mixing."""

    mass: float


async def ledger() -> list[Any]:
    return LEDGER


async def call(toolbox: StudyToolbox, tool: str, **arguments: Any) -> ToolResult:
    action = toolbox.check(Action(tool=tool, arguments=arguments)).action
    return await toolbox.call(action, idempotency_key="k")


@pytest.fixture
def study() -> StudyToolbox:
    return make_toolbox(experiments=ledger)


def names(toolbox: StudyToolbox) -> set[str]:
    return {spec.name for spec in toolbox.specs()}


def test_a_tool_is_offered_only_when_its_material_is_there() -> None:
    bare = names(make_toolbox())
    assert "measure" in bare
    assert not bare & {"search_documents", "recall_findings", "filter_rows", "ask_researcher"}


def test_the_protocol_limits_the_tools_but_never_takes_the_experiment_away() -> None:
    protocol = make_protocol(tools=["fit_line"])
    assert names(make_toolbox(protocol, registry=load_registry())) == {"fit_line", "measure"}


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"tools": ["fit_lime"]}, "the study names the tool 'fit_lime', which is not installed"),
        ({"datasets": []}, "the study measures with a dataset and has none as its instrument"),
    ],
)
def test_a_study_that_cannot_have_its_tools_says_so(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(BadInput, match=message):
        make_toolbox(make_protocol(**changes))


def test_the_instrument_cannot_be_read_as_a_table() -> None:
    past = DatasetRef(id="d2", name="earlier.csv", content_hash="1", role="past")
    protocol = make_protocol(datasets=[*make_protocol().datasets, past])
    datasets = {"d1": TableDouble(), "d2": TableDouble()}
    from agents.tools.registry import Registry

    toolbox = StudyToolbox(protocol, datasets=datasets, experiments=ledger, registry=Registry())
    spec = next(spec for spec in toolbox.specs() if spec.name == "filter_rows")
    assert spec.input_schema["properties"]["table"]["enum"] == [LEDGER_TABLE, "earlier.csv"]


async def test_the_ledger_is_described_with_units(study: StudyToolbox) -> None:
    data = (await call(study, "describe_dataset", table="experiments")).data
    columns = {column["name"]: column for column in data["columns"]}
    assert data["rows"] == 4
    assert columns["yield"] == {
        "name": "yield",
        "filled": 4,
        "unit": "%",
        "kind": "number",
        "low": 10.0,
        "high": 66.0,
        "mean": 37.5,
    }
    assert columns["base"]["levels"] == ["KOAc", "CsOPiv"]


async def test_rows_are_chosen_ordered_and_cut(study: StudyToolbox) -> None:
    result = await call(
        study,
        "filter_rows",
        table="experiments",
        where=[{"column": "temperature", "op": ">=", "value": 100}],
        columns=["base", "yield"],
        order_by="yield",
        descending=True,
        limit=1,
    )
    assert result.data == {"matched": 2, "rows": [{"base": "CsOPiv", "yield": 66.0}]}


async def test_a_wrong_column_names_the_nearest(study: StudyToolbox) -> None:
    result = await call(study, "filter_rows", table="experiments", order_by="yeild")
    assert result.fault == "bad_input"
    assert result.error_message.startswith(
        "there is no column 'yeild' (did you mean yield?); the columns are: base"
    )


async def test_groups_come_with_a_test_of_their_means(study: StudyToolbox) -> None:
    data = (await call(study, "group_rows", table="experiments", by=["base"], value="yield")).data
    assert [(g["group"], g["n"], g["mean"]) for g in data["groups"]] == [
        ({"base": "CsOPiv"}, 2, 63.0),
        ({"base": "KOAc"}, 2, 12.0),
    ]
    assert data["anova"]["f"] == pytest.approx(200.077, abs=0.001)


async def test_columns_are_fitted_and_correlated(study: StudyToolbox) -> None:
    fit = (await call(study, "fit_columns", table="experiments", x="temperature", y="yield")).data
    assert fit["parameters"][1]["value"] == pytest.approx(1 / 3)
    found = (await call(study, "correlate_columns", table="experiments", x="temperature", y="yield")).data
    assert found["n"] == 4


async def test_documents_are_searched_with_page() -> None:
    class Passages:
        async def search(self, query: str, *, limit: int = 5) -> list[Passage]:
            return [
                Passage(document_id="1", document="p.pdf", index=0, page=4, start=0, end=9, text="T ≤ 110 °C")
            ]

    result = await call(make_toolbox(passages=Passages()), "search_documents", query="temperature limit")
    assert result.data == {"passages": [{"document": "p.pdf", "page": 4, "text": "T ≤ 110 °C"}]}


async def test_findings_are_recalled_with_confidence() -> None:
    async def search(query: str, limit: int) -> list[Finding]:
        return [Finding(id="f1", study_id="s1", text="CsOPiv is better.", confidence=0.8, support=3)]

    result = await call(make_toolbox(findings=search), "recall_findings", query="base")
    found = result.data["findings"][0]
    assert (found["id"], found["confidence"], found["support"], found["status"]) == ("f1", 0.8, 3, "active")


async def test_tools_are_listed_and_described(study: StudyToolbox) -> None:
    listed = (await call(study, "list_tools", category="bench")).data["tools"]
    assert [(t["name"], t["category"]) for t in listed] == [("measure", "bench")]
    described = (await call(study, "describe_tool", name="measure")).data
    assert described["arguments"]["required"] == ["base", "temperature"]


async def test_describing_an_unknown_tool_names_the_nearest(study: StudyToolbox) -> None:
    result = await call(study, "describe_tool", name="mesure")
    assert "did you mean measure?" in result.error_message


async def test_a_factorial_plan_keeps_to_the_constraints() -> None:
    cool = Constraint(id="c1", text="", predicate=Bound(parameter="temperature", op="<=", value=105))
    data = (await call(make_toolbox(make_protocol(constraints=[cool])), "design_factorial")).data
    assert data["experiments"] == [
        {"base": base, "temperature": t} for base in ("KOAc", "CsOPiv") for t in (90, 105)
    ]
    assert data["left_out"] == 2


async def test_a_space_filling_plan_is_legal_distinct_and_repeatable() -> None:
    fractions = [Parameter(name=name, kind="mixture", low=0.0, high=1.0) for name in "abc"]
    warm = Parameter(name="t", kind="continuous", low=20, high=80)
    toolbox = make_toolbox(make_protocol(space=Space(parameters=[*fractions, warm]), experiment_tool=""))
    data = (await call(toolbox, "design_space_filling", count=12, seed=3)).data
    assert len({str(each) for each in data["experiments"]}) == 12
    assert all(abs(e["a"] + e["b"] + e["c"] - 1) < 1e-9 for e in data["experiments"])
    assert (await call(toolbox, "design_space_filling", count=12, seed=3)).data == data


async def test_an_action_that_was_not_checked_is_not_run(study: StudyToolbox) -> None:
    unchecked = Action(tool="measure", arguments={"base": "koac", "temperature": "90"})
    result = await study.call(unchecked, idempotency_key="k")
    assert (result.success, result.fault) == (False, "refused")


async def test_a_cacheable_result_is_returned_again_and_says_so() -> None:
    toolbox = make_toolbox(registry=load_registry())
    first = await call(toolbox, "fit_line", x=[0, 1, 2], y=[1, 2, 3])
    second = await call(toolbox, "fit_line", x=[0, 1, 2], y=[1, 2, 3])
    assert (first.cached, second.cached, second.data) == (False, True, first.data)


async def test_a_kept_result_serves_every_toolbox_of_the_study_and_no_other() -> None:
    cache = ResultCache()
    given = {"x": [0, 1, 2], "y": [1, 2, 3]}
    await call(make_toolbox(registry=load_registry(), cache=cache), "fit_line", **given)
    again = make_toolbox(registry=load_registry(), cache=cache)
    assert (await call(again, "fit_line", **given)).cached
    other = make_toolbox(make_protocol(study_id="s2"), registry=load_registry(), cache=cache)
    assert not (await call(other, "fit_line", **given)).cached


async def test_a_replicate_of_a_cacheable_tool_that_measures_is_measured() -> None:
    calls = []

    @tool(effect=EffectClass.LOCAL, in_process=True, cacheable=True)
    def mix(base: str, temperature: int) -> Mixed:
        """Mix and measure."""
        calls.append(temperature)
        return Mixed(mass=50)

    registry = Registry(tools={"mix": tool_of(mix)})
    study = make_toolbox(
        make_protocol(datasets=[], objectives=[Objective(name="mass")], experiment_tool="mix"),
        registry=registry,
    )
    for _ in range(2):
        assert not (await call(study, "mix", base="KOAc", temperature=90)).cached
    assert calls == [90, 90]


async def test_measurements_are_never_cached(study: StudyToolbox) -> None:
    for _ in range(2):
        assert not (await call(study, "measure", base="KOAc", temperature=90)).cached
