"""A letter named .csv told from a table."""

import re

from agents.adapters.tables.cells import parse_number

_RAGGED = 1 / 3
"""A table of which more rows than this share have another width than its first one is none."""
_TITLE_WORDS = 8
_SENTENCE_END = re.compile(r"[.!?。！？]$")


def is_prose(rows: list[list[str]]) -> bool:
    """Return True for running text: no cell below the first row is a number, and the rows make no columns.

    A table of texts has rows of one width under short titles, and stays a table.
    """
    if len(rows) < 2:
        return any(_is_sentence(cell) for row in rows for cell in row)
    header, body = rows[0], rows[1:]
    if any(parse_number(cell) is not None for row in body for cell in row):
        return False
    uneven = sum(len(row) != len(header) for row in body) > _RAGGED * len(body)
    return len(header) == 1 or uneven or not header[-1] or any(_is_sentence(cell) for cell in header)


def _is_sentence(cell: str) -> bool:
    words = cell.split()
    return len(words) > _TITLE_WORDS or (len(words) > 2 and bool(_SENTENCE_END.search(cell)))
