import json

import numpy as np

from benchmarks.optimiser import best_after, first_hit, race_on
from benchmarks.parts.optimiser_data import chemists, edbo_runs, olympus_table, shipped_table


def test_the_shipped_table_is_the_whole_space():
    table = shipped_table()
    assert (len(table.rows), table.is_complete) == (1728, True)
    assert len(table.by_digest()) == 1728
    assert table.threshold(1) == 100.0


def test_the_published_comparisons_come_out_as_published():
    race = race_on(shipped_table())
    people, machine = chemists(), edbo_runs()
    assert (len(people), len(machine)) == (50, 50)
    assert sum(max(yields) >= 99 for yields in people) == 28
    assert np.median([first_hit(race, yields, race.marks["top5"]) for yields in people]) == 6
    assert np.median([first_hit(race, yields, 99.0) for yields in machine]) == 20


def test_names_of_the_study_are_those_of_the_reaction_game():
    """Every yield that a chemist saw for named conditions is the one in the table."""
    assert {round(y, 2) for yields in chemists() for y in yields} <= {
        round(float(v), 2) for v in shipped_table().values
    }


def test_an_olympus_folder_is_read_and_repeats_are_averaged(tmp_path):
    parameters = [
        {"name": "solvent", "type": "categorical", "options": ["CO", "CCO"]},
        {"name": "time", "type": "continuous", "low": 0, "high": 2},
    ]
    config = {
        "constraints": {"parameters": "none"},
        "parameters": parameters,
        "measurements": [{"name": "loss"}],
        "default_goal": "minimize",
    }
    (tmp_path / "config.json").write_text(json.dumps(config))
    (tmp_path / "data.csv").write_text("CO,1,4\nCO,1.0,6\nCCO,2,7\n\n")
    table = olympus_table(tmp_path)
    assert table.rows == [{"solvent": "CO", "time": 1.0}, {"solvent": "CCO", "time": 2.0}]
    assert table.values.tolist() == [5.0, 7.0]
    assert table.threshold(1) == 5.0


def test_a_minimised_race_counts_downwards():
    table = shipped_table()
    low = race_on(table)
    assert first_hit(low, [1.0, 99.5, 2.0], 99.0) == 2
    assert best_after(low, [1.0, 99.5, 2.0], 1) == 1.0
