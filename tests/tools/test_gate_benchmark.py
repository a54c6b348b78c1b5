"""The figures of ``benchmarks/gate.py`` hold on every push."""

from collections import Counter

import pytest

from benchmarks.gate import bad_outputs, outcome, study_toolbox
from benchmarks.parts.gate_faults import FAULTS
from benchmarks.parts.gate_lists import LIST_FAULTS, list_outcome


async def test_no_faulty_call_is_executed_wrongly_and_all_are_corrected_after_one_message() -> None:
    toolbox = study_toolbox()
    words = Counter([(await outcome(fault, toolbox))[0] for fault in FAULTS])
    assert len(FAULTS) == 40
    assert set(words) == {"as meant at once", "as meant after one re-ask"}


async def test_no_faulty_list_is_executed_wrongly_and_all_are_corrected_after_one_message() -> None:
    toolbox = study_toolbox()
    words = Counter([(await list_outcome(fault, toolbox))[0] for fault in LIST_FAULTS])
    assert set(words) == {"as meant at once", "as meant after one re-ask"}


@pytest.mark.filterwarnings("ignore")
async def test_no_bad_output_passes() -> None:
    assert await bad_outputs() == 0
