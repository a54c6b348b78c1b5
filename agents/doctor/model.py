"""The language model: configured, and with ``--model`` tried for real."""

from collections.abc import Iterator

from asgiref.sync import async_to_sync
from django.db import DatabaseError

from agents.core.errors import NotConfigured
from agents.doctor.registry import Level, Look, Remark, check
from agents.models import Study
from agents.wiring import is_model_configured, model_settings

PATIENCE_S = 60.0
"""Seconds that the command waits for all answers: a local model may have to be loaded first."""


@check("model", order=80, needs_database=False)
def model(look: Look) -> Iterator[Remark]:
    """Say whether a language model is set up; with ``--model`` ask it a few short questions."""
    if not is_model_configured():
        yield from _missing(look)
        return
    settings = model_settings()
    if not look.model:
        named = ", ".join(sorted(set(settings.models.values())))
        yield Remark(Level.OK, f"a language model is set up ({named}); --model tries it", settings.base_url)
        return
    from agents.adapters.openai.probe import probe

    look.progress(f"asking {settings.base_url}")
    report = async_to_sync(probe)(settings, limit_s=PATIENCE_S)
    for found in report.checks:
        # What a server does not honour is worked around; without an answer nothing works.
        needed = found.name in ("reachable", "authorised", "model")
        level = Level.OK if found.is_ok else Level.FAIL if needed and found.is_ok is False else Level.WARN
        yield Remark(level, found.sentence, settings.base_url)


def _is_wanted() -> bool:
    try:
        return Study.objects.filter(reasoner="language_model", is_archived=False).exists()
    except DatabaseError:
        return False


def _missing(look: Look) -> Iterator[Remark]:
    try:
        model_settings()
    except NotConfigured as fault:
        if look.model or _is_wanted():
            yield Remark(
                Level.FAIL if look.model else Level.WARN, "A language model is asked for.", todo=str(fault)
            )
        else:
            yield Remark(Level.OK, "no language model is set up; the optimiser needs none")
