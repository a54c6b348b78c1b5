"""The labelled questions of ``retrieval.py``: written by hand, and about rows of the direct arylation dataset.

There are two sets. ``tuning`` is what shares and thresholds were chosen on; ``held_out`` was written before the
first look at its figures and nothing was chosen on it. The hand-written findings follow the sample papers and datasets. They are material for searching, not claims.
"""

import csv
import json
import random
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).parents[1]
EXAMPLE = HERE.parent / "examples" / "direct_arylation"
ROWS = 400
ROW_QUESTIONS = 40
SETS = ("tuning", "held_out")


@dataclass(frozen=True)
class Case:
    """A question and the ids that answer it (none: nothing does)."""

    kind: str
    text: str
    answers: frozenset[str]


def hand_written_findings() -> dict[str, tuple[str, str]]:
    """Return study and text by id, of both sets: a question is asked among all of them."""
    rows = [line for name in SETS for line in _lines(f"retrieval_findings_{name}.tsv")]
    return {key: (study, text) for key, study, text in (line.split("\t") for line in rows)}


def hand_written_cases(name: str) -> list[Case]:
    """Return the questions of set ``name`` in English (``en``) and Chinese (``zh``); ``-`` marks those that
    nothing answers."""
    cases = []
    for language, text, answers in (line.split("\t") for line in _lines(f"retrieval_queries_{name}.tsv")):
        known = frozenset() if answers == "-" else frozenset(answers.split(","))
        cases.append(Case(language if known else "negative", text, known))
    return cases


def _lines(name: str) -> list[str]:
    return (HERE / "data" / name).read_text(encoding="utf-8").splitlines()


def dataset_statements(count: int) -> dict[str, tuple[str, tuple[str, ...]]]:
    """Return text and conditions by id of ``count`` rows, one in three in Chinese."""
    names = _names()
    with (EXAMPLE / "data.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    statements = {}
    for number, row in enumerate(random.Random(1).sample(rows, min(count, len(rows)))):
        base, ligand, solvent = (names[row[f"{part}_SMILES"]] for part in ("Base", "Ligand", "Solvent"))
        molar, celsius, value = row["Concentration"], row["Temp_C"], float(row["yield"])
        text = (
            f"With {base}, {ligand} in {solvent} at {molar} M and {celsius} °C the yield was {value:.1f} %."
            if number % 3
            else f"用 {base} 和 {ligand}，在 {solvent} 中 {molar} M、{celsius} ℃ 下产率为 {value:.1f} %。"
        )
        statements[f"row{row['entry']}"] = (text, (base, ligand, solvent, molar, celsius))
    return statements


def row_cases(statements: dict[str, tuple[str, tuple[str, ...]]], name: str) -> list[Case]:
    """Return questions for the yield of one set of conditions: names and numbers that mean little to a model."""
    step = len(statements) // ROW_QUESTIONS
    chosen = list(statements.items())[SETS.index(name) * (step // 2) :: step][:ROW_QUESTIONS]
    cases = []
    for number, (key, (_, (base, ligand, solvent, molar, celsius))) in enumerate(chosen):
        text = (
            f"yield of {ligand} with {base} in {solvent}, {molar} M, {celsius} °C"
            if number % 2
            else f"{ligand} {base} {solvent} {molar} M {celsius} ℃ 的产率"
        )
        cases.append(Case("rows", text, frozenset({key})))
    return cases


def _names() -> dict[str, str]:
    study = json.loads((EXAMPLE / "study.json").read_text(encoding="utf-8"))
    return {
        smiles: level
        for parameter in study["space"]["parameters"]
        for level, smiles in parameter.get("smiles", {}).items()
    }
