"""Making text fit: cut at line ends, never inside a number, and always saying what was cut."""

from collections.abc import Callable, Sequence

Count = Callable[[str], int]
"""How many tokens a text has."""

_JOINED = set("0123456789.,%/^-+±²³°")


def keep_lines(
    lines: Sequence[str], limit: int, count: Count, *, note: Callable[[int], str]
) -> tuple[list[str], int]:
    """Return the first lines that fit ``limit`` tokens and how many were left out.

    When some are, ``note(left_out)`` is the last line and counted too. A first line that alone is too long
    is cut inside.
    """
    if count("\n".join(lines)) <= limit:
        return list(lines), 0
    kept: list[str] = []
    used = 0
    for line in lines:
        left = len(lines) - len(kept)
        used += count(line) + 1
        if used + count(note(left)) > limit:
            break
        kept.append(line)
    left_out = len(lines) - len(kept)
    if kept or not lines:
        return [*kept, note(left_out)], left_out
    room = limit - count(note(left_out)) - 1
    head = cut_text(lines[0], room, count)
    return [*([head] if head else []), note(left_out)], left_out


def cut_text(text: str, limit: int, count: Count) -> str:
    """Return the longest beginning of ``text`` within ``limit`` tokens, with an ellipsis when cut.

    The cut is never inside a number or a Latin word, nor between a number and its unit.
    """
    if count(text) <= limit:
        return text
    low, high = 0, len(text)
    while low < high:
        middle = (low + high + 1) // 2
        if count(text[:middle]) + 1 <= limit:
            low = middle
        else:
            high = middle - 1
    while low > 0 and not _can_cut(text, low):
        low -= 1
    return f"{text[:low].rstrip()}…" if low else ""


def _can_cut(text: str, at: int) -> bool:
    if at >= len(text):
        return True
    head, after = text[:at].rstrip(), text[at]
    if not head:
        return True
    if head[-1].isdigit():
        # What follows may be its unit, unless it is the next number or a stop.
        return (text[at - 1].isspace() and (after.isdigit() or after in "-+")) or after in "，。；、;\n"
    return text[at - 1].isspace() or not (_is_joined(text[at - 1]) and _is_joined(after))


def _is_joined(character: str) -> bool:
    return character in _JOINED or (character.isascii() and character.isalpha())
