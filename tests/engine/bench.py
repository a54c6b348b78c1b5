"""A bench for the engine: every port a double, checkpoints in memory, no Django."""

from collections.abc import Sequence
from typing import Any

from langgraph.checkpoint.memory import InMemorySaver

from agents.core.canonical import digest_of
from agents.core.gates import Answer, GateRequest, Verdict
from agents.core.study import StudyProtocol
from agents.core.tools import Action
from agents.engine.deps import Deps
from agents.engine.driver import Driven, drive
from agents.testing.clock import FixedClock
from agents.testing.journal import MemoryJournal
from agents.testing.notebook import MemoryBook, MemoryLedger
from agents.testing.reasoner import Script, ScriptedReasoner
from agents.testing.toolbox import LOOK, TOY_OBJECTIVE, TOY_SPACE, WEIGH, ToyTool, ToyToolbox


class Bench:
    """One run on doubles. Further keywords change the protocol."""

    def __init__(
        self,
        script: Script,
        *,
        policy: str = "auto",
        tools: Sequence[ToyTool] = (WEIGH, LOOK),
        reasoner: dict[str, Any] | None = None,
        **protocol: Any,
    ) -> None:
        fields = {
            "study_id": "s1",
            "title": "Toy",
            "goal": "the largest mass",
            "space": TOY_SPACE,
            "objectives": [TOY_OBJECTIVE],
            "experiment_tool": "weigh",
        }
        self.protocol = StudyProtocol(**{**fields, **protocol})
        self.reasoner = ScriptedReasoner(script, **(reasoner or {}))
        self.journal = MemoryJournal(policy=policy, budget=self.protocol.budget)
        self.toolbox = ToyToolbox(tools)
        self.ledger = MemoryLedger(self.journal, objectives=self.protocol.objectives)
        self.book = MemoryBook(self.journal)
        self.saver = InMemorySaver()
        self.pauses: list[float] = []
        self.ports: dict[str, Any] = {}

    async def drive(self) -> Driven:
        """Drive the run until it waits or ends."""

        async def pause(seconds: float) -> None:
            self.pauses.append(seconds)

        deps = Deps(
            protocol=self.protocol,
            reasoner=self.reasoner,
            journal=self.journal,
            ledger=self.ledger,
            book=self.book,
            toolbox=self.toolbox,
            clock=FixedClock(),
            pause=pause,
            **self.ports,
        )
        return await drive("run-1", deps=deps, saver=self.saver)

    async def state(self) -> dict[str, Any]:
        """Return the state that the last checkpoint holds."""
        found = await self.saver.aget_tuple({"configurable": {"thread_id": "run-1"}})
        assert found is not None
        return dict(found.checkpoint["channel_values"])

    @property
    def gate(self) -> GateRequest:
        """The one gate that waits for people."""
        (request,) = self.journal.open_gates()
        return request

    def decide(self, verdict: str, *, arguments: dict[str, Any] | None = None, **fields: Any) -> None:
        """Answer the open gate as ``prepare_answer`` would."""
        request = self.gate
        content = request.content
        shown = content.get("action") or (content.get("proposal") or {}).get("action")
        if shown is not None:
            action = Action.model_validate(shown)
            if arguments is not None:
                action = action.model_copy(update={"arguments": arguments})
            fields |= {"action": action, "action_digest": digest_of(action.model_dump(mode="json"))}
        self.journal.answer(request.key, Answer(**{"verdict": Verdict(verdict), "by": "ana", **fields}))

    def doses(self) -> list[float]:
        """Return the doses that were really weighed, in order."""
        return [action.arguments["dose"] for action, _ in self.toolbox.calls if action.tool == "weigh"]
