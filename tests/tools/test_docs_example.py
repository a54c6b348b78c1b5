"""The example of ``docs/tools.md`` works as it is printed."""

import json
import re
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from agents import wiring
from agents.core.errors import BadInput
from agents.core.tools import Action
from agents.services import create_study, missing_for_start
from agents.services.measuring import measuring_tools
from agents.tools.gate import check_action
from agents.tools.registry import Registry, load_registry, tool_of

PAGE = Path(__file__).resolve().parents[2] / "docs" / "tools.md"


@pytest.fixture(scope="module")
def example() -> Any:
    code = re.search(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    assert code is not None
    module = ModuleType("mylab_tools")
    exec(code[1], vars(module))
    return tool_of(module.glycerol_viscosity)


def test_it_registers_and_runs(example: Any) -> None:
    registry = Registry()
    registry.add(example, source="docs")
    assert registry.problems == []
    # Cheng (2008), doi 10.1021/ie071349z: water at 20 °C has 1.005 mPa·s.
    assert example.run({"temperature": 20.0, "glycerol": 0.0})["viscosity"] == pytest.approx(1.005, abs=0.01)


def test_its_unit_is_converted(example: Any) -> None:
    action = Action(tool="glycerol_viscosity", arguments={"temperature": "298.15 K", "glycerol": "0.5"})
    checked = check_action(action, {"glycerol_viscosity": example})
    assert checked.action.arguments == {"temperature": 25, "glycerol": 0.5}
    with pytest.raises(BadInput, match="below 5 °C"):
        example.run({"temperature": 1.0, "glycerol": 1.0})


@pytest.mark.django_db
def test_its_study_can_start_with_it(example: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    text = re.search(r"```json\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    assert text is not None
    registry = Registry(tools={"glycerol_viscosity": example})
    monkeypatch.setattr(wiring, "registry", lambda: registry)
    study = create_study(**json.loads(text[1]))
    assert (missing_for_start(study), study.experiment_tool) == ([], "glycerol_viscosity")
    assert measuring_tools(study) == [("glycerol_viscosity", "Glycerol viscosity")]


def test_every_built_in_tool_is_in_the_list() -> None:
    text = PAGE.read_text(encoding="utf-8")
    assert [name for name in load_registry(with_entry_points=False).tools if f"`{name}`" not in text] == []
