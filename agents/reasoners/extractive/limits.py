"""Limits that the text sets: executable where parameter, operator, number and unit can be read off."""

import re

from agents.core.digest import DigestItem
from agents.core.quantities import Quantity, find_quantities
from agents.core.quotes import Span
from agents.core.science import Bound, Operator, Parameter
from agents.reasoners.extractive.factors import plain_name
from agents.reasoners.extractive.reading import Reading, Sentence
from agents.reasoners.extractive.units import convert_value
from agents.reasoners.extractive.vocabulary import kinds_between

MAX_LIMITS = 40

_UPPER = (
    r"(?:must|should|shall|may|can|do(?:es)?|could) ?not (?:be allowed to )?(?:exceed|rise above|go above|be (?:above|higher than|greater than|more than|over))|never (?:exceeds?|above)|not (?:to )?exceed(?:ing)?|"
    r"(?:is|are|was|were|be)? ?limited to|at most|no (?:more|higher|greater|longer) than|not (?:more|higher|greater|longer) than|up to a maximum of|maximum(?: \w+){0,2} (?:of|is|was)|"
    r"(?:must|should|shall|has to|have to|needs? to) (?:be |stay |remain |be kept |lie )?(?:below|under|less than|lower than)|"
    r"不(?:得|能|应|可|宜)?(?:超过|高于|大于|多于|超出)|至多|最多(?:为)?|最高(?:不超过|为)?|上限(?:为|是)?"
)
_LOWER = (
    r"(?:must|should|shall|may|can|do(?:es)?|could) ?not (?:fall below|drop below|go below|be (?:below|lower than|less than|under))|at least|no (?:less|lower|fewer|shorter) than|not (?:less|lower|fewer|shorter) than|minimum(?: \w+){0,2} (?:of|is|was)|"
    r"(?:must|should|shall|has to|have to|needs? to) (?:be |stay |remain |be kept |lie )?(?:above|over|more than|greater than|higher than)|"
    r"不(?:得|能|应|可|宜)?(?:低于|小于|少于)|至少|最少(?:为)?|最低(?:不低于|为)?|下限(?:为|是)?"
)
_BETWEEN = r"(?:must|should|shall|has to|have to) (?:be |stay |remain |be kept |lie )?(?:between|within|in the range)|(?:only )?valid (?:only )?(?:for|from|between|in the range)|应(?:控制|保持)?在|须在|限于|适用(?:范围|于)"
_STRONG = re.compile(
    r"\bmust (?:not|be kept|remain|stay|never)\b|^(?:do not|never|avoid)\b|\b(?:is|are) not (?:allowed|permitted)\b|\bprohibited\b|\bforbidden\b"
    r"|\bonly valid\b|必须|禁止|不得|严禁|切勿|不可(?!避免|逆|以)",
    re.IGNORECASE,
)
_WEAK = re.compile(
    r"\bmust\b|\bhas to be\b|\bhave to be\b|\bis required\b|\bshould be\b|要求|以免|只能|需保证|须",
    re.IGNORECASE,
)
_REPORTED = re.compile(
    r"\b(?:amounts? to|found|observed|located|obtained|reached|value|content|yield)\b|表明|得到|获得|达到|可达|此时|时[，,]|条件下",
    re.IGNORECASE,
)
_MODAL = re.compile(r"must|should|shall|may|can|has to|have to|needs? to|不|须|应", re.IGNORECASE)
_MAXIMUM = re.compile(r"(?:maximum|minimum)(?: \w+){0,2} (?:of|is|was)|最[高低多少]为?", re.IGNORECASE)
_FIXED = r"(?:was|were|is|are|be)? ?(?:fixed|kept constant|held constant|set constant) (?:at|to)|固定(?:为|在)|恒定(?:为|在)"
_CUE = re.compile(
    rf"(?P<upper>{_UPPER})|(?P<lower>{_LOWER})|(?P<between>{_BETWEEN})|(?P<fixed>{_FIXED})", re.IGNORECASE
)
_BARE = re.compile(
    r"\s*(?P<low>\d+(?:\.\d+)?)(?:\s*(?:and|to|[~∼～–—-]|至|到)\s*(?P<high>\d+(?:\.\d+)?))?(?![\w.]*\w)(?!\s*(?:times|runs|experiments|次|组|个))"
)
_SIGN = re.compile(r"(?P<op><=|>=|[≤≥⩽⩾≦≧<>])\s*$")
_AFTER = re.compile(
    r"\s*(?P<word>以上|以下|以内|or (?:less|below|lower|fewer)|or (?:more|above|higher)|max(?:imum)?\b|min(?:imum)?\b)",
    re.IGNORECASE,
)
_SIGNS: dict[str, Operator] = {
    "<=": "<=",
    ">=": ">=",
    "≤": "<=",
    "≥": ">=",
    "⩽": "<=",
    "⩾": ">=",
    "≦": "<=",
    "≧": ">=",
    "<": "<",
    ">": ">",
}
_ONE_SIDED = re.compile(
    r"(?:(?P<below>below|under|up to|less than|低于|小于)|above|over|more than|高于|大于)\s*$", re.IGNORECASE
)
_GROUPS: dict[str | None, Operator] = {"upper": "<=", "lower": ">=", "fixed": "=="}
_LOOSE = re.compile(r"as many|as few|as possible|a useful answer|尽可能", re.IGNORECASE)


