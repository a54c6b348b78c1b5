"""The words of guidance that bear on an experiment: factors, levels, numbers, and what is asked of them."""

import re
from dataclasses import dataclass, field

from agents.core.science import Operator, Parameter, Space
from agents.tools.units import is_known

_CLAUSE = re.compile(r"[.](?=\s|$)|[;!；！。\n]|(?<=[?？])")
_CONDITION = re.compile(
    r"\b(if|unless|when|whenever|until|while|once|after|before)\b|如果|除非|若|当|[?？]", re.IGNORECASE
)
_REMARK = re.compile(
    r"\b(was|were|gave|gives|did|has|have|had|seems?|looks?|appears?|fail(?:s|ed)?|decomposes?|too|poor|bad|worse|"
    r"better|good|best|toxic|expensive|cheap)\b|太|不好|很差|较差|更好|失败",
    re.IGNORECASE,
)
_USE = (
    r"(?:use|using|try|trying|choose|choosing|set|setting|keep|keeping|go|going|take|taking|have|having|be)"
)
_AVOID = (
    rf"\b(?:do not|don['’]?t|must not|should not|shouldn['’]?t|never|no longer|not|stop|avoid|without|exclude|skip|drop|omit)\b"
    rf"(?:\s+to)?(?:\s+{_USE}\b)?|\b(?:instead of|rather than|no)\b|而不是|不要再?用?|不用|别再?用?|避免(?:使用)?|排除|禁止(?:使用)?|不使用"
)
_WANT = (
    rf"\b(?:{_USE}|with|only|fix|prefer|stay|remain|please|pick|select|run|test|measure|switch to)\b"
    r"|而是|改用|使用|采用|保持|选用?|用|试"
)
_ALL = r"\b(?:everything|anything|nothing|all|any|none|every)\b|所有|任何"
_EXCEPT = r"\b(?:except(?: for)?|other than|different from|apart from)\b|除了|除"
_COMPARISONS: tuple[tuple[str, Operator], ...] = (
    (r"at most|no (?:more|higher|greater) than|(?:never|not|don['’]?t|do not|must not|should not)(?: (?:go|be|rise|run|get))? (?:above|over|exceed|higher than|more than)|up to|a? ?maximum of|max|<=|≤|不(?:得|要|能|可)?(?:超过|高于|大于)|最多|至多", "<="),
    (r"at least|no (?:less|lower) than|(?:never|not|don['’]?t|do not|must not|should not)(?: (?:go|be|fall|run|get))? (?:below|under|lower than|less than)|a? ?minimum of|min|>=|≥|不(?:得|要|能|可)?(?:低于|小于|少于)|至少", ">="),
    (r"below|under|less than|lower than|colder than|cooler than|<|低于|小于", "<"),
    (r"above|over|more than|higher than|greater than|hotter than|warmer than|exceed(?:s|ing)?|>|高于|大于|超过", ">"),
)  # fmt: skip
_NUMBER = r"[-+]?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?"
_UNIT = r"[^\W\d_]*[°℃℉%µμ]?[^\W\d_]*(?:[/·*^-]+[^\W_]+)*"
_AFTER: tuple[tuple[str, Operator], ...] = (
    (r"or (?:less|lower|below|colder|cooler)|以下", "<="),
    (r"or (?:more|higher|above|hotter|warmer)|以上", ">="),
)
_ORDINARY = frozenset({"no", "yes", "on", "off", "none", "low", "high", "medium", "other", "air", "water"})


@dataclass(frozen=True)
class Word:
    """One word that matters. ``kind`` is the reader's method for it."""

    kind: str
    text: str = ""
    op: Operator | None = None
    parameter: Parameter | None = None
    parameters: tuple[Parameter, ...] = ()
    numbers: tuple[float, ...] = ()
    unit: str = field(default="")


def clauses_of(text: str) -> list[str]:
    """Return the clauses of ``text`` that ask for something plainly: no questions, no conditions, no bare remarks."""
    asks = re.compile(f"{_AVOID}|{_WANT}", re.IGNORECASE)
    clauses = [clause for clause in _CLAUSE.split(text) if clause and clause.strip()]
    return [
        clause
        for clause in clauses
        if not _CONDITION.search(clause) and (asks.search(clause) or not _REMARK.search(clause))
    ]


