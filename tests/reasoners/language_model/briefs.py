"""A small study to pack and to answer: an esterification with two factors."""

from typing import Any

from agents.core.brief import Brief, Step, Veto
from agents.core.digest import DigestItem
from agents.core.findings import Finding
from agents.core.gates import Guidance
from agents.core.measurement import Experiment, Measurement
from agents.core.proposal import Hypothesis
from agents.core.science import Constraint, Objective, Parameter, Source, Space
from agents.core.study import StudyProtocol
from agents.core.tools import Action, ToolSpec

MEASURE = ToolSpec(
    name="measure",
    description="Look up the yield of a reaction. It was measured by UPLC.",
    is_experiment=True,
    input_schema={
        "type": "object",
        "properties": {
            "base": {"type": "string", "enum": ["KOAc", "CsOPiv"]},
            "temperature": {"type": "number", "minimum": 60, "maximum": 120, "unit": "°C"},
        },
        "required": ["base", "temperature"],
    },
)
SEARCH = ToolSpec(
    name="search_documents",
    description="Find passages of the study's documents.",
    input_schema={"type": "object", "properties": {"query": {"type": "string"}}, "required": ["query"]},
)
SPACE = Space(
    parameters=[
        Parameter(name="base", kind="categorical", levels=["KOAc", "CsOPiv", "KOPiv"]),
        Parameter(name="temperature", kind="continuous", unit="°C", low=60, high=120),
    ]
)


def protocol(**changes: Any) -> StudyProtocol:
    values: dict[str, Any] = {
        "study_id": "s1",
        "title": "Esterification",
        "goal": "Find the conditions of the highest yield.",
        "space": SPACE,
        "objectives": [Objective(name="yield", unit="%")],
        "constraints": [
            Constraint(id="C10", text="The solvent is dry."),
            Constraint(id="C2", text="At most 120 °C."),
        ],
        "digest": [number(f"Batch {n} had a pore volume of {n}.5 mm3/g") for n in range(1, 41)],
        "experiment_tool": "measure",
        "initial_hypothesis": "Yield rises with temperature.",
    }
    return StudyProtocol(**{**values, **changes})


def number(text: str) -> DigestItem:
    return DigestItem(kind="result", text=text, source=Source(origin="document", page=2, verified=True))


def conditions(n: int) -> dict[str, Any]:
    return {"base": ["KOAc", "CsOPiv"][n % 2], "temperature": 60 + n % 60}


def row(n: int, value: float) -> Experiment:
    measured = [Measurement(objective="yield", value=value, unit="%")]
    return Experiment(id=f"e{n}", planned=conditions(n), measurements=measured, round=n)


def brief(n: int = 6, **changes: Any) -> Brief:
    """The brief after ``n`` rounds."""
    done = range(max(1, n - 4), n + 1)
    values: dict[str, Any] = {
        "protocol": protocol(),
        "round": n + 1,
        "tools": [SEARCH, MEASURE],
        "hypothesis": Hypothesis(text="CsOPiv beats KOAc.", refuted_by="KOAc gives more at 90 °C."),
        "findings": [Finding(id=f"F{i}", study_id="s1", text=f"Claim {i}.", confidence=0.7) for i in done],
        "steps": [
            Step(
                round=i,
                action=Action(tool="measure", arguments=conditions(i)),
                outcome=f"yield {i}.25 %",
                stance="for",
            )
            for i in done
        ],
        "observation": {"success": True, "outcome": f"yield {n}.25 %", "data": {"log": log(n)}}
        if n
        else None,
        "experiments": [row(i, i + 0.25) for i in range(1, n + 1)],
    }
    return Brief(**{**values, **changes})


def log(n: int) -> str:
    return f"run {n} finished\n" + "\n".join(f"t={i * 30}s T={290 + i}.5K p={1 + i}.25bar" for i in range(14))


def guidance(text: str) -> Guidance:
    return Guidance(seq=1, text=text, by="Ada")


def veto(n: int, text: str) -> Veto:
    return Veto(
        round=n, action=Action(tool="measure", arguments=conditions(n)), reason_code="unsafe", text=text
    )
