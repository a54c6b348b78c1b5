"""Parameters with levels that running text lists: ``temperature (60 and 80 °C)``, ``温度为 60、80 ℃``."""

import re

from agents.core.digest import DigestItem
from agents.core.quantities import Quantity, find_quantities
from agents.core.science import Parameter
from agents.reasoners.extractive.factors import describe_levels
from agents.reasoners.extractive.reading import Reading, Sentence
from agents.reasoners.extractive.units import dimension_of
from agents.reasoners.extractive.vocabulary import CHOICES, kinds_in

_VARIED = re.compile(
    r"\b(?:vari(?:ed|es|able|ying)|ranged?|ranging|different|several|respectively|selected|investigated|studied|tested|levels?|"
    r"between|from|to|interval|steps? of|every|compared|screened|two|three|four|five|six)\b|分别|不同|变化|区间|每隔|范围|依次|改变",
    re.IGNORECASE,
)
_WORD_LIST = re.compile(
    rf"(?P<name>(?:\w+ )?(?:{CHOICES.pattern}))\s*[(（:：]\s*(?P<list>[^()（）:：;；.。]{{3,160}}?)\s*(?:[)）.。;；]|$)",
    re.IGNORECASE,
)
_SUBSTANCE = re.compile(r"(?:The )?(?P<name>[A-Za-z][\w-]*(?: [a-z][\w-]*)?) (?:was|were|is) ")
_CONCENTRATIONS = ("[mass] / [length] ** 3", "[substance] / [length] ** 3")
_LISTING = ("(", "（", "为", "=", ":", "：", "of", "at")
_RESPONSES = frozenset(
    [
        "yield",
        "capacity",
        "hardness",
        "heat flow",
        "thermal conductivity",
        "content",
        "density",
        "specific heat",
        "energy",
    ]
)
"""Things that papers measure rather than set."""
_YEAR = re.compile(r"(?:19|20)\d\d[a-z]?")
_PH = re.compile(
    r"\bpH\s?(?:values?\s)?(?:of|=|:|：|为|分别为|\(|（)?\s?(\d+(?:\.\d+)?(?:\s?(?:,|，|、|and|or|和|, and)\s?\d+(?:\.\d+)?)+)(?!\s?[\w°%])"
)
_DETERMINER = re.compile(
    r"^(?:the|a|an|all|two|three|four|five|six|different|several|various|these|following)\s", re.IGNORECASE
)
_ADJECTIVES = frozenset(
    [
        "reaction",
        "soaking",
        "heating",
        "drying",
        "extraction",
        "annealing",
        "calcination",
        "sintering",
        "stirring",
        "oven",
        "bath",
        "aging",
        "ageing",
        "holding",
        "quenching",
        "initial",
        "final",
        "water",
        "solvent",
        "catalyst",
        "feed",
        "gas",
        "flow",
        "discharge",
        "charge",
        "current",
    ]
)


def named_levels(reading: Reading) -> list[DigestItem]:
    """Return one parameter item for each name that the text gives two levels or more, or a range, to set."""
    found: dict[str, DigestItem] = {}
    for sentence in reading.sentences:
        if sentence.role in ("back", "result") or len(sentence.text) > 500:
            continue
        for parameter in (*_numbers(sentence), *_acidities(sentence), *_words(sentence)):
            text = f"{parameter.title}: {describe_levels(parameter)}"
            data = parameter.model_dump(mode="json")
            item = reading.item("parameter", text, page=sentence.page, quote=sentence.text, data=data)
            found.setdefault(parameter.name, item)
    return list(found.values())


def _numbers(sentence: Sentence) -> list[Parameter]:
    quantities = find_quantities(sentence.text)
    found = []
    for group in _groups(sentence.text, quantities):
        place = _named_before(sentence.text, group)
        if place is None:
            continue
        parameter = _parameter(_full_name(sentence.text, *place), group)
        between = sentence.text[place[1] : group[0].start].strip(" sS")
        is_listed = between in _LISTING or (len(group) > 2 and between in ("was", "were", "are"))
        if parameter and (is_listed or _VARIED.search(sentence.text)):
            found.append(parameter)
    return [*found, *_substances(sentence.text, quantities)]


def _named_before(text: str, group: list[Quantity]) -> tuple[int, int] | None:
    """Return where the thing stands that ``group`` gives numbers to; None for what is measured, not set."""
    before = [
        (start, end)
        for start, end, kind in kinds_in(text)
        if kind.name not in _RESPONSES and end <= group[0].start and _near(text, end, group[0].start)
    ]
    return before[-1] if before else None


