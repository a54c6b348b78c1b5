"""What comes of every fault of models, servers and tools: Daybook's whole engine beside LangChain's agent.

Each row is one misbehaviour, then a right call and the end, from a scripted server over real HTTP. Daybook runs
unattended on real rows in SQLite, its tool in a child process; the instrument's own file says what was run.
Mutations are 200 seeded distortions of a right answer by a model that never mends it.
"""

import contextlib
import functools
import logging
import sys
from collections import Counter
from multiprocessing.util import Finalize
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.parts.common import Target, for_each, parser_for, report
from benchmarks.parts.faults_catalogue import FAULTS, Fault
from benchmarks.parts.faults_verdicts import ASKS, BAD, ENDLESS, GOOD_ENDS, RECOVERS, SILENT

MUTATIONS, QUICK_MUTATIONS = 200, 12
QUICK_CALLS = 12
"""How many rows are also sent as tool calls in a short run."""
CONTROLS = 2
TARGETS = [
    Target("Daybook: recovers or asks, of all", "==", 1.0),
    Target("Daybook: recovers or asks, as tool calls, of all", "==", 1.0),
    Target("Daybook: bad values executed", "==", 0),
    Target("Daybook: silently wrong", "==", 0),
    Target("Daybook: endless", "==", 0),
    Target("Daybook: faults that a person cannot read", "==", 0),
    Target("Daybook: model calls not charged", "==", 0),
    Target("Daybook: most answers asked for in one step", "<=", 3),
    Target("mutations: tools run with invalid arguments", "==", 0),
    Target("mutations: runs failed or with a traceback", "==", 0),
    Target("mutations: most asks before a person is asked", "<=", 3),
    Target("mutations: model calls not charged", "==", 0),
]

_errors: list[str] = []


def main() -> None:
    """Run every row on both sides, then the mutations, and report them."""
    parser = parser_for(__doc__ or "")
    options = parser.parse_args()
    calls = QUICK_CALLS if options.quick else len(FAULTS)
    rows = for_each(_row, [(number, number < calls) for number in range(len(FAULTS))])
    _print_table(rows)
    count = QUICK_MUTATIONS if options.quick else MUTATIONS
    mutated = for_each(_mutation, [(number, count) for number in range(count)])
    report(_figures(rows, mutated), TARGETS, path=options.json)


def _row(which: tuple[int, bool]) -> dict[str, Any]:
    """Return what came of one fault on every side; the flag says whether it is also sent as a tool call."""
    _ready()
    from benchmarks.parts.faults_create_agent import peer_verdict, run_peer
    from benchmarks.parts.faults_ours import is_told, run_ours, verdict

    number, with_call = which
    fault = FAULTS[number]
    facts = run_ours(fault)
    row: dict[str, Any] = {
        "daybook": verdict(fault, facts),
        "asked": facts.asked,
        "is_told": is_told(fault, facts),
        "uncharged": max(0, facts.asked - facts.charged),
        "at_once": facts.asked_at_once,
        "says": next(iter(facts.said), ""),
    }
    if fault.wire and with_call:
        facts = run_ours(fault, wire=True)
        row["as tool call"] = verdict(fault, facts)
        row["is_told"] &= is_told(fault, facts)
        row["uncharged"] += max(0, facts.asked - facts.charged)
        row["at_once"] = max(row["at_once"], facts.asked_at_once)
    row["create_agent"] = peer_verdict(fault, run_peer(fault))
    return row


def _mutation(which: tuple[int, int]) -> dict[str, Any]:
    """Return what came of one mutated answer that is given again and again."""
    _ready()
    from benchmarks.parts.faults_mutations import mutations
    from benchmarks.parts.faults_site import facts_of
    from benchmarks.parts.faults_tool import is_sound

    number, count = which
    _errors.clear()
    facts = facts_of([mutations(count)[number]], rounds=1)
    return {
        "unsound": sum(not is_sound(line) for line in facts.executed),
        "broken": int(facts.status == "failed" or bool(_errors)),
        "asked": facts.asked if facts.status == "waiting" else 0,
        "uncharged": max(0, facts.asked - facts.charged),
        "ran": len(facts.executed),
    }


@functools.cache
def _ready() -> None:
    """Open this process's site once; it is removed when the process ends."""
    from benchmarks.parts.faults_site import site

    opened = contextlib.ExitStack()
    opened.enter_context(site())
    # A worker of a pool ends without running atexit.
    Finalize(None, opened.close, exitpriority=1)
    logging.getLogger().addHandler(_Ear())


class _Ear(logging.Handler):
    """Hears what a server's log would show as an error."""

    def emit(self, record: logging.LogRecord) -> None:
        if record.levelno >= logging.ERROR:
            _errors.append(record.getMessage())


def _figures(rows: list[dict[str, Any]], mutated: list[dict[str, Any]]) -> dict[str, Any]:
    ours = Counter(row["daybook"] for row in rows)
    wire = [row["as tool call"] for row in rows if "as tool call" in row]
    peer = Counter(row["create_agent"].partition(" (")[0] for row in rows)
    both = ours + Counter(wire)
    figures: dict[str, Any] = {
        "faults": len(rows) - CONTROLS,
        "Daybook: recovers or asks, of all": _good(row["daybook"] for row in rows) / len(rows),
        "Daybook: recovers or asks, as tool calls, of all": _good(wire) / len(wire),
        "Daybook: recovers": ours[RECOVERS],
        "Daybook: asks a person": ours[ASKS],
        "Daybook: bad values executed": both[BAD],
        "Daybook: silently wrong": both[SILENT],
        "Daybook: endless": both[ENDLESS],
        "Daybook: faults that a person cannot read": sum(not row["is_told"] for row in rows),
        "Daybook: model calls not charged": sum(row["uncharged"] for row in rows),
    }
    figures["Daybook: most answers asked for in one step"] = max(row["at_once"] for row in rows)
    figures |= {f"create_agent: {name}": count for name, count in sorted(peer.items())}
    return figures | _mutation_figures(mutated) | {"rows": _named(rows)}


def _mutation_figures(mutated: list[dict[str, Any]]) -> dict[str, Any]:
    return {
        "mutations": len(mutated),
        "mutations: still valid, and run once": sum(row["ran"] for row in mutated),
        "mutations: tools run with invalid arguments": sum(row["unsound"] for row in mutated),
        "mutations: runs failed or with a traceback": sum(row["broken"] for row in mutated),
        "mutations: most asks before a person is asked": max(row["asked"] for row in mutated),
        "mutations: model calls not charged": sum(row["uncharged"] for row in mutated),
    }


def _good(verdicts: Any) -> int:
    return sum(verdict in GOOD_ENDS for verdict in verdicts)


def _named(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [{"fault": _title(fault), **row} for fault, row in zip(FAULTS, rows, strict=True)]


def _title(fault: Fault) -> str:
    return f"structured: {fault.name}" if fault.group == "structured" else fault.name


def _print_table(rows: list[dict[str, Any]]) -> None:
    columns = ("daybook", "as tool call", "create_agent")
    print("| fault | Daybook | Daybook, as tool call | create_agent |\n|---|---|---|---|")
    for fault, row in zip(FAULTS, rows, strict=True):
        cells = " | ".join(row.get(column, "–") for column in columns)
        print(f"| {_title(fault)} | {cells} |{'' if row['is_told'] else ' (not told)'}")
    print()


if __name__ == "__main__":
    main()
