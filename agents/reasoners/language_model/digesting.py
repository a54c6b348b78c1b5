"""Reads a document once, part by part, into items with page and quote, each checked against its page."""

from collections import Counter
from collections.abc import Sequence
from typing import Any

from agents.core.canonical import canonical_json
from agents.core.digest import Digest, DigestItem, Page, ParsedDocument
from agents.core.errors import ModelFault
from agents.core.model import LanguageModel, Message, ModelReply, ModelRequest, WindowExceeded
from agents.core.ports import Listener
from agents.core.quantities import find_quantities
from agents.core.quotes import find_quote
from agents.reasoners.language_model.asking import ask
from agents.reasoners.language_model.cutting import Count
from agents.reasoners.language_model.digest_items import read_item, same_item
from agents.reasoners.language_model.formats import DIGEST_LINE, digest_format
from agents.reasoners.language_model.lines import flat
from agents.reasoners.language_model.parts import Part, halves, parts_of
from agents.reasoners.language_model.quoting import as_data, disarmed
from agents.reasoners.language_model.replies import Unusable, candidates
from agents.reasoners.prompts import prompt_text

PART = 6000
"""The longest part, in tokens: models lose the middle of longer ones."""
SMALLEST = 300
"""A part below this many tokens is not divided any further."""
MOST = {"goal": 1, "method": 5, "hypothesis": 1}
_ORDER = ("goal", "method", "constraint", "parameter", "result", "hypothesis")


async def digest_document(
    document: ParsedDocument,
    *,
    document_id: str,
    goal: str,
    model: LanguageModel,
    listener: Listener,
    count: Count,
) -> Digest:
    """Return the items of the whole document with the coverage of its numbers.

    A part that the model cannot answer in full is divided and asked again. Parts that stay unread are named
    in the warnings. Raises ``ModelFault`` when no part could be read.
    """
    parts = parts_of(document.pages, min(PART, model.context_tokens // 2), count)
    raw: list[Any] = []
    unread: list[str] = []
    last: ModelFault | None = None
    while parts:
        part = parts.pop(0)
        try:
            raw += await _read_part(part, document, goal, model, listener, count)
        except (ModelFault, WindowExceeded) as fault:
            if _is_too_much(fault) and count(part.text()) > SMALLEST:
                parts = [*halves(part), *parts]
                continue
            unread.append(part.pages)
            last = fault if isinstance(fault, ModelFault) else ModelFault(str(fault))
    if last is not None and not raw:
        raise last
    items, warnings = _kept(raw, document, document_id)
    warnings = [f"The model could not read {pages}." for pages in unread] + warnings
    return covered(items, document.pages, warnings)


def covered(items: list[DigestItem], pages: Sequence[Page], warnings: list[str]) -> Digest:
    """Return the digest with the numbers with units that stand in no item's quote."""
    seen = 0
    uncovered: list[dict[str, Any]] = []
    quotes = [item.source.quote for item in items if item.source.verified]
    for page in pages:
        spans = [span for quote in quotes if (span := find_quote(quote, page.text)) is not None]
        for quantity in find_quantities(page.text):
            seen += 1
            if not any(span.start <= quantity.start and quantity.end <= span.end for span in spans):
                uncovered.append({"text": quantity.text, "page": page.number})
    return Digest(
        how="language model",
        items=items,
        captured=seen - len(uncovered),
        seen=seen,
        uncovered=uncovered,
        warnings=warnings,
    )


async def _read_part(
    part: Part, document: ParsedDocument, goal: str, model: LanguageModel, listener: Listener, count: Count
) -> list[Any]:
    request = ModelRequest(role="digest", messages=_messages(part, document, goal), reply=digest_format())
    return await ask(
        model,
        request,
        read=read_items,
        shape_line=DIGEST_LINE,
        listener=listener,
        count=count,
        # "Be briefer" would lose items; the part is divided instead.
        final=frozenset({"truncated"}),
    )


def read_items(reply: ModelReply) -> list[Any]:
    """Return the raw items of a reply, given as one object or as one object an item."""
    faults: list[Unusable] = []
    loose: dict[str, Any] = {}
    for item in candidates(reply):
        if isinstance(item, Unusable):
            faults.append(item)
        elif isinstance(item.value.get("items"), list):
            return list(item.value["items"])
        elif "kind" in item.value:
            loose.setdefault(canonical_json(item.value), item.value)
    if loose and not faults:
        return list(loose.values())
    raise faults[0] if faults else Unusable("wrong_shape", 'there is no list "items"')


def _messages(part: Part, document: ParsedDocument, goal: str) -> list[Message]:
    language = "Simplified Chinese" if document.language == "zh" else "the language of the document"
    head = [prompt_text("digest"), prompt_text("digest_format"), f'Write "text" in {language}.']
    asked = [f"The researcher's question: {flat(goal)}"] if goal else []
    material = as_data(disarmed(part.text()))
    return [
        Message(role="system", content="\n".join(head)),
        Message(
            role="user", content="\n".join([*asked, f"Document, {part.pages}:", material, "Your reply:"])
        ),
    ]


def _is_too_much(fault: Exception) -> bool:
    if isinstance(fault, WindowExceeded):
        return True
    tries = fault.tries if isinstance(fault, ModelFault) else []
    return bool(tries) and tries[-1]["fault"] in ("truncated", "prompt_truncated")


def _kept(
    raw: Sequence[Any], document: ParsedDocument, document_id: str
) -> tuple[list[DigestItem], list[str]]:
    items: dict[tuple[str, str, str], DigestItem] = {}
    dropped = 0
    for one in raw:
        item = read_item(one, document_id=document_id, document=document.name, pages=document.pages)
        if item is None:
            dropped += 1
            continue
        items.setdefault(same_item(item), item)
    warnings = [f"{dropped} items of the model were in no usable form."] if dropped else []
    kept: list[DigestItem] = []
    counts: Counter[str] = Counter()
    for item in sorted(items.values(), key=lambda item: _ORDER.index(item.kind)):
        counts[item.kind] += 1
        if counts[item.kind] <= MOST.get(item.kind, len(items)):
            kept.append(item)
        else:
            warnings.append(f"A further {item.kind} was left out: {item.text[:200]}")
    return kept, warnings
