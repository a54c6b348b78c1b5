"""What a unit looks like in print, English and Chinese: one pattern, and one spelling for what it finds."""

import re

_SYMBOLS = (
    # counted and relative
    "wt.%", "wt%", "mol%", "vol%", "at%", "at.%", "%", "‰", "ppm", "ppb", "rpm", "r/min", "dB", "equiv", "cycles", "fold",
    # time
    "minutes", "minute", "mins", "min", "hours", "hour", "hrs", "hr", "seconds", "second", "secs", "sec", "days", "day",
    "weeks", "week", "months", "month", "years", "year",
    # mass, amount, volume, length
    "kg", "mg", "μg", "ng", "g", "kmol", "mmol", "μmol", "nmol", "mol", "mM", "μM", "nM", "M", "mL", "ml", "μL", "μl",
    "nL", "dL", "L", "l", "km", "dm", "cm", "mm", "μm", "nm", "pm", "m", "Å", "kDa", "Da", "mesh",
    # force, pressure, energy, power, heat
    "kN", "mN", "N", "GPa", "MPa", "kPa", "mPa", "hPa", "Pa", "mbar", "bar", "atm", "Torr", "torr", "mmHg", "psi", "kJ",
    "MJ", "J", "kcal", "cal", "meV", "keV", "MeV", "eV", "kWh", "Wh", "kW", "MW", "mW", "μW", "W", "HV1", "HV10", "HV", "HRC",
    # electricity, magnetism, frequency, light
    "mAh", "Ah", "mA", "μA", "nA", "A", "mV", "μV", "kV", "V", "kΩ", "MΩ", "mΩ", "Ω", "Scm", "mS", "μS", "S", "mF", "μF",
    "nF", "pF", "F", "mT", "μT", "T", "GHz", "MHz", "kHz", "Hz", "lx", "lm", "cd", "dpi",
    # radiation, activity of enzymes, cells
    "kGy", "Gy", "MBq", "kBq", "Bq", "IU", "CFU",
    # temperature
    "°C", "℃", "°F", "℉", "°", "degC", "deg C", "degF", "deg F", "K", "C",
    "h", "s", "d",
    # reciprocal
    "1/min", "1/h", "1/s", "1/K", "1/°C", "1/cm", "1/m",
)  # fmt: skip
_CHINESE = (
    "毫克", "千克", "公斤", "微克", "克", "吨", "毫升", "微升", "升", "毫摩尔", "摩尔", "厘米", "毫米", "微米", "纳米", "千米", "米",
    "小时", "分钟", "秒钟", "秒", "天", "周", "个月", "摄氏度", "兆帕", "千帕", "帕", "毫伏", "千伏", "伏特", "伏", "毫安", "安培", "千瓦", "瓦",
    "千焦", "焦耳", "焦", "赫兹", "转/分", "转每分", "欧姆", "欧", "目",
)  # fmt: skip
_SPELLED = {
    "毫克": "mg", "千克": "kg", "公斤": "kg", "微克": "μg", "克": "g", "吨": "t", "毫升": "mL", "微升": "μL", "升": "L",
    "毫摩尔": "mmol", "摩尔": "mol", "厘米": "cm", "毫米": "mm", "微米": "μm", "纳米": "nm", "千米": "km", "米": "m",
    "小时": "h", "分钟": "min", "秒钟": "s", "秒": "s", "天": "d", "周": "week", "个月": "month", "摄氏度": "°C", "兆帕": "MPa",
    "千帕": "kPa", "帕": "Pa", "毫伏": "mV", "千伏": "kV", "伏特": "V", "伏": "V", "毫安": "mA", "安培": "A", "千瓦": "kW",
    "瓦": "W", "千焦": "kJ", "焦耳": "J", "焦": "J", "赫兹": "Hz", "转/分": "rpm", "转每分": "rpm", "r/min": "rpm", "欧姆": "Ω",
    "欧": "Ω", "目": "mesh", "℃": "°C", "℉": "°F", "degC": "°C", "deg C": "°C", "degF": "°F", "deg F": "°F", "hours": "h", "hour": "h", "hrs": "h", "hr": "h", "minutes": "min",
    "minute": "min", "mins": "min", "seconds": "s", "second": "s", "secs": "s", "sec": "s", "days": "d", "day": "d",
    "weeks": "week", "months": "month", "years": "year", "ml": "mL", "μl": "μL", "l": "L", "wt.%": "wt%", "at.%": "at%",
}  # fmt: skip

_DEGREE = r"[°◦º˚∘]\s?"
_MICRO = "[μµ]"
_GAP = r"[ \u00a0\u2009\u202f]?\n?"


def _atom() -> str:
    """One symbol; the ambiguous capitals come last and longer ones first."""
    symbols = sorted((*_SYMBOLS, *_CHINESE), key=len, reverse=True)
    spelled = [re.escape(s).replace("°", _DEGREE).replace("μ", _MICRO).replace("Ω", "[ΩΩ]") for s in symbols]
    return "(?:" + "|".join(spelled) + ")"


