"""Taking tables in: the instrument of a study, its past experiments, or data to look at."""

from pathlib import Path
from typing import IO, Any

from django.conf import settings
from django.db import transaction

from agents.core.errors import BadInput
from agents.core.measurement import conditions_digest
from agents.core.science import Objective, Space
from agents.core.text import clean_text, clean_value
from agents.models import Dataset, Experiment, Study
from agents.services.protocols import dataset_ref
from agents.store.artifacts import artifact_path, read_upload, store_bytes

DATASETS_PER_STUDY = 20


def add_dataset(
    study: Study,
    *,
    file: IO[bytes],
    name: str,
    role: str = "reference",
    columns: dict[str, str] | None = None,
    levels: dict[str, dict[str, str]] | None = None,
    sheet: str = "",
) -> Dataset:
    """Store a table with what was noticed in it. Columns are matched to the space by name unless given.

    Of an XLSX workbook the first filled sheet, or the one called ``sheet``, is stored as CSV.

    Raises ``BadInput`` when it cannot be read as a table.
    """
    from agents.adapters.tables import read_table, workbook  # loaded when a table comes in

    name = clean_text(name).replace("/", "_").replace("\\", "_").strip()[:255] or "table.csv"
    if role not in Dataset.Role.values:
        raise BadInput(f"A dataset is one of {', '.join(Dataset.Role.values)}, not {role!r}.")
    if study.datasets.count() >= DATASETS_PER_STUDY:
        raise BadInput(f"A study holds at most {DATASETS_PER_STUDY} datasets; remove one first.")
    content = read_upload(file, limit=settings.UPLOAD_MAX_BYTES, name=name)
    if content.startswith(workbook.BEGINNING):
        content, name = workbook.csv_of(content, name=name, sheet=sheet.strip())
        name = name[-255:]
    elif sheet.strip():
        raise BadInput(f"{name!r} is no XLSX workbook, so it has no sheet {sheet!r}; leave the sheet empty.")
    artifact = store_bytes(content, media_type="text/csv")
    table = read_table(artifact_path(artifact.content_hash), name=name)
    header = [column.model_dump(mode="json") for column in table.columns]
    dataset = Dataset.objects.create(
        study=study,
        name=name,
        content_hash=artifact.content_hash,
        size=artifact.size,
        role=role,
        columns=columns or _guess_columns(study, [str(column["name"]) for column in header]),
        levels=clean_value(levels or {}),
        rows=len(table.rows),
        header=clean_value(header),
        problems=[problem.model_dump(mode="json") for problem in table.problems[:200]],
    )
    if role == Dataset.Role.PAST:
        import_past(dataset)
    return dataset


def _guess_columns(study: Study, header: list[str]) -> dict[str, str]:
    names = [row["name"] for row in (study.space or {}).get("parameters", [])]
    names += [row["name"] for row in study.objectives]
    by_fold = {column.casefold().strip(): column for column in header}
    return {name: by_fold[name.casefold()] for name in names if name.casefold() in by_fold}


def map_dataset(
    dataset: Dataset, *, role: str, columns: dict[str, str], levels: dict[str, dict[str, str]] | None = None
) -> Dataset:
    """Say which column holds which parameter or objective. Raises ``BadInput`` for a column that is not there."""
    known = {str(column["name"]) for column in dataset.header}
    missing = sorted(set(columns.values()) - known)
    if missing:
        raise BadInput(f"{dataset.name!r} has no column {missing[0]!r}; it has {', '.join(sorted(known))}.")
    dataset.role, dataset.columns = role, columns
    if levels is not None:
        dataset.levels = clean_value(levels)
    dataset.save(update_fields=["role", "columns", "levels"])
    if role == Dataset.Role.PAST:
        import_past(dataset)
    return dataset


def import_past(dataset: Dataset) -> list[dict[str, Any]]:
    """File the rows of a table of past experiments in the ledger; returns the problems, naming row and column.

    Importing again replaces the rows of the same table. Rows with a problem are left out.
    """
    from agents.adapters.tables import experiments_from, read_table

    study = dataset.study
    table = read_table(artifact_path(dataset.content_hash), name=dataset.name)
    experiments, problems = experiments_from(
        table,
        mapping=dataset_ref(dataset),
        space=Space.model_validate(study.space or {}),
        objectives=[Objective.model_validate(row) for row in study.objectives],
    )
    dataset.problems = [problem.model_dump(mode="json") for problem in [*table.problems, *problems][:200]]
    prefix = f"past/{dataset.pk}/"
    rows = [
        Experiment(
            study=study,
            key=f"{prefix}{number}",
            position=number,
            conditions_digest=conditions_digest(experiment.conditions),
            **experiment.model_dump(mode="json", exclude={"id"}),
        )
        for number, experiment in enumerate(experiments, start=1)
    ]
    with transaction.atomic():
        Experiment.objects.filter(study=study, key__startswith=prefix).delete()
        Experiment.objects.bulk_create(rows, batch_size=500)
        dataset.save(update_fields=["problems"])
    return list(dataset.problems)


def import_all_past(study: Study) -> None:
    """Import every table of past experiments again: what its rows mean follows the space and the objectives."""
    for dataset in study.datasets.filter(role=Dataset.Role.PAST):
        import_past(dataset)


@transaction.atomic
def remove_dataset(dataset: Dataset) -> None:
    """Take a table out of the study, with the past experiments that came from it."""
    Experiment.objects.filter(study=dataset.study, key__startswith=f"past/{dataset.pk}/").delete()
    dataset.delete()


def dataset_path(dataset: Dataset) -> Path:
    """Return the stored file of a dataset."""
    return artifact_path(dataset.content_hash)
