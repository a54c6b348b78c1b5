"""The rows of a site as JSON and back, by field name, so that a later schema can still read them."""

import base64
import json
from pathlib import Path
from typing import Any

from django.apps import apps
from django.db import models

MODELS = (
    "Study",
    "Run",
    "Event",
    "Effect",
    "Gate",
    "Experiment",
    "Finding",
    "FindingVersion",
    "Checkpoint",
    "CheckpointBlob",
    "CheckpointWrite",
)
HERE = Path(__file__).parent


def dump(path: Path) -> None:
    """Write every row of the engine to ``path``."""
    tables = []
    for name in MODELS:
        rows = [
            json.dumps(_plain(row), default=str, ensure_ascii=False)
            for row in _model(name).objects.order_by("pk")
        ]
        tables.append(f'"{name}": [\n' + ",\n".join(rows) + "\n]")
    path.write_text("{" + ",\n".join(tables) + "}\n", encoding="utf-8")


def load(path: Path) -> None:
    """Store the rows of ``path``; a field that is gone is left out, a new one has its default."""
    for name, rows in json.loads(path.read_text(encoding="utf-8")).items():
        model = _model(name)
        known = {field.attname: field for field in model._meta.concrete_fields}
        model.objects.bulk_create(
            [
                model(**{field: _back(known[field], value) for field, value in row.items() if field in known})
                for row in rows
            ]
        )
        _keep_times(model, rows, known)


def _model(name: str) -> type[models.Model]:
    return apps.get_model("agents", name)


def _plain(row: models.Model) -> dict[str, Any]:
    values = {field.attname: getattr(row, field.attname) for field in row._meta.concrete_fields}
    return {
        name: base64.b64encode(bytes(value)).decode()
        if isinstance(value, bytes | memoryview)
        else _time(value)
        for name, value in values.items()
    }


def _time(value: Any) -> Any:
    return value.isoformat() if hasattr(value, "isoformat") else value


def _back(field: models.Field, value: Any) -> Any:
    if value is None:
        return None
    if isinstance(field, models.BinaryField):
        return base64.b64decode(value)
    if (isinstance(field, models.ForeignKey) and "user" in field.name) or field.name == "created_by":
        return None
    return field.to_python(value) if isinstance(field, models.DateTimeField | models.UUIDField) else value


def _keep_times(
    model: type[models.Model], rows: list[dict[str, Any]], known: dict[str, models.Field]
) -> None:
    """Put back what ``auto_now_add`` overwrote: the order of the ledger is by time."""
    stamped = [name for name, field in known.items() if getattr(field, "auto_now_add", False)]
    for row in rows:
        if stamped:
            model.objects.filter(pk=row["id"]).update(
                **{name: known[name].to_python(row[name]) for name in stamped if name in row}
            )
