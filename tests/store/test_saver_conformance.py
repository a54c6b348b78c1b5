"""The contract of LangGraph's checkpoint savers, capability by capability."""

import pytest
from asgiref.sync import sync_to_async
from django.db import connections
from langgraph.checkpoint.conformance import checkpointer_test, validate
from langgraph.checkpoint.conformance.capabilities import ALL_CAPABILITIES

from agents.store.saver import OrmSaver

CAPABILITIES = (
    "put",
    "put_writes",
    "get_tuple",
    "list",
    "delete_thread",
    "delete_for_runs",
    "copy_thread",
    "prune",
)


@pytest.fixture(autouse=True)
async def close_the_engine_threads_connection():
    yield
    await sync_to_async(connections.close_all)()


@checkpointer_test(name="OrmSaver")
async def orm_saver():
    yield OrmSaver()


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("capability", CAPABILITIES)
async def test_the_saver_has_the_capability(capability):
    report = await validate(orm_saver, capabilities={capability})

    result = report.results[capability]
    assert (result.detected, result.passed, result.failures) == (True, True, [])
    assert result.tests_passed > 0


def test_no_capability_of_the_contract_is_left_out():
    assert {capability.value for capability in ALL_CAPABILITIES} == set(CAPABILITIES)
