"""``kill -9`` over runs with tools of each effect class: what is lost, what is done twice, what never ends.

Workers are killed at random moments, once at each named point of the engine, and stalled past their lease. The
oracle is outside the product: the instruments write what they were made to do into files of their own.
"""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from benchmarks.parts.common import Target, parser_for, report

KILLS, QUICK_KILLS = 1000, 40
NEVER = (
    "not_ended_well",
    "log_problems",
    "doubled_blind",
    "doubled_keyed",
    "lost",
    "unasked",
    "answers_without_decision",
)
SCENARIOS = ("random", "points", "stalls")


def main() -> None:
    """Run the three scenarios and report."""
    options = parser_for(__doc__ or "").parse_args()
    kills = QUICK_KILLS if options.quick else KILLS
    figures: dict[str, Any] = {}
    for scenario in SCENARIOS[:1] if options.quick else SCENARIOS:
        found = scenario_figures(scenario, kills)
        figures |= {
            f"{scenario}: {name}": value for name, value in found.items() if isinstance(value, int | float)
        }
        if "points_missed" in found:
            figures[f"{scenario}: points missed"] = len(found["points_missed"])
    report(figures, targets(figures, kills), path=options.json)


def scenario_figures(scenario: str, kills: int) -> dict[str, Any]:
    """Return the figures of one scenario, run in a process of its own that may fork and kill as it likes."""
    command = [sys.executable, "-m", "tests.crash", scenario, "--kills", str(kills)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"the scenario {scenario} did not run:\n{done.stderr[-2000:]}")
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def targets(figures: dict[str, Any], kills: int) -> list[Target]:
    """Return the lines to reach: nothing lost, nothing doubled, every run ends, no stale write."""
    lines = [Target(name, "==", 0) for name in figures if name.partition(": ")[2] in NEVER]
    lines.append(Target("random: kills", ">=", kills))
    lines += [
        Target(name, "==", 0) for name in ("stalls: late_writes", "points: points missed") if name in figures
    ]
    return lines


if __name__ == "__main__":
    main()
