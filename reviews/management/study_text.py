"""A study for a terminal, and the same as plain data for scripts."""

from collections.abc import Iterator
from typing import Any

from agents.core.constraints import describe
from agents.core.science import Constraint, Parameter, Space
from agents.models import DigestItem, Study

INDENT = "  "


def study_data(study: Study) -> dict[str, Any]:
    """Return everything that ``study show`` says, as plain JSON."""
    fields = (
        "slug",
        "title",
        "goal",
        "domain",
        "language",
        "reasoner",
        "policy",
        "batch",
        "milestones",
        "initial_hypothesis",
        "budget",
    )
    return {
        "id": str(study.pk),
        **{name: getattr(study, name) for name in fields},
        "documents": [
            {
                "name": row.name,
                "status": row.status,
                "pages": row.pages,
                "how": row.how,
                "error": row.error,
                "warnings": row.warnings,
                "coverage": {name: row.coverage.get(name) for name in ("captured", "seen")},
            }
            for row in study.documents.all()
        ],
        "datasets": [
            {
                "name": row.name,
                "role": row.role,
                "rows": row.rows,
                "columns": row.columns,
                "problems": row.problems,
            }
            for row in study.datasets.all()
        ],
        "digest": [_item(row) for row in study.digest_items.select_related("document")],
        "parameters": (study.space or {}).get("parameters", []),
        "objectives": study.objectives,
        "constraints": study.constraints,
        "experiments": study.experiments.count(),
        "runs": [
            {
                "run": str(run.pk),
                "number": run.number,
                "status": run.status,
                "round": run.round,
                "best": run.state.get("best"),
            }
            for run in study.runs.order_by("number")
        ],
    }


def _item(row: DigestItem) -> dict[str, Any]:
    return {
        "kind": row.kind,
        "text": row.text,
        "status": row.status,
        "document": row.document.name if row.document else "",
        "page": row.page,
        "quote": row.quote,
        "is_verified": row.is_verified,
    }


def study_lines(data: dict[str, Any]) -> Iterator[str]:
    """Return the lines of ``study_data`` for a reader."""
    yield f"{data['title']}  ({data['slug']})"
    yield f"Goal: {data['goal'] or 'not stated yet'}"
    yield f"Reasoner {data['reasoner']}, policy {data['policy']}"
    yield from _part("Documents", [line for row in data["documents"] for line in _document(row)])
    yield from _part("Datasets", [_dataset(row) for row in data["datasets"]])
    yield from _part("Digest", [line for row in data["digest"] for line in _digest(row)])
    yield from _part("Parameters", [_parameter(row) for row in data["parameters"]])
    yield from _part(
        "Objectives",
        [f"{row['name']} ({row['unit'] or 'no unit'}): {row['goal']}" for row in data["objectives"]],
    )
    yield from _part("Constraints", list(_constraints(data)))
    yield from _part("Runs", [_run(data["slug"], row) for row in data["runs"]])
    yield from _part("Missing before a run can start", data.get("missing_for_start", []))


def _part(title: str, lines: list[str]) -> Iterator[str]:
    if lines:
        yield f"\n{title}"
        yield from (f"{INDENT}{line}" for line in lines)


def _document(row: dict[str, Any]) -> Iterator[str]:
    how = (
        f", digested {'without a language model' if row['how'] == 'extractive' else 'by a language model'}"
        if row["how"]
        else ""
    )
    seen = row["coverage"]["seen"]
    coverage = f", {row['coverage']['captured']} of {seen} numbers captured" if seen else ""
    error = f": {row['error']}" if row["error"] else ""
    yield f"{row['name']}: {row['status']}, {row['pages']} pages{how}{coverage}{error}"
    yield from (f"{INDENT}Warning  {warning}" for warning in row["warnings"])


def _dataset(row: dict[str, Any]) -> str:
    problems = f", {len(row['problems'])} problems" if row["problems"] else ""
    return f"{row['name']}: {row['role']}, {row['rows']} rows{problems}"


def _digest(row: dict[str, Any]) -> Iterator[str]:
    state = "" if row["status"] in ("proposed", "kept") else f" [{row['status']}]"
    yield f"{row['kind']}: {row['text']}{state}"
    if row["quote"]:
        mark = "" if row["is_verified"] else ", not found on that page"
        yield f"{INDENT}“{row['quote']}” ({row['document']}, page {row['page']}{mark})"


def _parameter(row: dict[str, Any]) -> str:
    parameter = Parameter.model_validate(row)
    if parameter.levels:
        return f"{parameter.title}: {', '.join(map(_level, parameter.levels))}"
    return f"{parameter.title}: {parameter.low:g} to {parameter.high:g}"


def _level(level: float | str) -> str:
    return level if isinstance(level, str) else f"{level:g}"


def _constraints(data: dict[str, Any]) -> Iterator[str]:
    space = Space.model_validate({"parameters": data["parameters"]})
    for row in data["constraints"]:
        constraint = Constraint.model_validate(row)
        checked = describe(constraint.predicate, space) if constraint.predicate else "for people to check"
        page = (
            ""
            if constraint.source.page is None
            else f", {constraint.source.document} page {constraint.source.page}"
        )
        yield f"{constraint.text}  [{checked}{page}]"


def _run(slug: str, row: dict[str, Any]) -> str:
    best = row["best"]
    shown = f", best {best['objective']} {best['value']:g} {best['unit']}".rstrip() if best else ""
    return f"{slug}#{row['number']}  {row['status']}, round {row['round']}{shown}  {row['run']}"
