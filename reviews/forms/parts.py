"""The parts of a study's set-up: which forms each shows and which fields of the study they stand for."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from django.forms import formset_factory
from django.http import QueryDict

from agents.models import Study
from agents.services.measuring import measuring_tools
from reviews.forms.study import (
    BudgetForm,
    ConstraintForm,
    ObjectiveForm,
    ParameterForm,
    QuestionForm,
    TitleForm,
    WayForm,
)

Forms = list[Any]
ParameterSet = formset_factory(ParameterForm, extra=1, max_num=60, absolute_max=80)
ObjectiveSet = formset_factory(ObjectiveForm, extra=1, max_num=20, absolute_max=30)
ConstraintSet = formset_factory(ConstraintForm, extra=1, max_num=60, absolute_max=80)


@dataclass(frozen=True)
class Part:
    """A part that is saved by itself. ``forms`` binds its forms; ``fields`` says what the study gets of them."""

    name: str
    anchor: str
    forms: Callable[[Study, QueryDict | None], Forms]
    fields: Callable[[Study, Forms], dict[str, Any]]


def _title(study: Study, data: QueryDict | None) -> Forms:
    return [TitleForm(data, initial={"title": study.title})]


def _question(study: Study, data: QueryDict | None) -> Forms:
    initial = {name: getattr(study, name) for name in QuestionForm.base_fields}
    return [QuestionForm(data, initial=initial)]


def _space(study: Study, data: QueryDict | None) -> Forms:
    return [
        ParameterSet(data, initial=[_row(p) for p in (study.space or {}).get("parameters", [])], prefix="p")
    ]


def _trim(row: dict[str, Any]) -> dict[str, Any]:
    """Show 120.0 as 120, as people write it."""
    return {key: int(v) if isinstance(v, float) and v.is_integer() else v for key, v in row.items()}


def _row(parameter: dict[str, Any]) -> dict[str, Any]:
    levels = "; ".join(
        f"{level:g}" if isinstance(level, float) else str(level) for level in parameter["levels"]
    )
    return _trim({**parameter, "levels": levels})


def _objectives(study: Study, data: QueryDict | None) -> Forms:
    return [ObjectiveSet(data, initial=[_trim(row) for row in study.objectives], prefix="o")]


def _limits(study: Study, data: QueryDict | None) -> Forms:
    return [ConstraintSet(data, initial=[_limit(row) for row in study.constraints], prefix="c")]


def _limit(row: dict[str, Any]) -> dict[str, Any]:
    predicate = row.get("predicate") or {}
    shown = {"text": row["text"]}
    if predicate.get("kind") == "bound":
        shown |= {"parameter": predicate["parameter"], "op": predicate["op"], "bound": predicate["value"]}
    return _trim(shown)


def _way(study: Study, data: QueryDict | None) -> Forms:
    from agents.wiring import registry

    tools = [(name, tool.spec.title or name) for name, tool in sorted(registry().tools.items())]
    tools += [(name, name) for name in study.tools if name not in dict(tools)]
    initial = {
        name: getattr(study, name)
        for name in ("reasoner", "experiment_tool", "policy", "language", "tools", "batch", "milestones")
    }
    return [WayForm(data, initial=initial, tools=tools, measuring=measuring_tools(study))]


def _budget(study: Study, data: QueryDict | None) -> Forms:
    from agents.core.budget import Budget

    return [BudgetForm(data, initial={**Budget().model_dump(), **(study.budget or {})}, auto_id="budget-%s")]


def _plain(study: Study, forms: Forms) -> dict[str, Any]:
    return dict(forms[0].cleaned_data)


def _values(forms: Forms) -> list[dict[str, Any]]:
    rows = [row.value() for row in forms[0].forms]
    return [row for row in rows if row is not None]


def _space_fields(study: Study, forms: Forms) -> dict[str, Any]:
    """Structures of levels that are still there are kept: the form does not show them."""
    old = {p["name"]: p for p in (study.space or {}).get("parameters", [])}
    rows = _values(forms)
    for row in rows:
        known = old.get(row["name"], {}).get("smiles", {})
        row["smiles"] = {level: smiles for level, smiles in known.items() if level in row.get("levels", [])}
    return {"space": {"parameters": rows}}


def _limit_fields(study: Study, forms: Forms) -> dict[str, Any]:
    """A limit keeps its source while its words stand; rules that the form cannot show are kept with it."""
    old = {row["text"]: row for row in study.constraints}
    rows = []
    for number, row in enumerate(_values(forms), start=1):
        known = old.get(row["text"], {})
        predicate = row["predicate"]
        if predicate is None and (known.get("predicate") or {}).get("kind") not in (None, "bound"):
            predicate = known["predicate"]
        source = known.get("source", {"origin": "person"})
        rows.append({"id": f"C{number}", "text": row["text"], "predicate": predicate, "source": source})
    return {"constraints": rows}


PARTS: dict[str, Part] = {
    part.name: part
    for part in (
        Part("title", "top", _title, _plain),
        Part("question", "question", _question, _plain),
        Part("space", "question", _space, _space_fields),
        Part("objectives", "question", _objectives, lambda study, forms: {"objectives": _values(forms)}),
        Part("limits", "question", _limits, _limit_fields),
        Part("way", "way", _way, _plain),
        Part("budget", "budget", _budget, lambda study, forms: {"budget": forms[0].limits()}),
    )
}


def part_forms(name: str, study: Study, *, data: QueryDict | None) -> dict[str, Any]:
    """Return the form of a part under the name that templates use, ``<part>_form``."""
    return {f"{name}_form": PARTS[name].forms(study, data)[0]}
