"""The server's log: plain lines for people, JSON Lines for machines; no secret in either."""

import re
from collections.abc import Iterable, Mapping, MutableMapping
from typing import Any

import structlog

Entry = MutableMapping[str, Any]

HIDDEN = "[hidden]"
SHORTEST = 6
"""A shorter value is no secret, and hiding it everywhere would hide words."""
_SHAPES = re.compile(
    r"(?P<scheme>[a-z][a-z0-9+.-]*://)[^/\s:@]*:[^/\s@]+@|\b(?:Bearer|Basic)\s+[\w.~+/=-]{8,}|\bsk-[\w-]{8,}",
    re.IGNORECASE,
)
_SECRET_FIELDS = re.compile(
    r"(?:password|passwd|secret|api_?key|authorization|cookie|session_key)$", re.IGNORECASE
)

FILE_BYTES, FILES = 20_000_000, 5
"""A log file is put aside at this size; so many are kept."""


class Hide:
    """A step of the formatter that hides known secrets and whatever has the shape of one, at any depth."""

    def __init__(self, secrets: Iterable[str]) -> None:
        known = sorted({text for text in secrets if len(text) >= SHORTEST}, key=len, reverse=True)
        self._known = re.compile("|".join(map(re.escape, known))) if known else None

    def __call__(self, logger: Any, method: str, entry: Entry) -> Entry:
        """Return ``entry`` with secrets hidden; fields of the logging machinery (``_…``) are left alone."""
        return {
            name: value if name.startswith("_") else self._field(name, value) for name, value in entry.items()
        }

    def _field(self, name: str, value: Any) -> Any:
        return HIDDEN if value and _SECRET_FIELDS.search(name) else self.hidden(value)

    def hidden(self, value: Any) -> Any:
        """Return ``value`` without secrets."""
        if isinstance(value, str):
            text = self._known.sub(HIDDEN, value) if self._known else value
            return _SHAPES.sub(
                lambda found: f"{found['scheme'] or ''}{HIDDEN}{'@' if found['scheme'] else ''}", text
            )
        if isinstance(value, Mapping):
            return {str(name): self._field(str(name), part) for name, part in value.items()}
        return [self.hidden(part) for part in value] if isinstance(value, list | tuple) else value


def logging_config(*, level: str, as_json: bool, file: str, secrets: Iterable[str]) -> dict[str, Any]:
    """Return Django's ``LOGGING``: the console plain or as JSON Lines, and a ``file`` of JSON Lines when one is named.

    Machines get what the engine does at INFO; people on a console only what is at ``level`` or above.
    """
    handlers: dict[str, Any] = {
        "console": {"class": "logging.StreamHandler", "formatter": "json" if as_json else "plain"}
    }
    if file:
        handlers["file"] = {
            "class": "logging.handlers.RotatingFileHandler",
            "filename": file,
            "maxBytes": FILE_BYTES,
            "backupCount": FILES,
            "encoding": "utf-8",
            "delay": True,
            "formatter": "json",
        }
        if not as_json:
            handlers["console"]["level"] = level
    engine = "INFO" if as_json or file else level
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "formatters": _formatters(Hide(secrets)),
        "handlers": handlers,
        "root": {"handlers": list(handlers), "level": level},
        "loggers": {
            "daybook": {"level": engine},
            "axes": {"level": "ERROR"},
            "django.request": {"level": "ERROR"},
        },
    }


def _formatters(hide: Hide) -> dict[str, Any]:
    formatter = structlog.stdlib.ProcessorFormatter
    drop = formatter.remove_processors_meta
    common: list[Any] = [
        structlog.contextvars.merge_contextvars,
        structlog.stdlib.add_logger_name,
        structlog.stdlib.add_log_level,
        structlog.stdlib.ExtraAdder(),
        structlog.processors.TimeStamper(fmt="iso", utc=True, key="at"),
        structlog.processors.format_exc_info,
        hide,
    ]
    machine = [drop, structlog.processors.JSONRenderer(ensure_ascii=False, default=str)]
    return {
        "json": {"()": formatter, "processors": machine, "foreign_pre_chain": common},
        "plain": {"()": formatter, "processors": [drop, _plain], "foreign_pre_chain": common},
    }


def _plain(logger: Any, method: str, entry: Entry) -> str:
    """Render a line for people: the message, and the traceback when there is one."""
    return "\n".join(str(entry[name]) for name in ("event", "exception") if entry.get(name))
