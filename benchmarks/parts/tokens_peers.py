"""The same work through LangChain's ``create_agent``, over the same kind of server: whole history, and summarised."""

import json
import re
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from agents.testing import Call, ModelServer, Say
from agents.testing.replies import Reply, Request
from benchmarks.parts.tokens_meter import metered
from benchmarks.parts.tokens_work import Work

SYSTEM = (
    "You plan experiments. Use the tools, one experiment a step, then answer. Keep every limit of the paper."
)
SUMMARY_AT, SUMMARY_KEEPS = 4000, 20
"""As the documentation's example has them: summarise from 4,000 tokens on, keep 20 messages."""
PUBLISHED = """
Stated, not run here; measured elsewhere on the same kind of work
(prompt tokens at 10 / 30 / 100 steps, largest prompt, cost with a prefix cache from 1,024 tokens):
  summarised, best tuned, lossless   50,821 / 129,290 / 443,544       6,155    24,555 / 52,567 / 183,768
  deepagents                        107,591 / 421,631 / 2,724,071    46,071    21,767 / 60,479 / 318,925
  openai-agents, pydantic-ai, autogen, smolagents  81-93k / 346-389k / 2.5-2.7M   44-47k   17-19k / 52-57k / 293-319k
"""


def peer_figures(work: Work, steps: int) -> dict[str, Any]:
    """Return raw and cost tokens, the largest prompt and what its last prompt lacks, for both peers."""
    figures: dict[str, Any] = {}
    for name, summarises in (("create_agent", False), ("create_agent, summarising", True)):
        with ModelServer(_script(work, steps)) as server:
            _agent(work, server.base_url, summarises=summarises)
            requests = list(server.requests)
        calls = metered(requests)
        last = calls[-1].text
        figures |= {
            f"peer {name} {steps}: raw tokens": sum(call.tokens for call in calls),
            f"peer {name} {steps}: cost tokens, cache from 1,024": round(sum(c.cost(1024) for c in calls)),
            f"peer {name} {steps}: largest prompt": max(call.tokens for call in calls),
            f"peer {name} {steps}: facts lost from the last prompt": sum(
                fact.value not in last for fact in work.facts
            ),
            f"peer {name} {steps}: goal lost from the last prompt": int(work.goal not in last),
        }
    return figures


def saved_figures(work: Work, steps: int) -> dict[str, Any]:
    """Return CPU and bytes a step of ``create_agent`` that keeps its state with ``SqliteSaver``, as ours keeps it."""
    from langgraph.checkpoint.sqlite import SqliteSaver

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "agent.sqlite3"
        with ModelServer(_script(work, steps)) as server, SqliteSaver.from_conn_string(str(path)) as saver:
            began = time.process_time()
            _agent(work, server.base_url, summarises=False, saver=saver)
            taken = time.process_time() - began
            saver.conn.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        return {
            f"peer create_agent, SqliteSaver {steps}: CPU ms a step": round(1000 * taken / steps, 2),
            f"peer create_agent, SqliteSaver {steps}: kB a step": round(
                path.stat().st_size / 1000 / steps, 1
            ),
        }


def _script(work: Work, steps: int) -> Callable[[Request, int], Reply]:
    """Return a model that runs ``steps`` experiments and copies every fact it is shown into a summary."""
    done = 0

    def reply(request: Request, number: int) -> Reply:
        nonlocal done
        text = json.dumps(request["messages"], ensure_ascii=False)
        if not request.get("tools"):
            seen = [work.observation(step)[1] for step in range(1, done + 1)]
            return Say("\n".join(fact.text for fact in [*work.facts, *seen] if fact.value in text))
        if done >= steps:
            return Say("The last one tried.")
        done += 1
        return Call(json.dumps(work.arguments(done)), name="run_experiment")

    return reply


def _agent(work: Work, base_url: str, *, summarises: bool, saver: Any = None) -> None:
    from langchain.agents import create_agent
    from langchain.agents.middleware import SummarizationMiddleware
    from langchain_openai import ChatOpenAI

    model = ChatOpenAI(model="scripted", base_url=base_url, api_key="x", max_retries=0)

    def run_experiment(temperature_k: float, catalyst: str, minutes: int) -> str:
        """Run one experiment at the given condition and return the instrument log with the measured yield."""
        return work.observation(round(temperature_k) - 300)[0]

    def search_documents(query: str) -> str:
        """Find passages in the paper; each comes with its page."""
        return re.sub(r"\s+", " ", query)

    middleware = (
        [
            SummarizationMiddleware(
                model=model, trigger=("tokens", SUMMARY_AT), keep=("messages", SUMMARY_KEEPS)
            )
        ]
        if summarises
        else []
    )
    agent = create_agent(
        model,
        tools=[run_experiment, search_documents],
        system_prompt=SYSTEM,
        middleware=middleware,
        checkpointer=saver,
    )
    question = f"Goal: {work.goal}\n\nPaper:\n{work.paper}"
    config = {"recursion_limit": 10_000, "configurable": {"thread_id": "run"}}
    agent.invoke({"messages": [("user", question)]}, config)
