"""The digest without a language model: found by pattern, quoted from the page, recomputed where possible."""

from agents.core.digest import Digest, DigestItem, ParsedDocument
from agents.core.quantities import find_quantities
from agents.core.science import Parameter
from agents.reasoners.extractive.checks import Flag, mean_flags, unit_flags, with_notes
from agents.reasoners.extractive.cues import goals, hypotheses, methods
from agents.reasoners.extractive.factors import factors_of, lists_factors
from agents.reasoners.extractive.facts import NOTHING, facts, quoted_places
from agents.reasoners.extractive.formulas import formula_flags
from agents.reasoners.extractive.grids import Grid, grid_of
from agents.reasoners.extractive.limits import limits
from agents.reasoners.extractive.named_levels import named_levels
from agents.reasoners.extractive.reading import Reading, read_sentences
from agents.reasoners.extractive.results import results_of
from agents.reasoners.extractive.same_factor import once_each
from agents.reasoners.extractive.series import series_of


def extract_digest(document: ParsedDocument, *, document_id: str, goal: str = "") -> Digest:
    """Return goal, methods, limits, parameters, printed results and a first hypothesis of ``document``.

    English and Chinese. Every quote is looked up on its page. ``goal``, the researcher's own, only ranks
    sentences. Numbers with units that no item quotes are listed in ``uncovered``; what does not fit together
    is said in the item's note and in ``warnings``.
    """
    reading = read_sentences(document, document_id=document_id)
    grids = [grid_of(table, reading) for table in document.tables]
    parameters = _parameters(grids, reading)
    known = [(Parameter.model_validate(item.data), _symbol(item)) for item in parameters]
    items = [
        *goals(reading, goal),
        *methods(reading, goal),
        *limits(reading, [parameter for parameter, _ in known]),
        *parameters,
        *(
            item
            for grid in grids
            if not lists_factors(grid, reading)
            for item in results_of(grid, known, reading)
        ),
        *hypotheses(reading),
    ]
    items += facts(reading, items)
    flags, agreed = _checked(reading, grids)
    items = _distinct(with_notes(items, [*flags, *agreed], reading))
    return _counted(items, flags, reading)


def _parameters(grids: list[Grid], reading: Reading) -> list[DigestItem]:
    """Return the factors of the tables, then those of the text; a bare symbol gives way to its full name, and so
    does a bare name with the same range."""
    items = [item for grid in grids for item in factors_of(grid, reading)]
    symbols = {_symbol(item).casefold() for item in items} - {""}
    named: dict[str, DigestItem] = {}
    for item in [*items, *named_levels(reading)]:
        name = item.data["name"].casefold()
        if name not in symbols:
            named.setdefault(name, item)
    return once_each(list(named.values()))


def _symbol(item: DigestItem) -> str:
    head, mark, _ = item.note.partition(" in the document.")
    return head if mark else ""


def _checked(reading: Reading, grids: list[Grid]) -> tuple[list[Flag], list[Flag]]:
    series = [known for grid in grids for known in series_of(grid, reading)]
    wrong, right = mean_flags(reading, series)
    broken, confirmed = formula_flags(reading)
    return [*unit_flags(reading), *wrong, *broken], [*right, *confirmed]


def _distinct(items: list[DigestItem]) -> list[DigestItem]:
    """Drop items that say the same of the same place twice."""
    seen: dict[str, DigestItem] = {}
    for item in items:
        seen.setdefault(f"{item.kind}|{item.source.page}|{item.text}|{item.data.get('predicate')}", item)
    return list(seen.values())


def _counted(items: list[DigestItem], flags: list[Flag], reading: Reading) -> Digest:
    quoted = quoted_places(items, reading)
    seen = [
        (page.number, quantity) for page in reading.document.pages for quantity in find_quantities(page.text)
    ]
    missed = [(page, quantity) for page, quantity in seen if not quoted.get(page, NOTHING).covers(quantity)]
    return Digest(
        how="extractive",
        items=items,
        captured=len(seen) - len(missed),
        seen=len(seen),
        uncovered=[{"text": quantity.text, "page": page} for page, quantity in missed],
        warnings=list(
            dict.fromkeys([*reading.document.warnings, *(f"Page {f.page}: {f.note}" for f in flags)])
        ),
    )
