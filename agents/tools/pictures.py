"""Pictures in a result: kept as files, so that memory and the log hold their hashes only."""

import base64
import binascii
import inspect
from typing import Any

from agents.core.pictures import PNG, PNG_BEGINNING, stored_picture
from agents.core.tools import ToolSpec
from agents.tools.faults import InvalidOutput
from agents.tools.summary import ArtifactWriter

MAX_PICTURE_BYTES = 2_000_000


async def with_stored_pictures(
    data: dict[str, Any], spec: ToolSpec, write_artifact: ArtifactWriter | None
) -> tuple[dict[str, Any], list[str]]:
    """Return ``data`` with each picture that the output schema declares (see ``agents.tools.schema.Png``)
    replaced by its place in the store, and their hashes.

    Raises ``InvalidOutput`` for what is no PNG, is too large, or has nowhere to go.
    """
    fields = (spec.output_schema or {}).get("properties", {})
    kept, hashes = dict(data), []
    for name, schema in fields.items():
        if schema.get("contentMediaType") == PNG and isinstance(data.get(name), str):
            content = _content(data[name], name)
            if write_artifact is None:
                raise InvalidOutput(f"field {name} is a picture, and there is no artifact store to keep it")
            stored = write_artifact(content, name=f"{spec.name}.png", media_type=PNG)
            digest = await stored if inspect.isawaitable(stored) else stored
            kept[name] = stored_picture(digest)
            hashes.append(digest)
    return kept, hashes


def _content(text: str, name: str) -> bytes:
    if len(text) > MAX_PICTURE_BYTES * 4 // 3 + 4:
        raise InvalidOutput(f"field {name}: the picture is larger than {MAX_PICTURE_BYTES // 10**6} MB")
    try:
        content = base64.b64decode(text, validate=True)
    except binascii.Error as error:
        raise InvalidOutput(f"field {name}: expected a PNG as base64, received other text") from error
    if not content.startswith(PNG_BEGINNING):
        raise InvalidOutput(f"field {name}: expected a PNG as base64, received another kind of file")
    return content
