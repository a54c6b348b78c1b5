"""Long-term memory: does it find the right finding, and how long does that take among very many?

Recall@5 on labelled questions in English and Chinese, by meaning and words together (as shipped), by meaning
alone and by words alone; on the questions that shares and thresholds were chosen on, and on a held-out set.
Questions that nothing answers should find nothing. Then the index is deleted and rebuilt, and latency of whole
searches, the question's embedding included, among many findings, beside a brute-force search of the same vectors in
numpy. Beside the time on the clock stands the CPU time of both processes, which other work on the machine changes
little.

The many findings are made of few: 2,000 real statements are embedded, and each finding has the vector of one of them,
moved by a random vector of ``JITTER`` times its length. Embedding 100,000 texts would only take longer (the figure
``embedding 100,000 texts would take, s`` says how long) and change no search: what is searched is vectors.
"""

import asyncio
import os
import shutil
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import numpy as np

from agents.adapters.chroma.child import ChromaChild
from agents.adapters.chroma.store import ChromaFindingStore
from agents.adapters.embeddings.base import Embedder, Vector
from agents.adapters.embeddings.choose import embedder_for
from agents.adapters.embeddings.hybrid import word_vector
from agents.adapters.embeddings.offline import OfflineEmbedder
from agents.core.findings import Finding, FoundFinding
from benchmarks.parts.common import Target, parser_for, report
from benchmarks.parts.retrieval_cases import (
    ROWS,
    SETS,
    Case,
    dataset_statements,
    hand_written_cases,
    hand_written_findings,
    row_cases,
)

MANY, FEW = 100_000, 2_000
STUDIES = 200
SEARCHES, QUICK_SEARCHES = 200, 60
JITTER = 0.35
TARGETS = [
    Target("held out: recall@5", ">=", 0.9),
    Target("held out: recall@5 zh", ">=", 0.9),
    Target("held out: questions without an answer that found nothing", ">=", 0.9),
    Target("tuning: recall@5", ">=", 0.9),
    Target("tuning: recall@5 rows", ">=", 0.95),
    Target("answers that differ once the index was deleted and rebuilt", "==", 0),
    Target("one study, p95 ms", "<", 50),
    Target("ten studies, p95 ms", "<", 50),
    Target("all studies, p95 ms", "<", 50),
    Target("ten studies, share of the true five", ">=", 0.9),
    Target("all studies, share of the true five", ">=", 0.9),
]


def main() -> None:
    """Measure both and report."""
    parser = parser_for(__doc__ or "")
    parser.add_argument(
        "--size", type=int, metavar="N", help=f"findings to search among; {MANY:,} unless given"
    )
    options = parser.parse_args()
    count, searches = (FEW, QUICK_SEARCHES) if options.quick else (MANY, SEARCHES)
    count = options.size or count
    with tempfile.TemporaryDirectory() as folder:
        child = ChromaChild(Path(folder) / "chroma")
        began = time.monotonic()
        child.start()
        if not child.wait_ready():
            raise SystemExit(f"the Chroma server did not start: {child.state}")
        figures: dict[str, Any] = {"server ready after, s": round(time.monotonic() - began, 2)}
        try:
            figures |= asyncio.run(recall(child))
            figures |= asyncio.run(latency(child, count, searches))
        finally:
            child.stop()
    report(figures, TARGETS, path=options.json)


async def recall(child: ChromaChild) -> dict[str, Any]:
    """Return recall@5 by set and kind of question, as shipped and for each half alone."""
    statements = dataset_statements(ROWS)
    texts = {key: text for key, (_, text) in hand_written_findings().items()}
    texts |= {key: text for key, (text, _) in statements.items()}
    store = ChromaFindingStore(child.connect, embedder_for())
    await _filled(store, texts)
    figures: dict[str, Any] = {"findings searched": len(texts)}
    asked: dict[Case, list[FoundFinding]] = {}
    for name in SETS:
        cases = hand_written_cases(name) + row_cases(statements, name)
        found = {case: await _ask(store, case) for case in cases}
        figures |= {f"{name.replace('_', ' ')}: {key}": n for key, n in shares(cases, found, texts).items()}
        asked |= found
    child.stop()
    shutil.rmtree(child.path)
    child.start()
    child.wait_ready()
    await _filled(store, texts)
    differing = [case for case, hits in asked.items() if await _ask(store, case) != hits]
    figures["answers that differ once the index was deleted and rebuilt"] = len(differing)
    return figures


async def _filled(store: ChromaFindingStore, texts: dict[str, str]) -> None:
    await store.rebuild(Finding(id=key, study_id="labelled", text=text) for key, text in texts.items())


async def _ask(store: ChromaFindingStore, case: Case) -> list[FoundFinding]:
    return await store.search(case.text, study_ids=["labelled"], limit=5)


def shares(
    cases: Sequence[Case], found: dict[Case, list[FoundFinding]], texts: dict[str, str]
) -> dict[str, float]:
    """Return the figures of one set of questions."""
    figures: dict[str, float] = {"questions": len(cases)}
    figures["questions in Chinese"] = sum(any("\u3400" <= char <= "\u9fff" for char in c.text) for c in cases)
    figures |= recalls(cases, lambda case: {hit.finding_id for hit in found[case]}, "recall@5")
    negatives = [found[case] == [] for case in cases if not case.answers]
    figures["questions without an answer"] = len(negatives)
    figures["questions without an answer that found nothing"] = round(float(np.mean(negatives)), 3)
    for name, embed in (
        ("meaning alone", OfflineEmbedder().embed),
        ("words alone", lambda texts: [word_vector(text) for text in texts]),
    ):
        figures |= recalls(cases, half(embed, texts, cases), f"recall@5 {name}")
    return figures