def _substances(text: str, quantities: list[Quantity]) -> list[Parameter]:
    """Return a substance with the range of its concentration: ``Glucose was 5-50 g/L``."""
    match = _SUBSTANCE.match(text)
    first = next((known for known in quantities if match and known.start == match.end()), None)
    if match is None or first is None or first.high is None or kinds_in(match["name"]):
        return []
    if dimension_of(first.unit) not in _CONCENTRATIONS:
        return []
    parameter = _parameter(match["name"], [first])
    return [parameter] if parameter else []


def _groups(text: str, quantities: list[Quantity]) -> list[list[Quantity]]:
    """Return runs of quantities in one unit with nothing but list marks between, and single ranges."""
    groups: list[list[Quantity]] = []
    for quantity in quantities:
        last = groups[-1][-1] if groups else None
        between = text[last.end : quantity.start].strip() if last else ""
        joined = (
            last is not None
            and last.unit == quantity.unit
            and between in (",", "，", "、", "and", "or", ", and", ", or", "和", "或", "与", "及")
        )
        if joined:
            groups[-1].append(quantity)
        else:
            groups.append([quantity])
    return [group for group in groups if len(group) > 1 or group[0].high is not None]


def _near(text: str, end: int, start: int) -> bool:
    """The name belongs to the numbers when little stands between: no other sentence part, no other number."""
    between = text[end:start]
    return len(between) <= 40 and not re.search(r"[.;；。]|\d", between)


def _full_name(text: str, start: int, end: int) -> str:
    """Put the word before a general name back on: ``soaking`` temperature."""
    before = re.search(r"([A-Za-z]+)\s$", text[:start])
    first = start - len(before[0]) if before and before[1].casefold() in _ADJECTIVES else start
    chinese = re.search(r"[\u4e00-\u9fff]{1,2}$", text[:start]) if text[start] > "\u2e80" else None
    known = chinese is not None and chinese[0][-2:] in (
        "反应",
        "加热",
        "干燥",
        "煅烧",
        "提取",
        "萃取",
        "退火",
        "保温",
        "搅拌",
    )
    return text[start - 2 if known else first : end]


def _parameter(name: str, group: list[Quantity]) -> Parameter | None:
    unit = group[0].unit
    label = name.lower().removesuffix("s") if name.isascii() and len(name) > 4 else name
    if len(group) == 1:
        low, high = sorted((group[0].value, group[0].high or group[0].value))
        return (
            Parameter(name=label, label=name, unit=unit, kind="continuous", low=low, high=high)
            if low < high
            else None
        )
    if any(quantity.high is not None for quantity in group):
        return None
    levels = sorted({quantity.value for quantity in group})
    return (
        Parameter(name=label, label=name, unit=unit, kind="ordered", levels=list(levels))
        if len(levels) > 1
        else None
    )


def _acidities(sentence: Sentence) -> list[Parameter]:
    """Return pH with the values listed behind it; they have no unit that would give them away."""
    match = _PH.search(sentence.text)
    levels = sorted({float(number) for number in re.findall(r"\d+(?:\.\d+)?", match[1])}) if match else []
    in_range = len(levels) > 1 and levels[0] >= 0 and levels[-1] <= 14
    return [Parameter(name="pH", label="pH", kind="ordered", levels=list(levels))] if in_range else []


def _words(sentence: Sentence) -> list[Parameter]:
    """Return choices listed by name, such as ``solvents (water, ethanol and acetone)``."""
    found = []
    for match in _WORD_LIST.finditer(sentence.text):
        levels = [
            part.strip() for part in re.split(r",|，|、|\band\b|\bor\b|和|或", match["list"]) if part.strip()
        ]
        levels = list(dict.fromkeys(levels))
        is_list = 2 <= len(levels) <= 20 and all(
            len(level.split()) <= 3 and len(level) <= 40 and not _YEAR.fullmatch(level) for level in levels
        )
        if is_list and _VARIED.search(sentence.text) and not any(map(find_quantities, levels)):
            name = _DETERMINER.sub("", match["name"].strip()).lower()
            label = name.removesuffix("s") if name.isascii() and not name.endswith("ss") else name
            found.append(
                Parameter(
                    name=label,
                    label=_DETERMINER.sub("", match["name"].strip()),
                    kind="categorical",
                    levels=list(levels),
                )
            )
    return found
