"""From the rows of a study to the protocol that a run carries, and what is missing for one."""

from typing import Any

from agents.core.budget import Budget
from agents.core.canonical import digest_of
from agents.core.digest import DigestItem
from agents.core.outside import Definition, OutsideSource, OutsideTool
from agents.core.science import Constraint, Objective, Source, Space
from agents.core.study import RUN_PYTHON, DatasetRef, DocumentRef, StudyProtocol
from agents.models import Dataset, Document, SourceTool, Study, ToolSource
from agents.models import DigestItem as ItemRow
from agents.services.measuring import measuring_problem


def protocol_of(study: Study, *, seed: int = 0) -> StudyProtocol:
    """Return the study as a run would carry it now. Dropped digest items are left out."""
    datasets = [dataset_ref(row) for row in study.datasets.all()]
    outside = outside_sources(study)
    return StudyProtocol(
        study_id=str(study.pk),
        title=study.title,
        goal=study.goal,
        domain=study.domain,
        language="zh-hans" if study.language == "zh-hans" else "en",
        documents=[
            DocumentRef(id=str(d.pk), name=d.name, content_hash=d.content_hash, pages=d.pages)
            for d in study.documents.filter(status=Document.Status.READY)
        ],
        datasets=datasets,
        digest=[item_value(row) for row in kept_items(study)],
        space=Space.model_validate(study.space or {}),
        objectives=[Objective.model_validate(row) for row in study.objectives],
        constraints=[Constraint.model_validate(row) for row in study.constraints],
        tools=[*study.tools, *_switched_on(study, outside)] if study.tools else [],
        outside=outside,
        runs_code=study.runs_code,
        experiment_tool=experiment_tool(study, datasets),
        reasoner=study.reasoner_name,
        batch=study.batch,
        milestones=study.milestones,
        policy=study.policy,
        budget=Budget.model_validate(study.budget or {}),
        initial_hypothesis=study.initial_hypothesis,
        seed=seed,
    )


def _switched_on(study: Study, outside: list[OutsideSource]) -> list[str]:
    """Return the names of the tools that have a switch of their own and need not be ticked a second time."""
    names = [tool.name for source in outside for tool in source.tools] + [RUN_PYTHON] * study.runs_code
    return [name for name in names if name not in study.tools]


def outside_sources(study: Study) -> list[OutsideSource]:
    """Return the study's outside sources with the tools that are switched on and as they were accepted."""
    rows = SourceTool.objects.filter(source__study=study, is_on=True, state=SourceTool.State.OK)
    tools: dict[Any, list[OutsideTool]] = {}
    for row in rows:
        made = OutsideTool(name=row.name, definition=Definition(**row.accepted), **row.declared)
        tools.setdefault(row.source_id, []).append(made)
    sources = study.tool_sources.filter(pk__in=tools)
    return [source_value(row).model_copy(update={"tools": tools[row.pk]}) for row in sources]


def source_value(row: ToolSource) -> OutsideSource:
    """Return a source as a value, without its tools."""
    return OutsideSource(id=str(row.pk), name=row.name, kind=row.kind, **row.config)


def experiment_tool(study: Study, datasets: list[DatasetRef]) -> str:
    """Return the tool that performs experiments: as chosen, else the dataset, else a person."""
    if study.experiment_tool:
        return study.experiment_tool
    return "measure" if any(ref.role == "instrument" for ref in datasets) else "ask_researcher"


def dataset_ref(row: Dataset) -> DatasetRef:
    """Return a dataset row as the value that tools get."""
    return DatasetRef(
        id=str(row.pk),
        name=row.name,
        content_hash=row.content_hash,
        role=row.role,
        columns=row.columns,
        levels=row.levels,
        rows=row.rows,
    )


def kept_items(study: Study) -> list[ItemRow]:
    """Return the digest items that were not dropped, in order."""
    rows = study.digest_items.exclude(status=ItemRow.Status.DROPPED).select_related("document")
    return list(rows.order_by("document__created_at", "position"))


def item_value(row: ItemRow) -> DigestItem:
    """Return a digest row as a value."""
    return DigestItem(
        kind=row.kind,
        text=row.text,
        data=row.data,
        note=row.note,
        source=source_of(row),
    )


def source_of(row: ItemRow) -> Source:
    """Return where a digest row comes from."""
    return Source(
        origin="document" if row.document_id else "person",
        document_id=str(row.document_id or ""),
        document=row.document.name if row.document else "",
        page=row.page,
        quote=row.quote,
        verified=row.is_verified,
    )


def config_digest(protocol: StudyProtocol) -> str:
    """Return the digest of everything that decides how a run goes."""
    return digest_of(protocol.model_dump(mode="json"))


def missing_for_start(study: Study) -> list[str]:
    """Return what is missing before a run can start, as sentences; empty when nothing is."""
    missing = []
    if not study.goal.strip():
        missing.append("Say in a sentence what the study is to find out.")
    if study.documents.filter(status__in=(Document.Status.UPLOADED, Document.Status.READING)).exists():
        missing.append("A document is still being read.")
    if study.draft:
        missing.append("Something on the set-up page could not be saved as it was typed; correct it there.")
    if study.reasoner == "optimiser":
        if not (study.space or {}).get("parameters"):
            missing.append(
                "Add at least one parameter with its range or levels: the optimiser searches over them."
            )
        if not study.objectives:
            missing.append("Say what is measured and whether more or less of it is better.")
    if (
        study.experiment_tool == "measure"
        and not study.datasets.filter(role=Dataset.Role.INSTRUMENT).exists()
    ):
        missing.append("Choose the dataset that answers experiments, or let a researcher measure.")
    elif study.reasoner == "optimiser" and (problem := measuring_problem(study)):
        # A language model may call a tool for what the ledger has no name for; the optimiser could not go on.
        missing.append(problem)
    return missing
