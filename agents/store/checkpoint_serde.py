"""Checkpoint values as strict msgpack: plain data and a few named types, nothing that a row could make us call."""

from typing import Any

import ormsgpack
from langgraph.checkpoint.serde import jsonplus

from agents.core.errors import BadInput, Damaged

ALLOWED = frozenset(
    {
        ("builtins", "frozenset"),
        ("builtins", "set"),
        ("collections", "deque"),
        ("datetime", "date"),
        ("datetime", "datetime"),
        ("datetime", "time"),
        ("datetime", "timedelta"),
        ("datetime", "timezone"),
        ("decimal", "Decimal"),
        ("langgraph.types", "Command"),
        ("langgraph.types", "Interrupt"),
        ("langgraph.types", "Overwrite"),
        ("langgraph.types", "Send"),
        ("langgraph.types", "TimeoutPolicy"),
        ("uuid", "UUID"),
    }
)
"""Types beside plain JSON that a checkpoint may hold: LangGraph's own, and harmless values.

Our own list, so that it holds whatever ``LANGGRAPH_STRICT_MSGPACK`` was when LangGraph was imported."""

_CONSTRUCTORS = frozenset(
    {
        jsonplus.EXT_CONSTRUCTOR_SINGLE_ARG,
        jsonplus.EXT_CONSTRUCTOR_POS_ARGS,
        jsonplus.EXT_CONSTRUCTOR_KW_ARGS,
    }
)
_STORED_AS = frozenset({"null", "bytes", "bytearray", "msgpack"})


class PlainSerializer(jsonplus.JsonPlusSerializer):
    """LangGraph's serializer, which refuses foreign types instead of quietly changing them.

    ``dumps_typed`` raises ``BadInput`` for a value that could not be read back as it was; ``loads_typed``
    raises ``Damaged`` for bytes that are no msgpack or name a foreign type, before anything is built.
    """

    def __init__(self) -> None:
        super().__init__(pickle_fallback=False, allowed_json_modules=None, allowed_msgpack_modules=None)

    def dumps_typed(self, obj: Any) -> tuple[str, bytes]:
        """Return how ``obj`` is stored, and its bytes."""
        try:
            type_, data = super().dumps_typed(obj)
        except TypeError as error:
            raise BadInput(f"{error}; the state of a graph holds plain JSON values only") from error
        if type_ == "msgpack" and (foreign := foreign_types(data)):
            raise BadInput(f"{', '.join(foreign)} found; the state of a graph holds plain JSON values only")
        return type_, bytes(data)

    def loads_typed(self, data: tuple[str, bytes]) -> Any:
        """Return the value that was stored."""
        type_, raw = data
        if type_ not in _STORED_AS:
            raise Damaged(f"stored as {type_!r}, expected one of {', '.join(sorted(_STORED_AS))}")
        try:
            foreign = foreign_types(raw) if type_ == "msgpack" else []
        except ValueError as error:
            raise Damaged(f"not msgpack: {error}") from error
        if foreign:
            raise Damaged(f"holds {', '.join(foreign)}, which a checkpoint never does")
        return super().loads_typed((type_, raw))


def foreign_types(data: bytes) -> list[str]:
    """Return the names of the types in ``data`` that are not in ``ALLOWED``, at any depth; nothing is built.

    Raises ``ValueError`` when ``data`` is not msgpack.
    """
    found: list[str] = []

    # Collected, not raised: ormsgpack turns an error in the hook into one that names nothing.
    def check(code: int, inner: bytes) -> None:
        value = ormsgpack.unpackb(inner, ext_hook=check, option=ormsgpack.OPT_NON_STR_KEYS)
        if not _is_allowed(code, value):
            found.append(_name_of(code, value))

    ormsgpack.unpackb(data, ext_hook=check, option=ormsgpack.OPT_NON_STR_KEYS)
    return found


def _is_allowed(code: int, value: Any) -> bool:
    if code == jsonplus.EXT_DELTA_SNAPSHOT:
        return True
    if not isinstance(value, list):
        return False
    if code == jsonplus.EXT_METHOD_SINGLE_ARG:
        return value[:2] == ["datetime", "datetime"] and value[3:] == ["fromisoformat"]
    names = [name for name in value[:2] if isinstance(name, str)]
    return code in _CONSTRUCTORS and len(value) == 3 and tuple(names) in ALLOWED


def _name_of(code: int, value: Any) -> str:
    is_named = (
        isinstance(value, list) and len(value) >= 2 and all(isinstance(part, str) for part in value[:2])
    )
    return f"{value[0]}.{value[1]}" if is_named else f"extension {code}"
