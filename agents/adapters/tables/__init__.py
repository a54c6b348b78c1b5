"""Tables as files: reading, look-up by conditions, and the guided import."""

from agents.adapters.tables.dataset import Dataset, load_dataset
from agents.adapters.tables.importing import experiments_from
from agents.adapters.tables.infer import infer_space
from agents.adapters.tables.read import read_table
from agents.adapters.tables.table import Column, Problem, Table

__all__ = [
    "Column",
    "Dataset",
    "Problem",
    "Table",
    "experiments_from",
    "infer_space",
    "load_dataset",
    "read_table",
]
