"""Every text of the pages speaks Chinese too, with the same places for values."""

import re
from pathlib import Path

import pytest
from django.utils import translation
from django.utils.translation import trans_real

ROOT = Path(__file__).parents[2]
MARKED = re.compile(r"""\{%\s*translate\s+(["'])(.+?)\1""")
IN_PYTHON = re.compile(r"""\b(?:_|gettext|gettext_lazy)\(\s*(["'])(.+?)\1\s*\)""")
PLACE = re.compile(r"%\(\w+\)s|%s")


def texts() -> set[str]:
    """Return what templates and views mark for translation as plain text."""
    found = set()
    for pattern, paths in (
        (MARKED, ROOT.glob("templates/**/*.html")),
        (IN_PYTHON, ROOT.glob("reviews/**/*.py")),
    ):
        for path in paths:
            found |= {match[1] for match in pattern.findall(path.read_text())}
    return found


def catalogue() -> dict[str, str]:
    """Return the compiled Chinese texts by English ones."""
    loaded = trans_real.translation("zh-hans")._catalog.items()
    return {key: value for key, value in loaded if isinstance(key, str) and key}


def test_no_text_is_left_in_english():
    assert sorted(texts() - catalogue().keys()) == []


def test_a_translation_has_the_places_of_its_text():
    wrong = {k: v for k, v in catalogue().items() if v and set(PLACE.findall(k)) != set(PLACE.findall(v))}
    ours = {key: value for key, value in wrong.items() if key in texts()}
    assert ours == {}


@pytest.mark.parametrize(("language", "word"), [("en", "Inbox"), ("zh-hans", "收件箱")])
def test_a_language_is_spoken_once_it_is_chosen(language, word):
    with translation.override(language):
        assert translation.gettext("Inbox") == word
