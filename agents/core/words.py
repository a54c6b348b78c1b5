"""The searchable words of a text."""

import re
import unicodedata

_WORD = re.compile(r"\d+(?:[.,]\d+)*|[a-zα-ω]+(?:'[a-z]+)?|[\u3400-\u9fff]+|°c|%|℃")
_COMMON = (
    "a an and are as at be been but by can did do does for from had has have how i if in into is it its many me much "
    "no not of on or our should than that the their them then there these they this to was we were what when where "
    "which who why will with would you 的 了 是 在 和 与 或 及 什么 怎么 如何 哪 哪些 多少 为 对 有 吗 呢 请"
)
_STOP = frozenset(_COMMON.split())


def words(text: str) -> list[str]:
    """Return the searchable words of ``text``: English stems, numbers, and Chinese characters in pairs."""
    plain = unicodedata.normalize("NFKD", re.sub(r"(?<=[a-z])-\s*\n\s*(?=[a-z])", "", text.casefold()))
    plain = "".join(char for char in plain if not unicodedata.combining(char))
    found: list[str] = []
    for token in _WORD.findall(plain):
        if "\u3400" <= token[0] <= "\u9fff":
            found += [token[i : i + 2] for i in range(len(token) - 1)] or [token]
        elif token not in _STOP:
            found.append(_stem(token))
    return [word for word in found if word not in _STOP]


def _stem(word: str) -> str:
    """Cut the endings that most often keep a question from its answer: plural, -ing, -ed."""
    if len(word) > 4 and word.endswith("ies"):
        return word[:-3] + "y"
    for ending in ("ings", "ing", "ed", "es", "s"):
        if (
            word.endswith(ending)
            and len(word) - len(ending) >= 4 - (ending == "s")
            and not word.endswith("ss")
        ):
            return word[: -len(ending)].removesuffix("e")
    return word.removesuffix("e") if len(word) > 4 else word
