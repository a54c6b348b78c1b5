"""Whether an outside tool may still be called, and what a call found out: rows behind the ``Watch`` port."""

from agents.core.errors import Refused
from agents.core.text import clean_text
from agents.models import SourceTool, ToolChange, ToolSource
from agents.store.bridge import in_database


class OrmWatch:
    """Implements ``Watch`` on the rows of the sources."""

    async def admit(self, source_id: str, name: str, pin: str) -> None:
        """Raise ``Refused`` when the tool was switched off, removed or found changed since."""
        await in_database(check_admitted, source_id, name, pin)

    async def drifted(self, source_id: str, name: str, told: str) -> None:
        """Block the tool until an owner has looked at the difference."""
        await in_database(note_drift, source_id, name, told)


def note_drift(source_id: str, name: str, told: str) -> None:
    """Block a tool that a call found changed; the source is looked at again when somebody opens its page."""
    rows = SourceTool.objects.filter(source__pk=source_id, name=name, state=SourceTool.State.OK)
    if rows.update(state=SourceTool.State.CHANGED):
        source = ToolSource.objects.get(pk=source_id)
        ToolChange.objects.create(
            study_id=source.study_id, what="blocked", source=source.name, tool=name, told="changed"
        )
    ToolSource.objects.filter(pk=source_id).update(error=clean_text(told)[:1000])


def check_admitted(source_id: str, name: str, pin: str) -> None:
    """Raise ``Refused`` unless the tool is still switched on in the definition that ``pin`` stands for."""
    row = SourceTool.objects.filter(source__pk=source_id, name=name).first()
    if row is None:
        raise Refused(f"{name} was removed from the study's sources")
    if row.state != SourceTool.State.OK:
        raise Refused(
            f"{name} is blocked since its source changed it: an owner has to look at the difference"
        )
    if not row.is_on:
        raise Refused(f"{name} was switched off")
    if row.accepted.get("pin") != pin:
        raise Refused(f"{name} was accepted in another form after this run began: start a new run to use it")
