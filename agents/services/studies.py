"""Creating and changing studies."""

from typing import Annotated, Any

from django.contrib.auth.models import User
from django.utils.text import slugify
from pydantic import BaseModel, Field, TypeAdapter, ValidationError

from agents.core.budget import Budget
from agents.core.errors import BadInput
from agents.core.limit_checks import limit_faults, objective_faults
from agents.core.names import listed
from agents.core.policy import CUSTOM, POLICIES
from agents.core.science import Constraint, Objective, Parameter, Space
from agents.core.study import MOST_AT_ONCE, MOST_BETWEEN_MILESTONES
from agents.core.text import clean_text, clean_value
from agents.models import Study
from agents.services.datasets import import_all_past

_VALUES: dict[str, TypeAdapter[Any]] = {
    "space": TypeAdapter(Space),
    "objectives": TypeAdapter(list[Objective]),
    "constraints": TypeAdapter(list[Constraint]),
    "budget": TypeAdapter(Budget),
    "tools": TypeAdapter(list[str]),
    "batch": TypeAdapter(Annotated[int, Field(ge=1, le=MOST_AT_ONCE)]),
    "milestones": TypeAdapter(Annotated[int, Field(ge=0, le=MOST_BETWEEN_MILESTONES)]),
}
_HOLDERS: dict[str, type[BaseModel]] = {
    "space": Parameter,
    "objectives": Objective,
    "constraints": Constraint,
    "budget": Budget,
}
_TEXTS = {"title": 200, "goal": 5000, "domain": 120, "initial_hypothesis": 5000, "experiment_tool": 80}
_CHOICES: dict[str, tuple[str, ...]] = {
    "reasoner": ("optimiser", "language_model"),
    "policy": (*POLICIES, CUSTOM),
    "language": ("en", "zh-hans"),
}


def create_study(*, title: str, created_by: User | None = None, **fields: Any) -> Study:
    """Create a study and return it. ``fields`` as for ``change_study``; raises ``BadInput``."""
    checked = check_fields({"title": title, **fields})
    _require_sensible(checked.get("constraints"), checked.get("space"), checked.get("objectives"))
    study = Study(slug=_free_slug(checked["title"]), created_by=created_by, **checked)
    study.save()
    return study


def change_study(study: Study, **fields: Any) -> Study:
    """Change ``study``; running runs keep the protocol they started with. Raises ``BadInput`` naming each field.

    Tables of past experiments are read again when the space or the objectives change.
    """
    checked = check_fields(fields)
    space = checked.get("space", study.space)
    _require_sensible(checked.get("constraints"), space, checked.get("objectives"))
    for name, value in checked.items():
        setattr(study, name, value)
    study.save(update_fields=[*checked, "updated_at"])
    if {"space", "objectives"} & set(checked):
        import_all_past(study)
    return study


def _require_sensible(
    limits: list[dict[str, Any]] | None,
    space: dict[str, Any] | None,
    objectives: list[dict[str, Any]] | None,
) -> None:
    """Raise ``BadInput`` for a person's limit that no experiment could be held to, or a range that holds no value.

    A document's limit may be about something that the study does not vary: it then stays as text.
    """
    stated = [Constraint.model_validate(row) for row in limits or []]
    known = Space.model_validate(space or {})
    problems = [
        _problem(f"constraints.{place}", sentence, limit.text, "value_error")
        for place, limit in enumerate(stated)
        if limit.source.origin == "person"
        for sentence in limit_faults(limit, known)
    ]
    problems += [
        _problem(f"objectives.{place}", sentence, row, "value_error")
        for place, row in enumerate(objectives or [])
        for sentence in objective_faults(Objective.model_validate(row))
    ]
    if problems:
        raise BadInput("The study was not saved: " + " ".join(p["message"] for p in problems), problems)


def archive_study(study: Study, *, is_archived: bool = True) -> Study:
    """Hide the study from lists, or show it again; nothing is deleted."""
    study.is_archived = is_archived
    study.save(update_fields=["is_archived", "updated_at"])
    return study


def check_fields(fields: dict[str, Any]) -> dict[str, Any]:
    """Return the fields of a study as stored; raises ``BadInput`` with one problem a fault."""
    problems: list[dict[str, Any]] = []
    checked: dict[str, Any] = {}
    for name, value in fields.items():
        try:
            checked[name] = _check(name, value)
        except ValidationError as fault:
            for error in fault.errors():
                where = ".".join([name, *(str(part) for part in error["loc"])])
                said = _unknown(name, error["loc"]) if error["type"] == "extra_forbidden" else error["msg"]
                problems.append(_problem(where, said, error.get("input"), error["type"]))
        except ValueError as fault:
            problems.append(_problem(name, str(fault), value))
    if problems:
        raise BadInput("The study was not saved: " + "; ".join(p["message"] for p in problems), problems)
    return checked


def _check(name: str, value: Any) -> Any:
    if name in _VALUES:
        return _VALUES[name].dump_python(_VALUES[name].validate_python(clean_value(value)), mode="json")
    if name in _CHOICES:
        if value not in _CHOICES[name]:
            raise ValueError(f"{name} is one of {', '.join(_CHOICES[name])}, not {value!r}")
        return value
    if name in _TEXTS:
        text = clean_text(str(value)).strip()
        if len(text) > _TEXTS[name]:
            raise ValueError(f"{name} has {len(text)} characters; at most {_TEXTS[name]} fit")
        if name == "title" and not text:
            raise ValueError("a study needs a title")
        return text
    if name == "draft":
        return clean_value(value)
    raise ValueError(f"a study has no field {name!r}")


def _unknown(name: str, where: tuple[int | str, ...]) -> str:
    """Return what stands for a field that there is not: the fields there are."""
    holder = Space if name == "space" and len(where) == 1 else _HOLDERS.get(name)
    fields = listed(list(holder.model_fields), near=str(where[-1])) if holder and len(where) < 4 else ""
    return "there is no such field" + (f"; the fields are {fields}" if fields else "")


def _problem(field: str, message: str, received: Any, kind: str = "") -> dict[str, Any]:
    # What our own rules say names its subject already.
    message = message.removeprefix("Value error, ")
    return {
        "field": field,
        "message": message if kind == "value_error" else f"{field}: {message}",
        "expected": message,
        "received": repr(received)[:200],
    }


def _free_slug(title: str) -> str:
    base = slugify(title, allow_unicode=True)[:60].strip("-") or "study"
    taken = set(Study.objects.filter(slug__startswith=base).values_list("slug", flat=True))
    if base not in taken:
        return base
    number = 2
    while f"{base}-{number}" in taken:
        number += 1
    return f"{base}-{number}"
