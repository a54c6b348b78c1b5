"""What a description from outside may not hold: characters that nobody sees, and orders to the reader."""

import re

from agents.core.text import BIDI_AND_ZERO_WIDTH

_ORDERS = re.compile(
    r"\b(ignore|disregard|forget|override)\b.{0,40}\b(previous|prior|above|earlier|other|all|any)\b"
    r"|\bsystem (prompt|message)\b"
    r"|</?\s*(system|important|instructions?|assistant|user|tool)\b[^>]*>"
    r"|\b(do not|don't|never)\b.{0,30}\b(tell|mention|inform|reveal|show)\b"
    r"|\b(before|instead of|after) (using|calling|you (use|call))\b.{0,60}\b(tool|function)s?\b"
    r"|\byou (must|should|have to|need to) (always|first|now|never|also)\b"
    r"|\b(without|skip|bypass|no need for)\b.{0,30}\b(review|approval|asking|confirmation|permission)\b"
    r"|\b(api[ _-]?key|password|credentials?|\.ssh|id_rsa|\.env)\b.{0,60}\b(read|send|include|pass|put|provide)\b"
    r"|\b(read|send|include|pass|put|provide)\b.{0,60}\b(password|credentials?|\.ssh|id_rsa|\.env)\b"
    r"|忽略.{0,12}(指令|指示|提示|之前|以上)|系统提示|不要告诉",
    re.IGNORECASE | re.DOTALL,
)


def hidden_in(text: str) -> bool:
    """Return True when ``text`` holds invisible or direction-changing characters."""
    return bool(BIDI_AND_ZERO_WIDTH.search(text))


def order_in(text: str) -> str:
    """Return the part of ``text`` that gives orders to whoever reads it, or an empty text.

    A description says what a tool does. One that tells its reader what to do may be an attack, so that a person
    reads it first and describes the tool in their own words. No word list finds every order: nothing rests on
    it but this warning.
    """
    found = _ORDERS.search(text)
    return " ".join(found[0].split())[:120] if found else ""
