"""What would refute a hypothesis, where nobody said: a result outside of what was predicted."""

from agents.core.proposal import Hypothesis, Prediction
from agents.core.science import Objective


def default_refutation(prediction: Prediction | None, objectives: list[Objective]) -> str:
    """Return what would refute the hypothesis that made ``prediction``; empty when it makes none that tests it."""
    if prediction is None or not prediction.tests_hypothesis:
        return ""
    called = next(
        (o.label or o.name for o in objectives if o.name == prediction.objective), prediction.objective
    )
    span = f"{prediction.low:.6g} to {prediction.high:.6g} {prediction.unit}".rstrip()
    return f"The {called} of the proposed experiment comes out outside {span}."


def with_refutation(
    edited: Hypothesis | None,
    prediction: Prediction | None,
    *,
    stated: Hypothesis,
    expected: Prediction | None,
    objectives: list[Objective],
) -> Hypothesis | None:
    """Return the hypothesis of an edit with a refutation that fits it; None when nothing of it changes.

    ``edited`` and ``prediction`` are what a person changed of ``stated`` and ``expected``. A refutation that was
    left as it was belongs to what was there before, so it is said anew from the prediction that now holds.
    """
    if edited is None and prediction is None:
        return None
    kept = edited or stated
    if kept.refuted_by.strip() and kept.refuted_by != stated.refuted_by:
        return kept
    if kept.text == stated.text and prediction is None:
        return edited
    return kept.model_copy(update={"refuted_by": default_refutation(prediction or expected, objectives)})
