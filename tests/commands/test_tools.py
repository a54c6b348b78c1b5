"""``manage.py tools``: what is there, how it is called, and a try through the same gate."""

import pytest

from tests.commands.console import data, fault, say

pytestmark = pytest.mark.django_db


def test_the_list_names_every_tool_with_its_category():
    rows = data("tools", "list")["tools"]
    assert {"name": "convert_units", "category": "numerics", "version": "1"} in rows
    assert "calculate_descriptors" in say("tools", "list", "--category", "chemistry")
    assert "calculate_descriptors" not in say("tools", "list", "--category", "numerics")


def test_show_tells_what_it_takes_what_it_declares_and_an_example():
    shown = say("tools", "show", "calculate_descriptors")
    for part in ("smiles", "MolWt", "g/mol", "cacheable", "retries", "example"):
        assert part in shown


def test_a_try_runs_the_tool_and_corrects_what_can_mean_one_thing():
    tried = data("tools", "try", "calculate_descriptors", "--set", "smiles= CC(=O)Oc1ccccc1C(=O)O ")
    assert round(tried["data"]["MolWt"], 2) == 180.16
    listed = data("tools", "try", "describe_values", "--set", "values=[1, 2, 3]")
    assert listed["data"]["mean"] == 2


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("try", "calculate_descriptors", "--set", "smiles=C1CC"), "a structure as SMILES"),
        (("try", "calculate_descriptors"), "field smiles is missing"),
        (("try", "calculate_descriptors", "--set", "smiles"), "write --set NAME=VALUE"),
        (("try", "calculate_descriptors", "--arguments", "[1]"), "one JSON object"),
        (("try", "calculate_descriptors", "--arguments", "{"), "no JSON"),
        (("try", "calculate_descriptor"), "There is no tool 'calculate_descriptor'"),
        (("show", "nothing"), "There is no tool 'nothing'"),
    ],
)
def test_what_cannot_be_tried_is_answered_precisely(words, message):
    assert message in str(fault("tools", *words))
