"""Which calls of a proposed action are answered by an earlier result, so that nothing would run."""

from dataclasses import dataclass
from datetime import datetime

from agents.core.study import StudyProtocol
from agents.core.tools import Action
from agents.core.workflow import Item, is_workflow, used_by
from agents.models import Run
from agents.store.kept_results import kept_since
from reviews.present.lists import items_or_none
from reviews.present.tooling import specs_of


@dataclass(frozen=True)
class Kept:
    """A call whose result is there already. ``step`` is 0 for an action that is no list."""

    step: int
    made_at: datetime


def kept_of(run: Run, action: Action | None) -> list[Kept]:
    """Return the calls of ``action`` that an earlier result of the study answers."""
    if action is None:
        return []
    from agents.tools.cache import may_be_kept, result_key, scope_of

    single = [Item(step=1, tool=action.tool, arguments=action.arguments)]
    items = items_or_none(action) if is_workflow(action) else single
    specs = specs_of(run)
    wanted = [item for item in items if item.tool in specs and may_be_kept(specs[item.tool])]
    if not wanted:
        return []
    scope = scope_of(StudyProtocol.model_validate(run.protocol))
    keys = {
        item.step: result_key(scope, specs[item.tool], item.action) for item in wanted if not used_by(item)
    }
    made = kept_since(str(run.study_id), keys.values())
    is_list = is_workflow(action)
    return [Kept(step if is_list else 0, made[key]) for step, key in keys.items() if key in made]
