"""A section of a prompt, and the rules by which sections share the room there is."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from agents.reasoners.language_model.cutting import Count, keep_lines
from agents.reasoners.language_model.quoting import as_data, disarmed


@dataclass
class Section:
    """Lines with a floor and a ceiling in tokens. ``rank`` 0 is never cut; higher ranks are cut first.

    ``is_data``: the lines are material, and stand between data marks together with their neighbours.
    ``is_ours``: the words are the product's own and may hold data marks.
    ``pointer`` says what the lines are and where the rest is, as in "3 more findings stored".
    """

    name: str
    lines: list[str]
    title: str = ""
    is_data: bool = False
    rank: int = 0
    floor: int = 0
    ceiling: int = 0
    pointer: str = "lines"
    is_ours: bool = False
    left_out: int = field(default=0, init=False)
    _kept: list[str] | None = field(default=None, init=False)

    def text(self) -> str:
        """Return the section as it is sent; empty without lines."""
        return self._text(self.lines if self._kept is None else self._kept)

    def fit(self, limit: int, count: Count) -> None:
        """Cut the lines so that the whole section has at most ``limit`` tokens."""
        whole = self._text(self.lines)
        frame = count(whole) - count("\n".join(self.lines))
        self._kept, self.left_out = keep_lines(
            self.lines, limit - frame, count, note=lambda rest: f"[{rest} more {self.pointer}]"
        )

    def _text(self, lines: list[str]) -> str:
        if not lines:
            return ""
        text = "\n".join([f"{self.title}:", *lines] if self.title else lines)
        return text if self.is_ours else disarmed(text)


def shrink(sections: Sequence[Section], room: int, count: Count) -> None:
    """Cut sections to their floors, those that matter least first, until all fit ``room``.

    Cuts fall at line ends and so free more than was needed; what is left over goes back to the sections that
    matter most.
    """
    cut: list[Section] = []
    for section in sorted((s for s in sections if s.rank), key=lambda s: -s.rank):
        over = size_of(sections, count) - room
        if over <= 0:
            break
        section.fit(max(section.floor, count(section.text()) - over), count)
        cut.append(section)
    for section in reversed(cut):
        spare = room - size_of(sections, count)
        if spare > 0:
            section.fit(min(section.ceiling, count(section.text()) + spare), count)


def size_of(sections: Sequence[Section], count: Count) -> int:
    """Return the tokens of all sections as sent."""
    return count(joined(sections))


def joined(sections: Sequence[Section]) -> str:
    """Return the sections as one text; neighbours that are data share one pair of marks."""
    blocks: list[str] = []
    material: list[str] = []
    for section in [*sections, Section("end", [""])]:
        text = section.text()
        if section.is_data:
            material += [text] if text else []
            continue
        if material:
            blocks.append(as_data("\n".join(material)))
            material = []
        blocks += [text] if text.strip() else []
    return "\n".join(blocks)
