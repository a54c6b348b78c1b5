"""Outside sources of tools: adding, looking again, switching each tool on by hand, accepting what changed."""

import re
from typing import Any
from uuid import uuid4

from asgiref.sync import async_to_sync
from django.conf import settings
from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone
from pydantic import ValidationError

from agents.core.errors import BadInput, Conflict, Refused
from agents.core.outside import Definition, OutsideSource, OutsideTool
from agents.core.text import clean_value, shorten
from agents.core.tools import Action, ToolResult
from agents.models import SourceTool, Study, ToolSource
from agents.services.protocols import protocol_of, source_value
from agents.services.tool_history import declared_difference, note

_NAME = re.compile(r"[a-z][a-z0-9]{0,23}")
MAX_SOURCES = 20
OPERATOR = "command line"
_OF_A_RUN = "An instrument's result belongs to a run: start one, and its job is sent after the review."


def add_source(
    study: Study,
    *,
    name: str,
    kind: str,
    by: User | None,
    is_admin: bool,
    document: str = "",
    **config: Any,
) -> ToolSource:
    """Add a source to ``study``, look at it once, and return it with its tools, all of them switched off.

    ``config`` as the fields of ``OutsideSource``. What runs a program here or uses a secret of the server needs
    an administrator. Raises ``BadInput`` or ``Refused`` before anything is stored; a source that cannot be looked
    at is not stored either.
    """
    given = _checked(study, name=name, kind=kind, config=config, document=document)
    _check_rights(given, is_admin=is_admin)
    found = look_at(given, document=document)
    with transaction.atomic():
        Study.objects.select_for_update().get(pk=study.pk)
        if study.tool_sources.filter(name=name).exists():
            raise Conflict(f"The study has a source called {name} already.")
        row = ToolSource.objects.create(
            study=study,
            name=name,
            kind=kind,
            config=given.model_dump(mode="json", exclude={"id", "name", "kind", "tools"}),
            document=document,
            checked_at=timezone.now(),
            created_by=by,
        )
        for definition in found:
            _add_tool(row, definition)
        note(study, "added", by=by.get_username() if by else OPERATOR, source=name, told=_where(given))
    return row


def _where(source: OutsideSource) -> str:
    return " ".join(source.command) or source.url or "a document"


def check_source(row: ToolSource) -> ToolSource:
    """Look at a source again: new tools come switched off, a changed or missing one is blocked at once."""
    try:
        found = look_at(source_value(row), document=row.document)
    except BadInput as fault:
        row.error, row.checked_at = str(fault), timezone.now()
        row.save(update_fields=["error", "checked_at"])
        return row
    with transaction.atomic():
        row = ToolSource.objects.select_for_update().get(pk=row.pk)
        row.error, row.checked_at = "", timezone.now()
        row.save(update_fields=["error", "checked_at"])
        known = {tool.remote: tool for tool in row.tools.all()}
        for definition in found:
            tool = known.pop(definition.remote, None)
            if tool is None:
                _add_tool(row, definition)
            else:
                _compare(tool, definition)
        for tool in known.values():
            _note(tool, SourceTool.State.GONE, None)
    return row


def set_tool(tool: SourceTool, *, is_on: bool, by: str, declared: dict[str, Any] | None = None) -> SourceTool:
    """Switch a tool on or off and declare its properties. Raises ``BadInput`` for what cannot be declared or when
    the tool may not be switched on as it is."""
    definition = Definition.model_validate(tool.accepted)
    fields = clean_value({**tool.declared, **(declared or {})})
    try:
        made = OutsideTool(name=tool.name, definition=definition, **fields)
    except (ValidationError, TypeError) as fault:
        raise BadInput(f"{tool.name} was not changed: {shorten(str(fault), 300)}") from None
    if not 0 < made.timeout_s <= 600:
        raise BadInput(f"{tool.name}: the time limit is from 1 to 600 s, not {made.timeout_s:g}.")
    if is_on:
        _check_may_be_on(tool, made)
    stated = made.model_dump(mode="json", exclude={"name", "definition"})
    told = declared_difference(tool.declared, stated)
    what = ("on" if is_on else "off") if tool.is_on != is_on else "declared"
    tool.is_on, tool.declared = is_on, stated
    tool.changed_by, tool.changed_at = by, timezone.now()
    with transaction.atomic():
        tool.save(update_fields=["is_on", "declared", "changed_by", "changed_at"])
        if what != "declared" or told:
            note(tool.source.study, what, by=by, source=tool.source.name, tool=tool.name, told=told)
    return tool


