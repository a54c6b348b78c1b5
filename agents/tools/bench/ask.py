"""``ask_researcher``: a person as the instrument. The result is a typed form, checked like any result."""

from typing import Any

from agents.core.errors import Refused
from agents.core.science import Objective, Space
from agents.core.tools import EffectClass, ToolSpec
from agents.tools.bench.measure import objective_schema
from agents.tools.schema import Schema, space_schema
from agents.tools.tool import Arguments, Tool

MOST_REPLICATES = 200
MOST_ATTACHMENTS = 20
STATUSES = ("ok", "failed", "abandoned", "below_detection", "above_detection")


def ask_tool(*, space: Space, objectives: list[Objective]) -> Tool:
    """Return the tool by which a run asks a person to perform an experiment, or a task in words when the
    study has no parameters. The engine shows it as a gate; it is never executed by the machine."""
    has_space = bool(space.parameters)
    spec = ToolSpec(
        name="ask_researcher",
        title="Ask the researcher to measure",
        description="Ask a person to perform one experiment of the study at the given conditions and to "
        "enter what was measured."
        if has_space
        else "Ask a person to do or observe something, described in words, and to report it.",
        category="bench",
        input_schema=space_schema(space) if has_space else _task_schema(),
        output_schema=result_schema(space, objectives),
        effect=EffectClass.BLIND,
        executor="person",
        is_experiment=has_space,
        duration_s=3600.0,
    )
    return Tool(spec=spec, run=_never)


def result_schema(space: Space, objectives: list[Objective]) -> Schema:
    """Return the schema of the form: each objective's measurement, what was really done, status and note."""
    fields: dict[str, Schema] = {}
    if objectives:
        fields["measurements"] = {
            "type": "object",
            "title": "Measured",
            "properties": {objective.name: _measurement_schema(objective) for objective in objectives},
            "required": [objective.name for objective in objectives],
            "additionalProperties": False,
        }
    else:
        fields["answer"] = {"type": "string", "title": "Answer", "minLength": 1, "maxLength": 20_000}
    if space.parameters:
        fields["actual"] = {
            **space_schema(space, is_bounded=False),
            "title": "Actual conditions",
            "description": "Only what differed from the plan.",
        }
    fields["status"] = {
        "type": "string",
        "title": "Outcome",
        "enum": ["ok", "failed", "abandoned"],
        "default": "ok",
        "description": "When the experiment failed or was abandoned, no value is needed.",
    }
    fields["operator"] = {"type": "string", "title": "Measured by", "maxLength": 200}
    fields["instrument"] = {"type": "string", "title": "Instrument", "maxLength": 200}
    fields["measured_at"] = {
        "type": "string",
        "title": "Measured at",
        "format": "date-time",
        "maxLength": 40,
        "description": "Date, time and time zone, such as 2026-11-30T14:05+01:00.",
    }
    fields["note"] = {"type": "string", "title": "Note", "maxLength": 5000}
    fields["attachments"] = _attachments_schema()
    return {
        "type": "object",
        "properties": fields,
        "required": ["measurements"] if objectives else ["answer"],
        "additionalProperties": False,
    }


def _measurement_schema(objective: Objective) -> Schema:
    value = objective_schema(objective)
    unit = {"type": "string", "title": "Unit", "maxLength": 40, "default": objective.unit}
    uncertainty: Schema = {
        "type": "number",
        "title": "Uncertainty",
        "minimum": 0,
        "description": "One standard deviation. Leave empty when unknown.",
    }
    if objective.unit:
        uncertainty["unit"] = objective.unit
    replicates: Schema = {
        "type": "array",
        "title": "Replicates",
        "items": {"type": "number"},
        "maxItems": MOST_REPLICATES,
        "description": "Several readings instead of one value: each is kept, mean and spread are computed.",
    }
    status = {"type": "string", "title": "Status", "enum": list(STATUSES), "default": "ok"}
    note = {"type": "string", "title": "Note", "maxLength": 1000}
    return {
        "type": "object",
        "title": objective.label or objective.name,
        "properties": {
            "value": value,
            "unit": unit,
            "uncertainty": uncertainty,
            "replicates": replicates,
            "status": status,
            "note": note,
        },
        "required": [],
        "additionalProperties": False,
    }


def _attachments_schema() -> Schema:
    file = {
        "type": "object",
        "properties": {
            "name": {"type": "string", "minLength": 1, "maxLength": 255},
            "content_hash": {"type": "string", "pattern": "^[0-9a-f]{64}$"},
            "media_type": {"type": "string", "maxLength": 120},
            "size": {"type": "integer", "minimum": 0},
        },
        "required": ["name", "content_hash"],
        "additionalProperties": False,
    }
    return {"type": "array", "title": "Attachments", "items": file, "maxItems": MOST_ATTACHMENTS}


def _task_schema() -> Schema:
    task = {"type": "string", "title": "Task", "minLength": 1, "maxLength": 5000}
    return {
        "type": "object",
        "properties": {"task": task},
        "required": ["task"],
        "additionalProperties": False,
    }


def _never(arguments: Arguments) -> dict[str, Any]:
    raise Refused("a person performs this: the run asks with a form and continues with what is entered")
