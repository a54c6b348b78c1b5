"""The first reader: a language model reads proposals that a policy wants read, beside the people who are asked."""

import logging
import threading
from datetime import timedelta
from typing import Any

from asgiref.sync import async_to_sync
from django.db import connection, transaction
from django.utils import timezone

from agents.core.advice import Advice
from agents.core.canonical import digest_of
from agents.core.errors import DaybookError
from agents.core.gates import Answer, Verdict
from agents.core.policy import Judgement
from agents.core.ports import ModelUsage
from agents.models import Gate
from agents.services.gates import action_of
from agents.store.log import append, lock_run
from agents.wiring import is_model_configured, model_settings
from reviews.models import ReaderAdvice, Review
from reviews.services.recording import record

log = logging.getLogger("daybook.desk")

CHANNEL = "model"
TAKEN = timedelta(minutes=10)
"""Somebody else takes a reading over that was begun this long ago; then the model is asked once more."""

_reading = threading.Lock()


def read_in_background() -> None:
    """Read what waits in a thread of its own, one at a time in this process: no run waits for it."""
    if is_model_configured() and _waiting().exists() and _reading.acquire(blocking=False):
        threading.Thread(target=_read_and_let_go, name="reader", daemon=True).start()


def _read_and_let_go() -> None:
    try:
        while read_next():
            pass
    except Exception:
        log.exception("a proposal was not read; it is tried again")
    finally:
        _reading.release()
        connection.close()


def _waiting() -> Any:
    return Review.objects.filter(status=Review.Status.OPEN, reader_at__lte=timezone.now()).order_by(
        "reader_at"
    )


def read_next() -> bool:
    """Let the model read the oldest proposal that waits for it; False when none does."""
    review = _waiting().select_related("gate", "run").first()
    if review is None:
        return False
    now = timezone.now()
    taken = Review.objects.filter(pk=review.pk, reader_at=review.reader_at).update(reader_at=now + TAKEN)
    if taken:
        heard = _Heard()
        try:
            advice = async_to_sync(_ask)(review, heard)
        except DaybookError as fault:
            log.warning("review %s was not read first: %s", review.pk, fault)
            advice = None
        _store(review, advice, heard.usages)
    return True


class _Heard:
    """Keeps what the calls cost; nobody watches the words."""

    def __init__(self) -> None:
        self.usages: list[ModelUsage] = []

    async def token(self, text: str) -> None:
        """Drop the text."""

    async def used(self, usage: ModelUsage) -> None:
        """Keep the cost."""
        self.usages.append(usage)


async def _ask(review: Review, heard: _Heard) -> Advice:
    from agents.adapters.openai_chat import ChatModel
    from agents.reasoners.language_model.first_reader import read_proposal

    model = ChatModel(model_settings())
    protocol = review.run.protocol
    try:
        return await read_proposal(
            model, _data(review), language=protocol.get("language", "en"), listener=heard
        )
    finally:
        await model.aclose()


def _data(review: Review) -> dict[str, Any]:
    """Return what the reader gets: the card as data, the study's limits, and the last steps."""
    run, content = review.run, review.gate.request["content"]
    names = ("goal", "space", "objectives", "constraints")
    return {
        "study": {name: run.protocol.get(name) for name in names},
        "round": review.gate.round,
        "proposal": content.get("proposal"),
        "nearest_measured": content.get("neighbours"),
        "warnings": content.get("warnings"),
        "risk": review.risk,
        "cost": review.cost,
        "last_steps": (run.state or {}).get("steps", [])[-4:],
    }


@transaction.atomic
def _store(review: Review, advice: Advice | None, usages: list[ModelUsage]) -> None:
    """Keep the advice and its cost, and let through what a rule leaves to the reader. People may have been faster."""
    run = lock_run(review.run_id)
    gate = Gate.objects.select_for_update().get(pk=review.pk)
    for usage in usages:
        append(run, "model.called", usage.model_dump(mode="json"), round=gate.round)
    # Also when it failed: people decide anyway, and asking again would cost again.
    Review.objects.filter(pk=review.pk).update(reader_at=None)
    if advice is None:
        return
    model = usages[-1].model if usages else ""
    ReaderAdvice.objects.get_or_create(
        review_id=review.pk,
        defaults={
            "leans": advice.leans,
            "reasons": advice.reasons,
            "model": model[:120],
            "tokens": sum(usage.prompt_tokens + usage.completion_tokens for usage in usages),
            "at": timezone.now(),
        },
    )
    payload = {"gate": gate.key, "leans": advice.leans, "reasons": advice.reasons, "model": model}
    append(run, "advice.given", payload, round=gate.round, key=f"{gate.key}/advice")
    judgement = Judgement.model_validate(gate.judgement)
    if gate.status == Gate.Status.OPEN and judgement.then == "reader" and advice.leans == "approve":
        _let_through(gate, judgement, advice, model)


def _let_through(gate: Gate, judgement: Judgement, advice: Advice, model: str) -> None:
    action = action_of(gate)
    answer = Answer(
        verdict=Verdict.APPROVE,
        by="first reader",
        source=f"reader: {judgement.source}"[:60],
        at=timezone.now().isoformat(),
        note=f"{model}: {' '.join(advice.reasons)}"[:4000],
        action=action,
        action_digest=digest_of(action.model_dump(mode="json")) if action else "",
        review_id=str(gate.pk),
    )
    record(gate, answer, user=None, role="", channel=CHANNEL)