@transaction.atomic
def accept_change(tool: SourceTool, *, by: str, pin: str) -> SourceTool:
    """Take the definition that came since as the accepted one; the tool stays as it was switched, unless what came
    may not be on.

    ``pin`` is that of the definition the person saw: raises ``Conflict`` when another came meanwhile.
    """
    tool = SourceTool.objects.select_for_update().get(pk=tool.pk)
    if tool.seen is None or tool.seen.get("pin") != pin:
        raise Conflict("The definition changed again while you were reading it. Look at it again.")
    found = Definition.model_validate(tool.seen)
    is_fit = not found.problem and (not found.caution or bool(tool.declared.get("words")))
    tool.accepted, tool.seen, tool.state = tool.seen, None, SourceTool.State.OK
    told = "" if is_fit or not tool.is_on else "off: it may not be on as it is now"
    tool.is_on = tool.is_on and is_fit
    tool.changed_by, tool.changed_at = by, timezone.now()
    tool.save()
    note(tool.source.study, "accepted", by=by, source=tool.source.name, tool=tool.name, told=told)
    return tool


@transaction.atomic
def remove_source(row: ToolSource, *, by: str) -> None:
    """Remove a source with its tools: running runs cannot call them any more, its jobs wait for a person."""
    note(row.study, "removed", by=by, source=row.name)
    row.delete()


def let_run_code(study: Study, *, is_on: bool, by: str) -> Study:
    """Switch the sandbox of ``study`` on or off. Raises ``Refused`` when this site or machine has none."""
    from agents.tools.sandbox.engines import why_none

    if is_on:
        reason = "the administrator switched it off" if settings.DAYBOOK_SANDBOX == "off" else why_none()
        if reason:
            raise Refused(f"Code cannot be run here: {reason}.")
    with transaction.atomic():
        if study.runs_code != is_on:
            note(study, "code_on" if is_on else "code_off", by=by)
        study.runs_code = is_on
        study.save(update_fields=["runs_code", "updated_at"])
    return study


def why_not_tried(tool: SourceTool) -> str:
    """Return why ``tool`` cannot be called from its page, apart from any run and its policy; empty when it can."""
    declared = OutsideTool(name=tool.name, definition=Definition(**tool.accepted), **tool.declared)
    if tool.source.kind == "webhook":
        return _OF_A_RUN
    if not tool.is_on or tool.state != SourceTool.State.OK:
        return f"{tool.name} is not switched on."
    if declared.effect != "local" or declared.risk != "low" or declared.cost:
        return (
            f"{tool.name} may change something, has a risk or costs something, so it runs only in a run, after its "
            "review. A tool that is declared to change nothing, at low risk and no cost, can be tried here."
        )
    return ""


def try_tool(tool: SourceTool, arguments: Any, *, by: str) -> ToolResult:
    """Call ``tool`` once outside any run, through both gates, and return its result. The caller is the reviewer,
    and the history says so.

    Raises ``BadInput`` for a tool that is not on, an instrument (whose result belongs to a run), or arguments that
    do not fit.
    """
    from agents.wiring import toolbox_for

    if tool.source.kind == "webhook":
        raise BadInput(_OF_A_RUN)
    if not isinstance(arguments, dict):
        raise BadInput("The arguments are a JSON object: named values.")
    if not tool.is_on or tool.state != SourceTool.State.OK:
        raise BadInput(f"{tool.name} is not switched on.")
    toolbox = toolbox_for(protocol_of(tool.source.study))
    checked = toolbox.check(Action(tool=tool.name, arguments=clean_value(arguments)))
    note(tool.source.study, "tried", by=by, source=tool.source.name, tool=tool.name)
    return async_to_sync(toolbox.call)(checked.action, idempotency_key=f"try:{uuid4()}")


def look_at(source: OutsideSource, *, document: str = "") -> list[Definition]:
    """Return what ``source`` offers. Raises ``BadInput`` with the reason when it cannot be looked at."""
    from agents.core.errors import DaybookError
    from agents.tools.isolation import ChildFault
    from agents.tools.outside.tools import look
    from agents.tools.outside.webhook.tool import definition_of_job
    from agents.wiring import registry

    registry()  # the list of hosts that the site allows by name is read with it
    if source.kind == "webhook":
        return [definition_of_job()]
    try:
        found = async_to_sync(look)(source, text=document)
    except (ChildFault, DaybookError) as fault:
        raise BadInput(f"{source.name} could not be looked at: {fault}") from None
    return [Definition.model_validate(row) for row in clean_value(found)]


