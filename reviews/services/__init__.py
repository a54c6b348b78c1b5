"""What people do at the desk: decide, claim, draft, write the policy. One transaction each, roles checked."""

from reviews.services.batches import alike, decide_batch, left_out
from reviews.services.comments import comment, send_comments
from reviews.services.deadlines import apply_due
from reviews.services.decisions import add_member, claim, decide, fork, release, require_open, save_draft
from reviews.services.notices import read_notices, send_test, set_preference
from reviews.services.people import assign, candidates, end_absence, relieve_absent, set_absence
from reviews.services.policies import (
    approve_and_remember,
    change_rules,
    give_run_policy,
    revoke,
    use_preset,
)

__all__ = [
    "add_member",
    "alike",
    "apply_due",
    "approve_and_remember",
    "assign",
    "candidates",
    "change_rules",
    "claim",
    "comment",
    "decide",
    "decide_batch",
    "end_absence",
    "fork",
    "give_run_policy",
    "left_out",
    "read_notices",
    "release",
    "relieve_absent",
    "require_open",
    "revoke",
    "save_draft",
    "send_comments",
    "send_test",
    "set_absence",
    "set_preference",
    "use_preset",
]
