"""Is an answer in the language of its study?"""

import unicodedata

_ENOUGH = 12
"""Letters below which a text says nothing about its language: formulas and names are Latin everywhere."""


def is_in_language(text: str, language: str) -> bool:
    """Return False when ``text`` is plainly not in ``language`` (``en`` or ``zh-hans``)."""
    letters = [character for character in text if character.isalpha()]
    if len(letters) < _ENOUGH:
        return True
    names = [unicodedata.name(letter, "") for letter in letters]
    chinese = sum(name.startswith("CJK") for name in names)
    if language == "zh-hans":
        # A character says about as much as a word of five letters.
        kana = sum(name.startswith(("HIRAGANA", "KATAKANA")) for name in names)
        return chinese * 5 >= (len(letters) - chinese) * 0.3 and kana <= chinese
    familiar = sum(name.startswith(("LATIN", "GREEK")) for name in names)
    return familiar * 2 >= len(letters)
