"""What a budget would come to, in a sentence, before anything is spent."""

from dataclasses import dataclass
from typing import Any

from django.conf import settings
from django.utils.translation import gettext as _

from agents.core.budget import Budget
from agents.models import Study
from agents.queries import use_of_a_round
from reviews.present.figures import number
from reviews.present.tooling import experiment_cost

PROMPT_TOKENS, REPLY_TOKENS = 1500, 350
"""A round's prompt and reply as ``benchmarks/tokens.py`` measures them, rounded up: used until there is a past."""


@dataclass(frozen=True)
class Round:
    """What one round of a language model uses. ``runs`` of the study's past say so; 0 for a general figure."""

    tokens: int
    money: float | None
    runs: int


def estimate(study: Study) -> str:
    """Return how many rounds the study's budget allows and what they would use, by the study's own past runs."""
    budget = Budget.model_validate(study.budget or {})
    limits = [limit for limit in (budget.rounds, budget.experiments) if limit is not None]
    rounds = min(limits) if limits else None
    cost = experiment_cost(study)
    if study.reasoner != "language_model":
        return _by_optimiser(budget, rounds, cost)
    a_round = _a_round(study)
    if rounds is None:
        text = _("About %(n)s tokens a round, with no limit on rounds.") % {"n": number(a_round.tokens)}
        return f"{text} {_source(a_round)}".strip()
    values: dict[str, Any] = {"rounds": number(rounds), "tokens": number(rounds * a_round.tokens)}
    parts = [_("About %(tokens)s tokens for %(rounds)s rounds.") % values, _source(a_round)]
    if a_round.money is not None:
        parts.append(
            _("At this site's prices about %(money)s.") % {"money": number(rounds * a_round.money, 2)}
        )
    parts.append(_tools(rounds, cost))
    if budget.tokens is not None and budget.tokens < rounds * a_round.tokens:
        enough = number(max(0, budget.tokens // a_round.tokens))
        parts.append(_("The limit of tokens would end it after about %(n)s.") % {"n": enough})
    parts.append(_money_limit(budget, rounds, (a_round.money or 0.0) + cost))
    return " ".join(part for part in parts if part)


def _by_optimiser(budget: Budget, rounds: int | None, cost: float) -> str:
    if rounds is None:
        return _(
            "No limit on rounds: the run ends when nothing is left to try. The optimiser uses no tokens."
        )
    values = {"n": number(rounds)}
    if not cost:
        return _("At most %(n)s experiments. The optimiser uses no tokens and costs nothing.") % values
    text = _("At most %(n)s experiments. The optimiser uses no tokens.") % values
    return " ".join(part for part in (text, _tools(rounds, cost), _money_limit(budget, rounds, cost)) if part)


def _tools(rounds: int, cost: float) -> str:
    if not cost:
        return ""
    values = {"cost": number(cost, 2), "money": number(rounds * cost, 2)}
    return _("Experiments at %(cost)s each come to %(money)s.") % values


def _money_limit(budget: Budget, rounds: int, a_round: float) -> str:
    if budget.money is None or not a_round or budget.money >= rounds * a_round:
        return ""
    return _("The limit of money would end it after about %(n)s.") % {"n": number(budget.money // a_round)}


def _source(a_round: Round) -> str:
    if not a_round.runs:
        return ""
    return _("(by the study's last %(n)s runs)") % {"n": number(a_round.runs)}


def _a_round(study: Study) -> Round:
    past = use_of_a_round(study)
    if past is not None:
        return Round(tokens=past["tokens"], money=past["money"] or None, runs=past["runs"])
    return Round(tokens=PROMPT_TOKENS + REPLY_TOKENS, money=_money(), runs=0)


def _money() -> float | None:
    price = settings.DAYBOOK_PRICES.get(settings.DAYBOOK_MODELS.get("reason", ""))
    if not price:
        return None
    return float((PROMPT_TOKENS * price[0] + REPLY_TOKENS * price[2]) / 1e6)