_POWER = rf"(?:\^?{_GAP}[−–-]{_GAP}[1-4](?!\d|\.\d)|⁻[¹²³⁴]|[²³⁴]|\^?[2-4](?!\d|[.,]\d))?"
_ONE = rf"{_atom()}(?![A-Za-z])" + _POWER
# A stop with a space behind it ends a sentence: "5 kJ/mol. A blank" is not in ampere.
_TIMES = r"(?:\s?[·⋅∙•*×]\s?|\.)"
_GROUP = rf"\(\s?{_ONE}(?:{_TIMES}{_ONE}){{0,3}}\s?\)"
_RAISED = rf"{_atom()}{_GAP}(?:\^?[−–-]\s?[1-4](?!\d|\.\d)|⁻[¹²³⁴])"
_GLUED = rf"{_atom()}{{2}}(?:[−–-][1-4](?!\d|\.\d)|⁻[¹²³⁴])"
UNIT = rf"(?:{_GLUED}|{_ONE})(?:(?:{_TIMES}{_ONE})|\s?[/／]\s?(?:{_GROUP}|{_ONE})|(?:{_GAP}|\s){_RAISED}){{0,3}}(?:\s?\([vwm]/[vwm]\))?"
"""A pattern for a unit as printed; it never ends inside a Latin word."""

_BRACKETED = re.compile(
    r"^(?P<label>.*?\S)\s*[(\[（【](?P<unit>[^()\[\]（）【】]*(?:\([^()]*\))?[^()\[\]（）【】]*)[)\]）】]\s*$"
)
_AFTER_SLASH = re.compile(
    r"^(?P<label>[^/,]*?\S)\s*(?:\s/\s*|,\s+|，\s*)(?P<unit>[%‰°℃µμΩA-Za-z][\w°%·./^⁻¹²³µμΩ-]{0,15})\s*$"
)
_SUFFIX = re.compile(r"^(?P<label>.*(?:temp|temperature|t))_(?P<unit>C|K|F)$|^(?P<label2>.+)_(?P<unit2>min|hr?|sec|s|mM|mL|ml|mg|kg|nm|mm|cm|wt%|pct|percent|bar|kPa|MPa|rpm)$", re.IGNORECASE)  # fmt: skip
_HEADER_UNITS = {
    "pct": "%",
    "percent": "%",
    "C": "°C",
    "c": "°C",
    "F": "°F",
    "f": "°F",
    "k": "K",
    "degC": "°C",
}
_RAISED_DIGITS = str.maketrans("⁻¹²³⁴", "-1234")


def plain_unit(printed: str) -> str:
    """Return one spelling for a printed unit: ``°C``, ``W/(m·°C)``, ``mAh g-1``, ``%``."""
    text = re.sub(_DEGREE, "°", re.sub(r"\s+", " ", printed.strip())).replace("Ω", "Ω").replace("µ", "μ")
    text = (
        text.translate(_RAISED_DIGITS).replace("−", "-").replace("–", "-").replace("／", "/").replace("^", "")
    )
    text = re.sub(r"\s?[·⋅∙•*×]\s?", "·", text)
    text = re.sub(r"\s?([/()])\s?", r"\1", text)
    text = re.sub(r" ?(-) ?(?=\d)", r"\1", text)
    text = re.sub(r"(?<=[A-Za-z])\.(?=[A-Za-z°])", "·", text) if text not in ("wt.%", "at.%") else text
    text = re.sub(r"%\(([vwm]/[vwm])\)", r"% \1", text)
    if text in _SPELLED:
        return _SPELLED[text]
    return re.sub(
        r"[^\W\d_]+(?:/分)?%?|[^\W\d_]*[°℃℉%.]+[A-Za-z%]*",
        lambda match: _SPELLED.get(match[0], match[0]),
        text,
    )


def split_title(header: str) -> tuple[str, str]:
    """Return label and unit of a header such as ``Temp (°C)``, ``Temp/°C``, ``温度（℃）`` or ``Temp_C``."""
    if re.fullmatch(UNIT, header.strip()):
        return header, ""
    for pattern in (_BRACKETED, _AFTER_SLASH):
        match = pattern.match(header)
        if match and _looks_like_unit(match["unit"]):
            return match["label"].rstrip(" /／"), _header_unit(match["unit"])
    tight = re.fullmatch(rf"(?P<label>[^/]*[^/\s])/(?P<unit>{UNIT})", header.strip())
    if tight:
        return tight["label"], _header_unit(tight["unit"])
    match = _SUFFIX.match(header)
    if match:
        return match["label"] or match["label2"], _header_unit(match["unit"] or match["unit2"])
    return header, ""


def _header_unit(printed: str) -> str:
    text = printed.strip()
    return _HEADER_UNITS.get(text) or plain_unit(text)


def _looks_like_unit(text: str) -> bool:
    """A printed unit, or a short composed one such as ``mg GAE/100 g``; not ``isolated`` or ``see note``."""
    text = text.strip()
    if re.fullmatch(UNIT, text) or text in _HEADER_UNITS or text in ("a.u.", "eq", "eq."):
        return True
    return (
        0 < len(text) <= 24 and any(mark in text for mark in "/%·°") and not re.fullmatch(r"[\d\s./-]+", text)
    )
