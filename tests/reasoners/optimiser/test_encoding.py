import numpy as np
import pytest

from agents.core.science import Parameter, Space
from agents.reasoners.optimiser.descriptors import COMPONENTS, level_coordinates
from agents.reasoners.optimiser.encoding import encode, encoding_of

ALCOHOLS = {"MeOH": "CO", "EtOH": "CCO", "PrOH": "CCCO", "toluene": "Cc1ccccc1", "heptane": "CCCCCCC"}


def solvent(**changes: object) -> Parameter:
    return Parameter(name="solvent", kind="categorical", levels=list(ALCOHOLS), **changes)


def test_levels_without_structures_are_equally_far_apart():
    features = encode(encoding_of(Space(parameters=[solvent()])), [{"solvent": name} for name in ALCOHOLS])
    gaps = ((features[:, None] - features[None]) ** 2).sum(axis=-1)
    assert gaps == pytest.approx(1 - np.eye(5))


def test_structures_add_a_block_in_which_alike_is_near():
    encoding = encoding_of(Space(parameters=[solvent(smiles=ALCOHOLS)]))
    assert [block.kind for block in encoding.blocks] == ["level", "structure"]
    coordinates = level_coordinates(tuple(ALCOHOLS.values()))
    gaps = ((coordinates[:, None] - coordinates[None]) ** 2).sum(axis=-1)
    assert gaps[1, 2] < gaps[1, 3]
    assert coordinates.shape[1] <= COMPONENTS
    assert gaps[~np.eye(5, dtype=bool)].mean() == pytest.approx(1.0)


@pytest.mark.parametrize("smiles", [{}, {**ALCOHOLS, "MeOH": "not a molecule"}, {"EtOH": "CCO"}])
def test_missing_or_unreadable_structures_are_done_without(smiles):
    encoding = encoding_of(Space(parameters=[solvent(smiles=smiles)]))
    assert [block.kind for block in encoding.blocks] == ["level"]


def test_numbers_run_from_zero_to_one():
    heat = Parameter(name="heat", kind="ordered", levels=[90, 105, 120])
    flow = Parameter(name="flow", kind="continuous", low=2, high=4)
    features = encode(encoding_of(Space(parameters=[heat, flow])), [{"heat": 105, "flow": 2.5}])
    assert features.tolist() == [[0.5, 0.25]]


def test_a_mixture_is_presence_and_the_root_of_its_fractions():
    parts = Space(parameters=[Parameter(name=n, kind="mixture", low=0, high=1) for n in "ab"])
    encoding = encoding_of(parts)
    assert [(b.kind, b.stop - b.start) for b in encoding.blocks] == [
        ("present", 1),
        ("present", 1),
        ("fraction", 2),
    ]
    assert encode(encoding, [{"a": 0.25, "b": 0.0}])[0] == pytest.approx([2**-0.5, 0, 0.5, 0])


def test_an_unknown_level_is_an_error():
    with pytest.raises(KeyError, match="no level of solvent"):
        encode(encoding_of(Space(parameters=[solvent()])), [{"solvent": "water"}])
