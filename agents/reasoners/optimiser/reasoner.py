"""The reasoner that needs no language model: it models the measurements and states what it learns."""

from collections.abc import Callable

from agents.core.brief import Brief, WholeMemory
from agents.core.canonical import digest_of
from agents.core.digest import Digest, ParsedDocument
from agents.core.errors import BadInput
from agents.core.ports import Listener
from agents.core.proposal import MemoryOperation, Turn
from agents.core.science import Conditions
from agents.core.study import StudyProtocol
from agents.core.suggestions import Repeat, Suggestion
from agents.reasoners.optimiser.encoding import encoding_of
from agents.reasoners.optimiser.pool import Pool, given_pool, space_pool
from agents.reasoners.optimiser.proposing import check_study, next_turn

DigestWith = Callable[..., Digest]
"""Called as ``digest_with(document, document_id=..., goal=...)``."""


class OptimiserReasoner:
    """Bayesian optimisation behind the reasoner port.

    ``seed`` and the brief decide a proposal: a restart proposes the same. ``candidates`` gives the only
    conditions that can be measured, such as the rows of a dataset; without it the space itself is searched.
    ``digest_with`` reads documents; without it the extractive digest does.
    """

    name = "optimiser"
    calls_out = False

    def __init__(
        self,
        seed: int = 0,
        *,
        candidates: Callable[[], list[Conditions]] | None = None,
        digest_with: DigestWith | None = None,
    ) -> None:
        self.seed = seed
        self._candidates = candidates
        self._digest_with = digest_with
        self._pools: dict[str, Pool] = {}

    async def digest(
        self, document: ParsedDocument, *, document_id: str, goal: str, listener: Listener
    ) -> Digest:
        """Return the digest of ``document``, made without a language model unless ``digest_with`` was given."""
        digest_with = self._digest_with
        if digest_with is None:
            from agents.reasoners.extractive import extract_digest

            digest_with = extract_digest
        return digest_with(document, document_id=document_id, goal=goal)

    async def propose(self, brief: Brief, listener: Listener) -> Turn:
        """Return the next experiment, or the end. Memory operations come from ``reflect``."""
        check_study(brief.protocol)
        return next_turn(brief, self._pool(brief.protocol), seed=self.seed)

    def suggest(self, brief: Brief, count: int) -> list[Suggestion]:
        """Return up to ``count`` experiments to do next, best first."""
        from agents.reasoners.optimiser.advice import next_candidates

        check_study(brief.protocol)
        return next_candidates(brief, self._pool(brief.protocol), count=count, seed=self.seed)

    def repeats(self, brief: Brief, count: int) -> list[Repeat]:
        """Return up to ``count`` measured conditions that are worth a declared replicate, best first."""
        from agents.reasoners.optimiser.advice import worth_repeating

        check_study(brief.protocol)
        return worth_repeating(brief, self._pool(brief.protocol), count=count)

    async def reflect(self, brief: Brief) -> list[MemoryOperation]:
        """Return what the latest result changes in the findings: statements that the measurements support."""
        from agents.reasoners.optimiser.reflection import operations

        check_study(brief.protocol)
        return operations(brief, encoding_of(brief.protocol.space))

    async def tidy(self, brief: Brief, whole: WholeMemory, listener: Listener) -> list[MemoryOperation]:
        """Return what a milestone review would change, by rule: findings that say the very same become one, and
        what several runs show becomes a rule."""
        from agents.reasoners.optimiser.tidying import operations_on

        check_study(brief.protocol)
        return operations_on(brief, whole)

    async def summarise(self, brief: Brief, listener: Listener) -> str:
        """Return the conclusion of the run in Markdown."""
        from agents.reasoners.optimiser.conclusion import conclusion

        check_study(brief.protocol)
        return conclusion(brief, self._pool(brief.protocol))

    async def aclose(self) -> None:
        """Hold nothing, let go of nothing."""

    def _pool(self, protocol: StudyProtocol) -> Pool:
        """Return the legal candidates, kept while space and limits stay the same."""
        space, limits = protocol.space, protocol.constraints
        key = digest_of([space.model_dump(mode="json"), [c.model_dump(mode="json") for c in limits]])
        if key not in self._pools:
            self._pools = {key: self._fresh_pool(protocol)}
        return self._pools[key]

    def _fresh_pool(self, protocol: StudyProtocol) -> Pool:
        encoding = encoding_of(protocol.space)
        if self._candidates is not None:
            pool = given_pool(encoding, self._candidates(), protocol.constraints)
        else:
            pool = space_pool(encoding, protocol.constraints, seed=self.seed)
        if not len(pool):
            message = "No conditions inside the space satisfy all constraints: widen a bound or retire a constraint."
            raise BadInput(
                message,
                [
                    {
                        "field": "constraints",
                        "expected": "a legal candidate",
                        "received": 0,
                        "message": message,
                    }
                ],
            )
        return pool