def limits(reading: Reading, parameters: list[Parameter]) -> list[DigestItem]:
    """Return one constraint item a limit; ``data`` holds its predicate, or None when only people can check it."""
    items: list[DigestItem] = []
    for sentence in reading.sentences:
        if sentence.role == "back" or not 6 <= len(sentence.text) <= 420 or _LOOSE.search(sentence.text):
            continue
        bounds = _bounds(sentence, parameters)
        if not bounds and not _is_rule(sentence):
            continue
        choices: list[Bound | None] = [*bounds] or [None]
        for bound in choices:
            data = {"predicate": bound.model_dump(mode="json") if bound else None}
            note = "" if bound else "No program can check this; it asks for a review."
            items.append(
                reading.item(
                    "constraint", sentence.text, page=sentence.page, quote=sentence.text, data=data, note=note
                )
            )
    return items[:MAX_LIMITS]


def bounds_in(text: str, parameters: list[Parameter]) -> list[Bound]:
    """Return the limits that a sentence sets which a person wrote as a limit; empty when none can be read off it."""
    return _bounds(
        Sentence(page=1, span=Span(start=0, end=len(text)), text=text, role="limit", index=0), parameters
    )


def _is_rule(sentence: Sentence) -> bool:
    """A sentence that commands; results and questions only describe."""
    if sentence.role in ("result", "goal", "hypothesis") or sentence.text.endswith(("?", "？")):
        return False
    if _STRONG.search(sentence.text) or (sentence.role == "limit" and len(sentence.text) > 30):
        return True
    if sentence.role in ("method", "limit") and _is_measured_limit(sentence.text):
        return True
    is_procedure = bool(_WEAK.search(sentence.text)) and sentence.role == "method"
    return is_procedure and (
        sentence.text[0].isdigit()
        or "\u3400" <= sentence.text[0] <= "\u9fff"
        or bool(find_quantities(sentence.text))
    )


def _is_measured_limit(text: str) -> bool:
    """A cue with a quantity behind it, though nothing says of what."""
    cues = [
        cue for cue in _CUE.finditer(text) if cue.lastgroup != "fixed" and not _MAXIMUM.fullmatch(cue.group())
    ]
    return any(0 <= quantity.start - cue.end() <= 20 for cue in cues for quantity in find_quantities(text))


def _bounds(sentence: Sentence, parameters: list[Parameter]) -> list[Bound]:
    found: list[Bound] = []
    for quantity in _numbers(sentence.text):
        ops = _operators(sentence, quantity)
        name = _parameter_before(sentence.text, quantity, parameters) if ops else None
        for op, value in ops if name else []:
            parameter = next((known for known in parameters if known.name == name), None)
            converted = (
                convert_value(value, given=quantity.unit, wanted=parameter.unit)
                if parameter and parameter.unit
                else value
            )
            if converted is not None and name:
                found.append(Bound(parameter=name, op=op, value=converted))
    return list({bound.model_dump_json(): bound for bound in found}.values())


