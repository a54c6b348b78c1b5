"""What the engine costs: wall time and bytes a step with a reasoner and a tool that do nothing.

All keep a write-ahead log with ``synchronous=FULL``, which is what SqliteSaver's users get too. Beside ours run, in the same minute and each in a process of its
own:

- *each step*: ours with a commit for every checkpoint; the product stores a checkpoint with the effect that follows;
- *same graph*: the product's own graph, nodes and checks with LangGraph's ``AsyncSqliteSaver``; log, ledger and
  gates are kept in memory, so that it stores checkpoints and nothing else;
- *message loop*: four nodes that do nothing over a growing message history with ``SqliteSaver``, the way agents
  on LangGraph usually keep their state.
"""

import json
import statistics
import subprocess
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from benchmarks.parts.common import Target, parser_for, report
from benchmarks.parts.overhead_loop import STEPS_A_ROUND

ROUNDS = 100
COUNTED_ROUNDS = 40
"""Rounds over which commits are counted, apart from the runs that are timed."""
LONG, LONG_QUICK = 1000, 300
EARLY, LATE = slice(8, 40), slice(-32, None)
"""Rounds that are compared: from round 10 on, and the last ones. Four experiments fall in each."""

TARGETS = [
    Target("step_time_to_same_graph", "<=", 1.0),
    Target("step_time_to_message_loop", "<=", 1.0),
    Target("disk_to_message_loop", "<=", 0.05),
    Target("late_to_early_round_time", "<=", 1.2),
    Target("late_to_early_log_bytes", "<=", 1.05),
    Target("late_to_early_checkpoint_bytes", "<=", 1.05),
]


def measure(variant: str, rounds: int, *flags: str) -> dict[str, Any]:
    """Return the figures of one variant, measured in a process of its own."""
    command = [sys.executable, "-m", "benchmarks.parts.overhead_variants", variant, str(rounds), *flags]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"{variant} failed:\n{done.stderr[-3000:]}")
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


def compare(times: int) -> dict[str, float]:
    """Return what a step takes in each variant, the median of ``times`` turns, and the ratios."""
    found: dict[str, list[dict[str, Any]]] = {
        name: [] for name in ("daybook", "each step", "same graph", "message loop")
    }
    for _ in range(times):
        for name, runs in found.items():
            runs.append(measure(name, ROUNDS))
    figures: dict[str, float] = {}
    for name, runs in found.items():
        key = name.replace(" ", "_")
        figures[f"{key}_ms_a_step"] = _median(runs, "round_ms") / STEPS_A_ROUND
        figures[f"{key}_cpu_ms_a_step"] = _median(runs, "cpu_ms") / STEPS_A_ROUND
        figures[f"{key}_commits_a_round"] = measure(name, COUNTED_ROUNDS, "--commits")["commits"]
        figures[f"{key}_kb_{ROUNDS}_rounds"] = _median(runs, "bytes") / 1000
    names = ("daybook", "same_graph", "message_loop")
    ours, same, loop = (figures[f"{key}_ms_a_step"] for key in names)
    cpus = [figures[f"{key}_cpu_ms_a_step"] for key in names]
    disks = [figures[f"{key}_kb_{ROUNDS}_rounds"] for key in names]
    return {
        **figures,
        "step_time_to_same_graph": ours / same,
        "step_time_to_message_loop": ours / loop,
        "step_cpu_to_same_graph": cpus[0] / cpus[1],
        "step_cpu_to_message_loop": cpus[0] / cpus[2],
        "disk_to_same_graph": disks[0] / disks[1],
        "disk_to_message_loop": disks[0] / disks[2],
    }


def _median(runs: list[dict[str, Any]], name: str) -> float:
    return statistics.median(run[name] for run in runs)


def flatness(rounds: int) -> dict[str, float]:
    """Return how time and bytes a round late in a long run compare with those early in it."""
    long, short = measure("daybook", rounds), measure("daybook", ROUNDS)
    gaps, rows = long["gaps_ms"], long["rows"]
    return {
        "long_rounds": rounds,
        "early_round_ms": statistics.median(gaps[EARLY]),
        "late_round_ms": statistics.median(gaps[LATE]),
        "late_to_early_round_time": statistics.median(gaps[LATE]) / statistics.median(gaps[EARLY]),
        "late_to_early_log_bytes": rows["log_late"] / rows["log_early"],
        "late_to_early_checkpoint_bytes": rows["checkpoint_largest"] / short["rows"]["checkpoint_largest"],
        "kb_a_round_over_all": long["bytes"] / 1000 / rounds,
    }


def main() -> None:
    """Measure, print and write."""
    options = parser_for(str(__doc__).splitlines()[0]).parse_args()
    figures = compare(1 if options.quick else 3)
    figures |= flatness(LONG_QUICK if options.quick else LONG)
    report(figures, TARGETS, path=options.json)


if __name__ == "__main__":
    main()
