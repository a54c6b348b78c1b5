"""Studies and runs whose model is scripted and whose experiments are the press."""

from typing import Any

from agents.models import Effect, Run, Study
from agents.services import start_run
from agents.store.audit import log_problems
from agents.testing import Answer
from agents.testing.lab_reading import what_is_seen
from agents.testing.replies import Reply, Request, Say, asked_format, prompt_text

TOOL = "tests.faults.instrument:PRESS"


def press_study(**changes: Any) -> Study:
    """Return a study with a dose to find, unattended, with a language model."""
    fields: dict[str, Any] = {
        "slug": f"press-{Study.objects.count() + 1}",
        "title": "Press",
        "goal": "Find the dose with the largest mass.",
        "initial_hypothesis": "The mass grows with the dose.",
        "space": {
            "parameters": [{"name": "dose", "kind": "integer", "unit": "mg", "low": 1, "high": 1_000_000}]
        },
        "objectives": [{"name": "mass", "unit": "g"}],
        "tools": ["press"],
        "experiment_tool": "press",
        "reasoner": "language_model",
        "policy": "auto",
        "budget": {"rounds": 1000, "experiments": 1000, "tokens": None},
    }
    return Study.objects.create(**{**fields, **changes})


def press_run(study: Study | None = None, **given: Any) -> Run:
    """Return a queued run."""
    return start_run(study or press_study(), by="ana", **given)


def presser(rounds: int) -> Any:
    """Return a script that proposes another dose in each round and ends after ``rounds``."""

    def script(request: Request, number: int) -> Reply:
        text = prompt_text(request)
        if not asked_format(request):
            return Say("The mass grows with the dose.")
        if what_is_seen(text).last_round >= rounds:
            return Answer({"memory": [], "finish": {"answer": "The mass grows with the dose."}})
        action = {"tool": "press", "arguments": {"dose": number + 1}}
        return Answer({"memory": [], "action": action, "reason": "The next dose."})

    return script


def wrongs_of(run: Run, doses: list[int]) -> list[str]:
    """Return what is wrong with a run's log, or between its rows and what the instrument did (``doses``)."""
    found = log_problems(run.pk)
    if len(doses) != len(set(doses)):
        found.append(f"the instrument did something twice: {sorted(doses)}")
    filed = [row.planned["dose"] for row in run.experiments.all()]
    lost = set(filed) - set(doses)
    if lost or len(filed) != len(set(filed)):
        found.append(f"the ledger holds {filed}, the instrument did {doses}")
    begun = Effect.objects.filter(run=run, key__contains="/act/").values_list("request", flat=True)
    unknown = set(doses) - {request["arguments"]["dose"] for request in begun}
    return found + [f"done without an entry in the ledger of effects: {dose}" for dose in unknown]