def _numbers(text: str) -> list[Quantity]:
    """Return the quantities, and the bare numbers or ranges that stand right behind a cue (``pH 应控制在 4~7``)."""
    quantities = _paired(text, find_quantities(text))
    for cue in _CUE.finditer(text):
        match = _BARE.match(text, cue.end())
        if match is None or any(
            known.start < match.end() and match.start() < known.end for known in quantities
        ):
            continue
        high = float(match["high"]) if match["high"] else None
        start = match.start("low")
        bare = Quantity(
            text=match[0].strip(), start=start, end=match.end(), value=float(match["low"]), unit="", high=high
        )
        quantities.append(bare)
    return quantities


def _paired(text: str, quantities: list[Quantity]) -> list[Quantity]:
    """Make one range of the two numbers behind ``between``."""
    paired = list(quantities)
    for cue in _CUE.finditer(text):
        behind = [
            quantity for quantity in paired if 0 <= quantity.start - cue.end() <= 12 and quantity.high is None
        ]
        later = [quantity for quantity in paired if behind and quantity.start > behind[0].start]
        if (
            cue.lastgroup == "between"
            and later
            and text[behind[0].end : later[0].start].strip() in ("and", "to", "和", "与")
        ):
            paired.remove(behind[0])
            paired.remove(later[0])
            paired.append(behind[0].model_copy(update={"high": later[0].value, "end": later[0].end}))
    return paired


def _only_reports(sentence: Sentence, cue: str) -> bool:
    """Results tell how high a number was; only a command there sets a limit."""
    if _MAXIMUM.fullmatch(cue) and _REPORTED.search(sentence.text):
        return True
    return sentence.role in ("result", "goal", "hypothesis") and not _MODAL.match(cue)


def _operators(sentence: Sentence, quantity: Quantity) -> list[tuple[Operator, float]]:
    """Return the operators that the words around ``quantity`` set, with their numbers."""
    before, after = sentence.text[: quantity.start], sentence.text[quantity.end :]
    cues = [
        match
        for match in _CUE.finditer(before)
        if not re.search(r"\d", before[match.end() :]) and len(before) - match.end() <= 30
    ]
    if cues and _only_reports(sentence, cues[-1].group()):
        return []
    if cues and quantity.high is not None and cues[-1].lastgroup == "between":
        return [(">=", quantity.value), ("<=", quantity.high)]
    one_sided = (
        _ONE_SIDED.search(before[cues[-1].start() :]) if cues and cues[-1].lastgroup == "between" else None
    )
    if one_sided:
        return [("<=" if one_sided["below"] else ">=", quantity.value)]
    if cues and quantity.high is None and cues[-1].lastgroup in _GROUPS:
        return [(_GROUPS[cues[-1].lastgroup], quantity.value)]
    sign = _SIGN.search(before)
    if sign and sentence.role != "result":
        return [(_SIGNS[sign["op"]], quantity.value)]
    word = _AFTER.match(after)
    if word and sentence.role not in ("result", "goal", "hypothesis"):
        upper = re.match(r"以下|以内|or (?:less|below|lower|fewer)|max", word["word"], re.IGNORECASE)
        return [("<=" if upper else ">=", quantity.value)]
    return []


def _parameter_before(text: str, quantity: Quantity, parameters: list[Parameter]) -> str | None:
    """Return the known parameter, else the measurable thing, named last before the number in its part of the sentence."""
    start = max(text.rfind(mark, 0, quantity.start) for mark in ".;；。") + 1
    part = text[start : quantity.start]
    named = [
        (place, parameter.name)
        for parameter in parameters
        for spelling in {parameter.name, parameter.label} - {""}
        if (place := _place(spelling.casefold(), part.casefold())) >= 0
    ]
    kinds = kinds_between(text, start, quantity.start)
    nearest = kinds[-1] if kinds else (-1, -1, None)
    if (
        named
        and max(named)[0] + start >= nearest[0] - 24
        and not re.search(r"[,，、]", part[max(named)[0] : max(0, nearest[0] - start)])
    ):
        return max(named)[1]
    return plain_name(text[nearest[0] : nearest[1]]).removesuffix("s") if kinds else None


def _place(name: str, part: str) -> int:
    """Return where ``part`` names the parameter: in one piece, or by all its words; -1 when it does not."""
    whole = part.rfind(name)
    if whole >= 0:
        return whole
    words = re.findall(r"[^\W_]+", name)
    places = [part.rfind(word) for word in words if len(word) > 1]
    return max(places) if len(places) > 1 and min(places) >= 0 else -1
