"""A list of reviews that are decided together, for a terminal and for scripts."""

from collections.abc import Iterator
from typing import Any

from reviews.management.review_text import row_data
from reviews.models import Review
from reviews.services.batches import LeftOut, Outcome


def batch_data(rows: list[Review], alone: list[LeftOut], digest: str) -> dict[str, Any]:
    """Return what would be decided, what is left out and why, as plain JSON."""
    return {
        "digest": digest,
        "reviews": [row_data(row) for row in rows],
        "left_out": [{**row_data(one.review), "why": one.why} for one in alone],
    }


def batch_lines(data: dict[str, Any]) -> Iterator[str]:
    """Yield the same for a terminal."""
    for row in data["reviews"]:
        risk = "" if row["risk"] == "low" else f"  ({row['risk']} risk)"
        yield f"{row['review'][:8]}  {row['run']}  round {row['round']}  {row['title']}{risk}"
    yield f"{len(data['reviews'])} would be decided together; the list has the digest {data['digest'][:12]}."
    for row in data["left_out"]:
        yield f"left out: {row['review'][:8]}  {row['title']}: {row['why']}"


def outcome_data(outcome: Outcome) -> dict[str, str]:
    """Return what became of one review as plain JSON."""
    decision = outcome.decision
    return {
        "review": str(outcome.review.pk),
        "title": outcome.review.title,
        "verdict": decision.verdict if decision else "",
        "told": outcome.told,
    }
