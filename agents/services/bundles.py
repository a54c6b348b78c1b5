"""A study as a folder: ``study.json`` beside the documents and tables that it names."""

import json
from pathlib import Path
from typing import Any

from django.contrib.auth.models import User

from agents.core.errors import BadInput, DaybookError
from agents.models import Study
from agents.services.datasets import add_dataset
from agents.services.digests import digest_next
from agents.services.documents import add_document
from agents.services.studies import create_study

FIELDS = (
    "goal",
    "domain",
    "language",
    "space",
    "objectives",
    "constraints",
    "tools",
    "experiment_tool",
    "batch",
    "milestones",
    "reasoner",
    "policy",
    "budget",
    "initial_hypothesis",
)


def load_bundle(folder: Path, *, created_by: User | None = None, digest: bool = True) -> Study:
    """Create the study that ``folder`` describes; with ``digest``, read its documents at once.

    Raises ``BadInput`` naming the file and what is wrong in it.
    """
    described = _read(folder)
    fields: dict[str, Any] = {name: described[name] for name in FIELDS if name in described}
    study = create_study(title=described.get("title", folder.name), created_by=created_by, **fields)
    try:
        _load_files(study, folder, described)
    except DaybookError:
        study.delete()
        raise
    while digest and digest_next(study_id=study.pk):
        pass
    study.refresh_from_db()
    return study


def _load_files(study: Study, folder: Path, described: dict[str, Any]) -> None:
    for row in described.get("datasets", []):
        with _open(folder, row["file"]) as file:
            add_dataset(
                study,
                file=file,
                name=row["file"],
                role=row.get("role", "reference"),
                columns=row.get("columns"),
                levels=row.get("levels"),
            )
    for row in described.get("documents", []):
        with _open(folder, row["file"]) as file:
            add_document(study, file=file, name=row["file"])
    _name_sources(study)


def _name_sources(study: Study) -> None:
    """Give the constraints that quote a document by name its id, so that people can open the page."""
    ids = {document.name: str(document.pk) for document in study.documents.all()}
    for constraint in study.constraints:
        source = constraint["source"]
        source["document_id"] = source["document_id"] or ids.get(source["document"], "")
    study.save(update_fields=["constraints"])


def _read(folder: Path) -> dict[str, Any]:
    path = folder / "study.json"
    try:
        described = json.loads(path.read_text(encoding="utf-8"))
    except OSError as fault:
        raise BadInput(f"{folder} holds no study.json ({fault.strerror}).") from None
    except ValueError as fault:
        raise BadInput(f"{path} is not JSON: {fault}.") from None
    if not isinstance(described, dict):
        raise BadInput(f"{path} holds a {type(described).__name__}; an object with a title is expected.")
    return described


def _open(folder: Path, name: str) -> Any:
    path = (folder / name).resolve()
    if not path.is_relative_to(folder.resolve()) or not path.is_file():
        raise BadInput(f"study.json names the file {name!r}, which is not in {folder}.")
    return path.open("rb")
