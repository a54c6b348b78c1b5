"""What a budget would come to, in a sentence, before anything is spent."""

from typing import Any

from django.conf import settings
from django.utils.translation import gettext as _

from agents.core.budget import Budget
from agents.models import Study
from reviews.present.figures import number

PROMPT_TOKENS, REPLY_TOKENS = 1500, 350
"""A round's prompt and reply as ``benchmarks/tokens.py`` measures them, rounded up."""


def estimate(study: Study) -> str:
    """Return how many rounds the study's budget allows and what a language model would use for them."""
    budget = Budget.model_validate(study.budget or {})
    limits = [limit for limit in (budget.rounds, budget.experiments) if limit is not None]
    rounds = min(limits) if limits else None
    if study.reasoner != "language_model":
        if rounds is None:
            return _(
                "No limit on rounds: the run ends when nothing is left to try. The optimiser uses no tokens."
            )
        return _("At most %(n)s experiments. The optimiser uses no tokens and costs nothing.") % {
            "n": number(rounds)
        }
    a_round = PROMPT_TOKENS + REPLY_TOKENS
    if rounds is None:
        return _("About %(n)s tokens a round, with no limit on rounds.") % {"n": number(a_round)}
    values: dict[str, Any] = {"rounds": number(rounds), "tokens": number(rounds * a_round)}
    text = _("About %(tokens)s tokens for %(rounds)s rounds.") % values
    money = _money(rounds)
    if money is not None:
        text += " " + _("At this site's prices about %(money)s.") % {"money": number(money, 2)}
    if budget.tokens is not None and budget.tokens < rounds * a_round:
        enough = max(0, budget.tokens // a_round)
        text += " " + _("The limit of tokens would end it after about %(n)s.") % {"n": number(enough)}
    return text


def _money(rounds: int) -> float | None:
    price = settings.DAYBOOK_PRICES.get(settings.DAYBOOK_MODELS.get("reason", ""))
    if not price:
        return None
    return float(rounds * (PROMPT_TOKENS * price[0] + REPLY_TOKENS * price[2]) / 1e6)
