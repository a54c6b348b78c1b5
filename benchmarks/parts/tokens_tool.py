"""The instrument of ``tokens.py``: a tool of the site, as anyone would give it. It answers with the scripted log."""

from pydantic import BaseModel

from agents.core.tools import EffectClass
from agents.tools.registry import tool
from benchmarks.parts.tokens_work import Work

_work: list[Work] = []


class Log(BaseModel):
    """What the instrument gives: the response, and its log of about 300 tokens."""

    yield_percent: float
    log: str


def use_work(work: Work) -> None:
    """Let the instrument answer with the observations of ``work``."""
    _work[:] = [work]


@tool(category="bench", effect=EffectClass.LOCAL, in_process=True)
def run_experiment(temperature_k: float, catalyst: str, minutes: int) -> Log:
    """Run one experiment at the given condition and return the instrument log with the measured yield."""
    text, fact = _work[0].observation(round(temperature_k) - 300)
    return Log(yield_percent=float(fact.value), log=text)
