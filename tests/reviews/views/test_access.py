"""Five questions for every address: does it work, does it refuse the wrong method, does it ask for a sign-in,
does it hide what is not yours, does it keep to the roles. An address without a row here fails."""

from dataclasses import dataclass, field
from io import BytesIO
from typing import Any

import pytest
from django.urls import reverse

from agents.core.gates import GateKind
from agents.models import (
    Artifact,
    Dataset,
    DigestItem,
    Document,
    Event,
    Finding,
    RememberedApproval,
    SourceTool,
    ToolSource,
)
from agents.store.artifacts import store_bytes
from reviews import urls
from reviews.models import BenchFile, Decision
from tests.reviews.views.conftest import result_content, waiting_gate

GET, POST = "get", "post"


@dataclass(frozen=True)
class Row:
    """What an address answers to: method, the weakest role that may, the status it then gives, what is sent."""

    method: str = GET
    role: str = "viewer"
    status: int = 200
    of: str = ""
    data: dict[str, Any] = field(default_factory=dict)
    extra: tuple[Any, ...] = ()


def row(of: str = "", **fields: Any) -> Row:
    return Row(of=of, **fields)


ROWS: dict[str, Row] = {
    "home": row(status=302),
    "sign-out": row(method=POST, status=302),
    "inbox": row(),
    "inbox-count": row(),
    "review": row("gate"),
    "batch": row("gate"),
    "review-comment": row(
        "gate",
        method=POST,
        role="researcher",
        status=302,
        data={"part": "hypothesis", "quote": "KOAc", "text": "Why?"},
    ),
    "comments-send": row("gate", method=POST, role="researcher", status=302),
    "review-decide": row(
        "gate", method=POST, role="reviewer", status=302, data={"verdict": "approve", "digest": "d" * 64}
    ),
    "review-fork": row("gate", method=POST, role="researcher", status=302),
    "review-claim": row("gate", method=POST, role="researcher", status=302),
    "review-draft": row("gate", method=POST, data={"doing": "veto", "note": "hm"}),
    "bench-task": row("bench", method=POST, role="researcher", status=302, data={"instructions": "Stir."}),
    "bench-attach": row("bench", method=POST, role="researcher", status=302, data={"file": b"yield\n3,\n"}),
    "bench-detach": row("bench", method=POST, role="researcher", status=302, extra=(1,)),
    "bench-sheet": row("bench"),
    "bench": row(),
    "bench-sheets": row(),
    "bench-table": row(),
    "bench-import": row(),
    "study-file": row("study", extra=("2" * 64,)),
    "study-file-image": row("study", status=404, extra=("2" * 64,)),
    "notices": row(),
    "notices-read": row(method=POST, status=302),
    "notice-open": row(method=POST, status=404, extra=(1,)),
    "notify-settings": row(),
    "notify-test": row(method=POST, status=422),
    "review-assign": row("gate", method=POST, role="reviewer", status=302, data={"to": "owner"}),
    "away": row(),
    "keys": row(),
    "away-end": row(method=POST, status=409, extra=(1,)),
    "review-remember": row(
        "gate", method=POST, role="reviewer", status=302, data={"digest": "d" * 64, "scope": "same"}
    ),
    "approval-revoke": row("approval", method=POST, role="reviewer", status=302),
    "run-policy": row("run"),
    "run-policy-change": row("run", method=POST, role="owner", status=302, data={"policy": "auto"}),
    "study-calibration": row("study"),
    "study-policy": row("study"),
    "policy-rule": row("study", role="owner", extra=(0,)),
    "policy-verb": row(
        "study", method=POST, role="owner", status=302, extra=("preset",), data={"policy": "auto"}
    ),
    "policy-would-ask": row("study"),
    "runs": row(),
    "run": row("run"),
    "run-events": row("run"),
    "run-picture": row("run", status=404, extra=(1, 1)),
    "run-verb": row("run", method=POST, role="researcher", status=302, extra=("pause",)),
    "run-guidance": row(
        "run", method=POST, role="researcher", status=302, data={"text": "stay below 100 °C"}
    ),
    "run-budget": row("run", method=POST, role="researcher", status=302, data={"rounds": "9"}),
    "run-timeline": row("run"),
    "run-graph": row("run"),
    "run-memory": row("run"),
    "run-data": row("run"),
    "run-decisions": row("run"),
    "run-compare": row("run"),
    "run-report": row("run"),
    "run-export": row("run", extra=("csv",)),
    "studies": row(),
    "study-new": row(),
    "study": row("study"),
    "study-digest": row("study"),
    "study-data": row("study"),
    "study-setup": row("study", role="researcher"),
    "setup-part": row(
        "study", method=POST, role="researcher", status=302, extra=("title",), data={"title": "New"}
    ),
    "study-start": row("study", method=POST, role="researcher", status=302),
    "study-member": row(
        "study", method=POST, role="owner", status=302, data={"username": "stranger", "role": "viewer"}
    ),
    "document-add": row(
        "study", method=POST, role="researcher", status=302, data={"file": b"# Aim\nTo see."}
    ),
    "dataset-add": row(
        "study", method=POST, role="researcher", status=302, data={"file": b"base,yield\nKOAc,3\n"}
    ),
    "document-state": row("document"),
    "document-verb": row("document", method=POST, role="researcher", status=302, extra=("again",)),
    "page": row("document", extra=(1,)),
    "page-image": row("document", status=404, extra=(1,)),
    "dataset-verb": row("dataset", method=POST, role="researcher", status=302, extra=("remove",)),
    "item": row("item", method=POST, role="researcher", status=302, data={"status": "kept"}),
    "study-tools": row("study"),
    "source-add": row(
        "study", method=POST, role="owner", status=422, extra=("mcp_http",), data={"name": "x"}
    ),
    "study-code": row("study", method=POST, role="owner", status=302, data={"is_on": "0"}),
    "source": row("source"),
    "source-verb": row("source", method=POST, role="owner", status=302, extra=("remove",)),
    "outside-tool": row("source_tool"),
    "source-tool": row("source_tool", method=POST, role="owner", status=302, extra=("off",)),
    "findings": row(),
    "findings-export": row(),
    "findings-import": row(),
    "rules-distil": row(method=POST, status=404),
    "finding-change": row("finding", method=POST, role="reviewer", status=404, extra=("refuse",)),
    "finding": row("finding"),
    "finding-verb": row(
        "finding",
        method=POST,
        role="reviewer",
        status=302,
        extra=("retract",),
        data={"reason": "wet", "seen": 1},
    ),
    "tools": row(),
    "tool": row(extra=("convert_units",)),
    "settings": row(),
    "test-connection": row(method=POST),
    "embeddings": row(method=POST, status=403, extra=("again",)),
    "password": row(),
}
BOTH = {
    *("study-new", "password", "tool", "outside-tool", "bench-import", "findings-import"),
    *("policy-rule", "review-remember", "away", "keys", "batch", "notify-settings"),
}
"""A page with a form that posts to itself."""