def half(
    embed: Callable[[list[str]], Any], texts: dict[str, str], cases: Sequence[Case]
) -> Callable[[Case], set[str]]:
    """Return the search that compares every text by ``embed`` alone."""
    matrix, keys = np.array(embed(list(texts.values()))), list(texts)
    vectors = dict(zip(cases, np.array(embed([case.text for case in cases])), strict=True))
    return lambda case: {keys[place] for place in top(matrix @ vectors[case], 5)}


def recalls(cases: Sequence[Case], hits: Callable[[Case], set[str]], name: str) -> dict[str, float]:
    """Return the share of questions with an answer among the hits, in all and by kind."""
    answered = [case for case in cases if case.answers]
    right = {case: bool(hits(case) & case.answers) for case in answered}
    shares = {name: float(np.mean(list(right.values())))}
    for kind in ("en", "zh", "rows"):
        shares[f"{name} {kind}"] = float(np.mean([right[case] for case in answered if case.kind == kind]))
    return {key: round(share, 3) for key, share in shares.items()}


def top(scores: Any, count: int) -> list[int]:
    """Return the places of the ``count`` highest scores."""
    return [int(place) for place in np.argsort(-scores)[:count]]


class Jittered:
    """Makes many findings of few: the text ``#n`` is a real statement's vector, moved a little. Other texts are
    embedded in earnest, so that a search costs what it costs."""

    def __init__(self, real: Embedder, texts: Sequence[str]) -> None:
        self.name, self.dimension = f"jittered {real.name}", real.dimension
        self.unrelated_below = 0.0
        self._real = real
        self.real_texts = len(texts)
        self._pool = np.array(real.embed(texts), dtype=np.float32)

    def embed(self, texts: Sequence[str]) -> list[Vector]:
        """Return one vector a text, in order."""
        if texts and texts[0].startswith("#"):
            return [self.moved(int(text[1:])).tolist() for text in texts]
        return self._real.embed(texts)

    def moved(self, number: int) -> Any:
        """Return the vector of finding ``number``."""
        noise = np.random.default_rng(number).normal(size=self.dimension).astype(np.float32)
        vector = self._pool[number % len(self._pool)] + JITTER * noise / np.linalg.norm(noise)
        return vector / np.linalg.norm(vector)


def cpu_of(child: ChromaChild) -> float:
    """Return the CPU seconds that the index's process has used, of all its threads."""
    fields = Path(f"/proc/{child.pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


async def latency(child: ChromaChild, count: int, searches: int) -> dict[str, Any]:
    """Return p50 and p95 of searches among ``count`` findings, and how many of the true five they return."""
    statements = dataset_statements(ROWS)
    cases = [case for name in SETS for case in hand_written_cases(name) + row_cases(statements, name)]
    questions = [case.text for case in cases][:searches]
    began = time.monotonic()
    embedder = Jittered(embedder_for(), [text for text, _ in dataset_statements(2000).values()])
    a_text = (time.monotonic() - began) / embedder.real_texts
    store = ChromaFindingStore(child.connect, embedder)
    began = time.monotonic()
    await store.rebuild(
        Finding(id=str(number), study_id=f"s{number % STUDIES}", text=f"#{number}") for number in range(count)
    )
    filled = time.monotonic() - began
    matrix = np.array([embedder.moved(number) for number in range(count)])
    studies = np.arange(count) % STUDIES
    figures: dict[str, Any] = {
        "findings": count,
        "rebuild, s": round(filled, 1),
        "embedding 100,000 texts would take, s": round(a_text * 100_000),
        "machine's load for each core": round(os.getloadavg()[0] / (os.cpu_count() or 1), 1),
    }
    for name, scope in (("one study", [7]), ("ten studies", list(range(10))), ("all studies", None)):
        taken, cpu, brute, brute_cpu, share = [], [], [], [], []
        server = cpu_of(child)
        mask = np.isin(studies, scope) if scope is not None else np.ones(count, dtype=bool)
        for question in questions:
            # Every question is new: what was kept of it would only flatter the time.
            store.forget_questions()
            began, used = time.perf_counter(), time.process_time()
            hits = await store.search(
                question, study_ids=scope and [f"s{number}" for number in scope], limit=5
            )
            taken.append(time.perf_counter() - began)
            cpu.append(time.process_time() - used)
            began, used = time.perf_counter(), time.process_time()
            vector = np.array(embedder.embed([question])[0], dtype=np.float32)
            true = top(np.where(mask, matrix @ vector, -2.0), 5)
            brute.append(time.perf_counter() - began)
            brute_cpu.append(time.process_time() - used)
            share.append(len({hit.finding_id for hit in hits} & {str(number) for number in true}) / 5)
        figures[f"{name}, p50 ms"] = round(1000 * float(np.percentile(taken, 50)), 1)
        figures[f"{name}, p95 ms"] = round(1000 * float(np.percentile(taken, 95)), 1)
        figures[f"{name}, brute force p95 ms"] = round(1000 * float(np.percentile(brute, 95)), 1)
        asked = (cpu_of(child) - server) / len(questions)
        figures[f"{name}, CPU ms a search: here"] = round(1000 * float(np.mean(cpu)), 1)
        figures[f"{name}, CPU ms a search: index"] = round(1000 * asked, 1)
        figures[f"{name}, brute force CPU ms a search"] = round(1000 * float(np.mean(brute_cpu)), 1)
        figures[f"{name}, share of the true five"] = round(float(np.mean(share)), 3)
    return figures


if __name__ == "__main__":
    main()
