"""How the scripted scientist reads Daybook's prompts: the same words that a model is given."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

_TOOL = re.compile(r"^(?P<name>\w+)\((?P<arguments>.*)\) \[experiment[^\]]*\]", re.MULTILINE)
_RANGE = re.compile(r"(?P<whole>integer )?(?P<low>-?[\d.e+-]+)\.\.(?P<high>-?[\d.e+-]+)(?: .*)?")
_STEP = re.compile(
    r"^(?P<round>\d+)\. (?P<tool>\w+)\((?P<arguments>.*?)\) → (?P<outcome>.*?)(?: \(\w+\))?$", re.MULTILINE
)
_BEST = re.compile(r"^best (?P<title>.+): (?P<value>-?[\d.e+-]+) at (?P<conditions>.+)$", re.MULTILINE)
_BEST_STEP = re.compile(r"^best (?P<title>.+): that of round (?P<round>\d+)$", re.MULTILINE)
_VALUE = re.compile(r"-?\d[\d.]*(?:e[+-]?\d+)?")
_OBJECTIVE = re.compile(
    r"^(?:maximise|minimise|target) (?P<name>.+?)(?: \([^)]*\))?(?: at .*)?$", re.MULTILINE
)
_UNTRIED = re.compile(r"^never tried (?P<name>\S+): (?P<levels>.+)$", re.MULTILINE)
_LEDGER = re.compile(r"^(?P<measured>\d+) measured.*?(?: \(values are (?P<names>.+)\))?$", re.MULTILINE)
_FINDING = re.compile(r"^(F\d+) \(\d\.\d\) ", re.MULTILINE)
_PAGE = re.compile(r"^\[page (\d+)\]$", re.MULTILINE)
_SENTENCE = re.compile(r"[^\n。]+?(?:[.。](?=\s|$)|。|(?=\n)|$)")


@dataclass(frozen=True)
class Slot:
    """An argument of the experiment tool: its levels, or its range."""

    name: str
    levels: tuple[str, ...] = ()
    low: float = 0.0
    high: float = 1.0
    is_whole: bool = False

    def at(self, share: float) -> Any:
        """Return the level or number at ``share`` (0 to 1) of the way."""
        if self.levels:
            return self.read(self.levels[min(int(share * len(self.levels)), len(self.levels) - 1)])
        value = self.low + share * (self.high - self.low)
        return round(value) if self.is_whole else float(f"{value:.3g}")

    def read(self, text: str) -> Any:
        """Return a printed value as number or text."""
        try:
            value = float(text)
        except ValueError:
            return text
        return int(value) if value.is_integer() else value


@dataclass
class Seen:
    """What the scientist takes from a prompt."""

    tool: str = ""
    slots: list[Slot] = field(default_factory=list)
    objective: str = ""
    measured: int = 0
    best: str = ""
    best_value: float | None = None
    best_conditions: dict[str, str] = field(default_factory=dict)
    untried: dict[str, list[str]] = field(default_factory=dict)
    last_round: int = 0
    last_conditions: str = ""
    last_outcome: str = ""
    findings: list[str] = field(default_factory=list)
    refusals: int = 0


def what_is_seen(text: str) -> Seen:
    """Read a reasoning prompt."""
    seen = Seen(findings=_FINDING.findall(text))
    if tool := _TOOL.search(text):
        seen.tool = tool["name"]
        seen.slots = [slot for part in _split(tool["arguments"]) if (slot := _slot(part))]
    if objective := _OBJECTIVE.search(text):
        seen.objective = objective["name"]
    ledger = _LEDGER.search(text)
    seen.measured = int(ledger["measured"]) if ledger else 0
    names = ledger["names"].split(", ") if ledger and ledger["names"] else [slot.name for slot in seen.slots]
    if best := _best(text):
        title, value, conditions = best
        seen.best_value, seen.best_conditions = float(value), _named(conditions, names)
        seen.best = f"{title} {value} at {_told(seen.best_conditions)}"
    seen.untried = {found["name"]: found["levels"].split(", ") for found in _UNTRIED.finditer(text)}
    if step := _STEP.search(text):
        seen.last_round = int(step["round"])
        seen.last_conditions = _told(_named(step["arguments"], names))
        seen.last_outcome = step["outcome"]
    refused = text.partition("Not accepted:\n")[2].partition("\nBudget left:")[0]
    seen.refusals = len(refused.splitlines()) - 1 if refused else 0
    return seen


def _best(text: str) -> tuple[str, str, str] | None:
    """Return title, value and conditions of the best experiment; a step that is told already is only pointed at."""
    if best := _BEST.search(text):
        return best["title"], best["value"], best["conditions"]
    if best := _BEST_STEP.search(text):
        step = next((step for step in _STEP.finditer(text) if step["round"] == best["round"]), None)
        if step and (value := _VALUE.search(step["outcome"])):
            return best["title"], value[0], step["arguments"]
    return None


def sentences_of(text: str) -> Iterator[tuple[int, str]]:
    """Yield page number and sentence of the document in a digest prompt."""
    body = text.rpartition("<data>\n")[2].rpartition("\n</data>")[0]
    parts = _PAGE.split(body)
    for number, page in zip(parts[1::2], parts[2::2], strict=False):
        for sentence in _SENTENCE.findall(page):
            if len(sentence.strip()) > 8:
                yield int(number), sentence.strip()


def _split(arguments: str) -> list[str]:
    """Split ``a: x|y, b: 1..2`` at the commas before a name."""
    return re.split(r", (?=\w+\??: )", arguments)


def _slot(part: str) -> Slot | None:
    name, _, kind = part.partition(": ")
    if name.endswith("?"):
        return None
    if found := _RANGE.fullmatch(kind):
        return Slot(name, low=float(found["low"]), high=float(found["high"]), is_whole=bool(found["whole"]))
    if "|" in kind:
        *first, last = kind.split("|")
        # The unit stands behind the last level.
        is_numeric = all(re.fullmatch(r"-?[\d.]+", level) for level in first)
        return Slot(name, levels=(*first, last.split(" ")[0] if is_numeric else last))
    return Slot(name, low=0.0, high=100.0, is_whole=kind.startswith("integer"))


def _named(conditions: str, names: list[str]) -> dict[str, str]:
    """Read ``a=x, b=1``, or ``x, 1`` in the order of ``names``."""
    if re.match(r"\w+=", conditions):
        return dict(part.split("=", 1) for part in re.split(r", (?=\w+=)", conditions) if "=" in part)
    return dict(zip(names, conditions.split(", "), strict=False))


def _told(conditions: dict[str, str]) -> str:
    return ", ".join(f"{name} {value}" for name, value in conditions.items())
