"""Each call in the ledger of effects names its tool, so that a tool's last calls are found by an index."""

import importlib

import pytest
from django.apps import apps
from django.db import connection

from agents.core.tools import Action, EffectClass
from agents.models import Effect
from agents.store.earlier import earlier_result
from reviews.queries import recent_calls
from reviews.services import add_member
from tests.support import do, journal_of, make_run, make_user, take

pytestmark = pytest.mark.django_db
RESULT = {"success": True, "data": {"y": 1}, "tool": "fit", "version": "1", "summary": "y is 1"}


@pytest.fixture
def run():
    return make_run()


def perform(run, *keys: str, tool: str = "fit") -> None:
    async def call():
        return RESULT

    journal = journal_of(take(run))
    for key in keys:
        request = {"tool": tool, "arguments": {"x": 1}} if "/act/" in key else {"reasoner": "optimiser"}
        do(journal.once, key, call, effect=EffectClass.LOCAL, request=request, attempt=1)
    do(journal.store)


def test_calls_name_their_tool_and_other_effects_none(run):
    perform(run, "1/act/fit", "2/act/3/fit", "2/reason")
    assert dict(Effect.objects.values_list("key", "tool")) == {
        "1/act/fit": "fit",
        "2/act/3/fit": "fit",
        "2/reason": None,
    }


def test_the_last_calls_of_a_tool_are_its_own(run):
    perform(run, "1/act/fit", "2/act/3/fit", "3/act/outfit")
    Effect.objects.filter(key="3/act/outfit").update(tool="outfit")
    user = make_user("ana")
    add_member(study=run.study, user=user, role="viewer")
    assert [call.run for call in recent_calls(user, "fit")] == [run, run]
    assert recent_calls(make_user("eve"), "fit") == []


def test_an_earlier_result_is_found_also_when_it_was_an_item_of_a_list(run):
    perform(run, "2/act/3/fit")
    found = earlier_result(str(run.study_id), Action(tool="fit", arguments={"x": 1}), version="1")
    assert found is not None
    assert found.result.data == {"y": 1}


def test_they_are_found_by_an_index(run):
    asked = Effect.objects.filter(tool="fit").order_by("-started_at")[:10]
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("SET LOCAL enable_seqscan = off")
    assert "effect_by_tool" in asked.explain()


def test_calls_of_before_are_named_by_what_was_asked(run):
    perform(run, "1/act/fit", "2/act/3/fit", "2/reason")
    Effect.objects.update(tool=None)
    importlib.import_module("agents.migrations.0012_effect_tool").name_tools(apps, None)
    assert sorted(filter(None, Effect.objects.values_list("tool", flat=True))) == ["fit", "fit"]
