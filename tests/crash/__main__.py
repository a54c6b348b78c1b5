"""``python -m tests.crash WHAT``: one crash run; prints its figures as JSON."""

import argparse
import json
import sys
import tempfile
from pathlib import Path

from tests.crash import scenarios
from tests.crash.nursery import Nursery


def main() -> None:
    """Run a scenario in a folder that is thrown away."""
    parser = argparse.ArgumentParser()
    parser.add_argument("what", choices=("random", "points", "stalls"))
    parser.add_argument("--kills", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="daybook-crash-") as folder:
        nursery = Nursery(Path(folder), seed=options.seed)
        if options.what == "random":
            figures = scenarios.random_kills(nursery, options.kills)
        elif options.what == "points":
            figures = scenarios.named_points(nursery)
        else:
            figures = scenarios.stalls(nursery)
        json.dump(figures, sys.stdout)


if __name__ == "__main__":
    main()
