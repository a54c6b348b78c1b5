"""Looks a whole site over: what is wrong, where, and what to do about it.

Each check is a small function in a module of its own; an application adds its own in a module called
``doctor``, which is found as Django finds an application's admin.
"""

from agents.doctor import artifacts, database, effects, index, leases, logs, machine, model, tools
from agents.doctor.registry import Level, Look, Remark, check, examine

__all__ = [
    "Level",
    "Look",
    "Remark",
    "artifacts",
    "check",
    "database",
    "effects",
    "examine",
    "index",
    "leases",
    "logs",
    "machine",
    "model",
    "tools",
]