PUBLIC = {"sign-in", "set_language", "appearance"}
SIGNED = {"job-report"}
"""Asked by machines, which prove themselves by a signature: see ``tests/services/test_jobs.py``."""
RANKS = ["viewer", "researcher", "reviewer", "owner"]


@pytest.fixture
def site(lab):
    lab.document = Document.objects.create(
        study=lab.study,
        name="a.md",
        content_hash="0" * 64,
        media_type="text/markdown",
        pages=1,
        status="ready",
    )
    lab.bench = waiting_gate(lab.study, kind=GateKind.RESULT, content=result_content())
    content = store_bytes(b"yield\n3\n", media_type="text/csv")
    BenchFile.objects.create(
        gate=lab.bench, name="a.csv", content_hash="2" * 64, media_type="text/csv", size=8, added_by="ana"
    )
    Artifact.objects.create(content_hash="2" * 64, size=8, path=content.path)
    lab.dataset = Dataset.objects.create(study=lab.study, name="t.csv", content_hash="1" * 64)
    lab.item = DigestItem.objects.create(study=lab.study, document=lab.document, kind="method", text="stir")
    lab.source = ToolSource.objects.create(
        study=lab.study, name="lab", kind="mcp_http", config={"url": "https://x"}
    )
    lab.source_tool = SourceTool.objects.create(
        source=lab.source, name="lab_add", remote="add", accepted={"remote": "add"}
    )
    lab.finding = Finding.objects.create(study=lab.study, run=lab.run, number=1, text="KOAc is slow")
    lab.approval = RememberedApproval.objects.create(run=lab.run, tool="weigh", by="reviewer")
    return lab


def ask(site, client, name: str, method: str = ""):
    known = ROWS[name]
    subject = getattr(site, known.of) if known.of else None
    key = [subject.slug if known.of == "study" else subject.pk] if subject else []
    data = {k: named(v) if isinstance(v, bytes) else v for k, v in known.data.items()}
    return getattr(client, method or known.method)(reverse(name, args=[*key, *known.extra]), data)


def named(content: bytes) -> BytesIO:
    file = BytesIO(content)
    file.name = "upload.csv" if b"," in content else "upload.md"
    return file


def with_object() -> list[str]:
    return [name for name, known in ROWS.items() if known.of]


def test_every_address_has_a_row():
    assert {pattern.name for pattern in urls.urlpatterns} == ROWS.keys() | PUBLIC | SIGNED


@pytest.mark.parametrize("name", ROWS)
def test_it_works_for_the_weakest_role_that_may(site, name):
    assert ask(site, site.clients[ROWS[name].role], name).status_code == ROWS[name].status


@pytest.mark.parametrize("name", [name for name in ROWS if name not in BOTH])
def test_it_refuses_the_wrong_method(site, name):
    wrong = POST if ROWS[name].method == GET else GET
    assert ask(site, site.owner, name, wrong).status_code == 405


@pytest.mark.parametrize("name", ROWS)
def test_it_asks_for_a_sign_in(site, name):
    answer = ask(site, site.anybody, name)
    assert (answer.status_code, answer["Location"].split("?")[0]) == (302, reverse("sign-in"))


@pytest.mark.parametrize("name", with_object())
def test_for_a_stranger_it_does_not_exist(site, name):
    before = Event.objects.count(), Decision.objects.count()
    assert ask(site, site.clients["stranger"], name).status_code == 404
    assert (Event.objects.count(), Decision.objects.count()) == before


@pytest.mark.parametrize("name", [name for name, known in ROWS.items() if known.role != "viewer"])
def test_a_weaker_role_is_told_so_and_changes_nothing(site, name):
    weaker = RANKS[RANKS.index(ROWS[name].role) - 1]
    before = Event.objects.count(), Decision.objects.count(), Document.objects.count()
    answer = ask(site, site.clients[weaker], name)
    assert answer.status_code == 403
    assert "This needs the role" in answer.content.decode()
    assert (Event.objects.count(), Decision.objects.count(), Document.objects.count()) == before


def test_lists_of_a_stranger_are_empty(site):
    for name in ("inbox", "runs", "studies", "findings"):
        page = ask(site, site.clients["stranger"], name).content.decode()
        assert "Bases" not in page
        assert "KOAc" not in page
