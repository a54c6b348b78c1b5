"""The language-model reasoner: one call a step, from a compact prompt to a checked turn."""

from agents.core.brief import Brief, WholeMemory
from agents.core.digest import Digest, ParsedDocument
from agents.core.model import LanguageModel, ModelRequest, WindowExceeded
from agents.core.ports import Listener
from agents.core.proposal import MemoryOperation, Turn
from agents.core.ranking import Rank, rank_by_words
from agents.core.tokens import estimate_tokens
from agents.reasoners.language_model.asking import AGAIN, ask, too_long
from agents.reasoners.language_model.cutting import Count
from agents.reasoners.language_model.digesting import digest_document
from agents.reasoners.language_model.formats import TURN_LINE
from agents.reasoners.language_model.packing import Prompt, choose_prompt
from agents.reasoners.language_model.summary import read_summary, summary_messages
from agents.reasoners.language_model.tidying import TIDY_LINE, read_tidy, tidy_request
from agents.reasoners.language_model.turns import Check, read_turn

SHRINK = 0.75
"""How much of the window is used after the server said "too long" without saying how long is right."""


class LanguageModelReasoner:
    """Implements ``Reasoner`` over a ``LanguageModel``.

    ``check`` validates an action's arguments, so that a wrong one is asked for again at once with the
    message of its field. ``tokenizer_estimate`` counts tokens.
    """

    name = "language_model"
    calls_out = True

    def __init__(
        self,
        model: LanguageModel,
        *,
        check: Check | None = None,
        tokenizer_estimate: Count = estimate_tokens,
        rank: Rank = rank_by_words,
    ) -> None:
        self._model = model
        self._check = check
        self._count = tokenizer_estimate
        self._rank = rank

    async def digest(
        self, document: ParsedDocument, *, document_id: str, goal: str, listener: Listener
    ) -> Digest:
        """Read a document part by part; see ``digest_document``."""
        return await digest_document(
            document,
            document_id=document_id,
            goal=goal,
            model=self._model,
            listener=listener,
            count=self._count,
        )

    async def propose(self, brief: Brief, listener: Listener) -> Turn:
        """Return the next turn. Raises ``ModelFault`` when no usable answer came, ``BadInput`` when the
        prompt cannot fit the model's window, ``NotConfigured`` when the endpoint is not set up."""
        try:
            return await self._ask(self.prompt(brief), brief, listener)
        except WindowExceeded as fault:
            window = fault.limit or int(self._model.context_tokens * SHRINK)
        try:
            return await self._ask(self.prompt(brief, window=window), brief, listener)
        except WindowExceeded as fault:
            raise too_long(fault) from fault

    async def reflect(self, brief: Brief) -> list[MemoryOperation]:
        """Return nothing: the next turn carries the memory operations, which saves a call."""
        return []

    async def tidy(self, brief: Brief, whole: WholeMemory, listener: Listener) -> list[MemoryOperation]:
        """Return what the model of the role ``refine`` would change in the whole memory. Raises as ``propose``."""
        window = self._model.context_tokens
        for _ in range(2):
            request = tidy_request(brief, whole, window=window, count=self._count)
            try:
                return await ask(
                    self._model,
                    request,
                    read=lambda reply: read_tidy(reply, whole, brief.protocol.language),
                    shape_line=TIDY_LINE,
                    listener=listener,
                    count=self._count,
                )
            except WindowExceeded as fault:
                window, last = fault.limit or int(window * SHRINK), fault
        raise too_long(last) from last

    async def summarise(self, brief: Brief, listener: Listener) -> str:
        """Return the conclusion in Markdown. Raises ``ModelFault`` when none came."""
        request = ModelRequest(role="refine", messages=summary_messages(brief))
        try:
            return await ask(
                self._model,
                request,
                read=lambda reply: read_summary(reply, brief.protocol.language),
                shape_line="",
                listener=listener,
                count=self._count,
            )
        except WindowExceeded as fault:
            raise too_long(fault) from fault

    async def aclose(self) -> None:
        """Close the model's connections."""
        await self._model.aclose()

    def prompt(self, brief: Brief, *, window: int | None = None) -> Prompt:
        """Return what the model will be sent for ``brief``, for people to read."""
        return choose_prompt(
            brief,
            cache_minimum=self._model.cache_minimum,
            window=window or self._model.context_tokens,
            count=self._count,
            rank=self._rank,
        )

    async def _ask(self, prompt: Prompt, brief: Brief, listener: Listener) -> Turn:
        request = ModelRequest(
            messages=prompt.messages, reply=prompt.reply, sections=prompt.sections, left_out=prompt.left_out
        )
        return await ask(
            self._model,
            request,
            read=lambda reply: read_turn(reply, brief, check=self._check),
            shape_line=TURN_LINE,
            listener=listener,
            count=self._count,
            again=max(0, AGAIN - brief.asked),
        )
