"""Registering tools: the decorator, loading, and what is kept out and why."""

from typing import Annotated

import pytest
from pydantic import BaseModel, Field

from agents.core.tools import EffectClass
from agents.tools.registry import Registry, load_registry, tool, tool_of
from agents.tools.schema import Unit


class Mixture(BaseModel):
    """A mixture."""

    volume: Annotated[float, Unit("mL")]


@tool(category="bench", examples=[{"volume": 2.0}])
def stir(
    volume: Annotated[float, Unit("mL"), Field(gt=0)], speed: Annotated[int | None, Unit("rpm")] = None
) -> Mixture:
    """Stir a mixture.

    Gently.
    """
    return Mixture(volume=volume)


def test_a_typed_function_becomes_a_specification() -> None:
    spec = tool_of(stir).spec
    assert (spec.name, spec.title, spec.category) == ("stir", "Stir", "bench")
    assert spec.description == "Stir a mixture. Gently."
    assert spec.input_schema == {
        "type": "object",
        "properties": {
            "volume": {"type": "number", "title": "Volume", "unit": "mL", "exclusiveMinimum": 0},
            "speed": {"type": "integer", "title": "Speed", "unit": "rpm"},
        },
        "required": ["volume"],
        "additionalProperties": False,
    }
    assert spec.output_schema["properties"] == {"volume": {"type": "number", "title": "Volume", "unit": "mL"}}


def test_unless_declared_an_effect_is_blind_and_the_call_isolated() -> None:
    assert tool_of(stir).spec.effect is EffectClass.BLIND
    assert tool_of(stir).reference == "tests.tools.test_registry:stir"


def test_the_function_can_still_be_called() -> None:
    assert stir(2.0) == Mixture(volume=2.0)


def test_a_function_may_take_a_model_and_return_a_plain_value() -> None:
    @tool()
    def weigh(mixture: Mixture) -> float:
        """Weigh a mixture."""
        return mixture.volume * 0.8

    found = tool_of(weigh)
    assert found.spec.input_schema["required"] == ["volume"]
    assert found.run({"volume": 10.0}) == {"result": 8.0}


def test_nested_models_are_written_out_without_references() -> None:
    @tool()
    def combine(parts: list[Mixture]) -> float:
        """Combine mixtures."""
        return sum(part.volume for part in parts)

    items = tool_of(combine).spec.input_schema["properties"]["parts"]["items"]
    assert items["properties"] == {"volume": {"type": "number", "title": "Volume", "unit": "mL"}}
    assert items["additionalProperties"] is False
    assert tool_of(combine).run({"parts": [{"volume": 1.0}, {"volume": 2.0}]}) == {"result": 3.0}


def test_a_parameter_without_a_type_is_refused_where_it_is_written() -> None:
    with pytest.raises(ValueError, match="the parameter speed needs a type of its own"):

        @tool()
        def spin(speed) -> float:  # type: ignore[no-untyped-def]
            """Spin."""
            return 0.0


def test_every_built_in_tool_loads() -> None:
    registry = load_registry()
    assert registry.problems == []
    assert {"calculate_descriptors", "name_to_smiles", "fit_line", "t_test"} <= set(registry.tools)


def test_tools_load_by_dotted_path() -> None:
    registry = load_registry(["tests.tools.test_registry:stir"], with_entry_points=False)
    assert registry.tools["stir"].spec.category == "bench"


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("no.such.module", "ModuleNotFoundError: No module named 'no'"),
        (
            "tests.tools.test_registry:missing",
            "module 'tests.tools.test_registry' has no attribute 'missing'",
        ),
        ("tests.tools.conftest:make_toolbox", "no function there carries @tool"),
        ("tests.tools.broken_plugin", "RuntimeError: no licence"),
    ],
)
def test_a_broken_plug_in_is_a_problem_and_not_a_crash(path: str, message: str) -> None:
    registry = load_registry([path], with_entry_points=False)
    assert [problem["source"] for problem in registry.problems] == [path]
    assert message in registry.problems[0]["message"]
    assert "fit_line" in registry.tools


def test_a_plug_in_cannot_take_the_name_of_another_tool() -> None:
    @tool()
    def fit_line() -> float:
        """Something else."""
        return 0.0

    registry = load_registry(with_entry_points=False)
    registry.add(tool_of(fit_line), source="plugin")
    assert registry.problems == [
        {"source": "plugin", "message": "a tool called fit_line exists already; give this one another name"}
    ]
    assert registry.tools["fit_line"].spec.category == "numerics"


def test_examples_are_put_through_the_gate() -> None:
    @tool(examples=[{"volume": -1.0}])
    def pour(volume: Annotated[float, Field(gt=0)]) -> float:
        """Pour."""
        return volume

    registry = Registry()
    registry.add(tool_of(pour), source="plugin")
    assert registry.problems[0]["message"] == (
        "an example of pour is not valid: arguments of pour: "
        "field volume: expected a number, above 0, received -1.0"
    )


def test_a_tool_must_say_what_it_does() -> None:
    @tool()
    def silent() -> float:
        return 0.0

    registry = Registry()
    registry.add(tool_of(silent), source="plugin")
    assert "silent has no docstring" in registry.problems[0]["message"]
