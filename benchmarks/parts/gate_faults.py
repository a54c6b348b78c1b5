"""Forty ways in which a model gets a call wrong, each with what it meant."""

from dataclasses import dataclass, field
from typing import Any

Arguments = dict[str, Any]


@dataclass(frozen=True)
class Fault:
    """A faulty call. ``goal`` and ``intent`` are what the model has in mind: the tool in words, the values.

    ``also`` lists other arguments that are as good as ``intent``, where the intent itself is impossible.
    """

    kind: str
    tool: str
    intent: Arguments
    sent: Arguments
    sent_tool: str = ""
    goal: str = ""
    also: list[Arguments] = field(default_factory=list)


ASPIRIN = "CC(=O)Oc1ccccc1C(=O)O"
RUN: Arguments = {
    "base": "CsOPiv",
    "ligand": "X-Phos",
    "solvent": "DMAc",
    "concentration": 0.1,
    "temperature": 105,
}
LINE: Arguments = {"x": [0.0, 1.0, 2.0], "y": [1.0, 3.1, 4.9]}
POLYNOMIAL: Arguments = {"x": [0.0, 1.0, 2.0, 3.0], "y": [0.0, 1.1, 4.2, 8.9], "degree": 2}
PART: Arguments = {"smiles": "Brc1ccccc1", "equivalents": 1.0}
DILUTE: Arguments = {"stock_concentration": 1.0, "final_concentration": 0.1, "final_volume": 50.0}
BUFFER: Arguments = {"pka": 4.76, "acid_concentration": 0.1, "base_concentration": 0.2}


def _without(arguments: Arguments, *names: str) -> Arguments:
    return {name: value for name, value in arguments.items() if name not in names}


def _run(kind: str, sent: Arguments, **more: Any) -> Fault:
    return Fault(kind, "measure", RUN, sent, **more)


FAULTS: list[Fault] = [
    Fault(
        "misspelled tool",
        "calculate_descriptors",
        {"smiles": ASPIRIN},
        {"smiles": ASPIRIN},
        "calculate_descriptor",
    ),
    _run("misspelled tool", RUN, sent_tool="mesure"),
    Fault(
        "tool in another spelling", "name_to_smiles", {"name": "aspirin"}, {"name": "aspirin"}, "NameToSmiles"
    ),
    _run("tool with a prefix", RUN, sent_tool="functions.measure", goal="measure one experiment"),
    Fault(
        "invented tool",
        "calculate_descriptors",
        {"smiles": ASPIRIN},
        {"smiles": ASPIRIN},
        "run_quantum_chemistry",
        goal="calculate the descriptors of a molecule",
    ),
    Fault(
        "invented tool",
        "convert_units",
        {"value": 25.0, "from_unit": "°C", "to_unit": "K"},
        {"value": 25.0, "from_unit": "°C", "to_unit": "K"},
        "temperature_calculator",
        goal="convert the units of a value",
    ),
    _run("number as text", {**RUN, "concentration": "0.1"}),
    _run("number with its unit", {**RUN, "temperature": "105 °C"}),
    _run("number in another unit", {**RUN, "temperature": "378.15 K"}),
    _run("number in a wrong unit", {**RUN, "temperature": "105 min"}),
    _run("text for a number", {**RUN, "temperature": "abc"}),
    _run("NaN", {**RUN, "concentration": float("nan")}),
    _run("infinity", {**RUN, "temperature": float("inf")}),
    _run("true for a number", {**RUN, "concentration": True}),
    _run("null for a required field", {**RUN, "solvent": None}),
    _run("missing field", _without(RUN, "base")),
    _run("two missing fields", _without(RUN, "base", "temperature")),
    _run("extra field", {**RUN, "mood": "good"}),
    _run("misspelled field", {**_without(RUN, "ligand"), "ligant": "X-Phos"}),
    _run("field in another case", {**_without(RUN, "ligand"), "Ligand ": "X-Phos"}),
    _run("level in another case", {**RUN, "base": " csopiv "}),
    _run("misspelled level", {**RUN, "ligand": "XPhos"}),
    Fault(
        "unknown level",
        "measure",
        {**RUN, "base": "KOtBu"},
        {**RUN, "base": "KOtBu"},
        also=[{**RUN, "base": base} for base in ("KOAc", "KOPiv", "CsOAc", "CsOPiv")],
    ),
    Fault(
        "number between levels",
        "measure",
        {**RUN, "temperature": 110},
        {**RUN, "temperature": 110},
        also=[{**RUN, "temperature": level} for level in (105, 120)],
    ),
    Fault(
        "out of range",
        "buffer_ph",
        {**BUFFER, "acid_concentration": 55},
        {**BUFFER, "acid_concentration": 55},
        also=[{**BUFFER, "acid_concentration": 20}],
    ),
    Fault("negative volume", "dilution", DILUTE, {**DILUTE, "final_volume": -50.0}),
    Fault("a rule between fields", "dilution", DILUTE, _without(DILUTE, "final_volume")),
    Fault("invalid SMILES", "calculate_descriptors", {"smiles": "C1CCCCC1"}, {"smiles": "C1CCCCC"}),
    Fault("name for a SMILES", "calculate_descriptors", {"smiles": ASPIRIN}, {"smiles": "aspirin"}),
    Fault("empty SMILES", "calculate_descriptors", {"smiles": ASPIRIN}, {"smiles": ""}),
    Fault("list as JSON text", "fit_line", LINE, {**LINE, "x": "[0.0, 1.0, 2.0]"}),
    Fault("text in a list", "fit_line", LINE, {**LINE, "y": [1.0, "high", 4.9]}),
    Fault("list too short", "fit_line", LINE, {**LINE, "x": [0.0]}),
    Fault("fraction for a whole number", "fit_polynomial", POLYNOMIAL, {**POLYNOMIAL, "degree": 2.5}),
    Fault("whole number as text", "fit_polynomial", POLYNOMIAL, {**POLYNOMIAL, "degree": "2"}),
    Fault(
        "misspelled choice",
        "fit_curve",
        {**LINE, "model": "michaelis_menten"},
        {**LINE, "model": "michaelis-menten kinetics"},
    ),
    Fault(
        "true as text",
        "t_test",
        {"first": [1.0, 2.0], "second": [2.0, 4.0], "paired": True},
        {"first": [1.0, 2.0], "second": [2.0, 4.0], "paired": "True"},
    ),
    Fault(
        "missing field inside a list",
        "reaction_amounts",
        {"scale": 0.5, "components": [PART]},
        {"scale": 0.5, "components": [_without(PART, "equivalents")]},
    ),
    Fault(
        "misspelled field inside a list",
        "reaction_amounts",
        {"scale": 0.5, "components": [PART]},
        {"scale": 0.5, "components": [{"smiles": "Brc1ccccc1", "equivalent": 1.0}]},
    ),
    Fault(
        "unit of another dimension",
        "convert_units",
        {"value": 5.0, "from_unit": "mL", "to_unit": "L"},
        {"value": 5.0, "from_unit": "mL", "to_unit": "g"},
    ),
]