def words_in(clause: str, space: Space) -> list[Word]:
    """Return the words of ``clause`` in order; levels are known by the longest spelling that fits."""
    names = {parameter.name: _pattern_of_name(parameter) for parameter in space.parameters}
    named = {name for name, pattern in names.items() if re.search(pattern, clause, re.IGNORECASE)}
    levels = _levels(space, named)
    scanner = re.compile(
        "|".join(
            [
                *(f"(?P<level{n}>{pattern})" for n, (pattern, _, _) in enumerate(levels)),
                *(f"(?P<factor{n}>{names[p.name]})" for n, p in _by_length(space)),
                *(f"(?P<compare{n}>{_bounded(words)})" for n, (words, _) in enumerate(_COMPARISONS)),
                rf"(?P<range>(?P<low>{_NUMBER})\s*(?P<low_unit>{_UNIT})?\s*(?:-|–|~|\bto\b|\band\b|到|至)\s*(?P<high>{_NUMBER})\s*(?P<high_unit>{_UNIT})?)",
                rf"(?P<number>(?<![\w.])(?P<value>{_NUMBER})(?![\d.])\s*(?P<unit>{_UNIT})?)",
                f"(?P<except>{_EXCEPT})",
                f"(?P<avoid>{_AVOID})",
                r"(?P<but>\bbut\b|但)",
                f"(?P<want>{_WANT})",
                f"(?P<all>{_ALL})",
            ]
        ),
        re.IGNORECASE,
    )
    words, place = [], 0
    while match := scanner.search(clause, place):
        word, place = _word(match, clause, space, levels)
        place = max(place, match.start() + 1)
        words += word
    return words


def _word(
    match: re.Match[str], clause: str, space: Space, levels: list[tuple[str, str, tuple[Parameter, ...]]]
) -> tuple[list[Word], int]:
    """Return what was found as words, and where the search goes on."""
    kind = next(
        name
        for name, text in match.groupdict().items()
        if text is not None
        and re.fullmatch(r"level\d+|factor\d+|compare\d+|range|number|except|avoid|but|want|all", name)
    )
    head, number = re.fullmatch(r"([a-z]+)(\d*)", kind).groups()  # type: ignore[union-attr]
    if head == "level":
        _, text, parameters = levels[int(number)]
        return [Word("level", text=text, parameters=parameters)], match.end()
    if head == "factor":
        return [Word("factor_named", parameter=space.parameters[int(number)])], match.end()
    if head == "compare":
        return [Word("compare", op=_COMPARISONS[int(number)][1])], match.end()
    if head == "range":
        return _range(match, clause)
    if head == "number":
        return _number(match, clause)
    if head == "all" and re.search(r"nothing|none", match[0], re.IGNORECASE):
        return [Word("avoid"), Word("all")], match.end()
    return [Word(head)], match.end()


def _range(match: re.Match[str], clause: str) -> tuple[list[Word], int]:
    unit, end = _unit(match, "high_unit")
    low_unit, _ = _unit(match, "low_unit")
    numbers = (float(match["low"]), float(match["high"]))
    return [Word("range", numbers=numbers, unit=unit or low_unit)], end


def _number(match: re.Match[str], clause: str) -> tuple[list[Word], int]:
    unit, end = _unit(match, "unit")
    for words, op in _AFTER:
        after = re.compile(rf"\s*(?:{words})", re.IGNORECASE).match(clause, end)
        if after:
            return [Word("number", op=op, numbers=(float(match["value"]),), unit=unit)], after.end()
    return [Word("number", numbers=(float(match["value"]),), unit=unit)], end


def _unit(match: re.Match[str], group: str) -> tuple[str, int]:
    """Return the unit behind a number and where it ends; words that are no unit are left to the search."""
    unit = match[group] or ""
    if unit and is_known(unit):
        return unit, match.end(group)
    return "", match.start(group) if match.start(group) >= 0 else match.end()


def _levels(space: Space, named: set[str]) -> list[tuple[str, str, tuple[Parameter, ...]]]:
    """Return pattern, level and factors of every level that may be meant, the longest first."""
    owners: dict[str, list[Parameter]] = {}
    for parameter in space.parameters:
        for level in parameter.levels if parameter.kind == "categorical" else []:
            text = str(level)
            is_plain = len(text) > 2 and text.lower() not in _ORDINARY
            if is_plain or parameter.name in named:
                owners.setdefault(text, []).append(parameter)
    return [
        (rf"(?<![A-Za-z0-9]){_loose(text)}(?![A-Za-z0-9])", text, tuple(owners[text]))
        for text in sorted(owners, key=len, reverse=True)
    ]


def _by_length(space: Space) -> list[tuple[int, Parameter]]:
    return sorted(enumerate(space.parameters), key=lambda pair: len(pair[1].name), reverse=True)


def _pattern_of_name(parameter: Parameter) -> str:
    """Return a pattern for the name or the label of a factor, in the singular or the plural."""
    names = sorted({parameter.name, parameter.label} - {""}, key=len, reverse=True)
    chinese = {"temperature": "温度", "concentration": "浓度", "time": "时间", "pressure": "压力", "solvent": "溶剂", "ligand": "配体", "base": "碱", "catalyst": "催化剂"}  # fmt: skip
    known = [word for name, word in chinese.items() if name in (text.casefold() for text in names)]
    return "|".join([*(rf"(?<![A-Za-z0-9]){_loose(text)}s?(?![A-Za-z0-9])" for text in names), *known])


def _loose(text: str) -> str:
    """Return a pattern that lets people leave out hyphens and spaces."""
    letters = [re.escape(letter) for letter in text if letter not in "- _"]
    return r"[-\s_]?".join(letters)


def _bounded(words: str) -> str:
    """Let words stand alone, and signs and Chinese anywhere."""
    return rf"(?<![A-Za-z])(?:{words})(?![A-Za-z])"
