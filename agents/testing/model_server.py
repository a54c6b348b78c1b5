"""For trying Daybook with a local endpoint and no key: serves a scripted model on the loopback address.

``python -m agents.testing.model_server --port 8099 --scenario lab`` prints the settings to use with it;
``--propose 'calculate_descriptors {"smiles": "CCO"}'`` proposes that call, to see a tool of one's own in a run.
"""

import argparse

from agents.testing.lab import scientist
from agents.testing.proposing import proposes, stated
from agents.testing.replies import Say, Script
from agents.testing.serving import ModelServer, Traits

SCENARIOS: dict[str, Script] = {
    "lab": scientist,
    "prose": [Say("I would rather talk about it than answer in the form you ask for.")],
}
"""``lab``: a deterministic scientist that proposes tool calls. ``prose``: a model that never answers in form."""

__all__ = ["ModelServer", "Traits", "main"]


def main() -> None:
    """Serve a scenario until interrupted."""
    parser = argparse.ArgumentParser(description="A scripted OpenAI-compatible server, for trying Daybook.")
    parser.add_argument("--port", type=int, default=8099)
    what = parser.add_mutually_exclusive_group()
    what.add_argument("--scenario", choices=sorted(SCENARIOS), default="lab")
    what.add_argument(
        "--propose", action="append", type=stated, metavar="'TOOL {JSON}'",
        help="propose this call, one a round, then finish; may be given again",
    )  # fmt: skip
    options = parser.parse_args()
    script = proposes(options.propose) if options.propose else SCENARIOS[options.scenario]
    with ModelServer(script, traits=Traits(pause_s=0.01), port=options.port) as server:
        print(f"OPENAI_BASE_URL={server.base_url} DAYBOOK_MODEL=scripted", flush=True)  # noqa: T201
        try:
            server.closing.wait()
        except KeyboardInterrupt:
            return


if __name__ == "__main__":
    main()
