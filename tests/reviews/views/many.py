"""Any number of open reviews, written as rows: what they cost is looked at, not how they came about."""

from datetime import timedelta
from typing import Any

from django.utils import timezone

from agents.core.canonical import digest_of
from agents.models import Gate, Run
from agents.models.study import new_uuid
from reviews.models import Review
from tests.reviews.views.conftest import ACTION, PROPOSAL

RISKS = ("low", "medium", "high")


def make_many(study: Any, count: int, **fields: Any) -> list[Review]:
    """Return ``count`` open reviews of ``study``, which has a run; each of a run of its own, the oldest first."""
    start, first = timezone.now() - timedelta(days=30), Run.objects.filter(study=study).count() + 1
    protocol = Run.objects.filter(study=study).earliest("created_at").protocol
    runs = [
        Run(id=new_uuid(), study=study, number=first + n, protocol=protocol, status="waiting")
        for n in range(count)
    ]
    request = {"kind": "proposal", "key": "1/review", "round": 1, "title": "Measure", "content": {}}
    content = {"proposal": PROPOSAL, "warnings": [], "is_experiment": True}
    digest = digest_of(ACTION)
    gates = [
        Gate(
            run=run,
            key="1/review",
            kind="proposal",
            round=1,
            digest=digest,
            opened_at=start + timedelta(seconds=n),
            request={**request, "digest": digest, "content": content, "title": f"Measure {n}"},
        )
        for n, run in enumerate(runs)
    ]
    reviews = [
        Review(
            **{
                "gate": gate,
                "run": gate.run,
                "study": study,
                "title": f"Measure {n}",
                "tool": "ask_researcher",
                "risk": RISKS[n % 3],
                "cost": n % 7,
                "opened_at": gate.opened_at,
                **fields,
            }
        )
        for n, gate in enumerate(gates)
    ]
    Run.objects.bulk_create(runs, batch_size=2000)
    Gate.objects.bulk_create(gates, batch_size=2000)
    return Review.objects.bulk_create(reviews, batch_size=2000)
