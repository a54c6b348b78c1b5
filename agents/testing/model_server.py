"""For trying Daybook with a local endpoint and no key: serves a scripted model on the loopback address.

``python -m agents.testing.model_server --port 8099 --scenario lab`` prints the settings to use with it.
"""

import argparse

from agents.testing.lab import scientist
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
    parser.add_argument("--scenario", choices=sorted(SCENARIOS), default="lab")
    options = parser.parse_args()
    with ModelServer(SCENARIOS[options.scenario], traits=Traits(pause_s=0.01), port=options.port) as server:
        print(f"OPENAI_BASE_URL={server.base_url} DAYBOOK_MODEL=scripted", flush=True)  # noqa: T201
        try:
            server.closing.wait()
        except KeyboardInterrupt:
            return


if __name__ == "__main__":
    main()
