"""The names of measurable things, English and Chinese, with the units that they may have."""

import re
from bisect import bisect_left
from dataclasses import dataclass
from functools import lru_cache


@dataclass(frozen=True)
class Kind:
    """A measurable thing: its words as a pattern, and one unit for each dimension it may have."""

    name: str
    pattern: str
    units: tuple[str, ...]


KINDS: tuple[Kind, ...] = (
    Kind("thermal conductivity", r"thermal conductivit(?:y|ies)|热导率|导热系数|导热率", ("W/(m*K)",)),
    Kind("thermal diffusivity", r"thermal diffusivity|diffusion coefficients?|diffusivity|热扩散系数|扩散系数", ("m**2/s",)),
    Kind("specific heat", r"specific heat(?: capacit(?:y|ies))?|比热容?|热容", ("J/(kg*K)", "J/(mol*K)", "J/K")),
    Kind("temperature coefficient", r"temperature coefficients?|温差电系数|温度系数", ("1/K", "V/K", "ohm/K", "K")),
    Kind("heating rate", r"(?:heating|cooling|scan(?:ning)?|quench(?:ing)?) rates?|升温速率|降温速率|冷却速率|扫描速率", ("K/s", "V/s", "m/s")),
    Kind("flow rate", r"flow rates?|流量", ("m**3/s", "kg/s", "mol/s")),
    Kind("heat flow", r"heat flows?|热流", ("W", "W/kg", "W/m**2")),
    Kind("current density", r"current densit(?:y|ies)|电流密度", ("A/m**2", "A/kg")),
    Kind("energy density", r"(?:energy|power|heat) densit(?:y|ies)|(?:能量|功率)密度", ("J/m**3", "J/kg", "W/m**2", "W/kg", "W/m**3")),
    Kind("number density", r"(?:number|carrier|electron|dislocation) densit(?:y|ies)|(?:载流子|位错)密度", ("1/m**3", "1/m**2")),
    Kind("optical density", r"optical densit(?:y|ies)|光密度", ("",)),
    Kind("density", r"densit(?:y|ies)|密度", ("kg/m**3",)),
    Kind("rotation", r"(?:stirring|rotation(?:al)?|agitation|shaking) (?:speed|rate)s?|转速|搅拌速度", ("rpm",)),
    Kind("velocity", r"velocit(?:y|ies)|\bspeeds?|波速|流速|速度|速率", ("m/s", "rpm", "1/s")),
    Kind("temperature", r"temperatures?|\btemps?\b|温度|室温", ("K",)),
    Kind("time", r"(?<!each )(?<!same )(?<!first )\btimes?\b|durations?|periods?|时间|时长|周期", ("s",)),
    Kind("mass", r"\bmass(?:es)?\b|\bweights?\b|质量|重量", ("kg", "kg/mol", "Da")),
    Kind("volume", r"volumes?|体积", ("m**3",)),
    Kind("length", r"lengths?|distances?|diameters?|thickness(?:es)?|heights?|widths?|particle sizes?|间距|距离|长度|直径|厚度|高度|粒径|波长", ("m",)),
    Kind("pressure", r"pressures?|压力|压强|气压", ("Pa",)),
    Kind("voltage", r"voltages?|potentials?|电压|电动势|电势", ("V",)),
    Kind("resistance", r"resistances?|电阻值?|阻值", ("ohm", "ohm*m")),
    Kind("current", r"(?<!air )currents?|电流", ("A", "A/m**2", "A/kg")),
    Kind("power", r"\bpowers?|功率", ("W", "W/m**2")),
    Kind("energy", r"energ(?:y|ies)|能量", ("J", "J/mol", "J/kg", "J/m**2")),
    Kind("frequency", r"frequenc(?:y|ies)|频率", ("Hz", "rad/s")),
    Kind("concentration", r"concentrations?|molarity|浓度", ("mol/L", "g/L", "mol/kg")),
    Kind("capacity", r"(?:discharge |charge |specific |theoretical )?capacit(?:y|ies)|容量", ("A*h/kg", "A*h", "J/K", "mol/kg")),
    Kind("hardness", r"hardness|硬度", ()),
    Kind("pH", r"\bpH\b|酸碱度", ("",)),
    Kind("yield", r"\byields?\b|产率|收率|得率", ("", "kg")),
    Kind("content", r"contents?|含量", ("", "kg/kg", "kg/m**3")),
    Kind("ratio", r"ratios?|比例|配比|料液比|固液比", ("", "m**3/kg")),
    Kind("amount", r"amounts?|dosages?|loadings?|用量|加入量|添加量", ("kg", "", "mol", "m**3", "kg/m**3", "mol/m**3", "kg/m**2")),
    Kind("rate", r"\brates?\b", ()),
    Kind("size", r"\bsizes?\b|division|粒度|尺寸", ("m",)),
)  # fmt: skip

CHOICES = re.compile(
    r"solvents?|catalysts?|bases?|ligands?|additives?|acids?|electrolytes?|substrates?|reagents?|atmospheres?|"
    r"precursors?|methods?|溶剂|催化剂|碱|配体|添加剂|气氛|方法",
    re.IGNORECASE,
)
"""Nouns whose levels are names rather than numbers."""


@lru_cache(maxsize=1)
def any_kind() -> re.Pattern[str]:
    """Return a pattern with one group a kind, ``k0``, ``k1`` …; the longest word at a place wins."""
    return re.compile(
        "|".join(f"(?P<k{index}>{kind.pattern})" for index, kind in enumerate(KINDS)), re.IGNORECASE
    )


@lru_cache(maxsize=256)
def kinds_in(text: str) -> tuple[tuple[int, int, Kind], ...]:
    """Return start, end and kind of every named measurable thing, in order."""
    return tuple(
        (match.start(), match.end(), KINDS[int((match.lastgroup or "k0")[1:])])
        for match in any_kind().finditer(text)
    )


def kinds_between(text: str, start: int, end: int) -> list[tuple[int, int, Kind]]:
    """Return the named things of ``text`` that stand wholly between two places."""
    found = kinds_in(text)
    first = bisect_left(found, start, key=lambda one: one[0])
    return [one for one in found[first : bisect_left(found, end, key=lambda one: one[0])] if one[1] <= end]
