"""Which checkpoint rows a LangGraph configuration means."""

import re
from collections.abc import Mapping
from typing import Any

from django.db.models import QuerySet
from langchain_core.runnables import RunnableConfig

from agents.core.canonical import check_json
from agents.core.errors import BadInput
from agents.core.text import clean_value
from agents.models.checkpoint import Checkpoint

_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")


def address(config: RunnableConfig) -> tuple[str, str, str]:
    """Return thread id, namespace and checkpoint id ('' when ``config`` names none). Raises ``BadInput``."""
    named = config.get("configurable") or {}
    thread_id = named.get("thread_id")
    if thread_id is None:
        raise BadInput("the configuration has no thread_id; pass {'configurable': {'thread_id': …}}")
    thread_id = str(thread_id)
    if not thread_id or _UNSTORABLE.search(thread_id):
        raise BadInput(
            f"thread id {thread_id!r} is empty, or holds NUL or a lone surrogate, which PostgreSQL refuses"
        )
    return thread_id, named.get("checkpoint_ns") or "", named.get("checkpoint_id") or ""


def plain(value: Mapping[str, Any], what: str) -> dict[str, Any]:
    """Return ``value`` when it is plain JSON. Raises ``BadInput`` for other values, NaN and infinity included."""
    try:
        check_json(dict(value))
    except (TypeError, ValueError) as error:
        raise BadInput(f"{what} is not plain JSON: {error}") from error
    return dict(value)


def one(config: RunnableConfig) -> Checkpoint | None:
    """Return the row that ``config`` names, or the newest of its thread and namespace, or None."""
    thread_id, ns, checkpoint_id = address(config)
    found = Checkpoint.objects.filter(thread_id=thread_id, ns=ns)
    if checkpoint_id:
        found = found.filter(checkpoint_id=checkpoint_id)
    return found.order_by("-id").first()


def matching(
    config: RunnableConfig | None,
    *,
    metadata: Mapping[str, Any],
    before: RunnableConfig | None,
    limit: int | None,
) -> list[int]:
    """Return the keys of the rows that fit, newest first."""
    found = _before(_within(config), before).order_by("-id")
    if not metadata:
        return list(found.values_list("pk", flat=True)[:limit])
    # Compared here: databases disagree on JSON equality (key order, 1 and true, null and missing).
    wanted = clean_value(dict(metadata))
    keys = [
        pk
        for pk, has in found.values_list("pk", "metadata")
        if all(has.get(name) == value for name, value in wanted.items())
    ]
    return keys[:limit]


def _within(config: RunnableConfig | None) -> QuerySet[Checkpoint]:
    found = Checkpoint.objects.all()
    if config is None:
        return found
    thread_id, ns, checkpoint_id = address(config)
    found = found.filter(thread_id=thread_id)
    if config["configurable"].get("checkpoint_ns") is not None:
        found = found.filter(ns=ns)
    return found.filter(checkpoint_id=checkpoint_id) if checkpoint_id else found


def _before(found: QuerySet[Checkpoint], before: RunnableConfig | None) -> QuerySet[Checkpoint]:
    checkpoint_id = (before or {}).get("configurable", {}).get("checkpoint_id")
    if not checkpoint_id:
        return found
    thread_id = (before or {}).get("configurable", {}).get("thread_id")
    named = Checkpoint.objects.filter(checkpoint_id=checkpoint_id)
    if thread_id is not None:
        named = named.filter(thread_id=str(thread_id))
    arrived = named.values_list("pk", flat=True).first()
    # The order of arrival holds even when the clock went back; a pruned checkpoint has only its id left.
    return (
        found.filter(pk__lt=arrived) if arrived is not None else found.filter(checkpoint_id__lt=checkpoint_id)
    )
