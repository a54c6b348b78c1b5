"""A run that re-reads instead of remembering: everything in every prompt, and both kinds side by side."""

import io
import json
from itertools import pairwise

import pytest
from django.core.management import call_command

from agents import assembly, wiring
from agents.core.errors import BadInput
from agents.core.model import ModelReply
from agents.core.ports import ModelUsage
from agents.core.tokens import estimate_tokens
from agents.core.tools import EffectClass
from agents.models import Document, Passage, Run
from agents.reasoners.language_model.reasoner import LanguageModelReasoner
from agents.sent import compared, steps_sent
from agents.services import start_run
from agents.testing.toolbox import ToyTool, ToyToolbox, toy_spec
from agents.worker import work_once
from tests.memory.doubles import Says
from tests.support import make_study

pytestmark = pytest.mark.django_db
ROUNDS = 8
PAPER = "The onset was 412.37 K. " * 60


LOG = "\n".join(f"t={n} s T={300 + n}.5 K" for n in range(40))
WEIGH = ToyTool(
    toy_spec("weigh", "dose", is_experiment=True, effect=EffectClass.LOCAL),
    lambda arguments: {"mass": arguments["dose"] / 10, "log": LOG},
)


class Weigher(Says):
    """Weighs one dose more at each step, files what it saw, and ends after ``ROUNDS``."""

    def __init__(self, window: int = 100_000) -> None:
        super().__init__(None)
        self.context_tokens = window

    async def call(self, request, listener):
        text = "\n".join(message.content for message in request.messages)
        self.asked.append(text)
        step = max(
            [n for n in range(ROUNDS + 1) if f"weigh({n})" in text or f"weigh(dose={n})" in text], default=0
        )
        memory = (
            [{"op": "add", "text": f"dose {step} gave mass {step / 10:g} g", "evidence": [step]}]
            if step
            else []
        )
        turn = {
            "memory": memory,
            "hypothesis": {"text": "More is heavier.", "refuted_by": "A larger dose weighs less."},
            "reason": "next",
        }
        if step >= ROUNDS:
            turn = {"memory": memory, "finish": {"answer": "The last one.", "findings": ["F1"]}}
        else:
            turn["action"] = {"tool": "weigh", "arguments": {"dose": step + 1}}
        said = json.dumps(turn) if request.reply else "# It rose."
        usage = ModelUsage(
            role=request.role,
            model="double",
            prompt_tokens=estimate_tokens(text),
            completion_tokens=30,
            sections=request.sections,
            left_out=request.left_out,
        )
        return ModelReply(text=said, finish="stop", usage=usage)


def make_paper_study():
    study = make_study(reasoner="language_model", budget={"rounds": 20})
    document = Document.objects.create(
        study=study, name="paper.pdf", content_hash="a" * 64, status=Document.Status.READY, size=1, pages=1
    )
    Passage.objects.create(document=document, index=0, page=1, start=0, end=len(PAPER), text=PAPER)
    return study


@pytest.fixture
def study():
    return make_paper_study()


@pytest.fixture
def model(monkeypatch):
    models = []

    def reasoner_for(protocol, toolbox):
        return LanguageModelReasoner(models[-1])

    for module in (assembly, wiring):
        monkeypatch.setattr(module, "toolbox_for", lambda protocol: ToyToolbox([WEIGH]))
    monkeypatch.setattr(assembly, "reasoner_for", reasoner_for)

    def use(window: int = 100_000) -> Weigher:
        models.append(Weigher(window))
        return models[-1]

    return use


def driven(study, **given) -> Run:
    run = start_run(study, by="ana", policy="auto", **given)
    while work_once(worker="w"):
        pass
    run.refresh_from_db()
    return run


def test_every_prompt_holds_the_documents_and_every_round_in_full(study, model):
    asked = model().asked
    run = driven(study, memory="full_history")

    assert run.status == "succeeded"
    turns = [text for text in asked if "Your reply:" in text]
    assert all(PAPER.strip() in text for text in turns)
    for round, text in enumerate(turns[1:], start=1):
        assert all(
            f"R{number} weigh(dose={number}) → mass {number / 10:g} g" in text
            for number in range(1, round + 1)
        )


def test_both_kinds_come_to_the_same_end_and_are_told_side_by_side(study, model):
    model()
    small = driven(study)
    model()
    # Runs of one study share its ledger, and would not measure the same again.
    whole = driven(make_paper_study(), memory="full_history")

    left, right = compared([small, whole])
    assert (left["memory"], right["memory"]) == ("distilled", "full_history")
    assert (left["status"], left["experiments"], left["best"]) == (
        right["status"],
        right["experiments"],
        right["best"],
    )
    assert right["prompt tokens"] > 1.5 * left["prompt tokens"]
    assert right["largest prompt"] > left["largest prompt"]

    out = io.StringIO()
    call_command("compare", str(small.pk), str(whole.pk), stdout=out)
    assert "full_history" in out.getvalue()
    call_command("compare", str(small.pk), str(whole.pk), "--json", stdout=(told := io.StringIO()))
    assert json.loads(told.getvalue())[1]["memory"] == "full_history"


def test_each_step_says_what_was_sent_what_was_cut_and_what_re_reading_would_have_sent(study, model):
    model()
    run = driven(study)

    turns = [step for step in steps_sent(run) if step.role == "reason"]
    assert [step.round for step in turns] == list(range(1, ROUNDS + 2))
    assert {"goal", "tools", "format"} <= set(turns[-1].sections)
    assert turns[-1].left_out["observation"] > 30
    growth = [right.re_read - left.re_read for left, right in pairwise(turns)]
    assert all(more > 0 for more in growth)
    assert turns[0].re_read > estimate_tokens(PAPER)


def test_the_estimate_of_re_reading_is_near_what_a_run_that_re_reads_sends(study, model):
    model()
    run = driven(study, memory="full_history")

    for step in steps_sent(run):
        if step.role == "reason":
            assert step.re_read == pytest.approx(sum(step.sections.values()), rel=0.25)


def test_a_history_that_no_longer_fits_asks_a_person_and_names_the_section(study, model):
    model(window=2600)
    run = driven(study, memory="full_history")

    assert (run.status, run.wait["kind"]) == ("waiting", "attention")
    gate = run.gates.get(status="open")
    assert "does not fit the model" in gate.request["content"]["problem"]


def test_only_a_model_re_reads_and_only_known_kinds_of_memory_are_taken(study):
    with pytest.raises(BadInput, match="no memory 'elephant'"):
        start_run(study, by="ana", memory="elephant")
    with pytest.raises(BadInput, match="Only a language model re-reads"):
        start_run(study, by="ana", memory="full_history", reasoner="optimiser")
