"""The scripted corrector: what a careful model does with a refusal, from its words alone."""

import copy
import re
from difflib import get_close_matches
from typing import Any

from benchmarks.parts.gate_faults import Arguments, Fault

_FIELD = r"field ([\w.\[\]-]+)"


def corrected(fault: Fault, tool: str, arguments: Arguments, message: str) -> tuple[str, Arguments]:
    """Return tool and arguments after reading ``message``; unchanged where it gives nothing to go by."""
    if "no tool" in message or "not a valid tool" in message:
        return tool_named(message, tool, fault.goal) or tool, arguments
    result = copy.deepcopy(arguments)
    for clause in _clauses(message):
        _mend(result, clause, fault.intent)
    return tool, result


def _clauses(message: str) -> list[str]:
    """Return one clause a field, in our words also where pydantic spoke."""
    _, is_theirs, lines = message.partition("with error:\n")
    if not is_theirs:
        return re.split(r"; (?=field )", message)
    return [_in_our_words(line.strip()) for line in lines.splitlines() if ": " in line]


def _in_our_words(line: str) -> str:
    name, _, said = line.partition(": ")
    said = said.replace("less than or equal to", "at most").replace("greater than or equal to", "at least")
    if said == "Field required":
        return f"field {name} is missing: expected a value"
    if said == "Extra inputs are not permitted":
        return f"field {name} does not exist"
    options = re.fullmatch(r"Input should be (.+) or (.+)", said)
    if options:
        listed = f"{options[1]}, {options[2]}".replace("'", "")
        return f"field {name}: expected one of {listed}, received"
    return f"field {name}: {said}"


def tool_named(message: str, tried: str, goal: str) -> str:
    meant = re.search(r"did you mean (\w+)\?", message)
    if meant:
        return meant[1]
    listed = re.search(r"tools are: (.*)|one of \[(.*)\]", message)
    names = [name.strip(" '.") for name in (listed[1] or listed[2]).split(",")] if listed else []
    close = get_close_matches(re.sub(r"(?<!^)(?=[A-Z])", "_", tried).casefold(), names, n=1)
    if close:
        return close[0]
    wanted = set(goal.split())
    best = max(names, key=lambda name: len(wanted & set(name.split("_"))), default="")
    return best if wanted & set(best.split("_")) else ""


def _mend(arguments: Arguments, clause: str, intent: Arguments) -> None:
    absent = re.search(_FIELD + " does not exist", clause)
    if absent:
        meant = re.search(r"did you mean (\w+)\?", clause)
        _rename(arguments, absent[1], meant[1] if meant else "")
        return
    rule = re.search(r"missing now: ([\w, ]+)", clause)
    if rule:
        for name in rule[1].split(", "):
            if name in intent:
                arguments[name] = intent[name]
        return
    named = re.search(_FIELD, clause)
    if named:
        value = _wanted(intent, named[1])
        set_value(arguments, named[1], fitting(value, clause))


def fitting(value: Any, clause: str) -> Any:
    """Return the meant value, moved to what the clause allows."""
    meant = re.search(r"did you mean ([^?]+)\?", clause)
    if meant:
        return meant[1]
    options = re.search(r"expected one of (.*?), received", clause)
    if options:
        return _nearest_option(value, [option.strip() for option in options[1].split(",")])
    bounds = re.search(r"from (-?[\d.]+) to (-?[\d.]+)|at most (-?[\d.]+)|at least (-?[\d.]+)", clause)
    if bounds and isinstance(value, int | float):
        low, high = bounds[1] or bounds[4], bounds[2] or bounds[3]
        value = max(value, float(low)) if low else value
        value = min(value, float(high)) if high else value
    return value


def _nearest_option(value: Any, options: list[str]) -> Any:
    numbers = [re.match(r"-?[\d.]+", option) for option in options]
    if isinstance(value, int | float) and all(numbers):
        return min((float(number[0]) for number in numbers if number), key=lambda option: abs(option - value))
    close = get_close_matches(str(value), options, n=1, cutoff=0.0)
    return close[0] if close else value


def _path(name: str) -> list[str | int]:
    return [int(part) if part.isdigit() else part for part in re.findall(r"\w+", name)]


def _wanted(intent: Arguments, name: str) -> Any:
    found: Any = intent
    for part in _path(name):
        try:
            found = found[part]
        except (KeyError, IndexError, TypeError):
            return None
    return found


def _parent(arguments: Arguments, path: list[str | int]) -> Any:
    found: Any = arguments
    for part in path[:-1]:
        found = found[part]
    return found


def set_value(arguments: Arguments, name: str, value: Any) -> None:
    path = _path(name)
    if value is not None and path:
        _parent(arguments, path)[path[-1]] = value


def _rename(arguments: Arguments, name: str, meant: str) -> None:
    path = _path(name)
    parent = _parent(arguments, path)
    # A key is named as it was sent, spaces and case included.
    sent = next((key for key in parent if str(key).strip() == str(path[-1])), path[-1])
    value = parent.pop(sent, None)
    if meant and value is not None:
        parent.setdefault(meant, value)
