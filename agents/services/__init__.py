"""Verbs for the layers above: each does a whole change in one transaction, with its event."""

from agents.services.bundles import load_bundle
from agents.services.datasets import add_dataset, import_past, map_dataset, remove_dataset
from agents.services.digests import digest_next, restart_document
from agents.services.documents import add_document, remove_document
from agents.services.finding_changes import approve_change, propose_change, refuse_change, waiting_change
from agents.services.findings import (
    accept_finding,
    edit_finding,
    merge_findings,
    retract_finding,
    supersede_finding,
)
from agents.services.findings_files import export_findings, import_findings
from agents.services.forks import fork_latest, fork_run, rewind_run
from agents.services.gates import deliver, prepare_answer
from agents.services.holds import choose
from agents.services.items import adopt_digest, edit_item
from agents.services.policies import (
    change_run_policy,
    current_policy,
    remember_approval,
    revoke_approval,
    set_policy,
    table_from,
)
from agents.services.printed import printed_tables, use_printed_runs
from agents.services.protocols import missing_for_start, protocol_of
from agents.services.rules import distil_rules, weigh_rules
from agents.services.runs import (
    change_budget,
    give_guidance,
    pause_run,
    resume_run,
    retry_run,
    start_run,
    stop_run,
)
from agents.services.studies import archive_study, change_study, create_study
from agents.services.would_ask import would_ask

__all__ = [
    "accept_finding",
    "add_dataset",
    "add_document",
    "adopt_digest",
    "approve_change",
    "archive_study",
    "change_budget",
    "change_run_policy",
    "change_study",
    "choose",
    "create_study",
    "current_policy",
    "deliver",
    "digest_next",
    "distil_rules",
    "edit_finding",
    "edit_item",
    "export_findings",
    "fork_latest",
    "fork_run",
    "give_guidance",
    "import_findings",
    "import_past",
    "load_bundle",
    "map_dataset",
    "merge_findings",
    "missing_for_start",
    "pause_run",
    "prepare_answer",
    "printed_tables",
    "propose_change",
    "protocol_of",
    "refuse_change",
    "remember_approval",
    "remove_dataset",
    "remove_document",
    "restart_document",
    "resume_run",
    "retract_finding",
    "retry_run",
    "revoke_approval",
    "rewind_run",
    "set_policy",
    "start_run",
    "stop_run",
    "supersede_finding",
    "table_from",
    "use_printed_runs",
    "waiting_change",
    "weigh_rules",
    "would_ask",
]
