"""Lists of actions: their shape, their references, what was decided on each."""

import pytest

from agents.core.errors import BadInput
from agents.core.tools import Action, EffectClass, ToolSpec
from agents.core.workflow import (
    MOST_STEPS,
    Item,
    item_decisions,
    items_of,
    ready,
    reference_of,
    references_in,
    used_by,
    value_at,
    workflow_of,
    workflow_spec,
)

NAME = Item(step=1, tool="name_to_smiles", arguments={"name": "aspirin"})
DESCRIBE = Item(step=2, tool="calculate_descriptors", arguments={"smiles": "$1.smiles"})


def test_items_come_back_as_they_went_in_and_get_numbers_where_they_have_none():
    assert items_of(workflow_of([NAME, DESCRIBE])) == [NAME, DESCRIBE]
    bare = {"items": [{"tool": "look", "arguments": {}}, {"tool": "look"}]}
    assert [item.step for item in items_of(Action(tool="workflow", arguments=bare))] == [1, 2]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({}, "a list of 1 to"),
        ({"items": []}, "a list of 1 to"),
        ({"items": "look"}, "a list of 1 to"),
        ({"items": [{"tool": "look"}], "more": 1}, "a list of 1 to"),
        ({"items": [3]}, "step, tool and arguments"),
        ({"items": [{"arguments": {}}]}, "step, tool and arguments"),
        ({"items": [{"step": 0, "tool": "look"}]}, "step, tool and arguments"),
        ({"items": [{"step": 2, "tool": "a"}, {"step": 2, "tool": "b"}]}, "step 2 twice"),
        ({"items": [{"tool": "look"}] * (MOST_STEPS + 1)}, "at most"),
    ],
)
def test_a_list_of_the_wrong_shape_is_refused_with_the_reason(arguments, said):
    with pytest.raises(BadInput, match=said):
        items_of(Action(tool="workflow", arguments=arguments))


def test_a_reference_is_a_whole_text():
    found = reference_of(" $12.rows[3].mean ")
    assert found is not None
    assert (found.step, found.path) == (12, ("rows", 3, "mean"))
    assert reference_of("$1") is not None
    assert [reference_of(text) for text in ("costs $1", "$x.y", "$1.", "1.smiles", "$1 .a", 1, None)] == [
        None
    ] * 7


def test_references_are_found_at_any_depth_with_their_place():
    arguments = {"x": ["$1.a", 2, "$2.b"], "deep": {"y": "$3"}}
    places = {found.text: found.place for found in references_in(arguments)}
    assert places == {"$1.a": ("x", 0), "$2.b": ("x", 2), "$3": ("deep", "y")}
    assert used_by(Item(step=4, tool="t", arguments=arguments)) == {1, 2, 3}


def test_what_is_ready_waits_for_nothing_that_is_missing():
    assert ready([NAME, DESCRIBE], []) == [NAME]
    assert ready([NAME, DESCRIBE], [1]) == [DESCRIBE]


def test_a_value_is_found_by_its_path_or_not_at_all():
    data = {"rows": [{"mean": 4}]}
    assert value_at(data, ("rows", 0, "mean")) == 4
    for path in (("row",), ("rows", 1), ("rows", "mean"), ("rows", 0, "mean", "x")):
        with pytest.raises(LookupError):
            value_at(data, path)


def spec(name: str, **given) -> ToolSpec:
    return ToolSpec(name=name, effect=EffectClass.LOCAL, **given)


def test_a_list_costs_what_its_items_cost_and_is_as_risky_as_the_riskiest():
    specs = {
        "a": spec("a", cost=2, duration_s=5, risk="medium", parallel_safe=True),
        "b": spec("b", cost=1, duration_s=3, is_reversible=False, parallel_safe=True, needs_review=True),
    }
    beside = workflow_spec([Item(step=1, tool="a"), Item(step=2, tool="b")], specs)
    assert (beside.cost, beside.duration_s, beside.risk) == (3, 5, "medium")
    assert (beside.is_reversible, beside.needs_review) == (False, True)
    chained = [Item(step=1, tool="a"), Item(step=2, tool="b", arguments={"x": "$1.y"})]
    assert workflow_spec(chained, specs).duration_s == 8
    alone = {"a": specs["a"].model_copy(update={"parallel_safe": False}), "b": specs["b"]}
    assert workflow_spec([Item(step=1, tool="a"), Item(step=2, tool="a")], alone).duration_s == 10


def test_each_item_has_a_decision_bound_to_what_was_shown_and_to_what_may_run():
    edited = NAME.model_copy(update={"arguments": {"name": "caffeine"}})
    look = Item(step=3, tool="look", arguments={"page": 1})
    decisions = item_decisions(workflow_of([NAME, DESCRIBE, look]), workflow_of([edited, DESCRIBE]))
    assert [decision.verdict for decision in decisions] == ["edit", "approve", "leave_out"]
    assert decisions[0].digest not in ("", decisions[0].proposed_digest)
    assert decisions[1].digest == decisions[1].proposed_digest
    assert decisions[2].digest == ""
