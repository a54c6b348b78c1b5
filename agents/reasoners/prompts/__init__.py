"""The words that models are given, as data files beside this module.

They may be changed without touching code. A prompt's head must stay the same from step to step, so no file
holds a date, a counter or an id.
"""

from functools import cache
from importlib.resources import files


@cache
def prompt_text(name: str) -> str:
    """Return the text of ``<name>.md`` without trailing space. Raises ``FileNotFoundError``."""
    return (files(__name__) / f"{name}.md").read_text(encoding="utf-8").strip()
