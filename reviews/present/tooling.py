"""The tool behind an action, as the card and its forms need it."""

from functools import lru_cache
from typing import Any

from pydantic import ValidationError

from agents.core.errors import DaybookError
from agents.core.science import Objective, Space
from agents.core.study import StudyProtocol
from agents.core.tools import Action, ToolSpec
from agents.core.workflow import is_workflow, items_of, workflow_spec
from agents.models import Run, Study
from agents.services.protocols import config_digest, protocol_of
from reviews.forms.schema import Schema


@lru_cache(maxsize=256)
def _specs(config_digest: str, protocol: str) -> dict[str, ToolSpec]:
    # Building a toolbox reads the study's tables, so it is done once for each protocol.
    from agents.wiring import toolbox_for

    return {spec.name: spec for spec in toolbox_for(StudyProtocol.model_validate_json(protocol)).specs()}


def specs_of(run: Run) -> dict[str, ToolSpec]:
    """Return the tools of the run's study by name; none when its toolbox cannot be built any more."""
    try:
        protocol = StudyProtocol.model_validate(run.protocol)
        return _specs(run.config_digest, protocol.model_dump_json(exclude={"budget"}))
    except DaybookError:
        return {}


def spec_of(run: Run, tool: str) -> ToolSpec | None:
    """Return the tool of that name in the run's study, or None when it is not there any more."""
    return specs_of(run).get(tool)


def experiment_cost(study: Study) -> float:
    """Return what one experiment of the study costs by its tool; 0 when that cannot be told yet."""
    if study._state.adding:
        return 0.0
    try:
        protocol = protocol_of(study)
        spec = _specs(config_digest(protocol), protocol.model_dump_json(exclude={"budget"})).get(
            protocol.experiment_tool
        )
    except (DaybookError, ValidationError):
        return 0.0
    return spec.cost if spec else 0.0


def action_spec(run: Run, action: dict[str, Any] | None) -> ToolSpec | None:
    """Return the specification of an action given as JSON; that of a list is put together from its items."""
    if not action:
        return None
    found = Action.model_validate(action)
    if not is_workflow(found):
        return spec_of(run, found.tool)
    specs = specs_of(run)
    items = items_of(found)
    return workflow_spec(items, specs) if all(item.tool in specs for item in items) else None


def result_schema_of(run: Run, spec: ToolSpec) -> Schema:
    """Return the schema of a result that a person enters: for an experiment always the full form."""
    if not (spec.is_experiment or spec.executor != "machine"):
        return spec.output_schema
    from agents.tools.bench.ask import result_schema

    protocol = run.protocol
    return result_schema(
        Space.model_validate(protocol.get("space") or {}),
        [Objective.model_validate(row) for row in protocol.get("objectives", [])],
    )
