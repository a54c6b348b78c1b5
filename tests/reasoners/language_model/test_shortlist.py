"""Hundreds of tools: the prompt holds the experiment, what fits the goal, and the categories of the rest."""

import pytest

from agents.adapters.embeddings.choose import embedder_for
from agents.adapters.embeddings.ranking import MeaningRank
from agents.core.ranking import rank_by_words
from agents.core.tools import ToolSpec
from agents.reasoners.language_model.packing import TOOLS, pack
from agents.reasoners.language_model.replies import Unusable
from agents.reasoners.language_model.turns import read_turn
from agents.tools.directory import directory_tools
from agents.tools.registry import load_registry
from agents.tools.tool import Tool
from tests.reasoners.language_model.briefs import MEASURE, brief, protocol
from tests.reasoners.language_model.replies import said_json

GOAL = "Find the molecular weight and the octanol-water partition coefficient of a drug."
FIELDS = ["optics", "geology", "music", "astronomy", "fishing", "pottery"]


def toy(number: int) -> ToolSpec:
    field = FIELDS[number % len(FIELDS)]
    return ToolSpec(
        name=f"{field}_{number}",
        category=field,
        description=f"Toy number {number} about {field}.",
        input_schema={"type": "object", "properties": {"x": {"type": "number"}, "y": {"type": "number"}}},
    )


REAL = [tool.spec for tool in load_registry(with_entry_points=False).tools.values()]
DIRECTORY = [tool.spec for tool in directory_tools(dict)]
MANY = [MEASURE, *REAL, *DIRECTORY, *(toy(n) for n in range(300))]


def text_of(prompt, name: str) -> str:
    return next(part.text for part in prompt.parts if part.name == name)


def packed(n: int = 6, rank=rank_by_words, goal: str = GOAL):
    return pack(brief(n, tools=MANY, protocol=protocol(goal=goal)), rank=rank)


@pytest.fixture(scope="module")
def meaning() -> MeaningRank:
    return MeaningRank(embedder_for())


def test_the_tools_of_three_hundred_fit_their_room_with_the_experiment_and_the_categories():
    section = text_of(packed(), "tools")
    assert len(section) // 4 <= TOOLS["narrow"] * 1.2
    assert "measure(" in section
    assert "list_tools(" in section
    for field in FIELDS:
        assert f"{field} 50" in section


def test_what_fits_the_goal_is_found_by_meaning_and_told_in_full(meaning):
    section = text_of(packed(rank=meaning), "tools")
    assert "calculate_descriptors(smiles: text)" in section


def test_a_goal_in_other_words_still_finds_its_tool(meaning):
    goal = "How acidic is the mixture of a weak acid and its salt?"
    assert "buffer_ph(" in text_of(packed(rank=meaning, goal=goal), "tools")


def test_the_head_stays_the_same_from_step_to_step(meaning):
    heads = {packed(n, rank=meaning).messages[0].content for n in (0, 1, 7, 40)}
    assert len(heads) == 1


def test_the_order_in_which_tools_are_given_does_not_matter(meaning):
    turned = pack(brief(6, tools=MANY[::-1], protocol=protocol(goal=GOAL)), rank=meaning)
    assert turned.messages[0].content == packed(rank=meaning).messages[0].content


def test_the_replys_schema_does_not_hold_three_hundred_names():
    assert packed().reply.shape["properties"]["action"]["properties"]["tool"] == {"type": "string"}


def test_a_tool_that_was_not_shown_may_be_called():
    given = {"memory": [], "hypothesis": {"text": "h"}, "action": {"tool": "music_2", "arguments": {"x": 1}}}
    turn = read_turn(said_json(given), brief(6, tools=MANY, protocol=protocol(goal=GOAL)))
    assert turn.proposal.action.tool == "music_2"


def test_an_unknown_tool_is_answered_with_the_nearest_names_and_how_to_see_the_others():
    given = {
        "memory": [],
        "hypothesis": {"text": "h"},
        "action": {"tool": "calculate_weights", "arguments": {}},
    }
    with pytest.raises(Unusable, match=r"calculate_descriptors.* more, see list_tools") as caught:
        read_turn(said_json(given), brief(6, tools=MANY, protocol=protocol(goal=GOAL)))
    assert len(str(caught.value)) < 400


def test_list_tools_finds_by_task_and_by_category_and_says_how_many_more(meaning):
    tools = {spec.name: Tool(spec=spec, run=lambda arguments: {}) for spec in MANY}
    found = {tool.spec.name: tool for tool in directory_tools(lambda: tools, meaning)}["list_tools"]
    listed = found.run({"about": "partition coefficient of a molecule"})
    assert "calculate_descriptors" in [row["name"] for row in listed["tools"]]
    music = found.run({"category": "music"})
    assert (len(music["tools"]), music["more"]) == (30, 20)
    assert {"name": "optics", "tools": 50} in music["categories"]