def _checked(study: Study, *, name: str, kind: str, config: dict[str, Any], document: str) -> OutsideSource:
    from agents.tools.outside.secrets import check_address, check_references

    if not _NAME.fullmatch(name):
        raise BadInput(
            "The name of a source is a word of lower-case letters and digits, at most 24: it stands in front of "
            "the names of its tools."
        )
    if study.tool_sources.count() >= MAX_SOURCES:
        raise BadInput(f"A study has at most {MAX_SOURCES} sources of tools.")
    try:
        given = OutsideSource(id="", name=name, kind=kind, **clean_value(config))
    except (ValidationError, TypeError) as fault:
        raise BadInput(f"The source was not added: {shorten(str(fault), 300)}") from None
    if given.kind == "mcp_stdio" and not given.command:
        raise BadInput("Say which program starts the server, with its arguments.")
    if given.kind in ("mcp_http", "webhook") and not given.url:
        raise BadInput("Say at which address the service is.")
    if given.kind == "openapi" and bool(given.url) == bool(document):
        raise BadInput("Give the address of the OpenAPI document, or the document itself.")
    if given.kind == "webhook" and not given.secret.startswith("TOOL_SECRET_"):
        raise BadInput("Name the variable that holds the signing secret; it begins with TOOL_SECRET_.")
    check_address(given.url)
    check_address(given.base_url)
    check_references(given.headers, what="header")
    check_references(given.environment, what="variable")
    return given


def _check_rights(source: OutsideSource, *, is_admin: bool) -> None:
    """A program runs with the server's rights, and a secret could be sent anywhere: neither is an owner's to give."""
    from agents.tools.outside.secrets import references

    if is_admin:
        return
    if source.kind == "mcp_stdio" and source.command[0] not in settings.DAYBOOK_MCP_COMMANDS:
        raise Refused(
            f"The program {source.command[0]} is not among those that owners may start here. An administrator can "
            "add this source, or name the program in DAYBOOK_MCP_COMMANDS."
        )
    if source.environment:
        # Some variables make any program run other code.
        raise Refused("The environment of a program is set by an administrator.")
    if references([*source.headers.values(), *source.environment.values()]) or source.secret:
        raise Refused("A source that uses a secret of the server is added by an administrator.")


def _add_tool(row: ToolSource, definition: Definition) -> None:
    from agents.tools.outside.definitions import own_name

    name = base = own_name(row.name, definition.remote)
    number = 2
    while row.study.tool_sources.filter(tools__name=name).exists():
        name, number = f"{base[:60]}_{number}", number + 1
    SourceTool.objects.create(
        source=row,
        name=name,
        remote=definition.remote,
        accepted=definition.model_dump(mode="json"),
        declared=OutsideTool(name=name, definition=definition).model_dump(
            mode="json", exclude={"name", "definition"}
        ),
    )


def _compare(tool: SourceTool, definition: Definition) -> None:
    is_same = definition.pin == tool.accepted.get("pin")
    if is_same and tool.state != SourceTool.State.CHANGED:
        _note(tool, SourceTool.State.OK, None)
    elif tool.changed_at is None:
        # Nobody has accepted anything yet.
        tool.accepted = definition.model_dump(mode="json")
        tool.save(update_fields=["accepted"])
    else:
        # Also when it is again as it was: a source that was otherwise in between is for a person to judge.
        _note(tool, SourceTool.State.CHANGED, definition.model_dump(mode="json"))


def _note(tool: SourceTool, state: str, seen: dict[str, Any] | None) -> None:
    if (tool.state, tool.seen) != (state, seen):
        if tool.state == SourceTool.State.OK:
            note(tool.source.study, "blocked", by="", source=tool.source.name, tool=tool.name, told=state)
        tool.state, tool.seen = state, seen
        tool.save(update_fields=["state", "seen"])


def _check_may_be_on(tool: SourceTool, made: OutsideTool) -> None:
    from agents.tools.outside.definitions import shadowed
    from agents.tools.outside.wording import hidden_in, order_in
    from agents.wiring import known_tool_names

    definition = made.definition
    if definition.problem:
        raise BadInput(f"{tool.name} cannot be switched on: {definition.problem}.")
    if tool.state != SourceTool.State.OK:
        raise BadInput(f"{tool.name} is blocked: it {tool.state}. Read the difference and accept it first.")
    taken = shadowed(tool.name, definition.remote, known_tool_names())
    if taken:
        raise BadInput(
            f"{tool.name} cannot be switched on: it calls itself {definition.remote} and could be taken for the "
            f"built-in tool {taken}."
        )
    if definition.caution and not made.words:
        raise BadInput(
            f"{tool.name} cannot be switched on as it is: {definition.caution}. Read it, and describe the tool in "
            "your own words: the reasoner then reads yours."
        )
    if made.words and (hidden_in(made.words) or order_in(made.words)):
        raise BadInput("Your description gives orders or holds invisible characters: say what the tool does.")
