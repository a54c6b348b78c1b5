"""Random events that a run might log, for property tests."""

from hypothesis import strategies as st

NUMBER = st.floats(allow_nan=False, allow_infinity=False, width=32)
COUNT = st.integers(0, 10_000)
TEXT = st.text(st.characters(codec="utf-8", exclude_characters="\x00"), max_size=20)
HYPOTHESIS = st.fixed_dictionaries(
    {"text": st.sampled_from(["more", "less", "same"])}, optional={"confidence": NUMBER}
)
ACTION = st.fixed_dictionaries({"tool": TEXT, "arguments": st.dictionaries(TEXT, NUMBER, max_size=3)})
FINDING = st.builds(
    lambda number, **rest: {"id": f"id-{number}", "number": number, **rest},
    st.integers(1, 9),
    text=TEXT,
    confidence=st.floats(0, 1),
    support=COUNT,
    against=COUNT,
    status=st.sampled_from(["active", "superseded", "vetoed"]),
)
STANCE = st.sampled_from(["for", "against", "inconclusive"])

CONFIGURATION = st.fixed_dictionaries(
    {"graph": TEXT, "program": TEXT, "tools": st.dictionaries(TEXT, TEXT, max_size=3)}
)

PAYLOADS = {
    "run.configured": CONFIGURATION,
    "run.held": st.fixed_dictionaries(
        {"differences": st.just([]), "choices": st.just(["close"]), "configuration": CONFIGURATION}
    ),
    "digest.filed": st.fixed_dictionaries(
        {"goal": TEXT, "constraints": st.just([]), "documents": st.just([])},
        optional={"hypothesis": HYPOTHESIS},
    ),
    "round.started": st.just({}),
    "round.failed": st.fixed_dictionaries({"problem": TEXT}),
    "model.called": st.fixed_dictionaries(
        {"role": TEXT, "model": TEXT, "prompt_tokens": COUNT, "completion_tokens": COUNT},
        optional={
            "money": st.floats(0, 100),
            "seconds": st.floats(0, 100),
            "cached_tokens": COUNT,
            "estimated": st.booleans(),
        },
    ),
    "proposal.made": st.fixed_dictionaries(
        {"proposal": st.fixed_dictionaries({"hypothesis": HYPOTHESIS, "action": ACTION})}
    ),
    "review.decided": st.fixed_dictionaries(
        {"gate": TEXT, "verdict": TEXT, "by": TEXT}, optional={"hypothesis": HYPOTHESIS}
    ),
    "effect.finished": st.fixed_dictionaries(
        {
            "key": st.sampled_from(["1/act/weigh", "1/reason/1"]),
            "attempt": COUNT,
            "result": st.fixed_dictionaries({"duration_s": st.floats(0, 100)}),
        }
    ),
    "experiment.filed": st.fixed_dictionaries(
        {"experiment": st.just({}), "best": st.none() | st.fixed_dictionaries({"value": NUMBER})}
    ),
    "evidence.filed": st.fixed_dictionaries(
        {"stance": STANCE}, optional={"inside": st.none() | st.booleans()}
    ),
    "finding.added": st.fixed_dictionaries({"finding": FINDING, "reason": TEXT}),
    "finding.changed": st.fixed_dictionaries({"finding": FINDING, "reason": TEXT}),
    "round.completed": st.fixed_dictionaries(
        {"action": ACTION, "outcome": TEXT}, optional={"stance": STANCE}
    ),
    "run.finished": st.fixed_dictionaries({"outcome": TEXT}),
    "run.failed": st.fixed_dictionaries({"error": TEXT}),
    "guidance.given": st.fixed_dictionaries({"text": TEXT, "by": TEXT}),
}

EVENT = st.sampled_from(sorted(PAYLOADS)).flatmap(
    lambda kind: st.tuples(st.just(kind), PAYLOADS[kind], st.none() | st.integers(0, 50))
)
"""(kind, payload, round)"""
LOG = st.lists(EVENT, max_size=40)
