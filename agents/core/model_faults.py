"""What was wrong with a model's answer, as a sentence for people: one a fault."""

from typing import Literal, get_args

FaultName = Literal[
    "empty",
    "refusal",
    "truncated",
    "no_object",
    "broken_json",
    "too_deep",
    "not_finite",
    "duplicate_keys",
    "wrong_shape",
    "unknown_tool",
    "bad_arguments",
    "bad_part",
    "wrong_language",
]
"""What can be wrong with an answer that came."""

SENTENCES: dict[str, str] = {
    "empty": "The model answered with nothing (an empty reply).",
    "refusal": "The model refused to answer.",
    "truncated": "The answer was cut off before its end (the JSON object does not end); nothing of it was used.",
    "no_object": "The answer held no JSON object, only text; nothing of it was used.",
    "broken_json": "The answer was broken JSON that could not be mended without a guess; nothing of it was used.",
    "too_deep": "The answer was nested far deeper than any answer is; nothing of it was used.",
    "not_finite": "The answer held NaN, Infinity or a number too large where a number was needed; it was not used.",
    "duplicate_keys": "A key stands twice in the answer, so what it meant could not be known; it was not used.",
    "wrong_shape": "The answer did not have the shape that was asked for; nothing of it was used.",
    "unknown_tool": "The answer named a tool that this study does not have; nothing was run.",
    "bad_arguments": "The arguments did not fit the tool; nothing was run.",
    "bad_part": "A part of the answer could not be used; the model was asked for a better one.",
    "wrong_language": "The answer was in another language than the study; the model was asked again.",
    "prompt_truncated": "The server read only a part of the prompt.",
    "window": "The prompt was longer than the model reads.",
    "rate_limited": "The server asked for fewer calls (429).",
    "server_error": "The server answered with an error of its own.",
    "connection_lost": "The server closed the connection in the middle of the reply.",
    "timeout": "The server was silent for too long.",
    "garbled": "The server sent what is not a chat completion.",
    "unreachable": "Nothing answers at the model's address.",
    "no_stream": "The server does not stream; the answer is asked for in one piece.",
    "usage_refused": "The server does not report usage while streaming.",
    "json_schema_refused": "The server does not take JSON schemas; it is asked in another way.",
    "tool_refused": "The server does not take a forced tool call; it is asked in another way.",
    "refused_request": "The server refused the request.",
    "unauthorised": "The server refused the key.",
    "not_found": "The server has no such model.",
    "quota": "The account at the model's server has no quota left.",
}

OF_THE_ANSWER: frozenset[str] = frozenset(get_args(FaultName))
"""Faults of an answer that came: the model is asked again. The others are the server's or the way's."""


def sentence_of(fault: str) -> str:
    """Return what ``fault`` means, for people; empty for no fault. An unknown name is shown as it is."""
    return SENTENCES.get(fault, f"The answer could not be used ({fault}).") if fault else ""
