"""Which tools can perform a study's experiments by themselves, and why the chosen one cannot."""

from typing import Any

from agents.models import SourceTool, Study

BY_OTHERS = ("", "measure", "ask_researcher")
"""What stands for the study's dataset or a person."""


def measuring_tools(study: Study) -> list[tuple[str, str]]:
    """Return name and title of the tools whose result names something that ``study`` measures, and of the
    instruments that report later."""
    wanted = {objective["name"] for objective in study.objectives}
    return [
        (name, title)
        for name, (title, _, gives) in sorted(_schemas_in(study).items())
        if gives is None or wanted & set(_properties(gives))
    ]


def measuring_problem(study: Study) -> str:
    """Return in a sentence why the chosen tool cannot perform the study's experiments; empty when it can, or when
    it is none that is known here: the run names that one with all there are when it is loaded."""
    chosen = study.experiment_tool
    if chosen in BY_OTHERS:
        return ""
    _, takes, gives = _schemas_in(study).get(chosen, ("", {}, None))
    if gives is None:
        return ""
    wanted = [objective["name"] for objective in study.objectives]
    absent = [name for name in wanted if name not in _properties(gives)]
    if absent:
        return (
            f"The tool {chosen} gives {_named(_properties(gives))} and not {_named(absent)}: name what is measured "
            "as the tool does, or choose who measures."
        )
    varied = [parameter["name"] for parameter in (study.space or {}).get("parameters", [])]
    needs = takes.get("required", [])
    if varied and (set(varied) - set(_properties(takes)) or set(needs) - set(varied)):
        return (
            f"The tool {chosen} takes {_named(_properties(takes))} and the study varies {_named(varied)}: name the "
            "parameters as the tool does."
        )
    return ""


def _schemas_in(study: Study) -> dict[str, tuple[str, dict[str, Any], dict[str, Any] | None]]:
    """Return title, input and output schema of what may measure in ``study``; an instrument's result has the form
    that the study gives it, so that it has no schema here."""
    from agents.wiring import registry

    found: dict[str, tuple[str, dict[str, Any], dict[str, Any] | None]] = {
        name: (tool.spec.title or name, tool.spec.input_schema, tool.spec.output_schema)
        for name, tool in registry().tools.items()
    }
    rows = SourceTool.objects.filter(source__study=study, is_on=True, state=SourceTool.State.OK)
    for row in rows.select_related("source").order_by("name"):
        takes, gives = row.accepted.get("input_schema", {}), row.accepted.get("output_schema", {})
        found.setdefault(row.name, (row.name, takes, None if row.source.kind == "webhook" else gives))
    return found


def _properties(schema: dict[str, Any]) -> list[str]:
    return list(schema.get("properties", {}))


def _named(names: list[str]) -> str:
    return ", ".join(names) or "nothing"
